"""Vulnerabilities of channels: equal to another program's, to brute force, and sampled rightly."""

import numpy as np
import oracles
import pytest

from ppdm import Domain, MultiGroup, RRMatrix, Table, UnrelatedQuestion
from ppdm.disguise import today
from ppdm.optimise import best_scheme, frapp, uniform_perturbation
from ppdm.privacy import channel, ladder

BITS = Domain(tuple("ABC"), ((0, 1),) * 3)


def families():
    """Twenty channels, of every family that the book has."""
    rng = np.random.default_rng(19)
    warner, five = RRMatrix.warner, np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    return {
        "warner 2": warner(2, 0.7).M, "warner 5": warner(5, 0.5).M,
        "up": uniform_perturbation(0.3, 4)[0], "frapp": frapp(4.0, 6)[0],
        "forced": 0.7 * np.eye(3) + np.array([0.1, 0.15, 0.05])[:, None],
        "unrelated": UnrelatedQuestion(0.4).matrix(BITS),
        "unrelated, uneven": UnrelatedQuestion(0.3, {"A": [0.9, 0.1]}).matrix(BITS.only("A")),
        "one group": MultiGroup(0.7).matrix(BITS),
        "two groups": MultiGroup(0.6, [["A", "B"], ["C"]]).matrix(BITS),
        "three groups": MultiGroup(0.8, [["A"], ["B"], ["C"]]).matrix(BITS),
        "certified": best_scheme(five, 0.8, 0.4).matrix,
        "certified, no bound": best_scheme(five, 1.0, 0.3).matrix,
        "random": rng.dirichlet(np.ones(6), size=4).T,
        "random, sparse": rng.dirichlet(np.full(5, 0.2), size=5).T,
        "k-RR": today.k_rr(7, 1.0), "unary": today.unary(4, 1.0),
        "unary, symmetric": today.unary(3, 2.0, optimised=False),
        "subsets": today.subset_selection(6, 0.8, 2), "two coins": today.two_coins(3, 0.5),
        "one sampled": today.OneSampled(BITS, 1.0, [["A", "C"], ["B", "C"]]).matrix(BITS),
    }  # fmt: skip


@pytest.mark.parametrize("name", families())
def test_equal_to_qif(name):
    """[qif 1.6] Bayes and g-vulnerability, prior and posterior; capacity; epsilon: to 1e-9."""
    qif = oracles.qif()
    M = np.ascontiguousarray(families()[name])
    rng = np.random.default_rng(len(name))
    n, known = M.shape[1], qif.measure.bayes_vuln
    for prior in (np.full(n, 1 / n), rng.dirichlet(np.ones(n)), rng.dirichlet(np.full(n, 0.2))):
        gain = rng.random((3, n))
        assert channel.posterior(M, prior) == pytest.approx(known.posterior(prior, M.T), abs=1e-9)
        assert channel.blind(prior) == pytest.approx(known.prior(prior), abs=1e-9)
        theirs = qif.measure.g_vuln
        assert channel.posterior(M, prior, gain) == pytest.approx(
            theirs.posterior(gain, prior, M.T), abs=1e-9
        )
        assert channel.blind(prior, gain) == pytest.approx(theirs.prior(gain, prior), abs=1e-9)
    assert channel.capacity(M) == pytest.approx(known.mult_capacity(M.T), abs=1e-9)
    if M.min() > 0:
        theirs = qif.measure.d_privacy.smallest_epsilon(M.T, qif.metric.discrete())
        assert channel.epsilon(M) == pytest.approx(theirs, abs=1e-9)
    else:
        assert channel.epsilon(M) == np.inf or (M.max(axis=1) == 0).any()


def test_there_are_twenty_of_them():
    assert len(families()) == 20


def test_refinement_is_found_with_its_witness():
    rng = np.random.default_rng(3)
    for M in families().values():
        W = rng.dirichlet(np.ones(4), size=len(M)).T
        found = channel.refinement(M, W @ M)
        assert found.holds
        assert found.witness.min() > -1e-9
        assert found.witness.sum(axis=0) == pytest.approx(1, abs=1e-7)
        assert np.abs(found.witness @ M - W @ M).max() < 1e-6


def test_no_refinement_comes_with_a_gain_that_tells():
    qif = oracles.qif()
    rng, told = np.random.default_rng(4), 0
    for _ in range(30):
        A, B = (rng.dirichlet(np.ones(3), size=3).T for _ in range(2))
        found = channel.refinement(A, B)
        theirs = qif.refinement.refined_by(np.ascontiguousarray(A.T), np.ascontiguousarray(B.T))
        assert found.holds == bool(theirs)
        if not found.holds:
            told += 1
            even = np.full(3, 1 / 3)
            better = channel.posterior(B, even, found.gain) - channel.posterior(A, even, found.gain)
            assert better == pytest.approx(found.margin)
            assert better > 0
            assert found.gain.min() >= 0
    assert told >= 10


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("sum to one", lambda: channel.posterior([[0.9, 0.3], [0.1, 0.6]], [0.5, 0.5])),
        ("two dimensions", lambda: channel.capacity([0.5, 0.5])),
        ("from 0 to 1", lambda: channel.epsilon([[1.2, 0.5], [-0.2, 0.5]])),
        ("probabilities that sum", lambda: channel.blind([0.5, 0.6])),
        ("must be the same", lambda: channel.posterior(np.eye(2), [0.2, 0.3, 0.5])),
        ("one a true value", lambda: channel.blind([0.5, 0.5], [[1, 2, 3]])),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(what, call):
    with pytest.raises(ValueError, match=what):
        call()


# The ladder on channels ------------------------------------------------------------------------------

SCHEMES = [
    UnrelatedQuestion(0.4),
    UnrelatedQuestion(0.3, {"A": [0.9, 0.1], "B": [0.5, 0.5], "C": [0.2, 0.8]}),
    MultiGroup(0.7, [["A", "B"], ["C"]]),
    RRMatrix({name: np.array([[0.8, 0.3], [0.2, 0.7]]) for name in "AB"}),
    today.each(BITS, lambda n: today.unary(n, 1.0)),
    today.OneSampled(BITS, 1.0, [["A", "C"], ["B", "C"]]),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_likelihood_is_a_row_of_the_matrix(scheme):
    M, reported = scheme.matrix(BITS), scheme.reported(BITS)
    for row in range(reported.size):
        got = scheme.likelihood(reported.digits([row])[0], BITS)
        assert got == pytest.approx(M[row], abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_guess_is_bayes_over_the_matrix(scheme):
    rng = np.random.default_rng(11)
    people = Table(BITS, rng.multinomial(200, rng.dirichlet(np.full(8, 0.7))))
    own, M = people.proportions().values, scheme.matrix(BITS)
    for goal in (ladder.RECORD, "B", ladder.Agree("A", "C")):
        secret = ladder.secrets(goal, people)
        gain = (np.arange(secret.max() + 1)[:, None] == secret).astype(float)
        got = ladder.guess(scheme, goal, "own list", people, people)
        assert got.chance == pytest.approx(channel.posterior(M, own, gain), abs=1e-12)
        assert got.blind == pytest.approx(channel.blind(own, gain), abs=1e-12)
    # her neighbour knows A: the gain counts only what he does not know
    found = ladder.guess(scheme, "B", "own list", people, people, known=["A"])
    by_hand = 0.0
    for a in (0, 1):
        here = own * (BITS.digits(np.arange(8))[:, 0] == a)
        gain = (np.arange(2)[:, None] == ladder.secrets("B", people)).astype(float)
        by_hand += ((M * here) @ gain.T).max(axis=1).sum()
    assert found.chance == pytest.approx(by_hand, abs=1e-12)
    # which report is hers: each person equally likely
    linked = ladder.guess(scheme, ladder.LINK, "own list", people, people)
    there = people.occupied()[0]
    assert linked.chance == pytest.approx(M[:, there].max(axis=1).sum() / 200, abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_drawn_guesses_hold_the_exact_ones(scheme):
    """18 intervals of Hoeffding's, which here are right far more often than 95 in 100."""
    rng = np.random.default_rng(13)
    people = Table(BITS, [300, 5, 10, 5, 10, 5, 5, 260])
    for goal, known in ((ladder.RECORD, ()), ("B", ()), ("B", ("A",))):
        exact = ladder.guess(scheme, goal, "others", people, people, known=known).chance
        believed = ladder.belief("others", people)
        mean, low, high = ladder.sampled(scheme, goal, believed, people, 1_500, rng, known)
        assert low <= exact <= high
        assert abs(mean - exact) < 5 * 0.5 / np.sqrt(1_500)


def test_everybody_but_her_knows_less_than_the_list_and_more_than_few():
    rng = np.random.default_rng(17)
    people = Table(BITS, rng.multinomial(60, rng.dirichlet(np.full(8, 0.5))))
    scheme = MultiGroup(0.7, [["A"], ["B"], ["C"]])
    names = ("scheme", "all but hers", "own list")
    chance = {k: ladder.guess(scheme, ladder.RECORD, k, people, people).chance for k in names}
    assert chance["scheme"] < chance["all but hers"] <= chance["own list"] + 1e-12
    # by hand: for each record, what is believed is the count without it
    cells, counts = people.occupied()
    by_hand = 0.0
    for cell, number in zip(cells, counts, strict=True):
        rest = people.densified().values.copy()
        rest[cell] -= 1
        believed = ladder.belief("others", Table(BITS, rest)).values
        M = scheme.matrix(BITS)
        by_hand += number / 60 * M[(M * believed).argmax(axis=1) == cell, cell].sum()
    assert chance["all but hers"] == pytest.approx(by_hand, abs=1e-12)
