"""Tables and drawings for first steps with a coin, in Python's standard library alone.

The primer's first cells import this file and nothing else of `ppdm`. A notebook and a browser, where
there is no matplotlib, show the same drawings.

>>> print(table({"asked": [1, 2], "said": ["yes", "no"]}))
asked  said
1      yes
2      no
>>> print(bars({"true": 0.3, "said yes": 0.42}))
true      0.300
said yes  0.420
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, LEFT, RIGHT = (
    360,
    8,
    60,
)  # of a drawing, which a phone shows whole; before its bars, after them
ROW, HEIGHT = 42, 190
WIDE, TALL = 440, 280  # of a drawing with two axes, the names of its lines left out


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
    numbers = [float(value) for value in values]
    places = numbers if truth is None else [*numbers, truth]
    lowest, highest = min(places), max(places)
    if lowest == highest:
        lowest, highest = lowest - 0.5, highest + 0.5
    step = (highest - lowest) / bins
    counts = [0] * bins
    for value in numbers:
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
    mean = sum(numbers) / len(numbers)
    words = f"{len(numbers)} values from {min(numbers):.3f} to {max(numbers):.3f}, on average {mean:.4f}"
    return Picture(_drawing(HEIGHT, parts, words), words)


class Scale:
    """Where numbers lie along an axis, from place `start` to place `end`, and which are written there.

    >>> scale = Scale([0.05, 1], 0, 100)
    >>> scale.ticks(), scale.place(1)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], 95.0)
    """

    def __init__(self, values: Sequence[float], start: float, end: float, log: bool = False):
        self.log, self.start, self.end = log, start, end
        places = [self._along(value) for value in values]
        margin = 0.05 * (max(places) - min(places)) / 0.9 or 0.5
        self.low, self.high = min(places) - margin, max(places) + margin

    def _along(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def place(self, value: float) -> float:
        """The place of a number."""
        share = (self._along(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers, at most six; on a logarithmic axis powers of ten, or 2 and 5 times those."""
        if self.log:
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            factors = (1,) if len(powers) > 4 else (1, 2, 5)
            ticks = [factor * 10.0**power for power in powers for factor in factors]
        else:
            tenth = 10 ** math.floor(math.log10((self.high - self.low) / 5))
            step = next(
                m * tenth for m in (1, 2, 5, 10) if (self.high - self.low) / (m * tenth) <= 6
            )
            ticks = [
                round(i * step, 12)
                for i in range(math.floor(self.low / step), math.ceil(self.high / step) + 1)
            ]
        return [tick for tick in ticks if self.low <= self._along(tick) <= self.high]


def curves(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    x: str,
    y: str,
    levels: Mapping[str, float] | None = None,
    log: bool = False,
    joined: bool = True,
) -> Picture:
    """Lines through points, by their names, and named levels across; each point says what it is.

    >>> curves({"": [(0.1, 0.7), (0.5, 0.9)]}, "q", "accuracy", {"undisguised": 0.95})
    accuracy against q: from 0.7 at 0.1 to 0.9 at 0.5; undisguised: 0.95
    """
    levels = levels or {}
    points = [point for line in lines.values() for point in line]
    if not points:
        raise ValueError("curves need at least one point")
    left, right, top, floor = 62, WIDE - 10, 24, TALL - 42
    across = Scale([a for a, _ in points], left, right)
    up = Scale([b for _, b in points] + list(levels.values()), floor, top, log)
    parts = [_text(4, 14, y, "start"), _text((left + right) / 2, TALL - 4, x, "middle")]
    for tick in across.ticks():
        parts.append(_line(across.place(tick), top, across.place(tick), floor, "grid"))
        parts.append(_text(across.place(tick), floor + 17, f"{tick:.3g}", "middle"))
    for tick in up.ticks():
        parts.append(_line(left, up.place(tick), right, up.place(tick), "grid"))
        parts.append(_text(left - 6, up.place(tick) + 5, f"{tick:.3g}", "end"))
    for i, level in enumerate(levels.values()):
        parts.append(_line(left, up.place(level), right, up.place(level), f"level l{i}"))
    for i, line in enumerate(lines.values()):
        spots = [(across.place(a), up.place(b)) for a, b in line]
        if joined:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in spots)
            parts.append(f'<polyline class="c{i}" points="{path}"/>')
        for spot, (a, b) in zip(spots, line, strict=True):
            parts.append(_dot(*spot, f"c{i}", f"{x} = {a:.6g}: {b:.6g}"))
    names = [(f"c{i}", name) for i, name in enumerate(lines) if name]
    names += [
        (f"level l{i}", f"{name}, {level:.3g}") for i, (name, level) in enumerate(levels.items())
    ]
    for row, (kind, name) in enumerate(names):
        parts.append(_line(left, TALL + 15 + 20 * row, left + 26, TALL + 15 + 20 * row, kind))
        parts.append(_text(left + 34, TALL + 20 + 20 * row, name, "start"))
    words = [
        f"{name or f'{y} against {x}'}: from {line[0][1]:.3g} at {line[0][0]:.3g} to {line[-1][1]:.3g} at {line[-1][0]:.3g}"
        for name, line in lines.items()
    ]
    alt = "; ".join(words + [f"{name}: {level:.3g}" for name, level in levels.items()])
    return Picture(_drawing(TALL + 14 + 20 * len(names), parts, alt, WIDE), alt)


def _in_columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _drawing(height: int, parts: Sequence[str], words: str, width: int = WIDTH) -> str:
    return (
        f'<svg class="coins ppdm" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg>'
    )


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _dot(x: float, y: float, kind: str, words: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(words)}</title></circle>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
