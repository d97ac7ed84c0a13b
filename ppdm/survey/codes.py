"""A report as a short code that can be read out, typed, scanned and checked.

A code is letters and digits that are not mistaken for each other (Crockford's 32), in four parts:

    survey   3   from the survey's fingerprint: a code of another survey is told apart
    number   6   drawn by the respondent's device, so that each report is counted once
    report   k   what she sends, the reported levels as one number
    check    2   the rest as a number, modulo 1021

1021 is prime, so every single wrong letter and every swap of two neighbours changes the check; other
errors pass one time in a thousand. The form's script writes the same codes (`form.js`).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from ppdm.contract import Survey
from ppdm.disguise import scheme_of

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SURVEY, NUMBER, CHECK = 3, 6, 2
MODULUS = 1021
_READ = {letter: i for i, letter in enumerate(ALPHABET)} | {"O": 0, "I": 1, "L": 1}
#: No code is longer than this: its QR code has to be read from a telephone.
LONGEST = 150


class Report(NamedTuple):
    """What a code says: the respondent's random number, and the reported levels in order."""

    number: str
    levels: tuple

    @property
    def key(self) -> str:
        """Two codes of one key are one respondent's."""
        return self.number


class Codes:
    """The codes of one survey.

    >>> survey = Survey({"smokes": ["no", "yes"]},
    ...                 [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}])
    >>> codes = Codes(survey)
    >>> code = codes.write(("yes",), number="000000")
    >>> codes.read(code.lower())
    Report(number='000000', levels=('yes',))
    """

    def __init__(self, survey: Survey):
        self.survey = survey
        self.levels = scheme_of(survey).reports.levels
        self.size = reduce(lambda size, levels: size * len(levels), self.levels, 1)
        self.length = 1
        while 32**self.length < self.size:
            self.length += 1
        self.sign = _letters(int(survey.fingerprint, 16) % 32**SURVEY, SURVEY)
        if self.whole > LONGEST:
            raise ValueError(
                f"a code of these {len(self.levels)} questions would have {self.whole} letters, "
                f"and at most {LONGEST} can be scanned: ask fewer"
            )

    @property
    def whole(self) -> int:
        """The letters of a code."""
        return SURVEY + NUMBER + self.length + CHECK

    def write(self, levels: Sequence, number: str | None = None) -> str:
        """The code of a report; its number is random unless given."""
        if number is None:
            number = _letters(secrets.randbelow(32**NUMBER), NUMBER)
        value = 0
        for level, known in zip(levels, self.levels, strict=True):
            value = value * len(known) + known.index(level)
        text = self.sign + number + _letters(value, self.length)
        return grouped(text + _letters(_value(text) % MODULUS, CHECK))

    def read(self, code: str) -> Report:
        """The report behind a code; a code that is damaged or belongs elsewhere is refused."""
        text = clean(code)
        if len(text) != self.whole:
            raise ValueError(
                f"a code of this survey has {self.whole} letters; this one {len(text)}"
            )
        body, check = text[:-CHECK], text[-CHECK:]
        if _value(body) % MODULUS != _value(check):
            raise ValueError("the code is damaged: a letter is wrong, or two are swapped")
        if body[:SURVEY] != self.sign:
            raise ValueError("the code belongs to another survey")
        value = _value(body[SURVEY + NUMBER :])
        if value >= self.size:
            raise ValueError("the code says an answer that this survey does not have")
        levels = []
        for known in reversed(self.levels):
            value, place = divmod(value, len(known))
            levels.append(known[place])
        return Report(body[SURVEY : SURVEY + NUMBER], tuple(reversed(levels)))


def clean(code: str) -> str:
    """The letters of a code as they were meant: no spaces and dashes, O for 0, I and L for 1.

    >>> clean("o1l7-zz")
    '0117ZZ'
    """
    if not isinstance(code, str):
        raise ValueError(f"a code is text; got {type(code).__name__}")
    letters = [letter for letter in code[: 4 * LONGEST].upper() if letter not in " -\t\r\n"]
    wrong = next((letter for letter in letters if letter not in _READ), None)
    if wrong is not None:
        raise ValueError(f"{wrong!r} is no letter of a code")
    return "".join(ALPHABET[_READ[letter]] for letter in letters)


def grouped(text: str) -> str:
    """Fours, as one reads them out.

    >>> grouped("ABCDEFGHJK")
    'ABCD-EFGH-JK'
    """
    return "-".join(text[i : i + 4] for i in range(0, len(text), 4))


def _letters(value: int, length: int) -> str:
    return "".join(ALPHABET[(value >> (5 * i)) & 31] for i in reversed(range(length)))


def _value(text: str) -> int:
    return reduce(lambda value, letter: value * 32 + _READ[letter], text, 0)
