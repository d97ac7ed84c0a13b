"""Simulated fieldwork: surveys of people of whom some do not follow, and what their estimates are worth."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from ppdm.contract import Survey
from ppdm.survey import compliance


class Fieldwork(NamedTuple):
    """What many surveys show: how often the 95 % interval covers, corrected and not; the median width of the
    corrected one, and of an oracle's who knows how many do not follow; how often nothing could be told; the mean of
    the uncorrected share; how often a test refuses that all follow, and how often the warning beside the uncorrected
    estimate names no more people than those who do not follow."""

    corrected: float
    plain: float
    width: float
    oracle: float
    untold: float
    estimate: float
    refused: float
    warned: float


def fieldwork(
    survey: Survey,
    n: int,
    share: float,
    surveys: int,
    rng: np.random.Generator,
    *,
    careless: float = 0.0,
    always: float = 0.0,
    device: str = "browser",
) -> Fieldwork:
    """So many surveys of n people, a share of whom truly gives the last answer to the first question.

    Some answer at random, some always the same, to the question as to its anchors. (Only those who answer at random,
    where the page draws.) What is corrected is the first model that the reports can tell.

    >>> spec = {"mechanism": "crosswise", "p": 0.2628, "attributes": ["A", "anchor"]}
    >>> yes = ["no", "yes"]
    >>> survey = Survey({"A": yes, "anchor": yes}, [spec], known={"anchor": [1, 0]})
    >>> result = fieldwork(survey, 2000, 0.1, 1000, np.random.default_rng(1), careless=0.1)
    >>> result.plain < 0.7, 0.93 < result.corrected < 0.97
    (True, True)
    """
    name = survey.protected[0]
    asked, others, known = compliance.with_anchors(survey, name, device)
    truth = [np.array([1 - share, share]), *known]
    people = {"careless": careless, "always": always}
    gone = careless + always
    reports = [(1 - gone, [own.M @ true for own, true in zip(asked, truth, strict=True)])]
    reports += [
        (part, [habits[habit] for habits in others]) for habit, part in people.items() if part
    ]
    cells = sum(part * reduce(np.multiply.outer, each) for part, each in reports)
    counts = rng.multinomial(n, np.ravel(cells), size=surveys).reshape(surveys, *np.shape(cells))

    plain, own = compliance.plain_model(survey, name), counts.sum(axis=tuple(range(2, counts.ndim)))
    habits = [part * others[0][habit] for habit, part in people.items() if part]
    mixed = sum(habits, np.zeros(len(plain.X))) / (gone or 1)
    corrected = compliance.solve(compliance.models(survey, name, device)[0], counts).share(1)
    uncorrected = compliance.solve(plain, own)
    oracle = compliance.supposed(plain, own, mixed, gone).share(1)
    estimate, se, *_ = uncorrected.share(1)
    moved = compliance.supposed(plain, own, others[0]["careless"], compliance.SUPPOSED[-1])
    enough = compliance.moving(estimate, se, moved.share(1)[0])

    def covered(low: np.ndarray, high: np.ndarray) -> float:
        return float(np.mean((low <= share) & (share <= high)))

    def width(low: np.ndarray, high: np.ndarray) -> float:
        return float(np.median(np.nan_to_num(high - low, nan=np.inf)))

    return Fieldwork(
        covered(*corrected[2:]), covered(*uncorrected.share(1)[2:]), width(*corrected[2:]), width(*oracle[2:]),
        float(np.mean(np.isnan(corrected[2]))), float(np.mean(estimate)),
        float(np.mean(uncorrected.fit < compliance.REFUSED)), float(np.mean(enough <= gone)),
    )  # fmt: skip
