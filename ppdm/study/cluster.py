"""A study's points on the machines of a Dask cluster: the same bits, and the cache stays here.

A point's random stream follows from the seed and its coordinates, so it does not matter who computes
it, as long as everybody computes with the same code. That is what is checked: a worker whose
package or libraries differ refuses its work, with a sentence that names the difference.
"""

from __future__ import annotations

import os
from concurrent.futures import Executor
from functools import cache
from pathlib import Path

from threadpoolctl import threadpool_limits

from ppdm.places import PACKAGE, computes
from ppdm.study import identity

#: Seconds in which a scheduler must answer and a first worker must have joined it.
PATIENCE = 30


def named() -> Executor | None:
    """The executor of the scheduler that PPDM_SCHEDULER names; None if it names none."""
    address = os.environ.get("PPDM_SCHEDULER", "").strip()
    return connected(address) if address else None


@cache
def connected(address: str) -> Executor:
    """An executor that works on the cluster of the scheduler at this address."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ValueError(
            f"the scheduler {address} needs Dask here too: install ppdm with its extra `scale`"
        ) from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(
            f"no scheduler answers at {address!r} ({type(error).__name__}); "
            "`dask scheduler` prints its address, tcp://...:8786"
        ) from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise ValueError(
            f"no worker has joined the scheduler {address}: type `dask worker {address}`"
        ) from None
    return client.get_executor(pure=False)


def is_dask(executor: Executor) -> bool:
    """Whether an executor hands its work to a Dask cluster."""
    return type(executor).__module__.split(".")[0] == "distributed"


@cache
def made_of() -> dict[str, str]:
    """What decides the bits that this process computes: the package and the libraries."""
    sources = [path for path in sorted(PACKAGE.rglob("*.py")) if computes(path)]
    return {"ppdm": _checksum(sources), **identity.library_versions()}


def ready(theirs: dict[str, str]) -> None:
    """In a worker: refuse work that was sent by somebody with other code; one thread for sums.

    Threads of one worker share the limit, so it is set once and for all.
    """
    ours = made_of()
    for name in {**theirs, **ours}:
        if ours.get(name) != theirs.get(name):
            raise ValueError(
                f"a worker has {name} {ours.get(name)}, the study was sent by one with "
                f"{name} {theirs.get(name)}: install the same on all machines"
            )
    _one_thread()


@cache
def _one_thread() -> threadpool_limits:
    return threadpool_limits(limits=1)


def _checksum(paths: list[Path]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
