"""What lecturers can look at on the site: the rubrics, a picture of each step."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path


def rubrics(sources: Path) -> str:
    """How the answers are read that a human reads, from the assignments themselves.

    >>> from ppdm.places import find_root
    >>> "the verdict is clear (1)" in rubrics(find_root() / "notebooks" / "assignments")
    True
    """
    rows = ["{.stacked}", "| Assignment | Points | How the answer is read |", "|:--|--:|:--|"]
    for path in sorted(sources.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells]
        title = texts[0].partition("\n")[0].removeprefix("# Assignment ")
        for text, cell in zip(texts, cells[1:], strict=False):
            rule = text.partition("How it is read: ")[2].strip()
            if rule:
                points = cell["metadata"]["nbgrader"]["points"]
                rows.append(f"| {title} | {points:g} | {rule} |")
    return "\n".join([*rows, ""])


def write(static: Path) -> None:
    """The pictures of the lecturers' page."""
    folder = static / "course"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (title, lines) in STEPS.items():
        (folder / f"{name}.svg").write_text(picture(title, lines), encoding="utf-8")


# -- pictures --------------------------------------------------------------------------------------

STEPS = {
    "step-build": ("Terminal", (
        "$ ppdm course build --check",
        "5 student versions: _build/course/student",
        "to hand out: _build/course/assignments.zip",
        "for nbgrader (with the solutions): _build/course/nbgrader",
        "checked: the solutions get full marks, the student versions none")),
    "step-collect": ("_build/course/nbgrader", (
        "submitted/",
        "  ada/  00_primer/  00_primer.ipynb",
        "        01_electronic_surveys/  01_electronic_surveys.ipynb",
        "  bob/  00_primer/  00_primer.ipynb")),
    "step-grade": ("Terminal", (
        "$ ppdm course grade",
        "the layout is submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb",
        "grading: 100%|##########| 3/3",
        "bob, 00_primer: cell 'plan' was altered; the original was used",
        "3 submissions, 0 of them unchanged: sqlite:///gradebook.db",
        "$ nbgrader generate_feedback 00_primer",
        "$ nbgrader export")),
}  # fmt: skip


def picture(title: str, lines: tuple[str, ...]) -> str:
    """A window with lines of text, as SVG; the same text at every build.

    >>> picture("T", ("a < b",)).count("a &lt; b")
    1
    """
    wide, high = 640, 52 + 22 * len(lines)
    rows = "".join(
        f'<text x="18" y="{58 + 22 * number}" fill="{"#7ee787" if line.startswith("$") else "#e6edf3"}" '
        f'xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    dots = "".join(f'<circle cx="{20 + 16 * n}" cy="17" r="5" fill="#57606a"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">'
        f'<rect width="{wide}" height="{high}" rx="8" fill="#161b22"/>'
        f'<rect width="{wide}" height="34" rx="8" fill="#21262d"/>{dots}'
        f'<text x="78" y="22" fill="#c9d1d9">{escape(title)}</text>{rows}</svg>\n'
    )
