"""Chance is handed in: every random function takes a generator, and takes nothing else for one."""

from __future__ import annotations

import numpy as np


def generator(rng: object) -> np.random.Generator:
    """The generator that was handed in; a seed or a missing one is refused.

    >>> generator(42)
    Traceback (most recent call last):
    ValueError: rng is a numpy.random.Generator, as numpy.random.default_rng(42) makes one; got 42
    """
    if isinstance(rng, np.random.Generator):
        return rng
    seed = rng if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) else 1
    raise ValueError(
        f"rng is a numpy.random.Generator, as numpy.random.default_rng({seed}) makes one; "
        f"got {rng!r}"
    )
