"""[Beyond chapter 5] What a report tells, what an estimate costs, and what other answers tell: exactly, by formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike

from ppdm.disguise import today
from ppdm.optimise import best_ldp_scheme, noise
from ppdm.scientific import linprog
from ppdm.table import Table

# How much a report tells --------------------------------------------------------------------------


def information(M: ArrayLike, prior: ArrayLike) -> float:
    """The mutual information of the true answer and its report, in bits.

    >>> round(information(np.eye(2), [0.5, 0.5]), 12)
    1.0
    """
    M, prior = np.asarray(M, dtype=float), np.asarray(prior, dtype=float)
    joint, reported = M * prior, M @ prior
    ratio = np.divide(M, reported[:, None], out=np.ones_like(M), where=joint > 0)
    return float((joint * np.log2(ratio)).sum())


def most_information(prior: ArrayLike, epsilon: float) -> tuple[float, np.ndarray]:
    """[Kairouz, Oh & Viswanath 2016] The most that a report may tell under ε-LDP, and a channel that does.

    A best channel has reports of one kind only: v in {1, e^ε}^n, each as often as the linear programme
    max sum_v w_v mu(v) under sum_v w_v v = 1 says, with mu(v) the information of v.

    >>> value, M = most_information([0.5, 0.5], math.log(3))          # Warner's coin, p = 3/4
    >>> round(value, 6), round(information(M, [0.5, 0.5]), 6)
    (0.188722, 0.188722)
    """
    prior = np.asarray(prior, dtype=float)
    inside = np.array(list(product([0, 1], repeat=len(prior))))[:-1]  # all but "any": that is none
    v = np.where(inside, math.exp(epsilon), 1.0)
    told = (v * prior * np.log2(v / (v @ prior)[:, None])).sum(axis=1)
    unit = told.max()  # the solver's tolerance is absolute
    found = linprog(-told / unit, A_eq=v.T, b_eq=np.ones(len(prior)), method="highs")
    if not found.success:
        raise RuntimeError(f"the linear programme was not solved: {found.message}")
    used = found.x > 1e-12
    return float(-found.fun * unit), found.x[used, None] * v[used]


def halves(prior: ArrayLike, even: bool = True) -> tuple[int, ...]:
    """The answers that make the evenest half of the people (or the most uneven one).

    >>> halves([0.5, 0.3, 0.2]), halves([0.5, 0.3, 0.2], even=False) in ((2,), (0, 1))
    ((0,), True)
    """
    prior = np.asarray(prior, dtype=float)
    n = len(prior)
    sets = [s for k in range(1, n) for s in combinations(range(n), k)]
    away = [abs(prior[list(s)].sum() - 0.5) for s in sets]
    return sets[int(np.argmin(away) if even else np.argmax(away))]


def told_by_a_set(n: int, epsilon: float, size: int) -> float:
    """The information of a random set of `size` answers, if all n are equally common: a formula.

    A set is e^ε times as likely if it holds the true answer, so each weighs 1 / (s e^ε + n - s).

    >>> round(told_by_a_set(2, math.log(3), 1), 6)
    0.188722
    """
    grown = math.exp(epsilon)
    mean = (size * grown + n - size) / n
    return size / n * grown / mean * math.log2(grown / mean) - (n - size) / n / mean * math.log2(
        mean
    )


# What an estimate costs ---------------------------------------------------------------------------

EPSILONS = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)


def best_size(n: int, epsilon: float) -> int:
    """The size of set with the least noise for equally common answers.

    >>> [best_size(8, epsilon) for epsilon in (0.1, 1.0, 2.0, 4.0)]
    [4, 2, 1, 1]
    """
    return min(range(1, n), key=lambda s: today.variance_subset(n, epsilon, s, share=1 / n))


@lru_cache(maxsize=32)
def least_noise(n: int, epsilon: float) -> float:
    """The least noise that any scheme with this ε can have, for n equally common answers: certified."""
    return best_ldp_scheme(np.full(n, 1 / n), epsilon).noise


def noise_of(matrix: np.ndarray, prior: np.ndarray) -> float:
    """The noise of a scheme's shares."""
    return float(noise(matrix, prior))


def two_prices(epsilons: Sequence[float], n: int = 8) -> list[dict]:
    """[The figure] For each ε and scheme, what it tells and what its estimate costs, of the best: n even answers.

    >>> [row["scheme"] for row in two_prices([1.0])]
    ['one bit: which half?', 'a random set', 'k-RR']
    """
    even, rows = np.full(n, 1 / n), []
    for epsilon in epsilons:
        most, least = most_information(even, epsilon)[0], least_noise(n, epsilon)
        schemes = {
            "one bit: which half?": today.binary(n, epsilon, range(n // 2)),
            "a random set": today.subset_selection(n, epsilon, best_size(n, epsilon)),
            "k-RR": today.k_rr(n, epsilon),
        }
        for scheme, M in schemes.items():
            rows.append(
                {
                    "epsilon": epsilon,
                    "scheme": scheme,
                    "told": information(M, even) / most,
                    "efficiency": least / noise_of(M, even),
                }
            )
    return rows


# Groups and many answers --------------------------------------------------------------------------


def told_by_others(believed: Table, true: Table, theta: float, own: bool = False) -> float:
    """The chance of guessing the last answer from the disguised others, a coin each; `own`: and its own report.

    >>> from ppdm import Domain
    >>> twins = Table(Domain(("A", "class"), ((0, 1),) * 2), [1, 0, 0, 1])
    >>> round(told_by_others(twins, twins, 0.7), 12)
    0.7
    """
    coin = np.array([[theta, 1 - theta], [1 - theta, theta]])

    def disguised(table: Table) -> np.ndarray:
        values = table.proportions().densified().dense
        for axis in range(values.ndim - 1):
            values = np.moveaxis(np.tensordot(coin, values, axes=(1, axis)), 0, axis)
        values = values.reshape(-1, 2)
        return np.stack([values * row for row in coin]) if own else values[None]

    says, joint = disguised(believed).argmax(axis=2), disguised(true)
    return float(np.take_along_axis(joint, says[..., None], axis=2).sum())


def unrelated(table: Table) -> Table:
    """The same answers and the same classes, independent of each other."""
    dense = table.proportions().densified().dense.reshape(-1, 2)
    return Table(table.domain, np.outer(dense.sum(axis=1), dense.sum(axis=0)).ravel())
