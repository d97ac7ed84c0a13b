"""The house style of figures: one function for each kind, on seaborn.

Every function takes frames (mostly `study.summarise`'s) and returns a matplotlib figure that carries
`.caption` and `.alt`, both made from the data; `ch.figure(fig)` puts it on the page. Coordinates
are named by columns of the frame::

    curves(summary, x="q", hue="dataset", baselines={"majority": 0.76})      # mean, intervals
    curves(summary, x="theta", hue="groups", col="dataset", baselines={"adult": {"ID3": 0.81}})
    variances(summary, x="theta", hue="groups")                              # variance, intervals
    heatmap(summary, x="theta", y="groups")                                  # a mean in each field
    privacy_curves(frame, x="q", y="pse", hue="W_a")                         # exact curves
    fronts({"Warner": a, "OptRR": b}, frontier=c)                            # privacy against MSE
    trade_off(frame, undisguised, blind, hue="groups", along="theta")        # accuracy against attack

Colours can be told apart by readers with colour-blindness, and markers and dashes differ as well.
Lettering takes the page's own colour, so a figure reads on a light and on a dark page. Panels stand
side by side over the whole width; on a phone, one below the other (`Figure.narrow`). Where lines end
far enough apart they are named at their ends, and there is no legend.
"""

from __future__ import annotations

import base64
import io
import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from html import escape
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure as PlainFigure
from numpy.typing import ArrayLike

from ppdm.data import SHORT

# Each colour has a contrast of 3 or more against white and against the dark page's #14181e.
COLOURS = ("#2a78c2", "#d2601a", "#12926a", "#b0609f", "#8a7a00", "#767c85")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("", (5, 2), (1.5, 1.5), (6, 2, 1.5, 2), (3, 1, 1, 1, 1, 1), (8, 2))

INK = "#010203"  # stands for the page's own text colour, see `svg`
SOFT = "#7d828a"

STYLE: dict[Any, Any] = {  # the keys are matplotlib's
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.titlesize": 11.5,
    "axes.labelsize": 11,
    "legend.fontsize": 10.5,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.grid": True,
    "grid.color": SOFT,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "legend.frameon": False,
    "figure.constrained_layout.hspace": 0.07,  # between an axis's name and the title below it
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "svg.hashsalt": "ppdm",
    "svg.fonttype": "path",
}

LABELS = {
    "theta": "θ",
    "q": "q",
    "groups": "groups",
    "dataset": "data set",
    "k": "k",
    "delta": "δ",
    "accuracy": "accuracy (share right)",
    "privacy": "privacy (1 − chance of the best guess)",
    "mse": "mean squared error of a share",
    "pse": "PSE",
}

WIDTH, HEIGHT = 7.4, 3.4  # inches of a figure with one panel
PANEL = 2.9  # inches: the height of a row of several panels
PHONE = 3.7  # inches across on a phone, where lettering keeps its size
APART = 0.075  # of the axis: lines that end further apart than this are named where they end


class Figure(PlainFigure):
    """A matplotlib figure that carries its caption and its alternative text.

    >>> figure = Figure(figsize=(WIDTH, HEIGHT))
    >>> figure.caption, figure.alt = "Nothing yet.", "Empty."
    >>> svg(figure)[:4]
    '<svg'
    """

    caption: str = ""
    alt: str = ""
    narrow: PlainFigure | None = None  # the same for a phone
    data: pd.DataFrame | None = None  # what was drawn


def laid_out(draw: Callable[[bool], Figure]) -> Figure:
    """`draw(phone)` twice: the figure for a wide page, and in it the one for a phone.

    >>> figure = laid_out(lambda phone: Figure(figsize=(PHONE if phone else WIDTH, HEIGHT)))
    >>> print(figure.get_figwidth(), figure.narrow.get_figwidth())
    7.4 3.7
    """
    with matplotlib.rc_context(STYLE):
        figure = draw(False)
        figure.narrow = draw(True)
    return figure


def grid_of(panels: int, phone: bool) -> tuple[int, int]:
    """Rows and columns for so many panels, with no empty quarter where that can be helped.

    >>> [grid_of(n, phone=False) for n in (1, 2, 3, 4, 6, 7, 8)]
    [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (2, 4)]
    >>> [grid_of(n, phone=True) for n in (1, 3, 4, 7)]
    [(1, 1), (3, 1), (2, 2), (4, 2)]
    """
    if phone:
        across = 1 if panels <= 3 else 2
    else:
        across = panels if panels <= 3 else 2 if panels == 4 else 3 if panels in (5, 6, 9) else 4
    return -(-panels // across), across


def size_of(rows: int, across: int, phone: bool) -> tuple[float, float]:
    """Inches of a figure with so many panels.

    >>> size_of(2, 2, phone=False), size_of(1, 1, phone=True)
    ((7.4, 4.6), (3.7, 2.4))
    """
    if phone:
        return PHONE, (2.4 if across == 1 else 2.0) * rows
    return WIDTH, HEIGHT if rows * across == 1 else (PANEL if rows == 1 else 2.3) * rows


def in_panels(
    panels: int, phone: bool, column: bool = False, **shared: Any
) -> tuple[Figure, np.ndarray, int]:
    """A figure with so many panels, its axes in reading order, and how many stand side by side.

    `column`: on a phone they stand below each other, however many they are.

    >>> figure, axes, across = in_panels(7, phone=False)
    >>> len(axes), across
    (8, 4)
    """
    rows, across = (panels, 1) if phone and column else grid_of(panels, phone)
    fig = Figure(figsize=size_of(rows, across, phone), layout="constrained")
    return fig, fig.subplots(rows, across, squeeze=False, **shared).ravel(), across


def name_ends(
    ax: Axes, lines: Iterable[tuple[str, float, float]], reach: tuple[float, float] | None = None
) -> bool:
    """Write each name (name, x, y of its end) to the right of the panel; False if they would collide.

    >>> ax = Figure().subplots()
    >>> name_ends(ax, [("Warner", 1.0, 0.2), ("OptRR", 1.0, 0.8)])
    True
    >>> name_ends(ax, [("Warner", 1.0, 0.50), ("OptRR", 1.0, 0.51)])
    False
    """
    lines = list(lines)
    low, high = reach or ax.get_ylim()
    places = sorted((y - low) / ((high - low) or 1.0) for _, _, y in lines)
    if any(b - a < APART for a, b in itertools.pairwise(places)):
        return False
    for name, x, y in lines:
        ax.annotate(
            name,
            (x, y),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=10,
            annotation_clip=False,
        )
    return True


def name_level(ax: Axes, name: str, level: float, x: float = 0.02, above: bool = True) -> None:
    """A horizontal line with its name on it; `x` is where the name begins, in parts of the panel.

    >>> ax = Figure().subplots()
    >>> name_level(ax, "majority class", 0.75)
    >>> [text.get_text() for text in ax.texts]
    ['majority class']
    """
    ax.axhline(level, color=SOFT, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1)
    ax.annotate(
        name,
        (x, level),
        xycoords=ax.get_yaxis_transform(),
        xytext=(0, 3 if above else -3),
        textcoords="offset points",
        va="bottom" if above else "top",
        fontsize=10,
    )


def curves(
    summary: pd.DataFrame,
    x: str,
    hue: str | None = None,
    col: str | None = None,
    *,
    metric: str = "accuracy",
    baselines: Mapping[str, Any] | None = None,
    xlabel: str = "",
    ylabel: str = "",
) -> Figure:
    """Means with their 95 % intervals along `x`: a line for each `hue`, a panel for each `col`.

    `baselines` maps a name to a level, drawn across; with `col`, panel to such a dict.

    >>> s = pd.DataFrame({"q": [0, .5, 1], "metric": "accuracy", "reps": 9, "mean": [.5, .7, .8],
    ...                   "low": [.4, .6, .8], "high": [.6, .8, .8]})
    >>> curves(s, x="q", baselines={"majority class": .6}).alt
    'Accuracy against q: rises from 0.5 at q = 0 to 0.8 at q = 1. Level of majority class 0.6.'
    """
    rows = _pick(summary, metric)
    ylabel = ylabel or LABELS.get(metric, metric)
    return _lines(
        rows,
        x,
        ("mean", "low", "high"),
        hue,
        col,
        baselines,
        xlabel,
        ylabel,
        what=f"Mean {metric} against {_name(x)}",
        short=metric,
        extra=_repetitions(rows),
    )


def variances(
    summary: pd.DataFrame,
    x: str,
    hue: str | None = None,
    col: str | None = None,
    *,
    metric: str = "accuracy",
    log: bool = False,
    xlabel: str = "",
) -> Figure:
    """Variances over the repetitions with their 95 % intervals along `x`.

    >>> summary = pd.DataFrame({"q": [0.5, 1.0], "metric": "accuracy", "reps": 10,
    ...                         "var": [0.04, 0.01], "var_low": [0.02, 0.005], "var_high": [0.1, 0.03]})
    >>> variances(summary, "q").alt
    'Variance of accuracy against q: falls from 0.04 at q = 0.5 to 0.01 at q = 1.'
    """
    rows = _pick(summary, metric)
    if rows["var"].isna().any():
        raise ValueError("a variance needs two repetitions or more in every cell")
    return _lines(
        rows,
        x,
        ("var", "var_low", "var_high"),
        hue,
        col,
        None,
        xlabel,
        f"variance of {metric}",
        what=f"Variance of {metric} against {_name(x)}",
        short=f"variance of {metric}",
        log=log,
        extra=_repetitions(rows),
    )


def privacy_curves(
    frame: pd.DataFrame,
    x: str,
    y: str,
    hue: str | None = None,
    col: str | None = None,
    *,
    baselines: Mapping[str, Any] | None = None,
    xlabel: str = "",
    ylabel: str = "",
    caption: str = "",
) -> Figure:
    """Exact (computed, not sampled) curves of column `y` against `x`, PSE or a best guess, say.

    >>> privacy_curves(pd.DataFrame({"q": [0.1, 0.9], "guess": [0.5, 0.9]}), "q", "guess").alt
    'Guess against q: rises from 0.5 at q = 0.1 to 0.9 at q = 0.9.'
    """
    return _lines(
        frame,
        x,
        (y, None, None),
        hue,
        col,
        baselines,
        xlabel,
        ylabel or _name(y),
        what=caption or f"{_capital(_name(y))} against {_name(x)}",
        short=_name(y),
        extra="",
    )


def heatmap(
    summary: pd.DataFrame,
    x: str,
    y: str,
    *,
    metric: str = "accuracy",
    col: str | None = None,
    value: str = "mean",
    label: str = "",
    digits: int = 2,
) -> Figure:
    """One field for each pair of coordinates, coloured and written with the value.

    >>> summary = pd.DataFrame({"k": [1, 2, 1, 2], "e": [0.1, 0.1, 0.2, 0.2], "metric": "accuracy",
    ...                         "mean": [0.9, 0.8, 0.7, 0.6]})
    >>> heatmap(summary, "k", "e").alt
    'Heat map of accuracy over k and e. From 0.6 at k = 2, e = 0.2 to 0.9 at k = 1, e = 0.1.'
    """
    rows = _pick(summary, metric)
    panels = _panels(rows, col)
    label = label or metric
    low, high_value = rows[value].min(), rows[value].max()
    sentences = []
    tables = {name: part.pivot(index=y, columns=x, values=value) for name, part in panels}
    for name, table in tables.items():
        sentences.append(_field(name, table, x, y))
    tall, wide = max(map(len, tables.values())), max(len(t.columns) for t in tables.values())

    def draw(phone: bool) -> Figure:
        across = PHONE if phone else max(5.0, min(WIDTH, 0.42 * wide + 1.2))
        high = (0.45 * tall + 1.0) * len(panels)
        fig = Figure(figsize=(across, high), layout="constrained")
        for ax, (name, table) in zip(
            fig.subplots(len(panels), squeeze=False)[:, 0], tables.items()
        ):
            ax.grid(visible=False)
            sns.heatmap(
                table,
                ax=ax,
                vmin=low,
                vmax=high_value,
                cmap="cividis",
                annot=not phone or wide <= 8,
                fmt=f".{digits}f",
                linewidths=0.5,
                annot_kws={"fontsize": 9.5},
                cbar_kws={"label": label, "pad": 0.02},
            )
            _readable(ax)
            ax.set(xlabel=_name(x), ylabel=_name(y), title=name)
            ax.tick_params(length=0, rotation=0)
            if phone and wide > 8:
                ax.tick_params(axis="x", rotation=90)
        return fig

    fig = laid_out(draw)
    fig.data = rows[[c for c in (col, y, x, value) if c]]
    fig.caption = f"{_capital(metric)} for each pair of {_name(x)} and {_name(y)}. {_repetitions(rows)}".strip()
    fig.alt = f"Heat map of {metric} over {_name(x)} and {_name(y)}. {' '.join(sentences)}"
    return fig


def fronts(
    points: dict[str, pd.DataFrame],
    frontier: pd.DataFrame | None = None,
    *,
    x: str = "privacy",
    y: str = "mse",
    title: str = "",
    log: bool = True,
    xlabel: str = "",
    ylabel: str = "",
) -> Figure:
    """Privacy against error: a set of points for each method, and the frontier none can cross.

    The ground below the frontier is shaded. Lower is better, and so is further right.

    >>> front = pd.DataFrame({"privacy": [0.3, 0.5], "error": [1e-5, 2e-5]})
    >>> fronts({"Warner": front}, y="error").alt
    'Error against privacy. Warner: from error 1e-05 at privacy 0.3 to 2e-05 at 0.5.'
    """
    if not points:
        raise ValueError("fronts needs at least one method's points")

    def draw(phone: bool) -> Figure:
        fig = Figure(figsize=(PHONE if phone else WIDTH, 3.6), layout="constrained")
        ax = fig.subplots()
        for i, (name, frame) in enumerate(points.items()):
            front = frame.sort_values(x)
            ax.plot(
                front[x],
                front[y],
                linestyle="",
                marker=MARKERS[i % 6],
                markersize=4,
                color=COLOURS[i % 6],
                label=name,
                alpha=0.85,
            )
        if log:
            ax.set_yscale("log")
        if frontier is not None:
            line = frontier.sort_values(x)
            ax.plot(line[x], line[y], color=INK, linewidth=1.6, label="certified frontier")
            bottom = ax.get_ylim()[0]
            ax.fill_between(line[x], bottom, line[y], color=SOFT, alpha=0.18, linewidth=0)
            ax.set_ylim(bottom=bottom)
        across = in_lines(xlabel or _name(x), phone, 30)
        ax.set(xlabel=across, ylabel=ylabel or _name(y), title=title)
        legend(fig, [ax])
        return fig

    fig = laid_out(draw)
    fig.data = pd.concat([frame.assign(of=name) for name, frame in points.items()])
    every = points if frontier is None else points | {"the certified frontier": frontier}
    what = f"{_capital(_bare(y))} against {_bare(x)}{': ' + title if title else ''}."
    below = " No scheme can lie in the shaded ground." if frontier is not None else ""
    fig.caption = f"{what} Lower and further right is better.{below}"
    fig.alt = f"{what} " + " ".join(_front(name, frame, x, y) for name, frame in every.items())
    return fig


def trade_off(
    points: pd.DataFrame,
    undisguised: Mapping[str, float],
    blind: Mapping[str, float],
    *,
    hue: str,
    along: str,
    xlabel: str = "a stranger guesses the class right",
) -> Figure:
    """What a classifier gets against what an attacker gets: a line a `hue`, a point a value of `along`.

    `points` has the columns dataset, attacker and balanced besides; `undisguised` and `blind` are a
    level for each data set.

    >>> points = pd.DataFrame({"dataset": "adult", "scheme": "coins", "q": [0.1, 0.9],
    ...                        "attacker": [0.8, 0.9], "balanced": [0.6, 0.7]})
    >>> trade_off(points, {"adult": 0.75}, {"adult": 0.7}, hue="scheme", along="q").alt
    'Adult, coins: from 0.80 right guesses and balanced accuracy 0.60 to 0.90 and 0.70.'
    """
    panels = _panels(points, "dataset")
    levels = _levels(points, hue)
    known = {_level("dataset", name): (undisguised[name], blind[name]) for name in undisguised}

    def draw(phone: bool) -> Figure:
        fig, axes, across = in_panels(len(panels), phone)
        for ax, (name, part) in zip(axes, panels):
            for i, (level, line) in enumerate(_split(part, hue, levels)):
                line = line.sort_values(along)
                ax.plot(
                    line["attacker"],
                    line["balanced"],
                    marker=MARKERS[i % 6],
                    color=COLOURS[i % 6],
                    linestyle=(0, DASHES[i % 6]) if i % 6 else "-",
                    label=level,
                )
            full, none = known[name]
            # Both are named in the legend: on the panel, lines would cross the words.
            ax.axhline(full, color=SOFT, linewidth=1.2, linestyle=(0, (4, 2)), label="undisguised")
            ax.axvline(
                none, color=SOFT, linewidth=1.2, linestyle=(0, (1.5, 1.5)), label="blind guess"
            )
            ax.set(title=name)
            ax.margins(y=0.12)
        for ax in axes if across < 3 else axes[across // 2 :: across]:  # three would run together
            ax.set_xlabel(xlabel)
        for ax in axes[::across]:
            ax.set_ylabel("balanced accuracy")
        legend(fig, axes[: len(panels)])
        return fig

    figure = laid_out(draw)
    figure.data = points.copy()
    told = [
        f"{', '.join(filter(None, (name, level)))}: from {a[0]:.2f} right guesses and balanced "
        f"accuracy {b[0]:.2f} to {a[-1]:.2f} and {b[-1]:.2f}."
        for name, part in panels
        for level, line in _split(part, hue, levels)
        for a, b in [line.sort_values(along)[["attacker", "balanced"]].to_numpy().T]
    ]
    figure.alt = " ".join(told)
    figure.caption = "Balanced accuracy against what an attacker gets."
    return figure


# From figure to page ------------------------------------------------------------------------------

LARGEST_SVG = 200_000  # characters; above, a picture is smaller

_COORDINATES = re.compile(r'\s(?:d|x|y|x1|x2|y1|y2|points)="[^"]*"|translate\([^)]*\)')
_LONG = re.compile(r"-?\d+\.\d{3,}")
_PATH, _STEP = re.compile(r'(?<=\sd=")[^"]*'), re.compile(r"\s*([A-Za-z]|$)\s*")
_LOOKS = re.compile(r'(?<=\sstyle=")[^"]*')


def _to_hundredths(number: re.Match[str]) -> str:
    """A coordinate to a hundredth of a point: no eye sees more, and the drawing is smaller.

    >>> _LONG.sub(_to_hundredths, "M 12.345678 -0.001234 L 7.5 100.999999")
    'M 12.35 0 L 7.5 101'
    """
    return f"{round(float(number[0]), 2) + 0.0:g}" if abs(float(number[0])) < 1000 else number[0]


def _packed(text: str) -> str:
    """The same drawing without the white space that it can do without, a tenth of it.

    >>> _packed('<path d="M 1 2.5 \\nL 3 -4 \\nz\\n" style="fill: none; stroke: red"/>\\n  <g>')
    '<path d="M1 2.5L3 -4z" style="fill:none;stroke:red"/>\\n<g>'
    """
    text = _PATH.sub(lambda path: _STEP.sub(r"\1", path[0]), text)
    text = _LOOKS.sub(lambda style: style[0].replace(": ", ":").replace("; ", ";"), text)
    return re.sub(r"\n\s*", "\n", text)


def svg(figure: PlainFigure, *, alone: bool = False) -> str:
    """The figure as an <svg> element, the same text at every run.

    In a page its lettering takes the colour of the text around it. `alone`: a file of its own, black
    on white.

    >>> svg(Figure(figsize=(1, 1)))[:4], svg(Figure(figsize=(1, 1)), alone=True)[:5]
    ('<svg', '<?xml')
    """
    with matplotlib.rc_context(STYLE):
        buffer = io.StringIO()
        background: dict[str, Any] = {"facecolor": "white"} if alone else {}
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, **background)
    text = _COORDINATES.sub(lambda found: _LONG.sub(_to_hundredths, found[0]), buffer.getvalue())
    text = text.replace("DejaVuSans-", "g")  # the names of letters, which are most of a drawing
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = _packed(text)
    return text if alone else text[text.index("<svg") :].replace(INK, "currentColor")


def png(figure: PlainFigure) -> bytes:
    """The figure as a picture on white, twice as fine as the page.

    >>> png(Figure(figsize=(1, 1)))[1:4]
    b'PNG'
    """
    with matplotlib.rc_context(STYLE):
        buffer = io.BytesIO()
        figure.savefig(
            buffer, format="png", dpi=200, facecolor="white", metadata={"Software": None}
        )
    return buffer.getvalue()


def element(figure: PlainFigure, alt: str, name: str) -> str:
    """An element for the page that carries the alternative text: SVG where small, else PNG.

    With the layout for a phone beside it, where the figure has one: the style sheet shows one of them.

    >>> element(Figure(figsize=(1, 1)), "Nothing yet.", "empty")[:41]
    '<svg role="img" aria-label="Nothing yet."'
    """
    narrow = getattr(figure, "narrow", None)
    wide = _element(figure, alt, name)
    if narrow is None:
        return wide
    phone = _element(narrow, alt, f"{name}-narrow")
    return f'<div><div class="wide">{wide}</div><div class="narrow" hidden="">{phone}</div></div>'


def _element(figure: PlainFigure, alt: str, name: str) -> str:
    drawing = svg(figure)
    if len(drawing) > LARGEST_SVG:
        data = base64.b64encode(png(figure)).decode()
        return f'<img alt="{escape(alt)}" src="data:image/png;base64,{data}">'
    # Ids are unique on the page (and short: each letter names one), and the size is the style sheet's.
    mark = "f" + sha256(name.encode()).hexdigest()[:6]
    drawing = re.sub(r'\bid="', f'id="{mark}-', drawing)
    drawing = re.sub(r'(href="#|url\(#)', rf"\1{mark}-", drawing)
    width, height = (72 * inches for inches in figure.get_size_inches())
    start = (
        f'<svg role="img" aria-label="{escape(alt)}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width * 4 / 3:.0f}" height="{height * 4 / 3:.0f}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return start + drawing[drawing.index(">") + 1 :]


# Drawing ------------------------------------------------------------------------------------------


def _lines(
    frame: pd.DataFrame,
    x: str,
    columns: tuple[str, str | None, str | None],
    hue: str | None,
    col: str | None,
    baselines: Mapping[str, Any] | None,
    xlabel: str,
    ylabel: str,
    *,
    what: str,
    short: str,
    extra: str,
    log: bool = False,
) -> Figure:
    """A line for each `hue` in a panel for each `col`; `columns` are the middle and its two ends."""
    panels, levels = _panels(frame, col), _levels(frame, hue)
    baselines = baselines or {}
    if col:
        baselines = {_level(col, name): levels for name, levels in baselines.items()}
    sentences = []
    for name, part in panels:
        for level, line in _split(part, hue, levels):
            line = line.sort_values(x)
            sentences.append(_sentence(name, level, line[x], line[columns[0]], x))
        sentences += _levels_told(name, baselines.get(name, {}) if col else baselines)

    def draw(phone: bool) -> Figure:
        fig, axes, across = in_panels(len(panels), phone, sharey=not log and len(panels) > 1)
        titles = _titles([name for name, _ in panels], phone and across > 1)
        for ax, (name, part) in zip(axes, panels):
            for i, (level, line) in enumerate(_split(part, hue, levels)):
                _draw_line(ax, line.sort_values(x), x, columns, level, i)
            _draw_levels(ax, baselines.get(name, {}) if col else baselines)
            ax.set(xlabel=xlabel or _name(x), ylabel=in_lines(ylabel, phone), title=titles[name])
            if pd.api.types.is_numeric_dtype(frame[x]):
                ax.locator_params(axis="x", nbins=3 if phone and across > 1 else 5)
            if log:
                ax.set_yscale("log")
            elif across == len(axes):
                ax.label_outer(remove_inner_ticks=False)
        for ax in axes[len(panels) :]:
            ax.remove()
        axes = axes[: len(panels)]
        wide = levels and not log and not phone
        if wide and _named_at_ends(axes, panels, x, columns, hue, levels):
            legend(fig, axes, only=_baseline_names(baselines, col))  # the panels' own legends go
        else:
            legend(fig, axes)
        return fig

    fig = laid_out(draw)
    fig.data = frame[[c for c in (col, hue, x, *columns) if c]]
    shaded = " Bands: 95 % intervals." if columns[1] else ""
    drawn = " Level lines: " + "; ".join(_baseline_names(baselines, col)) + "." if baselines else ""
    fig.caption = f"{what}.{shaded}{drawn} {extra}".strip()
    text = " ".join(sentences)
    fig.alt = f"{_capital(short)} against {_name(x)}: " + (text if hue or col else _lower(text))
    return fig


def _titles(names: list[str], small: bool) -> dict[str, str]:
    """Titles of panels; on small ones of two lines each, where one would not fit on one.

    >>> _titles(["Adult: found", "Adult: lost"], small=True)
    {'Adult: found': 'Adult: found', 'Adult: lost': 'Adult: lost'}
    >>> _titles(["Breast Cancer: accuracy"], small=True)["Breast Cancer: accuracy"]
    'Breast Cancer:\\naccuracy'
    """
    broken = small and max(map(len, names)) > 18
    return {name: name.replace(": ", ":\n") if broken else name for name in names}


def _readable(ax: Axes) -> None:
    """Numbers in black or white, whichever stands out more from the colour beneath it."""
    if not ax.texts:
        return
    for text, colour in zip(ax.texts, np.asarray(ax.collections[0].get_facecolor())):
        text.set_color("#000000" if _luminance(colour[:3]) > 0.179 else "#ffffff")


def _luminance(rgb: ArrayLike) -> float:
    """Relative luminance, as in the accessibility guidelines.

    >>> _luminance((1, 1, 1)), _luminance((0, 0, 0))
    (1.0, 0.0)
    """
    c = np.asarray(rgb, float)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _draw_line(
    ax: Axes,
    line: pd.DataFrame,
    x: str,
    columns: tuple[str, str | None, str | None],
    label: str,
    i: int,
) -> None:
    """The i-th line of a panel, and its band where there is one."""
    middle, low, high = columns
    colour, dashes = COLOURS[i % 6], DASHES[i % 6]
    sns.lineplot(
        x=line[x],
        y=line[middle],
        ax=ax,
        color=colour,
        label=label or None,
        marker=MARKERS[i % 6] if len(line) <= 25 else None,
        markeredgewidth=0,
        linestyle=(0, dashes) if dashes else "-",
        estimator=None,
    )
    if low:
        ax.fill_between(line[x], line[low], line[high], color=colour, alpha=0.22, linewidth=0)


def _named_at_ends(
    axes: np.ndarray, panels: list, x: str, columns: tuple, hue: str | None, levels: list[Any]
) -> bool:
    """Whether the lines could be named at their ends, in the last panel; if so, they are."""
    (_, part), ax = panels[-1], axes[-1]
    lines = list(_split(part, hue, levels))
    if len(lines) < len(levels):
        return False
    ends = [(level, *line.sort_values(x)[[x, columns[0]]].iloc[-1]) for level, line in lines]
    return name_ends(ax, ends)


def _draw_levels(ax: Axes, levels: Mapping[str, float]) -> None:
    """Horizontal lines."""
    for j, (label, level) in enumerate(levels.items()):
        dashes = (4, 2, 1, 2) if j else (2, 2)
        ax.axhline(level, color=SOFT, linewidth=1.3, linestyle=(0, dashes), label=label)


def _levels_told(panel: str, levels: Mapping[str, float]) -> list[str]:
    """A sentence for each level."""
    start = f"{panel}: level" if panel else "Level"
    return [f"{start} of {label} {level:.3g}." for label, level in levels.items()]


def legend(fig: Figure, axes: Iterable[Axes], only: list[str] | None = None) -> None:
    """One legend below all panels: nothing is covered, and a phone shows it whole.

    >>> figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    >>> _ = figure.subplots().plot([0, 1], label="a line")
    >>> legend(figure, figure.axes)
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['a line']
    """
    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            handles.setdefault(label, handle)
        drawn = ax.get_legend()
        if drawn:
            drawn.remove()
    if only is not None:
        handles = {label: handles[label] for label in only if label in handles}
    if handles:
        room = 10 * fig.get_figwidth()  # letters
        columns = int(max(1, min(len(handles), room // (max(map(len, handles)) + 6))))
        lines = -(-len(handles) // columns)
        columns = -(-len(handles) // lines)  # two and two rather than three and one
        fig.set_figheight(fig.get_figheight() + 0.1 + 0.23 * lines)
        fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=columns)


def in_lines(label: str, phone: bool, letters: int = 22) -> str:
    """An axis's name as it fits a phone, where a longer one would be cut.

    >>> in_lines("share of the best scheme's", phone=True)
    "share of the best\\nscheme's"
    """
    return textwrap.fill(label, letters) if phone else label


def _pick(summary: pd.DataFrame, metric: str) -> pd.DataFrame:
    if "metric" not in summary:
        return summary
    rows = summary[summary["metric"] == metric]
    if rows.empty:
        known = ", ".join(map(str, summary["metric"].unique()))
        raise ValueError(f"no metric {metric!r} in the frame; it has {known}")
    return rows


def _panels(frame: pd.DataFrame, col: str | None) -> list[tuple[str, pd.DataFrame]]:
    if col is None:
        return [("", frame)]
    return [(_level(col, v), frame[_is(frame[col], v)]) for v in _levels(frame, col)]


def _levels(frame: pd.DataFrame, hue: str | None) -> list[Any]:
    return [] if hue is None else list(frame[hue].drop_duplicates())


def _split(
    part: pd.DataFrame, hue: str | None, levels: list[Any]
) -> list[tuple[str, pd.DataFrame]]:
    if hue is None:
        return [("", part)]
    lines = [(_level(hue, v), part[_is(part[hue], v)]) for v in levels]
    return [(name, line) for name, line in lines if len(line)]


def _is(column: pd.Series, value: Any) -> pd.Series:
    """Where a column has a value, which may be none at all."""
    return column.isna() if pd.isna(value) else column == value


def _level(column: str, value: Any) -> str:
    """How a line or panel is named: words as they are, numbers with their symbol."""
    if isinstance(value, str):
        return SHORT.get(value, value)
    if pd.isna(value):
        return f"no {_name(column)}"
    if column == "groups":
        return "1 group" if value == 1 else f"{value:g} groups"
    return f"{_name(column)} = {value:g}"


def _baseline_names(baselines: Mapping[str, Any], col: str | None) -> list[str]:
    inner = baselines.values() if col else [baselines]
    return list(dict.fromkeys(name for each in inner for name in each))


# Telling ------------------------------------------------------------------------------------------


def shape(x: ArrayLike, y: ArrayLike, symbol: str = "x") -> str:
    """What a curve does, in words and numbers.

    >>> shape([0, .5, 1], [.8, .5, .8], "θ")
    'falls from 0.8 at θ = 0 to 0.5 at θ = 0.5 and rises to 0.8 at θ = 1'
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    if np.ptp(y) <= 1e-3 * max(abs(y).max(), 1e-300):
        return f"stays at {y[0]:.3g}"
    at = [f"{value:.3g} at {symbol} = {place:g}" for place, value in zip(x, y)]
    last = len(y) - 1
    bend = min((int(y.argmin()), int(y.argmax())), key=lambda i: i in (0, last))
    away = abs(y[[0, last]] - y[bend])
    stops = [0, bend, last] if min(away) > 0.05 * max(away) else [0, last]
    words = [
        f"{'rises' if y[b] > y[a] else 'falls'}{'' if a else f' from {at[0]}'} to {at[b]}"
        for a, b in itertools.pairwise(stops)
    ]
    return " and ".join(words)


def _sentence(panel: str, level: str, x: pd.Series, y: pd.Series, name: str) -> str:
    who = ", ".join(part for part in (panel, level) if part)
    told = shape(x, y, _name(name))
    return f"{who}: {told}." if who else f"{_capital(told)}."


def _field(name: str, table: pd.DataFrame, x: str, y: str) -> str:
    flat = table.stack()
    ends: tuple[Any, Any] = flat.idxmin(), flat.idxmax()  # an index of two levels: pairs
    (low_y, low_x), (high_y, high_x) = ends
    who = f"{name}: from" if name else "From"
    return (
        f"{who} {flat.min():.3g} at {_name(x)} = {low_x}, {_name(y)} = {low_y} "
        f"to {flat.max():.3g} at {_name(x)} = {high_x}, {_name(y)} = {high_y}."
    )


def _front(name: str, frame: pd.DataFrame, x: str, y: str) -> str:
    ends = frame.sort_values(x).iloc[[0, -1]]
    (x0, x1), (y0, y1) = ends[x], ends[y]
    return f"{_capital(name)}: from {_bare(y)} {y0:.3g} at {_bare(x)} {x0:.3g} to {y1:.3g} at {x1:.3g}."


def _repetitions(rows: pd.DataFrame) -> str:
    if "reps" not in rows:
        return ""
    low, high = int(rows["reps"].min()), int(rows["reps"].max())
    count = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"Repetitions: {count}."


def _name(column: str) -> str:
    return LABELS.get(column, column)


def _bare(column: str) -> str:
    """A label without its explanation in brackets."""
    return _name(column).split(" (")[0]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
