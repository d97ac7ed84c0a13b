"""What came after: against brute force, closed forms, and what others have written."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
from sklearn.decomposition import PCA

from ppdm.disguise import MultiGroup, today
from ppdm.optimise import noise
from ppdm.papers import which
from ppdm.papers.common import respondents
from ppdm.papers.which import after, beyond, taken_back, together
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
    ours = beyond.adding_up(most=3).frame.set_index("names")["ours"]
    each = np.kron([[0.6, 0.4], [0.4, 0.6]], [[0.6, 0.4], [0.4, 0.6]])
    theirs = qif.measure.bayes_vuln.mult_capacity(np.ascontiguousarray(each.T))
    assert math.exp(ours["capacity, 2 answers, θ = 0.6"]) == pytest.approx(theirs, abs=1e-9)


def test_a_set_tells_what_its_matrix_tells():
    for n, size, epsilon in [(5, 2, 0.7), (6, 3, 2.0), (4, 1, 3.0)]:
        M = today.subset_selection(n, epsilon, size)
        formula = after.told_by_a_set(n, epsilon, size)
        assert after.information(M, np.full(n, 1 / n)) == pytest.approx(formula)


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


def test_claims_that_need_no_run_are_decided_and_refuse_their_plants(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path / "results"))
    ch = which.later(seed=1, data_source="stored")
    ids = ("WC-51", "WC-53", "WC-54", "WC-60", "WC-61", "WC-62", "WC-69")
    for id in ids:
        assert ch.decide(id).decision.verdict == "supported", id
    assert not ch.ledger.problems
