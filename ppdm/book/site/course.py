"""The assignments on the site: student versions to take away, and the table that lists them."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path

from ppdm.book.templating import table

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
    rows = []
    for name, path in build.find_sources(build.default_sources()).items():
        notebook = build.student_version(path)
        nbformat.write(notebook, folder / f"{name}.ipynb")
        nbformat.write(as_page(notebook, name), pages / f"{name}.ipynb")
        said = build.summary(path)
        link = f'<a href="../_static/course/{name}.ipynb" download>{name}.ipynb</a>'
        title = said["title"].removeprefix("Assignment ")
        look = f'<a href="assignments/{name}.html">{title}</a>'
        rows.append([look, said["after"], said["time"], said["points"], link])
    build.write_zip(folder, folder / "assignments.zip")
    archive = '<a href="../_static/course/assignments.zip" download>assignments.zip</a>'
    heads = ["Assignment", "After", "Time", "Points", "Student version"]
    return f"{table(heads, rows)}\nAll of them in one file: {archive}.\n"


def as_page(notebook, name: str):
    """A student version as a page, where it can be worked on."""
    import nbformat

    link = f'<a href="../../_static/course/{name}.ipynb" download>{name}.ipynb</a>'
    said = (
        f"*This is the student version. Take {link}, or work on it here: its cells can be changed and run in the page. "
        "What you write is gone when you leave the page, so save it as a notebook and hand that in.*"
    )
    cells = copy.deepcopy(notebook.cells)
    for cell in cells:
        if cell.cell_type == "code":
            cell.metadata["tags"] = ["live"]
    note = nbformat.v4.new_markdown_cell(said, id="where-to-get-it")
    metadata = {**notebook.metadata, "orphan": True}  # linked from the table, not listed
    return nbformat.from_dict(
        {**notebook, "metadata": metadata, "cells": [cells[0], note, *cells[1:]]}
    )
