"""[Zhan & Matwin] The figures and tables of the chapter: functions of the chapter each."""

from __future__ import annotations

import pandas as pd

from ppdm import plot, study
from ppdm.data import SHORT
from ppdm.data.describe import show
from ppdm.papers.common import captioned
from ppdm.papers.electronic_surveys import rows
from ppdm.papers.electronic_surveys.readings import ADULT, LIMIT, READINGS, REDRAWN, SETS
from ppdm.papers.left_open import folded, left_open
from ppdm.study.cards import Html

LINES = {
    "right": "his calls that are right",
    "found": "true records he finds",
    "promised": "what the survey promises",
}


def believed(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Matwin 1] What a survey promises beside what a stranger knows."""
    every = ch.get(rows.strangers).frame.query("world == 'ours'")
    wide = (
        every.groupby(["dataset", "q", "metric"], sort=False)["mean"].mean().unstack().reset_index()
    )
    wide = wide.assign(right=wide["excess"] + wide["q"], promised=wide["q"])
    lines = wide.melt(["dataset", "q"], LINES, var_name="line", value_name="share")
    at = wide.set_index(["dataset", "q"]).loc[(ADULT, 0.1)]
    return captioned(
        plot.privacy_curves(lines.assign(line=lines["line"].map(LINES)), x="q", y="share", hue="line", col="dataset",
                            xlabel="q: the share of reports that are true"),
        "A stranger has seen other people's records, never yours. When he is 90 % sure that a report is true, he says so. "
        "At q = 0.1 nine of ten reports are noise; on Adult he is "
        f"right in {100 * at['right']:.0f} of 100 calls, and finds {100 * at['found']:.0f} of 100 true records.",
    )  # fmt: skip


def mean_accuracy(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Matwin, Figures 1 and 2] The mean accuracy along q."""
    single = ch.get(rows.accuracy).query("reading == 'one split'")
    levels = {
        name: {"undisguised": b["accuracy"], "majority class": b["majority class"]}
        for name, b in ch.get(rows.benchmarks).items()
    }
    apart = max(
        (rows.curve(ch, d) - rows.curve(ch, d, reading="new splits")).abs().max() for d in SETS
    )
    return captioned(
        plot.curves(single, x="q", col="dataset", baselines=levels),
        "On Adult accuracy bears the disguise down to q = 0.2 or so, on Breast Cancer to 0.5. "
        f"Mean of {ch.sizes['reps']:,} surveys on one split, with 95 % "
        f"intervals; with a new split each time the mean is nowhere more than {100 * apart:.1f} points away. "
        "The paper's Figures 1 and 2.",
    )


def not_undone(ch: study.Chapter) -> plot.Figure:
    """What is learned from undone counts and from reports as they came, by two measures."""
    both = ch.get(rows.not_undone)
    panels = {(d, m): f"{SHORT[d]}: {word}" for d in SETS
              for m, word in (("accuracy", "accuracy"), ("balanced", "balanced accuracy"))}  # fmt: skip
    lines = pd.concat([
        both[(both["dataset"] == d) & (both["metric"] == m)].assign(panel=panel, metric="value")
        for (d, m), panel in panels.items()
    ])  # fmt: skip
    levels = {
        panel: {"undisguised": ch.get(rows.benchmarks)[d][m]} for (d, m), panel in panels.items()
    }
    return captioned(
        plot.curves(
            lines,
            x="q",
            hue="counts",
            col="panel",
            metric="value",
            ylabel="share right",
            baselines=levels,
        ),
        "By accuracy (left) the collector who forgets to undo does as well or better. Balanced accuracy (right) shows "
        "the price of the disguise, and what he loses: on Adult, for small q, the rich are seldom found. "
        "Bands: 95 % intervals.",
    )


def variance(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Matwin, Figures 3 and 4] The variance of the accuracy along q."""
    shown = ch.get(rows.accuracy).query("var > 0 and q > 0")
    return captioned(
        plot.variances(shown, x="q", hue="reading", col="dataset", log=True),
        "With one split the variance goes to zero at q = 1, where no coin is left. With new splits it levels "
        "off at what the choice of the test records contributes. Bands: 95 % intervals. The paper's Figures 3 and 4.",
    )


def pse(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Matwin, Figure 5] PSE along q, a line a W_a."""
    frame = ch.get(rows.figure5).rename(columns={"mean": "pse"})
    named = frame.assign(W_a=frame["W_a"].map("$W_a$ = {:g}".format))
    return captioned(
        plot.privacy_curves(named, x="q", y="pse", hue="W_a"),
        "The more lopsided an answer ($W_a$, the share of ones among the private answers), the smaller its PSE, even "
        "where nothing at all is sent (q = 0). The paper's Figure 5.",
    )


# The second page --------------------------------------------------------------------------------------


def two_stories(ch: study.Chapter) -> plot.Figure:
    """PSE of an answer beside what the collector believes of a true record."""
    story = (
        ch.get(rows.collector)
        .rename(columns={"mean": "value"})
        .assign(quantity="believed to be true")
    )
    pse_ = (
        ch.get(rows.answers)
        .groupby(["dataset", "q"], as_index=False)["pse"]
        .mean()
        .rename(columns={"pse": "value"})
    )
    both = pd.concat([story[["dataset", "q", "value", "quantity"]], pse_.assign(quantity="PSE")])
    return captioned(
        plot.privacy_curves(
            both, x="q", y="value", hue="quantity", col="dataset", ylabel="probability"
        ),
        "One survey, two stories. PSE, the paper's privacy of an answer (mean of the answers), falls smoothly: a little "
        "less privacy for a little more truth. But how far the collector believes a true record, on average, is high "
        "almost from the start.",
    )


def open_questions(ch: study.Chapter) -> Html:
    """What the paper leaves open, and which verdicts of the page hang on it, folded."""
    table = show(left_open(ch, (*READINGS, REDRAWN, LIMIT)), "What the paper leaves open")
    return folded(
        Html(table.html, table.words), "What the paper leaves open, and which verdicts hang on it"
    )
