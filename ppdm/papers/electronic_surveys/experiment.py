"""[Zhan & Matwin 2, 3] Naive Bayes from records disguised by the unrelated question.

`classifiers` is the experiment of the paper, `disguised_test` that of section 2.4; Eq. (1) by
itself is put to the test by `expression_errors` and `share_errors`. Each repetition goes the way
that the chapter tells: a mechanism disguises a table, naive Bayes undoes and learns, a table of
true records tests. The plain reading, record by record, stands beside it in the tests.

Functions with `rng` and `reps` are cells for `ppdm.study.run`. Everywhere `coding` goes to
:func:`ppdm.data.binarize`, but for `source`, which goes to :func:`ppdm.data.load`.
"""

from __future__ import annotations

import numpy as np

from ppdm.disguise import UnrelatedQuestion
from ppdm.domain import Domain
from ppdm.learn import NaiveBayes
from ppdm.papers.common import binary_frame, fixed_split, respondents, scores
from ppdm.papers.electronic_surveys.readings import READINGS
from ppdm.table import Pairs, Table


def classifiers(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    q: float,
    splitting: str | int = "fixed",
    alpha: float = 1.0,
    literal: bool = False,
    undo: bool = True,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 3.1, Step III] Disguise, learn, test: `reps` times at one q.

    Parameters
    ----------
    splitting
        ``"fixed"``: one 80/20 split for all repetitions; a number: that one of many such splits;
        ``"redrawn"``: a new one for each. A split that is fixed does not depend on q or `rng`.
    literal
        The collector takes "each logical expression appears with the probability of 0.5" to the
        letter, see :class:`EachHalf`.
    undo
        ``False``: Eq. (1) is left out, and the reports are taken as they are.

    Returns the metrics ``accuracy``, ``balanced`` (the mean of the two classes' accuracies),
    ``outside`` (the share of estimated proportions below 0 or above 1) and ``constant`` (1 if the
    classifier gave all test records the same class).

    At q = 0 nothing can be undone (Eq. 1 divides by q); there the reports are taken as they are.

    >>> run = classifiers(np.random.default_rng(1), 2, "breast-cancer-wisconsin", q=1.0)
    >>> run["accuracy"].round(3)
    array([0.964, 0.964])
    """
    people, scheme = respondents(dataset, **coding), UnrelatedQuestion(q)
    collector = None if q == 0 or not undo else EachHalf(q) if literal else scheme
    model, results = NaiveBayes(collector, alpha), np.empty((reps, 4))
    for rep, (train, test) in enumerate(people.parts(splitting, reps, rng)):
        reports = scheme.disguise_table(train, rng)
        reports = reports if collector else reports.taken_as("answers")
        accuracy, balanced, constant = scores(model.fit_table(reports).confusion(test))
        shares = estimated_shares(model.pairs_)
        outside = ((shares < 0) | (shares > 1)).mean()
        results[rep] = accuracy, balanced, outside, constant
    return dict(zip(("accuracy", "balanced", "outside", "constant"), results.T, strict=True))


class EachHalf:
    """[Zhan & Matwin 3.1] Eq. (1) with P(Y) = 1/2 for one answer and, to the letter, for a pair too.

    >>> from ppdm import count
    >>> EachHalf(0.5).undo(count(np.array([[0, 1], [0, 1], [1, 1], [0, 0]]))).dense
    array([[ 0.,  2.],
           [-2.,  0.]])
    """

    def __init__(self, q: float):
        self.q = q

    def undo(self, table: Table) -> Table:
        """The estimated counts; those of a pair do not sum to the number of respondents."""
        stranger = (1 - self.q) * table.total / 2
        return Table(table.domain, (table.densified().values - stranger) / self.q)


def reading(
    rng: np.random.Generator, reps: int, dataset: str, q: float, reading: str, **coding
) -> dict[str, np.ndarray]:
    """:func:`classifiers` under one of the `READINGS`, by its name; ``"ours"`` is ours."""
    options = {r.name: r.options for r in READINGS}.get(reading, {})
    return classifiers(rng, reps, dataset, q, "redrawn", **{**coding, **options})


def benchmark(dataset: str, **coding) -> dict[str, float]:
    """[Zhan & Matwin 3.1, Step II] scikit-learn's naive Bayes on the undisguised fixed split.

    Somebody else's program, so that "equal to the standard classifier" means something. Beside it
    the majority class of the same test records.
    """
    from sklearn.naive_bayes import CategoricalNB

    frame = binary_frame(dataset, **coding)
    train, test = (frame.iloc[rows].to_numpy() for rows in fixed_split(len(frame)))
    model = CategoricalNB(alpha=1.0, min_categories=2).fit(train[:, :-1], train[:, -1])
    truth = test[:, -1]
    hit = model.predict(test[:, :-1]) == truth
    shares = [float(hit[truth == v].mean()) for v in (0, 1)]
    return {
        "accuracy": float(hit.mean()),
        "balanced": float(np.mean(shares)),
        "majority class": float(max(truth.mean(), 1 - truth.mean())),
    }


# Testing on disguised records ---------------------------------------------------------------------


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
    train, test = respondents(dataset, **coding).fixed
    scheme, size = UnrelatedQuestion(q), int(test.total)
    right = np.empty(reps, dtype=np.int64)
    for rep in range(reps):
        model = NaiveBayes(scheme).fit_table(scheme.disguise_table(train, rng))
        right[rep] = model.confusion(test).trace()

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


def disguised_test_se(q: float, n: int, protocol: str = "computed", theta: float = 0.75) -> float:
    """[Zhan & Matwin 2.4] The standard error of the estimated accuracy on n test persons.

    Around their true accuracy, with fair-coin personal answers; it does not depend on the model.
    The derivation stands in the chapter.

    >>> [round(disguised_test_se(0.5, 1000, how), 4) for how in ("asked", "computed")]
    [0.0224, 0.0274]
    """
    asked = (1 - q) / (2 * q)
    variances = {
        "asked": asked,
        "computed": (1 - q**2) / (4 * q**2),
        "by coin": asked + ((1 - q) / q) ** 2 * theta * (1 - theta) / (2 * theta - 1) ** 2,
    }
    if protocol not in variances:
        raise ValueError(f"protocol is one of {', '.join(variances)}; got {protocol!r}")
    return float(np.sqrt(variances[protocol] / n))


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
    table, scheme = respondents(dataset, **coding).everyone, UnrelatedQuestion(q)
    true, cells = table.densified().values, expressions(table.domain)
    where = np.array(list(cells.values()), dtype=float)
    errors = np.empty((reps, len(where)))
    for rep in range(reps):
        estimated = scheme.undo(scheme.disguise_table(table, rng)).densified().values
        errors[rep] = where @ (estimated - true) / table.total
    return dict(zip(cells, errors.T, strict=True))


def share_errors(
    rng: np.random.Generator, reps: int, dataset: str, q: float, n: int, undo: bool = True, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 1] The error of the estimated pair shares when n respondents are asked.

    The respondents are drawn anew for each repetition; ``mse`` is the mean squared error over all
    shares P(A_i = a, C = v), against those of the same respondents. If not `undo`, the collector
    leaves out Eq. (1).
    """
    people, scheme = respondents(dataset, **coding), UnrelatedQuestion(q)
    target, mse = people.everyone.names[-1], np.empty(reps)
    for rep in range(reps):
        asked, _ = people.everyone.split(n, rng)
        reported = scheme.disguise_table(asked, rng).pairs(target)
        estimated = scheme.undo_pairs(reported) if undo else reported
        errors = estimated_shares(estimated, n) - estimated_shares(asked.pairs(target), n)
        mse[rep] = (errors**2).mean()
    return {"mse": mse}


def estimated_shares(pairs: Pairs, n: float | None = None) -> np.ndarray:
    """The shares P(A_i = a, C = v), and P(C = v) as two more of the same kind.

    >>> from ppdm import count
    >>> estimated_shares(count(np.array([[0, 1], [1, 1]])).pairs("x1"))
    array([0. , 0.5, 0. , 0.5, 0. , 1. , 0. , 1. ])
    """
    counts = np.concatenate([pairs.values.ravel(), pairs.totals, pairs.totals])
    return counts / (pairs.totals.sum() if n is None else n)
