"""The papers' figures beside ours: `book/paper_figures.yml`, with our pictures and the verdicts of the claims on each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from markupsafe import Markup

from ppdm import plot
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
    summary = results / "02_multi_group" / "summary.csv"
    return row | {
        "anchor": row.get("anchor", ""), "page": page if name else "", "name": name, "cells": known, "claims": on_it[:6],
        "agree": sum(cell["agrees"] in ("True", "1", "yes") for cell in known),
        "picture": name and (results.parent / "figures" / page / f"{name}.svg").is_file(),
        "drawing": Markup(surface(pd.read_csv(summary))) if page == "surface" and summary.is_file() else "",
    }  # fmt: skip


def surface(summary: pd.DataFrame) -> str:
    """Zhan & Du's Figure 6 from our trees: mean accuracy on Adult over θ and the number of groups."""
    rows = summary[
        (summary["dataset"] == "adult")
        & (summary["metric"] == "accuracy")
        & summary["groups"].isin((1, 2, 3))
    ]
    table = rows.pivot_table(index="groups", columns="theta", values="mean")
    theta, groups = (grid.ravel() for grid in np.meshgrid(table.columns, table.index))

    def draw(phone: bool) -> plot.Figure:
        figure = plot.Figure(figsize=(plot.PHONE, 3.4) if phone else (5.4, 4.0))
        axes: Any = figure.add_subplot(projection="3d")
        axes.plot_trisurf(
            theta,
            groups,
            table.to_numpy().ravel(),
            cmap="cividis",
            linewidth=0.2,
            edgecolor=plot.SOFT,
        )
        axes.set(xlabel="θ", ylabel="groups", zlabel="accuracy", yticks=[1, 2, 3])
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_pane_color((0, 0, 0, 0))
        if phone:  # it stands in a narrow card
            axes.locator_params(nbins=3)
            axes.tick_params(labelsize=17)
            for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
                axis.label.set_size(17)
        return figure

    words = "Mean accuracy on Adult: a valley along θ = 1/2, deeper and wider with more groups."
    return plot.element(plot.laid_out(draw), words, "surface")
