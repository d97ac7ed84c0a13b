"""[Zhan & Du] The figures that were made for the chapter."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from ppdm import plot
from ppdm.data import SHORT
from ppdm.papers.common import each_group

SCHEMES = {1: "1 group", 2: "2 groups", 3: "3 groups"}


def before_and_learned(
    accuracy: pd.DataFrame, levels: Mapping[str, Mapping[str, float]]
) -> plot.Figure:
    """What is right before anything is learned, beside what trees from disguised records get right.

    `accuracy` has the columns dataset, groups, theta (above 1/2) and mean; `levels` the accuracies of
    the undisguised tree (``ID3``) and of the same answer for everybody (``majority class``).

    >>> rows = pd.DataFrame({"dataset": "adult", "groups": 1, "theta": [0.6, 1.0], "mean": [0.7, 0.8]})
    >>> before_and_learned(rows, {"adult": {"ID3": 0.8, "majority class": 0.75}}).alt
    'Adult: 0.75 right before anything is learned, 0.80 by the undisguised tree; 1 group: 0.70 at θ = 0.6.'
    """
    panels = list(each_group(accuracy, "dataset"))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        for ax, (name, part) in zip(axes, panels):
            full, before = levels[name]["ID3"], levels[name]["majority class"]
            ax.axhspan(0, before, color=plot.SOFT, alpha=0.3, linewidth=0)
            ax.axhspan(before, full, color=plot.COLOURS[0], alpha=0.22, linewidth=0)
            for i, (groups, line) in enumerate(each_group(part, "groups", sort=True)):
                line = line.sort_values("theta")
                ax.plot(
                    line["theta"],
                    line["mean"],
                    marker=plot.MARKERS[i],
                    color=plot.COLOURS[i],
                    markeredgewidth=0,
                    linestyle=(0, plot.DASHES[i]) if i else "-",
                    label=SCHEMES[groups],
                )
            ax.annotate(
                "right before anything\nis learned",
                (0.97, before / 2),
                ha="right",
                xycoords=ax.get_yaxis_transform(),
                va="center",
                fontsize=10,
            )
            ax.annotate(
                "to be learned",
                (0.03, full),
                xycoords=ax.get_yaxis_transform(),
                xytext=(0, 2),
                textcoords="offset points",
                va="bottom",
                fontsize=10,
            )
            ax.set(
                title=SHORT.get(name, name),
                xlabel="θ",
                ylim=(0, 1.09),
            )
        for ax in axes[::across]:
            ax.set_ylabel("accuracy (share right)")
        plot.legend(fig, axes)
        return fig

    figure = plot.laid_out(draw)
    figure.data = accuracy[["dataset", "groups", "theta", "mean"]]
    figure.alt = " ".join(_told(name, part, levels[name]) for name, part in panels)
    figure.caption = "Accuracy against θ, over what the same answer for everybody gets."
    return figure


def _told(name: str, part: pd.DataFrame, of: Mapping[str, float]) -> str:
    low = part[part["theta"] == part["theta"].min()]
    ends = ", ".join(f"{SCHEMES[m]}: {mean:.2f}" for m, mean in zip(low["groups"], low["mean"]))
    return (
        f"{SHORT.get(name, name)}: {of['majority class']:.2f} right before anything is learned, {of['ID3']:.2f} "
        f"by the undisguised tree; {ends} at θ = {part['theta'].min():g}."
    )


#: Where the paper calls a scheme fairly accurate: θ from here up, for each number of groups.
FAIR_FROM = {1: 0.55, 2: 0.7, 3: 0.7}


def losses(lost: pd.DataFrame, limits: Mapping[str, float]) -> plot.Figure:
    """What the disguise costs, and how much is called fair: a panel a data set, a line a scheme.

    `lost` has the columns dataset, groups, theta, loss, low and high. Full marks stand where the paper
    calls the trees fairly accurate, open ones elsewhere.

    >>> rows = pd.DataFrame({"dataset": "adult", "groups": 1, "theta": [0.51, 0.9], "loss": [0.3, 0.01],
    ...                      "low": [0.2, 0.0], "high": [0.4, 0.02]})
    >>> losses(rows, {"5 points": 0.05}).alt
    'Adult, 1 group: falls from 0.3 at θ = 0.51 to 0.01 at θ = 0.9. Level of 5 points 0.05.'
    """
    panels = list(each_group(lost, "dataset"))

    def draw(phone: bool) -> plot.Figure:
        fig, axes, across = plot.in_panels(len(panels), phone, sharey=True)
        if phone:  # room for words between the two limits
            fig.set_figheight(1.3 * fig.get_figheight())
        for ax, (name, part) in zip(axes, panels):
            for i, (groups, line) in enumerate(each_group(part, "groups", sort=True)):
                line, colour = line.sort_values("theta"), plot.COLOURS[i]
                fair = line["theta"] >= FAIR_FROM[groups]
                ax.plot(
                    line["theta"],
                    line["loss"],
                    color=colour,
                    linestyle=(0, plot.DASHES[i]) if i else "-",
                )
                ax.fill_between(
                    line["theta"], line["low"], line["high"], color=colour, alpha=0.22, linewidth=0
                )
                ax.plot(
                    line["theta"][fair],
                    line["loss"][fair],
                    plot.MARKERS[i],
                    color=colour,
                    markeredgewidth=0,
                    label=SCHEMES[groups],
                )
                ax.plot(
                    line["theta"][~fair],
                    line["loss"][~fair],
                    plot.MARKERS[i],
                    color=colour,
                    markerfacecolor="none",
                )
            for word, limit in limits.items():
                plot.name_level(ax, word, limit, x=0.72)
            ax.set(title=SHORT.get(name, name), xlabel="θ")
        for ax in axes[::across]:
            ax.set_ylabel("loss of accuracy")
        plot.legend(fig, axes)
        return fig

    figure = plot.laid_out(draw)
    figure.data = lost
    told = [
        f"{SHORT.get(name, name)}, {SCHEMES[m]}: {plot.shape(line['theta'], line['loss'], 'θ')}."
        for name, part in panels
        for m, line in each_group(part.sort_values("theta"), "groups", sort=True)
    ]
    told += [f"Level of {word} {limit:g}." for word, limit in limits.items()]
    figure.alt = " ".join(told)
    figure.caption = "Loss of accuracy against θ."
    return figure


def nodes(rows: pd.DataFrame, words: Mapping[str, str]) -> plot.Figure:
    """A tree as ID3 grew it on estimated counts, node by node, beside the truth.

    `rows` is `evidence.node_by_node`; `words` says what a condition means.

    >>> rows = pd.DataFrame({"E": ["all", "A = 1"], "|S| estimated": [10.0, 4.2], "Q1 estimated": [0.5, 1.1],
    ...                      "Q1 true": [0.4, 0.9], "split": ["A", "leaf: 1"]})
    >>> nodes(rows, {"A = 1": "married"}).alt
    'Everybody (10): 0.50 believed, 0.40 in truth. Married (4): 1.10 believed, 0.90 in truth.'
    """
    parts = [[] if e == "all" else e.split(" and ") for e in rows["E"]]
    told = [words.get(part[-1], part[-1]) if part else "everybody" for part in parts]
    labels = [
        f"{'–  ' * len(part)}{word} ({size:,.0f})"
        for part, word, size in zip(parts, told, rows["|S| estimated"])
    ]

    def draw(phone: bool) -> plot.Figure:
        fig = plot.Figure(
            figsize=(plot.PHONE if phone else plot.WIDTH, 0.6 + 0.27 * len(rows)),
            layout="constrained",
        )
        ax, down = fig.subplots(), range(len(rows))
        ax.hlines(down, rows["Q1 estimated"], rows["Q1 true"], color=plot.SOFT, linewidth=1.4)
        ax.plot(rows["Q1 estimated"], down, "o", color=plot.COLOURS[0], label="believed")
        ax.plot(
            rows["Q1 true"],
            down,
            "s",
            color=plot.COLOURS[1],
            markerfacecolor="none",
            label="in truth",
        )
        ax.axvline(0.5, color=plot.SOFT, linewidth=1.2, linestyle=(0, (4, 2)))
        ax.set_yticks(list(down), labels, fontsize=10)
        for tick in ax.get_yticklabels():
            tick.set_horizontalalignment("left")
        longest = max(map(len, labels))
        ax.tick_params(axis="y", length=0, pad=6.1 * longest if not phone else 5.7 * longest)
        ax.invert_yaxis()
        ax.set(xlabel="rich among them")
        plot.legend(fig, [ax])
        return fig

    figure = plot.laid_out(draw)
    figure.data = rows
    figure.alt = " ".join(
        f"{word[:1].upper() + word[1:]} ({size:,.0f}): {believed:.2f} believed, {true:.2f} in truth."
        for word, size, believed, true in zip(
            told, rows["|S| estimated"], rows["Q1 estimated"], rows["Q1 true"]
        )
    )
    figure.caption = "A tree grown on estimated counts, beside the true ones."
    return figure
