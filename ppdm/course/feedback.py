"""One page a student: points, what the tests say, what was remarked. It asks no other host for
anything, and holds no script: whatever a student wrote is text."""

from __future__ import annotations

import html
import unicodedata
from pathlib import Path

from ppdm.course.handin import file_name
from ppdm.files import replace_file

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top;
       padding: .3rem .6rem; border-bottom: 1px solid #ccc; } td.points { white-space: nowrap; }
pre { background: #f4f4f4; padding: .6rem; overflow-x: auto; white-space: pre-wrap; }
.none { color: #a11; } .full { color: #161; } .open { color: #555; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; }
       pre { background: #262626; } .none { color: #f99; } .full { color: #9d9; }
       .open { color: #bbb; } th, td { border-color: #444; } }
"""


def write_pages(results: list[dict], folder: Path) -> None:
    """A page for each student; pages of students who are gone are removed."""
    own: dict[str, list[dict]] = {}
    for result in results:
        own.setdefault(result["student"], []).append(result)
    pages = {f"{file_name(student)}.html": page(student, of) for student, of in own.items()}
    if folder.is_dir():
        for path in folder.glob("*.html"):
            if path.name not in pages:
                path.unlink()
    for name, text in pages.items():
        replace_file(folder / name, text.encode("utf-8", "replace"))


def escape(text: str) -> str:
    """Text for a page: no markup, and no characters that steer instead of being shown.

    >>> escape("<b>\\x1b\\u202e\\n")
    '&lt;b&gt;\ufffd\ufffd\\n'
    """
    steering = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    shown = "".join(
        c if c in "\n\t" or unicodedata.category(c) not in steering else "\ufffd" for c in text
    )
    return html.escape(shown)


def page(student: str, results: list[dict]) -> str:
    """The feedback page of one student.

    >>> "0 of 4" in page("ada", [{"assignment": "00_primer", "remarks": [], "tasks": [
    ...     {"task": "estimate", "points": 0.0, "max": 4.0, "message": "no", "answer": ""}]}])
    True
    """
    name = escape(student)
    parts = "\n".join(_assignment(result) for result in results)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" '
        f"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Feedback for {name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<main>\n<h1>Feedback for {name}</h1>\n{parts}\n</main>\n</body>\n</html>\n"
    )


def _assignment(result: dict) -> str:
    got = sum(task["points"] or 0 for task in result["tasks"])
    most = sum(task["max"] for task in result["tasks"])
    unread = sum(task["points"] is None for task in result["tasks"])
    later = f", {unread} still to be read" if unread else ""
    remarks = "".join(f"<li>{escape(remark)}.</li>" for remark in result["remarks"])
    rows = "".join(_row(task) for task in result["tasks"])
    answers = "".join(
        f"<h3>Your answer: {escape(task['task'])}</h3>\n<pre>{escape(task['answer'])}</pre>\n"
        for task in result["tasks"]
        if task["answer"]
    )
    return (
        f"<h2>{escape(result['assignment'])}: {got:g} of {most:g}{later}</h2>\n"
        + (f"<p>Remarks:</p>\n<ul>{remarks}</ul>\n" if remarks else "")
        + "<table>\n<thead><tr><th>Task</th><th>Points</th><th>What is said of it</th></tr>"
        + f"</thead>\n<tbody>{rows}</tbody>\n</table>\n{answers}"
    )


def _row(task: dict) -> str:
    points, most = task["points"], task["max"]
    if points is None:
        look, shown = "open", f"? of {most:g}"
        words = task["message"] or "A human will read this."
    else:
        look = "full" if points == most else "none" if points == 0 else "open"
        shown = f"{points:g} of {most:g}"
        words = task["message"] or ("Right." if points == most else "")
    return (
        f'<tr><td>{escape(task["task"])}</td><td class="points {look}">{shown}</td>'
        f"<td>{escape(words)}</td></tr>"
    )
