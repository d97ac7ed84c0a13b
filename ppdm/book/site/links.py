"""Names of the package lead to its reference, from the text of a page.

A Sphinx extension. Where the prose names a public function or class in backticks, as
`MultiGroup`, `count()` or `ppdm.table.count`, the name becomes a link; a name that two functions
share is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

#: In an assignment the functions are the student's.
_LEFT_OUT = ("book/api", "book/assignments/")


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


def _link(app, doctree, docname: str) -> None:
    if docname.startswith(_LEFT_OUT):
        return
    objects = app.env.get_domain("py").objects
    known = targets(name for name, it in objects.items() if it.objtype in ("function", "class"))
    for literal in list(doctree.findall(nodes.literal)):
        full = known.get(literal.astext().removesuffix("()"))
        around = literal.parent
        while around is not None and not isinstance(around, (nodes.reference, nodes.title)):
            around = around.parent
        if full and around is None:
            address = f"{app.builder.get_relative_uri(docname, objects[full].docname)}#{full}"
            link = nodes.reference("", "", internal=True, refuri=address)
            literal.replace_self(link)
            link += literal


def setup(app):
    """Register with Sphinx."""
    app.connect("doctree-resolved", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
