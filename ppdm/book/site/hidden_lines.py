"""Which lines of a notebook its live cells need, of those that the page does not run.

A live cell uses names that cells before it set, and not all of those are live: most are hidden. Of the
others just the lines that set such names run in the reader's browser, each right before the first live
cell that needs it.
"""

from __future__ import annotations

import ast

from ppdm.book.site.in_page.run import bound, names


def hidden_lines(cells: list[tuple[str, bool]]) -> list[str]:
    """For each live cell the lines that must run before it.

    `cells` are the code cells of a notebook, in order: source, whether live.

    >>> hidden_lines([("import os, math\\nn, m = 2, 3", False), ("1 + 1", True), ("a = math.sqrt(n)", True)])
    ['', 'import math\\nn = 2']
    """
    ready: list[ast.stmt] = []
    lines = []
    drawn_from = _generators(cells)
    for before, source in _needed(cells, drawn_from):
        ready += before
        sets, uses = _names(drawn_from, *ast.parse(source).body)
        now: list[ast.stmt] = []
        for statement in reversed(ready):
            binds, takes = _names(drawn_from, statement)
            if binds & (sets | uses) or takes & sets:
                now.insert(0, statement)
                sets, uses = sets | binds, uses | takes
        ready = [statement for statement in ready if statement not in now]
        lines.append("\n".join(map(ast.unparse, now)))
    return lines


def _generators(cells: list[tuple[str, bool]]) -> set[str]:
    """The names of random generators: who draws from one changes it.

    >>> _generators([("rng = np.random.default_rng(seed)\\nx = rng.random()", False)])
    {'rng'}
    """
    return {
        target.id
        for source, _ in cells
        for statement in map(_split, ast.parse(source).body)
        for part in statement
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call)
        if ast.unparse(part.value.func).rpartition(".")[2] in ("default_rng", "Random")
        for target in part.targets
        if isinstance(target, ast.Name)
    }


def _names(drawn_from: set[str], *statements: ast.stmt) -> tuple[set[str], set[str]]:
    binds, uses = names(*statements)
    return binds | (uses & drawn_from), uses


def _needed(
    cells: list[tuple[str, bool]], drawn_from: set[str]
) -> list[tuple[list[ast.stmt], str]]:
    """Each live cell with the lines between it and the live cell above that somebody below needs.

    Read from the last line up: a line is needed if it sets a name that a needed line below uses.
    """
    needed: set[str] = set()
    pairs: list[tuple[list[ast.stmt], str]] = []
    for source, live in reversed(cells):
        if live:
            pairs.insert(0, ([], source))
        for statement in reversed(
            [part for whole in ast.parse(source).body for part in _split(whole)]
        ):
            if isinstance(statement, ast.Import | ast.ImportFrom) and not live:
                statement.names = [alias for alias in statement.names if bound(alias) in needed]
            binds, uses = _names(drawn_from, statement)
            if not live and not binds & needed:
                continue
            if not live:
                pairs[0][0].insert(0, statement)
            if isinstance(statement, ast.For):
                uses -= names(statement.target)[0]
            sure = not isinstance(statement, ast.If | ast.For | ast.While | ast.Try | ast.With)
            needed = (needed - binds if sure else needed) | uses
    return pairs


def _split(statement: ast.stmt) -> list[ast.stmt]:
    """`a, b = x, y` as two statements, where neither value uses a name that is set."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
            targets
        ) == len(values) and not names(*targets)[0] & set().union(
            *(names(value)[1] for value in values)
        ):
            pairs = zip(targets, values, strict=True)
            return [ast.Assign([target], value, lineno=0) for target, value in pairs]
    return [statement]
