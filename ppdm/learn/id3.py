"""[Zhan & Du 4.5] ID3, grown on a table of (estimated) counts.

The algorithm is Quinlan's. What the paper changes is only where the numbers come from: at a node
with the condition E, |S| = n P(E), and P(E) is estimated by undoing the disguise. Here the whole
table is undone once, and then a node is a slice of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ppdm import kinds
from ppdm.compiled import njit, refuse_slow
from ppdm.domain import Domain, refuse_other_columns
from ppdm.folding import LEAF, TIE, grow_nodes
from ppdm.learn._base import CanUndo, TableClassifier
from ppdm.learn.bases import check_is_fitted
from ppdm.table import Table, count, names_of


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
        self._remember(table.domain, target, table.total)
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
        classes = digits[:, table.domain.axis(self.target_)]
        copy = ID3(self.mechanism, self.negative)
        copy._remember(self.record_domain_, self.target_)
        copy.tree_ = self.tree_.pruned(digits[:, columns], classes, values)
        return copy

    # -- to look at ------------------------------------------------------------------------

    def export_text(self, digits: int = 1) -> str:
        """The tree as text: each leaf with its class and its (estimated) number of records."""
        check_is_fitted(self)
        lines: list[str] = []

        def show(node: int, depth: int) -> None:
            for condition, child in self._branches(node):
                start = "|   " * depth + condition
                if self.tree_.attribute[child] == LEAF:
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

    def _branches(self, node: int) -> list[tuple[str, int]]:
        attribute = self.tree_.attribute[node]
        if attribute == LEAF:
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
        return int((self.attribute == LEAF).sum())

    def children(self, node: int) -> range:
        """The nodes below a node that splits."""
        first = int(self.first_child[node])
        return range(first, first + int(self.sizes[self.attribute[node]]))

    def leaves(self, digits: np.ndarray) -> np.ndarray:
        """The leaf of each record; a value unseen in training (-1) ends the way down."""
        return _leaves(digits, self.attribute, self.first_child)

    def pruned(self, digits: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> Tree:
        """The tree in which a node is a leaf wherever its own label does no worse on these records."""
        attribute, reached = self.attribute.copy(), np.zeros_like(self.counts)
        np.add.at(reached, (self.leaves(digits), classes), weights)
        slack = TIE * max(weights.sum(), 1)
        stays = _cut(attribute, self.first_child, self.sizes, reached, self.label, slack)
        first_child = (np.cumsum(stays) - 1)[self.first_child[stays]]
        return Tree(
            attribute[stays], first_child, self.counts[stays], self.label[stays], self.sizes
        )


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
    refuse_slow(3.0 * len(sizes) * values.size, f"growing a tree on {values.size:,} cells")
    return Tree(*grow_nodes(values, attributes, truth, sizes, classes, literal), sizes)


# -- using a tree --------------------------------------------------------------------------


@njit
def _leaves(digits: np.ndarray, attribute: np.ndarray, first_child: np.ndarray) -> np.ndarray:
    leaves = np.empty(len(digits), dtype=np.int64)
    for i in range(len(digits)):
        node = 0
        while attribute[node] != LEAF:
            level = digits[i, attribute[node]]
            if level < 0:
                break
            node = first_child[node] + level
        leaves[i] = node
    return leaves


@njit
def _cut(
    attribute: np.ndarray,
    first_child: np.ndarray,
    sizes: np.ndarray,
    reached: np.ndarray,
    label: np.ndarray,
    slack: float,
) -> np.ndarray:
    """Make a leaf, in place, of a node whose subtree gets no more answers right than it does.

    `reached` has the class weights that end at each leaf, and gets those that pass through a node.
    Returns which nodes a record can still reach: siblings stay side by side.
    """
    best = np.empty(len(attribute))
    for node in range(len(attribute) - 1, -1, -1):  # children stand behind their parents
        below = -np.inf
        if attribute[node] != LEAF:
            first, last = first_child[node], first_child[node] + sizes[attribute[node]]
            reached[node] += reached[first:last].sum(axis=0)
            below = best[first:last].sum()
        best[node] = reached[node, label[node]]
        if best[node] >= below - slack:
            attribute[node] = LEAF
        else:
            best[node] = below
    stays = np.zeros(len(attribute), dtype=np.bool_)
    stays[0] = True
    for node in range(len(attribute)):
        if stays[node] and attribute[node] != LEAF:
            first = first_child[node]
            stays[first : first + sizes[attribute[node]]] = True
    return stays
