"""The door to numba, which compiles the inner loops; without it the same loops run as Python.

A kernel is a plain function under `njit`. Where numba is installed, it is compiled when it is first
called, and kept beside its file for later runs; elsewhere (in a browser, say) it stays as it is. In
both cases a division by zero gives inf or nan, as numbers of NumPy do.

What would take minutes as Python asks first, with `refuse_slow`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

__all__ = ["COMPILES", "MOST_TURNS", "njit", "refuse_slow"]

try:
    import numba
except ModuleNotFoundError:
    numba = None  # type: ignore[assignment]

#: Whether kernels are compiled here.
COMPILES = numba is not None and not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
#: So many turns of an inner loop take about a minute as Python.
MOST_TURNS = 1e8

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


@overload
def njit(function: Kernel) -> Kernel: ...
@overload
def njit(**options: Any) -> Callable[[Kernel], Kernel]: ...
def njit(function: Any = None, **options: Any) -> Any:
    """Compile a function if numba is here; `options` are numba's.

    >>> @njit(cache=False)      # what is typed at a prompt has no file to be kept beside
    ... def triangle(n):
    ...     total = 0
    ...     for i in range(n + 1):
    ...         total += i
    ...     return total
    >>> triangle(4)
    10
    """
    if function is None:
        return lambda later: njit(later, **options)
    if numba is None:
        return function
    usual: dict[str, Any] = {"cache": True, "error_model": "numpy"}
    return numba.njit(**usual | options)(function)


def refuse_slow(turns: float, task: str) -> None:
    """Refuse a task of so many turns of an inner loop where that would take minutes.

    >>> refuse_slow(1000, "growing this tree")      # nobody waits for that, compiled or not
    """
    if not COMPILES and turns > MOST_TURNS:
        raise ValueError(
            f"{task} would take about {turns / MOST_TURNS:,.0f} minutes without numba, which compiles "
            "the loops: install numba, or ask for less"
        )
