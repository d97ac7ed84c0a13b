"""[Zhan & Matwin] What the paper leaves open: a reading is a set of keywords of `experiment.learned`."""

from dataclasses import replace
from pathlib import Path

from ppdm.study import worlds

_LISTS = worlds.read(Path(__file__).with_name("readings.yml"))
READINGS = _LISTS["readings"]
#: Two more, of which the chapter shows both sides at length.
REDRAWN, LIMIT = _LISTS["shown at length"]
#: Worlds known to be wrong.
PLANTS = _LISTS["plants"]
#: The readings that change how records are coded.
CODINGS = tuple(r for r in READINGS if "alpha" not in r.options)
#: The two ways to read the split, by the names they have in figures.
SPLITS = {"fixed": "one split", "redrawn": "new splits"}
#: All that can move an accuracy: the split, and what may happen at q = 0, among them.
AT_ZERO = (
    *READINGS, *(replace(REDRAWN, name=name) for name in SPLITS.values()), LIMIT, replace(LIMIT, name="0/0 to the letter"),
)  # fmt: skip

ADULT, CANCER = SETS = ("adult", "breast-cancer-wisconsin")
