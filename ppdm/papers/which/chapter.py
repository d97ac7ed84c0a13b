"""[Chapter 5] The chapter and the page beyond it: their sizes, and where their rows and numbers are."""

from __future__ import annotations

from typing import Any

from ppdm import study
from ppdm.papers.which import beyond, rows
from ppdm.papers.which.experiment import SETS

KNOWN = [2, 4, 6, 8, 10, 12, 16, 18, 20, 30, 40]


def chapter(**parameters: Any) -> study.Chapter:
    """The comparison, with a notebook's parameters.

    >>> chapter(seed=1, data_source="stored").sizes
    {'reps': 10}
    """
    return study.Chapter(
        "05_which_disguise",
        rows=rows,
        numbers=rows.numbers,
        use=SETS,
        sizes={"reps": (10, 2)},
        **parameters,
    )


def later(**parameters: Any) -> study.Chapter:
    """What came after.

    >>> later(seed=1, data_source="stored").sizes["draws"]
    12
    """
    sizes = {"draws": (12, 3), "known": (KNOWN, [4, 16, 18, 20])}
    return study.Chapter(
        "05_beyond", rows=beyond, numbers=beyond.numbers, use=SETS, sizes=sizes, **parameters
    )
