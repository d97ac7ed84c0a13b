"""What a survey costs and what it protects, said before anybody is asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ppdm.contract import Survey, groups, members
from ppdm.disguise import scheme_of
from ppdm.domain import listed
from ppdm.survey.compliance import anchors_of, needed
from ppdm.survey.devices import HALVES
from ppdm.survey.form import promises, question, read_strings
from ppdm.survey.relate import power

#: A protection under which the best guess gains less than this hides an answer; above, it hardly does.
_HARDLY = 0.95
#: The share of "yes" for which the collector's chances are told.
_RARE = 0.1
#: Groups of so many answers have no more than two records behind each report: chapter 2.
_READABLE = 2

TEMPLATE = """\
# A survey. Write your questions, then: ppdm survey new {name}
title: A title that your respondents will see

attributes:
  - name: cheated
    question: "Have you ever cheated in an exam?"
    levels: [no, yes]
  - name: awake
    question: "Have you ever taken a drug to stay awake?"
    levels: [no, yes]
  # An anchor: everybody knows that nobody says yes. It shows how many follow the instructions.
  - name: coach
    question: "Have you ever coached a national football team?"
    levels: [no, yes]
    known: [1, 0]
  - name: year
    question: "Which year are you in?"
    levels: [first, second, later]

# How each answer is protected; what stands in no protection is sent as it is given.
# The mechanisms:
#   extended-crosswise  p              two questions in the mind: both or neither, or exactly one? in two halves
#   crosswise           p              the same, in one way for all
#   triangular          p              is there a yes to one of the two?
#   warner              p              the truth with probability p, else the opposite
#   forced-response     truth, forced  the truth, or the answer that a device says
#   cheating-detection  halves         the truth, or a yes that a die says, with other chances in two halves
#   unrelated-question  q, personal    her answer with probability q, else one with known chances
#   multi-group         theta, groups  one coin for all answers of a group
#   k-rr                p              the truth with probability p, else any other answer
#   matrix              matrix         any M[reported][true]; `ppdm optimise` finds good ones
protection:
  - mechanism: extended-crosswise
    p: 0.2628                  # the share of birthdays on the first eight days of a month
    attributes: [cheated, awake, coach]
"""


class Danger(NamedTuple):
    """What a collector can find out at worst about one answer of one person."""

    name: str
    kind: str
    guess: float  # the largest chance that his best guess is right, whatever he believed before
    believed: float  # what he believed, with which it is so large
    truth: float  # the largest chance that a report is true; NaN where no report is an answer
    epsilon: float


def check(survey: Survey) -> list[str]:
    """Warnings about a survey; what cannot be undone, or protects nothing, is refused.

    >>> check(Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 1.0, "attributes": ["A"]}]))
    Traceback (most recent call last):
    ValueError: the protection of A protects nothing: every report tells the true answer
    """
    if not survey.protected:
        raise ValueError("no question is protected: then an ordinary survey will do")
    scheme = scheme_of(survey)  # refuses what cannot be undone
    warnings, kinds = [], _kinds(survey)
    for name in survey.protected:
        M = scheme.matrix(survey.domain.only([name]))
        if (np.sort(M, axis=1)[:, -2] == 0).all():
            raise ValueError(
                f"the protection of {name} protects nothing: every report tells the true answer"
            )
        least = M.max(axis=0).min() * HALVES.get(kinds[name], 1)
        if least >= _HARDLY:
            warnings.append(
                f"{name} is hardly protected: {100 * least:.3g} % of the reports are of one kind "
                "for each true answer."
            )
        if not math.isfinite(scheme.epsilon(name)):
            warnings.append(f"some report on {name} rules an answer out for certain.")
    for name in survey.known:
        asked = [n for n in survey.protected if n not in survey.known]
        if not any(name in anchors_of(survey, other) for other in asked):
            warnings.append(
                f"the shares of {name} are known, but no other question is protected as it is: it shows nothing of who "
                "follows the instructions."
            )
    for spec in survey.protection:
        warnings += [
            _readable(spec, group, survey)
            for group in groups(spec)
            if spec["mechanism"] == "multi-group" and len(group) >= _READABLE
        ]
    return warnings


def _readable(spec: Mapping[str, Any], group, survey: Survey) -> str:
    """[Zhan & Du 4.1] Who knows one answer of a group reads the others."""
    records = 2 ** len(group)
    return (
        f"the group {listed(group)} shares one coin: a report leaves 2 of its {records} combinations, and "
        "whoever knows one of the answers for certain reads the others (chapter 2)."
    )


def dangers(survey: Survey) -> list[Danger]:
    """For each protected question, the worst case over everything a collector may believe before.

    >>> survey = Survey({"A": ["no", "yes"]}, [{"mechanism": "warner", "p": 0.75, "attributes": ["A"]}])
    >>> [(d.name, round(d.guess, 3), round(d.truth, 3)) for d in dangers(survey)]
    [('A', 0.75, 0.964)]
    """
    scheme, kinds = scheme_of(survey), _kinds(survey)
    hidden = [name for name in survey.protected if name not in survey.known]
    return [_danger(name, kinds[name], scheme, survey) for name in hidden]


def _kinds(survey: Survey) -> dict[str, str]:
    return {name: spec["mechanism"] for spec in survey.protection for name in members(spec)}


def _danger(name: str, kind: str, scheme, survey: Survey) -> Danger:
    domain = survey.domain.only([name])
    M = scheme.matrix(domain)
    n = M.shape[1]
    # The gain of a report over the blind guess is largest where all answers are equally likely
    # (Bayes capacity); the share with which that happens is the uniform one.
    guess = float(M.max(axis=1).sum() / n)
    rare = np.full(n, _RARE / max(n - 1, 1))
    rare[0] = 1 - _RARE
    same = [
        list(scheme.reports.only([name]).levels[0]).index(level)
        for level in domain.levels[0]
        if level in scheme.reports.only([name]).levels[0]
    ]
    shares = M @ rare
    true = [M[y, x] * rare[x] / shares[y] for x, y in enumerate(same) if shares[y] > 0]
    return Danger(
        name, kind, guess, 1 / n, float(max(true, default=math.nan)), scheme.epsilon(name)
    )


def advice(survey: Survey, half_width: float = 0.05) -> str:
    """What an owner should know before anybody is asked, in plain words."""
    warnings = check(survey)
    lines = [
        f"Survey: {survey.title or 'without a title'}",
        "",
        "How many respondents",
        f"For intervals of ± {half_width:g} (95 %) at the worst distribution of answers:",
    ]
    for name in survey.names:
        if name in survey.known:
            continue
        lines.append(
            f"  {name}: {power(survey, name, half_width):,}{_corrected(survey, name, half_width)}"
        )
    lines += ["", "What a collector can find out about one person, at worst"]
    for d in dangers(survey):
        epsilon = f"{d.epsilon:.2f}" if math.isfinite(d.epsilon) else "infinite"
        rare = (
            ""
            if math.isnan(d.truth)
            else f"where {100 * (1 - _RARE):.0f} % say “{survey.attributes[d.name][0]}”, no report is true more often "
            f"than in {100 * d.truth:.3g} % of all cases; "
        )
        lines.append(
            f"  {d.name} ({d.kind}): his best guess is right in {100 * d.guess:.3g} % of all cases where he "
            f"knew nothing before ({100 * d.believed:.3g} % blind); {rare}ε = {epsilon}."
        )
    lines += ["", "What to tell the respondents"]
    lines += [f"  {sentence}" for sentence in for_respondents(survey)]
    lines += ["", "What an ethics board will want to read"]
    lines += [f"  {sentence}" for sentence in for_a_board(survey)]
    if warnings:
        lines += ["", "Warnings"] + [f"  {w[:1].upper()}{w[1:]}" for w in warnings]
    return "\n".join(lines) + "\n"


def _corrected(survey: Survey, name: str, half_width: float) -> str:
    """What the correction for those who do not follow costs."""
    if name not in survey.protected:
        return " (asked openly)"
    number = needed(survey, name, half_width)
    if number is None:
        return " if all follow the instructions; nothing would show whether they do (ask an anchor)"
    return f" if all follow the instructions; {number:,} if 10 of 100 do not, and it is corrected"


def for_respondents(survey: Survey) -> list[str]:
    """What the form says of each question, and what can stand in an invitation."""
    told = promises(survey, read_strings("en"))
    return [f"“{question(survey, name)}” {' '.join(told[name])}" for name in survey.names]


def _joint(survey: Survey) -> str:
    """What the reports of one person tell together, where she gives several.

    >>> spec = {"mechanism": "warner", "p": 0.75, "attributes": ["A", "B"]}
    >>> _joint(Survey({"A": [0, 1], "B": [0, 1]}, [spec]))
    ' Answers that go together tell of each other, too: all protected reports of one person have ε = 2.20.'
    """
    hidden = [name for name in survey.protected if name not in survey.known]
    if len(hidden) < 2:
        return ""
    epsilon = scheme_of(survey).epsilon(domain=survey.domain.only(hidden))
    told = f"{epsilon:.2f}" if math.isfinite(epsilon) else "infinite"
    return f" Answers that go together tell of each other, too: all protected reports of one person have ε = {told}."


def for_a_board(survey: Survey) -> list[str]:
    """What is collected, what is not, and what a leak would tell."""
    told = [
        (
            f"{len(survey.protected)} of {len(survey.names)} questions are protected by randomized response; the "
            "disguise happens in the respondent's mind or on her own device, before anything is sent."
        ),
        (
            "Protected answers are disguised before anything is sent, and then forgotten. Kept are the reports and a "
            "random number for each, by which a report is counted once; no address, no time, no order."
        ),
        f"If all reports leaked, each would say no more about its own answer than the numbers above.{_joint(survey)}",
        f"The scheme is public: its fingerprint is {survey.fingerprint}.",
    ]
    open_ = [name for name in survey.names if name not in survey.protected]
    if open_:
        told.append(
            f"Sent as given: {listed(open_)}. Together with other data these may identify a person."
        )
    return told
