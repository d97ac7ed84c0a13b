"""Counts of pairs, and the tree that is grown from them: kernels of one file.

*Pairs* are the counts [attribute, level, class] of a table or of a node. A dense table is folded:
adding its halves sums one attribute out, so the counts of all attributes with the class cost twice
the cells, however many attributes there are. A sparse one is a list of weighted patterns, and each
is added where it belongs. `Table.pairs` is counted so, and every node of an ID3 tree.

numba asks a kernel's own file whether what it kept of it is old. So kernels that call each other
stand together. They take whole arrays and positions in them: cutting a piece out costs more than
using it. What is called for every node is put in the place of its call (`forceinline`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ppdm.compiled import njit

#: From this length on it pays to cut out a piece and let the compiler use vector instructions.
LONG = 64
#: Gains that differ by less are tied, and the first attribute wins; smaller counts (relative to
#: the number of records) are zero. Undoing leaves rounding errors of 1e-12 or so.
TIE = 1e-9
#: The attribute of a node that splits on none.
LEAF = -1
#: A tree begins with room for so many nodes, and gets four times as much when that is full.
FIRST_NODES = 256
#: With fewer attributes left, siblings are folded one by one: that is as cheap.
WORTH_SHARING = 4
# What the stack says of a node that waits, and where its records lie.
_NODE, _DEPTH, _START, _STOP, _SHARE = range(5)
# How a node comes by its pairs: its siblings have no part in it; it takes its own off what is left
# for the siblings after it; or it is the last of them, and takes the rest.
_ALONE, _GIVES, _TAKES = range(3)


# -- pairs of a table ------------------------------------------------------------------------


@njit
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
        fold(by_class.reshape(1, -1), 0, 0, cells, classes, sizes, inner, k, np.empty(cells), pairs)
    return pairs


@njit
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


@njit
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


@njit
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


@njit(forceinline=True)
def fold(
    arena: np.ndarray,
    side: int,
    start: int,
    cells: int,
    classes: int,
    sizes: np.ndarray,
    inner: np.ndarray,
    left: int,
    work: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """The pairs of the node stored at arena[side, start:], its classes one behind the other.

    Each attribute is added up to its first level, in `work`, before the next one is counted: by
    vectors as long as the pieces are long, and in place after that.

    >>> sizes, inner, pairs = np.array([2, 2]), np.array([2, 1]), np.zeros((2, 2, 1))
    >>> fold(np.array([[1.0, 2.0, 3.0, 4.0]]), 0, 0, 4, 1, sizes, inner, 2, np.empty(4), pairs)
    >>> pairs[..., 0]   # of the first attribute 1 + 2 and 3 + 4, of the second 1 + 3 and 2 + 4
    array([[3., 7.],
           [4., 6.]])
    """
    for j in range(classes):
        first = start + j * cells
        a, place = 0, 0
        if cells >= LONG:
            a, place = _fold_long(
                arena[side, first : first + cells], j, sizes, inner, left, work, pairs
            )
        else:
            for i in range(cells):
                work[i] = arena[side, first + i]
        _fold_short(a, place, j, sizes, inner, left, work, pairs)


@njit
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

    Each result lies behind the one before it: in place, the compiler could not use vectors. The
    first level is added up by itself, too, not taken for what the others leave of all: if nobody
    has it, rounding would make that something else than 0.
    """
    place = end = 0
    for a in range(left):
        if len(cells) < LONG:
            return a, place
        pairs[a, 0, j] = total(cells[: inner[a]])
        if sizes[a] == 1:
            continue
        part, place = inner[a], end
        end = place + part
        piece_sum = work[place:end]
        for v in range(1, sizes[a]):
            piece = cells[v * part : (v + 1) * part]
            pairs[a, v, j] = total(piece)
            if v == 1:
                _add_both(piece_sum, cells[:part], piece)
            else:
                _add(piece_sum, piece)
        cells = piece_sum
    return left, place


@njit
def _fold_short(
    first: int,
    place: int,
    j: int,
    sizes: np.ndarray,
    inner: np.ndarray,
    left: int,
    work: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """Fold what lies at work[place:] in place, from the first attribute not done; the first two
    levels side by side, so that neither sum waits for the other."""
    for a in range(first, left):
        part = inner[a]
        low = high = 0.0
        if sizes[a] == 1:
            for i in range(place, place + part):
                low += work[i]
            pairs[a, 0, j] = low
            continue
        for i in range(place, place + part):
            low += work[i]
            high += work[i + part]
            work[i] += work[i + part]
        pairs[a, 0, j], pairs[a, 1, j] = low, high
        for v in range(2, sizes[a]):
            higher = 0.0
            for i in range(place, place + part):
                higher += work[i + v * part]
                work[i] += work[i + v * part]
            pairs[a, v, j] = higher


@njit
def _add(target: np.ndarray, piece: np.ndarray) -> None:
    for i in range(len(target)):
        target[i] += piece[i]


@njit
def _add_both(target: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    for i in range(len(target)):
        target[i] = low[i] + high[i]


# -- growing a tree --------------------------------------------------------------------------


class Nodes(NamedTuple):
    """A tree as parallel arrays, one entry a node; node 0 is the root, siblings stand side by side.

    >>> Nodes(*[np.zeros(1)] * 4).label
    array([0.])
    """

    attribute: np.ndarray  # that the node splits on, or LEAF
    first_child: np.ndarray
    counts: np.ndarray  # [node, class], not clipped
    label: np.ndarray  # the majority class; the parent's where there are no records


@njit
def grow_nodes(
    values: np.ndarray,
    digits: np.ndarray,
    truth: np.ndarray,
    all_sizes: np.ndarray,
    classes: int,
    literal: bool,
) -> Nodes:
    """[Zhan & Du 4.5] Grow a tree, depth first: count a node's pairs, choose its split, hand each
    branch its records.

    `values` are those of a dense table, sorted by class, and are written over. Or they are the
    weights of patterns, with their [pattern, attribute] in `digits` and their classes in `truth`.

    A node's records are a stretch of one of two arenas, its children's lie in the other, within the
    same bounds: what waits on the stack lies outside of them, so nothing is overwritten. A dense
    arena holds cells, a sparse one the numbers of patterns.

    >>> cells, none = np.array([2.0, 0.0, 0.0, 3.0]), np.empty((0, 0), dtype=np.int64)
    >>> nodes = grow_nodes(cells, none, none.ravel(), np.array([2]), 2, False)
    >>> nodes.attribute, nodes.label            # the attribute says what the class is
    (array([ 0, -1, -1]), array([1, 0, 1]))
    """
    dense, k, zero = len(digits) == 0, len(all_sizes), TIE * max(total(values), 1.0)
    attribute, first_child, counts, label = _root(values, digits, truth, classes, zero)
    n_nodes, top = 1, 0
    stack = np.zeros((1 + all_sizes.sum(), 5), dtype=np.int64)
    if _has_records(counts, 0, literal, zero) and not _is_pure(counts, 0, zero):
        stack[0, _STOP], top = len(values), 1
    cells, order = _arenas(values, digits)
    work = np.empty(max(1, len(values) // classes))
    # Nodes of one depth that wait at one time are siblings: what they share stands in its row.
    left_at, rest = _shelves(k, all_sizes.max(), classes)
    names, sizes, inner = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    pairs = np.zeros((k, all_sizes.max(), classes))
    while top > 0:
        top -= 1
        node, depth, share = stack[top, _NODE], stack[top, _DEPTH], stack[top, _SHARE]
        start, stop, side, left = stack[top, _START], stack[top, _STOP], depth % 2, k - depth
        size = _look_up(left_at, depth, all_sizes, left, names, sizes, inner)
        if not dense:
            _tally(order, side, start, stop, digits, truth, values, names, left, pairs)
        elif share != _TAKES:
            fold(cells, side, start, size, classes, sizes, inner, left, work, pairs)
        if share != _ALONE:
            _settle(pairs, rest, depth, sizes, left, share)
        a = _best_split(pairs, sizes, left, counts, node, literal)
        fan = sizes[a]
        if n_nodes + fan > len(attribute):
            attribute, first_child, counts, label = _with_room(
                attribute, first_child, counts, label, n_nodes, fan
            )
        attribute[node], first_child[node] = names[a], n_nodes
        bottom, end = top, start
        for v in range(fan):
            child, begin = n_nodes + v, end
            if not _born(counts, label, child, node, pairs, a, v, literal, zero) or left == 1:
                continue
            if dense:
                end = _slice(cells, side, start, size * classes, sizes, inner, a, v, begin)
            else:
                end = _gather(order, side, start, stop, digits, names[a], v, begin)
            stack[top, _NODE], stack[top, _DEPTH], stack[top, _SHARE] = child, depth + 1, _ALONE
            stack[top, _START], stack[top, _STOP] = begin, end
            top += 1
        _pass_down(left_at, depth + 1, names, a, left)
        if dense and top - bottom == fan and left > WORTH_SHARING:
            _set_aside(pairs, a, left, sizes, rest, depth + 1)
            for i in range(bottom, top):
                stack[i, _SHARE] = _TAKES if i == bottom else _GIVES  # the first comes last
        n_nodes += fan
    return Nodes(attribute[:n_nodes], first_child[:n_nodes], counts[:n_nodes], label[:n_nodes])


# -- the attributes and the pairs of a node --------------------------------------------------


@njit
def _shelves(k: int, most: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """For each depth, the attributes left there, and the pairs left for siblings that wait."""
    left_at = np.zeros((k + 1, k), dtype=np.int64)
    left_at[0] = np.arange(k)
    return left_at, np.empty((k + 1, k, most, classes))


@njit(forceinline=True)
def _look_up(
    left_at: np.ndarray,
    depth: int,
    all_sizes: np.ndarray,
    left: int,
    names: np.ndarray,
    sizes: np.ndarray,
    inner: np.ndarray,
) -> int:
    """Fill in names and sizes of the attributes left; returns how many cells a class has."""
    for b in range(left):
        names[b] = left_at[depth, b]
        sizes[b] = all_sizes[names[b]]
    return steps(sizes, left, inner)


@njit(forceinline=True)
def _pass_down(left_at: np.ndarray, depth: int, names: np.ndarray, a: int, left: int) -> None:
    """The attributes left below a split on a."""
    for b in range(left - 1):
        left_at[depth, b] = names[b + (b >= a)]


@njit
def _tally(
    order: np.ndarray,
    side: int,
    start: int,
    stop: int,
    digits: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    names: np.ndarray,
    left: int,
    pairs: np.ndarray,
) -> None:
    """The pairs of a stretch of patterns."""
    pairs[:left] = 0.0
    for p in range(start, stop):
        pattern = order[side, p]
        j, weight = truth[pattern], weights[pattern]
        for b in range(left):
            pairs[b, digits[pattern, names[b]], j] += weight


@njit(forceinline=True)
def _set_aside(
    pairs: np.ndarray, a: int, left: int, sizes: np.ndarray, rest: np.ndarray, depth: int
) -> None:
    """Keep a node's pairs for its children, if all of them split on; without those of a."""
    for b in range(left - 1):
        source = b + (b >= a)
        for v in range(sizes[source]):
            for j in range(pairs.shape[2]):
                rest[depth, b, v, j] = pairs[source, v, j]


@njit(forceinline=True)
def _settle(
    pairs: np.ndarray, rest: np.ndarray, depth: int, sizes: np.ndarray, left: int, share: int
) -> None:
    """Siblings add up to their parent: take a node's pairs off the rest; the last takes the rest."""
    for b in range(left):
        for v in range(sizes[b]):
            for j in range(pairs.shape[2]):
                if share == _TAKES:
                    pairs[b, v, j] = rest[depth, b, v, j]
                else:
                    rest[depth, b, v, j] -= pairs[b, v, j]


# -- handing records on ----------------------------------------------------------------------


@njit(forceinline=True)
def _gather(
    order: np.ndarray,
    side: int,
    start: int,
    stop: int,
    digits: np.ndarray,
    name: int,
    v: int,
    end: int,
) -> int:
    """Copy the patterns with level v of an attribute to the other side, from `end`; returns where
    they end."""
    for p in range(start, stop):
        if digits[order[side, p], name] == v:
            order[1 - side, end] = order[side, p]
            end += 1
    return end


@njit(forceinline=True)
def _slice(
    cells: np.ndarray,
    side: int,
    start: int,
    size: int,
    sizes: np.ndarray,
    inner: np.ndarray,
    a: int,
    v: int,
    end: int,
) -> int:
    """Copy a node's cells with level v of attribute a to the other side, from `end`; returns where
    they end."""
    part = inner[a]
    step, other = sizes[a] * part, 1 - side
    pieces, first = size // step, start + v * part
    if part >= LONG:
        for o in range(pieces):
            begin = end + o * part
            _copy(
                cells[side, first + o * step : first + o * step + part],
                cells[other, begin : begin + part],
            )
    elif part % 2 == 0:  # two at a time: the loop costs as much as the copy
        for i in range(0, part, 2):
            for o in range(pieces):
                cells[other, end + i + o * part] = cells[side, first + i + o * step]
                cells[other, end + i + 1 + o * part] = cells[side, first + i + 1 + o * step]
    else:
        for i in range(part):
            for o in range(pieces):
                cells[other, end + i + o * part] = cells[side, first + i + o * step]
    return end + pieces * part


@njit
def _copy(source: np.ndarray, target: np.ndarray) -> None:
    for i in range(len(source)):
        target[i] = source[i]


@njit
def _arenas(values: np.ndarray, digits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both sides of the arenas of cells and of patterns; one of the two is empty."""
    cells = np.empty((2, len(values) if len(digits) == 0 else 0))
    order = np.empty((2, len(digits)), dtype=np.int64)
    cells[0] = values[: cells.shape[1]]
    order[0] = np.arange(len(digits))
    return cells, order


# -- what a node is --------------------------------------------------------------------------


@njit
def _root(
    values: np.ndarray, digits: np.ndarray, truth: np.ndarray, classes: int, zero: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The fields of `Nodes`, with the root in them and room for more."""
    counts = np.zeros((FIRST_NODES, classes))
    cells = len(values) // classes
    if len(digits) == 0:
        for j in range(classes):
            counts[0, j] = total(values[j * cells : (j + 1) * cells])
    for i in range(len(digits)):
        counts[0, truth[i]] += values[i]
    label = np.zeros(FIRST_NODES, np.int64)
    label[0] = _majority(counts, 0, zero)
    return np.full(FIRST_NODES, LEAF), np.zeros(FIRST_NODES, np.int64), counts, label


@njit
def _with_room(
    attribute: np.ndarray,
    first_child: np.ndarray,
    counts: np.ndarray,
    label: np.ndarray,
    used: int,
    more: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same arrays, with room for so many more behind what is used, and for three times as many."""
    size = 4 * (used + more) - used
    return (
        np.append(attribute[:used], np.full(size, LEAF)),
        np.append(first_child[:used], np.zeros(size, np.int64)),
        np.concatenate((counts[:used], np.zeros((size, counts.shape[1])))),
        np.append(label[:used], np.zeros(size, np.int64)),
    )


@njit(forceinline=True)
def _born(
    counts: np.ndarray,
    label: np.ndarray,
    child: int,
    parent: int,
    pairs: np.ndarray,
    a: int,
    v: int,
    literal: bool,
    zero: float,
) -> bool:
    """Write down a branch's class counts and its label; returns whether there is more to split."""
    for j in range(counts.shape[1]):
        counts[child, j] = pairs[a, v, j]
    if not _has_records(counts, child, literal, zero):
        label[child] = label[parent]
        return False
    label[child] = _majority(counts, child, zero)
    return not _is_pure(counts, child, zero)


@njit
def _has_records(counts: np.ndarray, node: int, literal: bool, zero: float) -> bool:
    size = 0.0
    for j in range(counts.shape[1]):
        size += counts[node, j] if literal else max(counts[node, j], 0.0)
    return size > zero


@njit
def _is_pure(counts: np.ndarray, node: int, zero: float) -> bool:
    classes = 0
    for j in range(counts.shape[1]):
        classes += counts[node, j] > zero
    return classes <= 1


@njit
def _majority(counts: np.ndarray, node: int, zero: float) -> int:
    best = 0
    for j in range(1, counts.shape[1]):
        if counts[node, j] > counts[node, best] + zero:
            best = j
    return best


@njit
def _best_split(
    pairs: np.ndarray, sizes: np.ndarray, left: int, counts: np.ndarray, node: int, literal: bool
) -> int:
    """The position, among a node's attributes, of the largest gain; first come, first served.

    The entropy of the node is the same for all attributes, so the smallest remaining entropy has
    the largest gain.
    """
    if left == 1:
        return 0
    size = 0.0
    for j in range(counts.shape[1]):
        size += max(counts[node, j], 0.0)
    best, least = 0, np.inf
    for a in range(left):
        remaining = 0.0
        for v in range(sizes[a]):
            remaining += _spread(pairs, a, v, literal)
            if remaining >= least and not literal:  # more branches only add to it
                break
        if remaining < least - TIE * size:
            best, least = a, remaining
    return best


@njit
def _spread(pairs: np.ndarray, a: int, v: int, literal: bool) -> float:
    """|S_v| Entropy(S_v), in nats, of the branch "attribute a has level v"."""
    size, classes = 0.0, 0
    for j in range(pairs.shape[2]):
        n = pairs[a, v, j]
        size += n if literal else max(n, 0.0)
        classes += n > 0
    if size <= 0 or (classes == 1 and not literal):
        return 0.0
    width = 0.0
    for j in range(pairs.shape[2]):
        n = pairs[a, v, j]
        if n > 0:
            width += n * np.log(size / n)
    return width
