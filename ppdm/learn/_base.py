"""What the learners from tables share: scikit-learn's manners, and coding of records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import pandas as pd

from ppdm import engines, kinds
from ppdm.domain import Domain, as_frame, beside, level_numbers, listed
from ppdm.learn.bases import (
    BaseEstimator,
    ClassifierMixin,
    DataConversionWarning,
    check_is_fitted,
)
from ppdm.table import Reported, Table, checked_weights, count, names_of

if TYPE_CHECKING:
    from sklearn.utils import Tags

#: The name of a class that has none.
UNNAMED = "y"
#: What is said of no records, of which no share is right.
NOTHING = "there are no records to score: give at least one"


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

    def fit(self, X: object, y: Sequence | str, sample_weight: Sequence | None = None) -> Self:
        """Learn from records: plain ones, or disguised ones if there is a mechanism.

        The class takes part in the disguise under the name of `y` (``"y"`` if it has none). If
        `y` is the name of a column of `X`, that is the class; then `X` may be anything that
        `ppdm.count` takes, files and frames of other engines among them. A mechanism that a survey
        has bound says which levels there are; records that do not match are refused. Weights, one a
        record, count as so many records.

        Parameters
        ----------
        X
            Records without the class; or with it, if `y` is its name.
        y
            The classes, or the name of their column.
        sample_weight
            How many people each record stands for.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If records and classes do not match each other or the mechanism.
        """
        records, target = _joined(X, y, self._class_name(X, y))
        return self._learn_records(records, target, self._reports(), sample_weight)

    def score(
        self, X: pd.DataFrame | np.ndarray, y: Sequence, sample_weight: Sequence | None = None
    ) -> float:
        """The share of records that are classified rightly.

        With a mechanism, `X` and `y` are reports, disguised as those learned from, and the score is
        the unbiased estimate of the share among the true records behind them [Zhan & Matwin 2.4;
        Zhan & Du 4.6]; it may leave the range from 0 to 1. For true records ask the accuracy of
        :meth:`predict`. Without one, they are true records, and reports are refused.

        Parameters
        ----------
        X, y
            Test records and their classes: reports if there is a mechanism, else true ones.
        sample_weight
            How many people each record stands for.

        Returns
        -------
        float
            The share of right answers among the true records.

        Raises
        ------
        ValueError
            If the records are not what the mechanism reports.
        """
        check_is_fitted(self)
        frame = self._features(X)
        if not len(frame):
            raise ValueError(NOTHING)
        name = getattr(y, "name", None)
        if name is not None and name != self.target_ != UNNAMED:
            raise ValueError(f"the class is called {name!r}; learned was {self.target_!r}")
        records, _ = _joined(frame, y, self.target_)
        assert isinstance(records, pd.DataFrame)  # as the features are
        domain = self.record_domain_.only(list(records.columns))
        if self.mechanism is None:
            kinds.need("learn", kinds.of_frame(records))
            columns, _ = level_numbers(records, domain)
            right = self._best(np.column_stack(columns[:-1]).astype(np.int64)) == columns[-1]
            if sample_weight is None:
                return float(right.mean())
            weights = beside(frame, sample_weight, "the weights")
            return float(np.average(right, weights=checked_weights(weights, len(right))))
        if not hasattr(self.mechanism, "unbiased"):
            raise ValueError(
                f"{type(self.mechanism).__name__} cannot estimate a share of the true records "
                "from reports: it has no method unbiased"
            )
        report_domain = getattr(self.mechanism, "reported", lambda domain: domain)
        table = count(records, report_domain(domain), sample_weight)
        values, numbers = self.worth(table, self.mechanism)
        return float(np.average(values, weights=numbers))

    def worth(self, table: Table, mechanism: CanCorrect) -> tuple[np.ndarray, np.ndarray]:
        """What each occupied cell of reports is worth for the share of right answers, and its reports."""
        if hasattr(mechanism, "check_reports"):
            mechanism.check_reports(table)
        cells, numbers = table.occupied()
        if not numbers.sum():
            raise ValueError(NOTHING)
        true = getattr(mechanism, "true_domain", lambda domain: domain)(table.domain)
        return mechanism.unbiased(self.is_right(true), cells, table.domain), numbers

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def predict(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """The likeliest class of each (undisguised) record; a frame of reports is refused.

        So a scorer that compares predictions with reported classes, as ``scoring="accuracy"`` does,
        cannot take the share among reports for that among people.

        Parameters
        ----------
        X
            True records.

        Returns
        -------
        numpy.ndarray
            A class for each.

        Raises
        ------
        ValueError
            If the records were disguised, or hold a value that no level is.
        """
        digits = self._digits(X)
        return self.classes_[self._best(digits)]

    def score_table(self, table: Table) -> float:
        """The share of a table's records, true or estimated, that are classified rightly."""
        outcome = self.confusion(table)
        size = outcome.sum()
        if size == 0:
            raise ValueError(NOTHING)
        return float(outcome.diagonal().sum() / size)

    def confusion(self, table: Table) -> np.ndarray:
        """The numbers of a table's records by [true class, predicted class]."""
        check_is_fitted(self)
        kinds.need("learn", table.kind)
        self._check_levels(table.domain)
        cells, values = table.occupied()
        axis, classes = table.domain.axis(self.target_), len(self.classes_)
        truth = cells // table.domain.strides[axis] % classes
        both = truth * classes + self._guesses(table.domain, cells)
        return np.bincount(both, values, minlength=classes**2).reshape(classes, classes)

    def is_right(self, domain: Domain) -> Callable[[np.ndarray], np.ndarray]:
        """The function of level numbers (cells, attributes) that says whether a record's class
        is the predicted one: what `Mechanism.unbiased` estimates the mean of."""
        check_is_fitted(self)
        self._check_levels(domain)
        columns = [domain.axis(name) for name in self.domain_.names]
        truth = domain.axis(self.target_)
        return lambda digits: (self._best(digits[:, columns]) == digits[:, truth]).astype(float)

    # -- inside ----------------------------------------------------------------------------

    def _reports(self) -> Domain | None:
        """What the mechanism says of the reports, if a survey has bound it."""
        if self.mechanism is not None and not hasattr(self.mechanism, "undo"):
            raise ValueError(
                "mechanism is None or something that can undo a table, such as scheme_of(survey); "
                f"got {self.mechanism!r}"
            )
        return getattr(self.mechanism, "reports", None)

    def _class_name(self, X: object, y: object) -> str:
        """The name under which the class takes part in the disguise; refused if it is a guess."""
        name, reports = y if isinstance(y, str) else getattr(y, "name", None), self._reports()
        if name is not None:
            return name
        scheme_names = getattr(self.mechanism, "named", None) if reports is None else reports.names
        if scheme_names is None or UNNAMED in scheme_names:
            return UNNAMED
        left = [n for n in scheme_names if n not in as_frame(X).columns]
        if len(left) == 1:
            return left[0]
        raise ValueError(
            "the class has no name, so it is not known how it was disguised: give it as a Series "
            f"with its name; the mechanism names {listed(scheme_names)}"
        )

    def _remember(self, domain: Domain, target: str, records: float | None = None) -> None:
        if not all(domain.shape):
            name = domain.names[domain.shape.index(0)]
            raise ValueError(f"{name!r} has no levels: there are no records, and none are declared")
        if records is not None and records == 0:
            raise ValueError("there are no records to learn from")
        self.target_ = target
        self.record_domain_ = domain
        self.domain_ = domain.only([name for name in domain.names if name != target])
        self.classes_ = as_they_are(domain.levels[domain.axis(target)])
        names = self.domain_.names
        if not names:
            raise ValueError("there is nothing to learn from: the table has only the class")
        self.n_features_in_ = len(names)
        if all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)

    def _check_levels(self, domain: Domain) -> None:
        """Refuse other levels than those learned from, of the class as of an attribute."""
        own = self.record_domain_
        if domain == own:
            return
        for name, levels in zip(own.names, own.levels, strict=True):
            others = domain.levels[domain.axis(name)]
            if others != levels:
                raise ValueError(
                    f"{name!r} has the levels {listed(others)} in the table, and {listed(levels)} "
                    "in what was learned from: count the records with these, as "
                    "count(records, levels=model.record_domain_) does"
                )

    def _guesses(self, domain: Domain, cells: np.ndarray) -> np.ndarray:
        """The number of the predicted class of each coded record."""
        columns = [domain.axis(name) for name in self.domain_.names]
        return self._best(domain.digits(cells)[:, columns])

    def _digits(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Level numbers of records; a value that did not occur in training is refused."""
        check_is_fitted(self)
        names = [name for name in kinds.of_frame(X).disguised if name in self.domain_.names]
        if names:
            raise ValueError(
                f"{listed(names)} were disguised, and predictions are made of true records: score() "
                "estimates from reports"
            )
        columns, _ = level_numbers(self._features(X), self.domain_)
        return np.column_stack(columns).astype(np.int64)

    def _features(self, X: pd.DataFrame | np.ndarray) -> pd.DataFrame:
        """The records, their columns in the order of training."""
        frame, names = as_frame(X), self.domain_.names
        if frame.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {frame.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        if not hasattr(X, "columns") and tuple(frame.columns) != names:
            warnings.warn(
                "X has no column names: its columns are taken in the order of training, "
                f"{listed(names)}",
                stacklevel=3,
            )
            return frame.set_axis(list(names), axis=1)
        missing = [name for name in names if name not in frame.columns]
        if missing:
            raise ValueError(
                f"the records lack the attributes {listed(missing)}; they have "
                f"{listed(frame.columns)}"
            )
        return frame[list(names)]


def as_they_are(levels: Sequence) -> np.ndarray:
    """Levels as an array: one of objects, if in one of numbers or words they would be others.

    >>> as_they_are((0, 1)), as_they_are((1, "a"))
    (array([0, 1]), array([1, 'a'], dtype=object))
    """
    try:
        array = np.array(levels)
    except ValueError:  # of tuples of different lengths
        array = np.empty(0)
    if array.ndim == 1 and array.tolist() == list(levels):
        return array
    return np.fromiter(levels, dtype=object, count=len(levels))


def _joined(
    X: object, y: object, target: str
) -> tuple[pd.DataFrame | engines.Source | Reported, str]:
    """Attributes and class as one frame, the class last."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(y, str):
        records: Any = X
        if not isinstance(X, Reported):
            records = engines.opened(X) if engines.elsewhere(X) else as_frame(X)
        columns = names_of(records)
        if y not in columns:
            raise ValueError(f"the class {y!r} is no column; the records have {listed(columns)}")
        return records, y
    features = as_frame(X)
    if not features.shape[1]:
        raise ValueError(
            f"0 feature(s) (shape={features.shape}) while a minimum of 1 is required: there is nothing "
            "to learn from"
        )
    if target in features.columns:
        raise ValueError(f"the class has the name of an attribute: {target!r}")
    y = beside(X, y, "the classes")
    classes: Any = np.asarray(y) if not isinstance(y, pd.Series) else y.array
    if isinstance(classes, pd.arrays.NumpyExtensionArray):
        classes = classes.to_numpy()
    if classes.ndim == 2 and classes.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected: its only column is taken",
            DataConversionWarning,
            stacklevel=3,
        )
        classes = classes[:, 0]
    if classes.ndim != 1:
        raise ValueError(f"y is one class a record; got {classes.ndim} dimensions")
    if len(classes) != len(features):
        raise ValueError(f"{len(features)} records and {len(classes)} classes do not go together")
    own = kinds.of_frame(y.to_frame(target)) if isinstance(y, pd.Series) else kinds.NOT_SAID
    if own == kinds.NOT_SAID and getattr(classes.dtype, "kind", "O") == "f":
        finite = classes[np.isfinite(classes)]
        if (finite != np.floor(finite)).any():
            raise ValueError(
                f"Unknown label type: the classes are a continuous measure, such as {classes[0]!r}: cut it "
                "into classes first, or make it categorical"
            )
    records = features.copy(deep=False)
    records[target] = classes
    kind = kinds.of_frame(records)
    if own.channels and target not in kind.disguised:  # the classes may come from another frame
        records = kinds.mark(records, kinds.Kind("reports", kind.channels + own.channels))
    return records, target
