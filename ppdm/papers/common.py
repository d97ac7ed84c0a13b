"""What the papers' experiments share: how a reading is told, one share of training records, frames.

Each paper's folder has the same parts: `readings` (what the paper leaves open), `experiment` (one
grid point), `evidence` (frames in, evidence for claims out), `beyond` (what goes beyond the paper).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.domain import Domain, encode, held
from ppdm.study.worlds import Reading
from ppdm.table import Table, aggregated

#: The training part's share of the records, in all four papers.
TRAINING = 0.8
#: Seeds the one split that a fixed split is, whatever the seed of the study.
SPLIT_SEED = 80_20


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


def held_table(table: Table) -> Table:
    """A table that is kept for later calls: a dense one is read-only.

    The numbers of a sparse one go to compiled code as they are, which is compiled for writable ones.
    """
    if not table.is_sparse:
        held(table.values)
    return table


def binarized(dataset: data.Dataset, **coding: Any) -> pd.DataFrame:
    """Records as zeros and ones, the class last; `coding` goes to :func:`ppdm.data.binarize`."""
    with warnings.catch_warnings():  # a constant column is harmless here; the data page lists them
        warnings.filterwarnings("ignore", message=".*constant after the coding")
        frame, _ = data.binarize(dataset, **coding)
    return frame[[*(name for name in frame.columns if name != dataset.target), dataset.target]]


def each_group(
    frame: pd.DataFrame, by: str | list[str], *, sort: bool = False
) -> Iterator[tuple[Any, pd.DataFrame]]:
    """The groups of a frame as `groupby` has them, in the order of their first rows.

    A key is of the kind that its columns hold; of `groupby`'s own, type checkers know less.

    >>> frame = pd.DataFrame({"dataset": ["b", "a", "b"], "value": [1, 2, 3]})
    >>> [(name, rows["value"].sum()) for name, rows in each_group(frame, "dataset")]
    [('b', np.int64(4)), ('a', np.int64(2))]
    """
    yield from frame.groupby(by, sort=sort)


def binary_frame(dataset: str, **coding: Any) -> pd.DataFrame:
    """The binarized records of a named data set, the class last; loaded from `source` once.

    With `first`, so many of its records only. The frame is the caller's own.

    >>> binary_frame("breast-cancer-wisconsin").shape
    (699, 10)
    """
    return _binary_frame(dataset, key(coding)).copy()


@lru_cache(maxsize=32)
def _binary_frame(dataset: str, coding: tuple) -> pd.DataFrame:
    options = dict(coding)
    loaded, first = data.load(dataset, options.pop("source", None)), options.pop("first", None)
    return binarized(loaded if first is None else loaded.first(first), **options)


# One division of the records ----------------------------------------------------------------------


def split(
    size: int, rng: np.random.Generator, ratio: float = TRAINING
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the training and of the test part, drawn at random.

    >>> [len(rows) for rows in split(449, np.random.default_rng(0))]
    [359, 90]
    """
    train, test = np.split(rng.permutation(size), [round(ratio * size)])
    return train, test


def fixed_split(
    size: int, number: int = 0, ratio: float = TRAINING
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the training and of the test part: one split, whatever the seed of a study.

    `number` names one of many such splits.

    >>> [len(rows) for rows in fixed_split(699)]
    [559, 140]
    """
    return split(size, np.random.default_rng(SPLIT_SEED + number), ratio)


@dataclass(frozen=True, eq=False)
class Respondents:
    """Whom a paper's experiment asks: a data set's coded records, the class last.

    >>> asked = Respondents(np.array([3, 3, 0, 1, 2]), Domain(("A", "C"), ((0, 1), (0, 1))))
    >>> asked.everyone.dense.tolist(), [part.total for part in asked.fixed]
    ([[1.0, 1.0], [1.0, 2.0]], [4.0, 1.0])
    """

    codes: np.ndarray
    domain: Domain

    @cached_property
    def everyone(self) -> Table:
        """All records, counted."""
        return held_table(tabled(self.codes, self.domain))

    @cached_property
    def fixed(self) -> tuple[Table, Table]:
        """The two parts of the fixed split."""
        train, test = self.numbered(0)
        return held_table(train), held_table(test)

    def parts(
        self, splitting: str | int, reps: int, rng: np.random.Generator
    ) -> Iterator[tuple[Table, Table]]:
        """Training and test part for each repetition: of one split, or ``"redrawn"`` each time."""
        if splitting == "redrawn":
            size = int(self.fixed[0].total)
            for _ in range(reps):
                yield self.everyone.split(size, rng)
        elif isinstance(splitting, int):
            yield from repeat(self.numbered(splitting), reps)
        elif splitting == "fixed":
            yield from repeat(self.fixed, reps)
        else:
            raise ValueError(f"splitting is 'fixed' or 'redrawn', or a number; got {splitting!r}")

    def numbered(self, number: int) -> tuple[Table, Table]:
        """The two parts of one of many splits; number 0 is the fixed one."""
        train, test = (self.codes[rows] for rows in fixed_split(len(self.codes), number))
        return (tabled(train, self.domain), tabled(test, self.domain).sparsified())


def tabled(codes: np.ndarray, domain: Domain) -> Table:
    """The table of coded records.

    >>> tabled(np.array([1, 1, 0]), Domain(("A",), ((0, 1),))).dense
    array([1., 2.])
    """
    return aggregated(domain, codes, np.ones(len(codes))).compact(len(codes))


def respondents(dataset: str, **coding: Any) -> Respondents:
    """The people of a named data set, their records binarized; counted once.

    >>> respondents("breast-cancer-wisconsin").fixed[0].total
    559.0
    """
    return _respondents(dataset, key(coding))


@lru_cache(maxsize=32)
def _respondents(dataset: str, coding: tuple) -> Respondents:
    codes, domain = encode(_binary_frame(dataset, coding))
    return Respondents(held(codes), domain)


def scores(confusion: np.ndarray) -> tuple[float, float, float]:
    """Accuracy, balanced accuracy, and 1 if all got the same class; of [true class, predicted].

    >>> scores(np.array([[90, 0], [10, 0]]))
    (0.9, 0.5, 1.0)
    """
    right, people = confusion.diagonal(), confusion.sum(axis=1)
    constant = (confusion.sum(axis=0) > 0).sum() == 1
    return (
        float(right.sum() / people.sum()),
        float((right / np.maximum(people, 1)).mean()),
        float(constant),
    )
