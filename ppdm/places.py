"""Where things are kept: the repository, what a build reads and writes, results, the kept points."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

#: The folder of this package.
PACKAGE = Path(__file__).resolve().parent
#: What stands behind the machinery's door: no chapter's numbers depend on it.
MACHINERY = ("book", "course", "cli", "__main__")


def computes(path: Path) -> bool:
    """Whether a chapter's numbers may depend on a file of the package.

    >>> computes(PACKAGE / "table.py"), computes(PACKAGE / "book" / "bench.py")
    (True, False)
    """
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py") not in MACHINERY


def find_root(start: Path | None = None) -> Path:
    """The book's root: the nearest folder above `start` (or above this package) that holds it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     (Path(folder) / "notebooks").mkdir()
    ...     (Path(folder) / "_config.yml").touch()
    ...     find_root(Path(folder) / "notebooks") == Path(folder).resolve()
    True
    """
    starts = [Path(start or Path.cwd()).resolve(), PACKAGE]
    for folder in (parent for begin in starts for parent in (begin, *begin.parents)):
        if (folder / "_config.yml").is_file() and (folder / "notebooks").is_dir():
            return folder
    raise ValueError(
        f"no book found in {starts[0]} or above it: "
        "go to the folder that holds _config.yml and notebooks/."
    )


def repository() -> Path | None:
    """The book's root around the working folder, else around the package; None outside of one.

    >>> repository() is None or (repository() / "notebooks").is_dir()
    True
    """
    try:
        return find_root()
    except ValueError:
        return None


@dataclass(frozen=True)
class Layout:
    """The repository's root and one output folder, with the places inside both.

    >>> Layout(Path("book"), Path("book/_build")).html.as_posix()
    'book/_build/html'
    """

    root: Path
    out: Path

    notebooks = property(lambda self: self.root / "notebooks")
    claims = property(lambda self: self.root / "book" / "claims")
    source = property(lambda self: self.out / "src", doc="the staged tree that is rendered")
    results = property(lambda self: self.out / "results", doc="what the chapters computed")
    stamps = property(lambda self: self.out / "stamps", doc="what the last good run was made of")
    work = property(lambda self: self.out / "work", doc="unfinished and failed pieces")
    html = property(lambda self: self.out / "html", doc="the finished site")


def paper_layout(root: Path | None = None) -> Layout:
    """The full-size build, in `_build`.

    >>> paper_layout(Path("book")).results.as_posix()
    'book/_build/results'
    """
    root = root or find_root()
    return Layout(root, root / "_build")


def quick_layout(root: Path | None = None) -> Layout:
    """The quick build, in folders of its own, so that it never disturbs the full one.

    >>> quick_layout(Path("book")).results.as_posix()
    'book/_build/quick/results'
    """
    root = root or find_root()
    return Layout(root, root / "_build" / "quick")


def single_layout(stem: str, parameters: dict[str, object], root: Path | None = None) -> Layout:
    """One chapter with parameters of one's own, in a folder that is named by them.

    >>> single_layout("03_aibr", {"seed": 8}, Path("book")).out.as_posix()
    'book/_build/runs/03_aibr/seed-8'
    """
    root = root or find_root()
    return Layout(root, root / "_build" / "runs" / stem / run_name(parameters))


def run_name(parameters: dict[str, object]) -> str:
    """A folder's name for the parameters of a run, no two of them alike.

    >>> run_name({"seed": 8, "reps": 50}), run_name({})
    ('reps-50,seed-8', 'as_in_the_book')
    >>> run_name({"points": [0, 0.1, 0.5, 1]})
    'points-0,-0.1,-0.5,-1-f83bfc6a'
    """
    if not parameters:
        return "as_in_the_book"
    exact = json.dumps(parameters, sort_keys=True)
    plain = ",".join(f"{name}-{parameters[name]}" for name in sorted(parameters))
    short = re.sub(r"[^\w.,]+", "-", plain).strip("-")[:60]
    sure = short == plain and not any(isinstance(v, str) for v in parameters.values())
    return short if sure else f"{short}-{hashlib.sha256(exact.encode()).hexdigest()[:8]}"


def find_notebooks(root: Path) -> list[Path]:
    """The book's notebooks, in reading order: 00_..., 01_electronic_surveys, 01_beyond, 02_...

    >>> find_notebooks(Path("a folder without a book"))
    []
    """
    found = (root / "notebooks").glob("[0-9][0-9]_*.ipynb")
    return sorted(found, key=reading_order)


def reading_order(notebook: Path) -> tuple[str, bool, str]:
    """Sorts the book's notebooks: a chapter's second page after its first.

    >>> [p.stem for p in sorted(map(Path, ["02_x.ipynb", "01_beyond.ipynb", "01_x.ipynb"]), key=reading_order)]
    ['01_x', '01_beyond', '02_x']
    """
    return notebook.stem[:2], notebook.stem[2:] == BEYOND, notebook.stem


#: The second page of a chapter, what goes beyond its paper, is called by the chapter's number and this.
BEYOND = "_beyond"


def results_folder() -> Path:
    """PPDM_RESULTS, else `_build/results` of the repository (or of the working folder).

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, PPDM_RESULTS="results of mine"):
    ...     results_folder().name
    'results of mine'
    """
    named = os.environ.get("PPDM_RESULTS")
    return Path(named).resolve() if named else (repository() or Path.cwd()) / "_build" / "results"


def cache_folder() -> Path:
    """PPDM_CACHE, else `_build/cache` of the repository, else the user's cache folder.

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, PPDM_CACHE="points of mine"):
    ...     cache_folder().name
    'points of mine'
    """
    named = os.environ.get("PPDM_CACHE")
    if named:
        return Path(named).resolve()
    home = repository()
    if home:
        return home / "_build" / "cache"
    import platformdirs

    return Path(platformdirs.user_cache_dir("ppdm"))


def claims_folder() -> Path | None:
    """`book/claims` of the repository; None outside of one.

    >>> claims_folder() is None or claims_folder().parent.name == "book"
    True
    """
    home = repository()
    return home / "book" / "claims" if home else None
