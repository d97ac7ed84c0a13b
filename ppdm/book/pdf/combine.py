"""One page of HTML that holds the whole book, made from the pages of the built site.

What can only be used on a screen is left out: buttons, filters, code that a page keeps folded. Where
there is something to take hold of, a sentence says where. What a page folds otherwise is unfolded.
The solutions move from their exercises to an appendix.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup

from ppdm.book.pdf import CONTENTS, LEFT_OUT, SOLUTIONS
from ppdm.book.site.search import plain

#: What has no use on paper.
_DEAD = (
    "script, noscript, style[scoped], button, form, input, select, dialog, template, .filters, .headerlink, "
    ".no-print, .sd-summary-state-marker, details.hide, .visually-hidden, .term-note"
)
#: Where the solutions stand, as the contents and the heads of their pages say.
APPENDIX = "Appendix"
#: Attributes that name elements of the same page.
_NAMING = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "headers")
_STYLES = re.compile(r'<link[^>]*rel="stylesheet"[^>]*>')


#: An element of a page; the types that its library gives to attributes are too wide to be of use.
Tag = Any


class Chapter(NamedTuple):
    """A page of the site, ready for print."""

    part: str
    page: str  # "book/intro"
    anchor: str
    title: str
    body: Tag
    sections: list[tuple[str, str]]  # anchor and heading


def order(toc: Path) -> Iterator[tuple[str, str]]:
    """The pages in the order of the book, each with the part that it belongs to."""
    told = yaml.safe_load(toc.read_text(encoding="utf-8"))
    yield "", told["root"]
    for part in told.get("parts", [told]):
        yield from _entries(part, part.get("caption", ""), toc.parent)


def _entries(entry: dict[str, Any], part: str, folder: Path) -> Iterator[tuple[str, str]]:
    for child in entry.get("chapters", []) + entry.get("sections", []):
        if "file" in child:
            yield part, re.sub(r"\.(md|ipynb)$", "", child["file"])
        elif "glob" in child:
            found = {p.with_suffix("") for p in folder.glob(child["glob"]) if p.is_file()}
            yield from ((part, p.relative_to(folder).as_posix()) for p in sorted(found))
        yield from _entries(child, part, folder)


class Names:
    """Names of elements that are unique in the whole book: `a17` for the `id` of one page."""

    def __init__(self) -> None:
        self.given: dict[tuple[str, str], str] = {}

    def of(self, page: str, name: str = "") -> str:
        """The name in the book of an element of a page; of the page itself without `name`."""
        return self.given.setdefault((page, name), f"a{len(self.given) + 1}")


def combine(site: Path, toc: Path, imprint: dict[str, str]) -> str:
    """The book as one page of HTML, to lie in the folder of the site.

    `imprint` has the `title`, the `authors`, a `note` on what was printed, and the `address` of the site with a
    slash at its end where it is known: what is no page of the book is linked there, and not at all without it.
    """
    parsed = {}
    for part, page in order(toc):
        path = site / f"{page}.html"
        if path.is_file() and page not in parsed and not page.startswith(LEFT_OUT):
            article = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").select_one(
                "article.bd-article"
            )
            if article is not None:
                parsed[page] = part, article
    names = Names()
    known = {
        page: {tag["id"] for tag in article.find_all(id=True)}
        for page, (_, article) in parsed.items()
    }
    chapters, solved = [], []
    for page, (part, article) in parsed.items():
        _point_inwards(article, page, known, names, site, imprint.get("address", ""))
        _leave_out(article, imprint.get("address", ""), page)
        chapter = _chapter(APPENDIX if is_solutions(page) else part, page, article, names)
        if not is_solutions(page):
            solved += _take_solutions(chapter)
        chapters.append(chapter)
    chapters.sort(key=lambda chapter: is_solutions(chapter.page))  # a page of solutions comes last
    text = [_title_page(imprint), _contents(chapters, bool(solved), names)]
    text += [_written(chapter) for chapter in chapters if not is_solutions(chapter.page)]
    if solved:
        text.append(_appendix(solved, names))
    text += [_written(chapter) for chapter in chapters if is_solutions(chapter.page)]
    sheet = (Path(__file__).parent / "print.css").read_text(encoding="utf-8")
    styles = _styles(site, next(iter(parsed)))
    heads = "\n".join(map(_running_head, chapters))
    return _PAGE.format(
        title=html.escape(imprint["title"]),
        styles=styles,
        heads=heads,
        sheet=sheet,
        body="\n".join(text),
    )


def is_solutions(page: str) -> bool:
    """Whether a page is one of solutions.

    >>> is_solutions("notebooks/solutions/01_electronic_surveys"), is_solutions("book/intro")
    (True, False)
    """
    return "solution" in page


def _chapter(part: str, page: str, article: Tag, names: Names) -> Chapter:
    for heading in article.find_all(re.compile("^h[1-6]$")):
        heading["data-words"] = _words(heading)
    heading = article.find("h1")
    title = _words(heading) if heading is not None else page
    sections = []
    for h in article.find_all("h2"):
        if h.parent.name == "section" and h.parent.get("id"):
            # a section may begin, empty, on the page before its heading: the contents name the heading
            h["id"] = f"{h.parent['id']}-heading"
            sections.append((str(h["id"]), _words(h)))
    return Chapter(part, page, names.of(page), title, article, sections)


def _words(heading: Tag) -> str:
    return plain(heading.get_text())


# -- links and names -------------------------------------------------------------------------------


def _point_inwards(
    article: Tag, page: str, known: dict[str, set], names: Names, site: Path, address: str
) -> None:
    """Names become the book's, and so do links; a link to what is not in the book leads to the site."""
    tag: Tag
    for tag in article.find_all(True):
        if tag.get("id"):
            tag["id"] = names.of(page, tag["id"])
        for attribute in _NAMING:
            if tag.get(attribute):
                value = tag[attribute]
                words = value if isinstance(value, list) else value.split()
                tag[attribute] = " ".join(names.of(page, word) for word in words)
        for attribute, value in list(tag.attrs.items()):
            if isinstance(value, str) and "url(#" in value:
                tag[attribute] = re.sub(
                    r"url\(#([^)]+)\)", lambda m: f"url(#{names.of(page, m[1])})", value
                )
        if tag.get("xlink:href", "").startswith("#"):
            tag["xlink:href"] = "#" + names.of(page, tag["xlink:href"][1:])
        elif tag.name == "use" and tag.get("href", "").startswith("#"):
            tag["href"] = "#" + names.of(page, tag["href"][1:])
        if tag.get("src") and not urlsplit(tag["src"]).scheme:
            tag["src"] = posixpath.normpath(
                posixpath.join(posixpath.dirname(page), tag["src"].partition("?")[0])
            )
    for link in article.find_all("a", href=True):
        target = _target(link["href"], page, known, names, address)
        if target:
            link["href"] = target
        else:
            link.name = "span"
            del link["href"]
        for attribute in ("download", "target", "title"):
            del link[attribute]


def _target(href: str, page: str, known: dict[str, set], names: Names, address: str) -> str | None:
    """Where a link of `page` leads in the book; None where it leads nowhere."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return href
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
    goal = path.removesuffix(".html") if parts.path else page
    if goal in known:
        anchor = unquote(parts.fragment)
        return "#" + names.of(goal, anchor if anchor in known[goal] else "")
    return address + path + (f"#{parts.fragment}" if parts.fragment else "") if address else None


# -- what paper cannot do --------------------------------------------------------------------------


def _leave_out(article: Tag, address: str, page: str) -> None:
    """Drop what cannot be used on paper; unfold the rest."""
    for tag in article.select(".try"):
        tag.clear()
        tag.attrs = {"class": "on-the-site"}
        tag.append(
            "Here the site has something to take hold of"
            + (f": {address}{page}.html" if address else ".")
        )
    for tag in article.select(_DEAD):
        if not tag.decomposed:
            tag.decompose()
    for files in article.select(".files"):
        if not files.find("a", href=True):  # without an address they lead nowhere
            files.decompose()
    for folded in article.find_all("details"):
        summary = folded.find("summary")
        if summary is not None:
            summary.name, summary["class"] = "p", "unfolded"
        folded.name = "div"
    for box in article.select(".dropdown"):
        box["class"] = [c for c in box["class"] if c != "dropdown"]


def _take_solutions(chapter: Chapter) -> list[tuple[Chapter, Tag]]:
    """Take a chapter's solutions out of it; each exercise then says on which page its solution is."""
    found = []
    for solution in chapter.body.select(".solution"):
        see = BeautifulSoup(
            f'<p class="see">Solution: <a href="#{solution["id"]}">page '
            f'<span data-page="{solution["id"]}">000</span></a></p>',
            "html.parser",
        )
        solution.replace_with(see)
        found.append((chapter, solution))
    return found


# -- the book --------------------------------------------------------------------------------------


def _title_page(imprint: dict[str, str]) -> str:
    address = imprint.get("address", "")
    link = f'<p><a href="{html.escape(address)}">{html.escape(address)}</a></p>' if address else ""
    return (
        f'<section class="title-page"><p class="the-title">{html.escape(imprint["title"])}</p>'
        f'<p class="authors">{html.escape(imprint["authors"])}</p>'
        f'<div class="note"><p>{html.escape(imprint["note"])}</p>{link}</div></section>'
    )


def _contents(chapters: list[Chapter], appendix: bool, names: Names) -> str:
    rows, part = [], ""
    last = [c for c in chapters if is_solutions(c.page)]
    for chapter in [c for c in chapters if not is_solutions(c.page)]:
        if chapter.part != part:
            part = chapter.part
            rows.append(f'<p class="part">{html.escape(part)}</p>')
        rows.append(_row("chapter", chapter.anchor, chapter.title))
        if not chapter.page.startswith("book/assignments/"):
            rows += [_row("section", anchor, words) for anchor, words in chapter.sections]
    if appendix or last:
        rows.append(f'<p class="part">{APPENDIX}</p>')
    if appendix:
        rows.append(_row("chapter", names.of(SOLUTIONS), SOLUTIONS))
    rows += [_row("chapter", chapter.anchor, chapter.title) for chapter in last]
    return f'<section class="contents">{_heading("h1", CONTENTS)}{"".join(rows)}</section>'


def _row(kind: str, anchor: str, words: str) -> str:
    return (
        f'<p class="row {kind}"><a href="#{anchor}"><span>{html.escape(words)}</span>'
        f'<span class="dots"></span><span class="number" data-page="{anchor}">000</span></a></p>'
    )


def _heading(level: str, words: str) -> str:
    said = html.escape(words)
    return f'<{level} data-words="{said}">{said}</{level}>'


def _written(chapter: Chapter) -> str:
    inside = chapter.body.decode_contents()
    return f'<section class="page {chapter.anchor}" id="{chapter.anchor}">{inside}</section>'


def _appendix(solved: list[tuple[Chapter, Tag]], names: Names) -> str:
    anchor, rows, of = names.of(SOLUTIONS), [], ""
    for chapter, solution in solved:
        if chapter.title != of:
            of = chapter.title
            rows.append(_heading("h2", of))
        rows.append(str(solution))
    return f'<section class="page solutions" id="{anchor}">{_heading("h1", SOLUTIONS)}{"".join(rows)}</section>'


def _running_head(chapter: Chapter) -> str:
    """A page of a kind of its own for each chapter: its head names part and chapter."""
    part, title = (re.sub(r'["\\]', r"\\\g<0>", words) for words in (chapter.part, chapter.title))
    return (
        f".page.{chapter.anchor} {{ page: {chapter.anchor}; }}\n"
        f'@page {chapter.anchor} {{ @top-left {{ content: "{part}"; }} @top-right {{ content: "{title}"; }} }}'
    )


def _styles(site: Path, page: str) -> str:
    """The site's own styles, as the page names them, from the folder of the site."""
    text = (site / f"{page}.html").read_text(encoding="utf-8").partition("</head>")[0]
    up = "../" * page.count("/")
    return "\n".join(link.replace(f'href="{up}', 'href="') for link in _STYLES.findall(text))


_PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light" data-mode="light">
<head>
<meta charset="utf-8">
<title>{title}</title>
{styles}
<style>
{heads}
</style>
<style>
{sheet}
</style>
<script>window.MathJax = {{
  loader: {{load: ["core", "input/tex", "output/chtml"]}},
  options: {{ignoreHtmlClass: "tex2jax_ignore|mathjax_ignore",
    processHtmlClass: "tex2jax_process|mathjax_process|math|output_area"}},
}};</script>
<script defer src="_static/mathjax/startup.js"></script>
</head>
<body class="book">
<main class="bd-content bd-article">
{body}
</main>
</body>
</html>
"""
