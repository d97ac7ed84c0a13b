"""Names of the package lead to its reference, from the text of a page and from its code.

A Sphinx extension. Where the prose names a public function or class in backticks, as
`MultiGroup`, `count()` or `ppdm.table.count`, the name becomes a link; a name that two functions
share is left alone. In the code of a notebook, what was imported from the package becomes one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes

#: In an assignment the functions are the student's.
_LEFT_OUT = ("book/api", "book/assignments/")
_IMPORTED = re.compile(r"^from (ppdm[\w.]*) import (.+)$", re.MULTILINE)
_CODE = re.compile(r'<div class="cell_input.*?</pre>', re.DOTALL)


def targets(names: Iterable[str]) -> dict[str, str]:
    """Every way to say one of some dotted names; ambiguous ones left out.

    >>> list(targets(["ppdm.table.count"]))
    ['ppdm.table.count', 'table.count', 'count', 'ppdm.count']
    """
    meanings: dict[str, set[str]] = {}
    for full in names:
        parts = full.split(".")
        endings = [".".join(parts[start:]) for start in range(len(parts))]
        handed_on = [".".join([*parts[:end], parts[-1]]) for end in range(1, len(parts) - 1)]
        for way in [*endings, *handed_on]:  # a package hands on what its modules hold
            meanings.setdefault(way, set()).add(full)
    return {way: full for way, (full, *others) in meanings.items() if not others}


def _addresses(app, docname: str) -> dict[str, str]:
    """Where each name of the reference stands, seen from a page."""
    objects = app.env.get_domain("py").objects
    names = [name for name, thing in objects.items() if thing.objtype in ("function", "class")]
    return {
        way: f"{app.builder.get_relative_uri(docname, objects[full].docname)}#{full}"
        for way, full in targets(names).items()
    }


def _link(app, doctree, docname: str) -> None:
    if docname.startswith(_LEFT_OUT):
        return
    addresses = _addresses(app, docname)
    for literal in list(doctree.findall(nodes.literal)):
        address = addresses.get(literal.astext().removesuffix("()"))
        around = literal.parent
        while around is not None and not isinstance(around, (nodes.reference, nodes.title)):
            around = around.parent
        if address and around is None:
            link = nodes.reference("", "", internal=True, refuri=address)
            literal.replace_self(link)
            link += literal


def imported(source: str, known: dict[str, str]) -> dict[str, str]:
    """What code calls by which name: `count`, or `es.classifiers` of a module `es`.

    >>> imported("from ppdm import count\\nfrom ppdm import data as d", {"ppdm.count": "a", "ppdm.data.load": "b"})
    {'count': 'a', 'd.load': 'b'}
    """
    names: dict[str, str] = {}
    for module, listed in _IMPORTED.findall(source):
        for part in listed.strip("()").split(","):
            words = [*part.split(), "", ""]  # a name, or a name as another
            full, name = f"{module}.{words[0]}", words[2] or words[0]
            names |= {
                name + way.removeprefix(full): address
                for way, address in known.items()
                if full in (way, way.rpartition(".")[0])
            }
    return names


def link_code(html: str, addresses: dict[str, str]) -> str:
    """A page whose code leads to `addresses`: the first use of each name in each cell."""

    def link_cell(cell: re.Match) -> str:
        text = cell[0]
        for name, address in addresses.items():
            parts = [f'<span class="n">{part}</span>' for part in name.split(".")]
            written = re.escape('<span class="o">.</span>'.join(parts))
            pattern = rf'(?<!<span class="o">\.</span>)({written})'
            text = re.sub(pattern, rf'<a href="{address}">\1</a>', text, count=1)
        return text

    return _CODE.sub(link_cell, html)


def _link_code(app, pagename, templatename, context, doctree) -> None:
    source = Path(app.env.doc2path(pagename)) if doctree is not None else Path()
    if source.suffix == ".ipynb" and not pagename.startswith(_LEFT_OUT):
        cells = json.loads(source.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        context["body"] = link_code(context["body"], imported(code, _addresses(app, pagename)))


def setup(app):
    """Register with Sphinx."""
    app.connect("doctree-resolved", _link)
    app.connect("html-page-context", _link_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
