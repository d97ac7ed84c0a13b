"""[Guo] Distorted data sets: what the paper ran, and what decides its claims.

readings     what the paper leaves open, and our choice
experiment   one point of a grid: distort and measure, or distort, classify and score
selection    the parameter that the paper's rule chooses, and how sure the choice is
evidence     frames in, tables and evidence for claims out
beyond       tracing records, guessing values, telling a release from the original
pictures     what two attributes of a table look like
"""

from ppdm.papers.aibr.beyond import (
    exact_guesses,
    likeness,
    rounded_like,
    tracing,
    tracing_with_few,
)
from ppdm.papers.aibr.experiment import (
    CHOSEN,
    SCHEMES,
    accuracies,
    metrics,
    numbers_of,
    parameters,
    usability,
)
from ppdm.papers.aibr.readings import READINGS
from ppdm.papers.common import split

__all__ = [
    "CHOSEN",
    "READINGS",
    "SCHEMES",
    "accuracies",
    "exact_guesses",
    "likeness",
    "metrics",
    "numbers_of",
    "parameters",
    "rounded_like",
    "split",
    "tracing",
    "tracing_with_few",
    "usability",
]
