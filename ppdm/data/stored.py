"""The stored copy: five raw files, compressed, inside the package. Checked at every load."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pandas as pd

from .catalog import CATALOG, Column, Entry, RawFile, entry
from .dataset import Dataset, make_dataset

FOLDER = Path(__file__).parent / "stored"


class DamagedFileError(OSError):
    """A stored file is missing, or is not the file that it should be.

    >>> from dataclasses import replace
    >>> read_raw(replace(entry("pima").files[0], name="lost"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ppdm.data.stored.DamagedFileError: stored file lost.xz is missing: expected content of ...
    """


def read_raw(file: RawFile) -> bytes:
    """The bytes of one raw file, as the archive served them, or an error that names the damage.

    >>> read_raw(entry("pima").files[0]).split(b",")[:3]
    [b'6', b'148', b'72']
    """
    path = FOLDER / f"{file.name}.xz"
    unpacked = FOLDER / file.name  # as in a browser, whose Python has no lzma
    try:
        stored = (unpacked if unpacked.is_file() else path).read_bytes()
    except FileNotFoundError:
        raise DamagedFileError(
            f"stored file {path.name} is missing: expected content of sha256 {file.sha256}"
        ) from None
    raw = stored if unpacked.is_file() else _unpack(stored)
    checksum = hashlib.sha256(raw).hexdigest()
    if checksum != file.sha256:
        raise DamagedFileError(
            f"stored file {path.name} is damaged: expected sha256 {file.sha256}, found {checksum}"
        )
    return raw


def _unpack(stored: bytes) -> bytes:
    import lzma

    try:
        return lzma.decompress(stored)
    except (lzma.LZMAError, EOFError):
        return stored  # not a readable archive: its own checksum is all there is to show


def load_stored(name: str, instead: str = "") -> Dataset:
    """A data set from the stored copy, every file's checksum verified; `instead` of what, and why.

    >>> load_stored("pima").frame.shape
    (768, 9)
    """
    item = entry(name)
    parts = [parse(item, read_raw(file), file.skip_lines) for file in item.files]
    frame = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
    checksums = {file.name: file.sha256 for file in item.files}
    return make_dataset(
        name, frame, source="stored", sha256=checksums, note=item.note, instead=instead
    )


def verify() -> bool:
    """Check every stored file: print a line each with rows and checksum; True if all are sound.

    >>> verify()
    adult...rows  sha256 ...ok...
    True
    """
    sound = True
    for item in CATALOG.values():
        for file in item.files:
            try:
                rows = len(parse(item, read_raw(file), file.skip_lines))
            except DamagedFileError as damage:
                sound = False
                print(f"{file.name:<29}DAMAGED: {damage}")
                continue
            print(f"{file.name:<29}{rows:>6,} rows  sha256 {file.sha256}  ok")
    return sound


def parse(known: Entry, raw: bytes, skip_lines: int = 0) -> pd.DataFrame:
    """The records of a file: numbers, and words as categories in the order of the catalog.

    >>> parse(entry("pima"), b"6,148,72,35,0,33.6,0.627,50,1").to_numpy().tolist()
    [[6.0, 148.0, 72.0, 35.0, 0.0, 33.6, 0.627, 50.0, 1.0]]
    """
    frame = pd.read_csv(
        io.BytesIO(raw),
        header=None,
        names=[column.name for column in known.columns],
        dtype={column.name: "category" for column in known.columns if column.levels},
        skiprows=skip_lines,
        skipinitialspace=True,
        na_values="?",
        keep_default_na=False,
    )
    for column in known.columns:
        values = frame[column.name]
        if column.levels:
            frame[column.name] = _with_levels(values, column, known.label_suffix)
        elif not pd.api.types.is_numeric_dtype(values):
            words = values[pd.to_numeric(values, errors="coerce").isna() & values.notna()]
            raise ValueError(f"column {column.name!r} holds {words.iloc[0]!r}, and no number")
    return frame


def _with_levels(values: pd.Series, column: Column, suffix: str) -> pd.Series:
    """Categories in the documented order, whatever the order (and the dots) of the file."""
    places = {str(level): place for place, level in enumerate(column.levels)}
    words = [str(word).removesuffix(suffix) for word in values.cat.categories]
    unknown = [word for word in words if word not in places]
    if unknown:
        raise ValueError(f"column {column.name!r} has values the catalog lacks: {unknown}")
    place_of = np.array([*map(places.get, words), -1])  # the last one is for what is missing
    levels: pd.Index = pd.Index(column.levels)
    codes = place_of[values.cat.codes]
    return pd.Series(pd.Categorical.from_codes(codes, levels), index=values.index)
