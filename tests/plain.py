"""The papers read aloud: record by record, slow and clear. Nothing here imports from ppdm."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

# -- disguising ----------------------------------------------------------------------------


def disguise_by_groups(records, theta, groups, rng):
    """[Zhan & Du 5.2, step 1] One random number for each record and group."""
    disguised = []
    for record in records.to_dict("records"):
        reported = dict(record)
        for group in groups:
            if rng.random() > theta:
                for name in group:
                    reported[name] = 1 - record[name]
        disguised.append(reported)
    return pd.DataFrame(disguised, columns=records.columns)


def disguise_by_unrelated(records, q, levels, rng):
    """[Zhan & Matwin 3.1, sub-step 1] The private record, or one made of random answers."""
    disguised = []
    for record in records.to_dict("records"):
        if rng.random() < q:
            disguised.append(record)
        else:
            disguised.append({n: levels[n][rng.integers(len(levels[n]))] for n in records.columns})
    return pd.DataFrame(disguised, columns=records.columns)


# -- estimating the proportion of a logical expression -----------------------------------------


def satisfying(records, expression):
    """The share of records that satisfy an expression, given as {name: value}."""
    hits = sum(all(r[n] == v for n, v in expression.items()) for r in records.to_dict("records"))
    return hits / len(records)


def groups_matrix(theta, number):
    """[Zhan & Du, Eqs. 4, 6, 8] M_1, M_2, M_3, ...: Kronecker powers of M_1."""
    one = np.array([[theta, 1 - theta], [1 - theta, theta]])
    matrix = np.ones((1, 1))
    for _ in range(number):
        matrix = np.kron(matrix, one)
    return matrix


def estimate_by_groups(disguised, expression, theta, groups):
    """[Zhan & Du, Eq. 7] Solve P* = M P for all reversals of the expression; P(E) comes first."""
    observed = []
    for reversals in product((False, True), repeat=len(groups)):
        turned = dict(expression)
        for group, reverse in zip(groups, reversals, strict=True):
            if reverse:
                turned.update({n: 1 - turned[n] for n in group if n in turned})
        observed.append(satisfying(disguised, turned))
    return np.linalg.solve(groups_matrix(theta, len(groups)), observed)[0]


def estimate_by_unrelated(disguised, expression, q, levels):
    """[Zhan & Matwin, Eq. 1] P = (P* - (1-q) P(Y)) / q with independent, equally likely answers."""
    chance = np.prod([1 / len(levels[name]) for name in expression])
    return (satisfying(disguised, expression) - (1 - q) * chance) / q


# -- learning ------------------------------------------------------------------------------

TIE = 1e-9


def id3(probability, attributes, levels, target, condition=None, parent=None, negative="clip"):
    """[Zhan & Du 4.5] ID3 as printed; `probability` estimates P of any logical expression.

    Returns (attribute, {level: subtree}) or a class.
    """
    condition = condition or {}
    counts = [probability({**condition, target: j}) for j in levels[target]]
    positive = [max(n, 0) for n in counts]
    size = sum(positive) if negative == "clip" else sum(counts)
    if size <= TIE:
        return parent
    majority = 0
    for j in range(1, len(counts)):
        if counts[j] > counts[majority] + TIE:
            majority = j
    label = levels[target][majority]
    if sum(n > TIE for n in counts) <= 1 or not attributes:
        return label
    best, smallest = None, np.inf
    for name in attributes:
        remaining = sum(
            spread(
                [probability({**condition, name: v, target: j}) for j in levels[target]], negative
            )
            for v in levels[name]
        )
        if remaining < smallest - TIE * sum(positive):
            best, smallest = name, remaining
    rest = [name for name in attributes if name != best]
    return best, {
        v: id3(probability, rest, levels, target, {**condition, best: v}, label, negative)
        for v in levels[best]
    }


def spread(counts, negative):
    """|S| Entropy(S): [Zhan & Du, Eqs. 9, 10] up to the factor |S|."""
    used = [max(n, 0) for n in counts]
    size = sum(used) if negative == "clip" else sum(counts)
    if size <= 0:
        return 0.0
    return -sum(size * (n / size) * np.log(n / size) for n in used if n > 0)


def tree_of(model):
    """A fitted ppdm ID3 in the form that `id3` above returns."""

    def read(node):
        attribute = model.tree_.attribute[node]
        if attribute < 0:
            return model.classes_[model.tree_.label[node]]
        name, levels = model.domain_.names[attribute], model.domain_.levels[attribute]
        return name, {v: read(c) for v, c in zip(levels, model.tree_.children(node), strict=True)}

    return read(0)


def naive_bayes(probability, record, levels, target):
    """[Zhan & Matwin 2.3] log P(v) + sum of log P(a_i, v) / P(v), unsmoothed, for each class v."""
    scores = []
    for v in levels[target]:
        score = np.log(probability({target: v}))
        for name, value in record.items():
            score += np.log(probability({name: value, target: v}) / probability({target: v}))
        scores.append(score)
    return np.array(scores)
