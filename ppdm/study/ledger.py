"""All chapters' verdicts together: `merge` joins them, and says what keeps a build from being one."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ppdm.files import replace_file
from ppdm.study import history
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
from ppdm.study.rules import LOOKS
from ppdm.study.verdicts import PLANT, RATES, Decision, Ledger, Rows
from ppdm.study.worlds import OURS

__all__ = ["NOT_DECIDED", "OURS", "PLANT", "STYLES", "VERDICTS", "Claim", "Decision", "Ledger",
           "LedgerError", "Rows", "merge", "read"]  # fmt: skip

COLUMNS = ("id", "paper", "where", "printed", "ours", "low", "high", "rule", "verdict", "note",
           "worlds", "holds", "fails_in", "refuses", "firm", "worst", "unit", "limits",
           "history", "outcome", "same", "other", "cannot_tell", "accepts_true", "accepts_false",
           "central")  # fmt: skip
RATE_COLUMNS = ("claim", "verdict", "comparisons", *RATES, *(f"told_{n}" for n in LOOKS))
WORLD_COLUMNS = ("claim", "world", "value", "low", "high", "met")
ENOUGH = 10  # draws of chance that a verdict is asked in, unless its entry says why not


def write(path: Path, decisions: list[Decision]) -> None:
    """`claims.csv`, and beside it `worlds.csv` and `rates.csv`."""
    write_csv(path, [d.row() for d in decisions])
    for name, columns, rows in (
        ("worlds", WORLD_COLUMNS, Decision.world_rows), ("rates", RATE_COLUMNS, Decision.rates_rows)
    ):  # fmt: skip
        write_csv(
            path.with_name(f"{name}.csv"), [row for d in decisions for row in rows(d)], columns
        )


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
    results, merged = Path(results), Merged([], [], [])
    everything: list[dict] = []
    worlds: list[dict] = []
    files = {path.stem: path for path in history.chapters(Path(claims))}
    for stem in files if stems is None else [stem for stem in files if stem in stems]:
        path = results / stem / "claims.csv"
        if not path.is_file():
            merged.problems.append(f"{stem}: no verdicts (the chapter has not run to its end)")
            continue
        rows, beside = read_csv(path), path.with_name("worlds.csv")
        asked = read_csv(beside) if beside.is_file() else []
        everything, worlds = everything + rows, worlds + asked
        known = read(files[stem])
        _compare(stem, known, {row["id"]: row for row in rows}, merged)
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
    named = [(row["claim"], row["world"].rpartition(" ")) for row in worlds]
    kinds = Counter((id, noun) for id, (noun, _, number) in named
                    if number.isdigit() and not noun.startswith(PLANT.strip()))  # fmt: skip
    draws = {id: number for (id, _), number in sorted(kinds.items(), key=lambda kind: kind[1])}
    return [
        f"claim {row['id']} was asked in {draws.get(row['id'], 0)} draws of chance; {ENOUGH} are "
        "wanted, or a one_world that says why not"
        for row in rows
        if row["id"] in known and not known[row["id"]].one_world
        if draws.get(row["id"], 0) < ENOUGH and row["verdict"] not in (UNTESTABLE, NOT_DECIDED)
    ]


def _compare(stem: str, known: dict[str, Claim], rows: dict[str, dict], merged: Merged) -> None:
    """What a chapter's verdicts say against its claims file."""
    for id in [id for id in rows if id not in known]:
        merged.problems.append(
            f"{stem}: verdict on {id}, which is no claim (nearest: {nearest(id, known)})"
        )
    for id, claim in known.items():
        row = rows.get(id, {"verdict": None})
        if row["verdict"] is None:
            merged.problems.append(f"{stem}: claim {id} has no verdict")
        elif row["verdict"] == NOT_DECIDED:
            merged.undecided.append(f"{stem}: claim {id} is {NOT_DECIDED}")
        elif missing := ", ".join(sorted(set(claim.refuses) - set(row["refuses"].split(";")))):
            merged.problems.append(f"{stem}: the rule of {id} accepts the plant {missing}")
        elif row["verdict"] != claim.expect:
            merged.changed.append(
                f"{stem}: claim {id} is {row['verdict']}, expected {claim.expect}"
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
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def summary(decisions: Iterable[Decision]) -> str:
    """How many of each verdict, in words.

    >>> summary([])
    'no claims'
    """
    counts = Counter(d.verdict for d in decisions)
    words = [f"{counts[v]} {v}" for v in (*VERDICTS, NOT_DECIDED) if counts[v]]
    total = sum(counts.values())
    return f"{total} claim{'s' if total != 1 else ''}: {', '.join(words)}" if total else "no claims"
