"""`ppdm survey`: new, form, paper, slides, seats, collect, estimate."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ppdm.contract import Survey
from ppdm.files import replace_file
from ppdm.survey.cli import add_options
from ppdm.survey.devices import DEVICES

Options = dict[str, dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ppdm survey`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for run, text, options in (
        (_new, "write a survey file; of one that is there, say what it costs and protects", _NEW),
        (_form, "write the respondents' page: one HTML file", _FORM | _ASKING),
        (_paper, "the questions on paper, a sheet a respondent, to fill in or read out", _PAPER),
        (_slides, "slides for a first lecture with this survey: one HTML file", _SLIDES),
        (_seats, "letters for each seat, good for one report each, to print and cut", _SEATS),
        (_collect, "read codes from files, folders and lists; or serve a lecture", _COLLECT | _ASKING),
        (_estimate, "shares with intervals from reports, as a page and as CSV", _ESTIMATE),
    ):  # fmt: skip
        action = actions.add_parser(run.__name__[1:], help=text, description=text + ".")
        action.add_argument("file", type=Path, help="the survey file, for example survey.yml")
        for name, option in options.items():
            action.add_argument(name, **option)
        action.set_defaults(run=run)
    add_options(action)  # those of the estimate


def main(args: argparse.Namespace) -> int:
    """Run one of the actions."""
    return args.run(args)


#: How the respondents' page asks, whether it is a file or served.
_ASKING: Options = {
    "--device": {"default": "browser", "choices": ["browser", *DEVICES],
                 "help": "who tosses the coins, where the mechanism lets you choose (browser)"},
    "--strings": {"default": "en", "help": "the page's words: en, de, or a file of yours (en)"},
    "--contact": {"default": "", "help": "who asks, what for, how long reports are kept, to whom to turn: it stands on the page"},
}  # fmt: skip
_NEW: Options = {
    "--within": {"type": float, "default": 0.05, "metavar": "W",
                 "help": "half the width of the intervals that you want (0.05)"},
}  # fmt: skip
_FORM: Options = {
    "--out": {"type": Path, "help": "where to write it (the survey's name with .html)"},
    "--post": {"metavar": "ADDRESS", "help": "where the page sends a report (nowhere: it shows a code)"},
}  # fmt: skip
_PAPER: Options = {
    "number": {"type": int, "help": "how many sheets"},
    **_ASKING,
    "--out": {"type": Path, "help": "where to write them (the survey's name with -paper.html)"},
}
_SLIDES: Options = {
    "--out": {"type": Path, "help": "where to write them (the survey's name with -slides.html)"},
    "--form": {"metavar": "ADDRESS",
               "help": "where the form is served: it stands on a slide, with a QR code"},
    "--notes": {"action": "store_true", "help": "with what to say, and when, below each slide"},
}  # fmt: skip
_SEATS: Options = {
    "number": {"type": int, "help": "how many seats"},
    "--form": {"metavar": "ADDRESS", "required": True, "help": "where the form will be served"},
    "--out": {"type": Path, "default": Path("seats.txt"),
              "help": "the list for `collect --serve --seats`; beside it the page to print (seats.txt)"},
}  # fmt: skip
_COLLECT: Options = {
    "sources": {"nargs": "*", "help": "files or folders of codes, or codes; - reads from the input"},
    "--out": {"type": Path, "default": Path("reports.csv"), "help": "the reports (reports.csv)"},
    "--serve": {"action": "store_true", "help": "a small server with the form and a live page"},
    "--host": {"default": "127.0.0.1",
               "help": "the address to serve on, such as that of the room's network (127.0.0.1)"},
    "--port": {"type": int, "default": 8000, "help": "the port to serve on (8000)"},
    "--store": {"type": Path, "default": Path("codes.txt"),
                "help": "with --serve: where accepted codes are kept (codes.txt)"},
    "--seats": {"type": Path, "metavar": "FILE",
                "help": "with --serve: only those who have the letters of a seat can report, once each"},
}  # fmt: skip
_ESTIMATE: Options = {
    "reports": {"type": Path, "help": "the reports, a CSV file with a column a question"},
    "--out": {"type": Path, "default": Path("result"), "help": "a folder for the result (result)"},
}  # fmt: skip


def _new(args: argparse.Namespace) -> int:
    from ppdm.survey.advice import TEMPLATE, advice

    if not args.file.exists():
        replace_file(args.file, TEMPLATE.replace("{name}", args.file.name).encode())
        print(
            f"Wrote {args.file}, a survey to start from. Edit it, then run the same command again.\n"
        )
    print(advice(Survey.load(args.file), args.within), end="")
    return 0


def _checked(args: argparse.Namespace) -> Survey:
    """The survey of a form, with what its owner should think about before it is handed out."""
    from ppdm.survey.advice import check

    survey = Survey.load(args.file)
    warnings = check(survey)
    if not args.contact:
        warnings.append(
            "the form does not say who asks, what for, how long reports are kept, and to whom to turn: --contact"
        )
    for warning in warnings:
        print(f"Note: {warning}", file=sys.stderr)
    return survey


def _how(args: argparse.Namespace, *more: str) -> dict[str, Any]:
    """How the page asks."""
    return {key: getattr(args, key) for key in ("device", "strings", "contact", *more)}


def _write(args: argparse.Namespace, page: str, end: str) -> Path:
    """Write a page where it was said, or beside the survey file."""
    out = args.out or args.file.with_name(f"{args.file.stem}{end}.html")
    replace_file(out, page.encode())
    return out


def _form(args: argparse.Namespace) -> int:
    from ppdm.survey.form import form

    page = form(_checked(args), **_how(args, "post"))
    out = _write(args, page, "")
    print(f"{out}: {len(page.encode()):,} bytes. Open it in a browser, or hand it out.")
    return 0


def _paper(args: argparse.Namespace) -> int:
    from ppdm.survey.form import paper

    survey = _checked(args)
    out = _write(args, paper(survey, args.number, **_how(args)), "-paper")
    print(
        f"{out}: {args.number} sheets to print. Type what is ticked into reports.csv, a column a question "
        f"({', '.join(survey.names)}). Next: ppdm survey estimate {args.file} reports.csv"
    )
    return 0


def _slides(args: argparse.Namespace) -> int:
    from ppdm.survey.slides import slides

    page = slides(Survey.load(args.file), args.form, args.notes)
    out = _write(args, page, "-slides")
    print(f"{out}: {page.count('<section')} slides. Page down for the next, print for a PDF.")
    return 0


def _seats(args: argparse.Namespace) -> int:
    from ppdm.survey.codes import random_letters
    from ppdm.survey.pages import render
    from ppdm.survey.slides import check_address

    check_address(args.form)
    if not 0 < args.number <= 5000:
        raise ValueError(f"the number of seats is from 1 to 5,000; got {args.number}")
    if args.out.exists():
        raise ValueError(
            f"{args.out} is there already, and may have been handed out: name another --out"
        )
    seats, title = [random_letters(8) for _ in range(args.number)], Survey.load(args.file).title
    page = render(
        "seats", title=title or "A survey", address=args.form.rstrip("/") + "/", seats=seats
    )
    replace_file(args.out.with_suffix(".html"), page.encode())
    replace_file(args.out, "".join(f"{seat}\n" for seat in sorted(seats)).encode())
    print(
        f"{args.out.with_suffix('.html')}: {args.number} slips. Print, cut and shuffle them, and hand out one "
        f"a person. Next: ppdm survey collect {args.file} --serve --seats {args.out}"
    )
    return 0


def _collect(args: argparse.Namespace) -> int:
    if args.serve:
        return _serve(args)
    from ppdm.survey.collect import collect
    from ppdm.survey.sheets import harmless

    if not args.sources:
        raise ValueError("name files, folders or codes to collect, - for the input, or --serve")
    sources = [sys.stdin.buffer.read() if source == "-" else source for source in args.sources]
    survey = Survey.load(args.file)
    collection = collect(survey, sources)
    replace_file(args.out, harmless(collection.frame))
    survey.save(args.out.with_suffix(".scheme.json"))  # a CSV file does not say what it holds
    print(f"{len(collection.reports):,} reports: {args.out}, their scheme beside them")
    if collection.aside:
        import pandas as pd

        aside = args.out.with_name(f"{args.out.stem}-set-aside.csv")
        replace_file(
            aside, harmless(pd.DataFrame(collection.aside, columns=["where", "code", "why"]))
        )
        print(f"{len(collection.aside):,} set aside: {aside}")
        for where, code, why in collection.aside[:5]:
            print(f"  {where}{': ' if where else ''}{code[:40]!r}: {why}")
    return 0


def _serve(args: argparse.Namespace) -> int:
    from ppdm.survey.server import Lecture

    survey = _checked(args)
    try:
        server = Lecture(survey, args.store, args.host, args.port, **_how(args, "seats"))
    except OSError as error:
        if error.filename:
            raise ValueError(f"{error.filename} cannot be read: {error.strerror}") from None
        raise ValueError(
            f"cannot serve on {args.host}, port {args.port}: {error.strerror}; --host is an address of this "
            "machine, --port one that nobody uses"
        ) from None
    reports = server.store.reports
    try:  # before the words that name Ctrl-C: it may come at once
        print(
            f"The form:      {server.address}/\nFor the room:  {server.address}/invite (this address, and a QR code)\n"
            f"The live page: {server.address}/live?key={server.key} (for your browser alone)\n"
            + f"This continues with the {len(reports):,} reports of {args.store}.\n" * bool(reports)
            + f"Accepted reports are kept in {args.store}. Ctrl-C ends it; nothing is lost.",
            flush=True,
        )
        server.serve_forever()
    except KeyboardInterrupt:
        print(
            f"\n{len(reports):,} reports in {args.store}. Next: ppdm survey collect {args.file} {args.store}"
        )
    finally:
        server.socket.close()
    return 0


def _estimate(args: argparse.Namespace) -> int:
    from ppdm.survey import relate
    from ppdm.survey.cli import estimated
    from ppdm.survey.sheets import read_reports

    survey = Survey.load(args.file)
    records = read_reports(args.reports, survey)
    records = records.assign(**relate.as_reports(records, survey))
    print(*estimated(args, survey, records, args.out)[1], sep="\n")
    return 0
