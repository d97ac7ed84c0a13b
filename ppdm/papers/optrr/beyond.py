"""[Huang & Du] Beyond the paper: the best square matrix, the certified frontier."""

from __future__ import annotations

import numpy as np

from ppdm.optimise import descent, frontier
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
