"""Chromium prints the book."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ppdm.book.chromium import HOW_TO_INSTALL, find_chromium, launch_options
from ppdm.book.pdf import NAME, REPORT
from ppdm.book.pdf.combine import combine, order
from ppdm.book.site.theme import give_room

#: Within a page of A4: 210 mm less two margins of 17 mm, as `print.css` has it, at 96 px an inch.
WIDTH = 176 / 25.4 * 96
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

# The room of each formula of the running text, in em: width in a line, height on lines of its own.
_ROOMS = """() => [...MathJax.startup.document.math].map((item) => {
  const box = item.typesetRoot.closest('.math') || item.typesetRoot;
  const {width, height} = box.getBoundingClientRect();
  const size = parseFloat(getComputedStyle(box).fontSize);
  return box.closest('h1, h2, h3, h4, h5, h6') ? null
    : [Math.round(1000 * (item.display ? height : width) / size) / 1000, item.math.trim(), item.display];
}).filter(Boolean)"""

_STILLS = """() => [...document.querySelectorAll('.try')].map((place) =>
  [...place.querySelectorAll('svg')].map((drawing) => drawing.outerHTML).join(''))"""

_NUMBER = """(numbers) => {
  for (const place of document.querySelectorAll('[data-page]')) {
    place.textContent = numbers[place.dataset.page] ?? '';
  }
}"""

_READY = """async () => {
  await MathJax.startup.promise;
  // What repeats itself or only checks stays folded on the site, and is left out; the rest is unfolded.
  for (const folded of document.querySelectorAll('details')) {
    const summary = folded.querySelector('summary');
    if (/^\\s*(All verdicts|Rule and history)/.test(summary?.textContent)) folded.remove(); else folded.open = true;
    if (summary) summary.className = 'unfolded';
  }
  for (const image of document.images) image.loading = 'eager';
  await Promise.all([...document.fonts].filter((f) => f.family.includes('Source Serif')).map((f) => f.load().catch(() => null)));
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
  await document.fonts.ready;
  return [...document.querySelectorAll('.math')].filter((m) => !m.querySelector('mjx-container')).length;
}"""


def lacking() -> str | None:
    """What this machine lacks for printing, in words; None when nothing."""
    if not find_chromium():
        return f"Chromium ({HOW_TO_INSTALL})"
    for package in ("playwright", "pikepdf"):
        if importlib.util.find_spec(package) is None:
            return f"the package {package} (install ppdm with its extra `test`)"
    return None


def press(site: Path, source: Path, target: Path) -> int:
    """Print the book of `site`, staged in `source`, to `target`; returns the number of its pages."""
    missing = lacking()
    if missing:
        raise RuntimeError(f"the PDF needs {missing}.")
    from playwright.sync_api import sync_playwright

    page, toc = site / "_book_to_print.html", source / "_toc.yml"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        try:
            drawn = stills(browser, site, [name for _, name in order(toc)])
            page.write_text(combine(site, toc, imprint(source), drawn), encoding="utf-8")
            print_report(browser, site, target.parent)
            return _print(browser, page, target)
        finally:
            page.unlink(missing_ok=True)
            browser.close()


def stills(browser: Any, site: Path, names: list[str]) -> dict[str, list[str]]:
    """What the pages draw for their readers to take hold of, as it stands when a page is opened."""
    drawn = {}
    for name in names:
        path = site / f"{name}.html"
        if path.is_file() and 'class="try' in path.read_text(encoding="utf-8"):
            window = browser.new_page(color_scheme="light", reduced_motion="reduce")
            window.goto(path.as_uri(), wait_until="load")
            drawn[name] = window.evaluate(_STILLS)
            window.close()
    return drawn


def imprint(source: Path) -> dict[str, str]:
    """What the title page says, from the staged configuration."""
    config = yaml.safe_load((source / "_config.yml").read_text(encoding="utf-8"))
    address = config.get("html", {}).get("baseurl", "")
    note = (
        "Printed from the book's site. Code that the site keeps folded is left out; the notebooks have it. "
        "What moves on the site stands still here, and the reference of the package is on the site only. "
        "The solutions of the exercises are in an appendix."
    )
    return {
        "title": config["title"],
        "authors": config.get("author", ""),
        "address": address,
        "note": note,
    }


def print_report(browser: Any, site: Path, folder: Path) -> None:
    """The report alone, to be cited and read without the book; a site that has none is left as it is."""
    name, target = REPORT
    page = site / f"{name}.html"
    if not page.is_file():
        return
    window = _open(browser, page)
    window.pdf(path=folder / target, format="A4", tagged=True, scale=0.7)
    window.close()


def _print(browser: Any, page: Path, target: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path, numbers = Path(folder) / NAME, dict[str, int]()
        for _ in range(2):  # the second time with the numbers of the first
            window = _open(browser, page)
            rooms = window.evaluate(_ROOMS)
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
            before, numbers = numbers, destinations(path)
        if before != numbers:
            raise RuntimeError("the page numbers of the contents did not settle.")
        # the widest, where a table was made smaller to fit
        give_room(page.parent, {(tex, own): em for em, tex, own in sorted(rooms)})
        return finish(path, headings, target)


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
    import pikepdf

    with pikepdf.open(path) as pdf:
        number: dict[Any, int] = {page.objgen: i for i, page in enumerate(pdf.pages, start=1)}
        places: Any = pdf.Root.get("/Dests", {})
        return {name[1:]: number[place[0].objgen] for name, place in places.items()}


def finish(path: Path, headings: list[str], target: Path) -> int:
    """Lay Chromium's print at `target`, in a third of the room; returns the number of its pages.

    Chromium says some headings twice in the outline, and formulas not at all: the outline gets its words from the
    page, if it has as many entries as the page has headings.
    """
    import pikepdf

    part = target.with_suffix(".part")
    with pikepdf.open(path) as pdf:
        marks = list(bookmarks(pdf.Root.get("/Outlines")))
        if len(marks) == len(headings):
            for mark, words in zip(marks, headings, strict=True):
                mark.Title = words
        pdf.save(part, object_stream_mode=pikepdf.ObjectStreamMode.generate, static_id=True)
        part.replace(target)
        return len(pdf.pages)


def bookmarks(parent: Any) -> Iterator[Any]:
    """The entries of an outline below one of them, in order."""
    mark = parent.get("/First") if parent is not None else None
    while mark is not None:
        yield mark
        yield from bookmarks(mark)
        mark = mark.get("/Next")
