"""What the checks share: call an answer safely, compare it, and name the mistake if it is known.

A check raises an AssertionError whose message speaks to the student. Most checks are exact. Those
of random answers use binomial tests at `CHANCE` each; no assignment makes more than 900 of
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
from math import exp, isfinite, isnan, log

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

    >>> same((1, 2.0), [1, 2]), same(None, 0.0), same("yes", "yes"), same([None], [float("nan")])
    (True, False, True, True)
    """
    a, b = (_listed(value) for value in (a, b))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if b is None or isinstance(a, str | list | tuple) or isinstance(b, str | list | tuple):
        return type(a) is type(b) and a == b
    try:
        x, y = (float("nan") if value is None else float(value) for value in (a, b))
    except (TypeError, ValueError, OverflowError):
        return False
    if isfinite(x) and isfinite(y):
        return abs(x - y) <= tolerance + tolerance * abs(y)
    return x == y or (isnan(x) and isnan(y))


def _listed(value):
    """An array or a frame as lists in lists."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    return value.tolist() if hasattr(value, "tolist") else value


def pair(answer, where: str) -> tuple:
    """The two parts of an answer that must have two."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise AssertionError(f"{where} should be a pair of two things, not {_short(answer)}.")
    return tuple(answer)


def by_chance(successes: int, trials: int, p: float) -> bool:
    """Whether so many successes may be chance, at `CHANCE`.

    Chernoff's bound: a share beyond x, where p is expected, has at most the probability exp(-n D), with D
    the divergence of x from p. A right answer therefore fails even more rarely than by the exact test.

    >>> by_chance(520, 1000, 0.5), by_chance(700, 1000, 0.5)
    (True, False)
    """
    share = successes / trials
    parts = ((share, p), (1 - share, 1 - p))
    divergence = sum(x * log(x / expected) for x, expected in parts if x)
    return 2 * exp(-trials * divergence) > CHANCE


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
