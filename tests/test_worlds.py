"""Verdicts in many worlds: readings, draws of chance, plants, and the history of rules."""

import csv
import re
import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest
import yaml

from ppdm import places, study
from ppdm.study import cards, history, ledger, worlds
from ppdm.study.ledger import LedgerError
from ppdm.study.worlds import Reading

ENTRY = {
    "id": "ZM-1", "paper": "zhan-matwin", "where": "Section 4", "claim": "Loses at most 5 points.",
    "rule": {"name": "bound", "below": 0.05}, "expect": "reproduced", "unit": "points",
}  # fmt: skip


def book(tmp_path, **changes):
    path = tmp_path / "01_toy.yml"
    path.write_text(yaml.safe_dump([ENTRY | changes]), encoding="utf-8")
    return ledger.Ledger(ledger.read(path), changes.pop("quick", ""))


def test_a_verdict_says_where_it_holds(tmp_path):
    claims = book(tmp_path)
    d = claims.decide(
        "ZM-1",
        [0.02, 0.03],
        0.001,
        ["Adult, q = .5", "Voting, q = .5"],
        worlds={"middle of the range": {"value": 0.08}, "ties even": {"value": 0.03}},
        draws={f"split {i}": {"value": 0.03 + 0.015 * (i == 2)} for i in (1, 2, 3)},
    )
    row = d.row()
    assert (row["worlds"], row["holds"], row["fails_in"]) == (6, 5, "middle of the range")
    assert row["worst"] == "Voting, q = .5"
    assert row["firm"] == "no"
    html = cards.card(d)
    assert "Depends on the interpretation: another verdict with “middle of the range”." in html
    assert "Same verdict in 4 of 5 variations; another with “middle of the range”." in html
    assert not re.search(r"\b(holds|fails|met)\b", html, re.IGNORECASE)
    assert "3 (2.8 to 3.2) points" in html
    assert "Voting, q = .5" in html
    assert html.index("turned") < html.index("Loses at most")
    assert html.count('class="other"') == 1
    assert html.count('class="same"') == 4
    values = {r["world"]: (r["value"], r["met"]) for r in d.world_rows()}
    assert values["ours"] == ("0.03", "yes")
    assert values["middle of the range"] == ("0.08", "no")


def test_a_verdict_that_many_draws_turn_is_not_firm(tmp_path):
    def firm(bad):
        draws = {f"split {i}": {"value": 0.09 if i <= bad else 0.01} for i in range(1, 13)}
        return book(tmp_path).decide("ZM-1", 0.03, draws=draws).firm

    assert firm(0)
    assert firm(1)
    assert not firm(2)


def test_a_plant_must_be_refused(tmp_path):
    named = {"refuses": ["no undoing"], "accepts": ["no noise"]}
    good = {"no undoing": {"value": 0.2}, "no noise": {"value": 0.0}}
    claims = book(tmp_path, **named)
    d = claims.decide("ZM-1", 0.03, plants=good)
    assert claims.problems == []
    assert d.row()["refuses"] == "no undoing"
    assert d.row()["worlds"] == 1  # a plant is no world in which a verdict could hold
    claims = book(tmp_path, **named)
    d = claims.decide(
        "ZM-1", 0.03, plants={n: {"value": 0.2 - e["value"]} for n, e in good.items()}
    )
    assert claims.problems == [
        "the rule of ZM-1 accepts the plant 'no undoing', which it must refuse",
        "the rule of ZM-1 refuses 'no noise', where the claim is true",
    ]
    assert d.row()["refuses"] == ""
    with pytest.raises(ledger.LedgerError, match="plant 'no noise', which was not handed in"):
        book(tmp_path, **named).decide("ZM-1", 0.03, plants={"no undoing": {"value": 1}})


def test_an_accepted_plant_fails_the_merge(tmp_path):
    (tmp_path / "claims").mkdir()
    claims = book(tmp_path / "claims", refuses=["no undoing"])
    claims.decide("ZM-1", 0.03, plants={"no undoing": {"value": 0.01}})
    claims.write(tmp_path / "results" / "01_toy" / "claims.csv")
    found = ledger.merge(tmp_path / "results", tmp_path / "claims")
    assert found.problems == ["01_toy: the rule of ZM-1 accepts the plant no undoing"]
    with open(tmp_path / "results" / "worlds.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [list(r.values()) for r in rows] == [
        ["ZM-1", "ours", "0.03", "", "", "yes"],
        ["ZM-1", "plant: no undoing", "0.01", "", "", "yes"],
    ]


def test_true_by_construction_is_a_label_and_excludes_plants(tmp_path):
    d = book(tmp_path, by_construction="It is a definition.").decide("ZM-1", 0.0)
    assert "true by construction" in cards.card(d)
    with pytest.raises(ledger.LedgerError, match="is true by construction: it has no plant"):
        book(tmp_path, by_construction="It is.", refuses=["no undoing"])


def test_a_failing_card_shows_the_reading_it_is_decided_on(tmp_path):
    claims = book(tmp_path, condition="training rows count")
    d = claims.decide("ZM-1", plain={"value": 0.3}, under={"value": 0.06})
    assert d.finding.ours == 0.06
    assert d.verdict == "not reproduced"
    assert "Not even under the condition that training rows count. Without it, ours is 30" in d.note
    claims = book(tmp_path, condition="training rows count")
    d = claims.decide("ZM-1", plain={"value": 0.02}, under={"value": 0.06})
    assert (d.verdict, d.finding.ours) == ("reproduced", 0.02)
    assert "Not under the condition that training rows count: ours is 6" in d.note


def test_worlds_of_a_quick_run_decide_nothing(tmp_path):
    (tmp_path / "01_toy.yml").write_text(yaml.safe_dump([ENTRY | {"refuses": ["p"]}]))
    claims = ledger.Ledger(ledger.read(tmp_path / "01_toy.yml"), "reps 2 of 9")
    d = claims.decide(
        "ZM-1", 0.03, np.nan, worlds={"a": {"value": np.nan}}, plants={"p": {"value": 0}}
    )
    assert claims.problems == []
    assert (d.row()["worlds"], d.row()["firm"]) == (0, "")


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
    at = [{"dataset": d, "split": s} for d in "ab" for s in range(splits)]
    return study.run(
        study.under(noisy, readings), study.points(at, readings), reps=20, seed=3, cache=False
    )


def mean(rows):
    by = rows.groupby("dataset")["value"].mean()
    return {"value": by.to_numpy(), "names": list(by.index)}


def test_cases_go_through_every_world():
    frame = of_noisy(READINGS)
    found = study.cases(mean, frame)
    plain = frame[frame["world"] == "ours"].groupby("dataset")["value"].mean()
    assert found["value"] == pytest.approx(plain.to_numpy())
    assert len(found["draws"]) == 12
    assert list(found["worlds"]) == ["double", "shift", "nothing"]
    rows = frame[
        frame["dataset"] == "b"
    ]  # "double" is about the other data set: no world of this one
    assert list(study.cases(mean, rows)["worlds"]) == ["shift", "nothing"]
    # a reading about one data set leaves the other as it is in ours
    assert found["worlds"]["double"]["value"][1] == pytest.approx(found["value"][1])
    assert study.moved(found, found["worlds"], by=2.0) == ["shift"]
    assert list(study.cases(mean, frame, touches=["shift"])["worlds"]) == ["shift"]


def test_errors_count_the_spread_between_splits():
    """Standard error of the mean of 12 effects of size 1: near .29, not the .006 of 240 draws."""
    frame = of_noisy([])
    naive = study.summarise(frame.drop(columns="split"))["se"]
    assert (naive < 0.08).all()
    assert (study.summarise(frame, cluster="split")["se"] > 0.15).all()
    assert (study.cases(mean, frame)["se"] > 0.15).all()


def test_clustered_errors_cover():
    """A rule at level .05 that takes clustered errors as normal says yes to a bound that is just
    wrong in about 5 % of 4,000 runs with eight clusters (bounds 5 standard errors away)."""
    rng = np.random.default_rng(5)
    z, yes = 1.959964, 0
    for values in rng.normal(0, 1, (4000, 8)):
        found = study.clustered({f"split {i}": {"value": v} for i, v in enumerate(values)})
        yes += abs(found["value"]) <= z * found["se"]
    assert abs(yes / 4000 - 0.95) < 5 * np.sqrt(0.05 * 0.95 / 4000)


def test_pairs_are_asked_where_each_alone_moves_a_value():
    both = study.pairs(READINGS, ["double", "shift", "nothing"])
    assert [b.name for b in both] == ["double + shift", "double + nothing", "shift + nothing"]
    assert both[0].datasets == ("a",)
    found = study.cases(mean, of_noisy([*READINGS, *both]))
    movers = study.moved(found, {n: e for n, e in found["worlds"].items() if " + " not in n})
    asked = [n for n in found["worlds"] if " + " in n]
    assert asked == [b.name for b in both if set(b.name.split(" + ")) <= set(movers)]
    assert "nothing" not in movers


def test_worlds_are_the_same_for_any_number_of_workers():
    at = study.points([{"dataset": "a", "split": s} for s in range(3)], READINGS)
    frames = [
        study.run(study.under(noisy, READINGS), at, reps=5, seed=1, workers=w, cache=False)
        for w in (1, 2)
    ]
    pd.testing.assert_frame_equal(*frames)
    assert frames[0].to_csv() == frames[1].to_csv()


def test_a_strip_shows_threshold_interval_and_worlds(tmp_path):
    d = book(tmp_path, expect="not reproduced").decide(
        "ZM-1",
        0.08,
        0.004,
        worlds={"a": {"value": 0.08}, "far": {"value": -9.0}, "b": {"value": 0.05, "se": 0.1}},
    )
    at = cards.strip(d)
    assert [kind for _, kind, _ in at.worlds] == ["same", "other", "unsure"]
    drawn = cards._forms().strip(at)
    assert ">5<" in drawn
    assert "Ours 8 (7.22 to 8.78); threshold 5; 3 variations" in drawn
    assert drawn.count("<circle") == 4


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
    assert worlds.read(path)["l"] == (
        Reading("a", "Which", "", touches=("ZM-1",)),
        Reading("b", "Which", ""),
    )


def test_every_claim_that_a_reading_touches_is_in_the_book():
    known = history.entries(places.find_root() / "book" / "claims")
    files = sorted((places.PACKAGE / "papers").glob("*/readings.yml"))
    touched = {
        id for f in files for part in worlds.read(f).values() for r in part for id in r.touches
    }
    assert len(files) >= 4 and len(touched) > 40
    assert touched <= set(known)


def test_a_claim_takes_the_evidence_that_its_entry_names(tmp_path):
    """In all worlds of the frame that the chapter hands over; more may be added to them by hand."""
    rows = [
        {"dataset": "a", "q": q, "split": s, "world": w, "metric": m, "rep": r,
         "value": (q - 1) * (10 if m == "other" else 0.01 * s + (w == "far"))}
        for q in (0.5, 1) for s in range(12) for w in ("ours", "far", "same") for m in ("m", "other")
        for r in range(2)
    ]  # fmt: skip
    frame = study.summarise(pd.DataFrame(rows))
    evidence = {
        "rows": "runs",
        "where": "metric == 'm'",
        "from": "loss at",
        "x": "q",
        "at": 0.5,
        "of": 1,
    }
    claims = book(tmp_path, evidence=evidence, accepts=["made up"])
    readings = [Reading(name, "", "", touches=("ZM-1",)) for name in ("far", "same")]
    with pytest.raises(
        LedgerError, match="ZM-1 takes its evidence from 'runs'; the chapter has nothing"
    ):
        claims.decide("ZM-1", plants={"made up": {"value": 0.0}})
    wrong = frame[frame["world"] == "ours"].assign(world="wrong")
    claims.rows["runs"] = ledger.Rows(frame, wrong, "split", tuple(readings))
    assert claims.movers("ZM-1") == ["far"]
    d = claims.decide("ZM-1", plants={"made up": {"value": 0.0}})
    assert d.finding.ours == pytest.approx(-0.5 * 0.01 * 5.5)
    assert [w.name for w in d.worlds] == ["far"] and len(d.draws) == 12  # "same" changes nothing
    assert [p.name for p in d.plants] == ["wrong", "made up"]
    other = book(tmp_path, evidence=evidence | {"where": "metric == 'other'"})
    other.rows["runs"] = ledger.Rows(frame, None, "split", ())
    assert (
        other.decide("ZM-1", draws={}).finding.ours == pytest.approx(-5)
        and not other.decided["ZM-1"].draws
    )


def test_evidence_that_the_rows_do_not_have_is_said_in_a_sentence(tmp_path):
    part = {"rows": "runs", "from": "along", "x": "q"}
    frame = pd.DataFrame({"q": [0, 1, 2], "mean": 0.1, "se": 0.1, "split": 0})
    for wrong in ({"where": "metrc == 'm'"}, {"where": "q ="}, {"x": "theta"}):
        claims = book(tmp_path, evidence=part | wrong)
        claims.rows["runs"] = ledger.Rows(frame, None, "split", ())
        with pytest.raises(
            LedgerError, match="ZM-1: its evidence cannot be taken from 'runs', which has q, mean"
        ):
            claims.decide("ZM-1")
    with pytest.raises(
        LedgerError, match=r"gives its evidence \['axis'\]; 'along' takes x, of, by"
    ):
        book(tmp_path, evidence=part | {"axis": 1})


@pytest.mark.parametrize("evidence", ["along q", {"from": "along"}, {"rows": "runs"}])
def test_evidence_that_names_no_extractor_is_refused(tmp_path, evidence):
    with pytest.raises(
        LedgerError, match="ZM-1 has evidence .*; it needs `rows` .* and `from`, one of along"
    ):
        book(tmp_path, evidence=evidence)


def test_four_claims_in_five_name_a_plant_and_no_plant_is_empty():
    """What makes a rule a test: a wrong world that it must refuse, in at least four of five claims."""
    claims = [
        claim
        for path in history.chapters(places.find_root() / "book" / "claims")
        for claim in ledger.read(path).values()
    ]
    named = [claim for claim in claims if claim.refuses]
    assert len(claims) > 90
    assert len(named) >= 0.8 * len(claims)
    assert all(name.strip() for claim in claims for name in (*claim.refuses, *claim.accepts))


def test_a_verdict_from_few_draws_is_named_unless_its_entry_says_why(tmp_path):
    def problems(draws, **changes):
        path = tmp_path / "claims" / "01_toy.yml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump([ENTRY | changes]), encoding="utf-8")
        claims = ledger.Ledger(ledger.read(path))
        claims.decide(
            "ZM-1",
            0.03,
            worlds={"alpha 0": {"value": 0.03}},
            draws={f"split {i}": {"value": 0.03} for i in range(draws)},
        )
        claims.write(tmp_path / "results" / "01_toy" / "claims.csv")
        return ledger.merge(tmp_path / "results", path.parent).changed

    assert problems(10) == []
    [few] = problems(9)
    assert few.startswith("01_toy: claim ZM-1 was asked in 9 draws of chance; 10 are wanted")
    assert problems(0, one_world="an identity") == []


# When a rule was written ----------------------------------------------------------------------------


def folder_of(tmp_path, entry, changes=""):
    (tmp_path / "01_toy.yml").write_text(yaml.safe_dump([entry]), encoding="utf-8")
    (tmp_path / "seen_and_left.yml").write_text("- id: not-a-claim\n", encoding="utf-8")
    if changes or not (tmp_path / history.FILE).is_file():
        (tmp_path / history.FILE).write_text(changes or "claims:\nchanges: []\n", encoding="utf-8")
    return tmp_path


def test_a_changed_rule_must_be_entered(tmp_path):
    folder = folder_of(tmp_path, ENTRY)
    assert history.problems(folder) == ["ZM-1 is not in changes.yml"]
    assert history.enter(folder) == ["ZM-1"]
    assert history.problems(folder) == []
    folder_of(tmp_path, ENTRY | {"claim": "It loses at most five points."})
    assert history.problems(folder) == []  # words may change
    folder_of(tmp_path, ENTRY | {"rule": {"name": "bound", "below": 0.06}})
    assert history.problems(folder) == [
        "the rule of ZM-1 is not the one of changes.yml: enter the change"
    ]
    with pytest.raises(ValueError, match="the rule of ZM-1 has changed: tell it"):
        history.enter(folder)
    path = folder / history.FILE
    told = "changes:\n- {claims: [ZM-1], what: threshold, old: .05, new: .06, reason: It was a slip.}\n"
    path.write_text(path.read_text().replace("changes: []\n", told), encoding="utf-8")
    assert history.enter(folder) == ["ZM-1"]
    assert history.problems(folder) == []
    assert ledger.read(folder / "01_toy.yml")["ZM-1"].history == "after"
    d = ledger.Ledger(ledger.read(folder / "01_toy.yml")).decide("ZM-1", 0.01)
    assert "settled after the first result" in cards.card(d)
    folder_of(tmp_path, ENTRY | {"rule": {"name": "bound", "below": 0.07}})
    with pytest.raises(ValueError, match="tell it"):  # the entry of the last change is not enough
        history.enter(folder)


def test_the_books_rules_are_those_that_were_entered(tmp_path):
    """Fails when a rule of the book has changed without an entry in changes.yml; no git is needed."""
    here = places.find_root() / "book" / "claims"
    assert history.problems(here) == []
    # ... and a planted change, of a threshold or of a margin, in a copy of the files, is found:
    for file, old, new in (
        ("01_electronic_surveys", "within: 0.01}", "within: 0.02}"),
        ("margins", "margin: 0.01\n", "margin: 0.02\n"),
    ):
        shutil.copytree(here, tmp_path / file)
        path = tmp_path / file / f"{file}.yml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        changed = "the rule of ZM-11 is not the one of changes.yml: enter the change"
        assert changed in history.problems(tmp_path / file)


def test_a_sentence_or_an_expected_verdict_settles_no_rule():
    def status(what):
        known = {"ZM-1": {"rule": "x", "status": "together"}}
        return history.Rulebook(known, [{"claims": ["ZM-1"], "what": what}]).status("ZM-1")

    assert (status("sentence"), status("expect")) == ("together", "together")
    assert (status("threshold and condition"), status("evidence")) == ("after", "after")


def test_draws_that_name_their_values_in_different_orders_are_refused():
    frame = pd.DataFrame(
        {"split": [0, 0, 1, 1], "dataset": ["a", "b", "b", "a"], "value": [1.0, 10, 10.2, 1.1]}
    )

    def means(rows, sort):
        return rows.groupby("dataset", sort=sort)["value"].mean()

    def named(rows, sort=False):
        return {"value": means(rows, sort).to_numpy(), "names": list(means(rows, sort).index)}

    for evidence in (named, lambda rows: {"value": means(rows, sort=False)}):
        with pytest.raises(LedgerError, match="in another order"):
            study.cases(evidence, frame)
    assert study.cases(partial(named, sort=True), frame)["value"] == pytest.approx([1.05, 10.1])
    assert study.cases(lambda rows: {"value": rows["value"]}, frame)["value"] == pytest.approx(
        [5.6, 5.55]
    )
