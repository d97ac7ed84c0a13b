"""Shares of true answers from reports: counted where they lie, undone, with standard errors.

The estimate is the unbiased one: it may fall below 0 or rise above 1, and nothing is clipped. Every
share is a mean (or a ratio of two means) of a number that each report is worth, so its standard
error is that of a mean, with n - 1, and for a ratio by linearisation. Whoever asks for it has the
likeliest shares instead, which lie between 0 and 1; their intervals are resampled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ppdm.chance import generator
from ppdm.contract import Survey
from ppdm.disguise.scheme import Scheme, scheme_of
from ppdm.domain import Domain, listed
from ppdm.estimate import em
from ppdm.survey.relate import refuse_taken, resampled_em
from ppdm.table import Table, count_marginals, names_of

METHODS = ("inversion", "em")
#: What stands beside the groups in the result.
_TOLD = ("question", "answer", "reports", "reported", "share", "se", "low", "high")


def estimate(
    records: object,
    survey: Survey,
    by: str | None = None,
    confidence: float = 0.95,
    method: str = "inversion",
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """The share of every answer to every question, a row each, with its interval.

    `records` are reports in anything that `ppdm.count` takes; columns that the survey does not ask
    are left aside. `by` gives the shares within the groups of one column: any column of the
    records, an open question, or a protected one (then the groups are estimated, too). With the
    method `"em"` the shares are the likeliest ones, and `rng` draws the respondents anew for the
    intervals.

    >>> survey = Survey({"smokes": ["no", "yes"]},
    ...                 [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}])
    >>> reports = pd.DataFrame({"smokes": ["yes"] * 430 + ["no"] * 570})
    >>> estimate(reports, survey).iloc[1][["share", "se", "low", "high"]].astype(float).round(4).tolist()
    [0.325, 0.0392, 0.2483, 0.4017]
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence lies between 0 and 1; got {confidence!r}")
    if method not in METHODS:
        raise ValueError(f"method is one of {listed(METHODS)}; got {method!r}")
    likely = None if method == "inversion" else _Likely(generator(rng), confidence)
    scheme, columns = scheme_of(survey), names_of(records)
    missing = [name for name in survey.names if name not in columns]
    if missing:
        raise ValueError(
            f"the reports lack {listed(missing)}; asked is {listed(survey.names)}, "
            f"and the columns are {listed(columns)}"
        )
    if by is not None and by not in columns:
        raise ValueError(f"there is no column {by!r} to group by; there are {listed(columns)}")
    if by is not None:
        refuse_taken(by, _TOLD)
    asked = [name for name in survey.names if name != by]
    if not asked:
        raise ValueError(f"{by!r} is the only question: nothing is left to be estimated by it")
    levels = dict(zip(scheme.reports.names, scheme.reports.levels, strict=True))
    sets = [[name] if by is None else [by, name] for name in asked]
    rows = []
    for name, table in zip(asked, count_marginals(records, sets, levels), strict=True):
        scheme.own(table.marginal(*[n for n in table.names if n in scheme.answers.names]))
        if by is None:
            rows += _question(scheme, table, {}, likely)
        elif by in survey.protected:
            rows += _by_protected(scheme, table, by, name, likely)
        else:
            for group in table.domain.only([by]).levels[0]:
                rows += _question(scheme, table.where({by: group}), {by: group}, likely)
    if not rows:
        raise ValueError(f"there are no reports, and so no groups by {by!r}")
    frame = pd.DataFrame(rows)
    if likely:
        return frame
    half = ndtri((1 + confidence) / 2) * frame["se"]
    return frame.assign(low=frame["share"] - half, high=frame["share"] + half)


class _Likely(NamedTuple):
    """The likeliest shares: none below 0, with intervals of resampled respondents."""

    rng: np.random.Generator
    confidence: float

    def told(self, rows: list[dict], reports: np.ndarray, M: np.ndarray, groups: int) -> list[dict]:
        """The rows of one question, a group after the other, with these shares in place of theirs."""
        if not reports.sum():
            return [{**row, "low": np.nan, "high": np.nan} for row in rows]
        cells = np.vstack([em(reports, M), resampled_em(reports, M, self.rng)])
        parts = cells.reshape(len(cells), groups, -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            draws = (parts / parts.sum(axis=2, keepdims=True)).reshape(len(cells), -1)
        tail = (1 - self.confidence) / 2
        low, high = np.nanquantile(draws[1:], [tail, 1 - tail], axis=0)
        se = np.nanstd(draws[1:], axis=0, ddof=1)
        numbers = zip(draws[0], se, low, high, strict=True)
        return [
            row | dict(zip(("share", "se", "low", "high"), map(float, four), strict=True))
            for row, four in zip(rows, numbers, strict=True)
        ]


def _question(
    scheme: Scheme, table: Table, group: dict, likely: _Likely | None = None
) -> list[dict]:
    """The shares of the answers to one question, from the table of its reports."""
    name, reports = table.names[0], table.dense
    domain = Domain(table.names, table.levels, scheme.answers.names)
    worth = _worth(scheme, domain)
    truth = scheme.answers.only([name])
    rows = [
        _row(name, level, reports, worth[x], np.ones(len(reports)), group, domain)
        for x, level in enumerate(truth.levels[0])
    ]
    return likely.told(rows, reports, scheme.matrix(truth), 1) if likely else rows


def _by_protected(
    scheme: Scheme, table: Table, by: str, name: str, likely: _Likely | None = None
) -> list[dict]:
    """The shares within groups that are themselves estimated: ratios of two estimates."""
    domain = Domain(table.names, table.levels, scheme.answers.names)
    truth = scheme.answers.only([by, name])
    worth = _worth(scheme, domain).reshape(*truth.shape, -1)
    reports = table.dense.reshape(-1)
    rows = [
        _row(name, level, reports, worth[b, x], worth[b].sum(axis=0), {by: group}, domain)
        for b, group in enumerate(truth.levels[0])
        for x, level in enumerate(truth.levels[1])
    ]
    return likely.told(rows, reports, scheme.matrix(truth), truth.shape[0]) if likely else rows


def _worth(scheme: Scheme, domain: Domain) -> np.ndarray:
    """[cell of true answers, cell of reports]: what one report adds to each estimated count."""
    units = (Table(domain, unit).reported_by(scheme) for unit in np.eye(domain.size))
    return np.array([scheme.undo(unit).dense.ravel() for unit in units]).T


def _row(
    name: str,
    level: object,
    reports: np.ndarray,
    worth: np.ndarray,
    base: np.ndarray,
    group: dict,
    domain: Domain,
) -> dict:
    """One share: the mean of `worth` over the reports, divided by that of `base`."""
    n = int(reports.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = reports / n
        part = shares @ base
        share = shares @ worth / part
        value = (worth - share * base) / part  # its mean over the reports is 0
        se = np.sqrt(shares @ value**2 / (n - 1)) if n > 1 else np.nan
    levels = domain.levels[-1]
    told = reports.reshape(-1, len(levels)).sum(axis=0) / n if n else np.full(len(levels), np.nan)
    reported = float(told[levels.index(level)]) if level in levels and n else np.nan
    if len(domain.names) > 1:  # the reported group is not the true one
        reported = np.nan
    return {
        **group, "question": name, "answer": level, "reports": n, "reported": reported,
        "share": float(share), "se": float(se),
    }  # fmt: skip
