"""Lighthouse's scores of a few pages, as its desktop setting gives them."""

import json
import os
import subprocess
from pathlib import Path

from ppdm.book import npm
from ppdm.book.chromium import CHROMIUM_FLAGS, find_chromium

from . import Finding

LOCKED = Path(__file__).parent / "npm"  # package.json, and the lock of all that it brings
_FLAGS = [flag for flag in CHROMIUM_FLAGS if " " not in flag]  # it takes them as one line
REQUIRED = {"accessibility": 100, "best-practices": 95, "performance": 90}


def install(folder: Path) -> Path | None:
    """Lighthouse's command, installed into `folder`; None where there is no npm."""
    modules = npm.install(LOCKED, folder)
    return modules / ".bin" / "lighthouse" if modules else None


def scores(command: Path, address: str) -> tuple[dict[str, int], dict[str, list[str]]]:
    """The three scores of one page out of 100, and for each the audits that cost points."""
    done = subprocess.run(
        [
            str(command),
            address,
            "--preset=desktop",
            "--output=json",
            "--quiet",
            "--no-enable-error-reporting",
            "--only-categories=" + ",".join(REQUIRED),
            "--chrome-flags=" + " ".join(["--headless=new", *_FLAGS]),
        ],
        env={**os.environ, "CHROME_PATH": find_chromium() or ""},
        check=True,
        capture_output=True,
        text=True,
        timeout=180,
    )
    report = json.loads(done.stdout)
    points, lost = {}, {}
    for name in REQUIRED:
        category = report["categories"][name]
        points[name] = round(100 * (category["score"] or 0))
        failed = [
            report["audits"][ref["id"]]["title"]
            for ref in category["auditRefs"]
            if ref["weight"] > 0
            and (report["audits"][ref["id"]]["score"] or 0) < 0.9
            and report["audits"][ref["id"]]["scoreDisplayMode"] not in ("notApplicable", "manual")
        ]
        lost[name] = failed
    return points, lost


def check_scores(page: str, points: dict[str, int], lost: dict[str, list[str]]) -> list[Finding]:
    """A finding for each score below what is required.

    >>> check_scores("a.html", {"accessibility": 100, "best-practices": 96, "performance": 93}, {})
    []
    >>> low = {"accessibility": 99, "best-practices": 96, "performance": 93}
    >>> print(*check_scores("a.html", low, {"accessibility": ["Links have a name"]}))
    a.html: lighthouse: accessibility 99, required 100 (Links have a name)
    """
    findings = []
    for name, required in REQUIRED.items():
        if points[name] < required:
            why = "; ".join(lost.get(name, []))
            detail = f"{name} {points[name]}, required {required}" + (f" ({why})" if why else "")
            findings.append(Finding(page, "lighthouse", detail))
    return findings
