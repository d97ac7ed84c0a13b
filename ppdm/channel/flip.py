"""[Zhan & Du 4.2] A channel that flips: all answers of a block as they are, or all turned."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ppdm.channel.base import Axes, Best, Cells, Channel, matrix_epsilon, rounded
from ppdm.compiled import njit


@dataclass(frozen=True, eq=False)
class Flip(Channel):
    """[Zhan & Du 4.2] All answers of the block as they are with probability `keep`, else all turned.

    `turned` says, for each attribute and level, which level it is turned into; a level that stands for
    an answer not given is turned into itself.

    >>> from ppdm import Domain
    >>> two = Domain(("A", "B"), ((0, 1), (0, 1)))
    >>> Flip(two, two, 0.8, ((1, 0), (1, 0))).apply(np.array([[1.0, 0.0], [0.0, 0.0]]), (0, 1))
    array([[0.8, 0. ],
           [0. , 0.2]])
    """

    keep: float
    turned: tuple[tuple[int, ...], ...]

    def _parameters(self) -> list[Any]:
        return [rounded(self.keep), self.turned]

    @property
    def spread(self) -> float:
        return 2

    def only(self, names: Sequence[str]) -> Channel:
        part = self.inputs.only(names)
        return Flip(part, part, self.keep, tuple(self.turned[self.inputs.axis(n)] for n in names))

    @property
    def _back(self) -> tuple[float, float]:
        if self.keep == 0.5:
            raise ValueError("theta must not be 0.5: the counts carry no information there")
        slope = 2 * self.keep - 1
        return self.keep / slope, -(1 - self.keep) / slope

    def apply(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        return self._mixed(values, axes, self.keep, 1 - self.keep)

    def undo(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """[Zhan & Du, Eqs. 3, 5, 7]"""
        return self._mixed(values, axes, *self._back)

    def dual(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """[Zhan & Du 4.6, Eq. 15] The inverse is its own transpose."""
        return self._mixed(values, axes, *self._back)

    def _mixed(self, values: np.ndarray, axes: Axes, keep: float, turn: float) -> np.ndarray:
        """keep * values + turn * (values with the block turned)."""
        mixture = np.array(values, dtype=float, order="C")
        flat = mixture.reshape(-1)
        if set(values.shape) == {2}:
            _mix(flat, sum(1 << (values.ndim - 1 - axis) for axis in axes), keep, turn)
            return mixture
        partners = self._partners(values.shape, axes)
        itself = partners == np.arange(flat.size)
        return np.where(itself, flat, keep * flat + turn * flat[partners]).reshape(values.shape)

    def _partners(self, shape: tuple[int, ...], axes: Axes) -> np.ndarray:
        """For every cell, the one with the block turned."""
        partners = np.arange(math.prod(shape)).reshape(shape)
        for axis, reversal in zip(axes, self.turned, strict=True):
            partners = partners.take(reversal, axis=axis)
        return partners.reshape(-1)

    scatters: ClassVar[bool] = True

    def scatter(self, cells: Cells, way: str) -> Cells:
        keep, turn = (self.keep, 1 - self.keep) if way == "apply" else self._back
        codes = np.concatenate([cells.codes, self._turned_cells(cells)])
        values = np.concatenate([keep * cells.counts, turn * cells.counts])
        return Cells(cells.domain, codes, values)

    def _turned_cells(self, cells: Cells) -> np.ndarray:
        axes = cells.axes(self.names)
        if set(cells.domain.shape) == {2}:
            return cells.codes ^ cells.domain.strides[list(axes)].sum()
        return cells.moved(axes, self._turn(cells.digits(axes)))

    def origins(self, digits: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray | float]]:
        keep, turn = self._back
        yield digits, keep
        yield self._turn(digits), turn

    def _turn(self, digits: np.ndarray) -> np.ndarray:
        columns = [np.asarray(t)[digits[..., i]] for i, t in enumerate(self.turned)]
        return np.stack(columns, axis=-1)

    def draw(self, columns: Sequence[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
        lies = rng.random(len(columns[0])) > self.keep
        return [
            column ^ lies if reversal == (1, 0) and column.dtype.kind in "biu"
            else np.where(lies, np.asarray(reversal)[column], column)
            for column, reversal in zip(columns, self.turned, strict=True)
        ]  # fmt: skip

    def deal(self, cells: Cells, rng: np.random.Generator) -> Cells:
        truths = rng.binomial(cells.counts, self.keep)
        codes = np.concatenate([cells.codes, self._turned_cells(cells)])
        counts = np.concatenate([truths, cells.counts - truths])
        return Cells(cells.domain, codes[counts > 0], counts[counts > 0])

    def best(self, believed: Best, axes: Axes) -> Best:
        partners = self._partners(believed.chance.shape, axes)
        values, cell = believed.chance.reshape(-1), believed.cell.reshape(-1)
        truth, lie = self.keep * values, (1 - self.keep) * values[partners]
        itself = partners == np.arange(len(partners))  # the coin changes nothing
        most = np.where(itself, values, np.maximum(truth, lie))
        likeliest = np.where(itself | (truth >= lie), cell, cell[partners])
        shape = believed.chance.shape
        return Best(most.reshape(shape), likeliest.reshape(shape))

    def chance(self, reports: np.ndarray, answers: np.ndarray) -> np.ndarray:
        same = (reports == answers).all(axis=-1)
        opposite = (self._turn(reports) == answers).all(axis=-1)
        return self.keep * same + (1 - self.keep) * opposite

    def epsilon(self) -> float:
        """For several answers it is infinite: of two that are told together or turned together, a
        report rules out that only one of them is true."""
        return matrix_epsilon(self.matrix) if len(self.names) == 1 else math.inf


@njit
def _mix(values: np.ndarray, bits: int, keep: float, turn: float) -> None:
    """In place: a cell and its partner, whose number has these bits turned, swap."""
    for cell in range(len(values)):
        other = cell ^ bits
        if cell < other:
            value, partner_value = values[cell], values[other]
            values[cell] = keep * value + turn * partner_value
            values[other] = keep * partner_value + turn * value
