"""The certified frontier: the least error that any scheme of a given privacy can have.

Privacy allows some posteriors, reports' beliefs about the true answer: up to delta each, and with a best
guess that is right with probability A at most; or, under epsilon-local differential privacy, those
of reports that are nowhere more than e^epsilon times as likely as elsewhere. Replacing a posterior by
a mixture of extreme ones tells more and changes nothing else, so the best scheme uses extreme
posteriors alone. Over them the problem is convex: see `design`, which also certifies what it finds.

What is to be estimated is a workload W P: the shares themselves unless something else is named
(`workloads`). With the histogram for W, n N MSE = trace(D S^-1 D) - sum_x P(x)^2.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm.optimise.design import Design, Family, best_design, gap_of
from ppdm.optimise.extremes import LDP, MANY, Listed
from ppdm.optimise.objectives import check_delta, check_prior, mse, noise, privacy
from ppdm.optimise.workloads import check_workload
from ppdm.scientific import linprog

__all__ = [
    "BestScheme",
    "atoms",
    "best_ldp_scheme",
    "best_scheme",
    "bounded_atoms",
    "certified_frontier",
    "reduced",
    "scheme_matrix",
]

#: So many categories where the best guess is bounded on average: extreme posteriors double with each.
LARGEST_N = 14
#: So many where every report is bounded by itself.
LARGEST_N_OF_ALL = 32
#: So many extreme posteriors are listed.
MOST_LISTED = 300_000
#: What a report tells is told from rounding down to here, and the noise of the disguise up to there.
SMALLEST_EPSILON, LARGEST_EPSILON = 1e-6, 30
#: A noise below this share of the shares' own variances is rounding: there is none.
NO_NOISE = 1e-14
EDGE = 1e-9
#: How near to the bound a scheme is searched, as a share of the objective; and with many answers.
GAP, GAP_OF_MANY = 1e-8, 1e-6


class BestScheme(NamedTuple):
    """A scheme at the frontier: its matrix, its error, and what no scheme can go below.

    `mse` is the mean squared error of the workload's numbers, for all chance; `noise` is that of the
    disguise alone, tr(W (F^-1 - D) W'), for one respondent: N respondents have an N-th of it.
    """

    privacy: float
    mse: float
    bound: float
    matrix: np.ndarray
    noise: float = np.nan
    noise_bound: float = np.nan

    @property
    def gap(self) -> float:
        """How far the error may at most be from the best one, as a share of the bound.

        It is infinite where rounding leaves no bound: nothing is certified then.
        """
        return gap_of(self.mse, self.bound) if np.isfinite(self.mse) else 0.0

    @property
    def noise_gap(self) -> float:
        """The same for the noise of the disguise alone: always the larger one of the two."""
        measured = np.isfinite(self.noise) and self.noise != 0
        return gap_of(self.noise, self.noise_bound) if measured else 0.0


def best_scheme(
    prior: ArrayLike,
    delta: float,
    privacy: float | None = None,
    respondents: int = 10_000,
    workload: ArrayLike | None = None,
) -> BestScheme:
    """The scheme of least error among those with at least this privacy and posteriors up to delta.

    Without `privacy`, delta alone bounds the best guess: that of every single report.

    Parameters
    ----------
    prior
        The distribution of the true answers.
    delta
        The largest posterior of any answer, given any report.
    privacy
        The least chance that the best guess is wrong.
    respondents
        How many people answer.
    workload
        What will be tabulated: a row of weights for each number; by default every share.

    Returns
    -------
    BestScheme
        Its matrix, its error, and what no scheme can go below.

    Raises
    ------
    ValueError
        If no scheme has so much privacy, or there are too many answers.

    Examples
    --------
    >>> scheme = best_scheme([0.5, 0.3, 0.2], delta=0.9, privacy=0.3)
    >>> scheme.gap < 1e-6, bool(scheme.matrix.shape[0] <= 3 * 4 / 2 + 1)
    (True, True)
    """
    prior = check_prior(prior)
    delta = check_delta(delta, prior)
    highest = 1 - prior.max()
    if privacy is not None and not -EDGE <= privacy <= highest + EDGE:
        raise ValueError(
            f"privacy is {privacy:.12g}: for this prior it must lie between 0 and {highest:.12g}, "
            "the chance that a guess made without any answer is wrong"
        )
    rows = check_workload(workload, len(prior))
    n, least = len(prior), prior.max() + EDGE
    accuracy = delta if privacy is None else min(delta, 1 - float(privacy))
    posteriors = bounded_atoms(n, delta) if accuracy == delta else atoms(n, delta)
    top, modes = posteriors.max(axis=1), posteriors[:, prior >= prior.max() - EDGE]
    allowed = np.ones(len(posteriors), dtype=bool)
    if accuracy <= least:  # the best guess must be the mode whatever is reported
        allowed &= (modes >= top[:, None] - EDGE).all(axis=1)
    if delta <= least:  # every posterior of the mode must be delta
        allowed &= (modes >= delta - 2 * EDGE).all(axis=1)
    posteriors, bounded = posteriors[allowed], least < accuracy < delta
    if np.linalg.matrix_rank(posteriors) < n:
        blind = np.outer(np.full(n, 1 / n), np.ones(n))
        return BestScheme(float(highest), np.inf, np.inf, blind, np.inf, np.inf)
    family = Listed(prior, posteriors, bounded * top[allowed])
    return _solve(prior, family, accuracy if bounded else None, respondents, rows)


def best_ldp_scheme(
    prior: ArrayLike,
    epsilon: float,
    respondents: int = 10_000,
    workload: ArrayLike | None = None,
) -> BestScheme:
    """The scheme of least error among those with epsilon-local differential privacy.

    No answer is reported more than e^epsilon times as often for one true value as for another.
    Epsilon may be from a millionth to 30: beyond, what a report tells or hides is lost in rounding.

    Parameters
    ----------
    prior
        The distribution of the true answers.
    epsilon
        The largest log ratio of two answers' chances of one report.
    respondents
        How many people answer.
    workload
        What will be tabulated: a row of weights for each number; by default every share.

    Returns
    -------
    BestScheme
        Its matrix, its error, and what no scheme can go below.

    Raises
    ------
    ValueError
        If epsilon is out of reach, or there are more than 32 answers.

    Examples
    --------
    >>> from math import log
    >>> round(best_ldp_scheme([0.5, 0.5], log(3)).mse * 10_000, 6)   # Warner's, p = 3/4
    1.0
    >>> from ppdm.optimise.workloads import prefixes
    >>> round(best_ldp_scheme([1 / 8] * 8, 1.0, workload=prefixes(8)).noise, 3)
    23.031
    """
    prior = check_prior(prior)
    if not epsilon >= SMALLEST_EPSILON:
        raise ValueError(
            f"epsilon is {epsilon:.12g}: it must be positive, and at least {SMALLEST_EPSILON:g}, below "
            "which reports tell nothing on the answers"
        )
    if epsilon > LARGEST_EPSILON:
        raise ValueError(
            f"epsilon is {epsilon:.12g}: take at most {LARGEST_EPSILON}, where one report in "
            "10,000,000,000,000 is disguised, or ask directly"
        )
    if len(prior) > LARGEST_N_OF_ALL:
        raise ValueError(
            f"the prior has {len(prior)} categories: the frontier under epsilon-LDP is computed for up "
            f"to {LARGEST_N_OF_ALL}, as all 2^n extreme posteriors are looked at"
        )
    rows = check_workload(workload, len(prior))
    return _solve(prior, LDP(prior, epsilon), None, respondents, rows)


def certified_frontier(
    prior: ArrayLike, delta: float, levels: Iterable[float], respondents: int = 10_000
) -> list[BestScheme]:
    """The best scheme at each privacy level.

    >>> points = certified_frontier([0.5, 0.3, 0.2], 0.9, [0.2, 0.3, 0.4])
    >>> points[0].mse < points[1].mse < points[2].mse
    True
    """
    return [best_scheme(prior, delta, float(level), respondents) for level in levels]


def atoms(n: int, delta: float) -> np.ndarray:
    """The extreme points of {(p, t): p a distribution on n values, p_x <= t <= delta}.

    The uniform distributions on k values with 1/k <= delta, and those with as many entries delta
    as fit and one entry with the rest.

    >>> atoms(2, 0.8)
    array([[0.5, 0.5],
           [0.8, 0.2],
           [0.2, 0.8]])
    """
    if n > LARGEST_N:
        raise ValueError(
            f"the prior has {n} categories: the frontier is computed for up to {LARGEST_N}, as the "
            "list of extreme posteriors doubles with each (without privacy, delta alone, for up to "
            f"{LARGEST_N_OF_ALL})"
        )
    even = [
        np.bincount(support, minlength=n) / k
        for k in range(1, n + 1)
        if 1 / k <= delta + EDGE
        for support in combinations(range(n), k)
    ]
    _, rest = _filled(delta)
    return np.vstack([even, bounded_atoms(n, delta)]) if rest > EDGE else np.array(even)


def bounded_atoms(n: int, delta: float) -> np.ndarray:
    """The extreme distributions with entries up to delta: as many of delta as fit, one with the rest.

    >>> bounded_atoms(2, 0.8)
    array([[0.8, 0.2],
           [0.2, 0.8]])
    """
    full, rest = _filled(delta)
    number = comb(n, full) * (n - full if rest > EDGE else 1)
    if n > LARGEST_N_OF_ALL or number > MOST_LISTED:
        raise ValueError(
            f"the prior has {n} categories and delta is {delta:.12g}: that makes {number:,} extreme "
            f"posteriors; the frontier is computed for up to {LARGEST_N_OF_ALL} categories and "
            f"{MOST_LISTED:,} posteriors, so take a larger delta or fewer categories"
        )
    rows = []
    for support in combinations(range(n), full):
        row = np.zeros(n)
        row[list(support)] = delta
        others = np.flatnonzero((row == 0) & (rest > EDGE))
        rows += [row + rest * np.eye(n)[other] for other in others] or [row]
    return np.array(rows)


def _filled(delta: float) -> tuple[int, float]:
    """How many entries of delta a distribution has room for, and what is left."""
    full = int(1 / delta + EDGE)
    return full, 1 - full * delta


def _solve(
    prior: np.ndarray, family: Family, accuracy: float | None, respondents: int, rows: np.ndarray
) -> BestScheme:
    design = best_design(prior, family, rows, accuracy, GAP if len(prior) <= MANY else GAP_OF_MANY)
    matrix = scheme_matrix(*reduced(design), prior)
    if accuracy is not None:
        matrix = _within(matrix, prior, accuracy)
    exact = float(np.einsum("ij,j,ij->", rows, prior, rows))  # tr(W D W')
    squares = float(((rows @ prior) ** 2).sum())
    lower = max(design.lower, exact)  # no disguise takes noise away
    level = float(noise(matrix, prior, rows))
    return BestScheme(
        privacy=float(privacy(matrix, prior)),
        mse=float(mse(matrix, prior, respondents, rows)),
        bound=float((lower - squares) / (len(rows) * respondents)),
        matrix=matrix,
        noise=level if level > NO_NOISE * exact else 0.0,
        noise_bound=float(lower - exact),
    )


def reduced(design: Design) -> tuple[np.ndarray, np.ndarray]:
    """A vertex of the weights with the same S and A: at most n(n + 1)/2 + 1 of them are not 0.

    S is compared in coordinates in which it is the identity: no direction is lost, however little
    is told of it.

    >>> prior = np.array([0.5, 0.5])
    >>> w, posteriors = reduced(best_design(prior, LDP(prior, np.log(3)), np.eye(2)))
    >>> w.round(6), posteriors.round(6).tolist()
    (array([0.5, 0.5]), [[0.25, 0.75], [0.75, 0.25]])
    """
    (posteriors, guess), w = design.points, design.w
    keep = w > 1e-12 * w.max()
    posteriors, guess, w = posteriors[keep], guess[keep], w[keep]
    rows, cols = np.triu_indices(posteriors.shape[1])
    try:
        root = np.linalg.cholesky((posteriors.T * w) @ posteriors)
    except np.linalg.LinAlgError:  # as where the programme below fails
        return w, posteriors
    scaled = np.linalg.solve(root, posteriors.T)
    same = scaled[rows] * scaled[cols]
    if guess.any():
        same = np.vstack([same, guess])
    target = same @ w
    slack = posteriors @ design.nu + design.mu * guess
    slack -= np.einsum("ji,ik,jk->j", posteriors, design.g, posteriors)
    vertex = linprog(slack - slack.min(), A_eq=same, b_eq=target, method="highs-ds")
    if not vertex.success:  # S is too nearly singular for this: more reports than need be
        return w, posteriors
    positive = vertex.x > 1e-11
    # the programme's own weights are right to 1e-7
    weights = np.linalg.lstsq(same[:, positive], target, rcond=None)[0]
    return np.maximum(weights, 0), posteriors[positive]


def scheme_matrix(w: np.ndarray, posteriors: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """The matrix of weights and posteriors.

    The weights are set right until the columns sum to one: that leaves each row as it is.

    >>> scheme_matrix(np.array([0.5, 0.5]), np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    for _ in range(3):
        s = (posteriors.T * w) @ posteriors
        w = w * (1 + posteriors @ np.linalg.lstsq(s, prior - posteriors.T @ w, rcond=None)[0])
    matrix = np.maximum(w, 0)[:, None] * posteriors / prior
    matrix = matrix[(matrix > 0).any(axis=1)]
    return matrix / matrix.sum(axis=0)


def _within(matrix: np.ndarray, prior: np.ndarray, accuracy: float) -> np.ndarray:
    """Mix in as much noise as rounding made the guess better than it may be."""
    excess = (matrix * prior).max(axis=1).sum() - accuracy
    room = accuracy + excess - prior.max()
    if excess <= 0 or room <= 0:
        return matrix
    share = min(excess / room, 1.0)
    return (1 - share) * matrix + share * (matrix @ prior)[:, None]
