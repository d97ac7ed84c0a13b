"""Names of the package lead to its reference, from the text of a page and from its code.

A Sphinx extension. Where the prose names a public function or class in backticks, as
`MultiGroup`, `count()` or `ppdm.table.count`, the name becomes a link; a name that two functions
share is left alone. In the code of a notebook, what was imported from the package becomes one.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from docutils import nodes

from ppdm.book.site.api import page_of, read_package
from ppdm.places import PACKAGE


def targets(package: Path) -> dict[str, str]:
    """Every way to name a public function or class, with its full name; ambiguous ones left out."""
    found: dict[str, set[str]] = {}
    for module in read_package(package):
        for thing in module.things:
            full = f"{module.name}.{thing.name}"
            parts = full.split(".")
            for start in range(len(parts)):
                found.setdefault(".".join(parts[start:]), set()).add(full)
            for end in range(1, len(parts)):  # a package hands on what its modules hold
                handed_on = ".".join([*parts[:end], thing.name])
                found.setdefault(handed_on, set()).add(full)
    return {name: full for name, (full, *others) in found.items() if not others}


def _prepare(app) -> None:
    app.env.ppdm_targets = targets(PACKAGE)


def _link(app, doctree, docname: str) -> None:
    # in an assignment the functions are the student's
    if docname.startswith(("book/api", "book/assignments/")):
        return
    package = PACKAGE
    for literal in list(doctree.findall(nodes.literal)):
        full = app.env.ppdm_targets.get(literal.astext().removesuffix("()"))
        if not full or _inside(literal, (nodes.reference, nodes.title)):
            continue
        page = f"book/api/{page_of(full, package)}"
        uri = app.builder.get_relative_uri(docname, page)
        link = nodes.reference("", "", internal=True, refuri=f"{uri}#{full}")
        literal.replace_self(link)
        link += literal


def imported(notebook: dict, known: dict[str, str]) -> dict[str, str]:
    """What a notebook's code calls by which name: `count`, or `es.classifiers` of a module `es`.

    >>> cell = {"cell_type": "code", "source": "from ppdm import count\\nfrom ppdm import data as d"}
    >>> known = {"ppdm.count": "ppdm.table.count", "ppdm.data.load": "ppdm.data.load"}
    >>> imported({"cells": [cell]}, known)
    {'count': 'ppdm.table.count', 'd.load': 'ppdm.data.load'}
    """
    names = {}
    code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    for line in "\n".join(code).splitlines():
        if not line.startswith("from ppdm"):
            continue
        try:
            (statement,) = ast.parse(line).body
        except SyntaxError:  # an import over several lines
            continue
        if not isinstance(statement, ast.ImportFrom):
            continue
        for alias in statement.names:
            full, name = f"{statement.module}.{alias.name}", alias.asname or alias.name
            if full in known:
                names[name] = known[full]
            members = {k: v for k, v in known.items() if k.rpartition(".")[0] == full}
            names |= {f"{name}.{k.rpartition('.')[2]}": v for k, v in members.items()}
    return names


_CODE = re.compile(r'<div class="cell_input.*?</pre>', re.DOTALL)


def link_code(html: str, addresses: dict[str, str]) -> str:
    """A page whose code leads to `addresses`: the first use of each name in each cell."""

    def link_cell(cell: re.Match) -> str:
        text = cell[0]
        for name, address in addresses.items():
            parts = [f'<span class="n">{part}</span>' for part in name.split(".")]
            written = '<span class="o">.</span>'.join(parts)
            at = re.search(r'(?<!<span class="o">\.</span>)' + re.escape(written), text)
            if at:
                link = f'<a href="{address}">{written}</a>'
                text = text[: at.start()] + link + text[at.end() :]
        return text

    return _CODE.sub(link_cell, html)


def _link_all_code(app, error) -> None:
    if error is not None or app.builder.format != "html":
        return
    package = PACKAGE
    for docname in app.env.found_docs:
        source = Path(app.env.doc2path(docname))
        page = Path(app.outdir) / f"{docname}.html"
        if source.suffix != ".ipynb" or not page.is_file():
            continue
        names = imported(json.loads(source.read_text(encoding="utf-8")), app.env.ppdm_targets)
        up = app.builder.get_relative_uri(docname, "book/api/")
        addresses = {
            name: f"{up.removesuffix('.html')}{page_of(full, package)}.html#{full}"
            for name, full in names.items()
        }
        page.write_text(link_code(page.read_text(encoding="utf-8"), addresses), encoding="utf-8")


def _inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", _prepare)
    app.connect("doctree-resolved", _link)
    app.connect("build-finished", _link_all_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
