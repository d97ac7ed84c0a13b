"""Slides for a first lecture with a survey of one's own: one HTML file, a screen a slide.

Every number on them is that of the survey file: the chances of its coin, what the class would say if
nobody had done it, how wide the interval is. What to say stands below the slide where it is asked for.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from scipy.special import ndtri

from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.domain import listed
from ppdm.survey.form import question
from ppdm.survey.pages import render

#: Sizes of a class for which the width of the interval is told.
_CLASSES = (25, 50, 100, 200, 1000)
#: The letters of an address that is easily scanned.
_LONGEST = 100
_NAMED = {
    0.25: "one quarter", 0.3333: "one third", 0.5: "one half", 0.6667: "two thirds", 0.75: "three quarters",
}  # fmt: skip


class Coin(NamedTuple):
    """What the device makes of a yes-or-no answer."""

    question: str
    yes: str
    no: str
    if_yes: float  # P(report yes | true yes)
    if_no: float  # P(report yes | true no)
    told: bool = True  # whether a report is an answer; else it only speaks for one

    def half_width(self, respondents: int, level: float = 0.95) -> float:
        """Half of the interval at the worst share, as `ppdm survey new` counts it.

        >>> round(Coin("?", "yes", "no", 0.75, 0.25).half_width(200), 3)
        0.139
        """
        z = float(ndtri((1 + level) / 2))
        return z / (2 * abs(self.if_yes - self.if_no) * respondents**0.5)


def coin_of(survey: Survey) -> Coin:
    """The first protected question with two answers.

    >>> coin_of(Survey({"A": ["no", "yes"]}, [{"mechanism": "warner", "p": 0.75, "attributes": ["A"]}]))
    Coin(question='A', yes='yes', no='no', if_yes=0.75, if_no=0.25, told=True)
    """
    scheme = scheme_of(survey)
    for name in survey.protected:
        domain = survey.domain.only([name])
        if domain.shape != (2,):
            continue
        M, (no, yes) = scheme.matrix(domain), domain.levels[0]
        told = scheme.reports.only([name]).levels == domain.levels
        says = np.array([False, True]) if told else M[:, 1] > M[:, 0]
        if_no, if_yes = map(float, M[says].sum(axis=0))
        return Coin(question(survey, name), str(yes), str(no), if_yes, if_no, told)
    raise ValueError(
        "slides need a protected question with two answers; protected is "
        f"{listed(survey.protected) or 'none'}"
    )


def slides(survey: Survey, address: str | None = None, notes: bool = False) -> str:
    """The deck as one HTML text; `address` is where the form is served, `notes` adds what to say.

    >>> survey = Survey({"A": ["no", "yes"]}, [{"mechanism": "warner", "p": 0.75, "attributes": ["A"]}])
    >>> page = slides(survey)
    >>> page.count("<section"), "one quarter" in page, "<aside>" in page
    (10, True, False)
    """
    if address is not None:
        check_address(address)
    coin = coin_of(survey)
    gain = coin.if_yes - coin.if_no
    return render(
        "slides", title=survey.title or "A first lecture", coin=coin, address=address, notes=notes,
        if_yes=_chance(coin.if_yes), if_no=_chance(coin.if_no), a=_number(coin.if_yes),
        b=_number(coin.if_no), gain=_number(gain), worse=f"{1 / abs(gain):.3g}",
        widths=[(number, f"{100 * coin.half_width(number):.0f}") for number in _CLASSES],
    )  # fmt: skip


def check_address(address: str) -> None:
    """Refuse what is no address of a server, or too long for a code that is scanned from a screen."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
        raise ValueError(
            f"the form's address is that of a server, as http://192.168.1.20:8000/; got {address!r}"
        )
    if len(address) > _LONGEST or not address.isascii():
        raise ValueError(
            f"an address of plain letters, {_LONGEST} at most, is needed; got {address!r}"
        )


def _chance(p: float) -> str:
    """A chance in words where it has a name.

    >>> _chance(0.25), _chance(0.85)
    ('one quarter', '85 %')
    """
    return _NAMED.get(round(p, 4), f"{100 * p:.3g} %")


def _number(p: float) -> str:
    return f"{p:.3g}".replace("-", "−")
