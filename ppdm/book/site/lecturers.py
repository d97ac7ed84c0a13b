"""What lecturers can look at on the site: the rubrics, a feedback page, a picture of each step."""

from __future__ import annotations

import importlib.util
import json
from html import escape
from pathlib import Path

SAMPLE = "feedback.html"


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
    """The pictures of the lecturers' page, and a feedback page as students get it."""
    folder = static / "course"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (title, lines) in STEPS.items():
        (folder / f"{name}.svg").write_text(picture(title, lines), encoding="utf-8")
    if importlib.util.find_spec("nbgrader") is not None:
        from ppdm.course import feedback

        text = feedback.page("ada", sample())
        (folder / SAMPLE).write_text(text, encoding="utf-8")


def sample() -> list[dict]:
    """Results as `ppdm course grade` has them: right, wrong, read by a human, not yet read."""
    from ppdm.course.primer import CLIPPED, FORGOT

    def task(name: str, points: float | None, most: float, message: str = "", answer: str = ""):
        return {"task": name, "points": points, "max": most, "message": message, "answer": answer}

    primer = [
        task("estimate", 0.0, 4.0, FORGOT, "def estimate(reports, theta):\n    return np.mean(reports), 0.1"),
        task("average", 0.0, 3.0, CLIPPED, "def averaged(yes, people, theta):\n    ..."),
        task("plan", 4.0, 4.0, "", "def survey_plan(share, people, se, belief):\n    ..."),
        task("claim", 0.0, 4.0, "This cell ran longer than 30 seconds.", "while True: pass"),
        task("verdict", 3.5, 5.0, "The standard error is missing as a number.", "No. It is one survey of 40."),
    ]  # fmt: skip
    matrices = [
        task("estimate", 4.0, 4.0, "", "def estimate(counts, M):\n    ..."),
        task(
            "verdict",
            None,
            4.0,
            "To be read again: the answer has changed since it got 2 of 4.",
            "I would answer such a survey, because ...",
        ),
    ]
    altered = "cell 'plan' was altered; the original was used"
    return [
        {"assignment": "00_primer", "remarks": [altered], "tasks": primer},
        {"assignment": "04_optrr", "remarks": [], "tasks": matrices},
    ]


# -- pictures --------------------------------------------------------------------------------------

STEPS = {
    "step-build": ("Terminal", (
        "$ ppdm course build --check",
        "5 student versions: _build/course/student",
        "to hand out: _build/course/assignments.zip",
        "for nbgrader (with the solutions): _build/course/nbgrader",
        "checked: the solutions get full marks, the student versions none")),
    "step-collect": ("submitted", (
        "submitted/",
        "  ada/  00_primer.ipynb   01_electronic_surveys.ipynb",
        "  bob/  00_primer.ipynb",
        "  Cy Young_4711_assignsubmission_file/  00_primer.ipynb.txt")),
    "step-grade": ("Terminal", (
        "$ ppdm course grade submitted",
        "grading: 100%|##########| 4/4",
        "bob, 00_primer: cell 'plan' was altered; the original was used",
        "4 submissions, 1 with remarks: submitted-graded/grades.csv",
        "4 answers wait for a reader: put points and comments into",
        "submitted-graded/to_read.csv and run this again")),
    "step-read": ("to_read.csv", (
        "student  task     max  points  comment             state",
        "ada      verdict  5    3,5     the number?         read",
        "bob      verdict  5                                to be read again",
        "Cy Yo…   verdict  5                                to be read")),
    "step-feedback": ("submitted-graded/feedback/ada.html", (
        "Feedback for ada",
        "00_primer: 7.5 of 20",
        "estimate  0 of 4    You forgot to invert: this is the share ...",
        "plan      4 of 4    Right.",
        "verdict   3.5 of 5  The standard error is missing as a number.")),
    "step-attack": ("Terminal", (
        "$ ppdm course attack",
        "contained      rewrites the checker in the checkout",
        "contained      climbs the frames",
        "contained      a pipe that nobody writes",
        "...")),
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
