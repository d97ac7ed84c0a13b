"""`ppdm book compare OLD NEW`: do two built books hold the same numbers?

Every CSV file of the results is read on both sides, row by row. Rows and whole numbers must be equal;
other numbers agree within a relative or absolute difference, which is larger where linear algebra or
an optimiser has its own order of sums. Words are free. What differs is listed, the largest first.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

#: Numbers that agree to this are the same.
SAME = 1e-12
#: The same in chapters whose numbers come from singular values, support vectors or a search.
ROUGH, ROUGH_CHAPTERS = 1e-9, ("03_", "04_", "05_")
SHOWN = 12


class Difference(NamedTuple):
    """Numbers of one column that differ: how many, and by how much at most."""

    column: str
    numbers: int
    size: float
    example: str


def main(args: argparse.Namespace) -> int:
    """Compare the results of two books; 1 if they differ."""
    old, new = (_results(Path(side)) for side in (args.old, args.new))
    files = sorted({p.relative_to(old) for p in old.rglob("*.csv")})
    missing = [path for path in files if not (new / path).is_file()]
    different = 0
    for path in files:
        if path in missing:
            print(f"{path}: only in {args.old}")
            continue
        limit = ROUGH if path.parts[0].startswith(ROUGH_CHAPTERS) else SAME
        found = list(differences(pd.read_csv(old / path), pd.read_csv(new / path), limit))
        different += bool(found)
        for column, numbers, size, example in found[:SHOWN]:
            print(f"{path}: {column}: {numbers} differ, by {size:.2g} at most ({example})")
    print(f"{len(files)} files: {len(files) - different - len(missing)} the same, {different} differ, "
          f"{len(missing)} missing")  # fmt: skip
    return int(bool(different or missing))


def differences(old: pd.DataFrame, new: pd.DataFrame, limit: float = SAME) -> Iterator[Difference]:
    """What differs between two frames, a row a column.

    >>> list(differences(pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": [1.0, 2.0 + 1e-13]})))
    []
    """
    if list(old.columns) != list(new.columns) or len(old) != len(new):
        yield Difference(
            "rows or columns", abs(len(old) - len(new)), np.nan, f"{len(old)}, {len(new)} rows"
        )
        return
    for name in old.columns:
        one, other = old[name], new[name]
        if not (pd.api.types.is_numeric_dtype(one) and pd.api.types.is_numeric_dtype(other)):
            continue
        a, b = one.to_numpy(dtype=float), other.to_numpy(dtype=float)
        with np.errstate(invalid="ignore"):  # inf is inf
            away = np.abs(a - b)
        allowed = limit * np.maximum(1, np.maximum(np.abs(a), np.abs(b)))
        wrong = ~((away <= allowed) | (np.isnan(a) & np.isnan(b)) | (a == b))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[np.nanargmax(np.nan_to_num(away[wrong], nan=np.inf))])
            example = f"row {row}: {a[row]!r} was, {b[row]!r} is"
            yield Difference(name, int(wrong.sum()), float(away[row]), example)


def _results(book: Path) -> Path:
    for part in ("_build/results", "results", "."):
        if any((book / part).glob("*/*.csv")):
            return book / part
    raise ValueError(f"{book} holds no results of a book")
