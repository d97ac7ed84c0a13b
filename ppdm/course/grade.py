"""A folder of submissions to points.

    FOLDER/<student>/<assignment>.ipynb      (or deeper, as nbgrader collects them)

Every submission is put together anew: the student's answers, and the tests as they were handed
out, with the hidden ones. So an altered or a missing test cell changes nothing but a remark.
"""

from __future__ import annotations

import copy
import csv
import hashlib
import io
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from ppdm.course.build import find_sources, student_version, tasks
from ppdm.files import replace_file

#: A larger file is not opened.
LARGEST = 20_000_000
HUMAN, TESTS = "human", "tests"
NOT_HANDED_IN = "not handed in"


class Submission(NamedTuple):
    """What one student handed in for one assignment; `path` is None if nothing."""

    student: str
    assignment: str
    path: Path | None
    remarks: tuple[str, ...] = ()


def grade(
    folder: Path, sources: Path, out: Path, timeout: int = 30, workers: int = 2
) -> list[dict]:
    """Grade every submission; write grades.csv, totals.csv, to_read.csv and the feedback pages.

    What was graded before and has not changed since is not run again.
    """
    from tqdm import tqdm

    from ppdm.course import feedback

    notebooks = find_sources(sources)
    submissions = find_submissions(folder, list(notebooks))
    out.mkdir(parents=True, exist_ok=True)

    def one(submission: Submission) -> dict:
        kept = out / ".graded" / submission.student / f"{submission.assignment}.json"
        return _graded(submission, notebooks[submission.assignment], kept, timeout)

    with ThreadPoolExecutor(workers) as pool:
        bar = tqdm(pool.map(one, submissions), total=len(submissions), desc="grading", unit="")
        results = list(bar)
    _read_by_human(results, out / "to_read.csv")
    _write_csv(out / "grades.csv", _grade_rows(results))
    _write_csv(out / "totals.csv", _total_rows(results))
    feedback.write_pages(results, out / "feedback")
    return results


# -- finding -------------------------------------------------------------------------------


def find_submissions(folder: Path, assignments: Sequence[str]) -> list[Submission]:
    """Every student with every assignment that somebody handed in."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; give the one that holds a folder a student")
    students = [d for d in sorted(folder.iterdir()) if d.is_dir() and not d.name.startswith(".")]
    if not students:
        raise ValueError(f"{folder} holds no folder; one is needed for each student, by her id")
    found = {d.name: _notebooks_of(d, assignments) for d in students}
    handed_in = [a for a in assignments if any(a in of for of, _ in found.values())]
    submissions = []
    for student, (notebooks, remarks) in found.items():
        for assignment in handed_in:
            paths = notebooks.get(assignment, [])
            more = [f"{path.name} was not looked at: {paths[0].name} was" for path in paths[1:]]
            path = paths[0] if paths else None
            submissions.append(Submission(student, assignment, path, (*remarks, *more)))
    if not submissions:
        raise ValueError(f"no notebook in {folder} has the name of an assignment: "
                         f"{', '.join(assignments)}")  # fmt: skip
    return submissions


def _notebooks_of(
    folder: Path, assignments: Sequence[str]
) -> tuple[dict[str, list[Path]], list[str]]:
    """A student's notebooks by assignment, the exact names first, and remarks on the others."""
    notebooks: dict[str, list[Path]] = {}
    remarks = []
    for path in sorted(folder.rglob("*.ipynb"), key=lambda p: (len(p.stem), str(p))):
        if ".ipynb_checkpoints" in path.parts:
            continue
        fits = [name for name in assignments if path.stem.startswith(name)]
        if fits:
            notebooks.setdefault(fits[0], []).append(path)
        else:
            remarks.append(f"{path.name} has the name of no assignment and was not looked at")
    return notebooks, remarks


# -- one submission ------------------------------------------------------------------------


def _graded(submission: Submission, source: Path, kept: Path, timeout: int) -> dict:
    """The result of one submission: kept from before if nothing has changed, else anew."""
    key = _fingerprint(submission, source, timeout)
    if kept.is_file():
        result = json.loads(kept.read_text(encoding="utf-8"))
        if result["key"] == key:
            return result
    try:
        result = _grade_one(submission, source, timeout)
    except Exception as error:  # noqa: BLE001 - one bad submission must not stop the others
        result = _nothing(source, f"could not be graded: {type(error).__name__}: {error!s:.200}")
    result = {"key": key, "student": submission.student, "assignment": submission.assignment,
              **result}  # fmt: skip
    result["remarks"] = [*submission.remarks, *result["remarks"]]
    replace_file(kept, json.dumps(result, indent=1, ensure_ascii=False).encode())
    return result


def _fingerprint(submission: Submission, source: Path, timeout: int) -> str:
    package = sorted(Path(__file__).parent.glob("*.py"))
    parts = [source, *package] + ([submission.path] if submission.path else [])
    text = [hashlib.sha256(part.read_bytes()).hexdigest() for part in parts]
    return hashlib.sha256(json.dumps([*text, submission.remarks, timeout]).encode()).hexdigest()


def _grade_one(submission: Submission, source: Path, timeout: int) -> dict:
    from ppdm.course.run import run

    if submission.path is None:
        return _nothing(source, NOT_HANDED_IN)
    handed_in, problem = read_notebook(submission.path)
    if problem:
        return _nothing(source, problem)
    notebook, remarks = put_together(handed_in, source)
    if notebook is None:
        return _nothing(source, *remarks)
    remarks += run(notebook, submission.student, timeout)
    remarks += _typed_id(notebook, submission.student)
    return {"tasks": [_points(cell, notebook) for cell in notebook.cells if _is_grade(cell)],
            "remarks": remarks}  # fmt: skip


def _nothing(source: Path, *remarks: str) -> dict:
    empty = [{"task": task["task"], "points": 0.0, "max": task["max"], "message": "",
              "by": HUMAN if task["human"] else TESTS, "answer": ""} for task in tasks(source)]  # fmt: skip
    return {"tasks": empty, "remarks": list(remarks)}


def read_notebook(path: Path) -> tuple[NotebookNode | None, str]:
    """The notebook, or what is wrong with the file."""
    size = path.stat().st_size
    if size > LARGEST:
        return None, f"{path.name} does not open: {size / 1e6:.0f} MB are too many"
    try:
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = "".join(cell.source)
            if cell.cell_type not in ("code", "markdown", "raw"):
                raise ValueError(f"a cell of the type {cell.cell_type!r}")
            if not isinstance(cell.metadata.get("nbgrader", {}), dict):
                raise ValueError("nbgrader's notes are broken")  # noqa: TRY004
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the file
        return None, f"{path.name} does not open: {type(error).__name__}: {error!s:.100}"
    return notebook, ""


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


def _grade_id(cell) -> str | None:
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    return name if isinstance(name, str) else None


def _is_locked(cell) -> bool:
    return bool(cell.metadata["nbgrader"]["locked"])


def _is_grade(cell) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade"))


def _plain(text: str) -> NotebookNode:
    return nbformat.v4.new_code_cell(text)


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
            return [f"the notebook names the student {typed[2]!r}; the folder's name was used"]
    return []


def _points(cell: NotebookNode, notebook: NotebookNode) -> dict:
    """What one graded cell earns, by nbgrader's rules, and what its test says."""
    from nbgrader.utils import determine_grade

    name = _grade_id(cell)
    task = {"task": name, "max": float(cell.metadata["nbgrader"]["points"]), "message": ""}
    if cell.metadata["nbgrader"]["solution"]:
        points, _ = determine_grade(cell)
        points = 0.0 if not cell.source.strip() else points
        task["message"] = "" if points is None else "not answered"
        return {**task, "points": points, "by": HUMAN, "answer": cell.source}
    # nbgrader gives no points where something was written to stderr; a warning is no mistake
    cell.outputs = [o for o in cell.outputs if o.output_type == "error"]
    points, _ = determine_grade(cell)
    task["message"] = "; ".join(_says(o) for o in cell.outputs[-1:])
    answer = [c.source for c in notebook.cells if _grade_id(c) == f"{name}-answer"]
    return {**task, "points": float(points), "by": TESTS, "answer": "".join(answer)}


def _says(error: NotebookNode) -> str:
    text = str(error.evalue)[:600]
    if error.ename == "NameError":
        return f"{text}: the cell that should define it did not get that far"
    return text if error.ename in ("AssertionError", "Stopped") else f"{error.ename}: {text}"


# -- tables --------------------------------------------------------------------------------


def _read_by_human(results: list[dict], path: Path) -> None:
    """Take over the points that a human has given, and write the list of what is to be read."""
    given = _given(path)
    rows = []
    for result, task in _answers_to_read(results):
        key = (result["student"], result["assignment"], task["task"])
        points, comment = given.get(key, ("", ""))
        rows.append(dict(zip(("student", "assignment", "task"), key, strict=True)) | {
            "max": f"{task['max']:g}", "points": points, "comment": comment,
            "answer": task["answer"],
        })  # fmt: skip
        if points.strip():
            task["points"] = _checked(points, task["max"], key, path)
            task["message"] = comment
    _write_csv(path, rows, ("student", "assignment", "task", "max", "points", "comment", "answer"))


def _answers_to_read(results):
    return [(r, t) for r in results for t in r["tasks"] if t["by"] == HUMAN and t["points"] is None]


def _given(path: Path) -> dict[tuple, tuple[str, str]]:
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {(row["student"], row["assignment"], row["task"]): (row["points"], row["comment"])
                for row in csv.DictReader(file)}  # fmt: skip


def _checked(points: str, most: float, key: tuple, path: Path) -> float:
    try:
        number = float(points.replace(",", "."))
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise ValueError(f"{path.name}: {' '.join(key)} has {points!r} points; 0 to {most:g} exist")
    return number


def _grade_rows(results: list[dict]) -> list[dict]:
    return [
        {"student": r["student"], "assignment": r["assignment"], "task": t["task"],
         "points": "" if t["points"] is None else f"{t['points']:g}", "max": f"{t['max']:g}",
         "graded_by": t["by"],
         "remark": " | ".join([*([t["message"]] if t["message"] else []), *r["remarks"]])}
        for r in results for t in r["tasks"]
    ]  # fmt: skip


def _total_rows(results: list[dict]) -> list[dict]:
    return [
        {"student": r["student"], "assignment": r["assignment"],
         "points": f"{sum(t['points'] or 0 for t in r['tasks']):g}",
         "max": f"{sum(t['max'] for t in r['tasks']):g}",
         "to_read": sum(t["points"] is None for t in r["tasks"])}
        for r in results
    ]  # fmt: skip


def _write_csv(path: Path, rows: list[dict], columns: Sequence[str] = ()) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns or list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    replace_file(path, text.getvalue().encode())
