"""[Huang & Du] The figures of the chapter: a function of the chapter each, with its caption."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ppdm import plot, study
from ppdm.papers.aibr.pictures import on_every_panel
from ppdm.papers.common import captioned, each_group
from ppdm.papers.optrr import rows
from ppdm.papers.optrr.rows import CELLS, METHODS, of

NAMES = {"age": "Adult's age"}


def named(dataset: str, delta: float) -> str:
    """An experiment as the title of a panel.

    >>> named("age", 0.75)
    "Adult's age: δ = 0.75"
    """
    return f"{NAMES.get(dataset, dataset)}: δ = {delta:g}"


def unreached(ch) -> plot.Figure:
    """Each method's error as a multiple of the least possible one, in two experiments."""
    every = ch.get(rows.every_multiple)
    table = pd.concat([of(every, CELLS[2]), of(every, CELLS[6])])
    typical = table[["OptRR", "Warner"]].median()
    long = _in_panels(
        table.melt(["dataset", "delta", "privacy"], list(METHODS[:3]), "method", "multiple")
    )
    figure = plot.privacy_curves(long, "privacy", "multiple", "method", "panel",
                                 xlabel="privacy", ylabel="respondents needed", log=True)  # fmt: skip

    def best_possible(ax: Axes, _: str) -> None:
        ax.axhspan(0, 1, color=plot.SOFT, alpha=0.22, linewidth=0)
        ax.annotate(
            "no scheme can be here",
            (0.5, 0.84),
            xycoords=ax.get_yaxis_transform(),
            ha="center",
            va="center",
            fontsize=10,
        )
        ticks = [1, 1.5, 2, 3, 4, 6]
        ax.set_yticks(ticks, [f"{tick:g}×" for tick in ticks])
        ax.minorticks_off()
        ax.set_ylim(0.68, 6.0)

    return captioned(on_every_panel(figure, best_possible),
        "The search beats the matrices in use, and stops short of what is possible. At equal privacy it asks "
        f"{typical['OptRR']:.2f} times as many people as the best scheme for the same precision (the median over both "
        f"panels), Warner's matrices {typical['Warner']:.2f} times. That nothing can lie in the grey is proved. A square "
        "matrix has as many reports as answers, as all in use have. Warner's line goes on above the picture.")  # fmt: skip


def _in_panels(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(panel=[named(*cell) for cell in zip(frame["dataset"], frame["delta"])])


def seven(ch) -> plot.Figure:
    """[Huang & Du, Figures 4 and 5 (a) to (c)] Privacy against error for all experiments, a panel each."""
    every = _in_panels(ch.get(rows.fronts))
    order = {named(**cell): i for i, cell in enumerate(CELLS)} | {
        method: i for i, method in enumerate(METHODS)
    }
    every = every.sort_values(
        ["panel", "method", "privacy"], key=lambda c: c if c.name == "privacy" else c.map(order)
    )
    thin = every.groupby(["panel", "method"]).cumcount() % 4 == 0
    shown = every[thin | every["method"].isin(METHODS[2:])]
    edge = shown[shown["method"] == METHODS[3]]
    figure = plot.privacy_curves(
        shown, "privacy", "mse", "method", "panel", xlabel="privacy", ylabel="error", log=True
    )
    least = 0.8 * every["mse"].min()

    def ground(ax: Axes, panel: str) -> None:
        line = edge[edge["panel"] == panel]
        ax.fill_between(
            line["privacy"], least, line["mse"], color=plot.SOFT, alpha=0.22, linewidth=0
        )
        ax.set_ylim(least, 4e-3)  # Warner's error has no limit near the highest privacy

    return captioned(on_every_panel(figure, ground),
        "Privacy against the mean squared error of a share. The search mostly lies below Warner and, but for the "
        "uniform distribution, reaches further left. It "
        "reaches the certified "
        "frontier nowhere; nor do the best square matrices, which lie between the two. No scheme can lie in the "
        "shaded ground. "
        "Warner's lines go on above the picture. The paper's Figures 4 and 5 (a) to (c).")  # fmt: skip


def iterative(ch) -> plot.Figure:
    """[Huang & Du, Figure 5 (d)] The simulated error of the iterative estimate."""
    summary = study.summarise(ch.get(rows.iterative)).rename(columns={"mean": "mse"})
    by_scheme = {s: summary[summary["scheme"] == s] for s in ("Warner", "OptRR")}
    figure = plot.fronts(
        by_scheme, of(ch.get(rows.edge), CELLS[4]), title="gamma, iterative estimate"
    )
    return captioned(figure,
        "With the iterative estimate, too, the search's matrices are more precise at equal privacy. The frontier is "
        "that of "
        "unbiased estimates; this one stays among the distributions, so it is biased, and may fall below. The "
        "paper's Figure 5 (d).")  # fmt: skip


def trade_off(ch) -> plot.Figure:
    """What precision costs against what a guesser gets."""
    points = _in_panels(ch.get(rows.trade_off))
    figure = plot.privacy_curves(points, "attacker", "respondents", "method", "panel",
                                 xlabel="guesser right",
                                 ylabel="respondents", log=True)  # fmt: skip
    marks = {
        panel: (part["blind"].iloc[0], part["delta"].iloc[0])
        for panel, part in each_group(points, "panel")
    }

    def marked(ax: Axes, panel: str) -> None:
        for x, word, side in zip(marks[panel], ("blind guess", "bound δ"), ("right", "left")):
            ax.axvline(x, color=plot.SOFT, linewidth=1.2, linestyle=(0, (1.5, 1.5)))
            ax.annotate(
                word,
                (x, 0.97),
                xycoords=ax.get_xaxis_transform(),
                rotation=90,
                ha=side,
                va="top",
                fontsize=10,
            )
        ax.axhline(1, color=plot.SOFT, linewidth=1.2)  # asked directly
        ax.set_yticks([1, 10, 100], ["1", "10", "100"])
        ax.set(ylim=(0.45, 100.0), xlim=(0, marks[panel][1] + 0.14))

    half = {}
    for name, line in of(points, CELLS[6]).sort_values("attacker").groupby("method"):
        half[name] = float(np.interp(0.5, line["attacker"], line["respondents"]))
    return captioned(on_every_panel(figure, marked),
        "The price of hiding: across, how often a guesser who knows the shares is right; up, respondents for one "
        "asked directly. For ages, a guesser who is right half of the time costs "
        f"{half['Warner']:.1f} respondents for one with Warner's matrices, {half['OptRR']:.1f} with the search's, and "
        f"{half['certified frontier']:.1f} at best. Nobody gets below the certified frontier.")  # fmt: skip


def who_is_told(ch) -> plot.Figure:
    """How many people send a report that names their answer, or leaves two, three or more open."""
    kinds = ch.get(rows.kinds_of_reports)
    columns = ["up to δ", "one of 2", "one of 3", "one of 4 or more"]
    panels = list(each_group(kinds.sort_values(["δ", "privacy"], ascending=False), "δ"))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        for ax, (delta, part) in zip(axes, panels):
            left = np.zeros(len(part))
            for colour, column, hatch in zip(plot.COLOURS, columns, ("", "//", "..", "xx")):
                word = (
                    "her answer, sure up to δ"
                    if column == "up to δ"
                    else column.replace("one", "any one")
                )
                ax.barh(part["privacy"].map("{:g}".format), part[column], left=left, color=colour, hatch=hatch,
                        edgecolor=plot.SOFT, linewidth=0.4, label=word)  # fmt: skip
                left += part[column].to_numpy()
            ax.set(title=f"bound δ = {delta:g}", xlabel="share of people", xlim=(0, 1))
            ax.grid(axis="y", visible=False)
        for ax in axes[::across]:
            ax.set_ylabel("privacy")
        plot.legend(fig, axes)
        return fig

    figure = plot.laid_out(draw)
    figure.data = kinds
    figure.alt = " ".join(
        f"δ = {row['δ']:g}, privacy {row['privacy']:g}: "
        + ", ".join(f"{c} {row[c]:.2f}" for c in columns)
        + "."
        for _, row in kinds.iterrows()
    )
    return captioned(figure,
        "The most precise schemes give some people away. Without a bound (δ = 1), at privacy 0.3, "
        f"{100 * rows.given_away(kinds):.0f} % of people send a report that names their true answer, for certain; "
        "nearly all "
        "others one that leaves two answers open. The average is the same as if everybody were guessed right with "
        "probability 0.7. "
        "With δ = 0.8 no report makes any answer more certain than 0.8.")  # fmt: skip
