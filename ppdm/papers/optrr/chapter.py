"""[Huang & Du] The chapter: its sizes, and where its rows and numbers are."""

from __future__ import annotations

from typing import Any

from ppdm import study
from ppdm.papers.optrr import numbers, rows

SIZES = {"generations": (20_000, 200), "short": (5_000, 100), "large": (1_000, 20), "points": (28, 4), "reps": (4_000, 200),
         "surveys": (300, 20), "draws": (10, 2)}  # fmt: skip


def chapter(stem: str = "04_optrr", **parameters: Any) -> study.Chapter:
    """The chapter, or its second page, with a notebook's parameters.

    >>> chapter(seed=1, data_source="stored", respondents=100).sizes["points"]
    28
    """
    return study.Chapter(
        stem, rows=rows, numbers=numbers.of_page(stem), use=("adult",), sizes=SIZES, **parameters
    )
