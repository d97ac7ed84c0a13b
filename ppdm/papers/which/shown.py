"""[Chapter 5] The tables of the chapter and of the page beyond it: a function of the chapter each."""

from __future__ import annotations

from ppdm import data, study
from ppdm.coins import Picture
from ppdm.data.describe import show
from ppdm.papers.which import beyond, rows
from ppdm.papers.which.experiment import LINES, ONE
from ppdm.papers.which.taken_back import TABLES


def beaten(ch) -> Picture:
    """Who is beaten where a stranger guesses one answer."""
    worst = rows.at(ch.get(rows.beaten), "others", ONE)
    told = [
        f"{100 * distance:.1f}, by {by}" if distance > 0 else "–"
        for distance, by in zip(worst["distance"], worst["by"], strict=True)
    ]
    table = worst.assign(told=told, dataset=worst["dataset"].map(data.SHORT))
    table = table.pivot(index="scheme", columns="dataset", values="told")
    order = [name for name in LINES if name in table.index]
    table = (
        table.loc[order, [data.SHORT[n] for n in ch.get(rows.sets)]]
        .fillna("")
        .rename_axis(columns=None)
    )
    return show(table, "Beaten where a stranger guesses one answer: by how many points, by whom")


def costs(ch) -> Picture:
    """Noise as a multiple of the certified least."""
    every = ch.get(rows.costs)
    table = every.assign(what=every["workload"] + ", " + every["prior"])
    table = table.pivot_table(index=["scheme", "ruler"], columns="what", values="times", sort=False)
    caption = "Noise as a multiple of the certified least, at the scheme's own ruler"
    return show(table.rename_axis(columns=None).reset_index(), caption, digits=2)


def out_of_noise(ch) -> Picture:
    """What guesses explain of a noisy table."""
    ours = ch.get(beyond.noisy).query("world == 'ours'").drop(columns=["world", "draw"])
    table = study.summarise(ours).pivot(index="metric", columns="dataset", values="mean")
    table = table.loc[
        ["as it is", "spectral filtering", "each by itself", "by covariance"]
    ].rename_axis("guess")
    shown = table.rename(columns=lambda d: data.SHORT[TABLES[d]]).rename_axis(columns=None)
    return show(
        shown,
        "Share of the variance that is won back, as much noise as spread (0: everybody gets the mean)",
    )


def guesses(ch) -> Picture:
    """What each guess wins back."""
    table = ch.get(beyond.guesses)
    table = table.assign(dataset=table["dataset"].map(data.SHORT)).rename_axis(columns=None)
    return show(
        table.set_index("dataset"),
        "Share of values won back by one who knows 20 records, by each guess",
    )
