"""Contingency tables over coded answers.

A *domain* is an ordered list of attributes, each with its levels. A *cell* is one combination of
levels; its *code* is a single integer (mixed radix, the last attribute runs fastest, as in
`numpy.ravel_multi_index`). A *table* gives every cell a real number: a count of records, or, after
a disguise has been undone, an estimated count, which may be fractional or negative.

Two storages, one interface:

dense
    one number a cell. Right while the cells are not many more than the records.
sparse
    the codes of the occupied cells and their numbers. A survey of forty yes/no questions has 2**40
    cells and never more occupied ones than respondents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ppdm import engines, folding, kinds
from ppdm.chance import generator
from ppdm.domain import (
    DENSE_LIMIT,
    Domain,
    Levels,
    as_frame,
    beside,
    columns_of,
    declared,
    encode,
    from_level_numbers,
    held,
    listed,
    refuse_unknown,
)
from ppdm.kinds import NOT_SAID, Kind
from ppdm.levels import in_order

#: Up to here a table may be dense whatever the number of records.
SMALL = 4_096


class Scheme(Protocol):
    """What a table asks of a scheme: as which kind it reports the attributes of a domain.

    >>> from ppdm import MultiGroup
    >>> MultiGroup(0.8).kind_of_reports(Domain(("A",), ((0, 1),)))
    reports (flip of A)
    """

    def kind_of_reports(self, reported: Domain) -> Kind: ...


def weighed(linear: Callable[..., Table]) -> Callable[..., Table]:
    """A linear map of a table's numbers: where records have weights, their squares go the same way.

    >>> half = weighed(lambda table: Table(table.domain, table.values / 2))
    >>> half(count(pd.DataFrame({"A": [0, 1]}), weights=[1, 3])).squares
    array([0.5, 4.5])
    """

    @wraps(linear)
    def both(table: Table, *args: Any, **fixed: Any) -> Table:
        mapped = linear(table, *args, **fixed)
        if table.squares is not None and mapped is not table:
            squares = Table.holding(table.domain, table.squares, table.cells, table.kind)
            mapped.squares = linear(squares, *args, **fixed).values
        return mapped

    return both


class Table:
    """Numbers (counts, estimated counts or probabilities) over the cells of a domain.

    Made by :func:`count`, by :meth:`from_frame`, or directly from a domain and an array.

    >>> table = count(pd.DataFrame({"A": [1, 1, 0, 1], "B": [0, 1, 0, 0]}))
    >>> table.total
    4.0
    >>> table.p(A=1, B=0)
    0.5
    >>> table.marginal("B").dense
    array([3., 1.])

    Of records with weights, a cell holds their sum and, in `squares`, the sum of their squares (None
    where each counts one); so :attr:`effective` says how many equal ones would tell as much.

    >>> (1_600 * table).effective
    4.0
    """

    __slots__ = ("cells", "domain", "kind", "squares", "values")
    squares: np.ndarray | None

    def __init__(
        self,
        domain: Domain,
        values: ArrayLike,
        cells: np.ndarray | None = None,
        kind: Kind = NOT_SAID,
    ):
        self.domain = domain
        self.values = held(np.array(_numbers(values, domain, cells)))
        self.cells = cells
        self.kind = kind
        self.squares = None

    @classmethod
    def holding(
        cls,
        domain: Domain,
        values: np.ndarray,
        cells: np.ndarray | None = None,
        kind: Kind = NOT_SAID,
    ) -> Table:
        """A table of numbers that nobody else will write to: they are not copied."""
        table = cls.__new__(cls)
        table.domain, table.cells, table.kind, table.squares = domain, cells, kind, None
        table.values = held(_numbers(values, domain, cells).view())
        return table

    # -- what it is ------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return self.domain.names

    @property
    def levels(self) -> tuple[tuple, ...]:
        return self.domain.levels

    @property
    def shape(self) -> tuple[int, ...]:
        return self.domain.shape

    @property
    def is_sparse(self) -> bool:
        return self.cells is not None

    @property
    def total(self) -> float:
        return float(self.values.sum())

    @property
    def effective(self) -> float:
        """How many records of equal weight would estimate as well: (Σw)² / Σw² [Kish]."""
        squares = self.values if self.squares is None else self.squares
        return self.total**2 / float(squares.sum()) if squares.any() else 0.0

    @property
    def dense(self) -> np.ndarray:
        """The numbers as an array with one axis an attribute."""
        return self.densified().values.reshape(self.shape)

    def __repr__(self) -> str:
        axes = " x ".join(f"{name}({len(lev)})" for name, lev in zip(self.names, self.levels))
        storage = f"{len(self.values)} occupied cells" if self.is_sparse else "dense"
        return f"<Table {axes}: total {self.total:g}, {storage}, {self.kind!r}>"

    # -- what it counts --------------------------------------------------------------------

    @weighed
    def of_kind(self, kind: Kind) -> Table:
        """The same numbers as another kind: for who knows what was done to them."""
        return Table.holding(self.domain, self.values, self.cells, kind)

    def reported_by(self, scheme: Scheme) -> Table:
        """The same table, said to count reports of a scheme; nothing else may be known of it.

        Parameters
        ----------
        scheme
            What disguised the answers.

        Returns
        -------
        Table
            The same numbers, which the scheme can undo.

        Raises
        ------
        ValueError
            If the table counts something else, or has other levels.

        Examples
        --------
        >>> from ppdm import MultiGroup
        >>> said = Table(Domain(("A",), ((0, 1),)), [570, 430]).reported_by(MultiGroup(0.7))
        >>> MultiGroup(0.7).undo(said).p(A=1).__round__(3)
        0.325
        """
        kind = scheme.kind_of_reports(self.domain)
        if self.kind.what != "not said" and self.kind != kind:
            raise ValueError(
                f"the table counts {self.kind!r}, so it does not count reports of {scheme!r}; "
                "taken_as() takes it for them all the same"
            )
        return self.of_kind(kind)

    def taken_as(self, what: Scheme | str) -> Table:
        """The same numbers taken for what they may not be: reports of a scheme, "answers", "estimate".

        For what is meant to be wrong: `repr` and all that is computed from it say so.

        >>> Table(Domain(("A",), ((0, 1),)), [3, 1]).taken_as("answers")
        <Table A(2): total 4, dense, answers (taken as answers)>
        """
        remark = f" (taken as {what if isinstance(what, str) else f'reports of {what!r}'})"
        if not isinstance(what, str):
            return self.of_kind(replace(what.kind_of_reports(self.domain), taken=remark))
        if what not in ("answers", "estimate"):
            raise ValueError(f'a table is taken as a scheme, "answers" or "estimate"; got {what!r}')
        return self.of_kind(Kind(what, taken=remark))

    # -- storage ---------------------------------------------------------------------------

    @weighed
    def densified(self) -> Table:
        """The same table with one number for every cell."""
        if not self.is_sparse:
            return self
        if self.domain.size > DENSE_LIMIT:
            raise ValueError(
                f"a table of {self.domain.size:.3g} cells does not fit in memory; "
                "work with marginals of fewer attributes"
            )
        values = np.zeros(self.domain.size)
        values[self.cells] = self.values
        return Table.holding(self.domain, values, kind=self.kind)

    @weighed
    def sparsified(self) -> Table:
        """The same table as its occupied cells only."""
        if self.is_sparse:
            return self
        cells, values = self.occupied()
        return Table.holding(self.domain, values, cells, self.kind)

    def occupied(self) -> tuple[np.ndarray, np.ndarray]:
        """Codes and numbers of the cells that are not zero."""
        if self.cells is not None:
            nonzero = self.values != 0
            if nonzero.all():
                return self.cells, self.values
            return self.cells[nonzero], self.values[nonzero]
        cells = np.flatnonzero(self.values != 0)  # of truth values it is found ten times faster
        return cells, self.values[cells]

    # -- arithmetic ------------------------------------------------------------------------

    def __add__(self, other: Table) -> Table:
        """Pool two tables of one kind over the same domain."""
        if self.kind != other.kind:
            raise ValueError(
                f"a table of {self.kind!r} and one of {other.kind!r} cannot be added: undo the "
                "reports first, then add what is estimated"
            )
        kind = self.kind if self.kind.taken else other.kind
        if self.domain != other.domain:
            raise ValueError(
                "tables over different domains cannot be added: "
                f"{listed(self.names)} and {listed(other.names)}, or their levels, differ"
            )
        if self.squares is not None or other.squares is not None:
            pooled = self._as_one() + other._as_one()
            pooled.squares = (self._squared() + other._squared()).values
            return pooled
        if not self.is_sparse or not other.is_sparse:
            total = self.densified().values + other.densified().values
            return Table.holding(self.domain, total, kind=kind)
        cells = np.concatenate([self.cells, other.cells])
        values = np.concatenate([self.values, other.values])
        return aggregated(self.domain, cells, values, kind)

    def _as_one(self) -> Table:
        """The same numbers without the squares of their weights."""
        return Table.holding(self.domain, self.values, self.cells, self.kind)

    def _squared(self) -> Table:
        """The squares of the weights as a table."""
        squares = self.values if self.squares is None else self.squares
        return Table.holding(self.domain, squares, self.cells, self.kind)

    def __mul__(self, factor: float) -> Table:
        scaled = Table.holding(self.domain, self.values * factor, self.cells, self.kind)
        if self.kind.what != "estimate":  # an estimate has no records that weigh anything
            scaled.squares = self._squared().values * factor**2
        return scaled

    __rmul__ = __mul__

    def proportions(self) -> Table:
        """The same table with total one."""
        total = self.total
        if not total > 0:
            raise ValueError(f"a table with total {total:g} has no proportions")
        return self * (1 / total)

    # -- parts -----------------------------------------------------------------------------

    @weighed
    def marginal(self, *names: str) -> Table:
        """Sum over all attributes but those named; the axes come in the order of the names.

        Parameters
        ----------
        names
            The attributes to keep.

        Returns
        -------
        Table
            Their table, the others summed out.

        Raises
        ------
        ValueError
            If the table has no such attribute.

        Examples
        --------
        >>> count(pd.DataFrame({"A": [1, 1, 0], "B": [0, 1, 0]})).marginal("B", "A").dense
        array([[1., 1.],
               [0., 1.]])
        """
        names = _flat(names)
        domain = self.domain.only(names)
        axes = [self.domain.axis(name) for name in names]
        kind = self.kind.only(names)
        if self.cells is not None:
            cells = domain.codes(self.domain.digits(self.cells)[:, axes])
            if domain.size <= SMALL:
                numbers = np.bincount(cells, self.values, minlength=domain.size)
                return Table.holding(domain, numbers, kind=kind)
            return aggregated(domain, cells, self.values, kind)
        others = tuple(axis for axis in range(len(self.shape)) if axis not in axes)
        order = sorted(axes)
        sums = self.values.reshape(self.shape).sum(axis=others)
        axes_in_order = sums.transpose([order.index(axis) for axis in axes])
        return Table.holding(domain, axes_in_order.reshape(-1), kind=kind)

    @weighed
    def where(self, expression: Mapping[str, object] | None = None, **levels: object) -> Table:
        """The slice in which the named attributes have the given levels; their axes are gone.

        Parameters
        ----------
        expression, levels
            The level of each attribute that is fixed.

        Returns
        -------
        Table
            The slice; of reports by a reported answer it can be looked at, and not undone.

        Raises
        ------
        ValueError
            If an attribute has no such level.

        Examples
        --------
        >>> table = count(pd.DataFrame({"A": [1, 1, 0, 1], "B": [0, 1, 0, 0]}))
        >>> table.where(A=1).dense
        array([2., 1.])
        """
        condition = {**(expression or {}), **levels}
        numbers = {self.domain.axis(n): self.domain.level(n, v) for n, v in condition.items()}
        rest = self.domain.only([name for name in self.names if name not in condition])
        kind = self.kind.where(condition)
        if self.cells is not None:
            digits = self.domain.digits(self.cells)
            inside = np.ones(len(digits), dtype=bool)
            for axis, level in numbers.items():
                inside &= digits[:, axis] == level
            left = [axis for axis in range(len(self.shape)) if axis not in numbers]
            return Table.holding(
                rest, self.values[inside], rest.codes(digits[inside][:, left]), kind
            )
        index = tuple(numbers.get(axis, slice(None)) for axis in range(len(self.shape)))
        return Table.holding(rest, self.values.reshape(self.shape)[index].reshape(-1), kind=kind)

    def n(self, expression: Mapping[str, object] | None = None, **levels: object) -> float:
        """The (estimated) number of records that satisfy a logical expression.

        >>> count(pd.DataFrame({"A": [1, 1, 0], "B": [0, 1, 0]})).n(A=1)
        2.0
        """
        return self.where(expression, **levels).total

    def p(self, expression: Mapping[str, object] | None = None, **levels: object) -> float:
        """The (estimated) proportion of records that satisfy a logical expression.

        Names that are no Python identifiers go in a dictionary: ``table.p({"hours-per-week": 1})``.

        Parameters
        ----------
        expression, levels
            The level of each attribute that is asked for.

        Returns
        -------
        float
            The share; of an estimate it may lie below 0 or above 1.

        Raises
        ------
        ValueError
            If the table is empty.
        """
        number, total = self.n(expression, **levels), self.total
        if total == 0:
            raise ValueError("a table with total 0 has no proportions")
        return number / total

    def entropy(self) -> float:
        """The entropy of the proportions, in bits; an estimated count below zero counts as zero.

        >>> Table(Domain(("A",), ((0, 1, 2),)), [2, 2, -1]).entropy()
        1.0
        """
        positive = self.values[self.values > 0]
        shares = positive / max(positive.sum(), 1e-300)
        return float(-(shares * np.log2(shares)).sum())

    # -- pairs -----------------------------------------------------------------------------

    def pairs(self, target: str) -> Pairs:
        """The marginals of every attribute with the target, in one pass over the cells.

        >>> table = count(pd.DataFrame({"A": [1, 1, 0], "B": [0, 1, 0], "C": [1, 1, 0]}))
        >>> table.pairs("C").table("A").dense
        array([[1., 0.],
               [0., 2.]])
        """
        self._refuse_no_levels()
        axis = self.domain.axis(target)
        classes, sizes = self.shape[axis], _others(self.shape, axis)
        if not len(sizes):
            values = np.zeros((0, 0, classes))
        elif self.cells is not None:
            strides = np.delete(self.domain.strides, axis)
            values = folding.sparse_pairs(
                self.cells, self.values, strides, sizes, self.domain.strides[axis], classes
            )
        else:
            values = folding.dense_pairs(self.by_class(target), classes, sizes)
        totals = values[0].sum(axis=0) if len(sizes) else self.marginal(target).dense
        return Pairs(self.domain, target, values, totals, self.kind)

    def by_class(self, target: str) -> np.ndarray:
        """The numbers of all cells of a dense table, those of the target's first level first.

        A new array, whatever the target: a tree grows in it.

        >>> count(pd.DataFrame({"A": [1, 1, 0], "C": [1, 1, 0]})).by_class("C")
        array([1., 0., 0., 2.])
        """
        self._refuse_no_levels()
        axis = self.domain.axis(target)
        after = math.prod(self.shape[axis + 1 :])
        values = self.densified().values.reshape(-1, self.shape[axis], after)
        return values.swapaxes(0, 1).flatten()

    def _refuse_no_levels(self) -> None:
        if 0 in self.shape:
            name = self.names[self.shape.index(0)]
            raise ValueError(
                f"{name!r} has no levels, as no record tells any: declare them, as in "
                f"count(frame, levels={{{name!r}: [...]}})"
            )

    # -- pandas ----------------------------------------------------------------------------

    def to_frame(self, value: str = "count") -> pd.DataFrame:
        """A row an occupied cell: the levels, and the number in a column of its own.

        >>> count(pd.DataFrame({"A": [1, 1, 0]})).to_frame().values.tolist()
        [[0.0, 1.0], [1.0, 2.0]]
        """
        if value in self.names:
            raise ValueError(
                f"an attribute is called {value!r}: give the column of numbers another name, "
                f"as in to_frame(value={value + 's'!r})"
            )
        cells, values = self.occupied()
        digits = self.domain.digits(cells)
        return from_level_numbers([*digits.T], self.domain).assign(**{value: values})

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, value: str = "count", levels: Mapping | None = None
    ) -> Table:
        """The inverse of :meth:`to_frame`: a row a cell, one column holding the numbers.

        >>> Table.from_frame(pd.DataFrame({"A": [0, 1], "count": [2.5, -1]})).dense
        array([ 2.5, -1. ])
        """
        if value not in frame:
            raise ValueError(f"no column {value!r}; the frame has {listed(frame.columns)}")
        codes, domain = encode(frame.drop(columns=value), levels)
        return aggregated(domain, codes, frame[value].to_numpy(dtype=float)).compact(len(frame))

    # -- records ---------------------------------------------------------------------------

    @classmethod
    def from_crosstab(cls, frame: pd.DataFrame) -> Table:
        """A cross table of pandas, with an axis for each name of its rows and columns.

        Parameters
        ----------
        frame
            What `pandas.crosstab` gives: the names of the questions stand on its rows and columns.

        Returns
        -------
        Table
            Its numbers, which do not say what they count: `reported_by(scheme)` does.

        Raises
        ------
        ValueError
            If an axis has no name.

        Examples
        --------
        >>> votes = pd.DataFrame({"A": [0, 1, 1], "B": ["n", "y", "y"]})
        >>> Table.from_crosstab(pd.crosstab(votes["A"], votes["B"])).dense
        array([[1., 0.],
               [0., 2.]])
        """
        names = [*frame.index.names, *frame.columns.names]
        if None in names:
            raise ValueError("a cross table names its rows and its columns, as pd.crosstab does")
        numbers = frame.melt(ignore_index=False, value_name="count").reset_index().dropna()
        return cls.from_frame(numbers, levels={n: list(numbers[n].unique()) for n in names})

    def split(self, size: int, rng: np.random.Generator) -> tuple[Table, Table]:
        """Deal the counted records into two tables, the first of `size` records, at random.

        >>> table = count(pd.DataFrame({"A": [1, 1, 0]}))
        >>> [part.total for part in table.split(2, np.random.default_rng(1))]
        [2.0, 1.0]
        """
        rng = generator(rng)
        cells, counts = whole_counts(self, "dealt")
        if not 0 <= size <= counts.sum():
            raise ValueError(f"{counts.sum():,} records can be dealt; got size = {size!r}")
        few = counts.sum() <= 64 * len(counts)  # then it is faster to draw the records themselves
        hand = rng.multivariate_hypergeometric(counts, size, method="count" if few else "marginals")
        return self._of_records(cells, hand), self._of_records(cells, counts - hand)

    def _of_records(self, cells: np.ndarray, counts: np.ndarray) -> Table:
        """Counts in some cells, stored as this table is."""
        if self.is_sparse:
            return Table.holding(self.domain, counts[counts > 0], cells[counts > 0], self.kind)
        values = np.zeros(self.domain.size)
        values[cells] = counts
        return Table.holding(self.domain, values, kind=self.kind)

    def compact(self, records: float) -> Table:
        """Dense where that is no waste for so many records, else sparse."""
        if worth_dense(self.domain.size, records):
            return self.densified()
        return self.sparsified()


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pair counts (attribute, class) of a table, true or estimated, and its class counts.

    Naive Bayes needs no more, and a split of ID3 is chosen by them. Made by :meth:`Table.pairs`, or
    by :meth:`of` from tables of two attributes, so that the whole table need not be counted.

    >>> pairs = Pairs.of([count(pd.DataFrame({"A": [1, 1, 0], "C": [1, 0, 0]}))], "C")
    >>> pairs.values.tolist(), pairs.totals
    ([[[1.0, 0.0], [1.0, 1.0]]], array([2., 1.]))
    """

    domain: Domain
    target: str
    #: [attribute, level, class]; an attribute with fewer levels than another ends in zeros
    values: np.ndarray
    #: [class]
    totals: np.ndarray
    #: what is counted; pairs that were counted one by one say it one by one
    kind: Kind | tuple[Kind, ...] = NOT_SAID

    @classmethod
    def of(cls, tables: Sequence[Table], target: str, totals: Table | None = None) -> Pairs:
        """The pairs that are given as tables (attribute, target), and the table of the target."""
        names = [(table.names[0], table.levels[0]) for table in tables]
        totals = tables[0].marginal(target) if totals is None else totals
        domain = Domain(*(tuple(part) for part in zip(*names, (target, totals.levels[0]))))
        shape = (len(tables), max((len(levels) for _, levels in names), default=0))
        values = np.zeros((*shape, len(totals.levels[0])))
        for row, table in zip(values, tables, strict=True):
            row[: table.shape[0]] = table.dense
        return cls(domain, target, values, totals.dense, tuple(t.kind for t in (*tables, totals)))

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, without the target."""
        return tuple(name for name in self.domain.names if name != self.target)

    @property
    def sizes(self) -> np.ndarray:
        """The number of levels of each attribute."""
        return _others(self.domain.shape, self.domain.axis(self.target))

    @property
    def exists(self) -> np.ndarray:
        """[attribute, level, 1]: whether an attribute has the level."""
        return _exists(tuple(self.sizes.tolist()))

    def kind_of(self, name: str) -> Kind:
        """What is counted of one attribute with the target, or of the target alone."""
        if isinstance(self.kind, Kind):
            return self.kind.only([name, self.target] if name != self.target else [name])
        return self.kind[[*self.names, self.target].index(name)]

    def table(self, name: str) -> Table:
        """The counts of one attribute with the target."""
        domain = self.domain.only([name, self.target])
        values = self.values[self.names.index(name), : domain.shape[0]]
        return Table(domain, values.reshape(-1), kind=self.kind_of(name))

    def mapped(self, function: Callable[[Table], Table]) -> Pairs:
        """Every table of two, and that of the classes, sent through a function."""
        own = self.domain.only([self.target])
        totals = Table(own, self.totals, kind=self.kind_of(self.target))
        tables = [function(self.table(name)) for name in self.names]
        return Pairs.of(tables, self.target, function(totals))


def whole_counts(table: Table, done: str = "disguised") -> tuple[np.ndarray, np.ndarray]:
    """The occupied cells of a table of records, as integers; anything else is refused.

    >>> whole_counts(Table(Domain(("A",), ((0, 1),)), [0, 3]))
    (array([1]), array([3]))
    """
    cells, values = table.occupied()
    counts = values.astype(np.int64)
    if (counts != values).any() or (counts < 0).any():
        wrong = values[(counts != values) | (counts < 0)][0]
        raise ValueError(f"only whole counts of records can be {done}; the table holds {wrong:g}")
    return cells, counts


@lru_cache(maxsize=256)
def _others(shape: tuple[int, ...], axis: int) -> np.ndarray:
    """The shape without one axis."""
    return held(np.array(shape[:axis] + shape[axis + 1 :], dtype=np.int64))


@lru_cache(maxsize=256)
def _exists(sizes: tuple[int, ...]) -> np.ndarray:
    return held((np.arange(max(sizes, default=0)) < np.array(sizes)[:, None])[:, :, None])


def _numbers(values: ArrayLike, domain: Domain, cells: np.ndarray | None) -> np.ndarray:
    """One number for each cell."""
    if isinstance(values, pd.DataFrame):
        raise ValueError(
            "a frame says which rows and columns it has: see from_crosstab, from_frame"
        )
    array = np.asarray(values, dtype=np.float64)
    size = domain.size if cells is None else len(cells)
    if array.size != size:
        raise ValueError(f"{size} cells need {size} numbers; {array.size} given")
    if array.ndim > 1 and array.shape != domain.shape:
        raise ValueError(
            f"the table has the shape {domain.shape}, an axis an attribute; the numbers have {array.shape}"
        )
    return array.reshape(-1)


def worth_dense(cells: int, records: float) -> bool:
    """Whether one number a cell is the better storage for a table of so many records.

    >>> worth_dense(2**15, 10_000), worth_dense(2**17, 435)
    (True, False)
    """
    return cells <= DENSE_LIMIT and cells <= max(SMALL, 8 * records)


def aggregated(
    domain: Domain, cells: np.ndarray, values: np.ndarray, kind: Kind = NOT_SAID
) -> Table:
    """A sparse table from codes that may repeat: numbers of equal codes are added.

    >>> aggregated(Domain(("A",), ((0, 1),)), np.array([1, 1]), np.array([2.0, 3.0])).dense
    array([0., 5.])
    """
    distinct, where = np.unique(cells, return_inverse=True)
    return Table.holding(
        domain, np.bincount(where, values, minlength=len(distinct)), distinct, kind
    )


class Reported(NamedTuple):
    """Records of another engine, said to be reports of a scheme; made by :func:`reports`.

    >>> Reported("reports.csv", None).records
    'reports.csv'
    """

    records: object
    scheme: Any


def count(
    frame: object,
    levels: Levels = None,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Table:
    """[Zhan & Du 4.1] Count records: the seam between data and everything that is computed.

    Columns of zeros and ones have the levels (0, 1), even where only one of them occurs;
    categorical columns have their categories; other columns their distinct values, sorted.
    `levels` overrides this for the columns that it names. A :class:`Domain` or a survey there says
    what *all* columns are, and a frame that does not match it is refused. A scheme says that the
    records are its reports; a frame that it disguised says so by itself. With `weights`, one for
    each record, the weights are added up. `names` counts these columns only.

    Records may be anywhere: in a pandas frame or an array, in a Polars, Arrow, DuckDB, Dask or
    Spark frame, or in files (``"reports/*.parquet"``, ``"reports.csv"``). Whoever holds them
    groups them, and only the occupied cells come here: the records need not fit in memory.

    Parameters
    ----------
    frame
        The records: a frame of pandas, a 2-d array, a frame of another engine, or a path.
    levels
        The possible answers of some columns by name, or of all (a domain, a survey); or a scheme, which says that
        the records are its reports.
    weights
        How many people each record stands for: a list, or a Series with the frame's labels.
    names
        The columns to count; by default all of them.

    Returns
    -------
    Table
        The numbers of records in each cell, and what they count.

    Raises
    ------
    ValueError
        If a value is missing or among no levels, or the frame is not what is said of it.

    Examples
    --------
    >>> count(pd.DataFrame({"vote": ["y", "n", "y"]}, dtype="category")).dense
    array([1., 2.])
    >>> count(pd.DataFrame({"vote": ["y"]}), {"vote": ("n", "y")}).dense
    array([0., 1.])
    """
    frame, own, scheme = _asked(frame, levels)
    if engines.elsewhere(frame):
        if weights is not None:
            raise ValueError("weights are an array beside a pandas frame; other frames have none")
        source = engines.opened(frame)
        names = _chosen(source.names, names, own)
        (distinct,) = engines.grouped(source, [names])
        return _said(_counted(source, distinct, _only(own, names)), NOT_SAID, scheme)
    frame = as_frame(frame)
    return _count(frame, kinds.of_frame(frame), own, scheme, weights, names)


def _count(
    frame: pd.DataFrame,
    kind: Kind,
    asked: Levels,
    scheme: Scheme | None,
    weights: ArrayLike | None,
    names: Sequence[str] | None,
) -> Table:
    """:func:`count` of a pandas frame whose kind is known."""
    _refuse_crosstab(frame)
    columns = tuple(frame.columns)
    levels_given = _with_those_of(kind, asked, columns)
    if names is not None:
        frame = frame[_chosen(columns, names, levels_given)]
        levels_given = _only(levels_given, names)
    codes, domain = encode(frame, levels_given)
    if names is not None:
        domain = replace(domain, whole=columns)
    weights = beside(frame, weights, "the weights")
    each_weight = None if weights is None else checked_weights(weights, len(codes))
    table = _summed(domain, codes, each_weight)
    if each_weight is not None:
        table.squares = _summed(domain, codes, each_weight**2).values
    return _said(table, kind, scheme)


def _summed(domain: Domain, codes: np.ndarray, weights: np.ndarray | None) -> Table:
    """The number of records in each cell, or the sum of what they weigh."""
    if worth_dense(domain.size, len(codes)):
        return Table(domain, np.bincount(codes, weights, minlength=domain.size))
    if weights is not None:
        return aggregated(domain, codes, weights)
    cells, numbers = np.unique(codes, return_counts=True)
    return Table(domain, numbers, cells)


def _asked(frame: object, levels: Levels) -> tuple[object, Levels, Scheme | None]:
    """The records, what their columns are, and the scheme whose reports they are."""
    if isinstance(frame, Reported):
        return frame.records, declared(frame.scheme) if levels is None else levels, frame.scheme
    if not hasattr(levels, "kind_of_reports"):
        return frame, levels, None
    return frame, declared(levels), levels


def _said(table: Table, kind: Kind, scheme: Scheme | None) -> Table:
    """A table of what its frame says it holds and, if that is not said, of what a scheme reports."""
    table = table.of_kind(kind.only(table.names))
    if scheme is None:
        return table
    if kind.what == "reports":
        own = scheme.kind_of_reports(table.domain)
        kinds.need_channels(own.channels, table.kind, scheme)
        return table
    return table.reported_by(scheme)


def _with_those_of(kind: Kind, levels: Levels, columns: Sequence[str]) -> Levels:
    """The levels that are given, and those of reports that say how they were made."""
    own_levels = {name: own for name, own in kinds.levels_of(kind).items() if name in columns}
    if declared(levels) is not None:
        return levels
    by_name = levels if isinstance(levels, Mapping) else {}
    for name, own in own_levels.items():
        if name in by_name and tuple(in_order(f"the levels of {name!r}", by_name[name])) != own:
            raise ValueError(
                f"the reports of {name!r} have the levels {listed(own)}, in this order; "
                f"given are {listed(by_name[name])}"
            )
    return {**own_levels, **by_name}


def _refuse_crosstab(frame: pd.DataFrame) -> None:
    if frame.columns.name is not None and None not in frame.index.names:
        raise ValueError(
            f"this is a cross table of {listed([*frame.index.names, *frame.columns.names])}, and its "
            "rows are no records: Table.from_crosstab(frame) takes its numbers"
        )


def reports(frame: Any, scheme: Scheme, levels: Levels = None) -> Any:
    """Records that are reports of a scheme, marked so; for reports that come from elsewhere.

    What the scheme does not protect stays as it is: the marks of two schemes stand side by side.

    Parameters
    ----------
    frame
        Reports that do not say so: from a file, from another program.
    scheme
        What disguised them.
    levels
        The possible reports, where the scheme does not say them.

    Returns
    -------
    The same records, marked as the scheme's reports.

    Raises
    ------
    ValueError
        If they are marked already, or are none of the scheme's reports.

    Examples
    --------
    >>> from ppdm import MultiGroup
    >>> said = reports(pd.DataFrame({"A": [0, 1, 1]}), MultiGroup(0.8))
    >>> count(said).kind
    reports (flip of A)
    """
    if engines.elsewhere(frame):
        return Reported(frame, scheme)
    frame = as_frame(frame)
    table = count(frame, declared(scheme) if levels is None else levels)
    kind, own = table.kind, scheme.kind_of_reports(table.domain)
    both = [name for name in own.disguised if name in kind.disguised]
    if both or kind.what == "answers":
        raise ValueError(
            f"{listed(both or own.disguised)} are marked as {kind!r} already: a frame is marked once"
        )
    return kinds.mark(frame.copy(), Kind("reports", kind.channels + own.channels))


def count_marginals(
    frame: object, marginals: Iterable[Sequence[str]], levels: Levels = None
) -> list[Table]:
    """Count several tables of few attributes each, without the table of all.

    Where 2^40 cells would be too many to bring home, these are what a learner needs. The engines
    read the records once for all of them (DuckDB and Spark: once for every sixty columns).

    >>> frame = pd.DataFrame({"A": [1, 1, 0], "B": [0, 1, 0], "C": [0, 0, 0]})
    >>> [table.dense.tolist() for table in count_marginals(frame, [["A", "B"], ["C"]])]
    [[[1.0, 0.0], [1.0, 1.0]], [3.0, 0.0]]
    """
    marginals = [list(names) for names in marginals]
    frame, own, scheme = _asked(frame, levels)
    if not engines.elsewhere(frame):
        frame = as_frame(frame)
        kind = kinds.of_frame(frame)
        return [_count(frame, kind, own, scheme, None, names) for names in marginals]
    source = engines.opened(frame)
    for names in marginals:
        _chosen(source.names, names, own)
    covers = engines.together(source, marginals)
    tables = [
        _counted(source, cells, _only(own, cover))
        for cover, cells in zip(covers, engines.grouped(source, covers), strict=True)
    ]
    parts = [
        next(table for table in tables if set(names) <= set(table.names)).marginal(*names)
        for names in marginals
    ]
    return [_said(part, NOT_SAID, scheme) for part in parts]


def names_of(records: object) -> list[str]:
    """The columns of records, wherever they are.

    >>> names_of(np.zeros((2, 3)))
    ['x0', 'x1', 'x2']
    """
    if isinstance(records, Reported):
        return names_of(records.records)
    if engines.elsewhere(records):
        return engines.opened(records).names
    return list(as_frame(records).columns)


def _counted(source: engines.Source, cells: engines.Cells, levels: Mapping) -> Table:
    """A table from the distinct records that an engine found."""
    frame, numbers = cells
    if source.text:  # what stands in a file of words has no type of its own
        frame = frame.assign(**{n: _as_levels(frame[n], own) for n, own in levels.items()})
    types = engines.declared_levels(source, [name for name in frame.columns if name not in levels])
    codes, domain = encode(frame, {**types, **levels}, numbers)
    domain = replace(domain, whole=tuple(source.names))
    return aggregated(domain, codes, numbers).compact(numbers.sum())


def _as_levels(column: pd.Series, levels: Iterable) -> pd.Series:
    by_text = {str(level): level for level in levels}
    return pd.Series([by_text.get(str(v), v) for v in column.tolist()], dtype=object)


def _chosen(columns: Iterable[str], names: Sequence[str] | None, levels: Levels) -> list[str]:
    """The columns to count, all if none are named; unknown ones are refused."""
    if isinstance(names, str):
        raise ValueError(f"names is a list of columns; got the bare name {names!r}")
    columns, whole = [*columns], declared(levels)
    if whole is not None and names is None:
        return list(columns_of(whole, pd.DataFrame(columns=columns)).columns)
    choice = levels if whole is None else whole.names
    refuse_unknown([name for name in choice or () if whole is None], columns)
    unknown = [name for name in names or () if name not in columns]
    if unknown:
        raise ValueError(f"the frame has no column {listed(unknown)}; it has {listed(columns)}")
    if not columns or (names is not None and not len(names)):
        raise ValueError("a table needs at least one attribute; the frame has no columns")
    return columns if names is None else list(names)


def _only(levels: Levels, names: Sequence[str]) -> dict[str, tuple]:
    """The levels of these columns, as far as they are given, by name."""
    whole = declared(levels)
    if whole is not None:
        levels = dict(zip(whole.names, whole.levels, strict=True))
    part = {name: own_levels for name, own_levels in (levels or {}).items() if name in names}
    return {
        name: tuple(in_order(f"the levels of {name!r}", own_levels))
        for name, own_levels in part.items()
    }


def checked_weights(weights: ArrayLike, records: int) -> np.ndarray:
    """Weights of records as numbers: one each, finite, not negative, not all zero.

    >>> checked_weights([1, 2], 2)
    array([1., 2.])
    """
    try:
        numbers = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"weights are numbers, one a record; got {weights!r}") from None
    if numbers.shape != (records,):
        raise ValueError(f"{records} records need {records} weights; got the shape {numbers.shape}")
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.sum() > 0:
        raise ValueError("weights are finite and not negative, and not all of the weights are zero")
    return numbers


def _flat(names: tuple) -> tuple[str, ...]:
    """Accept marginal("A", "B") and marginal(["A", "B"]); a name may be a number."""
    if len(names) == 1 and not isinstance(names[0], str) and isinstance(names[0], Iterable):
        return tuple(names[0])
    return names
