"""Who says yes: regressions of a disguised answer; an unrelated question whose share nobody knows; how many to ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.domain import as_frame, listed
from ppdm.estimate.interval import quantile
from ppdm.estimate.shares import worth

#: A maximum of the likelihood is none if a step of so much along some direction lowers it by less than this.
_STEP, _FLAT = 10.0, 0.01


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


def regression(
    reports: pd.DataFrame,
    survey: Survey,
    attribute: str,
    covariates: Sequence[str],
    alpha: float = 0.05,
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
    z = quantile(alpha)
    refuse_unfit(reports, survey, attribute, covariates)
    for name in covariates:
        if name in survey.protected:
            raise ValueError(
                f"{name!r} is disguised: ppdm.survey.latent has the regression for what nobody has seen"
            )
    scheme = scheme_of(survey)
    M = scheme.matrix(survey.domain.only([attribute]))
    levels = scheme.reports.only([attribute]).levels[0]
    y = places(reports[attribute], levels)
    X, names = design(reports, survey, covariates)
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
    _refuse_separated(minus, found.x, found.fun, information, X)
    se = np.sqrt(np.diag(np.linalg.inv(information)))
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


def _refuse_separated(
    minus: Callable, peak: np.ndarray, least: float, information: np.ndarray, X: np.ndarray
) -> None:
    """Where the likelihood hardly falls along some direction, its coefficients have no bound there."""
    direction = np.linalg.eigh(information)[1][:, 0]
    step = _STEP * direction / np.abs(X @ direction).max()
    if min(minus(peak + step), minus(peak - step)) - least < _FLAT:
        raise ValueError(
            "the covariates separate the answers: in some group nobody, or everybody, seems to say so, and a "
            "coefficient has no bound. Leave a covariate out, or join groups"
        )


def design(reports: pd.DataFrame, survey: Survey, covariates) -> tuple[np.ndarray, list[str]]:
    """The intercept and the covariates as columns of numbers."""
    columns, names = [np.ones(len(reports))], ["(intercept)"]
    for name in covariates:
        levels = survey.attributes[name]
        if all(isinstance(level, (int, float)) for level in levels):
            which = places(reports[name].astype(float), [float(level) for level in levels])
            columns.append(np.array(levels, dtype=float)[which])
            names.append(name)
        else:
            which = places(reports[name], levels)
            for number, other in enumerate(levels[1:], 1):
                columns.append((which == number).astype(float))
                names.append(f"{name}: {other}")
    return np.column_stack(columns), names


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


def refuse_unfit(
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
