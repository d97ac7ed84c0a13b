"""What a page looks like, measured in the browser: how long it is, where its first figure stands.

The limits are those of a paper's page: the pages that `book/chapters.yml` gives a second page. The
sizes of lettering and the contrast of what stands in drawings are measured on every page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppdm.places import BEYOND

from . import Finding
from .browser import DRAWN

if TYPE_CHECKING:
    from playwright.async_api import Page

WIDE, PHONE = (1366, 900), (390, 844)
TALLEST, TALLEST_BEYOND = 20_000, 12_000  # px of a paper's page, of the page beyond it
FIRST = {"figure": 1350, "verdict": 2700}  # px down to the end of a paper's first
LINES = {"whole-paper": 20, "pseudocode": 45}  # of a visible cell with this tag; of others
LINES_ELSE = 15
SMALLEST = 10.0  # px of lettering on a phone
CONTRAST = 4.5
ENTRIES = 24  # of the sidebar
#: What of a page ends where, at most, on a wide window and on a phone.
ENDS = {
    "book/intro.html": {"the picture's top": (700, 700), "the fourth row": (900, 1_700)},
    "book/scoreboard.html": {"height": (12_000, 12_000)},
}

# Everything in one go: a number for the page, a list for what has to be told one by one. Lettering in
# a drawing of matplotlib's is made of outlines, drawn 100 units high and scaled to their size.
MEASURE = r"""() => {
  const seen = (e) => e && e.checkVisibility() && e.getBoundingClientRect().height > 0;
  const bottom = (e) => e ? Math.round(e.getBoundingClientRect().bottom + scrollY) : null;
  const article = document.querySelector(".bd-article, main") || document.body;
  const first = (what) => [...article.querySelectorAll(what)].find(seen);
  const drawings = [...article.querySelectorAll("svg[role=img]")].filter(seen);
  const lettering = drawings.flatMap((svg) => {
    const unit = svg.getBoundingClientRect().width / (svg.viewBox.baseVal.width || svg.clientWidth || 1);
    const drawn = [...svg.querySelectorAll("g[transform*=scale]")].map((g) =>
      /scale\(([\d.]+) -/.exec(g.getAttribute("transform"))).filter(Boolean).map((m) => 100 * m[1] * unit);
    const written = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim()).map((t) =>
      parseFloat(getComputedStyle(t).fontSize) * unit);
    const figure = svg.closest("[id]");
    return [...drawn, ...written].map((size) => [figure ? figure.id : "a drawing", size]);
  });
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || e.closest("svg, mjx-container, .math, sup, sub, script, style")) continue;
    const size = parseFloat(getComputedStyle(e).fontSize);
    if (size < 10 && seen(e)) lettering.push([texts.currentNode.textContent.trim().slice(0, 30), size]);
  }
  const smallest = {};
  for (const [where, size] of lettering) smallest[where] = Math.min(smallest[where] ?? 1e9, size);
  const colour = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const luminance = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  let ground = [255, 255, 255];
  for (let e = article; e; e = e.parentElement) {
    const here = colour(getComputedStyle(e).backgroundColor);
    if (here.length === 3) { ground = here; break; }
  }
  const contrast = {};
  for (const svg of drawings) {
    if (svg.querySelector("[id*=QuadMesh]")) continue;  // numbers stand on fields of many colours
    const name = (svg.closest("[id]") || {id: "a drawing"}).id;
    for (const g of svg.querySelectorAll("g[id*=text_]")) {
      const ink = colour(getComputedStyle(g.querySelector("use, path") || g).fill);
      if (ink.length < 3) continue;
      const [low, high] = [luminance(ink), luminance(ground)].sort((a, b) => a - b);
      contrast[name] = Math.min(contrast[name] ?? 21, (high + 0.05) / (low + 0.05));
    }
  }
  const cells = [...article.querySelectorAll(".cell")].map((cell) => {
    const pre = cell.querySelector(".cell_input pre");
    const tag = [...cell.classList].find((c) => c.startsWith("tag_"));
    return seen(pre) ? [tag ? tag.slice(4) : "", pre.textContent.trimEnd().split("\n").length,
                        pre.textContent.trim().split("\n")[0].slice(0, 40)] : null;
  }).filter(Boolean);
  const front = document.querySelector(".try.front");
  const sideways = [...article.querySelectorAll("table")].filter(seen).map((t) => t.parentElement)
    .filter((e) => e.scrollWidth > e.clientWidth + 2 && /auto|scroll/.test(getComputedStyle(e).overflowX))
    .map((e) => e.textContent.trim().replace(/\s+/g, " ").slice(0, 40));
  return {sideways, entries: document.querySelectorAll(".bd-sidebar-primary nav.bd-links li").length,
          "the picture's top": front && Math.round(front.getBoundingClientRect().top + scrollY),
          "the fourth row": bottom(document.querySelector(".papers > li:nth-child(4)")),
          height: Math.round(document.scrollingElement.scrollHeight),
          figure: bottom(first("figure.drawn svg, figure.drawn img")),
          verdict: bottom(first(".verdict")), cells, smallest, contrast};
}"""


def is_paper_page(name: str, names: Iterable[str]) -> bool:
    """Whether a page is a paper's: a chapter that has a second page.

    >>> names = ["notebooks/01_x.html", "notebooks/01_beyond.html", "notebooks/00_data.html"]
    >>> [n for n in names if is_paper_page(n, names)]
    ['notebooks/01_x.html']
    """
    stem = Path(name).stem
    second = f"notebooks/{stem[:2]}{BEYOND}.html"
    return bool(re.match(r"notebooks/\d\d_", name)) and name != second and second in set(names)


def judge(name: str, wide: dict[str, Any], phone: dict[str, Any], paper: bool) -> list[Finding]:
    """What is wrong with a page, from its measures on a wide window and on a phone.

    >>> good = {"height": 900, "sideways": [], "figure": 700, "verdict": 900, "cells": [["", 15, "x"]],
    ...         "smallest": {"fig-a": 10.2}, "contrast": {"fig-a": 7}}
    >>> judge("notebooks/01_x.html", good, good, paper=True)
    []
    >>> judge("notebooks/01_x.html", good | {"figure": 1400}, good, paper=True)[0].detail
    'the end of the first figure: 1400; allowed 1350'
    """
    tallest = (
        TALLEST if paper else TALLEST_BEYOND if Path(name).stem.endswith(BEYOND) else float("inf")
    )
    # what is measured, what was seen, and the most that is allowed (in px; missing is too much)
    limits = [
        ("entries in the sidebar", wide.get("entries", 0), ENTRIES + 1),
        ("the height of the page", wide["height"], tallest),
    ]
    limits += [
        ("the end of the first " + what, wide[what], most) for what, most in FIRST.items() if paper
    ]
    limits += [
        (f"lines in a visible cell, {begin!r}", lines, LINES.get(tag, LINES_ELSE))
        for tag, lines, begin in wide["cells"]
        if paper
    ]
    for what, pair in ENDS.get(name, {}).items():
        limits += [(what, seen[what], most) for seen, most in zip((wide, phone), pair, strict=True)]
    said = [
        f"{what}: {seen}; allowed {most}"
        for what, seen, most in limits
        if seen is None or seen > most
    ]
    said += [f"a table scrolls sideways on a phone: {what!r}" for what in phone.get("sideways", [])]
    said += [
        f"lettering of {size:.1f} px on a phone: {where}"
        for where, size in phone["smallest"].items()
        if size < SMALLEST - 0.05
    ]
    contrast = [*wide["contrast"].items(), *phone["contrast"].items()]
    said += [
        f"lettering in {where} has a contrast of {ratio:.2f}"
        for where, ratio in contrast
        if ratio < CONTRAST
    ]
    return [Finding(name, "layout", detail) for detail in dict.fromkeys(said)]


class Tape:
    """The measures of pages, taken while the browser has them open (`also` of `check_pages`)."""

    def __init__(self) -> None:
        self.wide: dict[str, dict[str, Any]] = {}
        self.phone: dict[str, dict[str, Any]] = {}

    async def measure(self, page: Page, name: str) -> None:
        """Measure a page as it stands, in the size that the limits are for; then give it back."""
        before = page.viewport_size or {"width": 0, "height": 0}
        (width, height), found = (WIDE, self.wide) if before["width"] > 800 else (PHONE, self.phone)
        await page.set_viewport_size({"width": width, "height": height})
        await page.evaluate(DRAWN)
        found[name] = await page.evaluate(MEASURE)
        await page.set_viewport_size(before)
        await page.evaluate(DRAWN)


def check_layout(tape: Tape, names: Iterable[str]) -> list[Finding]:
    """What is wrong with the pages that were measured in both windows; `names` are all of the site."""
    return [
        finding
        for name in sorted(tape.wide.keys() & tape.phone.keys())
        for finding in judge(name, tape.wide[name], tape.phone[name], is_paper_page(name, names))
    ]
