"""What a submission finds as `ppdm.course`: `begin`, and checks that say nothing.

The data come from the checker, over the pipe. A student's own calls of the checks do nothing
here: the points are decided elsewhere.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

CHECKS = ("primer", "surveys", "groups", "distortion", "matrices", "guesses", "tell")
_given: list = []


def begin_with(give) -> None:
    """What the checker sent."""
    _given[:] = [give]


def begin(assignment: str, student: str = "", seed: int = 0, **parameters) -> SimpleNamespace:
    """The data of this student, as they were sent."""
    if not _given:
        raise ValueError("this notebook has no data of its own")
    return SimpleNamespace(**_given[0]())


class _Silent(ModuleType):
    def __getattr__(self, name: str):
        if name.startswith("check_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)


if __name__ == "ppdm.course":  # in a cell, where this file has the place of the package
    for _name in CHECKS:
        _module = _Silent(f"ppdm.course.{_name}")
        sys.modules[_module.__name__] = _module
        globals()[_name] = _module
