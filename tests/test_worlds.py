"""Verdicts in many worlds: readings, draws of chance, plants, and the history of rules."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml

from ppdm import places, study
from ppdm.study import cards, history, ledger, worlds
from ppdm.study.ledger import LedgerError
from ppdm.study.worlds import Reading

BOOK = places.find_root() / "book" / "claims"
ENTRY = {
    "id": "ZM-1", "paper": "zhan-matwin", "where": "Section 4", "claim": "Loses at most 5 points.",
    "rule": {"name": "bound", "below": 0.05}, "expect": "reproduced", "unit": "points",
}  # fmt: skip


def book(tmp_path, quick="", **changes):
    path = tmp_path / "01_toy.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump([ENTRY | changes]), encoding="utf-8")
    return ledger.Ledger(ledger.read(path), quick)


def at(**values):
    """The value in each world."""
    return {name.replace("_", " "): {"value": value} for name, value in values.items()}


def test_a_verdict_says_where_it_holds(tmp_path):
    d = book(tmp_path).decide(
        "ZM-1", [0.02, 0.03], 0.001, ["Adult, q = .5", "Voting, q = .5"],
        worlds=at(middle=0.08, ties_even=0.03), draws=at(split_1=0.03, split_2=0.045, split_3=0.03),
    )  # fmt: skip
    row, html = d.row(), cards.card(d)
    assert [row[key] for key in ("worlds", "holds", "fails_in", "worst", "firm")] == [
        6, 5, "middle", "Voting, q = .5", "no"]  # fmt: skip
    assert "Depends on the interpretation: another verdict with “middle”." in html
    assert "Same verdict in 4 of 5 variations; another with “middle”." in html
    assert "3 (2.8 to 3.2) points, <span" in html and html.index("turned") < html.index("Loses at")
    assert not re.search(r"\b(holds|fails|met)\b", html, re.IGNORECASE)
    assert (html.count('class="other"'), html.count('class="same"')) == (1, 4)
    values = {r["world"]: (r["value"], r["met"]) for r in d.world_rows()}
    assert values["ours"] == ("0.03", "yes") and values["middle"] == ("0.08", "no")


def test_a_verdict_that_many_draws_turn_is_not_firm(tmp_path):
    for bad, firm in ((1, True), (2, False)):
        draws = {f"split {i}": {"value": 0.09 if i <= bad else 0.01} for i in range(1, 13)}
        assert book(tmp_path).decide("ZM-1", 0.03, draws=draws).firm is firm


def test_a_plant_must_be_refused(tmp_path):
    named = {"refuses": ["no undoing"], "accepts": ["no noise"]}
    claims = book(tmp_path, **named)
    d = claims.decide("ZM-1", 0.03, plants=at(no_undoing=0.2, no_noise=0))
    assert claims.problems == []
    assert (d.row()["refuses"], d.row()["worlds"]) == (
        "no undoing",
        1,
    )  # a plant is no world of a verdict
    claims = book(tmp_path / "claims", **named)
    claims.decide("ZM-1", 0.03, plants=at(no_undoing=0, no_noise=0.2))
    assert claims.problems == [
        "the rule of ZM-1 accepts the plant 'no undoing', which it must refuse",
        "the rule of ZM-1 refuses 'no noise', where the claim is true",
    ]
    ledger.write(tmp_path / "results" / "01_toy" / "claims.csv", claims.in_order())
    merged = ledger.merge(tmp_path / "results", tmp_path / "claims")
    assert merged.problems == ["01_toy: the rule of ZM-1 accepts the plant no undoing"]
    rows = ledger.read_csv(tmp_path / "results" / "worlds.csv")
    assert [(r["world"], r["met"]) for r in rows] == [
        ("ours", "yes"), ("plant: no undoing", "yes"), ("plant: no noise", "no")]  # fmt: skip
    with pytest.raises(LedgerError, match="plant 'no noise', which was not handed in"):
        book(tmp_path, **named).decide("ZM-1", 0.03, plants=at(no_undoing=1))


def test_a_card_shows_the_reading_it_is_decided_on(tmp_path):
    for plain, ours, words in (
        (
            0.3,
            0.06,
            "Not even under the condition that training rows count. Without it, ours is 30",
        ),
        (0.02, 0.02, "Not under the condition that training rows count: ours is 6"),
    ):
        claims = book(tmp_path, condition="training rows count")
        d = claims.decide("ZM-1", plain={"value": plain}, under={"value": 0.06})
        assert d.finding.ours == ours and words in d.note


def test_worlds_of_a_quick_run_decide_nothing(tmp_path):
    claims = book(tmp_path, quick="reps 2 of 9", refuses=["p"])
    d = claims.decide("ZM-1", 0.03, np.nan, worlds=at(a=np.nan), plants=at(p=0))
    assert (claims.problems, d.row()["worlds"], d.row()["firm"]) == ([], 0, "")


# From frames to worlds ------------------------------------------------------------------------------

READINGS = [
    Reading("double", "?", "once", options={"factor": 2.0}, datasets=("a",)),
    Reading("shift", "?", "no", options={"by": 1.0}),
    Reading("nothing", "?", "no", options={"unused": 1}),
]


def noisy(rng, reps, dataset, split, factor=1.0, by=0.0, unused=0):
    """A split has an effect of its own, ten times the noise within it."""
    effect = np.random.default_rng([split, dataset == "a"]).normal(0, 1)
    return {"m": factor * (effect + by + rng.normal(0, 0.1, reps))}


def of_noisy(readings, splits=12):
    points = [{"dataset": d, "split": s} for d in "ab" for s in range(splits)]
    return study.run(
        study.under(noisy, readings), study.points(points, readings), reps=20, seed=3, cache=False
    )


def mean(rows):
    by = rows.groupby("dataset")["value"].mean()
    return {"value": by.to_numpy(), "names": list(by.index)}


def test_cases_go_through_every_world():
    frame = of_noisy(READINGS)
    found = study.cases(mean, frame)
    plain = frame[frame["world"] == "ours"].groupby("dataset")["value"].mean()
    assert found["value"] == pytest.approx(plain.to_numpy())
    assert len(found["draws"]) == 12 and list(found["worlds"]) == ["double", "shift", "nothing"]
    # "double" is about one data set: no world of the other, which it leaves as it is in ours
    rows = frame[frame["dataset"] == "b"]
    assert list(study.cases(mean, rows)["worlds"]) == ["shift", "nothing"]
    assert found["worlds"]["double"]["value"][1] == pytest.approx(found["value"][1])
    assert study.moved(found, found["worlds"], by=2.0) == ["shift"]
    assert list(study.cases(mean, frame, touches=["shift"])["worlds"]) == ["shift"]


def test_clustered_errors_cover():
    """A rule at level .05 that takes clustered errors as normal says yes to a bound that is just
    wrong in about 5 % of 4,000 runs with eight clusters (bounds 5 standard errors away)."""
    runs = np.random.default_rng(5).normal(0, 1, (4000, 8))
    found = [study.clustered({i: {"value": v} for i, v in enumerate(run)}) for run in runs]
    yes = np.mean([abs(each["value"]) <= 1.959964 * each["se"] for each in found])
    assert abs(yes - 0.95) < 5 * np.sqrt(0.05 * 0.95 / 4000)


def test_pairs_are_asked_where_each_alone_moves_a_value():
    both = study.pairs(READINGS, ["double", "shift", "nothing"])
    assert [b.name for b in both] == ["double + shift", "double + nothing", "shift + nothing"]
    assert both[0].datasets == ("a",)
    found = study.cases(mean, of_noisy([*READINGS, *both]))
    alone = {n: e for n, e in found["worlds"].items() if " + " not in n}
    movers = set(study.moved(found, alone))
    assert "nothing" not in movers
    assert set(found["worlds"]) - set(alone) == {
        b.name for b in both if set(b.name.split(" + ")) <= movers
    }


def test_a_strip_shows_threshold_interval_and_worlds(tmp_path):
    unsure = {"b": {"value": 0.05, "se": 0.1}}
    d = book(tmp_path, expect="not reproduced").decide(
        "ZM-1", 0.08, 0.004, worlds=at(a=0.08, far=-9.0) | unsure
    )
    strip = cards.strip(d)
    assert [kind for _, kind, _ in strip.worlds] == ["same", "other", "unsure"]
    html = cards.card(d)
    assert "Ours 8 (7.22 to 8.78); threshold 5; 3 variations" in html and ">5</text>" in html


def test_a_reading_of_a_file_is_checked(tmp_path):
    path = tmp_path / "readings.yml"
    path.write_text("readings:\n- {question: Which, instead: {a: {says: no, option: {x: 1}}}}\n")
    with pytest.raises(
        ValueError, match=r"readings.yml: 'a' has a key that is not known; a question has"
    ):
        worlds.read(path)
    path.write_text(
        "named: {c: &c [ZM-1]}\nl:\n- {question: Which, instead: {a: {touches: *c}, b: }}\n"
    )
    a, b = worlds.read(path)["l"]
    assert a == Reading("a", "Which", "", touches=("ZM-1",)) and b == Reading("b", "Which", "")


def test_what_the_book_names_is_there():
    """Readings touch claims of the book; four claims in five name a wrong world that their rule must refuse."""
    files = sorted((places.PACKAGE / "papers").glob("*/readings.yml"))
    lists = [readings for file in files for readings in worlds.read(file).values()]
    touched = {id for readings in lists for reading in readings for id in reading.touches}
    known = {id: c for path in history.chapters(BOOK) for id, c in ledger.read(path).items()}
    assert len(files) >= 4 and len(touched) > 40 and touched <= set(known) and len(known) > 90
    assert sum(bool(claim.refuses) for claim in known.values()) >= 0.8 * len(known)
    assert all(
        name.strip() for claim in known.values() for name in (*claim.refuses, *claim.accepts)
    )


EVIDENCE = {
    "rows": "runs",
    "where": "metric == 'm'",
    "from": "loss at",
    "x": "q",
    "at": 0.5,
    "of": 1,
}


def test_a_claim_takes_the_evidence_that_its_entry_names(tmp_path):
    """In all worlds of the frame that the chapter computes."""
    rows = [
        {"dataset": "a", "q": q, "split": s, "world": w, "metric": m, "rep": r,
         "value": (q - 1) * (10 if m == "other" else 0.01 * s + (w == "far"))}
        for q in (0.5, 1) for s in range(12) for w in ("ours", "far", "same") for m in ("m", "other")
        for r in range(2)
    ]  # fmt: skip
    frame = study.summarise(pd.DataFrame(rows))
    claims = book(tmp_path, evidence=EVIDENCE)
    with pytest.raises(
        LedgerError, match="ZM-1 takes its evidence from 'runs'; the chapter has nothing"
    ):
        claims.decide("ZM-1")
    readings = tuple(Reading(name, "", "", touches=("ZM-1",)) for name in ("far", "same"))
    wrong = frame[frame["world"] == "ours"].assign(world="wrong")
    claims.rows["runs"] = ledger.Rows(frame, wrong, "split", readings)
    assert claims.movers("ZM-1") == ["far"]
    d = claims.decide("ZM-1")
    assert d.finding.ours == pytest.approx(-0.5 * 0.01 * 5.5)
    assert [w.name for w in d.worlds] == ["far"] and len(d.draws) == 12  # "same" changes nothing
    assert [p.name for p in d.plants] == ["wrong"]
    for changed in ({"where": "metrc == 'm'"}, {"where": "q ="}, {"x": "theta"}):
        other = book(tmp_path, evidence=EVIDENCE | changed)
        other.rows = claims.rows
        with pytest.raises(
            LedgerError,
            match="ZM-1: its evidence cannot be taken from 'runs', which has dataset, q",
        ):
            other.decide("ZM-1")


def test_a_verdict_from_few_draws_is_named_unless_its_entry_says_why(tmp_path):
    def problems(draws, **changes):
        claims = book(tmp_path / "claims", **changes)
        splits = {f"split {i}": {"value": 0.03} for i in range(draws)}
        claims.decide("ZM-1", 0.03, worlds=at(alpha_0=0.03), draws=splits)
        ledger.write(tmp_path / "results" / "01_toy" / "claims.csv", claims.in_order())
        return ledger.merge(tmp_path / "results", tmp_path / "claims").changed

    assert problems(10) == problems(0, one_world="an identity") == []
    [few] = problems(9)
    assert few.startswith("01_toy: claim ZM-1 was asked in 9 draws of chance; 10 are wanted")


# When a rule was written ----------------------------------------------------------------------------


def test_a_changed_rule_must_be_entered(tmp_path):
    def problems(**changes):
        book(tmp_path, **changes)
        return history.problems(tmp_path)

    (tmp_path / "seen_and_left.yml").write_text("- id: not-a-claim\n", encoding="utf-8")
    file, other = tmp_path / history.FILE, {"name": "bound", "below": 0.06}
    file.write_text("claims:\nchanges: []\n", encoding="utf-8")
    assert problems() == ["ZM-1 is not in changes.yml"]
    assert history.enter(tmp_path) == ["ZM-1"]
    assert problems() == problems(claim="It loses at most five points.") == []  # words may change
    assert problems(rule=other) == [
        "the rule of ZM-1 is not the one of changes.yml: enter the change"
    ]
    with pytest.raises(ValueError, match="the rule of ZM-1 has changed: tell it"):
        history.enter(tmp_path)
    told = "changes:\n- {claims: [ZM-1], what: threshold, old: .05, new: .06, reason: It was a slip.}\n"
    file.write_text(file.read_text().replace("changes: []\n", told), encoding="utf-8")
    assert history.enter(tmp_path) == ["ZM-1"] and problems(rule=other) == []
    d = book(tmp_path, rule=other).decide("ZM-1", 0.01)
    assert d.claim.history == "after" and "settled after the first result" in cards.card(d)
    book(tmp_path, rule=other | {"below": 0.07})
    with pytest.raises(ValueError, match="tell it"):  # the entry of the last change is not enough
        history.enter(tmp_path)


def test_the_books_rules_are_those_that_were_entered(tmp_path):
    """Fails when a rule of the book has changed without an entry in changes.yml; no git is needed."""
    assert history.problems(BOOK) == []
    # ... and a planted change, of a threshold or of a margin, in a copy of the files, is found:
    for file, old, new in (
        ("01_electronic_surveys", "within: 0.01}", "within: 0.02}"),
        ("margins", "margin: 0.01\n", "margin: 0.02\n"),
    ):
        path = shutil.copytree(BOOK, tmp_path / file) / f"{file}.yml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        changed = "the rule of ZM-11 is not the one of changes.yml: enter the change"
        assert changed in history.problems(path.parent)


def test_a_sentence_or_an_expected_verdict_settles_no_rule():
    settles = {
        "sentence": "together",
        "expect": "together",
        "threshold and condition": "after",
        "evidence": "after",
    }
    for what, status in settles.items():
        known = {"ZM-1": {"rule": "x", "status": "together"}}
        assert (
            history.Rulebook(known, [{"claims": ["ZM-1"], "what": what}]).status("ZM-1") == status
        )


def test_draws_that_name_their_values_in_different_orders_are_refused():
    frame = pd.DataFrame(
        {"split": [0, 0, 1, 1], "dataset": ["a", "b", "b", "a"], "value": [1.0, 10, 10.2, 1.1]}
    )
    for evidence in (
        lambda rows: {"value": rows["value"].to_numpy(), "names": list(rows["dataset"])},
        lambda rows: {"value": rows.set_index("dataset")["value"]},
    ):
        with pytest.raises(LedgerError, match="in another order"):
            study.cases(evidence, frame)
    assert study.cases(mean, frame)["value"] == pytest.approx([1.05, 10.1])
    assert study.cases(lambda rows: {"value": rows["value"]}, frame)["value"] == pytest.approx(
        [5.6, 5.55]
    )
