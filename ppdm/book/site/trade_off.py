"""What chapter 5's planes are drawn from, for the reader to take hold of: accuracy against what an attacker gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm.data import SHORT

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


def measured(plane: pd.DataFrame) -> list[dict[str, Any]]:
    """The settings of a plane: each scheme at each parameter on each data set.

    A setting has an `x` for each goal and knowledge of the attacker (his chance, the blind one, and 1
    where a better attack is possible) and a `y` for each learner (its balanced accuracy, and that on
    undisguised records): the learner never moves the attacker, nor he the accuracy.

    >>> plane = pd.DataFrame({"dataset": "adult", "scheme": ["undisguised", "AIBR"], "parameter": [0.0, 3], "bound": True,
    ...     "symbol": ["", "k"], "knowledge": "others", "goal": "the class", "guess": [1, 0.8], "blind": 0.7,
    ...     "nb": [0.9, 0.6], "id3": [0.8, float("nan")], "evidence": "fig-a"})
    >>> [setting] = measured(plane)
    >>> setting["scheme"], setting["axis"], setting["at"], setting["x"], setting["y"]
    ('AIBR', 'k', 3.0, {'the class': {'others': [0.8, 0.7, 1]}}, {'naive Bayes': [0.6, 0.9]})
    """
    plane = plane.fillna({"symbol": "", "parameter": 0})
    undisguised = plane["scheme"] == "undisguised"
    levels = plane[undisguised].groupby("dataset")[list(LEARNERS)].first().round(5).to_dict("index")
    rows = plane[~undisguised & plane["knowledge"].isin(KNOWLEDGE) & plane["goal"].isin(GOALS)]
    settings = []
    for key, part in rows.groupby(["dataset", "scheme", "symbol", "parameter"], sort=False):
        name, scheme, axis, at = key
        attacks: dict[str, dict] = {}
        for row in part.round(5).to_dict("records"):
            attack = [row["guess"], row["blind"], int(row["bound"])]
            attacks.setdefault(row["goal"], {})[row["knowledge"]] = attack
        level = levels[name]
        own = part[list(LEARNERS)].iloc[0].round(5).dropna().to_dict()
        settings.append({
            "set": SHORT.get(str(name), name), "scheme": scheme, "axis": axis, "at": at, "link": part["evidence"].iloc[0],
            "x": attacks, "y": {LEARNERS[str(column)]: [value, level[column]] for column, value in own.items()},
        })  # fmt: skip
    return settings


def write(static: Path, results: Path) -> None:
    """The newest plane as JSON that a page takes as a script, so that it can be read from a disk, too."""
    settings = [measured(pd.read_csv(path)) for path in sorted(results.glob("*/plane.csv"))]
    known = {"goals": GOALS, "knowledge": KNOWLEDGE, "settings": settings[-1] if settings else []}
    text = json.dumps(known, separators=(",", ":"), ensure_ascii=False)
    (static / "trade_off_data.js").write_text(f"globalThis.ppdmTradeOff = {text};\n", "utf-8")
