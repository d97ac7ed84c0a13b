"""What a survey asks, and how its answers are protected: written once, and held by everything.

A :class:`Survey` is plain data: the attributes and their levels, which of them is the class, and
how each is protected. `ppdm.disguise.scheme_of` makes of it the mechanism that disguises and
undoes. Its JSON form is the one file format of a scheme; it is public, as the scheme is.

Each *protection* is a mapping with the key ``"mechanism"`` and these keys:

==================  ==============================================================================
warner              ``p``: the truth with probability p, else the other of the two answers
k-rr                ``p``: the truth with probability p, else any of the other answers
forced-response     ``truth``: probability of the true answer; ``forced``: the probability of being
                    told to give each level, in their order
matrix              ``matrix``: M[y][x], the probability that the true level x is reported as y;
                    ``outputs``: the labels of the reports, by default the levels; ``prior``
unrelated-question  ``q``: probability of the private answers; ``personal``: for each attribute the
                    known probabilities of its levels in the personal answers, else all alike
multi-group         ``theta``: the truth with probability θ, else all answers of a group reversed;
                    ``absent``: the level that stays as it is
==================  ==============================================================================

and with ``attributes``, each of which is disguised by itself, or (the last two) with ``groups``:
lists of attributes that share one coin. Attributes that no protection names are open.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import yaml

from ppdm.files import replace_file
from ppdm.table import Domain, as_frame, listed

_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold

FORMAT, VERSION = "ppdm survey", 1


@dataclass(frozen=True, eq=False)
class Survey:
    """What is asked, and how it is protected.

    Parameters
    ----------
    attributes
        A mapping from names to their levels, in order: strings, numbers, True and False.
    protection
        A list of mappings, see the head of this module.
    target
        The name of the class, where one attribute is to be predicted.
    title, questions
        For people: what the survey is called, and the words in which each attribute is asked.

    >>> survey = Survey(
    ...     {"smokes": ["no", "yes"], "age": ["young", "old"]},
    ...     [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}],
    ... )
    >>> survey.names, survey.protected, survey.domain.size
    (('smokes', 'age'), ('smokes',), 4)
    >>> Survey.from_json(survey.to_json()) == survey
    True
    """

    attributes: Mapping[str, Sequence[Any]]
    protection: Sequence[Mapping[str, Any]] = ()
    target: str | None = None
    title: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Mapping) or not self.attributes:
            raise ValueError(
                "a survey asks something: attributes is a mapping from names to levels"
            )
        attributes = {_name(n): _levels(n, levels) for n, levels in self.attributes.items()}
        object.__setattr__(self, "title", _text("title", self.title))
        if self.target is not None:
            _known(self.target, attributes, "the class")
        if not isinstance(self.questions, Mapping):
            raise ValueError(
                "questions is a mapping from attributes to the words they are asked in"
            )
        for name, words in self.questions.items():
            _known(name, attributes, "questions")
            if not isinstance(words, str):
                raise ValueError(f"the question for {name!r} is a string; got {_shown(words)}")
        object.__setattr__(self, "attributes", attributes)
        object.__setattr__(self, "questions", dict(self.questions))
        object.__setattr__(self, "protection", _protections(self.protection, attributes))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Survey) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    # -- what it says ----------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.attributes)

    @property
    def domain(self) -> Domain:
        """The attributes and levels of true answers, as `ppdm.count` takes them."""
        return Domain(self.names, tuple(tuple(levels) for levels in self.attributes.values()))

    @property
    def protected(self) -> tuple[str, ...]:
        """The attributes that are disguised, in the order asked."""
        named = {name for spec in self.protection for name in members(spec)}
        return tuple(name for name in self.names if name in named)

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of what reports depend on: names, levels and protection.

        A corrected title or wording changes none of them, so no report is thrown away.

        >>> Survey({"A": [0, 1]}).fingerprint == Survey({"A": [1, 0]}).fingerprint
        False
        >>> Survey({"A": [0, 1]}).fingerprint == Survey({"A": [0, 1]}, title="Corrected").fingerprint
        True
        """
        what = [*map(list, self.attributes.items()), list(self.protection)]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]

    # -- from data -------------------------------------------------------------------------

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        protection: Sequence[Mapping[str, Any]] = (),
        target: str | None = None,
        levels: Mapping[str, Sequence[Any]] | None = None,
    ) -> Survey:
        """The survey behind a frame whose levels are declared: categorical, boolean or named here.

        Levels are never taken from the values that happen to occur.

        >>> votes = pd.Categorical(["y", "y"], categories=["n", "y"])
        >>> Survey.from_frame(pd.DataFrame({"vote": votes})).attributes
        {'vote': ('n', 'y')}
        """
        frame, levels = as_frame(frame), dict(levels or {})
        for name in levels:
            _known(name, frame.columns, "levels")
        found = {name: levels.get(name, _declared(frame[name])) for name in frame.columns}
        attributes = {name: known for name, known in found.items() if known is not None}
        open_ = [name for name in found if name not in attributes]
        if open_:
            raise ValueError(
                f"the levels of {listed(open_)} are not declared: name them in levels=, "
                "or make the columns categorical with all their categories"
            )
        return cls(attributes, protection, target)

    # -- as a file -------------------------------------------------------------------------

    def to_plain(self) -> dict[str, Any]:
        """The survey as lists, mappings, strings and numbers."""
        attributes = []
        for name, levels in self.attributes.items():
            entry: dict[str, Any] = {"name": name, "levels": list(levels)}
            if name in self.questions:
                entry["question"] = self.questions[name]
            attributes.append(entry)
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "attributes": attributes,
            "class": self.target,
            "protection": deepcopy(list(self.protection)),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Survey:
        """The inverse of :meth:`to_plain`; only ``attributes`` must be there.

        >>> Survey.from_plain({"attributes": [{"name": "A", "levels": [0, 1]}]}).names
        ('A',)
        """
        keys = ("format", "version", "title", "attributes", "class", "protection")
        plain = _mapping("a survey", plain, keys, needed=("attributes",))
        if plain.get("format", FORMAT) != FORMAT:
            raise ValueError(
                f"this is no survey: its format is {plain['format']!r}, not {FORMAT!r}"
            )
        version = plain.get("version", VERSION)
        if version != VERSION or isinstance(version, bool):
            raise ValueError(
                f"the survey has the version {version!r}; this program reads {VERSION}"
            )
        attributes, questions = {}, {}
        for entry in _sequence("attributes", plain["attributes"]):
            entry = _mapping(
                "an attribute", entry, ("name", "levels", "question"), ("name", "levels")
            )
            name = _name(entry["name"])
            if name in attributes:
                raise ValueError(f"the attribute {name!r} is asked twice")
            attributes[name] = entry["levels"]
            if "question" in entry:
                questions[name] = entry["question"]
        title, protection = plain.get("title", ""), plain.get("protection", ())
        return cls(attributes, protection, plain.get("class"), title, questions)

    def to_json(self) -> str:
        """The survey as it is published: one JSON text, the same for equal surveys."""
        return json.dumps(self.to_plain(), ensure_ascii=False, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Survey:
        """The inverse of :meth:`to_json`; anything else is refused."""
        try:
            plain = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
        except json.JSONDecodeError as error:
            raise ValueError(
                f"this is no JSON: {error.msg} in line {error.lineno}, column {error.colno}"
            ) from None
        except RecursionError:
            raise ValueError("this is no survey: it is nested too deeply") from None
        return cls.from_plain(plain)

    @classmethod
    def from_yaml(cls, text: str) -> Survey:
        """A survey as it is written by hand: the keys of the JSON form, in YAML.

        >>> Survey.from_yaml("attributes: [{name: smokes, levels: [no, yes]}]").attributes
        {'smokes': ('no', 'yes')}
        """
        return cls.from_plain(read_yaml(text))

    def save(self, path: str | Path) -> None:
        """Write the JSON form to a file."""
        replace_file(Path(path), (self.to_json() + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Survey:
        """Read a survey from a file: YAML if it is called .yml or .yaml, else JSON."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ValueError(f"the survey {path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ValueError(f"the survey {path} is no text in UTF-8") from None
        read = cls.from_yaml if path.suffix.lower() in (".yml", ".yaml") else cls.from_json
        try:
            return read(text)
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None


def members(spec: Mapping[str, Any]) -> list[str]:
    """The attributes that a protection names.

    >>> members({"mechanism": "multi-group", "theta": 0.8, "groups": [["A", "B"], ["C"]]})
    ['A', 'B', 'C']
    """
    return [name for group in groups(spec) for name in group]


def groups(spec: Mapping[str, Any]) -> list[list[str]]:
    """The groups of attributes that share a coin; of ``attributes`` each has its own.

    >>> groups({"mechanism": "warner", "p": 0.7, "attributes": ["A", "B"]})
    [['A'], ['B']]
    """
    if "groups" in spec:
        return [list(group) for group in spec["groups"]]
    return [[name] for name in spec["attributes"]]


# -- protections ---------------------------------------------------------------------------


def _protections(
    given: Any, attributes: Mapping[str, tuple[Any, ...]]
) -> tuple[dict[str, Any], ...]:
    """The protections as plain data of their own, checked against the attributes."""
    checked, named = [], set()
    for spec in _sequence("protection", given):
        spec = _protection(spec, attributes)
        for name in members(spec):
            if name in named:
                raise ValueError(f"the attribute {name!r} is protected twice")
            named.add(name)
        checked.append(spec)
    return tuple(checked)


def _protection(spec: dict[str, Any], attributes: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    if not isinstance(spec, Mapping) or spec.get("mechanism") not in _MECHANISMS:
        got = spec.get("mechanism") if isinstance(spec, Mapping) else spec
        raise ValueError(f"a mechanism is one of {', '.join(_MECHANISMS)}; got {_shown(got)}")
    kind = spec["mechanism"]
    needed, optional, in_groups, check = _MECHANISMS[kind]
    where = [key for key in ("attributes", "groups") if key in spec]
    if len(where) != 1 or (where == ["groups"] and not in_groups):
        says = "attributes or groups" if in_groups else "attributes"
        raise ValueError(f"the mechanism {kind} names its {says} (one of them, once)")
    plain = _mapping(
        f"the mechanism {kind}", spec, ("mechanism", *needed, *optional, *where), needed
    )
    names = plain[where[0]]
    if where == ["groups"]:
        names = [_names(kind, group, attributes) for group in _sequence("groups", names)]
        if not names:
            raise ValueError(f"the mechanism {kind} has no groups: nothing would be disguised")
    else:
        names = _names(kind, names, attributes)
    plain[where[0]] = names
    check(plain, attributes)
    order = ("mechanism", *needed, *optional, *where)
    return {key: plain[key] for key in order if plain.get(key) is not None}


def _names(kind: str, given: Any, attributes: Mapping[str, tuple[Any, ...]]) -> list[str]:
    names = [_known(n, attributes, f"the mechanism {kind}") for n in _sequence("attributes", given)]
    if not names:
        raise ValueError(f"the mechanism {kind} names no attributes: nothing would be disguised")
    if len(set(names)) < len(names):
        raise ValueError(f"the mechanism {kind} names an attribute twice: {listed(names)}")
    return names


def _check_warner(spec: dict[str, Any], attributes: Mapping[str, Any]) -> None:
    spec["p"] = _probability("p", spec["p"])
    _two_levels(spec, attributes)


def _check_krr(spec: dict[str, Any], attributes: Mapping[str, Any]) -> None:
    spec["p"] = _probability("p", spec["p"])


def _check_forced(spec: dict[str, Any], attributes: Mapping[str, Any]) -> None:
    spec["truth"] = _probability("truth", spec["truth"])
    spec["forced"] = _probabilities("forced", spec["forced"])
    _sums_to("truth and forced", spec["truth"] + math.fsum(spec["forced"]))
    for name in members(spec):
        _as_many("forced", spec["forced"], name, attributes[name])


def _check_matrix(spec: dict[str, Any], attributes: Mapping[str, Any]) -> None:
    rows = [_probabilities("matrix", row) for row in _sequence("matrix", spec["matrix"])]
    if not rows or len({len(row) for row in rows}) != 1:
        raise ValueError("matrix is a list of rows of equal length")
    for x, column in enumerate(zip(*rows, strict=True)):
        _sums_to(
            f"the column {x} of the matrix (M[y][x] = P(reported y | true x))", math.fsum(column)
        )
    for name in members(spec):
        _as_many("each row of the matrix", rows[0], name, attributes[name])
    if spec.get("outputs") is not None:
        spec["outputs"] = list(_levels("outputs", spec["outputs"]))
        if len(spec["outputs"]) != len(rows):
            raise ValueError(
                f"the matrix has {len(rows)} rows; {len(spec['outputs'])} outputs given"
            )
    elif len(rows) != len(rows[0]):
        raise ValueError(
            f"a matrix of {len(rows)} rows and {len(rows[0])} columns needs outputs: "
            "the labels of the reports"
        )
    if spec.get("prior") is not None:
        spec["prior"] = _probabilities("prior", spec["prior"])
        _sums_to("prior", math.fsum(spec["prior"]))
        if len(spec["prior"]) != len(rows[0]):
            raise ValueError(
                f"the matrix has {len(rows[0])} columns; prior has {len(spec['prior'])}"
            )
    spec["matrix"] = rows


def _check_unrelated(spec: dict[str, Any], attributes: Mapping[str, Any]) -> None:
    spec["q"] = _probability("q", spec["q"])
    if spec.get("personal") is None:
        return
    if not isinstance(spec["personal"], Mapping):
        raise ValueError("personal is a mapping from attributes to probabilities of their levels")
    own, personal = members(spec), {}
    for name, chances in spec["personal"].items():
        _known(name, own, "personal")
        personal[name] = _probabilities(f"personal of {name!r}", chances)
        _sums_to(f"personal of {name!r}", math.fsum(personal[name]))
        _as_many(f"personal of {name!r}", personal[name], name, attributes[name])
    spec["personal"] = personal


def _check_groups(spec: dict[str, Any], attributes: Mapping[str, Any]) -> None:
    spec["theta"] = _probability("theta", spec["theta"])
    if spec.get("absent") is not None:
        spec["absent"] = _level("absent", spec["absent"])
    _two_levels(spec, attributes, spec.get("absent"))


#: For each mechanism: keys it needs, keys it may have, whether it goes by groups, and its check.
_MECHANISMS: dict[str, tuple[tuple[str, ...], tuple[str, ...], bool, Callable[..., None]]] = {
    "warner": (("p",), (), False, _check_warner),
    "k-rr": (("p",), (), False, _check_krr),
    "forced-response": (("truth", "forced"), (), False, _check_forced),
    "matrix": (("matrix",), ("outputs", "prior"), False, _check_matrix),
    "unrelated-question": (("q",), ("personal",), True, _check_unrelated),
    "multi-group": (("theta",), ("absent",), True, _check_groups),
}


def _two_levels(spec: dict[str, Any], attributes: Mapping[str, Any], absent: Any = None) -> None:
    for name in members(spec):
        left = [level for level in attributes[name] if absent is None or level != absent]
        if len(left) != 2:
            raise ValueError(
                f"the mechanism {spec['mechanism']} needs two answers; {name!r} has "
                f"{listed(attributes[name])}"
            )


def _as_many(what: str, given: Sequence[Any], name: str, levels: Sequence[Any]) -> None:
    if len(given) != len(levels):
        raise ValueError(
            f"{what} has {len(given)} probabilities; {name!r} has {len(levels)} levels: "
            f"{listed(levels)}"
        )


def _sums_to(what: str, total: float) -> None:
    if abs(total - 1) > 1e-9:
        raise ValueError(f"{what} must sum to one; the sum is {total:.6g}")


def _probability(name: str, value: Any) -> float:
    number = isinstance(value, (int, float, np.integer, np.floating))
    if not number or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(f"{name} is a probability, from 0 to 1; got {_shown(value)}")
    return float(value)


def _probabilities(name: str, values: Any) -> list[float]:
    return [_probability(f"each entry of {name}", value) for value in _sequence(name, values)]


# -- plain data ----------------------------------------------------------------------------


def _name(name: Any) -> str:
    if not _text("the name of an attribute", name).strip():
        raise ValueError(f"the name of an attribute is not empty; got {_shown(name)}")
    return str(name)


def _known(name: Any, names: Any, what: str) -> str:
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} names {name!r}, which is not asked; asked is {listed(names)}")
    return name


def _levels(name: str, given: Any) -> tuple[Any, ...]:
    levels = tuple(_level(name, level) for level in _sequence(f"the levels of {name!r}", given))
    if len(levels) < 2:
        raise ValueError(f"{name!r} has the levels ({listed(levels)}); a question has at least two")
    if len({str(level) for level in levels}) < len(levels) or len(set(levels)) < len(levels):
        raise ValueError(f"the levels of {name!r} must differ, also when written: {listed(levels)}")
    return levels


def _level(name: str, level: Any) -> str | int | float | bool:
    """A level as JSON can hold it."""
    level = level.item() if isinstance(level, np.generic) else level
    if isinstance(level, str):
        return _text(f"a level of {name!r}", level)
    if isinstance(level, (bool, int)) or (isinstance(level, float) and math.isfinite(level)):
        return level
    raise ValueError(
        f"a level of {name!r} is a string, a number, True or False; got {_shown(level)}"
    )


def _declared(column: pd.Series) -> Sequence[Any] | None:
    """The levels that a column's type says; None if it says nothing."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.categories)
    return (False, True) if column.dtype.kind == "b" else None


def _shown(given: Any) -> str:
    """What was given, cut short where it is long."""
    return reprlib.repr(given)


def _text(name: str, given: Any) -> str:
    """A string that can be written to a file."""
    if not isinstance(given, str) or (not given.isascii() and _SURROGATE.search(given)):
        raise ValueError(f"{name} is a string; got {_shown(given)}")
    return str(given)


def _sequence(what: str, given: Any) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        raise ValueError(f"{what} is a list; got {_shown(given)}")
    return list(given)


def _mapping(
    what: str, given: Any, keys: Sequence[str], needed: Sequence[str] = ()
) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} is a mapping of {', '.join(keys)}; got {_shown(given)}")
    unknown = [key for key in given if key not in keys]
    if unknown:
        raise ValueError(f"{what} has no {listed(unknown)}; it has {', '.join(keys)}")
    missing = [key for key in needed if key not in given]
    if missing:
        raise ValueError(f"{what} lacks {listed(missing)}")
    return dict(given)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping from pairs, each key once: a later one would silently win."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice")
        found[key] = value
    return found


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number that a survey can hold")


class _Yaml(yaml.SafeLoader):
    """YAML in which yes, no, on and off are words, as one writes answers; and each key once."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        first: [(tag, found) for tag, found in rules if not tag.endswith((":bool", ":timestamp"))]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                raise ValueError(f"the key {key!r} stands twice")
        return super().construct_mapping(node, deep)


_Yaml.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|false|True|False)$"), list("tTfF")
)


def read_yaml(text: str) -> Any:
    """YAML as surveys are written: yes and no are words, no key stands twice.

    >>> read_yaml("levels: [no, yes]")
    {'levels': ['no', 'yes']}
    """
    try:
        return yaml.load(text, _Yaml)  # noqa: S506 (a safe loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise ValueError(f"this is no YAML: {getattr(error, 'problem', error)}{where}") from None
    except RecursionError:
        raise ValueError("this is no survey: it is nested too deeply") from None
