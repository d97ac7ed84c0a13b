"""[Zhan & Du 4.5] Why undoing can cost accuracy: bias against variance, for a tree of one question.

The tree asks one answer A and says the more frequent class C of that branch. From reports as they came
the difference of the two class counts is biased; from undone counts it is not, but its variance is larger
by the weights of undoing. Both are sums over independent reports, so both are nearly normal, and
the accuracy of both trees follows without a simulation. Where the two curves cross is a prediction.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdm.disguise import MultiGroup
from ppdm.papers.multi_group.experiment import records
from ppdm.scientific import brentq, ndtr
from ppdm.table import Table


def expected_accuracy(pair: Table, theta: float, groups: int, n: float, undo: bool) -> float:
    """The accuracy of a tree of one question from n reports, by the normal approximation.

    `pair` holds the shares of (answer, class); in one group they are reversed together, in two each
    by a coin of its own.

    >>> from ppdm import Domain
    >>> pair = Table(Domain(("A", "C"), ((0, 1),) * 2), [0.4, 0.1, 0.1, 0.4])
    >>> [round(expected_accuracy(pair, 0.6, 1, 50, undo), 3) for undo in (True, False)]
    [0.679, 0.8]
    """
    shares, reported = _reported(pair, theta, groups)
    right = 0.0
    for answer, weights in enumerate(_weights(pair, theta, groups, undo)):
        mean = weights @ reported
        spread = np.sqrt(max(weights**2 @ reported - mean**2, 0.0) / n)
        ones = ndtr(mean / spread) if spread > 0 else float(mean > 0)
        zero, one = shares[2 * answer : 2 * answer + 2]
        right += ones * one + (1 - ones) * zero
    return float(right)


def crossing(pair: Table, groups: int, n: float, low: float = 0.501) -> float:
    """The θ above 1/2 from which on undoing is worth its variance; NaN where there is none."""

    def gain(theta):
        return expected_accuracy(pair, theta, groups, n, True) - expected_accuracy(
            pair, theta, groups, n, False
        )

    points = np.linspace(low, 0.999, 200)
    signs = np.array([gain(theta) for theta in points])
    last = np.flatnonzero((signs[:-1] < 0) & (signs[1:] >= 0))
    return brentq(gain, points[last[-1]], points[last[-1] + 1]) if len(last) else float("nan")


def crossed(summary: pd.DataFrame) -> float:
    """Where two simulated curves cross, between neighbouring θ: from there on undoing is better.

    >>> rows = [("undone", 0.6, 0.7), ("as reported", 0.6, 0.8), ("undone", 0.7, 0.9), ("as reported", 0.7, 0.8)]
    >>> round(crossed(pd.DataFrame(rows, columns=["metric", "theta", "mean"])), 3)
    0.65
    """
    table = summary.pivot(index="theta", columns="metric", values="mean").sort_index()
    gain = (table["undone"] - table["as reported"]).to_numpy()
    last = np.flatnonzero((gain[:-1] < 0) & (gain[1:] >= 0))
    if not len(last):
        return float("nan")
    i = last[-1]
    low, high = table.index[i], table.index[i + 1]
    return float(low + (high - low) * -gain[i] / (gain[i + 1] - gain[i]))


def one_question(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    attribute: str,
    theta: float,
    groups: int,
    n: int,
    **coding,
) -> dict[str, np.ndarray]:
    """The same, simulated: the true accuracy of both trees, from `reps` surveys of n people.

    Returns ``undone`` and ``as reported``.

    >>> run = one_question(np.random.default_rng(1), 3, "adult", "marital-status", 0.9, 1, 1000)
    >>> bool((run["undone"] > 0.7).all())
    True
    """
    pair = shares_of(dataset, attribute, **coding)
    shares, reported = _reported(pair, theta, groups)
    counts = rng.multinomial(n, reported, size=reps)
    found = {}
    for name, undo in (("undone", True), ("as reported", False)):
        difference = (
            counts @ _weights(pair, theta, groups, undo).T
        )  # class 1 minus class 0, by answer
        says_one = difference > 0
        found[name] = np.where(says_one, shares[1::2], shares[::2]).sum(axis=1)
    return found


def shares_of(dataset: str, attribute: str, **coding) -> Table:
    """The shares of an answer and the class."""
    table = records(dataset, **coding)
    return table.marginal(attribute, table.names[-1]).proportions().densified()


def _scheme(pair: Table, theta: float, groups: int) -> MultiGroup:
    answer, target = pair.names
    return MultiGroup(theta, [[answer, target]] if groups == 1 else [[answer], [target]])


def _reported(pair: Table, theta: float, groups: int) -> tuple[np.ndarray, np.ndarray]:
    shares = np.asarray(pair.densified().values, dtype=float).ravel()
    reported = _scheme(pair, theta, groups).matrix(pair.domain) @ shares
    return shares, reported / reported.sum()


def _weights(pair: Table, theta: float, groups: int, undo: bool) -> np.ndarray:
    """What a report adds to "class 1 minus class 0" of each answer: a row an answer."""
    plain = np.array([[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0]])
    if not undo:
        return plain
    return np.linalg.solve(_scheme(pair, theta, groups).matrix(pair.domain).T, plain.T).T
