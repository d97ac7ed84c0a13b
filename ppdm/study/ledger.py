"""The claims ledger: entries written before the run, verdicts computed by it.

`book/claims/<stem>.yml` holds a chapter's claims (the form stands in `ppdm.study`). A `Ledger`
decides each once, from evidence, by the rule its entry names; `merge` joins the chapters' verdicts
and says what keeps a build from being one.
"""

from __future__ import annotations

import csv
import difflib
import inspect
import io
from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import NamedTuple

import yaml

from ppdm.files import replace_file
from ppdm.study.rules import RULES, WAIT_FOR_FULL_SIZE, Finding, NotFinite

REPRODUCED = "reproduced"
CAVEAT = "reproduced with a caveat"
NOT_REPRODUCED = "not reproduced"
WRONG = "wrong in the paper"
UNTESTABLE = "cannot be tested"
# Every verdict, the style it is shown in, and how it is said of several claims.
STYLES = {
    REPRODUCED: ("reproduced", "reproduced"),
    CAVEAT: ("caveat", "with a caveat"),
    NOT_REPRODUCED: ("not", "not reproduced"),
    WRONG: ("wrong", "wrong in the paper"),
    UNTESTABLE: ("untested", "cannot be tested"),
}
VERDICTS = tuple(STYLES)
NOT_DECIDED = "not decided in a quick run"

PREFIXES = {"zhan-matwin": "ZM", "zhan-du": "ZD", "guo": "GU", "huang-du": "HD"}
COLUMNS = ("id", "paper", "where", "printed", "ours", "low", "high", "rule", "verdict", "note")
KEYS = ("id", "paper", "where", "claim", "printed", "rule", "condition", "met", "unmet", "expect",
        "why", "full_size")  # fmt: skip


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
    given: dict  # the rule's parameters
    expect: str
    printed: str = ""
    condition: str = ""
    met: str = REPRODUCED
    unmet: str = NOT_REPRODUCED
    why: str = ""
    full_size: bool = True
    family: str = ""

    @property
    def rule_text(self) -> str:
        given = {k: v for k, v in self.given.items() if k != "printed"}
        inside = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in given.items())
        return f"{self.rule} ({inside})" if inside else self.rule


def read(path: str | Path) -> dict[str, Claim]:
    """The claims of one file by id, checked: an entry that could not be decided is an error here."""
    path = Path(path)
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or []
    except yaml.YAMLError as error:
        raise LedgerError(f"{path.name} is not YAML: {error}") from error
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise LedgerError(f"{path.name} must be a list of claims, each beginning with `- id:`")
    claims = {}
    for entry in entries:
        claim = _claim(entry, path.name)
        if claim.id in claims:
            raise LedgerError(f"{path.name}: claim {claim.id} is there twice")
        claims[claim.id] = claim
    families = Counter(c.family for c in claims.values() if c.family)
    for claim in claims.values():
        if claim.family:
            claim.given["family"] = families[claim.family]
    return claims


def _claim(entry: dict, file: str) -> Claim:
    name = f"{file}: claim {entry.get('id', '(without id)')}"

    def need(condition, message):
        if not condition:
            raise LedgerError(f"{name}: {message}")

    for key in entry:
        need(key in KEYS, f"unknown key {key!r}; did you mean {nearest(key, KEYS)!r}?")
    for key in ("id", "paper", "where", "claim", "rule", "expect"):
        need(entry.get(key), f"{key} is missing")
    need(
        entry["paper"] in PREFIXES,
        f"paper is {entry['paper']!r}; allowed are {', '.join(PREFIXES)}",
    )
    prefix = PREFIXES[entry["paper"]] + "-"
    need(str(entry["id"]).startswith(prefix), f"ids of {entry['paper']} begin with {prefix}")

    rule = entry["rule"] if isinstance(entry["rule"], dict) else {"name": entry["rule"]}
    given = dict(rule)
    rule = given.pop("name", None)
    need(rule in RULES, f"unknown rule {rule!r}; did you mean {nearest(str(rule), RULES)!r}?")
    family = given.pop("family", "")
    need(isinstance(family, str), "family is the name of the numbers that are printed together")
    printed = entry.get("printed", "")
    need(
        isinstance(printed, str), f"write printed in quotes ({printed!r}), so that its digits count"
    )
    parameters = _parameters(rule)
    need(not family or "family" in parameters, f"rule {rule} has no family")
    if "printed" in parameters:
        need(printed, f"rule {rule} needs the printed number")
        given["printed"] = printed
    for key in given:
        need(
            key in parameters,
            f"rule {rule} has no {key!r}; it has {', '.join(parameters) or 'nothing'}",
        )
    for key, default in parameters.items():
        need(key in given or default is not inspect.Parameter.empty, f"rule {rule} needs {key!r}")

    claim = Claim(
        id=entry["id"], paper=entry["paper"], where=str(entry["where"]), claim=str(entry["claim"]),
        rule=rule, given=given, expect=entry["expect"], printed=printed, family=family,
        condition=str(entry.get("condition", "")), why=str(entry.get("why", "")),
        met=entry.get("met", REPRODUCED), unmet=entry.get("unmet", NOT_REPRODUCED),
        full_size=bool(entry.get("full_size", rule in WAIT_FOR_FULL_SIZE)),
    )  # fmt: skip
    possible = {claim.met, claim.unmet} | ({CAVEAT} if claim.condition else set())
    if rule == "untestable":
        possible = {UNTESTABLE}
        need(claim.why, "a claim that cannot be tested needs its reason (why)")
    for verdict in (claim.met, claim.unmet, claim.expect):
        need(
            verdict in VERDICTS,
            f"{verdict!r} is no verdict; did you mean {nearest(verdict, VERDICTS)!r}?",
        )
    need(CAVEAT not in (claim.met, claim.unmet), f"{CAVEAT!r} comes from a condition")
    need(
        claim.met != claim.unmet,
        "met and unmet are the same verdict: the rule would decide nothing",
    )
    need(not claim.condition or claim.met == REPRODUCED, "a condition goes with `met: reproduced`")
    need(
        claim.expect in possible,
        f"{claim.expect!r} cannot come out; possible: {', '.join(sorted(possible))}",
    )
    return claim


def _parameters(rule: str) -> dict:
    signature = inspect.signature(RULES[rule]).parameters.values()
    return {p.name: p.default for p in signature if p.kind is p.KEYWORD_ONLY}


def nearest(word: str, known) -> str:
    """The known word most like the given one.

    >>> nearest("ZM3", ["ZM-1", "ZM-3", "ZD-4"])
    'ZM-3'
    """
    found = difflib.get_close_matches(str(word), [str(k) for k in known], n=1, cutoff=0)
    return found[0] if found else ""


class Decision(NamedTuple):
    """A claim with its verdict."""

    claim: Claim
    finding: Finding | None
    verdict: str
    note: str

    def __repr__(self) -> str:
        ours = f"; ours {interval(self.finding)}" if self.finding else ""
        printed = f"; printed {self.claim.printed}" if self.claim.printed else ""
        return f"{self.claim.id}: {self.verdict}{printed}{ours}. {self.note}"

    def row(self) -> dict:
        ours, low, high = self.finding[1:4] if self.finding else (None, None, None)
        claim = self.claim
        return dict(zip(COLUMNS, (
            claim.id, claim.paper, claim.where, claim.printed, _cell(ours), _cell(low), _cell(high),
            claim.rule_text, self.verdict, self.note,
        )))  # fmt: skip


def _cell(x) -> str:
    return "" if x is None else f"{x:.10g}"


def interval(finding: Finding) -> str:
    """Our number with its interval, for people."""
    if finding.ours is None:
        return ""
    if finding.low is None:
        return short(finding.ours)
    return f"{short(finding.ours)} ({short(finding.low)} to {short(finding.high)})"


def short(number: float) -> str:
    """Four digits of a measured number, and a count in full.

    >>> short(-0.4978621957), short(48842), short(449), short(1e-9), short(1.984e126)
    ('-0.4979', '48,842', '449', '1e-09', '1.984e+126')
    """
    if 1e3 <= abs(number) < 1e9 and float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:.4g}"


class Ledger:
    """The claims of one chapter and what has been decided of them."""

    def __init__(self, claims: dict[str, Claim], quick: str = ""):
        """`quick` says what is below the paper's size; empty at full size."""
        self.claims, self.quick, self.decided = claims, quick, {}

    def decide(
        self, id: str, *evidence, plain=None, under=None, note: str = "", **named
    ) -> Decision:
        """Apply the claim's rule to the evidence. With a condition in the entry, `plain` is the
        evidence without it and `under` the evidence with it (a dict by name, or a tuple)."""
        if id not in self.claims:
            raise LedgerError(f"unknown claim {id!r}; did you mean {nearest(id, self.claims)!r}?")
        if id in self.decided:
            raise LedgerError(f"claim {id} is decided twice")
        claim = self.claims[id]
        if claim.condition:
            if plain is None or under is None or evidence or named:
                raise LedgerError(f"claim {id} has a condition: give plain=... and under=...")
        elif plain is not None or under is not None:
            raise LedgerError(f"claim {id} has no condition: give its evidence as it is")
        else:
            plain = named if not evidence else (evidence, named)
        decision = self._decide(claim, plain, under, note)
        self.decided[id] = decision
        return decision

    def _decide(self, claim: Claim, plain, under, note: str) -> Decision:
        waits = bool(self.quick) and claim.full_size
        try:
            finding = _apply(claim, plain)
            conditional = _apply(claim, under) if claim.condition else None
        except NotFinite:
            if not waits:
                raise
            finding = conditional = None
        if waits:
            return Decision(
                claim, finding, NOT_DECIDED, _sentences(f"Quick run: {self.quick}", note)
            )
        if claim.rule == "untestable":
            verdict = UNTESTABLE
        elif finding.met:
            verdict = claim.met
        elif conditional and conditional.met:
            verdict, finding = (
                CAVEAT,
                conditional._replace(
                    note=f"Only under the condition that {claim.condition}: {_lower(conditional.note)} "
                    f"Without it, ours is {interval(finding)}: {_lower(finding.note)}"
                ),
            )
        else:
            verdict = claim.unmet
        why = claim.why if verdict != REPRODUCED else ""
        quick = f"Quick run: {self.quick}" if self.quick else ""
        return Decision(claim, finding, verdict, _sentences(finding.note, note, why, quick))

    def undecided(self) -> list[str]:
        return [id for id in self.claims if id not in self.decided]

    def changed(self) -> list[str]:
        """A sentence for each verdict that is not the expected one."""
        return [
            f"{id}: {d.verdict}, expected {d.claim.expect}"
            for id, d in self.decided.items()
            if d.verdict not in (d.claim.expect, NOT_DECIDED)
        ]

    def write(self, path: Path) -> None:
        """`claims.csv`, in the order of the claims file."""
        write_csv(path, [self.decided[id].row() for id in self.claims if id in self.decided])


def _apply(claim: Claim, evidence) -> Finding:
    args, named = (), {}
    if isinstance(evidence, dict):
        named = evidence
    elif len(evidence) == 2 and isinstance(evidence[0], tuple) and isinstance(evidence[1], dict):
        args, named = evidence
    else:
        args = tuple(evidence)
    rule = RULES[claim.rule]
    fixed = _parameters(claim.rule)
    for name in named:
        if name in fixed:
            raise LedgerError(
                f"claim {claim.id}: {name!r} is fixed in the entry, not given as evidence"
            )
    try:
        inspect.signature(rule).bind(*args, **named, **claim.given)
    except TypeError as error:
        wants = [p for p in inspect.signature(rule).parameters if p not in fixed]
        raise LedgerError(
            f"claim {claim.id}: {error}; rule {claim.rule} takes as evidence: "
            f"{', '.join(wants) or 'nothing'}"
        ) from None
    try:
        return rule(*args, **named, **claim.given)
    except NotFinite as error:
        raise NotFinite(f"claim {claim.id}: {error}") from None
    except ValueError as error:
        raise LedgerError(f"claim {claim.id}: {error}") from error


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _sentences(*parts: str) -> str:
    parts = (" ".join(p.split()) for p in parts if p)
    parts = (p[:1].upper() + p[1:] for p in parts)
    return " ".join(p if p.endswith((".", "?", "!")) else p + "." for p in parts)


class Merged(NamedTuple):
    """What `merge` found: `problems` that fail any build, `changed` verdicts that fail a full one."""

    problems: list[str]
    changed: list[str]
    undecided: list[str]  # not decided because the run was quick


def merge(results: str | Path, claims: str | Path, stems: list[str] | None = None) -> Merged:
    """Write `<results>/claims.csv` from the chapters' own, and compare it with the claims files.

    `stems` are the chapters that are present (default: all that have a claims file). A full build
    fails on anything returned; a quick one on `problems` only, and prints the rest.
    """
    results, claims = Path(results), Path(claims)
    files = {p.stem: p for p in sorted(claims.glob("*.yml"))}
    merged, everything = Merged([], [], []), []
    for stem, file in files.items():
        if stems is not None and stem not in stems:
            continue
        known, path = read(file), results / stem / "claims.csv"
        if not path.is_file():
            merged.problems.append(f"{stem}: no verdicts (the chapter has not run to its end)")
            continue
        rows = read_csv(path)
        everything += rows
        _compare(stem, known, rows, merged)
    for stem in sorted({p.parent.name for p in results.glob("*/claims.csv")} - set(files)):
        merged.problems.append(f"{stem}: verdicts without a claims file ({stem}.yml)")
    for id, times in Counter(row["id"] for row in everything).items():
        if times > 1:
            merged.problems.append(f"{id}: decided in {times} chapters")
    write_csv(results / "claims.csv", everything)
    return merged


def _compare(stem: str, known: dict[str, Claim], rows: list[dict], merged: Merged) -> None:
    found = {row["id"]: row["verdict"] for row in rows}
    for id, claim in known.items():
        if id not in found:
            merged.problems.append(f"{stem}: claim {id} has no verdict")
        elif found[id] == NOT_DECIDED:
            merged.undecided.append(f"{stem}: claim {id} is {NOT_DECIDED}")
        elif found[id] != claim.expect:
            merged.changed.append(f"{stem}: claim {id} is {found[id]}, expected {claim.expect}")
    for id in found:
        if id not in known:
            near = nearest(id, known)
            merged.problems.append(f"{stem}: verdict on {id}, which is no claim (nearest: {near})")


def write_csv(path: Path, rows: list[dict]) -> None:
    """Write claims as CSV, whole or not at all."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    replace_file(path, text.getvalue().encode())


def read_csv(path: Path) -> list[dict]:
    """The claims of a CSV file, a dictionary each."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def summary(decisions) -> str:
    """How many of each verdict, in words.

    >>> summary([])
    'no claims'
    """
    counts = Counter(d.verdict for d in decisions)
    words = [f"{counts[v]} {v}" for v in (*VERDICTS, NOT_DECIDED) if counts[v]]
    total = sum(counts.values())
    return f"{total} claim{'s' if total != 1 else ''}: {', '.join(words)}" if total else "no claims"


def link(id: str) -> str:
    """A link to the card of a claim on the same page."""
    return f'<a href="#claim-{escape(id)}">{escape(id)}</a>'
