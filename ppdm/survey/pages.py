"""Pages from templates: whatever a person wrote is escaped, and nothing is fetched."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def render(page: str, **parts: object) -> str:
    """A page of `templates/` with its parts.

    >>> "&lt;b&gt;" in render("invite", title="<b>", address="http://127.0.0.1/")
    True
    """
    return _environment().get_template(f"{page}.html").render(parts)


def read(name: str) -> str:
    """A file of this room as it is, such as a script."""
    return (files("ppdm.survey") / name).read_text(encoding="utf-8")


@cache
def _environment():
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("ppdm.survey"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals["read"] = lambda name: Markup(read(name))  # a file of ours
    return environment
