"""Search by sections: an index of the built pages, and a results page that uses it.

Sphinx's own search lists pages, the reference before the chapters. This one lists sections, with a
snippet in words, what is listed or handed out last. The index is a script and not a file to fetch, so that search works
from a disk as well. `book/index_words.yml` is the index that stands at the back of a printed book: words that
readers use where the page says it in others.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import yaml
from bs4 import BeautifulSoup, Tag

from ppdm.book.pages import is_redirect, pages

#: What is not said in words.
_SILENT = re.compile(r"<(svg|script|style|noscript|dialog)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_HIDDEN = ".cell_input, .headerlink, .prev-next-area, .highlight, .solution, .visually-hidden"
#: Letters of mathematics in words that one may type.
_SYMBOLS = {
    r"\\theta": "θ", r"\\delta": "δ", r"\\epsilon|\\varepsilon": "ε", r"\\lambda": "λ", r"\\Omega": "Ω",
    r"\\sigma": "σ", r"\\alpha": "α", r"\\pm": "±",
    r"\\le(q)?(?![a-z])": "≤", r"\\ge(q)?(?![a-z])": "≥", r"\\cdot|\\times": "·",
    r"\\t?frac12": "1/2", r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}": r"\1/\2", r"\\(sqrt)": r"\1",
}  # fmt: skip
#: Pages nobody searches for.
_LEFT_OUT = ("genindex.html", "search.html", "index.html", "py-modindex.html")
#: Letters of a section's text that are kept: enough for a chapter's longest, and for a function's first words.
_LONGEST, _REFERENCE = 6_000, 300


#: What is listed, handed out or for checkers counts less than what explains.
WEIGHTS = {
    "book/api": 0.1, "book/assignments/": 0.2, "book/solutions": 0.1, "book/changes": 0.1,
    "book/references": 0.3, "book/what_was_run": 0.3, "book/rules_history": 0.3, "book/ambiguities": 0.4,
    "book/intro": 0.6,
}  # fmt: skip


class Section(NamedTuple):
    """A piece of a page between two headings."""

    page: str
    anchor: str
    title: str  # of the page
    heading: str
    text: str
    weight: float  # see WEIGHTS
    labels: tuple[str, ...] = ()  # other anchors of its heading


def plain(text: str) -> str:
    """A text with its formulas in words, on one line.

    >>> plain(r"with \\(\\theta = 0.7\\) and  $\\frac{a}{b}$")
    'with θ = 0.7 and a/b'
    """
    for pattern, word in _SYMBOLS.items():
        text = re.sub(pattern, word, text)
    text = re.sub(r"\\[()\[\]]|\$", " ", text)
    text = re.sub(
        r"\\(operatorname|mathrm|text|hat|tilde|bar|left|right|underbrace|Pr|mid|mathbf|begin|end)\b",
        " ",
        text,
    )
    text = re.sub(r"\\[a-zA-Z]+|[{}]", " ", text)
    return " ".join(text.replace("\\", " ").replace("#", " ").split())


def sections(name: str, html: str) -> list[Section]:
    """The sections of one page, in order.

    >>> found = sections("a.html", '<article><section id="x"><h1>T</h1><p>One.</p>'
    ...                  '<section id="y"><h2>S</h2><p>Two.</p></section></section></article>')
    >>> [(s.anchor, s.heading, s.text) for s in found]
    [('x', 'T', 'One.'), ('y', 'S', 'Two.')]
    """
    article = BeautifulSoup(_SILENT.sub(" ", html), "html.parser").find("article")
    if not isinstance(article, Tag):
        return []
    for hidden in article.select(_HIDDEN):
        hidden.decompose()
    weight = next((w for start, w in WEIGHTS.items() if name.startswith(start)), 1.0)
    longest = _REFERENCE if name.startswith("book/api") else _LONGEST
    found, title = [], ""
    for part in article.find_all("section"):
        heading = part.find(re.compile("^h[1-6]$"), recursive=False)
        if heading is None:
            continue
        words = plain(heading.get_text(" "))
        title = title or words
        own = [
            child
            for child in part.find_all(True, recursive=False)
            if child.name != "section" and child is not heading
        ]
        text = plain(" ".join(child.get_text(" ") for child in own))[:longest]
        labels = tuple(str(span["id"]) for span in part.find_all("span", id=True, recursive=False))
        found.append(Section(name, str(part.get("id") or ""), title, words, text, weight, labels))
    return found


def hints(source: Path, found: list[Section]) -> dict[str, int]:
    """The back-of-the-book index: a phrase to the number of its section.

    A place that is gone from its page is refused; a page that was not built is passed over.
    """
    if not source.is_file():
        return {}
    places = {f"{s.page}#{a}": i for i, s in enumerate(found) for a in (s.anchor, *s.labels)}
    first = {s.page: i for i, s in reversed(list(enumerate(found)))}
    told: dict[str, int] = {}
    lost: list[str] = []
    for target, phrases in yaml.safe_load(source.read_text(encoding="utf-8")).items():
        at = places.get(target, first.get(target))
        if at is None:
            lost += [target] if target.partition("#")[0] in first else []
            continue
        told |= {phrase.lower(): at for phrase in phrases}
    if lost:
        raise ValueError(f"{source.name} names places that no page has: {', '.join(lost)}")
    return told


def write_index(site: Path, words: Path) -> int:
    """Write `_static/search_index.js` and make the search page use it; returns the number of sections."""
    found = []
    for path in pages(site):
        name = path.relative_to(site).as_posix()
        if name not in _LEFT_OUT and not is_redirect(path):
            found += sections(name, path.read_text(encoding="utf-8"))
    told = {"sections": [list(s) for s in found], "hints": hints(words, found)}
    data = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    (site / "_static" / "search_index.js").write_text(
        f"globalThis.ppdmSearchIndex={data};\n", "utf-8"
    )
    page = site / "search.html"
    if page.is_file():
        ours = '<script src="_static/search_index.js"></script>\n<script src="_static/search.js" defer></script>\n</head>'
        page.write_text(
            page.read_text(encoding="utf-8").replace("</head>", ours, 1), encoding="utf-8"
        )
    for unused in ("searchindex.js", "_static/searchtools.js", "_static/language_data.js"):
        (site / unused).unlink(missing_ok=True)
    return len(found)
