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
    """The rows of the legend's tables.

    >>> legend = "| symbol | in the code | meaning | paper |\\\\n|---|---|---|---|\\\\n| $q$, $r$ | `q` | a *chance* | Guo |"
    >>> read_legend(legend.replace("\\\\n", chr(10)))
    [Term(anchor='term-q-r', spellings=['$q$', '$r$'], meaning='a chance', papers=['Guo'])]
    """
    found: list[Term] = []
    heads: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = cells
        elif not set(line) <= set("|-: "):
            row = dict(zip(heads, cells))
            name = row.get("symbol") or row["word"]
            spellings = re.findall(r"\$[^$]+\$", name) or [name]
            papers = [p.strip() for p in row.get("paper", "").split(",") if p.strip()]
            meaning = plain(re.sub(r"\{cite\}`[^`]*`|[*`]", "", row["meaning"]))
            found.append(Term(anchor_of(name), spellings, meaning, papers))
    return found


def anchor_of(name: str) -> str:
    r"""The anchor of a row by its first cell; letters keep their case, for n and N are two.

    >>> anchor_of(r"$\theta$"), anchor_of("$N$"), anchor_of("Warner's coin")
    ('term-theta', 'term-N', 'term-Warner-s-coin')
    """
    return "term-" + re.sub(r"\W+", "-", name).strip("-")


def _prepare(app) -> None:
    source = Path(app.srcdir) / f"{LEGEND}.md"
    app.env.ppdm_terms = read_legend(source.read_text("utf-8")) if source.is_file() else []
    chapters = Path(app.srcdir) / "book" / "chapters.yml"
    told = yaml.safe_load(chapters.read_text("utf-8")) if chapters.is_file() else []
    app.env.ppdm_papers = {f"notebooks/{entry['chapter']}": entry["short"] for entry in told}


def _explain(app, doctree: nodes.document, docname: str) -> None:
    terms: list[Term] = app.env.ppdm_terms
    if docname == LEGEND:
        rows = [row for body in doctree.findall(nodes.tbody) for row in body]
        for row, term in zip(rows, terms, strict=True):
            first: Any = row.children[0]
            first["ids"].append(term.anchor)
    elif not docname.startswith(_LEFT_OUT):
        paper = app.env.ppdm_papers.get(docname)
        left = {
            spelling: term
            for term in terms
            if not term.papers or paper in term.papers
            for spelling in term.spellings
        }
        to = app.builder.get_relative_uri(docname, LEGEND)
        for node in list(doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.Text)))):
            if left and _in_prose(node):
                _explain_one(node, left, to)


def _explain_one(node: nodes.Node, left: dict[str, Term], to: str) -> None:
    """Explain what is still `left` to explain in a formula or a piece of text, and strike it off."""
    if isinstance(node, nodes.math):
        term = left.get(f"${node.astext().strip()}$")
        if term:
            _strike(left, term)
            before, after = _around(term, to, named=True)
            node.parent.replace(node, [before, node.deepcopy(), after])
        return
    text, parts, end = node.astext(), [], 0
    for found in _pattern(left).finditer(text):
        term = next((t for word, t in left.items() if _pattern([word]).fullmatch(found[0])), None)
        if term:
            _strike(left, term)
            before, after = _around(term, to)
            parts += [nodes.Text(text[end : found.start()]), before, nodes.Text(found[0]), after]
            end = found.end()
    if parts:
        node.parent.replace(node, [*parts, nodes.Text(text[end:])])


def _strike(left: dict[str, Term], term: Term) -> None:
    for spelling in term.spellings:
        left.pop(spelling, None)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Any of some words on its own: names in capitals as they are, others in any case; no letters of formulas."""
    ways = [
        re.escape(word).replace("'", "['’]")
        if word[1:] != word[1:].lower()
        else f"(?i:{re.escape(word)})"
        for word in words
        if word[0] != "$"
    ]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(ways) or '(?!)'})(?![\w-])")


def _in_prose(node: nodes.Node) -> bool:
    """Whether a node stands in a paragraph, and in nothing that is no running text, such as a link written as HTML."""
    before = node.parent.children[: node.parent.index(node)]
    raw = "".join(part.astext() for part in before if isinstance(part, nodes.raw))
    around, inside = node.parent, False
    while around is not None and not isinstance(around, _NOT_IN):
        inside = inside or isinstance(around, nodes.paragraph)
        around = around.parent
    return inside and around is None and raw.count("<a ") <= raw.count("</a>")


def _around(term: Term, to: str, named: bool = False) -> list[nodes.raw]:
    # a formula is set when it comes near the window: until then its link has no other name
    html = fill("term.html", term=term, to=to, named=named)
    return [nodes.raw("", part, format="html") for part in html.split("|", 1)]


def setup(app) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", _prepare)
    app.connect("doctree-resolved", _explain, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
