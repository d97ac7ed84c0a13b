"""Tracing: sure things, blind guesses, and brute force over what an attacker could think."""

from itertools import permutations

import numpy as np
import pytest

from ppdm.distort import aibr, intervals
from ppdm.privacy.linkage import assignment_share, interval_share, nearest_share

ATTACKS = [nearest_share, assignment_share, lambda A, B: interval_share(A, B, 50)]


def table(n=80, m=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, m)) * [1, 10, 100, 1000][:m]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_release_of_the_originals_is_traced_in_full(attack):
    A = table()
    assert attack(A, A) == 1


def test_the_unit_of_an_attribute_does_not_matter():
    A = table()
    B = A + np.random.default_rng(5).normal(size=A.shape) * A.std(axis=0) / 2
    scale = np.array([1e-3, 1, 7, 1e5])
    assert 0.1 < nearest_share(A, B) < 0.9
    assert nearest_share(A, B) == nearest_share(A * scale, B * scale)


def test_twins_are_guessed_between():
    A = np.array([[0.0], [0.0], [5.0], [5.0], [5.0]])
    assert nearest_share(A, A + 0.1) == pytest.approx(2 / 5)


def test_more_than_a_thousand_records_are_handled_in_parts():
    A = table(2300, 2)
    B = A + np.random.default_rng(6).normal(size=A.shape) * A.std(axis=0) / 10
    d = ((B[:, None] - A[None]) / A.std(axis=0)) ** 2
    assert nearest_share(A, B) == pytest.approx((d.sum(2).argmin(1) == np.arange(2300)).mean())


def test_knowing_fewer_attributes_is_linking_on_these_alone():
    A = table()
    B = aibr(A, 4, np.random.default_rng(1))
    for attack in (nearest_share, assignment_share):
        assert attack(A, B, known=[0, 2]) == attack(A[:, [0, 2]], B[:, [0, 2]])
    assert interval_share(A, B, 4, known=[3]) == interval_share(A[:, [3]], B[:, [3]], 4)


def test_the_interval_attack_finds_as_many_as_there_are_occupied_cells():
    A = table()
    for k in (1, 2, 3, 8):
        B = aibr(A, k, np.random.default_rng(k))
        cells = len(np.unique(intervals(A, k), axis=0))
        assert interval_share(A, B, k) == pytest.approx(cells / len(A))


def test_no_attacker_beats_the_interval_attack():
    """Bayes by brute force: all orders in which 5 records could have been released."""
    A = np.array([[0, 0], [1, 5], [6, 1], [10, 10], [9, 2.0]])
    k, n = 2, len(A)
    B = aibr(A, k, np.random.default_rng(2))
    low, high = A.min(axis=0), A.max(axis=0)
    fits = (intervals(B, k, low, high)[:, None] == intervals(A, k)[None]).all(axis=2)
    possible = [p for p in permutations(range(n)) if all(fits[i, p[i]] for i in range(n))]
    posterior = np.mean([[[p[i] == j for j in range(n)] for i in range(n)] for p in possible], 0)
    assert interval_share(A, B, k) == pytest.approx(posterior.max(axis=1).mean())
    best_order = max(np.mean([posterior[i, p[i]] for i in range(n)]) for p in possible)
    assert interval_share(A, B, k) >= best_order - 1e-12


def test_refusals():
    A = table()
    for attack in ATTACKS:
        with pytest.raises(ValueError, match="same shape"):
            attack(A, A[:5])
        with pytest.raises(ValueError, match="missing"):
            attack(A, np.where(A > 0, np.nan, A))
