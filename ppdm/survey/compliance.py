"""Did people follow the instructions? Estimated from an anchor or from two halves, and shares corrected for it.

Every device takes for granted that all do as they were asked. Some give any answer at random, some always the same
one. Each such *habit* is a further column beside those of the device's matrix, so what is reported is linear:

    share of each report = M a + careless u + always e,      a = followed × true shares

One question seldom tells its columns apart. An *anchor* does: a question asked in the same way whose true shares
are known. Its reports are Σa (M known) + careless u + always e, in the same unknowns. Two halves with different chances
add what they tell. Stacked, they are one system: solved where it is square, by generalised least squares
where there is more than is needed (then it can be tested). A true share is a ratio of two of its solutions, and
its interval is Fieller's, which covers where a ratio's usual one does not, and is the whole line where nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from ppdm.contract import Survey, members
from ppdm.disguise import scheme_of
from ppdm.estimate import Design, interval
from ppdm.estimate.sample import Sample
from ppdm.survey.devices import HALVES, drawn
from ppdm.survey.form import bare
from ppdm.survey.report import COMPLIANCE, Part
from ppdm.table import count_marginals

#: Shares of careless respondents that an uncorrected estimate is shown for.
SUPPOSED = (0.05, 0.1, 0.2)
#: An estimate that these would move by more than so many of its standard errors is warned of: its interval then
#: covers nine times in ten, or less often.
MOVED = 0.5
#: More anchors than these add cells faster than knowledge.
_MOST = 3
#: Fewer respondents tell nothing of who follows.
FEWEST = 30
#: A fit less probable than this speaks against a model.
REFUSED = 0.05
#: Less probable than this, reports are not what the model makes.
IMPOSSIBLE = 0.001
#: What those do who do not follow.
DOES = {"careless": "answered at random", "always": "always gave the same answer"}


class Model(NamedTuple):
    """A question, and the anchors that were asked like it, as one linear map.

    `X[report, answer or habit]` has the reports of the question and then those of each anchor; `sizes` are their
    numbers, `halves` that of the halves of each. The first `answers` columns are the true answers.
    """

    X: np.ndarray
    sizes: tuple[int, ...]
    halves: int
    answers: int
    habits: tuple[str, ...]

    @property
    def groups(self) -> np.ndarray:
        """For each report the number of its half, over all questions."""
        return np.concatenate(
            [
                number * self.halves + np.repeat(np.arange(self.halves), size // self.halves)
                for number, size in enumerate(self.sizes)
            ]
        )

    @property
    def free(self) -> np.ndarray:
        """All reports but the last of each half: the rest follows."""
        return np.flatnonzero(np.append(np.diff(self.groups) == 0, False))

    @property
    def differences(self) -> np.ndarray:
        """How the free reports change with each column beside the first: the shares of all sum to one."""
        return (self.X[:, 1:] - self.X[:, :1])[self.free]

    @property
    def can_be_told(self) -> bool:
        """Whether the reports tell all columns apart."""
        return bool(np.linalg.matrix_rank(self.differences, tol=1e-9) == self.X.shape[1] - 1)


class Fit(NamedTuple):
    """The solution, its covariance, and how probable so bad a fit is where the model holds (NaN: nothing to test).

    All have leading axes of surveys, if several were given at once.
    """

    solution: np.ndarray
    covariance: np.ndarray
    fit: np.ndarray
    answers: int

    @property
    def followed(self) -> tuple[np.ndarray, np.ndarray]:
        """The share who followed, and its standard error."""
        V = self.covariance[..., : self.answers, : self.answers]
        return self.solution[..., : self.answers].sum(-1), np.sqrt(V.sum((-2, -1)))

    def share(self, x: int, alpha: float = 0.05, freedom: float = math.inf) -> tuple[Any, ...]:
        """The share of an answer among those who followed, its standard error, and the ends of its interval: NaN
        where so few followed that nothing is known."""
        sums = np.array([np.arange(self.answers) == x, np.ones(self.answers)], dtype=float)
        means = self.solution[..., : self.answers] @ sums.T
        covariance = sums @ self.covariance[..., : self.answers, : self.answers] @ sums.T
        share = means[..., 0] / means[..., 1]
        slope = np.stack([np.ones_like(share), -share], axis=-1) / means[..., 1:]
        se = np.sqrt(np.einsum("...i,...ij,...j->...", slope, covariance, slope))
        z = interval.quantile(alpha, freedom)
        # (N - t D)² at most z² its variance [Fieller 1954]
        square = means[..., None] * means[..., None, :] - z**2 * covariance
        ends = [
            interval.between(q[1, 1], -q[0, 1], q[0, 0]) if d > 0 else (math.nan, math.nan)
            for q, d in zip(square.reshape(-1, 2, 2), means[..., 1].ravel(), strict=True)
        ]
        return share, se, *np.array(ends).T.reshape(2, *share.shape)


def solve(
    model: Model,
    counts: np.ndarray,
    covariance: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Fit:
    """The unknowns from counts of reports, with an axis for the question and one for each anchor, and any
    axes of surveys before them.

    Halves are taken with the shares in which they were meant to be drawn. Where there is more than is needed,
    the weights are those of the counts' covariance, with one report more, spread over all cells. `covariance` is that
    of means of functions of the cell, for a design; by default respondents were drawn one by one.

    >>> p, half = 0.15, np.full(2, 0.5)  # of cWise: 1,427 and 1,541 of 2,000 report "both or neither"
    >>> crosswise = np.array([[p, 1 - p], [1 - p, p]])
    >>> model = stacked(crosswise, [crosswise @ [1, 0]], {"careless": [half, half]}, 1)
    >>> apart = np.outer([573, 1427], [459, 1541]) / 2000  # as if the two had nothing to do with each other
    >>> fit = solve(model, apart)
    >>> round(float(fit.followed[0]), 12), round(float(fit.share(1)[0]), 12)
    (0.772857142857, 0.105360443623)
    """
    axes = tuple(range(-len(model.sizes), 0))
    sizes, groups, free = model.sizes, model.groups, model.free
    cells = np.indices(sizes).reshape(len(sizes), -1)
    starts = np.cumsum((0, *sizes[:-1]))
    D = (cells + starts[:, None])[:, :, None] == np.arange(sum(sizes))
    D = D.any(axis=0).astype(float)  # which reports a cell consists of
    flat = counts.reshape(*counts.shape[: counts.ndim - len(axes)], -1).astype(float)
    reported, S = _moments(flat, D, groups, model.halves, covariance)
    gap = reported[..., free] - model.X[free, 0]
    G = model.differences
    _, weighing = _moments(flat + 1 / len(D), D, groups, model.halves)
    W = np.linalg.inv(weighing[..., free[:, None], free])
    GW = np.swapaxes(G, 0, 1) @ W
    H = np.linalg.solve(GW @ G, GW)
    others = (H @ gap[..., None])[..., 0]
    V = H @ S[..., free[:, None], free] @ np.swapaxes(H, -1, -2)
    whole = np.vstack([-np.ones(G.shape[1]), np.eye(G.shape[1])])
    first = np.eye(len(whole))[0]
    left = gap - others @ G.T
    spare = len(G) - G.shape[1]
    distance = np.einsum("...i,...ij,...j->...", left, W, left)
    fit = chdtrc(spare, distance) if spare else np.full(distance.shape, np.nan)
    return Fit(first + others @ whole.T, whole @ V @ whole.T, fit, model.answers)


def _moments(
    flat: np.ndarray,
    D: np.ndarray,
    groups: np.ndarray,
    halves: int,
    covariance: Callable[[np.ndarray], np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The shares of the reports, each half taken as large as it was meant to be, and their covariance."""
    n = flat.sum(-1, keepdims=True)
    together = (groups[:, None] == groups).astype(float)
    shares = flat @ D / n
    of_half = np.maximum(shares @ together, 1e-12)  # of hardly any reports a half may be empty
    within = shares / of_half
    worth = (D - within[..., None, :] * (D @ together)) / (halves * of_half)[..., None, :]
    if covariance:
        return within / halves, covariance(worth.T)
    S = np.einsum("...c,...ci,...cj->...ij", flat / n, worth, worth) / (n[..., None] - 1)
    return within / halves, S


def stacked(
    M: np.ndarray, anchors: Sequence[np.ndarray], habits: dict[str, list[np.ndarray]], halves: int
) -> Model:
    """The model of a question with matrix M beside anchors, given by the reports of those who follow; a habit is given
    by its reports to each of them."""
    blocks = [M, *(np.tile(reports, (M.shape[1], 1)).T for reports in anchors)]
    X = np.vstack(
        [
            np.column_stack([block, *(habit[number] for habit in habits.values())])
            for number, block in enumerate(blocks)
        ]
    )
    return Model(X, tuple(map(len, blocks)), halves, M.shape[1], tuple(habits))


# A survey's models ------------------------------------------------------------------------------------


def habits_of(spec: Any, M: np.ndarray, device: str) -> dict[str, np.ndarray]:
    """What those report who do not follow: any answer, or always the first one ("no", or "exactly one").

    Where the page draws the report, they give it an answer at random; one who always says "no" to it has simply
    lied, and no device can tell.

    >>> habits_of({"mechanism": "warner"}, np.array([[0.7, 0.3], [0.3, 0.7]]), "dice")["always"].tolist()
    [1.0, 0.0]
    """
    if drawn(spec, device):
        return {"careless": M.mean(axis=1)}
    halves = HALVES.get(spec["mechanism"], 1)
    always = np.zeros(len(M))
    always[:: len(M) // halves] = 1 / halves
    return {"careless": np.full(len(M), 1 / len(M)), "always": always}


class Asked(NamedTuple):
    """A question without the answers that are sent as they are ("I'd rather not say"), which tell nothing of
    who follows: the matrix of the others, which reports lead to them, and which answers they are."""

    M: np.ndarray
    reports: np.ndarray
    answers: np.ndarray

    @classmethod
    def of(cls, survey: Survey, name: str) -> Asked:
        M = scheme_of(survey).matrix(survey.domain.only([name]))
        hidden = ~bare(M)
        reports = np.asarray(M[:, hidden].any(axis=1))
        return cls(M[np.ix_(reports, hidden)], reports, np.flatnonzero(hidden))


def anchors_of(survey: Survey, name: str) -> list[str]:
    """The anchors of a question: what is protected by the same mechanism, and known."""
    kinds = {n: spec["mechanism"] for spec in survey.protection for n in members(spec)}
    return [n for n in survey.known if n != name and kinds.get(n) == kinds[name]][:_MOST]


def models(survey: Survey, name: str, device: str = "browser") -> list[Model]:
    """What can be estimated of how people followed a question: the model with most habits if its columns can be told
    apart, else those with one; none if nothing can.

    >>> spec = {"mechanism": "extended-crosswise", "p": 0.2628, "attributes": ["A", "anchor"]}
    >>> yes = ["no", "yes"]
    >>> survey = Survey({"A": yes, "anchor": yes}, [spec], known={"anchor": [1, 0]})
    >>> [model.habits for model in models(survey, "A")]
    [('careless', 'always')]
    """
    asked, habits, known = with_anchors(survey, name, device)
    follow = [own.M @ shares for own, shares in zip(asked[1:], known, strict=True)]

    def model(some: Sequence[str]) -> Model:
        columns = {habit: [own[habit] for own in habits] for habit in some}
        return stacked(asked[0].M, follow, columns, _halves(survey, name))

    names = list(habits[0])
    whole = model(names)
    single = [model([habit]) for habit in names]
    return [m for m in ([whole] if whole.can_be_told else single) if m.can_be_told]


def with_anchors(
    survey: Survey, name: str, device: str
) -> tuple[list[Asked], list[dict[str, np.ndarray]], list[np.ndarray]]:
    """A question and its anchors, what those report to each who do not follow, and the anchors' true shares."""
    specs = {n: spec for spec in survey.protection for n in members(spec)}
    questions = [name, *anchors_of(survey, name)]
    asked = [Asked.of(survey, n) for n in questions]
    habits = [habits_of(specs[n], own.M, device) for n, own in zip(questions, asked, strict=True)]
    known = [
        np.array(survey.known[n])[own.answers]
        for n, own in zip(questions[1:], asked[1:], strict=True)
    ]
    return asked, habits, known


def _halves(survey: Survey, name: str) -> int:
    return HALVES.get(next(s["mechanism"] for s in survey.protection if name in members(s)), 1)


def plain_model(survey: Survey, name: str) -> Model:
    """The model of a question if everybody follows, which two halves can test."""
    return stacked(Asked.of(survey, name).M, [], {}, _halves(survey, name))


def supposed(model: Model, counts: np.ndarray, habit: np.ndarray, share: float) -> Fit:
    """What a model without habits gives if a share of all were known to have one.

    >>> M, counts = np.array([[0.7, 0.3], [0.3, 0.7]]), np.array([650.0, 350.0])
    >>> fit = supposed(stacked(M, [], {}, 1), counts, np.full(2, 0.5), 0.2)
    >>> fit.share(1)[0].round(4).item()
    0.0312
    """
    X = (1 - share) * model.X + share * habit[:, None]
    return solve(model._replace(X=X), counts)


# From reports to sentences ----------------------------------------------------------------------------


def compliance(
    reports: Any,
    survey: Survey,
    device: str = "browser",
    *,
    design: Design | None = None,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """How many followed, and the shares corrected for it: a row an answer, under each assumption.

    `assumed` says what those do who do not follow: what the reports can tell, or, where they tell nothing, what
    is only supposed, in so many of 100. `fit` is how probable so bad a fit is at most. A question that fewer than
    thirty people answered has no rows.

    >>> spec = {"mechanism": "crosswise", "p": 0.15, "attributes": ["A", "anchor"]}
    >>> yes = ["no", "yes"]
    >>> survey = Survey({"A": yes, "anchor": yes}, [spec], known={"anchor": [1, 0]})
    >>> one, both = scheme_of(survey).reports.levels[0]
    >>> asked = pd.DataFrame({"A": [both] * 70 + [one] * 30, "anchor": ([both] * 4 + [one]) * 20})
    >>> rows = compliance(asked, survey)
    >>> rows.loc[rows["answer"] == "yes", ["assumed", "followed", "share"]].round(3).values.tolist()
    [['careless', 0.857, 0.167], ['always', 0.941, 0.152]]
    """
    rows: list[dict[str, Any]] = []
    names = [name for name in survey.protected if name not in survey.known]
    for name, (sample, counts) in zip(names, _samples(reports, survey, names, design), strict=True):
        if sample.size < FEWEST:
            continue
        drawn_by = sample.covariance if design else None
        told = models(survey, name, device)
        fits = [(" or ".join(model.habits), solve(model, counts, drawn_by)) for model in told]
        own = counts.sum(axis=tuple(range(1, counts.ndim)))
        fits += _suppositions(survey, name, device, own, {h for m in told for h in m.habits})
        for assumed, fit in fits:
            followed, error = map(float, fit.followed)
            half = interval.quantile(alpha, sample.freedom) * error
            for x, place in enumerate(Asked.of(survey, name).answers):
                level = survey.attributes[name][place]
                share, se, low, high = map(float, fit.share(x, alpha, sample.freedom))
                rows.append(
                    {"question": name, "assumed": assumed, "answer": level, "followed": followed,
                     "followed_low": followed - half, "followed_high": followed + half, "share": share,
                     "se": se, "low": low, "high": high, "fit": float(fit.fit)}
                )  # fmt: skip
    return pd.DataFrame(rows)


def _samples(
    reports: Any, survey: Survey, names: list[str], design: Design | None
) -> Iterator[tuple[Sample, np.ndarray]]:
    """For each question who reported on it and its anchors, and the counts of as many respondents as tell as much."""
    scheme, sets = scheme_of(survey), [[name, *anchors_of(survey, name)] for name in names]
    levels = dict(zip(scheme.reports.names, scheme.reports.levels, strict=True))
    if design:
        samples = [Sample.of_records(reports, asked, levels, design)[0] for asked in sets]
    else:
        tables = count_marginals(reports, sets, levels) if sets else []
        samples = [
            Sample.of_table(table.marginal(*asked))
            for table, asked in zip(tables, sets, strict=True)
        ]
    for sample, asked in zip(samples, sets, strict=True):
        answered = [Asked.of(survey, name).reports for name in asked]
        among = _among(sample, reduce(np.multiply.outer, answered).ravel())
        counts = among.sums * (among.effective / (among.total or 1))
        yield among, counts.reshape([own.sum() for own in answered])


def _among(sample: Sample, cells: np.ndarray) -> Sample:
    """The respondents whose reports lie in some of the cells."""
    drawn = sample.drawn
    if drawn is not None:
        numbers = np.where(cells, np.cumsum(cells) - 1, -1)
        drawn = replace(drawn, cells=np.where(drawn.cells >= 0, numbers[drawn.cells], -1))
    return replace(sample, sums=sample.sums[cells], squares=sample.squares[cells], drawn=drawn)


def _suppositions(
    survey: Survey, name: str, device: str, own: np.ndarray, told: set[str]
) -> Iterator[tuple[str, Fit]]:
    """Everybody follows; so many of 100 have a habit that the reports do not tell."""
    model = plain_model(survey, name)
    spec = next(s for s in survey.protection if name in members(s))
    habits = habits_of(spec, model.X, device)
    if told >= set(habits):
        return
    yield "", solve(model, own)
    for habit in habits.keys() - told:
        for share in SUPPOSED:
            yield f"{100 * share:g} of 100 {habit}", supposed(model, own, habits[habit], share)


def sentences(rows: pd.DataFrame) -> list[str]:
    """What the rows of one question say, for its last answer.

    >>> row = {"question": "A", "assumed": "careless", "answer": "yes", "followed": 0.92, "followed_low": 0.89}
    >>> row |= {"followed_high": 0.95, "share": 0.123, "se": 0.02, "low": 0.083, "high": 0.163, "fit": 0.5}
    >>> print(*sentences(pd.DataFrame([row])), sep="\\n")
    Of 100 people, some 8 (5 to 11) answered at random; corrected for that, “yes” is the answer of 12.3 % (8.3 to 16.3).
    """
    last = rows[rows["answer"] == rows["answer"].iloc[-1]]
    estimated = last[~last["assumed"].str.contains("of 100") & (last["assumed"] != "")]
    told = [*map(_corrected, estimated.to_dict("records")), *_guessed(last)]
    if len(estimated) > 1:
        told.insert(len(estimated), "These reports cannot tell which of the two it was.")
    if not (last["fit"].fillna(1) >= IMPOSSIBLE).any():
        told.append(
            "The reports do not fit: chance explains them less than once in a thousand surveys. Do not use this "
            "estimate."
        )
    return told


def _corrected(row: dict[str, Any]) -> str:
    does = DOES.get(row["assumed"], "did not follow the instructions")
    many, least, most = (
        100 * (1 - row[key]) for key in ("followed", "followed_high", "followed_low")
    )
    if not np.isfinite(row["low"]):
        return (
            f"Some {many:.0f} of 100 people {does}: so many, or so few were asked, that the share of "
            f"“{row['answer']}” among the others cannot be told."
        )
    seen = (
        f"some {many:.0f} ({max(least, 0):.0f} to {most:.0f})"
        if many > 0
        else f"at most {max(most, 0):.0f}"
    )
    return (
        f"Of 100 people, {seen} {does}; corrected for that, “{row['answer']}” is the answer of {100 * row['share']:.1f} % "
        f"({100 * row['low']:.1f} to {100 * row['high']:.1f})."
    )


def _guessed(last: pd.DataFrame) -> Iterator[str]:
    """What the estimate becomes if some have a habit that nothing shows, and how few are enough."""
    plain = last[last["assumed"] == ""]
    for habit, does in DOES.items():
        rows = last[last["assumed"].str.endswith(f"of 100 {habit}")]
        if rows.empty:
            continue
        now, answer, most = plain.iloc[0], rows["answer"].iloc[0], rows.iloc[-1]
        shown = ", ".join(
            f"{100 * share:.1f} % if {assumed.split()[0]}"
            for share, assumed in zip(rows["share"], rows["assumed"], strict=True)
        )
        enough = float(moving(now["share"], now["se"], most["share"]))
        yield (
            f"Warning: nothing here tells how many of 100 people {does}. “{answer}” is {shown} did; {100 * enough:.2g} "
            "may be enough for the interval to miss oftener than it says. An anchor would tell: `ppdm survey new` "
            "proposes one."
        )


def parts(reports: Any, survey: Survey, device: str = "browser", **how: Any) -> list[Part]:
    """For each question how people followed it, as a part of the report."""
    rows = compliance(reports, survey, device, **how)
    told = dict(list(rows.groupby("question", sort=False))) if len(rows) else {}
    result = []
    for name in survey.protected:
        if name not in survey.known:
            text = f"Fewer than {FEWEST} people answered: too few to tell who followed the instructions."
            some = told.get(name, pd.DataFrame([{"question": name}]))
            heading = f"Did people follow the instructions? {name}"
            result.append(
                Part(COMPLIANCE, heading, " ".join(sentences(some)) if name in told else text, some)
            )
    return result


def moving(share: Any, se: Any, supposed_share: Any) -> Any:
    """Which share of people with a habit may be enough to move an estimate by MOVED standard errors.

    A share c of them moves it by c / (1 - c) times its distance from what they alone would give; that is known from
    where the largest supposed share moves it to, give or take two standard errors.

    >>> moving(0.2, 0.02, 0.125).round(4).item()
    0.0286
    """
    distance = np.abs(supposed_share - share) * (1 - SUPPOSED[-1]) / SUPPOSED[-1]
    odds = MOVED * se / (distance + 2 * se)
    return odds / (1 + odds)


def needed(
    survey: Survey, name: str, half_width: float, habit: float = 0.1, alpha: float = 0.05
) -> int | None:
    """How many respondents make the widest corrected interval so narrow, if a share of them has each habit in
    question together; None where nothing can be corrected.

    >>> spec = {"mechanism": "extended-crosswise", "p": 0.2628, "attributes": ["A", "anchor"]}
    >>> yes = ["no", "yes"]
    >>> survey = Survey({"A": yes, "anchor": yes}, [spec], known={"anchor": [1, 0]})
    >>> needed(survey, "A", 0.05), needed(survey, "A", 0.05, 0)
    (3348, 2646)
    """
    found, many = models(survey, name), 1e6
    if not found:
        return None
    worst = 0.0
    for model in found:
        answers, habits = np.split(model.X, [model.answers], axis=1)
        for follow in (*answers.T, answers.mean(axis=1)):
            joint = (1 - habit) * _joint(model, follow) + habit * _joint(model, habits.mean(axis=1))
            fit = solve(model, many * joint)
            worst = max(worst, *(float(fit.share(x)[1]) for x in range(model.answers)))
    z = interval.quantile(alpha)
    return int(np.ceil(many * (z * worst / half_width) ** 2 - 1e-9))


def _joint(model: Model, column: np.ndarray) -> np.ndarray:
    """The shares of all combinations of reports of people alike, whose reports are independent."""
    return reduce(np.multiply.outer, np.split(column, np.cumsum(model.sizes)[:-1]))
