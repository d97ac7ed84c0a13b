"""What makes two runs the same run: coordinates, random streams, functions, sources.

A cell's stream and its place in the cache follow from what is computed, never from when, where or
in which order it is computed.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
import json
import math
import sys
import types
from functools import lru_cache, partial
from pathlib import Path

import joblib
import numpy as np

PACKAGE = Path(__file__).resolve().parent.parent

# Parts of the package that show or ship results and that no cell computes with:
# editing them leaves finished cells valid.
PRESENTATION = {"build", "check", "course", "site", "cli.py", "plot.py"}

# Libraries whose version may change a number.
NUMERICAL = ["numpy", "scipy", "pandas", "numba", "scikit-learn", "cvxpy", "clarabel"]


def plain(name: str, value):
    """A coordinate as a plain Python value, so that 1, 1.0 and numpy's 1 are one coordinate.

    >>> plain("theta", np.float64(0.25)), plain("q", 1.0)
    (0.25, 1)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return int(value) if value.is_integer() else value
    raise ValueError(
        f"coordinate {name} is {value!r}; allowed are numbers, strings, True, False and None "
        "(give anything larger a name and look it up inside the function)"
    )


def canonical(coords: dict) -> str:
    """The coordinates as text, the same for equal coordinates in any order.

    >>> canonical({"q": 0.5, "dataset": "adult"})
    '{"dataset":"adult","q":0.5}'
    """
    return json.dumps(coords, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def stream(seed: int, coords: dict, block: int = 0) -> np.random.Generator:
    """The generator of one block of one cell: a function of the seed and the coordinates only.

    >>> a = stream(1, {"q": 0.5}).random(); b = stream(1, {"q": 0.6}).random()
    >>> bool(a == stream(1, {"q": 0.5}).random()), bool(a == b)
    (True, False)
    """
    words = np.frombuffer(hashlib.sha256(canonical(coords).encode()).digest(), "<u4")
    key = (*(int(word) for word in words), block)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@lru_cache(maxsize=1)
def package_sources() -> str:
    """One checksum over the package's files (its stored data among them)."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*")):
        relative = path.relative_to(PACKAGE)
        skipped = "__pycache__" in relative.parts or relative.parts[0] in PRESENTATION
        if path.is_file() and not skipped:
            digest.update(relative.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def library_versions(names=NUMERICAL) -> dict[str, str]:
    """Versions of Python and of the libraries that are installed."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def fingerprint(function) -> str:
    """A checksum of what a function does: its code, its defaults, and the data it closes over.

    Functions of installed packages count by name (their versions and ppdm's sources are part of
    every cache key); functions of a notebook or a script count by their code and by the globals
    this code mentions.

    >>> def scaled(factor):
    ...     return lambda x: factor * x
    >>> fingerprint(scaled(2)) == fingerprint(scaled(2)), fingerprint(scaled(2)) == fingerprint(scaled(3))
    (True, False)
    """
    digest = hashlib.sha256()
    _describe(function, digest.update, seen=set())
    return digest.hexdigest()


def _describe(value, update, seen: set) -> None:
    if isinstance(value, partial):
        update(b"partial")
        for part in (value.func, *value.args, *sorted(value.keywords.items())):
            _describe(part, update, seen)
    elif isinstance(value, types.ModuleType):
        update(f"module {value.__name__}".encode())
    elif hasattr(value, "py_func"):  # compiled by numba
        _describe(value.py_func, update, seen)
    elif isinstance(value, types.FunctionType):
        _describe_function(value, update, seen)
    elif isinstance(value, (list, tuple)):
        update(f"{type(value).__name__} {len(value)}".encode())
        for part in value:
            _describe(part, update, seen)
    elif isinstance(value, dict):
        update(f"dict {len(value)}".encode())
        for item in sorted(value.items(), key=repr):
            _describe(item, update, seen)
    elif isinstance(value, type) and not _installed(value):
        _describe_class(value, update, seen)
    else:
        update(joblib.hash(value).encode())
        if not _installed(type(value)):
            _describe_class(type(value), update, seen)


def _installed(thing) -> bool:
    """Whether something comes from ppdm, the standard library or an installed package."""
    module = sys.modules.get(getattr(thing, "__module__", None) or "builtins")
    path = getattr(module, "__file__", None)
    if path is None:
        return module is not None and module.__name__ != "__main__"
    path = Path(path).resolve()
    libraries = [Path(p).resolve() for p in (sys.prefix, sys.base_prefix)]
    return path.is_relative_to(PACKAGE) or any(
        "site-packages" in path.parts or "dist-packages" in path.parts
        or path.is_relative_to(lib / "lib" / f"python3.{sys.version_info[1]}")
        for lib in libraries
    )


def _describe_class(cls, update, seen: set) -> None:
    if cls in seen:
        return
    seen.add(cls)
    update(f"class {cls.__qualname__}".encode())
    for name, part in sorted(vars(cls).items()):
        part = getattr(part, "__func__", part)  # class and static methods
        if isinstance(part, types.FunctionType):
            _describe_function(part, update, seen)
        elif not name.startswith("__"):
            update(f"{name}={part!r}".encode())


def _describe_function(function, update, seen: set) -> None:
    update(f"function {function.__module__}.{function.__qualname__}".encode())
    if function in seen or (_installed(function) and function.__closure__ is None):
        return
    seen.add(function)
    _describe_code(function.__code__, update)
    for part in (function.__defaults__ or (), function.__kwdefaults__ or {}):
        _describe(part, update, seen)
    closed = inspect.getclosurevars(function)
    for name, value in sorted({**closed.globals, **closed.nonlocals}.items()):
        if value is not function:
            update(name.encode())
            _describe(value, update, seen)


def _describe_code(code: types.CodeType, update) -> None:
    update(code.co_code)
    update(repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _describe_code(constant, update)
        elif isinstance(constant, frozenset):
            update(repr(sorted(constant, key=repr)).encode())
        else:
            update(repr(constant).encode())
