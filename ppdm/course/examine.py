"""One submission, examined: its code runs in a cell, the tests run here.

The notebook is gone through from top to bottom. What the lecturer wrote for everybody runs on both
sides, what the student wrote in the cell only, and tests here only, with the names of answers bound
to what they are in the cell: plain data, or functions that are called there.
"""

from __future__ import annotations

import ast
import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import nbformat

from ppdm.course import personal
from ppdm.course.cell import Cell, EndedError, LateError, RemoteError, Workshop

#: A submission as a whole may take so many times the time of one cell.
CELLS = 6
#: A message has at most so many characters.
LONGEST = 600
TOO_LONG = "was not run: the submission took too long as a whole"


def patience() -> float:
    """How much longer a cell may take, by the clock, because the machine has other work: a right
    answer must not be late for that. From 1, where it is idle, to 4."""
    try:
        busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):  # Windows
        return 1.0
    return min(max(busy, 1.0), 4.0)


class Piece(NamedTuple):
    """A code cell: whose it is, its name, what runs in the cell, and what runs here."""

    role: str  # "given", "answer" or "test"
    name: str
    theirs: str = ""
    ours: str = ""


def examine(
    pieces: Sequence[Piece], answers: set[str], student: str, timeout: float, workshop: Workshop
) -> tuple[dict[str, str | None], list[str]]:
    """What each test says (None: content), and remarks on cells that had to be stopped."""
    os.environ[personal.STUDENT] = student
    personal.forget()
    told = _Told(pieces, workshop, timeout)
    space: dict = {"student": student}
    said: dict[str, str | None] = {}
    try:
        for number, piece in enumerate(pieces):
            if piece.role == "given":
                exec(compile_cell(piece.ours, piece.name), space)  # noqa: S102 - the lecturer's own
                told.tell_data()
            if piece.role == "test":
                said[piece.name] = _test(piece, number, answers, space, told)
            else:
                told.run(number)
    finally:
        told.close()
        del os.environ[personal.STUDENT]
    return said, told.remarks


class _Told:
    """A cell and what it was told so far, so that another can be told the same if it is lost."""

    def __init__(self, pieces: Sequence[Piece], workshop: Workshop, timeout: float):
        self.pieces, self.workshop, self.timeout = pieces, workshop, timeout
        self.deadline = time.monotonic() + CELLS * timeout * patience()
        self.remarks: list[str] = []
        self.done: list[int] = []
        self.context: contextlib.AbstractContextManager[Cell] | None = None
        self.cell: Cell | None = None

    def run(self, number: int) -> None:
        """Let the cell run a piece; a remark if it had to be stopped."""
        reason = self.attempt(number, lambda cell: cell.run(self.pieces[number].theirs))
        if reason is None:
            self.done.append(number)

    def attempt(self, number: int, action) -> str | None:
        """Do something in the cell, within the time; the reason if it was stopped."""
        reason = self._attempt(action)
        if reason is not None:
            self.remarks.append(f"{self.pieces[number].name} {reason}")
        return reason

    def _attempt(self, action) -> str | None:
        try:
            cell = self._current()
            if cell is None:
                return TOO_LONG
            cell.allow(self._left())
            action(cell)
        except LateError as late:
            why = self._lose() if late.lost else None
            if why is not None:
                return why
            return f"ran longer than {self.timeout:g} seconds" + (
                ", and could not be interrupted" if late.lost else ""
            )
        except EndedError:
            return self._lose() or "ended its Python"
        return None

    def _left(self) -> float:
        return min(self.timeout * patience(), max(self.deadline - time.monotonic(), 0.05))

    def _current(self) -> Cell | None:
        """The cell, or a new one that was told the same; None if there is no time left."""
        while time.monotonic() < self.deadline:
            if self.cell is not None:
                return self.cell
            self.context = self.workshop.cell()
            self.cell = self.context.__enter__()
            self._tell_data()
            for number in list(self.done):
                cell = self.cell
                cell.allow(self._left())
                try:
                    cell.run(self.pieces[number].theirs)
                except LateError as late:
                    if late.lost:
                        self._leave_out(number)
                        break
                except EndedError:
                    self._leave_out(number)
                    break
        return None

    def _leave_out(self, number: int) -> None:
        """What went well once, and not when it was told again."""
        self._lose()
        self.done.remove(number)
        self.remarks.append(f"{self.pieces[number].name} ended its Python")

    def _tell_data(self) -> None:
        if self.cell is not None and personal.begun():
            self.cell.give(vars(personal.mine()))

    def tell_data(self) -> None:
        """The student's own data, as soon as they are known here."""
        self._tell_data()

    def _lose(self) -> str | None:
        why = self.cell.close() if self.cell is not None else None
        self.close()
        return {
            "memory": "needed more memory than there is for one submission",
            "processes": "started too many processes",
        }.get(why or "")

    def close(self) -> None:
        """End the cell."""
        context, self.context, self.cell = self.context, None, None
        if context is not None:
            context.__exit__(None, None, None)


def _test(piece: Piece, number: int, answers: set[str], space: dict, told: _Told) -> str | None:
    """What a test says of the answers in the cell."""
    wanted = sorted(names_of(piece.ours) & answers)
    code = compile_cell(piece.ours, piece.name)
    message = None

    def ask(cell: Cell) -> None:
        nonlocal message
        found = cell.find(wanted)
        for name in wanted:
            space.pop(name, None)
        space.update(found)
        try:
            exec(code, space)  # noqa: S102 - the lecturer's own
        except Exception as error:  # noqa: BLE001 - a test that is not content
            message = _says(error)

    reason = told.attempt(number, ask)
    return message if reason is None else f"This cell {reason}."


def _says(error: Exception) -> str:
    text = str(error)[:LONGEST]
    if isinstance(error, NameError):
        return f"{text}: the cell that should define it did not get that far"
    if isinstance(error, AssertionError):
        return text or "AssertionError"
    return f"{error.kind if isinstance(error, RemoteError) else type(error).__name__}: {text}"


def compile_cell(source: str, name: str):
    """Code of a trusted cell, with what a notebook allows."""
    try:
        return compile(source, name, "exec")
    except SyntaxError:
        from IPython.core.inputtransformer2 import TransformerManager

        return compile(TransformerManager().transform_cell(source), name, "exec")


def names_of(source: str) -> set[str]:
    """The names in a piece of code.

    >>> sorted(names_of("from a import b\\nb.check(f, [g for _ in range(2)])"))
    ['_', 'b', 'f', 'g', 'range']
    """
    return {node.id for node in ast.walk(_tree(source)) if isinstance(node, ast.Name)}


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        from IPython.core.inputtransformer2 import TransformerManager

        return ast.parse(TransformerManager().transform_cell(source))


def answer_names(source: Path) -> set[str]:
    """What the lecturer's solutions define: these names belong to the student in a test.

    >>> from ppdm.course.build import default_sources
    >>> sorted(answer_names(default_sources() / "00_primer.ipynb"))
    ['averaged', 'decide', 'estimate', 'my_plan', 'simulate', 'survey_plan']
    """
    names: set[str] = set()
    for cell in nbformat.read(source, as_version=4).cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution"):
            for node in _tree(cell.source).body:
                names |= _defined(node)
    return names


def _defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
