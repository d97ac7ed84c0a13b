"""What a chapter computed, written down so that anybody can compute it again.

A chapter's manifest names its code, its data, its seed and its settings, and for every point, table
and claim a checksum. A point's function stands there by its import path and its arguments, so that
a reader needs no notebook to compute the point; functions of the notebook itself are named only.
Checksums agree where every bit does. Where they do not, the weighted sums of the point's columns say
whether the numbers agree to the last digits: another processor may add in another order.

The file's `fingerprint` is that of everything but the machine, the same wherever the same was
computed; its `seal` is that of the whole file.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ppdm import places
from ppdm.files import replace_file
from ppdm.study import grid, identity, provenance, store, workers
from ppdm.study.identity import checksum

Json = dict[str, Any]  # as `json` reads and writes it
LARGEST = 100_000_000  # bytes of an unpacked manifest
CLOSE = 1e-9  # two sums that differ by less, relative to their size, agree to the last digits
_BROKEN = (
    ValueError, KeyError, AttributeError, TypeError, RecursionError, EOFError, OSError, zlib.error,
)  # fmt: skip


class ManifestError(ValueError):
    """A manifest that is not as it was written, or names what this package does not have."""


def computes(module: str) -> bool:
    """Whether a manifest may name a module's functions: those of the papers' experiments.

    >>> computes("ppdm.papers.multi_group.experiment"), computes("ppdm.files")
    (True, False)
    """
    return f"{module}.".startswith(("ppdm.papers.", "ppdm.study.worlds."))


# A result's checksum and its sums -------------------------------------------------------------------


def table_checksum(table: np.ndarray) -> str:
    """A checksum of a result: its names, types and values, the same on every machine.

    >>> one = np.array([(0.5, 1)], [("a", "f8"), ("b", "i8")])
    >>> table_checksum(one) == table_checksum(one.copy()) != table_checksum(-one["a"])
    True
    """
    table = table.astype(table.dtype.newbyteorder("<"), copy=False)
    return checksum(json.dumps([str(table.dtype), table.shape]).encode() + table.tobytes())


def sums(table: np.ndarray) -> list[tuple[float, float, str]]:
    """For each column its weighted sum (no two rows weigh the same), what its size is measured by, and a
    checksum of what is no finite number.

    >>> sums(np.array([(1.0, "x"), (2.0, "y")], [("a", "f8"), ("b", "U1")]))[0]   # doctest: +ELLIPSIS
    (2.590169943749..., 2.590169943749..., '')
    """
    columns = []
    weights = 0.5 + (np.arange(1, len(table) + 1) * 0.6180339887498949) % 1
    for column in map(table.__getitem__, table.dtype.names or ()):
        number = column.dtype.kind in "biuf"
        values = column.astype(float) if number else np.full(len(column), np.nan)
        finite = np.isfinite(values)
        weighted = weights * np.where(finite, values, 0.0)
        words = "\0".join(np.where(finite, "", column.astype(str)))
        odd = "" if finite.all() else checksum(words.encode())
        columns.append((float(weighted.sum()), float(np.abs(weighted).sum()), odd))
    return columns


def difference(table: np.ndarray, kept: list) -> float:
    """How far a result is from the sums of another, relative to their size; infinite if in kind.

    >>> table = np.array([(1.0,), (2.0,)], [("a", "f8")])
    >>> difference(table, [(sums(table)[0][0], "")]), difference(table, [])
    (0.0, inf)
    """
    now = sums(table)
    if [odd for *_, odd in now] != [odd for _, odd in kept]:
        return math.inf
    return max((abs(a - b) / (size or 1.0) for (a, size, _), (b, _) in zip(now, kept)), default=0.0)


# Writing --------------------------------------------------------------------------------------------


class Recorder:
    """Collects what a chapter computes, while it computes."""

    def __init__(self, stem: str):
        self.stem = stem
        self.experiments: dict[Any, Json] = {}
        self.kept: list[str | None] = []  # for each experiment, the cache's folder of its points
        self.points: dict[tuple[int, str], Json] = {}
        self.tables: dict[str, str] = {}
        self.files: set[Path] = set()

    def record(
        self,
        function: Callable[..., Any],
        seed: int,
        units: Iterable[store.Unit],
        results: Iterable[np.ndarray],
        kept: store.Store,
    ) -> None:
        """Note the points of one `run` or `rows`: what `grid.compute` calls."""
        self.files |= {file for file in kept.files if file.is_relative_to(places.PACKAGE)}
        named = kept.packed or {"notebook": identity.name_of(function)}
        # another function of a notebook is another experiment, whatever it is called
        key = (_digest(kept.packed), seed, kept.name) if kept.packed else len(self.kept)
        if key not in self.experiments:
            self.experiments[key] = {"function": named, "seed": seed}
            self.kept.append(kept.name)
        number = list(self.experiments).index(key)
        for unit, table in zip(units, results):
            self.points[number, unit.file] = {
                "experiment": number, **unit._asdict(),
                "sha256": table_checksum(table), "sums": [(total, odd) for total, _, odd in sums(table)],
            }  # fmt: skip

    def table(self, name: str, content: bytes) -> None:
        """Note a file of results."""
        self.tables[name] = checksum(content)

    def write(self, path: Path, *, claims: list[Json], **facts: Any) -> None:
        """`manifest.json`; `claims` are the rows of `claims.csv`, `facts` seed, sizes, settings and data."""
        own = (f"notebooks/{self.stem}.ipynb", f"book/claims/{self.stem}.yml")
        code = {identity.within(file): checksum(file.read_bytes()) for file in sorted(self.files)}
        code |= {name: known for name in own if (known := _file_checksum(name))}
        what = facts | {
            "chapter": self.stem, "code": code, "lock": _file_checksum("requirements.lock"),
            "tables": dict(sorted(self.tables.items())),
            "claims": {row["id"]: {"verdict": row["verdict"], "sha256": row_checksum(row)}
                       for row in claims},
            "experiments": list(self.experiments.values()), "points": list(self.points.values()),
        }  # fmt: skip
        machine = {key: provenance.machine()[key] for key in ("processor", "system")}
        made_on = {"versions": provenance.versions(), "machine": machine, "kept": self.kept}
        what = json.loads(json.dumps(what, default=str))  # as a reader will find it
        body = {"fingerprint": _digest(what), "made_on": made_on, "what": what}
        text = json.dumps({"seal": _digest(body), **body})
        replace_file(path, text.replace('{"experiment"', '\n{"experiment"').encode() + b"\n")


def _file_checksum(name: str) -> str | None:
    home = places.repository()
    path = home / name if home else None
    return checksum(path.read_bytes()) if path and path.is_file() else None


def _digest(value: Any) -> str:
    return checksum(identity.canonical(value).encode())


def row_checksum(row: Json) -> str:
    """The checksum of a claim's row in `claims.csv`."""
    return _digest({key: str(value) for key, value in row.items()})


# Reading --------------------------------------------------------------------------------------------


class Manifest(NamedTuple):
    """A manifest as it was written."""

    fingerprint: str
    what: Json
    made_on: Json

    def function(self, point: Json) -> Any:
        """A point's function as the manifest has it."""
        return self.what["experiments"][point["experiment"]]["function"]

    def compute(self, point: Json) -> np.ndarray:
        """A point, computed anew from what the manifest says of it."""
        seed = self.what["experiments"][point["experiment"]]["seed"]
        try:
            function = identity.unpack(self.function(point), computes)
        except ValueError as error:
            raise ManifestError(f"{error}") from None
        [(_, outcome)] = workers.work_on(
            lambda unit: grid.compute_unit(function, unit, seed), [(0, _unit(point))]
        )
        if isinstance(outcome, workers.Failure):
            raise ManifestError(outcome.message)
        return outcome

    def kept_file(self, point: Json) -> Path | None:
        """Where the cache has the point, if it was kept."""
        folder = self.made_on["kept"][point["experiment"]]
        return places.cache_folder() / folder / _unit(point).file if folder else None


def _unit(point: Json) -> store.Unit:
    return store.Unit(point["coords"], point["block"], point["reps"])


def packed(content: bytes) -> bytes:
    """A manifest as the site publishes it: a sixth of the size, and the same bytes every time."""
    return gzip.compress(content, mtime=0)


def read(content: bytes, name: str) -> Manifest:
    """A manifest, packed or not, checked against its own seal."""
    try:
        if content.startswith(b"\x1f\x8b"):
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(LARGEST)
        body = json.loads(content)
        seal, known = body.pop("seal"), Manifest(**body)
        whole = seal == _digest(body) and known.fingerprint == _digest(known.what)
    except _BROKEN:
        whole = False
    if not whole:
        raise ManifestError(f"{name} is damaged: its seal is not that of its content")
    return known


def last_verified(out: Path) -> dict[str, Json]:
    """What `ppdm verify` found last, by chapter; nothing if it never ran (or its note is broken)."""
    try:
        return dict(json.loads((out / "verified.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return {}
