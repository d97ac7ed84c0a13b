"""[Zhan & Du 4.5] ID3, grown on a table of (estimated) counts.

The algorithm is Quinlan's. What the paper changes is only where the numbers come from: at a node
with the condition E, |S| = n P(E), and P(E) is estimated by undoing the disguise. Here the whole
table is undone once, and then a node is a slice of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ppdm import kinds
from ppdm.compiled import njit
from ppdm.domain import Domain, refuse_other_columns
from ppdm.folding import LONG, fold, keep_in_step, steps, total
from ppdm.learn._base import CanUndo, TableClassifier
from ppdm.learn.bases import check_is_fitted
from ppdm.table import Table, count, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Gains that differ by less are tied, and the first attribute wins; smaller counts (relative to
#: the number of records) are zero. Undoing leaves rounding errors of 1e-12 or so.
TIE = 1e-9

_LEAF = -1

# How a node comes by its pairs: its siblings have no part in it; it takes its own off what is left
# for the siblings after it; or it is the last of them, and takes the rest.
_ALONE, _GIVES, _TAKES = 0, 1, 2
#: With fewer attributes left, folding is as cheap.
_WORTH_SHARING = 4
#: A tree begins with room for so many nodes, and gets four times as much when that is full.
FIRST_NODES = 256


class ID3(TableClassifier):
    """[Zhan & Du 4.5] The decision tree that splits where the information gain is largest.

    Parameters
    ----------
    mechanism
        How the records were disguised; ``None`` for plain ones.
    negative
        What is done with estimated counts below zero. ``"clip"`` (default): a negative class count
        is zero, and the size of a node is the sum of its clipped class counts. ``"literal"``: as
        the paper prints it, |S| is estimated by itself and Q_j = n_j / |S|, so Q_j may exceed one;
        terms with Q_j <= 0 are left out, as in the entropy of plain data.

    A branch without a positive count is empty and gets its parent's majority class; a node is pure
    when at most one class has a positive count. Equal gains go to the first attribute.

    >>> X = pd.DataFrame({"A": [0, 0, 1, 1], "B": [0, 1, 0, 1]})
    >>> print(ID3().fit(X, pd.Series([0, 0, 0, 1], name="C")).export_text())
    A = 0: 0 (2)
    A = 1
    |   B = 0: 0 (1)
    |   B = 1: 1 (1)
    """

    def __init__(self, mechanism: CanUndo | None = None, negative: str = "clip") -> None:
        self.mechanism = mechanism
        self.negative = negative

    def fit_table(self, table: Table, target: str | None = None) -> ID3:
        """Learn from a table of reports (of plain records without a mechanism); the class is the
        last attribute if it is not named."""
        target = table.names[-1] if target is None else target
        if self.mechanism is None:
            kinds.need("learn", table.kind)
        else:
            table = self.mechanism.undo(table)
        self._remember(table.domain, target)
        self.tree_ = grow(table, target, self.negative)
        return self

    def _learn_records(
        self, records: object, target: str, levels: Domain | None, weights: ArrayLike | None
    ) -> ID3:
        if levels is not None:
            columns = names_of(records)
            refuse_other_columns(columns, levels)
            levels = levels.only(columns)  # a tree is grown in the order of the columns
        return self.fit_table(count(records, levels, weights), target)

    def _best(self, digits: np.ndarray) -> np.ndarray:
        return self.tree_.label[self.tree_.leaves(digits)]

    def predict_proba(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """The (clipped) class shares of the leaf that a record falls into."""
        digits = self._digits(X)
        leaves = self.tree_.leaves(digits)
        counts = np.maximum(self.tree_.counts[leaves], 0)
        empty = counts.sum(axis=1) <= 0
        counts[empty, self.tree_.label[leaves[empty]]] = 1  # an empty branch: the label is all
        return counts / counts.sum(axis=1, keepdims=True)

    def pruned(self, table: Table) -> ID3:
        """[Zhan & Du 4.6] Reduced-error pruning by a table of test reports.

        The test table is undone if there is a mechanism; bottom up, a subtree becomes a leaf where
        that loses no (estimated) right answers. Its attributes may come in any order; their levels
        are those learned from.
        """
        check_is_fitted(self)
        if self.mechanism is None:
            kinds.need("learn", table.kind)
        else:
            table = self.mechanism.undo(table)
        self._check_levels(table.domain)
        cells, values = table.occupied()
        digits = table.domain.digits(cells)
        columns = [table.domain.axis(name) for name in self.domain_.names]
        reached = self.tree_.route(
            digits[:, columns], digits[:, table.domain.axis(self.target_)], values
        )
        copy = ID3(self.mechanism, self.negative)
        copy._remember(self.record_domain_, self.target_)
        copy.tree_ = self.tree_.pruned(reached)
        return copy

    # -- to look at ------------------------------------------------------------------------

    def export_text(self, digits: int = 1) -> str:
        """The tree as text: each leaf with its class and its (estimated) number of records."""
        check_is_fitted(self)
        lines: list[str] = []

        def show(node: int, depth: int) -> None:
            for condition, child in self._branches(node):
                start = "|   " * depth + condition
                if self.tree_.attribute[child] == _LEAF:
                    size = f"{self.tree_.counts[child].sum():.{digits}f}"
                    size = size.rstrip("0").rstrip(".") if "." in size else size
                    lines.append(f"{start}: {self.classes_[self.tree_.label[child]]} ({size})")
                else:
                    lines.append(start)
                    show(child, depth + 1)

        show(0, 0)
        if not lines:
            lines = [f"{self.classes_[self.tree_.label[0]]} ({self.tree_.counts[0].sum():g})"]
        return "\n".join(lines)

    def plot(self, ax: Axes | None = None, max_depth: int = 3) -> Axes:
        """Draw the top of the tree; returns the axes."""
        import matplotlib.pyplot as plt

        check_is_fitted(self)
        ax = ax or plt.subplots(figsize=(2.2 * 2**max_depth * 0.6, 1.3 * (max_depth + 1)))[1]
        ax.axis("off")
        places = iter(range(10**6))

        def draw(node: int, depth: int) -> float:
            split = self.tree_.attribute[node] != _LEAF
            branches = self._branches(node) if split and depth < max_depth else []
            below = [(condition, draw(child, depth + 1)) for condition, child in branches]
            x = float(np.mean([place for _, place in below])) if below else float(next(places))
            for condition, place in below:
                ax.plot([x, place], [-depth, -depth - 1], color="0.6", lw=1, zorder=0)
                ax.text(
                    (x + place) / 2,
                    -depth - 0.55,
                    condition.split(" = ")[1],
                    ha="center",
                    va="center",
                    fontsize=8,
                )
            name = self.domain_.names[self.tree_.attribute[node]] if split else ""
            text = (
                name
                if below
                else f"{name}\n..."
                if split
                else str(self.classes_[self.tree_.label[node]])
            )
            ax.text(
                x,
                -depth,
                f"{text}\n{self.tree_.counts[node].sum():.0f}",
                ha="center",
                va="center",
                fontsize=9,
                color="black",
                bbox={"boxstyle": "round", "fc": "white" if split else "#cfe8f3", "ec": "0.5"},
            )
            return x

        draw(0, 0)
        ax.set_ylim(-max_depth - 0.6, 0.6)
        return ax

    def _branches(self, node: int) -> list[tuple[str, int]]:
        attribute = self.tree_.attribute[node]
        if attribute == _LEAF:
            return []
        name, levels = self.domain_.names[attribute], self.domain_.levels[attribute]
        first = self.tree_.first_child[node]
        return [(f"{name} = {level}", first + i) for i, level in enumerate(levels)]


@dataclass(frozen=True)
class Tree:
    """A tree as arrays, one entry a node; node 0 is the root, siblings stand side by side.

    Made by :func:`grow`.
    """

    attribute: np.ndarray  # position of the split attribute, -1 at a leaf
    first_child: np.ndarray
    counts: np.ndarray  # (nodes, classes): estimated class counts, unclipped
    label: np.ndarray  # majority class; of the parent where the branch is empty
    sizes: np.ndarray  # number of levels of each attribute

    @property
    def n_leaves(self) -> int:
        return int((self.attribute == _LEAF).sum())

    def children(self, node: int) -> range:
        """The nodes below a node that splits."""
        first = int(self.first_child[node])
        return range(first, first + int(self.sizes[self.attribute[node]]))

    def leaves(self, digits: np.ndarray) -> np.ndarray:
        """The leaf of each record; a value unseen in training (-1) ends the way down."""
        return _leaves(digits, self.attribute, self.first_child)

    def route(self, digits: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The weights of each class that pass through each node."""
        reached = np.zeros_like(self.counts)
        _route(digits, classes, weights, self.attribute, self.first_child, reached)
        return reached

    def pruned(self, reached: np.ndarray) -> Tree:
        """The tree in which a node is a leaf wherever its own label does no worse on `reached`."""
        attribute = self.attribute.copy()
        right = reached[np.arange(len(reached)), self.label]
        slack = TIE * max(reached[0].sum(), 1)
        _cut(attribute, self.first_child, self.sizes, right, slack)
        return _renumbered(Tree(attribute, self.first_child, self.counts, self.label, self.sizes))


def grow(table: Table, target: str, negative: str = "clip") -> Tree:
    """[Zhan & Du 4.5] Grow a tree on a table of true or estimated counts.

    How the pairs of a node are counted, dense or sparse, see `ppdm.folding`.

    >>> tree = grow(count(pd.DataFrame({"A": [0, 0, 1], "C": [0, 0, 1]})), "C")
    >>> tree.attribute, tree.label
    (array([ 0, -1, -1]), array([0, 0, 1]))
    """
    if negative not in ("clip", "literal"):
        raise ValueError(f"negative is 'clip' or 'literal'; got {negative!r}")
    literal = negative == "literal"
    domain = table.domain
    axis = domain.axis(target)
    sizes = np.array([n for i, n in enumerate(domain.shape) if i != axis], dtype=np.int64)
    classes = domain.shape[axis]
    if table.is_sparse:
        cells, values = table.occupied()
        digits = domain.digits(cells)
        attributes = np.ascontiguousarray(np.delete(digits, axis, axis=1))
        truth = digits[:, axis].copy()
        values = values.copy()  # it may be read-only, and compiled code knows one kind
    else:
        attributes, truth = np.empty((0, 0), dtype=np.int64), np.empty(0, dtype=np.int64)
        values = table.by_class(target)
    attribute, first, counts, label = _grow(values, attributes, truth, sizes, classes, literal)
    return Tree(attribute, first, counts, label, sizes)


# -- choosing a split ----------------------------------------------------------------------


@njit(cache=True)
def _spread(pairs: np.ndarray, a: int, v: int, literal: bool) -> float:
    """|S_v| Entropy(S_v), in nats, of the branch "attribute a has level v"."""
    size, classes = 0.0, 0
    for j in range(pairs.shape[2]):
        n = pairs[a, v, j]
        size += n if literal else max(n, 0.0)
        classes += n > 0
    if size <= 0 or (classes == 1 and not literal):
        return 0.0
    spread = 0.0
    for j in range(pairs.shape[2]):
        n = pairs[a, v, j]
        if n > 0:
            spread += n * np.log(size / n)
    return spread


@njit(cache=True)
def _has_records(counts: np.ndarray, node: int, literal: bool, zero: float) -> bool:
    size = 0.0
    for j in range(counts.shape[1]):
        size += counts[node, j] if literal else max(counts[node, j], 0.0)
    return size > zero


@njit(cache=True)
def _is_pure(counts: np.ndarray, node: int, zero: float) -> bool:
    classes = 0
    for j in range(counts.shape[1]):
        classes += counts[node, j] > zero
    return classes <= 1


@njit(cache=True)
def _majority(counts: np.ndarray, node: int, zero: float) -> int:
    best = 0
    for j in range(1, counts.shape[1]):
        if counts[node, j] > counts[node, best] + zero:
            best = j
    return best


@njit(cache=True)
def _best_split(
    pairs: np.ndarray, sizes: np.ndarray, left: int, counts: np.ndarray, node: int, literal: bool
) -> int:
    """The position, among an open node's attributes, of the largest gain; first come, first served.

    `pairs[a, v, j]` counts the records with level v of attribute a and class j. The entropy of the
    node is the same for all attributes, so the smallest remaining entropy has the largest gain.
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


@njit(cache=True)
def _room(
    attribute: np.ndarray,
    first_child: np.ndarray,
    counts: np.ndarray,
    label: np.ndarray,
    nodes: int,
    more: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Arrays with room for `more` nodes behind the first `nodes`."""
    size = 4 * (nodes + more)
    attribute2 = np.full(size, _LEAF, dtype=np.int64)
    first_child2 = np.zeros(size, dtype=np.int64)
    counts2 = np.zeros((size, counts.shape[1]))
    label2 = np.zeros(size, dtype=np.int64)
    attribute2[:nodes] = attribute[:nodes]
    first_child2[:nodes] = first_child[:nodes]
    counts2[:nodes] = counts[:nodes]
    label2[:nodes] = label[:nodes]
    return attribute2, first_child2, counts2, label2


# -- growing ---------------------------------------------------------------------------------


@njit(cache=True)
def _copy(target: np.ndarray, source: np.ndarray) -> None:
    for i in range(len(target)):
        target[i] = source[i]


@njit(cache=True)
def _slice(
    source: np.ndarray, first: int, step: int, inner: int, outer: int, target: np.ndarray, to: int
) -> None:
    """Copy `outer` pieces of `inner` cells, each a step behind the one before it, to target[to:]."""
    if inner >= LONG:
        for o in range(outer):
            piece = source[first + o * step : first + o * step + inner]
            _copy(target[to + o * inner : to + (o + 1) * inner], piece)
    elif inner % 2 == 0:  # two at a time: the loop costs as much as the copy
        for i in range(0, inner, 2):
            for o in range(outer):
                target[to + i + o * inner] = source[first + i + o * step]
                target[to + i + 1 + o * inner] = source[first + i + 1 + o * step]
    else:
        for i in range(inner):
            for o in range(outer):
                target[to + i + o * inner] = source[first + i + o * step]


@njit(cache=True)
def _set_aside(
    pairs: np.ndarray, a: int, left: int, sizes: np.ndarray, rest: np.ndarray, depth: int
) -> None:
    """Copy the pairs of the attributes that are left, but of a."""
    for b in range(left - 1):
        source = b + (b >= a)
        for v in range(sizes[source]):
            for j in range(pairs.shape[2]):
                rest[depth, b, v, j] = pairs[source, v, j]


@njit(cache=True)
def _take(pairs: np.ndarray, rest: np.ndarray, depth: int, sizes: np.ndarray, left: int) -> None:
    for a in range(left):
        for v in range(sizes[a]):
            for j in range(pairs.shape[2]):
                pairs[a, v, j] = rest[depth, a, v, j]


@njit(cache=True)
def _take_off(
    rest: np.ndarray, depth: int, pairs: np.ndarray, sizes: np.ndarray, left: int
) -> None:
    for a in range(left):
        for v in range(sizes[a]):
            for j in range(pairs.shape[2]):
                rest[depth, a, v, j] -= pairs[a, v, j]


@njit(cache=True)
def _tally(
    order: np.ndarray,
    start: int,
    stop: int,
    digits: np.ndarray,
    classes_of: np.ndarray,
    weights: np.ndarray,
    names: np.ndarray,
    sizes: np.ndarray,
    left: int,
    pairs: np.ndarray,
) -> None:
    """Counts of (attribute, level, class) of a stretch of the list of patterns."""
    for a in range(left):
        for v in range(sizes[a]):
            for j in range(pairs.shape[2]):
                pairs[a, v, j] = 0.0
    for p in range(start, stop):
        pattern = order[p]
        j, weight = classes_of[pattern], weights[pattern]
        for a in range(left):
            pairs[a, digits[pattern, names[a]], j] += weight


@njit(cache=True)
def _gather(
    order: np.ndarray,
    start: int,
    stop: int,
    digits: np.ndarray,
    name: int,
    level: int,
    target: np.ndarray,
    to: int,
) -> int:
    """Copy a stretch's patterns with this level of the attribute; returns where they end."""
    for p in range(start, stop):
        if digits[order[p], name] == level:
            target[to] = order[p]
            to += 1
    return to


@keep_in_step
@njit(cache=True)
def _grow(  # noqa: C901
    values: np.ndarray,
    digits: np.ndarray,
    classes_of: np.ndarray,
    all_sizes: np.ndarray,
    classes: int,
    literal: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Depth first, in one pass, as its parts would hand on fifteen arrays that grow underway.

    It runs on a dense table (`digits` is empty) or on a list of weighted patterns. Siblings add up
    to their parent: where all of them split on, the last one's pairs are what the others leave.

    Dense: a node's slice lies in one of two arenas, its children's in the other, within the same
    bounds: what waits on the stack lies outside of them, so nothing is overwritten. Sparse: a node
    is a stretch of the list, and a split sorts the stretch by its levels.
    """
    k, dense = len(all_sizes), len(digits) == 0
    zero = TIE * max(total(values), 1.0)
    attribute = np.full(FIRST_NODES, _LEAF, dtype=np.int64)
    first_child = np.zeros(FIRST_NODES, dtype=np.int64)
    counts = np.zeros((FIRST_NODES, classes))
    label = np.zeros(FIRST_NODES, dtype=np.int64)
    cells = len(values) // classes
    if dense:
        for j in range(classes):
            counts[0, j] = total(values[j * cells : (j + 1) * cells])
    for i in range(len(digits)):
        counts[0, classes_of[i]] += values[i]
    label[0] = _majority(counts, 0, zero)
    nodes = 1
    if _is_pure(counts, 0, zero) or not _has_records(counts, 0, literal, zero):
        return attribute[:1], first_child[:1], counts[:1], label[:1]

    other = np.empty(len(values) if dense else 0)
    work = np.empty(max(1, cells))
    order = np.arange(len(digits))
    sorted_order = np.empty_like(order)
    pairs = np.empty((k, all_sizes.max(), classes))
    limit = 1 + all_sizes.sum()
    stack_node, stack_depth = np.zeros(limit, dtype=np.int64), np.zeros(limit, dtype=np.int64)
    stack_start, stack_stop = np.zeros(limit, dtype=np.int64), np.zeros(limit, dtype=np.int64)
    stack_share = np.zeros(limit, dtype=np.int64)
    stack_stop[0] = len(values)
    top = 1
    # Nodes of one depth that are open at one time are siblings: what they share stands in its row.
    names_at = np.zeros((k + 1, k), dtype=np.int64)  # the attributes that are left
    rest = np.empty((k + 1 if dense else 0, k, all_sizes.max(), classes))
    names_at[0] = np.arange(k)
    names, sizes = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    inner = np.empty(k, dtype=np.int64)  # cells in a slice of the attributes that come later
    while top > 0:
        top -= 1
        node, start, stop = stack_node[top], stack_start[top], stack_stop[top]
        depth = stack_depth[top]
        left = k - depth
        for a in range(left):
            names[a] = names_at[depth, a]
            sizes[a] = all_sizes[names[a]]
        here, below = (values, other) if depth % 2 == 0 else (other, values)
        if dense:
            cells = steps(sizes, left, inner)
            share = stack_share[top]
            if share == _TAKES:
                _take(pairs, rest, depth, sizes, left)
            else:
                fold(here, start, cells, classes, sizes, inner, left, work, pairs)
                if share == _GIVES:
                    _take_off(rest, depth, pairs, sizes, left)
        else:
            _tally(order, start, stop, digits, classes_of, values, names, sizes, left, pairs)
        a = _best_split(pairs, sizes, left, counts, node, literal)
        fan = sizes[a]
        if nodes + fan > len(attribute):
            attribute, first_child, counts, label = _room(
                attribute, first_child, counts, label, nodes, fan
            )
        attribute[node] = names[a]
        first_child[node] = nodes
        to, bottom, size = start, top, classes * cells // fan
        for v in range(fan):
            child, begin = nodes + v, to
            if not dense:
                to = _gather(order, start, stop, digits, names[a], v, sorted_order, to)
            for j in range(classes):
                counts[child, j] = pairs[a, v, j]
            if not _has_records(counts, child, literal, zero):
                label[child] = label[node]
                continue
            label[child] = _majority(counts, child, zero)
            if left == 1 or _is_pure(counts, child, zero):
                continue
            if dense:
                part = inner[a]  # the classes lie one behind the other
                _slice(here, start + v * part, fan * part, part, size // part, below, to)
                to += size
            stack_node[top], stack_start[top], stack_stop[top] = child, begin, to
            stack_depth[top], stack_share[top] = depth + 1, _ALONE
            top += 1
        if not dense:
            order[start:stop] = sorted_order[start:stop]
        for b in range(left - 1):
            names_at[depth + 1, b] = names[b + (b >= a)]
        if dense and top - bottom == fan and left > _WORTH_SHARING:
            _set_aside(pairs, a, left, sizes, rest, depth + 1)
            for i in range(bottom, top):
                stack_share[i] = _TAKES if i == bottom else _GIVES  # the first comes last
        nodes += fan
    return attribute[:nodes], first_child[:nodes], counts[:nodes], label[:nodes]


# -- using a tree --------------------------------------------------------------------------


@njit(cache=True)
def _leaves(digits: np.ndarray, attribute: np.ndarray, first_child: np.ndarray) -> np.ndarray:
    leaves = np.empty(len(digits), dtype=np.int64)
    for i in range(len(digits)):
        node = 0
        while attribute[node] != _LEAF:
            level = digits[i, attribute[node]]
            if level < 0:
                break
            node = first_child[node] + level
        leaves[i] = node
    return leaves


@njit(cache=True)
def _route(
    digits: np.ndarray,
    classes: np.ndarray,
    weights: np.ndarray,
    attribute: np.ndarray,
    first_child: np.ndarray,
    reached: np.ndarray,
) -> None:
    for i in range(len(digits)):
        node = 0
        reached[0, classes[i]] += weights[i]
        while attribute[node] != _LEAF:
            node = first_child[node] + digits[i, attribute[node]]
            reached[node, classes[i]] += weights[i]


@njit(cache=True)
def _cut(
    attribute: np.ndarray,
    first_child: np.ndarray,
    sizes: np.ndarray,
    right: np.ndarray,
    slack: float,
) -> None:
    """Make a leaf, in place, of a node whose subtree gets no more answers right than it does."""
    best = right.copy()
    for node in range(len(attribute) - 1, -1, -1):  # children stand behind their parents
        if attribute[node] != _LEAF:
            first = first_child[node]
            below = best[first : first + sizes[attribute[node]]].sum()
            if right[node] >= below - slack:
                attribute[node] = _LEAF
            else:
                best[node] = below


@njit(cache=True)
def _reachable(
    attribute: np.ndarray, first_child: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The nodes that a record can still reach, siblings side by side, and their first children."""
    kept = np.zeros(len(attribute), dtype=np.int64)
    new_first = np.zeros(len(attribute), dtype=np.int64)
    found = 1
    i = 0
    while i < found:
        node = kept[i]
        new_first[i] = found
        if attribute[node] != _LEAF:
            for v in range(sizes[attribute[node]]):
                kept[found] = first_child[node] + v
                found += 1
        i += 1
    return kept[:found], new_first[:found]


def _renumbered(tree: Tree) -> Tree:
    """The same tree without the nodes that can no longer be reached."""
    kept, first_child = _reachable(tree.attribute, tree.first_child, tree.sizes)
    return Tree(tree.attribute[kept], first_child, tree.counts[kept], tree.label[kept], tree.sizes)
