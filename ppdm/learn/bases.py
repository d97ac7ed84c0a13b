"""The door to scikit-learn: the bases of our classifiers, and the checks that some of them use.

Where scikit-learn is not installed, small stand-ins keep its manners: parameters can be read and set,
so that a model can be copied unfitted, and a model that has not learned says so. The checks of J48
and of the nearest neighbour have no stand-in: these learners refuse to learn without scikit-learn.

>>> class Stump(ClassifierMixin, BaseEstimator):
...     def __init__(self, attribute="A"):
...         self.attribute = attribute
>>> Stump("B").get_params()
{'attribute': 'B'}
"""

from __future__ import annotations

import inspect
from typing import Any, Self

from ppdm.scientific import borrowed

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "DataConversionWarning",
    "NotFittedError",
    "check_is_fitted",
]

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError:

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """A model was asked before it had learned."""

    class DataConversionWarning(UserWarning):  # type: ignore[no-redef]
        """Data are taken for what they were probably meant to be."""

    class ClassifierMixin:  # type: ignore[no-redef]
        """A classifier."""

    class BaseEstimator:  # type: ignore[no-redef]
        """What has parameters: the arguments of its constructor."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            names = inspect.signature(type(self)).parameters
            params = {name: getattr(self, name) for name in names}
            if deep:
                for name, value in list(params.items()):
                    inner = value.get_params() if hasattr(value, "get_params") else {}
                    params |= {f"{name}__{part}": own for part, own in inner.items()}
            return params

        def set_params(self, **params: Any) -> Self:
            names = list(self.get_params())
            for name, value in params.items():
                if name not in names:
                    raise ValueError(
                        f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(names)}"
                    )
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            usual = inspect.signature(type(self)).parameters
            changed = [
                f"{name}={value!r}"
                for name, value in self.get_params(deep=False).items()
                if repr(value) != repr(usual[name].default)
            ]
            return f"{type(self).__name__}({', '.join(changed)})"

    def check_is_fitted(estimator: Any) -> None:
        """Refuse a model that has not learned: nothing of it ends with an underscore."""
        if not any(name.endswith("_") and not name.startswith("_") for name in vars(estimator)):
            raise NotFittedError(
                f"This {type(estimator).__name__} instance is not fitted yet: call fit first"
            )


MinMaxScaler = borrowed("sklearn.preprocessing", "MinMaxScaler")
SVC = borrowed("sklearn.svm", "SVC")
make_pipeline = borrowed("sklearn.pipeline", "make_pipeline")
assert_all_finite = borrowed("sklearn.utils", "assert_all_finite")
check_classification_targets = borrowed("sklearn.utils.multiclass", "check_classification_targets")
check_consistent_length = borrowed("sklearn.utils.validation", "check_consistent_length")
column_or_1d = borrowed("sklearn.utils.validation", "column_or_1d")
validate_data = borrowed("sklearn.utils.validation", "validate_data")
names_of_features = borrowed("sklearn.utils.validation", "_check_feature_names_in")
