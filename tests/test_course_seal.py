"""Cells: what passes between them and the checker, and what they hold. Tests that need bubblewrap
say so where it is missing or not permitted."""

import inspect
import json
import os
import socket
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

pytest.importorskip("nbgrader")

from course_answers import MISTAKES, PRIMER, SOURCES, SURVEYS, answered, grade_id

from ppdm import cli
from ppdm.course import cell as cells
from ppdm.course import examine, grade, handin, mark
from ppdm.course.inside import plain

# -- plain data ------------------------------------------------------------------------------------


def there_and_back(value):
    return plain.unpack(plain.pack(value))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -3,
        2**62,
        0.1,
        float("inf"),
        "ü\n",
        "",
        (),
        [],
        (1, [2.0, None], "x"),
        {"a": 1, 2: (3,)},
        {},
        range(3),
        "\ud800",
    ],
)
def test_plain_data_pass(value):
    back = there_and_back(value)
    assert back == (
        list(value) if isinstance(value, range) else "?" if value == "\ud800" else value
    )
    assert type(back) is (list if isinstance(value, range) else type(value))


@pytest.mark.parametrize(
    "dtype", ["int64", "float64", "bool", "uint8", "float32", "complex128", ">f8"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3, 4)])
def test_arrays_pass_bit_by_bit(dtype, shape):
    array = np.random.default_rng(1).integers(0, 2, size=shape).astype(dtype)
    back = there_and_back(array)
    assert back.shape == shape and back.dtype == array.dtype.newbyteorder("=")
    assert (back == array).all() and back.flags.writeable


def test_frames_series_and_scalars_pass():
    frame = pd.DataFrame({"k": [1, 2], "name": ["a", "b"], "x": [0.5, np.nan]}, index=[7, 3])
    pd.testing.assert_frame_equal(there_and_back(frame), frame, check_dtype=False)
    assert there_and_back(frame).dtypes["x"] == "float64" and list(there_and_back(frame).index) == [
        7,
        3,
    ]
    pd.testing.assert_series_equal(there_and_back(frame["x"]), frame["x"])
    for scalar in (np.float64(0.1), np.int64(3), np.bool_(True)):
        assert there_and_back(scalar) == scalar and type(there_and_back(scalar)) is type(scalar)
    assert there_and_back(Fraction(1, 2)) == 0.5
    assert np.isnan(np.asarray(there_and_back([1, np.nan]))[1])


def test_a_generator_goes_on_where_it_was():
    rng = np.random.default_rng(5)
    rng.random(3)
    copy = plain.unpack(plain.pack(rng, []), call=lambda *a: None)
    assert copy.random() == rng.random()


def test_what_is_not_plain_becomes_a_word():
    class Poisoned:
        __eq__ = __lt__ = lambda self, other: True

    deep = []
    for _ in range(50):
        deep = [deep]
    for value in (Poisoned(), {1, 2}, b"x", 10**40, open, np.array([object()], dtype=object)):
        back = there_and_back(value)
        assert isinstance(back, plain.Unplain) or isinstance(back[0], plain.Unplain)
    assert there_and_back(deep) is not None
    assert isinstance(there_and_back(np.zeros(3_000_000)), plain.Unplain)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[1]",
        b'"x"',
        b"{}",
        b'{"l": 3}',
        b'{"x": 1}',
        b'{"a": "|O", "shape": [1], "data": "AAAAAAAAAAA="}',
        b'{"a": "<f8", "shape": [-1, -1], "data": "AAAAAAAAAAA="}',
        b'{"a": "<f8", "shape": [2], "data": "AAAAAAAAAAA="}',
        b'{"a": "V8", "shape": [1], "data": "AAAAAAAAAAA="}',
        b'{"a": 3}',
        b'{"d": [1]}',
        b'{"d": [[{"l": []}, 1]]}',
        b'{"frame": [[1]], "names": null, "index": null}',
        b'{"call": 0, "name": "x"}',
        b'{"rng": {"bit_generator": "PCG64", "state": {}}}',
        b"[" * 100_000,
        b'{"l": [' * 100 + b"1" + b"]}" * 100,
        b"1" * 5000,
    ],
)
def test_a_forged_message_is_refused(text):
    with pytest.raises(plain.NotPlainError):
        plain.unpack(text)


# -- cells -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["sealed", pytest.param("unsealed", marks=pytest.mark.slow)])
def workshop(request):
    if request.param == "sealed":
        yield request.getfixturevalue("sealed")
    else:
        with cells.Workshop(sealed=False) as made:
            yield made


def ask(workshop, source, name="answer", seconds=20):
    """What a name is after some code has run in a cell of its own."""
    with workshop.cell() as cell:
        cell.allow(seconds)
        error = cell.run(source)
        assert error is None, error
        return cell.find([name])[name]


def test_functions_run_elsewhere_and_take_and_return_plain_data(workshop):
    with workshop.cell() as cell:
        cell.allow(20)
        assert (
            cell.run(
                "import os\ndef f(x, g=None):\n    return os.getpid() if x is None else g(x) + 1\ny = [1, 2]"
            )
            is None
        )
        found = cell.find(["f", "y", "nothing"])
        assert found["y"] == [1, 2] and "nothing" not in found
        f = found["f"]
        assert f.__name__ == "f" and f(None) != os.getpid()
        assert (f(np.arange(3), lambda x: 2 * x) == [1, 3, 5]).all()
        with pytest.raises(cells.RemoteError, match="division") as error:
            f(1, lambda x: 1 / 0)
        assert error.value.kind == "ValueError"
        assert cell.run("exit()") is None and cell.find(["y"])["y"] == [1, 2]
        assert cell.run("1 +")[0] == "SyntaxError"


def test_time_memory_and_an_early_end_cost_the_cell_only(workshop):
    with workshop.cell() as cell:
        cell.allow(1)
        with pytest.raises(cells.LateError) as late:
            cell.run("x = 1\nwhile True: pass")
        assert not late.value.lost
        cell.allow(20)
        assert cell.find(["x"])["x"] == 1
        cell.allow(1)
        with pytest.raises(cells.LateError) as late:
            cell.run(
                "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
            )
        assert late.value.lost
    with workshop.cell() as cell, pytest.raises(cells.EndedError):
        cell.allow(20)
        cell.run("import os; os._exit(0)")
    assert ask(workshop, "answer = 3") == 3


def test_there_are_tools_but_no_answers_in_a_cell(workshop):
    source = """
from ppdm import count, Table, data
from ppdm.course import begin, primer
primer.check_estimate(None)
answer = []
for name in ("ppdm.disguise", "ppdm.estimate", "ppdm.papers", "ppdm.learn"):
    try: __import__(name)
    except ImportError as error: answer.append("would answer a task" in str(error))
import glob, ppdm.course
answer.append(glob.glob(ppdm.course.__path__[0] + "/*.py") and not glob.glob(ppdm.course.__path__[0] + "/grade.py"))
%matplotlib inline
"""
    assert ask(workshop, source) == [True] * 5


def test_a_sealed_cell_holds_nothing_of_the_lecturers(sealed, monkeypatch):
    monkeypatch.setenv("PPDM_SECRET", "swordfish")
    source = """
import os, socket, glob
def can(what):
    try: what(); return True
    except OSError: return False
answer = {
    "files": [p for p in PATHS if os.path.exists(p)], "environment": [k for k in os.environ if "SECRET" in k],
    "processes": os.listdir("/proc"), "pid": os.getpid(), "uid": os.getuid(),
    "writable": [p for p in ("/", "/usr", "/etc", "/opt", "/cell", "/cell/ppdm", "/dev", "/sys", "/var")
                 if can(lambda: open(p + "/x", "w"))],
    "home": sorted(os.listdir("/tmp/home")), "top": sorted(os.listdir("/")),
    "checks": [p for p in glob.glob("/cell/**/*", recursive=True) if "primer" in p or "grade" in p],
    "network": can(lambda: socket.create_connection(("127.0.0.1", PORT), 1)),
    "root": can(lambda: os.setuid(0)),
}
"""
    home = [str(Path.home()), str(Path(__file__).parents[1]), str(SOURCES), os.getcwd(), sys.prefix]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        answer = ask(sealed, source.replace("PATHS", repr(home)).replace("PORT", str(port)))
    assert answer.pop("uid") not in (0, os.getuid()) or os.getuid() == 1000
    assert not {"home", "root", "work", "mnt", "media", "srv", "var", "run", "sys"} & set(
        answer.pop("top")
    )
    assert answer == {"files": [], "environment": [], "processes": [], "pid": 1, "writable": [], "home": [],
                      "checks": [], "network": False, "root": False}  # fmt: skip


def test_scratch_processes_and_memory_are_bounded(sealed):
    disk = """
answer = 0
for n in range(40):
    try:
        with open(f"/tmp/x{n}", "wb") as f: answer += f.write(b"x" * (10 << 20))
    except OSError: pass
import os
left = os.statvfs("/tmp"); answer = left.f_blocks * left.f_frsize
"""
    assert ask(sealed, disk) <= cells.SCRATCH
    for bomb in (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        "import numpy as np\nx = [np.ones(100_000_000 // 8) for _ in range(100)]\nimport time; time.sleep(60)",
    ):
        with sealed.cell() as cell:
            cell.allow(4)
            try:
                error = cell.run(bomb)
                assert error[0] == "MemoryError"
            except (cells.EndedError, cells.LateError):
                pass
    assert ask(sealed, "answer = 3") == 3


def test_the_lecturers_page_names_the_limits():
    page = Path(__file__).parents[1] / "book" / "lecturers.md"
    told = " ".join(page.read_text(encoding="utf-8").split())
    timeout = inspect.signature(grade.grade).parameters["timeout"].default
    assert (
        f"There are {cells.SCRATCH >> 20} MB of scratch, {cells.MEMORY >> 30} GB of memory, "
        in told
    )
    assert (
        f"{cells.PROCESSES} processes, and {timeout} seconds for one cell of the notebook" in told
    )
    assert (examine.CELLS * timeout, "three minutes for the notebook" in told) == (180, True)


def test_a_cell_forgets_the_one_before(sealed):
    ask(sealed, "import numpy; numpy.mine = 1; open('/tmp/home/left', 'w').write('x'); answer = 0")
    source = "import numpy, os; answer = [hasattr(numpy, 'mine'), os.listdir('/tmp/home')]"
    assert ask(sealed, source) == [False, []]


# -- grading ---------------------------------------------------------------------------------------


def submission(folder, notebook, name=PRIMER):
    path = folder / f"{name}.ipynb"
    path.write_text(nbformat.writes(notebook))
    return handin.Submission("ada", name, path)


def graded(workshop, folder, notebook, name=PRIMER, timeout=20):
    job = {
        "submission": submission(folder, notebook, name),
        "source": SOURCES / f"{name}.ipynb",
        "kept": folder / "kept.json",
        "timeout": timeout,
        "sealed": workshop.sealed,
    }
    return mark.graded(job, lambda: workshop)


@pytest.mark.parametrize("assignment", [PRIMER, SURVEYS])
def test_right_answers_get_full_marks_from_outside(workshop, tmp_path, assignment):
    result = graded(workshop, tmp_path, answered(assignment), assignment)
    assert result["remarks"] == []
    assert [t["message"] for t in result["tasks"]] == [""] * 5
    assert [t["points"] for t in result["tasks"][:-1]] == [t["max"] for t in result["tasks"][:-1]]


@pytest.mark.slow
def test_exit_costs_only_its_cell_and_a_loop_only_its_task(workshop, tmp_path):
    notebook = answered(PRIMER)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("exit()"))
    notebook.cells.insert(0, nbformat.v4.new_code_cell("import os; os._exit(3)"))
    for cell in notebook.cells:
        if grade_id(cell) == "plan-answer":
            cell.source = "def survey_plan(*a):\n    while True: pass\nmy_plan = None"
    result = graded(workshop, tmp_path, notebook, timeout=3)
    lost = {t["task"]: t["message"] for t in result["tasks"] if t["points"] == 0}
    assert set(lost) == {"plan"} and "longer than 3 seconds" in lost["plan"]
    assert "cell number 1 ended its Python" in result["remarks"]


@pytest.mark.weekly
@pytest.mark.parametrize("assignment", dict.fromkeys(m.assignment for m in MISTAKES))
def test_mistakes_are_named_from_outside_as_at_home(sealed, tmp_path, assignment):
    for number, mistake in enumerate(m for m in MISTAKES if m.assignment == assignment):
        (folder := tmp_path / str(number)).mkdir()
        result = graded(sealed, folder, answered(assignment, mistake), assignment)
        said = {
            t["task"]: t["message"]
            for t in result["tasks"]
            if t["by"] == "tests" and t["points"] == 0
        }
        assert set(said) == {mistake.task} and mistake.words in said[mistake.task], mistake


def test_without_a_sandbox_one_is_told_what_to_say(monkeypatch, tmp_path, capsys):
    (tmp_path / "class" / "ada").mkdir(parents=True)
    nbformat.write(answered(PRIMER), tmp_path / "class" / "ada" / f"{PRIMER}.ipynb")
    monkeypatch.setattr(cells.shutil, "which", lambda name: None)
    for command in (["grade", str(tmp_path / "class")], ["attack"]):
        assert cli.main(["course", *command]) == 1
        told = capsys.readouterr().err
        assert "bubblewrap" in told and ("--unsealed" in told or "do harm" in told)


# -- the whole class -------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_hostile_class_is_contained(sealed, capsys):
    from ppdm.course import attack

    found = attack.run(attack.ATTACKS, timeout=4)
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert len(found) >= 60


@pytest.mark.slow
def test_some_of_the_hostile_class_are_contained(sealed):
    from ppdm.course import attack

    some = [
        one
        for one in attack.ATTACKS
        if one.name
        in (
            "rewrites the checker in the checkout",
            "climbs the frames",
            "says a file of the lecturer's in an error",
        )
    ]
    found = attack.run(some, timeout=4)
    assert len(found) == 4 and not any(found.values()), found


@pytest.mark.slow
def test_an_attack_that_succeeds_is_noticed():
    """Unsealed, reading a file of the lecturer's works; the suite must say so."""
    from ppdm.course import attack

    one = next(one for one in attack.ATTACKS if "a file of the lecturer's in an error" in one.name)
    late = one._replace(make=lambda room, folder: _says_file(room, folder))
    found = attack.run([late], timeout=20, sealed=False)
    assert any(
        "a secret of the lecturer's is in" in problem for problem in found["the class as a whole"]
    )


def _says_file(room, folder):
    notebook = answered(PRIMER)
    for cell in notebook.cells:
        if grade_id(cell) == "estimate-answer":
            cell.source = f"def estimate(*a): raise Exception(open({str(room.secret)!r}).read())"
    folder.mkdir()
    (folder / f"{PRIMER}.ipynb").write_text(json.dumps(notebook))


def make_class(folder, students):
    for assignment in sorted(path.stem for path in SOURCES.glob("*.ipynb")):
        text = nbformat.writes(answered(assignment))
        for number in range(students):
            path = folder / f"student-{number:03d}" / f"{assignment}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="counts the time of processes")
def test_ten_students_at_the_rate_of_a_thousand_submissions_in_twenty_minutes(sealed, tmp_path):
    """Counted in processor time, two cores of it, so that a busy machine does not decide."""
    make_class(tmp_path / "class", 10)
    code = """
import resource, sys
from ppdm import cli
assert cli.main(["course", "grade", *sys.argv[1:]]) == 0
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print("SECONDS", sum(u.ru_utime + u.ru_stime for u in used))
"""
    written = []
    for out in (tmp_path / "one", tmp_path / "two"):
        command = [sys.executable, "-c", code, str(tmp_path / "class"), "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        seconds = float(done.stdout.split("SECONDS")[1])
        assert seconds / 2 < 60 * 1200 / 1000, f"{seconds:.0f} seconds for 60"
        assert "60/60" in done.stderr  # progress was shown
        written.append(
            {
                str(path.relative_to(out)): path.read_bytes()
                for path in sorted(out.rglob("*"))
                if path.is_file() and path.name != "account.jsonl"
            }
        )
    assert written[0] == written[1]
    rows = written[0]["totals.csv"].decode().splitlines()[1:]
    assert len(rows) == 60 and all(
        line.split(",")[2:] in (["15", "20", "1"], ["17", "20", "1"], ["16", "20", "1"])
        for line in rows
    )


@pytest.mark.slow
def test_nbgraders_own_commands_give_the_same_points(workshop, tmp_path):
    """An honest submission with a mistake and without an id, graded by both."""
    from nbgrader.api import Gradebook

    from ppdm.course import build

    build.build(SOURCES, tmp_path / "built")
    course = tmp_path / "built" / "nbgrader"
    mistake = next(m for m in MISTAKES if (m.assignment, m.task) == (PRIMER, "plan"))
    notebook = answered(PRIMER, mistake)
    target = course / "submitted" / "ada" / PRIMER / f"{PRIMER}.ipynb"
    target.parent.mkdir(parents=True)
    target.write_text(nbformat.writes(notebook))
    for command in (["generate_assignment", PRIMER], ["autograde", PRIMER, "--create"]):
        # nbgrader calls alembic by name: it lies beside this Python
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *command],
            cwd=course,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        grades = book.find_submission_notebook(PRIMER, PRIMER, "ada").grades
        theirs = {
            grade.cell.name: grade.auto_score for grade in grades if grade.cell.name != "verdict"
        }
    result = graded(workshop, tmp_path, notebook)
    ours = {t["task"]: t["points"] for t in result["tasks"] if t["by"] == "tests"}
    assert ours == theirs and ours["plan"] == 0 and sum(ours.values()) == 11
