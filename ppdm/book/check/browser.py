"""Every page of the site, opened in headless Chromium as readers will open it."""

import asyncio
import gzip
import os
import re
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ppdm.book.chromium import launch_options

from . import Finding

if TYPE_CHECKING:
    from playwright.async_api import Page


class Mode(NamedTuple):
    """How a page is opened: the size of the window and the reader's choice of colours."""

    width: int
    height: int
    scheme: str

    def __str__(self) -> str:
        return ("wide" if self.width > 800 else "narrow") + " " + self.scheme


# A window is loaded in the colours that come first, and then changed into the others, as a reader's
# system does in the evening: setting the mathematics takes most of a page's time.
MODES = [
    Mode(w, h, s)
    for (w, h), schemes in [((1280, 900), ("light", "dark")), ((375, 740), ("dark", "light"))]
    for s in schemes
]

# What is wider than the window although nothing around it scrolls or clips it.
_TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const held = (element) => {
    for (let e = element; e && e !== document.body; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.position === 'fixed') return true;
      if (e !== element && style.overflowX !== 'visible') return true;
      if (style.clip !== 'auto' || style.clipPath !== 'none') return true;
    }
    return false;
  };
  const name = (e) => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '')
      + (typeof e.className === 'string' && e.className
         ? '.' + e.className.trim().split(/\\s+/).join('.') : '');
  const found = [];
  for (const e of document.body.querySelectorAll('*')) {
    const box = e.getBoundingClientRect();
    if (box.width > 0 && box.height > 0 && box.right + window.scrollX > width + 1 && !held(e)) {
      found.push(`${name(e)} reaches ${Math.round(box.right)} px of ${width}`);
    }
  }
  const page = document.scrollingElement.scrollWidth;
  if (page > width + 1 && !found.length) found.push(`the page is ${page} px wide of ${width}`);
  return found.slice(0, 3);
}"""

_WITHOUT_ALT = """() => [...document.images]
  .filter((i) => !i.closest('[aria-hidden=true]') && i.getAttribute('role') !== 'presentation')
  .map((i) => [i.getAttribute('src').slice(0, 80), (i.getAttribute('alt') || '').trim()])
  .filter(([src, alt]) => !alt || /^[\\w./-]+\\.(png|svg|jpe?g|gif|webp)$/i.test(alt))"""

# What a drawing holds is not read out, and only colours depend on the choice of light or dark.
_AXE = """async (onlyColours) => {
  const result = await axe.run({exclude: [['svg[role="img"] > *']]}, {
    resultTypes: ['violations'],
    preload: false,  // it would ask for style sheets at wrong addresses
    ...(onlyColours ? {runOnly: ['color-contrast', 'link-in-text-block']}
                    : {rules: {'label-content-name-mismatch': {enabled: true}}}),
  });
  return result.violations.map((v) => [v.impact, v.id, v.help,
    v.nodes.slice(0, 3).map((n) => n.target.flat().join(' ')
      + (n.any[0] && n.any[0].id === 'color-contrast' ? ` (${n.any[0].data.contrastRatio})` : '')),
    v.nodes.length]);
}"""

# Mathematics is set after loading; colours fade for a moment. Both have to be over first.
# Gives what went wrong with the mathematics.
_SETTLED = """async () => {
  const startup = window.MathJax && MathJax.startup && MathJax.startup.promise;
  const late = new Promise((done) => setTimeout(() => done('late'), 20000));
  const outcome = startup ? await Promise.race([startup, late]) : 'none';
  await document.fonts.ready;
  const still = document.createElement('style');
  still.textContent = '*, *::before, *::after {transition: none !important; animation: none !important}';
  document.head.append(still);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  if (outcome === 'late') return ['it was not set within 20 seconds'];
  const written = [...document.querySelectorAll('.math')];
  const unset = startup ? written.filter((m) => !m.querySelector('mjx-container')) : written;
  return [...unset.map((m) => `not set: ${m.textContent.slice(0, 80)}`),
    ...[...document.querySelectorAll('mjx-merror')].map((m) => `error: ${m.textContent}`)].slice(0, 3);
}"""

# Two frames: what a change of colours or size asks for has been drawn.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

# How far the page jumped while it loaded, as browsers measure it: 0.1 and less is good.
_SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((seen) => seen.getEntries().forEach((shift) => { sum += shift.value; }))
    .observe({type: 'layout-shift', buffered: true});
  setTimeout(() => done(sum), 200);
})"""
SHIFT = 0.1

PATIENCE = 600  # seconds for one page in one window
PAGE_LIMIT = 1_500_000  # bytes that a page loads before it is asked to, as they are sent
SEVERE = ("serious", "critical")  # of axe's words for an impact


@lru_cache
def _axe_source() -> str:
    """axe-core's script, from the package that carries it (imported by no one else)."""
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        raise RuntimeError("axe_playwright_python, which carries axe-core, is not installed")
    folder = Path(found.origin).parent
    return (folder / "axe.min.js").read_text(encoding="utf-8")


#: The size of what was loaded, by its address, as a host sends it: packed, where it is not packed already.
_sent: dict[str, int] = {}
_PACKED = (".woff2", ".png", ".zip", ".gz")


async def _weight(responses: list) -> int:
    """What a page has loaded, in bytes."""
    for url, response in {response.url: response for response in responses}.items():
        if url not in _sent and response.ok:
            body = await response.body()
            _sent[url] = len(body if url.endswith(_PACKED) else gzip.compress(body, 6))
    return sum(_sent.get(url, 0) for url in {response.url for response in responses})


# What else is asked of a page once it has been looked at in the mode in which it was loaded.
Also = Callable[["Page", str], Awaitable[None]]


def _listen(page, host: str, report: Callable[[str, str], None], loaded: list) -> None:
    """Report what a page says on its console, asks other hosts for and does not get; collect what it loads."""

    def asked(request) -> None:
        parts = urlsplit(request.url)
        if parts.netloc != host and parts.scheme not in ("data", "blob", "file", "about"):
            report("third party", request.url)

    def seen(response) -> None:
        loaded.append(response)
        if response.status >= 400:
            report("console", f"{response.status} {response.url}")

    page.on("request", asked)
    page.on("response", seen)
    page.on("console", lambda m: report("console", m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: report("console", str(error)))


async def _look(
    context,
    address: str,
    page_name: str,
    modes: list[Mode],
    axe: bool,
    also: Also | None,
) -> list[Finding]:
    """Load one page in the first of a window's modes, change to the others; report all that is wrong."""
    from playwright.async_api import Error

    findings: list[Finding] = []
    mode = modes[0]

    def report(kind: str, detail: str):
        finding = Finding(page_name, kind, re.sub(r"\s+", " ", detail)[:400], str(mode))
        if finding not in findings:
            findings.append(finding)

    host = urlsplit(address).netloc

    loaded: list = []
    page = await context.new_page()
    try:
        _listen(page, host, report, loaded)
        await page.goto(f"{address}/{page_name}", wait_until="load", timeout=60_000)
        for kind, what in await _once_loaded(page, loaded if address.startswith("http") else []):
            report(kind, what)
        for mode in modes:
            await page.emulate_media(color_scheme=mode.scheme)
            await page.evaluate(DRAWN)
            for what in await page.evaluate(_TOO_WIDE):
                report("too wide", what)
            for source, alt in await page.evaluate(_WITHOUT_ALT):
                report("alternative text", f"{source} has {alt!r}")
            if axe:
                for what in await _ask_axe(page, mode):
                    report("axe", what)
            if also and mode == modes[0]:
                await also(page, page_name)
    except Error as error:  # a page that cannot be opened is a finding, not the end
        report("not opened", f"{type(error).__name__}: {error}")
    finally:
        await page.close()
    return findings


async def _once_loaded(page, loaded: list) -> list[tuple[str, str]]:
    """What is wrong with how the page came: its mathematics, how far it jumped, how much it weighs."""
    wrong = [("mathematics", what) for what in await page.evaluate(_SETTLED)]
    weight, shift = await _weight(loaded), await _jump(page)
    if shift > SHIFT:
        wrong.append(("jumps", f"its parts move by {shift:.2f} while it loads, allowed {SHIFT}"))
    if weight > PAGE_LIMIT:
        said = f"it loads {weight / 1e6:.2f} MB, allowed {PAGE_LIMIT / 1e6:.1f}"
        wrong.append(("weight", said))
    return wrong


async def _jump(page) -> float:
    """How far the page jumped: in the better of two visits, if the first was bad, both with nothing kept from before.

    A busy machine delivers letters late once in a while; what is wrong with the page itself jumps each time.
    """
    shift = await page.evaluate(_SHIFT)
    if shift > SHIFT:
        session = await page.context.new_cdp_session(page)
        await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        await page.reload(wait_until="load", timeout=60_000)
        await page.evaluate(_SETTLED)
        shift = min(shift, await page.evaluate(_SHIFT))
    return shift


async def _ask_axe(page, mode: Mode) -> list[str]:
    """What severe things axe finds on the page, a sentence each."""
    await page.evaluate(_axe_source())
    found = []
    for impact, rule, help_text, nodes, count in await page.evaluate(_AXE, mode.scheme == "dark"):
        if impact in SEVERE:
            more = f" and {count - len(nodes)} more" if count > len(nodes) else ""
            found.append(f"{impact}, {rule}: {help_text}: {', '.join(nodes)}{more}")
    return found


async def _look_at_all(address, names, modes, axe, progress, also) -> list[Finding]:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**launch_options())
        # The browser renders in a process for each page: one more than cores keeps all busy.
        free = asyncio.Semaphore((os.cpu_count() or 1) + 1)

        async def one(context, name: str, same: list[Mode]) -> list[Finding]:
            async with free:
                looking = _look(context, address, name, same, axe, also)
                try:
                    return await asyncio.wait_for(looking, PATIENCE)
                except TimeoutError:
                    detail = f"nothing came of it within {PATIENCE} seconds"
                    return [Finding(name, "not opened", detail, str(same[0]))]
                finally:
                    progress(f"{name} {same[0]}")

        found = []
        for (width, height), group in groupby(modes, lambda mode: (mode.width, mode.height)):
            same = list(group)
            context = await browser.new_context(  # with a cache that its pages share
                viewport={"width": width, "height": height},
                color_scheme=same[0].scheme,
                reduced_motion="reduce",
                service_workers="block",
            )
            found += await asyncio.gather(*(one(context, name, same) for name in names))
            await context.close()
        await browser.close()
    return [finding for group in found for finding in group]


def check_pages(
    address: str,
    names: Iterable[str],
    modes: Iterable[Mode] = tuple(MODES),
    axe: bool = True,
    progress: Callable[[str], object] = lambda _: None,
    also: Also | None = None,
) -> list[Finding]:
    """Open each page of `address` in each mode; report what is wrong with it.

    Console errors, mathematics that is not set, requests to another host, more than `PAGE_LIMIT`
    bytes loaded, pictures without alternative text, what is wider than the window, and, with `axe`, axe-core's
    severe violations. `also(page, name)` is awaited once a window.
    `address` may be a `file://` folder: that is how the archive is checked.
    """
    names, modes = list(names), list(modes)
    looking = _look_at_all(address, names, modes, axe, progress, also)
    return asyncio.run(looking)
