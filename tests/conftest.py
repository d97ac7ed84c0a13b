"""What a test may need beside Python: each tool is a fixture, and a test that uses one requests it.

From a test that does not request it the tool is hidden, on every machine, so none can forget to ask.
Where a tool is missing the test is skipped, and the summary says how many were, and which package brings
it. `.ci/bare.py` runs the tests where all of them are missing.
"""

import shutil
from collections import Counter

import pytest
from weka import reference

from ppdm.book.chromium import NAMES, find_chromium, launch_options
from ppdm.book.site import live
from ppdm.course.wall import why_no_wall
from ppdm.places import find_root

#: The programs that are hidden, and the fixtures of which a test requests one to see each.
HIDDEN = {
    **{name: {"chromium_path"} for name in NAMES},
    "npm": {"npm"},
    "node": {"npm"},
    "bwrap": {"wall"},
    "java": {"run_weka", "spark_folder"},
}
NPM = find_root() / "_build" / "npm"
SPARK = find_root() / "_build" / "spark"


@pytest.fixture(autouse=True)
def _only_what_was_asked_for(request, monkeypatch):
    asked = set(request.fixturenames)
    hidden = {name for name, fixtures in HIDDEN.items() if not fixtures & asked}
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, *a, **k: None if name in hidden else which(name, *a, **k)
    )


def here(found, tool: str, cure: str):
    """What was found of a tool; without it the test is skipped, in a line that says what brings it."""
    if not found:
        pytest.skip(f"no {tool} here: {cure}")
    return found


@pytest.fixture(scope="session")
def run_weka():
    """WEKA 3.6 itself: a function of a classifier's name and its options."""
    return here(reference.program(), "WEKA", "apt-get install weka")


@pytest.fixture(scope="session")
def chromium_path():
    """The browser's program, for tests that start it themselves."""
    return here(find_chromium(), "Chromium", "apt-get install chromium")


@pytest.fixture(scope="module")
def chromium(chromium_path):
    """One browser for all tests of a module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def browsers_python():
    """The archives of Python for the browser, as a build has fetched them."""
    folder = live.archives()
    cure = "apt-get install npm, then `make quick` fetches it"
    return here((folder / "packages.zip").is_file() and folder, "Python for the browser", cure)


@pytest.fixture(scope="session")
def npm():
    """The program npm."""
    return here(shutil.which("npm"), "npm", "apt-get install npm")


@pytest.fixture(scope="session")
def wall():
    """Sandboxes for students' code can be made here."""
    reason = why_no_wall()
    # bubblewrap missing, or not allowed to work; any other reason is a fault of ours
    assert not reason or "bubblewrap" in reason or "bwrap:" in reason, reason
    here(not reason, "sandbox", f"apt-get install bubblewrap ({reason})")


@pytest.fixture(scope="session")
def spark_folder():
    """Where `make check` has installed Spark."""
    here(shutil.which("java"), "Java", "apt-get install default-jre-headless")
    return here((SPARK / "installed").is_file() and SPARK, "Spark", "`make check` installs it")


def pytest_terminal_summary(terminalreporter):
    """What was not tested, a line a reason."""
    skipped = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
    )
    for reason, number in sorted(skipped.items()):
        terminalreporter.write_line(f"not tested: {number:4}  {reason}")
