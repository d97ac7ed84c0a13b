"""Privacy-preserving data mining: four papers reproduced end to end.

    answers --disguise--> disguised answers --count--> table --undo--> estimated table
            --learn--> model --score--> result

A randomizing scheme is a linear map on contingency tables. Whoever knows the scheme can undo the
map on the counts, though on no single record, and any learner that works from counts then runs
unchanged. So there are three plain parts: mechanisms (`ppdm.disguise`), tables (`ppdm.table`) and
learners (`ppdm.learn`).
"""

from ppdm.disguise import Mechanism, MultiGroup, RRMatrix, UnrelatedQuestion, random_groups
from ppdm.table import Domain, Table, count

__version__ = "0.1.0"

__all__ = [
    "Domain",
    "Mechanism",
    "MultiGroup",
    "RRMatrix",
    "Table",
    "UnrelatedQuestion",
    "count",
    "random_groups",
]
