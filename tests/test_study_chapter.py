"""A small chapter from end to end, and what becomes of its verdicts when a mechanism is broken."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml

from ppdm import MultiGroup, count, data, places, plot, study
from ppdm.book import numbers
from ppdm.channel import Flip
from ppdm.study.ledger import LedgerError

CLAIMS = [
    {"id": id, "paper": "zhan-du", "where": "Section 4.2", "claim": claim, "rule": rule, "expect": "reproduced",
     "one_world": "a small example", **more}
    for id, claim, rule, more in (
        ("ZD-1", "Undone shares are unbiased.", {"name": "near", "target": 0.0, "within": 0.02}, {"margin": "share"}),
        ("ZD-2", "The error grows from θ = 1 towards 1/2.", {"name": "trend", "direction": "falling"}, {"margin": "share"}),
        ("ZD-3", "At θ = 1 the counts are the true ones.", {"name": "identity", "tolerance": 1e-12}, {}),
        ("ZD-4", "Single answers are reported as they are.", {"name": "shown", "beyond": 0.05},
         {"met": "wrong", "unmet": "reproduced", "expect": "wrong", "why": "They are reversed."}),
    )
]  # fmt: skip
PEOPLE = count(pd.DataFrame({"A": [1] * 700 + [0] * 300, "B": [1, 0] * 500}))
TRUE = PEOPLE.dense / 1000


def point(rng, reps, theta):
    scheme = MultiGroup(theta, [["A"], ["B"]])
    shares = np.array(
        [scheme.undo(scheme.disguise_table(PEOPLE, rng)).dense.ravel() / 1000 for _ in range(reps)]
    )
    error = shares - TRUE.ravel()
    return {"bias": error[:, -1], "error": (error**2).sum(axis=1)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("PPDM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "margins.yml").write_text("share: {margin: 0.005}", encoding="utf-8")
    (tmp_path / "claims" / "99_small.yml").write_text(yaml.safe_dump(CLAIMS), encoding="utf-8")
    return tmp_path


def small_chapter(folder, decide=("ZD-1", "ZD-2", "ZD-3", "ZD-4"), **parameters):
    """What a notebook does, cell by cell."""
    ch = study.Chapter(
        "99_small",
        seed=5,
        sizes={"reps": (400, 5)},
        split="median",
        claims=folder / "claims" / "99_small.yml",
        **parameters,
    )
    frame = ch.run(point, {"theta": [0.7, 0.8, 0.9, 1.0]}, cache=False)
    summary = study.summarise(frame)
    ch.save("shares", summary)
    bias = summary[summary.metric == "bias"]
    error = summary[summary.metric == "error"]
    reported, whole = MultiGroup(0.7).apply(PEOPLE).dense / 1000, MultiGroup(1.0)
    evidence = {
        "ZD-1": {"value": bias["mean"], "se": bias["se"]},
        "ZD-2": {"values": error["mean"], "se": error["se"]},
        "ZD-3": {"ours": whole.undo(PEOPLE.reported_by(whole)).dense, "theirs": TRUE * 1000},
        "ZD-4": {"size": reported[-1, -1] - TRUE[-1, -1]},
    }
    for id in decide:
        ch.ledger.decide(id, **evidence[id])
    ch.finish()
    return {id: d.verdict for id, d in ch.ledger.decided.items()}


def test_the_small_chapter_comes_out_as_expected(folder, capsys):
    verdicts = small_chapter(folder)
    assert verdicts == {claim["id"]: claim["expect"] for claim in CLAIMS}
    assert study.ledger.merge(folder / "results", folder / "claims") == ([], [], [])
    assert "not the expected" not in capsys.readouterr().out


def swapped(monkeypatch):
    """θ and 1 - θ swapped when undoing."""
    right = Flip._back.fget
    monkeypatch.setattr(Flip, "_back", property(lambda self: right(self)[::-1]))


def forgotten(monkeypatch):
    """The counts are used as they were reported."""
    monkeypatch.setattr(MultiGroup, "undo", lambda self, table: table)


def one_coin(monkeypatch):
    """Respondents are told another θ than the collector undoes."""
    right = MultiGroup.disguise_table
    monkeypatch.setattr(
        MultiGroup,
        "disguise_table",
        lambda self, table, rng: right(
            MultiGroup(1 - self.theta, self.groups), table, rng
        ).taken_as(self),
    )


@pytest.mark.parametrize("damage", [swapped, forgotten, one_coin])
def test_a_broken_mechanism_changes_verdicts(folder, monkeypatch, capsys, damage):
    damage(monkeypatch)
    verdicts = small_chapter(folder)
    changed = {id for id, verdict in verdicts.items() if verdict == "not reproduced"}
    assert "ZD-1" in changed
    assert "not the expected" in capsys.readouterr().out
    found = study.ledger.merge(folder / "results", folder / "claims")
    assert "99_small: claim ZD-1 is not reproduced, expected reproduced" in found.changed


def test_a_quick_run_says_so_everywhere(folder, capsys):
    verdicts = small_chapter(folder, profile="quick")
    assert verdicts["ZD-1"] == "not decided in a quick run"
    assert verdicts["ZD-3"] == "reproduced"
    assert "Quick run: reps 5 of 400" in capsys.readouterr().out
    assert "not decided in a quick run" in (folder / "results/99_small/claims.csv").read_text()
    text = (folder / "provenance" / "99_small.json").read_text()
    facts = json.loads(text)
    assert facts["quick"] is True and "reps 5 of 400" in facts["size"]
    assert (
        str(folder) not in text and "/" not in facts["machine"]["system"]
    )  # no path of this machine


def test_a_claim_without_a_verdict_fails_the_chapter(folder):
    with pytest.raises(LedgerError, match="no verdict on ZD-4"):
        small_chapter(folder, decide=("ZD-1", "ZD-2", "ZD-3"))


def test_quick_is_below_the_papers_size_and_nothing_else(folder):
    def chapter(**parameters):
        return study.Chapter(
            "98_none", seed=1, sizes={"reps": (50, 5), "theta": ([0, 0.5, 1], [0, 1])}, **parameters
        )

    assert not chapter().quick
    assert chapter(profile="quick").sizes == {"reps": 5, "theta": [0, 1]}
    assert not chapter(profile="quick", reps=50, theta=[0, 0.5, 1]).quick
    assert not chapter(reps=60, theta=[0, 0.25, 0.5, 1]).quick
    assert chapter(reps=49).below == "reps 49 of 50"
    assert chapter(theta=[0, 0.25, 1]).quick
    assert chapter(reps=None).sizes["reps"] == 50
    with pytest.raises(ValueError, match="profile is 'full'; allowed are paper and quick"):
        chapter(profile="full")


def test_a_page_without_claims_is_a_chapter_too(folder):
    ch = study.Chapter("97_data", seed=1, data_source="stored")
    pima = ch.use(data.load("pima"))
    assert pima.name == "pima"
    ch.finish()
    facts = json.loads((folder / "provenance" / "97_data.json").read_text())
    assert facts["data"]["pima"]["rows"] == 768 and facts["settings"] == {"data_source": "stored"}
    assert set(facts["versions"]) >= {"ppdm", "python", "numpy"}
    assert not (folder / "results" / "97_data" / "claims.csv").exists()


def test_claims_of_another_page_keep_their_old_anchors(folder):
    from ppdm.study import cards, ledger

    claims = ledger.read(folder / "claims" / "99_small.yml")
    html = cards.elsewhere(claims.values(), "99_beyond").html
    for id in claims:
        assert f'id="claim-{id}" data-moved="99_beyond.html#claim-{id}"' in html
        assert f'href="99_beyond.html#claim-{id}"' in html


def test_a_figure_is_kept_with_what_was_drawn_under_its_functions_name(folder):
    def what_it_costs(ch):
        return plot.privacy_curves(pd.DataFrame({"q": [0, 1], "pse": [1, 0]}), x="q", y="pse")

    study.Chapter("99_small", seed=5, claims=folder / "claims" / "99_small.yml").figure(
        what_it_costs
    )
    kept = folder / "figures" / "99_small"
    assert (kept / "what-it-costs.csv").read_text() == "q,pse\n0,1\n1,0\n"
    assert (kept / "what-it-costs.svg").is_file()


def test_a_figure_without_words_is_refused(folder):
    ch = study.Chapter("97_data", seed=1)
    with pytest.raises(ValueError, match="needs a caption and an alternative text"):
        ch.figure(SimpleNamespace())


ENTRY = {
    "id": "ZM-1", "paper": "zhan-matwin", "where": "Eq. 1", "claim": "It is 0.", "one_world": "a formula",
    "evidence": {"rows": "errors", "where": "part == 'a'", "from": "far out"},
    "rule": {"name": "identity", "tolerance": 1e-9}, "refuses": ["wrong"], "expect": "reproduced",
}  # fmt: skip


class TestRows:
    """A claim's entry names the function that computes its evidence, in the paper's own module."""

    def chapter(self, folder, rows, claims=None, **options):
        path = folder / "claims" / "98_rows.yml"
        path.write_text(yaml.safe_dump(claims or [ENTRY]), encoding="utf-8")
        return study.Chapter("98_rows", seed=1, claims=path, rows=rows, **options)

    def rows(self, asked):
        def errors(ch):
            asked.append(ch.stem)
            frame = pd.DataFrame({"part": ["a", "b"], "far": [0.0, 7.0]})
            return study.Rows(frame, frame.assign(far=0.5, world="wrong"))

        return SimpleNamespace(
            errors=errors, far_out=lambda rows: {"ours": rows["far"], "theirs": [0.0]}
        )

    def test_are_computed_once_for_figures_and_claims(self, folder):
        asked = []
        rows = self.rows(asked)
        again = ENTRY | {"id": "ZM-2", "was": ["ZM-7"]}
        ch = self.chapter(folder, rows, [ENTRY, again])
        assert ch.get(rows.errors).frame["far"].sum() == 7
        table = ch.decide("ZM-1", "ZM-2")
        assert "ZM-2" in repr(table)
        assert (
            '<span id="claim-ZM-7"></span>' in table.html
        )  # an old address leads to what it is now
        assert asked == ["98_rows"]
        assert [d.verdict for d in ch.ledger.in_order()] == ["reproduced"] * 2
        assert ch.ledger.decided["ZM-1"].refused == ["wrong"]

    @pytest.mark.parametrize(
        ("rows", "words"),
        [
            (SimpleNamespace(), "from 'errors'; the chapter has nothing"),
            (
                SimpleNamespace(errors=lambda ch: pd.DataFrame({"part": ["a"]})),
                "'far out'; there are along",
            ),
        ],
    )
    def test_that_are_lacking_are_named(self, folder, rows, words):
        with pytest.raises(LedgerError, match=f"claim ZM-1.*{words}"):
            self.chapter(folder, rows).decide("ZM-1")

    def test_numbers_are_written_for_the_sentences(self, folder):
        ch = self.chapter(folder, self.rows([]), numbers=lambda ch: {"share": np.float64(0.25)})
        ch.decide("ZM-1")
        ch.finish()
        written = numbers.read(folder / "results", "98_rows")
        assert written["share"] == 0.25 and written["summary"].startswith("1 claim: 1 reproduced")


class TestNumbersInSentences:
    TEXT = "Of 100, **some 81.3**<!--right:.1f--> % and 1,000<!--all:,--> (−0.5<!--low-->)."

    def test_a_run_puts_in_its_own_and_a_text_that_differs_is_named(self, tmp_path):
        now = {"right": 12.34, "all": 20, "low": "none"}
        assert numbers.replaced(self.TEXT, now) == "Of 100, **12.3** % and 20 (none)."
        path = tmp_path / "01.ipynb"
        cells = [
            {"cell_type": "markdown", "source": [self.TEXT]},
            {"cell_type": "code", "source": self.TEXT},
        ]
        path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        assert len(numbers.stale(path, now)) == 3
        notebook = numbers.put_in(json.loads(path.read_text(encoding="utf-8")), now, keep=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")
        assert numbers.stale(path, now) == []
        assert notebook["cells"][1]["source"] == self.TEXT

    def test_a_number_that_nothing_computes_is_refused(self):
        with pytest.raises(
            ValueError, match="number 'low' that its chapter does not compute; it computes right"
        ):
            numbers.replaced(self.TEXT, {"right": 1.0, "all": 2})

    def test_the_book_stores_what_it_computes(self):
        results = places.paper_layout().results
        for path in places.find_notebooks(places.find_root()):
            computed = numbers.read(results, path.stem)
            assert not computed or numbers.stale(path, computed) == []
