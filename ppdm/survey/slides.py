"""Slides for a first lecture with a survey of one's own: one HTML file, a screen a slide.

Every number on them is that of the survey file: the chances of its coin, what the class would say if
nobody had done it, how wide the interval is. What to say stands below the slide where it is asked for.
"""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files
from string import Template
from typing import NamedTuple
from urllib.parse import urlsplit

from scipy.special import ndtri

from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.survey.form import question
from ppdm.table import listed

_STYLE = """
:root { color-scheme: light; --ink: #0b57b7; }
html { scroll-snap-type: y proximity; }
body { margin: 0; font: 2.2vw/1.35 system-ui, sans-serif; color: #1f2328; background: #fff; }
section { min-height: 100vh; box-sizing: border-box; padding: 6vh 7vw; display: flex; flex-direction: column;
          justify-content: center; scroll-snap-align: start; break-after: page; }
h1 { font-size: 4.4vw; line-height: 1.15; margin: 0 0 3vh; }
h2 { font-size: 3.4vw; line-height: 1.2; margin: 0 0 3vh; }
p, table { margin: 0 0 2vh; } em { color: var(--ink); font-style: normal; font-weight: 600; }
.formula { font-size: 3.6vw; font-family: Georgia, serif; }
.address { font-size: 3vw; overflow-wrap: anywhere; }
aside { border-top: 2px solid #767f8a; padding-top: 1.5vh; font-size: 1.5vw; color: #414952; }
table { border-collapse: collapse; align-self: flex-start; }
th, td { text-align: right; padding: 0.4vh 3vw 0.4vh 0; font-variant-numeric: tabular-nums; }
svg.qr { width: min(46vh, 40vw); height: auto; }
.invite svg.qr { width: min(66vh, 60vw); }
@page { size: 16in 9in; margin: 0; }
"""
#: Draws the code of an address; without a script the address stands there in letters.
_DRAW = """
"use strict";
for (const place of document.querySelectorAll("[data-qr]")) {
  const rows = ppdmQR.modules(place.dataset.qr.toUpperCase()), size = rows.length + 8;
  const SVG = "http://www.w3.org/2000/svg", svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [name, value] of Object.entries({
    viewBox: `0 0 ${size} ${size}`, role: "img", class: "qr", "aria-label": `QR: ${place.dataset.qr}` })) {
    svg.setAttribute(name, value);
  }
  path.setAttribute("d", rows.flatMap((row, y) =>
    row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join(""));
  svg.style.background = "#fff";
  svg.append(path);
  place.append(svg);
}
"""
#: Sizes of a class for which the width of the interval is told.
_CLASSES = (25, 50, 100, 200, 1000)
#: The letters of an address that the form's QR code can write.
_LONGEST = 100


class Coin(NamedTuple):
    """What the device makes of a yes-or-no answer."""

    question: str
    yes: str
    no: str
    if_yes: float  # P(report yes | true yes)
    if_no: float  # P(report yes | true no)

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
    Coin(question='A', yes='yes', no='no', if_yes=0.75, if_no=0.25)
    """
    scheme = scheme_of(survey)
    for name in survey.protected:
        domain = survey.domain.only([name])
        if domain.shape == (2,) and scheme.reports.only([name]).levels == domain.levels:
            M, (no, yes) = scheme.matrix(domain), domain.levels[0]
            return Coin(question(survey, name), str(yes), str(no), float(M[1, 1]), float(M[1, 0]))
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
        _check(address)
    body = Template(_part("lecture.html")).substitute(_words(survey, address))
    if not notes:
        body = re.sub(r"<aside>.*?</aside>", "", body)
    title = escape(survey.title or "A first lecture")
    return _page(title, body, "")


def invitation(survey: Survey) -> str:
    """The page that a lecture's server shows to the room: where to go, in letters and as a QR code."""
    title = escape(survey.title or "Survey")
    body = f'<section class="invite"><h1>{title}</h1>\n<p class="address" id="there"></p><div id="code"></div></section>\n'
    own = (
        'const there = document.getElementById("there");\nthere.textContent = `${location.origin}/`;\n'
        'document.getElementById("code").dataset.qr = there.textContent;'
    )
    return _page(title, body, own)


def _page(title: str, body: str, script: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n"
        f"<script>{_part('qr.js')}{script}{_DRAW}</script>\n</body>\n</html>\n"
    )


def _part(name: str) -> str:
    return (files("ppdm.survey") / name).read_text(encoding="utf-8")


def _check(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
        raise ValueError(
            f"the form's address is that of a server, as http://192.168.1.20:8000/; got {address!r}"
        )
    if len(address) > _LONGEST or not address.isascii():
        raise ValueError(
            f"an address of plain letters, {_LONGEST} at most, is needed; got {address!r}"
        )


def _words(survey: Survey, address: str | None) -> dict[str, str]:
    """What the template leaves open."""
    coin = coin_of(survey)
    there = escape(address or "the address on the screen", quote=True)
    widths = "".join(
        f'<tr><th scope="row">{n:,}</th><td>± {100 * coin.half_width(n):.0f} points</td></tr>'
        for n in _CLASSES
    )
    return {
        "question": escape(coin.question),
        "yes": f"“{escape(coin.yes)}”",
        "no": f"“{escape(coin.no)}”",
        "if_yes": _chance(coin.if_yes),
        "if_no": _chance(coin.if_no),
        "a": _number(coin.if_yes),
        "b": _number(coin.if_no),
        "gain": _number(coin.if_yes - coin.if_no),
        "worse": f"{1 / abs(coin.if_yes - coin.if_no):.3g}",
        "there": there,
        "code": f'<div data-qr="{there}"></div>' if address else "",
        "live": f"{there.rstrip('/')}/live" if address else "the live page",
        "widths": widths,
    }


_NAMED = {
    1 / 4: "one quarter",
    1 / 3: "one third",
    1 / 2: "one half",
    2 / 3: "two thirds",
    3 / 4: "three quarters",
}


def _chance(p: float) -> str:
    """A chance in words where it has a name.

    >>> _chance(0.25), _chance(0.85)
    ('one quarter', '85 %')
    """
    close = next((word for value, word in _NAMED.items() if abs(p - value) < 1e-9), None)
    return close or f"{100 * p:.3g} %"


def _number(p: float) -> str:
    return f"{p:.3g}".replace("-", "−")
