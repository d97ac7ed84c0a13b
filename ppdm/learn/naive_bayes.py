"""[Zhan & Matwin 2.3] Naive Bayes from tables of pairs (attribute, class)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ppdm.disguise import Mechanism
from ppdm.learn._base import TableClassifier
from ppdm.table import Domain, Table, count


class NaiveBayes(TableClassifier):
    """[Zhan & Matwin 2.3] argmax over v of P(v) times the product of P(a_i, v) / P(v).

    Only the class counts and the pair counts (attribute, class) are needed, so any number of
    attributes will do; with a mechanism each of these small tables is undone by itself.

    Parameters
    ----------
    mechanism
        How the records were disguised; ``None`` for plain ones.
    alpha
        Added to every pair count, as in scikit-learn's CategoricalNB. ``alpha=0`` is the paper's
        formula to the letter; a pair that never occurs then rules a class out.

    Estimated counts can be negative. The choice made here: a negative count counts as zero, and
    after `alpha` is added the shares P(a_i | v) are scaled to sum to one within their class. A
    class whose own count is not positive is never predicted. `n_clipped_` says how many counts
    were negative.

    >>> X = pd.DataFrame({"A": [0, 0, 1, 1], "B": [0, 1, 0, 1]})
    >>> NaiveBayes().fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    def __init__(self, mechanism: Mechanism | None = None, alpha: float = 1.0):
        self.mechanism = mechanism
        self.alpha = alpha

    def fit_table(self, table: Table, target: str | None = None) -> NaiveBayes:
        """Learn from a table of reports (of plain records without a mechanism); the class is the
        last attribute if it is not named."""
        target = table.names[-1] if target is None else target
        pairs = [table.marginal(name, target) for name in table.names if name != target]
        return self._learn(table.domain, target, table.marginal(target), pairs)

    def _learn_records(self, records: pd.DataFrame, target: str) -> NaiveBayes:
        pairs = [count(records[[name, target]]) for name in records.columns if name != target]
        totals = count(records[[target]])
        levels = {name: lev for table in pairs for name, lev in zip(table.names, table.levels)}
        domain = Domain(tuple(levels), tuple(levels.values()))
        return self._learn(domain, target, totals, pairs)

    def _learn(self, domain, target: str, totals: Table, pairs: Sequence[Table]) -> NaiveBayes:
        if self.alpha < 0:
            raise ValueError(f"alpha must not be negative; got {self.alpha!r}")
        undo = self.mechanism.undo if self.mechanism is not None else lambda table: table
        self._remember(domain, target)
        self.class_count_ = undo(totals).dense
        self.category_count_ = [undo(pair).dense.T for pair in pairs]  # (classes, levels)
        self.n_clipped_ = int(
            (self.class_count_ < 0).sum() + sum((c < 0).sum() for c in self.category_count_)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.maximum(self.class_count_, 0)
            self.class_log_prior_ = np.log(weights) - np.log(weights.sum())
            self.feature_log_prob_ = [
                np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
                for smoothed in (np.maximum(c, 0) + self.alpha for c in self.category_count_)
            ]
        return self

    def _joint_log_likelihood(self, digits: np.ndarray) -> np.ndarray:
        joint = np.tile(self.class_log_prior_, (len(digits), 1))
        for column, log_prob in zip(digits.T, self.feature_log_prob_, strict=True):
            known = column >= 0  # a value that never occurred says nothing about the class
            joint[known] += log_prob.T[column[known]]
        return np.where(np.isnan(joint), -np.inf, joint)

    def _best(self, digits: np.ndarray) -> np.ndarray:
        return self._joint_log_likelihood(digits).argmax(axis=1)

    def predict_proba(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """The share of each class, as naive Bayes sees it."""
        joint = self._joint_log_likelihood(self._digits(X))
        largest = joint.max(axis=1, keepdims=True)
        impossible = ~np.isfinite(largest)  # every class ruled out: nothing is known
        weights = np.where(impossible, 1.0, np.exp(joint - np.where(impossible, 0, largest)))
        return weights / weights.sum(axis=1, keepdims=True)
