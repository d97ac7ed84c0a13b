"""Does a method do what it says of itself? Computed from its own reports, releases and searches.

A claim on the accuracy of a survey is true, too, of a survey that disguises nothing. So each method has a check that
comes before all claims on it (`needs` in their entries): its reports are spread as its scheme says, everybody
reports, a release keeps what it says that it keeps, a search improves on where it began. Each gives by how much
something is off, per draw of chance; within the margin of a share it must be nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ppdm.distort.aibr import intervals
from ppdm.table import Table


def reported(surveys: Iterable[Table], people: Table, scheme: Any) -> dict[str, float]:
    """By how much some surveys' reports are not what a scheme makes of people's answers, on average.

    Asked are everybody, the last level of every answer, and those of every pair, as shares of the people: so one
    who does not report is missed, and a pair shows whether two answers share their coin.

    >>> from ppdm import MultiGroup, count
    >>> people, scheme = count(np.array([[0, 0], [0, 1], [1, 1], [1, 1]])), MultiGroup(1.0)
    >>> reported([scheme.disguise_table(people, np.random.default_rng(1))], people, scheme)["everybody"]
    0.0
    """
    asked = [*((name,) for name in people.names), *combinations(people.names, 2)]

    def shares(table: Table) -> np.ndarray:
        last = [table.marginal(*one).densified().values.ravel()[-1] for one in asked]
        return np.array([table.total, *last]) / people.total

    off = np.mean([shares(reports) for reports in surveys], axis=0) - shares(scheme.apply(people))
    return dict(zip(["everybody", *map(" and ".join, asked)], off.tolist(), strict=True))


def declared(crowds: Mapping[str, tuple[Table, Any]], seed: int) -> pd.DataFrame:
    """The check of surveys, in twenty draws: people and the scheme that they are asked under, by name.

    Small crowds are asked as if they were many like them, so that a share is known as well as of large ones.

    >>> from ppdm import MultiGroup, count
    >>> people = count(np.array([[0, 0], [0, 1], [1, 1], [1, 1]]))
    >>> off = declared({"four": (people, MultiGroup(0.8))}, seed=1).groupby("what")["off"].mean()
    >>> bool(off.abs().max() < 0.002), off["four, everybody"]
    (True, np.float64(0.0))
    """
    rng, found = np.random.default_rng(seed), {}
    for name, (table, scheme) in crowds.items():
        cells, counts = table.occupied()
        found[name] = Table(table.domain, counts * (1 + 30_000 // table.total), cells), scheme

    def off(draw: int) -> dict[str, float]:
        return {
            f"{name}, {what}": share
            for name, (people, scheme) in found.items()
            for what, share in reported(
                [scheme.disguise_table(people, rng)], people, scheme
            ).items()
        }

    return in_draws(off, range(20))


def redrawn(release: np.ndarray, original: np.ndarray, k: int) -> dict[str, float]:
    """[Guo, step 10] The share of values that AIBR released outside of their original's interval, by attribute.

    >>> redrawn(np.array([[1.4], [8.0]]), np.array([[1.0], [9.0]]), 2)
    {'attribute 1': 0.0}
    """
    low, high = original.min(axis=0), original.max(axis=0)
    inside = intervals(original, k, low, high) == intervals(release, k, low, high)
    kept = inside & (release >= low) & (release <= high)
    return {f"attribute {i}": float(share) for i, share in enumerate(1 - kept.mean(axis=0), 1)}


def improved(early: Mapping[str, np.ndarray], late: Mapping[str, np.ndarray]) -> dict[str, float]:
    """The share of levels of privacy at which a search's late front has no lower error than its early one.

    >>> early = {"privacy": np.array([0.2, 0.4]), "mse": np.array([2.0, 3.0])}
    >>> improved(early, early | {"mse": early["mse"] / 2}), improved(early, early)
    ({'levels without gain': 0.0}, {'levels without gain': 1.0})
    """
    least = [
        late["mse"][late["privacy"] >= level].min(initial=np.inf) for level in early["privacy"]
    ]
    return {"levels without gain": float(np.mean(np.array(least) >= early["mse"]))}


def in_draws(check: Callable[[int], Mapping[str, float]], draws: Iterable[int]) -> pd.DataFrame:
    """A check in several draws, as rows that entries may name under `needs`: what, draw, off.

    >>> in_draws(lambda draw: {"everybody": 0.0}, range(2))["draw"].tolist()
    [0, 1]
    """
    rows = [
        {"what": what, "draw": draw, "off": off}
        for draw in draws
        for what, off in check(draw).items()
    ]
    return pd.DataFrame(rows)


def projected(release: np.ndarray, original: np.ndarray, k: int) -> dict[str, float]:
    """[Guo, Section 3] What BSVD's release has beyond k directions, and loses beyond the best of k, as shares of A's size.

    >>> A = np.diag([3.0, 1.0])
    >>> projected(np.diag([3.0, 0.0]), A, 1)
    {'directions': 0.0, 'distance': 0.0}
    """
    size, values = (original**2).sum(), np.linalg.svd(original, compute_uv=False)
    more = (np.linalg.svd(release, compute_uv=False)[k:] ** 2).sum()
    lost = ((original - release) ** 2).sum() - (values[k:] ** 2).sum()
    return {"directions": float(round(more / size, 9)), "distance": float(round(lost / size, 9))}


def handed_round(release: np.ndarray, original: np.ndarray) -> dict[str, float]:
    """The share of released rows that are somebody's record: kCG makes new ones.

    >>> handed_round(np.array([[1.0, 2.0], [1.5, 2.0]]), np.array([[1.0, 2.0], [2.0, 2.0]]))
    {'true records': 0.5}
    """
    known = set(map(tuple, original.tolist()))
    return {"true records": float(np.mean([tuple(row) in known for row in release.tolist()]))}
