"""A disguised answer that explains another one: logistic regression with predictors that nobody has seen.

Of each respondent the likelihood sums over what her disguised predictors may truly be. How often each
combination is true among those with the same open covariates is estimated along with the coefficients, with nothing
assumed about it; so is the disguise of the outcome undone, if it has one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit, softmax

from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.estimate.interval import quantile
from ppdm.survey.relate import Regression, design, places, refuse_unfit

#: Shares of combinations that are estimated along with the coefficients.
MOST = 60
#: A step in which the likelihood's slope is differentiated, and the least curvature of a peak, in parts of the largest.
_STEP, _FLAT = 1e-5, 1e-7
#: Newton's steps after the search, each of which doubles the digits.
_NEWTON = 2


def regression(
    reports: pd.DataFrame,
    survey: Survey,
    attribute: str,
    covariates: Sequence[str],
    alpha: float = 0.05,
) -> Regression:
    """P(the true answer is the last level) by covariates, some of which are disguised; by maximum likelihood.

    >>> survey = Survey({"A": [0, 1], "B": [0, 1]},
    ...                 [{"mechanism": "warner", "p": 0.9, "attributes": ["A", "B"]}])
    >>> cells = {(0, 0): 400, (0, 1): 150, (1, 0): 150, (1, 1): 300}
    >>> asked = pd.DataFrame([dict(A=a, B=b) for (a, b), n in cells.items() for _ in range(n)])
    >>> regression(asked, survey, "A", ["B"]).table["coefficient"].round(2).tolist()
    [-1.61, 2.91]
    """
    refuse_unfit(reports, survey, attribute, covariates)
    hidden = [name for name in covariates if name in survey.protected]
    group = np.zeros(len(reports), dtype=np.int64)
    for name in covariates:
        if name not in hidden:
            levels = survey.attributes[name]
            group = group * len(levels) + places(reports[name], levels)
    group = np.unique(group, return_inverse=True)[1].reshape(-1)
    scheme, asked = scheme_of(survey), [attribute, *hidden]
    truth = survey.domain.only(asked)
    sent = scheme.reports.only(asked)
    cell = sent.codes(
        np.column_stack(
            [places(reports[n], own) for n, own in zip(asked, sent.levels, strict=True)]
        )
    )
    _, first, counts = np.unique(
        np.column_stack([group, cell]), axis=0, return_index=True, return_counts=True
    )
    chances = scheme.matrix(truth)[cell[first]].reshape(len(first), 2, -1)
    base, gain = chances[:, 0], chances[:, 1] - chances[:, 0]
    number, kinds = chances.shape[2], int(group.max()) + 1
    if kinds * (number - 1) > MOST:
        raise ValueError(
            f"{kinds} groups of open covariates with {number} combinations of disguised ones are too many to be "
            "told apart: join levels, or leave a covariate out"
        )
    rows, of = reports.iloc[first], group[first]
    digits = survey.domain.only(hidden).digits(np.arange(number))
    designs = []
    for combination in digits:
        named = {n: survey.attributes[n][d] for n, d in zip(hidden, combination, strict=True)}
        X, names = design(rows.astype(object).assign(**named), survey, covariates)
        designs.append(X)
    X = np.stack(designs, axis=1)  # [row, combination, term]
    terms = X.shape[2]

    def minus(theta: np.ndarray) -> tuple[float, np.ndarray]:
        beta, free = theta[:terms], theta[terms:].reshape(kinds, -1)
        shares = softmax(np.column_stack([np.zeros(kinds), free]), axis=1)[of]
        p = expit(X @ beta)
        each = base + gain * p
        chance = (shares * each).sum(axis=1)
        slope = shares * gain * p * (1 - p) * (counts / chance)[:, None]
        drift = shares * (each / chance[:, None] - 1) * counts[:, None]
        by_share = np.array([drift[of == k].sum(axis=0)[1:] for k in range(kinds)])
        by_term = np.einsum("rc,rct->t", slope, X)
        return -(counts @ np.log(chance)), -np.concatenate([by_term, by_share.ravel()])

    begin = np.zeros(terms + kinds * (number - 1))
    peak = minimize(minus, begin, jac=True, method="BFGS", options={"maxiter": 2000}).x
    steps = _STEP * np.eye(len(peak))

    def curvature(at: np.ndarray) -> np.ndarray:
        sides = np.array([minus(at + h)[1] - minus(at - h)[1] for h in steps]) / (2 * _STEP)
        return (sides + sides.T) / 2

    for _ in range(_NEWTON):
        information = curvature(peak)
        peak = peak - np.linalg.lstsq(information, minus(peak)[1], rcond=None)[0]
    information = curvature(peak)
    curves = np.linalg.eigvalsh(information)
    if not np.isfinite(peak).all() or curves.min() <= _FLAT * curves.max():
        raise ValueError(
            "the likelihood has no single peak: too few reports, or a share among the disguised predictors that is "
            "estimated as 0 or less"
        )
    se = np.sqrt(np.diag(np.linalg.inv(information))[:terms])
    found, half = peak[:terms], quantile(alpha) * se
    table = pd.DataFrame(
        {"term": names, "coefficient": found, "se": se, "low": found - half, "high": found + half}
    )
    return Regression(table, -float(minus(peak)[0]))
