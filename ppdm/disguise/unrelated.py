"""[Zhan & Matwin 2.2] Multi-variant randomized response, the unrelated-question model.

A respondent sends her private record with probability q, else a personal record Y whose
distribution is known. For any logical expression A and the same expression over Y

    P*(A) = q P(A) + (1-q) P(Y)                                                       (Eq. 1)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ppdm.channel import Mixture, Personal
from ppdm.disguise.mechanism import Mechanism
from ppdm.disguise.multigroup import as_groups, present
from ppdm.domain import Domain, Frozen, held
from ppdm.levels import probability
from ppdm.table import Table


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
    groups
        Lists of attribute names, each with a coin of its own; what is in none is open. ``None``, the
        paper's, throws one coin for the whole record.

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
        self,
        q: float,
        personal: Mapping[str, Sequence[float]] | Table | None = None,
        groups: Sequence[Sequence[str]] | None = None,
    ) -> None:
        self.q = probability("q", q)
        self.personal = _personal(personal)
        self.groups = None if groups is None else as_groups(groups)

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", groups={self.groups}"
        return f"UnrelatedQuestion(q={self.q:g}, personal={self.personal}{groups})"

    @property
    def named(self) -> tuple[str, ...] | None:
        if self.groups is not None:
            return tuple(name for group in self.groups for name in group)
        if isinstance(self.personal, Table):
            return self.personal.names
        return None if self.personal is None else tuple(self.personal)

    def protects(self, name: str) -> bool:
        return self.groups is None or name in (self.named or ())

    def channels(self, domain: Domain) -> list[Mixture]:
        parts = [domain.only(group) for group in present(self.groups, domain)]
        whole = self.groups is None
        return [Mixture(part, part, self.q, self.personal_answers(part), whole) for part in parts]

    def undo(
        self, table: Table, personal: Mapping[str, Sequence[float]] | Table | None = None
    ) -> Table:
        """[Zhan & Matwin, Eq. 1] :meth:`Mechanism.undo`; the personal answers' distribution may be one
        that was estimated since the survey.

        >>> domain = Domain(("A",), ((0, 1),))
        >>> sent = UnrelatedQuestion(0.5, {"A": [0.9, 0.1]}).apply(Table(domain, [60, 40]))
        >>> UnrelatedQuestion(0.5, {"A": [0.9, 0.1]}).undo(sent, {"A": [0.8, 0.2]}).dense
        array([70., 30.])
        """
        if personal is None:
            return super().undo(table)
        self.check_reports(table)
        estimated = UnrelatedQuestion(self.q, personal, self.groups)
        return estimated.undo(table.of_kind(estimated.kind_of_reports(table.domain)))

    def _declares(self, names: Sequence[str]) -> Mapping[str, tuple]:
        if not isinstance(self.personal, Table):
            return {}
        pairs = zip(self.personal.names, self.personal.levels, strict=True)
        return {name: levels for name, levels in pairs if name in names}

    def personal_answers(self, domain: Domain) -> Personal:
        """The distribution of the personal answers to some questions.

        >>> UnrelatedQuestion(0.5).personal_answers(Domain(("A",), ((0, 1),))).chances
        array([0.5, 0.5])
        """
        if isinstance(self.personal, Table):
            joint = self.personal.marginal(*domain.names)
            if joint.levels != domain.levels:
                raise ValueError("the personal table and the records have different levels")
            return Personal(domain, joint=joint.occupied())
        if self.personal is None and self.groups is None:
            return Personal(domain)
        pairs = zip(domain.names, domain.levels, strict=True)
        return Personal(domain, tuple(self._answer(*pair) for pair in pairs))

    def _answer(self, name: str, levels: tuple) -> np.ndarray:
        personal = self.personal if isinstance(self.personal, Mapping) else {}
        probabilities = personal.get(name)
        if probabilities is None:
            return np.full(len(levels), 1 / len(levels))
        if len(probabilities) != len(levels):
            raise ValueError(
                f"{name!r} has {len(levels)} levels; {len(probabilities)} probabilities given"
            )
        return probabilities

    def truth_of_reports(self, prior: Table, reports: np.ndarray) -> np.ndarray:
        """[Zhan & Matwin 1] P(the private record was sent | report), for coded reports."""
        share_of = dict(
            zip(*(part.tolist() for part in prior.proportions().occupied()), strict=True)
        )
        private = self.q * np.array(
            [share_of.get(code, 0.0) for code in np.asarray(reports).tolist()]
        )
        if self.personal is None:
            stranger = np.full(len(private), 1 / prior.domain.size)
        else:
            stranger = self.personal_answers(prior.domain).chances[reports]
        with np.errstate(invalid="ignore"):
            return private / (private + (1 - self.q) * stranger)


def _personal(given: Mapping | Table | None) -> Mapping[str, np.ndarray] | Table | None:
    if isinstance(given, Table):
        if given.values.min() < 0:
            raise ValueError("the personal distribution has a negative probability")
        return given.proportions()
    if given is None:
        return None
    return Frozen({name: _distribution(name, p) for name, p in given.items()})


def _distribution(name: str, probabilities: Sequence[float]) -> np.ndarray:
    p = np.array(probabilities, dtype=float)
    if p.ndim != 1 or (p < 0).any() or abs(p.sum() - 1) > 1e-9:
        raise ValueError(
            f"the personal answers to {name!r} need probabilities that sum to one; got {p.tolist()}"
        )
    return held(p / p.sum())
