"""[Zhan & Matwin] The chapter: its sizes, and where its rows and numbers are."""

from __future__ import annotations

from typing import Any

from ppdm import study
from ppdm.papers.electronic_surveys import rows
from ppdm.papers.electronic_surveys.readings import SETS

PAPER_Q = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
DECIDED_AT = {0, 0.1, 0.5, 1}


def chapter(stem: str = "01_electronic_surveys", **parameters: Any) -> study.Chapter:
    """The chapter, or its second page, with a notebook's parameters.

    >>> chapter(seed=1, data_source="stored").sizes["splits"]
    20
    """
    ch = study.Chapter(
        stem, rows=rows, numbers=getattr(rows, "numbers", None), use=SETS,
        sizes={"reps": (1000, 20), "points": (PAPER_Q, sorted(DECIDED_AT)), "splits": (20, 4)}, **parameters,
    )  # fmt: skip
    if not DECIDED_AT <= set(ch.sizes["points"]):
        raise ValueError(
            f"points needs {', '.join(map(str, sorted(DECIDED_AT)))}, where claims are decided; "
            f"got {ch.sizes['points']}"
        )
    return ch
