"""The papers' figures beside ours: `book/paper_figures.yml`, with our pictures and the verdicts of the claims on each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from ppdm.book.site.records import Records, read_table, sections


def page(records: Records, source: Path, results: Path) -> str:
    """A section a paper, a row a figure."""
    listed = source / "book" / "paper_figures.yml"
    rows = yaml.safe_load(listed.read_text(encoding="utf-8")) if listed.is_file() else {}
    papers = []
    for paper in records.papers:
        claims = [
            claim
            for claim in records.claims
            if claim["paper"] == paper["paper"] and claim["evidence"]
        ]
        entries = [_row(row, claims, results) for row in rows.get(paper["paper"], [])]
        papers += [paper | {"rows": entries}] if entries else []
    return sections("paper_figures.html", papers)


def _row(row: dict[str, Any], claims: list[dict], results: Path) -> dict[str, Any]:
    page, _, name = row.get("ours", "").partition("/")
    cells = results / page / f"{name}_printed.csv"
    known = read_table(cells) if name and cells.is_file() else []
    on_it = [c for c in claims if "where" in row and re.search(row["where"], c["where"])]
    return row | {
        "anchor": row.get("anchor", ""), "page": page if name else "", "name": name, "cells": known, "claims": on_it[:6],
        "agree": sum(cell["agrees"] in ("True", "1", "yes") for cell in known),
        "picture": name and (results.parent / "figures" / page / f"{name}.svg").is_file(),
    }  # fmt: skip
