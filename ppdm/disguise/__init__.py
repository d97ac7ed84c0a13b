"""Mechanisms: how respondents disguise their records, and how the disguise is undone on counts.

Every mechanism is a linear map on contingency tables and offers the same few methods, see
:class:`~ppdm.disguise.mechanism.Mechanism`.
"""

from ppdm.disguise.matrix import RRMatrix
from ppdm.disguise.mechanism import Mechanism
from ppdm.disguise.multigroup import MultiGroup, random_groups
from ppdm.disguise.scheme import Scheme, scheme_of
from ppdm.disguise.unrelated import UnrelatedQuestion

__all__ = [
    "Mechanism",
    "MultiGroup",
    "RRMatrix",
    "Scheme",
    "UnrelatedQuestion",
    "random_groups",
    "scheme_of",
]
