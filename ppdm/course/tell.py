"""What the checks share: call an answer safely, compare it, and name the mistake if it is known.

A check raises an AssertionError whose message speaks to the student. Most checks are exact. Those
of random answers use exact binomial tests at `CHANCE` each; no assignment makes more than 900 of
them, so a right answer fails one with a probability below 900 x 1e-9 < 1e-6.

Nothing here needs more than the standard library: the primer's checks run in a reader's browser too.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from math import exp, isinf, isnan, lgamma, log, log1p

#: A right answer fails one binomial test with at most this probability.
CHANCE = 1e-9


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """What is printed or warned of inside goes nowhere: it must not decide about points."""
    nowhere = _Nowhere()
    numpy = sys.modules.get("numpy")
    with (
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
        numpy.errstate(all="ignore") if numpy else contextlib.nullcontext(),
    ):
        warnings.simplefilter("ignore")
        yield


def check(function: Callable) -> Callable:
    """A check: silent, and without a traceback that shows its inside."""

    @functools.wraps(function)
    def checked(*args, **kwargs) -> None:
        message = None
        with silence():
            try:
                function(*args, **kwargs)
            except AssertionError as error:
                message = str(error)
        if message is not None:
            raise AssertionError(message)

    return checked


def ask(function: Callable, *args):
    """What a student's function answers; it gets copies, and may fail in its own way.

    >>> ask(lambda x: x / 0, 1)
    Traceback (most recent call last):
    ...
    AssertionError: <lambda>() stopped with ZeroDivisionError: division by zero
    """
    name = getattr(function, "__name__", "your function")
    if not callable(function):
        raise AssertionError(f"A function is asked for; this is {function!r:.80}.")
    try:
        return function(*copy.deepcopy(args))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is not our function
        kind = getattr(error, "kind", type(error).__name__)  # from a cell only its name comes
        if kind == "NotImplementedError":
            raise AssertionError(f"{name}() is not answered yet.") from None
        raise AssertionError(f"{name}() stopped with {kind}: {error!s:.300}") from None


def compare(
    got, right, where: str, mistakes: Iterable[tuple[str, object]] = (), also=(), tolerance=1e-6
) -> None:
    """Pass if `got` is `right` (or one of `also`); else say which known mistake it is, or what is
    wrong with it.

    >>> compare(0.7, 0.3, "the share of ones", [("Zeros and ones are swapped.", 0.7)])
    Traceback (most recent call last):
    ...
    AssertionError: Zeros and ones are swapped.
    """
    if any(same(got, good, tolerance) for good in (right, *also)):
        return
    for message, value in mistakes:
        if same(got, value, tolerance):
            raise AssertionError(message)
    raise AssertionError(
        f"{where[0].upper()}{where[1:]} should be {_short(right)}, not {_short(got)}."
    )


def same(a, b, tolerance: float = 1e-6) -> bool:
    """Whether two answers agree: numbers and arrays within `tolerance`, the rest exactly.

    >>> same((1, 2.0), [1, 2]), same(None, 0.0), same("yes", "yes")
    (True, False, True)
    """
    if isinstance(b, str) or b is None or isinstance(a, str) or a is None:
        return type(a) is type(b) and a == b
    try:
        (shape, a), (other, b) = _flat(a), _flat(b)
    except (TypeError, ValueError):
        return False
    return shape == other and all(_close(x, y, tolerance) for x, y in zip(a, b, strict=True))


def _close(x: float, y: float, tolerance: float) -> bool:
    if isnan(x) or isnan(y) or isinf(x) or isinf(y):
        return x == y or (isnan(x) and isnan(y))
    return abs(x - y) <= tolerance + tolerance * abs(y)


def _flat(value) -> tuple[tuple[int, ...], list[float]]:
    """The shape of a number, a list of lists, an array or a frame, and its numbers in a row."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return (), [float("nan") if value is None else float(value)]
    parts = [_flat(part) for part in value]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise ValueError("a ragged list")
    return (len(parts), *(shapes.pop() if shapes else ())), [x for _, row in parts for x in row]


def pair(answer, where: str) -> tuple:
    """The two parts of an answer that must have two."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise AssertionError(f"{where} should be a pair of two things, not {_short(answer)}.")
    return tuple(answer)


def by_chance(successes: int, trials: int, p: float) -> bool:
    """Whether so many successes may be chance: the exact two-sided binomial test at `CHANCE`.

    >>> by_chance(520, 1000, 0.5), by_chance(700, 1000, 0.5)
    (True, False)
    """
    if successes < trials * p:
        successes, p = trials - successes, 1 - p
    return 2 * _upper_tail(successes, trials, p) > CHANCE


def _upper_tail(successes: int, trials: int, p: float) -> float:
    """P(X >= successes) where that is above the mean, so that the terms only fall."""
    if successes <= 0 or p >= 1:
        return 1.0
    if p <= 0 or successes > trials:
        return 0.0
    rest = trials - successes
    term = exp(
        lgamma(trials + 1)
        - lgamma(successes + 1)
        - lgamma(rest + 1)
        + successes * log(p)
        + rest * log1p(-p)
    )
    total = 0.0
    for k in range(successes, trials + 1):
        total += term
        if term < 1e-17 * total:
            break
        term *= (trials - k) / (k + 1) * p / (1 - p)
    return total


def cases(seeds: Iterable[int]) -> Iterator:
    """One source of random numbers a seed."""
    import numpy as np

    return (np.random.default_rng([2026, seed]) for seed in seeds)


def _short(value) -> str:
    if isinstance(value, float):  # numpy's too
        return f"{value:.6g}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(_short(part) for part in value) + ")"
    if hasattr(value, "tolist"):
        import numpy as np

        text = np.array2string(np.asarray(value), precision=4, threshold=20, separator=", ")
        return " ".join(text.split())[:200]
    return f"{value!r:.120}"
