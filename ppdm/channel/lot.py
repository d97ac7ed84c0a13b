"""A channel by lot: one block of answers, drawn at random, is told by k-RR; of the others nothing is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdm.channel.base import Axes, Best, Cells, Channel, rounded
from ppdm.channel.matrix import draw_reports, k_rr
from ppdm.domain import Domain, listed

#: The report of an answer that was not asked for.
NOT_ASKED = "not asked"


@dataclass(frozen=True, eq=False)
class Lot(Channel):
    """One of several blocks is drawn for each person and told by k-RR with ε = `rate`.

    `sizes` are the numbers of answers to the whole blocks, of which a marginal has a part.

    >>> two = Domain(("A", "B"), ((0, 1), (0, 1)))
    >>> lot = Lot.over(two, 1.0, (("A",), ("B",)))
    >>> lot.outputs.levels[0], lot.only(["A"]).undo(np.array([30.0, 20.0, 50.0]), (0,)).round()
    ((0, 1, 'not asked'), array([72., 28.]))
    """

    rate: float
    blocks: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]

    @classmethod
    def over(cls, domain: Domain, rate: float, blocks: Sequence[Sequence[str]]) -> Lot:
        """The lot over all attributes of a domain."""
        sizes = tuple(domain.only(block).size for block in blocks)
        return cls(domain, with_not_asked(domain), rate, tuple(map(tuple, blocks)), sizes)

    def _parameters(self) -> list[Any]:
        return [rounded(self.rate), self.blocks, self.sizes]

    def only(self, names: Sequence[str]) -> Channel:
        part = self.inputs.only(names)
        blocks = tuple(tuple(n for n in block if n in part.names) for block in self.blocks)
        return Lot(part, with_not_asked(part), self.rate, blocks, self.sizes)

    def _keep(self, size: int) -> float:
        grown = math.exp(self.rate) - 1
        return grown / (grown + size)

    def _told(self, block: Sequence[str]) -> tuple[Domain, np.ndarray]:
        """The answers to a block, and the digits of the reports that tell them and nothing else."""
        part = self.inputs.only(block)
        digits = np.tile(np.array(self.inputs.shape, dtype=np.int64), (part.size, 1))
        digits[:, [self.inputs.axis(name) for name in block]] = part.digits(np.arange(part.size))
        return part, digits

    # -- on counts ---------------------------------------------------------------------------

    def apply(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        last = tuple(range(-len(axes), 0))
        cells = np.moveaxis(values, axes, last)
        rest = cells.shape[: cells.ndim - len(axes)]
        cells = cells.reshape(-1, *self.inputs.shape)
        reports = np.zeros((len(cells), *self.outputs.shape))
        for block, size in zip(self.blocks, self.sizes, strict=True):
            part, digits = self._told(block)
            others = tuple(1 + i for i, n in enumerate(self.names) if n not in block)
            order = sorted(block, key=self.names.index)
            tale = cells.sum(axis=others).reshape(
                len(cells), *(part.shape[block.index(n)] for n in order)
            )
            tale = tale.transpose(0, *(1 + order.index(n) for n in block)).reshape(
                len(cells), part.size
            )
            keep = self._keep(size)
            tale = keep * tale + (1 - keep) / part.size * tale.sum(axis=1, keepdims=True)
            reports.reshape(len(cells), -1)[:, self.outputs.codes(digits)] += tale / len(
                self.blocks
            )
        return np.moveaxis(reports.reshape(*rest, *self.outputs.shape), last, axes)

    def undo(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """Of the reports of the blocks that hold all these answers, k-RR is undone, and they stand for all."""
        sizes = [
            size for size, block in zip(self.sizes, self.blocks) if set(self.names) <= set(block)
        ]
        if not sizes:
            raise ValueError(
                f"{listed(self.names)} are never in one report: no block of questions holds them all"
            )
        index: list[slice] = [slice(None)] * values.ndim
        for axis, size in zip(axes, self.inputs.shape, strict=True):
            index[axis] = slice(0, size)
        answers = values[tuple(index)]
        keep = float(np.mean([self._keep(size) for size in sizes]))
        total = answers.sum(axis=axes, keepdims=True)
        return (
            (answers - (1 - keep) * total / self.inputs.size)
            / keep
            * (len(self.blocks) / len(sizes))
        )

    def dual(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        raise ValueError("with one block of answers a person, no function of whole records is told")

    def origins(self, digits: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray | float]]:
        raise ValueError("with one block of answers a person, no function of whole records is told")

    @property
    def spread(self) -> float:
        return self.inputs.size

    # -- on records --------------------------------------------------------------------------

    def draw(self, columns: Sequence[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
        digits = np.column_stack(columns).astype(np.int64)
        lots = rng.integers(len(self.blocks), size=len(digits))
        out = np.tile(np.array(self.inputs.shape, dtype=np.int64), (len(digits), 1))  # not asked
        for number, block in enumerate(self.blocks):
            rows = np.flatnonzero(lots == number)
            part = self.inputs.only(block)
            axes = np.array([self.inputs.axis(name) for name in block])
            own = part.codes(digits[np.ix_(rows, axes)])
            out[np.ix_(rows, axes)] = part.digits(
                draw_reports(own, k_rr(part.size, self.rate), rng)
            )
        return list(out.T)

    def deal(self, cells: Cells, rng: np.random.Generator) -> Cells:
        domain = cells.domain.with_levels(dict(zip(self.names, self.outputs.levels)))
        if cells.domain.names != self.names:
            raise ValueError("a lot is drawn for whole records: it names all of their answers")
        lots = rng.multinomial(cells.counts, np.full(len(self.blocks), 1 / len(self.blocks)))
        codes, numbers = [], []
        for number, block in enumerate(self.blocks):
            part, digits = self._told(block)
            own = part.codes(cells.digits(cells.axes(block)))
            numbers_asked = np.bincount(own, lots[:, number], minlength=part.size).astype(np.int64)
            codes.append(domain.codes(digits))
            numbers.append(rng.multinomial(numbers_asked, k_rr(part.size, self.rate).T).sum(axis=0))
        return Cells(domain, np.concatenate(codes), np.concatenate(numbers))

    # -- for an attacker ---------------------------------------------------------------------

    def best(self, believed: Best, axes: Axes) -> Best:
        raise ValueError("a lot is guessed block by block: see ppdm.disguise.guess")

    def truth(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        raise ValueError("a report of one block is no record: there is no truth of it to tell")

    def chance(self, reports: np.ndarray, answers: np.ndarray) -> np.ndarray:
        asked = reports < np.array(self.inputs.shape)
        reports, answers, asked = np.broadcast_arrays(reports, answers, asked)
        chance = np.zeros(reports.shape[:-1])
        for block in self.blocks:
            axes = [self.inputs.axis(name) for name in block]
            inside = np.isin(np.arange(len(self.names)), axes)
            size, grown = self.inputs.only(block).size, math.exp(self.rate)
            same = (reports[..., axes] == answers[..., axes]).all(axis=-1)
            part = np.where(same, grown, 1.0) / (grown + size - 1) / len(self.blocks)
            chance += np.where((asked == inside).all(axis=-1), part, 0.0)
        return chance

    def epsilon(self) -> float:
        """The whole ε, of the record and of each answer: nothing is split."""
        return self.rate


def with_not_asked(domain: Domain) -> Domain:
    """The reports of a lot: each answer, or that it was not asked for.

    >>> with_not_asked(Domain(("A",), ((0, 1),))).levels
    ((0, 1, 'not asked'),)
    """
    levels = zip(domain.names, domain.levels, strict=True)
    return domain.with_levels({name: (*known, NOT_ASKED) for name, known in levels})
