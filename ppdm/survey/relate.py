"""Who says yes: regressions of a disguised answer, by answers of which some are disguised, too; an unrelated question
whose share nobody knows; how many to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit, softmax

from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.domain import as_frame, listed
from ppdm.estimate.interval import quantile
from ppdm.estimate.shares import worth

#: A maximum of the likelihood is none if a step of so much along some direction lowers it by less than this; along
#: directions of less than the last the covariates do not differ.
_FAR, _FLAT, _SAME = 10.0, 0.01, 1e-6
#: Shares of combinations that are estimated along with the coefficients.
MOST = 60
#: A step in which the likelihood's slope is differentiated, and the least curvature of a peak, in parts of the largest.
_STEP, _CURVED = 1e-5, 1e-7
#: Newton's steps after the search, each of which doubles the digits.
_NEWTON = 2


class TwoSamples(NamedTuple):
    """The sensitive share and the unrelated one, when neither is known, and their standard errors."""

    sensitive: float
    unrelated: float
    se: float
    unrelated_se: float


def two_samples(p: Sequence[float], yes: Sequence[int], asked: Sequence[int]) -> TwoSamples:
    """The unrelated question with an unknown share: two samples with different chances of the truth.

    In sample i a share p_i π + (1 - p_i) π_Y says yes: two equations for π and π_Y.

    >>> two_samples((0.8, 0.3), (260, 170), (500, 500))
    TwoSamples(sensitive=0.592, unrelated=0.232, se=0.03244, unrelated_se=0.036487)
    """
    if not all(0 <= chance <= 1 for chance in p) or p[0] == p[1]:
        raise ValueError(
            f"the two chances of the truth are from 0 to 1, and differ; got {tuple(p)}"
        )
    for k, of in zip(yes, asked, strict=True):
        if not (of > 1 and 0 <= k <= of and k == int(k)):
            raise ValueError(f"a sample of {of} cannot have {k} who say yes")
    said = np.asarray(yes, dtype=float) / np.asarray(asked, dtype=float)
    inverse = np.linalg.inv(np.array([[p[0], 1 - p[0]], [p[1], 1 - p[1]]]))
    se = np.sqrt(inverse**2 @ (said * (1 - said) / (np.asarray(asked) - 1)))
    return TwoSamples(
        *(round(float(x), 12) for x in inverse @ said), *(round(float(x), 6) for x in se)
    )


def power(survey: Survey, attribute: str, half_width: float, alpha: float = 0.05) -> int:
    """How many respondents make the widest interval of an attribute's shares so narrow.

    The worst distribution of answers is taken: the one with the largest standard error.

    >>> survey = Survey({"A": ["no", "yes"]}, [{"mechanism": "warner", "p": 0.75, "attributes": ["A"]}])
    >>> power(survey, "A", 0.05)
    1537
    """
    if not 0 < half_width < 1:
        raise ValueError(f"half of an interval's width lies between 0 and 1; got {half_width!r}")
    scheme = scheme_of(survey)
    inverse = worth(scheme, scheme.reports.only([attribute]))
    # A mean of values between the smallest and largest of a row has at most a quarter of their
    # squared distance as variance; some distribution of reports comes as near to it as one likes.
    spread = (inverse.max(axis=1) - inverse.min(axis=1)).max() / 2
    return int(np.ceil((quantile(alpha) * spread / half_width) ** 2 - 1e-9))


class Regression(NamedTuple):
    """A logistic regression of a disguised answer: coefficients with errors, and the likelihood."""

    table: pd.DataFrame
    log_likelihood: float


class _Records(NamedTuple):
    """Respondents who report the same, and have the same open covariates, as one row."""

    counts: np.ndarray
    group: np.ndarray  # of each row: its open covariates
    base: (
        np.ndarray
    )  # [row, combination of true predictors]: the chance of the report, if the outcome is not true
    gain: np.ndarray  # what it is more, if it is
    X: np.ndarray  # [row, combination, term]

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients, and of each group how often each combination is true in it, on the logit scale."""
        terms, groups = self.X.shape[2], int(self.group.max()) + 1
        free = theta[terms:].reshape(groups, -1)
        return theta[:terms], np.column_stack([np.zeros(groups), free])

    def minus(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The negative log-likelihood and its slope."""
        beta, free = self.split(theta)
        shares = softmax(free, axis=1)[self.group]
        p = expit(self.X @ beta)
        each = self.base + self.gain * p
        chance = (shares * each).sum(axis=1)
        slope = shares * self.gain * p * (1 - p) * (self.counts / chance)[:, None]
        drift = shares * (each / chance[:, None] - 1) * self.counts[:, None]
        by_share = np.zeros_like(free)
        np.add.at(by_share, self.group, drift)
        by_term = np.einsum("rc,rct->t", slope, self.X)
        return -(self.counts @ np.log(chance)), -np.append(by_term, by_share[:, 1:])

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """The observed information, from differences of the slope."""
        steps = _STEP * np.eye(len(theta))
        sides = [self.minus(theta + step)[1] - self.minus(theta - step)[1] for step in steps]
        return (np.array(sides) + np.transpose(sides)) / (4 * _STEP)


def regression(
    reports: pd.DataFrame,
    survey: Survey,
    attribute: str,
    covariates: Sequence[str],
    alpha: float = 0.05,
) -> Regression:
    """P(true answer is the last level) by covariates, of which some may be disguised, too; by maximum likelihood.

    A report y comes with probability M[y, 0] (1 - p) + M[y, 1] p, where p = 1 / (1 + exp(-x β)). Covariates
    that are words enter as indicators of their levels, the first one left out. Where predictors are disguised, each
    likelihood sums over what they may truly be. How often each combination is true among those with the same open
    covariates is estimated along with the coefficients, with nothing assumed about it. Standard errors are
    those of the observed information.

    >>> survey = Survey({"A": [0, 1], "B": [0, 1]},
    ...                 [{"mechanism": "warner", "p": 0.9, "attributes": ["A", "B"]}])
    >>> cells = {(0, 0): 400, (0, 1): 150, (1, 0): 150, (1, 1): 300}
    >>> asked = pd.DataFrame([dict(A=a, B=b) for (a, b), n in cells.items() for _ in range(n)])
    >>> regression(asked, survey, "A", ["B"]).table["coefficient"].round(2).tolist()
    [-1.61, 2.91]
    """
    z = quantile(alpha)
    _refuse_unfit(reports, survey, attribute, covariates)
    records, names = _records(reports, survey, attribute, covariates)
    terms, combinations = len(names), records.base.shape[1]
    number = terms + (int(records.group.max()) + 1) * (combinations - 1)
    begin, options = np.zeros(number), {"maxiter": 2000}
    peak = minimize(records.minus, begin, jac=True, method="BFGS", options=options).x
    if combinations == 1:
        _refuse_separated(records, peak)
    for _ in range(_NEWTON):
        step = np.linalg.lstsq(records.curvature(peak), records.minus(peak)[1], rcond=None)[0]
        peak = peak - step
    information = records.curvature(peak)
    curves = np.linalg.eigvalsh(information) if np.isfinite(information).all() else np.zeros(1)
    if curves.min() <= _CURVED * curves.max():
        raise ValueError(
            "the likelihood has no single peak: too few reports, covariates that say the same, or a share among "
            "disguised ones that is estimated as 0 or less"
        )
    se = np.sqrt(np.diag(np.linalg.inv(information)))[:terms]
    found, half = peak[:terms], z * se
    table = pd.DataFrame(
        {"term": names, "coefficient": found, "se": se, "low": found - half, "high": found + half}
    )
    return Regression(table, -float(records.minus(peak)[0]))


def _records(
    reports: pd.DataFrame, survey: Survey, attribute: str, covariates: Sequence[str]
) -> tuple[_Records, list[str]]:
    hidden = [name for name in covariates if name in survey.protected]
    open_ = {n: _codes(reports[n], survey.attributes[n]) for n in covariates if n not in hidden}
    asked = [attribute, *hidden]
    scheme, truth = scheme_of(survey), survey.domain.only(asked)
    sent = scheme.reports.only(asked)
    said = [places(reports[n], own) for n, own in zip(asked, sent.levels, strict=True)]
    report = sent.codes(np.column_stack(said))
    everyone = np.zeros(len(reports), dtype=np.int64)
    alike = np.column_stack([everyone, *open_.values()])
    group = np.unique(alike, axis=0, return_inverse=True)[1].reshape(-1)
    _, first, counts = np.unique(
        np.column_stack([group, report]), axis=0, return_index=True, return_counts=True
    )
    chances = scheme.matrix(truth)[report[first]].reshape(len(first), 2, -1)
    groups, number = int(group.max()) + 1, chances.shape[2]
    if groups * (number - 1) > MOST:
        raise ValueError(
            f"{groups} groups of open covariates with {number} combinations of disguised ones are too many to be "
            "told apart: join levels, or leave a covariate out"
        )
    codes = {name: code[first] for name, code in open_.items()}
    designs = []
    for combination in truth.digits(np.arange(number))[:, 1:]:
        of_hidden = {n: np.full(len(first), d) for n, d in zip(hidden, combination, strict=True)}
        X, names = _design(codes | of_hidden, survey, covariates, len(first))
        designs.append(X)
    base, gain = chances[:, 0], chances[:, 1] - chances[:, 0]
    return _Records(counts, group[first], base, gain, np.stack(designs, axis=1)), names


def _refuse_separated(records: _Records, peak: np.ndarray) -> None:
    """Where the likelihood hardly falls along some direction, its coefficients have no bound there."""
    direction = np.linalg.eigh(records.curvature(peak))[1][:, 0]
    reach = np.abs(records.X @ direction).max()
    if reach < _SAME:  # covariates that say the same
        return
    step = _FAR * direction / reach
    beside = min(records.minus(peak + step)[0], records.minus(peak - step)[0])
    if beside - records.minus(peak)[0] < _FLAT:
        raise ValueError(
            "the covariates separate the answers: in some group nobody, or everybody, seems to say so, and a "
            "coefficient has no bound. Leave a covariate out, or join groups"
        )


def _design(
    codes: Mapping[str, np.ndarray], survey: Survey, covariates: Sequence[str], rows: int
) -> tuple[np.ndarray, list[str]]:
    """The intercept and the covariates as columns of numbers."""
    columns, names = [np.ones(rows)], ["(intercept)"]
    for name in covariates:
        levels = survey.attributes[name]
        if _are_numbers(levels):
            columns.append(np.array(levels, dtype=float)[codes[name]])
            names.append(name)
        else:
            columns += [codes[name] == number for number in range(1, len(levels))]
            names += [f"{name}: {other}" for other in levels[1:]]
    return np.column_stack(columns).astype(float), names


def _are_numbers(levels: Sequence) -> bool:
    return all(isinstance(level, (int, float)) for level in levels)


def _codes(column: pd.Series, levels: Sequence) -> np.ndarray:
    """Which of the levels each value is; a number may be written as 1 or 1.0."""
    if _are_numbers(levels):
        return places(column.astype(float), [float(level) for level in levels])
    return places(column, levels)


def places(column: pd.Series, levels: Sequence) -> np.ndarray:
    """Which of the levels each value is; a value that is none of them is refused."""
    which = pd.Index([str(v) for v in levels]).get_indexer(pd.Index(column.astype(str)))
    if (which < 0).any():
        raise ValueError(
            f"{column.name!r} has the report {column[which < 0].tolist()[0]!r}, "
            f"which is none of {listed(levels)}"
        )
    return which


def as_reports(records: object, survey: Survey) -> pd.DataFrame:
    """A frame of words, as a CSV file has them, with the survey's questions and levels.

    >>> survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}])
    >>> as_reports(pd.DataFrame({"code": ["x"], "A": ["1"]}), survey)["A"].tolist()
    [1]
    """
    reports, columns, frame = scheme_of(survey).reports, {}, as_frame(records)
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


def _refuse_unfit(
    reports: pd.DataFrame, survey: Survey, attribute: str, covariates: Sequence[str]
) -> None:
    """Refuse what is not asked, more than two answers to explain, and nothing to explain them by."""
    for name in (attribute, *covariates):
        if name not in survey.attributes:
            raise ValueError(f"{name!r} is not asked; asked is {listed(survey.names)}")
    if attribute in covariates:
        raise ValueError(f"{attribute!r} cannot explain itself")
    if len(survey.attributes[attribute]) != 2:
        raise ValueError(
            f"a logistic regression needs two answers; {attribute!r} has "
            f"{listed(survey.attributes[attribute])}"
        )
    if not len(reports):
        raise ValueError("there are no reports: nothing can be explained")
