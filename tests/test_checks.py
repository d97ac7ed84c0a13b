"""A method's own check: the wrong worlds of an audit, in which claims on accuracy hold and the method is none."""

import numpy as np
import pytest
import yaml

from ppdm import MultiGroup, count
from ppdm.disguise import UnrelatedQuestion
from ppdm.distort.aibr import aibr
from ppdm.papers.checks import improved, in_draws, redrawn, reported
from ppdm.study import ledger
from ppdm.study.ledger import LedgerError

RNG = np.random.default_rng(3)
RECORDS = (RNG.random((4000, 3)) < [0.2, 0.5, 0.7]) | (RNG.random((4000, 1)) < 0.1)
PEOPLE = count(RECORDS.astype(int))
UNRELATED = UnrelatedQuestion(0.5)


def scheme_of(kind):
    names = PEOPLE.names
    return UNRELATED if kind == "unrelated" else MultiGroup(0.7, [[name] for name in names])


def openly(share):
    """So many people answer openly, and nobody else at all."""
    return lambda scheme, rng: count(RECORDS[rng.random(len(RECORDS)) < share].astype(int))


def one_coin(scheme, rng):
    return MultiGroup(0.7, [list(PEOPLE.names)]).disguise_table(PEOPLE, rng)


SURVEYS = {
    "as it should be": (None, True),
    "a half answers openly": (openly(0.5), False),
    "a share |2θ - 1|^M answers openly": (openly(0.4**3), False),
    "nothing is disguised": (openly(1.0), False),
    "another θ, or q": (lambda scheme, rng: (UnrelatedQuestion(0.75) if scheme is UNRELATED else MultiGroup(0.75, [
        [n] for n in PEOPLE.names])).disguise_table(PEOPLE, rng), False),
    "one coin for groups that do not exist": (one_coin, False),
}  # fmt: skip


def problems(folder, frame, quick=""):
    entry = {"id": "ZM-1", "paper": "zhan-matwin", "claim": "It is at most a half.", "where": "1",
             "rule": {"name": "bound", "below": 0.5}, "expect": "reproduced", "needs": ["as_declared"]}  # fmt: skip
    (folder / "01_toy.yml").write_text(yaml.safe_dump([entry]))
    book = ledger.Ledger(ledger.read(folder / "01_toy.yml"), quick)
    with pytest.raises(LedgerError, match="ZM-1 takes its evidence from 'as_declared'"):
        book.decide("ZM-1", 0.1)
    book.rows["as_declared"] = ledger.Rows(frame)
    book.decide("ZM-1", 0.1)
    return book.problems


@pytest.mark.parametrize("kind", ["unrelated", "groups"])
@pytest.mark.parametrize("world", SURVEYS)
def test_a_survey_that_is_not_what_it_says_decides_nothing(tmp_path, kind, world):
    wrong, right = SURVEYS[world]
    scheme, rng = scheme_of(kind), np.random.default_rng(5)
    draw = wrong or (lambda scheme, rng: scheme.disguise_table(PEOPLE, rng))
    if world.startswith("one coin") and kind == "unrelated":
        return  # it has no groups

    def off(_):
        return reported([draw(scheme, rng) for _ in range(10)], PEOPLE, scheme)

    said = problems(tmp_path, in_draws(off, range(20)))
    assert bool(said) is not right
    assert right or said[0].startswith("the method is not what it says: as declared, ")


@pytest.mark.parametrize("world", ["AIBR", "plain noise of its size"])
def test_a_release_that_is_not_aibr_decides_nothing(tmp_path, world):
    X, rng = RNG.normal(size=(500, 4)), np.random.default_rng(6)

    def off(_):
        release = aibr(X, 4, rng)
        noise = X + rng.uniform(-1, 1, X.shape) * (np.ptp(X, axis=0) / 8)
        return redrawn(release if world == "AIBR" else noise, X, 4)

    assert bool(problems(tmp_path, in_draws(off, range(10)))) is (world != "AIBR")


@pytest.mark.parametrize("world", ["a search", "Warner's matrices, jittered"])
def test_a_search_that_does_not_improve_decides_nothing(tmp_path, world):
    privacy, rng = np.linspace(0.2, 0.6, 20), np.random.default_rng(7)
    early = {"privacy": privacy, "mse": np.exp(3 * privacy)}

    def off(_):
        gain = 0.5 if world == "a search" else np.exp(rng.normal(0, 0.01, 20))
        return improved(early, early | {"mse": early["mse"] * gain})

    assert bool(problems(tmp_path, in_draws(off, range(10)))) is (world != "a search")
