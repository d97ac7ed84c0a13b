"""Disguising records that do not fit into memory: batch by batch, each with coins of its own.

Batch number i is disguised with a generator that follows from one draw of `rng` and from i. So the
reports depend on the seed and on the size of the batches, and neither on the engine nor on how
often or in which pieces the result is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm import engines
from ppdm.domain import Domain, Levels, declared
from ppdm.table import count_marginals

#: Records that are disguised at a time.
BATCH = 1_000_000


def disguised(
    records: object,
    disguise: Callable[[pd.DataFrame, np.random.Generator, Domain], pd.DataFrame],
    rng: np.random.Generator,
    levels: Levels = None,
) -> Any:
    """The reports, as the records came: Polars frames (lazy ones stay lazy; so become files), Arrow
    tables.

    >>> import pyarrow
    >>> from ppdm import MultiGroup
    >>> answers = pyarrow.table({"A": [1, 0, 1, 1], "B": [0, 0, 1, 1]})
    >>> MultiGroup(1.0).disguise(answers, np.random.default_rng(1)).to_pylist() == answers.to_pylist()
    True
    """
    source, pieces = _pieces(records)
    entropy = rng.integers(2**63, size=2).tolist()  # drawn once: reading twice gives the same
    domain = _domain(source, levels)

    def reports() -> Iterator[pd.DataFrame]:
        for number, part in enumerate(_batches(pieces(), BATCH)):
            seed = np.random.SeedSequence(entropy, spawn_key=(number,))
            yield disguise(engines.to_pandas(part), np.random.default_rng(seed), domain)

    return _like(records, reports)


def _domain(source: engines.Source, levels: Levels) -> Domain:
    """What could have been answered: the same for every batch, so it is known before the first."""
    whole = declared(levels)
    if whole is not None:
        return whole
    singles = count_marginals(source, [[name] for name in source.names], levels)
    return Domain(tuple(source.names), tuple(table.levels[0] for table in singles))


def _pieces(records: object) -> tuple[engines.Source, Callable[[], Iterable]]:
    """The records as an engine sees them, and what gives them in order, piece by piece; one may be
    empty: so of no records, too, it is known what their reports are."""
    kind = type(records).__module__.split(".")[0]
    if kind in ("polars", "pyarrow") or isinstance(records, (str, Path)):
        source = engines.opened(records)
        if kind == "pyarrow":
            return source, lambda: [source.frame]
        if source.frame.implementation.is_polars():
            lazy = source.frame.to_native().lazy()
            return source, lambda: chain(
                [lazy.head(0).collect()],
                lazy.collect_batches(chunk_size=BATCH, maintain_order=True),
            )
    raise ValueError(
        "records are disguised one by one in pandas, Polars and Arrow frames, and by Polars from files; "
        f"got {kind}'s {type(records).__name__}: turn it into one of these"
    )


def _batches(pieces: Iterable, size: int) -> Iterator:
    """The records in frames of exactly so many rows (the last: fewer)."""
    import narwhals as nw

    queue: list = []
    batches = 0
    for piece in pieces:
        queue.append(nw.from_native(piece))
        while sum(map(len, queue)) >= size:
            whole = nw.concat(queue)
            queue = [whole[size:]]
            batches += 1
            yield whole[:size]
    if sum(map(len, queue)) or not batches:
        yield nw.concat(queue)


def _like(records: object, reports: Callable[[], Iterator[pd.DataFrame]]) -> Any:
    """The reports as the kind of frame that the records are."""
    if type(records).__module__.startswith("pyarrow"):
        import pyarrow as pa

        parts = (pa.Table.from_pandas(part, preserve_index=False) for part in reports())
        return pa.concat_tables(parts).combine_chunks()
    import polars as pl
    from polars.io.plugins import register_io_source

    frames = map(_as_polars, reports())
    if isinstance(records, pl.DataFrame):
        return pl.concat(frames)
    schema = next(frames).schema

    def source(columns: Any, predicate: Any, rows: int | None, size: object) -> Iterator:
        for frame in map(_as_polars, reports()):
            frame = frame.cast(dict(schema))
            if rows is not None:
                frame = frame[:rows]
                rows -= len(frame)
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame if columns is None else frame.select(columns)
            if rows == 0:
                return

    return register_io_source(source, schema=schema)


def _as_polars(part: pd.DataFrame) -> Any:
    """A frame of Polars whose enumerations keep the order of their levels."""
    import polars as pl

    frame = pl.from_pandas(part)
    kinds = {
        name: pl.Enum(part[name].cat.categories.tolist())
        for name, kind in frame.schema.items()
        if kind == pl.Categorical
    }
    return frame.cast(kinds)  # type: ignore[arg-type]
