"""[Zhan & Du] What the chapter computes: a function of the chapter each, for figures and claims.

A claim's entry names one of them; the figures of `pictures` are drawn from them. *Loss* is the accuracy of the
tree from undisguised records minus that of the tree from disguised ones, both on the same true test records.
`towards` is how far θ has come from 0 or from 1 (`side`) towards 1/2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data, study
from ppdm.data import SHORT
from ppdm.disguise import MultiGroup, UnrelatedQuestion, random_groups
from ppdm.learn import ID3, supports
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.papers.checks import declared
from ppdm.papers.common import coding
from ppdm.papers.multi_group import attacks, equations, experiment
from ppdm.papers.multi_group.experiment import THETAS
from ppdm.papers.multi_group.readings import (
    ADULT,
    CANCER,
    DATASETS,
    PLANTS,
    READINGS,
    VOTING,
    codings,
)
from ppdm.study.tidy import ERRORS, with_spread
from ppdm.study.worlds import Reading
from ppdm.table import Table, count

Chapter = study.Chapter
CELL = ["dataset", "groups", "theta"]
NARROW = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]  # the paper's range for two and three groups
INSIDE = [0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0]  # where an attacker is asked


def people(ch: Chapter, dataset: str) -> Table:
    """Everybody of a data set (the first 10,000 of Adult), counted."""
    return experiment.respondents(dataset, **coding(ch)).everyone


def training(ch: Chapter, dataset: str) -> tuple[Table, Table]:
    """The two parts of the fixed division."""
    return experiment.divided(dataset, None, ch.settings["ratio"], **coding(ch))


def as_declared(ch: Chapter) -> pd.DataFrame:
    """The method's own check: reports of two groups at θ = 0.7 beside what the scheme says of them, on every data set."""
    every = {name: people(ch, name) for name in DATASETS}
    return declared(
        {SHORT[d]: (table, attacks.dealt(table, 2, 0.7, 0)) for d, table in every.items()}, ch.seed
    )


def towards_half(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with how far θ is towards 1/2, and from which side.

    >>> towards_half(pd.DataFrame({"theta": [0.1, 0.9]}))[["side", "towards"]].values.tolist()
    [['below', 0.1], ['above', 0.1]]
    """
    theta = frame["theta"]
    return frame.assign(
        side=np.where(theta < 0.5, "below", "above"), towards=(0.5 - (theta - 0.5).abs()).round(2)
    )


# Trees on many divisions ----------------------------------------------------------------------------


def divided(ch: Chapter, function: Callable, grid: Any, reps: int = 0, on: int = 0) -> pd.DataFrame:
    """A run whose repetitions are spread over divisions of the records, the same number on each."""
    on, reps = on or ch.sizes["divisions"], reps or ch.sizes["few"]
    frame = ch.run(partial(function, divisions=on), grid, reps=max(2, reps // on) * on)
    return study.dealt(frame, on, "division", runs=True)


def elsewhere(
    ch: Chapter, function: Callable, grid: list[dict], readings: Sequence[Reading] = (), on: int = 0
) -> pd.DataFrame:
    """The same grid in other worlds, on half of the divisions unless `on` says how many."""
    on = on or max(2, ch.sizes["divisions"] // 2)
    if readings:
        function, grid = study.under(function, readings), study.points(grid, readings, ours=False)
    return divided(ch, function, grid, ch.sizes["few"] // 2, on)


def quarter(ch: Chapter) -> int:
    """On how many divisions a wrong world is asked."""
    return max(2, ch.sizes["divisions"] // 4)


def point(ch: Chapter, **more: Any) -> Callable:
    """The paper's experiment, as this chapter codes its records."""
    return partial(
        experiment.trees,
        **(
            {"negative": ch.settings["negative"], "ratio": ch.settings["ratio"]} | coding(ch) | more
        ),
    )


def grid(ch: Chapter) -> list[dict]:
    """[Zhan & Du 5.2] Every data set, one to three groups, every θ; and four groups at two."""
    points = [(m, t) for m in (1, 2, 3) for t in THETAS] + [(4, t) for t in (0.7, 0.9)]
    return [{"dataset": d, "groups": m, "theta": t} for d in DATASETS for m, t in points]


def runs(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Du 5.2] The paper's experiment, its repetitions on twenty divisions."""
    return divided(ch, point(ch), grid(ch), ch.sizes["reps"])


def in_readings(ch: Chapter) -> pd.DataFrame:
    """The same under each reading of what the paper leaves open."""
    return elsewhere(ch, point(ch), grid(ch), list(READINGS.values()))


def accuracies(summary: pd.DataFrame) -> pd.DataFrame:
    """The accuracies of a summary: beside each its loss, and by how much it is above the majority class."""
    of = {
        m: summary.loc[summary["metric"] == m, "mean"].to_numpy()
        for m in ("undisguised", "majority")
    }
    rows = summary[summary["metric"] == "accuracy"].assign(**of)
    gain = rows["mean"] - rows["undisguised"]
    return towards_half(rows.assign(gain=gain, loss=-gain, above=rows["mean"] - rows["majority"]))


def summary(ch: Chapter) -> pd.DataFrame:
    """Means of one to three groups over the divisions, with the error of the spread between them."""
    every = ch.get(runs)
    out = study.summarise(every[every["groups"] < 4], cluster="division")
    ch.save("summary", out.assign(scheme="multi-group", reading="ours"))
    return out


def accuracy(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Du, Figures 3 to 6] The accuracies of the summary."""
    return accuracies(ch.get(summary))


def benchmarks(ch: Chapter) -> dict[str, dict[str, float]]:
    """For each data set both learners on undisguised records, and the majority class."""
    options = {"divisions": ch.sizes["divisions"], "ratio": ch.settings["ratio"]} | coding(ch)
    return {name: experiment.benchmark(name, **options) for name in DATASETS}


def trees(ch: Chapter) -> study.Rows:
    """Accuracies of each division, in our world, under each reading, and in wrong worlds.

    Pairs of readings take longer than the chapter has: `multi_group.pairs` asks them.
    """
    every = study.summarise(pd.concat([ch.get(runs).assign(world="ours"), ch.get(in_readings)]))
    wrong = study.summarise(elsewhere(ch, point(ch), grid(ch), PLANTS, on=quarter(ch)))
    return study.Rows(accuracies(every), accuracies(wrong), "division", tuple(READINGS.values()))


def step_by_step(
    rows: pd.DataFrame, x: str, by: Sequence[str], of: str = "mean", sign: int = 1
) -> dict:
    """From each `x` to the next: by how much it falls, or with `sign` -1 rises.

    >>> rows = pd.DataFrame({"dataset": "adult", "groups": [1, 2], "mean": [0.8, 0.7], "se": [0.3, 0.4]})
    >>> step_by_step(rows, "groups", ["dataset"])["differences"].round(6).tolist()
    [0.1]
    """
    rows, error = with_spread(rows, of), ERRORS[of]
    wide = rows.pivot(index=list(by), columns=x, values=[of, error])
    steps = (-sign * np.diff(wide[of].to_numpy())).ravel()
    se = np.hypot(wide[error].to_numpy()[:, 1:], wide[error].to_numpy()[:, :-1]).ravel()
    ends = list(wide[of].columns)
    at = [", ".join(v if isinstance(v, str) else f"θ = {v:g}" for v in row) for row in wide.index]
    return {
        "differences": steps,
        "se": se,
        "names": [f"{name}, {x} {a:g} to {b:g}" for name in at for a, b in pairwise(ends)],
    }


def voting_is_worse(rows: pd.DataFrame, of: str) -> dict:
    """By how much the two other data sets are above Voting, on the mean."""
    mean = rows.groupby("dataset")[of].mean()
    return {
        "differences": [mean[d] - mean[VOTING] for d in (ADULT, CANCER)],
        "names": [SHORT[ADULT], SHORT[CANCER]],
    }


# Size, parties, partial disguise, pruning -------------------------------------------------------------


FIVE, MANY = [0.55, 0.6, 0.7, 0.8, 0.9], 8000


def sizes(ch: Chapter) -> dict[str, int]:
    """How many records of a data set train."""
    return {d: int(training(ch, d)[0].total) for d in DATASETS}


def few_records(ch: Chapter) -> study.Rows:
    """[Zhan & Du 5.3.1] Accuracies from as few records as Voting has, and from as many as Adult has."""
    few, every = sizes(ch)[VOTING], sizes(ch)[CANCER]
    of = [
        (ADULT, MANY),
        (ADULT, few),
        (CANCER, every),
        (CANCER, few),
        (VOTING, few),
        (VOTING, MANY),
    ]
    cells = [
        {"dataset": n, "size": s, "groups": m, "theta": t}
        for n, s in of
        for m in (1, 2, 3)
        for t in (*FIVE, 1)
    ]
    readings = [r for r in READINGS.values() if "ZD-31" in r.touches]
    on = max(2, ch.sizes["divisions"] // 2)
    others = divided(
        ch, study.under(point(ch), readings), study.points(cells, readings, ours=False), 2 * on, on
    )
    ours = divided(ch, point(ch), cells)
    means = study.summarise(ours).pivot(
        index=["dataset", "size", "groups", "theta", "division"], columns="metric", values="mean"
    )
    wrong = means.reset_index()
    wrong["mean"] = wrong["accuracy"].where(wrong["theta"] == 1, wrong["majority"])
    rows = study.summarise(
        pd.concat([ours.assign(world="ours"), others]).query("metric == 'accuracy'")
    )
    return study.Rows(rows, wrong.assign(world="one class"), "division", tuple(READINGS.values()))


def loss_by_size(rows: pd.DataFrame) -> pd.Series:
    """Mean loss over some θ and groups, by data set and number of records (θ = 1 is undisguised)."""
    means = rows.pivot(index=["dataset", "size"], columns=["theta", "groups"], values="mean")
    return means[[1]].mean(axis="columns") - means[FIVE].mean(axis="columns")


def few_records_explain(rows: pd.DataFrame) -> dict:
    """Do as few records of the others lose as much as Voting, and as many of Voting less?"""
    loss = loss_by_size(rows)
    few = min(loss[VOTING].index)
    voting = loss[VOTING, few]
    return {"differences": [loss[ADULT, few] - voting, loss[CANCER, few] - voting, voting - loss[VOTING, MANY]],
            "names": ["Adult", "Breast Cancer", "Voting"]}  # fmt: skip


CROWD = [125, 250, 500, 1000, 2000, 4000, 8000]


def more_records(ch: Chapter) -> study.Rows:
    """[Zhan & Du 2] Accuracies on Adult at θ = 0.7, by the number of records."""
    cells = [
        {"dataset": ADULT, "size": s, "groups": m, "theta": 0.7} for s in CROWD for m in (1, 2, 3)
    ]
    readings = [r for r in READINGS.values() if ADULT in r.datasets and r.name != "one division"]
    ours = divided(ch, point(ch), cells).assign(world="ours")
    every = pd.concat([ours, elsewhere(ch, point(ch), cells, readings)]).query(
        "metric == 'accuracy'"
    )
    flat = pd.DataFrame(cells).assign(
        mean=ch.get(benchmarks)[ADULT]["majority class"], se=0.0, division=0, metric="accuracy"
    )
    return study.Rows(
        study.summarise(every), flat.assign(world="one class"), "division", tuple(READINGS.values())
    )


def _beside(
    ch: Chapter,
    function: Callable,
    cells: list[dict],
    datasets: Sequence[str],
    wrong: pd.DataFrame,
    times: int = 1,
) -> study.Rows:
    """Our rows (`times` as many repetitions as usual), those under the readings of the coding, and wrong ones."""
    ours = divided(ch, function, cells, times * ch.sizes["few"]).assign(world="ours")
    every = pd.concat([ours, elsewhere(ch, function, cells, codings(*datasets))])
    return study.Rows(study.summarise(every), study.summarise(wrong), "division")


def parties(ch: Chapter) -> study.Rows:
    """[Zhan & Du 2] What B gains by A's disguised records; wrong: coins at θ = 0.51."""
    cells = [
        {"dataset": ADULT, "groups": 2, "theta": t, "own": o}
        for t in (0.6, 0.7, 0.8, 0.9)
        for o in (0.02, 0.1, 0.5)
    ]
    function = partial(experiment.two_parties, **coding(ch))
    noise = elsewhere(ch, function, [cell | {"theta": 0.51} for cell in cells[:2]])
    return _beside(
        ch, function, cells, [ADULT], noise.assign(theta=0.7, world="A's coins at θ = 0.51")
    )


def partly(ch: Chapter) -> study.Rows:
    """[Zhan & Du 4.7] Losses by the number of disguised attributes, at θ = 0.7; wrong: at 0.51."""
    cells = [{"dataset": ADULT, "hidden": h, "theta": 0.7} for h in (1, 2, 4, 7, 10, 14)]
    function = partial(experiment.partly_disguised, **coding(ch))
    noise = elsewhere(ch, function, [cell | {"theta": 0.51} for cell in cells])
    return _beside(ch, function, cells, [ADULT], noise.assign(world="coins at θ = 0.51"))


def pruned(ch: Chapter) -> study.Rows:
    """[Zhan & Du 4.6] What pruning by disguised records gains; wrong: by shuffled labels."""
    cells = [
        {"dataset": n, "groups": m, "theta": t} for n in DATASETS for m in (1, 2, 3) for t in NARROW
    ]
    function = partial(experiment.testing, **coding(ch))
    wrong = elsewhere(ch, partial(function, labels="shuffled"), cells, on=quarter(ch))
    return _beside(
        ch, function, cells, (), wrong.assign(world="pruned by shuffled labels"), times=5
    )


def unrelated(ch: Chapter) -> study.Rows:
    """[Zhan & Du 3] The unrelated question at q = 1/2, on Adult; wrong: as reported."""
    run = ch.run(
        partial(experiment.unrelated, **coding(ch)),
        {"dataset": [ADULT], "q": [0.5]},
        reps=ch.sizes["few"],
    )
    adult = people(ch, ADULT)
    off = experiment.ones(
        UnrelatedQuestion(0.5).apply(adult).taken_as("answers")
    ) - experiment.ones(adult)
    wrong = pd.DataFrame(
        {"metric": adult.names, "mean": off, "se": 0.0, "draw": 0, "world": "no undoing"}
    )
    return study.Rows(study.summarise(study.dealt(run)), wrong, "draw")


# Other learners, more groups, no undoing: figures only -------------------------------------------------


def not_undone(ch: Chapter) -> pd.DataFrame:
    """Trees from the reports as they came beside those from undone counts; the mean of one to three groups."""
    some, words = (
        [0.2, 0.4, 0.6, 0.7, 0.8, 0.9],
        {"one": "as reported", "none": "as reported, class open"},
    )
    cells = {"dataset": list(DATASETS), "groups": [1, 2, 3], "theta": some, "class_in": list(words)}
    raw = study.summarise(divided(ch, point(ch, undo=False), cells), cluster="division")
    ch.save("not_undone", raw)
    undone = ch.get(summary).query("theta in @some")
    both = pd.concat(
        [undone.assign(counts="undone"), raw.assign(counts=raw["class_in"].map(words))]
    )
    return (
        both.groupby(["dataset", "counts", "theta", "metric"], sort=False)["mean"]
        .mean()
        .reset_index()
    )


# Equations: no chance ---------------------------------------------------------------------------------


def sides(ours: Any, theirs: Any, **more: Any) -> pd.DataFrame:
    """Two sides of an identity, an entry a row."""
    return pd.DataFrame({"ours": np.ravel(ours), "theirs": np.ravel(theirs), **more})


def formulas(ch: Chapter) -> study.Rows:
    """[Zhan & Du 4] What is right as printed: M_1 and M_2, group by group, Eq. (13), θ and 1 - θ, θ = 1/2."""
    rng, node = np.random.default_rng(ch.seed), ch.get(at_a_node)
    parts: dict[str, Any] = {}
    wrong = []
    for m in (1, 2):
        parts[f"M_{m}"] = equations.matrix(equations.exponents(m), 0.7), equations.mechanism(m, 0.7)
        wrong.append(
            sides(
                equations.matrix(equations.exponents(m), 0.3),
                parts[f"M_{m}"][1],
                world="coin turned",
            )
        )
    for m in (4, 5, 6):
        seen = rng.integers(0, 100, 2**m).astype(float)  # any reports at all
        big = reduce(np.kron, [np.array([[0.7, 0.3], [0.3, 0.7]])] * m)
        solved, axes = np.linalg.solve(big, seen), [(axis,) for axis in range(m)]
        undone, but_one = (
            equations.undo(seen.reshape((2,) * m), a, 0.7) for a in (axes, axes[:-1])
        )
        parts[f"{m} groups"] = undone, solved
        wrong.append(sides(but_one, solved, world="one group not undone"))
    parts["Eq. (13)"] = node["Eq. 13"], node["true"]
    wrong.append(sides(node["θ = 0.7 for 0.8"], node["true"], world="θ = 0.7 for 0.8"))
    for name, ours, theirs, turned in mirrored(ch, rng):
        parts[f"θ and 1 - θ, {name}"] = ours, theirs
        wrong.append(sides(ours, turned, world="θ for 1 - θ"))
    domain = count(pd.DataFrame({"A": [0]})).domain
    half, off = (
        [MultiGroup(t).apply(Table(domain, [1 - p, p])).dense for p in (0.9, 0.1)]
        for t in (0.5, 0.6)
    )
    parts["θ = 1/2"] = half, np.full((2, 2), 0.5)
    wrong.append(sides(off, np.full((2, 2), 0.5), world="θ = 0.6"))
    return study.Rows(
        pd.concat([sides(*both, names=name) for name, both in parts.items()]), pd.concat(wrong)
    )


def mirrored(ch: Chapter, rng: np.random.Generator) -> list[tuple]:
    """[Zhan & Du 5.3.1, 6] Estimates from reports under θ, from their reversals under 1 - θ, and from these under θ."""
    rows = []
    for name in DATASETS:
        part, _ = training(ch, name)
        for m, theta in ((m, t) for m in (1, 2, 3) for t in FIVE):
            scheme = MultiGroup(theta, random_groups(part.names, m, rng))
            mirror, seen = (
                MultiGroup(1 - theta, scheme.groups),
                scheme.disguise_table(part, rng).densified(),
            )
            turned = Table(seen.domain, np.flip(seen.dense).ravel())  # every answer reversed
            ways = (
                scheme.undo(seen),
                mirror.undo(turned.reported_by(mirror)),
                scheme.undo(turned.taken_as(scheme)),
            )
            ours, theirs, wrong = (table.values / part.total for table in ways)
            cells = [
                np.abs(ours - other).argmax() for other in (theirs, wrong)
            ]  # where they are furthest apart
            rows.append((SHORT[name], ours[cells], theirs[cells], wrong[cells]))
    return rows


def m3(ch: Chapter) -> study.Rows:
    """[Zhan & Du, Eq. 8] The entries of M_3, as printed and with one mended; wrong: with another."""
    right = equations.right()
    printed = sides(equations.exponents(3), right, part="printed")
    wrong = pd.concat([printed, sides(equations.mended(other=True), right, part="mended")])
    return study.Rows(pd.concat([printed, sides(equations.mended(), right, part="mended")]),
                      wrong.assign(world="the other entry mended"))  # fmt: skip


def at_a_node(ch: Chapter) -> dict[str, float]:
    """[Zhan & Du, Eqs. 12, 13] The share of class 0 at a node of Breast Cancer, in several ways."""
    return equations.at_a_node(people(ch, CANCER))


def class_in_all(ch: Chapter) -> study.Rows:
    """[Zhan & Du, Eq. 12] The share by Eq. (12) beside the true one; right with one group."""
    node = ch.get(at_a_node)
    plants = [
        sides(node[name], node["true"], world=name)
        for name in ("one group", "one group, θ = 0.7 for 0.8")
    ]
    return study.Rows(sides(node["Eq. 12"], node["true"]), pd.concat(plants))


def same_tree(ch: Chapter) -> study.Rows:
    """[Zhan & Du 5.3.1] At θ = 0 and 1 the tree is that of the undisguised records, node for node."""
    rng, rows = np.random.default_rng(ch.seed), []
    negative = ch.settings["negative"]
    for name in DATASETS:
        part, _ = training(ch, name)
        true = ID3(negative=negative).fit_table(part).export_text()
        for m, end in ((m, end) for m in (1, 2, 3) for end in (0, 1)):
            groups = random_groups(part.names, m, rng)
            for world, theta in (("ours", end), ("θ = 0.9 and 0.1", abs(end - 0.1))):
                scheme = MultiGroup(theta, groups)
                tree = (
                    ID3(scheme, negative).fit_table(scheme.disguise_table(part, rng)).export_text()
                )
                rows.append(
                    {
                        "world": world,
                        "ours": tree,
                        "theirs": true,
                        "names": f"{SHORT[name]}, {m} groups, θ = {theta:g}",
                    }
                )
    every = pd.DataFrame(rows)
    return study.Rows(every[every["world"] == "ours"], every[every["world"] != "ours"])


def behind(ch: Chapter) -> study.Rows:
    """[Zhan & Du 4.6] The eight records that may stand behind 10101; wrong: with other groups."""
    example = count(pd.DataFrame([[1, 0, 1, 0, 1]], columns=["A1", "A2", "A3", "A4", "A5"]))
    listed = sorted(["10101", "10110", "10001", "10010", "01101", "01110", "01001", "01010"])

    def found(*groups: list[str]) -> list[str]:
        codes, _ = MultiGroup(0.8, list(groups)).apply(example).occupied()
        return sorted(f"{code:05b}" for code in codes)

    return study.Rows(sides(found(["A1", "A2"], ["A3"], ["A4", "A5"]), listed),
                      sides(found(["A1"], ["A2", "A3"], ["A4", "A5"]), listed, world="groups 1, 23, 45"))  # fmt: skip


def other_uses(ch: Chapter) -> study.Rows:
    """[Zhan & Du 4.6, 4.8] A tree's accuracy by Eq. (15), and supports, over all coins; wrong: as reported."""
    rng, every, wrong = np.random.default_rng(ch.seed), [], []
    for name in DATASETS:
        train, test = training(ch, name)
        for m, theta in ((m, t) for m in (1, 2, 3) for t in (0, 0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 1)):
            scheme = MultiGroup(theta, random_groups(train.names, m, rng))
            tree = ID3(scheme).fit_table(scheme.disguise_table(train, rng))
            expected, true = (
                scheme.apply(test),
                tree.score_table(test),
            )  # all coins at once, no chance
            every.append(
                sides(
                    estimated_accuracy(tree, expected, scheme).estimate,
                    true,
                    names=f"accuracy, {SHORT[name]}",
                )
            )
            wrong.append(sides(tree.score_table(expected.taken_as("answers")), true))
    adult = people(ch, ADULT)
    for m, theta in ((m, t) for m in (1, 2, 3) for t in (0.7, 0.8, 0.9)):
        scheme = MultiGroup(theta, random_groups(adult.names, m, rng))
        seen = scheme.apply(adult)
        every.append(sides(supports(scheme.undo(seen)), supports(adult), names="supports, Adult"))
        wrong.append(sides(supports(seen.taken_as("answers")), supports(adult)))
    return study.Rows(pd.concat(every), pd.concat(wrong).assign(world="no undoing"))


def files(ch: Chapter) -> study.Rows:
    """[Zhan & Du 5.1, Table 1] What the paper says of its files, and what the files say; wrong: Pima's, or no owner."""
    sets = {name: data.load(name, ch.settings["data_source"]) for name in (*DATASETS, "pima")}
    size = {name: (len(d.frame), len(d.features)) for name, d in sets.items()}
    columns = sets[ADULT].frame[sets[ADULT].features]
    kinds = [len(columns.select_dtypes(kind).columns) for kind in ("number", "category")]
    cited = [int("National Institute" in sets[d].provenance.citation) for d in (CANCER, "pima")]
    pima, (records, attributes) = size["pima"], size[CANCER]
    rows = [  # part, name, the file's, the paper's, another file's
        ("table", "Adult, records", size[ADULT][0], 48_842, pima[0]), ("table", "Adult, attributes", size[ADULT][1], 14, pima[1]),
        ("table", "Adult, continuous", kinds[0], 6, pima[1]), ("table", "Adult, nominal", kinds[1], 8, pima[1]),
        ("table", "Breast Cancer, instances (Section 5.1)", records, 699, pima[0]),
        ("table", "Voting, records", size[VOTING][0], 435, pima[0]),
        ("table", "Voting, attributes", size[VOTING][1], 16, pima[1]),
        ("records", "Breast Cancer, records", records, 786, pima[0]),
        ("attributes", "Breast Cancer, attributes", attributes, 10, pima[1]),
        ("with the id", "Breast Cancer, attributes with the id", attributes + 1, 10, pima[1] + 1),
        ("owner", "Breast Cancer's owner", cited[0], 1, 0), ("owner", "Pima's owner", cited[1], 0, 0),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["part", "names", "ours", "theirs", "other"])
    return study.Rows(frame, frame.assign(ours=frame["other"], world="another file"))


def owners(ch: Chapter) -> study.Rows:
    """[Zhan & Du 5.1] Does Breast Cancer's citation name the National Institute? Does Pima's?"""
    frame = ch.get(files).frame.query("part == 'owner'")
    turned = frame.assign(ours=frame["ours"].to_numpy()[::-1], world="owners exchanged")
    return study.Rows(frame, pd.concat([turned, frame.assign(ours=0, world="neither named")]))


# Attackers --------------------------------------------------------------------------------------------


def alone(ch: Chapter) -> dict[str, int]:
    """How many groups are a group for each answer."""
    return {name: len(people(ch, name).names) for name in DATASETS}


def insiders(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Du 1.2, 4.3] Another answer read by a stranger who knows one, at θ = 0.7; every pair of answers."""
    lone = alone(ch)
    cells = [{"dataset": n, "groups": m, "theta": 0.7} for n in DATASETS for m in (1, 2, lone[n])]
    draws = max(2, ch.sizes["divisions"] // 4)
    rows = ch.rows(partial(attacks.insider, draws=draws, **coding(ch)), cells)
    return rows.assign(alone=rows["groups"] == rows["dataset"].map(lone), se=0.0)


def one_known(ch: Chapter) -> study.Rows:
    """[Zhan & Du 1.2, 4.7] An answer of the same group read from two reports, with one group, and Adult's sex with two."""
    every = ch.get(insiders).assign(ours=lambda f: f["looks"], theirs=1.0)
    every["names"] = every["known"] + " known, " + every["other"]
    sex = every.query("dataset == 'adult' and groups == 2 and known == 'sex'")
    apart = pd.concat([every.query("groups == 2 and not same"), sex.query("not same")])
    return study.Rows(
        pd.concat([every.query("groups == 1"), sex.query("same")]),
        apart.assign(world="in another group"),
    )


def disclosed(ch: Chapter) -> study.Rows:
    """[Zhan & Du 1.2] With a group for each answer, an answer read with the help of another; wrong: with one group."""
    every = ch.get(insiders).rename(columns={"with": "mean"})
    return study.Rows(every[every["alone"]], every.query("groups == 1").assign(world="one group"))


def across_groups(ch: Chapter) -> study.Rows:
    """[Zhan & Du 4.3] With two groups, by how much an answer of the one helps to read the other."""
    apart = ch.get(insiders).query("groups == 2 and not same")
    gains = apart.assign(mean=apart["with"] - apart["without"])
    return study.Rows(gains, gains.assign(mean=0.0, world="answers that say nothing of each other"))


def answers_alone(ch: Chapter) -> study.Rows:
    """[Zhan & Du 1.2] By how much an answer with a group of its own is guessed above θ = 0.7, or above the blind guess."""
    draws = max(2, ch.sizes["divisions"] // 2)

    def gains(dataset: str, world: str, reading: Reading | None = None) -> pd.DataFrame:
        read = attacks.answer_guesses(dataset, 0.7, draws, **coding(ch, reading, dataset))
        return read.assign(
            mean=read["seen"] - np.maximum(0.7, read["blind"]), dataset=dataset, world=world
        )

    every = [gains(d, "ours") for d in DATASETS]
    every += [gains(d, r.name, r) for r in codings() for d in r.datasets]
    read = _like_coins(ch, 0.7).guess_answer(even := _coins(ch), even.names[0])
    above = {"people like coins": read - 0.7, "people like coins, 0.6 promised": read - 0.6}
    wrong = pd.DataFrame([  # everywhere: a world takes what it does not name from ours
        {"dataset": d, "attribute": even.names[0], "se": 0.0, "world": world, "mean": round(float(mean), 12)}
        for d in DATASETS for world, mean in above.items()
    ])  # fmt: skip
    return study.Rows(pd.concat(every).assign(se=0.0), wrong)


def _coins(ch: Chapter) -> Table:
    """People whose answers say nothing of each other."""
    domain = people(ch, VOTING).domain
    return Table(domain, np.full(domain.size, 1 / domain.size))


def _like_coins(ch: Chapter, theta: float) -> MultiGroup:
    return MultiGroup(theta, [[name] for name in people(ch, VOTING).names])


def powers(ch: Chapter) -> study.Rows:
    """[Zhan & Du 1.2] A record with a group for each answer: a stranger's guess beside θ to the number of answers."""
    cells = [
        {"dataset": d, "groups": m, "theta": t} for d, m in alone(ch).items() for t in (0.7, 0.9)
    ]
    draws = max(2, ch.sizes["divisions"] // 4)
    lone = ch.rows(partial(attacks.ladder, draws=draws, **coding(ch)), cells)
    mean = lone.groupby(CELL, sort=False)["others"].mean().reset_index()
    even = _coins(ch)
    read, number = attacks.guessed(_like_coins(ch, 0.9), even, even), len(even.names)
    plants = [
        sides(read, 0.9**number, world="people like coins"),
        sides(read, 0.9 ** (number - 1), world="people like coins, one group less"),
    ]
    promised = mean["theta"] ** mean["groups"]
    return study.Rows(
        mean.assign(ours=mean["others"], theirs=promised, names=mean["dataset"]), pd.concat(plants)
    )


def callers(ch: Chapter) -> study.Rows:
    """[Zhan & Du 1.1, 1.2] How much more often a stranger calls all coins of a report than their likelier sides fall.

    Who has the whole record right has called every coin. The wrong world knows nothing but the scheme.
    """
    every, promised = ch.get(privacy).frame, lambda f: f["theta"] ** f["groups"]
    every = every[every["theta"].between(0.5, 1, inclusive="neither")]
    read = ch.get(ladder).query("0.5 < theta < 1").assign(world="knows nothing", se=0.0)
    return study.Rows(
        every.assign(mean=every["chance"] - promised(every)),
        read.assign(mean=read["scheme"] - promised(read)), "draw",
    )  # fmt: skip


def disclosed_at_ends(ch: Chapter) -> study.Rows:
    """[Zhan & Du 5.3.3] The chance to guess a whole record at θ = 0 and 1 is one; wrong: at 0.9."""
    every = ch.get(ladder).assign(ours=lambda f: f["others"], theirs=1.0)
    return study.Rows(
        every[every["theta"].isin([0, 1])], every[every["theta"] == 0.9].assign(world="θ = 0.9")
    )


#: Who guesses in other worlds: he knows less or more, or goes from the others' records to unseen ones otherwise.
GUESSERS = {
    "shares": "shares of single answers", "list": "the respondents' own list",
    "others, naive Bayes": "other people's records, by naive Bayes", "others, kernel": "other people's records, by a kernel",
}  # fmt: skip


def steps() -> list[dict]:
    """Where the ladder is asked."""
    return [
        {"dataset": name, "groups": m, "theta": t}
        for name in DATASETS
        for m in (1, 2, 3)
        for t in (0, *INSIDE)
    ]


def ladder(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Du 1.2, 5.3.3] A whole record guessed, by attackers who know more and more; a row a division."""
    return ch.save(
        "ladder",
        ch.rows(partial(attacks.ladder, draws=ch.sizes["divisions"], **coding(ch)), steps()),
    )


def privacy(ch: Chapter) -> study.Rows:
    """[Zhan & Du 5.3.3] Privacy: the chance that he gets a whole record wrong who knows other people's records.

    In other worlds he knows less or more, or reckons otherwise; in the wrong one he sees no report.
    """
    few, read = max(2, ch.sizes["divisions"] // 2), ch.get(ladder)
    coded = ch.rows(
        study.under(partial(attacks.ladder, draws=few, **coding(ch)), codings()),
        study.points(steps(), codings(), ours=False),
    )
    worlds = [
        read.assign(world="ours", chance=read["others"]),
        coded.assign(chance=coded["others"]),
    ]
    worlds += [read.assign(world=name, chance=read[key]) for key, name in GUESSERS.items()]
    every = towards_half(pd.concat(worlds).query("theta > 0")).assign(
        mean=lambda f: 1 - f["chance"]
    )
    tested = {d: experiment.divided(d, 0, **coding(ch))[1].total for d in DATASETS}
    spread = every["mean"].clip(0, 1) * every["chance"].clip(0, 1)
    every["se"] = np.sqrt(
        spread / every["dataset"].map(tested)
    )  # those who are read in a division are a draw of people
    blind = every[every["world"] == "ours"].assign(mean=1.0, se=0.0, world="no report seen")
    return study.Rows(
        every,
        blind,
        "draw",
        (*codings(), *(Reading(n, "", "", touches=("ZD-36", "ZD-37")) for n in GUESSERS.values())),
    )


# A tree at work, readings, and numbers of the sentences -------------------------------------------------


def numbers(ch: Chapter) -> dict[str, Any]:
    """The numbers of the sentences on the paper's page."""
    of = ch.get(benchmarks)[ADULT]
    every, node, kept = ch.get(accuracy).set_index(CELL), ch.get(at_a_node), ch.get(summary)
    balanced = kept.query("metric == 'balanced' and dataset == 'adult' and groups == 1").set_index(
        "theta"
    )["mean"]
    loss = every["loss"].unstack("theta")
    return {
        "majority": of["majority class"], "undisguised": of["ID3"], "adult-55": every["mean"][ADULT, 1, 0.55],
        "next-step": 100 * max(loss.xs(1, level="groups")[0.6].max(), loss.drop(1, level="groups")[0.8].max()),
        "balanced-55": balanced[0.55], "balanced-full": balanced[1],
        "node-true": node["true"], "node-one": node["in one group"], "node-eq12": node["Eq. 12"],
        **{f"off-{n}": equations.off_by(n / 10) for n in (6, 7, 8, 9)},
    }  # fmt: skip


def numbers_beyond(ch: Chapter) -> dict[str, Any]:
    """The numbers of the sentences on the second page."""
    others = ch.get(ladder).groupby(CELL)["others"].mean()
    known, lone = ch.get(insiders), ch.get(powers).frame.set_index(["dataset", "theta"])["others"]
    answers = (
        ch.get(answers_alone)
        .frame.query("world == 'ours'")
        .groupby("dataset")[["seen", "blind"]]
        .max()
    )
    each = divided(ch, point(ch), [{"dataset": VOTING, "groups": alone(ch)[VOTING], "theta": 0.9}])
    return {
        "ladder-one": 100 * others[ADULT, 1, 0.55], "blind": 100 * answers["blind"].max(),
        "vote-seen": 100 * answers["seen"][VOTING], "rise": 100 * (known["with"] - known["without"])[known["alone"]].max(),
        "one-kept": ch.get(accuracy).set_index(CELL)["mean"][VOTING, 1, 0.7], "one-guess": others[VOTING, 1, 0.7],
        "each-kept": each.query("metric == 'accuracy'")["value"].mean(), "each-guess": lone[VOTING, 0.9],
    }  # fmt: skip
