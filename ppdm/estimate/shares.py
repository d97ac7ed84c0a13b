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
from ppdm.disguise.scheme import Scheme, bound
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
    mechanism = bound(scheme)
    assert mechanism is not None
    if weights is not None:
        design = Design(weights) if design is None else _both(design, weights)
    likely = None if method == "inversion" else _Likely(generator(rng), alpha)
    sets = _sets(records, mechanism, of, by)
    joint = of is not None and not isinstance(of, str)
    if joint or by is not None:
        for name in [*(sets[0] if joint else ()), *filter(None, [by])]:
            refuse_taken(name)
    grouped = by is not None and mechanism.protects(by)
    rows: list[dict[str, Any]] = []
    for names, (sample, domain) in zip(
        sets, _samples(records, mechanism, sets, design), strict=True
    ):
        if by is None or grouped:
            rows += _Question(mechanism, domain, by if grouped else None, joint).rows(
                sample, {}, alpha, likely
            )
            continue
        question = _Question(mechanism, domain.only(names[1:]), None, joint)
        groups = domain.only([by]).levels[0]
        for number, group in enumerate(groups):
            part = sample.part(number, len(groups))
            rows += question.rows(part, {by: group}, alpha, likely)
    if not rows:
        raise ValueError(f"there are no reports, and so no groups by {by!r}")
    return pd.DataFrame(rows)


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
    >>> reports = bound(survey).apply(Table(survey.domain, [4000, 1000, 1000, 4000]))
    >>> round(difference(reports, survey, "A", "B").difference, 3)
    0.6
    """
    mechanism = bound(scheme)
    assert mechanism is not None
    if weights is not None:
        design = Design(weights) if design is None else _both(design, weights)
    names = [x if isinstance(x, str) else next(iter(x)) for x in (a, b)]
    if len(set(names)) < 2:
        raise ValueError(f"a difference is between two questions; got {names[0]!r} twice")
    ((sample, domain),) = _samples(records, mechanism, [names], design)
    if not sample.size >= 2:
        raise ValueError(f"an interval needs two reports at least; there are {sample.size:g}")
    truth = mechanism.true_domain(domain)
    chosen = [
        -1 if isinstance(x, str) else truth.level(name, x[name])
        for x, name in zip((a, b), names, strict=True)
    ]
    value = worth(mechanism, domain).reshape(*truth.shape, -1)
    with_b, with_a = value[:, chosen[1]], value[chosen[0]]
    both, group = with_b[chosen[0]], with_b.sum(axis=0)
    values = np.array([both, group, with_a.sum(axis=0) - both, value.sum(axis=(0, 1)) - group])
    n, d, m, e = sample.means(values)
    covariance = sample.covariance(values)
    z = interval.quantile(alpha, sample.freedom)
    if not (d > 0 and e > 0):
        return Difference(math.nan, math.nan, math.nan, math.nan)
    slope = np.array([1 / d, -n / d**2, -1 / e, m / e**2])
    share, se = n / d - m / e, math.sqrt(max(slope @ covariance @ slope, 0))
    sure = all(mean > z * math.sqrt(covariance[at, at]) for at, mean in ((1, d), (3, e)))
    half = z * se if sure and se > 0 else math.nan
    return Difference(float(share), se, share - half, share + half)


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


def _both(design: Design, weights: Any) -> Design:
    if design.weights is not None:
        raise ValueError("weights are given twice: beside the design, and in it")
    return replace(design, weights=weights)


def _sets(
    records: Any, scheme: Mechanism, of: str | Sequence[str] | None, by: str | None
) -> list[list[str]]:
    """The columns of each estimate, the group first; what is not there is refused."""
    columns = list(records.names) if isinstance(records, Table) else names_of(records)
    asked = list(scheme.survey.names) if isinstance(scheme, Scheme) else columns
    names = asked if of is None else [of] if isinstance(of, str) else list(of)
    unknown = [name for name in names if name not in asked]
    if unknown:
        raise ValueError(f"{listed(unknown)} is not asked; asked is {listed(asked)}")
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(
            f"the reports lack {listed(missing)}; asked is {listed(asked)}, "
            f"and the columns are {listed(columns)}"
        )
    if by is not None and by not in columns:
        raise ValueError(f"there is no column {by!r} to group by; there are {listed(columns)}")
    names = [name for name in names if name != by]
    if not names:
        raise ValueError(f"{by!r} is the only question: nothing is left to be estimated by it")
    parts = [names] if of is not None and not isinstance(of, str) else [[name] for name in names]
    return parts if by is None else [[by, *part] for part in parts]


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
        known = [n for n in table.names if levels is None or n in levels]
        scheme.own(table.marginal(*known))
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
        self.M = scheme.matrix(self.truth)
        value = worth(scheme, domain)
        groups = 1 if by is None else self.truth.shape[0]
        self.worth = value.reshape(groups, -1, domain.size)
        #: Whom a share is of: all, or those of an estimated group.
        self.base = np.ones((1, domain.size)) if by is None else self.worth.sum(axis=1)

    def rows(
        self, sample: Sample, group: dict, alpha: float, likely: _Likely | None
    ) -> list[dict[str, Any]]:
        size, rows, fit = sample.size, [], math.nan
        numbers = np.full((*self.worth.shape[:2], 5), np.nan)
        if size:
            numbers = self._numbers(sample, alpha)
            effective = min(sample.effective, size / np.nanmax(numbers[..., 4]))
            fit = interval.fit(sample.sums * (effective / sample.total), self.M)
        if likely and size:
            numbers = likely.instead(numbers, sample, self.M)
        digits = self.truth.digits(np.arange(self.truth.size))
        for cell, (share, se, low, high, deff) in enumerate(numbers.reshape(-1, 5)):
            answers = [levels[d] for levels, d in zip(self.truth.levels, digits[cell], strict=True)]
            named = dict(zip(self.truth.names, answers, strict=True))
            if not self.joint:
                name, answer = self.truth.names[-1], answers[-1]
                named = ({} if self.by is None else {self.by: answers[0]}) | {
                    "question": name, "answer": answer
                }  # fmt: skip
            row = group | named | {
                "reports": round(size), "reported": self._reported(sample, cell), "share": share,
                "se": se, "low": low, "high": high, "fit": fit,
            }  # fmt: skip
            rows.append(row | ({"effective": size / deff, "deff": deff} if sample.weighed else {}))
        return rows

    def _reported(self, sample: Sample, cell: int) -> float:
        """The share of the reports that name these answers, where they can."""
        if self.by is not None or not sample.total:  # the reported group is not the true one
            return math.nan
        answers = [
            levels[d]
            for levels, d in zip(
                self.truth.levels, self.truth.digits(np.array([cell]))[0], strict=True
            )
        ]
        if any(x not in own for x, own in zip(answers, self.domain.levels, strict=True)):
            return math.nan
        place = [own.index(x) for x, own in zip(answers, self.domain.levels, strict=True)]
        return float(sample.sums[np.ravel_multi_index(place, self.domain.shape)] / sample.total)

    def _numbers(self, sample: Sample, alpha: float) -> np.ndarray:
        """[group, answer]: share, standard error, both ends of the interval, design effect."""
        numbers = [
            [self._one(sample, value, base, alpha) for value in values]
            for values, base in zip(self.worth, self.base, strict=True)
        ]
        return np.array(numbers)

    def _one(self, sample: Sample, value: np.ndarray, base: np.ndarray, alpha: float) -> tuple:
        both = np.array([value, base])
        means = sample.means(both)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = means[0] / means[1]
            linear = ((value - share * base) / means[1])[None]
        variance = float(sample.covariance(linear)[0, 0])
        se = math.sqrt(max(variance, 0)) if np.isfinite(variance) else math.nan
        plain = float(sample.alike(linear)[0]) if sample.size > 1 else 0.0
        deff = variance / plain if plain > 0 else 1.0
        z = interval.quantile(alpha, sample.freedom)
        if self.by is not None:
            return share, se, *interval.of_ratio(means, sample.covariance(both), z), deff
        return share, se, *self._interval(sample, value, share, se, deff, alpha), deff

    def _interval(
        self, sample: Sample, value: np.ndarray, share: float, se: float, deff: float, alpha: float
    ) -> tuple[float, float]:
        """Exact where reports are worth one of two numbers, so that the share hangs on one reported share."""
        possible = self.M.any(axis=1)
        least, most = value[possible].min(), value[possible].max()
        high = np.abs(value - most) < _SAME
        if not (high | (np.abs(value - least) < _SAME))[possible].all() or most - least < _SAME:
            half = interval.quantile(alpha, sample.freedom) * se
            return (share - half, share + half) if se > 0 else (math.nan, math.nan)
        size = sample.size / deff
        if math.isfinite(sample.freedom):  # [Korn & Graubard 1998]
            freed = [interval.quantile(alpha, df) for df in (sample.size - 1, sample.freedom)]
            size *= (freed[0] / freed[1]) ** 2
        reported = float(sample.sums[high & possible].sum() / sample.total)
        ends = interval.of_share(size * reported, size, alpha)
        return tuple(float(least + (most - least) * end) for end in ends)  # type: ignore[return-value]


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
