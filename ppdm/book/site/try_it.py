"""What the chapters measured, for the page that lets its reader choose the noise."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from ppdm.book.site.records import raw_html

COORDINATES = ["dataset", "learner", "scheme", "groups", "theta", "q", "reading"]


def accuracies(results: Path) -> list[dict]:
    """Mean accuracies of all chapters: their coordinates, and `accuracy`.

    From each chapter's `accuracy.csv` that goes by q or θ. It holds repetitions (`value`) or means
    (`mean`). Where a chapter measures several readings or learners, its first is taken.
    """
    rows = []
    for path in sorted(results.glob("*/accuracy.csv")):
        frame = pd.read_csv(path)
        if not {"q", "theta"} & set(frame):
            continue
        if "metric" in frame:
            frame = frame[frame["metric"] == "accuracy"]
        for name in {"learner", "reading"} & set(frame):
            frame = frame[frame[name] == frame[name].iloc[0]]
        measured = "mean" if "mean" in frame else "value"
        known = [name for name in COORDINATES if name in frame]
        means = frame.groupby(known, dropna=False, sort=False)[measured].mean().reset_index()
        for row in means.to_dict("records"):
            kept = {name: row[name] for name in known if pd.notna(row[name])}
            rows.append({"chapter": path.parent.name, **kept, "accuracy": round(row[measured], 4)})
    return rows


def data_block(results: Path) -> str:
    """The accuracies as data inside the page: no request is needed, and it works from disk."""
    text = json.dumps(accuracies(results), separators=(",", ":")).replace("</", "<\\/")
    return raw_html(f'<script type="application/json" id="measured">{text}</script>')
