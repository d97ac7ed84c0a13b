"""[Guo] What the paper leaves open, one entry an alternative.

The first eight are keywords by which `experiment.metrics` reads Table 1; each changes one point.
"""

from itertools import product as _product

from ppdm.papers.common import Reading

OURS = "training rows"  # the reading of Table 1 that fits

_TABLE = tuple(
    f"GU-T1-{data}-{scheme}-{metric}"
    for data in ("WBC", "PID")
    for scheme in ("AIBR", "kCG", "BSVD", "SSVD")
    for metric in ("VD", "RP", "RK", "CP", "CK")
)
_CHOICES = tuple(
    f"GU-K-{data}-{scheme}" for data in ("WBC", "PID") for scheme in ("AIBR", "BSVD", "SSVD", "kCG")
)
_USE = ("GU-U-AIBR", "GU-U-BSVD", "GU-U-SSVD", "GU-U-kCG", "GU-U-CHOSEN", *_CHOICES)
_SVD = tuple(id for id in _TABLE if "SVD" in id)
_SSVD = tuple(id for id in _TABLE if "SSVD" in id)
_KCG = tuple(id for id in _TABLE if "kCG" in id)
_FITS = "More cells of Table 1 agree."
_SCALED, _THRESHOLD = "Are attributes scaled before?", "Over which matrices is SSVD's e counted?"

READINGS = {reading.name: reading for reading in (
    Reading(
        "all rows", "Which rows does Table 1 measure?", "the training rows", _FITS, "all rows",
        {"rows": "all"}, touches=_TABLE),
    Reading(
        "attributes scaled to [0, 1]", _SCALED, "no", _FITS, "to [0, 1]", {"scale": "range"},
        touches=_TABLE),
    Reading(
        "attributes standardized", _SCALED, "no", _FITS, "to deviation 1", {"scale": "deviation"},
        touches=_TABLE),
    Reading(
        "columns centred before the SVD", "Are the columns centred before the SVD?", "no", _FITS,
        "yes", {"centre": True}, touches=_SVD),
    Reading(
        "equal values share a mean rank", "Which rank do equal values get?",
        "their order in the table", _FITS, "their mean rank", {"ties": "average"}, touches=_TABLE),
    Reading(
        "SSVD: U and V have a threshold each", _THRESHOLD, "U and V together", _FITS, "each",
        {"threshold": "separate"}, touches=_SSVD),
    Reading(
        "SSVD: threshold over U, V and S", _THRESHOLD, "U and V together", _FITS, "U, V and S",
        {"threshold": "with_sigma"}, touches=_SSVD),
    Reading(
        "kCG within each class", "Does kCG mix the classes?", "yes", _FITS, "no",
        {"by_class": True}, touches=_KCG),
    Reading(
        "released test rows", "Are test rows original or released?", "original",
        "A release is for learning; what is classified afterwards is nobody's release.", "released",
        {"test_rows": "released"}, touches=_USE),
    Reading(
        "unscaled neighbour", "Does the nearest neighbour scale attributes?", "yes, as WEKA does",
        "The paper names WEKA.", "no", {"neighbour": "unscaled"}, touches=_USE),
)}  # fmt: skip

#: The ways to read Table 1, ours first.
TABLE_1 = [OURS, *(name for name, each in READINGS.items() if set(each.touches) <= set(_TABLE))]


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
