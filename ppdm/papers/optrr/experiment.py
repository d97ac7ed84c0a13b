"""[Huang & Du, VI] The paper's experiments: priors, the theorems by simulation, fronts, one search.

Functions that end in `_cell` are handed to `Chapter.rows` and `Chapter.run`: one cell is one
experiment.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from ppdm.estimate import em
from ppdm.optimise import objectives, spea2, warner
from ppdm.scientific import gammainc, ndtr

NORMAL = {"mean": 5.5, "sd": 1.7}  # inferred in the chapter
GAMMA_WIDTH = 0.55
WARNER_STEPS = 1001


# Priors -------------------------------------------------------------------------------------------


def normal_prior(mean: float = NORMAL["mean"], sd: float = NORMAL["sd"], n: int = 10) -> np.ndarray:
    """A normal distribution cut into n unit bins centred at 1 ... n.

    >>> normal_prior(2, 1, 3).round(3)
    array([0.279, 0.442, 0.279])
    """
    shares = np.diff(ndtr((np.arange(n + 1) + 0.5 - mean) / sd))
    return shares / shares.sum()


def gamma_prior(
    alpha: float = 1.0, beta: float = 2.0, width: float = GAMMA_WIDTH, n: int = 10
) -> np.ndarray:
    """A gamma distribution (shape alpha, scale beta) cut into n bins of one width, from 0 on.

    >>> gamma_prior(width=2.0, n=3).round(3)
    array([0.665, 0.245, 0.09 ])
    """
    shares = np.diff(gammainc(alpha, np.arange(n + 1) * width / beta))
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


def priors(
    age: pd.Series,
    normal_mean: float = NORMAL["mean"],
    normal_sd: float = NORMAL["sd"],
    gamma_width: float = GAMMA_WIDTH,
    cut: str = "widths",
    **of_search: object,
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


def theorem_6_as_printed(matrix, prior, respondents: int, times: float = 2) -> np.ndarray:
    """[Huang & Du, Theorem 6] Literally: 2 beta beta Cov summed over all i and j that differ.

    `times` is the 2: once is right, as each pair comes in both orders.
    """
    beta = np.linalg.inv(matrix)
    reported = matrix @ prior
    variance = beta**2 @ (reported * (1 - reported)) / respondents
    covariance = -np.outer(reported, reported) / respondents
    np.fill_diagonal(covariance, 0)
    return variance + times * np.einsum("ki,kj,ij->k", beta, beta, covariance)


def equation_3(shares, matrix, steps: int = 2_000, printed: bool = False) -> np.ndarray:
    """[Huang & Du, Eq. 3] The iteration from the uniform distribution, for one survey's shares or many.

    As printed the left side names the index i that the right side sums over, so one number is
    meant for every category: its column is 0 here. Otherwise the left index is the free one, j.
    """
    n = matrix.shape[1]
    p = np.full((*np.shape(shares)[:-1], n), 1 / n)
    for _ in range(steps):
        p = p * ((shares / (p @ matrix.T)) @ matrix)
        if printed:
            p = np.repeat(p[..., :1], n, axis=-1)
        p = p / p.sum(axis=-1, keepdims=True)
    return p


# Fronts and searches ------------------------------------------------------------------------------


def warner_front(prior, delta: float, respondents: int = 10_000) -> spea2.Front:
    """[Huang & Du, VI.B] The non-dominated of Warner's 1,001 matrices that keep the bound."""
    matrices = warner(np.linspace(0, 1, WARNER_STEPS), len(prior))
    matrices = matrices[objectives.max_posterior(matrices, prior) <= delta * (1 + 1e-12)]
    return _non_dominated(matrices, prior, respondents)


def warner_limits(prior, deltas=(0.6, 0.7, 0.8, 0.9)) -> list[float]:
    """[Huang & Du, VI.C.1] The lowest privacy of Warner's matrices for each bound.

    It is where `warner_front` begins, without its errors. A report y is guessed right with probability
    max(p P(y), q P(x)), where x is the most common other answer.

    >>> np.round(warner_limits(normal_prior()), 3).tolist()
    [0.598, 0.506, 0.382, 0.223]
    """
    prior = np.asarray(prior, dtype=float)
    p = np.linspace(0, 1, WARNER_STEPS)[:, None]
    q = (1 - p) / (len(prior) - 1)
    first, second = np.argsort(-prior, kind="stable")[:2]
    other = np.where(np.arange(len(prior)) == first, prior[second], prior[first])
    guessed, reported = np.maximum(p * prior, q * other), p * prior + q * (1 - prior)
    surest = np.divide(guessed, reported, out=np.zeros_like(guessed), where=reported > 0).max(
        axis=1
    )
    privacy = 1 - guessed.sum(axis=1)
    return [float(privacy[surest <= delta * (1 + 1e-12)].min()) for delta in deltas]


def _non_dominated(matrices, prior, respondents: int = 10_000) -> spea2.Front:
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


def search_cell(
    rng,
    dataset: str,
    delta: float,
    priors: dict,
    generations: int,
    run: int = 0,
    matrices: bool = False,
    population: int = 100,
    **choices,
):
    """One run of the paper's algorithm: the front, and its matrices in columns m0, m1, ..."""
    front = spea2.optrr(
        priors[dataset],
        delta,
        rng,
        generations=generations,
        population=population,
        archive=population,
        **choices,
    )
    return front_columns(front, matrices)


def drawn_cell(
    rng,
    dataset: str,
    delta: float,
    draw: int,
    priors: dict,
    respondents: int,
    generations: int,
    fixed=(),
    **choices,
) -> pd.DataFrame:
    """[Huang & Du, VI.B] One data set of so many records, drawn from its prior, and one search on it.

    The paper "randomly generates" its data; those of the `fixed` names are what they are. Gives
    `beside_warner`.
    """
    prior = priors[dataset]
    if dataset not in fixed:
        prior = rng.multinomial(respondents, prior) / respondents
    front = spea2.optrr(prior, delta, rng, generations=generations, **choices)
    return beside_warner(front, warner_front(prior, delta, respondents))


def beside_warner(front: spea2.Front | pd.DataFrame, warner: spea2.Front) -> pd.DataFrame:
    """`gain` of a front, and the ends of its privacy and of Warner's in every row."""
    gained = gain(
        pd.DataFrame({"privacy": np.array(front.privacy), "mse": np.array(front.mse)}), warner
    )
    return gained.assign(
        **{
            "lowest": front.privacy.min(),
            "highest": front.privacy.max(),
            "warner lowest": warner.privacy.min(),
            "warner highest": warner.privacy.max(),
        }
    )


def random_front(prior, delta: float, rng, size: int = 5_000) -> spea2.Front:
    """The best of so many random matrices that keep the bound: a search that does not search.

    >>> front = random_front(np.full(3, 1 / 3), 0.8, np.random.default_rng(0), 200)
    >>> bool((np.diff(front.mse) > 0).all())
    True
    """
    n = len(prior)
    lean, apart = rng.random((2, size, 1, 1)) ** 2  # towards the truth; how unlike the columns are
    columns = rng.dirichlet(np.ones(n), size=(size, n)).transpose(0, 2, 1)
    blind = rng.dirichlet(np.ones(n), size=(size, 1)).transpose(0, 2, 1)
    matrices = lean * np.eye(n) + (1 - lean) * (apart * columns + (1 - apart) * blind)
    matrices = matrices[objectives.max_posterior(matrices, prior) <= delta]
    return _non_dominated(matrices, prior)


def front_columns(front: spea2.Front, matrices: bool = True) -> dict:
    """A front as columns of a frame."""
    columns = {"privacy": front.privacy, "mse": front.mse}
    if matrices:
        flat = front.matrices.reshape(len(front.mse), -1)
        columns |= {f"m{i}": flat[:, i] for i in range(flat.shape[1])}
    return columns


def matrices_of(frame: pd.DataFrame, n: int) -> np.ndarray:
    """The matrices that `search_cell` wrote into columns."""
    return frame[[f"m{i}" for i in range(n * n)]].to_numpy().reshape(-1, n, n)


def iterative_cell(rng, reps: int, scheme: str, member: int, matrices: dict, prior, respondents):
    """[Huang & Du, VI.E] The squared error of the iterative estimate, one value a survey."""
    m = matrices[scheme][member]
    counts = rng.multinomial(respondents, m @ prior, size=reps)
    estimates = np.array([em(c, m, tolerance=1e-7, steps=20_000) for c in counts])
    return {"squared error": ((estimates - prior) ** 2).mean(axis=1)}
