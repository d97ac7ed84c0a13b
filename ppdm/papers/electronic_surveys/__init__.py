"""[Zhan & Matwin] Electronic surveys: what the paper ran, and what decides its claims.

readings     what the paper leaves open, and our choice
experiment   one grid point: disguise, undo, learn, test; testing on disguised records; Eq. (1)
evidence     frames in, tables and evidence for claims out
worlds       the claims in many worlds: splits, readings, and wrong worlds that rules must refuse
pictures     the figures made for the chapter
beyond       what the collector learns; other personal records, learners and data
"""

from ppdm.papers.common import TRAINING, binary_frame
from ppdm.papers.electronic_surveys.beyond import (
    PERSONAL,
    answers,
    belief,
    calls,
    categorical,
    categorical_frame,
    clusters,
    guesses,
    lookalikes,
    outsider,
    personal_records,
    trees,
    truth_told,
)
from ppdm.papers.electronic_surveys.chapter import chapter
from ppdm.papers.electronic_surveys.evidence import reading_effects
from ppdm.papers.electronic_surveys.experiment import (
    benchmark,
    classifiers,
    disguised_test,
    disguised_test_se,
    expression_errors,
    expressions,
    reading,
    share_errors,
)
from ppdm.papers.electronic_surveys.readings import READINGS, SETS, reading_cells
from ppdm.papers.questions import questions

__all__ = [
    "PERSONAL",
    "READINGS",
    "SETS",
    "TRAINING",
    "answers",
    "belief",
    "benchmark",
    "binary_frame",
    "calls",
    "categorical",
    "categorical_frame",
    "chapter",
    "classifiers",
    "clusters",
    "disguised_test",
    "disguised_test_se",
    "expression_errors",
    "expressions",
    "guesses",
    "lookalikes",
    "outsider",
    "personal_records",
    "questions",
    "reading",
    "reading_cells",
    "reading_effects",
    "share_errors",
    "trees",
    "truth_told",
]
