"""Learners. Naive Bayes and ID3 read contingency tables and so learn from disguised data."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers, and for the account of what a run may reach
    from ppdm.learn.id3 import ID3
    from ppdm.learn.j48 import J48
    from ppdm.learn.naive_bayes import NaiveBayes
    from ppdm.learn.rules import association_rules, frequent_itemsets, supports

_HOMES = {
    "ID3": "ppdm.learn.id3",
    "J48": "ppdm.learn.j48",
    "NaiveBayes": "ppdm.learn.naive_bayes",
    "association_rules": "ppdm.learn.rules",
    "frequent_itemsets": "ppdm.learn.rules",
    "supports": "ppdm.learn.rules",
}

__all__ = [
    "ID3",
    "J48",
    "NaiveBayes",
    "association_rules",
    "frequent_itemsets",
    "supports",
]


def __getattr__(name: str) -> object:
    """Import a learner when it is first asked for: scikit-learn takes a second to load."""
    if name not in _HOMES:
        raise AttributeError(f"ppdm.learn has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)
