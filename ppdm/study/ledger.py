"""The claims ledger: entries with their rules, verdicts computed by the run, in many worlds.

`book/claims/<stem>.yml` holds a chapter's claims (the form stands in `ppdm.study`). A `Ledger`
decides each once, from evidence, by the rule its entry names, and asks the same rule in other
worlds and in wrong ones; `merge` joins the chapters' verdicts and says what keeps a build from being
one.
"""

from __future__ import annotations

import csv
import difflib
import inspect
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ppdm.data import in_words
from ppdm.files import replace_file
from ppdm.study import history
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

PREFIXES = {"zhan-matwin": "ZM", "zhan-du": "ZD", "guo": "GU", "huang-du": "HD", "which": "WC"}
COLUMNS = ("id", "paper", "where", "printed", "ours", "low", "high", "rule", "verdict", "note",
           "worlds", "holds", "fails_in", "refuses", "firm", "worst", "unit", "limits",
           "history")  # fmt: skip
WORLD_COLUMNS = ("claim", "world", "value", "low", "high", "met")
KEYS = ("id", "paper", "where", "claim", "printed", "rule", "condition", "met", "unmet", "expect",
        "why", "note", "full_size", "unit", "refuses", "accepts", "by_construction",
        "one_world")  # fmt: skip
OWN = "ours"
PLANT = "plant: "  # before the name of a wrong world, in the file of all worlds
DRAWS = 0.9  # a firm verdict comes out in so many of the single draws of chance
ENOUGH = 10  # draws of chance that a verdict is asked in, unless its entry says why not


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
    why: str = ""  # said of every verdict but "reproduced"
    note: str = ""  # said of any
    full_size: bool = True
    family: str = ""
    unit: str = ""
    refuses: tuple[str, ...] = ()  # plants in which the rule must not be met
    accepts: tuple[str, ...] = ()  # plants in which it must be: the claim is true there
    by_construction: str = ""  # why no plant can break the claim
    one_world: str = ""  # why there is no other world: an identity, a count
    history: str = ""  # when its rule was written, one of history.STATUSES

    @property
    def rule_text(self) -> str:
        given = {k: v for k, v in self.given.items() if k != "printed"}
        inside = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in given.items())
        return f"{self.rule} ({inside})" if inside else self.rule


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
    for entry in entries:
        claim = _claim(entry, path.name)
        claim = replace(claim, history=rulebook.status(claim.id))
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

    def need(condition: object, message: str) -> None:
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
        id=entry["id"],
        paper=entry["paper"],
        where=str(entry["where"]),
        claim=str(entry["claim"]),
        rule=rule,
        given=given,
        expect=entry["expect"],
        printed=printed,
        family=family,
        condition=str(entry.get("condition", "")),
        why=str(entry.get("why", "")),
        note=str(entry.get("note", "")),
        met=entry.get("met", REPRODUCED),
        unmet=entry.get("unmet", NOT_REPRODUCED),
        full_size=bool(entry.get("full_size", rule in WAIT_FOR_FULL_SIZE)),
        unit=str(entry.get("unit", "")),
        by_construction=str(entry.get("by_construction", "")),
        one_world=str(entry.get("one_world", "")),
        refuses=_plants(entry, "refuses", need),
        accepts=_plants(entry, "accepts", need),
    )
    need(
        not (claim.by_construction and claim.refuses),
        "a claim that is true by construction has no plant that its rule refuses",
    )
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


def _plants(entry: dict, key: str, need: Callable[[object, str], None]) -> tuple[str, ...]:
    names = entry.get(key) or ()
    names = (names,) if isinstance(names, str) else tuple(names)
    need(all(isinstance(n, str) and ";" not in n for n in names), f"{key} is a list of names")
    return names


def _parameters(rule: str) -> dict:
    signature = inspect.signature(RULES[rule]).parameters.values()
    return {p.name: p.default for p in signature if p.kind is p.KEYWORD_ONLY}


def nearest(word: str, known: Iterable[object]) -> str:
    """The known word most like the given one.

    >>> nearest("ZM3", ["ZM-1", "ZM-3", "ZD-4"])
    'ZM-3'
    """
    found = difflib.get_close_matches(str(word), [str(k) for k in known], n=1, cutoff=0)
    return found[0] if found else ""


class World(NamedTuple):
    """A claim in a world that is not ours."""

    name: str
    finding: Finding | None
    met: bool
    verdict: str


class Decision(NamedTuple):
    """A claim with its verdict, and what its rule says in other worlds.

    `told` are the sentences for everybody, `note` these with the rule's own.
    """

    claim: Claim
    finding: Finding | None
    verdict: str
    note: str
    told: str = ""
    worlds: tuple[World, ...] = ()  # one for each other reading, or pair of readings
    draws: tuple[World, ...] = ()  # our reading, one draw of chance alone
    plants: tuple[World, ...] = ()
    met: bool = False

    def __repr__(self) -> str:
        ours = f"; ours {interval(self.finding, self.claim.unit)}" if self.finding else ""
        worst = f", {self.finding.worst}" if self.finding and self.finding.worst else ""
        printed = f"; printed {self.claim.printed}" if self.claim.printed else ""
        return f"{self.claim.id}: {self.verdict}{printed}{ours}{worst}. {self.note}"

    @property
    def others(self) -> tuple[World, ...]:
        return self.worlds + self.draws

    @property
    def turned(self) -> list[str]:
        """The readings under which the verdict is another."""
        return [w.name for w in self.worlds if w.verdict != self.verdict]

    @property
    def firm(self) -> bool | None:
        """No reading turns the verdict, and hardly a draw of chance does; None if not decided."""
        if self.verdict == NOT_DECIDED:
            return None
        same = sum(w.verdict == self.verdict for w in self.draws)
        return not self.turned and same >= DRAWS * len(self.draws)

    def row(self) -> dict:
        ours, low, high = self.finding[1:4] if self.finding else (None, None, None)
        claim, decided = self.claim, self.verdict not in (NOT_DECIDED, UNTESTABLE)
        fails = [w.name for w in self.others if w.verdict != self.verdict] if decided else []
        count = decided * (1 + len(self.others))
        refused = [p.name for p in self.plants if p.name in claim.refuses and not p.met]
        firm = {True: "yes", False: "no", None: ""}[self.firm]
        limits = ";".join(_cell(x) for x in self.finding.limits) if self.finding else ""
        return dict(zip(COLUMNS, (
            claim.id, claim.paper, claim.where, claim.printed, _cell(ours), _cell(low), _cell(high),
            claim.rule_text, self.verdict, self.note, count, count - len(fails), ";".join(fails),
            ";".join(refused), firm, self.finding.worst if self.finding else "", claim.unit,
            limits, claim.history,
        ), strict=True))  # fmt: skip

    def world_rows(self) -> list[dict]:
        """A row for our own world, each other one, and each plant."""
        rows = [(OWN, self.finding, self.met), *((w.name, w.finding, w.met) for w in self.others)]
        rows += [(PLANT + p.name, p.finding, p.met) for p in self.plants]
        return [
            dict(
                zip(
                    WORLD_COLUMNS,
                    (
                        self.claim.id,
                        name,
                        *map(_cell, finding[1:4]),
                        "yes" if met else "no",
                    ),
                    strict=True,
                )
            )
            for name, finding, met in rows
            if finding is not None
        ]


def worlds_sentence(decision: Decision) -> str:
    """In how many worlds a verdict holds, and where it does not, for people.

    A world is counted for our own, each other reading, and each draw of chance by itself.
    """
    claim, others = decision.claim, decision.others
    if decision.verdict in (NOT_DECIDED, UNTESTABLE):
        return ""
    if not others:
        return f"Decided once: {claim.one_world}." if claim.one_world else ""
    single = [w for w in decision.draws if w.verdict != decision.verdict]
    holds = 1 + sum(w.verdict == decision.verdict for w in others)
    parts = []
    if decision.turned:
        names = [f"\u201c{name}\u201d" for name in decision.turned]
        rest = len(names) - 4
        shown = names[:4] + ([f"{rest} more"] if rest > 0 else [])
        parts.append(f"fails with {_and(shown)}")
    if single:
        noun = decision.draws[0].name.rsplit(" ", 1)[0]
        parts.append(f"fails in {len(single)} of {len(decision.draws)} draws ({noun}) taken alone")
    return f"Holds in {holds} of {1 + len(others)} worlds{''.join('; ' + p for p in parts)}."


def _and(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]


def _cell(x: Any) -> str:
    return "" if x is None else f"{x:.10g}"


PERCENT = ("points", "point", "%")  # units in which a share is shown a hundredfold


def interval(finding: Finding, unit: str = "") -> str:
    """Our number with its interval, for people, in the claim's unit.

    >>> found = Finding(True, 0.0823, 0.0751, 0.0884, "")
    >>> interval(found), interval(found, "points")
    ('0.0823 (0.0751 to 0.0884)', '8.23 (7.51 to 8.84) points')
    """
    if finding.ours is None:
        return ""
    scale, digits = (100, 3) if unit in PERCENT else (1, 4)
    low_high = [f"{short(scale * x, digits)}" for x in finding[1:4] if x is not None]
    text = f"{low_high[0]} ({low_high[1]} to {low_high[2]})" if len(low_high) == 3 else low_high[0]
    return f"{text} {unit}".rstrip()


def short(number: float, digits: int = 4) -> str:
    """Four digits of a measured number, and a count in full.

    >>> short(-0.4978621957), short(48842), short(449), short(1e-9), short(1.984e126)
    ('-0.4979', '48,842', '449', '1e-09', '1.984e+126')
    """
    if 1e3 <= abs(number) < 1e9 and float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"


class Ledger:
    """The claims of one chapter and what has been decided of them."""

    def __init__(self, claims: dict[str, Claim], quick: str = ""):
        """`quick` says what is below the paper's size; empty at full size."""
        self.claims, self.quick = claims, quick
        self.decided: dict[str, Decision] = {}
        self.problems: list[str] = []  # sentences: plants that a rule accepts

    def decide(
        self,
        id: str,
        *evidence: Any,
        plain: Any = None,
        under: Any = None,
        note: str = "",
        worlds: Mapping | None = None,
        draws: Mapping | None = None,
        plants: Mapping | None = None,
        **named: Any,
    ) -> Decision:
        """Apply the claim's rule to the evidence, in our world, in others and in wrong ones.

        With a condition in the entry, `plain` is the evidence without it and `under` the evidence
        with it (a dict by name, or a tuple). `worlds` (other readings), `draws` (each draw of chance
        alone) and `plants` map names to evidence of the same form.
        """
        if id not in self.claims:
            raise LedgerError(f"unknown claim {id!r}; did you mean {nearest(id, self.claims)!r}?")
        if id in self.decided:
            raise LedgerError(f"claim {id} is decided twice")
        claim = self.claims[id]
        if claim.condition:
            if plain is None or under is None or evidence or named:
                raise LedgerError(f"claim {id} has a condition: give plain=... and under=...")
            given: Any = {"plain": plain, "under": under}
        elif plain is not None or under is not None:
            raise LedgerError(f"claim {id} has no condition: give its evidence as it is")
        else:
            given = named if not evidence else (evidence, named)
        plants = dict(plants or {})
        for name in (*claim.refuses, *claim.accepts):
            if name not in plants:
                raise LedgerError(f"claim {id} names the plant {name!r}, which was not handed in")
        decision = self._decide(claim, given, note)

        def ask(cases: Mapping | None) -> tuple[World, ...]:
            return tuple(self._world(claim, n, e) for n, e in dict(cases or {}).items())

        decision = decision._replace(worlds=ask(worlds), draws=ask(draws), plants=ask(plants))
        self._judge(decision)
        self.decided[id] = decision
        return decision

    def _judge(self, decision: Decision) -> None:
        """A rule that accepts what it must refuse (or the other way round) is a problem."""
        claim, met = decision.claim, {p.name: p.met for p in decision.plants}
        names = [w.name for w in (*decision.worlds, *decision.draws, *decision.plants)]
        for name in names:
            if ";" in name or names.count(name) > 1:
                raise LedgerError(
                    f"claim {claim.id}: the world {name!r} is there twice or has a ';'"
                )
        if decision.verdict == NOT_DECIDED:
            return
        self.problems += [
            f"the rule of {claim.id} accepts the plant {name!r}, which it must refuse"
            for name in claim.refuses
            if met[name]
        ]
        self.problems += [
            f"the rule of {claim.id} refuses {name!r}, where the claim is true"
            for name in claim.accepts
            if not met[name]
        ]

    def _world(self, claim: Claim, name: str, evidence: Any) -> World:
        try:
            verdict, finding, _, met = _verdict(claim, evidence)
        except NotFinite as error:
            if not self._waits(claim):
                raise NotFinite(f"{error} (in the world {name!r})") from None
            return World(name, None, False, NOT_DECIDED)
        except LedgerError as error:
            raise LedgerError(f"{error} (in the world {name!r})") from None
        return World(name, finding, met, verdict)

    def _waits(self, claim: Claim) -> bool:
        return bool(self.quick) and claim.full_size

    def _decide(self, claim: Claim, evidence: Any, note: str) -> Decision:
        if self._waits(claim):
            told = _sentences(f"Quick run: {self.quick}", note)
            try:
                _, found, _, met = _verdict(claim, evidence)
            except NotFinite:
                return Decision(claim, None, NOT_DECIDED, told, told)
            return Decision(claim, found, NOT_DECIDED, told, told, met=met)
        verdict, finding, beside, met = _verdict(claim, evidence)
        why = claim.why if verdict != REPRODUCED else ""
        quick = f"Quick run: {self.quick}" if self.quick else ""
        told = _sentences(beside, note, why, claim.note, quick)
        return Decision(claim, finding, verdict, _sentences(finding.note, told), told, met=met)

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
        """`claims.csv`, in the order of the claims file, and `worlds.csv` beside it."""
        decided = [self.decided[id] for id in self.claims if id in self.decided]
        write_csv(path, [d.row() for d in decided])
        rows = [row for d in decided for row in d.world_rows()]
        write_csv(path.with_name("worlds.csv"), rows, WORLD_COLUMNS)


def _verdict(claim: Claim, evidence: Any) -> tuple[str, Finding, str, bool]:
    """The verdict, the finding it rests on, what is to be said of the other one, and "met".

    With a condition there are two findings. Shown is the one that decides: the plain one where it
    is met; else, met or not, the one under the condition, which was the last chance.
    """
    if not claim.condition:
        finding = _apply(claim, evidence)
        if claim.rule == "untestable":
            return UNTESTABLE, finding, "", False
        return (claim.met if finding.met else claim.unmet), finding, "", finding.met
    if not isinstance(evidence, dict) or set(evidence) != {"plain", "under"}:
        raise LedgerError(f"claim {claim.id} has a condition: give plain=... and under=...")
    plain, under = (_apply(claim, evidence[part]) for part in ("plain", "under"))
    said = {
        f: f"ours is {interval(f, claim.unit)}" + (f", {in_words(f.worst)}" if f.worst else "")
        for f in (plain, under)
    }
    if plain.met:
        also = "Also" if under.met else "Not"
        return (
            claim.met,
            plain,
            f"{also} under the condition that {claim.condition}: {said[under]}",
            True,
        )
    verdict = CAVEAT if under.met else claim.unmet
    word = "Only" if under.met else "Not even"
    beside = f"{word} under the condition that {claim.condition}. Without it, {said[plain]}"
    return verdict, under, beside, under.met


def _apply(claim: Claim, evidence: Any) -> Finding:
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


def _sentences(*parts: str) -> str:
    tidy = (" ".join(p.split()) for p in parts if p)
    begun = (p[:1].upper() + p[1:] for p in tidy)
    return " ".join(p if p.endswith((".", "?", "!")) else p + "." for p in begun)


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
    files = {p.stem: p for p in history.chapters(claims)}
    merged, everything, worlds = Merged([], [], []), [], []
    for stem, file in files.items():
        if stems is not None and stem not in stems:
            continue
        known, path = read(file), results / stem / "claims.csv"
        if not path.is_file():
            merged.problems.append(f"{stem}: no verdicts (the chapter has not run to its end)")
            continue
        rows, told = read_csv(path), path.with_name("worlds.csv")
        everything += rows
        here = read_csv(told) if told.is_file() else []
        worlds += here
        _compare(stem, known, rows, merged)
        merged.changed.extend(f"{stem}: {sentence}" for sentence in lonely(known, rows, here))
    for stem in sorted({p.parent.name for p in results.glob("*/claims.csv")} - set(files)):
        merged.problems.append(f"{stem}: verdicts without a claims file ({stem}.yml)")
    for id, times in Counter(row["id"] for row in everything).items():
        if times > 1:
            merged.problems.append(f"{id}: decided in {times} chapters")
    write_csv(results / "claims.csv", everything)
    write_csv(results / "worlds.csv", worlds, WORLD_COLUMNS)
    return merged


def lonely(known: dict[str, Claim], rows: list[dict], worlds: list[dict]) -> list[str]:
    """A sentence for each verdict from fewer draws of chance than ten, unless its entry says why.

    >>> from types import SimpleNamespace
    >>> drawn = [{"claim": "ZM-1", "world": f"split {i}"} for i in range(1, 9)]
    >>> decided = [{"id": "ZM-1", "verdict": "reproduced"}]
    >>> lonely({"ZM-1": SimpleNamespace(one_world="")}, decided, drawn)
    ['claim ZM-1 was asked in 8 draws of chance; 10 are wanted, or a one_world that says why not']
    """
    kinds: Counter[tuple[str, str]] = Counter()
    for row in worlds:
        noun, _, number = row["world"].rpartition(" ")
        if number.isdigit() and not row["world"].startswith(PLANT):
            kinds[row["claim"], noun] += 1
    found = []
    for row in rows:
        claim = known.get(row["id"])
        if claim is None or claim.one_world or row["verdict"] in (UNTESTABLE, NOT_DECIDED):
            continue
        draws = max((n for (id, _), n in kinds.items() if id == row["id"]), default=0)
        if draws < ENOUGH:
            found.append(
                f"claim {row['id']} was asked in {draws} draws of chance; {ENOUGH} are "
                "wanted, or a one_world that says why not"
            )
    return found


def _compare(stem: str, known: dict[str, Claim], rows: list[dict], merged: Merged) -> None:
    found = {row["id"]: row["verdict"] for row in rows}
    refused = {row["id"]: set(row.get("refuses", "").split(";")) - {""} for row in rows}
    for id, claim in known.items():
        if id not in found:
            merged.problems.append(f"{stem}: claim {id} has no verdict")
        elif found[id] != NOT_DECIDED and set(claim.refuses) - refused[id]:
            missing = ", ".join(sorted(set(claim.refuses) - refused[id]))
            merged.problems.append(f"{stem}: the rule of {id} accepts the plant {missing}")
        elif found[id] == NOT_DECIDED:
            merged.undecided.append(f"{stem}: claim {id} is {NOT_DECIDED}")
        elif found[id] != claim.expect:
            merged.changed.append(f"{stem}: claim {id} is {found[id]}, expected {claim.expect}")
    for id in found:
        if id not in known:
            near = nearest(id, known)
            merged.problems.append(f"{stem}: verdict on {id}, which is no claim (nearest: {near})")


def write_csv(path: Path, rows: list[dict], columns: Collection[str] = COLUMNS) -> None:
    """Write claims (or their worlds) as CSV, whole or not at all."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    replace_file(path, text.getvalue().encode())


def read_csv(path: Path) -> list[dict]:
    """The claims of a CSV file, a dictionary each."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def summary(decisions: Iterable[Decision]) -> str:
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
