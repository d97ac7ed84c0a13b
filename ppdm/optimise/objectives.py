"""Privacy and utility of randomizing matrices, for one matrix or for many at once.

    prior       P, the distribution of the true answers, n probabilities
    matrix      M[y, x] = P(reported y | true x); columns sum to one; any number of rows
    joint       J[y, x] = P(x) M[y, x] = P(reported y and true x)
    delta       the bound on every posterior P(true x | reported y)
    respondents N, the number of records

Every function takes one matrix (m x n) or a stack of them (... x m x n) and answers with one
number or a stack of numbers.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike

from ppdm.disguise.guess import best_guess

__all__ = [
    "check_count",
    "check_delta",
    "check_prior",
    "max_posterior",
    "mse",
    "mse_of_inversion",
    "noise",
    "number_of_matrices",
    "pareto",
    "privacy",
]

SUM_TOLERANCE = 1e-9


def check_prior(prior: ArrayLike) -> np.ndarray:
    """The prior as an array, or one sentence that says what is wrong with it.

    >>> check_prior([0.5, 0.5])
    array([0.5, 0.5])
    >>> check_prior([0.5, 0.5, 0])
    Traceback (most recent call last):
    ...
    ValueError: prior[2] is 0: every category needs a positive probability, drop those without
    """
    # A copy: for an array that may not be written numba would compile every search once more, half a minute.
    prior = np.array(prior, dtype=float)
    if prior.ndim != 1 or len(prior) < 2:
        raise ValueError(
            f"the prior has shape {prior.shape}: a list of at least two probabilities is needed, "
            "one category alone holds no secret"
        )
    if not np.all(np.isfinite(prior)):
        raise ValueError("the prior holds a value that is not a number")
    bad = np.flatnonzero(prior <= 0)
    if len(bad):
        raise ValueError(
            f"prior[{bad[0]}] is {prior[bad[0]]:.12g}: every category needs a positive "
            "probability, drop those without"
        )
    if abs(prior.sum() - 1) > SUM_TOLERANCE:
        raise ValueError(f"the prior sums to {prior.sum():.12g}: it must sum to 1")
    return prior


def check_delta(delta: float, prior: np.ndarray) -> float:
    """[Huang & Du, Theorem 5] The bound on posteriors cannot lie below the largest prior.

    >>> check_delta(0.6, np.array([0.7, 0.3]))
    Traceback (most recent call last):
    ...
    ValueError: delta is 0.6, below the largest prior 0.7: no scheme keeps every posterior there
    """
    largest = prior.max()
    if not 0 < delta <= 1:
        raise ValueError(f"delta is {delta:.12g}: it must lie above 0 and not above 1")
    if delta < largest - SUM_TOLERANCE:
        raise ValueError(
            f"delta is {delta:.12g}, below the largest prior {largest:.12g}: "
            "no scheme keeps every posterior there"
        )
    return float(delta)


def check_count(name: str, count: float, least: int = 1) -> int:
    """A number of things as a whole number, or one sentence that says what is wrong with it.

    >>> check_count("archive", 0)
    Traceback (most recent call last):
    ...
    ValueError: archive is 0: a whole number of at least 1 is needed
    """
    whole = isinstance(count, (int, float, np.number)) and not isinstance(count, bool)
    if not (whole and np.isfinite(count) and count == int(count) and count >= least):
        raise ValueError(f"{name} is {count!r}: a whole number of at least {least} is needed")
    return int(count)


def privacy(matrix: ArrayLike, prior: ArrayLike) -> np.ndarray:
    """[Huang & Du, Eq. 8] One minus the chance that the best guess of an answer is right.

    >>> float(privacy(np.eye(3), [0.2, 0.3, 0.5]))
    0.0
    >>> float(privacy(np.full((3, 3), 1 / 3), [0.2, 0.3, 0.5]))
    0.5
    """
    joint = np.asarray(matrix) * np.asarray(prior)
    return 1 - best_guess(np.swapaxes(joint, -1, -2))


def max_posterior(matrix: ArrayLike, prior: ArrayLike) -> np.ndarray:
    """[Huang & Du, Eq. 9] The largest P(true x | reported y) over all x and all y that occur.

    >>> float(max_posterior(np.full((2, 2), 1 / 2), [0.3, 0.7]))
    0.7
    """
    joint = np.asarray(matrix, dtype=float) * np.asarray(prior, dtype=float)
    weight = joint.sum(axis=-1)
    largest = joint.max(axis=-1)
    posterior = np.divide(largest, weight, out=np.zeros_like(weight), where=weight > 0)
    return posterior.max(axis=-1)


def mse(
    matrix: ArrayLike,
    prior: ArrayLike,
    respondents: int = 10_000,
    workload: ArrayLike | None = None,
) -> np.ndarray:
    """[Huang & Du, Theorem 6, Eq. 10] Mean squared error of the estimated distribution.

    Averaged over the n categories. With W = diag(M P) the errors of the n categories sum to

        (trace((M' W^-1 M)^-1) - sum_x P(x)^2) / N.

    For a square M that is the error of the inverted estimate; for a tall one (more outputs than
    answers) that of weighted least squares. A matrix that loses information has error infinity.
    With a workload the mean is over the numbers that it asks for, a row each.

    >>> float(mse(np.eye(2), [0.5, 0.5], respondents=100).round(9))    # a share: 1/4 / 100
    0.0025
    >>> float(mse(np.full((2, 2), 0.5), [0.5, 0.5]))
    inf
    """
    prior = np.asarray(prior, dtype=float)
    rows = np.eye(len(prior)) if workload is None else np.asarray(workload, dtype=float)
    total = _variance(matrix, prior, rows)
    return (total - ((rows @ prior) ** 2).sum()) / (len(rows) * respondents)


def noise(matrix: ArrayLike, prior: ArrayLike, workload: ArrayLike | None = None) -> np.ndarray:
    """What the disguise alone adds for one respondent: tr(W (F^-1 - D) W'), summed over W's rows.

    F = M' diag(M P)^-1 M is the information of a report about P, D = diag(P).

    >>> round(float(noise([[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5])), 9)
    1.5
    """
    prior = np.asarray(prior, dtype=float)
    rows = np.eye(len(prior)) if workload is None else np.asarray(workload, dtype=float)
    return _variance(matrix, prior, rows) - np.einsum("ij,j,ij->", rows, prior, rows)


def _variance(matrix: ArrayLike, prior: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """tr(W F^-1 W'), infinite where the matrix loses information."""
    matrix = np.asarray(matrix, dtype=float)
    if matrix.shape[-2] < matrix.shape[-1]:
        return np.full(matrix.shape[:-2], np.inf)
    weight = matrix @ prior
    scale = np.divide(1, np.sqrt(weight), out=np.zeros_like(weight), where=weight > 0)
    _, s, vt = np.linalg.svd(matrix * scale[..., None], full_matrices=False)
    singular = s[..., -1] <= 1e-13 * s[..., 0]
    safe = np.where(singular[..., None], 1.0, s)
    rotation = rows @ np.swapaxes(vt, -1, -2)
    total = ((rotation / safe[..., None, :]) ** 2).sum(axis=(-1, -2))
    return np.where(singular, np.inf, total)


def mse_of_inversion(matrix: ArrayLike, prior: ArrayLike, respondents: int = 10_000) -> np.ndarray:
    """[Huang & Du, Theorem 6] The error of each category, written as the paper does.

    beta is the inverse of a square matrix M; the covariance of the reported shares is
    (diag(MP) - MP (MP)') / N.

    >>> mse_of_inversion(np.eye(2), [0.5, 0.5], respondents=100)
    array([0.0025, 0.0025])
    """
    matrix = np.asarray(matrix, dtype=float)
    beta = np.linalg.inv(matrix)
    shares = matrix @ np.asarray(prior)
    covariance = (np.diag(shares) - np.outer(shares, shares)) / respondents
    return np.einsum("ki,ij,kj->k", beta, covariance, beta)


def pareto(privacy: ArrayLike, mse: ArrayLike) -> np.ndarray:
    """[Huang & Du, Definition 5.1] Mask of the points that no other point dominates.

    Of equal points the first is kept. An error may be infinite, but has to be a number.

    >>> pareto([0.1, 0.2, 0.2, 0.3], [1.0, 2.0, 3.0, np.inf])
    array([ True,  True, False,  True])
    """
    privacy, mse = np.asarray(privacy, dtype=float), np.asarray(mse, dtype=float)
    if np.isnan(privacy).any() or np.isnan(mse).any():
        raise ValueError(
            "a point with NaN is neither better nor worse than others: leave it out first"
        )
    order = np.lexsort((np.arange(len(mse)), mse, -privacy))
    best = np.concatenate([[np.inf], np.minimum.accumulate(mse[order])[:-1]])
    lower = mse[order] < best
    lower[:1] = True
    mask = np.zeros(len(mse), dtype=bool)
    mask[order[lower]] = True
    return mask


def number_of_matrices(n: int, d: int) -> int:
    """[Huang & Du, Fact 1] How many n x n matrices have columns of multiples of 1/d.

    >>> f"{number_of_matrices(10, 100):.2e}"
    '1.98e+126'
    """
    return comb(d + n - 1, d) ** n
