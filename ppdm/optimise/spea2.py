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

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.compiled import njit, refuse_slow
from ppdm.optimise.objectives import check_count, check_delta, check_prior, pareto

__all__ = ["Front", "fitness", "mutated", "optrr", "repaired", "truncate"]

MUTATION_RATE, MUTATION_STEP = 1.0, 0.3
REPAIR_SWEEPS = 5
SINGULAR_PIVOT = 1e-13
TINY = 1e-14
FAR = 1e150  # its square is still finite
STRETCH = 16  # of points whose least distance is kept


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
    progress: Callable[[int], object] | None = None,
) -> Front:
    """[Huang & Du, V.A] Search for randomizing matrices; return the non-dominated part of Omega.

    Open in the paper, set here: population and archive of 100, an Omega of 1,000 slices (its
    example), every pair of parents crossed and every child mutated (as its outline says), by a
    change drawn evenly from (0, 0.3). `progress` is called with the number of generations done.

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
    for member in children.matrices:
        _repair(member, prior, delta)
    _evaluate(children.matrices, prior, respondents, children.a, children.f)
    parents, best = _members(archive, n), _members(omega, n)

    filled, generation = 0, 0
    while generation < generations:
        steps = min(250, generations - generation) if progress else generations - generation
        filled = _evolve(
            steps,
            filled,
            prior,
            delta,
            respondents,
            children,
            parents,
            best,
            mutation_rate,
            mutation_step,
            rng,
        )
        generation += steps
        if progress:
            progress(steps)

    used = np.flatnonzero(np.isfinite(best.f))
    used = used[pareto(1 - best.a[used], best.f[used])]
    used = used[np.argsort(-best.a[used])]
    return Front(1 - best.a[used], best.f[used], best.matrices[used])


def fitness(a: ArrayLike, f: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[Huang & Du, Eq. 11] Strength, raw fitness and fitness of points (a, f), both to be small.

    >>> fitness([1.0, 2.0, 3.0], [1.0, 2.0, 1.5])[1]      # the first dominates the other two
    array([0., 2., 2.])
    """
    a, f = np.ascontiguousarray(a, dtype=float), np.ascontiguousarray(f, dtype=float)
    order = _sorted(a, f)
    values = np.empty((3, len(a)))
    _fitness(a[order], f[order], *values)
    strength, raw, fit = values[:, np.argsort(order)]
    return strength, raw, fit


def truncate(a: ArrayLike, f: ArrayLike, size: int) -> np.ndarray:
    """[Huang & Du, V.C] Indices of the `size` survivors of a set of non-dominated points.

    One at a time the point nearest to its nearest neighbour leaves; ties look at the second
    nearest, and so on. On a front of two objectives, sorted, distances grow to both sides, so the
    neighbours of a point are found by walking left and right.

    >>> truncate([0.0, 0.1, 0.2, 1.0], [1.0, 0.9, 0.8, 0.0], 3)
    array([0, 2, 3])
    """
    a, f = np.ascontiguousarray(a, dtype=float), np.ascontiguousarray(f, dtype=float)
    if a.ndim != 1 or a.shape != f.shape or np.isnan([a, f]).any():
        raise ValueError("truncate takes two numbers for each point, none of them NaN")
    size = check_count("size", size)
    index = np.argsort(a, kind="stable")
    alive = np.ones(len(a), dtype=np.bool_)
    _truncate(a[index], f[index], size, alive)
    return np.sort(index[alive])


def mutated(matrix: ArrayLike, rng: np.random.Generator, step: float = MUTATION_STEP) -> np.ndarray:
    """[Huang & Du, V.F] A mutated copy: one element of one column moves, the others follow.

    >>> child = mutated(np.eye(3), np.random.default_rng(1))
    >>> child.sum(axis=0)
    array([1., 1., 1.])
    """
    rng = generator(rng)
    child = _square(matrix)
    _mutate(child, rng, step)
    return child


def repaired(matrix: ArrayLike, prior: ArrayLike, delta: float) -> np.ndarray:
    """[Huang & Du, V.G] A copy whose posteriors are at most delta.

    >>> repaired([[0.9, 0.1], [0.1, 0.9]], [0.5, 0.5], 0.8).round(3)
    array([[0.4, 0.1],
           [0.6, 0.9]])
    """
    prior = check_prior(prior)
    delta = check_delta(delta, prior)
    child = _square(matrix)
    if len(child) != len(prior):
        raise ValueError(
            f"the matrix has {len(child)} columns and the prior {len(prior)} categories: "
            "a column a category is needed"
        )
    _repair(child, prior, delta)
    return child


def _square(matrix: ArrayLike) -> np.ndarray:
    """A copy of a matrix that the compiled code may go through by one size."""
    child = np.array(matrix, dtype=float)
    if child.ndim != 2 or child.shape[0] != child.shape[1] or len(child) < 2:
        raise ValueError(
            f"the matrix has shape {child.shape}: the search is among square ones, with as many "
            "reports as answers"
        )
    return child


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
def _more_crowded(
    a: np.ndarray, f: np.ndarray, left: np.ndarray, right: np.ndarray, i: int, j: int
) -> bool:
    """Whether i has the lexicographically smaller list of sorted neighbour distances than j."""
    size = a.size
    il, ir, jl, jr = left[i], right[i], left[j], right[j]
    while True:
        i_left = _gap(a, f, i, il) if il >= 0 else np.inf
        i_right = _gap(a, f, i, ir) if ir < size else np.inf
        j_left = _gap(a, f, j, jl) if jl >= 0 else np.inf
        j_right = _gap(a, f, j, jr) if jr < size else np.inf
        di, dj = min(i_left, i_right), min(j_left, j_right)
        if di != dj:
            return di < dj
        if il < 0 and ir >= size:
            return False
        if i_left <= i_right and il >= 0:
            il = left[il]
        else:
            ir = right[ir]
        if j_left <= j_right and jl >= 0:
            jl = left[jl]
        else:
            jr = right[jr]


@njit
def _second(
    a: np.ndarray, f: np.ndarray, left: np.ndarray, right: np.ndarray, gap: np.ndarray, i: int
) -> float:
    """The squared distance from a living point to the second nearest other one."""
    before, after = left[i], right[i]
    l_gap, r_gap = gap[i], gap[after]
    if l_gap <= r_gap:
        before = left[before] if before >= 0 else -1
        l_gap = _gap(a, f, i, before) if before >= 0 else np.inf
    else:
        after = right[after]
        r_gap = _gap(a, f, i, after) if after < a.size else np.inf
    return min(l_gap, r_gap)


@njit
def _most_crowded(
    a: np.ndarray,
    f: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    gap: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    lows: np.ndarray,
) -> int:
    """The point nearest to its nearest neighbour; ties, as both of a pair are, look further.

    `lows` has the least of `first` in each stretch of points, so that few need be looked at.
    """
    least = np.inf
    for low in lows:
        least = min(least, low)
    victim = -1
    for stretch in range(lows.size):
        if lows[stretch] > least:
            continue
        for i in range(stretch * STRETCH, min((stretch + 1) * STRETCH, a.size)):
            if first[i] > least:
                continue
            if second[i] < 0.0:
                second[i] = _second(a, f, left, right, gap, i)
            nearer = victim < 0 or second[i] < second[victim]
            tied = victim >= 0 and second[i] == second[victim]
            if nearer or (tied and _more_crowded(a, f, left, right, i, victim)):
                victim = i
    return victim


@njit
def _refresh(
    i: int, right: np.ndarray, gap: np.ndarray, first: np.ndarray, lows: np.ndarray
) -> None:
    """Write the squared distance from a living point to the nearest other one to `first`.

    A copy of the point before it is passed over: it has the same distances.
    """
    first[i] = np.inf if gap[i] == 0.0 else min(gap[i], gap[right[i]])
    _lower(i, first, lows)


@njit
def _lower(i: int, first: np.ndarray, lows: np.ndarray) -> None:
    stretch = i // STRETCH
    low = np.inf
    for k in range(stretch * STRETCH, min((stretch + 1) * STRETCH, first.size)):
        low = min(low, first[k])
    lows[stretch] = low


@njit
def _truncate(a: np.ndarray, f: np.ndarray, size: int, alive: np.ndarray) -> None:
    """Mark points of a sorted front as gone until `size` are left.

    Of each living point `gap` has the squared distance to the one before it, `first` and `second` those
    to the nearest two others. `second` is asked for at ties alone: -1 is not computed yet.
    """
    count = a.size
    left = np.arange(count) - 1
    right = np.arange(count) + 1
    gap = np.full(count + 1, np.inf)
    for i in range(1, count):
        gap[i] = _gap(a, f, i, i - 1)
    first, second = np.empty(count), np.full(count, -1.0)
    lows = np.full((count + STRETCH - 1) // STRETCH, np.inf)
    for i in range(count):
        first[i] = np.inf if gap[i] == 0.0 else min(gap[i], gap[i + 1])
        lows[i // STRETCH] = min(lows[i // STRETCH], first[i])
    for _ in range(count - size):
        victim = _most_crowded(a, f, left, right, gap, first, second, lows)
        before, after = left[victim], right[victim]
        alive[victim], first[victim] = False, np.inf
        _lower(victim, first, lows)
        inside = before >= 0 and after < count
        gap[after] = _gap(a, f, before, after) if inside else np.inf
        if before >= 0:
            right[before] = after
            second[before] = -1.0
            if left[before] >= 0:
                second[left[before]] = -1.0
            _refresh(before, right, gap, first, lows)
        if after < count:
            left[after] = before
            second[after] = -1.0
            if right[after] < count:
                second[right[after]] = -1.0
            _refresh(after, right, gap, first, lows)


@njit
def _survivors(
    a: np.ndarray, f: np.ndarray, raw: np.ndarray, fit: np.ndarray, size: int
) -> np.ndarray:
    """[Huang & Du, V.C] Indices of the next archive, out of sorted points."""
    good = np.flatnonzero(raw == 0.0)
    if good.size <= size:
        return np.argsort(fit, kind="mergesort")[:size]
    alive = np.ones(good.size, dtype=np.bool_)
    _truncate(a[good], f[good], size, alive)
    return good[alive]


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
    steps: int,
    filled: int,
    prior: np.ndarray,
    delta: float,
    respondents: int,
    children: _Members,
    parents: _Members,
    best: _Members,
    mutation_rate: float,
    mutation_step: float,
    rng: np.random.Generator,
) -> int:
    """Run `steps` generations in place; return how many of the archive's places are in use."""
    q, q_a, q_f = children
    v, v_a, v_f = parents
    nq, nv = q.shape[0], v.shape[0]
    home, spare = v, np.empty_like(v)  # the next archive is written beside the one it is made of
    strength, raw, fit = np.empty(nq + nv), np.empty(nq + nv), np.empty(nq + nv)
    for _ in range(steps):
        size = nq + filled
        a = np.concatenate((q_a, v_a[:filled]))
        f = np.concatenate((q_f, v_f[:filled]))
        order = _sorted(a, f)
        a, f = a[order], f[order]
        _fitness(a, f, strength[:size], raw[:size], fit[:size])
        survivors = _survivors(a, f, raw[:size], fit[:size], nv)
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
    if steps % 2:
        home[:] = v
    return filled
