"""What the chapters measured, for the page that lets its reader choose the noise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from ppdm import UnrelatedQuestion, count, data
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


#: The survey of the primer's last game: Adult, asked by the unrelated question.
SENT, REPORTS, SEED = 0.5, 60, 1965


def collector() -> dict:
    """Reports of a survey of Adult, each with the chance that it is the person's own record.

    Half are the person's own, half are fair coins, as the unrelated question sends them at q = 1/2.
    `best` is how often a collector is right who knows the distribution of the records and always
    takes the likelier case: the sum over all reports of the larger of the two chances.
    """
    answers, coding = data.binarize(data.load("adult"))
    table = count(answers.drop(columns=["fnlwgt", "education-num"]))  # nobody knows hers
    scheme, prior = UnrelatedQuestion(SENT), table.proportions()
    cells, shares = prior.occupied()
    stranger = (1 - SENT) / prior.domain.size
    best = np.maximum(SENT * shares, stranger).sum() + stranger * (prior.domain.size - len(cells))
    rng = np.random.default_rng(SEED)
    own = rng.random(REPORTS) < SENT
    sent = np.where(
        own, rng.choice(cells, REPORTS, p=shares), rng.integers(prior.domain.size, size=REPORTS)
    )
    truth = scheme.truth_of_reports(prior, sent)
    reports = [
        {
            "own": bool(o),
            "truth": round(float(t), 4),
            "answers": prior.domain.digits(np.array([c]))[0].tolist(),
        }
        for o, t, c in zip(own, truth, sent)
    ]
    rules = dict(zip(coding["column"], coding["rule"]))
    questions = [f"{name} {rules[name]}" for name in prior.domain.names]
    return {"q": SENT, "best": round(float(best), 4), "questions": questions, "reports": reports}


def collector_block() -> str:
    """:func:`collector` as data inside the page."""
    text = json.dumps(collector(), separators=(",", ":")).replace("</", "<\\/")
    return raw_html(f'<script type="application/json" id="collector-data">{text}</script>')
