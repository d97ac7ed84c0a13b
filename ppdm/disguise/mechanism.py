"""What every mechanism can do, and what an attacker gets out of any of them.

A mechanism sends a true record x to a reported record r with probability ``M[r, x]``. Three kinds
of people use it:

- a respondent *disguises* a record: :meth:`Mechanism.disguise`;
- the collector *undoes* the disguise on counts, though on no single record: :meth:`Mechanism.undo`;
- an attacker, who knows the mechanism and the distribution of the true records, *guesses*:
  :meth:`Mechanism.guess_answer`, :meth:`Mechanism.guess_record`, :meth:`Mechanism.truthful`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ppdm import engines
from ppdm.chance import generator
from ppdm.disguise import batches
from ppdm.table import (
    CODE_LIMIT,
    Domain,
    Levels,
    Table,
    aggregated,
    as_frame,
    codes_of,
    from_level_numbers,
    level_numbers,
    listed,
)

#: A matrix over all cells is for looking at, not for computing with.
MATRIX_LIMIT = 4_096


class Mechanism(ABC):
    """The common part of all mechanisms."""

    @property
    def named(self) -> tuple[str, ...] | None:
        """The attributes that the mechanism speaks of by name; None if it takes whatever there is."""
        return None

    # -- the respondent --------------------------------------------------------------------

    def disguise(self, frame: Any, rng: np.random.Generator, levels: Levels = None) -> Any:
        """Disguise records one by one, as the respondents do.

        `levels` says what could have been answered: a mapping from columns to their levels, or a
        domain or a survey, which the frame then has to match. Without it the levels are those that
        `ppdm.count` finds in the frame, and where that would be a guess, it is refused.

        Polars and Arrow frames, and files, are disguised batch by batch (see
        `ppdm.disguise.batches`), lazily where the frame is lazy.
        """
        rng = generator(rng)
        if engines.elsewhere(frame):
            return batches.disguised(frame, partial(Mechanism.disguise, self), rng, levels)
        frame = as_frame(frame)
        columns, domain = level_numbers(frame, levels)
        self.check_all(domain)
        self._check_guesses(domain)
        reported = self.reported(domain)
        if max(domain.size, reported.size) <= CODE_LIMIT:
            codes = self.disguise_codes(codes_of(columns, domain), domain, rng)
            digits = reported.digits(codes)
        else:
            digits = self.disguise_digits(np.column_stack(columns).astype(np.int64), domain, rng)
        reports = from_level_numbers(digits, reported, like=frame)
        reports.attrs["disguised by"] = repr(self)  # a learner without a mechanism will ask
        return reports

    @abstractmethod
    def disguise_codes(
        self, codes: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        """:meth:`disguise` for records that are coded as integers (see `ppdm.table.encode`)."""

    @abstractmethod
    def disguise_digits(
        self, digits: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        """:meth:`disguise` for records as numbers of levels, a column an attribute.

        There may be any number of attributes: no code of the whole record is formed.
        """

    @abstractmethod
    def disguise_table(self, table: Table, rng: np.random.Generator) -> Table:
        """Draw the counts of the disguised records directly from those of the true ones.

        Exact in distribution: equal records are exchangeable, so only their number matters.
        """

    # -- the collector ---------------------------------------------------------------------

    def reported(self, domain: Domain) -> Domain:
        """The domain of the reports; for most mechanisms that of the records."""
        return domain

    @abstractmethod
    def apply(self, table: Table) -> Table:
        """The expected table of reports: the linear map itself."""

    @abstractmethod
    def undo(self, table: Table) -> Table:
        """Estimate the true counts from reported ones: unbiased, possibly negative.

        Undoing commutes with taking marginals, so a marginal table may be undone by itself.
        """

    @abstractmethod
    def unbiased(
        self, right: Callable[[np.ndarray], np.ndarray], codes: np.ndarray, domain: Domain
    ) -> np.ndarray:
        """A function of reports whose mean estimates the mean of `right` over the true records.

        `right` takes level numbers (cells, attributes) and gives a number for each cell.
        """

    def matrix(self, domain: Domain) -> np.ndarray:
        """``M[r, x]`` over all cells of a small domain."""
        domain = getattr(domain, "domain", domain)
        if domain.size > MATRIX_LIMIT:
            raise ValueError(
                f"the matrix over {domain.size:,} cells is too large to write out "
                f"(at most {MATRIX_LIMIT:,}); undo() does not need it"
            )
        columns = [self.apply(Table(domain, unit)).values for unit in np.eye(domain.size)]
        return np.array(columns).T

    def likelihood(self, report: np.ndarray, domain: Domain) -> np.ndarray:
        """P(this report | record), for every record of a domain; the report as level numbers.

        >>> from ppdm import MultiGroup
        >>> MultiGroup(0.8).likelihood(np.array([0, 1]), Domain(("A", "B"), ((0, 1),) * 2)).round(2)
        array([0. , 0.8, 0.2, 0. ])
        """
        row = self.reported(domain).codes(np.asarray(report)[None])[0]
        return self.matrix(domain)[row]

    # -- names -----------------------------------------------------------------------------

    def check_all(self, domain: Domain) -> None:
        """Refuse whole records that lack an attribute which the mechanism names."""
        unknown = [name for name in self.named or () if name not in domain.names]
        if unknown:
            raise ValueError(
                f"{type(self).__name__} names unknown attributes: {listed(unknown)}; "
                f"the records have {listed(domain.names)}"
            )

    def check_part(self, domain: Domain) -> None:
        """Refuse a table that is no marginal of the records which the mechanism speaks of.

        An attribute that no name covers is open, and a name without an attribute is summed out;
        but both together are a misspelling, or a class under another name, until it is shown that
        the table is a marginal (`Table.marginal` remembers the whole).
        """
        if self.named is None:
            return
        lost = [name for name in self.named if name not in domain.whole]
        stray = [name for name in domain.names if name not in self.named] if lost else []
        if stray:
            raise ValueError(
                f"{type(self).__name__} names {listed(lost)}, which the records lack, and does not "
                f"name {listed(stray)}, which they have (a part of the records is made by "
                "marginal())"
            )

    def protects(self, name: str) -> bool:
        """Whether the answers to an attribute are disguised."""
        return self.named is None or name in self.named

    def _check_guesses(self, domain: Domain) -> None:
        for name, levels in zip(domain.names, domain.levels, strict=True):
            if len(levels) < 2 and self.protects(name):
                raise ValueError(
                    f"column {name!r} has only the value {levels[0] if levels else None!r}, so it "
                    "is not known what else could have been answered: declare its levels, as in "
                    f"disguise(frame, rng, levels={{{name!r}: [...]}})"
                )

    # -- the attacker ----------------------------------------------------------------------

    @abstractmethod
    def epsilon(self, attribute: str | None = None, domain: Domain | None = None) -> float:
        """Local differential privacy: the largest log ratio of two true values' chances of the
        same report; of one answer if an attribute is named, else of the whole record."""

    @abstractmethod
    def _likeliest(self, prior: Table) -> np.ndarray:
        """For each report r, the largest P(x) M[r, x] over true records x."""

    @abstractmethod
    def _told_truth(self, prior: Table) -> Table:
        """For each report r, the probability of "r is reported and is the truth told"."""

    def answer_and_report(self, prior: Table, attribute: str) -> np.ndarray:
        """P(true answer = v, record sent = r), a row a value v and a column a report r.

        >>> from ppdm import Table, UnrelatedQuestion
        >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
        >>> UnrelatedQuestion(0.5).answer_and_report(coin, "A")
        array([[0.375, 0.125],
               [0.125, 0.375]])
        """
        prior = prior.proportions()
        cells, values = prior.occupied()
        level = prior.domain.digits(cells)[:, prior.domain.axis(attribute)]
        joint = []
        for v in range(prior.shape[prior.domain.axis(attribute)]):
            here = Table(prior.domain, values[level == v], cells[level == v]).densified()
            joint.append(self.apply(here).values)
        return np.array(joint)

    def guess_answer(self, prior: Table, attribute: str, known: Sequence[str] = ()) -> float:
        """The chance of guessing one true answer right, by the best rule there is.

        The attacker sees the whole report, knows the prior (a table of true records) and, of the
        respondent he looks at, the true answers to the `known` questions.

        >>> from ppdm import MultiGroup, Table
        >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
        >>> MultiGroup(0.8).guess_answer(coin, "A")
        0.8
        """
        prior = prior.proportions()
        axis = prior.domain.axis(attribute)
        side = [prior.domain.axis(name) for name in known]
        cells, values = prior.occupied()
        digits = prior.domain.digits(cells)
        groups = np.unique(digits[:, side], axis=0, return_inverse=True)[1].reshape(-1)
        chance = 0.0
        for group in range(groups.max() + 1):
            joint = [
                self.apply(
                    Table(prior.domain, values[inside], cells[inside]).compact(prior.domain.size)
                )
                for level in range(prior.shape[axis])
                if (inside := (groups == group) & (digits[:, axis] == level)).any()
            ]
            chance += _sum_of_largest(joint)
        return chance

    def guess_record(self, prior: Table) -> float:
        """The chance of guessing a whole true record right from its report, at best.

        >>> from ppdm import MultiGroup, Table
        >>> rare = Table(Domain(("A",), ((0, 1),)), [90, 10])
        >>> MultiGroup(0.8).guess_record(rare)
        0.9
        """
        return float(self._likeliest(prior.proportions()).sum())

    def truthful(self, prior: Table) -> Table:
        """For each report: the probability that the respondent told the truth, given the report.

        Reports that never occur get nan.

        >>> from ppdm import MultiGroup, Table
        >>> rare = Table(Domain(("A",), ((0, 1),)), [90, 10])
        >>> MultiGroup(0.8).truthful(rare).dense.round(3)
        array([0.973, 0.308])
        """
        truth = self._told_truth(prior.proportions()).densified()
        reports = self.apply(prior.proportions()).densified()
        with np.errstate(invalid="ignore", divide="ignore"):
            return Table(reports.domain, truth.values / reports.values)


def collect(domain: Domain, cells: np.ndarray, counts: np.ndarray, like: Table) -> Table:
    """A table of reports, stored as the table of records was.

    >>> coin = Table(Domain(("A",), ((0, 1),)), [1, 1])
    >>> collect(coin.domain, np.array([1, 1]), np.array([2, 3]), like=coin).dense
    array([0., 5.])
    """
    if like.is_sparse:
        return aggregated(domain, cells, counts)
    return Table(domain, np.bincount(cells, counts, minlength=domain.size))


def _sum_of_largest(tables: list[Table]) -> float:
    """Over all cells, the sum of the largest of the tables' numbers."""
    if not any(table.is_sparse for table in tables):
        return float(np.max([table.values for table in tables], axis=0).sum())
    parts = [table.occupied() for table in tables]
    cells = np.unique(np.concatenate([occupied for occupied, _ in parts]))
    best = np.zeros(len(cells))
    for occupied, values in parts:
        at = np.searchsorted(cells, occupied)
        best[at] = np.maximum(best[at], values)
    return float(best.sum())
