"""[Zhan & Matwin] The points: one survey under one setting, its repetitions as arrays.

`learned` is the experiment of the paper; `disguised_test` that of section 2.4, `share_errors` of section 1,
`stranger` and `guesses` are attackers, `clusters` is section 6. Functions with `rng` and `reps` are points for
`ppdm.study.run`. Everywhere `coding` goes to :func:`ppdm.data.binarize`, but for `source`, which goes to
:func:`ppdm.data.load`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.disguise import UnrelatedQuestion
from ppdm.domain import Domain, encode
from ppdm.learn import ID3, NaiveBayes
from ppdm.papers.common import (
    OneClass,
    Respondents,
    binary_frame,
    check,
    fixed_split,
    respondents,
    surveys,
)
from ppdm.papers.electronic_surveys.readings import PLANTS
from ppdm.privacy import ladder
from ppdm.table import Pairs, Table, count

LEARNERS = ("naive Bayes", "ID3", "naive Bayes, categories")


def learned(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    q: float,
    splitting: str | int = "fixed",
    *,
    learner: str = "naive Bayes",
    alpha: float = 1.0,
    plant: str = "",
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 3.1, Step III] Disguise, learn, test: `reps` times at one q.

    Parameters
    ----------
    splitting
        ``"fixed"``: one 80/20 split for all repetitions; a number: that one of many such splits;
        ``"redrawn"``: a new one for each. A split that is fixed does not depend on q or `rng`.
    plant
        What is wrong on purpose, one of the plants of `readings.yml`.

    Returns the metrics of :func:`ppdm.papers.common.surveys`. At q = 0 nothing can be undone (Eq. 1 divides
    by q); there the reports are taken as they are.

    >>> run = learned(np.random.default_rng(1), 2, "breast-cancer-wisconsin", q=1.0)
    >>> run["accuracy"].round(3)
    array([0.964, 0.964])
    """
    check("learner", learner, LEARNERS)
    check("plant", plant, ["", *(p.name for p in PLANTS)])
    people = _people(dataset, learner, coding)
    scheme, undone = UnrelatedQuestion(q), 1 - q if plant == "coin turned" else q
    plain = undone == 0 or plant == "no undoing"
    collector = None if plain else UnrelatedQuestion(undone)
    model = ID3(collector) if learner == "ID3" else NaiveBayes(collector, alpha)

    def asked(train: Table, rng: np.random.Generator):
        if plant == "one class":
            return OneClass().fit_table(train)
        reports = scheme.disguise_table(train, rng)
        if collector != scheme:  # wrong on purpose
            reports = reports.taken_as(collector or "answers")
        return model.fit_table(reports)

    labels = "shuffled" if plant == "labels shuffled" else "true"
    return surveys(rng, people.parts(splitting, reps, rng), asked, labels=labels)


def _people(dataset: str, learner: str, coding: dict) -> Respondents:
    if learner == "naive Bayes, categories":
        return _categories(dataset, coding.get("source"))
    return respondents(dataset, **coding)


@lru_cache(maxsize=4)
def _categories(dataset: str, source: str | None) -> Respondents:
    frame = categorical_frame(dataset, source)
    return Respondents(*encode(frame, {name: range(frame[name].max() + 1) for name in frame}))


def categorical_frame(dataset: str, source: str | None = None, levels: int = 16) -> pd.DataFrame:
    """The records with their categories, the class (0 or 1) last; a missing value is a category.

    Numbers of at most `levels` distinct values are categories too; others are split at the median.

    >>> categorical_frame("breast-cancer-wisconsin")["bare-nuclei"].nunique()
    11
    """
    loaded = data.load(dataset, source)
    coded = {}
    for name in (*loaded.features, loaded.target):
        values = loaded.frame[name]
        numeric = not isinstance(values.dtype, pd.CategoricalDtype)
        if numeric and values.nunique() > levels:
            coded[name] = (values > values.median()).astype(int)
        else:
            codes = values.cat.codes if not numeric else values.astype("category").cat.codes
            coded[name] = codes.where(codes >= 0, codes.max() + 1).astype(int)
    return pd.DataFrame(coded)


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
    rng: np.random.Generator, reps: int, dataset: str, q: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 2.4] Test on disguised records, and who is exposed by it.

    A classifier is learned from disguised records, at the fixed split; the test records are
    disguised with the same q. Two ways to know P(Y right), the classifier's share of right
    answers on personal records, give two estimates of its accuracy on the true test records:

    - ``asked``: the paper's; each respondent says whether it is right on her personal record;
    - ``computed``: from the known distribution of Y. Nobody is asked. Y's class is a fair coin, so
      the share is 1/2 whatever the classifier.

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

    truth = right / size
    estimates = {"asked": personal, "computed": size / 2}
    errors = {name: (reported - (1 - q) * y) / (q * size) - truth for name, y in estimates.items()}
    return errors | {"accuracy": truth, "exposed": exposed / np.maximum(private.sum(axis=0), 1)}


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


# What others learn, and clusters ------------------------------------------------------------------


def stranger(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    q: float,
    splitting: int = 0,
    knowledge: str = "others",
    sure: float = 0.9,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 1] Who calls a report true when sure, by what he knows of the people.

    The victims are the test respondents; the other people are the training respondents (see
    :func:`ppdm.privacy.ladder.belief`). ``called``: the share of reports called true; ``excess``: the
    share of those calls that are right, minus the q that the survey promises (0 without a call);
    ``found``: of the true reports, the share that he calls true.
    """
    people, scheme = respondents(dataset, **coding), UnrelatedQuestion(q)
    others, victims = people.numbered(splitting)
    believed = scheme.truthful(ladder.belief(knowledge, others, victims)).values
    cells, counts = victims.occupied()
    codes = np.repeat(cells, counts.astype(int))
    results = np.empty((reps, 3))
    for rep in range(reps):
        private = rng.random(len(codes)) < q
        report = np.where(
            private, codes, rng.integers(people.everyone.domain.size, size=len(codes))
        )
        called = believed[report] >= sure - 1e-9
        excess = private[called].mean() - q if called.any() else 0.0
        results[rep] = called.mean(), excess, called[private].mean() if private.any() else 0.0
    return dict(zip(("called", "excess", "found"), results.T, strict=True))


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


def one_cluster(dataset: str, **coding) -> float:
    """The share of records in the larger of the two clusters: all that a single one would get right."""
    everyone = respondents(dataset, **coding).everyone
    table = everyone.marginal(*everyone.names[:-1]).densified()
    digits = table.domain.digits(np.arange(table.domain.size)).astype(float)
    share = float(table.values[_latent_classes(digits, table.values)[1] > 0.5].sum() / table.total)
    return max(share, 1 - share)
