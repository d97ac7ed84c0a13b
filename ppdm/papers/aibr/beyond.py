"""[Guo] What the paper does not ask: is a record traced, is its table like the original?

Each function but the last two is a point of a study, like those of `experiment`.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from ppdm.distort.aibr import intervals
from ppdm.papers.aibr.experiment import SCHEMES, SCHEMES_IN_TABLE
from ppdm.papers.aibr.readings import alternatives, concerns, joined
from ppdm.papers.common import columns, each_group, split
from ppdm.privacy.linkage import assignment_share, interval_share, nearest_share
from ppdm.scientific import ks_2samp, ndtr
from ppdm.study import rules


def _releases(rng, reps, dataset, scheme, k, e, tables) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """So many training parts and their releases."""
    X, y = tables[dataset]
    for _ in range(reps):
        train, _ = split(len(X), rng)
        yield X[train], SCHEMES[scheme](X[train], y[train], k, e, rng)


def tracing(rng, reps, dataset, scheme, k, e, *, tables):
    """The share of released training rows traced to their originals, by three attacks."""
    shares = []
    for A, B in _releases(rng, reps, dataset, scheme, k, e, tables):
        shares.append({"nearest": nearest_share(A, B), "matched": assignment_share(A, B)})
        if scheme == "AIBR":
            shares[-1]["by interval"] = interval_share(A, B, k)
    return columns(shares)


def tracing_with_few(rng, reps, dataset, scheme, k, e, known, *, tables):
    """The share traced by the nearest original when only `known` attributes, at random, are known."""
    return {
        "nearest": np.array([
            nearest_share(A, B, known=rng.permutation(A.shape[1])[:known])
            for A, B in _releases(rng, reps, dataset, scheme, k, e, tables)
        ])
    }  # fmt: skip


def likeness(rng, reps, dataset, scheme, k, e, *, tables):
    """How alike the original and the released training rows are, alone, in pairs, and jointly.

    Released values are first rounded like the original ones, so that decimals alone tell nothing.
    "KS": the largest difference of the two distribution functions, mean over the attributes, and
    "largest KS", of the worst one. "correlation": the largest change of a correlation between two
    attributes. "own value": the mean correlation of a released value with its own original; 0 if
    they were independent. "told apart": the accuracy of a random forest that tells real records
    from released ones, on persons it has not seen; 1/2 if it cannot.
    """
    measures = []
    for A, released in _releases(rng, reps, dataset, scheme, k, e, tables):
        B = rounded_like(tables[dataset][0], released)
        m, ks, between = A.shape[1], _distances(A, B), _correlations(np.hstack([A, B]))
        measures.append({
            "KS": np.mean(ks), "largest KS": np.max(ks),
            "correlation": np.abs(between[:m, :m] - between[m:, m:]).max(),
            "own value": between[:m, m:].diagonal().mean(), "told apart": _told_apart(A, B, rng),
        })  # fmt: skip
    return columns(measures)


def closeness(rng, reps, dataset, k, *, tables):
    """[Guo, Section 3] The mean KS distance of AIBR's attributes from the original ones.

    ``KS`` as released, ``KS rounded`` with as many decimals as the original values have.
    """
    return columns([
        {"KS": np.mean(_distances(A, B)),
         "KS rounded": np.mean(_distances(A, rounded_like(tables[dataset][0], B)))}
        for A, B in _releases(rng, reps, dataset, "AIBR", k, 0.0, tables)
    ])  # fmt: skip


def _distances(A, B) -> list[float]:
    """The Kolmogorov-Smirnov distance of each attribute."""
    return [ks_2samp(a, b, method="asymp").statistic for a, b in zip(A.T, B.T)]


def _correlations(Z):
    """The correlation matrix; a constant column (SSVD can make one) has correlation 0."""
    centred = Z - Z.mean(axis=0)
    size = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(size > 0, size, 1)
    return unit.T @ unit


def rounded_like(X, B):
    """`B` with each attribute rounded to as many decimals as its values in `X` have.

    >>> rounded_like(np.array([[1.0, 0.25], [2.0, 0.5]]), np.array([[1.27, 0.333]]))
    array([[1.  , 0.33]])
    """
    decimals = [next((d for d in range(12) if (x == x.round(d)).all()), 12) for x in X.T]
    return np.stack([b.round(d) for b, d in zip(B.T, decimals)], axis=1)


def _told_apart(A, B, rng):
    from sklearn.ensemble import RandomForestClassifier

    half = len(A) // 2
    order = rng.permutation(len(A))
    seen, new = order[:half], order[half:]
    forest = RandomForestClassifier(50, min_samples_leaf=2, random_state=int(rng.integers(2**31)))
    forest.fit(np.vstack([A[seen], B[seen]]), np.repeat([0, 1], len(seen)))
    answers = forest.predict(np.vstack([A[new], B[new]]))
    return (answers == np.repeat([0, 1], len(new))).mean()


def exact_guesses(rng, reps, dataset, k, *, tables):
    """How often an original value is guessed exactly, from an AIBR release and without one.

    The attacker knows how common each value of an attribute is, and the intervals. "released": he
    names the most common value of the interval that the released value lies in; "nothing": the
    most common value of all. Shares over all attributes and training rows.
    """
    shares = []
    for A, B in _releases(rng, reps, dataset, "AIBR", k, 0.0, tables):
        cell = intervals(B, k, A.min(axis=0), A.max(axis=0))
        shares.append({
            name: np.sum([_right_guesses(a, c) for a, c in zip(A.T, at.T)]) / A.size
            for name, at in (("released", cell), ("nothing", np.zeros_like(cell)))
        })  # fmt: skip
    return columns(shares)


def _right_guesses(values, cell):
    """Right answers of one who names the most common value of each cell."""
    return sum(np.unique(values[cell == c], return_counts=True)[1].max() for c in np.unique(cell))


# Which world was theirs? --------------------------------------------------------------------------


def likelihood(
    sample: dict, printed: str, paper_reps: int = 50, unexplained: float = 0.05
) -> float:
    """The chance that a paper prints this number, if its world is ours.

    Its mean of `paper_reps` repetitions differs from ours by both Monte Carlo errors; what is
    printed is rounded. With a chance of `unexplained` the cell was made in another way, and any number
    of as many decimals, up to twice the larger of the two, is as likely as any other.

    >>> sample = {"mean": 0.42, "sd": 0.01, "reps": 200}
    >>> round(likelihood(sample, "0.42"), 3), round(likelihood(sample, "0.50"), 4)
    (0.949, 0.0005)
    """
    number, half = rules.printed_number(printed)
    error = sample["sd"] * np.sqrt(1 / sample["reps"] + 1 / paper_reps)
    low, high = ((number + side * half - sample["mean"]) for side in (-1, 1))
    if error > 0:
        explained = ndtr(high / error) - ndtr(low / error)
    else:
        explained = float(low - 1e-12 <= 0 <= high + 1e-12)
    numbers = max(number, abs(sample["mean"]), half) / half  # how many there are up to twice that
    return float((1 - unexplained) * explained + unexplained / max(numbers, 1.0))


def which_world(values: pd.DataFrame, given: dict) -> pd.DataFrame:
    """[Guo, Table 1] How well each combination of all readings explains the printed numbers.

    `values` are runs of `experiment.metrics` under all `readings.combinations`, `given` what the rule of the
    claim on Table 1 has: printed numbers by name. A row a combination and data set: the `log likelihood` of
    its twenty numbers, and how many `agree` by the rule.
    """
    cells = []
    for (*cell, reading), part in each_group(values, ["dataset", "scheme", "metric", "reading"]):
        sample, number = rules.sample(part["value"]), given["printed"][", ".join(cell)]
        met = rules.agree(**sample, **(given | {"printed": number})).met
        cells.append((cell[0], reading, cell[1], np.log(likelihood(sample, number)), int(met)))
    head = ["dataset", "reading", "scheme", "log likelihood", "agree"]
    each = pd.DataFrame(cells, columns=head).groupby(head[:3], sort=False).sum()
    rows = []
    for names in product(*alternatives()):
        for dataset in values["dataset"].unique():
            own = [
                (dataset, joined(n for n in names if n and concerns(n, scheme)), scheme)
                for scheme in SCHEMES_IN_TABLE
            ]
            rows.append(
                {"reading": joined(names), "dataset": dataset} | each.loc[own].sum().to_dict()
            )
    return pd.DataFrame(rows).astype({"agree": int})


def judged_elsewhere(worlds: pd.DataFrame) -> pd.DataFrame:
    """A combination chosen on one data set, judged on the other, beside what the others get there.

    >>> worlds = pd.DataFrame({"reading": ["a", "b"] * 2, "dataset": ["WBC"] * 2 + ["PID"] * 2,
    ...                        "log likelihood": [-1.0, -5, -2, -3], "agree": [20, 7, 19, 12]})
    >>> judged_elsewhere(worlds)["agree there"].tolist()
    [19, 20]
    """
    rows, names = [], list(worlds["dataset"].unique())
    table = worlds.set_index(["dataset", "reading"])
    for here, there in zip(names, names[::-1], strict=True):
        chosen = table.loc[here, "log likelihood"].idxmax()
        judged = table.loc[there]
        mine = judged.loc[chosen]
        rows.append({
            "chosen on": here, "reading": chosen, "agree here": int(table.loc[(here, chosen), "agree"]),
            "judged on": there, "agree there": int(mine["agree"]),
            "most there": int(judged["agree"].max()), "median there": float(judged["agree"].median()),
            "rank there": int((judged["log likelihood"] > mine["log likelihood"] + 1e-9).sum()) + 1,
            "of": len(judged),
        })  # fmt: skip
    return pd.DataFrame(rows)
