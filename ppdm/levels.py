"""Which answer a value stands for: the one rule by which everything reads what it is given.

Values that Python calls equal are the same answer: 1, 1.0 and True. A string that writes a number
("0", "1.0") stands for that number, or a number for the string, where only one level can be meant;
this is said in a warning. Anything else is not among the levels, however alike it looks.
"""

from __future__ import annotations

import re
import reprlib
import unicodedata
import warnings
from collections.abc import Hashable, Iterable, Sequence
from numbers import Number
from typing import Any

import numpy as np

_WHOLE = re.compile(r"(-?(?:0|[1-9]\d*))(?:\.0+)?")


def places(values: Sequence[Any], levels: Sequence[Any], name: Hashable = "") -> np.ndarray:
    """The place of each (distinct) value among the levels of attribute `name`; -1 if it has none.

    >>> places([True, 0.0, 7], (0, 1))
    array([ 1,  0, -1])
    """
    exact = {level: place for place, level in enumerate(levels)}
    numbers = _by_number(levels)
    places_of = np.full(len(values), -1, dtype=np.int64)
    readings = {}
    for i, value in enumerate(values):
        try:
            places_of[i] = exact.get(value, -1)
        except TypeError:  # a list, a dictionary: no level
            continue
        if places_of[i] < 0:
            places_of[i] = numbers.get(_number(value), -1)
            if places_of[i] >= 0:
                readings[value] = levels[places_of[i]]
    if readings:
        value, level = next(iter(readings.items()))
        also = f" (and {len(readings) - 1} more)" if len(readings) > 1 else ""
        warnings.warn(
            f"column {name!r}: the value {value!r} is taken for the level {level!r}{also}",
            stacklevel=2,
        )
    return places_of


def in_order(what: str, levels: Any) -> Any:
    """Levels as they are given, which must have a first one: a set has none.

    >>> in_order("the levels of 'vote'", {"no", "yes"})
    Traceback (most recent call last):
    ValueError: the levels of 'vote' stand in an order, as a list or a tuple has one; got a set
    """
    if isinstance(levels, (set, frozenset)):
        raise ValueError(f"{what} stand in an order, as a list or a tuple has one; got a set")
    return levels


def probability(what: str, given: Any) -> float:
    """A probability as a number; anything else is refused by its name.

    >>> probability("theta", 80)
    Traceback (most recent call last):
    ValueError: theta is a probability, from 0 to 1; got 80
    """
    number = isinstance(given, (int, float, np.integer, np.floating))
    if not number or isinstance(given, bool) or not 0 <= given <= 1:
        raise ValueError(f"{what} is a probability, from 0 to 1; got {reprlib.repr(given)}")
    return float(given)


def refuse_alike(what: str, values: Iterable[Any]) -> None:
    """Refuse values that are equal, or that nobody can tell apart once they are written.

    >>> refuse_alike("the levels of 'vote'", ("no", "yes", "yes "))
    Traceback (most recent call last):
    ValueError: the levels of 'vote' must differ, also when written: 'yes' and 'yes ' look alike
    """
    known_forms: dict[Any, Any] = {}
    for value in values:
        text = " ".join(unicodedata.normalize("NFC", str(value)).split())
        for key in {value, text}:
            if key in known_forms:
                raise ValueError(
                    f"{what} must differ, also when written: {known_forms[key]!r} and {value!r} look alike"
                )
        known_forms |= {value: value, text: value}


def zeros_and_ones(values: Iterable[Any]) -> bool:
    """Whether all values are the numbers 0 and 1, or False and True; at least one is.

    >>> zeros_and_ones([1.0, True]), zeros_and_ones(["1"]), zeros_and_ones([])
    (True, False, False)
    """
    values = list(values)
    return bool(values) and all(_is_number(v) and v in (0, 1) for v in values)


def _is_number(value: object) -> bool:
    return isinstance(value, (Number, np.bool_))


def _number(value: object) -> object:
    """The number that a value is or writes; None for anything else."""
    if _is_number(value):
        return value
    whole = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return int(whole[1]) if whole else None


def _by_number(levels: Sequence[Any]) -> dict[Any, int]:
    """The place of each level that is or writes a number; none if two mean the same one."""
    numbers: dict[Any, int] = {}
    for place, level in enumerate(levels):
        number = _number(level)
        if number is None:
            continue
        if number in numbers:
            return {}
        numbers[number] = place
    return numbers
