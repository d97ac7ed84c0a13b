"""[Guo, Section 3] From accuracies to losses r, and from these to a method's parameter.

A release is usable if r is below 0.02 for every classifier. Of the usable parameters, the one that
protects most is chosen: few intervals, few components, many dropped entries, large groups.
"""

import numpy as np
import pandas as pd

from ppdm.papers.common import each_group
from ppdm.scientific import stdtrit

LIMIT = 0.02
SETTING = ["dataset", "scheme", "k", "e", "reading"]
STRONG = {
    "AIBR": ("k", "small"),
    "BSVD": ("k", "small"),
    "SSVD": ("e", "large"),
    "kCG": ("k", "large"),
    "kCG by class": ("k", "large"),
}


def losses(accuracy: pd.DataFrame) -> pd.DataFrame:
    """[Guo, Section 3] r = (R_o - R_p) / R_o of the mean accuracies, with its 95 % interval.

    `accuracy` is the frame of `experiment.usability`: rows of scheme "none" hold R_o. The interval
    uses that R_o and R_p were measured on the same splits.

    >>> rows = [("none", 0, .9, 0), ("none", 0, .8, 1), ("AIBR", 2, .9, 0), ("AIBR", 2, .63, 1)]
    >>> frame = pd.DataFrame(rows, columns=["scheme", "k", "value", "rep"]).assign(
    ...     dataset="WBC", e=0.0, reading="original", metric="J48")
    >>> losses(frame)[["scheme", "k", "metric", "mean"]].round(3).to_dict("records")
    [{'scheme': 'AIBR', 'k': 2, 'metric': 'J48', 'mean': 0.1}]
    """
    released, original = _paired(accuracy)
    groups = [*SETTING, "metric"]
    pairs = released.merge(original, on=["dataset", "metric", "rep"])
    means = pairs.groupby(groups, sort=False)[["value", "original"]].transform("mean")
    pairs["r"] = 1 - means["value"] / means["original"]
    pairs["residual"] = (1 - pairs["r"]) * pairs["original"] - pairs["value"]
    found = (
        pairs.groupby(groups, sort=False)
        .agg(
            reps=("rep", "size"),
            mean=("r", "first"),
            residual=("residual", "std"),
            original=("original", "mean"),
        )
        .reset_index()
    )
    found["se"] = found.pop("residual") / np.sqrt(found["reps"]) / found.pop("original")
    reach = stdtrit(found["reps"] - 1, 0.975) * found["se"]
    return found.assign(low=found["mean"] - reach, high=found["mean"] + reach)


def pick(usable: pd.Series, scheme: str) -> float:
    """The parameter of a scheme that protects most among the usable ones; NaN if none is.

    `usable` says yes or no for each parameter, its index.

    >>> pick(pd.Series({1: False, 2: True, 3: False, 4: True}), "AIBR")
    2.0
    >>> pick(pd.Series({0.1: True, 0.5: True, 0.9: False}), "SSVD")
    0.5
    """
    allowed = usable.index[usable.to_numpy(dtype=bool)]
    if len(allowed) == 0:
        return np.nan
    return float(allowed.min() if STRONG[scheme][1] == "small" else allowed.max())


def picks(accuracy: pd.DataFrame, draws: int, rng: np.random.Generator) -> pd.DataFrame:
    """What the rule picks, and what it would pick in another run of as many repetitions.

    Another run is imagined `draws` times by a bootstrap in two steps. Our repetitions, resampled
    with replacement, are a guess at the truth; repetitions drawn from that guess are the other run.
    So both our error and the other run's count, as in the rule for printed numbers. All parameters
    and classifiers are resampled together. A row for each data set, scheme, reading and parameter
    that is ever picked: `picked` marks our own choice, `share` is that of the imagined runs.
    """
    released, original = _paired(accuracy)
    reps = original["rep"].nunique()
    truths = rng.multinomial(reps, np.full(reps, 1 / reps), draws) / reps
    weights = np.vstack([np.ones(reps), rng.multinomial(reps, truths)]).T
    R_o = original.pivot(index=["dataset", "metric"], columns="rep", values="original") @ weights
    rows = []
    for (dataset, scheme, reading), part in each_group(released, ["dataset", "scheme", "reading"]):
        name = STRONG[scheme][0]
        R_p = part.pivot(index=[name, "metric"], columns="rep", values="value") @ weights
        loss = 1 - R_p / R_o.loc[dataset].loc[R_p.index.get_level_values("metric")].to_numpy()
        usable = (loss < LIMIT).groupby(level=name).all()
        chosen = _pick_each(usable, scheme)
        shares = chosen[1:].value_counts(normalize=True, dropna=False)
        if chosen[0] not in shares.index and not np.isnan(chosen[0]):
            shares.loc[chosen[0]] = 0.0
        for value, share in zip(shares.index, shares, strict=True):
            same = value == chosen[0] or (np.isnan(value) and np.isnan(chosen[0]))
            rows.append((dataset, scheme, reading, name, value, same, share))
    return pd.DataFrame(
        rows, columns=["dataset", "scheme", "reading", "parameter", "value", "picked", "share"]
    )


def _pick_each(usable: pd.DataFrame, scheme: str) -> pd.Series:
    """`pick` of every column, all at once; the index ascends."""
    allowed = usable.to_numpy(dtype=bool)
    smallest, largest = allowed.argmax(axis=0), len(allowed) - 1 - allowed[::-1].argmax(axis=0)
    row = smallest if STRONG[scheme][1] == "small" else largest
    values = usable.index.to_numpy(dtype=float)[row]
    return pd.Series(np.where(allowed.any(axis=0), values, np.nan))


def _paired(accuracy):
    plain = accuracy["scheme"] == "none"
    original = accuracy.loc[plain, ["dataset", "metric", "rep", "value"]]
    return accuracy[~plain], original.rename(columns={"value": "original"})
