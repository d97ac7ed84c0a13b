"""`ppdm course build`, `ppdm course grade FOLDER`, `ppdm course attack` and `ppdm course slides`."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Four things to do, and where."""
    doing = parser.add_subparsers(dest="what", required=True, metavar="build|grade|attack|slides")
    build = doing.add_parser("build", help="student versions, a zip to hand out, nbgrader's folder")
    build.add_argument("--out", type=Path, help="where to; _build/course if you do not say")
    build.add_argument(
        "--check", action="store_true", help="also grade the solutions and the student versions"
    )
    grade = doing.add_parser("grade", help="grade a folder of submissions")
    grade.add_argument("folder", type=Path, help="it holds a folder for each student")
    grade.add_argument("--out", type=Path, help="where to; FOLDER-graded if you do not say")
    grade.add_argument("--timeout", type=int, default=30, help="seconds for one cell: 30")
    attack = doing.add_parser(
        "attack", help="grade a class of hostile submissions, and say what held"
    )
    attack.add_argument("--timeout", type=int, default=5, help="seconds for one cell: 5")
    attack.add_argument("--only", default="", help="only the attacks whose names contain this")
    grade.add_argument(
        "--unsealed",
        action="store_true",
        help="without a sandbox: submissions run with your rights",
    )
    for command in (grade, attack):
        command.add_argument("--workers", type=int, default=2, help="submissions at a time: 2")
    slides = doing.add_parser("slides", help="the figures of the last build, one a slide")
    slides.add_argument("--quick", action="store_true", help="those of the quick build")
    for command in (build, grade):
        command.add_argument(
            "--sources", type=Path, help="notebooks with solutions of your own making"
        )


def main(args: argparse.Namespace) -> int:
    """Run what was asked for."""
    if args.what == "slides":
        return _slides(args)
    import nbgrader  # noqa: F401 - better missed here than in the middle of the work

    from ppdm.course.build import default_sources

    if args.what == "attack":
        return _attack(args)
    sources = args.sources or default_sources()
    return _build(args, sources) if args.what == "build" else _grade(args, sources)


def _build(args: argparse.Namespace, sources: Path) -> int:
    from ppdm.course.build import build, default_sources

    out = args.out or default_sources().parents[1] / "_build" / "course"
    names = build(sources, out)
    print(f"{len(names)} student versions: {out / 'student'}")
    print(f"to hand out: {out / 'assignments.zip'}")
    print(f"for nbgrader (with the solutions): {out / 'nbgrader'}")
    if args.check:
        _check(sources, out)
    return 0


def _check(sources: Path, out: Path) -> None:
    """The stored solutions must get full marks, the student versions none."""
    import shutil

    from ppdm.course.build import find_sources
    from ppdm.course.cell import why_not_sealed
    from ppdm.course.grade import grade
    from ppdm.course.mark import HUMAN

    with tempfile.TemporaryDirectory(prefix="ppdm-course-") as scratch:
        folder = Path(scratch, "submitted")
        shutil.copytree(out / "student", folder / "blank")
        for name, path in find_sources(sources).items():
            target = folder / "solution" / f"{name}.ipynb"
            target.parent.mkdir(exist_ok=True)
            shutil.copy(path, target)
        sealed = why_not_sealed() is None  # these are our own
        results = grade(folder, sources, Path(scratch, "graded"), sealed=sealed)
    wrong = []
    for result in results:
        for task in result["tasks"]:
            full = None if task["by"] == HUMAN else task["max"]
            if task["points"] != (full if result["student"] == "solution" else 0):
                wrong.append(
                    f"{result['assignment']}, {task['task']}, {result['student']}: "
                    f"{task['points']} points. {task['message']}"
                )
    if wrong:
        raise ValueError("the check failed:\n  " + "\n  ".join(wrong))
    print("checked: the solutions get full marks, the student versions none")


def _grade(args: argparse.Namespace, sources: Path) -> int:
    from ppdm.course.grade import grade
    from ppdm.course.mark import NOT_HANDED_IN

    if args.timeout < 1:
        raise ValueError(f"--timeout takes seconds, one or more, not {args.timeout}")
    if args.workers < 1:
        raise ValueError(f"--workers takes one or more, not {args.workers}")
    folder = args.folder.resolve()
    out = args.out or folder.with_name(f"{folder.name}-graded")
    if args.unsealed:
        print("unsealed: each submission runs as a plain process, with your rights")
    results = grade(folder, sources, out, args.timeout, args.workers, not args.unsealed)
    remarked = [result for result in results if result["remarks"] not in ([], [NOT_HANDED_IN])]
    for result in remarked:
        print(f"{result['student']}, {result['assignment']}: {'; '.join(result['remarks'])}")
    unread = sum(task["points"] is None for result in results for task in result["tasks"])
    handed_in = sum(NOT_HANDED_IN not in result["remarks"] for result in results)
    print(f"{handed_in} submissions, {len(remarked)} with remarks: {out / 'grades.csv'}")
    if unread:
        print(
            f"{unread} answers wait for a reader: put points and comments into "
            f"{out / 'to_read.csv'} and run this again"
        )
    return 0


def _attack(args: argparse.Namespace) -> int:
    from ppdm.course.attack import attack
    from ppdm.course.cell import why_not_sealed

    reason = why_not_sealed()
    if reason:
        raise ValueError(f"no sealed cells here ({reason}), and these submissions would do harm")
    return attack(args.timeout, args.only, args.workers)


def _slides(args: argparse.Namespace) -> int:
    from ppdm.course.slides import make_slides
    from ppdm.places import find_notebooks, paper_layout, quick_layout

    where = quick_layout() if args.quick else paper_layout()
    executed = [where.source / "notebooks" / path.name for path in find_notebooks(where.root)]
    target = where.out / "course" / "slides.html"
    number = make_slides([path for path in executed if path.is_file()], target)
    print(f"{number} slides: {target}")
    return 0
