"""The first time that a page uses a word or a letter of the legend, its meaning stands behind it.

A Sphinx extension. The tables of `book/symbols.md` are the one source. The word becomes a link to its row; the
meaning is beside it in the page, hidden until one points to the word, reaches it with the keyboard
or touches it. Without JavaScript, too: the link and the style do it.

A letter means something in its paper only, so it is told in that paper's chapter; a word is told on every page.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ppdm.book.site.search import plain
from ppdm.book.templating import fill

LEGEND = "book/symbols"
#: Pages that define, list or hand out.
_LEFT_OUT = ("book/api", "book/symbols", "book/references", "book/changes", "book/assignments", "book/rules_history",
             "book/scoreboard", "genindex", "search")  # fmt: skip
#: What in a page is no running text, formulas, tags: what is between them is text.
_PIECES = re.compile(
    r'(<(?:table|svg|script|a|code|dt|figcaption)\b.*?</(?:table|svg|script|a|code|dt|figcaption)>'
    r'|<span class="math[^>]*>.*?</span>|<[^>]+>)', re.DOTALL
)  # fmt: skip


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
            anchor = "term-" + re.sub(r"\W+", "-", first).strip(
                "-"
            )  # letters keep their case: n and N are two
            meaning = plain(re.sub(r"\{cite\}`[^`]*`|[*`]", "", row["meaning"]))
            papers = [paper.strip() for paper in row.get("paper", "").split(",") if paper]
            terms.append(Term(anchor, re.findall(r"\$[^$]+\$", first) or [first], meaning, papers))
    return terms


def explain(page: str, terms: list[Term], to: str) -> str:
    """A page with the meaning of each term behind its first use in a paragraph; `to` is where the legend stands.

    >>> print(explain("<p>A coin.</p>", [Term("term-coin", ["coin"], "it turns", [])], "s.html"))  # doctest: +ELLIPSIS
    <p>A <span class="term"><a href="s.html#term-coin"...>coin</a><span...>it turns</span></span>.</p>
    """
    left = {spelling: term for term in terms for spelling in term.spellings}
    words = {word: _written(word) for word in left if word[0] != "$"}
    every = re.compile("|".join(words.values()) or "(?!)")

    def swap(found: re.Match[str]) -> str:
        word = next(
            (w for w, way in words.items() if w in left and re.fullmatch(way, found[0])), None
        )
        return _explained(found[0], left, word, to) if word else found[0]

    pieces, inside = _PIECES.split(page), False
    for i, piece in enumerate(pieces):
        if piece.startswith(("<p>", "<p ", "</p")):
            inside = piece[1] == "p"
        elif inside and piece.startswith('<span class="math'):
            tex = "$" + html.unescape(re.sub(r"<[^>]+>|\\[()]", "", piece)).strip() + "$"
            pieces[i] = _explained(piece, left, tex, to, named=True) if tex in left else piece
        elif inside and not piece.startswith("<"):
            pieces[i] = every.sub(swap, piece)
    return "".join(pieces)


def _written(word: str) -> str:
    """A word on its own, as a pattern: names in capitals as they are, others in any case."""
    way = re.escape(word).replace("'", "['’]")
    return rf"(?<![\w-]){way if word[1:] != word[1:].lower() else f'(?i:{way})'}(?![\w-])"


def _explained(
    words: str, left: dict[str, Term], spelling: str, to: str, named: bool = False
) -> str:
    term = left[spelling]
    for way in term.spellings:
        left.pop(way, None)
    # a formula is set when it comes near the window: until then its link has no other name
    before, after = fill("term.html", term=term, to=to, named=named).split("|", 1)
    return before + words + after


def _explain(app, pagename, templatename, context, doctree) -> None:
    if "body" not in context or (pagename.startswith(_LEFT_OUT) and pagename != LEGEND):
        return
    source, chapters = (Path(app.srcdir) / name for name in (f"{LEGEND}.md", "book/chapters.yml"))
    terms = read_legend(source.read_text("utf-8")) if source.is_file() else []
    if pagename == LEGEND:
        rows = iter(terms)
        body = re.sub(
            r'(<tr class="row-\w+"><td)(?=>)',
            lambda row: f'{row[1]} id="{next(rows).anchor}"',
            context["body"],
        )
    else:
        papers = yaml.safe_load(chapters.read_text("utf-8")) if chapters.is_file() else []
        paper = next((p["short"] for p in papers if pagename == f"notebooks/{p['chapter']}"), "")
        known = [term for term in terms if not term.papers or paper in term.papers]
        body = explain(context["body"], known, app.builder.get_relative_uri(pagename, LEGEND))
    context["body"] = body


def setup(app) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("html-page-context", _explain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
