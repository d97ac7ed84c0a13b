"""From reports to what is true of people: shares, pairs, any table, groups and differences, with errors.

The map that disguised is known and linear, so every report is *worth* a number for each true share: a number
whose mean over all people is that share. An estimate is the mean of these numbers (or a ratio of two means), and
its standard error that of a mean. Nothing is cut off at 0 or 1 but by a function whose name says so.

    simplex    inversion, and what keeps to 0 and 1: clipped, projected, EM; pooling with true records
    sample     who answered, and how they came into the sample: weights, strata, clusters, replicates
    interval   exact ones, ratios of estimates, reports that no true share can cause
    shares     `estimate` and `difference`, which stand on these
"""

from ppdm.estimate.sample import Design
from ppdm.estimate.shares import Difference, difference, estimate
from ppdm.estimate.simplex import clipped, em, inversion, inversion_se, pool, projected

__all__ = [
    "Design",
    "Difference",
    "clipped",
    "difference",
    "em",
    "estimate",
    "inversion",
    "inversion_se",
    "pool",
    "projected",
]
