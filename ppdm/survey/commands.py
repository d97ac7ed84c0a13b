"""`ppdm survey`: new, form, slides, collect, estimate."""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ppdm.contract import Survey
from ppdm.files import replace_file
from ppdm.survey.cli import add_method

if TYPE_CHECKING:
    import pandas as pd


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ppdm survey`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    new = actions.add_parser(
        "new",
        help="write a survey file; of one that is there, say what it costs and protects",
    )
    new.add_argument("file", type=Path, help="the survey file, for example survey.yml")
    new.add_argument(
        "--within",
        type=float,
        default=0.05,
        metavar="W",
        help="half the width of the intervals that you want (0.05)",
    )
    new.set_defaults(run=_new)

    form = actions.add_parser("form", help="write the respondents' page: one HTML file")
    form.add_argument("file", type=Path, help="the survey file")
    form.add_argument("--out", type=Path, help="where to write it (the survey's name with .html)")
    form.add_argument(
        "--post", metavar="ADDRESS", help="where the page sends a report (nowhere: it shows a code)"
    )
    _add_form(form)
    form.set_defaults(run=_form)

    deck = actions.add_parser(
        "slides", help="slides for a first lecture with this survey: one HTML file"
    )
    deck.add_argument("file", type=Path, help="the survey file")
    deck.add_argument(
        "--out", type=Path, help="where to write them (the survey's name with -slides.html)"
    )
    deck.add_argument(
        "--form",
        metavar="ADDRESS",
        help="where the form is served: it stands on a slide, with a QR code",
    )
    deck.add_argument(
        "--notes", action="store_true", help="with what to say, and when, below each slide"
    )
    deck.set_defaults(run=_slides)

    collect = actions.add_parser(
        "collect", help="read codes from files, folders and lists; or serve a lecture"
    )
    collect.add_argument("file", type=Path, help="the survey file")
    collect.add_argument(
        "sources", nargs="*", help="files or folders of codes, or codes; - reads from the input"
    )
    collect.add_argument(
        "--out", type=Path, default=Path("reports.csv"), help="the reports (reports.csv)"
    )
    collect.add_argument(
        "--serve", action="store_true", help="a small server with the form and a live page"
    )
    collect.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to serve on, such as that of the room's network (127.0.0.1)",
    )
    collect.add_argument("--port", type=int, default=8000, help="the port to serve on (8000)")
    collect.add_argument(
        "--store",
        type=Path,
        default=Path("codes.txt"),
        help="with --serve: where accepted codes are kept (codes.txt)",
    )
    _add_form(collect, "with --serve: ")
    collect.set_defaults(run=_collect)

    estimate = actions.add_parser(
        "estimate", help="shares with intervals from reports, as a page and as CSV"
    )
    estimate.add_argument("file", type=Path, help="the survey file")
    estimate.add_argument(
        "reports", type=Path, help="the reports, a CSV file with a column a question"
    )
    estimate.add_argument("--by", help="an open question: estimates for each of its answers")
    estimate.add_argument(
        "--pair",
        nargs=2,
        action="append",
        default=[],
        metavar=("A", "B"),
        help="the shares of each combination, and whether the two go together; "
        "may be given more than once",
    )
    estimate.add_argument(
        "--regress",
        nargs="+",
        action="append",
        default=[],
        metavar="A",
        help="a protected yes-or-no question, then open questions that may explain it",
    )
    add_method(estimate)
    estimate.add_argument(
        "--out", type=Path, default=Path("result"), help="a folder for the result (result)"
    )
    estimate.set_defaults(run=_estimate)


def _add_form(parser: argparse.ArgumentParser, when: str = "") -> None:
    """How the respondents' page asks, whether it is a file or served."""
    parser.add_argument(
        "--device",
        default="browser",
        choices=["browser", "dice", "birthday"],
        help=f"{when}who tosses the coins (browser)",
    )
    parser.add_argument(
        "--strings", default="en", help=f"{when}the page's words: en, de, or a file of yours (en)"
    )


def main(args: argparse.Namespace) -> int:
    """Run one of the actions."""
    return args.run(args)


def _new(args: argparse.Namespace) -> int:
    from ppdm.survey.advice import TEMPLATE, advice

    if not args.file.exists():
        text = TEMPLATE.replace("{name}", args.file.name)
        replace_file(args.file, text.encode())
        print(
            f"Wrote {args.file}, a survey to start from. Edit it, then run the same command again.\n"
        )
    print(advice(Survey.load(args.file), args.within), end="")
    return 0


def _form(args: argparse.Namespace) -> int:
    from ppdm.survey.advice import check
    from ppdm.survey.form import form

    survey = Survey.load(args.file)
    for warning in check(survey):
        print(f"Note: {warning}", file=sys.stderr)
    out = args.out or args.file.with_suffix(".html")
    page = form(survey, post=args.post, device=args.device, strings=args.strings).encode()
    replace_file(out, page)
    print(f"{out}: {len(page):,} bytes. Open it in a browser, or hand it out.")
    return 0


def _slides(args: argparse.Namespace) -> int:
    from ppdm.survey.slides import slides

    page = slides(Survey.load(args.file), args.form, args.notes)
    out = args.out or args.file.with_name(f"{args.file.stem}-slides.html")
    replace_file(out, page.encode())
    print(f"{out}: {page.count('<section')} slides. Page down for the next, print for a PDF.")
    return 0


def _collect(args: argparse.Namespace) -> int:
    survey = Survey.load(args.file)
    if args.serve:
        return _serve(survey, args)
    from ppdm.survey.collect import collect

    if not args.sources:
        raise ValueError("name files, folders or codes to collect, - for the input, or --serve")
    sources = [sys.stdin.buffer.read() if source == "-" else source for source in args.sources]
    found = collect(survey, sources)
    replace_file(args.out, found.frame.to_csv(index=False, lineterminator="\n").encode())
    print(f"{len(found.reports):,} reports: {args.out}")
    if found.aside:
        aside = args.out.with_name(f"{args.out.stem}-set-aside.csv")
        replace_file(
            aside, _plain(found.set_aside).to_csv(index=False, lineterminator="\n").encode()
        )
        print(f"{len(found.aside):,} set aside: {aside}")
        for where, code, why in found.aside[:5]:
            print(f"  {where}{': ' if where else ''}{code[:40]!r}: {why}")
    return 0


def _plain(frame):
    """Text that no spreadsheet takes for a formula."""
    return frame.map(lambda text: f"'{text}" if text[:1] in "=+-@\t\r" and text else text)


def _serve(survey: Survey, args: argparse.Namespace) -> int:
    from ppdm.survey.advice import check
    from ppdm.survey.server import Lecture

    check(survey)
    try:
        server = Lecture(
            survey, args.store, args.host, args.port, device=args.device, strings=args.strings
        )
    except OSError as error:
        raise ValueError(
            f"cannot serve on {args.host}, port {args.port}: {error.strerror}; --host is an address of this "
            "machine, --port one that nobody uses"
        ) from None
    print(
        f"The form:      {server.address}/\nFor the room:  {server.address}/invite (this address, and a QR code)\n"
        f"The live page: {server.address}/live\n"
        f"Accepted reports are kept in {args.store}. Ctrl-C ends it; nothing is lost.",
        flush=True,
    )
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print(
            f"\n{len(server.store.collection.reports):,} reports in {args.store}. "
            f"Next: ppdm survey collect {args.file} {args.store}"
        )
    finally:
        server.server_close()
    return 0


def _read(path: Path, survey: Survey) -> pd.DataFrame:
    """The reports of a CSV file, as words; a file in which columns could be mistaken is refused."""
    import pandas as pd

    try:
        text = path.read_bytes().decode("utf-8-sig")  # once: it may be a pipe
        _check_lines(path.name, io.StringIO(text, newline=""), survey)
        return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, index_col=False)
    except OSError as error:
        raise ValueError(f"the reports {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the reports {path} are no text in UTF-8") from None
    except (csv.Error, pd.errors.ParserError) as error:
        raise ValueError(f"the reports {path} are no CSV: {error}") from None


def _check_lines(name: str, lines: Iterable[str], survey: Survey) -> None:
    """Each row must be no longer than the header, and each line of a single column hold an answer."""
    rows = csv.reader(lines)
    header = next((row for row in rows if not _blank(row)), None)
    if header is None:
        raise ValueError(f"{name} is empty: its first line names the questions")
    for asked in survey.names:
        if header.count(asked) > 1:
            raise ValueError(f"{name} has {header.count(asked)} columns {asked!r}: keep one")
    number = gap = 0
    for row in rows:
        if _blank(row):
            gap = gap or rows.line_num
            continue
        if len(row) > len(header):
            raise ValueError(
                f"{name}, line {rows.line_num} has {len(row)} fields, and the header {len(header)}: "
                "take away the commas that are too many, or put an answer with a comma in quotes"
            )
        if gap and len(header) == 1:
            raise ValueError(
                f"{name}, line {gap} is empty, and lines with reports follow: take it out"
            )
        number += 1
    if not number:
        raise ValueError(f"{name} has no reports, only a header")


def _blank(row: list[str]) -> bool:
    """Whether a line has no field, or a single one without a word."""
    return len(row) < 2 and not "".join(row).strip()


def _estimate(args: argparse.Namespace) -> int:
    import numpy as np

    from ppdm.survey import relate, report
    from ppdm.survey.estimate import estimate

    survey = Survey.load(args.file)
    reports = relate.as_reports(_read(args.reports, survey), survey)
    rng = np.random.default_rng(args.seed)
    table = estimate(reports, survey, method=args.method, rng=rng)
    relations = {(a, b): relate.relation(reports, survey, a, b, rng) for a, b in args.pair}
    combinations = {
        (a, b): relate.pairs(reports, survey, a, b)
        if args.method == "inversion"
        else relate.em_shares(reports, survey, [a, b], rng)
        for a, b in args.pair
    }
    regressions = {
        name: relate.regression(reports, survey, name, covariates)
        for name, *covariates in args.regress
    }
    written = report.write(
        args.out,
        survey,
        table,
        method=args.method,
        relations=relations,
        combinations=combinations,
        regressions=regressions,
    )
    shown = ["question", "answer", "share", "low", "high"]
    print(table[shown].to_string(index=False, float_format="{:.3f}".format))
    if args.by:
        groups = estimate(reports, survey, args.by, method=args.method, rng=rng)
        path = args.out / ("by-" + re.sub(r"[^\w-]", "_", args.by) + ".csv")
        replace_file(path, groups.to_csv(index=False, lineterminator="\n").encode())
        written.append(path)
        print(f"\n{groups[[args.by, *shown]].to_string(index=False, float_format='{:.3f}'.format)}")
    for table in (*combinations.values(), *(found.table for found in regressions.values())):
        print(f"\n{table.to_string(index=False, float_format='{:.3f}'.format)}")
    print(*written, sep="\n")
    return 0
