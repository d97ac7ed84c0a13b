"""Threads of linear algebra: many small systems wait for each other if each spreads over all cores."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Within it, linear algebra keeps to one thread (where threadpoolctl is there to say so).

    >>> with one_thread():
    ...     6 * 7
    42
    """
    try:
        import scipy.linalg  # noqa: F401  (a library that is loaded later is not limited)
        from threadpoolctl import threadpool_limits
    except ModuleNotFoundError:  # it comes with scikit-learn
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits
