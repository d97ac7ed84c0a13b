"""Mechanisms: equal to the papers' record-by-record reading, unbiased, and what attackers get."""

import math
from itertools import product

import numpy as np
import pandas as pd
import plain
import pytest
from scipy import stats

from ppdm import Domain, MultiGroup, RRMatrix, Table, UnrelatedQuestion, count, random_groups
from ppdm.domain import encode

FALSE_ALARM = 1e-7  # of every single random test below

NAMES = ["A", "B", "C", "D"]


def answers(size=300, seed=3, columns=NAMES):
    """Correlated binary answers."""
    rng = np.random.default_rng(seed)
    first = rng.random(size) < 0.3
    noise = rng.random((size, len(columns))) < 0.25
    return pd.DataFrame((first[:, None] ^ noise).astype(int), columns=columns)


MECHANISMS = {
    "one group": MultiGroup(0.8),
    "two groups": MultiGroup(0.3, [["A", "C"], ["B", "D"]]),
    "four groups": MultiGroup(0.9, [["A"], ["B"], ["C"], ["D"]]),
    "partial": MultiGroup(0.7, [["A", "D"]]),
    "unrelated": UnrelatedQuestion(0.6),
    "unrelated, skewed": UnrelatedQuestion(0.4, {"A": [0.9, 0.1], "C": [0.2, 0.8]}),
    "unrelated, joint": UnrelatedQuestion(0.5, count(answers(50, seed=9))),
    "matrices": RRMatrix({"A": [[0.9, 0.2], [0.1, 0.8]], "C": [[0.6, 0.3], [0.4, 0.7]]}),
    "more outputs": RRMatrix({"B": [[0.5, 0.1], [0.3, 0.3], [0.2, 0.6]]}),
}


# -- undo against the papers ---------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, 0.1, 0.45, 0.7, 1.0])
@pytest.mark.parametrize("groups", [[NAMES], [["A", "C"], ["B", "D"]], [["A"], ["B"], ["C", "D"]]])
def test_undo_is_the_papers_estimate_of_every_expression(theta, groups):
    scheme = MultiGroup(theta, groups)
    disguised = scheme.disguise(answers(), np.random.default_rng(5))
    for table in (count(disguised).densified(), count(disguised).sparsified()):
        undone = scheme.undo(table)
        for names in (["A"], ["B", "D"], NAMES):
            for values in product((0, 1), repeat=len(names)):
                expression = dict(zip(names, values, strict=True))
                expected = plain.estimate_by_groups(disguised, expression, theta, groups)
                assert undone.p(expression) == pytest.approx(expected, abs=1e-12)
                assert scheme.undo(table.marginal(*names)).p(expression) == pytest.approx(
                    expected, abs=1e-12
                )


def test_unrelated_undo_is_equation_1_for_every_expression():
    frame = answers().assign(E=pd.Categorical(np.resize(["x", "y", "z"], 300)))
    domain = count(frame).domain
    levels = dict(zip(domain.names, domain.levels, strict=True))
    scheme = UnrelatedQuestion(0.4)
    disguised = scheme.disguise(frame, np.random.default_rng(5))
    assert list(disguised.dtypes) == list(frame.dtypes)
    for expression in ({"A": 1}, {"E": "z", "B": 0}, {"A": 0, "B": 1, "C": 0, "D": 1, "E": "x"}):
        expected = plain.estimate_by_unrelated(disguised, expression, 0.4, levels)
        assert scheme.undo(count(disguised)).p(expression) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name.startswith("unrelated")])
def test_all_pairs_undone_at_once_are_each_undone_by_itself(name):
    scheme = MECHANISMS[name]
    frame = answers().assign(E=pd.Categorical(np.resize(["x", "y", "z"], 300)))
    frame = answers() if "joint" in name else frame
    pairs = count(frame).reported_by(scheme).pairs("C")
    at_once, one_by_one = scheme.undo_pairs(pairs), pairs.mapped(scheme.undo)
    np.testing.assert_allclose(at_once.values, one_by_one.values, atol=1e-12)
    np.testing.assert_allclose(at_once.totals, one_by_one.totals, atol=1e-12)
    whole, none = UnrelatedQuestion(1.0), UnrelatedQuestion(0.0)
    said = count(frame).reported_by(whole).pairs("C")
    assert (whole.undo_pairs(said).values == said.values).all()
    with pytest.raises(ValueError, match="q must not be 0"):
        none.undo_pairs(count(frame).reported_by(none).pairs("C"))


@pytest.mark.parametrize("q", [0.0, 0.03, 0.5, 0.96, 1.0])
def test_the_compiled_draw_is_numpys_to_the_bit(q):
    """The records kept are numpy's binomials, the strangers numpy's integers, in this order."""
    numbers = [0, 60, 61, 1, 5_000, 17, *range(40, 64), *[3, 1, 2] * 600]
    table = Table(Domain(("A",), (tuple(range(len(numbers))),)), numbers)
    rng = UnrelatedQuestion(q).on(table.domain).coins(np.random.default_rng(8))
    kept = rng.binomial(table.values.astype(int), q)
    strangers = int(table.total - kept.sum())
    drawn = np.bincount(rng.integers(len(numbers), size=strangers), minlength=len(numbers))
    for storage in (table, table.sparsified()):
        reports = UnrelatedQuestion(q).disguise_table(storage, np.random.default_rng(8))
        assert reports.densified().values.tolist() == (kept + drawn).tolist()
        assert reports.is_sparse == storage.is_sparse


@pytest.mark.parametrize("theta", [0.0, 1.0])
def test_at_the_ends_undoing_is_exact_to_the_bit(theta):
    scheme, table = MultiGroup(theta, [["A", "C"], ["B", "D"]]), count(answers())
    disguised = count(scheme.disguise(answers(), np.random.default_rng(1)))
    np.testing.assert_array_equal(scheme.undo(disguised).dense, table.dense)
    whole = UnrelatedQuestion(1)
    np.testing.assert_array_equal(whole.undo(table.reported_by(whole)).dense, table.dense)


# -- disguising: the three ways have one distribution -------------------------------------------


def outcomes(tables):
    """How often each table of reports comes up."""
    found = {}
    for table in tables:
        key = tuple(table.astype(int).tolist())
        found[key] = found.get(key, 0) + 1
    return found


def exact_outcomes(frame, scheme):
    """The probability of every table of reports, from the matrix, one record after another."""
    domain = count(frame).domain
    matrix = scheme.matrix(domain)
    chances = {(0,) * len(matrix): 1.0}
    for code in encode(frame)[0]:
        following = {}
        for so_far, chance in chances.items():
            for report in np.flatnonzero(matrix[:, code]):
                key = tuple(n + (i == report) for i, n in enumerate(so_far))
                following[key] = following.get(key, 0) + chance * matrix[report, code]
        chances = following
    return chances


@pytest.mark.parametrize("how", ["records", "table", "sparse table"])
@pytest.mark.parametrize(
    "scheme",
    [
        MultiGroup(0.8),
        MultiGroup(0.3, [["A"], ["B"]]),
        MultiGroup(0.6, [["B"]]),
        UnrelatedQuestion(0.6),
        UnrelatedQuestion(0.5, {"A": [0.9, 0.1]}),
        UnrelatedQuestion(0.3, count(pd.DataFrame({"A": [0, 1, 1], "B": [0, 0, 1]}))),
        RRMatrix({"A": [[0.9, 0.2], [0.1, 0.8]]}),
        RRMatrix({"B": [[0.5, 0.1], [0.3, 0.3], [0.2, 0.6]]}),
    ],
    ids=str,
)
def test_records_and_tables_are_disguised_with_the_exact_distribution(scheme, how):
    """A chi-squared test of all tables of three reports; false alarms: 1e-7 in each case.

    Records are disguised all at once, each on its own, and then taken three by three.
    """
    frame = pd.DataFrame({"A": [0, 0, 1], "B": [1, 1, 0]})
    table = count(frame).sparsified() if how == "sparse table" else count(frame)
    rng = np.random.default_rng(11)
    levels = scheme.reported(table.domain)

    repetitions = 6_000
    if how == "records":
        reports = scheme.disguise(pd.concat([frame] * repetitions, ignore_index=True), rng)
        codes, _ = encode(reports, dict(zip(levels.names, levels.levels)))
        drawn = np.eye(levels.size)[codes].reshape(repetitions, len(frame), -1).sum(axis=1)
    else:
        drawn = (scheme.disguise_table(table, rng).densified().values for _ in range(repetitions))
    found, exact = outcomes(drawn), exact_outcomes(frame, scheme)
    assert set(found) <= set(exact)
    keys = sorted(exact, key=exact.get)
    expected = np.array([exact[k] * repetitions for k in keys])
    observed = np.array([found.get(k, 0) for k in keys])
    pools = np.searchsorted(np.cumsum(expected), np.arange(8, repetitions, 8))  # >= 8 in a pool
    starts = np.unique(np.concatenate([[0], pools[pools < len(keys)]]))
    expected, observed = np.add.reduceat(expected, starts), np.add.reduceat(observed, starts)
    if len(expected) > 1:
        assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def test_the_plain_readings_disguise_alike():
    """Mean reports of the two plain loops against `apply`; 5.5 standard errors: 4e-8 a cell."""
    frame = answers(2_000)
    groups = [["A", "C"], ["B"]]
    cases = [
        (
            MultiGroup(0.7, groups),
            plain.disguise_by_groups(frame, 0.7, groups, np.random.default_rng(2)),
        ),
        (
            UnrelatedQuestion(0.7),
            plain.disguise_by_unrelated(
                frame, 0.7, dict.fromkeys(NAMES, (0, 1)), np.random.default_rng(2)
            ),
        ),
    ]
    for scheme, disguised in cases:
        expected = scheme.apply(count(frame)).values
        observed = count(disguised).values
        assert np.all(np.abs(observed - expected) <= 5.5 * np.sqrt(np.maximum(expected, 1)))


# -- outside oracles -----------------------------------------------------------------------


def test_more_outputs_are_undone_by_weighted_least_squares():
    M = np.array([[0.5, 0.1], [0.3, 0.3], [0.2, 0.6]])
    prior = np.array([0.2, 0.8])
    weights = np.diag(1 / (M @ prior))
    expected = np.linalg.solve(M.T @ weights @ M, M.T @ weights)
    np.testing.assert_allclose(RRMatrix(M, prior=prior).left_inverse(), expected, atol=1e-12)
    np.testing.assert_allclose(RRMatrix(M).left_inverse() @ M, np.eye(2), atol=1e-12)


# -- attackers -----------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [[["A", "B"]], [["A"], ["B"]], [["B"]]], ids=str)
@pytest.mark.parametrize("theta", [0.3, 0.7])
def test_what_is_absent_is_told_as_it_is_and_guessed_so(theta, groups):
    """A record whose group is wholly absent is its own reversal: the coin changes nothing."""
    domain = Domain(("A", "B"), ((0, 1, 2),) * 2)
    prior = Table(domain, np.random.default_rng(1).random(9))
    scheme = MultiGroup(theta, groups, absent=1)
    joint = scheme.matrix(domain) * prior.proportions().values
    assert scheme.guess_record(prior) == pytest.approx(joint.max(axis=1).sum(), abs=1e-12)
    nobody = Table(domain, np.eye(9)[domain.codes([[1, 1]])[0]])
    for table in (nobody, nobody.sparsified()):
        assert scheme.truthful(table).values[domain.codes([[1, 1]])[0]] == 1


def test_who_knows_one_answer_of_a_group_knows_the_group():
    prior = count(answers(200))
    assert MultiGroup(0.6).guess_answer(prior, "A", known=["D"]) == pytest.approx(1, abs=1e-12)
    assert MultiGroup(0.6, [["A"], ["D"]]).guess_answer(prior, "A", known=["D"]) < 0.95


def test_truthful_reports_by_simulation():
    """P(private | report) against the share among 200,000 simulated; 6 standard errors."""
    frame, rng = answers(100), np.random.default_rng(8)
    scheme, prior = UnrelatedQuestion(0.4), count(frame)
    codes = encode(frame)[0][rng.integers(100, size=200_000)]
    private = rng.random(len(codes)) < 0.4
    reports = np.where(private, codes, rng.integers(16, size=len(codes)))
    share, size = np.array(
        [(private[reports == r].mean(), (reports == r).sum()) for r in range(16)]
    ).T
    expected = scheme.truthful(prior).values
    assert np.all(np.abs(share - expected) < 6 * np.sqrt(0.25 / size))
    np.testing.assert_allclose(scheme.truth_of_reports(prior, np.arange(16)), expected, atol=1e-12)


def test_epsilon_of_a_group_of_two_is_infinite():
    assert MultiGroup(0.51, [["A", "B"]]).epsilon() == math.inf
    assert MultiGroup(0.75, [["A", "B"]]).epsilon("A") == pytest.approx(math.log(3))


def undone(scheme, table):
    return scheme.undo(table.reported_by(scheme))


# -- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MultiGroup(1.5), "theta is a probability, from 0 to 1; got 1.5"),
        (lambda: MultiGroup(0.8, [["A"], ["A"]]), "one group only; A is in two"),
        (lambda: undone(MultiGroup(0.5), count(answers())), "theta must not be 0.5"),
        (
            lambda: MultiGroup(0.8, [["Z"]]).disguise(answers(), np.random.default_rng(1)),
            "unknown attributes: Z; the records have A, B, C, D",
        ),
        (
            lambda: MultiGroup(0.8).disguise_table(
                count(pd.DataFrame({"A": list("xyz")})), np.random.default_rng(1)
            ),
            "only two-valued answers",
        ),
        (
            lambda: MultiGroup(0.8).disguise_table(
                count(answers()) * 0.3, np.random.default_rng(1)
            ),
            "only whole counts",
        ),
        (lambda: undone(UnrelatedQuestion(0), count(answers())), "q must not be 0"),
        (lambda: UnrelatedQuestion(0.5, {"A": [0.5, 0.6]}), "sum to one"),
        (lambda: RRMatrix([[0.5, 0.5], [0.5, 0.5]]).left_inverse(), "no left inverse"),
        (lambda: RRMatrix([[0.5, 0.4], [0.4, 0.6]]), "columns .* sum to one; column 0 sums to 0.9"),
        (lambda: RRMatrix([[0.5, 0.5, 1], [0.5, 0.5, 0]]), "2 outputs for 3 inputs"),
        (
            lambda: undone(RRMatrix(np.eye(2)), count(answers())),
            "one matrix disguises one attribute",
        ),
        (
            lambda: RRMatrix(np.eye(3)).apply(count(answers(columns=["A"]))),
            "3 columns; the attribute",
        ),
        (lambda: RRMatrix.warner(1, 0.5), "two answers or more"),
        (lambda: MultiGroup(0.7, [["A"]], absent=[0]), "absent is one level; got .0."),
        (
            lambda: RRMatrix.warner(3, 0.7).disguise_digits(
                np.array([[0], [5]]), Domain(("A",), ((0, 1, 2),)), np.random.default_rng(1)
            ),
            "answers are coded 0 to 2; got 0 to 5",
        ),
        (
            lambda: RRMatrix.warner(3, 0.7).count_reports([0.5], np.random.default_rng(1)),
            "whole numbers, coded 0 to 2; got an array of float64 with the shape .1,.",
        ),
        (
            lambda: RRMatrix.warner(3, 0.7).count_reports([[0, 1]], np.random.default_rng(1)),
            "list of whole numbers, .* with the shape .1, 2.",
        ),
        (
            lambda: undone(
                UnrelatedQuestion(0.5, {"A": [0.9, 0.1]}, [["A"]]),
                Table(Domain(("A",), (tuple("wxyz"),)), [1, 2, 3, 4]),
            ),
            "'A' has 4 levels; 2 probabilities given",
        ),
        (
            lambda: MultiGroup(0.7).answer_and_report(
                count(pd.DataFrame(np.eye(61, dtype=int))), 3
            ),
            "does not fit in memory",
        ),
        (lambda: RRMatrix.warner(2.0, 0.5), "a whole number; got n = 2.0"),
        (
            lambda: RRMatrix(np.float32([[0.7, 0.1], [0.3, 0.90000005]])),
            "sums to 1.000000.*that is rounding, so divide",
        ),
        (
            lambda: random_groups(NAMES, 5, np.random.default_rng(1)),
            "4 attributes make 1 to 4 groups",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_forty_attributes_in_two_groups():
    """Sparse all the way; the sum of squares of the undone table shows that nothing was lost."""
    rng = np.random.default_rng(6)
    names = [f"q{i}" for i in range(40)]
    frame = pd.DataFrame((rng.random((400, 40)) < 0.2).astype(int), columns=names)
    scheme = MultiGroup(0.9, random_groups(names, 2, rng))
    reports = scheme.disguise_table(count(frame), rng)
    undone = scheme.undo(reports)
    assert undone.is_sparse
    assert undone.total == pytest.approx(400)
    direct = scheme.undo(reports.marginal("q1", "q7"))
    np.testing.assert_allclose(undone.marginal("q1", "q7").dense, direct.dense, atol=1e-9)
    everyone_alone = MultiGroup(0.9, [[name] for name in names])
    with pytest.raises(ValueError, match="undo marginals of fewer attributes"):
        everyone_alone.undo(reports.taken_as(everyone_alone))


def test_disguised_records_keep_types_and_index():
    frame = answers().assign(E=pd.Categorical(np.resize(["x", "y"], 300)))
    frame.index = np.arange(300) + 1000
    reports = MultiGroup(0.5).disguise(frame, np.random.default_rng(1))
    assert list(reports.dtypes) == list(frame.dtypes)
    assert list(reports.index) == list(frame.index)
    lies = (reports["E"].astype(str) != frame["E"].astype(str)).to_numpy()
    assert ((reports["A"] != frame["A"]).to_numpy() == lies).all()  # one coin for the group
    assert 0 < lies.sum() < 300


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.uint64])
def test_answers_are_whole_numbers_of_any_size(kind):
    scheme, answers = RRMatrix.warner(2, 0.7), np.array([0, 1, 1] * 100)
    rng, again = np.random.default_rng(1), np.random.default_rng(1)
    expected = scheme.count_reports(answers, rng)
    assert scheme.count_reports(answers.astype(kind), again).tolist() == expected.tolist()


def test_columns_that_sum_to_one_but_for_rounding_are_drawn():
    scheme = RRMatrix([[0.6666666667, 0, 0], [0.3333333334, 1, 0], [0, 0, 1]])
    table = Table(Domain(("A",), ((0, 1, 2),)), [5, 5, 5])
    assert scheme.disguise_table(table, np.random.default_rng(1)).total == 15
    whole = RRMatrix.warner(3, 0.7).M
    assert (RRMatrix(whole).M == whole).all()


def test_a_chance_above_one_by_rounding_is_drawn_with():
    """numpy refuses it, in words of its own."""
    for above in (2.3e-16, 1e-13):
        scheme = RRMatrix(np.array([[0.0, 0.3], [1 + above, 0.7]]))
        table = Table(Domain(("A",), ((0, 1),)), [5, 5])
        assert scheme.disguise_table(table, np.random.default_rng(1)).total == 10
