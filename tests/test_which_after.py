"""What came after: against brute force, closed forms, and what others have written."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import oracles
import pytest
from scipy.stats import norm
from sklearn.decomposition import PCA

from ppdm.disguise import MultiGroup, today
from ppdm.optimise import noise
from ppdm.papers.common import respondents
from ppdm.papers.which import after, taken_back, together
from ppdm.privacy import attacks, channel
from ppdm.privacy.ladder import belief, vulnerability


def private(rng, n, reports, epsilon):
    """A channel with this ε or less, drawn: entries between 1 and e^ε, then made to sum to 1."""
    raw = np.exp(rng.uniform(0, epsilon / 2, size=(reports, n)))
    return raw / raw.sum(axis=0)


@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_no_channel_tells_more_than_the_most(epsilon):
    rng = np.random.default_rng(1)
    for _ in range(20):
        prior = rng.dirichlet(np.ones(4))
        most, best = after.most_information(prior, epsilon)
        assert best.sum(axis=0) == pytest.approx(np.ones(4), abs=1e-9)
        assert channel.epsilon(best) <= epsilon + 1e-9
        assert after.information(best, prior) == pytest.approx(most)
        others = [
            private(rng, 4, 3, epsilon),
            today.k_rr(4, epsilon),
            today.binary(4, epsilon, [0, 2]),
        ]
        assert all(channel.epsilon(M) <= epsilon + 1e-9 for M in others)
        assert max(after.information(M, prior) for M in others) <= most + 1e-9


def test_information_and_capacity_are_those_of_qif():
    qif = oracles.qif()
    rng = np.random.default_rng(2)
    for _ in range(5):
        M, prior = rng.dirichlet(np.ones(4), size=3).T, rng.dirichlet(np.ones(3))
        theirs = qif.measure.shannon.add_leakage(prior, np.ascontiguousarray(M.T))
        assert after.information(M, prior) == pytest.approx(theirs, abs=1e-9)
    ours = after.adding_up(3)
    each = np.kron([[0.6, 0.4], [0.4, 0.6]], [[0.6, 0.4], [0.4, 0.6]])
    theirs = qif.measure.bayes_vuln.mult_capacity(np.ascontiguousarray(each.T))
    at = ours["names"].index("capacity, 2 answers, θ = 0.6")
    assert math.exp(ours["ours"][at]) == pytest.approx(theirs, abs=1e-9)


def test_a_set_tells_what_its_matrix_tells():
    for n, size, epsilon in [(5, 2, 0.7), (6, 3, 2.0), (4, 1, 3.0)]:
        M = today.subset_selection(n, epsilon, size)
        formula = after.told_by_a_set(n, epsilon, size)
        assert after.information(M, np.full(n, 1 / n)) == pytest.approx(formula)


def test_odds_grow_as_going_through_every_statement_says():
    rng = np.random.default_rng(3)
    M, prior = rng.dirichlet(np.ones(3), size=3).T, rng.dirichlet(np.ones(3))
    grown = []
    for inside in product([False, True], repeat=3):
        if any(inside) and not all(inside):
            q = np.array(inside)
            before = prior[q].sum() / prior[~q].sum()
            for row in M:
                grown.append((row[q] @ prior[q]) / (row[~q] @ prior[~q]) / before)
    assert after.growth(M, prior[None]) == pytest.approx(max(grown))


def test_the_lines_of_the_fano_plane_are_a_plane_with_the_eigenvalues_of_one():
    """Two points on exactly one line; so the singular values are (γ - 1) sqrt(2) / (3γ + 4)."""
    on = after.fano(2.0) > 1 / 7
    assert (on.sum(axis=0) == 3).all() and (on.sum(axis=1) == 3).all()
    assert (on.T.astype(int) @ on - 2 * np.eye(7) == 1).all()
    for gamma in (1.5, 4.0):
        values = np.sort(np.abs(np.linalg.eigvalsh(after.fano(gamma))))
        assert values[:6] == pytest.approx(np.full(6, (gamma - 1) * math.sqrt(2) / (3 * gamma + 4)))
        assert after._k_rr_condition(7, gamma) == pytest.approx(
            np.linalg.cond(today.k_rr(7, math.log(gamma)))
        )


def test_an_invariant_release_is_a_post_processing():
    rng = np.random.default_rng(4)
    M, prior = rng.dirichlet(np.ones(4), size=4).T, rng.dirichlet(np.ones(4))
    R = after.invariant(M, prior)
    assert R @ prior == pytest.approx(prior)
    assert channel.refinement(M, R).holds and not channel.refinement(R, M).holds


def test_the_class_told_by_others_is_the_ladders():
    others, victims = respondents("breast-cancer-wisconsin").numbered(0)
    believed, names = belief("others", others), others.names
    scheme = MultiGroup(0.7, [[name] for name in names])
    ladder = vulnerability(scheme, names[-1], believed, victims)
    assert after.told_by_others(believed, victims, 0.7, own=True) == pytest.approx(ladder)
    assert after.told_by_others(believed, victims, 0.7) < ladder


def test_by_covariance_is_shrinking_along_the_principal_components():
    """scikit-learn's components: each score is multiplied by (eigenvalue - noise) / eigenvalue."""
    rng = np.random.default_rng(5)
    B = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 5)) * 3 + 0.5 * rng.normal(size=(300, 5))
    noise_size = 0.1
    pca = PCA().fit(B)
    values = pca.explained_variance_ * (len(B) - 1) / len(B)
    assert values.min() > noise_size  # else they are cut at 0
    by_hand = pca.mean_ + pca.transform(B) * (values - noise_size) / values @ pca.components_
    assert attacks.by_covariance(B, np.full(5, noise_size)) == pytest.approx(by_hand)
    with pytest.raises(ValueError, match="positive variance"):
        attacks.each_by_itself(B, np.zeros(5))


def test_who_knows_records_wins_back_what_was_not_distorted_and_nothing_of_strangers():
    rng = np.random.default_rng(6)
    all_of_it = taken_back.won_back(rng, 2, "PID", "original", 4, 0)
    assert all_of_it["read"] == pytest.approx(1)
    strangers = taken_back.won_back(rng, 2, "PID", "original", 20, 0, anybodys=True)
    assert max(strangers[guess].mean() for guess in taken_back.GUESSES) < 0.25


@pytest.mark.parametrize(
    "clusters", [[(0,), (1,), (2,)], [(0, 1), (2,)]], ids=["apart", "together"]
)
def test_estimates_of_pairs_are_unbiased_and_as_noisy_as_computed(clusters):
    """400 surveys: a mean is off by more than 4.5 standard errors in fewer than one of 10^4 runs."""
    rng, epsilon, n = np.random.default_rng(7), 6.0, 2_000
    a = rng.integers(0, 2, n)
    people = np.stack([a, np.where(rng.random(n) < 0.8, a, 1 - a), rng.integers(0, 2, n)], axis=1)
    truth = together._pair_tables(people, 1.0)
    found = np.array(
        [together._estimates(people, clusters, epsilon, rng)["undone"] for _ in range(400)]
    )
    se = found.std(axis=0, ddof=1) / 20
    assert (np.abs(found.mean(axis=0) - truth) < norm.isf(1e-4 / 24) * se + 1e-12).all()
    told = together.noises(truth[:, 0], 4.0)  # of the first pair: 4 of the 6 are its own
    expected = told["pair, together" if len(clusters) == 2 else "pair, apart"] / n
    assert found.var(axis=0, ddof=1)[:, 0].sum() == pytest.approx(expected, rel=0.25)


def test_what_is_kept_of_an_answer_is_an_eigenvalue_of_its_matrix():
    for size, epsilon in [(2, 1.0), (3, 0.5)]:
        M = today.k_rr(2**size, epsilon)
        half = np.arange(2**size) < 2 ** (size - 1)
        flipped = M[half][:, half].sum(axis=0) - M[half][:, ~half].sum(axis=0)
        assert flipped == pytest.approx(np.full(2 ** (size - 1), together.kept(size, epsilon)))
        coin = today.k_rr(2, epsilon / size)
        assert coin[0, 0] - coin[0, 1] == pytest.approx(together.kept(size, epsilon, alone=True))
    shares = np.array([0.4, 0.1, 0.2, 0.3])
    assert together.noises(shares, 1.0)["pair, together"] == pytest.approx(
        float(noise(today.k_rr(4, 1.0), shares))
    )


def test_joint_estimates_have_no_error_where_everybody_tells_the_truth():
    errors = together.joint_errors(np.random.default_rng(8), 1, 0, epsilon=40.0)
    assert all(errors[name][0] < 1e-6 for name in ("undone", "undone and moved", "EM"))
    assert errors["independent"][0] > 0.1
