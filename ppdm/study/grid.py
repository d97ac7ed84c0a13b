"""Seeded, parallel, resumable runs over a grid of points.

A point is one combination of coordinates with all its repetitions. Its random stream follows from the seed
and its own coordinates, so the resulting frame is the same, bit for bit, for one worker or many, in any
order, resumed or not.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ppdm.study import identity
from ppdm.study.store import Store, Unit, named
from ppdm.study.workers import Failure, check_count, outcomes


class PointError(RuntimeError):
    """One or more points failed; finished points are kept."""


def run(
    function: Callable,
    grid: dict | list[dict],
    reps: int,
    seed: int,
    *,
    block: int | None = None,
    **how: Any,
) -> pd.DataFrame:
    """A tidy frame (coordinates, rep, metric, value) of `function(rng, reps, **coords)` over a grid.

    `grid` is a dict of lists (all combinations) or a list of dicts. The function returns a dict from
    metric to an array of length `reps`. With `block`, it is called for that many repetitions at a
    time, each block with its own generator: the block size belongs to the result, the number of
    workers does not. What else may be said is that of :func:`compute`.

    >>> def heads(rng, reps, theta):
    ...     return {"heads": rng.binomial(10, theta, reps)}
    >>> frame = run(heads, {"theta": [0, 1]}, reps=2, seed=7, cache=False)
    >>> frame.to_dict("list")["value"]
    [0.0, 0.0, 10.0, 10.0]
    >>> list(frame)
    ['theta', 'rep', 'metric', 'value']
    """
    check_count("reps", reps)
    check_count("block", 1 if block is None else block)
    points = expand(grid)
    block = min(block or reps, reps)
    sizes = [min(block, reps - start) for start in range(0, reps, block)]
    units = [Unit(point, i, size) for point in points for i, size in enumerate(sizes)]
    blocks = iter(compute(function, units, seed, **how))
    results = [_join(list(itertools.islice(blocks, len(sizes))), point) for point in points]
    return _long_frame(points, results, reps)


def rows(function: Callable, grid: dict | list[dict], seed: int, **how: Any) -> pd.DataFrame:
    """Like `run` for functions that return any number of rows: `function(rng, **coords)` gives a
    frame or a dict of equally long columns (a front, a table); the coordinates are put before them.

    >>> rows(lambda rng, n: {"k": range(n)}, {"n": [1, 2]}, seed=1, cache=False).to_dict("list")
    {'n': [1, 2, 2], 'k': [0, 0, 1]}
    """
    points = expand(grid)
    parts = compute(function, [Unit(point, 0, None) for point in points], seed, **how)
    frames = [pd.DataFrame({name: part[name] for name in part.dtype.names or ()}) for part in parts]
    clash = set().union(*frames) & set().union(*points)
    if clash:
        raise ValueError(
            f"{sorted(map(str, clash))} are coordinates already; name the columns otherwise"
        )
    coordinates = _coordinate_columns(points, [len(frame) for frame in frames])
    return pd.concat([coordinates, pd.concat(frames, ignore_index=True)], axis=1)


def expand(grid: dict | list[dict]) -> list[dict]:
    """The points of a grid, in its own order, with plain coordinates.

    >>> expand({"dataset": ["a", "b"], "q": [0.5]})
    [{'dataset': 'a', 'q': 0.5}, {'dataset': 'b', 'q': 0.5}]
    """
    if isinstance(grid, dict):
        for name, values in grid.items():
            if isinstance(values, str) or not hasattr(values, "__iter__"):
                raise ValueError(f"grid[{name!r}] is {values!r}; it must be a list of coordinates")
        grid = [dict(zip(grid, point)) for point in itertools.product(*grid.values())]
    points = [{str(k): identity.plain(k, v) for k, v in point.items()} for point in grid]
    if not points:
        raise ValueError("the grid has no points")
    for point, times in Counter(frozenset(point.items()) for point in points).items():
        if times > 1:  # True and 1 are one, as in a frame of results
            raise ValueError(f"the grid has the point {named(dict(sorted(point)))} twice")
    return points


def compute(
    function: Callable,
    units: list[Unit],
    seed: int,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    data: object = None,
    cache: bool = True,
    record: Callable | None = None,
) -> list[np.ndarray]:
    """The units' results in their own order: from the cache where they are, else computed and kept.

    Without `executor` the work starts in this process and moves to `workers` processes (default:
    PPDM_WORKERS, else all cores) once it has taken a second; naming `workers` starts them at once.
    Any `concurrent.futures.Executor` will do, Dask's `Client.get_executor()` among them. Where
    PPDM_SCHEDULER names the scheduler of a Dask cluster, that cluster does the work.

    `data` (checksums, say) becomes part of the cache key beside the function, its sources and seed.
    `record(function, seed, units, results, store)` is handed what was computed (for a manifest).
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed is {seed!r}; it must be a whole number, 0 or more")
    store = Store(function, int(seed), data, keep=cache)
    results = {i: kept for i, unit in enumerate(units) if (kept := store.read(unit)) is not None}
    tasks = [(i, unit) for i, unit in enumerate(units) if i not in results]
    failed = []
    work = outcomes(partial(compute_unit, function, seed=int(seed)), tasks, executor, workers)
    # closing: Ctrl-C while a result is written must stop the workers too, not wait for them.
    with _progress(len(units), len(results)) as bar, contextlib.closing(work):
        for i, outcome in work:
            if isinstance(outcome, Failure):
                failed.append((units[i].coords, outcome))
            else:
                store.write(units[i], outcome)
                results[i] = outcome
            bar.update()
    if failed:
        coords, failure = failed[0]
        more = f" ({len(failed)} of {len(units)} points failed)" if len(failed) > 1 else ""
        now = "; finished points are kept" if store.folder else ""
        print(failure.traceback, file=sys.stderr)
        raise PointError(f"point {named(coords)} failed: {failure.message}{more}{now}")
    in_order = [results[i] for i in range(len(units))]
    if record:
        record(function, int(seed), units, in_order, store)
    return in_order


def compute_unit(function: Callable, unit: Unit, seed: int) -> np.ndarray:
    """One unit, as every run computes it: with its own generator."""
    rng = identity.stream(seed, unit.coords, unit.block)
    reps = () if unit.reps is None else (unit.reps,)
    return _table(function(rng, *reps, **unit.coords), unit.reps)


# What a function may return -----------------------------------------------------------------------


def _table(result: Any, reps: int | None = None) -> np.ndarray:
    """A function's answer as one structured array, a field a metric, checked."""
    if isinstance(result, pd.DataFrame):
        result = dict(result.items())
    if not isinstance(result, dict) or not result:
        raise ValueError(
            f"the function returned {type(result).__name__}; it must return a dict from metric to array"
        )
    columns = {str(name): _column(name, values, reps) for name, values in result.items()}
    if len({len(column) for column in columns.values()}) > 1:
        lengths = {name: len(column) for name, column in columns.items()}
        raise ValueError(f"the function returned columns of different lengths: {lengths}")
    table = np.empty(
        max(map(len, columns.values())), [(name, c.dtype) for name, c in columns.items()]
    )
    for name, column in columns.items():
        table[name] = column
    return table


def _column(name: object, values: Any, reps: int | None) -> np.ndarray:
    """Numbers, one a repetition; in a table of rows words as well. Numbers with gaps stay numbers."""
    values = values if hasattr(values, "__len__") else list(values)
    column = np.asarray(values)
    if column.ndim != 1 or (reps is not None and len(column) != reps):
        length = (
            "one dimension"
            if reps is None
            else f"one array of length {reps}, the number of repetitions asked for"
        )
        raise ValueError(f"metric {name!r} has shape {column.shape}; it must be {length}")
    if column.dtype.kind in "OU":
        given = pd.Series(np.asarray(values, dtype=object)).infer_objects().to_numpy()
        column = given if given.dtype.kind in "biuf" else column
    if column.dtype.kind not in "biuf":
        if reps is not None:
            raise ValueError(f"metric {name!r} is not numeric (it holds {column.dtype})")
        if pd.isna(given := np.asarray(values, dtype=object)).any():
            raise ValueError(
                f"column {name!r} has no value in row {pd.isna(given).argmax()}; where a column is not of "
                "numbers, every row needs a word"
            )
        return column.astype(str)
    column = column if reps is None else column.astype(float)
    if reps is not None and np.isnan(column).any():
        raise ValueError(f"metric {name!r} is NaN in repetition {np.isnan(column).argmax()}")
    return column


# Putting the frame together -----------------------------------------------------------------------


def _join(blocks: list[np.ndarray], point: dict) -> np.ndarray:
    if len({block.dtype.names for block in blocks}) > 1:
        raise ValueError(f"point {named(point)} returned different metrics in different blocks")
    return np.concatenate(blocks) if len(blocks) > 1 else blocks[0]


def _coordinate_columns(points: list[dict], lengths: Iterable[int]) -> pd.DataFrame:
    names = list(dict.fromkeys(name for point in points for name in point))
    once = pd.DataFrame([[point.get(n) for n in names] for point in points], columns=names)
    return once.loc[np.repeat(np.arange(len(points)), list(lengths))].reset_index(drop=True)


def _long_frame(points: list[dict], results: list[np.ndarray], reps: int) -> pd.DataFrame:
    metrics = [result.dtype.names or () for result in results]
    frame = _coordinate_columns(points, (reps * len(names) for names in metrics))
    if clash := {"rep", "metric", "value"} & set(frame):
        raise ValueError(
            f"{clash.pop()!r} is a column of the result; name the coordinate otherwise"
        )
    every = np.array([name for names in metrics for name in names], dtype=object)
    frame["rep"] = np.tile(np.arange(reps), len(every))
    frame["metric"] = np.repeat(every, reps)
    frame["value"] = np.concatenate([r[n] for r, names in zip(results, metrics) for n in names])
    return frame


def _progress(total: int, done: int) -> tqdm:
    """A bar with the time left, for whoever watches: a terminal or a notebook, not a log file."""
    in_notebook = "ipykernel" in sys.modules
    quiet = os.environ.get("PPDM_PROGRESS") == "0" or not (in_notebook or sys.stderr.isatty())
    return tqdm(total=total, initial=done, unit="point", delay=2, leave=False, disable=quiet)
