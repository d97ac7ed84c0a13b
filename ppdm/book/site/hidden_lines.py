"""Which lines of a notebook its live cells need, of those that the page does not run.

A live cell uses names that cells before it set, and not all of those are live. Of the others just the lines that set
such names run in the reader's browser, each where it stands: before the live cell that follows it.
"""

from __future__ import annotations

import ast

from ppdm.book.site.in_page.run import bound, names


def hidden_lines(cells: list[tuple[str, bool]]) -> list[str]:
    """For each live cell the lines that must run before it.

    `cells` are the code cells of a notebook, in order: source, whether live. Read from the last line up, a line is
    needed if it sets a name that a needed line below uses, or draws from a random generator that one uses.

    >>> hidden_lines([("import os, math\\nn, m = 2, 3", False), ("1 + 1", True), ("a = math.sqrt(n)", True)])
    ['import math\\nn = 2', '']
    """
    drawn_from = _generators(cells)
    needed: set[str] = set()
    lines: list[list[str]] = []
    for source, live in reversed(cells):
        lines = [[], *lines] if live else lines
        for statement in reversed(
            [part for whole in ast.parse(source).body for part in _split(whole)]
        ):
            if isinstance(statement, ast.Import | ast.ImportFrom) and not live:
                statement.names = [alias for alias in statement.names if bound(alias) in needed]
                if not statement.names:
                    continue
            sets, uses = names(ast.unparse(statement))
            sets |= uses & drawn_from
            if not live and not sets & needed:
                continue
            if not live:
                lines[0].insert(0, ast.unparse(statement))
            if isinstance(statement, ast.For):
                uses -= _names_in(statement.target)
            sure = not isinstance(statement, ast.If | ast.For | ast.While | ast.Try | ast.With)
            needed = (needed - sets if sure else needed) | uses
    return ["\n".join(each) for each in lines]


def _generators(cells: list[tuple[str, bool]]) -> set[str]:
    """The names of random generators: who draws from one changes it.

    >>> _generators([("rng = np.random.default_rng(seed)\\nx = rng.random()", False)])
    {'rng'}
    """
    return {
        target.id
        for source, _ in cells
        for statement in ast.parse(source).body
        for part in _split(statement)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call)
        if ast.unparse(part.value.func).rpartition(".")[2] in ("default_rng", "Random")
        for target in part.targets
        if isinstance(target, ast.Name)
    }


def _split(statement: ast.stmt) -> list[ast.stmt]:
    """`a, b = x, y` as two statements, where neither value uses a name that is set."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
            targets
        ) == len(values) and not _names_in(*targets) & _names_in(*values):
            pairs = zip(targets, values, strict=True)
            return [ast.Assign([target], value, lineno=0) for target, value in pairs]
    return [statement]


def _names_in(*nodes: ast.expr) -> set[str]:
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}
