"""[Beyond chapter 5] Distorted tables taken back: out of noise, and by those who know a few of the records.

A cell of a study is one release and one attacker: `out_of_noise` and `won_back`. The attacker of the
second knows some original records and which released rows were made from them, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from ppdm import data
from ppdm.papers.aibr.beyond import rounded_like
from ppdm.papers.aibr.experiment import CHOSEN, SCHEMES, numbers_of
from ppdm.papers.common import columns
from ppdm.privacy import attacks
from ppdm.scientific import cdist

#: The data sets of numbers, by the names of chapter 3.
TABLES = {"WBC": "breast-cancer-wisconsin", "PID": "pima"}
RELEASES = ("rotated", "BSVD", "SSVD", "AIBR", "kCG")
#: Guesses from a released row: as it is; by the way back that known records teach; by the most alike of
#: them; value by value, the commonest of those whose released value is nearest.
GUESSES = ("read", "linear", "neighbours", "value by value")
NEIGHBOURS = 3
#: A value counts as won back if the guess is within this part of a deviation.
WITHIN = 0.1


def numbers(dataset: str, source: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The attributes and classes of Breast Cancer (complete, not repeated) or Pima, as in chapter 3.

    >>> [numbers(name)[0].shape for name in TABLES]
    [(449, 9), (768, 8)]
    """
    X, y = _numbers(dataset, source)
    return X.copy(order="K"), y.copy()


@lru_cache(maxsize=4)
def _numbers(dataset: str, source: str | None) -> tuple[np.ndarray, np.ndarray]:
    loaded = data.load(TABLES[dataset], source)
    return numbers_of(loaded.complete().distinct() if dataset == "WBC" else loaded)


def people_of(X: np.ndarray, people: str, rng: np.random.Generator) -> np.ndarray:
    """The records as they are; with each column shuffled by itself; or with all columns one cause."""
    if people == "columns shuffled":
        return rng.permuted(X, axis=0)
    if people == "one cause":
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        first = np.linalg.eigh(Z.T @ Z)[1][:, -1]
        cause = Z @ first
        return np.outer(cause / cause.std(), np.where(first < 0, -1.0, 1.0))
    return X


# Out of noise -------------------------------------------------------------------------------------


def out_of_noise(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    draw: int,
    ratio: float = 1.0,
    people: str = "",
    source: str | None = None,
) -> dict[str, np.ndarray]:
    """The share of the variance that guesses explain, if normal noise is added to standardized values.

    `ratio` is the variance of the noise in parts of the attribute's. 0 is what the mean explains, a
    blind guess; a guess that is worse than the mean is negative.
    """
    X, _ = numbers(dataset, source)
    found = []
    for _ in range(reps):
        Z = people_of(X, people, rng)
        Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
        noise = np.full(Z.shape[1], ratio)
        noisy = Z + np.sqrt(ratio) * rng.normal(size=Z.shape)
        guesses = {
            "as it is": noisy,
            "spectral filtering": attacks.without_noise(noisy, noise),
            "each by itself": attacks.each_by_itself(noisy, noise),
            "by covariance": attacks.by_covariance(noisy, noise),
        }
        found.append({name: 1 - ((guess - Z) ** 2).mean() for name, guess in guesses.items()})
    return columns(found)


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

    Blind is the constant that would be right most often for the known records. Guesses are rounded as
    the known originals are. ``explained: ...`` is the share of the variance, beside the mean of the
    known records. `mixed_up`: he takes other rows for those of the records he knows; `anybodys`: and
    any row for a victim's.
    """
    A, y = numbers(dataset, source)
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
        blind_error = (((truth - A[rows].mean(axis=0)) / spread) ** 2).mean()
        for name, guess in _guesses(B, theirs, A[rows], others).items():
            one[name] = _right(truth, rounded_like(A[rows], guess), spread)
            one[f"explained: {name}"] = 1 - (((guess - truth) / spread) ** 2).mean() / blind_error
        found.append(one)
    return columns(found)


def released(
    A: np.ndarray, y: np.ndarray, dataset: str, scheme: str, rng: np.random.Generator
) -> np.ndarray:
    """A release at the parameters that Guo chose; or the standardized table, rotated.

    >>> X, y = numbers("PID")
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
    times = (np.abs(values[:, :, None] - values[:, None, :]) <= WITHIN * originals.std()).sum(
        axis=2
    )
    return np.take_along_axis(values, times.argmax(axis=1)[:, None], axis=1)[:, 0]


def _right(truth: np.ndarray, guess: np.ndarray, spread: np.ndarray) -> float:
    return float((np.abs(truth - guess) <= WITHIN * spread * (1 + 1e-9)).mean())


def _commonest(originals: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """For each attribute the known value that is near most of the known ones."""
    near = np.abs(originals[:, None] - originals[None]) <= WITHIN * spread * (1 + 1e-9)
    return np.take_along_axis(originals, near.sum(axis=1).argmax(axis=0)[None], axis=0)


def known_cells(schemes: Iterable[str], known: Iterable[int], draws: int) -> list[dict]:
    """The cells of releases by numbers of known records.

    >>> len(known_cells(["BSVD"], [20], 12))
    24
    """
    return [
        {"dataset": d, "scheme": s, "known": k, "draw": i}
        for d in TABLES
        for s in schemes
        for k in known
        for i in range(draws)
    ]


def noise_cells(draws: int) -> list[dict]:
    """The cells of noisy tables.

    >>> noise_cells(1)
    [{'dataset': 'WBC', 'draw': 0}, {'dataset': 'PID', 'draw': 0}]
    """
    return [{"dataset": d, "draw": i} for d in TABLES for i in range(draws)]


def rotation_known(dataset: str) -> int:
    """Twice as many records as the data set has attributes.

    >>> rotation_known("WBC"), rotation_known("PID")
    (18, 16)
    """
    return 2 * numbers(dataset)[0].shape[1]
