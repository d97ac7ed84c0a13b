"""What a chapter shows: cards, verdict tables, figures, banner and provenance, as plain HTML.

The forms stand in `cards.html`, the styles in `book/_static/ppdm.css` and `site.css`; without them the parts
still read well. A claim's evidence has the anchor `claim-<id>`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, FileSystemLoader

from ppdm.data import in_words
from ppdm.study import history, ledger
from ppdm.study.claims import NOT_DECIDED, STYLES, VERDICTS, Claim
from ppdm.study.rates import AGAIN, JUST, OURS, PRINTED
from ppdm.study.rules import PERCENT, interval, short, untestable
from ppdm.study.verdicts import Decision

FOLD = 6  # a printed table with more numbers than this is one line in the verdict table


class Html:
    """A piece of a page, with a plain text for those who see no HTML."""

    def __init__(self, html: str, text: str):
        self.html, self.text = str(html), text

    def __repr__(self) -> str:
        return self.text

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
    environment.filters |= {f.__name__: f for f in (in_words, inline, interval, turned)}
    environment.globals |= {"styles": STYLES, "statuses": history.STATUSES}
    return environment.get_template("cards.html").module


def verdict(text: str, count: int | None = None) -> str:
    """The coloured label of a verdict, with a number in front where many are counted."""
    return str(_forms().verdict(text, count))


# One claim ----------------------------------------------------------------------------------------


class Card(Html):
    """One decided claim, with the anchor `claim-<id>`."""

    def __init__(self, decision: Decision):
        super().__init__(card(decision), repr(decision))
        self.decision = decision


def card(decision: Decision) -> str:
    """One decided claim in plain words; its rule, margin, controls and history are folded."""
    finding, at = decision.finding, None
    if finding and finding.limits and decision.claim.rule not in ("exact", "identity"):
        at = strip(decision)
    said = (turned(decision), variations(decision), erring(decision))
    return str(_forms().card(decision, *said, at))


def turned(decision: Decision) -> str:
    """The first line of a card that one other interpretation turns over; empty for all others.

    Pairs of them are left to the sentence about variations.
    """
    single = [f"\u201c{name}\u201d" for name in decision.turned if " + " not in name]
    return f"Depends on the interpretation: another verdict with {_and(single)}." if single else ""


def variations(decision: Decision) -> str:
    """In how many variations the verdict is the same, and in which it is another, for people.

    Each other interpretation is one, and each draw of chance by itself.
    """
    if not decision.decided:
        return ""
    if not decision.others:
        return f"Decided once: {decision.claim.one_world}." if decision.claim.one_world else ""
    counts, single = decision.counts, decision.draws
    text = f"Same verdict in {counts['same']} of {counts.total()} variations"
    text += f", {counts['cannot tell']} cannot tell" * (counts["cannot tell"] > 0)
    names = [f"\u201c{name}\u201d" for name in decision.turned]
    if names:
        text += f"; another with {_and(names[:4] + [f'{len(names) - 4} more'] * (len(names) > 4))}"
    turning = sum(decision.beside(w) == "other" for w in single)
    if turning:
        text += f"; another in {turning} of {len(single)} draws ({single[0].name.rsplit(' ', 1)[0]}) taken alone"
    return text + "."


def erring(decision: Decision) -> str:
    """How often the rule errs on this evidence, for people; empty where it weighs no chance.

    >>> times(0.976), times(0.012)
    ('98 times in 100', '1 time in 100')
    """
    if decision.rates is None or not decision.decided:
        return ""
    true, false, of = decision.rates
    return _ERRING[of].format(
        times(true if of != AGAIN else 1 - true), times(false if of != AGAIN else 1 - false)
    )


_ERRING = {
    JUST: "A claim that is just true passes {}, one that is false by the margin {}.",
    OURS: "A claim as true as this looks passes {}, one that is false by the margin {}.",
    AGAIN: "A true claim is refused {}, one as far off as this {}.",
    PRINTED: "A number drawn as ours passes {}, one of a neighbouring setting {}.",
}


def times(share: float) -> str:
    """A share of worlds in words."""
    number = round(100 * share)
    return f"{number} time{'s' * (number != 1)} in 100"


def _and(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]


# A small picture of a verdict: our interval, the threshold, and the other worlds ------------------

WIDTH, EDGE = 320, 12
LETTER = 7  # of a threshold's name, across
REACH = 4.0  # worlds further away than this many times our own span stand at the edge


def strip(decision: Decision) -> SimpleNamespace:
    """Where things stand in the picture: thresholds, our number (ours, low, high), a dot a variation.

    Filled dots are variations in which the verdict is the same, rings those in which it is another, small ones
    cannot tell; crosses are negative controls.
    """
    finding, unit = decision.finding or untestable(), decision.claim.unit
    ours, low, high = (float(finding.ours or 0.0) if x is None else x for x in finding[1:4])
    kinds = [(w, decision.beside(w).replace("cannot tell", "unsure")) for w in decision.others]
    kinds += [(w, "plant") for w in decision.plants]
    known = [
        (w.name, w.finding.ours, kind)
        for w, kind in kinds
        if w.finding and w.finding.ours is not None
    ]
    edges = list(dict.fromkeys(finding.limits))
    at = _scale([ours, low, high, *edges], [x for _, x, _ in known], abs(ours))
    scale = 100 if unit in PERCENT else 1
    threshold = " and ".join(dict.fromkeys(short(scale * edge, 6) for edge in edges))
    ends = [scale * x for _, x, kind in known if kind != "plant"]
    said = f"Ours {short(scale * ours, 3)}"
    said += f" ({short(scale * low, 3)} to {short(scale * high, 3)})" if low != high else ""
    said += f"; threshold {threshold}"
    if ends:
        said += f"; {len(ends)} variations, {short(min(ends), 3)} to {short(max(ends), 3)}"
    places, half = [at(edge) for edge in edges], LETTER * len(threshold) / 2
    middle = min(max(sum(places) / len(places), half), WIDTH - half)  # a name stays inside
    return SimpleNamespace(
        width=WIDTH, edge=EDGE, said=said, ours=at(ours), low=at(low), high=at(high),
        limits=places, names=[(middle, threshold)],
        worlds=[(at(x), kind, f"{name}: {short(x)}") for name, x, kind in known],
    )  # fmt: skip


def _scale(own: list[float], others: list[float], size: float) -> Callable[[float], float]:
    """From a number to its place: all of our own is shown, of the others what is not far off."""
    reach = REACH * ((max(own) - min(own)) or size or 1.0)
    near = own + [x for x in others if min(own) - reach <= x <= max(own) + reach]
    pad = 0.06 * ((max(near) - min(near)) or 1.0)
    start, width = min(near) - pad, max(near) - min(near) + 2 * pad
    return lambda x: round(EDGE + min(max((x - start) / width, 0.0), 1.0) * (WIDTH - 2 * EDGE), 1)


# Many claims --------------------------------------------------------------------------------------


def _caption(decisions: Iterable[Decision]) -> str:
    return f"{ledger.summary(decisions).capitalize()}."


def cards(decisions: list[Decision]) -> Html:
    """Many verdicts as one table, a row and an anchor each.

    The reason stands under its claim, and a column of printed numbers only where there are any.
    """
    rows = [(d, turned(d), variations(d), erring(d)) for d in decisions]
    return Html(_forms().cards(rows, _caption(decisions)), "\n".join(map(repr, decisions)))


def verdicts(decisions: list[Decision]) -> Html:
    """The table for the top of the page; a large printed table is one line of it."""
    families = defaultdict(list)
    for d in decisions:
        families[d.claim.family or d.claim.id].append(d)
    rows = []
    for members in families.values():
        counts = Counter(d.verdict for d in members)
        rows.append((members, [(v, counts[v]) for v in (*VERDICTS, NOT_DECIDED) if counts[v]]))
    lines = [f"{d.claim.id}: {d.verdict}" for d in decisions] or [_caption(decisions)]
    return Html(_forms().verdicts(rows, _caption(decisions), FOLD), "\n".join(lines))


def folded(piece: Html, summary: str) -> Html:
    """A piece of a page behind a line that opens it."""
    return Html(_forms().folded(piece.html, summary), piece.text)


def elsewhere(known: Iterable[Claim], stem: str) -> Html:
    """Claims that the page `stem` decides: a line each, with the anchor of a card.

    Whoever comes with the old address of a card is led on by `site.js`, or by the line itself.
    """
    known = list(known)
    return Html(_forms().elsewhere(known, stem), "\n".join(f"{c.id}: see {stem}" for c in known))


# The rest of a page -------------------------------------------------------------------------------


def banner(below: str) -> Html:
    """What stands at the top of a page that was built below the paper's size."""
    text = f"Quick run: {below}. Numbers on this page are rougher than the paper's own size gives, "
    text += "and rules that need the full size decide nothing."
    return Html(_forms().banner(text), text)


def changed(sentences: list[str]) -> Html:
    """The verdicts that differ from the expected ones, a sentence each."""
    said = "Verdicts that are not the expected ones:"
    return Html(_forms().changed(said, sentences), "\n".join([said, *sentences]))


def figure(
    drawing: str, number: int, name: str, caption: str, files: dict[str, str] | None = None
) -> Html:
    """`drawing` is an element that carries the alternative text; `files` lead to it and its data."""
    return Html(
        _forms().figure(drawing, number, name, caption, files), f"Figure {number}. {caption}"
    )


def provenance(facts: dict[str, str]) -> Html:
    """The block at the end of a page: how it was made."""
    return Html(_forms().provenance(facts), "\n".join(f"{k}: {v}" for k, v in facts.items()))
