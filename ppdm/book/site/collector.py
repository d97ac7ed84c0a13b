"""The collector's side of the table: the survey of the primer's game of records."""

from __future__ import annotations

import json

import numpy as np

from ppdm import UnrelatedQuestion, count, data
from ppdm.book.site.records import raw_html

#: Adult, asked by the unrelated question.
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
