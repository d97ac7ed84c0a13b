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
    module: str
    arguments: str | None  # a function(parser) of that module; None: it reads argv itself
    run: str  # a function(args), or function(argv) where `arguments` is None


COMMANDS = {
    "book": Command("run every chapter at the paper's size, build the site", "ppdm.book.build.commands",
                    "book_arguments", "book"),
    "quick": Command("the same, small: for whoever edits a page", "ppdm.book.build.commands",
                     "build_arguments", "quick"),
    "run": Command("run one chapter, with other parameters if you like", "ppdm.book.build.commands",
                   "run_arguments", "run"),
    "verify": Command("compute cells again, drawn at random, and compare", "ppdm.book.verify",
                      "add_arguments", "main"),
    "clean": Command("remove kept cells that nothing uses any more", "ppdm.book.build.commands",
                     "clean_arguments", "clean"),
    "serve": Command("show the built site on 127.0.0.1", "ppdm.book.build.commands",
                     "serve_arguments", "serve"),
    "lab": Command("open JupyterLab in notebooks/", "ppdm.book.build.commands", "no_arguments", "lab"),
    "zip": Command("pack the built site into one file to read offline", "ppdm.book.build.commands",
                   "no_arguments", "pack"),
    "pdf": Command("print the built site as a PDF", "ppdm.book.build.commands", "pdf_arguments",
                   "pdf"),
    "data": Command("list or verify the stored data sets", "ppdm.data.cli", "add_arguments",
                    "main"),
    "optimise": Command("search good randomization matrices for a survey", "ppdm.optimise.cli",
                        "add_arguments", "main"),
    "estimate": Command("shares with intervals, from reports and the scheme they were made with",
                        "ppdm.survey.cli", "add_arguments", "main"),
    "survey": Command("a survey of your own: the file, the form, the reports, the estimate",
                      "ppdm.survey.commands", "add_arguments", "main"),
    "advise": Command("which scheme should I use? What you fear, what you compute, how many answer",
                      "ppdm.survey.choice", "add_arguments", "main"),
    "course": Command("build the assignments, grade a folder of submissions", "ppdm.course.cli",
                      "add_arguments", "main"),
    "check": Command("look at the built site: links, a browser, accessibility", "ppdm.book.check.cli",
                     "add_arguments", "main"),
    "bench": Command("time the parts that must be fast", "ppdm.book.bench", None, "main"),
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
    run = _load(name, command, command.run)
    if command.arguments is None:
        return run(argv)
    parser = argparse.ArgumentParser(prog=f"ppdm {name}", description=command.help + ".")
    _load(name, command, command.arguments)(parser)
    return run(parser.parse_args(argv))


def _load(name: str, command: Command, function: str) -> Callable:
    try:
        return getattr(importlib.import_module(command.module), function)
    except ModuleNotFoundError as error:
        missing = error.name or "a module"
        if missing.split(".")[0] == "ppdm":
            raise ValueError(f"`ppdm {name}` needs {missing}, which this copy lacks.") from error
        raise ValueError(
            f"`ppdm {name}` needs the package {missing}: "
            "install the extras, pip install '.[book,test,course]'."
        ) from error


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
