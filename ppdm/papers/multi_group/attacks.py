"""[Zhan & Du 1.2, 5.3.3] What an attacker makes of it all, which the paper argues and never measures.

He is a stranger: he knows the scheme and other people's records, the training part of a division, and reads the
reports of the test part. A row of what he learns is a division, with a deal of its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ppdm.disguise import MultiGroup, random_groups
from ppdm.disguise.guess import answers
from ppdm.domain import Domain
from ppdm.papers.common import key
from ppdm.papers.multi_group.experiment import divided, respondents
from ppdm.privacy.ladder import belief, blind
from ppdm.table import Table

#: Who guesses, by the names in frames: what he knows, and how he goes from the others' records to those not seen.
GUESSERS = {
    "scheme": ("scheme", "mixture"), "shares": ("shares", "mixture"), "others": ("others", "mixture"),
    "list": ("own list", "mixture"), "others, naive Bayes": ("others", "naive Bayes"), "others, kernel": ("others", "kernel"),
}  # fmt: skip


@lru_cache(maxsize=20 * len(GUESSERS))
def _believed(dataset: str, draw: int, who: str, coding: tuple) -> Table:
    """What somebody believes who knows the training part of a division; the same at any groups and θ."""
    (knowledge, model), options = GUESSERS[who], dict(coding)
    others, own = divided(dataset, draw, **options)[0], respondents(dataset, **options).everyone
    return belief(knowledge, others, own, model=model).densified()


def known(dataset: str, draw: int, who: str = "others", **coding: Any) -> tuple[Table, Table]:
    """What somebody believes who knows the training part of a division, and the records of the other part.

    >>> [round(table.total, 9) for table in known("breast-cancer-wisconsin", 0)]
    [1.0, 1.0]
    """
    victims = divided(dataset, draw, **coding)[1].proportions().densified()
    return _believed(dataset, draw, who, key(coding)), victims


def dealt(table: Table, groups: int, theta: float, draw: int) -> MultiGroup:
    """The scheme with one deal of the attributes into groups, by its number."""
    return MultiGroup(theta, random_groups(table.names, groups, np.random.default_rng(draw)))


def ladder(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, draws: int = 20, **coding
) -> pd.DataFrame:
    """[Zhan & Du 1.2, 5.3.3] A whole record guessed, by attackers who know more and more.

    ``scheme``: nothing else. ``shares``: how common each single answer is among the others. ``others``:
    their records, hers not among them. ``list``: the respondents' own list, hers among them, which is
    a bound and no attacker. What they believe is :func:`ppdm.privacy.ladder.belief`; ``others`` also
    by its two other models.
    """
    rows = []
    for draw in range(draws):
        scheme = dealt(known(dataset, draw, **coding)[0], groups, theta, draw)
        chances = {who: guessed(scheme, *known(dataset, draw, who, **coding)) for who in GUESSERS}
        rows.append({"draw": draw} | chances)
    return pd.DataFrame(rows)


def guessed(scheme: MultiGroup, believed: Table, true: Table) -> float:
    """The share of these people whose record is the likeliest one behind their report.

    It is :func:`ppdm.privacy.ladder.vulnerability` of a record, coin by coin: whatever the others did, a coin
    leaves two records behind a report, and he names the likelier. So any number of groups is possible.

    >>> people = known("breast-cancer-wisconsin", 0)[1]
    >>> round(guessed(MultiGroup(0.8, [[name] for name in people.names]), people, people), 3)
    0.435
    """
    cells, domain, theta = np.arange(true.domain.size), true.domain, scheme.theta
    thinks, happens = believed.values, true.values
    for group in scheme.groups_in(domain):
        turned = cells ^ sum(int(domain.strides[domain.axis(name)]) for name in group)
        lie = (1 - theta) * thinks[turned] > theta * thinks * (1 + 1e-12)
        thinks, happens = (
            np.where(lie, (1 - theta) * values[turned], theta * values)
            for values in (thinks, happens)
        )
    return float(happens.sum() / true.total)


def answer_guesses(dataset: str, theta: float, draws: int = 10, **coding: Any) -> pd.DataFrame:
    """[Zhan & Du 1.2] A group for each answer: each guessed with the whole report (``seen``) and ``blind``."""
    rows = []
    for draw in range(draws):
        believed, victims = known(dataset, draw, **coding)
        scheme = MultiGroup(theta, [[name] for name in victims.names])
        rows += [
            {"attribute": name, "seen": chance, "blind": blind(scheme, name, believed, victims)}
            for name, chance in zip(victims.names, answers(scheme, believed, victims), strict=True)
        ]
    return pd.DataFrame(rows).groupby("attribute", sort=False, as_index=False).mean()


def insider(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, draws: int = 5, **coding
) -> pd.DataFrame:
    """[Zhan & Du 1.2, 4.3] A stranger who knows one true answer besides, from elsewhere, reads the others.

    A row a pair of answers: is the known one in the `same` group, and the chance to guess the other
    right ``without`` knowing it, and ``with`` it; and ``looks``, the same for somebody who looks at
    nothing but the reports of these two answers, and takes all true answers for equally likely and
    independent, as section 1.2 does.
    """
    even, rows = Table(Domain(("A", "B"), ((0, 1),) * 2), np.ones(4)), []
    looks = {
        same: MultiGroup(theta, deal).guess_answer(even, "B", known=["A"])
        for same, deal in ((True, [["A", "B"]]), (False, [["A"], ["B"]]))
    }
    for draw in range(draws):
        believed, victims = known(dataset, draw, **coding)
        scheme = dealt(victims, groups, theta, draw)
        home = {
            name: i for i, group in enumerate(scheme.groups_in(victims.domain)) for name in group
        }
        without = dict(zip(victims.names, answers(scheme, believed, victims), strict=True))
        for name in victims.names:
            read = zip(victims.names, with_help(scheme, believed, victims, name), strict=True)
            for other, chance in (pair for pair in read if pair[0] != name):
                same = home[name] == home[other]
                rows.append({
                    "known": name, "other": other, "same": same, "without": without[other], "with": chance, "looks": looks[same],
                })  # fmt: skip
    return pd.DataFrame(rows).groupby(["known", "other", "same"], sort=False, as_index=False).mean()


def with_help(scheme: Any, believed: Table, true: Table, known: str) -> np.ndarray:
    """The chance of guessing each answer when one true answer is known, and the report seen."""
    chances, axis = np.zeros(len(true.names)), true.domain.axis(known)
    says = true.domain.digits(np.arange(true.domain.size))[:, axis]
    for level in np.unique(says):
        parts = [Table(true.domain, table.values * (says == level)) for table in (believed, true)]
        share = parts[1].total / true.total
        chances += share * answers(scheme, *parts) if share else 0.0
    return chances
