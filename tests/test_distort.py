"""The four distortions against plain readings of the papers and against known mathematics.

Random tests use fixed seeds, so they give the same answer at every run. Had the seed been drawn
anew, a test with a significance level would fail with the chance named next to it.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ppdm.distort import aibr, bsvd, condense, intervals, kcg, kcg_by_class, ssvd

METHODS = {
    "aibr": aibr,
    "bsvd": bsvd,
    "ssvd": lambda X, k, rng: ssvd(X, k, 0.3, rng),
    "kcg": kcg,
    "kcg_by_class": lambda X, k, rng: kcg_by_class(X, np.zeros(len(X)), k, rng),
}
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())


def rng(seed=0):
    return np.random.default_rng(seed)


def records(n=60, m=4, seed=5):
    """Correlated records on different scales, with ties."""
    g = rng(seed)
    base = g.normal(size=(n, 1)) + g.normal(size=(n, m))
    return np.round(base * np.arange(1, m + 1) * 3, 1) + 20


# AIBR -------------------------------------------------------------------------------------------


def aibr_as_written(A, k, g):
    """The paper's two steps, line by line: draw a pool for each attribute, then hand it out."""
    n, m = A.shape
    edges = [np.linspace(A[:, i].min(), A[:, i].max(), k + 1) for i in range(m)]

    def interval_of(x, i):
        return min(int(np.searchsorted(edges[i], x, side="right")) - 1, k - 1)

    pool = []
    for i in range(m):  # the first step
        counts = [sum(interval_of(x, i) == j for x in A[:, i]) for j in range(k)]
        pool.append([list(g.uniform(edges[i][j], edges[i][j + 1], counts[j])) for j in range(k)])
    MA = np.empty((n, m))
    for row in range(n):  # the second step
        for i in range(m):
            choices = pool[i][interval_of(A[row, i], i)]
            MA[row, i] = choices.pop(g.integers(len(choices)))
    return MA


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_aibr_equals_the_papers_two_steps_in_distribution(k):
    A = np.array([[1, 50.0], [4, 20], [5, 20], [7, 35], [10, 29], [2, 80]])
    g, draws = rng(k), 1500
    plain = np.array([aibr_as_written(A, k, g) for _ in range(draws)])
    fast = np.array([aibr(A, k, g) for _ in range(draws)])
    # every entry, and every product of two entries (so dependence would show): 78 comparisons
    both = [
        np.concatenate([x.reshape(draws, -1), _products(x.reshape(draws, -1))], axis=1)
        for x in (plain, fast)
    ]
    p = [stats.ks_2samp(a, b).pvalue for a, b in zip(both[0].T, both[1].T)]
    assert min(p) > 0.001 / len(p)  # false alarms: less than 1 in 1,000


def _products(flat):
    centred = flat - flat.mean(axis=0)
    left, right = np.triu_indices(flat.shape[1], 1)
    return centred[:, left] * centred[:, right]


@pytest.mark.parametrize("k", [1, 2, 4, 9, 31])
def test_aibr_keeps_every_value_in_its_interval(k):
    A = records()
    B = aibr(A, k, rng())
    low, high = A.min(axis=0), A.max(axis=0)
    assert (intervals(B, k, low, high) == intervals(A, k)).all()
    assert (B != A).mean() > 0.99


def test_intervals_put_the_data_on_an_edge_above_it_and_the_maximum_in_the_last():
    x = np.arange(1, 11, dtype=float)[:, None]  # edges 1, 4, 7, 10
    assert intervals(x, 3).ravel().tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    assert intervals(x / 10, 9).ravel().tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]


# BSVD and SSVD ----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_bsvd_is_the_best_approximation_of_its_rank(k):
    A = records()
    B = bsvd(A, k)
    left_out = np.sqrt(np.linalg.eigvalsh(A.T @ A)[::-1][k:].clip(0).sum())  # Eckart and Young
    assert np.linalg.matrix_rank(B) == k
    assert np.linalg.norm(A - B) == pytest.approx(left_out, abs=1e-6)


@pytest.mark.parametrize("threshold", ["together", "separate", "with_sigma"])
def test_ssvd_as_written(threshold):
    A, k, e = records(30, 4), 3, 0.4
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    U, S, Vt = U[:, :k].copy(), np.diag(s[:k]), Vt[:k].copy()
    pools = {"together": [(U, Vt)], "separate": [(U,), (Vt,)], "with_sigma": [(U, Vt, S)]}
    for pool in pools[threshold]:
        sizes = sorted(abs(v) for M in pool for v in M.ravel())
        d = sizes[int(e * len(sizes))]  # a share e of the entries is below d
        for M in pool:
            for index in np.ndindex(M.shape):
                if abs(M[index]) < d:
                    M[index] = 0
    np.testing.assert_allclose(ssvd(A, k, e, threshold=threshold), U @ S @ Vt, atol=1e-9)


def test_ssvd_with_e_zero_is_bsvd_and_all_components_change_nothing():
    A = records()
    np.testing.assert_array_equal(ssvd(A, 3, 0), bsvd(A, 3))
    np.testing.assert_allclose(bsvd(A, 4), A, atol=1e-9)


def test_ssvd_refuses_a_share_outside_0_to_1_and_an_unknown_threshold():
    with pytest.raises(ValueError, match="e is a share .* but it is 1.5"):
        ssvd(records(), 2, 1.5)
    with pytest.raises(ValueError, match="threshold must be one of together"):
        ssvd(records(), 2, 0.5, threshold="both")


# kCG --------------------------------------------------------------------------------------------


def groups_as_written(A, k, order):
    """Aggarwal and Yu's static condensation, record by record."""
    left, groups = list(range(len(A))), []
    for seed in order:
        if seed in left and len(left) >= k:
            others = sorted(
                (i for i in left if i != seed), key=lambda i: np.sum((A[i] - A[seed]) ** 2)
            )
            groups.append([seed, *others[: k - 1]])
            left = [i for i in left if i not in groups[-1]]
    means = [A[g].mean(axis=0) for g in groups]
    label = {i: number for number, members in enumerate(groups) for i in members}
    for i in left:
        label[i] = int(np.argmin([np.sum((A[i] - mean) ** 2) for mean in means]))
    return [label[i] for i in range(len(A))]


@pytest.mark.parametrize("k", [1, 2, 5, 7, 30, 53])
def test_condense_groups_as_the_plain_reading_does(k):
    A = rng(3).normal(size=(53, 3))  # no ties, so the grouping is unique
    found = condense(A, k, rng(11))
    assert found.tolist() == groups_as_written(A, k, rng(11).permutation(53))
    assert np.bincount(found).min() >= k


def test_kcg_keeps_the_mean_and_covariance_of_a_group():
    A = records(12, 3)
    g = rng(4)
    draws = np.concatenate([kcg(A, 12, g) for _ in range(4000)])  # one group of all 12
    n = len(draws)
    se_mean = A.std(axis=0) / np.sqrt(n)
    assert (np.abs(draws.mean(axis=0) - A.mean(axis=0)) < 4.5 * se_mean).all()  # 1 in 49,000
    centred = draws - A.mean(axis=0)
    products = centred[:, :, None] * centred[:, None, :]
    off = np.abs(products.mean(axis=0) - np.cov(A.T, bias=True))
    assert (off < 4.5 * products.std(axis=0) / np.sqrt(n)).all()  # 1 in 24,000


def test_kcg_draws_are_uniform_along_the_eigenvectors():
    A = records(12, 3)
    draws = np.concatenate([kcg(A, 12, g) for g in map(rng, range(500))])
    values, vectors = np.linalg.eigh(np.cov(A.T, bias=True))
    scores = (draws - A.mean(axis=0)) @ vectors / np.sqrt(12 * values) + 0.5
    p = [stats.kstest(score, "uniform").pvalue for score in scores.T]
    assert min(p) > 0.001 / 3  # false alarms: 1 in 1,000


def test_kcg_of_one_record_changes_nothing():
    A = records()
    np.testing.assert_allclose(kcg(A, 1, rng()), A, atol=1e-12)


def test_kcg_by_class_never_mixes_classes():
    A = np.vstack([rng(1).normal(0, 1, (20, 2)), rng(2).normal(100, 1, (15, 2))])
    y = np.repeat(["low", "high"], [20, 15])
    B = kcg_by_class(A, y, 15, rng())
    assert (B[y == "low"] < 50).all() and (B[y == "high"] > 50).all()
    with pytest.raises(ValueError, match="from 1 to 15 .* smallest class"):
        kcg_by_class(A, y, 16, rng())
    with pytest.raises(ValueError, match="35 records but 3 classes"):
        kcg_by_class(A, y[:3], 2, rng())


# What all four promise --------------------------------------------------------------------------


@every_method
def test_the_input_is_not_touched_and_the_same_generator_gives_the_same_table(method):
    A = records()
    before = A.copy()
    first, second = method(A, 3, rng(8)), method(A, 3, rng(8))
    np.testing.assert_array_equal(A, before)
    np.testing.assert_array_equal(first, second)
    assert first is not A and first.shape == A.shape and np.isfinite(first).all()


@every_method
def test_a_constant_column_passes_through_unchanged(method):
    A = records()
    with_constant = np.insert(A, 1, 0.1 + 0.2, axis=1)
    B = method(with_constant, 3, rng(8))
    assert (B[:, 1] == 0.1 + 0.2).all()
    np.testing.assert_array_equal(np.delete(B, 1, axis=1), method(A, 3, rng(8)))
    constant = np.full((5, 2), 7.0)
    np.testing.assert_array_equal(method(constant, 2, rng()), constant)


@every_method
def test_integers_frames_and_lists_are_welcome(method):
    A = records().round()
    expected = method(A, 3, rng(2))
    for form in (A.astype(int), pd.DataFrame(A.astype(int)), A.tolist()):
        np.testing.assert_array_equal(method(form, 3, rng(2)), expected)


@every_method
@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda A: np.where(A == A[0, 0], np.nan, A), "missing or infinite value"),
        (lambda A: np.where(A == A[0, 0], np.inf, A), "missing or infinite value"),
        (lambda A: A[0], "table of records by attributes"),
        (lambda A: A[:0], "table of records by attributes"),
        (lambda A: A.astype(str) + "x", "table of numbers"),
    ],
    ids=["nan", "infinite", "one row", "empty", "text"],
)
def test_data_that_cannot_be_distorted_are_refused_in_one_sentence(method, spoil, sentence):
    with pytest.raises(ValueError, match=sentence) as refusal:
        method(spoil(records()), 2, rng())
    assert str(refusal.value).count(". ") == 0


@every_method
@pytest.mark.parametrize("k", [0, -1, 2.5, 61, True, np.nan, "3", None])
def test_a_k_out_of_range_is_refused_in_one_sentence(method, k):
    with pytest.raises(ValueError, match=r"k must be a whole number from 1 to \d+ \(.*, but it is"):
        method(records(), k, rng())


def test_intervals_and_masks_want_complete_records_too():
    """NaN and infinity fell into some interval, and what a mask hides was distorted with the rest."""
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="1 missing or infinite value"):
            intervals([[bad], [1.0], [2.0]], 2)
    hidden = np.ma.masked_array([[1, 2], [3, 4], [5, 999]], mask=[[0, 0], [0, 0], [0, 1]])
    for method in METHODS.values():
        with pytest.raises(ValueError, match="1 missing or infinite value"):
            method(hidden, 2, rng())


def test_condensation_refuses_what_it_cannot_measure_or_class():
    """Squared distances that are infinite gave groups of fewer than k."""
    far = np.arange(9.0)[:, None]
    assert np.bincount(condense(far * 1e139, 3, rng())).tolist() == [3, 3, 3]
    for method in (condense, kcg):
        with pytest.raises(ValueError, match="divide them first"):
            method(far * 1e160, 3, rng())
    with pytest.raises(ValueError, match=r"its shape is \(9, 1\)"):
        kcg_by_class(far, np.zeros((9, 1)), 3, rng())
