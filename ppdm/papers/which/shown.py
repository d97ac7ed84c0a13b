"""[Chapter 5] The tables of the chapter and of the page beyond it: a function of the chapter each."""

from __future__ import annotations

from ppdm.coins import Picture
from ppdm.data.describe import show
from ppdm.papers.which import beyond, rows


def costs(ch) -> Picture:
    """Noise as a multiple of the certified least."""
    every = ch.get(rows.costs)
    table = every.assign(what=every["workload"] + ", " + every["prior"])
    table = table.pivot_table(index=["scheme", "ruler"], columns="what", values="times", sort=False)
    caption = "Noise as a multiple of the certified least, at the scheme's own ruler"
    return show(table.rename_axis(columns=None).reset_index(), caption, digits=2)


def guesses(ch) -> Picture:
    """What each guess wins back."""
    return show(
        ch.get(beyond.guesses).rename_axis(columns=None).set_index("dataset"),
        "Share of values won back by one who knows 20 records, by each guess",
    )
