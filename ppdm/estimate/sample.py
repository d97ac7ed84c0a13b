"""Who answered, and how they came into the sample: what the error of a mean of their reports is.

Weights are not people: ten who stand for a thousand each tell no more than ten. So the error comes from the
number of respondents and from how unevenly they count [Kish 1965], not from the sum of the weights. Strata,
clusters and a finite population enter by linearization, as in R's `survey`; replicate weights by recomputation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ppdm.domain import as_frame, beside, encode, listed
from ppdm.table import Table, checked_weights


@dataclass(frozen=True)
class Design:
    """How respondents were drawn; each of its parts is a column of the records, or one value a record.

    Parameters
    ----------
    weights
        How many people each respondent stands for.
    strata
        The part of the population that she was drawn from.
    clusters
        Those drawn together with her: a school, a town.
    population
        How many people (or clusters) her stratum has, where that is not many times those drawn.
    replicates
        A matrix of replicate weights, a row a respondent, for designs that are not published otherwise.
    scale
        What the squared deviations of the replicates' estimates are multiplied by: (R - 1) / R for the
        jackknife of R clusters, 1 / R for balanced halves and the bootstrap.

    Examples
    --------
    >>> Design(strata="region", weights="w").strata
    'region'
    """

    weights: Any = None
    strata: Any = None
    clusters: Any = None
    population: Any = None
    replicates: Any = None
    scale: float | None = None

    def __post_init__(self) -> None:
        if (self.replicates is None) != (self.scale is None):
            raise ValueError(
                "replicate weights come with their scale: (R - 1) / R for the jackknife of R clusters, "
                "1 / R for balanced halves and the bootstrap"
            )
        others = (self.strata, self.clusters, self.population)
        if self.replicates is not None and any(part is not None for part in others):
            raise ValueError(
                "replicate weights tell all of the design: leave out strata, clusters and population"
            )


@dataclass(frozen=True)
class Drawn:
    """The respondents of a design one by one: the cell of the report (-1 outside), weight, stratum, cluster.

    >>> Drawn.by(Design(), pd.DataFrame({"A": [0, 1]}), np.array([0, 1])).freedom
    inf
    """

    cells: np.ndarray
    weights: np.ndarray
    strata: np.ndarray
    clusters: np.ndarray
    taken: np.ndarray  # the share of its clusters that was drawn, of each stratum
    replicates: np.ndarray | None
    scale: float | None

    @classmethod
    def by(cls, design: Design, records: pd.DataFrame, cells: np.ndarray) -> Drawn:
        """The design of these records."""
        size = len(records)
        weights = np.ones(size)
        if design.weights is not None:
            weights = checked_weights(_column(records, design.weights, "weights"), size)
        strata = _numbered(_column(records, design.strata, "strata"), size, "strata")
        within = _numbered(_column(records, design.clusters, "clusters"), size, "clusters", size)
        clusters = np.unique(np.column_stack([strata, within]), axis=0, return_inverse=True)[1]
        clusters = clusters.reshape(-1)
        number = np.bincount(strata[np.unique(clusters, return_index=True)[1]])
        if design.strata is not None and design.replicates is None and (number < 2).any():
            raise ValueError(
                "a stratum has one cluster only, or one respondent: join it with another one, since "
                "its error cannot be seen"
            )
        replicates = None
        if design.replicates is not None:
            sources = (
                records[list(design.replicates)] if _names(design.replicates) else design.replicates
            )
            replicates = np.asarray(sources, dtype=float)
            if replicates.ndim != 2 or len(replicates) != size or not np.isfinite(replicates).all():
                raise ValueError(
                    f"{size} records need a matrix of {size} rows of replicate weights; got the shape "
                    f"{replicates.shape}"
                )
        population = _column(records, design.population, "population")
        fraction = _taken(population, strata, number)
        return cls(cells, weights, strata, clusters, fraction, replicates, design.scale)

    @property
    def freedom(self) -> float:
        """Clusters less strata, or replicates less one: the degrees of freedom of an error; with weights
        alone it is known as well as that of any mean."""
        if self.replicates is not None:
            return self.replicates.shape[1] - 1
        clusters, strata = self.clusters.max() + 1, len(self.taken)
        return math.inf if clusters == len(self.weights) and strata == 1 else clusters - strata

    def covariance(self, values: np.ndarray, total: float) -> np.ndarray:
        """Of means over cells: `values` [mean, cell] are centred, `total` is the sum of the weights."""
        inside = self.cells >= 0
        each = np.where(inside, self.weights, 0) * values[:, self.cells] / total
        if self.replicates is not None:
            weights = np.where(inside[:, None], self.replicates, 0)
            deviations = values[:, self.cells] @ weights / weights.sum(axis=0)
            return (self.scale or 0) * deviations @ deviations.T
        strata = np.zeros(self.clusters.max() + 1, dtype=np.int64)
        strata[self.clusters] = self.strata
        sums = np.array([np.bincount(self.clusters, row) for row in each])
        number = np.bincount(strata)
        means = np.array([np.bincount(strata, row) for row in sums]) / number
        deviations = (sums - means[:, strata]) * np.sqrt(
            (1 - self.taken) * number / np.maximum(number - 1, 1)
        )[strata]
        return deviations @ deviations.T


@dataclass(frozen=True)
class Sample:
    """The reports of a sample: of each cell the sum of weights and of their squares; one by one if need be.

    >>> Sample(np.array([60.0, 40.0]), np.array([60.0, 40.0])).covariance(np.array([[0.0, 1.0]])).round(6)
    array([[0.002424]])
    """

    sums: np.ndarray
    squares: np.ndarray
    drawn: Drawn | None = None
    weighed: bool = False

    @classmethod
    def of_table(cls, table: Table) -> Sample:
        """What a table of reports tells of its respondents."""
        table = table.densified()
        squares = table.values if table.squares is None else table.squares
        equal = np.allclose(squares * table.total, table.values * squares.sum())
        return cls(table.values, squares, weighed=not equal)

    @classmethod
    def of_records(cls, records: Any, names: list[str], levels: Any, design: Design) -> tuple:
        """The sample of records with a design, and the domain of these columns."""
        frame = as_frame(records)
        own_levels = {name: own for name, own in (levels or {}).items() if name in names}
        cells, domain = encode(frame[names], own_levels)
        plan = Drawn.by(design, frame, cells)
        sums = np.bincount(cells, plan.weights, minlength=domain.size)
        squares = np.bincount(cells, plan.weights**2, minlength=domain.size)
        return cls(sums, squares, plan, weighed=True), domain

    def part(self, number: int, parts: int) -> Sample:
        """One of several equally large blocks of cells: those of a group."""
        size = len(self.sums) // parts
        block = slice(number * size, (number + 1) * size)
        plan = self.drawn
        if plan is not None:
            inside = plan.cells // size == number
            plan = replace(plan, cells=np.where(inside, plan.cells - number * size, -1))
        return replace(self, sums=self.sums[block], squares=self.squares[block], drawn=plan)

    @property
    def total(self) -> float:
        return float(self.sums.sum())

    @property
    def size(self) -> float:
        """How many respondents there are; of weights alone, how many equal ones would tell as much."""
        if self.drawn is not None:
            return float(((self.drawn.cells >= 0) & (self.drawn.weights > 0)).sum())
        return self.effective

    @property
    def effective(self) -> float:
        """How many respondents of equal weight would tell as much [Kish]."""
        return self.total**2 / self.squares.sum() if self.squares.any() else 0.0

    @property
    def freedom(self) -> float:
        return math.inf if self.drawn is None else self.drawn.freedom

    def means(self, values: np.ndarray) -> np.ndarray:
        """The means of functions of the report, [mean, cell]."""
        return values @ (self.sums / self.total)

    @property
    def alike(self) -> Sample:
        """As many respondents with the same reports, had they been drawn one by one, all with equal weight."""
        sums = self.sums * (self.size / self.total)
        return Sample(sums, sums)

    def covariance(self, values: np.ndarray) -> np.ndarray:
        """The covariance of the means; nan of a single respondent."""
        if not self.size > 1:
            return np.full((len(values), len(values)), np.nan)
        centred = values - self.means(values)[:, None]
        if self.drawn is not None:
            return self.drawn.covariance(centred, self.total)
        freed = self.size / (self.size - 1) / self.total**2
        return (centred * self.squares) @ centred.T * freed


def _names(given: Any) -> bool:
    return isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given)


def _column(records: pd.DataFrame, given: Any, what: str) -> Any:
    """A column of the records by its name, or one value a record."""
    if isinstance(given, str):
        if given not in records.columns:
            raise ValueError(
                f"there is no column {given!r} of {what}; there are {listed(records.columns)}"
            )
        given = records[given]
    return beside(records, given, f"the {what}")


def _numbered(values: Any, size: int, what: str, alone: int = 0) -> np.ndarray:
    """Strata or clusters as numbers; without any, one stratum, and a cluster for each respondent."""
    if values is None:
        return np.arange(size) if alone else np.zeros(size, dtype=np.int64)
    numbers = pd.factorize(np.asarray(values))[0]
    if len(numbers) != size or (numbers < 0).any():
        raise ValueError(f"{size} records need a value each of {what}, and none is missing")
    return numbers


def _taken(population: Any, strata: np.ndarray, number: np.ndarray) -> np.ndarray:
    """The share of the clusters of each stratum that was drawn; 0 where the population is not given."""
    if population is None:
        return np.zeros(len(number))
    each = np.broadcast_to(np.asarray(population, dtype=float), strata.shape)
    first = np.unique(strata, return_index=True)[1]
    if not np.array_equal(each, each[first][strata]) or (each[first] < number).any():
        raise ValueError(
            "the population is one number for each stratum, and no smaller than what was drawn of it"
        )
    return number / each[first]
