"""Real devices: what a respondent does with a die or a birthday in place of her browser's chance.

A device is data. Each is a function of a protection, the question's name, its answers and the words; it gives

    hints      what to do, in sentences
    options    what she may tell the page, in the order of the reports
    labels     the same as the page shows it afterwards

or, where chance decides how to ask, `ways`: several hints with their options, each with its `chance`; their
options in a row are the reports. What she tells the page is the report: the page draws nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: Days of the month up to this one come in every month, so their share is known.
_EVERY_MONTH, _YEAR = 28, 365.2425
#: A birthday stands for a probability that it meets to this.
_CLOSE = 0.0005
Spec = Mapping[str, Any]
Words = Mapping[str, str]


def browser(spec: Spec, name: str, levels: Sequence, words: Words) -> dict[str, Any]:
    """The page's own chance: she gives her true answer, and the page draws the report."""
    return {}


def dice(spec: Spec, name: str, levels: Sequence, words: Words) -> dict[str, Any]:
    """A die: the truth at some faces, the opposite or a given answer at the others."""
    _check("dice", spec, name, ("warner", "forced-response"))
    if spec["mechanism"] == "warner":
        chances = [("p", "die_truth", spec["p"], ""), ("p", "die_other", 1 - spec["p"], "")]
    else:
        forced = zip(levels, spec["forced"], strict=True)
        chances = [("truth", "die_truth", spec["truth"], "")]
        chances += [("forced", "die_forced", chance, level) for level, chance in forced]
    texts, last = [words["roll"]], 0
    for key, sentence, chance, level in chances:
        first, last = last + 1, last + _sixths(chance, key)
        if last >= first:
            faces = str(first) if first == last else f"{first}–{last}"
            texts.append(words[sentence].format(faces=faces, answer=level))
    return _told(texts, levels, words)


def birthday(spec: Spec, name: str, levels: Sequence, words: Words) -> dict[str, Any]:
    """Somebody's birthday: the truth in the first days of a month, else the opposite."""
    _check("birthday", spec, name, ("warner",))
    return _told([words["birthday"].format(day=_day(spec["p"]))], levels, words)


def crosswise(spec: Spec, name: str, levels: Sequence, words: Words) -> dict[str, Any]:
    """[Yu, Tian & Tang 2008] Two questions at once: are both answers alike? Warner's matrix, and nobody lies.

    The last answer is reported where they are alike: with probability p if it is true, else 1 - p.
    """
    _check("crosswise", spec, name, ("warner",))
    options = [words[key].format(yes=levels[1], no=levels[0]) for key in ("unlike", "alike")]
    text = words["crosswise"].format(day=_day(spec["p"]), yes=levels[1], no=levels[0])
    return {"hints": [text], "options": options, "labels": options}


#: Who tosses the coins: the browser, or what the respondent has at hand.
DEVICES = {"browser": browser, "dice": dice, "birthday": birthday, "crosswise": crosswise}


def _told(texts: Sequence[str], levels: Sequence, words: Words) -> dict[str, Any]:
    return {"hints": [" ".join(texts), words["give"]], "options": levels, "labels": levels}


def _check(device: str, spec: Spec, name: str, fits: Sequence[str]) -> None:
    if spec["mechanism"] not in fits:
        raise ValueError(
            f"with {device} {name!r} can be protected by {' and '.join(fits)}, not by {spec['mechanism']}"
        )


def _sixths(chance: float, name: str) -> int:
    faces = round(chance * 6)
    if abs(chance * 6 - faces) > 1e-6:
        raise ValueError(
            f"a die has six faces: {name} must be a multiple of 1/6; got {chance:g}, and {faces}/6 is written "
            f"{faces / 6:.7f}"
        )
    return faces


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
