"""[Chapter 5] What the papers' schemes cost beside the best there is for what one tabulates.

Each scheme is a matrix on records or answers. It is compared with the certified least noise of any
scheme that protects as much, by one of three rulers: its own epsilon, where it has one; or its own
attacker, who knows the shares: the chance that his best guess is right after the report that tells him
most (delta), or on average over the reports. The noise is that of the disguise alone, summed over the
numbers of a workload: `costs` is the table.

The answers are alike in number, 8: three yes/no answers, or one question with eight; evenly
distributed, or as uneven as three of Adult's answers are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache, reduce

import numpy as np
import pandas as pd

from ppdm.channel import matrix_epsilon
from ppdm.disguise.matrix import warner
from ppdm.disguise.today import subset_selection, two_coins, unary
from ppdm.domain import held
from ppdm.optimise import (
    best_ldp_scheme,
    best_scheme,
    max_posterior,
    noise,
    optrr,
    privacy,
    workload_of,
)
from ppdm.papers.common import respondents

SIZE, ANSWERS = 8, (2, 2, 2)
#: Zhan & Du's groups, of three answers (the last is the class).
GROUPS = {
    "one group": ((0, 1, 2),),
    "two groups": ((0, 1), (2,)),
    "three groups": ((0,), (1,), (2,)),
}
#: Adult's answers for the uneven prior; the last is the class.
ADULT = ("sex", "hours-per-week", "income")
WORKLOADS = ("cells", "prefixes", "pairs")
SCHEMES = (
    "one group", "two groups", "three groups", "unrelated question", "Warner", "UP", "OptRR",
    "subset selection", "optimised unary", "RAPPOR's coins",
)  # fmt: skip
#: Today's, on one question with eight answers.
TODAY: dict[str, Callable[[int, float], np.ndarray]] = {
    "subset selection": subset_selection,
    "optimised unary": unary,
    "RAPPOR's coins": two_coins,
}
#: A parameter of each that the papers show, or one in the middle of what they show.
PARAMETERS = {
    "one group": 0.7, "two groups": 0.7, "three groups": 0.7, "unrelated question": 0.4, "Warner": 0.5,
    "UP": 0.7, "OptRR": 0.75, "subset selection": 1.0, "optimised unary": 1.0, "RAPPOR's coins": 0.25,
}  # fmt: skip


def costs(
    schemes: Iterable[str] = SCHEMES, priors: Iterable[str] = ("even", "Adult")
) -> pd.DataFrame:
    """A row for each scheme, prior, ruler and workload: its noise, the least possible, and their ratio.

    `gap` is what the least is certified to: no scheme with this protection has less than
    ``least / (1 + gap)``.

    >>> frame = costs(["three groups"], ["even"])
    >>> row = frame[(frame["ruler"] == "ε") & (frame["workload"] == "pairs")].iloc[0]
    >>> f"{row['level']:.2f} {row['noise']:.2f} {row['times']:.1f}"
    '2.54 24.28 8.9'
    """
    rows = [row for prior in priors for scheme in schemes for row in cost(scheme, prior)]
    return pd.DataFrame(rows)


def cost(scheme: str, prior: str, parameter: float | None = None) -> list[dict]:
    """The rows of one scheme.

    >>> sorted({row["ruler"] for row in cost("one group", "even")})     # it has no ε
    ['average report', 'worst report']
    """
    shares = np.asarray(prior_of(prior))
    theta = PARAMETERS[scheme] if parameter is None else parameter
    matrix = matrix_of(scheme, theta, tuple(shares))
    rows = []
    for workload in WORKLOADS:
        asked = workload_of(workload, shares, ANSWERS)
        own = float(noise(matrix, shares, asked))
        for ruler, level in rulers(matrix, shares):
            best = _least(ruler, level, tuple(shares), workload)
            rows.append({
                "scheme": scheme, "parameter": theta, "prior": prior, "ruler": ruler, "level": level,
                "workload": workload, "noise": own, "least": best.noise, "gap": best.noise_gap,
                "times": own / best.noise,
            })  # fmt: skip
    return rows


def rulers(matrix: np.ndarray, prior: np.ndarray) -> list[tuple[str, float]]:
    """A scheme's own ε, if it has one, and its own attacker's best guess.

    >>> rulers(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]))
    [('ε', 1.09...), ('worst report', 0.75), ('average report', 0.75)]
    """
    epsilon = matrix_epsilon(matrix)
    own = [
        ("worst report", float(max_posterior(matrix, prior))),
        ("average report", 1 - float(privacy(matrix, prior))),
    ]
    return [("ε", epsilon), *own] if math.isfinite(epsilon) else own


def prior_of(name: str) -> tuple[float, ...]:
    """Shares of the eight answers.

    >>> prior_of("even")[0]
    0.125
    """
    if name == "even":
        return (1 / SIZE,) * SIZE
    if name == "Adult":
        return _adult()
    raise ValueError(f"the prior is 'even' or 'Adult'; got {name!r}")


@lru_cache(maxsize=1)
def _adult() -> tuple[float, ...]:
    table = respondents("adult").everyone.marginal(*ADULT).proportions().densified()
    return tuple(float(v) for v in table.values)


@lru_cache(maxsize=256)
def matrix_of(scheme: str, parameter: float, prior: tuple[float, ...]) -> np.ndarray:
    """A scheme's matrix on the eight answers.

    >>> matrix_of("one group", 0.7, prior_of("even"))[:, 0].round(2)
    array([0.7, 0. , 0. , 0. , 0. , 0. , 0. , 0.3])
    """
    return held(_matrix_of(scheme, parameter, prior))


def _matrix_of(scheme: str, parameter: float, prior: tuple[float, ...]) -> np.ndarray:
    if scheme in GROUPS:
        return reduce(np.kron, [_group(parameter, len(group)) for group in GROUPS[scheme]])
    if scheme in ("unrelated question", "UP"):  # fair personal answers: UP on the record
        return parameter * np.eye(SIZE) + (1 - parameter) / SIZE
    if scheme == "Warner":
        return warner(parameter, SIZE)[0]
    if scheme == "OptRR":
        return _searched(parameter, prior)
    if scheme in TODAY:
        return TODAY[scheme](SIZE, parameter)
    raise ValueError(f"the scheme is one of {', '.join(SCHEMES)}; got {scheme!r}")


def _group(theta: float, answers: int) -> np.ndarray:
    """[Zhan & Du 4.1] All answers of a group true, or all reversed."""
    same = np.eye(2**answers)
    return theta * same + (1 - theta) * same[::-1]


def _searched(delta: float, prior: tuple[float, ...]) -> np.ndarray:
    """OptRR's matrix in the middle of its front, by a search of the paper's kind with a fixed seed."""
    shares = np.array(prior)
    front = optrr(shares, delta, np.random.default_rng(2008), generations=2_000)
    middle = (1 - delta + 1 - shares.max()) / 2
    return front.matrices[np.abs(front.privacy - middle).argmin()]


@lru_cache(maxsize=256)
def _least(ruler: str, level: float, prior: tuple[float, ...], workload: str):
    asked = workload_of(workload, np.array(prior), ANSWERS)
    if ruler == "ε":
        return best_ldp_scheme(np.array(prior), level, workload=asked)
    shares, highest = np.array(prior), 1 - max(prior)
    if ruler == "worst report":
        return best_scheme(shares, min(level, 1.0), workload=asked)
    return best_scheme(shares, 1.0, min(1 - level, highest), workload=asked)
