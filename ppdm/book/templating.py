"""HTML from templates: `ppdm/book/templates`, in Jinja's language; what is filled in is escaped. And tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ppdm.places import PACKAGE

PAGES = Environment(
    loader=FileSystemLoader(PACKAGE / "book" / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


def fill(template: str, **values: Any) -> str:
    """A template, filled in.

    >>> fill("moved.html", goal="a<b").count("a&lt;b")
    2
    """
    return PAGES.get_template(template).render(values)


def table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table in Markdown, a card a row on a phone.

    >>> print(table(["a", "b"], [[1, "x"]]))
    {.stacked .carded}
    | a | b |
    | :-- | :-- |
    | 1 | x |
    <BLANKLINE>
    """
    heads = list(heads)
    lines = [heads, [":--"] * len(heads), *rows]
    return "\n".join(
        ["{.stacked .carded}", *(f"| {' | '.join(map(str, line))} |" for line in lines), ""]
    )
