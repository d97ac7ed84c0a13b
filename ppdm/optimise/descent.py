"""The best matrix with a given number of outputs, by an interior-point descent.

Write J[y, x] = P(x) M[y, x]. Once t_y >= J[y, x] is introduced every constraint is linear:

    sum_y J[y, x] = P(x),   0 <= J[y, x] <= t_y,   J[y, x] <= delta sum_z J[y, z],   sum_y t_y <= A.

The error is smooth where it is finite, but not convex in J: a square matrix fixes the number of
posteriors. So Newton steps on the error with logarithmic barriers find a local minimum, and
several starts make a good one likely. Every value is that of a scheme that keeps the bounds, the
certified frontier says how far the best one can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.compiled import njit
from ppdm.disguise.matrix import warner
from ppdm.optimise.objectives import (
    check_count,
    check_delta,
    check_prior,
    max_posterior,
    mse,
    privacy,
)
from ppdm.optimise.spea2 import Front, optrr
from ppdm.threads import one_thread

__all__ = ["descend", "square_front"]

FIRST_BARRIER, LAST_BARRIER, BARRIER_FACTOR = 1e-2, 5e-8, 0.1
STEPS_A_BARRIER = 40
SEED_GENERATIONS = 1_000
SPARSE = 0.2  # of the Dirichlet distribution that random columns come from
TOP_MARGIN = 1e-7


def square_front(
    prior: ArrayLike,
    delta: float,
    levels: Sequence[float] | np.ndarray,
    rng: np.random.Generator,
    respondents: int = 10_000,
    starts: int = 5,
) -> Front:
    """The best square matrix found at each privacy level, in the order of the levels.

    Starts are Warner's matrix, the point nearest to the level of a short run of the evolutionary
    search, the solutions of the neighbouring levels, once from each side, and `starts` random
    matrices with a few large entries in each column.

    >>> front = square_front([0.2, 0.3, 0.5], 0.8, [0.3, 0.4], np.random.default_rng(0))
    >>> bool(front.mse[0] < front.mse[1])
    True
    """
    prior = check_prior(prior)
    delta = check_delta(delta, prior)
    rng, starts = generator(rng), check_count("starts", starts, least=0)
    levels = np.array([_check_level(level, prior, delta) for level in levels])
    if not len(levels):
        raise ValueError("levels holds no privacy level: name at least one")
    seeds = optrr(prior, delta, rng, respondents, generations=SEED_GENERATIONS)
    n = len(prior)
    candidates_at: list[list[np.ndarray]] = [[] for _ in levels]
    with one_thread():  # many small systems: threads would only wait for each other
        for i, level in enumerate(levels):
            nearest = seeds.matrices[np.argmin(np.abs(seeds.privacy - level))]
            columns = rng.dirichlet(np.full(n, SPARSE), size=(starts, n))
            for start in [*warner(1 - level, n), nearest, *columns.transpose(0, 2, 1)]:
                candidates_at[i].append(descend(start, prior, delta, level))
        order = np.argsort(levels, kind="stable")
        for path in (order, order[::-1]):
            for before, level_number in pairwise(path):
                neighbour = _best(candidates_at[before], prior)
                candidates_at[level_number].append(
                    descend(neighbour, prior, delta, levels[level_number])
                )
    matrices = np.array([_best(candidates, prior) for candidates in candidates_at])
    return Front(privacy(matrices, prior), mse(matrices, prior, respondents), matrices)


def _best(matrices: Sequence[np.ndarray], prior: np.ndarray) -> np.ndarray:
    return matrices[int(np.argmin(mse(np.array(matrices), prior)))]


def _check_level(level: float, prior: np.ndarray, delta: float) -> float:
    highest = 1 - prior.max()
    if not -TOP_MARGIN < level < highest - TOP_MARGIN:
        raise ValueError(
            f"privacy is {level:.12g}: here it must lie from 0 to just below {highest:.12g}, where "
            "the best guess ignores the answer"
        )
    if delta <= prior.max() + TOP_MARGIN:
        raise ValueError(
            f"delta is {delta:.12g}, the largest prior itself: it must be larger, as no answer "
            "may say anything on the most common category"
        )
    return float(level)


def descend(start: ArrayLike, prior: np.ndarray, delta: float, level: float) -> np.ndarray:
    """Lower the error of a matrix step by step, at privacy of at least `level`.

    The start may violate the bounds: it is first mixed with noise until it is strictly inside.

    >>> descend(np.eye(2), np.array([0.5, 0.5]), delta=0.8, level=0.3).round(3)
    array([[0.7, 0.3],
           [0.3, 0.7]])
    """
    accuracy = 1 - level
    j = _inside(np.asarray(start, dtype=float), prior, delta, accuracy) * prior
    j = _descend(j, prior, delta, accuracy)
    return j / j.sum(axis=0)


@njit(nogil=True)
def _descend(j: np.ndarray, prior: np.ndarray, delta: float, accuracy: float) -> np.ndarray:
    m = j.shape[0]
    t = np.empty(m)
    for y in range(m):
        t[y] = j[y].max()
    t += (accuracy - t.sum()) / (2 * m)
    barrier = FIRST_BARRIER
    while barrier > LAST_BARRIER:
        scale = 1 / _error(j, prior)
        for _ in range(STEPS_A_BARRIER):
            decrease = _newton_step(j, t, prior, delta, accuracy, barrier, scale)
            if decrease < 0.1 * barrier * j.size:
                break
        barrier *= BARRIER_FACTOR
    return j


@njit
def _gram(j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """S = sum_y w_y p_y p_y' and the posteriors p."""
    p = j / j.sum(axis=1).reshape(-1, 1)
    return j.T @ p, p


@njit
def _error(j: np.ndarray, prior: np.ndarray) -> float:
    """trace(D S^-1 D)."""
    s, _ = _gram(j)
    return (np.diag(np.linalg.inv(s)) * prior**2).sum()


@njit
def _merit(
    j: np.ndarray,
    t: np.ndarray,
    prior: np.ndarray,
    delta: float,
    accuracy: float,
    barrier: float,
    scale: float,
) -> float:
    """Error and barriers, infinite outside."""
    budget = accuracy - t.sum()
    if budget <= 0:
        return np.inf
    logs = np.log(budget)
    for y in range(j.shape[0]):
        weight = j[y].sum()
        for value in j[y]:
            if value <= 0 or t[y] <= value or delta * weight <= value:
                return np.inf
            logs += np.log(value * (t[y] - value) * (delta * weight - value))
    return scale * _error(j, prior) - barrier * logs


@njit
def _newton_step(
    j: np.ndarray,
    t: np.ndarray,
    prior: np.ndarray,
    delta: float,
    accuracy: float,
    barrier: float,
    scale: float,
) -> float:
    """One damped Newton step on error and barriers, in place; returns the decrease it promised."""
    m, n = j.shape
    size = m * n
    s, p = _gram(j)
    k = np.linalg.inv(s)
    k = (k + k.T) / 2
    weight = j.sum(axis=1)
    gradient, convex, concave = _derivatives(p, weight, k, (k * prior**2) @ k)
    g, barriers = _barrier_derivatives(j, t, weight, delta, accuracy)
    g *= barrier
    g[:size] += scale * gradient
    barriers *= barrier
    barriers[:size, :size] += scale * convex
    step = np.zeros(size + m)
    decrease = 0.0
    for share in (1.0, 0.0):  # the full Hessian where it is a descent, else its convex part
        h = barriers.copy()
        if share > 0:
            h[:size, :size] -= scale * concave
        step = _constrained_step(h, g, m, n)
        decrease = -(g @ step)
        if decrease > 0 and step @ (h @ step) > 0:
            break
    dj, dt = step[:size].copy().reshape(m, n), step[size:]
    length = min(1.0, 0.99 * _longest(j, t, dj, dt, delta, accuracy))
    value = _merit(j, t, prior, delta, accuracy, barrier, scale)
    while length > 1e-10:
        value_after = _merit(
            j + length * dj, t + length * dt, prior, delta, accuracy, barrier, scale
        )
        if value_after <= value - 1e-4 * length * decrease:
            j += length * dj
            t += length * dt
            return decrease
        length /= 2
    return 0.0


@njit
def _constrained_step(h: np.ndarray, g: np.ndarray, m: int, n: int) -> np.ndarray:
    """Minimise g'd + d'Hd/2 over changes d that keep the column sums of J."""
    size, total = m * n, h.shape[0]
    system = np.zeros((total + n, total + n))
    system[:total, :total] = h
    for a in range(size):
        system[a, total + a % n] = system[total + a % n, a] = 1.0
    right = np.zeros(total + n)
    right[:total] = -g
    return np.linalg.solve(system, right)[:total]


@njit
def _longest(
    j: np.ndarray, t: np.ndarray, dj: np.ndarray, dt: np.ndarray, delta: float, accuracy: float
) -> float:
    """How far the step can go before a constraint is met."""
    closing = dt.sum() / (accuracy - t.sum())
    for y in range(j.shape[0]):
        value, move = j[y], dj[y]
        weight, change = delta * value.sum(), delta * move.sum()
        closing = max(closing, (-move / value).max(), ((move - dt[y]) / (t[y] - value)).max())
        closing = max(closing, ((move - change) / (weight - value)).max())
    return 1 / closing if closing > 0 else np.inf


@njit
def _derivatives(
    p: np.ndarray, weight: np.ndarray, k: np.ndarray, g: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gradient and Hessian of trace(D S^-1 D), the Hessian as convex part minus concave part.

    A change of row y by d changes S by v p' + p v' to first order, with v = d - p sum(d)/2, and
    by (d - p sum d)(d - p sum d)' / w to second order. With K = S^-1 and G = K D^2 K,
    the trace changes by -<G, dS> + <G dS K, dS>.
    """
    m, n = p.shape
    gp, kp = p @ g, p @ k
    pgp, pkp = gp @ p.T, kp @ p.T
    gradient = np.empty(m * n)
    convex = np.empty((m * n, m * n))
    concave = np.zeros((m * n, m * n))
    for y in range(m):
        own = slice(y * n, (y + 1) * n)
        gradient[own] = pgp[y, y] - 2 * gp[y]
        for z in range(m):
            # inner products of v = e_x - p_y / 2 with p_z, of u with p_y, and of v with u
            gpp, kpp = pgp[y, z], pkp[y, z]
            vgp, vkp, ugp, ukp = gp[z] - gpp / 2, kp[z] - kpp / 2, gp[y] - gpp / 2, kp[y] - kpp / 2
            vgv = g - gp[y] / 2 - gp[z].reshape(-1, 1) / 2 + gpp / 4
            vkv = k - kp[y] / 2 - kp[z].reshape(-1, 1) / 2 + kpp / 4
            block = vgv * kpp + vkv * gpp + np.outer(vgp, ukp) + np.outer(vkp, ugp)
            convex[own, z * n : (z + 1) * n] = 2 * block
        concave[own, own] = 2 / weight[y] * (g - gp[y].reshape(-1, 1) - gp[y] + pgp[y, y])
    return gradient, convex, concave


@njit
def _barrier_derivatives(
    j: np.ndarray, t: np.ndarray, weight: np.ndarray, delta: float, accuracy: float
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of minus the sum of the logarithms of all slacks."""
    m, n = j.shape
    size = m * n
    gradient = np.zeros(size + m)
    h = np.zeros((size + m, size + m))
    budget = accuracy - t.sum()
    for y in range(m):
        top, third = 1 / (t[y] - j[y]), 1 / (delta * weight[y] - j[y])
        square = third * third
        all_third, all_square = third.sum(), square.sum()
        gradient[size + y] = 1 / budget - top.sum()
        h[size + y, size + y] = (top * top).sum()
        own = slice(y * n, (y + 1) * n)
        gradient[own] = top + third - 1 / j[y] - delta * all_third
        h[own, size + y] = h[size + y, own] = -(top * top)
        h[own, own] = delta * (delta * all_square - square.reshape(-1, 1) - square)
        for x in range(n):
            h[y * n + x, y * n + x] += 1 / j[y, x] ** 2 + top[x] ** 2 + square[x]
    h[size:, size:] += 1 / budget**2
    return gradient, h


def _inside(matrix: np.ndarray, prior: np.ndarray, delta: float, accuracy: float) -> np.ndarray:
    """Mix with noise until every constraint holds with room to spare."""
    noise = np.outer(np.maximum(matrix @ prior, 0.1 / len(matrix)), np.ones(len(prior)))
    noise /= noise.sum(axis=0)
    guess_limit = accuracy - 0.05 * (accuracy - prior.max())
    certainty_limit = delta - 0.05 * (delta - prior.max())
    for share in [0.02, 0.05, *np.arange(0.1, 0.9, 0.05), *(1 - 0.1 * 0.5 ** np.arange(40))]:
        mixture = (1 - share) * matrix + share * noise
        guess, certainty = 1 - privacy(mixture, prior), max_posterior(mixture, prior)
        if guess < guess_limit and certainty < certainty_limit:
            return mixture
    raise RuntimeError("noise itself breaks the bounds")  # the callers' checks exclude it
