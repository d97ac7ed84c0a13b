"""[Zhan & Matwin 2.2] A channel that mixes: as it is with probability q, else personal answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from ppdm.channel.base import Axes, Best, Cells, Channel, digest, from_rows, rounded, rows_of
from ppdm.compiled import njit
from ppdm.domain import CODE_LIMIT, DENSE_LIMIT, Domain, held

#: Up to so many personal answers of a block, their numbers are drawn instead of the answers.
_FEW_CELLS = 64
#: With so many records in a cell at most, numpy draws a binomial by going along its chances.
_FEW_RECORDS = 60
#: Drawing how many records fall into a cell takes as long as drawing so many records.
_SCATTER = 16


@dataclass(frozen=True, eq=False)
class Personal:
    """The known distribution of the personal answers to a block.

    `shares` are the chances of each attribute's levels, independent of each other; `joint` the cells that
    occur and their chances; with neither of them all cells are alike.

    >>> Personal(Domain(("A", "B"), ((0, 1),) * 2), (np.array([0.9, 0.1]), np.array([0.5, 0.5]))).chances
    array([0.45, 0.45, 0.05, 0.05])
    """

    domain: Domain
    shares: tuple[np.ndarray, ...] | None = None
    joint: tuple[np.ndarray, np.ndarray] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"domain": self.domain, "shares": self.shares, "joint": self.joint}

    @cached_property
    def chances(self) -> np.ndarray:
        """The chance of every cell."""
        if self.domain.size > DENSE_LIMIT:
            raise ValueError(
                f"{self.domain.size:.3g} possible personal records cannot be listed; "
                "undo marginals of fewer attributes instead"
            )
        if self.joint is not None:
            chances = np.zeros(self.domain.size)
            chances[self.joint[0]] = self.joint[1]
            return held(chances)
        if self.shares is None:
            return held(np.full(self.domain.size, 1 / self.domain.size))
        return held(reduce(np.multiply.outer, self.shares).reshape(-1))

    @property
    def rarest(self) -> float:
        """The smallest chance of a cell."""
        if self.joint is None and self.shares is None:  # no need to list 2^d equal chances
            return 1 / self.domain.size
        return float(self.chances.min())

    def only(self, names: Sequence[str]) -> Personal:
        """The distribution of the answers to some of the questions."""
        domain = self.domain.only(names)
        if self.shares is not None:
            return Personal(domain, tuple(self.shares[self.domain.axis(name)] for name in names))
        if self.joint is None:
            return Personal(domain)
        axes = [self.domain.axis(name) for name in names]
        codes = domain.codes(self.domain.digits(self.joint[0])[:, axes])
        distinct, place = np.unique(codes, return_inverse=True)
        return Personal(domain, joint=(distinct, np.bincount(place, self.joint[1])))

    def draw(self, number: int, rng: np.random.Generator) -> list[np.ndarray]:
        """So many personal records, a column an attribute."""
        if self.shares is not None:
            return [rng.choice(len(p), size=number, p=p) for p in self.shares]
        if self.joint is None and self.domain.size > CODE_LIMIT:
            return [rng.choice(n, number, p=np.full(n, 1 / n)) for n in self.domain.shape]
        return list(self.domain.digits(self.codes(number, rng)).T)

    def codes(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """So many personal records, each as the code of its cell."""
        if self.joint is not None:
            cells, chances = self.joint
            return rng.choice(cells, size=number, p=chances / chances.sum())
        if self.shares is None:
            return rng.integers(self.domain.size, size=number)
        codes = np.zeros(number, dtype=np.int64)
        for p, stride in zip(self.shares, self.domain.strides, strict=True):
            codes += stride * rng.choice(len(p), size=number, p=p)
        return codes

    def plain(self) -> Any:
        """The chances as plain data, the same for the same distribution."""
        if self.shares is None and self.joint is None:
            return [digest(np.full(n, 1 / n)) for n in self.domain.shape]
        if self.shares is not None:
            return [digest(p) for p in self.shares]
        return digest(np.concatenate([*map(np.asarray, self.joint or ())]))


@dataclass(frozen=True, eq=False)
class Mixture(Channel):
    """[Zhan & Matwin 2.2] The block as it is with probability `keep`, else personal answers.

    `whole` says that the block is the whole record: then counts are drawn in one pass over all cells.

    >>> yes = Domain(("A",), ((0, 1),))
    >>> Mixture(yes, yes, 0.5, Personal(yes, (np.array([0.9, 0.1]),))).matrix
    array([[0.95, 0.45],
           [0.05, 0.55]])
    """

    keep: float
    personal: Personal
    whole: bool = False

    def _parameters(self) -> list[Any]:
        return [rounded(self.keep), self.personal.plain()]

    @property
    def spread(self) -> float:
        return self.inputs.size

    def only(self, names: Sequence[str]) -> Channel:
        part = self.inputs.only(names)
        return Mixture(part, part, self.keep, self.personal.only(names), self.whole)

    # P* = q P + (1-q) Y, and back
    def apply(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        return self._along(
            values, axes, lambda t, y: self.keep * t + y * ((1 - self.keep) * _sums(t))
        )

    def undo(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        self.refuse_all_strangers()
        if self.keep == 1:
            return values
        return self._along(
            values, axes, lambda t, y: (t - y * ((1 - self.keep) * _sums(t))) / self.keep
        )

    def dual(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        """[Zhan & Matwin 2.4] (right(report) - (1-q) E right(Y)) / q."""
        self.refuse_all_strangers()
        return self._along(
            values, axes, lambda t, y: (t - (1 - self.keep) * (t @ y)[:, None]) / self.keep
        )

    def refuse_all_strangers(self) -> None:
        """With q = 0 the reports know nothing of the answers."""
        if self.keep == 0:
            raise ValueError("q must not be 0: then no record is private and nothing can be undone")

    def _along(
        self, values: np.ndarray, axes: Axes, step: Callable[[np.ndarray, np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """A map of the cells of the block, for each cell of the rest."""
        image = step(rows_of(values, axes), self.personal.chances)
        return from_rows(image, values, axes, self.inputs.shape)

    def origins(self, digits: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray | float]]:
        self.refuse_all_strangers()
        yield digits, 1 / self.keep
        for answers, chance in zip(
            self.inputs.digits(np.arange(self.inputs.size)), self.personal.chances, strict=True
        ):
            yield np.broadcast_to(answers, digits.shape), -(1 - self.keep) / self.keep * chance

    def draw(self, columns: Sequence[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
        private = rng.random(len(columns[0])) < self.keep
        strangers = self.personal.draw(len(columns[0]), rng)
        return [
            np.where(private, own, other) for own, other in zip(columns, strangers, strict=True)
        ]

    def deal(self, cells: Cells, rng: np.random.Generator) -> Cells:
        axes = cells.axes(self.names)
        private = rng.binomial(cells.counts, self.keep)
        strangers = cells.counts - private
        if self.inputs.size <= _FEW_CELLS:
            draws = rng.multinomial(strangers, self.personal.chances)
            rows, reports = np.nonzero(draws)
            answers, numbers = self.inputs.digits(reports), draws[rows, reports]
        else:
            rows = np.repeat(np.arange(len(strangers)), strangers)
            answers = np.column_stack(self.personal.draw(len(rows), rng))
            numbers = np.ones(len(rows), dtype=np.int64)
        others = Cells(cells.domain, cells.codes[rows], numbers).moved(axes, answers)
        codes = np.concatenate([cells.codes, others])
        counts = np.concatenate([private, numbers])
        return Cells(cells.domain, codes[counts > 0], counts[counts > 0])

    def deal_whole(
        self, values: np.ndarray, cells: np.ndarray | None, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """The reports of whole records: numbers in these cells (all, if none are named), and the codes
        of the strangers. None if something is no whole count."""
        reports, strangers = _kept(values, self.keep, rng)
        if strangers < 0:
            return None
        if _SCATTER * self.inputs.size < strangers:  # cheaper to draw counts than records
            draws = rng.multinomial(strangers, self.personal.chances)
            if cells is None:
                return reports + draws, np.empty(0, dtype=np.int64)
            return reports, np.repeat(np.arange(len(draws)), draws)
        codes = self.personal.codes(strangers, rng)
        if cells is None:
            _add_ones(reports, codes)
            return reports, np.empty(0, dtype=np.int64)
        return reports, codes

    def best(self, believed: Best, axes: Axes) -> Best:
        """max over x of (q [x = r] + stranger(r)) P(x): it is r itself, or the most common answer."""
        values, cell = (rows_of(part, axes) for part in believed)
        stranger = (1 - self.keep) * self.personal.chances
        commonest = values.argmax(axis=1)[:, None]
        own = (self.keep + stranger) * values
        other = stranger * np.take_along_axis(values, commonest, 1)
        likeliest = np.where(own >= other, cell, np.take_along_axis(cell, commonest, 1))
        best = np.maximum(own, other), likeliest
        return Best(*(from_rows(part, believed.cell, axes, self.inputs.shape) for part in best))

    def truth(self, values: np.ndarray, axes: Axes) -> np.ndarray:
        return values * self.keep

    def chance(self, reports: np.ndarray, answers: np.ndarray) -> np.ndarray:
        strides = self.inputs.strides
        personal = self.personal.chances[(reports * strides).sum(axis=-1)]
        return self.keep * (reports == answers).all(axis=-1) + (1 - self.keep) * personal

    def epsilon(self) -> float:
        rarest = self.personal.rarest
        if self.keep == 1 or rarest == 0:
            return math.inf
        return math.log1p(self.keep / ((1 - self.keep) * rarest))


def _sums(values: np.ndarray) -> np.ndarray:
    return values.sum(axis=1, keepdims=True)


@njit
def _kept(counts: np.ndarray, q: float, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """How many records of each cell are sent as they are, and the number of all others.

    The number is -1 if something is no whole count. The draws are those of `rng.binomial`; in cells
    with few records its chances are looked up: most cells are such, and many have equal numbers.
    """
    truths = np.zeros(len(counts))
    chances, last = np.zeros((_FEW_RECORDS + 1, _FEW_RECORDS + 1)), np.full(_FEW_RECORDS + 1, -1)
    strangers = 0
    for cell in range(len(counts)):
        number = int(counts[cell])
        if number != counts[cell] or number < 0:
            return truths, -1
        if number == 0 or q == 0:
            private = 0
        elif number > _FEW_RECORDS:
            private = rng.binomial(number, q)
        else:
            if last[number] < 0:
                last[number] = _binomial_chances(number, min(q, 1 - q), chances[number])
            rarer = _drawn(chances[number], last[number], rng)
            private = rarer if q <= 0.5 else number - rarer
        truths[cell] = private
        strangers += number - private
    return truths, strangers


@njit
def _binomial_chances(n: int, p: float, chances: np.ndarray) -> int:
    """Fill in the chances of 0, 1, 2, ... out of n, as numpy does; returns where it stops."""
    chances[0] = np.exp(n * np.log(1 - p))
    for x in range(1, n + 1):
        chances[x] = ((n - x + 1) * p * chances[x - 1]) / (x * (1 - p))
    return min(n, int(n * p + 10 * np.sqrt(n * p * (1 - p) + 1)))


@njit
def _drawn(chances: np.ndarray, last: int, rng: np.random.Generator) -> int:
    """A number drawn with these chances, by going along them."""
    x, rest = 0, rng.random()
    while rest > chances[x]:
        if x == last:  # beyond what numpy counts with
            x, rest = 0, rng.random()
        else:
            rest -= chances[x]
            x += 1
    return x


@njit
def _add_ones(counts: np.ndarray, cells: np.ndarray) -> None:
    for cell in cells:
        counts[cell] += 1
