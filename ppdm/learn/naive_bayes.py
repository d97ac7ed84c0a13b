"""[Zhan & Matwin 2.3] Naive Bayes from tables of pairs (attribute, class)."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ppdm import kinds
from ppdm.compiled import njit
from ppdm.domain import Domain, refuse_other_columns
from ppdm.learn._base import CanUndo, TableClassifier
from ppdm.table import Pairs, Table, count, count_marginals, names_of

#: One record by itself costs as much as so many sums over half of the attributes.
_BLOCKS = 64


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

    def __init__(self, mechanism: CanUndo | None = None, alpha: float = 1.0) -> None:
        self.mechanism = mechanism
        self.alpha = alpha

    def fit_table(self, table: Table, target: str | None = None) -> NaiveBayes:
        """Learn from a table of reports (of plain records without a mechanism); the class is the
        last attribute if it is not named."""
        return self.fit_pairs(table.pairs(table.names[-1] if target is None else target))

    def fit_pairs(self, pairs: Pairs) -> NaiveBayes:
        """Learn from the pair counts of reports (of plain records without a mechanism)."""
        if self.alpha < 0:
            raise ValueError(f"alpha must not be negative; got {self.alpha!r}")
        if self.mechanism is None:
            for kind in pairs.kind if isinstance(pairs.kind, tuple) else (pairs.kind,):
                kinds.need("learn", kind)
        else:
            at_once = getattr(self.mechanism, "undo_pairs", None)
            pairs = at_once(pairs) if at_once else pairs.mapped(self.mechanism.undo)
        self._remember(pairs.domain, pairs.target, pairs.totals.sum())
        self.pairs_, self.class_count_ = pairs, pairs.totals
        self.n_clipped_ = int((pairs.totals < 0).sum() + (pairs.values < 0).sum())
        weights = np.maximum(pairs.totals, 0)
        smoothed = np.maximum(pairs.values, 0) + self.alpha * pairs.exists
        with np.errstate(divide="ignore", invalid="ignore"):
            self.class_log_prior_ = np.log(weights) - np.log(weights.sum())
            self._log_shares = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        return self

    def _learn_records(
        self, records: object, target: str, levels: Domain | None, weights: ArrayLike | None
    ) -> NaiveBayes:
        columns = names_of(records)
        if levels is not None:
            refuse_other_columns(columns, levels)
        sets = [*([name, target] for name in columns if name != target), [target]]
        if weights is None:
            *tables, totals = count_marginals(records, sets, levels)
        else:
            *tables, totals = (count(records, levels, weights, names) for names in sets)
        return self.fit_pairs(Pairs.of(tables, target, totals))

    @property
    def category_count_(self) -> list[np.ndarray]:
        """The (estimated) counts of each attribute, as (classes, levels)."""
        return self._by_attribute(self.pairs_.values)

    @property
    def feature_log_prob_(self) -> list[np.ndarray]:
        """log P(a | v) of each attribute, as (classes, levels)."""
        return self._by_attribute(self._log_shares)

    def _by_attribute(self, values: np.ndarray) -> list[np.ndarray]:
        return [row[:size].T for row, size in zip(values, self.domain_.shape, strict=True)]

    def _joint_log_likelihood(self, digits: np.ndarray) -> np.ndarray:
        joint = _joint(digits, self.class_log_prior_, self._log_shares)
        return np.where(np.isnan(joint), -np.inf, joint)

    def _best(self, digits: np.ndarray) -> np.ndarray:
        return self._joint_log_likelihood(digits).argmax(axis=1)

    def _guesses(self, domain: Domain, cells: np.ndarray) -> np.ndarray:
        sizes, first = self.domain_.shape, _half(self.domain_.shape)
        blocks = math.prod(sizes[:first]) + math.prod(sizes[first:])
        if blocks > _BLOCKS * len(cells) or domain.names[:-1] != self.domain_.names:
            return super()._guesses(domain, cells)
        codes = cells // domain.shape[-1]
        return _guess(codes, np.array(sizes), first, self.class_log_prior_, self._log_shares)

    def predict_proba(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """The share of each class, as naive Bayes sees it."""
        joint = self._joint_log_likelihood(self._digits(X))
        largest = joint.max(axis=1, keepdims=True)
        impossible = ~np.isfinite(largest)  # every class ruled out: nothing is known
        weights = np.where(impossible, 1.0, np.exp(joint - np.where(impossible, 0, largest)))
        return weights / weights.sum(axis=1, keepdims=True)


@njit(cache=True)
def _joint(digits: np.ndarray, log_prior: np.ndarray, log_shares: np.ndarray) -> np.ndarray:
    """log P(v) + sum of log P(a_i | v); a value that never occurred says nothing about the class."""
    joint = np.empty((len(digits), len(log_prior)))
    for i in range(len(digits)):
        for v in range(len(log_prior)):
            joint[i, v] = log_prior[v]
            for a in range(digits.shape[1]):
                if digits[i, a] >= 0:
                    joint[i, v] += log_shares[a, digits[i, a], v]
    return joint


@njit(cache=True)
def _guess(
    codes: np.ndarray, sizes: np.ndarray, first: int, log_prior: np.ndarray, log_shares: np.ndarray
) -> np.ndarray:
    """The predicted class of coded records: two look-ups, in the sums over either half of the
    attributes. A class that is ruled out twice (nan) is ruled out."""
    high = _sums(log_prior, log_shares[:first], sizes[:first])
    low = _sums(np.zeros(len(log_prior)), log_shares[first:], sizes[first:])
    best = np.zeros(len(codes), dtype=np.int64)
    for i in range(len(codes)):
        above, below = divmod(codes[i], low.shape[1])
        most = -np.inf
        for v in range(len(log_prior)):
            joint = high[v, above] + low[v, below]
            if joint > most:  # never so of nan
                best[i], most = v, joint
    return best


@njit(cache=True)
def _sums(start: np.ndarray, log_shares: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """[class, cell] of some attributes: they come in one after the other, each in place."""
    sums = np.empty((len(start), sizes.prod()))
    for v in range(len(start)):
        sums[v, 0] = start[v]
        filled = 1
        for a in range(len(sizes)):
            for cell in range(filled - 1, -1, -1):
                before = sums[v, cell]
                for level in range(sizes[a] - 1, -1, -1):
                    sums[v, cell * sizes[a] + level] = before + log_shares[a, level, v]
            filled *= sizes[a]
    return sums


@lru_cache(maxsize=64)
def _half(shape: tuple[int, ...]) -> int:
    """After how many attributes the cells of either part are fewest."""
    parts = [math.prod(shape[:k]) + math.prod(shape[k:]) for k in range(len(shape) + 1)]
    return parts.index(min(parts))
