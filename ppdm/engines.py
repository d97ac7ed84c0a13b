"""Group and count where the data are: in Polars, DuckDB, Arrow, Dask, Spark, or in files.

A table needs one grouping and one sum, and that is what these engines do best. So the records stay
in the engine, and only the occupied cells leave it: a row a distinct record, with the number of
records that are like it. `ppdm.table` makes tables of them. narwhals speaks to all engines alike.
"""

from __future__ import annotations

import glob
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.files import refuse_address
from ppdm.levels import refuse_alike

#: More distinct records than this are not brought home: they would fill the memory here.
MOST_CELLS = 2**24
#: Marginals are counted together while all cells of their attributes are about so many.
TOGETHER = 4_096
#: From so many first records it is guessed how many levels a column has (for speed, not for results).
SAMPLE = 10_000

#: The libraries whose complaints are told in a sentence.
ENGINES = ("polars", "duckdb", "_duckdb", "pandas", "pyarrow")
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz", ".csv.zst")


class Cells(NamedTuple):
    """The distinct records of some columns, and how many records are like each.

    >>> int(Cells(pd.DataFrame({"vote": ["n", "y"]}), np.array([30, 12])).numbers.sum())
    42
    """

    frame: pd.DataFrame
    numbers: np.ndarray


class Source(NamedTuple):
    """Records that an engine holds: the frame as narwhals sees it, and how it is read.

    >>> Source(opened(pd.DataFrame({"vote": ["y"]})).frame, text=True).names
    ['vote']
    """

    frame: Any
    text: bool = False  # every column was read as text, as in CSV files

    @property
    def names(self) -> list[str]:
        return self.frame.collect_schema().names()


def elsewhere(records: object) -> bool:
    """Whether records are held by an engine (or lie in files), and not by pandas or numpy.

    >>> elsewhere("reports/*.parquet"), elsewhere(pd.DataFrame({"A": [1]})), elsewhere([[1, 0]])
    (True, False, False)
    """
    if isinstance(records, (str, Path, Source)):
        return True
    if isinstance(records, (pd.DataFrame, pd.Series, np.ndarray, list, tuple)):
        return False
    return _is_arrow(records) or _wrapped(records) is not None


def opened(records: object) -> Source:
    """The records as narwhals sees them; files are opened, and not yet read.

    >>> opened(pd.DataFrame({"A": [1, 0], "B": [0, 0]})).names
    ['A', 'B']
    """
    if isinstance(records, Source):
        return records
    if isinstance(records, (str, Path)):
        return _files(str(records))
    if _is_arrow(records) and hasattr(records, "to_table"):  # a dataset or a scanner
        records = records.to_table()
    frame = _wrapped(records)
    if frame is None:
        raise ValueError(
            f"records are a frame (pandas, Polars, Arrow, DuckDB, Dask, Spark), a 2-d array or a "
            f"path to Parquet or CSV files; got {type(records).__name__}"
        )
    return Source(frame)


def grouped(source: Source, sets: Sequence[Sequence[str]], most: int = MOST_CELLS) -> list[Cells]:
    """For each set of names: the distinct records of these columns, each with its number.

    >>> import polars
    >>> [cells] = grouped(opened(polars.DataFrame({"A": [1, 0, 1], "B": [0, 0, 0]})), [["A", "B"]])
    >>> sorted(zip(cells.frame["A"], cells.frame["B"], cells.numbers.tolist()))
    [(0, 0, 1), (1, 0, 2)]
    """
    _refuse_columns(source, {name for names in sets for name in names})
    number = "number"
    while number in source.names:
        number += "_"
    groups: Iterable[Any]
    if source.frame.implementation.is_dask():
        groups = _in_dask(source.frame.to_native(), sets, number, most)
    else:
        groups = (_grouped(source.frame, names, number) for names in sets)
    with _one_sentence("the records cannot be counted"):
        return [
            _at_home(_home(cells.head(most + 1)), [*names], number, source.text, most)
            for names, cells in zip(sets, groups, strict=True)
        ]


def _refuse_columns(source: Source, names: Iterable[str]) -> None:
    """Lists and structures are no answers, and not every engine can group by them; Spark would look
    for a structure behind a name with a dot."""
    dotted = [name for name in names if "." in name or "`" in name]
    if dotted and source.frame.implementation.is_spark_like():
        raise ValueError(
            f"Spark reads the name of the column {min(dotted)!r} as a path: give it a name without "
            "dots and backticks, as frame.toDF(*names) does"
        )
    for name, kind in source.frame.collect_schema().items():
        if name in names and kind.is_nested():
            raise ValueError(f"column {name!r} holds values that are no answers: they are {kind}")


def together(source: Source, sets: Sequence[Sequence[str]]) -> list[list[str]]:
    """Few larger sets of names that cover the given ones, so that each column is read seldom.

    Each grouping goes over all records; one over ten yes/no answers costs hardly more than one
    over two, and holds forty-five pairs.

    >>> import polars
    >>> source = opened(polars.DataFrame({"A": [1, 0], "B": [0, 0], "C": [1, 1]}))
    >>> together(source, [["A", "B"], ["B", "C"]])
    [['A', 'B', 'C']]
    """
    distinct = {frozenset(names) for names in sets}
    columns = sorted({name for names in sets for name in names})
    _refuse_columns(source, columns)
    first = _home(source.frame.select(columns).head(SAMPLE))
    sizes = {name: max(2, first[name].n_unique()) for name in columns}
    covers: list[frozenset[str]] = []
    for names in sorted(distinct, key=lambda names: (-len(names), sorted(names))):
        for place, cover in enumerate(covers):
            if names <= cover or math.prod(sizes[n] for n in cover | names) <= TOGETHER:
                covers[place] |= names
                break
        else:
            covers.append(names)
    return [sorted(cover) for cover in covers]


def declared_levels(source: Source, names: Iterable[str]) -> dict[str, tuple]:
    """Levels that the type of a column says, in its order: of Polars' and DuckDB's enumerations,
    Dask's known categories, Arrow's dictionaries if they are ordered or come from pandas.

    Other dictionaries stand in the order in which their words appeared, which declares nothing.

    >>> import polars
    >>> vote = polars.Series(["no", "yes"], dtype=polars.Enum(["no", "perhaps", "yes"]))
    >>> declared_levels(opened(polars.DataFrame({"A": vote, "B": [1, 0]})), ["A", "B"])
    {'A': ('no', 'perhaps', 'yes')}
    """
    import narwhals as nw

    native, schema, levels = source.frame.to_native(), source.frame.collect_schema(), {}
    engine = source.frame.implementation
    for name in names:
        kind = schema[name]
        if isinstance(kind, nw.Enum):
            levels[name] = tuple(kind.categories)
        elif kind == nw.Categorical and engine.is_dask() and native[name].cat.known:
            levels[name] = tuple(native[name].cat.categories)
        elif kind == nw.Categorical and engine.is_pyarrow() and len(native):
            words = native[name].unify_dictionaries().chunk(0).dictionary.to_pylist()
            if _is_ordered(native.schema, name):
                levels[name] = tuple(words)
    return levels


def _is_ordered(schema: Any, name: str) -> bool:
    """Whether the order of an Arrow column's dictionary was declared."""
    columns = (schema.pandas_metadata or {}).get("columns", [])
    by_pandas = {"name": name, "pandas_type": "categorical"}
    return schema.field(name).type.ordered or any(by_pandas.items() <= c.items() for c in columns)


def to_pandas(records: object) -> pd.DataFrame:
    """All records, at home: for those that are few.

    >>> import polars
    >>> to_pandas(polars.DataFrame({"A": [1, 0]})).to_dict("list")
    {'A': [1, 0]}
    """
    source = opened(records)
    frame = _home(source.frame)
    source = Source(frame, source.text)
    levels = declared_levels(source, source.names)
    columns = {name: _column(frame[name], source.text) for name in source.names}
    for name, own in levels.items():
        columns[name] = columns[name].astype(pd.CategoricalDtype(list(own)))
    return pd.DataFrame(columns)


# -- opening ---------------------------------------------------------------------------------


def _wrapped(records: object) -> Any:
    """A narwhals frame, or None if this is no frame that narwhals knows."""
    import narwhals as nw

    frame = nw.from_native(records, pass_through=True)
    return frame if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


def _files(path: str) -> Source:
    """Parquet or CSV files of this machine, opened by Polars; without it, CSV by pandas.

    The columns of a CSV file are read as text: what they hold is known when they are grouped, so a
    word far down in a column of numbers is named and stops nothing halfway.
    """
    import narwhals as nw

    refuse_address(path)
    if Path(path).is_dir():
        path = str(Path(path) / "*.parquet")
    if not path.lower().endswith(PARQUET + CSV):
        raise ValueError(f"{path!r} is no file that can be counted: .parquet and .csv are read")
    files = [path] if Path(path).is_file() else sorted(glob.glob(path, recursive=True))
    if not files:
        raise ValueError(f"there is no file {path!r}")
    with _one_sentence(f"{path!r} cannot be read"):
        if path.lower().endswith(CSV):
            return Source(nw.from_native(_csv(files)), text=True)
        if not find_spec("polars"):
            raise ValueError(
                f"to read {path!r}, Polars is needed: install ppdm with its extra `scale`, or hand "
                "over the frame of another engine"
            )
        import polars as pl

        return Source(nw.from_native(pl.scan_parquet(files, glob=False)))


def _csv(files: list[str]) -> Any:
    """CSV files of one header, every column as text; what is empty is missing.

    The header is read as a record: as a header, Polars leaves doubled quotes in it, and both rename
    what stands there twice.
    """
    if find_spec("polars"):
        import polars as pl

        words: dict[str, Any] = {"infer_schema": False, "glob": False}
        firsts = [pl.scan_csv(file, has_header=False, **words).head(1).collect() for file in files]
        names = _one_header(files, [first.row(0) if len(first) else () for first in firsts])
        frame = pl.scan_csv(files, **words)
        return frame.rename(dict(zip(frame.collect_schema().names(), names, strict=True)))
    words = {"dtype": str, "keep_default_na": False, "na_values": [""], "encoding": "utf-8-sig"}
    frames = [pd.read_csv(file, header=None, skip_blank_lines=False, **words) for file in files]
    names = _one_header(files, [tuple(frame.iloc[0].fillna("")) for frame in frames])
    return pd.concat(frame.iloc[1:] for frame in frames).set_axis([*names], axis=1)


def _one_header(files: list[str], headers: list[tuple]) -> tuple:
    """The names of the columns, the same in all files and each its own."""
    for file, header in zip(files, headers, strict=True):
        if header != headers[0]:
            raise ValueError(
                f"{file!r} has other columns than {files[0]!r}, or in another order: "
                f"{', '.join(map(str, header))}, and not {', '.join(map(str, headers[0]))}"
            )
    if not headers[0] or not all(headers[0]):
        raise ValueError(f"the first line of {files[0]!r} names each column; got {headers[0]}")
    refuse_alike(f"the columns of {files[0]!r}", headers[0])
    return headers[0]


def _is_arrow(records: Any) -> bool:
    """Whether this is Arrow's: of it, narwhals knows tables, and no datasets."""
    arrow = type(records).__module__.split(".")[0] == "pyarrow"
    return arrow and (hasattr(records, "schema") or hasattr(records, "projected_schema"))


@contextmanager
def _one_sentence(what: str) -> Iterator[None]:
    """An engine's own complaint, which may be a page long, as one sentence."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ENGINES:
            raise
        words = re.split(r"\n\n|\n?Possible fixes", str(error))[0].split()
        raise ValueError(f"{what}: {' '.join(words)}") from error


# -- grouping --------------------------------------------------------------------------------


def _grouped(frame: Any, names: Sequence[str], number: str, weights: bool = False) -> Any:
    """The distinct records with their number, which `weights` says is a column already."""
    import narwhals as nw

    columns = [*names, number] if weights else [*names]
    total = nw.col(number).sum() if weights else nw.len().alias(number)
    return frame.select(columns).group_by([*names]).agg(total)


def _home(frame: Any) -> Any:
    """What an engine has planned, done and brought here; Polars reads piece by piece then."""
    if not hasattr(frame, "collect"):
        return frame
    return frame.collect(**({"engine": "streaming"} if frame.implementation.is_polars() else {}))


def _in_dask(frame: Any, sets: Sequence[Sequence[str]], number: str, most: int) -> Iterator:
    """Each partition is grouped where it lies, once for all sets; then eight results become one."""
    import narwhals as nw
    from dask.base import compute
    from dask.delayed import delayed

    columns = sorted({name for names in sets for name in names})
    count_part, add_up = map(delayed, _dask_steps(sets, number, most))
    parts = [count_part(part) for part in frame[columns].to_delayed()]
    while len(parts) > 1:
        parts = [add_up(parts[start : start + 8]) for start in range(0, len(parts), 8)]
    yield from map(nw.from_native, compute(*parts)[0])


def _dask_steps(
    sets: Sequence[Sequence[str]], number: str, most: int
) -> tuple[Callable[..., list], Callable[..., list]]:
    """What Dask's workers do: Arrow groups faster than pandas. The functions travel to them whole,
    for they are made here: a worker needs what Dask's frames need, and not this package."""
    import pyarrow as pa

    def count_part(part: pd.DataFrame) -> list:
        table = pa.Table.from_pandas(part, preserve_index=False).replace_schema_metadata()
        for field in table.schema:
            if pa.types.is_nested(field.type):
                raise ValueError(
                    f"column {field.name!r} holds values that are no answers, "
                    f"for example {part[field.name].iloc[0]!r}"
                )
        return [grouped_by(table, names, [], "count_all") for names in sets]

    def add_up(parts: list[list]) -> list:
        return [
            grouped_by(pa.concat_tables(cells, promote_options="permissive"), names, number, "sum")
            for names, cells in zip(sets, zip(*parts, strict=True), strict=True)
        ]

    def grouped_by(table: Any, names: Sequence[str], what: object, how: str) -> Any:
        cells = table.unify_dictionaries().group_by([*names]).aggregate([(what, how)])
        return cells.rename_columns([*names, number]).slice(0, most + 1)

    return count_part, add_up


def _at_home(cells: Any, names: list[str], number: str, text: bool, most: int) -> Cells:
    _refuse_too_many(len(cells), len(names), most)
    frame = pd.DataFrame({name: _column(cells[name], text) for name in names})
    return Cells(frame, cells[number].to_numpy().astype(np.int64))


def _refuse_too_many(cells: int, attributes: int, most: int) -> None:
    if cells > most:
        raise ValueError(
            f"{attributes} attributes have more than {most:,} different records, too many to bring "
            "home: count fewer attributes at a time (`names=`), or count marginals"
        )


def _column(column: Any, text: bool) -> pd.Series:
    """A column as pandas holds it: numbers as they are, the rest as Python's own values."""
    import narwhals as nw

    plain = column.dtype.is_numeric() or column.dtype == nw.Boolean
    if plain and not column.null_count():
        return pd.Series(column.to_numpy())
    values = column.to_list()
    if text:  # pandas says NaN where a word is missing
        values = _read([value if isinstance(value, str) else None for value in values])
        refuse_alike(f"the values of column {column.name!r}", set(values))
    return pd.Series(values, dtype=None if len(values) else object)


def _read(values: list[str | None]) -> list:
    """The words of a CSV column as numbers or truth values where all of them are.

    >>> _read(["0", "1", None]), _read(["0", "x"]), _read(["no", "01"])
    ([0, 1, None], ['0', 'x'], ['no', '01'])
    """
    present = [value for value in values if value]
    for pattern, kind in (
        (r"-?(0|[1-9]\d{0,17})", int),
        (r"-?\d+\.\d*", float),
        ("(?i)true|false", lambda word: word.lower() == "true"),
    ):
        if present and all(re.fullmatch(pattern, value) for value in present):
            return [kind(value) if value else None for value in values]
    return [value or None for value in values]
