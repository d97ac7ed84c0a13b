"""What the papers' schemes cost beside the best: against closed forms, and within its certificate."""

from __future__ import annotations

import math

import pytest

from ppdm.papers.which import design
from ppdm.study import rules
from ppdm.survey.plan import standard_error


@pytest.fixture(scope="module")
def frame():
    return design.costs(priors=["even"])


def test_every_cost_is_certified(frame):
    assert len(frame) == 3 * (7 * 2 + 4)  # four of the seven schemes have an ε
    assert frame["gap"].between(-1e-12, 2e-5).all()
    assert (frame["times"] >= 1 / (1 + frame["gap"]) - 1e-9).all()


def test_three_groups_by_the_formula_of_a_coin_for_each_answer(frame):
    """`survey.plan` has the noise of a combination of fair answers in closed form; 8 and 2 x 4 of them."""
    epsilon = math.log(7 / 3)
    row = frame[frame["scheme"] == "three groups"]
    by = row.drop_duplicates("workload").set_index("workload")["noise"]
    assert by["cells"] == pytest.approx(8 * standard_error(epsilon, 3, 1) ** 2)
    assert by["pairs"] == pytest.approx(8 * standard_error(epsilon, 2, 1) ** 2)
    assert row[row["ruler"] == "ε"]["level"].to_numpy() == pytest.approx(3 * epsilon)


def test_groups_of_several_answers_have_no_epsilon(frame):
    assert set(frame[frame["ruler"] == "ε"]["scheme"]) == {
        "three groups",
        "unrelated question",
        "Warner",
        "UP",
    }


@pytest.mark.slow
def test_so_is_every_cost_for_uneven_answers():
    uneven = design.costs(priors=["Adult"])
    assert uneven["gap"].between(-1e-12, 2e-5).all()
    assert (uneven["times"] >= 1 / (1 + uneven["gap"]) - 1e-9).all()


@pytest.mark.slow
def test_the_claims_hold_and_refuse_their_plants():
    found = design.evidence()
    asked = {
        "WC-31": lambda value: rules.near(value, target=9, within=0.5),
        "WC-32": lambda value: rules.near(value, target=1, within=1e-6),
        "WC-33": lambda value: rules.bound(value, above=2),
    }
    for claim, rule in asked.items():
        assert rule(found[claim]["value"]).met, claim
        for name, plant in found[claim]["plants"].items():
            assert not rule(plant["value"]).met, (claim, name)


def test_refusals():
    with pytest.raises(ValueError, match="'even' or 'Adult'"):
        design.prior_of("odd")
    with pytest.raises(ValueError, match="one of one group"):
        design.matrix_of("four groups", 0.7, design.prior_of("even"))
