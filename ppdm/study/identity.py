"""What makes two points of a study the same: function, coordinates, seed, and the sources that are read.

A point's random stream and its place in the cache follow from what is computed, never from when, where or
in which order it is computed. A function goes by its import path and its arguments, written as JSON, so that
somebody else can compute the same point; its module counts by its file and the files of all that it imports.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import importlib
import importlib.metadata
import io
import json
import math
import re
import sys
import sysconfig
import time
import zlib
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

import numpy as np

from ppdm.places import PACKAGE

_BEGAN = time.time()

# Libraries whose version may change a number.
NUMERICAL = ["numpy", "scipy", "pandas", "numba", "scikit-learn"]


def checksum(content: bytes) -> str:
    """The beginning of the SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()[:32]


# Coordinates and streams --------------------------------------------------------------------------


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


def canonical(value: Any) -> str:
    """Plain values as text, the same for equal coordinates in any order.

    >>> canonical({"q": 0.5, "dataset": "adult"})
    '{"dataset":"adult","q":0.5}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def stream(seed: int, coords: dict, block: int = 0) -> np.random.Generator:
    """The generator of one block of one point: a function of the seed and the coordinates only.

    >>> a = stream(1, {"q": 0.5}).random(); b = stream(1, {"q": 0.6}).random()
    >>> bool(a == stream(1, {"q": 0.5}).random()), bool(a == b)
    (True, False)
    """
    words = np.frombuffer(hashlib.sha256(canonical(coords).encode()).digest(), "<u4")
    key = (*(int(word) for word in words), block)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


# Functions and their arguments as JSON ------------------------------------------------------------


class Unnamed(ValueError):
    """Something that no import path and plain values can name: a function of a notebook, say."""


def pack(value: Any) -> Any:
    """A function of a module, its arguments, plain values and arrays, as JSON.

    >>> pack(partial(canonical, (1, None, {"a": 0.5})))   # doctest: +NORMALIZE_WHITESPACE
    {'call': [{'path': 'ppdm.study.identity:canonical'},
     [{'tuple': [1, None, {'dict': [['a', 0.5]]}]}], {'dict': []}]}
    >>> unpack(pack((1, {"a": [np.float64(2)]})))
    (1, {'a': [np.float64(2.0)]})
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [pack(part) for part in value]
    if type(value) is tuple:
        return {"tuple": pack(list(value))}
    if type(value) is dict:
        return {"dict": [[pack(key), pack(part)] for key, part in value.items()]}
    if type(value) is partial:
        return {"call": pack([value.func, list(value.args), value.keywords])}
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufSU":
        content = io.BytesIO()
        np.save(content, value, allow_pickle=False)  # its order in memory too: sums depend on it
        return {"array": base64.b64encode(zlib.compress(content.getvalue(), 9)).decode()}
    return {"path": _path(value)}


def _path(value: Any) -> str:
    """Where a function or class can be imported from."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    at_home = getattr(sys.modules.get(str(module)), str(name), None)
    if module == "__main__" or at_home is not value or not callable(value):
        raise Unnamed(f"{name_of(value)} is not a function of a module")
    return f"{module}:{name}"


def name_of(function: Any) -> str:
    """What a function is called, whatever of its arguments are fixed.

    >>> name_of(partial(canonical, {}))
    'canonical'
    """
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__qualname__", f"a {type(function).__name__}")


def modules(packed: Any) -> set[str]:
    """The modules of the functions that something packed names.

    >>> sorted(modules(pack(partial(canonical, np.mean))))
    ['numpy', 'ppdm.study.identity']
    """
    return set(re.findall(r'{"path":"([\w.]+):', canonical(packed)))


def unpack(packed: Any, allowed: Callable[[str], bool] = lambda module: True) -> Any:
    """What `pack` packed. Functions and classes are looked up only in modules that are `allowed`."""
    if isinstance(packed, list):
        return [unpack(part, allowed) for part in packed]
    if not isinstance(packed, dict):
        return packed
    [(kind, content)] = packed.items()
    if kind == "tuple":
        return tuple(unpack(content, allowed))
    if kind == "dict":
        return dict(unpack(content, allowed))
    if kind == "call":
        function, arguments, keywords = unpack(content, allowed)
        return partial(function, *arguments, **keywords)
    if kind == "array":
        return np.load(io.BytesIO(zlib.decompress(base64.b64decode(content))))[()]
    module, _, name = content.partition(":")
    if kind != "path" or not allowed(module):
        raise ValueError(f"{content} is named, which is no function of a module that computes")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise ValueError(f"this copy of ppdm has no {content}") from None


# Sources ------------------------------------------------------------------------------------------


@cache
def module_file(name: str) -> Path | None:
    """The file of a module of the package, or of one's own beside a notebook or a script; None for
    a module that is installed, or if there is none.

    >>> module_file("ppdm.study.grid").name, module_file("ppdm.nothing"), module_file("numpy")
    ('grid.py', None, None)
    """
    top, *inner = name.split(".")
    place = PACKAGE if top == PACKAGE.name else _own(top)
    if place is None:
        return None
    path = place.joinpath(*inner)
    files = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in files if file.is_file()), None)


def _own(top: str) -> Path | None:
    """The folder of one's own package, or one's own module without its ending; None if it is installed."""
    try:
        spec = find_spec(top)
    except ValueError:  # a notebook has none
        return None
    places = (spec.submodule_search_locations or [spec.origin or ""]) if spec else []
    for path in map(Path, places):
        system = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
        installed = {"site-packages", "dist-packages"} & set(path.parts)
        if not installed and not any(path.is_relative_to(folder) for folder in system):
            return path.with_suffix("")
    return None


@cache
def _imports(name: str) -> frozenset[str]:
    """The modules with a `module_file` that a module imports, anywhere in its text."""
    file = module_file(name)
    if file is None:
        return frozenset()
    home = name if file.name == "__init__.py" else name.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), home)
            inner = (f"{source}.{alias.name}" for alias in node.names)
            names.update(name if module_file(name) else source for name in inner)
    return frozenset(filter(module_file, names))


_OTHER = (".py", ".html", ".css", ".js")  # no data, in a folder of the package


def sources(modules: Iterable[str]) -> list[Path]:
    """The files of modules and of all that they import from the package and from one's own modules, and
    of the data that lie in a package of ppdm among them.

    A changed package never gives its old results, and an edited figure does not cost a new run.
    """
    todo, reached = {*modules, "ppdm.study.grid"}, set()
    while todo:
        name = todo.pop()
        reached.add(name)
        todo |= _imports(name) - reached
    files = set(filter(None, map(module_file, reached)))
    for folder in {file.parent for file in files if PACKAGE in file.parent.parents}:
        files |= {
            file for file in folder.rglob("*")
            if file.is_file() and file.suffix not in _OTHER
            and file.parent.name != "__pycache__"  # numba's come there
            and folder == next(above for above in file.parents if (above / "__init__.py").is_file())
        }  # fmt: skip
    return sorted(files)


def within(file: Path) -> str:
    """A file by its place in the package's folder; one's own, elsewhere, by its name."""
    home = PACKAGE.parent
    return file.relative_to(home).as_posix() if file.is_relative_to(home) else file.name


def edited(files: Iterable[Path]) -> list[str]:
    """Files that were changed after this session loaded them (or may have)."""
    return [within(file) for file in files if file.stat().st_mtime > _BEGAN]


def library_versions(names: Iterable[str] = NUMERICAL) -> dict[str, str]:
    """Versions of Python and of the libraries that are installed."""
    versions = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return versions
