"""Attacks on released tables: they win where they must, lose where they must, and count rightly."""

import numpy as np
import pytest

from ppdm import data
from ppdm.distort import aibr, bsvd, kcg
from ppdm.papers.aibr import numbers_of
from ppdm.privacy import attacks, ladder
from ppdm.privacy.linkage import assignment_share


def pima():
    return numbers_of(data.load("pima"))[0]


@pytest.mark.parametrize(
    ("release", "known", "draws"),
    [
        (lambda X, rng: aibr(X, 10, rng), 0.876, 3),
        (lambda X, rng: bsvd(X, 4), 0.389, 1),
        (lambda X, rng: kcg(X, 10, rng), 0.040, 3),
    ],
    ids=["AIBR", "BSVD", "kCG"],
)
def test_matching_is_that_of_sdcmicro(release, known, draws):
    """[R's sdcMicro] The share of Pima's 768 records that the optimal matching of distances traces.

    Its tables of AIBR and kCG were drawn by other generators: over draws the share varies by about
    0.012, so within 0.04; BSVD's is not random, and its share is the same to the printed digits.
    """
    X, rng = pima(), np.random.default_rng(1)
    found = np.mean([assignment_share(X, release(X, rng), squared=False) for _ in range(draws)])
    assert found == pytest.approx(known, abs=0.0005 if draws == 1 else 0.04)


def test_rotations_are_undone_by_as_many_known_records_as_attributes():
    """[Liu, Giannella & Kargupta 2006] Eight records and the mean give Pima away; two do not."""
    X, rng = pima(), np.random.default_rng(2)
    Y = attacks.rotated(X, rng)
    assert np.linalg.norm(Y, axis=1) == pytest.approx(
        np.linalg.norm((X - X.mean(0)) / X.std(0), axis=1)
    )
    rows = rng.permutation(len(X))[:40]

    def recovered(known):
        """The share of values guessed to within a tenth of their attribute's deviation."""
        off = np.abs(attacks.learned(Y[known], X[known])(Y) - X)
        return (off <= 0.1 * X.std(axis=0)).mean()

    assert recovered(rows) > 0.99
    assert recovered(rows[:2]) < 0.4


def test_spectral_filtering_needs_signal_in_few_directions():
    rng = np.random.default_rng(3)
    cause, noise = rng.normal(size=(2_000, 2)), np.full(10, 0.5)
    low = cause @ rng.normal(size=(2, 10))
    wide = rng.normal(size=(2_000, 10))
    for true, ratio, better in ((low, 0.35, True), (wide, 0.9, False)):
        noisy = true + rng.normal(size=true.shape) * np.sqrt(noise)
        error = [np.mean((x - true) ** 2) for x in (noisy, attacks.without_noise(noisy, noise))]
        assert (error[1] < ratio * error[0]) == better
    with pytest.raises(ValueError, match="positive variance"):
        attacks.without_noise(low, np.zeros(10))


def table(released, original=None):
    rng = np.random.default_rng(4)
    A = rng.normal(size=(120, 3)) if original is None else original
    return attacks.Distorted(A, released(A, rng), ("a", "b", "c"), lambda X: X > 0)


def test_a_table_released_as_it_is_hides_nothing_and_an_independent_one_all():
    same, other = table(lambda A, rng: A), table(lambda A, rng: rng.normal(size=A.shape))
    rows = np.arange(30)
    for goal in ("a", ladder.RECORD, ladder.Agree("a", "b")):
        assert ladder.guess(same, goal, "scheme", rows) == (
            1.0,
            1.0,
            1.0,
            pytest.approx(ladder.guess(same, goal, "scheme", rows).blind),
            True,
        )
        found = ladder.guess(other, goal, "others", rows)
        assert found.bound
        assert found.blind <= found.chance < found.blind + 0.25  # 90 victims: a few standard errors
    assert ladder.guess(same, ladder.LINK, "own list", rows).chance == 1.0
    assert ladder.guess(other, ladder.LINK, "own list", rows).chance < 0.1


def test_a_turned_table_is_learned_from_known_samples_and_from_nothing_else():
    turned = table(lambda A, rng: -A)
    chance = {
        k: ladder.guess(turned, "a", k, np.arange(30)).chance
        for k in ("scheme", "others", "all but hers")
    }
    assert chance["scheme"] == pytest.approx(ladder.guess(turned, "a", "scheme", []).blind)
    assert chance["others"] > 0.97
    assert chance["all but hers"] > 0.97


def test_leaving_one_out_is_done_right():
    one = table(lambda A, rng: A + rng.normal(size=A.shape))
    got = one._each_without_hers()
    for i in (0, 17, 119):
        rest = np.delete(np.arange(120), i)
        B, spread = one.released, one.released.std(axis=0)
        X = np.column_stack([(B - B.mean(axis=0)) / spread, np.ones(120)])
        gram = X[rest].T @ X[rest] + attacks.RIDGE * np.eye(4)
        by_hand = X[i] @ np.linalg.solve(gram, X[rest].T @ one.original[rest])
        assert got[i] == pytest.approx(by_hand)


def test_what_is_known_is_not_guessed():
    noisy = table(lambda A, rng: A + 2 * rng.normal(size=A.shape))
    every = ladder.guess(noisy, ladder.RECORD, "scheme", [], known=["a", "b", "c"])
    some = ladder.guess(noisy, ladder.RECORD, "scheme", [], known=["a"])
    none = ladder.guess(noisy, ladder.RECORD, "scheme", [])
    assert none.chance < some.chance < every.chance == 1.0


def test_what_is_wrong_is_said_in_a_sentence():
    one = table(lambda A, rng: A)
    with pytest.raises(ValueError, match="no coin"):
        ladder.guess(one, ladder.TRUTH, "scheme", [])
    with pytest.raises(ValueError, match="knowledge is one of"):
        ladder.guess(one, "a", "own list", [])
    with pytest.raises(ValueError, match="read, learned"):
        one.guessed("a", "dreamed")
    for rows in ([-1], [120], [0.7], [True] * 120):
        with pytest.raises(ValueError, match="list of row numbers, 0 to 119"):
            one.guessed("a", "learned", rows)
    with pytest.raises(ValueError, match="nobody left to guess"):
        one.guessed("a", "learned", np.arange(120))


@pytest.mark.parametrize("people", [1, 2, 4, 5])
def test_her_own_row_has_no_vote_among_few(people):
    """Everybody else answered 0; hers would outweigh them all."""
    original = np.zeros((people, 1))
    original[0] = 10.0
    one = attacks.Distorted(original, np.zeros((people, 1)), ("a",))
    assert one._neighbours(np.arange(people))[0] == 0
