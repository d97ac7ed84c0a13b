"""What the checks share: call an answer safely, compare it, and name the mistake if it is known.

A check raises an AssertionError whose message speaks to the student. Most checks are exact. Those
of random answers use exact binomial tests at `CHANCE` each; no assignment makes more than 900 of
them, so a right answer fails one with a probability below 900 x 1e-9 < 1e-6.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import warnings
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from scipy.stats import binom

#: A right answer fails one binomial test with at most this probability.
CHANCE = 1e-9


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """What is printed or warned of inside goes nowhere: it must not decide about points."""
    nowhere = _Nowhere()
    with (
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
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
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    except (TypeError, ValueError):
        return False
    return a.shape == b.shape and bool(
        np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
    )


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
    tail = min(binom.cdf(successes, trials, p), binom.sf(successes - 1, trials, p))
    return bool(2 * tail > CHANCE)


def cases(seeds: Iterable[int]) -> Iterator[np.random.Generator]:
    """One source of random numbers a seed."""
    return (np.random.default_rng([2026, seed]) for seed in seeds)


def _short(value) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(_short(part) for part in value) + ")"
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, threshold=20, separator=", ")
        return " ".join(text.split())[:200]
    return f"{value!r:.120}"
