"""`ppdm book check`: the built site against everything it promises; fails if anything is wrong."""

import argparse
import time

from tqdm import tqdm

from ppdm import places
from ppdm.book import numbers
from ppdm.book.chromium import NO_BROWSER, find_chromium
from ppdm.book.pages import built, is_redirect, pages

from . import Finding
from .browser import MODES, check_pages
from .layout import Tape, check_layout
from .server import serving
from .static import check_files


def summary(findings: list[Finding]) -> list[str]:
    """A line a finding, with all the modes in which it was seen.

    >>> one = Finding("a.html", "too wide", "img reaches 400 px of 375", "narrow light")
    >>> summary([one, one._replace(mode="narrow dark")])
    ['a.html (narrow light, narrow dark): too wide: img reaches 400 px of 375']
    """
    modes: dict[Finding, list[str]] = {}
    for finding in findings:
        modes.setdefault(finding._replace(mode=""), []).append(finding.mode)
    return [
        str(finding._replace(mode="all modes" if len(seen) == len(MODES) else ", ".join(seen)))
        for finding, seen in modes.items()
    ]


def _tell(what: str, findings: list[Finding]) -> list[Finding]:
    print(f"{what}: {len(findings)} findings")
    for line in summary(findings):
        print("  " + line, flush=True)
    return findings


def _stored() -> list[Finding]:
    """The numbers in the notebooks' sentences that are not those of the book."""
    layout = places.paper_layout()
    return [
        Finding(path.stem, "stored number", line)
        for path in places.find_notebooks(layout.root)
        if (known := numbers.read(layout.results, path.stem))  # else it has not run
        for line in numbers.stale(path, known)
    ]


def main(args: argparse.Namespace) -> int:
    """Run all checks; print a line a finding; 1 if there is any, else 0."""
    started = time.perf_counter()
    site = args.site.resolve() if args.site else built(args.quick).html
    every = [p.relative_to(site).as_posix() for p in pages(site) if not is_redirect(p)]
    names = [name for name in every if any(part in name for part in args.page or [""])]
    if not names:
        raise ValueError(f"no page's name contains {' or '.join(args.page)}")
    if not find_chromium():
        raise ValueError(NO_BROWSER)
    findings, tape = _tell("Files", check_files(site)), Tape()
    if not args.site and not args.quick:
        findings += _tell("Numbers stored in the notebooks", _stored())
    seen = f"Browser, {len(names)} pages, {len(MODES)} modes"
    windows = len({mode[:2] for mode in MODES})
    with (
        serving(site) as address,
        tqdm(total=len(names) * windows, unit="page", disable=None) as bar,
    ):
        looked = check_pages(address, names, progress=lambda _: bar.update(), also=tape.measure)
    findings += _tell(seen, looked)
    findings += _tell(f"Layout, {len(tape.phone)} pages measured", check_layout(tape, every))
    disk = check_pages(site.resolve().as_uri(), names, MODES[:1], axe=False)
    findings += _tell("The same, read from disk", disk)
    print(f"Checked in {time.perf_counter() - started:.0f} s: {len(findings)} findings")
    return 1 if findings else 0
