"""Where the book is read from and where it is built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The repository's root and one output folder, with the places inside both."""

    root: Path
    out: Path

    notebooks = property(lambda self: self.root / "notebooks")
    claims = property(lambda self: self.root / "book" / "claims")
    source = property(lambda self: self.out / "src", doc="the staged tree that is rendered")
    results = property(lambda self: self.out / "results", doc="what the chapters computed")
    stamps = property(lambda self: self.out / "stamps", doc="what the last good run was made of")
    work = property(lambda self: self.out / "work", doc="unfinished and failed pieces")
    html = property(lambda self: self.out / "html", doc="the finished site")


def find_root(start: Path | None = None) -> Path:
    """The book's root: the nearest folder above `start` (or above this package) that holds it."""
    starts = [Path(start or Path.cwd()).resolve(), Path(__file__).resolve().parent]
    for folder in (parent for begin in starts for parent in (begin, *begin.parents)):
        if (folder / "_config.yml").is_file() and (folder / "notebooks").is_dir():
            return folder
    raise ValueError(
        f"no book found in {starts[0]} or above it: "
        "go to the folder that holds _config.yml and notebooks/."
    )


def paper_layout(root: Path | None = None) -> Layout:
    """The full-size build, in `_build`."""
    root = root or find_root()
    return Layout(root, root / "_build")


def quick_layout(root: Path | None = None) -> Layout:
    """The quick build, in folders of its own, so that it never disturbs the full one."""
    root = root or find_root()
    return Layout(root, root / "_build" / "quick")


def single_layout(stem: str, root: Path | None = None) -> Layout:
    """One chapter with parameters of one's own."""
    root = root or find_root()
    return Layout(root, root / "_build" / "runs" / stem)
