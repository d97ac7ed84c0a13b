"""[Huang & Du III.A] From reported counts to a distribution: four estimators, each by its name.

`inversion` is unbiased and may leave the simplex. What to do then is a choice, made in the open:
`clipped` and `projected` repair an estimate, `em` maximizes the likelihood inside the simplex.

Where counts are asked for, a table will do, and so will the records of one question, in any frame
that `ppdm.count` takes: they are counted first.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ppdm import engines, kinds
from ppdm.channel import checked_matrix, left_inverse
from ppdm.compiled import njit
from ppdm.disguise.mechanism import Mechanism
from ppdm.table import Table, count

#: So many steps of EM are as the paper has them; then it leaps. Who asks for no more gets just these.
PLAIN = 1_000
#: What rounding may take below zero.
ROUNDING = 1e-12
#: Beyond this, one (the sum of all shares) is lost in rounding: only differences count then.
LARGE = 2.0**20


def inversion(counts: object, M: np.ndarray, prior: ArrayLike | None = None) -> np.ndarray:
    """[Huang & Du, Eq. 2, Theorem 1] P = M^-1 P*, the unbiased estimate.

    With more outputs than inputs: weighted least squares, see `ppdm.disguise.matrix.left_inverse`.

    Parameters
    ----------
    counts
        Counts of reports: numbers, a table, or the records of one question.
    M
        The matrix, M[y, x].
    prior
        With more reports than answers: what the answers are taken to be like.

    Returns
    -------
    numpy.ndarray
        The shares, perhaps below 0.

    Raises
    ------
    ValueError
        If M is no matrix of a scheme, or does not fit the counts.

    Examples
    --------
    >>> from ppdm import RRMatrix
    >>> inversion([400, 300, 200, 100], RRMatrix.warner(4, 5 / 8).M).round(6)
    array([ 0.55,  0.35,  0.15, -0.05])
    """
    shares = _shares(_numbers(counts), M)
    return left_inverse(M, prior) @ shares


def inversion_se(counts: object, M: np.ndarray, prior: ArrayLike | None = None) -> np.ndarray:
    """[Huang & Du, Theorem 6] Standard errors of :func:`inversion`, with P* estimated.

    >>> from ppdm import RRMatrix
    >>> inversion_se([430, 570], RRMatrix.warner(2, 0.7).M).round(4)
    array([0.0391, 0.0391])
    """
    counts = _numbers(counts)
    shares = _shares(counts, M)
    covariance = np.diag(shares) - np.outer(shares, shares)
    inverse = left_inverse(M, prior)
    variances = np.einsum("ij,jk,ik->i", inverse, covariance, inverse)
    return np.sqrt(np.maximum(variances, 0) / np.sum(counts))


def clipped(estimate: ArrayLike) -> np.ndarray:
    """Negative entries set to zero, the rest scaled to sum one.

    >>> clipped([.55, .35, .15, -.05]).round(5)
    array([0.52381, 0.33333, 0.14286, 0.     ])
    """
    positive = np.maximum(_finite(estimate), 0)
    if not positive.sum() > 0:
        raise ValueError(
            "no entry is positive, so nothing is left when the rest is clipped: "
            f"{np.asarray(estimate).tolist()}"
        )
    return positive / positive.sum()


def projected(estimate: ArrayLike) -> np.ndarray:
    """The nearest point of the simplex (Euclidean): subtract a constant, clip, so that it sums to one.

    >>> projected([.55, .35, .15, -.05]).round(5)
    array([0.53333, 0.33333, 0.13333, 0.     ])
    """
    estimate = _finite(estimate)
    if np.abs(estimate).max() > LARGE:
        estimate = estimate - estimate.max()
    falling = np.sort(estimate)[::-1]
    surplus = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    last = np.flatnonzero(falling > surplus)[-1]
    return np.maximum(estimate - surplus[last], 0)


def em(
    counts: object, M: np.ndarray, tolerance: float = 1e-12, steps: int = 1_000_000
) -> np.ndarray:
    """[Huang & Du, Eq. 3] The maximum likelihood estimate, by expectation and maximization.

    The paper's Eq. (3) sums over the index that it also leaves free. Derived anew: the expected
    share of true answers x among the reports y is P(x) M[y, x] / sum_x' P(x') M[y, x'], so

        P(x)  <-  P(x) g(x),    g(x) = sum_y P*(y) M[y, x] / sum_x' P(x') M[y, x']

    The likelihood is concave, so no distribution has a mean log-likelihood above the present one's by
    more than max g - 1: where this *gap* is at most `tolerance`, the search ends. If it does not get
    there, it says so. Inside the simplex the inversion is the answer, for a square matrix.

    Parameters
    ----------
    counts
        Counts of reports: numbers, a table, or the records of one question.
    M
        The matrix, M[y, x].
    tolerance, steps
        When the iteration ends: a change below the tolerance, or so many steps.

    Returns
    -------
    numpy.ndarray
        The likeliest shares, from 0 to 1.

    Raises
    ------
    ValueError
        If M is no matrix of a scheme, or does not fit the counts.

    Examples
    --------
    >>> from ppdm import RRMatrix
    >>> em([400, 300, 200, 100], RRMatrix.warner(4, 5 / 8).M).round(6)
    array([0.527778, 0.333333, 0.138889, 0.      ])
    """
    M = np.ascontiguousarray(M, dtype=float)
    shares = _shares(_numbers(counts), M)
    if steps > PLAIN and M.shape[0] == M.shape[1] and np.linalg.matrix_rank(M) == len(M):
        inverse = np.linalg.solve(M, shares)
        if inverse.min() >= -ROUNDING:
            return clipped(inverse)
    start = np.full(M.shape[1], 1 / M.shape[1])
    estimate, gap = _em(shares, M, start, tolerance, min(steps, PLAIN))
    if gap > tolerance and steps > PLAIN:
        estimate, gap = _leaping(shares, M, estimate, tolerance, steps - PLAIN)
    if gap > tolerance:
        warnings.warn(
            f"EM has not arrived after {steps:,} steps: a mean log-likelihood that is higher by up to "
            f"{gap:.2g} is possible; allow more steps",
            stacklevel=2,
        )
    return estimate


def pool(true: object, disguised: object, mechanism: Mechanism, weight: float = 1.0) -> Table:
    """[Zhan & Du 2] One party's true records and another's disguised ones, in one estimate.

    The undone counts are noisier than true ones, so they may be given less weight.

    >>> import pandas as pd
    >>> from ppdm import MultiGroup, count
    >>> mine, theirs = (count(pd.DataFrame({"A": answers})) for answers in ([1, 0], [1, 1]))
    >>> coin = MultiGroup(0.75)
    >>> pool(mine, theirs.reported_by(coin), coin).dense
    array([0., 4.])
    """
    answers = getattr(mechanism, "answers", None)  # a survey's scheme says what they may hold
    true = true if isinstance(true, Table) else count(true, answers)
    disguised = disguised if isinstance(disguised, Table) else count(disguised, mechanism)
    kinds.need("learn", true.kind)
    estimates = mechanism.undo(disguised).of_kind(kinds.ESTIMATE)
    return true.of_kind(kinds.ESTIMATE) + estimates * weight


def _finite(estimate: ArrayLike) -> np.ndarray:
    numbers = np.asarray(estimate, dtype=float)
    if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
        raise ValueError(f"an estimate is a list of finite numbers; got {numbers.tolist()}")
    return numbers


def _numbers(counts: object) -> np.ndarray:
    """Counts as an array: they may be given as a table, or as the records of one question."""
    if isinstance(counts, pd.DataFrame) or engines.elsewhere(counts):
        counts = count(counts)
    return counts.dense if isinstance(counts, Table) else np.asarray(counts, dtype=float)


def _shares(counts: np.ndarray, M: np.ndarray) -> np.ndarray:
    M = checked_matrix(M)  # a transposed one would give shares that sum to anything
    if counts.shape != (len(M),):
        raise ValueError(f"the matrix has {len(M)} outputs; {counts.size} counts given")
    if not np.isfinite(counts).all() or (counts < 0).any() or not counts.sum() > 0:
        raise ValueError(
            "counts of reports are finite and not negative, and at least one is positive"
        )
    impossible = (counts > 0) & ~M.any(axis=1)
    if impossible.any():
        y = int(impossible.argmax())
        raise ValueError(
            f"report {y} was counted {counts[y]:g} times, but by the matrix no answer is reported "
            "so: row and counts do not go together"
        )
    return counts / counts.sum()


@njit(cache=True)
def _em(
    shares: np.ndarray, M: np.ndarray, estimate: np.ndarray, tolerance: float, steps: int
) -> tuple[np.ndarray, float]:
    """Step by step, and the gap that is left."""
    for _ in range(steps):
        gain, _ = _gain(shares, M, estimate)
        if gain.max() - 1 <= tolerance:
            break
        estimate = estimate * gain
    gain, _ = _gain(shares, M, estimate)
    return estimate, gain.max() - 1


@njit(cache=True)
def _leaping(
    shares: np.ndarray, M: np.ndarray, estimate: np.ndarray, tolerance: float, steps: int
) -> tuple[np.ndarray, float]:
    """EM in threes [SQUAREM, Varadhan & Roland 2008]: two steps, then a leap along both, if it helps."""
    gap = np.inf
    for _ in range(steps // 3 + 1):
        gain, _ = _gain(shares, M, estimate)
        gap = gain.max() - 1
        if gap <= tolerance:
            break
        first = estimate * gain
        gain, _ = _gain(shares, M, first)
        second = first * gain
        step, bend = first - estimate, second - 2 * first + estimate
        length = np.sqrt((step**2).sum() / max((bend**2).sum(), 1e-300))
        # towards a share of nothing it goes by tenths: what is 0 stays 0
        leap = np.maximum(estimate + 2 * length * step + length**2 * bend, second / 10)
        leap /= leap.sum()
        gain, likelihood = _gain(shares, M, leap)
        _, plain = _gain(shares, M, second)
        estimate = leap * gain if likelihood >= plain else second
    return estimate, gap


@njit(cache=True)
def _gain(shares: np.ndarray, M: np.ndarray, estimate: np.ndarray) -> tuple[np.ndarray, float]:
    """g of :func:`em`, and the mean log-likelihood."""
    model = M @ estimate
    ratio, likelihood = np.zeros_like(shares), 0.0
    for y in range(len(shares)):
        if shares[y] > 0:
            ratio[y] = shares[y] / model[y]
            likelihood += shares[y] * np.log(model[y])
    return M.T @ ratio, likelihood
