"""`ppdm estimate` and `ppdm survey estimate`: reports and what was asked, to shares with intervals."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppdm.files import replace_file

if TYPE_CHECKING:
    import pandas as pd

    from ppdm.contract import Survey
    from ppdm.survey.report import Part

_PERCENT = ("reported", "share", "se", "low", "high")
#: Columns of the design, by the names that `ppdm.estimate.Design` has for them.
_DESIGN = {
    "weights": "how many people each respondent stands for",
    "strata": "the part of the population that a respondent was drawn from",
    "clusters": "who was drawn together: a school, a town",
    "population": "how many people (or clusters) her stratum has",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ppdm estimate`."""
    parser.add_argument("reports", help="a .parquet or .csv file, a folder, or 'reports/*.parquet'")
    parser.add_argument(
        "--scheme",
        metavar="FILE",
        help="what was asked and how it was protected: a survey's JSON (or YAML) form; reports.scheme.json "
        "beside reports.csv, if none is named",
    )
    add_options(parser)
    parser.add_argument(
        "--csv", default="shares.csv", metavar="FILE", help="the shares (shares.csv)"
    )
    parser.add_argument("--out", type=Path, help="a folder for a report as a page, with all tables")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is estimated, and how."""
    parser.add_argument(
        "--by", metavar="COLUMN", help="shares within the groups of this column, too"
    )
    parser.add_argument(
        "--pair", nargs=2, action="append", default=[], metavar=("A", "B"),
        help="the shares of each combination, and whether the two go together; may be given more than once",
    )  # fmt: skip
    parser.add_argument(
        "--regress", nargs="+", action="append", default=[], metavar="A",
        help="a yes-or-no question, then questions that may explain it; disguised ones may stand on both sides",
    )  # fmt: skip
    for name, text in _DESIGN.items():
        parser.add_argument(f"--{name}", metavar="COLUMN", help=text)
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="the chance that an interval misses (0.05: 95 %%)"
    )
    parser.add_argument(  # the name that it had
        "--confidence", dest="alpha", type=lambda text: 1 - float(text), help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--method", choices=["inversion", "em"], default="inversion",
        help="inversion: unbiased, may leave 0 to 1 (if you do not say); em: the likeliest shares "
        "within 0 to 1, with errors of resampled respondents",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="seed of the resampling (1)")
    parser.add_argument(
        "--device", default="browser", help="who tossed the coins, as the form was told (browser)"
    )


def main(args: argparse.Namespace) -> int:
    """`ppdm estimate`: count, undo, print, write."""
    from ppdm.contract import Survey
    from ppdm.survey.sheets import harmless

    survey = Survey.load(args.scheme or Path(args.reports).with_suffix(".scheme.json"))
    shares, written = estimated(args, survey, args.reports, args.out)
    replace_file(Path(args.csv), harmless(shares))
    chance = "; by chance a share may lie below 0 or above 1"
    print(
        f"written to {args.csv}{chance if args.method == 'inversion' else ''}", *written, sep="\n"
    )
    return 0


def estimated(
    args: argparse.Namespace, survey: Survey, records: Any, folder: Path | None
) -> tuple[pd.DataFrame, list[Path]]:
    """Estimate what was asked for, print it and write it to a folder; the shares, those of groups if asked."""
    import numpy as np

    from ppdm.estimate import Design, estimate
    from ppdm.survey import compliance, report
    from ppdm.survey.sheets import harmless

    columns = {name: getattr(args, name) for name in _DESIGN if getattr(args, name)}
    how: dict[str, Any] = {"design": Design(**columns) if columns else None, "alpha": args.alpha}
    likely = {"method": args.method, "rng": np.random.default_rng(args.seed)}
    whole = estimate(records, survey, **how, **likely) if folder or not args.by else None
    groups = estimate(records, survey, by=args.by, **how, **likely) if args.by else None
    shares = whole if groups is None else groups
    assert shares is not None
    if not shares["reports"].any():
        raise ValueError(f"{args.reports} has no reports, only a header")
    for table in (whole, groups):
        if table is not None:
            show(table, args.alpha)
    written = []
    parts = compliance.parts(records, survey, args.device, **how)
    parts += _parts(args, survey, records, how, likely)
    for part in parts:
        print(f"\n{part.heading}")
        if part.file != report.COMPLIANCE:  # its sentences say what its table does
            print(part.table.to_string(index=False, float_format="{:.3f}".format))
        print(part.text)
    if folder is not None and whole is not None:
        written = report.write(folder, survey, whole, args.method, parts, args.alpha)
        if groups is not None:
            written.append(folder / ("by-" + re.sub(r"[^\w-]", "_", args.by) + ".csv"))
            replace_file(written[-1], harmless(groups))
    return shares, written


def _parts(
    args: argparse.Namespace, survey: Survey, records: Any, how: dict, likely: dict
) -> list[Part]:
    """The pairs, differences and regressions that were asked for."""
    import pandas as pd

    from ppdm.estimate import difference, estimate
    from ppdm.survey import relate
    from ppdm.survey.report import Part

    parts = []
    last = {name: f"“{levels[-1]}” to {name}" for name, levels in survey.attributes.items()}
    for a, b in args.pair:
        pairs = estimate(records, survey, [a, b], **how, **likely)
        pairs = pairs.set_axis(["answer", "other answer", *pairs.columns[2:]], axis=1)
        text = f"The share of {last[a]} among those with {last[b]}, less that among all others."
        gap = difference(records, survey, a, b, **how)
        row = pd.DataFrame([{"question": a, "other": b, **gap._asdict()}])
        parts += [
            Part("relations", f"{a} and {b}", text, row),
            Part("pairs", f"{a} and {b} together", "", pairs.assign(question=a, other=b)),
        ]
    for name, *covariates in args.regress:
        result = relate.regression(
            relate.as_reports(records, survey), survey, name, covariates, args.alpha
        )
        text = (
            f"Logistic regression of the true answer; log-likelihood {result.log_likelihood:.3f}."
        )
        heading = f"Who truly says {last[name]}"
        parts.append(Part("regressions", heading, text, result.table.assign(question=name)))
    return parts


def show(shares: pd.DataFrame, alpha: float = 0.05) -> None:
    """Print the shares, and of each question what cannot be."""
    from ppdm.survey.report import doubts

    print(as_text(shares, alpha))
    for name, rows in shares.groupby("question", sort=False):
        for doubt in doubts(rows):
            print(f"{name}: {doubt}")


def as_text(shares: pd.DataFrame, alpha: float) -> str:
    """The shares for a terminal: per cent, and one column for the interval."""
    percent = {name: (100 * shares[name]).map("{:.2f}".format) for name in _PERCENT}
    ends = percent["low"] + " to " + percent["high"]
    interval = {f"{100 - 100 * alpha:g} % interval": ends.where(shares["low"].notna(), "none")}
    shown = shares.assign(**percent, **interval).drop(columns=["low", "high", "fit"])
    shown = shown.rename(columns={name: f"{name} %" for name in _PERCENT})
    return shown.to_string(index=False, float_format="{:.2f}".format)
