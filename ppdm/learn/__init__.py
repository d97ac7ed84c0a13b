"""Learners. Naive Bayes and ID3 read contingency tables and so learn from disguised data."""

from importlib import import_module

_HOMES = {
    "ID3": "ppdm.learn.id3",
    "J48": "ppdm.learn.j48",
    "NaiveBayes": "ppdm.learn.naive_bayes",
    "association_rules": "ppdm.learn.rules",
    "frequent_itemsets": "ppdm.learn.rules",
}

__all__ = ["ID3", "J48", "NaiveBayes", "association_rules", "frequent_itemsets"]


def __getattr__(name: str):
    """Import a learner when it is first asked for: scikit-learn takes a second to load."""
    if name not in _HOMES:
        raise AttributeError(f"ppdm.learn has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)
