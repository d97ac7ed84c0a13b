"""Attacks on released tables that are carried out: what is lost at least.

A distorted table has no channel that could be gone through. So an attack is done and its successes
are counted, which says what an attacker gets at least; a cleverer one may get more. Here are

    Distorted            a released table beside its original: guesses of answers, records, links
    learned              the way back from the released values, learned from known samples
    without_noise        spectral filtering: what a few directions hold is signal, the rest is noise
    by_covariance        the best linear guess, with the covariances that the noisy table itself shows
    each_by_itself       the same from each value alone: it is drawn towards its mean
    rotated              a rotation of the data, which keeps all distances

What an attacker knows of a table are *known samples*: rows of which he has the original.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.privacy.linkage import assignment_share, nearest_share
from ppdm.privacy.ranks import two_tables
from ppdm.scientific import cdist

#: A ridge on standardized values: keeps a way back from few samples within reason.
RIDGE = 1e-2
#: The neighbours that vote where answers are learned from released rows.
NEIGHBOURS = 5


@dataclass(frozen=True)
class Distorted:
    """A released table beside its original: row i of the one was made from row i of the other.

    `coded` turns numbers into answers, a column an attribute of `names` (by default the numbers
    themselves, rounded); `open` are further answers that were released as they are, the class say.

    >>> table = Distorted([[0.0], [1.0], [0.0]], [[0.2], [0.9], [0.6]], ("A",))
    >>> chance, unseen = table.guessed("A", "read")
    >>> round(chance, 3), round(unseen, 3)
    (0.667, 0.667)
    """

    original: np.ndarray
    released: np.ndarray
    names: tuple[str, ...]
    coded: Callable[[np.ndarray], np.ndarray] = np.rint
    open: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        A, B = two_tables(self.original, self.released)
        object.__setattr__(self, "original", A)
        object.__setattr__(self, "released", B)

    def answers(self, table: np.ndarray) -> np.ndarray:
        """The rows as answers, the open ones last."""
        own = np.asarray(self.coded(table)).astype(np.int64)
        return np.column_stack([own, *(np.asarray(v).astype(np.int64) for v in self.open.values())])

    def traced(self, known: Sequence[str] = ()) -> float:
        """The share of rows traced to their originals: the better of two attacks.

        Each to its nearest, and all at once by the matching of least total distance.
        """
        columns = [self.names.index(name) for name in known] or None
        attacks = (nearest_share, assignment_share)
        return max(attack(self.original, self.released, columns) for attack in attacks)

    def guessed(
        self, goal: object, how: str, known_rows: ArrayLike = (), known: Sequence[str] = ()
    ) -> tuple[float, float]:
        """The share of rows of which the goal is guessed right, and the same without the release.

        `how`: ``"read"`` takes the released values for the true ones; ``"learned"`` also tries what
        the known samples teach (regression, and the answers of the nearest ones), and takes the
        best of the three; ``"all but hers"`` gives him all rows but the victim's as samples.
        """
        if how not in ("read", "learned", "all but hers"):
            raise ValueError(f"how is read, learned or all but hers; got {how!r}")
        rows = _rows(known_rows, len(self.original))
        truth, every = self.answers(self.original), np.arange(len(self.original))
        victims = every if how != "learned" else np.setdiff1d(every, rows)
        if not len(victims):
            raise ValueError("the originals of all rows are known: there is nobody left to guess")
        secret = _secret(goal, (*self.names, *self.open))
        right = secret(truth)
        axes = [(*self.names, *self.open).index(name) for name in known]
        attempts = [self.answers(self.released)]
        if how == "learned" and len(rows):
            inverse = learned(self.released[rows], self.original[rows])
            attempts.append(self.answers(inverse(self.released)))
            attempts.append(self._neighbours(rows))
        elif how == "all but hers":
            attempts.append(self.answers(self._each_without_hers()))
            attempts.append(self._neighbours(every))
        best = 0.0
        for guess in attempts:
            guess = np.array(guess)
            guess[:, axes] = truth[:, axes]  # he does not guess what he knows
            best = max(best, float((secret(guess) == right)[victims].mean()))
        unseen = rows if how == "learned" and len(rows) else every
        commonest = np.unique(right[unseen], return_counts=True)
        blindly = float((right == commonest[0][commonest[1].argmax()])[victims].mean())
        return max(best, blindly), blindly

    def _neighbours(self, rows: np.ndarray) -> np.ndarray:
        """Answers by the vote of the samples whose released rows are nearest, not counting her own."""
        B, truth = self.released / _spread(self.released), self.answers(self.original)
        out = np.empty_like(truth)
        for start in range(0, len(B), 1000):
            part = np.arange(start, min(start + 1000, len(B)))
            distances = cdist(B[part], B[rows])
            distances[part[:, None] == rows] = np.inf
            nearest = np.argpartition(distances, min(NEIGHBOURS, len(rows) - 1), axis=1)[
                :, :NEIGHBOURS
            ]
            votes = np.isfinite(np.take_along_axis(distances, nearest, axis=1))[:, :, None]
            number = np.maximum(votes.sum(axis=1), 1)
            out[part] = np.rint((truth[rows][nearest] * votes).sum(axis=1) / number)
        return out

    def _each_without_hers(self) -> np.ndarray:
        """The regression of each row from all others: leave-one-out, in closed form."""
        X = _with_one(_scaled(self.released, self.released))
        gram = X.T @ X + RIDGE * np.eye(X.shape[1])
        hat = X @ np.linalg.solve(gram, X.T @ self.original)
        lever = np.einsum("ij,ji->i", X, np.linalg.solve(gram, X.T))
        return self.original - (self.original - hat) / np.maximum(1 - lever, 1e-9)[:, None]


def learned(released: ArrayLike, original: ArrayLike) -> Callable[[np.ndarray], np.ndarray]:
    """The linear way back that known samples teach: released values in, guessed originals out.

    >>> A = np.random.default_rng(1).normal(size=(30, 2))
    >>> turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    >>> back = learned(A[:8] @ turn, A[:8])
    >>> bool(np.abs(back(A @ turn) - A).max() < 0.02)
    True
    """
    A, B = two_tables(original, released)
    X = _with_one(_scaled(B, B))
    ridge = RIDGE * np.eye(X.shape[1])
    ridge[-1, -1] = 0.0
    weights = np.linalg.solve(X.T @ X + ridge, X.T @ A)

    def back(values: np.ndarray) -> np.ndarray:
        return _with_one(_scaled(np.asarray(values, dtype=float), B)) @ weights

    return back


def without_noise(released: ArrayLike, noise: ArrayLike) -> np.ndarray:
    """Spectral filtering: the released values without what is no larger than the noise.

    `noise` is the variance of the added noise, one for each attribute. In units of the noise, the
    directions in which the released table varies no more than noise alone would are noise, and are
    taken out (Kargupta, Datta, Wang & Sivakumar 2003: the eigenvalues of noise alone do not exceed
    (1 + sqrt(attributes / records))^2).

    >>> rng = np.random.default_rng(1)
    >>> true = np.outer(rng.normal(size=400), [1.0, 1.0, 1.0, 1.0])      # four answers, one cause
    >>> noisy = true + rng.normal(size=true.shape)
    >>> error = [np.mean((x - true) ** 2) for x in (noisy, without_noise(noisy, np.ones(4)))]
    >>> bool(error[1] < 0.5 * error[0])
    True
    """
    B, variance = _noisy(released, noise)
    scale = np.sqrt(variance)
    mean = B.mean(axis=0)
    unit = (B - mean) / scale
    values, vectors = np.linalg.eigh(unit.T @ unit / len(unit))
    most = (1 + np.sqrt(B.shape[1] / len(B))) ** 2
    signal = vectors[:, values > most]
    return mean + (unit @ signal @ signal.T) * scale


def by_covariance(released: ArrayLike, noise: ArrayLike) -> np.ndarray:
    """The best linear guess from all noisy values of a record (Huang, Du & Chen 2005: Bayes' estimate).

    The covariance of the true values is that of the released ones without `noise`, the variance of
    the added noise, one for each attribute; with K = C (C + noise)^-1 the guess is mean + K (b - mean).

    >>> rng = np.random.default_rng(1)
    >>> true = np.outer(rng.normal(size=400), [1.0, 1.0, 1.0, 1.0])      # four answers, one cause
    >>> noisy = true + rng.normal(size=true.shape)
    >>> guesses = (f(noisy, np.ones(4)) for f in (each_by_itself, by_covariance))
    >>> [round(float(np.mean((guess - true) ** 2)), 1) for guess in guesses]
    [0.5, 0.2]
    """
    B, variance = _noisy(released, noise)
    mean = B.mean(axis=0)
    covariance = np.cov(B.T, bias=True)
    values, vectors = np.linalg.eigh(covariance - np.diag(variance))
    true = (vectors * np.maximum(values, 0)) @ vectors.T
    return mean + (B - mean) @ np.linalg.solve(true + np.diag(variance), true)


def each_by_itself(released: ArrayLike, noise: ArrayLike) -> np.ndarray:
    """The best linear guess from each noisy value alone: it is drawn towards the mean of its attribute.

    >>> each_by_itself([[0.0], [4.0]], [1.0])        # a variance of 4, of which 1 is noise
    array([[0.5],
           [3.5]])
    """
    B, variance = _noisy(released, noise)
    mean, variance_of_release = B.mean(axis=0), B.var(axis=0)
    return mean + (B - mean) * np.maximum(variance_of_release - variance, 0) / variance_of_release


def _noisy(released: ArrayLike, noise: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    B, variance = np.asarray(released, dtype=float), np.asarray(noise, dtype=float)
    if variance.shape != (B.shape[1],) or not (variance > 0).all():
        raise ValueError(f"noise is a positive variance for each of the {B.shape[1]} attributes")
    return B, variance


def rotated(X: ArrayLike, rng: np.random.Generator) -> np.ndarray:
    """A random rotation of the records (standardized first), which keeps all distances.

    >>> X = np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 5.0]])
    >>> Y = rotated(X, np.random.default_rng(1))
    >>> Z = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> bool(np.allclose(np.linalg.norm(Y[0] - Y[1]), np.linalg.norm(Z[0] - Z[1])))
    True
    """
    A = np.asarray(X, dtype=float)
    Q, R = np.linalg.qr(generator(rng).normal(size=(A.shape[1], A.shape[1])))
    return _scaled(A, A) @ (Q * np.sign(np.diag(R)))


def _rows(known: ArrayLike, records: int) -> np.ndarray:
    """The numbers of known rows, checked."""
    rows = np.asarray(known)
    if not rows.size:
        return np.empty(0, dtype=np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= records:
        raise ValueError(f"known rows are a list of row numbers, 0 to {records - 1}")
    return rows.astype(np.int64)


def _secret(goal: object, names: tuple[str, ...]) -> Callable[[np.ndarray], np.ndarray]:
    """What of a row of answers is the secret: one, whether two agree, or the whole row as a number."""
    if isinstance(goal, tuple):
        first, second = (names.index(name) for name in goal)
        return lambda rows: (rows[:, first] == rows[:, second]).astype(np.int64)
    if goal in names:
        column = names.index(str(goal))
        return lambda rows: rows[:, column]
    with np.errstate(over="ignore"):  # a number for each row: polynomial, modulo 2^64
        powers = np.multiply.accumulate(np.full(len(names), 1_000_003, dtype=np.int64))
    return lambda rows: rows @ powers


def _scaled(values: np.ndarray, like: np.ndarray) -> np.ndarray:
    return (values - like.mean(axis=0)) / _spread(like)


def _spread(values: np.ndarray) -> np.ndarray:
    """The standard deviation of each column; 1 where it is constant."""
    return np.where(values.std(axis=0) > 0, values.std(axis=0), 1.0)


def _with_one(values: np.ndarray) -> np.ndarray:
    return np.column_stack([values, np.ones(len(values))])
