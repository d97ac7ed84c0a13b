"""[Zhan & Matwin 4] PSE, the privacy of a single entry.

The collector guesses an answer by drawing from its distribution given the report. PSE is the chance
that the guess is wrong:

    PSE = sum over r of 2 P(O=1, R=r) P(O=0, R=r) / P(R=r)

Each of the paper's four components is one order of (true value, guess) for one report r.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ppdm.chance import generator
from ppdm.disguise import Mechanism
from ppdm.table import Table


def pse(q: ArrayLike, w_a: ArrayLike, w_y: ArrayLike = 0.5) -> np.ndarray:
    """[Zhan & Matwin 4] PSE of one answer, derived from its four components.

    `w_a` and `w_y` are the probabilities of a one in the private and in the personal answers.
    Arrays are broadcast.

    >>> pse(0.0, 0.5), pse(1.0, 0.5)
    (array(0.5), array(0.))
    """
    return np.asarray(sum(components(q, w_a, w_y)))


def components(q: ArrayLike, w_a: ArrayLike, w_y: ArrayLike = 0.5) -> tuple[np.ndarray, ...]:
    """[Zhan & Matwin 4] Comp_1 to Comp_4: (true, report) = (1,1), (1,0), (0,1), (0,0), guess wrong.

    >>> [float(c) for c in components(0.0, 0.5)]
    [0.125, 0.125, 0.125, 0.125]
    """
    q, w_a, w_y = (_probability(name, x) for name, x in (("q", q), ("w_a", w_a), ("w_y", w_y)))
    prior = (1 - w_a, w_a)
    stranger = (1 - w_y, w_y)

    def joint(true: int, report: int) -> np.ndarray:
        return prior[true] * (q * (true == report) + (1 - q) * stranger[report])

    def component(true: int, report: int) -> np.ndarray:
        right, wrong = joint(true, report), joint(1 - true, report)
        total = right + wrong
        return np.divide(right * wrong, total, out=np.zeros(np.shape(total)), where=total > 0)

    return component(1, 1), component(1, 0), component(0, 1), component(0, 0)


def pse_as_printed(q: ArrayLike, w_a: ArrayLike, w_y: ArrayLike = 0.5, scan: int = 1) -> np.ndarray:
    """[Zhan & Matwin, Eq. 2] The closed form as the two scans of the paper print it.

    They differ in the first denominator: ``(1-q) W_y (1-W_a)`` in the first scan,
    ``(1-q) (1-W_y) (1-W_a)`` in the second. Both agree with :func:`pse` at W_y = 1/2 only.

    >>> bool(np.isclose(pse_as_printed(0.3, 0.2), pse(0.3, 0.2)))
    True
    """
    if scan not in (1, 2):
        raise ValueError(f"there are two scans, 1 and 2; got {scan!r}")
    q, w_a, w_y = (_probability(name, x) for name, x in (("q", q), ("w_a", w_a), ("w_y", w_y)))
    told_one, told_zero = q + (1 - q) * w_y, q + (1 - q) * (1 - w_y)
    stranger = w_y if scan == 1 else 1 - w_y
    first = (1 - w_a) * w_a * (1 - q) * told_one / (told_one * w_a + (1 - q) * stranger * (1 - w_a))
    second = (
        2
        * w_a
        * (1 - w_a)
        * (1 - q)
        * (1 - w_y)
        * told_zero
        / (told_zero * (1 - w_a) + (1 - q) * (1 - w_y) * w_a)
    )
    return first + second


def pse_given_record(mechanism: Mechanism, prior: Table, attribute: str) -> float:
    """PSE of one answer when the collector looks at the whole record that was sent.

    The game is the paper's; only the report is larger:
    the sum over reports r and values v of P(O=v, r) (1 - P(O=v | r)).

    >>> from ppdm import UnrelatedQuestion, count
    >>> import pandas as pd
    >>> prior = count(pd.DataFrame({"A": [0, 1], "B": [0, 1]}))
    >>> round(pse_given_record(UnrelatedQuestion(0.5), prior, "A"), 4), float(pse(0.5, 0.5))
    (0.3333, 0.375)
    """
    joint = mechanism.answer_and_report(prior, attribute)
    total = joint.sum(axis=0)
    wrong = joint * (total - joint)
    return float(np.divide(wrong, total, out=np.zeros_like(joint), where=total > 0).sum())


def guessing_game(q: float, w_a: float, w_y: float, rounds: int, rng: np.random.Generator) -> float:
    """[Zhan & Matwin 4] Play it: the share of rounds in which the guess is wrong.

    >>> guessing_game(1.0, 0.3, 0.5, 100, np.random.default_rng(1))
    0.0
    """
    rng = generator(rng)
    true = rng.random(rounds) < w_a
    report = np.where(rng.random(rounds) < q, true, rng.random(rounds) < w_y)
    truths = np.array([w_a * (q * r + (1 - q) * (w_y if r else 1 - w_y)) for r in (0, 1)])
    lies = np.array([(1 - w_a) * (q * (1 - r) + (1 - q) * (w_y if r else 1 - w_y)) for r in (0, 1)])
    with np.errstate(invalid="ignore"):
        posterior = truths / (truths + lies)
    guess = rng.random(rounds) < posterior[report.astype(int)]
    return float((guess != true).mean())


def _probability(name: str, value: ArrayLike) -> np.ndarray:
    values = np.asarray(value, dtype=float)
    if ((values < 0) | (values > 1)).any() or np.isnan(values).any():
        raise ValueError(f"{name} is a probability, from 0 to 1; got {values.tolist()!r}")
    return values
