"""[Zhan & Du] Multi-group randomized response: what the paper ran, and what decides its claims.

readings     what the paper leaves open, and our choice
experiment   one grid point: deal groups, disguise, learn, test; and the paper's other sections
evidence     frames in, tables and evidence for claims out
beyond       what an attacker learns
bias         why undoing can cost accuracy: bias against variance
equations    the paper's equations as printed, and what decides the claims about them
runs         the experiment on many divisions, in our world and in others
pictures     the figures made for the chapter
"""

from ppdm.data import SHORT
from ppdm.papers.multi_group import bias
from ppdm.papers.multi_group.beyond import (
    class_guesses,
    guessed_above,
    guesses,
    insider,
    ladder,
    outsider,
    record_guesses,
)
from ppdm.papers.multi_group.experiment import (
    THETAS,
    association,
    benchmark,
    copied_class,
    divided,
    literal_class,
    partly_disguised,
    records,
    respondents,
    testing,
    training,
    trees,
    two_parties,
    unrelated,
)
from ppdm.papers.multi_group.readings import DATASETS, PLANTS, READINGS, codings, touching

__all__ = [
    "DATASETS",
    "PLANTS",
    "READINGS",
    "SHORT",
    "THETAS",
    "association",
    "benchmark",
    "bias",
    "class_guesses",
    "codings",
    "copied_class",
    "divided",
    "guessed_above",
    "guesses",
    "insider",
    "ladder",
    "literal_class",
    "outsider",
    "partly_disguised",
    "record_guesses",
    "records",
    "respondents",
    "testing",
    "touching",
    "training",
    "trees",
    "two_parties",
    "unrelated",
]
