"""Seeded, parallel, resumable runs over a grid.

A cell is one point of the grid with all its repetitions. Its random stream follows from the seed and
its own coordinates, so the resulting frame is the same, bit for bit, for one worker or many, in any
order, resumed or not.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle
import numpy as np
import pandas as pd
from scipy.special import stdtrit
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ppdm.files import replace_file
from ppdm.places import cache_folder
from ppdm.study import cluster, identity

# Work is first tried in this process: a small study never pays for starting workers.
TRIAL_SECONDS = 1.0
CHUNKS = 256  # at most so many tasks are handed to an executor
SMALL_PAYLOAD = 100_000  # bytes of a function that may be sent again with each of them


class CellError(RuntimeError):
    """One or more cells failed. `.failed` lists (coordinates, message); finished cells are kept."""

    def __init__(self, message: str, failed: list):
        super().__init__(message)
        self.failed = failed


class Unit(NamedTuple):
    """What is computed and kept as one: a block of repetitions of a cell (mostly the whole cell)."""

    coords: dict
    block: int
    reps: int | None  # None: the function returns rows, not repetitions


def run(
    function: Callable,
    grid: dict | list[dict],
    reps: int,
    seed: int,
    *,
    block: int | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    data: object = None,
    cache: bool = True,
    record: Callable | None = None,
) -> pd.DataFrame:
    """A tidy frame (coordinates, rep, metric, value) of `function(rng, reps, **coords)` over a grid.

    `grid` is a dict of lists (all combinations) or a list of dicts. The function returns a dict from
    metric to an array of length `reps`. With `block`, it is called for that many repetitions at a
    time, each block with its own generator: the block size belongs to the result, the number of
    workers does not.

    Without `executor` the work starts in this process and moves to `workers` processes (default:
    PPDM_WORKERS, else all cores) once it has taken a second; naming `workers` starts them at once.
    Any `concurrent.futures.Executor` will do, Dask's `Client.get_executor()` among them. Where
    PPDM_SCHEDULER names the scheduler of a Dask cluster, that cluster does the work.

    `data` (checksums, say) becomes part of the cache key beside the function, its sources and seed.
    `record(function, seed, units, results, store)` is told what was computed (a chapter's manifest).

    >>> def cell(rng, reps, theta):
    ...     return {"heads": rng.binomial(10, theta, reps)}
    >>> frame = run(cell, {"theta": [0, 1]}, reps=2, seed=7, cache=False)
    >>> frame.to_dict("list")["value"]
    [0.0, 0.0, 10.0, 10.0]
    >>> list(frame)
    ['theta', 'rep', 'metric', 'value']
    """
    _check_count("reps", reps)
    if block is not None:
        _check_count("block", block)
    cells = expand(grid)
    block = min(block or reps, reps)
    sizes = [min(block, reps - start) for start in range(0, reps, block)]
    units = [Unit(c, i, size) for c in cells for i, size in enumerate(sizes)]
    blocks = iter(compute(function, units, seed, executor, workers, data, cache, record))
    results = [_join(list(itertools.islice(blocks, len(sizes))), c) for c in cells]
    return _long_frame(cells, results, reps)


def rows(
    function: Callable,
    grid: dict | list[dict],
    seed: int,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    data: object = None,
    cache: bool = True,
    record: Callable | None = None,
) -> pd.DataFrame:
    """Like `run` for functions that return any number of rows: `function(rng, **coords)` gives a
    frame or a dict of equally long columns (a front, a table); the coordinates are put before them.

    >>> rows(lambda rng, n: {"k": range(n)}, {"n": [1, 2]}, seed=1, cache=False).to_dict("list")
    {'n': [1, 2, 2], 'k': [0, 0, 1]}
    """
    cells = expand(grid)
    units = [Unit(c, 0, None) for c in cells]
    parts = compute(function, units, seed, executor, workers, data, cache, record)
    frames = [pd.DataFrame({name: part[name] for name in _fields(part)}) for part in parts]
    lengths = [len(frame) for frame in frames]
    clash = set().union(*frames) & set().union(*cells)
    if clash:
        raise ValueError(
            f"{sorted(map(str, clash))} are coordinates already; name the columns otherwise"
        )
    return pd.concat(
        [_coordinate_columns(cells, lengths), pd.concat(frames, ignore_index=True)], axis=1
    )


def summarise(frame: pd.DataFrame, cluster: str | None = None) -> pd.DataFrame:
    """Mean and variance over the repetitions of each cell and metric, with 95 % intervals.

    With `cluster`, the column of what repetitions share (``"split"``, say), a cell's repetitions run
    over all clusters: the mean is that of the clusters' means and its error comes from the
    spread between them, since repetitions on one split are not independent. The variance is
    then that within a cluster, averaged, and its error comes from the clusters too.

    Values that are NaN count in no way: `reps` is the number of the others.

    The mean's interval is Student's. The variance's standard error uses the fourth moment, so
    that it does not assume normal values; its interval is symmetric on the logarithmic scale.

    >>> frame = pd.DataFrame({"q": 1, "rep": range(4), "metric": "m", "value": [1., 2, 3, 4]})
    >>> summarise(frame).round(3).to_dict("records")[0]["low"]
    0.446
    >>> frame["split"] = [0, 0, 1, 1]
    >>> summarise(frame, cluster="split").round(3).to_dict("records")[0]["se"]
    1.0
    """
    if cluster is not None:
        return _summarise_clusters(frame, cluster)
    by = [column for column in frame.columns if column not in ("rep", "value")]
    groups = frame.groupby(by, sort=False, dropna=False)["value"]
    out = groups.agg(reps="count", mean="mean", var="var").reset_index()
    centred = frame.assign(value=(frame["value"] - groups.transform("mean")) ** 4)
    fourth = centred.groupby(by, sort=False, dropna=False)["value"].mean().to_numpy()
    n, var = out["reps"].to_numpy(), out.pop("var").to_numpy()
    constant = (groups.max() == groups.min()).to_numpy() & (n > 1)
    var = np.where(constant, 0.0, var)  # rounding in the mean must not look like spread
    se = np.sqrt(var / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.where(n > 1, stdtrit(np.maximum(n - 1, 1), 0.975), np.nan) * se
        var_se = np.sqrt(np.maximum(fourth - var**2 * (n - 3) / (n - 1), 0) / n)
        spread = np.where(var > 0, np.exp(1.96 * var_se / var), 1.0)
    out["se"], out["low"], out["high"] = se, out["mean"] - half, out["mean"] + half
    out["var"], out["var_se"] = var, np.where(constant, 0.0, var_se)
    out["var_low"], out["var_high"] = var / spread, var * spread
    return out


def _summarise_clusters(frame: pd.DataFrame, cluster: str) -> pd.DataFrame:
    within = summarise(frame)  # a row a cell and cluster
    by = [c for c in frame.columns if c not in ("rep", "value", cluster)]
    groups = within.groupby(by, sort=False, dropna=False)
    out = groups.agg(reps=("reps", "sum"), clusters=("mean", "count")).reset_index()
    for name, se, low, high in (
        ("mean", "se", "low", "high"),
        ("var", "var_se", "var_low", "var_high"),
    ):
        n = groups[name].count().to_numpy()  # a cluster of one repetition has no variance
        half = np.where(n > 1, stdtrit(np.maximum(n - 1, 1), 0.975), np.nan)
        middle = groups[name].mean().to_numpy()
        out[name], out[se] = middle, groups[name].std(ddof=1).to_numpy() / np.sqrt(n)
        out[low], out[high] = middle - half * out[se], middle + half * out[se]
    return out


def expand(grid: dict | list[dict]) -> list[dict]:
    """The cells of a grid, in its own order, with plain coordinates.

    >>> expand({"dataset": ["a", "b"], "q": [0.5]})
    [{'dataset': 'a', 'q': 0.5}, {'dataset': 'b', 'q': 0.5}]
    """
    if isinstance(grid, dict):
        for name, values in grid.items():
            if isinstance(values, str) or not hasattr(values, "__iter__"):
                raise ValueError(f"grid[{name!r}] is {values!r}; it must be a list of coordinates")
        cells = [dict(zip(grid, point)) for point in itertools.product(*grid.values())]
    else:
        cells = [dict(cell) for cell in grid]
    cells = [{str(k): identity.plain(k, v) for k, v in cell.items()} for cell in cells]
    if not cells:
        raise ValueError("the grid has no cells")
    known = set()
    for cell in cells:
        point = frozenset(cell.items())  # True and 1 are one, as in a frame of results
        if point in known:
            raise ValueError(f"the grid has the cell {_name(cell)} twice")
        known.add(point)
    return cells


def compute(
    function: Callable,
    units: list[Unit],
    seed: int,
    executor: Executor | None,
    workers: int | None,
    data: object,
    cache: bool,
    record: Callable | None = None,
) -> list[np.ndarray]:
    """The units' results in their own order: from the cache where they are, else computed and kept."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed is {seed!r}; it must be a whole number, 0 or more")
    store = Store(function, int(seed), data) if cache else Store.nowhere()
    kept = [store.read(unit) for unit in units]
    results: dict[int, np.ndarray] = {i: r for i, r in enumerate(kept) if r is not None}
    todo = [i for i in range(len(units)) if i not in results]
    failed = []
    work = _outcomes(function, [(i, units[i]) for i in todo], int(seed), executor, workers)
    # closing: Ctrl-C while a result is written must stop the workers too, not wait for them.
    with _progress(len(units), len(units) - len(todo)) as bar, contextlib.closing(work):
        for i, outcome in work:
            if isinstance(outcome, Failure):
                failed.append((units[i].coords, outcome))
            else:
                store.write(units[i], outcome)
                results[i] = outcome
            bar.update()
    if failed:
        coords, failure = failed[0]
        more = f" ({len(failed)} of {len(units)} cells failed)" if len(failed) > 1 else ""
        and_now = "; finished cells are kept" if cache else ""
        message = f"cell {_name(coords)} failed: {failure.message}{more}{and_now}"
        print(failure.traceback, file=sys.stderr)
        raise CellError(message, [(c, f.message) for c, f in failed])
    done = [results[i] for i in range(len(units))]
    if record:
        record(function, int(seed), units, done, store)
    return done


def compute_unit(function: Callable, unit: Unit, seed: int) -> np.ndarray:
    """One unit, alone, in this process, as every run computes it."""
    [(_, outcome)] = _work_on(function, [(0, unit)], seed)
    if isinstance(outcome, Failure):
        raise CellError(f"cell {_name(unit.coords)} failed: {outcome.message}", [])
    return outcome


# Doing the work --------------------------------------------------------------------------------


class Failure(NamedTuple):
    """What went wrong in a worker, as text: not every error can be sent."""

    message: str
    traceback: str


Task = tuple[int, Unit]
Outcome = tuple[int, "np.ndarray | Failure"]


def _outcomes(
    function: Callable, tasks: list[Task], seed: int, executor: Executor | None, workers: int | None
) -> Generator[Outcome]:
    """(index, result or Failure) of every task, as they finish."""
    if executor is None and workers is None and tasks:
        executor = cluster.named()
    if executor is None and workers is None:
        workers = default_workers()
        began = time.perf_counter()
        for done, outcome in enumerate(_work_on(function, tasks, seed), 1):
            yield outcome
            spent, rest = time.perf_counter() - began, len(tasks) - done
            if spent > TRIAL_SECONDS and rest > 1 and workers > 1 and rest * spent / done > 1.0:
                break
        else:
            return
        tasks = tasks[done:]
    if not tasks:
        return
    if executor is not None:
        yield from _collect(executor, _payload(function), tasks, seed)
    elif workers == 1:
        yield from _work_on(function, tasks, seed)
    else:
        _check_count("workers", workers)
        count = min(workers or 1, len(tasks))
        yield from _own_pool(_payload(function), tasks, seed, count)


def default_workers() -> int:
    """PPDM_WORKERS, else the cores this process may use."""
    named = os.environ.get("PPDM_WORKERS")
    if named is not None:
        if not named.isdigit() or int(named) < 1:
            raise ValueError(f"PPDM_WORKERS is {named!r}; it must be a whole number, 1 or more")
        return int(named)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _payload(function: Callable) -> bytes:
    try:
        return cloudpickle.dumps(function)
    except Exception as error:
        raise ValueError(
            f"{getattr(function, '__name__', function)!r} cannot be sent to worker processes "
            f"({error}); take what it closes over out of it, or use workers=1"
        ) from error


def _own_pool(payload: bytes, tasks: list[Task], seed: int, workers: int) -> Generator[Outcome]:
    """Processes of our own, kept for the next run: only the first pays for imports and for loading
    compiled code. A function that is large with its data is shipped once, to a pool for it alone."""
    small = len(payload) <= SMALL_PAYLOAD
    pool = _idle_pools.pop(workers, None) if small else None
    if pool is None or pool._broken:
        pool = _start_pool(workers, None if small else payload)
    try:
        yield from _collect(pool, payload if small else None, tasks, seed)
    except BaseException:
        for process in list((pool._processes or {}).values()):  # Ctrl-C: stop at once
            process.terminate()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    if small:
        _idle_pools[workers] = pool
    else:
        pool.shutdown()


_idle_pools: dict[int, ProcessPoolExecutor] = {}


def _start_pool(workers: int, payload: bytes | None) -> ProcessPoolExecutor:
    """Processes that import the libraries once and are forked from there: starting them from this
    process would copy its threads' locks (OpenMP's among them) in whatever state they are."""
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(["ppdm.study.grid", "numba"])
    return ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=(payload,))


def _collect(
    executor: Executor, payload: bytes | None, tasks: list[Task], seed: int
) -> Generator[Outcome]:
    size = -(-len(tasks) // CHUNKS)
    chunks = [tasks[i : i + size] for i in range(0, len(tasks), size)]
    there = cluster.is_dask(executor)
    work = partial(_work_there, cluster.made_of()) if there else _work
    futures = {executor.submit(work, payload, chunk, seed): chunk for chunk in chunks}
    try:
        for future in as_completed(futures):
            try:
                yield from future.result()
            except BrokenProcessPool:
                cell = _name(futures[future][0][1].coords)
                raise RuntimeError(
                    f"a worker process died while cells around {cell} were running (out of memory?, "
                    "or a script without `if __name__ == '__main__':`); finished cells are kept"
                ) from None
            except Exception as error:
                if not there:
                    raise
                raise RuntimeError(
                    f"the cluster gave up ({type(error).__name__}: {error}); finished cells are kept"
                ) from None
    finally:
        for future in futures:
            future.cancel()


_function: Callable | None = None  # in a worker of a pool for one function: that function


def _start_worker(payload: bytes | None) -> None:
    global _function  # noqa: PLW0603 - a worker has one function all its life
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if payload is not None:
        _function = cloudpickle.loads(payload)


def _end_with_parent() -> None:
    """A worker that waits for work does not notice that nobody is left to send any."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


@lru_cache(maxsize=4)
def _loaded(payload: bytes) -> Callable:
    return cloudpickle.loads(payload)


def _work(payload: bytes | None, chunk: list[Task], seed: int) -> list[Outcome]:
    function = _loaded(payload) if payload else _function
    return list(_work_on(function, chunk, seed))  # type: ignore[arg-type] # one of the two is there


def _work_there(
    made_of: dict[str, str], payload: bytes | None, chunk: list[Task], seed: int
) -> list[Outcome]:
    """In a worker of a cluster: the same work, if it would be the same."""
    cluster.ready(made_of)
    return _work(payload, chunk, seed)


def _work_on(function: Callable, chunk: list[Task], seed: int) -> Generator[Outcome]:
    # One thread for linear algebra: sums come out the same whatever the number of cores.
    with threadpool_limits(limits=1):
        for i, unit in chunk:
            try:
                yield i, _call(function, unit, seed)
            except Exception as error:  # noqa: BLE001 (reported with the cell's coordinates)
                yield i, Failure(f"{type(error).__name__}: {error}", traceback.format_exc())


def _call(function: Callable, unit: Unit, seed: int) -> np.ndarray:
    rng = identity.stream(seed, unit.coords, unit.block)
    if unit.reps is None:
        return _table(function(rng, **unit.coords))
    return _table(function(rng, unit.reps, **unit.coords), unit.reps)


def _table(result: Any, reps: int | None = None) -> np.ndarray:
    """A function's answer as one structured array, a field a metric, checked."""
    if isinstance(result, pd.DataFrame):
        result = {name: result[name].to_numpy() for name in result}
    if not isinstance(result, dict) or not result:
        raise ValueError(
            f"the function returned {type(result).__name__}; it must return a dict from metric to array"
        )
    columns = {str(name): _column(name, values, reps) for name, values in result.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the function returned columns of different lengths: {lengths}")
    table = np.empty(next(iter(lengths.values())), [(n, c.dtype) for n, c in columns.items()])
    for name, column in columns.items():
        table[name] = column
    return table


def _column(name: object, values: Any, reps: int | None) -> np.ndarray:
    values = values if hasattr(values, "__len__") else list(values)
    column = np.asarray(values)
    if column.dtype == object or column.dtype.kind not in "biuf":
        if reps is not None:
            raise ValueError(f"metric {name!r} is not numeric (it holds {column.dtype})")
        column = _words(name, values, column)
    if reps is not None:
        column = column.astype(float)
        if column.shape != (reps,):
            raise ValueError(
                f"metric {name!r} has shape {column.shape}; it must be one array of length {reps}, "
                "the number of repetitions asked for"
            )
        if np.isnan(column).any():
            raise ValueError(f"metric {name!r} is NaN in repetition {np.isnan(column).argmax()}")
    if column.ndim != 1:
        raise ValueError(f"column {name!r} has shape {column.shape}; it must have one dimension")
    return column


def _words(name: object, values: Any, column: np.ndarray) -> np.ndarray:
    """A column that is no array of numbers as one of words; numbers with gaps stay numbers."""
    if column.dtype.kind not in "OU" or column.ndim != 1:
        return column.astype(str)
    given = pd.Series(np.asarray(values, dtype=object)).infer_objects().to_numpy()
    if given.dtype.kind in "biuf":
        return given
    if pd.isna(given).any():
        raise ValueError(
            f"column {name!r} has no value in row {pd.isna(given).argmax()}; where a column is not of "
            "numbers, every row needs a word"
        )
    return column.astype(str)


# Keeping finished cells --------------------------------------------------------------------------


class Store:
    """Finished units, a file each, named by everything that decides their content."""

    name: str | None = None  # of the folder, within the cache
    files: tuple | list = ()  # of the package, that the function may reach

    def __init__(self, function: Callable, seed: int, data: object):
        self.folder: Path | None = None
        fingerprint, self.files = identity.examine(function)
        edited = identity.edited(self.files)
        if edited:  # what runs may be older than what the files say
            print(
                f"Cells are not kept: {', '.join(edited)} changed since this session began.",
                file=sys.stderr,
            )
            return
        key = {
            "function": fingerprint,
            "versions": identity.library_versions(),
            "data": data,
            "seed": seed,
        }
        text = json.dumps(key, sort_keys=True, default=lambda part: identity.examine(part)[0])
        name = hashlib.sha256(text.encode()).hexdigest()
        self.name = f"{name[:2]}/{name[2:32]}"
        folder = cache_folder() / self.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.folder = folder
        except OSError as error:
            warnings.warn(f"finished cells are not kept: {error}", stacklevel=2)
        with contextlib.suppress(OSError):
            os.utime(folder)  # in use: what nobody uses is removed one day

    @classmethod
    def nowhere(cls) -> Store:
        store = cls.__new__(cls)
        store.folder = None
        return store

    def path(self, unit: Unit) -> Path:
        return Path(self.folder or "") / file_name(unit)

    def read(self, unit: Unit) -> np.ndarray | None:
        """What was kept of a unit; None if nothing was, or if it is not as it was written."""
        if self.folder is None:
            return None
        path = self.path(unit)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        table = unsealed(content)
        if table is None:
            kept = path.relative_to(self.folder.parent.parent)
            print(
                f"The kept cell {_name(unit.coords)} is damaged ({kept}): it is computed anew.",
                file=sys.stderr,
            )
        return table

    def write(self, unit: Unit, table: np.ndarray) -> None:
        """Whole or not at all; a cache that fills up or may no longer be written is left."""
        if self.folder is None:
            return
        try:
            replace_file(self.path(unit), sealed(table), durable=False)
        except OSError as error:
            self.folder = None
            warnings.warn(f"no more cells are kept: {error.strerror or error}", stacklevel=2)


def file_name(unit: Unit) -> str:
    """What the file of a unit is called."""
    text = identity.canonical(unit._asdict())
    return f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.npy"


def sealed(table: np.ndarray) -> bytes:
    """A result as numpy's own file, with its checksum behind it.

    >>> unsealed(sealed(np.arange(3))).tolist(), unsealed(sealed(np.arange(3))[1:])
    ([0, 1, 2], None)
    """
    content = io.BytesIO()
    np.save(content, table, allow_pickle=False)
    return content.getvalue() + hashlib.sha256(content.getvalue()).digest()


def unsealed(content: bytes) -> np.ndarray | None:
    """The result that `sealed` packed; None if one bit of it is another. Nothing is parsed before."""
    if hashlib.sha256(memoryview(content)[:-32]).digest() != content[-32:]:
        return None
    return np.load(io.BytesIO(content), allow_pickle=False)


# Putting the frame together ----------------------------------------------------------------------


def _join(blocks: list[np.ndarray], coords: dict) -> np.ndarray:
    names = [block.dtype.names for block in blocks]
    if len(set(names)) > 1:
        raise ValueError(f"cell {_name(coords)} returned different metrics in different blocks")
    return np.concatenate(blocks) if len(blocks) > 1 else blocks[0]


def _coordinate_columns(cells: list[dict], lengths: list[int]) -> pd.DataFrame:
    names = list(dict.fromkeys(name for cell in cells for name in cell))
    once = pd.DataFrame([[cell.get(n) for n in names] for cell in cells], columns=names)
    return once.loc[np.repeat(np.arange(len(cells)), lengths)].reset_index(drop=True)


def _fields(result: np.ndarray) -> tuple[str, ...]:
    return result.dtype.names or ()


def _long_frame(cells: list[dict], results: list[np.ndarray], reps: int) -> pd.DataFrame:
    metrics = [name for result in results for name in _fields(result)]
    frame = _coordinate_columns(cells, [reps * len(_fields(r)) for r in results])
    for name in ("rep", "metric", "value"):
        if name in frame:
            raise ValueError(f"{name!r} is a column of the result; name the coordinate otherwise")
    frame["rep"] = np.tile(np.arange(reps), len(metrics))
    frame["metric"] = np.repeat(np.array(metrics, dtype=object), reps)
    frame["value"] = np.concatenate([r[n] for r in results for n in _fields(r)])
    return frame


def _name(coords: dict) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in coords.items()) or "(no coordinates)"


def _check_count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is {value!r}; it must be a whole number, 1 or more")


def _progress(total: int, done: int) -> tqdm:
    """A bar with the time left, for whoever watches: a terminal or a notebook, not a log file."""
    in_notebook = "ipykernel" in sys.modules
    quiet = os.environ.get("PPDM_PROGRESS") == "0" or not (in_notebook or sys.stderr.isatty())
    return tqdm(total=total, initial=done, unit="cell", delay=2, leave=False, disable=quiet)
