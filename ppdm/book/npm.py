"""Packages from npm, locked: each is held to the checksum in its lock file, and none runs a script."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from ppdm.files import replace_file


def install(locked: Path, folder: Path) -> Path | None:
    """What `locked`/package-lock.json names, in `folder`/node_modules; None where there is no npm.

    A folder that holds it already is left as it is.
    """
    modules = folder / "node_modules"
    wanted = (locked / "package-lock.json").read_bytes()
    mark = modules / ".installed"
    if mark.is_file() and mark.read_bytes() == wanted:
        return modules
    if not shutil.which("npm"):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        replace_file(folder / name, (locked / name).read_bytes())
    done = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"npm could not install {locked}: {_why(done.stderr)}")
    replace_file(mark, wanted)
    return modules


def _why(said: str) -> str:
    """What npm's errors say, without where it says more.

    >>> _why("npm warn old\\nnpm error code EINTEGRITY\\nnpm error A complete log of this run: x\\n")
    'code EINTEGRITY'
    """
    lines = [
        line.removeprefix("npm error ").strip()
        for line in said.splitlines()
        if line.startswith("npm error ") and "A complete log" not in line
    ]
    return " ".join(lines or [said.strip()])[:400]
