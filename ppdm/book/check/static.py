"""Checks that read the files of the built site and need no browser."""

import html
import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ppdm.book.pages import pages
from ppdm.book.pdf import NAME
from ppdm.book.site.live import FOLDER

from . import Finding

SIZE_LIMIT = 25_000_000
PYTHON_LIMIT = 60_000_000  # with Python for the browser, which no page loads before it is asked to
PRINT_LIMIT, PAGES = 15_000_000, 300  # the printed book, which is attached to the site

_SCRIPT = re.compile(r"(<script\b[^>]*>).*?</script>", re.DOTALL)
_NAME = re.compile(r'\s(?:id|name)="([^"]*)"')
_LINK = re.compile(
    r'<(?:a|area|link|script|img|iframe|source)\s[^>]*?\b(?:href|src)="([^"]*)"|content="\d+; url=([^"]*)"'
)


def _named_and_linked(page: Path) -> tuple[set[str], list[str]]:
    """The anchors of a page, and all that it leads to or loads."""
    text = _SCRIPT.sub(r"\1", page.read_text(encoding="utf-8"))
    links = (html.unescape(link or moved) for link, moved in _LINK.findall(text))
    return {"", "top", *map(html.unescape, _NAME.findall(text))}, list(dict.fromkeys(links))


def check_links(site: Path) -> list[Finding]:
    """Every internal link of every page leads to a file, and its anchor to an element there."""
    parsed = lru_cache(maxsize=None)(_named_and_linked)
    findings = []
    for path in pages(site):
        name = path.relative_to(site).as_posix()
        for target in parsed(path)[1]:
            parts = urlsplit(target)
            if parts.netloc or parts.scheme:
                continue
            start = site if parts.path.startswith("/") else path.parent
            goal = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.is_file():
                findings.append(Finding(name, "broken link", f"{target} leads to no file"))
            elif goal.suffix == ".html" and unquote(parts.fragment) not in parsed(goal)[0]:
                findings.append(Finding(name, "broken anchor", f"{target} is on no element"))
    return findings


def check_size(site: Path) -> list[Finding]:
    """The site, the same with Python for the browser, and the printed book keep to their limits.

    If one does not, its five largest files are named.
    """
    files = {
        path.relative_to(site).as_posix(): path.stat().st_size
        for path in site.rglob("*")
        if path.is_file()
    }
    whole = files.keys() - {NAME}
    plain = {name for name in whole if not name.startswith(f"_static/{FOLDER}/")}
    parts = (
        ("site", plain, SIZE_LIMIT),
        ("site with Python", whole, PYTHON_LIMIT),
        (NAME, files.keys() & {NAME}, PRINT_LIMIT),
    )
    findings = []
    for what, part, most in parts:
        total = sum(map(files.__getitem__, part))
        if total >= most:
            five = sorted(part, key=files.__getitem__, reverse=True)[:5]
            largest = ", ".join(f"{name} {files[name] / 1e6:.1f} MB" for name in five)
            findings.append(
                Finding(what, "size", f"{total / 1e6:.1f} MB, allowed {most / 1e6:.1f}: {largest}")
            )
    return findings


def check_print(site: Path) -> list[Finding]:
    """The printed book has its pages, and can be read out."""
    import pikepdf

    if not (site / NAME).is_file():
        return []
    with pikepdf.open(site / NAME) as pdf:
        pages, tagged = len(pdf.pages), "/StructTreeRoot" in pdf.Root
    wrong = [f"it has {pages} pages; allowed {PAGES}"] if pages > PAGES else []
    wrong += [] if tagged else ["it is not tagged"]
    return [Finding(NAME, "pdf", sentence) for sentence in wrong]


def check_files(site: Path) -> list[Finding]:
    """All checks of this module."""
    return check_links(site) + check_size(site) + check_print(site)
