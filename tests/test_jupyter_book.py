"""`jupyter-book build .`, typed by habit in a fresh clone, makes the pages that `ppdm` makes."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from ppdm.places import find_root

ROOT = find_root()
BY_HABIT = ["-c", "from jupyter_book.cli.main import main; main()", "build", "."]
OURS = ["-m", "ppdm", "book", "quick"]
#: What two runs of one book differ in: when they ended and how long they took.
TIMES = [
    (r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "<when>"),
    (r"\b[\d,.]+ (seconds|minutes|s|min)\b( [\d.]+ s\b)?", "<how long>"),
    (r'"(seconds|finished)": *("[^"]*"|[\d.]+)', "<when>"),
]


def build(clone, command, cache):
    """Clone this repository and build the small book in it; the folder of its site."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    env = os.environ | {"PYTHONPATH": str(clone), "PPDM_CACHE": str(cache), "PPDM_PROFILE": "quick"}
    done = subprocess.run(
        [sys.executable, *command], cwd=clone, env=env, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return clone / "_build" / "quick" / "html"


def without_times(path):
    """A file's content; in a text, without what is a time."""
    content = path.read_bytes()
    if path.suffix not in (".html", ".js", ".json", ".csv", ".ipynb", ".md", ".txt"):
        return content
    text = content.decode()
    for pattern, word in TIMES:
        text = re.sub(pattern, word, text)
    return text


@pytest.mark.weekly
@pytest.mark.skipif(not shutil.which("git"), reason="a fresh clone needs git")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_the_pages_are_the_same_but_for_times(tmp_path):
    """The two share finished cells of studies, as two builds in one folder would."""
    habit = build(tmp_path / "habit", BY_HABIT, tmp_path / "cache")
    ours = build(tmp_path / "ours", OURS, tmp_path / "cache")
    files = {p.relative_to(habit) for p in habit.rglob("*") if p.is_file()}
    assert files == {p.relative_to(ours) for p in ours.rglob("*") if p.is_file()}
    assert {f.as_posix() for f in files} >= {"index.html", "notebooks/04_optrr.html"}
    assert [f for f in sorted(files) if without_times(habit / f) != without_times(ours / f)] == []
