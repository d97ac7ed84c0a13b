"""Disguising records that do not fit into memory: batch by batch, each with coins of its own.

Batch number i is disguised with a generator that follows from one draw of `rng` and from i. So the
reports depend on the seed and on the size of the batches, and neither on the engine nor on how
often or in which pieces the result is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm import engines
from ppdm.table import Domain, Levels, count_marginals, declared

#: Records that are disguised at a time.
BATCH = 1_000_000


def disguised(
    records: object,
    disguise: Callable[[pd.DataFrame, np.random.Generator, Domain], pd.DataFrame],
    rng: np.random.Generator,
    levels: Levels = None,
    batch: int | None = None,
) -> Any:
    """The reports, as the records came: Polars frames (lazy ones stay lazy; so become files), Arrow
    tables and readers.

    >>> import pyarrow
    >>> from ppdm import MultiGroup
    >>> answers = pyarrow.table({"A": [1, 0, 1, 1], "B": [0, 0, 1, 1]})
    >>> MultiGroup(1.0).disguise(answers, np.random.default_rng(1)).to_pylist() == answers.to_pylist()
    True
    """
    read = _reader(records)
    entropy = rng.integers(2**63, size=2).tolist()  # drawn once: reading twice gives the same
    domain = _domain(records, levels)

    def reports() -> Iterator[pd.DataFrame]:
        for number, part in enumerate(read(batch or BATCH)):
            seed = np.random.SeedSequence(entropy, spawn_key=(number,))
            yield disguise(engines.to_pandas(part), np.random.default_rng(seed), domain)

    return _like(records, reports)


def _domain(records: object, levels: Levels) -> Domain:
    """What could have been answered: the same for every batch, so it is known before the first."""
    whole = declared(levels)
    if whole is not None:
        return whole
    names = engines.opened(records).names
    singles = count_marginals(records, [[name] for name in names], levels)
    return Domain(tuple(names), tuple(table.levels[0] for table in singles))


def _reader(records: object) -> Callable[[int], Iterator]:
    """A function that gives the records in order, in frames of exactly so many rows (the last: fewer)."""
    kind = type(records).__module__.split(".")[0]
    if kind == "polars" or isinstance(records, (str, Path)):
        frame = _polars(records)
        return lambda batch: _polars_batches(frame, batch)
    if kind == "pyarrow" and hasattr(records, "to_batches"):
        return lambda batch: _arrow_batches(records, batch)
    raise ValueError(
        "records are disguised one by one in pandas, Polars and Arrow frames, and from files; got "
        f"{type(records).__module__.split('.')[0]}'s {type(records).__name__}: turn it into one of these"
    )


def _polars(records: object) -> Any:
    return engines.opened(records).frame.to_native().lazy()


def _polars_batches(frame: Any, batch: int) -> Iterator:
    import polars as pl

    held: list = []
    none = True
    for piece in frame.collect_batches(chunk_size=batch, maintain_order=True):
        held.append(piece)
        while sum(map(len, held)) >= batch:
            whole = pl.concat(held)
            held, none = [whole[batch:]], False
            yield whole[:batch]
    if sum(map(len, held)):
        yield pl.concat(held)
    elif none:  # of no records there is one batch, which says what their reports are
        yield frame.head(0).collect()


def _arrow_batches(records: Any, batch: int) -> Iterator:
    import pyarrow as pa

    held: list = []
    none = True
    for piece in records.to_batches():
        held.append(pa.Table.from_batches([piece]))
        while sum(map(len, held)) >= batch:
            whole = pa.concat_tables(held)
            held, none = [whole.slice(batch)], False
            yield whole.slice(0, batch)
    if sum(map(len, held)):
        yield pa.concat_tables(held)
    elif none:
        yield (getattr(records, "projected_schema", None) or records.schema).empty_table()


def _like(records: object, reports: Callable[[], Iterator[pd.DataFrame]]) -> Any:
    """The reports as the kind of frame that the records are."""
    if type(records).__module__.startswith("pyarrow"):
        import pyarrow as pa

        parts = (pa.Table.from_pandas(part, preserve_index=False) for part in reports())
        return pa.concat_tables(parts).combine_chunks()
    import polars as pl
    from polars.io.plugins import register_io_source

    frames = (pl.from_pandas(part) for part in reports())
    if isinstance(records, pl.DataFrame):
        return pl.concat(frames)
    schema = next(frames).schema
    types: dict[Any, Any] = dict(schema)

    def source(columns: Any, predicate: Any, rows: int | None, size: object) -> Iterator:
        for part in reports():
            frame = pl.from_pandas(part).cast(types)
            if rows is not None:
                frame = frame[:rows]
                rows -= len(frame)
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame if columns is None else frame.select(columns)
            if rows == 0:
                return

    return register_io_source(source, schema=schema)
