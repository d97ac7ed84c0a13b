"""[Guo] The figures of the chapter: a function of the chapter each, with its caption."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ppdm import data, plot
from ppdm.papers.aibr import experiment, rows
from ppdm.papers.aibr.experiment import NAMES, SCHEMES_IN_TABLE
from ppdm.papers.aibr.selection import LIMIT
from ppdm.papers.common import captioned

LEARNERS = {"IBk": "nearest neighbour", "SMO": "SVM", "J48": "tree", "NN unscaled": "unscaled neighbour"}  # fmt: skip
BY_PROTECTION = ("AIBR", "kCG", "SSVD", "BSVD")  # as Table 1 has them by VD, RP and RK, best first
INTERVALS: dict[str, Any] = {"x": "k", "xlabel": "k (intervals of an attribute)"}
TOP = 0.1  # larger losses are left out of the figures
SHOWN = 150  # of the records: a drawing of all would be too large


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with data sets called as on all pages, Breast Cancer first.

    >>> named(pd.DataFrame({"dataset": ["PID", "WBC"]}))["dataset"].tolist()
    ['Breast Cancer', 'Pima']
    """
    order = frame["dataset"].map(list(NAMES).index)
    frame = frame.loc[order.sort_values(kind="stable").index]
    return frame.assign(dataset=frame["dataset"].map(NAMES))


def on_every_panel(figure: plot.Figure, change: Callable[[Axes, str], object]) -> plot.Figure:
    """Something added to each panel of a figure, by its title, for a wide page and for a phone."""
    with matplotlib.rc_context(plot.STYLE):  # whose ink is the page's, on dark pages too
        for laid in filter(None, (figure, figure.narrow)):
            for ax in laid.axes:
                change(ax, ax.get_title().replace("\n", " "))
    return figure


# The paper's page ---------------------------------------------------------------------------------


def found(ch) -> plot.Figure:
    """Of 100 people in a released table, those whom the best attack finds; a panel a release."""
    best = ch.get(rows.traced).groupby(["dataset", "scheme"])["mean"].max()
    count = {(d, s): round(100 * best[d, s]) for d in NAMES for s in BY_PROTECTION}

    def draw(phone: bool) -> plot.Figure:
        order = [(d, s) for s in BY_PROTECTION for d in NAMES] if phone else list(count)
        across = 2 if phone else 4
        size = (plot.PHONE, 4.6) if phone else (plot.WIDTH, 4.6)
        fig = plot.Figure(figsize=size, layout="constrained")
        for ax, panel in zip(fig.subplots(len(order) // across, across).ravel(), order):
            _hundred(ax, count[panel], 20 if phone else 10)
            ax.set_title(f"{panel[1]}, {NAMES[panel[0]]}", fontsize=10.5)
            ax.set_xlabel(f"{count[panel]} of 100 found", fontweight="bold")
        return fig

    figure = plot.laid_out(draw)
    figure.data = best.rename("share found").reset_index()
    figure.alt = "Of 100 people are found: " + " ".join(
        f"{s}, {NAMES[d]}: {n}." for (d, s), n in count.items()
    )
    return captioned(figure,
        "Who is found. Somebody has the true values of all people in a table, with names, and asks which released "
        "row is whose. "
        f"In AIBR's tables he finds {count['WBC', 'AIBR']} and {count['PID', 'AIBR']} of 100; in those of kCG, which "
        "the paper "
        f"ranks second, {count['WBC', 'kCG']} and {count['PID', 'kCG']}. A blind guess finds fewer than one. The methods "
        "stand in the paper's order, best protection first, at the paper's parameters.")  # fmt: skip


def _hundred(ax: Axes, filled: int, across: int) -> None:
    """A hundred dots, so many in a row, the first `filled` of them in colour."""
    row, column = np.divmod(np.arange(100), across)
    inside = [plot.COLOURS[1]] * filled + ["none"] * (100 - filled)
    edges = [plot.COLOURS[1]] * filled + [plot.SOFT] * (100 - filled)
    ax.scatter(
        column, -row, s=45 if across == 10 else 20, c=inside, edgecolors=edges, linewidths=0.8
    )
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.set_frame_on(False)


def before_after_pima(ch) -> plot.Figure:
    """Two attributes of Pima: the original records, each release of them, and columns shuffled."""
    pima, (X, y) = data.load("pima", ch.settings["data_source"]), ch.get(rows.tables)["PID"]
    two = [pima.features.index(name) for name in ("plasma-glucose", "body-mass-index")]
    ways = [{"scheme": "original", "k": 0, "e": 0.0}, *sorted(rows.of_set("PID"), key=lambda c: c["scheme"]),
            {"scheme": "columns shuffled", "k": 0, "e": 0.0}]  # fmt: skip
    panels = {
        rows.setting(c["scheme"], c["k"], c["e"]):
            experiment.SCHEMES[c["scheme"]](X, y, c["k"], c["e"], np.random.default_rng(1))[:, two]
        for c in ways
    }  # fmt: skip
    shown = np.linspace(0, len(y) - 1, SHOWN).astype(int)

    def draw(phone: bool) -> plot.Figure:
        fig, axes, _ = plot.in_panels(len(panels), phone, sharex=True, sharey=True)
        for ax, (title, points) in zip(axes, panels.items()):
            ax.plot(*points[shown].T, "o", markersize=3.2, color=plot.COLOURS[0], alpha=0.8)
            ax.set_title(title, fontsize=10.5)
        fig.supxlabel("glucose", fontsize=11)
        fig.supylabel("BMI", fontsize=11)
        return fig

    figure = plot.laid_out(draw)
    figure.data = pd.concat(
        pd.DataFrame(points[shown], columns=["glucose", "BMI"]).assign(table=title)
        for title, points in panels.items()
    )
    moves = ", ".join(f"{title} {np.corrcoef(p.T)[0, 1]:.2f}" for title, p in panels.items())
    figure.alt = f"{len(panels)} scatter plots. Correlation of the two attributes: {moves}."
    return captioned(figure,
        "AIBR fills boxes, BSVD and SSVD stay close to the original, kCG keeps the shape of the cloud. For "
        "comparison, last: every column shuffled by itself, so that no row is anybody's. "
        f"{SHOWN} of Pima's 768 records.")  # fmt: skip


def loss_aibr(ch) -> plot.Figure:
    """[Guo, Figures 1 and 2] The loss of the three classifiers after AIBR."""
    return captioned(_losses(ch, INTERVALS["xlabel"], "AIBR"),
        "On Breast Cancer the losses come to the line of 0.02 at k = 2, and are below it from k = 4 on. On Pima the "
        "nearest neighbour and the tree run along the line for most k, so that which k passes is decided by a hair. "
        "Losses above 0.1 are left out. Bands: 95 % intervals.")  # fmt: skip


def loss_others(ch) -> plot.Figure:
    """The same after the other methods."""
    return captioned(_losses(ch, "k, or e of SSVD", "BSVD", "SSVD", "kCG"),
        "Which classifier suffers depends on the method: BSVD costs the tree most on Breast Cancer and the SVM on "
        "Pima, kCG the nearest neighbour. On Pima the smallest e of SSVD costs the SVM more than any of the dozen after "
        "it. Losses above 0.1 are left out. Bands: 95 % intervals.")  # fmt: skip


def _losses(ch, across: str, *schemes: str) -> plot.Figure:
    """The loss r of the three classifiers, a panel a scheme and data set, with the line at 0.02."""
    loss = ch.get(rows.losses)
    here = loss[
        (loss["reading"] == ch.settings["test_rows"]) & loss["metric"].isin(rows.TRIOS["scaled"])
    ]
    here = named(here[here["scheme"].isin(schemes) & (here["mean"] <= TOP)])
    here = here.assign(
        classifier=here["metric"].map(LEARNERS), metric="loss r", panel=here["scheme"] + ", " + here["dataset"],
        parameter=here["k"].where(here["scheme"] != "SSVD", here["e"]),
    ).sort_values("scheme", key=lambda names: names.map(SCHEMES_IN_TABLE.index), kind="stable")  # fmt: skip
    limit = {panel: {"usable below": LIMIT} for panel in here["panel"]}
    figure = plot.curves(
        here, "parameter", "classifier", "panel", metric="loss r", baselines=limit, xlabel=across
    )
    figure.data = here[["dataset", "scheme", "k", "e", "classifier", "mean", "low", "high"]]
    return figure


def trade_off(ch) -> plot.Figure:
    """What classifiers get against what an attacker gets: a line a method, a point a parameter."""
    points = ch.get(rows.trade_off)
    points = named(points[points["scheme"].isin(SCHEMES_IN_TABLE)])
    points = points.assign(parameter=points["k"] + points["e"]).rename(
        columns={"traced": "attacker"}
    )
    plain = (
        named(ch.get(rows.balanced).query("scheme == 'none'")).groupby("dataset")["value"].mean()
    )
    blind = {name: levels["blind guess"] for name, levels in _blind(ch).items()}
    figure = plot.trade_off(
        points, dict(plain), blind, hue="scheme", along="parameter", xlabel="share of people traced"
    )

    def ringed(ax: Axes, panel: str) -> None:
        own = points[points["papers"] & (points["dataset"] == panel)]
        ax.plot(
            own["attacker"],
            own["balanced"],
            "o",
            markersize=12,
            markerfacecolor="none",
            markeredgecolor=plot.INK,
        )

    return captioned(on_every_panel(figure, ringed),
        "A line a method, a point a parameter; rings: the paper's own. For the same share of people found, kCG's "
        "classifiers "
        "are as good as AIBR's or better. At the paper's parameters they are about as good, and about a quarter as "
        "many people are "
        "found. Balanced accuracy: the mean of the three classifiers.")  # fmt: skip


# The page beyond it -------------------------------------------------------------------------------


def traced_over_k(ch) -> plot.Figure:
    """The share of people found by three attacks, along k."""
    everywhere = ch.get(rows.traced_everywhere)
    aibr = named(everywhere[everywhere["scheme"] == "AIBR"]).rename(columns={"metric": "attack"})
    figure = plot.curves(aibr, hue="attack", col="dataset", metric="share traced", baselines=_blind(ch),
                         ylabel="share of people traced", **INTERVALS)  # fmt: skip
    return captioned(figure,
        "More intervals, more people found. Who knows AIBR's intervals finds most people in the tables from k = 3 "
        "(Breast Cancer) or 5 (Pima) "
        "on. The two attacks that only look at distances get there later.")  # fmt: skip


def traced_with_few(ch) -> plot.Figure:
    """The share found by who knows some attributes only."""
    few = ch.get(rows.traced_with_few)
    five = 100 * few[few["known"] == 5].set_index(["dataset", "scheme"])["mean"]
    figure = plot.curves(named(few), x="known", hue="scheme", col="dataset", metric="nearest", baselines=_blind(ch),
                         xlabel="attributes that the attacker knows", ylabel="share traced (nearest)")  # fmt: skip
    return captioned(figure,
        f"With five attributes known, the nearest person is the right one for {five['WBC', 'BSVD']:.0f} of 100 rows "
        "of BSVD's release of "
        f"Breast Cancer, and for {five['WBC', 'AIBR']:.0f} of AIBR's (Pima: {five['PID', 'BSVD']:.0f} and "
        f"{five['PID', 'AIBR']:.0f}). AIBR bears this "
        "attack well; what breaks it is the knowledge of its intervals. At the paper's parameters. Bands: 95 % "
        "intervals.")  # fmt: skip


def _blind(ch) -> Mapping[str, dict[str, float]]:
    return {
        NAMES[name]: {"blind guess": 1 / round(0.8 * len(X))}
        for name, (X, _) in ch.get(rows.tables).items()
    }
