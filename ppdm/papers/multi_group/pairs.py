"""[Zhan & Du] The claims on the trees' accuracy under pairs of readings: too long for the chapter.

    python -m ppdm.papers.multi_group.pairs

writes `pairs.csv` to the results (claim, world, value, low, high, met) and says which verdicts turn. A pair
counts for a claim where each of the two alone moves a value by a standard error. Some five minutes of
computing beside the chapter's own runs, which the cache has after `ppdm book`; the weekly workflow runs it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ppdm import study
from ppdm.papers.multi_group import rows
from ppdm.papers.multi_group.chapter import chapter
from ppdm.papers.multi_group.readings import READINGS
from ppdm.places import find_root, results_folder
from ppdm.study import history, ledger

EACH = 2  # repetitions of a pair on each of half of the divisions


def claims() -> dict[str, ledger.Claim]:
    """The claims that are decided from `rows.trees`, without wrong worlds: the chapter tries those."""
    known = [ledger.read(file) for file in history.chapters(find_root() / "book" / "claims")]
    every = {id: claim for book in known for id, claim in book.items() if claim.paper == "zhan-du"}
    return {id: replace(c, refuses=(), accepts=()) for id, c in every.items() if c.rows == "trees"}


def paired(ch: study.Chapter, names: list[str]) -> pd.DataFrame:
    """The paper's experiment under all pairs of these readings that can be held together."""
    both, on = study.pairs(READINGS.values(), names), max(2, ch.sizes["divisions"] // 2)
    points = study.points(rows.grid(ch), both, ours=False)
    return rows.divided(ch, study.under(rows.point(ch), both), points, EACH * on, on)


def decided(profile: str = "paper") -> list[ledger.Decision]:
    """What becomes of each claim in our world, under readings and under pairs."""
    ch = chapter(profile=profile, seed=2005)
    alone, book = ch.get(rows.trees)._replace(plants=None), ledger.Ledger(claims(), module=rows)
    book.rows["trees"] = alone
    pairs = rows.accuracies(study.summarise(paired(ch, book.movers(*book.claims))))
    book.rows["trees"] = alone._replace(frame=pd.concat([alone.frame, pairs]))
    return [book.decide(id) for id in book.claims]


def told(decision: ledger.Decision) -> str:
    """A line: in how many pairs the verdict is another, and where neither of the two alone turns it."""
    names = [world.name for world in decision.worlds if " + " in world.name]
    turned = [name for name in names if name in decision.turned]
    new = [name for name in turned if not set(name.split(" + ")) & set(decision.turned)]
    alone = [name for name in decision.turned if " + " not in name]
    return (
        f"{decision.claim.id}: {decision.verdict}; turned by {len(alone)} readings alone, and in "
        f"{len(turned)} of {len(names)} pairs; where neither alone does: {', '.join(new) or 'none'}"
    )


def main(words: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--profile", choices=("paper", "quick"), default="paper")
    found = decided(parser.parse_args(words).profile)
    write(results_folder() / "pairs.csv", found)
    print("\n".join(map(told, found)))


def write(path: Path, found: list[ledger.Decision]) -> None:
    """The pairs' rows of `worlds.csv`, whole or not at all."""
    every = [row for one in found for row in one.world_rows() if " + " in row["world"]]
    ledger.write_csv(path, every, ledger.WORLD_COLUMNS)


if __name__ == "__main__":
    main()
