"""[Zhan & Matwin] Beyond the paper: what the collector and others learn, other learners and data.

`truth_told`, `answers`, `outsider` and `lookalikes` are about attackers; `trees`, `categorical` and
`clusters` learn something else from the same survey.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from ppdm import data
from ppdm.disguise import UnrelatedQuestion
from ppdm.domain import encode
from ppdm.learn import ID3, NaiveBayes
from ppdm.papers.common import Respondents, binary_frame, fixed_split, respondents, scores
from ppdm.privacy import ladder
from ppdm.privacy.pse import pse, pse_given_record
from ppdm.table import Table, count

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
    return pd.DataFrame(
        {
            "private": private,
            "reported": scheme.apply(prior).values[cells],
            "truth": truth,
        }
    )


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
        joint = scheme.answer_and_report(prior, name)
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
    people, scheme = respondents(dataset, **coding), UnrelatedQuestion(q)
    others, size = people.fixed[0], people.everyone.domain.size
    belief = scheme.truthful(others).values
    codes = people.codes[fixed_split(len(people.codes))[1]]
    results = np.empty((reps, 2))
    for rep in range(reps):
        private = rng.random(len(codes)) < q
        report = np.where(private, codes, rng.integers(size, size=len(codes)))
        called = belief[report] >= sure
        results[rep] = called.mean(), private[called].mean() if called.any() else 0.0
    return dict(zip(("called", "right"), results.T, strict=True))


def calls(datasets, points, splits: int = 10, sure: float = 0.9, **coding) -> pd.DataFrame:
    """The stranger's calls, without chance: how many are right, how many true records he finds.

    As :func:`outsider`, exactly and over so many splits: ``right``, the share of his calls that are
    right; ``found``, the share of the true records among the reports that he calls true. Where he
    calls nothing at all there is no row.
    """
    rows = []
    for dataset in datasets:
        people = respondents(dataset, **coding)
        for q in points:
            true, coin = np.mean(
                [_called(people.numbered(k), q, sure) for k in range(splits)], axis=0
            )
            if true > 0:
                rows.append((dataset, q, q * true / (q * true + (1 - q) * coin), true))
    return pd.DataFrame(rows, columns=["dataset", "q", "right", "found"])


def _called(parts: tuple[Table, Table], q: float, sure: float) -> tuple[float, float]:
    """The shares of the victims' records, and of coins, that he calls true."""
    others, victims = parts
    believed = UnrelatedQuestion(q).truthful(ladder.belief("others", others, victims)).values
    called = believed >= sure - 1e-9
    return float(victims.proportions().densified().values[called].sum()), float(called.mean())


def guesses(dataset: str, q: float, kind: str, splits: int = 4, **coding) -> dict[str, float]:
    """The chance that a stranger guesses the class of somebody whose report he has, and without it."""
    people, found = respondents(dataset, **coding), []
    for number in range(splits):
        others, victims = people.numbered(number)
        scheme = UnrelatedQuestion(q, personal_records(others, kind))
        known, target = ladder.belief("others", others, victims), others.names[-1]
        found.append(
            [
                attack(scheme, target, known, victims)
                for attack in (ladder.vulnerability, ladder.blind)
            ]
        )
    return dict(zip(("attacker", "blind"), map(float, np.mean(found, axis=0)), strict=True))


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
    people = respondents(dataset, **coding)
    scheme = UnrelatedQuestion(q, personal_records(people.fixed[0], kind))
    return _learned(rng, reps, people, scheme, NaiveBayes(scheme))


# Other learners, other answers --------------------------------------------------------------------


def trees(
    rng: np.random.Generator, reps: int, dataset: str, q: float, **coding
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 6] The same survey, but ID3 learns from it. Fixed split."""
    scheme = UnrelatedQuestion(q)
    return _learned(rng, reps, respondents(dataset, **coding), scheme, ID3(scheme))


def categorical(
    rng: np.random.Generator, reps: int, dataset: str, q: float, source: str | None = None
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 2.1] Naive Bayes with categorical attributes left categorical. Fixed split.

    A personal answer takes every level of its attribute with the same probability.
    """
    scheme = UnrelatedQuestion(q)
    return _learned(rng, reps, _categories(dataset, source), scheme, NaiveBayes(scheme))


def _learned(rng, reps, people: Respondents, scheme, model) -> dict[str, np.ndarray]:
    """Disguise the table of the training records, learn from it, test on the true test records."""
    (train, test), results = people.fixed, np.empty((reps, 3))
    for rep in range(reps):
        results[rep] = scores(model.fit_table(scheme.disguise_table(train, rng)).confusion(test))
    return dict(zip(("accuracy", "balanced"), results.T, strict=False))


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


@lru_cache(maxsize=4)
def _categories(dataset: str, source: str | None) -> Respondents:
    frame = categorical_frame(dataset, source)
    return Respondents(*encode(frame, {name: range(frame[name].max() + 1) for name in frame}))


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
