"""[Zhan & Du 5] Decision trees from records disguised group by group.

`trees` is the experiment of the paper; its keywords are the readings that the text allows. The
functions below it follow the paper's other sections: testing and pruning on disguised records
(4.6), partial disguise (4.7), association rules (4.8), two parties (2), the unrelated question (3),
and what an attacker makes of it all (1.2, 5.3.3).

Functions with `rng` and `reps` are cells for `ppdm.study.run`. Everywhere `coding` goes to
:func:`ppdm.data.binarize`, but for `source`, which goes to :func:`ppdm.data.load`.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.disguise import MultiGroup, UnrelatedQuestion, random_groups
from ppdm.estimate import pool
from ppdm.learn import ID3, NaiveBayes
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.table import Domain, Table, encode, worth_dense

DATASETS = ("adult", "breast-cancer-wisconsin", "congressional-voting")
SHORT = {"adult": "Adult", "breast-cancer-wisconsin": "Cancer", "congressional-voting": "Voting"}
THETAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0)
FIRST = {"adult": 10_000}  # "We used first 10,000 instances"
TRAINING = 0.8


class Reading(NamedTuple):
    """What the paper leaves open: our choice, another one, and the keywords of `trees` for it."""

    question: str
    ours: str
    other: str
    datasets: tuple[str, ...]
    keywords: dict


_CLASS = "Is the class an answer like the others, and in which group?"
_EQ12 = "Eq. (12) writes the class into every group. How is it used?"
_VOTE = "What is a vote that was not cast?"
_RATIO = "Which share of the records is the training part?"

#: Each reading by a short label.
READINGS = {
    "middle of the range": Reading(
        "Where is an attribute cut: \"the median point of the range\"?", "the median of the values",
        "the middle of the range", DATASETS[:2], {"split": "midrange"}),
    "one deal": Reading(
        "When are the attributes dealt into groups?", "anew for each repetition",
        "once for all repetitions", DATASETS, {"grouping": 1}),
    "class not disguised": Reading(
        _CLASS, "like the others, in one of the groups", "it is not disguised (Eq. 13)", DATASETS,
        {"class_in": "none"}),
    "class in every group, copies": Reading(
        _EQ12, "not: a record has one class, in one group",
        "every group reports a copy of the class", DATASETS[:2], {"class_in": "copies"}),
    "class in every group, literal": Reading(
        _EQ12, "not: a record has one class, in one group", "to the letter, on one class",
        DATASETS[:2], {"class_in": "literal"}),
    "negative counts literal": Reading(
        "What does ID3 do with an estimated count below zero?", "it counts as zero",
        "nothing: Eqs. (9) and (10) as printed", DATASETS, {"negative": "literal"}),
    "missing vote: majority": Reading(
        _VOTE, "not a yes", "the more frequent vote", DATASETS[2:], {"missing": "majority"}),
    "missing vote: third answer": Reading(
        _VOTE, "not a yes", "a third answer, which no reversal changes", DATASETS[2:],
        {"missing": "third"}),
    "split redrawn": Reading(
        "Is the training part drawn once or anew for each repetition?", "once", "anew", DATASETS,
        {"splitting": "redrawn"}),
    "training half": Reading(_RATIO, "80 %", "50 %", DATASETS, {"ratio": 0.5}),
    "training nine tenths": Reading(_RATIO, "80 %", "90 %", DATASETS, {"ratio": 0.9}),
}  # fmt: skip


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
    splitting: str = "fixed",
    ratio: float = TRAINING,
    size: int | None = None,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Du 5.2] Deal groups, disguise, learn, test: `reps` times at one θ.

    Parameters
    ----------
    learner
        ``"ID3"`` or ``"naive Bayes"``.
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
    splitting
        ``"fixed"``: one division into training and test part for all repetitions (steps 1 to 3 are
        repeated, and the division stands before them); ``"redrawn"``: a new one for each.
    ratio
        The training part's share of the records.
    size
        Learn from so many training records, drawn anew for each repetition: without replacement,
        or with it if there are not so many.

    Returns ``accuracy``, ``balanced`` (the mean of the two classes' accuracies) and ``constant``
    (1 if all test records were given the same class).

    >>> run = trees(np.random.default_rng(1), 2, "breast-cancer-wisconsin", groups=3, theta=1.0)
    >>> run["accuracy"].round(3)
    array([0.964, 0.964])
    """
    _check("splitting", splitting, ("fixed", "redrawn"))
    survey = _survey(dataset, ratio, _key(coding))
    part, results = survey.fixed, np.empty((reps, 3))
    for rep in range(reps):
        if splitting == "redrawn":
            part = survey.parts(rng)
        table = part.train if size is None else survey.table(_drawn(part.codes, size, rng))
        deal = rng if grouping is None else np.random.default_rng(grouping)
        if undo:
            learned_from = estimate(table, groups, theta, class_in, rng, deal, survey.absent)
        else:
            names = table.names[:-1] if class_in == "none" else table.names
            scheme = MultiGroup(theta, random_groups(names, groups, deal), survey.absent)
            learned_from = scheme.disguise_table(table, rng)
        results[rep] = part.outcome(_learner(learner, negative).fit_table(learned_from))
    return dict(zip(("accuracy", "balanced", "constant"), results.T, strict=True))


def reading_cells(groups, thetas) -> list[dict]:
    """Grid points for :func:`reading`: our own reading and all others, where they apply."""
    wanted = {"ours": DATASETS} | {label: each.datasets for label, each in READINGS.items()}
    return [
        {"reading": label, "dataset": dataset, "groups": number, "theta": theta}
        for label, datasets in wanted.items()
        for dataset in datasets for number in groups for theta in thetas
    ]  # fmt: skip


def reading(
    rng: np.random.Generator, reps: int, reading: str, dataset: str, groups: int, theta: float,
    **settings,
) -> dict[str, np.ndarray]:  # fmt: skip
    """`trees` under one of READINGS, by its label, or under ``"ours"``."""
    keywords = {} if reading == "ours" else READINGS[reading].keywords
    return trees(rng, reps, dataset, groups, theta, **{**settings, **keywords})


def reading_effects(summary: pd.DataFrame, thetas=(0.8, 0.6)) -> pd.DataFrame:
    """Question, choice, alternatives and effect of each reading: mean accuracies at some θ."""
    rows = summary[summary["metric"] == "accuracy"]
    means, table = rows.groupby(["reading", "dataset", "theta"])["mean"].mean(), []
    for label, each in READINGS.items():
        moves = [
            f"at θ = {theta:g} " + ", ".join(
                f"{SHORT[d]} {means['ours', d, theta]:.3f} to {means[label, d, theta]:.3f}"
                for d in each.datasets)
            for theta in thetas
        ]  # fmt: skip
        effect = f"accuracy (mean of one to three groups): {'; '.join(moves)}"
        table.append((each.question, each.ours, each.other, effect))
    return pd.DataFrame(table, columns=["question", "choice", "alternatives", "effect"])


def benchmark(dataset: str, ratio: float = TRAINING, **coding) -> dict[str, float]:
    """[Zhan & Du 5.2] Both learners on the undisguised fixed split, and the majority class."""
    survey = _survey(dataset, ratio, _key(coding))
    part = survey.fixed
    ones = part.truth @ part.numbers / part.numbers.sum()
    accuracies = {name: part.outcome(_learner(name, "clip").fit_table(part.train))[0]
                  for name in ("ID3", "naive Bayes")}  # fmt: skip
    return accuracies | {"majority class": float(max(ones, 1 - ones))}


def estimate(
    table: Table, groups: int, theta: float, class_in: str, rng, deal=None, absent=None
) -> Table:
    """Disguise a table (the class last) and undo it, in one of the readings of the class's place.

    `deal` is the generator that deals the attributes into groups.
    """
    _check("class_in", class_in, ("one", "none", "copies", "literal"))
    deal = rng if deal is None else deal
    if class_in == "copies":
        return copied_class(table, random_groups(table.names[:-1], groups, deal), theta, rng)
    names = table.names[:-1] if class_in == "none" else table.names
    scheme = MultiGroup(theta, random_groups(names, groups, deal), absent)
    reports = scheme.disguise_table(table, rng)
    return literal_class(reports, scheme) if class_in == "literal" else scheme.undo(reports)


def literal_class(reports: Table, scheme: MultiGroup) -> Table:
    """[Zhan & Du, Eq. 12, to the letter] The class stands in E_1, in E_2 and in E_3.

    A report has one class. So "class 0 in E_1 and class 1 in E_2" is never seen, all mixed
    proportions in Eq. (7) are zero, and what is left of its solution is

        n(x, 0) = a^M n*(x, 0) + b^M n*(x̄, 1),    a = θ / (2θ - 1),  b = -(1-θ) / (2θ - 1)

    |S| is estimated without the class, and Q_1 = 1 - Q_0. For one group all this is right.

    >>> from ppdm import count
    >>> answers = count(pd.DataFrame({"A": [1, 1, 1, 0], "B": [1, 0, 1, 0], "C": [1, 1, 1, 0]}))
    >>> scheme = MultiGroup(0.8, [["A", "C"], ["B"]])
    >>> literal_class(scheme.apply(answers), scheme).marginal("C").dense.round(3)
    array([2.778, 1.222])
    """
    keep, turn = scheme.theta / (2 * scheme.theta - 1), -(1 - scheme.theta) / (2 * scheme.theta - 1)
    *attributes, target = reports.names
    by_class = reports.densified().values.reshape(-1, 2)
    power = len(scheme.groups)
    zero = keep**power * by_class[:, 0] + turn**power * by_class[::-1, 1]
    without = [[name for name in group if name != target] for group in scheme.groups]
    alone = MultiGroup(scheme.theta, [group for group in without if group])
    total = alone.undo(reports.marginal(*attributes)).densified().values
    return Table(reports.domain, np.stack([zero, total - zero], axis=1))


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


# ID3 at work --------------------------------------------------------------------------------------


def gain(table: Table, attribute: str, target: str) -> float:
    """[Zhan & Du, Eqs. 9, 10] Gain(S, A) in bits, from (estimated) counts; negative ones as zero.

    >>> from ppdm import count
    >>> gain(count(pd.DataFrame({"A": [0, 0, 1, 1], "C": [0, 0, 1, 1]})), "A", "C")
    1.0
    """
    pairs = np.maximum(table.marginal(attribute, target).dense, 0)
    after = sum(row.sum() * _entropy(row) for row in pairs) / pairs.sum()
    return float(_entropy(pairs.sum(axis=0)) - after)


def _entropy(counts: np.ndarray) -> float:
    shares = counts[counts > 0] / max(counts.sum(), 1e-300)
    return float(-(shares * np.log2(shares)).sum())


def node_by_node(estimated: Table, true: Table, target: str) -> pd.DataFrame:
    """[Zhan & Du 4.5] The nodes of the tree grown on estimated counts, beside the true counts.

    A row a node: its condition E, |S| and the share of class 1 as estimated and in truth, and the
    attribute with the largest gain, by the estimate (on which the tree is split) and in truth.
    """
    tree = ID3().fit_table(estimated, target)
    rows = []

    def visit(node: int, condition: dict) -> None:
        here, there = estimated.where(condition), true.where(condition)
        splits = tree.tree_.attribute[node] >= 0
        left = [name for name in here.names if name != target]
        rows.append({
            "E": " and ".join(f"{n} = {v}" for n, v in condition.items()) or "all",
            "|S| estimated": here.total, "|S| true": there.total,
            "Q1 estimated": here.n({target: 1}) / here.total,
            "Q1 true": there.n({target: 1}) / there.total if there.total else np.nan,
            "split": tree.domain_.names[tree.tree_.attribute[node]] if splits else
            f"leaf: {tree.classes_[tree.tree_.label[node]]}",
            "true best": max(left, key=lambda name: gain(there, name, target))
            if splits and there.total else "",
        })  # fmt: skip
        if splits:
            name = tree.domain_.names[tree.tree_.attribute[node]]
            for value, child in zip(true.levels[true.names.index(name)], tree.tree_.children(node)):
                visit(child, {**condition, name: value})

    visit(0, {})
    return pd.DataFrame(rows)


def draw_trees(models: dict[str, ID3], max_depth: int = 3):
    """Trees one below the other, each with its name."""
    import matplotlib
    from matplotlib.figure import Figure

    from ppdm import plot

    with matplotlib.rc_context(plot.STYLE):
        figure = Figure(figsize=(6.4, 3.4 * len(models)), layout="constrained")
        axes = figure.subplots(len(models), squeeze=False)[:, 0]
        for ax, (name, model) in zip(axes, models.items(), strict=True):
            model.plot(ax, max_depth)
            ax.set_title(name)
    leaves = ", ".join(f"{name} {model.tree_.n_leaves}" for name, model in models.items())
    roots = {name: m.domain_.names[m.tree_.attribute[0]] for name, m in models.items()}
    figure.caption = (
        f"Trees grown on the same records: {', '.join(models)}. A box shows the attribute that is "
        "asked and the (estimated) number of records; a leaf shows the class.")  # fmt: skip
    figure.alt = f"Decision trees. Leaves: {leaves}. First question: " + ", ".join(
        f"{root} ({name})" for name, root in roots.items()) + "."  # fmt: skip
    return figure


# Testing and pruning, partial disguise, two parties, rules ----------------------------------------


def testing(
    rng: np.random.Generator, reps: int, dataset: str, groups: int, theta: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Du 4.6] Test and prune with disguised records.

    Three quarters of the training part grow the tree, the last quarter prunes it (reduced-error
    pruning, on undone counts), all disguised in the same groups. The test part is disguised too,
    and Eq. (15) estimates the accuracy of the unpruned tree on the true test records.

    Returns ``error`` (estimate - truth), ``se`` (the standard error stated with the estimate),
    ``accuracy`` of the unpruned tree, ``pruned`` and ``pruned by true records``, and ``leaves``
    before and ``leaves left`` after pruning by disguised records.
    """
    survey = _survey(dataset, TRAINING, _key(coding))
    part, names = survey.fixed, survey.domain.names
    quarter = len(part.codes) // 4
    prune_by, grow_on = survey.table(part.codes[:quarter]), survey.table(part.codes[quarter:])
    metrics = ("error", "se", "accuracy", "pruned", "pruned by true records", "leaves",
               "leaves left")  # fmt: skip
    out = {name: np.empty(reps) for name in metrics}
    for rep in range(reps):
        scheme = MultiGroup(theta, random_groups(names, groups, rng))
        tree = ID3().fit_table(scheme.undo(scheme.disguise_table(grow_on, rng)))
        small = tree.pruned(scheme.undo(scheme.disguise_table(prune_by, rng)))
        truth = part.outcome(tree)[0]
        guess = estimated_accuracy(tree, scheme.disguise_table(part.test, rng), scheme)
        out["error"][rep], out["se"][rep] = guess.estimate - truth, guess.se
        out["accuracy"][rep], out["pruned"][rep] = truth, part.outcome(small)[0]
        out["pruned by true records"][rep] = part.outcome(tree.pruned(prune_by))[0]
        out["leaves"][rep], out["leaves left"][rep] = tree.tree_.n_leaves, small.tree_.n_leaves
    return out


def partial(
    rng: np.random.Generator, reps: int, dataset: str, hidden: int, theta: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Du 4.7] Only `hidden` attributes, drawn anew each time, are disguised, in one group.

    Neither are the others nor the class.
    """
    part, accuracy = _survey(dataset, TRAINING, _key(coding)).fixed, np.empty(reps)
    names = part.train.names[:-1]
    for rep in range(reps):
        chosen = [names[i] for i in rng.permutation(len(names))[:hidden]]
        scheme = MultiGroup(theta, [chosen] if chosen else [])
        model = ID3(scheme).fit_table(scheme.disguise_table(part.train, rng))
        accuracy[rep] = part.outcome(model)[0]
    return {"accuracy": accuracy}


def two_parties(
    rng: np.random.Generator, reps: int, dataset: str, groups: int, theta: float,
    own: float, **coding,
) -> dict[str, np.ndarray]:  # fmt: skip
    """[Zhan & Du 2] B holds a share `own` of the training records, A disguises and sends the rest.

    Accuracies of four trees: ``B alone``, ``A alone`` (undone), ``both`` (B's true counts plus A's
    undone ones), and ``discounted``: the same with A's records weighted by the factor by which the
    disguise inflates the variance of a small count, ((θ² + (1-θ)²) / (2θ-1)²)^M.
    """
    survey = _survey(dataset, TRAINING, _key(coding))
    part = survey.fixed
    size = round(own * len(part.codes))
    weight = ((2 * theta - 1) ** 2 / (theta**2 + (1 - theta) ** 2)) ** groups
    rows = []
    for _ in range(reps):
        codes = rng.permutation(part.codes)
        true, other = survey.table(codes[:size]), survey.table(codes[size:])
        scheme = MultiGroup(theta, random_groups(survey.domain.names, groups, rng))
        reports = scheme.disguise_table(other, rng)
        tables = {
            "B alone": true, "A alone": scheme.undo(reports), "both": pool(true, reports, scheme),
            "discounted": true + scheme.undo(reports) * weight,
        }  # fmt: skip
        rows.append({name: part.outcome(ID3().fit_table(t))[0] for name, t in tables.items()})
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def association(
    rng: np.random.Generator, reps: int, dataset: str, groups: int, theta: float,
    support: float = 0.3, confidence: float = 0.8, **coding,
) -> dict[str, np.ndarray]:  # fmt: skip
    """[Zhan & Du 4.8] Association rules from disguised records, against those of the true ones.

    Rules "all of these are 1, so that one is 1 too" of two or three attributes. Returns how many
    were ``found`` (true and there), ``lost`` (true, not there) and ``invented`` (there, not true),
    and the mean ``error`` and mean absolute error ``off`` of the supports of all sets.
    """
    table = _survey(dataset, TRAINING, _key(coding)).everyone
    true_support = supports(table)
    true_rules = rules(true_support, support, confidence)
    small = _sets_of(len(table.names), 3)
    results = np.empty((reps, 5))
    for rep in range(reps):
        scheme = MultiGroup(theta, random_groups(table.names, groups, rng))
        guess = supports(scheme.undo(scheme.disguise_table(table, rng)))
        there = rules(guess, support, confidence)
        errors = (guess - true_support)[small]
        results[rep] = (len(true_rules & there), len(true_rules - there), len(there - true_rules),
                        errors.mean(), np.abs(errors).mean())  # fmt: skip
    return dict(zip(("found", "lost", "invented", "error", "off"), results.T, strict=True))


def supports(table: Table) -> np.ndarray:
    """[Zhan & Du 4.8] The share of records in which all attributes of a set are 1, for all sets.

    A set is a code with a 1 for each of its attributes; summing every axis from the top gives all
    2^k supports in k passes over the table.

    >>> from ppdm import count
    >>> supports(count(pd.DataFrame({"A": [1, 1, 0], "B": [1, 0, 0]}))).round(3)
    array([1.   , 0.333, 0.667, 0.333])
    """
    values = table.densified().values / table.total
    for axis in range(len(table.names)):
        halves = values.reshape(2**axis, 2, -1)
        values = np.stack([halves.sum(axis=1), halves[:, 1]], axis=1)
    return values.reshape(-1)


def rules(support: np.ndarray, least: float, confidence: float) -> set[tuple[int, int]]:
    """[Zhan & Du 4.8] Rules of two or three attributes as pairs (set, attribute concluded).

    As Apriori searches: a set counts only if all its subsets are frequent.
    """
    found, attributes = set(), int(np.log2(len(support)))
    bits = [1 << i for i in range(attributes)]
    frequent = {bit for bit in bits if support[bit] >= least}
    for size in (2, 3):
        sets = (sum(c) for c in combinations(sorted(frequent & set(bits)), size))
        for items in sets:
            parts = [items ^ bit for bit in bits if items & bit]
            if support[items] >= least and all(part in frequent for part in parts):
                frequent.add(items)
                found.update((items, items ^ part) for part in parts
                             if support[items] >= confidence * support[part])  # fmt: skip
    return found


@lru_cache(maxsize=8)
def _sets_of(attributes: int, most: int) -> np.ndarray:
    codes = np.arange(1, 2**attributes)
    sizes = np.array([int(code).bit_count() for code in codes])
    return codes[sizes <= most]


def unrelated(
    rng: np.random.Generator, reps: int, dataset: str, q: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Du 3] The unrelated question: errors of the estimated share of ones, by attribute."""
    table = _survey(dataset, TRAINING, _key(coding)).everyone
    scheme, true = UnrelatedQuestion(q), _ones(table)
    errors = [_ones(scheme.undo(scheme.disguise_table(table, rng))) - true for _ in range(reps)]
    return dict(zip(table.names, np.array(errors).T, strict=True))


def _ones(table: Table) -> np.ndarray:
    return np.array([table.p({name: 1}) for name in table.names])


# What an attacker learns --------------------------------------------------------------------------


def record_guesses(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, deals: int = 20, **coding
) -> dict[str, list]:
    """[Zhan & Du 1.2, 5.3.3] The chance of guessing a whole record at best, exactly.

    He knows the scheme and the distribution of the true records. A row a deal of the attributes
    into groups; deals do not depend on θ.
    """
    prior = _survey(dataset, TRAINING, _key(coding)).everyone
    schemes = [MultiGroup(theta, _deal(prior.names, groups, deal)) for deal in range(deals)]
    chances = [scheme.guess_record(prior) for scheme in schemes]
    return {"deal": list(range(deals)), "record": chances}


def guesses(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, deals: int = 4, **coding
) -> pd.DataFrame:
    """[Zhan & Du 1.2] The chance of guessing one answer at best, exactly, for some deals.

    A row a deal and attribute: ``blind`` (no report seen) and ``seen`` (the whole report).
    """
    prior, rows = _survey(dataset, TRAINING, _key(coding)).everyone, []
    for deal in range(deals):
        scheme = MultiGroup(theta, _deal(prior.names, groups, deal))
        for name in prior.names:
            rows.append({"deal": deal, "attribute": name, "seen": scheme.guess_answer(prior, name),
                         "blind": prior.proportions().marginal(name).values.max()})  # fmt: skip
    return pd.DataFrame(rows)


def _deal(names, groups: int, number: int) -> list[list[str]]:
    """One deal of the attributes into groups, by its number."""
    return random_groups(names, groups, np.random.default_rng(number))


def insider(
    rng: np.random.Generator, dataset: str, groups: int, theta: float, **coding
) -> pd.DataFrame:
    """[Zhan & Du 1.2] An attacker who knows one true answer, from elsewhere, reads the others.

    A row a pair of answers: is the known one in the `same` group, and the chance to guess the other
    right: before (``blind`` but for the known answer), ``without`` knowing it, and ``with`` it; and
    ``looks``, the same for an attacker who looks at nothing but the reports of these two answers,
    and takes all true answers for equally likely and independent, as section 1.2 does.
    """
    prior = _survey(dataset, TRAINING, _key(coding)).everyone
    scheme = MultiGroup(theta, _deal(prior.names, groups, 0))
    home = {name: i for i, group in enumerate(scheme.groups) for name in group}
    silent = UnrelatedQuestion(0.0)  # a report that says nothing
    without = {name: scheme.guess_answer(prior, name) for name in prior.names}
    rows = []
    for known in prior.names:
        for name in prior.names:
            if name == known:
                continue
            two = prior.marginal(known, name)
            even = Table(two.domain, np.ones(4))
            rows.append({
                "known": known, "other": name, "same": home[known] == home[name],
                "blind": silent.guess_answer(two, name, known=[known]),
                "without": without[name], "with": scheme.guess_answer(prior, name, known=[known]),
                "looks": scheme.guess_answer(even, name, known=[known]),
            })  # fmt: skip
    return pd.DataFrame(rows)


def outsider(rng: np.random.Generator, reps: int, groups: int, theta: float, **coding) -> dict:
    """[Zhan & Du 1.2] Truth or lie? Called by someone who knows *other* people's records.

    The respondents are the first 10,000 of Adult; the attacker knows the other 38,842 records, and
    no answer of the respondents. For each report he finds the likeliest true record behind it and
    so calls each group true or reversed. ``calls`` is the share of groups called rightly,
    ``coin`` that of always calling the likelier side of the coin, ``answers`` the share of answers
    that he then has right.
    """
    prior, codes = _others(_key(coding))
    domain, results = prior.domain, np.empty((reps, 3))
    for rep in range(reps):
        scheme = MultiGroup(theta, random_groups(domain.names, groups, rng))
        masks = [sum(int(domain.strides[domain.axis(n)]) for n in g) for g in scheme.groups]
        lies = rng.random((len(codes), groups)) > theta
        reports = codes ^ (lies @ np.array(masks))
        best, believed = np.full(len(codes), -1.0), np.zeros_like(lies)
        for pattern in np.ndindex(*[2] * groups):
            turned = np.array(pattern, dtype=bool)
            chance = np.prod(np.where(turned, 1 - theta, theta))
            score = chance * prior.values[reports ^ (turned @ np.array(masks))]
            better = score > best
            best[better], believed[better] = score[better], turned
        right = believed == lies
        sizes = np.array([len(group) for group in scheme.groups])
        results[rep] = right.mean(), max(theta, 1 - theta), (right @ sizes).mean() / sizes.sum()
    return dict(zip(("calls", "coin", "answers"), results.T, strict=True))


@lru_cache(maxsize=2)
def _others(coding: tuple) -> tuple[Table, np.ndarray]:
    """Adult but for the first 10,000 (half a record in each empty cell), and those, as codes."""
    coding = dict(coding)
    frame = _coded(data.load("adult", coding.pop("source", None)), coding)
    codes, domain = encode(frame)
    first = FIRST["adult"]
    counts = np.bincount(codes[first:], minlength=domain.size).astype(float)
    return Table(domain, np.maximum(counts, 0.5)), codes[:first]


# Prepared once for each data set and coding -------------------------------------------------------


class Part(NamedTuple):
    """One division of the records."""

    codes: np.ndarray  # of the training records
    train: Table
    test: Table
    digits: np.ndarray  # level numbers of the distinct test records, without the class,
    truth: np.ndarray  # their classes
    numbers: np.ndarray  # and how many there are of each

    def outcome(self, model) -> tuple[float, float, float]:
        """Accuracy, mean accuracy of the two classes, and whether all got the same class."""
        guess = model._best(self.digits)
        right = guess == self.truth
        classes = [self.numbers[self.truth == v] @ right[self.truth == v]
                   / max(self.numbers[self.truth == v].sum(), 1) for v in (0, 1)]  # fmt: skip
        constant = float((guess == guess[0]).all())
        return float(right @ self.numbers / self.numbers.sum()), float(np.mean(classes)), constant


class Survey(NamedTuple):
    """A data set's records as codes, the class last."""

    codes: np.ndarray
    domain: Domain
    ratio: float
    absent: int | None
    everyone: Table
    fixed: Part | None = None

    def table(self, codes: np.ndarray) -> Table:
        if worth_dense(self.domain.size, len(codes)):
            return Table(self.domain, np.bincount(codes, minlength=self.domain.size))
        cells, numbers = np.unique(codes, return_counts=True)
        return Table(self.domain, numbers, cells)

    def parts(self, rng: np.random.Generator) -> Part:
        codes = rng.permutation(self.codes)
        size = round(self.ratio * len(codes))
        test = self.table(codes[size:])
        cells, numbers = test.occupied()
        digits = self.domain.digits(cells)
        return Part(codes[:size], self.table(codes[:size]), test, digits[:, :-1].copy(),
                    digits[:, -1], numbers)  # fmt: skip


@lru_cache(maxsize=32)
def _survey(dataset: str, ratio: float, coding: tuple) -> Survey:
    coding = dict(coding)
    loaded = data.load(dataset, coding.pop("source", None))
    if dataset in FIRST:
        loaded = loaded.first(FIRST[dataset])
    codes, domain = encode(_coded(loaded, coding))
    absent = 2 if coding.get("missing") == "third" else None
    survey = Survey(codes, domain, ratio, absent, everyone=None)
    survey = survey._replace(everyone=survey.table(codes))
    return survey._replace(fixed=survey.parts(np.random.default_rng(80_20)))


def training(dataset: str, ratio: float = TRAINING, **coding) -> Table:
    """The training part of the fixed split."""
    return _survey(dataset, ratio, _key(coding)).fixed.train


def records(dataset: str, **coding) -> Table:
    """The coded records of a data set (the first 10,000 of Adult) as a table, the class last."""
    return _survey(dataset, TRAINING, _key(coding)).everyone


def _coded(loaded: data.Dataset, coding: dict) -> pd.DataFrame:
    with warnings.catch_warnings():  # a constant column is harmless here; the data page lists them
        warnings.filterwarnings("ignore", message=".*constant after the coding")
        frame, _ = data.binarize(loaded, **coding)
    return frame[[*(name for name in frame.columns if name != loaded.target), loaded.target]]


def _key(coding: dict) -> tuple:
    return tuple(sorted(coding.items()))


def _drawn(codes: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    if size > len(codes):
        return codes[rng.integers(len(codes), size=size)]
    return rng.permutation(codes)[:size]


def _learner(name: str, negative: str):
    _check("learner", name, ("ID3", "naive Bayes"))
    return ID3(negative=negative) if name == "ID3" else NaiveBayes()


def _check(name: str, given, allowed) -> None:
    if given not in allowed:
        raise ValueError(f"{name} is one of {', '.join(allowed)}; got {given!r}")
