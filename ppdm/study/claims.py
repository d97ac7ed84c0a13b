"""Claims: the entries of `book/claims/<stem>.yml`, each with its rule; the form stands in `ppdm.study`."""

from __future__ import annotations

import difflib
import inspect
import zlib
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
    unit: str = ""
    refuses: tuple[str, ...] = ()  # plants in which the rule must not be met
    accepts: tuple[str, ...] = ()  # plants in which it must be: the claim is true there
    one_world: str = ""  # why there is no other world: an identity, a count
    evidence: dict = field(default_factory=dict)  # rows, where, from and its arguments
    each: tuple[str, ...] = ()  # columns: each combination is asked, and must meet the rule
    margin: str = ""  # of indifference: a name of `margins.yml`
    was: tuple[str, ...] = ()  # claims that are one with it now: their addresses lead here
    central: bool = False  # one of the five or six that the paper's abstract makes
    needs: tuple[str, ...] = ()  # checks of the method, without which nothing is decided
    history: str = ""  # when its rule was written, one of history.STATUSES
    rows: str = ""  # the function that computes its evidence; empty where it is handed over
    rule_text: str = ""  # the rule with what the entry fixes for it, for people
    seed: int = 0  # of the worlds in which its rule's errors are measured


FEW = 6  # printed numbers that are told one by one
LISTS = ("refuses", "accepts", "was", "each", "needs")
NEEDED = ("id", "paper", "where", "claim", "rule", "expect")
KEYS = tuple({f.name for f in fields(Claim)} - {"given", "history", "rows", "rule_text", "seed"})


def read(path: str | Path) -> dict[str, Claim]:
    """The claims of one file by id, checked: an entry that could not be decided is an error here."""
    path = Path(path)
    try:
        entries = history.written(path)
    except yaml.YAMLError as error:
        raise LedgerError(f"{path.name} is not YAML: {error}") from error
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise LedgerError(f"{path.name} must be a list of claims, each beginning with `- id:`")
    rulebook, margins = history.read(path.parent), history.margins(path.parent)
    claims: dict[str, Claim] = {}
    for entry in entries:
        fault = next(
            _faults(entry, margins), "" if entry.get("id") not in claims else "is there twice"
        )
        if fault:
            raise LedgerError(f"{path.name}: claim {entry.get('id', '(without id)')} {fault}")
        name, given = _rule(entry)
        told: dict[str, Any] = {
            key: _names(value) if key in LISTS else value for key, value in entry.items()
        }
        told.setdefault("full_size", name in rules.WAIT_FOR_FULL_SIZE)
        if entry["paper"] == OWN:
            told = {"met": SUPPORTED, "unmet": NOT_SUPPORTED} | told
        if "margin" in entry:
            given["margin"] = margins[entry["margin"]]["margin"]
        if "printed" in rules.FIXED[name]:
            given["printed"] = entry["printed"]
        if "family" in given:  # how many numbers are printed together
            given["family"] = len(_printed(entry))
        inside = ", ".join(
            f"{k.replace('_', ' ')} {v}" for k, v in given.items() if k not in ("printed", "margin")
        )
        margin = f", margin {given['margin']:g} ({entry['margin']})" if "margin" in entry else ""
        evidence = entry.get("evidence", {})
        told |= {
            "rows": evidence.get("plain", evidence).get("rows", ""),
            "rule_text": f"{name} ({inside}){margin}" if inside else f"{name}{margin}",
            "rule": name, "printed": printed(entry), "seed": zlib.crc32(entry["id"].encode()),
            "history": rulebook.status(entry["id"], *told.get("was", ())),
        }  # fmt: skip
        claims[entry["id"]] = Claim(**told, given=given)
    return claims


def _rule(entry: dict) -> tuple[Any, dict]:
    """The name of an entry's rule, and what the entry fixes for it."""
    rule = entry.get("rule")
    given = dict(rule if isinstance(rule, dict) else {"name": rule})
    return given.pop("name", None), given


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


def _faults(entry: dict, margins: dict[str, dict]) -> Iterator[str]:
    """What an entry lacks or has too much of, a sentence each; the first of them is said."""
    for key in [key for key in entry if key not in KEYS]:
        yield f"has the unknown key {key!r}; did you mean {nearest(key, KEYS)!r}?"
    yield from (f"has no {key}: {key} is missing" for key in NEEDED if not entry.get(key))
    (rule, given), paper, condition = _rule(entry), entry["paper"], entry.get("condition", "")
    words = OURS_TOO if paper == OWN else (REPRODUCED, NOT_REPRODUCED)
    met, unmet = entry.get("met", words[0]), entry.get("unmet", words[1])
    if paper not in PREFIXES:
        yield f"names the paper {paper!r}; allowed are {', '.join(PREFIXES)}"
    if not str(entry["id"]).startswith(PREFIXES[paper] + "-"):
        yield f"is misnamed: ids of {paper} begin with {PREFIXES[paper]}-"
    if rule not in rules.RULES:
        yield f"has the unknown rule {rule!r}; did you mean {nearest(str(rule), rules.RULES)!r}?"
    fixed = rules.FIXED[rule]
    possible = {UNTESTABLE} if rule == "untestable" else {met, unmet}
    possible |= {CONDITION} if condition else set()
    possible |= {OPEN} if rule in rules.WAIT_FOR_FULL_SIZE else set()
    table = [
        *((isinstance(number, str), f"is printed as {number!r}: write it in quotes, so that its digits count")
          for number in _printed(entry)),
        ("printed" not in fixed or entry.get("printed"), f"needs the printed number, for its rule {rule}"),
        ("margin" not in given, "gives its rule a margin of its own: margins have names, and stand in margins.yml"),
        *((key in fixed, f"gives {key!r}: the rule {rule} has no {key!r}; it has {', '.join(fixed) or 'nothing'}")
          for key in given),
        ("margin" not in entry or (entry["margin"] in margins and rule in rules.WEIGH_CHANCE),
         f"has the margin {entry.get('margin')!r}; rules that weigh chance have one of {', '.join(margins)}"),
        *((key in {*given, "printed"} or not needed, f"is not complete: rule {rule} needs {key!r}")
          for key, needed in fixed.items()),
        (rule != "untestable" or entry.get("why"), "cannot be tested and needs its reason (why)"),
        *((verdict in VERDICTS, f"says {verdict!r}, no verdict; did you mean {nearest(verdict, VERDICTS)!r}?")
          for verdict in (met, unmet, entry["expect"])),
        (met != unmet, "leads to the same verdict, met or unmet: the rule would decide nothing"),
        (not condition or met in (*words, NOT_CONTRADICTED), "is wrong in its verdict: a condition goes with `met: reproduced`"),
        *_of_evidence(entry.get("evidence")),
        (entry["expect"] in possible,
         f"expects {entry['expect']!r}, which cannot come out; possible: {', '.join(sorted(possible))}"),
    ]  # fmt: skip
    yield from (sentence for holds, sentence in table if not holds)


def _of_evidence(evidence: Any) -> Iterator[tuple[bool, str]]:
    """Whether an entry's evidence names what there is."""
    allowed = f"{', '.join(tidy.EXTRACTORS)} or one of the paper's own"
    both = isinstance(evidence, dict) and {"plain", "under"} == set(evidence)
    for part in [] if evidence is None else evidence.values() if both else [evidence]:
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
