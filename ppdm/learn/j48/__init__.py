"""J48, the decision tree of WEKA, as a scikit-learn classifier."""

from .estimator import J48

__all__ = ["J48"]
