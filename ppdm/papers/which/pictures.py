"""[Chapter 5] The figures of the chapter and of the page beyond it: a function of the chapter each, with its caption."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ppdm import plot
from ppdm.data import SHORT
from ppdm.papers.common import captioned
from ppdm.papers.which import beyond, groups, rows
from ppdm.papers.which.experiment import LINES, LINK, ONE
from ppdm.papers.which.rows import at

#: Families by colour; the scheme of a family by its marker.
FAMILIES = {
    "unrelated question": "unrelated question", "groups": "groups of answers", "matrices": "matrix for each answer",
    "today": "today's", "released table": "released tables",
}  # fmt: skip
LOOK = dict(zip(FAMILIES, zip(plot.COLOURS, plot.MARKERS)))
#: The two lines that all panels have: what undisguised answers give, and what a blind guess gets.
LEVEL: dict[str, Any] = {"color": plot.SOFT, "linewidth": 1.2, "zorder": 1}
OPEN, BLIND = (0, (4, 2)), (0, (1.5, 1.5))


def _look(scheme: str) -> tuple[str, str]:
    family = LINES[scheme].family
    mates = [name for name, line in LINES.items() if line.family == family]
    return LOOK[family][0], plot.MARKERS[mates.index(scheme)]


def best_line(part: pd.DataFrame) -> pd.DataFrame:
    """The points that no other one of the part beats, by rising chance of the guess.

    >>> part = pd.DataFrame({"guess": [0.6, 0.7, 0.8], "nb": [0.7, 0.65, 0.9], "scheme": list("abc")})
    >>> best_line(part)["scheme"].tolist()
    ['a', 'c']
    """
    part = part.sort_values(["guess", "nb"], ascending=[True, False])
    return part[part["nb"] > part["nb"].cummax().shift(fill_value=-1.0)]


def everything(ch) -> plot.Figure:
    """Every scheme on every data set, before one attacker; the line is the best of them."""
    frame = ch.get(rows.plane)
    here = at(frame, "others", ONE)
    panels = {name: here[here["dataset"] == name] for name in SHORT if name in set(here["dataset"])}
    best = {name: best_line(part[part["family"] != "reference"]) for name, part in panels.items()}

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, column=True)
        for i, (ax, (name, part)) in enumerate(zip(axes, panels.items())):
            _levels(ax, part, phone, named=i == 0, above=False)
            for family, (colour, marker) in LOOK.items():
                points = part[part["family"] == family]
                ax.plot(points["guess"], points["nb"], marker, color=colour, markeredgewidth=0)
            ax.plot(
                best[name]["guess"],
                best[name]["nb"],
                color=plot.SOFT,
                drawstyle="steps-post",
                linewidth=1.2,
                zorder=0,
            )
            ax.set(title=SHORT[name], ylabel="balanced accuracy" if i % across == 0 else "")
            ax.margins(y=0.1)
            if i >= len(panels) - across:
                ax.set_xlabel("guessed right" if phone else "chance that an answer is guessed")
        _key(fig, [(FAMILIES[family], *look) for family, look in LOOK.items()], phone)
        return fig

    figure = plot.laid_out(draw)
    figure.data = frame  # every attacker's chance, not of this one alone
    figure.alt = (
        "The best schemes at rising risk, each with the chance that one answer is guessed right and the balanced "
        "accuracy of what is learned. "
        + " ".join(
            f"{SHORT[name]}: "
            + ", ".join(f"{r.scheme} ({r.guess:.2f}, {r.nb:.2f})" for r in line.itertuples())
            + "."
            for name, line in best.items()
        )
    )
    return captioned(figure,
        "Every scheme before one attacker, a stranger who knows other people's records and guesses one of her "
        "answers (the mean over "
        "all questions). Higher and further left is better; the step joins the points that no other scheme here "
        "beats. The scales differ from "
        "panel to panel.")  # fmt: skip


SAID = {
    "adult": "Adult, 39,073 respondents. Released tables are of 1,500 of them, cut where the true answers were.",
    "breast-cancer-wisconsin": "Breast Cancer, 559 respondents.",
    "congressional-voting": "Voting, 348 respondents. AIBR of two values is an open book: each lies in an interval "
    "of its own.",
    "pima": "Pima, 614 respondents.",
}


def planes(ch) -> None:
    """One figure a data set, each with a name of its own."""
    for dataset in ch.get(rows.sets):
        ch.figure(partial(plane, dataset=dataset), name=f"plane-{rows.short(dataset)}")


def plane(ch, dataset: str) -> plot.Figure:
    """One data set: a line a scheme, before who guesses an answer and before who traces a report."""
    here = ch.get(rows.plane).query("dataset == @dataset")
    part, open_ = here[here["family"] != "reference"], at(here, "others", ONE)
    sides = {
        "one answer is guessed right": at(part, "others", ONE),
        "she is traced": at(part, "own list", LINK),
    }
    schemes = [name for name in LINES if name in set(part["scheme"])]

    def draw(phone: bool) -> plot.Figure:
        down, across = plot.grid_of(2, phone)
        fig = plot.Figure(
            figsize=(plot.PHONE, 6.6) if phone else (plot.WIDTH, 4.1), layout="constrained"
        )
        axes = fig.subplots(down, across, squeeze=False, sharey=not phone).ravel()
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
    return captioned(
        figure,
        f"{SAID[dataset]} Up and to the left is better. Lines end where the scheme's parameter does.",
    )


def groupings(ch) -> plot.Figure:
    """Who prefers which grouping: the chance of each goal with one, two and three groups."""
    frame = groups.preferred(0.7)
    names = [column for column in frame.columns if column not in ("goal", "blind")]

    def draw(phone: bool) -> plot.Figure:
        fig = plot.Figure(
            figsize=(plot.PHONE, 5.2) if phone else (plot.WIDTH, 3.4), layout="constrained"
        )
        ax, places = fig.subplots(), range(len(frame))[::-1]
        ax.hlines(
            places, frame[names].min(axis=1), frame[names].max(axis=1), color=plot.SOFT, linewidth=1
        )
        ax.plot(frame["blind"], places, "|", markersize=13, color=plot.SOFT)
        for i, name in enumerate(names):
            apart = [place + (len(names) // 2 - i) * 0.13 for place in places]
            ax.plot(
                frame[name],
                apart,
                plot.MARKERS[i],
                color=plot.COLOURS[i],
                markersize=7,
                markeredgewidth=0,
            )
        ax.set_yticks(places, [g.replace(", but", ",\nbut") if phone else g for g in frame["goal"]])
        ax.set(xlabel="he is right" if phone else "chance that the guess is right", xlim=(0, 1.04))
        _key(fig, list(zip(names, plot.COLOURS, plot.MARKERS)), phone)
        return fig

    figure = plot.laid_out(draw)
    figure.data = frame
    figure.alt = " ".join(
        f"{row['goal']}: " + ", ".join(f"{name} {row[name]:.2f}" for name in names) + "."
        for _, row in frame.iterrows()
    )
    return captioned(figure,
        "Three answers, all records equally likely, θ = 0.7; the bar is the blind guess. One group tells for "
        "certain whether two answers "
        "agree, and hands out the record in seven of ten cases. But who is content with a record that is right but "
        "for one answer "
        "prefers three groups.")  # fmt: skip


def _open(here: pd.DataFrame) -> float:
    return float(here.loc[here["scheme"] == "undisguised", "nb"].iloc[0])


def _levels(
    ax: Axes, here: pd.DataFrame, phone: bool, named: bool = True, above: bool = True
) -> None:
    """The two lines that all panels have; of several, one names them."""
    plot.name_level(
        ax, "undisguised" if named else "", _open(here), x=0.4 if phone else 0.62, above=above
    )
    blind = here["blind"].median()
    ax.axvline(blind, linestyle=BLIND, **LEVEL)
    ax.annotate("blind guess" if named else "", (blind, 0.03), xycoords=ax.get_xaxis_transform(), rotation=90,
                xytext=(3, 0), textcoords="offset points", va="bottom", fontsize=10)  # fmt: skip


def _key(
    fig: plot.Figure, entries: Iterable[tuple[str, str, str]], phone: bool, line: bool = False
) -> None:
    names, colours, markers = zip(*entries)
    handles = [Line2D([], [], color=colour, marker=marker, linestyle="-" if line else "", markeredgewidth=0)
               for colour, marker in zip(colours, markers)]  # fmt: skip
    if line:
        handles += [Line2D([], [], linestyle=style, **LEVEL) for style in (OPEN, BLIND)]
        names += ("undisguised", "blind guess")
    across = 2 if phone else 4 if len(colours) > 5 else min(len(colours), 3)  # wider is cut off
    fig.legend(handles, names, loc="outside upper center", ncols=across, columnspacing=1.0, handletextpad=0.4,
               handlelength=1.4)  # fmt: skip


# The page beyond it -------------------------------------------------------------------------------


def won_back(ch) -> plot.Figure:
    """What an attacker wins back who knows some records."""
    figure = plot.curves(ch.get(beyond.by_known), x="known", hue="scheme", col="dataset", metric="won back",
                         xlabel="records that he knows", ylabel="values won back")  # fmt: skip
    return captioned(figure,
        "How many values of all other persons an attacker has who knows a few. A rotation hides every number, until "
        "he knows some "
        "records more than the table has attributes: then he has everybody's. BSVD (at the parameters Guo chose, "
        "like the others) "
        "can be read without any. AIBR and kCG are nearest to the blind guess. A value counts if the best of four "
        "guesses is within "
        "a tenth of a deviation. Bands: 95 % intervals.")  # fmt: skip
