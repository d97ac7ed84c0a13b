"""[Zhan & Matwin] The claims about accuracy in many worlds: splits, readings, and wrong worlds.

`learned` is one cell for all of them: any split, any reading, any learner, and any of the
:data:`PLANTS`, worlds that are known to be wrong and that a rule must refuse.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.disguise import UnrelatedQuestion
from ppdm.learn import ID3, NaiveBayes
from ppdm.papers.common import Respondents, respondents, scores
from ppdm.papers.electronic_surveys import evidence
from ppdm.papers.electronic_surveys.beyond import _categories, _latent_classes, answers
from ppdm.papers.electronic_surveys.experiment import (
    EachHalf,
    benchmark,
    expressions,
    share_errors,
)
from ppdm.papers.electronic_surveys.readings import LIMIT, PLANTS, READINGS, REDRAWN, SETS
from ppdm.privacy.ladder import belief, vulnerability
from ppdm.study.worlds import Reading
from ppdm.table import Table, aggregated

LEARNERS = ("naive Bayes", "ID3", "naive Bayes, categories")


def learned(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    q: float,
    splitting: str | int = 0,
    learner: str = "naive Bayes",
    alpha: float = 1.0,
    literal: bool = False,
    plant: str = "",
    **coding,
) -> dict[str, np.ndarray]:
    """Disguise, learn, test, `reps` times on one split: ``accuracy`` and ``balanced`` accuracy.

    >>> from functools import partial
    >>> run = partial(learned, reps=2, dataset="breast-cancer-wisconsin", q=1.0)
    >>> run(np.random.default_rng(1))["accuracy"].round(3)
    array([0.964, 0.964])
    >>> run(np.random.default_rng(1), plant="one class")["balanced"]
    array([0.5, 0.5])
    """
    if learner not in LEARNERS:
        raise ValueError(f"learner is one of {', '.join(LEARNERS)}; got {learner!r}")
    if plant and plant not in {p.name for p in PLANTS}:
        raise ValueError(f"plant is one of {', '.join(p.name for p in PLANTS)}; got {plant!r}")
    people = _people(dataset, learner, coding)
    scheme = UnrelatedQuestion(q)
    undone = 1 - q if plant == "coin turned" else q
    collector = (
        None
        if undone == 0 or plant == "no undoing"
        else (EachHalf if literal else UnrelatedQuestion)(undone)
    )
    model = ID3(collector) if learner == "ID3" else NaiveBayes(collector, alpha)
    results = np.empty((reps, 3))
    for rep, (train, test) in enumerate(people.parts(splitting, reps, rng)):
        if plant == "one class":
            classes = test.marginal(test.names[-1]).values
            results[rep] = classes.max() / classes.sum(), 0.5, 1.0
            continue
        if plant == "labels shuffled":
            train = shuffled(train, rng)
        reports = scheme.disguise_table(train, rng)
        if collector != scheme:  # wrong on purpose
            wrong = "answers" if collector is None or literal else UnrelatedQuestion(undone)
            reports = reports.taken_as(wrong)
        results[rep] = scores(model.fit_table(reports).confusion(test))
    return dict(zip(("accuracy", "balanced"), results.T, strict=False))


def shuffled(table: Table, rng: np.random.Generator) -> Table:
    """The records with their classes (the last answer) dealt out anew.

    >>> from ppdm import Domain
    >>> two = Table(Domain(("A", "C"), ((0, 1),) * 2), [4, 0, 0, 4])
    >>> shuffled(two, np.random.default_rng(1)).marginal("C").values
    array([4., 4.])
    """
    cells, counts = table.occupied()
    records = np.repeat(cells, counts.astype(int))
    classes = records % table.shape[-1]
    dealt = records - classes + rng.permutation(classes)
    return aggregated(table.domain, dealt, np.ones(len(dealt))).compact(len(dealt))


def _people(dataset: str, learner: str, coding: dict) -> Respondents:
    if learner == "naive Bayes, categories":
        return _categories(dataset, coding.get("source"))
    return respondents(dataset, **coding)


# Grids --------------------------------------------------------------------------------------------


def grid(q: list[float], splits: int, datasets=SETS) -> list[dict]:
    """Every q on each of so many splits of each data set."""
    return [
        {"dataset": dataset, "q": point, "splitting": number}
        for dataset in datasets
        for point in q
        for number in range(splits)
    ]


def beside_the_undisguised(planted: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Wrong worlds below q = 1; at q = 1 stands what they are compared with, our undisguised run."""
    true = ours[(ours["q"] == 1) & (ours["world"] == study.worlds.OURS)]
    true = true[true["split"].isin(planted["split"].unique())]
    wrong = planted[planted["q"] < 1]
    return pd.concat([wrong, *(true.assign(world=name) for name in wrong["world"].unique())])


# Evidence ------------------------------------------------------------------------------------------


def slope(rows: pd.DataFrame) -> dict:
    """The slope of the logarithm of the error along that of the number asked."""
    return evidence.slope(study.summarise(rows[["dataset", "q", "n", "metric", "rep", "value"]]))


def blocks(frame: pd.DataFrame, world: str) -> pd.DataFrame:
    """Repetitions that share no split, dealt into draws: those of a world with chance of one kind."""
    return study.dealt(frame, column="split").assign(world=world)


# What the curves do not show ------------------------------------------------------------------------


def share_errors_as_reported(
    rng: np.random.Generator, reps: int, dataset: str, q: float, n: int, **coding
) -> dict[str, np.ndarray]:
    """A wrong world for `share_errors`: the collector leaves out Eq. (1)."""
    return share_errors(rng, reps, dataset, q, n, undo=False, **coding)


def expected_shares(
    collector: str = "right", q: float = 0.5, reading: Reading | None = None, **coding
) -> dict:
    """[Eq. 1] The ten expressions' expected estimates beside the truth, exactly, on both data sets.

    >>> found = expected_shares()
    >>> bool(np.allclose(found["ours"], found["theirs"]))
    True
    """
    turned = UnrelatedQuestion(1 - q)
    undo = {
        "right": lambda s, t: s.undo(t),
        "no undoing": lambda s, t: t,
        "coin turned": lambda s, t: turned.undo(t.taken_as(turned)),
    }
    ours, theirs, names = [], [], []
    for dataset in SETS:
        everyone = respondents(dataset, **_coding(dataset, reading, coding)).everyone
        table, scheme = everyone.densified(), UnrelatedQuestion(q)
        estimated = undo[collector](scheme, scheme.apply(table)).densified().values
        for name, cells in expressions(table.domain).items():
            ours.append(estimated[cells].sum() / table.total)
            theirs.append(table.values[cells].sum() / table.total)
            names.append(f"{dataset}, {name}")
    return {"ours": np.array(ours), "theirs": np.array(theirs), "names": names}


def stranger(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    q: float,
    splitting: int = 0,
    knowledge: str = "others",
    sure: float = 0.9,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 1] Who calls a report true when sure, by what he knows of the people.

    The victims are the test respondents; the other people are the training respondents (see
    :func:`ppdm.privacy.ladder.belief`). ``called``: the share of reports called true; ``excess``: the
    share of those calls that are right, minus the q that the survey promises (0 without a call).
    """
    people, scheme = respondents(dataset, **coding), UnrelatedQuestion(q)
    others, victims = people.numbered(splitting)
    believed = scheme.truthful(belief(knowledge, others, victims)).values
    cells, counts = victims.occupied()
    codes = np.repeat(cells, counts.astype(int))
    results = np.empty((reps, 2))
    for rep in range(reps):
        private = rng.random(len(codes)) < q
        report = np.where(
            private, codes, rng.integers(people.everyone.domain.size, size=len(codes))
        )
        called = believed[report] >= sure - 1e-9
        results[rep] = called.mean(), private[called].mean() - q if called.any() else 0.0
    return dict(zip(("called", "excess"), results.T, strict=True))


def with_help(believed: Table, true: Table, q: float, known: str) -> dict[str, float]:
    """The chance of guessing each other answer, when one true answer is known and the report seen."""
    scheme = UnrelatedQuestion(q)
    others = [name for name in true.names if name != known]
    return {name: vulnerability(scheme, name, believed, true, [known]) for name in others}


def least_help(
    q: float = 0.5,
    knowledge: str = "own list",
    splitting: int | None = None,
    reading: Reading | None = None,
    **coding,
) -> dict:
    """[ZM-25] Every other answer's chance, the class being known, on both data sets."""
    value, names = [], []
    for dataset in SETS:
        people = respondents(dataset, **_coding(dataset, reading, coding))
        everyone = people.everyone.proportions().densified()
        others, victims = (everyone, everyone) if splitting is None else people.numbered(splitting)
        believed = belief(knowledge, others, victims)
        found = with_help(believed, victims.proportions().densified(), q, everyone.names[-1])
        value += list(found.values())
        names += [f"{dataset}, {name}" for name in found]
    return {"value": np.array(value), "names": names}


def same_as_undisguised(plant: str = "", reading: Reading | None = None, **coding) -> dict:
    """[ZM-10] Accuracies at q = 1 on the fixed split, and another program's on the true records."""
    ours, theirs = [], []
    for dataset in SETS:
        coded = _coding(dataset, reading, coding)
        run = learned(np.random.default_rng(0), 2, dataset, 1.0, plant=plant, **coded)
        standard = benchmark(dataset, **coded)
        for metric in ("accuracy", "balanced"):
            ours.append(run[metric])
            theirs.append([standard[metric]] * 2)
    return {"ours": np.array(ours), "theirs": np.array(theirs)}


def pse_gap(q: list[float], tables: dict[str, Table]) -> dict:
    """[ZM-26] PSE given the whole record minus PSE as the paper takes it, each the smallest answer's."""
    value, names = [], []
    for name, table in tables.items():
        for point in q:
            found = answers(table, point)
            value.append(found["pse_record"].min() - found["pse"].min())
            names.append(f"{name}, q = {point:g}")
    return {"value": np.array(value), "names": names}


#: The readings that can be held: "pairs 1/2" contradicts itself, and stands among the plants.
TENABLE = tuple(r for r in READINGS if not r.options.get("literal"))


#: With the two ways to draw the split.
HELD = (*TENABLE, replace(REDRAWN, name="one split"), REDRAWN)
#: And what else may happen at q = 0.
AT_ZERO = (*HELD, LIMIT, replace(LIMIT, name="0/0 to the letter"))


def codings(claim: str) -> list[Reading]:
    """The readings that change how records are coded and can touch a claim."""
    other = {"alpha", "literal", "splitting"}
    return [r for r in TENABLE if claim in r.touches and not other & set(r.options)]


def _coding(dataset: str, reading: Reading | None, coding: dict) -> dict:
    """The keywords of the coding, under a reading where it concerns this data set."""
    return coding | (dict(reading.options) if reading and dataset in reading.datasets else {})


def game(q: float, w_a: float, w_y: float, likelier: bool = False) -> float:
    """[Zhan & Matwin 4] The guessing game, outcome by outcome: the chance of a wrong guess.

    `likelier`: a collector who takes the likelier value instead of drawing it.

    >>> round(game(0.3, 0.4, 0.5), 4), round(game(0.3, 0.4, 0.5, likelier=True), 4)
    (0.4384, 0.35)
    """
    report = {
        (o, r): q * (o == r) + (1 - q) * (w_y if r else 1 - w_y) for o in (0, 1) for r in (0, 1)
    }
    prior, wrong = (1 - w_a, w_a), 0.0
    for r in (0, 1):
        joint = [prior[o] * report[o, r] for o in (0, 1)]
        if sum(joint) > 0:
            says_one = joint[1] / sum(joint)
            if likelier:
                says_one = float(joint[1] > joint[0])
            wrong += joint[0] * says_one + joint[1] * (1 - says_one)
    return wrong


def one_cluster(dataset: str = SETS[1], **coding) -> list[float]:
    """The share of records in the larger of the two clusters: all that a single one would get right."""
    everyone = respondents(dataset, **coding).everyone
    table = everyone.marginal(*everyone.names[:-1]).densified()
    digits = table.domain.digits(np.arange(table.domain.size)).astype(float)
    member = _latent_classes(digits, table.values)[1] > 0.5
    share = float(table.values[member].sum() / table.total)
    return [max(share, 1 - share)]
