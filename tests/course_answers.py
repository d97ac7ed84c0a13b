"""Answers to the assignments: the stored ones, and each classic mistake made in them.

A mistake is a small change in the stored solution, and the words that the check has to say of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import nbformat

from ppdm.course.build import build, student_version
from ppdm.course.grade import job_of
from ppdm.course.personal import ASSIGNMENTS

SOURCES = Path(__file__).parents[1] / "notebooks" / "assignments"


class Mistake(NamedTuple):
    """Where it is made, what is changed into what, and the words expected."""

    assignment: str
    task: str
    changes: tuple[tuple[str, str], ...]
    words: str


PRIMER, SURVEYS, GROUPS, AIBR, OPTRR, WHICH = ASSIGNMENTS

#: By assignment and task: the words expected, and what is changed into what.
_TABLE: dict[tuple[str, str], list[tuple[str, ...]]] = {
    (PRIMER, "estimate"): [
        ("forgot to invert", "(said - (1 - theta)) / slope", "said"),
        ("are swapped", "(said - (1 - theta)) / slope", "(said - theta) / -slope"),
        ("Clipped", "(said - (1 - theta)) / slope", "min(max((said - (1 - theta)) / slope, 0), 1)"),
        ("enlarges the error", " / abs(slope)", ""),
        ("not negative", "abs(slope)", "slope"),
    ],
    (PRIMER, "average"): [
        ("Clipped before averaging", "fmean((share - (1 - theta)) / (2 * theta - 1) for", "fmean(min(max((share - (1 - theta)) / (2 * theta - 1), 0), 1) for"),
        ("average was cut off", "return fmean((share - (1 - theta)) / (2 * theta - 1) for share in said)", "return min(max(fmean((share - (1 - theta)) / (2 * theta - 1) for share in said), 0), 1)"),
        ("forgot to invert", "(share - (1 - theta)) / (2 * theta - 1)", "share"),
        ("are swapped", "(share - (1 - theta)) / (2", "(theta - share) / (2"),
    ],
    (PRIMER, "plan"): [
        ("Only the coin's part", " - share * (1 - share)      #", "      #"),
        ("are swapped", "return (low, high)", "return (1 - high, 1 - low)"),
        ("wrong order", "return (low, high)", "return (high, low)"),
        ("the answer is None", " if low <= high else None", ""),
    ],
    (PRIMER, "claim"): [
        ("forgot to invert", "(fmean(said) - (1 - theta)) / (2 * theta - 1)", "fmean(said)"),
        ("are swapped", "if rng.random() < theta", "if rng.random() > theta"),
        ("new people", "    return estimates\n    ###", "    return estimates[:1] * surveys\n    ###"),
        ("spread of single surveys", " / sqrt(len(estimates))", ""),
    ],
    (SURVEYS, "share"): [
        ("forgot to invert", "return (sent - (1 - q) * stranger) / q", "return sent"),
        ("are swapped", "return (sent - (1 - q) * stranger) / q", "return (sent - q * stranger) / (1 - q)"),
        ("taken literally", "* stranger", "* 0.5"),
        ("no fair coins", "* stranger", "* 0.5 ** len(expression)"),
        ("Clipped", "return (sent - (1 - q) * stranger) / q", "return max((sent - (1 - q) * stranger) / q, 0.0)"),
        ("1 - w, not w", "if value == 1 else 1 - w[name]", "if value < 2 else 0"),
    ],
    (SURVEYS, "conditional"): [
        ("over the wrong rows", "return both / ((in_class.mean() - (1 - q) * class_of_stranger) / q)", "return (reports[in_class][attribute].mean() - (1 - q) * w[attribute]) / q"),
        ("wrong rows: this is P(A = 1, class)", "return both / ((in_class.mean() - (1 - q) * class_of_stranger) / q)", "return both"),
        ("among all rows", "return both / ((in_class.mean() - (1 - q) * class_of_stranger) / q)", "return (reports[attribute].mean() - (1 - q) * w[attribute]) / q"),
        ("forgot to invert", "return both / ((in_class.mean() - (1 - q) * class_of_stranger) / q)", "return reports[in_class][attribute].mean()"),
    ],
    (SURVEYS, "exposed"): [
        ("nothing is known", "right_on_sent != np", "right_on_sent == np"),
        ("both ways", "right_on_sent != np.asarray(said_right)", "right_on_sent & ~np.asarray(said_right)"),
    ],
    (SURVEYS, "claim"): [
        ("are swapped", "total = 0.0", "total, q = 0.0, 1 - q"),
        ("Half of it", "2 * one * zero", "one * zero"),
        ("largest", "gap = max(", "gap = sum(", "range(11))", "range(11)) / 11"),
    ],
    (GROUPS, "disguise"): [
        ("One coin for each attribute instead of one for each group", "for group in groups:", "for group in [[c] for g in groups for c in g]:"),
        ("whole record", "for group in groups:", "for group in [sum(groups, [])]:"),
        ("all respondents", "rng.random(len(records)) > theta", "np.full(len(records), rng.random() > theta)"),
        ("are swapped", "> theta", "< theta"),
        ("in no group", "for group in groups:", "for group in [*groups, [c for c in range(records.shape[1]) if c not in sum(groups, [])]]:"),
    ],
    (GROUPS, "undo"): [
        ("forgot to invert", "return estimate", "return counts"),
        ("are swapped", "estimate = counts", "estimate, theta = counts, 1 - theta"),
        ("One coin for each attribute", "for group in groups:", "for group in [[c] for g in groups for c in g]:"),
        ("whole record", "for group in groups:", "for group in [sum(groups, [])]:"),
        ("Clipped", "return estimate", "return np.maximum(estimate, 0)"),
        ("colleague", "np.flip(estimate, axis=tuple(group))", "np.flip(counts)"),
    ],
    (GROUPS, "plan"): [
        ("coin of one group", "error(t, groups)", "error(t, 1)"),
        ("subtract", " - prior[1, 1] ** 2", ""),
        ("are swapped", "min([t for t", "min([1 - t for t", "if error(t, groups) <= se]", "if error(t, groups) <= se][:1]"),
    ],
    (GROUPS, "read"): [
        ("in no group", "result[:, grouped] = np.nan", "result[:] = np.nan"),
        ("coins of their own", "if known in group:", "if True:"),
    ],
    (GROUPS, "claim"): [
        ("rare beforehand", "return said_one + said_zero", "return theta"),
        ("share alone", "return said_one + said_zero", "return max(share, 1 - share)"),
    ],
    (AIBR, "aibr"): [
        ("shuffled", "return low + (interval + rng.random(len(x))) * width", "return rng.permutation(x)"),
        ("largest value", "np.minimum(np.floor((x - low) / width), k - 1)", "np.floor((x - low) / width)"),
        ("equal width", "interval = np", "edges = np.quantile(x, np.linspace(0, 1, k + 1)); i = np.clip(np.searchsorted(edges, x, side='right') - 1, 0, k - 1); return edges[i] + rng.random(len(x)) * (edges[i + 1] - edges[i]); interval = np"),
        ("wrong rows", "interval = np.minimum(np.floor((x - low) / width), k - 1)", "interval = rng.permutation(np.minimum(np.floor((x - low) / width), k - 1))"),
        ("one value", "rng.random(len(x))", "0.5"),
    ],
    (AIBR, "rank"): [
        ("wrong rows", "original[rows].argsort(axis=0).argsort(axis=0)", "original.argsort(axis=0).argsort(axis=0)[rows]"),
        ("within a record", "original[rows].argsort(axis=0).argsort(axis=0)", "original[rows].argsort(axis=1).argsort(axis=1)", "released.argsort(axis=0).argsort(axis=0)", "released.argsort(axis=1).argsort(axis=1)"),
        ("order of the rows", ".argsort(axis=0).argsort(axis=0)", ".argsort(axis=0)"),
    ],
    (AIBR, "trace"): [
        ("alone in their cell", "return (right / candidates.sum(axis=1)).mean()", "return (candidates.sum(axis=1) == 1).mean()"),
        ("blind guess", "return (right / candidates.sum(axis=1)).mean()", "return 1 / len(original)"),
    ],
    (AIBR, "choice"): [
        ("best", "usable[usable].index.min()", "usable[usable].index.max()"),
        ("*Every* classifier", "usable = (loss < 0.02).groupby(\"k\").all()", "usable = loss.groupby(\"k\").mean() < 0.02"),
    ],
    (AIBR, "claim"): [
        ("standard error of the mean", "groups.sem()", "groups.std()"),
        ("weakest step", "z.min()", "z.max()"),
        ("each gets 1 %", "0.05 / len(z)", "0.05"),
    ],
    (OPTRR, "estimate"): [
        ("forgot to invert", "return inverse @ reported", "return reported"),
        ("Rows and columns are swapped", "np.linalg.inv(M)", "np.linalg.inv(M.T)"),
        ("Clipped", "return inverse @ reported", "return np.maximum(inverse @ reported, 0)"),
        ("covariances are missing", "np.diag(reported) - np.outer(reported, reported)", "np.diag(reported * (1 - reported))"),
    ],
    (OPTRR, "em"): [
        ("leaves the simplex", "return guess", "return np.linalg.solve(M, reported)"),
        ("clipped", "return guess", "cut = np.maximum(np.linalg.solve(M, reported), 0); return cut / cut.sum()"),
        ("garbled", "guess * (M.T @ (reported / (M @ guess)))", "M.T @ reported / (M.T @ reported).sum()"),
        ("Not converged", "range(20_000)", "range(10)"),
    ],
    (OPTRR, "claim"): [
        ("not looked at", "if (joint.max(axis=1) <= (delta + 1e-12) * joint.sum(axis=1)).all():", "if True:"),
        ("likeliest true x", "1 - joint.max(axis=1).sum()", "1 - joint.max(axis=0).sum()"),
    ],
    (OPTRR, "beat"): [
        ("0.98 or less", "range(15_000)", "range(0)"),
        ("transposed", "return M\n", "return M.T\n"),
        ("less than Warner's", "return M\n", "return 0.5 * np.eye(n) + 0.5 * M\n"),
    ],
    (WHICH, "guess"): [
        ("the whole record", "return told.max(axis=0).sum()", "return joint.max(axis=1).sum()"),
        ("reads the secret off it", "return told.max(axis=0).sum()", "return sum(row[secret == secret[row.argmax()]].sum() for row in joint)"),
        ("tells most", "return told.max(axis=0).sum()", "return (told.max(axis=0) / told.sum(axis=0)).max()"),
        ("prior is not used", "joint = M * prior", "joint = M / M.shape[1]"),
        ("differ from report to report", "told.max(axis=0).sum()", "told.sum(axis=1).max()"),
        ("as often as it occurs", "return told.max(axis=0).sum()", "return (told.max(axis=0) / told.sum(axis=0)).sum()"),
        ("the whole record", "max(prior[secret == s].sum() for s in values)", "prior.max()"),
        ("knows the prior", "max(prior[secret == s].sum() for s in values)", "1 / len(values)"),
    ],
    (WHICH, "others"): [
        ("how sure he is", "(row * true)", "(row * believed)"),
        ("people as they are", "(row * believed)", "(row * true)"),
        ("are swapped", "right = 0.0", "right, believed, true = 0.0, true, believed"),
    ],
    (WHICH, "post"): [
        ("to the left of A", "B @ np.linalg.inv(A)", "np.linalg.solve(A, B) if A.shape == B.shape else B", "if W.min() > -1e-9 else None", ""),
        ("negative entries: they are no chances", "return W if W.min() > -1e-9 else None", "return W"),
        ("cut off the negative", "return W if W.min() > -1e-9 else None", "return np.maximum(W, 0) / np.maximum(W, 0).sum(axis=0)"),
        ("takes B to A", "B @ np.linalg.inv(A)", "A @ np.linalg.pinv(B)", "if W.min() > -1e-9 else None", ""),
        ("You found nothing", "return W if W.min() > -1e-9 else None", "return None"),
    ],
    (WHICH, "same"): [
        ("One coin for each answer", "for group in groups:", "for group in [[i] for g in groups for i in g]:"),
        ("whole record", "for group in groups:", "for group in [sum(groups, [])]:"),
        ("are swapped", "M = np.ones", "theta = 1 - theta; M = np.ones"),
        ("all he needs", "    return None", "    return 0.5"),
        ("report that tells most", "told.max(axis=0).sum()", "(told.max(axis=0) / told.sum(axis=0)).max()"),
        ("prior is not used", "groups) * prior", "groups) / len(prior)"),
        ("the whole record", "secret == s", "np.arange(len(prior)) == s", "np.unique(secret)", "np.arange(len(prior))"),
    ],
}  # fmt: skip
MISTAKES = [
    Mistake(*task, tuple(zip(changes[::2], changes[1::2], strict=True)), words)
    for task, some in _TABLE.items()
    for words, *changes in some
]


def source(assignment: str):
    """The notebook with the solutions."""
    return nbformat.read(SOURCES / f"{assignment}.ipynb", as_version=4)


def grade_id(cell) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def make_mistake(notebook, mistake: Mistake):
    """Change the stored solution of one task; a change that finds nothing is an error."""
    for cell in notebook.cells:
        if grade_id(cell) == f"{mistake.task}-answer":
            for old, new in mistake.changes:
                assert old in cell.source, f"{mistake.assignment}/{mistake.task}: no {old!r}"
                cell.source = cell.source.replace(old, new)
            return notebook
    raise AssertionError(f"no task {mistake.task}")


def answered(assignment: str, mistake: Mistake | None = None):
    """What a student hands in: the student version with all answers, one of them perhaps wrong."""
    full = source(assignment)
    if mistake is not None:
        make_mistake(full, mistake)
    answers = {grade_id(cell): cell.source for cell in full.cells}
    handed_in = student_version(SOURCES / f"{assignment}.ipynb")
    for cell in handed_in.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            lines = answers[grade_id(cell)].split("\n")
            cell.source = "\n".join(line for line in lines if "### " not in line)
    return handed_in


def run_here(notebook, student: str) -> dict[str, str | None]:
    """Run a notebook's cells in this process, without a kernel and without the guard.

    What each test cell says: None if it is content, else its message.
    """
    os.environ["PPDM_STUDENT"] = student
    space: dict = {"student": student}
    said: dict[str, str | None] = {}
    try:
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            is_test = cell.metadata.get("nbgrader", {}).get("grade", False)
            try:
                exec(compile(cell.source, grade_id(cell) or "cell", "exec"), space)  # noqa: S102
                said |= {grade_id(cell): None} if is_test else {}
            except Exception as error:  # noqa: BLE001
                if is_test:
                    said[grade_id(cell)] = str(error)
    finally:
        del os.environ["PPDM_STUDENT"]
    return said


def nbgrader(course: Path, *words: str) -> str:
    """Run one of nbgrader's own commands in a course's folder; it calls alembic by name."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words], cwd=course, env={**os.environ, "PATH": path},
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def course_of(folder: Path, assignments) -> Path:
    """A course's folder for nbgrader, with these assignments in its gradebook."""
    build(SOURCES, folder / "built")
    course = folder / "built" / "nbgrader"
    for assignment in assignments:
        nbgrader(course, "generate_assignment", assignment)
    return course


def job(notebook, assignment: str = "00_primer", student: str = "ada", timeout: float = 20) -> dict:
    """What a checker is given for a notebook, or for some bytes."""
    data = notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode()
    return job_of(student, assignment, data, SOURCES / f"{assignment}.ipynb", timeout)
