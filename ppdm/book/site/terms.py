"""The first time that a page uses a word or a letter of the legend, its meaning stands behind it.

A Sphinx extension. The tables of `book/symbols.md` are the one source. The word becomes a link to its row; the
meaning is beside it in the page, hidden until one points to the word, reaches it with the keyboard
or touches it. Without JavaScript, too: the link and the style do it.

A letter means something in its paper only, so it is told in that paper's chapter; a word is told on every page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from docutils import nodes

from ppdm.book.site.search import plain
from ppdm.book.templating import fill

LEGEND = "book/symbols"
#: Pages that define, list or hand out; and what in a page is no running text.
_LEFT_OUT = ("book/api", "book/symbols", "book/references", "book/changes", "book/assignments", "book/rules_history",
             "book/scoreboard")  # fmt: skip
_NOT_IN = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.raw, nodes.table,
           nodes.term, nodes.caption, nodes.math_block)  # fmt: skip


class Term(NamedTuple):
    """A row of the legend."""

    anchor: str
    spellings: list[str]  # as in the prose; a letter with its dollars
    meaning: str
    papers: list[str]  # none: it means the same everywhere


def read_legend(text: str) -> list[Term]:
    """The rows of the legend's tables: symbol or word first, its meaning under that heading, the paper last.

    >>> legend = "| symbol | in the code | meaning | paper |\\\\n|---|---|---|---|\\\\n| $q$, $r$ | `q` | a *chance* | Guo |"
    >>> read_legend(legend.replace("\\\\n", chr(10)))
    [Term(anchor='term-q-r', spellings=['$q$', '$r$'], meaning='a chance', papers=['Guo'])]
    """
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()
    ]
    terms: list[Term] = []
    heads: list[str] = []
    for first, *rest in rows:
        if first in ("symbol", "word"):
            heads = rest
        elif rest and set(first) - set("-: "):
            row = dict(zip(heads, rest))
            spellings = re.findall(r"\$[^$]+\$", first) or [first]
            meaning = plain(re.sub(r"\{cite\}`[^`]*`|[*`]", "", row["meaning"]))
            terms.append(
                Term(
                    anchor_of(first),
                    spellings,
                    meaning,
                    [p.strip() for p in row.get("paper", "").split(",") if p],
                )
            )
    return terms


def anchor_of(name: str) -> str:
    r"""The anchor of a row by its first cell; letters keep their case, for n and N are two.

    >>> anchor_of(r"$\theta$"), anchor_of("$N$"), anchor_of("Warner's coin")
    ('term-theta', 'term-N', 'term-Warner-s-coin')
    """
    return "term-" + re.sub(r"\W+", "-", name).strip("-")


def _prepare(app) -> None:
    source, chapters = (Path(app.srcdir) / name for name in (f"{LEGEND}.md", "book/chapters.yml"))
    app.env.ppdm_terms = read_legend(source.read_text("utf-8")) if source.is_file() else []
    papers = yaml.safe_load(chapters.read_text("utf-8")) if chapters.is_file() else []
    app.env.ppdm_papers = {f"notebooks/{paper['chapter']}": paper["short"] for paper in papers}


def _explain(app, doctree: nodes.document, docname: str) -> None:
    if docname == LEGEND:
        rows = [row for body in doctree.findall(nodes.tbody) for row in body]
        for row, term in zip(rows, app.env.ppdm_terms, strict=True):
            first: Any = row.children[0]
            first["ids"].append(term.anchor)
    if docname.startswith(_LEFT_OUT):
        return
    paper, to = app.env.ppdm_papers.get(docname), app.builder.get_relative_uri(docname, LEGEND)
    known = [term for term in app.env.ppdm_terms if not term.papers or paper in term.papers]
    left = {spelling: term for term in known for spelling in term.spellings}
    for node in list(doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.Text)))):
        if left and _in_prose(node):
            _explain_one(node, left, to)


def _explain_one(node: nodes.Node, left: dict[str, Term], to: str) -> None:
    """Explain what is still `left` to explain in a formula or a piece of text, and strike it off."""
    formula = isinstance(node, nodes.math)
    pieces = [f"${node.astext().strip()}$"] if formula else _pattern(left).split(node.astext())
    new: list[nodes.Node] = []
    for piece in pieces:
        same = (
            t
            for s, t in left.items()
            if (s == piece if formula else _pattern([s]).fullmatch(piece))
        )
        term = next(same, None) if piece else None
        inner = node.deepcopy() if formula else nodes.Text(piece)
        if term:
            for spelling in term.spellings:
                left.pop(spelling, None)
            # a formula is set when it comes near the window: until then its link has no other name
            before, after = fill("term.html", term=term, to=to, named=formula).split("|", 1)
            new += [
                nodes.raw("", before, format="html"),
                inner,
                nodes.raw("", after, format="html"),
            ]
        else:
            new.append(inner)
    if len(new) > 1:
        node.parent.replace(node, new)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Any of some words on its own: names in capitals as they are, others in any case; no letters of formulas."""
    ways = [
        re.escape(word).replace("'", "['’]")
        if word[1:] != word[1:].lower()
        else f"(?i:{re.escape(word)})"
        for word in words
        if word[0] != "$"
    ]
    return re.compile(rf"(?<![\w-])({'|'.join(ways) or '(?!)'})(?![\w-])")


def _in_prose(node: nodes.Node) -> bool:
    """Whether a node stands in a paragraph, and in nothing that is no running text, such as a link written as HTML."""
    before = node.parent.children[: node.parent.index(node)]
    raw = "".join(part.astext() for part in before if isinstance(part, nodes.raw))
    around, inside = node.parent, False
    while around is not None and not isinstance(around, _NOT_IN):
        inside = inside or isinstance(around, nodes.paragraph)
        around = around.parent
    return inside and around is None and raw.count("<a ") <= raw.count("</a>")


def setup(app) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", _prepare)
    app.connect("doctree-resolved", _explain, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
