"""Assignment 2, multi-group randomized response."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ppdm.course.personal import mine
from ppdm.course.tell import ask, by_chance, cases, check, compare, pair

FORGOT = "You forgot to invert: these are the reported counts, as they came."
SWAPPED = "θ and 1 - θ are swapped: θ is the probability that a group's answers are true."
CLIPPED = "Clipped: an estimated count may be negative. Leave it; who uses it may decide."
ONE_COIN_EACH = (
    "One coin for each attribute instead of one for each group: the answers of a group are true "
    "together or reversed together."
)
TOGETHER = (
    "One coin for the whole record: every group has a coin of its own, independent of the others."
)
FOR_SURE = "The other groups have coins of their own: nothing is known of them for sure."


def material(rng: np.random.Generator, people: int = 4_000) -> dict:
    """The survey that a student plans, and the records that an outsider reads."""
    prior, se = _pilot(rng, people)
    reports, answers, groups = _leak(rng, 12)
    return {"prior": prior, "people": people, "se": se, "reports": reports, "known": 1,
            "answers": answers, "groups": groups}  # fmt: skip


def _pilot(rng, people: int) -> tuple[np.ndarray, float]:
    """A joint distribution of two answers, and a standard error that both designs can reach."""
    prior = np.round(rng.dirichlet([8, 3, 3, 2]).reshape(2, 2), 2)
    prior[0, 0] = round(1 - prior.sum() + prior[0, 0], 2)
    theta = rng.uniform(0.75, 0.92)
    miss = (1 - theta) / (2 * theta - 1)
    hit = theta / (2 * theta - 1)
    M = np.array([[theta, 1 - theta], [1 - theta, theta]])
    weights = np.outer([-miss, hit], [-miss, hit])
    second_moment = (M @ prior @ M.T * weights**2).sum()
    return prior, round(sqrt((second_moment - prior[1, 1] ** 2) / people), 5)


def _leak(rng, people: int) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Reports of six questions; the true answers to the second are known; the last is bare."""
    order = [1, *rng.permutation([0, 2, 3, 4]).tolist()]
    groups = [sorted(order[:3]), sorted(order[3:])]
    true = rng.integers(0, 2, size=(people, 6))
    reports = true.copy()
    for group in groups:
        lies = rng.random(people) < 0.3
        reports[np.ix_(lies, group)] ^= 1
    return reports, true[:, 1], groups


@check
def check_disguise(disguise, seeds=(1,)) -> None:
    """Task 1: one coin a group. Exact within a group; binomial tests, 3 a seed, for coins."""
    for rng in cases(seeds):
        theta = rng.choice([rng.uniform(0.2, 0.35), rng.uniform(0.65, 0.8)])
        order = rng.permutation(6).tolist()
        groups, bare = [order[:3], order[3:5]], order[5]
        true = rng.integers(0, 2, size=(3_000, 6))
        out = np.asarray(ask(disguise, true, groups, theta, rng))
        if out.shape != true.shape or not np.isin(out, (0, 1)).all():
            raise AssertionError(
                f"disguise() should give an array of zeros and ones of shape {true.shape}."
            )
        lies = out != true
        if lies[:, bare].any():
            raise AssertionError("An attribute that is in no group is not disguised.")
        if any((lies[:, group] != lies[:, group[:1]]).any() for group in groups):
            raise AssertionError(ONE_COIN_EACH)
        coins = np.column_stack([lies[:, group[0]] for group in groups])
        if (coins == coins[0]).all():
            raise AssertionError("One coin for all respondents: every respondent tosses her own.")
        if (coins[:, 0] == coins[:, 1]).all():
            raise AssertionError(TOGETHER)
        truths = (~coins).sum(axis=0)
        for number in truths:
            if not by_chance(int(number), len(true), theta):
                if by_chance(int(number), len(true), 1 - theta):
                    raise AssertionError(SWAPPED)
                raise AssertionError(
                    f"A group told the truth in {number / len(true):.1%} of the records; with "
                    f"theta = {theta:.3f} that is no chance."
                )
        alike = int((coins[:, 0] == coins[:, 1]).sum())
        if not by_chance(alike, len(true), theta**2 + (1 - theta) ** 2):
            raise AssertionError("The coins of two groups depend on each other; they must not.")


@check
def check_undo(undo, seeds=(1,)) -> None:
    """Task 2: undoing several groups on a table of counts, exactly."""

    def right(counts, groups, theta):
        slope = 2 * theta - 1
        for group in groups:
            turned = np.flip(counts, axis=tuple(group))
            counts = (theta * counts - (1 - theta) * turned) / slope
        return counts

    for rng in cases(seeds):
        theta = rng.uniform(0.6, 0.9)
        for groups in ([[0, 1, 2, 3]], [[0, 2], [1, 3]], [[1], [3, 0]]):
            counts = rng.integers(0, 60, size=(2,) * 4).astype(float)
            counts[0, 0, 0, 0] = 300
            good, involved = right(counts, groups, theta), [a for group in groups for a in group]
            everywhere = counts.copy()
            for _ in groups:  # the colleague's: always the reported table, always all axes
                everywhere = (theta * everywhere - (1 - theta) * np.flip(counts)) / (2 * theta - 1)
            clipped = np.maximum(good, 0)
            compare(ask(undo, counts, groups, theta), good, f"the table undone for {groups}", [
                (FORGOT, counts),
                (SWAPPED, right(counts, groups, 1 - theta)),
                (CLIPPED, clipped),
                (CLIPPED, clipped * counts.sum() / clipped.sum()),
                (ONE_COIN_EACH, right(counts, [[a] for a in involved], theta)),
                (TOGETHER, right(counts, [involved], theta)),
                (("This is the colleague's function: it turns all axes, and turns the reported "
                 "table instead of the one it has got so far."), everywhere),
            ])  # fmt: skip


@check
def check_plan(survey_plan, my_plan, seeds=(1,)) -> None:
    """Task 3: the weakest sufficient coin with one group and with two, within 0.002."""

    def error(prior, people, theta, groups, minus_square=True):
        hit, miss = theta / (2 * theta - 1), (1 - theta) / (2 * theta - 1)
        if groups == 1:
            reported = theta * prior + (1 - theta) * prior[::-1, ::-1]
            second_moment = reported[1, 1] * hit**2 + reported[0, 0] * miss**2
        else:
            M = np.array([[theta, 1 - theta], [1 - theta, theta]])
            second_moment = (M @ prior @ M.T * np.outer([miss, hit], [miss, hit]) ** 2).sum()
        return sqrt(max(second_moment - minus_square * prior[1, 1] ** 2, 0) / people)

    def weakest(prior, people, se, groups, minus_square=True):
        low, high = 0.5, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            enough = middle > 0.5 and error(prior, people, middle, groups, minus_square) <= se
            low, high = (low, middle) if enough else (middle, high)
        return high

    def look(answer, where, prior, people, se):
        one, two = (weakest(prior, people, se, groups) for groups in (1, 2))
        compare(pair(answer, where), (one, two), where, [
            ("θ and 1 - θ are swapped: both coins should lie between 1/2 and 1.",
             (1 - one, 1 - two)),
            ("The two designs are in the wrong order: (one group, two groups).", (two, one)),
            (("Both designs got the coin of one group. With two groups the weights of the groups "
             "are multiplied, and so is the noise."), (one, one)),
            ("This is the mean of w² and not yet the variance: subtract P(1, 1)².",
             tuple(weakest(prior, people, se, groups, False) for groups in (1, 2))),
        ], tolerance=0.002)  # fmt: skip

    for rng in cases(seeds):
        people = int(rng.integers(20, 60) * 100)
        prior, se = _pilot(rng, people)
        words = f"survey_plan(prior, {people}, {se}) for the prior {prior.round(3).tolist()}"
        look(ask(survey_plan, prior, people, se), words, prior, people, se)
    my = mine()
    look(my_plan, "my_plan, for the numbers in `my`,", my.prior, my.people, my.se)


@check
def check_read(read, my_reading, seeds=(1,)) -> None:
    """Task 4: what an outsider knows who knows one answer, exactly."""

    def look(answer, where, reports, known, answers, groups):
        lies, columns = reports[:, known] != answers, np.arange(reports.shape[1])
        own, other = (
            np.isin(columns, [c for group in groups if (known in group) == with_it for c in group])
            for with_it in (True, False)
        )
        opened = np.where(lies[:, None], 1 - reports, reports)
        compare(answer, np.where(own, opened, np.where(other, np.nan, reports)), where, [
            ("Answers in no group are not disguised: they can be read as well.",
             np.where(own, opened, np.nan)),
            (FOR_SURE, np.where(own | other, opened, reports)),
            (FOR_SURE, opened),
        ])  # fmt: skip

    for rng in cases(seeds):
        reports, *known = _leak(rng, 5)
        where = f"what is read with groups {known[1]}"
        look(ask(read, reports, 1, *known), where, reports, 1, *known)
    my = mine()
    words = "my_reading, for the reports in `my`,"
    look(my_reading, words, my.reports, my.known, my.answers, my.groups)


@check
def check_claim(best_guess, decide, seeds=(1,)) -> None:
    """Task 5: whether an answer can be guessed better than with probability θ, exactly."""
    for rng in cases(seeds):
        theta = rng.uniform(0.6, 0.9)
        rare = rng.uniform(0.02, 0.9 * (1 - theta))
        for share in (rare, 1 - rare, rng.uniform(0.45, 0.55)):
            p = (1 - share, share)
            right = max(theta * p[0], (1 - theta) * p[1]) + max(theta * p[1], (1 - theta) * p[0])
            got = ask(best_guess, share, theta)
            compare(got, right, f"the best guess at share {share:.3f} and theta {theta:.3f}", [
                (("You believed the report whatever the share of ones. Where an answer is rare "
                 "beforehand, its report is more likely a lie."), theta),
                ("You looked at the share alone, and not at the report.", max(p)),
                (SWAPPED, max(theta * p[1], (1 - theta) * p[0])),
            ])  # fmt: skip
            expected = "reproduced" if right <= theta + 1e-9 else "wrong in the paper"
            where = f"the verdict at share {share:.3f} and theta {theta:.3f}"
            compare(ask(decide, share, theta), expected, where)
