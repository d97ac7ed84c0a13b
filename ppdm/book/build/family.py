"""Processes that end together: a child with all that it started, and a child with its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import psutil


def start(job: list, **options) -> subprocess.Popen:
    """Start a child that ends with this process, however this one ends.

    Its standard input is a pipe that nobody writes to: the system closes it when this process dies, by
    kill -9 too, on every system. The child calls `end_with_parent` first.
    """
    return subprocess.Popen(
        list(map(str, job)), stdin=subprocess.PIPE, start_new_session=True, **options
    )


def end_with_parent() -> None:
    """End this process, and all that it started, when the pipe that `start` opened is closed."""
    pipe = os.dup(sys.stdin.fileno())
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, sys.stdin.fileno())  # what is started here does not read from the pipe
    os.close(null)

    def watch() -> None:
        while os.read(pipe, 1):
            pass
        kill(psutil.Process().children(recursive=True))
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="watch the parent").start()


def stop_tree(process: subprocess.Popen) -> None:
    """End a process and everything it started: the kernel and the kernel's workers too."""
    if process.poll() is None:
        parent = psutil.Process(process.pid)
        family = [*parent.children(recursive=True), parent]
        kill(family)
        psutil.wait_procs(family, timeout=5)
        process.wait()
    if process.stdin:
        process.stdin.close()


def kill(family: list[psutil.Process]) -> None:
    """End these processes, those that are gone already included."""
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            pass
