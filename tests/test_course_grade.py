"""What is done with a submission: found, opened, put together, graded; and nbgrader's own work around it."""

import csv
import os
import re
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
from ppdm.course import build, checker, grade, submissions
from ppdm.survey.sheets import plain_text

# -- found, and opened -----------------------------------------------------------------------------


def lay(folder, *places, content="{}"):
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(content)


def find(folder):
    """The students of whom something was read, those of whom nothing was, and all remarks in one text."""
    found, remarks = submissions.find_submissions(folder, [PRIMER, SURVEYS])
    read = {one.student: one.read() for one in found}
    every = "\n".join([*remarks, *(remark for _, own in read.values() for remark in own)])
    return {who for who, (data, _) in read.items() if data}, {*read}, every


def test_there_is_one_layout_and_what_lies_elsewhere_is_named(tmp_path):
    lay(tmp_path, "ada/00_primer/00_primer.ipynb", "ada/00_primer/.x/y", "bob/00_primer.ipynb",
        "cy/00_primer/my first.IPYNB", "di/00_primer/a.ipynb", "di/00_primer/b.ipynb.txt", "loose.ipynb",
        "ed/00_primer/00_primer.ipynb", "ed/00_primer/00_primer (1).ipynb", "fi/notes/00_primer.ipynb")  # fmt: skip
    full, students, remarks = find(tmp_path)
    assert full == {"ada", "cy", "ed"} and students == full | {"di"}
    assert "ada/" not in remarks and "'ada'" not in remarks
    for words in ("/'bob' holds '00_primer.ipynb', a file", "cy/00_primer/'my first.IPYNB' was taken",
                  "di/00_primer holds no 00_primer.ipynb, but 'a.ipynb', 'b.ipynb.txt'", "'loose.ipynb' is a file",
                  "'00_primer (1).ipynb' was not looked at", "'fi' holds 'notes', a folder"):  # fmt: skip
        assert words in remarks, remarks


def test_no_two_folders_are_one_student(tmp_path):
    """H3: a_a_bob_7 was bob, as an export of ILIAS, and took his marks away."""
    plain = {"bob", "a_a_bob_7", "2026_hs_17_1", "2026_hs_17_2", "Bob", "bo\u0308b", "b\u00f6b"}
    odd = {"bob ", "b\x01ob", "b\x02ob", "b\u202eob"}
    lay(tmp_path, *(f"{name}/00_primer/00_primer.ipynb" for name in plain | odd))
    full, students, remarks = find(tmp_path)
    assert full == students == plain
    assert remarks.count("rename it") == 4 and r"'b\x01ob'" in remarks and "'bob '" in remarks


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
def test_nothing_odd_is_opened(tmp_path, monkeypatch):
    lay(tmp_path, "right/00_primer/00_primer.ipynb", "folder/00_primer/00_primer.ipynb/x")
    make = {"link": lambda path: path.symlink_to("/etc/passwd"), "zero": lambda path: path.symlink_to("/dev/zero"),
            "pipe": os.mkfifo, "giant": lambda path: (path.touch(), os.truncate(path, 1 << 40)),
            "socket": lambda path: socket.socket(socket.AF_UNIX).bind(path.name)}  # fmt: skip
    for name, act in make.items():
        path = tmp_path / name / PRIMER / "00_primer.ipynb"
        path.parent.mkdir(parents=True)
        monkeypatch.chdir(path.parent)  # a socket's name may have a hundred characters
        act(path)
    (tmp_path / "whole").symlink_to(tmp_path / "right")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / PRIMER).symlink_to(tmp_path / "right" / PRIMER)
    full, _, remarks = find(tmp_path)
    assert full == {"right"}
    for name in (*make, "folder", "whole", "part"):
        assert name in remarks, name
    late = tmp_path / "late"
    late.symlink_to(tmp_path / "right" / PRIMER / "00_primer.ipynb")
    seen = late.stat()
    monkeypatch.setattr(submissions.os, "lstat", lambda _: seen)  # a link that comes after the look
    assert submissions.read_bytes(late)[0] == b""


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


# -- put together ----------------------------------------------------------------------------------


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def test_tests_are_always_the_original_ones_and_every_change_is_named():
    def put_together(handed_in):
        originals = [checker._piece(c)._replace(blank=c["blank"]) for c in job(handed_in)["cells"]]
        read = checker.read(nbformat.writes(handed_in).encode())
        return checker.put_together(read, originals)

    notebook = answered(PRIMER)
    assert put_together(notebook)[1] == []
    cell_of(notebook, "plan").source = "pass"
    cell_of(notebook, "claim").cell_type = "markdown"
    note = cell_of(notebook, "estimate").metadata["nbgrader"]
    note |= {"points": 100, "locked": False, "solution": True}
    gone = ("average", "plan-answer", "begin")
    notebook.cells = [c for c in notebook.cells if grade_id(c) not in gone]
    notebook.cells.append(cell_of(notebook, "estimate").copy())
    notebook.cells.insert(3, nbformat.v4.new_code_cell("helper = 1"))
    pieces, remarks = put_together(notebook)
    named = {piece.name: piece for piece in pieces if piece.name}
    tests = [p for p in named.values() if p.note["grade"]]
    assert [p.note["points"] for p in tests] == [4, 3, 4, 4, 5]
    assert all("BEGIN HIDDEN TESTS" in p.source and p.kind == "code" for p in tests[:4])
    assert "NotImplementedError" in named["plan-answer"].source
    assert "said" in named["estimate-answer"].source
    source = nbformat.read(SOURCES / f"{PRIMER}.ipynb", 4)
    assert list(named) == [grade_id(c) for c in source.cells if grade_id(c)]
    assert [piece.source for piece in pieces].count("helper = 1") == 1
    assert sum("is missing" in remark for remark in remarks) == 3 and "occurs twice" in remarks[0]
    assert "cell 'plan' was altered; the original was used" in remarks


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
    place = [c["metadata"].get("nbgrader", {}).get("grade_id") for c in one["cells"]].index(
        "estimate"
    )
    one["cells"][place]["source"] = hog  # as if a check had done it
    result = grade.result_of(one)
    assert failed(result) == lost and (grade.EXHAUSTED in str(result["remarks"])) == (len(lost) > 1)


@pytest.mark.weekly
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m.assignment}-{m.task}-{m.words}")
def test_mistakes_are_named_from_outside_as_at_home(wall, mistake):
    result = grade.result_of(job(answered(mistake.assignment, mistake), mistake.assignment))
    messages = [c["outputs"][0]["evalue"] for c in result["cells"] if c.get("outputs")]
    assert failed(result) == [mistake.task] and mistake.words in messages[0]


def test_without_a_sandbox_and_without_workers_the_refusal_names_it(tmp_path, capsys):
    for words, reason in (
        ([], "no sandbox for the submissions here: bubblewrap"),  # hidden by conftest.py
        (["--timeout", "0"], "takes one or more, not 0"),
        (["--workers", "0"], "takes one or more, not 0"),
    ):
        assert cli.main(["course", "grade", str(tmp_path), *words]) == 1
        assert reason in capsys.readouterr().err


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
        right = {"estimate": 4, "average": 3, "plan": 4, "claim": 4, "verdict": 0}
        assert points(book, "Ada_1") == right and points(book, "Bob_2") == right | {"plan": 0}
        assert all(s.needs_manual_grade for s in book.assignment_submissions(PRIMER))
        essay = ("verdict", PRIMER, PRIMER, "Bob_2")  # what formgrader does
        book.find_grade(*essay).manual_score, book.find_grade(*essay).needs_manual_grade = (
            3.5,
            False,
        )
        book.find_comment(*essay).manual_comment = "The number is missing."
        book.db.commit()
    nbgrader(course, "generate_feedback", PRIMER)
    page = (course / "feedback" / "Bob_2" / PRIMER / f"{PRIMER}.html").read_text()
    assert mistake.words in page and "The number is missing." in page and "14.5" in page
    assert cli.main(["course", "grade", str(course)]) == 0
    assert "2 submissions, 2 of them unchanged" in capsys.readouterr().out
    nbgrader(course, "export")
    header, *table = csv.reader((course / "grades.csv").open(newline=""))
    assert header[3:] == ["SIS Login ID", "Section", PRIMER]
    assert [row[3:] for row in table] == [
        ["", "", "20"],
        ["Ada_1", "", "15.0"],
        ["Bob_2", "", "14.5"],
    ]
    (course / "submitted" / "Bob_2" / PRIMER / f"{PRIMER}.ipynb").write_text("{")
    assert cli.main(["course", "grade", str(course)]) == 0
    with Gradebook(url) as book:  # her points stay, and are to be looked at again
        grade = book.find_grade(*essay)
        assert points(book, "Bob_2")["estimate"] == 0
        assert (grade.manual_score, grade.needs_manual_grade) == (3.5, True)


def points(book, student):
    return {
        g.name: g.score for n in book.find_submission(PRIMER, student).notebooks for g in n.grades
    }


@pytest.mark.parametrize(("platform", "places"), [
    ("Moodle", ["Ann Miller_3_assignsubmission_file/00_primer.ipynb",
                "Ann Miller_4_assignsubmission_file_00_primer.ipynb"]),
    ("Canvas", ["millerann_11_51_00_primer.ipynb", "millerann_LATE_12_52_00_primer-1.ipynb"]),
    ("ILIAS", ["ws_26_smith_1/00_primer.ipynb", "ws_26_smith_2/00_primer.ipynb"]),
])  # fmt: skip
def test_the_lines_for_platforms_keep_students_of_one_name_apart(platform, places):
    """`nbgrader zip_collect` reads these; the line is taken by the lecturer, not guessed."""
    expression = eval(re.search(f"# {platform}: .* = (.*)", build.NBGRADER_CONFIG)[1])
    found = [re.match(expression, f"/course/downloaded/{place}") for place in places]
    assert len({one["student_id"] for one in found}) == 2
    assert {one["file_id"] for one in found} == {PRIMER}


@pytest.mark.weekly
def test_a_class_of_thirty_in_fifteen_minutes(wall, tmp_path, capsys):
    """Twice the same points; the time counts on two idle cores."""
    tables = []
    for name in ("one", "two"):
        course = course_of(tmp_path / name, ASSIGNMENTS)
        for one in ASSIGNMENTS:
            places = [f"s{n:02d}/{one}/{one}.ipynb" for n in range(30)]
            lay(course / "submitted", *places, content=nbformat.writes(answered(one)))
        assert cli.main(["course", "grade", str(course)]) == 0
        assert "180/180" in capsys.readouterr().err
        nbgrader(course, "export")
        tables.append((course / "grades.csv").read_text())
    _, _, *students = tables[0].splitlines()
    assert tables[0] == tables[1] and len(students) == 30
    assert len({tuple(line.split(",")[5:]) for line in students}) == 1


@pytest.mark.parametrize("name", ["=1+1", "+1", "-x", "@x", "\t=1", "＝1"])
def test_a_name_is_no_formula(name):
    assert plain_text(name) == f"'{name}"
