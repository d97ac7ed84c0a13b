"""[Guo] The figures that were made for the chapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine

from ppdm import plot
from ppdm.papers.aibr.evidence import SCHEMES_IN_TABLE, WEKA
from ppdm.papers.aibr.experiment import NAMES
from ppdm.papers.aibr.selection import LIMIT
from ppdm.papers.common import each_group

LEARNERS = {"IBk": "nearest neighbour", "SMO": "SVM", "J48": "tree", "NN unscaled": "unscaled neighbour"}  # fmt: skip
BY_PROTECTION = ("AIBR", "kCG", "SSVD", "BSVD")  # as Table 1 has them by VD, RP and RK, best first
TOP = 0.1  # of the panels with losses: what lies above is shown by an arrow
SHOWN = 150  # of the records: a drawing of all would be too large


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with data sets called as on all pages, Breast Cancer first.

    >>> named(pd.DataFrame({"dataset": ["PID", "WBC"]}))["dataset"].tolist()
    ['Breast Cancer', 'Pima']
    """
    order = frame["dataset"].map(list(NAMES).index)
    frame = frame.loc[order.sort_values(kind="stable").index]
    return frame.assign(dataset=frame["dataset"].map(NAMES))


def found_people(traced: pd.DataFrame) -> plot.Figure:
    """Of 100 people in a released table, those whom the best attack finds; a panel a release.

    `traced` are summarised runs of `beyond.tracing` at the paper's parameters.

    >>> traced = pd.DataFrame({"dataset": "WBC", "scheme": ["AIBR", "kCG"], "metric": "nearest",
    ...                        "mean": [0.33, 0.08]})
    >>> found_people(traced).alt
    'Of 100 people are found: AIBR, Breast Cancer: 33. kCG, Breast Cancer: 8.'
    """
    best = traced.groupby(["dataset", "scheme"])["mean"].max()
    panels = [(d, s) for d in NAMES for s in BY_PROTECTION if (d, s) in best.index]
    count = {panel: round(100 * best[panel]) for panel in panels}

    def draw(phone: bool) -> plot.Figure:
        across = 2 if phone else 4
        if phone:  # a method a row, a data set a column
            order = [(d, s) for s in BY_PROTECTION for d in NAMES if (d, s) in count]
        else:
            order = panels
        rows = -(-len(order) // across)
        size = (plot.PHONE, 1.15 * rows) if phone else (plot.WIDTH, 2.3 * rows)
        fig = plot.Figure(figsize=size, layout=ConstrainedLayoutEngine(hspace=0.06))
        axes = fig.subplots(rows, across, squeeze=False).ravel()
        for ax, panel in zip(axes, order):
            _hundred(ax, count[panel], 20 if phone else 10)
            dataset, scheme = panel
            ax.set_title(f"{scheme}, {NAMES[dataset]}", fontsize=10.5)
            ax.set_xlabel(f"{count[panel]} of 100 found", fontweight="bold")
        for ax in axes[len(order) :]:
            ax.remove()
        return fig

    figure = plot.laid_out(draw)
    figure.data = best.rename("share found").reset_index()
    told = " ".join(f"{s}, {NAMES[d]}: {n}." for (d, s), n in count.items())
    figure.alt = f"Of 100 people are found: {told}"
    figure.caption = "Of 100 people in a released table, those found by who knows their values."
    return figure


def _hundred(ax: Axes, filled: int, across: int) -> None:
    """A hundred dots, so many in a row, the first `filled` of them in colour."""
    place, rows = np.arange(100), 100 // across
    x, y = place % across, rows - 1 - place // across
    style: dict[str, Any] = {
        "linestyle": "",
        "marker": "o",
        "markersize": 7 if across == 10 else 4.6,
    }
    ax.plot(x[:filled], y[:filled], color=plot.COLOURS[1], markeredgewidth=0, **style)
    ax.plot(
        x[filled:],
        y[filled:],
        markerfacecolor="none",
        markeredgecolor=plot.SOFT,
        markeredgewidth=0.8,
        **style,
    )
    ax.set(xlim=(-0.8, across - 0.2), ylim=(-0.8, rows - 0.2), aspect="equal", xticks=[], yticks=[])
    ax.grid(visible=False)
    for side in ax.spines.values():
        side.set_visible(False)


def before_and_after(
    original,
    y,
    releases: Mapping[str, np.ndarray],
    names: tuple[str, str],
    classes: tuple[str, str],
    jitter: np.random.Generator | None = None,
) -> plot.Figure:
    """Scatter plots of two attributes: the original records, then each release of them.

    `original` and every release hold two columns, whose `names` label the axes. At most `SHOWN`
    records are drawn, evenly spread over the table. `jitter`, if given, moves each point of the
    original a little, so that equal records do not hide each other.
    """
    panels = {"original": np.asarray(original, dtype=float), **releases}
    moves = {title: np.corrcoef(points.T)[0, 1] for title, points in panels.items()}
    if jitter is not None:
        spread = 0.02 * np.ptp(panels["original"], axis=0)
        panels["original"] = panels["original"] + jitter.normal(size=(len(y), 2)) * spread
    shown = np.unique(np.linspace(0, len(y) - 1, SHOWN).astype(int))
    of_class = np.asarray(y)[shown]

    def draw(phone: bool) -> plot.Figure:
        across = 2 if phone else 3
        rows = -(-len(panels) // across)
        size = (plot.PHONE, 1.75 * rows) if phone else (plot.WIDTH, 2.2 * rows)
        fig = plot.Figure(figsize=size, layout="constrained")
        axes = fig.subplots(rows, across, sharex=True, sharey=True, squeeze=False).ravel()
        for ax, (title, points) in zip(axes, panels.items()):
            for i, (marker, name) in enumerate(zip("ox", classes)):
                part = points[shown][of_class == i]
                ax.plot(
                    *part.T,
                    linestyle="",
                    marker=marker,
                    markersize=3.2,
                    color=plot.COLOURS[i],
                    markeredgewidth=0 if marker == "o" else 0.9,
                    label=name,
                    alpha=0.8,
                )
            ax.set_title(title, fontsize=10.5)
        for ax in axes[len(panels) :]:
            ax.remove()
        fig.supxlabel(names[0], fontsize=11)
        fig.supylabel(names[1], fontsize=11)
        fig.legend(
            *axes[0].get_legend_handles_labels(),
            loc="outside upper center",
            ncols=2,
            markerscale=1.6,
        )
        return fig

    figure = plot.laid_out(draw)
    figure.data = pd.concat(
        [
            pd.DataFrame(points[shown], columns=list(names)).assign(table=title, of=of_class)
            for title, points in panels.items()
        ]
    )
    told = ", ".join(f"{title} {r:.2f}" for title, r in moves.items())
    figure.caption = f"{names[0].capitalize()} and {names[1]} of the same {len(shown)} records, before and after."
    figure.alt = f"{len(panels)} scatter plots. Correlation of the two attributes: {told}."
    return figure


def losses(loss: pd.DataFrame, schemes: Mapping[str, tuple[str, str]], reading: str) -> plot.Figure:
    """The loss r of the three classifiers, a panel a scheme and data set, with the line at 0.02.

    `schemes` names for each scheme the column that goes across and what it means.
    """
    here = loss[(loss.reading == reading) & loss.metric.isin(WEKA)]
    panels = [(d, s) for d in NAMES for s in schemes]
    lowest = min(-LIMIT, here.loc[here.scheme.isin(list(schemes)), "mean"].min() - 0.005)

    def draw(phone: bool) -> plot.Figure:
        by_row = [(d, s) for s in schemes for d in NAMES] if phone or len(schemes) == 1 else panels
        across = 2 if phone or len(schemes) == 1 else len(schemes)
        rows = -(-len(panels) // across)
        size = (
            (plot.PHONE, 2.2 * rows + 0.3)
            if phone
            else (plot.WIDTH, (2.9 if rows == 1 else 2.3) * rows)
        )
        fig = plot.Figure(figsize=size, layout="constrained")
        axes = fig.subplots(rows, across, sharey=True, squeeze=False).ravel()
        for ax, (dataset, scheme) in zip(axes, by_row):
            column, across_label = schemes[scheme]
            part = here[(here.dataset == dataset) & (here.scheme == scheme)]
            _loss_panel(ax, part, column)
            ax.set_ylim(lowest, TOP)
            title = f"{scheme}\n{NAMES[dataset]}" if phone else f"{scheme}, {NAMES[dataset]}"
            ax.set_title(title, fontsize=10.5)
            ax.set_xlabel(plot.in_lines(across_label, phone, 17))
        for ax in axes[::across]:
            ax.set_ylabel("loss r")
        plot.legend(fig, axes)
        return fig

    figure = plot.laid_out(draw)
    columns = ["dataset", "scheme", "k", "e", "metric", "mean", "low", "high"]
    shown = here[here.scheme.isin(list(schemes))]
    figure.data = named(shown[columns])
    figure.alt = f"Loss r against the parameter; usable is below {LIMIT}. " + " ".join(
        f"{NAMES[d]}, {s}, {LEARNERS[m]}: {plot.shape(line[schemes[s][0]], line['mean'], schemes[s][0])}."
        for (d, s, m), line in each_group(
            shown.sort_values(["k", "e"]), ["dataset", "scheme", "metric"], sort=True
        )
    )
    figure.caption = "Loss r of the three classifiers; usable is below the line at 0.02."
    return figure


def _loss_panel(ax: Axes, part: pd.DataFrame, column: str) -> None:
    """Three lines with bands and the limit; an arrow stands for what lies above the panel."""
    ax.axhspan(-1, LIMIT, color=plot.COLOURS[2], alpha=0.10, linewidth=0)
    ax.axhline(LIMIT, color=plot.SOFT, linewidth=1.2, linestyle=(0, (4, 2)))
    for i, metric in enumerate(WEKA):
        line = part[part.metric == metric].sort_values(column)
        inside = line.where(line["mean"] <= TOP)
        style: dict[str, Any] = {"color": plot.COLOURS[i], "markeredgewidth": 0}
        ax.plot(
            inside[column],
            inside["mean"],
            label=LEARNERS[metric],
            marker=plot.MARKERS[i],
            markersize=3.5,
            linestyle=(0, plot.DASHES[i]) if i else "-",
            **style,
        )
        ax.fill_between(
            line[column], line["low"], line["high"], color=plot.COLOURS[i], alpha=0.15, linewidth=0
        )
        beyond = line[line["mean"] > TOP]
        ax.plot(
            beyond[column],
            np.full(len(beyond), TOP - 0.003 - 0.005 * i),
            linestyle="",
            marker="^",
            markersize=5,
            **style,
        )


def trade_off(
    points: pd.DataFrame, undistorted: Mapping[str, float], blind: Mapping[str, float]
) -> plot.Figure:
    """What classifiers get against what an attacker gets: a line a method, a point a parameter.

    `points` is `evidence.balanced_trade_off`'s; the paper's own parameters are ringed.
    """

    def draw(phone: bool) -> plot.Figure:
        fig, axes = _two_panels(phone)
        for ax, dataset in zip(axes, NAMES):
            here = points[points.dataset == dataset]
            _lines_of_methods(ax, here, "traced", "balanced")
            ax.axvline(blind[dataset], color=plot.SOFT, linewidth=1.2, linestyle=(0, (1.5, 1.5)))
            ax.annotate(
                "blind guess",
                (blind[dataset], 0.3),
                xycoords=ax.get_xaxis_transform(),
                rotation=90,
                xytext=(-3, 0),
                textcoords="offset points",
                ha="right",
                fontsize=10,
            )
            plot.name_level(ax, "undistorted", undistorted[dataset], x=0.3)
            plot.name_level(ax, "the same for everybody", 0.5, x=0.3)
            ax.set(
                title=NAMES[dataset],
                xlabel="share of people traced",
                xlim=(-0.1, 1.03),
                ylim=(0.45, undistorted[dataset] + 0.05),
            )
            ax.set_ylabel("balanced accuracy")
        plot.legend(fig, axes)
        return fig

    return _told(plot.laid_out(draw), points, "traced", "balanced")


def usable_and_traced(points: pd.DataFrame) -> plot.Figure:
    """The loss of the worst classifier against the share traced; usable is left of 0.02.

    `points` is `evidence.trade_off`'s. Settings that lose more than `TOP` are left out.
    """
    points = points.assign(loss=1 - points["accuracy kept"], papers=False)

    def draw(phone: bool) -> plot.Figure:
        fig, axes = _two_panels(phone)
        for ax, dataset in zip(axes, NAMES):
            here = points[(points.dataset == dataset) & (points.loss <= TOP)]
            ax.axvspan(-1, LIMIT, color=plot.COLOURS[2], alpha=0.10, linewidth=0)
            ax.axvline(LIMIT, color=plot.SOFT, linewidth=1.2, linestyle=(0, (4, 2)))
            _lines_of_methods(ax, here, "loss", "share traced")
            ax.set(
                title=NAMES[dataset],
                xlabel="loss r of the worst classifier",
                xlim=(-0.005, TOP),
                ylim=(-0.03, 1.03),
            )
            ax.set_ylabel("share of people traced")
        plot.legend(fig, axes)
        return fig

    return _told(plot.laid_out(draw), points, "loss", "share traced")


def _two_panels(phone: bool):
    rows, across = plot.grid_of(2, phone)
    fig = plot.Figure(
        figsize=(plot.PHONE, 6.0) if phone else (plot.WIDTH, 3.6), layout="constrained"
    )
    return fig, fig.subplots(rows, across, squeeze=False).ravel()


def _lines_of_methods(ax: Axes, here: pd.DataFrame, x: str, y: str) -> None:
    """A line through the parameters of each method, from strong to weak; the paper's own is ringed."""
    schemes = [s for s in (*SCHEMES_IN_TABLE, "kCG by class") if (here.scheme == s).any()]
    for i, scheme in enumerate(schemes):
        line = here[here.scheme == scheme].sort_values(["k", "e"])
        ax.plot(
            line[x],
            line[y],
            marker=plot.MARKERS[i],
            markersize=3.5,
            markeredgewidth=0,
            linewidth=1.2,
            color=plot.COLOURS[i],
            linestyle=(0, plot.DASHES[i]) if i else "-",
            label=scheme,
        )
        own = line[line.papers]
        ax.plot(
            own[x],
            own[y],
            linestyle="",
            marker="o",
            markersize=12,
            markerfacecolor="none",
            markeredgecolor=plot.COLOURS[i],
            markeredgewidth=1.8,
        )


def _told(figure: plot.Figure, points: pd.DataFrame, x: str, y: str) -> plot.Figure:
    figure.data = named(points)
    figure.alt = f"{y.capitalize()} against {x}. " + " ".join(
        f"{NAMES[d]}, {s}: {x} {g[x].min():.2f} to {g[x].max():.2f}, {y} {g[y].min():.2f} to {g[y].max():.2f}."
        for (d, s), g in each_group(points, ["dataset", "scheme"])
    )
    figure.caption = f"{y.capitalize()} against {x}, a line a method."
    return figure
