"""One page of HTML that holds the whole book, made from the pages of the built site.

Where a page has something to take hold of, a picture of it stands, and a sentence that says where it moves; what else is of no
use on paper `print.css` hides. The pages of solutions come last.
"""

from __future__ import annotations

import itertools
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup
from markupsafe import Markup

from ppdm.book.pdf import APPENDIX, CONTENTS, LEFT_OUT
from ppdm.book.site.search import plain
from ppdm.book.templating import PAGES, fill

#: Attributes that name elements of the same page.
_NAMING = ("id", "aria-labelledby", "aria-describedby", "aria-controls", "for", "headers")
_STYLES = re.compile(r'<link[^>]*rel="stylesheet"[^>]*>')

#: An element of a page; the types that its library gives to attributes are too wide to be of use.
Tag = Any


class Chapter(NamedTuple):
    """A page of the site, ready for print."""

    part: str
    anchor: str
    title: str
    body: Markup


PAGES.filters["quoted"] = lambda words: Markup(
    json.dumps(words, ensure_ascii=False).replace("<", "\\3c ")
)


def order(toc: Path) -> Iterator[tuple[str, str]]:
    """The pages in the order of the book, each with the part that it belongs to; pages of solutions last."""
    contents = yaml.safe_load(toc.read_text(encoding="utf-8"))
    yield "", contents["root"]
    for part in contents.get("parts", [contents]):
        yield from ((part.get("caption", ""), page) for page in _entries(part))
    for path in sorted((toc.parent / "book").glob("solutions_*.md")):
        yield APPENDIX, f"book/{path.stem}"


def _entries(entry: dict[str, Any]) -> Iterator[str]:
    for child in entry.get("chapters", []) + entry.get("sections", []):
        if "file" in child:
            yield re.sub(r"\.(md|ipynb)$", "", child["file"])
        yield from _entries(child)


def combine(
    site: Path, toc: Path, imprint: dict[str, str], stills: Mapping[str, list[str]] | None = None
) -> str:
    """The book as one page of HTML, to lie in the folder of the site.

    `imprint` has the `title`, the `authors`, a `note` on what was printed, and the `address` of the site with a
    slash at its end where it is known: what is no page of the book is linked there, and not at all without it.
    `stills` are the drawings, page by page, of what one can take hold of on the site.
    """
    articles: dict[str, tuple[str, Tag]] = {}
    for part, page in order(toc):
        path = site / f"{page}.html"
        if path.is_file() and not page.startswith(LEFT_OUT):
            soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
            articles[page] = part, soup.select_one("article.bd-article") or soup
    numbers = {page: f"p{number}" for number, page in enumerate(articles)}
    known = {
        page: {tag["id"] for tag in article.find_all(id=True)}
        for page, (_, article) in articles.items()
    }
    address = imprint.get("address", "")

    def place(page: str, element: str = "") -> str:
        """The name in the book of an element of a page; of the page itself without one."""
        return f"{numbers[page]}-{element}" if element else numbers[page]

    def target(href: str, page: str) -> str | None:
        """Where a link of `page` leads in the book, or on the site; None where it leads nowhere."""
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            return href
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
        goal, anchor = path.removesuffix(".html") if parts.path else page, unquote(parts.fragment)
        if goal in known:
            return "#" + place(goal, anchor if anchor in known[goal] else "")
        return (
            address + path + (f"#{parts.fragment}" if parts.fragment else "") if address else None
        )

    chapters = []
    for page, (part, article) in articles.items():
        for tag, drawing in itertools.zip_longest(
            article.select(".try"), (stills or {}).get(page, [])
        ):
            if tag is not None:
                link = f"{address}{page}.html" if address else ""
                box = fill("still.html", drawing=Markup(drawing or ""), address=link)
                tag.replace_with(BeautifulSoup(box, "html.parser"))
        for tag in article.select(
            "script, style[scoped], noscript" + ("" if address else ", .files")
        ):
            tag.decompose()
        for tag in article.find_all(True):
            _rename(tag, page, place)
            if tag.name == "a" and "href" in tag.attrs:
                goal = target(tag["href"], page)
                tag.name, tag.attrs = ("a", {**tag.attrs, "href": goal}) if goal else ("span", {})
        for heading in article.find_all(re.compile("^h[1-6]$")):
            heading["data-words"] = plain(heading.get_text().removesuffix("#"))
        title = article.find("h1")["data-words"] if article.find("h1") else page
        chapters.append(Chapter(part, place(page), title, Markup(article.decode_contents())))
    first = next(iter(articles))
    head = (site / f"{first}.html").read_text(encoding="utf-8").partition("</head>")[0]
    return fill(
        "print.html",
        imprint=imprint,
        chapters=chapters,
        parts=[
            (part, list(group))
            for part, group in itertools.groupby(chapters, lambda chapter: chapter.part)
        ],
        contents=CONTENTS,
        # the site's own styles, as the page names them, from the folder of the site
        styles="\n".join(_STYLES.findall(head)).replace(
            f'href="{"../" * first.count("/")}', 'href="'
        ),
        sheet=(Path(__file__).parent / "print.css").read_text(encoding="utf-8"),
    )


def _rename(tag: Tag, page: str, place: Any) -> None:
    """What an element is called, and what it calls others of its page and of the site's folder."""
    for name, value in list(tag.attrs.items()):
        text = " ".join(value) if isinstance(value, list) else value
        if name in _NAMING:
            tag[name] = " ".join(place(page, word) for word in text.split())
        elif name == "src" and not urlsplit(text).scheme:
            tag[name] = posixpath.normpath(
                posixpath.join(posixpath.dirname(page), text.partition("?")[0])
            )
        elif "url(#" in text:
            tag[name] = re.sub(
                r"url\(#([^)]+)", lambda found: f"url(#{place(page, found[1])}", text
            )
        elif name in ("href", "xlink:href") and tag.name == "use":
            tag[name] = "#" + place(page, text.removeprefix("#"))
