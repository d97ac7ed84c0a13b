"""[Huang & Du, VI] The experiments of the paper and what goes beyond them, for chapter 4.

Priors are made here; the functions that end in `_cell` are handed to `Chapter.rows` and
`Chapter.run`: one cell is one experiment.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
from scipy.stats import gamma, norm

from ppdm.estimate import em
from ppdm.optimise import descent, frontier, objectives, spea2

__all__ = [
    "NORMAL",
    "adult_prior",
    "at_levels",
    "gamma_prior",
    "normal_prior",
    "warner_front",
]

NORMAL = {"mean": 5.5, "sd": 1.7}  # inferred in the chapter
GAMMA_WIDTH = 0.55
WARNER_STEPS = 1001
DIGITS = 9  # what a solver finds is kept to so many significant digits


# Priors -------------------------------------------------------------------------------------------


def normal_prior(mean: float = NORMAL["mean"], sd: float = NORMAL["sd"], n: int = 10) -> np.ndarray:
    """A normal distribution cut into n unit bins centred at 1 ... n.

    >>> normal_prior(2, 1, 3).round(3)
    array([0.279, 0.442, 0.279])
    """
    shares = np.diff(norm.cdf(np.arange(n + 1) + 0.5, mean, sd))
    return shares / shares.sum()


def gamma_prior(
    alpha: float = 1.0, beta: float = 2.0, width: float = GAMMA_WIDTH, n: int = 10
) -> np.ndarray:
    """A gamma distribution (shape alpha, scale beta) cut into n bins of one width, from 0 on.

    >>> gamma_prior(width=2.0, n=3).round(3)
    array([0.665, 0.245, 0.09 ])
    """
    shares = np.diff(gamma.cdf(np.arange(n + 1) * width, alpha, scale=beta))
    return shares / shares.sum()


def adult_prior(column: pd.Series, bins: int = 10) -> np.ndarray:
    """Shares of an attribute: numbers cut into equal bins, missing and empty ones left out.

    >>> adult_prior(pd.Series([1, 2, 2, 9]), bins=2)
    array([0.75, 0.25])
    """
    column = column.dropna()
    if pd.api.types.is_numeric_dtype(column) and column.nunique() > bins:
        counts = np.histogram(column, bins=bins)[0]
    else:
        counts = column.value_counts(sort=False).sort_index().to_numpy()
    counts = counts[counts > 0]
    return counts / counts.sum()


def possible_delta(prior: np.ndarray, wanted: float = 0.75) -> float:
    """[Huang & Du, Theorem 5] The wanted bound, or halfway to 1 where a prior is above it.

    >>> possible_delta(np.array([0.5, 0.5])), possible_delta(np.array([0.9, 0.1]))
    (0.75, 0.95)
    """
    return wanted if prior.max() < wanted else float((1 + prior.max()) / 2)


# The theorems -------------------------------------------------------------------------------------


def simulated_guesses(matrix, prior, size: int, rng) -> np.ndarray:
    """[Huang & Du, Eq. 4] Draw true and reported answers, guess by MAP: which guesses are right."""
    truth = rng.choice(len(prior), size, p=prior)
    reported = (rng.random(size)[:, None] > np.cumsum(matrix.T[truth], axis=1)).sum(axis=1)
    guess = (matrix * prior).argmax(axis=1)  # the most likely truth behind each report
    return guess[reported] == truth


def simulated_surveys(matrix, prior, respondents: int, surveys: int, rng) -> np.ndarray:
    """The reported counts of many surveys, a row a survey."""
    return rng.multinomial(respondents, matrix @ prior, size=surveys)


def every_guess_rule(matrix, prior) -> np.ndarray:
    """[Huang & Du, Eq. 5] How often each consistent rule (report -> guess) is right, for all n^m.

    >>> every_guess_rule(np.eye(2), [0.3, 0.7]).round(2).tolist()
    [0.3, 1.0, 0.0, 0.7]
    """
    joint = np.asarray(matrix) * np.asarray(prior)
    m, n = joint.shape
    return np.array([joint[np.arange(m), guess].sum() for guess in product(range(n), repeat=m)])


def theorem_6_as_printed(matrix, prior, respondents: int) -> np.ndarray:
    """[Huang & Du, Theorem 6] Literally: 2 beta beta Cov summed over all i and j that differ."""
    beta = np.linalg.inv(matrix)
    reported = matrix @ prior
    variance = beta**2 @ (reported * (1 - reported)) / respondents
    covariance = -np.outer(reported, reported) / respondents
    np.fill_diagonal(covariance, 0)
    return variance + 2 * np.einsum("ki,kj,ij->k", beta, beta, covariance)


def equation_3(shares, matrix, steps: int = 2_000, printed: bool = False) -> np.ndarray:
    """[Huang & Du, Eq. 3] The iteration from the uniform distribution.

    As printed the left side names the index i that the right side sums over, so one number is
    meant for every category: its column is 0 here. Otherwise the left index is the free one, j.
    """
    n = matrix.shape[1]
    p = np.full(n, 1 / n)
    for _ in range(steps):
        update = p * (matrix.T @ (shares / (matrix @ p)))
        p = np.full(n, update[0]) if printed else update
        p = p / p.sum()
    return p


# Fronts -------------------------------------------------------------------------------------------


def warner_front(prior, delta: float, respondents: int = 10_000) -> spea2.Front:
    """[Huang & Du, VI.B] The non-dominated of Warner's 1,001 matrices that keep the bound."""
    matrices = objectives.warner(np.linspace(0, 1, WARNER_STEPS), len(prior))
    matrices = matrices[objectives.max_posterior(matrices, prior) <= delta * (1 + 1e-12)]
    private = objectives.privacy(matrices, prior)
    error = objectives.mse(matrices, prior, respondents)
    good = np.flatnonzero(np.isfinite(error))
    good = good[objectives.pareto(private[good], error[good])]
    good = good[np.argsort(private[good])]
    return spea2.Front(private[good], error[good], matrices[good])


def at_levels(privacy, mse, levels) -> np.ndarray:
    """The least error of a front's points with at least each level of privacy, NaN if none has.

    >>> at_levels([0.2, 0.4], [1.0, 3.0], [0.1, 0.3, 0.5])
    array([ 1.,  3., nan])
    """
    enough = np.asarray(privacy)[None] >= np.asarray(levels)[:, None] - 1e-12
    best = np.where(enough, np.asarray(mse)[None], np.inf).min(axis=1)
    return np.where(np.isfinite(best), best, np.nan)


def levels(prior, delta: float, count: int) -> np.ndarray:
    """Evenly spaced privacy levels: from 1 - delta up to just below what guessing blindly leaves.

    >>> levels(np.array([0.5, 0.3, 0.2]), 0.9, 3).round(3)
    array([0.1  , 0.299, 0.498])
    """
    low, high = 1 - delta, 1 - np.max(prior)
    return np.linspace(low, high - 0.005 * (high - low), count)


def gain(front: pd.DataFrame, warner: spea2.Front, count: int = 20) -> pd.DataFrame:
    """Warner's error as a multiple of a front's, at levels of privacy that both reach.

    Where Warner's front is one point, or ends below the other's range, that is one level.

    >>> ours = pd.DataFrame({"privacy": [0.2, 0.4], "mse": [1.0, 2.0]})
    >>> gain(ours, spea2.Front(np.array([0.3, 0.4]), np.array([3.0, 4.0]), None), 2)
       level  ratio
    0    0.3    1.5
    1    0.4    2.0
    """
    high = min(front["privacy"].max(), warner.privacy.max())
    low = min(max(front["privacy"].min(), warner.privacy.min()), high)
    grid = np.linspace(low, high, count if low < high else 1)
    ours = at_levels(front["privacy"], front["mse"], grid)
    theirs = at_levels(warner.privacy, warner.mse, grid)
    return pd.DataFrame({"level": grid, "ratio": theirs / ours})


def report_kinds(scheme: frontier.Scheme, prior, delta: float) -> dict:
    """What share of people is told up to delta, or as one of two, three, ... answers all alike.

    >>> m = np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.5]])
    >>> report_kinds(frontier.Scheme(0.0, 0.0, 0.0, m), np.array([0.5, 0.5]), 1.0)
    {'up to δ': 1.0, 'one of 2': 0.0, 'one of 3': 0.0, 'one of 4 or more': 0.0}
    """
    weight = scheme.matrix @ prior
    largest = (scheme.matrix * prior).max(axis=1) / weight
    told = largest > delta - 1e-4
    alike = np.rint(1 / largest)
    shares = {"up to δ": told}
    shares |= {f"one of {k}": ~told & (alike == k) for k in (2, 3)}
    shares["one of 4 or more"] = ~told & (alike >= 4)
    return {name: float(weight[kind].sum().round(4)) for name, kind in shares.items()}


def significant(values, digits: int = DIGITS) -> np.ndarray:
    """Values to so many significant digits, so that they are the same at every run.

    >>> significant(np.array([1.23456789012, 0.0])).tolist()
    [1.23456789, 0.0]
    """
    return np.array([float(f"{v:.{digits}g}") for v in np.ravel(values)]).reshape(np.shape(values))


# Cells of the chapter's grids -------------------------------------------------------------------


def search_cell(
    rng, dataset: str, delta: float, priors: dict, generations: int, run: int = 0,
    matrices: bool = False, population: int = 100, **choices,
):  # fmt: skip
    """One run of the paper's algorithm: the front, and its matrices in columns m0, m1, ..."""
    front = spea2.optrr(
        priors[dataset], delta, rng, generations=generations, population=population,
        archive=population, **choices,
    )  # fmt: skip
    return _front_columns(front, matrices)


def square_cell(rng, dataset: str, delta: float, priors: dict, count: int):
    """The best square matrices found at `count` levels."""
    prior = priors[dataset]
    grid = levels(prior, delta, count)
    front = descent.square_front(prior, delta, grid, rng)
    return {"level": grid, **{k: significant(v) for k, v in _front_columns(front, False).items()}}


def frontier_cell(rng, dataset: str, delta: float, priors: dict, count: int):
    """The certified frontier at `count` levels: error, lower bound, outputs of the scheme."""
    prior = priors[dataset]
    grid = levels(prior, delta, count)
    points = frontier.certified_frontier(prior, delta, grid)
    return {
        "level": grid,
        "privacy": significant([p.privacy for p in points], 6),
        "mse": significant([p.mse for p in points], 6),
        "bound": significant([p.bound for p in points], 6),
        "gap": np.array([_power_above(p.gap) for p in points]),
        "outputs": np.array([len(p.matrix) for p in points]),
    }


def sizes_cell(rng, n: int, delta: float, privacy_share: float):
    """Warner, the best square matrix and the frontier for a normal prior of n values."""
    prior = normal_prior((n + 1) / 2, 0.17 * n, n)
    low, high = 1 - delta, 1 - prior.max()
    level = low + privacy_share * (high - low)
    warner = warner_front(prior, delta)
    square = descent.square_front(prior, delta, [level], rng).mse[0]
    best = frontier.best_scheme(prior, delta, level)
    return {
        "level": [level],
        "warner": at_levels(warner.privacy, warner.mse, [level]),
        "square": significant([square], 6),
        "frontier": significant([best.mse], 6),
        "gap": [_power_above(best.gap)],
    }


def iterative_cell(rng, reps: int, scheme: str, member: int, matrices: dict, prior, respondents):
    """[Huang & Du, VI.E] The squared error of the iterative estimate, one value a survey."""
    m = matrices[scheme][member]
    counts = rng.multinomial(respondents, m @ prior, size=reps)
    estimates = np.array([em(c, m, tolerance=1e-7, steps=20_000) for c in counts])
    return {"squared error": ((estimates - prior) ** 2).mean(axis=1)}


def ldp_cell(rng, epsilon: float, prior):
    """The least error under epsilon-LDP, and that of the schemes known for it."""
    n = len(prior)
    best = frontier.best_ldp_scheme(prior, epsilon)
    subsets = [objectives.mse(subset_selection(n, k, epsilon), prior) for k in range(1, n)]
    return {
        "scheme": ["frontier", "k-ary (Warner)", "best subset selection", "binary, bit by bit"],
        "mse": significant(
            [best.mse, subsets[0], min(subsets), objectives.mse(unary(n, epsilon), prior)], 6
        ),
        "size": [0, 1, 1 + int(np.argmin(subsets)), 0],
        "gap": [_power_above(best.gap), 0.0, 0.0, 0.0],
    }


def subset_selection(n: int, k: int, epsilon: float) -> np.ndarray:
    """Report a set of k answers, e^epsilon times as likely if it holds the true one.

    >>> subset_selection(3, 1, np.log(2)).round(2)
    array([[0.5 , 0.25, 0.25],
           [0.25, 0.5 , 0.25],
           [0.25, 0.25, 0.5 ]])
    """
    inside = np.array([np.isin(np.arange(n), c) for c in combinations(range(n), k)])
    weight = np.where(inside, np.exp(epsilon), 1.0)
    return weight / weight.sum(axis=0)


def unary(n: int, epsilon: float) -> np.ndarray:
    """Binary randomized response on each of n bits, one bit set: epsilon/2 a bit, 2^n reports."""
    keep = np.exp(epsilon / 2) / (1 + np.exp(epsilon / 2))
    reports = np.array(list(product([0, 1], repeat=n)))
    true = np.eye(n, dtype=int)
    same = reports[:, None, :] == true[None]
    return np.where(same, keep, 1 - keep).prod(axis=2)


def _front_columns(front: spea2.Front, matrices: bool = True) -> dict:
    columns = {"privacy": front.privacy, "mse": front.mse}
    if matrices:
        flat = front.matrices.reshape(len(front.mse), -1)
        columns |= {f"m{i}": flat[:, i] for i in range(flat.shape[1])}
    return columns


def matrices_of(frame: pd.DataFrame, n: int) -> np.ndarray:
    """The matrices that `search_cell` wrote into columns."""
    return frame[[f"m{i}" for i in range(n * n)]].to_numpy().reshape(-1, n, n)


def _power_above(gap: float) -> float:
    """The next power of ten: what is said of a gap does not depend on its last bits."""
    return float(10.0 ** np.ceil(np.log10(max(gap, 1e-12))))
