"""Names of the package in the text of a page lead to its reference.

A Sphinx extension: where the prose of a page names a public function or class in backticks, as
`MultiGroup`, `count()` or `ppdm.table.count`, the name becomes a link. A name that two functions
share is left alone.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

from ppdm.site.api import page_of, read_package


def targets(package: Path) -> dict[str, str]:
    """Every way to name a public function or class, with its full name; ambiguous ones left out."""
    found: dict[str, set[str]] = {}
    for module in read_package(package):
        for thing in module.things:
            full = f"{module.name}.{thing.name}"
            parts = full.split(".")
            for start in range(len(parts)):
                found.setdefault(".".join(parts[start:]), set()).add(full)
            found.setdefault(f"{package.name}.{thing.name}", set()).add(full)
    return {name: full for name, (full, *others) in found.items() if not others}


def _prepare(app) -> None:
    app.env.ppdm_targets = targets(Path(__file__).resolve().parents[1])


def _link(app, doctree, docname: str) -> None:
    if docname.startswith("book/api"):
        return
    package = Path(__file__).resolve().parents[1]
    for literal in list(doctree.findall(nodes.literal)):
        full = app.env.ppdm_targets.get(literal.astext().removesuffix("()"))
        if not full or _inside(literal, (nodes.reference, nodes.title)):
            continue
        page = f"book/api/{page_of(full, package)}"
        uri = app.builder.get_relative_uri(docname, page)
        link = nodes.reference("", "", internal=True, refuri=f"{uri}#{full}")
        literal.replace_self(link)
        link += literal


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
    return {"parallel_read_safe": True, "parallel_write_safe": True}
