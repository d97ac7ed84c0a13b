"""Codes from files, pasted lists and a small server, set against the survey they belong to.

Nothing is lost: what is not counted (a code twice, a damaged one, one of another survey) is named
and kept. Nothing is kept that tells who answered or when: reports are stored in the order of their
random numbers, without addresses or times.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ppdm.contract import Survey
from ppdm.files import replace_file
from ppdm.survey.codes import Codes, Report, clean

#: A file of codes that is larger is none.
LARGEST = 50_000_000
#: What a line of a shared sheet may be cut by.
_HEADINGS = ("code", "codes", "report", "reports")
_CUT = re.compile(r"[\t;,\"']+")


@dataclass
class Collection:
    """The reports that count, and what was set aside with the reason."""

    survey: Survey
    reports: dict[str, Report] = field(default_factory=dict)
    aside: list[tuple[str, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.codes = Codes(self.survey)

    def add(self, text: str, source: str = "") -> str | None:
        """Take one code; None when it counts, else the sentence why not."""
        try:
            report = self.codes.read(text)
        except ValueError as error:
            return self._set_aside(text, source, str(error))
        before = self.reports.get(report.key)
        if before is None:
            self.reports[report.key] = report
            return None
        if before == report:
            return self._set_aside(text, source, "the same report came before")
        return self._set_aside(text, source, "another report of this respondent came before")

    def set_line_aside(self, line: str, source: str) -> None:
        """Keep a line in which nothing can be told to be the code."""
        self._set_aside(line, source, "nothing in the line is a code of this survey")

    def set_code_aside(self, code: str, source: str) -> None:
        """Keep a second code of a line, of which one counts."""
        self._set_aside(code, source, "another code stands before it in the line")

    def _set_aside(self, text: str, source: str, why: str) -> str:
        self.aside.append((source, text.strip()[:200], why))
        return why

    @property
    def frame(self) -> pd.DataFrame:
        """The reports, a row each, categorical with all levels, in the order of their numbers."""
        rows = [self.reports[key].levels for key in sorted(self.reports)]
        columns = list(zip(*rows, strict=True)) or [()] * len(self.survey.names)
        return pd.DataFrame(
            {
                name: pd.Categorical(list(column), categories=list(levels))
                for name, column, levels in zip(
                    self.survey.names, columns, self.codes.levels, strict=True
                )
            }
        )

    @property
    def set_aside(self) -> pd.DataFrame:
        """What does not count: where it stood, what it was, why."""
        return pd.DataFrame(self.aside, columns=["where", "code", "why"])


def collect(survey: Survey, sources: Iterable[str | Path | bytes]) -> Collection:
    """The reports of codes, of files of codes, and of folders of such files; bytes are what is in a file.

    In a line, the first thing that looks like a code of this survey is taken; empty lines and a first
    line of headings are passed over.

    >>> survey = Survey({"smokes": ["no", "yes"]},
    ...                 [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}])
    >>> code = Codes(survey).write(("yes",))
    >>> found = collect(survey, [code, code])
    >>> len(found.frame), found.set_aside["why"].tolist()
    (1, ['the same report came before'])
    """
    found = Collection(survey)
    for source in sources:
        for name, text in _texts(source):
            first = True
            for number, line in enumerate(text.splitlines(), 1):
                fields = [part.strip() for part in _CUT.split(line) if part.strip()]
                if fields:
                    where = f"{name}, line {number}" if name else ""
                    _take(found, line, fields, where, first)
                    first = False
    return found


def _texts(source: str | Path | bytes) -> Iterator[tuple[str, str]]:
    """Each text of a source with the name that it has; codes that were given have none."""
    if isinstance(source, bytes):
        yield "the input", _decoded(source)
        return
    path = Path(source)
    try:
        known = source != "" and path.exists()
    except (OSError, ValueError):  # a code that is no name of a file
        known = False
    if not known:
        if isinstance(source, Path) or ("/" in source or "." in source):
            raise ValueError(f"there is no file or folder {str(source)!r}")
        yield "", str(source)
        return
    if path.is_dir():
        for inner in sorted(
            p for p in path.iterdir() if p.suffix.lower() in (".txt", ".csv", ".tsv")
        ):
            yield from _texts(inner)
        return
    if not path.is_file():
        raise ValueError(f"{path} is no file of codes")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path.name} has more than {LARGEST:,} bytes: that is no list of codes")
    yield path.name, _decoded(path.read_bytes())


def _decoded(raw: bytes) -> str:
    """Bytes as text: UTF-8, else what a spreadsheet of before writes."""
    return (
        raw.decode("utf-8-sig", errors="replace")
        if _is_utf8(raw)
        else raw.decode("cp1252", "replace")
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _take(found: Collection, line: str, fields: list[str], where: str, first: bool) -> None:
    """Take what of a line is meant as a code: the first field that is one, else the first of about
    its length. Of several fields without either the whole line is set aside, a first line of headings not."""
    whole = found.codes.whole
    lengths = {part: _length(part) for part in fields}
    exact = (p for p in fields if lengths[p] == whole and _is_code(p, found.codes))
    about = (p for p in fields if abs(lengths[p] - whole) <= 1)
    meant = next(exact, None) or next(about, None)
    if meant is None and first and _are_headings(fields):
        return
    if meant is None and len(fields) > 1:
        found.set_line_aside(line, where)
    else:
        taken = meant or fields[0]
        found.add(taken, where)
        for other in fields:
            if other != taken and lengths[other] == whole and _is_code(other, found.codes):
                found.set_code_aside(other, where)


def _are_headings(fields: list[str]) -> bool:
    """Whether one field names the column of the codes, and none has a digit, as damaged codes have."""
    named = any(part.lower() in _HEADINGS for part in fields)
    return named and not any(letter.isdigit() for part in fields for letter in part)


def _length(text: str) -> int:
    """The letters of what may be a code, 0 if it is none."""
    try:
        return len(clean(text))
    except ValueError:
        return 0


def _is_code(text: str, codes: Codes) -> bool:
    try:
        codes.read(text)
    except ValueError:
        return False
    return True


class Store:
    """A file of codes that is never half written and keeps no order of arrival.

    Each accepted report is on the disk before it is confirmed: a kill loses none.

    >>> import tempfile
    >>> survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(survey, Path(folder) / "reports.txt")
    ...     first = store.accept(store.collection.codes.write((1,)))
    ...     (first, len(Store(survey, Path(folder) / "reports.txt").collection.reports))
    (None, 1)
    """

    def __init__(self, survey: Survey, path: Path):
        self.path, self.lock = Path(path), threading.Lock()
        self.collection = collect(survey, [self.path] if self.path.exists() else [])
        if self.collection.aside:
            where, _, why = self.collection.aside[0]
            raise ValueError(f"{where}: {why}; mend or move the file first")

    def accept(self, code: str) -> str | None:
        """Take one code; None when it counts, or counted already, else the sentence why not."""
        with self.lock:
            collection = self.collection
            try:
                report = collection.codes.read(code)
            except ValueError as error:
                return str(error)
            before = collection.reports.get(report.key)
            if before is not None:
                return None if before == report else "another report of this respondent came before"
            reports = {**collection.reports, report.key: report}
            self._write(reports)
            collection.reports = reports
            return None

    def _write(self, reports: dict[str, Report]) -> None:
        codes = self.collection.codes
        lines = [codes.write(reports[key].levels, reports[key].number) for key in sorted(reports)]
        replace_file(self.path, ("\n".join(lines) + "\n").encode())

    def frame(self) -> pd.DataFrame:
        """The reports so far."""
        with self.lock:
            return self.collection.frame
