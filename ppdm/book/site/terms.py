"""The first time that a page uses a word or a letter of the legend, its meaning stands behind it.

A Sphinx extension. The tables of `book/symbols.md` are the one source. The word becomes a link to its row; the
meaning is beside it in the page, hidden until one points to the word, reaches it with the keyboard
or touches it. Without JavaScript, too: the link and the style do it.

A letter means something in its paper only, so it is told in that paper's chapter; a word is told on every page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from docutils import nodes

from ppdm.book.site.search import plain
from ppdm.book.templating import fill

LEGEND = "book/symbols"
#: Pages that define, list or hand out.
_LEFT_OUT = ("book/api", "book/symbols", "book/references", "book/changes", "book/assignments", "book/rules_history",
             "book/scoreboard")  # fmt: skip
#: What running text stands in.
_PROSE = (nodes.paragraph, nodes.emphasis, nodes.strong)


class Term(NamedTuple):
    """A row of the legend."""

    anchor: str
    spellings: list[str]  # as in the prose; a letter with its dollars
    meaning: str
    papers: list[str]  # none: it means the same everywhere


def read_legend(legend: nodes.Node) -> Iterator[tuple[Term, nodes.row]]:
    """The rows of the legend's tables: symbol or word first, its meaning under that heading, the paper last."""
    for table in legend.findall(nodes.table):
        head, *rows = table.findall(nodes.row)
        names = [cell.astext() for cell in head]
        for row in rows:
            letters = [f"${math.astext()}$" for math in row[0].findall(nodes.math)]
            told = dict(zip(names, (plain(cell.astext()) for cell in row)))
            papers = [paper.strip() for paper in told.get("paper", "").split(",") if paper]
            spellings = letters or [row[0].astext()]
            anchor = re.sub(r"\W+", "-", "-".join(["term", *spellings])).strip("-")
            yield Term(anchor, spellings, told["meaning"], papers), row


def explain(page: nodes.Node, terms: list[Term], to: str) -> None:
    """Give the first use of each term in a paragraph its meaning; `to` is where the legend stands."""
    left = {_key(spelling): term for term in terms for spelling in term.spellings}
    words = [word for term in terms for word in term.spellings if word[0] != "$"]
    # names in capitals as they are, others in any case
    ways = [re.escape(w) if w[1:] != w[1:].lower() else f"(?i:{re.escape(w)})" for w in words]
    every = "|".join(ways).replace("'", "['’]") or "(?!)"
    prose = (p for p in page.findall(nodes.paragraph) if not isinstance(p.parent, nodes.entry))
    for leaf in [leaf for p in prose for leaf in p.findall(_is_said)]:
        whole = isinstance(leaf, nodes.math)
        said = leaf.astext()
        parts = [f"${said}$"] if whole else re.split(rf"(?<![\w-])({every})(?![\w-])", said)
        pieces: list[nodes.Node] = []
        for part in parts:
            text = leaf.deepcopy() if whole else nodes.Text(part)
            term = left.get(_key(part))
            pieces += [text] if term is None else _explained(text, term, to, whole)
            left = {key: other for key, other in left.items() if other is not term}
        if len(pieces) > 1:
            leaf.parent.replace(leaf, pieces)


def _key(spelling: str) -> str:
    return spelling if spelling[0:1] == "$" else spelling.replace("’", "'").lower()


def _is_said(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Text | nodes.math) and isinstance(node.parent, _PROSE)


def _explained(text: nodes.Node, term: Term, to: str, named: bool) -> list[nodes.Node]:
    # a formula is set when it comes near the window: until then its link has no other name
    before, after = fill("term.html", term=term, to=to, named=named).split("|", 1)
    return [nodes.raw("", before, format="html"), text, nodes.raw("", after, format="html")]


def _explain(app, doctree, docname: str) -> None:
    if docname == LEGEND:
        for term, row in read_legend(doctree):
            row["ids"].append(term.anchor)
    if docname.startswith(_LEFT_OUT) or LEGEND not in app.env.found_docs:
        return
    chapters = Path(app.srcdir) / "book" / "chapters.yml"
    papers = yaml.safe_load(chapters.read_text("utf-8")) if chapters.is_file() else []
    paper = next((p["short"] for p in papers if docname == f"notebooks/{p['chapter']}"), "")
    terms = [term for term, _ in read_legend(app.env.get_doctree(LEGEND))]
    known = [term for term in terms if not term.papers or paper in term.papers]
    explain(doctree, known, app.builder.get_relative_uri(docname, LEGEND))


def setup(app) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", _explain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
