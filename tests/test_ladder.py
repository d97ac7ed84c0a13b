"""The ladder of attackers: equal to guessing by hand over the whole matrix, and in its order."""

import numpy as np
import pandas as pd
import pytest

from ppdm import Domain, MultiGroup, RRMatrix, Table, UnrelatedQuestion
from ppdm.privacy import ladder

BITS = Domain(tuple("ABC"), ((0, 1),) * 3)
SCHEMES = [
    MultiGroup(0.7, [["A", "B"], ["C"]]),
    MultiGroup(0.2, [["A", "B", "C"]]),
    UnrelatedQuestion(0.4),
    UnrelatedQuestion(0.3, {"A": [0.9, 0.1], "B": [0.5, 0.5], "C": [0.2, 0.8]}),
    RRMatrix({name: np.array([[0.8, 0.3], [0.2, 0.7]]) for name in "ABC"}),
]


def tables(seed, n=2):
    rng = np.random.default_rng(seed)
    return [Table(BITS, rng.dirichlet(np.full(8, 0.5))) for _ in range(n)]


def by_hand(scheme, secret, believed, true):
    """Bayes over all pairs (record, report), a report at a time."""
    M, chance = scheme.matrix(BITS), 0.0
    for r in range(8):
        scores = pd.Series(believed.values * M[r]).groupby(secret).sum()
        chance += sum(true.values[x] * M[r, x] for x in range(8) if secret[x] == scores.idxmax())
    return chance


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("seed", range(5))
def test_guesses_equal_those_by_hand(scheme, seed):
    believed, true = tables(seed)
    record = np.arange(8)
    got = ladder.vulnerability(scheme, ladder.RECORD, believed, true)
    assert got == pytest.approx(by_hand(scheme, record, believed, true), abs=1e-12)
    middle = BITS.digits(record)[:, 1]
    got = ladder.vulnerability(scheme, "B", believed, true)
    assert got == pytest.approx(by_hand(scheme, middle, believed, true), abs=1e-12)


def test_beliefs_are_distributions_and_never_the_victims():
    rng = np.random.default_rng(1)
    people = Table(BITS, rng.multinomial(500, tables(2)[0].values))
    others, own = people.split(400, rng)
    for knowledge in ladder.KNOWLEDGE:
        for model in ladder.MODELS:
            got = ladder.belief(knowledge, others, own, model=model).values
            assert got.sum() == pytest.approx(1)
            assert (got >= 0).all()
    shares = ladder.belief("shares", others)
    for name in "ABC":  # single answers as seen, but for the half that is added to each count
        assert shares.p({name: 1}) == pytest.approx(others.marginal(name).p({name: 1}), abs=2e-3)
    bayes = ladder.belief("others", others, model="naive Bayes")
    for name in "AB":
        seen = others.marginal(name, "C").proportions().values
        assert bayes.marginal(name, "C").values == pytest.approx(seen, abs=5e-3)
    with pytest.raises(ValueError, match="own records"):
        ladder.belief("own list", others)
    with pytest.raises(ValueError, match="allowed|one of"):
        ladder.belief("everything", others)


def test_more_knowledge_helps_on_average():
    """Victims drawn from the same people: the rungs come in their order, over 20 divisions."""
    rng, scheme = np.random.default_rng(4), MultiGroup(0.7, [["A"], ["B"], ["C"]])
    people = Table(BITS, [300, 5, 10, 5, 10, 5, 5, 260])
    found = []
    for _ in range(20):
        others, own = people.split(400, rng)
        found.append(
            [
                ladder.vulnerability(scheme, ladder.RECORD, ladder.belief(k, others, own), own)
                for k in ladder.KNOWLEDGE
            ]
        )
    scheme_only, shares, others, own = np.mean(found, axis=0)
    assert scheme_only == pytest.approx(0.7**3, abs=1e-9)
    assert scheme_only <= shares + 1e-9 < others <= own + 1e-9


def test_an_attacker_who_knows_nobody_knows_the_scheme():
    nobody = Table(BITS, np.zeros(8))
    for model in ("mixture", "naive Bayes"):
        assert ladder.belief("others", nobody, model=model).values == pytest.approx(
            np.full(8, 1 / 8)
        )
    alone = Table(BITS, np.eye(8)[3])
    scheme = MultiGroup(0.7, [["A"], ["B"], ["C"]])
    got = ladder.guess(scheme, "B", ladder.BUT_HERS, alone)
    assert got.chance == pytest.approx(0.7)


def test_who_weighs_nothing_is_nobody_on_a_list():
    """Zeros that a sparse table stores are no persons."""
    stored = Table(BITS, [2, 0, 1], np.array([0, 1, 6]))
    scheme = MultiGroup(0.7, [["A"]])
    found = [
        ladder.guess(scheme, ladder.LINK, "others", t, t) for t in (stored, stored.densified())
    ]
    assert found[0] == found[1] and found[0].chance <= 1
