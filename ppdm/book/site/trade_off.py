"""What the chapters' plots of accuracy against an attacker are drawn from, for the reader to take hold of.

A chapter that saves a frame `trade_off` (columns in :data:`COLUMNS`) shows its points under its figure. The page
*Try it* shows those of all chapters, or of the frame `plane`, where one holds all schemes at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm.data import SHORT

#: What a frame may say. A row is one setting of one scheme on one data set, for one attack and one learner.
COLUMNS = {
    "dataset": "its name",
    "scheme": "in words; without it `kind` (of personal records) or `groups`",
    "q, theta, k, ...": "the parameter; see AXES",
    "goal": "what the attacker is after, a key of GOALS; the class where there is no such column",
    "attacker, blind": "how often he is right, and how often with the same knowledge and no report",
    "learner": "naive Bayes where there is no such column",
    "balanced, undisguised": "balanced accuracy, and without any disguise",
}
AXES = {"theta": "θ", "q": "q", "k": "k", "epsilon": "ε"}
GOALS = {
    "class": "guesses her class",
    "answer": "guesses an answer of hers",
    "record": "guesses her whole record",
    "truth": "tells whether her report is true",
    "traced": "finds her record in the released table",
}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


NEEDED = {"dataset", "attacker", "blind", "balanced", "undisguised"}


def frames(results: Path) -> Iterator[tuple[Path, pd.DataFrame]]:
    """The chapters' frames that can be shown, by their files; a plane of all schemes comes first."""
    for pattern in ("*/plane.csv", "*/trade[_-]off.csv"):
        for path in sorted(results.glob(pattern)):
            frame = pd.read_csv(path)
            if NEEDED <= set(frame):
                yield path, frame


def evidence(path: Path, dataset: str) -> str:
    """Where a frame's figure stands, seen from any page: the data set's own, else the one for all."""
    page, name = path.parent.name, path.stem.replace("_", "-")
    drawn = path.parents[2] / "figures" / page
    for anchor in (f"{name}-{SHORT.get(dataset, dataset).lower().replace(' ', '-')}", name):
        if (drawn / f"{anchor}.svg").is_file():
            return f"../notebooks/{page}.html#fig-{anchor}"
    return f"../notebooks/{page}.html"


def scheme_of(row: dict[str, Any]) -> str:
    """A row's scheme in words.

    >>> scheme_of({"groups": 1}), scheme_of({"groups": 3.0}), scheme_of({"groups": 14})
    ('multi-group, one group', 'multi-group, three groups', 'multi-group, 14 groups')
    >>> scheme_of({"kind": "fair coins"}), scheme_of({"scheme": "k-RR"})
    ('unrelated question, fair coins', 'k-RR')
    """
    if "scheme" in row:
        return str(row["scheme"])
    if "kind" in row:
        return f"unrelated question, {row['kind']}"
    number = int(row["groups"])
    said = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"multi-group, {said} group{'s' * (number > 1)}"


def measured(results: Path) -> dict[str, Any]:
    """All settings, and the page of the plane, if there is one: it stands for all chapters then.

    A setting has an `x` for each goal of the attacker (his chance, the blind one) and a `y` for each
    learner (its accuracy, the undisguised one): the learner never moves the attacker, and the goal
    never moves the accuracy.
    """
    settings: dict[tuple, dict] = {}
    plane = None
    for path, frame in frames(results):
        page = path.parent.name
        plane = page if path.stem == "plane" else plane
        for raw in frame.to_dict("records"):
            row = {str(name): value for name, value in raw.items() if pd.notna(value)}
            if not NEEDED <= set(row):
                continue
            axis = next((name for name in AXES if name in row), "")
            name, scheme = SHORT.get(row["dataset"], row["dataset"]), scheme_of(row)
            key = (page, name, scheme, axis, row.get(axis))
            one = settings.setdefault(key, {
                "set": name, "scheme": scheme, "axis": AXES.get(axis, ""), "at": row.get(axis, 0),
                "page": page, "link": evidence(path, row["dataset"]), "x": {}, "y": {},
            })  # fmt: skip
            one["x"][row.get("goal", "class")] = _rounded(row["attacker"], row["blind"])
            one["y"][row.get("learner", "naive Bayes")] = _rounded(
                row["balanced"], row["undisguised"]
            )
    return {"goals": GOALS, "plane": plane, "settings": list(settings.values())}


def _rounded(*values: float) -> list[float]:
    return [round(float(value), 5) for value in values]


def write(static: Path, results: Path) -> None:
    """:func:`measured` as JSON that a page takes as a script, so that it can be read from a disk, too."""
    text = json.dumps(measured(results), separators=(",", ":"), ensure_ascii=False)
    (static / "trade_off_data.js").write_text(f"globalThis.ppdmTradeOff = {text};\n", "utf-8")
