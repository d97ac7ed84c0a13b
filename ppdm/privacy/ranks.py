"""How far the values and their ranks move: the five privacy metrics of Xu et al. and Wang et al.

VD, RP and CP grow with the distortion; RK and CK fall. They compare the original table with the
released one entry by entry, so both must hold the same records in the same order.
"""

import numpy as np
from numpy.typing import ArrayLike

from ppdm.scientific import rankdata

METRICS = ("VD", "RP", "RK", "CP", "CK")
TIES = ("ordinal", "average", "min", "max", "dense")


def rank_metrics(
    original: ArrayLike, released: ArrayLike, ties: str = "ordinal"
) -> dict[str, float]:
    """[Guo, Table 1] VD, RP, RK, CP and CK of a released table.

    `ties` says which rank equal values get, in the words of `scipy.stats.rankdata`. The papers
    sort each attribute and number the records, which is "ordinal": ties keep their order.

    >>> A = [[1.0, 20.0], [2.0, 30.0], [3.0, 10.0]]
    >>> B = [[2.0, 20.0], [1.0, 30.0], [3.0, 10.0]]
    >>> {name: round(value, 3) for name, value in rank_metrics(A, B).items()}
    {'VD': 0.038, 'RP': 0.333, 'RK': 0.667, 'CP': 0.0, 'CK': 1.0}
    """
    A, B = two_tables(original, released)
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}, not {ties!r}.")
    moves = np.abs(rankdata(A, ties, axis=0) - rankdata(B, ties, axis=0))
    mean_moves = np.abs(rankdata(A.mean(axis=0), ties) - rankdata(B.mean(axis=0), ties))
    return {
        "VD": value_difference(A, B),
        "RP": float(moves.mean()),
        "RK": float((moves == 0).mean()),
        "CP": float(mean_moves.mean()),
        "CK": float((mean_moves == 0).mean()),
    }


def value_difference(original: ArrayLike, released: ArrayLike) -> float:
    """[Guo, Section 3] VD: the relative error in the Frobenius norm.

    >>> value_difference([[3.0, 4.0]], [[3.0, 4.5]])
    0.1
    """
    A, B = two_tables(original, released)
    size = np.linalg.norm(A)
    if size == 0:
        raise ValueError("VD is a relative error, but the original table is all zero.")
    return float(np.linalg.norm(A - B) / size)


def two_tables(original: ArrayLike, released: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The two as arrays of numbers; refuses what does not go together or is not complete.

    >>> original, released = two_tables([[1, 2]], [[1, 3]])
    >>> original - released
    array([[ 0., -1.]])
    """
    A, B = np.asarray(original, dtype=float), np.asarray(released, dtype=float)
    if A.shape != B.shape or A.ndim != 2 or A.size == 0:
        raise ValueError(
            f"The original and the released data must be tables of the same shape, "
            f"but they are {A.shape} and {B.shape}."
        )
    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        raise ValueError("Complete tables are needed, but values are missing or infinite.")
    return A, B
