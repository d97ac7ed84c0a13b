"""[Huang & Du] The best randomizing matrix for a prior.

    objectives   privacy and error of matrices
    spea2        the paper's evolutionary search, `optrr`
    descent      the best square matrix, by gradients
    frontier     the least error that any scheme can have, certified by a bound
    design       the convex programme behind it, and the bound; extremes: what privacy allows
    workloads    what will be tabulated: cells, prefixes, pairs with the class

>>> from ppdm.optimise import best_scheme, mse
>>> import numpy as np
>>> prior = [0.5, 0.3, 0.2]
>>> scheme = best_scheme(prior, delta=0.9, privacy=0.3)
>>> bool(scheme.mse > mse(np.eye(3), prior))          # privacy has its price
True
"""

from ppdm.disguise.matrix import frapp, uniform_perturbation, warner
from ppdm.optimise.descent import square_front
from ppdm.optimise.frontier import BestScheme, best_ldp_scheme, best_scheme, certified_frontier
from ppdm.optimise.objectives import max_posterior, mse, noise, pareto, privacy
from ppdm.optimise.spea2 import Front, optrr
from ppdm.optimise.workloads import workload_of

__all__ = [
    "BestScheme",
    "Front",
    "best_ldp_scheme",
    "best_scheme",
    "certified_frontier",
    "frapp",
    "max_posterior",
    "mse",
    "noise",
    "optrr",
    "pareto",
    "privacy",
    "square_front",
    "uniform_perturbation",
    "warner",
    "workload_of",
]
