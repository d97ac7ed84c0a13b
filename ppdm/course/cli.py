"""`ppdm course build`, `ppdm course grade FOLDER` and `ppdm course slides`."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Three things to do, and where."""
    doing = parser.add_subparsers(dest="what", required=True, metavar="build|grade|slides")
    build = doing.add_parser("build", help="student versions, a zip to hand out, nbgrader's folder")
    build.add_argument("--out", type=Path, help="where to; _build/course if you do not say")
    build.add_argument(
        "--check", action="store_true", help="also grade the solutions and the student versions"
    )
    build.add_argument("--sources", type=Path, help="notebooks with solutions of your own making")
    grade = doing.add_parser("grade", help="grade submissions into nbgrader's gradebook")
    folder = "nbgrader's course folder, which holds source/ and submitted/; here if you do not say"
    grade.add_argument("folder", type=Path, nargs="?", default=Path(), help=folder)
    for name, number, words in (
        ("timeout", 30, "seconds for one cell"),
        ("workers", 2, "submissions at a time"),
    ):
        grade.add_argument(f"--{name}", type=int, default=number, help=f"{words}: {number}")
    slides = doing.add_parser("slides", help="the figures of the last build, one a slide")
    slides.add_argument("--quick", action="store_true", help="those of the quick build")


def main(args: argparse.Namespace) -> int:
    """Run what was asked for."""
    if args.what == "slides":
        return _slides(args)
    import nbgrader  # noqa: F401 - better missed here than in the middle of the work

    return _build(args) if args.what == "build" else _grade(args)


def _build(args: argparse.Namespace) -> int:
    from ppdm.course.build import build, default_sources

    sources = args.sources or default_sources()
    out = args.out or default_sources().parents[1] / "_build" / "course"
    names = build(sources, out)
    print(f"{len(names)} student versions: {out / 'student'}")
    print(f"to hand out: {out / 'assignments.zip'}")
    print(f"for nbgrader (with the solutions): {out / 'nbgrader'}")
    if args.check:
        from ppdm.course.grade import check

        check(sources)
        print("checked: the solutions get full marks, the student versions none")
    return 0


def _grade(args: argparse.Namespace) -> int:
    from ppdm.course.grade import grade

    for name in ("timeout", "workers"):
        if getattr(args, name) < 1:
            raise ValueError(f"--{name} takes one or more, not {getattr(args, name)}")
    for line in grade(args.folder, args.timeout, args.workers):
        print(line)
    return 0


def _slides(args: argparse.Namespace) -> int:
    from ppdm.course.slides import make_slides
    from ppdm.places import find_notebooks, paper_layout, quick_layout

    where = quick_layout() if args.quick else paper_layout()
    executed = [where.source / "notebooks" / path.name for path in find_notebooks(where.root)]
    target = where.out / "course" / "slides.html"
    number = make_slides([path for path in executed if path.is_file()], target)
    print(f"{number} slides: {target}")
    return 0
