"""What a chapter's parameters may be: `book/parameters.yml`, checked before anything runs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import yaml

from ppdm import places

#: What a parameter may be, and in words.
KINDS = {
    "whole": "a whole number",
    "number": "a number",
    "numbers": "a list of different numbers",
    "one of": "",
}
Rule = dict[str, Any]  # as it stands in the file: a kind, and what goes with it
#: The bounds of a number, each with the comparison that holds within it, and in words.
BOUNDS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "least": (operator.ge, "{} or more"),
    "most": (operator.le, "at most {}"),
    "above": (operator.gt, "more than {}"),
    "below": (operator.lt, "less than {}"),
    "never": (operator.ne, "not {}"),
}


def check(stem: str, given: Mapping[str, object]) -> None:
    """Refuse the first value that a chapter's parameter may not have.

    >>> check("01_electronic_surveys", {"reps": 50})
    >>> check("01_electronic_surveys", {"reps": "abc"})
    Traceback (most recent call last):
    ValueError: 01_electronic_surveys: reps is 'abc'; it must be a whole number, 2 or more, or None
    """
    rules = declared(stem)
    for name, value in given.items():
        if name in rules and not allows(rules[name], value):
            raise ValueError(f"{stem}: {name} is {value!r}; it must be {phrase(rules[name])}")


def declared(stem: str, root: Path | None = None) -> dict[str, Rule]:
    """The rules of a chapter's parameters, by name; none outside of a book."""
    root = root or places.repository()
    path = root / "book" / "parameters.yml" if root else None
    if path is None or not path.is_file():
        return {}
    rules: dict[str, Rule] = {}
    for beginning, some in _read(path, path.stat().st_mtime_ns).items():
        if beginning == "every" or stem.startswith(beginning):
            rules |= some
    return rules


@cache
def _read(path: Path, _changed: int) -> dict[str, dict[str, Rule]]:
    table = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    for beginning, rules in table.items():
        for name, rule in rules.items():
            known = {*KINDS, *BOUNDS, "holds", "none"}
            if sum(kind in rule for kind in KINDS) != 1 or not set(rule) <= known:
                raise ValueError(
                    f"{path.name}: {beginning}: {name} must have one of {', '.join(KINDS)}, and "
                    f"nothing but {', '.join(sorted(known - set(KINDS)))} beside it"
                )
    return table


def allows(rule: Rule, value: object) -> bool:
    """Whether a rule allows a value.

    >>> third = {"number": True, "above": 0, "below": 1}
    >>> [allows(third, v) for v in (0.5, 1, True, "0.5", float("nan"), None)]
    [True, False, False, False, False, False]
    """
    if value is None:
        return bool(rule.get("none"))
    if "one of" in rule:
        return isinstance(value, str) and value in rule["one of"]
    if "numbers" in rule:
        if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
            return False
        values = list(value)
        return (
            bool(values)
            and all(_is_number(v) and _within(rule, v) for v in values)
            and all(wanted in values for wanted in rule.get("holds", []))
            and len(set(values)) == len(values)
        )
    fits = isinstance(value, Integral) if "whole" in rule else _is_number(value)
    return fits and not isinstance(value, bool) and _within(rule, value)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _within(rule: Rule, value: Any) -> bool:
    return all(inside(value, rule[name]) for name, (inside, _) in BOUNDS.items() if name in rule)


def phrase(rule: Rule) -> str:
    """A rule in words.

    >>> phrase({"number": True, "least": 0, "most": 1, "never": 0.5})
    'a number, 0 or more, at most 1, not 0.5'
    >>> phrase({"one of": ["paper", "quick"]})
    "'paper' or 'quick'"
    """
    if "one of" in rule:
        words = [repr(word) for word in rule["one of"]]
        said = " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    else:
        kind = next(words for name, words in KINDS.items() if name in rule)
        bounds = [words.format(rule[name]) for name, (_, words) in BOUNDS.items() if name in rule]
        if bounds and "numbers" in rule:
            bounds[0] = f"each {bounds[0]}"
        said = ", ".join([kind, *bounds])
        if "holds" in rule:
            first, last = rule["holds"][:-1], rule["holds"][-1]
            said += f", {' and '.join([', '.join(map(str, first)), str(last)])} among them"
    return said + (", or None" if rule.get("none") else "")
