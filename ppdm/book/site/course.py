"""The assignments on the site: student versions to take away, and the table that lists them."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path

#: Assignments that need nothing but what Python in the browser has (`ppdm.book.site.live`).
IN_THE_BROWSER = ("00_primer",)
_LACKING = (
    "This copy of the site was built without `nbgrader`, so the assignments are not here: "
    "`pip install '.[course]'`, then `ppdm course build`.\n"
)


def write(static: Path, pages: Path) -> str:
    """Build the student versions into `static`/course and as pages; return the table with the links."""
    pages.mkdir(parents=True, exist_ok=True)
    if importlib.util.find_spec("nbgrader") is None:
        (pages / "none.md").write_text(
            f"---\norphan: true\n---\n\n# No assignments in this copy\n\n{_LACKING}",
            encoding="utf-8",
        )
        return _LACKING
    import nbformat

    from ppdm.course import build

    folder = static / "course"
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        "{.stacked}",
        "| Assignment | After | Time | Points | Student version |",
        "|:--|:--|:--|--:|:--|",
    ]
    for name, path in build.find_sources(build.default_sources()).items():
        notebook = build.student_version(path)
        nbformat.write(notebook, folder / f"{name}.ipynb")
        nbformat.write(as_page(notebook, name), pages / f"{name}.ipynb")
        said = build.summary(path)
        link = f'<a href="../_static/course/{name}.ipynb" download>{name}.ipynb</a>'
        title = said["title"].removeprefix("Assignment ")
        look = f'<a href="assignments/{name}.html">{title}</a>'
        rows.append(f"| {look} | {said['after']} | {said['time']} | {said['points']} | {link} |")
    build.write_zip(folder, folder / "assignments.zip")
    archive = '<a href="../_static/course/assignments.zip" download>assignments.zip</a>'
    return "\n".join([*rows, "", f"All of them in one file: {archive}.", ""])


def as_page(notebook, name: str):
    """A student version to look at; one that a browser's Python can run can be tried there."""
    import nbformat

    link = f'<a href="../../_static/course/{name}.ipynb" download>{name}.ipynb</a>'
    said = f"*This is the student version, to look at. To work on it, take {link}.*"
    cells = copy.deepcopy(notebook.cells)
    if name in IN_THE_BROWSER:
        said += (
            "\n\n*Its cells can be changed and run here, too. Nothing is kept: what you write is gone when you "
            "leave the page.*"
        )
        for cell in cells:
            if cell.cell_type == "code":
                cell.metadata["tags"] = ["live"]
    note = nbformat.v4.new_markdown_cell(said, id="where-to-get-it")
    metadata = {**notebook.metadata, "orphan": True}  # linked from the table, not listed
    return nbformat.from_dict(
        {**notebook, "metadata": metadata, "cells": [cells[0], note, *cells[1:]]}
    )
