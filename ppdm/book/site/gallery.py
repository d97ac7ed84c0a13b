"""All figures of the book on one page, the files behind them, and the chapters' cards."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from markupsafe import Markup

from ppdm.book.site.records import Records, raw_html
from ppdm.book.templating import fill
from ppdm.places import reading_order

_FIGURE = re.compile(
    r'<figure class="ppdm drawn" id="fig-([^"]+)">.*?<figcaption>(.*?)</figcaption>', re.DOTALL
)


def publish(figures: Path, folder: Path) -> None:
    """Lay the figures and what they were drawn from beside the site."""
    if figures.is_dir():
        shutil.copytree(figures, folder, dirs_exist_ok=True)


def gallery(records: Records, source: Path) -> str:
    """A section a page of the book, a picture a figure; each leads to its place."""
    parts = []
    for path in sorted((source / "notebooks").glob("*.ipynb"), key=reading_order):
        figures = figures_of(path)
        if figures:
            title = records.titles.get(path.stem, path.stem)
            pictures = fill("gallery.html", page=path.stem, figures=figures)
            parts.append(f"## {title}\n\n{raw_html(pictures)}")
    return "\n".join(parts) or "No chapter has been run yet.\n"


def figures_of(notebook: Path) -> dict[str, Markup]:
    """The figures of an executed notebook: name and caption, as on its page."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    shown = "\n".join(
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in cells
        for output in cell.get("outputs", [])
    )
    return {
        name: Markup(re.sub(r' <span class="files">.*?</span>', "", caption, flags=re.DOTALL))
        for name, caption in _FIGURE.findall(shown)
    }


def cards(records: Records, source: Path) -> str:
    """The chapters as cards, each with its picture, in the book's order."""
    out = ["::::{grid} 1 1 2 2", ":gutter: 3", ""]
    for paper in records.papers:
        stem, picture = paper["chapter"], paper.get("picture")
        if stem not in records.titles:
            continue
        caption = figures_of(source / "notebooks" / f"{stem}.ipynb").get(str(picture))
        colon = "" if paper["short"].endswith("?") else ":"
        out += [f":::{{grid-item-card}} {paper['short']}{colon} {paper['title']}"]
        out += [f":link: ../notebooks/{stem}", ":link-type: doc"]
        if caption is not None:
            out += [f":img-top: _static/figures/{stem}/{picture}.svg"]
            out += [f":img-alt: {' '.join(caption.striptags().split())}"]
        out += ["", " ".join(paper["about"].split()), ":::", ""]
    return "\n".join([*out, "::::", ""])
