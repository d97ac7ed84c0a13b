"""What a chapter computed, written down so that anybody can compute it again.

A chapter's manifest names its code, its data, its seed and its settings, and for every cell, table
and claim a checksum. A cell's function is told by its path in the package and its arguments, so that
a reader needs no notebook to compute the cell; functions of the notebook itself are named only.
Checksums agree where every bit does. Where they do not, the weighted sums of the cell's columns say
whether the numbers agree to the last digits: another processor may add in another order.

The file's `fingerprint` is that of everything but the machine, the same wherever the same was
computed; its `seal` is that of the whole file.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib
import io
import json
import math
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ppdm import places
from ppdm.files import replace_file
from ppdm.study import grid, identity, provenance

#: The rooms whose functions and classes a manifest may name: those that compute, nothing that writes.
ROOMS = ("bits", "compiled", "contract", "data", "disguise", "distort", "estimate", "folding", "learn", "levels",
         "optimise", "papers", "privacy", "table", "study.worlds")  # fmt: skip
Json = dict[str, Any]  # as `json` reads and writes it
DIGITS = 32  # hexadecimal digits of a checksum
LARGEST = 100_000_000  # bytes of an unpacked manifest
_UNPACKING = (zlib.error, EOFError, OSError)  # what a damaged packed file may raise
CLOSE = 1e-9  # two sums that differ by less, relative to their size, agree to the last digits


class ManifestError(ValueError):
    """A manifest that is not as it was written, or names what this package does not have."""


# A result's checksum and its sums -------------------------------------------------------------------


def checksum(content: bytes) -> str:
    """The beginning of the SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def table_checksum(table: np.ndarray) -> str:
    """A checksum of a result: its names, types and values, the same on every machine.

    >>> one = np.array([(0.5, 1)], [("a", "f8"), ("b", "i8")])
    >>> table_checksum(one) == table_checksum(one.copy()) != table_checksum(-one["a"])
    True
    """
    table = table.astype(table.dtype.newbyteorder("<"), copy=False)
    head = json.dumps([str(table.dtype), table.shape])
    return checksum(head.encode() + table.tobytes())


def sums(table: np.ndarray) -> list[float | str]:
    """For each column its weighted sum (no two rows weigh the same); for one of words, a checksum.

    >>> round(sums(np.array([(1.0, "x"), (2.0, "y")], [("a", "f8"), ("b", "U1")]))[0], 6)
    2.59017
    """
    return [_sum(table[name])[0] for name in table.dtype.names or ()]


def _sum(column: np.ndarray) -> tuple[float | str, float]:
    """A column's weighted sum, and what its size is measured by."""
    if column.dtype.kind not in "biuf":
        return checksum("\0".join(map(str, column.tolist())).encode()), 1.0
    values = column.astype(float)
    weights = 0.5 + (np.arange(1, len(values) + 1) * 0.6180339887498949) % 1
    finite = np.isfinite(values)
    if not finite.all():  # where they stand, and of which kind, counts like a word
        marks = ["" if ok else str(v) for ok, v in zip(finite, values.tolist())]
        return checksum("\0".join(marks).encode()), 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        total = float((weights * values).sum())
    return total if math.isfinite(total) else str(total), float((weights * np.abs(values)).sum())


def difference(table: np.ndarray, kept: list[float | str]) -> float:
    """How far a result is from the sums of another, relative to their size; infinite if in kind.

    >>> table = np.array([(1.0,), (2.0,)], [("a", "f8")])
    >>> difference(table, sums(table)), difference(table, ["word"])
    (0.0, inf)
    """
    names = table.dtype.names or ()
    if len(kept) != len(names):
        return math.inf
    worst = 0.0
    for name, before in zip(names, kept):
        now, size = _sum(table[name])
        if isinstance(now, str) or isinstance(before, str):
            worst = max(worst, 0.0 if now == before else math.inf)
        elif now != before:
            worst = max(worst, abs(now - before) / size if size else math.inf)
    return worst


# Functions as text ----------------------------------------------------------------------------------


class Untold(Exception):
    """Something that cannot be told by a path and plain values."""


def tell(value: Any, arrays: Json) -> Any:
    """A function, an argument or an object of this package as JSON; arrays go to `arrays`, once each.

    >>> tell((1, None, {"a": [0.5]}), {})
    {'tuple': [1, None, {'dict': [['a', [0.5]]]}]}
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        if isinstance(value, float) and not math.isfinite(value):
            return {"number": str(value)}
        return value
    if isinstance(value, (list, tuple, dict, partial)):
        return _tell_container(value, arrays)
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array": _keep_array(np.asarray(value), arrays), "scalar": value.ndim == 0}
    path = _path_of(value)
    if path:
        return {"path": path}
    kind, state = _path_of(type(value)), getattr(value, "__dict__", None)
    plain = not any("__reduce_ex__" in vars(base) for base in type(value).__mro__[:-1])
    slots = any(vars(base).get("__slots__") for base in type(value).__mro__)
    if kind and plain and not slots and isinstance(state, dict):
        return {"object": kind, "state": tell(dict(state), arrays)}
    raise Untold(type(value).__name__)


def _tell_container(value: Any, arrays: Json) -> Any:
    if isinstance(value, partial):
        parts = [tell(part, arrays) for part in (value.func, list(value.args), value.keywords)]
        return {"partial": parts}
    if type(value) is list:
        return [tell(part, arrays) for part in value]
    if type(value) is tuple:
        return {"tuple": [tell(part, arrays) for part in value]}
    if type(value) is dict:
        return {"dict": [[tell(k, arrays), tell(v, arrays)] for k, v in value.items()]}
    raise Untold(type(value).__name__)


def _keep_array(array: np.ndarray, arrays: Json) -> str:
    if array.dtype.kind not in "biufSU":
        raise Untold(f"an array of {array.dtype}")
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    turned = array.flags.f_contiguous and not array.flags.c_contiguous  # its sums depend on it
    content = array.tobytes("F" if turned else "C")
    note = {"dtype": array.dtype.str, "shape": list(array.shape), "order": "F" if turned else "C"}
    name = checksum(json.dumps(note).encode() + content)
    arrays[name] = note | {"data": base64.b64encode(zlib.compress(content, 9)).decode()}
    return name


def _path_of(value: Any) -> str | None:
    """Where this package has a function or class; None if it is not from there."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or not _computes(module):
        return None
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    return f"{module}:{name}" if found is value else None


def _computes(module: str) -> bool:
    return any(f"{module}.".startswith(f"ppdm.{room}.") for room in ROOMS)


def untell(told: Any, arrays: Json) -> Any:
    """What `tell` told. Only functions and classes of the rooms that compute are looked up.

    >>> untell(tell({"a": (1, [np.float64(2)])}, kept := {}), kept)
    {'a': (1, [np.float64(2.0)])}
    """
    if isinstance(told, list):
        return [untell(part, arrays) for part in told]
    if not isinstance(told, dict):
        return told
    if "number" in told:
        return float(told["number"])
    if "tuple" in told:
        return tuple(untell(part, arrays) for part in told["tuple"])
    if "dict" in told:
        return {untell(k, arrays): untell(v, arrays) for k, v in told["dict"]}
    if "array" in told:
        array = _array(arrays[told["array"]])
        return array[()] if told["scalar"] else array
    if "partial" in told:
        function, args, keywords = (untell(part, arrays) for part in told["partial"])
        return partial(function, *args, **keywords)
    if "path" in told:
        return _look_up(told["path"])
    if "object" in told:
        cls = _look_up(told["object"])
        if not isinstance(cls, type):
            raise ManifestError(f"{told['object']} is no class")
        thing: Any = object.__new__(cls)
        thing.__dict__.update(untell(told["state"], arrays))
        return thing
    raise ManifestError(f"the manifest tells a value by {', '.join(told)}, which is not known here")


def _array(note: Json) -> np.ndarray:
    content = zlib.decompress(base64.b64decode(note["data"]))
    flat = np.frombuffer(content, np.dtype(note["dtype"]))
    return flat.reshape(note["shape"], order=note["order"]).copy(order=note["order"])


def _look_up(path: str) -> Any:
    module, _, name = path.partition(":")
    if not _computes(module):
        raise ManifestError(
            f"the manifest names {path}; only ppdm's rooms that compute are looked up"
        )
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise ManifestError(f"this copy of ppdm has no {path}") from None


# Writing --------------------------------------------------------------------------------------------


class Recorder:
    """Collects what a chapter computes, while it computes."""

    def __init__(self, stem: str):
        self.stem = stem
        self.experiments: list[Json] = []
        self.names: list[str] = []  # for each experiment, what tells its function from any other
        self.kept: list[str | None] = []  # for each experiment, the cache's folder of its cells
        self.arrays: Json = {}
        self.cells: dict[tuple[int, str], Json] = {}
        self.tables: dict[str, str] = {}
        self.files: set[Path] = set()

    def record(
        self,
        function: Callable[..., Any],
        seed: int,
        units: Iterable[grid.Unit],
        results: Iterable[np.ndarray],
        store: grid.Store,
    ) -> None:
        """Note the cells of one `run` or `rows`: what `grid.compute` calls."""
        name, files = store.name, store.files
        if name is None:  # nothing is kept: the function's own fingerprint tells it from others
            name, files = identity.examine(function)
        self.files |= {file for file in files if file.is_relative_to(places.PACKAGE)}
        arrays: Json = {}
        try:
            told = tell(function, arrays)
        except Untold:
            told = {"notebook": _name(function)}
        self.arrays |= arrays
        experiment = {"function": told, "seed": seed}
        known = [
            i for i, e in enumerate(self.experiments) if (e, self.names[i]) == (experiment, name)
        ]
        number = known[0] if known else len(self.experiments)
        if not known:
            self.experiments.append(experiment)
            self.names.append(name)
            self.kept.append(store.name)
        for unit, table in zip(units, results):
            key = (number, identity.canonical(unit._asdict()))
            self.cells[key] = {
                "experiment": number, "coords": unit.coords, "block": unit.block,
                "reps": unit.reps, "sha256": table_checksum(table), "sums": sums(table),
            }  # fmt: skip

    def table(self, name: str, content: bytes) -> None:
        """Note a file of results."""
        self.tables[name] = checksum(content)

    def write(
        self, path: Path, *, seed: int, sizes: Json, settings: Json, data: Json, claims: list[Json]
    ) -> None:
        """`manifest.json`; `claims` are the rows of `claims.csv`."""
        what = {
            "chapter": self.stem, "seed": seed, "sizes": sizes, "settings": settings, "data": data,
            "code": self._code(), "lock": _file_checksum("requirements.lock"),
            "tables": dict(sorted(self.tables.items())),
            "claims": {row["id"]: {"verdict": row["verdict"], "sha256": row_checksum(row)}
                       for row in claims},
            "experiments": self.experiments, "arrays": self.arrays,
            "cells": list(self.cells.values()),
        }  # fmt: skip
        machine = provenance.machine()
        made_on = {
            "versions": provenance.versions(),
            "machine": {key: machine[key] for key in ("processor", "system")},
            "kept": self.kept,
        }
        replace_file(path, written(what, made_on))

    def _code(self) -> dict[str, str]:
        files = {
            f"ppdm/{file.relative_to(places.PACKAGE).as_posix()}": checksum(file.read_bytes())
            for file in sorted(self.files)
        }
        own = (f"notebooks/{self.stem}.ipynb", f"book/claims/{self.stem}.yml")
        return files | {name: known for name in own if (known := _file_checksum(name))}


def _name(function: Any) -> str:
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)


def _file_checksum(name: str) -> str | None:
    home = places.repository()
    path = home / name if home else None
    return checksum(path.read_bytes()) if path and path.is_file() else None


def row_checksum(row: Json) -> str:
    """The checksum of a claim's row in `claims.csv`."""
    return checksum(json.dumps({k: str(v) for k, v in row.items()}, sort_keys=True).encode())


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def fingerprint(what: Json) -> str:
    """What was computed, in one word."""
    return checksum(_canonical(what))


def written(what: Json, made_on: Json) -> bytes:
    """The file: a cell a line, the rest as JSON is mostly written."""
    what = json.loads(json.dumps(what, default=str))  # as a reader will find it
    body = {"fingerprint": fingerprint(what), "made_on": made_on, "what": what}
    body = {"seal": checksum(_canonical(body)), **body}
    cells = ",\n   ".join(json.dumps(cell) for cell in what["cells"])
    text = json.dumps(body | {"what": what | {"cells": "@cells"}}, indent=1)
    return text.replace('"@cells"', f"[\n   {cells}\n  ]", 1).encode() + b"\n"


# Reading --------------------------------------------------------------------------------------------


class Manifest(NamedTuple):
    """A manifest as it was written."""

    name: str  # of the file, for messages
    fingerprint: str
    what: Json
    made_on: Json

    def told(self, cell: Json) -> bool:
        """Whether a cell can be computed without its notebook."""
        return "notebook" not in self.what["experiments"][cell["experiment"]]["function"]

    def compute(self, cell: Json) -> np.ndarray:
        """A cell, computed anew from what the manifest tells of it."""
        experiment = self.what["experiments"][cell["experiment"]]
        function = untell(experiment["function"], self.what["arrays"])
        unit = grid.Unit(cell["coords"], cell["block"], cell["reps"])
        return grid.compute_unit(function, unit, experiment["seed"])

    def kept_file(self, cell: Json) -> Path | None:
        """Where the cache has the cell, if it was kept."""
        folder = self.made_on["kept"][cell["experiment"]]
        if folder is None:
            return None
        unit = grid.Unit(cell["coords"], cell["block"], cell["reps"])
        return places.cache_folder() / folder / grid.file_name(unit)


def packed(content: bytes) -> bytes:
    """A manifest as the site publishes it: a sixth of the size, and the same bytes every time.

    >>> unpacked(packed(b"{}"))
    b'{}'
    """
    return gzip.compress(content, mtime=0)


def unpacked(content: bytes) -> bytes:
    """What `packed` had; what is not packed stays as it is. No more than `LARGEST` is read."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    return gzip.GzipFile(fileobj=io.BytesIO(content)).read(LARGEST)


def read(content: bytes, name: str) -> Manifest:
    """A manifest, packed or not, checked against its own seal."""
    try:
        body = json.loads(unpacked(content))
        seal = body.pop("seal")
        whole = set(body) == {"fingerprint", "made_on", "what"} and seal == checksum(
            _canonical(body)
        )
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError, *_UNPACKING):
        whole = False
    if not whole or body["fingerprint"] != fingerprint(body["what"]):
        raise ManifestError(f"{name} is damaged: its seal is not that of its content")
    return Manifest(name, body["fingerprint"], body["what"], body["made_on"])


def last_verified(out: Path) -> dict[str, Json]:
    """What `ppdm verify` found last, by chapter; nothing if it never ran (or its note is broken)."""
    try:
        notes = json.loads((out / "verified.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}
