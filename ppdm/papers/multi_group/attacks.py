"""[Zhan & Du 1.2, 5.3.3] What an attacker makes of it all, which the paper argues and never measures."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.disguise import MultiGroup, UnrelatedQuestion, random_groups
from ppdm.disguise.guess import best_guess
from ppdm.domain import Domain, encode
from ppdm.papers.common import binarized, key
from ppdm.papers.multi_group.experiment import FIRST, divided, respondents
from ppdm.privacy.ladder import belief, blind, vulnerability
from ppdm.table import Table

#: The rungs of the ladder, by the names they have in frames.
RUNGS = {"scheme": "scheme", "shares": "shares", "others": "others", "list": "own list"}
#: Other ways to go from the others' records to those not seen, by the names they have in frames.
MODELS = {"others, naive Bayes": "naive Bayes", "others, kernel": "kernel"}


def record_guesses(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, deals: int = 20, **coding
) -> dict[str, list]:
    """[Zhan & Du 1.2, 5.3.3] The chance of guessing a whole record at best, exactly.

    He knows the scheme and the distribution of the true records. A row a deal of the attributes
    into groups; deals do not depend on θ.
    """
    prior = respondents(dataset, **coding).everyone
    schemes = [MultiGroup(theta, _deal(prior.names, groups, deal)) for deal in range(deals)]
    chances = [scheme.guess_record(prior) for scheme in schemes]
    return {"deal": list(range(deals)), "record": chances}


def ladder(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, draws: int = 20, **coding
) -> pd.DataFrame:
    """[Zhan & Du 1.2, 5.3.3] A whole record guessed, by attackers who know more and more.

    All know the scheme, and read the report of somebody in the test part of a division. ``scheme``:
    nothing else. ``shares``: how common each single answer is among the training records. ``others``:
    these records, hers not among them. ``list``: the respondents' own list, hers among them, which is
    a bound and no attacker. What they believe is :func:`ppdm.privacy.ladder.belief`; ``others`` also
    by its two other models. A row a division, with a deal of its own.
    """
    people, rows = respondents(dataset, **coding), []
    for draw in range(draws):
        scheme = MultiGroup(theta, _deal(people.domain.names, groups, draw))
        beliefs = {name: _believed(dataset, draw, name, key(coding)) for name in (*RUNGS, *MODELS)}
        codes, numbers = divided(dataset, draw, **coding)[1].occupied()
        rows.append(
            {"draw": draw}
            | {
                name: guessed(scheme, people.domain, believed, codes, numbers)
                for name, believed in beliefs.items()
            }
        )
    return pd.DataFrame(rows)


@lru_cache(maxsize=20 * (len(RUNGS) + len(MODELS)))
def _believed(dataset: str, draw: int, name: str, coding: tuple) -> np.ndarray:
    """What somebody believes who knows the training part of a division; the same at any groups and θ."""
    others, model = divided(dataset, draw, **dict(coding))[0], MODELS.get(name, "mixture")
    own = respondents(dataset, **dict(coding)).everyone
    return belief(RUNGS.get(name, "others"), others, own, model=model).densified().values.ravel()


def guessed(scheme: MultiGroup, domain: Domain, believed, codes, numbers) -> float:
    """The share of these people whose record is the likeliest one behind their report.

    It is :func:`ppdm.privacy.ladder.vulnerability` of a record, for the few records that occur.
    """
    masks = _masks(scheme, domain)
    lies = np.array(list(np.ndindex(*[2] * len(masks))))
    chances = np.where(lies == 1, 1 - scheme.theta, scheme.theta).prod(axis=1)
    turns = lies @ masks
    right = 0.0
    for lie, (turn, chance) in enumerate(zip(turns, chances, strict=True)):
        behind = (codes ^ turn)[:, None] ^ turns  # every record that may stand behind the report
        happens = np.zeros((len(turns), len(codes)))
        happens[lie] = chance * numbers
        right += float(best_guess((believed[behind] * chances).T, happens))
    return float(right / numbers.sum())


def _masks(scheme: MultiGroup, domain: Domain) -> np.ndarray:
    """For each group what its lie turns: the bits of its answers in a record's code."""
    return np.array(
        [
            sum(int(domain.strides[domain.axis(name)]) for name in group)
            for group in scheme.groups_in(domain)
        ]
    )


def class_guesses(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, draws: int = 5, **coding
) -> pd.DataFrame:
    """The class of somebody, guessed by a stranger who knows other people's records and has her report.

    A row a division, with a deal of its own: ``attacker``, the chance that he is right, exactly; and
    ``blind``, his chance without any report.

    >>> found = class_guesses(np.random.default_rng(1), "breast-cancer-wisconsin", 1, 1.0, draws=2)
    >>> found["attacker"].round(9).tolist()
    [1.0, 1.0]
    """
    rows = []
    for draw in range(draws):
        others, victims = divided(dataset, draw, **coding)
        scheme = MultiGroup(theta, _deal(others.names, groups, draw))
        asked = scheme, others.names[-1], belief("others", others), victims
        rows.append({"draw": draw, "attacker": vulnerability(*asked), "blind": blind(*asked)})
    return pd.DataFrame(rows)


def answers_alone(dataset: str, theta: float, **coding) -> pd.DataFrame:
    """[Zhan & Du 1.2] A group for each answer: the chance of guessing one at best, exactly.

    A row an attribute: ``blind`` (no report seen) and ``seen`` (the whole report).
    """
    prior = respondents(dataset, **coding).everyone
    scheme, shares = MultiGroup(theta, [[name] for name in prior.names]), prior.proportions()
    return pd.DataFrame([
        {"attribute": name, "seen": scheme.guess_answer(prior, name), "blind": shares.marginal(name).values.max()}
        for name in prior.names
    ])  # fmt: skip


def _deal(names, groups: int, number: int) -> list[list[str]]:
    """One deal of the attributes into groups, by its number."""
    return random_groups(names, groups, np.random.default_rng(number))


def insider(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, **coding
) -> pd.DataFrame:
    """[Zhan & Du 1.2] An attacker who knows one true answer, from elsewhere, reads the others.

    A row a pair of answers: is the known one in the `same` group, and the chance to guess the other
    right: before (``blind`` but for the known answer), ``without`` knowing it, and ``with`` it; and
    ``looks``, the same for an attacker who looks at nothing but the reports of these two answers,
    and takes all true answers for equally likely and independent, as section 1.2 does.
    """
    prior = respondents(dataset, **coding).everyone
    scheme = MultiGroup(theta, _deal(prior.names, groups, 0))
    home = {name: i for i, group in enumerate(scheme.groups_in(prior.domain)) for name in group}
    silent = UnrelatedQuestion(0.0)  # a report that says nothing
    without = {name: scheme.guess_answer(prior, name) for name in prior.names}
    rows = []
    for known in prior.names:
        for name in prior.names:
            if name == known:
                continue
            two = prior.marginal(known, name)
            even = Table(two.domain, np.ones(4))
            rows.append({
                "known": known, "other": name, "same": home[known] == home[name],
                "blind": silent.guess_answer(two, name, known=[known]),
                "without": without[name], "with": scheme.guess_answer(prior, name, known=[known]),
                "looks": scheme.guess_answer(even, name, known=[known]),
            })  # fmt: skip
    return pd.DataFrame(rows)


def outsider(rng: np.random.Generator, reps: int, groups: int, theta: float, **coding) -> dict:
    """[Zhan & Du 1.2] Truth or lie? Called by someone who knows *other* people's records.

    The respondents are the first 10,000 of Adult; the attacker knows the other 38,842 records, and
    no answer of the respondents. For each report he finds the likeliest true record behind it and
    so calls each group true or reversed. ``calls`` is the share of groups called rightly,
    ``better`` by how much that is above always calling the likelier side of the coin, ``answers`` the share
    of answers that he then has right.
    """
    prior, codes = _others(key(coding))
    domain, results = prior.domain, np.empty((reps, 2))
    for rep in range(reps):
        scheme = MultiGroup(theta, random_groups(domain.names, groups, rng))
        masks = _masks(scheme, domain)
        lies = rng.random((len(codes), groups)) > theta
        reports = codes ^ (lies @ masks)
        best, believed = np.full(len(codes), -1.0), np.zeros_like(lies)
        for pattern in np.ndindex(*[2] * groups):
            turned = np.array(pattern, dtype=bool)
            chance = np.prod(np.where(turned, 1 - theta, theta))
            score = chance * prior.values[reports ^ (turned @ masks)]
            better = score > best
            best[better], believed[better] = score[better], turned
        right = believed == lies
        sizes = np.array([len(group) for group in scheme.groups_in(domain)])
        results[rep] = right.mean(), (right @ sizes).mean() / sizes.sum()
    calls, answers = results.T
    return {"calls": calls, "better": calls - max(theta, 1 - theta), "answers": answers}


@lru_cache(maxsize=2)
def _others(coding: tuple) -> tuple[Table, np.ndarray]:
    """Adult but for the first 10,000 (half a record in each empty cell), and those, as codes."""
    options = dict(coding)
    loaded = data.load("adult", options.pop("source", None))
    codes, domain = encode(binarized(loaded, **options))
    first = FIRST["adult"]
    counts = np.bincount(codes[first:], minlength=domain.size).astype(float)
    return Table(domain, np.maximum(counts, 0.5)), codes[:first]
