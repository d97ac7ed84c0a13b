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

#: What a chapter's frame may say. A row is one setting of one scheme on one data set, for one attack and one learner.
COLUMNS = {
    "dataset": "its name",
    "scheme": "in words; without it `kind` (of personal records) or `groups`",
    "q, theta, k, ...": "the parameter; see AXES",
    "goal, knowledge": "what the attacker is after and what he knows; the class, and other people's records, if not said",
    "attacker, blind": "how often his best guess is right, and how often with the same knowledge and no report",
    "bound": "true where an attack was carried out, and a better one might be right more often",
    "learner": "the paper's own if not said",
    "balanced, undisguised": "balanced accuracy, and (where it is known) without any disguise",
    "evidence": "the anchor of what shows it, on the chapter's page",
}
AXES = {"theta": "θ", "q": "q", "k": "k", "epsilon": "ε"}
GOALS = {
    "the class": "guesses her class",
    "one answer": "guesses an answer of hers",
    "worst answer": "guesses her most exposed answer",
    "the whole record": "guesses her whole record",
    "is the report true": "tells whether her report is true",
    "which report is hers": "tells which report is hers",
}
KNOWLEDGE = {
    "others": "other people's records",
    "shares": "how common each answer is",
    "scheme": "the scheme only",
    "two answers": "other people's records and two answers of hers",
    "all but hers": "everybody's records but hers",
}
LEARNERS = {"nb": "naive Bayes", "id3": "ID3"}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


NEEDED = {"dataset", "attacker", "blind", "balanced"}
OWN = "the paper's own"  # learner, where the frame does not say


def frames(results: Path) -> Iterator[tuple[Path, pd.DataFrame]]:
    """The chapters' frames that can be shown, by their files; the plane of all schemes comes first."""
    for path in sorted(results.glob("*/plane.csv")):
        yield path, from_plane(pd.read_csv(path))
    for path in sorted(results.glob("*/trade[_-]off.csv")):
        frame = pd.read_csv(path)
        if NEEDED <= set(frame):
            yield path, frame


def from_plane(plane: pd.DataFrame) -> pd.DataFrame:
    """The frame of all schemes, which has a column for each learner, as a row for each.

    >>> plane = pd.DataFrame({"dataset": "adult", "scheme": ["undisguised", "AIBR"], "parameter": [0.0, 3],
    ...     "symbol": ["", "k"], "epsilon": None, "knowledge": "others", "goal": "the class", "bound": True,
    ...     "guess": [1, 0.8], "blind": 0.7, "nb": [0.9, 0.6], "id3": [0.8, float("nan")], "evidence": "fig-a"})
    >>> from_plane(plane)[["scheme", "axis", "at", "attacker", "learner", "balanced", "undisguised"]]
      scheme axis  at  attacker      learner  balanced  undisguised
    0   AIBR    k  3.0       0.8  naive Bayes       0.6          0.9
    """
    plane = plane.rename(columns={"guess": "attacker", "symbol": "axis", "parameter": "at"})
    plane = plane.drop(columns="epsilon", errors="ignore")
    parts = []
    for column, learner in LEARNERS.items():
        level = plane[plane["scheme"] == "undisguised"].groupby("dataset")[column].first()
        part = plane[plane["scheme"] != "undisguised"].dropna(subset=[column])
        parts.append(
            part.assign(
                learner=learner, balanced=part[column], undisguised=part["dataset"].map(level)
            )
        )
    joined = pd.concat(parts, ignore_index=True)
    return joined[joined["knowledge"].isin(KNOWLEDGE) & joined["goal"].isin(GOALS)].reset_index(
        drop=True
    )


def evidence(path: Path, row: dict[str, Any]) -> str:
    """What shows a row, seen from any page: where it says so, else the data set's figure or the one for all."""
    page, name = path.parent.name, path.stem.replace("_", "-")
    drawn = path.parents[2] / "figures" / page
    own = SHORT.get(row["dataset"], row["dataset"]).lower().replace(" ", "-")
    figures = [f"fig-{one}" for one in (f"{name}-{own}", name) if (drawn / f"{one}.svg").is_file()]
    anchor = next(iter([row["evidence"]] if "evidence" in row else figures), "")
    return f"../notebooks/{page}.html" + (f"#{anchor}" if anchor else "")


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

    A setting has an `x` for each goal and knowledge of the attacker (his chance, the blind one, and 1
    where a better attack is possible) and a `y` for each learner (its accuracy, the undisguised
    one): the learner never moves the attacker, and the attacker never moves the accuracy.
    """
    settings: dict[tuple, dict] = {}
    plane = None
    for path, frame in frames(results):
        plane = path.parent.name if path.stem == "plane" else plane
        for raw in frame.to_dict("records"):
            row = {str(name): value for name, value in raw.items() if pd.notna(value)}
            if NEEDED <= set(row):
                _enter(settings, path, row)
    told = {"goals": GOALS, "knowledge": KNOWLEDGE, "plane": plane}
    return told | {"settings": list(settings.values())}


def _enter(settings: dict[tuple, dict], path: Path, row: dict[str, Any]) -> None:
    column = next((name for name in AXES if name in row), "")
    axis, at = row.get("axis", AXES.get(column, "")), row.get("at", row.get(column, 0))
    page, name, scheme = path.parent.name, SHORT.get(row["dataset"], row["dataset"]), scheme_of(row)
    one = settings.setdefault((page, name, scheme, axis, at), {
        "set": name, "scheme": scheme, "axis": axis, "at": at, "page": page,
        "link": evidence(path, row), "x": {}, "y": {},
    })  # fmt: skip
    known = one["x"].setdefault(row.get("goal", "the class"), {})
    known[row.get("knowledge", "others")] = [
        *_rounded(row["attacker"], row["blind"]),
        int(row.get("bound", False)),
    ]
    learner = row.get("learner", OWN)
    one["y"][learner] = _rounded(
        *(row[name] for name in ("balanced", "undisguised") if name in row)
    )


def _rounded(*values: float) -> list[float]:
    return [round(float(value), 5) for value in values]


def write(static: Path, results: Path) -> None:
    """:func:`measured` as JSON that a page takes as a script, so that it can be read from a disk, too."""
    text = json.dumps(measured(results), separators=(",", ":"), ensure_ascii=False)
    (static / "trade_off_data.js").write_text(f"globalThis.ppdmTradeOff = {text};\n", "utf-8")
