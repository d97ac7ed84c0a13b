"""What every scheme can do, worked out once from its channels.

A scheme is a list of channels over blocks of attributes (`ppdm.channel`); what no channel covers is
open. Three kinds of people use it:

- a respondent *disguises* a record: :meth:`Mechanism.disguise`;
- the collector *undoes* the disguise on counts, though on no single record: :meth:`Mechanism.undo`;
- an attacker, who knows the scheme and the distribution of the true records, *guesses*:
  :meth:`Mechanism.guess_answer`, :meth:`Mechanism.guess_record`, :meth:`Mechanism.truthful`.

A scheme of one's own is a class with :meth:`Mechanism.channels` and nothing else.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial, wraps
from inspect import signature
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import engines, kinds
from ppdm.chance import coins, generator
from ppdm.channel import Cells, Channel, Mixture
from ppdm.channel.base import DIGITS, spread_out
from ppdm.disguise import batches, guess
from ppdm.domain import (
    DENSE_LIMIT,
    Domain,
    Levels,
    as_frame,
    from_level_numbers,
    level_numbers,
    listed,
)
from ppdm.kinds import Kind
from ppdm.levels import zeros_and_ones
from ppdm.table import SMALL, Pairs, Table, aggregated, weighed, whole_counts, worth_dense

#: A matrix over all cells is for looking at, not for computing with.
MATRIX_LIMIT = 4_096
#: No more pairs of a report and an answer behind it are gone through for one estimate.
MOST_ORIGINS = 50_000_000
#: Schemes remember how they are bound to so many domains.
_BOUND = 256
#: ... and so many chances of personal records with them, 64 MB.
_KEPT = 1 << 23


class Bound:
    """A scheme in a domain of true answers: its channels there, and the domain of its reports.

    >>> from ppdm import MultiGroup
    >>> bound = MultiGroup(0.8).on(Domain(("A",), ((0, 1),)))
    >>> bound.kind, bound.reported.names
    (reports (flip of A), ('A',))
    """

    def __init__(self, domain: Domain, channels: Sequence[Channel]) -> None:
        self.domain, self.channels = domain, tuple(channels)
        self.steps = [(c, tuple(domain.axis(name) for name in c.names)) for c in channels]
        self.reported = domain.with_levels(
            {n: new for c in channels for n, new in zip(c.names, c.outputs.levels, strict=True)}
        )
        self.kind = Kind("reports", self.channels)
        self.personal: dict[str, Pairs] = {}

    def coins(self, rng: np.random.Generator) -> np.random.Generator:
        """The stream of the coins: one for these attributes and this scheme."""
        return coins(generator(rng), *(channel.key for channel in self.channels))

    @cached_property
    def spread(self) -> float:
        """How many true records a report counts for."""
        return math.prod(channel.spread for channel in self.channels)

    def whole(self) -> Mixture | None:
        """The mixture that covers the whole record, if the scheme is one."""
        first = self.channels[0] if self.channels else None
        return first if isinstance(first, Mixture) and first.whole else None


class Mechanism(ABC):
    """The common part of all schemes; a parameter of one cannot be changed once it is made."""

    def __init_subclass__(cls) -> None:
        """A scheme is made once: when its own `__init__` is done, nothing is written to it."""
        init = cls.__init__

        @wraps(init)
        def made(self: Mechanism, *args: Any, **kwargs: Any) -> None:
            init(self, *args, **kwargs)
            if type(self).__init__ is made:
                vars(self)["_made"] = True

        cls.__init__ = made  # type: ignore[assignment,method-assign]

    @abstractmethod
    def channels(self, domain: Domain) -> Sequence[Channel]:
        """What is done to which attributes of a domain of true answers; of a marginal, to its part."""

    @property
    def named(self) -> tuple[str, ...] | None:
        """The attributes that the scheme speaks of by name; None if it takes whatever there is."""
        return None

    def protects(self, name: str) -> bool:
        """Whether the answers to an attribute are disguised."""
        return self.named is None or name in self.named

    # -- what it is --------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Make it anew with some other parameters: for scikit-learn, which searches a copy."""
        unknown = [name for name in params if name not in self.get_params()]
        if unknown:
            raise ValueError(
                f"{type(self).__name__} has no parameter {listed(unknown)}; "
                f"it has {listed(self.get_params())}"
            )
        other = type(self)(
            **self.get_params() | params
        )  # refuses what is wrong, and this one stays
        vars(self).clear()
        vars(self).update(vars(other))
        return self

    def __sklearn_clone__(self) -> Self:
        """A copy for scikit-learn, which would look for the very objects that it handed in."""
        return type(self)(**self.get_params())

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self):
            self.__delattr__(name)
        if "_made" in vars(self):
            raise TypeError(
                f"{type(self).__name__} has no parameter {name!r}; it has {listed(self.get_params())}, "
                "and what they are is fixed"
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise TypeError(
            f"{name} of {self!r} is fixed, as reports that it made could not be undone any more: "
            f"make another {type(self).__name__}"
        )

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return _same(self.get_params(), other.get_params())

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))

    def __getstate__(self) -> dict[str, Any]:
        """What it is, without what it has worked out: its checksum stays the same when it is used."""
        return {name: value for name, value in vars(self).items() if name != "_bound"}

    # -- in a domain -------------------------------------------------------------------------

    def on(self, domain: Domain) -> Bound:
        """The scheme in a domain of true answers, which may be a marginal; remembered."""
        cache = vars(self).setdefault("_bound", {})
        bound = cache.get(id(domain))
        if bound is None or bound.domain is not domain:
            self.check_part(domain)
            size = sum(b.domain.size for b in cache.values() if b.whole())  # its personal answers
            if len(cache) >= _BOUND or size > _KEPT:
                cache.clear()
            bound = cache[id(domain)] = Bound(domain, self.channels(domain))
        return bound

    def reported(self, domain: Domain) -> Domain:
        """The domain of the reports behind a domain of true answers."""
        return self.on(domain).reported

    def true_domain(self, reported: Domain) -> Domain:
        """The domain of the true answers behind a domain of reports; mostly the same."""
        return reported

    def kind_of_reports(self, reported: Domain) -> Kind:
        """What a table over a domain of reports counts."""
        bound = self.on(self.true_domain(reported))
        for name, own, labels in zip(
            reported.names, bound.reported.levels, reported.levels, strict=True
        ):
            if own != labels:
                raise ValueError(
                    f"the table has the levels {listed(labels)} of {name!r}; {self!r} reports "
                    f"{listed(own)}, in this order"
                )
        return bound.kind

    def _of(self, kind: Kind, reported: Domain) -> Bound:
        """The scheme as it made these reports; anything else is refused."""
        kinds.need("undo", kind)
        bound = self.on(kind.true_domain(reported))
        if kind is not bound.kind:
            kinds.need_channels(bound.channels, kind, self)
        return bound

    def own(self, table: Table) -> Table:
        """A table of this scheme's reports: one that does not say what it counts is taken for it."""
        if table.kind.what == "not said":
            return table.reported_by(self)
        self.check_reports(table)
        return table

    def check_reports(self, table: Table) -> None:
        """Refuse a table that does not count this scheme's reports."""
        self._of(table.kind, table.domain)

    def check_all(self, domain: Domain) -> None:
        """Refuse whole records that lack an attribute which the scheme names."""
        unknown = [name for name in self.named or () if name not in domain.names]
        if unknown:
            raise ValueError(
                f"{type(self).__name__} names unknown attributes: {listed(unknown)}; "
                f"the records have {listed(domain.names)}"
            )

    def check_part(self, domain: Domain) -> None:
        """Refuse a table that is no marginal of the records which the scheme speaks of.

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

    # -- the respondent ----------------------------------------------------------------------

    def disguise(self, frame: Any, rng: np.random.Generator, levels: Levels = None) -> Any:
        """Disguise records one by one, as the respondents do.

        `levels` says what could have been answered: a mapping from columns to their levels, or a
        domain or a survey, which the frame then has to match. Without it they are those of
        categorical and of yes/no columns; where they would be a guess, they are asked for.

        The answers of real people are disguised with ``ppdm.chance.system()``. A seed is for studies that
        others shall draw again: who has the seed has the answers.

        The reports say what was done to them, and cannot be disguised again. Polars and Arrow
        frames, and files, are disguised batch by batch (see `ppdm.disguise.batches`), lazily where
        the frame is lazy; they cannot say it.

        Parameters
        ----------
        frame
            True records: a frame of pandas, Polars or Arrow, or a path.
        rng
            The source of the coins: for real people `ppdm.chance.system()`, since whoever has the seed of
            another generator has the answers.
        levels
            What could have been answered, where the columns do not say it.

        Returns
        -------
        The reports, in the kind of frame that the records came in.

        Raises
        ------
        ValueError
            If the records were disguised before, do not match the scheme, or leave their levels to be guessed.
        """
        rng = generator(rng)
        if engines.elsewhere(frame):
            return batches.disguised(frame, partial(Mechanism.disguise, self), rng, levels)
        frame = as_frame(frame)
        kind = kinds.of_frame(frame)
        if levels is None or isinstance(levels, Mapping):
            levels = {**self._declares(frame.columns), **(levels or {})}
        columns, domain = level_numbers(frame, levels)
        self.check_all(domain)
        self._refuse_twice(kind)
        self._refuse_guesses(frame, domain, levels)
        bound = self.on(domain)
        rng = bound.coins(rng)
        column_of = dict(zip(domain.names, columns, strict=True))
        for channel in bound.channels:
            reports_of_block = channel.draw([column_of[name] for name in channel.names], rng)
            column_of |= zip(channel.names, reports_of_block, strict=True)
        reports = from_level_numbers(list(column_of.values()), bound.reported, like=frame)
        return kinds.mark(reports, Kind("reports", kind.channels + bound.channels))

    def _declares(self, names: Sequence[str]) -> Mapping[str, tuple]:
        """The levels of true answers that the scheme itself names."""
        return {}

    def _refuse_twice(self, kind: Kind) -> None:
        if any(self.protects(name) for name in kind.disguised):
            kinds.need("disguise", kind)

    def _refuse_guesses(self, frame: pd.DataFrame, domain: Domain, levels: Levels) -> None:
        """Levels are declared, or those of a yes/no column; of a few answers nobody knows the others."""
        if not isinstance(levels, dict):
            return
        for name, own in zip(domain.names, domain.levels, strict=True):
            column = frame[name]
            if name in levels or not self.protects(name):
                continue
            if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind == "b":
                if len(own) >= 2:
                    continue
            elif zeros_and_ones(own) and column.nunique() == 2:
                continue
            raise ValueError(
                f"column {name!r} has the values {listed(column.unique().tolist(), 4)}, and it is not "
                "known what else could have been answered: declare its levels, as in "
                f"disguise(frame, rng, levels={{{name!r}: [...]}}), or make it categorical"
            )

    def disguise_digits(
        self, digits: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        """:meth:`disguise` for records as numbers of levels, a column an attribute."""
        self.check_all(domain)
        digits, rng = np.array(digits, dtype=np.int64), self.on(domain).coins(rng)
        for channel, axes in self.on(domain).steps:
            reports = channel.draw([digits[:, axis] for axis in axes], rng)
            digits[:, list(axes)] = np.column_stack(reports)
        return digits

    def disguise_table(self, table: Table, rng: np.random.Generator) -> Table:
        """Draw the counts of the disguised records directly from those of the true ones.

        Exact in distribution: equal records are exchangeable, so only their number matters.

        Parameters
        ----------
        table
            Whole numbers of true records.
        rng
            The source of the coins.

        Returns
        -------
        Table
            Numbers of reports.

        Raises
        ------
        ValueError
            If the table counts reports, or no whole records.
        """
        rng, bound = generator(rng), self._before(table)
        rng = bound.coins(rng)
        mixture = bound.whole()
        kind = self._after(table.kind, bound)
        if mixture is not None:
            deal = mixture.deal_whole(table.values, table.cells, rng)
            if deal is None:
                whole_counts(table)  # says which number is no count
            reports, strangers = deal  # type: ignore[misc]
            if table.cells is None:
                return Table.holding(table.domain, reports, kind=kind)
            codes = np.concatenate([table.cells, strangers])
            counts = np.concatenate([reports, np.ones(len(strangers))])
            return aggregated(table.domain, codes, counts, kind)
        cells = Cells(table.domain, *whole_counts(table))
        for channel in bound.channels:
            cells = channel.deal(cells, rng)
        if table.is_sparse:
            return aggregated(bound.reported, cells.codes, cells.counts, kind)
        numbers = np.bincount(cells.codes, cells.counts, minlength=bound.reported.size)
        return Table.holding(bound.reported, numbers, kind=kind)

    def _before(self, table: Table) -> Bound:
        """The scheme for a table that is to be disguised; what was disguised already is refused."""
        if table.kind.what != "reports":
            kinds.need("disguise", table.kind)
        self._refuse_twice(table.kind)
        self.check_all(table.domain)
        return self.on(table.domain)

    @staticmethod
    def _after(kind: Kind, bound: Bound) -> Kind:
        """The kind of the reports: beside this scheme's there may be another's."""
        if not kind.channels and not kind.taken:
            return bound.kind
        return Kind("reports", kind.channels + bound.channels, kind.taken)

    # -- the collector -----------------------------------------------------------------------

    def apply(self, table: Table) -> Table:
        """The expected table of reports: the linear map itself.

        Parameters
        ----------
        table
            A table of true records.

        Returns
        -------
        Table
            The mean of the tables of reports that `disguise_table` draws.

        Raises
        ------
        ValueError
            If the table counts reports already.
        """
        if table.kind.what != "reports":
            kinds.need("apply", table.kind)
        self._refuse_twice(table.kind)
        bound = self.on(table.domain)
        kind = self._after(table.kind, bound)

        def applied(table: Table) -> Table:
            if _stays_sparse(table, bound):
                return self._scattered(table, bound, bound.reported, kind, "apply")
            values = table.dense
            for channel, axes in bound.steps:
                values = channel.apply(values, axes)
            return Table.holding(bound.reported, values.reshape(-1), kind=kind)

        return weighed(applied)(table)

    def undo(self, table: Table) -> Table:
        """Estimate the true counts from those of reports: unbiased, possibly negative.

        Undoing commutes with taking marginals, so a marginal table may be undone by itself. Of a
        slice by a reported answer it would be wrong: undo first, then condition.

        Parameters
        ----------
        table
            A table of this scheme's reports, whole or a marginal.

        Returns
        -------
        Table
            The estimated numbers of true records, unbiased and perhaps negative.

        Raises
        ------
        ValueError
            If the table does not count this scheme's reports, or they tell too little.
        """
        if not isinstance(table, Table):
            raise ValueError(
                f"undo takes a table; got a {type(table).__name__}: Table.from_crosstab(frame).reported_by(scheme) "
                "makes one of a cross table, count(frame, scheme) of records"
            )
        bound = self._of(table.kind, table.domain)
        kind = table.kind.after(bound.channels)
        if _stays_sparse(table, bound):
            return self._scattered(table, bound, bound.domain, kind, "undo")
        values = table.dense
        for channel, axes in bound.steps:
            values = channel.undo(values, axes)
        return Table.holding(bound.domain, values.reshape(-1), kind=kind)

    @staticmethod
    def _scattered(table: Table, bound: Bound, domain: Domain, kind: Kind, way: str) -> Table:
        """A map of the occupied cells only, where each channel sends a cell to few."""
        cost = len(table.values) * bound.spread
        if cost > MOST_ORIGINS:
            raise ValueError(
                f"{len(bound.channels)} groups cost {len(table.values):,} occupied cells over "
                f"{cost:.2g}; undo marginals of fewer attributes instead"
            )
        cells = Cells(table.domain, *table.occupied())
        for channel in bound.channels:
            cells = channel.scatter(cells, way)
        return aggregated(domain, cells.codes, cells.counts, kind)

    def undo_pairs(self, pairs: Pairs) -> Pairs:
        """:meth:`undo` of all tables of two, and of the classes; the same linear map."""
        if not isinstance(pairs.kind, Kind):  # counted one by one
            return pairs.mapped(self.undo)
        bound = self._of(pairs.kind, pairs.domain)
        mixture = bound.whole()
        if mixture is None:
            return pairs.mapped(self.undo)
        mixture.refuse_all_strangers()
        kind = pairs.kind.after(bound.channels)
        if mixture.keep == 1:
            return Pairs(pairs.domain, pairs.target, pairs.values, pairs.totals, kind)
        stranger = self._personal_pairs(bound, mixture, pairs)
        number = (1 - mixture.keep) * pairs.totals.sum()
        values = (pairs.values - stranger.values * number) / mixture.keep
        totals = (pairs.totals - stranger.totals * number) / mixture.keep
        return Pairs(pairs.domain, pairs.target, values, totals, kind)

    @staticmethod
    def _personal_pairs(bound: Bound, mixture: Mixture, pairs: Pairs) -> Pairs:
        """Pairs of personal answers; kept, since every repetition asks for them."""
        if pairs.target not in bound.personal:
            bound.personal[pairs.target] = pairs.mapped(
                lambda table: Table(table.domain, mixture.personal.only(table.names).chances)
            )
        return bound.personal[pairs.target]

    def unbiased(
        self, right: Callable[[np.ndarray], np.ndarray], codes: np.ndarray, domain: Domain
    ) -> np.ndarray:
        """A function of reports whose mean estimates the mean of `right` over the true records.

        `right` takes level numbers (cells, attributes) and gives a number for each cell; `codes`
        are reports in their `domain`.
        """
        bound = self.on(self.true_domain(domain))
        pairs = bound.spread * len(codes)
        if bound.domain.size <= max(SMALL, min(DENSE_LIMIT, pairs)):
            values = _on_all_cells(right, bound.domain)
            for channel, axes in bound.steps:
                values = channel.dual(values, axes)
            return values.reshape(-1)[codes]
        if pairs > MOST_ORIGINS:
            raise ValueError(
                f"each of {len(codes):,} reports may stand for {bound.spread:.2g} true records, too many "
                "to go through: estimate from fewer protected attributes"
            )
        total = np.zeros(len(codes))
        for digits, weights in _origins(bound, domain.digits(codes)):
            total += weights * right(digits)
        return total

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

    # -- the attacker ------------------------------------------------------------------------

    def epsilon(self, attribute: str | None = None, domain: Domain | None = None) -> float:
        """Local differential privacy: the largest log ratio of two true values' chances of one report.

        Of one answer if an attribute is named, else of all that the scheme protects together; with a
        `domain`, of its whole records: then an attribute that is open makes it infinite, as a group
        of two answers does, whose reports rule some true records out.

        Parameters
        ----------
        attribute
            One question; by default all that are protected.
        domain
            All questions of the records, where the scheme does not name them.

        Returns
        -------
        float
            Epsilon, perhaps infinite.

        Raises
        ------
        ValueError
            If the domain is needed.
        """
        if domain is None:
            domain = self._own_domain(attribute)
        if attribute is not None:
            channels = self.on(domain.only([attribute])).channels
            return float(channels[0].epsilon()) if channels else math.inf
        bound = self.on(domain)
        if set(domain.names) - set(bound.kind.disguised):
            return math.inf
        return float(sum(channel.epsilon() for channel in bound.channels))

    def _own_domain(self, attribute: str | None) -> Domain:
        """The attributes that the scheme itself knows, for what does not depend on others."""
        raise ValueError(f"epsilon of {self!r} needs the domain of the answers")

    def likelihood(self, report: np.ndarray, domain: Domain) -> np.ndarray:
        """P(this report | record), for every record of a domain; the report as level numbers.

        >>> from ppdm import MultiGroup
        >>> MultiGroup(0.8).likelihood(np.array([0, 1]), Domain(("A", "B"), ((0, 1),) * 2)).round(2)
        array([0. , 0.8, 0.2, 0. ])
        """
        bound, report = self.on(domain), np.asarray(report)
        chances = np.ones(domain.shape)
        for channel, axes in bound.steps:
            part = channel.inputs
            row = channel.chance(report[list(axes)], part.digits(np.arange(part.size)))
            chances = chances * spread_out(row.reshape(part.shape), axes, len(domain.shape))
        for axis, name in enumerate(domain.names):
            if name not in bound.kind.disguised:
                truth = np.arange(domain.shape[axis]) == report[axis]
                chances = chances * spread_out(truth.astype(float), (axis,), len(domain.shape))
        return chances.reshape(-1)

    def answer_and_report(self, prior: Table, attribute: str) -> np.ndarray:
        """P(true answer = v, record sent = r), a row a value v and a column a report r.

        >>> from ppdm import Table, UnrelatedQuestion
        >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
        >>> UnrelatedQuestion(0.5).answer_and_report(coin, "A")
        array([[0.375, 0.125],
               [0.125, 0.375]])
        """
        prior = prior.proportions().densified()
        return guess.joint(self, guess.secrets(attribute, prior), prior)

    def guess_answer(self, prior: Table, attribute: str, known: Sequence[str] = ()) -> float:
        """The chance of guessing one true answer right, by the best rule there is.

        The attacker sees the whole report, knows the prior (a table of true records) and, of the
        respondent he looks at, the true answers to the `known` questions.

        Parameters
        ----------
        prior
            A table of true records, as the attacker believes them to be.
        attribute
            The answer that he wants.
        known
            Questions of which he knows her true answers.

        Returns
        -------
        float
            The chance that his best guess is right.

        Raises
        ------
        ValueError
            If the prior is a table of reports.

        Examples
        --------
        >>> from ppdm import MultiGroup, Table
        >>> coin = Table(Domain(("A",), ((0, 1),)), [50, 50])
        >>> MultiGroup(0.8).guess_answer(coin, "A")
        0.8
        """
        return guess.vulnerability(self, attribute, prior, known=known)

    def guess_record(self, prior: Table) -> float:
        """The chance of guessing a whole true record right from its report, at best.

        >>> from ppdm import MultiGroup, Table
        >>> rare = Table(Domain(("A",), ((0, 1),)), [90, 10])
        >>> MultiGroup(0.8).guess_record(rare)
        0.9
        """
        return guess.vulnerability(self, guess.RECORD, prior)

    def told_truth(self, prior: Table) -> Table:
        """For each report r, the chance that r is reported and is the truth told."""
        bound = self.on(prior.domain)
        values = prior.dense
        for channel, axes in bound.steps:
            values = channel.truth(values, axes)
        return Table.holding(bound.reported, values.reshape(-1), kind=bound.kind)

    def truthful(self, prior: Table) -> Table:
        """For each report: the probability that the respondent told the truth, given the report.

        Reports that never occur get nan.

        >>> from ppdm import MultiGroup, Table
        >>> rare = Table(Domain(("A",), ((0, 1),)), [90, 10])
        >>> MultiGroup(0.8).truthful(rare).dense.round(3)
        array([0.973, 0.308])
        """
        truth = self.told_truth(prior.proportions())
        reports = self.apply(prior.proportions()).densified()
        with np.errstate(invalid="ignore", divide="ignore"):
            return Table(reports.domain, truth.values / reports.values)


def _stays_sparse(table: Table, bound: Bound) -> bool:
    """Whether a sparse table can be mapped as its occupied cells, and is better off so."""
    if not table.is_sparse or not all(channel.scatters for channel in bound.channels):
        return False
    return not worth_dense(table.domain.size, len(table.values) * bound.spread)


def _on_all_cells(right: Callable[[np.ndarray], np.ndarray], domain: Domain) -> np.ndarray:
    """A function of records on every cell of a domain, piece by piece."""
    pieces = [
        right(domain.digits(np.arange(start, min(start + 2**18, domain.size))))
        for start in range(0, domain.size, 2**18)
    ]
    return np.concatenate(pieces).astype(float).reshape(domain.shape)


def _origins(bound: Bound, digits: np.ndarray) -> Any:
    """All true records that reports may stand for, each with its weight."""

    def through(steps: list, digits: np.ndarray, weights: Any) -> Any:
        if not steps:
            yield digits, weights
            return
        (channel, axes), *rest = steps
        for answers, factor in channel.origins(digits[:, list(axes)]):
            other = digits.copy()
            other[:, list(axes)] = answers
            yield from through(rest, other, weights * factor)

    return through(bound.steps, digits, 1.0)


def _same(one: object, other: object) -> bool:
    """Whether two parameters are equal; arrays and tables to as many digits as channels are."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, Table) and isinstance(other, Table):
        return one.domain == other.domain and _same(one.dense, other.dense)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        left, right = np.asarray(one), np.asarray(other)
        return left.shape == right.shape and np.allclose(left, right, rtol=0, atol=10.0**-DIGITS)
    return bool(one == other)
