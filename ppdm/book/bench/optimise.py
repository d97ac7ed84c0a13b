"""How fast the search and the frontier are, measured in one run; pymoo's SPEA2 beside ours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ppdm.book.bench import shortest
from ppdm.optimise import spea2
from ppdm.optimise.descent import square_front
from ppdm.optimise.frontier import certified_frontier

DELTA, RESPONDENTS, SIZE = 0.75, 10_000, 100
GENERATIONS, PYMOO_GENERATIONS, POINTS = 20_000, 60, 50


def rows() -> Iterator[str]:
    """What was measured, one line each; pymoo's line is left out where pymoo is not installed."""
    prior = np.exp(-0.5 * ((np.arange(10) - 4.5) / 1.7) ** 2)
    prior /= prior.sum()
    spea2.optrr(prior, DELTA, np.random.default_rng(0), generations=2)  # compile
    rng = np.random.default_rng(1)
    (search,) = shortest(lambda: spea2.optrr(prior, DELTA, rng, generations=GENERATIONS), rounds=0)
    ours = GENERATIONS / search
    yield f"OptRR, n = 10: {GENERATIONS:,} generations in {search:.1f} s ({ours:,.0f} a second)"
    try:
        (seconds,) = shortest(lambda: pymoo_front(prior, PYMOO_GENERATIONS), rounds=0)
    except ModuleNotFoundError:
        pass
    else:
        theirs = PYMOO_GENERATIONS / seconds
        yield f"pymoo's SPEA2, same problem and operators: {theirs:,.0f} a second; {ours / theirs:.0f} times"
    levels = np.linspace(1 - DELTA, 1 - prior.max() - 0.01, POINTS)
    ten = levels[:: POINTS // 10]
    square_front(prior, DELTA, ten[:1], rng, starts=1)  # compile
    (seconds,) = shortest(lambda: square_front(prior, DELTA, ten, rng), rounds=0)
    yield f"best square matrices, n = 10: {len(ten)} levels in {seconds:.1f} s, {seconds / search:.2f} times the search's"
    points: list = []
    (seconds,) = shortest(lambda: points.extend(certified_frontier(prior, DELTA, levels)), rounds=0)
    gap = max(point.gap for point in points)
    yield f"frontier, n = 10: {POINTS} points in {seconds:.1f} s, largest gap {gap:.0e}"


def pymoo_front(prior, generations: int, seed: int = 1, delta: float = DELTA):
    """pymoo's SPEA2 on the same problem, with our kernels for everything but its own machinery.

    The objectives, crossover, mutation and repair are the very functions that `optrr` uses; what
    differs is fitness, selection and the keeping of the population. Returns A and the error.
    """
    from pymoo.algorithms.moo.spea2 import SPEA2, SPEA2Survival
    from pymoo.core.crossover import Crossover
    from pymoo.core.mutation import Mutation
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize

    n, rng = len(prior), np.random.default_rng(seed)

    class Matrices(Problem):
        def _evaluate(self, x, out, *args, **kwargs):
            a, f = np.empty(len(x)), np.empty(len(x))
            spea2._evaluate(np.ascontiguousarray(x.reshape(-1, n, n)), prior, RESPONDENTS, a, f)
            out["F"] = np.column_stack([a, np.minimum(f, 1e3)])

    def repaired(members):
        for member in members:
            spea2._repair(member, prior, delta)
        return members.reshape(len(members), n * n)

    class SwapColumns(Crossover):
        def _do(self, problem, parents, **kwargs):
            children = parents.reshape(2, -1, n, n)
            right = np.arange(n) >= rng.integers(1, n, parents.shape[1])[:, None, None]
            return np.where(right, children[::-1], children).reshape(parents.shape)

    class MoveElement(Mutation):
        def _do(self, problem, x, **kwargs):
            members = x.reshape(-1, n, n).copy()
            for member in members[rng.random(len(members)) < spea2.MUTATION_RATE]:
                spea2._mutate(member, rng, spea2.MUTATION_STEP)
            return repaired(members)

    columns = rng.dirichlet(np.ones(n), size=(SIZE, n)).transpose(0, 2, 1)
    algorithm = SPEA2(
        pop_size=SIZE,
        n_offsprings=SIZE,
        sampling=repaired(np.ascontiguousarray(columns)),
        crossover=SwapColumns(n_parents=2, n_offsprings=2, prob=1.0),
        mutation=MoveElement(prob=1.0),
        survival=SPEA2Survival(normalize=False),
        eliminate_duplicates=False,
    )
    problem = Matrices(n_var=n * n, n_obj=2, xl=0.0, xu=1.0)
    result = minimize(problem, algorithm, ("n_gen", generations), seed=seed)
    return result.F[:, 0], result.F[:, 1]
