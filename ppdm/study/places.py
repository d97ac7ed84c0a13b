"""Where things are kept: the repository, results, the cell cache."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def repository() -> Path | None:
    """The repository around the working folder, else around the package; None outside of one.

    >>> repository() is None or (repository() / "ppdm").is_dir()
    True
    """
    package = Path(__file__).resolve().parents[2]
    for folder in [Path.cwd(), *Path.cwd().parents, package]:
        if (folder / "pyproject.toml").is_file() and (folder / "book").is_dir():
            return folder
    return None


def results_folder() -> Path:
    """PPDM_RESULTS, else `_build/results` of the repository (or of the working folder)."""
    named = os.environ.get("PPDM_RESULTS")
    return Path(named).resolve() if named else (repository() or Path.cwd()) / "_build" / "results"


def cache_folder() -> Path:
    """PPDM_CACHE, else `_build/cache` of the repository, else the user's cache folder."""
    named = os.environ.get("PPDM_CACHE")
    if named:
        return Path(named).resolve()
    home = repository()
    return home / "_build" / "cache" if home else Path(platformdirs.user_cache_dir("ppdm"))


def claims_folder() -> Path | None:
    """`book/claims` of the repository; None outside of one."""
    home = repository()
    return home / "book" / "claims" if home else None
