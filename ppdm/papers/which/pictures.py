"""[Chapter 5] The figures that were made for the chapter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ppdm import plot
from ppdm.data import SHORT
from ppdm.papers.which.evidence import at
from ppdm.papers.which.experiment import LINES, LINK, ONE

#: Families by colour; the scheme of a family by its marker.
FAMILIES = ("unrelated question", "groups", "matrices", "today", "released table")
TOLD = {
    "unrelated question": "unrelated question", "groups": "groups of answers", "matrices": "matrix for each answer",
    "today": "today's", "released table": "released tables",
}  # fmt: skip

#: The two lines that all panels have: what undisguised answers give, and what a blind guess gets.
LEVEL: dict[str, Any] = {"color": plot.SOFT, "linewidth": 1.2, "zorder": 1}
OPEN, BLIND = (0, (4, 2)), (0, (1.5, 1.5))


def _look(scheme: str) -> tuple[str, str]:
    family = LINES[scheme].family
    mates = [name for name, line in LINES.items() if line.family == family]
    return plot.COLOURS[FAMILIES.index(family)], plot.MARKERS[mates.index(scheme)]


def best_line(part: pd.DataFrame) -> pd.DataFrame:
    """The points that no other one of the part beats, by rising chance of the guess.

    >>> part = pd.DataFrame({"guess": [0.6, 0.7, 0.8], "nb": [0.7, 0.65, 0.9], "scheme": list("abc")})
    >>> best_line(part)["scheme"].tolist()
    ['a', 'c']
    """
    part = part.sort_values(["guess", "nb"], ascending=[True, False])
    return part[part["nb"] > part["nb"].cummax().shift(fill_value=-1.0)]


def everything(frame: pd.DataFrame) -> plot.Figure:
    """Every scheme on every data set, before one attacker; the line is the best of them.

    `frame` is `evidence.plane`.
    """
    here = at(frame, "others", ONE)
    panels = [name for name in SHORT if name in set(here["dataset"])]

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, column=True)
        for ax, name in zip(axes, panels):
            part = here[here["dataset"] == name]
            _levels(ax, part, phone, named=ax is axes[0], above=False)
            shown = part[part["family"] != "reference"]
            for family, points in shown.groupby("family", sort=False):
                ax.plot(
                    points["guess"],
                    points["nb"],
                    linestyle="",
                    marker=plot.MARKERS[FAMILIES.index(family)],
                    color=plot.COLOURS[FAMILIES.index(family)],
                    markeredgewidth=0,
                )
            best = best_line(shown)
            ax.plot(
                best["guess"],
                best["nb"],
                color=plot.SOFT,
                drawstyle="steps-post",
                linewidth=1.2,
                zorder=0,
            )
            ax.set(title=SHORT[name])
            ax.margins(y=0.1)
        _words(axes, across, phone)
        _key(
            fig,
            [(TOLD[f], plot.COLOURS[i], plot.MARKERS[i]) for i, f in enumerate(FAMILIES)],
            phone,
        )
        return fig

    figure = plot.laid_out(draw)
    figure.data = here
    figure.alt = "The best schemes at rising risk, each with the chance that one answer is guessed right and the "
    figure.alt += "balanced accuracy of what is learned. " + " ".join(
        f"{SHORT[name]}: "
        + ", ".join(
            f"{row.scheme} ({row.guess:.2f}, {row.nb:.2f})"
            for row in best_line(
                here[(here["dataset"] == name) & (here["family"] != "reference")]
            ).itertuples()
        )
        + "."
        for name in panels
    )
    figure.caption = "Each point is a scheme; the step is the best that can be had at a risk."
    return figure


def plane(frame: pd.DataFrame, dataset: str) -> plot.Figure:
    """One data set: a line a scheme, before who guesses an answer and before who traces a report."""
    part = frame[(frame["dataset"] == dataset) & (frame["family"] != "reference")]
    sides = {
        "one answer is guessed right": at(part, "others", ONE),
        "she is traced": at(part, "own list", LINK),
    }
    open_ = at(frame[frame["dataset"] == dataset], "others", ONE)
    schemes = [name for name in LINES if name in set(part["scheme"])]

    def draw(phone: bool) -> plot.Figure:
        rows, across = plot.grid_of(2, phone)
        size = (plot.PHONE, 6.6) if phone else (plot.WIDTH, 4.1)
        fig = plot.Figure(figsize=size, layout="constrained")
        axes = fig.subplots(rows, across, squeeze=False, sharey=not phone).ravel()
        for ax, (title, points) in zip(axes, sides.items()):
            for name in schemes:
                line = points[points["scheme"] == name].sort_values("parameter")
                colour, marker = _look(name)
                ax.plot(
                    line["guess"],
                    line["nb"],
                    marker=marker,
                    color=colour,
                    markeredgewidth=0,
                    linewidth=1.4,
                )
            ax.set_xlabel(f"chance that {title}", fontsize=10 if phone else None)
            ax.set_ylabel("balanced accuracy" if phone or ax is axes[0] else "")
            ax.margins(y=0.08)
        _levels(axes[0], open_, phone, named=False)  # among so many lines there is no room
        axes[1].axhline(_open(open_), linestyle=OPEN, **LEVEL)
        axes[1].set_xscale("log")
        _key(fig, [(name, *_look(name)) for name in schemes], phone, line=True)
        return fig

    figure = plot.laid_out(draw)
    figure.data = pd.concat(sides.values())
    figure.alt = f"{SHORT[dataset]}. " + " ".join(
        f"{name}: {line['nb'].iloc[0]:.2f} at {line['guess'].iloc[0]:.2f} to {line['nb'].iloc[-1]:.2f} at "
        f"{line['guess'].iloc[-1]:.2f}."
        for name, line in at(part, "others", ONE).groupby("scheme", sort=False)
    )
    figure.caption = "Balanced accuracy of naive Bayes against what two attackers get."
    return figure


def groupings(frame: pd.DataFrame) -> plot.Figure:
    """Who prefers which grouping: the chance of each goal with one, two and three groups.

    `frame` is `groups.preferred`.
    """
    names = [column for column in frame.columns if column not in ("goal", "blind")]

    def draw(phone: bool) -> plot.Figure:
        fig = plot.Figure(
            figsize=(plot.PHONE, 5.2) if phone else (plot.WIDTH, 3.4), layout="constrained"
        )
        ax = fig.subplots()
        for place, row in enumerate(frame.iloc[::-1].itertuples(index=False)):
            values = dict(zip(frame.columns, row))
            ax.plot([values[n] for n in names], [place] * len(names), color=plot.SOFT, linewidth=1)
            ax.plot([values["blind"]], [place], marker="|", markersize=13, color=plot.SOFT)
            for i, name in enumerate(names):
                ax.plot(
                    [values[name]],
                    [place + (len(names) // 2 - i) * 0.13],
                    color=plot.COLOURS[i],
                    marker=plot.MARKERS[i],
                    markersize=7,
                    markeredgewidth=0,
                )
        labels = [
            goal.replace(", but", ",\nbut") if phone else goal for goal in frame["goal"][::-1]
        ]
        ax.set_yticks(range(len(frame)), labels)
        chance = "he is right" if phone else "chance that the guess is right"
        ax.set(xlabel=chance, xlim=(0, 1.04))
        _key(fig, [(n, plot.COLOURS[i], plot.MARKERS[i]) for i, n in enumerate(names)], phone)
        return fig

    figure = plot.laid_out(draw)
    figure.data = frame
    figure.alt = " ".join(
        f"{row['goal']}: " + ", ".join(f"{name} {row[name]:.2f}" for name in names) + "."
        for _, row in frame.iterrows()
    )
    figure.caption = "What an attacker gets depends on what he wants."
    return figure


def _open(rows: pd.DataFrame) -> float:
    return float(rows.loc[rows["scheme"] == "undisguised", "nb"].iloc[0])


def _levels(
    ax: Axes, rows: pd.DataFrame, phone: bool, named: bool = True, above: bool = True
) -> None:
    """The two lines that all panels have; of several, one names them."""
    open_, guessed = ("undisguised", "blind guess") if named else ("", "")
    plot.name_level(ax, open_, _open(rows), x=0.4 if phone else 0.62, above=above)
    blind = rows["blind"].median()
    ax.axvline(blind, linestyle=BLIND, **LEVEL)
    ax.annotate(
        guessed,
        (blind, 0.03),
        xycoords=ax.get_xaxis_transform(),
        rotation=90,
        xytext=(3, 0),
        textcoords="offset points",
        va="bottom",
        fontsize=10,
    )


def _words(axes: Iterable[Axes], across: int, phone: bool) -> None:
    axes = list(axes)
    for i, ax in enumerate(axes):
        if i % across == 0:
            ax.set_ylabel("balanced accuracy")
        if i >= len(axes) - across:
            ax.set_xlabel("guessed right" if phone else "chance that an answer is guessed")


def _key(
    fig: plot.Figure, entries: list[tuple[str, str, str]], phone: bool, line: bool = False
) -> None:
    handles = [
        Line2D(
            [], [], color=colour, marker=marker, linestyle="-" if line else "", markeredgewidth=0
        )
        for _, colour, marker in entries
    ]
    names = [name for name, _, _ in entries]
    if line:
        handles += [Line2D([], [], linestyle=style, **LEVEL) for style in (OPEN, BLIND)]
        names += ["undisguised", "blind guess"]
    across = 2 if phone else 4 if len(entries) > 5 else min(len(entries), 3)  # wider is cut off
    fig.legend(
        handles,
        names,
        loc="outside upper center",
        ncols=across,
        columnspacing=1.0,
        handletextpad=0.4,
        handlelength=1.4,
    )
