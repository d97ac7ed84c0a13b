"""One submission to points.

It is put together anew: the student's answers, and the tests as they were handed out, with the
hidden ones. So an altered or a missing test cell changes nothing but a remark. The answers run in a
cell of their own (`ppdm.course.cell`), the tests outside of it.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from ppdm.course.build import student_version, tasks
from ppdm.course.examine import Piece, answer_names, examine
from ppdm.course.handin import Submission, read_bytes, read_notebook, show
from ppdm.files import replace_file

HUMAN, TESTS = "human", "tests"
NOT_HANDED_IN = "not handed in"


def graded(job: dict, workshop) -> dict:
    """The result of one submission: kept from before if nothing has changed, else anew.

    `workshop` is called for the maker of cells, when one is needed.
    """
    submission, source, kept = job["submission"], job["source"], job["kept"]
    data, problem = b"", ""
    if submission.path is not None:
        data, problem = read_bytes(submission.path)
    key = _fingerprint(submission, data, source, job)
    known = _kept(kept, key)
    if known is not None:
        return known
    try:
        result = _grade_one(submission, data, problem, source, job["timeout"], workshop)
        keep = True
    except Exception as error:  # noqa: BLE001 - one bad submission must not stop the others
        result = nothing(source, f"could not be graded: {type(error).__name__}: {error!s:.200}")
        keep = False
    result = complete(job, result, key)
    if keep:
        replace_file(kept, json.dumps(result, indent=1, ensure_ascii=False).encode())
    return result


def complete(job: dict, result: dict, key: str = "") -> dict:
    """A result with whose it is, and the remarks on its files."""
    submission = job["submission"]
    remarks = [show(remark)[:400] for remark in (*submission.remarks, *result["remarks"])]
    return {"key": key, "student": submission.student, "assignment": submission.assignment,
            "version": key[:12], **result, "remarks": remarks}  # fmt: skip


def _kept(path: Path, key: str) -> dict | None:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        return result if result["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not there, or damaged: it is graded anew


def _fingerprint(submission: Submission, data: bytes, source: Path, job: dict) -> str:
    digest = [hashlib.sha256(data).hexdigest(), hashlib.sha256(source.read_bytes()).hexdigest()]
    rest = [
        *digest,
        _package(),
        submission.path is None,
        list(submission.remarks),
        submission.student,
        submission.exported,
        job["timeout"],
        job["sealed"],
    ]
    return hashlib.sha256(json.dumps(rest).encode()).hexdigest()


@lru_cache(maxsize=1)
def _package() -> str:
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _grade_one(submission, data: bytes, problem: str, source: Path, timeout, workshop) -> dict:
    if submission.path is None:
        return nothing(source, NOT_HANDED_IN)
    if problem:
        return nothing(source, problem)
    handed_in, problem = read_notebook(data, show(submission.path.name))
    if handed_in is None:
        return nothing(source, problem)
    notebook, remarks = put_together(handed_in, source)
    if notebook is None:
        return nothing(source, *remarks)
    pieces = _pieces(notebook, source)
    said, stopped = examine(pieces, _answer_names(source), submission.student, timeout, workshop())
    remarks += stopped
    if not submission.exported:
        remarks += _typed_id(notebook, submission.student)
    blank = {_grade_id(c): c.source for c in student_version(source).cells if _grade_id(c)}
    earned = [_points(cell, notebook, said, blank) for cell in notebook.cells if _is_grade(cell)]
    return {"tasks": earned, "remarks": remarks}


@lru_cache(maxsize=32)
def _answer_names(source: Path) -> set[str]:
    return answer_names(source)


def nothing(source: Path, *remarks: str) -> dict:
    """No points, and why."""
    empty = [{"task": task["task"], "points": 0.0, "max": task["max"], "message": "",
              "by": HUMAN if task["human"] else TESTS, "answer": ""} for task in tasks(source)]  # fmt: skip
    return {"tasks": empty, "remarks": list(remarks)}


def put_together(handed_in: NotebookNode, source: Path) -> tuple[NotebookNode | None, list[str]]:
    """The student's answers with the original tests, and remarks on what was changed."""
    original = nbformat.read(source, as_version=4)
    originals = {_grade_id(c): c for c in original.cells if _grade_id(c)}
    given_out = {_grade_id(c): c for c in student_version(source).cells if _grade_id(c)}
    remarks, cells, seen = [], [], set()
    for cell in handed_in.cells:
        name = _grade_id(cell)
        if name not in originals:
            if cell.cell_type == "code":
                cells.append(_plain(cell.source))
        elif name in seen:
            remarks.append(f"cell {name!r} occurs twice; as a rule the first one counts")
            if not _is_locked(originals[name]) and cell.cell_type == "code":
                cells.append(_plain(cell.source))
        else:
            seen.add(name)
            if not _is_locked(originals[name]):
                cells.append(_answered(given_out[name], cell.source))
                continue
            if cell.source.strip() != given_out[name].source.strip():
                remarks.append(f"cell {name!r} was altered; the original was used")
            cells.append(_unrun(originals[name]))
    if not seen:
        return None, [f"holds no cell of the assignment {source.stem}"]
    remarks += _add_missing(cells, seen, originals, given_out)
    original.cells = cells
    return original, remarks


def _add_missing(cells, seen: set, originals: dict, given_out: dict) -> list[str]:
    remarks = []
    for place, name in enumerate(originals):
        if name in seen:
            continue
        remarks.append(f"cell {name!r} is missing; it was put back as it was handed out")
        here = originals[name] if _is_locked(originals[name]) else given_out[name]
        before = list(originals)[:place]
        index = max((i + 1 for i, c in enumerate(cells) if _grade_id(c) in before), default=0)
        cells.insert(index, _unrun(here))
    return remarks


def _pieces(notebook: NotebookNode, source: Path) -> list[Piece]:
    """The code cells, each with what runs in the cell and what runs outside."""
    given_out = {_grade_id(c): c for c in student_version(source).cells if _grade_id(c)}
    pieces = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        grade_id = _grade_id(cell)
        name = f"cell {grade_id!r}" if grade_id else f"cell number {index + 1}"
        if grade_id is None or not _is_locked(cell):
            pieces.append(Piece("answer", name, theirs=cell.source))
        elif _is_grade(cell):
            pieces.append(Piece("test", name, ours=cell.source))
        else:
            pieces.append(Piece("given", name, given_out[grade_id].source, cell.source))
    return pieces


def _grade_id(cell) -> str | None:
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    return name if isinstance(name, str) else None


def _is_locked(cell) -> bool:
    return bool(cell.metadata["nbgrader"]["locked"])


def _is_grade(cell) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade"))


def _plain(text: str) -> NotebookNode:
    return NotebookNode(cell_type="code", source=text, metadata=NotebookNode(), outputs=[])


def _answered(blank: NotebookNode, text: str) -> NotebookNode:
    cell = copy.deepcopy(blank)
    cell.source = text
    return cell


def _unrun(cell: NotebookNode) -> NotebookNode:
    cell = copy.deepcopy(cell)
    if cell.cell_type == "code":
        cell.outputs = []
    return cell


def _typed_id(notebook: NotebookNode, student: str) -> list[str]:
    """A remark if the notebook names another student than its folder does."""
    for cell in notebook.cells:
        typed = re.search(r"^student\s*=\s*(['\"])(.*?)\1", cell.source, re.MULTILINE)
        if typed and typed[2].strip().lower() not in ("", student.strip().lower()):
            return [f"the notebook names the student {typed[2][:80]!r}; the folder's name was used"]
    return []


def _points(cell: NotebookNode, notebook: NotebookNode, said: dict, blank: dict) -> dict:
    """What one graded cell earns, by nbgrader's rules, and what its test says."""
    name = _grade_id(cell)
    most = float(cell.metadata["nbgrader"]["points"])
    task = {"task": name, "max": most, "message": ""}
    if cell.metadata["nbgrader"]["solution"]:
        text = cell.source.strip()
        points = 0.0 if not text or text == blank[name].strip() else None
        task["message"] = "" if points is None else "not answered"
        return {**task, "points": points, "by": HUMAN, "answer": cell.source}
    message = said.get(f"cell {name!r}", "was not run")
    task["message"] = message or ""
    answer = [c.source for c in notebook.cells if _grade_id(c) == f"{name}-answer"]
    return {
        **task,
        "points": most if message is None else 0.0,
        "by": TESTS,
        "answer": "".join(answer),
    }
