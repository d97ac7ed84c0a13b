"""Finished points, kept: a file each, named by everything that decides its content."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ppdm.files import replace_file
from ppdm.places import cache_folder
from ppdm.study import identity


class Unit(NamedTuple):
    """What is computed and kept as one: a block of repetitions of a point (mostly the whole point)."""

    coords: dict
    block: int
    reps: int | None  # None: the function returns rows, not repetitions

    @property
    def file(self) -> str:
        """What its file is called."""
        text = identity.canonical(self._asdict())
        return f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.npy"


def named(coords: dict) -> str:
    """Coordinates, for people.

    >>> named({"dataset": "adult", "q": 0.5}), named({})
    ("dataset='adult', q=0.5", '(no coordinates)')
    """
    return ", ".join(f"{name}={value!r}" for name, value in coords.items()) or "(no coordinates)"


class Store:
    """The kept points of one function with its arguments, under one seed."""

    def __init__(self, function: Callable, seed: int, data: object = None, keep: bool = True):
        self.packed: Any = None  # the function as JSON, if it can be named
        self.files: list[Path] = []  # that decide what it gives
        self.name: str | None = None  # of the folder, within the cache
        self.folder: Path | None = None  # where points are kept; None: nowhere
        why = ""
        try:
            self.packed = identity.pack(function)
            self.files = identity.sources(identity.modules(self.packed))
            if edited := identity.edited(self.files):  # what runs may be older than what they say
                why = f"Points are not kept: {', '.join(edited)} changed since this session began."
            else:
                self.name = self._named(seed, identity.pack(data))
        except identity.Unnamed as error:
            why = f"Points are computed each time, as {error} that can be imported."
        if keep and why:
            print(why, file=sys.stderr)
        elif keep:
            folder = cache_folder() / str(self.name)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                os.utime(folder)  # in use: what nobody uses is removed one day
                self.folder = folder
            except OSError as error:
                warnings.warn(f"finished points are not kept: {error}", stacklevel=3)

    def _named(self, seed: int, data: object) -> str:
        key = {
            "function": self.packed, "seed": seed, "data": data,
            "sources": {identity.within(file): identity.checksum(file.read_bytes()) for file in self.files},
            "versions": identity.library_versions(),
        }  # fmt: skip
        name = identity.checksum(identity.canonical(key).encode())
        return f"{name[:2]}/{name[2:]}"

    def read(self, unit: Unit) -> np.ndarray | None:
        """What was kept of a unit; None if nothing was, or if it is not as it was written."""
        try:
            content = (self.folder / unit.file).read_bytes() if self.folder else None
        except OSError:
            content = None
        if content is None:
            return None
        table = unsealed(content)
        if table is None:
            where = f"{self.name}/{unit.file}"
            print(
                f"The kept point {named(unit.coords)} is damaged ({where}): it is computed anew.",
                file=sys.stderr,
            )
        return table

    def write(self, unit: Unit, table: np.ndarray) -> None:
        """Whole or not at all; a cache that fills up or may no longer be written is left."""
        if self.folder:
            try:
                replace_file(self.folder / unit.file, sealed(table), durable=False)
            except OSError as error:
                self.folder = None
                warnings.warn(f"no more points are kept: {error.strerror or error}", stacklevel=2)


def sealed(table: np.ndarray) -> bytes:
    """A result as numpy's own file, with its checksum behind it.

    >>> unsealed(sealed(np.arange(3))).tolist(), unsealed(sealed(np.arange(3))[1:])
    ([0, 1, 2], None)
    """
    content = io.BytesIO()
    np.save(content, table, allow_pickle=False)
    return content.getvalue() + hashlib.sha256(content.getvalue()).digest()


def unsealed(content: bytes) -> np.ndarray | None:
    """The result that `sealed` packed; None if one bit of it is another. Nothing is parsed before."""
    if hashlib.sha256(memoryview(content)[:-32]).digest() != content[-32:]:
        return None
    return np.load(io.BytesIO(content), allow_pickle=False)
