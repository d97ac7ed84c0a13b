"""[Huang & Du] The tables of the chapter: a function of the chapter each."""

from __future__ import annotations

import pandas as pd

from ppdm.coins import Picture
from ppdm.data.describe import show
from ppdm.papers.left_open import folded, left_open
from ppdm.papers.optrr import rows
from ppdm.papers.optrr.experiment import gamma_prior, normal_prior, warner_front, warner_limits
from ppdm.papers.optrr.formulas import DELTAS, PRINTED_LIMITS, WITHIN
from ppdm.papers.optrr.readings import READINGS
from ppdm.study.cards import Html


def lowest_privacy(ch) -> Html:
    """Warner's lowest privacy, and that of ten searches on ten data sets."""
    normal = ch.get(rows.drawn).query("dataset == 'normal'")
    by_delta = (
        normal.groupby(["delta", "draw"])["lowest"]
        .first()
        .groupby("delta")
        .agg(["mean", "min", "max"])
    )
    table = by_delta.rename(
        columns={"mean": "search, mean", "min": "least", "max": "largest"}
    ).rename_axis("δ")
    table.insert(0, "Warner", warner_limits(ch.get(rows.priors)["normal"]))
    table.insert(1, "Warner, printed", PRINTED_LIMITS)
    caption = "Lowest privacy: Warner's, and that of ten searches on ten data sets"
    table = table.assign(**{"search, printed": [0.4, 0.3, 0.22, 0.17]}).reset_index()
    return folded(show(table, caption), "The lowest privacies, bound by bound")


def _extremes(frame: pd.DataFrame, *also: str) -> pd.DataFrame:
    ratios = frame.groupby(["dataset", "delta"], sort=False)["ratio"]
    return ratios.agg(["min", "median", "max", *also]).reset_index()


def gains(ch) -> Html:
    """How much better the search is than Warner at equal privacy."""
    return folded(
        show(
            _extremes(ch.get(rows.exact)),
            "Warner's error as a multiple of the search's, at equal privacy",
        ),
        "The gains, experiment by experiment",
    )


def open_questions(ch) -> Html:
    """What the paper leaves open, and the verdicts that hang on it."""
    return folded(
        show(left_open(ch, READINGS), "What the paper leaves open"),
        "Seven questions, and the verdicts that hang on them",
    )


def descended(ch) -> Picture:
    """The search's error as a multiple of the best square matrix's."""
    table = _extremes(ch.get(rows.descended).frame, "count")
    caption = "The search's error as a multiple of the best square matrix's, both with at least the privacy of a level"
    return show(table, caption)


def limits(ch) -> Html:
    """Warner's limits for normal priors, and whether all round as printed."""
    candidates = [(5.5, sd) for sd in (1.2, 1.4, 1.6, 1.7, 1.8, 2.0, 2.5)] + [
        (5.0, sd) for sd in (1.7, 1.8, 2.0)
    ]
    table = pd.DataFrame(
        [(mean, sd, *warner_limits(normal_prior(mean, sd))) for mean, sd in candidates],
        columns=["mean", "sd", *DELTAS],
    )
    fits = ((table[DELTAS] - PRINTED_LIMITS).abs() <= WITHIN).all(axis=1)
    caption = "Lowest privacy of Warner's matrices for each bound; the paper prints .6, .5, .4, .22"
    return folded(
        show(table.assign(**{"all four as printed": fits}), caption),
        "Ten normal distributions, and Warner's limits under each",
    )


def gamma_bins(ch) -> Html:
    """The range of privacy that gamma priors of some bin widths leave to Warner and to anyone."""
    table = []
    for width in (0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 1.0):
        prior = gamma_prior(width=width)
        low, high = warner_front(prior, 0.75).privacy[0], 1 - prior.max()
        table.append({"bin width": width, "Warner from": low, "to": high,
                      "possible range / Warner's": (high - 0.25) / (high - low)})  # fmt: skip
    return folded(
        show(
            pd.DataFrame(table),
            "Gamma(1, 2) in ten bins of one width, bound .75. No scheme has privacy below 1 - .75",
        ),
        "Seven widths",
    )


def attributes(ch) -> Html:
    """The same gains for the attributes of Adult."""
    every = ch.get(rows.attributes).frame
    known = {name: ch.get(rows.priors)[name] for name in every["dataset"].unique()}
    ratios = every.groupby(["dataset", "delta"], sort=False)["ratio"]
    table = ratios.agg(levels="size", least="min", median="median", largest="max").reset_index()
    table.insert(2, "values", [len(prior) for prior in known.values()])
    table.insert(3, "largest share", [prior.max() for prior in known.values()])
    return folded(
        show(table, "Warner's error as a multiple of the search's, at the levels that both reach"),
        "The gains, attribute by attribute",
    )
