"""[Guo] What the paper does not ask: is a record traced, is its table like the original?

Each function is one cell of a study, like those of `experiment`.
"""

from itertools import product

import numpy as np
import pandas as pd

from ppdm.distort.aibr import aibr, intervals
from ppdm.papers.aibr.evidence import SCHEMES_IN_TABLE, claim_id
from ppdm.papers.aibr.experiment import SCHEMES
from ppdm.papers.aibr.readings import OURS, READINGS, TABLE_1
from ppdm.papers.common import each_group, split
from ppdm.privacy.linkage import assignment_share, interval_share, nearest_share
from ppdm.scientific import ks_2samp, ndtr
from ppdm.study import rules


def tracing(rng, reps, dataset, scheme, k, e, *, tables):
    """The share of released training rows traced to their originals, by three attacks."""
    X, y = tables[dataset]
    found = []
    for _ in range(reps):
        train, _ = split(len(X), rng)
        A, B = X[train], SCHEMES[scheme](X[train], y[train], k, e, rng)
        shares = {"nearest": nearest_share(A, B), "matched": assignment_share(A, B)}
        if scheme == "AIBR":
            shares["by interval"] = interval_share(A, B, k)
        found.append(shares)
    return {attack: np.array([f[attack] for f in found]) for attack in found[0]}


def tracing_with_few(rng, reps, dataset, scheme, k, e, known, *, tables):
    """The share traced by the nearest original when only `known` attributes, at random, are known."""
    X, y = tables[dataset]
    shares = np.empty(reps)
    for rep in range(reps):
        train, _ = split(len(X), rng)
        A, B = X[train], SCHEMES[scheme](X[train], y[train], k, e, rng)
        shares[rep] = nearest_share(A, B, known=rng.permutation(X.shape[1])[:known])
    return {"nearest": shares}


def likeness(rng, reps, dataset, scheme, k, e, *, tables):
    """How alike the original and the released training rows are, alone, in pairs, and jointly.

    Released values are first rounded like the original ones, so that decimals alone tell nothing.
    "KS": the largest difference of the two distribution functions, mean over the attributes, and
    "largest KS", of the worst one. "correlation": the largest change of a correlation between two
    attributes. "own value": the mean correlation of a released value with its own original; 0 if
    they were independent. "told apart": the accuracy of a random forest that tells real records
    from released ones, on persons it has not seen; 1/2 if it cannot.
    """
    X, y = tables[dataset]
    found = []
    for _ in range(reps):
        train, _ = split(len(X), rng)
        A = X[train]
        B = rounded_like(X, SCHEMES[scheme](A, y[train], k, e, rng))
        m = A.shape[1]
        ks = [ks_2samp(a, b, method="asymp").statistic for a, b in zip(A.T, B.T)]
        between = _correlations(np.hstack([A, B]))
        found.append(
            (
                np.mean(ks),
                np.max(ks),
                np.abs(between[:m, :m] - between[m:, m:]).max(),
                between[:m, m:].diagonal().mean(),
                _told_apart(A, B, rng),
            )
        )
    names = ("KS", "largest KS", "correlation", "own value", "told apart")
    return dict(zip(names, np.array(found).T))


def closeness(rng, reps, dataset, k, *, tables):
    """[Guo, Section 3] The mean KS distance of AIBR's attributes from the original ones.

    ``KS`` as released, ``KS rounded`` with as many decimals as the original values have.
    """
    X, _ = tables[dataset]
    found = np.empty((reps, 2))
    for rep in range(reps):
        A = X[split(len(X), rng)[0]]
        released = aibr(A, k, rng)
        for i, B in enumerate((released, rounded_like(X, released))):
            distances = [ks_2samp(a, b, method="asymp").statistic for a, b in zip(A.T, B.T)]
            found[rep, i] = np.mean(distances)
    return dict(zip(("KS", "KS rounded"), found.T))


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
    X, _ = tables[dataset]
    shares = np.empty((reps, 2))
    for rep in range(reps):
        A = X[split(len(X), rng)[0]]
        cell = intervals(aibr(A, k, rng), k, A.min(axis=0), A.max(axis=0))
        right = [_right_guesses(a, c) for a, c in zip(A.T, cell.T)]
        blind = [_right_guesses(a, np.zeros_like(c)) for a, c in zip(A.T, cell.T)]
        shares[rep] = np.sum(right) / A.size, np.sum(blind) / A.size
    return {"released": shares[:, 0], "nothing": shares[:, 1]}


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


def which_world(values: pd.DataFrame, claims: dict) -> pd.DataFrame:
    """[Guo, Table 1] How well each combination of all readings explains the printed numbers.

    `values` are runs of `experiment.metrics` under all `readings.combinations`. A row a combination
    and data set: the `log likelihood` of its twenty cells, and how many `agree` by the claims' rule.
    """
    keys = ["dataset", "scheme", "metric", "reading"]
    cells: dict[tuple[str, str, str], list[float]] = {}
    for (dataset, scheme, metric, reading), part in each_group(values, keys):
        claim, sample = claims[claim_id(dataset, scheme, metric)], rules.sample(part["value"])
        at = cells.setdefault((dataset, scheme, reading), [0.0, 0])
        at[0] += np.log(likelihood(sample, claim.printed))
        at[1] += rules.agree(**sample, **claim.given).met
    rows = []
    for names in product(*_alternatives().values()):
        for dataset in values["dataset"].unique():
            found = [cells[dataset, scheme, _reading(names, scheme)] for scheme in SCHEMES_IN_TABLE]
            told = " + ".join(filter(None, names)) or OURS
            rows.append((told, dataset, *np.sum(found, axis=0)))
    frame = pd.DataFrame(rows, columns=["reading", "dataset", "log likelihood", "agree"])
    return frame.astype({"agree": int})


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


def _alternatives() -> dict[str, list[str]]:
    """The questions about Table 1, each with its answers; ours is the empty name."""
    questions: dict[str, list[str]] = {}
    for name in TABLE_1[1:]:
        questions.setdefault(READINGS[name].question, [""]).append(name)
    return questions


def _reading(names, scheme: str) -> str:
    """Those of several readings that concern a scheme, as one name."""
    own = [n for n in names if n and any(f"-{scheme}-" in claim for claim in READINGS[n].touches)]
    return " + ".join(own) or OURS
