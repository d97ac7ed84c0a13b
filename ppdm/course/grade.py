"""A class to nbgrader's gradebook: `ppdm course grade` takes the place of `nbgrader autograde`.

Every submission has a checker of its own (`ppdm.course.checker`), a process with bounds. What comes back is
a graded notebook for `autograded/`, where nbgrader's formgrader and its feedback look for it, and its
points go to the gradebook by nbgrader's own step. What was graded and has not changed is left alone,
also what failed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from ppdm.course.build import find_sources, student_version
from ppdm.course.checker import TIMES, WORK, show
from ppdm.course.submissions import LAYOUT, Submission, find_submissions
from ppdm.course.wall import why_no_wall
from ppdm.files import replace_file

ASSIGN = "type `nbgrader generate_assignment 00_primer` there first"
EXHAUSTED = "its answers took more memory or time to check than there is"


def grade(folder: Path, timeout: float = 30, workers: int = 2) -> Iterator[str]:
    """Grade what lies in an nbgrader course's `submitted`; yields remarks, and at the end the sum."""
    from nbgrader.api import Gradebook
    from tqdm import tqdm

    if reason := why_no_wall():
        raise ValueError(f"there is no sandbox for the submissions here: {reason}")
    course = _course(folder)
    database = course.db_url.removeprefix("sqlite:///")
    if database != course.db_url and not Path(database).is_file():
        raise ValueError(f"there is no gradebook in {course.root}: {ASSIGN}")
    with Gradebook(course.db_url, course.course_id) as book:
        sources = _sources(Path(course.root, course.source_directory), book)
        known = {(s.student.id, a.name) for a in book.assignments for s in a.submissions}
    submitted = Path(course.root, course.submitted_directory)
    submissions, remarks = find_submissions(submitted, list(sources))
    yield f"the layout is {submitted.name}/{LAYOUT}"
    yield from remarks
    same, waiting = 0, {}
    with ThreadPoolExecutor(workers) as pool:
        for submission in submissions:
            student, name = submission.student, submission.assignment
            place = Path(course.root, course.autograded_directory, student, name, f"{name}.ipynb")
            old = place if (student, name) in known else None
            future = pool.submit(_graded, submission, sources[name], timeout, old)
            waiting[future] = (submission, place)
        try:
            for done in tqdm(as_completed(waiting), total=len(waiting), desc="grading", unit=""):
                submission, place = waiting.pop(done)
                if (result := done.result()) is None:
                    same += 1
                    continue
                notebook, remarks = result
                _enter(course, submission, notebook)
                replace_file(place, nbformat.writes(notebook).encode())
                if remarks:
                    yield f"{submission.student}, {submission.assignment}: {'; '.join(remarks)}"
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    yield f"{len(submissions)} submissions, {same} of them unchanged: {course.db_url}"


def _graded(
    submission: Submission, source: Path, timeout: float, old: Path | None
) -> tuple[NotebookNode, list[str]] | None:
    """A submission's graded notebook, and remarks; None if the old one was made of the same."""
    data, remarks = submission.read()
    job = job_of(submission.student, submission.assignment, data, source, timeout)
    key = hashlib.sha256(json.dumps([job, remarks, _package()]).encode()).hexdigest()
    if old and old.is_file() and key in old.read_text(encoding="utf-8"):
        return None
    result = result_of(job)
    remarks += result["remarks"]
    cells = result["cells"]
    if remarks:
        text = "\n".join(["Remarks of the grading:", "", *(f"- `{remark}`" for remark in remarks)])
        cells = [{"cell_type": "markdown", "metadata": {}, "source": text}, *cells]
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    notebook = {"cells": numbered, "metadata": {"ppdm": key}, "nbformat": 4, "nbformat_minor": 5}
    return nbformat.from_dict(notebook), remarks


def _course(folder: Path):
    """nbgrader's account of a course's folder."""
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config
    from traitlets.config.loader import PyFileConfigLoader

    settings = folder / "nbgrader_config.py"
    config = PyFileConfigLoader(str(settings)).load_config() if settings.is_file() else Config()
    return CourseDirectory(config=config, root=str(folder.resolve()))


def _sources(folder: Path, book) -> dict[str, Path]:
    """The notebooks with solutions of the assignments in the gradebook."""
    paths = {a.name: folder / a.name / f"{a.name}.ipynb" for a in book.assignments}
    paths = {name: path for name, path in paths.items() if path.is_file()}
    if not paths:
        raise ValueError(
            f"the gradebook of {folder.parent} has no assignment of {folder.name}/: {ASSIGN}"
        )
    return paths


def job_of(student: str, assignment: str, data: bytes, source: Path, timeout: float) -> dict:
    """What a checker needs to know."""
    cells = zip(
        nbformat.read(source, as_version=4).cells, student_version(source).cells, strict=True
    )
    return {
        "assignment": assignment,
        "student": student,
        "timeout": timeout,
        "cells": [
            {**full, "metadata": blank.metadata, "blank": blank.source} for full, blank in cells
        ],
        "notebook": base64.b64encode(data).decode(),
    }


@lru_cache(maxsize=1)
def _package() -> str:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def result_of(job: dict) -> dict:
    """The graded cells of one submission, from a process with bounds."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ppdm.course.checker"], input=json.dumps(job), text=True,
            capture_output=True, check=False, timeout=TIMES * job["timeout"] + 2 * WORK,
        )  # fmt: skip
        words = done.stderr.strip().rpartition("\n")[2] if done.returncode == 1 else EXHAUSTED
    except subprocess.TimeoutExpired:
        done, words = None, EXHAUSTED
    if done is None or done.returncode:
        if not job["notebook"]:
            raise ValueError(f"the checker does not work: {words}")
        remark = f"could not be graded: {show(words)[:300]}"
        return result_of({**job, "notebook": ""}) | {"remarks": [remark]}
    result = json.loads(done.stdout)
    if "problem" in result:
        raise ValueError(f"there is no sandbox for the submissions here: {result['problem']}")
    return result


def check(sources: Path) -> None:
    """Grade the solutions, which must get full marks, and the student versions, which must get none."""
    wrong = []
    for name, path in find_sources(sources).items():
        blank = nbformat.writes(student_version(path)).encode()
        for title, text, points in (
            ("solution", path.read_bytes(), 1),
            ("student version", blank, 0),
        ):
            for cell in result_of(job_of("check", name, text, path, 60))["cells"]:
                task = cell["metadata"].get("nbgrader", {})
                words = [output["evalue"] for output in cell.get("outputs", ())]
                if task.get("grade") and cell["cell_type"] == "code" and bool(words) == points:
                    wrong += [f"{name}, {task['grade_id']}, {title}: {[*words, 'passed'][0]}"]
    if wrong:
        raise ValueError("the check failed:\n  " + "\n  ".join(wrong))


def _enter(course, submission: Submission, notebook: NotebookNode) -> None:
    """The points of a graded notebook to the gradebook, by nbgrader's own steps."""
    from nbgrader.api import Gradebook
    from nbgrader.preprocessors import AssignLatePenalties, SaveAutoGrades

    student, name = submission.student, submission.assignment
    resources = {"nbgrader": {"student": student, "assignment": name, "notebook": name,
                              "db_url": course.db_url}}  # fmt: skip
    with warnings.catch_warnings(), Gradebook(course.db_url, course.course_id) as book:
        warnings.simplefilter("ignore")  # SQLAlchemy's, about nbgrader's own doing
        book.update_or_create_student(student)
        when = {"timestamp": submission.when} if submission.when else {}
        book.update_or_create_submission(name, student, **when)
        for step in (SaveAutoGrades(), AssignLatePenalties(config=course.config)):
            step.preprocess(notebook, resources)
