"""Chromium prints the book."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import yaml

from ppdm.book.chromium import HOW_TO_INSTALL, find_chromium, launch_options
from ppdm.book.pdf import NAME
from ppdm.book.pdf.combine import combine
from ppdm.book.pdf.pack import pack
from ppdm.files import replace_file

#: Within a page of A4: 210 mm less two margins of 20 mm, as `print.css` has it, at 96 px an inch.
WIDTH = 170 / 25.4 * 96
PATIENCE = 300_000  # milliseconds for one step of a slow machine

# What is wider than the page is made smaller until it fits; nothing is cut.
_FIT = """(width) => {
  const wide = 'table, pre, figure.drawn > *, img, svg, mjx-container[display="true"] > mjx-math';
  let fitted = 0;
  for (const element of document.querySelectorAll(wide)) {
    const parent = element.closest('td, th, .sd-card-body, .claim-card, .admonition') || document.querySelector('main');
    const style = getComputedStyle(parent);
    const room = Math.min(width, parent.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    const needed = Math.max(element.scrollWidth || 0, element.getBoundingClientRect().width);
    if (needed > room + 1) {
      element.style.zoom = Math.max(0.4, room / needed - 0.005);
      fitted += 1;
    }
  }
  // Whole tables, unless one would leave much of a page empty.
  for (const table of document.querySelectorAll('table')) {
    if (table.getBoundingClientRect().height > 500) table.classList.add('long');
  }
  return fitted;
}"""

_HEADINGS = """() => [...document.querySelectorAll('main :is(h1, h2, h3, h4, h5, h6)')]
  .map((heading) => heading.dataset.words)"""

_NUMBER = """(numbers) => {
  for (const place of document.querySelectorAll('[data-page]')) {
    place.textContent = numbers[place.dataset.page] ?? '';
  }
}"""

_READY = """async () => {
  await MathJax.startup.promise;
  for (const image of document.images) image.loading = 'eager';
  await Promise.all([...document.fonts].filter((f) => f.family.includes('Source Serif')).map((f) => f.load()));
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
  await document.fonts.ready;
  return [...document.querySelectorAll('.math')].filter((m) => !m.querySelector('mjx-container')).length;
}"""


def lacking() -> str | None:
    """What this machine lacks for printing, in words; None when nothing."""
    if not find_chromium():
        return f"Chromium ({HOW_TO_INSTALL})"
    for package in ("playwright", "pypdf"):
        if importlib.util.find_spec(package) is None:
            return f"the package {package} (install ppdm with its extra `test`)"
    return None


def press(site: Path, source: Path, target: Path) -> int:
    """Print the book of `site`, staged in `source`, to `target`; returns the number of its pages."""
    missing = lacking()
    if missing:
        raise RuntimeError(f"the PDF needs {missing}.")
    page = site / "_book_to_print.html"
    page.write_text(combine(site, source / "_toc.yml", imprint(source)), encoding="utf-8")
    try:
        return _print(page, target)
    finally:
        page.unlink()


def imprint(source: Path) -> dict[str, str]:
    """What the title page says, from the staged configuration."""
    config = yaml.safe_load((source / "_config.yml").read_text(encoding="utf-8"))
    address = config.get("html", {}).get("baseurl", "")
    note = (
        "Printed from the book's site. Code that the site keeps folded is left out; the notebooks have it. "
        "What one can take hold of, and the reference of the package, are on the site only. "
        "The solutions of the exercises are in an appendix."
    )
    return {
        "title": config["title"],
        "authors": config.get("author", ""),
        "address": address,
        "note": note,
    }


def _print(page: Path, target: Path) -> int:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(**launch_options())
        path = Path(folder) / NAME
        numbers: dict[str, int] = {}
        for _ in range(4):  # two do, if the numbers move no line
            window = _open(browser, page)
            if numbers:
                window.evaluate(_NUMBER, numbers)
            window.pdf(
                path=path,
                prefer_css_page_size=True,
                print_background=True,
                tagged=True,
                outline=True,
            )
            headings = window.evaluate(_HEADINGS)
            window.close()
            found = destinations(path)
            if found == numbers:
                break
            numbers = found
        else:
            raise RuntimeError("the page numbers of the contents did not settle.")
        browser.close()
        replace_file(target, pack(path.read_bytes(), headings))
        return page_count(path)


def _open(browser: Any, page: Path) -> Any:
    """The page in a window of its own, ready to be printed, once.

    Where a line just fits, Chromium puts it now on one page and now on the next when it prints a window again;
    what was only loaded it prints as it did before.
    """
    size = {"width": round(WIDTH), "height": 1000}
    window = browser.new_page(viewport=size, color_scheme="light", reduced_motion="reduce")
    window.set_default_timeout(PATIENCE)
    window.emulate_media(media="print")
    window.goto(page.as_uri(), wait_until="load")
    unset = window.evaluate(_READY)
    if unset:
        raise RuntimeError(f"{unset} formulas of the book were not set: it is not printed.")
    window.evaluate(_FIT, WIDTH)
    return window


def destinations(path: Path) -> dict[str, int]:
    """The page, counted from 1, of each place in a PDF that a link leads to."""
    import pypdf

    reader = pypdf.PdfReader(path)
    number = {p.indirect_reference.idnum: i + 1 for i, p in enumerate(reader.pages)}  # type: ignore[union-attr]
    return {
        name.removeprefix("/"): number[_page_of(place)]
        for name, place in reader.named_destinations.items()
        if _page_of(place) in number
    }


def _page_of(place: Any) -> int:
    return place.get("/Page").idnum


def page_count(path: Path) -> int:
    """How many pages a PDF has."""
    import pypdf

    return len(pypdf.PdfReader(path).pages)
