"""[Zhan & Matwin] The figures that were made for the chapter."""

from __future__ import annotations

import pandas as pd

from ppdm import plot, study
from ppdm.data import SHORT
from ppdm.papers.common import each_group
from ppdm.papers.electronic_surveys import rows

LINES = {"right": "his calls that are right", "found": "true records he finds"}
PROMISE = "what the survey promises"


def believed(known: pd.DataFrame) -> plot.Figure:
    """What a survey promises beside what a stranger knows; `known` is `beyond.calls`.

    >>> known = pd.DataFrame({"dataset": "adult", "q": [0.1, 0.9], "right": [0.95, 0.99],
    ...                       "found": [0.4, 0.9]})
    >>> believed(known).alt
    'Of the reports that a stranger calls true, so many are. Adult: 0.95 at q = 0.1, 0.99 at q = 0.9.'
    """
    panels = list(each_group(known, "dataset"))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        for ax, (name, part) in zip(axes, panels):
            ax.plot([0, 1], [0, 1], color=plot.SOFT, linestyle=(0, (4, 2)), label=PROMISE)
            for i, (column, words) in enumerate(LINES.items()):
                ax.plot(
                    part["q"],
                    part[column],
                    marker=plot.MARKERS[i],
                    color=plot.COLOURS[i],
                    markeredgewidth=0,
                    label=words,
                )
            ax.fill_between(part["q"], part["q"], part["right"], color=plot.COLOURS[0], alpha=0.13)
            if not phone:  # there is room for words between the lines
                for words, at, low in (
                    (LINES["right"], (0.03, 1.01), "bottom"),
                    (LINES["found"].replace(" he", "\nhe"), (0.07, 0.93), "top"),
                    (PROMISE.replace(" pro", "\npro"), (0.57, 0.51), "top"),
                ):
                    ax.annotate(words, at, va=low, fontsize=10)
            ax.set(
                title=SHORT.get(name, name),
                xlabel="q: the share of reports that are true",
                xlim=(0, 1.02),
                ylim=(0, 1.1),
            )
            ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
        for ax in axes[::across]:
            ax.set_ylabel("share")
        if phone:
            plot.legend(fig, axes)
        return fig

    figure = plot.laid_out(draw)
    figure.data = known
    first, last = known.groupby("dataset", sort=False).first(), known.groupby("dataset").last()
    figure.alt = "Of the reports that a stranger calls true, so many are. " + " ".join(
        f"{SHORT.get(name, name)}: {first['right'][name]:.2g} at q = {first['q'][name]:g}, "
        f"{last['right'][name]:.2g} at q = {last['q'][name]:g}."
        for name, _ in panels
    )
    figure.caption = (
        "A stranger who knows other people's records calls a report true when he is 90 % sure."
    )
    return figure


def pse(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Matwin, Figure 5] PSE along q, a line a W_a."""
    frame = ch.get(rows.figure5).rename(columns={"mean": "pse"})
    named = frame.assign(W_a=frame["W_a"].map("$W_a$ = {:g}".format))
    figure = plot.privacy_curves(named, x="q", y="pse", hue="W_a")
    figure.caption = (
        "The more lopsided an answer ($W_a$, the share of ones among the private answers), the smaller its PSE, even "
        "where nothing at all is sent (q = 0). The paper's Figure 5."
    )
    return figure
