"""[Chapter 5] Is one grouping of answers safer than another? Only before a certain attacker.

A grouping of three yes/no answers is a channel of eight records. If one were a post-processing of
another, nobody could do better with its reports (`ppdm.privacy.channel.refinement`). `table` asks the
linear programme for every pair; where it says no it hands over a gain, that is an attacker, and
`preferred` shows which attackers that have a name prefer which grouping.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, reduce
from itertools import permutations

import numpy as np
import pandas as pd

from ppdm.domain import held
from ppdm.papers.which.design import _group
from ppdm.privacy.channel import blind, posterior, refinement

ANSWERS = 3
#: Shorter names of the groupings of three answers; the last answer is the class.
GROUPINGS = {
    "one group": ((0, 1, 2),),
    "two groups, AB|C": ((0, 1), (2,)),
    "two groups, AC|B": ((0, 2), (1,)),
    "two groups, BC|A": ((1, 2), (0,)),
    "three groups": ((0,), (1,), (2,)),
}


@lru_cache(maxsize=64)
def channel_of(grouping: str, theta: float) -> np.ndarray:
    """The 8 by 8 channel of a grouping; records in the order of their digits ABC.

    >>> channel_of("one group", 0.7)[:, 0]
    array([0.7, 0. , 0. , 0. , 0. , 0. , 0. , 0.3])
    """
    groups = GROUPINGS[grouping]
    order = [answer for group in groups for answer in group]
    M = reduce(np.kron, [_group(theta, len(group)) for group in groups])
    digits = np.array(list(np.ndindex(*[2] * ANSWERS)))
    place = np.ravel_multi_index(tuple(digits[:, order].T), (2,) * ANSWERS)
    return held(M[np.ix_(place, place)])


def table(thetas: Iterable[float]) -> pd.DataFrame:
    """For each pair of groupings and θ: is the second one a post-processing of the first?

    `margin` is how much more often an attacker with the separating gain is right with the second one.

    >>> frame = table([0.7])
    >>> int(frame["refines"].sum()), bool((frame["margin"] > 1e-3).all())
    (0, True)
    """
    rows = []
    for theta in thetas:
        for first, second in permutations(GROUPINGS, 2):
            found = refinement(channel_of(first, theta), channel_of(second, theta))
            rows.append({"theta": theta, "first": first, "second": second, "refines": found.holds,
                         "margin": _normed(found)})  # fmt: skip
    return pd.DataFrame(rows)


def _normed(found) -> float:
    """The margin for gains from 0 to 1."""
    return 0.0 if found.gain is None else float(found.margin / np.ptp(found.gain))


def attackers() -> dict[str, np.ndarray]:
    """Goals with a name, as gains [guess, record] over three answers.

    >>> {name: gain.shape[0] for name, gain in attackers().items()}["the whole record"]
    8
    """
    digits = np.array(list(np.ndindex(*[2] * ANSWERS)))
    A, B, C = digits.T

    def told(secret: np.ndarray) -> np.ndarray:
        return (secret == np.unique(secret)[:, None]).astype(float)

    return {
        "one answer": told(C),
        "do two answers agree?": told(A == B),
        "two answers": told(2 * A + C),
        "the whole record": told(4 * A + 2 * B + C),
        "the whole record, but for one answer": (
            np.abs(digits[:, None] - digits[None]).sum(axis=2) <= 1
        ).astype(float),
        "is the number of yes odd?": told((A + B + C) % 2),
    }


def preferred(theta: float, prior: np.ndarray | None = None) -> pd.DataFrame:
    """The chance of each named attacker under one, two (AB|C) and three groups, and the blind one.

    >>> frame = preferred(0.7).set_index("goal")
    >>> frame.loc["the whole record", ["one group", "three groups"]].round(3).to_list()
    [0.7, 0.343]
    """
    shares = np.full(2**ANSWERS, 2.0**-ANSWERS) if prior is None else prior
    rows = []
    for goal, gain in attackers().items():
        chances = {
            name: posterior(channel_of(name, theta), shares, gain)
            for name in ("one group", "two groups, AB|C", "three groups")
        }
        rows.append({"goal": goal, **chances, "blind": blind(shares, gain)})
    return pd.DataFrame(rows)


def needed(theta: float, coarse: str = "one group", fine: str = "three groups") -> float:
    """The least θ of one grouping from which the other one, at its own θ, can be made by post-processing.

    From there on nobody prefers the second; below, somebody does.

    >>> 0.7 < needed(0.7) < 1
    True
    """
    low, high = theta, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        if refinement(channel_of(coarse, middle), channel_of(fine, theta)).holds:
            high = middle
        else:
            low = middle
    return high
