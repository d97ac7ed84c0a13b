"""A few functions of scipy and of scikit-learn's checks, behind the same doors, where there are no such libraries.

The last bits of `ndtr` and `ndtri` may differ from scipy's; all that a page shows is rounded.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

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


# -- of scikit-learn: what J48 and the nearest neighbour have checked before they learn -----------------


def validate_data(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    reset: bool = True,
    skip_check_array: bool = False,
    ensure_all_finite: bool | str = True,
    **_: Any,
) -> Any:
    """A table of numbers with as many columns as the model has learned from.

    >>> validate_data(type("Model", (), {})(), [[1, 2]])
    array([[1., 2.]])
    """
    if skip_check_array:
        return X
    rows = np.array(X, dtype=float)
    if rows.ndim != 2 or (ensure_all_finite is True and not np.isfinite(rows).all()):
        raise ValueError("X must be a table of finite numbers, a row a record")
    if reset:
        model.n_features_in_ = rows.shape[1]
    elif rows.shape[1] != model.n_features_in_:
        raise ValueError(
            f"X has {rows.shape[1]} columns, but {model.n_features_in_} were learned from"
        )
    return rows if y is None else (rows, np.asarray(y))


def column_or_1d(y: ArrayLike, **_: Any) -> np.ndarray:
    """One class a row.

    >>> column_or_1d([[1], [2]])
    array([1, 2])
    """
    return np.asarray(y).reshape(len(np.asarray(y)), -1)[:, 0]


def _taken_on_trust(*_: Any, **__: Any) -> None:
    """What a reader changes in the page may be wrong in ways that only a whole install names in a sentence."""


check_consistent_length = assert_all_finite = check_classification_targets = _taken_on_trust
