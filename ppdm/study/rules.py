"""The rules that decide claims (agree, exact, near, bound, trend, ordering, identity, shown): small
pure functions from evidence to a finding.

Arguments before the `*` are evidence and come from a chapter's run; those after it are fixed in the
claim's entry. Every rule can say no. `error` is the chance that a rule says what it should not; what
that means stands with each rule. Estimates are taken as normal around their standard errors, which
is what means over many repetitions are. Where a rule looks at several values, `names` says what each
of them is, and the finding names the one that decides.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm.scientific import ndtri


class Finding(NamedTuple):
    """What a rule found: whether it is met, our number with its 95 % interval, and a sentence.

    `worst` names the value that decides; `limits` are the thresholds that our number is held against.
    """

    met: bool
    ours: float | None
    low: float | None
    high: float | None
    note: str
    worst: str = ""
    limits: tuple[float, ...] = ()


class NotFinite(ValueError):
    """Evidence with a NaN or an infinity (a standard error from one repetition, say)."""


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
    error: float = 0.05,
) -> Finding:
    """A printed mean of `paper_reps` repetitions agrees with ours of `reps`.

    It does if ::

        |ours - printed| <= half a unit of the last printed digit + z sqrt(sd²/reps + sd²/paper_reps)

    with z by Bonferroni over the `family` of numbers printed together: if all are right, the chance
    that any of them is refused is at most `error`. `paper_reps` is None for a number that is
    not a mean over random repetitions.

    >>> agree(0.3712, sd=0.05, reps=1000, printed="0.38", paper_reps=50).met
    True
    >>> agree(0.3712, sd=0.05, reps=1000, printed="0.43", paper_reps=50).met
    False
    """
    mean, sd = _finite("mean", mean).item(), _finite("sd", sd).item()
    number, half_unit = printed_number(printed)
    se = sd / np.sqrt(reps)
    z = float(ndtri(1 - error / (2 * family)))
    allowed = half_unit + z * np.sqrt(se**2 + (sd**2 / paper_reps if paper_reps else 0))
    away = abs(mean - number)
    digits = "the same digits" if away <= half_unit * (1 + 1e-9) else "other digits"
    numbers = f" for {family} numbers" if family > 1 else ""
    note = f"Off by {_show(away)}, {_show(allowed)} allowed (z = {z:.2f}{numbers}); {digits}."
    return _finding(away <= allowed, mean, se, note, limits=(number - allowed, number + allowed))


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
    word = "Equal" if met else "Not equal"
    return Finding(
        met, float(value), None, None, f"{word} to the printed digits.", limits=(number,)
    )


def near(
    value: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    *,
    target: ArrayLike,
    within: float,
    error: float = 0.05,
) -> Finding:
    """Every value is surely within a distance of its target: ``|value - target| + z se <= within``.

    If a true value is further away, the chance of saying yes is at most `error` (an equivalence
    test). For several values the worst one is shown.

    >>> near([0.61, 0.49], 0.01, target=[0.6, 0.5], within=0.03).met, near(0.65, target=0.6, within=0.03).met
    (True, False)
    """
    value, se = _pair(value, se)
    target = np.broadcast_to(_finite("target", target).ravel(), value.shape)
    met, worst = _inside(within - np.abs(value - target), se, error, within)
    note = f"{_show(abs(value[worst] - target[worst]))} from {_show(target[worst])}, {within:g} allowed"
    note += f" (the worst of {len(value)})." if len(value) > 1 else "."
    limits = (target[worst] - within, target[worst] + within)
    return _finding(met, value[worst], se[worst], note, _name(names, worst, len(value)), limits)


def bound(
    value: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    *,
    below: float | None = None,
    above: float | None = None,
    error: float = 0.05,
) -> Finding:
    """Every value is surely on one side of a threshold (at most `below`, at least `above`).

    If a true value is on the other side, the chance of saying yes is at most `error`.

    >>> bound([0.3, 0.45], 0.01, below=0.5).met, bound(0.495, 0.01, below=0.5).met
    (True, False)
    """
    if (below is None) == (above is None):
        raise ValueError("a bound is either `below` or `above`")
    value, se = _pair(value, se)
    limit = float(above if below is None else below)  # type: ignore[arg-type] # one of them is there
    met, worst = _inside(value - limit if below is None else limit - value, se, error, limit)
    which, end = ("smallest", "least") if below is None else ("largest", "most")
    note = f"The {which} of {len(value)}" if len(value) > 1 else "It"
    note += f" is {'' if met else 'not surely '}at {end} {limit:g}."
    return _finding(met, value[worst], se[worst], note, _name(names, worst, len(value)), (limit,))


def trend(
    values: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    *,
    direction: str,
    tolerance: float = 0.0,
    error: float = 0.05,
) -> Finding:
    """Values rise (or fall) along a line of points: as a whole, and with no step back.

    Met if (a) the linear contrast of the points goes in the direction by more than chance, at level
    `error`; and (b) no later point is on the wrong side of an earlier one by more than `tolerance`
    and chance, at level `error` over all pairs (Bonferroni). So values without a trend
    are called one in at most `error` of runs, and a true trend is refused by (b) in at most `error`.
    Rows of a two-dimensional `values` are separate series; each must meet the rule. Points are taken as
    independent; common random numbers make the rule cautious.

    >>> trend([1.0, 2.0, 2.1, 4.0], 0.1, direction="rising").met
    True
    >>> trend([1.0, 3.0, 2.1, 4.0], 0.1, direction="rising").met   # a step back
    False
    >>> trend([1.0, 1.1, 0.9, 1.0], 0.1, direction="rising").met   # nothing to be seen
    False
    """
    signs = {"rising": 1, "falling": -1}
    if direction not in signs:
        raise ValueError(f"direction is {direction!r}; allowed are rising and falling")
    values = np.atleast_2d(_finite("values", values))
    if values.shape[-1] < 3:
        raise ValueError(f"a trend needs three points or more; there are {values.shape[-1]}")
    se = np.broadcast_to(_finite("se", se), values.shape)
    up, points = signs[direction] * values, values.shape[1]

    weights = np.linspace(-1, 1, points)
    contrast, noise = up @ weights, np.sqrt(se**2 @ weights**2)
    rounding = 1e-12 * np.abs(values).max()
    overall = contrast > ndtri(1 - error) * noise + rounding

    early, late = np.triu_indices(points, 1)
    step = up[:, late] - up[:, early]
    chance = ndtri(1 - error / step.size) * np.sqrt(se[:, late] ** 2 + se[:, early] ** 2)
    back = step < -tolerance - chance - rounding

    change = values[:, -1] - values[:, 0]
    weakest = int(np.argmin(signs[direction] * change))
    note = f"{direction.capitalize()} as a whole: {'yes' if overall.all() else 'no'}; "
    note += f"steps back beyond chance: {int(back.sum())} of {step.size} pairs. "
    note += "Our number is the change from the first point to the last"
    note += f" (the weakest of {len(values)} series)." if len(values) > 1 else "."
    noise = np.hypot(se[weakest, 0], se[weakest, -1])
    name = _name(names, weakest, len(values))
    met = bool(overall.all() and not back.any())
    return _finding(met, change[weakest], noise, note, name, (0.0,))


def ordering(
    differences: ArrayLike,
    se: ArrayLike = 0.0,
    names: ArrayLike | None = None,
    mean_se: float | None = None,
    *,
    demand: str = "overall",
    margin: float = 0.0,
    error: float = 0.05,
) -> Finding:
    """What is claimed to be larger is larger: the differences (larger - smaller) are positive.

    `demand: each`: every difference is surely above -margin; if one is not, the chance of saying
    yes is at most `error` (each is tested at that level, and all must pass). `demand: overall`: their
    mean is surely above -margin, and none is surely below it (Bonferroni over them, level `error`).
    Hand over standard errors of the differences: paired runs have smaller ones. `mean_se` is that of
    their mean, where the differences share their chance (without it they are taken as independent).

    >>> ordering([0.2, 0.1, 0.01], 0.02).met, ordering([0.2, 0.1, 0.01], 0.02, demand="each").met
    (True, False)
    >>> ordering([0.2, 0.1, -0.1], 0.02).met
    False
    """
    differences, se = _pair(differences, se)
    z, count = ndtri(1 - error), len(differences)
    if demand == "each":
        passed = differences + margin > z * se
        worst = int(np.argmin(differences - z * se))
        note = f"{int(passed.sum())} of {count} differences are surely above {-margin or 0:g}; "
        note += "our number is the least certain one."
        name = _name(names, worst, count)
        limits = (-margin or 0.0,)
        return _finding(bool(passed.all()), differences[worst], se[worst], note, name, limits)
    if demand != "overall":
        raise ValueError(f"demand is {demand!r}; allowed are overall and each")
    mean = differences.mean()
    mean_se = np.sqrt((se**2).sum()) / count if mean_se is None else _finite("se", mean_se).item()
    against = differences + margin < -ndtri(1 - error / count) * se
    note = f"Our number is the mean of {count} differences; {int(against.sum())} are the wrong way "
    note += "round beyond chance."
    name = _name(names, int(np.argmin(differences)), count)
    if name:
        note += f" The lowest is {_show(differences.min())} ({name})."
    met = bool(mean + margin > z * mean_se and not against.any())
    return _finding(met, mean, mean_se, note, limits=(-margin or 0.0,))


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
    if ours.dtype.kind in "biufc" and theirs.dtype.kind in "biufc":
        if np.isnan(ours).any() or np.isnan(theirs).any():
            raise NotFinite("an identity cannot be decided with NaN on a side")
        with np.errstate(invalid="ignore"):
            apart = np.where(ours == theirs, 0.0, np.abs(np.subtract(ours, theirs, dtype=float)))
        if ours.dtype.kind in "biu" and theirs.dtype.kind in "biu":
            apart = np.where(ours == theirs, 0.0, np.maximum(apart, 1.0))  # large ones round to one
        largest = float(apart.max())
        what = f"Largest difference of {ours.size} entries" if ours.size > 1 else "The difference"
        note = f"{what}; {tolerance:g} allowed."
        name = _name(names, int(apart.argmax()), apart.size) if largest > tolerance else ""
        return Finding(largest <= tolerance, largest, None, None, note, name, (tolerance,))
    differ = int((ours != theirs).sum())
    return Finding(differ == 0, differ, None, None, f"{differ} of {ours.size} entries differ.")


def shown(size: float, se: float = 0.0, *, beyond: float, error: float = 0.05) -> Finding:
    """One counterexample (or witness) is there: its size surely exceeds what may be noise.

    >>> shown(0.3, beyond=1e-9).met, shown(0.03, 0.02, beyond=0.01).met
    (True, False)
    """
    size, se = _finite("size", size).item(), _finite("se", se).item()
    met = bool(abs(size) - ndtri(1 - error) * se > beyond)
    note = f"{'Beyond' if met else 'Not surely beyond'} {beyond:g}."
    return _finding(met, size, se, note, limits=(beyond,))


def untestable() -> Finding:
    """Nothing at hand can decide the claim; its entry says why."""
    return Finding(False, None, None, None, "")


# Three outcomes -----------------------------------------------------------------------------------

#: What evidence says of a claim: *not* needs the opposite to be sure, so there is a third.
SO, NOT, OPEN = "surely so", "surely not", "cannot be told"


def outcome(room: ArrayLike, se: ArrayLike = 0.0, *, margin: float, error: float = 0.025) -> str:
    """One of three outcomes, from the room that each comparison leaves (below 0: it fails).

    Surely so: no comparison fails by `margin` or more; each is tested at level `error`, and all must pass, so
    if exactly one fails by the margin this is said in at most `error` of worlds. Surely not: that is not sure,
    and some comparison surely fails (at level `error` over all of them): if none does, this is said in at most
    `error` of worlds. A claim that fails by less than the margin, and surely so, holds.

    A single comparison at its boundary is found to be so in 1 - `error` of worlds if its standard error is
    at most margin / 3.92 (with `error` 2.5 %).

    >>> [outcome(room, 0.01, margin=0.02) for room in (0.01, -0.005, [0.3, -0.04])]
    ['surely so', 'cannot be told', 'surely not']
    """
    room, se = _pair(room, se)
    if margin < 0:
        raise ValueError(f"margin is {margin}; it must be 0 or more")
    if (room + margin > -ndtri(error) * se).all():
        return SO
    return NOT if (room < ndtri(error / len(room)) * se).any() else OPEN


def room_of(rule: str, evidence: dict, given: dict) -> tuple[np.ndarray, np.ndarray]:
    """How far each level, step or sign is inside what a claim says of it, and the error of that.

    >>> [part.round(2).tolist() for part in room_of("bound", {"value": [0.3, 0.6], "se": 0.1}, {"below": 0.5})]
    [[0.2, -0.1], [0.1, 0.1]]
    """
    names = {"bound": "value", "near": "value", "ordering": "differences", "trend": "values"}
    if rule not in names:
        raise ValueError(f"the rule {rule} weighs no chance by room; {', '.join(names)} do")
    levels = np.atleast_1d(_finite(names[rule], evidence[names[rule]]))
    se = np.broadcast_to(_finite("se", evidence.get("se", 0.0)), levels.shape)
    if rule == "bound":
        return (given["below"] - levels if "below" in given else levels - given["above"]), se
    if rule == "near":
        return given["within"] - np.abs(levels - np.ravel(given["target"])), se
    if rule == "trend":
        early, late = np.triu_indices(levels.shape[-1], 1)
        sign = 1 if given["direction"] == "rising" else -1
        steps = sign * (levels[..., late] - levels[..., early]) + given.get("tolerance", 0.0)
        return steps.ravel(), np.hypot(se[..., late], se[..., early]).ravel()
    room = levels + given.get("margin", 0.0)
    if given.get("demand", "overall") == "each":
        return room, se
    mean_se = evidence.get("mean_se", np.sqrt((se**2).sum()) / len(se))
    return np.atleast_1d(room.mean()), np.atleast_1d(mean_se)


RULES = {
    f.__name__: f for f in (agree, exact, near, bound, trend, ordering, identity, shown, untestable)
}


def _parameters(rule: Callable, fixed: bool) -> dict[str, bool]:
    signature = inspect.signature(rule).parameters.values()
    return {p.name: p.default is p.empty for p in signature if (p.kind is p.KEYWORD_ONLY) == fixed}


#: What each rule takes as evidence, and what a claim's entry fixes for it; whether it must be there.
TAKES = {name: _parameters(rule, False) for name, rule in RULES.items()}
FIXED = {name: _parameters(rule, True) for name, rule in RULES.items()}

# Rules that weigh chance wait for the full number of repetitions, unless the entry says otherwise.
WAIT_FOR_FULL_SIZE = {"agree", "near", "bound", "trend", "ordering"}


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


def _inside(room: np.ndarray, se: np.ndarray, error: float, size: float) -> tuple[bool, int]:
    """Whether there is surely room everywhere (but for rounding), and where there is least."""
    sure = room - ndtri(1 - error) * se
    return bool(sure.min() >= -1e-12 * abs(size)), int(np.argmin(sure))


def _finite(name: str, value: ArrayLike) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    if array.size == 0:
        raise ValueError(f"{name} is empty")
    if not np.isfinite(array).all():
        raise NotFinite(f"{name} holds a value that is not finite: {array.ravel().tolist()[:10]}")
    if name == "se" and (array < 0).any():
        raise ValueError(f"a standard error is negative: {array.min()}")
    return array


def _pair(value: ArrayLike, se: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    value = np.atleast_1d(_finite("value", value))
    return value.ravel(), np.broadcast_to(_finite("se", se), value.shape).ravel()


def _finding(
    met: bool, ours: float, se: float, note: str, worst: str = "", limits: tuple[float, ...] = ()
) -> Finding:
    half = 1.96 * float(se)
    ours, limits = float(ours), tuple(float(limit) for limit in limits)
    if half == 0:
        return Finding(bool(met), ours, None, None, note, worst, limits)
    return Finding(bool(met), ours, ours - half, ours + half, note, worst, limits)


def _name(names: ArrayLike | None, which: int, count: int) -> str:
    """What the deciding value is, from its name (a list of names, one a value)."""
    if names is None:
        return ""
    names = np.ravel(np.asarray(names, dtype=object))
    if len(names) != count:
        raise ValueError(f"names has {len(names)} entries for {count} values")
    return str(names[which])


def _show(x: float) -> str:
    return f"{float(x):.3g}"


# Numbers for people -------------------------------------------------------------------------------


PERCENT = ("points", "point", "%")  # units in which a share is shown a hundredfold


def interval(finding: Finding, unit: str = "") -> str:
    """Our number with its interval, for people, in the claim's unit.

    >>> finding = Finding(True, 0.0823, 0.0751, 0.0884, "")
    >>> interval(finding), interval(finding, "points")
    ('0.0823 (0.0751 to 0.0884)', '8.23 (7.51 to 8.84) points')
    """
    scale, digits = (100, 3) if unit in PERCENT else (1, 4)
    ours, *ends = [short(scale * x, digits) for x in finding[1:4] if x is not None] or [""]
    return f"{ours}{' ({} to {})'.format(*ends) if ends else ''} {unit if ours else ''}".rstrip()


def short(number: float, digits: int = 4) -> str:
    """Four digits of a measured number, and a count in full.

    >>> short(-0.4978621957), short(48842), short(449), short(1e-9), short(1.984e126)
    ('-0.4979', '48,842', '449', '1e-09', '1.984e+126')
    """
    if 1e3 <= abs(number) < 1e9 and float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"
