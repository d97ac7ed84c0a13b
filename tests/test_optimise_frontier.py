"""The certified frontier: against brute force, another formulation, simulation and known optima."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from oracles import bound
from scipy.optimize import minimize

from ppdm.optimise import (
    BestScheme,
    best_ldp_scheme,
    best_scheme,
    certified_frontier,
    max_posterior,
    mse,
)
from ppdm.optimise import privacy as privacy_of
from ppdm.optimise.design import Design, Points
from ppdm.optimise.frontier import atoms, reduced, scheme_matrix

PRIOR = np.array([0.5, 0.3, 0.2])
DELTA = 0.8


def random_scheme(rng, prior, delta, outputs):
    """A scheme with posteriors up to delta: noise is mixed in until it is one."""
    m = rng.dirichlet(np.full(outputs, rng.choice([0.1, 0.5, 2.0])), size=len(prior)).T
    noise = np.outer(m @ prior, np.ones(len(prior)))
    for share in np.linspace(0, 1, 101):
        mixed = (1 - share) * m + share * noise
        if max_posterior(mixed, prior) <= delta:
            return mixed
    raise AssertionError("noise keeps the bound")


@pytest.mark.parametrize(
    ("n", "outputs"), [(2, 3), (2, 4), (3, 4), pytest.param(3, 6, marks=pytest.mark.slow)]
)
def test_no_scheme_found_by_brute_force_is_below_and_some_come_near(n, outputs):
    prior = np.array([0.6, 0.4]) if n == 2 else PRIOR
    rng = np.random.default_rng(2)
    for level in (0.25, 0.33):
        best = best_scheme(prior, DELTA, level)
        found = min(
            slsqp(random_scheme(rng, prior, DELTA, outputs), prior, DELTA, level) for _ in range(12)
        )
        assert found >= best.bound * (1 - 1e-7)  # as near as `slsqp` keeps the bounds
        if outputs > 3 or n == 2:
            assert found <= best.bound * (1.005 if outputs == 2 * n else 1.05)


def slsqp(start, prior, delta, level) -> float:
    """A general optimizer on the matrix itself, with A as a sum of bounds t."""
    outputs, n = start.shape

    def unpack(z):
        return z[: outputs * n].reshape(outputs, n), z[outputs * n :]

    def excess(z):
        m, t = unpack(z)
        joint = m * prior
        too_sure = delta * joint.sum(axis=1, keepdims=True) - joint
        return np.hstack([(t[:, None] - joint).ravel(), too_sure.ravel(), 1 - level - t.sum()])

    def matrix(z):
        m = np.maximum(unpack(z)[0], 0)
        return m / m.sum(axis=0)

    def error(z):
        value = mse(matrix(z), prior, 1)
        return np.log(value) if np.isfinite(value) else 50.0

    z = np.concatenate([start.ravel(), (start * prior).max(axis=1)])
    sums = {"type": "eq", "fun": lambda z: unpack(z)[0].sum(axis=0) - 1}
    limits = [{"type": "ineq", "fun": excess}, sums]
    options = {"maxiter": 200, "ftol": 1e-10}
    m = matrix(minimize(error, z, bounds=[(0, 1)] * len(z), constraints=limits, options=options).x)
    valid = privacy_of(m, prior) >= level - 1e-7 and max_posterior(m, prior) <= delta + 1e-7
    return float(mse(m, prior)) if valid else np.inf


def test_any_multipliers_give_a_lower_bound():
    """The bound does not rest on the solver: random G, nu and mu never exceed the optimum."""
    rng = np.random.default_rng(4)
    best = best_scheme(PRIOR, DELTA, 0.3, respondents=1)
    optimum = 3 * best.mse + (PRIOR**2).sum()
    points = atoms(3, DELTA)
    top = points.max(axis=1)
    for _ in range(200):
        root = rng.normal(size=(3, 3)) * rng.exponential()
        value = bound(
            PRIOR, points, top, 0.7, root @ root.T, rng.normal(size=3), rng.normal(), np.eye(3)
        )
        assert value <= optimum * (1 + 1e-9)
    assert 3 * best.bound + (PRIOR**2).sum() == pytest.approx(optimum, rel=1e-6)


def test_the_same_from_cvxpy():
    import cvxpy as cp

    points = atoms(3, DELTA)
    d = np.diag(PRIOR)
    w = cp.Variable(len(points), nonneg=True)
    s = sum(w[i] * np.outer(p, p) for i, p in enumerate(points))
    constraints = [points.T @ w == PRIOR, points.max(axis=1) @ w <= 0.7]
    value = cp.Problem(cp.Minimize(cp.matrix_frac(d, s)), constraints).solve(solver="CLARABEL")
    best = best_scheme(PRIOR, DELTA, 0.3, respondents=1)
    assert 3 * best.mse + (PRIOR**2).sum() == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("n", [2, 4, 7])
def test_each_point_is_a_scheme_with_few_outputs_at_its_bound(n):
    prior = np.arange(1, n + 1) / (n * (n + 1) / 2)
    delta = 0.9
    levels = np.linspace(1 - delta, 1 - prior.max() - 0.01, 5)
    for level, point in zip(levels, certified_frontier(prior, delta, levels)):
        assert 0 <= point.gap < 1e-6
        assert len(point.matrix) <= n * (n + 1) // 2 + 1
        assert point.matrix.sum(axis=0) == pytest.approx(np.ones(n))
        assert point.matrix.min() >= 0
        assert privacy_of(point.matrix, prior) >= level - 1e-9
        assert max_posterior(point.matrix, prior) <= delta + 1e-6
        assert mse(point.matrix, prior) == pytest.approx(point.mse)


def test_the_frontier_is_attained_by_least_squares_and_by_em():
    """4,000 surveys of 20,000; least squares within 4.5 standard errors, EM within 5 % as well."""
    from ppdm.estimate import em, inversion

    rng = np.random.default_rng(5)
    respondents, surveys = 20_000, 4_000
    point = best_scheme(PRIOR, DELTA, 0.3, respondents)
    counts = rng.multinomial(respondents, point.matrix @ PRIOR, size=surveys)
    squares = np.array([((inversion(c, point.matrix, PRIOR) - PRIOR) ** 2).mean() for c in counts])
    assert abs(squares.mean() - point.mse) < 4.5 * squares.std() / np.sqrt(surveys)
    likely = [((em(c, point.matrix, tolerance=1e-10) - PRIOR) ** 2).mean() for c in counts[:1000]]
    se = np.std(likely) / np.sqrt(len(likely))
    assert abs(np.mean(likely) - point.mse) < 0.05 * point.mse + 4.5 * se


def test_the_ends():
    at_top = best_scheme(PRIOR, DELTA, 0.5)  # the guess is always the most common answer
    assert np.isfinite(at_top.mse)
    assert at_top.privacy == pytest.approx(0.5)
    assert best_scheme([0.4, 0.4, 0.2], DELTA, 0.6).mse == np.inf  # two of them: not told apart
    direct = best_scheme(PRIOR, 1.0, 0.0)
    assert direct.mse == pytest.approx(float(mse(np.eye(3), PRIOR)))
    assert best_scheme(PRIOR, 0.5, 0.5).mse == np.inf  # delta at the limit of Theorem 5
    # less privacy than delta allows is not to be had: the answer is the one at 1 - delta
    assert best_scheme(PRIOR, DELTA, 0.0).privacy == pytest.approx(1 - DELTA, abs=1e-6)


def test_refusals():
    for prior, words in (([1.0], "at least two"), ([0.5, 0.5, 0], "is 0"), ([0.5, 0.4], "sums")):
        with pytest.raises(ValueError, match=words):
            best_scheme(prior, 0.9, 0.1)
        with pytest.raises(ValueError, match=words):
            best_ldp_scheme(prior, 1.0)
    with pytest.raises(ValueError, match="below the largest prior"):
        best_scheme(PRIOR, 0.4, 0.3)
    for level in (-0.1, 0.51):
        with pytest.raises(ValueError, match="between 0 and 0.5"):
            best_scheme(PRIOR, 0.9, level)
    for epsilon in (0.0, 1e-7, 31.0, 800.0):
        with pytest.raises(ValueError, match=f"epsilon is {epsilon:g}"):
            best_ldp_scheme(PRIOR, epsilon)
    for delta, level in ((0.5 + 1e-8, None), (0.500001, 0.3)):  # hardly anything may be told
        with pytest.raises(ValueError, match="take a larger epsilon or delta"):
            best_scheme(PRIOR, delta, level)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_under_ldp_subset_selection_is_best_for_a_uniform_prior(epsilon):
    """Ye and Barg's optimum: report a random set of k values, likelier if it holds the true one."""
    n = 5
    prior = np.full(n, 1 / n)
    best = best_ldp_scheme(prior, epsilon)
    assert -1e-12 <= best.gap < 1e-6  # below 0 by rounding only
    known = min(mse(subset_selection(n, k, epsilon), prior) for k in range(1, n))
    assert best.mse == pytest.approx(float(known), rel=1e-6)
    row = best.matrix
    assert np.log(row.max(axis=1) / row.min(axis=1)).max() <= epsilon + 1e-7


@pytest.mark.parametrize(
    "prior", [(0.5, 0.5), PRIOR, (0.9, 0.05, 0.03, 0.02), (0.125,) * 8], ids=len
)
@pytest.mark.parametrize("epsilon", [7.0, 10.0, 12.0, 30.0])
def test_at_large_epsilon_the_bound_holds_and_is_near(prior, epsilon):
    """The noise is about e^-epsilon: a bound is near that, or there is none, and is never below 0."""
    best = best_ldp_scheme(prior, epsilon, 1)
    direct = float(mse(np.eye(len(prior)), prior, 1))
    assert direct <= best.bound <= best.mse * (1 + 1e-12)
    assert 0 <= best.noise_bound <= best.noise * (1 + 1e-3)
    assert best.gap < 1e-6
    if epsilon < 30:
        assert best.noise_gap < 1e-3


def test_without_a_bound_nothing_is_certified():
    scheme = BestScheme(0.3, 2.0, 1.6, np.eye(2), 1.0, 0.5)
    assert (scheme.gap, scheme.noise_gap) == (0.25, 1.0)
    for bound_ in (0.0, -1e6, np.nan, 2.1):
        failed = scheme._replace(bound=bound_, noise_bound=bound_)
        assert failed.gap == failed.noise_gap == np.inf
    assert scheme._replace(noise=0.0, noise_bound=0.0).noise_gap == 0  # asked directly


@pytest.mark.parametrize("level", [0.45, 0.4583, 0.47, 0.49])
def test_two_answers_near_the_highest_privacy(level):
    """Steps that run in circles there left eight times the error, without a bound.

    An answer is told with posterior 0.8, or nothing is: so often that the guess is right as it may be.
    """
    best = best_scheme([0.5, 0.5], 0.8, level, 1)
    told = (1 - level - 0.5) / 0.3
    assert best.mse == pytest.approx(0.25 / (told * 0.6**2), rel=1e-6)
    assert best.privacy >= level - 1e-9 and 0 <= best.gap < 1e-6


def test_a_scheme_leaves_its_weights_alone():
    w = np.array([0.4, 0.4])
    scheme_matrix(w, np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]))
    assert w.tolist() == [0.4, 0.4]


def subset_selection(n, k, epsilon):
    rows = np.array([np.isin(np.arange(n), c) for c in combinations(range(n), k)])
    weight = np.where(rows, np.exp(epsilon), 1.0)
    assert len(rows) == comb(n, k)
    return weight / weight.sum(axis=0)


@pytest.mark.slow
def test_fourteen_categories():
    prior = np.arange(1, 15) / 105
    point = best_scheme(prior, 0.8, 0.5)
    assert 0 <= point.gap < 1e-6


def test_reports_that_tell_nothing_of_an_answer_are_left_as_they_are():
    """Their S is singular, and Cholesky says so in words of its own."""
    w, first = np.array([0.5, 0.5]), np.array([[1.0, 0.0], [1.0, 0.0]])
    found = Design(w, Points(first, np.zeros(2)), 1.0, 1.0, np.eye(2), np.ones(2), 0.0)
    weights, posteriors = reduced(found)
    assert weights.tolist() == [0.5, 0.5]
    assert (posteriors == first).all()
