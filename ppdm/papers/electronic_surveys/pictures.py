"""[Zhan & Matwin] The figures that were made for the chapter."""

from __future__ import annotations

import pandas as pd

from ppdm import plot
from ppdm.data import SHORT


def believed(known: pd.DataFrame) -> plot.Figure:
    """What a survey promises beside what a stranger knows; `known` is `beyond.calls`.

    >>> known = pd.DataFrame({"dataset": "adult", "q": [0.1, 0.9], "right": [0.95, 0.99],
    ...                       "found": [0.4, 0.9]})
    >>> believed(known).alt
    'Adult: of the reports he calls true, 0.95 are at q = 0.1, 0.99 at q = 0.9.'
    """
    panels = list(known.groupby("dataset", sort=False))

    def draw(phone: bool) -> plot.Figure:
        rows, across = plot.grid_of(len(panels), phone)
        fig = plot.Figure(figsize=plot.size_of(rows, across, phone), layout="constrained")
        axes = fig.subplots(rows, across, squeeze=False, sharey=True).ravel()
        for ax, (name, part) in zip(axes, panels):
            ax.plot([0, 1], [0, 1], color=plot.SOFT, linestyle=(0, (4, 2)))
            for i, column in enumerate(("right", "found")):
                ax.plot(part["q"], part[column], marker=plot.MARKERS[i], color=plot.COLOURS[i],
                        markeredgewidth=0)  # fmt: skip
            ax.fill_between(part["q"], part["q"], part["right"], color=plot.COLOURS[0], alpha=0.13)
            middle = part.iloc[len(part) // 2]
            ax.annotate(
                "his calls that are right", (0.98, 0.995), ha="right", va="bottom", fontsize=10
            )
            ax.annotate("true records he finds", (middle["q"], middle["found"]), xytext=(6, -5),
                        textcoords="offset points", va="top", fontsize=10)  # fmt: skip
            ax.annotate("what the survey\npromises", (0.57, 0.51), va="top", fontsize=10)
            ax.set(title=SHORT.get(name, name), xlabel="q: the share of reports that are true", xlim=(0, 1.02),
                   ylim=(0, 1.1))  # fmt: skip
            ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
        for ax in axes[::across]:
            ax.set_ylabel("share")
        return fig

    figure = plot.laid_out(draw)
    figure.data = known
    first, last = known.groupby("dataset", sort=False).first(), known.groupby("dataset").last()
    figure.alt = " ".join(
        f"{SHORT.get(name, name)}: of the reports he calls true, {first['right'][name]:.2g} are at "
        f"q = {first['q'][name]:g}, {last['right'][name]:.2g} at q = {last['q'][name]:g}."
        for name, _ in panels
    )
    figure.caption = (
        "A stranger who knows other people's records calls a report true when he is 90 % sure."
    )
    return figure


def trade_off(
    points: pd.DataFrame, undisguised: dict[str, float], blind: dict[str, float]
) -> plot.Figure:
    """What the classifier gets against what an attacker gets: a line a scheme, a point a q.

    `points` has the columns dataset, kind, q, attacker and balanced; `undisguised` and `blind` are a
    level for each data set.
    """
    panels = list(points.groupby("dataset", sort=False))

    def draw(phone: bool) -> plot.Figure:
        rows, across = plot.grid_of(len(panels), phone)
        fig = plot.Figure(figsize=plot.size_of(rows, across, phone), layout="constrained")
        axes = fig.subplots(rows, across, squeeze=False).ravel()
        for ax, (name, part) in zip(axes, panels):
            for i, (kind, line) in enumerate(part.groupby("kind", sort=False)):
                line = line.sort_values("q")
                ax.plot(line["attacker"], line["balanced"], marker=plot.MARKERS[i],
                        color=plot.COLOURS[i], linestyle=(0, plot.DASHES[i]) if i else "-", label=kind)  # fmt: skip
            ax.axvline(blind[name], color=plot.SOFT, linewidth=1.2, linestyle=(0, (1.5, 1.5)))
            ax.annotate("blind guess", (blind[name], 0.03), xycoords=ax.get_xaxis_transform(), rotation=90,
                        xytext=(3, 0), textcoords="offset points", va="bottom", fontsize=10)  # fmt: skip
            plot.name_level(ax, "undisguised", undisguised[name], x=0.3)
            ax.set(title=SHORT.get(name, name), xlabel="a stranger guesses the class right")
            ax.margins(y=0.12)
        for ax in axes[::across]:
            ax.set_ylabel("balanced accuracy")
        plot._legend(fig, axes[: len(panels)])
        return fig

    figure = plot.laid_out(draw)
    figure.data = points
    ends = points.sort_values("q").groupby(["dataset", "kind"], sort=False)
    figure.alt = " ".join(
        f"{SHORT.get(d, d)}, {kind}: from {g['attacker'].iloc[0]:.2f} right guesses and balanced accuracy "
        f"{g['balanced'].iloc[0]:.2f} to {g['attacker'].iloc[-1]:.2f} and {g['balanced'].iloc[-1]:.2f}."
        for (d, kind), g in ends
    )
    figure.caption = "Balanced accuracy against what an attacker gets."
    return figure
