"""Chapter 2's claims under pairs of readings: what the weekly command asks, and what it says."""

from functools import partial

import numpy as np
import yaml

from ppdm import study
from ppdm.papers import multi_group as mg
from ppdm.papers.multi_group import pairs, rows
from ppdm.papers.multi_group.experiment import trees
from ppdm.study import ledger

CANCER = "breast-cancer-wisconsin"
ENTRY = {
    "id": "ZD-41", "paper": "zhan-du", "where": "Section 6", "claim": "A loss below 0.1.",
    "rule": {"name": "bound", "below": 0.1}, "expect": "reproduced",
}  # fmt: skip


def test_a_pair_is_the_experiment_with_the_options_of_both(tmp_path, monkeypatch):
    """At θ = 1 nothing is disguised: the tree of half of the records, the class open or not."""
    monkeypatch.setenv("PPDM_CACHE", str(tmp_path))
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path))
    monkeypatch.setenv("PPDM_WORKERS", "1")
    points = [{"dataset": CANCER, "groups": 2, "theta": t} for t in (0.7, 1)]
    monkeypatch.setattr(rows, "grid", lambda ch: points)
    names = ["class not disguised", "training half", "training nine tenths"]
    found = pairs.paired(mg.chapter(profile="quick", seed=2005), names)
    assert set(found["world"]) == {
        "class not disguised + training half",
        "class not disguised + training nine tenths",
    }  # not both of one question
    accuracy = found[found["metric"] == "accuracy"].groupby(["world", "theta"], sort=False)["value"]
    half = partial(trees, np.random.default_rng(1), 4, CANCER, 2, ratio=0.5, divisions=2)
    assert accuracy.mean()["class not disguised + training half", 1] == half(1.0)["accuracy"].mean()
    assert (
        accuracy.mean()["class not disguised + training half", 0.7] < half(1.0)["accuracy"].mean()
    )


def test_what_is_said_names_the_pairs_that_turn_what_neither_alone_turns(tmp_path):
    path = tmp_path / "02_toy.yml"
    path.write_text(yaml.safe_dump([ENTRY]), encoding="utf-8")
    values = {"a": 0.05, "b": 0.2, "a + b": 0.3, "a + c": 0.3, "c": 0.06, "a + d": 0.05}
    decided = ledger.Ledger(ledger.read(path)).decide(
        "ZD-41",
        value=0.05,
        se=0.001,
        worlds={name: {"value": v, "se": 0.001} for name, v in values.items()},
    )
    assert pairs.told(decided) == (
        "ZD-41: reproduced; turned by 1 readings alone, and in 2 of 3 pairs; "
        "where neither alone does: a + c"
    )
    pairs.write(tmp_path / "pairs.csv", [decided])
    rows = ledger.read_csv(tmp_path / "pairs.csv")
    assert [(row["world"], row["met"]) for row in rows] == [
        ("a + b", "no"), ("a + c", "no"), ("a + d", "yes"),
    ]  # fmt: skip


def test_every_claim_on_accuracy_is_asked():
    """The claims that the readings of the experiment move, by the chapter's own evidence."""
    asked = pairs.claims()
    known = {f"ZD-{i}" for i in (12, 25, 27, 28, 30, 32, 33, 38, 39, 42)}
    assert set(asked) == known <= set(mg.READINGS["training half"].touches)
    assert not any(claim.refuses or claim.accepts for claim in asked.values())
    assert [
        pair.name for pair in study.pairs(mg.READINGS.values(), ["one deal", "training half"])
    ] == ["one deal + training half"]
