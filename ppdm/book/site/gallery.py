"""All figures of the book on one page, and the files behind them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from ppdm.book.site.records import Records, raw_html
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
    places = (source / "notebooks").glob("*.ipynb")
    for path in sorted(places, key=reading_order):
        found = figures_of(path)
        if not found:
            continue
        pictures = "".join(
            f'<figure><a href="../notebooks/{path.stem}.html#fig-{name}"><img loading="lazy" '
            f'src="../_static/figures/{path.stem}/{name}.svg" alt="Figure: {name.replace("-", " ")}"></a>'
            f"<figcaption>{caption}</figcaption></figure>"
            for name, caption in found.items()
        )
        title = records.titles.get(path.stem, path.stem)
        parts.append(f"## {title}\n\n" + raw_html(f'<div class="gallery">{pictures}</div>'))
    return "\n".join(parts) or "No chapter has been run yet.\n"


def figures_of(notebook: Path) -> dict[str, str]:
    """The figures of an executed notebook: name and caption, as on its page."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    shown = [
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in cells
        for output in cell.get("outputs", [])
    ]
    return {
        name: re.sub(r' <span class="files">.*?</span>', "", caption, flags=re.DOTALL)
        for html in shown
        for name, caption in _FIGURE.findall(html)
    }
