"""What stands for `ppdm.course` behind the wall: `begin`, checks that say nothing, and the runner.

`ppdm.course.wall` lays this file there, in the package's place. The runner reads questions, a line of
JSON each, and answers with a line:

    {"limits": ...}                  memory, threads, user: at once and for good
    {"data": ...}                    what `begin` gives
    {"run": source}                  a piece of the notebook
    {"value": name}                  {"value": ...} or {"function": true}
    {"call": name, "args": ...}      {"value": ...}

or with {"late": true}, or with {"error": [name, text]}. What comes in is the checker's, and pickled. What
goes out is plain JSON: the submission shares this process and may answer in the runner's place, but
nobody believes what is said here.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from types import ModuleType, SimpleNamespace

CHECKS = ("primer", "surveys", "groups", "distortion", "matrices", "guesses", "tell")
LARGEST = 1 << 20
_data: dict = {}


def begin(assignment: str, student: str = "", seed: int = 0, **parameters) -> SimpleNamespace:
    """The data of this student, as the checker has sent them."""
    import copy

    if not _data:
        raise ValueError("this notebook has no data of its own")
    return SimpleNamespace(**copy.deepcopy(_data))


class _Silent(ModuleType):
    """A module of checks: a student's own calls of them do nothing here."""

    def __getattr__(self, name: str):
        if name.startswith("check_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)


class Late(BaseException):
    """So many seconds of work are over."""


class Runner:
    """One submission's names, and the questions about them."""

    def __init__(self, line: int):
        self.questions, self.answers = os.fdopen(line, "rb"), os.fdopen(os.dup(line), "wb")
        self.shell = _shell()
        self.running = False
        signal.signal(signal.SIGPROF, self._interrupt)

    def _interrupt(self, *_) -> None:
        if self.running:
            self.running = False
            raise Late

    def serve(self) -> None:
        """Answer until the checker hangs up."""
        for question in map(json.loads, self.questions):
            if (seconds := question.pop("seconds")) is not None:
                signal.setitimer(signal.ITIMER_PROF, seconds)
            what = next(iter(question))
            try:
                self.running = True
                answer = getattr(self, what)(**question)
                self.running = False
            except Late:
                answer = {"late": True}
            except BaseException as error:  # noqa: BLE001 - it is a student's
                self.running = False
                answer = {"error": _words(error)}
            self.answers.write(json.dumps(answer or {}).encode() + b"\n")
            self.answers.flush()

    def limits(self, limits: dict) -> None:
        """Memory, threads, files; the user where we are root. None can be taken back."""
        import resource

        wanted = {
            resource.RLIMIT_AS: limits["memory"], resource.RLIMIT_NPROC: limits["threads"],
            resource.RLIMIT_FSIZE: limits["scratch"], resource.RLIMIT_NOFILE: limits["files"],
            resource.RLIMIT_CPU: limits["work"], resource.RLIMIT_CORE: 0,
            resource.RLIMIT_MEMLOCK: 0, resource.RLIMIT_MSGQUEUE: 0,
        }  # fmt: skip
        for what, most in wanted.items():
            resource.setrlimit(what, (most, most))
        if limits["user"]:
            os.setgroups([])
            os.setresgid(*[limits["user"]] * 3)
            os.setresuid(*[limits["user"]] * 3)

    def data(self, data: str) -> None:
        """Keep what `begin` gives."""
        _data.update(_unpacked(data))

    def run(self, run: str) -> None:
        """Run a piece of the notebook."""
        stopped = self.shell.run_cell(run, store_history=False).error_in_exec
        if isinstance(stopped, Late):
            raise stopped

    def value(self, value: str) -> dict:
        """What a name stands for."""
        if value not in self.shell.user_ns:
            return {}
        thing = self.shell.user_ns[value]
        return {"function": True} if callable(thing) else {"value": plain(thing)}

    def call(self, call: str, args: str) -> dict:
        """What a function answers."""
        return {"value": plain(self.shell.user_ns[call](*_unpacked(args)))}


def _unpacked(text: str):
    import base64
    import pickle

    return pickle.loads(base64.b64decode(text))


def plain(value):
    """A value as JSON has it; an array, a frame or a series as lists, whatever else as its type's name.

    >>> import numpy as np
    >>> plain((1, np.array([0.5, 2]), "yes", None)), plain({1})
    ([1, [0.5, 2.0], 'yes', None], {'not plain': 'a set'})
    """
    node = _plain(value, 10)
    return node if len(json.dumps(node)) < LARGEST else {"not plain": "too large an answer"}


def _plain(value, deep: int):
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if hasattr(value, "tolist"):
        if getattr(value, "nbytes", 0) > LARGEST:
            return {"not plain": f"an array of the shape {value.shape}"}
        value = value.tolist()
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 64 else {"not plain": "a very large number"}
    if isinstance(value, list | tuple | range) and deep and len(value) < LARGEST:
        return [_plain(part, deep - 1) for part in value]
    try:
        return float(value)
    except Exception:  # noqa: BLE001 - a student's type may raise anything
        name = str(type(value).__name__)[:60]
        return {"not plain": f"{'an' if name[:1] in tuple('aeiou') else 'a'} {name}"}


def _words(error: BaseException) -> list[str]:
    """Name and text of an error; its text may be anything, or fail."""
    try:
        return [type(error).__name__[:80], str(error)[:300]]
    except BaseException:  # noqa: BLE001
        return [type(error).__name__[:80], ""]


def _shell():
    """IPython as a notebook has it, but silent, without a history and without a kernel."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    shell = InteractiveShell.instance(config=config)
    for name in (
        "showtraceback",
        "showsyntaxerror",
        "showindentationerror",
        "ask_exit",
        "enable_gui",
    ):
        setattr(shell, name, lambda *args, **kwargs: None)
    shell.displayhook = type(shell.displayhook)(parent=shell, shell=shell)
    return shell


def serve() -> None:
    """Take the line from the input, let what is printed go nowhere, fence the package, and answer."""
    import numpy as np

    import ppdm.course
    from ppdm.course import guard

    line = os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nowhere, number)
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    for name in CHECKS:
        silent = _Silent(f"ppdm.course.{name}")
        sys.modules[silent.__name__] = silent
        setattr(ppdm.course, name, silent)
    guard.close()
    np.seterr(all="ignore")
    runner = Runner(line)
    os.dup2(nowhere, 2)
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    runner.serve()
