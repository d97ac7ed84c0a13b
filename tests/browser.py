"""A page of a folder, open in the browser that the fixture `chromium` gives."""

from contextlib import contextmanager
from pathlib import Path

from ppdm.book.check.server import serving


@contextmanager
def opened(browser, site: Path, page: str, **options):
    """A page of the folder `site`, open in the browser."""
    with serving(site) as address:
        window = browser.new_page(reduced_motion="reduce", **options)
        window.goto(f"{address}/{page}")
        yield window
        window.close()
