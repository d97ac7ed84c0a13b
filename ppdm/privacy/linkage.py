"""Can a released record be traced to the person it was made from?

The attacker holds the original records (or some of their attributes) with names, and the released
table, shuffled. For each released record he names one original. The functions return the share he
names rightly; a blind guess is right once in n. Row i of the released table was made from row i of
the original one: the attacker does not know this, it only serves to count his successes. Where he
cannot tell several originals apart he picks one at random, and the expected share is returned.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm.distort.aibr import intervals
from ppdm.privacy.ranks import two_tables
from ppdm.scientific import cdist, linear_sum_assignment

TIE = 1 + 1e-9  # distances closer than this factor are the same distance


def nearest_share(
    original: ArrayLike, released: ArrayLike, known: Sequence[int] | None = None
) -> float:
    """The share traced by naming the nearest original, attributes in units of their deviations.

    `known` are the numbers of the attributes that the attacker knows, by default all.

    >>> A = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> B = [[0.1, 0.1], [0.9, 0.2], [0.2, 0.8], [0.2, 0.3]]
    >>> nearest_share(A, B), nearest_share(A, B, known=[0])
    (0.75, 0.375)
    """
    A, B = _comparable(original, released, known)
    hits = 0.0
    for start in range(0, len(A), 1000):  # distance tables of at most 1,000 rows
        part = cdist(B[start : start + 1000], A)
        nearest = part <= part.min(axis=1, keepdims=True) * TIE
        own = nearest[np.arange(len(part)), start + np.arange(len(part))]
        hits += (own / nearest.sum(axis=1)).sum()
    return float(hits / len(A))


def assignment_share(
    original: ArrayLike,
    released: ArrayLike,
    known: Sequence[int] | None = None,
    squared: bool = True,
) -> float:
    """The share traced by the one-to-one matching with the least total squared distance.

    Every original was released once. An attacker who uses this can take back a link that would
    give an original away twice. Distances are as in `nearest_share`; not `squared`, their total is
    the least, as in R's sdcMicro.

    >>> A = [[0.0], [1.0], [2.0]]
    >>> B = [[0.9], [1.1], [2.2]]
    >>> round(nearest_share(A, B), 3), assignment_share(A, B)
    (0.667, 1.0)
    """
    A, B = _comparable(original, released, known)
    released_row, original_row = linear_sum_assignment(
        cdist(B, A, "sqeuclidean" if squared else "euclidean")
    )
    return float((released_row == original_row).mean())


def interval_share(
    original: ArrayLike, released: ArrayLike, k: int, known: Sequence[int] | None = None
) -> float:
    """The share traced in an AIBR release by an attacker who knows its k intervals.

    A released value lies in the interval of the original value. So the candidates are the
    originals with the same interval in every attribute, and within these all are equally likely:
    nobody who uses the released table alone can do better on average.

    >>> A = [[0.0], [1.0], [9.0], [10.0], [5.5]]
    >>> B = [[4.0], [2.0], [8.0], [8.5], [6.0]]
    >>> round(interval_share(A, B, k=2), 3), interval_share(A, B, k=1)
    (0.4, 0.2)
    """
    A, B = two_tables(original, released)
    low, high = A.min(axis=0), A.max(axis=0)
    cells = np.stack([intervals(A, k), intervals(B, k, low, high)])
    if known is not None:
        cells = cells[:, :, list(known)]
    _, code = np.unique(cells.reshape(-1, cells.shape[2]), axis=0, return_inverse=True)
    original_cell, released_cell = code.ravel()[: len(A)], code.ravel()[len(A) :]
    candidates = np.bincount(original_cell, minlength=code.max() + 1)
    own = original_cell == released_cell
    return float((own / np.maximum(candidates[released_cell], 1)).mean())


def _comparable(
    original: ArrayLike, released: ArrayLike, known: Sequence[int] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Both tables, the known attributes only, each in units of its original standard deviation."""
    A, B = two_tables(original, released)
    if known is not None:
        A, B = A[:, list(known)], B[:, list(known)]
    scale = A.std(axis=0)
    scale[scale == 0] = 1
    return A / scale, B / scale
