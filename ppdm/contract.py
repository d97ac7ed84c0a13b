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
triangular          ``p``: the first answer is reported as the second with probability p; the second
                    as it is (asked is whether it, or an unrelated question with a yes in p of all
                    cases, or both, are answered yes)
crosswise           ``p``: as warner, but asked is whether of two questions, the other of which has a yes
                    in p of all cases, both or neither are answered yes, or exactly one is
extended-crosswise  ``p``: the same in two halves by chance: in the second the other question is turned
cheating-detection  ``halves``: in each of two halves by chance, the probability of being told to give the
                    second answer, else the truth
unrelated-question  ``q``: probability of the private answers; ``personal``: for each attribute the
                    known probabilities of its levels in the personal answers, else all alike
multi-group         ``theta``: the truth with probability θ, else all answers of a group reversed;
                    ``absent``: the level that stays as it is
==================  ==============================================================================

and with ``attributes``, each of which is disguised by itself, or (the last two) with ``groups``:
lists of attributes that share one coin. Attributes that no protection names are open. What is for two answers takes
``absent``, too: a third and last one, "I'd rather not say", which is sent as it is.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from ppdm.domain import Domain, Frozen, listed
from ppdm.files import replace_file
from ppdm.levels import in_order, probability, refuse_alike

FORMAT, VERSION = "ppdm survey", 1
_HALF = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold


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
    known
        The true shares of the levels of attributes where they are known: of an anchor, which is asked only to
        see how many follow the instructions (`ppdm.survey.compliance`).

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
    known: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        levels_of = self.attributes
        _require(
            isinstance(levels_of, Mapping) and len(levels_of),
            "a survey asks something: attributes", "is a mapping from names to levels", levels_of,
        )  # fmt: skip
        attributes = {_name(name): _levels(name, levels) for name, levels in levels_of.items()}
        refuse_alike("the attributes", attributes)
        _text("title", self.title)
        if self.target is not None:
            _known(self.target, attributes, "the class")
        allowed = "is a mapping from attributes to the words they are asked in"
        _require(isinstance(self.questions, Mapping), "questions", allowed, self.questions)
        for name, words in self.questions.items():
            _text(f"the question for {_known(name, attributes, 'questions')!r}", words)
        frequencies = _distributions("known", self.known)
        for name, shares in frequencies.items():
            levels = attributes[_known(name, attributes, "known")]
            allowed = f"has a share for each level of {name!r} ({listed(levels)})"
            _require(len(shares) == len(levels), "known", allowed, shares)
        plain = {
            "attributes": attributes, "questions": self.questions, "known": frequencies,
            "protection": _protections(self.protection, attributes),
        }  # fmt: skip
        for name, value in plain.items():
            object.__setattr__(self, name, _rebuilt(value, Frozen, tuple))

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
        names = {name for spec in self.protection for name in members(spec)}
        return tuple(name for name in self.names if name in names)

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

    # -- as a file -------------------------------------------------------------------------

    def to_plain(self) -> dict[str, Any]:
        """The survey as lists, mappings, strings and numbers."""
        attributes = []
        for name, levels in self.attributes.items():
            entry: dict[str, Any] = {"name": name, "levels": list(levels)}
            if name in self.questions:
                entry["question"] = self.questions[name]
            if name in self.known:
                entry["known"] = list(self.known[name])
            attributes.append(entry)
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "attributes": attributes,
            "class": self.target,
            "protection": _rebuilt(self.protection, dict, list),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Survey:
        """The inverse of :meth:`to_plain`; only ``attributes`` must be there.

        >>> Survey.from_plain({"attributes": [{"name": "A", "levels": [0, 1]}]}).names
        ('A',)
        """
        parts = ("format", "version", "title", "attributes", "class", "protection")
        plain = _mapping("a survey", plain, parts, needed=("attributes",))
        form, version = plain.get("format", FORMAT), plain.get("version", VERSION)
        _require(form == FORMAT, "the format of a survey", f"is {FORMAT!r}", form)
        readable = version == VERSION and not isinstance(version, bool)
        _require(readable, "the version of a survey", f"is {VERSION} for this program", version)
        keys = ("name", "levels", "question", "known")
        entries = [
            _mapping("an attribute", entry, keys, needed=("name", "levels"))
            for entry in _sequence("attributes", plain["attributes"])
        ]
        attributes = _once([(_name(entry["name"]), entry["levels"]) for entry in entries])
        questions, shares = (
            {entry["name"]: entry[key] for entry in entries if key in entry}
            for key in ("question", "known")
        )
        title, protection = plain.get("title", ""), plain.get("protection", ())
        return cls(attributes, protection, plain.get("class"), title, questions, shares)

    def to_json(self) -> str:
        """The survey as it is published: one JSON text, the same for equal surveys."""
        return json.dumps(self.to_plain(), ensure_ascii=False, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Survey:
        """The inverse of :meth:`to_json`; anything else is refused."""
        try:
            plain = json.loads(text, object_pairs_hook=_once)
        except json.JSONDecodeError as error:
            raise ValueError(f"this is no JSON: {error}") from None
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


def _protections(given: Any, attributes: Mapping[str, tuple]) -> list[dict[str, Any]]:
    """The protections as plain data of their own, checked against the attributes."""
    checked = [_protection(spec, attributes) for spec in _sequence("protection", given)]
    names = [name for spec in checked for name in members(spec)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the attribute {name!r} is protected twice")
    return checked


def _protection(given: Any, attributes: Mapping[str, tuple]) -> dict[str, Any]:
    """One protection: each key read as the table of mechanisms says, then held to the levels."""
    kind: Any = given.get("mechanism") if isinstance(given, Mapping) else given
    is_device = isinstance(given, Mapping) and isinstance(kind, str) and kind in _MECHANISMS
    _require(is_device, "a mechanism", f"is one of {', '.join(_MECHANISMS)}", kind)
    mechanism, who = _MECHANISMS[kind], f"the mechanism {kind}"
    readers = mechanism.needed | mechanism.optional | {"attributes": _sequence}
    if mechanism.groups:
        readers["groups"] = _lists
    spec = _mapping(who, given, ("mechanism", *readers), tuple(mechanism.needed))
    plain = {"mechanism": kind} | {
        key: read(key, spec[key])
        for key, read in readers.items()
        if key in mechanism.needed or spec.get(key) is not None
    }
    where = [key for key in ("attributes", "groups") if key in readers]
    keys = [key for key in where if key in plain]
    _require(len(keys) == 1, who, f"names its {' or its '.join(where)}", keys)
    if not all(groups(plain)) or not plain[keys[0]]:
        raise ValueError(f"{who} has no {keys[0]}: nothing would be disguised")
    _fit(who, plain, mechanism, attributes)
    return plain


def _fit(
    who: str, spec: dict[str, Any], mechanism: _Mechanism, attributes: Mapping[str, tuple]
) -> None:
    """What has a number for each level has as many as there are levels, and sums to one."""
    personal = spec.get("personal", {})
    for name in personal:
        _known(name, members(spec), "personal")
    if "forced" in spec:
        _sums_to("truth and forced", [spec["truth"], *spec["forced"]])
    for name in members(spec):
        levels = attributes[_known(name, attributes, who)]
        chances = {"forced": spec.get("forced"), "prior": spec.get("prior"),
                   "each row of the matrix": spec.get("matrix", [None])[0],
                   f"personal of {name!r}": personal.get(name)}  # fmt: skip
        for what, chance in chances.items():
            allowed = f"has a probability for each level of {name!r} ({listed(levels)})"
            _require(chance is None or len(chance) == len(levels), what, allowed, chance)
        ends = [level for level in levels if level != spec.get("absent", levels)]
        allowed = f"is for two answers; {name!r} has {listed(levels)}"
        _require(not mechanism.two or len(ends) == 2, who, allowed, ends)
        last = mechanism.groups or len(ends) == len(levels) or levels[-1] == spec.get("absent")
        _require(last, f"what is absent of {name!r}", "is its last level", spec.get("absent"))
    if "matrix" in spec:
        rows, outputs = spec["matrix"], spec.get("outputs")
        allowed = f"of {len(rows)} rows and {len(rows[0])} columns has an output for each row"
        _require(len(outputs or rows[0]) == len(rows), "a matrix", allowed, outputs)


# -- kinds of values: each reads what was given for a key, or refuses it -----------------------


def _probabilities(what: str, given: Any) -> list[float]:
    return [probability(f"each entry of {what}", value) for value in _sequence(what, given)]


def _pair(what: str, given: Any) -> list[float]:
    chances = _probabilities(what, given)
    different = len(chances) == 2 and chances[0] != chances[1]
    _require(different, what, "are two different probabilities", given)
    return chances


def _distribution(what: str, given: Any) -> list[float]:
    return _sums_to(what, _probabilities(what, given))


def _distributions(what: str, given: Any) -> dict[str, list[float]]:
    allowed = "is a mapping from attributes to probabilities of their levels"
    _require(isinstance(given, Mapping), what, allowed, given)
    return {name: _distribution(f"{what} of {name!r}", chances) for name, chances in given.items()}


def _lists(what: str, given: Any) -> list[list[Any]]:
    return [_sequence(f"each of the {what}", group) for group in _sequence(what, given)]


def _matrix(what: str, given: Any) -> list[list[float]]:
    rows = [_probabilities(what, row) for row in _lists(what, given)]
    sizes = [len(row) for row in rows]
    _require(len(set(sizes)) == 1, what, "is a list of rows of equal length", sizes)
    for x, column in enumerate(zip(*rows, strict=True)):
        _sums_to(f"column {x} of the matrix (M[y][x] = P(reported y | true x))", column)
    return rows


def _sums_to(what: str, chances: Sequence[float]) -> list[float]:
    total = math.fsum(chances)
    if abs(total - 1) > 1e-9:
        raise ValueError(f"{what} must sum to one; the sum is {total:.12g}")
    return list(chances)


def _level(what: str, given: Any) -> str | int | float | bool:
    """A level as JSON can hold it."""
    level = given.item() if isinstance(given, np.generic) else given
    whole = isinstance(level, (bool, int)) or (isinstance(level, float) and math.isfinite(level))
    _require(whole or _is_text(level), what, "is a string, a number, True or False", level)
    return level


def _levels(name: str, given: Any) -> tuple[Any, ...]:
    what = f"the levels of {name!r}"
    levels = tuple(_level(f"a level of {name!r}", level) for level in _sequence(what, given))
    _require(len(levels) > 1, what, "are at least two", levels)
    refuse_alike(what, levels)
    return levels


class _Mechanism(NamedTuple):
    """The keys of a protection: how each is read, and what its attributes must be like."""

    needed: dict[str, Callable[[str, Any], Any]]
    optional: dict[str, Callable[[str, Any], Any]] = {}  # noqa: RUF012 (nobody writes into it)
    groups: bool = False  # attributes may share a coin
    two: bool = False  # for two answers, besides one that stays as it is


_ABSENT: dict[str, Callable[[str, Any], Any]] = {"absent": _level}
_MECHANISMS = {
    "warner": _Mechanism({"p": probability}, _ABSENT, two=True),
    "k-rr": _Mechanism({"p": probability}),
    "forced-response": _Mechanism({"truth": probability, "forced": _probabilities}),
    "matrix": _Mechanism({"matrix": _matrix}, {"outputs": _levels, "prior": _distribution}),
    "triangular": _Mechanism({"p": probability}, _ABSENT, two=True),
    "crosswise": _Mechanism({"p": probability}, _ABSENT, two=True),
    "extended-crosswise": _Mechanism({"p": probability}, _ABSENT, two=True),
    "cheating-detection": _Mechanism({"halves": _pair}, _ABSENT, two=True),
    "unrelated-question": _Mechanism({"q": probability}, {"personal": _distributions}, groups=True),
    "multi-group": _Mechanism({"theta": probability}, _ABSENT, groups=True, two=True),
}


# -- plain data ----------------------------------------------------------------------------


def _require(holds: object, what: str, allowed: str, given: Any) -> None:
    """The one sentence of a refusal: what it is about, what is allowed, what was given."""
    if not holds:
        raise ValueError(f"{what} {allowed}; got {reprlib.repr(given)}")


def _rebuilt(value: Any, mapping: type, sequence: type) -> Any:
    """Plain data once more, down to the last list, as these kinds of mapping and sequence."""
    if isinstance(value, Mapping):
        return mapping({name: _rebuilt(v, mapping, sequence) for name, v in value.items()})
    if isinstance(value, (list, tuple)):
        return sequence(_rebuilt(v, mapping, sequence) for v in value)
    return value


def _name(name: Any) -> str:
    holds = _is_text(name) and name.strip()
    _require(holds, "the name of an attribute", "is a string that is not empty", name)
    return str(name)


def _known(name: Any, names: Any, what: str) -> str:
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} names {name!r}, which is not among {listed(names)}")
    return name


def _is_text(given: Any) -> bool:
    """Whether this is a string that can be written to a file."""
    return isinstance(given, str) and (given.isascii() or not _HALF.search(given))


def _text(what: str, given: Any) -> str:
    _require(_is_text(given), what, "is a string", given)
    return str(given)


def _sequence(what: str, given: Any) -> list[Any]:
    single = isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__")
    _require(not single, what, "is a list", given)
    return list(in_order(what, given))


def _mapping(what: str, given: Any, keys: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    _require(isinstance(given, Mapping), what, f"is a mapping of {', '.join(keys)}", given)
    unknown = [key for key in given if key not in keys]
    if unknown:
        raise ValueError(f"{what} has no {listed(unknown)}; it has {', '.join(keys)}")
    missing = [key for key in needed if key not in given]
    if missing:
        raise ValueError(f"{what} lacks {listed(missing)}")
    return dict(given)


def _once(pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """A mapping from pairs, each key once: a later one would silently win."""
    keys = [key for key, _ in pairs]
    for place, key in enumerate(keys):
        if key in keys[:place]:
            raise ValueError(f"the key {key!r} stands twice")
    return dict(pairs)


class _Yaml(yaml.SafeLoader):
    """YAML whose words are as typed: yes and no, 9:30 and 010, dates; and each key once."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (filled below)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        _once([(self.construct_object(key, deep=True), None) for key, _ in node.value])
        return super().construct_mapping(node, deep)


for _tag, _pattern, _first in (
    ("bool", "true|false|True|False", "tTfF"),
    ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"-?(?:0|[1-9]\d*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9]\d*)?\.\d+|-?[1-9](?:\.\d+)?e[-+]\d\d+", "-.0123456789"),
):
    _Yaml.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first)
    )


def read_yaml(text: str) -> Any:
    """YAML as surveys are written: words are as typed, no key stands twice.

    >>> read_yaml("levels: [no, yes, 9:30, 010, 10, 0.5]")
    {'levels': ['no', 'yes', '9:30', '010', 10, 0.5]}
    """
    try:
        return yaml.load(text, _Yaml)  # noqa: S506 (a safe loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise ValueError(f"this is no YAML: {getattr(error, 'problem', error)}{where}") from None
    except RecursionError:
        raise ValueError("this is no survey: it is nested too deeply") from None
