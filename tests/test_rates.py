"""Three outcomes, and rules whose two error rates are measured: a weak one and an unmeetable one are found.

Rates are of 2,000 worlds (or 600, where said); a bound that is five standard errors away is missed by chance in
fewer than one of a million runs.
"""

from dataclasses import replace

import numpy as np
import pytest

from ppdm.study import rates, rules, tidy
from ppdm.study.claims import Claim

MARGIN = 0.02


def drawn(levels, spread, number=20, seed=1):
    """The evidence of some draws of chance at so many levels, independent normals."""
    noise = np.random.default_rng(seed).normal(0, spread, (number, *np.atleast_1d(levels)))
    noise = (noise - noise.mean(axis=0)) / noise.std(axis=0, ddof=1) * spread
    return [{"value": 0.3 + row} for row in noise]


def rates_of(accepts, draws, worlds=2000, beyond=MARGIN, at=0.5, seed=7):
    shape = np.shape(draws[0]["value"])
    rng = np.random.default_rng(seed)
    return rates.measured(accepts, draws, tidy.level(shape, at), beyond, rng, worlds)


def test_a_claim_that_misses_within_the_margin_holds_and_one_beyond_it_does_not():
    room = np.full(140, 0.03)
    room[:2] = -0.008
    assert rules.outcome(room, 0.001, margin=MARGIN) == rules.SO
    room[0] = -0.025
    assert rules.outcome(room, 0.001, margin=MARGIN) == rules.NOT
    assert rules.outcome(room, 0.02, margin=MARGIN) == rules.OPEN
    assert rules.outcome([0.1, 0.1], 0.0, margin=0.0) == rules.SO
    with pytest.raises(ValueError, match="margin is -1; it must be 0 or more"):
        rules.outcome(0.1, margin=-1)


def test_room_is_what_each_level_step_and_sign_has():
    def room(rule, given, **evidence):
        return rules.room_of(rule, evidence, given)[0].round(9).tolist()

    assert room("bound", {"above": 0.5}, value=[0.6, 0.4]) == [0.1, -0.1]
    assert room("near", {"target": 0.5, "within": 0.1}, value=0.55) == [0.05]
    assert room("trend", {"direction": "falling"}, values=[3, 2, 2.5]) == [1, 0.5, -0.5]
    assert room("ordering", {"demand": "each"}, differences=[0.2, -0.1]) == [0.2, -0.1]
    assert room("ordering", {}, differences=[0.2, -0.1]) == [0.05]
    with pytest.raises(ValueError, match="the rule exact weighs no chance by room"):
        room("exact", {}, value=1)


def test_not_needs_the_opposite_to_be_sure():
    """In worlds at the boundary *surely not* is said in 2.5 % at most, over all of ten levels."""
    rng = np.random.default_rng(3)
    said = [rules.outcome(rng.normal(0, 0.01, 10), 0.01, margin=0.0) for _ in range(2000)]
    assert said.count(rules.NOT) / 2000 < 0.025 + 5 * np.sqrt(0.025 / 2000)
    assert said.count(rules.OPEN) > 1800


def test_the_design_of_one_comparison_keeps_its_two_rates():
    """With a standard error of margin / 3.92: 97.5 % and 2.5 %, as 20 draws know their spread (bounds
    five standard errors away, and two points for the few draws)."""
    draws = drawn((), MARGIN / 3.92 * np.sqrt(20))
    found = rates_of(rates.surely("bound", {"below": 0.5}, MARGIN), draws)
    assert abs(found.accepts_true - 0.975) < 0.02 + 5 * np.sqrt(0.975 * 0.025 / 2000)
    assert found.accepts_false < 0.025 + 5 * np.sqrt(0.025 / 2000)
    assert found.fault == ""


@pytest.mark.parametrize("number", [5, 20])  # from Student's t, and from the draws themselves
def test_the_least_favourable_level_decides(number):
    draws = drawn(6, 0.01, number)
    for draw in draws:
        draw["value"][3] = 0.3 + 0.1 * (draw["value"][3] - 0.3)
    found = rates_of(rates.surely("bound", {"below": 0.5}, MARGIN), draws, worlds=600)
    assert found.accepts_false < 0.05 and found.level != 3


def test_a_weak_rule_and_an_unmeetable_one_are_found():
    draws = drawn(4, 0.004)
    weak = rates_of(rates.met("bound", {"below": 0.6}), draws, worlds=600)
    assert weak.accepts_false > 0.99
    assert weak.fault == "accepts 100.0% of its false worlds, more than 5%"
    never = rates_of(rates.surely("bound", {"below": 0.5}, 0.0), draws, worlds=600)
    assert never.accepts_true < 0.01
    assert "of its true worlds, fewer than 95%" in never.fault
    rough = rates_of(rates.surely("bound", {"below": 0.5}, MARGIN), drawn(4, 0.1), worlds=600)
    assert "true worlds" in rough.fault  # too few draws for the margin: power must be bought
    fine = rates_of(rates.surely("bound", {"below": 0.5}, MARGIN), draws, worlds=600)
    assert fine.fault == ""


def test_todays_rule_at_its_own_threshold_is_unmeetable():
    """A bound without a margin accepts a claim that is just true in 5 % of worlds, not in 95 %."""
    found = rates_of(rates.met("bound", {"below": 0.5, "error": 0.05}), drawn((), 0.004))
    assert found.accepts_true < 0.10 and found.fault


def test_a_trend_is_measured_on_a_line():
    """Values that rise evenly by more than their noise pass; with one level a margin low they do not."""
    rng = np.random.default_rng(2)
    draws = [{"values": rng.normal(0, 0.003, 5)} for _ in range(20)]
    accepts = rates.surely("trend", {"direction": "rising"}, MARGIN)
    found = rates.measured(accepts, draws, tidy.line((5,)), -MARGIN, rng, 600)
    assert found.fault == "" and found.level != 0


def test_rates_are_the_same_for_the_same_seed():
    draws = drawn(3, 0.01)
    accepts = rates.surely("bound", {"below": 0.5}, MARGIN)
    assert rates_of(accepts, draws, 100) == rates_of(accepts, draws, 100)


@pytest.mark.parametrize(
    ("rule", "given", "name", "boundary"),
    [
        ("bound", {"below": 0.5}, "value", {"curve": "level", "at": 0.5}),
        ("bound", {"above": 0.5}, "value", {"curve": "level", "at": 0.5}),
        ("near", {"target": 0.1, "within": 0.2}, "value", {"curve": "level", "at": 0.3}),
        ("trend", {"direction": "falling"}, "values", {"curve": "line"}),
        ("ordering", {"demand": "each"}, "differences", {"curve": "level", "at": 0}),
    ],
)
def test_an_entry_names_the_boundary_and_the_margin(rule, given, name, boundary):
    """Each kind of rule accepts its true worlds and refuses those that are a margin beyond, on its own side."""
    claim = Claim(
        "ZM-1", "zhan-matwin", "", "", rule, "reproduced", given, margin=MARGIN, boundary=boundary
    )
    draws = [{name: each["value"]} for each in drawn(3, 0.008)]
    assert rates.of(claim, draws, np.random.default_rng(4), 400).fault == ""
    with pytest.raises(ValueError, match="ZM-1 has no margin and boundary"):
        rates.of(replace(claim, boundary={}), draws, np.random.default_rng(4))
