"""One build at a time in a folder."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout


@contextlib.contextmanager
def alone(folder: Path, doing: str) -> Iterator[None]:
    """Work in `folder` while nobody else does; a second process says who is first, and waits.

    The lock is the system's: it is released when its process ends, however that ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock, note = FileLock(folder / "lock"), folder / "at_work"
    try:
        lock.acquire(timeout=0)
    except Timeout:
        first = note.read_text(encoding="utf-8") if note.is_file() else "another process"
        words = f"{first} is at work in {folder}: waiting for it to end."
        print(words, file=sys.stderr, flush=True)
        lock.acquire()
    try:
        note.write_text(f"`{doing}` (process {os.getpid()}, since {datetime.now(UTC):%H:%M UTC})")
        yield
    finally:
        lock.release()
