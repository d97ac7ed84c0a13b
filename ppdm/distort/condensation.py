"""Condensation: gather records in groups of at least k, release look-alikes of each group."""

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.compiled import njit
from ppdm.distort._checks import numeric_matrix, on_varying_columns, whole_number

#: The square of a distance between such values is finite, for as many attributes as there may be.
LARGEST = 1e140


def condense(X: ArrayLike, k: int, rng: np.random.Generator) -> np.ndarray:
    """[Aggarwal & Yu 2004] The number of the group, of at least k records, of each record.

    A random record and its k - 1 nearest among those left make a group, until fewer than k are
    left; each of these joins the group with the nearest mean. Distances are Euclidean.

    >>> condense([[0.0], [9.0], [0.1], [9.1]], k=2, rng=np.random.default_rng(0))
    array([0, 1, 0, 1])
    """
    rng = generator(rng)
    A = numeric_matrix(X)
    k = whole_number(k, "k", len(A), "the number of records")
    if np.abs(A).max() > LARGEST:
        raise ValueError(
            f"The data hold values above {LARGEST:g}, and the squares of their distances cannot be "
            "computed: divide them first."
        )
    return _groups(A, k, rng.permutation(len(A)))


def kcg(X: ArrayLike, k: int, rng: np.random.Generator) -> np.ndarray:
    """[Guo, Section 3; Aggarwal & Yu 2004] Replace each group of k records by k look-alikes.

    Of a group only its size, mean and covariance are used. New records are drawn from these:
    independent and uniform along the eigenvectors of the covariance, with its eigenvalues as
    variances. (A uniform variable of variance v has range sqrt(12 v).) A record's place is taken
    by any look-alike of its own group.

    >>> kcg([[0.0, 5.0], [0.0, 5.0], [9.0, 5.0], [9.0, 5.0]], 2, np.random.default_rng(0))
    array([[0., 5.],
           [0., 5.],
           [9., 5.],
           [9., 5.]])
    """
    rng = generator(rng)
    A = numeric_matrix(X)
    k = whole_number(k, "k", len(A), "the number of records")
    return on_varying_columns(A, lambda B: _look_alikes(B, condense(B, k, rng), rng))


def kcg_by_class(X: ArrayLike, y: ArrayLike, k: int, rng: np.random.Generator) -> np.ndarray:
    """[Aggarwal & Yu 2004, Section 3] `kcg` within each class, so that no group mixes classes.

    >>> X = np.array([[0.0], [0.0], [9.0], [9.0]])
    >>> kcg_by_class(X, ["a", "a", "b", "b"], 2, np.random.default_rng(0)).ravel()
    array([0., 0., 9., 9.])
    """
    rng = generator(rng)
    A, y = numeric_matrix(X), np.asarray(y)
    if y.ndim != 1:
        raise ValueError(
            f"y must be a list of one class for each record, but its shape is {y.shape}."
        )
    if len(y) != len(A):
        raise ValueError(f"There are {len(A)} records but {len(y)} classes.")
    labels, sizes = np.unique(y, return_counts=True)
    whole_number(k, "k", sizes.min(), "the size of the smallest class")
    out = A.copy()
    for label in labels:
        out[y == label] = kcg(A[y == label], k, rng)
    return out


def _look_alikes(A: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For every group: the mean, plus uniform noise along the eigenvectors of the covariance."""
    size = np.bincount(group)
    mean = np.stack([np.bincount(group, column) for column in A.T], axis=1) / size[:, None]
    centred = A - mean[group]
    covariance = np.zeros((len(size), A.shape[1], A.shape[1]))
    np.add.at(covariance, group, centred[:, :, None] * centred[:, None, :])
    values, vectors = np.linalg.eigh(covariance / size[:, None, None])
    largest = np.abs(vectors).argmax(axis=1, keepdims=True)
    vectors *= np.sign(np.take_along_axis(vectors, largest, axis=1))  # the same on every machine
    width = np.sqrt(12 * np.maximum(values, 0))  # rounding can leave an eigenvalue of -1e-17
    steps = (rng.random(A.shape) - 0.5) * width[group]
    return mean[group] + np.einsum("nij,nj->ni", vectors[group], steps)


@njit
def _groups(A: np.ndarray, k: int, order: np.ndarray) -> np.ndarray:
    """Group numbers; `order` is the random order in which records are tried as seeds."""
    n, m = A.shape
    group = np.full(n, -1)
    distance = np.empty(n)
    groups, left = 0, n
    for seed in order:
        if group[seed] >= 0 or left < k:
            continue
        for i in range(n):
            distance[i] = np.inf if group[i] >= 0 else np.sum((A[i] - A[seed]) ** 2)
        distance[seed] = -1.0  # the seed leads its own group, whatever copies of it there are
        for i in np.argsort(distance)[:k]:
            group[i] = groups
        groups, left = groups + 1, left - k
    mean = np.zeros((groups, m))
    for i in range(n):
        if group[i] >= 0:
            mean[group[i]] += A[i] / k
    for i in range(n):
        if group[i] < 0:
            nearest, best = 0, np.inf
            for g in range(groups):
                d = np.sum((A[i] - mean[g]) ** 2)
                if d < best:
                    nearest, best = g, d
            group[i] = nearest
    return group
