"""[Zhan & Du 4] Multi-group randomized response, the related-question model.

The attributes are split into groups. In each group, independently of the others, a respondent
tells the truth about all answers with probability θ, else reverses all of them. For one group the
map on the counts of a cell E and its reversal Ē is

    P*(E) = θ P(E) + (1-θ) P(Ē)        P*(Ē) = (1-θ) P(E) + θ P(Ē)

and for several groups [Eqs. (5) to (8)] the Kronecker product of such maps, so it is undone one
group after the other and the large matrix is never formed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from ppdm.chance import generator
from ppdm.compiled import njit
from ppdm.disguise.mechanism import Mechanism, collect
from ppdm.table import Domain, Table, aggregated, held, listed, whole_counts, worth_dense


class MultiGroup(Mechanism):
    """[Zhan & Du 4.2 to 4.4] Truth with probability θ, else the reverse, group by group.

    Parameters
    ----------
    theta
        Probability of the truth in each group.
    groups
        Lists of attribute names. Attributes in no group are not disguised (4.5, 4.7). ``None``
        puts all attributes into one group.
    absent
        The level that stands for an answer not given, if there is one: reversed, it stays as it is.

    The class label is an attribute like any other: name it in a group, or leave it out.

    >>> import pandas as pd
    >>> from ppdm import count
    >>> answers = count(pd.DataFrame({"A": [1, 1, 1, 0], "B": [1, 1, 0, 0]}))
    >>> scheme = MultiGroup(0.8)
    >>> scheme.apply(answers).dense.round(2)
    array([[1.2, 0.2],
           [0.8, 1.8]])
    >>> scheme.undo(scheme.apply(answers)).dense.round(12)
    array([[1., 0.],
           [1., 2.]])
    """

    def __init__(
        self, theta: float, groups: Sequence[Sequence[str]] | None = None, absent: object = None
    ) -> None:
        if not 0 <= theta <= 1:
            raise ValueError(f"theta is a probability, from 0 to 1; got {theta!r}")
        self.theta = float(theta)
        if not isinstance(absent, Hashable):
            raise ValueError(f"absent is one level; got {absent!r}")
        self.absent = absent
        self.groups = None if groups is None else tuple(_as_group(group) for group in groups)
        named = [name for group in self.groups or () for name in group]
        twice = sorted({name for name in named if named.count(name) > 1}, key=str)
        if twice:
            raise ValueError(f"an attribute belongs to one group only; {listed(twice)} is in two")

    def __repr__(self) -> str:
        return f"MultiGroup(theta={self.theta:g}, groups={self.groups})"

    # -- the respondent --------------------------------------------------------------------

    @property
    def named(self) -> tuple[str, ...] | None:
        return None if self.groups is None else tuple(n for group in self.groups for n in group)

    def disguise_codes(
        self, codes: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        codes = np.asarray(codes, dtype=np.int64)
        for group in self.groups_in(domain):
            lies = rng.random(len(codes)) > self.theta
            codes = np.where(lies, _reversed_cells(codes, domain, group, self.absent), codes)
        return codes

    def disguise_digits(
        self, digits: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        digits = np.array(digits, dtype=np.int64)
        for group in self.groups_in(domain):
            lies = rng.random(len(digits)) > self.theta
            for axis in (domain.axis(name) for name in group):
                low, high = _two_answers(domain, axis, self.absent)
                answers = digits[:, axis]
                turned = np.where(answers == low, high, np.where(answers == high, low, answers))
                digits[:, axis] = np.where(lies, turned, answers)
        return digits

    def disguise_table(self, table: Table, rng: np.random.Generator) -> Table:
        rng = generator(rng)
        self.check_all(table.domain)
        cells, counts = whole_counts(table)
        for group in self.groups_in(table.domain):
            truths = rng.binomial(counts, self.theta)
            turned = _reversed_cells(cells, table.domain, group, self.absent)
            cells = np.concatenate([cells, turned])
            counts = np.concatenate([truths, counts - truths])
            cells, counts = cells[counts > 0], counts[counts > 0]
        return collect(table.domain, cells, counts, like=table)

    # -- the collector ---------------------------------------------------------------------

    def apply(self, table: Table) -> Table:
        self.check_part(table.domain)
        return self._mixed(table, self.theta, 1 - self.theta)

    def undo(self, table: Table) -> Table:
        """[Zhan & Du, Eqs. 3, 5, 7] The estimated table of true records."""
        self.check_part(table.domain)
        return self._mixed(table, *self._inverse_weights())

    def unbiased(self, right: Callable, codes: np.ndarray, domain: Domain) -> np.ndarray:
        """[Zhan & Du 4.6, Eq. 15] The first row of the inverse, over all 2^M reversals."""
        self.check_part(domain)
        keep, turn = self._inverse_weights()
        groups = self.groups_in(domain)
        estimate = np.zeros(len(codes))
        for pattern in product((False, True), repeat=len(groups)):
            cells, weight = codes, 1.0
            for group, turned in zip(groups, pattern, strict=True):
                weight *= turn if turned else keep
                cells = _reversed_cells(cells, domain, group, self.absent) if turned else cells
            if weight:
                estimate += weight * right(domain.digits(cells))
        return estimate

    def _inverse_weights(self) -> tuple[float, float]:
        if self.theta == 0.5:
            raise ValueError("theta must not be 0.5: the counts carry no information there")
        slope = 2 * self.theta - 1
        return self.theta / slope, -(1 - self.theta) / slope

    def _mixed(self, table: Table, keep: float, turn: float) -> Table:
        """keep * table + turn * (table with the group reversed), for one group after another."""
        groups = self.groups_in(table.domain)
        spread = len(table.values) * 2.0 ** len(groups)
        if not table.is_sparse or worth_dense(table.domain.size, spread):
            values = table.densified().values.copy()
            for group in groups:
                _mix(values, _reversal(table.domain, group, self.absent), keep, turn)
            return Table(table.domain, values)
        if spread > 50_000_000:
            raise ValueError(
                f"{len(groups)} groups spread {len(table.values):,} occupied cells over "
                f"{spread:.2g}; undo marginals of fewer attributes instead"
            )
        cells, values = table.occupied()
        for group in groups:
            turned = _reversed_cells(cells, table.domain, group, self.absent)
            cells = np.concatenate([cells, turned])
            values = np.concatenate([keep * values, turn * values])
        return aggregated(table.domain, cells, values)

    # -- the attacker ----------------------------------------------------------------------

    def epsilon(self, attribute: str | None = None, domain: Domain | None = None) -> float:
        """Local differential privacy of one answer, or of the whole record.

        For one answer it is ``|ln(θ/(1-θ))|``. For a record it is infinite as soon as a group has
        two answers or an attribute is not disguised: such a group's report 00 can only come from
        00 or from 11, never from 01, so the report rules true records out. With groups of one
        answer each it is the sum over the answers.

        >>> MultiGroup(0.75, [["A"], ["B"]]).epsilon("A")
        1.0986122886681098
        >>> MultiGroup(0.75, [["A", "B"]]).epsilon()
        inf
        """
        groups = self.groups_in(domain) if domain is not None else self.groups
        if groups is None:
            raise ValueError("with all attributes in one group, epsilon needs the domain")
        answer = _log_odds(self.theta)
        asked = [n for group in groups for n in group] if attribute is None else [attribute]
        if self.absent is not None and any(_may_be_absent(n, domain, self.absent) for n in asked):
            return math.inf  # that no answer was given is told as it is
        if attribute is not None:
            return answer if any(attribute in group for group in groups) else math.inf
        bare = set(domain.names if domain is not None else ()) - {n for g in groups for n in g}
        if bare or any(len(group) > 1 for group in groups):
            return math.inf
        return answer * len(groups)

    def likelihood(self, report: np.ndarray, domain: Domain) -> np.ndarray:
        chances = np.zeros(domain.size)
        chances[domain.codes(np.asarray(report)[None])] = 1.0
        return self._mixed(Table(domain, chances), self.theta, 1 - self.theta).values

    def _likeliest(self, prior: Table) -> np.ndarray:
        self.check_part(prior.domain)
        best = prior.densified().values.copy()
        for group in self.groups_in(prior.domain):
            turn = _reversal(prior.domain, group, self.absent)
            told = np.maximum(self.theta * best, (1 - self.theta) * best[turn])
            best = np.where(turn == np.arange(len(best)), best, told)  # its own reversal: as it is
        return best

    def _told_truth(self, prior: Table) -> Table:
        self.check_part(prior.domain)
        groups = self.groups_in(prior.domain)
        if self.absent is None:
            return prior * self.theta ** len(groups)
        cells, told = prior.cells, np.array(prior.values)
        cells = np.arange(prior.domain.size) if cells is None else cells
        for group in groups:  # what is wholly absent is true after either side of the coin
            turned = _reversed_cells(cells, prior.domain, group, self.absent)
            told *= np.where(turned == cells, 1.0, self.theta)
        return Table(prior.domain, told, prior.cells)

    # -- groups ----------------------------------------------------------------------------

    def reversal(self, domain: Domain, group: tuple[str, ...]) -> np.ndarray:
        """For every cell of a domain, the cell with the group's answers reversed.

        >>> MultiGroup(0.7).reversal(Domain(("A", "B"), ((0, 1),) * 2), ("A",))
        array([2, 3, 0, 1])
        """
        return _reversal(domain, group, self.absent)

    def groups_in(self, domain: Domain) -> tuple[tuple[str, ...], ...]:
        """The groups, each cut down to the attributes that a (marginal) table has."""
        if self.groups is None:
            return (domain.names,)
        present = (tuple(n for n in group if n in domain.names) for group in self.groups)
        return tuple(group for group in present if group)


def random_groups(names: Sequence[str], number: int, rng: np.random.Generator) -> list[list[str]]:
    """[Zhan & Du 5.2] Split attributes at random into groups whose sizes differ by at most one.

    >>> random_groups(["A", "B", "C"], 2, np.random.default_rng(1))
    [['A', 'B'], ['C']]
    """
    if not 1 <= number <= len(names):
        raise ValueError(f"{len(names)} attributes make 1 to {len(names)} groups, not {number}")
    order = generator(rng).permutation(len(names))
    return [[names[i] for i in part] for part in np.array_split(order, number)]


def _as_group(group: Sequence[str]) -> tuple[str, ...]:
    if isinstance(group, str):
        raise ValueError(f"groups is a list of lists of names; got the bare name {group!r}")
    return tuple(group)


def _log_odds(theta: float) -> float:
    return math.inf if theta in (0.0, 1.0) else abs(math.log(theta / (1 - theta)))


def _may_be_absent(name: str, domain: Domain | None, absent: object) -> bool:
    return domain is None or absent in domain.levels[domain.axis(name)]


def _two_answers(domain: Domain, axis: int, absent: object) -> list[int]:
    """The numbers of an attribute's two levels, the absent one left out."""
    pair = [i for i, level in enumerate(domain.levels[axis]) if absent is None or level != absent]
    if len(pair) != 2:
        raise ValueError(
            f"only two-valued answers can be reversed; {domain.names[axis]!r} has the levels "
            f"{listed(domain.levels[axis])} (for more than two use UnrelatedQuestion or "
            "RRMatrix, or leave it out of the groups)"
        )
    return pair


def _reversed_cells(
    cells: np.ndarray, domain: Domain, group: tuple[str, ...], absent: object = None
) -> np.ndarray:
    """The codes after all answers of a group are reversed."""
    axes, pairs, bits = _to_reverse(domain, group, absent)
    if bits is not None:
        return cells ^ bits
    turned = np.array(cells)
    for axis, (low, high) in zip(axes, pairs, strict=True):
        digit = (cells // domain.strides[axis]) % domain.shape[axis]
        step = (high - low) * domain.strides[axis]
        turned += step * ((digit == low).astype(np.int64) - (digit == high))
    return turned


@lru_cache(maxsize=256)
def _to_reverse(
    domain: Domain, group: tuple[str, ...], absent: object
) -> tuple[list[int], list[list[int]], np.int64 | None]:
    """A group's axes, the two levels of each, and its bits in a code where all answers are bits."""
    axes = [domain.axis(name) for name in group]
    pairs = [_two_answers(domain, axis, absent) for axis in axes]
    binary = set(domain.shape) == {2}
    return axes, pairs, domain.strides[axes].sum() if binary else None


@lru_cache(maxsize=256)
def _reversal(domain: Domain, group: tuple[str, ...], absent: object = None) -> np.ndarray:
    """For every cell of a dense table, the cell with the group's answers reversed."""
    return held(_reversed_cells(np.arange(domain.size), domain, group, absent))


@njit(cache=True)
def _mix(values: np.ndarray, partner: np.ndarray, keep: float, turn: float) -> None:
    """In place: values = keep * values + turn * values[partner]; a cell and its partner swap."""
    for cell in range(len(values)):
        other = partner[cell]
        if cell < other:
            here, there = values[cell], values[other]
            values[cell] = keep * here + turn * there
            values[other] = keep * there + turn * here
