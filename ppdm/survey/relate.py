"""From reports to pairs, relations and regressions, each with its interval; and how many to ask.

Everything goes through counts of reports and the survey's scheme. An estimate is the mean over the
respondents of a function of their reports that is right on average; its standard error is the spread
of that function, with n - 1. Nothing is cut off at 0 or 1 unless it says so (`em`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit, ndtri

from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.disguise.scheme import Scheme
from ppdm.domain import Domain, listed
from ppdm.estimate import em as maximum_likelihood
from ppdm.table import Table, count

#: A share of fewer reports has no interval worth the name.
FEWEST = 2
#: What stands beside the answers in a table of combinations.
_TOLD = ("respondents", "reported", "estimate", "se", "low", "high")


def pairs(reports: Any, survey: Survey, a: str, b: str, level: float = 0.95) -> pd.DataFrame:
    """The estimated share of each combination of answers to two questions.

    >>> survey = Survey({"A": [0, 1], "B": [0, 1]},
    ...                 [{"mechanism": "warner", "p": 1.0, "attributes": ["A", "B"]}])
    >>> pairs(Table(survey.domain, [40, 10, 20, 30]), survey, "A", "B")["estimate"].tolist()
    [0.4, 0.1, 0.2, 0.3]
    """
    table = _counted(reports, survey)
    return _linear(table.marginal(a, b), scheme_of(survey), level)


def em_shares(
    reports: Any,
    survey: Survey,
    names: Sequence[str],
    rng: np.random.Generator | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """The likeliest shares of all combinations of a few questions, none below zero; with `rng`
    their intervals, too.

    >>> survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.8, "attributes": ["A"]}])
    >>> em_shares(Table(survey.domain, [90, 10]), survey, ["A"])["estimate"].round(3).tolist()
    [1.0, 0.0]
    """
    table, scheme = _counted(reports, survey).marginal(*names), scheme_of(survey)
    domain = scheme.true_domain(table.domain)
    counts, M = table.dense.reshape(-1), scheme.matrix(domain)
    told = _cells(domain).assign(estimate=maximum_likelihood(counts, M))
    if rng is None:
        return told
    draws = resampled_em(counts, M, rng)
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return told.assign(se=draws.std(axis=0, ddof=1), low=low, high=high)


def resampled_em(
    counts: np.ndarray, M: np.ndarray, rng: np.random.Generator, resamples: int = 1000
) -> np.ndarray:
    """[resample, true cell]: the likeliest shares of respondents who are drawn anew, with repetition.

    Where a share is held at 0 there is no closed form for its error.

    >>> M = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> resampled_em(np.array([50.0, 50.0]), M, np.random.default_rng(1)).mean(axis=0).round(1).tolist()
    [0.5, 0.5]
    """
    size = counts.sum()
    draws, places = np.unique(
        rng.multinomial(round(size), counts / size, size=resamples), axis=0, return_inverse=True
    )
    return np.array([maximum_likelihood(draw, M, 1e-9) for draw in draws])[places.reshape(-1)]


class Relation(NamedTuple):
    """How an answer goes with another one: P(a | b) - P(a | not b), with its interval."""

    difference: float
    low: float
    high: float


def relation(
    reports: Any,
    survey: Survey,
    a: str,
    b: str,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Relation:
    """Whether two answers (the last level of each) go together: the difference of two shares.

    A ratio of estimates has no closed form, so the interval is a bootstrap of the respondents. Where the
    estimate of a condition's share is not positive in a resample, that resample tells nothing.

    >>> survey = Survey({"A": [0, 1], "B": [0, 1]},
    ...                 [{"mechanism": "warner", "p": 0.9, "attributes": ["A", "B"]}])
    >>> asked = scheme_of(survey).apply(Table(survey.domain, [4000, 1000, 1000, 4000]))
    >>> round(relation(asked, survey, "A", "B", np.random.default_rng(1)).difference, 3)
    0.6
    """
    table, scheme = _counted(reports, survey).marginal(a, b), scheme_of(survey)
    inverse = _inverse(scheme, table.domain)
    counts = table.dense.reshape(-1)
    size = _enough(counts)
    draws = rng.multinomial(round(size), counts / size, size=resamples)
    shape = scheme.true_domain(table.domain).shape
    told = _difference((draws @ inverse.T).reshape(-1, *shape))
    tail = (1 - level) / 2
    low, high = np.nanquantile(told, [tail, 1 - tail])
    return Relation(
        float(_difference((inverse @ counts).reshape(1, *shape))[0]), float(low), float(high)
    )


def _difference(cells: np.ndarray) -> np.ndarray:
    """P(a = last | b = last) - P(a = last | b another) of tables (draws, a, b)."""
    with_b, without = cells[:, :, -1], cells[:, :, :-1].sum(axis=2)
    totals = with_b.sum(axis=1), without.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        told = with_b[:, -1] / totals[0] - without[:, -1] / totals[1]
    return np.where((totals[0] > 0) & (totals[1] > 0), told, np.nan)


class TwoSamples(NamedTuple):
    """The sensitive share and the unrelated one, when neither is known."""

    sensitive: float
    unrelated: float


def two_samples(p: Sequence[float], yes: Sequence[int], asked: Sequence[int]) -> TwoSamples:
    """The unrelated question with an unknown share: two samples with different chances of the truth.

    In sample i a share p_i π + (1 - p_i) π_Y says yes: two equations for π and π_Y.

    >>> two_samples((0.8, 0.3), (260, 170), (500, 500))
    TwoSamples(sensitive=0.592, unrelated=0.232)
    """
    if p[0] == p[1]:
        raise ValueError(f"the two chances must differ; both are {p[0]}")
    for said_so, of in zip(yes, asked, strict=True):
        if not (of > 0 and 0 <= said_so <= of):
            raise ValueError(f"a sample of {of} cannot have {said_so} who say yes")
    said = np.asarray(yes, dtype=float) / np.asarray(asked, dtype=float)
    solved = np.linalg.solve(np.array([[p[0], 1 - p[0]], [p[1], 1 - p[1]]]), said)
    return TwoSamples(*(round(float(share), 12) for share in solved))


def power(survey: Survey, attribute: str, half_width: float, level: float = 0.95) -> int:
    """How many respondents make the widest interval of an attribute's shares so narrow.

    The worst distribution of answers is taken: the one with the largest standard error.

    >>> survey = Survey({"A": ["no", "yes"]}, [{"mechanism": "warner", "p": 0.75, "attributes": ["A"]}])
    >>> power(survey, "A", 0.05)
    1537
    """
    if not 0 < half_width < 1:
        raise ValueError(f"half of an interval's width lies between 0 and 1; got {half_width!r}")
    scheme = scheme_of(survey)
    domain = scheme.reports.only([attribute])
    inverse = _inverse(scheme, domain)
    # A mean of values between the smallest and largest of a row has at most a quarter of their
    # squared distance as variance; some distribution of reports comes as near to it as one likes.
    spread = (inverse.max(axis=1) - inverse.min(axis=1)).max() / 2
    z = float(ndtri((1 + level) / 2))
    return int(np.ceil((z * spread / half_width) ** 2 - 1e-9))


class Regression(NamedTuple):
    """A logistic regression of a disguised answer: coefficients with errors, and the likelihood."""

    table: pd.DataFrame
    log_likelihood: float


def regression(
    reports: pd.DataFrame,
    survey: Survey,
    attribute: str,
    covariates: Sequence[str],
    level: float = 0.95,
) -> Regression:
    """P(true answer is the last level) by open covariates, by maximum likelihood.

    A report y comes with probability M[y, 0] (1 - p) + M[y, 1] p, where p = 1 / (1 + exp(-x β)). Covariates
    that are words enter as indicators of their levels, the first one left out. Standard errors are
    those of the observed information.

    >>> survey = Survey({"A": [0, 1], "old": [0, 1]},
    ...                 [{"mechanism": "warner", "p": 1.0, "attributes": ["A"]}])
    >>> asked = pd.DataFrame({"A": [0, 1, 1, 1] * 5, "old": [0, 0, 1, 1] * 5})
    >>> asked.loc[3, "A"] = 0
    >>> regression(asked, survey, "A", ["old"]).table["coefficient"].round(3).tolist()
    [0.0, 2.197]
    """
    _open(survey, covariates)
    if attribute not in survey.attributes:
        raise ValueError(f"{attribute!r} is not asked; asked is {listed(survey.names)}")
    if len(survey.attributes[attribute]) != 2:
        raise ValueError(
            f"a logistic regression needs two answers; {attribute!r} has "
            f"{listed(survey.attributes[attribute])}"
        )
    scheme = scheme_of(survey)
    M = scheme.matrix(survey.domain.only([attribute]))
    if not len(reports):
        raise ValueError("there are no reports: nothing can be explained")
    levels = scheme.reports.only([attribute]).levels[0]
    y = _places(reports[attribute], levels)
    X, names = _design(reports, survey, covariates)
    base, gain = M[y, 0], M[y, 1] - M[y, 0]

    def minus(beta):
        return -np.log(base + gain * expit(X @ beta)).sum()

    def gradient(beta):
        p = expit(X @ beta)
        return -X.T @ (gain * p * (1 - p) / (base + gain * p))

    def hessian(beta):
        p = expit(X @ beta)
        f, g = base + gain * p, gain * p * (1 - p)
        return -(X.T * ((g * (1 - 2 * p) * f - g**2) / f**2)) @ X

    found = minimize(
        minus,
        np.zeros(X.shape[1]),
        jac=gradient,
        hess=hessian,
        method="trust-exact",
        options={"gtol": 1e-9 * len(X)},
    )
    information = hessian(found.x)
    if not np.isfinite(found.x).all() or np.linalg.eigvalsh(information).min() <= 1e-9:
        raise ValueError(
            "the likelihood has no single peak: too few reports, or covariates that say the same"
        )
    se = np.sqrt(np.diag(np.linalg.inv(information)))
    z = float(ndtri((1 + level) / 2))
    table = pd.DataFrame(
        {
            "term": names,
            "coefficient": found.x,
            "se": se,
            "low": found.x - z * se,
            "high": found.x + z * se,
        }
    )
    return Regression(table, float(-found.fun))


def _design(reports: pd.DataFrame, survey: Survey, covariates) -> tuple[np.ndarray, list[str]]:
    """The intercept and the covariates as columns of numbers."""
    columns, names = [np.ones(len(reports))], ["(intercept)"]
    for name in covariates:
        levels = survey.attributes[name]
        if all(isinstance(level, (int, float)) for level in levels):
            places = _places(reports[name].astype(float), [float(level) for level in levels])
            columns.append(np.array(levels, dtype=float)[places])
            names.append(name)
        else:
            places = _places(reports[name], levels)
            for number, other in enumerate(levels[1:], 1):
                columns.append((places == number).astype(float))
                names.append(f"{name}: {other}")
    return np.column_stack(columns), names


def _places(column: pd.Series, levels: Sequence) -> np.ndarray:
    """Which of the levels each value is; a value that is none of them is refused."""
    places = pd.Index([str(v) for v in levels]).get_indexer(pd.Index(column.astype(str)))
    if (places < 0).any():
        raise ValueError(
            f"{column.name!r} has the report {column[places < 0].tolist()[0]!r}, "
            f"which is none of {listed(levels)}"
        )
    return places


def as_reports(frame: pd.DataFrame, survey: Survey) -> pd.DataFrame:
    """A frame of words, as a CSV file has them, with the survey's questions and levels.

    >>> survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}])
    >>> as_reports(pd.DataFrame({"code": ["x"], "A": ["1"]}), survey)["A"].tolist()
    [1]
    """
    reports, columns = scheme_of(survey).reports, {}
    for name, levels in zip(reports.names, reports.levels, strict=True):
        if name not in frame.columns:
            raise ValueError(f"the reports lack {name!r}; they have {listed(frame.columns)}")
        words = {str(level): i for i, level in enumerate(levels)}
        codes = frame[name].astype(str).map(words)
        if codes.isna().any():
            row = int(codes.isna().to_numpy().argmax())
            raise ValueError(
                f"row {row + 1} of {name!r} is {frame[name].iloc[row]!r}, which is none of "
                f"{listed(levels)}"
            )
        columns[name] = pd.Categorical.from_codes(
            codes.astype(int).to_numpy(), categories=pd.Index(levels)
        )
    return pd.DataFrame(columns)


# -- the linear map ----------------------------------------------------------------------------------


def _counted(reports: Any, survey: Survey) -> Table:
    scheme = scheme_of(survey)
    return scheme.own(reports if isinstance(reports, Table) else count(reports, scheme))


def refuse_taken(name: str, columns: Sequence[str]) -> None:
    """A column may not be called like one of the result: one of the two would be lost.

    >>> refuse_taken("se", ("share", "se"))
    Traceback (most recent call last):
    ValueError: the result has a column 'se' of its own: give yours another name
    """
    if name in columns:
        raise ValueError(f"the result has a column {name!r} of its own: give yours another name")


def _open(survey: Survey, names: Sequence[str]) -> None:
    for name in names:
        if name not in survey.attributes:
            raise ValueError(f"{name!r} is not asked; asked is {listed(survey.names)}")
        if name in survey.protected:
            raise ValueError(f"{name!r} is disguised: only open questions can divide or explain")


def _enough(counts: np.ndarray) -> float:
    """How many reports there are; too few for an interval are refused."""
    size = float(counts.sum())
    if size < FEWEST:
        raise ValueError(f"an interval needs two reports at least; there are {size:g}")
    return size


def _inverse(scheme: Scheme, domain: Domain) -> np.ndarray:
    """L[true cell, reported cell]: what one report says about each true cell."""
    ones = np.eye(domain.size)
    units = (Table(domain, unit).reported_by(scheme) for unit in ones)
    return np.column_stack([scheme.undo(unit).dense.reshape(-1) for unit in units])


def _cells(domain: Domain) -> pd.DataFrame:
    for name in domain.names:
        refuse_taken(name, _TOLD)
    digits = domain.digits(np.arange(domain.size))
    return pd.DataFrame(
        {
            name: [levels[d] for d in digits[:, i]]
            for i, (name, levels) in enumerate(zip(domain.names, domain.levels, strict=True))
        }
    )


def _linear(table: Table, scheme: Scheme, level: float) -> pd.DataFrame:
    """Each true cell's estimated share, its standard error with n - 1, and its interval."""
    counts = table.dense.reshape(-1)
    size = _enough(counts)
    inverse, told = _inverse(scheme, table.domain), counts / size
    estimate = inverse @ told
    variance = np.maximum(inverse**2 @ told - estimate**2, 0) / (size - 1)
    half = float(ndtri((1 + level) / 2)) * np.sqrt(variance)
    domain = scheme.true_domain(table.domain)
    same = domain == table.domain
    return _cells(domain).assign(
        respondents=round(size),
        reported=told if same else np.nan,
        estimate=estimate,
        se=np.sqrt(variance),
        low=estimate - half,
        high=estimate + half,
    )
