"""[Huang & Du] From fronts to the tables and the evidence that the chapter shows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdm.optimise import spea2
from ppdm.papers.common import by_question, readings_frame
from ppdm.papers.optrr.experiment import NORMAL, gamma_prior, normal_prior, warner_front
from ppdm.papers.optrr.readings import OURS, READINGS

DELTAS = [0.6, 0.7, 0.8, 0.9]  # the bounds of Figure 4
PRINTED_LIMITS = [0.6, 0.5, 0.4, 0.22]  # of Warner's matrices


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


def of(frame: pd.DataFrame, cell: dict) -> pd.DataFrame:
    """The rows of one experiment: its prior and its bound.

    >>> frame = pd.DataFrame({"dataset": ["age", "normal"], "delta": 0.7, "mse": [1.0, 2.0]})
    >>> of(frame, {"dataset": "normal", "delta": 0.7})["mse"].tolist()
    [2.0]
    """
    return frame[(frame["dataset"] == cell["dataset"]) & (frame["delta"] == cell["delta"])]


def warner_limits(prior, deltas=DELTAS) -> list[float]:
    """[Huang & Du, VI.C.1] The lowest privacy of Warner's matrices for each bound."""
    return [warner_front(prior, delta).privacy[0] for delta in deltas]


def limits_table(candidates) -> pd.DataFrame:
    """Warner's limits for normal priors (mean, deviation), and whether all round as printed."""
    limits = pd.DataFrame(
        [(mean, sd, *warner_limits(normal_prior(mean, sd))) for mean, sd in candidates],
        columns=["mean", "sd", *DELTAS],
    )
    away = np.abs(limits[DELTAS] - PRINTED_LIMITS)
    limits["all four as printed"] = (away <= [0.05, 0.05, 0.05, 0.005]).all(axis=1)
    return limits


def gamma_ranges(widths, delta: float = 0.75) -> pd.DataFrame:
    """The range of privacy that gamma priors of some bin widths leave to Warner and to anyone."""
    rows = []
    for width in widths:
        prior = gamma_prior(width=width)
        low, high = warner_front(prior, delta).privacy[0], 1 - prior.max()
        rows.append({"bin width": width, "Warner from": low, "to": high,
                     "possible range / Warner's": (high - (1 - delta)) / (high - low)})  # fmt: skip
    return pd.DataFrame(rows)


def gains(searches: pd.DataFrame, cells, priors: dict, respondents: int = 10_000) -> pd.DataFrame:
    """`gain` for several experiments, one below the other."""
    parts = []
    for cell in cells:
        old = warner_front(priors[cell["dataset"]], cell["delta"], respondents)
        parts.append(gain(of(searches, cell), old).assign(**cell))
    return pd.concat(parts, ignore_index=True)


def log_gain(gained: pd.DataFrame, *cells: dict) -> np.ndarray:
    """The logarithms of the gains of some experiments: above 0 the search is better."""
    return np.log(np.concatenate([of(gained, cell)["ratio"] for cell in cells]))


def extremes(frame: pd.DataFrame, also=()) -> pd.DataFrame:
    """Least, median and largest ratio of each experiment."""
    ratios = frame.groupby(["dataset", "delta"], sort=False)["ratio"]
    return ratios.agg(["min", "median", "max", *also]).reset_index()


def over_levels(front, levels, least) -> dict[str, float]:
    """A front's errors at some privacy levels as multiples of the least possible ones."""
    multiples = at_levels(front.privacy, front.mse, levels) / least
    return {f"{level:.3f}": multiple for level, multiple in zip(levels, multiples, strict=True)}


def against_warner(front: pd.DataFrame, warner: spea2.Front) -> dict[str, float]:
    """The least gain of a search over Warner, where it is, and the search's lowest privacy."""
    gained = gain(front, warner)
    worst = gained.loc[gained["ratio"].idxmin()]
    return {"least gain": worst["ratio"], "at privacy": worst["level"],
            "lowest privacy": front["privacy"].min()}  # fmt: skip


def over_square(searched: pd.DataFrame, square: pd.DataFrame) -> pd.DataFrame:
    """A search's error as a multiple of the best square matrix's, with at least each privacy."""
    error = at_levels(searched["privacy"], searched["mse"], square["level"])
    return square.assign(ratio=error / square["mse"])


def multiples(edge, square, searched, warner: spea2.Front, every: int) -> pd.DataFrame:
    """The four curves at every so-manieth level, as multiples of the certified bound."""
    line = edge.iloc[::every]
    return pd.DataFrame({
        "privacy": line["level"], "least error × 10⁵": line["bound"] * 1e5,
        "Warner": at_levels(warner.privacy, warner.mse, line["level"]) / line["bound"],
        "OptRR": at_levels(searched["privacy"], searched["mse"], line["level"]) / line["bound"],
        "best square matrix": square["mse"].to_numpy()[::every] / line["bound"],
        "frontier's scheme": line["mse"] / line["bound"], "its reports": line["outputs"],
    })  # fmt: skip


def reading_effects(
    choices: pd.DataFrame, uniform: pd.DataFrame, runs: pd.DataFrame, level: float, priors: dict,
    age: pd.Series,
) -> pd.DataFrame:  # fmt: skip
    """Question, choice, alternatives and effect of each reading.

    `choices` and `runs` hold errors at the privacy `level` as multiples of the least one, of short
    searches under each choice and of long ones under ours; `uniform` is `against_warner` of long
    searches for the uniform distribution.
    """
    middle = f"{level:.3f}"
    errors = choices.set_index(list(OURS))[middle]

    def error(**change) -> str:
        return f"{errors[tuple((OURS | change).values())]:.2f}"

    def limits(mean, sd) -> str:
        return ", ".join(f"{limit:.2f}" for limit in warner_limits(normal_prior(mean, sd)))

    def most(prior) -> str:
        return f"{1 - np.max(prior):.2f}"

    even = {(row["population"], row["mutation step"]):
            f"{row['least gain']:.2f} from privacy {row['lowest privacy']:.2f} on"
            for _, row in uniform.iterrows()}  # fmt: skip
    at_level = f"error at privacy {level:.2f}: {error()}; else "
    counted = pd.qcut(age, 10).value_counts(normalize=True)
    effects = [
        (
            f"Warner's lowest privacy for the four bounds: {limits(**NORMAL)}; else {limits(5.5, 2.0)}, "
            f"or {limits(5.0, 1.8)} (printed: .6, .5, .4, .22)"
        ),
        (
            f"the highest privacy there is: {most(priors['gamma'])}; else "
            f"{most(gamma_prior(width=0.4))}, or {most(gamma_prior(width=1.0))}"
        ),
        (
            f"{at_level}{error(population=50)}, or {error(population=200)} (luck alone, five long "
            f"searches: {runs[middle].min():.2f} to {runs[middle].max():.2f})"
        ),
        (
            f"{at_level}{error(mutation_rate=0.5)}, {error(mutation_step=0.1)}, or "
            f"{error(mutation_step=1.0)}"
        ),
        (
            f"least gain over Warner, another search than HD-24's: {even[100, 0.3]}; else "
            f"{even[200, 0.3]}, {even[100, 0.1]}, {even[100, 0.05]}"
        ),
        f"{at_level}{error(omega=100)}",
        (
            f"the highest privacy that age allows: {most(priors['age'])}; else {most(counted)}: "
            "the cut would make age all but uniform"
        ),
    ]
    return readings_frame(by_question(READINGS), effects)


def held_out(printed=PRINTED_LIMITS, within=(0.05, 0.05, 0.05, 0.005)) -> list[float]:
    """Each printed limit, foretold by a normal prior that was fitted to the other three alone.

    Of all deviations from 1 to 3 (mean 5.5) under which the other three round as printed, the
    middle one is taken.
    """
    deviations = np.arange(1.0, 3.001, 0.02)
    limits = np.array([warner_limits(normal_prior(sd=sd)) for sd in deviations])
    fits = np.abs(limits - printed) <= within
    others = [np.flatnonzero(np.delete(fits, i, axis=1).all(axis=1)) for i in range(len(printed))]
    return [float(limits[fit[len(fit) // 2], i]) for i, fit in enumerate(others)]
