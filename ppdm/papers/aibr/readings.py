"""[Guo] What the paper leaves open, one entry an alternative.

The first eight are keywords by which `experiment.metrics` reads Table 1; each changes one point.
"""

from itertools import product as _product
from pathlib import Path

from ppdm.study import worlds

OURS = "training rows"  # the reading of Table 1 that fits

READINGS = {r.name: r for r in worlds.read(Path(__file__).with_name("readings.yml"))["readings"]}

#: The ways to read Table 1, ours first.
TABLE_1 = [
    OURS,
    *(
        name
        for name, each in READINGS.items()
        if all(id.startswith("GU-T1-") for id in each.touches)
    ),
]


def combinations(scheme: str) -> list[str]:
    """All ways to read a scheme's row of Table 1, each by the names of its alternatives.

    >>> len(combinations("AIBR")), combinations("AIBR")[:2]
    (12, ['training rows', 'equal values share a mean rank'])
    """
    questions: dict[str, list[str]] = {}
    for name, each in READINGS.items():
        if any(f"-{scheme}-" in claim for claim in each.touches):
            questions.setdefault(each.question, [""]).append(name)
    return [" + ".join(filter(None, names)) or OURS for names in _product(*questions.values())]


def options_of(reading: str) -> dict:
    """The keywords of a reading, or of several joined by " + ".

    >>> options_of("all rows + attributes scaled to [0, 1]")
    {'rows': 'all', 'scale': 'range'}
    """
    names = [name for name in reading.split(" + ") if name != OURS]
    return {key: value for name in names for key, value in READINGS[name].options.items()}


def over_all_rows(reading: str) -> str:
    """The same reading, over all rows.

    >>> over_all_rows("training rows"), over_all_rows("kCG within each class")
    ('all rows', 'all rows + kCG within each class')
    """
    return "all rows" if reading == OURS else f"all rows + {reading}"
