"""[Huang & Du] Beyond the paper: the best square matrix, the certified frontier, other privacy."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from ppdm.optimise import descent, frontier, objectives
from ppdm.papers.optrr.experiment import front_columns, levels

DIGITS = 9  # what a solver finds is kept to so many significant digits


def square_cell(rng, dataset: str, delta: float, priors: dict, count: int):
    """The best square matrices found at `count` levels."""
    prior = priors[dataset]
    grid = levels(prior, delta, count)
    front = descent.square_front(prior, delta, grid, rng)
    return {"level": grid, **{k: significant(v) for k, v in front_columns(front, False).items()}}


def frontier_cell(rng, dataset: str, delta: float, priors: dict, count: int):
    """The certified frontier at `count` levels: error, lower bound, outputs of the scheme."""
    prior = priors[dataset]
    grid = levels(prior, delta, count)
    points = frontier.certified_frontier(prior, delta, grid)
    return {
        "level": grid,
        "privacy": significant([p.privacy for p in points], 6),
        "mse": significant([p.mse for p in points], 6),
        "bound": significant([p.bound for p in points], 6),
        "gap": np.array([power_above(p.gap) for p in points]),
        "outputs": np.array([len(p.matrix) for p in points]),
    }


def ldp_cell(rng, epsilon: float, prior):
    """The least error under epsilon-LDP, and that of the schemes known for it."""
    n = len(prior)
    best = frontier.best_ldp_scheme(prior, epsilon)
    subsets = [objectives.mse(subset_selection(n, k, epsilon), prior) for k in range(1, n)]
    return {
        "scheme": ["frontier", "k-ary (Warner)", "best subset selection", "binary, bit by bit"],
        "mse": significant(
            [best.mse, subsets[0], min(subsets), objectives.mse(unary(n, epsilon), prior)], 6
        ),
        "size": [0, 1, 1 + int(np.argmin(subsets)), 0],
        "gap": [power_above(best.gap), 0.0, 0.0, 0.0],
    }


def subset_selection(n: int, k: int, epsilon: float) -> np.ndarray:
    """Report a set of k answers, e^epsilon times as likely if it holds the true one.

    >>> subset_selection(3, 1, np.log(2)).round(2)
    array([[0.5 , 0.25, 0.25],
           [0.25, 0.5 , 0.25],
           [0.25, 0.25, 0.5 ]])
    """
    inside = np.array([np.isin(np.arange(n), c) for c in combinations(range(n), k)])
    weight = np.where(inside, np.exp(epsilon), 1.0)
    return weight / weight.sum(axis=0)


def unary(n: int, epsilon: float) -> np.ndarray:
    """Binary randomized response on each of n bits, one bit set: epsilon/2 a bit, 2^n reports."""
    keep = np.exp(epsilon / 2) / (1 + np.exp(epsilon / 2))
    reports = np.array(list(product([0, 1], repeat=n)))
    true = np.eye(n, dtype=int)
    same = reports[:, None, :] == true[None]
    return np.where(same, keep, 1 - keep).prod(axis=2)


def report_kinds(scheme: frontier.BestScheme, prior, delta: float) -> dict:
    """What share of people is told up to delta, or as one of two, three, ... answers all alike.

    >>> m = np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.5]])
    >>> report_kinds(frontier.BestScheme(0.0, 0.0, 0.0, m), np.array([0.5, 0.5]), 1.0)
    {'up to δ': 1.0, 'one of 2': 0.0, 'one of 3': 0.0, 'one of 4 or more': 0.0}
    """
    weight = scheme.matrix @ prior
    largest = (scheme.matrix * prior).max(axis=1) / weight
    told = largest > delta - 1e-4
    alike = np.rint(1 / largest)
    shares = {"up to δ": told}
    shares |= {f"one of {k}": ~told & (alike == k) for k in (2, 3)}
    shares["one of 4 or more"] = ~told & (alike >= 4)
    return {name: float(weight[kind].sum().round(4)) for name, kind in shares.items()}


def significant(values, digits: int = DIGITS) -> np.ndarray:
    """Values to so many significant digits, so that they are the same at every run.

    >>> significant(np.array([1.23456789012, 0.0])).tolist()
    [1.23456789, 0.0]
    """
    return np.array([float(f"{v:.{digits}g}") for v in np.ravel(values)]).reshape(np.shape(values))


def power_above(gap: float) -> float:
    """The next power of ten: what is said of a gap does not depend on its last bits.

    >>> power_above(3e-8)
    1e-07
    """
    return float(10.0 ** np.ceil(np.log10(max(gap, 1e-12))))
