"""[Chapter 5] The figures of the chapter and of the page beyond it: a function of the chapter each, with its caption."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ppdm import plot
from ppdm.data import SHORT
from ppdm.papers.common import captioned
from ppdm.papers.which import beyond, groups, rows
from ppdm.papers.which.experiment import LINK, ONE
from ppdm.papers.which.rows import at

#: Families, each with a colour and a marker.
FAMILIES = {
    "unrelated question": "unrelated question", "groups": "groups of answers", "matrices": "matrix for each answer",
    "today": "today's", "released table": "released tables",
}  # fmt: skip
LOOK = dict(zip(FAMILIES, zip(plot.COLOURS, plot.MARKERS)))
#: The two lines that all panels have: what undisguised answers give, and what a blind guess gets.
LEVEL: dict[str, Any] = {"color": plot.SOFT, "linewidth": 1.2, "zorder": 1}
BLIND = (0, (1.5, 1.5))


def best_line(part: pd.DataFrame) -> pd.DataFrame:
    """The points that no other one of the part beats, by rising chance of the guess.

    >>> part = pd.DataFrame({"guess": [0.6, 0.7, 0.8], "nb": [0.7, 0.65, 0.9], "scheme": list("abc")})
    >>> best_line(part)["scheme"].tolist()
    ['a', 'c']
    """
    part = part.sort_values(["guess", "nb"], ascending=[True, False])
    return part[part["nb"] > part["nb"].cummax().shift(fill_value=-1.0)]


def everything(ch) -> plot.Figure:
    """Every scheme on every data set, before who guesses an answer; the line is the best of them."""
    figure = _before(
        ch, "others", ONE, "chance that an answer is guessed", "one answer is guessed right"
    )
    figure.data = ch.get(rows.plane)  # every attacker's chance, not of this one alone
    return captioned(figure,
        "Every scheme before one attacker, a stranger who knows other people's records and guesses one of her "
        "answers (the mean over all questions). Higher and further left is better; the step joins the points that no "
        "other scheme here beats. The scales differ from panel to panel.")  # fmt: skip


def plane(ch) -> plot.Figure:
    """The same before who has a list of the true records and traces a report."""
    figure = _before(ch, "own list", LINK, "chance that she is traced", "she is traced", log=True)
    return captioned(figure,
        "The same schemes before somebody who has a list of all true records and asks which of these people sent a "
        "report, or which row is hers. Released tables of Adult are of 1,500 people, cut where the true answers were. On "
        "Voting, AIBR of two values is an open book: each lies in an interval of its own.")  # fmt: skip


def _before(
    ch, knowledge: str, goal: str, across: str, said: str, log: bool = False
) -> plot.Figure:
    """A panel a data set: what is learned against what one attacker gets, a colour a family."""
    here = at(ch.get(rows.plane), knowledge, goal)
    panels = {name: here[here["dataset"] == name] for name in SHORT if name in set(here["dataset"])}
    best = {name: best_line(part[part["family"] != "reference"]) for name, part in panels.items()}

    def draw(phone: bool) -> plot.Figure:
        fig, axes, wide = plot.in_panels(len(panels), phone, column=True)
        for i, (ax, (name, part)) in enumerate(zip(axes, panels.items())):
            _levels(ax, part, phone, named=i == 0)
            for family, (colour, marker) in LOOK.items():
                points = part[part["family"] == family]
                ax.plot(points["guess"], points["nb"], marker, color=colour, markeredgewidth=0)
            line = best[name]["guess"], best[name]["nb"]
            ax.plot(*line, color=plot.SOFT, drawstyle="steps-post", linewidth=1.2, zorder=0)
            ax.set(title=SHORT[name], ylabel="balanced accuracy" if i % wide == 0 else "")
            ax.set_xscale("log" if log else "linear")
            ax.margins(y=0.1)
            if i >= len(panels) - wide:
                ax.set_xlabel(across)
        _key(fig, [(FAMILIES[family], *look) for family, look in LOOK.items()], phone)
        return fig

    figure = plot.laid_out(draw)
    figure.data = here
    told = {
        SHORT[name]: ", ".join(f"{r.scheme} ({r.guess:.2g}, {r.nb:.2f})" for r in line.itertuples())
        for name, line in best.items()
    }
    figure.alt = (
        f"The best schemes at rising risk, each with the chance that {said} and the balanced accuracy of what is learned. "
        + " ".join(f"{name}: {text}." for name, text in told.items())
    )
    return figure


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


def _levels(ax: Axes, here: pd.DataFrame, phone: bool, named: bool) -> None:
    """The two lines that all panels have; of several, one names them."""
    level = float(here.loc[here["scheme"] == "undisguised", "nb"].iloc[0])
    plot.name_level(
        ax, "undisguised" if named else "", level, x=0.4 if phone else 0.62, above=False
    )
    blind = here["blind"].median()
    ax.axvline(blind, linestyle=BLIND, **LEVEL)
    ax.annotate("blind guess" if named else "", (blind, 0.03), xycoords=ax.get_xaxis_transform(), rotation=90,
                xytext=(3, 0), textcoords="offset points", va="bottom", fontsize=10)  # fmt: skip


def _key(fig: plot.Figure, entries: Iterable[tuple[str, str, str]], phone: bool) -> None:
    names, colours, markers = zip(*entries)
    handles = [Line2D([], [], color=colour, marker=marker, linestyle="", markeredgewidth=0)
               for colour, marker in zip(colours, markers)]  # fmt: skip
    fig.legend(handles, names, loc="outside upper center", ncols=2 if phone else min(len(names), 3),
               columnspacing=1.0, handletextpad=0.4, handlelength=1.4)  # fmt: skip


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
