"""The fence of imports: while an assignment is open, what would answer it cannot be imported.

The guard is raised by `begin` (at home as well, so that grading brings no surprise) and, when a
submission is graded, from the first moment. It is a fence, not a prison: at home, and in a kernel of
nbgrader's, a student who wants to climb it can. In a cell (`ppdm.course.cell`) there is nothing behind
it; there it only says why.
"""

from __future__ import annotations

import importlib.abc
import os
import sys
from pathlib import Path
from types import ModuleType

#: What is open: modules of the package, and names of `ppdm` itself.
MODULES = (
    "ppdm.course", "ppdm.data", "ppdm.files", "ppdm.plot", "ppdm.table",
    "ppdm.engines", "ppdm.folding", "ppdm.compiled", "ppdm.levels", "ppdm.coins",
)  # fmt: skip
NAMES = ("Domain", "Table", "count")
#: Printed characters a cell in a grading kernel; the rest is dropped.
LIMIT = 20_000
#: Bytes of memory of a grading kernel.
MEMORY = 4 << 30


def raise_in_notebook() -> None:
    """Raise the guard if this runs in IPython, where it holds for the whole session."""
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        close()


def start() -> None:
    """What nbgrader's kernel does first: guard, keep the output short, keep the checks fresh; and
    find out whose submission it is, so that the data belong to the folder, whatever was typed."""
    from IPython import get_ipython

    close()
    os.environ.setdefault("PPDM_STUDENT", _student_of(Path.cwd()))
    shell = get_ipython()
    shell.events.register("pre_run_cell", lambda info: _before_cell())
    shell.user_ns.setdefault("student", os.environ.get("PPDM_STUDENT", ""))
    _limit_memory()
    for name in ("stdout", "stderr"):
        setattr(sys, name, _Short(getattr(sys, name)))


def _student_of(folder: Path) -> str:
    """The student's name in nbgrader's folders; empty elsewhere.

    >>> _student_of(Path("/course/autograded/ada/00_primer"))
    'ada'
    """
    for above, below in zip(folder.parts, folder.parts[1:], strict=False):
        if above in ("autograded", "submitted"):
            return below
    return ""


def close() -> None:
    """Take every other part of the package away; a second time changes nothing."""
    import ppdm

    if any(isinstance(finder, _Fence) for finder in sys.meta_path):
        return
    for name in NAMES:  # which the package would look up, now or never
        setattr(ppdm, name, getattr(ppdm, name))
    for name in [name for name in sys.modules if name.startswith("ppdm.") and not _open(name)]:
        del sys.modules[name]
    for name in list(vars(ppdm)):
        if not (name.startswith("_") or name in NAMES or _open(f"ppdm.{name}")):
            delattr(ppdm, name)
    ppdm.__getattr__ = _explain
    sys.meta_path.insert(0, _Fence())


def _open(name: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in MODULES)


class _Fence(importlib.abc.MetaPathFinder):
    """Finds no module of the package but the open ones, and says why."""

    def find_spec(self, name: str, path=None, target: ModuleType | None = None):
        if name.startswith("ppdm.") and not _open(name):
            raise ImportError(_message(name))


def _explain(name: str):
    if name.startswith("__") or _open(f"ppdm.{name}"):
        raise AttributeError(name)  # an open module that is not loaded yet: Python looks for it
    raise ImportError(_message(f"ppdm.{name}"))


def _message(name: str) -> str:
    return f"{name} is not available in an assignment: it would answer a task. Write it yourself."


def _before_cell() -> None:
    """A cell starts: its output may be long again, and the checks are read anew from disk."""
    from ppdm import course
    from ppdm.course.assignments import ASSIGNMENTS

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, _Short):
            stream.left = LIMIT
    for module in (*ASSIGNMENTS.values(), "tell"):
        sys.modules.pop(f"ppdm.course.{module}", None)
        course.__dict__.pop(module, None)


def _limit_memory() -> None:
    """A submission that eats memory ends itself, not the machine (where the system can do that)."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass


class _Short:
    """A stream that drops what a cell prints beyond the limit."""

    def __init__(self, stream):
        self.stream, self.left = stream, LIMIT

    def write(self, text: str) -> int:
        if self.left > 0:
            self.stream.write(text[: self.left])
        self.left -= len(text)
        return len(text)

    def __getattr__(self, name: str):
        return getattr(self.stream, name)
