"""[Huang & Du] The figures of the chapter: a function of the chapter each, with its caption."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ppdm import plot, study
from ppdm.papers.aibr.pictures import with_caption
from ppdm.papers.common import each_group
from ppdm.papers.optrr import rows
from ppdm.papers.optrr.rows import CELLS, METHODS, of

#: The methods of the chapter, in one order and one look on all of its figures.
LINES = dict(
    zip(
        METHODS,
        (
            (plot.COLOURS[0], (5, 2)),
            (plot.COLOURS[1], ()),
            (plot.COLOURS[2], (1.5, 1.5)),
            (plot.INK, ()),
        ),
    )
)
NAMES = {"age": "Adult's age"}


def named(dataset: str, delta: float) -> str:
    """An experiment as the title of a panel.

    >>> named("age", 0.75)
    "Adult's age, δ = 0.75"
    """
    return f"{NAMES.get(dataset, dataset)}, δ = {delta:g}"


def unreached(ch) -> plot.Figure:
    """Each method's error as a multiple of the least possible one, in two experiments."""
    every = ch.get(rows.every_multiple)
    table = pd.concat([of(every, CELLS[2]), of(every, CELLS[6])])
    panels = list(each_group(table, ["dataset", "delta"]))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        fig.set_figheight(fig.get_figheight() + (0.8 if phone else 0.5))
        for ax, (cell, part) in zip(axes, panels):
            for name in METHODS[:3]:
                _line(ax, part["privacy"], part[name], name)
            ax.axhline(1, color=plot.INK, linewidth=1.8)
            ax.axhspan(0, 1, color=plot.SOFT, alpha=0.22, linewidth=0)
            ax.annotate("no scheme can be here", (0.5, 0.84), xycoords=ax.get_yaxis_transform(), ha="center",
                        va="center", fontsize=10)  # fmt: skip
            ax.set(title=named(*cell), ylim=(0.68, 6.0), xlabel="privacy")
            ax.set_yscale("log")
            ticks = [1, 1.5, 2, 3, 4, 6]
            ax.set_yticks(ticks, [f"{tick:g}×" for tick in ticks])
            ax.minorticks_off()
        for ax in axes[::across]:
            ax.set_ylabel("respondents needed\n(best possible: 1×)")
        plot.legend(fig, axes)  # names beside the lines would lie on them
        return fig

    figure = plot.laid_out(draw)
    figure.data = table[["dataset", "delta", "privacy", *METHODS[:3]]]
    figure.alt = " ".join(
        f"{named(*cell)}: OptRR {part['OptRR'].min():.2f} to {part['OptRR'].max():.2f} times the least "
        f"error, Warner {part['Warner'].min():.2f} to {part['Warner'].max():.2f} times."
        for cell, part in panels
    )
    return with_caption(figure,
        "The search beats the matrices in use, and stops short of what is possible. At equal privacy it asks "
        f"{table['OptRR'].median():.2f} times as many people as the best scheme for the same precision (the median "
        "over both "
        f"panels), Warner's matrices {table['Warner'].median():.2f} times. That nothing can lie in the grey is "
        "proved. A square "
        "matrix has as many reports as answers, as all in use have. Warner's line goes on above the picture.")  # fmt: skip


def seven(ch) -> plot.Figure:
    """[Huang & Du, Figures 4 and 5 (a) to (c)] Privacy against error for all experiments, a panel each."""
    every = ch.get(rows.fronts).sort_values("privacy", kind="stable")
    least = 0.8 * every["mse"].min()

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(CELLS), phone, sharey=True)
        axes[0].set_yscale("log")
        axes[0].set_ylim(least, 4e-3)  # Warner's error has no limit near the highest privacy
        for i, (ax, cell) in enumerate(zip(axes, CELLS)):
            for name in METHODS:
                front = of(every[every["method"] == name], cell)
                front = front.iloc[:: 4 if len(front) > 100 else 1]
                _line(ax, front["privacy"], front["mse"], name)
            ax.fill_between(
                front["privacy"], least, front["mse"], color=plot.SOFT, alpha=0.22, linewidth=0
            )
            ax.set_title(named(**cell).replace(", ", "\n"), fontsize=10.5)
            ax.locator_params(axis="x", nbins=4)
            if i + across >= len(CELLS):
                ax.set_xlabel("privacy")
        axes[-1].set_axis_off()
        handles, words = axes[0].get_legend_handles_labels()
        short = [
            word.replace(" matrix", "\nmatrix").replace("certified ", "certified\n")
            for word in words
        ]
        axes[-1].legend(handles, short, loc="center", fontsize=10, handlelength=1.4, borderpad=0)
        fig.supylabel("mean squared error of a share", fontsize=11)
        return fig

    figure = plot.laid_out(draw)
    figure.data = every
    ends = {
        key: part.iloc[[0, -1]] for key, part in each_group(every, ["dataset", "delta", "method"])
    }
    figure.alt = " ".join(
        f"{named(dataset, delta)}: {method} from error {part['mse'].iloc[0]:.2g} at privacy "
        f"{part['privacy'].iloc[0]:.2f} to "
        f"{part['mse'].iloc[1]:.2g} at {part['privacy'].iloc[1]:.2f}." for (dataset, delta, method), part in ends.items()
    )  # fmt: skip
    return with_caption(figure,
        "The search (orange) mostly lies below Warner (dashed) and, but for the uniform distribution, reaches "
        "further left. It "
        "reaches the frontier (black) nowhere; nor do the best square matrices (dotted), which lie between the two. "
        "No scheme can "
        "lie in the shaded ground. Warner's lines go on above the picture. The paper's Figures 4 and 5 (a) to "
        "(c).")  # fmt: skip


def iterative(ch) -> plot.Figure:
    """[Huang & Du, Figure 5 (d)] The simulated error of the iterative estimate."""
    summary = study.summarise(ch.get(rows.iterative)).rename(columns={"mean": "mse"})
    by_scheme = {s: summary[summary["scheme"] == s] for s in ("Warner", "OptRR")}
    figure = plot.fronts(
        by_scheme, of(ch.get(rows.edge), CELLS[4]), title="gamma, iterative estimate"
    )
    return with_caption(figure,
        "With the iterative estimate, too, the search's matrices are more precise at equal privacy. The frontier is "
        "that of "
        "unbiased estimates; this one stays among the distributions, so it is biased, and may fall below. The "
        "paper's Figure 5 (d).")  # fmt: skip


def trade_off(ch) -> plot.Figure:
    """What precision costs against what a guesser gets."""
    points = ch.get(rows.trade_off)
    panels = list(each_group(points, ["dataset", "delta"]))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        for ax, (cell, part) in zip(axes, panels):
            ax.set_yscale("log")
            for name, line in each_group(part.sort_values("attacker", kind="stable"), "method"):
                _line(ax, line["attacker"], line["respondents"], name)
            for x, word, side, away in (
                (part["blind"].iloc[0], "blind guess", "right", -2),
                (cell[1], "bound δ", "left", 3),
            ):
                # From above the name of the level, not through it.
                ax.axvline(x, 0.15, color=plot.SOFT, linewidth=1.2, linestyle=(0, (1.5, 1.5)))
                ax.annotate(word, (x, 0.97), xycoords=ax.get_xaxis_transform(), rotation=90, xytext=(away, 0),
                            textcoords="offset points", ha=side, va="top", fontsize=10)  # fmt: skip
            plot.name_level(ax, "asked directly", 1.0, x=0.12 if phone else 0.3, above=False)
            ax.set_title(named(*cell).replace(", ", "\n" if phone else ", "), fontsize=10.5)
            ax.set(ylim=(0.45, 100.0), xlim=(0, cell[1] + 0.14))
            ax.set_yticks([1, 10, 100], ["1", "10", "100"])
        for ax in axes[-across:]:
            ax.set_xlabel("guesser right" if phone else "a guesser who knows the shares is right")
        fig.supylabel("respondents for one asked directly", fontsize=11)
        plot.legend(fig, axes[: len(panels)])
        return fig

    figure = plot.laid_out(draw)
    figure.data = points
    figure.alt = " ".join(
        f"{named(*cell)}, {name}: a guesser right with {line['attacker'].max():.2f} costs {line['respondents'].min():.3g} "
        f"respondents for one, with {line['attacker'].min():.2f} {line['respondents'].max():.3g}."
        for cell, part in panels
        for name, line in each_group(part, "method")
    )
    half = {}
    for name, line in of(points, CELLS[6]).sort_values("attacker").groupby("method"):
        half[name] = float(np.interp(0.5, line["attacker"], line["respondents"]))
    return with_caption(figure,
        "The price of hiding. For ages, a guesser who is right half of the time costs "
        f"{half['Warner']:.1f} respondents for one with Warner's matrices, {half['OptRR']:.1f} with the search's, and "
        f"{half['certified frontier']:.1f} at best. Nobody gets below the black line.")  # fmt: skip


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
    return with_caption(figure,
        "The most precise schemes give some people away. Without a bound (δ = 1), at privacy 0.3, "
        f"{100 * rows.given_away(kinds):.0f} % of people send a report that names their true answer, for certain; "
        "nearly all "
        "others one that leaves two answers open. The average is the same as if everybody were guessed right with "
        "probability 0.7. "
        "With δ = 0.8 no report makes any answer more certain than 0.8.")  # fmt: skip


def ldp(ch) -> plot.Figure:
    """Error against ε for ten equally common answers."""
    points = ch.get(rows.under_epsilon)
    known = {
        str(name): part
        for name, part in each_group(points[points["scheme"] != "frontier"], "scheme")
    }
    figure = plot.fronts(known, points[points["scheme"] == "frontier"], x="epsilon", title="ten answers, uniform prior",
                         xlabel="ε of local differential privacy")  # fmt: skip
    return with_caption(figure,
        "Error against ε for ten equally common answers. Lower is better; further left is more private.")  # fmt: skip


def _line(ax: Axes, x, y, name: str) -> None:
    colour, dashes = LINES[name]
    width = 1.6 if name == "certified frontier" else 1.9
    ax.plot(
        x, y, color=colour, linestyle=(0, dashes) if dashes else "-", label=name, linewidth=width
    )
