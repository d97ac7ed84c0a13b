"""Shares, pairs and any table, groups and differences, from reports wherever they lie.

The estimate is the unbiased one: it may fall below 0 or rise above 1. Whoever asks for it has the likeliest
shares instead, which lie between 0 and 1; their errors are those of resampled respondents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.chance import generator
from ppdm.contract import Survey
from ppdm.disguise.mechanism import MATRIX_LIMIT, Mechanism
from ppdm.disguise.scheme import Scheme
from ppdm.domain import Domain, listed
from ppdm.estimate import interval
from ppdm.estimate.sample import Design, Sample
from ppdm.estimate.simplex import em
from ppdm.table import Table, count_marginals, names_of

METHODS = ("inversion", "em")
#: What stands beside the answers and the groups in the result.
COLUMNS = (
    "question", "answer", "reports", "reported", "share", "se", "low", "high", "fit", "effective", "deff",
)  # fmt: skip
#: How often respondents are drawn anew.
RESAMPLES = 1_000
#: Values of a report's worth that differ by less are one.
_SAME = 1e-9


def estimate(
    records: Any,
    scheme: Mechanism | Survey,
    of: str | Sequence[str] | None = None,
    by: str | None = None,
    *,
    weights: Any = None,
    design: Design | None = None,
    alpha: float = 0.05,
    method: str = "inversion",
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """The shares of true answers behind reports, a row each, with errors and intervals.

    Parameters
    ----------
    records
        Reports in anything that :func:`ppdm.count` takes, or a table of them. Other columns are left aside.
    scheme
        What disguised them: a survey, or any scheme.
    of
        One question, or a list of several, whose combinations are estimated; without it, all questions
        one by one.
    by
        Shares within the groups of a column: any of the records, or a protected question, whose groups are
        then estimated, too.
    weights, design
        How many people each respondent stands for, and how she was drawn (:class:`Design`).
    alpha
        The chance that an interval misses.
    method
        "inversion", unbiased; or "em": the likeliest shares within 0 and 1.
    rng
        With "em", draws the respondents anew for the errors.

    Returns
    -------
    pandas.DataFrame
        `reports` is the number of respondents, `reported` the share that was reported, `fit` how probable
        such reports are at most, whatever is true (:func:`ppdm.estimate.interval.fit`). With weights or a
        design, `effective` respondents drawn one by one would tell as much, `deff` times fewer. Where no
        interval is right, `low` and `high` are missing.

    Raises
    ------
    ValueError
        If records and scheme do not go together, or the errors cannot be known.

    Examples
    --------
    >>> survey = Survey({"smokes": ["no", "yes"]},
    ...                 [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}])
    >>> reports = pd.DataFrame({"smokes": ["yes"] * 430 + ["no"] * 570})
    >>> estimate(reports, survey).iloc[1][["share", "se", "low", "high"]].astype(float).round(4).tolist()
    [0.325, 0.0392, 0.2477, 0.4034]
    """
    interval.checked_alpha(alpha)
    if method not in METHODS:
        raise ValueError(f"method is one of {listed(METHODS)}; got {method!r}")
    likely = None if method == "inversion" else _Likely(generator(rng), alpha)
    mechanism, joint = _mechanism(scheme), of is not None and not isinstance(of, str)
    sets = _sets(records, mechanism, of, by)
    for name in sets[0] if joint else sets[0][: len(sets[0]) - 1]:
        refuse_taken(name)
    frames = []
    for names, (sample, domain) in zip(
        sets, _samples(records, mechanism, sets, _design(weights, design)), strict=True
    ):
        if by is None or mechanism.protects(by):
            question = _Question(mechanism, domain, by, joint)
            frames.append(question.frame(sample, alpha, likely))
            continue
        question, groups = (
            _Question(mechanism, domain.only(names[1:]), None, joint),
            domain.levels[0],
        )
        for number, group in enumerate(groups):
            part = question.frame(sample.part(number, len(groups)), alpha, likely)
            part.insert(0, by, [group] * len(part))
            frames.append(part)
    if not frames:
        raise ValueError(f"there are no reports, and so no groups by {by!r}")
    return pd.concat(frames, ignore_index=True)


class Difference(NamedTuple):
    """How one answer goes with another: P(a | b) - P(a | not b), with its error and interval.

    >>> Difference(0.2, 0.05, 0.1, 0.3).low
    0.1
    """

    difference: float
    se: float
    low: float
    high: float


def difference(
    records: Any,
    scheme: Mechanism | Survey,
    a: str | Mapping[str, Any],
    b: str | Mapping[str, Any],
    *,
    weights: Any = None,
    design: Design | None = None,
    alpha: float = 0.05,
) -> Difference:
    """Whether two answers go together: the share of one among those with the other, less that among the rest.

    `a` and `b` are questions, of which the last answer is meant ("yes" after "no"), or say which:
    ``{"smokes": "no"}``. Both shares are ratios of estimates; the error is linearized, and where one of the
    two groups might be empty, there is no interval.

    >>> survey = Survey({"A": [0, 1], "B": [0, 1]},
    ...                 [{"mechanism": "warner", "p": 0.9, "attributes": ["A", "B"]}])
    >>> reports = Scheme(survey).apply(Table(survey.domain, [4000, 1000, 1000, 4000]))
    >>> round(difference(reports, survey, "A", "B").difference, 3)
    0.6
    """
    interval.checked_alpha(alpha)
    mechanism = _mechanism(scheme)
    options: dict[str, Any] = {}
    for x in (a, b):
        options |= {x: None} if isinstance(x, str) else x
    if len(options) != 2:
        raise ValueError(f"a difference is between two questions; got {listed(options)}")
    ((sample, domain),) = _samples(records, mechanism, [[*options]], _design(weights, design))
    if not sample.size >= 2:
        raise ValueError(f"an interval needs two reports at least; there are {sample.size:g}")
    truth = mechanism.true_domain(domain)
    at = [-1 if x is None else truth.level(name, x) for name, x in options.items()]
    cells = worth(mechanism, domain).reshape(*truth.shape, -1)
    both, with_a, with_b = (
        cells[at[0], at[1]],
        cells[at[0]].sum(axis=0),
        cells[:, at[1]].sum(axis=0),
    )
    values = np.array([both, with_b, with_a - both, cells.sum(axis=(0, 1)) - with_b])
    n, d, m, e = sample.means(values)
    if not (d > 0 and e > 0):
        return Difference(math.nan, math.nan, math.nan, math.nan)
    covariance = sample.covariance(values)
    slope = np.array([1 / d, -n / d**2, -1 / e, m / e**2])
    gap, se = float(n / d - m / e), math.sqrt(max(slope @ covariance @ slope, 0))
    z = interval.quantile(alpha, sample.freedom)
    sure = interval.surely(d, covariance[1, 1], z) and interval.surely(e, covariance[3, 3], z)
    half = z * se if sure and se > 0 else math.nan
    return Difference(gap, se, gap - half, gap + half)


def worth(scheme: Mechanism, domain: Domain) -> np.ndarray:
    """[cell of true answers, cell of reports]: what one report adds to each estimated share.

    >>> from ppdm import MultiGroup
    >>> worth(MultiGroup(0.75), Domain(("A",), ((0, 1),)))
    array([[ 1.5, -0.5],
           [-0.5,  1.5]])
    """
    if domain.size > MATRIX_LIMIT:
        raise ValueError(
            f"{domain.size:,} combinations are too many for an error of each: name fewer questions"
        )
    units = (Table(domain, unit).reported_by(scheme) for unit in np.eye(domain.size))
    return np.array([scheme.undo(unit).dense.ravel() for unit in units]).T


def refuse_taken(name: str) -> None:
    """A column may not be called like one of the result: one of the two would be lost.

    >>> refuse_taken("se")
    Traceback (most recent call last):
    ValueError: the result has a column 'se' of its own: give yours another name
    """
    if name in COLUMNS:
        raise ValueError(f"the result has a column {name!r} of its own: give yours another name")


# -- the samples -----------------------------------------------------------------------------------


def _mechanism(scheme: Mechanism | Survey) -> Mechanism:
    return Scheme(scheme) if isinstance(scheme, Survey) else scheme


def _design(weights: Any, design: Design | None) -> Design | None:
    """The design, with weights that are given beside it."""
    if weights is None or design is None:
        return design if weights is None else Design(weights)
    if design.weights is not None:
        raise ValueError("weights are given twice: beside the design, and in it")
    return replace(design, weights=weights)


def _sets(
    records: Any, scheme: Mechanism, of: str | Sequence[str] | None, by: str | None
) -> list[list[str]]:
    """The columns of each estimate, the group first; what is not there is refused."""
    columns = list(records.names) if isinstance(records, Table) else names_of(records)
    questions = list(scheme.survey.names) if isinstance(scheme, Scheme) else columns
    names = questions if of is None else [of] if isinstance(of, str) else list(of)
    for name in names:
        if name not in questions or name not in columns:
            lacks = f"the reports lack {name}" if name in questions else f"{name!r} is not asked"
            raise ValueError(
                f"{lacks}; asked is {listed(questions)}, and the columns are {listed(columns)}"
            )
    if by is not None and by not in columns:
        raise ValueError(f"there is no column {by!r} to group by; there are {listed(columns)}")
    groups, names = [by] if by is not None else [], [name for name in names if name != by]
    if not names:
        raise ValueError(f"{by!r} is the only question: nothing is left to be estimated by it")
    parts = [[name] for name in names] if of is None or isinstance(of, str) else [names]
    return [groups + part for part in parts]


def _samples(
    records: Any, scheme: Mechanism, sets: list[list[str]], design: Design | None
) -> list[tuple[Sample, Domain]]:
    """The reports of each set of columns; those of another scheme are refused."""
    levels: Any = None
    if isinstance(scheme, Scheme):
        levels = dict(zip(scheme.reports.names, scheme.reports.levels, strict=True))
    if isinstance(records, Table):
        if design is not None:
            raise ValueError(
                "a design needs the records one by one; of a table's, weights are known"
            )
        tables = [records.marginal(*names) for names in sets]
    else:
        tables = count_marginals(records, sets, levels)
    for table in tables:
        present = [n for n in table.names if levels is None or n in levels]
        scheme.own(table.marginal(*present))
    if design is None:
        return [(Sample.of_table(table), table.domain) for table in tables]
    frame = getattr(records, "records", records)  # as reports() marks those of other engines
    return [Sample.of_records(frame, names, levels, design) for names in sets]


# -- one question, or one table of several ---------------------------------------------------------


class _Question:
    """What each report is worth for the answers to a question, or for the combinations of several."""

    def __init__(self, scheme: Mechanism, domain: Domain, by: str | None, joint: bool) -> None:
        self.by, self.joint, self.domain = by, joint, domain
        self.truth = scheme.true_domain(domain)
        groups = 1 if by is None else self.truth.shape[0]
        #: [group, answer, report]
        self.worth = worth(scheme, domain).reshape(groups, -1, domain.size)
        self.M = scheme.matrix(self.truth)
        self.possible = self.M.any(axis=1)
        #: Whom a share is of: all, or those of an estimated group.
        self.base = np.ones((1, domain.size)) if by is None else self.worth.sum(axis=1)

    def frame(self, sample: Sample, alpha: float, likely: _Likely | None) -> pd.DataFrame:
        """A row for each answer, or combination, in each estimated group."""
        cells = pd.MultiIndex.from_product(self.truth.levels, names=self.truth.names)
        fit, rates = math.nan, np.full(len(cells), np.nan)
        numbers = np.full((*self.worth.shape[:2], 5), np.nan)
        if sample.size:
            numbers = self._numbers(sample, alpha)
            effective = min(sample.effective, sample.size / np.nanmax([1, *numbers[..., 4].flat]))
            fit = interval.fit(sample.sums * (effective / sample.total), self.M)
            if self.by is None:  # the reported group is not the true one
                index = pd.MultiIndex.from_product(self.domain.levels)
                shares = pd.Series(sample.sums / sample.total, index)
                rates = shares.reindex(cells).to_numpy()
            if likely:
                numbers = likely.instead(numbers, sample, self.M)
        share, se, low, high, deff = numbers.reshape(-1, 5).T
        frame = cells.to_frame(index=False)
        if not self.joint:
            frame = frame.set_axis([*self.truth.names[:-1], "answer"], axis=1)
            frame.insert(len(self.truth.names) - 1, "question", self.truth.names[-1])
        frame = frame.assign(
            reports=round(sample.size),
            reported=rates,
            share=share,
            se=se,
            low=low,
            high=high,
            fit=fit,
        )
        return frame.assign(effective=sample.size / deff, deff=deff) if sample.weighed else frame

    def _numbers(self, sample: Sample, alpha: float) -> np.ndarray:
        """[group, answer]: share, standard error, both ends of the interval, design effect."""
        groups, answers, _ = self.worth.shape
        numbers = [self._one(sample, g, x, alpha) for g in range(groups) for x in range(answers)]
        return np.array(numbers).reshape(groups, answers, 5)

    def _one(
        self, sample: Sample, group: int, answer: int, alpha: float
    ) -> tuple[float, float, float, float, float]:
        value, base = both = np.array([self.worth[group, answer], self.base[group]])
        mean, size = sample.means(both)
        if not size:
            return math.nan, math.nan, math.nan, math.nan, 1.0
        share, linear = mean / size, (value - mean / size * base)[None] / size
        variance = float(sample.covariance(linear)[0, 0])
        alike = float(sample.alike.covariance(linear)[0, 0])
        deff = variance / alike if alike > 0 else 1.0
        z = interval.quantile(alpha, sample.freedom)
        if self.by is not None:
            ends = interval.of_ratio(np.array([mean, size]), sample.covariance(both), z)
            return share, math.sqrt(variance), *ends, deff
        number, exact = sample.size / deff, self._exact(value)
        if exact is None:
            ends = self._score(sample, answer, share, number, z)
        else:
            if math.isfinite(sample.freedom):  # [Korn & Graubard 1998]
                number *= (interval.quantile(alpha, sample.size - 1) / z) ** 2
            reports, least, most = exact
            rate = float(sample.sums[reports].sum() / sample.total)
            low, high = interval.of_share(number * rate, number, alpha)
            ends = least + (most - least) * low, least + (most - least) * high
        return share, math.sqrt(variance), *ends, deff

    def _exact(self, value: np.ndarray) -> tuple[np.ndarray, float, float] | None:
        """Where reports are worth one of two numbers, the share hangs on the share of those worth more."""
        possible = self.possible
        least, most = float(value[possible].min()), float(value[possible].max())
        more = possible & (value > (least + most) / 2)
        two = np.where(more, most, least)
        return (
            (more, least, most) if np.allclose(value[possible], two[possible], atol=_SAME) else None
        )

    def _score(
        self, sample: Sample, answer: int, share: float, size: float, z: float
    ) -> tuple[float, float]:
        """The shares t from which the estimate is at most z of *their* standard errors away [Wilson 1927].

        If t answer so, a report's worth has the variance a t + b (1 - t) - t²; b is that of the others.
        """
        squares = self.worth[0, answer] ** 2
        each = squares @ self.M
        a, others = each[answer], np.delete(each, answer)
        (mean,) = sample.means(squares[None])
        b = np.clip((mean - a * share) / max(1 - share, _SAME), others.min(), others.max())
        return interval.between(
            size + z**2, -size * share - z**2 * (a - b) / 2, size * share**2 - z**2 * b
        )


class _Likely(NamedTuple):
    """The likeliest shares in place of the unbiased ones: none below 0, with errors of resampled respondents."""

    rng: np.random.Generator
    alpha: float

    def instead(self, numbers: np.ndarray, sample: Sample, M: np.ndarray) -> np.ndarray:
        """[group, answer]: the same five numbers."""
        if sample.drawn is not None and np.isfinite(sample.freedom):
            raise ValueError(
                "the likeliest shares have no errors for a design: estimate by inversion, or give weights "
                "alone, in a table"
            )
        counts = sample.sums * (sample.effective / sample.total)
        shape = numbers.shape[:2]
        cells = np.vstack([em(counts, M), resampled_em(counts, M, self.rng)]).reshape(-1, *shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            draws = cells / cells.sum(axis=2, keepdims=True)
        share, se = draws[0], np.nanstd(draws[1:], axis=0, ddof=1)
        low, high = np.nanquantile(draws[1:], [self.alpha / 2, 1 - self.alpha / 2], axis=0)
        if (
            shape[0] == 1
        ):  # what the reports alone exclude; resampling from a boundary excludes too much
            low = np.fmin(low, np.clip(numbers[..., 2], 0, 1))
            high = np.fmax(high, np.clip(numbers[..., 3], 0, 1))
        low, high = np.fmin(low, share), np.fmax(high, share)
        none = high - low < _SAME
        low, high = np.where(none, np.nan, low), np.where(none, np.nan, high)
        return np.stack([share, se, low, high, numbers[..., 4]], axis=-1)


def resampled_em(
    counts: np.ndarray, M: np.ndarray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> np.ndarray:
    """[resample, true cell]: the likeliest shares of respondents who are drawn anew, with repetition.

    >>> M = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> resampled_em(np.array([50.0, 50.0]), M, np.random.default_rng(1)).mean(axis=0).round(1).tolist()
    [0.5, 0.5]
    """
    size = counts.sum()
    draws, places = np.unique(
        rng.multinomial(round(size), counts / size, size=resamples), axis=0, return_inverse=True
    )
    return np.array([em(draw, M, 1e-9) for draw in draws])[places.reshape(-1)]
