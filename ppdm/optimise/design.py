"""The convex programme behind every frontier: the best weights of extreme posteriors.

A scheme is written as its posteriors: report y has weight w_y = P(reported y) and posterior
p_y(x) = P(true x | reported y). With D = diag(P) and S = sum_y w_y p_y p_y', the information that a
report carries about P is F = D^-1 S D^-1. Whoever tabulates W P, estimated by weighted least squares,
finds in it, for each respondent, the noise of the disguise

    tr(W (F^-1 - D) W') = tr(B S^-1 B') - tr(W D W'),    B = W D,

beside the chance of the draw of respondents. It is convex in w, under

    sum_y w_y p_y = P,    sum_y w_y max_x p_y(x) <= A,    w >= 0.

It is an optimal design in the statistician's sense: the posteriors are the points at which one may
measure. The equivalence theorem says when a design is best. With G = S^-1 B'B S^-1 there are nu and
mu >= 0 such that for every posterior p

    p'Gp <= nu'p + mu max p,    with equality wherever w > 0.

So posteriors need not be listed: those that break the inequality are added, and when none is left
the design is the best of all. Any G, nu and mu >= 0 give a lower bound: for every S,
tr(B S^-1 B') + tr(G S) >= 2 tr((B G B')^(1/2)), and tr(G S) <= nu'P + mu A. A violated inequality is
mended by adding the largest violation to nu, which costs just that, as the weights sum to 1. So what a
search finds is certified without trusting the search.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from ppdm.scientific import cho_factor, cho_solve
from ppdm.threads import one_thread

__all__ = ["Design", "Points", "best_design", "factor", "gap_of"]

#: Newton's steps, and rounds of adding posteriors, that no programme of ours comes near.
MOST_STEPS, MOST_ROUNDS = 120, 200
#: What is not asked for counts a little, too: else the best design may not be able to tell it at all.
#: Less of it where more keeps the search from what it is for, or numbers run out before the end.
BESIDES = (1e-5, 1e-6, 3e-7)
#: Of the way to the boundary that a step goes.
NEAR = 0.99
#: How much of a step is taken: near the highest privacy whole steps may run in circles, halves do not.
PACES = (1.0, 0.5)
#: A search that leaves more than this share of the value between it and its bound has led nowhere.
NOWHERE = 1e-3
#: Above this share it is searched again with less `BESIDES`.
COARSE = 1e-5
#: A posterior whose inequality is slack by this share of the value is forgotten.
SLACK = 0.02
#: While the worst violation is above this share of the value, posteriors may be searched roughly.
ROUGH = 1e-6
#: Where the violations make up less than this share of the gap, more posteriors will not close it.
LITTLE = 0.05
#: By this share of a value its bound may be above it and no error but that of rounding.
ROUNDING = 1e-6


class Points(NamedTuple):
    """Posteriors, a row each, and what each adds to the best guess (0 where nothing bounds it).

    >>> Points(np.eye(2), np.ones(2)).posteriors.shape
    (2, 2)
    """

    posteriors: np.ndarray
    guessed: np.ndarray


class Priced(NamedTuple):
    """Posteriors that break the inequality, and a number that no violation exceeds, if `exact`.

    >>> Priced(Points(np.empty((0, 2)), np.empty(0)), violation=-0.1).exact
    True
    """

    points: Points
    violation: float
    exact: bool = True


class Family(Protocol):
    """The posteriors that a kind of privacy allows.

    >>> from ppdm.optimise.extremes import LDP
    >>> len(LDP(np.array([0.5, 0.5]), 1.0).start().posteriors)     # P, and each answer likelier
    3
    """

    def start(self) -> Points:
        """A few of them, with P among their mixtures."""

    def price(
        self, g: np.ndarray, nu: np.ndarray, mu: float, points: Points, rough: bool
    ) -> Priced:
        """Those that break p'Gp <= nu'p + mu max p most. With `rough` the search may be incomplete."""


class Design(NamedTuple):
    """The weights found, and what certifies them.

    >>> from ppdm.optimise.extremes import LDP
    >>> half = np.array([0.5, 0.5])
    >>> found = best_design(half, LDP(half, np.log(3)), np.eye(2))
    >>> round(found.value, 6), round(found.lower, 6)                # Warner's coin, p = 3/4
    (2.5, 2.5)
    """

    w: np.ndarray
    points: Points
    value: float  # tr(B S^-1 B')
    lower: float  # no design has less
    g: np.ndarray
    nu: np.ndarray
    mu: float


def gap_of(value: float, least: float) -> float:
    """How far a value may be above the least possible, as a share of a bound on that.

    It is infinite where the bound is not positive or lies above the value: that certifies nothing.

    >>> gap_of(2.0, 1.6), gap_of(2.0, -1.0), gap_of(2.0, 2.1)
    (0.25, inf, inf)
    """
    return value / least - 1 if 0 < least <= value * (1 + ROUNDING) else np.inf


def factor(workload: np.ndarray) -> np.ndarray:
    """R with R'R = W'W and as few rows as that takes.

    >>> (factor(np.array([[1.0, 1.0], [1.0, 1.0]])) ** 2).round(9)
    array([[2., 2.]])
    """
    values, vectors = np.linalg.eigh(workload.T @ workload)
    keep = values > 1e-12 * values.max()
    return np.sqrt(values[keep])[:, None] * vectors[:, keep].T


def best_design(
    prior: np.ndarray,
    family: Family,
    workload: np.ndarray,
    accuracy: float | None = None,
    gap: float = 1e-8,
) -> Design:
    """The best weights, by adding posteriors until none is missing.

    `accuracy` is A; None where nothing bounds the best guess. The lower bound holds for the
    `workload` itself; the search is for one that counts everything else, too, by a hair.

    >>> from ppdm.optimise.extremes import LDP
    >>> prior = np.array([0.5, 0.3, 0.2])
    >>> found = best_design(prior, LDP(prior, 1.0), np.tri(3))      # prefixes
    >>> found.value - found.lower < 1e-6
    True
    """
    best: Design | None = None
    ways = [(pace, BESIDES[0], NOWHERE) for pace in PACES]
    if np.linalg.matrix_rank(workload) < len(prior):
        ways += [(PACES[0], besides, COARSE) for besides in BESIDES[1:]]
    for pace, besides, enough in ways:
        if best is not None and _off(best) <= enough:
            continue
        try:
            design = _search(prior, family, workload, accuracy, gap, pace, besides)
        except np.linalg.LinAlgError:
            continue
        if best is None or _off(design) < _off(best):
            best = design
    if best is None:
        raise ValueError(
            "a report of so much privacy tells too little on the answers for the frontier to be "
            "computed: take a larger epsilon or delta, or less privacy"
        )
    return best


def _off(design: Design) -> float:
    """How far value and bound lie apart, as a share of the value."""
    return abs(design.value - design.lower) / design.value


def _search(
    prior: np.ndarray,
    family: Family,
    workload: np.ndarray,
    accuracy: float | None,
    gap: float,
    pace: float,
    besides: float,
) -> Design:
    b = factor(workload) * prior
    if len(b) < len(prior):
        scale = np.sqrt(np.trace(workload.T @ workload) / len(prior))
        target = np.vstack([b, besides * scale * np.diag(prior)])
        target = np.linalg.qr(target).R
    else:
        target = b
    bounded = 0.0 if accuracy is None else accuracy
    points, gap_seen, best, least = family.start(), 1.0, None, np.inf
    with one_thread():
        for _ in range(MOST_ROUNDS):
            tolerance = max(gap / 10, min(1e-2, gap_seen / 20))
            w, g, nu, mu = _newton(points, target, prior, accuracy, tolerance, pace)
            size = nu @ prior + mu * bounded
            priced = family.price(g, nu, mu, points, gap_seen > ROUGH)
            if not priced.exact and priced.violation < ROUGH * size:
                priced = family.price(g, nu, mu, points, False)
            gap_seen = max(priced.violation, 0.0) / size
            support = _needed(points, w, g, nu, mu, size) if size < least else points
            least = min(
                least, size
            )  # what is forgotten only on the way down does not come back for ever
            following = _joined(support, priced.points)
            if priced.exact:
                value, own = _value(w, points, b)
                # B G B' is (B S^-1 B')^2, so that no root of rounding errors is needed
                lower = float(2 * value - nu @ prior - max(mu, 0.0) * bounded - gap_seen * size)
                if best is None or value - lower < best.value - best.lower:
                    best = Design(w, points, value, lower, own, nu, mu)
                if value - lower <= gap * value:
                    break
                is_closed = _within(following, points)
                if tolerance <= gap / 10 and (
                    is_closed or gap_seen * size <= LITTLE * (value - lower)
                ):
                    break
                if is_closed:  # what is missing is exactness
                    gap_seen = min(gap_seen, tolerance)
            points = following
    if best is None:
        raise RuntimeError("the search for the best design did not come to an end")
    return best


def _within(these: Points, those: Points) -> bool:
    """Are all posteriors among those?"""
    return len(_joined(those, these).guessed) == len(those.guessed)


def _value(w: np.ndarray, points: Points, b: np.ndarray) -> tuple[float, np.ndarray]:
    """tr(B S^-1 B'), and G = S^-1 B'B S^-1."""
    s = (points.posteriors.T * w) @ points.posteriors
    u = np.linalg.solve(s, b.T)
    return float(np.trace(b @ u)), u @ u.T


def _needed(
    points: Points, w: np.ndarray, g: np.ndarray, nu: np.ndarray, mu: float, size: float
) -> Points:
    p, guess = points
    slack = p @ nu + mu * guess - np.einsum("ij,jk,ik->i", p, g, p)
    tight = (slack < SLACK * size) | (w > 1e-7)
    return Points(p[tight], guess[tight])


def _joined(old: Points, new: Points) -> Points:
    """Both, each posterior once."""
    p = np.vstack([old.posteriors, new.posteriors])
    _, first = np.unique(p.round(12), axis=0, return_index=True)
    first.sort()
    return Points(p[first], np.concatenate([old.guessed, new.guessed])[first])


def _newton(
    points: Points,
    b: np.ndarray,
    prior: np.ndarray,
    accuracy: float | None,
    tolerance: float,
    pace: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """[Mehrotra's predictor and corrector] The best weights of given posteriors.

    The unknowns are w >= 0 and its slacks z >= 0. A bound on the best guess is one more equation,
    with one more weight for what it leaves free: a point that informs of nothing.
    """
    p, n = points.posteriors, len(prior)
    equations, target = p.T, prior
    if accuracy is not None:
        p = np.vstack([p, np.zeros(n)])
        equations = np.vstack([p.T, np.append(points.guessed, 1.0)])
        target = np.append(prior, accuracy)
    w = np.full(len(p), 1 / len(p))
    nu = np.zeros(len(equations))
    z = np.full(len(p), _value(w, Points(p, w), b)[0])
    for _ in range(MOST_STEPS):
        s = (p.T * w) @ p
        u = np.linalg.solve(s, b.T)
        g = u @ u.T
        value = np.trace(b @ u)
        dual_rest = equations.T @ nu - np.einsum("ij,jk,ik->i", p, g, p) - z
        rest = equations @ w - target
        complementarity = w @ z
        if (
            max(complementarity, np.abs(dual_rest).max()) < tolerance * value
            and np.abs(rest).max() < 1e-12
        ):
            break
        try:
            solve = _solver(p, s, g, z / w)
        except np.linalg.LinAlgError:  # as near as these numbers can tell
            break
        adjoint = solve(equations.T)

        step = partial(_step, solve, equations, adjoint, dual_rest, rest, w, z)
        d_w, d_nu, d_z = step(w * z)
        reached = (w + _room(w, d_w) * d_w) @ (z + _room(z, d_z) * d_z)
        centre = (reached / complementarity) ** 3 * complementarity / len(p)
        d_w, d_nu, d_z = step(w * z + d_w * d_z - centre)
        length = pace * min(_room(w, d_w), _room(z, d_z))
        w, nu, z = w + length * d_w, nu + length * d_nu, z + length * d_z
    else:
        own = _value(w, Points(p, w), b)[1]
        if np.abs(own - g).max() > ROUNDING * np.abs(own).max():  # the last step was no small one
            g = own  # a bound is of one G alone
    w = w[: len(points.guessed)]
    return w, g, nu[:n], float(nu[n]) if accuracy is not None else 0.0


def _step(
    solve: Callable[[np.ndarray], np.ndarray],
    equations: np.ndarray,
    back: np.ndarray,
    dual_rest: np.ndarray,
    rest: np.ndarray,
    w: np.ndarray,
    z: np.ndarray,
    right: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Newton's step: the changes of w, nu and z that make w z smaller by `right`, to first order."""
    free = solve(-dual_rest - right / w)
    d_nu = np.linalg.solve(equations @ back, equations @ free + rest)
    d_w = free - back @ d_nu
    return d_w, d_nu, -(right + z * d_w) / w


def _room(x: np.ndarray, step: np.ndarray) -> float:
    """How far x may go along a step and stay positive, at most 1."""
    falls = step < 0
    return float(min(1.0, NEAR * np.min(-x[falls] / step[falls]))) if falls.any() else 1.0


def _solver(
    p: np.ndarray, s: np.ndarray, g: np.ndarray, diagonal: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """What solves (H + diagonal) x = y, with H_ij = 2 (p_i' S^-1 p_j) (p_i' G p_j).

    In coordinates in which S is the identity and G diagonal, H = Psi Psi' with a column for each
    pair of coordinates: for many posteriors that is the smaller system.
    """
    n = p.shape[1]
    if len(p) <= n * (n + 1) // 2:
        hessian = 2 * (p @ np.linalg.solve(s, p.T)) * (p @ g @ p.T)
        scale = 1 / np.sqrt(diagonal)
        scaled = hessian * scale * scale[:, None]
        scaled[np.diag_indices(len(p))] += 1 + 1e-15 * scaled.diagonal().max()
        factored = cho_factor(scaled, lower=True, overwrite_a=True, check_finite=False)
        return lambda y: (scale * cho_solve(factored, (scale * y.T).T).T).T
    lower = np.linalg.cholesky(s)
    values, vectors = np.linalg.eigh(lower.T @ g @ lower)
    q = np.linalg.solve(lower, p.T).T @ vectors
    first, second = np.triu_indices(n)
    root = np.sqrt(np.maximum(values[first] + values[second], 0) * np.where(first == second, 1, 2))
    psi = q[:, first] * q[:, second] * root
    weighted = psi / np.sqrt(diagonal)[:, None]
    inner = weighted.T @ weighted
    inner[np.diag_indices(len(inner))] += 1 + 1e-15 * inner.diagonal().max()
    factored = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

    def solve(y: np.ndarray) -> np.ndarray:
        x = (y.T / diagonal).T
        return x - ((psi @ cho_solve(factored, psi.T @ x)).T / diagonal).T

    return solve
