"""What is asked: attributes with their levels, and records as numbers of levels.

A *domain* is an ordered list of attributes, each with its levels. A *cell* is one combination of
levels; its *code* is a single integer (mixed radix, the last attribute runs fastest, as in
`numpy.ravel_multi_index`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ppdm import engines
from ppdm.levels import in_order, places, refuse_alike, zeros_and_ones

#: Above this many cells nothing is written out cell by cell (it would need 128 MB and more).
DENSE_LIMIT = 2**24
#: A domain, or a kind, remembers so many of its parts: some 200 bytes each.
MOST_PARTS = 4_096
#: Codes are 64-bit integers.
CODE_LIMIT = 2**62
#: What may be said of columns: levels of some of them by name, or (a domain, a survey, a scheme)
#: of all of them.
Levels = Any


@dataclass(frozen=True, eq=False)
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
        if len(self.names) != len(self.levels):
            raise ValueError(
                f"{len(self.names)} attributes need as many tuples of levels; "
                f"{len(self.levels)} given"
            )
        object.__setattr__(self, "names", tuple(self.names))
        levels_in_order = (
            tuple(in_order(f"the levels of {name!r}", own))
            for name, own in zip(self.names, self.levels)
        )
        object.__setattr__(self, "levels", tuple(levels_in_order))
        object.__setattr__(self, "whole", self.names)
        refuse_alike("the attributes", self.names)
        for name, levels in zip(self.names, self.levels, strict=True):
            _refuse_repeated(name, levels)
            refuse_alike(f"the levels of {name!r}", levels)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Domain):
            return NotImplemented
        return self.names == other.names and self.levels == other.levels

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.names, self.levels))

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
        """The domain of some of the attributes, in the order given; the same object each time."""
        names = tuple(names)
        if names not in self._parts:
            if len(self._parts) >= MOST_PARTS:
                self._parts.clear()
            levels = tuple(self.levels[self.axis(name)] for name in names)
            self._parts[names] = Domain(names, levels, self.whole)
        return self._parts[names]

    @cached_property
    def _parts(self) -> dict[tuple[str, ...], Domain]:
        return {}

    def with_levels(self, levels: Mapping[str, tuple]) -> Domain:
        """The same attributes, some of them with other levels.

        >>> Domain(("A", "B"), ((0, 1), (0, 1))).with_levels({"B": ("n", "y")}).levels
        ((0, 1), ('n', 'y'))
        """
        for name, own in levels.items():
            _refuse_repeated(name, own)
        new = tuple(levels.get(n, old) for n, old in zip(self.names, self.levels, strict=True))
        same = all(one is other for one, other in zip(new, self.levels))
        return self if same else Domain(self.names, new, self.whole)

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
        columns = list(np.asarray(digits).T)
        return codes_of(columns, self) if columns else np.zeros(len(digits), dtype=np.int64)


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
        frame = columns_of(whole, frame)
        levels = dict(zip(whole.names, whole.levels, strict=True))
    refuse_unknown(levels or (), frame.columns)
    columns, levels_of = [], []
    for name in frame.columns:
        numbers, column_levels = _coded_column(frame[name], (levels or {}).get(name), alike)
        columns.append(numbers)
        levels_of.append(column_levels)
    if whole is None:
        whole = Domain(tuple(frame.columns), tuple(levels_of))
    return columns, whole


def declared(levels: Levels) -> Domain | None:
    """What is declared of all columns, by a domain, a survey or a survey's scheme; None if nothing is.

    >>> declared({"A": (0, 1)}) is None
    True
    """
    if levels is None or isinstance(levels, Mapping):
        return None
    for name in ("reports", "domain"):  # a survey's scheme counts reports, a survey answers
        levels = getattr(levels, name, levels)
    if hasattr(levels, "kind_of_reports"):  # any other scheme takes whatever levels there are
        return None
    if not isinstance(levels, Domain):
        raise ValueError(
            "levels is a mapping from columns to their levels, a domain, a survey or a scheme; "
            f"got {levels!r}"
        )
    return levels


def columns_of(domain: Domain, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of a frame in the order of a domain; they must be the same ones.

    >>> list(columns_of(Domain(("A",), ((0, 1),)), pd.DataFrame({"A": [1]})).columns)
    ['A']
    """
    refuse_other_columns(frame.columns, domain)
    if tuple(frame.columns) != domain.names:
        warnings.warn("the columns stand in another order: they are taken by name", stacklevel=2)
    return frame[list(domain.names)]


def refuse_other_columns(columns: Iterable[str], domain: Domain) -> None:
    """Refuse columns that are not the attributes of a domain, in whatever order.

    >>> refuse_other_columns(["a"], Domain(("A",), ((0, 1),)))
    Traceback (most recent call last):
    ValueError: the records lack A and have a, which was not asked for; the attributes are A
    """
    columns = list(columns)
    missing = [name for name in domain.names if name not in columns]
    extra = [name for name in columns if name not in domain.names]
    if missing or extra:
        lacks = f"lack {listed(missing)}" if missing else ""
        has = f"have {listed(extra)}, which was not asked for" if extra else ""
        raise ValueError(
            f"the records {' and '.join(filter(None, (lacks, has)))}; "
            f"the attributes are {listed(domain.names)}"
        )


def from_level_numbers(
    numbers: Sequence[np.ndarray], domain: Domain, like: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Numbers of levels, a column an attribute, back to records, with the column types of `like`.

    >>> from_level_numbers([np.array([1, 0])], Domain(("A",), (("n", "y"),)))["A"].tolist()
    ['y', 'n']
    """
    columns = {}
    for column, name, levels in zip(numbers, domain.names, domain.levels, strict=True):
        places = np.asarray(column).astype(np.intp, copy=False)
        values = pd.Series(list(levels)).take(places).reset_index(drop=True)
        if like is not None and name in like.columns and _fits(levels, like[name].dtype):
            values = values.astype(like[name].dtype)
        columns[name] = values.array
    records = len(numbers[0]) if len(numbers) else 0
    index = like.index if like is not None and len(like) == records else None
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
        values = pd.Series(list(levels)).astype(dtype).tolist()
    except (TypeError, ValueError, OverflowError):
        return False
    return all(a == b for a, b in zip(values, levels, strict=True))


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
    if hasattr(records, "toarray"):
        raise ValueError("sparse matrices are not supported: hand over records.toarray()")
    array = np.asarray(records)
    if array.ndim != 2:
        raise ValueError(
            f"records must be a frame or a 2-d array; got {array.ndim} dimension(s). Reshape your data: "
            "a row a record, a column an attribute"
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: answers are words or real numbers")
    return pd.DataFrame(array, columns=[f"x{axis}" for axis in range(array.shape[1])])


def beside(records: object, values: Any, what: str) -> Any:
    """Values that belong to records one by one: a Series by its labels, anything else in order.

    >>> people = pd.DataFrame({"A": [1, 0]}, index=["ann", "bob"])
    >>> beside(people, pd.Series([3, 5], index=["bob", "ann"]), "the weights").tolist()
    [5, 3]
    """
    if not isinstance(values, pd.Series) or not isinstance(records, (pd.DataFrame, pd.Series)):
        return values
    index = records.index
    if values.index.equals(index) or len(values) != len(
        index
    ):  # other lengths are refused elsewhere
        return values
    if index.is_unique and values.index.is_unique and index.isin(values.index).all():
        return values.loc[index]
    raise ValueError(
        f"{what} have other row labels than the records, so it is not known which belongs to which: give "
        f"them the records' index, or hand over to_numpy() to take them in order"
    )


def _coded_column(
    column: pd.Series, given: Iterable | None, alike: np.ndarray | None = None
) -> tuple[np.ndarray, tuple]:
    """A column as level numbers, and its levels."""
    given = None if given is None else tuple(in_order(f"the levels of {column.name!r}", given))
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
            f"column {column.name!r} has missing values ({place}; NaN or None): "
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
        codes, numbers = np.unique(column.cat.codes.to_numpy(), return_inverse=True)
        return column.cat.categories[codes].tolist(), numbers
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
    if any(isinstance(value, float) and math.isinf(value) for value in values):
        raise ValueError(f"column {column.name!r} holds inf, which is no answer")
    try:
        return sorted(values)
    except TypeError:
        kinds = {type(value).__name__: value for value in values}
        examples = " and ".join(f"{value!r} ({kind})" for kind, value in kinds.items())
        raise ValueError(
            f"column {column.name!r} mixes answers of different types, which have no order: "
            f"{examples}. Write all of them alike, or make the column categorical"
        ) from None


def refuse_unknown(levels: Iterable, columns: Iterable) -> None:
    """Refuse levels of columns that are not there.

    >>> refuse_unknown(["A"], ["A", "B"])
    """
    unknown = [name for name in levels if name not in columns]
    if unknown:
        raise ValueError(f"levels name {listed(unknown)}; the frame has {listed(columns)}")


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


class Frozen(dict[str, Any]):
    """A mapping that nobody writes into: so a survey stays what its fingerprint says, and a scheme what it was.

    >>> Frozen(p=0.7).pop("p")
    Traceback (most recent call last):
    TypeError: this cannot be changed: make another one, as dataclasses.replace does
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this cannot be changed: make another one, as dataclasses.replace does")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return Frozen, (dict(self),)


def listed(values: Iterable, most: int = 12) -> str:
    """Names for an error's sentence, the first few of many.

    >>> listed(["A", "B", 3], most=2)
    'A, B, ... (3 in all)'
    """
    values = [repr(value) if not isinstance(value, str) else value for value in values]
    text = ", ".join(values[:most])
    return text if len(values) <= most else f"{text}, ... ({len(values)} in all)"
