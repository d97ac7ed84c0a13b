"""The browser of this machine: it looks at the site, and prints the book."""

import shutil
from typing import Any

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    # No name but this machine's leads anywhere: a page that asks another host is found out, and
    # gets nothing.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
HOW_TO_INSTALL = (
    "on Debian or Ubuntu install it with `sudo apt-get install chromium`, "
    "elsewhere put `chromium` or `google-chrome` on the PATH"
)
NO_BROWSER = f"the browser checks need Chromium, and none was found: {HOW_TO_INSTALL}"


def find_chromium() -> str | None:
    """The path of an installed Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch_options() -> dict[str, Any]:
    """What Playwright needs to start the installed browser; an error when there is none."""
    if not find_chromium():
        raise FileNotFoundError(NO_BROWSER)
    return {"executable_path": find_chromium(), "args": CHROMIUM_FLAGS}
