"""[Chapter 5] What is looked at: the points of the plane, fewer of them where records are many.

With Adult's 32,768 records and Voting's 131,072 a point takes seconds, and its neighbours tell the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ppdm.papers.which import experiment

SMALL = ("breast-cancer-wisconsin", "pima")
#: Of Adult and Voting.
FEW: dict[str, tuple[float, ...]] = {
    "undisguised": (1.0,), "unrelated question": (0.2, 0.5), "one group": (0.7, 0.85), "two groups": (0.7,),
    "three groups": (0.7,), "each answer alone": (0.7, 0.85), "certified matrices": (0.15, 0.3),
    "one question by lot": (2.0, 4.0), "AIBR": (4.0,), "BSVD": (4.0,), "SSVD": (0.45,), "kCG": (10.0,),
}  # fmt: skip


def grid(quick: bool, divisions: int, datasets: Iterable[str]) -> list[dict[str, Any]]:
    """All points of the small data sets, some of the large ones.

    >>> cells = grid(False, 1, ["adult", "pima"])
    >>> [sum(cell["dataset"] == name for cell in cells) for name in ("adult", "pima")]
    [17, 37]
    """
    return [
        cell
        for cell in experiment.grid(quick, divisions, tuple(datasets))
        if cell["dataset"] in SMALL or cell["parameter"] in FEW.get(cell["scheme"], ())
    ]
