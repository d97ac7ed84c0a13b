"""Files that are whole or not there."""

import os
import secrets
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write `path` in one step: a reader sees the old file or the new one, never half of one.

    Whatever interrupts the writing leaves the old file alone and nothing beside it; of two that
    write the same file at once, the later one stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
