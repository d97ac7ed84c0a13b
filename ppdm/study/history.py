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

FILE = "changes.yml"
STATUSES = {
    "before": "rule fixed before the first result",
    "together": "entered together with its first result: cannot be told",
    "after": "settled after the first result",
}
KEYS = ("claims", "when", "commit", "what", "old", "new", "before", "after", "reason")
NEEDED = ("claims", "what", "old", "new", "reason")
SETTLES = ("rule", "threshold", "tolerance", "condition", "evidence")  # words of `what`
REMOVED = "removed"  # the `what` of a claim that is there no more
DECIDES = ("rule", "evidence", "printed", "condition", "met", "unmet", "expect", "full_size")


class Rulebook(NamedTuple):
    """What `changes.yml` says: each claim's fingerprint and status, and every change."""

    claims: dict[str, dict]
    changes: list[dict]

    def status(self, claim: str) -> str:
        """One of :data:`STATUSES`; empty for a claim that is not entered.

        A change of the expected verdict, or of a sentence whose evidence stays, settles no rule.
        """
        if any(word in change["what"] for change in self.of(claim) for word in SETTLES):
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
    decides = {key: entry[key] for key in DECIDES if key in entry}
    rule = decides.get("rule", {})
    decides["rule"] = {"name": rule} if isinstance(rule, str) else rule
    for key, value in decides.items():
        if isinstance(value, str):
            decides[key] = " ".join(value.split())
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


def read(folder: Path) -> Rulebook:
    """The record of a claims folder; an empty one where there is none."""
    path = Path(folder) / FILE
    if not path.is_file():
        return Rulebook({}, [])
    content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    book = Rulebook(content.get("claims") or {}, content.get("changes") or [])
    for change in book.changes:
        name = f"{FILE}: the change of {change.get('claims', '(no claims)')}"
        for key in NEEDED:
            if key not in change:
                raise ValueError(f"{name} does not say {key!r}")
        for key in change:
            if key not in KEYS:
                raise ValueError(f"{name} has {key!r}; allowed are {', '.join(KEYS)}")
    for id, known in book.claims.items():
        if known.get("status") not in STATUSES:
            raise ValueError(
                f"{FILE}: the status of {id} is {known.get('status')!r}; "
                f"allowed are {', '.join(STATUSES)}"
            )
    return book


def problems(folder: Path) -> list[str]:
    """What has been changed without being entered, a sentence each."""
    book, here = read(folder), entries(folder)
    found = [f"{id} is not in {FILE}" for id in here if id not in book.claims]
    found += [f"{FILE} has {id}, which is no claim" for id in book.claims if id not in here]
    found += [
        f"the rule of {id} is not the one of {FILE}: enter the change"
        for id, entry in here.items()
        if id in book.claims and book.claims[id].get("rule") != fingerprint(entry)
    ]
    every = set(here)
    for change in book.changes:
        found += [
            f"{FILE} tells a change of {id}, which is no claim"
            for id in change["claims"]
            if id not in every and change["what"] != REMOVED
        ]
    return found


def enter(folder: Path, status: str = "together") -> list[str]:
    """Write the fingerprints anew; returns the claims that are new or whose rule has changed.

    A changed rule must have a change that is entered and that no fingerprint knows yet: the number of
    its changes is kept beside its fingerprint.
    """
    book, here = read(folder), entries(folder)
    here = {
        id: here[id] for id in [*(id for id in book.claims if id in here), *here]
    }  # new ones last
    written, claims = [], {}
    for id, entry in here.items():
        known, number = book.claims.get(id), len(book.of(id))
        now = fingerprint(entry)
        if known is None:
            written.append(id)
        elif known["rule"] != now:
            if number <= known.get("changes", 0):
                raise ValueError(f"the rule of {id} has changed: tell it in {FILE} under `changes`")
            written.append(id)
        claims[id] = {"rule": now, "status": (known or {"status": status})["status"]}
        if number:
            claims[id]["changes"] = number
    lines = "".join(f"  {id}: {_flow(claims[id])}\n" for id in claims)
    path = Path(folder) / FILE
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    head, _, rest = text.partition("claims:\n")
    _, _, changes = ("\n" + rest).partition("\nchanges:")
    replace_file(path, f"{head}claims:\n{lines}changes:{changes or ' []' + chr(10)}".encode())
    return written


def _flow(known: dict) -> str:
    inside = ", ".join(
        f'{key}: "{value}"' if key == "rule" else f"{key}: {value}" for key, value in known.items()
    )
    return "{" + inside + "}"
