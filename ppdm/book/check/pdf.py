"""The printed book, opened again: its contents, links, tags and outline, and where the solutions are.

Where the site has no PDF there is nothing to look at: a site built without Chromium says so in words.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ppdm.book.pdf import CONTENTS, NAME, SOLUTIONS

from . import Finding


def check_pdf(site: Path) -> list[Finding]:
    """All that is wrong with the PDF in the folder of the site."""
    path = site / NAME
    if not path.is_file():
        return []
    import pypdf

    reader = pypdf.PdfReader(path)
    texts = [_flat(page.extract_text()) for page in reader.pages]
    wrong = [
        *_tags(reader),
        *_outline(reader),
        *_contents(reader, texts),
        *_links(reader),
        *_solutions(texts),
    ]
    return [Finding(NAME, "pdf", sentence) for sentence in wrong]


def _flat(text: str) -> str:
    """Letters and digits only: how words are spaced and broken differs between two places."""
    for joined, apart in (("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬄ", "ffl")):
        text = text.replace(joined, apart)
    return re.sub(r"[\W_]+", "", text)


def _tags(reader: Any) -> list[str]:
    root = reader.trailer["/Root"]
    marked = root.get("/MarkInfo", {}).get("/Marked")
    lacking = [] if marked and "/StructTreeRoot" in root else ["it is not tagged"]
    return lacking + ([] if root.get("/Lang") else ["it does not say its language"])


def _bookmarks(entries: list) -> list[Any]:
    """The outline's entries, flat, in order."""
    found = []
    for entry in entries:
        found += _bookmarks(entry) if isinstance(entry, list) else [entry]
    return found


def _outline(reader: Any) -> list[str]:
    marks = _bookmarks(reader.outline)
    if not marks:
        return ["it has no outline"]
    pages = [reader.get_destination_page_number(mark) for mark in marks]
    return [
        f"its outline goes back from page {before + 1} to {after + 1} at {mark.title!r}"
        for mark, before, after in zip(marks[1:], pages, pages[1:])
        if after < before
    ]


def _contents(reader: Any, texts: list[str]) -> list[str]:
    """Each row of the contents: the printed number, the page its link leads to, and the words there."""
    first = next((i for i, text in enumerate(texts) if text.startswith(CONTENTS)), None)
    if first is None:
        return ["it has no table of contents"]
    wrong, rows = [], 0
    for page in reader.pages[first:]:
        lines = [line.split() for line in page.extract_text().splitlines()]
        rows_here = [line for line in lines if len(line) > 1 and line[-1].isdigit()]
        if not rows_here or CONTENTS not in page.extract_text().splitlines()[0]:
            break
        for *words, number in rows_here:
            rows += 1
            at, title = int(number), _flat(" ".join(words))
            if not 0 < at <= len(texts):
                wrong.append(f"its contents name a page {at} of {len(texts)}")
            elif title not in texts[at - 1]:
                wrong.append(
                    f"its contents promise {' '.join(words)!r} on page {at}, which has other words"
                )
    return wrong if rows else ["its table of contents is empty"]


def _links(reader: Any) -> list[str]:
    named, wrong, inside = reader.named_destinations, [], 0
    pages = {page.indirect_reference.idnum for page in reader.pages}
    for number, page in enumerate(reader.pages, start=1):
        for annotation in page.get("/Annots") or []:
            link = annotation.get_object()
            goal = link.get("/Dest", link.get("/A", {}).get("/D"))
            if goal is None:
                address = str(link.get("/A", {}).get("/URI", ""))
                if not address.startswith(("https://", "http://", "mailto:")):
                    wrong.append(f"a link on page {number} leads to {address or 'nothing'}")
                continue
            inside += 1
            place = named.get(goal) if isinstance(goal, str) else None
            target = place.get("/Page") if place else None if isinstance(goal, str) else goal[0]
            if target is None or getattr(target, "idnum", None) not in pages:
                wrong.append(f"a link on page {number} leads to {goal!r}, which is nowhere")
    return wrong if inside else ["it has no links between its parts"]


def _solutions(texts: list[str]) -> list[str]:
    """A solution's first words are "Solution to"; none may stand before the appendix."""
    head = _flat(SOLUTIONS)
    appendix = next(
        (i for i, text in reversed(list(enumerate(texts))) if text.startswith("Appendix" + head)),
        len(texts),
    )
    while appendix > 0 and texts[appendix - 1].startswith("Appendix" + head):
        appendix -= 1
    return [
        f"a solution stands on page {number}, before the appendix"
        for number, text in enumerate(texts[:appendix], start=1)
        if re.search(r"Solutionto(Exercise)?\d", text)
    ]
