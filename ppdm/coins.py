"""Tables and drawings for first steps with a coin, in Python's standard library alone.

The cells of the primer that a reader can change and run in the browser import this file and
nothing else of `ppdm`: the Python there has no numpy. A notebook shows the same drawings.

>>> print(table({"asked": [1, 2], "said": ["yes", "no"]}))
asked  said
1      yes
2      no
>>> print(bars({"true": 0.3, "said yes": 0.42}))
true      0.300
said yes  0.420
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, LEFT, RIGHT = (
    360,
    8,
    60,
)  # of a drawing, which a phone shows whole; before its bars, after them
ROW, HEIGHT = 42, 190


class Picture:
    """Something to be looked at: as HTML in a notebook or a browser, as words elsewhere.

    >>> Picture("<b>0.3</b>", "0.3")
    0.3
    """

    def __init__(self, html: str, words: str):
        self.html, self.words = html, words

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.words


def table(columns: Mapping[str, Sequence]) -> Picture:
    """A table, from its columns by name; its rows are numbered from 1.

    >>> table({"said": ["yes", "no"]})
    said
    yes
    no
    """
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise ValueError(f"the columns of a table have one length, not {sorted(lengths)}")
    rows = [[str(value) for value in row] for row in zip(*columns.values(), strict=True)]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{number}</th>'
        + "".join(f"<td>{escape(value)}</td>" for value in row)
        + "</tr>"
        for number, row in enumerate(rows, start=1)
    )
    html = (
        f'<table class="dataframe"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
    return Picture(html, _in_columns([list(columns), *rows]))


def bars(shares: Mapping[str, float]) -> Picture:
    """A bar for each share, from 0; one that is below 0 or above 1 is drawn as such.

    >>> bars({"said yes": 0.42, "undone": -0.1})
    said yes  0.420
    undone    -0.100
    """
    if not shares:
        raise ValueError("bars need at least one share")
    lowest, highest = min(0.0, *shares.values()), max(1.0, *shares.values())
    across = (WIDTH - LEFT - RIGHT) / (highest - lowest)

    def place(share: float) -> float:
        return LEFT + (share - lowest) * across

    height = ROW * len(shares) + 26
    parts = []
    for edge in (0, 1):
        parts.append(_line(place(edge), 0, place(edge), height - 20))
        parts.append(_text(place(edge), height - 4, str(edge), "middle"))
    for number, (name, share) in enumerate(shares.items()):
        top = ROW * number + 5
        left, right = sorted((place(0), place(share)))
        parts.append(_text(LEFT + 4, top + 11, name, "start"))
        parts.append(_box(left, top + 17, right - left, 16))
        parts.append(_text(right + 6, top + 30, f"{share:.3f}", "start"))
    words = _in_columns([[name, f"{share:.3f}"] for name, share in shares.items()])
    return Picture(_drawing(height, parts, words), words)


def histogram(values: Sequence[float], truth: float | None = None, bins: int = 30) -> Picture:
    """How often each value came, with a line at the truth.

    >>> histogram([0.2, 0.3, 0.4], truth=0.3)
    3 values from 0.200 to 0.400, on average 0.3000
    """
    if not len(values):
        raise ValueError("a histogram needs at least one value")
    seen = [float(value) for value in values]
    shown = seen if truth is None else [*seen, truth]
    lowest, highest = min(shown), max(shown)
    if lowest == highest:
        lowest, highest = lowest - 0.5, highest + 0.5
    step = (highest - lowest) / bins
    counts = [0] * bins
    for value in seen:
        counts[min(bins - 1, int((value - lowest) / step))] += 1
    floor, across = HEIGHT - 24, (WIDTH - 40) / (highest - lowest)

    def place(value: float) -> float:
        return 20 + (value - lowest) * across

    parts = [
        _box(place(lowest + i * step), floor - tall, step * across - 1, tall)
        for i, tall in enumerate((floor - 24) * count / max(counts) for count in counts)
    ]
    parts.append(_line(20, floor, WIDTH - 20, floor))
    parts += [_text(place(v), HEIGHT - 6, f"{v:.2f}", "middle") for v in (lowest, highest)]
    if truth is not None:
        parts.append(_line(place(truth), 18, place(truth), floor, "truth"))
        parts.append(_text(place(truth), 12, f"the truth, {truth:.2f}", "middle"))
    mean = sum(seen) / len(seen)
    words = f"{len(seen)} values from {min(seen):.3f} to {max(seen):.3f}, on average {mean:.4f}"
    return Picture(_drawing(HEIGHT, parts, words), words)


def _in_columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _drawing(height: int, parts: Sequence[str], words: str) -> str:
    return (
        f'<svg class="coins ppdm" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg>'
    )


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
