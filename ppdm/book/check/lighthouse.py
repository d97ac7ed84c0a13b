"""Lighthouse's scores of a page, as its desktop setting gives them."""

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


def check_scores(command: Path, address: str, page: str) -> list[Finding]:
    """Measure one page and print its scores; performance is a timing, so a busy machine gets one more try."""
    found = judge(page, _measured(command, f"{address}/{page}"))
    if any("performance" in finding.detail for finding in found):
        found = judge(page, _measured(command, f"{address}/{page}"))
    return found


def _measured(command: Path, address: str) -> dict:
    """Lighthouse's report on one page."""
    options = ["--preset=desktop", "--output=json", "--quiet", "--no-enable-error-reporting"]
    options += ["--only-categories=" + ",".join(REQUIRED)]
    options += ["--chrome-flags=" + " ".join(["--headless=new", *_FLAGS])]
    environment = {**os.environ, "CHROME_PATH": find_chromium() or ""}
    done = subprocess.run(
        [str(command), address, *options],
        env=environment,
        check=True,
        capture_output=True,
        timeout=180,
    )
    return json.loads(done.stdout)


def judge(page: str, report: dict) -> list[Finding]:
    """A finding for each score below what is required, with the audits that cost points.

    >>> audits = {"link-name": {"score": 0, "title": "Links have a name", "scoreDisplayMode": "binary"}}
    >>> low = {"score": 0.99, "auditRefs": [{"id": "link-name", "weight": 1}]}
    >>> full = {"score": 1, "auditRefs": []}
    >>> scores = {"accessibility": low, "best-practices": full, "performance": full}
    >>> print(*judge("a.html", {"audits": audits, "categories": scores}))
    a.html: lighthouse: accessibility 99, required 100 (Links have a name)
    """
    findings = []
    for name, required in REQUIRED.items():
        category = report["categories"][name]
        points = round(100 * (category["score"] or 0))
        audits = [report["audits"][ref["id"]] for ref in category["auditRefs"] if ref["weight"] > 0]
        lost = [
            audit["title"]
            for audit in audits
            if (audit["score"] or 0) < 0.9
            and audit["scoreDisplayMode"] not in ("notApplicable", "manual")
        ]
        if points < required:
            detail = f"{name} {points}, required {required} ({'; '.join(lost)})"
            findings.append(Finding(page, "lighthouse", detail))
    return findings
