"""A channel by lot: one block of answers, drawn at random, is told by k-RR; of the others nothing is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdm.channel.base import Axes, Best, Cells, Channel, from_rows, rounded, rows_of
from ppdm.channel.matrix import draw_reports
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

    def each_block(self) -> Iterator[tuple[list[int], Domain, np.ndarray, np.ndarray]]:
        """Of each block: its axes, the domain of its answers, M over them, and the reports that tell them
        and nothing else.

        >>> two = Domain(("A", "B"), ((0, 1), (0, 1)))
        >>> for axes, part, M, reports in Lot.over(two, np.log(3), (("A",), ("B",))).each_block():
        ...     print(axes, part.names, M[0].round(2), reports)
        [0] ('A',) [0.75 0.25] [2 5]
        [1] ('B',) [0.75 0.25] [6 7]
        """
        growth = math.exp(self.rate)
        for block, size in zip(self.blocks, self.sizes, strict=True):
            axes, part = [self.inputs.axis(name) for name in block], self.inputs.only(block)
            even = np.full((part.size, part.size), size / part.size)
            M = (even + (growth - 1) * np.eye(part.size)) / (growth + size - 1)
            digits = np.tile(np.array(self.inputs.shape, dtype=np.int64), (part.size, 1))
            digits[:, axes] = part.digits(np.arange(part.size))
            yield axes, part, M, self.outputs.codes(digits)

    # -- on counts ---------------------------------------------------------------------------

    def apply(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        cells, digits = rows_of(values, axes), self.inputs.digits(np.arange(self.inputs.size))
        reports = np.zeros((len(cells), self.outputs.size))
        for own, part, M, codes in self.each_block():
            of_block = part.codes(digits[:, own])[:, None] == np.arange(part.size)
            reports[:, codes] += cells @ of_block @ M.T / len(self.blocks)
        return from_rows(reports, values, axes, self.outputs.shape)

    def undo(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """Of the reports of the blocks that hold all these answers, k-RR is undone, and they stand for all."""
        sizes = [
            size for size, block in zip(self.sizes, self.blocks) if set(self.names) <= set(block)
        ]
        if not sizes:
            raise ValueError(
                f"{listed(self.names)} are never in one report: no block of questions holds them all"
            )
        answers = values
        for axis, size in zip(axes, self.inputs.shape, strict=True):
            answers = answers.take(range(size), axis)
        growth = math.exp(self.rate) - 1
        keep = float(np.mean([growth / (growth + size) for size in sizes]))
        total = answers.sum(axis=axes, keepdims=True)
        own = (answers - (1 - keep) * total / self.inputs.size) / keep
        return own * (len(self.blocks) / len(sizes))

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
        for number, (axes, part, M, _) in enumerate(self.each_block()):
            block = np.ix_(np.flatnonzero(lots == number), np.array(axes))
            out[block] = part.digits(draw_reports(part.codes(digits[block]), M, rng))
        return list(out.T)

    def deal(self, cells: Cells, rng: np.random.Generator) -> Cells:
        if cells.domain.names != self.names:
            raise ValueError("a lot is drawn for whole records: it names all of their answers")
        lots = rng.multinomial(cells.counts, np.full(len(self.blocks), 1 / len(self.blocks)))
        codes, numbers = [], []
        for (axes, part, M, reports), in_lot in zip(self.each_block(), lots.T, strict=True):
            own = np.bincount(part.codes(cells.digits(axes)), in_lot, minlength=part.size)
            codes.append(reports)
            numbers.append(rng.multinomial(own.astype(np.int64), M.T).sum(axis=0))
        domain = cells.domain.with_levels(dict(zip(self.names, self.outputs.levels)))
        return Cells(domain, np.concatenate(codes), np.concatenate(numbers))

    # -- for an attacker ---------------------------------------------------------------------

    def best(self, believed: Best, axes: Axes) -> Best:
        raise ValueError("a lot is guessed block by block: see ppdm.disguise.guess")

    def chance(self, reports: np.ndarray, answers: np.ndarray) -> np.ndarray:
        in_lot = reports < np.array(self.inputs.shape)
        reports, answers, in_lot = np.broadcast_arrays(reports, answers, in_lot)
        chance = np.zeros(reports.shape[:-1])
        for axes, _, M, _ in self.each_block():
            inside = np.isin(np.arange(len(self.names)), axes)
            same = (reports[..., axes] == answers[..., axes]).all(axis=-1)
            part = np.where(same, M[0, 0], M[0, -1]) / len(self.blocks)
            chance += np.where((in_lot == inside).all(axis=-1), part, 0.0)
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
    return domain.with_levels({name: (*own, NOT_ASKED) for name, own in levels})
