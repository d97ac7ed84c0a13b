"""The `ppdm` command: one table of sub-commands, each loaded only when it is called.

A sub-command is a line in `COMMANDS` that names the function which declares its arguments and the
function which runs it. Nothing heavy is imported before the command is known.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Command(NamedTuple):
    """One sub-command: a line of help, and where its arguments and its function live."""

    help: str
    arguments: str  # "module:function" of a module that a plain install can import
    run: str
    extra: str = ""  # the extra of this package that brings what `run` needs


_MAKE = "ppdm.book.build.commands"
COMMANDS = {
    "book": Command("run every chapter at the paper's size, build the site",
                    "ppdm.book.arguments:book", f"{_MAKE}:book", "book"),
    "quick": Command("the same, small: for whoever edits a page",
                     "ppdm.book.arguments:quick", f"{_MAKE}:quick", "book"),
    "run": Command("run one chapter, with other parameters if you like",
                   "ppdm.book.arguments:run", f"{_MAKE}:run", "book"),
    "verify": Command("compute points again, drawn at random, and compare",
                      "ppdm.book.arguments:verify", "ppdm.book.verify:main", "book"),
    "clean": Command("remove kept points that nothing uses any more",
                     "ppdm.book.arguments:clean", f"{_MAKE}:clean", "book"),
    "serve": Command("show the built site on 127.0.0.1",
                     "ppdm.book.arguments:serve", f"{_MAKE}:serve", "book"),
    "lab": Command("open JupyterLab in notebooks/", "ppdm.book.arguments:none", f"{_MAKE}:lab", "book"),
    "zip": Command("pack the built site into one file to read offline",
                   "ppdm.book.arguments:none", f"{_MAKE}:pack", "book"),
    "pdf": Command("print the built site as a PDF",
                   "ppdm.book.arguments:pdf", f"{_MAKE}:pdf", "test"),
    "data": Command("list or verify the stored data sets",
                    "ppdm.data.cli:add_arguments", "ppdm.data.cli:main"),
    "optimise": Command("search good randomization matrices for a survey",
                        "ppdm.optimise.cli:add_arguments", "ppdm.optimise.cli:main"),
    "estimate": Command("shares with intervals, from reports and the scheme they were made with",
                        "ppdm.survey.cli:add_arguments", "ppdm.survey.cli:main"),
    "survey": Command("a survey of your own: the file, the form, the reports, the estimate",
                      "ppdm.survey.commands:add_arguments", "ppdm.survey.commands:main"),
    "advise": Command("which scheme should I use? What you fear, what you compute, how many answer",
                      "ppdm.survey.choice:add_arguments", "ppdm.survey.choice:main"),
    "course": Command("build the assignments, grade a folder of submissions",
                      "ppdm.course.cli:add_arguments", "ppdm.course.cli:main", "course"),
    "check": Command("look at the built site: links, a browser, accessibility",
                     "ppdm.book.arguments:check", "ppdm.book.check.cli:main", "test"),
    "bench": Command("time the parts that must be fast",
                     "ppdm.book.arguments:none", "ppdm.book.bench:main", "bench"),
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`; the exit code is 0 when all went well.

    >>> main(["--version"])
    ppdm 0.1.0
    0
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    if argv[:1] == ["--version"]:
        from importlib.metadata import version

        print("ppdm", version("ppdm"))
        return 0
    if not argv or argv[0] in ("-h", "--help"):
        print(_overview())
        return 0 if argv else 2
    name, rest = argv[0], argv[1:]
    if name not in COMMANDS:
        return _complain(f"there is no command {name!r}; there are {', '.join(COMMANDS)}.")
    signal.signal(signal.SIGTERM, _as_interrupt)  # stop as tidily as for Ctrl-C
    try:
        return _call(name, COMMANDS[name], rest) or 0
    except KeyboardInterrupt:
        return _complain("stopped.", code=130)
    except (ValueError, OSError) as error:
        return _complain(str(error))
    except RuntimeError as error:
        return _complain(str(error))


def _call(name: str, command: Command, argv: list[str]) -> int | None:
    parser = argparse.ArgumentParser(prog=f"ppdm {name}", description=command.help + ".")
    try:
        _function(command.arguments)(parser)
        args = parser.parse_args(argv)
        return _function(command.run)(args)
    except ModuleNotFoundError as error:
        raise ValueError(_what_is_missing(name, command, error.name or "a module")) from error


def _function(place: str) -> Callable:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _what_is_missing(name: str, command: Command, module: str) -> str:
    if module.split(".", maxsplit=1)[0] == "ppdm":
        return f"`ppdm {name}` needs {module}, which this copy lacks."
    cure = (
        f"install ppdm with its extra `{command.extra}`" if command.extra else f"install {module}"
    )
    return f"`ppdm {name}` needs the package {module}, which is not installed: {cure}."


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.help}" for name, command in COMMANDS.items()]
    return "\n".join(
        ["usage: ppdm COMMAND [...]   (ppdm COMMAND --help says more, ppdm --version which)", ""]
        + lines
    )


def _as_interrupt(*_) -> None:
    raise KeyboardInterrupt


def _complain(message: str, code: int = 1) -> int:
    print(f"ppdm: {message}", file=sys.stderr)
    return code
