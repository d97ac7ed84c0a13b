"""When a rule was written: the fingerprints and the changes that `book/claims/changes.yml` records.

    claims:
      ZM-8: {rule: 1f0c5d27aa31, status: after}
    changes:
      - claims: [ZM-8]
        when: 2026-11-18
        commit: 8585755
        what: tolerance
        old: "0"
        new: "0.005"
        before: not reproduced
        after: reproduced
        reason: The least step that a reader could see in a figure.

The fingerprint is of all that decides: rule, threshold, printed number, condition, the verdicts that
it leads to and the one that is expected. A rule that is not the one of its fingerprint has been
changed without being entered, and fails the tests; no history of the repository is needed for that.
After a change (a commit of its own), enter it under `changes` and write the fingerprints anew:
``python -m ppdm.study``. New claims are entered by the same command, with their status as its
argument: ``before`` where entry and rule come before any evidence, in a commit of their own.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import yaml

from ppdm.files import replace_file
from ppdm.places import BEYOND

FILE, MARGINS = "changes.yml", "margins.yml"
STATUSES = {
    "before": "rule fixed before the first result",
    "together": "entered together with its first result: cannot be told",
    "after": "settled after the first result",
}
KEYS = ("claims", "when", "commit", "what", "old", "new", "before", "after", "reason")
NEEDED = ("claims", "what", "old", "new", "reason")
SETTLES = ("rule", "threshold", "tolerance", "condition", "evidence")  # words of `what`
REMOVED = "removed"  # the `what` of a claim that is there no more
JOINED = "joined"  # and of one that is part of another now, whose entry says `was`
DECIDES = (
    "rule",
    "evidence",
    "margin",
    "each",
    "needs",
    "printed",
    "condition",
    "met",
    "unmet",
    "expect",
    "full_size",
)


class Rulebook(NamedTuple):
    """What `changes.yml` says: each claim's fingerprint and status, and every change."""

    claims: dict[str, dict]
    changes: list[dict]

    def status(self, claim: str, *was: str) -> str:
        """One of :data:`STATUSES`; empty for a claim that is not entered. `was` are the claims that it joins.

        A change of the expected verdict, or of a sentence whose evidence stays, settles no rule.
        """
        said = " ".join(change["what"] for id in (claim, *was) for change in self.of(id))
        if any(word in said for word in SETTLES):
            return "after"
        return self.claims.get(claim, {}).get("status", "")

    def of(self, claim: str) -> list[dict]:
        """The changes of one claim's rule."""
        return [change for change in self.changes if claim in change["claims"]]


def fingerprint(entry: dict) -> str:
    """Twelve digits of everything in a claim's entry that decides its verdict.

    >>> entry = {"id": "ZM-1", "claim": "It falls.", "rule": {"name": "trend", "direction": "falling"}}
    >>> fingerprint(entry) == fingerprint(entry | {"claim": "It falls, we say."})
    True
    >>> fingerprint(entry) == fingerprint(entry | {"condition": "q is small"})
    False
    """
    decides = {
        key: " ".join(entry[key].split()) if isinstance(entry[key], str) else entry[key]
        for key in DECIDES
        if key in entry
    }
    if isinstance(decides.get("rule"), str):
        decides["rule"] = {"name": decides["rule"]}
    text = json.dumps(decides, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def chapters(folder: Path) -> list[Path]:
    """The claims files of the chapters: those that begin with a chapter's number.

    What goes beyond a paper (`01_beyond.yml`) stands after the paper's own.
    """
    found = Path(folder).glob("[0-9]*.yml")
    return sorted(found, key=lambda path: (path.stem[:2], path.stem[2:] == BEYOND, path.stem))


def written(path: Path) -> list[dict]:
    """The entries of one claims file, as they stand there."""
    return yaml.safe_load(path.read_text(encoding="utf-8")) or []


def entries(folder: Path) -> dict[str, dict]:
    """Every claim's entry as it stands in the claims files, by id."""
    return {entry["id"]: entry for path in chapters(folder) for entry in written(path)}


def margins(folder: Path) -> dict[str, dict]:
    """The margins of indifference of a claims folder, by name; none where there is no such file."""
    path = Path(folder) / MARGINS
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}


def read(folder: Path) -> Rulebook:
    """The record of a claims folder; an empty one where there is none."""
    path = Path(folder) / FILE
    content = (yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None) or {}
    book = Rulebook(content.get("claims") or {}, content.get("changes") or [])
    for change in book.changes:
        if not set(NEEDED) <= set(change) <= set(KEYS):
            raise ValueError(
                f"{FILE}: the change of {change.get('claims', '(no claims)')} has {', '.join(change)}; "
                f"it needs {', '.join(NEEDED)}, and may have {', '.join(KEYS)}"
            )
    for id, entry in book.claims.items():
        if entry.get("status") not in STATUSES:
            raise ValueError(
                f"{FILE}: the status of {id} is {entry.get('status')!r}; allowed are {', '.join(STATUSES)}"
            )
    return book


def _rules(folder: Path) -> dict[str, str]:
    """The fingerprint of every claim's rule as it stands; a margin counts by its number."""
    known = {name: entry["margin"] for name, entry in margins(folder).items()}
    return {
        id: fingerprint(
            entry | ({"margin": known.get(entry["margin"])} if "margin" in entry else {})
        )
        for id, entry in entries(folder).items()
    }


def problems(folder: Path) -> list[str]:
    """What has been changed without being entered, a sentence each."""
    book, now = read(folder), _rules(folder)
    joined = {old: id for id, entry in entries(folder).items() for old in entry.get("was", ())}
    known = {id: entry["rule"] for id, entry in book.claims.items()}
    gone = {
        id
        for change in book.changes
        if change["what"] not in (REMOVED, JOINED)
        for id in change["claims"]
    }
    entered = {id for change in book.changes if change["what"] == JOINED for id in change["claims"]}
    return [
        *(f"{id} is not in {FILE}" for id in now if id not in known),
        *(f"{FILE} has {id}, which is no claim" for id in known if id not in now),
        *(f"the rule of {id} is not the one of {FILE}: enter the change"
          for id in now if known.get(id, now[id]) != now[id]),
        *(f"{FILE} tells a change of {id}, which is no claim" for id in sorted(gone - set(now) - set(joined))),
        *(f"{joined[old]} says that it was {old}: enter it in {FILE} as {JOINED}" for old in joined if old not in entered),
        *(f"{joined[old]} says that it was {old}, which is a claim" for old in joined if old in now),
    ]  # fmt: skip


def enter(folder: Path, status: str = "together") -> list[str]:
    """Write the fingerprints anew; returns the claims whose rule has changed, or that are new.

    A changed rule must have a change that is entered and that no fingerprint knows yet: the number of
    its changes is kept beside its fingerprint.
    """
    book, now, lines = read(folder), _rules(folder), []
    known = {id: entry for id, entry in book.claims.items() if id in now}
    changed = [id for id, entry in known.items() if now[id] != entry["rule"]]
    new = [id for id in now if id not in known]
    for id in [*known, *new]:
        number = len(book.of(id))
        if id in changed and number <= known[id].get("changes", 0):
            raise ValueError(f"the rule of {id} has changed: tell it in {FILE} under `changes`")
        times = f", changes: {number}" if number else ""
        since = known.get(id, {"status": status})["status"]
        lines.append(f'  {id}: {{rule: "{now[id]}", status: {since}{times}}}\n')
    path = Path(folder) / FILE
    head, _, rest = (path.read_text(encoding="utf-8") if path.is_file() else "").partition(
        "claims:\n"
    )
    changes = ("\n" + rest).partition("\nchanges:")[2] or " []\n"
    replace_file(path, f"{head}claims:\n{''.join(lines)}changes:{changes}".encode())
    return changed + new
