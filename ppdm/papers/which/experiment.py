"""[Chapter 5] One point of the plane: a scheme on a data set, what it is worth, and what it gives away.

The people, the answers (each cut in two) and the division are those of the four papers' chapters. What
a scheme is worth: the balanced accuracy of naive Bayes and ID3 on true test records, the error of single
shares and of pairs with the class. What it gives away: the chances of the attackers of
:data:`ATTACKERS`, by `ppdm.privacy.ladder`. A table that is released instead (AIBR, BSVD, SSVD, kCG) is
one of the numbers behind the answers; its released numbers are cut where the true ones were. Of it the
chances are those of attacks carried out: it may give away more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.data import binarize
from ppdm.disguise import Mechanism, MultiGroup, RRMatrix, UnrelatedQuestion, random_groups
from ppdm.disguise.guess import answers, blind, is_exact, vulnerability
from ppdm.disguise.today import OneSampled, each, two_coins, unary
from ppdm.distort.aibr import aibr
from ppdm.distort.condensation import kcg
from ppdm.distort.svd import bsvd, ssvd
from ppdm.domain import Domain, held
from ppdm.learn import ID3, NaiveBayes
from ppdm.optimise import best_scheme, optrr
from ppdm.papers.common import binary_frame, fixed_split, key, respondents, scores, tabled
from ppdm.privacy import ladder
from ppdm.privacy.attacks import Distorted
from ppdm.privacy.channel import interval
from ppdm.table import Table

SETS = ("adult", "breast-cancer-wisconsin", "congressional-voting", "pima")
#: So many people at most stand on the list that reports are traced to, and in a released table.
LISTED = 1_500
#: The share of a released table's rows that an attacker knows who knows other people.
SAMPLES = 0.1
#: Reports drawn in each division where they cannot be gone through.
ROUNDS = 100
#: Victims of the attacker who knows all records but hers.
VICTIMS = 20
#: Of more records than this, the rungs "scheme" and "shares" are gone through in one division only, and the
#: one who knows all records but hers is left out.
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
    surveys: int = 2,
    **coding: Any,
) -> pd.DataFrame:
    """A row an attacker: his chance, the blind one, and beside it what the scheme is worth.

    >>> rows = point(np.random.default_rng(1), "pima", "each answer alone", 0.8, 0, surveys=1)
    >>> at = rows.set_index(["knowledge", "goal"])
    >>> bool(at.loc[("others", "the class"), "guess"] >= 0.79)
    True
    """
    people = respondents(dataset, **coding)
    train, test = people.numbered(division)
    if scheme in ("AIBR", "BSVD", "SSVD", "kCG"):
        value, found = _released(rng, dataset, scheme, parameter, division, test, coding)
    else:
        mechanism = (
            None
            if scheme == "undisguised"
            else mechanism_of(scheme, parameter, people.everyone, division)
        )
        value = worth(mechanism, train, test, surveys, rng)
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
    surveys: int,
    rng: np.random.Generator,
    trees: bool = True,
) -> dict[str, float]:
    """Balanced accuracies and errors, the mean of a few surveys of the same respondents.

    >>> train, test = respondents("pima").fixed
    >>> found = worth(MultiGroup(0.99), train, test, 5, np.random.default_rng(1), trees=False)
    >>> bool(found["nb"] > 0.65), round(found["singles"], 1)
    (True, 0.0)
    """
    found = []
    if mechanism and mechanism.reported(train.domain).size > train.domain.size:  # few of them occur
        train = train.sparsified()
    for _ in range(surveys if mechanism else 1):
        reports = mechanism.disguise_table(train, rng) if mechanism else train
        bayes = NaiveBayes(mechanism).fit_table(reports)
        tree = np.nan
        if trees and reports.domain.shape == train.domain.shape:
            tree = scores(ID3(mechanism).fit_table(reports).confusion(test))[1]
        found.append((scores(bayes.confusion(test))[1], tree, *_errors(bayes.pairs_, train)))
    mean = np.mean(found, axis=0)
    mean[2:] = np.sqrt(np.mean(np.square(found), axis=0))[2:]
    size = mechanism.epsilon(domain=train.domain) if mechanism else np.inf
    return dict(zip(("nb", "id3", "singles", "pairs"), map(float, mean))) | {"epsilon": float(size)}


def _errors(pairs: Any, train: Table) -> tuple[float, float]:
    """The root mean squared error of single shares and of pairs with the class."""
    people, target = train.total, train.names[-1]
    off = pairs.values - train.pairs(target).values  # [attribute, level, class]
    singles = off.sum(axis=2)

    def size(errors: np.ndarray) -> float:
        return float(np.sqrt((errors**2).mean()) / people)

    return size(singles), size(off)


# What it gives away -------------------------------------------------------------------------------


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
    victims, wide = victims.proportions().densified(), not is_exact(scheme, others.domain)
    every = division == 0 or victims.domain.size <= LARGE
    for rung in ("others", "scheme", "shares") if every else ("others",):
        believed = ladder.belief(rung, others)
        found |= {(rung, goal): told for goal, told in _answers(scheme, believed, victims, rng)}
        if not wide and rung != "shares":
            found[rung, RECORD] = _exactly(scheme, RECORD, believed, victims)
        if rung == "others" and not wide:
            found |= _of_those_who_know_others(scheme, believed, others, victims, listed)
    if victims.domain.size <= LARGE and not wide:
        found["all but hers", CLASS] = _all_but_hers(scheme, others, victims, rng)
    return found


def _of_those_who_know_others(
    scheme: Mechanism, believed: Table, others: Table, victims: Table, listed: Table
) -> dict[tuple[str, str], dict[str, Any]]:
    target, known = others.names[-1], _neighbours(others)
    chance, blind = 0.0, 0.0
    for part in _strata(victims.domain, known):
        thought, happens = (Table(t.domain, t.values * part) for t in (believed, victims))
        seen, unseen = _guessed(scheme, target, thought, happens)
        chance, blind = chance + seen, blind + unseen
    found = {(TWO, CLASS): _sure(chance, blind)}
    linked = ladder.guess(scheme, LINK, "own list", listed, listed)
    found["own list", LINK] = _sure(linked.chance, linked.blind)
    if scheme.reported(others.domain).shape == others.domain.shape:  # a report looks like a record
        found["others", TRUTH] = _exactly(scheme, TRUTH, believed, victims)
    return found


def _all_but_hers(
    scheme: Mechanism, others: Table, victims: Table, rng: np.random.Generator
) -> dict[str, Any]:
    """Some victims, each guessed by one who knows the others and all victims but her."""
    cells, shares = victims.occupied()
    chosen = rng.choice(cells, VICTIMS, p=shares / shares.sum())
    chance, blind = 0.0, 0.0
    for cell in chosen:
        one = Table(
            victims.domain, np.bincount([cell], minlength=victims.domain.size).astype(float)
        )
        rest = others.densified().values + (others.total / 4) * victims.values - one.values
        believed = ladder.belief("others", Table(victims.domain, np.maximum(np.rint(rest), 0)))
        seen, unseen = _guessed(scheme, victims.names[-1], believed, one)
        chance, blind = chance + seen, blind + unseen
    mean = chance / VICTIMS
    low, high = interval(mean, VICTIMS)
    return _sure(mean, blind / VICTIMS) | {"low": low, "high": high}


@lru_cache(maxsize=64)
def _strata(domain: Domain, known: tuple[str, ...]) -> tuple[np.ndarray, ...]:
    """Which records have each combination of some answers."""
    digits = domain.digits(np.arange(domain.size))[:, [domain.axis(name) for name in known]]
    return tuple(
        (digits == combination).all(axis=1) for combination in np.ndindex(*[2] * len(known))
    )


def _exactly(scheme: Mechanism, goal: str, believed: Table, true: Table) -> dict[str, Any]:
    chance = vulnerability(scheme, goal, believed, true)
    return _sure(chance, blind(scheme, goal, believed, true))


def _sure(chance: float, blind: float) -> dict[str, Any]:
    return {"guess": chance, "low": chance, "high": chance, "blind": blind, "bound": False}


def _told(guess: ladder.Guess) -> dict[str, Any]:
    return {"guess": guess.chance, "low": guess.low, "high": guess.high, "blind": guess.blind,
            "bound": guess.bound}  # fmt: skip


def _neighbours(others: Table) -> tuple[str, str]:
    """The two answers that tell most of the class, one at a time: what a neighbour might know."""
    target = others.names[-1]

    def right(name: str) -> float:
        return float(others.marginal(name, target).dense.max(axis=1).sum())

    best = sorted(others.names[:-1], key=right)[-2:]
    return best[1], best[0]


def _answers(
    scheme: Mechanism, believed: Table, true: Table, rng: np.random.Generator
) -> Iterator[tuple[str, dict[str, Any]]]:
    """One answer: the mean over all questions, the worst of them, and the class."""
    chances, blind = answers_guessed(scheme, believed, true, rng)
    exact = is_exact(scheme, true.domain)
    for goal, take in ((ONE, np.mean), (WORST, np.max), (CLASS, lambda values: values[-1])):
        chance = float(take(chances))
        low, high = (chance, chance) if exact else interval(chance, ROUNDS)
        unseen = float(blind[chances.argmax()] if goal == WORST else take(blind))
        yield goal, {"guess": chance, "low": low, "high": high, "blind": unseen, "bound": False}


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
    domain = true.domain
    yes = _yes(domain)
    shares, own = (yes @ t.values for t in (believed, true))
    blind = np.where(shares > 0.5, own, 1 - own)
    if not is_exact(scheme, domain):
        return _drawn(scheme, believed, true, yes, rng), blind
    return answers(scheme, believed, true), blind


def _guessed(scheme: Mechanism, name: str, believed: Table, true: Table) -> tuple[float, float]:
    """The chance of one answer's best guess and the blind one; parts of a whole keep their weight."""
    weight = true.values.sum()
    if weight == 0:
        return 0.0, 0.0
    unseen = weight * blind(scheme, name, believed, true)
    return weight * vulnerability(scheme, name, believed, true), unseen


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


def numbers_of(dataset: str, **coding: Any) -> Numbers:
    """The numbers behind the answers; an answer that is no number is its own 0 or 1.

    >>> numbers = numbers_of("breast-cancer-wisconsin")
    >>> frame = binary_frame("breast-cancer-wisconsin")
    >>> bool((numbers.answers(numbers.X) == frame.to_numpy()[:, :-1]).all())
    True
    """
    X, cuts, names, y = _numbers_of(dataset, key(coding))
    return Numbers(X.copy(order="K"), cuts.copy(), names, y.copy())


@lru_cache(maxsize=8)
def _numbers_of(dataset: str, coding: tuple) -> Numbers:
    options: Mapping[str, Any] = dict(coding)
    bits = binary_frame(dataset, **options)
    loaded = data.load(dataset, options.get("source"))
    _, cut = binarize(loaded)
    thresholds = cut[cut["kind"] == "number"].set_index("column")["threshold"].to_dict()
    names, columns, cuts = tuple(bits.columns[:-1]), [], []
    for name in names:
        if name in thresholds:
            values = loaded.frame[name].to_numpy(dtype=float)
            columns.append(np.where(np.isnan(values), thresholds[name], values))
            cuts.append(thresholds[name])
        else:
            columns.append(bits[name].to_numpy(dtype=float))
            cuts.append(0.5)
    return Numbers(np.column_stack(columns), np.array(cuts), names, bits.iloc[:, -1].to_numpy())


def released(scheme: str, A: np.ndarray, parameter: float, rng: np.random.Generator) -> np.ndarray:
    """A distorted table.

    >>> A = np.arange(12.0).reshape(6, 2)
    >>> released("BSVD", A, 2, np.random.default_rng(1)).shape
    (6, 2)
    """
    if scheme == "AIBR":
        return aibr(A, int(parameter), rng)
    if scheme == "kCG":
        return kcg(A, int(parameter), rng)
    if scheme == "BSVD":
        return bsvd(A, min(int(parameter), A.shape[1]))
    return ssvd(A, min(6, A.shape[1]), parameter)


def _released(
    rng: np.random.Generator,
    dataset: str,
    scheme: str,
    parameter: float,
    division: int,
    test: Table,
    coding: dict[str, Any],
) -> tuple[dict[str, float], dict[tuple[str, str], dict[str, Any]]]:
    numbers = numbers_of(dataset, **coding)
    rows = fixed_split(len(numbers.X), division)[0][:LISTED]
    A, y = numbers.X[rows], numbers.y[rows]
    B = released(scheme, A, parameter, rng)
    true, seen = (
        tabled(test.domain.codes(np.column_stack([numbers.answers(t), y])), test.domain)
        for t in (A, B)
    )
    bayes, tree = NaiveBayes().fit_table(seen), ID3().fit_table(seen)
    errors = _errors(bayes.pairs_, true)
    worth = {"nb": scores(bayes.confusion(test))[1], "id3": scores(tree.confusion(test))[1],
             "singles": errors[0], "pairs": errors[1], "epsilon": np.inf}  # fmt: skip
    table = Distorted(A, B, numbers.names, numbers.answers, {test.names[-1]: y})
    known = rng.choice(len(A), max(int(SAMPLES * len(A)), 1), replace=False)
    found = {}
    for rung in ("scheme", "others"):
        each_one = [ladder.guess(table, name, rung, known) for name in test.names]
        chances = np.array([guess.chance for guess in each_one])
        blind = np.array([guess.blind for guess in each_one])
        for goal, take in ((ONE, np.mean), (WORST, np.max), (CLASS, lambda values: values[-1])):
            found[rung, goal] = {"guess": float(take(chances)), "low": np.nan, "high": np.nan,
                                 "blind": float(take(blind)), "bound": goal != CLASS}  # fmt: skip
        found[rung, RECORD] = _told(ladder.guess(table, RECORD, rung, known))
    found["own list", LINK] = _told(ladder.guess(table, LINK, "scheme", known))
    return worth, found
