"""What lecturers can look at on the site: the rubrics, from the assignments themselves."""

from __future__ import annotations

import json
from pathlib import Path

from ppdm.book.templating import table


def rubrics(sources: Path) -> str:
    """How the answers are read that a human reads, from the assignments themselves.

    >>> from ppdm.places import find_root
    >>> "the verdict is clear (1)" in rubrics(find_root() / "notebooks" / "assignments")
    True
    """
    rows = []
    for path in sorted(sources.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells]
        title = texts[0].partition("\n")[0].removeprefix("# Assignment ")
        for text, cell in zip(texts, cells[1:], strict=False):
            rule = text.partition("How it is read: ")[2].strip()
            if rule:
                points = cell["metadata"]["nbgrader"]["points"]
                rows.append([title, f"{points:g}", rule])
    return table(["Assignment", "Points", "How the answer is read"], rows)
