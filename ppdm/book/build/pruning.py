"""The cache of finished points, kept small: what the code no longer asks for is removed.

The points of one function, with one code, data and seed, lie in one folder. Code that has changed asks
for another, and the old one stays until nobody has used it for a while, or until it is in the way.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ppdm import places
from ppdm.book.arguments import DAYS, GIGABYTES

#: By size, no point is removed that was used within the last day: another run may be at it.
RUNNING = 86_400.0

_OURS = re.compile(r"[0-9a-f]{2}/[0-9a-f]{30}")


class _Folder(NamedTuple):
    used: float  # when it was last read or written
    size: int  # in bytes
    path: Path


def in_use(layouts: Iterable[places.Layout]) -> set[str]:
    """The folders of the cache that the manifests of these builds name."""
    found: set[str] = set()
    for layout in layouts:
        for path in layout.results.glob("*/manifest.json"):
            try:
                found |= {name for name in json.loads(path.read_bytes())["made_on"]["kept"] if name}
            except (OSError, ValueError, KeyError, TypeError):
                continue  # `ppdm verify` names it
    return found


def prune(
    used: Iterable[str] = (), days: float = DAYS, largest: int = GIGABYTES << 30
) -> tuple[str, int]:
    """Remove kept points that are old, or too many, and not in `used`.

    Returns a sentence that says what was removed (empty if nothing was), and the bytes that are left.
    """
    cache, now, used = places.cache_folder(), time.time(), set(used)
    folders = sorted(_folders(cache))
    left = sum(folder.size for folder in folders)
    gone: list[_Folder] = []
    for folder in folders:
        idle = now - folder.used
        if folder.path.relative_to(cache).as_posix() in used:
            continue
        if idle > 86_400 * days or (left > largest and idle > RUNNING):
            shutil.rmtree(folder.path, ignore_errors=True)
            if not folder.path.exists():
                left -= folder.size
                gone.append(folder)
    for above in {folder.path.parent for folder in gone}:
        if not any(above.iterdir()):
            above.rmdir()
    if not gone:
        return "", left
    size = sum(folder.size for folder in gone)
    what = "experiment" if len(gone) == 1 else "experiments"
    since = datetime.fromtimestamp(gone[-1].used, UTC)
    said = f"Removed the kept points of {len(gone)} {what} ({_size(size)}) that nothing had used since "
    return f"{said}{since:%Y-%m-%d}; {_size(left)} are left.", left


def _folders(cache: Path) -> Iterable[_Folder]:
    """The folders that a study made; whatever else lies in the cache is not ours."""
    for path in cache.glob("??/*"):
        if not _OURS.fullmatch(path.relative_to(cache).as_posix()) or not path.is_dir():
            continue
        try:
            files = list(path.iterdir())
            if all(file.suffix in (".npy", ".part") for file in files):
                yield _Folder(path.stat().st_mtime, sum(f.stat().st_size for f in files), path)
        except OSError:  # somebody else is removing it
            continue


def _size(number: int) -> str:
    """Bytes as one says them.

    >>> _size(3_400_000), _size(5 << 30)
    ('3 MB', '5.4 GB')
    """
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.0f} MB"
