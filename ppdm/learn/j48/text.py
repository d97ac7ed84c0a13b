"""The tree as WEKA prints it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .kernel import Tree, majority


def java_double(x: float) -> str:
    """A number as Java writes a double.

    >>> java_double(3.0), java_double(12345678.0)
    ('3.0', '1.2345678E7')
    """
    if x == 0 or 1e-3 <= abs(x) < 1e7:
        return repr(float(x))
    mantissa, exponent = f"{x:e}".split("e")
    digits = repr(float(x)).split("e")[0].replace(".", "").lstrip("-0").rstrip("0") or "0"
    sign = "-" if mantissa.startswith("-") else ""
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{int(exponent)}"


def count_text(x: float) -> str:
    """A weight of rows, rounded half up to two digits.

    >>> count_text(3), count_text(2.375)
    ('3.0', '2.38')
    """
    return java_double(math.floor(x * 100 + 0.5) / 100)


def threshold_text(x: float) -> str:
    """A threshold, rounded half up to six digits, without trailing zeros.

    >>> threshold_text(127.0), threshold_text(-0.1234567)
    ('127', '-0.123457')
    """
    scaled = x * 1e6
    if abs(scaled) >= 2**63 - 1:
        return java_double(x)
    whole = math.floor(abs(scaled) + 0.5)
    text = f"{whole // 10**6}.{whole % 10**6:06d}".rstrip("0").rstrip(".")
    return "-" + text if scaled < 0 and whole else text


def tree_text(
    tree: Tree,
    attributes: Sequence[str],
    levels: Sequence[list[Any] | None],
    classes: np.ndarray,
    title: str,
) -> str:
    """The whole text: title, branches, number of leaves, size.

    ``attributes`` are the names, ``levels[a]`` the levels of a nominal attribute or None.

    >>> from ppdm.learn.j48 import J48
    >>> grown = J48().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(tree_text(grown.tree_, ["age"], [None], grown.classes_, "A tree"))
    A tree
    ...
    age <= 2: no (2.0)
    age > 2: yes (2.0)
    ...
    """
    width = len(classes) + 1
    lines: list[str] = []

    def leaf(node: int, branch: int) -> str:
        counts = tree.weights[tree.start[node] :][: (2 + branch) * width].reshape(-1, width)
        weight = counts[-1, -1]
        label = majority(counts[-1] if weight > 1e-6 else counts[0])
        wrong = weight - counts[-1, label]
        errors = f"/{count_text(wrong)}" if wrong > 1e-6 else ""
        return f": {classes[label]} ({count_text(weight)}{errors})"

    def describe(node: int, branch: int) -> str:
        a = tree.attribute[node]
        if levels[a] is None:
            sign = "<=" if branch == 0 else ">"
            return f"{attributes[a]} {sign} {threshold_text(tree.threshold[node])}"
        return f"{attributes[a]} = {levels[a][branch]}"

    def walk(node: int, depth: int) -> None:
        for branch in range(tree.n_sons[node]):
            son = tree.first_son[node] + branch
            end = leaf(node, branch) if tree.n_sons[son] == 0 else ""
            lines.append("|   " * depth + describe(node, branch) + end)
            walk(son, depth + 1)

    if tree.n_sons[0] == 0:
        body = leaf(0, 0)
    else:
        walk(0, 0)
        body = "\n" + "\n".join(lines)
    n_leaves = sum(n == 0 for n in tree.n_sons)
    return (
        f"{title}\n{'-' * 18}\n{body}\n\nNumber of Leaves  : \t{n_leaves}\n"
        f"\nSize of the tree : \t{len(tree.n_sons)}\n"
    )
