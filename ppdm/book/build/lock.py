"""One build at a time in a folder."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def alone(folder: Path, doing: str) -> Iterator[None]:
    """Work in `folder` while nobody else does; whoever comes second says who is first, and waits.

    The lock is the system's: it is released when its process ends, however that ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "a+", encoding="utf-8") as file:
        if not _take(file, wait=False):
            file.seek(0)
            who = file.read().strip() or "another process"
            print(
                f"{who} is at work in {folder}: waiting for it to end.", file=sys.stderr, flush=True
            )
            _take(file, wait=True)
        file.seek(0)
        file.truncate()
        file.write(f"`{doing}` (process {os.getpid()}, since {datetime.now(UTC):%H:%M UTC})\n")
        file.flush()
        yield


if sys.platform == "win32":
    import msvcrt
    import time

    def _take(file: IO, wait: bool) -> bool:
        while True:
            file.seek(2**30)  # beyond the words, which stay readable
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                if not wait:
                    return False
            time.sleep(0.5)

else:
    import fcntl

    def _take(file: IO, wait: bool) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True
