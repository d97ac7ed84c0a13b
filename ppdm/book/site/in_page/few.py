"""A few of scipy's functions, behind the same door (`ppdm.scientific`), where there is no scipy.

The last bits of `ndtr` and `ndtri` may differ from scipy's; all that a page shows is rounded.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

__all__ = ["cdist", "ndtr", "ndtri", "rankdata"]


def ndtr(x: ArrayLike) -> np.ndarray:
    """The chance that a standard normal is at most x.

    >>> ndtr([0, 1.96]).round(3)
    array([0.5  , 0.975])
    """
    return np.vectorize(math.erfc, otypes=[float])(-np.asarray(x) / math.sqrt(2)) / 2


def ndtri(p: float) -> float:
    """The inverse of `ndtr`.

    >>> round(ndtri(0.975), 3)
    1.96
    """
    return NormalDist().inv_cdf(p)


def rankdata(values: ArrayLike, method: str = "average", *, axis: int = 0) -> np.ndarray:
    """The ranks in each column, or with axis 1 in each row.

    >>> rankdata([[3], [1], [3]]).ravel()
    array([2.5, 1. , 2.5])
    """
    known = {"ordinal": "first"}.get(method, method)
    return pd.DataFrame(values).rank(axis=axis, method=known).to_numpy()  # type: ignore[arg-type]


def cdist(A: np.ndarray, B: np.ndarray, metric: str = "euclidean") -> np.ndarray:
    """The distance of each row of A from each row of B.

    >>> cdist(np.array([[0, 0]]), np.array([[3, 4]]), "sqeuclidean")
    array([[25.]])
    """
    squares = sum((A[:, [i]] - B[:, i].astype(float)) ** 2 for i in range(A.shape[1]))
    return np.asarray(squares if metric == "sqeuclidean" else np.sqrt(squares))
