"""The chapters' cards on the front page, and the files behind all figures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from ppdm.book.site.records import Records
from ppdm.book.templating import fill


def publish(figures: Path, folder: Path) -> None:
    """Lay the figures and what they were drawn from beside the site."""
    if figures.is_dir():
        shutil.copytree(figures, folder, dirs_exist_ok=True)


def shown(notebook: Path) -> str:
    """All HTML that an executed notebook shows; nothing where it has not run."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"] if notebook.is_file() else []
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return "\n".join("".join(output.get("data", {}).get("text/html", "")) for output in outputs)


def cards(records: Records) -> str:
    """The chapters as cards, each with its picture, in the book's order."""
    shown = [paper for paper in records.papers if paper["chapter"] in records.titles]
    return fill("cards.md", papers=shown)
