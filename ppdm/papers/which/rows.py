"""[Chapter 5] What the chapter computes: a function of the chapter each, computed once by `ch.get(rows.plane)`.

`points` are the rows of `experiment.point` with their coordinates; the extractors take those of one division (or of all of
them, where that does not matter) and give the arguments of a rule.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data, study
from ppdm.disguise import MultiGroup, UnrelatedQuestion
from ppdm.disguise.matrix import frapp, uniform_perturbation, warner
from ppdm.disguise.today import k_rr, k_rr_each, subset_selection, unary
from ppdm.domain import Domain
from ppdm.papers.checks import in_draws, reported
from ppdm.papers.common import respondents
from ppdm.papers.which import design, experiment, groups
from ppdm.papers.which.experiment import LINES, LINK, ONE, RECORD, SETS
from ppdm.study import tidy

COORDINATES = ["dataset", "scheme", "parameter", "knowledge", "goal"]
SHOWN = [*COORDINATES[:2], "family", "symbol", "parameter", "epsilon", "knowledge", "goal", "guess", "guess_se", "blind",
         "bound", "nb", "nb_se", "id3", "id3_se", "singles", "pairs", "evidence"]  # fmt: skip
RISK = 0.05
BY_GROUPS = ("one group", "two groups", "three groups", "each answer alone")
SMALL = ("breast-cancer-wisconsin", "pima")
#: Of Adult and Voting, where a point takes seconds, and its neighbours tell the same.
FEW: dict[str, tuple[float, ...]] = {
    "undisguised": (1.0,), "unrelated question": (0.2, 0.5), "one group": (0.7, 0.85), "two groups": (0.7,),
    "three groups": (0.7,), "each answer alone": (0.7, 0.85), "certified matrices": (0.15, 0.3),
    "one question by lot": (2.0, 4.0), "AIBR": (4.0,), "BSVD": (4.0,), "SSVD": (0.45,), "kCG": (10.0,),
}  # fmt: skip


# The plane ----------------------------------------------------------------------------------------


def sets(ch) -> tuple[str, ...]:
    """The data sets: in a quick run the two small ones."""
    return SMALL if ch.quick else SETS


def _coded(ch, function) -> partial:
    return partial(function, source=ch.settings["data_source"])


def as_declared(ch) -> pd.DataFrame:
    """The schemes' own check: reports of Pima's people, beside what each scheme says of them."""
    people, rng = (
        respondents("pima", source=ch.settings["data_source"]).everyone,
        np.random.default_rng(ch.seed),
    )
    schemes = {name: experiment.mechanism_of(name, LINES[name].few[0] if LINES[name].few else 0.7, people)
               for name in (*BY_GROUPS, "unrelated question", "certified matrices")}  # fmt: skip

    def off(draw: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, scheme in schemes.items():
            surveys = [scheme.disguise_table(people, rng) for _ in range(40)]
            found |= {f"{name}, {what}": x for what, x in reported(surveys, people, scheme).items()}
        return found

    return in_draws(off, range(20))


def grid(quick: bool, divisions: int, datasets: Sequence[str]) -> list[dict[str, Any]]:
    """All points of the small data sets, some of the large ones.

    >>> cells = grid(False, 1, ["adult", "pima"])
    >>> [sum(cell["dataset"] == name for cell in cells) for name in ("adult", "pima")]
    [17, 37]
    """
    return [
        cell
        for cell in experiment.grid(quick, divisions, tuple(datasets))
        if cell["dataset"] in SMALL or cell["parameter"] in FEW.get(cell["scheme"], ())
    ]


def points(ch) -> pd.DataFrame:
    """Every point in every division."""
    return ch.rows(_coded(ch, experiment.point), grid(ch.quick, ch.sizes["reps"], ch.get(sets)))


def plane(ch) -> pd.DataFrame:
    """A row a scheme, parameter and attacker: means over the divisions, with standard errors."""
    return ch.save("plane", averaged(ch.get(points)))


def averaged(points: pd.DataFrame) -> pd.DataFrame:
    """The plane of some points."""
    by = points.groupby(COORDINATES, sort=False)
    mean = by[["guess", "blind", "nb", "id3", "singles", "pairs", "epsilon"]].mean()
    error = by[["guess", "nb", "id3"]].std().div(np.sqrt(by["division"].nunique()), axis=0)
    frame = mean.join(error.add_suffix("_se")).join(by["bound"].max()).reset_index()
    line = [LINES.get(name) for name in frame["scheme"]]
    return frame.assign(
        family=[one.family if one else "reference" for one in line], symbol=[one.symbol if one else "" for one in line],
        evidence="fig-plane",
    )[SHOWN]  # fmt: skip


def at(frame: pd.DataFrame, knowledge: str, goal: str) -> pd.DataFrame:
    """The rows of one attacker."""
    return frame[(frame["knowledge"] == knowledge) & (frame["goal"] == goal)]


# Claims on the plane ------------------------------------------------------------------------------


def on_the_plane(ch) -> study.Rows:
    """The points of all divisions. Wrong: classifiers that say one class; a guess of one answer in place of the record;
    errors of single shares in place of pairs."""
    every = ch.get(points)
    one = every["nb"].where(every["scheme"] == "undisguised", 0.5)
    answer = every[(every["goal"] == ONE) & (every["knowledge"] == "others")].assign(goal=RECORD)
    plants = {"one class": every.assign(nb=one), "one answer instead": answer,
              "singles instead of pairs": every.assign(pairs=every["singles"])}  # fmt: skip
    return study.Rows(every, tidy.in_worlds(plants), "division")


def _means(rows: pd.DataFrame, knowledge: str, goal: str, *columns: str) -> pd.DataFrame:
    here = at(rows, knowledge, goal)
    return here.groupby(["dataset", "scheme", "parameter"])[list(columns)].mean().reset_index()


def least_loss(rows: pd.DataFrame) -> dict[str, Any]:
    """What the best scheme costs among those that give a stranger at most :data:`RISK`; naming one class, if there is none."""
    here = _means(rows, "others", ONE, "guess", "blind", "nb")
    plain = here["scheme"] == "undisguised"
    base = here[plain].set_index("dataset")["nb"]
    safe = here[~plain & (here["guess"] - here["blind"] <= RISK)]
    loss = base - safe.groupby("dataset")["nb"].max().reindex(base.index).fillna(0.5)
    return {"value": loss.to_numpy(), "names": list(loss.index)}


def published(rows: pd.DataFrame, tables: Sequence[str], sign: float = 1.0) -> dict[str, Any]:
    """The best disguise with which nobody is traced more often minus each released table; -1 turns it around."""
    here = _means(rows[rows["dataset"].isin(SETS[1:])], "own list", LINK, "guess", "nb")
    family = here["scheme"].map({name: line.family for name, line in LINES.items()})
    disguised = here[family.notna() & (family != "released table")]
    differences, names = [], []
    for row in here[here["scheme"].isin(tables)].to_dict("records"):
        dataset, scheme = row["dataset"], row["scheme"]
        allowed = disguised[
            (disguised["dataset"] == dataset) & (disguised["guess"] <= row["guess"] + 1e-9)
        ]
        best = allowed["nb"].max() if len(allowed) else 0.5
        differences.append(sign * (best - row["nb"]))
        names.append(f"{dataset}, {scheme}, {LINES[scheme].symbol} = {row['parameter']:g}")
    return {"differences": np.array(differences), "names": names}


def safer(rows: pd.DataFrame) -> dict[str, Any]:
    """How much less often a stranger names the whole record with more groups, at θ = .7."""
    here = _means(rows[rows["parameter"] == 0.7], "others", RECORD, "guess")
    right = here.set_index(["dataset", "scheme"])["guess"]
    steps = [
        (f"{dataset}, {fewer} to {more}", right[dataset, fewer] - right[dataset, more])
        for dataset in here["dataset"].unique()
        for fewer, more in itertools.pairwise(s for s in BY_GROUPS if (dataset, s) in right.index)
    ]
    return {
        "differences": np.array([away for _, away in steps]),
        "names": [name for name, _ in steps],
    }


def pair_errors(rows: pd.DataFrame) -> dict[str, Any]:
    """How much smaller the squared error of pairs is with one coin than with a coin for each answer.

    Squared, because its mean over a few surveys is not biased by their number.
    """
    here = _means(rows.assign(squared=rows["pairs"] ** 2), "others", ONE, "squared")
    wide = here.pivot(index=["dataset", "parameter"], columns="scheme", values="squared")
    wide = wide.dropna(subset=["each answer alone", "one group"])
    return {"differences": (1 - wide["one group"] / wide["each answer alone"]).to_numpy(),
            "names": [f"{dataset}, θ = {theta:g}" for dataset, theta in wide.index]}  # fmt: skip


def same_attacker(rows: pd.DataFrame) -> dict[str, Any]:
    """One question by lot against coins of their own, where a stranger guesses as often.

    Between two θ, and from θ = 1/2 (nothing told, a classifier like a coin) to 1, the line is straight.
    """
    differences, names = [], []
    for dataset, here in _means(rows, "others", ONE, "guess", "blind", "nb").groupby("dataset"):
        line = here[here["scheme"].isin(["each answer alone", "undisguised"])].sort_values("guess")
        guess, worth = [here["blind"].mean(), *line["guess"]], [0.5, *line["nb"]]
        for one in here[here["scheme"] == "one question by lot"].to_dict("records"):
            differences.append(one["nb"] - np.interp(one["guess"], guess, worth))
            names.append(f"{dataset}, ε = {one['parameter']:g}")
    return {"differences": np.array(differences), "names": names}


# The same ε -----------------------------------------------------------------------------------


def same_epsilon(
    rng: np.random.Generator,
    dataset: str,
    epsilon: float,
    division: int,
    surveys: int = 2,
    **coding: Any,
) -> dict[str, list[float]]:
    """Balanced accuracy of naive Bayes from one question by lot, and from coins of their own.

    ``split``: each coin has its part of ε; ``whole``: each has all of it, which is a wrong world.
    """
    people = respondents(dataset, **coding)
    train, test = people.numbered(division)
    schemes = {
        "lot": experiment.mechanism_of("one question by lot", epsilon, people.everyone),
        "split": k_rr_each(train.domain, epsilon),
        "whole": k_rr_each(train.domain, epsilon * len(train.names)),
    }
    return {name: [experiment.worth(scheme, train, test, surveys, rng, trees=False)["nb"]]
            for name, scheme in schemes.items()}  # fmt: skip


def by_lot(ch) -> study.Rows:
    """What one question by lot has beyond coins with their part of ε; wrong: with all of it."""
    grid = {
        "dataset": ch.get(sets),
        "epsilon": [1.0, 2.0, 4.0],
        "division": range(ch.sizes["reps"]),
    }
    every = ch.rows(_coded(ch, same_epsilon), grid)
    ours, wrong = (
        every.assign(gain=every["lot"] - every[against]) for against in ("split", "whole")
    )
    return study.Rows(ours, wrong.assign(world="the budget not split"), "division")


# Identities and groups ----------------------------------------------------------------------------


def identities(ch=None) -> study.Rows:
    """Warner's coin under six names, and the unrelated question under two; wrong: what is another scheme.

    >>> frame = identities().frame
    >>> bool(np.allclose(frame["ours"], frame["theirs"])), frame["names"].nunique()
    (True, 7)
    """
    theta, q = 0.7, 0.3
    epsilon, coin = math.log(theta / (1 - theta)), warner(theta, 2)[0]
    two, three = (Domain(tuple("ABC"[:n]), ((0, 1),) * n) for n in (2, 3))
    each = MultiGroup(theta, [["A"], ["B"]]).matrix(two)
    record = k_rr(
        three.size, math.log(1 + q * three.size / (1 - q))
    )  # by its own formula, not through the scheme's
    uneven = UnrelatedQuestion(q, personal={name: [0.3, 0.7] for name in three.names})
    ours = {
        "UP": (uniform_perturbation(2 * theta - 1, 2)[0], coin), "FRAPP": (frapp(theta / (1 - theta), 2)[0], coin),
        "a group for each answer": (MultiGroup(theta, [["A"]]).matrix(Domain(("A",), ((0, 1),))), coin),
        "k-RR": (k_rr(2, epsilon), coin), "subset selection": (subset_selection(2, epsilon), coin),
        "k-RR with a part of ε": (each, k_rr_each(two, 2 * epsilon).matrix(two)),
        "unrelated question": (UnrelatedQuestion(q).matrix(three), record),
    }  # fmt: skip
    wrong = {
        "optimised unary": (unary(2, epsilon)[[2, 1]], coin),  # the reports 10 and 01
        "the whole ε for each": (each, k_rr_each(two, 4 * epsilon).matrix(two)),
        "coins that are not fair": (uneven.matrix(three), record),
    }

    def long(pairs: dict) -> pd.DataFrame:
        return pd.concat([pd.DataFrame({"names": name, "ours": np.ravel(a), "theirs": np.ravel(b)})
                          for name, (a, b) in pairs.items()])  # fmt: skip

    plants = long(wrong)
    return study.Rows(long(ours), plants.assign(world=plants["names"]))


def groupings(ch) -> study.Rows:
    """For each pair of groupings and θ the gain of an attacker who tells them apart; wrong: θ = 1/2."""
    return study.Rows(groups.table([0.6, 0.7, 0.8]), groups.table([0.5]).assign(world="θ = 1/2"))


# What it costs ------------------------------------------------------------------------------------


def costs(ch) -> pd.DataFrame:
    """The noise of the papers' schemes beside the certified least."""
    few = ["one group", "three groups", "unrelated question", "Warner"]
    return ch.save("costs", design.costs(few, ["even"]) if ch.quick else design.costs())


def every_grouping(ch) -> study.Rows:
    """All costs of the groupings; wrong: of UP."""
    up = design.costs(["UP"]).assign(world="UP")
    return study.Rows(design.costs(design.GROUPS), up)


# The advice ---------------------------------------------------------------------------------------


def numbers(ch) -> dict[str, Any]:
    """The numbers of the page's sentences."""
    here = at(ch.get(plane), "others", ONE).query("parameter == 0.7")
    told = here[here["dataset"] == ch.get(sets)[0]].set_index("scheme")["guess"]
    return {
        "wd-needed": groups.needed(0.7), "wd-where": data.SHORT[ch.get(sets)[0]], "wd-one-group": 100 * told["one group"],
        "wd-each": 100 * told["each answer alone"],
    }  # fmt: skip
