"""What the papers' schemes cost beside the best: against closed forms, and within its certificate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles import variance_subset, variance_unary

from ppdm.channel import matrix_epsilon
from ppdm.optimise import noise
from ppdm.papers.which import design, rows
from ppdm.study import rules
from ppdm.survey.plan import standard_error

FEW = [name for name in design.SCHEMES if name not in ("optimised unary", "RAPPOR's coins")]


@pytest.fixture(scope="module")
def frame():
    return design.costs(FEW, ["even"])


def test_every_cost_is_certified(frame):
    assert len(frame) == 3 * (8 * 2 + 5)  # five of these eight schemes have an ε
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


def test_todays_schemes_by_the_literatures_closed_forms(frame):
    """[Ye & Barg 2018; Wang et al. 2017; Erlingsson et al. 2014] Eight answers, as common as each other."""
    even, matrix_of = np.full(8, 1 / 8), design.matrix_of
    sets = frame[(frame["scheme"] == "subset selection") & (frame["workload"] == "cells")]
    sets = sets.set_index("ruler").loc["ε"]
    assert sets["noise"] == pytest.approx(8 * variance_subset(8, 1.0, 1 / 8))
    assert sets["times"] == pytest.approx(1, abs=1e-4)  # none is better, as Ye and Barg prove
    bits = matrix_of("optimised unary", 1.0, tuple(even))
    assert matrix_epsilon(bits) == pytest.approx(1)
    # weighted least squares knows that the shares sum to one: it is no worse than their estimate
    assert 0.8 < noise(bits, even) / (8 * variance_unary(1.0, share=1 / 8)) <= 1
    own, other = (
        0.75 * f + 0.5 * (1 - f) for f in (0.875, 0.125)
    )  # the chances of a bit that is 1
    told = math.log(own * (1 - other) / (other * (1 - own)))
    coins = matrix_of("RAPPOR's coins", 0.25, tuple(even))
    assert matrix_epsilon(coins) == pytest.approx(told)


@pytest.mark.slow
def test_the_claim_holds_and_refuses_its_plant():
    ours, plants, *_ = rows.every_grouping(None)
    assert rules.bound(ours["times"], above=2).met and not rules.bound(plants["times"], above=2).met


def test_refusals():
    with pytest.raises(ValueError, match="'even' or 'Adult'"):
        design.prior_of("odd")
    with pytest.raises(ValueError, match="one of one group"):
        design.matrix_of("four groups", 0.7, design.prior_of("even"))
