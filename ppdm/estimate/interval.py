"""Intervals, and a test of reports that no true share can cause.

An interval misses with the chance `alpha` (0.05 for intervals of 95 %). Where a share hangs on one reported
share, that has an exact interval [Clopper & Pearson 1934], whatever the number of reports; a ratio of two
estimates has Fieller's, which is of use where the denominator is surely not zero.
"""

from __future__ import annotations

import math

import numpy as np

from ppdm.scientific import betainc, betaincinv, ndtri, stdtrit


def checked_alpha(alpha: float) -> float:
    """The chance that an interval misses: the one place where it is read.

    >>> checked_alpha(95)
    Traceback (most recent call last):
    ValueError: alpha is the chance that an interval misses, above 0 and at most 0.5
        (0.05 for intervals of 95 %); got 95
    """
    number = isinstance(alpha, (int, float, np.floating)) and not isinstance(alpha, bool)
    if not number or not 0 < alpha <= 0.5:
        raise ValueError(
            "alpha is the chance that an interval misses, above 0 and at most 0.5 (0.05 for "
            f"intervals of 95 %); got {alpha!r}"
        )
    return float(alpha)


def quantile(alpha: float, freedom: float = math.inf) -> float:
    """How many standard errors an interval goes to either side; of few clusters, Student's.

    >>> round(quantile(0.05), 3), round(quantile(0.05, 14), 3)
    (1.96, 2.145)
    """
    upper = 1 - checked_alpha(alpha) / 2
    return float(ndtri(upper) if math.isinf(freedom) else stdtrit(freedom, upper))


def of_share(successes: float, size: float, alpha: float) -> tuple[float, float]:
    """[Clopper & Pearson 1934] The exact interval of a share; an effective number need not be whole.

    >>> [round(end, 4) for end in of_share(0, 10, 0.05)]
    [0.0, 0.3085]
    """
    rest = size - successes
    low = betaincinv(successes, rest + 1, alpha / 2) if successes > 0 else 0.0
    high = betaincinv(successes + 1, rest, 1 - alpha / 2) if rest > 0 else 1.0
    return float(low), float(high)


def of_ratio(means: np.ndarray, covariance: np.ndarray, z: float) -> tuple[float, float]:
    """[Fieller 1954] The ratios t = N / D with (N - t D)² at most z² its variance; nan if D is hardly known.

    >>> [round(end, 3) for end in of_ratio(np.array([1.0, 2.0]), np.diag([0.01, 0.01]), 1.96)]
    [0.395, 0.615]
    """
    (n, d), square = means, z**2 * covariance
    if not surely(d, covariance[1, 1], z):
        return math.nan, math.nan
    return between(d**2 - square[1, 1], square[0, 1] - n * d, n**2 - square[0, 0])


def surely(size: float, variance: float, z: float) -> bool:
    """Whether the estimated size of a group is known to a half of itself: else what is said of the group covers
    less often than it should, and is of no use.

    >>> surely(0.1, 0.01**2, 1.96), surely(0.1, 0.03**2, 1.96)
    (True, False)
    """
    return bool(size > 2 * z * math.sqrt(variance))


def between(a: float, b: float, c: float) -> tuple[float, float]:
    """Where a t² + 2 b t + c is not positive; nan if that goes on for ever.

    >>> between(1.0, -1.0, 0.0)
    (0.0, 2.0)
    """
    if not a > 0:
        return math.nan, math.nan
    half = math.sqrt(max(b**2 - a * c, 0))
    return float((-b - half) / a), float((half - b) / a)


def fit(reports: np.ndarray, M: np.ndarray) -> float:
    """How probable such reports are at most, whatever is true: an exact test.

    Report y comes with a probability between the least and the largest of the row M[y]. Each end is
    tested by the binomial distribution, and the smallest of the probabilities counts as often as ends
    were tested.

    >>> M = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> fit(np.array([60, 1_080]), M) < 1e-9, fit(np.array([9, 27]), M)
    (True, 1.0)
    """
    size = reports.sum()
    chances = []
    for k, least, most in zip(reports, M.min(axis=1), M.max(axis=1), strict=True):
        if most < 1:
            chances.append(betainc(k, size - k + 1, most) if k > 0 else 1.0)
        if least > 0:
            chances.append(1 - betainc(k + 1, size - k, least) if k < size else 1.0)
    return min(1.0, len(chances) * float(min(chances))) if chances else 1.0
