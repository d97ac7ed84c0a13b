"""[Zhan & Du 5] Decision trees from records disguised group by group: one grid point at a time.

`trees` is the experiment of the paper; its keywords are the readings that the text allows, Eq. (12) on
the class at a node among them (`literal_class`, `copied_class`). The functions below it follow the
paper's other sections: testing and pruning on disguised records (4.6), partial disguise (4.7),
association rules (4.8), two parties (2), the unrelated question (3).

Functions with `rng` and `reps` are cells for `ppdm.study.run`. Everywhere `coding` goes to
:func:`ppdm.data.binarize`, but for `source`, which goes to :func:`ppdm.data.load`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ppdm.disguise import MultiGroup, UnrelatedQuestion, random_groups
from ppdm.domain import Domain, held
from ppdm.estimate import pool
from ppdm.learn import ID3, NaiveBayes, association_rules, frequent_among, supports
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.papers import common
from ppdm.papers.common import SPLIT_SEED, TRAINING, Respondents, held_table, key, tabled
from ppdm.table import Table

THETAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0)
LABELS = ("true", "shuffled")
FIRST = {"adult": 10_000}  # "We used first 10,000 instances"


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
        ``"one"``: the class is in one of the groups; ``"none"``: it is not disguised; ``"copies"``
        and ``"literal"``: two ways to read Eq. (12), see :func:`copied_class` and
        :func:`literal_class`.
    negative
        What ID3 does with negative counts, see :class:`ppdm.learn.ID3`.
    divisions
        On so many divisions into training and test part the repetitions are spread, the same number
        on each (steps 1 to 3 are repeated, and the division stands before them); 0: all are on one.
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
    _check("learner", learner, ("ID3", "naive Bayes", "one class"))
    _check("labels", labels, LABELS)
    _check("sizes", sizes, ("equal", "any"))
    domain, results = respondents(dataset, **coding).domain, []
    absent = 2 if coding.get("missing") == "third" else None
    best = "ID3" if learner == "one class" else learner
    for part, repetitions in parts(dataset, reps, divisions, ratio, **coding):
        known = [
            part.outcome(_learner(name, negative).fit_table(part.train))[0]
            for name in (best, "one class")
        ]
        for _ in repetitions:
            codes = part.codes if size is None else _drawn(part.codes, size, rng)
            if labels == "shuffled":
                codes = _shuffled(codes, rng)
            table = part.train if codes is part.codes else tabled(codes, domain)
            deal = rng if grouping is None else np.random.default_rng(grouping)
            if learner == "one class":
                learned_from = part.train
            elif undo:
                learned_from = estimate(table, groups, theta, class_in, rng, deal, absent, sizes)
            else:
                names = table.names[:-1] if class_in == "none" else table.names
                scheme = MultiGroup(theta, dealt(names, groups, deal, sizes), absent)
                learned_from = scheme.disguise_table(table, rng).taken_as("answers")
            model = _learner(learner, negative).fit_table(learned_from)
            results.append((*part.outcome(model), *known))
    names = ("accuracy", "balanced", "constant", "undisguised", "majority")
    return dict(zip(names, np.array(results).T, strict=True))


def benchmark(
    dataset: str, ratio: float = TRAINING, division: int | None = None, divisions: int = 0, **coding
) -> dict[str, float]:
    """[Zhan & Du 5.2] Both learners on undisguised records, and the majority class.

    Of one division, or the mean over as many as `divisions` says.
    """
    if divisions:
        every = [benchmark(dataset, ratio, division=i, **coding) for i in range(divisions)]
        return {name: float(np.mean([one[name] for one in every])) for name in every[0]}
    part = divided(dataset, division, ratio, **coding)
    ones = part.truth @ part.numbers / part.numbers.sum()
    accuracies = {
        name: part.outcome(_learner(name, "clip").fit_table(part.train))[0]
        for name in ("ID3", "naive Bayes")
    }
    return accuracies | {"majority class": float(max(ones, 1 - ones))}


def estimate(
    table: Table,
    groups: int,
    theta: float,
    class_in: str,
    rng,
    deal=None,
    absent=None,
    sizes: str = "equal",
) -> Table:
    """Disguise a table (the class last) and undo it, in one of the readings of the class's place.

    `deal` is the generator that deals the attributes into groups, of equal or of any `sizes`.
    """
    _check("class_in", class_in, ("one", "none", "copies", "literal"))
    deal = rng if deal is None else deal
    if class_in == "copies":
        return copied_class(table, dealt(table.names[:-1], groups, deal, sizes), theta, rng)
    names = table.names[:-1] if class_in == "none" else table.names
    scheme = MultiGroup(theta, dealt(names, groups, deal, sizes), absent)
    reports = scheme.disguise_table(table, rng)
    return literal_class(reports, scheme) if class_in == "literal" else scheme.undo(reports)


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


def literal_class(reports: Table, scheme: MultiGroup) -> Table:
    """[Zhan & Du, Eq. 12, to the letter] The class stands in E_1, in E_2 and in E_3.

    A report has one class. So "class 0 in E_1 and class 1 in E_2" is never seen, all mixed
    proportions in Eq. (7) are zero, and what is left of its solution is

        n(x, 0) = a^M n*(x, 0) + b^M n*(x̄, 1),    a = θ / (2θ - 1),  b = -(1-θ) / (2θ - 1)

    |S| is estimated without the class, and Q_1 = 1 - Q_0. For one group all this is right.

    >>> from ppdm import count
    >>> import pandas as pd
    >>> answers = count(pd.DataFrame({"A": [1, 1, 1, 0], "B": [1, 0, 1, 0], "C": [1, 1, 1, 0]}))
    >>> scheme = MultiGroup(0.8, [["A", "C"], ["B"]])
    >>> literal_class(scheme.apply(answers), scheme).marginal("C").dense.round(3)
    array([2.778, 1.222])
    """
    keep, turn = scheme.theta / (2 * scheme.theta - 1), -(1 - scheme.theta) / (2 * scheme.theta - 1)
    *attributes, target = reports.names
    by_class = reports.densified().values.reshape(-1, 2)
    groups = scheme.groups_in(reports.domain)
    power = len(groups)
    zero = keep**power * by_class[:, 0] + turn**power * by_class[::-1, 1]
    without = [[name for name in group if name != target] for group in groups]
    alone = MultiGroup(scheme.theta, [group for group in without if group])
    total = alone.undo(reports.marginal(*attributes)).densified().values
    return Table(reports.domain, np.stack([zero, total - zero], axis=1).reshape(-1))


def copied_class(table: Table, groups, theta: float, rng: np.random.Generator) -> Table:
    """[Zhan & Du, Eq. 12, made consistent] Every group reports a copy of the class.

    True records have equal copies, so of the undone table only those cells are read. The collector
    holds M reports of everyone's class.
    """
    *attributes, target = table.names
    copies = [f"{target} in group {i + 1}" for i in range(len(groups))]
    levels = (*table.levels[:-1], *[table.levels[-1]] * len(copies))
    domain = Domain((*attributes, *copies), levels)
    every = 2 ** len(copies)
    cells, values = table.occupied()
    wide = Table(domain, values, (cells // 2) * every + (cells % 2) * (every - 1))
    with_class = [[*group, copy] for group, copy in zip(groups, copies, strict=True)]
    scheme = MultiGroup(theta, with_class)
    undone = scheme.undo(scheme.disguise_table(wide, rng))
    cells, values = undone.occupied()
    equal = (cells % every == 0) | (cells % every == every - 1)
    cells = cells[equal] // every * 2 + (cells[equal] % every > 0)
    return Table(table.domain, values[equal], cells).compact(table.total)


# Testing and pruning, partial disguise, two parties, rules ----------------------------------------


def testing(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    groups: int,
    theta: float,
    divisions: int = 0,
    labels: str = "true",
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Du 4.6] Test and prune with disguised records.

    Three quarters of the training part grow the tree, the last quarter prunes it (reduced-error
    pruning, on undone counts), all disguised in the same groups. The test part is disguised too,
    and Eq. (15) estimates the accuracy of the unpruned tree on the true test records. With `labels`
    ``"shuffled"`` the records to prune by have anybody's class.

    Returns ``error`` (estimate - truth), ``se`` (the standard error stated with the estimate),
    ``accuracy`` of the unpruned tree, ``pruned`` and ``pruned by true records``, and ``leaves``
    before and ``leaves left`` after pruning by disguised records.
    """
    _check("labels", labels, LABELS)
    domain, rows = respondents(dataset, **coding).domain, []
    for part, repetitions in parts(dataset, reps, divisions, **coding):
        quarter = len(part.codes) // 4
        prune_by, grow_on = (tabled(c, domain) for c in np.split(part.codes, [quarter]))
        for _ in repetitions:
            if labels == "shuffled":
                prune_by = tabled(_shuffled(part.codes[:quarter], rng), domain)
            scheme = MultiGroup(theta, random_groups(domain.names, groups, rng))
            tree = ID3().fit_table(scheme.undo(scheme.disguise_table(grow_on, rng)))
            small = tree.pruned(scheme.undo(scheme.disguise_table(prune_by, rng)))
            truth = part.outcome(tree)[0]
            guess = estimated_accuracy(tree, scheme.disguise_table(part.test, rng), scheme)
            rows.append({
                "error": guess.estimate - truth, "se": guess.se, "accuracy": truth,
                "pruned": part.outcome(small)[0],
                "pruned by true records": part.outcome(tree.pruned(prune_by))[0],
                "leaves": tree.tree_.n_leaves, "leaves left": small.tree_.n_leaves,
            })  # fmt: skip
    return _columns(rows)


def partly_disguised(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    hidden: int,
    theta: float,
    divisions: int = 0,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Du 4.7] Only `hidden` attributes, drawn anew each time, are disguised, in one group.

    Neither are the others nor the class. Returns ``accuracy`` and ``undisguised``.
    """
    rows, names = [], respondents(dataset, **coding).domain.names[:-1]
    for part, repetitions in parts(dataset, reps, divisions, **coding):
        true = part.outcome(ID3().fit_table(part.train))[0]
        for _ in repetitions:
            chosen = [names[i] for i in rng.permutation(len(names))[:hidden]]
            scheme = MultiGroup(theta, [chosen]) if chosen else None
            seen = scheme.disguise_table(part.train, rng) if scheme else part.train
            model = ID3(scheme).fit_table(seen)
            rows.append({"accuracy": part.outcome(model)[0], "undisguised": true})
    return _columns(rows)


def two_parties(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    groups: int,
    theta: float,
    own: float,
    divisions: int = 0,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Du 2] B holds a share `own` of the training records, A disguises and sends the rest.

    Accuracies of four trees: ``B alone``, ``A alone`` (undone), ``both`` (B's true counts plus A's
    undone ones), and ``discounted``: the same with A's records weighted by the factor by which the
    disguise inflates the variance of a small count, ((θ² + (1-θ)²) / (2θ-1)²)^M.
    """
    domain, rows = respondents(dataset, **coding).domain, []
    weight = ((2 * theta - 1) ** 2 / (theta**2 + (1 - theta) ** 2)) ** groups
    for part, repetitions in parts(dataset, reps, divisions, **coding):
        size = round(own * len(part.codes))
        for _ in repetitions:
            codes = rng.permutation(part.codes)
            true, other = tabled(codes[:size], domain), tabled(codes[size:], domain)
            scheme = MultiGroup(theta, random_groups(domain.names, groups, rng))
            reports = scheme.disguise_table(other, rng)
            tables = {
                "B alone": true, "A alone": scheme.undo(reports),
                "both": pool(true, reports, scheme),
                "discounted": pool(true, reports, scheme, weight),
            }  # fmt: skip
            rows.append({name: part.outcome(ID3().fit_table(t))[0] for name, t in tables.items()})
    return _columns(rows)


def _columns(rows: list[dict]) -> dict[str, np.ndarray]:
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def association(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    groups: int,
    theta: float,
    support: float = 0.3,
    confidence: float = 0.8,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Du 4.8] Association rules from disguised records, against those of the true ones.

    Rules "all of these are 1, so that one is 1 too" of two or three attributes. Returns how many
    were ``found`` (true and there), ``lost`` (true, not there) and ``invented`` (there, not true),
    and the mean ``error`` and mean absolute error ``off`` of the supports of all sets.
    """
    table = records(dataset, **coding)
    true_supports = supports(table)
    true_rules = _rules(table.names, true_supports, support, confidence)
    small = _sets_of(len(table.names), 3)
    results = np.empty((reps, 5))
    for rep in range(reps):
        scheme = MultiGroup(theta, random_groups(table.names, groups, rng))
        guess = supports(scheme.undo(scheme.disguise_table(table, rng)))
        there = _rules(table.names, guess, support, confidence)
        errors = (guess - true_supports)[small]
        results[rep] = (len(true_rules & there), len(true_rules - there), len(there - true_rules),
                        errors.mean(), np.abs(errors).mean())  # fmt: skip
    return dict(zip(("found", "lost", "invented", "error", "off"), results.T, strict=True))


def _rules(names, support: np.ndarray, least: float, confidence: float) -> set[tuple]:
    found = association_rules(frequent_among(names, support, least), confidence)
    return set(zip(found["if"], found["then"], strict=True))


@lru_cache(maxsize=8)
def _sets_of(attributes: int, most: int) -> np.ndarray:
    codes = np.arange(1, 2**attributes)
    sizes = np.array([int(code).bit_count() for code in codes])
    return codes[sizes <= most]


def unrelated(
    rng: np.random.Generator, reps: int, dataset: str, q: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Du 3] The unrelated question: errors of the estimated share of ones, by attribute."""
    table = records(dataset, **coding)
    scheme, true = UnrelatedQuestion(q), _ones(table)
    errors = [_ones(scheme.undo(scheme.disguise_table(table, rng))) - true for _ in range(reps)]
    return dict(zip(table.names, np.array(errors).T, strict=True))


def _ones(table: Table) -> np.ndarray:
    return np.array([table.p({name: 1}) for name in table.names])


# Prepared once for each data set and coding -------------------------------------------------------


class Part(NamedTuple):
    """One division of the records."""

    codes: np.ndarray  # of the training records
    train: Table
    test: Table
    digits: np.ndarray  # level numbers of the distinct test records, without the class,
    truth: np.ndarray  # their classes
    numbers: np.ndarray  # and how many there are of each

    @classmethod
    def of(cls, codes: np.ndarray, size: int, domain: Domain) -> Part:
        """The first `size` of the coded records to learn from, the rest to test on."""
        test = tabled(codes[size:], domain)
        cells, numbers = test.occupied()
        digits = domain.digits(cells)
        train = tabled(codes[:size], domain)
        return cls(codes[:size], train, test, digits[:, :-1].copy(), digits[:, -1], numbers)

    def outcome(self, model) -> tuple[float, float, float]:
        """Accuracy, mean accuracy of the two classes, and whether all got the same class."""
        guess = model._best(self.digits)
        right = guess == self.truth
        classes = [
            self.numbers[self.truth == v]
            @ right[self.truth == v]
            / max(self.numbers[self.truth == v].sum(), 1)
            for v in (0, 1)
        ]
        constant = float((guess == guess[0]).all())
        return float(right @ self.numbers / self.numbers.sum()), float(np.mean(classes)), constant


def respondents(dataset: str, ratio: float = TRAINING, **coding) -> Respondents:
    """The people of a data set: of Adult the first 10,000. At any `ratio` of a division the same.

    >>> len(respondents("adult").codes)
    10000
    """
    return common.respondents(dataset, first=FIRST.get(dataset), **coding)


def divided(dataset: str, division: int | None = None, ratio: float = TRAINING, **coding) -> Part:
    """One division of a data set's records, by its number; ``None`` is one more, the fixed one.

    >>> [divided("congressional-voting", i).test.total for i in (None, 0, 1)]
    [87.0, 87.0, 87.0]
    """
    return _divided(dataset, division, ratio, key(coding))


@lru_cache(maxsize=256)
def _divided(dataset: str, division: int | None, ratio: float, coding: tuple) -> Part:
    people = respondents(dataset, **dict(coding))
    seed = SPLIT_SEED if division is None else [SPLIT_SEED, division]
    codes = held(np.random.default_rng(seed).permutation(people.codes))
    part = Part.of(codes, round(ratio * len(codes)), people.domain)
    held_table(part.train)
    return part


def parts(
    dataset: str, reps: int, divisions: int = 0, ratio: float = TRAINING, **coding
) -> Iterator[tuple[Part, range]]:
    """The divisions on which repetitions are spread, each with its repetitions; 0: the fixed one.

    >>> [len(repetitions) for _, repetitions in parts("congressional-voting", 6, 3)]
    [2, 2, 2]
    """
    numbers = range(divisions) if divisions else [None]
    each, left = divmod(reps, len(numbers))
    if left:
        raise ValueError(f"{reps} repetitions cannot be spread evenly on {divisions} divisions")
    for number in numbers:
        yield divided(dataset, number, ratio, **coding), range(each)


def training(dataset: str, ratio: float = TRAINING, **coding) -> Table:
    """The training part of the fixed split.

    >>> training("breast-cancer-wisconsin").total
    559.0
    """
    return divided(dataset, None, ratio, **coding).train


def records(dataset: str, **coding) -> Table:
    """The coded records of a data set (the first 10,000 of Adult) as a table, the class last.

    >>> records("adult").total
    10000.0
    """
    return respondents(dataset, **coding).everyone


def _drawn(codes: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    if size > len(codes):
        return codes[rng.integers(len(codes), size=size)]
    return rng.permutation(codes)[:size]


def _shuffled(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return codes // 2 * 2 + rng.permutation(codes % 2)


class OneClass:
    """A classifier that says the same of everybody: the more frequent class of its table.

    >>> OneClass().fit_table(training("adult"))._best(np.zeros((2, 14), dtype=int))
    array([0, 0])
    """

    def fit_table(self, table: Table):
        """Count the classes, the last attribute."""
        self.label_ = int(table.marginal(table.names[-1]).dense.argmax())
        return self

    def _best(self, digits: np.ndarray) -> np.ndarray:
        return np.full(len(digits), self.label_)


def _learner(name: str, negative: str):
    if name == "one class":
        return OneClass()
    return ID3(negative=negative) if name == "ID3" else NaiveBayes()


def _check(name: str, given, allowed) -> None:
    if given not in allowed:
        raise ValueError(f"{name} is one of {', '.join(allowed)}; got {given!r}")
