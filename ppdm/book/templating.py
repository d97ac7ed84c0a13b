"""HTML from templates: `ppdm/book/templates`, in Jinja's language; what is filled in is escaped."""

from __future__ import annotations

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
