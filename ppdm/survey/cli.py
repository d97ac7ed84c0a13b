"""`ppdm estimate`: reports and the scheme they were made with, to shares with intervals."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppdm.files import replace_file

if TYPE_CHECKING:
    import pandas as pd

_PERCENT = ("reported", "share", "se", "low", "high")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The reports, the scheme, and what to group by."""
    parser.add_argument("reports", help="a .parquet or .csv file, a folder, or 'reports/*.parquet'")
    parser.add_argument(
        "--scheme",
        required=True,
        metavar="FILE",
        help="what was asked and how it was protected: a survey's JSON (or YAML) form",
    )
    parser.add_argument("--by", metavar="COLUMN", help="shares within the groups of this column")
    parser.add_argument(
        "--confidence", type=float, default=0.95, help="of the intervals; 0.95 if you do not say"
    )
    add_method(parser)
    parser.add_argument(
        "--csv", default="shares.csv", metavar="FILE", help="shares.csv if you do not say"
    )


def add_method(parser: argparse.ArgumentParser) -> None:
    """How the disguise is undone."""
    parser.add_argument(
        "--method",
        choices=["inversion", "em"],
        default="inversion",
        help="inversion: unbiased, may leave 0 to 1 (if you do not say); em: the likeliest shares "
        "within 0 to 1, with resampled intervals",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the resampling (1)")


def main(args: argparse.Namespace) -> int:
    """Count, undo, print, write."""
    from pathlib import Path

    import numpy as np

    from ppdm.contract import Survey
    from ppdm.survey.estimate import estimate
    from ppdm.survey.sheets import harmless

    rng = np.random.default_rng(args.seed)
    shares = estimate(
        args.reports, Survey.load(args.scheme), args.by, args.confidence, args.method, rng
    )
    if not shares["reports"].any():
        raise ValueError(f"{args.reports} has no reports, only a header")
    show(shares, args.confidence)
    replace_file(Path(args.csv), harmless(shares))
    chance = "; by chance a share may lie below 0 or above 1, though not its whole interval"
    print(f"written to {args.csv}{chance if args.method == 'inversion' else ''}")
    return 0


def show(shares: pd.DataFrame, confidence: float = 0.95) -> None:
    """Print the shares, and of each question what cannot be."""
    from ppdm.survey.report import doubts

    print(as_text(shares, confidence))
    for name, rows in shares.groupby("question", sort=False):
        for doubt in doubts(rows):
            print(f"{name}: {doubt}")


def as_text(shares: pd.DataFrame, confidence: float) -> str:
    """The shares for a terminal: per cent, and one column for the interval."""
    percent = {name: (100 * shares[name]).map("{:.2f}".format) for name in _PERCENT}
    interval = {f"{100 * confidence:g} % interval": percent["low"] + " to " + percent["high"]}
    shown = shares.assign(**percent, **interval).drop(columns=["low", "high"])
    shown = shown.rename(columns={name: f"{name} %" for name in _PERCENT})
    return shown.to_string(index=False)
