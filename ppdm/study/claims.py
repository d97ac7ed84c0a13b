"""Claims: the entries of `book/claims/<stem>.yml`, each with its rule; the form stands in `ppdm.study`."""

from __future__ import annotations

import difflib
import inspect
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from ppdm.study import history, rules, tidy
from ppdm.study.rules import OPEN

REPRODUCED = "reproduced"
CONDITION = "reproduced under a condition"
NOT_CONTRADICTED, NOT_REPRODUCED = "not contradicted", "not reproduced"
UNTESTABLE = "cannot be tested"
SUPPORTED, NOT_SUPPORTED = "supported", "not supported"
# Every verdict and the style it is shown in. What our own claims come to is counted apart.
STYLES = {
    REPRODUCED: "reproduced",
    CONDITION: "caveat",
    NOT_CONTRADICTED: "caveat",  # of a rule that can only refute
    NOT_REPRODUCED: "not",
    "wrong": "wrong",  # a formula or a count shows it
    "a promise not kept": "wrong",  # a guarantee, against its own words
    OPEN: "untested",
    UNTESTABLE: "untested",
    SUPPORTED: "reproduced",
    NOT_SUPPORTED: "not",
}
OURS_TOO = (SUPPORTED, NOT_SUPPORTED)
VERDICTS = tuple(STYLES)
NOT_DECIDED = "not decided in a quick run"
OWN = "which"  # the chapter whose claims are ours
PREFIXES = {"zhan-matwin": "ZM", "zhan-du": "ZD", "guo": "GU", "huang-du": "HD", "which": "WC"}


class LedgerError(ValueError):
    """The ledger and the chapter do not fit together."""


@dataclass(frozen=True)
class Claim:
    """One entry of a claims file."""

    id: str
    paper: str
    where: str
    claim: str
    rule: str
    expect: str
    given: dict = field(default_factory=dict)  # the rule's parameters
    printed: str = ""
    condition: str = ""
    met: str = REPRODUCED
    unmet: str = NOT_REPRODUCED
    why: str = ""  # said of every verdict but "reproduced"
    note: str = ""  # said of any
    full_size: bool = True
    family: str = ""
    unit: str = ""
    refuses: tuple[str, ...] = ()  # plants in which the rule must not be met
    accepts: tuple[str, ...] = ()  # plants in which it must be: the claim is true there
    by_construction: str = ""  # why no plant can break the claim
    one_world: str = ""  # why there is no other world: an identity, a count
    evidence: dict = field(default_factory=dict)  # rows, where, from and its arguments
    each: tuple[
        str, ...
    ] = ()  # columns: the rule is asked of each combination, and must be met by all
    margin: str = ""  # of indifference: a name of `margins.yml`
    was: tuple[str, ...] = ()  # claims that are one with it now: their addresses lead here
    central: bool = False  # one of the five or six that the paper's abstract makes
    needs: tuple[str, ...] = ()  # checks of the method, without which nothing is decided
    history: str = ""  # when its rule was written, one of history.STATUSES

    @property
    def rows(self) -> str:
        """The function that computes its evidence; empty where the chapter hands it over."""
        return self.evidence.get("plain", self.evidence).get("rows", "")

    @property
    def rule_text(self) -> str:
        given = {k: v for k, v in self.given.items() if k not in ("printed", "margin")}
        inside = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in given.items())
        text = f"{self.rule} ({inside})" if inside else self.rule
        return f"{text}, margin {self.given['margin']:g} ({self.margin})" if self.margin else text


FEW = 6  # printed numbers that are told one by one
LISTS = ("refuses", "accepts", "was", "each", "needs")
NEEDED = ("id", "paper", "where", "claim", "rule", "expect")
KEYS = tuple({f.name for f in fields(Claim)} - {"given", "family", "history"})


def read(path: str | Path) -> dict[str, Claim]:
    """The claims of one file by id, checked: an entry that could not be decided is an error here."""
    path = Path(path)
    try:
        entries = history.written(path)
    except yaml.YAMLError as error:
        raise LedgerError(f"{path.name} is not YAML: {error}") from error
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise LedgerError(f"{path.name} must be a list of claims, each beginning with `- id:`")
    rulebook, claims = history.read(path.parent), {}
    margins = history.margins(path.parent)
    for entry in entries:
        rule = entry.get("rule")
        given = dict(rule if isinstance(rule, dict) else {"name": rule})
        name, family = given.pop("name", None), given.pop("family", "")
        fault = next(_faults(entry, name, given, family, margins), "")
        if not fault and entry["id"] in claims:
            fault = "is there twice"
        if fault:
            raise LedgerError(f"{path.name}: claim {entry.get('id', '(without id)')} {fault}")
        told = {key: value for key, value in entry.items() if key in KEYS}
        told |= {key: _names(told[key]) for key in LISTS if key in told}
        told |= {
            "rule": name,
            "family": family,
            "history": rulebook.status(entry["id"], *told.get("was", ())),
        }
        told.setdefault("full_size", name in rules.WAIT_FOR_FULL_SIZE)
        if "margin" in entry:
            given["margin"] = margins[entry["margin"]]["margin"]
        if entry["paper"] == OWN:
            told = {"met": SUPPORTED, "unmet": NOT_SUPPORTED} | told
        if "printed" in rules.FIXED[name]:
            given["printed"] = entry["printed"]
        told["printed"] = printed(entry)
        claims[entry["id"]] = Claim(**told, given=given)
    families: Counter[str] = Counter()
    for claim in claims.values():
        families[claim.family] += len(claim.given["printed"]) if claim.family and claim.each else 1
    for claim in claims.values():
        if claim.family:
            claim.given["family"] = families[claim.family]
    return claims


def _names(names: Any) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names or ())


def _printed(entry: dict) -> list:
    """The printed numbers of an entry: one, or one for each of its parts."""
    given = entry.get("printed", "")
    return list(given.values()) if isinstance(given, dict) and entry.get("each") else [given]


def printed(entry: dict) -> str:
    """What an entry has as printed, in short.

    >>> printed({"printed": {"0.6": "0.6", "0.7": "0.5"}, "each": ["delta"]})
    '0.6, 0.5'
    """
    numbers = _printed(entry)
    return ", ".join(numbers) if len(numbers) <= FEW else f"{len(numbers)} numbers"


def _faults(
    entry: dict, rule: Any, given: dict, family: Any, margins: dict[str, dict]
) -> Iterator[str]:
    """What an entry lacks or has too much of, a sentence each; the first of them is said."""
    for key in [key for key in entry if key not in KEYS]:
        yield f"has the unknown key {key!r}; did you mean {nearest(key, KEYS)!r}?"
    yield from (f"has no {key}: {key} is missing" for key in NEEDED if not entry.get(key))
    paper, condition = entry["paper"], entry.get("condition", "")
    words = OURS_TOO if paper == OWN else (REPRODUCED, NOT_REPRODUCED)
    met, unmet = (entry.get(key, word) for key, word in zip(("met", "unmet"), words, strict=True))
    if paper not in PREFIXES:
        yield f"names the paper {paper!r}; allowed are {', '.join(PREFIXES)}"
    if not str(entry["id"]).startswith(PREFIXES[paper] + "-"):
        yield f"is misnamed: ids of {paper} begin with {PREFIXES[paper]}-"
    if rule not in rules.RULES:
        yield f"has the unknown rule {rule!r}; did you mean {nearest(str(rule), rules.RULES)!r}?"
    fixed = rules.FIXED[rule]
    table = [
        (isinstance(family, str), "needs as family the name of numbers that are printed together"),
        *((isinstance(number, str), f"is printed as {number!r}: write it in quotes, so that its digits count")
          for number in _printed(entry)),
        (not family or "family" in fixed, f"has a family, and the rule {rule} knows none"),
        ("printed" not in fixed or entry.get("printed"), f"needs the printed number, for its rule {rule}"),
        *((key in fixed, f"gives {key!r}: the rule {rule} has no {key!r}; it has {', '.join(fixed) or 'nothing'}")
          for key in given if key != "margin"),
        ("margin" not in given, "gives its rule a margin of its own: margins have names, and stand in margins.yml"),
        ("margin" not in entry or (entry["margin"] in margins and rule in rules.WEIGH_CHANCE),
         f"has the margin {entry.get('margin')!r}; rules that weigh chance have one of {', '.join(margins)}"),
        *((key in {*given, "printed"} or not needed, f"is not complete: rule {rule} needs {key!r}")
          for key, needed in fixed.items()),
        *((isinstance(name, str) and ";" not in name, f"{key} is a list of names")
          for key in LISTS for name in _names(entry.get(key))),
        (not (entry.get("by_construction") and entry.get("refuses")),
         "is true by construction: it has no plant that its rule refuses"),
        (rule != "untestable" or entry.get("why"), "cannot be tested and needs its reason (why)"),
        *((verdict in VERDICTS, f"says {verdict!r}, no verdict; did you mean {nearest(verdict, VERDICTS)!r}?")
          for verdict in (met, unmet, entry["expect"])),
        (CONDITION not in (met, unmet), f"cannot say {CONDITION!r} by itself: it comes from a condition"),
        (met != unmet, "leads to the same verdict, met or unmet: the rule would decide nothing"),
        (not condition or met in (*words, NOT_CONTRADICTED), "is wrong in its verdict: a condition goes with `met: reproduced`"),
        *_of_evidence(entry.get("evidence")),
    ]  # fmt: skip
    yield from (sentence for holds, sentence in table if not holds)
    possible = (
        {UNTESTABLE}
        if rule == "untestable"
        else {met, unmet}
        | ({CONDITION} if condition else set())
        | ({OPEN} if rule in rules.WAIT_FOR_FULL_SIZE else set())
    )
    if entry["expect"] not in possible:
        yield f"expects {entry['expect']!r}, which cannot come out; possible: {', '.join(sorted(possible))}"


def _of_evidence(evidence: Any) -> Iterator[tuple[bool, str]]:
    """Whether an entry's evidence names what there is."""
    known, allowed = evidence if isinstance(evidence, dict) else {}, ", ".join(tidy.EXTRACTORS)
    allowed += " or one of the paper's own"
    parts = [known[part] for part in ("plain", "under") if part in known] or [evidence]
    for part in parts if evidence is not None else []:
        named = isinstance(part, dict) and "rows" in part and isinstance(part.get("from"), str)
        yield (
            named,
            f"has evidence {part!r}; it needs `rows` (a function of the paper's rows.py) and `from`, one of {allowed}",
        )
        if named and part["from"] in tidy.EXTRACTORS:
            takes = list(inspect.signature(tidy.EXTRACTORS[part["from"]]).parameters)[1:]
            more = [key for key in part if key not in ("rows", "where", "from", *takes)]
            yield not more, f"gives its evidence {more}; {part['from']!r} takes {', '.join(takes)}"


def nearest(word: str, known: Iterable[object]) -> str:
    """The known word most like the given one.

    >>> nearest("ZM3", ["ZM-1", "ZM-3", "ZD-4"])
    'ZM-3'
    """
    alike = difflib.get_close_matches(str(word), [str(k) for k in known], n=1, cutoff=0)
    return alike[0] if alike else ""
