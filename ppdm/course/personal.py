"""A student's own data: drawn from her id, so that an answer cannot be copied as a number."""

from __future__ import annotations

import hashlib
import importlib
import os
from types import SimpleNamespace

from ppdm.course import guard
from ppdm.course.assignments import ASSIGNMENTS

#: The grading kernel says here whose submission it runs; what the notebook says does not count.
STUDENT = "PPDM_STUDENT"

_begun: list = []


def begin(assignment: str, student: str, seed: int, **parameters) -> SimpleNamespace:
    """Start an assignment: the data of this student.

    `seed` and the parameters belong to the course: change them in the notebook with the solutions,
    and every student gets other data. Within IPython the guard is raised as well.

    >>> begin("00_primer", "ada", seed=1).theta == begin("00_primer", "ADA ", seed=1).theta
    True
    """
    if assignment not in ASSIGNMENTS:
        raise ValueError(f"no assignment {assignment!r}; there are {', '.join(ASSIGNMENTS)}")
    student = os.environ.get(STUDENT) or student
    if not isinstance(student, str) or not student.strip():
        raise ValueError('write your student id between the quotes of `student = ""` and run again')
    guard.raise_in_notebook()
    _begun[:] = [(assignment, student, seed, parameters)]
    return mine()


def begun() -> bool:
    """Whether an assignment was begun."""
    return bool(_begun)


def forget() -> None:
    """Begin no assignment: what comes next is another student's."""
    _begun.clear()


def mine() -> SimpleNamespace:
    """The data of the assignment that was begun, drawn anew."""
    if not _begun:
        raise AssertionError("Run the cell with `begin(...)` first.")
    assignment, student, seed, parameters = _begun[0]
    module = importlib.import_module(f"ppdm.course.{ASSIGNMENTS[assignment]}")
    rng = getattr(module, "source", personal_rng)(assignment, student, seed)
    return SimpleNamespace(student=student.strip().lower(), **module.material(rng, **parameters))


def personal_rng(assignment: str, student: str, seed: int):
    """The random numbers that belong to one student, one assignment and one course: numpy's."""
    import numpy as np

    name = f"{assignment}/{student.strip().lower()}"
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype=np.uint32)
    return np.random.default_rng([seed, *words.tolist()])
