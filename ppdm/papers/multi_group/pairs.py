"""[Zhan & Du] The claims on the trees' accuracy under pairs of readings: too long for the chapter.

    python -m ppdm.papers.multi_group.pairs

writes `pairs.csv` to the results (claim, world, value, low, high, met) and says which verdicts turn. A pair
counts for a claim where each of the two alone moves a value by a standard error. Some five minutes of
computing beside the chapter's own runs, which the cell cache has after `ppdm book`; the weekly workflow
runs it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ppdm import data, study
from ppdm.papers.multi_group import evidence
from ppdm.papers.multi_group.readings import DATASETS, READINGS, touching
from ppdm.papers.multi_group.runs import Runs
from ppdm.places import find_root, results_folder
from ppdm.study import history, ledger

SIZES = {"reps": (1000, 6), "few": (100, 4), "divisions": (20, 2)}  # the chapter's
EACH = 2  # repetitions of a pair on each of half of the divisions


def of_the_chapter(profile: str = "paper", seed: int = 2005, source: str = "stored") -> Runs:
    """The chapter's own runs, as its notebook opens them."""
    ch = study.Chapter("02_multi_group", profile=profile, seed=seed, sizes=SIZES)
    for name in DATASETS:
        ch.use(data.load(name, source))
    return Runs(ch, source=source, split="median", missing="zero")


def moving(runs: Runs) -> list[str]:
    """The readings that alone move a value of some claim by a standard error or more."""
    found = {
        name
        for claim, of in evidence.ON_ACCURACY.items()
        for name in study.movers(of, runs.of_world, touching(claim), "division")
    }
    return [name for name in READINGS if name in found]


def paired(runs: Runs, names: list[str]) -> pd.DataFrame:
    """The paper's experiment under all pairs of these readings that can be held together."""
    both = study.pairs(READINGS.values(), names)
    on = max(2, runs.divisions // 2)
    cells = study.points(runs.grid, both, ours=False)
    return runs.divided(study.under(runs.trees, both), cells, EACH * on, on)


def decisions(worlds: pd.DataFrame) -> Iterator[ledger.Decision]:
    """What becomes of each claim, from accuracies in our world, under readings and under pairs."""
    known = {
        id: claim
        for file in history.chapters(find_root() / "book" / "claims")
        for id, claim in ledger.read(file).items()
    }
    asked = {id: replace(known[id], refuses=(), accepts=()) for id in evidence.ON_ACCURACY}
    book = ledger.Ledger(asked)  # the chapter tries the wrong worlds
    for id, of in evidence.ON_ACCURACY.items():
        yield book.decide(id, **study.cases(of, worlds, draws="division", touches=touching(id)))


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
    runs = of_the_chapter(parser.parse_args(words).profile)
    pairs = evidence.accuracies(study.summarise(paired(runs, moving(runs))))
    found = list(decisions(pd.concat([runs.of_world, pairs])))
    write(results_folder() / "pairs.csv", found)
    print("\n".join(map(told, found)))


def write(path: Path, found: list[ledger.Decision]) -> None:
    """The pairs' rows of `worlds.csv`, whole or not at all."""
    rows = [row for one in found for row in one.world_rows() if " + " in row["world"]]
    ledger.write_csv(path, rows, ledger.WORLD_COLUMNS)


if __name__ == "__main__":
    main()
