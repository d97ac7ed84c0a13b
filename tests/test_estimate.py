"""Estimators of a distribution: known numbers, the likelihood, standard errors, pooling."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from ppdm import Domain, MultiGroup, RRMatrix, Survey, Table, count, scheme_of
from ppdm.estimate import (
    Design,
    difference,
    em,
    estimate,
    inversion,
    inversion_se,
    projected,
)
from ppdm.learn import NaiveBayes
from ppdm.learn.accuracy import estimated_accuracy

KRR = RRMatrix.warner(4, 5 / 8).M


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


# -- where an interval has no closed form, or was wrong --------------------------------------------

YESNO = ["no", "yes"]
WARNER = Survey({"A": YESNO}, [{"mechanism": "warner", "p": 0.75, "attributes": ["A"]}])
BOTH = Survey(
    {"A": YESNO, "B": YESNO}, [{"mechanism": "warner", "p": 0.85, "attributes": ["A", "B"]}]
)


@pytest.mark.parametrize("p", [0.51, 0.505, 0.501, 0.5005])
def test_em_stops_where_the_likelihood_is(p):
    """It stopped at .935 and .943 of 1 after a million steps, without a word."""
    M = np.array([[p, 1 - p], [1 - p, p]])
    found = em([5_010, 4_990], M)
    best = min(1.0, inversion([5_010, 4_990], M)[0])
    assert found[0] == pytest.approx(best, abs=1e-5)
    g = M.T @ (np.array([0.501, 0.499]) / (M @ found))
    assert g.max() - 1 <= 1e-12 + 1e-15
    with pytest.warns(UserWarning, match="EM has not arrived after 3 steps: a mean log-likelihood"):
        em([400, 300, 200, 100], KRR, steps=3)


@pytest.mark.parametrize("method", ["inversion", "em"])
@pytest.mark.parametrize("size", [1, 2, 5, 30, 1_140])
def test_no_interval_has_no_width_at_an_impossible_value(size, method):
    """Thirty times "no" gave -.5 ± 0; a thousand forged votes 139 % ± 2.6, or 1 to 1 by EM."""
    rng = np.random.default_rng(1)
    rows = estimate(Table(WARNER.domain, [size, 0]), WARNER, method=method, rng=rng)
    assert (rows["high"] > rows["low"]).all() or rows["low"].isna().all()
    assert rows["fit"].iloc[0] == pytest.approx(min(1, 2 * 2 * 0.75**size), rel=0.51)
    assert (rows["fit"] < 0.001).all() == (size >= 30)
    if size in (2, 5, 30) and method == "inversion":
        inside = rows["low"].iloc[0] <= 1 <= rows["high"].iloc[0]
        assert inside == (
            0.75**size > 0.025
        )  # what the exact test of .05 does not refuse is covered


def test_weights_are_not_people():
    """1,600 each gave a standard error forty times too small, with groups, pairs, differences and scores."""
    rng = np.random.default_rng(2)
    scheme = scheme_of(BOTH)
    frame = scheme.disguise(pd.DataFrame({n: rng.choice(YESNO, 500) for n in "AB"}), rng)
    weights = np.full(500, 1_600.0)
    plain, weighed = count(frame, BOTH), count(frame, BOTH, weights=weights)
    for ask in (
        lambda t: estimate(t, BOTH),
        lambda t: estimate(t, BOTH, ["A", "B"]),
        lambda t: estimate(t, BOTH, by="B"),
        lambda t: estimate(t, BOTH, method="em", rng=np.random.default_rng(1)),
    ):
        numbers = ["reports", "reported", "share", "se", "low", "high", "fit"]
        for table in (
            weighed,
            weighed * 0.25,
            weighed.proportions(),
            weighed + weighed.proportions() * 0,
        ):
            pd.testing.assert_frame_equal(ask(plain)[numbers], ask(table)[numbers])
    by_record = estimate(frame, BOTH, weights=weights)
    pd.testing.assert_series_equal(by_record["se"], estimate(frame, BOTH)["se"])
    assert difference(weighed, BOTH, "A", "B") == pytest.approx(difference(plain, BOTH, "A", "B"))
    model = NaiveBayes(scheme).fit(frame[["A"]], frame["B"])
    one, other = (estimated_accuracy(model, table, scheme) for table in (plain, weighed))
    assert one == pytest.approx(other)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_table_keeps_the_squares_of_its_weights(seed):
    """Whatever is done to it: as one counts the records again, weighed and weighed twice."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({n: rng.integers(0, k, 60) for n, k in (("A", 2), ("B", 3), ("C", 4))})
    weights, levels = rng.gamma(1, size=60), {"A": (0, 1), "B": (0, 1, 2), "C": (0, 1, 2, 3)}
    table, squares = (count(frame, levels, weights=w) for w in (weights, weights**2))
    scheme = RRMatrix({"A": RRMatrix.warner(2, 0.8).M}, inputs={"A": (0, 1)})
    for step in (
        lambda t: t.marginal("C", "A"),
        lambda t: t.where(B=1),
        lambda t: t.sparsified().marginal("B"),
        lambda t: t.sparsified().where(A=1).densified(),
        lambda t: t + t.sparsified(),
        lambda t: scheme.apply(t),
    ):
        np.testing.assert_allclose(step(table).densified().squares, step(squares).dense.reshape(-1))
    assert (3 * table).effective == pytest.approx(table.effective)
    assert table.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def by_hand(values, weights, strata, towns, drawn_of):
    """A mean and its variance, [Cochran 1977, 11.8 and 6.9] in plain loops: towns drawn in strata."""
    whole, mean = sum(weights), sum(w * v for w, v in zip(weights, values)) / sum(weights)
    variance = 0.0
    for h in dict.fromkeys(strata):
        sums = {}
        for v, w, s, t in zip(values, weights, strata, towns, strict=True):
            if s == h:
                sums[t] = sums.get(t, 0) + w * (v - mean) / whole
        n, middle = len(sums), sum(sums.values()) / len(sums)
        spread = sum((z - middle) ** 2 for z in sums.values())
        variance += (1 - n / drawn_of[h]) * n / (n - 1) * spread
    return mean, variance**0.5


def test_strata_and_clusters_are_those_of_the_textbook():
    """To twelve digits, of what each report is worth; and R's `survey` is met in tests/test_compliance.py."""
    rng, n = np.random.default_rng(3), 240
    town = rng.integers(0, 24, n)
    frame = pd.DataFrame({"A": rng.choice(YESNO, n), "town": town, "w": rng.gamma(2, size=n)})
    frame["region"] = np.array(["N", "S", "W"])[town % 3]
    towns = {"N": 40, "S": 25, "W": 100}
    frame["of"] = frame["region"].map(towns)
    design = Design("w", "region", "town", "of")
    row = estimate(frame, WARNER, design=design).iloc[1]
    value = np.where(frame["A"] == "yes", 1.5, -0.5)
    mean, se = by_hand(value, frame["w"], frame["region"], town, towns)
    assert (row["share"], row["se"]) == pytest.approx((mean, se), rel=1e-12)
    assert row["deff"] == pytest.approx(n / row["effective"]) and row["reports"] == n
    # the jackknife, by replicate weights: each town left out once, for a design of one stratum
    kept = np.array([(town != t) * 24 / 23 for t in range(24)]).T * frame["w"].to_numpy()[:, None]
    replicated = estimate(frame, WARNER, design=Design("w", replicates=kept, scale=23 / 24)).iloc[1]
    theta = [kept[:, t] @ value / kept[:, t].sum() for t in range(24)]
    expected = (23 / 24 * sum((x - mean) ** 2 for x in theta)) ** 0.5
    assert replicated["se"] == pytest.approx(expected, rel=1e-12)


def test_a_stratified_survey_is_that_of_r():
    """R's `survey` 4.5: svymean(~awards) of apistrat, 200 schools in three strata, with the finite population;
    0.361063935949422 and 0.034405917997269, from the schools with and without an award in each stratum."""
    strata = (
        (44.2099990844727, 27, 100, 4421),
        (15.1000003814697, 34, 50, 755),
        (20.3600006103516, 26, 50, 1018),
    )
    rows = [
        (h, w, N, "no" if i < no else "yes")
        for h, (w, no, n, N) in enumerate(strata)
        for i in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["stratum", "w", "N", "A"])
    design = Design("w", "stratum", population="N")
    row = estimate(frame, Survey({"A": YESNO}), design=design).iloc[0]
    assert row["share"] == pytest.approx(0.361063935949422, abs=1e-12)
    assert row["se"] == pytest.approx(0.034405917997269, abs=1e-12)


@given(
    st.integers(1, 500), st.floats(0, 1), st.floats(0.55, 0.99), st.sampled_from([0.01, 0.05, 0.2])
)
@settings(max_examples=60, deadline=None)
def test_a_share_s_interval_is_the_exact_one_of_the_reports(n, part, p, alpha):
    """By scipy's binomial test, which inverts other functions; mapped by hand."""
    k = round(part * n)
    survey = Survey({"A": YESNO}, [{"mechanism": "warner", "p": p, "attributes": ["A"]}])
    row = estimate(Table(survey.domain, [n - k, k]), survey, alpha=alpha).iloc[1]
    exact = stats.binomtest(k, n).proportion_ci(1 - alpha, "exact")
    mapped = [(end - (1 - p)) / (2 * p - 1) for end in exact]
    assert [row["low"], row["high"]] == pytest.approx(mapped, abs=1e-8)
    refused = [
        stats.binomtest(k, n, p, "greater").pvalue,
        stats.binomtest(k, n, 1 - p, "less").pvalue,
    ]
    assert row["fit"] == pytest.approx(min(1, 4 * min(refused)))


def test_a_group_of_a_design_is_no_survey_of_its_own():
    """Towns in which nobody is in the group belong to the design all the same: once more in plain loops."""
    rng, n = np.random.default_rng(4), 200
    town, group = rng.integers(0, 20, n), rng.integers(0, 2, n)
    group[town < 6] = 0
    frame = pd.DataFrame({"A": rng.choice(YESNO, n), "town": town, "group": group})
    rows = estimate(frame, WARNER, by="group", design=Design(clusters="town"))
    value = np.where(frame["A"] == "yes", 1.5, -0.5)
    inside = group == 1
    mean = value[inside].mean()
    sums = np.bincount(town, np.where(inside, (value - mean) / inside.sum(), 0))
    row = rows[(rows["group"] == 1) & (rows["answer"] == "yes")].iloc[0]
    assert row["se"] == pytest.approx(np.sqrt(20 / 19 * (sums**2).sum()), rel=1e-12)


def test_a_design_that_cannot_be_is_refused():
    frame = pd.DataFrame({"A": YESNO * 4, "h": list("aaaaaaab"), "w": ["x"] * 8})
    series = pd.Series(np.ones(8), index=range(1, 9))
    for design, words in (
        (Design(strata="h"), "a stratum has one cluster only"),
        (Design(strata="g"), "there is no column 'g' of strata; there are A, h, w"),
        (Design("w"), "weights are numbers, one a record"),
        (Design(series), "the weights have other row labels than the records"),
        (Design(population=3), "no smaller than what was drawn of it"),
        (Design(clusters=[1, 2]), "8 records need a value each of clusters"),
        (Design(replicates=np.ones(8), scale=1), "a matrix of 8 rows of replicate weights"),
    ):
        with pytest.raises(ValueError, match=words):
            estimate(frame, WARNER, design=design)
    for parts, words in (
        ({"replicates": np.ones((8, 2))}, "replicate weights come with their scale"),
        ({"replicates": np.ones((8, 2)), "scale": 1, "strata": "h"}, "tell all of the design"),
    ):
        with pytest.raises(ValueError, match=words):
            Design(**parts)
    with pytest.raises(ValueError, match="a design needs the records one by one"):
        estimate(count(frame[["A"]], WARNER), WARNER, weights=np.ones(8))
    with pytest.raises(ValueError, match="the likeliest shares have no errors for a design"):
        estimate(
            frame, WARNER, design=Design(clusters="h"), method="em", rng=np.random.default_rng(1)
        )


def test_any_scheme_estimates_and_another_scheme_s_reports_are_refused():
    frame = pd.DataFrame({"A": [0, 1] * 200, "C": [1, 1, 0, 0] * 100})
    coin = MultiGroup(0.8, [["A"], ["C"]])
    reports = coin.disguise(frame, np.random.default_rng(1))
    rows = estimate(reports, coin, ["A", "C"])
    undone = coin.undo(count(reports)).proportions().dense.reshape(-1)
    np.testing.assert_allclose(rows["share"], undone, atol=1e-12)
    with pytest.raises(ValueError, match="disguised in another way"):
        estimate(reports, MultiGroup(0.7, [["A"], ["C"]]))
    with pytest.raises(ValueError, match="are too many for an error of each"):
        big = Domain(tuple("abcdefghijklm"), ((0, 1),) * 13)
        each = MultiGroup(0.8, [[name] for name in big.names])
        estimate(Table(big, np.ones(big.size)).reported_by(each), each, list(big.names))
