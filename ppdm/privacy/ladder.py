"""The attacker who knows other people: a ladder of knowledge, and the chance of the best guess.

What an attacker gets from a report depends on what he takes the true records to be like before he
sees it. The rungs, each with less to go by than the next (:func:`belief`):

    scheme    nothing but the scheme: every record is as likely as every other
    shares    how common each single answer is, and nothing of how they go together
    others    the records of *other* people, never the victim's
    own list  the respondents' own records: a bound on all attackers, and none himself

:func:`vulnerability` is the chance that his best guess is right: of one answer, of the whole record, or
of whether a report is true. He guesses by what he believes; whether he is right is decided by what is
true. :func:`blind` is the same without a report. Both are exact.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from ppdm.disguise import Mechanism, MultiGroup, RRMatrix, UnrelatedQuestion
from ppdm.table import Table

KNOWLEDGE = ("scheme", "shares", "others", "own list")
MODELS = ("mixture", "naive Bayes", "kernel")
RECORD, TRUTH = "the whole record", "is the report true"
SMOOTHING = 0.5  # added to each count of a model, so that nothing is taken for impossible
FLIP = 0.1  # a record of the kernel's: each answer of a known one changed with this probability


def belief(
    knowledge: str, others: Table, own: Table | None = None, *, target: str | None = None,
    model: str = "mixture",
) -> Table:  # fmt: skip
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
    unseen = (seen == 1).sum() / max(seen.sum(), 1)
    return Table(domain, (1 - unseen) * seen / seen.sum() + unseen * modelled)


def vulnerability(
    scheme: Mechanism, goal: str, believed: Table, true: Table | None = None
) -> float:
    """The chance that the attacker's best guess is right, over the true records and all chance.

    `goal` is an attribute's name, :data:`RECORD` or :data:`TRUTH`. `true` are the records of the
    victims; without it, what he believes is true (then no attacker does better).

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
    if goal == RECORD:
        guess = likeliest(scheme, believed)
        reports = np.arange(len(guess))
        return float((true.values[guess] * _chances(scheme, reports, guess, true)).sum())
    if goal == TRUTH:
        says = _joint(scheme, TRUTH, believed).argmax(axis=0)
        joint = _joint(scheme, TRUTH, true)
    else:
        says = _joint(scheme, goal, believed).argmax(axis=0)
        joint = _joint(scheme, goal, true)
    return float(joint[says, np.arange(joint.shape[1])].sum())


def blind(scheme: Mechanism, goal: str, believed: Table, true: Table | None = None) -> float:
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
    says = _joint(scheme, goal, believed).sum(axis=1).argmax()
    return float(_joint(scheme, goal, true)[says].sum())


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
        for group in scheme._groups_in(domain):
            other = scheme.reversal(domain, group)
            kept, turned = scheme.theta * best, (1 - scheme.theta) * best[other]
            guess = np.where(kept >= turned, guess, guess[other])
            best = np.maximum(kept, turned)
        return guess
    if isinstance(scheme, RRMatrix):
        matrices = scheme._matrices_in(domain)
        if any(M.shape[0] != M.shape[1] for M in matrices.values()):
            raise ValueError("records are guessed from reports of the same answers (square M)")
        best, guess = values.reshape(domain.shape), cells.reshape(domain.shape)
        for name, M in matrices.items():
            axis = domain.axis(name)
            best, guess = np.moveaxis(best, axis, 0), np.moveaxis(guess, axis, 0)
            scores = M.reshape(*M.shape, *[1] * (best.ndim - 1)) * best  # [report, truth, ...]
            at = scores.argmax(axis=1)
            guess = np.take_along_axis(guess, at, axis=0)
            best = scores.max(axis=1)
            best, guess = np.moveaxis(best, 0, axis), np.moveaxis(guess, 0, axis)
        return guess.ravel()
    raise ValueError(f"there is no guesser of whole records for {type(scheme).__name__}")


def _chances(
    scheme: Mechanism, reports: np.ndarray, records: np.ndarray, table: Table
) -> np.ndarray:
    """P(report | record) of many pairs of cells."""
    domain = table.domain
    if isinstance(scheme, UnrelatedQuestion):
        stranger = (1 - scheme.q) * scheme.personal_distribution(domain)[reports]
        return scheme.q * (reports == records) + stranger
    said, meant = domain.digits(reports), domain.digits(records)
    chance = np.ones(len(reports))
    if isinstance(scheme, MultiGroup):
        for group in scheme._groups_in(domain):
            axes = [domain.axis(name) for name in group]
            same = (said[:, axes] == meant[:, axes]).all(axis=1)
            turned = reports == scheme.reversal(domain, group)[reports]
            chance *= np.where(turned, 1.0, np.where(same, scheme.theta, 1 - scheme.theta))
        return chance
    assert isinstance(scheme, RRMatrix)  # `likeliest` has refused all others
    for name, M in scheme._matrices_in(domain).items():
        axis = domain.axis(name)
        chance *= M[said[:, axis], meant[:, axis]]
    return chance


def _joint(scheme: Mechanism, goal: str, prior: Table) -> np.ndarray:
    """P(secret, report): a row a secret (a level of an answer; "false" and "true"), a column a report."""
    if goal == TRUTH:
        told = scheme._told_truth(prior).densified().values
        return np.stack([scheme.apply(prior).densified().values - told, told])
    axis = prior.domain.axis(goal)
    level = prior.domain.digits(np.arange(prior.domain.size))[:, axis]
    return np.stack([
        scheme.apply(Table(prior.domain, np.where(level == v, prior.values, 0.0))).densified().values
        for v in range(prior.shape[axis])
    ])  # fmt: skip


def _product(table: Table, target: str | None) -> np.ndarray:
    """Answers that are independent, or (with a target) independent within each of its levels."""
    domain = table.domain
    if target is None:
        shares = [_shares(table.marginal(name).values) for name in domain.names]
        return reduce(np.multiply.outer, shares).ravel()
    axis = domain.axis(target)
    out = np.empty(domain.shape)
    weights = _shares(table.marginal(target).values)
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
