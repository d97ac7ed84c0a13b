"""What the makers' commands take. Nothing but argparse is imported, so that each of them shows its help
in every install, also where what it needs to run is not there."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

#: Kept points are removed after so many days without use, and the longest unused beyond so many GB.
DAYS, GIGABYTES = 30, 2

_SCHEDULER = {
    "metavar": "ADDRESS",
    "help": "a Dask scheduler (tcp://...:8786) whose workers compute; results and cache stay here",
}
_QUICK = {"action": "store_true", "help": "the small build of `ppdm book quick` instead"}

#: Each command's arguments, by name.
TAKES: dict[str, dict[str, dict[str, Any]]] = {
    "run": {
        "chapter": {"help": "its name or how it begins: 01, 01-beyond, 02_multi_group, ..."},
        "-p --parameter": {"nargs": 2, "action": "append", "default": [], "metavar": ("NAME", "VALUE"),
                           "help": "a parameter of the chapter's first cell, such as `-p reps 20`; repeat it for more"},
        "--scheduler": _SCHEDULER,
    },
    "verify": {
        "chapter": {"nargs": "?", "help": "how its name begins; all chapters by default"},
        "--points --cells": {"type": int, "default": 20, "help": "how many of each chapter; default %(default)s"},
        "--seed": {"type": int, "help": "draw the same points as an earlier call"},
        "--quick": _QUICK,
        "--from": {"dest": "source", "metavar": "PLACE",
                   "help": "manifests from elsewhere: a file or a folder"},
    },
    "book": {
        "--scheduler": _SCHEDULER,
        "--verify": {"metavar": "POINTS", "type": int, "default": 0,
                     "help": "compute so many points of each chapter twice before the site is built; What was run says so"},
    },
    "book quick": {"--scheduler": _SCHEDULER},
    "book check": {
        "--site": {"type": Path, "metavar": "FOLDER", "help": "a built site elsewhere; default _build/html"},
        "--quick": _QUICK,
        "--page": {"action": "append", "metavar": "NAME", "help": "only pages whose name contains NAME; repeat it for more"},
    },
    "book serve": {
        "--port": {"type": int, "default": 8000, "help": "default %(default)s"},
        "--quick": _QUICK,
    },
    "book pdf": {"--quick": _QUICK},
    "book zip": {"--quick": _QUICK},
    "book compare": {
        "old": {"help": "a folder with a built book, or its results"},
        "new": {"nargs": "?", "default": ".", "help": "another one; default: this folder"},
    },
    "book clean": {
        "--days": {"type": float, "default": DAYS, "help": "remove what was unused for so long; default %(default)s"},
        "--gigabytes": {"type": float, "default": GIGABYTES,
                        "help": "and, above this size, what was unused longest; default %(default)s"},
    },
}  # fmt: skip

#: What a command's help says before its options, where its line in the list is too short.
MORE = {
    "verify": "Compute random points of the chapters again and compare them with the manifests that they wrote: which agree "
    "to the bit, which to the last digits, which don't. Where a book was built, its tables and kept points count, too. "
    "The exit code is 1 if anything differs.",
    "book clean": "Remove kept points that nothing has used for a while, as the other commands do when they end. "
    "Those of the built book and of the quick one stay. (`make clean` removes all of _build.)",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare what a command takes; it is known by its parser's name, such as `ppdm book check`."""
    command = parser.prog.removeprefix("ppdm ")
    parser.description = MORE.get(command, parser.description)
    for names, options in TAKES.get(command, {}).items():
        parser.add_argument(*names.split(), **options)
