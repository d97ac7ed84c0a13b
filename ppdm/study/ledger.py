"""The ledger: what a chapter has decided of its claims, and all chapters' verdicts together.

A `Ledger` decides each claim once, by the rule its entry names; `merge` joins the chapters' verdicts and says
what keeps a build from being one.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ppdm.files import replace_file
from ppdm.study import history, verdicts
from ppdm.study.claims import (
    NOT_DECIDED,
    STYLES,
    UNTESTABLE,
    VERDICTS,
    Claim,
    LedgerError,
    nearest,
    read,
)
from ppdm.study.rates import LOOKS
from ppdm.study.rules import NOT, PERCENT, SO, Finding, interval, near, short
from ppdm.study.verdicts import PLANT, Decision, Rows, World
from ppdm.study.worlds import OURS

__all__ = ["NOT_DECIDED", "OURS", "PERCENT", "PLANT", "STYLES", "VERDICTS", "Claim", "Decision", "Ledger",
           "LedgerError", "Rows", "World", "merge", "read", "short"]  # fmt: skip

COLUMNS = ("id", "paper", "where", "printed", "ours", "low", "high", "rule", "verdict", "note",
           "worlds", "holds", "fails_in", "refuses", "firm", "worst", "unit", "limits",
           "history", "outcome", "same", "other", "cannot_tell", "accepts_true", "accepts_false",
           "central")  # fmt: skip
RATE_COLUMNS = ("claim", "verdict", "comparisons", *verdicts.RATES, *(f"told_{n}" for n in LOOKS))
WORLD_COLUMNS = ("claim", "world", "value", "low", "high", "met")
CHECKED = 0.005  # by less a method's own check may be off: the margin of shares
ENOUGH = 10  # draws of chance that a verdict is asked in, unless its entry says why not


class Ledger:
    """The claims of one chapter and what has been decided of them."""

    def __init__(self, claims: dict[str, Claim], quick: str = "", module: ModuleType | None = None):
        """`quick` says what is below the paper's size, empty at full size; `module` has more extractors."""
        self.claims, self.quick, self.module = claims, quick, module
        self.decided: dict[str, Decision] = {}
        self.rows: dict[str, Rows] = {}
        self.checked: dict[str, Finding] = {}  # what the methods' own checks found
        self.problems: list[str] = []  # sentences: plants that a rule accepts

    def decide(
        self,
        id: str,
        *evidence: Any,
        note: str = "",
        worlds: Mapping | None = None,
        draws: Mapping | None = None,
        plants: Mapping | None = None,
        **named: Any,
    ) -> Decision:
        """Apply the claim's rule to the evidence, in our world, in others and in wrong ones.

        Evidence that the claim's entry names need not be given. With a condition in the entry, `plain` is
        the evidence without it and `under` the evidence with it (a dict by name, or a tuple). `worlds`
        (other readings), `draws` (each draw of chance alone) and `plants` map names to evidence of the
        same form, and are added to what the entry gives; an empty one stands for none.
        """
        if id not in self.claims:
            raise LedgerError(f"unknown claim {id!r}; did you mean {nearest(id, self.claims)!r}?")
        if id in self.decided:
            raise LedgerError(f"claim {id} is decided twice")
        claim = self.claims[id]
        for need in claim.needs:
            self._check(need)
        beside: dict = {"worlds": worlds, "draws": draws, "plants": plants}
        if claim.each:
            return self._entered(verdicts.joined(claim, self._parts(claim)))
        if claim.evidence and not evidence and not named:
            named = self.taken(claim)
            for kind, more in beside.items():
                taken = named.pop(kind)
                beside[kind] = {} if more == {} else taken | (more or {})
        if not claim.condition and set(named) & verdicts.BOTH:
            raise LedgerError(f"claim {id} has no condition: give its evidence as it is")
        given: dict[Any, Any] = {**named, **dict(enumerate(evidence))}
        return self._entered(verdicts.decide(claim, given, note, self.quick, **beside))

    def _check(self, need: str) -> None:
        """A method that is not what it says decides nothing: its check's rows are off by a margin or more."""
        if need in self.checked:
            return
        if need not in self.rows:
            raise LedgerError(
                f"the check {need!r} has no rows (a function of that name in the paper's rows.py)"
            )
        wide = self.rows[need].frame.pivot(index="draw", columns="what", values="off")
        off = wide.to_numpy()
        finding = near(
            off.mean(axis=0), 0.0, list(map(str, wide)), off, target=0, within=0, margin=CHECKED
        )
        self.checked[need] = finding
        if finding.outcome == NOT or (finding.outcome != SO and not self.quick):
            self.problems.append(f"the method is not what it says: {need.replace('_', ' ')}, {finding.worst}, is off "
                                 f"by {interval(finding)}; no claim on it is decided")  # fmt: skip

    def _parts(self, claim: Claim) -> dict[str, Decision]:
        """The parts of a joined claim, each decided as a claim of its own."""
        parts = {}
        for name, part, rows in verdicts.parts_of(claim, self._rows(claim)):
            given = verdicts.taken(part, rows, self.module)
            beside = {kind: given.pop(kind) for kind in ("worlds", "draws", "plants")}
            parts[name] = verdicts.decide(part, given, "", self.quick, **beside)
        return parts

    def _entered(self, decision: Decision) -> Decision:
        """A decision is kept if its wrong worlds are there, with a sentence for each that its rule mistakes."""
        claim, met = decision.claim, {plant.name: plant.met for plant in decision.plants}
        id = claim.id
        for name in (*claim.refuses, *claim.accepts):
            if name not in met:
                raise LedgerError(f"claim {id} names the plant {name!r}, which was not handed in")
        if decision.verdict != NOT_DECIDED:
            accepts = f"the rule of {id} accepts the plant {{!r}}, which it must refuse"
            refuses = f"the rule of {id} refuses {{!r}}, where the claim is true"
            self.problems += [accepts.format(name) for name in claim.refuses if met[name]]
            self.problems += [refuses.format(name) for name in claim.accepts if not met[name]]
        self.decided[id] = decision
        return decision

    def _rows(self, claim: Claim) -> Rows:
        if claim.rows not in self.rows:
            raise LedgerError(
                f"claim {claim.id} takes its evidence from {claim.rows!r}; the chapter has "
                f"{', '.join(self.rows) or 'nothing'} (a function of that name in the paper's rows.py gives it)"
            )
        return self.rows[claim.rows]

    def taken(self, claim: Claim) -> dict:
        """The evidence that a claim's entry names, in all worlds of its frame."""
        return verdicts.taken(claim, self._rows(claim), self.module)

    def movers(self, *ids: str, rows: Rows | None = None) -> list[str]:
        """The readings that move the evidence of one of these claims by a standard error or more."""
        claims = [self.claims[id] for id in ids if id in self.claims]
        every = [verdicts.taken(c, rows or self.rows[c.rows], self.module) for c in claims]
        names = [name for taken in every for name in verdicts.moved(taken, taken["worlds"])]
        return list(dict.fromkeys(names))

    def undecided(self) -> list[str]:
        """The claims that have no verdict yet."""
        return [id for id in self.claims if id not in self.decided]

    def changed(self) -> list[str]:
        """A sentence for each verdict that is not the expected one."""
        return [
            f"{id}: {d.verdict}, expected {d.claim.expect}"
            for id, d in self.decided.items()
            if d.verdict not in (d.claim.expect, NOT_DECIDED)
        ]

    def in_order(self) -> list[Decision]:
        """What is decided, in the order of the claims file."""
        return [self.decided[id] for id in self.claims if id in self.decided]

    def write(self, path: Path) -> None:
        """`claims.csv`, in the order of the claims file, and beside it `worlds.csv` and `rates.csv`."""
        write_csv(path, [d.row() for d in self.in_order()])
        rows = [row for d in self.in_order() for row in d.world_rows()]
        write_csv(path.with_name("worlds.csv"), rows, WORLD_COLUMNS)
        rows = [row for d in self.in_order() for row in d.rates_rows()]
        write_csv(path.with_name("rates.csv"), rows, RATE_COLUMNS)


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
        rows, beside = read_csv(path), path.with_name("worlds.csv")
        asked = read_csv(beside) if beside.is_file() else []
        everything += rows
        worlds += asked
        _compare(stem, known, rows, merged)
        merged.changed.extend(f"{stem}: {sentence}" for sentence in lonely(known, rows, asked))
    for stem in sorted({p.parent.name for p in results.glob("*/claims.csv")} - set(files)):
        merged.problems.append(f"{stem}: verdicts without a claims file ({stem}.yml)")
    for id, times in Counter(row["id"] for row in everything).items():
        if times > 1:
            merged.problems.append(f"{id}: decided in {times} chapters")
    write_csv(results / "claims.csv", everything)
    write_csv(results / "worlds.csv", worlds, WORLD_COLUMNS)
    return merged


def lonely(known: Mapping[str, Any], rows: list[dict], worlds: list[dict]) -> list[str]:
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
    draws = {
        row["id"]: max((n for (id, _), n in kinds.items() if id == row["id"]), default=0)
        for row in rows
    }
    return [
        f"claim {row['id']} was asked in {draws[row['id']]} draws of chance; {ENOUGH} are "
        "wanted, or a one_world that says why not"
        for row in rows
        if row["id"] in known and not known[row["id"]].one_world
        if draws[row["id"]] < ENOUGH and row["verdict"] not in (UNTESTABLE, NOT_DECIDED)
    ]


def _compare(stem: str, known: dict[str, Claim], rows: list[dict], merged: Merged) -> None:
    found = {row["id"]: row for row in rows}
    for id, claim in known.items():
        if id not in found:
            merged.problems.append(f"{stem}: claim {id} has no verdict")
            continue
        verdict, refused = found[id]["verdict"], found[id].get("refuses", "").split(";")
        missing = sorted(set(claim.refuses) - set(refused))
        if verdict == NOT_DECIDED:
            merged.undecided.append(f"{stem}: claim {id} is {NOT_DECIDED}")
        elif missing:
            merged.problems.append(
                f"{stem}: the rule of {id} accepts the plant {', '.join(missing)}"
            )
        elif verdict != claim.expect:
            merged.changed.append(f"{stem}: claim {id} is {verdict}, expected {claim.expect}")
    for id in set(found) - set(known):
        merged.problems.append(
            f"{stem}: verdict on {id}, which is no claim (nearest: {nearest(id, known)})"
        )


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
