"""The rules that decide claims (bound, near, trend, ordering; agree; exact, identity, shown; untestable): small
functions from evidence to a finding.

Arguments before the `*` are evidence and come from a chapter's run; those after it are fixed in the claim's entry.
There are three outcomes. A rule that weighs chance asks how much *room* each level, step or sign leaves to what is
claimed of it (below 0: it fails), and `outcome` says whether all have room, some surely has none, or neither can be
told. Its `margin` is how much of a miss would not matter, by the unit (see `book/claims/margins.yml`). Where a rule
looks at several values, `names` says what each of them is, and the finding names the one that decides.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm.scientific import ndtri, stdtrit

#: What evidence says of a claim: *not* needs the opposite to be sure, so there is a third.
SO, NOT, OPEN = "surely so", "surely not", "cannot be told"
ERROR = 0.025  # of saying *so*, or *not*, where it is otherwise
ROUNDING = 1e-12  # of the largest number that is compared


class Chance(NamedTuple):
    """What a rule that weighs chance compares: what measuring its error rates needs."""

    room: np.ndarray  # of each comparison
    se: np.ndarray
    parts: (
        np.ndarray
    )  # that the chance is the sum of: a row a draw of chance, or a value with an error of its own
    df: float  # draws less one; infinite where the errors are known
    margin: float


class Finding(NamedTuple):
    """What a rule found: its outcome, our number with its 95 % interval, and a sentence.

    `worst` names the value that decides; `limits` are the thresholds that our number is held against.
    """

    outcome: str
    ours: float | None
    low: float | None
    high: float | None
    note: str
    worst: str = ""
    limits: tuple[float, ...] = ()
    chance: Chance | None = None

    @property
    def met(self) -> bool:
        """Whether the claim is surely so."""
        return self.outcome == SO


class NotFinite(ValueError):
    """Evidence with a NaN or an infinity (a standard error from one repetition, say)."""


# Chance -------------------------------------------------------------------------------------------


def outcome(
    room: ArrayLike,
    se: ArrayLike = 0.0,
    *,
    margin: float,
    df: float = np.inf,
    error: float = ERROR,
    rounding: float = 0.0,
) -> str:
    """One of three outcomes, from the room that each comparison leaves (below 0: it fails).

    Surely so: no comparison fails by `margin` or more; each is tested at level `error`, and all must pass, so
    if exactly one fails by the margin this is said in at most `error` of worlds. Surely not: some comparison
    fails by more than the margin (at level `error` over all of them): if none does, this is said in at most
    `error` of worlds. So a miss that would not matter never refutes, and more draws never turn *not* into *so*.

    A single comparison at its boundary is found to be so in 1 - `error` of worlds if its standard error is
    at most margin / 3.92 (with `error` 2.5 %). Errors from the spread of draws know `df`, one less than the draws.

    >>> [outcome(room, 0.01, margin=0.02) for room in (0.01, -0.005, [0.3, -0.05])]
    ['surely so', 'cannot be told', 'surely not']
    """
    room, se = np.atleast_1d(_finite("room", room)), _finite("se", se)
    if margin < 0:
        raise ValueError(f"margin is {margin}; it must be 0 or more")
    room, edge = room + margin, rounding if margin else -rounding
    if (room - quantile(1 - error, df) * se > edge).all():
        return SO
    return NOT if (room + quantile(1 - error / room.size, df) * se <= edge).any() else OPEN


def quantile(chance: float, df: float) -> float:
    """Of the normal distribution, or of Student's t where errors come from few draws.

    >>> round(quantile(0.975, np.inf), 2), round(quantile(0.975, 9), 2)
    (1.96, 2.26)
    """
    return float(ndtri(chance) if np.isinf(df) else stdtrit(df, chance))


def _weighed(
    compare: Callable, about: np.ndarray, limits: Callable, values: ArrayLike, se: ArrayLike,
    names: ArrayLike | None, drawn: ArrayLike | None, margin: float,
) -> Finding:  # fmt: skip
    """A finding from linear comparisons: ``compare(values)`` gives their room, and behind it the numbers to show.

    `about` says which number each comparison is about. `drawn` are the values of each draw of chance, of which
    `values` are the mean: errors come from the spread of what is compared, so draws may share whatever they like.
    """
    values = np.atleast_1d(_finite("values", values))
    apart = np.broadcast_to(_finite("se", se), values.shape).ravel()
    count, both = len(about), compare(values)
    if drawn is None:  # each value with its own error
        each = np.diag(apart).reshape(-1, *values.shape)
        parts, df = compare(each) - compare(np.zeros_like(values)), np.inf
        se = np.sqrt((parts**2).sum(axis=0))
    else:
        parts = compare(_finite("drawn", drawn).reshape(-1, *values.shape)) - both
        df = len(parts) - 1
        se = np.sqrt((parts**2).sum(axis=0) / df / len(parts))
    rounding = ROUNDING * max(np.abs(values).max(), np.abs(both).max(), ROUNDING)
    se = np.where(se < rounding, 0.0, se)
    room, spread = both[:count], se[:count]
    inside = room - quantile(1 - ERROR, df) * spread
    worst = about[int(np.argmin(inside))]
    says = outcome(room, spread, margin=margin, df=df, rounding=rounding)
    failing = int((inside + margin < -rounding).sum())
    give = f", give or take the margin of {margin:g}" if margin else ""
    note = f"Surely inside{give}: {count - failing} of {count} comparison{'s' * (count > 1)}."
    ours, half = both[count + worst], quantile(1 - ERROR, df) * se[count + worst]
    named = _name(names, worst, len(both) - count)
    low, high = (float(ours - half), float(ours + half)) if half else (None, None)
    chance = Chance(room, spread, parts[:, :count], df, margin) if spread.any() else None
    return Finding(
        says, float(ours), low, high, note, named, tuple(map(float, limits(worst))), chance
    )


def bound(
    value: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
    *,
    below: float | None = None,
    above: float | None = None,
    margin: float = 0.0,
) -> Finding:
    """Every value is on one side of a threshold (at most `below`, at least `above`).

    >>> [bound(x, 0.01, below=0.5, margin=0.03).outcome for x in ([0.3, 0.45], 0.52, 0.57)]
    ['surely so', 'cannot be told', 'surely not']
    """
    if (below is None) == (above is None):
        raise ValueError("a bound is either `below` or `above`")
    low, high = -np.inf if above is None else above, np.inf if below is None else below
    return _inside(value, se, names, drawn, low, high, margin)


def near(
    value: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
    *,
    target: ArrayLike,
    within: float,
    margin: float = 0.0,
) -> Finding:
    """Every value is within a distance of its target.

    >>> near([0.61, 0.49], 0.01, target=[0.6, 0.5], within=0.03).met, near(0.65, target=0.6, within=0.03).met
    (True, False)
    """
    target = _finite("target", target).ravel()
    return _inside(value, se, names, drawn, target - within, target + within, margin)


def _inside(
    value: ArrayLike, se: ArrayLike, names: ArrayLike | None, drawn: ArrayLike | None,
    low: ArrayLike, high: ArrayLike, margin: float,
) -> Finding:  # fmt: skip
    """Every value is inside its limits; one of them may be infinite."""
    values = np.ravel(value)
    ends = np.broadcast_to(np.stack([high, low]).reshape(2, -1), (2, values.size))
    sides = np.isfinite(ends).ravel()

    def compare(x: np.ndarray) -> np.ndarray:
        room = np.concatenate([ends[0] - x, x - ends[1]], axis=-1)[..., sides]
        return np.concatenate([room, x], axis=-1)

    about = np.tile(np.arange(values.size), 2)[sides]
    return _weighed(compare, about, lambda i: sorted(ends[np.isfinite(ends[:, i]), i]),
                    values, np.ravel(se), names, drawn, margin)  # fmt: skip


def trend(
    values: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
    *,
    direction: str,
    margin: float = 0.0,
) -> Finding:
    """Values rise (or fall) along a line of points: as a whole, and with no step back.

    Compared are the steps between all pairs of points, and the rise of the straight line through them, which must
    be more than nothing: its room is what it has beyond the margin. Rows of a two-dimensional `values` are
    separate series; each must rise. Our number is the change from the first point to the last, in the series where
    it is weakest.

    >>> [trend(x, 0.1, direction="rising", margin=0.5).outcome for x in ([1, 2, 2.1, 4], [1, 3, 1.1, 4], [1, 1, 1, 1])]
    ['surely so', 'surely not', 'cannot be told']
    """
    signs = {"rising": 1, "falling": -1}
    if direction not in signs:
        raise ValueError(f"direction is {direction!r}; allowed are rising and falling")
    values = np.atleast_2d(_finite("values", values))
    points = values.shape[-1]
    if points < 3:
        raise ValueError(f"a trend needs three points or more; there are {points}")
    early, late = np.triu_indices(points, 1)
    line = np.linspace(-1, 1, points)
    least = max(margin, 1e3 * ROUNDING * np.abs(values).max())  # a flat line does not rise

    def compare(x: np.ndarray) -> np.ndarray:
        up = signs[direction] * x
        steps = (up[..., late] - up[..., early]).reshape(*up.shape[:-2], -1)
        rise = 2 * (up @ line) / (line @ line)
        return np.concatenate([steps, rise - least, x[..., -1] - x[..., 0]], axis=-1)

    weakest = np.argmin(signs[direction] * (values[:, -1] - values[:, 0]))
    about = np.full(len(values) * (len(early) + 1), weakest)
    return _weighed(compare, about, lambda i: (0.0,), values, se, names, drawn, margin)


def ordering(
    differences: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
    *,
    by: float = 0.0,
    show: str = "least",
    margin: float = 0.0,
) -> Finding:
    """What is claimed to be larger is larger: on the whole, and nowhere smaller.

    Compared are the differences (larger - smaller), each at least `by`, and their mean, which must be more than
    that: its room is what it has beyond the margin. Our number is the least certain difference, or their mean
    (`show: mean`).

    >>> ordering([0.2, 0.1, -0.01], 0.01, margin=0.05).met, ordering([0.2, 0.1, -0.1], 0.01, margin=0.05).met
    (True, False)
    """
    values = np.ravel(differences)
    least = max(margin, 1e3 * ROUNDING * np.abs(values).max(initial=0.0))  # equal is not larger
    if show not in ("least", "mean"):
        raise ValueError(f"show is {show!r}; allowed are least and mean")

    def compare(x: np.ndarray) -> np.ndarray:
        every = np.concatenate([x, x.mean(axis=-1, keepdims=True)], axis=-1)
        return np.concatenate([every - by - np.append(0 * values, least), every], axis=-1)

    about = np.arange(values.size + 1) if show == "least" else np.full(values.size + 1, values.size)
    if names is not None:
        names = [*np.ravel(np.asarray(names, dtype=object)), "" if show == "mean" else "the mean"]
    return _weighed(compare, about, lambda i: (by,), values, np.ravel(se), names, drawn, margin)


# Printed numbers ----------------------------------------------------------------------------------


def sample(values: ArrayLike) -> dict:
    """The evidence of `agree` from the values of our repetitions.

    >>> sample([1.0, 2.0, 3.0])
    {'mean': 2.0, 'sd': 1.0, 'reps': 3}
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"a sample is one list of values; this one has shape {values.shape}")
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return {"mean": float(values.mean()), "sd": sd, "reps": len(values)}


def agree(
    mean: float,
    sd: float,
    reps: int,
    *,
    printed: str,
    paper_reps: int | None = None,
    family: int = 1,
) -> Finding:
    """A printed mean of `paper_reps` repetitions agrees with ours of `reps`.

    It does if ::

        |ours - printed| <= half a unit of the last printed digit + z sqrt(sd²/reps + sd²/paper_reps)

    with z by Bonferroni over the `family` of numbers printed together: if all are right, the chance
    that any of them is refused is at most 5 %. `paper_reps` is None for a number that is
    not a mean over random repetitions.

    >>> agree(0.3712, sd=0.05, reps=1000, printed="0.38", paper_reps=50).met
    True
    >>> agree(0.3712, sd=0.05, reps=1000, printed="0.43", paper_reps=50).met
    False
    """
    mean, sd = _finite("mean", mean).item(), _finite("sd", sd).item()
    number, half_unit = printed_number(printed)
    z = float(ndtri(1 - 0.05 / (2 * family)))
    allowed = half_unit + z * sd * np.sqrt(1 / reps + (1 / paper_reps if paper_reps else 0))
    away, slack = abs(mean - number), 1e-9 * half_unit
    digits = "the same digits" if away <= half_unit + slack else "other digits"
    numbers = f" for {family} numbers" if family > 1 else ""
    note = f"Off by {away:.3g}, {allowed:.3g} allowed (z = {z:.2f}{numbers}); {digits}."
    half = 1.96 * sd / np.sqrt(reps)
    low, high = (mean - half, mean + half) if half else (None, None)
    says = SO if away <= allowed + slack else NOT
    return Finding(says, mean, low, high, note, limits=(number - allowed, number + allowed))


# Without chance -----------------------------------------------------------------------------------


def exact(value: float, *, printed: str) -> Finding:
    """A number equals the printed one when rounded to the printed digits.

    >>> exact(0.1249, printed="0.12").met, exact(0.1251, printed="0.12").met
    (True, False)
    >>> exact(198 * 10**124 + 5, printed="1.98e126").met
    True
    """
    if not isinstance(value, int):
        value = _finite("value", value).item()
    number, half_unit = printed_number(printed)
    away = abs(float(Decimal(value) - Decimal(number)))
    met = away <= half_unit * (1 + 1e-9)
    note = f"{'Equal' if met else 'Not equal'} to the printed digits."
    return Finding(SO if met else NOT, float(value), None, None, note, limits=(number,))


def identity(
    ours: ArrayLike, theirs: ArrayLike, names: ArrayLike | None = None, *, tolerance: float = 0.0
) -> Finding:
    """Two things computed in different ways are equal, entry by entry, up to `tolerance`.

    Numbers are compared by their largest difference; anything else (labels, trees as text) by the
    number of entries that differ.

    >>> identity([0.1, 0.2], [0.1, 0.2 + 1e-13], tolerance=1e-12).met, identity("a b", "a c").met
    (True, False)
    """
    if ours is theirs:
        raise ValueError(
            "both sides of an identity are the same object: it would hold by construction"
        )
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape or ours.size == 0:
        raise ValueError(f"an identity compares equal shapes, not {ours.shape} with {theirs.shape}")
    same = ours == theirs
    if not {ours.dtype.kind, theirs.dtype.kind} <= set("biufc"):
        differ = int((~same).sum())
        note = f"{differ} of {ours.size} entries differ."
        return Finding(NOT if differ else SO, differ, None, None, note)
    if np.isnan(ours).any() or np.isnan(theirs).any():
        raise NotFinite("an identity cannot be decided with NaN on a side")
    # as Python's own numbers: two large ones, or unsigned ones, differ by what they differ
    apart = np.where(same, 0.0, np.abs(ours.astype(object) - theirs.astype(object))).astype(float)
    largest = float(apart.max())
    what = f"Largest difference of {ours.size} entries" if ours.size > 1 else "The difference"
    note = f"{what}; {tolerance:g} allowed."
    name = _name(names, int(apart.argmax()), apart.size) if largest > tolerance else ""
    says = SO if largest <= tolerance else NOT
    return Finding(says, largest, None, None, note, name, (tolerance,))


def shown(size: float, *, beyond: float) -> Finding:
    """One counterexample (or witness) is there: its size exceeds what may be rounding, or a trifle.

    >>> shown(0.3, beyond=1e-9).met, shown(0.0, beyond=0.01).met
    (True, False)
    """
    size = _finite("size", size).item()
    met = abs(size) > beyond
    note = f"{'Beyond' if met else 'Not beyond'} {beyond:g}."
    return Finding(SO if met else NOT, size, None, None, note, limits=(beyond,))


def untestable() -> Finding:
    """Nothing at hand can decide the claim; its entry says why."""
    return Finding(OPEN, None, None, None, "")


RULES = {
    f.__name__: f for f in (agree, exact, near, bound, trend, ordering, identity, shown, untestable)
}


def _parameters(rule: Callable, fixed: bool) -> dict[str, bool]:
    signature = inspect.signature(rule).parameters.values()
    return {p.name: p.default is p.empty for p in signature if (p.kind is p.KEYWORD_ONLY) == fixed}


#: What each rule takes as evidence, and what a claim's entry fixes for it; whether it must be there.
TAKES, FIXED = (
    {name: _parameters(rule, fixed) for name, rule in RULES.items()} for fixed in (False, True)
)

# Rules that weigh chance wait for the full number of repetitions, unless the entry says otherwise.
WEIGH_CHANCE = {name for name in RULES if "margin" in FIXED[name]}
WAIT_FOR_FULL_SIZE = {"agree", *WEIGH_CHANCE}


def printed_number(text: str) -> tuple[float, float]:
    """A printed number and half a unit of its last digit.

    >>> printed_number("0.90"), printed_number("12 %"), printed_number("1.98e126")[1]
    ((0.9, 0.005), (0.12, 0.005), 5e+123)
    """
    if not isinstance(text, str):
        raise ValueError(
            f"printed is {text!r}; write it in quotes, so that its digits can be counted"
        )
    percent = text.strip().endswith("%")
    try:
        number = Decimal(text.strip().rstrip("%").strip().replace("−", "-").replace(",", ""))
    except InvalidOperation:
        raise ValueError(f"printed is {text!r}; the rule needs a number such as '0.90'") from None
    scale = Decimal("0.01") if percent else Decimal(1)
    return float(number * scale), float(
        Decimal(5).scaleb(int(number.as_tuple().exponent) - 1) * scale
    )


def _finite(name: str, value: ArrayLike) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    if array.size == 0:
        raise ValueError(f"{name} is empty")
    if not np.isfinite(array).all():
        raise NotFinite(f"{name} holds a value that is not finite: {array.ravel().tolist()[:10]}")
    if name == "se" and (array < 0).any():
        raise ValueError(f"a standard error is negative: {array.min()}")
    return array


def _name(names: ArrayLike | None, which: int, count: int) -> str:
    """What the deciding value is, from its name (a list of names, one a value)."""
    if names is None:
        return ""
    names = np.ravel(np.asarray(names, dtype=object))
    if len(names) != count:
        raise ValueError(f"names has {len(names)} entries for {count} values")
    return str(names[which])


# How often a rule errs ------------------------------------------------------------------------------
#
# What it says in worlds where the truth is known, at the level of its evidence. In a world that is *just true* every
# comparison that the rule makes is at the claim's boundary; in a *false* one exactly one is beyond it by the margin
# and all others are well inside. Both are the least favourable of their kind. Where the evidence is too rough for
# claims that are just true, the true worlds are those like ours: every level where we saw it. What is refused has
# rates of its own: how often a claim that is just true is refused, and one that fails as ours does is not.
#
# The chance is the run's own: its draws, centred, are drawn again; where they are few, from a Student's t with their
# spread. For a printed number, true is that the paper is another of our draws, rounded as printed; false, that it is
# one of a neighbouring method's.

WORLDS = 2000  # of each kind
FEW = 30  # so many draws and more are drawn from again; fewer say only how wide the spread is
LOOKS = (1, 4, 16)  # times as many draws, at most, alike for all claims of a grid
LEAST_TRUE, MOST_FALSE = 0.95, 0.05  # what a rule may not fall below, and may not exceed


JUST, OURS, AGAIN, PRINTED = "just true", "as true as ours", "as far off as ours", "printed"
_FAULTS = {
    JUST: "A claim that is just true would pass only {:.0f} in 100 times",
    OURS: "Another run of this size would say so only {:.0f} in 100 times",
    AGAIN: "Another run of this size would refuse it only {:.0f} in 100 times",
    PRINTED: "Another of our own draws would pass only {:.0f} in 100 times",
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
            return f"{_FAULTS[self.of].format(100 * again)}; {100 * LEAST_TRUE:.0f} are wanted."
        false = f"What is false would pass {100 * self.accepts_false:.0f} in 100 times; "
        return (
            f"{false}at most {100 * MOST_FALSE:.0f} may." if self.accepts_false > MOST_FALSE else ""
        )


def measured(outcome: str, chance: Chance, rng: np.random.Generator, worlds: int = WORLDS) -> Rates:
    """The rates of a rule that weighs chance and has come to an outcome, from what it compares.

    >>> chance = Chance(np.zeros(1), np.ones(1), np.ones((1, 1)), np.inf, margin=3.92)
    >>> rates = measured(SO, chance, np.random.default_rng(1))
    >>> abs(rates.accepts_true - 0.975) < 0.02, abs(rates.accepts_false - 0.025) < 0.02
    (True, True)
    """
    off, se = _imagined(chance, rng, worlds)
    rooms, which = (0.0, chance.room), int(outcome == NOT)
    true, ours = (float(_says(off + room, se, chance)[which].mean()) for room in rooms)
    if outcome == NOT:
        return Rates(1 - true, 1 - ours, AGAIN)
    false = float((off > quantile(1 - ERROR, chance.df) * se).mean(axis=0).max())
    if true < LEAST_TRUE and outcome == SO:
        return Rates(ours, false, OURS)
    return Rates(true, false)


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
    so, refused = _says(off + chance.room, se, finer._replace(df=draws - 1), ERROR / len(LOOKS))
    return float((so | refused).mean())


def _says(
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


# Numbers for people -------------------------------------------------------------------------------


TRIFLE = 1e-9  # below this a number is one of rounding
PERCENT = ("points", "point", "%")  # units in which a share is shown a hundredfold


def interval(finding: Finding, unit: str = "") -> str:
    """Our number with its interval, for people, in the claim's unit.

    >>> finding = Finding(SO, 0.0823, 0.0751, 0.0884, "")
    >>> interval(finding), interval(finding, "points")
    ('0.0823 (0.0751 to 0.0884)', '8.23 (7.51 to 8.84) points')
    """
    ours, *ends = [said(x, unit) for x in finding[1:4] if x is not None] or [""]
    return f"{ours}{' ({} to {})'.format(*ends) if ends else ''} {unit if ours else ''}".rstrip()


def said(number: float, unit: str = "") -> str:
    """A measured number for people: four digits, shares a hundredfold where the unit asks for it.

    >>> said(-0.4978621957), said(8.7e-19), said(0.0823, "points")
    ('-0.4979', '0 up to rounding', '8.23')
    """
    if 0 < abs(number) < TRIFLE:
        return "0 up to rounding"
    return short(100 * number, 3) if unit in PERCENT else short(number)


def short(number: float, digits: int = 4) -> str:
    """Four digits of a measured number, and a count in full.

    >>> short(-0.4978621957), short(48842), short(449), short(1e-9), short(1.984e126)
    ('-0.4979', '48,842', '449', '1e-09', '1.984e+126')
    """
    if 1e3 <= abs(number) < 1e9 and float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"
