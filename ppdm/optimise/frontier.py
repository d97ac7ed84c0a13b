"""The certified frontier: the least error that any scheme of a given privacy can have.

A scheme is written as its posteriors: output y has weight w_y = P(reported y) and posterior
p_y(x) = P(true x | reported y). With D = diag(P) and S = sum_y w_y p_y p_y',

    sum_y w_y p_y = P,    A = sum_y w_y max_x p_y(x),    N n MSE = trace(D S^-1 D) - sum_x P(x)^2.

Replacing a posterior by a mixture of extreme posteriors (`atoms`) keeps both sums and can only
make S larger, so the best scheme uses atoms alone. Over them the problem is convex in w: an
A-optimal design, solved with Clarabel. The lower bound does not rest on the solver: see `bound`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import clarabel
import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linprog

from ppdm.optimise.objectives import check_delta, check_prior, mse, privacy

__all__ = [
    "Scheme",
    "atoms",
    "best_ldp_scheme",
    "best_scheme",
    "bound",
    "certified_frontier",
    "ldp_atoms",
]

LARGEST_N = 14
EDGE = 1e-9
WANTED_GAP = 1e-7
LARGEST_NUMBER_OF_SOLVES = 4


class Scheme(NamedTuple):
    """A scheme at the frontier: its matrix, its error, and what no scheme can go below."""

    privacy: float
    mse: float
    bound: float
    matrix: np.ndarray

    @property
    def gap(self) -> float:
        """How far the error may at most be from the best one, as a share of the bound."""
        return self.mse / self.bound - 1 if np.isfinite(self.mse) else 0.0


def best_scheme(
    prior: ArrayLike, delta: float, privacy: float, respondents: int = 10_000
) -> Scheme:
    """The scheme of least error among those with at least this privacy and posteriors up to delta.

    >>> scheme = best_scheme([0.5, 0.3, 0.2], delta=0.9, privacy=0.3)
    >>> scheme.gap < 1e-6, bool(scheme.matrix.shape[0] <= 3 * 4 / 2 + 1)
    (True, True)
    """
    prior = _small_prior(prior)
    delta = check_delta(delta, prior)
    highest = 1 - prior.max()
    if not -EDGE <= privacy <= highest + EDGE:
        raise ValueError(
            f"privacy is {privacy:.12g}: for this prior it must lie between 0 and {highest:.12g}, "
            "the chance that a guess made without any answer is wrong"
        )
    posteriors = atoms(len(prior), delta)
    guessed = posteriors.max(axis=1)
    accuracy = min(1 - privacy, delta)
    modes = prior >= prior.max() - EDGE
    if accuracy <= prior.max() + EDGE:  # the best guess must be the mode whatever is reported
        kept = (posteriors[:, modes] >= guessed[:, None] - EDGE).all(axis=1)
        accuracy = prior.max()
        posteriors, guessed = posteriors[kept], guessed[kept]
    if delta <= prior.max() + EDGE:  # every posterior of the mode must be delta
        kept = (posteriors[:, modes] >= delta - 2 * EDGE).all(axis=1)
        posteriors, guessed = posteriors[kept], guessed[kept]
    return _solve(prior, posteriors, guessed, accuracy, respondents)


def best_ldp_scheme(prior: ArrayLike, epsilon: float, respondents: int = 10_000) -> Scheme:
    """The scheme of least error among those with epsilon-local differential privacy.

    No answer is reported more than e^epsilon times as often for one true value as for another.

    >>> from math import log
    >>> round(best_ldp_scheme([0.5, 0.5], log(3)).mse * 10_000, 6)   # Warner's, p = 3/4
    1.0
    """
    prior = _small_prior(prior)
    if not (epsilon > 0 and np.isfinite(epsilon)):
        raise ValueError(f"epsilon is {epsilon:.12g}: it must be positive and finite")
    posteriors = ldp_atoms(prior, epsilon)
    return _solve(prior, posteriors, np.zeros(len(posteriors)), 0.0, respondents)


def certified_frontier(
    prior: ArrayLike, delta: float, levels: Iterable[float], respondents: int = 10_000
) -> list[Scheme]:
    """The best scheme at each privacy level.

    >>> points = certified_frontier([0.5, 0.3, 0.2], 0.9, [0.2, 0.3, 0.4])
    >>> points[0].mse < points[1].mse < points[2].mse
    True
    """
    return [best_scheme(prior, delta, float(level), respondents) for level in levels]


def atoms(n: int, delta: float) -> np.ndarray:
    """The extreme points of {(p, t): p a distribution on n values, p_x <= t <= delta}.

    The uniform distributions on k values with 1/k <= delta, and those with as many entries delta
    as fit and one entry with the rest.

    >>> atoms(2, 0.8)
    array([[0.5, 0.5],
           [0.8, 0.2],
           [0.2, 0.8]])
    """
    rows = []
    for k in range(1, n + 1):
        if 1 / k <= delta + EDGE:
            for support in combinations(range(n), k):
                row = np.zeros(n)
                row[list(support)] = 1 / k
                rows.append(row)
    full = int(1 / delta + EDGE)
    rest = 1 - full * delta
    if rest > EDGE:
        for support in combinations(range(n), full):
            for other in sorted(set(range(n)) - set(support)):
                row = np.zeros(n)
                row[list(support)], row[other] = delta, rest
                rows.append(row)
    return np.array(rows)


def ldp_atoms(prior: ArrayLike, epsilon: float) -> np.ndarray:
    """The extreme posteriors under epsilon-LDP: answers likely by 1 or by e^epsilon, 2^n - 2 rows.

    >>> ldp_atoms([0.5, 0.5], np.log(3))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    prior = np.asarray(prior, dtype=float)
    n = len(prior)
    subsets = (np.arange(1, 2**n - 1)[:, None] >> np.arange(n)) & 1
    joint = np.where(subsets, np.exp(epsilon), 1.0) * prior
    return joint / joint.sum(axis=1, keepdims=True)


def bound(
    prior: np.ndarray,
    posteriors: np.ndarray,
    guessed: np.ndarray,
    accuracy: float,
    g: np.ndarray,
    nu: np.ndarray,
    mu: float,
) -> float:
    """A number that trace(D S^-1 D) cannot fall below, from any G, nu and mu >= 0.

    For every S, trace(D S^-1 D) + trace(G S) >= 2 trace((D G D)^(1/2)); and if
    p'Gp <= nu'p + mu max(p) for every atom, then trace(G S) <= nu'P + mu A. A violated atom is
    mended by adding the largest violation to nu, which costs just that, as the weights sum to 1.

    >>> half, one = np.array([0.5, 0.5]), np.ones(2)    # everybody is asked directly
    >>> round(float(bound(half, np.eye(2), one, 1.0, np.eye(2), one, 0.0)), 9)
    1.0
    """
    eigenvalues, vectors = np.linalg.eigh((g + g.T) / 2)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0))
    g = root @ root.T
    mu = max(float(mu), 0.0)
    left = 2 * np.linalg.svd(prior[:, None] * root, compute_uv=False).sum()
    violation = ((posteriors @ root) ** 2).sum(axis=1) - posteriors @ nu - mu * guessed
    return left - nu @ prior - violation.max() - mu * accuracy


def _small_prior(prior: ArrayLike) -> np.ndarray:
    prior = check_prior(prior)
    if len(prior) > LARGEST_N:
        raise ValueError(
            f"the prior has {len(prior)} categories: the frontier is computed for up to "
            f"{LARGEST_N}, as the list of extreme posteriors doubles with each"
        )
    return prior


def _solve(
    prior: np.ndarray,
    posteriors: np.ndarray,
    guessed: np.ndarray,
    accuracy: float,
    respondents: int,
) -> Scheme:
    n = len(prior)
    if np.linalg.matrix_rank(posteriors) < n:
        blind = np.outer(np.full(n, 1 / n), np.ones(n))
        return Scheme(float(1 - prior.max()), np.inf, np.inf, blind)
    reference, lower, gap = np.diag(prior), -np.inf, np.inf
    for _ in range(LARGEST_NUMBER_OF_SOLVES):
        found = _design(prior, posteriors, guessed, accuracy, reference)
        new_lower = bound(prior, posteriors, guessed, accuracy, *found[1:])
        reference = (posteriors * found[0][:, None]).T @ posteriors
        new_gap = np.trace(np.linalg.solve(reference, np.diag(prior**2))) / new_lower - 1
        if abs(new_gap) < gap:
            (w, g, nu, mu), lower, gap = found, new_lower, abs(new_gap)
        if gap < WANTED_GAP:
            break
    w, posteriors = _reduce(w, posteriors, guessed, g, nu, mu)
    matrix = _matrix(w, posteriors, prior)
    if guessed.any():
        matrix = _within(matrix, prior, accuracy)
    return Scheme(
        privacy=float(privacy(matrix, prior)),
        mse=float(mse(matrix, prior, respondents)),
        bound=float((lower - (prior**2).sum()) / (n * respondents)),
        matrix=matrix,
    )


def _design(
    prior: np.ndarray,
    posteriors: np.ndarray,
    guessed: np.ndarray,
    accuracy: float,
    reference: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Solve: minimise trace(D S(w)^-1 D) over w >= 0 with sum w p = P and sum w max p <= A.

    As a semidefinite programme: minimise trace(Z) such that [[S, D], [D, Z]] is positive
    semidefinite. For the solver's sake the posteriors are written in coordinates in which a
    reference S is the identity. Returns the weights and the multipliers G, nu, mu of the three
    constraints.
    """
    count, n = posteriors.shape
    to_reference = np.linalg.inv(np.linalg.cholesky(reference))
    scaled = posteriors @ to_reference.T
    scaled_d = to_reference * prior
    size = np.sqrt((scaled_d**2).sum() / n)  # so that Z is near the identity, too

    rows, cols = np.triu_indices(2 * n)
    by_column = np.lexsort((rows, cols))
    rows, cols = rows[by_column], cols[by_column]
    root2 = np.where(rows == cols, 1.0, np.sqrt(2))  # the solver's scaling of off-diagonals
    in_s, in_z = np.flatnonzero(cols < n), np.flatnonzero(rows >= n)
    in_d = np.flatnonzero((rows < n) & (cols >= n))
    s_part = np.zeros((len(rows), count))
    s_part[in_s] = (scaled[:, rows[in_s]] * scaled[:, cols[in_s]]).T * root2[in_s, None]
    z_part = sparse.csc_matrix(
        (root2[in_z], (in_z, np.arange(len(in_z)))), shape=(len(rows), len(in_z))
    )
    d_part = np.zeros(len(rows))
    d_part[in_d] = scaled_d[rows[in_d], cols[in_d] - n] / size * np.sqrt(2)

    zeros = sparse.csc_matrix
    constraints = sparse.bmat(
        [
            [sparse.csc_matrix(posteriors.T), zeros((n, len(in_z)))],
            [sparse.csc_matrix(guessed[None]), zeros((1, len(in_z)))],
            [-sparse.eye(count), zeros((count, len(in_z)))],
            [-sparse.csc_matrix(s_part), -z_part],
        ],
        format="csc",
    )
    cost = np.concatenate([np.zeros(count), (rows == cols)[in_z].astype(float)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix((len(cost), len(cost))),
        cost,
        constraints,
        np.concatenate([prior, [accuracy], np.zeros(count), d_part]),
        [
            clarabel.ZeroConeT(n),
            clarabel.NonnegativeConeT(1 + count),
            clarabel.PSDTriangleConeT(2 * n),
        ],
        settings,
    ).solve()
    w = np.maximum(np.array(solution.x[:count]), 0)
    dual = np.array(solution.z)
    g = np.zeros((n, n))
    g[rows[in_s], cols[in_s]] = g[cols[in_s], rows[in_s]] = (dual[n + 1 + count :] / root2)[in_s]
    g = to_reference.T @ g @ to_reference * size**2
    return w, g, dual[:n] * size**2, dual[n] * size**2


def _reduce(
    w: np.ndarray,
    posteriors: np.ndarray,
    guessed: np.ndarray,
    g: np.ndarray,
    nu: np.ndarray,
    mu: float,
) -> tuple[np.ndarray, np.ndarray]:
    """A vertex of the weights with the same S and A: at most n(n + 1)/2 + 1 of them are not 0."""
    n = posteriors.shape[1]
    rows, cols = np.triu_indices(n)
    used = w > 1e-12 * w.max()
    posteriors, guessed, w = posteriors[used], guessed[used], w[used]
    same = np.vstack([(posteriors[:, rows] * posteriors[:, cols]).T, guessed])
    target = same @ w
    slack = posteriors @ nu + mu * guessed - np.einsum("ji,ik,jk->j", posteriors, g, posteriors)
    vertex = linprog(slack - slack.min(), A_eq=same, b_eq=target, method="highs-ds")
    if not vertex.success:
        raise RuntimeError(f"the weights could not be reduced: {vertex.message}")
    kept = vertex.x > 1e-11
    exact = np.linalg.lstsq(same[:, kept], target, rcond=None)[0]  # the programme's own is to 1e-7
    return np.maximum(exact, 0), posteriors[kept]


def _matrix(w: np.ndarray, posteriors: np.ndarray, prior: np.ndarray) -> np.ndarray:
    matrix = w[:, None] * posteriors / prior
    matrix = matrix[(matrix > 0).any(axis=1)]
    return matrix / matrix.sum(axis=0)


def _within(matrix: np.ndarray, prior: np.ndarray, accuracy: float) -> np.ndarray:
    """Mix in as much noise as rounding made the guess better than it may be."""
    excess = (matrix * prior).max(axis=1).sum() - accuracy
    room = accuracy + excess - prior.max()
    if excess <= 0 or room <= 0:
        return matrix
    share = min(excess / room, 1.0)
    return (1 - share) * matrix + share * (matrix @ prior)[:, None]
