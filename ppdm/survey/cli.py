"""`ppdm estimate`: reports and the scheme they were made with, to shares with intervals."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppdm.files import replace_file

if TYPE_CHECKING:
    import pandas as pd


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The reports, the scheme, and what to group by."""
    parser.add_argument("reports", help="a .parquet or .csv file, a folder, or 'reports/*.parquet'")
    parser.add_argument(
        "--scheme", required=True, metavar="FILE",
        help="what was asked and how it was protected: a survey's JSON (or YAML) form",
    )  # fmt: skip
    parser.add_argument("--by", metavar="COLUMN", help="shares within the groups of this column")
    parser.add_argument(
        "--confidence", type=float, default=0.95, help="of the intervals; 0.95 if you do not say"
    )
    parser.add_argument(
        "--csv", default="shares.csv", metavar="FILE", help="shares.csv if you do not say"
    )


def main(args: argparse.Namespace) -> int:
    """Count, undo, print, write."""
    from pathlib import Path

    from ppdm.contract import Survey
    from ppdm.survey.estimate import estimate

    shares = estimate(args.reports, Survey.load(args.scheme), args.by, args.confidence)
    print(as_text(shares, args.confidence))
    replace_file(Path(args.csv), shares.to_csv(index=False, lineterminator="\n").encode())
    print(f"written to {args.csv}; an interval below 0 or above 1 is chance, not a mistake")
    return 0


def as_text(shares: pd.DataFrame, confidence: float) -> str:
    """The shares for a terminal: per cent, and one column for the interval."""
    shown = shares.copy()
    percent = "{:.2f}".format
    for name in ("reported", "share", "se"):
        shown[name] = [percent(100 * value) for value in shares[name]]
    shown[f"{100 * confidence:g} % interval"] = [
        f"{percent(100 * low)} to {percent(100 * high)}"
        for low, high in zip(shares["low"], shares["high"], strict=True)
    ]
    shown = shown.drop(columns=["low", "high"]).rename(
        columns={"reported": "reported %", "share": "share %", "se": "se %"}
    )
    return shown.to_string(index=False)
