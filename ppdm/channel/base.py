"""One channel: how the answers to a block of questions become reports, and what is undone of it.

A channel sends the true answers x of a block to reports y with probability ``M[y, x]``; the columns of
M sum to one. It has one of three forms, and every scheme is a list of them:

:class:`Matrix`
    M itself, for the answers to one question;
:class:`Mixture`
    as it is with probability q, else drawn from a known distribution: M = q 1 + (1-q) p 1ᵀ;
:class:`Flip`
    all answers of the block as they are with probability θ, else all turned: M = θ 1 + (1-θ) T.

(:class:`Lot`, a fourth, draws by lot which part of the block is told at all.) A channel says how a
respondent draws her report, how counts go through it and come back, and what an attacker makes of it.
Its arrays have an axis for each attribute of a whole table; `axes` are those of its block.
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm.domain import Domain, held
from ppdm.marks import written

#: Two channels are the same if their chances agree to so many digits.
DIGITS = 12

Axes = tuple[int, ...]


class Best(NamedTuple):
    """For each report the largest P(x) M[y, x], and the cell x that it belongs to.

    >>> Best(np.array([0.8]), np.array([0])).cell
    array([0])
    """

    chance: np.ndarray
    cell: np.ndarray


@dataclass(frozen=True, eq=False)
class Channel(ABC):
    """What all forms have: the answers that go in, the reports that come out, by the same names.

    >>> from ppdm import MultiGroup
    >>> (coin,) = MultiGroup(0.8).channels(Domain(("A",), (("no", "yes"),)))
    >>> coin.names, coin.matrix.round(2).tolist()
    (('A',), [[0.8, 0.2], [0.2, 0.8]])
    """

    inputs: Domain
    outputs: Domain

    @property
    def names(self) -> tuple[str, ...]:
        return self.inputs.names

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Channel) and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def __getstate__(self) -> dict[str, Any]:
        """What it is, without what was worked out of it."""
        return {field.name: vars(self)[field.name] for field in fields(self)}

    @cached_property
    def key(self) -> str:
        """A fingerprint of what is done to these columns, however it is spelled."""
        order = sorted(self.names, key=str)
        if order != list(self.names):
            return self.only(order).key
        if len(self.names) == 1:
            what: list[Any] = ["matrix", digest(self.matrix)]
        else:
            what = [type(self).__name__, *self._parameters()]
        sides = [_levels(self.inputs), _levels(self.outputs)]
        text = json.dumps([list(map(str, self.names)), *sides, *what], ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @abstractmethod
    def _parameters(self) -> list[Any]:
        """The numbers of a channel over several attributes, as plain data."""

    @abstractmethod
    def only(self, names: Sequence[str]) -> Channel:
        """The channel of a marginal: some of the attributes, in this order."""

    # -- on counts ---------------------------------------------------------------------------

    @abstractmethod
    def apply(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """The expected counts of reports: M along the axes of the block."""

    @abstractmethod
    def undo(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """The unbiased counts of answers: a left inverse of M along the axes of the block."""

    @abstractmethod
    def dual(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """The transpose of :meth:`undo`: a function of answers becomes one of reports, of equal mean."""

    @abstractmethod
    def origins(self, digits: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray | float]]:
        """The left inverse cell by cell: answers that a report (a row of digits) counts for, with weights."""

    @property
    @abstractmethod
    def spread(self) -> float:
        """How many answers each report counts for."""

    @cached_property
    def matrix(self) -> np.ndarray:
        """M[y, x] over the cells of the block."""
        size, axes = self.inputs.size, tuple(range(len(self.names)))
        units = np.eye(size).reshape(size, *self.inputs.shape)
        return held(np.array([self.apply(unit, axes).reshape(-1) for unit in units]).T)

    #: Whether occupied cells can be mapped one by one, each to few.
    scatters: ClassVar[bool] = False

    def scatter(self, cells: Cells, way: str) -> Cells:
        """The map ("apply" or "undo") of occupied cells with any numbers; codes may repeat."""
        raise ValueError(f"a {type(self).__name__.lower()} is mapped on all cells")

    # -- on records --------------------------------------------------------------------------

    @abstractmethod
    def draw(self, columns: Sequence[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
        """A report for each record; columns of level numbers."""

    @abstractmethod
    def deal(self, cells: Cells, rng: np.random.Generator) -> Cells:
        """The numbers of reports for numbers of equal records: exact in distribution."""

    # -- for an attacker ---------------------------------------------------------------------

    @abstractmethod
    def best(self, believed: Best, axes: Axes) -> Best:
        """For each report, the likeliest answers that may stand behind it."""

    def truth(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """For each report the chance that it is made and is the truth told."""
        if self.inputs.shape != self.outputs.shape:
            raise ValueError("with more outputs than inputs a report is not a true answer")
        digits = self.inputs.digits(np.arange(self.inputs.size))
        chances = self.chance(digits, digits).reshape(self.inputs.shape)
        return values * spread_out(chances, axes, values.ndim)

    @abstractmethod
    def chance(self, reports: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """M[y, x] of pairs of a report and an answer, rows of digits; they are broadcast."""

    def epsilon(self) -> float:
        """Local differential privacy: the largest log ratio of two answers' chances of one report."""
        return matrix_epsilon(self.matrix)


class Cells(NamedTuple):
    """Numbers of equal records in some cells of a domain, while they are being disguised.

    >>> Cells(Domain(("A",), ((0, 1),)), np.array([1]), np.array([3])).digits((0,))
    array([[1]])
    """

    domain: Domain
    codes: np.ndarray
    counts: np.ndarray

    def digits(self, axes: Sequence[int]) -> np.ndarray:
        """Level numbers of some attributes, a column each."""
        strides, shape = self.domain.strides, self.domain.shape
        columns = [(self.codes // strides[axis]) % shape[axis] for axis in axes]
        return np.stack(columns, axis=1)

    def moved(
        self, axes: Sequence[int], digits: np.ndarray, to: Domain | None = None
    ) -> np.ndarray:
        """The codes with these digits in place of theirs, in a domain that may have other levels there."""
        to = self.domain if to is None else to
        if to.shape == self.domain.shape:
            strides = self.domain.strides[list(axes)]
            return self.codes + ((digits - self.digits(axes)) * strides).sum(axis=1)
        whole = self.domain.digits(self.codes)
        whole[:, list(axes)] = digits
        return to.codes(whole)

    def axes(self, names: Sequence[str]) -> Axes:
        """Where the attributes of a block stand."""
        return tuple(self.domain.axis(name) for name in names)


def matrix_epsilon(M: ArrayLike) -> float:
    """The largest log ratio within a row of M: local differential privacy of one answer.

    >>> round(matrix_epsilon([[0.75, 0.25], [0.25, 0.75]]), 6)
    1.098612
    """
    M = np.asarray(M, dtype=float)
    rows = M[M.max(axis=1) > 0]
    if (rows == 0).any():
        return math.inf
    return float(np.log(rows.max(axis=1) / rows.min(axis=1)).max())


def spread_out(values: np.ndarray, axes: Sequence[int], dimensions: int) -> np.ndarray:
    """An array over some axes, to be multiplied with one over all.

    >>> spread_out(np.array([2, 3]), (1,), 3).shape
    (1, 2, 1)
    """
    order = np.argsort(axes)
    shape = [1] * dimensions
    for axis, size in zip(axes, values.shape, strict=True):
        shape[axis] = size
    return values.transpose(order).reshape(shape)


def rows_of(values: np.ndarray, axes: Axes) -> np.ndarray:
    """The cells of a block in a row, a row for each cell of the rest.

    >>> rows_of(np.array([[1, 2], [3, 4]]), (0,))
    array([[1, 3],
           [2, 4]])
    """
    size = math.prod(values.shape[axis] for axis in axes)
    return np.moveaxis(values, axes, range(-len(axes), 0)).reshape(-1, size)


def from_rows(rows: np.ndarray, like: np.ndarray, axes: Axes, block: Sequence[int]) -> np.ndarray:
    """The inverse of :func:`rows_of`, for a block of this shape.

    >>> from_rows(np.array([[1, 3], [2, 4]]), np.zeros((2, 2)), (0,), (2,))
    array([[1, 2],
           [3, 4]])
    """
    rest = [size for axis, size in enumerate(like.shape) if axis not in axes]
    return np.moveaxis(rows.reshape(*rest, *block), range(-len(axes), 0), axes)


def rounded(value: float) -> float:
    """A number as fingerprints take it, to :data:`DIGITS` digits.

    >>> rounded(0.1 + 0.2)
    0.3
    """
    return float(np.round(value, DIGITS)) + 0.0


def digest(values: ArrayLike) -> str:
    """A fingerprint of an array of chances.

    >>> digest([0.3]) == digest([0.1 + 0.2])
    True
    """
    array = np.round(np.asarray(values, dtype=float), DIGITS) + 0.0
    return hashlib.sha256(repr(array.shape).encode() + array.tobytes()).hexdigest()[:16]


def _levels(domain: Domain) -> list[list[str]]:
    """The levels as text; 1, 1.0 and True are the same answer."""
    return [[f"{_word(level)}{written(level)}" for level in levels] for levels in domain.levels]


def _word(level: object) -> str:
    """A word is another answer than the number that it writes."""
    return type(level).__name__ if isinstance(level, str) else ""
