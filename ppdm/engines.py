"""Group and count where the data are: in Polars, DuckDB, Arrow, Dask, Spark, or in files.

A table needs one grouping and one sum, and that is what these engines do best. So the records stay
in the engine, and only the occupied cells leave it: a row a distinct record, with the number of
records that are like it. `ppdm.table` makes tables of them.
"""

from __future__ import annotations

import glob
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

#: More distinct records than this are not brought home: they would fill the memory here.
MOST_CELLS = 2**24
#: Marginals are counted together while all cells of their attributes are about so many.
TOGETHER = 4_096
#: The columns of grouping sets that are counted in one pass: a number of 64 bits tells the sets apart.
GROUPING_BITS = 60
#: From so many first records it is guessed how many levels a column has (for speed, not for results).
SAMPLE = 10_000

READERS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".csv.zst": "csv",
}


class Cells(NamedTuple):
    """The distinct records of some columns, and how many records are like each.

    >>> int(Cells(pd.DataFrame({"vote": ["n", "y"]}), np.array([30, 12])).numbers.sum())
    42
    """

    frame: pd.DataFrame
    numbers: np.ndarray


class Source(NamedTuple):
    """Records that an engine holds: the frame as narwhals sees it, and the file's type, if any.

    >>> Source(opened(pd.DataFrame({"vote": ["y"]})).frame, text=True).names
    ['vote']
    """

    frame: Any
    text: bool = False  # every column was read as text, as in CSV files
    once: bool = False  # a stream, which can be read a single time

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
    import narwhals as nw

    if _is_arrow_stream(records):
        return True
    return _wrapped(records, nw) is not None


def opened(records: object) -> Source:
    """The records as narwhals sees them; files are opened by Polars or DuckDB, and not yet read.

    >>> opened(pd.DataFrame({"A": [1, 0], "B": [0, 0]})).names
    ['A', 'B']
    """
    import narwhals as nw

    if isinstance(records, Source):
        return records
    if isinstance(records, (str, Path)):
        return _files(str(records), nw)
    if _is_arrow_stream(records):
        once = type(records).__name__ == "RecordBatchReader"
        return Source(_arrow_stream(records, nw), once=once)
    frame = _wrapped(records, nw)
    if frame is None:
        raise ValueError(
            f"records are a frame (pandas, Polars, Arrow, DuckDB, Dask, Spark), a 2-d array or a "
            f"path to Parquet or CSV files; got {type(records).__name__}"
        )
    return Source(frame)


def grouped(source: Source, sets: Sequence[Sequence[str]], most: int = MOST_CELLS) -> list[Cells]:
    """For each set of names: the distinct records of these columns, each with its number.

    Polars, DuckDB, Dask and Spark answer all sets in one pass over the data; Arrow's tables are in
    memory, and each set reads its own columns.

    >>> import polars
    >>> [cells] = grouped(opened(polars.DataFrame({"A": [1, 0, 1], "B": [0, 0, 0]})), [["A", "B"]])
    >>> sorted(zip(cells.frame["A"], cells.frame["B"], cells.numbers.tolist()))
    [(0, 0, 1), (1, 0, 2)]
    """
    _refuse_columns(source, {name for names in sets for name in names})
    if source.once and len([*_batches(sets)]) > 1:
        raise ValueError(
            f"a stream is read once, and marginals of more than {GROUPING_BITS} columns need several "
            "passes: give a table or a dataset"
        )
    number = _free_name("number", source.names)
    return [
        _at_home(cells, list(names), number, source.text, most)
        for names, cells in zip(sets, _groupings(source.frame, sets, number, most), strict=True)
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
    over two, and holds forty-five pairs. A stream is not looked into before: it has no second pass.

    >>> import polars
    >>> source = opened(polars.DataFrame({"A": [1, 0], "B": [0, 0], "C": [1, 1]}))
    >>> together(source, [["A", "B"], ["B", "C"]])
    [['A', 'B', 'C']]
    """
    if source.once:
        return [sorted(names) for names in {frozenset(names): names for names in sets}]
    _refuse_columns(source, {name for names in sets for name in names})
    sizes = _guessed_sizes(source, sorted({name for names in sets for name in names}))
    covers: list[set[str]] = []
    for names in sorted({frozenset(names) for names in sets}, key=lambda s: (-len(s), sorted(s))):
        fits = [
            (len(names - cover), place)
            for place, cover in enumerate(covers)
            if math.prod(sizes[name] for name in cover | names) <= TOGETHER or names <= cover
        ]
        if fits:
            covers[min(fits)[1]] |= names
        else:
            covers.append(set(names))
    return [sorted(cover) for cover in covers]


def declared_levels(source: Source, names: Iterable[str]) -> dict[str, tuple]:
    """Levels that the type of a column says: of Polars' and DuckDB's enumerations, Arrow's
    dictionaries, Dask's known categories.

    >>> import polars
    >>> said = polars.Series(["no", "yes"], dtype=polars.Enum(["no", "perhaps", "yes"]))
    >>> declared_levels(opened(polars.DataFrame({"A": said, "B": [1, 0]})), ["A", "B"])
    {'A': ('no', 'perhaps', 'yes')}
    """
    import narwhals as nw

    native, schema, levels = source.frame.to_native(), source.frame.collect_schema(), {}
    for name in names:
        kind = schema[name]
        if isinstance(kind, nw.Enum):
            levels[name] = tuple(kind.categories)
        elif kind == nw.Categorical and source.frame.implementation.is_pyarrow():
            chunks = native[name].unify_dictionaries().chunks
            if chunks:
                levels[name] = tuple(chunks[0].dictionary.to_pylist())
        elif (
            kind == nw.Categorical
            and source.frame.implementation.is_dask()
            and native[name].cat.known
        ):
            levels[name] = tuple(native[name].cat.categories)
    return levels


def to_pandas(records: object) -> pd.DataFrame:
    """All records, at home: for those that are few.

    >>> import polars
    >>> to_pandas(polars.DataFrame({"A": [1, 0]})).to_dict("list")
    {'A': [1, 0]}
    """
    source = opened(records)
    frame = source.frame.collect() if hasattr(source.frame, "collect") else source.frame
    levels = declared_levels(source, source.names)
    columns = {name: _column(frame[name], source.text) for name in source.names}
    for name, known in levels.items():
        columns[name] = columns[name].astype(pd.CategoricalDtype(list(known)))
    return pd.DataFrame(columns)


# -- opening ---------------------------------------------------------------------------------


def _wrapped(records: object, nw: Any) -> Any:
    """A narwhals frame, or None if this is no frame that narwhals knows."""
    frame = nw.from_native(records, pass_through=True)
    return frame if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


def _files(path: str, nw: Any) -> Source:
    """Parquet or CSV files, opened by Polars if it is there, else by DuckDB; CSV at last by pandas.

    The columns of a CSV file are read as text: what they hold is known when they are grouped, so a
    word far down in a column of numbers is named and stops nothing halfway.
    """
    if Path(path).is_dir():
        path = str(Path(path) / "*.parquet")
    kind = next((k for end, k in READERS.items() if path.lower().endswith(end)), None)
    if kind is None:
        raise ValueError(f"{path!r} is no file that can be counted: .parquet and .csv are read")
    if "://" not in path and not glob.glob(path, recursive=True):
        raise ValueError(f"no file is called {path!r}")
    if kind == "csv" and "://" not in path and not any(map(find_spec, ("polars", "duckdb"))):
        return Source(nw.from_native(_csv_at_home(path)), text=True)
    engine = _first_installed(f"to read {path!r}", "polars", "duckdb")
    if engine.__name__ == "polars":
        csv = engine.scan_csv
        frame = csv(path, infer_schema=False) if kind == "csv" else engine.scan_parquet(path)
    elif kind == "csv":
        frame = engine.read_csv(path, all_varchar=True)
    else:
        frame = engine.read_parquet(path)
    return Source(nw.from_native(frame), text=kind == "csv")


def _csv_at_home(path: str) -> pd.DataFrame:
    """CSV files as pandas reads them whole, every column as text; what is empty is missing."""
    words: dict[str, Any] = {"dtype": str, "keep_default_na": False, "na_values": [""],
                             "encoding": "utf-8-sig"}  # fmt: skip
    files = sorted(glob.glob(path, recursive=True))
    # Without a header to pandas: it would rename what stands there twice, and take surplus fields
    # for an index.
    frames = [pd.read_csv(file, header=None, skip_blank_lines=False, **words) for file in files]
    header = frames[0].iloc[0]
    if header.isna().any() or not header.is_unique:
        raise ValueError(f"the columns of {files[0]!r} have no names, or not one each: {[*header]}")
    for file, frame in zip(files, frames, strict=True):
        if not frame.iloc[0].equals(header):
            raise ValueError(f"{file!r} has other columns than {files[0]!r}")
    return pd.concat(frame.iloc[1:] for frame in frames).set_axis([*header], axis=1)


def _is_arrow_stream(records: object) -> bool:
    """Arrow's datasets and readers, which narwhals does not know."""
    kind = type(records)
    return kind.__module__.startswith(("pyarrow.", "pyarrow._")) and kind.__name__ in (
        "FileSystemDataset",
        "UnionDataset",
        "InMemoryDataset",
        "RecordBatchReader",
        "Scanner",
    )


def _arrow_stream(records: Any, nw: Any) -> Any:
    engine = _first_installed(f"to count Arrow's {type(records).__name__}", "duckdb")
    return nw.from_native(engine.from_arrow(records))


def _first_installed(wish: str, *engines: str) -> Any:
    from importlib import import_module

    for engine in engines:
        try:
            return import_module(engine)
        except ModuleNotFoundError as error:
            if error.name != engine:
                raise
    wanted = " or ".join({"polars": "Polars", "duckdb": "DuckDB"}[engine] for engine in engines)
    raise ValueError(f"{wish}, {wanted} is needed: install ppdm with its extra `scale`")


# -- grouping --------------------------------------------------------------------------------


def _groupings(frame: Any, sets: Sequence[Sequence[str]], number: str, most: int) -> Iterator:
    """The groupings as eager narwhals frames; each engine in its own way to read the data once."""
    engine = frame.implementation
    if engine.is_dask():
        yield from _in_dask(frame.to_native(), sets, number, most)
    elif engine.is_duckdb() or hasattr(frame.to_native(), "groupingSets"):
        for batch in _batches(sets):
            yield from _in_sql(frame, batch, number, most)
    elif engine.is_polars():
        import narwhals as nw
        import polars as pl

        lazy = [_grouping(frame.lazy(), names, number).head(most + 1) for names in sets]
        for cells in pl.collect_all([one.to_native() for one in lazy], engine="streaming"):
            yield nw.from_native(cells)
    else:
        for names in sets:
            yield _home(_grouping(frame, names, number), most)


def _grouping(frame: Any, names: Sequence[str], number: str) -> Any:
    import narwhals as nw

    return frame.select([*names]).group_by([*names]).agg(nw.len().alias(number))


def _home(cells: Any, most: int) -> Any:
    return cells.head(most + 1).collect() if hasattr(cells, "collect") else cells


def _batches(sets: Sequence[Sequence[str]]) -> Iterator[list[list[str]]]:
    """The sets in turn, as many at a time as one number of 64 bits can tell apart by their columns."""
    batch: list[list[str]] = []
    for names in sets:
        if batch and len({name for one in [*batch, names] for name in one}) > GROUPING_BITS:
            yield batch
            batch = []
        batch.append(list(names))
    yield batch


def _in_sql(frame: Any, sets: list[list[str]], number: str, most: int) -> Iterator:
    """GROUPING SETS: all cells come as rows of one result, and a number says of which set each is."""
    import narwhals as nw

    if len(sets) == 1:
        yield _home(_grouping(frame, sets[0], number), most)
        return
    columns = sorted({name for names in sets for name in names})
    which = _free_name("which", [*columns, number])
    by = _duckdb_sets if frame.implementation.is_duckdb() else _spark_sets
    cells = _home(nw.from_native(by(frame.to_native(), sets, columns, number, which)), most)
    _refuse_too_many(len(cells), len(columns), most)
    for names in sets:  # a bit is set for each column that is not of the set, the last one's is 1
        absent = sum(2**bit for bit, name in enumerate(reversed(columns)) if name not in names)
        yield cells.filter(nw.col(which) == absent)


def _duckdb_sets(
    relation: Any, sets: list[list[str]], columns: list[str], number: str, which: str
) -> Any:
    def quoted(names: Iterable[str]) -> str:
        return ", ".join('"' + name.replace('"', '""') + '"' for name in names)

    return relation.aggregate(
        f"{quoted(columns)}, count(*) AS {quoted([number])}, "
        f"grouping({quoted(columns)}) AS {quoted([which])}",
        f"GROUPING SETS ({', '.join(f'({quoted(names)})' for names in sets)})",
    )


def _spark_sets(
    frame: Any, sets: list[list[str]], columns: list[str], number: str, which: str
) -> Any:
    from importlib import import_module

    sql = import_module("pyspark.sql.functions")

    def quoted(names: Iterable[str]) -> list:
        return [sql.col("`" + name.replace("`", "``") + "`") for name in names]

    groups = frame.groupingSets([quoted(names) for names in sets], *quoted(columns))
    return groups.agg(sql.count(sql.lit(1)).alias(number), sql.grouping_id().alias(which))


def _in_dask(frame: Any, sets: Sequence[Sequence[str]], number: str, most: int) -> Iterator:
    """Each partition is grouped where it lies, once for all sets; then eight results become one."""
    import narwhals as nw
    from dask.base import compute
    from dask.delayed import delayed

    columns = sorted({name for names in sets for name in names})
    count_part, add_up = (delayed(step) for step in _dask_steps(sets, number, most))
    parts = [count_part(part) for part in frame[columns].to_delayed()]
    while len(parts) > 1:
        parts = [add_up(parts[start : start + 8]) for start in range(0, len(parts), 8)]
    (cells,) = compute(*parts)
    yield from (nw.from_native(one) for one in cells)


def _dask_steps(
    sets: Sequence[Sequence[str]], number: str, most: int
) -> tuple[Callable[..., list], Callable[..., list]]:
    """What Dask's workers do. The functions travel to them whole, for they are made here: a worker
    needs pandas and numpy, and not this package."""

    def count_part(part: pd.DataFrame) -> list[pd.DataFrame]:
        return [cells_of(part, [*names], None) for names in sets]

    def add_up(parts: list[list[pd.DataFrame]]) -> list[pd.DataFrame]:
        together = [pd.concat(cells, ignore_index=True) for cells in zip(*parts, strict=True)]
        return [
            cells_of(cells, [*names], cells[number].to_numpy()).head(most + 1)
            for names, cells in zip(sets, together, strict=True)
        ]

    def cells_of(part: pd.DataFrame, names: list[str], weights: Any) -> pd.DataFrame:
        """A record as one integer: to group by it is faster than to group by many columns."""
        codes, size = np.zeros(len(part), dtype=np.int64), 1
        for name in names:
            try:
                column, values = pd.factorize(part[name], use_na_sentinel=False)
            except TypeError:
                raise ValueError(
                    f"column {name!r} holds values that are no answers, "
                    f"for example {part[name].iloc[0]!r}"
                ) from None
            codes, size = codes * len(values) + column, size * len(values)
            if size > len(part):  # no more codes occur than there are records
                codes, seen = pd.factorize(codes)
                size = len(seen)
        numbers = np.bincount(codes, weights, minlength=size).astype(np.int64)
        example = np.zeros(size, dtype=np.int64)
        example[codes] = np.arange(len(part))  # some record of each kind, with its types
        cells = part[names].iloc[example].reset_index(drop=True)
        cells[number] = numbers
        return cells[numbers > 0]

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
    return pd.Series(values, dtype=None if len(values) else object)


def _read(values: list[str | None]) -> list:
    """The words of a CSV column as numbers or truth values where all of them are.

    >>> _read(["0", "1", None]), _read(["0", "x"]), _read(["no", "01"])
    ([0, 1, None], ['0', 'x'], ['no', '01'])
    """
    known = [value for value in values if value is not None]
    truths = {"true": True, "false": False}
    if known and all(re.fullmatch(r"-?(0|[1-9]\d{0,17})", value) for value in known):
        return [None if value is None else int(value) for value in values]
    if known and all(re.fullmatch(r"-?\d+\.\d*", value) for value in known):
        return [None if value is None else float(value) for value in values]
    if known and all(value.lower() in truths for value in known):
        return [None if value is None else truths[value.lower()] for value in values]
    return values


def _guessed_sizes(source: Source, names: list[str]) -> dict[str, int]:
    first = source.frame.select(names).head(SAMPLE)
    first = first.collect() if hasattr(first, "collect") else first
    return {name: max(2, first[name].n_unique()) for name in names}


def _free_name(wish: str, taken: Sequence[str]) -> str:
    while wish in taken:
        wish += "_"
    return wish
