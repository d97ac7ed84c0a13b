"""What a chapter shows: cards, verdict tables, figures, banner and provenance, as plain HTML.

The forms stand in `cards.html`, the styles in `book/_static/ppdm.css` and `site.css`; without them the parts
still read well. A claim's evidence has the anchor `claim-<id>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import escape, unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader

from ppdm.data import in_words
from ppdm.study import history, ledger
from ppdm.study.claims import STYLES, Claim
from ppdm.study.rules import AGAIN, JUST, OURS, PERCENT, PRINTED, interval, short, untestable
from ppdm.study.verdicts import Decision


class Html:
    """A piece of a page, with a plain text for those who see no HTML: its own words, if no other are given."""

    def __init__(self, html: str, words: str = ""):
        self.html, self.words = str(html), words

    def __repr__(self) -> str:
        lines = re.sub(r"</(p|tr|dd|li)>", "\n", self.html)
        return self.words or unescape(re.sub(r"<[^>]*>", " ", lines)).strip()

    def _repr_html_(self) -> str:
        return self.html


_MARKS = (
    (r"`([^`]+)`", r"<code>\1</code>"),
    (r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>"),
    (r"\$([^$]+)\$", r'<span class="math notranslate nohighlight">\\(\1\\)</span>'),
)


def inline(text: str) -> str:
    """A sentence of a claims file as HTML: code in backticks, mathematics in dollars.

    >>> inline("P < `q` and $x_1$")
    'P &lt; <code>q</code> and <span class="math notranslate nohighlight">\\\\(x_1\\\\)</span>'

    Two symbols of the papers are set where they stand bare: `W_a` and `W_y`.
    """
    text = re.sub(r"(?<![$\w`])W_([ay])(?![\w$`])", r"$W_\1$", text)
    text = escape(text, quote=False)
    for mark, html in _MARKS:
        text = re.sub(mark, html, text)
    return text


@cache
def _forms() -> Any:
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    environment.filters |= {f.__name__: f for f in (in_words, inline, interval)}
    environment.globals |= {"styles": STYLES, "statuses": history.STATUSES}
    return environment.get_template("cards.html").module


def verdict(text: str, count: int | None = None) -> str:
    """The coloured label of a verdict, with a number in front where many are counted."""
    return str(_forms().verdict(text, count))


# One claim ----------------------------------------------------------------------------------------


class Card(Html):
    """One decided claim, with the anchor `claim-<id>`."""

    def __init__(self, decision: Decision):
        self.html, self.words, self.decision = card(decision), "", decision


def card(decision: Decision) -> str:
    """One decided claim in plain words; its rule, margin, controls and history are folded."""
    finding = decision.finding
    drawn = finding and finding.limits and decision.claim.rule not in ("exact", "identity")
    return str(_forms().card(decision, *said_of(decision), strip(decision) if drawn else None))


def said_of(decision: Decision) -> tuple[str, str, str]:
    """What is said of a decision: an interpretation that turns it over, its variations, how often its rule errs.

    A pair of interpretations is left to the second sentence. Each other interpretation is a variation, and each
    draw of chance by itself.
    """
    if not decision.decided:
        return "", "", ""
    counts, draws = decision.counts, decision.draws
    names = [f"\u201c{name}\u201d" for name in decision.turned]
    single = [name for name in names if " + " not in name]
    over = f"Depends on the interpretation: another verdict with {_and(single)}." if single else ""
    told = [f"Same verdict in {counts['same']} of {counts.total()} variations"] if counts else []
    if counts["cannot tell"]:
        told[0] += f", {counts['cannot tell']} cannot tell"
    if names:
        told.append(
            f"another with {_and(names[:4] + [f'{len(names) - 4} more'] * (len(names) > 4))}"
        )
    if turning := counts["other"] - len(names):
        told.append(
            f"another in {turning} of {len(draws)} draws ({draws[0].name.rsplit(' ', 1)[0]}) taken alone"
        )
    if not told and decision.claim.one_world:
        told.append(f"Decided once: {decision.claim.one_world}")
    erring = ""
    if decision.rates is not None:
        shares = (100 * (1 - x if decision.rates.of == AGAIN else x) for x in decision.rates[:2])
        times = (f"{x:.0f} time{'s' * (round(x) != 1)} in 100" for x in shares)
        erring = _ERRING[decision.rates.of].format(*times)
    return over, "; ".join(told) + "." * bool(told), erring


_ERRING = {
    JUST: "A claim that is just true passes {}, one that is false by the margin {}.",
    OURS: "A claim as true as this looks passes {}, one that is false by the margin {}.",
    AGAIN: "A true claim is refused {}, one as far off as this {}.",
    PRINTED: "A number drawn as ours passes {}, one of a neighbouring setting {}.",
}


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


# A small picture of a verdict: our interval, the threshold, and the other worlds ------------------

WIDTH, EDGE = 320, 12
LETTER = 7  # of a threshold's name, across
REACH = 4.0  # worlds further away than this many times our own span stand at the edge


def strip(decision: Decision) -> SimpleNamespace:
    """Where things stand in the picture: thresholds, our number (ours, low, high), a dot a variation.

    Filled dots are variations in which the verdict is the same, rings those in which it is another, small ones
    cannot tell; crosses are negative controls.
    """
    finding = decision.finding or untestable()
    own = [float(finding.ours or 0.0) if x is None else x for x in finding[1:4]]
    kinds = [(w, says.replace("cannot tell", "unsure")) for w, says in decision.others]
    known = [
        (world.name, world.finding.ours, kind)
        for world, kind in [*kinds, *((plant, "plant") for plant in decision.plants)]
        if world.finding and world.finding.ours is not None
    ]
    # all of our own is shown, of the others what is not far off
    span = [*own, *finding.limits]
    reach = REACH * ((max(span) - min(span)) or abs(own[0]) or 1.0)
    near = span + [x for _, x, _ in known if min(span) - reach <= x <= max(span) + reach]
    pad = 0.06 * ((max(near) - min(near)) or 1.0)
    ends, edges = (min(near) - pad, max(near) + pad), (EDGE, WIDTH - EDGE)

    def at(x: float) -> float:
        return round(float(np.interp(x, ends, edges)), 1)

    scale = 100 if decision.claim.unit in PERCENT else 1
    threshold = " and ".join(dict.fromkeys(short(scale * limit, 6) for limit in finding.limits))
    ours, low, high = (short(scale * x, 3) for x in own)
    said = f"Ours {ours}{f' ({low} to {high})' if own[1] != own[2] else ''}; threshold {threshold}"
    if others := [scale * x for _, x, kind in known if kind != "plant"]:
        said += f"; {len(others)} variations, {short(min(others), 3)} to {short(max(others), 3)}"
    places, half = (
        [at(limit) for limit in dict.fromkeys(finding.limits)],
        LETTER * len(threshold) / 2,
    )
    middle = min(max(sum(places) / len(places), half), WIDTH - half)  # a name stays inside
    return SimpleNamespace(
        width=WIDTH, edge=EDGE, said=said, limits=places, names=[(middle, threshold)],
        **dict(zip(("ours", "low", "high"), map(at, own))),
        worlds=[(at(x), kind, f"{name}: {short(x)}") for name, x, kind in known],
    )  # fmt: skip


# Many claims --------------------------------------------------------------------------------------


def _caption(decisions: Iterable[Decision]) -> str:
    return f"{ledger.summary(decisions).capitalize()}."


def cards(decisions: list[Decision]) -> Html:
    """Many verdicts as one table, a row and an anchor each.

    The reason stands under its claim, and a column of printed numbers only where there are any.
    """
    rows = [(d, *said_of(d)) for d in decisions]
    return Html(_forms().cards(rows, _caption(decisions)))


def verdicts(decisions: list[Decision]) -> Html:
    """The table for the top of the page."""
    return Html(_forms().verdicts([(d, said_of(d)[0]) for d in decisions], _caption(decisions)))


def elsewhere(known: Iterable[Claim], stem: str) -> Html:
    """Claims that the page `stem` decides: a line each, with the anchor of a card.

    Whoever comes with the old address of a card is led on by `site.js`, or by the line itself.
    """
    return Html(_forms().elsewhere(list(known), stem))


def part(name: str, *content: Any, words: str = "") -> Html:
    """Another part of a page, by the name of its form: banner, changed, figure, folded, provenance."""
    return Html(getattr(_forms(), name)(*content), words)
