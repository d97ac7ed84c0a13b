"""What `ppdm book` and its words do, and `ppdm run` and `ppdm lab`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from ppdm import places
from ppdm.book.arguments import DAYS, GIGABYTES
from ppdm.book.build import chapters, pruning
from ppdm.book.build.execute import check_parameters, execute
from ppdm.book.build.lock import alone
from ppdm.book.pages import built, command_of


def _use_scheduler(args: argparse.Namespace) -> None:
    """Say to the chapters, which run in processes of their own, where their points are computed."""
    if args.scheduler:
        from ppdm.study import cluster

        cluster.connected(args.scheduler)  # better refused here than in the middle of a chapter
        os.environ["PPDM_SCHEDULER"] = args.scheduler


def book(args: argparse.Namespace) -> int:
    """Every chapter at the paper's size, the verdicts, the site."""
    if args.verify < 0:
        raise ValueError(f"--verify is {args.verify}; it must be 0 or more")
    _use_scheduler(args)
    return _build(places.paper_layout(), "paper", args.verify)


def quick(args: argparse.Namespace) -> int:
    """Every chapter small, and the site; claims that need the full size stay undecided."""
    _use_scheduler(args)
    return _build(places.quick_layout(), "quick")


def _build(where: places.Layout, profile: str, again: int = 0) -> int:
    with alone(where.out, command_of(where)):
        return _build_alone(where, profile, again)


def _build_alone(where: places.Layout, profile: str, again: int) -> int:
    from ppdm.book import verify
    from ppdm.book.build import render
    from ppdm.study.ledger import merge

    begin = time.monotonic()
    ran = chapters.run_chapters(where, profile, workers=min(2, os.cpu_count() or 1))
    verdicts = merge(
        where.results, where.claims, [n.stem for n in places.find_notebooks(where.root)]
    )
    wrong = verify.look(where, verify.here(where.results), again) if again else []
    if wrong:
        raise RuntimeError(f"computed again, these are not as they were: {', '.join(wrong)}")
    render.stage(where)
    changed = render.render(where)
    done = f"Ran {', '.join(ran)}" if ran else "No notebook had changed"
    _prune(where.root)
    site = "built the site" if changed else "the site was up to date"
    print(f"{done}; {site}; {time.monotonic() - begin:.0f} seconds.")
    quick = " --quick" if profile == "quick" else ""
    print(f"Open {where.html / 'index.html'}, or type `ppdm book serve{quick}`.")
    return _report(verdicts, profile)


def _report(verdicts, profile: str) -> int:
    """Say which verdicts are not as expected; at full size that fails the build."""
    wrong = verdicts.problems
    if profile == "paper":
        wrong = wrong + verdicts.changed + verdicts.undecided
    else:
        for line in verdicts.changed:
            print(f"in this quick run, {line}")
        if verdicts.undecided:
            print(f"{len(verdicts.undecided)} claims need the full size and were not decided.")
    if wrong:
        raise RuntimeError("the verdicts are not as expected:\n  " + "\n  ".join(wrong))
    return 0


def run(args: argparse.Namespace) -> int:
    """One chapter with parameters of one's own, kept under them; the book's results stay as they are."""
    _use_scheduler(args)
    notebook = chapters.find_notebook(places.find_root(), args.chapter)
    parameters = {name: parse_value(value) for name, value in args.parameter}
    check_parameters(notebook, parameters)
    where = places.single_layout(notebook.stem, parameters)
    output = where.out / notebook.name
    with alone(where.out, f"ppdm run {notebook.stem}"):
        execute(notebook, output, parameters, where.results, scratch=where.work)
    _prune(where.root)
    print(against_the_book(where.results, places.paper_layout().results, notebook.stem), end="")
    print(f"notebook: {output}")
    print(f"results:  {where.results / notebook.stem}")
    beyond = notebook.with_name(notebook.stem[:2] + places.BEYOND + ".ipynb")
    if beyond != notebook and beyond.is_file():
        print(f"what goes beyond the paper: ppdm run {beyond.stem.replace('_', '-')}")
    return 0


def against_the_book(results: Path, book: Path, stem: str) -> str:
    """What a run of one's own decided otherwise than the book, a line a claim; empty where one of them decided nothing."""
    from ppdm.book.site.records import read_table

    tables = [folder / stem / "claims.csv" for folder in (book, results)]
    if not all(table.is_file() for table in tables):
        return ""
    theirs, yours = (
        {row["id"]: (row["verdict"], row["ours"] or "no number") for row in read_table(table)}
        for table in tables
    )
    other = [name for name in yours if name in theirs and yours[name][0] != theirs[name][0]]
    lines = [
        "  {}: {} ({}), in the book {} ({})\n".format(name, *yours[name], *theirs[name])
        for name in other
    ]
    return f"{len(yours) - len(lines)} of {len(yours)} verdicts are those of the book\n{''.join(lines)}"


def clean(args: argparse.Namespace) -> int:
    """Prune the cache of finished points."""
    for name in ("days", "gigabytes"):
        if not getattr(args, name) >= 0:
            raise ValueError(f"--{name} is {getattr(args, name):g}; it must be 0 or more")
    root = places.find_root()
    with alone(places.paper_layout(root).out, "ppdm book clean"):
        said, left = _prune(root, args.days, int(args.gigabytes * (1 << 30)))
    if not said:
        print(f"Nothing to remove: {left / 1e6:.0f} MB of kept points are in use, or young.")
    return 0


def _prune(root: Path, days: float = DAYS, largest: int = GIGABYTES << 30) -> tuple[str, int]:
    """Keep the cache small, and say what went."""
    used = pruning.in_use([places.paper_layout(root), places.quick_layout(root)])
    said, left = pruning.prune(used, days, largest)
    if said:
        print(said)
    return said, left


def parse_value(text: str) -> object:
    """A parameter's value as Python would read it; what Python cannot read is a word.

    >>> parse_value("50"), parse_value("[0.1, 0.2]"), parse_value("None"), parse_value("quick")
    (50, [0.1, 0.2], None, 'quick')
    >>> parse_value("true")
    True
    """
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return {"true": True, "false": False, "null": None}.get(text, text)


def serve(args: argparse.Namespace) -> int:
    """Show the built site until Ctrl-C."""
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    handler = partial(SimpleHTTPRequestHandler, directory=str(built(args.quick).html))
    with ThreadingHTTPServer(("127.0.0.1", args.port), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends it)", flush=True)
        server.serve_forever()
    return 0


def lab(args: argparse.Namespace) -> int:
    """JupyterLab in notebooks/."""
    notebooks = places.find_root() / "notebooks"
    root = ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []  # in a container
    return subprocess.call([sys.executable, "-m", "jupyterlab", *root, str(notebooks)])


def pack(args: argparse.Namespace) -> int:
    """One zip that, unpacked, reads from disk."""
    from ppdm.book.site.archive import make_archive

    where = built(args.quick)
    target = where.out / "ppdm-book.zip"
    make_archive(where.html, target)
    print(f"{target}: unpack it and open index.html.")
    return 0


def pdf(args: argparse.Namespace) -> int:
    """The built site as one PDF, in its folder."""
    from ppdm.book.pdf import NAME
    from ppdm.book.pdf.press import press

    where = built(args.quick)
    with alone(where.out, "ppdm book pdf"):
        target = where.html / NAME
        print("printing the book", flush=True)
        number = press(where.html, where.source, target)
    print(f"{target}: {number} pages.")
    return 0
