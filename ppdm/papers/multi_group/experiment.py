"""[Zhan & Du 5] Decision trees from records disguised group by group: one point at a time.

`trees` is the experiment of the paper; its keywords are the readings that the text allows. The functions below it follow the
paper's other sections: pruning on disguised records (4.6), partial disguise (4.7), two parties (2), the
unrelated question (3).

Functions with `rng` and `reps` are points for `ppdm.study.run`. Everywhere `coding` goes to
:func:`ppdm.data.binarize`, but for `source`, which goes to :func:`ppdm.data.load`. `divisions` says on how
many divisions into training and test part the repetitions are spread, the same number on each; 0: all are
on one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ppdm.disguise import MultiGroup, UnrelatedQuestion, random_groups
from ppdm.estimate import pool
from ppdm.learn import ID3, NaiveBayes
from ppdm.papers import common
from ppdm.papers.common import (
    TRAINING,
    OneClass,
    Respondents,
    check,
    columns,
    scores,
    shuffled,
    spread,
    surveys,
    tabled,
)
from ppdm.table import Table

THETAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0)
FIRST = {"adult": 10_000}  # "We used first 10,000 instances"


def respondents(dataset: str, **coding: Any) -> Respondents:
    """The people of a data set: of Adult the first 10,000.

    >>> len(respondents("adult").codes)
    10000
    """
    return common.respondents(dataset, first=FIRST.get(dataset), **coding)


def division(number: int | None) -> int | tuple[int, ...]:
    """A division of this chapter, as :func:`ppdm.papers.common.fixed_split` has it; ``None`` is the fixed one."""
    return 0 if number is None else (number,)


def divisions_of(number: int) -> list[int | tuple[int, ...]]:
    """So many divisions; 0: the fixed one alone."""
    return [division(i) for i in range(number)] or [division(None)]


def divided(
    dataset: str, number: int | None = None, ratio: float = TRAINING, **coding: Any
) -> tuple[Table, Table]:
    """The two parts of one division of a data set's records.

    >>> [divided("congressional-voting", i)[1].total for i in (None, 0, 1)]
    [87.0, 87.0, 87.0]
    """
    return respondents(dataset, **coding).numbered(division(number), ratio)


# The paper's experiment ---------------------------------------------------------------------------


def trees(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    groups: int,
    theta: float,
    *,
    learner: str = "ID3",
    undo: bool = True,
    grouping: int | None = None,
    class_in: str = "one",
    negative: str = "clip",
    divisions: int = 0,
    ratio: float = TRAINING,
    size: int | None = None,
    labels: str = "true",
    sizes: str = "equal",
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Du 5.2] Deal groups, disguise, learn, test: `reps` times at one θ.

    Parameters
    ----------
    learner
        ``"ID3"``, ``"naive Bayes"``, or ``"one class"``, which says the more frequent class of all.
    undo
        If not, the reports are taken for the truth (the class in one of the groups, or not
        disguised).
    grouping
        ``None``: the attributes are dealt into groups anew for each repetition; a number names one
        deal that all repetitions use.
    class_in
        ``"one"``: the class is in one of the groups; ``"none"``: it is not disguised (Eq. 13).
    negative
        What ID3 does with negative counts, see :class:`ppdm.learn.ID3`.
    ratio
        The training part's share of the records.
    size
        Learn from so many training records, drawn anew for each repetition: without replacement,
        or with it if there are not so many.
    labels
        ``"shuffled"``: the classes of the training part are dealt out anew before anything else.
    sizes
        ``"equal"``: groups are as nearly of one size as can be; ``"any"``: each attribute goes to a
        group by lot.

    Returns ``accuracy``, ``balanced`` (the mean of the two classes' accuracies), ``constant``
    (1 if all test records were given the same class); and of this division ``undisguised``, the
    accuracy of the learner from true records, and ``majority``, that of one class for everybody.

    >>> run = trees(np.random.default_rng(1), 2, "breast-cancer-wisconsin", groups=3, theta=1.0)
    >>> run["accuracy"].round(3)
    array([0.964, 0.964])
    """
    check("learner", learner, ("ID3", "naive Bayes", "one class"))
    check("sizes", sizes, ("equal", "any"))
    check("class_in", class_in, ("one", "none"))
    people = respondents(dataset, **coding)
    absent = 2 if coding.get("missing") == "third" else None
    best = "ID3" if learner == "one class" else learner

    def beside(train: Table, test: Table) -> dict[str, float]:
        majority = scores(OneClass().fit_table(train).confusion(test)).accuracy
        if size is not None:  # another training part for each repetition
            return {"majority": majority}
        true = scores(_learner(best, negative).fit_table(train).confusion(test)).accuracy
        return {"undisguised": true, "majority": majority}

    def learned(train: Table, rng: np.random.Generator) -> Any:
        deal = rng if grouping is None else np.random.default_rng(grouping)
        if learner == "one class":
            return OneClass().fit_table(train)
        names = train.names[:-1] if class_in == "none" else train.names
        scheme = MultiGroup(theta, dealt(names, groups, deal, sizes), absent)
        reports = scheme.disguise_table(train, rng)
        counts = scheme.undo(reports) if undo else reports.taken_as("answers")
        return _learner(learner, negative).fit_table(counts)

    parts = _parts(people, reps, divisions, ratio, size, rng)
    return surveys(rng, parts, learned, labels=labels, beside=beside)


def _parts(
    people: Respondents,
    reps: int,
    divisions: int,
    ratio: float,
    size: int | None,
    rng: np.random.Generator,
) -> Iterator[tuple[Table, Table]]:
    """The two parts for each repetition; of the training part `size` records, drawn anew."""
    numbers = divisions_of(divisions)
    for number in numbers:
        codes, _ = people.coded(number, ratio)
        train, test = people.numbered(number, ratio)
        for _ in range(spread(reps, len(numbers))):
            if size is not None:
                again = size > len(codes)  # with replacement, if there are not so many
                chosen = (
                    codes[rng.integers(len(codes), size=size)]
                    if again
                    else rng.permutation(codes)[:size]
                )
                train = tabled(chosen, people.domain)
            yield train, test


def benchmark(
    dataset: str, divisions: int, ratio: float = TRAINING, **coding: Any
) -> dict[str, float]:
    """[Zhan & Du 5.2] Both learners on undisguised records, and the majority class: the mean over divisions."""
    people, rows = respondents(dataset, **coding), []
    for number in divisions_of(divisions):
        train, test = people.numbered(number, ratio)
        ones = test.marginal(test.names[-1]).proportions().dense[1]
        rows.append({"majority class": max(ones, 1 - ones)} | {
            name: scores(_learner(name, "clip").fit_table(train).confusion(test)).accuracy for name in ("ID3", "naive Bayes")
        })  # fmt: skip
    return {name: float(values.mean()) for name, values in columns(rows).items()}


def dealt(names, groups: int, rng: np.random.Generator, sizes: str = "equal") -> list[list[str]]:
    """Attributes dealt into groups of nearly one size, or each into a group by lot.

    >>> sorted(map(len, dealt("ABCDEFG", 3, np.random.default_rng(1))))
    [2, 2, 3]
    """
    if sizes == "equal":
        return random_groups(names, groups, rng)
    lots = rng.integers(groups, size=len(names))
    by_lot = [
        [name for name, lot in zip(names, lots, strict=True) if lot == g] for g in range(groups)
    ]
    return [group for group in by_lot if group]


# Pruning, partial disguise, two parties -------------------------------------------------------------


def testing(
    rng: np.random.Generator, reps: int, dataset: str, groups: int, theta: float, divisions: int = 0,
    labels: str = "true", **coding: Any,
) -> dict[str, np.ndarray]:  # fmt: skip
    """[Zhan & Du 4.6] Prune with disguised records.

    Three quarters of the training part grow the tree, the last quarter prunes it (reduced-error
    pruning, on undone counts), all disguised in the same groups. With `labels` ``"shuffled"`` the records to
    prune by have anybody's class. Returns ``gain``: the accuracy of the pruned tree minus that of the full one.
    """
    check("labels", labels, common.LABELS)
    people, rows = respondents(dataset, **coding), []
    for number, _ in _repeated(reps, divisions):
        codes, test = people.coded(number)[0], people.numbered(number)[1]
        prune_by, grow_on = (tabled(c, people.domain) for c in np.split(codes, [len(codes) // 4]))
        if labels == "shuffled":
            prune_by = shuffled(prune_by, rng)
        scheme = MultiGroup(theta, random_groups(people.domain.names, groups, rng))
        tree = ID3().fit_table(scheme.undo(scheme.disguise_table(grow_on, rng)))
        small = tree.pruned(scheme.undo(scheme.disguise_table(prune_by, rng)))
        before, after = (scores(model.confusion(test)).accuracy for model in (tree, small))
        rows.append({"gain": after - before})
    return columns(rows)


def _repeated(reps: int, divisions: int) -> Iterator[tuple[Any, int]]:
    numbers = divisions_of(divisions)
    return ((number, i) for number in numbers for i in range(spread(reps, len(numbers))))


def partly_disguised(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    hidden: int,
    theta: float,
    divisions: int = 0,
    **coding: Any,
) -> dict[str, np.ndarray]:
    """[Zhan & Du 4.7] Only `hidden` attributes, drawn anew each time, are disguised, in one group.

    Neither are the others nor the class. Returns ``accuracy`` and ``loss`` against the undisguised tree.
    """
    people = respondents(dataset, **coding)
    names = people.domain.names[:-1]

    def learned(train: Table, rng: np.random.Generator) -> Any:
        scheme = MultiGroup(theta, [[names[i] for i in rng.permutation(len(names))[:hidden]]])
        return ID3(scheme).fit_table(scheme.disguise_table(train, rng))

    def beside(train: Table, test: Table) -> dict[str, float]:
        return {"undisguised": scores(ID3().fit_table(train).confusion(test)).accuracy}

    run = surveys(rng, people.parts(divisions_of(divisions), reps, rng), learned, beside=beside)
    return {"accuracy": run["accuracy"], "loss": run["undisguised"] - run["accuracy"]}


def two_parties(
    rng: np.random.Generator, reps: int, dataset: str, groups: int, theta: float, own: float, divisions: int = 0,
    **coding: Any,
) -> dict[str, np.ndarray]:  # fmt: skip
    """[Zhan & Du 2] B holds a share `own` of the training records, A disguises and sends the rest.

    Accuracies of two trees: ``B alone``, and ``both`` (B's true counts plus A's undone ones); and ``gain``, the
    difference.
    """
    people, rows = respondents(dataset, **coding), []
    for number, _ in _repeated(reps, divisions):
        train, test = people.coded(number)[0], people.numbered(number)[1]
        codes, size = rng.permutation(train), round(own * len(train))
        true, other = tabled(codes[:size], people.domain), tabled(codes[size:], people.domain)
        scheme = MultiGroup(theta, random_groups(people.domain.names, groups, rng))
        both = pool(true, scheme.disguise_table(other, rng), scheme)
        row = {
            name: scores(ID3().fit_table(t).confusion(test)).accuracy
            for name, t in (("B alone", true), ("both", both))
        }
        rows.append(row | {"gain": row["both"] - row["B alone"]})
    return columns(rows)


def unrelated(
    rng: np.random.Generator, reps: int, dataset: str, q: float, **coding: Any
) -> dict[str, np.ndarray]:
    """[Zhan & Du 3] The unrelated question: errors of the estimated share of ones, by attribute."""
    table, scheme = respondents(dataset, **coding).everyone, UnrelatedQuestion(q)
    true = ones(table)
    errors = [ones(scheme.undo(scheme.disguise_table(table, rng))) - true for _ in range(reps)]
    return dict(zip(table.names, np.array(errors).T, strict=True))


def ones(table: Table) -> np.ndarray:
    """The share of ones of each attribute."""
    return np.array([table.p({name: 1}) for name in table.names])


def _learner(name: str, negative: str) -> Any:
    return ID3(negative=negative) if name == "ID3" else NaiveBayes()
