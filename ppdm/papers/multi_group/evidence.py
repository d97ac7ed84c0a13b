"""[Zhan & Du] From the frames of the runs to the tables and the evidence that the chapter shows.

`accuracy` is a summary of `experiment.trees`: its rows of the metric "accuracy".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from ppdm import data, study
from ppdm.data import SHORT
from ppdm.learn import ID3
from ppdm.papers.common import readings_frame
from ppdm.papers.multi_group.experiment import THETAS, divided
from ppdm.papers.multi_group.readings import DATASETS, OF_WORDS, READINGS
from ppdm.study.tidy import with_spread
from ppdm.table import Table

ADULT, CANCER, VOTING = DATASETS
SERIES = [(dataset, groups) for dataset in DATASETS for groups in (1, 2, 3)]
UP, DOWN = [0.1, 0.2, 0.3, 0.4, 0.45], [0.9, 0.8, 0.7, 0.6, 0.55]  # towards 1/2, from each side
INSIDE = [theta for theta in THETAS if 0 < theta < 1]
WIDE, NARROW = (
    [t for t in INSIDE if t != 0.51],
    [0.1, 0.2, 0.3, 0.7, 0.8, 0.9],
)  # the paper's ranges
CELL = ["dataset", "groups", "theta"]


# Accuracies along θ -----------------------------------------------------------------------------


def accuracies(summary: pd.DataFrame) -> pd.DataFrame:
    """The accuracies of a summary, and beside each what `trees` says of its divisions."""
    of = {
        name: summary.loc[summary["metric"] == name, "mean"].to_numpy()
        for name in ("undisguised", "majority")
    }
    return summary[summary["metric"] == "accuracy"].assign(**of)


def line(accuracy: pd.DataFrame, dataset: str, groups: int, thetas, column="mean") -> np.ndarray:
    """One series at some θ.

    >>> rows = pd.DataFrame({"dataset": "adult", "groups": 1, "theta": [0.9, 1], "mean": [0.8, 0.81]})
    >>> line(rows, "adult", 1, [1, 0.9])
    array([0.81, 0.8 ])
    """
    here = accuracy[(accuracy["dataset"] == dataset) & (accuracy["groups"] == groups)]
    return here.set_index("theta")[column].loc[list(thetas)].to_numpy()


def lines(accuracy: pd.DataFrame, series, thetas, column="mean") -> np.ndarray:
    """Several series at some θ, a row a series.

    >>> rows = pd.DataFrame({"dataset": "adult", "groups": 1, "theta": [0.9, 1], "mean": [0.8, 0.81]})
    >>> lines(rows, [("adult", 1)], [1, 0.9])
    array([[0.81, 0.8 ]])
    """
    # asked some hundred thousand times a chapter, of a hundred rows: pandas' index would take minutes
    place = {cell: i for i, cell in enumerate(zip(*(accuracy[name] for name in CELL)))}
    rows = [place[(*each, t)] for each in series for t in thetas]
    return accuracy[column].to_numpy()[rows].reshape(len(series), -1)


def named(series, thetas=None) -> list[str]:
    """The names of several series, or of each of their points.

    >>> named([("adult", 1)]), named([("adult", 2)], [0.7])
    (['Adult, 1 group'], ['Adult, 2 groups, θ = 0.7'])
    """
    names = [f"{SHORT[dataset]}, {m} group{'s' * (m > 1)}" for dataset, m in series]
    return names if thetas is None else [f"{name}, θ = {t:g}" for name in names for t in thetas]


def lost(accuracy: pd.DataFrame, series, thetas) -> np.ndarray:
    """By how much trees are worse than the undisguised ones of the same divisions."""
    return lines(accuracy, series, thetas, "undisguised") - lines(accuracy, series, thetas)


def losses(accuracy: pd.DataFrame, thetas, groups=(1, 2, 3), datasets=DATASETS) -> dict:
    """[Zhan & Du 6] The losses at some θ, for a bound on them."""
    series = [(dataset, number) for dataset in datasets for number in groups]
    return {
        "value": lost(accuracy, series, thetas).ravel(),
        "se": lines(accuracy, series, thetas, "se").ravel(),
        "names": named(series, thetas),
    }


def means_along(accuracy: pd.DataFrame, thetas) -> dict:
    """Accuracies along a way of θ, less the undisguised one of the same divisions: for a trend."""
    return {
        "values": -lost(accuracy, SERIES, thetas),
        "se": lines(accuracy, SERIES, thetas, "se"),
        "names": named(SERIES),
    }


def variances_along(accuracy: pd.DataFrame, *ways) -> dict:
    """[Zhan & Du 5.3.2] The standard deviations of the accuracy along ways of θ."""
    accuracy = with_spread(accuracy, "sd")
    values, se = (
        np.concatenate([lines(accuracy, SERIES, way, column) for way in ways])
        for column in ("sd", "sd_se")
    )
    names = [f"{name}, from θ = {way[0]:g}" for way in ways for name in named(SERIES)]
    return {"values": values, "se": se, "names": names}


def more_groups(accuracy: pd.DataFrame, thetas, value="mean", sign=1) -> dict:
    """What one group more takes away (or adds, with `sign` -1), from one to two and two to three."""
    accuracy = with_spread(accuracy, value)
    few = [(dataset, groups) for dataset in DATASETS for groups in (1, 2)]
    many = [(dataset, groups + 1) for dataset, groups in few]
    gain = lines(accuracy, few, thetas, value) - lines(accuracy, many, thetas, value)
    error = {"mean": "se", "sd": "sd_se"}[value]
    se = np.hypot(lines(accuracy, few, thetas, error), lines(accuracy, many, thetas, error))
    return {"differences": sign * gain.ravel(), "se": se.ravel(), "names": named(few, thetas)}


def above_majority(accuracy: pd.DataFrame) -> dict:
    """By how much trees in the paper's ranges of θ beat the same answer for everybody."""
    ways = [(each, WIDE if each[1] == 1 else NARROW) for each in SERIES]
    here = accuracy.set_index(CELL).loc[[(*each, t) for each, way in ways for t in way]]
    names = [name for each, way in ways for name in named([each], way)]
    return {
        "value": (here["mean"] - here["majority"]).to_numpy(),
        "se": here["se"].to_numpy(),
        "names": names,
    }


def smallest_fair(accuracy: pd.DataFrame, dataset: str, groups: int, fair: float) -> float:
    """The smallest θ of the grid, above 1/2, with a loss of at most `fair`."""
    way = np.array([1, *DOWN, 0.51])
    return float(way[lost(accuracy, [(dataset, groups)], way)[0] <= fair].min())


def fair_ranges(accuracy: pd.DataFrame, limits=(0.05, 0.1)) -> pd.DataFrame:
    """`smallest_fair` for every data set and number of groups."""
    columns = {
        f"{SHORT[dataset]}, {100 * fair:g} points": [
            smallest_fair(accuracy, dataset, groups, fair) for groups in (1, 2, 3)
        ]
        for fair in limits
        for dataset in DATASETS
    }
    return pd.DataFrame(columns, index=["one", "two", "three"]).rename_axis("groups")


def variance_steps(accuracy: pd.DataFrame) -> dict[str, int]:
    """What the variance does at each step of θ towards 1/2, tested at 5 %."""
    up = down = unsure = 0
    for way in (UP, DOWN):
        var, se = (lines(accuracy, SERIES, way, column) for column in ("var", "var_se"))
        z = np.diff(var) / np.hypot(se[:, 1:], se[:, :-1])
        up, down = up + int((z > 1.96).sum()), down + int((z < -1.96).sum())
        unsure += int((np.abs(z) <= 1.96).sum())
    return {"rises": up, "falls": down, "cannot be told": unsure}


# Why is Voting worse? ---------------------------------------------------------------------------


def voting_is_worse(accuracy: pd.DataFrame) -> dict:
    """How much worse Voting is than the other two, by accuracy (`plain`) and by loss (`under`)."""
    others, groups = DATASETS[:2], (1, 2, 3)
    mean = {d: lines(accuracy, [(d, m) for m in groups], INSIDE).mean() for d in DATASETS}
    loss = {d: lost(accuracy, [(d, m) for m in groups], INSIDE).mean() for d in DATASETS}
    names = [SHORT[d] for d in others]
    return {
        "plain": {"differences": [mean[d] - mean[VOTING] for d in others], "names": names},
        "under": {"differences": [loss[VOTING] - loss[d] for d in others], "names": names},
    }


def loss_by_size(cut: pd.DataFrame, thetas) -> pd.DataFrame:
    """Mean loss over some θ by data set, number of records and groups (θ = 1 is undisguised)."""
    means = cut.pivot(index=["dataset", "size"], columns=["groups", "theta"], values="mean")
    return pd.concat(
        {groups: means[groups][1] - means[groups][thetas].mean(axis=1) for groups in (1, 2, 3)},
        axis=1,
    )


def few_records_explain(cut: pd.DataFrame, thetas, size: int, many: int) -> dict:
    """Do as few records of the others lose as much as Voting, and as many of Voting less?"""
    pairs = {
        "Adult": ((ADULT, size), (VOTING, size)),
        "Breast Cancer": ((CANCER, size), (VOTING, size)),
        "Voting": ((VOTING, size), (VOTING, many)),
    }
    mean = loss_by_size(cut, thetas).mean(axis=1)
    return {
        "differences": [mean[one] - mean[other] for one, other in pairs.values()],
        "names": list(pairs),
    }


def one_class_of(cut: pd.DataFrame) -> pd.DataFrame:
    """A wrong world for `few_records_explain`: disguised trees that say the same of everybody."""
    at = ["dataset", "size", "groups", "theta", "division"]
    means = cut.pivot(index=at, columns="metric", values="mean").reset_index()
    means["mean"] = means["accuracy"].where(means["theta"] == 1, means["majority"])
    return means[[*at, "mean"]].assign(world="one class")


def _under(plain: Callable, condition: Callable) -> Callable:
    return lambda rows: {"plain": plain(rows), "under": condition(rows)}


_NEAR, _WITHIN = [0.2, 0.3, 0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
_WIDE = partial(losses, thetas=WIDE, groups=[1])
_NARROW = partial(losses, thetas=NARROW, groups=[2, 3])
#: What decides the claims on the trees' accuracy: functions of `accuracies`.
ON_ACCURACY: dict[str, Callable[[pd.DataFrame], dict]] = {
    "ZD-12": _under(partial(losses, thetas=[0.9], groups=[4]), partial(losses, thetas=[0.7], groups=[4])),
    "ZD-25": partial(means_along, thetas=[1, *DOWN, 0.51]),
    "ZD-26": partial(means_along, thetas=[0, *UP]),
    "ZD-27": partial(losses, thetas=[0.51]),
    "ZD-28": _under(partial(more_groups, thetas=INSIDE), partial(more_groups, thetas=_NEAR)),
    "ZD-30": voting_is_worse,
    "ZD-32": _under(lambda rows: variances_along(rows, [0, *UP], [*DOWN, 0.51]),
                    lambda rows: variances_along(rows, UP[:4], DOWN[:4])),
    "ZD-33": _under(partial(more_groups, thetas=INSIDE, value="sd", sign=-1),
                    partial(more_groups, thetas=_WITHIN, value="sd", sign=-1)),
    "ZD-38": _WIDE, "ZD-39": _WIDE, "ZD-40": _NARROW, "ZD-41": _NARROW,
    "ZD-42": above_majority,
}  # fmt: skip


# Testing, parties, readings ---------------------------------------------------------------------


_IN_WORDS = {"dataset": "{}", "groups": "{} groups", "theta": "θ = {:g}", "own": "B holds {:.0%}"}


def gained(summary: pd.DataFrame, index, better: str, worse: str) -> dict:
    """How much larger one metric is than another, in each cell."""
    wide = summary.pivot(index=index, columns="metric", values=["mean", "se"])
    names = [
        ", ".join(_IN_WORDS[n].format(SHORT.get(v, v)) for n, v in zip(index, at))
        for at in wide.index
    ]
    return {
        "differences": (wide["mean"][better] - wide["mean"][worse]).to_numpy(),
        "se": np.hypot(wide["se"][better], wide["se"][worse]).to_numpy(),
        "names": names,
    }


def more_records(summary: pd.DataFrame) -> dict:
    """[Zhan & Du 2] Accuracies against the number of records, a series a number of groups."""
    means, errors = (
        summary.pivot(index="groups", columns="size", values=column).sort_index(axis=1)
        for column in ("mean", "se")
    )
    names = named([(ADULT, groups) for groups in means.index])
    return {"values": means.to_numpy(), "se": errors.to_numpy(), "names": names}


def partly_lost(summary: pd.DataFrame) -> dict:
    """[Zhan & Du 4.7] The loss by the number of disguised attributes."""
    table = summary.pivot(index="hidden", columns="metric", values=["mean", "se"])
    names = [f"{hidden} disguised" for hidden in table.index]
    return {
        "value": (table["mean"]["undisguised"] - table["mean"]["accuracy"]).to_numpy(),
        "se": table["se"]["accuracy"].to_numpy(),
        "names": names,
    }


def mean_errors(rows: pd.DataFrame) -> dict:
    """[Zhan & Du 3] The mean error of each estimated share, with the error of that mean."""
    means = rows.groupby("metric", sort=False)["value"]
    return {"value": means.mean().to_numpy(), "names": list(means.groups)}


def called_better(rows: pd.DataFrame) -> dict:
    """[Zhan & Du 1.2] How much more often `beyond.outsider` calls a coin rightly than its likelier side."""
    table = rows.pivot_table(index=["groups", "theta"], columns="metric", values="value")
    names = named([(ADULT, groups) for groups, _ in table.index])
    names = [f"{name}, θ = {theta:g}" for name, (_, theta) in zip(names, table.index, strict=True)]
    return {"value": (table["calls"] - table["coin"]).to_numpy(), "names": names}


def test_variance(theta: float, groups: int, accuracy: float) -> tuple[float, float]:
    """[Zhan & Du 4.6] The variance of one disguised test person's contribution to Eq. (15).

    She contributes Z = Σ w_f r_f over the 2^M versions f of her report: r_f is 1 where the tree is
    right, w_f the product of θ/(2θ-1) for each group left alone and -(1-θ)/(2θ-1) for each turned.
    If the tree's answers on the versions are unrelated, and as often right on each, Z has the
    variance Σ w_f² a (1-a): the first number. Without that, Z only lies between the sum of the
    negative weights and that of the positive ones, (1 ∓ L) / 2 with L = |2θ-1|^-M, and its mean
    is a: so its variance is at most L²/4 - (a - 1/2)², the second number.

    >>> [round(v, 2) for v in test_variance(0.7, 1, 0.8)]
    [0.58, 1.47]
    """
    inflation = (theta**2 + (1 - theta) ** 2) / (2 * theta - 1) ** 2
    unrelated = inflation**groups * accuracy * (1 - accuracy)
    return unrelated, (2 * theta - 1) ** (-2 * groups) / 4 - (accuracy - 0.5) ** 2


def test_persons(tested: pd.DataFrame, dataset: str, persons: int, target=0.01) -> pd.DataFrame:
    """Test persons needed for a standard error: measured, if unrelated, and at most.

    `tested` is a summary of `experiment.testing`, `persons` the number of its test records.
    """
    here = tested[tested["dataset"] == dataset].pivot(
        index=["groups", "theta"], columns="metric", values="mean"
    )
    rows = []
    for (groups, theta), accuracy, se in zip(here.index, here["accuracy"], here["se"], strict=True):
        if 0.5 < theta < 1:
            unrelated, most = test_variance(theta, groups, accuracy)
            rows.append({"groups": groups, "θ": theta, "here": se**2 * persons / target**2,
                         "if unrelated": unrelated / target**2, "at most": most / target**2})  # fmt: skip
    return pd.DataFrame(rows)


def between_deals(dealt: pd.DataFrame) -> pd.DataFrame:
    """Variance of the accuracy within fixed deals of the attributes, and between them."""
    cells = dealt[dealt["metric"] == "accuracy"].groupby(["dataset", "groups"], sort=False)
    within = cells["var"].mean()
    between = (cells["mean"].var() - within / cells["reps"].mean()).clip(lower=0)
    table = pd.DataFrame(
        {
            "variance within a deal": within,
            "between deals": between,
            "share between": between / (within + between),
        }
    )
    table.index = [f"{SHORT[dataset]}, {groups} groups" for dataset, groups in table.index]
    return table.rename_axis("data")


def reading_effects(
    summary: pd.DataFrame, accuracy: pd.DataFrame, thetas=(0.8, 0.6)
) -> pd.DataFrame:
    """Question, choice, alternatives and effect of each reading: mean accuracies at some θ."""
    rows = summary[summary["metric"] == "accuracy"]
    means, effects = rows.groupby(["reading", "dataset", "theta"])["mean"].mean(), []
    for label, each in READINGS.items():
        moves = [
            f"at θ = {theta:g} "
            + ", ".join(
                f"{SHORT[d]} {means['ours', d, theta]:.3f} to {means[label, d, theta]:.3f}"
                for d in each.datasets
            )
            for theta in thetas
        ]
        effects.append(f"accuracy (mean of one to three groups): {'; '.join(moves)}")
    smallest = ", ".join(
        f"{SHORT[d]} {smallest_fair(accuracy, d, 2, 0.05)} or {smallest_fair(accuracy, d, 2, 0.1)}"
        for d in DATASETS
    )
    effects += [
        "records in two groups, with a coin each, are the one-group scheme over again",
        f"smallest θ of the grid for two groups: {smallest}",
    ]
    return readings_frame([*READINGS.values(), *OF_WORDS], effects)


# Privacy ----------------------------------------------------------------------------------------


def chances(record: pd.DataFrame) -> pd.Series:
    """The mean chance over the deals, of `beyond.record_guesses`."""
    return record.groupby(CELL, sort=False)["record"].mean()


def privacy_towards_half(ladder: pd.DataFrame, thetas, knows="others") -> dict:
    """[Zhan & Du 5.3.3] Privacy of a record along θ, from an attacker of `beyond.ladder`."""
    chance = ladder.set_index(CELL)[knows]
    values = [[1 - chance[(*each, theta)] for theta in thetas] for each in SERIES]
    se = [[_of_victims(chance, (*each, theta)) for theta in thetas] for each in SERIES]
    return {"values": values, "se": se, "names": named(SERIES)}


def privacy_of_more_groups(ladder: pd.DataFrame, thetas, knows="others") -> dict:
    """[Zhan & Du 5.3.3] What one group more adds to privacy."""
    chance = ladder.set_index(CELL)[knows]
    few = [(dataset, groups) for dataset in DATASETS for groups in (1, 2)]
    cells = [((d, m, t), (d, m + 1, t)) for d, m in few for t in thetas]
    return {
        "differences": [chance[one] - chance[more] for one, more in cells],
        "se": [
            np.hypot(_of_victims(chance, one), _of_victims(chance, more)) for one, more in cells
        ],
        "names": named(few, thetas),
    }


#: What the rungs of `beyond.ladder` know.
BELIEFS = {"scheme": "the scheme only", "shares": "shares of single answers",
           "others": "other people's records", "list": "the respondents' own list"}  # fmt: skip
#: Who guesses in other worlds: he knows less or more, or goes from the others' records to unseen ones otherwise.
GUESSERS = {key: BELIEFS[key] for key in ("shares", "list")} | {
    "others, naive Bayes": "other people's records, by naive Bayes",
    "others, kernel": "other people's records, by a kernel",
}


def privacy_claims(chance: pd.Series, ladder: pd.DataFrame) -> dict[str, dict]:
    """[Zhan & Du 5.3.3] What decides the three sentences about privacy.

    `chance` is of `beyond.record_guesses` (:func:`chances`), `ladder` of `beyond.ladder`, with our world
    and others.
    """
    theta = chance.index.get_level_values("theta")
    ends, inside = chance[theta.isin([0, 1])], chance[theta == 0.9]
    down = sorted(ladder["theta"].unique(), reverse=True)
    flat = {"values": np.ones((len(SERIES), len(down)))}
    none = {"differences": np.zeros(2 * len(DATASETS) * (len(down) - 1))}
    return {
        "ZD-35": {
            "ours": ends.to_numpy(),
            "theirs": np.ones(len(ends)),
            "plants": {"θ = 0.9": (inside.to_numpy(), np.ones(len(inside)))},
        },
        "ZD-36": _by_knowledge(privacy_towards_half, ladder, down, flat),
        "ZD-37": _by_knowledge(privacy_of_more_groups, ladder, down[1:], none),
    }


def _by_knowledge(found: Callable, ladder: pd.DataFrame, thetas, nothing: dict) -> dict:
    """Evidence from who knows other people's records, and as worlds from all other guessers."""
    given = study.cases(partial(found, thetas=thetas), ladder, draws="draw")
    ours = ladder[ladder["world"] == "ours"]
    worlds = {
        name: study.clustered(study.each(partial(found, thetas=thetas, knows=key), ours, "draw"))
        for key, name in GUESSERS.items()
    }
    return given | {"worlds": given["worlds"] | worlds, "plants": {"no report seen": nothing}}


def _of_victims(chance: pd.Series, cell: tuple) -> float:
    """The error of one division's chance: those who are read there are a draw of people."""
    p, people = min(chance[cell], 1.0), divided(cell[0], 0).test.total  # a sum may end above 1
    return float(np.sqrt(p * (1 - p) / people))


# ID3 at work ------------------------------------------------------------------------------------


def gain(table: Table, attribute: str, target: str) -> float:
    """[Zhan & Du, Eqs. 9, 10] Gain(S, A) in bits, from (estimated) counts; negative ones as zero.

    >>> from ppdm import count
    >>> gain(count(pd.DataFrame({"A": [0, 0, 1, 1], "C": [0, 0, 1, 1]})), "A", "C")
    1.0
    """
    pairs = table.marginal(attribute, target)
    pairs = Table(pairs.domain, np.maximum(pairs.values, 0))
    branches = [pairs.where({attribute: level}) for level in pairs.levels[0]]
    after = sum(branch.total * branch.entropy() for branch in branches) / pairs.total
    return pairs.marginal(target).entropy() - after


def node_by_node(estimated: Table, true: Table, target: str) -> pd.DataFrame:
    """[Zhan & Du 4.5] The nodes of the tree grown on estimated counts, beside the true counts.

    A row a node: its condition E, |S| and the share of class 1 as estimated and in truth, and the
    attribute with the largest gain, by the estimate (on which the tree is split) and in truth.
    """
    tree = ID3().fit_table(estimated, target)
    rows = []

    def visit(node: int, condition: dict) -> None:
        here, there = estimated.where(condition), true.where(condition)
        splits = tree.tree_.attribute[node] >= 0
        left = [name for name in here.names if name != target]
        rows.append({
            "E": " and ".join(f"{n} = {v}" for n, v in condition.items()) or "all",
            "|S| estimated": here.total, "|S| true": there.total,
            "Q1 estimated": here.n({target: 1}) / here.total,
            "Q1 true": there.n({target: 1}) / there.total if there.total else np.nan,
            "split": tree.domain_.names[tree.tree_.attribute[node]] if splits else
            f"leaf: {tree.classes_[tree.tree_.label[node]]}",
            "true best": max(left, key=lambda name: gain(there, name, target))
            if splits and there.total else "",
        })  # fmt: skip
        if splits:
            name = tree.domain_.names[tree.tree_.attribute[node]]
            for value, child in zip(true.levels[true.names.index(name)], tree.tree_.children(node)):
                visit(child, {**condition, name: value})

    visit(0, {})
    return pd.DataFrame(rows)


def first_split(estimated: Table, true: Table, target: str) -> pd.DataFrame:
    """[Zhan & Du 4.5] What ID3 weighs at the root: a row an attribute, with the numbers of Eq. (10).

    People and the share of class 1 behind each answer, and the gain, all as estimated; and the true gain.

    >>> from ppdm import count
    >>> table = count(pd.DataFrame({"A": [0, 0, 1, 1], "C": [0, 0, 1, 1]}))
    >>> first_split(table, table, "C").to_dict("records")
    [{'attribute': 'A', 'yes': 2.0, 'Q1 yes': 1.0, 'no': 2.0, 'Q1 no': 0.0, 'gain': 1.0, 'true gain': 1.0}]
    """
    rows = []
    for name in estimated.names:
        if name != target:
            no, yes = (estimated.where({name: level}) for level in (0, 1))
            rows.append({
                "attribute": name, "yes": float(yes.total), "Q1 yes": float(yes.p({target: 1})),
                "no": float(no.total), "Q1 no": float(no.p({target: 1})),
                "gain": float(gain(estimated, name, target)), "true gain": float(gain(true, name, target)),
            })  # fmt: skip
    return pd.DataFrame(rows)


# The data ---------------------------------------------------------------------------------------


def described(source: str | None = None) -> dict[str, dict]:
    """[Zhan & Du 5.1, Table 1] What the paper says of its files, and what the files say.

    >>> described()["ZD-T1-3"]["value"]
    699
    """
    loaded = {name: data.load(name, source) for name in (*DATASETS, "pima")}
    rows = {name: len(each.frame) for name, each in loaded.items()}
    features = {name: len(each.features) for name, each in loaded.items()}
    columns = loaded[ADULT].frame[loaded[ADULT].features]
    kinds = [len(columns.select_dtypes(kind).columns) for kind in ("number", "category")]
    institute = [
        "National Institute" in loaded[name].provenance.citation for name in (CANCER, "pima")
    ]
    of_pima = {"another file": {"value": rows["pima"]}}
    of_eight = {"another file": {"value": features["pima"]}}
    with_id = {"plain": of_eight["another file"], "under": {"value": features["pima"] + 1}}
    return {
        "ZD-T1-1": {"value": rows[ADULT], "plants": of_pima},
        "ZD-T1-2": {"value": features[ADULT], "plants": of_eight},
        "ZD-T1-3": {"value": rows[CANCER], "plants": of_pima},
        "ZD-T1-4": {"plain": {"value": features[CANCER]}, "under": {"value": features[CANCER] + 1},
                    "plants": {"another file": with_id}},
        "ZD-T1-5": {"value": rows[VOTING], "plants": of_pima},
        "ZD-T1-6": {"value": features[VOTING], "plants": of_eight},
        "ZD-21": {"value": rows[CANCER], "plants": of_pima},
        "ZD-23": {"ours": kinds, "theirs": [6, 8], "plants": {"another file": ([8, 0], [6, 8])}},
        "ZD-22": {"ours": institute, "theirs": [True, False], "plants": {
            "owners exchanged": (institute[::-1], [True, False]),
            "neither named": ([False] * 2, [True, False])}},
    }  # fmt: skip
