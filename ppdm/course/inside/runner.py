"""Runs the code of a submission, and answers what the checker asks, over one pipe.

    {"data": ...}                         what `begin` gives
    {"run": source}                       -> {"error": null or [name, text]}
    {"find": [names]}                     -> {"found": {name: ...}}
    {"call": number, "args": [...]}       -> {"value": ...} or {"error": ...},
                                             perhaps after {"back": number, "args": [...]}

Nothing that passes is believed on the other side: the submission shares this process, and may
answer in its place. It can win nothing by that but what the right answers would win it as well.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import warnings

import numpy as np

from ppdm.course.inside import plain

LENGTH = struct.Struct(">Q")


class Pipe:
    """Messages over a pair of files: the length, then JSON."""

    def __init__(self, reading: int, writing: int):
        self.reading, self.writing = reading, writing

    def send(self, data: bytes) -> None:
        data = LENGTH.pack(len(data)) + data
        while data:
            data = data[os.write(self.writing, data) :]

    def receive(self) -> dict:
        return json.loads(self._exactly(LENGTH.unpack(self._exactly(LENGTH.size))[0]))

    def _exactly(self, number: int) -> bytes:
        parts = []
        while number:
            part = os.read(self.reading, min(number, 1 << 20))
            if not part:
                os._exit(0)  # the checker has hung up
            parts.append(part)
            number -= len(part)
        return b"".join(parts)


class Late(BaseException):
    """The checker says that the time is over."""


def make_shell():
    """IPython as a notebook has it, but silent and without a history or a kernel."""
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


class Runner:
    """One submission's code, and the questions about it."""

    def __init__(self, pipe: Pipe, shell):
        self.pipe, self.shell = pipe, shell
        self.functions: list = []
        self.running = False
        signal.signal(signal.SIGINT, self._interrupted)

    def _interrupted(self, *_) -> None:
        if self.running:
            self.running = False
            raise Late

    def serve(self) -> None:
        """Answer until the checker hangs up."""
        while True:
            message = self.pipe.receive()
            what = next(iter(message))
            try:
                answer = getattr(self, f"do_{what}")(message)
            except Late:
                answer = {"error": ["Late", ""]}
            self.running = False
            if answer is not None:
                self.pipe.send(json.dumps(answer).encode("ascii"))

    def do_data(self, message: dict) -> None:
        import ppdm.course  # in a cell, the stub

        ppdm.course.begin_with(lambda: plain.raise_up(message["data"], _no_call))  # type: ignore[attr-defined]

    def do_run(self, message: dict) -> dict:
        self.running = True
        result = self.shell.run_cell(message["run"], store_history=False)
        self.running = False
        error = result.error_before_exec or result.error_in_exec
        return {"error": None if error is None else said(error)}

    def do_find(self, message: dict) -> dict:
        return {"found": {name: self._find(name) for name in message["find"]}}

    def _find(self, name: str):
        if name not in self.shell.user_ns:
            return None
        value = self.shell.user_ns[name]
        if callable(value):
            self.functions.append(value)
            title = str(getattr(value, "__name__", name))[:80]
            return {"function": len(self.functions) - 1, "name": title}
        return {"value": self._sent(value)}

    def do_call(self, message: dict) -> dict:
        function = self.functions[message["call"]]
        args = [plain.raise_up(arg, self._callback) for arg in message["args"]]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                self.running = True
                value = self._sent(function(*args))
                self.running = False
        except Late:
            raise
        except BaseException as error:  # noqa: BLE001 - it is not our function
            self.running = False
            return {"error": said(error)}
        return {"value": value}

    def _sent(self, value):
        node = plain._down(value, None, plain.DEEPEST)
        return node if len(json.dumps(node)) < plain.LARGEST else {"other": "something too large"}

    def _callback(self, number: int, name: str):
        def call_back(*args):
            arguments = [self._sent(arg) for arg in args]
            self.pipe.send(json.dumps({"back": number, "args": arguments}).encode("ascii"))
            answer = self.pipe.receive()
            if "error" in answer:
                raise ValueError(answer["error"])
            return plain.raise_up(answer["value"], _no_call)

        call_back.__name__ = name
        return call_back


def _no_call(number: int, name: str):
    raise plain.NotPlainError("a function is not sent here")


def said(error: BaseException) -> list[str]:
    """Name and text of an error; the text may be anything, or fail."""
    try:
        text = str(error)[:300]
    except BaseException:  # noqa: BLE001
        text = ""
    return [str(type(error).__name__)[:80], text.encode("utf-8", "replace").decode("utf-8")]


def hush() -> None:
    """Nothing is read, and what is printed goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
    for name, number in (("stdout", 1), ("stderr", 2)):
        setattr(sys, name, open(number, "w", encoding="utf-8", errors="replace", closefd=False))  # noqa: SIM115
