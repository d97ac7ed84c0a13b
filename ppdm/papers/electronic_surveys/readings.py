"""[Zhan & Matwin] What the paper leaves open: a reading is a set of keywords of `classifiers`."""

from ppdm.papers.common import Reading

ADULT, CANCER = SETS = ("adult", "breast-cancer-wisconsin")

#: The claims about the curves of accuracy and its variance (Figures 1 to 4).
CURVES = tuple(f"ZM-{i}" for i in (8, 9, 10, 11, 12, 13, 27))
#: Those that rest on the coded records in any way.
CODED = (*CURVES, *(f"ZM-{i}" for i in (1, 2, 4, 5, 6, 14, 25, 26, 28, 29)))

_MISSING = "What becomes of a missing value?"
_MISSING_WHY = "A question has a yes, or it has none; and no respondent is lost."

READINGS = (
    Reading(
        "middle of the range", "Where is an attribute cut: \"the median point of the range\"?",
        "the median of the values", why="Both answers are then common wherever they can be.",
        alternative="the middle of the range", options={"split": "midrange"}, datasets=SETS,
        touches=CODED),
    Reading(
        "ties even", "On which side does a value on the cut itself go?",
        "low: 1 is \"greater than\"", why="It is what a cut says when nothing else is said.",
        alternative="to the side that evens out zeros and ones", options={"ties": "even"},
        datasets=SETS, touches=CODED),
    Reading(
        "names by alphabet", "How is an attribute with many names made binary?",
        "the most frequent name against all others",
        why="The alphabet knows nothing about the names.",
        alternative="numbered by the alphabet, then cut", options={"nominal": "alphabetical"},
        datasets=(ADULT,), touches=CODED),
    Reading(
        "missing dropped", _MISSING, "0: not known to be so", why=_MISSING_WHY,
        alternative="its record is dropped", options={"missing": "drop"}, datasets=SETS,
        touches=CODED),
    Reading(
        "missing majority", _MISSING, "0: not known to be so", why=_MISSING_WHY,
        alternative="the more frequent answer", options={"missing": "majority"}, datasets=(ADULT,),
        touches=CODED),
    Reading(
        "with id", "Is the number of a record an attribute?", "no",
        why="It says who a patient is, not how she is.", alternative="yes",
        options={"include_id": True}, datasets=(CANCER,), touches=CODED),
    Reading(
        "alpha 0", "Is a count smoothed before it is divided?", "one is added (Laplace)",
        why="An estimated count can be zero or below, and its logarithm would rule a class out.",
        alternative="no: the formula to the letter", options={"alpha": 0.0}, datasets=SETS,
        touches=CURVES),
    Reading(
        "pairs 1/2", "\"Each logical expression appears with the probability of 0.5\"",
        "a single answer 1/2, so a pair 1/4",
        why="The four expressions about two answers exclude each other.",
        alternative="a pair 1/2 too, in Eq. (1)", options={"literal": True}, datasets=SETS,
        touches=CURVES),
)  # fmt: skip

#: Two more, of which the chapter shows both sides at length.
REDRAWN = Reading(
    "new splits",
    "Is the 80/20 split drawn once, or anew in each repetition?",
    "once; both are shown",
    why="The split stands before the steps that are repeated.",
    alternative="anew",
    options={"splitting": "redrawn"},
    datasets=SETS,
    touches=CURVES,
)
LIMIT = Reading(
    "limit",
    "What does the estimator do at q = 0, where it divides by q?",
    "reports are taken as they are",
    why="There is nothing to undo.",
    alternative="the limit of small q",
    options={"q": 1e-9},
    datasets=SETS,
    touches=("ZM-14",),
)


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
