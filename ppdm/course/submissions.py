"""What was handed in: found in nbgrader's one layout, and looked at before it is opened.

    submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb

The folder's name is the student: nobody is guessed, and no two folders are one student. What lies
elsewhere is named in a remark, and not looked at. Nothing is followed: neither links nor pipes nor devices.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

LAYOUT = "STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb"
#: Bytes of a notebook that is opened, and entries of a folder that are looked at.
LARGEST, MOST_ENTRIES = 5_000_000, 200


class Submission(NamedTuple):
    """What one student handed in for one assignment: where the notebook is, or why there is none."""

    student: str
    assignment: str
    notebook: Path | None
    remarks: tuple[str, ...] = ()
    #: When, as nbgrader's own hand-in noted it.
    when: datetime | None = None

    def read(self) -> tuple[bytes, list[str]]:
        """The notebook's bytes, if it opens, and the remarks."""
        if self.notebook is None:
            return b"", [*self.remarks]
        data, problem = read_bytes(self.notebook)
        where = f"{self.student}/{self.assignment}/{self.notebook.name!r}"
        return data, [*self.remarks, *([f"{where} does not open: {problem}"] if problem else [])]


def find_submissions(
    folder: Path, assignments: Sequence[str]
) -> tuple[list[Submission], list[str]]:
    """Every submission, read; and a remark on whatever else lies in the folder."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; submissions lie in it as {LAYOUT}")
    submissions, remarks = [], []
    for student in _entries(folder, 1_000_000):
        where = f"{folder.name}/{student.name!r}"
        if not _is_folder(student):
            remarks.append(
                f"{where} is {_kind(student)} and was not looked at; a student is a folder"
            )
        elif not student.name.isprintable() or student.name != student.name.strip():
            remarks.append(f"{where} was not looked at: rename it, so that its name can be printed")
        else:
            for entry in _entries(Path(student.path)):
                if entry.name in assignments and _is_folder(entry):
                    submissions.append(_submission(student.name, entry))
                else:
                    remarks.append(f"{where} holds {entry.name!r}, {_kind(entry)}: it was not looked "
                                   f"at, the layout is {LAYOUT}")  # fmt: skip
    if not submissions:
        raise ValueError(
            f"nothing was handed in: the layout of {folder} is {LAYOUT}, and the assignments are "
            + ", ".join(assignments) + "".join(f"; {remark}" for remark in remarks[:3])
        )  # fmt: skip
    return submissions, remarks


def _submission(student: str, folder: os.DirEntry) -> Submission:
    """The notebook of the assignment's name, else the only one there is."""
    where, name = f"{student}/{folder.name}", f"{folder.name}.ipynb"
    entries = list(_entries(Path(folder.path)))
    notebooks = [entry for entry in entries if ".ipynb" in entry.name.lower()]
    chosen = [entry for entry in notebooks if entry.name == name] or notebooks
    remarks = []
    for entry in notebooks:
        if entry.name != name:
            done = "taken" if chosen == [entry] else "not looked at"
            remarks.append(f"{where}/{entry.name!r} was {done}")
    if len(chosen) != 1:
        seen = ", ".join(repr(entry.name) for entry in entries[:5]) or "nothing"
        return Submission(student, folder.name, None, (f"{where} holds no {name}, but {seen}",))
    path = Path(chosen[0].path)
    return Submission(student, folder.name, path, tuple(remarks[:5]), _when(path.parent))


def _when(folder: Path) -> datetime | None:
    text = read_bytes(folder / "timestamp.txt")[0][:19].decode("ascii", "replace")
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return None


def _entries(folder: Path, most: int = MOST_ENTRIES) -> Iterator[os.DirEntry]:
    """What lies in a folder, but what is hidden; of very much a part."""
    try:
        with os.scandir(folder) as items:
            seen = [item for item, _ in zip(items, range(most), strict=False)]
    except OSError:
        seen = []
    return iter(
        sorted((e for e in seen if not e.name.startswith(".")), key=lambda entry: entry.name)
    )


def _is_folder(entry: os.DirEntry) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _kind(entry: os.DirEntry) -> str:
    if entry.is_symlink():
        return "a link"
    return "a folder" if _is_folder(entry) else "a file" if entry.is_file() else "no plain file"


def read_bytes(path: Path) -> tuple[bytes, str]:
    """The content of a plain file, or what is wrong with it. It may change while it is opened."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return b"", "it is no plain file"
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(file, "rb") as opened:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return b"", "it is no plain file"
            data = opened.read(LARGEST + 1)
    except OSError as error:
        return b"", str(error.strerror)
    if len(data) > LARGEST:
        return b"", f"more than {LARGEST / 1e6:g} MB are too many"
    return data, "" if data else "it is empty"
