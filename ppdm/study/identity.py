"""What makes two runs the same run: coordinates, random streams, functions, sources.

A cell's stream and its place in the cache follow from what is computed, never from when, where or
in which order it is computed.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import inspect
import json
import math
import re
import sys
import time
import types
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import cloudpickle
import joblib
import numpy as np

from ppdm.places import PACKAGE

_BEGAN = time.time()

# Libraries whose version may change a number.
NUMERICAL = ["numpy", "scipy", "pandas", "numba", "scikit-learn"]


def plain(name: str, value: Any) -> Any:
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


def module_file(name: str) -> Path | None:
    """The file of one of the package's modules; None if there is no such module.

    >>> module_file("ppdm.study.grid").name, module_file("ppdm.nothing")
    ('grid.py', None)
    """
    parts = name.split(".")
    if parts[0] != PACKAGE.name:
        return None
    path = PACKAGE.joinpath(*parts[1:])
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


@cache
def _imports(name: str) -> frozenset[str]:
    """The package's modules that a module imports, anywhere in its text."""
    file = module_file(name)
    if file is None:
        return frozenset()
    here = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            found.update([source, *(f"{source}.{alias.name}" for alias in node.names)])
    return frozenset(m for m in found if module_file(m))


def reach(modules: set[str]) -> list[Path]:
    """The files of modules of the package, of all that they import from it, and of stored data
    that lie in a package among them.

    A run depends on these: a changed package never gives its old results, and an edited figure
    does not cost a new run.
    """
    todo, known = {*modules, __name__, "ppdm.study.grid"}, set()
    while todo:
        name = todo.pop()
        known.add(name)
        outer = {name.rsplit(".", 1)[0]} if "." in name else set()  # packages run on import
        todo |= (_imports(name) | outer) - known
    files = {file for file in map(module_file, known) if file is not None}
    for file in [f for f in files if f.name == "__init__.py" and f.parent != PACKAGE]:
        files |= {
            f
            for f in file.parent.rglob("*")
            if f.is_file() and f.suffix not in (".py", ".pyc") and "__pycache__" not in f.parts
        }
    return sorted(files)


def edited(files: list[Path]) -> list[str]:
    """Files that were changed after this session loaded them (or may have)."""
    return [str(f.relative_to(PACKAGE.parent)) for f in files if f.stat().st_mtime > _BEGAN]


def library_versions(names: Iterable[str] = NUMERICAL) -> dict[str, str]:
    """Versions of Python and of the libraries that are installed."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def fingerprint(function: Callable) -> str:
    """A checksum of what a function does: its code, its defaults, the data it closes over, and the
    modules of this package that it may reach.

    Functions of installed packages count by name (their versions are part of every cache key);
    functions of a notebook or a script count by their code and the globals this code mentions.

    >>> def scaled(factor):
    ...     return lambda x: factor * x
    >>> fingerprint(scaled(2)) == fingerprint(scaled(2)), fingerprint(scaled(2)) == fingerprint(scaled(3))
    (True, False)
    """
    return examine(function)[0]


def examine(function: Callable) -> tuple[str, list[Path]]:
    """The fingerprint of a function, and the package's files that it may reach."""
    account = _Account()
    account.add(function)
    files = reach(account.modules)
    for file in files:
        text = file.read_bytes()
        account.update(f"{file.relative_to(PACKAGE).as_posix()} {len(text)}\n".encode() + text)
    return account.digest.hexdigest(), files


class _Account:
    """Walks through a function and what it reaches; collects a checksum and the modules met."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.modules: set[str] = set()
        self.seen: set = set()
        self.update = self.digest.update

    def add(self, value: Any) -> None:
        if isinstance(value, partial):
            self.add(("partial", value.func, value.args, value.keywords))
        elif isinstance(value, types.ModuleType):
            self.update(f"module {value.__name__}".encode())
            self.meet(value.__name__)
        elif hasattr(value, "py_func"):  # compiled by numba
            self.add(value.py_func)
        elif isinstance(value, types.FunctionType):
            self.add_function(value)
        elif isinstance(value, (list, tuple)):
            self.update(f"{type(value).__name__} {len(value)}".encode())
            for part in value:
                self.add(part)
        elif isinstance(value, dict):
            self.update(f"dict {len(value)}".encode())
            for item in sorted(value.items(), key=repr):
                self.add(item)
        elif isinstance(value, type):
            self.add_class(value)
        else:
            self.add_data(value)

    def meet(self, name: str | None) -> None:
        if name and module_file(name):
            self.modules.add(name)

    def add_data(self, value: object) -> None:
        self.update(joblib.hash(value).encode())
        self.add_class(type(value))
        if not isinstance(value, (str, int, float, bool, type(None), np.ndarray)):
            for name in re.findall(rb"ppdm[.\w]*", cloudpickle.dumps(value)):
                self.meet(name.decode())

    def add_class(self, cls: type) -> None:
        self.update(f"class {cls.__module__}.{cls.__qualname__}".encode())
        self.meet(cls.__module__)
        if cls in self.seen or _installed(cls):
            return
        self.seen.add(cls)
        for name, part in sorted(vars(cls).items()):
            part = getattr(part, "__func__", part)  # class and static methods
            if isinstance(part, types.FunctionType):
                self.add_function(part)
            elif not name.startswith("__"):
                self.update(f"{name}={part!r}".encode())
        for base in cls.__bases__:
            self.add_class(base)

    def add_function(self, function: types.FunctionType) -> None:
        self.update(f"function {function.__module__}.{function.__qualname__}".encode())
        self.meet(function.__module__)
        if function in self.seen or (_installed(function) and function.__closure__ is None):
            return
        self.seen.add(function)
        self.add_code(function.__code__)
        self.add([function.__defaults__ or (), function.__kwdefaults__ or {}])
        closed = inspect.getclosurevars(function)
        for name, value in sorted({**closed.globals, **closed.nonlocals}.items()):
            if value is not function:
                self.update(name.encode())
                self.add(value)

    def add_code(self, code: types.CodeType) -> None:
        self.update(code.co_code)
        self.update(repr(code.co_names).encode())
        for name in code.co_names:  # modules imported inside, or reached as ppdm.learn.id3
            self.meet(name)
            self.meet(f"ppdm.{name}")
            for inner in code.co_names:
                self.meet(f"ppdm.{name}.{inner}")
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.add_code(constant)
            elif isinstance(constant, frozenset):
                self.update(repr(sorted(constant, key=repr)).encode())
            else:
                self.update(repr(constant).encode())


def _installed(thing: object) -> bool:
    """Whether something comes from ppdm, the standard library or an installed package."""
    module = sys.modules.get(getattr(thing, "__module__", None) or "builtins")
    path = getattr(module, "__file__", None)
    if path is None:
        return module is not None and module.__name__ != "__main__"
    path = Path(path).resolve()
    libraries = [Path(p).resolve() for p in (sys.prefix, sys.base_prefix)]
    return path.is_relative_to(PACKAGE) or any(
        "site-packages" in path.parts
        or "dist-packages" in path.parts
        or path.is_relative_to(lib / "lib" / f"python3.{sys.version_info[1]}")
        for lib in libraries
    )
