"""[Zhan & Matwin 2.2] Multi-variant randomized response, the unrelated-question model.

A respondent sends her private record with probability q, else a personal record Y whose
distribution is known. For any logical expression A and the same expression over Y

    P*(A) = q P(A) + (1-q) P(Y)                                                       (Eq. 1)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce

import numpy as np

from ppdm.chance import generator
from ppdm.compiled import njit
from ppdm.disguise.mechanism import Mechanism
from ppdm.table import DENSE_LIMIT, Domain, Pairs, Table, aggregated, whole_counts

#: Drawing how many records fall into a cell takes as long as drawing so many records.
_SCATTER = 16
#: With so many records in a cell at most, numpy draws a binomial by going along its chances.
_FEW = 60


class UnrelatedQuestion(Mechanism):
    """[Zhan & Matwin 2.2] The private record with probability q, else a personal one.

    Parameters
    ----------
    q
        Probability of the private record.
    personal
        The known distribution of the personal records: ``None`` for independent answers, all
        levels equally likely (fair bits, W_y = 1/2); a mapping from attribute names to
        probabilities of their levels, independent of each other (attributes not named: equally
        likely); or a :class:`~ppdm.table.Table` with the joint distribution.

    Binary and categorical attributes are treated alike.

    >>> import pandas as pd
    >>> from ppdm import count
    >>> answers = count(pd.DataFrame({"A": [1, 1, 1, 0]}))
    >>> scheme = UnrelatedQuestion(0.5)
    >>> scheme.apply(answers).dense
    array([1.5, 2.5])
    >>> scheme.undo(scheme.apply(answers)).dense
    array([1., 3.])
    """

    def __init__(
        self, q: float, personal: Mapping[str, Sequence[float]] | Table | None = None
    ) -> None:
        if not 0 <= q <= 1:
            raise ValueError(f"q is a probability, from 0 to 1; got {q!r}")
        self.q = float(q)
        self.personal: Table | dict[str, np.ndarray] | None = None
        if isinstance(personal, Table):
            self.personal = personal.proportions()
            if self.personal.values.min() < 0:
                raise ValueError("the personal distribution has a negative probability")
        elif personal is not None:
            self.personal = {name: _distribution(name, p) for name, p in personal.items()}
        self._pairs: dict[tuple[Domain, str], Pairs] = {}

    def __getstate__(self) -> dict[str, object]:
        """What it is, without what it has worked out: its checksum stays the same when it is used."""
        return vars(self) | {"_pairs": {}}

    def __repr__(self) -> str:
        return f"UnrelatedQuestion(q={self.q:g}, personal={self.personal})"

    # -- the respondent --------------------------------------------------------------------

    @property
    def named(self) -> tuple[str, ...] | None:
        if isinstance(self.personal, Table):
            return self.personal.names
        return None if self.personal is None else tuple(self.personal)

    def protects(self, name: str) -> bool:
        return True

    def disguise_codes(
        self, codes: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        private = rng.random(len(codes)) < self.q
        return np.where(private, codes, self._personal_codes(domain, len(codes), rng))

    def disguise_digits(
        self, digits: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        private = rng.random(len(digits)) < self.q
        return np.where(private[:, None], digits, self._personal_digits(domain, len(digits), rng))

    def disguise_table(self, table: Table, rng: np.random.Generator) -> Table:
        rng = generator(rng)
        self.check_all(table.domain)
        reports, strangers = _kept(table.values, self.q, rng)
        if strangers < 0:
            whole_counts(table)  # says which number is no count
        if _SCATTER * table.domain.size < strangers:  # cheaper to draw counts than records
            numbers = rng.multinomial(strangers, self.personal_distribution(table.domain))
            drawn = Table(table.domain, numbers)
            drawn = drawn.sparsified() if table.is_sparse else drawn
            return Table(table.domain, reports, table.cells) + drawn
        personal = self._personal_codes(table.domain, strangers, rng)
        if not table.is_sparse:
            _add_ones(reports, personal)
            return Table(table.domain, reports)
        cells = np.concatenate([table.cells, personal])
        return aggregated(table.domain, cells, np.concatenate([reports, np.ones(strangers)]))

    def _personal_codes(self, domain: Domain, number: int, rng: np.random.Generator) -> np.ndarray:
        if self.personal is None:
            return rng.integers(domain.size, size=number)
        if isinstance(self.personal, Table):
            cells, chances = _part(self.personal, domain).occupied()
            return rng.choice(cells, size=number, p=chances / chances.sum())
        codes = np.zeros(number, dtype=np.int64)
        for name, levels, stride in zip(domain.names, domain.levels, domain.strides, strict=True):
            codes += stride * rng.choice(len(levels), size=number, p=self._answer(name, levels))
        return codes

    def _personal_digits(self, domain: Domain, number: int, rng: np.random.Generator) -> np.ndarray:
        if isinstance(self.personal, Table):
            return domain.digits(self._personal_codes(domain, number, rng))
        pairs = zip(domain.names, domain.levels, strict=True)
        answers = [
            rng.choice(len(levels), number, p=self._answer(n, levels)) for n, levels in pairs
        ]
        return np.column_stack(answers)

    # -- the collector ---------------------------------------------------------------------

    def apply(self, table: Table) -> Table:
        self.check_part(table.domain)
        stranger = self.personal_distribution(table.domain) * ((1 - self.q) * table.total)
        return Table(table.domain, self.q * table.densified().values + stranger)

    def undo(self, table: Table) -> Table:
        """[Zhan & Matwin, Eq. 1] The estimated table of private records."""
        self.check_part(table.domain)
        self._check_informative()
        if self.q == 1:
            return table
        stranger = self.personal_distribution(table.domain) * ((1 - self.q) * table.total)
        return Table(table.domain, (table.densified().values - stranger) / self.q)

    def undo_pairs(self, pairs: Pairs) -> Pairs:
        """:meth:`undo` of all tables of two at once, and of the classes; the same linear map."""
        self.check_part(pairs.domain)
        self._check_informative()
        if self.q == 1:
            return pairs
        stranger, number = self._personal_pairs(pairs), (1 - self.q) * pairs.totals.sum()
        values = (pairs.values - stranger.values * number) / self.q
        totals = (pairs.totals - stranger.totals * number) / self.q
        return Pairs(pairs.domain, pairs.target, values, totals)

    def unbiased(self, right: Callable, codes: np.ndarray, domain: Domain) -> np.ndarray:
        """[Zhan & Matwin 2.4] (right(report) - (1-q) E right(Y)) / q."""
        self.check_part(domain)
        self._check_informative()
        everywhere = right(domain.digits(np.arange(_enumerable(domain))))
        stranger = everywhere @ self.personal_distribution(domain)
        return (right(domain.digits(codes)) - (1 - self.q) * stranger) / self.q

    def _check_informative(self) -> None:
        if self.q == 0:
            raise ValueError("q must not be 0: then no record is private and nothing can be undone")

    def personal_distribution(self, domain: Domain) -> np.ndarray:
        """The probability of every personal record over a (marginal) domain."""
        size = _enumerable(domain)
        if self.personal is None:
            return np.full(size, 1 / size)
        if isinstance(self.personal, Table):
            return _part(self.personal, domain).densified().values
        answers = (self._answer(*pair) for pair in zip(domain.names, domain.levels, strict=True))
        return reduce(np.multiply.outer, answers).reshape(-1)

    def _personal_pairs(self, pairs: Pairs) -> Pairs:
        """The same of pairs of personal answers; kept, since every repetition asks for it."""
        known = pairs.domain, pairs.target
        if known not in self._pairs:
            self._pairs[known] = pairs.mapped(
                lambda table: Table(table.domain, self.personal_distribution(table.domain))
            )
        return self._pairs[known]

    def _answer(self, name: str, levels: tuple) -> np.ndarray:
        known = self.personal if isinstance(self.personal, dict) else {}
        probabilities = known.get(name)
        if probabilities is None:
            return np.full(len(levels), 1 / len(levels))
        if len(probabilities) != len(levels):
            raise ValueError(
                f"{name!r} has {len(levels)} levels; {len(probabilities)} probabilities given"
            )
        return probabilities

    # -- the attacker ----------------------------------------------------------------------

    def epsilon(self, attribute: str | None = None, domain: Domain | None = None) -> float:
        """Local differential privacy of one answer, or of the whole record.

        A report r has chance q + (1-q) P(Y=r) if it is the true value and (1-q) P(Y=r) if not.

        >>> from ppdm import Domain
        >>> round(UnrelatedQuestion(0.5).epsilon("A", Domain(("A",), ((0, 1),))), 6)
        1.098612
        """
        if domain is None:
            raise ValueError("epsilon of an unrelated question needs the domain of the answers")
        if attribute is not None:
            domain = domain.only([attribute])
        elif self.personal is None:  # no need to list 2^d equal probabilities
            return epsilon_of_private(self.q, 1 / domain.size)
        return epsilon_of_private(self.q, self.personal_distribution(domain).min())

    def likelihood(self, report: np.ndarray, domain: Domain) -> np.ndarray:
        code = domain.codes(np.asarray(report)[None])[0]
        chances = np.full(domain.size, (1 - self.q) * self.personal_distribution(domain)[code])
        chances[code] += self.q
        return chances

    def _likeliest(self, prior: Table) -> np.ndarray:
        self.check_part(prior.domain)
        values = prior.densified().values
        stranger = (1 - self.q) * self.personal_distribution(prior.domain)
        # max over x of (q [x = r] + stranger(r)) P(x)
        return np.maximum((self.q + stranger) * values, stranger * values.max())

    def _told_truth(self, prior: Table) -> Table:
        return prior * self.q

    def truth_of_reports(self, prior: Table, reports: np.ndarray) -> np.ndarray:
        """[Zhan & Matwin 1] P(the private record was sent | report), for coded reports."""
        known = dict(zip(*(part.tolist() for part in prior.proportions().occupied()), strict=True))
        private = self.q * np.array([known.get(code, 0.0) for code in np.asarray(reports).tolist()])
        if self.personal is None:
            stranger = np.full(len(private), 1 / prior.domain.size)
        else:
            stranger = self.personal_distribution(prior.domain)[reports]
        with np.errstate(invalid="ignore"):
            return private / (private + (1 - self.q) * stranger)


@njit(cache=True)
def _kept(counts: np.ndarray, q: float, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """How many records of each cell are sent as they are, and the number of all others.

    The number is -1 if something is no whole count. The draws are those of `rng.binomial`; in cells
    with few records its chances are looked up: most cells are such, and many have equal numbers.
    """
    kept = np.zeros(len(counts))
    chances, last = np.zeros((_FEW + 1, _FEW + 1)), np.full(_FEW + 1, -1)
    strangers = 0
    for cell in range(len(counts)):
        number = int(counts[cell])
        if number != counts[cell] or number < 0:
            return kept, -1
        if number == 0 or q == 0:
            private = 0
        elif number > _FEW:
            private = rng.binomial(number, q)
        else:
            if last[number] < 0:
                last[number] = _binomial_chances(number, min(q, 1 - q), chances[number])
            rarer = _drawn(chances[number], last[number], rng)
            private = rarer if q <= 0.5 else number - rarer
        kept[cell] = private
        strangers += number - private
    return kept, strangers


def _part(personal: Table, domain: Domain) -> Table:
    """The personal answers to the questions of a domain."""
    joint = personal.marginal(*domain.names)
    if joint.levels != domain.levels:
        raise ValueError("the personal table and the records have different levels")
    return joint


@njit(cache=True)
def _binomial_chances(n: int, p: float, chances: np.ndarray) -> int:
    """Fill in the chances of 0, 1, 2, ... out of n, as numpy does; returns where it stops."""
    chances[0] = np.exp(n * np.log(1 - p))
    for x in range(1, n + 1):
        chances[x] = ((n - x + 1) * p * chances[x - 1]) / (x * (1 - p))
    return min(n, int(n * p + 10 * np.sqrt(n * p * (1 - p) + 1)))


@njit(cache=True)
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


@njit(cache=True)
def _add_ones(counts: np.ndarray, cells: np.ndarray) -> None:
    for cell in cells:
        counts[cell] += 1


def epsilon_of_private(q: float, rarest: float) -> float:
    """Local differential privacy where the rarest personal answer has this probability.

    >>> round(epsilon_of_private(0.5, 0.5), 6)
    1.098612
    """
    return math.inf if q == 1 or rarest == 0 else math.log1p(q / ((1 - q) * rarest))


def _distribution(name: str, probabilities: Sequence[float]) -> np.ndarray:
    p = np.asarray(probabilities, dtype=float)
    if p.ndim != 1 or (p < 0).any() or abs(p.sum() - 1) > 1e-9:
        raise ValueError(
            f"the personal answers to {name!r} need probabilities that sum to one; got {p.tolist()}"
        )
    return p / p.sum()


@lru_cache(maxsize=64)
def _enumerable(domain: Domain) -> int:
    if domain.size > DENSE_LIMIT:
        raise ValueError(
            f"{domain.size:.3g} possible personal records cannot be listed; "
            "undo marginals of fewer attributes instead"
        )
    return domain.size
