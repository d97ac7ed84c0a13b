"""[Beyond chapter 5] A later relative of the multi-group scheme: answers told together, exactly.

A cluster of answers is told as one, by k-RR on its combinations [Domingo-Ferrer & Soria-Comas 2020]:
Zhan & Du's group with another matrix. Told apart, each answer has its part of the ε.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from ppdm.optimise import noise

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)


def kept(size: int, epsilon: float, alone: bool = False) -> float:
    """What is left of a yes/no answer's effect on its report, of `size` answers with one ε.

    Together: (e^ε - 1) / (e^ε + 2^size - 1). Alone, with ε / size: tanh(ε / (2 size)).

    >>> round(kept(2, 1.0), 4), round(kept(2, 1.0, alone=True), 4)
    (0.3005, 0.2449)
    """
    if alone:
        return math.tanh(epsilon / (2 * size))
    return (math.exp(epsilon) - 1) / (math.exp(epsilon) + 2**size - 1)


def noises(
    shares: np.ndarray, epsilon: float, size: int = 2, coin: float | None = None
) -> dict[str, float]:
    """The noise of a pair's table and of each answer's share, told together and apart.

    `shares` are those of the pair's four combinations; `size` answers have one ε; `coin` is what is
    kept of an answer told apart, if it does not follow from ε.

    >>> found = noises(np.full(4, 0.25), 1.0)
    >>> [round(found[name], 1) for name in ("pair, together", "pair, apart")]
    [7.6, 77.1]
    """
    joint, single = kept(size, epsilon), kept(size, epsilon, alone=True) if coin is None else coin
    even, bit = np.full((4, 4), 0.25), np.full((2, 2), 0.5)
    one = single * np.eye(2) + (1 - single) * bit
    square = shares.reshape(2, 2)
    out = {
        "pair, together": float(noise(joint * np.eye(4) + (1 - joint) * even, shares)),
        "pair, apart": float(noise(np.kron(one, one), shares)),
    }
    for name, axis in (("first", 1), ("second", 0)):
        share = square.sum(axis=axis)
        out[f"{name}, together"] = float(noise(joint * np.eye(2) + (1 - joint) * bit, share))
        out[f"{name}, apart"] = float(noise(one, share))
    return out


def ratios(found: dict[str, float]) -> list[float]:
    """Noise told apart over noise told together: of the pair's table and of both shares."""
    return [
        found[f"{what}, apart"] / found[f"{what}, together"] for what in ("pair", "first", "second")
    ]


def gains(epsilons: Iterable[float], sizes: Iterable[int] = (2, 3, 4)) -> pd.DataFrame:
    """[The figure] For fair answers: the noise told together in parts of the noise told apart.

    >>> gains([0.1], [4])[["told together", "table", "noise"]].values.tolist()[0]
    ['4 answers', 'each share', 3.6...]
    """
    rows = []
    for size in sizes:
        for epsilon in epsilons:
            pair, first, _ = ratios(noises(np.full(4, 0.25), epsilon, size))
            for table, ratio in (("each share", first), ("each pair of them", pair)):
                rows.append(
                    {
                        "told together": f"{size} answers",
                        "epsilon": epsilon,
                        "table": table,
                        "noise": 1 / ratio,
                    }
                )
    return pd.DataFrame(rows)
