"""Which scheme should I use? From a fear, a purpose and a number of respondents to an answer: `ppdm advise`.

Every scheme in question is set so that the attacker who is feared guesses right with just the chance
that is allowed, whatever the report, and not more. Of those the one wins that estimates best what will
be computed; a simpler one is preferred if it is nearly as good. All is computed, nothing is looked up:

    fear          who guesses                                       what
    stranger      sees one report, knows nothing else               one of her answers
    record        the same                                          all of them at once
    neighbour     sees the report, knows her other answers          one of her answers
    anyone        whatever he knows and believes                    any fact, from even odds (that is ε)

Answers are taken to be fair and independent, where a report gives away most beyond a blind guess. The
error is that of an estimate from the reports: the disguise's, and that of drawing the respondents.
"""

from __future__ import annotations

import argparse
import json
import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from ppdm.optimise import BestScheme, best_ldp_scheme, best_scheme, mse, workload_of

FEARS = ("stranger", "record", "neighbour", "anyone")
PURPOSES = ("shares", "pairs", "tables", "prefixes")
#: A simpler scheme is taken if it needs no more than so many times the respondents.
NEARLY = 1.05
#: Questions, answers of one question, and questions in one table up to which there is advice.
MOST_QUESTIONS, MOST_LEVELS, MOST_IN_TABLE = 60, 32, 20
#: Up to so many answers of one question, and so many combinations of answers, a certified matrix is searched.
MOST_CERTIFIED, MOST_COMBINED = 16, 8
RULED_OUT = (
    "each report rules some answers out for certain; a bound on ε (--fear anyone) never does"
)
CONFIDENCE = 0.95
#: Of those for whom it is true so many may deny it, asked directly.
SHAME = (0.1, 0.25, 0.5)

WHO = {
    "stranger": "Somebody who sees her report and knows nothing else about her guesses one of her answers",
    "record": "Somebody who sees her report and knows nothing else about her guesses all her answers",
    "neighbour": "Somebody who sees her report and knows all her other answers guesses the one that is left",
    "anyone": "Somebody who sees her report, whatever he knows, guesses a fact that had even odds for him",
}
WHAT = {
    "shares": "each share",
    "pairs": "each share of an answer within a class",
    "tables": "each combination's share",
    "prefixes": "each share of those at or below an answer",
}


class Situation(NamedTuple):
    """What is feared, what will be computed, and from how many.

    >>> Situation("stranger", "shares", 1_000).guess
    0.75
    """

    fear: str
    compute: str
    respondents: int
    questions: int = 1
    levels: int = 2
    guess: float = 0.75  # the chance with which the attacker may be right
    error: float = 0.05  # half of the width that an interval should have
    share: float = (
        0.1  # for how many a "yes" is supposed to be true, where the direct question is compared
    )


class Option(NamedTuple):
    """A scheme that is as safe as was asked, and what it costs."""

    name: str
    words: str
    guess: float  # the feared attacker's chance
    variance: float  # mean squared error of a number, for one respondent
    protection: tuple[dict[str, Any], ...] | None  # for a survey file, where it has a form
    mind: str = ""

    def half_width(self, respondents: int) -> float:
        return float(ndtri((1 + CONFIDENCE) / 2)) * math.sqrt(self.variance / respondents)

    def needed(self, error: float) -> int:
        return math.ceil((float(ndtri((1 + CONFIDENCE) / 2)) / error) ** 2 * self.variance - 1e-9)


class Advice(NamedTuple):
    """The best option, the others by their cost, and what an open question would cost."""

    situation: Situation
    best: Option
    others: list[Option]
    open_variance: float


def advise(situation: Situation) -> Advice:
    """The scheme of least error among those that are as safe as was asked.

    >>> advice = advise(Situation("stranger", "shares", 1_000))
    >>> advice.best.name, advice.best.needed(0.05)
    ('a coin for each answer', 1537)
    >>> advise(Situation("anyone", "shares", 1_000, questions=10)).best.name
    'one question each, by lot'
    """
    _check(situation)
    options = _of_levels(situation) if situation.levels > 2 else _of_questions(situation)
    least = min(option.variance for option in options)
    best = next(o for o in options if o.variance <= NEARLY * least)  # simplest first
    others = sorted((o for o in options if o is not best), key=lambda o: o.variance)
    return Advice(situation, best, others, _open(situation))


# Or ask directly? A lie has no variance, and a coin no shame --------------------------------------------


class Direct(NamedTuple):
    """The direct question beside a scheme: up to how many respondents its error is the smaller one, by the share of
    those concerned who deny; and which share may deny at most so that it is, for the number at hand."""

    up_to: dict[float, int]
    deny: float

    @property
    def better(self) -> bool:
        """Whether it is the better one, whatever of these shares denies."""
        return self.deny > max(self.up_to)


def direct(s: Situation, option: Option) -> Direct | None:
    """[Warner 1965, 3] Mean squared errors at a share π of whom a share h denies: (h π)² + (1 - h) π (1 - (1 - h) π) / n
    for the direct question, and π (1 - π) / n with the scheme's noise / n for the scheme. None for more than shares
    of yes-or-no answers.

    >>> s = Situation("stranger", "shares", 300)
    >>> direct(s, advise(s).best).up_to
    {0.1: 7580, 0.25: 1232, 0.5: 316}
    """
    if s.compute != "shares" or s.levels > 2:
        return None
    pi, n = s.share, s.respondents
    variance = option.variance - _open(s) + pi * (1 - pi)

    def up_to(h: float) -> int:
        told = (1 - h) * pi
        return math.floor((variance - told * (1 - told)) / (h * pi) ** 2)

    a, b, c = (n - 1) * pi**2, pi * (2 * pi - 1), pi * (1 - pi) - variance
    deny = (-b + math.sqrt(b**2 - 4 * a * c)) / (2 * a) if n > 1 else math.inf
    return Direct({h: up_to(h) for h in SHAME}, deny)


# Schemes for yes/no answers: theta, or what else is to be set, goes from no information to the truth ----


def _of_questions(s: Situation) -> list[Option]:
    """Simplest first."""
    names = [f"question {i + 1}" for i in range(s.questions)]
    depth = _depth(s)
    found: list[Option | None] = [_coins(s, names, depth)]
    if s.questions > 1:
        found += [_one_coin(s, names, depth), _by_lot(s, depth), _whole_record(s, names, depth)]
        found.append(_certified_record(s, names))
    return [option for option in found if option is not None]


def _coins(s: Situation, names: list[str], depth: int) -> Option:
    """A coin for each answer; how the chance of a guess depends on theta."""
    K = len(names)
    theta = {
        "record": s.guess ** (1 / K),
        "anyone": _logistic(_epsilon(s) / K),
    }.get(s.fear, s.guess)
    protection = ({"mechanism": "multi-group", "theta": theta, "groups": [[n] for n in names]},)
    return Option(
        "a coin for each answer",
        f"Each answer is true with probability θ = {theta:.4g}, else the opposite; a coin of its own for each.",
        s.guess,
        _square(theta) ** depth - 4.0**-depth,
        protection,
    )


def _one_coin(s: Situation, names: list[str], depth: int) -> Option | None:
    """[Zhan & Du 4.1] All true, or all reversed: two records remain, so who knows one answer knows all."""
    if s.fear in ("neighbour", "anyone"):
        return None
    theta = s.guess
    variance = 2.0**-depth * 2 * _square(theta) - 4.0**-depth
    protection = ({"mechanism": "multi-group", "theta": theta, "groups": [names]},)
    return Option(
        "one coin for all answers",
        f"All answers are true with probability θ = {theta:.4g}, else all are the opposite.",
        s.guess,
        variance,
        protection,
        "whoever knows one of her answers for certain reads all the others (chapter 2)",
    )


def _by_lot(s: Situation, depth: int) -> Option | None:
    """Each respondent is asked one question (or one with the class): the whole allowance for it."""
    K = s.questions
    lots = {1: K, 2: K - 1}.get(depth)
    if lots is None or depth == K:
        return None
    n = 2**depth
    rest = 2.0 ** (K - depth)  # the answers that were not asked are guessed blindly
    guess = s.guess * rest if s.fear == "record" else s.guess
    if guess >= 1:  # it would have to be told openly to be as unsafe as is allowed
        return None
    p, r = _symmetric(s, n, guess)
    if not p > r:
        return None
    asked = "one question" if depth == 1 else "one question and the class"
    variance = lots * 2.0**-depth * (1 - 2.0**-depth) / (p - r) ** 2
    truth = (
        f"reports the truth with probability {p:.4g}"
        if n > 2
        else f"reports it truly with θ = {p:.4g}"
    )
    return Option(
        "one question each, by lot",
        f"The form asks each respondent {asked}, by lot, and she {truth}, else another answer.",
        s.guess,
        variance,
        None,
    )


def _whole_record(s: Situation, names: list[str], depth: int) -> Option | None:
    """The unrelated question with fair personal answers: k-RR on all answers together."""
    n = 2 ** len(names)
    p, r = _symmetric(s, n)
    if not p > r:
        return None
    q = (n * p - 1) / (n - 1)
    protection = ({"mechanism": "unrelated-question", "q": q, "groups": [names]},)
    return Option(
        "all answers or made-up ones",
        f"All answers are sent with probability q = {q:.4g}, else answers that are made up by fair coins.",
        s.guess,
        2.0**-depth * (1 - 2.0**-depth) / (p - r) ** 2,
        protection,
    )


def _certified_record(s: Situation, names: list[str]) -> Option | None:
    """The certified matrix on all combinations of answers, for exactly what will be computed."""
    n = 2 ** len(names)
    if n > MOST_COMBINED or s.fear not in ("anyone", "record"):
        return None
    even = np.full(n, 1 / n)
    rows = _rows(s, even, (2,) * len(names))
    best = _certified(s, even, rows)
    return Option(
        "a certified matrix for the record",
        f"The {n} combinations are one question, disguised by the matrix of `ppdm optimise` "
        f"({len(best.matrix)} reports).",
        s.guess,
        best.mse,
        None,
        _ruled_out(best),
    )


def _certified(s: Situation, even: np.ndarray, rows: np.ndarray) -> BestScheme:
    if s.fear == "anyone":
        return best_ldp_scheme(even, _epsilon(s), 1, rows)
    return best_scheme(even, s.guess, None, 1, rows)


def _ruled_out(best: BestScheme) -> str:
    return RULED_OUT if (best.matrix == 0).any() else ""


# One question with more than two answers ------------------------------------------------------------


def _of_levels(s: Situation) -> list[Option]:
    n = s.levels
    p, r = _symmetric(s, n)
    even = np.full(n, 1 / n)
    rows = _rows(s, even, (n,))
    told = np.full((n, n), r) + (p - r) * np.eye(n)
    found = [
        Option(
            "k-RR",
            f"The truth with probability p = {p:.4g}, else any of the other answers.",
            s.guess,
            float(mse(told, even, 1, rows)),
            ({"mechanism": "k-rr", "p": p, "attributes": ["question"]},),
        )
    ]
    if n > MOST_CERTIFIED:
        return found
    best = _certified(s, even, rows)
    spec = {
        "mechanism": "matrix",
        "matrix": best.matrix.tolist(),
        "prior": even.tolist(),
        "outputs": [f"report {i + 1}" for i in range(len(best.matrix))],
        "attributes": ["question"],
    }
    words = f"The matrix that `ppdm optimise` finds ({len(best.matrix)} reports)."
    found.append(Option("a certified matrix", words, s.guess, best.mse, (spec,), _ruled_out(best)))
    return found


# Parts ----------------------------------------------------------------------------------------------


def _symmetric(s: Situation, n: int, guess: float | None = None) -> tuple[float, float]:
    """p of the truth and r of each other of n answers, such that the feared guess is right as allowed.

    Of n combinations of yes/no answers: a single one is right in half of the others, too, so a
    stranger guesses it with p + (n/2 - 1) r. A neighbour has two combinations left, p to r.
    """
    guess = s.guess if guess is None else guess
    if s.fear == "anyone" or (s.fear == "neighbour" and s.levels == 2):
        ratio = guess / (1 - guess)
        return ratio / (ratio + n - 1), 1 / (ratio + n - 1)
    whole = s.levels > 2 or s.fear == "record"
    p = guess if whole else 1 - 2 * (n - 1) * (1 - guess) / n
    return p, (1 - p) / (n - 1)


def _square(theta: float) -> float:
    """The mean square of what one fair, disguised answer adds to its estimated share."""
    return (theta**2 + (1 - theta) ** 2) / (2 * (2 * theta - 1) ** 2)


def _epsilon(s: Situation) -> float:
    """The ε under which a fact of even odds is guessed with this chance at most."""
    return math.log(s.guess / (1 - s.guess))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _depth(s: Situation) -> int:
    """How many answers a number that is computed combines."""
    return {"shares": 1, "prefixes": 1, "pairs": 2, "tables": s.questions}[s.compute]


def _rows(s: Situation, prior: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if s.compute in ("pairs", "prefixes"):
        return workload_of(s.compute, prior, shape)
    if s.compute == "tables" or s.levels > 2:
        return workload_of("cells", prior)
    digits = np.indices(shape).reshape(len(shape), -1)
    return np.array([digits[i] == v for i in range(len(shape)) for v in (0, 1)], dtype=float)


def _open(s: Situation) -> float:
    """The same variance where everybody is asked openly."""
    n = s.levels
    if n > 2:
        even = np.full(n, 1 / n)
        return float(mse(np.eye(n), even, 1, _rows(s, even, (n,))))
    share = 2.0 ** -_depth(s)
    return share * (1 - share)


def _check(s: Situation) -> None:
    most, levels, blind = MOST_QUESTIONS, MOST_LEVELS, _blind(s)
    wrong = [
        (s.fear not in FEARS, f"the fear is one of {', '.join(FEARS)}; got {s.fear!r}"),
        (s.compute not in PURPOSES,
         f"what is computed is one of {', '.join(PURPOSES)}; got {s.compute!r}"),
        (s.respondents < 1, f"{s.respondents} respondents: at least one is needed"),
        (not 1 <= s.questions <= most,
         f"{s.questions} questions: there is advice for 1 to {most}"),
        (not 2 <= s.levels <= levels,
         f"{s.levels} answers to a question: there is advice for 2 to {levels}"),
        (s.levels > 2 and s.questions > 1,
         "several questions are taken as yes/no questions: leave out the levels"),
        (s.compute in ("pairs", "tables") and s.questions < 2,
         f"{s.compute} take two questions or more; there is {s.questions}"),
        (s.compute == "prefixes" and s.levels == 2,
         "prefixes are for one question whose answers have an order: give its levels"),
        (s.compute == "tables" and s.questions > MOST_IN_TABLE,
         f"a table of {s.questions} questions has 2 to the power of {s.questions} cells: {MOST_IN_TABLE} is the most"),
        (not blind < s.guess < 1,
         (f"the guess may be right with {s.guess:g}: it must lie between {blind:.4g}, which needs no report at all, "
          "and 1")),
        (not 0 < s.share < 1,
         f"the share for whom it is true lies between 0 and 1; got {s.share:g}"),
        (not 0 < s.error < 1,
         f"the error is {s.error:g}: half of an interval's width, between 0 and 1"),
    ]  # fmt: skip
    for is_wrong, words in wrong:
        if is_wrong:
            raise ValueError(words)


def _blind(s: Situation) -> float:
    if s.fear == "anyone":
        return 0.5
    if s.levels > 2:
        return 1 / s.levels
    return 0.5 ** max(s.questions, 0) if s.fear == "record" else 0.5


# The command ----------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.description = (
        "Which scheme should I use? Say what you fear, what you will compute and how many will answer. "
        "Every number of the answer is computed for this situation, for fair and independent answers."
    )
    help_fear = (
        "stranger: sees a report and guesses one answer; record: all answers; neighbour: knows her other answers; "
        "anyone: whatever he knows (that is ε)"
    )
    help_compute = (
        "shares of each answer; pairs of each answer with the class (naive Bayes); tables of all combinations (trees); "
        "prefixes: shares at or below each answer"
    )
    parser.add_argument("--fear", required=True, choices=FEARS, help=help_fear)
    parser.add_argument("--compute", required=True, choices=PURPOSES, help=help_compute)
    parser.add_argument("--respondents", type=int, required=True, help="how many will answer")
    for name, words in {
        "questions": "how many yes/no questions",
        "levels": "answers of one question",
        "guess": "the chance with which he may be right",
        "error": "half of the width wanted of an interval",
        "share": "for how many a yes may be true, to compare with the direct question",
    }.items():
        default = Situation._field_defaults[name]
        parser.add_argument(
            f"--{name}", type=type(default), default=default, help=f"{words}; default {default:g}"
        )
    parser.add_argument("--json", action="store_true", help="as data instead of sentences")


def main(args: argparse.Namespace) -> int:
    """Print the advice."""
    advice = advise(Situation(*(getattr(args, name) for name in Situation._fields)))
    if args.json:
        print(json.dumps(plain(advice), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print("\n".join(sentences(advice)))
    return 0


def plain(advice: Advice) -> dict[str, Any]:
    """The advice as lists, mappings, strings and numbers.

    >>> plain(advise(Situation("stranger", "shares", 1_000)))["use"]["name"]
    'a coin for each answer'
    """
    s, compared = advice.situation, direct(advice.situation, advice.best)

    def told(option: Option) -> dict[str, Any]:
        return {
            "name": option.name, "words": option.words, "guess": option.guess,
            "half_width": option.half_width(s.respondents), "needed": option.needed(s.error),
            "mind": option.mind, "protection": None if option.protection is None else list(option.protection),
        }  # fmt: skip

    return {
        "situation": s._asdict(),
        "use": told(advice.best),
        "instead": [told(o) for o in advice.others],
        "enough": advice.best.needed(s.error) <= s.respondents,
        "open": {"half_width": _width(advice.open_variance, s.respondents)},
        "direct": compared and compared._asdict(),
    }


def sentences(advice: Advice) -> list[str]:
    """The advice in words.

    >>> sentences(advise(Situation("stranger", "shares", 1_000)))[0]
    'Use a coin for each answer.'
    """
    s, best = advice.situation, advice.best
    right, blind = 100 * best.guess, 100 * _blind(s)
    ours, theirs = best.half_width(s.respondents), _width(advice.open_variance, s.respondents)
    lines = [f"Use {best.name}.", best.words, ""]
    lines.append(
        f"What it protects. {WHO[s.fear]}: right in at most {right:.3g} of 100 cases, whatever the report; "
        f"{blind:.3g} without it."
    )
    lines.append(
        f"What you get. From {s.respondents:,} respondents, {WHAT[s.compute]} {_points(ours)} (95 %, on average); "
        f"asked openly, {_points(theirs)}."
    )
    needed = best.needed(s.error)
    if needed > s.respondents:
        lines.append(
            f"That is too few for ± {100 * s.error:.3g} points: ask {needed:,}, let him be right more often "
            "(--guess), or ask less."
        )
    else:
        lines.append(f"For ± {100 * s.error:.3g} points {needed:,} are enough.")
    if best.mind:
        lines.append(f"Mind: {best.mind}.")
    lines += _asked_directly(s, best)
    if advice.others:
        lines += ["", "Instead, as safe:"]
    for o in advice.others:
        mind = f" (mind: {o.mind})" if o.mind else ""
        lines.append(
            f"  {o.name}: {_points(o.half_width(s.respondents))}; {o.variance / best.variance:.3g} times as many "
            f"respondents for the same error{mind}"
        )
    lines += [
        "",
        "Computed for fair and independent answers, where a report gives away most beyond a blind guess.",
    ]
    return lines


def _asked_directly(s: Situation, best: Option) -> list[str]:
    """Whether the direct question has the smaller error, and for which shame.

    >>> s = Situation("stranger", "shares", 300)
    >>> _asked_directly(s, advise(s).best)[0][:72]
    'Ask directly? It protects nobody. As far as the error goes yes, unless m'
    """
    compared = direct(s, best)
    if compared is None:
        return []
    most = f"{100 * compared.deny:.0f} of 100 deny it"
    verdict = (
        "yes, whatever they deny" if compared.deny >= 1
        else f"yes, unless more than {most}" if compared.better
        else f"only if fewer than {most}"
    )  # fmt: skip
    limits = ", ".join(f"{n:,} where {100 * h:.0f} do" for h, n in compared.up_to.items())
    text = (
        f"Ask directly? It protects nobody. As far as the error goes {verdict}: a yes that is true for "
        f"{100 * s.share:.3g} of 100 is estimated better by the direct question up to so many respondents: {limits}. "
        "With an anchor, which shows who follows, the scheme's noise counts about twice, and so do these numbers."
    )
    return [text]


def _points(half_width: float) -> str:
    return (
        f"to ± {100 * half_width:.2g} points"
        if half_width < 1
        else "not at all (± over 100 points)"
    )


def _width(variance: float, respondents: int) -> float:
    return float(ndtri((1 + CONFIDENCE) / 2)) * math.sqrt(variance / respondents)
