"""What a run was made with: versions, machine, commit."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from ppdm import __version__, places
from ppdm.study import identity

LIBRARIES = [*identity.NUMERICAL, "matplotlib", "seaborn"]


def versions() -> dict[str, str]:
    """The package's own version and those of the libraries that decide its numbers."""
    return {"ppdm": __version__} | identity.library_versions(LIBRARIES)


def machine() -> dict:
    """Processor, cores, memory and system; nothing that names the computer."""
    memory = None
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": memory,
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def commit() -> str:
    """The commit of the repository, marked when tracked files were changed since; "unknown" without git."""
    home = places.repository()
    if home is None:
        return "unknown"

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(home), *arguments],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        ).stdout.strip()

    try:
        name = git("rev-parse", "--short=12", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{name} with local changes" if changed else name
