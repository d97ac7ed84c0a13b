"""Numbers in the sentences of a notebook: `81.3<!--majority:.1f-->` is a number, its name and its format.

JupyterLab shows the number as it is stored, which is the book's; an executed copy gets the number that its run
computed, and loses the comment. What stands between asterisks is replaced as a whole.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ppdm import places
from ppdm.files import replace_file

NUMBER = re.compile(
    r"(?P<text>(?<=\*)[^*\n]+(?=\*+<!--)|[\w.,+−-]+)"
    r"(?P<end>\**)<!--(?P<name>[\w-]+)(?::(?P<form>[^>]*?))?-->"
)


def replaced(text: str, numbers: Mapping[str, Any], keep: bool = False) -> str:
    """A text with the numbers that were computed; with `keep`, their names stay.

    >>> replaced("Of 100, *about 80*<!--right:.1f--> are right.", {"right": 81.26})
    'Of 100, *81.3* are right.'
    >>> replaced("Of 100, 80<!--right:.1f--> are right.", {"right": 81.26}, keep=True)
    'Of 100, 81.3<!--right:.1f--> are right.'
    """

    def number(match: re.Match) -> str:
        text = match[0] if keep else match["text"] + match["end"]
        return _computed(match, numbers) + text[len(match["text"]) :]

    return NUMBER.sub(number, text)


def _computed(match: re.Match, numbers: Mapping[str, Any]) -> str:
    if match["name"] not in numbers:
        raise ValueError(
            f"the text has a number {match['name']!r} that its chapter does not compute; "
            f"it computes {', '.join(numbers) or 'none'}"
        )
    return format(numbers[match["name"]], match["form"] or "")


def put_in(notebook: dict[str, Any], numbers: Mapping[str, Any], keep: bool = False) -> dict:
    """A notebook with its computed numbers, in place."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            source = "".join(cell["source"])
            text = replaced(source, numbers, keep)
            if text != source:
                cell["source"] = text.splitlines(keepends=True)
    return notebook


def read(results: Path, stem: str) -> dict[str, Any]:
    """What a chapter computed for its sentences; nothing if it has none."""
    path = results / stem / "numbers.json"
    return json.loads(path.read_bytes()) if path.is_file() else {}


def stale(notebook: Path, numbers: Mapping[str, Any]) -> list[str]:
    """A sentence for each number that a notebook stores and its chapter computes otherwise."""
    lines = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for match in NUMBER.finditer("".join(cell["source"]) * (cell["cell_type"] == "markdown")):
            now = _computed(match, numbers)
            if now != match["text"]:
                lines.append(
                    f"{notebook.name}: {match['name']} is {match['text']} in the text and {now} as computed "
                    "(`ppdm book numbers` writes it)"
                )
    return lines


def main(args: argparse.Namespace) -> int:
    """`ppdm book numbers`: the numbers of the book's last run at the paper's size into the notebooks' sentences."""
    layout = places.paper_layout()
    written = 0
    for path in places.find_notebooks(layout.root):
        numbers = read(layout.results, path.stem)
        if not numbers:
            continue
        for line in stale(path, numbers):
            written += 1
            print(line.split(" (")[0])
        notebook = put_in(json.loads(path.read_text(encoding="utf-8")), numbers, keep=True)
        replace_file(path, json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n")
    print(f"{written} numbers written")
    return 0
