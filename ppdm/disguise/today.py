"""Today's schemes, in the same protocol: what local differential privacy has come to use.

An answer is k-RR's if all wrong reports are equally likely, and each is e^ε times rarer than the true
one (Kairouz, Oh & Viswanath 2014, who show it best for large ε; it is Warner's matrix). For several
answers there are three ways to spend one ε, and each is a mechanism here:

    k_rr_record(domain, ε)           the whole record as one answer
    k_rr_each(domain, ε)             every answer, with a part of the budget each: ε / d
    OneSampled(domain, ε, blocks)   one block of answers, drawn at random, with the whole ε

and instead of k-RR other matrices, with more reports than answers:

    unary(n, ε)                      a bit for each answer (Wang, Blocki, Li & Jha 2017)
    subset_selection(n, ε)           a set of answers (Ye & Barg 2018; Wang et al. 2016)
    two_coins(n, f, p, q)            a bit for each answer, disguised twice (RAPPOR: Erlingsson, Pihur & Korolova 2014)

The variances that the literature gives for their usual estimates stand beside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from ppdm.channel import NOT_ASKED, Channel, Lot
from ppdm.disguise.matrix import RRMatrix
from ppdm.disguise.mechanism import Mechanism
from ppdm.disguise.unrelated import UnrelatedQuestion
from ppdm.domain import Domain, listed
from ppdm.levels import probability

#: Matrices with more reports than this are not written out.
MOST_REPORTS = 1 << 16
#: Beyond this, e^ε times a number of reports is no number that a computer can hold.
MOST_EPSILON = 500


# Matrices for one answer ---------------------------------------------------------------------------


def k_rr(n: int, epsilon: float) -> np.ndarray:
    """The truth e^ε times as likely as any other report: k-RR, Warner's matrix for n answers.

    >>> k_rr(3, math.log(2)).round(2)
    array([[0.5 , 0.25, 0.25],
           [0.25, 0.5 , 0.25],
           [0.25, 0.25, 0.5 ]])
    """
    _check(n, epsilon)
    growth = math.exp(epsilon)
    return (np.ones((n, n)) + (growth - 1) * np.eye(n)) / (growth + n - 1)


def binary(n: int, epsilon: float, first: Sequence[int]) -> np.ndarray:
    """One bit for n answers: is mine one of these? With e^ε between the truth and the lie.

    [Kairouz, Oh & Viswanath 2014] the binary mechanism, best for small ε.

    >>> binary(3, math.log(3), [0])
    array([[0.75, 0.25, 0.25],
           [0.25, 0.75, 0.75]])
    """
    _check(n, epsilon)
    inside = np.isin(np.arange(n), list(first))
    bit = np.where(inside, math.exp(epsilon), 1.0) / (1 + math.exp(epsilon))
    return np.stack([bit, 1 - bit])


def unary(n: int, epsilon: float, optimised: bool = True) -> np.ndarray:
    """A bit for each answer, all disguised: 2^n reports, the first bit the first answer's.

    `optimised`: the own bit is told with probability 1/2, the others are set with 1/(e^ε + 1);
    else ("symmetric") each bit is told with the odds e^(ε/2).

    >>> unary(2, math.log(3)).round(3)[:, 0]               # reports 00, 01, 10, 11
    array([0.375, 0.125, 0.375, 0.125])
    """
    _check(n, epsilon)
    own, other = bits(epsilon, optimised)
    return _unary(n, own, other)


def bits(epsilon: float, optimised: bool = True) -> tuple[float, float]:
    """With what chance the own bit, and any other, is set in a unary report.

    >>> bits(math.log(3)), bits(math.log(9), optimised=False)
    ((0.5, 0.25), (0.75, 0.25))
    """
    if optimised:
        return 0.5, 1 / (math.exp(epsilon) + 1)
    half = math.exp(epsilon / 2)
    return round(half / (half + 1), 15), round(1 / (half + 1), 15)


def two_coins(n: int, f: float, p: float = 0.5, q: float = 0.75) -> np.ndarray:
    """RAPPOR: each bit is drawn anew with probability f, once for all; then each report of it is 1
    with probability q if that bit is 1, and p if it is 0.

    >>> two_coins(2, 0.5, 0.5, 0.75).round(3)[:, 0]
    array([0.137, 0.176, 0.301, 0.387])
    """
    _check(n, 1.0)
    f, p, q = (probability(name, value) for name, value in (("f", f), ("p", p), ("q", q)))
    right, wrong = 1 - f / 2, f / 2  # the lasting bit is 1 for the own answer, for another
    return _unary(n, q * right + p * (1 - right), q * wrong + p * (1 - wrong))


def subset_selection(n: int, epsilon: float, size: int | None = None) -> np.ndarray:
    """A set of answers, e^ε times as likely if it holds the true one; n over `size` reports.

    The size with the least error is the whole number nearest n / (e^ε + 1).

    >>> subset_selection(3, math.log(2)).round(2)
    array([[0.5 , 0.25, 0.25],
           [0.25, 0.5 , 0.25],
           [0.25, 0.25, 0.5 ]])
    """
    _check(n, epsilon)
    size = subset_size(n, epsilon) if size is None else size
    if not 1 <= size < n:
        raise ValueError(f"a set of {n} answers has 1 to {n - 1} of them; got {size!r}")
    if math.comb(n, size) > MOST_REPORTS:
        raise ValueError(
            f"{math.comb(n, size):,} sets are too many to write out (at most {MOST_REPORTS:,})"
        )
    inside = np.array([np.isin(np.arange(n), c) for c in combinations(range(n), size)])
    weight = np.where(inside, math.exp(epsilon), 1.0)
    return weight / weight.sum(axis=0)


def subset_size(n: int, epsilon: float) -> int:
    """How many answers a reported set should have.

    >>> subset_size(10, math.log(4)), subset_size(10, 5.0)
    (2, 1)
    """
    return int(min(max(1, round(n / (math.exp(epsilon) + 1))), n - 1))


def _unary(n: int, own: float, other: float) -> np.ndarray:
    if 2**n > MOST_REPORTS:
        raise ValueError(f"2^{n} reports are too many to write out (at most {MOST_REPORTS:,})")
    reports = np.array(list(product([0, 1], repeat=n)))
    chance = np.where(np.eye(n, dtype=bool), own, other)
    chances = np.where(reports[:, None, :] == 1, chance[None], 1 - chance[None])
    return chances.prod(axis=2)


def _check(n: int, epsilon: float) -> None:
    if n < 2 or n != int(n):
        raise ValueError(f"there must be two answers or more; got {n!r}")
    _check_epsilon(epsilon)


def _check_epsilon(epsilon: float) -> None:
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon is {epsilon!r}: it must be positive and finite")
    if epsilon > MOST_EPSILON:
        raise ValueError(
            f"epsilon is {epsilon!r}: at most {MOST_EPSILON} can be computed with (e^ε grows too large)"
        )


# Records -------------------------------------------------------------------------------------------


def k_rr_record(domain: Domain, epsilon: float) -> UnrelatedQuestion:
    """k-RR on the whole record. It is the unrelated question with fair coins, under another name.

    >>> scheme = k_rr_record(Domain(("A", "B"), ((0, 1),) * 2), math.log(3))
    >>> scheme.matrix(Domain(("A", "B"), ((0, 1),) * 2)).round(3)[0]
    array([0.5  , 0.167, 0.167, 0.167])
    """
    _check(domain.size, epsilon)
    growth = math.exp(epsilon) - 1
    return UnrelatedQuestion(growth / (growth + domain.size))


def k_rr_each(domain: Domain, epsilon: float) -> RRMatrix:
    """k-RR on every answer by itself, the budget split evenly.

    >>> scheme = k_rr_each(Domain(("A", "B"), ((0, 1),) * 2), 2 * math.log(3))
    >>> scheme.matrices["A"][0], round(scheme.epsilon() / math.log(3), 9)
    (array([0.75, 0.25]), 2.0)
    """
    return each(domain, lambda n: k_rr(n, epsilon / len(domain.names)))


def each(domain: Domain, matrix: Callable[[int], np.ndarray]) -> RRMatrix:
    """One kind of matrix for every answer: `matrix` is called with the number of its levels.

    >>> each(Domain(("A",), ((0, 1),)), lambda n: unary(n, 1.0)).matrices["A"].shape
    (4, 2)
    """
    return RRMatrix({n: matrix(k) for n, k in zip(domain.names, domain.shape, strict=True)})


class OneSampled(Mechanism):
    """One block of answers, drawn at random, is told by k-RR with the whole ε; the others are not.

    `blocks` are lists of names, by default every answer by itself; a name may stand in several. All
    that lies within one block can be estimated, and nothing that does not: two answers that are never
    asked together are never seen together.

    >>> from ppdm import Table
    >>> survey = Domain(("A", "B", "C"), ((0, 1),) * 3)
    >>> scheme = OneSampled(survey, math.log(3), [["A", "C"], ["B", "C"]])
    >>> reports = scheme.disguise_table(Table(survey, [500, 0, 0, 0, 0, 0, 0, 500]), np.random.default_rng(5))
    >>> scheme.undo(reports.marginal("A", "C")).dense.round()
    array([[388.,  34.],
           [ 88., 430.]])
    >>> scheme.undo(reports.marginal("A", "B"))
    Traceback (most recent call last):
    ValueError: A, B are never in one report: no block of questions holds them all
    """

    def __init__(
        self, domain: Domain, epsilon: float, blocks: Sequence[Sequence[str]] | None = None
    ) -> None:
        _check_epsilon(epsilon)
        self.domain, self.rate = domain, float(epsilon)
        names = [[name] for name in domain.names] if blocks is None else blocks
        self.blocks = tuple(tuple(block) for block in names)
        if not all(self.blocks) or len({frozenset(b) for b in self.blocks}) < len(self.blocks):
            raise ValueError("a block of answers is empty, or stands there twice")
        self._lot = Lot.over(domain, self.rate, self.blocks)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"domain": self.domain, "epsilon": self.rate, "blocks": self.blocks}

    def __repr__(self) -> str:
        return f"OneSampled(epsilon={self.rate:g}, blocks={self.blocks})"

    @property
    def named(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for block in self.blocks for name in block))

    def channels(self, domain: Domain) -> list[Channel]:
        present = [name for name in self.domain.names if name in domain.names]
        return [self._lot if len(present) == len(self.domain.names) else self._lot.only(present)]

    def true_domain(self, reported: Domain) -> Domain:
        """The domain of the true answers behind a domain of reports."""
        true = self.domain.only(reported.names)
        for name, labels, answers in zip(true.names, reported.levels, true.levels, strict=True):
            if labels != (*answers, NOT_ASKED):
                raise ValueError(
                    f"the table has the levels {listed(labels)} of {name!r}; the reports are "
                    f"{listed((*answers, NOT_ASKED))}, in this order: count them with "
                    "levels=scheme.reported(domain)"
                )
        return reported.with_levels(dict(zip(true.names, true.levels, strict=True)))

    def _own_domain(self, attribute: str | None) -> Domain:
        return self.domain
