"""The house style of figures: one function for each kind, on seaborn.

Every function takes frames (mostly `study.summarise`'s) and returns a matplotlib figure that carries
`.caption` and `.alt`, both made from the data; `ch.figure(fig)` puts it on the page. Coordinates
are named by columns of the frame::

    curves(summary, x="q", hue="dataset", baselines={"majority": 0.76})      # mean, intervals
    curves(summary, x="theta", hue="groups", col="dataset", baselines={"adult": {"ID3": 0.81}})
    variances(summary, x="theta", hue="groups")                              # variance, intervals
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
from collections.abc import Callable, Iterable, Iterator, Mapping
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


def name_ends(ax: Axes, lines: Iterable[tuple[str, float, float]]) -> bool:
    """Write each name (name, x, y of its end) to the right of the panel; False if they would collide.

    >>> ax = Figure().subplots()
    >>> name_ends(ax, [("Warner", 1.0, 0.2), ("OptRR", 1.0, 0.8)])
    True
    >>> name_ends(ax, [("Warner", 1.0, 0.50), ("OptRR", 1.0, 0.51)])
    False
    """
    lines = list(lines)
    low, high = ax.get_ylim()
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
    rows, ylabel = _pick(summary, metric), ylabel or _name(metric)
    figure = _drawn(
        rows, x, "mean", hue, col, band=("low", "high"), levels=baselines, labels=(xlabel, ylabel)
    )
    return _told(figure, rows, x, "mean", hue, col, baselines, f"Mean {metric}", metric, band=True)


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
    rows, what = _pick(summary, metric), f"variance of {metric}"
    if rows["var"].isna().any():
        raise ValueError("a variance needs two repetitions or more in every cell")
    figure = _drawn(
        rows, x, "var", hue, col, band=("var_low", "var_high"), labels=(xlabel, what), log=log
    )
    return _told(figure, rows, x, "var", hue, col, None, _capital(what), what, band=True)


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
    log: bool = False,
) -> Figure:
    """Exact (computed, not sampled) curves of column `y` against `x`, PSE or a best guess, say; `log`: `y` by its logarithm.

    >>> privacy_curves(pd.DataFrame({"q": [0.1, 0.9], "guess": [0.5, 0.9]}), "q", "guess").alt
    'Guess against q: rises from 0.5 at q = 0.1 to 0.9 at q = 0.9.'
    """
    figure = _drawn(frame, x, y, hue, col, levels=baselines, labels=(xlabel, ylabel), log=log)
    _told(figure, frame, x, y, hue, col, baselines, _capital(_name(y)), _name(y))
    figure.caption = f"{caption}." if caption else figure.caption
    return figure


def fronts(
    points: Mapping[str, pd.DataFrame],
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

    def ground(ax: Axes, _: str) -> None:
        ax.set_title(title)
        if frontier is not None:
            line = frontier.sort_values(x)
            ax.plot(line[x], line[y], color=INK, linewidth=1.6, label="certified frontier")
            bottom = ax.get_ylim()[0]
            ax.fill_between(line[x], bottom, line[y], color=SOFT, alpha=0.18, linewidth=0)
            ax.set_ylim(bottom=bottom)

    every = pd.concat([frame.assign(of=name) for name, frame in points.items()])
    figure = _drawn(
        every, x, y, "of", None, labels=(xlabel, ylabel), log=log, joined=False, more=ground
    )
    figure.data = every
    (across, up), below = (_name(column).split(" (")[0] for column in (x, y)), ""
    if frontier is not None:
        points, below = (
            {**points, "the certified frontier": frontier},
            " No scheme can lie in the shaded ground.",
        )
    what = f"{_capital(up)} against {across}{': ' + title if title else ''}."
    figure.caption = f"{what} Lower and further right is better.{below}"
    sentences = []
    for name, frame in points.items():
        (x0, y0), (x1, y1) = frame.sort_values(x)[[x, y]].to_numpy()[[0, -1]]
        sentences.append(
            f"{_capital(name)}: from {up} {y0:.3g} at {across} {x0:.3g} to {y1:.3g} at {x1:.3g}."
        )
    figure.alt = " ".join([what, *sentences])
    return figure


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

    def levels(ax: Axes, panel: str) -> None:
        [name] = [name for name in undisguised if _level("dataset", name) == panel]
        # Both are named in the legend: on the panel, lines would cross the words.
        ax.axhline(
            undisguised[name], color=SOFT, linewidth=1.2, linestyle=(0, (4, 2)), label="undisguised"
        )
        ax.axvline(
            blind[name], color=SOFT, linewidth=1.2, linestyle=(0, (1.5, 1.5)), label="blind guess"
        )
        ax.margins(y=0.12)

    labels = (xlabel, "balanced accuracy")
    figure = _drawn(
        points, "attacker", "balanced", hue, "dataset", labels=labels, along=along, more=levels
    )
    figure.data = points.copy()
    sentences = []
    for panel, level, line in _lines(points.sort_values(along), hue, "dataset"):
        a, b = line["attacker"].to_numpy(), line["balanced"].to_numpy()
        who = ", ".join(filter(None, (panel, level)))
        sentences.append(
            f"{who}: from {a[0]:.2f} right guesses and balanced accuracy {b[0]:.2f} to {a[-1]:.2f} and {b[-1]:.2f}."
        )
    figure.alt = " ".join(sentences)
    figure.caption = "Balanced accuracy against what an attacker gets."
    return figure


# From figure to page ------------------------------------------------------------------------------

LARGEST_SVG = 200_000  # characters; above, a picture is smaller

_COORDINATES = re.compile(r'\s(?:d|x|y|x1|x2|y1|y2|points)="[^"]*"|translate\([^)]*\)')
_LONG = re.compile(r"-?\d+\.\d{2,}")
_PATH, _STEP = re.compile(r'(?<=\sd=")[^"]*'), re.compile(r"\s*([A-Za-z]|$)\s*")
_LOOKS = re.compile(r'(?<=\sstyle=")[^"]*')


def _to_tenths(number: re.Match[str]) -> str:
    """A coordinate to a tenth of a point: no eye sees more, and the drawing is smaller.

    >>> _LONG.sub(_to_tenths, "M 12.345678 -0.001234 L 7.5 100.999999")
    'M 12.3 0 L 7.5 101'
    """
    return f"{round(float(number[0]), 1) + 0.0:g}" if abs(float(number[0])) < 1000 else number[0]


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
    text = _COORDINATES.sub(lambda found: _LONG.sub(_to_tenths, found[0]), buffer.getvalue())
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


def _drawn(
    frame: pd.DataFrame,
    x: str,
    y: str,
    hue: str | None,
    col: str | None,
    *,
    band: tuple[str, str] | None = None,
    levels: Mapping[str, Any] | None = None,
    labels: tuple[str, str] = ("", ""),
    log: bool = False,
    joined: bool = True,
    along: str = "",
    more: Callable[[Axes, str], None] | None = None,
) -> Figure:
    """`y` against `x`, a line for each `hue` in a panel for each `col`; points with `along` are joined in its order.

    `more` draws into each panel what else it has. Lines that end apart are named there, others in a legend.
    """
    panels, names = _parts(frame, col), [name for name, _ in _parts(frame, hue)]
    lines = list(_lines(frame.sort_values(along or x), hue, col))
    alone = joined and not along and not log

    def draw(phone: bool) -> Figure:
        fig, axes, across = in_panels(len(panels), phone, sharey=alone and len(panels) > 1)
        small = phone and across > 1
        for ax, (panel, _) in zip(axes, panels):
            for name, line in [(name, line) for where, name, line in lines if where == panel]:
                _draw_line(
                    ax,
                    line.dropna(subset=[x, y]),
                    (x, y),
                    band,
                    name,
                    names.index(name) % 6,
                    joined,
                )
            for j, (name, level) in enumerate(_across(levels, col, panel).items()):
                dashes = (4, 2, 1, 2) if j else (2, 2)
                ax.axhline(level, color=SOFT, linewidth=1.3, linestyle=(0, dashes), label=name)
            if log:
                ax.set_yscale("log")
            if pd.api.types.is_numeric_dtype(frame[x]):
                ax.locator_params(axis="x", nbins=3 if small else 5)
            ax.set(ylabel=in_lines(labels[1] or _name(y), phone), title=panel)
            if small and max(len(name) for name, _ in panels) > 18:
                ax.set_title(panel.replace(": ", ":\n"))
            if more:
                more(ax, panel)
            if alone and across == len(axes):
                ax.label_outer(remove_inner_ticks=False)
        crowded = across > 2 and len(labels[0]) > 20  # three long names would run together
        for ax in axes[across // 2 :: across] if crowded else axes:
            ax.set_xlabel(in_lines(labels[0] or _name(x), phone, 30))
        for ax in axes[len(panels) :]:
            ax.remove()
        ends = [
            (name, *line[[x, y]].iloc[-1]) for where, name, line in lines if where == panels[-1][0]
        ]
        named = (
            hue
            and alone
            and not phone
            and len(ends) == len(names)
            and name_ends(axes[len(panels) - 1], ends)
        )
        levelled = list(
            dict.fromkeys(name for panel, _ in panels for name in _across(levels, col, panel))
        )
        legend(fig, axes[: len(panels)], only=levelled if named else None)
        return fig

    figure = laid_out(draw)
    figure.data = frame[[c for c in (col, hue, x, y, *(band or ())) if c]]
    return figure


def _draw_line(
    ax: Axes,
    line: pd.DataFrame,
    columns: tuple[str, str],
    band: tuple[str, str] | None,
    name: str,
    i: int,
    joined: bool,
) -> None:
    """The i-th line (or its points alone) of a panel, and its band where there is one."""
    x, y = columns
    shown = {"data": line, "x": x, "y": y, "ax": ax, "color": COLOURS[i], "label": name or None}
    if joined:
        dashes = (0, DASHES[i]) if DASHES[i] else "-"
        marker = MARKERS[i] if len(line) <= 25 else None
        sns.lineplot(
            **shown, marker=marker, markeredgewidth=0, linestyle=dashes, estimator=None,
            sort=False, legend=False,
        )  # fmt: skip
    else:
        sns.scatterplot(**shown, marker=MARKERS[i], s=16, alpha=0.85, linewidth=0, legend=False)
    if band:
        ax.fill_between(
            line[x], line[band[0]], line[band[1]], color=COLOURS[i], alpha=0.22, linewidth=0
        )


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


def _parts(frame: pd.DataFrame, column: str | None) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each value of a column (which may be none at all), by how it is called; all rows without one."""
    if column is None:
        return [("", frame)]
    values = frame[column].drop_duplicates()
    rows = ((v, frame[column].isna() if pd.isna(v) else frame[column] == v) for v in values)
    return [(_level(column, value), frame[chosen]) for value, chosen in rows]


def _lines(
    frame: pd.DataFrame, hue: str | None, col: str | None
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Each line of each panel: the names of both, and its rows."""
    for panel, part in _parts(frame, col):
        yield from ((panel, name, line) for name, line in _parts(part, hue))


def _across(levels: Mapping[str, Any] | None, col: str | None, panel: str) -> Mapping[str, float]:
    """The levels of a panel: those of all, or with `col` its own."""
    if not levels or not col:
        return levels or {}
    return next((own for name, own in levels.items() if _level(col, name) == panel), {})


def _level(column: str, value: Any) -> str:
    """How a line or panel is named: words as they are, numbers with their symbol."""
    if isinstance(value, str):
        return SHORT.get(value, value)
    if pd.isna(value):
        return f"no {_name(column)}"
    if column == "groups":
        return "1 group" if value == 1 else f"{value:g} groups"
    return f"{_name(column)} = {value:g}"


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


def _told(
    figure: Figure,
    rows: pd.DataFrame,
    x: str,
    y: str,
    hue: str | None,
    col: str | None,
    levels: Mapping[str, Any] | None,
    what: str,
    short: str,
    band: bool = False,
) -> Figure:
    """The figure with its caption and its alternative text: what each line does, and each level."""
    sentences: list[str] = []
    names: list[str] = []
    for panel, part in _parts(rows, col):
        for name, line in _parts(part.sort_values(x), hue):
            does = shape(line[x], line[y], _name(x))
            who = ", ".join(filter(None, (panel, name)))
            sentences.append(f"{who}: {does}." if who else f"{does}.")
        own = _across(levels, col, panel)
        sentences += [
            f"{panel + ': level' if panel else 'Level'} of {name} {level:.3g}."
            for name, level in own.items()
        ]
        names += own
    figure.alt = f"{_capital(short)} against {_name(x)}: {' '.join(sentences)}"
    parts = [f"{what} against {_name(x)}.", "Bands: 95 % intervals." if band else "",
             f"Level lines: {'; '.join(dict.fromkeys(names))}." if names else "", _repetitions(rows)]  # fmt: skip
    figure.caption = " ".join(filter(None, parts))
    return figure


def _repetitions(rows: pd.DataFrame) -> str:
    if "reps" not in rows:
        return ""
    low, high = int(rows["reps"].min()), int(rows["reps"].max())
    count = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"Repetitions: {count}."


def _name(column: str) -> str:
    return LABELS.get(column, column)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
