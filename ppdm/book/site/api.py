"""The reference of the package: a page a room, which Sphinx fills from the docstrings. A Sphinx extension.

In a docstring a word in backticks is code, and leads to what it names; stars around words stress them; other
signs mean themselves. So the sources read as plain text, and a formula such as 2*3 breaks no page.
"""

from __future__ import annotations

import re
from pathlib import Path

from ppdm.places import MACHINERY

#: Rooms that make the book rather than being used by its readers.
INTERNAL = tuple(f"ppdm.{room}" for room in MACHINERY)


def modules(package: Path) -> list[str]:
    """The public modules of a package, by their dotted names."""
    names = [
        ".".join((package.name, *path.relative_to(package).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        for path in sorted(package.rglob("*.py"))
    ]
    inner = (
        ".cli",
        ".pictures",
        ".rows",
        ".readings",
        ".evidence",
        ".worlds",
        ".numbers",
    )  # a chapter's own
    return [
        name
        for name in names
        if "._" not in name and not name.startswith(INTERNAL) and not name.endswith(inner)
    ]


def page_of(name: str, package: Path) -> str:
    """The page of the reference that has a name: its sub-package, or else the package itself.

    >>> import ppdm
    >>> page_of("ppdm.disguise.multigroup.MultiGroup", Path(ppdm.__file__).parent)
    'disguise'
    """
    parts = name.split(".")
    is_room = len(parts) > 1 and (package / parts[1]).is_dir()
    return parts[1] if is_room else package.name


def write_pages(package: Path, folder: Path) -> str:
    """The pages into `folder`; gives the table of modules, for the page that leads to them."""
    pages: dict[str, list[str]] = {}
    names = modules(package)
    for name in names:
        pages.setdefault(page_of(name, package), []).append(name)
    folder.mkdir(parents=True, exist_ok=True)
    for page, members in pages.items():
        title = package.name if page == package.name else f"{package.name}.{page}"
        parts = ["---\norphan: true\n---\n", f"# {title}\n"]
        for name in members:
            heading = "" if name == title else f"## {name}\n\n"
            parts.append(
                f"{heading}{_directive(f'automodule:: {name}', ':members:', ':ignore-module-all:')}"
            )
        (folder / f"{page}.md").write_text("\n".join(parts), encoding="utf-8")
    return _directive("autosummary::", "", *names)


def _directive(name: str, *lines: str) -> str:
    inside = "\n".join(f"   {line}".rstrip() for line in lines)
    return f"```{{eval-rst}}\n.. {name}\n{inside}\n```\n"


_CODE = re.compile(r"(``[^`]*``|`[^`]*`)")
#: Stars between words and a lone one, low lines at a word's end, upright lines.
_SIGNS = re.compile(r"(?<=\w)\*(?=[\w(])|(?<!\S)\*(?!\S)|(?<=\w)_(?!\w)|\|")
_ENTRY = re.compile(r"([\w.-]+) {2,}(\S.*)")


def as_page(doc: str) -> str:
    """A docstring as reStructuredText: what is set in is shown as it stands, names with their meaning become a list.

    >>> print(as_page("At 2*3 `x`:\\n    y * z\\n\\none  the first\\ntwo  the second"))
    At 2\\*3 `x`:
    <BLANKLINE>
    ::
    <BLANKLINE>
        y * z
    <BLANKLINE>
    - ``one``: the first
    - ``two``: the second
    """
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", doc.rstrip().replace(":\n    ", ":\n\n    ")):
        before = blocks[-1] if blocks else ""
        goes_on = before.endswith("::") or before.startswith("    ")
        blocks += [block] if goes_on and block.startswith("    ") else _block(block)
    return "\n\n".join(blocks)


def _block(block: str) -> list[str]:
    lines = block.split("\n")
    entries = [_ENTRY.fullmatch(line) for line in lines]
    if block.startswith("    "):
        return ["::", block]
    if len(lines) > 2 and re.fullmatch(
        "-{3,}", lines[1]
    ):  # a heading: names, and what they are below them
        return [f".. rubric:: {lines[0]}", *_block("\n".join(lines[2:]))]
    if len(lines) > 1 and all(entries):
        return ["\n".join(f"- ``{entry[1]}``: {_prose(entry[2])}" for entry in entries if entry)]
    return [block if lines[0].startswith((">>>", "===")) else _prose(block)]


def _prose(text: str) -> str:
    parts = _CODE.split(text)
    parts[::2] = [_SIGNS.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def _mend(app, what, name, thing, options, lines: list[str]) -> None:
    lines[:] = as_page("\n".join(lines)).split("\n")


def _leave_out(app, what, name, thing, skip, options) -> bool | None:
    """What a base class of another library brings, and the fields of a named tuple, which its signature has."""
    package = str(app.env.temp_data.get("autodoc:module")).partition(".")[0]
    of = str(getattr(thing, "__module__", None) or "").partition(".")[0]
    field = type(thing).__name__ == "_tuplegetter"
    return True if field or (callable(thing) and of != package) else None


def setup(app):
    """Register with Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.autosummary")
    app.connect("autodoc-process-docstring", _mend)
    app.connect("autodoc-skip-member", _leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
