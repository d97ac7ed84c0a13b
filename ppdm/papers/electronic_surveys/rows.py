"""[Zhan & Matwin] What the chapter computes: a function of the chapter each, for figures and claims.

A claim's entry names one of them; the figures of `pictures` are drawn from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.data import SHORT
from ppdm.disguise import UnrelatedQuestion
from ppdm.papers.checks import declared
from ppdm.papers.common import coding, respondents
from ppdm.papers.electronic_surveys import experiment
from ppdm.papers.electronic_surveys.experiment import expressions
from ppdm.papers.electronic_surveys.readings import (
    ADULT,
    AT_ZERO,
    CANCER,
    CODINGS,
    PLANTS,
    READINGS,
    SETS,
    SPLITS,
)  # fmt: skip
from ppdm.privacy import ladder
from ppdm.privacy import pse as privacy
from ppdm.study.worlds import Reading
from ppdm.table import Table

Chapter = study.Chapter
TENTHS = np.arange(11) / 10
LOPSIDED = np.array([0.1, 0.2, 0.3, 0.4, 0.5])  # W_a of the paper's Figure 5


def people(ch: Chapter, dataset: str) -> Table:
    """Everybody of a data set, counted."""
    return respondents(dataset, **coding(ch)).everyone.densified()


def positive(ch: Chapter) -> list[float]:
    """The values of q at which there is something to undo."""
    return [q for q in ch.sizes["points"] if q > 0]


def as_declared(ch: Chapter) -> pd.DataFrame:
    """The method's own check: reports at q = 1/2 beside what the scheme says of them, on every data set."""
    return declared({SHORT[d]: (people(ch, d), UnrelatedQuestion(0.5)) for d in SETS}, ch.seed)


# Accuracy along q -----------------------------------------------------------------------------------


def curves(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Matwin 3.2] The paper's experiment: every q, on one split and on a new one each time."""
    grid = {"dataset": SETS, "q": ch.sizes["points"], "splitting": list(SPLITS)}
    return ch.run(partial(experiment.learned, alpha=ch.settings["alpha"], **coding(ch)), grid)


def accuracy(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Matwin, Figures 1 to 4] Means and variances of all metrics."""
    summary = study.summarise(ch.get(curves)).rename(columns={"splitting": "reading"})
    named = summary.assign(
        reading=summary["reading"].map(SPLITS), scheme="unrelated question", learner="naive Bayes"
    )
    return ch.save("accuracy", named)


def curve(
    ch: Chapter, dataset: str, metric: str = "accuracy", reading: str = "one split"
) -> pd.Series:
    """The means of one curve, by q."""
    every = ch.get(accuracy).set_index(["dataset", "metric", "reading", "q"])["mean"].sort_index()
    return every.loc[dataset, metric, reading]


def benchmarks(ch: Chapter) -> dict[str, dict[str, float]]:
    """[Zhan & Matwin 3.1, Step II] Another program on the undisguised records of the same split."""
    return {name: experiment.benchmark(name, **coding(ch)) for name in SETS}


def on_splits(
    ch: Chapter, readings: Sequence[Reading], splits: int, reps: int, *, ours: bool = False,
    q: Sequence[float] | None = None, **fixed: Any,
) -> pd.DataFrame:  # fmt: skip
    """The experiment on many splits, in our world or under readings; accuracies, summarised."""
    options = coding(ch) | {"alpha": ch.settings["alpha"]} | fixed
    points = ch.sizes["points"] if q is None else q
    at = [
        {"dataset": d, "q": p, "splitting": k}
        for d in SETS
        for p in points
        for k in range(max(splits, 2))
    ]
    run = study.under(partial(experiment.learned, **options), readings)
    frame = ch.run(run, study.points(at, readings, ours=ours), reps=max(reps, 2))
    return _summary(frame.rename(columns={"splitting": "split"}))


def _summary(frame: pd.DataFrame) -> pd.DataFrame:
    return study.summarise(
        frame[frame["metric"] != "constant"].drop(columns="splitting", errors="ignore")
    )


def blocks(frame: pd.DataFrame, world: str = "ours") -> pd.DataFrame:
    """Repetitions that share no split, dealt into draws: those of a world with chance of one kind."""
    return study.dealt(frame, column="split").assign(world=world)


def learned(ch: Chapter) -> study.Rows:
    """Accuracies on twenty splits, under every reading, and in wrong worlds."""
    splits, tenth = ch.sizes["splits"], ch.sizes["reps"] // 100
    tiny = [{"dataset": d, "q": 1e-9, "splitting": "fixed"} for d in SETS]
    limit = ch.run(partial(experiment.learned, alpha=ch.settings["alpha"], **coding(ch)), tiny)
    wrong = on_splits(ch, PLANTS, splits // 2, tenth // 2)
    every = pd.concat([
        on_splits(ch, (), splits, ch.sizes["reps"] // 40, ours=True),
        on_splits(ch, READINGS, splits, tenth // 2),
        *(_summary(blocks(part, SPLITS[str(how)])) for how, part in ch.get(curves).groupby("splitting", sort=False)),
        _summary(blocks(limit.assign(q=0), "limit")),
        wrong[wrong["world"] == "one class"].assign(world="0/0 to the letter"),  # NaN: one class for all
    ])  # fmt: skip
    return study.Rows(every, wrong, readings=AT_ZERO)


def beside_undisguised(ch: Chapter) -> study.Rows:
    """The same; wrong worlds stand beside our own undisguised run."""
    rows = ch.get(learned)
    return rows._replace(plants=beside(rows.plants, rows.frame))


def beside(wrong: pd.DataFrame, every: pd.DataFrame) -> pd.DataFrame:
    """Wrong worlds below q = 1; at q = 1 stands what they are compared with, our undisguised run."""
    true = every[
        (every["q"] == 1)
        & (every["world"] == "ours")
        & every["split"].isin(wrong["split"].unique())
    ]
    return pd.concat(
        [wrong[wrong["q"] < 1], *(true.assign(world=name) for name in wrong["world"].unique())]
    )


def trees(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 6] ID3 from the same surveys."""
    return _learner(ch, "ID3", READINGS)


def categories(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 2.1] Naive Bayes with categorical attributes left categorical."""
    return _learner(
        ch, "naive Bayes, categories", [r for r in READINGS if r.name == "alpha 0"]
    )._replace(readings=())


def _learner(ch: Chapter, learner: str, readings: Sequence[Reading]) -> study.Rows:
    splits, tenth = ch.sizes["splits"], ch.sizes["reps"] // 100
    at: dict[str, Any] = {"q": [0.5, 1], "learner": learner}
    every = pd.concat([
        on_splits(ch, readings, splits // 2, tenth, **at), on_splits(ch, (), splits, tenth, ours=True, **at),
    ])  # fmt: skip
    wrong = on_splits(ch, PLANTS[:4], splits // 4, tenth // 2, **at)
    return study.Rows(every, beside(wrong, every), readings=AT_ZERO)


def undisguised(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 3.2.1] Scores at q = 1, where there is no chance, beside another program's on the true records."""

    def sides(
        dataset: str, world: str, plant: str = "", reading: Reading | None = None
    ) -> pd.DataFrame:
        options = coding(ch, reading, dataset)
        ours = experiment.learned(np.random.default_rng(0), 2, dataset, 1.0, plant=plant, **options)
        theirs = experiment.benchmark(dataset, **options)
        return pd.DataFrame([
            {"dataset": dataset, "world": world, "names": metric, "ours": value, "theirs": theirs[metric]}
            for metric in ("accuracy", "balanced") for value in ours[metric]
        ])  # fmt: skip

    every = [sides(d, "ours") for d in SETS]
    every += [
        sides(d, r.name, reading=r) for r in CODINGS for d in r.datasets if "ZM-10" in r.touches
    ]
    wrong = [sides(d, plant, plant) for plant in ("labels shuffled", "one class") for d in SETS]
    return study.Rows(pd.concat(every), pd.concat(wrong))


def not_undone(ch: Chapter) -> pd.DataFrame:
    """The scores of a collector who leaves out Eq. (1), beside those of one who does not."""
    grid = {"dataset": SETS, "q": positive(ch), "splitting": ["fixed"]}
    run = partial(experiment.learned, alpha=ch.settings["alpha"], plant="no undoing", **coding(ch))
    raw = study.summarise(ch.run(run, grid, reps=max(ch.sizes["reps"] // 4, 2)))
    ch.save("not_undone", raw.assign(scheme="unrelated question", reading="not undone"))
    undone = ch.get(accuracy).query("reading == 'one split' and q > 0")
    return pd.concat([undone.assign(counts="undone"), raw.assign(counts="as reported")])


# Eq. (1) --------------------------------------------------------------------------------------------


def expected(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin, Eq. 1] The expected estimates of ten expressions beside the truth, exactly, at q = 0.3."""
    scheme, turned = UnrelatedQuestion(0.3), UnrelatedQuestion(0.7)

    def sides(
        dataset: str, world: str, undo: Any = scheme.undo, reading: Reading | None = None
    ) -> pd.DataFrame:
        true = respondents(dataset, **coding(ch, reading, dataset)).everyone.densified()
        estimated = undo(scheme.apply(true)).densified().values
        cells = expressions(true.domain)
        return pd.DataFrame({
            "dataset": dataset, "world": world, "names": [f"{dataset}, {name}" for name in cells],
            "ours": [estimated[c].sum() / true.total for c in cells.values()],
            "theirs": [true.values[c].sum() / true.total for c in cells.values()],
        })  # fmt: skip

    every = [sides(d, "ours") for d in SETS]
    every += [
        sides(d, r.name, reading=r) for r in CODINGS for d in r.datasets if "ZM-4" in r.touches
    ]
    ways = {"no undoing": lambda t: t, "coin turned": lambda t: turned.undo(t.taken_as(turned))}
    wrong = [sides(d, name, way) for name, way in ways.items() for d in SETS]
    return study.Rows(pd.concat(every), pd.concat(wrong))


def crowd(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 1] The error of estimated shares, by how many are asked."""
    grid = [{"dataset": ADULT, "q": 0.3, "n": size} for size in (500, 2000, 8000, 32000)]
    asked, reps = partial(experiment.share_errors, **coding(ch)), ch.sizes["reps"]
    raw = ch.run(partial(asked, undo=False), grid, reps=max(reps // 20, 10))
    return study.Rows(
        study.summarise(
            pd.concat([blocks(ch.run(asked, grid)), elsewhere(ch, "ZM-1", asked, grid, reps // 5)])
        ),
        study.summarise(blocks(raw, "no undoing")),
    )


def elsewhere(ch: Chapter, claim: str, point: Any, grid: list[dict], reps: int) -> pd.DataFrame:
    """The same grid under each reading of the coding that can touch a claim."""
    readings = [r for r in CODINGS if claim in r.touches]
    run = ch.run(
        study.under(point, readings), study.points(grid, readings, ours=False), reps=max(reps, 10)
    )
    return study.dealt(run, column="split")


def slope(rows: pd.DataFrame) -> dict:
    """The slope of the logarithm of the root mean squared error over that of the number asked.

    >>> crowd = pd.DataFrame({"n": [100, 400], "mean": [0.04, 0.01], "se": [0.0004, 0.0001]})
    >>> {name: round(float(number), 3) for name, number in slope(crowd).items()}
    {'value': -0.5, 'se': 0.005}
    """
    x = np.log(rows["n"]) - np.log(rows["n"]).mean()
    noise = rows["se"] / rows["mean"] / 2  # standard error of log(rms)
    value = (x * np.log(rows["mean"]) / 2).sum() / (x**2).sum()
    return {"value": value, "se": np.sqrt((x**2 * noise**2).sum()) / (x**2).sum()}


def personal(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 3.1] How often expressions over a personal record hold: of one answer, and of a pair."""
    coins = np.random.default_rng(ch.seed).integers(0, 2, size=(100_000, 2))
    shares = {"a pair": coins.all(axis=1).mean(), "one answer": coins.mean()}
    frame = pd.DataFrame(
        {"dataset": list(shares), "mean": list(shares.values()), "se": 0.5 / np.sqrt(len(coins))}
    )
    return study.Rows(frame, frame.assign(mean=[0.81, 0.9], se=0.0, world="W_y = 0.9"))


# Testing on disguised records, and the collector ----------------------------------------------------


def surveys(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Matwin 2.4] Tests on disguised records."""
    grid = {"dataset": SETS, "q": positive(ch)}
    return ch.run(partial(experiment.disguised_test, **coding(ch)), grid)


def tested(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 2.4] Errors of the estimated accuracy, and who is exposed."""
    points = [(d, q) for d in SETS for q in positive(ch)]
    few = [{"dataset": d, "q": q} for d, q in points if q in (0.5, 1)]
    point = partial(experiment.disguised_test, **coding(ch))
    others = elsewhere(ch, "ZM-5", point, few, ch.sizes["reps"] // 5)
    silent = pd.DataFrame(
        [(d, q, (1 - q) / (2 * q)) for d, q in points], columns=["dataset", "q", "mean"]
    )
    silent = silent.assign(se=0.0, split=0, metric="asked", world="nobody asked")
    computed = silent.assign(mean=0.0, metric="exposed", world="the number computed")
    every = pd.concat([blocks(ch.get(surveys)), others])
    return study.Rows(study.summarise(every), pd.concat([silent, computed]))


def strangers(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 1] The same stranger's calls, played; others know less, or more, or nothing."""
    at = [{"dataset": d, "q": q, "splitting": k} for d in SETS for q in (0.1, 0.3, 0.5, 0.7, 0.9)
          for k in range(max(ch.sizes["splits"] // 2, 2))]  # fmt: skip
    reps = max(ch.sizes["reps"] // 40, 2)
    point = partial(experiment.stranger, **coding(ch))

    def called(world: str, **knows: str) -> pd.DataFrame:
        return ch.run(partial(point, **knows), at, reps=reps).assign(world=world)

    readings = [r for r in CODINGS if "ZM-2" in r.touches]
    coded = ch.run(study.under(point, readings), study.points(at, readings, ours=False), reps=reps)
    every = pd.concat([
        called("ours"), coded, called("knows only shares", knowledge="shares"),
        called("respondents' own list", knowledge="own list"),
    ])  # fmt: skip
    wrong = called("knows nothing", knowledge="scheme")
    return study.Rows(study.summarise(every.rename(columns={"splitting": "split"})),
                      study.summarise(wrong.rename(columns={"splitting": "split"})))  # fmt: skip


# PSE: formulas, nothing is drawn by lot ---------------------------------------------------------------


def figure5(ch: Chapter, w_a: np.ndarray = LOPSIDED) -> pd.DataFrame:
    """[Zhan & Matwin, Figure 5] PSE along q for answers that are more or less lopsided."""
    q, w = (axis.ravel() for axis in np.meshgrid(TENTHS, w_a))
    return pd.DataFrame({"q": q, "W_a": w, "mean": privacy.pse(q, w), "se": 0.0})


def slips(ch: Chapter) -> study.Rows:
    """What is printed with 1 - W_y beside what is derived: a probability, and Eq. (2) in two scans."""
    q, a, y = np.meshgrid([0.1, 0.3, 0.5, 0.9], [0.1, 0.4, 0.7], [0.1, 0.2, 0.5, 0.8])
    scans = {
        f"Eq. (2), scan {n}": (privacy.pse(q, a, y), privacy.pse_as_printed(q, a, y, n))
        for n in (1, 2)
    }
    both: dict[str, Any] = {"P(R=1 | O=0)": ((1 - q) * y, (1 - q) * (1 - y))} | scans
    frame = pd.concat(
        [_sides(sides[0], sides[1], name, w_y=y.ravel()) for name, sides in both.items()]
    )
    at = {0.5: "W_y = 1/2", 0.2: "W_y = 0.2"}
    return study.Rows(frame, frame[frame["w_y"].isin(at)].assign(world=lambda f: f["w_y"].map(at)))


def _sides(ours: Any, theirs: Any, names: Any = "", **more: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {"ours": np.ravel(ours), "theirs": np.ravel(theirs), "names": names, **more}
    )


GAMES = [(q, a, y) for q in (0, 0.3, 0.7) for a in (0.1, 0.4) for y in (0.2, 0.5, 0.9)]


def measured(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 4] What is right as printed of PSE: the game's chance of a wrong guess; 0 at q = 1; and its order.

    A series that falls is equal to itself from the largest down. Wrong: Eq. (2) as printed, another guesser, other axes.
    """
    every, outcomes = ch.get(figure5), [game(*each) for each in GAMES]

    def ordered(frame: pd.DataFrame, x: str, falling: bool, **more: str) -> pd.DataFrame:
        wide = frame.pivot(index="W_a" if x == "q" else "q", columns=x, values="mean").to_numpy()
        rank = np.sort(wide, axis=1)
        return _sides(wide, rank[:, ::-1] if falling else rank, f"PSE along {x}", **more)

    wrong: dict[str, Any] = {
        f"Eq. (2), scan {n}": [privacy.pse_as_printed(*g, n) for g in GAMES] for n in (1, 2)
    }
    wrong["the likelier value"] = [game(*g, likelier=True) for g in GAMES]
    at_one = every.query("q == 1")["mean"]
    return study.Rows(
        pd.concat([
            _sides([privacy.pse(*g) for g in GAMES], outcomes, "the game"), _sides(at_one, 0 * at_one, "PSE at q = 1"),
            ordered(every, "q", True), ordered(every, "W_a", False),
        ]),
        pd.concat([
            *(_sides(side, outcomes, world=name) for name, side in wrong.items()),
            _sides(every.query("q == 0.9")["mean"], 0 * at_one, world="q = 0.9"),
            ordered(every, "q", False, world="PSE at 1 - q"),
            ordered(figure5(ch, LOPSIDED + 0.4), "W_a", False, world="W_a above 1/2"),
        ]),
    )  # fmt: skip


def game(q: float, w_a: float, w_y: float, likelier: bool = False) -> float:
    """[Zhan & Matwin 4] The guessing game, outcome by outcome: the chance of a wrong guess.

    `likelier`: a collector who takes the likelier value instead of drawing it.

    >>> round(game(0.3, 0.4, 0.5), 4), round(game(0.3, 0.4, 0.5, likelier=True), 4)
    (0.4384, 0.35)
    """
    wrong = 0.0
    for r in (0, 1):
        stranger = (1 - q) * (w_y if r else 1 - w_y)
        joint = [prior * (q * (o == r) + stranger) for o, prior in enumerate((1 - w_a, w_a))]
        if sum(joint) > 0:
            one = float(joint[1] > joint[0]) if likelier else joint[1] / sum(joint)
            wrong += joint[0] * one + joint[1] * (1 - one)
    return wrong


def mirrored(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 4] PSE at W_a beside PSE at 1 - W_a, for any W_y and for 1/2; wrong: at 0.4."""
    q, w = TENTHS[:, None, None], LOPSIDED[:4, None]

    def both(w_y: Any, part: str, **more: str) -> pd.DataFrame:
        return _sides(privacy.pse(q, w, w_y), privacy.pse(q, 1 - w, w_y), part=part, **more)

    some = np.array([0.1, 0.3, 0.5, 0.7])
    wrong = [both(some, "any", world="W_y = 0.4"), both(0.4, "half", world="W_y = 0.4")]
    return study.Rows(pd.concat([both(some, "any"), both(0.5, "half")]), pd.concat(wrong))


def turned(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 4] PSE at q beside PSE at 1 - q; right would be W_a for q, wrong is 1.1 - q."""
    at = privacy.pse(TENTHS, 0.4)
    return study.Rows(_sides(at, privacy.pse(1 - TENTHS, 0.4)), pd.concat([
        _sides(at, privacy.pse(TENTHS, 0.6), world="W_a for q"),
        _sides(at[1:], privacy.pse(1.1 - TENTHS[1:], 0.4), world="q to 1.1 - q"),
    ]))  # fmt: skip


# Whole records --------------------------------------------------------------------------------------


def answers(ch: Chapter) -> pd.DataFrame:
    """What the collector learns of each answer: the paper's measure beside an attacker's."""
    points = [(d, q) for d in SETS for q in (0, 0.05, *TENTHS[1:].round(1).tolist())]
    return ch.save(
        "pse", pd.concat([of_answers(people(ch, d), q).assign(dataset=d, q=q) for d, q in points])
    )


def of_answers(table: Table, q: float) -> pd.DataFrame:
    """The same, for one table of people.

    ``pse`` looks at one report of one answer, as the paper does; ``pse_record`` plays the same game
    but looks at the whole record that was sent.
    """
    scheme, prior = UnrelatedQuestion(q), table.proportions()
    return pd.DataFrame([
        {"attribute": name, "pse": float(privacy.pse(q, prior.marginal(name).values[1])),
         "pse_record": privacy.pse_given_record(scheme, prior, name)}
        for name in table.names
    ])  # fmt: skip


def smallest(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 4] The smallest PSE given the whole record, minus that of the answers alone."""

    def gap(rows: pd.DataFrame) -> pd.DataFrame:
        least = rows.groupby(["dataset", "q"], sort=False)[["pse", "pse_record"]].min()
        return (least["pse_record"] - least["pse"]).rename("mean").reset_index().assign(se=0.0)

    every = ch.get(answers)
    coins = pd.concat([
        of_answers(Table(t.domain, np.ones(t.domain.size)), 0.5).assign(dataset=d, q=0.5)
        for d in SETS for t in [people(ch, d)]
    ])  # fmt: skip
    return study.Rows(gap(every.query("0 < q < 1")), gap(coins).assign(world="people like coins"))


def one_known(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 4] The chance of guessing each other answer when the class is known, at q = 1/2.

    The collector knows all respondents; each draw is a stranger, who knows others.
    """

    def chances(world: str, split: Any = "all", knowledge: str = "own list", q: float = 0.5,
                reading: Reading | None = None) -> pd.DataFrame:  # fmt: skip
        rows = []
        for dataset in reading.datasets if reading else SETS:
            every = respondents(dataset, **coding(ch, reading, dataset))
            whole = every.everyone.proportions().densified()
            others, victims = (whole, whole) if split == "all" else every.numbered(split)
            believed = ladder.belief(knowledge, others, victims)
            chance = with_help(believed, victims.proportions().densified(), q, whole.names[-1])
            rows += [{"dataset": dataset, "answer": name, "mean": p} for name, p in chance.items()]
        return pd.DataFrame(rows).assign(world=world, split=split, se=0.0)

    every = [
        chances("ours"),
        *(chances("ours", k, "others") for k in range(ch.sizes["splits"] // 2)),
    ]
    every += [chances(r.name, reading=r) for r in CODINGS if "ZM-25" in r.touches]
    wrong = [chances(f"q = {q:g}", q=q) for q in (0.9, 1)]
    return study.Rows(
        pd.concat([*every, chances("knows only shares", knowledge="shares")]), pd.concat(wrong)
    )


def with_help(believed: Table, true: Table, q: float, known: str) -> dict[str, float]:
    """The chance of guessing each other answer, when one true answer is known and the report seen."""
    scheme = UnrelatedQuestion(q)
    others = [name for name in true.names if name != known]
    return {name: ladder.vulnerability(scheme, name, believed, true, [known]) for name in others}


def collector(ch: Chapter) -> pd.DataFrame:
    """[Zhan & Matwin 1] What he believes of those who sent the truth: its mean, and whose is above 0.9."""
    rows = []
    for dataset in SETS:
        prior = people(ch, dataset).proportions()
        cells, private = prior.occupied()
        for q in (0.05, *TENTHS[1:-1].round(1).tolist()):
            truth = UnrelatedQuestion(q).truth_of_reports(prior, cells)
            at = {"dataset": dataset, "q": q, "mean": private @ truth}
            rows.append(at | {"above 0.9": private[truth > 0.9].sum()})
    return ch.save("collector", pd.DataFrame(rows))


def clusters(ch: Chapter) -> study.Rows:
    """[Zhan & Matwin 6] Patients in the same cluster as without disguise, at q = 1/2; wrong: one cluster for all."""
    grid, reps = [{"dataset": CANCER, "q": 0.5}], max(ch.sizes["reps"] // 10, 2)
    point = partial(experiment.clusters, **coding(ch))
    every = pd.concat(
        [blocks(ch.run(point, grid, reps=reps)), elsewhere(ch, "ZM-29", point, grid, reps // 2)]
    )
    larger = experiment.one_cluster(CANCER, **coding(ch))
    wrong = pd.DataFrame(
        [{"dataset": CANCER, "q": 0.5, "metric": "same", "mean": larger, "se": 0.0}]
    )
    return study.Rows(study.summarise(every), wrong.assign(split=0, world="one cluster"))


# Numbers of the sentences --------------------------------------------------------------


def numbers(ch: Chapter) -> dict[str, Any]:
    """The numbers of the sentences on the paper's page."""
    adult, b = partial(curve, ch, ADULT), ch.get(benchmarks)[ADULT]
    asked = ch.get(crowd).frame.query("world == 'ours'").groupby("n")["mean"].mean()
    low, both = min(positive(ch)), ch.get(not_undone).query("dataset == 'adult'")
    reported = both[both["counts"] == "as reported"].set_index(["metric", "q"])["mean"]
    rounds, rng = 1000 * ch.sizes["reps"], np.random.default_rng(ch.seed)
    played = [privacy.guessing_game(*g, rounds, rng) - privacy.pse(*g) for g in GAMES]
    ones = people(ch, ADULT).proportions().marginal("income").values[1]
    return {
        "rms-few": 100 * np.sqrt(asked.iloc[0]), "rms-many": 100 * np.sqrt(asked.iloc[-1]),
        "majority": b["majority class"], "undisguised": b["accuracy"],
        "room": 100 * (b["accuracy"] - b["majority class"]),
        "low-q": low, "low-loss": 100 * (b["accuracy"] - adult()[low]),
        "low-balanced": 100 * (b["balanced"] - adult("balanced")[low]),
        "raw-best": reported["accuracy"].max(), "raw-q": reported["accuracy"].idxmax(),
        "raw-tenth": reported["balanced", 0.1], "undone-tenth": adult("balanced")[0.1],
        "raw-bias": 100 * 0.5 * (0.5 - ones),
        "games": len(GAMES), "rounds": rounds, "game-difference": np.abs(played).max(),
        "pse-0": privacy.pse(0, 0.4), "pse-1": privacy.pse(1, 0.4), "pse-true": privacy.pse(0.3, 0.4, 0.2),
        **{f"pse-scan{n}": privacy.pse_as_printed(0.3, 0.4, 0.2, scan=n) for n in (1, 2)},
    }  # fmt: skip


def numbers_beyond(ch: Chapter) -> dict[str, Any]:
    """The numbers of the sentences on the second page."""
    believed = ch.get(collector).set_index(["dataset", "q"]).loc[ADULT]
    return {
        "true-half": 100 * believed["above 0.9"][0.5], "true-tenth": believed["mean"][0.1],
        "records": len(people(ch, ADULT).occupied()[0]), "possible": people(ch, ADULT).domain.size,
    }  # fmt: skip
