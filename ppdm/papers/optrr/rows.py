"""[Huang & Du, Section VI] What the chapter computes: a function of the chapter each, computed once by `ch.get`.

Those that give `study.Rows` are what claims take their evidence from, as their entries say. The claims on formulas have
theirs in `formulas`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data, study
from ppdm.optimise import best_scheme, mse, privacy, spea2
from ppdm.papers.checks import improved, in_draws
from ppdm.papers.optrr import beyond, experiment, kept
from ppdm.papers.optrr.experiment import at_levels, beside_warner, warner_front
from ppdm.papers.optrr.formulas import (
    DELTAS,
    blind,
    families,
    guesses,
    iterated,
    likeliest,
    limits,
    matrices_counted,
    theorem_6,
    unbiased,
)
from ppdm.papers.optrr.readings import READINGS
from ppdm.study import tidy
from ppdm.study.tidy import ALL

__all__ = [
    "blind",
    "families",
    "guesses",
    "iterated",
    "likeliest",
    "limits",
    "matrices_counted",
    "theorem_6",
    "unbiased",
]

#: Figures 4 and 5.
CELLS: list[dict[str, Any]] = [
    *({"dataset": "normal", "delta": delta} for delta in DELTAS),
    *({"dataset": name, "delta": 0.75} for name in ("gamma", "uniform", "age")),
]
#: Other experiments; one search on exact shares has a quarter of the generations.
MORE: list[dict[str, Any]] = [
    *({"dataset": name, "delta": 0.75} for name in ("gamma(2, 2)", "gamma(3, 1)")),
    *({"dataset": name, "delta": delta} for name in ("gamma", "uniform") for delta in (0.6, 0.9)),
]
METHODS = ("Warner", "OptRR", "best square matrix", "certified frontier")
ONE_SEARCH = "one search on exact shares"


def of(frame: pd.DataFrame, cell: dict) -> pd.DataFrame:
    """The rows of one experiment: its prior and its bound.

    >>> frame = pd.DataFrame({"dataset": ["age", "normal"], "delta": 0.7, "mse": [1.0, 2.0]})
    >>> of(frame, {"dataset": "normal", "delta": 0.7})["mse"].tolist()
    [2.0]
    """
    return frame[(frame["dataset"] == cell["dataset"]) & (frame["delta"] == cell["delta"])]


# What is searched and certified -------------------------------------------------------------------


def adult(ch) -> data.Dataset:
    """Adult, as published."""
    return data.load("adult", ch.settings["data_source"])


def priors(ch) -> dict[str, np.ndarray]:
    """The experiments' distributions, and the attributes of Adult by name."""
    people, given = ch.get(adult), ch.settings
    known = experiment.priors(
        people.frame["age"], normal_sd=given["normal_sd"], gamma_width=given["gamma_width"]
    )
    return {name: experiment.adult_prior(people.frame[name]) for name in people.features} | known


def _search(ch, function, **more) -> partial:
    open_choices = {
        name: ch.settings[name] for name in ("population", "mutation_rate", "mutation_step")
    }
    return partial(function, priors=ch.get(priors), **open_choices, **more)


def found(ch) -> pd.DataFrame:
    """One search on the exact shares of each experiment, with its matrices."""
    search = _search(ch, experiment.search_cell, generations=ch.sizes["generations"], matrices=True)
    front = ch.rows(search, CELLS)
    ch.save("optrr", front[["dataset", "delta", "privacy", "mse"]])
    return front


def square(ch) -> pd.DataFrame:
    """The best square matrices of each experiment."""
    descend = partial(beyond.square_cell, priors=ch.get(priors), count=ch.sizes["points"])
    return ch.save("square", ch.rows(descend, CELLS))


def edge(ch) -> pd.DataFrame:
    """The certified frontier of each experiment."""
    certify = partial(beyond.frontier_cell, priors=ch.get(priors), count=ch.sizes["points"])
    return ch.save("frontier", ch.rows(certify, CELLS))


def warner_of(ch, cell: dict) -> spea2.Front:
    """Warner's matrices for one experiment."""
    return warner_front(ch.get(priors)[cell["dataset"]], cell["delta"], ch.settings["respondents"])


def fronts(ch) -> pd.DataFrame:
    """Privacy and error of every method in every experiment."""
    parts = []
    for cell in CELLS:
        old = warner_of(ch, cell)
        methods = [pd.DataFrame({"privacy": old.privacy, "mse": old.mse}),
                   *(of(ch.get(function), cell) for function in (found, square, edge))]  # fmt: skip
        parts += [
            front[["privacy", "mse"]].assign(method=m, **cell) for m, front in zip(METHODS, methods)
        ]
    return pd.concat(parts, ignore_index=True)


def every_multiple(ch) -> pd.DataFrame:
    """The least error of each method with at least each privacy, as multiples of the certified bound."""
    parts = []
    for cell in CELLS:
        line, ours, old = of(ch.get(edge), cell), of(ch.get(found), cell), warner_of(ch, cell)
        parts.append(pd.DataFrame({
            "privacy": line["level"], "least error × 10⁵": line["bound"] * 1e5,
            "Warner": at_levels(old.privacy, old.mse, line["level"]) / line["bound"],
            "OptRR": at_levels(ours["privacy"], ours["mse"], line["level"]) / line["bound"],
            "best square matrix": of(ch.get(square), cell)["mse"].to_numpy() / line["bound"],
            "frontier's scheme": line["mse"] / line["bound"], "its reports": line["outputs"],
        }).assign(**cell))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def trade_off(ch) -> pd.DataFrame:
    """How often a guesser is right, and how many respondents a method needs for each asked directly.

    Errors fall with the number of respondents, so their ratio is one of respondents. `blind` is how often
    the guesser is right before any report.
    """
    parts = []
    for cell in (CELLS[2], *CELLS[4:]):
        prior, front = ch.get(priors)[cell["dataset"]], of(ch.get(fronts), cell)
        direct = float(mse(np.eye(len(prior)), prior, ch.settings["respondents"]))
        parts.append(front[["method"]].assign(
            attacker=1 - front["privacy"], respondents=front["mse"] / direct, **cell, blind=float(prior.max())))  # fmt: skip
    return ch.save("trade_off", pd.concat(parts, ignore_index=True))


# Searches as evidence -----------------------------------------------------------------------------


def drawn(ch) -> pd.DataFrame:
    """Data and search drawn anew, ten times for each experiment."""
    return ch.save("drawn", _drawn(ch, CELLS, "generations", fixed=("age",)))


def _drawn(ch, cells: list[dict], generations: str, **more) -> pd.DataFrame:
    search = _search(ch, experiment.drawn_cell, respondents=ch.settings["respondents"],
                     generations=ch.sizes[generations], **more)  # fmt: skip
    return ch.rows(
        search, [cell | {"draw": i} for cell in cells for i in range(1, ch.sizes["draws"] + 1)]
    )


def exact(ch) -> pd.DataFrame:
    """The searches on the exact shares, beside Warner."""
    every = _beside(ch, ch.get(found), CELLS)
    ch.save("gain", every[["level", "ratio", "dataset", "delta"]])
    return every


def _beside(ch, searches: pd.DataFrame, cells: list[dict]) -> pd.DataFrame:
    return pd.concat(
        [beside_warner(of(searches, c), warner_of(ch, c)).assign(**c) for c in cells],
        ignore_index=True,
    )


def _random(ch, cells: list[dict]) -> pd.DataFrame:
    """Matrices drawn at random: what every claim on the search must refuse."""
    return pd.concat([
        beside_warner(experiment.random_front(ch.get(priors)[c["dataset"]], c["delta"], np.random.default_rng(ch.seed)),
                      warner_of(ch, c)).assign(**c) for c in cells
    ])  # fmt: skip


def compared(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Searches beside Warner by world: at each level (numbered) the gain, and how the ranges of privacy differ."""
    every = tidy.in_worlds({n: f if "draw" in f else f.assign(draw=ALL) for n, f in frames.items()})
    ours, theirs = (every[f"{who}highest"] - every[f"{who}lowest"] for who in ("", "warner "))
    return every.assign(
        number=every.groupby(["world", "draw", "dataset", "delta"]).cumcount() + 1,
        gain=np.log(every["ratio"]), below=every["warner lowest"] - every["lowest"],
        above=every["highest"] - every["warner highest"], ranges=ours / theirs,
    )  # fmt: skip


def search_improves(ch) -> pd.DataFrame:
    """The method's own check: 300 generations leave no level of privacy as two generations had it."""

    def off(draw: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for cell in (CELLS[2], *CELLS[4:6]):
            early, late = (
                spea2.optrr(ch.get(priors)[cell["dataset"]], cell["delta"], np.random.default_rng([ch.seed, draw]),
                            generations=generations)._asdict() for generations in (2, 300)
            )  # fmt: skip
            found |= {f"{cell['dataset']}, {what}": x for what, x in improved(early, late).items()}
        return found

    return in_draws(off, range(10))


def searches(ch) -> study.Rows:
    """The ten searches of each experiment; one on the exact shares is another world. Wrong: matrices drawn at random,
    Warner's for the search's, the search under the bound below."""
    one = ch.get(exact)
    plants = {"random matrices": _random(ch, CELLS), "Warner for OptRR": one.assign(lowest=one["warner lowest"]),
              "the search at δ = 0.8": of(one, CELLS[2]).assign(delta=0.9)}  # fmt: skip
    return study.Rows(compared({"ours": ch.get(drawn), ONE_SEARCH: one}), compared(plants), "draw")


def uniform(ch) -> study.Rows:
    """Those of the uniform distribution, and what the hard case may hang on."""
    (cell,) = (c for c in CELLS if c["dataset"] == "uniform")
    ways = [r for r in READINGS if r.name.startswith("uniform")]
    search = _search(ch, experiment.search_cell, generations=ch.sizes["generations"])
    tried = ch.rows(study.under(search, ways), study.points([cell], ways, ours=False))
    worlds = {"ours": of(ch.get(drawn), cell), ONE_SEARCH: of(ch.get(exact), cell)}
    worlds |= {r.name: _beside(ch, tried[tried["world"] == r.name], [cell]) for r in ways}
    return study.Rows(compared(worlds), compared({"random matrices": _random(ch, [cell])}), "draw")


def of_full_length(ch) -> tuple[partial, list[dict]]:
    """The searches of other distributions and bounds, ten drawn data sets each."""
    search = _search(ch, experiment.drawn_cell, respondents=ch.settings["respondents"],
                     generations=ch.sizes["generations"])  # fmt: skip
    return search, [c | {"draw": i} for c in MORE for i in range(1, ch.sizes["draws"] + 1)]


def shorter(ch) -> study.Rows:
    """Other distributions and bounds: the searches of full length that are kept, else shorter ones."""
    search, points = ch.get(of_full_length)
    full = kept.read(search, points, ch.seed)
    many = ch.save("drawn_others", _drawn(ch, MORE, "short") if full is None else full)
    one = _beside(
        ch, ch.rows(_search(ch, experiment.search_cell, generations=ch.sizes["short"]), MORE), MORE
    )
    ch.save("gain_others", one[["level", "ratio", "dataset", "delta"]])
    return study.Rows(
        compared({"ours": many, ONE_SEARCH: one}),
        compared({"random matrices": _random(ch, MORE)}),
        "draw",
    )


def attributes(ch) -> study.Rows:
    """One search for each attribute of Adult; those with more than ten values get fewer generations."""
    known = {name: ch.get(priors)[name] for name in ch.get(adult).features}
    cells = [{"dataset": n, "delta": experiment.possible_delta(p)} for n, p in known.items()]
    small = [cell for cell in cells if len(known[cell["dataset"]]) <= 10]
    large = [cell for cell in cells if cell not in small]
    fronts = pd.concat([
        ch.rows(_search(ch, experiment.search_cell, generations=ch.sizes[size]), part)
        for size, part in (("generations", small), ("large", large))
    ])  # fmt: skip
    one = _beside(ch, fronts, cells)
    ch.save("attributes", one[["level", "ratio", "dataset", "delta"]])
    return study.Rows(compared({"ours": one}), compared({"random matrices": _random(ch, small)}))


def descended(ch) -> study.Rows:
    """The search's error over the descent's, both with at least the privacy of a level; wrong: no difference."""
    parts = []
    for cell in CELLS:
        front, best = of(ch.get(found), cell), of(ch.get(square), cell)
        error = at_levels(front["privacy"], front["mse"], best["level"])
        parts.append(best.assign(ratio=error / best["mse"], number=np.arange(1, len(best) + 1)))
    every = pd.concat(parts, ignore_index=True)
    there = every.dropna(subset=["ratio"])
    same = {
        name: there.assign(ratio=1.0)
        for name in ("the descent's own matrices", "a descent without a step")
    }
    return study.Rows(there, tidy.in_worlds(same))


def largest_excess(rows: pd.DataFrame) -> dict:
    """By how much a ratio exceeds 1 where it does so most."""
    return {"size": float(rows["ratio"].max() - 1)}


def least_ratio(rows: pd.DataFrame) -> dict:
    """The least gain; 0 where there is no level."""
    return {"value": float(rows["ratio"].min()) if len(rows) else 0.0}


def both_ends(rows: pd.DataFrame) -> dict:
    """How far the ends of the range found are from Warner's."""
    (row,) = rows.to_dict("records")
    return {"value": [-row["below"], row["above"]], "names": ["lowest privacy", "highest privacy"]}


# The iterative estimate ---------------------------------------------------------------------------


def iterative(ch) -> pd.DataFrame:
    """[VI.E, Figure 5 (d)] The squared error of EM with eight matrices of the search and of Warner, by simulation."""
    cell, prior = CELLS[4], ch.get(priors)["gamma"]
    old, ours = warner_of(ch, cell), of(ch.get(found), cell)
    levels = np.linspace(old.privacy.min(), 0.72, 8)

    def at_least(private: np.ndarray, error: np.ndarray) -> list[int]:
        return [int(np.where(private >= level, error, np.inf).argmin()) for level in levels]

    chosen = {
        "OptRR": experiment.matrices_of(ours, 10)[
            at_least(ours["privacy"].to_numpy(), ours["mse"].to_numpy())
        ],
        "Warner": old.matrices[at_least(old.privacy, old.mse)],
    }
    survey = partial(
        experiment.iterative_cell,
        matrices=chosen,
        prior=prior,
        respondents=ch.settings["respondents"],
    )
    runs = ch.run(
        survey, {"scheme": list(chosen), "member": list(range(8))}, reps=ch.sizes["surveys"]
    )
    known = {
        (scheme, i): float(privacy(m, prior))
        for scheme, each in chosen.items()
        for i, m in enumerate(each)
    }
    runs = runs.assign(privacy=[known[at] for at in zip(runs["scheme"], runs["member"])])
    ch.save("iterative", study.summarise(runs))
    return runs


def iterated_errors(ch) -> study.Rows:
    """The logarithm of Warner's simulated error over the search's, matrix by matrix, in ten draws; wrong: turned around."""
    runs = ch.get(iterative)
    mean = runs.groupby([runs["rep"] % 10, "member", "scheme"])["value"].mean().unstack()
    frame = (
        np.log(mean["Warner"] / mean["OptRR"])
        .rename("gain")
        .rename_axis(["draw", "member"])
        .reset_index()
    )
    return study.Rows(frame, frame.assign(gain=-frame["gain"], world="Warner for OptRR"), "draw")


# The page beyond the paper ------------------------------------------------------------------------


def kinds_of_reports(ch) -> pd.DataFrame:
    """What share of people sends which kind of report, with the best schemes for the normal distribution."""
    prior, rows = ch.get(priors)["normal"], []
    for delta in (0.8, 1.0):
        for level in (0.3, 0.4, 0.5, 0.6, 0.7):
            best = best_scheme(
                prior, delta=delta, privacy=level, respondents=ch.settings["respondents"]
            )
            rows.append({"δ": delta, "privacy": level} | beyond.report_kinds(best, prior, delta)
                        | {"error × 10⁵": best.mse * 1e5, "reports": len(best.matrix)})  # fmt: skip
    return ch.save("reports", pd.DataFrame(rows))


def given_away(kinds: pd.DataFrame) -> float:
    """The share whose true answer is named for certain, without a bound at privacy 0.3."""
    return float(kinds.query("`δ` == 1 and privacy == 0.3")["up to δ"].iloc[0])
