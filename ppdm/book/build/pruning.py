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

from ppdm import places
from ppdm.book.arguments import DAYS, GIGABYTES

#: By size, no point is removed that was used within the last day: another run may be at it.
RUNNING = 86_400.0

_OURS = re.compile(r"[0-9a-f]{2}/[0-9a-f]{30}")


def in_use(layouts: Iterable[places.Layout]) -> set[str]:
    """The folders of the cache that the manifests of these builds name."""
    names: set[str] = set()
    for layout in layouts:
        for path in layout.results.glob("*/manifest.json"):
            try:
                names |= {name for name in json.loads(path.read_bytes())["made_on"]["kept"] if name}
            except (OSError, ValueError, KeyError, TypeError):
                continue  # `ppdm verify` names it
    return names


def prune(
    used: Iterable[str] = (), days: float = DAYS, largest: int = GIGABYTES << 30
) -> tuple[str, int]:
    """Remove kept points that are old, or too many, and not in `used`.

    Returns a sentence that says what was removed (empty if nothing was), and the bytes that are left.
    """
    cache, now, used = places.cache_folder(), time.time(), set(used)
    folders = []  # those that a study made, the longest unused first; whatever else lies in the cache is not ours
    for path in cache.glob("??/*"):
        try:
            files = list(path.iterdir())
            if _OURS.fullmatch(path.relative_to(cache).as_posix()) and all(
                f.suffix in (".npy", ".part") for f in files
            ):
                folders.append((path.stat().st_mtime, sum(f.stat().st_size for f in files), path))
        except OSError:  # a file; or somebody else is removing it
            continue
    left, gone, last = sum(size for _, size, _ in folders), [], 0.0
    for when, size, path in sorted(folders):
        old, crowded = now - when > 86_400 * days, left > largest and now - when > RUNNING
        if (old or crowded) and path.relative_to(cache).as_posix() not in used:
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                left, last = left - size, when
                gone.append(size)
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()
    if not gone:
        return "", left
    what = f"{len(gone)} experiment{'s' * (len(gone) > 1)} ({sum(gone) / 1e6:,.0f} MB)"
    since = datetime.fromtimestamp(last, UTC)
    return (
        f"Removed the kept points of {what} that nothing had used since {since:%Y-%m-%d}; {left / 1e6:,.0f} MB are left.",
        left,
    )
