"""The `ppdm` command: two lists of sub-commands, the users' and the makers', each loaded only when it is called.

A sub-command is a line in `USERS` or in `MAKERS` that names the function which declares its arguments and the
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


_MAKE, _TAKES = "ppdm.book.build.commands", "ppdm.book.arguments:declare"
USERS = {
    "data": Command("list the stored data sets, or check them against their checksums",
                    "ppdm.data.cli:add_arguments", "ppdm.data.cli:main"),
    "run": Command("run one chapter, with your own parameters if you like",
                   _TAKES, f"{_MAKE}:run", "book"),
    "verify": Command("compute random results of the book again, and compare",
                      _TAKES, "ppdm.book.verify:main", "book"),
    "advise": Command("which scheme should I use? From what you fear, what you compute, how many answer",
                      "ppdm.survey.choice:add_arguments", "ppdm.survey.choice:main"),
    "optimise": Command("search the best randomization matrices for a survey",
                        "ppdm.optimise.cli:add_arguments", "ppdm.optimise.cli:main"),
    "estimate": Command("estimate shares with intervals, from reports and their scheme",
                        "ppdm.survey.cli:add_arguments", "ppdm.survey.cli:main"),
    "survey": Command("run a survey of your own: file, form, reports, estimate",
                      "ppdm.survey.commands:add_arguments", "ppdm.survey.commands:main", "survey"),
    "course": Command("build the assignments, or grade a folder of submissions",
                      "ppdm.course.cli:add_arguments", "ppdm.course.cli:main", "course"),
    "lab": Command("open the notebooks in JupyterLab", _TAKES, f"{_MAKE}:lab", "book"),
}  # fmt: skip
MAKERS = {
    "book": Command("run every chapter at the paper's size and build the site",
                    _TAKES, f"{_MAKE}:book", "book"),
    "book quick": Command("the same, small and rough: to try a parameter or a page",
                          _TAKES, f"{_MAKE}:quick", "book"),
    "book check": Command("check the built site: links, layout, accessibility, in a browser",
                          _TAKES, "ppdm.book.check.cli:main", "test"),
    "book serve": Command("show the built site on this machine", _TAKES, f"{_MAKE}:serve", "book"),
    "book pdf": Command("print the built site as a PDF", _TAKES, f"{_MAKE}:pdf", "test"),
    "book zip": Command("pack the built site into one file for reading offline",
                        _TAKES, f"{_MAKE}:pack", "book"),
    "book compare": Command("compare the numbers of two built books",
                            _TAKES, "ppdm.book.compare:main", "book"),
    "book numbers": Command("write the computed numbers into the sentences of the notebooks",
                            _TAKES, "ppdm.book.numbers:main", "book"),
    "book bench": Command("time the parts that must be fast", _TAKES, "ppdm.book.bench:main", "bench"),
    "book clean": Command("remove kept results that nothing uses any more",
                          _TAKES, f"{_MAKE}:clean", "book"),
}  # fmt: skip
COMMANDS = USERS | MAKERS


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`; the exit code is 0 when all went well.

    >>> main(["--version"])
    ppdm 1.0.0
    0
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    if argv[:1] == ["--version"]:
        from ppdm import __version__

        print("ppdm", __version__)
        return 0
    if not argv or argv[0] in ("-h", "--help"):
        print(_overview())
        return 0 if argv else 2
    name, rest = _named(argv)
    if name not in COMMANDS:
        return _complain(_what_there_is(name))
    signal.signal(signal.SIGTERM, _as_interrupt)  # stop as tidily as for Ctrl-C
    try:
        return _call(name, COMMANDS[name], rest) or 0
    except KeyboardInterrupt:
        return _complain("stopped.", code=130)
    except (ValueError, OSError, RuntimeError) as error:
        return _complain(str(error))


def _named(argv: list[str]) -> tuple[str, list[str]]:
    """The command that a line begins with, of one word or of two, and what is left of the line."""
    words = 2 if argv[0] == "book" and argv[1:] and not argv[1].startswith("-") else 1
    return " ".join(argv[:words]), argv[words:]


def _what_there_is(name: str) -> str:
    """For a name that is no command: where it went, or which there are."""
    if f"book {name}" in MAKERS:
        return f"`ppdm {name}` is now `ppdm book {name}`."
    if name.startswith("book "):
        words = ", ".join(key.removeprefix("book ") for key in MAKERS if " " in key)
        return f"there is no `ppdm {name}`; `ppdm book` alone builds the book, and its words are {words}."
    return f"there is no command {name!r}; there are {', '.join(USERS)} and book."


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
    lines = ["usage: ppdm COMMAND [...]   (ppdm COMMAND --help says more, ppdm --version which)"]
    for heading, commands in (("To use it:", USERS), ("To make the book:", MAKERS)):
        lines += ["", heading, *(f"  {name:<12}  {each.help}" for name, each in commands.items())]
    return "\n".join(lines)


def _as_interrupt(*_) -> None:
    raise KeyboardInterrupt


def _complain(message: str, code: int = 1) -> int:
    print(f"ppdm: {message}", file=sys.stderr)
    return code
