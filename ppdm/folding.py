"""Pair counts of a table, compiled: for every attribute, how many records have which level and class.

A dense table is folded: adding its halves sums one attribute out, so the counts of all attributes
with the class cost twice the cells, however many attributes there are. A sparse one is a list of
weighted patterns. `Table.pairs` and every node of an ID3 tree are counted here.

Kernels take whole arrays and positions in them: cutting out a piece costs more than using it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ppdm.compiled import njit
from ppdm.files import replace_file

#: From this length on it pays to cut out a piece and let the compiler use vector instructions.
LONG = 64


def keep_in_step(kernel: Callable) -> Callable:
    """Forget what was kept of another file's kernel when this file was another.

    What a kernel calls from here is compiled into it, but numba compares it with its own file only.
    Which file of ours it was made with stands in a note beside it.

    >>> keep_in_step(total) is total
    True
    """
    if not hasattr(kernel, "stats"):  # NUMBA_DISABLE_JIT
        return kernel
    kept = Path(kernel.stats.cache_path)
    file = Path(__file__).stat()
    now, note = f"{file.st_mtime_ns} {file.st_size}", kept / f"{kernel.__qualname__}.made_of"
    with contextlib.suppress(OSError):  # a cache that may not be written holds nothing of ours
        if not note.is_file() or note.read_text() != now:
            for index in kept.glob(f"*.{kernel.__qualname__}-*.nbi"):
                index.unlink(missing_ok=True)
            replace_file(note, now.encode(), durable=False)
    return kernel


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


@njit(cache=True)
def total(values: np.ndarray) -> float:
    """The sum, in eight lanes: one addition after the other would wait for the one before.

    The order is written down, not left to the compiler (`fastmath`): it would choose another one for
    another machine, and even for code that it finds compiled, and the last bits would be others.

    >>> total(np.array([1.0, 2.0, 4.0]))
    7.0
    """
    a = b = c = d = e = f = g = h = 0.0
    lanes = len(values) - len(values) % 8
    for i in range(0, lanes, 8):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
        e += values[i + 4]
        f += values[i + 5]
        g += values[i + 6]
        h += values[i + 7]
    for i in range(lanes, len(values)):
        a += values[i]
    return ((a + e) + (c + g)) + ((b + f) + (d + h))


@njit(cache=True)
def _add(target: np.ndarray, other: np.ndarray) -> None:
    for i in range(len(target)):
        target[i] += other[i]


@njit(cache=True)
def _add_both(target: np.ndarray, one: np.ndarray, other: np.ndarray) -> None:
    for i in range(len(target)):
        target[i] = one[i] + other[i]


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
        pairs[a, 0, j] = total(
            cells[: inner[a]]
        )  # not what the others leave: of nobody that is not 0
        if sizes[a] == 1:
            continue
        part, at = inner[a], end
        end = at + part
        folded = work[at:end]
        for v in range(1, sizes[a]):
            more = cells[v * part : (v + 1) * part]
            pairs[a, v, j] = total(more)
            if v == 1:
                _add_both(folded, cells[:part], more)
            else:
                _add(folded, more)
        cells = folded
    return left, at
