"""Privacy-preserving data mining: four papers reproduced end to end.

    answers --disguise--> disguised answers --count--> table --undo--> estimated table
            --learn--> model --score--> result

A randomizing scheme is a linear map on contingency tables. Whoever knows the scheme can undo the
map on the counts, though on no single record, and any learner that works from counts then runs
unchanged. So there are three plain parts: mechanisms (`ppdm.disguise`), tables (`ppdm.table`) and
learners (`ppdm.learn`).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ppdm.moved import answer_old_paths

if TYPE_CHECKING:  # for type checkers, and for the account of what a run may reach
    from ppdm.contract import Survey
    from ppdm.disguise import (
        Mechanism,
        MultiGroup,
        RRMatrix,
        Scheme,
        UnrelatedQuestion,
        random_groups,
        scheme_of,
    )
    from ppdm.table import Domain, Table, count

__version__ = "0.1.0"

__all__ = [
    "Domain",
    "Mechanism",
    "MultiGroup",
    "RRMatrix",
    "Scheme",
    "Survey",
    "Table",
    "UnrelatedQuestion",
    "count",
    "random_groups",
    "scheme_of",
]


answer_old_paths()


def __getattr__(name: str):
    """Import a name when it is first asked for: `ppdm --help` need not wait for pandas."""
    if name not in __all__:
        raise AttributeError(f"ppdm has no {name!r}; it has {', '.join(__all__)}")
    homes = {"Domain": "table", "Table": "table", "count": "table", "Survey": "contract"}
    return getattr(import_module(f"ppdm.{homes.get(name, 'disguise')}"), name)
