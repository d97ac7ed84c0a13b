"""Codes from files, pasted lists and a small server, set against the survey they belong to.

Nothing is lost: what is not counted (a code twice, a damaged one, one of another survey) is named
and kept. Nothing is kept that tells who answered or when: reports are stored in the order of their
random numbers, without addresses or times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from ppdm.contract import Survey
from ppdm.files import replace_file
from ppdm.survey.codes import Codes, Report, clean

#: A file of codes that is larger is none.
LARGEST = 50_000_000
#: What a line of a shared sheet may be cut by, and what may stand above its column of codes.
_CUT = re.compile(r"[\t;,\"']+")
_HEADINGS = {"code", "codes", "report", "reports"}
#: So many reports are taken by a server: enough for any hall, and no flood fills the disk.
MOST = 100_000
SAME = "the same report came before"


class Collection:
    """The reports that count, and what was set aside with the reason."""

    def __init__(self, survey: Survey):
        self.survey, self.codes = survey, Codes(survey)
        self.reports: dict[str, Report] = {}
        self.aside: list[tuple[str, str, str]] = []

    def take(self, code: str, seat: str = "") -> str | None:
        """Take one code; None when it counts, else the sentence why not."""
        try:
            report = self.codes.read(code)
        except ValueError as error:
            return str(error)
        if report.number in self.reports:
            same = self.reports[report.number] == report
            return SAME if same else "another report of this respondent came before"
        why = self._refuse(seat)
        if why is None:
            self.reports[report.number] = report
        return why

    def _refuse(self, seat: str) -> str | None:
        """Why somebody may not report; whoever has a code may."""

    def take_line(self, line: str, where: str = "", first: bool = False) -> None:
        """Take the first code of a line; what does not count is set aside, headings in a first line not."""
        fields = [part.strip() for part in _CUT.split(line) if part.strip()]
        doubts = {part: self._doubt(part) for part in fields}
        codes = [part for part, doubt in doubts.items() if not doubt]
        for place, code in enumerate(codes):
            why = self.take(code) if place == 0 else "another code stands before it in the line"
            if why:
                self.set_aside(code, where, why)
        if fields and not codes and not (first and _is_heading(fields)):
            meant = min(fields, key=lambda part: abs(len(part.replace("-", "")) - self.codes.whole))
            self.set_aside(line, where, doubts[meant])

    def _doubt(self, text: str) -> str:
        try:
            self.codes.read(text)
        except ValueError as error:
            return str(error)
        return ""

    def set_aside(self, text: str, where: str, why: str) -> None:
        """Keep what does not count."""
        self.aside.append((where, text.strip()[:200], why))

    @property
    def frame(self) -> pd.DataFrame:
        """The reports, a row each, categorical with all levels, in the order of their numbers."""
        rows = [self.reports[number].levels for number in sorted(self.reports)]
        columns = list(zip(*rows, strict=True)) or [()] * len(self.survey.names)
        parts = zip(self.survey.names, columns, self.codes.levels, strict=True)
        return pd.DataFrame({name: pd.Categorical(list(c), levels) for name, c, levels in parts})


def collect(survey: Survey, sources: Iterable[str | Path | bytes]) -> Collection:
    """The reports of codes, of files of codes, and of folders of such files; bytes are what is in a file.

    In a line, the first code of this survey is taken; empty lines and a first line of headings are
    passed over.

    >>> survey = Survey({"smokes": ["no", "yes"]},
    ...                 [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}])
    >>> code = Codes(survey).write(("yes",))
    >>> collection = collect(survey, [code, code])
    >>> len(collection.frame), collection.aside
    (1, [('', '...', 'the same report came before')])
    """
    collection = Collection(survey)
    for source in sources:
        for name, text in _texts(source):
            if text is None:
                collection.set_aside("", name, "a link, a pipe or a folder is not read")
                continue
            lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
            for number, line in lines:
                where = f"{name}, line {number}" if name else ""
                collection.take_line(line, where, first=number == lines[0][0])
    return collection


def _texts(source: str | Path | bytes) -> Iterator[tuple[str, str | None]]:
    """Each text of a source with its name (codes that were given have none); None for what is not read."""
    if isinstance(source, bytes):
        yield "the input", _decoded(source)
        return
    path = Path(source)
    try:
        exists = source != "" and path.exists()
    except (OSError, ValueError):  # a code that is no name of a file
        exists = False
    if not exists:
        if isinstance(source, Path) or "/" in source or "." in source:
            raise ValueError(f"there is no file or folder {str(source)!r}")
        yield "", str(source)
    elif path.is_dir():
        for inner in sorted(path.iterdir()):
            if inner.suffix.lower() in (".txt", ".csv", ".tsv"):
                plain = inner.is_file() and not inner.is_symlink()
                yield from _texts(inner) if plain else [(inner.name, None)]
    else:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise ValueError(
                f"{path.name} has more than {LARGEST:,} bytes: that is no list of codes"
            )
        yield path.name, _decoded(raw)


def _is_heading(fields: list[str]) -> bool:
    """Whether a field names the column of the codes, and none has a digit, as damaged codes have."""
    return any(part.lower() in _HEADINGS for part in fields) and not re.search(
        r"\d", "".join(fields)
    )


def _decoded(raw: bytes) -> str:
    """Bytes as text: UTF-8, else what a spreadsheet of before writes."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


class Store(Collection):
    """The reports of a server, and the files that it keeps them in: without order of arrival, never half
    written. Where seats were handed out, each is good for one report; which one is kept nowhere.

    >>> import tempfile
    >>> survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(survey, Path(folder) / "codes.txt")
    ...     first = store.take(store.codes.write((1,)))
    ...     write(store.files())
    ...     (first, len(Store(survey, Path(folder) / "codes.txt").reports))
    (None, 1)
    """

    def __init__(self, survey: Survey, path: Path, seats: Path | None = None):
        super().__init__(survey)
        self.paths = (Path(path), seats)
        if self.paths[0].exists():
            before = collect(survey, [self.paths[0]])
            for where, _, why in before.aside:
                raise ValueError(f"{where}: {why}; mend or move the file first")
            self.reports = before.reports
        self.seats = set(map(clean, seats.read_text().split())) if seats else None
        self.changed = False

    def _refuse(self, seat: str) -> str | None:
        if len(self.reports) >= MOST:
            return f"{MOST:,} reports are more than this server takes"
        if self.seats is not None:
            try:
                self.seats.remove(clean(seat))
            except (KeyError, ValueError):
                return "the letters of this seat were not handed out, or have been used"
        self.changed = True
        return None

    def files(self) -> dict[Path, bytes]:
        """What the files should hold now: each accepted code, and the seats that are free."""
        path, seats = self.paths
        codes = [self.codes.write(*self.reports[number][::-1]) for number in sorted(self.reports)]
        texts = {path: codes} | (
            {seats: sorted(self.seats)} if seats and self.seats is not None else {}
        )
        return {
            path: "".join(f"{line}\n" for line in lines).encode() for path, lines in texts.items()
        }


def write(files: dict[Path, bytes]) -> None:
    """Write each file in one step, the reports first."""
    for path, content in files.items():
        replace_file(path, content)
