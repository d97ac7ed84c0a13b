"""Assignment 0, the primer: Warner's coin.

Its data and checks need the standard library alone: they run in a reader's browser as well, and give
the same numbers there as in grading. Survey answers are lists; `rng` is a `random.Random`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import comb, sqrt
from statistics import fmean, stdev

from ppdm.course.personal import mine
from ppdm.course.tell import ask, by_chance, check, compare, pair

FORGOT = "You forgot to invert: this is the share that was said, and the coin pulled it towards one half."
SWAPPED = "θ and 1 - θ are swapped: θ is the probability of the truth."
CLIPPED = (
    "Clipped before averaging: an estimate below 0 or above 1 was cut off. One estimate may look "
    "better for it; the average of many is wrong, for the errors on the other side stay."
)


def source(assignment: str, student: str, seed: int) -> random.Random:
    """The random numbers that belong to one student and one course."""
    return random.Random(f"{assignment}/{student.strip().lower()}/{seed}")


def material(rng: random.Random, respondents: int = 2_000) -> dict:
    """A student's survey, its coin, and the survey she has to plan."""
    theta = round(rng.uniform(0.62, 0.85), 2)
    share = rng.uniform(0.1, 0.4)
    said = theta * share + (1 - theta) * (1 - share)
    plan = _survey_to_plan(rng)
    return {"theta": theta, "reports": _answers(rng, respondents, said), **plan}


def _answers(rng: random.Random, people: int, share: float) -> list[int]:
    return [int(rng.random() < share) for _ in range(people)]


def _survey_to_plan(rng: random.Random) -> dict:
    """A budget that some coins meet: made from two coins, the weakest and the strongest."""
    share, people = round(rng.uniform(0.05, 0.3), 2), 100 * rng.randrange(8, 30)
    low = rng.uniform(0.6, 0.72)
    high = low + rng.uniform(0.05, 0.2)
    slope = 2 * low - 1
    se = sqrt((share * (1 - share) + low * (1 - low) / slope**2) / people)
    belief = high * share / (high * share + (1 - high) * (1 - share))
    return {"share": share, "people": people, "se": round(se, 5), "belief": round(belief, 4)}


def _cases(seeds: Iterable[int]) -> Iterator[random.Random]:
    return (random.Random(f"2026/{seed}") for seed in seeds)


@check
def check_estimate(estimate, seeds=(1,)) -> None:
    """Task 1: Warner's estimate and its standard error, exactly."""
    scenes = [([1] * 430 + [0] * 570, 0.7), ([1] * 3 + [0] * 37, 0.7)]
    for rng in _cases(seeds):
        theta = rng.choice([rng.uniform(0.05, 0.4), rng.uniform(0.6, 0.95)])
        scenes.append((_answers(rng, rng.randrange(50, 500), rng.uniform(0.2, 0.8)), theta))
    for reports, theta in scenes:
        n, said, slope = len(reports), fmean(reports), 2 * theta - 1
        right, spread = (said - (1 - theta)) / slope, sqrt(said * (1 - said) / n)
        got, error = pair(ask(estimate, reports, theta), "estimate(reports, theta)")
        where = f"with {sum(reports)} yes among {n} and theta = {theta:.3g}, the"
        compare(got, right, f"{where} estimate", [
            (FORGOT, said),
            (SWAPPED, (said - theta) / -slope),
            (CLIPPED, min(max(right, 0.0), 1.0)),
        ])  # fmt: skip
        compare(error, spread / abs(slope), f"{where} standard error", [
            (("This is the standard error of the share that was said. Undoing the coin divides by "
             "2θ - 1, and so it enlarges the error as well."), spread),
            ("A standard error is not negative, also where 2θ - 1 is.", spread / slope),
            ("This is the variance; its root is asked for.", (spread / slope) ** 2),
        ], also=[spread / abs(slope) * sqrt(n / (n - 1))])  # fmt: skip


@check
def check_average(averaged, seeds=(1,)) -> None:
    """Task 2: the average over many surveys, exactly."""
    scenes = [([2, 8, 3, 1, 5], 20, 0.75), ([3, 2, 4, 3], 20, 0.75)]
    for rng in _cases(seeds):
        theta, share = rng.uniform(0.6, 0.8), rng.uniform(0, 0.1)
        p = theta * share + (1 - theta) * (1 - share)
        scenes.append(([sum(_answers(rng, 25, p)) for _ in range(60)], 25, theta))
    for yes, people, theta in scenes:
        each = [(number / people - (1 - theta)) / (2 * theta - 1) for number in yes]
        right, got = fmean(each), ask(averaged, yes, people, theta)
        compare(got, right, f"the average of {len(yes)} surveys with theta = {theta:.3g}", [
            (CLIPPED, fmean(min(max(one, 0.0), 1.0) for one in each)),
            ("The average was cut off at 0 and 1. It is an estimate as well, and may lie outside.",
             min(max(right, 0.0), 1.0)),
            (FORGOT, fmean(yes) / people),
            (SWAPPED, 1 - right),
        ])  # fmt: skip


@check
def check_plan(survey_plan, my_plan, seeds=(1,)) -> None:
    """Task 3: the coins that a budget and a limit on belief allow, within 0.001."""

    def coins(share, people, se, belief, asking=True):
        room = people * se**2 - asking * share * (1 - share)
        if room < 0:
            return None
        low = (1 + sqrt(1 / (1 + 4 * room))) / 2
        high = belief * (1 - share) / (share * (1 - belief) + belief * (1 - share))
        return (low, high) if low <= high else None

    def look(answer, where, *plan):
        right = coins(*plan)
        words = "The variance has two parts: from asking n people, and from the coin. Only the coin's part was counted."
        mistakes = [(words, coins(*plan, asking=False))]
        if right is not None:
            low, high = right
            mistakes += [
                ("θ and 1 - θ are swapped: both ends should lie between 1/2 and 1.", (1 - high, 1 - low)),
                ("The ends are in the wrong order: (lowest θ, highest θ).", (high, low)),
                ("The belief after a yes is θP / P*; you took θ itself for it.", (low, plan[-1])),
            ]  # fmt: skip
        elif answer is not None:
            raise AssertionError(
                f"{where} asks for more than any coin can give: the answer is None, not {answer!r}."
            )
        compare(answer, right, where, mistakes, tolerance=0.001)

    for rng in _cases(seeds):
        share, people, se, belief = _survey_to_plan(rng).values()
        greedy = 0.5 * sqrt(share * (1 - share) / people)
        for limits in ((se, belief), (se, share * 1.05), (greedy, belief)):
            words = ", ".join(f"{value:.5g}" for value in (share, people, *limits))
            answer = ask(survey_plan, share, people, *limits)
            look(answer, f"survey_plan({words})", share, people, *limits)
    my = mine()
    look(my_plan, "my_plan, for the numbers in `my`,", my.share, my.people, my.se, my.belief)


@check
def check_claim(simulate, decide, seeds=(1,)) -> None:
    """Task 4: simulated surveys (binomial tests, 3 a seed), and the rule that decides."""

    def look_at_surveys(rng):
        share, theta = rng.uniform(0.2, 0.35), rng.uniform(0.68, 0.85)
        people, surveys = 200, 400
        p = theta * share + (1 - theta) * (1 - share)
        estimates = _numbers(ask(simulate, share, theta, people, surveys, rng), surveys)
        yes = [(one * (2 * theta - 1) + 1 - theta) * people for one in estimates]
        if not _whole(yes):
            if _whole([one * people for one in estimates]):
                raise AssertionError(FORGOT)
            raise AssertionError(
                f"These are not Warner's estimates: no number of yeses among {people} gives them."
            )
        counts = [round(number) for number in yes]
        related = (
            "The estimates do not scatter as those of independent surveys do. Draw new people "
            "and new coins for every survey."
        )
        if len(set(counts)) == 1:
            raise AssertionError(related)
        total = surveys * people
        if not by_chance(sum(counts), total, p):
            if by_chance(sum(counts), total, 1 - p):
                raise AssertionError(SWAPPED)
            raise AssertionError(
                f"The average estimate is {fmean(estimates):.3f} where the true share is "
                f"{share:.3f}: further off than chance allows."
            )
        low, high, inside = _middle_half(people, p)
        number = sum(low <= one <= high for one in counts)
        if not by_chance(number, surveys, inside):
            raise AssertionError(related)

    def look_at_rule(rng):
        share, spread, surveys = rng.uniform(0.1, 0.9), rng.uniform(0.02, 0.1), 400
        shape = [rng.gauss(0, 1) for _ in range(surveys)]
        middle, width = fmean(shape), stdev(shape)
        shape = [(one - middle) / width for one in shape]
        for off in (3, -3.9, 5, -6):  # standard errors of the mean; four are allowed
            estimates = [share + spread * (one + off / sqrt(surveys)) for one in shape]
            verdict = "reproduced" if abs(off) < 4 else "not reproduced"
            mistake = (
                "Both directions count: take the absolute difference."
                if off < 0
                else "You compared with the spread of single surveys. The rule asks for the standard "
                "error of their mean: the spread divided by the root of their number."
            )
            where = f"the verdict where the mean is {abs(off)} standard errors off"
            compare(ask(decide, estimates, share), verdict, where, [(mistake, "reproduced")])

    for rng in _cases(seeds):
        look_at_rule(rng)
        look_at_surveys(rng)


def _numbers(answer, surveys: int) -> list[float]:
    """The estimates as a list, whatever holds them."""
    try:
        numbers = [float(one) for one in answer]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != surveys:
        raise AssertionError(
            f"simulate(...) should give one estimate a survey, {surveys} numbers; it gave "
            f"{len(numbers) or 'something else'}."
        )
    return numbers


def _whole(numbers: list[float]) -> bool:
    """Whether all are whole numbers, but for rounding."""
    return all(abs(number) < 1e9 and abs(number - round(number)) < 1e-6 for number in numbers)


def _middle_half(people: int, p: float) -> tuple[int, int, float]:
    """Two numbers of yeses about the quartiles of their distribution, and the chance between them."""
    chances = [comb(people, k) * p**k * (1 - p) ** (people - k) for k in range(people + 1)]
    below = list(accumulate(chances))
    low, high = (sum(chance < quarter for chance in below) for quarter in (0.25, 0.75))
    return low, high, sum(chances[low : high + 1])
