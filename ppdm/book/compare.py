"""`ppdm book compare OLD NEW`: do two built books hold the same numbers?

Every CSV file of the results is read on both sides, row by row. Rows and whole numbers must be equal; other numbers
agree to a relative or absolute difference, larger where linear algebra or an optimiser has its own order of sums. Words are free.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

#: Numbers that agree to this are the same.
SAME = 1e-12
#: The same in chapters whose numbers come from singular values, support vectors or a search.
ROUGH, ROUGH_CHAPTERS = 1e-9, ("03_", "04_", "05_")


def main(args: argparse.Namespace) -> int:
    """Compare the results of two books; 1 if they differ."""
    old, new = (_results(Path(side)) for side in (args.old, args.new))
    files = sorted({p.relative_to(old) for p in old.rglob("*.csv")})
    wrong = 0
    for path in files:
        limit = ROUGH if path.parts[0].startswith(ROUGH_CHAPTERS) else SAME
        there = (new / path).is_file()
        lines = (
            differences(pd.read_csv(old / path), pd.read_csv(new / path), limit)
            if there
            else [f"only in {args.old}"]
        )
        wrong += bool(lines)
        for line in lines:
            print(f"{path}: {line}")
    print(f"{len(files)} files: {len(files) - wrong} the same, {wrong} not")
    return int(bool(wrong))


def differences(old: pd.DataFrame, new: pd.DataFrame, limit: float = SAME) -> list[str]:
    """What differs between two frames, a line a column.

    >>> differences(pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": [1.0, 2.0 + 1e-13]}))
    []
    >>> differences(pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": [1.0, 2.5]}))
    ['a: 1 differ, by 0.5 at most (row 1: 2.0 was, 2.5 is)']
    """
    if list(old.columns) != list(new.columns) or len(old) != len(new):
        return [
            f"{len(old)} rows of {list(old.columns)} were, {len(new)} of {list(new.columns)} are"
        ]
    lines = []
    for name in old.select_dtypes("number").columns.intersection(
        new.select_dtypes("number").columns
    ):
        a, b = old[name].to_numpy(dtype=float), new[name].to_numpy(dtype=float)
        wrong = ~np.isclose(a, b, rtol=limit, atol=limit, equal_nan=True)
        if wrong.any():
            with np.errstate(invalid="ignore"):
                away = np.nan_to_num(np.where(wrong, np.abs(a - b), -1), nan=np.inf)
            row = int(away.argmax())
            lines.append(
                f"{name}: {wrong.sum()} differ, by {away[row]:.2g} at most (row {row}: {a[row]} was, {b[row]} is)"
            )
    return lines


def _results(book: Path) -> Path:
    for part in ("_build/results", "results", "."):
        if any((book / part).glob("*/*.csv")):
            return book / part
    raise ValueError(f"{book} holds no results of a book")
