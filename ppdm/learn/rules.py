"""[Zhan & Du 4.8] Association rules from disguised data.

The supports come from a table, true or estimated; only they know of the disguise. The search is
Apriori: a set can be frequent only if all its subsets are. With estimated supports that is a rule
of the search, no longer a theorem, since a noisy subset may fall below the threshold by chance.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from ppdm import kinds
from ppdm.domain import listed
from ppdm.learn._base import CanUndo
from ppdm.table import Table, count_marginals, names_of


def frequent_itemsets(
    table: Table | object, min_support: float, max_size: int = 3, mechanism: CanUndo | None = None
) -> dict[frozenset[str], float]:
    """[Zhan & Du 4.8] Sets of attributes that are 1 together in at least a share of the records.

    With a mechanism, `table` holds reports, and each support is estimated by undoing the marginal
    table of its few attributes. Records in place of the table (whatever `ppdm.count` takes) are
    counted once for each size of sets: the candidates' marginals together, never the table of all.

    Parameters
    ----------
    table
        A table of 0 and 1, or records.
    min_support
        The least share of records.
    max_size
        The most attributes in a set.
    mechanism
        What disguised the records, if anything did.

    Returns
    -------
    dict
        The support of each frequent set.

    Raises
    ------
    ValueError
        If `min_support` is no share.

    Examples
    --------
    >>> from ppdm import count
    >>> baskets = count(pd.DataFrame({"bread": [1, 1, 1, 0], "butter": [1, 1, 0, 0]}))
    >>> sorted((sorted(s), p) for s, p in frequent_itemsets(baskets, 0.5).items())
    [(['bread'], 0.75), (['bread', 'butter'], 0.5), (['butter'], 0.5)]
    """

    if not 0 < min_support <= 1:
        raise ValueError(f"min_support is a share above 0, up to 1; got {min_support!r}")
    names = table.names if isinstance(table, Table) else names_of(table)
    frequent: dict[frozenset[str], float] = {}
    candidates = [frozenset([name]) for name in names]
    for size in range(1, max_size + 1):
        sets = [sorted(items) for items in candidates]
        if isinstance(table, Table):
            marginals = [table.marginal(*items) for items in sets]
        else:
            marginals = count_marginals(table, sets) if sets else []
        shares = [_support(marginal, mechanism) for marginal in marginals]
        survivors = {s: p for s, p in zip(candidates, shares, strict=True) if p >= min_support}
        frequent.update(survivors)
        candidates = _candidates(survivors, size + 1)
    return frequent


def supports(table: Table) -> np.ndarray:
    """[Zhan & Du 4.8] The share of records in which all attributes of a set are 1, for all sets.

    A set is a code with a 1 for each of its attributes; summing every axis from the top gives all
    2^k supports in k passes over the table, whose attributes all have the levels 0 and 1.

    >>> from ppdm import count
    >>> supports(count(pd.DataFrame({"A": [1, 1, 0], "B": [1, 0, 0]}))).round(3)
    array([1.   , 0.333, 0.667, 0.333])
    """
    kinds.need("learn", table.kind)
    for name, levels in zip(table.names, table.levels, strict=True):
        if tuple(levels) != (0, 1):
            raise ValueError(
                f"{name!r} has the levels {listed(levels)}; supports() reads a table of 0 and 1: "
                f"declare levels={{{name!r}: (0, 1)}} if these are its answers, or recode them"
            )
    values = table.densified().values / table.total
    for axis in range(len(table.names)):
        halves = values.reshape(2**axis, 2, -1)
        values = np.stack([halves.sum(axis=1), halves[:, 1]], axis=1)
    return values.reshape(-1)


def association_rules(frequent: dict[frozenset[str], float], min_confidence: float) -> pd.DataFrame:
    """Rules "if all of these, then that one too", from frequent sets with their supports.

    Parameters
    ----------
    frequent
        Sets with their supports.
    min_confidence
        The least share of the records with the condition that have the conclusion, too.

    Returns
    -------
    pandas.DataFrame
        A row a rule, the surest first.

    Examples
    --------
    >>> rules = association_rules({frozenset("A"): .8, frozenset("B"): .5, frozenset("AB"): .4}, .6)
    >>> rules[["if", "then", "support", "confidence"]].to_dict("records")
    [{'if': ('B',), 'then': 'A', 'support': 0.4, 'confidence': 0.8}]
    """
    rows = []
    for items, support in frequent.items():
        for conclusion in sorted(items) if len(items) > 1 else ():
            condition = items - {conclusion}
            if support >= min_confidence * frequent[condition]:
                confidence = support / frequent[condition]
                rows.append((tuple(sorted(condition)), conclusion, support, confidence))
    rules = pd.DataFrame(rows, columns=["if", "then", "support", "confidence"])
    return rules.sort_values(["confidence", "support"], ascending=False, ignore_index=True)


def _support(marginal: Table, mechanism: CanUndo | None) -> float:
    if mechanism is None:
        kinds.need("learn", marginal.kind)
    else:
        marginal = mechanism.undo(marginal)
    return marginal.p(dict.fromkeys(marginal.names, 1))


def _candidates(frequent: dict[frozenset[str], float], size: int) -> list[frozenset[str]]:
    """Sets of the next size, all of whose subsets were found."""
    names = sorted(set().union(*frequent)) if frequent else []
    unions = {items | {name} for items in frequent for name in names if name not in items}
    candidates = [
        items
        for items in unions
        if all(frozenset(part) in frequent for part in combinations(items, size - 1))
    ]
    return sorted(candidates, key=sorted)
