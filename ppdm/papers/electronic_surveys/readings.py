"""[Zhan & Matwin] What the paper leaves open: a reading is a set of keywords of `classifiers`."""

from pathlib import Path

from ppdm.study import worlds

_LISTS = worlds.read(Path(__file__).with_name("readings.yml"))
READINGS = _LISTS["readings"]
#: Two more, of which the chapter shows both sides at length.
REDRAWN, LIMIT = _LISTS["shown at length"]
#: Worlds known to be wrong. "pairs 1/2" is said by the paper, but four probabilities of a half that
#: exclude each other sum to two.
PLANTS = (*_LISTS["plants"], next(r for r in READINGS if r.name == "pairs 1/2"))

ADULT, CANCER = SETS = ("adult", "breast-cancer-wisconsin")


def reading_cells(q: list[float]) -> list[dict]:
    """The grid that measures :data:`READINGS`, ours first, at redrawn splits.

    Redrawn, because another coding may leave other records: a fixed split would change with it.
    """
    wanted = {"ours": SETS} | {each.name: each.datasets for each in READINGS}
    return [
        {"dataset": dataset, "reading": name, "q": point}
        for name, datasets in wanted.items()
        for dataset in datasets
        for point in q
    ]
