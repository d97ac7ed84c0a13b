"""[Beyond chapter 5] What came after, as far as it can be computed exactly: extremes, odds, invariance, groups.

The evidence of each claim is a dictionary of what its rule takes; what is drawn by chance (priors,
channels) comes as twelve draws, told by their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import study
from ppdm.disguise import MultiGroup, today
from ppdm.domain import Domain
from ppdm.optimise import best_ldp_scheme, noise
from ppdm.papers.common import respondents
from ppdm.privacy import channel
from ppdm.privacy.ladder import Agree, belief, vulnerability
from ppdm.scientific import linprog
from ppdm.table import Table

#: So many draws of chance is a claim asked in.
DRAWS = 12
#: The data sets with answers of yes and no on which guesses and pairs are tried.
SETS = ("congressional-voting", "breast-cancer-wisconsin")


def in_draws(evidence: Callable[[np.random.Generator], dict], seed: int = 2016) -> dict:
    """A claim's evidence over draws of chance, as `Chapter.decide` takes it.

    >>> found = in_draws(lambda rng: {"value": rng.normal()})
    >>> len(found["draws"]), sorted(found)
    (12, ['draws', 'se', 'value'])
    """
    draws = study.each(evidence, [np.random.default_rng([seed, i]) for i in range(DRAWS)])
    return study.clustered(draws) | {"draws": draws}


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


def _of_the_most(make: Callable[[np.ndarray], np.ndarray], epsilon: float) -> dict:
    def one(rng: np.random.Generator) -> dict:
        prior = rng.dirichlet(np.ones(5))
        return {"value": information(make(prior), prior) / most_information(prior, epsilon)[0]}

    return in_draws(one)


def two_ends() -> dict[str, dict]:
    """[WC-51, WC-52] The one bit and k-RR beside the most that a report may tell: five answers, drawn priors."""

    def bit(epsilon: float, even: bool = True) -> dict:
        return _of_the_most(lambda p: today.binary(5, epsilon, halves(p, even)), epsilon)

    def k_rr(epsilon: float) -> dict:
        return _of_the_most(lambda _: today.k_rr(5, epsilon), epsilon)

    return {
        "WC-51": bit(0.05)
        | {"plants": {"ε = 4": _bare(bit(4.0)), "the most uneven halves": _bare(bit(0.05, False))}},
        "WC-52": k_rr(8.0)
        | {"plants": {"ε = 1": _bare(k_rr(1.0)), "half of the answers": _bare(bit(8.0))}},
    }


def _bare(found: dict) -> dict:
    return {name: value for name, value in found.items() if name != "draws"}


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


def sets_tell_most() -> dict:
    """[WC-53] The linear programme's best beside the best set's formula, for equally common answers."""
    points = [(n, e) for n in range(2, 9) for e in (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)]
    best = [most_information(np.full(n, 1 / n), e)[0] for n, e in points]

    def formula(sizes: Callable[[int], Sequence[int]]) -> np.ndarray:
        return np.array([max(told_by_a_set(n, e, s) for s in sizes(n)) for n, e in points])

    names = [f"{n} answers, ε = {e:g}" for n, e in points]
    beside = {"ours": np.array(best), "names": names}
    return beside | {
        "theirs": formula(lambda n: range(1, n)),
        "plants": {
            "single answers only": beside | {"theirs": formula(lambda n: [1])},
            "halves only": beside | {"theirs": formula(lambda n: [n // 2])},
        },
    }


# What an estimate costs ---------------------------------------------------------------------------

EPSILONS = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)


def sets_estimate_best(n: int = 8) -> dict:
    """[WC-54] The noise of a set's estimate over the least that any scheme can have, certified."""
    even = np.full(n, 1 / n)
    least = {e: _least(n, e) for e in EPSILONS}

    def beside(size: Callable[[float], int]) -> dict:
        value = [_noise(today.subset_selection(n, e, size(e)), even) / least[e] for e in EPSILONS]
        return {"value": value, "names": [f"ε = {e:g}" for e in EPSILONS]}

    return beside(lambda e: best_size(n, e)) | {
        "plants": {"k-RR": beside(lambda e: 1), "half of the answers": beside(lambda e: n // 2)}
    }


def best_size(n: int, epsilon: float) -> int:
    """The size of set with the least noise for equally common answers.

    >>> [best_size(8, epsilon) for epsilon in (0.1, 1.0, 2.0, 4.0)]
    [4, 2, 1, 1]
    """
    return min(range(1, n), key=lambda s: today.variance_subset(n, epsilon, s, share=1 / n))


@lru_cache(maxsize=32)
def _least(n: int, epsilon: float) -> float:
    """The least noise that any scheme with this ε can have, for n equally common answers: certified."""
    return best_ldp_scheme(np.full(n, 1 / n), epsilon).noise


def _noise(matrix: np.ndarray, prior: np.ndarray) -> float:
    return float(noise(matrix, prior))


def two_prices(epsilons: Sequence[float], n: int = 8) -> list[dict]:
    """[The figure] For each ε and scheme, what it tells and what its estimate costs, of the best: n even answers.

    >>> [row["scheme"] for row in two_prices([1.0])]
    ['one bit: which half?', 'a random set', 'k-RR']
    """
    even, rows = np.full(n, 1 / n), []
    for epsilon in epsilons:
        most, least = most_information(even, epsilon)[0], _least(n, epsilon)
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
                    "efficiency": least / _noise(M, even),
                }
            )
    return rows


# Odds, and the condition number -------------------------------------------------------------------


def growth(M: np.ndarray, priors: np.ndarray) -> float:
    """By how much the odds of any predicate grow with any report, at most over these priors.

    >>> float(round(growth(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([[0.5, 0.5]])), 12))
    3.0
    """
    n = M.shape[1]
    predicates = np.array(list(product([0, 1], repeat=n)))[1:-1]
    joint = M[None] * priors[:, None, :]
    inside = np.einsum("pyx,qx->pyq", joint, predicates)
    outside = joint.sum(axis=2, keepdims=True) - inside
    before = priors @ predicates.T
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = inside / outside / (before / (1 - before))[:, None, :]
    return float(np.nanmax(np.where((before > 0)[:, None] & (before < 1)[:, None], grown, np.nan)))


def odds(answers: int = 4, reports: int = 5) -> dict:
    """[WC-55] The largest growth of odds in parts of γ, in drawn channels: all predicates, many priors."""
    sure = np.array(
        [[0.5 * (x in pair) for x in range(answers)] for pair in combinations(range(answers), 2)]
    )

    def one(rng: np.random.Generator, mean: bool = False, pairs: bool = True) -> dict:
        M = rng.dirichlet(np.ones(reports), size=answers).T
        ratios = M.max(axis=1) / M.min(axis=1)
        priors = rng.dirichlet(np.ones(answers), size=200)
        priors = np.vstack([priors, sure]) if pairs else priors
        return {"value": growth(M, priors) / (ratios.mean() if mean else ratios.max())}

    plants = {
        "the mean ratio for γ": _bare(in_draws(lambda rng: one(rng, mean=True))),
        "nobody sure of two answers": _bare(in_draws(lambda rng: one(rng, pairs=False))),
    }
    return in_draws(one) | {"plants": plants}


def fano(gamma: float) -> np.ndarray:
    """Seven answers, seven lines of three: a line is γ times as likely if it holds the answer.

    x and y belong together if x + y is 1, 2 or 4 modulo 7, so the matrix is symmetric.

    >>> M = fano(2.0)
    >>> bool((M == M.T).all()), M.sum(axis=0).round(12).tolist()
    (True, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    """
    both = np.add.outer(np.arange(7), np.arange(7)) % 7
    return np.where(np.isin(both, (1, 2, 4)), gamma, 1.0) / (3 * gamma + 4)


def well_conditioned(rng: np.random.Generator, n: int, gamma: float) -> np.ndarray:
    """A symmetric positive definite channel with this γ, drawn: a mixture of orders, squared, and blurred.

    >>> M = well_conditioned(np.random.default_rng(1), 4, 3.0)
    >>> float(round((M.max(axis=1) / M.min(axis=1)).max(), 9)), bool(np.linalg.eigvalsh(M).min() > 0)
    (3.0, True)
    """
    weights = rng.dirichlet(np.full(4, 0.5))
    S = sum(w * np.eye(n)[rng.permutation(n)] for w in weights)
    near = rng.uniform(0, 0.5)  # the nearer to the identity, the nearer to k-RR
    half = (1 - near) * np.eye(n) + near / 2 * (S + S.T)
    M = half @ half
    # the sharpest mixture with 1/n that γ allows: (1/n + t a) <= γ (1/n + t b) for all a, b of a row
    too_steep = (M.max(axis=1) - 1 / n) - gamma * (M.min(axis=1) - 1 / n)
    return 1 / n + (gamma - 1) / n / too_steep.max() * (M - 1 / n)


def _k_rr_condition(n: int, gamma: float) -> float:
    """[Agrawal & Haritsa] The condition number of k-RR with e^ε = γ: derived on the page."""
    return (gamma + n - 1) / (gamma - 1)


def conditioning(n: int = 7, gamma: float = 2.0, each: int = 42) -> dict:
    """[WC-56] The smallest condition number of drawn matrices, in parts of k-RR's."""

    def one(rng: np.random.Generator) -> dict:
        drawn = min(np.linalg.cond(well_conditioned(rng, n, gamma)) for _ in range(each))
        return {"value": drawn / _k_rr_condition(n, gamma)}

    lines = {"value": np.linalg.cond(fano(gamma)) / _k_rr_condition(7, gamma)}
    return in_draws(one) | {"plants": {"lines of the Fano plane": lines}}


def fano_is_better() -> dict:
    """[WC-57] By how much k-RR's condition number exceeds that of the Fano plane's lines."""

    def by(gamma: float) -> dict:
        return {"size": max(_k_rr_condition(7, gamma) / np.linalg.cond(fano(gamma)) - 1, 0.0)}

    return by(2.0) | {"plants": {"γ = 20": by(20.0)}}


# Invariance ---------------------------------------------------------------------------------------


def invariant(M: ArrayLike, prior: ArrayLike) -> np.ndarray:
    """[Gouweleeuw et al. 1998] The matrix of reports drawn back: P(x | y) by Bayes' rule after M.

    >>> R = invariant([[0.7, 0.3], [0.3, 0.7]], [0.9, 0.1])
    >>> (R @ [0.9, 0.1]).round(12)
    array([0.9, 0.1])
    """
    M, prior = np.asarray(M, dtype=float), np.asarray(prior, dtype=float)
    back = (M * prior / (M @ prior)[:, None]).T
    return back @ M


def kept_shares(n: int = 5) -> dict:
    """[WC-58] The shares of an invariant release beside the true ones, for drawn channels and priors."""

    def one(rng: np.random.Generator, release: Callable) -> dict:
        M, prior = rng.dirichlet(np.ones(n), size=n).T, rng.dirichlet(np.ones(n))
        return {"ours": release(M, prior) @ prior, "theirs": prior}

    def told(release: Callable) -> dict[str, dict]:
        return {
            f"draw {i + 1}": one(np.random.default_rng([1998, i]), release) for i in range(DRAWS)
        }

    def together(draws: Mapping[str, dict]) -> dict:
        return {
            side: np.concatenate([d[side] for d in draws.values()]) for side in ("ours", "theirs")
        }

    even = together(told(lambda M, prior: invariant(M, np.full(n, 1 / n))))
    once = together(told(lambda M, prior: M))
    draws = told(invariant)
    plants = {"an even prior assumed": even, "not drawn back": once}
    return together(draws) | {"draws": draws, "plants": plants}


def only_what_was_known() -> dict:
    """[WC-59] Of the difference of women and men in Adult, the share that an invariant release shows."""
    everyone = respondents("adult").everyone
    names = [name for name in everyone.names if name != "sex"]
    women, men = (
        np.array([_share(everyone.where(sex=sex), name) for name in names]) for sex in (0, 1)
    )
    apart = np.abs(women - men) > 0.01  # else there is nothing to show
    kept = [name for name, here in zip(names, apart, strict=True) if here]

    def shown(theta: float, undo: bool = False) -> dict:
        coin = np.array([[theta, 1 - theta], [1 - theta, theta]])
        value = []
        for w, m in zip(women[apart], men[apart], strict=True):
            told = w if undo else (invariant(coin, [1 - m, m]) @ [1 - w, w])[1]
            value.append((told - m) / (w - m))
        return {"value": value, "names": kept}

    return shown(0.7) | {"plants": {"θ = 0.9": shown(0.9), "undone": shown(0.7, undo=True)}}


def _share(table: Table, name: str) -> float:
    counts = table.marginal(name).densified().values
    return float(counts[1] / counts.sum())


# Groups and many answers --------------------------------------------------------------------------

THETAS = (0.55, 0.6, 0.7, 0.8, 0.9)


def always_told() -> dict:
    """[WC-60] The chance of guessing whether two fair answers agree, from a report of both."""
    pair = Table(Domain(("A", "B"), ((0, 1),) * 2), np.ones(4))

    def chance(groups: list | None) -> dict:
        value = [vulnerability(MultiGroup(t, groups), Agree("A", "B"), pair) for t in THETAS]
        return {"value": value, "names": [f"θ = {t:g}" for t in THETAS]}

    return chance(None) | {"plants": {"a coin each": chance([["A"], ["B"]])}}


def adding_up(most: int = 6) -> dict:
    """[WC-61] ε and the logarithm of the capacity of several answers, beside the sums of each one's."""
    points = [(d, theta) for d in range(1, most + 1) for theta in THETAS[1:]]
    names = [f"{what}, {d} answers, θ = {t:g}" for what in ("ε", "capacity") for d, t in points]

    def both(matrix: Callable[[int, float], np.ndarray]) -> np.ndarray:
        made = [matrix(d, theta) for d, theta in points]
        return np.array(
            [channel.epsilon(M) for M in made] + [math.log(channel.capacity(M)) for M in made]
        )

    def coin(theta: float) -> np.ndarray:
        return np.array([[theta, 1 - theta], [1 - theta, theta]])

    sums = np.array(
        [d * math.log(t / (1 - t)) for d, t in points] + [d * math.log(2 * t) for d, t in points]
    )
    each = both(lambda d, t: reduce(np.kron, [coin(t)] * d))
    same = both(lambda d, t: coin(t) if d == 1 else _one_group(d, t))
    return {
        "ours": each,
        "theirs": sums,
        "names": names,
        "plants": {"one coin for all": {"ours": same, "theirs": sums, "names": names}},
    }


def _one_group(d: int, theta: float) -> np.ndarray:
    same = np.eye(2**d)
    return theta * same + (1 - theta) * same[::-1]


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


def others_tell(theta: float = 0.7, shuffled: bool = False) -> dict:
    """[WC-62] The class guessed by one who knows other people, in twelve splits of each data set.

    `shuffled`: in a world in which the answers have nothing to do with the class.
    """

    def one(number: int) -> dict:
        value = []
        for dataset in SETS:
            others, victims = respondents(dataset).numbered(number)
            if shuffled:
                others, victims = (_unrelated(part) for part in (others, victims))
            value.append(told_by_others(belief("others", others), victims, theta))
        return {"value": np.array(value), "names": list(SETS)}

    draws = {f"split {i + 1}": one(i) for i in range(DRAWS)}
    return study.clustered(draws) | {"draws": draws}


def _unrelated(table: Table) -> Table:
    """The same answers and the same classes, independent of each other."""
    dense = table.proportions().densified().dense.reshape(-1, 2)
    return Table(table.domain, np.outer(dense.sum(axis=1), dense.sum(axis=0)).ravel())


def others_tell_evidence() -> dict[str, Any]:
    """[WC-62] With its wrong worlds."""
    plants = {
        "answers shuffled": _bare(others_tell(shuffled=True)),
        "θ = 0.55": _bare(others_tell(0.55)),
    }
    return others_tell() | {"plants": plants}
