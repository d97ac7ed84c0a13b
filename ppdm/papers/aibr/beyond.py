"""[Guo] What the paper does not ask: is a record traced, is its table like the original?

Each function is one cell of a study, like those of `experiment`.
"""

import numpy as np
from scipy.stats import ks_2samp

from ppdm.distort.aibr import aibr, intervals
from ppdm.papers.aibr.experiment import SCHEMES, split
from ppdm.privacy.linkage import assignment_share, interval_share, nearest_share


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
