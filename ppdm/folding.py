"""Pair counts of a table, compiled: for every attribute, how many records have which level and class.

A dense table is folded: adding its halves sums one attribute out, so the counts of all attributes
with the class cost twice the cells, however many attributes there are. A sparse one is a list of
weighted patterns. `Table.pairs` and every node of an ID3 tree are counted here.

Kernels take whole arrays and positions in them: cutting out a piece costs more than using it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

#: From this length on it pays to cut out a piece and let the compiler use vector instructions.
LONG = 64


@njit(cache=True)
def dense_pairs(by_class: np.ndarray, classes: int, sizes: np.ndarray) -> np.ndarray:
    """Counts [attribute, level, class] of cells that are sorted by class first.

    >>> dense_pairs(np.array([1.0, 2.0, 3.0, 4.0]), 2, np.array([2]))[0]
    array([[1., 3.],
           [2., 4.]])
    """
    k = len(sizes)
    inner = np.empty(k, dtype=np.int64)
    cells = steps(sizes, k, inner)
    pairs = np.zeros((k, sizes.max(), classes))
    if cells > 0:  # an attribute without levels leaves nothing to add, and no room to do it in
        fold(by_class, 0, cells, classes, sizes, inner, k, np.empty(cells), pairs)
    return pairs


@njit(cache=True)
def sparse_pairs(
    cells: np.ndarray,
    values: np.ndarray,
    strides: np.ndarray,
    sizes: np.ndarray,
    stride: int,
    classes: int,
) -> np.ndarray:
    """The same from the codes of occupied cells; `stride` is the class's.

    >>> sparse_pairs(np.array([0, 3]), np.array([5.0, 6.0]), np.array([2]), np.array([2]), 1, 2)[0]
    array([[5., 0.],
           [0., 6.]])
    """
    pairs = np.zeros((len(sizes), sizes.max(), classes))
    for i in range(len(cells)):
        j = (cells[i] // stride) % classes
        for a in range(len(sizes)):
            pairs[a, (cells[i] // strides[a]) % sizes[a], j] += values[i]
    return pairs


@njit(cache=True)
def steps(sizes: np.ndarray, left: int, inner: np.ndarray) -> int:
    """Fill in how many cells a step along each of the first axes skips; return those of all.

    >>> inner = np.zeros(2, dtype=np.int64)
    >>> steps(np.array([2, 3]), 2, inner), inner
    (6, array([3, 1]))
    """
    cells = 1
    for a in range(left - 1, -1, -1):
        inner[a] = cells
        cells *= sizes[a]
    return cells


@njit(cache=True, fastmath={"reassoc", "nsz"})
def total(values: np.ndarray) -> float:
    """The sum, in vector instructions: what numpy's pairwise sum costs more to start.

    >>> total(np.array([1.0, 2.0, 4.0]))
    7.0
    """
    result = 0.0
    for i in range(len(values)):
        result += values[i]
    return result


@njit(cache=True)
def _add(target: np.ndarray, other: np.ndarray) -> None:
    for i in range(len(target)):
        target[i] += other[i]


@njit(cache=True, fastmath={"reassoc", "nsz"})
def _add_halves(target: np.ndarray, one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """target = one + other; returns the sums of the two. All in one reading, as reading is what costs."""
    sum_one, sum_other = 0.0, 0.0
    for i in range(len(target)):
        sum_one += one[i]
        sum_other += other[i]
        target[i] = one[i] + other[i]
    return sum_one, sum_other


@njit(cache=True)
def fold(
    arena: np.ndarray,
    start: int,
    cells: int,
    classes: int,
    sizes: np.ndarray,
    inner: np.ndarray,
    left: int,
    work: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """Counts of (attribute, level, class) of the node stored at arena[start:], by folding.

    >>> sizes, inner, pairs = np.array([2, 2]), np.array([2, 1]), np.zeros((2, 2, 1))
    >>> fold(np.array([1.0, 2.0, 3.0, 4.0]), 0, 4, 1, sizes, inner, 2, np.empty(4), pairs)
    >>> pairs[..., 0]   # of the first attribute 1 + 2 and 3 + 4, of the second 1 + 3 and 2 + 4
    array([[3., 7.],
           [4., 6.]])
    """
    for j in range(classes):
        done, at = 0, 0
        if cells >= LONG:
            first = start + j * cells
            done, at = _fold_long(arena[first : first + cells], j, sizes, inner, left, work, pairs)
        else:
            for i in range(cells):
                work[i] = arena[start + j * cells + i]
        for a in range(done, left):
            part = inner[a]
            one = other = 0.0
            if sizes[a] == 1:
                for i in range(at, at + part):
                    one += work[i]
                pairs[a, 0, j] = one
                continue
            for i in range(at, at + part):
                one += work[i]
                other += work[i + part]
                work[i] += work[i + part]
            pairs[a, 0, j], pairs[a, 1, j] = one, other
            for v in range(2, sizes[a]):
                more = 0.0
                for i in range(at, at + part):
                    more += work[i + v * part]
                    work[i] += work[i + v * part]
                pairs[a, v, j] = more


@njit(cache=True)
def _fold_long(
    cells: np.ndarray,
    j: int,
    sizes: np.ndarray,
    inner: np.ndarray,
    left: int,
    work: np.ndarray,
    pairs: np.ndarray,
) -> tuple[int, int]:
    """Fold in long pieces. Returns the first attribute not done, and where in `work` the rest lies.

    Each result lies behind the one before it: in place, the compiler could not use vectors.
    """
    at = end = 0
    for a in range(left):
        if len(cells) < LONG:
            return a, at
        if sizes[a] == 1:
            pairs[a, 0, j] = total(cells)
            continue
        part, at = inner[a], end
        end = at + part
        folded = work[at:end]
        pairs[a, 0, j], pairs[a, 1, j] = _add_halves(folded, cells[:part], cells[part : 2 * part])
        for v in range(2, sizes[a]):
            more = cells[v * part : (v + 1) * part]
            pairs[a, v, j] = total(more)
            _add(folded, more)
        cells = folded
    return left, at
