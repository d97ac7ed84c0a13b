"""[Huang & Du] OptRR: what the paper ran, and what decides its claims.

chapter      the chapter as its notebooks open it
rows         what is computed, for figures, tables and claims
formulas     the same for the claims on formulas
pictures     the figures
shown        the tables
numbers      the numbers in sentences
readings     what the paper leaves open, and our choice
experiment   priors, the theorems by simulation, Warner's fronts, one search
beyond       the best square matrix, the certified frontier, local differential privacy
settings     the claims on the search under every setting: a command of its own
"""

from ppdm.papers.optrr.chapter import chapter
from ppdm.papers.optrr.experiment import (
    adult_prior,
    gamma_prior,
    normal_prior,
    simulated_guesses,
    simulated_surveys,
    theorem_6_as_printed,
)
from ppdm.papers.optrr.readings import READINGS

__all__ = [
    "READINGS",
    "adult_prior",
    "chapter",
    "gamma_prior",
    "normal_prior",
    "simulated_guesses",
    "simulated_surveys",
    "theorem_6_as_printed",
]
