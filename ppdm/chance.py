"""Chance is handed in: every random function takes a generator, and takes nothing else for one.

A seed is for studies and tests, which somebody else shall draw again. Of real people's answers, who has the seed
has the answers: their coins are the operating system's.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import threading

import numpy as np


def generator(rng: object) -> np.random.Generator:
    """The generator that was handed in; a seed or a missing one is refused.

    >>> generator(42)
    Traceback (most recent call last):
    ValueError: rng is a numpy.random.Generator: ppdm.chance.system() for the answers of real people, and
        numpy.random.default_rng(42) for a study that shall be drawn again (who has the seed has the answers);
        got 42
    """
    if isinstance(rng, np.random.Generator):
        return rng
    seed = rng if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) else 1
    raise ValueError(
        "rng is a numpy.random.Generator: ppdm.chance.system() for the answers of real people, and "
        f"numpy.random.default_rng({seed}) for a study that shall be drawn again (who has the seed has the "
        f"answers); got {rng!r}"
    )


def coins(rng: np.random.Generator, *what: str) -> np.random.Generator:
    """The generator of the coins for what is disguised: 256 bits of the one that was handed in, and what it is.

    So answers that were drawn with the same seed are independent of the coins, and so are two disguises.

    >>> a, b = (coins(np.random.default_rng(1), name).random() for name in "AB")
    >>> a != b != np.random.default_rng(1).random()
    True
    """
    if isinstance(rng.bit_generator, _System):
        return rng
    entropy = rng.integers(2**32, size=8, dtype=np.uint32)
    words = np.frombuffer(
        hashlib.sha256("\0".join(what).encode("utf-8", "surrogatepass")).digest(), "<u4"
    )
    return np.random.default_rng(np.random.SeedSequence([*map(int, entropy), *map(int, words)]))


def system() -> np.random.Generator:
    """A generator without a seed: each number is eight bytes of the operating system's chance.

    Nothing is kept of them, so there is nothing that gives the coins back, and no two processes share them.

    >>> coins = system().random(1_000) < 0.75
    >>> 600 < int(coins.sum()) < 900
    True
    """
    return np.random.Generator(_System())  # type: ignore[arg-type]  # what NumPy asks for is a capsule


class _Source(ctypes.Structure):
    """What NumPy draws from, as its `bitgen_t` has it."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("uint64", ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)),
        ("uint32", ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)),
        ("double", ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)),
        ("raw", ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)),
    )


class _System:
    """A source of bits that is no algorithm."""

    def __init__(self) -> None:
        def bits(number: int) -> int:
            return int.from_bytes(os.urandom(8)) >> (64 - number)

        draw = (lambda _: bits(64), lambda _: bits(32), lambda _: bits(53) * 2.0**-53)
        kinds = [kind for _, kind in _Source._fields_[1:]]
        calls = [kind(call) for kind, call in zip(kinds, (*draw, draw[0]), strict=True)]
        self.lock, self.source = threading.Lock(), _Source(None, *calls)
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = (
            ctypes.py_object,
            [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
        )
        self.capsule = capsule(ctypes.addressof(self.source), b"BitGenerator", None)
