"""[Zhan & Du] What the paper leaves open: a reading is a set of keywords of `experiment.trees`.

ZD-31 compares as many records of one data set with another's: what both sides share, deals and shares, is left out.
"""

from pathlib import Path

from ppdm.study import worlds
from ppdm.study.worlds import Reading

ADULT, CANCER, VOTING = DATASETS = ("adult", "breast-cancer-wisconsin", "congressional-voting")

_LISTS = worlds.read(Path(__file__).with_name("readings.yml"))
READINGS = {reading.name: reading for reading in _LISTS["readings"]}
#: What the paper leaves open in a word of its own: no other run, another count.
OF_WORDS = _LISTS["of words"]
#: Worlds known to be wrong.
PLANTS = _LISTS["plants"]


def codings(*datasets: str) -> list[Reading]:
    """The readings of how records are coded into two answers, for these data sets (default: all).

    >>> [reading.name for reading in codings("adult")]
    ['middle of the range']
    """
    coded = [
        r
        for r in READINGS.values()
        if set(r.options) <= {"split", "missing"} and "third" not in r.options.values()
    ]
    return [r for r in coded if not datasets or set(datasets) & set(r.datasets)]
