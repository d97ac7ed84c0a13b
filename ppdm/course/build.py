"""Student versions, made from the notebooks with the solutions.

One source an assignment, so that the two cannot drift: nbgrader's own steps take the solutions and
the hidden tests out, lock the tests and note the checksums.
"""

from __future__ import annotations

import copy
import re
import shutil
import zipfile
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

#: nbgrader's settings: formgrader and feedback show students' texts as texts, and `nbgrader export`
#: writes what learning platforms read.
NBGRADER_CONFIG = '''"""Settings for nbgrader, beside the folder `source/`."""

c = get_config()
c.CourseDirectory.course_id = "ppdm"
c.HTMLExporter.sanitize_html = True
c.ExportApp.plugin_class = "ppdm.course.export.OneRowAStudent"
# Collecting what a platform exports, `nbgrader zip_collect ASSIGNMENT`: take the line of yours.
# Moodle:  c.FileNameCollectorPlugin.named_regexp = r".*/(?P<student_id>[^/]+_\\d+)_assignsubmission_.*?(?P<file_id>\\d\\d_\\w+)"
# Canvas:  c.FileNameCollectorPlugin.named_regexp = r".*/(?P<student_id>[^/_]+(_LATE)?_\\d+)_\\d+_(?P<file_id>\\d\\d_\\w+)"
# ILIAS:   c.FileNameCollectorPlugin.named_regexp = r".*/(?P<student_id>[^/]+_\\d+)/(?P<file_id>\\d\\d_\\w+)"
'''
HAND_OUT = """The assignments of "Privacy-preserving data mining, reproduced"

You need Python 3.11 or later, the package `ppdm` and a Jupyter notebook program:

    pip install '.[book]'      (in a copy of the book's repository)
    jupyter lab

Open a notebook, write your student id into its first code cell, and work from top to bottom.
Hand in the notebooks under the names that they have.
"""


def default_sources() -> Path:
    """The assignments of the repository."""
    from ppdm.places import find_root

    return find_root() / "notebooks" / "assignments"


def find_sources(folder: Path) -> dict[str, Path]:
    """The notebooks with solutions in a folder (or in folders of it, as nbgrader keeps them)."""
    paths = [p for p in sorted(folder.rglob("*.ipynb")) if ".ipynb_checkpoints" not in p.parts]
    if not paths:
        raise ValueError(f"there is no assignment (*.ipynb) in {folder}")
    return {path.stem: path for path in paths}


@lru_cache(maxsize=32)
def _student_version(path: Path, changed: float) -> NotebookNode:
    from nbgrader.preprocessors import (
        ClearHiddenTests,
        ClearOutput,
        ClearSolutions,
        ComputeChecksums,
        LockCells,
    )

    notebook = nbformat.read(path, as_version=4)
    for step in (ClearSolutions, LockCells, ClearOutput, ClearHiddenTests, ComputeChecksums):
        notebook, _ = step().preprocess(notebook, {})
    return notebook


def student_version(path: Path) -> NotebookNode:
    """What is handed out of one assignment."""
    return copy.deepcopy(_student_version(path, path.stat().st_mtime))


def build(sources: Path, out: Path) -> list[str]:
    """Write the student versions, a zip of them, and a folder for nbgrader; return the names.

    out/student/*.ipynb, out/assignments.zip, out/nbgrader/{nbgrader_config.py,source/...}
    """
    found = find_sources(sources)
    for folder in ("student", "nbgrader/source"):
        shutil.rmtree(out / folder, ignore_errors=True)
    (out / "student").mkdir(parents=True)
    for name, path in found.items():
        nbformat.write(student_version(path), out / "student" / f"{name}.ipynb")
        target = out / "nbgrader" / "source" / name / f"{name}.ipynb"
        target.parent.mkdir(parents=True)
        shutil.copy(path, target)
    (out / "nbgrader" / "nbgrader_config.py").write_text(NBGRADER_CONFIG, encoding="utf-8")
    write_zip(out / "student", out / "assignments.zip")
    return list(found)


def write_zip(folder: Path, target: Path) -> None:
    """The notebooks of a folder and a word on how to begin; the same bytes every time."""
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.ipynb"))}
    files["README.txt"] = HAND_OUT.encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"ppdm-assignments/{name}", date_time=(2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)


def tasks(path: Path) -> list[dict]:
    """The graded cells of an assignment: name, points, and whether a human reads it."""
    notes = [c.metadata.get("nbgrader", {}) for c in nbformat.read(path, as_version=4).cells]
    return [
        {"task": note["grade_id"], "max": float(note["points"]), "human": bool(note["solution"])}
        for note in notes
        if note.get("grade")
    ]


def summary(path: Path) -> dict[str, str]:
    """Title, time and points of an assignment, as its first cell says them."""
    title, _, text = nbformat.read(path, as_version=4).cells[0].source.partition("\n")
    said = {
        key.lower(): words
        for key, words in re.findall(r"\*\*(\w+):\*\* ([^*]*?)\.? *(?=\*\*|\n)", text)
    }
    points = sum(task["max"] for task in tasks(path))
    return {**said, "title": title.lstrip("# "), "points": f"{points:g}"}
