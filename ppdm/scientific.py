"""The door to scipy: its few functions that the algorithms use, each imported when it is first called.

Nothing here needs scipy until then, and where it is not installed, the call is refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def borrowed(module: str, name: str) -> Callable[..., Any]:
    """A library's function, imported when it is first called.

    >>> borrowed("math", "hypot")(3, 4)
    5.0
    >>> borrowed("a_library", "answer")()
    Traceback (most recent call last):
    ModuleNotFoundError: answer() needs a_library, which is not installed: install a_library
    """

    @cache
    def original() -> Callable[..., Any]:
        try:
            return getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            library = str(error.name).partition(".")[0].replace("sklearn", "scikit-learn")
            raise ModuleNotFoundError(
                f"{name}() needs {library}, which is not installed: install {library}",
                name=error.name,
            ) from None

    def call(*args: Any, **options: Any) -> Any:
        return original()(*args, **options)

    call.__module__, call.__name__, call.__qualname__ = module, name, name
    return call


betainc = borrowed("scipy.special", "betainc")
betaincinv = borrowed("scipy.special", "betaincinv")
brentq = borrowed("scipy.optimize", "brentq")
cdist = borrowed("scipy.spatial.distance", "cdist")
cho_factor = borrowed("scipy.linalg", "cho_factor")
cho_solve = borrowed("scipy.linalg", "cho_solve")
gammainc = borrowed("scipy.special", "gammainc")
ks_2samp = borrowed("scipy.stats", "ks_2samp")
linear_sum_assignment = borrowed("scipy.optimize", "linear_sum_assignment")
linprog = borrowed("scipy.optimize", "linprog")
ndtr = borrowed("scipy.special", "ndtr")
ndtri = borrowed("scipy.special", "ndtri")
rankdata = borrowed("scipy.stats", "rankdata")
stdtrit = borrowed("scipy.special", "stdtrit")
