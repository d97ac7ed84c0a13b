"""How often a rule errs: what it says in worlds where the truth is known, at the level of its evidence.

In a world that is *just true* every comparison that the rule makes is at the claim's boundary; in a *false* one
exactly one is beyond it by the margin and all others are well inside. Both are the least favourable of their kind.
Where the evidence is too rough for claims that are just true, the true worlds are those like ours: every level where
we saw it. What is refused has rates of its own: how often a claim that is just true is refused, and one that fails
as ours does is not.

The chance is the run's own: its draws, centred, are drawn again; where they are few, from a Student's t with their
spread. For a printed number, true is that the paper is another of our draws, rounded as printed; false, that it is one
of a neighbouring method's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ppdm.study.rules import ERROR, NOT, SO, Chance, agree, printed_number, quantile

WORLDS = 2000  # of each kind
FEW = 30  # so many draws and more are drawn from again; fewer say only how wide the spread is
LOOKS = (1, 4, 16)  # times as many draws, at most, alike for all claims of a grid
LEAST_TRUE, MOST_FALSE = 0.95, 0.05  # what a rule may not fall below, and may not exceed


JUST, OURS, AGAIN, PRINTED = "just true", "as true as ours", "as far off as ours", "printed"
_FAULTS = {
    JUST: "A claim that is just true would pass only {} in 100 times",
    OURS: "Another run of this size would say so only {} in 100 times",
    AGAIN: "Another run of this size would refuse it only {} in 100 times",
    PRINTED: "Another of our own draws would pass only {} in 100 times",
}  # fmt: skip


class Rates(NamedTuple):
    """The shares of true and of false worlds that a rule accepts; of a refusal, that it does not refuse."""

    accepts_true: float
    accepts_false: float
    of: str = JUST  # which worlds: JUST true, as true as OURS, as far off as ours (AGAIN); PRINTED

    @property
    def fault(self) -> str:
        """What is wrong with the rule on this evidence, in a sentence; empty if nothing is.

        >>> Rates(0.5, 0.02).fault
        'A claim that is just true would pass only 50 in 100 times; 95 are wanted.'
        """
        again = 1 - self.accepts_false if self.of == AGAIN else self.accepts_true
        if again < LEAST_TRUE:
            return (
                f"{_FAULTS[self.of].format(round(100 * again))}; {100 * LEAST_TRUE:.0f} are wanted."
            )
        if self.accepts_false > MOST_FALSE:
            false = round(100 * self.accepts_false)
            return f"What is false would pass {false} in 100 times; at most {100 * MOST_FALSE:.0f} may."
        return ""


def measured(outcome: str, chance: Chance, rng: np.random.Generator, worlds: int = WORLDS) -> Rates:
    """The rates of a rule that weighs chance and has come to an outcome, from what it compares.

    >>> chance = Chance(np.zeros(1), np.ones(1), np.ones((1, 1)), np.inf, margin=3.92)
    >>> rates = measured(SO, chance, np.random.default_rng(1))
    >>> abs(rates.accepts_true - 0.975) < 0.02, abs(rates.accepts_false - 0.025) < 0.02
    (True, True)
    """
    off, se = _imagined(chance, rng, worlds)
    if outcome == NOT:
        true, false = (1 - _said(off + room, se, chance)[1].mean() for room in (0.0, chance.room))
        return Rates(float(true), float(false), AGAIN)
    true, ours = (_said(off + room, se, chance)[0].mean() for room in (0.0, chance.room))
    false = (off > quantile(1 - ERROR, chance.df) * se).mean(axis=0).max()
    if true < LEAST_TRUE and outcome == SO:
        return Rates(float(ours), float(false), OURS)
    return Rates(float(true), float(false))


def told(chance: Chance, times: int, rng: np.random.Generator, worlds: int = WORLDS) -> float:
    """The share of worlds like ours in which so many times as many draws would say so, or not.

    The looks share the error.

    >>> rough = Chance(np.zeros(1), np.ones(1), np.ones((1, 1)), np.inf, margin=1.0)
    >>> [told(rough, times, np.random.default_rng(1)) > 0.5 for times in LOOKS]
    [False, False, True]
    """
    root, draws = np.sqrt(times), (chance.df + 1) * times
    finer = chance._replace(se=chance.se / root, parts=chance.parts / root)
    off, se = _imagined(finer, rng, worlds)
    so, refused = _said(off + chance.room, se, finer._replace(df=draws - 1), ERROR / len(LOOKS))
    return float((so | refused).mean())


def _said(
    room: np.ndarray, se: np.ndarray, chance: Chance, error: float = ERROR
) -> tuple[np.ndarray, np.ndarray]:
    """In which imagined worlds it is surely so, and in which surely not: `rules.outcome`, many times over."""
    inside = room + chance.margin
    so = np.all(inside > quantile(1 - error, chance.df) * se, axis=1)
    surely = quantile(1 - error / chance.room.size, chance.df) * se
    return so, ~so & np.any(inside <= -surely, axis=1)


def _imagined(
    chance: Chance, rng: np.random.Generator, worlds: int
) -> tuple[np.ndarray, np.ndarray]:
    """By how much each comparison is off in each imagined world, and the error that is known there."""
    parts, number = chance.parts, len(chance.parts)
    if np.isinf(chance.df):
        off = rng.normal(size=(worlds, number)) @ parts
        return off, np.broadcast_to(chance.se, off.shape)
    if number < FEW:
        mixed = rng.normal(size=(worlds, number, number)) / np.sqrt(number - 1)
        drawn = np.tensordot(mixed, parts, 1)
        return drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / np.sqrt(number)
    times = rng.multinomial(number, np.full(number, 1 / number), size=worlds) / number
    wider = number / (number - 1)
    off, square = times @ parts, times @ parts**2
    spread = np.sqrt(np.maximum(square - off**2, 0) * wider * wider / number)
    return off * np.sqrt(wider), spread


def printed(
    ours: dict,
    given: dict,
    neighbours: Iterable[dict],
    rng: np.random.Generator,
    worlds: int = WORLDS,
) -> Rates:
    """The rates of `agree`: how often the paper is accepted if it is another of our draws, and if it is one of
    the neighbour's that is hardest to tell apart.

    >>> ours, given = {"mean": 0.4, "sd": 0.1, "reps": 50}, {"printed": "0.41", "paper_reps": 50}
    >>> printed(ours, given, [{"mean": 0.6, "sd": 0.1, "reps": 50}], np.random.default_rng(1)).fault
    ''
    """
    unit = 2 * printed_number(given["printed"])[1]

    def accepted(theirs: dict) -> float:
        paper = rng.normal(
            theirs["mean"], theirs["sd"] / np.sqrt(given.get("paper_reps") or np.inf), worlds
        )
        mine = rng.normal(ours["mean"], ours["sd"] / np.sqrt(ours["reps"]), worlds)
        low, high = agree(**ours, **given).limits
        allowed = (high - low) / 2
        return float((np.abs(np.round(paper / unit) * unit - mine) <= allowed + 1e-9 * unit).mean())

    return Rates(accepted(ours), max(map(accepted, neighbours), default=1.0), PRINTED)
