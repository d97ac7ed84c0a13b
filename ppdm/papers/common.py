"""What the papers' experiments share: how a reading is told, one share of training records, frames.

Each paper's folder has the same parts: `readings` (what the paper leaves open), `experiment` (one
grid point), `evidence` (frames in, evidence for claims out), `beyond` (what goes beyond the paper).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import repeat
from typing import Any, NamedTuple

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


def captioned(figure: Any, caption: str) -> Any:
    """The figure with its caption."""
    figure.caption = caption
    return figure


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


def coding(ch: Any, reading: Reading | None = None, dataset: str = "") -> dict[str, Any]:
    """How a chapter codes its records, and how it does under a reading that concerns a data set.

    >>> from types import SimpleNamespace
    >>> coding(SimpleNamespace(settings={"data_source": "stored", "split": "median", "missing": "zero"}))
    {'source': 'stored', 'split': 'median', 'missing': 'zero'}
    """
    names = {"source": "data_source", "split": "split", "missing": "missing"}
    ours = {name: ch.settings[setting] for name, setting in names.items()}
    return ours | (dict(reading.options) if reading and dataset in reading.datasets else {})


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
    size: int, number: int | tuple[int, ...] = 0, ratio: float = TRAINING
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the training and of the test part: one split, whatever the seed of a study.

    `number` names one of many such splits.

    >>> [len(rows) for rows in fixed_split(699)]
    [559, 140]
    """
    seed = SPLIT_SEED + number if isinstance(number, int) else [SPLIT_SEED, *number]
    return split(size, np.random.default_rng(seed), ratio)


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
        self, splitting: Any, reps: int, rng: np.random.Generator
    ) -> Iterator[tuple[Table, Table]]:
        """Training and test part for each repetition: of one split, or ``"redrawn"`` each time.

        A list of splits has the same number of repetitions on each.
        """
        if splitting == "redrawn":
            size = int(self.fixed[0].total)
            for _ in range(reps):
                yield self.everyone.split(size, rng)
        elif splitting == "fixed":
            yield from repeat(self.fixed, reps)
        elif isinstance(splitting, str):
            raise ValueError(f"splitting is 'fixed' or 'redrawn', or a number; got {splitting!r}")
        else:
            numbers = [splitting] if isinstance(splitting, int) else splitting
            for number in numbers:
                yield from repeat(self.numbered(number), spread(reps, len(numbers)))

    def numbered(
        self, number: int | tuple[int, ...], ratio: float = TRAINING
    ) -> tuple[Table, Table]:
        """The two parts of one of many splits; number 0 is the fixed one."""
        train, test = self.coded(number, ratio)
        return tabled(train, self.domain), tabled(test, self.domain).sparsified()

    def coded(
        self, number: int | tuple[int, ...], ratio: float = TRAINING
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same, as codes of the records."""
        train, test = (self.codes[rows] for rows in fixed_split(len(self.codes), number, ratio))
        return train, test


def spread(reps: int, on: int) -> int:
    """How many repetitions each of so many splits has.

    >>> spread(6, 3)
    2
    """
    each, left = divmod(reps, on)
    if left:
        raise ValueError(f"{reps} repetitions cannot be spread evenly on {on} divisions")
    return each


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


# The experiment ---------------------------------------------------------------------------------------

LABELS = ("true", "shuffled")


def surveys(
    rng: np.random.Generator,
    parts: Iterable[tuple[Table, Table]],
    learned: Callable[[Table, np.random.Generator], Any],
    *,
    labels: str = "true",
    beside: Callable[[Table, Table], dict[str, float]] | None = None,
) -> dict[str, np.ndarray]:
    """Survey after survey: the respondents of a training part are asked, the model is tested on true records.

    `learned` is what disguises a training part and learns from the reports: a model. `labels`
    ``"shuffled"`` is wrong on purpose: the classes of the respondents are dealt out anew. Returns
    ``accuracy``, ``balanced`` (the mean of the two classes' accuracies), ``constant`` (1 if all got the same
    class), and what `beside` says of a division.

    >>> fixed = respondents("breast-cancer-wisconsin").fixed
    >>> run = surveys(np.random.default_rng(1), [fixed] * 2, lambda table, _: OneClass().fit_table(table))
    >>> run["balanced"]
    array([0.5, 0.5])
    """
    check("labels", labels, LABELS)
    rows, last, known = [], None, {}
    for train, test in parts:
        if beside and train is not last:
            known, last = beside(train, test), train
        model = learned(shuffled(train, rng) if labels == "shuffled" else train, rng)
        rows.append(scores(model.confusion(test))._asdict() | known)
    return columns(rows)


def columns(rows: Sequence[Mapping[str, float]]) -> dict[str, np.ndarray]:
    """Repetitions, a dictionary each, as an array for each metric."""
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


class Scores(NamedTuple):
    """What a classifier is worth: `balanced` is the mean of the classes' accuracies."""

    accuracy: float
    balanced: float
    constant: float  # 1 if all got the same class


def scores(confusion: np.ndarray) -> Scores:
    """The scores of a table [true class, predicted].

    >>> scores(np.array([[90, 0], [10, 0]]))
    Scores(accuracy=0.9, balanced=0.5, constant=1.0)
    """
    right, people = confusion.diagonal(), confusion.sum(axis=1)
    return Scores(
        float(right.sum() / people.sum()),
        float((right / np.maximum(people, 1)).mean()),
        float((confusion.sum(axis=0) > 0).sum() == 1),
    )


def shuffled(table: Table, rng: np.random.Generator) -> Table:
    """The records with their classes (the last answer) dealt out anew.

    >>> two = Table(Domain(("A", "C"), ((0, 1),) * 2), [4, 0, 0, 4])
    >>> shuffled(two, np.random.default_rng(1)).marginal("C").values
    array([4., 4.])
    """
    cells, counts = table.occupied()
    records = np.repeat(cells, counts.astype(int))
    classes = records % table.shape[-1]
    return tabled(records - classes + rng.permutation(classes), table.domain)


class OneClass:
    """A classifier that says the same of everybody: the more frequent class of its table.

    >>> train, test = respondents("adult").fixed
    >>> OneClass().fit_table(train).confusion(test).tolist()
    [[7487, 0], [2281, 0]]
    """

    def fit_table(self, table: Table) -> OneClass:
        """Count the classes, the last attribute."""
        self.label_ = int(table.marginal(table.names[-1]).dense.argmax())
        return self

    def confusion(self, table: Table) -> np.ndarray:
        """How many of each true class get each class."""
        classes = table.marginal(table.names[-1]).dense
        return np.outer(classes, np.arange(len(classes)) == self.label_).astype(int)


def check(name: str, given: object, allowed: Iterable[object]) -> None:
    """Refuse what is not among the allowed."""
    if given not in (known := list(allowed)):
        raise ValueError(f"{name} is one of {', '.join(map(str, known))}; got {given!r}")
