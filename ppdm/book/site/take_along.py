"""What one can take along: the book's notebooks as one file, its changes, its slides."""

from __future__ import annotations

import re
from pathlib import Path

from ppdm.book.site.archive import pack
from ppdm.places import reading_order

NOTEBOOKS = "ppdm-notebooks.zip"
_READ_ME = """The notebooks of "{title}"

They need Python 3.11 or later, the package `ppdm` and a Jupyter notebook program:

    pip install '.[book]'      (in a copy of the book's repository)
    jupyter lab

Outputs are those of the book. To run them yourself, go from top to bottom: `profile = "quick"` in the first code cell is a
matter of minutes; "paper" is the size of the book.
"""


def changes(root: Path) -> str:
    """The change log without its title, which the page has."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.sub(r"\A# .*\n+", "", text).replace("(book/", "(")


def pack_notebooks(executed: Path, title: str, target: Path) -> None:
    """The book's notebooks with their outputs, as the pages were made of them, and a word on how to begin."""
    files = [(path.name, path.read_bytes()) for path in sorted(executed.glob("*.ipynb"))]
    pack([("README.txt", _READ_ME.format(title=title).encode()), *files], target)


def slides(executed: Path, folder: Path) -> str:
    """A file of slides for each chapter that has figures; the list of links to them."""
    from ppdm.course.slides import figures, make_slides

    rows = []
    for notebook in sorted(executed.glob("*.ipynb"), key=reading_order):
        title, drawn = figures(notebook)
        if not drawn:
            continue
        name = f"slides-{notebook.stem}.html"
        make_slides([notebook], folder / name, published=True)
        link = f'<a href="../_static/course/{name}">{title}</a>'
        rows.append(f"- {link}: {len(drawn)} figure{'s' if len(drawn) > 1 else ''}")
    return "\n".join(rows or ["No chapter has been run yet, so there are no slides."]) + "\n"
