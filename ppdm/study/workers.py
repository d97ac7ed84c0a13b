"""Who computes a study's points: this process, processes of its own, any executor, a cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from typing import Any, NamedTuple

import cloudpickle
import numpy as np
from threadpoolctl import threadpool_limits

from ppdm.study import cluster
from ppdm.study.store import Unit, named

# Work is first tried in this process: a small study never pays for starting workers.
TRIAL_SECONDS = 1.0
CHUNKS = 256  # at most so many tasks are handed to an executor
SENT = 30_000_000  # bytes of a function that are sent with all of them, or so


class Failure(NamedTuple):
    """What went wrong in a worker, as text: not every error can be sent."""

    message: str
    traceback: str


Task = tuple[int, Unit]
Outcome = tuple[int, "np.ndarray | Failure"]
Call = Callable[[Unit], np.ndarray]  # what computes one unit


def outcomes(
    call: Call, tasks: list[Task], executor: Executor | None, workers: int | None
) -> Generator[Outcome]:
    """(index, result or Failure) of every task, as they finish."""
    if executor is None and workers is None and tasks:
        executor = cluster.named()
    if executor is None and workers is None:
        workers = default_workers()
        began = time.perf_counter()
        for done, outcome in enumerate(work_on(call, tasks), 1):
            yield outcome
            spent, rest = time.perf_counter() - began, len(tasks) - done
            if spent > TRIAL_SECONDS and rest > 1 and workers > 1 and rest * spent / done > 1.0:
                break
        else:
            return
        tasks = tasks[done:]
    if executor is not None:
        yield from _collect(executor, call, tasks)
    elif workers == 1:
        yield from work_on(call, tasks)
    elif tasks:
        check_count("workers", workers)
        yield from _own_pool(min(workers or 1, len(tasks)), call, tasks)


def default_workers() -> int:
    """PPDM_WORKERS, else the cores this process may use."""
    named = os.environ.get("PPDM_WORKERS")
    if named is not None:
        if not named.isdigit() or int(named) < 1:
            raise ValueError(f"PPDM_WORKERS is {named!r}; it must be a whole number, 1 or more")
        return int(named)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_count(name: str, value: object) -> None:
    """Refuse what is not a whole number from 1 up."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is {value!r}; it must be a whole number, 1 or more")


def work_on(call: Call, tasks: list[Task]) -> Generator[Outcome]:
    """The outcomes of tasks, in this process, one after the other."""
    # One thread for linear algebra: sums come out the same whatever the number of cores.
    with threadpool_limits(limits=1):
        for i, unit in tasks:
            try:
                yield i, call(unit)
            except Exception as error:  # noqa: BLE001 (reported with the point's coordinates)
                yield i, Failure(f"{type(error).__name__}: {error}", traceback.format_exc())


# Processes of our own -----------------------------------------------------------------------------


_idle_pools: dict[int, ProcessPoolExecutor] = {}


def _own_pool(workers: int, call: Call, tasks: list[Task]) -> Generator[Outcome]:
    """Processes of our own, kept for the next run: only the first pays for imports and for loading
    compiled code."""
    pool = _idle_pools.pop(workers, None)
    if pool is None or pool._broken:
        pool = _start_pool(workers)
    try:
        yield from _collect(pool, call, tasks)
    except BaseException:
        for process in list((pool._processes or {}).values()):  # Ctrl-C: stop at once
            process.terminate()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    _idle_pools[workers] = pool


def _start_pool(workers: int) -> ProcessPoolExecutor:
    """Processes that import the libraries once and are forked from there: starting them from this
    process would copy its threads' locks (OpenMP's among them) in whatever state they are."""
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(["ppdm.study.grid", "numba"])
    return ProcessPoolExecutor(workers, context, initializer=_start_worker)


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker that waits for work does not notice that nobody is left to send any."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


# Sending work and collecting results --------------------------------------------------------------


def _collect(executor: Executor, call: Call, tasks: list[Task]) -> Generator[Outcome]:
    payload = _payload(call)
    number = min(CHUNKS, max(SENT // len(payload), 8))
    size = -(-len(tasks) // number) or 1
    chunks = [tasks[i : i + size] for i in range(0, len(tasks), size)]
    there = cluster.is_dask(executor)
    work: Callable[..., Any] = partial(_work_there, cluster.made_of()) if there else _work
    futures = {executor.submit(work, payload, chunk): chunk for chunk in chunks}
    try:
        for future in as_completed(futures):
            try:
                yield from future.result()
            except BrokenProcessPool:
                raise RuntimeError(
                    f"a worker process died while points around {named(futures[future][0][1].coords)} were running "
                    "(out of memory?, or a script without `if __name__ == '__main__':`); finished points "
                    "are kept"
                ) from None
            except Exception as error:
                if not there:
                    raise
                raise RuntimeError(
                    f"the cluster gave up ({type(error).__name__}: {error}); finished points are kept"
                ) from None
    finally:
        for future in futures:
            future.cancel()


def _payload(call: Call) -> bytes:
    try:
        return cloudpickle.dumps(call)
    except Exception as error:
        raise ValueError(
            f"the function of these points cannot be sent to worker processes ({error}); "
            "take what it closes over out of it, or use workers=1"
        ) from error


_loaded = lru_cache(maxsize=4)(cloudpickle.loads)


def _work(payload: bytes, chunk: list[Task]) -> list[Outcome]:
    return list(work_on(_loaded(payload), chunk))


def _work_there(made_of: dict[str, str], payload: bytes, chunk: list[Task]) -> list[Outcome]:
    """In a worker of a cluster: the same work, if it would be the same."""
    cluster.ready(made_of)
    return _work(payload, chunk)
