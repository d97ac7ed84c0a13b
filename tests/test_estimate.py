"""Estimators of a distribution: known numbers, the likelihood, standard errors, pooling."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from ppdm import MultiGroup, RRMatrix, count
from ppdm.estimate import clipped, em, inversion, inversion_se, pool, projected

KRR = RRMatrix.warner(4, 5 / 8).M
COUNTS = [400, 300, 200, 100]


def test_known_numbers_of_k_ary_randomized_response():
    raw = inversion(COUNTS, KRR)
    assert raw == pytest.approx([0.55, 0.35, 0.15, -0.05], abs=1e-12)
    assert clipped(raw) == pytest.approx([0.52381, 0.33333, 0.14286, 0], abs=5e-6)
    assert projected(raw) == pytest.approx([0.53333, 0.33333, 0.13333, 0], abs=5e-6)
    assert em(COUNTS, KRR) == pytest.approx([0.527778, 0.333333, 0.138889, 0], abs=5e-7)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_em_maximizes_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    M = rng.dirichlet(np.ones(4), size=3).T
    counts = rng.integers(1, 200, 4)

    def loss(theta):
        p = np.exp(theta - theta.max())
        return -(counts / counts.sum()) @ np.log(M @ (p / p.sum()))

    best = min(optimize.minimize(loss, rng.normal(size=3)).fun for _ in range(3))
    estimate = em(counts, M)
    assert estimate.sum() == pytest.approx(1)
    assert -(counts / counts.sum()) @ np.log(M @ estimate) <= best + 1e-7


def test_inside_the_simplex_em_is_inversion():
    M = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.3], [0.1, 0.2, 0.6]])
    assert em([430, 340, 230], M) == pytest.approx(inversion([430, 340, 230], M), abs=1e-9)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=6))
@settings(max_examples=50, deadline=None)
def test_projection_is_the_nearest_point_of_the_simplex(values):
    point = projected(values)
    assert point.min() >= 0
    assert point.sum() == pytest.approx(1)
    rng = np.random.default_rng(0)
    others = rng.dirichlet(np.ones(len(values)), size=200)
    distance = np.sum((point - values) ** 2)
    assert distance <= np.sum((others - values) ** 2, axis=1).min() + 1e-9


def test_standard_errors_by_simulation():
    """5,000 draws: a standard deviation is known to 1 %; 6 of those, 2e-9 a coordinate."""
    rng = np.random.default_rng(3)
    true = np.array([0.5, 0.3, 0.2])
    M = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.3], [0.1, 0.2, 0.6]])
    draws = np.array([inversion(rng.multinomial(1_000, M @ true), M) for _ in range(5_000)])
    stated = inversion_se(1_000 * M @ true, M)
    np.testing.assert_allclose(draws.std(axis=0), stated, rtol=0.06)


def test_hybrid_data_add_true_and_undone_counts():
    rng = np.random.default_rng(1)
    mine = pd.DataFrame({"A": rng.integers(0, 2, 300), "B": rng.integers(0, 2, 300)})
    theirs = pd.DataFrame({"A": rng.integers(0, 2, 500), "B": rng.integers(0, 2, 500)})
    scheme = MultiGroup(0.8, [["A"], ["B"]])
    reports = count(scheme.disguise(theirs, rng))
    both = pool(count(mine), reports, scheme)
    assert both.total == pytest.approx(800)
    np.testing.assert_allclose(both.dense - count(mine).dense, scheme.undo(reports).dense)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2, 3], "4 outputs; 3 counts given"),
        ([-1, 2, 3, 4], "not negative"),
        ([0] * 4, "positive"),
        ([np.inf, 1, 1, 1], "finite"),
        ([np.nan, 1, 1, 1], "finite"),
    ],
)
def test_bad_counts_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        inversion(counts, KRR)


@pytest.mark.parametrize("estimator", [em, inversion, inversion_se])
def test_reports_that_the_matrix_rules_out_are_refused(estimator):
    M = [[1, 0], [0, 1], [0, 0]]
    with pytest.raises(ValueError, match="report 2 was counted 5 times, but"):
        estimator([1, 1, 5], M)
    assert np.isfinite(estimator([1, 1, 0], M)).all()


@pytest.mark.parametrize("estimate", [[1e17, 0], [0.5, 0.5, -1e17], [1e9, 1e9 - 1, 0]])
def test_large_numbers_are_projected_on_the_simplex(estimate):
    point = projected(estimate)
    assert point.sum() == pytest.approx(1) and point.argmax() == np.argmax(estimate)
