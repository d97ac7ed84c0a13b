"""What is known of each data set before a byte is read: files, columns, levels, licence, source.

All of it is written in `catalog.yml`, beside this file.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Column:
    """One column of a raw file: of words if it has levels, else of numbers."""

    name: str
    levels: tuple[str | int, ...] = ()
    means: str = ""


@dataclass(frozen=True)
class RawFile:
    """One raw file of the archive, as it was served there."""

    name: str
    rows: int
    sha256: str
    skip_lines: int = 0


@dataclass(frozen=True)
class Entry:
    """One data set: its files in reading order, its columns in file order, and its papers."""

    name: str
    title: str
    short: str
    files: tuple[RawFile, ...]
    columns: tuple[Column, ...]
    target: str
    licence: str
    citation: str
    id: str | None = None
    uci_id: int | None = None
    doi: str | None = None
    note: str = ""
    label_suffix: str = ""

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


def _entries() -> dict[str, Entry]:
    content = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))
    entries = {}
    for name, item in content.items():
        files = tuple(RawFile(**file) for file in item.pop("files"))
        columns = tuple(
            Column(column, tuple(words.get("levels", ())), words.get("means", ""))
            for column, words in item.pop("columns").items()
        )
        entries[name] = Entry(name, files=files, columns=columns, **item)
    return entries


CATALOG = _entries()
#: What a data set is called on every page.
SHORT = {name: entry.short for name, entry in CATALOG.items()}


def in_words(text: str) -> str:
    """A text with the names of data sets as pages have them.

    >>> in_words("breast-cancer-wisconsin, q = 0.3")
    'Breast Cancer, q = 0.3'
    """
    for name, words in SHORT.items():
        text = re.sub(rf"(?<![\w-]){name}(?![\w-])", words, text)
    return text


def names() -> list[str]:
    """The names that `load` knows.

    >>> names()
    ['adult', 'breast-cancer-wisconsin', 'congressional-voting', 'pima']
    """
    return list(CATALOG)


def entry(name: str) -> Entry:
    """The catalog's entry, or one sentence that lists the known names.

    >>> entry("pima").rows
    768
    """
    if name in CATALOG:
        return CATALOG[name]
    near = difflib.get_close_matches(str(name).lower(), CATALOG, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"no data set {name!r}; the known ones are {', '.join(CATALOG)}.{hint}")
