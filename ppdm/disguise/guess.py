"""The best guess: what an attacker makes of a report. The one place where it is computed.

An attacker has a *goal* (an answer, a relation, the whole record, whether a report is true) and a
*belief*: what he takes the true records to be like. He sees a report and names what is likeliest by
Bayes. :func:`vulnerability` is the chance that he is right, :func:`blind` that of the guess he makes
with the same belief and no report. Who believes what is the ladder's business (`ppdm.privacy.ladder`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ppdm import kinds
from ppdm.channel import Best, Lot
from ppdm.domain import Domain
from ppdm.table import Table

#: So many chances (reports by records) are gone through one by one, and no more.
ENUMERABLE = 1 << 22
RECORD, TRUTH = "the whole record", "is the report true"


class Agree(NamedTuple):
    """The goal of learning a relation: are the answers to two questions the same?

    >>> from ppdm import Domain, MultiGroup
    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [1, 1, 1, 1])
    >>> vulnerability(MultiGroup(0.7), Agree("A", "B"), people)     # one group: always told
    1.0
    """

    first: str
    second: str


Goal = str | Agree


def best_guess(thinks: np.ndarray, happens: np.ndarray | None = None) -> np.ndarray:
    """The chance to be right when, for each report, the likeliest secret is named.

    `thinks[..., secret, report]` are the joint chances as the attacker sees them, `happens` the true
    ones; without these he is right in what he thinks. Of equals the first is named.

    >>> float(best_guess(np.array([[0.4, 0.1], [0.1, 0.4]])))
    0.8
    """
    if happens is None:
        return thinks.max(axis=-2).sum(axis=-1)
    guesses = thinks.argmax(axis=-2)
    return np.take_along_axis(happens, guesses[..., None, :], axis=-2).sum(axis=(-2, -1))


def vulnerability(
    scheme: Any,
    goal: Goal,
    believed: Table,
    true: Table | None = None,
    known: Sequence[str] = (),
) -> float:
    """The chance that the attacker's best guess is right, over the true records and all chance.

    `goal` is an attribute's name, :class:`Agree`, :data:`RECORD` or :data:`TRUTH`. `true` are the
    records of the victims; without it, what he believes is true (then no attacker does better). Of
    the victim he knows the true answers to the `known` questions.

    >>> from ppdm import Domain, MultiGroup
    >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
    >>> vulnerability(MultiGroup(0.8), "A", coin)
    0.8
    >>> rare = Table(coin.domain, [99, 1])
    >>> vulnerability(MultiGroup(0.8), "A", rare, true=coin)    # he believes no report of a 1
    0.5
    """
    chance = 0.0
    for share, thinks, happens in _known_apart(believed, true, known):
        chance += share * _vulnerable(scheme, goal, thinks, happens)
    return float(chance)


def blind(
    scheme: Any, goal: Goal, believed: Table, true: Table | None = None, known: Sequence[str] = ()
) -> float:
    """The chance of the best guess with the same knowledge and no report.

    >>> from ppdm import Domain, MultiGroup
    >>> rare = Table(Domain(("A",), ((0, 1),)), [99, 1])
    >>> blind(MultiGroup(0.8), "A", rare)
    0.99
    """
    chance = 0.0
    for share, thinks, happens in _known_apart(believed, true, known):
        happens = thinks if happens is None else happens
        if goal == TRUTH:
            sides = [
                _truths(scheme, table).sum(axis=1, keepdims=True) for table in (thinks, happens)
            ]
        else:
            secret = secrets(goal, thinks)
            sides = [np.bincount(secret, t.values)[:, None] for t in (thinks, happens)]
        chance += share * float(best_guess(*sides))
    return float(chance)


def answers(scheme: Any, believed: Table, true: Table) -> np.ndarray:
    """:func:`vulnerability` of each answer, in the order of the attributes.

    >>> from ppdm import Domain, MultiGroup
    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [40, 10, 10, 40])
    >>> answers(MultiGroup(0.7), people, people)
    array([0.7, 0.7])
    """
    believed, true = (_prior(table) for table in (believed, true))
    if _lot(scheme, true.domain):
        return np.array([vulnerability(scheme, name, believed, true) for name in true.names])
    sides = [(table, scheme.apply(table).densified().values) for table in (believed, true)]
    return np.array(
        [
            best_guess(*(answer_and_report(scheme, name, *side) for side in sides))
            for name in true.names
        ]
    )


def _known_apart(
    believed: Table, true: Table | None, known: Sequence[str]
) -> Iterator[tuple[float, Table, Table | None]]:
    """What is believed and what is true of those who give the same known answers, with their share."""
    believed, true = _prior(believed), None if true is None else _prior(true)
    if true is not None and true.domain != believed.domain:
        raise ValueError("belief and truth are tables of different attributes")
    if not known:
        yield 1.0, believed, true
        return
    domain, happens = believed.domain, believed if true is None else true
    digits = domain.digits(np.arange(domain.size))[:, [domain.axis(name) for name in known]]
    group = np.unique(digits, axis=0, return_inverse=True)[1].reshape(-1)
    for number in range(group.max() + 1):
        inside = group == number
        share = float(happens.values[inside].sum())
        if share > 0:
            part = np.where(inside, believed.values, 0.0)
            part = part if part.sum() > 0 else inside.astype(float)
            own = Table(domain, np.where(inside, happens.values, 0.0)).proportions()
            yield share, Table(domain, part).proportions(), own


def _prior(table: Table) -> Table:
    """A table of answers, true or estimated, as chances; reports are none."""
    kinds.need("believe", table.kind)
    return table.proportions().densified()


def _vulnerable(scheme: Any, goal: Goal, believed: Table, true: Table | None) -> float:
    lot, sides = _lot(scheme, believed.domain), (believed,) if true is None else (believed, true)
    if lot:
        return _by_lot(lot, goal, believed, believed if true is None else true)
    if goal == RECORD:
        best = likeliest(scheme, believed)
        if true is None:
            return float(best.chance.sum())
        guesses = best.cell.reshape(-1)
        reports = np.flatnonzero(
            true.values[guesses]
        )  # elsewhere he names somebody who is not there
        guesses = guesses[reports]
        return float(
            (true.values[guesses] * chances(scheme, reports, guesses, believed.domain)).sum()
        )
    if goal == TRUTH:
        return float(best_guess(*(_truths(scheme, table) for table in sides)))
    secret = secrets(goal, believed)
    return float(best_guess(*(joint(scheme, secret, table) for table in sides)))


def _lot(scheme: Any, domain: Domain) -> Lot | None:
    """The scheme's lot, if it tells one of several blocks."""
    return next((c for c in scheme.on(domain).channels if isinstance(c, Lot)), None)


def secrets(goal: Goal, table: Table) -> np.ndarray:
    """For each cell the number of the secret that the goal asks for.

    >>> from ppdm import Domain
    >>> four = Table(Domain(("A", "B"), ((0, 1),) * 2), [1, 1, 1, 1])
    >>> secrets("B", four), secrets(Agree("A", "B"), four), secrets(RECORD, four)
    (array([0, 1, 0, 1]), array([1, 0, 0, 1]), array([0, 1, 2, 3]))
    """
    cells = np.arange(table.domain.size)
    if goal == RECORD:
        return cells

    def answers(name: str) -> np.ndarray:
        axis = table.domain.axis(name)
        return cells // table.domain.strides[axis] % table.domain.shape[axis]

    if isinstance(goal, Agree):
        return (answers(goal.first) == answers(goal.second)).astype(np.int64)
    return answers(goal)


def joint(scheme: Any, secret: np.ndarray, prior: Table) -> np.ndarray:
    """P(secret, report): a row a secret, a column a report.

    >>> from ppdm import Domain, MultiGroup
    >>> coin = Table(Domain(("A",), ((0, 1),)), [0.5, 0.5])
    >>> joint(MultiGroup(0.8), secrets("A", coin), coin)
    array([[0.4, 0.1],
           [0.1, 0.4]])
    """
    values = prior.densified().values
    parts = [np.where(secret == v, values, 0.0) for v in range(secret.max() + 1)]
    return np.stack([scheme.apply(Table(prior.domain, part)).densified().values for part in parts])


def answer_and_report(
    scheme: Any, name: str, prior: Table, reports: np.ndarray | None = None
) -> np.ndarray:
    """:func:`joint` of one answer, from the reports of all (`reports`, if they are known): only its own
    channel is taken back, and laid on again for each of its levels.

    >>> from ppdm import Domain, MultiGroup
    >>> coin = Table(Domain(("A",), ((0, 1),)), [0.5, 0.5])
    >>> answer_and_report(MultiGroup(0.8), "A", coin).round(12)
    array([[0.4, 0.1],
           [0.1, 0.4]])
    """
    bound, axis = scheme.on(prior.domain), prior.domain.axis(name)
    if reports is None:
        reports = scheme.apply(prior).densified().values
    channel, axes = next(((c, a) for c, a in bound.steps if axis in a), (None, ()))
    values = reports.reshape(bound.reported.shape)
    try:
        answers = values if channel is None else channel.undo(values, axes)
    except ValueError:  # it tells too little to be taken back: the others are laid on
        answers = prior.dense
        for other, own in bound.steps:
            answers = answers if other is channel else other.apply(answers, own)
    parts = []
    for level in range(prior.shape[axis]):
        part = np.zeros_like(answers)
        index = (slice(None),) * axis + (level,)
        part[index] = answers[index]
        parts.append(part if channel is None else channel.apply(part, axes))
    return np.stack([part.reshape(-1) for part in parts])


def _truths(scheme: Any, prior: Table) -> np.ndarray:
    """P(false or true, report)."""
    truth = scheme.told_truth(prior).densified().values
    return np.stack([scheme.apply(prior).densified().values - truth, truth])


def likeliest(scheme: Any, believed: Table) -> Best:
    """For each report, the true record (as a cell) that most probably stands behind it.

    >>> from ppdm import Domain, MultiGroup
    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [60, 0, 10, 30])
    >>> likeliest(MultiGroup(0.7), people).cell      # one group: a report is true, or wholly reversed
    array([[0, 2],
           [2, 3]])
    """
    domain = believed.domain
    best = Best(believed.proportions().dense, np.arange(domain.size).reshape(domain.shape))
    for channel, axes in scheme.on(domain).steps:
        best = channel.best(best, axes)
    return best


def chances(scheme: Any, reports: np.ndarray, records: np.ndarray, domain: Domain) -> np.ndarray:
    """P(report | record) of many pairs of cells that agree in the open answers.

    >>> from ppdm import Domain, MultiGroup
    >>> chances(MultiGroup(0.8), np.array([0, 1]), np.array([0, 0]), Domain(("A",), ((0, 1),))).round(2)
    array([0.8, 0.2])
    """
    bound = scheme.on(domain)
    codes, true = bound.reported.digits(reports), domain.digits(records)
    chance = np.ones(len(reports))
    for channel, axes in bound.steps:
        chance *= channel.chance(codes[:, list(axes)], true[:, list(axes)])
    return chance


def is_exact(scheme: Any, domain: Domain) -> bool:
    """Whether the chance can be computed without drawing reports.

    >>> from ppdm import Domain, MultiGroup
    >>> is_exact(MultiGroup(0.8), Domain(("A",), ((0, 1),)))
    True
    """
    n_reports, records = scheme.on(domain).reported.size, domain.size
    few = n_reports <= records or n_reports * records <= ENUMERABLE
    return few or _lot(scheme, domain) is not None


def _by_lot(lot: Lot, goal: Goal, believed: Table, true: Table) -> float:
    """Where one block of answers is told: the mean over the blocks.

    What a report says of a block depends on the record through that block alone, so it is enough to
    know the secret and the block's answers together; of a record, the likeliest one of each block.
    """
    if goal == TRUTH:
        raise ValueError("a report of one block is no record: there is no truth of it to tell")
    domain, secret, chance = believed.domain, secrets(goal, believed), 0.0
    digits = domain.digits(np.arange(domain.size))
    rising = believed.values.argsort(kind="stable")
    for _, part, M, _ in lot.each_block():
        own = part.codes(digits[:, [domain.axis(name) for name in part.names]])
        if goal == RECORD:
            commonest = np.empty(part.size, dtype=np.int64)
            commonest[own[rising]] = (
                rising  # the last one stays: the commonest record of each answer
            )
            thinks = (M * believed.values[commonest]).T
            happens = (M * true.values[commonest]).T
        else:
            cell, size = secret * part.size + own, (secret.max() + 1) * part.size
            thinks, happens = (
                np.bincount(cell, t.values, size).reshape(-1, part.size) @ M.T
                for t in (believed, true)
            )
        chance += float(best_guess(thinks, happens))
    return chance / len(lot.blocks)
