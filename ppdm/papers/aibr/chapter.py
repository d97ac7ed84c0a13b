"""[Guo] The chapter as its notebooks open it: sizes, data, rows and numbers."""

from __future__ import annotations

from typing import Any

from ppdm import study
from ppdm.papers.aibr import numbers, rows

#: The paper's size, and that of a quick run.
SIZES = {"reps": (50, 4), "table_reps": (200, 8), "traces": (20, 3), "forests": (10, 2), "draws": (2000, 200),
         "last_k": (31, 6)}  # fmt: skip


def chapter(stem: str = "03_aibr", **parameters: Any) -> study.Chapter:
    """The chapter, or its second page, with a notebook's parameters.

    >>> chapter(seed=1, data_source="stored", test_rows="original").sizes["traces"]
    20
    """
    return study.Chapter(
        stem, rows=rows, numbers=numbers.of_page(stem), use=("breast-cancer-wisconsin", "pima"), sizes=SIZES,
        **parameters,
    )  # fmt: skip
