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

from ppdm.chance import generator
from ppdm.disguise import Mechanism, MultiGroup, RRMatrix, UnrelatedQuestion
from ppdm.disguise.today import OneSampled, k_rr
from ppdm.privacy.attacks import Distorted
from ppdm.privacy.channel import interval
from ppdm.table import Table

KNOWLEDGE = ("scheme", "shares", "others", "own list")
BUT_HERS = "all but hers"
MODELS = ("mixture", "naive Bayes", "kernel")
RECORD, TRUTH, LINK = "the whole record", "is the report true", "which report is hers"
#: So many chances (reports by records) are gone through one by one, and no more.
ENUMERABLE = 1 << 22
SMOOTHING = 0.5  # added to each count of a model, so that nothing is taken for impossible
FLIP = 0.1  # a record of the kernel's: each answer of a known one changed with this probability


class Agree(NamedTuple):
    """The goal of learning a relation: are the answers to two questions the same?

    >>> from ppdm import Domain
    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [1, 1, 1, 1])
    >>> vulnerability(MultiGroup(0.7), Agree("A", "B"), people)     # one group: always told
    1.0
    """

    first: str
    second: str


Goal = str | Agree


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

    >>> from ppdm import Domain
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
    if _exact(release, goal, believed):
        seen, unseen = _with_known(release, goal, believed, victims, known)
        return Guess(seen, seen, seen, unseen)
    unseen = _with_known(release, goal, believed, victims, known, seen=False)[1]
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
    seen = others.densified().values
    if not seen.any():  # of nobody the model is all there is
        return Table(domain, modelled)
    unseen = (seen == 1).sum() / max(seen.sum(), 1)
    return Table(domain, (1 - unseen) * seen / seen.sum() + unseen * modelled)


def vulnerability(
    scheme: Mechanism, goal: Goal, believed: Table, true: Table | None = None
) -> float:
    """The chance that the attacker's best guess is right, over the true records and all chance.

    `goal` is an attribute's name, :class:`Agree`, :data:`RECORD` or :data:`TRUTH`. `true` are the
    records of the victims; without it, what he believes is true (then no attacker does better).

    >>> from ppdm import Domain
    >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
    >>> vulnerability(MultiGroup(0.8), "A", coin)
    0.8
    >>> rare = Table(coin.domain, [99, 1])
    >>> vulnerability(MultiGroup(0.8), "A", rare, true=coin)    # he believes no report of a 1
    0.5
    """
    believed = believed.proportions().densified()
    true = believed if true is None else true.proportions().densified()
    if true.domain != believed.domain:
        raise ValueError("belief and truth are tables of different attributes")
    if isinstance(scheme, OneSampled):
        return _by_lot(scheme, goal, believed, true)
    if goal == RECORD:
        named = likeliest(scheme, believed)
        reports = np.flatnonzero(true.values[named])  # elsewhere he names somebody who is not there
        named = named[reports]
        return float((true.values[named] * _chances(scheme, reports, named, true)).sum())
    if goal == TRUTH:
        says = _joint(scheme, TRUTH, believed).argmax(axis=0)
        joint = _joint(scheme, TRUTH, true)
    else:
        says = _joint(scheme, goal, believed).argmax(axis=0)
        joint = _joint(scheme, goal, true)
    return float(joint[says, np.arange(joint.shape[1])].sum())


def blind(scheme: Mechanism, goal: Goal, believed: Table, true: Table | None = None) -> float:
    """The chance of the best guess with the same knowledge and no report.

    >>> from ppdm import Domain
    >>> rare = Table(Domain(("A",), ((0, 1),)), [99, 1])
    >>> blind(MultiGroup(0.8), "A", rare)
    0.99
    """
    believed = believed.proportions().densified()
    true = believed if true is None else true.proportions().densified()
    if goal == RECORD:
        return float(true.values[believed.values.argmax()])
    if goal != TRUTH:
        secret = secrets(goal, believed)
        says = np.bincount(secret, believed.values).argmax()
        return float(true.values[secret == says].sum())
    says = _joint(scheme, goal, believed).sum(axis=1).argmax()
    return float(_joint(scheme, goal, true)[says].sum())


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

    >>> from ppdm import Domain
    >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
    >>> found = sampled(MultiGroup(0.8), "A", coin, coin, 1_000, np.random.default_rng(1))
    >>> bool(found[1] < 0.8 < found[2])
    True
    """
    if goal in (TRUTH, LINK):
        raise ValueError(f"{goal!r} is not guessed by drawing")
    domain, secret = believed.domain, secrets(goal, believed)
    prior = believed.proportions().densified().values
    cells, chances = true.proportions().occupied()
    drawn = rng.choice(cells, rounds, p=chances / chances.sum())
    reports = scheme.disguise_digits(domain.digits(drawn), domain, rng)
    digits = domain.digits(np.arange(domain.size)) if known else None
    axes = [domain.axis(name) for name in known]
    right = 0
    for victim, report in zip(drawn, reports, strict=True):
        joint = prior * scheme.likelihood(report, domain)
        if digits is not None:
            joint = np.where((digits[:, axes] == digits[victim, axes]).all(axis=1), joint, 0.0)
        right += np.bincount(secret, joint).argmax() == secret[victim]
    mean = float(right / rounds)
    return mean, *interval(mean, rounds, error)


def _given(rng: np.random.Generator | None) -> np.random.Generator:
    if rng is None:
        raise ValueError("these reports are too many to go through: give rng=..., to draw some")
    return generator(rng)


def _exact(scheme: Mechanism, goal: Goal, believed: Table) -> bool:
    """Whether the chance can be computed without drawing."""
    if isinstance(scheme, (UnrelatedQuestion, MultiGroup, OneSampled)):
        return True
    reported = scheme.reported(believed.domain).size
    if isinstance(scheme, RRMatrix) and reported == believed.domain.size:
        return True
    return reported * believed.domain.size <= ENUMERABLE


def _with_known(
    scheme: Mechanism,
    goal: Goal,
    believed: Table,
    true: Table,
    known: Sequence[str],
    seen: bool = True,
) -> tuple[float, float]:
    """The chances with and without the report, for one who knows some true answers of the victim."""
    if not known:
        return vulnerability(scheme, goal, believed, true) if seen else 0.0, blind(
            scheme, goal, believed, true
        )
    true = true.proportions().densified()
    domain = true.domain
    digits = domain.digits(np.arange(domain.size))[:, [domain.axis(name) for name in known]]
    group = np.unique(digits, axis=0, return_inverse=True)[1].reshape(-1)
    believed_values = believed.proportions().densified().values
    chance = blindly = 0.0
    for number in range(group.max() + 1):
        here = group == number
        share = true.values[here].sum()
        if share > 0:
            part = np.where(here, believed_values, 0.0)
            thinks = Table(domain, part if part.sum() > 0 else here.astype(float))
            is_true = Table(domain, np.where(here, true.values, 0.0))
            if seen:
                chance += share * vulnerability(scheme, goal, thinks, is_true)
            blindly += share * blind(scheme, goal, thinks, is_true)
    return float(chance), float(blindly)


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
        chosen = _given(rng).choice(len(cells), few, p=counts / counts.sum())
        cells, weights, whole = cells[chosen], np.full(few, 1 / few), False
    else:
        weights, whole = counts / counts.sum(), True
    all_records = everybody.densified()
    found = np.empty((len(cells), 2))
    for i, cell in enumerate(cells):
        one = np.zeros(everybody.domain.size)
        one[cell] = 1.0
        rest = Table(everybody.domain, all_records.values - one)
        believed = belief("others", rest, model=model)
        found[i] = _with_known(scheme, goal, believed, Table(everybody.domain, one), known)
    chance, unseen = weights @ found
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
    if _exact(scheme, RECORD, distinct):
        chance = float(vulnerability(scheme, RECORD, distinct) * len(cells) / people)
        return Guess(chance, chance, chance, float(1 / people))
    rng = _given(rng)
    drawn = rng.choice(len(cells), rounds, p=counts / people)
    reports = scheme.disguise_digits(victims.domain.digits(cells[drawn]), victims.domain, rng)
    right = 0.0
    for victim, report in zip(drawn, reports, strict=True):
        chances = scheme.likelihood(report, victims.domain)[cells]
        named = chances >= chances.max() * (1 - 1e-12)
        right += named[victim] / counts[named].sum()
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


def likeliest(scheme: Mechanism, believed: Table) -> np.ndarray:
    """For each report, the true record (as a cell) that most probably stands behind it.

    >>> from ppdm import Domain
    >>> people = Table(Domain(("A", "B"), ((0, 1),) * 2), [60, 0, 10, 30])
    >>> likeliest(MultiGroup(0.7), people)      # one group: a report is true, or wholly reversed
    array([0, 2, 2, 3])
    """
    believed = believed.proportions().densified()
    domain, values = believed.domain, believed.values
    cells = np.arange(domain.size)
    if isinstance(scheme, UnrelatedQuestion):
        # max over x of (q [x = r] + stranger(r)) P(x): it is r itself, or the most common record
        stranger = (1 - scheme.q) * scheme.personal_distribution(domain)
        own = (scheme.q + stranger) * values >= stranger * values.max()
        return np.where(own, cells, values.argmax())
    if isinstance(scheme, MultiGroup):
        best, guess = values.copy(), cells.copy()
        for group in scheme.groups_in(domain):
            other = scheme.reversal(domain, group)
            kept, turned = scheme.theta * best, (1 - scheme.theta) * best[other]
            guess = np.where(kept >= turned, guess, guess[other])
            best = np.maximum(kept, turned)
        return guess
    if isinstance(scheme, RRMatrix):
        matrices = scheme._matrices_in(domain)
        best, guess = values.reshape(domain.shape), cells.reshape(domain.shape)
        for name, M in matrices.items():
            axis = domain.axis(name)
            best, guess = np.moveaxis(best, axis, 0), np.moveaxis(guess, axis, 0)
            chances = M.T.reshape(len(best), len(M), *[1] * (best.ndim - 1))  # [truth, report, ...]
            most = chances[0] * best[0]
            named = np.broadcast_to(guess[0], most.shape)
            for true in range(1, len(best)):  # the first of equals stays
                score = chances[true] * best[true]
                better = score > most
                most, named = np.where(better, score, most), np.where(better, guess[true], named)
            best, guess = np.moveaxis(most, 0, axis), np.moveaxis(named, 0, axis)
        return guess.ravel()
    return (_small_matrix(scheme, believed) * values).argmax(axis=1)


def _by_lot(scheme: OneSampled, goal: Goal, believed: Table, true: Table) -> float:
    """:func:`vulnerability` where one block of answers is told: the mean over the blocks.

    What a report says of a block depends on the record through that block alone, so it is enough to
    know the secret and the block's answers together; of a record, the likeliest one of each block.
    """
    if goal == TRUTH:
        raise ValueError("a report of one block is no record: there is no truth of it to tell")
    domain, secret, chance = believed.domain, secrets(goal, believed), 0.0
    digits = domain.digits(np.arange(domain.size))
    rising = believed.values.argsort(kind="stable")
    for block in scheme.blocks:
        part = domain.only(block)
        own = part.codes(digits[:, [domain.axis(name) for name in block]])
        M = k_rr(part.size, scheme.rate)
        if goal == RECORD:
            best = np.empty(part.size, dtype=np.int64)
            best[own[rising]] = rising  # the last one stays: the most common record of each answer
            named = (M * believed.values[best]).argmax(axis=1)
            chance += (M[np.arange(len(M)), named] * true.values[best[named]]).sum()
        else:
            at = secret * part.size + own
            thought, happens = (
                np.bincount(at, t.values, (secret.max() + 1) * part.size).reshape(-1, part.size)
                @ M.T
                for t in (believed, true)
            )
            says = thought.argmax(axis=0)
            chance += happens[says, np.arange(len(M))].sum()
    return float(chance / len(scheme.blocks))


def _small_matrix(scheme: Mechanism, table: Table) -> np.ndarray:
    """All chances of all reports, where they are few enough."""
    domain = table.domain
    if scheme.reported(domain).size * domain.size > ENUMERABLE:
        raise ValueError(
            f"{type(scheme).__name__} has too many reports to go through them all: draw some, "
            "with sampled()"
        )
    return np.stack([scheme.apply(Table(domain, unit)).values for unit in np.eye(domain.size)], 1)


def _chances(
    scheme: Mechanism, reports: np.ndarray, records: np.ndarray, table: Table
) -> np.ndarray:
    """P(report | record) of many pairs of cells."""
    domain = table.domain
    if not isinstance(scheme, (UnrelatedQuestion, MultiGroup, RRMatrix)):
        return _small_matrix(scheme, table)[reports, records]
    if isinstance(scheme, UnrelatedQuestion):
        stranger = (1 - scheme.q) * scheme.personal_distribution(domain)[reports]
        return scheme.q * (reports == records) + stranger
    said, meant = scheme.reported(domain).digits(reports), domain.digits(records)
    chance = np.ones(len(reports))
    if isinstance(scheme, MultiGroup):
        for group in scheme.groups_in(domain):
            axes = [domain.axis(name) for name in group]
            same = (said[:, axes] == meant[:, axes]).all(axis=1)
            turned = reports == scheme.reversal(domain, group)[reports]
            chance *= np.where(turned, 1.0, np.where(same, scheme.theta, 1 - scheme.theta))
        return chance
    for name, M in scheme._matrices_in(domain).items():
        axis = domain.axis(name)
        chance *= M[said[:, axis], meant[:, axis]]
    return chance


def _joint(scheme: Mechanism, goal: Goal, prior: Table) -> np.ndarray:
    """P(secret, report): a row a secret (a level of an answer; "false" and "true"), a column a report."""
    if goal == TRUTH:
        told = scheme._told_truth(prior).densified().values
        return np.stack([scheme.apply(prior).densified().values - told, told])
    secret = secrets(goal, prior)
    return np.stack(
        [
            scheme.apply(Table(prior.domain, np.where(secret == v, prior.values, 0.0)))
            .densified()
            .values
            for v in range(secret.max() + 1)
        ]
    )


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
