"""[Huang & Du] OptRR: what the paper ran, and what decides its claims.

readings     what the paper leaves open, and our choice
experiment   priors, the theorems by simulation, Warner's fronts, one search
evidence     fronts in, tables and evidence for claims out
theirs       which normal distribution explains the printed limits
beyond       the best square matrix, the certified frontier, local differential privacy
pictures     the figures that were made for the chapter
"""

from ppdm.papers.optrr.beyond import (
    frontier_cell,
    ldp_cell,
    power_above,
    report_kinds,
    significant,
    sizes_cell,
    square_cell,
    subset_selection,
    unary,
)
from ppdm.papers.optrr.experiment import (
    GAMMA_WIDTH,
    NORMAL,
    WARNER_STEPS,
    adult_prior,
    at_levels,
    beside_warner,
    drawn_cell,
    equation_3,
    every_guess_rule,
    gain,
    gamma_prior,
    iterative_cell,
    levels,
    matrices_of,
    normal_prior,
    possible_delta,
    random_front,
    search_cell,
    simulated_guesses,
    simulated_surveys,
    theorem_6_as_printed,
    warner_front,
)
from ppdm.papers.optrr.readings import READINGS

__all__ = [
    "GAMMA_WIDTH",
    "NORMAL",
    "READINGS",
    "WARNER_STEPS",
    "adult_prior",
    "at_levels",
    "beside_warner",
    "drawn_cell",
    "equation_3",
    "every_guess_rule",
    "frontier_cell",
    "gain",
    "gamma_prior",
    "iterative_cell",
    "ldp_cell",
    "levels",
    "matrices_of",
    "normal_prior",
    "possible_delta",
    "power_above",
    "random_front",
    "report_kinds",
    "search_cell",
    "significant",
    "simulated_guesses",
    "simulated_surveys",
    "sizes_cell",
    "square_cell",
    "subset_selection",
    "theorem_6_as_printed",
    "unary",
    "warner_front",
]
