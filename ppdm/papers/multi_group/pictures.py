"""[Zhan & Du] The figures and tables of the chapter: functions of the chapter each."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from ppdm import plot, study
from ppdm.coins import Picture
from ppdm.data import SHORT
from ppdm.data.describe import show
from ppdm.papers.common import captioned, each_group
from ppdm.papers.multi_group import rows as computed
from ppdm.papers.multi_group.readings import ADULT, DATASETS

SCHEMES = {1: "1 group", 2: "2 groups", 3: "3 groups"}


def over_the_majority(
    accuracy: pd.DataFrame, levels: Mapping[str, Mapping[str, float]]
) -> plot.Figure:
    """What is right before anything is learned, beside what trees from disguised records get right.

    `accuracy` has the columns dataset, groups, theta (above 1/2) and mean; `levels` the accuracies of
    the undisguised tree (``ID3``) and of the same answer for everybody (``majority class``).

    >>> rows = pd.DataFrame({"dataset": "adult", "groups": 1, "theta": [0.6, 1.0], "mean": [0.7, 0.8]})
    >>> over_the_majority(rows, {"adult": {"ID3": 0.8, "majority class": 0.75}}).alt
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


def loss_lines(lost: pd.DataFrame, limits: Mapping[str, float]) -> plot.Figure:
    """What the disguise costs, and how much is called fair: a panel a data set, a line a scheme.

    `lost` has the columns dataset, groups, theta, loss, low and high. Full marks stand where the paper
    calls the trees fairly accurate, open ones elsewhere.

    >>> rows = pd.DataFrame({"dataset": "adult", "groups": 1, "theta": [0.51, 0.9], "loss": [0.3, 0.01],
    ...                      "low": [0.2, 0.0], "high": [0.4, 0.02]})
    >>> loss_lines(rows, {"5 points": 0.05}).alt
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


def tree_of(rows: pd.DataFrame, words: Mapping[str, str]) -> plot.Figure:
    """A tree as ID3 grew it on estimated counts, node by node, beside the truth.

    `rows` is `evidence.node_by_node`; `words` says what a condition means.

    >>> rows = pd.DataFrame({"E": ["all", "A = 1"], "|S| estimated": [10.0, 4.2], "Q1 estimated": [0.5, 1.1],
    ...                      "Q1 true": [0.4, 0.9], "split": ["A", "leaf: 1"]})
    >>> tree_of(rows, {"A = 1": "married"}).alt
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


# Of the chapter ---------------------------------------------------------------------------------------


def before_and_learned(ch: study.Chapter) -> plot.Figure:
    """What is right before anything is learned, beside what trees from disguised records get right."""
    accuracy, levels = ch.get(computed.accuracy), ch.get(computed.benchmarks)
    before, full = levels[ADULT]["majority class"], levels[ADULT]["ID3"]
    return captioned(
        over_the_majority(accuracy[accuracy["theta"] > 0.5], levels),
        f"On Adult {100 * before:.0f} of 100 answers are right if you say the same of everybody (grey). The tree from "
        f"undisguised records adds {100 * (full - before):.0f} (blue band): that is all there is to learn. Towards "
        "θ = 1/2 the trees from disguised records sink into the grey, and their accuracy still looks good.",
    )


def nodes(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du 4.5] A tree grown on estimated counts, beside the true ones."""
    words = {"marital-status = 1": "married", "marital-status = 0": "not married", "education-num = 1": "schooled",
             "education-num = 0": "not schooled", "capital-gain = 1": "with gains", "capital-gain = 0": "no gains"}  # fmt: skip
    return captioned(
        tree_of(ch.get(computed.node_by_node), words),
        "Near the root, where thousands are left, what the tree believes is close to the truth. Further down the same error "
        "weighs more, and a share may even be negative. Right of the line a leaf says: above 50,000 dollars. "
        "In brackets: how many people the tree believes are there.",
    )


def first_split(ch: study.Chapter) -> Picture:
    """[Zhan & Du 4.5] What ID3 weighs at the root."""
    weighed, meant = ch.get(computed.first_split), {
        "marital-status": "married?", "education-num": "schooled beyond step 10?", "capital-gain": "gains from capital?",
    }  # fmt: skip
    forms = {
        "yes": ("say yes", "{:,.0f}"), "Q1 yes": ("rich among them", "{:.1%}"), "no": ("say no", "{:,.0f}"),
        "Q1 no": ("rich among these", "{:.1%}"), "gain": ("gain", "{:.3f}"), "true gain": ("true gain", "{:.3f}"),
    }  # fmt: skip
    table = {"question": weighed["attribute"].map(meant)}
    table |= {title: weighed[name].map(form.format) for name, (title, form) in forms.items()}
    return show(pd.DataFrame(table).set_index("question"),
                "What ID3 weighs at the root: estimated counts, and the gain that the true ones give (in bits)")  # fmt: skip


def levels(ch: study.Chapter) -> dict[str, dict[str, float]]:
    """For each data set, the accuracy of the undisguised tree and of the same answer for everybody."""
    return {name: {"undisguised": of["ID3"], "the same for everybody": of["majority class"]}
            for name, of in ch.get(computed.benchmarks).items()}  # fmt: skip


def mean_accuracy(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du, Figures 3a, 4a, 5a] The mean accuracy along θ."""
    return captioned(
        plot.curves(
            ch.get(computed.accuracy), x="theta", hue="groups", col="dataset", baselines=levels(ch)
        ),
        "The trees are as good as undisguised ones at both ends. In the middle those from two and three groups are hardly better "
        "than a coin. The more groups, the wider the valley. Means with 95 % intervals. The paper's Figures 3a, 4a and 5a.",
    )


def cost_of_groups(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du, Figure 6] Its surface, from the side."""
    side = (
        ch.get(computed.accuracy)
        .query("theta in (0.6, 0.7, 0.8, 0.9, 1)")
        .sort_values("theta", ascending=False, kind="stable")
    )
    return captioned(
        plot.curves(side.assign(groups=side["groups"].astype(str)), x="groups", hue="theta", col="dataset",
                    xlabel="groups", ylabel="accuracy"),
        "Near θ = 1 a second and a third group cost next to nothing. At θ = 0.7 each costs one to four points. At 0.6 the second "
        "takes most of what was learned on Voting, half of it on Breast Cancer. Mean accuracy, with 95 % intervals. "
        "The paper's Figure 6.",
    )  # fmt: skip


def loss(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du 6] The losses, beside the paper's ranges."""
    rows = ch.get(computed.accuracy).query("0.5 < theta < 1")
    rows = rows.assign(
        low=rows["undisguised"] - rows["high"], high=rows["undisguised"] - rows["low"]
    )
    return captioned(
        loss_lines(
            rows[["dataset", "groups", "theta", "loss", "low", "high"]],
            {"5 points": 0.05, "10 points": 0.1},
        ),
        "Full marks: here the paper calls the trees fairly accurate. A fifth of them stand above the line of "
        "five points, on Voting some above that of ten. Bands: 95 % intervals of the mean.",
    )


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


def trade_off(ch: study.Chapter) -> plot.Figure:
    """The plot that is missing: the tree's worth against what a stranger guesses."""
    points = ch.get(computed.trade_off)
    points = points.assign(scheme=points["groups"].map(SCHEMES).fillna("a group for each answer"))
    level, blind = (
        points.groupby("dataset")[column].mean().to_dict() for column in ("undisguised", "blind")
    )
    return captioned(
        plot.trade_off(points, level, blind, hue="scheme", along="theta"),
        "A line a scheme, a point a θ (from 0.6 to 0.9). On Adult one group hides next to nothing from him, whatever θ is, and a "
        "group for each answer hides most for the same accuracy. On the other two, answers betray the class under any scheme, "
        "and where the trees are good one group hides most.",
    )


# The second page --------------------------------------------------------------------------------------


def record_read(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du 5.3.3] A whole record guessed by somebody who knows other people's records."""
    chance = (
        ch.get(computed.ladder)
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


def record_guessed(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du 1.2] A whole record guessed at best, by the number of groups."""
    steps = ch.get(computed.record_guesses).query("theta in (0.55, 0.7, 0.9)")
    return captioned(
        plot.privacy_curves(
            steps, x="groups", y="chance", hue="theta", col="dataset", ylabel="record guessed right"
        ),
        "Only many groups protect a record. The best guesser, who knows how common every record "
        "is, gets most of Adult right with up to four groups, whatever θ is; with a group for each answer θ decides.",
    )


def many_groups(ch: study.Chapter) -> plot.Figure:
    """[Zhan & Du 4.4] Trees from one group to a group for each answer."""
    rows = ch.get(computed.many_groups).sort_values(["theta", "groups"], ascending=[False, True])
    return captioned(
        plot.curves(rows, x="groups", hue="theta", baselines=levels(ch)[ADULT]),
        "A tree is still better than one answer for everybody with ten groups at θ = 0.9, with six at 0.8, with three at 0.7, "
        "with one at 0.6. Adult; bands: 95 % intervals.",
    )


def learners(ch: study.Chapter) -> plot.Figure:
    """Naive Bayes beside ID3, three groups."""
    return captioned(
        plot.curves(ch.get(computed.learners), x="theta", hue="learner", col="dataset", metric="balanced",
                    ylabel="balanced accuracy", baselines={d: {"the same for everybody": 0.5} for d in DATASETS}),
        "With three groups naive Bayes bears more noise than a tree on all data sets. Undisguised, on Voting, it is the worse "
        "of the two. Bands: 95 % intervals.",
    )  # fmt: skip


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
    means = (
        ch.get(computed.ladder).groupby(computed.CELL, sort=False)[list(computed.BELIEFS)].mean()
    )
    table = means.xs(0.8, level="theta").rename(columns=computed.BELIEFS)
    table.index = pd.Index([f"{SHORT[d]}, {SCHEMES[m]}" for d, m in table.index], name="data")
    return show(
        table,
        "θ = 0.8: the chance to guess the whole record of somebody, by what the guesser knows",
    )


def by_reading(ch: study.Chapter) -> Picture:
    """The mean accuracy under each reading; its effects in words go to the page of ambiguities."""
    ch.get(computed.readings)
    table = computed.by_reading(ch).assign(
        at=lambda f: f["dataset"].map(SHORT) + f["theta"].map(", θ = {:g}".format)
    )
    wide = table.pivot_table(index="reading", columns="at", values="mean", sort=False)
    return show(wide, "Mean accuracy of one to three groups under each reading")
