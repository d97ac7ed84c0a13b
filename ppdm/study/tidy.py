"""Tidy frames of results: repetitions dealt into draws, summarised, and what claims take from them.

An *extractor* takes a claim's evidence from the rows of a summary (coordinates, metric, mean, se, var,
var_se): a claim's entry names it, and its arguments. Errors go with what is taken: `se` with means, `var_se`
with variances.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

import numpy as np
import pandas as pd

from ppdm.scientific import stdtrit

ERRORS = defaultdict(
    lambda: "se", var="var_se", sd="sd_se"
)  # of means and what is made of them, of variances
#: In a column of draws: what all repetitions give together, where that is not the mean over the draws.
ALL = "all"


def with_spread(rows: pd.DataFrame, of: str) -> pd.DataFrame:
    """Rows of a summary with the standard deviation (sd, sd_se) beside the variance, where `of` asks for it."""
    if of != "sd":
        return rows
    sd = np.sqrt(rows["var"])
    error = (rows["var_se"] / (2 * sd)).where(sd > 0, 0.0)
    return rows.assign(sd=sd, sd_se=error)


def dealt(
    frame: pd.DataFrame,
    number: int = 10,
    column: str = "draw",
    *,
    least: int = 1,
    runs: bool = False,
) -> pd.DataFrame:
    """The repetitions of a frame dealt into draws of chance, one after the other.

    There are fewer draws than `number` where one would have fewer than `least` repetitions. With `runs`
    each draw has repetitions that follow one another, as a function that spreads them has made them.

    >>> frame = pd.DataFrame({"rep": range(4)})
    >>> dealt(frame, 2)["draw"].tolist(), dealt(frame, 2, runs=True)["draw"].tolist()
    ([0, 1, 0, 1], [0, 0, 1, 1])
    """
    reps = int(frame["rep"].max()) + 1
    number = number if least == 1 else max(2, min(number, reps // least))
    draw = frame["rep"] // (reps // number) if runs else frame["rep"] % number
    return frame.assign(**{column: draw})


def with_draws(frame: pd.DataFrame, summary: Callable | None = None) -> pd.DataFrame:
    """A summary of all repetitions (draw "all"), and of each of ten parts of them alone.

    >>> frame = pd.DataFrame({"rep": range(4), "metric": "m", "value": [1., 2, 3, 4]})
    >>> with_draws(frame).set_index("draw")["mean"].to_dict()
    {'all': 2.5, 0: 2.0, 1: 3.0}
    """
    parts = dict(tuple(dealt(frame, least=2).groupby("draw")))
    every = {ALL: frame} | {draw: part.drop(columns="draw") for draw, part in parts.items()}
    summary = summary or summarise
    return pd.concat([summary(part).assign(draw=draw) for draw, part in every.items()])


def in_worlds(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Frames one below the other, each under the name of its world.

    >>> in_worlds({"ours": pd.DataFrame({"q": [1]}), "wrong": pd.DataFrame({"q": [2]})})["world"].tolist()
    ['ours', 'wrong']
    """
    return pd.concat([frame.assign(world=world) for world, frame in frames.items()])


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
        return _between(summarise(frame), cluster)
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


def _between(within: pd.DataFrame, cluster: str) -> pd.DataFrame:
    """A summary over clusters, from a row a point and cluster."""
    by = list(within.columns[: within.columns.get_loc("reps")].drop(cluster))
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


# Extractors ---------------------------------------------------------------------------------------


def along(rows: pd.DataFrame, x: str, of: str = "mean", by: Sequence[str] = ()) -> dict:
    """Values along `x`, for a trend; a series for each combination of the coordinates `by`.

    >>> rows = pd.DataFrame({"q": [1, 0.5], "mean": [0.9, 0.8], "se": 0.1})
    >>> along(rows, "q")
    {'values': array([0.8, 0.9]), 'se': array([0.1, 0.1])}
    """
    rows = with_spread(rows, of)
    if not by:
        line = rows.sort_values(x)
        return {"values": line[of].to_numpy(), "se": line[ERRORS[of]].to_numpy()}
    wide = rows.pivot(index=list(by), columns=x, values=[of, ERRORS[of]])
    return {"values": wide[of].to_numpy(), "se": wide[ERRORS[of]].to_numpy(), "names": _names(wide)}


def loss_at(
    rows: pd.DataFrame, x: str, at: float, of: float, by: Sequence[str] = ("dataset",)
) -> dict:
    """The mean at one `x` minus that at another, for each combination of the coordinates `by`.

    >>> rows = pd.DataFrame({"dataset": "adult", "q": [1, 0.5], "mean": [0.9, 0.8], "se": [0.3, 0.4]})
    >>> loss_at(rows, "q", at=0.5, of=1)
    {'value': array([-0.1]), 'se': array([0.5]), 'names': ['adult']}
    """
    wide = rows.pivot(index=list(by), columns=x, values=["mean", "se"])
    value, se = wide["mean"][at] - wide["mean"][of], np.hypot(wide["se"][at], wide["se"][of])
    return {"value": value.to_numpy(), "se": se.to_numpy(), "names": _names(wide)}


def worst_of(rows: pd.DataFrame, of: str = "mean", by: Sequence[str] = ("dataset",)) -> dict:
    """All values, each named by the coordinates `by`: a rule decides by the worst of them.

    >>> worst_of(pd.DataFrame({"dataset": ["b", "a"], "mean": [1.0, 2], "se": 0.0}))["names"]
    ['a', 'b']
    """
    rows = with_spread(rows, of)
    return values_of(rows, of, by) | {"se": values_of(rows, ERRORS[of], by)["value"]}


def values_of(rows: pd.DataFrame, of: str = "mean", by: Sequence[str] = ("dataset",)) -> dict:
    """All values of a column, each named by the coordinates `by`; errors come from the spread between draws.

    >>> values_of(pd.DataFrame({"dataset": ["b", "a"], "range": [1.0, 2]}), of="range")
    {'value': array([2., 1.]), 'names': ['a', 'b']}
    """
    rows = rows.set_index(list(by)).sort_index()
    return {"value": rows[of].to_numpy(), "names": _names(rows)}


def differences_of(rows: pd.DataFrame, of: str = "mean", by: Sequence[str] = ("dataset",)) -> dict:
    """The same, for an ordering.

    >>> list(differences_of(pd.DataFrame({"dataset": ["a"], "gain": [1.0]}), of="gain"))
    ['differences', 'names']
    """
    evidence = values_of(rows, of, by)
    return {"differences": evidence.pop("value"), **evidence}


def number(rows: pd.DataFrame, of: str = "mean") -> dict:
    """The one number that the rows hold.

    >>> number(pd.DataFrame({"mean": [3.0]}))
    {'value': 3.0}
    """
    return {"value": rows[of].item()}


def between_ends(rows: pd.DataFrame, x: str, by: Sequence[str] = ("dataset",)) -> dict:
    """By how much the mean at the largest `x` is above each other, and each other above that at the least.

    >>> rows = pd.DataFrame({"dataset": "adult", "q": [0, 0.5, 1], "mean": [0.5, 0.8, 0.7], "se": 0.0})
    >>> gaps = between_ends(rows, "q")
    >>> gaps["differences"].round(6).tolist(), gaps["names"][:2]
    ([0.2, -0.1, 0.3, 0.2], ['adult, q = 0 below 1', 'adult, q = 0.5 below 1'])
    """
    gaps = []
    for name, line in rows.sort_values(x).groupby(list(by)):
        mean, se = line.set_index(x)["mean"], line.set_index(x)["se"]
        for end, sign, word in ((mean.index[-1], 1, "below"), (mean.index[0], -1, "above")):
            for q in mean.index.drop(end):
                label = f"{', '.join(map(str, name))}, {x} = {q:g} {word} {end:g}"
                gaps.append((sign * (mean[end] - mean[q]), np.hypot(se[end], se[q]), label))
    differences, errors, names = zip(*gaps)
    return {"differences": np.array(differences), "se": np.array(errors), "names": list(names)}


def sides(rows: pd.DataFrame) -> dict:
    """Two columns that are to be equal, `ours` and `theirs`; `names` says what each row is, if it is there.

    >>> sides(pd.DataFrame({"ours": [1.0], "theirs": [2.0], "names": "P(A)"}))
    {'ours': array([1.]), 'theirs': array([2.]), 'names': ['P(A)']}
    """
    both = {name: rows[name].to_numpy() for name in ("ours", "theirs")}
    return both | ({"names": rows["names"].tolist()} if "names" in rows else {})


def _names(rows: pd.DataFrame) -> list[str]:
    """What each row is, from its index: words as they stand, numbers with their name."""
    index = rows.index.to_frame()
    return [
        ", ".join(v if isinstance(v, str) else f"{n} = {v:g}" for n, v in zip(index.columns, row))
        for row in index.itertuples(index=False)
    ]


#: What a claim's entry may name after `from`, beside what its paper's rows.py has.
EXTRACTORS: dict[str, Callable[..., dict]] = {
    "along": along, "loss at": loss_at, "worst of": worst_of, "between ends": between_ends, "sides": sides,
    "values of": values_of, "differences of": differences_of, "number": number,
}  # fmt: skip


def extractor(name: str, module: ModuleType | None = None) -> Callable[..., dict]:
    """The extractor of a name: one of :data:`EXTRACTORS`, or a function of a paper's own module.

    >>> extractor("loss at") is loss_at
    True
    """
    known = EXTRACTORS.get(name) or getattr(module, name.replace(" ", "_"), None)
    if known is None:
        raise ValueError(
            f"no extractor is called {name!r}; there are {', '.join(EXTRACTORS)} and those of the paper's rows.py"
        )
    return known
