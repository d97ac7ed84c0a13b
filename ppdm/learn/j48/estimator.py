"""The classifier."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ppdm.compiled import refuse_slow
from ppdm.learn.bases import (
    BaseEstimator,
    ClassifierMixin,
    assert_all_finite,
    check_classification_targets,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    names_of_features,
    validate_data,
)
from ppdm.scientific import ndtri

from .encoding import encode_classes, is_nominal, levels_of, to_numbers
from .kernel import Data, Options, class_probabilities, grow_tree, most_probable
from .text import tree_text

if TYPE_CHECKING:
    from sklearn.utils import Tags


class J48(ClassifierMixin, BaseEstimator):
    """The decision tree C4.5 as WEKA 3.6 grows it: same splits, same leaves, same predictions.

    Parameters
    ----------
    confidence : float
        Confidence of the pessimistic error estimate, WEKA's ``-C``; smaller prunes more.
    min_leaf : int
        Least weight of rows in two branches of every split, WEKA's ``-M``.

    Columns of a data frame that hold categories, objects or strings are nominal, all else is
    numeric. The levels are the categories in their order, used or not, or else the sorted values.
    The same holds for the class. A missing value (NaN, NaT, None) follows every branch with a
    fraction of its weight; rows whose class is missing (None, NaN or NaT among categories, objects
    or dates) are left out. ``str`` of a fitted tree is WEKA's text.

    >>> weather = pd.DataFrame({"outlook": ["sunny", "rain", "cloudy"] * 4,
    ...                         "humidity": [90, 70, 80, 75, 65, 95] * 2})
    >>> tree = J48().fit(weather, ["no", "yes", "yes"] * 4)
    >>> for line in str(tree).splitlines()[3:6]:
    ...     print(line)
    outlook = cloudy: yes (4.0)
    outlook = rain: yes (4.0)
    outlook = sunny: no (4.0)
    >>> tree.predict(pd.DataFrame({"outlook": ["sunny", None], "humidity": [80, 80]})).tolist()
    ['no', 'yes']
    """

    def __init__(self, confidence: float = 0.25, min_leaf: int = 2) -> None:
        self.confidence = confidence
        self.min_leaf = min_leaf

    def fit(self, X: ArrayLike, y: ArrayLike) -> J48:
        """Grow the tree from the rows of ``X`` and their classes ``y``."""
        self._check_parameters()
        if y is None:
            raise ValueError("J48 requires y to be passed, but the target y is None")
        self._levels: list[list[Any] | None] = []
        if isinstance(X, pd.DataFrame):
            self._levels = [levels_of(c) if is_nominal(c) else None for _, c in X.items()]
        columns = self._columns(X, reset=True)
        self._levels = self._levels or [None] * len(columns)
        if not isinstance(y, pd.Series):
            y = pd.Series(y if isinstance(y, pd.Categorical) else column_or_1d(y, warn=True))
        # yes, no and missing: names of classes
        if isinstance(y.dtype, pd.BooleanDtype) and y.hasnans:
            y = y.astype(object).where(y.notna(), None)
        if not is_nominal(y):
            assert_all_finite(y, input_name="y")
            check_classification_targets(y)
        self.classes_, labels = encode_classes(y)
        check_consistent_length(columns.T, labels)
        if not (labels >= 0).any():
            raise ValueError(
                f"y must name the class of at least one row, got {len(labels)} missing"
            )

        n_levels = np.array([-1 if names is None else len(names) for names in self._levels])
        # an attribute with very many levels does not count in the average gain, unless all are such
        averaged = n_levels < 0.3 * labels.size - 1e-6
        if not averaged.any():
            averaged[:] = True
        refuse_slow(200.0 * columns.size, f"a tree from {labels.size:,} rows")
        self.tree_ = grow_tree(
            Data(columns, labels, len(self.classes_), n_levels, averaged),
            Options(
                float(self.min_leaf), float(self.confidence), float(ndtri(1 - self.confidence))
            ),
        )
        return self

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Class shares of the leaves a row reaches, one column a class of ``classes_``."""
        check_is_fitted(self)
        columns = self._columns(X, reset=False)
        return class_probabilities(self.tree_, columns, len(self.classes_))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The most probable class of each row, the first in ``classes_`` if several are."""
        labels = most_probable(self.predict_proba(X))
        return self.classes_[labels]

    @property
    def n_leaves_(self) -> int:
        """Number of leaves."""
        check_is_fitted(self)
        return int((self.tree_.n_sons == 0).sum())

    def export_text(self) -> str:
        """WEKA's text of the tree: one line a branch, in brackets the rows and the wrong ones."""
        check_is_fitted(self)
        return tree_text(
            self.tree_, names_of_features(self), self._levels, self.classes_, "J48 pruned tree"
        )

    def __str__(self) -> str:
        return self.export_text() if hasattr(self, "tree_") else repr(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self) -> None:
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence must lie between 0 and 1, got {self.confidence!r}")
        if self.confidence > 0.5:
            warnings.warn(
                f"confidence {self.confidence} is above 0.5: errors are not corrected when pruning",
                stacklevel=3,
            )
        if not self.min_leaf >= 1:
            raise ValueError(f"min_leaf must be at least 1, got {self.min_leaf!r}")

    def _columns(self, X: ArrayLike, reset: bool) -> np.ndarray:
        """Attributes by rows, as the kernel reads them."""
        if isinstance(X, pd.DataFrame):
            validate_data(self, X, reset=reset, skip_check_array=True)
            X = to_numbers(X, self._levels)
        elif not reset and any(self._levels):
            raise ValueError(
                f"X must be a data frame, as in fit, because some columns are nominal;"
                f" got {type(X).__name__}"
            )
        elif isinstance(X, np.ndarray) and X.dtype.kind in "mM":
            X = np.where(np.isnat(X), np.nan, X.astype(float))
        numbers: np.ndarray = validate_data(
            self, X, reset=reset, dtype=float, ensure_all_finite="allow-nan"
        )
        return np.array(numbers.T, order="C")  # a copy, for X may be read-only
