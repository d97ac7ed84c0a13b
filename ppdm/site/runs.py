"""What was run, and the chapters' cards on the front page."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from ppdm.site.records import Records

_SUFFIX = {"image/svg+xml": ".svg", "image/png": ".png"}


def runs(records: Records) -> str:
    """A section a chapter: what its provenance note says."""
    return "No chapter has been run yet.\n" if not records.provenance else "\n".join(
        f"## {stem}\n\n```text\n{json.dumps(note, indent=1)}\n```\n"
        for stem, note in records.provenance.items()
    )  # fmt: skip


def best_picture(notebook: Path) -> tuple[str, bytes, str] | None:
    """The picture a chapter puts forward: its kind, its bytes and its alternative text.

    It is the first picture of the cell tagged `card`, or else of the notebook.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    tagged = [c for c in cells if "card" in c["metadata"].get("tags", [])]
    for cell in tagged + cells:
        for output in cell.get("outputs", []):
            for kind in _SUFFIX:
                if kind in output.get("data", {}):
                    content = output["data"][kind]
                    content = "".join(content) if isinstance(content, list) else content
                    data = base64.b64decode(content) if kind == "image/png" else content.encode()
                    return kind, data, _alternative_text(cell, output)
    return None


def _alternative_text(cell: dict, output: dict) -> str:
    for metadata in (output.get("metadata", {}), cell["metadata"]):
        found = re.search(r'"alt": "((?:[^"\\]|\\.)*)"', json.dumps(metadata))
        if found:
            return json.loads(f'"{found[1]}"')
    return ""


def cards(records: Records, source: Path) -> str:
    """The chapters as cards, each with its picture, in the book's order."""
    out = ["::::{grid} 1 1 2 2", ":gutter: 3", ""]
    for paper in records.papers:
        stem = paper["chapter"]
        if stem not in records.notebooks:
            continue
        picture = best_picture(source / "notebooks" / f"{stem}.ipynb")
        options = [f":link: ../notebooks/{stem}", ":link-type: doc"]
        if picture:
            kind, data, alt = picture
            name = f"card-{stem}{_SUFFIX[kind]}"
            (source / "book" / "_generated" / name).write_bytes(data)
            options += [f":img-top: _generated/{name}",
                        f":img-alt: {' '.join(alt.split()) or paper['title']}"]  # fmt: skip
        out += [f":::{{grid-item-card}} {paper['short']}: {paper['title']}", *options, "",
                " ".join(paper["about"].split()), ":::", ""]  # fmt: skip
    return "\n".join([*out, "::::", ""])
