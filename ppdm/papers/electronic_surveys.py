"""[Zhan & Matwin 3] Naive Bayes from records disguised by the unrelated question.

`classifiers` is the experiment of the paper, in bits (see `ppdm.bits`); `disguised_test` that of
section 2.4. The plain reading, record by record with `UnrelatedQuestion` and `NaiveBayes`, stands
beside them in the tests. The other functions go beyond the paper's experiment: what the collector
learns (`truth_told`, `answers`, `outsider`), other learners and data (`trees`, `categorical`,
`clusters`), how the error falls with the number of respondents (`share_errors`).

Functions with `rng` and `reps` are cells for `ppdm.study.run`. Everywhere `coding` goes to
:func:`ppdm.data.binarize`, but for `source`, which goes to :func:`ppdm.data.load`.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numba import njit

from ppdm import bits, data
from ppdm.disguise import UnrelatedQuestion
from ppdm.privacy.pse import answer_and_report, pse, pse_given_record
from ppdm.table import Domain, Table, count, encode

TRAINING = 0.8

SETS = ("adult", "breast-cancer-wisconsin")


class Reading(NamedTuple):
    """Something the paper leaves open: our choice, and what else it could mean."""

    name: str
    question: str
    choice: str
    other: str
    options: dict  # the keywords of `classifiers` that make it the other
    datasets: tuple[str, ...] = SETS


READINGS = (
    Reading("middle of the range", "Where is an attribute cut: \"the median point of the range\"?",
            "the median of the values", "the middle of the range", {"split": "midrange"}),
    Reading("ties even", "On which side does a value on the cut itself go?",
            "low: 1 is \"greater than\"", "to the side that evens out zeros and ones",
            {"ties": "even"}),
    Reading("names by alphabet", "How is an attribute with many names made binary?",
            "the most frequent name against all others", "numbered by the alphabet, then cut",
            {"nominal": "alphabetical"}, ("adult",)),
    Reading("missing dropped", "What becomes of a missing value?", "0: not known to be so",
            "its record is dropped", {"missing": "drop"}),
    Reading("missing majority", "What becomes of a missing value?", "0: not known to be so",
            "the more frequent answer", {"missing": "majority"}, ("adult",)),
    Reading("with id", "Is the number of a record an attribute?", "no", "yes",
            {"include_id": True}, ("breast-cancer-wisconsin",)),
    Reading("alpha 0", "Is a count smoothed before it is divided?", "one is added (Laplace)",
            "no: the formula to the letter", {"alpha": 0.0}),
    Reading("pairs 1/2", "\"Each logical expression appears with the probability of 0.5\"",
            "a single answer 1/2, so a pair 1/4", "a pair 1/2 too, in Eq. (1)",
            {"assumed_pair": 0.5}),
)  # fmt: skip


# The paper's experiment ---------------------------------------------------------------------------


def classifiers(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    q: float,
    splitting: str = "fixed",
    alpha: float = 1.0,
    personal: float = 0.5,
    assumed_pair: float | None = None,
    undo: bool = True,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 3.1, Step III] Disguise, learn, test: `reps` times at one q.

    Parameters
    ----------
    splitting
        ``"fixed"``: one 80/20 split for all repetitions; ``"redrawn"``: a new one for each. The
        fixed split does not depend on q or `rng`.
    personal
        W_y, the probability of a one in every personal answer.
    assumed_pair
        What the estimator takes P(Y_i = a, Y_c = v) to be; ``None``: what it is. The paper's "each
        logical expression appears with the probability of 0.5", read to the letter, makes it 0.5.
    undo
        ``False``: Eq. (1) is left out, and the reports are taken as they are.

    Returns the metrics ``accuracy``, ``balanced`` (the mean of the two classes' accuracies),
    ``outside`` (the share of estimated proportions below 0 or above 1) and ``constant`` (1 if the
    classifier gave all test records the same class).

    At q = 0 nothing can be undone (Eq. 1 divides by q); there the reports are taken as they are.

    >>> run = classifiers(np.random.default_rng(1), 2, "breast-cancer-wisconsin", q=1.0)
    >>> run["accuracy"].round(3)
    array([0.957, 0.957])
    """
    if splitting not in ("fixed", "redrawn"):
        raise ValueError(f"splitting is 'fixed' or 'redrawn'; got {splitting!r}")
    survey = _survey(dataset, _key(coding))
    results = np.empty((reps, 4))
    for rep in range(reps):
        train = survey.train if splitting == "fixed" else survey.split(rng)
        private = train & bits.coins(survey.records.size, q, rng)
        reported = _reported_pairs(survey, private, survey.train_size, personal, rng)
        estimated = _undone(reported, survey.train_size, q if undo else 0, personal, assumed_pair)
        right, outcome = _outcome(survey, train, estimated, alpha)
        shares = right / np.maximum(outcome.sum(axis=1), 1)
        outside = ((estimated < 0) | (estimated > survey.train_size)).mean()
        constant = (outcome.sum(axis=0) == 0).any()
        results[rep] = right.sum() / outcome.sum(), shares.mean(), outside, constant
    return dict(zip(("accuracy", "balanced", "outside", "constant"), results.T, strict=True))


def disguised_test(
    rng: np.random.Generator, reps: int, dataset: str, q: float, theta: float = 0.75, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 2.4] Test on disguised records, and who is exposed by it.

    A classifier is learned from disguised records, at the fixed split; the test records are
    disguised with the same q. Three ways to know P(Y right), the classifier's share of right
    answers on personal records, give three estimates of its accuracy on the true test records:

    - ``asked``: the paper's; each respondent says whether it is right on her personal record;
    - ``computed``: from the known distribution of Y. Nobody is asked. Y's class is a fair coin, so
      the share is 1/2 whatever the classifier;
    - ``by coin``: as asked, but the answer goes through Warner's coin with probability `theta`.

    Returns each estimate's error (estimate - truth), the true ``accuracy``, and ``exposed``: of
    those who sent the private record, the share whose two answers differ when they are asked.

    Drawn as counts: given a repetition's number of right answers, everything that follows is
    binomial.
    """
    if not 0 < q <= 1:
        raise ValueError(f"q is a probability above 0 (Eq. 1 divides by it); got {q!r}")
    survey = _survey(dataset, _key(coding))
    size = survey.records.size - survey.train_size
    right = np.empty(reps, dtype=np.int64)
    for rep in range(reps):
        estimated = _estimate(survey, survey.train, survey.train_size, q, rng)
        right[rep] = _outcome(survey, survey.train, estimated, 1.0)[0].sum()

    answers = np.stack([right, size - right])  # respondents whose private record is right, wrong
    private = rng.binomial(answers, q)
    private_y = rng.binomial(private, 0.5)  # of them: right on the personal record
    others_y = rng.binomial(answers - private, 0.5)
    reported = private[0] + others_y.sum(axis=0)
    personal = private_y.sum(axis=0) + others_y.sum(axis=0)
    exposed = (private[0] - private_y[0]) + private_y[1]
    coins = rng.binomial(personal, theta) + rng.binomial(size - personal, 1 - theta)
    unmixed = (coins - (1 - theta) * size) / (2 * theta - 1)

    truth = right / size
    estimates = {"asked": personal, "computed": size / 2, "by coin": unmixed}
    errors = {name: (reported - (1 - q) * y) / (q * size) - truth for name, y in estimates.items()}
    return errors | {"accuracy": truth, "exposed": exposed / np.maximum(private.sum(axis=0), 1)}


def disguised_test_se(
    q: float, n: int, protocol: str = "computed", theta: float = 0.75
) -> np.ndarray:
    """[Zhan & Matwin 2.4] The standard error of the estimated accuracy on n test persons.

    Around their true accuracy, with fair-coin personal answers; it does not depend on the model.
    The derivation stands in the chapter.

    >>> [round(float(disguised_test_se(0.5, 1000, how)), 4) for how in ("asked", "computed")]
    [0.0224, 0.0274]
    """
    q = np.asarray(q, dtype=float)
    asked = (1 - q) / (2 * q)
    variances = {
        "asked": asked,
        "computed": (1 - q**2) / (4 * q**2),
        "by coin": asked + ((1 - q) / q) ** 2 * theta * (1 - theta) / (2 * theta - 1) ** 2,
    }
    if protocol not in variances:
        raise ValueError(f"protocol is one of {', '.join(variances)}; got {protocol!r}")
    return np.sqrt(variances[protocol] / n)


def benchmark(dataset: str, **coding) -> dict[str, float]:
    """[Zhan & Matwin 3.1, Step II] scikit-learn's naive Bayes on the undisguised fixed split.

    Somebody else's program, so that "equal to the standard classifier" means something. Beside it
    the majority class of the same test records.
    """
    from sklearn.naive_bayes import CategoricalNB

    survey = _survey(dataset, _key(coding))
    frame = binary_frame(dataset, **coding)
    train = bits.unpack(survey.train, len(frame))
    X, y = frame.iloc[:, :-1].to_numpy(), frame.iloc[:, -1].to_numpy()
    model = CategoricalNB(alpha=1.0, min_categories=2).fit(X[train], y[train])
    hit = model.predict(X[~train]) == y[~train]
    shares = [float(hit[y[~train] == v].mean()) for v in (0, 1)]
    return {"accuracy": float(hit.mean()), "balanced": float(np.mean(shares)),
            "majority class": float(max(y[~train].mean(), 1 - y[~train].mean()))}  # fmt: skip


def reading_cells(q: list[float]) -> list[dict]:
    """The grid that measures :data:`READINGS`, ours first, at redrawn splits.

    Redrawn, because another coding may leave other records: a fixed split would change with it.
    """
    ours = Reading("ours", "", "", "", {})
    return [
        {"dataset": name, "reading": reading.name, "q": point}
        for reading in (ours, *READINGS) for name in reading.datasets for point in q
    ]  # fmt: skip


def reading(
    rng: np.random.Generator, reps: int, dataset: str, q: float, reading: str, **coding
) -> dict[str, np.ndarray]:
    """:func:`classifiers` under one of the :data:`READINGS`, by its name; ``"ours"`` is ours."""
    options = {r.name: r.options for r in READINGS}.get(reading, {})
    return classifiers(rng, reps, dataset, q, "redrawn", **(coding | options))


def reading_effects(summary: pd.DataFrame, q: float) -> pd.DataFrame:
    """What each reading does to the means at one q, in words: the rows of the ambiguities page."""
    means = summary.set_index(["metric", "reading", "dataset", "q"])["mean"]
    told = []
    for r in READINGS:
        moves = [
            f"{d}, {metric} {means[metric, 'ours', d, q]:.3f} to {means[metric, r.name, d, q]:.3f}"
            for d in r.datasets for metric in ("accuracy", "balanced")
        ]  # fmt: skip
        told.append((r.question, r.choice, r.other, f"at q = {q:g}: {'; '.join(moves)}"))
    return pd.DataFrame(told, columns=["question", "choice", "alternatives", "effect"])


def binary_frame(dataset: str, **coding) -> pd.DataFrame:
    """The binarized records of a data set, the class last."""
    return _binary(dataset, _key(coding))


# Eq. 1 on its own ---------------------------------------------------------------------------------


def expressions(domain: Domain) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 2.1] Logical expressions of several shapes over binary answers, as cells.

    Written for any domain of five or more binary attributes, the last of them the class: what an
    expression is true of is a set of cells, and the last one is just any set.

    >>> from ppdm import Domain
    >>> cells = expressions(Domain(tuple("ABCDE"), ((0, 1),) * 5))
    >>> int(cells["A1 and C"].sum()), int(cells["an odd number of ones"].sum())
    (8, 16)
    """
    digits = domain.digits(np.arange(domain.size)).astype(bool)
    a, c = digits.T, digits[:, -1]
    return {
        "A1": a[0],
        "C": c,
        "A1 and C": a[0] & c,
        "not A2 and C": ~a[1] & c,
        "A1 and A2 and A3": a[0] & a[1] & a[2],
        "A1 or A2 or C": a[0] | a[1] | c,
        "A1 if and only if A3": a[0] == a[2],
        "all answers 0": ~digits.any(axis=1),
        "an odd number of ones": digits.sum(axis=1) % 2 == 1,
        "any set of cells": np.random.default_rng(0).random(domain.size) < 0.5,
    }


def expression_errors(
    rng: np.random.Generator, reps: int, dataset: str, q: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin, Eq. 1] Estimate minus truth of P(A) for ten logical expressions A."""
    table = count(binary_frame(dataset, **coding))
    true, scheme = table.densified().values, UnrelatedQuestion(q)
    cells = expressions(table.domain)
    where = np.array(list(cells.values()), dtype=float)
    errors = np.empty((reps, len(where)))
    for rep in range(reps):
        estimated = scheme.undo(scheme.disguise_table(table, rng)).densified().values
        errors[rep] = where @ (estimated - true) / table.total
    return dict(zip(cells, errors.T, strict=True))


def share_errors(
    rng: np.random.Generator, reps: int, dataset: str, q: float, n: int, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 1] The error of the estimated pair shares when n respondents are asked.

    The respondents are drawn anew for each repetition; ``mse`` is the mean squared error over all
    shares P(A_i = a, C = v), against those of the same respondents.
    """
    survey = _survey(dataset, _key(coding))
    mse = np.empty(reps)
    for rep in range(reps):
        asked = bits.subset(survey.records.size, n, rng)
        estimated = _estimate(survey, asked, n, q, rng)
        true = _estimate(survey, asked, n, 1.0, rng)
        mse[rep] = (((estimated - true) / n) ** 2).mean()
    return {"mse": mse}


# What the collector learns ------------------------------------------------------------------------


def truth_told(table: Table, q: float) -> pd.DataFrame:
    """[Zhan & Matwin 1] P(the private record was sent | report) for every report, exactly.

    A row a report that some private record equals: ``truth`` is that probability, ``private`` and
    ``reported`` are the shares of the population whose private record, whose report this is. The
    collector knows the distribution of the private records (he can estimate it: Eq. 1).

    >>> table = count(pd.DataFrame({"A": [1, 1, 1, 0]}))
    >>> truth_told(table, 0.5).round(3).to_dict("list")
    {'private': [0.25, 0.75], 'reported': [0.375, 0.625], 'truth': [0.333, 0.6]}
    """
    scheme, prior = UnrelatedQuestion(q), table.proportions()
    cells, private = prior.occupied()
    truth = scheme.truth_of_reports(prior, cells)
    return pd.DataFrame({
        "private": private, "reported": scheme.apply(prior).values[cells], "truth": truth,
    })  # fmt: skip


def answers(table: Table, q: float) -> pd.DataFrame:
    """What the collector learns of each answer: the paper's measure beside an attacker's.

    ``pse`` looks at one report of one answer, as the paper does; ``pse_record`` plays the same game
    but looks at the whole record that was sent; ``best`` is the chance of the best guess from the
    whole record, ``blind`` that of the best guess from nothing but the distribution; ``sure`` is
    the share of respondents of whose answer the collector is at least 95 % sure.
    """
    scheme, prior = UnrelatedQuestion(q), table.proportions()
    rows = []
    for name in table.names:
        ones = prior.marginal(name).values[1]
        joint = answer_and_report(scheme, prior, name)
        reported = joint.sum(axis=0)
        rows.append({
            "attribute": name, "w_a": ones, "pse": float(pse(q, ones)),
            "pse_record": pse_given_record(scheme, prior, name),
            "blind": max(ones, 1 - ones), "best": scheme.guess_answer(prior, name),
            "sure": reported[joint.max(axis=0) >= 0.95 * reported].sum(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def outsider(
    rng: np.random.Generator, reps: int, dataset: str, q: float, sure: float = 0.9, **coding
) -> dict[str, np.ndarray]:
    """An attacker who knows the records of *other* people, and calls a report true when sure.

    He takes the training respondents' records for the distribution, and looks at the reports of
    the test respondents, whom he has never seen. ``called``: the share of their reports for which
    P(true | report) is at least `sure` by his reckoning; ``right``: the share of those calls that
    are right.
    """
    frame = binary_frame(dataset, **coding)
    survey, scheme = _survey(dataset, _key(coding)), UnrelatedQuestion(q)
    codes, domain = encode(frame)
    train = bits.unpack(survey.train, len(frame))
    others = Table(domain, np.bincount(codes[train], minlength=domain.size))
    belief = scheme.truthful(others).values
    codes, results = codes[~train], np.empty((reps, 2))
    for rep in range(reps):
        private = rng.random(len(codes)) < q
        report = np.where(private, codes, rng.integers(domain.size, size=len(codes)))
        called = belief[report] >= sure
        results[rep] = called.mean(), private[called].mean() if called.any() else 0.0
    return dict(zip(("called", "right"), results.T, strict=True))


#: Three distributions of the personal records, for :func:`lookalikes`.
PERSONAL = ("fair coins", "independent look-alikes", "joint look-alikes")


def personal_records(table: Table, kind: str) -> dict | Table | None:
    """What `UnrelatedQuestion` takes as `personal`: records that look ever more like people.

    ``"fair coins"``, as in the paper; answers that are 1 as often as among the private records, but
    independent of each other; records drawn like the private ones.
    """
    if kind not in PERSONAL:
        raise ValueError(f"kind is one of {', '.join(PERSONAL)}; got {kind!r}")
    if kind == "fair coins":
        return None
    if kind == "joint look-alikes":
        return table.proportions()
    return {name: table.proportions().marginal(name).values for name in table.names}


def belief(table: Table, q: float, kind: str) -> float:
    """The collector's mean P(private | record) over those who sent their private record.

    >>> table = count(pd.DataFrame({"A": [1, 1, 1, 0], "B": [1, 1, 0, 0]}))
    >>> [round(belief(table, 0.5, kind), 3) for kind in PERSONAL]
    [0.583, 0.552, 0.5]
    """
    prior = table.proportions()
    cells, private = prior.occupied()
    scheme = UnrelatedQuestion(q, personal_records(table, kind))
    return float(private @ scheme.truth_of_reports(prior, cells))


def lookalikes(
    rng: np.random.Generator, reps: int, dataset: str, q: float, kind: str, **coding
) -> dict[str, np.ndarray]:
    """Naive Bayes from a survey with other personal records than fair coins. Fixed split.

    The personal records follow the distribution of the training records; the collector knows it.
    """
    from ppdm.learn import NaiveBayes

    return _from_tables(rng, reps, dataset, q, kind, NaiveBayes, coding)


# Beyond the paper ---------------------------------------------------------------------------------


def trees(
    rng: np.random.Generator, reps: int, dataset: str, q: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 6] The same survey, but ID3 learns from it. Fixed split."""
    from ppdm.learn import ID3

    return _from_tables(rng, reps, dataset, q, "fair coins", ID3, coding)


def _from_tables(rng, reps, dataset, q, kind, learner, coding) -> dict[str, np.ndarray]:
    """Disguise the table of the training records, learn from it, test on the true test records."""
    survey, frame = _survey(dataset, _key(coding)), binary_frame(dataset, **coding)
    train = bits.unpack(survey.train, len(frame))
    table, test = count(frame[train]), count(frame[~train])
    cells, numbers = test.occupied()
    digits, truth = test.domain.digits(cells), cells % 2
    weights = np.array([numbers * (truth == v) for v in (0, 1)])
    scheme, results = UnrelatedQuestion(q, personal_records(table, kind)), np.empty((reps, 2))
    for rep in range(reps):
        model = learner(scheme).fit_table(scheme.disguise_table(table, rng))
        right = weights @ model.is_right(test.domain)(digits)
        results[rep] = right.sum() / numbers.sum(), (right / weights.sum(axis=1)).mean()
    return dict(zip(("accuracy", "balanced"), results.T, strict=True))


def categorical_frame(dataset: str, source: str | None = None, levels: int = 16) -> pd.DataFrame:
    """The records with their categories, the class (0 or 1) last; a missing value is a category.

    Numbers of at most `levels` distinct values are categories too; others are split at the median.

    >>> categorical_frame("breast-cancer-wisconsin")["bare-nuclei"].nunique()
    11
    """
    loaded = data.load(dataset, source)
    columns = {}
    for name in (*loaded.features, loaded.target):
        values = loaded.frame[name]
        numeric = not isinstance(values.dtype, pd.CategoricalDtype)
        if numeric and values.nunique() > levels:
            columns[name] = (values > values.median()).astype(int)
        else:
            codes = values.cat.codes if not numeric else values.astype("category").cat.codes
            columns[name] = codes.where(codes >= 0, codes.max() + 1).astype(int)
    return pd.DataFrame(columns)


def categorical(
    rng: np.random.Generator, reps: int, dataset: str, q: float, source: str | None = None
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 2.1] Naive Bayes with categorical attributes left categorical. Fixed split.

    A personal answer takes every level of its attribute with the same probability. As in
    `classifiers`, the strangers' pair counts are drawn instead of their records.
    """
    flat, truth, levels = _categories(dataset, source)
    train = bits.unpack(_fixed_split(len(flat)), len(flat))
    size = int(train.sum())
    attribute = np.repeat(np.arange(len(levels)), levels)  # of each (attribute, level)
    code, answer, results = flat[train] * 2 + truth[train, None], truth[~train], np.empty((reps, 2))
    for rep in range(reps):
        private = code[rng.random(size) < q]
        pairs = np.bincount(private.ravel(), minlength=2 * levels.sum()).reshape(-1, 2)
        strangers = rng.binomial(size - len(private), 0.5)
        for v, number in enumerate((size - len(private) - strangers, strangers)):
            drawn = [rng.multinomial(number, np.full(m, 1 / m)) for m in levels]
            pairs[:, v] += np.concatenate(drawn)
        stranger = (1 - q) * size / (2 * levels[attribute])
        estimated = pairs if q == 0 else (pairs - stranger[:, None]) / q
        smoothed = np.maximum(estimated, 0) + 1.0
        within = np.array([np.bincount(attribute, column) for column in smoothed.T]).T[attribute]
        odds = np.subtract(*np.log(smoothed / within).T[::-1])
        prior = np.maximum(estimated[: levels[0]].sum(axis=0), 0)
        with np.errstate(divide="ignore"):
            bias = np.subtract(*np.log(prior)[::-1])
        right = (bias + odds[flat[~train]].sum(axis=1) > 0) == answer
        results[rep] = right.mean(), np.mean([right[answer == v].mean() for v in (0, 1)])
    return dict(zip(("accuracy", "balanced"), results.T, strict=True))


def clusters(
    rng: np.random.Generator, reps: int, dataset: str, q: float, groups: int = 2, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 6] Probabilistic clustering from the undone table, negative counts as zero.

    A latent class model (a mixture of independent answers) of the attributes, by EM. ``same``: the
    share of true records put into the same cluster as by the model of the undisguised table;
    ``error``: the mean absolute error of the clusters' profiles P(A_i = 1 | cluster). Clusters have
    no names; they are matched so as to agree best, which for two means one comparison.
    """
    if groups != 2:
        raise ValueError(f"clusters are matched two by two; got groups={groups!r}")
    frame = binary_frame(dataset, **coding).iloc[:, :-1]
    table, scheme = count(frame), UnrelatedQuestion(q)
    true = table.densified().values
    digits = table.domain.digits(np.arange(table.domain.size)).astype(float)
    known_profile, known = _latent_classes(digits, true)
    results = np.empty((reps, 2))
    for rep in range(reps):
        reports = scheme.disguise_table(table, rng)
        estimated = np.maximum(scheme.undo(reports).densified().values, 0)
        profile, member = _latent_classes(digits, estimated)
        same = true @ ((member > 0.5) == (known > 0.5)) / true.sum()
        if same < 0.5:
            same, profile = 1 - same, profile[::-1]
        results[rep] = same, np.abs(profile - known_profile).mean()
    return dict(zip(("same", "error"), results.T, strict=True))


def _latent_classes(digits, weights, steps: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Two clusters of weighted binary records: their profiles, and P(second cluster | record).

    EM starts from a soft cut by the number of ones. A thousandth of a record of either answer is
    added to each profile, so that no probability is 0 or 1.
    """
    ones = digits.sum(axis=1)
    member = 1 / (1 + np.exp(-(ones - weights @ ones / weights.sum())))
    for _ in range(steps):
        shares = np.stack([weights * (1 - member), weights * member])
        profile = (shares @ digits + 1e-3) / (shares.sum(axis=1, keepdims=True) + 2e-3)
        joint = np.log(profile) @ digits.T + np.log1p(-profile) @ (1 - digits).T
        joint += np.log(shares.sum(axis=1, keepdims=True))
        member = 1 / (1 + np.exp(np.clip(joint[0] - joint[1], -500, 500)))
    return profile, member


# Prepared once for each data set and coding -------------------------------------------------------


class _Survey(NamedTuple):
    records: bits.BitRecords
    attributes: np.ndarray  # bit columns of the attributes,
    both: np.ndarray  # ... of "attribute and class are 1",
    classes: np.ndarray  # ... and of the class
    codes: np.ndarray  # the attributes of each record as one integer, attribute j is bit j
    truth: np.ndarray  # the class of each record
    train: np.ndarray  # the training mask of the fixed split
    train_size: int

    def split(self, rng) -> np.ndarray:
        return bits.subset(self.records.size, self.train_size, rng)


def _key(coding: dict) -> tuple:
    return tuple(sorted(coding.items()))


@lru_cache(maxsize=32)
def _survey(dataset: str, coding: tuple) -> _Survey:
    frame = _binary(dataset, coding)
    records, values = bits.pack(frame), frame.to_numpy().astype(np.int64)
    codes = values[:, :-1] @ (1 << np.arange(values.shape[1] - 1))
    columns, classes = records.columns[:-1], records.columns[-1]
    return _Survey(records, columns, columns & classes, classes[None], codes.astype(np.uint32),
                   values[:, -1].astype(np.uint8), _fixed_split(len(frame)),
                   round(TRAINING * len(frame)))  # fmt: skip


def _fixed_split(size: int) -> np.ndarray:
    return bits.subset(size, round(TRAINING * size), np.random.default_rng(80_20))


@lru_cache(maxsize=32)
def _binary(dataset: str, coding: tuple) -> pd.DataFrame:
    coding = dict(coding)
    loaded = data.load(dataset, coding.pop("source", None))
    with warnings.catch_warnings():  # a constant column is harmless here; the data page lists them
        warnings.filterwarnings("ignore", message=".*constant after the coding")
        frame, _ = data.binarize(loaded, **coding)
    return frame[[*(name for name in frame.columns if name != loaded.target), loaded.target]]


@lru_cache(maxsize=4)
def _categories(dataset: str, source: str | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Levels numbered through all attributes (records, attributes), classes, levels of each."""
    frame = categorical_frame(dataset, source)
    codes = frame.iloc[:, :-1].to_numpy()
    levels = codes.max(axis=0) + 1
    return codes + np.cumsum(levels) - levels, frame.iloc[:, -1].to_numpy(), levels


# One repetition -----------------------------------------------------------------------------------


def _estimate(survey, asked, size, q, rng) -> np.ndarray:
    """Fair coins: disguise the records of a mask, count, undo."""
    private = asked & bits.coins(survey.records.size, q, rng)
    return _undone(_reported_pairs(survey, private, size, 0.5, rng), size, q, 0.5, None)


def _reported_pairs(survey, private, size, personal, rng) -> np.ndarray:
    """Reported counts [attribute, value, class] of the private records and of the strangers."""
    kept = bits.count_bits(private)
    class_ones = bits.count_masked(survey.classes, private)[0]
    true = _pairs(bits.count_masked(survey.attributes, private),
                  bits.count_masked(survey.both, private), class_ones, kept)  # fmt: skip
    strangers = size - kept
    class_ones = rng.binomial(strangers, personal)
    with_one = rng.binomial(class_ones, personal, size=len(survey.attributes))
    with_zero = rng.binomial(strangers - class_ones, personal, size=len(survey.attributes))
    return true + _pairs(with_one + with_zero, with_one, class_ones, strangers)


def _pairs(ones, both, class_ones, size) -> np.ndarray:
    """Counts [attribute, value, class] from those of ones, of ones in class 1, and of class 1."""
    pairs = np.empty((len(ones), 2, 2))
    pairs[:, 1, 1] = both
    pairs[:, 1, 0] = ones - both
    pairs[:, 0, 1] = class_ones - both
    pairs[:, 0, 0] = size - class_ones - ones + both
    return pairs


def _undone(reported, size, q, personal, assumed_pair) -> np.ndarray:
    """[Zhan & Matwin, Eq. 1] for every pair (attribute, class) and, as entry -1, for the class."""
    answer = np.array([1 - personal, personal])
    pair = np.outer(answer, answer) if assumed_pair is None else np.full((2, 2), assumed_pair)
    totals = reported[0].sum(axis=0)
    estimated = np.empty((len(reported) + 1, 2, 2))
    estimated[:-1] = reported if q == 0 else (reported - (1 - q) * size * pair) / q
    estimated[-1] = totals if q == 0 else (totals - (1 - q) * size * answer) / q
    return estimated


def _outcome(survey, train, estimated, alpha) -> tuple[np.ndarray, np.ndarray]:
    """Right answers of each class, and the counts [true class, predicted class] they come from."""
    odds = _log_odds(estimated, alpha)
    outcome = _predicted(survey.codes, survey.truth, train, odds, len(survey.attributes))
    return outcome.diagonal(), outcome


@njit(cache=True, error_model="numpy")
def _log_odds(estimated, alpha):
    """log P(class 1, value) - log P(class 0, value) of every attribute; last, of the classes.

    A value or class that an estimate rules out has log 0 = -inf; if both classes are ruled out the
    difference is nan, and `_predicted` then says class 0.
    """
    k = len(estimated) - 1
    odds = np.empty((k + 1, 2))
    for a in range(k):
        for value in range(2):
            odds[a, value] = _log_share(estimated[a], value, 1, alpha) - _log_share(
                estimated[a], value, 0, alpha
            )
    prior0, prior1 = max(estimated[k, 0, 0], 0.0), max(estimated[k, 0, 1], 0.0)
    odds[k, :] = np.log(prior1) - np.log(prior0)
    return odds


@njit(cache=True, error_model="numpy")
def _log_share(pair, value, v, alpha):
    """log P(value | class v), negative counts as zero."""
    this = max(pair[value, v], 0.0) + alpha
    other = max(pair[1 - value, v], 0.0) + alpha
    return np.log(this / (this + other)) if this > 0 else -np.inf


@njit(cache=True)
def _predicted(codes, truth, train, odds, k):
    """Counts [true class, predicted class] of the records outside the training mask.

    The log odds of a record are a sum over attributes; two tables over half of the attributes each
    make it two look-ups.
    """
    half = k // 2
    first = _sums(odds[:half])
    second = _sums(odds[half:k])
    bias = odds[k, 0]
    low = np.uint32((1 << half) - 1)
    outcome = np.zeros((2, 2), dtype=np.int64)
    for i in range(len(codes)):
        if (train[i >> 6] >> np.uint64(i & 63)) & np.uint64(1):
            continue
        code = codes[i]
        guess = bias + (first[code & low] + second[code >> np.uint32(half)]) > 0
        outcome[truth[i], np.int64(guess)] += 1
    return outcome


@njit(cache=True)
def _sums(odds):
    """The sum of log odds for every combination of values of a few attributes."""
    table = np.zeros(1 << len(odds))
    for code in range(len(table)):
        for a in range(len(odds)):
            table[code] += odds[a, (code >> a) & 1]
    return table
