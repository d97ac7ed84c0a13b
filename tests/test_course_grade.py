"""Grading: what is done with strange submissions, and a whole class of them."""

import csv
import json
import re
import time
import zipfile

import nbformat
import pytest

pytest.importorskip("nbgrader")

from course_answers import (
    AIBR,
    GROUPS,
    MISTAKES,
    OPTRR,
    PRIMER,
    SOURCES,
    SURVEYS,
    answered,
    grade_id,
)

from ppdm import cli
from ppdm.course import build, feedback, handin, mark

SOURCE = SOURCES / f"{PRIMER}.ipynb"


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def without(notebook, *names):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in names]
    return notebook


def test_an_untouched_submission_is_put_together_without_remark():
    notebook, remarks = mark.put_together(answered(PRIMER), SOURCE)
    assert remarks == []
    assert "BEGIN HIDDEN TESTS" in cell_of(notebook, "estimate").source
    assert "said" in cell_of(notebook, "estimate-answer").source


def test_altered_tests_are_replaced():
    handed_in = answered(PRIMER)
    cell_of(handed_in, "plan").source = "pass"
    cell_of(handed_in, "claim").cell_type = "markdown"
    cell_of(handed_in, "estimate").metadata["nbgrader"]["points"] = 100
    notebook, remarks = mark.put_together(handed_in, SOURCE)
    assert remarks == ["cell 'plan' was altered; the original was used"]
    assert [c.metadata["nbgrader"]["points"] for c in notebook.cells if mark._is_grade(c)] == [
        4,
        3,
        4,
        4,
        5,
    ]
    assert cell_of(notebook, "claim").cell_type == "code"


def test_missing_cells_come_back_in_their_place():
    handed_in = without(answered(PRIMER), "estimate", "plan-answer", "begin")
    notebook, remarks = mark.put_together(handed_in, SOURCE)
    assert len(remarks) == 3 and all("is missing" in remark for remark in remarks)
    names = [grade_id(c) for c in notebook.cells if grade_id(c)]
    assert names == [grade_id(c) for c in nbformat.read(SOURCE, 4).cells if grade_id(c)]
    assert "NotImplementedError" in cell_of(notebook, "plan-answer").source


def test_a_test_cell_that_occurs_twice_counts_once():
    handed_in = answered(PRIMER)
    handed_in.cells.append(cell_of(handed_in, "estimate").copy())
    notebook, remarks = mark.put_together(handed_in, SOURCE)
    assert sum(grade_id(c) == "estimate" for c in notebook.cells) == 1
    assert "occurs twice" in remarks[0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b'{"cells": 3}',
        b'{"cells": [3]}',
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "x"}]}',
        b'{"cells": ' + b"[" * 1_000_000,
        b'{"cells": [{"cell_type": "code", "source": [[]]}]}',
        b'{"cells": [{"cell_type": "code", "metadata": {"nbgrader": "x"}}]}',
    ],
)
def test_a_broken_file_is_a_remark(tmp_path, content):
    path = tmp_path / "00_primer.ipynb"
    path.write_bytes(content)
    result = mark.graded(job(handin.Submission("ada", PRIMER, path), tmp_path), no_workshop)
    assert [task["points"] for task in result["tasks"]] == [0] * 5
    assert len(result["remarks"]) == 1 and "\n" not in result["remarks"][0][:80]


def job(submission, folder, source=SOURCE, sealed=False, timeout=20):
    return {
        "submission": submission,
        "source": source,
        "kept": folder / "kept" / "one.json",
        "timeout": timeout,
        "sealed": sealed,
    }


def no_workshop():
    raise AssertionError("nothing is to be run here")


def test_a_damaged_result_is_graded_anew(tmp_path):
    one = job(handin.Submission("ada", PRIMER, None), tmp_path)
    first = mark.graded(one, no_workshop)
    for content in (b"", b"{", b"[]", b"{}"):
        one["kept"].write_bytes(content)
        assert mark.graded(one, no_workshop) == first


def test_another_notebook_is_a_remark(tmp_path):
    notebook, remarks = mark.put_together(answered(SURVEYS), SOURCES / f"{OPTRR}.ipynb")
    assert notebook is not None  # they share the cell `begin`, so what else there is is put back
    notebook, remarks = mark.put_together(nbformat.v4.new_notebook(), SOURCE)
    assert notebook is None and "holds no cell" in remarks[0]


@pytest.mark.parametrize("folder", ["nowhere", "empty"])
def test_a_useless_folder_is_refused(tmp_path, folder, capsys):
    (tmp_path / "empty").mkdir()
    assert cli.main(["course", "grade", str(tmp_path / folder)]) == 1
    assert "folder" in capsys.readouterr().err


def test_a_feedback_page_asks_no_other_host_and_escapes():
    task = {"task": "t", "points": 0.0, "max": 1.0, "message": "<script>", "answer": "a < b"}
    page = feedback.page("a&b", [{"assignment": PRIMER, "remarks": ["<i>"], "tasks": [task]}])
    assert not re.search(r"https?://|<script|<i>", page) and "a&amp;b" in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    "points, message, words",
    [
        (None, "", ["? of 5", "A human will read this."]),
        (3.5, "The number is missing.", ["3.5 of 5", "The number is missing."]),
        (5.0, "", ["5 of 5", "Right."]),
        (None, "To be read again: x.", ["? of 5", "To be read again: x."]),
    ],
)
def test_points_and_comments_reach_the_page(points, message, words):
    task = {"task": "verdict", "points": points, "max": 5.0, "message": message, "answer": "No."}
    page = feedback.page("ada", [{"assignment": PRIMER, "remarks": [], "tasks": [task]}])
    assert all(word in page for word in words)


def test_build_writes_the_same_zip_twice(tmp_path):
    build.build(SOURCES, tmp_path)
    first = (tmp_path / "assignments.zip").read_bytes()
    build.build(SOURCES, tmp_path)
    assert (tmp_path / "assignments.zip").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "assignments.zip") as archive:
        assert len(archive.namelist()) == len([*SOURCES.glob("*.ipynb")]) + 1  # and a README
        assert b"BEGIN SOLUTION" not in b"".join(map(archive.read, archive.namelist()))


# -- a class -------------------------------------------------------------------------------


def _named(assignment, task, words):
    return next(m for m in MISTAKES if m[:2] == (assignment, task) and words in m.words)


WRONG = [
    _named(PRIMER, "estimate", "forgot to invert"), _named(PRIMER, "estimate", "are swapped"),
    _named(PRIMER, "average", "Clipped before averaging"), _named(PRIMER, "plan", "Only the coin"),
    _named(PRIMER, "claim", "spread of single"), _named(SURVEYS, "share", "forgot to invert"),
    _named(SURVEYS, "conditional", "over the wrong rows"), _named(SURVEYS, "exposed", "nothing is"),
    _named(GROUPS, "disguise", "One coin for each attribute"), _named(GROUPS, "undo", "are swapped"),
    _named(GROUPS, "read", "coins of their own"), _named(AIBR, "aibr", "wrong rows"),
    _named(AIBR, "rank", "wrong rows"), _named(OPTRR, "estimate", "Clipped"),
    _named(OPTRR, "em", "garbled"),
]  # fmt: skip


def _with(assignment, task, text):
    notebook = answered(assignment)
    cell_of(notebook, task).source = text
    return notebook


def _above(assignment, text):
    notebook = answered(assignment)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(text))
    return notebook


def _strange():
    """Student, notebook or bytes, the tasks that must fail, and a word of a remark or message."""
    yield "truncated", json.dumps(answered(PRIMER)).encode()[:3000], None, "does not open"
    yield "no-file", b"", None, "does not open"
    yield (
        "loops",
        _with(PRIMER, "estimate-answer", "def estimate(reports, theta):\n    while True: pass"),
        {"estimate"},
        "longer than",
    )
    yield (
        "loops-above",
        _with(SURVEYS, "exposed-answer", "while True: pass"),
        {"exposed"},
        "longer than",
    )
    yield (
        "cannot-be-stopped",
        _with(
            PRIMER,
            "average-answer",
            "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        ),
        {"average"},
        "could not be interrupted",
    )
    yield (
        "prints",
        _with(
            PRIMER,
            "average-answer",
            "def averaged(yes, people, theta):\n    print('x' * 10**6)\n    return 0\n"
            "for i in range(10**5): print('line', i)",
        ),
        {"average"},
        "average",
    )
    yield (
        "ends-python",
        _with(PRIMER, "plan-answer", "import os; os._exit(1)"),
        {"plan"},
        "ended its Python",
    )
    yield "leaves", _above(PRIMER, "exit()"), set(), ""
    yield "ends-python-above", _above(PRIMER, "import os; os._exit(0)"), set(), "ended its Python"
    yield "altered", _with(PRIMER, "estimate", "print('all is well')"), set(), "was altered"
    cheat = _with(
        PRIMER,
        "estimate-answer",
        "from ppdm.course import primer\nprimer.check_estimate = lambda *a, **k: None\n"
        "def estimate(reports, theta): return 0, 0",
    )
    yield "patches", cheat, {"estimate"}, "forgot to"
    helped = _with(
        SURVEYS,
        "share-answer",
        "from ppdm import UnrelatedQuestion\ndef share(*a): return 0\nmy_share = 0",
    )
    yield "imports", helped, {"share"}, "share"
    yield "missing", without(answered(PRIMER), "plan", "average-answer"), {"average"}, "is missing"
    yield "blank", build.student_version(SOURCES / f"{GROUPS}.ipynb"), None, "not answered yet"


EXPECTED_MESSAGE = {"patches": "should be", "imports": "stopped|should be|not defined"}


@pytest.mark.slow
def test_a_class_of_thirty_two(tmp_path, capsys, seal):
    folder, out = tmp_path / "class", tmp_path / "graded"
    expected: dict[tuple[str, str], tuple[set | None, str]] = {}

    def hand_in(student, assignment, content, failed, words):
        path = folder / student / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True)
        data = content if isinstance(content, bytes) else nbformat.writes(content).encode()
        path.write_bytes(data)
        expected[student, assignment] = (failed, words)

    for number, mistake in enumerate(WRONG):
        hand_in(
            f"wrong-{number:02d}",
            mistake.assignment,
            answered(mistake.assignment, mistake),
            {mistake.task},
            mistake.words,
        )
    for number, assignment in enumerate((PRIMER, GROUPS, OPTRR)):
        hand_in(f"right-{number}", assignment, answered(assignment), set(), "")
    places = {"loops-above": SURVEYS, "imports": SURVEYS, "blank": GROUPS}
    for student, content, failed, words in _strange():
        words = EXPECTED_MESSAGE.get(student, words)
        hand_in(student, places.get(student, PRIMER), content, failed, words)
    assert len(expected) == 32

    command = ["course", "grade", str(folder), "--out", str(out), "--timeout", "20", *seal]
    begin = time.monotonic()
    assert cli.main(command) == 0
    assert time.monotonic() - begin < 600
    rows = list(csv.DictReader((out / "grades.csv").open(newline="")))
    for (student, assignment), (failed, words) in expected.items():
        own = [r for r in rows if (r["student"], r["assignment"]) == (student, assignment)]
        for row in own:
            if row["graded_by"] == "tests":
                right = failed is not None and row["task"] not in failed
                assert row["points"] == (row["max"] if right else "0"), (student, row)
            else:
                assert row["points"] == ("" if failed is not None else "0"), (student, row)
        assert re.search(words, " ".join(r["remark"] for r in own)), (student, own)
        assert (out / "feedback" / f"{student}.html").is_file()

    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    begin = time.monotonic()
    assert cli.main(command) == 0
    assert time.monotonic() - begin < 60
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
