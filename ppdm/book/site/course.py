"""The assignments on the site: student versions to take away, and the table that lists them."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def write(static: Path) -> str:
    """Build the student versions into `static`/course; return the table with the links."""
    if importlib.util.find_spec("nbgrader") is None:
        return (
            "This copy of the site was built without `nbgrader`, so the assignments are not here: "
            "`pip install '.[course]'`, then `ppdm course build`.\n"
        )
    import nbformat

    from ppdm.course import build

    folder = static / "course"
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["| Assignment | After | Time | Points | Student version |", "|:--|:--|:--|--:|:--|"]
    for name, path in build.find_sources(build.default_sources()).items():
        nbformat.write(build.student_version(path), folder / f"{name}.ipynb")
        said = build.summary(path)
        link = f'<a href="../_static/course/{name}.ipynb" download>{name}.ipynb</a>'
        title = said["title"].removeprefix("Assignment ")
        rows.append(f"| {title} | {said['after']} | {said['time']} | {said['points']} | {link} |")
    build.write_zip(folder, folder / "assignments.zip")
    archive = '<a href="../_static/course/assignments.zip" download>assignments.zip</a>'
    return "\n".join([*rows, "", f"All of them in one file: {archive}.", ""])
