"""The page *When one machine is not enough*: its commands as typed, and its numbers.

The commands need minutes, so they run in `make check`, and those with Spark or a cluster in `make
weekly`. What is put in their place: the port (a free one for 8786), and that the cluster loses a
worker while a chapter is computed.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ppdm.places import PACKAGE
from ppdm.survey import plan

ROOT = PACKAGE.parent
PAGE = (ROOT / "book" / "at_scale.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|bash)( \w+)?\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def blocks(kind: str, label: str = "") -> list[str]:
    return [text for language, said, text in BLOCKS if (language, said.strip()) == (kind, label)]


def environment(**more: str) -> dict[str, str]:
    """One in which `ppdm` and `dask` are the commands of this Python, and `ppdm` this package."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), **more}


def typed(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )


def ran(code: str, folder: Path, **more: str) -> None:
    (folder / "typed.py").write_text(code, encoding="utf-8")
    done = typed("python typed.py", folder, **more)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> Path:
    """The folder in which the page's reports lie."""
    folder = tmp_path_factory.mktemp("page")
    ran("\n".join(blocks("python")), folder)
    return folder


@pytest.mark.slow
def test_counting_as_typed(reports):
    assert len(list(reports.glob("reports-*.parquet"))) == 4


@pytest.mark.slow
def test_estimates_as_typed(reports):
    (commands,) = [text for text in blocks("bash") if text.startswith("ppdm estimate")]
    first, second = commands.splitlines()
    done = typed(first, reports)
    assert done.returncode == 0, done.stderr
    assert "smokes" in done.stdout and "interval" in done.stdout
    share = float(re.search(r"smokes\s+yes\s+100000\s+\S+\s+(\S+)", done.stdout)[1])
    assert abs(share - 20) < 1.4  # four standard errors (0.34 points) and the draw of the truth
    assert typed(second, reports).returncode == 0
    assert (reports / "by_age.csv").read_text().startswith("age,question,answer,reports,")


@pytest.mark.weekly
def test_spark_as_typed(reports, spark_folder):
    code = "\n".join([*blocks("python")[:2], *blocks("python", "spark")])
    ran(code, reports, PYTHONPATH=f"{ROOT}{os.pathsep}{spark_folder}", SPARK_LOCAL_IP="127.0.0.1")


@pytest.mark.weekly
def test_a_chapter_on_a_cluster_as_typed(tmp_path):
    """Two workers, one killed on the way: the results are those of this machine alone, to the bit."""
    book = tmp_path / "book-of-mine"
    for part in ("notebooks", "book"):
        shutil.copytree(ROOT / part, book / part)
    for part in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / part, book)
    (lines,) = [text.splitlines() for text in blocks("bash") if text.startswith("dask scheduler")]
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = str(one.getsockname()[1])
    scheduler, worker, chapter = (line.replace("8786", port) for line in lines)
    servers = [
        subprocess.Popen(
            line.split(),
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for line in (scheduler, worker)
    ]
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_worker, args=(f"tcp://127.0.0.1:{port}", killed))
    try:
        killer.start()
        there = typed(chapter, book, PPDM_CACHE=str(tmp_path / "cache there"))
        assert there.returncode == 0, there.stderr
        killer.join(timeout=60)
        assert killed
        results = csv_files(book)
        (code,) = blocks("python", "cluster")
        ran(code.replace("8786", port), tmp_path)
    finally:
        for server in reversed(servers):
            os.killpg(server.pid, signal.SIGKILL)
            server.wait(timeout=30)
    here = typed(chapter.split(" --scheduler")[0], book, PPDM_CACHE=str(tmp_path / "cache here"))
    assert here.returncode == 0, here.stderr
    assert results and csv_files(book) == results


def csv_files(book: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(book.glob("_build/runs/**/*.csv"))}


def kill_a_worker(address: str, killed: list[int]) -> None:
    """Wait until the workers have work; then one of them gets SIGKILL."""
    from distributed import Client

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        while not killed:
            busy = [where for where, tasks in client.processing().items() if tasks]
            if busy:
                killed.append(client.run(os.getpid, workers=busy[:1])[busy[0]])
                os.kill(killed[0], signal.SIGKILL)
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("table", "respondents"), [("country-errors", 330e6), ("billion-errors", 1e9)]
)
def test_the_page_prints_what_the_plan_computes(table, respondents):
    text = PAGE.split(f":name: {table}")[1].split("```")[0]
    rows = [row.split("\n  - ") for row in re.split(r"\n\* - ", text)[2:]]
    printed = [[cell.strip() for cell in row] for row in rows]
    assert printed == as_printed(plan.errors(respondents))


def as_printed(frame) -> list[list[str]]:
    return [
        [f"{row['ε']:g}", f"{row['θ']:.3f}", f"{row['ε of the record']:g}"]
        + [f"{row[name]:.4f}" for name in ("a share", "a pair", "a leaf")]
        for _, row in frame.iterrows()
    ]


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_the_plan_on_paper_is_the_error_of_a_survey(epsilon):
    """Root mean squares over 16 questions have some 16 degrees of freedom each, so a ratio outside
    of 0.4 to 1.6 has a chance of 6e-4; with three of them, a new seed fails once in 500."""
    found = plan.simulated(epsilon, 20_000, np.random.default_rng(5), questions=16)
    for what in ("a share", "a pair", "a leaf"):
        assert found[what] == pytest.approx(found[f"{what}, on paper"], rel=0.6)
