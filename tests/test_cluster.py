"""Studies on a Dask cluster: the same bits, a cache that stays here, a worker that dies."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm import count, study
from ppdm.places import PACKAGE
from ppdm.study import cluster
from ppdm.table import count_marginals

distributed = pytest.importorskip("distributed")
#: The package that is tested, and this module: its functions are sent by name.
CODE = os.pathsep.join([str(PACKAGE.parent), str(Path(__file__).parent)])


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """`dask scheduler` and two times `dask worker`, as they are typed."""

    def __init__(self, folder: Path):
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.folder, self.processes = folder, []
        port = self.address.rsplit(":", 1)[1]
        self.scheduler = self.start(
            "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"
        )
        self.workers = [
            self.start("worker", self.address, "--nthreads", "1", "--no-dashboard", "--no-nanny")
            for _ in range(2)
        ]

    def start(self, kind: str, *words: str) -> subprocess.Popen:
        log = (self.folder / f"{kind}{len(self.processes)}.log").open("wb")
        code = "import sys; from distributed.cli.dask_" + kind + " import main; main()"
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=self.folder,
            stdout=log,
            stderr=log,
            env=os.environ | {"PPDM_SCHEDULER": "", "PYTHONPATH": CODE},
        )
        self.processes.append(process)
        return process

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait(timeout=30)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    there = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        executor = cluster.connected(there.address)
        executor._client.wait_for_workers(2, timeout=60)
        yield there
        executor._client.close()
    finally:
        there.end()
        cluster.connected.cache_clear()


def point(rng, reps, theta):
    """Some arithmetic whose last bits would show another order of sums."""
    draws = rng.normal(theta, 1, (reps, 400))
    return {"mean": draws.mean(axis=1), "product": (draws @ draws.T).sum(axis=1)}


def slow_point(rng, reps, theta, folder):
    """Says by a file that it has begun, so that the test need not guess when."""
    Path(folder, f"{theta}.{os.getpid()}").touch()
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        rng.bit_generator.state  # noqa: B018
    return {"draw": np.random.default_rng(theta).random(reps)}


@pytest.mark.slow
def test_the_cluster_gives_the_same_bits_and_names_what_fails(two_workers, tmp_path, monkeypatch):
    grid = {"theta": [0, 1, 2, 3, 4, 5]}
    here = study.run(point, grid, reps=20, seed=5, workers=1, cache=False)
    there = {"executor": cluster.connected(two_workers.address), "cache": False}
    frame = study.run(point, grid, reps=20, seed=5, **there)
    pd.testing.assert_frame_equal(here, frame, check_exact=True)
    monkeypatch.setenv("PPDM_SCHEDULER", two_workers.address)
    monkeypatch.setenv("PPDM_CACHE", str(tmp_path))
    pd.testing.assert_frame_equal(here, study.run(point, grid, reps=20, seed=5), check_exact=True)

    def fails(rng, reps, theta):
        raise ValueError("no such answer")

    with pytest.raises(study.PointError, match="point theta=3 failed: ValueError: no such answer"):
        study.run(fails, {"theta": [3]}, reps=2, seed=1, **there)
    other = {**cluster.made_of(), "numpy": "1.0"}
    monkeypatch.setattr(cluster, "made_of", lambda: other)
    with pytest.raises(RuntimeError, match="a worker has numpy .*, the study was sent .*numpy 1.0"):
        study.run(point, {"theta": [1]}, reps=2, seed=1, **there)


@pytest.mark.slow
def test_a_frame_on_the_cluster_is_counted_there(two_workers, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 2, (2_000, 12)), columns=[f"q{i}" for i in range(12)])
    frame["Ort"] = rng.choice(["Köln", "Ulm"], 2_000)
    for part in range(20):
        frame[part::20].to_parquet(tmp_path / f"{part:02d}.parquet", index=False)
    client = distributed.Client(two_workers.address)
    try:
        there = dd.read_parquet(tmp_path)
        counted, expected = count(there), count(frame)
        assert counted.domain == expected.domain
        for ours, theirs in zip(counted.occupied(), expected.occupied()):
            np.testing.assert_array_equal(ours, theirs)
        pairs = [[f"q{i}", "Ort"] for i in range(12)]
        for one, other in zip(count_marginals(there, pairs), count_marginals(frame, pairs)):
            np.testing.assert_array_equal(one.dense, other.dense)
        assert any("count_part" in str(who) for who in client.run(seen).values())
    finally:
        client.close()


def seen(dask_worker) -> list[str]:
    """What a worker has computed, as it remembers it."""
    return [str(entry) for entry in dask_worker.state.log]


@pytest.mark.slow
def test_a_worker_that_dies_costs_nothing_but_time(two_workers, tmp_path):
    """Comes last: one of the two workers is gone then."""
    began = tmp_path / "began"
    began.mkdir()
    victim = two_workers.workers[0]

    def kill():
        while not list(began.glob(f"*.{victim.pid}")):
            time.sleep(0.02)
        os.kill(victim.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    grid = [{"theta": i, "folder": str(began)} for i in range(8)]
    executor = cluster.connected(two_workers.address)
    frame = study.run(slow_point, grid, reps=3, seed=1, executor=executor, cache=False)
    killer.join(timeout=30)
    assert victim.wait(timeout=30) == -signal.SIGKILL
    expected = [np.random.default_rng(i).random(3) for i in range(8)]
    np.testing.assert_array_equal(frame["value"], np.concatenate(expected))


def test_no_scheduler_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(ValueError, match="no scheduler answers at 'tcp://127.0.0.1:9'"):
        cluster.connected("tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ValueError, match="needs Dask here too: install ppdm with its extra `scale`"
    ):
        cluster.connected("tcp://127.0.0.1:10")
