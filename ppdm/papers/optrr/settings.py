"""[Huang & Du, VI] The claims under every setting that the paper leaves open: too long for the chapter.

    python -m ppdm.papers.optrr.settings

writes `settings.csv` to the results (claim, world, value, low, high, met), a search on the exact
shares for each experiment and reading: some eight minutes on two quiet cores. The weekly workflow runs it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data, study
from ppdm.optimise import spea2
from ppdm.papers.optrr import experiment, rows
from ppdm.papers.optrr.readings import OURS, READINGS
from ppdm.places import find_root, results_folder
from ppdm.study import history, ledger, verdicts

SEED = 2008
#: The rows of the chapter from which claims on the search take their evidence, and the experiments of each.
CELLS = {"searches": rows.CELLS, "uniform": rows.CELLS, "shorter": rows.MORE}


def one_search(
    rng: np.random.Generator,
    dataset: str,
    delta: float,
    world: str,
    generations: int,
    priors_of: dict[str, dict[str, np.ndarray]],
    options: dict[str, dict[str, Any]],
) -> pd.DataFrame:
    """A search on the exact shares of one experiment under one reading, beside Warner's matrices."""
    prior = priors_of[world][dataset]
    chosen = {key: value for key, value in options[world].items() if key in OURS}
    size = chosen.pop("population", OURS["population"])
    front = spea2.optrr(
        prior, delta, rng, generations=generations, population=size, archive=size, **chosen
    )
    return experiment.beside_warner(front, experiment.warner_front(prior, delta))


def concerned(reading: study.Reading, cells: list[dict]) -> list[dict]:
    """The experiments that a reading concerns: all, or those whose distribution it is about.

    >>> [cell["dataset"] for cell in concerned(READINGS[2], rows.CELLS)]
    ['gamma']
    """
    about = {"normal_mean": "normal", "normal_sd": "normal", "gamma_width": "gamma", "cut": "age"}
    names = {about[option] for option in reading.options if option in about}
    if reading.name.startswith("uniform"):
        names = {"uniform"}
    return [cell for cell in cells if not names or cell["dataset"] in names]


def different(readings: list[study.Reading]) -> list[study.Reading]:
    """Without those that ask again for one experiment what another one asks for all.

    >>> len(READINGS) - len(different(READINGS))
    2
    """
    by_options: dict[tuple, study.Reading] = {}
    for reading in readings:
        by_options.setdefault(tuple(reading.options.items()), reading)
    return list(by_options.values())


def run(generations: int = 20_000, readings: list[study.Reading] | None = None) -> list[dict]:
    """All searches, and what the claims' rules say of them; a row a claim and world."""
    readings = different(READINGS if readings is None else readings)
    age = data.load("adult").frame["age"]
    options: dict[str, dict[str, Any]] = {study.worlds.OURS: {}} | {
        r.name: dict(r.options) for r in readings
    }
    known = {name: experiment.priors(age, **given) for name, given in options.items()}
    search = partial(one_search, options=options, priors_of=known)
    frames: dict[str, pd.DataFrame] = {}
    for cells, length in ((rows.CELLS, generations), (rows.MORE, generations // 4)):
        grid = [cell | {"world": study.worlds.OURS} for cell in cells]
        grid += [c | {"world": r.name} for r in readings for c in concerned(r, cells)]
        every = study.rows(partial(search, generations=length), grid, SEED)
        by_world = {str(world): part for world, part in every.groupby("world", sort=False)}
        frames |= {name: rows.compared(by_world) for name, of in CELLS.items() if of is cells}
    decided = []
    for file in history.chapters(find_root() / "book" / "claims"):
        for claim in ledger.read(file).values():
            if claim.rows in frames:
                given = verdicts.taken(claim, ledger.Rows(frames[claim.rows], draws=None), rows)
                decided += verdicts.decide(claim, given).world_rows()
    return decided


def main() -> None:
    """The command."""
    decided = pd.DataFrame(run(), columns=list(ledger.WORLD_COLUMNS))
    ledger.write_csv(
        results_folder() / "settings.csv", decided.to_dict("records"), ledger.WORLD_COLUMNS
    )
    met = decided.pivot_table(index="claim", columns="world", values="met", aggfunc="first")
    for id, row in met.iterrows():
        others = row.drop(study.worlds.OURS).dropna()
        turned = ", ".join(others.index[others != row[study.worlds.OURS]])
        print(f"{id}: rule met {row[study.worlds.OURS]}; otherwise in: {turned or 'none'}")


if __name__ == "__main__":
    main()
