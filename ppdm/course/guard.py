"""The fence of imports: while an assignment is open, what would answer it cannot be imported.

The guard is raised by `begin` (at home as well, so that grading brings no surprise) and behind the wall
from the first moment. It is a fence, not a prison: at home a student who wants to climb it can. Behind the
wall (`ppdm.course.wall`) there is nothing on its other side; there it only says why.
"""

from __future__ import annotations

import importlib.abc
import sys
from types import ModuleType

#: What is open: modules of the package, which alone lie behind the wall, and names of `ppdm` itself.
MODULES = (
    "ppdm.course", "ppdm.data", "ppdm.files", "ppdm.plot", "ppdm.table",
    "ppdm.engines", "ppdm.folding", "ppdm.compiled", "ppdm.levels", "ppdm.coins", "ppdm.chance",
    "ppdm.threads", "ppdm.domain", "ppdm.kinds", "ppdm.marks",
)  # fmt: skip
NAMES = ("Domain", "Table", "count")


def raise_in_notebook() -> None:
    """Raise the guard if this runs in IPython, where it holds for the whole session."""
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        close()


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
            raise ImportError(
                f"{name} is not available in an assignment: it would answer a task. Write it yourself."
            )


def _explain(name: str):
    if not name.startswith("__"):
        _Fence().find_spec(f"ppdm.{name}")
    raise AttributeError(name)  # an open module that is not loaded yet: Python looks for it
