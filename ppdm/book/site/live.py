"""Python for the reader's browser: its files, laid into the site, and what it can do.

The runtime is npm's `pyodide`, the core alone, served by the site itself. It has the standard
library and a few files of this package. When more can be had for it, `HAS` is the place to say so,
and `FILES` where it comes from.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from ppdm.book import npm
from ppdm.places import PACKAGE, find_root

LOCKED = Path(__file__).parent / "npm"
FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
#: What a cell that is tagged `live` may import, as its reader is told.
HAS = ("the standard library", "ppdm.coins", "assignment 0's checks")
#: Those parts of the package; they need the standard library only.
PARTS = (
    "coins.py", "course/assignments.py", "course/guard.py", "course/personal.py",
    "course/primer.py", "course/tell.py",
)  # fmt: skip
FOLDER = "pyodide"  # below _static


def write(static: Path) -> bool:
    """Lay the runtime into `static`; False, with a sentence, where npm cannot bring it.

    Pages look for it only when a reader asks, and say so when it is not there.
    """
    try:
        packages = npm.install(LOCKED, find_root() / "_build" / "npm" / "pyodide")
    except (RuntimeError, OSError) as error:
        print(f"the site gets no Python for the browser: {error}", file=sys.stderr)
        return False
    if packages is None:
        print("the site gets no Python for the browser: there is no npm", file=sys.stderr)
        return False
    folder = static / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(packages / "pyodide" / name, folder / name)
    (folder / "modules.json").write_text(json.dumps(modules()), encoding="utf-8")
    (folder / "runtime.json").write_text(json.dumps(about(folder), indent=1), encoding="utf-8")
    return True


def modules() -> dict[str, str]:
    """The files of a package `ppdm` that holds PARTS and nothing else, by their paths."""
    parts = {f"ppdm/{name}": (PACKAGE / name).read_text(encoding="utf-8") for name in PARTS}
    begin = "from ppdm.course.personal import begin\n"
    return {"ppdm/__init__.py": "", "ppdm/course/__init__.py": begin, **parts}


def about(folder: Path) -> dict:
    """What the page tells its reader before it fetches: version, size, what can be imported."""
    lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
    size = sum((folder / name).stat().st_size for name in FILES)
    return {"python": lock["info"]["python"], "bytes": size, "has": list(HAS)}
