"""Channels as tables of numbers: how much a report helps an attacker with any goal.

A channel is a matrix ``M[y, x] = P(reported y | true x)``. An attacker makes a guess w and gains
``gain[w, x]`` if x is true; without a gain he guesses x itself and gains 1 if he is right.

    posterior(M, prior, gain)   what his best guess gains on average, the report seen
    blind(prior, gain)          the same, no report seen
    capacity(M)                 how many times as good a report can make anybody's chances
    epsilon(M)                  the largest log ratio of two true values' chances of one report
    refinement(A, B)            is B a post-processing of A? With the witness, or a gain that tells

The names in the literature are posterior and prior g-vulnerability, multiplicative Bayes capacity,
local differential privacy, and refinement (Alvim, Chatzikokolakis, McIver, Morgan, Palamidessi &
Smith, The Science of Quantitative Information Flow, 2020).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm.channel import checked_matrix, matrix_epsilon
from ppdm.disguise.guess import best_guess
from ppdm.scientific import linprog

#: Two channels count as the same within this, in the sum of all differences.
SAME = 1e-7


def posterior(M: ArrayLike, prior: ArrayLike, gain: ArrayLike | None = None) -> float:
    """What the best guess gains on average when the report is seen.

    >>> posterior([[0.8, 0.2], [0.2, 0.8]], [0.5, 0.5])
    0.8
    >>> round(posterior([[0.8, 0.2], [0.2, 0.8]], [0.9, 0.1]), 12)     # a rare answer is never guessed
    0.9
    """
    M, prior = checked_matrix(M), _prior(prior)
    _fits(M.shape[1], len(prior))
    joint = M * prior
    return float(best_guess((joint if gain is None else joint @ _gain(gain, len(prior)).T).T))


def blind(prior: ArrayLike, gain: ArrayLike | None = None) -> float:
    """What the best guess gains on average when no report is seen.

    >>> blind([0.5, 0.3, 0.2])
    0.5
    >>> blind([0.5, 0.3, 0.2], [[1, 1, 0], [0, 0, 1]])      # "is it one of the first two?"
    0.8
    """
    prior = _prior(prior)
    gains = prior if gain is None else _gain(gain, len(prior)) @ prior
    return float(best_guess(gains[:, None]))


def capacity(M: ArrayLike) -> float:
    """How many times as often a guess can be right for the report, at most over all priors.

    It is reached where all true values are equally likely, and bounds every non-negative gain.

    >>> round(capacity([[0.8, 0.2], [0.2, 0.8]]), 12), capacity([[0.5, 0.5], [0.5, 0.5]])
    (1.6, 1.0)
    """
    return float(checked_matrix(M).max(axis=1).sum())


def epsilon(M: ArrayLike) -> float:
    """Local differential privacy: the largest log ratio of two true values' chances of one report.

    >>> round(math.exp(epsilon([[0.75, 0.25], [0.25, 0.75]])), 12)
    3.0
    >>> epsilon([[1, 0.5], [0, 0.5]])
    inf
    """
    return matrix_epsilon(checked_matrix(M))


def interval(mean: float, rounds: int, error: float = 0.05) -> tuple[float, float]:
    """Where a chance lies behind the mean of independent draws (Hoeffding).

    >>> low, high = interval(0.5, 10_000)
    >>> round(low, 3), round(high, 3)
    (0.486, 0.514)
    """
    half = math.sqrt(math.log(2 / error) / (2 * rounds))
    return max(mean - half, 0.0), min(mean + half, 1.0)


class Refinement(NamedTuple):
    """Whether B is a post-processing of A; W with W A = B if so, else a gain that tells them apart.

    With uniform prior the gain has a larger posterior for B than for A, by `margin`: an attacker
    with this goal would rather see a report of B.

    >>> refinement([[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]]).holds
    True
    """

    holds: bool
    witness: np.ndarray | None
    gain: np.ndarray | None
    margin: float


def refinement(A: ArrayLike, B: ArrayLike) -> Refinement:
    """Is B a post-processing of A, that is, is there a channel W with W A = B?

    Then no attacker, whatever his prior and his goal, is better off with B than with A; and if not,
    there is one who is (Blackwell 1951; McIver et al. 2014). Found by a linear programme, which is
    the smallest sum of the differences |W A - B|; its multipliers are the gain.

    >>> coin, better = [[0.7, 0.3], [0.3, 0.7]], [[0.8, 0.2], [0.2, 0.8]]
    >>> refinement(better, coin).witness.round(3)
    array([[0.833, 0.167],
           [0.167, 0.833]])
    >>> told = refinement(coin, better)
    >>> uniform = [0.5, 0.5]
    >>> told.holds, bool(posterior(better, uniform, told.gain) > posterior(coin, uniform, told.gain))
    (False, True)
    """
    from scipy import sparse

    A, B = checked_matrix(A), checked_matrix(B)
    _fits(A.shape[1], B.shape[1])
    (outputs, inputs), results = A.shape, len(B)
    size, gaps = results * outputs, results * inputs
    # the entries of W row by row, then what W A has too little and too much of B
    mixed = sparse.kron(sparse.eye(results), sparse.csr_matrix(A.T))
    equal = sparse.hstack([mixed, sparse.eye(gaps), -sparse.eye(gaps)])
    columns = sparse.hstack(
        [
            sparse.kron(np.ones((1, results)), sparse.eye(outputs)),
            sparse.csr_matrix((outputs, 2 * gaps)),
        ]
    )
    solution = linprog(
        np.concatenate([np.zeros(size), np.ones(2 * gaps)]),
        A_eq=sparse.vstack([equal, columns]).tocsr(),
        b_eq=np.concatenate([B.ravel(), np.ones(outputs)]),
        method="highs",
    )
    if not solution.success:
        raise RuntimeError(f"the linear programme was not solved: {solution.message}")
    W = solution.x[:size].reshape(results, outputs)
    if solution.fun <= SAME:
        return Refinement(True, W, None, 0.0)
    gain = solution.eqlin.marginals[:gaps].reshape(results, inputs)
    gain = inputs * (gain - gain.min())  # the prior 1/inputs; a constant added to a gain is seen
    even = np.full(inputs, 1 / inputs)  # by both channels alike
    margin = posterior(B, even, gain) - posterior(A, even, gain)
    return Refinement(False, None, gain, margin)


def _prior(prior: ArrayLike) -> np.ndarray:
    values = np.asarray(prior, dtype=float)
    if values.ndim != 1 or not (values >= 0).all() or abs(values.sum() - 1) > 1e-8:
        raise ValueError(
            "a prior is a list of probabilities that sum to 1; "
            f"got the shape {values.shape} with sum {values.sum():.6g}"
        )
    return values


def _gain(gain: ArrayLike, inputs: int) -> np.ndarray:
    values = np.asarray(gain, dtype=float)
    if values.ndim != 2 or values.shape[1] != inputs:
        raise ValueError(
            f"a gain is a matrix gain[guess, true value] with {inputs} columns, one a true value; "
            f"got the shape {values.shape}"
        )
    return values


def _fits(inputs: int, other: int) -> None:
    if inputs != other:
        raise ValueError(f"one has {inputs} true values, the other {other}: they must be the same")
