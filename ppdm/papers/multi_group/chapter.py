"""[Zhan & Du] The chapter: its sizes, and where its rows and numbers are."""

from __future__ import annotations

from typing import Any

from ppdm import study
from ppdm.papers.multi_group import rows
from ppdm.papers.multi_group.readings import DATASETS

SIZES = {"reps": (1000, 6), "few": (100, 4), "divisions": (20, 2)}
SETTINGS: dict[str, Any] = {
    "data_source": "stored", "split": "median", "missing": "zero", "negative": "clip", "ratio": 0.8,
}  # fmt: skip
NUMBERS = {"02_multi_group": rows.numbers, "02_beyond": rows.numbers_beyond}


def chapter(stem: str = "02_multi_group", **parameters: Any) -> study.Chapter:
    """The chapter, or its second page, with a notebook's parameters.

    >>> chapter(seed=1).sizes["divisions"]
    20
    """
    return study.Chapter(
        stem, rows=rows, numbers=NUMBERS[stem], use=DATASETS, sizes=SIZES, **(SETTINGS | parameters)
    )
