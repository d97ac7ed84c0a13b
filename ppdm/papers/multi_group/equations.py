"""[Zhan & Du 4] The equations as the paper prints them, and what decides the claims about them.

The matrices (Eqs. 3 to 7), the class in the conditions of a node (Eqs. 12, 13). No chance is involved: reports are
the *expected* ones, or any at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import pandas as pd

from ppdm.disguise import MultiGroup
from ppdm.table import Table, count

#: Exponents k of θ^k (1-θ)^(M-k) in M_1, M_2 and M_3, row by row, as scanned.
PRINTED = {
    1: ["10", "01"],
    2: ["2110", "1201", "1021", "0112"],
    3: [
        "32212110",
        "23121101",
        "21321021",
        "12230112",
        "21103221",
        "12012312",
        "10212132",
        "01121223",
    ],
}


def exponents(groups: int) -> np.ndarray:
    """The printed matrix as exponents of θ.

    >>> exponents(1).tolist()
    [[1, 0], [0, 1]]
    """
    return np.array([[int(digit) for digit in row] for row in PRINTED[groups]])


def matrix(k: np.ndarray, theta: float) -> np.ndarray:
    """The matrix with these exponents.

    >>> matrix(exponents(1), 0.7).round(1).tolist()
    [[0.7, 0.3], [0.3, 0.7]]
    """
    return theta**k * (1 - theta) ** (k.max() - k)


def mechanism(groups: int, theta: float) -> np.ndarray:
    """The right matrix, from what the package's mechanism does to each of the 2^M records.

    >>> bool(np.allclose(mechanism(2, 0.7), matrix(exponents(2), 0.7)))
    True
    """
    answers = [f"E{i + 1}" for i in range(groups)]
    empty = count(pd.DataFrame([[0] * groups], columns=answers))
    return MultiGroup(theta, [[name] for name in answers]).matrix(empty.domain)


def mended(other: bool = False) -> np.ndarray:
    """[Zhan & Du, Eq. 8] M_3 with the entry of row 2, column 6 as its mirror image; with `other`, the reverse."""
    k = exponents(3)
    k[(5, 1) if other else (1, 5)] = k[(1, 5) if other else (5, 1)]
    return k


def right() -> np.ndarray:
    """[Zhan & Du, Eq. 8] The exponents that M_3 should have.

    >>> int((right() != exponents(3)).sum())
    1
    """
    return np.rint(np.log(mechanism(3, 0.8) / 0.2**3) / np.log(0.8 / 0.2)).astype(int)


def off_by(theta: float) -> float:
    """[Zhan & Du, Eq. 8] By which multiple of P(Ē1 E2 Ē3) the printed M_3 makes P(E1 E2 E3) wrong.

    >>> round(off_by(0.7), 3)
    -0.162
    """
    behind = np.eye(8)[5]  # everybody is not-E1, E2, not-E3
    reported = mechanism(3, theta) @ behind
    return float(np.linalg.solve(matrix(exponents(3), theta), reported)[0])


def undo(counts: np.ndarray, axes_of_groups: Sequence[tuple[int, ...]], theta: float) -> np.ndarray:
    """[Zhan & Du, Eq. 3] One group after the other, each by flipping its axes."""
    for axes in axes_of_groups:
        counts = (theta * counts - (1 - theta) * np.flip(counts, axes)) / (2 * theta - 1)
    return counts


def share(reports: Table, *parts: dict) -> float:
    """The share of the reports that satisfy all parts of an expression; none does if they clash."""
    both: dict = {}
    for part in parts:
        if any(both.get(name, value) != value for name, value in part.items()):
            return 0.0  # class 0 and class 1: nobody
        both |= part
    return reports.p(both)


def solve(reports: Table, expressions: Sequence[tuple[dict, dict]], theta: float) -> float:
    """[Zhan & Du, Eq. 7] P(E1 E2 E3) from expressions and their opposites, one pair a group."""
    one = np.array([[theta, 1 - theta], [1 - theta, theta]])
    ways = np.ndindex(*[2] * len(expressions))
    seen = [share(reports, *(e[i] for e, i in zip(expressions, way))) for way in ways]
    return float(np.linalg.solve(reduce(np.kron, [one] * len(expressions)), seen)[0])


def at_a_node(cancer: Table) -> dict[str, float]:
    """[Zhan & Du, Eqs. 12, 13] The share of class 0 at a node of three groups on Breast Cancer, by several ways."""
    i, j, k, m = "clump-thickness", "mitoses", "bare-nuclei", "bland-chromatin"
    node, three = {i: 1, j: 0, k: 0, m: 1, "class": 0}, [[i, j, "class"], [k], [m]]
    parts = [({i: 1, j: 0}, {i: 0, j: 1}), ({k: 0}, {k: 1}), ({m: 1}, {m: 0})]  # E and its opposite
    zero, one = {"class": 0}, {"class": 1}
    eq12 = [(E | zero, opposite | one) for E, opposite in parts]  # in every group
    eq13 = [(E | zero, opposite | zero) for E, opposite in parts]  # never reversed
    seen = MultiGroup(0.8, three).apply(cancer)
    unturned = MultiGroup(0.8, [[i, j], [k], [m]]).apply(cancer)
    whole = MultiGroup(0.8, [list(node)]).apply(cancer)  # one group: Eq. (12) is right
    turned = {name: 1 - value for name, value in node.items()}
    return {
        "true": cancer.p(node), "Eq. 12": solve(seen, eq12, 0.8), "in one group": solve(seen, [eq12[0], *parts[1:]], 0.8),
        "one group": solve(whole, [(node, turned)], 0.8),
        "one group, θ = 0.7 for 0.8": solve(whole, [(node, turned)], 0.7),
        "Eq. 13": solve(unturned, eq13, 0.8), "θ = 0.7 for 0.8": solve(unturned, eq13, 0.7),
    }  # fmt: skip
