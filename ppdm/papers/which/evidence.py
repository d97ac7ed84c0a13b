"""[Chapter 5] From the points that were run to the plane, its comparisons and the evidence of claims.

`points` are the rows of `experiment.point` with their coordinates; each function of evidence takes the
rows of one division (or of all of them, where that does not matter) and gives the arguments of a rule.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.disguise import MultiGroup, UnrelatedQuestion
from ppdm.disguise.matrix import frapp, uniform_perturbation, warner
from ppdm.disguise.today import k_rr, k_rr_each, k_rr_record, subset_selection, unary
from ppdm.domain import Domain
from ppdm.optimise import best_scheme, mse, optrr
from ppdm.papers.common import respondents
from ppdm.papers.which import experiment
from ppdm.papers.which.experiment import LINES, LINK, ONE, RECORD, SETS

COORDINATES = ["dataset", "scheme", "parameter", "knowledge", "goal"]
#: A point counts as dominated where another is better by more than so many standard errors.
SURELY = 2.0
RISK = 0.05
#: Of OptRR's search, as in the table of costs; the paper's has ten times as many.
GENERATIONS = 2_000
TABLES = ("AIBR", "BSVD", "SSVD")
BY_GROUPS = ("one group", "two groups", "three groups", "each answer alone")


# The plane ----------------------------------------------------------------------------------------


def plane(points: pd.DataFrame) -> pd.DataFrame:
    """A row a scheme, parameter and attacker: means over the divisions, with standard errors."""
    groups = points.groupby(COORDINATES, sort=False)
    mean = groups[["guess", "blind", "nb", "id3", "singles", "pairs", "epsilon"]].mean()
    count = groups["division"].nunique()
    error = groups[["guess", "nb", "id3"]].std().div(np.sqrt(count), axis=0)
    frame = mean.join(error.add_suffix("_se")).join(groups["bound"].max()).reset_index()
    line = [LINES.get(name) for name in frame["scheme"]]
    frame.insert(2, "family", [one.family if one else "reference" for one in line])
    frame.insert(3, "symbol", [one.symbol if one else "" for one in line])
    frame["evidence"] = ["fig-plane-" + short(name) for name in frame["dataset"]]
    return frame[
        [
            "dataset",
            "scheme",
            "family",
            "symbol",
            "parameter",
            "epsilon",
            "knowledge",
            "goal",
            "guess",
            "guess_se",
            "blind",
            "bound",
            "nb",
            "nb_se",
            "id3",
            "id3_se",
            "singles",
            "pairs",
            "evidence",
        ]
    ]


def short(dataset: str) -> str:
    """A data set's name in anchors.

    >>> short("breast-cancer-wisconsin")
    'breast-cancer'
    """
    return data.SHORT[dataset].lower().replace(" ", "-")


def at(frame: pd.DataFrame, knowledge: str, goal: str) -> pd.DataFrame:
    """The rows of one attacker."""
    return frame[(frame["knowledge"] == knowledge) & (frame["goal"] == goal)]


def dominated(frame: pd.DataFrame, knowledge: str, goal: str, learner: str = "nb") -> pd.DataFrame:
    """Schemes of which some point is worse than another that gives this attacker no more.

    A row a data set and scheme: of how many `points` how many are `dominated`, by how much at most
    (`distance`, in balanced accuracy), and `by` which scheme there.
    """
    here, rows = at(frame, knowledge, goal), []
    here = here[(here["family"] != "reference") & here[learner].notna()]
    for (dataset, scheme), part in here.groupby(["dataset", "scheme"], sort=False):
        others = here[(here["dataset"] == dataset) & (here["scheme"] != scheme)]
        found = [_better(point, others, learner) for _, point in part.iterrows()]
        worst = max(found, key=lambda each: each[0])
        rows.append({"dataset": dataset, "scheme": scheme, "points": len(part),
                     "dominated": sum(away > 0 for away, _ in found),
                     "distance": worst[0], "by": worst[1]})  # fmt: skip
    return pd.DataFrame(rows)


def _better(point: pd.Series, others: pd.DataFrame, learner: str) -> tuple[float, str]:
    """How much better the best of those is that give the attacker no more, if it surely is."""
    allowed = others[others["guess"] <= point["guess"] + 1e-9]
    if allowed.empty:
        return 0.0, ""
    best = allowed.loc[allowed[learner].idxmax()]
    away = best[learner] - point[learner]
    noise = np.hypot(*np.nan_to_num([best[f"{learner}_se"], point[f"{learner}_se"]]))
    return (float(away), str(best["scheme"])) if away > SURELY * noise else (0.0, "")


# Evidence -----------------------------------------------------------------------------------------


def _by_dataset(
    rows: pd.DataFrame, only: Iterable[str] = SETS
) -> Iterator[tuple[str, pd.DataFrame]]:
    for dataset in only:
        part = rows[rows["dataset"] == dataset]
        if len(part):
            yield dataset, part


def least_loss(rows: pd.DataFrame, blinded: bool = False) -> dict[str, Any]:
    """WC-1: what the best scheme costs among those that give a stranger at most :data:`RISK`.

    With `blinded`, every classifier says one class: a world that is wrong.
    """
    losses, names = [], []
    for dataset, part in _by_dataset(rows):
        here = at(part, "others", ONE)
        base = here.loc[here["scheme"] == "undisguised", "nb"].mean()
        rest = here[here["scheme"] != "undisguised"]
        means = rest.groupby(["scheme", "parameter"])[["guess", "blind", "nb"]].mean()
        safe = means[means["guess"] - means["blind"] <= RISK]
        best = 0.5 if blinded or safe.empty else safe["nb"].max()
        losses.append(base - best)
        names.append(data.SHORT[dataset])
    return {"value": np.array(losses), "names": names}


def published(
    rows: pd.DataFrame,
    tables: Iterable[str],
    knowledge: str = "own list",
    goal: str = LINK,
    sign: float = 1.0,
    shuffled: bool = False,
) -> dict[str, Any]:
    """WC-2, WC-3: the best disguise at no more risk minus each released table; -1 turns it around.

    With `shuffled`, whoever should be better learns from shuffled labels: a world that is wrong.
    """
    differences, names = [], []
    for dataset, part in _by_dataset(rows, SETS[1:]):
        here = (
            at(part, knowledge, goal)
            .groupby(["scheme", "parameter"])[["guess", "nb"]]
            .mean()
            .reset_index()
        )
        family = here["scheme"].map(
            lambda name: LINES[name].family if name in LINES else "reference"
        )
        disguised = here[~family.isin(["released table", "reference"])]
        released = here[here["scheme"].isin(list(tables))]
        for scheme, parameter, guess, theirs in released.to_numpy():
            allowed = disguised[disguised["guess"] <= guess + 1e-9]
            best = allowed["nb"].max() if len(allowed) else 0.5
            if shuffled:
                best, theirs = (0.5, theirs) if sign > 0 else (best, 0.5)
            differences.append(sign * (best - theirs))
            names.append(f"{data.SHORT[dataset]}, {scheme}, {LINES[scheme].symbol} = {parameter:g}")
    return {"differences": np.array(differences), "names": names}


def safer(rows: pd.DataFrame, goal: str = RECORD) -> dict[str, Any]:
    """WC-7: how much less often a stranger is right with more groups, at θ = .7."""
    differences, names = [], []
    for dataset, part in _by_dataset(rows):
        here = at(part, "others", goal)
        right = here[here["parameter"] == 0.7].groupby("scheme")["guess"].mean()
        there = [name for name in BY_GROUPS if name in right.index]
        for fewer, more in itertools.pairwise(there):
            differences.append(right[fewer] - right[more])
            names.append(f"{data.SHORT[dataset]}, {fewer} to {more}")
    return {"differences": np.array(differences), "names": names}


def pair_errors(rows: pd.DataFrame, metric: str = "pairs") -> dict[str, Any]:
    """WC-11: how much smaller the squared error is with one coin than with a coin for each answer.

    Squared, because its mean over a few surveys is not biased by their number.
    """
    differences, names = [], []
    for dataset, part in _by_dataset(rows):
        here = at(part, "others", ONE).assign(squared=lambda rows: rows[metric] ** 2)
        mean = here.groupby(["scheme", "parameter"])["squared"].mean()
        for theta in mean["each answer alone"].index.intersection(mean["one group"].index):
            apart, together = mean["each answer alone", theta], mean["one group", theta]
            differences.append((apart - together) / apart)
            names.append(f"{data.SHORT[dataset]}, θ = {theta:g}")
    return {"differences": np.array(differences), "names": names}


def same_attacker(rows: pd.DataFrame, blinded: bool = False) -> dict[str, Any]:
    """WC-10: one question by lot against coins of their own, where a stranger guesses as often.

    Between two θ, and from θ = 1/2 (nothing told, a classifier like a coin) to 1, the line is straight.
    """
    differences, names = [], []
    for dataset, part in _by_dataset(rows):
        here = (
            at(part, "others", ONE)
            .groupby(["scheme", "parameter"])[["guess", "blind", "nb"]]
            .mean()
        )
        coins, open_ = here.loc["each answer alone"], here.loc["undisguised"]
        guess = [here["blind"].mean(), *coins["guess"], *open_["guess"]]
        worth = [0.5, *coins["nb"], *open_["nb"]]
        for epsilon, one in here.loc["one question by lot"].iterrows():
            ours = 0.5 if blinded else one["nb"]
            differences.append(ours - np.interp(one["guess"], guess, worth))
            names.append(f"{data.SHORT[dataset]}, ε = {epsilon:g}")
    return {"differences": np.array(differences), "names": names}


def same_epsilon(
    rng: np.random.Generator,
    dataset: str,
    epsilon: float,
    division: int,
    surveys: int = 5,
    **coding: Any,
) -> dict[str, list[float]]:
    """WC-9: balanced accuracy of naive Bayes from one question by lot, and from coins of their own.

    ``split``: each coin has its part of ε; ``whole``: each has all of it, which is a wrong world.
    """
    people = respondents(dataset, **coding)
    train, test = people.numbered(division)
    domain = train.domain
    schemes = {
        "lot": experiment.mechanism_of("one question by lot", epsilon, people.everyone),
        "split": k_rr_each(domain, epsilon),
        "whole": k_rr_each(domain, epsilon * len(domain.names)),
    }
    found = {}
    for name, scheme in schemes.items():
        worth = experiment.worth(scheme, train, test, surveys, rng, trees=False)
        found[name] = [worth["nb"]]
    return found


def lot(rows: pd.DataFrame, against: str = "split") -> dict[str, Any]:
    """WC-9: from the rows of :func:`same_epsilon`."""
    means = rows.groupby(["dataset", "epsilon"], sort=False)[["lot", against]].mean()
    names = [f"{data.SHORT[d]}, ε = {e:g}" for d, e in means.index]
    return {"differences": (means["lot"] - means[against]).to_numpy(), "names": names}


# Identities ---------------------------------------------------------------------------------------


def six_names(theta: float = 0.7) -> dict[str, dict[str, Any]]:
    """WC-4: Warner's coin, UP, FRAPP, a group for each answer, k-RR, subset selection, for one answer.

    >>> found = six_names()
    >>> bool(np.allclose(found["ours"]["ours"], found["ours"]["theirs"]))
    True
    """
    epsilon, coin = math.log(theta / (1 - theta)), Domain(("A",), ((0, 1),))
    names = {
        "UP": uniform_perturbation(2 * theta - 1, 2)[0],
        "FRAPP": frapp(theta / (1 - theta), 2)[0],
        "a group for each answer": MultiGroup(theta, [["A"]]).matrix(coin),
        "k-RR": k_rr(2, epsilon),
        "subset selection": subset_selection(2, epsilon),
    }
    one, ours = warner(theta, 2)[0], np.array(list(names.values()))
    two = Domain(("A", "B"), ((0, 1),) * 2)
    record = MultiGroup(theta, [["A"], ["B"]]).matrix(two)
    told = unary(2, epsilon)[[2, 1]]  # the reports 10 and 01
    return {
        "ours": {
            "ours": np.append(ours, record),
            "theirs": np.append(
                np.array([one] * len(ours)), k_rr_each(two, 2 * epsilon).matrix(two)
            ),
        },
        "optimised unary": {"ours": told, "theirs": one},
        "the whole ε for each": {"ours": record, "theirs": k_rr_each(two, 4 * epsilon).matrix(two)},
    }


def same_record(q: float = 0.3) -> dict[str, dict[str, Any]]:
    """WC-5: the channel of the unrelated question, and that of k-RR on the whole record.

    >>> found = same_record()
    >>> bool(np.allclose(found["ours"]["ours"], found["ours"]["theirs"]))
    True
    """
    three = Domain(("A", "B", "C"), ((0, 1),) * 3)
    epsilon = math.log(1 + q * three.size / (1 - q))
    theirs = k_rr(three.size, epsilon)  # by its own formula, not through the scheme's
    assert k_rr_record(three, epsilon).q > 0
    uneven = UnrelatedQuestion(q, personal={name: [0.3, 0.7] for name in three.names})
    return {
        "ours": {"ours": UnrelatedQuestion(q).matrix(three), "theirs": theirs},
        "coins that are not fair": {"ours": uneven.matrix(three), "theirs": theirs},
    }


def answers_of(datasets: Iterable[str]) -> list[dict[str, str]]:
    """The answers of some data sets, as the cells of a grid.

    >>> answers_of(["pima"])[0]
    {'dataset': 'pima', 'answer': 'pregnancies'}
    """
    return [
        {"dataset": d, "answer": name} for d in datasets for name in respondents(d).everyone.names
    ]


def searched(
    rng: np.random.Generator, dataset: str, answer: str, parameter: float = 0.3, **coding: Any
) -> dict[str, list[float]]:
    """WC-8: the error of OptRR's matrix for one answer, and of Warner's, as multiples of the best."""
    everyone = respondents(dataset, **coding).everyone
    shares = everyone.marginal(answer).proportions().densified().values
    if shares.min() == 0:  # all give the same answer: there is nothing to hide, and no error
        return {"OptRR": [], "Warner": []}
    delta = shares.max() + parameter * (1 - shares.max())
    best = float(mse(best_scheme(shares, delta).matrix, shares, 10_000))
    front = optrr(shares, delta, rng, generations=GENERATIONS)
    found = float(front.mse.min())
    # Warner's largest posterior is that of the common answer: θ m / (θ m + (1 - θ)(1 - m)) = δ
    odds = delta / (1 - delta) * (1 - shares.max()) / shares.max()
    coin = float(mse(warner(odds / (1 + odds), 2)[0], shares, 10_000))
    return {"OptRR": [found / best], "Warner": [coin / best]}


__all__ = [
    "answers_of", "at", "dominated", "least_loss", "lot", "pair_errors", "plane", "published", "safer", "same_attacker",
    "same_epsilon", "same_record", "searched", "short", "six_names",
]  # fmt: skip
