"""[Huang & Du, V] The evolutionary search OptRR: SPEA2 with a set Omega indexed by privacy.

Two objectives are made small: A, the chance that the best guess is right (privacy is 1 - A), and
the mean squared error. A population is one array, `members[k, y, x]`, and a generation is a few
passes over such arrays:

    fitness      strength, raw fitness and density              [V.B]
    selection    the non-dominated ones, truncated or filled up  [V.C]
    mating       binary tournament                               [V.D]
    crossover    swap the columns right of a random line         [V.E]
    mutation     move one element, its column follows in proportion [V.F]
    bound        repair posteriors above delta                   [V.G]
    Omega        the best matrix seen for each slice of privacy  [V.H]

What the paper leaves open is a parameter of `optrr` with a stated default.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.compiled import njit, refuse_slow
from ppdm.optimise.objectives import check_count, check_delta, check_prior, pareto

__all__ = ["Front", "optrr"]

MUTATION_RATE, MUTATION_STEP = 1.0, 0.3
REPAIR_SWEEPS = 5
SINGULAR_PIVOT = 1e-13
TINY = 1e-14
FAR = 1e150  # its square is still finite


class Front(NamedTuple):
    """A front: matrices sorted by privacy, none dominated by another."""

    privacy: np.ndarray
    mse: np.ndarray
    matrices: np.ndarray


class _Members(NamedTuple):
    """Matrices with their A and error, infinite where there is none yet."""

    matrices: np.ndarray
    a: np.ndarray
    f: np.ndarray


def _members(size: int, n: int) -> _Members:
    return _Members(np.zeros((size, n, n)), np.full(size, np.inf), np.full(size, np.inf))


def optrr(
    prior: ArrayLike,
    delta: float,
    rng: np.random.Generator,
    respondents: int = 10_000,
    generations: int = 20_000,
    population: int = 100,
    archive: int = 100,
    omega: int = 1_000,
    mutation_rate: float = MUTATION_RATE,
    mutation_step: float = MUTATION_STEP,
) -> Front:
    """[Huang & Du, V.A] Search for randomizing matrices; return the non-dominated part of Omega.

    Open in the paper, set here: population and archive of 100, an Omega of 1,000 slices (its
    example), every pair of parents crossed and every child mutated (as its outline says), by a
    change drawn evenly from (0, 0.3).

    >>> front = optrr([0.2, 0.3, 0.5], 0.8, np.random.default_rng(1), generations=50)
    >>> bool((np.diff(front.privacy) > 0).all() and (np.diff(front.mse) > 0).all())
    True
    """
    prior = check_prior(prior)
    delta = check_delta(delta, prior)
    rng = generator(rng)
    respondents = check_count("respondents", respondents)
    generations = check_count("generations", generations, least=0)
    population = check_count("population", population)
    archive, omega = check_count("archive", archive), check_count("omega", omega)
    n = len(prior)
    population += population % 2  # children come in pairs

    refuse_slow(5.0 * generations * population * n**3, "this search")
    children = _members(population, n)
    children.matrices[:] = rng.dirichlet(np.ones(n), size=(population, n)).transpose(0, 2, 1)
    best = _members(omega, n)
    _evolve(
        generations,
        archive,
        prior,
        delta,
        respondents,
        children,
        best,
        mutation_rate,
        mutation_step,
        rng,
    )
    full = np.flatnonzero(np.isfinite(best.f))
    full = full[pareto(1 - best.a[full], best.f[full])]
    full = full[np.argsort(-best.a[full])]
    return Front(1 - best.a[full], best.f[full], best.matrices[full])


@njit
def _evaluate(
    members: np.ndarray, prior: np.ndarray, respondents: int, a: np.ndarray, f: np.ndarray
) -> None:
    """A and the mean squared error of every member, all of them side by side (the last axis)."""
    count, n = members.shape[0], prior.size
    chol = np.zeros((n, n, count))
    a[:] = 0.0
    _grams(members, prior, chol, a)
    singular = _cholesky(chol)
    total = _inverse_traces(chol)
    prior_square = (prior * prior).sum()
    for k in range(count):
        f[k] = np.inf if singular[k] else (total[k] - prior_square) / (n * respondents)


@njit
def _grams(members: np.ndarray, prior: np.ndarray, gram: np.ndarray, top: np.ndarray) -> None:
    """Add the lower half of S = M' W^-1 M to `gram`, and A to `top`."""
    count, n = members.shape[0], prior.size
    m = np.empty((n, n, count))
    w_inv = np.zeros((n, count))
    for k in range(count):
        for y in range(n):
            largest, weight = 0.0, 0.0
            for x in range(n):
                joint = members[k, y, x] * prior[x]
                m[y, x, k] = members[k, y, x]
                weight += joint
                largest = max(largest, joint)
            w_inv[y, k] = 1.0 / weight if weight > 0.0 else 0.0
            top[k] += largest
    scaled = np.empty((n, count))
    for i in range(n):
        for y in range(n):
            for k in range(count):
                scaled[y, k] = m[y, i, k] * w_inv[y, k]
        for j in range(i + 1):
            for y in range(n):
                for k in range(count):
                    gram[i, j, k] += scaled[y, k] * m[y, j, k]


@njit
def _cholesky(chol: np.ndarray) -> np.ndarray:
    """Turn Gram matrices into their Cholesky factors, in place; which of them are singular.

    They are positive definite, so no pivoting is needed.
    """
    n, count = chol.shape[0], chol.shape[2]
    singular = np.zeros(count, dtype=np.bool_)
    for j in range(n):
        original = chol[j, j].copy()
        for s in range(j):
            for k in range(count):
                chol[j, j, k] -= chol[j, s, k] * chol[j, s, k]
        for k in range(count):
            if chol[j, j, k] <= SINGULAR_PIVOT * original[k]:
                singular[k] = True
                chol[j, j, k] = 1.0
            chol[j, j, k] = 1.0 / np.sqrt(chol[j, j, k])  # the reciprocal pivot is all we need
        for i in range(j + 1, n):
            for s in range(j):
                for k in range(count):
                    chol[i, j, k] -= chol[i, s, k] * chol[j, s, k]
            for k in range(count):
                chol[i, j, k] *= chol[j, j, k]
    return singular


@njit
def _inverse_traces(chol: np.ndarray) -> np.ndarray:
    """trace(S^-1): the sum of squares of the inverse of the Cholesky factor."""
    n, count = chol.shape[0], chol.shape[2]
    total = np.zeros(count)
    column = np.empty((n, count))
    for j in range(n):
        for i in range(j, n):
            for k in range(count):
                column[i, k] = 1.0 if i == j else 0.0
            for s in range(j, i):
                for k in range(count):
                    column[i, k] -= chol[i, s, k] * column[s, k]
            for k in range(count):
                column[i, k] *= chol[i, i, k]
                total[k] += column[i, k] * column[i, k]
    return total


@njit
def _gap(a: np.ndarray, f: np.ndarray, i: int, j: int) -> float:
    """Squared distance; an infinite error counts as FAR, so that two of them are no distance."""
    da, df = a[i] - a[j], min(f[i], FAR) - min(f[j], FAR)
    return da * da + df * df


@njit
def _sorted(a: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The order of points by A, then by error."""
    order = np.argsort(a, kind="mergesort")
    for i in range(1, order.size):
        j = i
        while j > 0 and a[order[j - 1]] == a[order[j]] and f[order[j - 1]] > f[order[j]]:
            order[j - 1], order[j] = order[j], order[j - 1]
            j -= 1
    return order


@njit
def _fitness(
    a: np.ndarray, f: np.ndarray, strength: np.ndarray, raw: np.ndarray, fit: np.ndarray
) -> None:
    """Strength, raw fitness and fitness (k = 1 in the density) of sorted points.

    Sorted by A and then by error, a point can only be dominated by one before it; and only if its error
    is no new low, which is what most have.
    """
    size, low = a.size, np.inf
    strength[:] = 0.0
    suspect = np.empty(size, dtype=np.bool_)
    for i in range(size):
        suspect[i], low = f[i] >= low, min(low, f[i])
        for j in range(i if suspect[i] else 0):
            dominates = (f[j] <= f[i]) & ((a[j] < a[i]) | (f[j] < f[i]))
            strength[j] += 1.0 if dominates else 0.0
    for i in range(size):
        total = 0.0
        for j in range(i if suspect[i] else 0):
            dominates = (f[j] <= f[i]) & ((a[j] < a[i]) | (f[j] < f[i]))
            total += strength[j] if dominates else 0.0
        nearest = np.inf
        j = i - 1
        while j >= 0 and (a[i] - a[j]) ** 2 < nearest:
            nearest = min(nearest, _gap(a, f, i, j))
            j -= 1
        j = i + 1
        while j < size and (a[j] - a[i]) ** 2 < nearest:
            nearest = min(nearest, _gap(a, f, i, j))
            j += 1
        raw[i] = total
        fit[i] = total + 1.0 / (np.sqrt(nearest) + 2.0)


@njit
def _more_crowded(a: np.ndarray, f: np.ndarray, count: int, i: int, j: int) -> bool:
    """Whether, of the first `count` points, i has the lexicographically smaller list of sorted
    distances to others than j. On a front they grow to both sides: one walks left and right."""
    il, ir, jl, jr = i - 1, i + 1, j - 1, j + 1
    while True:
        i_left = _gap(a, f, i, il) if il >= 0 else np.inf
        i_right = _gap(a, f, i, ir) if ir < count else np.inf
        j_left = _gap(a, f, j, jl) if jl >= 0 else np.inf
        j_right = _gap(a, f, j, jr) if jr < count else np.inf
        di, dj = min(i_left, i_right), min(j_left, j_right)
        if di != dj:
            return di < dj
        if il < 0 and ir >= count:
            return False
        if i_left <= i_right and il >= 0:
            il -= 1
        else:
            ir += 1
        if j_left <= j_right and jl >= 0:
            jl -= 1
        else:
            jr += 1


@njit
def _truncated(a: np.ndarray, f: np.ndarray, size: int) -> np.ndarray:
    """[Huang & Du, V.C] Which `size` points of a sorted front survive, in their order.

    One at a time the point nearest to its nearest neighbour leaves; ties look at the second
    nearest, and so on. The others close up behind it.
    """
    a, f, left = a.copy(), f.copy(), np.arange(a.size)
    gap = np.full(a.size + 1, np.inf)  # the squared distance of each to the one before it
    for i in range(1, a.size):
        gap[i] = _gap(a, f, i, i - 1)
    for count in range(a.size, size, -1):
        least, victim = gap[1:count].min(), -1
        for i in range(count):
            # a copy of the point before it has the same distances: it is no more crowded
            near = gap[i] > 0.0 and (gap[i] == least or gap[i + 1] == least)
            if near and (victim < 0 or _more_crowded(a, f, count, i, victim)):
                victim = i
        for i in range(victim, count - 1):
            a[i], f[i], left[i], gap[i] = a[i + 1], f[i + 1], left[i + 1], gap[i + 1]
        inside = 0 < victim < count - 1
        gap[victim] = _gap(a, f, victim, victim - 1) if inside else np.inf
        gap[count - 1] = np.inf
    return left[:size]


@njit
def _survivors(
    a: np.ndarray, f: np.ndarray, raw: np.ndarray, fit: np.ndarray, size: int
) -> np.ndarray:
    """[Huang & Du, V.C] Indices of the next archive, out of sorted points."""
    good = np.flatnonzero(raw == 0.0)
    if good.size <= size:
        return np.argsort(fit, kind="mergesort")[:size]
    return good[_truncated(a[good], f[good], size)]


@njit
def _mutate(member: np.ndarray, rng: np.random.Generator, step: float) -> None:
    """[Huang & Du, V.F] Move one element of one column; the others follow in proportion."""
    n = member.shape[0]
    x, y = int(rng.integers(0, n)), int(rng.integers(0, n))
    change = rng.random() * step
    share = member[y, x]
    if rng.random() < 0.5:
        change = min(change, 1.0 - share)
        others = 1.0 - share
        if others <= 0.0:
            return
        for i in range(n):
            member[i, x] -= change * member[i, x] / others
        member[y, x] = share + change
    else:
        change = min(change, share)
        room = n - 2.0 + share  # the sum of 1 - theta over the others
        for i in range(n):
            member[i, x] += change * (1.0 - member[i, x]) / room if room > 0.0 else 0.0
        member[y, x] = share - change
    _normalise(member, x)


@njit
def _normalise(member: np.ndarray, x: int) -> None:
    """Take the rounding out of a column, so that it does not add up over the generations.

    Elements that shrink in proportion never reach 0; below TINY they are set there (numbers near
    the smallest a computer holds are slow, too).
    """
    n = member.shape[0]
    total = 0.0
    for y in range(n):
        member[y, x] = member[y, x] if member[y, x] > TINY else 0.0
        total += member[y, x]
    for y in range(n):
        member[y, x] /= total


@njit
def _repair(member: np.ndarray, prior: np.ndarray, delta: float) -> None:
    """[Huang & Du, V.G] Bring every posterior down to delta, column by column.

    theta' = delta r / ((1 - delta) P(x)), with r the weight of the row's other answers, puts the
    posterior of one element at delta. What an element above it loses goes to the other elements
    of its column in proportion to their own room theta' - theta. A column can disturb another,
    so sweep a few times; what is still too high is mixed with the row's own weight, which moves
    every posterior towards the prior.
    """
    n = member.shape[0]
    if delta >= 1.0:
        return
    weight = np.zeros(n)
    for y in range(n):
        for x in range(n):
            weight[y] += member[y, x] * prior[x]
    bound = delta * (1.0 + 1e-12)
    for _ in range(REPAIR_SWEEPS):
        clean = True
        for x in range(n):
            above = 0
            for y in range(n):
                above += member[y, x] * prior[x] > bound * weight[y]
            if above > 0:
                clean = False
                _repair_column(member, x, weight, prior, delta)
        if clean:
            return
    mix = 0.0
    for y in range(n):
        for x in range(n):
            posterior = member[y, x] * prior[x]
            if posterior > bound * weight[y]:
                mix = max(mix, (posterior - delta * weight[y]) / (posterior - prior[x] * weight[y]))
    for x in range(n):
        for y in range(n):
            member[y, x] += mix * (weight[y] - member[y, x])
        _normalise(member, x)


@njit
def _repair_column(
    member: np.ndarray, x: int, weight: np.ndarray, prior: np.ndarray, delta: float
) -> None:
    """Bring one column's posteriors to delta, and keep the rows' weights up to date."""
    n = weight.size
    reach = delta / ((1.0 - delta) * prior[x])
    gap = np.empty(n)
    excess, room = 0.0, 0.0
    for y in range(n):
        rest = max(weight[y] - member[y, x] * prior[x], 0.0)
        gap[y] = min(reach * rest, 1.0) - member[y, x]
        excess -= min(gap[y], 0.0)
        room += max(gap[y], 0.0)
    amount = min(excess, room)
    for y in range(n):
        total = excess if gap[y] < 0.0 else room
        change = amount * gap[y] / total if total > 0.0 else 0.0
        member[y, x] += change
        weight[y] += change * prior[x]
    for y in range(n):  # rounding
        weight[y] = max(weight[y], 0.0)
    _normalise(member, x)


@njit
def _exchange(members: np.ndarray, a: np.ndarray, f: np.ndarray, best: _Members) -> None:
    """[Huang & Du, V.H] A member and Omega's matrix of the same slice: the better replaces."""
    slots = best.a.size
    for k in range(a.size):
        slot = min(int((1.0 - a[k]) * slots), slots - 1)
        if f[k] < best.f[slot]:
            best.matrices[slot], best.a[slot], best.f[slot] = members[k], a[k], f[k]
        elif best.f[slot] < f[k]:
            members[k], a[k], f[k] = best.matrices[slot], best.a[slot], best.f[slot]


@njit
def _cross(one: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> None:
    """[Huang & Du, V.E] Swap the columns right of a random line. Every pair is crossed: the coin
    that would say whether is thrown, as the stream of random numbers has it."""
    rng.random()
    n = one.shape[0]
    line = rng.integers(1, n)
    for y in range(n):
        for x in range(line, n):
            one[y, x], other[y, x] = other[y, x], one[y, x]


@njit(nogil=True)
def _evolve(
    generations: int,
    archive: int,
    prior: np.ndarray,
    delta: float,
    respondents: int,
    children: _Members,
    best: _Members,
    mutation_rate: float,
    mutation_step: float,
    rng: np.random.Generator,
) -> None:
    """Run the generations, from children drawn at random, and write what is found to Omega."""
    q, q_a, q_f = children
    nq, n = q.shape[0], prior.size
    v, spare = np.zeros((archive, n, n)), np.zeros((archive, n, n))  # this archive, and the next
    v_a, v_f, filled = np.empty(archive), np.empty(archive), 0
    strength, raw, fit = np.empty(nq + archive), np.empty(nq + archive), np.empty(nq + archive)
    for k in range(nq):
        _repair(q[k], prior, delta)
    _evaluate(q, prior, respondents, q_a, q_f)
    for _ in range(generations):
        size = nq + filled
        a = np.concatenate((q_a, v_a[:filled]))
        f = np.concatenate((q_f, v_f[:filled]))
        order = _sorted(a, f)
        a, f = a[order], f[order]
        _fitness(a, f, strength[:size], raw[:size], fit[:size])
        survivors = _survivors(a, f, raw[:size], fit[:size], archive)
        filled = survivors.size
        for k in range(filled):
            place = order[survivors[k]]
            spare[k] = q[place] if place < nq else v[place - nq]
            v_a[k], v_f[k] = a[survivors[k]], f[survivors[k]]
        v, spare = spare, v

        picks = rng.integers(0, filled, 2 * nq)
        for k in range(nq):  # binary tournaments; their winners are in random order: pairs
            i, j = picks[2 * k], picks[2 * k + 1]
            q[k] = v[i] if fit[survivors[i]] <= fit[survivors[j]] else v[j]
        for k in range(0, nq, 2):
            _cross(q[k], q[k + 1], rng)
        for k in range(nq):
            if rng.random() < mutation_rate:
                _mutate(q[k], rng, mutation_step)
            _repair(q[k], prior, delta)
        _evaluate(q, prior, respondents, q_a, q_f)
        _exchange(q, q_a, q_f, best)
        _exchange(v[:filled], v_a[:filled], v_f[:filled], best)
