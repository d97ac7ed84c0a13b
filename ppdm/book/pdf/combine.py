"""One page of HTML that holds the whole book, made from the pages of the built site.

What can only be used on a screen is left out: buttons, filters, code that a page keeps folded. Where a page has something
to take hold of, a picture of it stands, and a sentence that says where it moves. Other folded parts are unfolded. The
solutions move from where they stand to an appendix.
"""

from __future__ import annotations

import itertools
import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup
from markupsafe import Markup

from ppdm.book.pdf import APPENDIX, CONTENTS, LEFT_OUT, SOLUTIONS
from ppdm.book.site.search import plain
from ppdm.book.templating import PAGES, fill

#: What has no use on paper.
_DEAD = (
    "script, noscript, style[scoped], button, form, input, select, dialog, template, .filters, .headerlink, "
    ".no-print, .sd-summary-state-marker, details.hide, .visually-hidden, .term-note"
)
#: What a page folds because it repeats what stands on it.
_REPEATED = "All verdicts"
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


def _in_order(chapters: Sequence[Chapter], name: str) -> list[tuple[str, list[Chapter]]]:
    return [(key, list(group)) for key, group in itertools.groupby(chapters, attrgetter(name))]


PAGES.filters |= {
    "groupby_in_order": _in_order,
    "quoted": lambda words: Markup(json.dumps(words, ensure_ascii=False).replace("<", "\\3c ")),
}


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


class _Book:
    """The articles of the pages, and how an element of one is called in the whole."""

    def __init__(self, site: Path, toc: Path, address: str) -> None:
        self.site, self.address = site, address
        self.articles: dict[str, tuple[str, Tag]] = {}
        for part, page in order(toc):
            path = site / f"{page}.html"
            if path.is_file() and page not in self.articles and not page.startswith(LEFT_OUT):
                soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
                article = soup.select_one("article.bd-article")
                if article is not None:
                    self.articles[page] = part, article
        self.known = {
            page: {tag["id"] for tag in article.find_all(id=True)}
            for page, (_, article) in self.articles.items()
        }
        self.numbers = {page: f"p{number}" for number, page in enumerate(self.articles)}

    def name(self, page: str, element: str = "") -> str:
        """The name in the book of an element of a page; of the page itself without one."""
        return f"{self.numbers[page]}-{element}" if element else self.numbers[page]

    def target(self, href: str, page: str) -> str | None:
        """Where a link of `page` leads in the book; None where it leads nowhere."""
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            return href
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
        goal = path.removesuffix(".html") if parts.path else page
        if goal in self.known:
            anchor = unquote(parts.fragment)
            return "#" + self.name(goal, anchor if anchor in self.known[goal] else "")
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return self.address + path + fragment if self.address else None


def combine(
    site: Path, toc: Path, imprint: dict[str, str], stills: Mapping[str, list[str]] | None = None
) -> str:
    """The book as one page of HTML, to lie in the folder of the site.

    `imprint` has the `title`, the `authors`, a `note` on what was printed, and the `address` of the site with a
    slash at its end where it is known: what is no page of the book is linked there, and not at all without it.
    `stills` are the drawings, page by page, of what one can take hold of on the site.
    """
    book = _Book(site, toc, imprint.get("address", ""))
    chapters, solved = [], []
    for page, (part, article) in book.articles.items():
        _leave_out(
            article,
            f"{book.address}{page}.html" if book.address else "",
            (stills or {}).get(page, []),
        )
        _point_inwards(article, page, book)
        for heading in article.find_all(re.compile("^h[1-6]$")):
            heading["data-words"] = plain(heading.get_text())
        title = article.find("h1")["data-words"] if article.find("h1") else page
        solutions = [_take(solution) for solution in article.select(".solution")]
        if solutions:
            name = f' id="{book.name(page)}"' if part == APPENDIX else ""
            words = Markup.escape(title)
            solved += [f'<h2 data-words="{words}"{name}>{words}</h2>', *solutions]
        if part != APPENDIX:
            chapters.append(
                Chapter(part, book.name(page), title, Markup(article.decode_contents()))
            )
    if solved:
        heading = f'<h1 data-words="{SOLUTIONS}">{SOLUTIONS}</h1>'
        chapters.append(
            Chapter(APPENDIX, "solutions", SOLUTIONS, Markup(heading + "".join(solved)))
        )
    return fill(
        "print.html",
        imprint=imprint,
        chapters=chapters,
        contents=CONTENTS,
        styles=_styles(site, next(iter(book.articles))),
        sheet=(Path(__file__).parent / "print.css").read_text(encoding="utf-8"),
    )


def _point_inwards(article: Tag, page: str, book: _Book) -> None:
    """Names become the book's, and so do links; a link to what is not in the book leads to the site."""

    def local(match: re.Match[str]) -> str:
        return f"{match[1]}#{book.name(page, match[2])}"

    for tag in article.find_all(True):
        for name, value in list(tag.attrs.items()):
            text = " ".join(value) if isinstance(value, list) else value
            if name in _NAMING:
                tag[name] = " ".join(book.name(page, word) for word in text.split())
            elif name == "src" and not urlsplit(text).scheme:
                path = posixpath.join(posixpath.dirname(page), text.partition("?")[0])
                tag[name] = posixpath.normpath(path)
            elif "url(#" in text:
                tag[name] = re.sub(r"(url\()#([^)]+)", local, text)
            elif name in ("href", "xlink:href") and tag.name == "use":
                tag[name] = re.sub("^()#(.+)", local, text)
        if tag.name == "a" and "href" in tag.attrs:
            goal = book.target(tag["href"], page)
            tag.name = "a" if goal else "span"
            kept = {
                n: v
                for n, v in tag.attrs.items()
                if n not in ("href", "download", "target", "title")
            }
            tag.attrs = kept | ({"href": goal} if goal else {})


def _leave_out(article: Tag, address: str, stills: list[str]) -> None:
    """Drop what cannot be used on paper, with a picture in its place where there is one; unfold the rest."""
    for number, tag in enumerate(article.select(".try")):
        drawing = stills[number] if number < len(stills) else ""
        box = fill("still.html", drawing=Markup(drawing), address=address)
        tag.replace_with(BeautifulSoup(box, "html.parser"))
    for tag in article.select(_DEAD):
        if not tag.decomposed:
            tag.decompose()
    for files in article.select(".files"):
        if not address:  # they would lead nowhere
            files.decompose()
    for folded in article.find_all("details"):
        summary = folded.find("summary")
        if summary is not None and summary.get_text().strip().startswith(_REPEATED):
            folded.decompose()
        elif summary is not None:
            summary.name, summary["class"], folded.name = "p", "unfolded", "div"


def _take(solution: Tag) -> str:
    """A solution, taken out of its page: where it stood, its page in the book is told."""
    solution["class"] = [name for name in solution["class"] if name != "dropdown"]
    see = fill("see.html", anchor=solution["id"])
    solution.replace_with(BeautifulSoup(see, "html.parser"))
    return str(solution)


def _styles(site: Path, page: str) -> str:
    """The site's own styles, as the page names them, from the folder of the site."""
    text = (site / f"{page}.html").read_text(encoding="utf-8").partition("</head>")[0]
    up = "../" * page.count("/")
    return "\n".join(link.replace(f'href="{up}', 'href="') for link in _STYLES.findall(text))
