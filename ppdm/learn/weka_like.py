"""[Guo, Sect. 3] The three classifiers of the paper, set as WEKA 3.6 sets them by default.

Each function returns a fresh scikit-learn classifier. What it scales, it scales by the ranges of
the rows it is fitted on, whether these are original or distorted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ppdm.learn.bases import SVC, MinMaxScaler, make_pipeline
from ppdm.learn.j48 import J48
from ppdm.learn.nearest import NearestNeighbour

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


def smo() -> Pipeline:
    """Linear support vector machine with C = 1 on attributes scaled to [0, 1].

    >>> smo().fit([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1]).predict([[3.0], [7.0]]).tolist()
    [0, 1]
    """
    return make_pipeline(MinMaxScaler(), SVC(kernel="linear", C=1.0))


def ibk() -> NearestNeighbour:
    """One nearest neighbour, all at the same smallest distance voting.

    >>> ibk().fit([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1]).predict([[3.0], [7.0]]).tolist()
    [0, 1]
    """
    return NearestNeighbour(growing_ranges=True)


def j48() -> J48:
    """C4.5 with confidence 0.25 and two rows in a leaf.

    >>> j48().fit([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1]).predict([[2.0], [3.0]]).tolist()
    [0, 1]
    """
    return J48()
