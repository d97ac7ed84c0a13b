"""Runs the cells of a page, each from where the one above it ended, however often it is run.

The names of the page, and where its random numbers stand, are put back before a cell is run again. So
the same code gives the same numbers, and what was tried out further down leaves no trace.

>>> page = Page()
>>> page.run(0, "import random", "rng = random.Random(7)")["shown"]
[]
>>> first, again = (page.run(1, "", "rng.random()")["shown"] for _ in range(2))
>>> first == again
True
"""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import linecache
import random
import symtable
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

LONGEST = 20_000  # characters that one print may show


class Page:
    """A page's names, and what its cells show; `run` is called by the page's worker."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {}
        self.before: list[dict[str, Any]] = [{"__name__": "__main__", "display": self.display}]
        self.shown: list[tuple[str, str]] = []
        self.printed = io.StringIO()

    def run(self, number: int, hidden: str, source: str) -> dict[str, Any]:
        """Run cell `number`, counted from 0, after the `hidden` lines that its page does not show.

        Returns what it showed, as pairs of a kind ("text", "html") and its content, and its error
        with the line where it happened, or None.
        """
        del self.before[number + 1 :]
        self.space.clear()
        self.space.update(_as_it_stands(self.before[number]))
        self.shown, error, line = [], None, None
        name = f"code {number + 1}"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        with contextlib.redirect_stdout(self.printed), contextlib.redirect_stderr(self.printed):
            try:
                exec(compile(hidden, "hidden", "exec"), self.space)  # noqa: S102 - a notebook's own
                self._execute(source, name)
                self.before.append(_as_it_stands(self.space))
            except BaseException as problem:  # noqa: BLE001 - shown to the reader
                error, line = _in_words(problem, name)
        self._show_printed()
        return {"shown": self.shown, "error": error, "line": line}

    def _execute(self, source: str, name: str) -> None:
        tree = ast.parse(source, name)
        quiet = source.rstrip().endswith(";")
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, name, "exec"), self.space)  # noqa: S102
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), self.space)
            if value is not None and not quiet:
                self.display(value)

    def display(self, *values: object) -> None:
        """Show values as IPython does: as HTML if they have it, else as text."""
        self._show_printed()
        for value in values:
            html = value._repr_html_() if hasattr(value, "_repr_html_") else None
            self.shown.append(("text", repr(value)) if html is None else ("html", html))

    def _show_printed(self) -> None:
        text = self.printed.getvalue()
        if text:
            self.shown.append(("text", text[:LONGEST]))
            self.printed.seek(0)
            self.printed.truncate()


def _as_it_stands(space: dict[str, Any]) -> dict[str, Any]:
    """The same names; of a random generator a copy, as it would go on."""
    same: dict[int, Any] = {}
    return {
        name: copy.deepcopy(value, same)
        if isinstance(value, random.Random) or hasattr(type(value), "bit_generator")
        else value
        for name, value in space.items()
    }


def _in_words(problem: BaseException, name: str) -> tuple[str, int | None]:
    """The error as Python says it, without the lines of libraries; the line of cell `name`."""
    told = traceback.TracebackException.from_exception(problem)
    lines = [step.lineno for step in told.stack if step.filename == name]
    if isinstance(problem, SyntaxError) and problem.filename == name:
        lines.append(problem.lineno)
    told.stack = traceback.StackSummary.from_list(
        [step for step in told.stack if step.filename.startswith("code ")]
    )
    told.__cause__ = told.__context__ = None
    return "".join(told.format()), lines[-1] if lines else None


#: A library of one function, `backtrace`, that finds nothing: numpy looks for it with large arrays, as of
#: what called it, and the browser's C library lacks it. WebAssembly, written by hand.
_BACKTRACE = (
    "0061736d01000000000f0864796c696e6b2e3001040000000001070160027f7f017f0302010007"
    "0d01096261636b747261636500000a0601040041000b"
)


def mend() -> None:
    """Give numpy in a browser what it lacks there: a function of C, counts of 64 bits as indices, a few functions."""
    import ctypes

    import numpy as np
    import ppdm_few  # type: ignore[import-not-found]

    import ppdm.scientific

    library = Path(tempfile.gettempdir()) / "backtrace.so"
    library.write_bytes(bytes.fromhex(_BACKTRACE))
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)

    def narrow(values: Any) -> Any:
        array = np.asarray(values)
        return array.astype(np.intp) if array.dtype == np.int64 else values

    bincount, repeat = np.bincount, np.repeat
    np.bincount = lambda x, *rest, **named: bincount(narrow(x), *rest, **named)
    for name in ppdm_few.__all__:
        setattr(ppdm.scientific, name, getattr(ppdm_few, name))
    for module in ("sklearn.utils", "sklearn.utils.validation", "sklearn.utils.multiclass"):
        sys.modules[module] = ppdm_few  # where `ppdm.learn.bases` looks for its checks
    np.repeat = lambda a, repeats, *rest, **named: repeat(a, narrow(repeats), *rest, **named)


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that code sets or changes, and those that it uses.

    >>> binds, uses = names("import numpy as np; a[0] = [x + b for x in np.ones(c)]")
    >>> sorted(binds), sorted(uses)
    (['a', 'np'], ['a', 'b', 'c', 'np'])
    """
    top = symtable.symtable(source, "code", "exec")
    binds = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    uses = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    inner = list(top.get_children())
    while inner:  # functions and comprehensions, and those in them
        space = inner.pop()
        uses |= {s.get_name() for s in space.get_symbols() if s.is_global()}
        inner += space.get_children()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            while not isinstance(node, ast.Name) and hasattr(node, "value"):
                node = node.value
            binds.add(getattr(node, "id", ""))
    return binds & set(top.get_identifiers()), uses  # those of a function are its own


def bound(alias: ast.alias) -> str:
    """The name that a part of an import sets.

    >>> [bound(alias) for alias in ast.parse("import os.path, numpy as np").body[0].names]
    ['os', 'np']
    """
    return (alias.asname or alias.name).partition(".")[0]


def links(sources: list[str]) -> list[tuple[list[str], list[str]]]:
    """For each cell the names that it sets and those that it uses; none of one that cannot be read.

    >>> links(["a = 1", "b = a", "b ="])
    [(['a'], []), (['b'], ['a']), ([], [])]
    """
    pairs = []
    for source in sources:
        try:
            binds, uses = names(source)
        except SyntaxError:
            binds, uses = set(), set()
        pairs.append((sorted(binds), sorted(uses)))
    return pairs
