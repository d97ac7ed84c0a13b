"""What lecturers can look at on the site: the rubrics and a feedback page."""

from __future__ import annotations

import importlib.util
import json
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
    """A feedback page as students get it."""
    folder = static / "course"
    folder.mkdir(parents=True, exist_ok=True)
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
