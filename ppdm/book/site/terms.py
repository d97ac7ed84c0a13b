"""The first time that a page uses a word or a letter of the legend, its meaning stands behind it.

A Sphinx extension. The tables of `book/symbols.md` are the one source. The word becomes a link to its row; the
meaning is beside it in the page, hidden until one points to the word, reaches it with the keyboard
or touches it. Without JavaScript, too: the link and the style do it.

A letter means something in its paper only, so it is told in that paper's chapter; a word is told on every page.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from docutils import nodes

from ppdm.book.site.search import plain

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
        _name_rows(doctree)
    elif terms and not docname.startswith(_LEFT_OUT):
        to = app.builder.get_relative_uri(docname, LEGEND)
        paper = app.env.ppdm_papers.get(docname)
        told = [t for t in terms if not t.papers or paper in t.papers]
        letters = {
            spelling.strip("$"): t for t in told for spelling in t.spellings if spelling[0] == "$"
        }
        words = {t.spellings[0]: t for t in told if t.spellings[0][0] != "$"}
        _explain_letters(doctree, letters, to)
        _explain_words(doctree, words, to)


def _name_rows(doctree: nodes.document) -> None:
    for row in doctree.findall(nodes.row):
        first = row[0]
        name = ", ".join(
            f"${part.astext()}$" if isinstance(part, nodes.math) else part.astext()
            for part in first.findall(lambda n: isinstance(n, (nodes.math, nodes.Text)))
            if isinstance(part, nodes.math) or not isinstance(part.parent, nodes.math)
        )
        if isinstance(first, nodes.entry) and name.strip():
            first["ids"].append(anchor_of(name))


def _explain_letters(doctree: nodes.document, letters: dict[str, Term], to: str) -> None:
    seen: set[str] = set()
    for formula in list(doctree.findall(nodes.math)):
        term = letters.get(formula.astext().strip())
        if term and term.anchor not in seen and _in_prose(formula):
            seen.add(term.anchor)
            before, after = _around(term, to, named=True)
            formula.parent.replace(formula, [before, formula.deepcopy(), after])


def _explain_words(doctree: nodes.document, words: dict[str, Term], to: str) -> None:
    left = dict(words)
    for text in list(doctree.findall(nodes.Text)):
        if not left or not _in_prose(text):
            continue
        rest, parts = text.astext(), []
        while found := _first(rest, left):
            start, end, name = found
            before, after = _around(left.pop(name), to)
            parts += [nodes.Text(rest[:start]), before, nodes.Text(rest[start:end]), after]
            rest = rest[end:]
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(rest)])


def _first(said: str, words: dict[str, Term]) -> tuple[int, int, str] | None:
    """Where the first of some words stands in a text; names in capitals as they are, others in any case."""
    found = []
    for name in words:
        pattern = re.escape(name).replace("'", "['’]")
        flags = 0 if name.isupper() or any(c.isupper() for c in name[1:]) else re.IGNORECASE
        at = re.search(rf"(?<![\w-]){pattern}(?![\w-])", said, flags)
        if at:
            found.append((at.start(), at.end(), name))
    return min(found, default=None)


def _in_prose(node: nodes.Node) -> bool:
    if _in_raw_link(node):
        return False
    inside = False
    while node.parent is not None:
        node = node.parent
        if isinstance(node, _NOT_IN):
            return False
        inside = inside or isinstance(node, nodes.paragraph)
    return inside


def _in_raw_link(node: nodes.Node) -> bool:
    """Whether a link that was written as HTML begins before the node and ends behind it."""
    before = node.parent.children[: node.parent.index(node)]
    raw = "".join(part.astext() for part in before if isinstance(part, nodes.raw))
    return raw.count("<a ") > raw.count("</a>")


def _around(term: Term, to: str, named: bool = False) -> tuple[nodes.raw, nodes.raw]:
    note = "note-" + term.anchor
    # a formula is set when it comes near the window: until then its link has no other name
    label = f' aria-label="{term.anchor.removeprefix("term-")}"' if named else ""
    opening = f'<span class="term"><a href="{to}#{term.anchor}" aria-describedby="{note}"{label}>'
    closing = f'</a><span class="term-note" role="tooltip" id="{note}">{escape(term.meaning)}</span></span>'
    return nodes.raw("", opening, format="html"), nodes.raw("", closing, format="html")


def setup(app) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", _prepare)
    app.connect("doctree-resolved", _explain, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
