"""What every distortion asks of its input, said once."""

from collections.abc import Callable
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike


def numeric_matrix(X: ArrayLike) -> np.ndarray:
    """`X` as a matrix of floats, records in rows; refuse what no method here can handle.

    >>> numeric_matrix([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    try:
        if np.ma.isMaskedArray(X):  # what is masked is missing
            X = np.ma.asarray(X, dtype=float).filled(np.nan)
        A = np.array(X, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            "The data must be a table of numbers: code text attributes before distorting them."
        ) from None
    if A.ndim != 2 or A.size == 0:
        raise ValueError(
            f"The data must be a table of records by attributes with at least one of each, "
            f"but its shape is {A.shape}."
        )
    if not np.isfinite(A).all():
        bad = int((~np.isfinite(A)).sum())
        raise ValueError(
            f"The data hold {bad} missing or infinite value{'s' * (bad > 1)}: "
            f"a distortion needs complete records, so drop or fill them first."
        )
    return A


def whole_number(k: float, name: str, highest: int, what: str) -> int:
    """`k` as an int between 1 and `highest`, which is `what`.

    >>> whole_number(3, "k", 5, "the number of records")
    3
    """
    number = isinstance(k, (Integral, float, np.floating)) and not isinstance(k, bool)
    if not number or not 1 <= k <= highest or k != int(k):
        raise ValueError(
            f"{name} must be a whole number from 1 to {highest} ({what}), but it is {k}."
        )
    return int(k)


def on_varying_columns(A: np.ndarray, distort: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Distort the columns of `A` that vary; a constant column has nothing to hide and stays.

    >>> on_varying_columns(np.array([[7.0, 1.0], [7.0, 2.0]]), lambda B: -B)
    array([[ 7., -1.],
           [ 7., -2.]])
    """
    varying = (A != A[0]).any(axis=0)
    out = A.copy()
    if varying.any():
        out[:, varying] = distort(np.ascontiguousarray(A[:, varying]))
    return out
