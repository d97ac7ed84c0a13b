"""[Zhan & Du 4] The equations as the paper prints them, and what decides the claims about them.

The matrices (Eqs. 3 to 7), the class in the conditions of a node (Eqs. 12, 13), the accuracy of a tree
(Eq. 15). No chance is involved: reports are the *expected* ones, or any at all. Each function named after what
it decides returns a dict, claim to its evidence, for `study.Chapter.decide_all`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import pandas as pd

from ppdm.disguise import MultiGroup, random_groups
from ppdm.learn import ID3
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.papers.multi_group.evidence import DOWN
from ppdm.papers.multi_group.experiment import divided, literal_class, training
from ppdm.papers.multi_group.readings import DATASETS
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


def matrices(theta: float) -> dict[str, dict]:
    """[Zhan & Du, Eqs. 4, 6, 8] M_1, M_2 and M_3 as printed; M_3 also with one entry mended."""
    ours, theirs, turned = (
        np.concatenate([of(m).ravel() for m in (1, 2)])
        for of in (
            lambda m: matrix(exponents(m), theta),
            lambda m: mechanism(m, theta),
            lambda m: matrix(exponents(m), 1 - theta),
        )
    )
    k = exponents(3)
    right = np.rint(np.log(mechanism(3, 0.8) / 0.2**3) / np.log(0.8 / 0.2)).astype(int)
    repaired, other = k.copy(), k.copy()
    repaired[1, 5], other[5, 1] = (
        k[5, 1],
        k[1, 5],
    )  # row 2, column 6 by its mirror image; the reverse
    printed, mended, wrongly = ((m.astype(str), right.astype(str)) for m in (k, repaired, other))
    return {
        "ZD-9": {"ours": ours, "theirs": theirs, "plants": {"coin turned": (turned, theirs)}},
        "ZD-10": {
            "plain": printed,
            "under": mended,
            "plants": {"the other entry mended": {"plain": printed, "under": wrongly}},
        },
    }


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


def group_by_group(rng: np.random.Generator) -> dict[str, dict]:
    """[Zhan & Du 4.4] Undoing group by group against the large matrix, for four to six groups."""
    solved: list[float] = []
    undone: list[float] = []
    but_one: list[float] = []
    for m in (4, 5, 6):
        seen = rng.integers(0, 100, 2**m).astype(float)  # any reports at all
        big = reduce(np.kron, [np.array([[0.7, 0.3], [0.3, 0.7]])] * m)
        axes = [(axis,) for axis in range(m)]
        solved.extend(np.linalg.solve(big, seen))
        undone.extend(undo(seen.reshape((2,) * m), axes, 0.7).ravel())
        but_one.extend(undo(seen.reshape((2,) * m), axes[:-1], 0.7).ravel())
    return {
        "ZD-11": {
            "ours": undone,
            "theirs": solved,
            "plants": {"one group not undone": (but_one, solved)},
        }
    }


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


def class_conditions(cancer: Table) -> tuple[dict[str, dict], dict[str, float]]:
    """[Zhan & Du, Eqs. 12, 13] A node of three groups on Breast Cancer, with the class in its conditions.

    The evidence, and the share of class 0 there: in truth, with the class in one group, and by Eq. (12).
    """
    i, j, k, m = "clump-thickness", "mitoses", "bare-nuclei", "bland-chromatin"
    node, three = {i: 1, j: 0, k: 0, m: 1, "class": 0}, [[i, j, "class"], [k], [m]]
    parts = [({i: 1, j: 0}, {i: 0, j: 1}), ({k: 0}, {k: 1}), ({m: 1}, {m: 0})]  # E and its opposite
    zero, one = {"class": 0}, {"class": 1}
    eq12 = [(E | zero, opposite | one) for E, opposite in parts]  # in every group
    eq13 = [(E | zero, opposite | zero) for E, opposite in parts]  # never reversed
    seen = MultiGroup(0.8, three).apply(cancer)
    literal = solve(seen, eq12, 0.8)
    unturned = MultiGroup(0.8, [[i, j], [k], [m]]).apply(cancer)
    whole = MultiGroup(0.8, [list(node)]).apply(cancer)  # one group: Eq. (12) is right
    turned = {name: 1 - value for name, value in node.items()}
    alone = {theta: [solve(whole, [(node, turned)], theta)] for theta in (0.8, 0.7)}
    truth = [cancer.p(node)]
    found = {
        "true": truth[0],
        "in one group": solve(seen, [eq12[0], *parts[1:]], 0.8),
        "Eq. 12": literal,
    }
    return {
        "ZD-13": {
            "ours": [literal],
            "theirs": truth,
            "plants": {
                "one group": (alone[0.8], truth),
                "one group, θ = 0.7 for 0.8": (alone[0.7], truth),
            },
        },
        "ZD-14": {
            "ours": [solve(unturned, eq13, 0.8)],
            "theirs": truth,
            "plants": {"θ = 0.7 for 0.8": ([solve(unturned, eq13, 0.7)], truth)},
        },
    }, found


def root_by_eq12(tables: Sequence[Table], names: Sequence[str]) -> pd.DataFrame:
    """[Zhan & Du, Eq. 12] The share of class 0 at the root, to the letter, for one to three groups."""
    rows = []
    for name, table in zip(names, tables, strict=True):
        zero = {table.names[-1]: 0}
        shares = {"data set": name, "true": table.p(zero)}
        for m in (1, 2, 3):
            scheme = MultiGroup(0.8, random_groups(table.names, m, np.random.default_rng(m)))
            estimate = literal_class(scheme.apply(table), scheme)
            shares[f"{m} group{'s' * (m > 1)}"] = estimate.p(zero)
        rows.append(shares)
    return pd.DataFrame(rows)


def same_tree(rng: np.random.Generator, negative: str, **settings) -> dict[str, dict]:
    """[Zhan & Du 5.3.1] At θ = 0 and 1 the tree is that of the undisguised records, node for node."""
    ours, theirs, noisy = [], [], []
    for name in DATASETS:
        part = training(name, **settings)
        for m in (1, 2, 3):
            for end in (0, 1):
                scheme = MultiGroup(end, random_groups(part.names, m, rng))
                seen = scheme.disguise_table(part, rng)
                ours.append(ID3(scheme, negative).fit_table(seen).export_text())
                coin = MultiGroup(abs(end - 0.1), scheme.groups)
                noisy.append(
                    ID3(coin, negative).fit_table(coin.disguise_table(part, rng)).export_text()
                )
                theirs.append(ID3(negative=negative).fit_table(part).export_text())
    return {
        "ZD-24": {"ours": ours, "theirs": theirs, "plants": {"θ = 0.9 and 0.1": (noisy, theirs)}}
    }


def mirrored(rng: np.random.Generator, **settings) -> dict[str, dict]:
    """[Zhan & Du 5.3.1, 6] θ and 1 - θ: the same estimates from the reports and from their reversals."""
    ours, theirs, unturned = [], [], []
    for name in DATASETS:
        part = training(name, **settings)
        for m in (1, 2, 3):
            for theta in DOWN:
                scheme = MultiGroup(theta, random_groups(part.names, m, rng))
                seen = scheme.disguise_table(part, rng).densified()
                turned = Table(seen.domain, np.flip(seen.dense).ravel())  # every answer reversed
                ours.append(scheme.undo(seen).dense.ravel() / part.total)
                mirror = MultiGroup(1 - theta, scheme.groups)
                estimated = mirror.undo(turned.reported_by(mirror))
                theirs.append(estimated.dense.ravel() / part.total)
                wrongly = scheme.undo(turned.taken_as(scheme))
                unturned.append(wrongly.dense.ravel() / part.total)
    cells, same, wrong = map(np.concatenate, (ours, theirs, unturned))
    return {"ZD-29": {"ours": cells, "theirs": same, "plants": {"θ for 1 - θ": (cells, wrong)}}}


def at_one_half() -> dict[str, dict]:
    """[Zhan & Du 5.3.2] At θ = 1/2 nine tenths of ones and one tenth give the same reports."""
    domain = count(pd.DataFrame({"A": [0]})).domain

    def reported(theta):
        return [MultiGroup(theta).apply(Table(domain, [1 - p, p])).dense for p in (0.9, 0.1)]

    even = np.full((2, 2), 0.5)
    return {
        "ZD-34": {
            "ours": reported(0.5),
            "theirs": even,
            "plants": {"θ = 0.6": (reported(0.6), even)},
        }
    }


def behind_a_report() -> dict[str, dict]:
    """[Zhan & Du 4.6] The eight records that may stand behind 10101."""
    example = count(pd.DataFrame([[1, 0, 1, 0, 1]], columns=["A1", "A2", "A3", "A4", "A5"]))
    listed = sorted(["10101", "10110", "10001", "10010", "01101", "01110", "01001", "01010"])

    def behind(groups):
        codes, _ = MultiGroup(0.8, groups).apply(example).occupied()
        return sorted(f"{code:05b}" for code in codes)

    return {"ZD-15": {"ours": behind([["A1", "A2"], ["A3"], ["A4", "A5"]]), "theirs": listed, "plants": {
        "groups 1, 23, 45": (behind([["A1"], ["A2", "A3"], ["A4", "A5"]]), listed)}}}  # fmt: skip


def estimated_test(rng: np.random.Generator, **settings) -> dict[str, dict]:
    """[Zhan & Du, Eq. 15] The estimated accuracy over all coins against the true one."""
    ours, theirs, raw = [], [], []
    for name in DATASETS:
        part = divided(name, **settings)
        for m in (1, 2, 3):
            for theta in (0, 0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 1):
                scheme = MultiGroup(theta, random_groups(part.train.names, m, rng))
                tree = ID3(scheme).fit_table(scheme.disguise_table(part.train, rng))
                expected = scheme.apply(part.test)  # all coins at once, no chance
                ours.append(estimated_accuracy(tree, expected, scheme).estimate)
                theirs.append(tree.score_table(part.test))
                raw.append(tree.score_table(expected.taken_as("answers")))
    return {"ZD-16": {"ours": ours, "theirs": theirs, "plants": {"no undoing": (raw, theirs)}}}
