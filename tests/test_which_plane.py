"""The plane of chapter 5: its quick ways against the ladder and against all reports gone through."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ppdm.disguise.today import OneSampled
from ppdm.domain import Domain
from ppdm.papers import which
from ppdm.papers.common import respondents
from ppdm.papers.which import experiment, groups, pictures, rows
from ppdm.privacy import ladder
from ppdm.privacy.channel import posterior
from ppdm.study import rules
from ppdm.table import Table

SCHEMES = [("unrelated question", 0.3), ("one group", 0.7), ("two groups", 0.7), ("each answer alone", 0.7),
           ("certified matrices", 0.3), ("one question by lot", 2.0)]  # fmt: skip


@pytest.fixture(scope="module")
def people():
    return respondents("pima")


@pytest.mark.parametrize(("scheme", "parameter"), SCHEMES)
def test_all_answers_at_once_are_the_ladders(people, scheme, parameter):
    train, test = people.fixed
    mechanism = experiment.mechanism_of(scheme, parameter, people.everyone)
    believed, true = ladder.belief("others", train), test.proportions().densified()
    chances, blind = experiment.answers_guessed(mechanism, believed, true, np.random.default_rng(1))
    for answer, chance, unseen in zip(true.names, chances, blind, strict=True):
        assert chance == pytest.approx(
            ladder.vulnerability(mechanism, answer, believed, true), abs=1e-12
        )
        assert unseen == pytest.approx(ladder.blind(mechanism, answer, believed, true), abs=1e-12)


def _written_out(scheme: OneSampled, domain: Domain) -> np.ndarray:
    """Every report of every lot with its chances, by drawing nothing: k-RR from its definition."""
    records = np.array(list(np.ndindex(*domain.shape)))
    rows, grown = [], np.exp(scheme.rate)
    for block in scheme.blocks:
        axes = [domain.axis(name) for name in block]
        for said in np.ndindex(*[domain.shape[axis] for axis in axes]):
            same = (records[:, axes] == said).all(axis=1)
            size = np.prod([domain.shape[axis] for axis in axes])
            rows.append(np.where(same, grown, 1.0) / (grown + size - 1) / len(scheme.blocks))
    return np.array(rows)


def test_one_question_by_lot_against_all_reports():
    domain = Domain(("A", "B", "C"), ((0, 1), (0, 1, 2), (0, 1)))
    rng = np.random.default_rng(4)
    thought, true = (Table(domain, rng.dirichlet(np.ones(domain.size))) for _ in range(2))
    digits = np.array(list(np.ndindex(*domain.shape)))
    for blocks in (None, [["A", "C"], ["B", "C"]]):
        scheme = OneSampled(domain, 1.5, blocks)
        M = _written_out(scheme, domain)
        assert M.sum(axis=0) == pytest.approx(1)
        for goal, secret in {
            "A": digits[:, 0],
            "B": digits[:, 1],
            ladder.RECORD: np.arange(domain.size),
            ladder.Agree("A", "C"): digits[:, 0] == digits[:, 2],
        }.items():
            gain = (np.unique(secret)[:, None] == secret).astype(float)
            assert ladder.vulnerability(scheme, goal, true) == pytest.approx(
                posterior(M, true.values, gain)
            )
            says = ((M * thought.values) @ gain.T).argmax(axis=1)
            wrong_belief = ((M * true.values) @ gain.T)[np.arange(len(M)), says].sum()
            assert ladder.vulnerability(scheme, goal, thought, true) == pytest.approx(wrong_belief)


def test_who_stands_on_the_list_when_one_question_is_told():
    domain = Domain(("A", "B"), ((0, 1),) * 2)
    listed = Table(domain, [2, 1, 0, 3])
    M = _written_out(OneSampled(domain, 1.0), domain)
    found = ladder.guess(OneSampled(domain, 1.0), ladder.LINK, "own list", listed, listed)
    assert found.chance == pytest.approx(M[:, [0, 1, 3]].max(axis=1).sum() / 6)
    with pytest.raises(ValueError, match="one block is no record"):
        ladder.vulnerability(OneSampled(domain, 1.0), ladder.TRUTH, listed)


def test_numbers_are_cut_where_the_answers_were():
    for dataset in experiment.SETS:
        numbers, bits = experiment.numbers_of(dataset), experiment.binary_frame(dataset).to_numpy()
        both = np.column_stack([numbers.answers(numbers.X), numbers.y])
        np.testing.assert_array_equal(both, bits, err_msg=dataset)


def test_two_intervals_of_yes_and_no_tell_everything():
    rows = experiment.point(np.random.default_rng(1), "congressional-voting", "AIBR", 2, 0)
    at = rows.set_index(["knowledge", "goal"])["guess"]
    assert at["scheme", experiment.ONE] == 1


# Identities and groups ----------------------------------------------------------------------------


def test_one_scheme_under_six_names_and_another_under_two():
    ours, plants, *_ = rows.identities()
    assert ours["names"].nunique() == 7 and plants["world"].nunique() == 3
    for _, part in [("ours", ours), *plants.groupby("world")]:
        met = rules.identity(part["ours"], part["theirs"], tolerance=1e-12).met
        assert met == ("world" not in part), part


def test_groupings_are_channels_of_the_package():
    from ppdm import MultiGroup

    domain = Domain(tuple("ABC"), ((0, 1),) * 3)
    for name, parts in groups.GROUPINGS.items():
        scheme = MultiGroup(0.7, [["ABC"[i] for i in part] for part in parts])
        assert groups.channel_of(name, 0.7) == pytest.approx(scheme.matrix(domain)), name


def test_no_grouping_is_made_of_another_and_the_margin_is_an_attackers():
    frame = groups.table([0.6, 0.8])
    assert not frame["refines"].any()
    # right in all answers but one: theta for one group (its two records differ in three), more for three
    closest = groups.preferred(0.7).set_index("goal").loc["the whole record, but for one answer"]
    assert closest["one group"] == pytest.approx(0.7)
    assert closest["three groups"] == pytest.approx(0.7**3 + 3 * 0.7**2 * 0.3)
    margin = frame.set_index(["theta", "first", "second"]).loc[
        (0.6, "one group", "three groups"), "margin"
    ]
    assert margin >= 0.6**3 + 3 * 0.6**2 * 0.4 - 0.6 - 1e-9
    assert groups.table([0.5])["refines"].any()


# The plane ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def points():
    cells = experiment.grid(quick=True, splits=2, datasets=("pima",))
    return pd.concat(
        [
            experiment.point(np.random.default_rng([1, i]), **cell, times=1).assign(**cell)
            for i, cell in enumerate(cells)
        ]
    )


@pytest.fixture
def chapter(points, tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path / "results"))
    ch = which.chapter(seed=1, reps=2, data_source="stored")
    ch.computed |= {rows.points: points, rows.sets: ("pima",)}
    return ch


def test_the_plane_has_what_was_promised(chapter):
    frame = chapter.get(rows.plane)
    assert list(frame) == rows.SHOWN
    assert frame["guess"].between(0, 1 + 1e-9).all()
    assert not frame.duplicated(rows.COORDINATES).any()
    exact = frame[~frame["bound"]]
    knows = exact.pivot_table(
        index=["scheme", "parameter"], columns="knowledge", values="guess", aggfunc="first"
    )
    assert {"scheme", "shares", "others", "two answers", "own list"} <= set(knows)


def test_figures_of_the_plane_are_drawn(chapter):
    for figure in (
        pictures.everything(chapter),
        pictures.plane(chapter),
        pictures.groupings(chapter),
    ):
        assert figure.alt and figure.caption and figure.narrow is not None and len(figure.data)


def test_claims_on_the_plane_are_decided_by_their_entries(chapter):
    """Two divisions of one data set: the rules wait, but all evidence and all wrong worlds are there."""
    for id in ("WC-1", "WC-2", "WC-3", "WC-7", "WC-10", "WC-11"):
        decision = chapter.decide(id).decision
        assert decision.finding.note and len(decision.draws) == 2, id
        assert {plant.name for plant in decision.plants} >= set(decision.claim.refuses), id


def test_refusals():
    with pytest.raises(ValueError, match="the scheme is one of unrelated question"):
        experiment.mechanism_of("eleven groups", 0.7, respondents("pima").everyone)
