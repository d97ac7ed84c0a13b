"""[Beyond chapter 5] Later relatives of the multi-group scheme: answers told together, pairs estimated jointly.

A cluster of answers is told as one, by k-RR on its combinations [Domingo-Ferrer & Soria-Comas 2020]:
Zhan & Du's group with another matrix. Told apart, each answer has its part of the ε.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain, combinations

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.disguise.today import k_rr
from ppdm.estimate import em, projected
from ppdm.optimise import noise
from ppdm.papers.common import TRAINING, binary_frame, respondents
from ppdm.study.worlds import Reading

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
SETS = ("congressional-voting", "breast-cancer-wisconsin", "adult")
SHUFFLED = Reading(
    "columns shuffled",
    "Do answers go together?",
    "as in the data",
    alternative="not at all",
    options={"shuffled": True},
)
PLANTS = (
    Reading(
        "clusters of eight",
        "How many answers are told together?",
        "two",
        alternative="eight",
        options={"joined": 4},
    ),
    Reading(
        "half of the ε",
        "How much may a cluster tell?",
        "as much as its answers apart",
        alternative="half of that",
        options={"part": 0.5},
    ),
)

# Exactly ------------------------------------------------------------------------------------------


def kept(size: int, epsilon: float, alone: bool = False) -> float:
    """What is left of a yes/no answer's effect on its report, of `size` answers with one ε.

    Together: (e^ε - 1) / (e^ε + 2^size - 1). Alone, with ε / size: tanh(ε / (2 size)).

    >>> round(kept(2, 1.0), 4), round(kept(2, 1.0, alone=True), 4)
    (0.3005, 0.2449)
    """
    if alone:
        return math.tanh(epsilon / (2 * size))
    return (math.exp(epsilon) - 1) / (math.exp(epsilon) + 2**size - 1)


def noises(
    shares: np.ndarray, epsilon: float, size: int = 2, coin: float | None = None
) -> dict[str, float]:
    """The noise of a pair's table and of each answer's share, told together and apart.

    `shares` are those of the pair's four combinations; `size` answers have one ε; `coin` is what is
    kept of an answer told apart, if it does not follow from ε.

    >>> found = noises(np.full(4, 0.25), 1.0)
    >>> [round(found[name], 1) for name in ("pair, together", "pair, apart")]
    [7.6, 77.1]
    """
    joint, single = kept(size, epsilon), kept(size, epsilon, alone=True) if coin is None else coin
    even, bit = np.full((4, 4), 0.25), np.full((2, 2), 0.5)
    one = single * np.eye(2) + (1 - single) * bit
    square = shares.reshape(2, 2)
    out = {
        "pair, together": float(noise(joint * np.eye(4) + (1 - joint) * even, shares)),
        "pair, apart": float(noise(np.kron(one, one), shares)),
    }
    for name, axis in (("first", 1), ("second", 0)):
        share = square.sum(axis=axis)
        out[f"{name}, together"] = float(noise(joint * np.eye(2) + (1 - joint) * bit, share))
        out[f"{name}, apart"] = float(noise(one, share))
    return out


def _ratios(found: dict[str, float]) -> list[float]:
    return [
        found[f"{what}, apart"] / found[f"{what}, together"] for what in ("pair", "first", "second")
    ]


def two_told_together() -> dict:
    """[WC-69] Noise told apart over noise told together; fair answers and all of Adult's pairs."""
    everyone = respondents("adult").everyone
    pairs = [
        (f"{a} and {b}", everyone.marginal(a, b).proportions().densified().values)
        for a, b in combinations(everyone.names, 2)
    ]
    fair = np.full(4, 0.25)
    value, names = [], []
    for epsilon in EPSILONS:
        for name, shares in [("fair answers", fair), *pairs]:
            if (shares > 0).all():
                value += _ratios(noises(shares, epsilon))
                names += [
                    f"{what}, {name}, ε = {epsilon:g}" for what in ("pair", "first", "second")
                ]
    four = [r for e in EPSILONS for r in _ratios(noises(fair, e, size=4))]
    same = [
        r for e in EPSILONS for r in _ratios(noises(fair, e, coin=2 * math.sqrt(_guessed(e)) - 1))
    ]
    plants = {
        "four answers": {"value": four},
        "at the same chance of guessing both": {"value": same},
    }
    return {"value": value, "names": names, "plants": plants}


def _guessed(epsilon: float) -> float:
    """The chance that a report of two fair answers, told together, is true."""
    return math.exp(epsilon) / (math.exp(epsilon) + 3)


def gains(epsilons: Iterable[float], sizes: Iterable[int] = (2, 3, 4)) -> pd.DataFrame:
    """[The figure] For fair answers: the noise told together in parts of the noise told apart.

    >>> gains([0.1], [4])[["told together", "table", "noise"]].values.tolist()[0]
    ['4 answers', 'each share', 3.6...]
    """
    rows = []
    for size in sizes:
        for epsilon in epsilons:
            pair, first, _ = _ratios(noises(np.full(4, 0.25), epsilon, size))
            for table, ratio in (("each share", first), ("each pair of them", pair)):
                rows.append(
                    {
                        "told together": f"{size} answers",
                        "epsilon": epsilon,
                        "table": table,
                        "noise": 1 / ratio,
                    }
                )
    return pd.DataFrame(rows)


# On data ------------------------------------------------------------------------------------------


def in_pairs(X: np.ndarray) -> list[tuple[int, ...]]:
    """The columns in clusters of two, the most dependent first (one is left over if they are odd).

    >>> x = np.array([0, 0, 1, 1, 0, 1]); z = np.array([0, 1, 0, 1, 1, 0])
    >>> in_pairs(np.stack([x, z, 1 - x], axis=1))
    [(0, 2), (1,)]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        strength = np.nan_to_num(np.abs(np.corrcoef(X.T)))
    left, clusters = set(range(X.shape[1])), []
    order = sorted(combinations(range(X.shape[1]), 2), key=lambda ij: -strength[ij])
    for i, j in order:
        if i in left and j in left:
            clusters.append((i, j))
            left -= {i, j}
    return [*clusters, *((i,) for i in sorted(left))]


def pair_errors(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    draw: int,
    epsilon: float = 5.0,
    shuffled: bool = False,
    joined: int = 1,
    part: float = 1.0,
    **coding: object,
) -> dict[str, np.ndarray]:
    """The error of all pair tables (root mean square of their shares), with ε for the whole record.

    Four fifths of the people answer; which answers go together is learned from the others.
    "independent": what is told apart is taken as independent; "undone": it is estimated from the
    reports. So many pairs are `joined` in one cluster, which has this `part` of its answers' ε.
    """
    X = binary_frame(dataset, **coding).to_numpy(dtype=np.int64)
    found = []
    for _ in range(reps):
        people = rng.permuted(X, axis=0) if shuffled else X[rng.permutation(len(X))]
        asked, others = np.split(people, [round(TRAINING * len(people))])
        truth = _pair_tables(asked, 1.0)
        one = {}
        chance = rng.permutation(X.shape[1])
        by_chance = [tuple(chance[i : i + 2].tolist()) for i in range(0, X.shape[1], 2)]
        pairs = in_pairs(others)
        clusters = [tuple(chain(*pairs[i : i + joined])) for i in range(0, len(pairs), joined)]
        plans: dict[str, tuple[list[tuple[int, ...]], float]] = {
            "apart": ([(i,) for i in range(X.shape[1])], epsilon),
            "clusters": (clusters, part * epsilon),
            "clusters by chance": (by_chance, epsilon),
        }
        for plan, (blocks, budget) in plans.items():
            for how, estimate in _estimates(asked, blocks, budget, rng).items():
                one[f"{plan}, {how}"] = float(np.sqrt(np.mean((estimate - truth) ** 2)))
        found.append(one)
    return {name: np.array([f[name] for f in found]) for name in found[0]}


def _estimates(
    asked: np.ndarray, clusters: list[tuple[int, ...]], epsilon: float, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Disguise by clusters; estimate every pair's table of what agrees, in two ways."""
    n, d = asked.shape
    told, keep = np.empty_like(asked), np.ones(d)
    for cluster in clusters:
        columns, size = list(cluster), len(cluster)
        lam = kept(size, epsilon * size / d)
        lies = np.asarray(rng.random(n) >= lam)  # then each combination is as likely as any other
        told[:, columns] = np.where(lies[:, None], rng.integers(0, 2, (n, size)), asked[:, columns])
        keep[columns] = lam
    signs = 1.0 - 2.0 * told
    mean = signs.mean(axis=0) / keep
    both = signs.T @ signs / n
    undone = both / np.outer(keep, keep)
    for cluster in clusters:
        for i, j in combinations(cluster, 2):
            undone[i, j] = undone[j, i] = both[i, j] / keep[i]  # one lie for both
    independent = np.outer(mean, mean)
    for cluster in clusters:
        for i, j in combinations(cluster, 2):
            independent[i, j] = independent[j, i] = undone[i, j]
    return {"independent": _tables(mean, independent), "undone": _tables(mean, undone)}


def _pair_tables(X: np.ndarray, keep: float) -> np.ndarray:
    signs = 1.0 - 2.0 * X
    return _tables(signs.mean(axis=0) / keep, signs.T @ signs / len(X) / keep**2)


def _tables(mean: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Every pair's four shares from the means of signs and of their products."""
    i, j = np.triu_indices(len(mean), 1)
    a, b, c = mean[i], mean[j], both[i, j]
    return np.stack([1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c]) / 4


def cluster_gain(rows: pd.DataFrame) -> dict:
    """[WC-70] By how much clusters are nearer than answers told apart, both taken as independent beyond."""
    mean = rows.groupby(["dataset", "metric"], sort=False)["value"].mean().unstack()
    away = mean["apart, independent"] - mean["clusters, independent"]
    return {"differences": away.to_numpy(), "names": list(away.index)}


def dependence_gain(rows: pd.DataFrame) -> dict:
    """[WC-72] By how much clusters of dependent answers are nearer than clusters drawn by lot."""
    mean = rows.groupby(["dataset", "metric"], sort=False)["value"].mean().unstack()
    away = mean["clusters by chance, independent"] - mean["clusters, independent"]
    return {"differences": away.to_numpy(), "names": list(away.index)}


# Pairs jointly ------------------------------------------------------------------------------------

EM_READINGS = (
    Reading("stopped early", "When does EM stop?", "when it stands still", alternative="after 20 steps",
            options={"steps": 20}),
    Reading("ε = 1", "How much may an answer tell?", "ε = 2", alternative="ε = 1",
            options={"epsilon": 1.0}),
    Reading("ε = 4", "How much may an answer tell?", "ε = 2", alternative="ε = 4",
            options={"epsilon": 4.0}),
)  # fmt: skip
EM_PLANTS = (
    Reading(
        "the coin of another ε",
        "Which matrix does EM undo?",
        "the respondents'",
        alternative="that of twice the ε",
        options={"factor": 2.0},
    ),
)


def joint_errors(
    rng: np.random.Generator,
    reps: int,
    draw: int,
    epsilon: float = 2.0,
    steps: int = 1_000,
    factor: float = 1.0,
    source: str | None = None,
) -> dict[str, np.ndarray]:
    """The distance (half the sum of differences) of estimated pair tables of Breast Cancer's grades.

    Each attribute with the next; each answer told by k-RR on its ten grades.
    """
    cancer = data.load("breast-cancer-wisconsin", source).complete()
    X = cancer.frame[cancer.features].to_numpy(dtype=np.int64) - 1
    M, levels = k_rr(10, epsilon), 10
    both, believed = np.kron(M, M), k_rr(10, factor * epsilon)
    believed = np.kron(believed, believed)
    back, found = np.linalg.inv(both), []
    for _ in range(reps):
        asked = X[rng.permutation(len(X))[: round(TRAINING * len(X))]]
        lam = M[0, 0] - M[1, 0]
        told = np.where(rng.random(asked.shape) < lam, asked, rng.integers(0, levels, asked.shape))
        one: dict[str, list[float]] = {
            "undone": [],
            "undone and moved": [],
            "EM": [],
            "independent": [],
        }
        for i in range(X.shape[1] - 1):
            truth, seen = (
                np.bincount(Y[:, i] * levels + Y[:, i + 1], minlength=levels**2) / len(Y)
                for Y in (asked, told)
            )
            undone = back @ seen
            table = undone.reshape(levels, levels)
            estimates = {
                "undone": undone,
                "undone and moved": projected(undone),
                "EM": em(seen, believed, tolerance=1e-7, steps=steps),
                "independent": np.outer(projected(table.sum(1)), projected(table.sum(0))).ravel(),
            }
            for name, estimate in estimates.items():
                one[name].append(np.abs(estimate - truth).sum() / 2)
        found.append({name: np.mean(values) for name, values in one.items()})
    return {name: np.array([f[name] for f in found]) for name in found[0]}


def em_gain(rows: pd.DataFrame) -> dict:
    """[WC-71] By how much EM is nearer than undoing, and than undoing and moving."""
    mean = rows.groupby("metric")["value"].mean()
    others = ("undone", "undone and moved")
    return {"differences": np.array([mean[o] - mean["EM"] for o in others]), "names": list(others)}
