"""[Zhan & Matwin] The chapter: its sizes, and where its rows and numbers are."""

from __future__ import annotations

from typing import Any

from ppdm import study
from ppdm.papers.electronic_surveys import rows
from ppdm.papers.electronic_surveys.readings import SETS

PAPER_Q = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
DECIDED_AT = {0, 0.1, 0.5, 1}


SETTINGS: dict[str, Any] = {
    "data_source": "stored",
    "split": "median",
    "missing": "zero",
    "alpha": 1.0,
}
NUMBERS = {"01_electronic_surveys": rows.numbers, "01_beyond": rows.numbers_beyond}


def chapter(stem: str = "01_electronic_surveys", **parameters: Any) -> study.Chapter:
    """The chapter, or its second page, with a notebook's parameters.

    >>> chapter(seed=1).sizes["splits"]
    20
    """
    ch = study.Chapter(
        stem, rows=rows, numbers=NUMBERS[stem], use=SETS,
        sizes={"reps": (1000, 20), "points": (PAPER_Q, sorted(DECIDED_AT)), "splits": (20, 4)}, **(SETTINGS | parameters),
    )  # fmt: skip
    if not DECIDED_AT <= set(ch.sizes["points"]):
        raise ValueError(
            f"points needs {', '.join(map(str, sorted(DECIDED_AT)))}, where claims are decided; "
            f"got {ch.sizes['points']}"
        )
    return ch
