"""What will be tabulated from the estimated shares: a matrix W, a row for each number.

    cells      every share: the histogram
    prefixes   how many are at or below each answer: for answers with an order
    pairs      every attribute with the class: what naive Bayes needs

>>> prefixes(3)
array([[1., 0., 0.],
       [1., 1., 0.],
       [1., 1., 1.]])
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm.optimise.objectives import check_prior

__all__ = ["WORKLOADS", "cells", "check_workload", "pairs", "prefixes", "workload_of"]

WORKLOADS = ("cells", "prefixes", "pairs")


def cells(n: int) -> np.ndarray:
    """Every share by itself.

    >>> cells(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return np.eye(n)


def prefixes(n: int) -> np.ndarray:
    """The sums of the first 1, 2, ... n shares: a distribution function.

    >>> prefixes(2)
    array([[1., 0.],
           [1., 1.]])
    """
    return np.tri(n)


def pairs(shape: Sequence[int]) -> np.ndarray:
    """Each attribute's shares within each class, the class being the last attribute.

    `shape` tells how many answers each attribute has; the cells are counted with the last fastest.

    >>> pairs((2, 2))          # one attribute and the class: that is every cell
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.],
           [0., 0., 1., 0.],
           [0., 0., 0., 1.]])
    >>> pairs((2, 3, 2)).shape
    (10, 12)
    """
    shape = tuple(int(k) for k in shape)
    if len(shape) < 2 or min(shape) < 2:
        raise ValueError(
            f"the shape is {shape}: pairs need an attribute and the class, with two answers each "
            "or more"
        )
    digits = np.indices(shape).reshape(len(shape), -1)
    rows = [
        (digits[i] == a) & (digits[-1] == c)
        for i in range(len(shape) - 1)
        for a in range(shape[i])
        for c in range(shape[-1])
    ]
    return np.array(rows, dtype=float)


def check_workload(workload: ArrayLike | None, n: int) -> np.ndarray:
    """The workload as a matrix with n columns; None is every cell.

    >>> check_workload([[1, 1, 0]], 2)
    Traceback (most recent call last):
    ...
    ValueError: the workload has 3 columns and the prior 2 categories: a column a category is needed
    """
    if workload is None:
        return np.eye(n)
    rows = np.atleast_2d(np.asarray(workload, dtype=float))
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise ValueError("the workload is a matrix of finite numbers, a row for each number wanted")
    if rows.shape[1] != n:
        raise ValueError(
            f"the workload has {rows.shape[1]} columns and the prior {n} categories: "
            "a column a category is needed"
        )
    if not np.ptp(rows, axis=1).any():
        raise ValueError("the workload asks for nothing that is not known: every row is constant")
    return rows


def workload_of(name: str, prior: ArrayLike, shape: Sequence[int] | None = None) -> np.ndarray:
    """The workload of a name, for answers with this prior.

    >>> workload_of("pairs", [0.25] * 4, (4,))
    Traceback (most recent call last):
    ...
    ValueError: the shape is (4,): pairs need an attribute and the class, with two answers each or more
    """
    n = len(check_prior(prior))
    if name not in WORKLOADS:
        raise ValueError(f"the workload is one of {', '.join(WORKLOADS)}; got {name!r}")
    if name == "cells":
        return cells(n)
    if name == "prefixes":
        return prefixes(n)
    if shape is None:
        raise ValueError(
            "pairs need the shape: how many answers each attribute has, the class last"
        )
    if int(np.prod(shape)) != n:
        raise ValueError(
            f"the shape {tuple(shape)} has {int(np.prod(shape))} cells and the prior {n} categories"
        )
    return pairs(shape)
