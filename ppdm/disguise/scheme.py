"""The mechanism that a survey binds: it disguises, and undoes, exactly what is written there.

Names and levels come from the survey and from nowhere else. So one respondent alone is disguised
as one of a million, and records or tables that do not match the survey are refused. The scheme
works protection by protection, group by group: no code of a whole record is needed, and any number
of questions will do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from ppdm.chance import generator
from ppdm.contract import Survey, groups, members
from ppdm.disguise.matrix import RRMatrix
from ppdm.disguise.mechanism import Mechanism, collect
from ppdm.disguise.multigroup import MultiGroup
from ppdm.disguise.unrelated import UnrelatedQuestion, epsilon_of_private
from ppdm.table import Domain, Levels, Table, listed, whole_counts

#: Up to so many personal answers of a group, their numbers are drawn instead of the answers.
_FEW = 64
#: No more records than this are looked at for one estimate.
_MOST = 50_000_000


def scheme_of(survey: Survey) -> Scheme:
    """The mechanism that a survey binds.

    >>> survey = Survey(
    ...     {"smokes": ["no", "yes"], "age": ["young", "old"]},
    ...     [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}],
    ... )
    >>> scheme = scheme_of(survey)
    >>> one = pd.DataFrame({"smokes": ["yes"], "age": ["old"]})
    >>> scheme.disguise(one, np.random.default_rng(1)).values.tolist()
    [['yes', 'old']]
    >>> from ppdm import count
    >>> scheme.undo(count(one, survey)).marginal("smokes").dense.round(2)
    array([-0.75,  1.75])
    """
    return Scheme(survey)


def bound(mechanism: Mechanism | Survey | None, survey: Survey | None = None) -> Mechanism | None:
    """A mechanism as it holds for a survey; a survey alone is bound to its own protection.

    >>> survey = Survey({"A": ["no", "yes"], "B": ["no", "yes"]})
    >>> bound(MultiGroup(0.8, [["A", "B"]]), survey).survey.protection
    ({'mechanism': 'multi-group', 'theta': 0.8, 'groups': (('A', 'B'),)},)
    """
    if isinstance(mechanism, Survey):
        return Scheme(mechanism)
    if survey is None or mechanism is None:
        return mechanism
    return Scheme(replace(survey, protection=plain(mechanism, survey)))


def plain(mechanism: Mechanism, survey: Survey) -> list[dict[str, Any]]:
    """A mechanism as the protection of a survey: lists, strings and numbers.

    >>> plain(MultiGroup(0.8), Survey({"A": ["no", "yes"], "B": ["no", "yes"]}))
    [{'mechanism': 'multi-group', 'theta': 0.8, 'groups': [['A', 'B']]}]
    """
    if isinstance(mechanism, Scheme):
        return mechanism.survey.to_plain()["protection"]
    mechanism.check_all(survey.domain)
    if isinstance(mechanism, MultiGroup):
        parts = [list(survey.names)] if mechanism.groups is None else mechanism.groups
        spec = {"theta": mechanism.theta, "absent": mechanism.absent}
        return [_spec("multi-group", **spec, groups=[list(group) for group in parts])]
    if isinstance(mechanism, UnrelatedQuestion):
        if isinstance(mechanism.personal, Table):
            raise ValueError("a survey has no room for a joint table of personal answers")
        personal = {name: p.tolist() for name, p in (mechanism.personal or {}).items()} or None
        everything = [list(survey.names)]
        return [_spec("unrelated-question", q=mechanism.q, personal=personal, groups=everything)]
    if isinstance(mechanism, RRMatrix):
        reports = mechanism.reported(survey.domain)  # fits, or says why not
        return [
            _spec(
                "matrix",
                matrix=matrix.tolist(),
                outputs=list(reports.levels[reports.axis(name)]),
                prior=mechanism.prior[key].tolist() if key in mechanism.prior else None,
                attributes=[name],
            )
            for key, matrix in mechanism.matrices.items()
            for name in [survey.names[0] if key is None else key]
        ]
    raise ValueError(f"{type(mechanism).__name__} has no form as plain data")


def _spec(kind: str, **keys: Any) -> dict[str, Any]:
    return {"mechanism": kind, **{key: value for key, value in keys.items() if value is not None}}


class Scheme(Mechanism):
    """The mechanism of a survey: see :func:`scheme_of`.

    `answers` and `reports` are the domains of what is true and of what is sent: ``count(disguised,
    scheme)`` counts reports and refuses what is none.

    >>> scheme = Scheme(Survey(
    ...     {"A": ["no", "yes"], "B": ["no", "yes"]},
    ...     [{"mechanism": "multi-group", "theta": 0.8, "groups": [["A"], ["B"]]}],
    ... ))
    >>> scheme.undo(Table(scheme.reports.only(["B"]), [3, 7])).dense.round(3)
    array([1.667, 8.333])
    >>> scheme.undo(Table(Domain(("b",), (("no", "yes"),)), [3, 7]))
    Traceback (most recent call last):
    ValueError: the table has the attributes b, which are not asked; asked is A, B
    """

    def __init__(self, survey: Survey) -> None:
        if not isinstance(survey, Survey):
            raise ValueError(f"a scheme is made from a survey; got {survey!r}")
        self.survey = survey
        self.answers = survey.domain
        self.parts = tuple(_parts(survey))
        self.reports = self.answers
        for part in self.parts:
            self.reports = part.reported(self.reports)

    def __repr__(self) -> str:
        title = f"{self.survey.title!r}, " if self.survey.title else ""
        return f"<Scheme of the survey {title}{self.survey.fingerprint}: {list(self.parts)}>"

    @property
    def named(self) -> tuple[str, ...]:
        return self.survey.names

    def protects(self, name: str) -> bool:
        return name in self.survey.protected

    # -- what matches ----------------------------------------------------------------------

    def check_all(self, domain: Domain) -> None:
        self.check_part(domain)
        missing = [name for name in self.named if name not in domain.names]
        if missing:
            raise ValueError(f"the records lack {listed(missing)}; asked is {listed(self.named)}")

    def check_part(self, domain: Domain) -> None:
        self._matching(domain, self.answers)

    def _matching(self, domain: Domain, asked: Domain) -> Domain:
        """The domain as a part of what is asked; refused if it is none."""
        unknown = [name for name in domain.names if name not in asked.names]
        if unknown:
            raise ValueError(
                f"the table has the attributes {listed(unknown)}, which are not asked; "
                f"asked is {listed(asked.names)}"
            )
        for name, levels in zip(domain.names, domain.levels, strict=True):
            expected = asked.levels[asked.axis(name)]
            if levels != expected:
                kind = "reports" if asked is self.reports else "answers"
                raise ValueError(
                    f"the table has the levels {listed(levels)} of {name!r}; "
                    f"the {kind} of the survey are {listed(expected)}, in this order"
                )
        return Domain(domain.names, domain.levels, asked.names)

    def _part_of(self, table: Table, asked: Domain) -> Table:
        return Table(self._matching(table.domain, asked), table.values, table.cells)

    # -- the respondent --------------------------------------------------------------------

    def disguise(
        self, frame: pd.DataFrame, rng: np.random.Generator, levels: Levels = None
    ) -> pd.DataFrame:
        """Disguise records one by one; they have to match the survey."""
        if levels is not None:
            raise ValueError("the levels are those of the survey: leave out levels=")
        return super().disguise(frame, rng, self.answers)

    def disguise_codes(
        self, codes: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        digits = self.disguise_digits(domain.digits(codes), domain, rng)
        return self.reported(domain).codes(digits)

    def disguise_digits(
        self, digits: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        for part in self.parts:
            digits, domain = part.disguise_digits(digits, domain, rng), part.reported(domain)
        return digits

    def disguise_table(self, table: Table, rng: np.random.Generator) -> Table:
        rng = generator(rng)
        self.check_all(table.domain)
        return reduce(lambda so_far, part: part.disguise_table(so_far, rng), self.parts, table)

    # -- the collector ---------------------------------------------------------------------

    def reported(self, domain: Domain) -> Domain:
        domain = self._matching(domain, self.answers)
        return reduce(lambda so_far, part: part.reported(so_far), self.parts, domain)

    def true_domain(self, reported: Domain) -> Domain:
        """The domain of the true answers behind a domain of reports."""
        domain = self._matching(reported, self.reports)
        return domain.with_levels(dict(zip(self.answers.names, self.answers.levels, strict=True)))

    def apply(self, table: Table) -> Table:
        table = self._part_of(table, self.answers)
        return reduce(lambda so_far, part: part.apply(so_far), self.parts, table)

    def undo(self, table: Table) -> Table:
        """The estimated table of true answers, undone protection by protection."""
        table = self._part_of(table, self.reports)
        return reduce(lambda so_far, part: part.undo(so_far), reversed(self.parts), table)

    def unbiased(self, right: Callable, codes: np.ndarray, domain: Domain) -> np.ndarray:
        domain = self.true_domain(domain)
        estimate = right
        for part in self.parts:
            domain = part.reported(domain)
            estimate = _estimator(part, estimate, domain)
        return estimate(domain.digits(codes))

    # -- the attacker ----------------------------------------------------------------------

    def epsilon(self, attribute: str | None = None, domain: Domain | None = None) -> float:
        """Local differential privacy of one answer, or of the whole record."""
        asked = self.answers if domain is None else self._matching(domain, self.answers)
        if attribute is not None:
            asked.axis(attribute)
            part = next((part for part in self.parts if attribute in (part.named or ())), None)
            return math.inf if part is None else part.epsilon(attribute, asked.only([attribute]))
        if any(not self.protects(name) for name in asked.names):
            return math.inf
        held = [(part, [n for n in asked.names if n in (part.named or ())]) for part in self.parts]
        return float(sum(part.epsilon(domain=asked.only(names)) for part, names in held if names))

    def _likeliest(self, prior: Table) -> np.ndarray:
        table = self._part_of(prior, self.answers)
        for part in self.parts:
            table = Table(part.reported(table.domain), part._likeliest(table))
        return table.densified().values

    def _told_truth(self, prior: Table) -> Table:
        table = self._part_of(prior, self.answers)
        return reduce(lambda so_far, part: part._told_truth(so_far), self.parts, table)


def _estimator(part: Mechanism, right: Callable, domain: Domain) -> Callable:
    return lambda digits: part.unbiased(right, domain.codes(digits), domain)


# -- from the survey's words to mechanisms ---------------------------------------------------


def _parts(survey: Survey) -> Iterable[Mechanism]:
    """The mechanisms of the protections; all matrices are one of them."""
    matrices: dict[str, np.ndarray] = {}
    outputs: dict[str, Sequence] = {}
    priors: dict[str, Sequence[float]] = {}
    for spec in survey.protection:
        kind = spec["mechanism"]
        if kind == "multi-group":
            if spec["theta"] == 0.5:
                raise ValueError("theta must not be 0.5: the counts carry no information there")
            yield MultiGroup(spec["theta"], groups(spec), spec.get("absent"))
        elif kind == "unrelated-question":
            yield UnrelatedGroups(spec["q"], groups(spec), spec.get("personal") or {})
        else:
            for name in members(spec):
                matrices[name] = _matrix(spec, len(survey.attributes[name]))
                outputs[name] = spec.get("outputs", survey.attributes[name])
                if "prior" in spec:
                    priors[name] = spec["prior"]
    if matrices:
        inputs = {name: survey.attributes[name] for name in matrices}
        scheme = RRMatrix(matrices, outputs, inputs, priors)
        for name in matrices:
            try:
                scheme.left_inverse(name)
            except ValueError as error:
                raise ValueError(f"the answers to {name!r} cannot be undone: {error}") from None
        yield scheme


def _matrix(spec: Mapping[str, Any], n: int) -> np.ndarray:
    """M[y, x] of one attribute with n levels."""
    if spec["mechanism"] in ("warner", "k-rr"):
        return RRMatrix.warner(n, spec["p"]).M
    if spec["mechanism"] == "forced-response":
        return spec["truth"] * np.eye(n) + np.array(spec["forced"])[:, None]
    return np.array(spec["matrix"])


class UnrelatedGroups(Mechanism):
    """The unrelated question asked of groups of attributes, each with a coin of its own.

    `UnrelatedQuestion` is the paper's: one coin for the whole record. Here a respondent sends,
    group by group, her own answers with probability q, else personal ones, which are independent
    of each other; attributes in no group are open.

    >>> scheme = UnrelatedGroups(0.5, [["A"]], {"A": [0.9, 0.1]})
    >>> answers = Table(Domain(("A", "B"), ((0, 1), (0, 1))), [4, 0, 0, 4])
    >>> scheme.apply(answers).dense.round(2)
    array([[3.8, 1.8],
           [0.2, 2.2]])
    >>> scheme.undo(scheme.apply(answers)).dense.round(12)
    array([[4., 0.],
           [0., 4.]])
    """

    def __init__(
        self, q: float, groups: Sequence[Sequence[str]], personal: Mapping[str, Sequence[float]]
    ) -> None:
        self.one = UnrelatedQuestion(q, personal)
        if self.one.q == 0:
            raise ValueError("q must not be 0: then no record is private and nothing can be undone")
        self.q = self.one.q
        self.groups = tuple(tuple(group) for group in groups)

    def __repr__(self) -> str:
        return f"UnrelatedGroups(q={self.q:g}, groups={self.groups})"

    @property
    def named(self) -> tuple[str, ...]:
        return tuple(name for group in self.groups for name in group)

    def groups_in(self, domain: Domain) -> list[list[str]]:
        """The groups, each cut down to the attributes that a (marginal) table has."""
        present = ([n for n in group if n in domain.names] for group in self.groups)
        return [group for group in present if group]

    def _personal(self, domain: Domain, group: Sequence[str]) -> np.ndarray:
        """The probability of each combination of personal answers to a group."""
        part = domain.only(group)
        if self.one.personal is None:
            return np.full(part.size, 1 / part.size)
        answers = [self.one._answer(*pair) for pair in zip(part.names, part.levels, strict=True)]
        return reduce(np.multiply.outer, answers).reshape(-1)

    def disguise_codes(
        self, codes: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        return domain.codes(self.disguise_digits(domain.digits(codes), domain, rng))

    def disguise_digits(
        self, digits: np.ndarray, domain: Domain, rng: np.random.Generator
    ) -> np.ndarray:
        self.check_all(domain)
        digits = np.array(digits, dtype=np.int64)
        for group in self.groups_in(domain):
            private = rng.random(len(digits)) < self.q
            axes = [domain.axis(name) for name in group]
            strangers = self._strangers(domain, axes, len(digits), rng)
            digits[:, axes] = np.where(private[:, None], digits[:, axes], strangers)
        return digits

    def _strangers(
        self, domain: Domain, axes: Sequence[int], number: int, rng: np.random.Generator
    ) -> np.ndarray:
        answers = [self.one._answer(domain.names[axis], domain.levels[axis]) for axis in axes]
        return np.column_stack([rng.choice(len(p), number, p=p) for p in answers])

    def disguise_table(self, table: Table, rng: np.random.Generator) -> Table:
        rng = generator(rng)
        self.check_all(table.domain)
        domain = table.domain
        cells, counts = whole_counts(table)
        digits = domain.digits(cells)
        for group in self.groups_in(domain):
            axes = [domain.axis(name) for name in group]
            private = rng.binomial(counts, self.q)
            others, numbers = self._drawn(digits, counts - private, domain, axes, rng)
            digits = np.concatenate([digits, others])
            counts = np.concatenate([private, numbers])
            digits, counts = digits[counts > 0], counts[counts > 0]
        return collect(domain, domain.codes(digits), counts, like=table)

    def _drawn(
        self,
        digits: np.ndarray,
        strangers: int | np.ndarray,
        domain: Domain,
        axes: list[int],
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Records whose answers to a group are personal ones, and how many there are of each."""
        part = domain.only([domain.names[axis] for axis in axes])
        if part.size <= _FEW:
            drawn = rng.multinomial(strangers, self._personal(domain, part.names))
            rows, reports = np.nonzero(drawn)
            others = digits[rows]
            others[:, axes] = part.digits(reports)
            return others, drawn[rows, reports]
        others = np.repeat(digits, strangers, axis=0)
        others[:, axes] = self._strangers(domain, axes, len(others), rng)
        return others, np.ones(len(others), dtype=np.int64)

    def apply(self, table: Table) -> Table:
        return self._along_groups(
            table, lambda t, y: self.q * t + (1 - self.q) * t.sum(axis=1, keepdims=True) * y
        )

    def undo(self, table: Table) -> Table:
        """[Zhan & Matwin, Eq. 1] within each group."""
        return self._along_groups(
            table, lambda t, y: (t - (1 - self.q) * t.sum(axis=1, keepdims=True) * y) / self.q
        )

    def _along_groups(self, table: Table, turn: Callable) -> Table:
        """A map of the answers to a group, one group after another."""
        self.check_part(table.domain)
        values = table.dense
        for group in self.groups_in(table.domain):
            axes = [table.domain.axis(name) for name in group]
            last = list(range(-len(axes), 0))
            moved = np.moveaxis(values, axes, last)
            personal = self._personal(table.domain, group)
            turned = turn(moved.reshape(-1, len(personal)), personal).reshape(moved.shape)
            values = np.moveaxis(turned, last, axes)
        return Table(table.domain, values.reshape(-1))

    def unbiased(self, right: Callable, codes: np.ndarray, domain: Domain) -> np.ndarray:
        self.check_part(domain)
        estimate = right
        for group in self.groups_in(domain):
            estimate = self._estimator(estimate, domain, group)
        return estimate(domain.digits(codes))

    def _estimator(self, right: Callable, domain: Domain, group: list[str]) -> Callable:
        """[Zhan & Matwin 2.4] (right(report) - (1-q) E right(personal)) / q, in one group."""
        axes, part = [domain.axis(name) for name in group], domain.only(group)

        def estimate(digits: np.ndarray) -> np.ndarray:
            if len(digits) * part.size > _MOST:
                raise ValueError(
                    f"the {part.size:.3g} personal answers to the group {listed(group)} cannot be "
                    "listed for every report: estimate with smaller groups"
                )
            expected, personal = np.zeros(len(digits)), self._personal(domain, group)
            for answers, chance in zip(part.digits(np.arange(part.size)), personal, strict=True):
                other = np.array(digits)
                other[:, axes] = answers
                expected += chance * right(other)
            return (right(digits) - (1 - self.q) * expected) / self.q

        return estimate

    def epsilon(self, attribute: str | None = None, domain: Domain | None = None) -> float:
        if domain is None:
            raise ValueError("epsilon of an unrelated question needs the domain of the answers")
        if attribute is not None:
            domain = domain.only([attribute])
        elif any(name not in self.named for name in domain.names):
            return math.inf
        rarest = [self._personal(domain, group).min() for group in self.groups_in(domain)]
        return math.fsum(epsilon_of_private(self.q, least) for least in rarest) or math.inf

    def _likeliest(self, prior: Table) -> np.ndarray:
        stranger = 1 - self.q
        return self._along_groups(
            prior,
            lambda t, y: np.maximum(
                (self.q + stranger * y) * t, stranger * y * t.max(axis=1, keepdims=True)
            ),
        ).values

    def _told_truth(self, prior: Table) -> Table:
        return prior * self.q ** len(self.groups_in(prior.domain))
