"""The attacker who knows other people: a ladder of knowledge, and the chance of the best guess.

What an attacker gets from a report depends on what he takes the true records to be like before he
sees it. The rungs, each with less to go by than the next (:func:`belief`):

    scheme         nothing but the scheme: every record is as likely as every other
    shares         how common each single answer is, and nothing of how they go together
    others         the records of *other* people, never the victim's
    all but hers   the records of everybody in the survey except the victim
    own list       the respondents' own records: a bound on all attackers, and none himself

On any rung he may know some true answers of the victim besides. His goal is one answer, a relation
(do two answers agree?), the whole record, whether a report is true, or which of many reports is hers.

:func:`guess` is the one question that every scheme, and every distorted table, answers to: the chance
that his best guess is right, beside the blind guess. It rests on :func:`vulnerability` and
:func:`blind`, which are exact, wherever there is a channel that can be gone through, on draws with an
interval (:func:`sampled`) where it is too large, and on attacks that are carried out
(`ppdm.privacy.attacks`) where there is only a table: these say what is lost at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm import kinds
from ppdm.chance import generator
from ppdm.disguise import Mechanism
from ppdm.disguise.guess import (
    ENUMERABLE,
    RECORD,
    TRUTH,
    Agree,
    Goal,
    blind,
    is_exact,
    likeliest,
    secrets,
    vulnerability,
)
from ppdm.privacy.attacks import Distorted
from ppdm.privacy.channel import interval
from ppdm.table import Table

__all__ = [
    "BUT_HERS",
    "KNOWLEDGE",
    "LINK",
    "MODELS",
    "RECORD",
    "TRUTH",
    "Agree",
    "Goal",
    "Guess",
    "belief",
    "blind",
    "guess",
    "is_exact",
    "likeliest",
    "sampled",
    "secrets",
    "vulnerability",
]

KNOWLEDGE = ("scheme", "shares", "others", "own list")
BUT_HERS = "all but hers"
MODELS = ("mixture", "naive Bayes", "kernel")
LINK = "which report is hers"
SMOOTHING = 0.5  # added to each count of a model, so that nothing is taken for impossible
FLIP = 0.1  # a record of the kernel's: each answer of a known one changed with this probability


class Guess(NamedTuple):
    """The chance that a guess is right, its interval (equal ends: exact), and the blind guess's.

    `bound` says that the chance is that of an attack carried out: another may do better.

    >>> Guess(0.7, 0.7, 0.7, blind=0.5).bound
    False
    """

    chance: float
    low: float
    high: float
    blind: float
    bound: bool = False


def guess(
    release: Mechanism | Distorted,
    goal: Goal,
    knowledge: str,
    others: Table | np.ndarray,
    victims: Table | None = None,
    *,
    known: Sequence[str] = (),
    model: str = "mixture",
    rounds: int = 2_000,
    rng: np.random.Generator | None = None,
) -> Guess:
    """What an attacker with this goal and this knowledge gets out of a release.

    Parameters
    ----------
    release
        A mechanism: the attacker sees the report of one of the victims. Or a distorted table
        (`ppdm.privacy.attacks.Distorted`): he sees her row.
    knowledge
        A rung of the ladder, see the head of this module.
    others
        The records of other people. For a distorted table: the numbers of those rows of which he
        knows the original.
    victims
        The records of those who are attacked. (Of a distorted table it is all other rows.)
    known
        Questions to which he knows the victim's true answers.
    rounds, rng
        Where the channel is too large to be gone through: how many reports are drawn, and with what.

    >>> from ppdm import Domain, MultiGroup
    >>> from ppdm.disguise.guess import RECORD
    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [40, 10, 10, 40])
    >>> scheme = MultiGroup(0.7, [["A"], ["B"]])
    >>> for knowledge in ("scheme", "others"):
    ...     print(knowledge, round(guess(scheme, RECORD, knowledge, people, people).chance, 3))
    scheme 0.49
    others 0.56
    >>> round(guess(scheme, "B", "others", people, people, known=["A"]).chance, 3)    # her neighbour
    0.8
    """
    if isinstance(release, Distorted):
        return _of_a_table(release, goal, knowledge, others, known)
    if not isinstance(others, Table):
        raise ValueError("others are a table of records; row numbers go with a distorted table")
    victims = others if victims is None else victims
    if goal == LINK:
        return _linked(release, victims, rounds, rng)
    if knowledge == BUT_HERS:
        return _all_but_hers(release, goal, victims, known, model, rounds, rng)
    believed = belief(knowledge, others, victims, model=model)
    unseen = blind(release, goal, believed, victims, known)
    if is_exact(release, believed.domain):
        chance = vulnerability(release, goal, believed, victims, known)
        return Guess(chance, chance, chance, unseen)
    mean, low, high = sampled(release, goal, believed, victims, rounds, _given(rng), known)
    return Guess(mean, low, high, unseen)


def belief(
    knowledge: str,
    others: Table,
    own: Table | None = None,
    *,
    target: str | None = None,
    model: str = "mixture",
) -> Table:
    """What an attacker takes the true records to be like, as shares of all possible ones.

    Parameters
    ----------
    others
        The records of other people. Of them the rung ``"shares"`` uses the single answers only.
    own
        The respondents' own records, for ``"own list"``.
    target
        The attribute that naive Bayes takes the others to depend on; default: the last.
    model
        How ``"others"`` goes from the records seen to those not seen. ``"naive Bayes"``: answers that
        are independent within a class; ``"mixture"``: the records as they were seen, and naive Bayes
        for as many as have probably not been seen (Good and Turing: the share of those seen once);
        ``"kernel"``: each record seen, with each answer changed now and then.

    >>> from ppdm import Domain
    >>> seen = Table(Domain(("A", "B"), ((0, 1),) * 2), [6, 0, 0, 2])
    >>> for knowledge in ("scheme", "shares", "others"):
    ...     print(knowledge, belief(knowledge, seen).values.round(2))
    scheme [0.25 0.25 0.25 0.25]
    shares [0.52 0.2  0.2  0.08]
    others [0.75 0.   0.   0.25]
    """
    if knowledge not in KNOWLEDGE:
        raise ValueError(f"knowledge is one of {', '.join(KNOWLEDGE)}; got {knowledge!r}")
    if model not in MODELS:
        raise ValueError(f"model is one of {', '.join(MODELS)}; got {model!r}")
    kinds.need("believe", others.kind)
    domain = others.domain
    if knowledge == "scheme":
        return Table(domain, np.full(domain.size, 1 / domain.size))
    if knowledge == "own list":
        if own is None:
            raise ValueError("the own list is the respondents' own records: give own=...")
        return own.proportions().densified()
    if knowledge == "shares":
        return Table(domain, _product(others, None))
    if model == "kernel":
        return Table(domain, _kernel(others))
    modelled = _product(others, target or domain.names[-1])
    if model == "naive Bayes":
        return Table(domain, modelled)
    numbers = others.densified().values
    if not numbers.any():  # of nobody the model is all there is
        return Table(domain, modelled)
    unseen = (numbers == 1).sum() / max(numbers.sum(), 1)
    return Table(domain, (1 - unseen) * numbers / numbers.sum() + unseen * modelled)


def sampled(
    scheme: Mechanism,
    goal: Goal,
    believed: Table,
    true: Table,
    rounds: int,
    rng: np.random.Generator,
    known: Sequence[str] = (),
    error: float = 0.05,
) -> tuple[float, float, float]:
    """:func:`vulnerability` by drawing victims and their reports: the share guessed, its interval.

    Each guess is the best one for its report, by Bayes over all records. The interval holds the
    exact chance with probability 1 - error or more (Hoeffding).

    >>> from ppdm import Domain, MultiGroup
    >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
    >>> found = sampled(MultiGroup(0.8), "A", coin, coin, 1_000, np.random.default_rng(1))
    >>> bool(found[1] < 0.8 < found[2])
    True
    """
    if goal in (TRUTH, LINK):
        raise ValueError(f"{goal!r} is not guessed by drawing")
    domain, secret = believed.domain, secrets(goal, believed)
    prior = believed.proportions().densified().values
    picks, reports = _drawn(scheme, true, rounds, rng)
    digits = domain.digits(np.arange(domain.size)) if known else None
    axes = [domain.axis(name) for name in known]
    right = 0
    for victim, report in zip(true.occupied()[0][picks], reports, strict=True):
        joint = prior * scheme.likelihood(report, domain)
        if digits is not None:
            joint = np.where((digits[:, axes] == digits[victim, axes]).all(axis=1), joint, 0.0)
        right += np.bincount(secret, joint).argmax() == secret[victim]
    mean = float(right / rounds)
    return mean, *interval(mean, rounds, error)


def _drawn(
    scheme: Mechanism, people: Table, rounds: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """So many of these people, each as the number of an occupied cell, and their reports."""
    cells, counts = people.occupied()
    picks = rng.choice(len(cells), rounds, p=counts / counts.sum())
    domain = people.domain
    return picks, scheme.disguise_digits(domain.digits(cells[picks]), domain, rng)


def _given(rng: np.random.Generator | None) -> np.random.Generator:
    if rng is None:
        raise ValueError("these reports are too many to go through: give rng=..., to draw some")
    return generator(rng)


def _all_but_hers(
    scheme: Mechanism,
    goal: Goal,
    everybody: Table,
    known: Sequence[str],
    model: str,
    rounds: int,
    rng: np.random.Generator | None,
) -> Guess:
    """Victim by victim: what is believed is everybody's records without hers.

    Equal victims are one. Where there are more than can be gone through, some are drawn.
    """
    cells, counts = everybody.occupied()
    if len(cells) * everybody.domain.size > ENUMERABLE:
        few = max(rounds // 20, 1)
        sample = _given(rng).choice(len(cells), few, p=counts / counts.sum())
        cells, weights, whole = cells[sample], np.full(few, 1 / few), False
    else:
        weights, whole = counts / counts.sum(), True
    all_records = everybody.densified()
    chances = np.empty((len(cells), 2))
    for i, cell in enumerate(cells):
        one = np.zeros(everybody.domain.size)
        one[cell] = 1.0
        rest = Table(everybody.domain, all_records.values - one)
        believed = belief("others", rest, model=model)
        hers = Table(everybody.domain, one)
        chances[i] = [f(scheme, goal, believed, hers, known) for f in (vulnerability, blind)]
    chance, unseen = weights @ chances
    if whole:
        return Guess(chance, chance, chance, unseen)
    return Guess(chance, *interval(chance, len(cells)), unseen)


def _linked(
    scheme: Mechanism, victims: Table, rounds: int, rng: np.random.Generator | None
) -> Guess:
    """Which person on a list sent a report: the attacker has all their records, and their reports.

    For each report he names one of those whose record most probably stands behind it, each report
    by itself; a blind guess is right once in the number of persons.
    """
    cells, counts = victims.occupied()
    people = counts.sum()
    distinct = Table(victims.domain, np.bincount(cells, minlength=victims.domain.size))
    if is_exact(scheme, distinct.domain):
        chance = float(vulnerability(scheme, RECORD, distinct) * len(cells) / people)
        return Guess(chance, chance, chance, float(1 / people))
    picks, reports = _drawn(scheme, victims, rounds, _given(rng))
    right = 0.0
    for victim, report in zip(picks, reports, strict=True):
        chances = scheme.likelihood(report, victims.domain)[cells]
        candidates = chances >= chances.max() * (1 - 1e-12)
        right += candidates[victim] / counts[candidates].sum()
    return Guess(right / rounds, *interval(right / rounds, rounds), float(1 / people))


def _of_a_table(
    release: Distorted,
    goal: Goal,
    knowledge: str,
    others: Table | np.ndarray,
    known: Sequence[str],
) -> Guess:
    if isinstance(others, Table):
        raise ValueError("of a distorted table the others are row numbers")
    if goal == LINK:
        traced = release.traced(known)
        return Guess(traced, traced, traced, 1 / len(release.original), bound=True)
    if goal == TRUTH:
        raise ValueError("a distorted table has no coin: every row of it is distorted")
    rung = {"scheme": "read", "shares": "read", "others": "learned", BUT_HERS: "all but hers"}
    if knowledge not in rung:
        allowed = ", ".join(rung)
        raise ValueError(f"of a distorted table knowledge is one of {allowed}; got {knowledge!r}")
    chance, unseen = release.guessed(goal, rung[knowledge], np.asarray(others), known)
    return Guess(chance, chance, chance, unseen, bound=True)


def _product(table: Table, target: str | None) -> np.ndarray:
    """Answers that are independent, or (with a target) independent within each of its levels."""
    domain = table.domain
    if target is None:
        shares = [_shares(table.marginal(name).dense) for name in domain.names]
        return reduce(np.multiply.outer, shares).ravel()
    axis = domain.axis(target)
    out = np.empty(domain.shape)
    weights = _shares(table.marginal(target).dense)
    for v in range(domain.shape[axis]):
        parts = []
        for name in domain.names:
            if name == target:
                parts.append(np.ones(1))
            else:
                two = table.marginal(name, target).densified()
                column = two.dense.take(v, axis=two.domain.axis(target))
                parts.append(_shares(column))
        within = reduce(np.multiply.outer, parts).squeeze(axis)
        out[(slice(None),) * axis + (v,)] = weights[v] * within
    return out.ravel()


def _kernel(table: Table) -> np.ndarray:
    """Every known record, each answer replaced by another with probability :data:`FLIP`."""
    values = table.proportions().densified().dense.astype(float)
    for axis, n in enumerate(table.shape):
        if n > 1:
            total = values.sum(axis=axis, keepdims=True)
            values = (1 - FLIP) * values + FLIP / (n - 1) * (total - values)
    return values.ravel()


def _shares(counts: ArrayLike) -> np.ndarray:
    counts = np.asarray(counts, dtype=float) + SMOOTHING
    return counts / counts.sum()
