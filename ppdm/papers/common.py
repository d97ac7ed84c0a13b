"""What the papers' experiments share: how a reading is told, one share of training records, frames.

Each paper's folder has the same parts: `readings` (what the paper leaves open), `experiment` (one
grid point), `evidence` (frames in, evidence for claims out), `beyond` (what goes beyond the paper).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import pandas as pd

from ppdm import data

#: The training part's share of the records, in all four papers.
TRAINING = 0.8
#: Seeds the one split that a fixed split is, whatever the seed of the study.
SPLIT_SEED = 80_20


@dataclass(frozen=True)
class Reading:
    """Something that a paper leaves open: our choice and why, and what else it could mean.

    >>> ours = Reading("ours", "Is a count smoothed?", "one is added (Laplace)")
    >>> other = Reading("alpha 0", ours.question, ours.choice, alternative="no",
    ...                 options={"alpha": 0.0}, touches=("ZM-8", "ZM-9"))
    >>> other.options
    {'alpha': 0.0}
    """

    name: str
    question: str
    choice: str
    why: str = ""
    alternative: str = ""
    #: The keywords of the paper's experiment that make it the alternative.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: The data sets it says anything about.
    datasets: tuple[str, ...] = ()
    #: The claims whose evidence it can move.
    touches: tuple[str, ...] = ()


def readings_frame(readings: Sequence[Reading], effects: Sequence[str]) -> pd.DataFrame:
    """Rows of the ambiguities page: an effect, in words, for each reading.

    >>> readings_frame([Reading("r", "Which?", "this", alternative="that")], ["none"]).to_dict("list")
    {'question': ['Which?'], 'choice': ['this'], 'alternatives': ['that'], 'effect': ['none']}
    """
    rows = [
        (r.question, r.choice, r.alternative, effect)
        for r, effect in zip(readings, effects, strict=True)
    ]
    return pd.DataFrame(rows, columns=["question", "choice", "alternatives", "effect"])


def by_question(readings: Sequence[Reading]) -> list[Reading]:
    """One reading a question, its alternatives joined: the rows of a chapter's table.

    >>> two = [Reading(a, "How many?", "100", alternative=a) for a in ("50", "200")]
    >>> [(reading.question, reading.alternative) for reading in by_question(two)]
    [('How many?', '50; 200')]
    """
    together: dict[str, list[Reading]] = {}
    for reading in readings:
        together.setdefault(reading.question, []).append(reading)
    return [
        replace(each[0], alternative="; ".join(r.alternative for r in each))
        for each in together.values()
    ]


def key(coding: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Keywords as something that can be looked up in a cache.

    >>> key({"split": "median", "missing": "zero"})
    (('missing', 'zero'), ('split', 'median'))
    """
    return tuple(sorted(coding.items()))


def binarized(dataset: data.Dataset, **coding: Any) -> pd.DataFrame:
    """Records as zeros and ones, the class last; `coding` goes to :func:`ppdm.data.binarize`."""
    with warnings.catch_warnings():  # a constant column is harmless here; the data page lists them
        warnings.filterwarnings("ignore", message=".*constant after the coding")
        frame, _ = data.binarize(dataset, **coding)
    return frame[[*(name for name in frame.columns if name != dataset.target), dataset.target]]


def binary_frame(dataset: str, **coding: Any) -> pd.DataFrame:
    """The binarized records of a named data set, the class last; loaded from `source` once.

    >>> binary_frame("breast-cancer-wisconsin").shape
    (699, 10)
    """
    return _binary_frame(dataset, key(coding))


@lru_cache(maxsize=32)
def _binary_frame(dataset: str, coding: tuple) -> pd.DataFrame:
    options = dict(coding)
    return binarized(data.load(dataset, options.pop("source", None)), **options)
