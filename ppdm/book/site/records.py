"""What the claims files, the results and the provenance notes say, read into one place."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import yaml

from ppdm.study import history
from ppdm.study.manifest import last_verified

UNDECIDED = "not decided"
COPIED = ("worlds", "holds", "fails_in", "refuses", "firm", "worst", "unit")


class Claim(NamedTuple):
    """One claim: its entry in the claims file and what its chapter's run made of it."""

    id: str
    paper: str
    where: str
    claim: str
    printed: str
    ours: str
    low: str
    high: str
    rule: str
    verdict: str
    note: str
    chapter: str
    decided: bool  # the chapter's page has a card for it
    worlds: str = ""
    holds: str = ""
    fails_in: str = ""
    refuses: str = ""
    firm: str = ""  # "yes", "no", or empty where the claim is not decided
    worst: str = ""
    unit: str = ""
    history: str = ""

    @property
    def evidence(self) -> str:
        """The place of its card, seen from a page in `book/`."""
        return f"../notebooks/{self.chapter}.html#claim-{self.id}"


class Records(NamedTuple):
    """All that the generated pages are made of."""

    papers: list[dict]
    claims: list[Claim]
    readings: dict[str, list[dict]]
    provenance: dict[str, dict]
    titles: dict[str, str]  # of the executed notebooks, by stem
    manifests: dict[str, dict]  # their manifests
    verified: dict[str, dict]  # what `ppdm verify` found last
    changes: list[dict]  # of rules, from changes.yml


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
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        found = re.search(r"^# (.+)$", "".join(cell["source"]), re.MULTILINE)
        if cell["cell_type"] == "markdown" and found:
            return found[1].strip()
    return notebook.stem


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_claims(folder: Path, results: Path) -> list[Claim]:
    """Every claim of every claims file, with its decided row where its chapter has run."""
    claims, rulebook = [], history.read(folder)
    for path in history.chapters(folder):
        decided_path = results / path.stem / "claims.csv"
        decided = {}
        if decided_path.is_file():
            decided = {row["id"]: row for row in read_table(decided_path)}
        for entry in history.written(path):
            row = decided.get(entry["id"], {})
            verdict = row.get("verdict") or "not decided: the chapter has not been run"
            rule = entry.get("rule", "")
            claims.append(
                Claim(
                    id=entry["id"],
                    paper=entry["paper"],
                    where=str(entry.get("where", "")),
                    claim=" ".join(str(entry["claim"]).split()),
                    printed=row.get("printed") or str(entry.get("printed") or ""),
                    ours=row.get("ours", ""),
                    low=row.get("low", ""),
                    high=row.get("high", ""),
                    rule=row.get("rule") or (rule if isinstance(rule, str) else rule["name"]),
                    verdict=verdict,
                    note=row.get("note", ""),
                    chapter=path.stem,
                    decided=bool(row),
                    history=rulebook.status(entry["id"]),
                    **{name: row.get(name) or "" for name in COPIED},
                )
            )
    order = {id: place for place, id in enumerate(rulebook.claims)}  # that of the papers
    if all(claim.id in order for claim in claims):
        claims.sort(key=lambda claim: order[claim.id])
    return claims


def raw_html(content: str) -> str:
    """HTML for a page as it stands."""
    return f"````{{raw}} html\n{content}\n````\n"
