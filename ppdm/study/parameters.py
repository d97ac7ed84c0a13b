"""What a chapter's parameters may be: `book/parameters.yml`, checked before anything runs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
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
    ValueError: 01_electronic_surveys: reps is 'abc'; it must be a whole number, 10 or more, or None
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
    table = yaml.safe_load(path.read_text(encoding="utf-8"))
    rules: dict[str, Rule] = {}
    for beginning in table:
        if beginning == "every" or stem.startswith(beginning):
            rules |= table[beginning]
    return rules


def allows(rule: Rule, value: Any) -> bool:
    """Whether a rule allows a value.

    >>> third = {"number": True, "above": 0, "below": 1}
    >>> [allows(third, v) for v in (0.5, 1, True, "0.5", float("nan"), None)]
    [True, False, False, False, False, False]
    """
    if value is None:
        return bool(rule.get("none"))
    if "one of" in rule:
        return isinstance(value, str) and value in rule["one of"]
    listed = isinstance(value, Iterable) and not isinstance(value, (str, Mapping))
    values, kind = list(value) if listed else [value], Integral if "whole" in rule else Real
    return (
        listed == ("numbers" in rule) and bool(values)
        and all(isinstance(v, kind) and not isinstance(v, bool) and math.isfinite(v) for v in values)
        and all(inside(v, rule[name]) for name, (inside, _) in BOUNDS.items() if name in rule for v in values)
        and set(rule.get("holds", ())) <= set(values) and len(set(values)) == len(values)
    )  # fmt: skip


def phrase(rule: Rule) -> str:
    """A rule in words.

    >>> phrase({"number": True, "least": 0, "most": 1, "never": 0.5})
    'a number, 0 or more, at most 1, not 0.5'
    >>> phrase({"one of": ["paper", "quick"]})
    "'paper' or 'quick'"
    """
    if "one of" in rule:
        said = _joined(list(map(repr, rule["one of"])), " or ")
    else:
        bounds = [words.format(rule[name]) for name, (_, words) in BOUNDS.items() if name in rule]
        each = ", each " if "numbers" in rule and bounds else ", "
        kind = next(words for name, words in KINDS.items() if name in rule)
        said = each.join(filter(None, [kind, ", ".join(bounds)]))
    if "holds" in rule:
        said += f", {_joined(list(map(str, rule['holds'])), ' and ')} among them"
    return said + (", or None" if rule.get("none") else "")


def _joined(words: list[str], last: str) -> str:
    return last.join(filter(None, [", ".join(words[:-1]), words[-1]]))
