"""What a paper leaves open, and which verdicts hang on it; and tables behind a line that opens them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from ppdm import study
from ppdm.study.cards import Html, part


def left_open(ch: study.Chapter, readings: Iterable[study.Reading]) -> pd.DataFrame:
    """A row a question: our choice, what else it could mean, and the decided claims that come out otherwise then."""
    rows: dict[str, dict[str, str]] = {}
    for reading in readings:
        asked = [ch.ledger.decided[id] for id in reading.touches if id in ch.ledger.decided]
        other = [decision.claim.id for decision in asked if reading.name in decision.turned]
        effect = f"another verdict on {', '.join(other)}"
        if not other:
            effect = f"no other verdict on {', '.join(decision.claim.id for decision in asked)}"
        effect = f"{reading.alternative}: {effect if asked else 'no claim of this page'}"
        new = {"question": reading.question, "choice": reading.choice}
        row = rows.setdefault(reading.question, new | {"alternatives": "", "effect": ""})
        for column, text in (("alternatives", reading.alternative), ("effect", effect)):
            row[column] = "; ".join(filter(None, (row[column], text)))
    return ch.save("readings", pd.DataFrame(list(rows.values())))


def folded(piece: Any, summary: str) -> Html:
    """Something shown, behind a line that opens it."""
    return part("folded", piece._repr_html_(), summary, words=repr(piece))
