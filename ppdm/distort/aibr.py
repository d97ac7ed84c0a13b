"""Algorithm-Irrelevant protection Based on Randomization: redraw each value in its own interval."""

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.distort._checks import numeric_matrix, on_varying_columns, whole_number


def interval_edges(x: np.ndarray, k: int) -> np.ndarray:
    """[Guo, step 7] The k + 1 edges that cut the range of the attribute `x` into equal parts.

    >>> interval_edges(np.array([1, 3, 10, 2]), 3)
    array([ 1.,  4.,  7., 10.])
    """
    return np.linspace(np.min(x), np.max(x), k + 1)


def intervals(
    X: ArrayLike, k: int, low: ArrayLike | None = None, high: ArrayLike | None = None
) -> np.ndarray:
    """[Guo, step 9] The number, 0 to k - 1, of the interval that each value of `X` falls into.

    An interval holds its lower edge; the last one holds both. `low` and `high` are the ends of
    each attribute's range, by default those of `X` itself.

    >>> intervals([[1, 0], [4, 5], [10, 6]], 3)
    array([[0, 0],
           [1, 2],
           [2, 2]])
    """
    if isinstance(k, bool) or not k >= 1 or k != int(k):
        raise ValueError(f"k must be a whole number of intervals, from 1, but it is {k}.")
    A = numeric_matrix(X)
    low = A.min(axis=0) if low is None else np.asarray(low, dtype=float)
    high = A.max(axis=0) if high is None else np.asarray(high, dtype=float)
    width = high - low
    share = (A - low) / np.where(width > 0, width, 1)
    cell = np.floor(share * k + 1e-9)  # an edge that is one rounding error too low still counts
    return np.clip(cell, 0, k - 1).astype(np.int64)


def aibr(X: ArrayLike, k: int, rng: np.random.Generator) -> np.ndarray:
    """[Guo, Section 2] Redraw every value of `X` uniformly in its own one of k intervals.

    The paper first draws, for each attribute, as many uniform values in each interval as the data
    have there, and then hands them out at random to the records whose values lie there. Values
    that are independent and uniform stay so when they are handed out at random: each record
    simply gets a fresh uniform value of its interval.

    >>> aibr([[1.0], [2.0], [8.0], [9.0]], k=2, rng=np.random.default_rng(1)).round(1).ravel()
    array([3. , 4.8, 5.6, 8.8])
    """
    rng = generator(rng)
    A = numeric_matrix(X)
    k = whole_number(k, "k", len(A), "the number of records")

    def redraw(B: np.ndarray) -> np.ndarray:
        low, width = B.min(axis=0), np.ptp(B, axis=0) / k
        return low + (intervals(B, k) + rng.random(B.shape)) * width

    return on_varying_columns(A, redraw)
