"""[Huang & Du, Sections III to V] What decides the claims on formulas: identities, counts, and simulated surveys."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd

from ppdm import study
from ppdm.estimate import em
from ppdm.optimise import (
    frapp,
    max_posterior,
    mse,
    objectives,
    privacy,
    uniform_perturbation,
    warner,
)
from ppdm.papers.optrr import experiment
from ppdm.papers.optrr.experiment import normal_prior, warner_limits
from ppdm.papers.optrr.readings import READINGS
from ppdm.study import tidy

FOUR = np.array([0.1, 0.2, 0.3, 0.4])
THREE = np.array([0.5, 0.3, 0.2])
PEOPLE, SURVEYS = 400, 300  # of a simulated survey of four answers; so many of them
FEW = 6  # people of a survey all of whose outcomes are gone through
DELTAS = [0.6, 0.7, 0.8, 0.9]  # the bounds of Figure 4
PRINTED_LIMITS = [0.6, 0.5, 0.4, 0.22]  # of Warner's matrices
WITHIN = [0.05, 0.05, 0.05, 0.005]  # half a unit of what is printed


def _sides(ours, theirs, **columns) -> pd.DataFrame:
    return pd.DataFrame({"ours": np.ravel(ours), "theirs": np.ravel(theirs), **columns})


def surveys(ch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Simulated surveys of four answers: the reported shares, these undone, and EM's estimates."""
    matrix, rng = warner(0.5, 4)[0], np.random.default_rng(ch.seed)
    counts = experiment.simulated_surveys(matrix, FOUR, PEOPLE, SURVEYS, rng)
    shares = counts / PEOPLE
    return shares, shares @ np.linalg.inv(matrix).T, np.array([em(c, matrix) for c in counts])


def every_survey(people: int = FEW) -> tuple[np.ndarray, np.ndarray]:
    """All shares of four reported answers that so many people can give, and the chance of each.

    >>> shares, chances = every_survey()
    >>> len(shares), round(chances.sum(), 12)
    (84, np.float64(1.0))
    """
    counts = np.array([c for c in product(range(people + 1), repeat=4) if sum(c) == people])
    ways = [math.factorial(people) / math.prod(map(math.factorial, c)) for c in counts.tolist()]
    return counts / people, ways * ((warner(0.5, 4)[0] @ FOUR) ** counts).prod(axis=1)


def unbiased(ch=None) -> study.Rows:
    """[Theorem 1] The mean of each share, undone, over all surveys of six people; wrong: not undone."""
    shares, chances = every_survey()
    undone = chances @ shares @ np.linalg.inv(warner(0.5, 4)[0]).T
    wrong = _sides(chances @ shares, FOUR).assign(world="no undoing")
    return study.Rows(_sides(undone, FOUR), wrong)


def likeliest(ch) -> study.Rows:
    """[Theorem 1] The undone shares beside the likeliest, survey by survey; wrong: another survey's."""
    _, inverted, likely = ch.get(surveys)
    inside = (inverted > 1e-3).all(axis=1)
    other = np.roll(inverted[inside], 1, axis=0)
    return study.Rows(
        _sides(inverted, likely, inside=np.repeat(inside, 4)),
        _sides(other, likely[inside], inside=True).assign(world="somebody else's survey"),
    )


def iterated(ch) -> study.Rows:
    """[Eq. 3] The iteration, as printed and with the index that is free, beside the likeliest; wrong: one step."""
    shares, _, likely = ch.get(surveys)
    matrix = warner(0.5, 4)[0]
    printed = _sides(experiment.equation_3(shares, matrix, printed=True), likely, index="printed")
    right = _sides(experiment.equation_3(shares, matrix), likely, index="free")
    once = _sides(experiment.equation_3(shares, matrix, steps=1), likely, index="free")
    return study.Rows(
        pd.concat([printed, right]), pd.concat([printed, once]).assign(world="one step")
    )


def families(ch) -> study.Rows:
    """[Theorem 2] UP and FRAPP beside Warner's 1,001 matrices; wrong: UP with q a probability."""
    p = np.linspace(0, 1, 1001)
    q, lam = (10 * p - 1) / 9, np.divide(9 * p, 1 - p, out=np.full(1001, np.inf), where=p < 1)
    theirs = warner(p, 10)
    narrow = _sides(uniform_perturbation(np.clip(q, 0, 1), 10), theirs)
    both = pd.concat([_sides(uniform_perturbation(q, 10), theirs), _sides(frapp(lam, 10), theirs)])
    ours = pd.concat([narrow.assign(range="as printed"), both.assign(range="whole")])
    wrong = pd.concat([narrow.assign(range=which) for which in ("as printed", "whole")])
    return study.Rows(ours, wrong.assign(world="q from 0 up"))


def guesses(ch) -> study.Rows:
    """[Theorems 3 to 5] In 200 random matrices: MAP beside all 256 rules and 10,000 random ones; the largest posterior.

    Each theorem has its wrong world: the most common answer, who knows the answer, the smallest posterior.
    """
    rng = np.random.default_rng(ch.seed)
    matrices = rng.dirichlet(np.ones(4), size=(200, 4)).transpose(0, 2, 1)
    mixed = rng.dirichlet(np.full(4, 0.2), size=(200, 50, 4))  # R[y, x] for each matrix
    right = np.einsum("mryx,myx->mr", mixed, matrices * FOUR).max(axis=1)
    by_map, shares = 1 - privacy(matrices, FOUR), np.einsum("myx,x->my", matrices, FOUR)
    likeliest = (matrices * FOUR).max(axis=2) / shares  # after each report
    frame = pd.DataFrame({
        "matrix": np.arange(200), "ours": [experiment.every_guess_rule(m, FOUR).max() for m in matrices], "theirs": by_map,
        "over": right - by_map, "posterior": max_posterior(matrices, FOUR) - FOUR.max(),
    })  # fmt: skip
    plants = {"the most common answer": frame.assign(ours=FOUR.max()), "who knows the answer": frame.assign(over=1 - by_map),
              "the smallest posterior": frame.assign(posterior=likeliest.min(axis=1) - FOUR.max())}  # fmt: skip
    return study.Rows(frame, tidy.in_worlds(plants))


def theorem_6(ch=None) -> study.Rows:
    """[Theorem 6] The formula beside the error over all surveys of six people, as `printed` and with each pair `once`;
    wrong: no covariances."""
    matrix, (shares, chances) = warner(0.5, 4)[0], every_survey()
    error = chances @ (shares @ np.linalg.inv(matrix).T - FOUR) ** 2
    printed, alone = (experiment.theorem_6_as_printed(matrix, FOUR, FEW, times) for times in (2, 0))
    once = objectives.mse_of_inversion(matrix, FOUR, FEW)

    def both(once: np.ndarray) -> pd.DataFrame:
        return pd.concat(
            [_sides(f, error, times=t) for t, f in (("printed", printed), ("once", once))]
        )

    return study.Rows(both(once), both(alone).assign(world="covariances left out"))


def dominating(prior: np.ndarray, respondents: int) -> np.ndarray:
    """The errors of Warner's matrices as private as that with all entries 1/n, where they are finite."""
    stack, blind = warner(np.linspace(0, 1, 1001), 3), np.full((3, 3), 1 / 3)
    error = mse(stack, prior, respondents)
    return error[(privacy(stack, prior) >= privacy(blind, prior) - 1e-12) & np.isfinite(error)]


def blind(ch) -> study.Rows:
    """[Section III.C] How many of Warner's matrices dominate the blind one, for three priors."""
    even = {
        "three equally common answers": np.full(3, 1 / 3),
        "prior .4, .3, .3": np.array([0.4, 0.3, 0.3]),
    }
    number = {
        name: len(dominating(p, ch.settings["respondents"]))
        for name, p in ({"ours": THREE} | even).items()
    }
    frame = tidy.in_worlds({name: _sides([count], [0]) for name, count in number.items()})
    return study.Rows(frame[frame["world"] == "ours"], frame[frame["world"] != "ours"])


def matrices_counted(ch) -> study.Rows:
    """[Fact 1] The matrices of ten categories with entries in hundredths; wrong: of nine."""
    ten, nine = (
        pd.DataFrame({"mean": [float(objectives.number_of_matrices(n, 100))]}) for n in (10, 9)
    )
    return study.Rows(ten, nine.assign(world="nine categories"))


# Warner's limits ----------------------------------------------------------------------------------


def held_out() -> list[float]:
    """Each printed limit, foretold by a normal prior that was fitted to the other three alone.

    Of all deviations from 1 to 3 (mean 5.5) under which the other three round as printed, the
    middle one is taken.
    """
    deviations = np.arange(1.0, 3.001, 0.02)
    limits = np.array([warner_limits(normal_prior(sd=sd), DELTAS) for sd in deviations])
    fits = np.abs(limits - PRINTED_LIMITS) <= WITHIN
    others = [np.flatnonzero(np.delete(fits, i, axis=1).all(axis=1)) for i in range(len(DELTAS))]
    return [float(limits[fit[len(fit) // 2], i]) for i, fit in enumerate(others)]


def limits(ch) -> study.Rows:
    """[VI.C.1] Warner's four limits, foretold and fitted, and with other normals; wrong: those of the next bound."""
    fitted = warner_limits(normal_prior(sd=ch.settings["normal_sd"]), DELTAS)
    both = {"foretold": held_out(), "fitted": fitted}
    next_to_it = [*fitted[1:], fitted[-2]]
    worlds = {"ours": both} | {
        r.name: dict.fromkeys(both, warner_limits(
            normal_prior(r.options.get("normal_mean", 5.5), r.options["normal_sd"]), DELTAS))
        for r in READINGS if "normal_sd" in r.options
    }  # fmt: skip

    def long(fits: dict) -> pd.DataFrame:
        return pd.DataFrame({"delta": DELTAS, **fits}).melt(
            "delta", var_name="fit", value_name="mean"
        )

    frame = tidy.in_worlds({name: long(fits) for name, fits in worlds.items()})
    return study.Rows(frame, long(dict.fromkeys(both, next_to_it)).assign(world="the next bound"))
