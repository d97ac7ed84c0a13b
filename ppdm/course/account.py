"""The account of points: who got what, for which version of an answer, when, and from whom.

`account.jsonl` only grows: a line for every change. Points that a human gave belong to the version
of the answer they were given for. If the answer changes, they are kept, and the answer is *to be
read again*; if its file is missing for a day, nothing is lost; if the old answer comes back, its
points do.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ppdm.course.tables import Dialect, read_table, write_table

HAND, TEST = "hand", "test"
COLUMNS = (
    "student",
    "assignment",
    "task",
    "max",
    "points",
    "comment",
    "state",
    "version",
    "answer",
)
NEEDED = ("student", "assignment", "task", "points")
TO_READ, READ, AGAIN = "to be read", "read", "to be read again"


class Key(NamedTuple):
    """Whose points, and what for."""

    student: str
    assignment: str
    task: str


def version_of(answer: str) -> str:
    """A short name for exactly this answer; spaces around it do not count."""
    return hashlib.sha256(answer.strip().encode()).hexdigest()[:12]


class Account:
    """The log, as it was found, and what has been added to it."""

    def __init__(self, path: Path):
        self.path = path
        self.hand: dict[Key, dict[str, dict]] = {}
        self.latest: dict[Key, dict] = {}
        self.test: dict[Key, dict] = {}
        for entry in _entries(path):
            self._take(entry)

    def _take(self, entry: dict) -> None:
        key = Key(entry["student"], entry["assignment"], entry["task"])
        if entry["by"] == HAND:
            versions = self.hand.setdefault(key, {})
            versions.pop(entry["version"], None)
            versions[entry["version"]] = entry  # the latest at the end
            self.latest[key] = entry
        else:
            self.test[key] = entry

    def add(self, entries: Iterable[dict]) -> None:
        """Write entries at the end of the log; each is there as a whole, or not."""
        entries = list(entries)
        if not entries:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        lines = "".join(json.dumps({"when": now, **e}, ensure_ascii=False) + "\n" for e in entries)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        broken = self.path.is_file() and self.path.read_bytes()[-1:] not in (b"", b"\n")
        with self.path.open("ab") as file:
            file.write((b"\n" if broken else b"") + lines.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        for entry in entries:
            self._take(entry)

    def given(self, key: Key, version: str) -> dict | None:
        """What a human gave for this version of the answer."""
        return self.hand.get(key, {}).get(version)

    def earlier(self, key: Key) -> dict | None:
        """What a human gave for any version, the last time."""
        return self.latest.get(key)


def _entries(path: Path) -> list[dict]:
    if not path.is_file():
        return []
    entries = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
            if {"student", "assignment", "task", "by", "version"} <= set(entry):
                entries.append(entry)
        except (ValueError, TypeError):
            continue  # a line that was cut off by a fault; the others count
    return entries


# -- what a reader writes ----------------------------------------------------------------------


def take_over(path: Path, account: Account, tasks: dict[tuple[str, str], float]) -> Dialect:
    """Take the points that a human has put into `to_read.csv` into the account."""
    if not path.is_file():
        return Dialect()
    rows, dialect = read_table(path, NEEDED)
    new = []
    for row in rows:
        key = Key(row["student"], row["assignment"], row["task"])
        points = row["points"].strip()
        if not points or (key.assignment, key.task) not in tasks:
            continue
        number = checked(points, tasks[key.assignment, key.task], key, path)
        comment = (row.get("comment") or "").strip()
        version = (row.get("version") or "").strip() or version_of(row.get("answer") or "")
        known = account.given(key, version)
        if known is None or (known["points"], known["comment"]) != (number, comment):
            new.append({**key._asdict(), "by": HAND, "points": number, "comment": comment,
                        "max": tasks[key.assignment, key.task], "version": version})  # fmt: skip
    account.add(new)
    return dialect


def checked(points: str, most: float, key: Key, path: Path) -> float:
    """Points as a number, with a comma or a point."""
    try:
        number = float(points.replace(",", "."))
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise ValueError(f"{path.name}: {' '.join(key)} has {points!r} points; 0 to {most:g} exist")
    return number


def settle(results: list[dict], account: Account) -> None:
    """Put points given by hand into the results, and everything that is new into the account."""
    new = []
    for result in results:
        for task in result["tasks"]:
            key = Key(result["student"], result["assignment"], task["task"])
            if task["by"] == "human":
                _settle_read(key, task, account)
                continue
            version = result["version"]
            known = account.test.get(key)
            entry = {"points": task["points"], "version": version}
            if known is None or {name: known[name] for name in entry} != entry:
                new.append({**key._asdict(), "by": TEST, "max": task["max"], **entry})
    account.add(new)


def _settle_read(key: Key, task: dict, account: Account) -> None:
    if task["points"] is not None:  # not answered, or not handed in
        return
    task["state"] = TO_READ
    task["version"] = version_of(task["answer"])
    given, earlier = account.given(key, task["version"]), account.earlier(key)
    if given is not None:
        task |= {"points": given["points"], "message": given["comment"], "state": READ}
    elif earlier is not None:
        task["state"] = AGAIN
        task["message"] = (
            f"To be read again: the answer has changed since it got "
            f"{earlier['points']:g} of {earlier['max']:g}."
        )
        task["earlier"] = earlier


def write_to_read(path: Path, results: list[dict], dialect: Dialect) -> None:
    """The list of answers that a human reads, with the points given so far."""
    rows = []
    for result in results:
        for task in result["tasks"]:
            if "state" not in task:
                continue
            read, earlier = task["state"] == READ, task.get("earlier")
            state = task["state"] + (
                f" ({earlier['points']:g} for an earlier version)" if earlier else ""
            )
            rows.append({
                "student": result["student"], "assignment": result["assignment"],
                "task": task["task"], "max": f"{task['max']:g}", "state": state,
                "points": f"{task['points']:g}" if read else "", "version": task["version"],
                "comment": task["message"] if read else (earlier or {}).get("comment", ""),
                "answer": task["answer"],
            })  # fmt: skip
    write_table(path, rows, COLUMNS, dialect)
