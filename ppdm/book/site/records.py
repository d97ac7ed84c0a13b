"""What the claims files, the results and the provenance notes say, read into one place."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ppdm.book.templating import fill
from ppdm.study import history
from ppdm.study.claims import printed
from ppdm.study.manifest import last_verified

UNDECIDED = "not decided"
#: What the scoreboard's file has of a claim, and what of it stands in the claims file.
COLUMNS = ("id", "paper", "where", "claim", "printed", "ours", "low", "high", "rule", "verdict",
           "note", "worlds", "holds", "fails_in", "refuses", "firm", "worst", "unit", "history", "outcome", "same",
           "other", "cannot_tell", "accepts_true", "accepts_false", "central")  # fmt: skip
WRITTEN = ("id", "paper", "where", "claim")


class Records(NamedTuple):
    """All that the generated pages are made of."""

    papers: list[dict]
    claims: list[dict[str, Any]]
    readings: dict[str, list[dict]]
    provenance: dict[str, dict]
    titles: dict[str, str]  # of the executed notebooks, by stem
    manifests: dict[str, dict]  # their manifests
    verified: dict[str, dict]  # what `ppdm verify` found last
    changes: list[dict]  # of rules, from changes.yml
    margins: dict[str, dict]  # of indifference, by their names
    rates: list[dict]  # how often each rule errs
    left: list[dict]  # sentences that could be claims and are not


def read_records(source: Path, results: Path) -> Records:
    """Read the staged tree and the results folder; what is not there yet is left out."""
    papers = yaml.safe_load((source / "book" / "chapters.yml").read_text(encoding="utf-8"))
    return Records(
        papers=papers,
        claims=read_claims(source / "book" / "claims", results),
        readings={
            path.parent.name: read_table(path) for path in sorted(results.glob("*/readings.csv"))
        },
        provenance=_notes((results.parent / "provenance").glob("*.json")),
        changes=history.read(source / "book" / "claims").changes,
        margins=history.margins(source / "book" / "claims"),
        left=[
            entry
            for path in (source / "book" / "claims").glob("seen_and_left.yml")
            for entry in history.written(path)
        ],
        rates=[row for path in sorted(results.glob("*/rates.csv")) for row in read_table(path)],
        titles={path.stem: title(path) for path in sorted((source / "notebooks").glob("*.ipynb"))},
        manifests=_notes(results.glob("*/manifest.json")),
        verified=last_verified(results.parent),
    )


def _notes(paths: Iterable[Path]) -> dict[str, dict]:
    """JSON files by the chapter that they are called after (or lie in); a broken one is left out."""
    notes = {}
    for path in sorted(paths):
        try:
            note = json.loads(path.read_bytes())
        except ValueError:
            continue
        notes[path.parent.name if path.stem == "manifest" else path.stem] = note
    return notes


def title(notebook: Path) -> str:
    """A notebook's first heading."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return heading[1].strip() if heading else notebook.stem


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_claims(folder: Path, results: Path) -> list[dict[str, Any]]:
    """Every claim of every claims file, with its decided row where its chapter has run.

    Beside COLUMNS each has its `chapter`, and `evidence`: the place of its card, seen from a page in `book/`, or
    empty where its chapter has not run.
    """
    claims, rulebook = [], history.read(folder)
    for path in history.chapters(folder):
        decided = results / path.stem / "claims.csv"
        rows = {row["id"]: row for row in read_table(decided)} if decided.is_file() else {}
        for entry in history.written(path):
            row = rows.get(entry["id"], {})
            rule = entry.get("rule", "")
            claim: dict[str, Any] = dict.fromkeys(COLUMNS, "")
            claim |= {"verdict": "not decided: the chapter has not been run"}
            claim |= {"rule": rule if isinstance(rule, str) else rule["name"]}
            claim |= {name: " ".join(str(entry.get(name) or "").split()) for name in WRITTEN}
            claim |= {"printed": printed(entry)} | {
                name: value for name, value in row.items() if value
            }
            status = rulebook.status(entry["id"], *entry.get("was", ()))
            claim |= {"chapter": path.stem, "history": status, "was": entry.get("was", [])}
            claim["central"] = "yes" if entry.get("central") else ""
            claim["evidence"] = f"../notebooks/{path.stem}.html#claim-{entry['id']}" if row else ""
            claims.append(claim)
    order = {id: place for place, id in enumerate(rulebook.claims)}  # that of the papers
    if all(claim["id"] in order for claim in claims):
        claims.sort(key=lambda claim: order[claim["id"]])
    return claims


def write_csv(records: Records, path: Path) -> None:
    """The scoreboard as a file to download."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        new = (
            name
            for claim in records.claims
            for name in claim
            if name not in ("chapter", "evidence", "was")
        )
        columns = dict.fromkeys([*COLUMNS, *new])  # what a chapter writes besides is kept
        writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(records.claims)


def raw_html(content: str) -> str:
    """HTML for a page as it stands."""
    return f"````{{raw}} html\n{content}\n````\n"


def sections(template: str, papers: list[dict]) -> str:
    """A section for each paper, filled into a template."""
    parts = (
        f"## {p['short']}\n\n*{p['title']}*\n\n{raw_html(fill(template, paper=p))}" for p in papers
    )
    return "\n".join(parts)
