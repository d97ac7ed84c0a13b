"""What is done with a submission: found, opened, put together, graded; and nbgrader's own work around it."""

import csv
import os
import socket
import sys
import zipfile

import nbformat
import pytest

pytest.importorskip("nbgrader")

from course_answers import (
    ASSIGNMENTS,
    MISTAKES,
    PRIMER,
    SOURCES,
    SURVEYS,
    answered,
    course_of,
    grade_id,
    job,
    nbgrader,
    student_version,
)

from ppdm import cli
from ppdm.course import build, checker, export, grade, submissions

# -- found, and opened -----------------------------------------------------------------------------


def lay(folder, *places, content="{}"):
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(content)


def find(folder):
    """What each student handed in, and all remarks in one text."""
    found, remarks = submissions.find_submissions(folder, [PRIMER, SURVEYS])
    read = {one.student: one.read() for one in found}
    every = [*remarks, *(remark for _, own in read.values() for remark in own)]
    return {student: data for student, (data, _) in read.items()}, "\n".join(every)


def test_there_is_one_layout_and_what_lies_elsewhere_is_named(tmp_path):
    lay(tmp_path, "ada/00_primer/00_primer.ipynb", "ada/00_primer/.x/y", "bob/00_primer.ipynb",
        "cy/00_primer/my first.IPYNB", "di/00_primer/a.ipynb", "di/00_primer/b.ipynb.txt", "loose.ipynb",
        "ed/00_primer/00_primer.ipynb", "ed/00_primer/00_primer (1).ipynb", "fi/notes/00_primer.ipynb")  # fmt: skip
    found, remarks = find(tmp_path)
    assert [student for student, data in found.items() if data] == ["ada", "cy", "ed"]
    assert "bob" not in found and "ada/" not in remarks and "'ada'" not in remarks
    for words in ("/'bob' holds '00_primer.ipynb', a file", "cy/00_primer/'my first.IPYNB' was taken",
                  "di/00_primer holds no 00_primer.ipynb, but 'a.ipynb', 'b.ipynb.txt'", "'loose.ipynb' is a file",
                  "'00_primer (1).ipynb' was not looked at", "'fi' holds 'notes', a folder"):  # fmt: skip
        assert words in remarks, remarks


def test_no_two_folders_are_one_student(tmp_path):
    """H3: a_a_bob_7 was bob, as an export of ILIAS, and took his marks away."""
    names = ("bob", "a_a_bob_7", "2026_hs_17_1", "2026_hs_17_2", "Bob", "bob ", "b\x01ob", "b\x02ob",
             "b\u202eob", "bo\u0308b", "b\u00f6b")  # fmt: skip
    lay(tmp_path, *(f"{name}/00_primer/00_primer.ipynb" for name in names))
    found, remarks = find(tmp_path)
    assert set(found) == {
        "bob",
        "a_a_bob_7",
        "2026_hs_17_1",
        "2026_hs_17_2",
        "Bob",
        "bo\u0308b",
        "b\u00f6b",
    }
    assert remarks.count("rename it") == 4 and r"'b\x01ob'" in remarks and "'bob '" in remarks


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
def test_nothing_odd_is_opened(tmp_path):
    lay(tmp_path, "right/00_primer/00_primer.ipynb", "folder/00_primer/00_primer.ipynb/x")
    paths = {
        name: tmp_path / name / PRIMER / "00_primer.ipynb"
        for name in ("link", "zero", "pipe", "giant", "socket")
    }
    for path in paths.values():
        path.parent.mkdir(parents=True)
    paths["link"].symlink_to("/etc/passwd")
    paths["zero"].symlink_to("/dev/zero")
    os.mkfifo(paths["pipe"])
    with paths["giant"].open("wb") as file:
        file.truncate(1 << 40)
    monkey = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(paths["socket"].parent)  # its name may have a hundred characters
    monkey.bind("00_primer.ipynb")
    os.chdir(here)
    monkey.close()
    (tmp_path / "whole").symlink_to(tmp_path / "right")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / PRIMER).symlink_to(tmp_path / "right" / PRIMER)
    found, remarks = find(tmp_path)
    assert [student for student, data in found.items() if data] == ["right"]
    for name in (*paths, "folder", "whole", "part"):
        assert name in remarks, name


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_link_that_comes_after_the_look_is_not_followed(tmp_path, monkeypatch):
    path, other = tmp_path / "00_primer.ipynb", tmp_path / "other"
    other.write_text("{}")
    seen = other.stat()
    path.symlink_to(other)
    monkeypatch.setattr(submissions.os, "lstat", lambda _: seen)
    assert submissions.read_bytes(path)[0] == b""


BROKEN = [
    b"{", b"\xff\xfe\x00", b"[]", b"null", b'{"cells": 3}', b'{"cells": [3]}', b'{"cells": ' + b"[" * 1_000_000,
    b'{"cells": [{"cell_type": "code", "source": [[]]}]}', b'{"cells": [{"source": ""}]}', b"PK\x05\x06" + bytes(18),
    b'{"cells": [{"cell_type": "code", "metadata": {"nbgrader": "x"}}]}', bytes(2000),
    b'{"cells":[' + b'{"cell_type":"code","source":""},' * 150_000 + b'{"cell_type":"raw"}]}',
    b'{"cells":[{"cell_type":"code","source":"' + b"x" * 3_000_000 + b'"}]}',
    b'{"cells":[{"cell_type":"code","source":"", "metadata": {"nbgrader": {"grade_id": ["../../x", {"a": 1}]}}}]}',
]  # fmt: skip


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_a_remark(content):
    result = checker.check(job(content))
    assert len(result["remarks"]) == 1 and "\n" not in result["remarks"][0]
    assert "does not open" in result["remarks"][0] or "holds no cell" in result["remarks"][0]
    assert failed(result) == ["estimate", "average", "plan", "claim"]


def failed(result):
    """The tests that are not content."""
    return [c["metadata"]["nbgrader"]["grade_id"] for c in result["cells"] if c.get("outputs")]


@pytest.mark.parametrize(
    "encode", [lambda t: b"\xef\xbb\xbf" + t.encode(), lambda t: t.encode("utf-16")]
)
def test_encodings_with_a_mark_are_read(encode):
    text = '{"cells": [{"cell_type": "code", "source": ["a\\n", "ü"]}, {"cell_type": "markdown", "source": "x"}]}'
    assert [piece.source for piece in checker.read(encode(text))] == ["a\nü", "x"]


# -- put together ----------------------------------------------------------------------------------


def put_together(handed_in):
    originals = [checker._piece(c)._replace(blank=c["blank"]) for c in job(handed_in)["cells"]]
    pieces, remarks = checker.put_together(
        checker.read(nbformat.writes(handed_in).encode()), originals
    )
    return {piece.name: piece for piece in pieces if piece.name}, pieces, remarks


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def test_tests_are_always_the_original_ones_and_every_change_is_named():
    notebook = answered(PRIMER)
    assert put_together(notebook)[2] == []
    cell_of(notebook, "plan").source = "pass"
    cell_of(notebook, "claim").cell_type = "markdown"
    cell_of(notebook, "estimate").metadata["nbgrader"] |= {
        "points": 100,
        "locked": False,
        "solution": True,
    }
    notebook.cells = [
        c for c in notebook.cells if grade_id(c) not in ("average", "plan-answer", "begin")
    ]
    notebook.cells.append(cell_of(notebook, "estimate").copy())
    notebook.cells.insert(3, nbformat.v4.new_code_cell("helper = 1"))
    named, pieces, remarks = put_together(notebook)
    assert [(p.note["points"], p.kind) for p in named.values() if p.note["grade"]] == [
        (4, "code"), (3, "code"), (4, "code"), (4, "code"), (5, "markdown")
    ]  # fmt: skip
    assert all(
        "BEGIN HIDDEN TESTS" in named[name].source
        for name in ("estimate", "average", "plan", "claim")
    )
    assert (
        "NotImplementedError" in named["plan-answer"].source
        and "said" in named["estimate-answer"].source
    )
    assert list(named) == [
        grade_id(c) for c in nbformat.read(SOURCES / f"{PRIMER}.ipynb", 4).cells if grade_id(c)
    ]
    assert sum(piece.source == "helper = 1" for piece in pieces) == 1
    assert len([r for r in remarks if "is missing" in r]) == 3
    assert (
        "cell 'plan' was altered; the original was used" in remarks and "occurs twice" in remarks[0]
    )


# -- graded ----------------------------------------------------------------------------------------


def test_exit_costs_only_its_cell(wall):
    notebook = answered(PRIMER)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("exit()"))
    notebook.cells.insert(0, nbformat.v4.new_code_cell("import os; os._exit(3)"))
    typed = next(c for c in notebook.cells if "student =" in c.source)
    typed.source = "student = 'bob'  # or so"
    result = grade.result_of(job(notebook))
    assert failed(result) == []
    assert result["remarks"] == [
        "the notebook names the student 'bob'; the folder's name was used",
        "cell number 1 ended its Python",
    ]


@pytest.mark.slow
def test_a_loop_costs_only_its_task(wall):
    notebook = answered(PRIMER)
    loop = "def survey_plan(*a):\n    while True: pass\nmy_plan = None"
    cell_of(notebook, "plan-answer").source = loop
    result = grade.result_of(job(notebook, timeout=10))
    messages = [c["outputs"][0]["evalue"] for c in result["cells"] if c.get("outputs")]
    assert failed(result) == ["plan"] and "longer than 10 seconds" in messages[0]


@pytest.mark.parametrize(("hog", "lost"), [
    ("import numpy; x = [numpy.ones(10**8) for _ in range(99)]", ["estimate"]),
    ("import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 9))\nwhile True: pass", ["estimate", "average", "plan", "claim"]),
])  # fmt: skip
def test_a_checker_that_exhausts_its_bounds_costs_its_own_submission(wall, hog, lost):
    """H2, M3: whatever gets past the wall meets the checker's own bounds, and the failure is a result."""
    one = job(answered(PRIMER))
    cell = next(
        c for c in one["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "estimate"
    )
    cell["source"] = hog  # as if a check had done it
    result = grade.result_of(one)
    assert failed(result) == lost and (grade.EXHAUSTED in str(result["remarks"])) == (len(lost) > 1)


@pytest.mark.weekly
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m.assignment}-{m.task}-{m.words}")
def test_mistakes_are_named_from_outside_as_at_home(wall, mistake):
    result = grade.result_of(job(answered(mistake.assignment, mistake), mistake.assignment))
    messages = [c["outputs"][0]["evalue"] for c in result["cells"] if c.get("outputs")]
    assert failed(result) == [mistake.task] and mistake.words in messages[0]


def test_without_a_sandbox_the_refusal_names_it(tmp_path, capsys):
    assert cli.main(["course", "grade", str(tmp_path)]) == 1  # hidden by conftest.py
    assert "no sandbox for the submissions here: bubblewrap" in capsys.readouterr().err


def test_what_is_missing_is_a_sentence(tmp_path, capsys):
    for words in (["--timeout", "0"], ["--workers", "0"]):
        assert cli.main(["course", "grade", str(tmp_path), *words]) == 1
        assert "takes one or more, not 0" in capsys.readouterr().err


# -- a course, with nbgrader itself ----------------------------------------------------------------


@pytest.mark.slow
def test_a_lecturer_with_nbgrader(wall, tmp_path, capsys):
    """Assign, collect, grade, read by hand, feedback, export; and once more."""
    from nbgrader.api import Gradebook

    assert cli.main(["course", "build", "--out", str(tmp_path / "built")]) == 0
    course = tmp_path / "built" / "nbgrader"
    assert cli.main(["course", "grade", str(course)]) == 1
    assert "nbgrader generate_assignment" in capsys.readouterr().err
    nbgrader(course, "generate_assignment", PRIMER)
    release = nbformat.read(course / "release" / PRIMER / f"{PRIMER}.ipynb", as_version=4)
    assert [c.source for c in release.cells] == [
        c.source for c in student_version(SOURCES / f"{PRIMER}.ipynb").cells
    ]
    archive = course / "downloaded" / PRIMER / "archive"
    archive.mkdir(parents=True)
    mistake = next(m for m in MISTAKES if (m.assignment, m.task) == (PRIMER, "plan"))
    with zipfile.ZipFile(archive / "moodle.zip", "w") as packed:
        for name, notebook in {
            "Ada_1": answered(PRIMER),
            "Bob_2": answered(PRIMER, mistake),
        }.items():
            packed.writestr(
                f"{name}_assignsubmission_file/{PRIMER}.ipynb", nbformat.writes(notebook)
            )
    settings = course / "nbgrader_config.py"
    settings.write_text(settings.read_text().replace("# Moodle:  c.", "c."))
    nbgrader(course, "zip_collect", PRIMER)
    assert cli.main(["course", "grade", str(course)]) == 0
    told = capsys.readouterr()
    assert submissions.LAYOUT in told.out and "2/2" in told.err
    url = f"sqlite:///{course / 'gradebook.db'}"
    with Gradebook(url) as book:
        assert points(book, "Ada_1") == {
            "estimate": 4,
            "average": 3,
            "plan": 4,
            "claim": 4,
            "verdict": 0,
        }
        assert points(book, "Bob_2") == {
            "estimate": 4,
            "average": 3,
            "plan": 0,
            "claim": 4,
            "verdict": 0,
        }
        assert all(s.needs_manual_grade for s in book.assignment_submissions(PRIMER))
        essay = book.find_grade("verdict", PRIMER, PRIMER, "Bob_2")  # what formgrader does
        essay.manual_score, essay.needs_manual_grade = 3.5, False
        book.find_comment(
            "verdict", PRIMER, PRIMER, "Bob_2"
        ).manual_comment = "The number is missing."
        book.db.commit()
    nbgrader(course, "generate_feedback", PRIMER)
    page = (course / "feedback" / "Bob_2" / PRIMER / f"{PRIMER}.html").read_text()
    assert mistake.words in page and "The number is missing." in page and "14.5" in page
    assert cli.main(["course", "grade", str(course)]) == 0
    assert "2 submissions, 2 of them unchanged" in capsys.readouterr().out
    nbgrader(course, "export")
    table = list(csv.reader((course / "grades.csv").open(newline="")))
    assert table[0][3:] == ["SIS Login ID", "Section", PRIMER]
    assert [row[3:] for row in table[1:]] == [
        ["", "", "20"],
        ["Ada_1", "", "15.0"],
        ["Bob_2", "", "14.5"],
    ]
    (course / "submitted" / "Bob_2" / PRIMER / f"{PRIMER}.ipynb").write_text("{")
    assert cli.main(["course", "grade", str(course)]) == 0
    with Gradebook(url) as book:  # her points stay, and are to be looked at again
        essay = book.find_grade("verdict", PRIMER, PRIMER, "Bob_2")
        assert (
            points(book, "Bob_2")["estimate"] == 0
            and essay.manual_score == 3.5
            and essay.needs_manual_grade
        )


def points(book, student):
    submission = book.find_submission(PRIMER, student)
    return {
        grade.name: grade.score for notebook in submission.notebooks for grade in notebook.grades
    }


@pytest.mark.parametrize(("platform", "places"), [
    ("Moodle", ["Ann Miller_3_assignsubmission_file/00_primer.ipynb",
                "Ann Miller_4_assignsubmission_file_00_primer.ipynb"]),
    ("Canvas", ["millerann_11_51_00_primer.ipynb", "millerann_LATE_12_52_00_primer-1.ipynb"]),
    ("ILIAS", ["ws_26_smith_1/00_primer.ipynb", "ws_26_smith_2/00_primer.ipynb"]),
])  # fmt: skip
def test_the_lines_for_platforms_keep_students_of_one_name_apart(platform, places):
    """`nbgrader zip_collect` reads these; the line is taken by the lecturer, not guessed."""
    import re

    line = next(
        line for line in build.NBGRADER_CONFIG.splitlines() if line.startswith(f"# {platform}")
    )
    expression = eval(line.partition(" = ")[2])
    found = [re.match(expression, f"/course/downloaded/{place}") for place in places]
    assert len({one["student_id"] for one in found}) == 2
    assert {one["file_id"] for one in found} == {PRIMER}


@pytest.mark.weekly
def test_a_class_of_thirty_in_fifteen_minutes(wall, tmp_path, capsys):
    """Twice the same points; the time counts on two idle cores."""
    points = []
    for name in ("one", "two"):
        course = course_of(tmp_path / name, ASSIGNMENTS)
        for assignment in ASSIGNMENTS:
            text = nbformat.writes(answered(assignment))
            lay(
                course / "submitted",
                *(f"s{n:02d}/{assignment}/{assignment}.ipynb" for n in range(30)),
                content=text,
            )
        assert cli.main(["course", "grade", str(course)]) == 0
        assert "180/180" in capsys.readouterr().err
        nbgrader(course, "export")
        points.append((course / "grades.csv").read_text())
    assert points[0] == points[1] and len(points[0].splitlines()) == 32
    assert all(
        line.split(",")[5:] == points[0].splitlines()[2].split(",")[5:]
        for line in points[0].splitlines()[2:]
    )


def test_build_writes_the_same_zip_twice(tmp_path):
    build.build(SOURCES, tmp_path)
    first = (tmp_path / "assignments.zip").read_bytes()
    build.build(SOURCES, tmp_path)
    assert (tmp_path / "assignments.zip").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "assignments.zip") as archive:
        assert len(archive.namelist()) == len([*SOURCES.glob("*.ipynb")]) + 1  # and a README
        assert b"BEGIN SOLUTION" not in b"".join(map(archive.read, archive.namelist()))


@pytest.mark.parametrize("name", ["=1+1", "+1", "-x", "@x", "\t=1", "＝1"])
def test_a_name_is_no_formula(name):
    assert export.harmless(name) == f"'{name}"
