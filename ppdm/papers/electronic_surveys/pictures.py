"""[Zhan & Matwin] The figures and tables of the chapter: functions of the chapter each."""

from __future__ import annotations

import pandas as pd

from ppdm import plot, study
from ppdm.coins import Picture
from ppdm.data import SHORT
from ppdm.data.describe import show
from ppdm.papers.common import captioned, each_group
from ppdm.papers.electronic_surveys import rows
from ppdm.papers.electronic_surveys.readings import ADULT, SETS

LINES = {"right": "his calls that are right", "found": "true records he finds"}
PROMISE = "what the survey promises"


def believed(ch: study.Chapter) -> plot.Figure:
    """What a survey promises beside what a stranger knows."""
    known = ch.get(rows.calls)
    at = known.set_index(["dataset", "q"]).loc[(ADULT, 0.1)]
    figure = calls(known)
    figure.caption = (
        "He knows who told the truth. A stranger has seen other people's records, never yours. When he is 90 % sure "
        "that a report is true, he says so. At q = 0.1 nine of ten reports are noise; on Adult he is "
        f"right in {100 * at['right']:.0f} of 100 calls, and finds {100 * at['found']:.0f} of 100 true records."
    )
    return figure


def calls(known: pd.DataFrame) -> plot.Figure:
    """The stranger's calls, drawn; `known` is `rows.calls`.

    >>> known = pd.DataFrame({"dataset": "adult", "q": [0.1, 0.9], "right": [0.95, 0.99],
    ...                       "found": [0.4, 0.9]})
    >>> calls(known).alt
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
    return figure


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
        f"Accuracy bears the disguise down to q = 0.2 or so. Mean of {ch.sizes['reps']:,} surveys on one split, with 95 % "
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


def trade_off(ch: study.Chapter) -> plot.Figure:
    """The plot that is missing: the classifier's worth against what a stranger guesses."""
    points = ch.get(rows.trade_off)
    level, blind = (
        points.groupby("dataset")[column].mean().to_dict() for column in ("undisguised", "blind")
    )
    return captioned(
        plot.trade_off(points, level, blind, hue="kind", along="q"),
        "A line a kind of personal record, a point a q (the larger, the further right). Coins cost more than records "
        "that look like people: for the same gain of the attacker they leave the collector less, or no more.",
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


def testing_error(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Matwin 2.4] The standard error of an estimated accuracy, by protocol."""
    errors = ch.get(rows.testing_errors)
    return captioned(
        plot.privacy_curves(errors, x="q", y="standard error", hue="protocol", col="dataset"),
        "Standard error of the estimated accuracy, with the test persons of the experiment. Not asking costs "
        "little where q is large; asking through a coin is worse than not asking.",
    )


def other_learners(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Matwin 6] Three ways to learn from the same surveys."""
    return captioned(
        plot.curves(
            ch.get(rows.other_learners),
            x="q",
            hue="learner",
            col="dataset",
            metric="balanced",
            ylabel="balanced accuracy",
        ),
        "Three ways to learn from the same surveys. On Adult's 39,073 respondents all bear the disguise; with the "
        "559 of Breast Cancer the tree suffers first, for it asks about ever fewer people. Bands: 95 % intervals.",
    )


def by_q(table: pd.DataFrame, title: str) -> Picture:
    """A table whose rows are named by q."""
    return show(table.rename(index="{:g}".format).rename_axis("q"), title)


def believed_by_q(ch: study.Chapter) -> Picture:
    """What the collector believes of those who sent the truth."""
    table = ch.get(rows.collector).pivot(index="q", columns="dataset", values=["mean", "above 0.9"])
    words = {"mean": "mean", "above 0.9": "over 0.9"}
    table.columns = [f"{SHORT[d]}: {words[m]}" for m, d in table.columns]
    return by_q(
        table,
        "P(private | record) of those who sent their private record: its mean, and the share above 0.9",
    )


def whole_records(ch: study.Chapter) -> Picture:
    """PSE and an attacker's chances for each answer of Adult, at q = 1/2."""
    titles = {"attribute": "answer", "w_a": "share of ones", "pse": "PSE", "pse_record": "PSE, whole record",
              "blind": "best blind guess", "best": "best guess", "sure": "known at 95 %"}  # fmt: skip
    table = ch.get(rows.answers).query(
        "dataset == @ADULT and q == 0.5", local_dict={"ADULT": ADULT}
    )
    return show(
        table[list(titles)].rename(columns=titles).set_index("answer"),
        "Adult at q = 0.5, answer by answer",
    )


def lookalikes(ch: study.Chapter) -> Picture:
    """What other personal records do to the collector's belief, and to his classifier."""
    run = ch.get(rows.alike).query("dataset == 'adult' and q in (0.1, 0.5)")
    table = run.pivot(index=["q", "kind"], columns="metric", values="mean")[
        ["accuracy", "balanced"]
    ].reset_index("kind")
    everyone = rows.people(ch, ADULT)
    table["P(private | record), mean"] = [
        rows.belief(everyone, q, kind) for q, kind in table["kind"].items()
    ]
    return by_q(table.rename(columns={"kind": "personal records"}),
                "Adult: what other personal records do to the collector's belief, and to his classifier")  # fmt: skip


def by_reading(ch: study.Chapter) -> Picture:
    """The mean accuracy under each reading; its effects in words go to the page of ambiguities."""
    ch.get(rows.readings)
    table = rows.by_reading(ch).query("metric == 'accuracy' and q in (0.1, 0.5, 1)")
    named = table.assign(at=table["dataset"].map(SHORT) + table["q"].map(", q = {:g}".format))
    wide = named.pivot(index="world", columns="at", values="mean")
    wide = wide.reindex(list(dict.fromkeys(table["world"])))
    return show(wide.rename_axis("reading"), "Mean accuracy under each reading")
