"""Release a distorted data set instead of disguised answers (Guo, and the methods he compares).

Each method takes a table of numbers, records in rows, with its parameter and a random generator,
and returns a new table of the same shape. The class is not part of the table. They are functions
and not scikit-learn transformers on purpose: in a pipeline a transformer would distort the
records to be classified as well.

    aibr(X, k, rng)              every value redrawn in its own one of k intervals
    bsvd(X, k)                   the k largest singular components
    ssvd(X, k, e)                the same, with the share e of smallest entries dropped
    kcg(X, k, rng)               look-alikes of groups of k similar records
    kcg_by_class(X, y, k, rng)   the same within each class
"""

from ppdm.distort.aibr import aibr, interval_edges, intervals
from ppdm.distort.condensation import condense, kcg, kcg_by_class
from ppdm.distort.svd import bsvd, ssvd

__all__ = ["aibr", "bsvd", "condense", "interval_edges", "intervals", "kcg", "kcg_by_class", "ssvd"]
