"""The checker: one submission to a graded notebook, in a process of its own, with bounds of its own.

    python -m ppdm.course.checker < job > result        (`ppdm.course.grade` calls it; both are JSON)

The submission is put together anew: the student's answers, and the tests as they were handed out, with the
hidden ones. Then it is gone through from top to bottom. What the lecturer wrote for everybody runs on
both sides of the wall, what the student wrote behind it only, and tests here only, with the names of
answers bound to what they are behind the wall: plain data, or functions that are called there.

Whatever a student wrote is read, compared and written down here, within so much memory and processor
time; who exhausts them ends his own checker, and no other. No text of a student's meets a regular
expression.
"""

from __future__ import annotations

import ast
import base64
import builtins
import contextlib
import json
import os
import sys
import time
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ppdm.course import personal
from ppdm.course.wall import EndedError, LateError, NoSandboxError, Sandbox

#: Bytes of memory and seconds of work for one checker; by the clock, a submission may take so many
#: times the time limit of a piece.
MEMORY, WORK, TIMES = 3 << 30, 120, 8
#: Cells and characters of a notebook; characters of a piece that are written down, and of a message.
MOST_CELLS, MOST_TEXT, LONGEST, LONGEST_MESSAGE = 1_000, 1_000_000, 10_000, 600
TOO_LONG = "was not run: the submission took too long as a whole"


class Piece(NamedTuple):
    """A cell of a notebook; one that was handed out has nbgrader's name and note, and was blank then."""

    kind: str  # "code" or "markdown"
    source: str
    name: str = ""
    note: dict = {}  # noqa: RUF012 - never written to
    blank: str = ""

    @property
    def role(self) -> str:
        """Who wrote it, and what for: given, answer, test, essay, or the text of the assignment."""
        if not self.note.get("locked", self.kind == "markdown"):
            return "answer" if self.kind == "code" else "essay"
        return "test" if self.note.get("grade") else "given"


def main() -> None:
    """Read the job, do it within bounds, write the result."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (WORK, resource.RLIM_INFINITY))
    job, result = json.load(sys.stdin), os.dup(1)
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        answer = check(job)
    with open(result, "w", encoding="ascii") as file:
        json.dump(answer, file)


def check(job: dict) -> dict:
    """The cells of the graded notebook, and remarks; or the reason why there is no sandbox."""
    originals = [_piece(cell)._replace(blank=cell["blank"]) for cell in job["cells"]]
    if not job["notebook"]:
        return _nothing(originals)
    try:
        handed_in = read(base64.b64decode(job["notebook"]))
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the file
        return _nothing(originals, f"the notebook does not open: {type(error).__name__}: {error}")
    if not any(piece.name for piece in handed_in):
        return _nothing(originals, f"holds no cell of the assignment {job['assignment']}")
    pieces, changes = put_together(handed_in, originals)
    try:
        said, stops = examine(pieces, job["student"], job["timeout"])
    except NoSandboxError as error:
        return {"problem": str(error)}
    remarks = [*changes, *_typed_id(handed_in, job["student"]), *stops]
    return {"cells": [_written(piece, said) for piece in pieces], "remarks": [*map(_cut, remarks)]}


def _nothing(originals: list[Piece], *remarks: str) -> dict:
    said = {piece.name: "This cell was not run." for piece in originals}
    cells = [_written(piece._replace(source=piece.blank), said) for piece in originals]
    return {"cells": cells, "remarks": [*map(_cut, remarks)]}


# -- reading ---------------------------------------------------------------------------------------


def read(data: bytes) -> list[Piece]:
    """The cells of a notebook, and of them only kind, text and name."""
    cells = json.loads(data)["cells"]
    pieces = [_piece(cell)._replace(note={}) for cell in cells[:MOST_CELLS]]
    if len(cells) > MOST_CELLS or sum(len(piece.source) for piece in pieces) > MOST_TEXT:
        raise ValueError(f"up to {MOST_CELLS} cells and {MOST_TEXT} characters are read")
    return pieces


def _piece(cell: dict) -> Piece:
    source = "".join(cell.get("source", "")).encode("utf-8", "replace").decode("utf-8")
    note = (cell.get("metadata") or {}).get("nbgrader") or {}
    name = note.get("grade_id")
    return Piece(
        "code" if cell["cell_type"] == "code" else "markdown",
        source,
        name if isinstance(name, str) else "",
        note,
    )


def put_together(handed_in: list[Piece], originals: list[Piece]) -> tuple[list[Piece], list[str]]:
    """The student's answers among the original tests, in their order, and remarks on what was changed."""
    roles = {piece.name: piece.role for piece in originals if piece.name}
    own: dict[str, str] = {}
    added = defaultdict(list)
    remarks, place = [], ""
    for piece in handed_in:
        if piece.name in roles and piece.name not in own:
            place = piece.name
            own[place] = piece.source
            continue
        if piece.name in own:
            remarks.append(f"cell {piece.name!r} occurs twice; as a rule the first one counts")
        if piece.kind == "code" and roles.get(piece.name, "answer") == "answer":
            added[place].append(Piece("code", piece.source))
    pieces = added.pop("", [])
    for original in originals:
        name = original.name
        theirs = own.get(name, original.blank)
        if name and name not in own:
            remarks.append(f"cell {name!r} is missing; it was put back as it was handed out")
        if original.role in ("answer", "essay"):
            original = original._replace(source=theirs)
        elif theirs.strip() not in (original.source.strip(), original.blank.strip()):
            remarks.append(f"cell {name!r} was altered; the original was used")
        pieces += [original, *added.pop(name, [])]
    return pieces, remarks


def _typed_id(handed_in: list[Piece], student: str) -> list[str]:
    """A remark if the notebook names another student than its folder does."""
    for line in (line for piece in handed_in for line in piece.source.split("\n")):
        name, _, typed = line.partition("=")
        typed = typed.partition("#")[0].strip(" \t'\"")
        if name.strip() == "student" and typed.lower() not in ("", student.lower()):
            return [f"the notebook names the student {typed!r:.80}; the folder's name was used"]
    return []


# -- asking ----------------------------------------------------------------------------------------


def examine(
    pieces: Sequence[Piece], student: str, timeout: float
) -> tuple[dict[str, str | None], list[str]]:
    """What each test says (None: content), and remarks on pieces that had to be stopped."""
    os.environ[personal.STUDENT] = student
    personal.forget()
    titled = [
        (f"cell {piece.name!r}" if piece.name else f"cell number {number}", piece)
        for number, piece in enumerate(pieces, 1)
        if piece.kind == "code"
    ]
    space: dict = {"student": student}
    for title, piece in titled:
        if piece.role == "given":  # the lecturer's own, so is a test
            exec(_compiled(piece.source, title), space)  # noqa: S102
    talk = _Talk(timeout, vars(personal.mine()) if personal.begun() else {})
    said: dict[str, str | None] = {}
    try:
        for title, piece in titled:
            if piece.role == "test":
                said[piece.name] = talk.test(title, piece.source, space)
            else:
                talk.run(title, piece.blank if piece.role == "given" else piece.source)
    finally:
        talk.close()
        del os.environ[personal.STUDENT]
    return said, talk.remarks


class _Talk:
    """A sandbox, and what it was told so far: if it is lost, another is told the same."""

    def __init__(self, timeout: float, data: dict):
        self.timeout, self.data = timeout, data
        self.deadline = time.monotonic() + TIMES * timeout
        self.sandbox: Sandbox | None = None
        self.done: list[tuple[str, str]] = []
        self.remarks: list[str] = []

    def run(self, title: str, source: str) -> None:
        """Run a piece behind the wall."""
        if self._attempt(title, lambda sandbox: sandbox.run(source)) is None:
            self.done.append((title, source))

    def test(self, title: str, source: str, space: dict) -> str | None:
        """What a test says of the answers."""
        message = None
        names = {node.id for node in ast.walk(_tree(source)) if isinstance(node, ast.Name)}

        def ask(sandbox: Sandbox) -> None:
            nonlocal message
            own = dict(space)
            try:
                for name in sorted(names - set(space) - set(dir(builtins))):
                    with contextlib.suppress(NameError):  # the test says so
                        own[name] = sandbox.value(name)
                exec(_compiled(source, title), own)  # noqa: S102 - the lecturer's own
            except Exception as error:  # noqa: BLE001 - a test that is not content
                message = _words(error)

        reason = self._attempt(title, ask)
        return message if reason is None else f"This cell {reason}."

    def _attempt(self, title: str, action) -> str | None:
        """Do something with the sandbox, within the time; the reason if it was stopped."""
        try:
            if (sandbox := self._current()) is not None:
                self._allow(sandbox)
                action(sandbox)
                return None
            reason = TOO_LONG
        except LateError as error:
            reason = f"ran longer than {self.timeout:g} seconds"
            if error.lost:
                reason += ", and could not be interrupted"
                self.close()
        except EndedError:
            reason = "ended its Python"
            self.close()
        self.remarks.append(f"{title} {reason}")
        return reason

    def _allow(self, sandbox: Sandbox) -> None:
        sandbox.allow(min(self.timeout, max(self.deadline - time.monotonic(), 0.1)))

    def _current(self) -> Sandbox | None:
        """The sandbox, or a new one that is told the same; None if there is no time left."""
        while time.monotonic() < self.deadline:
            if self.sandbox is not None:
                return self.sandbox
            self.sandbox = Sandbox()
            self._allow(self.sandbox)
            self.sandbox.give(self.data)
            told, self.done = self.done, []
            for title, source in told:  # what went well once, and not again, is left out
                self.run(title, source)
        return None

    def close(self) -> None:
        """End the sandbox."""
        sandbox, self.sandbox = self.sandbox, None
        if sandbox is not None:
            sandbox.close()


def _words(error: Exception) -> str:
    text = str(error)
    if isinstance(error, NameError):
        text = f"{text}: the cell that should define it did not get that far"
    elif not (isinstance(error, AssertionError) and text):
        text = f"{getattr(error, 'kind', type(error).__name__)}: {text}"
    return _cut(text)


def _tree(source: str) -> ast.Module:
    """A trusted piece of code, with what a notebook allows."""
    try:
        return ast.parse(source)
    except SyntaxError:
        from IPython.core.inputtransformer2 import TransformerManager

        return ast.parse(TransformerManager().transform_cell(source))


def _compiled(source: str, title: str):
    return compile(_tree(source), title, "exec")


# -- writing ---------------------------------------------------------------------------------------


def show(text: str) -> str:
    """Text that can be shown: no characters that steer instead of being seen.

    >>> show("a\\x1b[0m\\u202e\\n")
    'a�[0m�\\n'
    """
    steering = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in steering else "�" for c in text
    )


def _cut(text: str) -> str:
    return show(text[:LONGEST_MESSAGE])


def _written(piece: Piece, said: dict) -> dict:
    """A cell of the graded notebook. A test that is not content ends in an error, as nbgrader expects."""
    source = piece.blank
    if piece.role in ("answer", "essay") and piece.source.strip() not in ("", source.strip()):
        source = show(piece.source[:LONGEST]) + "\n[cut off here]" * (len(piece.source) > LONGEST)
        if piece.kind == "markdown":  # a student's text, and no markup
            source = source.replace("&", "&amp;").replace("<", "&lt;")
    note = {"nbgrader": piece.note} if piece.note else {}
    cell: dict = {"cell_type": piece.kind, "source": source, "metadata": note}
    if piece.kind == "code":
        cell |= {"outputs": [], "execution_count": None}
        if piece.role == "test" and (message := said[piece.name]) is not None:
            cell["outputs"] = [{"output_type": "error", "ename": "Test", "evalue": message, "traceback": [message]}]  # fmt: skip
    return cell


if __name__ == "__main__":
    main()
