"""What makes two runs the same run: coordinates, random streams, functions, sources.

A cell's stream and its place in the cache follow from what is computed, never from when, where or
in which order it is computed.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import importlib.metadata
import json
import math
import pickle
import sys
import sysconfig
import time
import types
from collections.abc import Callable, Iterable
from functools import cache, cached_property, partial
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import joblib.hashing
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
    """The file of a module of the package, or of one's own beside a notebook or a script; None for
    a module that is installed, or if there is none.

    >>> module_file("ppdm.study.grid").name, module_file("ppdm.nothing"), module_file("numpy")
    ('grid.py', None, None)
    """
    top, *inner = name.split(".")
    path = PACKAGE if top == PACKAGE.name else _own_module(top)
    if path is None:
        return None
    path = path.joinpath(*inner)
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


def _own_module(name: str) -> Path | None:
    """Where one's own module of this name is, without its ending; None if it is not one's own."""
    if name == "__main__" or not name.isidentifier():
        return None
    loaded = sys.modules.get(name)
    spec = None if loaded else PathFinder.find_spec(name)
    file = getattr(loaded, "__file__", None) if loaded else spec and spec.origin
    if not file:  # a folder without an __init__.py
        folders = getattr(loaded, "__path__", None)
        if spec is not None:
            folders = spec.submodule_search_locations
        return next((Path(f).resolve() for f in folders or () if not _is_library(f)), None)
    if not file.endswith(".py") or _is_library(file):
        return None
    path = Path(file).resolve()
    return path.parent if path.name == "__init__.py" else path.with_suffix("")


@cache
def _is_library(file: str) -> bool:
    """Whether a file belongs to ppdm, the standard library or an installed package."""
    path = Path(file).resolve()
    folders = [PACKAGE, *(Path(sysconfig.get_path(k)).resolve() for k in ("stdlib", "platstdlib"))]
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    return bool(installed) or any(path.is_relative_to(folder) for folder in folders)


def _is_installed(module: str) -> bool:
    """Whether a module is of ppdm, the standard library or an installed package."""
    if module == "__main__" or module not in sys.modules:
        return False
    file = getattr(sys.modules[module], "__file__", None)
    return file is None or _is_library(file)


@cache
def _imports(name: str) -> frozenset[str]:
    """The modules with a `module_file` that a module imports, anywhere in its text."""
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
    """The files of modules, of all that they import from the package and from one's own modules, and
    of stored data that lie in a package of ppdm among them.

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
    for file in [f for f in files if f.name == "__init__.py" and PACKAGE in f.parent.parents]:
        files |= {
            f
            for f in file.parent.rglob("*")
            if f.is_file() and f.suffix not in (".py", ".pyc") and "__pycache__" not in f.parts
        }
    return sorted(files)


def edited(files: list[Path]) -> list[str]:
    """Files that were changed after this session loaded them (or may have)."""
    return [_named(f, PACKAGE.parent) for f in files if f.stat().st_mtime > _BEGAN]


def _named(file: Path, folder: Path) -> str:
    """A file by its place in a folder; one's own, elsewhere, by its name alone."""
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


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
    functions of a notebook or a script count by their code and the globals this code mentions; a
    module of one's own counts by its file and the files of what it imports.

    >>> def scaled(factor):
    ...     return lambda x: factor * x
    >>> fingerprint(scaled(2)) == fingerprint(scaled(2)), fingerprint(scaled(2)) == fingerprint(scaled(3))
    (True, False)
    """
    return examine(function)[0]


def examine(function: object) -> tuple[str, list[Path]]:
    """The fingerprint of a function, and the files of the package and one's own that it may reach."""
    account = _Account()
    try:
        account.add(function)
    except Exception as error:  # what a __reduce__ raises may be anything
        raise ValueError(
            f"{getattr(function, '__name__', function)!r} has no checksum to keep its results under "
            f"({type(error).__name__}: {error}); take what it mentions out of it, or use cache=False"
        ) from error
    files = reach(account.modules)
    for file in files:
        account.write(_named(file, PACKAGE), file.read_bytes())
    return account.digest.hexdigest(), files


# What is one's own and carries code is never left to pickle, which would write its name alone.
_CODE = (types.FunctionType, types.MethodType, type, types.ModuleType)
_PLAIN = frozenset((str, bytes, int, float, complex, bool, type(None), type(...)))
_WRAPPERS = (type(cache(len)), np.vectorize)  # and numba's, which is slow to import
# What decides, beside the function inside, what a wrapper gives:
_OPTIONS = ("targetoptions", "otypes", "signature", "excluded")
# All of a code object that decides what it does; lines and names of files do not.
_PARTS = ("co_code", "co_exceptiontable", "co_flags", "co_names", "co_varnames", "co_cellvars",
          "co_freevars", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount")  # fmt: skip


class _Account:
    """Walks through a function and what it reaches; collects a checksum and the modules met.

    Nothing that it writes may differ between two sessions with the same code: no address, no order
    of a set.
    """

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.modules: set[str] = set()
        self.met: dict[int, tuple[int, object]] = {}  # by id; the object is held, so no id returns

    def write(self, kind: str, content: str | bytes) -> None:
        content = content.encode() if isinstance(content, str) else content
        self.digest.update(f"{kind} {len(content)}\n".encode() + content)

    def add(self, value: Any) -> None:
        kind = type(value)
        if kind in _PLAIN:
            self.write(kind.__name__, pickle.dumps(value, 4))
        elif _carries_code(value):
            self.add_code(value)
        elif kind is partial:
            self.add(("partial", value.func, value.args, value.keywords))
        elif kind in (list, tuple, dict):  # part by part: equal parts may be one object, or may not
            self.write(kind.__name__, str(len(value)))
            for part in value.items() if kind is dict else value:
                self.add(part)
        else:
            self.write("data", _Hasher(self).hash(value))

    def apart(self, value: object) -> str:
        """The checksum of a value by itself: the members of a set are put in order by it."""
        account = _Account()
        account.add(value)
        self.modules |= account.modules
        return account.digest.hexdigest()

    def add_code(self, value: Any) -> int:
        """A function, class or module, or what wraps one: in full, but by its number if it was met
        before (a name would not tell two closures of one factory apart)."""
        new = id(value) not in self.met
        number, _ = self.met.setdefault(id(value), (len(self.met), value))
        self.write("number", str(number))
        if not new:
            return number
        if isinstance(value, types.ModuleType):
            self.write("module", value.__name__)
            self.enter(value.__name__)
        elif isinstance(value, types.MethodType):
            self.add((value.__func__, value.__self__))
        elif isinstance(value, type):
            self.add_class(value)
        elif isinstance(value, types.FunctionType):
            self.add_function(value)
        else:
            self.write("wrapper", type(value).__qualname__)
            known = vars(value)
            self.add([_wrapped(value), {name: known[name] for name in _OPTIONS if name in known}])
        return number

    def enter(self, module: str, names: Iterable[str] = ()) -> None:
        """A module and, of the names that are used with it, those of modules within."""
        if module_file(module):
            self.modules.add(module)
            for name in names:
                self.enter(f"{module}.{name}", names)

    def add_class(self, cls: type) -> None:
        self.write("class", f"{cls.__module__}.{cls.__qualname__}")
        if _is_installed(cls.__module__):
            self.enter(cls.__module__)
            return
        for name, part in sorted(vars(cls).items()):
            if isinstance(part, (staticmethod, classmethod)):
                part = (type(part), part.__func__)
            elif isinstance(part, property):
                part = (property, part.fget, part.fset, part.fdel)
            elif isinstance(part, cached_property):
                part = (cached_property, part.func)
            elif name == "_abc_impl" or (
                name.startswith("__") and not (_carries_code(part) or isinstance(part, partial))
            ):
                continue  # Python's own notes
            self.add((name, part))
        self.add([*cls.__bases__, type(cls)])

    def add_function(self, function: types.FunctionType) -> None:
        scope = function.__globals__
        module = scope.get("__name__", "__main__")
        self.write("function", f"{module}.{function.__qualname__}")
        if not _is_installed(module):
            self.add_body(function.__code__, scope)
            self.add(vars(function))
        else:
            self.enter(module)
            # under another module's name it wraps a function of somebody's own
            if function.__module__ == module and _found(function):
                return
        # Of a function that was made within another, its defaults and what it closes over are new.
        self.add([function.__defaults__, function.__kwdefaults__])
        empty = types.CellType()  # of a name that has no value yet
        for cell in function.__closure__ or ():
            self.add([] if cell == empty else [cell.cell_contents])

    def add_body(self, code: types.CodeType, scope: dict[str, Any]) -> None:
        """The code, that of what is defined within, and the globals and modules all these mention."""
        names: set[str] = set()
        mentioned: set[str] = set()
        imported: set[str] = set()
        todo = [code]
        while todo:
            code = todo.pop()
            inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
            self.add([getattr(code, name) for name in _PARTS])
            self.add([part for part in code.co_consts if not isinstance(part, types.CodeType)])
            todo += inner
            names |= set(code.co_names)
            for step in dis.get_instructions(code):
                if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
                    mentioned.add(step.argval)
                elif step.opname == "IMPORT_NAME":
                    imported.add(step.argval)
        for name in sorted(mentioned & set(scope)):
            self.add((name, scope[name]))
            if isinstance(scope[name], types.ModuleType):
                imported.add(scope[name].__name__)
        for name in imported:
            self.enter(name, names)


class _Hasher(joblib.hashing.NumpyHasher):
    """joblib's checksum of data, at any depth of which functions and classes go to the account."""

    def __init__(self, account: _Account) -> None:
        super().__init__()
        self.account = account

    def save(self, value: Any) -> None:
        if type(value) in _PLAIN:  # a column of words has thousands
            joblib.hashing.Pickler.save(self, value)
        elif _carries_code(value):
            self.write(f"\0code {self.account.add_code(value)}\n".encode())
        elif value is np.random.mtrand._rand:  # scipy's distributions have it
            self.write(b"\0the generator of numpy's own functions\n")
        elif type(value) in (set, frozenset):
            super().save([type(value).__name__, *sorted(map(self.account.apart, value))])
        else:
            super().save(value)

    def _batch_setitems(self, items: Any, *rest: Any) -> None:
        # joblib sorts a dict; its order may be part of the result
        joblib.hashing.Pickler._batch_setitems(self, items, *rest)


def _carries_code(value: object) -> bool:
    return isinstance(value, _CODE) or _wrapped(value) is not None


def _wrapped(value: object) -> object:
    """The function within what numba, lru_cache or np.vectorize made of it; None if there is none."""
    kind = type(value)
    if kind in _WRAPPERS or kind.__module__.startswith("numba."):
        known = getattr(value, "__dict__", {})
        return known.get("__wrapped__", known.get("pyfunc"))
    return None


def _found(function: types.FunctionType) -> bool:
    """Whether a function is the one that its module has by this name, not one made at run time."""
    found: object = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function
