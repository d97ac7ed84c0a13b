"""Tidy frames of results: means and variances with their errors, from the coins alone or between clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import stdtrit


def summarise(frame: pd.DataFrame, cluster: str | None = None) -> pd.DataFrame:
    """Mean and variance over the repetitions of each point and metric, with 95 % intervals.

    With `cluster`, the column of what repetitions share (``"split"``, say), a point's repetitions run
    over all clusters: the mean is that of the clusters' means and its error comes from the
    spread between them, since repetitions on one split are not independent. The variance is
    then that within a cluster, averaged, and its error comes from the clusters too.

    Values that are NaN count in no way: `reps` is the number of the others.

    The mean's interval is Student's. The variance's standard error uses the fourth moment, so
    that it does not assume normal values; its interval is symmetric on the logarithmic scale.

    >>> frame = pd.DataFrame({"q": 1, "rep": range(4), "metric": "m", "value": [1., 2, 3, 4]})
    >>> summarise(frame).round(3).to_dict("records")[0]["low"]
    0.446
    >>> frame["split"] = [0, 0, 1, 1]
    >>> summarise(frame, cluster="split").round(3).to_dict("records")[0]["se"]
    1.0
    """
    if cluster is not None:
        return _summarise_clusters(frame, cluster)
    by = [column for column in frame.columns if column not in ("rep", "value")]
    groups = frame.groupby(by, sort=False, dropna=False)["value"]
    out = groups.agg(reps="count", mean="mean", var="var").reset_index()
    centred = frame.assign(value=(frame["value"] - groups.transform("mean")) ** 4)
    fourth = centred.groupby(by, sort=False, dropna=False)["value"].mean().to_numpy()
    n, var = out["reps"].to_numpy(), out.pop("var").to_numpy()
    constant = (groups.max() == groups.min()).to_numpy() & (n > 1)
    var = np.where(constant, 0.0, var)  # rounding in the mean must not look like spread
    se = np.sqrt(var / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.where(n > 1, stdtrit(np.maximum(n - 1, 1), 0.975), np.nan) * se
        var_se = np.sqrt(np.maximum(fourth - var**2 * (n - 3) / (n - 1), 0) / n)
        spread = np.where(var > 0, np.exp(1.96 * var_se / var), 1.0)
    out["se"], out["low"], out["high"] = se, out["mean"] - half, out["mean"] + half
    out["var"], out["var_se"] = var, np.where(constant, 0.0, var_se)
    out["var_low"], out["var_high"] = var / spread, var * spread
    return out


def _summarise_clusters(frame: pd.DataFrame, cluster: str) -> pd.DataFrame:
    within = summarise(frame)  # a row a point and cluster
    by = [c for c in frame.columns if c not in ("rep", "value", cluster)]
    groups = within.groupby(by, sort=False, dropna=False)
    out = groups.agg(reps=("reps", "sum"), clusters=("mean", "count")).reset_index()
    for name, se, low, high in (
        ("mean", "se", "low", "high"),
        ("var", "var_se", "var_low", "var_high"),
    ):
        n = groups[name].count().to_numpy()  # a cluster of one repetition has no variance
        half = np.where(n > 1, stdtrit(np.maximum(n - 1, 1), 0.975), np.nan)
        middle = groups[name].mean().to_numpy()
        out[name], out[se] = middle, groups[name].std(ddof=1).to_numpy() / np.sqrt(n)
        out[low], out[high] = middle - half * out[se], middle + half * out[se]
    return out
