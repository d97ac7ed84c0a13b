"""A folder of submissions to points: tables, a page for each student, the account."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ppdm.course import account, feedback
from ppdm.course.build import find_sources, tasks
from ppdm.course.cell import HOW_UNSEALED, why_not_sealed
from ppdm.course.handin import Submission, file_name, find_submissions
from ppdm.course.pool import work
from ppdm.course.tables import write_table

GRADES = ("student", "assignment", "task", "points", "max", "graded_by", "remark")
TOTALS = ("student", "assignment", "points", "max", "to_read")


def grade(
    folder: Path,
    sources: Path,
    out: Path,
    timeout: float = 30,
    workers: int = 2,
    sealed: bool = True,
    spent: dict | None = None,
) -> list[dict]:
    """Grade every submission; write grades.csv, totals.csv, to_read.csv, account.jsonl and the
    feedback pages.

    What was graded before and has not changed since is not run again. `spent` takes the seconds of
    each student and assignment.
    """
    notebooks = find_sources(sources)
    submissions = find_submissions(folder, list(notebooks))
    reason = why_not_sealed() if sealed else None
    if reason:
        raise ValueError(f"no sealed cells here ({reason}); {HOW_UNSEALED}")
    out.mkdir(parents=True, exist_ok=True)
    log = account.Account(out / "account.jsonl")
    worth = {(name, t["task"]): t["max"] for name, path in notebooks.items() for t in tasks(path)}
    dialect = account.take_over(out / "to_read.csv", log, worth)

    base = Path(tempfile.mkdtemp(prefix="ppdm-grading-"))
    try:
        base.chmod(0o755)  # a cell of its own user looks into it
        jobs = [
            _job(submission, notebooks[submission.assignment], out, timeout, sealed)
            for submission in submissions
        ]
        results = work(jobs, workers, sealed, base, spent)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    account.settle(results, log)
    account.write_to_read(out / "to_read.csv", results, dialect)
    write_table(out / "grades.csv", _grade_rows(results), GRADES)
    write_table(out / "totals.csv", _total_rows(results), TOTALS)
    feedback.write_pages(results, out / "feedback")
    return results


def _job(submission: Submission, source: Path, out: Path, timeout: float, sealed: bool) -> dict:
    kept = out / ".graded" / file_name(submission.student) / f"{submission.assignment}.json"
    return {
        "submission": submission,
        "source": source,
        "kept": kept,
        "timeout": timeout,
        "sealed": sealed,
    }


def _grade_rows(results: Sequence[dict]) -> list[dict]:
    return [
        {"student": r["student"], "assignment": r["assignment"], "task": t["task"],
         "points": "" if t["points"] is None else f"{t['points']:g}", "max": f"{t['max']:g}",
         "graded_by": t["by"],
         "remark": " | ".join([*([t["message"]] if t["message"] else []), *r["remarks"]])}
        for r in results for t in r["tasks"]
    ]  # fmt: skip


def _total_rows(results: Sequence[dict]) -> list[dict]:
    return [
        {
            "student": r["student"],
            "assignment": r["assignment"],
            "points": f"{sum(t['points'] or 0 for t in r['tasks']):g}",
            "max": f"{sum(t['max'] for t in r['tasks']):g}",
            "to_read": sum(t["points"] is None for t in r["tasks"]),
        }
        for r in results
    ]
