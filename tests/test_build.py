"""The pipeline from notebooks to a site: parameters, what runs again, stopping, the links' owner."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import nbformat
import psutil
import pytest

from ppdm import cli, places
from ppdm.book.build import chapters, commands, execute, extension, render

ROOT = places.find_root(Path(__file__).parent)


def notebook(path: Path, *cells: str, parameters: str | None = "n = 1\nname = 'a'") -> Path:
    """Write a notebook with a parameters cell and some code."""
    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    if parameters is not None:
        first = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
        book.cells.append(first)
    book.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path)
    return path


@pytest.fixture
def book(tmp_path) -> places.Layout:
    """A book of one notebook, in a folder whose name has a space."""
    root = tmp_path / "a book"
    notebook(root / "notebooks" / "00_first.ipynb", "print(n)")
    (root / "book" / "claims").mkdir(parents=True)
    (root / "_config.yml").write_text("title: t\n")
    return places.paper_layout(root)


# Parameters


def test_a_notebook_without_parameters_cell_is_refused(tmp_path):
    path = notebook(tmp_path / "n.ipynb", "n = 1", parameters=None)
    with pytest.raises(ValueError, match="n.ipynb has no cell tagged `parameters`"):
        execute.check_parameters(path, {})


# What runs again


def test_every_ingredient_changes_the_fingerprint(book, monkeypatch):
    path = book.notebooks / "00_first.ipynb"
    monkeypatch.delenv("PPDM_DATA_SOURCE", raising=False)
    monkeypatch.setattr(chapters, "installed_versions", lambda: ["numpy==2"])
    package = [places.PACKAGE / "table.py"]
    monkeypatch.setattr(chapters, "package_sources", lambda: package)

    def now(**parameters):
        return chapters.fingerprint(book.root, path, parameters)

    seen = [now(), now(reps=1), now(reps=2)]
    assert now() == seen[0]
    (book.claims / "00_first.yml").write_text("- id: ZM-1\n")
    seen.append(now())
    monkeypatch.setattr(chapters, "installed_versions", lambda: ["numpy==3"])
    seen.append(now())
    monkeypatch.setenv("PPDM_DATA_SOURCE", "live")
    seen.append(now())
    package.pop()
    seen.append(now())
    notebook(path, "print(n + 1)")
    seen.append(now())
    assert len(set(seen)) == len(seen)


def test_a_chapter_is_fresh_until_one_of_its_files_changes(book, monkeypatch):
    monkeypatch.setattr(chapters, "execute", lambda source, output, *_, **__: notebook(output))
    monkeypatch.setattr(chapters, "package_sources", list)  # they may be edited meanwhile
    assert chapters.run_chapters(book, "paper") == ["00_first"]
    assert chapters.run_chapters(book, "paper") == []
    executed = book.source / "notebooks" / "00_first.ipynb"
    executed.write_text(executed.read_text() + " ")
    assert chapters.run_chapters(book, "paper") == ["00_first"]
    stray = book.results / "09_gone" / "claims.csv"
    stray.parent.mkdir(parents=True)
    stray.write_text("id\n")
    assert chapters.run_chapters(book, "paper") == []
    assert not stray.exists()


def test_a_chapter_is_found_by_the_beginning_of_its_name(tmp_path):
    for stem in ("00_primer", "00_data", "01_surveys"):
        notebook(tmp_path / "notebooks" / f"{stem}.ipynb")
    assert chapters.find_notebook(tmp_path, "01").stem == "01_surveys"
    assert chapters.find_notebook(tmp_path, "notebooks/00_data.ipynb").stem == "00_data"
    with pytest.raises(ValueError, match="'00' fits 00_data, 00_primer"):
        chapters.find_notebook(tmp_path, "00")
    notebook(tmp_path / "notebooks" / "01_beyond.ipynb")  # what goes beyond the paper
    assert chapters.find_notebook(tmp_path, "01").stem == "01_surveys"
    assert chapters.find_notebook(tmp_path, "01-beyond").stem == "01_beyond"
    with pytest.raises(
        ValueError, match="no chapter is called '01_survey_s'; did you mean '01_surveys'"
    ):
        chapters.find_notebook(tmp_path, "01_survey_s")


# Running


@pytest.mark.slow
def test_an_executed_notebook_bears_no_trace_of_the_machine(tmp_path):
    path = notebook(tmp_path / "n.ipynb", "import os\nprint(n, os.environ['PPDM_RESULTS'][-3:])")
    output = tmp_path / "out" / "n.ipynb"
    execute.execute(path, output, {"n": 7}, tmp_path / "res", scratch=tmp_path / "work")
    text = output.read_text()
    assert str(tmp_path) not in text and "papermill" not in text
    cells = json.loads(text)["cells"]
    assert cells[1]["metadata"]["tags"] == ["injected-parameters", "remove-cell"]
    assert cells[1]["id"] == "injected-parameters"  # papermill's is drawn at random
    assert cells[-1]["outputs"][0]["text"] == ["7 res\n"]
    assert not list(tmp_path.rglob("*.part*"))


@pytest.mark.slow
def test_a_failing_cell_fails_the_run_and_leaves_no_output(tmp_path, capfd):
    path = notebook(tmp_path / "n.ipynb", "print('first')", "1 / (n - 1)")
    output = tmp_path / "out.ipynb"
    with pytest.raises(RuntimeError, match="n.ipynb failed"):
        execute.execute(path, output, {}, tmp_path, scratch=tmp_path / "work")
    told = capfd.readouterr().err
    assert "ZeroDivisionError" in told and "1 / (n - 1)" in told
    assert not output.exists()
    assert (tmp_path / "work" / "out.failed.ipynb").exists()


@pytest.mark.slow
def test_stopping_ends_the_kernel_and_its_workers_and_leaves_no_output(tmp_path):
    started = tmp_path / "started"
    path = notebook(
        tmp_path / "n.ipynb",
        "import subprocess, sys, time, pathlib\n"
        "worker = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(started)!r}).write_text(str(worker.pid))\n"
        "time.sleep(600)",
    )
    output, stop = tmp_path / "out.ipynb", threading.Event()

    def stop_once_started():
        deadline = time.monotonic() + 60
        while not started.exists() or not started.read_text():
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        stop.set()

    watcher = threading.Thread(target=stop_once_started)
    watcher.start()
    with pytest.raises(execute.Stopped):
        execute.execute(path, output, {}, tmp_path, scratch=tmp_path / "work", stop=stop)
    watcher.join()
    worker = int(started.read_text())
    assert not psutil.pid_exists(worker) or psutil.Process(worker).status() == "zombie"
    assert not output.exists() and not list(tmp_path.rglob("*.part*"))


def gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def wait_for(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
@pytest.mark.slow
def test_nothing_works_on_after_kill_9_of_the_parent(tmp_path):
    started = tmp_path / "started"
    notebook(
        tmp_path / "n.ipynb",
        "import os, pathlib, subprocess, sys, time\n"
        "worker = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(started)!r}).write_text(f'{{os.getpid()}} {{worker.pid}}.')\n"
        "time.sleep(600)",
    )
    script = (
        "import pathlib, sys; from ppdm.book.build.execute import execute; "
        "there = pathlib.Path(sys.argv[1]); "
        "execute(there / 'n.ipynb', there / 'out.ipynb', {}, there, scratch=there / 'work')"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, tmp_path])
    try:
        wait_for(lambda: started.exists() and started.read_text().endswith("."))
        family = psutil.Process(parent.pid).children(recursive=True)
        pids = [int(pid) for pid in started.read_text().strip(".").split()]
        assert set(pids) < {member.pid for member in family}
        parent.kill()
        parent.wait()
        wait_for(lambda: all(map(gone, family)))
    finally:
        parent.kill()


# One at a time, each under its own name


HOLDER = """
import pathlib, sys, time
from ppdm.book.build.lock import alone
with alone(pathlib.Path(sys.argv[1]), sys.argv[2]):
    print("in", flush=True)
    sys.stdin.read()
"""


def test_a_second_build_says_who_is_at_work_and_waits(tmp_path):
    def start(name):
        return subprocess.Popen(
            [sys.executable, "-c", HOLDER, tmp_path / "out", name],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    first = start("ppdm book quick")
    assert first.stdout.readline() == "in\n"
    second = start("ppdm book")
    said = second.stderr.readline()
    assert said.startswith(f"`ppdm book quick` (process {first.pid}, since ")
    assert said.endswith(f"UTC) is at work in {tmp_path / 'out'}: waiting for it to end.\n")
    first.kill()  # however it ends
    first.communicate()
    assert second.stdout.readline() == "in\n"
    assert second.communicate("", timeout=20)[1] == ""


def test_a_run_says_what_it_decided_otherwise_than_the_book(tmp_path):
    def decided(folder, *rows):
        (folder / "01_x").mkdir(parents=True)
        lines = [",".join(row) for row in (("id", "ours", "verdict"), *rows)]
        (folder / "01_x" / "claims.csv").write_text("\n".join(lines))
        return folder

    book = decided(tmp_path / "book", ("A-1", "0.5", "reproduced"), ("A-2", "", "not reproduced"))
    mine = decided(tmp_path / "mine", ("A-1", "0.5", "reproduced"), ("A-2", "0.1", "reproduced"))
    assert commands.against_the_book(mine, book, "01_x") == (
        "1 of 2 verdicts are those of the book\n"
        "  A-2: reproduced (0.1), in the book not reproduced (no number)\n"
    )
    assert commands.against_the_book(mine, book, "02_y") == ""


# What is kept, and for how long


@pytest.fixture
def cache(book, monkeypatch):
    """Kept points of a megabyte each, unused for some days; a function that says which are left."""
    monkeypatch.chdir(book.root)
    monkeypatch.delenv("PPDM_CACHE", raising=False)
    folder = book.out / "cache"

    def keep(name: str, days: float, file: str = "a.npy") -> str:
        path = folder / name[:2] / (name[2:] * 30)[:30]
        path.mkdir(parents=True)
        (path / file).write_bytes(bytes(10**6))
        os.utime(path, (time.time() - 86_400 * days,) * 2)
        return path.relative_to(folder).as_posix()

    def left() -> set[str]:
        return {path.relative_to(folder).as_posix() for path in folder.glob("??/*")}

    return keep, left


def manifest_of(layout, *kept):
    path = layout.results / "00_first" / "manifest.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"made_on": {"kept": [*kept, None]}}))


def test_cells_that_nothing_uses_any_more_are_removed_with_a_sentence(book, cache, capsys):
    keep, left = cache
    old, young = [keep("aa1", 40), keep("ab2", 31)], keep("aa3", 29)
    built, quick = keep("ba4", 90), keep("ba5", 90)
    manifest_of(book, built)
    manifest_of(places.quick_layout(book.root), quick)
    assert cli.main(["book", "clean"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Removed the kept points of 2 experiments (2 MB) that nothing had used")
    assert said.endswith("; 3 MB are left.\n")
    assert left() == {young, built, quick} and old
    assert not (book.out / "cache" / "ab").exists()
    assert cli.main(["book", "clean"]) == 0
    assert (
        capsys.readouterr().out == "Nothing to remove: 3 MB of kept points are in use, or young.\n"
    )


def test_only_what_a_study_kept_is_removed(book, cache):
    keep, left = cache
    mine = {keep("zz1", 99), keep("aa2", 99, file="thesis.doc")}
    (book.out / "cache" / "aa" / "notes").mkdir()
    assert cli.main(["book", "clean"]) == 0 and left() == mine | {"aa/notes"}


def draw(rng, reps, x):
    return {"m": rng.random(reps)}


# The site


def tiny_site(where: Path, text: str) -> places.Layout:
    """A staged tree of one page."""
    site = places.Layout(where, where / "out")
    site.source.mkdir(parents=True, exist_ok=True)
    (site.source / "_config.yml").write_text("title: t\nexecute: {execute_notebooks: 'off'}\n")
    (site.source / "_toc.yml").write_text("format: jb-book\nroot: index\n")
    (site.source / "index.md").write_text(f"# A page\n\n{text}\n")
    return site


def test_a_warning_fails_the_site_and_the_last_good_one_stays(tmp_path, capfd):
    site = tiny_site(tmp_path, "Good.")
    assert render.render(site) is True
    assert render.render(site) is False  # nothing has changed
    tiny_site(tmp_path, "Bad: [nowhere](missing.md).")
    with pytest.raises(RuntimeError, match="the site has warnings"):
        render.render(site)
    assert "missing.md" in capfd.readouterr().err
    assert "Good." in (site.html / "index.html").read_text()


@pytest.mark.parametrize(("profile", "words"), [(None, ["book"]), ("quick", ["book", "quick"])])
def test_jupyter_book_hands_over_to_ppdm(book, tmp_path, monkeypatch, profile, words):
    """What is typed by habit is the command of the house; another folder gets a copy of its site."""
    monkeypatch.delenv("PPDM_PROFILE", raising=False)
    if profile:
        monkeypatch.setenv("PPDM_PROFILE", profile)
    layout = places.quick_layout(book.root) if profile else book
    jobs = []

    def call(job, cwd):
        jobs.append((job[1:], cwd))
        layout.html.mkdir(parents=True)
        (layout.html / "index.html").write_text("made")
        return 0

    monkeypatch.setattr(extension.subprocess, "call", call)
    app = SimpleNamespace(srcdir=book.root, outdir=tmp_path / "elsewhere")
    assert extension.build_as_ppdm(app, "html") == 0
    assert jobs == [(["-P", "-m", "ppdm", *words], book.root)]
    assert (app.outdir / "index.html").read_text() == "made"


# Whose links
