"""What came after: against what others have written, and at ends where the answer is known."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from sklearn.decomposition import PCA

from ppdm.papers import which
from ppdm.papers.which import beyond
from ppdm.privacy import attacks, channel


def test_the_capacity_is_that_of_qif():
    coin = np.array([[0.6, 0.4], [0.4, 0.6]])
    each = np.kron(coin, coin)
    theirs = oracles.qif().measure.bayes_vuln.mult_capacity(np.ascontiguousarray(each.T))
    assert channel.capacity(each) == pytest.approx(theirs, abs=1e-9)


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
    all_of_it = beyond.won_back(rng, 2, "PID", "original", 4, 0)
    assert all_of_it["read"] == pytest.approx(1)
    strangers = beyond.won_back(rng, 2, "PID", "original", 20, 0, anybodys=True)
    assert max(strangers[guess].mean() for guess in beyond.GUESSES) < 0.25


def test_claims_that_need_no_run_are_decided_and_refuse_their_plants(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path / "results"))
    ch = which.later(seed=1, data_source="stored")
    for id in ("WC-60", "WC-62"):
        assert ch.decide(id).decision.verdict == "supported", id
    assert not ch.ledger.problems
