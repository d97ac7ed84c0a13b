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
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ppdm import engines, folding
from ppdm.chance import generator
from ppdm.levels import in_order, places, zeros_and_ones

#: Up to here a table may be dense whatever the number of records.
SMALL = 4_096
#: Above this many cells no dense table is made (it would need 128 MB and more).
DENSE_LIMIT = 2**24
#: Codes are 64-bit integers.
CODE_LIMIT = 2**62
#: What may be said of columns: levels of some of them by name, or (a domain, a survey, a scheme)
#: of all of them.
Levels = Any


@dataclass(frozen=True)
class Domain:
    """Names and levels of the attributes, in order.

    >>> Domain(("smokes", "age"), ((0, 1), ("young", "old"))).size
    4
    """

    names: tuple[str, ...]
    levels: tuple[tuple, ...]
    #: The names of the whole record, of which these may be a part: so a mechanism can tell a
    #: marginal, which lacks some of the names that it knows, from a name that is misspelt.
    whole: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            repeated = {name for name in self.names if self.names.count(name) > 1}
            raise ValueError(
                f"attribute names must differ; repeated: {listed(sorted(repeated, key=str))}"
            )
        if self.whole:  # made from a domain that is checked
            return
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "levels", tuple(map(tuple, self.levels)))
        object.__setattr__(self, "whole", self.names)
        if len(self.names) != len(self.levels):
            raise ValueError(
                f"{len(self.names)} attributes need as many tuples of levels; "
                f"{len(self.levels)} given"
            )
        for name, levels in zip(self.names, self.levels, strict=True):
            _refuse_repeated(name, levels)

    def __getstate__(self) -> dict[str, tuple]:
        """What it is, without what was computed of it: so its checksum stays the same when it is used."""
        return {"names": self.names, "levels": self.levels, "whole": self.whole}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(levels) for levels in self.levels)

    @cached_property
    def size(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def strides(self) -> np.ndarray:
        """What one step along each axis adds to a code."""
        if self.size > CODE_LIMIT:
            raise ValueError(
                f"{len(self.names)} attributes make 2^{math.log2(self.size):.0f} cells; a table "
                f"has at most 2^{math.log2(CODE_LIMIT):.0f}: count fewer attributes at a time"
            )
        steps = [math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        return held(np.array(steps, dtype=np.int64))

    def axis(self, name: str) -> int:
        """The position of an attribute; an unknown one is refused by name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise ValueError(
                f"unknown attribute {name!r}; the table has {listed(self.names)}"
            ) from None

    def only(self, names: Sequence[str]) -> Domain:
        """The domain of some of the attributes, in the order given."""
        levels = tuple(self.levels[self.axis(name)] for name in names)
        return Domain(tuple(names), levels, self.whole)

    def with_levels(self, levels: Mapping[str, tuple]) -> Domain:
        """The same attributes, some of them with other levels.

        >>> Domain(("A", "B"), ((0, 1), (0, 1))).with_levels({"B": ("n", "y")}).levels
        ((0, 1), ('n', 'y'))
        """
        for name, given in levels.items():
            _refuse_repeated(name, given)
        new = tuple(levels.get(n, old) for n, old in zip(self.names, self.levels, strict=True))
        return Domain(self.names, new, self.whole)

    def level(self, name: str, value: object) -> int:
        """The number of a level within its attribute."""
        levels = self.levels[self.axis(name)]
        if value not in levels:
            raise ValueError(f"{name!r} has no level {value!r}; its levels are {listed(levels)}")
        return levels.index(value)

    def digits(self, codes: np.ndarray) -> np.ndarray:
        """Codes (cells,) to level numbers (cells, attributes)."""
        codes = np.asarray(codes, dtype=np.int64)[:, None]
        shape = np.array(self.shape, dtype=np.int64)
        if (shape & (shape - 1)).any():
            return (codes // self.strides) % shape
        shifts = [stride.bit_length() - 1 for stride in map(int, self.strides)]
        return (codes >> np.array(shifts, dtype=np.int64)) & (
            shape - 1
        )  # a division takes ten times as long

    def codes(self, digits: np.ndarray) -> np.ndarray:
        """Level numbers (cells, attributes) to codes (cells,)."""
        codes = np.zeros(len(digits), dtype=np.int64)
        for column, stride in zip(np.asarray(digits).T, self.strides, strict=True):
            codes += column.astype(np.int64) * stride
        return codes


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
    """

    __slots__ = ("cells", "domain", "values")

    def __init__(self, domain: Domain, values: np.ndarray, cells: np.ndarray | None = None):
        self.domain = domain
        self.values = np.asarray(values, dtype=np.float64).reshape(-1)
        self.cells = cells
        expected = domain.size if cells is None else len(cells)
        if len(self.values) != expected:
            raise ValueError(f"{expected} cells need {expected} numbers; {len(self.values)} given")

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
    def dense(self) -> np.ndarray:
        """The numbers as an array with one axis an attribute."""
        return self.densified().values.reshape(self.shape)

    def __repr__(self) -> str:
        axes = " x ".join(f"{name}({len(lev)})" for name, lev in zip(self.names, self.levels))
        kind = f"{len(self.values)} occupied cells" if self.is_sparse else "dense"
        return f"<Table {axes}: total {self.total:g}, {kind}>"

    # -- storage ---------------------------------------------------------------------------

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
        return Table(self.domain, values)

    def sparsified(self) -> Table:
        """The same table as its occupied cells only."""
        if self.is_sparse:
            return self
        cells, values = self.occupied()
        return Table(self.domain, values, cells)

    def occupied(self) -> tuple[np.ndarray, np.ndarray]:
        """Codes and numbers of the cells that are not zero."""
        if self.cells is not None:
            there = self.values != 0
            if there.all():
                return self.cells, self.values
            return self.cells[there], self.values[there]
        cells = np.flatnonzero(self.values != 0)  # of truth values it is found ten times faster
        return cells, self.values[cells]

    def _as(self, values: np.ndarray) -> Table:
        return Table(self.domain, values, self.cells)

    # -- arithmetic ------------------------------------------------------------------------

    def __add__(self, other: Table) -> Table:
        """Pool two tables over the same domain."""
        if self.domain != other.domain:
            raise ValueError(
                "tables over different domains cannot be added: "
                f"{listed(self.names)} and {listed(other.names)}, or their levels, differ"
            )
        if not self.is_sparse or not other.is_sparse:
            return Table(self.domain, self.densified().values + other.densified().values)
        cells = np.concatenate([self.cells, other.cells])
        return aggregated(self.domain, cells, np.concatenate([self.values, other.values]))

    def __mul__(self, factor: float) -> Table:
        return self._as(self.values * factor)

    __rmul__ = __mul__

    def proportions(self) -> Table:
        """The same table with total one."""
        total = self.total
        if not total > 0:
            raise ValueError(f"a table with total {total:g} has no proportions")
        return self * (1 / total)

    # -- parts -----------------------------------------------------------------------------

    def marginal(self, *names: str) -> Table:
        """Sum over all attributes but those named; the axes come in the order of the names.

        >>> count(pd.DataFrame({"A": [1, 1, 0], "B": [0, 1, 0]})).marginal("B", "A").dense
        array([[1., 1.],
               [0., 1.]])
        """
        names = _flat(names)
        domain = self.domain.only(names)
        axes = [self.domain.axis(name) for name in names]
        if self.cells is not None:
            cells = domain.codes(self.domain.digits(self.cells)[:, axes])
            if domain.size <= SMALL:
                return Table(domain, np.bincount(cells, self.values, minlength=domain.size))
            return aggregated(domain, cells, self.values)
        others = tuple(axis for axis in range(len(self.shape)) if axis not in axes)
        kept = sorted(axes)
        summed = self.values.reshape(self.shape).sum(axis=others)
        return Table(domain, summed.transpose([kept.index(axis) for axis in axes]).reshape(-1))

    def where(self, expression: Mapping[str, object] | None = None, **levels: object) -> Table:
        """The slice in which the named attributes have the given levels; their axes are gone.

        >>> table = count(pd.DataFrame({"A": [1, 1, 0, 1], "B": [0, 1, 0, 0]}))
        >>> table.where(A=1).dense
        array([2., 1.])
        """
        fixed = {**(expression or {}), **levels}
        numbers = {self.domain.axis(n): self.domain.level(n, v) for n, v in fixed.items()}
        rest = self.domain.only([name for name in self.names if name not in fixed])
        if self.cells is not None:
            digits = self.domain.digits(self.cells)
            inside = np.ones(len(digits), dtype=bool)
            for axis, level in numbers.items():
                inside &= digits[:, axis] == level
            left = [axis for axis in range(len(self.shape)) if axis not in numbers]
            return Table(rest, self.values[inside], rest.codes(digits[inside][:, left]))
        index = tuple(numbers.get(axis, slice(None)) for axis in range(len(self.shape)))
        return Table(rest, self.values.reshape(self.shape)[index].reshape(-1))

    def n(self, expression: Mapping[str, object] | None = None, **levels: object) -> float:
        """The (estimated) number of records that satisfy a logical expression.

        >>> count(pd.DataFrame({"A": [1, 1, 0], "B": [0, 1, 0]})).n(A=1)
        2.0
        """
        return self.where(expression, **levels).total

    def p(self, expression: Mapping[str, object] | None = None, **levels: object) -> float:
        """The (estimated) proportion of records that satisfy a logical expression.

        Names that are no Python identifiers go in a dictionary: ``table.p({"hours-per-week": 1})``.
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
        return Pairs(self.domain, target, values, totals)

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
        columns = {
            name: pd.array(np.array(levels, dtype=object)[digits[:, axis]]).astype(
                pd.Series(list(levels)).dtype
            )
            for axis, (name, levels) in enumerate(zip(self.names, self.levels, strict=True))
        }
        return pd.DataFrame({**columns, value: values})

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
        drawn = rng.multivariate_hypergeometric(
            counts, size, method="count" if few else "marginals"
        )
        return self._of_records(cells, drawn), self._of_records(cells, counts - drawn)

    def _of_records(self, cells: np.ndarray, counts: np.ndarray) -> Table:
        """Counts in some cells, stored as this table is."""
        if self.is_sparse:
            return Table(self.domain, counts[counts > 0], cells[counts > 0])
        values = np.zeros(self.domain.size)
        values[cells] = counts
        return Table(self.domain, values)

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
        return cls(domain, target, values, totals.dense)

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

    def table(self, name: str) -> Table:
        """The counts of one attribute with the target."""
        domain = self.domain.only([name, self.target])
        values = self.values[self.names.index(name), : domain.shape[0]]
        return Table(domain, values.reshape(-1))

    def mapped(self, function: Callable[[Table], Table]) -> Pairs:
        """Every table of two, and that of the classes, sent through a function."""
        totals = Table(self.domain.only([self.target]), self.totals)
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


def _refuse_repeated(name: str, levels: tuple) -> None:
    if len(set(levels)) < len(levels):
        raise ValueError(
            f"the levels of {name!r} must differ (1, 1.0 and True are the same): {listed(levels)}"
        )


def held(array: np.ndarray) -> np.ndarray:
    """An array that somebody keeps for later: whoever writes into it is refused.

    >>> held(np.zeros(2))[0] = 1
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    array.flags.writeable = False
    return array


def worth_dense(cells: int, records: float) -> bool:
    """Whether one number a cell is the better storage for a table of so many records.

    >>> worth_dense(2**15, 10_000), worth_dense(2**17, 435)
    (True, False)
    """
    return cells <= DENSE_LIMIT and cells <= max(SMALL, 8 * records)


def aggregated(domain: Domain, cells: np.ndarray, values: np.ndarray) -> Table:
    """A sparse table from codes that may repeat: numbers of equal codes are added.

    >>> aggregated(Domain(("A",), ((0, 1),)), np.array([1, 1]), np.array([2.0, 3.0])).dense
    array([0., 5.])
    """
    distinct, where = np.unique(cells, return_inverse=True)
    return Table(domain, np.bincount(where, values, minlength=len(distinct)), distinct)


def count(
    frame: object,
    levels: Levels = None,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Table:
    """[Zhan & Du 4.1] Count records: the seam between data and everything that is computed.

    Columns of zeros and ones have the levels (0, 1), even where only one of them occurs;
    categorical columns have their categories; other columns their distinct values, sorted.
    `levels` overrides this for the columns that it names. A :class:`Domain`, a survey or a scheme
    there says what *all* columns are, and a frame that does not match it is refused. With
    `weights`, one for each record, the weights are added up. `names` counts these columns only.

    Records may be anywhere: in a pandas frame or an array, in a Polars, Arrow, DuckDB, Dask or
    Spark frame, or in files (``"reports/*.parquet"``, ``"reports.csv"``). Whoever holds them
    groups them, and only the occupied cells come here: the records need not fit in memory.

    >>> count(pd.DataFrame({"vote": ["y", "n", "y"]}, dtype="category")).dense
    array([1., 2.])
    >>> count(pd.DataFrame({"vote": ["y"]}), {"vote": ("n", "y")}).dense
    array([0., 1.])
    """
    if engines.elsewhere(frame):
        if weights is not None:
            raise ValueError("weights are an array beside a pandas frame; other frames have none")
        source = engines.opened(frame)
        names = _chosen(source.names, names, levels)
        (distinct,) = engines.grouped(source, [names])
        return _counted(source, distinct, _only(levels, names))
    frame = as_frame(frame)
    columns = tuple(frame.columns)
    if names is not None:
        frame = frame[_chosen(columns, names, levels)]
        levels = _only(levels, names)
    codes, domain = encode(frame, levels)
    if names is not None:
        domain = replace(domain, whole=columns)
    weighed = None if weights is None else checked_weights(weights, len(codes))
    if worth_dense(domain.size, len(codes)):
        return Table(domain, np.bincount(codes, weighed, minlength=domain.size))
    if weighed is not None:
        return aggregated(domain, codes, weighed)
    cells, numbers = np.unique(codes, return_counts=True)
    return Table(domain, numbers, cells)


def count_marginals(
    frame: object, marginals: Iterable[Sequence[str]], levels: Levels = None
) -> list[Table]:
    """Count several tables of few attributes each, without the table of all.

    Where 2^40 cells would be too many to bring home, these are what a learner needs. Marginals that
    make few cells together are counted together, so that the engines read each column seldom.

    >>> frame = pd.DataFrame({"A": [1, 1, 0], "B": [0, 1, 0], "C": [0, 0, 0]})
    >>> [table.dense.tolist() for table in count_marginals(frame, [["A", "B"], ["C"]])]
    [[[1.0, 0.0], [1.0, 1.0]], [3.0, 0.0]]
    """
    marginals = [list(names) for names in marginals]
    if not engines.elsewhere(frame):
        return [count(frame, levels, names=names) for names in marginals]
    source = engines.opened(frame)
    for names in marginals:
        _chosen(source.names, names, levels)
    covers = engines.together(source, marginals)
    tables = [
        _counted(source, cells, _only(levels, cover))
        for cover, cells in zip(covers, engines.grouped(source, covers), strict=True)
    ]
    return [
        next(table for table in tables if set(names) <= set(table.names)).marginal(*names)
        for names in marginals
    ]


def names_of(records: object) -> list[str]:
    """The columns of records, wherever they are.

    >>> names_of(np.zeros((2, 3)))
    ['x0', 'x1', 'x2']
    """
    if engines.elsewhere(records):
        return engines.opened(records).names
    return list(as_frame(records).columns)


def _counted(source: engines.Source, cells: engines.Cells, levels: Mapping) -> Table:
    """A table from the distinct records that an engine found."""
    frame, numbers = cells
    if source.text:  # what stands in a file of words has no type of its own
        frame = frame.assign(**{n: _as_levels(frame[n], given) for n, given in levels.items()})
    types = engines.declared_levels(source, [name for name in frame.columns if name not in levels])
    codes, domain = encode(frame, {**types, **levels}, numbers)
    domain = replace(domain, whole=tuple(source.names))
    return aggregated(domain, codes, numbers).compact(numbers.sum())


def _as_levels(column: pd.Series, levels: Iterable) -> pd.Series:
    written = {str(level): level for level in levels}
    return pd.Series([written.get(str(v), v) for v in column.tolist()], dtype=object)


def _chosen(columns: Iterable[str], names: Sequence[str] | None, levels: Levels) -> list[str]:
    """The columns to count, all if none are named; unknown ones are refused."""
    if isinstance(names, str):
        raise ValueError(f"names is a list of columns; got the bare name {names!r}")
    columns, whole = [*columns], declared(levels)
    if whole is not None and names is None:
        return list(_columns_of(whole, pd.DataFrame(columns=columns)).columns)
    given = levels if whole is None else whole.names
    _refuse_unknown([name for name in given or () if whole is None], columns)
    unknown = [name for name in names or () if name not in columns]
    if unknown:
        raise ValueError(f"the frame has no column {listed(unknown)}; it has {listed(columns)}")
    if not columns or (names is not None and not len(names)):
        raise ValueError("a table needs at least one attribute; the frame has no columns")
    return columns if names is None else list(names)


def _refuse_unknown(levels: Iterable, columns: Iterable) -> None:
    unknown = [name for name in levels if name not in columns]
    if unknown:
        raise ValueError(f"levels name {listed(unknown)}; the frame has {listed(columns)}")


def _only(levels: Levels, names: Sequence[str]) -> dict[str, tuple]:
    """The levels of these columns, as far as they are given, by name."""
    whole = declared(levels)
    if whole is not None:
        levels = dict(zip(whole.names, whole.levels, strict=True))
    return {name: tuple(given) for name, given in (levels or {}).items() if name in names}


def checked_weights(weights: ArrayLike, records: int) -> np.ndarray:
    """Weights of records as numbers: one each, finite, not negative, not all zero.

    >>> checked_weights([1, 2], 2)
    array([1., 2.])
    """
    numbers = np.asarray(weights, dtype=float)
    if numbers.shape != (records,):
        raise ValueError(f"{records} records need {records} weights; got {numbers.shape}")
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.sum() > 0:
        raise ValueError("weights are finite and not negative, and at least one is positive")
    return numbers


def encode(
    frame: pd.DataFrame | np.ndarray, levels: Levels = None, alike: np.ndarray | None = None
) -> tuple[np.ndarray, Domain]:
    """Records as codes, one integer each, and the domain they refer to.

    With `alike` a row stands for that many equal records, and a complaint says for how many.

    >>> encode(pd.DataFrame({"A": [0, 1], "B": [1, 1]}))[0]
    array([1, 3])
    """
    columns, domain = level_numbers(frame, levels, alike)
    return codes_of(columns, domain), domain


def codes_of(columns: Sequence[np.ndarray], domain: Domain) -> np.ndarray:
    """Columns of level numbers as one integer a record.

    >>> codes_of([np.array([0, 1]), np.array([1, 1])], Domain(("A", "B"), ((0, 1), (0, 1))))
    array([1, 3])
    """
    codes = np.array(columns[-1], dtype=np.int64)  # its stride is 1
    for numbers, stride in zip(columns[:-1], domain.strides[:-1], strict=True):
        codes += np.multiply(numbers, stride, dtype=np.int64)
    return codes


def level_numbers(
    frame: pd.DataFrame | np.ndarray, levels: Levels = None, alike: np.ndarray | None = None
) -> tuple[list[np.ndarray], Domain]:
    """Records as numbers of levels, a column each, and the domain: :func:`encode` without codes,
    for any number of attributes.

    >>> level_numbers(pd.DataFrame({"A": ["y", "n"], "B": [1, 1]}))[0]
    [array([1, 0]), array([1, 1])]
    """
    frame, whole = as_frame(frame), declared(levels)
    if not len(frame.columns):
        raise ValueError("a table needs at least one attribute; the frame has no columns")
    if whole is not None:
        frame = _columns_of(whole, frame)
        levels = dict(zip(whole.names, whole.levels, strict=True))
    _refuse_unknown(levels or (), frame.columns)
    columns, found = [], []
    for name in frame.columns:
        numbers, column_levels = _coded_column(frame[name], (levels or {}).get(name), alike)
        columns.append(numbers)
        found.append(column_levels)
    if whole is None:
        whole = Domain(tuple(frame.columns), tuple(found))
    return columns, whole


def declared(levels: Levels) -> Domain | None:
    """What is declared of all columns, by a domain, a survey or a scheme; None if nothing is.

    >>> declared({"A": (0, 1)}) is None
    True
    """
    if levels is None or isinstance(levels, Mapping):
        for name, given in (levels or {}).items():
            in_order(f"the levels of {name!r}", given)
        return None
    for name in ("reports", "domain"):  # a scheme counts reports, a survey answers
        levels = getattr(levels, name, levels)
    if not isinstance(levels, Domain):
        raise ValueError(
            "levels is a mapping from columns to their levels, a domain, a survey or a scheme; "
            f"got {levels!r}"
        )
    return levels


def _columns_of(domain: Domain, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of a frame in the order of a domain; they must be the same ones."""
    refuse_other_columns(frame.columns, domain)
    if tuple(frame.columns) != domain.names:
        warnings.warn("the columns stand in another order: they are taken by name", stacklevel=2)
    return frame[list(domain.names)]


def refuse_other_columns(columns: Iterable[str], domain: Domain) -> None:
    """Refuse columns that are not the attributes of a domain, in whatever order.

    >>> refuse_other_columns(["a"], Domain(("A",), ((0, 1),)))
    Traceback (most recent call last):
    ValueError: the records lack A and have a, which is not asked; asked is A
    """
    columns = list(columns)
    missing = [name for name in domain.names if name not in columns]
    extra = [name for name in columns if name not in domain.names]
    if missing or extra:
        lacks = f"lack {listed(missing)}" if missing else ""
        has = f"have {listed(extra)}, which is not asked" if extra else ""
        raise ValueError(
            f"the records {' and '.join(filter(None, (lacks, has)))}; "
            f"asked is {listed(domain.names)}"
        )


def decode(codes: np.ndarray, domain: Domain, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """Codes back to records, with the column types of `like` where that is given.

    >>> decode(np.array([2, 0]), Domain(("A",), (("no", "so so", "yes"),)))["A"].tolist()
    ['yes', 'no']
    """
    return from_level_numbers(domain.digits(codes), domain, like)


def from_level_numbers(
    digits: np.ndarray, domain: Domain, like: pd.DataFrame | None = None
) -> pd.DataFrame:
    """:func:`decode` for records as numbers of levels, a column an attribute.

    >>> from_level_numbers(np.array([[1], [0]]), Domain(("A",), (("n", "y"),)))["A"].tolist()
    ['y', 'n']
    """
    columns = {}
    for axis, (name, levels) in enumerate(zip(domain.names, domain.levels, strict=True)):
        values = pd.Series(list(levels)).take(digits[:, axis]).reset_index(drop=True)
        if like is not None and name in like.columns and _fits(levels, like[name].dtype):
            values = values.astype(like[name].dtype)
        columns[name] = values.array
    index = like.index if like is not None and len(like) == len(digits) else None
    return pd.DataFrame(columns, index=index)


def _fits(levels: tuple, dtype: Any) -> bool:
    """Whether a column of this type can hold the levels."""
    if isinstance(dtype, pd.CategoricalDtype):
        return set(levels) <= set(dtype.categories)
    words = not pd.api.types.is_object_dtype(dtype) and pd.api.types.is_string_dtype(dtype)
    if words and not all(isinstance(level, str) for level in levels):
        return False  # the reports are levels of the survey, whatever the answers were written as
    if dtype.kind not in "iubf":
        return True
    try:  # a type of whole numbers would cut 0.5 down to 0
        held = pd.Series(list(levels)).astype(dtype).tolist()
    except (TypeError, ValueError, OverflowError):
        return False
    return all(a == b for a, b in zip(held, levels, strict=True))


def as_frame(records: object) -> pd.DataFrame:
    """Arrays get the column names x0, x1, ...; pandas' frames stay as they are, others are read.

    >>> list(as_frame(np.zeros((2, 3))).columns)
    ['x0', 'x1', 'x2']
    """
    if isinstance(records, pd.Series):
        return records.to_frame(records.name if records.name is not None else "x0")
    if isinstance(records, pd.DataFrame):
        if not records.columns.is_unique:
            repeated = sorted(set(records.columns[records.columns.duplicated()]), key=str)
            raise ValueError(f"column names must differ; repeated: {listed(repeated)}")
        return records
    if engines.elsewhere(records):
        return engines.to_pandas(records)
    array = np.asarray(records)
    if array.ndim != 2:
        raise ValueError(f"records must be a frame or a 2-d array; got {array.ndim} dimension(s)")
    return pd.DataFrame(array, columns=[f"x{axis}" for axis in range(array.shape[1])])


def _coded_column(
    column: pd.Series, given: Iterable | None, alike: np.ndarray | None = None
) -> tuple[np.ndarray, tuple]:
    """A column as level numbers, and its levels."""
    given = None if given is None else tuple(given)
    if (
        given in (None, (0, 1))
        and isinstance(column.dtype, np.dtype)
        and column.dtype.kind in "iub"
    ):
        bits = column.to_numpy()
        if len(bits) and bits.min() >= 0 and bits.max() <= 1:
            return bits, given or (0, 1)
    missing = column.isna().to_numpy()
    if missing.any():
        place = f"first in {_place(column, missing)}" if alike is None else _number(missing, alike)
        raise ValueError(
            f"column {column.name!r} has missing values ({place}): "
            "fill them, drop the rows, or make them a level of their own"
        )
    values, numbers = _distinct(column)
    levels = tuple(_own_levels(column, values)) if given is None else given
    of_values = places(values, levels, column.name)
    numbers = of_values[numbers]
    if (of_values < 0).any():
        outside = numbers < 0
        value = column.iloc[int(np.flatnonzero(outside)[0])]
        value = value.item() if isinstance(value, np.generic) else value
        same = outside & (column == value).to_numpy()
        place = _place(column, outside) if alike is None else _number(same, alike)
        raise ValueError(
            f"column {column.name!r} has the value {value!r} ({place}), "
            f"which is not among its levels {listed(levels)}"
        )
    return numbers, levels


def _place(column: pd.Series, rows: np.ndarray) -> str:
    row = column.index[int(np.flatnonzero(rows)[0])]
    return f"row {row.item() if isinstance(row, np.generic) else row!r}"


def _number(rows: np.ndarray, alike: np.ndarray) -> str:
    records = int(alike[rows].sum())
    return f"in {records:,} record{'s' if records > 1 else ''}"


def _distinct(column: pd.Series) -> tuple[list, np.ndarray]:
    """The distinct values of a column without gaps, and which of them each row has."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used, numbers = np.unique(column.cat.codes.to_numpy(), return_inverse=True)
        return column.cat.categories[used].tolist(), numbers
    try:
        numbers, values = pd.factorize(column)
    except TypeError:
        raise ValueError(
            f"column {column.name!r} holds values that are no answers, "
            f"for example {column.iloc[0]!r}"
        ) from None
    return values.tolist(), numbers


def _own_levels(column: pd.Series, values: list) -> list | tuple:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.categories)
    if zeros_and_ones(values):
        return (0, 1)
    try:
        return sorted(values)
    except TypeError:
        raise ValueError(
            f"column {column.name!r} mixes values that cannot be sorted, for example "
            f"{listed(values[:3])}: make it categorical"
        ) from None


def _flat(names: tuple) -> tuple[str, ...]:
    """Accept marginal("A", "B") and marginal(["A", "B"]); a name may be a number."""
    if len(names) == 1 and not isinstance(names[0], str) and isinstance(names[0], Iterable):
        return tuple(names[0])
    return names


def listed(values: Iterable, most: int = 12) -> str:
    """Names for an error's sentence, the first few of many.

    >>> listed(["A", "B", 3], most=2)
    'A, B, ... (3 in all)'
    """
    values = [repr(value) if not isinstance(value, str) else value for value in values]
    shown = ", ".join(values[:most])
    return shown if len(values) <= most else f"{shown}, ... ({len(values)} in all)"
