"""Real devices: what a respondent does with a die, a birthday or a number in place of her browser's chance.

What she does with it is the mechanism's. Each procedure is a function of its protection and its answers, of
what may happen with given chances, and of the words; it gives the ways in which the question may be asked (chance
says in which: two for a mechanism of two halves), each as sentences and the answers that she may give. The
answers of all ways in a row are the reports. What she tells the page is the report: the page draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

#: Days of the month up to this one come in every month, so their share is known.
_EVERY_MONTH, _YEAR = 28, 365.2425
#: A birthday stands for a probability that it meets to this.
_CLOSE = 0.0005
Spec = Mapping[str, Any]
Words = Mapping[str, str]
#: What may happen with these chances, in words, in their order; nothing for a chance of 0.
When = Callable[[Sequence[float]], list[str]]


class Device(NamedTuple):
    """What a respondent has at hand: the key of the sentence about it, and what may happen with it."""

    think: str
    events: Callable[[Sequence[float], Words], list[str]]


def instructions(
    spec: Spec, name: str, levels: Sequence, words: Words, device: str = "browser"
) -> dict[str, Any]:
    """How a question is asked; nothing where the page draws the report from her true answer.

    >>> from ppdm.survey.form import read_strings
    >>> spec = {"mechanism": "warner", "p": 4 / 6}
    >>> asked = instructions(spec, "A", ["no", "yes"], read_strings("en"), "dice")
    >>> asked["ways"][0]["hints"][0].split(". ")[1:]
    ['If it shows 1–4, give your true answer', 'If it shows 5–6, give the opposite.']
    """
    mechanism = spec["mechanism"]
    if drawn(spec, device):
        return {}
    if mechanism not in PROCEDURES:
        raise ValueError(
            f"with {device} {name!r} can be protected by {', '.join(PROCEDURES)}, not by {mechanism}"
        )
    at_hand = DEVICES[IN_MIND[mechanism] if device == "browser" else device]
    absent = [level for level in levels if level == spec.get("absent", levels)]
    lines = PROCEDURES[mechanism](
        spec,
        levels[: len(levels) - len(absent)],
        lambda chances: at_hand.events(chances, words),
        words,
    )
    ways: list[dict[str, Any]] = [
        {
            "chance": 1 / len(lines),
            "hints": [" ".join([words[at_hand.think], *texts])],
            "options": [*options, *absent],
        }
        for texts, options in lines
    ]
    labels = [option for way in ways for option in way["options"]]
    return {"ways": ways, "labels": labels}


def drawn(spec: Spec, device: str) -> bool:
    """Whether the page draws the report; else the respondent does, in her mind."""
    return device == "browser" and spec["mechanism"] not in IN_MIND


# What is done with it: for each way to ask, sentences and answers ------------------------------------

Lines = list[tuple[list[str], Sequence]]


def _warner(spec: Spec, levels: Sequence, when: When, words: Words) -> Lines:
    """The truth, or its opposite."""
    events = zip(("truth_if", "other_if"), when([spec["p"], 1 - spec["p"]]), strict=True)
    return [([words[key].format(event=event) for key, event in events if event], levels)]


def _forced(chances: Mapping[Any, float], levels: Sequence, when: When, words: Words) -> list[str]:
    """The truth (None), or the answer that is said."""
    return [
        words["truth_if" if level is None else "forced_if"].format(event=event, answer=level)
        for level, event in zip(chances, when(list(chances.values())), strict=True)
        if event
    ]


def _forced_response(spec: Spec, levels: Sequence, when: When, words: Words) -> Lines:
    chances = {None: spec["truth"], **dict(zip(levels, spec["forced"], strict=True))}
    return [(_forced(chances, levels, when, words), levels)]


def _cheating_detection(spec: Spec, levels: Sequence, when: When, words: Words) -> Lines:
    """[Clark & Desharnais 1998] Two halves: those who never say yes show, since they say it in neither."""
    halves = [{None: 1 - forced, levels[1]: forced} for forced in spec["halves"]]
    return [(_forced(chances, levels, when, words), levels) for chances in halves]


def _triangular(spec: Spec, levels: Sequence, when: When, words: Words) -> Lines:
    """[Yu, Tian & Tang 2008] Two questions at once: is there a yes among the answers?"""
    options = [words[key].format(yes=levels[1], no=levels[0]) for key in ("none", "some")]
    return [([words["two"].format(event=when([spec["p"], 1 - spec["p"]])[0])], options)]


def _crosswise(spec: Spec, levels: Sequence, when: When, words: Words) -> Lines:
    """[Yu, Tian & Tang 2008] Two questions at once: both or neither, or exactly one? Nobody lies."""
    options = [words[key].format(yes=levels[1], no=levels[0]) for key in ("one", "both")]
    events = when([spec["p"], 1 - spec["p"]])
    ways = events if spec["mechanism"] == "extended-crosswise" else events[:1]
    return [([words["two"].format(event=event)], options) for event in ways]


PROCEDURES: Mapping[str, Callable[[Spec, Sequence, When, Words], Lines]] = {
    "warner": _warner,
    "forced-response": _forced_response,
    "triangular": _triangular,
    "crosswise": _crosswise,
    "extended-crosswise": _crosswise,
    "cheating-detection": _cheating_detection,
}
#: Mechanisms that ask in more than one way, by chance.
HALVES = {"extended-crosswise": 2, "cheating-detection": 2}
#: Mechanisms that only a respondent herself can carry out, and with what, if nothing is said.
IN_MIND = {"crosswise": "birthday", "extended-crosswise": "birthday", "cheating-detection": "dice"}


# What may happen ------------------------------------------------------------------------------------


def _equal(sides: int, first: int, key: str, what: str) -> Callable:
    """Numbers from `first` on, all equally likely."""

    def events(chances: Sequence[float], words: Words) -> list[str]:
        texts, last = [], first - 1
        for chance in chances:
            number = round(chance * sides)
            if abs(chance * sides - number) > 1e-6:
                raise ValueError(
                    f"{what}: a chance must be a multiple of 1/{sides}; got {chance:g}, and {number}/{sides} "
                    f"is written {number / sides:.7g}"
                )
            start, last = last + 1, last + number
            span = str(last) if start == last else f"{start}–{last}"
            texts.append(words[key].format(range=span) if number else "")
        return texts

    return events


def _birthday(chances: Sequence[float], words: Words) -> list[str]:
    """Days of the month; what is left over has the last chance."""
    texts, before, total = [], 0, 0.0
    for chance in chances[:-1]:
        total += chance
        day = _day(total) if chance else before
        span = str(day) if day == before + 1 else f"{before + 1}–{day}"
        texts.append(words["on_day"].format(range=span) if chance else "")
        before = day
    return [*texts, words["from_day"].format(day=before + 1) if chances[-1] else ""]


def _day(p: float) -> int:
    """The day of the month up to which birthdays have the share p."""
    shares = {day: 12 * day / _YEAR for day in range(1, _EVERY_MONTH + 1)}
    nearest = min(shares, key=lambda day: abs(shares[day] - p))
    if abs(shares[nearest] - p) > _CLOSE:
        raise ValueError(
            f"no day of the month has the share p = {p:g}; day {nearest} has {shares[nearest]:.4f}: "
            "write that for p"
        )
    return nearest


#: What a respondent may have at hand; with "browser" the page draws, if the mechanism lets it.
DEVICES = {
    "dice": Device("roll", _equal(6, 1, "shows", "a die has six faces")),
    "birthday": Device("birthday", _birthday),
    "digit": Device("digit", _equal(10, 0, "ends", "a last digit is one of ten")),
}
