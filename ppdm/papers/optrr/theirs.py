"""[Huang & Du, VI.C.1] Which normal distribution was theirs? Four printed limits against all readings.

The paper says neither how its normal is cut into ten, nor its mean, nor its deviation. Each combination
gives Warner's four limits, with the spread of a data set of 10,000 that is drawn. How likely are the
printed, rounded numbers under it? A combination is chosen on three limits and judged on the fourth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm

from ppdm.papers.aibr.beyond import likelihood
from ppdm.papers.optrr.evidence import DELTAS, warner_limits
from ppdm.papers.optrr.experiment import normal_prior

PRINTED = ("0.6", "0.5", "0.4", "0.22")
#: How a normal becomes ten shares.
SHAPES = {
    "tails cut off": normal_prior,
    "tails in the outer bins": lambda mean, sd: np.diff(
        np.r_[0, norm.cdf(np.arange(1.5, 10), mean, sd), 1]
    ),
    "density at the middles": lambda mean, sd: (
        norm.pdf(np.arange(1, 11), mean, sd) / norm.pdf(np.arange(1, 11), mean, sd).sum()
    ),
}
#: Deviations in bins: to the tenth, and those of ten bins over so many deviations to either side.
TENTHS = tuple(float(sd) for sd in np.arange(10, 31) / 10)
REACHES = (2.0, 2.5, 3.0, 3.5, 4.0)


def combinations() -> list[dict]:
    """All readings of the normal: shape, mean, deviation in bins, and a name.

    >>> found = combinations()
    >>> len(found), found[7]["reading"]
    (141, 'unit bins, tails cut off, mean 5.5, deviation 1.7')
    """
    every = [
        (shape, mean, sd, f"unit bins, {shape}, mean {mean:g}, deviation {sd:g}")
        for shape in SHAPES
        for mean in (5.5, 5.0)
        for sd in TENTHS
    ] + [
        (shape, 5.5, 5 / reach, f"ten bins over ±{reach:g} deviations, {shape}")
        for shape in SHAPES
        for reach in REACHES
    ]
    return [dict(zip(("shape", "mean", "sd", "reading"), one, strict=True)) for one in every]


def limits_of_all(
    rng: np.random.Generator, draws: int = 20, respondents: int = 10_000, only: Iterable = ()
) -> pd.DataFrame:
    """Warner's limits of data sets drawn under each combination; a row a combination and bound.

    >>> one = limits_of_all(np.random.default_rng(1), draws=4, only=combinations()[7:8])
    >>> one["mean"].round(2).tolist()
    [0.6, 0.51, 0.38, 0.22]
    """
    rows = []
    for one in only or combinations():
        prior = SHAPES[one["shape"]](one["mean"], one["sd"])
        drawn = rng.multinomial(respondents, prior, size=draws) / respondents
        limits = np.array([warner_limits(each) for each in drawn])
        rows += [
            {"reading": one["reading"], "delta": delta, "mean": of.mean(), "sd": of.std(ddof=1),
             "reps": draws, "log likelihood": np.log(likelihood(
                 {"mean": of.mean(), "sd": of.std(ddof=1), "reps": draws}, printed, paper_reps=1))}
            for delta, of, printed in zip(DELTAS, limits.T, PRINTED, strict=True)
        ]  # fmt: skip
    return pd.DataFrame(rows)


def judged_on_the_fourth(
    limits: pd.DataFrame, deltas: Sequence[float] = tuple(DELTAS)
) -> pd.DataFrame:
    """For each limit: the combination that explains the *other* three best, and how it does here.

    `chance` is that of the printed number, each combination weighing as much as it explains the other
    three; `chance of any` is the same with all combinations alike.

    >>> two = pd.DataFrame({"reading": ["a"] * 4 + ["b"] * 4, "delta": DELTAS * 2,
    ...     "mean": 0.5, "log likelihood": np.log([.9, .9, .9, .9, .1, .1, .1, .5])})
    >>> found = judged_on_the_fourth(two)
    >>> found["chosen on the others"].tolist(), found["chance"].round(3).tolist()[3]
    (['a', 'a', 'a', 'a'], 0.899)
    """
    logs = limits.pivot(index="reading", columns="delta", values="log likelihood")[list(deltas)]
    means = limits.pivot(index="reading", columns="delta", values="mean")
    rows = []
    for delta, printed in zip(deltas, PRINTED, strict=True):
        others = logs.drop(columns=delta).sum(axis=1)
        chosen = others[others > others.max() - 1e-9].index  # in the order of names where equal
        weights, here = np.exp(others - others.max()), np.exp(logs[delta])
        rows.append({
            "delta": delta, "printed": printed, "chosen on the others": chosen[0],
            "its limit": means.loc[chosen[0], delta], "its chance": here[chosen[0]],
            "chance": (weights @ here) / weights.sum(), "chance of any": here.mean(),
        })  # fmt: skip
    return pd.DataFrame(rows)
