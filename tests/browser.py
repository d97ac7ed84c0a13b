"""Chromium for the tests that look at pages; they are skipped where there is none."""

from contextlib import contextmanager
from pathlib import Path

import pytest

from ppdm.book.check.server import serving
from ppdm.book.chromium import NO_BROWSER, find_chromium, launch_options

needs_browser = pytest.mark.skipif(not find_chromium(), reason=NO_BROWSER)


@pytest.fixture(scope="module")
def chromium():
    """One browser for all tests of a module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        yield browser
        browser.close()


@contextmanager
def opened(browser, site: Path, page: str, **options):
    """A page of the folder `site`, open in the browser."""
    with serving(site) as address:
        window = browser.new_page(reduced_motion="reduce", **options)
        window.goto(f"{address}/{page}")
        yield window
        window.close()
