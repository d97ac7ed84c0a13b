"""A report as a short code that can be read out, typed, scanned and checked.

A code is letters and digits that are not mistaken for each other (Crockford's 32), in four parts:

    survey   3   from the survey's fingerprint: a code of another survey is told apart
    number   8   drawn by the respondent's device, so that each report is counted once
    report   k   what she sends, the reported levels as one number
    check    2   the rest as a number, modulo 1021

Of a million respondents two draw the same number with probability one third; of ten thousand, 1 in 20,000.
1021 is prime, so every single wrong letter and every swap of two neighbours changes the check; other
errors pass one time in a thousand. The form's script writes the same codes (`form.js`).
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ppdm.contract import Survey
from ppdm.disguise import scheme_of

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SURVEY, NUMBER, CHECK = 3, 8, 2
MODULUS = 1021
#: No code is longer than this: its QR code has to be read from a telephone.
LONGEST = 150
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"  # Python's, to the base 32
_TO_LETTERS = str.maketrans(_DIGITS, ALPHABET)
_TO_DIGITS = str.maketrans(ALPHABET, _DIGITS)
_MEANT = str.maketrans("OIL", "011", " -\t\r\n")


class Report(NamedTuple):
    """What a code says: the respondent's random number, and the reported levels in order."""

    number: str
    levels: tuple


class Codes:
    """The codes of one survey.

    >>> survey = Survey({"smokes": ["no", "yes"]},
    ...                 [{"mechanism": "warner", "p": 0.7, "attributes": ["smokes"]}])
    >>> codes = Codes(survey)
    >>> code = codes.write(("yes",), number="00000000")
    >>> codes.read(code.lower())
    Report(number='00000000', levels=('yes',))
    """

    def __init__(self, survey: Survey):
        self.levels = scheme_of(survey).reports.levels
        self.size = math.prod(map(len, self.levels))
        self.length = len(np.base_repr(self.size - 1, 32))
        self.sign = letters(int(survey.fingerprint, 16) % 32**SURVEY, SURVEY)
        self.whole = SURVEY + NUMBER + self.length + CHECK
        if self.whole > LONGEST:
            raise ValueError(
                f"a code of these {len(self.levels)} questions would have {self.whole} letters, "
                f"and at most {LONGEST} can be scanned: ask fewer"
            )

    def write(self, levels: Sequence, number: str | None = None) -> str:
        """The code of a report; its number is random unless given."""
        value = 0
        for level, known in zip(levels, self.levels, strict=True):
            value = value * len(known) + known.index(level)
        text = self.sign + (number or random_letters(NUMBER)) + letters(value, self.length)
        return grouped(text + letters(_value(text) % MODULUS, CHECK))

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
    text = code[: 4 * LONGEST].upper().translate(_MEANT)
    wrong = text.translate(dict.fromkeys(map(ord, ALPHABET)))
    if wrong:
        raise ValueError(f"{wrong[0]!r} is no letter of a code")
    return text


def grouped(text: str) -> str:
    """Fours, as one reads them out.

    >>> grouped("ABCDEFGHJK")
    'ABCD-EFGH-JK'
    """
    return "-".join(text[i : i + 4] for i in range(0, len(text), 4))


def random_letters(length: int) -> str:
    """So many letters of chance."""
    return letters(secrets.randbelow(32**length), length)


def letters(value: int, length: int) -> str:
    """A number in letters of a code.

    >>> letters(1021, 3)
    '0ZX'
    """
    return np.base_repr(value, 32).zfill(length).translate(_TO_LETTERS)


def _value(text: str) -> int:
    return int(text.translate(_TO_DIGITS), 32)
