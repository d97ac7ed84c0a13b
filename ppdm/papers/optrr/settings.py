"""[Huang & Du, VI] The claims under every setting that the paper leaves open: too long for the chapter.

    python -m ppdm.papers.optrr.settings

writes `settings.csv` to the results (claim, world, value, low, high, met), a search on the exact
shares for each experiment and reading: some eight minutes on two quiet cores. The weekly workflow runs it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data, study
from ppdm.papers.optrr import evidence
from ppdm.papers.optrr.experiment import (
    GAMMA_WIDTH,
    NORMAL,
    adult_prior,
    beside_warner,
    gamma_prior,
    normal_prior,
    warner_front,
)
from ppdm.papers.optrr.readings import OURS, READINGS
from ppdm.places import find_root, results_folder
from ppdm.study import history, ledger
from ppdm.study.worlds import Reading

SEED = 2008
OF_THE_SEARCH = tuple(OURS)
CELLS: list[dict[str, Any]] = [
    *({"dataset": "normal", "delta": delta} for delta in evidence.DELTAS),
    *({"dataset": name, "delta": 0.75} for name in ("gamma", "uniform", "age")),
]
#: Other experiments, with a quarter of the generations, as in the chapter.
SHORT_CELLS: list[dict[str, Any]] = [
    *({"dataset": name, "delta": 0.75} for name in ("gamma(2, 2)", "gamma(3, 1)")),
    *({"dataset": name, "delta": delta} for name in ("gamma", "uniform") for delta in (0.6, 0.9)),
]
#: The claim, what it takes as evidence, and the experiments that it is about.
CLAIMS: dict[str, tuple[Callable[..., dict], dict[str, Any]]] = {
    **{f"HD-{15 + i}": (evidence.reach, {"cell": CELLS[i]}) for i in range(4)},
    "HD-19": (evidence.below_warner, {"cells": CELLS[:4]}),
    "HD-20": (evidence.better, {"cells": CELLS[:4]}),
    "HD-21": (evidence.better, {"cells": CELLS[4:5]}),
    "HD-22": (evidence.range_ratio, {"cell": CELLS[4]}),
    "HD-23": (evidence.much_better, {"cell": CELLS[4], "above": 0.62}),
    "HD-24": (evidence.better, {"cells": CELLS[5:6]}),
    "HD-25": (evidence.ends, {"cell": CELLS[5]}),
    "HD-26": (evidence.better, {"cells": CELLS[6:]}),
    "HD-27": (evidence.better, {"cells": SHORT_CELLS[:2]}),
    "HD-28": (evidence.better, {"cells": SHORT_CELLS[2:]}),
    "HD-31": (evidence.below_warner, {"cells": CELLS[4:5]}),
    "HD-33": (evidence.better, {"cells": CELLS}),
}  # fmt: skip


def priors(
    age: pd.Series,
    normal_mean: float = NORMAL["mean"],
    normal_sd: float = NORMAL["sd"],
    gamma_width: float = GAMMA_WIDTH,
    cut: str = "widths",
    **of_search: Any,
) -> dict[str, np.ndarray]:
    """The experiments' distributions under a reading's options.

    >>> priors(pd.Series([1, 2]), gamma_width=1.0)["gamma"][0].round(2)
    np.float64(0.4)
    """
    by_count = pd.qcut(age, 10).value_counts(normalize=True).to_numpy() if cut == "counts" else None
    return {
        "normal": normal_prior(normal_mean, normal_sd),
        "gamma": gamma_prior(width=gamma_width),
        "uniform": np.full(10, 0.1),
        "age": adult_prior(age) if by_count is None else by_count,
        "gamma(2, 2)": gamma_prior(2.0, 2.0, 1.0),
        "gamma(3, 1)": gamma_prior(3.0, 1.0, 0.8),
    }


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
    from ppdm.optimise import spea2

    prior = priors_of[world][dataset]
    chosen = {key: value for key, value in options[world].items() if key in OF_THE_SEARCH}
    size = chosen.pop("population", OURS["population"])
    front = spea2.optrr(
        prior, delta, rng, generations=generations, population=size, archive=size, **chosen
    )
    return beside_warner(front, warner_front(prior, delta))


def concerned(reading: Reading, cells: list[dict]) -> list[dict]:
    """The experiments that a reading concerns: all, or those whose distribution it is about.

    >>> [cell["dataset"] for cell in concerned(READINGS[2], CELLS)]
    ['gamma']
    """
    about = {"normal_mean": "normal", "normal_sd": "normal", "gamma_width": "gamma", "cut": "age"}
    named = {about[option] for option in reading.options if option in about}
    if reading.name.startswith("uniform"):
        named = {"uniform"}
    return [cell for cell in cells if not named or cell["dataset"] in named]


def verdicts(found: pd.DataFrame, claims: dict[str, ledger.Claim]) -> Iterator[dict]:
    """What each claim's rule says of the searches of each world, where they are its own."""
    for world, rows in found.groupby("world", sort=False):
        for id, (of, about) in CLAIMS.items():
            cells = about["cells"] if "cells" in about else [about["cell"]]
            here = [evidence.of(rows, cell) for cell in cells]
            if all(len(part) == 0 for part in here):
                continue
            missing = [c for c, part in zip(cells, here, strict=True) if len(part) == 0]
            ours = found[found["world"] == study.worlds.OURS]
            whole = pd.concat([rows, *(evidence.of(ours, cell) for cell in missing)])
            finding = study.rules.RULES[claims[id].rule](**of(whole, **about), **claims[id].given)
            values = (f"{x:.6g}" if x is not None else "" for x in finding[1:4])
            yield dict(
                zip(
                    ledger.WORLD_COLUMNS,
                    (id, world, *values, "yes" if finding.met else "no"),
                    strict=True,
                )
            )


def different(readings: list[Reading]) -> list[Reading]:
    """Without those that ask again for one experiment what another one asks for all.

    >>> len(READINGS) - len(different(READINGS))
    2
    """
    by_options: dict[tuple, Reading] = {}
    for reading in readings:
        by_options.setdefault(tuple(reading.options.items()), reading)
    return list(by_options.values())


def run(generations: int = 20_000, readings: list[Reading] | None = None) -> list[dict]:
    """All searches, and what the claims' rules say of them; a row a claim and world."""
    readings = different(READINGS if readings is None else readings)
    age = data.load("adult").frame["age"]
    options: dict[str, dict[str, Any]] = {study.worlds.OURS: {}}
    options |= {r.name: dict(r.options) for r in readings}
    search = partial(
        one_search,
        options=options,
        priors_of={name: priors(age, **given) for name, given in options.items()},
    )
    parts = []
    for cells, length in ((CELLS, generations), (SHORT_CELLS, generations // 4)):
        grid = [cell | {"world": study.worlds.OURS} for cell in cells]
        grid += [c | {"world": r.name} for r in readings for c in concerned(r, cells)]
        parts.append(study.rows(partial(search, generations=length), grid, SEED))
    files = history.chapters(find_root() / "book" / "claims")
    claims = {id: claim for file in files for id, claim in ledger.read(file).items()}
    return list(verdicts(pd.concat(parts, ignore_index=True), claims))


def main(words: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--generations", type=int, default=20_000, help="of a search; the paper's 20,000"
    )
    given = parser.parse_args(words)
    rows = run(given.generations)
    path = results_folder() / "settings.csv"
    ledger.write_csv(path, rows, ledger.WORLD_COLUMNS)
    ours = {row["claim"]: row["met"] for row in rows if row["world"] == study.worlds.OURS}
    for id in CLAIMS:
        others = [row for row in rows if row["claim"] == id and row["world"] != study.worlds.OURS]
        turned = [row["world"] for row in others if row["met"] != ours[id]]
        print(
            f"{id}: rule met {ours[id]}; otherwise in {len(turned)} of {len(others)}: {', '.join(turned) or 'none'}"
        )


if __name__ == "__main__":
    main()
