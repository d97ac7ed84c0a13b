"""[Zhan & Du] Multi-group randomized response: what the paper ran, and what decides its claims.

readings     what the paper leaves open, and our choice
experiment   one grid point: deal groups, disguise, learn, test; and the paper's other sections
evidence     frames in, tables and evidence for claims out
beyond       what an attacker learns
bias         why undoing can cost accuracy: bias against variance
pictures     trees side by side
"""

from ppdm.papers.multi_group import bias, evidence
from ppdm.papers.multi_group.beyond import (
    guessed_above,
    guesses,
    insider,
    ladder,
    outsider,
    record_guesses,
)
from ppdm.papers.multi_group.evidence import gain, node_by_node, reading_effects
from ppdm.papers.multi_group.experiment import (
    SHORT,
    THETAS,
    association,
    benchmark,
    copied_class,
    divided,
    literal_class,
    partly_disguised,
    records,
    survey,
    testing,
    training,
    trees,
    two_parties,
    unrelated,
)
from ppdm.papers.multi_group.pictures import draw_trees
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
    "codings",
    "copied_class",
    "divided",
    "draw_trees",
    "evidence",
    "gain",
    "guessed_above",
    "guesses",
    "insider",
    "ladder",
    "literal_class",
    "node_by_node",
    "outsider",
    "partly_disguised",
    "reading_effects",
    "record_guesses",
    "records",
    "survey",
    "testing",
    "touching",
    "training",
    "trees",
    "two_parties",
    "unrelated",
]
