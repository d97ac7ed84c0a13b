"""The printed book, opened again: its contents, links, tags and outline, and where the solutions are.

Where the site has no PDF there is nothing to look at: Chromium is not everywhere.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from ppdm.book.pdf import APPENDIX, CONTENTS, NAME, SOLUTIONS
from ppdm.book.pdf.press import bookmarks, destinations

from . import Finding


def check_pdf(site: Path) -> list[Finding]:
    """All that is wrong with the PDF in the folder of the site."""
    path = site / NAME
    if not path.is_file():
        return []
    import pikepdf

    texts = page_texts(path)
    with pikepdf.open(path) as pdf:
        wrong = (
            _tags(pdf.Root) + _outline(pdf, destinations(path)) + _links(pdf, destinations(path))
        )
    wrong += _contents(texts) + _solutions([_flat(text) for text in texts])
    return [Finding(NAME, "pdf", sentence) for sentence in wrong]


def page_texts(path: Path) -> list[str]:
    """What each page says."""
    import pypdfium2

    pdf = pypdfium2.PdfDocument(path)
    texts = [page.get_textpage().get_text_bounded() for page in pdf]
    pdf.close()
    return [text.replace("\r\n", "\n") for text in texts]


def _flat(text: str) -> str:
    """Letters and digits only: how words are spaced and broken differs between two places."""
    for joined, apart in (("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬄ", "ffl")):
        text = text.replace(joined, apart)
    return re.sub(r"[\W_]+", "", text)


def _tags(root: Any) -> list[str]:
    marked = root.get("/MarkInfo", {}).get("/Marked") and "/StructTreeRoot" in root
    lacking = [] if marked else ["it is not tagged"]
    return lacking + ([] if root.get("/Lang") else ["it does not say its language"])


def _outline(pdf: Any, places: dict[str, int]) -> list[str]:
    marks = list(bookmarks(pdf.Root.get("/Outlines")))
    if not marks:
        return ["it has no outline"]
    number = {page.objgen: i for i, page in enumerate(pdf.pages, start=1)}
    goals = [mark.get("/Dest", mark.get("/A", {}).get("/D")) for mark in marks]
    pages = [
        number[goal[0].objgen]
        if hasattr(goal, "__getitem__") and not _named(goal)
        else places.get(str(goal).lstrip("/"), 0)
        for goal in goals
    ]
    return [
        f"its outline goes back from page {before} to {after} at {str(mark.Title)!r}"
        for mark, (before, after) in zip(marks[1:], pairwise(pages))
        if after < before
    ]


def _named(goal: Any) -> bool:
    """Whether a goal is a place's name, not a page with a position."""
    import pikepdf

    return isinstance(goal, (pikepdf.Name, pikepdf.String))


def _contents(texts: list[str]) -> list[str]:
    """Each row of the contents: the printed number, and the words of that page."""
    pages = [text for text in texts if text.startswith(CONTENTS)]
    if not pages:
        return ["it has no table of contents"]
    rows = [row for text in pages for row in re.findall(r"^(.+) (\d+)$", text, re.MULTILINE)]
    wrong = []
    for words, number in rows:
        at = int(number)
        if not 0 < at <= len(texts):
            wrong.append(f"its contents name a page {at} of {len(texts)}")
        elif _flat(words) not in _flat(texts[at - 1]):
            wrong.append(f"its contents promise {words!r} on page {at}, which has other words")
    return wrong if rows else ["its table of contents is empty"]


def _links(pdf: Any, places: dict[str, int]) -> list[str]:
    wrong, inside = [], 0
    for number, page in enumerate(pdf.pages, start=1):
        for link in page.get("/Annots", []):
            goal = link.get("/Dest", link.get("/A", {}).get("/D"))
            address = str(link.get("/A", {}).get("/URI", ""))
            if goal is None and not address.startswith(("https://", "http://", "mailto:")):
                wrong.append(f"a link on page {number} leads to {address or 'nothing'}")
            if goal is not None and _named(goal) and str(goal).lstrip("/") not in places:
                wrong.append(f"a link on page {number} leads to {str(goal)!r}, which is nowhere")
            inside += goal is not None
    return wrong if inside else ["it has no links between its parts"]


def _solutions(texts: list[str]) -> list[str]:
    """A solution's first words are "Solution to"; none may stand before the appendix."""
    head = _flat(APPENDIX + SOLUTIONS)
    first = next((i for i, text in enumerate(texts) if text.startswith(head)), len(texts))
    return [
        f"a solution stands on page {number}, before the appendix"
        for number, text in enumerate(texts[:first], start=1)
        if re.search(r"Solutionto(Exercise)?\d", text)
    ]
