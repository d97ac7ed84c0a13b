"""The nearest neighbour as WEKA's IBk decides it."""

import numpy as np
from numpy.typing import ArrayLike

from ppdm.compiled import njit, refuse_slow
from ppdm.learn.bases import (
    BaseEstimator,
    ClassifierMixin,
    check_classification_targets,
    check_is_fitted,
    validate_data,
)


class NearestNeighbour(ClassifierMixin, BaseEstimator):
    """One nearest neighbour on attributes scaled to [0, 1]; all at the same smallest distance vote.

    The scale comes from the training rows; an attribute constant there does not count. Equal votes
    go to the first class. Distances are equal when their floating-point numbers are, which depends
    on the order of the additions: the sum of squares runs over the attributes from left to right.

    Parameters
    ----------
    growing_ranges : bool
        IBk widens an attribute's range whenever a row to be classified lies outside it, and keeps
        it so for the rows that follow: a prediction then depends on the rows before it. True does
        the same within one call of `predict`, for equality with WEKA.

    >>> X, y = [[0, 0], [1, 0], [0, 1], [5, 5]], ["a", "b", "b", "c"]
    >>> NearestNeighbour().fit(X, y).predict([[0.5, 0.5], [4, 4]]).tolist()
    ['b', 'c']
    """

    def __init__(self, growing_ranges: bool = False) -> None:
        self.growing_ranges = growing_ranges

    def fit(self, X: ArrayLike, y: ArrayLike) -> "NearestNeighbour":
        """Remember the rows of ``X`` and their classes ``y``."""
        rows, classes = validate_data(self, X, y, dtype=float, order="C")
        check_classification_targets(classes)
        self.classes_, self._labels = np.unique(classes, return_inverse=True)
        self._rows: np.ndarray = rows.copy()
        return self

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Share of the votes, one column a class of ``classes_``."""
        votes = self._votes(X)
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The class with most votes, the first in ``classes_`` if several have."""
        winners = self._votes(X).argmax(axis=1)
        return self.classes_[winners]

    def _votes(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        targets: np.ndarray = validate_data(self, X, dtype=float, order="C", reset=False)
        refuse_slow(
            3.0 * len(targets) * self._rows.size, f"comparing with {len(self._rows):,} rows"
        )
        targets = targets.copy()  # read-only arrays would have the kernel compiled once more
        return _count_votes(
            self._rows, self._labels, len(self.classes_), targets, bool(self.growing_ranges)
        )


@njit
def _scaled(rows: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    scaled = np.zeros_like(rows)
    for a in range(rows.shape[1]):
        if np.isinf(high[a] - low[a]):  # the halves of such numbers lie in reach of each other
            scaled[:, a] = (rows[:, a] / 2 - low[a] / 2) / (high[a] / 2 - low[a] / 2)
        elif high[a] > low[a]:
            scaled[:, a] = (rows[:, a] - low[a]) / (high[a] - low[a])
    return scaled


@njit
def _count_votes(
    rows: np.ndarray, labels: np.ndarray, n_classes: int, targets: np.ndarray, growing_ranges: bool
) -> np.ndarray:
    n_attributes = rows.shape[1]
    low, high = np.empty(n_attributes), np.empty(n_attributes)
    for a in range(n_attributes):
        low[a], high[a] = rows[:, a].min(), rows[:, a].max()
    scaled_rows, scaled_targets = _scaled(rows, low, high), _scaled(targets, low, high)
    votes = np.zeros((targets.shape[0], n_classes))
    for t in range(targets.shape[0]):
        if growing_ranges and ((targets[t] < low) | (targets[t] > high)).any():
            low, high = np.minimum(low, targets[t]), np.maximum(high, targets[t])
            scaled_rows, scaled_targets = _scaled(rows, low, high), _scaled(targets, low, high)
        smallest = np.inf
        for i in range(rows.shape[0]):
            distance = 0.0
            for a in range(n_attributes):
                difference = scaled_targets[t, a] - scaled_rows[i, a]
                distance += difference * difference
                if distance > smallest:
                    break
            if distance < smallest:
                smallest = distance
                votes[t] = 0.0
            if distance == smallest:
                votes[t, labels[i]] += 1.0
    return votes
