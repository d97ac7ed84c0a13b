"""The book's figures as slides: one HTML file that shows without a network and prints one a page.

Each says its finding above the figure, and what it takes to read it below."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

from ppdm.files import replace_file

STYLE = """
html { scroll-snap-type: y mandatory; }
body { margin: 0; font: 1.6vw/1.4 system-ui, sans-serif; color: #1f2328; background: #fff; }
section { height: 100vh; box-sizing: border-box; padding: 3vh 4vw; display: flex;
          flex-direction: column; align-items: center; scroll-snap-align: start;
          break-after: page; }
section > p { margin: 0; color: #57606a; }
section > h1 { margin: 0 0 1vh; font-size: 2.2vw; line-height: 1.25; max-width: 80vw; text-align: center; }
figure { margin: 0; flex: 1; min-height: 0; display: flex; flex-direction: column; width: 100%; }
figure svg, figure img { flex: 1; min-height: 0; width: 100%; object-fit: contain; }
figure img { max-height: 78vh; }
figcaption { max-width: 60vw; margin: 1vh auto 0; }
@page { size: 16in 9in; margin: 0; }
"""


_NARROW = re.compile(r'<div class="narrow".*?</div>', re.DOTALL)  # the layout for a phone
_CAPTION = re.compile(
    r'<figcaption>(<span>Figure \d+\.</span> )?(.*?)( <span class="files".*?)?</figcaption>',
    re.DOTALL,
)
_DRAWN = re.compile(r'<svg role="img" aria-label="([^"]*)".*?</svg>', re.DOTALL)
_FILE = re.compile(r'href="\.\./_static/(figures/[^"]+\.svg)"')


def figures(notebook: Path) -> tuple[str, list[str]]:
    """The title of an executed notebook, and its figures as HTML, captions included."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    title = re.search("^# (.*)", text, re.MULTILINE)
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    html = "\n".join("".join(data.get("text/html", "")) for data in outputs)
    drawn = re.findall(r'<figure class="ppdm drawn".*?</figure>', html, flags=re.DOTALL)
    return title[1] if title else notebook.stem, [_NARROW.sub("", figure) for figure in drawn]


def beside_the_site(figure: str) -> str:
    """A figure that shows its published file, for slides that lie in the site's `_static/course`.

    >>> beside_the_site('<svg role="img" aria-label="A line.">...</svg> <a href="../_static/figures/01_x/a.svg">SVG</a>')
    '<img alt="A line." src="../figures/01_x/a.svg"> <a href="../figures/01_x/a.svg">SVG</a>'
    """
    file = _FILE.search(figure)
    if file:
        shown = f'<img alt="\\1" src="../{file[1]}">'
        figure = _DRAWN.sub(shown, figure)
    return figure.replace('href="../_static/', 'href="../')


def _taught(title: str, figure: str) -> str:
    """A slide: the finding, which is the first sentence of the caption, above the figure; the rest as notes.

    >>> _taught("Coins", "<figcaption>Less is known. A line a coin.</figcaption>")
    '<section><p>Coins</p><h1>Less is known.</h1><figcaption>A line a coin.</figcaption></section>'
    """
    caption = _CAPTION.search(figure)
    finding, *notes = re.split(r"(?<=[.!?]) (?=[A-Z])", caption[2] if caption else "", maxsplit=1)
    if caption:
        rest = f"<figcaption>{caption[1] or ''}{''.join(notes)}{caption[3] or ''}</figcaption>"
        figure = figure.replace(caption[0], rest)
    return f"<section><p>{escape(title)}</p><h1>{finding}</h1>{figure}</section>"


def make_slides(notebooks: list[Path], target: Path, published: bool = False) -> int:
    """Write the slides, as one file or (`published`) as one beside the site's figures; return how many there are."""
    slides = [(title, figure) for title, drawn in map(figures, notebooks) for figure in drawn]
    if published:
        slides = [(title, beside_the_site(figure)) for title, figure in slides]
    if not slides:
        raise ValueError(
            "no figures yet: run the chapters first, with `ppdm book` or `ppdm book quick`"
        )
    body = "\n".join(_taught(title, figure) for title, figure in slides)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>The figures of the book</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )
    replace_file(target, page.encode())
    return len(slides)
