"""[Huang & Du] From fronts to the tables and the evidence that the chapter shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.optimise import mse, spea2
from ppdm.papers.common import by_question, readings_frame
from ppdm.papers.optrr.experiment import (
    NORMAL,
    WARNER_STEPS,
    at_levels,
    beside_warner,
    gain,
    gamma_prior,
    normal_prior,
    random_front,
    warner_front,
)
from ppdm.papers.optrr.readings import OURS, READINGS

DELTAS = [0.6, 0.7, 0.8, 0.9]  # the bounds of Figure 4
PRINTED_LIMITS = [0.6, 0.5, 0.4, 0.22]  # of Warner's matrices


def of(frame: pd.DataFrame, cell: dict) -> pd.DataFrame:
    """The rows of one experiment: its prior and its bound.

    >>> frame = pd.DataFrame({"dataset": ["age", "normal"], "delta": 0.7, "mse": [1.0, 2.0]})
    >>> of(frame, {"dataset": "normal", "delta": 0.7})["mse"].tolist()
    [2.0]
    """
    return frame[(frame["dataset"] == cell["dataset"]) & (frame["delta"] == cell["delta"])]


def warner_limits(prior, deltas=DELTAS) -> list[float]:
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


def limits_table(candidates) -> pd.DataFrame:
    """Warner's limits for normal priors (mean, deviation), and whether all round as printed."""
    limits = pd.DataFrame(
        [(mean, sd, *warner_limits(normal_prior(mean, sd))) for mean, sd in candidates],
        columns=["mean", "sd", *DELTAS],
    )
    away = (limits[DELTAS] - PRINTED_LIMITS).abs()
    limits["all four as printed"] = (away <= [0.05, 0.05, 0.05, 0.005]).all(axis=1)
    return limits


def gamma_ranges(widths, delta: float = 0.75) -> pd.DataFrame:
    """The range of privacy that gamma priors of some bin widths leave to Warner and to anyone."""
    rows = []
    for width in widths:
        prior = gamma_prior(width=width)
        low, high = warner_front(prior, delta).privacy[0], 1 - prior.max()
        rows.append(
            {
                "bin width": width,
                "Warner from": low,
                "to": high,
                "possible range / Warner's": (high - (1 - delta)) / (high - low),
            }
        )
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
    worst = gained.sort_values("ratio", kind="stable").iloc[0]
    return {
        "least gain": worst["ratio"],
        "at privacy": worst["level"],
        "lowest privacy": front["privacy"].min(),
    }


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
    choices: pd.DataFrame,
    uniform: pd.DataFrame,
    runs: pd.DataFrame,
    level: float,
    priors: dict,
    age: pd.Series,
) -> pd.DataFrame:
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

    even = {
        (
            row["population"],
            row["mutation step"],
        ): f"{row['least gain']:.2f} from privacy {row['lowest privacy']:.2f} on"
        for _, row in uniform.iterrows()
    }
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


def four_curves(edge, square, searched, cells, priors: dict, respondents: int, every: int = 1):
    """`multiples` of several experiments, one below the other."""
    parts = []
    for cell in cells:
        old = warner_front(priors[cell["dataset"]], cell["delta"], respondents)
        fronts = of(edge, cell), of(square, cell), of(searched, cell), old
        parts.append(multiples(*fronts, every).assign(**cell))
    return pd.concat(parts, ignore_index=True)


def beside_asking(edge, square, searched, cells, priors: dict, respondents: int) -> pd.DataFrame:
    """How often a guesser is right, and how many respondents a method needs for each asked directly.

    A row a method and a point of its front. Errors fall with the number of respondents, so their ratio
    is one of respondents. `blind` is how often the guesser is right before any report.
    """
    parts = []
    for cell in cells:
        prior = priors[cell["dataset"]]
        old = warner_front(prior, cell["delta"], respondents)
        fronts = {
            "Warner": pd.DataFrame({"privacy": old.privacy, "mse": old.mse}),
            "OptRR": of(searched, cell), "best square matrix": of(square, cell),
            "certified frontier": of(edge, cell),
        }  # fmt: skip
        direct = float(mse(np.eye(len(prior)), prior, respondents))
        parts += [
            pd.DataFrame(
                {
                    "method": name,
                    "attacker": 1 - front["privacy"],
                    "respondents": front["mse"] / direct,
                }
            ).assign(**cell, blind=float(prior.max()))
            for name, front in fronts.items()
        ]
    return pd.concat(parts, ignore_index=True)


# In draws of the data and of the search -----------------------------------------------------------


def each_beside_warner(searches, cells, priors: dict, respondents: int) -> pd.DataFrame:
    """`beside_warner` of one search for each experiment."""
    return pd.concat(
        [
            beside_warner(
                of(searches, cell),
                warner_front(priors[cell["dataset"]], cell["delta"], respondents),
            ).assign(**cell)
            for cell in cells
        ],
        ignore_index=True,
    )


def unsearched(cells, priors: dict, respondents: int, seed: int) -> pd.DataFrame:
    """The same of matrices drawn at random: what every claim on the search must refuse."""
    parts = []
    for cell in cells:
        prior = priors[cell["dataset"]]
        front = random_front(prior, cell["delta"], np.random.default_rng(seed))
        warner = warner_front(prior, cell["delta"], respondents)
        parts.append(beside_warner(front, warner).assign(**cell))
    return pd.concat(parts)


def in_draws(
    evidence_of: Callable,
    rows: pd.DataFrame,
    one: pd.DataFrame,
    random: pd.DataFrame,
    others: Mapping[str, pd.DataFrame] | None = None,
    wrong: Mapping[str, pd.DataFrame] | None = None,
    **what,
) -> dict:
    """A claim's evidence over the drawn data sets, on the exact shares, and of random matrices.

    `others` are searches on the exact shares in other worlds, `wrong` further plants, both by name.
    """
    case = partial(evidence_of, **what)
    found = study.cases(case, rows, draws="draw")
    found["worlds"]["one search on exact shares"] = case(one)
    found["worlds"] |= {name: case(front) for name, front in (others or {}).items()}
    told_too = {"note": levels_won(found)} if evidence_of is better else {}
    plants = {"random matrices": random} | dict(wrong or {})
    return found | told_too | {"plants": {name: case(front) for name, front in plants.items()}}


def as_warner(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """A plant: Warner's own matrices handed in as what the search found."""
    return {"Warner for OptRR": rows.assign(lowest=rows["warner lowest"])}


def at_the_bound_below(rows: pd.DataFrame, cell: dict) -> dict[str, pd.DataFrame]:
    """A plant: what was found under the next lower bound of Figure 4, handed in for this one's."""
    below = DELTAS[DELTAS.index(cell["delta"]) - 1]
    found = of(rows, cell | {"delta": below})
    return {f"the search at δ = {below:g}": found.assign(delta=cell["delta"])}


def reach(rows: pd.DataFrame, cell: dict) -> dict:
    """The lowest privacy that a search has found."""
    return {"value": float(of(rows, cell)["lowest"].iloc[0])}


def below_warner(rows: pd.DataFrame, cells) -> dict:
    """By how much the lowest privacy found is below Warner's."""
    first = [of(rows, cell).iloc[0] for cell in cells]
    return {
        "differences": [row["warner lowest"] - row["lowest"] for row in first],
        "names": [told(cell) for cell in cells],
    }


def better(rows: pd.DataFrame, cells) -> dict:
    """The logarithm of the gain over Warner, level by level."""
    names = [
        f"{told(cell)}, level {i}" for cell in cells for i in range(1, len(of(rows, cell)) + 1)
    ]
    return {"differences": log_gain(rows, *cells), "names": names}


def levels_won(found: dict) -> str:
    """At how many levels the mean gain of `better` is one, and the median gain.

    >>> levels_won({"differences": np.log([2.0, 1.5, 0.9])})
    'Better at 2 of 3 levels in the mean over the draws; the median gain is 1.50.'
    """
    gained = np.asarray(found["differences"])
    return (
        f"Better at {int((gained > 0).sum())} of {gained.size} levels in the mean over the draws; "
        f"the median gain is {np.exp(np.median(gained)):.2f}."
    )


def much_better(rows: pd.DataFrame, cell: dict, above: float) -> dict:
    """The least gain above some privacy."""
    here = of(rows, cell)
    here = here[here["level"] > above]
    return {"value": float(here["ratio"].min()) if len(here) else 0.0}


def ends(rows: pd.DataFrame, cell: dict) -> dict:
    """How far the ends of the range found are from Warner's."""
    row = of(rows, cell).iloc[0]
    return {
        "value": [row["lowest"] - row["warner lowest"], row["highest"] - row["warner highest"]],
        "names": ["lowest privacy", "highest privacy"],
    }


def range_ratio(rows: pd.DataFrame, cell: dict) -> dict:
    """The range of privacy found, as a multiple of Warner's."""
    row = of(rows, cell).iloc[0]
    ours, theirs = row["highest"] - row["lowest"], row["warner highest"] - row["warner lowest"]
    return {"value": float(ours / theirs)}


def told(cell: dict) -> str:
    """An experiment in words.

    >>> told({"dataset": "normal", "delta": 0.6})
    'normal, δ = 0.6'
    """
    return f"{cell['dataset']}, δ = {cell['delta']:g}"


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


def limit_claims(foretold, fitted) -> dict[str, dict]:
    """[Huang & Du, VI.C.1] Evidence on Warner's four printed limits, in all worlds.

    `foretold` comes from the other three limits, `fitted` from our reading of the normal. Wrong is the
    limit of the bound next to it.
    """
    others = {
        r.name: warner_limits(
            normal_prior(r.options.get("normal_mean", 5.5), r.options["normal_sd"])
        )
        for r in READINGS
        if "normal_sd" in r.options
    }
    found = {}
    for i, (plain, under) in enumerate(zip(foretold, fitted, strict=True)):
        next_to_it = {"value": fitted[i + 1 if i + 1 < len(fitted) else i - 1]}
        found[f"HD-{11 + i}"] = {
            "plain": {"value": plain},
            "under": {"value": under},
            "worlds": {
                name: {"plain": {"value": limits[i]}, "under": {"value": limits[i]}}
                for name, limits in others.items()
            },
            "plants": {"the next bound": {"plain": next_to_it, "under": next_to_it}},
        }
    return found


def less_error(rows: pd.DataFrame, better: str = "OptRR", worse: str = "Warner") -> dict:
    """[Huang & Du, VI.E] How much larger the simulated error of one scheme's matrices is than another's."""
    table = rows.groupby(["member", "scheme"])["value"].agg(["mean", "var", "size"])
    mean, error = table["mean"].unstack(), (table["var"] / table["size"]).unstack().sum(axis=1)
    return {
        "differences": (mean[worse] - mean[better]).to_numpy(),
        "se": np.sqrt(error.to_numpy()),
        "names": [f"level {i + 1}" for i in mean.index],
    }


def blocks(evidence_of, array: np.ndarray, number: int = 10) -> dict[str, dict]:
    """The evidence of each tenth of some independent repetitions (the first axis).

    >>> list(blocks(lambda part: {"value": part.mean()}, np.arange(4.0), 2).values())
    [{'value': np.float64(1.0)}, {'value': np.float64(2.0)}]
    """
    return study.each(evidence_of, [array[i::number] for i in range(number)])
