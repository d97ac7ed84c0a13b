"""How often a rule errs: its verdicts in worlds where the truth is known, at the level of its evidence.

A true world has every level of the evidence at the claim's boundary, a false one exactly one level beyond it
by the margin: the least favourable of each kind. The chance is the run's own: its draws, centred on a boundary
curve that the claim's entry names, are drawn anew; where they are few, from a Student's t with their spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ppdm.study import rules, tidy
from ppdm.study.claims import Claim
from ppdm.study.verdicts import MEASURED, clustered

WORLDS = 2000  # of each kind
FEW = 10  # so many draws and more are drawn from again; fewer say only how wide the spread is
LEAST_TRUE, MOST_FALSE = 0.95, 0.05  # what a rule may not fall below, and may not exceed
TRIED = 12  # levels that are moved beyond the boundary, those of the widest spread


class Rates(NamedTuple):
    """The shares of true and of false worlds that a rule accepts, and the level that is refused least."""

    accepts_true: float
    accepts_false: float
    level: int

    @property
    def fault(self) -> str:
        """What is wrong with the rule, in a sentence; empty if nothing is."""
        if self.accepts_true < LEAST_TRUE:
            return (
                f"accepts {self.accepts_true:.1%} of its true worlds, fewer than {LEAST_TRUE:.0%}"
            )
        if self.accepts_false > MOST_FALSE:
            return (
                f"accepts {self.accepts_false:.1%} of its false worlds, more than {MOST_FALSE:.0%}"
            )
        return ""


def of(
    claim: Claim, draws: Sequence[dict], rng: np.random.Generator, worlds: int = WORLDS
) -> Rates:
    """The rates of a claim's rule with three outcomes, at the margin and the boundary of its entry."""
    if not claim.margin or not claim.boundary:
        raise ValueError(
            f"claim {claim.id} has no margin and boundary: its rates cannot be measured"
        )
    arguments = dict(claim.boundary)
    curve = tidy.CURVES[arguments.pop("curve")](np.shape(_values(draws[0])), **arguments)
    upwards = (
        "below" in claim.given or claim.rule == "near" or claim.given.get("direction") == "falling"
    )
    accepts = surely(claim.rule, claim.given, claim.margin)
    return measured(accepts, draws, curve, claim.margin if upwards else -claim.margin, rng, worlds)


def _values(evidence: dict) -> np.ndarray:
    return np.asarray(next(evidence[name] for name in MEASURED if name in evidence), dtype=float)


def measured(
    accepts: Callable[[dict], bool],
    draws: Sequence[dict],
    curve: np.ndarray,
    beyond: float,
    rng: np.random.Generator,
    worlds: int = WORLDS,
) -> Rates:
    """The two rates of a rule: `accepts` says whether it is met by the evidence of a world.

    `draws` are the evidence of the run's own draws of chance, `curve` is the claim's boundary at each level,
    `beyond` the margin with the sign that leads out of the claim.

    >>> rng = np.random.default_rng(1)
    >>> draws = [{"value": rng.normal(0.4, 0.02)} for _ in range(12)]
    >>> rates = measured(surely("bound", {"below": 0.5}, 0.05), draws, np.array(0.5), 0.05, rng, 400)
    >>> rates.accepts_true > 0.95, rates.accepts_false < 0.05, rates.fault
    (True, True, '')
    """
    name = next(name for name in MEASURED if name in draws[0])
    values = np.array([_values(draw) for draw in draws])
    curve = np.broadcast_to(curve, values.shape[1:])
    noise = [_noise(values - values.mean(axis=0), rng) for _ in range(worlds)]

    def share(truth: np.ndarray) -> float:
        evidence = ({i: draws[0] | {name: truth + row} for i, row in enumerate(n)} for n in noise)
        return float(np.mean([accepts(clustered(each)) for each in evidence]))

    widest = np.argsort(-values.std(axis=0).ravel()).tolist()
    if name == "values":  # before the first level of a series there is no step
        widest = [i for i in widest if i % values.shape[-1]]
    false = {i: share(_moved(curve, i, beyond)) for i in widest[:TRIED]}
    worst = max(false, key=false.__getitem__)
    return Rates(share(curve), false[worst], worst)


def _moved(curve: np.ndarray, place: int, by: float) -> np.ndarray:
    """The curve with one of its levels elsewhere."""
    return curve + by * (np.arange(curve.size) == place).reshape(curve.shape)


def _noise(residuals: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many draws of chance as there were: some of them again, or as wide as they are."""
    number = len(residuals)
    if number >= FEW:
        return residuals[rng.integers(number, size=number)] * np.sqrt(number / (number - 1))
    mixed = np.tensordot(rng.normal(size=(number, number)), residuals, 1) / np.sqrt(number - 1)
    return mixed * np.sqrt((number - 1) / rng.chisquare(number - 1))


def surely(rule: str, given: dict[str, Any], margin: float, error: float = 0.025) -> Callable:
    """The rule of three outcomes, as what `measured` asks: is the claim surely so?"""
    return lambda evidence: (
        rules.outcome(*rules.room_of(rule, evidence, given), margin=margin, error=error) == rules.SO
    )


def met(rule: str, given: dict[str, Any]) -> Callable:
    """A rule of two outcomes, as what `measured` asks: is it met?"""
    return lambda evidence: rules.RULES[rule](**evidence, **given).met
