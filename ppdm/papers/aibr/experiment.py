"""[Guo, Section 3] The paper's two experiments on a release: the metrics of Table 1, and its usability.

Each function is one point of a study (see `ppdm.study`). `tables` maps a data set's short name to its
attributes and classes, as `numbers_of` returns them; hand it over with `functools.partial`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ppdm import data
from ppdm.data import SHORT
from ppdm.distort.aibr import aibr
from ppdm.distort.condensation import kcg, kcg_by_class
from ppdm.distort.svd import bsvd, ssvd
from ppdm.domain import held
from ppdm.papers.aibr.readings import OURS, options_of
from ppdm.papers.common import split
from ppdm.privacy.ranks import METRICS, rank_metrics
from ppdm.scientific import cdist

SCHEMES: dict[str, Callable] = {
    "AIBR": lambda X, y, k, e, rng: aibr(X, k, rng),
    "BSVD": lambda X, y, k, e, rng: bsvd(X, k),
    "SSVD": lambda X, y, k, e, rng: ssvd(X, k, e),
    "kCG": lambda X, y, k, e, rng: kcg(X, k, rng),
    "kCG by class": lambda X, y, k, e, rng: kcg_by_class(X, y, k, rng),
    # Wrong worlds: what a rule must tell from a release, or accept where a sentence is true.
    "plain noise": lambda X, y, k, e, rng: noise_like(X, aibr(X, k, rng), rng),
    "kCG, groups at random": lambda X, y, k, e, rng: scattered(X, k, rng),
    "records drawn anew": lambda X, y, k, e, rng: X[rng.integers(len(X), size=len(X))],
    "columns shuffled": lambda X, y, k, e, rng: rng.permuted(X, axis=0),
    "original": lambda X, y, k, e, rng: X.copy(),
}

# [Guo, Section 3] The parameters the paper chose; e is 0 where a method has none.
CHOSEN: list[dict[str, Any]] = [
    {"dataset": "WBC", "scheme": "AIBR", "k": 2, "e": 0.0},
    {"dataset": "WBC", "scheme": "kCG", "k": 9, "e": 0.0},
    {"dataset": "WBC", "scheme": "BSVD", "k": 7, "e": 0.0},
    {"dataset": "WBC", "scheme": "SSVD", "k": 7, "e": 0.45},
    {"dataset": "PID", "scheme": "AIBR", "k": 4, "e": 0.0},
    {"dataset": "PID", "scheme": "kCG", "k": 5, "e": 0.0},
    {"dataset": "PID", "scheme": "BSVD", "k": 6, "e": 0.0},
    {"dataset": "PID", "scheme": "SSVD", "k": 6, "e": 0.15},
]


#: What the data sets of the paper are called on the pages; coordinates of cells keep its own names.
NAMES = {"WBC": SHORT["breast-cancer-wisconsin"], "PID": SHORT["pima"]}

SCHEMES_IN_TABLE = ("AIBR", "kCG", "BSVD", "SSVD")  # as Table 1 has them
BALANCED = ", balanced"  # ends the name of a classifier's balanced accuracy


def noise_like(X, released, rng: np.random.Generator) -> np.ndarray:
    """The records plus even noise, of each attribute as large as a release has moved it.

    >>> X = np.zeros((1000, 1))
    >>> moved = noise_like(X, X + 3.0, np.random.default_rng(1))
    >>> bool(abs((moved**2).mean() - 9) < 1)
    True
    """
    size = np.sqrt(3 * ((released - X) ** 2).mean(axis=0))
    return X + rng.uniform(-1, 1, X.shape) * size


def scattered(X, k: int, rng: np.random.Generator) -> np.ndarray:
    """kCG with groups of `k` that are drawn at random, so that they are condensed of anything.

    >>> scattered(np.arange(8.0)[:, None], 4, np.random.default_rng(1)).shape
    (8, 1)
    """
    order, released = rng.permutation(len(X)), np.empty_like(X)
    for rows in np.array_split(order, max(len(X) // k, 1)):
        values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(X[rows].T, bias=True)))
        steps = (rng.random(X[rows].shape) - 0.5) * np.sqrt(12 * values.clip(0))
        released[rows] = X[rows].mean(axis=0) + steps @ vectors.T
    return released


def numbers_of(dataset) -> tuple[np.ndarray, np.ndarray]:
    """The attributes of a `ppdm.data.Dataset` as floats, and its classes as 0, 1, ...

    >>> from ppdm import data
    >>> X, y = numbers_of(data.load("pima"))
    >>> X.shape, y.sum()
    ((768, 8), np.int64(268))
    """
    X = dataset.frame[dataset.features].to_numpy(dtype=float)
    return X, np.unique(dataset.frame[dataset.target], return_inverse=True)[1]


@lru_cache(maxsize=2)
def tables_of(source: str | None = None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Attributes and classes of the paper's two data sets, read-only; of Breast Cancer what is complete and not repeated.

    >>> [X.shape for X, _ in tables_of().values()]
    [(449, 9), (768, 8)]
    """
    cancer = data.load("breast-cancer-wisconsin", source).complete().distinct()
    both = {"WBC": cancer, "PID": data.load("pima", source)}
    kept = {name: numbers_of(each) for name, each in both.items()}
    return {name: (held(X), held(y)) for name, (X, y) in kept.items()}


# Table 1 ----------------------------------------------------------------------------------------


def metrics(rng, reps, dataset, scheme, k, e, reading=OURS, *, tables):
    """[Guo, Table 1] The five metrics of a release, under our reading, another, or several (" + ")."""
    how = options_of(reading)
    X, y = tables[dataset]
    X = _rescale(X, how.get("scale"))
    values = np.empty((reps, len(METRICS)))
    for rep in range(reps):
        rows = np.arange(len(X)) if how.get("rows") == "all" else split(len(X), rng)[0]
        A = X[rows]
        B = _release_as_read(how, scheme, A, y[rows], k, e, rng)
        values[rep] = list(rank_metrics(A, B, ties=how.get("ties", "ordinal")).values())
    return dict(zip(METRICS, values.T))


def _rescale(X, scale):
    if scale == "range":
        return (X - X.min(axis=0)) / np.ptp(X, axis=0)
    if scale == "deviation":
        return (X - X.mean(axis=0)) / X.std(axis=0)
    return X


def _release_as_read(how, scheme, A, y, k, e, rng):
    shift = A.mean(axis=0) if how.get("centre") else 0.0
    if scheme == "SSVD":
        return ssvd(A - shift, k, e, threshold=how.get("threshold", "together")) + shift
    if scheme == "kCG" and how.get("by_class"):
        scheme = "kCG by class"
    return SCHEMES[scheme](A - shift, y, k, e, rng) + shift


# Usability --------------------------------------------------------------------------------------


def parameters(dataset: str, tables, last: int | None = None) -> list[tuple[str, int, float]]:
    """[Guo, Section 3] What is tried on a data set: (scheme, k, e), AIBR's k from 1 to n/20.

    The paper names no list for the other methods. BSVD gets every k; SSVD its k of BSVD and e in
    steps of .05; kCG, with and without classes, k from 1 to 12 and then every third up to AIBR's.
    """
    X, _ = tables[dataset]
    largest = round(0.8 * len(X) / 20)
    last = min(last or largest, largest)
    kept = next(c["k"] for c in CHOSEN if c["dataset"] == dataset and c["scheme"] == "SSVD")
    tried = [("AIBR", k, 0.0) for k in range(1, last + 1)]
    tried += [("BSVD", k, 0.0) for k in range(1, X.shape[1] + 1)]
    tried += [("SSVD", kept, round(0.05 * i, 2)) for i in range(1, 19)]
    sizes = [k for k in range(1, last + 1) if k <= 12 or k % 3 == 0]
    tried += [(scheme, k, 0.0) for scheme in ("kCG", "kCG by class") for k in sizes]
    return tried


def usability(rng, dataset, rep, *, tables, last=None):
    """[Guo, Section 3] Accuracy of the classifiers trained on released rows, for one 80/20 split.

    Everything is tried on the same split, so that differences are paired. Test rows are read in
    two ways: "original" (the training rows are released, the test rows are as they were) and
    "released" (the whole table is released, then split). Scheme "none" is the original data.
    """
    X, y = tables[dataset]
    train, test = split(len(X), rng)
    original = accuracies(X[train], y[train], X[test], y[test])
    rows = [("none", 0, 0.0, "original", name, right) for name, right in original.items()]
    for scheme, k, e in parameters(dataset, tables, last):
        part = SCHEMES[scheme](X[train], y[train], k, e, rng)
        whole = SCHEMES[scheme](X, y, k, e, rng)
        for reading, found in {
            "original": accuracies(part, y[train], X[test], y[test]),
            "released": accuracies(whole[train], y[train], whole[test], y[test]),
        }.items():
            rows += [(scheme, k, e, reading, name, right) for name, right in found.items()]
    names = ("scheme", "k", "e", "reading", "metric", "value")
    return dict(zip(names, map(list, zip(*rows))))


def accuracies(X, y, X_test, y_test) -> dict[str, float]:
    """The share of right answers of WEKA's IBk (one neighbour), SMO and J48, trained on X, y.

    "NN unscaled" is the nearest neighbour by plain distance: IBk scales the attributes to [0, 1].
    Of the paper's three, the balanced accuracy too: the mean share within a class.
    """
    from ppdm.learn import weka_like

    models = {"IBk": weka_like.ibk(), "SMO": weka_like.smo(), "J48": weka_like.j48()}
    answers = {name: model.fit(X, y).predict(X_test) for name, model in models.items()}
    each = {name + BALANCED: balanced_accuracy(given, y_test) for name, given in answers.items()}
    answers["NN unscaled"] = y[cdist(X_test, X, "sqeuclidean").argmin(axis=1)]
    return {name: float((given == y_test).mean()) for name, given in answers.items()} | each


def balanced_accuracy(given: np.ndarray, truth: np.ndarray) -> float:
    """The mean of the shares that are right within each class: 1/2 for one who says the same of all.

    >>> balanced_accuracy(np.array([0, 0, 0, 0]), np.array([0, 0, 0, 1]))
    0.5
    """
    return float(np.mean([(given == truth)[truth == c].mean() for c in np.unique(truth)]))
