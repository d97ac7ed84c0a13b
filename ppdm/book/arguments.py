"""What the makers' commands take. Nothing but argparse is imported, so that each of them shows its help
in every install, also where what it needs to run is not there."""

from __future__ import annotations

import argparse
from pathlib import Path

#: Kept points are removed after so many days without use, and the longest unused beyond so many GB.
DAYS, GIGABYTES = 30, 2


def none(parser: argparse.ArgumentParser) -> None:
    """`ppdm lab` and `ppdm book bench` take no arguments."""


def _scheduler(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask scheduler (tcp://...:8786): its workers compute, results and cache stay here",
    )


def built(parser: argparse.ArgumentParser) -> None:
    """`ppdm book pdf`, `ppdm book zip`: which build."""
    parser.add_argument(
        "--quick", action="store_true", help="of `ppdm book quick`, not of `ppdm book`"
    )


def quick(parser: argparse.ArgumentParser) -> None:
    """`ppdm book quick`: where the points are computed."""
    _scheduler(parser)


def book(parser: argparse.ArgumentParser) -> None:
    """`ppdm book`: where the points are computed, and whether some are computed twice."""
    _scheduler(parser)
    parser.add_argument(
        "--verify",
        metavar="POINTS",
        type=int,
        default=0,
        help="of each chapter, compute so many points again before the site is built, as `ppdm verify` "
        "does: the page What was run then says so",
    )


def run(parser: argparse.ArgumentParser) -> None:
    """`ppdm run`: a chapter, any number of parameters, and where the points are computed."""
    _scheduler(parser)
    parser.add_argument(
        "chapter", help="its name or the beginning of it: 01, 01-beyond, 02_multi_group, ..."
    )
    parser.add_argument(
        "-p",
        "--parameter",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="a parameter of the chapter's first cell; give it as often as you need",
    )


def clean(parser: argparse.ArgumentParser) -> None:
    """`ppdm book clean`: how old, how large."""
    parser.description = (
        "Remove kept points that nothing has used for a while, as the other commands do when they "
        "end. Those of the built book and of the quick one stay. (`make clean` removes all of _build.)"
    )
    parser.add_argument(
        "--days", type=float, default=DAYS, help="unused for so long; default %(default)s"
    )
    parser.add_argument(
        "--gigabytes",
        type=float,
        default=GIGABYTES,
        help="and the longest unused while there are more; default %(default)s",
    )


def serve(parser: argparse.ArgumentParser) -> None:
    """`ppdm book serve`: the port, and which build."""
    parser.add_argument("--port", type=int, default=8000, help="default %(default)s")
    built(parser)


def verify(parser: argparse.ArgumentParser) -> None:
    """`ppdm verify`: which chapters, how many points, whose manifests."""
    parser.description = (
        "Compute points of the chapters again, drawn at random, and compare them with the manifests "
        "that the chapters wrote: which agree to the bit, which to the last digits, which not. In a "
        "folder with a build, its tables, claims and kept points are compared too. The exit code is 1 "
        "if anything is not as it was."
    )
    parser.add_argument("chapter", nargs="?", help="the beginning of its name; all if not given")
    parser.add_argument(
        "--points", "--cells", type=int, default=20, help="of each chapter; default %(default)s"
    )
    parser.add_argument("--seed", type=int, help="draws the same points again")
    built(parser)
    parser.add_argument(
        "--from",
        dest="source",
        metavar="PLACE",
        help="other manifests than this folder's: a file, a folder, the https address of a folder, or "
        "the word published for this repository's own site",
    )


def check(parser: argparse.ArgumentParser) -> None:
    """`ppdm book check`: which site, which pages, and how strictly."""
    parser.add_argument(
        "--site", type=Path, metavar="FOLDER", help="a built site elsewhere; default _build/html"
    )
    built(parser)
    parser.add_argument(
        "--page",
        action="append",
        metavar="NAME",
        help="only pages whose name contains NAME; may be given more than once",
    )


def compare(parser: argparse.ArgumentParser) -> None:
    """`ppdm book compare`: the two books."""
    parser.add_argument("old", help="a folder with a built book, or its results")
    parser.add_argument("new", nargs="?", default=".", help="another; default: this one")
