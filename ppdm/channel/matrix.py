"""[Huang & Du III.A] A channel that is a matrix, for the answers to one question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm.channel.base import Axes, Best, Cells, Channel, digest
from ppdm.compiled import njit
from ppdm.domain import held

#: Random numbers are drawn in pieces that stay in the processor's cache.
_PIECE = 1 << 15


@dataclass(frozen=True, eq=False)
class Matrix(Channel):
    """[Huang & Du III.A] Any matrix of reporting probabilities, for the answers to one question.

    >>> from ppdm import Domain
    >>> yes = Domain(("A",), (("no", "yes"),))
    >>> coin = Matrix(yes, yes, np.array([[0.8, 0.2], [0.2, 0.8]]))
    >>> coin.undo(coin.apply(np.array([3.0, 1.0]), (0,)), (0,)).round(12)
    array([3., 1.])
    """

    M: np.ndarray
    #: What the collector takes the answers to be like, where M has more rows than columns: he may use
    #: any left inverse, so this is no part of what is done to the answers.
    prior: np.ndarray | None = None

    @cached_property
    def inverse(self) -> np.ndarray:
        return held(left_inverse(self.M, self.prior))

    def _parameters(self) -> list[Any]:
        return [digest(self.M)]

    @cached_property
    def matrix(self) -> np.ndarray:
        return self.M

    @property
    def spread(self) -> float:
        return self.M.shape[1]

    def only(self, names: Sequence[str]) -> Channel:
        return self

    def apply(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        return _along(self.M, values, axes[0])

    def undo(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        return _along(self.inverse, values, axes[0])

    def dual(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        return _along(self.inverse.T, values, axes[0])

    def origins(self, digits: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray | float]]:
        for x, weights in enumerate(self.inverse):
            yield np.full_like(digits, x), weights[digits[:, 0]]

    def draw(self, columns: Sequence[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
        return [draw_reports(columns[0], self.M, rng)]

    def deal(self, cells: Cells, rng: np.random.Generator) -> Cells:
        axes = cells.axes(self.names)
        numbers = rng.multinomial(cells.counts, self.M.T[cells.digits(axes)[:, 0]])
        rows, reports = np.nonzero(numbers)
        domain = cells.domain.with_levels(dict(zip(self.names, self.outputs.levels)))
        start = Cells(cells.domain, cells.codes[rows], numbers[rows, reports])
        return Cells(domain, start.moved(axes, reports[:, None], domain), start.counts)

    def best(self, believed: Best, axes: Axes) -> Best:
        values, cell = (np.moveaxis(part, axes[0], 0) for part in believed)
        chances = self.M.T.reshape(len(values), len(self.M), *[1] * (values.ndim - 1))
        most = chances[0] * values[0]
        likeliest = np.broadcast_to(cell[0], most.shape)
        for x in range(1, len(values)):  # the first of equals stays
            joint = chances[x] * values[x]
            better = joint > most
            most, likeliest = np.where(better, joint, most), np.where(better, cell[x], likeliest)
        return Best(np.moveaxis(most, 0, axes[0]), np.moveaxis(likeliest, 0, axes[0]))

    def chance(self, reports: np.ndarray, answers: np.ndarray) -> np.ndarray:
        return self.M[reports[..., 0], answers[..., 0]]


def _along(M: np.ndarray, values: np.ndarray, axis: int) -> np.ndarray:
    """A matrix along one axis."""
    return np.moveaxis(np.tensordot(M, values, (1, axis)), 0, axis)


def left_inverse(M: ArrayLike, prior: ArrayLike | None = None) -> np.ndarray:
    """The matrix L with L M = 1 that weighted least squares uses (weights 1 / (M prior)).

    >>> left_inverse(np.array([[.75, .25], [.25, .75]]))
    array([[ 1.5, -0.5],
           [-0.5,  1.5]])
    """
    M = np.asarray(M, dtype=float)
    outputs, inputs = M.shape
    if np.linalg.matrix_rank(M) < inputs:
        raise ValueError(
            "the matrix has no left inverse: some mixtures of true answers give the same reports"
        )
    if outputs == inputs:
        return np.linalg.inv(M)
    prior = np.full(inputs, 1 / inputs) if prior is None else np.asarray(prior, dtype=float)
    reports = M @ prior
    possible = reports > 0
    weighted = M[possible].T / reports[possible]
    inverse = np.zeros((inputs, outputs))
    inverse[:, possible] = np.linalg.solve(weighted @ M[possible], weighted)
    return inverse


def checked_matrix(M: ArrayLike) -> np.ndarray:
    """A randomizing matrix as floats: its entries are probabilities, its columns sum to one.

    >>> checked_matrix([[0.7, 0.3], [0.4, 0.6]])
    Traceback (most recent call last):
    ValueError: the columns of a randomizing matrix sum to one; column 0 sums to 1.1
        (M[y, x] = P(reported y | true x))
    """
    M = np.array(M, dtype=float)
    if M.ndim != 2:
        raise ValueError(f"a randomizing matrix has two dimensions; got {M.ndim}")
    if not np.isfinite(M).all() or (M < 0).any() or (M > 1 + 1e-12).any():
        raise ValueError("the entries of a randomizing matrix are probabilities, from 0 to 1")
    sums = M.sum(axis=0)
    if not M.size or np.abs(sums - 1).max() > 1e-9:
        worst = int(np.abs(sums - 1).argmax()) if M.size else 0
        rounding = M.size and np.abs(sums - 1).max() < 1e-4
        hint = ": that is rounding, so divide M by M.sum(axis=0)" if rounding else ""
        raise ValueError(
            f"the columns of a randomizing matrix sum to one; column {worst} sums to "
            f"{sums[worst] if M.size else 0:.10g} (M[y, x] = P(reported y | true x)){hint}"
        )
    return M


def draw_reports(answers: np.ndarray, M: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One report for each coded answer.

    >>> draw_reports(np.array([0, 1, 1]), np.eye(2), np.random.default_rng(1))
    array([0, 1, 1])
    """
    answers = coded_answers(answers, M.shape[1])
    keep, targets = alias_tables(M)
    reports = np.empty(len(answers), dtype=np.int64)
    for start in range(0, len(answers), _PIECE):
        part = slice(start, start + _PIECE)
        chances = rng.random(len(answers[part]))
        look_up(answers[part], chances, keep, targets, len(M), reports[part])
    return reports


def coded_answers(answers: np.ndarray, inputs: int) -> np.ndarray:
    """The answers, if they are whole numbers that the matrix has columns for.

    >>> coded_answers([True, False], 2)
    array([ True, False])
    """
    answers = np.asarray(answers)
    if answers.ndim != 1 or (len(answers) and answers.dtype.kind not in "iub"):
        raise ValueError(
            f"answers are a list of whole numbers, coded 0 to {inputs - 1}; got an array of "
            f"{answers.dtype} with the shape {answers.shape}"
        )
    if len(answers) and not (answers.min() >= 0 and answers.max() < inputs):
        raise ValueError(
            f"answers are coded 0 to {inputs - 1}; got {answers.min()} to {answers.max()}"
        )
    return answers.astype(np.int64) if answers.dtype.kind == "u" else answers


def alias_tables(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Walker's tables: drawing a report costs one look-up, whatever the number of outputs.

    Every input has `outputs` slots of equal probability; slot y keeps the report y with chance
    ``keep[x, y]`` and hands the rest to one other report. `targets` holds both, side by side.

    >>> alias_tables(np.array([[0.8, 0.2], [0.2, 0.8]]))[0]
    array([1. , 0.4, 0.4, 1. ])
    """
    outputs, inputs = M.shape
    keep = np.ones((inputs, outputs))
    other = np.tile(np.arange(outputs), (inputs, 1))
    for x in range(inputs):
        height = M[:, x] * outputs
        low = [y for y in range(outputs) if height[y] < 1]
        high = [y for y in range(outputs) if height[y] >= 1]
        while low and high:
            small, tall = low.pop(), high[-1]
            keep[x, small], other[x, small] = height[small], tall
            height[tall] -= 1 - height[small]
            if height[tall] < 1:
                low.append(high.pop())
    own = np.tile(np.arange(outputs), (inputs, 1))
    return keep.reshape(-1), np.stack([own, other], axis=-1).reshape(-1)


@njit
def look_up(
    answers: np.ndarray,
    chances: np.ndarray,
    keep: np.ndarray,
    targets: np.ndarray,
    outputs: int,
    reports: np.ndarray,
) -> None:
    """Reports by Walker's tables, without a branch: half of the coins would be guessed wrong, ten
    times slower.

    >>> keep, targets = alias_tables(np.eye(2))
    >>> look_up(np.array([1, 0]), np.array([0.3, 0.9]), keep, targets, 2, reports := np.empty(2, int))
    >>> reports
    array([1, 0])
    """
    for i in range(len(answers)):
        place = chances[i] * outputs
        column = np.int64(place)
        slot = answers[i] * outputs + column
        reports[i] = targets[2 * slot + (place - column >= keep[slot])]
