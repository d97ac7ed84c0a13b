"""[Zhan & Du] What the paper leaves open: a reading is a set of keywords of `experiment.trees`."""

from ppdm.papers.common import Reading

DATASETS = ("adult", "breast-cancer-wisconsin", "congressional-voting")

#: The claims that rest on accuracies of trees, so on every choice of the experiment. (ZD-31 compares as
#: many records of one data set with another's: what both sides share, deals and shares, is left out.)
ACCURACY = tuple(f"ZD-{i}" for i in (6, 12, *range(25, 31), 32, 33, *range(38, 43)))
GROUPED = ("ZD-12", "ZD-28", "ZD-30", "ZD-33", "ZD-40", "ZD-41", "ZD-42")

_CLASS = "Is the class an answer like the others, and in which group?"
_EQ12 = "Eq. (12) writes the class into every group. How is it used?"
_VOTE = "What is a vote that was not cast?"
_RATIO = "Which share of the records is the training part?"
_ONE_CLASS = "not: a record has one class, in one group"

READINGS = {reading.name: reading for reading in (
    Reading(
        "middle of the range", "Where is an attribute cut: \"the median point of the range\"?",
        "the median of the values", why="A cut in the middle of the range leaves hardly anybody on "
        "one side of some attributes.", alternative="the middle of the range",
        options={"split": "midrange"}, datasets=DATASETS[:2], touches=(*ACCURACY, "ZD-31", "ZD-36", "ZD-37")),
    Reading(
        "one deal", "When are the attributes dealt into groups?", "anew for each repetition",
        why="Steps 1 to 3 are repeated, and the dealing is part of them.",
        alternative="once for all repetitions", options={"grouping": 1}, datasets=DATASETS,
        touches=GROUPED),
    Reading(
        "groups of any size", "Are the groups of one size?", "as nearly as can be",
        why="The paper's examples are.", alternative="each attribute goes to a group by lot",
        options={"sizes": "any"}, datasets=DATASETS, touches=GROUPED),
    Reading(
        "class not disguised", _CLASS, "like the others, in one of the groups",
        why="It is what a respondent would rather not tell.",
        alternative="it is not disguised (Eq. 13)", options={"class_in": "none"}, datasets=DATASETS,
        touches=(*ACCURACY, "ZD-31")),
    Reading(
        "class in every group, copies", _EQ12, _ONE_CLASS, why="Only so is Eq. (7) right.",
        alternative="every group reports a copy of the class", options={"class_in": "copies"},
        datasets=DATASETS[:2], touches=GROUPED),
    Reading(
        "class in every group, literal", _EQ12, _ONE_CLASS, why="Only so is Eq. (7) right.",
        alternative="to the letter, on one class", options={"class_in": "literal"},
        datasets=DATASETS[:2], touches=GROUPED),
    Reading(
        "negative counts literal", "What does ID3 do with an estimated count below zero?",
        "it counts as zero", why="A logarithm of a negative share means nothing.",
        alternative="nothing: Eqs. (9) and (10) as printed", options={"negative": "literal"},
        datasets=DATASETS, touches=ACCURACY),
    Reading(
        "missing vote: majority", _VOTE, "not a yes", why="A question has a yes or it has none.",
        alternative="the more frequent vote", options={"missing": "majority"},
        datasets=DATASETS[2:], touches=(*ACCURACY, "ZD-31", "ZD-36", "ZD-37")),
    Reading(
        "missing vote: third answer", _VOTE, "not a yes", why="A question has a yes or it has none.",
        alternative="a third answer, which no reversal changes", options={"missing": "third"},
        datasets=DATASETS[2:], touches=ACCURACY),
    Reading(
        "one division", "Is the training part drawn once or anew?",
        "anew, and a number of repetitions on each",
        why="The division stands before the steps that are repeated, but one division is one draw "
        "of chance.", alternative="once", options={"divisions": 0}, datasets=DATASETS,
        touches=ACCURACY),
    Reading(
        "training half", _RATIO, "80 %", why="The paper does not say; 80 % is usual.",
        alternative="50 %", options={"ratio": 0.5}, datasets=DATASETS, touches=ACCURACY),
    Reading(
        "training nine tenths", _RATIO, "80 %", why="The paper does not say; 80 % is usual.",
        alternative="90 %", options={"ratio": 0.9}, datasets=DATASETS, touches=ACCURACY),
)}  # fmt: skip

#: What the paper leaves open in a word of its own: no other run, another count.
OF_WORDS = (
    Reading(
        "records in two groups",
        '"We randomly split the whole data set into two groups": its records or its attributes?',
        "its attributes (Section 4.3 says so)",
        alternative="its records",
        touches=("ZD-28", "ZD-33"),
    ),
    Reading(
        "fairly: ten points",
        'How large a loss is "fairly accurate"?',
        "0.05",
        alternative="0.1",
        why="The paper does not say; both are decided.",
        touches=("ZD-38", "ZD-39", "ZD-40", "ZD-41"),
    ),
)


#: Worlds known to be wrong, as keywords of `experiment.trees`.
PLANTS = (
    Reading("labels shuffled", "What if nothing could be learned?", "",
            options={"labels": "shuffled"}, datasets=DATASETS),
    Reading("one class", "What if the tree said the same of everybody?", "",
            options={"learner": "one class"}, datasets=DATASETS),
    Reading("no undoing", "What if the reports were taken for the truth?", "",
            options={"undo": False}, datasets=DATASETS),
    Reading("undisguised", "What if nothing were disguised?", "", options={"theta": 1.0},
            datasets=DATASETS),
)  # fmt: skip


def touching(claim: str) -> list[str]:
    """The readings that can move a claim's evidence, by name.

    >>> touching("ZD-12")[0]
    'middle of the range'
    """
    return [name for name, reading in READINGS.items() if claim in reading.touches]


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
