"""What was handed in: found in the folders of several platforms, looked at before it is opened.

    FOLDER/<student>/<assignment>.ipynb      or deeper, as nbgrader collects them
    FOLDER/<name>_<number>_assignsubmission_file.../...             Moodle
    FOLDER/<name>_<number>_assignsubmission_file_<assignment>.ipynb Moodle, without folders
    FOLDER/<name>[_LATE]_<number>_<number>_<assignment>.ipynb       Canvas
    FOLDER/<last>_<first>_<login>_<number>/<assignment>.ipynb       ILIAS

Nothing is followed: neither links nor pipes nor devices. Whatever is odd is a remark.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

#: A larger file is not opened, a notebook with more cells or more text not read.
LARGEST, MOST_CELLS, MOST_TEXT = 20_000_000, 2_000, 2_000_000
#: A folder is not searched deeper, nor for longer.
DEEPEST, MOST_ENTRIES, MOST_REMARKS = 8, 5_000, 20
NOTEBOOK = re.compile(r"(?P<stem>.+?)\.ipynb(\.txt|\.json)?", re.IGNORECASE | re.DOTALL)
PACKED = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
MOODLE = re.compile(
    r"(?P<student>.+_\d+)_assignsubmission_(file|onlinetext)_?(?P<rest>.*)", re.DOTALL
)
CANVAS = re.compile(r"(?P<name>[^\W_]+)_(LATE_)?(?P<user>\d+)_\d+_(?P<rest>.+)", re.DOTALL)
ILIAS = re.compile(r"[^_]+_[^_]+_(?P<student>.+)_\d+", re.DOTALL)


class Submission(NamedTuple):
    """What one student handed in for one assignment; `path` is None if nothing."""

    student: str
    assignment: str
    path: Path | None
    remarks: tuple[str, ...] = ()
    #: Whether the name of the student comes from a platform, and not from the student's id.
    exported: bool = False


class Entry(NamedTuple):
    """A file that may be a notebook of a student."""

    path: Path
    name: str  # as the student called it


def find_submissions(folder: Path, assignments: Sequence[str]) -> list[Submission]:
    """Every student with every assignment that somebody handed in."""
    if folder.is_file() and folder.name.lower().endswith(PACKED):
        raise ValueError(f"{folder.name} is packed: unpack it into a folder first, and give that")
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; give the one that holds a folder a student")
    students, remarks, exported = _students(folder)
    if not students:
        raise ValueError(
            f"{folder} holds no folder; one is needed for each student, by her id"
            + _hint_of_packed(folder)
        )
    found = {student: _sort(entries, assignments) for student, entries in students.items()}
    handed_in = [a for a in assignments if any(a in of for of, _ in found.values())]
    if not handed_in:
        seen = [r for who in students for r in (*remarks[who], *found[who][1])][:3]
        raise ValueError(
            f"no notebook in {folder} has the name of an assignment: "
            + ", ".join(assignments)
            + "".join(f"; {r}" for r in seen)
        )
    submissions = []
    for student, (notebooks, others) in found.items():
        for assignment in handed_in:
            entries = notebooks.get(assignment, [])
            more = [
                f"{show(e.path.name)} was not looked at: {show(entries[0].path.name)} was"
                for e in entries[1:]
            ]
            path = entries[0].path if entries else None
            said = (*remarks[student], *others, *more)[:MOST_REMARKS]
            submissions.append(Submission(student, assignment, path, said, student in exported))
    return submissions


def _hint_of_packed(folder: Path) -> str:
    packed = sorted(p.name for p in folder.iterdir() if p.name.lower().endswith(PACKED))
    return f"; {show(packed[0])} is packed: unpack it first" if packed else ""


def _students(folder: Path) -> tuple[dict[str, list[Entry]], dict[str, list[str]], set[str]]:
    """The files of each student, remarks on them, and who is called as a platform calls her."""
    students: dict[str, list[Entry]] = {}
    remarks: dict[str, list[str]] = {}
    exported: set[str] = set()
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        student, rest = _whose(path)
        if student is None:
            continue
        if rest is not None:
            exported.add(student)
        own, said = students.setdefault(student, []), remarks.setdefault(student, [])
        if path.is_symlink():
            said.append(f"{show(path.name)} is a link and was not followed")
        elif path.is_dir():
            entries, odd = _search(path)
            own += entries
            said += odd
        elif rest:
            own.append(Entry(path, rest))
    return students, remarks, exported


def _whose(path: Path) -> tuple[str | None, str | None]:
    """The student whose folder or file this is, and what a platform has left of a file's name."""
    name = show(path.name)
    moodle = MOODLE.fullmatch(name)
    if moodle:
        return moodle["student"], moodle["rest"]
    if path.is_dir() and not path.is_symlink():
        ilias = ILIAS.fullmatch(name)
        return (ilias["student"], "") if ilias else (name, None)
    canvas = CANVAS.fullmatch(name)
    if canvas:
        return f"{canvas['name']}_{canvas['user']}", canvas["rest"]  # names occur twice
    if path.is_symlink() and not NOTEBOOK.fullmatch(name):
        return name, None
    return None, None


def _search(folder: Path) -> tuple[list[Entry], list[str]]:
    """The notebooks below a student's folder, and remarks on what looks like one or hides one."""
    entries, remarks = [], []
    for number, (item, deep) in enumerate(_walk(folder, 0)):
        if number >= MOST_ENTRIES or deep > DEEPEST:
            remarks.append(f"{show(folder.name)} holds too much; a part of it was not looked at")
            break
        name = show(item.name)
        if item.name.lower().endswith(PACKED):
            remarks.append(f"{name} is packed: unpack it and grade again")
        if not NOTEBOOK.fullmatch(name):
            continue
        kind = _kind(item)
        if kind == "file":
            entries.append(Entry(Path(item.path), name))
        else:
            remarks.append(f"{name} is {kind} and was not opened")
    return entries, remarks


def _walk(folder: Path, deep: int) -> Iterator[tuple[os.DirEntry, int]]:
    try:
        with os.scandir(folder) as found:
            items = []
            for item in found:
                items.append(item)
                if len(items) > MOST_ENTRIES:
                    break
    except OSError:
        return
    for item in sorted(items, key=lambda item: item.name):
        if item.name == ".ipynb_checkpoints":
            continue
        yield item, deep
        if item.is_dir(follow_symlinks=False) and deep <= DEEPEST:
            yield from _walk(Path(item.path), deep + 1)


def _kind(item: os.DirEntry) -> str:
    try:
        mode = item.stat(follow_symlinks=False).st_mode
    except OSError:
        return "not to be read"
    kinds = {
        stat.S_ISREG: "file",
        stat.S_ISDIR: "a folder",
        stat.S_ISLNK: "a link",
        stat.S_ISFIFO: "a pipe",
        stat.S_ISSOCK: "a socket",
    }
    return next((word for test, word in kinds.items() if test(mode)), "a device")


def _sort(
    entries: list[Entry], assignments: Sequence[str]
) -> tuple[dict[str, list[Entry]], list[str]]:
    """A student's notebooks by assignment, the exact names first, and remarks on the others."""
    notebooks: dict[str, list[Entry]] = {}
    remarks = []
    for entry in sorted(entries, key=lambda e: (len(e.name), str(e.path))):
        stem = NOTEBOOK.fullmatch(entry.name)
        words = stem["stem"] if stem else ""
        fits = [
            a for a in assignments if re.search(rf"(^|[\W_]){re.escape(a)}", words, re.IGNORECASE)
        ]
        if fits:
            notebooks.setdefault(max(fits, key=len), []).append(entry)
        elif stem:
            remarks.append(f"{entry.name} has the name of no assignment and was not looked at")
        elif entry.name.lower().endswith(PACKED):
            remarks.append(f"{entry.name} is packed: unpack it and grade again")
        else:
            remarks.append(f"{entry.name} is no notebook and was not looked at")
    return notebooks, remarks


def show(name: str) -> str:
    """A name that can be printed: no control characters, no halves of characters.

    >>> show("a\\nb\\x1b[0m")
    'a?b?[0m'
    """
    text = name.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isprintable() else "?" for c in text)


def file_name(student: str) -> str:
    """A name for a student's files that every disk takes.

    >>> file_name("ada"), file_name("Ada L_12")
    ('ada', 'Ada L_12')
    >>> file_name("../x") == file_name("../x") != file_name("..?x")
    True
    """
    if re.fullmatch(r"[\w@+-][\w.@ +-]{0,80}", student) and not student.endswith((".", " ")):
        return student
    plain = re.sub(r"[^\w@+-]+", "-", student)[:60]
    return f"{plain}-{hashlib.sha256(student.encode()).hexdigest()[:10]}"


# -- opening -----------------------------------------------------------------------------------


def read_bytes(path: Path) -> tuple[bytes, str]:
    """The content of a plain file, or what is wrong with it. It may change while it is opened."""
    name = show(path.name)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return b"", f"{name} does not open: it is no plain file"
        file = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        return b"", f"{name} does not open: {error.strerror}"
    try:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode):
            return b"", f"{name} does not open: it is no plain file"
        if about.st_size > LARGEST:
            return b"", f"{name} does not open: {about.st_size / 1e6:.0f} MB are too many"
        with os.fdopen(os.dup(file), "rb") as opened:
            data = opened.read(LARGEST + 1)
        return (data, "") if len(data) <= LARGEST else (b"", f"{name} does not open: it grows")
    except OSError as error:
        return b"", f"{name} does not open: {error.strerror}"
    finally:
        os.close(file)


def read_notebook(data: bytes, name: str) -> tuple[NotebookNode | None, str]:
    """The cells of a notebook, and of them only type, text and name; or what is wrong with it."""
    try:
        notebook = json.loads(_decoded(data))
        if not isinstance(notebook, dict) or not isinstance(_cells(notebook), list):
            raise ValueError("it holds no cells")
        cells = _cells(notebook)
        if len(cells) > MOST_CELLS:
            raise ValueError(f"{len(cells)} cells are too many")
        read = [_cell(cell) for cell in cells]
        if sum(len(cell.source) for cell in read) > MOST_TEXT:
            raise ValueError("its cells hold too much text")
    except RecursionError:
        return None, f"{name} does not open: it is nested too deeply"
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the file
        return None, f"{name} does not open: {type(error).__name__}: {show(str(error)):.100}"
    return NotebookNode(cells=read, metadata=NotebookNode(), nbformat=4, nbformat_minor=5), ""


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")


def _cells(notebook: dict):
    sheets = notebook.get("worksheets")  # a notebook of before 2015
    return sheets[0]["cells"] if sheets and "cells" not in notebook else notebook.get("cells")


def _cell(cell: dict) -> NotebookNode:
    kind, text = cell["cell_type"], cell.get("source", cell.get("input", ""))
    source = text if isinstance(text, str) else "".join(text)
    kind = "markdown" if kind == "heading" else kind
    if kind not in ("code", "markdown", "raw"):
        raise ValueError(f"a cell of the type {kind!r:.40}")
    source = source.encode("utf-8", "replace").decode("utf-8")
    made = NotebookNode(cell_type=kind, source=source, metadata=NotebookNode())
    noted = cell.get("metadata") or {}
    name = noted.get("nbgrader", {}).get("grade_id") if noted else None
    if isinstance(name, str):
        made.metadata["nbgrader"] = NotebookNode(grade_id=name)
    return made
