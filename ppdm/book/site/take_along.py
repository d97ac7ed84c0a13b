"""What one can take along: how to cite the book, its notebooks as one file, its changes, its slides."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from ppdm.book.site.archive import pack
from ppdm.book.templating import fill
from ppdm.places import reading_order

NOTEBOOKS = "ppdm-notebooks.zip"
_READ_ME = """The notebooks of "{title}"

They need Python 3.11 or later, the package `ppdm` and a Jupyter notebook program:

    pip install '.[book]'      (in a copy of the book's repository)
    jupyter lab

They are stored without outputs: run them from top to bottom. `profile = "quick"` in the first code cell is a
matter of minutes; "paper" is the size of the book.
"""


def citation_page(root: Path, config: Path) -> str:
    """The entry of `CITATION.cff` as BibTeX and as text, with the address of the repository where it is known."""
    source = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    staged = yaml.safe_load(config.read_text(encoding="utf-8")) if config.is_file() else {}
    return fill(
        "citation.md",
        source=source,
        year=str(source["date-released"])[:4],
        address=staged.get("repository", {}).get("url") or source.get("repository-code"),
        named=[
            a.get("name") or f"{a['given-names']} {a['family-names']}" for a in source["authors"]
        ],
        # a group has no family name that could be set first
        listed=[
            f"{{{a['name']}}}" if "name" in a else f"{a['family-names']}, {a['given-names']}"
            for a in source["authors"]
        ],
    )


def changes(root: Path) -> str:
    """The change log without its title, which the page has."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.sub(r"\A# .*\n+", "", text)


def pack_notebooks(root: Path, target: Path) -> None:
    """The book's notebooks, as they are in the repository, and a word on how to begin."""
    title = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["title"]
    notebooks = sorted((root / "notebooks").glob("*.ipynb"))
    files = [(path.name, path.read_bytes()) for path in notebooks]
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
