"""[Beyond chapter 5] What the page computes: a function of the chapter each, computed once by `ch.get`.

What a report of a group tells for certain, what other answers tell of one, and what somebody wins back of a distorted table
who knows a few of the records. What is drawn by chance (splits, releases) comes as twelve draws, by number.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.disguise import MultiGroup, RRMatrix
from ppdm.disguise.matrix import warner
from ppdm.domain import Domain
from ppdm.papers.aibr.beyond import rounded_like
from ppdm.papers.aibr.experiment import CHOSEN, NAMES, SCHEMES, tables_of
from ppdm.papers.common import columns, respondents, shuffled
from ppdm.privacy import attacks
from ppdm.privacy.ladder import Agree, belief, vulnerability
from ppdm.scientific import cdist
from ppdm.study import tidy, worlds
from ppdm.table import Table

DRAWS = 12
#: The data sets with answers of yes and no on which guesses are tried.
SETS = ("congressional-voting", "breast-cancer-wisconsin")
THETAS = (0.55, 0.6, 0.7, 0.8, 0.9)
PLANTS = worlds.read(Path(__file__).with_name("readings.yml"))["known_plants"]

RELEASES = ("rotated", "BSVD", "SSVD", "AIBR", "kCG")
#: Guesses from a released row: as it is; by the way back that known records teach; by the most alike of
#: them; value by value, the commonest of those whose released value is nearest.
GUESSES = ("read", "linear", "neighbours", "value by value")
NEIGHBOURS = 3
#: A value counts as won back if the guess is within this part of a deviation.
WITHIN = 0.1


# Groups and many answers --------------------------------------------------------------------------


def always_told(ch=None) -> study.Rows:
    """The chance of guessing whether two fair answers agree, from a report of both; wrong: a coin each."""
    pair = Table(Domain(("A", "B"), ((0, 1),) * 2), np.ones(4))

    def chance(groups: list | None) -> pd.DataFrame:
        guess = [vulnerability(MultiGroup(t, groups), Agree("A", "B"), pair) for t in THETAS]
        return pd.DataFrame({"θ": THETAS, "mean": guess})

    return study.Rows(chance(None), chance([["A"], ["B"]]).assign(world="a coin each"))


def told_by_others(others: Table, victims: Table, theta: float) -> float:
    """The chance of guessing the last answer by one who knows other people, from all reports but that on it.

    >>> twins = Table(Domain(("A", "class"), ((0, 1),) * 2), [500_000, 0, 0, 500_000])
    >>> round(told_by_others(twins, twins, 0.7), 6)
    0.7
    """
    *asked, secret = others.names
    matrices = {name: warner(theta, 2)[0] for name in asked}
    scheme = RRMatrix(matrices | {secret: np.full((2, 2), 0.5)})
    return vulnerability(scheme, secret, belief("others", others), victims)


def others_tell(ch=None) -> study.Rows:
    """The class guessed from the other answers' reports, in twelve splits; wrong: answers shuffled, θ = .55."""

    def guesses(theta: float = 0.7, mixed: bool = False) -> pd.DataFrame:
        rows = []
        for dataset in SETS:
            for number in range(DRAWS):
                others, victims = respondents(dataset).numbered(number)
                if mixed:
                    others = shuffled(others, np.random.default_rng(number))
                told = told_by_others(others, victims, theta)
                rows.append({"dataset": dataset, "split": number, "mean": told})
        return pd.DataFrame(rows)

    wrong = {"answers shuffled": guesses(mixed=True), "θ = 0.55": guesses(0.55)}
    return study.Rows(guesses(), tidy.in_worlds(wrong))


# By known records ---------------------------------------------------------------------------------


def won_back(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    scheme: str,
    known: int,
    draw: int,
    mixed_up: bool = False,
    anybodys: bool = False,
    source: str | None = None,
) -> dict[str, np.ndarray]:
    """The share of the other records' values that are won back, by each guess; and blindly.

    The attacker knows some original records and which released rows were made from them, nothing else.
    Blind is the constant that would be right most often for the known records. Guesses are rounded as
    the known originals are. ``explained: read`` is the share of the variance, beside the mean of the
    known records. `mixed_up`: he takes other rows for those of the records he knows; `anybodys`: and
    any row for a victim's.
    """
    A, y = (each.copy(order="K") for each in tables_of(source)[dataset])
    found = []
    for _ in range(reps):
        B = released(A, y, dataset, scheme, rng)
        rows = rng.permutation(len(A))[:known]
        theirs = rng.permutation(len(A))[:known] if mixed_up else rows
        others = np.setdiff1d(np.arange(len(A)), np.union1d(rows, theirs))
        if anybodys:
            B[others] = B[rng.permutation(others)]
        spread, truth = A.std(axis=0), A[others]
        one = {"blind": _right(truth, _commonest(A[rows], spread), spread)}
        for name, guess in _guesses(B, theirs, A[rows], others).items():
            one[name] = _right(truth, rounded_like(A[rows], guess), spread)
        off = [
            (((guess - truth) / spread) ** 2).mean() for guess in (B[others], A[rows].mean(axis=0))
        ]
        one["explained: read"] = 1 - off[0] / off[1]
        found.append(one)
    return columns(found)


def released(
    A: np.ndarray, y: np.ndarray, dataset: str, scheme: str, rng: np.random.Generator
) -> np.ndarray:
    """A release at the parameters that Guo chose; or the standardized table, rotated.

    >>> X, y = tables_of()["PID"]
    >>> released(X, y, "PID", "BSVD", np.random.default_rng(1)).shape
    (768, 8)
    """
    if scheme == "rotated":
        return attacks.rotated(A, rng)
    if scheme == "original":
        return A.copy()
    chosen = next(c for c in CHOSEN if (c["dataset"], c["scheme"]) == (dataset, scheme))
    return SCHEMES[scheme](A, y, chosen["k"], chosen["e"], rng)


def _guesses(
    B: np.ndarray, rows: np.ndarray, originals: np.ndarray, others: np.ndarray
) -> dict[str, np.ndarray]:
    spread = np.where(B.std(axis=0) > 0, B.std(axis=0), 1.0)
    away = cdist(B[others] / spread, B[rows] / spread)
    nearest = np.argsort(away, axis=1, kind="stable")[:, :NEIGHBOURS]
    return {
        "read": B[others],
        "linear": attacks.learned(B[rows], originals)(B[others]),
        "neighbours": np.median(originals[nearest], axis=1),
        "value by value": np.stack(
            [_by_value(b[others], b[rows], a) for a, b in zip(originals.T, B.T)], axis=1
        ),
    }


def _by_value(seen: np.ndarray, known: np.ndarray, originals: np.ndarray) -> np.ndarray:
    """The commonest original among the third of the known records with the nearest released values."""
    third = max(NEIGHBOURS, len(known) // 3)
    near = np.argsort(np.abs(seen[:, None] - known), axis=1, kind="stable")[:, :third]
    values = originals[near]
    alike = np.abs(values[:, :, None] - values[:, None, :]) <= WITHIN * originals.std()
    return np.take_along_axis(values, alike.sum(axis=2).argmax(axis=1)[:, None], axis=1)[:, 0]


def _right(truth: np.ndarray, guess: np.ndarray, spread: np.ndarray) -> float:
    return float((np.abs(truth - guess) <= WITHIN * spread * (1 + 1e-9)).mean())


def _commonest(originals: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """For each attribute the known value that is near most of the known ones."""
    near = np.abs(originals[:, None] - originals[None]) <= WITHIN * spread * (1 + 1e-9)
    return np.take_along_axis(originals, near.sum(axis=1).argmax(axis=0)[None], axis=0)


def twice_known(dataset: str) -> int:
    """Twice as many records as the data set has attributes.

    >>> [twice_known(name) for name in NAMES]
    [18, 16]
    """
    return 2 * tables_of()[dataset][0].shape[1]


def _attacked(ch, schemes, known, readings=()) -> pd.DataFrame:
    """Runs of attackers who know so many records of releases; under some readings in place of ours."""
    cells = [{"dataset": d, "scheme": s, "known": n, "draw": i} for d in NAMES for s in schemes
             for n in (known or [twice_known(d)]) for i in range(ch.sizes["draws"])]  # fmt: skip
    run = study.under(partial(won_back, source=ch.settings["data_source"]), readings)
    runs = ch.run(run, study.points(cells, readings, ours=not readings), reps=1)
    return runs.assign(dataset=runs["dataset"].map(NAMES))


def known(ch) -> pd.DataFrame:
    """Runs of attackers who know a few records, on every release."""
    return _attacked(ch, RELEASES, ch.sizes["known"])


def by_known(ch) -> pd.DataFrame:
    """For each release and number of known records, the share won back by the best guess, and the blind one's."""
    runs = ch.get(known)
    parts = []
    for _, part in runs.groupby(["dataset", "scheme", "known"], sort=False):
        best = part[part["metric"].isin(GUESSES)].groupby("metric")["value"].mean().idxmax()
        blind = part[part["metric"] == "blind"].assign(scheme="blind guess")
        parts += [part[part["metric"] == best], blind]
    every = study.summarise(pd.concat(parts).assign(metric="won back").drop(columns=["draw"]))
    order = [*RELEASES, "blind guess"]
    return ch.save(
        "won_back", every.sort_values("scheme", key=lambda s: s.map(order.index), kind="stable")
    )


def _shares(runs: pd.DataFrame) -> pd.DataFrame:
    """The share won back by the best guess, and of what a blind guess misses, for each draw."""
    by = ["world", "draw", "dataset", "scheme", "known"]
    wide = runs.groupby([*by, "metric"], sort=False)["value"].mean().unstack().reset_index()
    best = wide[list(GUESSES)].max(axis=1)
    return wide.assign(won=best, beyond=(best - wide["blind"]) / (1 - wide["blind"]))


def rotated(ch) -> study.Rows:
    """The rotated table with twice as many known records as attributes; wrong: half as many, records mixed up."""
    every = _shares(ch.get(known).query("scheme == 'rotated'"))
    twice = every["dataset"].map({NAMES[d]: twice_known(d) for d in NAMES})
    mixed = _shares(_attacked(ch, ["rotated"], None, PLANTS[:1]))
    half = every[every["known"] == twice // 4].assign(world="half as many as attributes")
    return study.Rows(every[every["known"] == twice], pd.concat([mixed, half]), "draw")


def distorted(ch) -> study.Rows:
    """Tables of BSVD, AIBR and kCG before one who knows 20 records; wrong: any row is taken for hers."""
    wrong = _shares(_attacked(ch, ["BSVD", "AIBR", "kCG"], [20], PLANTS[1:]))
    return study.Rows(_shares(ch.get(known).query("known == 20")), wrong, "draw")


def guesses(ch) -> pd.DataFrame:
    """The share of values won back by each guess of one who knows 20 records."""
    twenty = ch.get(known).query("known == 20")
    table = twenty.groupby(["dataset", "scheme", "metric"])["value"].mean().unstack()
    return ch.save("guesses", table[["blind", *GUESSES]].reset_index())


def numbers(ch) -> dict[str, Any]:
    """What AIBR's released values explain of the variance, as they are."""
    runs = ch.get(known).query("known == 20 and scheme == 'AIBR' and metric == 'explained: read'")
    shares = 100 * runs.groupby("dataset")["value"].mean()
    return {"aibr-low": shares.min(), "aibr-high": shares.max()}
