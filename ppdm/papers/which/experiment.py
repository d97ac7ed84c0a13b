"""[Chapter 5] One point of the plane: a scheme on a data set, what it is worth, and what it gives away.

The people, the answers (each cut in two), the division and the survey are those of the papers' experiment
(`ppdm.papers.common`). What a scheme is worth: the balanced accuracy of naive Bayes and ID3 on true test
records, the error of single shares and of pairs with the class. What it gives away: the chances of the
attackers of `ppdm.privacy.ladder`. A table that is released instead (AIBR, BSVD, SSVD, kCG) is one of the
numbers behind the answers; its released numbers are cut where the true ones were. Of it the chances are
those of attacks carried out: it may give away more.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.data import binarize
from ppdm.disguise import Mechanism, MultiGroup, RRMatrix, UnrelatedQuestion, random_groups
from ppdm.disguise.guess import answers, blind, is_exact, vulnerability
from ppdm.disguise.today import OneSampled, each, two_coins, unary
from ppdm.domain import Domain, held
from ppdm.learn import ID3, NaiveBayes
from ppdm.optimise import best_scheme, optrr
from ppdm.papers.aibr.experiment import SCHEMES
from ppdm.papers.common import binary_frame, fixed_split, respondents, scores, surveys, tabled
from ppdm.privacy import ladder
from ppdm.privacy.attacks import Distorted
from ppdm.table import Table

SETS = ("adult", "breast-cancer-wisconsin", "congressional-voting", "pima")
#: So many people at most stand on the list that reports are traced to, and in a released table.
LISTED = 1_500
#: The share of a released table's rows that an attacker knows who knows other people.
SAMPLES = 0.1
#: Reports drawn in each division where they cannot be gone through.
ROUNDS = 100
#: Of more records than this, the rungs "scheme" and "shares" are gone through in one division only.
LARGE = 1 << 12
ONE, WORST, CLASS = "one answer", "worst answer", "the class"
RECORD, TRUTH, LINK = ladder.RECORD, ladder.TRUTH, ladder.LINK
TWO = "two answers"  # the rung "others" for one who knows two of her answers besides


class Line(NamedTuple):
    """A scheme with the values of its parameter that are shown."""

    family: str
    symbol: str
    values: tuple[float, ...]
    few: tuple[float, ...]  # of a quick run


LINES = {
    "unrelated question": Line("unrelated question", "q", (0.05, 0.2, 0.5), (0.2, 0.5)),
    "one group": Line("groups", "θ", (0.6, 0.7, 0.85), (0.7, 0.85)),
    "two groups": Line("groups", "θ", (0.6, 0.7, 0.85), ()),
    "three groups": Line("groups", "θ", (0.6, 0.7, 0.85), ()),
    "each answer alone": Line("groups", "θ", (0.6, 0.7, 0.85), (0.7, 0.85)),
    "OptRR": Line("matrices", "δ", (0.3,), ()),
    "certified matrices": Line("matrices", "δ", (0.15, 0.3, 0.6), (0.3,)),
    "one question by lot": Line("today", "ε", (1.0, 2.0, 4.0), (2.0,)),
    "optimised unary": Line("today", "ε", (0.8, 2.0), ()),
    "RAPPOR's coins": Line("today", "f", (0.25,), ()),
    "AIBR": Line("released table", "k", (2, 4, 12), (4,)),
    "BSVD": Line("released table", "k", (2, 4, 6), (4,)),
    "SSVD": Line("released table", "e", (0.15, 0.45), ()),
    "kCG": Line("released table", "k", (3, 10, 30), (10,)),
}
#: Groups of the answers, drawn anew for each division.
GROUPS = {"one group": 1, "two groups": 2, "three groups": 3}


def grid(
    quick: bool = False, splits: int = 10, datasets: tuple[str, ...] = SETS
) -> list[dict[str, Any]]:
    """The points of the plane, with the undisguised answers first.

    >>> cells = grid(quick=True, splits=1, datasets=("pima",))
    >>> len(cells), cells[0]
    (12, {'dataset': 'pima', 'scheme': 'undisguised', 'parameter': 1.0, 'division': 0})
    """
    points = [("undisguised", 1.0)] + [
        (name, value)
        for name, line in LINES.items()
        for value in (line.few if quick else line.values)
    ]
    return [
        {"dataset": dataset, "scheme": name, "parameter": float(value), "division": k}
        for dataset in datasets for name, value in points for k in range(splits)
    ]  # fmt: skip


def point(
    rng: np.random.Generator,
    dataset: str,
    scheme: str,
    parameter: float,
    division: int,
    times: int = 2,
    source: str | None = None,
) -> pd.DataFrame:
    """A row an attacker: his chance, the blind one, and beside it what the scheme is worth.

    >>> rows = point(np.random.default_rng(1), "pima", "each answer alone", 0.8, 0, times=1)
    >>> at = rows.set_index(["knowledge", "goal"])
    >>> bool(at.loc[("others", "the class"), "guess"] >= 0.79)
    True
    """
    people = respondents(dataset, source=source)
    train, test = people.numbered(division)
    if scheme in LINES and LINES[scheme].family == "released table":
        value, found = _released(rng, dataset, scheme, parameter, division, test, source)
    else:
        open_ = scheme == "undisguised"
        mechanism = None if open_ else mechanism_of(scheme, parameter, people.everyone, division)
        value = worth(mechanism, train, test, times, rng)
        listed = tabled(
            people.codes[fixed_split(len(people.codes), division)[0][:LISTED]],
            people.everyone.domain,
        )
        found = attacked(mechanism or UnrelatedQuestion(1.0), train, test, listed, rng, division)
    return pd.DataFrame([{"knowledge": rung, "goal": goal, **guess, **value}
                         for (rung, goal), guess in found.items()])  # fmt: skip


def mechanism_of(scheme: str, parameter: float, people: Table, division: int = 0) -> Mechanism:
    """A scheme of disguised answers on these people's questions.

    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [4, 1, 2, 3])
    >>> mechanism_of("each answer alone", 0.7, people).groups
    (('A',), ('B',))
    """
    domain = people.domain
    if scheme == "unrelated question":
        return UnrelatedQuestion(parameter)
    if scheme == "each answer alone":
        return MultiGroup(parameter, [[name] for name in domain.names])
    if scheme in GROUPS:
        deal = np.random.default_rng(division)
        return MultiGroup(parameter, random_groups(domain.names, GROUPS[scheme], deal))
    if scheme in ("OptRR", "certified matrices"):
        shares = {
            name: people.marginal(name).proportions().densified().values for name in domain.names
        }
        return RRMatrix(
            {name: matrix_of(scheme, parameter, tuple(p)) for name, p in shares.items()}
        )
    if scheme == "one question by lot":
        return OneSampled(
            domain, parameter, [[name, domain.names[-1]] for name in domain.names[:-1]]
        )
    if scheme == "optimised unary":
        return each(domain, lambda n: unary(n, parameter))
    if scheme == "RAPPOR's coins":
        return each(domain, lambda n: two_coins(n, parameter))
    raise ValueError(f"the scheme is one of {', '.join(LINES)}; got {scheme!r}")


@lru_cache(maxsize=512)
def matrix_of(scheme: str, parameter: float, shares: tuple[float, ...]) -> np.ndarray:
    """The matrix of least error for one yes/no answer, no report of which tells it with more than δ.

    δ lies so far between the larger share, where nothing can be told, and 1, where all is. What all
    answer alike needs no protection.

    >>> matrix_of("certified matrices", 0.5, (0.5, 0.5)).round(6)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    prior = np.array(shares)
    delta = float(prior.max() + parameter * (1 - prior.max()))
    if prior.min() <= 0:
        return held(np.array([[1 - 1e-6, 1e-6], [1e-6, 1 - 1e-6]]))
    if scheme == "certified matrices":
        found = best_scheme(prior, delta).matrix
    else:
        front = optrr(prior, delta, np.random.default_rng(2008), generations=200)
        found = front.matrices[front.mse.argmin()]
    return held(found if found.trace() > 1 else found[::-1])  # the reports named like the answers


# What it is worth ---------------------------------------------------------------------------------


def worth(
    mechanism: Mechanism | None,
    train: Table,
    test: Table,
    times: int,
    rng: np.random.Generator,
    trees: bool = True,
    true: Table | None = None,
) -> dict[str, float]:
    """Balanced accuracies and errors, the mean of a few surveys of the same respondents.

    Without a mechanism, what is learned from is the table itself; `true` are its records, if it is a release.

    >>> train, test = respondents("pima").fixed
    >>> found = worth(MultiGroup(0.99), train, test, 5, np.random.default_rng(1), trees=False)
    >>> bool(found["nb"] > 0.65), round(found["singles"], 1)
    (True, 0.0)
    """
    beside: list[tuple[float, float, float]] = []
    if mechanism and mechanism.reported(train.domain).size > train.domain.size:  # few of them occur
        train = train.sparsified()

    def learned(asked: Table, rng: np.random.Generator) -> NaiveBayes:
        reports = mechanism.disguise_table(asked, rng) if mechanism else asked
        bayes, tree = NaiveBayes(mechanism).fit_table(reports), np.nan
        if trees and reports.domain.shape == asked.domain.shape:
            tree = scores(ID3(mechanism).fit_table(reports).confusion(test)).balanced
        off = bayes.pairs_.values - (asked if true is None else true).pairs(asked.names[-1]).values
        both = ((errors**2).mean() / asked.total**2 for errors in (off.sum(axis=2), off))
        beside.append((tree, *both))
        return bayes

    run = surveys(rng, repeat((train, test), times if mechanism else 1), learned)
    tree, singles, pairs = np.mean(beside, axis=0)
    size = mechanism.epsilon(domain=train.domain) if mechanism else np.inf
    return {"nb": float(run["balanced"].mean()), "id3": float(tree), "singles": float(np.sqrt(singles)),
            "pairs": float(np.sqrt(pairs)), "epsilon": float(size)}  # fmt: skip


# What it gives away -------------------------------------------------------------------------------


def chance(guess: float, blind: float, bound: bool = False) -> dict[str, Any]:
    """A row's columns on one attacker: `bound` where a better attack may be possible."""
    return {"guess": float(guess), "blind": float(blind), "bound": bound}


def attacked(
    scheme: Mechanism,
    others: Table,
    victims: Table,
    listed: Table,
    rng: np.random.Generator,
    division: int = 0,
) -> dict[tuple[str, str], dict[str, Any]]:
    """The chances of all attackers on one scheme, by knowledge and goal.

    >>> people = Table(Domain(("A", "B", "C"), ((0, 1),) * 3), [5, 1, 2, 2, 1, 3, 1, 5])
    >>> scheme = MultiGroup(0.8, [["A"], ["B"], ["C"]])
    >>> found = attacked(scheme, people, people, people, np.random.default_rng(1))
    >>> round(found["scheme", "one answer"]["guess"], 6)
    0.8
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    victims, exact = victims.proportions().densified(), is_exact(scheme, others.domain)
    every = division == 0 or victims.domain.size <= LARGE
    for rung in ("others", "scheme", "shares") if every else ("others",):
        believed = ladder.belief(rung, others)

        def asked(goal: str, *known: str, believed: Table = believed) -> dict[str, Any]:
            asks = scheme, goal, believed, victims, known
            return chance(vulnerability(*asks), blind(*asks))

        found |= _answers(rung, *answers_guessed(scheme, believed, victims, rng))
        if exact and rung != "shares":
            found[rung, RECORD] = asked(RECORD)
        if exact and rung == "others":
            found[TWO, CLASS] = asked(others.names[-1], *_neighbours(others))
            linked = ladder.guess(scheme, LINK, "own list", listed, listed)
            found["own list", LINK] = chance(linked.chance, linked.blind)
            if scheme.reported(others.domain).shape == others.domain.shape:  # a report is a record
                found[rung, TRUTH] = asked(TRUTH)
    return found


def _answers(
    rung: str, chances: np.ndarray, unseen: np.ndarray, bound: bool = False
) -> dict[tuple[str, str], dict[str, Any]]:
    """One answer: the mean over all questions, the worst of them, and the class (which a table leaves open)."""
    worst = unseen.max() if bound else unseen[chances.argmax()]
    return {
        (rung, ONE): chance(chances.mean(), unseen.mean(), bound),
        (rung, WORST): chance(chances.max(), worst, bound),
        (rung, CLASS): chance(chances[-1], unseen[-1]),
    }


def _neighbours(others: Table) -> tuple[str, str]:
    """The two answers that tell most of the class, one at a time: what a neighbour might know."""
    target = others.names[-1]

    def right(name: str) -> float:
        return float(others.marginal(name, target).dense.max(axis=1).sum())

    best = sorted(others.names[:-1], key=right)[-2:]
    return best[1], best[0]


def answers_guessed(
    scheme: Mechanism, believed: Table, true: Table, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """For each yes/no answer the chance of its best guess, and that of the blind one.

    Where the reports are too many to go through, some are drawn.

    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [40, 10, 10, 40])
    >>> answers_guessed(MultiGroup(0.7), people, people, np.random.default_rng(1))[0]
    array([0.7, 0.7])
    """
    believed, true = (t.proportions().densified() for t in (believed, true))
    yes = _yes(true.domain)
    shares, own = (yes @ t.values for t in (believed, true))
    unseen = np.where(shares > 0.5, own, 1 - own)
    if not is_exact(scheme, true.domain):
        return _drawn(scheme, believed, true, yes, rng), unseen
    return answers(scheme, believed, true), unseen


@lru_cache(maxsize=8)
def _yes(domain: Domain) -> np.ndarray:
    """For each question, which records answer it with the second level."""
    return (domain.digits(np.arange(domain.size)) == 1).T.astype(float)


def _drawn(
    scheme: Mechanism, believed: Table, true: Table, yes: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The share of answers guessed right from reports that are drawn."""
    domain = true.domain
    cells, chances = true.occupied()
    victims = rng.choice(cells, ROUNDS, p=chances / chances.sum())
    reports = scheme.disguise_digits(domain.digits(victims), domain, rng)
    right = np.zeros(len(yes))
    for victim, report in zip(victims, reports, strict=True):
        joint = believed.values * scheme.likelihood(report, domain)
        right += (yes @ joint > 0.5 * joint.sum()) == (yes[:, victim] == 1)
    return right / ROUNDS


# Released tables ----------------------------------------------------------------------------------


class Numbers(NamedTuple):
    """The numbers behind the answers, a row a person, and where each is cut; the class as 0 and 1."""

    X: np.ndarray
    cuts: np.ndarray
    names: tuple[str, ...]
    y: np.ndarray

    def answers(self, rows: np.ndarray) -> np.ndarray:
        return (rows > self.cuts).astype(np.int64)


@lru_cache(maxsize=8)
def numbers_of(dataset: str, source: str | None = None) -> Numbers:
    """The numbers behind the answers; an answer that is no number is its own 0 or 1. Read-only.

    >>> numbers = numbers_of("breast-cancer-wisconsin")
    >>> frame = binary_frame("breast-cancer-wisconsin")
    >>> bool((numbers.answers(numbers.X) == frame.to_numpy()[:, :-1]).all())
    True
    """
    bits, loaded = binary_frame(dataset, source=source), data.load(dataset, source)
    cut = binarize(loaded)[1].query("kind == 'number'").set_index("column")["threshold"]
    names = tuple(bits.columns[:-1])
    columns = [
        loaded.frame[name].astype(float).fillna(cut[name]) if name in cut else bits[name]
        for name in names
    ]
    X, cuts = np.column_stack(columns).astype(float), np.array([cut.get(n, 0.5) for n in names])
    return Numbers(held(X), held(cuts), names, held(bits.iloc[:, -1].to_numpy(copy=True)))


def released(scheme: str, A: np.ndarray, parameter: float, rng: np.random.Generator) -> np.ndarray:
    """A distorted table.

    >>> A = np.arange(12.0).reshape(6, 2)
    >>> released("BSVD", A, 2, np.random.default_rng(1)).shape
    (6, 2)
    """
    if scheme == "SSVD":
        return SCHEMES[scheme](A, None, min(6, A.shape[1]), parameter, rng)
    k = int(parameter)
    return SCHEMES[scheme](A, None, min(k, A.shape[1]) if scheme == "BSVD" else k, 0.0, rng)


def _released(
    rng: np.random.Generator,
    dataset: str,
    scheme: str,
    parameter: float,
    division: int,
    test: Table,
    source: str | None,
) -> tuple[dict[str, float], dict[tuple[str, str], dict[str, Any]]]:
    numbers = numbers_of(dataset, source)
    rows = fixed_split(len(numbers.X), division)[0][:LISTED]
    A, y = numbers.X[rows], numbers.y[rows]
    B = released(scheme, A, parameter, rng)
    true, seen = (
        tabled(test.domain.codes(np.column_stack([numbers.answers(t), y])), test.domain)
        for t in (A, B)
    )
    table = Distorted(A, B, numbers.names, numbers.answers, {test.names[-1]: y})
    known = rng.choice(len(A), max(int(SAMPLES * len(A)), 1), replace=False)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for rung in ("scheme", "others"):
        each_one = [ladder.guess(table, name, rung, known) for name in test.names]
        sides = (np.array([g.chance for g in each_one]), np.array([g.blind for g in each_one]))
        whole = ladder.guess(table, RECORD, rung, known)
        found |= _answers(rung, *sides, bound=True)
        found[rung, RECORD] = chance(whole.chance, whole.blind, whole.bound)
    linked = ladder.guess(table, LINK, "scheme", known)
    found["own list", LINK] = chance(linked.chance, linked.blind, linked.bound)
    return worth(None, seen, test, 1, rng, true=true), found
