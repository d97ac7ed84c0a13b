"""Group and count where the data are: in Polars, DuckDB, Arrow, Dask, Spark, or in files.

A table needs one grouping and one sum, and that is what these engines do best. So the records stay
in the engine, and only the occupied cells leave it: a row a distinct record, with the number of
records that are like it. `ppdm.table` makes tables of them.
"""

from __future__ import annotations

import glob
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    import narwhals as nw

#: More distinct records than this are not brought home: they would fill the memory here.
MOST_CELLS = 2**24
#: Marginals are counted together while all cells of their attributes are about so many.
TOGETHER = 4_096
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
    """The distinct records of some columns, and how many records are like each."""

    frame: pd.DataFrame
    numbers: np.ndarray


class Source(NamedTuple):
    """Records that an engine holds: the frame as narwhals sees it, and the file's type, if any."""

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
    import narwhals as nw

    if _is_arrow_stream(records):
        return True
    return _wrapped(records, nw) is not None


def opened(records: object) -> Source:
    """The records as narwhals sees them; files are opened by Polars or DuckDB, and not yet read."""
    import narwhals as nw

    if isinstance(records, Source):
        return records
    if isinstance(records, (str, Path)):
        return _files(str(records), nw)
    if _is_arrow_stream(records):
        return Source(_arrow_stream(records, nw))
    frame = _wrapped(records, nw)
    if frame is None:
        raise ValueError(
            f"records are a frame (pandas, Polars, Arrow, DuckDB, Dask, Spark), a 2-d array or a "
            f"path to Parquet or CSV files; got {type(records).__name__}"
        )
    return Source(frame)


def grouped(source: Source, sets: Sequence[Sequence[str]], most: int = MOST_CELLS) -> list[Cells]:
    """For each set of names: the distinct records of these columns, each with its number.

    Polars and Dask answer all sets in one pass over the data; the others read, for each set, its
    own columns.
    """
    import narwhals as nw

    _refuse_nested(source, {name for names in sets for name in names})
    number = _free_name("number", source.names)
    frame = source.frame.lazy() if _is_polars(source.frame) else source.frame
    groupings = [
        frame.select([*names]).group_by([*names]).agg(nw.len().alias(number)) for names in sets
    ]
    return [
        _at_home(cells, list(names), number, source.text, most)
        for names, cells in zip(sets, _collected(groupings, most), strict=True)
    ]


def _refuse_nested(source: Source, names: Iterable[str]) -> None:
    """Lists and structures are no answers, and not every engine can group by them."""
    for name, kind in source.frame.collect_schema().items():
        if name in names and kind.is_nested():
            raise ValueError(f"column {name!r} holds values that are no answers: they are {kind}")


def together(source: Source, sets: Sequence[Sequence[str]]) -> list[list[str]]:
    """Few larger sets of names that cover the given ones, so that each column is read seldom.

    Each grouping goes over all records; one over ten yes/no answers costs hardly more than one
    over two, and holds forty-five pairs.
    """
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
    dictionaries, Dask's known categories."""
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
    """All records, at home: for those that are few."""
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
    """Parquet or CSV files, opened by Polars if it is there, else by DuckDB.

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
    engine = _first_installed(f"to read {path!r}", "polars", "duckdb")
    if engine.__name__ == "polars":
        csv = engine.scan_csv
        frame = csv(path, infer_schema=False) if kind == "csv" else engine.scan_parquet(path)
    elif kind == "csv":
        frame = engine.read_csv(path, all_varchar=True)
    else:
        frame = engine.read_parquet(path)
    return Source(nw.from_native(frame), text=kind == "csv")


def _is_arrow_stream(records: object) -> bool:
    """Arrow's datasets and readers, which narwhals does not know."""
    kind = type(records)
    return kind.__module__.startswith(("pyarrow.", "pyarrow._")) and kind.__name__ in (
        "FileSystemDataset", "UnionDataset", "InMemoryDataset", "RecordBatchReader", "Scanner",
    )  # fmt: skip


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
    raise ValueError(f"{wish}, {wanted} must be installed: pip install 'ppdm[scale]'")


# -- grouping --------------------------------------------------------------------------------


def _is_polars(frame: nw.LazyFrame | nw.DataFrame) -> bool:
    return frame.implementation.is_polars()


def _collected(groupings: list, most: int) -> Iterator:
    """The groupings' results as eager narwhals frames; in one pass where the engine can."""
    import narwhals as nw

    implementation = groupings[0].implementation
    if implementation.is_polars():
        import polars as pl

        lazy = [cells.head(most + 1).to_native() for cells in groupings]
        for cells in pl.collect_all(lazy, engine="streaming"):
            yield nw.from_native(cells)
    elif implementation.is_dask():
        from dask.base import compute

        for cells in compute(*(cells.to_native() for cells in groupings)):
            yield nw.from_native(cells)
    else:
        for cells in groupings:
            yield cells.head(most + 1).collect() if isinstance(cells, nw.LazyFrame) else cells


def _at_home(cells: Any, names: list[str], number: str, text: bool, most: int) -> Cells:
    if len(cells) > most:
        raise ValueError(
            f"{len(names)} attributes have more than {most:,} different records, too many to bring "
            "home: count fewer attributes at a time (`names=`), or count marginals"
        )
    frame = pd.DataFrame({name: _column(cells[name], text) for name in names})
    return Cells(frame, cells[number].to_numpy().astype(np.int64))


def _column(column: Any, text: bool) -> pd.Series:
    """A column as pandas holds it: numbers as they are, the rest as Python's own values."""
    import narwhals as nw

    plain = column.dtype.is_numeric() or column.dtype == nw.Boolean
    if plain and not column.null_count():
        return pd.Series(column.to_numpy())
    values = column.to_list()
    return pd.Series(_read(values) if text else values, dtype=None if len(values) else object)


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
