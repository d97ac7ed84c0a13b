"""[Beyond chapter 5] What the page computes: a function of the chapter each, computed once by `ch.get`.

What is drawn by chance (priors, splits, releases) comes as twelve draws, told by their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.disguise import MultiGroup, today
from ppdm.domain import Domain
from ppdm.papers.common import respondents
from ppdm.papers.which import after, taken_back, together
from ppdm.papers.which.taken_back import GUESSES, TABLES, rotation_known
from ppdm.privacy import channel
from ppdm.privacy.ladder import Agree, belief, vulnerability
from ppdm.study import tidy, worlds
from ppdm.table import Table

DRAWS = 12
#: The data sets with answers of yes and no on which guesses are tried.
SETS = ("congressional-voting", "breast-cancer-wisconsin")
THETAS = (0.55, 0.6, 0.7, 0.8, 0.9)
READINGS = worlds.read(Path(__file__).with_name("readings.yml"))


def _in_worlds(
    ch, point: Callable, cells: list[dict], readings=(), reps: int = 1, ours: bool = True
) -> pd.DataFrame:
    run = study.under(partial(point, source=ch.settings["data_source"]), readings)
    return ch.run(run, study.points(cells, readings, ours=ours), reps=reps)


# Warner's coin in today's words -------------------------------------------------------------------


def _coin(theta: float) -> np.ndarray:
    return np.array([[theta, 1 - theta], [1 - theta, theta]])


def always_told(ch=None) -> study.Rows:
    """The chance of guessing whether two fair answers agree, from a report of both; wrong: a coin each."""
    pair = Table(Domain(("A", "B"), ((0, 1),) * 2), np.ones(4))

    def chance(groups: list | None) -> pd.DataFrame:
        guess = [vulnerability(MultiGroup(t, groups), Agree("A", "B"), pair) for t in THETAS]
        return pd.DataFrame({"θ": THETAS, "mean": guess})

    return study.Rows(chance(None), chance([["A"], ["B"]]).assign(world="a coin each"))


def adding_up(ch=None, most: int = 6) -> study.Rows:
    """ε and the logarithm of the capacity of several answers, beside the sums; wrong: one coin for all."""
    points = [(d, t) for d in range(1, most + 1) for t in THETAS[1:]]

    def both(matrix: Callable[[int, float], np.ndarray]) -> pd.DataFrame:
        made = [matrix(d, t) for d, t in points]
        ours = [channel.epsilon(M) for M in made] + [math.log(channel.capacity(M)) for M in made]
        sums = [d * math.log(t / (1 - t)) for d, t in points] + [
            d * math.log(2 * t) for d, t in points
        ]
        names = [f"{what}, {d} answers, θ = {t:g}" for what in ("ε", "capacity") for d, t in points]
        return pd.DataFrame({"ours": ours, "theirs": sums, "names": names})

    def one_coin(d: int, t: float) -> np.ndarray:
        same = np.eye(2**d)
        return _coin(t) if d == 1 else t * same + (1 - t) * same[::-1]

    each = both(lambda d, t: reduce(np.kron, [_coin(t)] * d))
    return study.Rows(each, both(one_coin).assign(world="one coin for all"))


# The two ends -------------------------------------------------------------------------------------


def two_ends(ch=None) -> study.Rows:
    """What one bit and k-RR tell, in parts of the most: five answers, drawn priors; and at the wrong ends."""

    def part(end: str, epsilon: float, make: Callable[[np.ndarray], np.ndarray]) -> pd.DataFrame:
        priors = [np.random.default_rng([2016, i]).dirichlet(np.ones(5)) for i in range(DRAWS)]
        shares = [
            after.information(make(p), p) / after.most_information(p, epsilon)[0] for p in priors
        ]
        return pd.DataFrame({"end": end, "draw": range(DRAWS), "mean": shares})

    def bit(epsilon: float, even: bool = True) -> pd.DataFrame:
        return part("one bit", epsilon, lambda p: today.binary(5, epsilon, after.halves(p, even)))

    def k_rr(epsilon: float) -> pd.DataFrame:
        return part("k-RR", epsilon, lambda _: today.k_rr(5, epsilon))

    low, high = bit(0.05), k_rr(8.0)
    wrong = {"ε = 4": [bit(4.0), high], "the most uneven halves": [bit(0.05, even=False), high], "ε = 1": [low, k_rr(1.0)],
             "half of the answers": [low, bit(8.0).assign(end="k-RR")]}  # fmt: skip
    plants = tidy.in_worlds({name: pd.concat(parts) for name, parts in wrong.items()})
    return study.Rows(pd.concat([low, high]), plants, "draw")


def sets_tell_most(ch=None) -> study.Rows:
    """The linear programme's best beside the best set's formula, for equally common answers; wrong: other sizes."""
    points = [(n, e) for n in range(2, 9) for e in (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)]
    best = [after.most_information(np.full(n, 1 / n), e)[0] for n, e in points]
    names = [f"{n} answers, ε = {e:g}" for n, e in points]

    def beside(sizes: Callable[[int], Any]) -> pd.DataFrame:
        formula = [max(after.told_by_a_set(n, e, s) for s in sizes(n)) for n, e in points]
        return pd.DataFrame({"ours": best, "theirs": formula, "names": names})

    wrong = {
        "single answers only": beside(lambda n: [1]),
        "halves only": beside(lambda n: [n // 2]),
    }
    return study.Rows(beside(lambda n: range(1, n)), tidy.in_worlds(wrong))


def sets_estimate_best(ch=None, n: int = 8) -> study.Rows:
    """The noise of a set's estimate over the certified least; wrong: sets of one, and of half."""
    even = np.full(n, 1 / n)

    def beside(size: Callable[[float], int]) -> pd.DataFrame:
        ratios = [after.noise_of(today.subset_selection(n, e, size(e)), even) / after.least_noise(n, e)
                  for e in after.EPSILONS]  # fmt: skip
        return pd.DataFrame({"ε": after.EPSILONS, "mean": ratios})

    wrong = {"k-RR": beside(lambda e: 1), "half of the answers": beside(lambda e: n // 2)}
    return study.Rows(beside(lambda e: after.best_size(n, e)), tidy.in_worlds(wrong))


def prices(ch) -> pd.DataFrame:
    """For each ε and scheme what it tells and what it is worth for an estimate, of the best."""
    few = after.EPSILONS if ch.quick else sorted({*after.EPSILONS, 0.25, 1.5, 2.5, 5.0})
    panels = {"told": "what it tells", "efficiency": "what it is worth for an estimate"}
    wide = pd.DataFrame(after.two_prices(few)).rename(columns=panels)
    return wide.melt(["epsilon", "scheme"], var_name="panel", value_name="share").rename(
        columns={"epsilon": "ε"}
    )


# Many answers -------------------------------------------------------------------------------------


def others_tell(ch=None) -> study.Rows:
    """The class guessed from the other answers' reports by one who knows other people, in twelve splits."""

    def guesses(theta: float = 0.7, change: Callable = lambda part: part) -> pd.DataFrame:
        rows = []
        for dataset in SETS:
            for number in range(DRAWS):
                others, victims = map(change, respondents(dataset).numbered(number))
                told = after.told_by_others(belief("others", others), victims, theta)
                rows.append({"dataset": dataset, "split": number, "mean": told})
        return pd.DataFrame(rows)

    wrong = {"answers shuffled": guesses(change=after.unrelated), "θ = 0.55": guesses(0.55)}
    return study.Rows(guesses(), tidy.in_worlds(wrong))


# Out of noise -------------------------------------------------------------------------------------

COMPARED = {"filtering beyond each": ("spectral filtering", "each by itself"),
            "covariance beyond each": ("by covariance", "each by itself"),
            "covariance beyond filtering": ("by covariance", "spectral filtering")}  # fmt: skip


def noisy(ch) -> pd.DataFrame:
    """What guesses explain of noisy tables, in all worlds."""
    cells = taken_back.noise_cells(ch.sizes["draws"])
    ours = _in_worlds(ch, taken_back.out_of_noise, cells, READINGS["readings"], reps=2)
    wrong = _in_worlds(
        ch, taken_back.out_of_noise, cells, READINGS["noise_plants"], reps=2, ours=False
    )
    both = ours[ours["world"] == "ours"].drop(columns=["world", "draw"])
    ch.save("out_of_noise", study.summarise(both))
    return pd.concat([ours, wrong])


def out_of_noise(ch) -> study.Rows:
    """What filtering and covariances explain beyond plainer guesses, on each data set."""
    every = ch.get(noisy)
    mean = (
        every.groupby(["world", "draw", "dataset", "metric"], sort=False)["value"].mean().unstack()
    )
    parts = [
        (mean[a] - mean[b]).rename("gain").reset_index().assign(compared=name)
        for name, (a, b) in COMPARED.items()
    ]
    frame = _named(pd.concat(parts))
    made_up = frame["world"].isin([r.name for r in READINGS["noise_plants"]])
    return study.Rows(frame[~made_up], frame[made_up], "draw")


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(dataset=frame["dataset"].map(TABLES))


# By known records ---------------------------------------------------------------------------------


def known(ch) -> pd.DataFrame:
    """Runs of attackers who know a few records, on every release."""
    return _in_worlds(
        ch,
        taken_back.won_back,
        taken_back.known_cells(taken_back.RELEASES, ch.sizes["known"], ch.sizes["draws"]),
    )


def by_known(ch) -> pd.DataFrame:
    """For each release and number of known records, the share won back by the best guess, and the blind one's."""
    runs = ch.get(known)
    parts = []
    for _, part in runs.groupby(["dataset", "scheme", "known"], sort=False):
        best = part[part["metric"].isin(GUESSES)].groupby("metric")["value"].mean().idxmax()
        parts.append(part[part["metric"] == best].assign(metric="won back"))
        parts.append(
            part[part["metric"] == "blind"].assign(metric="won back", scheme="blind guess")
        )
    every = study.summarise(_named(pd.concat(parts)).drop(columns=["draw"]))
    order = [*taken_back.RELEASES, "blind guess"]
    return ch.save(
        "won_back", every.sort_values("scheme", key=lambda s: s.map(order.index), kind="stable")
    )


def _shares(runs: pd.DataFrame) -> pd.DataFrame:
    """The share won back by the best guess, and of what a blind guess misses, for each draw."""
    by = ["world", "draw", "dataset", "scheme", "known"]
    wide = runs.groupby([*by, "metric"], sort=False)["value"].mean().unstack().reset_index()
    best = wide[list(GUESSES)].max(axis=1)
    return _named(wide.assign(won=best, beyond=(best - wide["blind"]) / (1 - wide["blind"])))


def rotated(ch) -> study.Rows:
    """The rotated table with twice as many known records as attributes; wrong: half as many, records mixed up."""
    every = _shares(ch.get(known).query("scheme == 'rotated'"))
    twice = every["dataset"].map({TABLES[d]: rotation_known(d) for d in TABLES})
    pair = [{"dataset": d, "scheme": "rotated", "known": rotation_known(d), "draw": i}
            for d in TABLES for i in range(ch.sizes["draws"])]  # fmt: skip
    mixed = _in_worlds(ch, taken_back.won_back, pair, READINGS["known_plants"][:1], ours=False)
    half = every[every["known"] == twice // 4].assign(world="half as many as attributes")
    return study.Rows(every[every["known"] == twice], pd.concat([_shares(mixed), half]), "draw")


def distorted(ch) -> study.Rows:
    """Tables of BSVD, AIBR and kCG before one who knows 20 records; wrong: any row is taken for hers."""
    cells = taken_back.known_cells(["BSVD", "AIBR", "kCG"], [20], ch.sizes["draws"])
    wrong = _in_worlds(ch, taken_back.won_back, cells, READINGS["known_plants"][1:], ours=False)
    return study.Rows(_shares(ch.get(known).query("known == 20")), _shares(wrong), "draw")


def guesses(ch) -> pd.DataFrame:
    """The share of values won back by each guess of one who knows 20 records."""
    twenty = ch.get(known).query("known == 20")
    table = twenty.groupby(["dataset", "scheme", "metric"])["value"].mean().unstack()
    return ch.save("guesses", _named(table[["blind", *GUESSES]].reset_index()))


# Told together ------------------------------------------------------------------------------------


def told_together(ch=None) -> study.Rows:
    """Noise told apart over noise told together: fair answers and all of Adult's pairs. Wrong: four answers together; the
    same chance of guessing both in place of the same ε."""
    everyone, fair = respondents("adult").everyone, np.full(4, 0.25)
    pairs = {f"{a} and {b}": everyone.marginal(a, b).proportions().densified().values
             for a, b in combinations(everyone.names, 2)}  # fmt: skip
    shares = {"fair answers": fair} | {name: p for name, p in pairs.items() if (p > 0).all()}

    def ratios(name: str, p: np.ndarray, epsilon: float, **how) -> pd.DataFrame:
        what = ("pair", "first", "second")
        return pd.DataFrame(
            {
                "what": what,
                "of": name,
                "ε": epsilon,
                "mean": together.ratios(together.noises(p, epsilon, **how)),
            }
        )

    # what is kept of an answer apart where both are guessed as often as together
    coin = {e: 2 * math.sqrt(math.exp(e) / (math.exp(e) + 3)) - 1 for e in together.EPSILONS}
    ours = [ratios(name, p, e) for e in together.EPSILONS for name, p in shares.items()]
    wrong = {
        "four answers": [ratios("fair answers", fair, e, size=4) for e in coin],
        "at the same chance of guessing both": [
            ratios("fair answers", fair, e, coin=c) for e, c in coin.items()
        ],
    }
    plants = tidy.in_worlds({name: pd.concat(parts) for name, parts in wrong.items()})
    return study.Rows(pd.concat(ours), plants)


def gains(ch=None) -> pd.DataFrame:
    """For fair answers the noise told together in parts of the noise told apart."""
    every = together.gains([0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
    return every.rename(columns={"epsilon": "ε"})


# Numbers ------------------------------------------------------------------------------------------


def numbers(ch) -> dict[str, Any]:
    """What AIBR's released values explain of the variance, as they are."""
    runs = ch.get(known).query("known == 20 and scheme == 'AIBR' and metric == 'explained: read'")
    shares = 100 * runs.groupby("dataset")["value"].mean()
    return {"aibr-low": shares.min(), "aibr-high": shares.max()}
