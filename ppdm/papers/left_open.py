"""What a paper leaves open, and which verdicts hang on it; and tables behind a line that opens them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from ppdm import study
from ppdm.papers.common import by_question, readings_frame
from ppdm.study.cards import Html, part


def left_open(ch: study.Chapter, readings: Iterable[study.Reading]) -> pd.DataFrame:
    """A row a question: our choice, what else it could mean, and the decided claims that come out otherwise then."""
    readings = list(readings)
    effects: dict[str, list[str]] = {}
    for reading in readings:
        other = [
            id for id, decision in ch.ledger.decided.items() if reading.name in decision.turned
        ]
        asked = [id for id in reading.touches if id in ch.ledger.decided]
        told = (
            f"another verdict on {', '.join(other)}"
            if other
            else f"no other verdict on {', '.join(asked)}"
        )
        effects.setdefault(reading.question, []).append(f"{reading.alternative}: {told}")
    frame = readings_frame(by_question(readings), ["; ".join(each) for each in effects.values()])
    return ch.save("readings", frame)


def folded(piece: Any, summary: str) -> Html:
    """Something shown, behind a line that opens it."""
    return part("folded", piece._repr_html_(), summary, words=repr(piece))
