"""[Guo] What the paper leaves open, one entry an alternative; the claims that each can touch stand with it."""

from itertools import product
from pathlib import Path

from ppdm.study import worlds

OURS = "training rows"  # the reading of Table 1 that fits

READINGS = {r.name: r for r in worlds.read(Path(__file__).with_name("readings.yml"))["readings"]}

#: Options that concern some methods only; `experiment.metrics` takes all of them.
CONCERNS = {"centre": ("BSVD", "SSVD"), "threshold": ("SSVD",), "by_class": ("kCG",)}

#: The ways to read Table 1, ours first.
TABLE_1 = [OURS, *(name for name, each in READINGS.items() if "GU-T1" in each.touches)]


def concerns(name: str, scheme: str) -> bool:
    """Whether a way to read Table 1 changes anything for a method.

    >>> concerns("kCG within each class", "AIBR"), concerns("all rows", "AIBR")
    (False, True)
    """
    return all(scheme in CONCERNS.get(option, (scheme,)) for option in READINGS[name].options)


def alternatives(scheme: str | None = None) -> list[list[str]]:
    """For each question about Table 1 its answers (of a method, if one is named); ours is the empty name."""
    questions: dict[str, list[str]] = {}
    for name in TABLE_1[1:]:
        if scheme is None or concerns(name, scheme):
            questions.setdefault(READINGS[name].question, [""]).append(name)
    return list(questions.values())


def combinations(scheme: str) -> list[str]:
    """All ways to read a method's row of Table 1, each by the names of its alternatives.

    >>> len(combinations("AIBR")), combinations("AIBR")[:2]
    (12, ['training rows', 'equal values share a mean rank'])
    """
    return [joined(names) for names in product(*alternatives(scheme))]


def joined(names) -> str:
    """Several alternatives as one name.

    >>> joined(("all rows", "")), joined(())
    ('all rows', 'training rows')
    """
    return " + ".join(filter(None, names)) or OURS


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
