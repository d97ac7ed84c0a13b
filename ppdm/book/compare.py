"""`ppdm book compare OLD NEW`: do two built books hold the same numbers?

Every CSV file of the results is read on both sides, row by row. Rows and whole numbers must be equal; other numbers
agree to a relative or absolute difference, larger where linear algebra or an optimiser has its own order of sums. Words are free.
"""

from __future__ import annotations

import argparse
from pathlib import Path

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
        line = f"only in {args.old}"
        if (new / path).is_file():
            line = difference(pd.read_csv(old / path), pd.read_csv(new / path), limit)
        wrong += bool(line)
        print(f"{path}: {line}\n" * bool(line), end="")
    print(f"{len(files)} files: {len(files) - wrong} the same, {wrong} not")
    return int(bool(wrong))


def difference(old: pd.DataFrame, new: pd.DataFrame, limit: float = SAME) -> str:
    """How two frames differ, in pandas' words; empty where they do not.

    >>> difference(pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": [1.0, 2.0 + 1e-13]}))
    ''
    >>> difference(pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": [1.0, 2.5]})).partition("[left]: ")[2]
    '[1.0, 2.0] [right]: [1.0, 2.5] At positional index 1, first diff: 2.0 != 2.5'
    """
    if list(old) != list(new):
        return f"columns {list(old)} were, {list(new)} are"
    was, now = (side.select_dtypes("number").astype(float) for side in (old, new))
    try:
        pd.testing.assert_frame_equal(was, now, rtol=limit, atol=limit)
    except AssertionError as error:
        return " ".join(str(error).split())
    return ""


def _results(book: Path) -> Path:
    for part in ("_build/results", "results", "."):
        if any((book / part).glob("*/*.csv")):
            return book / part
    raise ValueError(f"{book} holds no results of a book")
