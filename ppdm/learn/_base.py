"""What the learners from tables share: scikit-learn's manners, and coding of records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ppdm import engines
from ppdm.table import Domain, Table, as_frame, listed, names_of


class CanUndo(Protocol):
    """What a learner asks of a scheme: that it turns a table of reports into one of true records.

    Undoing commutes with taking marginals, so a learner may undo whichever marginals it needs. A
    scheme that can undo all pairs of a table at once says so with `undo_pairs`.
    """

    def undo(self, table: Table) -> Table: ...


class CanCorrect(Protocol):
    """What is asked of a scheme: for a function of records, one of reports with the same mean."""

    def unbiased(
        self, right: Callable[[np.ndarray], np.ndarray], codes: np.ndarray, domain: Domain
    ) -> np.ndarray: ...


class TableClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is learned from a table; subclasses give `_learn` and `_scores`."""

    def fit(self, X: object, y: Sequence | str):
        """Learn from records: plain ones, or disguised ones if there is a mechanism.

        The class takes part in the disguise under the name of `y` (``"y"`` if it has none). If
        `y` is the name of a column of `X`, that is the class; then `X` may be anything that
        `ppdm.count` takes, files and frames of other engines among them.
        """
        records, target = _joined(X, y)
        return self._learn_records(records, target)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def predict(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """The likeliest class of each (undisguised) record."""
        digits = self._digits(X)
        return self.classes_[self._best(digits)]

    def score_table(self, table: Table) -> float:
        """The share of a table's records, true or estimated, that are classified rightly."""
        outcome = self.confusion(table)
        return float(outcome.diagonal().sum() / outcome.sum())

    def confusion(self, table: Table) -> np.ndarray:
        """The numbers of a table's records by [true class, predicted class]."""
        check_is_fitted(self)
        self._check_levels(table.domain)
        cells, values = table.occupied()
        axis, classes = table.domain.axis(self.target_), len(self.classes_)
        truth = cells // table.domain.strides[axis] % classes
        both = truth * classes + self._guesses(table.domain, cells)
        return np.bincount(both, values, minlength=classes**2).reshape(classes, classes)

    def is_right(self, domain: Domain):
        """The function of level numbers (cells, attributes) that says whether a record's class
        is the predicted one: what `Mechanism.unbiased` estimates the mean of."""
        check_is_fitted(self)
        self._check_levels(domain)
        columns = [domain.axis(name) for name in self.domain_.names]
        truth = domain.axis(self.target_)
        return lambda digits: (self._best(digits[:, columns]) == digits[:, truth]).astype(float)

    # -- inside ----------------------------------------------------------------------------

    def _remember(self, domain: Domain, target: str) -> None:
        self.target_ = target
        self.domain_ = _without(domain, target)
        self.classes_ = np.array(domain.levels[domain.axis(target)])
        names = self.domain_.names
        if not names:
            raise ValueError("there is nothing to learn from: the table has only the class")
        self.n_features_in_ = len(names)
        if all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)

    def _check_levels(self, domain: Domain) -> None:
        if _among(domain, self.domain_.names) != self.domain_:
            raise ValueError("the table's attributes have other levels than those learned from")

    def _guesses(self, domain: Domain, cells: np.ndarray) -> np.ndarray:
        """The number of the predicted class of each coded record."""
        columns = [domain.axis(name) for name in self.domain_.names]
        return self._best(domain.digits(cells)[:, columns])

    def _digits(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Level numbers of records; -1 for a value that did not occur in training."""
        check_is_fitted(self)
        frame = as_frame(X)
        if frame.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {frame.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        if isinstance(X, pd.DataFrame):
            missing = [name for name in self.domain_.names if name not in frame.columns]
            if missing:
                raise ValueError(f"the records lack the attributes {missing}")
            frame = frame[list(self.domain_.names)]
        columns = [
            column.to_numpy()
            if levels == (0, 1) and _is_binary(column)
            else pd.Index(levels).get_indexer(column.to_numpy(dtype=object))
            for (_, column), levels in zip(frame.items(), self.domain_.levels, strict=True)
        ]
        return np.column_stack(columns).astype(np.int64)


@lru_cache(maxsize=64)
def _among(domain: Domain, names: tuple[str, ...]) -> Domain:
    """`Domain.only`, remembered: a study asks for the same part a thousand times."""
    return domain.only(names)


@lru_cache(maxsize=64)
def _without(domain: Domain, target: str) -> Domain:
    return domain.only([name for name in domain.names if name != target])


def _is_binary(column: pd.Series) -> bool:
    return column.dtype.kind in "iub" and len(column) > 0 and column.isin((0, 1)).all()


def _joined(X, y) -> tuple[pd.DataFrame | engines.Source, str]:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(y, str):
        records = engines.opened(X) if engines.elsewhere(X) else as_frame(X)
        columns = names_of(records)
        if y not in columns:
            raise ValueError(f"the class {y!r} is no column; the records have {listed(columns)}")
        return records, y
    features = as_frame(X)
    target = getattr(y, "name", None) or "y"
    if target in features.columns:
        raise ValueError(f"the class has the name of an attribute: {target!r}")
    y = np.asarray(y)
    if len(y) != len(features):
        raise ValueError(f"{len(features)} records and {len(y)} classes do not go together")
    return features.assign(**{target: y}), target
