"""The mechanism that a survey binds: it disguises, and undoes, exactly what is written there.

Names and levels come from the survey and from nowhere else. So one respondent alone is disguised
as one of a million, and records or tables that do not match the survey are refused. The scheme
works channel by channel: no code of a whole record is needed, and any number of questions will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ppdm.channel import Channel
from ppdm.contract import Survey, groups, members
from ppdm.disguise.matrix import RRMatrix, warner
from ppdm.disguise.mechanism import Mechanism
from ppdm.disguise.multigroup import MultiGroup
from ppdm.disguise.unrelated import UnrelatedQuestion
from ppdm.domain import Domain, Levels, listed


def scheme_of(survey: Survey) -> Scheme:
    """The mechanism that a survey binds.

    Parameters
    ----------
    survey
        What is asked, and how each answer is protected.

    Returns
    -------
    Scheme
        It disguises, undoes and is guessed like any other, and refuses what does not match the survey.

    Raises
    ------
    ValueError
        If an answer could not be undone.

    Examples
    --------
    >>> survey = Survey(
    ...     {"smokes": ["no", "yes"], "age": ["young", "old"]},
    ...     [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}],
    ... )
    >>> scheme = scheme_of(survey)
    >>> one = pd.DataFrame({"smokes": ["yes"], "age": ["old"]})
    >>> scheme.disguise(one, np.random.default_rng(1)).values.tolist()
    [['yes', 'old']]
    >>> from ppdm import count
    >>> scheme.undo(count(one, scheme)).marginal("smokes").dense.round(2)
    array([-0.75,  1.75])
    """
    return Scheme(survey)


class Scheme(Mechanism):
    """The mechanism of a survey: see :func:`scheme_of`.

    `answers` and `reports` are the domains of what is true and of what is sent: ``count(disguised,
    scheme)`` counts reports and refuses what is none.

    >>> from ppdm import Table
    >>> scheme = Scheme(Survey(
    ...     {"A": ["no", "yes"], "B": ["no", "yes"]},
    ...     [{"mechanism": "multi-group", "theta": 0.8, "groups": [["A"], ["B"]]}],
    ... ))
    >>> scheme.undo(Table(scheme.reports.only(["B"]), [3, 7]).reported_by(scheme)).dense.round(3)
    array([1.667, 8.333])
    >>> Table(Domain(("b",), (("no", "yes"),)), [3, 7]).reported_by(scheme)
    Traceback (most recent call last):
    ValueError: the table has the attributes b, which the survey does not ask; it asks A, B
    """

    def __init__(self, survey: Survey) -> None:
        if not isinstance(survey, Survey):
            raise ValueError(f"a scheme is made from a survey; got {survey!r}")
        self.survey = survey
        self.answers = survey.domain
        self.parts = tuple(_parts(survey))
        self.reports = self.on(self.answers).reported

    def __repr__(self) -> str:
        title = f"{self.survey.title!r}, " if self.survey.title else ""
        return f"<Scheme of the survey {title}{self.survey.fingerprint}>"

    @property
    def named(self) -> tuple[str, ...]:
        return self.survey.names

    def protects(self, name: str) -> bool:
        return name in self.survey.protected

    def channels(self, domain: Domain) -> list[Channel]:
        return [
            channel
            for part in self.parts
            if any(name in domain.names for name in part.named or ())
            for channel in part.channels(domain)
        ]

    def _own_domain(self, attribute: str | None) -> Domain:
        return self.answers

    # -- what matches ----------------------------------------------------------------------

    def check_all(self, domain: Domain) -> None:
        self.check_part(domain)
        missing = [name for name in self.named if name not in domain.names]
        if missing:
            raise ValueError(
                f"the records lack {listed(missing)}; the survey asks {listed(self.named)}"
            )

    def check_part(self, domain: Domain) -> None:
        self._refuse_others(domain, self.answers, "answers")

    def true_domain(self, reported: Domain) -> Domain:
        """The domain of the true answers behind a domain of reports."""
        self._refuse_others(reported, self.reports, "reports")
        return reported.with_levels(dict(zip(self.answers.names, self.answers.levels, strict=True)))

    @staticmethod
    def _refuse_others(domain: Domain, asked: Domain, what: str) -> None:
        """Refuse attributes and levels that are not the survey's."""
        unknown = [name for name in domain.names if name not in asked.names]
        if unknown:
            raise ValueError(
                f"the table has the attributes {listed(unknown)}, which the survey does not ask; "
                f"it asks {listed(asked.names)}"
            )
        for name, levels in zip(domain.names, domain.levels, strict=True):
            theirs = asked.levels[asked.axis(name)]
            if levels != theirs:
                raise ValueError(
                    f"the table has the levels {listed(levels)} of {name!r}; "
                    f"the {what} of the survey are {listed(theirs)}, in this order"
                )

    def disguise(
        self, frame: pd.DataFrame, rng: np.random.Generator, levels: Levels = None
    ) -> pd.DataFrame:
        """Disguise records one by one; they have to match the survey."""
        if levels is not None:
            raise ValueError("the levels are those of the survey: leave out levels=")
        return super().disguise(frame, rng, self.answers)


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
            if spec["q"] == 0:
                raise ValueError(
                    "q must not be 0: then no record is private and nothing can be undone"
                )
            yield UnrelatedQuestion(spec["q"], spec.get("personal") or {}, groups(spec))
        else:
            for name in members(spec):
                levels = survey.attributes[name]
                ends = [level for level in levels if level != spec.get("absent", levels)]
                M = _MATRICES[kind](spec, len(ends))
                own = spec.get("outputs") or _OUTPUTS.get(kind, tuple)(ends)
                if len(ends) < len(levels):
                    M, own = _with_absent(M, own, levels[-1])
                matrices[name], outputs[name] = M, own
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


#: M[y, x] of one attribute with n levels, from the words of its protection.
_MATRICES: Mapping[str, Callable[[Mapping[str, Any], int], np.ndarray]] = {
    "warner": lambda spec, n: warner(spec["p"], n)[0],
    "k-rr": lambda spec, n: warner(spec["p"], n)[0],
    "forced-response": lambda spec, n: (
        spec["truth"] * np.eye(n) + np.array(spec["forced"])[:, None]
    ),
    "matrix": lambda spec, n: np.array(spec["matrix"]),
    "triangular": lambda spec, n: _yes_to_one(spec["p"]),
    "crosswise": lambda spec, n: warner(spec["p"], n)[0],
    "extended-crosswise": lambda spec, n: (
        np.vstack([warner(spec["p"], n)[0], warner(1 - spec["p"], n)[0]]) / 2
    ),
    "cheating-detection": lambda spec, n: np.vstack([_yes_to_one(f) for f in spec["halves"]]) / 2,
}


def _yes_to_one(p: float) -> np.ndarray:
    """The second answer is reported where it, or something else of probability p, is true."""
    return np.array([[1 - p, 0.0], [p, 1.0]])


def _with_absent(M: np.ndarray, outputs: Sequence, absent: object) -> tuple[np.ndarray, tuple]:
    """A last answer that is sent as it is, from either half."""
    halves = len(M) // 2
    rows = [
        np.vstack([np.column_stack([M[2 * h : 2 * h + 2], np.zeros(2)]), [0, 0, 1 / halves]])
        for h in range(halves)
    ]
    labels = [outputs[2 * h : 2 * h + 2] for h in range(halves)]
    last = [absent] if halves == 1 else [f"{half}: {absent}" for half in "AB"]
    return np.vstack(rows), tuple(x for own, y in zip(labels, last, strict=True) for x in (*own, y))


def _in_halves(levels: Sequence) -> tuple[str, ...]:
    """The reports of two halves.

    >>> _in_halves(("no", "yes"))
    ('A: no', 'A: yes', 'B: no', 'B: yes')
    """
    return tuple(f"{half}: {level}" for half in "AB" for level in levels)


_CROSSWISE = ("exactly one", "both or neither")
#: What is reported, where that is no level.
_OUTPUTS: Mapping[str, Callable[[Sequence], Sequence]] = {
    "crosswise": lambda levels: _CROSSWISE,
    "extended-crosswise": lambda levels: _in_halves(_CROSSWISE),
    "cheating-detection": _in_halves,
}
