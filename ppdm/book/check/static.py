"""Checks that read the files of the built site and need no browser."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ppdm.book.pages import pages
from ppdm.book.pdf import NAME
from ppdm.book.site.live import FOLDER

from . import Finding

SIZE_LIMIT = 25_000_000
PYTHON_LIMIT = 60_000_000  # with Python for the browser, which no page loads before it is asked to
PRINT_LIMIT = 15_000_000  # the printed book, which is attached to the site

# Attributes that make a browser fetch something, as opposed to links that a reader may follow.
_FETCHING = {
    ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"),
    ("audio", "src"), ("embed", "src"), ("object", "data"), ("input", "src"),
}  # fmt: skip
_FETCHING_RELATIONS = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect",
                       "dns-prefetch", "manifest"}  # fmt: skip


class _Page(HTMLParser):
    """Collects the anchors of a page, its links, and what it makes a browser fetch."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetches: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        for name in ("id", "name"):
            if given.get(name):
                self.anchors.add(given[name])
        if tag in ("a", "area") and "href" in given:
            self.links.append(given["href"])
        for name, value in given.items():
            if (tag, name) in _FETCHING:
                self.fetches.append(value)
        relations = set(given.get("rel", "").lower().split())
        if tag == "link" and given.get("href") and relations & _FETCHING_RELATIONS:
            self.fetches.append(given["href"])
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.links.append(given.get("content", "").partition("url=")[2])


def _outside(target: str) -> bool:
    parts = urlsplit(target)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "ftp")


def check_links(site: Path) -> list[Finding]:
    """Every internal link of every page leads to a file, and its anchor to an element there."""
    parsed = {path: _Page(path.read_text(encoding="utf-8")) for path in pages(site)}
    findings = []
    for path, page in parsed.items():
        name = path.relative_to(site).as_posix()
        for target in dict.fromkeys(page.links + page.fetches):
            parts = urlsplit(target)
            if _outside(target) or parts.scheme:
                continue
            goal = path
            if parts.path.startswith("/"):
                goal = site / unquote(parts.path).lstrip("/")
            elif parts.path:
                goal = (path.parent / unquote(parts.path)).resolve()
            if goal.is_dir():
                goal = goal / "index.html"
            anchor = unquote(parts.fragment)
            if not goal.is_file():
                findings.append(Finding(name, "broken link", f"{target} leads to no file"))
            elif goal.suffix == ".html" and anchor not in ("", "top"):
                if goal not in parsed:
                    parsed_goal = _Page(goal.read_text(encoding="utf-8"))
                else:
                    parsed_goal = parsed[goal]
                if anchor not in parsed_goal.anchors:
                    findings.append(Finding(name, "broken anchor", f"{target} is on no element"))
    return findings


def check_outside_references(site: Path) -> list[Finding]:
    """No page names a script, style, picture or frame of another host."""
    return [
        Finding(path.relative_to(site).as_posix(), "third party", target)
        for path in pages(site)
        for target in _Page(path.read_text(encoding="utf-8")).fetches
        if _outside(target)
    ]


def check_size(
    site: Path, limit: int = SIZE_LIMIT, python: int = PYTHON_LIMIT, printed: int = PRINT_LIMIT
) -> list[Finding]:
    """The site, the same with Python for the browser, and the printed book are smaller than their limits.

    If one is not, its five largest files are named.
    """
    files = [(p.stat().st_size, p) for p in site.rglob("*") if p.is_file()]
    runtime = site / "_static" / FOLDER
    book = [(size, p) for size, p in files if p == site / NAME]
    whole = [entry for entry in files if entry not in book]
    plain = [(size, p) for size, p in whole if runtime not in p.parents]
    findings = []
    for what, part, most in (
        ("site", plain, limit),
        ("site with Python", whole, python),
        (NAME, book, printed),
    ):
        total = sum(size for size, _ in part)
        if total >= most:
            largest = ", ".join(
                f"{p.relative_to(site).as_posix()} {size / 1e6:.1f} MB"
                for size, p in sorted(part, reverse=True)[:5]
            )
            detail = f"{total / 1e6:.1f} MB, allowed {most / 1e6:.1f}: {largest}"
            findings.append(Finding(what, "size", detail))
    return findings


def check_files(site: Path) -> list[Finding]:
    """All checks of this module."""
    return check_links(site) + check_outside_references(site) + check_size(site)
