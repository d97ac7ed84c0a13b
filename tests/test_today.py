"""Today's schemes: equal to their definitions, and their errors to the literature's closed forms."""

import math
from itertools import combinations

import numpy as np
import oracles
import pandas as pd
import pytest

from ppdm import Domain, MultiGroup, Table, UnrelatedQuestion, count
from ppdm.disguise import today
from ppdm.learn import NaiveBayes
from ppdm.privacy.channel import epsilon

EPSILONS = (0.3, 1.0, math.log(3), 2.5)
BITS = Domain(tuple("ABC"), ((0, 1),) * 3)


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_each_matrix_has_its_epsilon(n, eps):
    for M in (
        today.k_rr(n, eps),
        today.unary(n, eps),
        today.unary(n, eps, optimised=False),
        today.subset_selection(n, eps),
        today.binary(n, eps, range(n // 2)),
    ):
        assert M.sum(axis=0) == pytest.approx(1)
        assert epsilon(M) == pytest.approx(eps)
    assert epsilon(today.k_rr_record(BITS, eps).matrix(BITS)) == pytest.approx(eps)
    assert today.k_rr_each(BITS, eps).epsilon() == pytest.approx(eps)
    assert epsilon(today.OneSampled(BITS, eps).matrix(BITS)[_used(eps)]) == pytest.approx(eps)


def _used(eps):
    return today.OneSampled(BITS, eps).matrix(BITS).max(axis=1) > 0


def variance(M, inside, own, other, P):
    """N times the variance of (share of reports with this bit - other) / (own - other), exactly.

    `inside[y, x]`: whether report y has the bit (or holds the answer) x. With P (1 - P) of it the
    respondents vary; the rest, which the literature writes down, is the noise of the disguise.
    """
    told = inside.T @ (M @ P)
    return told * (1 - told) / (own - other) ** 2


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize("P", [(0.5, 0.3, 0.2), (0.7, 0.1, 0.1, 0.05, 0.05)], ids=len)
def test_variances_are_the_literatures(P, eps):
    """[Wang et al. 2017; Ye & Barg 2018] The closed forms, beside the variance summed over all reports."""
    P, n = np.array(P), len(P)
    M = today.k_rr(n, eps)
    found = [
        (variance(M, np.eye(n), M[0, 0], M[1, 0], P), lambda p: oracles.variance_k_rr(n, eps, p))
    ]
    bits = (np.arange(2**n)[:, None] >> np.arange(n)[::-1]) & 1
    for best in (True, False):
        own, other = today.bits(eps, best)
        exact = variance(today.unary(n, eps, best), bits, own, other, P)
        found.append((exact, lambda p, best=best: oracles.variance_unary(eps, best, p)))
    for size in range(1, n):
        M = today.subset_selection(n, eps, size)
        sets = np.array([np.isin(np.arange(n), c) for c in combinations(range(n), size)])
        own, other = M[sets[:, 0], 0].sum(), M[sets[:, 1], 0].sum()
        exact = variance(M, sets.astype(float), own, other, P)
        found.append((exact, lambda p, size=size: oracles.variance_subset(n, eps, p, size)))
    for exact, form in found:
        assert exact == pytest.approx(np.array([form(p) for p in P]) + P * (1 - P), rel=1e-9)


def test_records_by_the_whole_and_one_by_one():
    """k-RR on the record is the unrelated question; on each answer it is Warner's, a group each."""
    eps = 1.2
    whole = today.k_rr_record(BITS, eps)
    assert isinstance(whole, UnrelatedQuestion)
    assert whole.matrix(BITS) == pytest.approx(today.k_rr(8, eps), abs=1e-12)
    theta = math.exp(eps / 3) / (1 + math.exp(eps / 3))
    alone = MultiGroup(theta, [["A"], ["B"], ["C"]]).matrix(BITS)
    assert today.k_rr_each(BITS, eps).matrix(BITS) == pytest.approx(alone, abs=1e-12)


def test_two_coins_are_two_channels_one_after_the_other():
    """[Erlingsson et al. 2014] The lasting bits, and then each report of them: a product of channels."""
    n, f, p, q = 3, 0.5, 0.4, 0.8
    lasting = today.two_coins(n, f, 0.0, 1.0)
    instant = np.array([[1.0]])
    for _ in range(n):
        instant = np.kron(instant, np.array([[1 - p, 1 - q], [p, q]]))
    assert today.two_coins(n, f, p, q) == pytest.approx(instant @ lasting, abs=1e-12)
    # the literature's epsilon of the lasting part: 2 ln((1 - f/2) / (f/2))
    assert epsilon(lasting) == pytest.approx(2 * math.log((1 - f / 2) / (f / 2)))


@pytest.mark.parametrize("blocks", [None, [["A", "C"], ["B", "C"]]])
def test_one_sampled_is_undone_exactly_within_its_blocks(blocks):
    people = Table(BITS, [30, 5, 10, 5, 10, 5, 5, 30])
    scheme = today.OneSampled(BITS, 1.5, blocks)
    reports = scheme.apply(people)
    assert reports.total == pytest.approx(100)
    for name in "ABC":
        part = scheme.undo(reports.marginal(name))
        assert part.values == pytest.approx(people.marginal(name).values)
    if blocks:
        both = scheme.undo(reports.marginal("C", "B"))
        assert both.values == pytest.approx(people.marginal("C", "B").values)
        model, plain = NaiveBayes(scheme).fit_table(reports), NaiveBayes().fit_table(people)
        for ours, theirs in zip(model.feature_log_prob_, plain.feature_log_prob_, strict=True):
            assert ours == pytest.approx(theirs)
    with pytest.raises(ValueError, match="never in one report"):
        scheme.undo(reports.marginal("A", "B"))


def test_one_sampled_draws_as_its_matrix_says():
    """20,000 records, drawn in two ways; each cell within 6 standard errors of what is expected."""
    rng, scheme = np.random.default_rng(8), today.OneSampled(BITS, 1.0, [["A", "C"], ["B", "C"]])
    people = Table(BITS, [5_000, 0, 3_000, 2_000, 0, 4_000, 1_000, 5_000])
    expected = scheme.apply(people).values
    digits = BITS.digits(np.repeat(np.arange(8), people.values.astype(int)))
    reports = scheme.reported(BITS).codes(scheme.disguise_digits(digits, BITS, rng))
    one_by_one = np.bincount(reports, minlength=27)
    at_once = scheme.disguise_table(people, rng).densified().values
    for got in (one_by_one, at_once):
        assert got.sum() == 20_000
        assert (np.abs(got - expected) <= 6 * np.sqrt(expected) + 1e-9).all()


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("positive and finite", lambda: today.k_rr(3, 0)),
        ("two answers or more", lambda: today.unary(1, 1.0)),
        ("has 1 to 3", lambda: today.subset_selection(4, 1.0, 4)),
        ("too many", lambda: today.unary(20, 1.0)),
        ("f is a probability", lambda: today.two_coins(3, 1.5)),
        ("at most 500", lambda: today.k_rr(2, 1000.0)),
        ("at most 500", lambda: today.OneSampled(BITS, 1000.0)),
        ("stands there twice", lambda: today.OneSampled(BITS, 1.0, [["A", "C"], ["C", "A"]])),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(what, call):
    with pytest.raises(ValueError, match=what):
        call()


def test_one_sampled_undoes_its_own_reports_only():
    """Counted by themselves, the words of the reports are sorted, and "not asked" is not the last."""
    words = Domain(("A",), (("no", "yes"),))
    scheme = today.OneSampled(words, 1.0)
    answers = pd.DataFrame({"A": ["no", "yes"] * 50})
    reports = scheme.disguise(answers, np.random.default_rng(1), words)
    reports = pd.concat([reports, pd.DataFrame({"A": [today.NOT_ASKED]})])
    right = count(reports, scheme.reported(words)).reported_by(scheme)
    assert scheme.undo(right).levels == words.levels
    with pytest.raises(ValueError, match="levels no, not asked, yes of 'A'; the reports are"):
        count(reports).reported_by(scheme)
    with pytest.raises(
        ValueError, match="levels no, yes of 'A'; the reports are no, yes, not asked"
    ):
        count(answers).reported_by(scheme)


def test_pairs_of_more_reports_than_answers_are_undone():
    """Reports of four kinds for two answers: the pairs of their table come back as answers."""
    people = Table(BITS, [30, 5, 10, 5, 10, 5, 5, 30])
    scheme = today.each(BITS, lambda n: today.unary(n, 1.0))
    model = NaiveBayes(scheme).fit_table(scheme.apply(people))
    plain = NaiveBayes().fit_table(people)
    for ours, theirs in zip(model.feature_log_prob_, plain.feature_log_prob_, strict=True):
        assert ours == pytest.approx(theirs)
