"""Old import paths, for one version more: each answers with the new one and says so.

CHANGELOG.md lists them. Remove this file, and the line in `ppdm/__init__.py`, with version 0.3.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
import warnings

TYPE_CHECKING = False  # see ppdm/__init__.py
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

MOVED = {
    "ppdm.testing": "ppdm.learn.accuracy",
    "ppdm.experiments": "ppdm.papers",
    "ppdm.distort.evidence": "ppdm.papers.aibr.evidence",
    "ppdm.distort.experiment": "ppdm.papers.aibr",
    "ppdm.distort.pictures": "ppdm.papers.aibr.pictures",
    "ppdm.distort.selection": "ppdm.papers.aibr.selection",
    "ppdm.optimise.experiment": "ppdm.papers.optrr",
    "ppdm.optimise.bench": "ppdm.book.bench.optimise",
    "ppdm.study.places": "ppdm.places",
    "ppdm.build": "ppdm.book.build",
    "ppdm.build.layout": "ppdm.places",
    "ppdm.build.settings": "ppdm.book.settings",
    "ppdm.site": "ppdm.book.site",
    "ppdm.check": "ppdm.book.check",
    "ppdm.bench": "ppdm.book.bench",
}


def new_name(old: str) -> str | None:
    """Where a module has gone; None for a name that never moved.

    >>> new_name("ppdm.testing"), new_name("ppdm.site.api"), new_name("ppdm.table")
    ('ppdm.learn.accuracy', 'ppdm.book.site.api', None)
    """
    for length in (3, 2):
        head, rest = ".".join(old.split(".")[:length]), old.split(".")[length:]
        if head in MOVED:
            return ".".join([MOVED[head], *rest])
    return None


class _Moved:
    """A finder and a loader; their abstract classes would cost half of the time of `import ppdm`."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        if new_name(fullname) is None:
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """A module as any other."""

    def exec_module(self, module: ModuleType) -> None:
        new = new_name(module.__name__) or module.__name__
        warnings.warn(f"{module.__name__} is now {new}", DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = importlib.import_module(new)


def answer_old_paths() -> None:
    """Let `import ppdm.testing` and the like find the new place."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Moved())  # before a folder that an old version left behind
