"""Assignment 5, which disguise: what an attacker guesses, by channel, prior and secret."""

from __future__ import annotations

from functools import reduce
from itertools import product

import numpy as np

from ppdm.course.personal import mine
from ppdm.course.tell import ask, cases, check, compare, pair

SWAPPED = (
    "Rows and columns are swapped: M[y, x] is the probability to report y when x is true, and the "
    "columns sum to one."
)
RECORD = "You let him guess the whole record: he is right if the secret is, and may add up records."
ONE_COIN_EACH = (
    "One coin for each answer instead of one for each group: the answers of a group are true together "
    "or reversed together."
)
CUT_OFF = "You cut off the negative entries: then W A is not B any more. The answer is None."
#: So much above the limit is forgiven.
FORGIVEN = 1e-9


def material(rng: np.random.Generator, questions: int = 3) -> dict:
    """A channel with a prior and a secret; people, of whom one answer is guessed, and a limit for that."""
    M, prior, secret = _scene(rng)
    people, answer, limit = _people(rng, questions)
    return {"M": M, "prior": prior, "secret": secret, "people": people, "answer": answer, "limit": limit}  # fmt: skip


def _scene(rng, records: int = 5, reports: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M[report, record], a prior, and a secret of two or three values."""
    M = rng.dirichlet(np.full(reports, 0.7), size=records).T
    secret = rng.permutation([0, 0, 1, 1, 2][:records])
    return M, rng.dirichlet(np.full(records, 2.0)), secret


def _people(rng, questions: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Records of which some are common, the last answer of each, and a limit that coins can keep."""
    prior = rng.dirichlet(np.full(2**questions, 0.5))
    answer = np.arange(2**questions) % 2
    alone = [[i] for i in range(questions)]
    blind, open_ = (_guessed(_channel(t, alone), prior, prior, answer) for t in (0.5, 0.99))
    return prior, answer, round(float(blind + rng.uniform(0.25, 0.6) * (open_ - blind)), 4)


def _guessed(M, believed, true, secret) -> float:
    """How often somebody is right who takes `believed` for the prior, where `true` is."""
    values = np.unique(secret)
    thought, happens = (
        np.array([(M * prior)[:, secret == s].sum(axis=1) for s in values])
        for prior in (believed, true)
    )
    return float(np.take_along_axis(happens, thought.argmax(axis=0)[None], axis=0).sum())


def _channel(theta: float, groups: list[list[int]]) -> np.ndarray:
    """The matrix of multi-group randomized response, whatever the order of the groups' questions."""
    records = np.array(list(product((0, 1), repeat=sum(map(len, groups)))))
    same = [(records[:, None, group] == records[None, :, group]).all(axis=2) for group in groups]
    other = [(records[:, None, group] != records[None, :, group]).all(axis=2) for group in groups]
    parts = [theta * s + (1 - theta) * o for s, o in zip(same, other, strict=True)]
    return reduce(np.multiply, parts)


@check
def check_guess(guessed, my_guess, seeds=(1,)) -> None:
    """Task 1: the chance of the best guess, and the blind one, exactly."""

    def look(answer, where, M, prior, secret):
        joint, values = M * prior, np.unique(secret)
        got, unseen = pair(answer, where)
        blind = max(prior[secret == s].sum() for s in values)
        by_secret = np.array([joint[:, secret == s].sum(axis=1) for s in values])
        records = joint.argmax(axis=1)
        read = sum(joint[y, secret == secret[x]].sum() for y, x in enumerate(records))
        even = np.full(len(prior), 1 / len(prior))
        after = by_secret.max(axis=0) / by_secret.sum(axis=0)
        compare(got, _guessed(M, prior, prior, secret), f"{where}: the chance with a report", [
            (RECORD, joint.max(axis=1).sum()),
            (("He guesses the likeliest record and reads the secret off it. Add up the records of each "
             "value of the secret first: several unlikely ones may outweigh one."), read),
            ("This is the chance after the report that tells most; the mean over the reports is asked for.",
             after.max()),
            ("The prior is not used: all records count alike here.", _guessed(M, even, even, secret)),
            ("This is the blind guess: the best guess may differ from report to report.", blind),
            ("These are the posterior chances added up; each report counts as often as it occurs.",
             after.sum()),
        ])  # fmt: skip
        compare(unseen, blind, f"{where}: the blind chance", [
            (RECORD, prior.max()),
            ("The blind guesser knows the prior.", 1 / len(values)),
        ])  # fmt: skip

    # every one of these mistakes gives another number here
    example = np.array([[0.3, 0.7, 0.3, 0.1], [0.3, 0.2, 0.4, 0.3], [0.4, 0.1, 0.3, 0.6]])
    scenes = [(example, np.array([0.35, 0.15, 0.3, 0.2]), np.array([0, 1, 1, 2]))]
    for M, prior, secret in [*scenes, *(_scene(rng) for rng in cases(seeds))]:
        where = f"with the secret {secret.tolist()}"
        look(ask(guessed, M, prior, secret), where, M, prior, secret)
    my = mine()
    look(my_guess, "my_guess", my.M, my.prior, my.secret)


@check
def check_others(others, seeds=(1,)) -> None:
    """Task 2: an attacker who believes one thing, where another is true, exactly."""
    example = np.array([[0.7, 0.2, 0.4], [0.3, 0.8, 0.6]])
    scenes = [(example, np.array([0.1, 0.3, 0.6]), np.array([0.5, 0.3, 0.2]), np.array([0, 1, 1]))]
    for rng in cases(seeds):
        M, believed, secret = _scene(rng)
        scenes.append((M, believed, rng.dirichlet(np.full(len(believed), 2.0)), secret))
    for M, believed, true, secret in scenes:
        where = f"how often he is right who believes {believed.round(2).tolist()}"
        compare(ask(others, M, believed, true, secret), _guessed(M, believed, true, secret), where, [
            (("This is how sure he is of himself. He guesses by what he believes; whether he is right is "
             "up to the people as they are."), _guessed(M, believed, believed, secret)),
            ("This attacker knows the people as they are. Let him guess by what he believes.",
             _guessed(M, true, true, secret)),
            ("What he believes and what is true are swapped.", _guessed(M, true, believed, secret)),
        ])  # fmt: skip


@check
def check_post(post_processing, seeds=(1,)) -> None:
    """Task 3: the matrix that makes B out of A, where there is one; it is unique, as A has an inverse."""

    def look(A, B, what):
        W = B @ np.linalg.inv(A)
        cut = np.maximum(W, 0)
        mistakes = [
            (("Your W has negative entries: they are no chances. As A has an inverse, no other W makes B of "
             "A, so the answer is None."), W),
            (CUT_OFF, cut),
            (CUT_OFF, cut / cut.sum(axis=0)),
        ]  # fmt: skip
        possible = W.min() > -1e-9
        if possible:
            nothing = f"You found nothing that makes {what}, but there is a matrix."
            mistakes = [(nothing, None), ("W is transposed: its columns sum to one.", W.T)]
        if A.shape == B.shape:
            mistakes += [
                ("W A = B: W randomizes the reports of A, so it stands to the left of A.",
                 np.linalg.solve(A, B)),
                ("W takes A to B; yours takes B to A.", A @ np.linalg.pinv(B)),
            ]  # fmt: skip
        right = W if possible else None
        compare(ask(post_processing, A, B), right, f"what makes {what}", mistakes)

    plain = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.1], [0.1, 0.2, 0.8]])
    W = np.array([[0.9, 0.3, 0.2], [0.1, 0.7, 0.0], [0.0, 0.0, 0.8]])
    look(plain, W @ plain, "a matrix that was made of it")
    strong, weak = (np.array([[t, 1 - t], [1 - t, t]]) for t in (0.8, 0.7))
    one, each = (_channel(0.7, groups) for groups in ([[0, 1]], [[0], [1]]))
    look(strong, weak, "a coin with 0.7 out of one with 0.8")
    look(weak, strong, "a coin with 0.8 out of one with 0.7")
    look(one, each, "two groups of one out of one group of two")
    look(each, one, "one group of two out of two groups of one")
    for rng in cases(seeds):
        n = int(rng.integers(3, 6))
        A = 0.5 * np.eye(n) + 0.5 * rng.dirichlet(np.ones(n), size=n).T
        look(A, rng.dirichlet(np.ones(3), size=n).T @ A, "three reports out of more")
        W = 0.4 * np.eye(n) + 0.6 * rng.dirichlet(np.ones(n), size=n).T
        look(A, W @ A, "a matrix that was made of it")
        if (A @ np.linalg.inv(W @ A)).min() < -0.01:
            look(W @ A, A, "a matrix out of what was made of it")


@check
def check_same(channel, largest_theta, my_thetas, seeds=(1,)) -> None:
    """Task 4: channels of groups, and the coin that keeps an attacker at a limit."""

    def largest(prior, groups, secret, limit, chance=_guessed_by_all):
        kept = [
            theta
            for theta in np.arange(50, 100) / 100
            if chance(_channel(theta, groups), prior, secret) <= limit + FORGIVEN
        ]
        return float(max(kept)) if kept else None

    def look_at_channel(theta, groups):
        count = sum(map(len, groups))
        alone, together = [[i] for i in range(count)], [list(range(count))]
        compare(ask(channel, theta, groups), _channel(theta, groups),
                f"the channel of the groups {groups} with θ = {theta:g}", [
            (ONE_COIN_EACH, _channel(theta, alone)),
            ("One coin for the whole record: every group has a coin of its own.",
             _channel(theta, together)),
            ("θ and 1 - θ are swapped: θ is the probability that a group's answers are true.",
             _channel(1 - theta, groups)),
        ])  # fmt: skip

    def look(answer, prior, groups, secret, limit):
        alone = [[i] for i in range(sum(map(len, groups)))]
        even = np.full(len(prior), 1 / len(prior))
        right = largest(prior, groups, secret, limit)
        where = f"the largest θ of the groups {groups} for the limit {limit:g}"
        compare(answer, right, where, [
            (("Even θ = 0.5 is too much here: a group's report tells how its answers go together, and that may "
             "be all he needs. Then the answer is None."), 0.5),
            ("The limit holds for the mean over the reports; you kept it for the report that tells most.",
             largest(prior, groups, secret, limit, _worst)),
            ("The prior is not used: all records count alike here.", largest(even, groups, secret, limit)),
            (RECORD, largest(prior, groups, np.arange(len(prior)), limit)),
            (ONE_COIN_EACH, largest(prior, alone, secret, limit)),
            ("This is the smallest θ that keeps the limit; the largest is asked for.", 0.5),
        ])  # fmt: skip

    look_at_channel(0.8, [[0, 2], [1]])
    skewed = np.array([0.4, 0.1, 0.4, 0.1])  # 00, 01, 10, 11
    opposed = np.array([0.45, 0.1, 0.4, 0.05])  # who knows whether the two agree knows the first
    for prior, groups in ((skewed, [[0], [1]]), (skewed, [[0, 1]]), (opposed, [[0, 1]])):
        first = np.array([0, 0, 1, 1])
        look(ask(largest_theta, prior, groups, first, 0.62), prior, groups, first, 0.62)
    for rng in cases(seeds):
        order = rng.permutation(3).tolist()
        groups = [order[:2], order[2:]]
        look_at_channel(round(float(rng.uniform(0.55, 0.95)), 3), groups)
        prior, answer, limit = _people(rng, 3)
        for way in (groups, [[0], [1], [2]], [[0, 1, 2]]):
            look(ask(largest_theta, prior, way, answer, limit), prior, way, answer, limit)
    my = mine()
    questions = int(np.log2(len(my.people)))
    ways = ([list(range(questions))], [[i] for i in range(questions)])
    for theta, way in zip(pair(my_thetas, "my_thetas"), ways, strict=True):
        look(theta, my.people, way, my.answer, my.limit)


def _guessed_by_all(M, prior, secret) -> float:
    return _guessed(M, prior, prior, secret)


def _worst(M, prior, secret) -> float:
    joint = np.array([(M * prior)[:, secret == s].sum(axis=1) for s in np.unique(secret)])
    return float((joint.max(axis=0) / joint.sum(axis=0)).max())
