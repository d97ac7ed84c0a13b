"""[Zhan & Du] The figures and tables of the chapter: functions of the chapter each."""

from __future__ import annotations

import pandas as pd

from ppdm import plot, study
from ppdm.coins import Picture
from ppdm.data import SHORT
from ppdm.data.describe import show
from ppdm.papers.common import captioned
from ppdm.papers.left_open import folded, left_open
from ppdm.papers.multi_group import rows as computed
from ppdm.papers.multi_group.readings import ADULT, DATASETS, OF_WORDS, READINGS
from ppdm.study.cards import Html

SCHEMES = {1: "1 group", 2: "2 groups", 3: "3 groups"}
#: What the guessers of a table know.
BELIEFS = {"scheme": "the scheme only", "shares": "shares of single answers",
           "others": "other people's records", "list": "the respondents' own list"}  # fmt: skip


#: Where the paper calls a scheme fairly accurate: θ from here up, for each number of groups.
FAIR_FROM = {1: 0.55, 2: 0.7, 3: 0.7}


# Of the chapter ---------------------------------------------------------------------------------------


def levels(ch: study.Chapter) -> dict[str, dict[str, float]]:
    """For each data set, the accuracy of the undisguised tree and of the same answer for everybody."""
    return {name: {"undisguised": of["ID3"], "the same for everybody": of["majority class"]}
            for name, of in ch.get(computed.benchmarks).items()}  # fmt: skip


def mean_accuracy(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du, Figures 3a, 4a, 5a] The mean accuracy along θ."""
    of = ch.get(computed.benchmarks)[ADULT]
    before, full = of["majority class"], of["ID3"]
    return captioned(
        plot.curves(ch.get(computed.accuracy), x="theta", hue="groups", col="dataset", baselines=levels(ch)),
        "The trees are as good as undisguised ones at both ends; in the middle those from two and three groups are hardly better "
        f"than a coin. But on Adult {100 * before:.0f} of 100 answers are right if you say the same of everybody, and the "
        f"undisguised tree adds {100 * (full - before):.0f}: that is all there is to learn. Means with 95 % intervals. "
        "The paper's Figures 3a, 4a and 5a.",
    )  # fmt: skip


def loss(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du 6] The losses where the paper calls the trees fairly accurate, beside two limits."""
    rows = ch.get(computed.accuracy).query("0.5 < theta < 1")
    fair = rows[rows["theta"] >= rows["groups"].map(FAIR_FROM)]
    lost = fair.assign(
        metric="loss",
        mean=fair["loss"],
        low=fair["undisguised"] - fair["high"],
        high=fair["undisguised"] - fair["low"],
    )
    limits = {"5 points": 0.05, "10 points": 0.1}
    return captioned(
        plot.curves(lost, x="theta", hue="groups", col="dataset", metric="loss", ylabel="loss of accuracy",
                    baselines=dict.fromkeys(DATASETS, limits)),
        "Only where the paper calls the trees fairly accurate. A fifth of these trees lose more than "
        "five points, on Voting some more than ten. Bands: 95 % intervals of the mean.",
    )  # fmt: skip


def variance(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du, Figures 3b, 4b, 5b] The variance of the accuracy along θ."""
    return captioned(
        plot.variances(
            ch.get(computed.accuracy).query("0 < theta < 1"),
            x="theta",
            hue="groups",
            col="dataset",
            log=True,
        ),
        "The variance grows some hundredfold towards θ = 1/2, and with each group. On the small sets it falls again just before: "
        "there the trees are a leaf or two, and their accuracies gather around a few values. Bands: 95 % intervals. "
        "The paper's Figures 3b, 4b and 5b.",
    )


# The second page --------------------------------------------------------------------------------------


def record_read(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du 5.3.3] A whole record guessed by somebody who knows other people's records."""
    chance = (
        ch.get(computed.ladder)
        .query("theta > 0")
        .groupby(computed.CELL, sort=False)["others"]
        .mean()
        .rename("chance")
        .reset_index()
    )
    return captioned(
        plot.privacy_curves(
            chance,
            x="theta",
            y="chance",
            hue="groups",
            col="dataset",
            ylabel="whole record guessed right",
        ),
        "Somebody who knows other people's records, and never yours, reads your report. On Adult, with "
        "one group, he has your whole record nearly every time, and θ hardly matters to him. On Breast Cancer, at θ = 0.8 and "
        "0.9, two groups help him.",
    )


def not_undone(ch: study.Chapter) -> plot.Figure:
    """Trees from undone counts and from the reports as they came."""
    rows = ch.get(computed.not_undone).query("metric == 'accuracy'")
    base = {
        SHORT[d]: {"the same for everybody": of["the same for everybody"]}
        for d, of in levels(ch).items()
    }
    return captioned(
        plot.privacy_curves(
            rows,
            x="theta",
            y="mean",
            hue="counts",
            col="dataset",
            ylabel="accuracy",
            baselines=base,
        ),
        "Around θ = 1/2 trees from the reports as they came are better than those from undone counts, "
        "and above 0.7 they are as good. Where the class is not disguised (class open), small θ turn every relation around. "
        "Mean of one to three groups.",
    )


def by_knowledge(ch: study.Chapter) -> Picture:
    """The chance to guess a whole record, by what the guesser knows, at θ = 0.8."""
    means = ch.get(computed.ladder).groupby(computed.CELL, sort=False)[list(BELIEFS)].mean()
    table = means.xs(0.8, level="theta").rename(columns=BELIEFS)
    table.index = pd.Index([f"{SHORT[d]}, {SCHEMES[m]}" for d, m in table.index], name="data")
    return show(
        table,
        "θ = 0.8: the chance to guess the whole record of somebody, by what the guesser knows",
    )


def open_questions(ch: study.Chapter) -> Html:
    """What the paper leaves open, and which verdicts of the page hang on it, folded."""
    table = show(left_open(ch, (*READINGS.values(), *OF_WORDS)), "What the paper leaves open")
    return folded(
        Html(table.html, table.words), "What the paper leaves open, and which verdicts hang on it"
    )
