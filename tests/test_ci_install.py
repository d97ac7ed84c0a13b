"""`.ci/install` on machines that lack one tool or another, with an apt that only writes down what it is asked."""

import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from conftest import HIDDEN
from weka import reference

from ppdm.book.chromium import find_chromium
from ppdm.course.wall import why_no_wall

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "install"
TOOLS = ("git", "make", "python3", "chromium", "weka", "npm", "bwrap")
BASH = shutil.which("bash")

APT = """#!{bash}
echo "$@" >> "{log}"
for word in "$@"; do [ "$word" != "{refused}" ] || exit 100; done
"""


def install(folder: Path, tools, refused="nothing", root=True):
    """Run the script where only `tools` exist; its exit code, output, and what apt was asked."""
    log = folder / "apt.log"
    log.touch()
    scripts = dict.fromkeys(tools, f"#!{BASH}\n")
    scripts["id"] = f"#!{BASH}\necho {0 if root else 1000}\n"
    scripts["apt-get"] = APT.format(bash=BASH, log=log, refused=refused)
    for name, text in scripts.items():
        path = folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    done = subprocess.run(
        [BASH, SCRIPT], env={"PATH": str(folder)}, capture_output=True, text=True, timeout=60
    )
    asked = [line.split()[-1] for line in log.read_text().splitlines() if "install" in line]
    return done.returncode, done.stdout + done.stderr, asked, log.read_text().count("update")


@pytest.mark.parametrize("hidden", TOOLS)
def test_only_the_missing_tool_is_installed(tmp_path, hidden):
    code, told, asked, updates = install(tmp_path, [t for t in TOOLS if t != hidden])
    packages = {"python3": ["python3", "python3-venv"], "bwrap": ["bubblewrap"]}
    expected = packages.get(hidden, [hidden])
    assert (code, asked, updates) == (0, expected, 1), told


def test_who_is_neither_root_nor_has_sudo_is_told_what_to_install(tmp_path):
    code, told, asked, _ = install(tmp_path, [t for t in TOOLS if t != "weka"], root=False)
    assert code == 1 and not asked and "to install weka one must be root, or have sudo" in told


@pytest.mark.parametrize("tool", HIDDEN)
def test_a_tool_that_was_not_asked_for_is_not_there(tool):
    """So a test that forgets to ask fails on every machine, and not on the bare one alone."""
    assert shutil.which(tool) is None and shutil.which("git")
    assert reference.program() is None and find_chromium() is None and why_no_wall()
