"""Distortion by singular value decomposition: keep the large components, drop small entries."""

import numpy as np
from numpy.typing import ArrayLike

from ppdm.distort._checks import numeric_matrix, on_varying_columns, whole_number

THRESHOLDS = ("together", "separate", "with_sigma")


def bsvd(X: ArrayLike, k: int, rng: np.random.Generator | None = None) -> np.ndarray:
    """[Guo, Section 3; Xu et al. 2006] The best approximation of `X` by k singular components.

    Nothing is random here; `rng` is accepted so that the four methods can take each other's place.

    >>> bsvd([[1.0, 2.0], [2.0, 4.0], [3.0, 6.1]], k=1).round(2)
    array([[0.99, 2.  ],
           [1.98, 4.01],
           [3.01, 6.09]])
    """
    return ssvd(X, k, e=0.0)


def ssvd(
    X: ArrayLike,
    k: int,
    e: float,
    rng: np.random.Generator | None = None,
    threshold: str = "together",
) -> np.ndarray:
    """[Guo, Section 3; Wang et al. 2008] `bsvd`, with the share `e` of smallest entries set to 0.

    The matrix is U S V' with k components. The paper does not say over which matrices its share e
    is counted: `threshold` is "together" (all entries of U and V), "separate" (a share e of U and
    a share e of V), or "with_sigma" (all entries of U, of V and of the k by k matrix S).

    >>> X = [[9.0, 0.1], [8.0, 0.0], [0.3, 5.0], [0.0, 4.0]]
    >>> ssvd(X, k=2, e=0.5).round(1)
    array([[9., 0.],
           [8., 0.],
           [0., 5.],
           [0., 4.]])
    """
    A = numeric_matrix(X)
    k = whole_number(k, "k", min(A.shape), "the smaller of the numbers of records and attributes")
    if not 0 <= e < 1:
        raise ValueError(f"e is a share of matrix entries: it must be in [0, 1), but it is {e}.")
    if threshold not in THRESHOLDS:
        raise ValueError(f"threshold must be one of {', '.join(THRESHOLDS)}, not {threshold!r}.")

    def approximate(B: np.ndarray) -> np.ndarray:
        U, s, Vt = np.linalg.svd(B, full_matrices=False)
        U, s, Vt = U[:, :k], s[:k], Vt[:k]
        if e > 0:
            U, s, Vt = _sparsify(U, s, Vt, e, threshold)
        return (U * s) @ Vt

    return on_varying_columns(A, approximate)


def _sparsify(
    U: np.ndarray, s: np.ndarray, Vt: np.ndarray, e: float, threshold: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if threshold == "separate":
        return _drop(U, _smallest(U, e=e)), s, _drop(Vt, _smallest(Vt, e=e))
    if threshold == "with_sigma":
        d = _smallest(U, Vt, np.diag(s), e=e)
        return _drop(U, d), _drop(s, d), _drop(Vt, d)
    d = _smallest(U, Vt, e=e)
    return _drop(U, d), s, _drop(Vt, d)


def _smallest(*matrices: np.ndarray, e: float) -> float:
    """The threshold d below which lies the share `e` of all entries, in absolute value."""
    sizes = np.sort(np.abs(np.concatenate([M.ravel() for M in matrices])))
    return sizes[int(e * len(sizes))]


def _drop(M: np.ndarray, d: float) -> np.ndarray:
    return np.where(np.abs(M) < d, 0.0, M)
