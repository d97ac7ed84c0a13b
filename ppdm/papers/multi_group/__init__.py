"""[Zhan & Du] Multi-group randomized response: what the paper ran, and what decides its claims.

chapter      the chapter: sizes, and where its rows and numbers are
readings     what the paper leaves open, and our choice
experiment   one point: deal groups, disguise, learn, test; and the paper's other sections
attacks      what an attacker learns
equations    the paper's equations as printed
rows         what the chapter computes, for figures and claims
pictures     the figures and tables
pairs        the claims on accuracy under pairs of readings: a command of its own
"""

from ppdm.papers.multi_group.chapter import chapter
from ppdm.papers.multi_group.readings import DATASETS, READINGS

__all__ = ["DATASETS", "READINGS", "chapter"]
