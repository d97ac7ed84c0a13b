"""Files that are whole or not there."""

import os
import secrets
from pathlib import Path


def replace_file(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write `path` in one step: a reader sees the old file or the new one, never half of one.

    Whatever interrupts the writing leaves the old file alone and nothing beside it, a power failure
    included; of two that write the same file at once, the later one stays. What carries a checksum of
    its own and can be made anew need not wait for the disk: `durable=False`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     replace_file(Path(folder) / "new" / "share.txt", b"0.42")
    ...     (Path(folder) / "new" / "share.txt").read_text()
    '0.42'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if durable:
        _keep_name(path.parent)


def refuse_address(path: object) -> None:
    """Refuse an address where a path is asked for: libraries would go to the net for it.

    >>> refuse_address("https://example.org/reports.csv")
    Traceback (most recent call last):
    ValueError: 'https://example.org/reports.csv' is an address: files of this machine are read, so download it first
    """
    if "://" in str(path):
        raise ValueError(
            f"{str(path)!r} is an address: files of this machine are read, so download it first"
        )


def _keep_name(folder: Path) -> None:
    """Write a folder's own entry to the disk, where the system lets one (Windows does not)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
