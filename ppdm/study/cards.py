"""What a chapter shows: cards, verdict tables, figures, banner and provenance, as plain HTML.

The forms stand in `cards.html`, the styles in `book/_static/ppdm.css` and `site.css`; without them the parts
still read well. A claim's evidence has the anchor `claim-<id>`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, FileSystemLoader

from ppdm.data import in_words
from ppdm.study import history, ledger
from ppdm.study.claims import NOT_DECIDED, STYLES, UNTESTABLE, VERDICTS, Claim
from ppdm.study.rules import PERCENT, interval, short
from ppdm.study.verdicts import Decision, World

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
    """One decided claim in plain words; its rule, tolerance, plants and history are folded."""
    finding, at = decision.finding, None
    if finding and finding.limits and decision.claim.rule not in ("exact", "identity"):
        beside = (decision.others, decision.plants, decision.verdict, decision.claim.unit)
        at = strip(finding[1:4], finding.limits, *beside)
    return str(_forms().card(decision, turned(decision), worlds_sentence(decision), at))


def turned(decision: Decision) -> str:
    """The first line of a card that one other reading turns over; empty for all others.

    Pairs of readings are left to the sentence about worlds.
    """
    single = [f"\u201c{name}\u201d" for name in decision.turned if " + " not in name]
    if not single or decision.verdict == NOT_DECIDED:
        return ""
    return f"Depends on the reading: otherwise with {_and(single)}."


def worlds_sentence(decision: Decision) -> str:
    """In how many worlds a verdict holds, and where it does not, for people.

    A world is counted for our own, each other reading, and each draw of chance by itself.
    """
    if decision.verdict in (NOT_DECIDED, UNTESTABLE):
        return ""
    others, once = decision.others, decision.claim.one_world
    if not others:
        return f"Decided once: {once}." if once else ""
    single = [w for w in decision.draws if w.verdict != decision.verdict]
    holds, text = 1 + sum(w.verdict == decision.verdict for w in others), ""
    if decision.turned:
        names = [f"\u201c{name}\u201d" for name in decision.turned]
        more = [f"{len(names) - 4} more"] if len(names) > 4 else []
        text += f"; fails with {_and(names[:4] + more)}"
    if single:
        noun = decision.draws[0].name.rsplit(" ", 1)[0]
        text += f"; fails in {len(single)} of {len(decision.draws)} draws ({noun}) taken alone"
    return f"Holds in {holds} of {1 + len(others)} worlds{text}."


def _and(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]


# A small picture of a verdict: our interval, the threshold, and the other worlds ------------------

WIDTH, EDGE = 320, 12
LETTER = 7  # of a threshold's name, across
REACH = 4.0  # worlds further away than this many times our own span stand at the edge


def strip(
    numbers: Sequence[float | None],
    limits: Sequence[float],
    worlds: Sequence[World] = (),
    plants: Sequence[World] = (),
    verdict: str = "",
    unit: str = "",
) -> SimpleNamespace:
    """Where things stand in the picture: thresholds, our number (ours, low, high), a dot a world.

    Filled dots are worlds in which the verdict is the same, rings those in which it is another,
    crosses wrong worlds (plants).

    >>> strip((0.08, 0.07, 0.09), (0.05,), unit="points").said
    'Ours 8 (7 to 9); threshold 5'
    """
    ours, low, high = (float(numbers[0] if x is None else x) for x in numbers)  # type: ignore[arg-type]
    asked = [(w, w.finding.ours, w in plants) for w in (*worlds, *plants) if w.finding]
    known = [(w, x, wrong) for w, x, wrong in asked if x is not None]
    at = _scale([ours, low, high, *limits], [x for _, x, _ in known], abs(ours))
    scale = 100 if unit in PERCENT else 1
    thresholds = _exact([scale * limit for limit in limits])
    ends = [scale * x for _, x, wrong in known if not wrong]
    said = f"Ours {short(scale * ours, 3)}"
    said += f" ({short(scale * low, 3)} to {short(scale * high, 3)})" if low != high else ""
    said += f"; threshold {' and '.join(thresholds)}"
    if ends:
        said += f"; {len(ends)} other worlds, {short(min(ends), 3)} to {short(max(ends), 3)}"
    kind = {True: "same", False: "other"}
    return SimpleNamespace(
        width=WIDTH, edge=EDGE, said=said, ours=at(ours), low=at(low), high=at(high),
        limits=[at(limit) for limit in limits],
        names=_labels([at(limit) for limit in limits], thresholds),
        worlds=[(at(x), "plant" if wrong else kind[w.verdict == verdict], f"{w.name}: {short(x)}")
                for w, x, wrong in known],
    )  # fmt: skip


def _scale(own: list[float], others: list[float], size: float) -> Callable[[float], float]:
    """From a number to its place: all of our own is shown, of the others what is not far off."""
    reach = REACH * ((max(own) - min(own)) or size or 1.0)
    near = own + [x for x in others if min(own) - reach <= x <= max(own) + reach]
    pad = 0.06 * ((max(near) - min(near)) or 1.0)
    start, width = min(near) - pad, max(near) - min(near) + 2 * pad
    return lambda x: round(EDGE + min(max((x - start) / width, 0.0), 1.0) * (WIDTH - 2 * EDGE), 1)


def _exact(limits: list[float]) -> list[str]:
    """The thresholds in figures, as many as show how far apart they are.

    >>> _exact([0.99, 1.01]), _exact([1 - 1e-6, 1 + 1e-6])
    (['0.99', '1.01'], ['0.999999', '1.000001'])
    """
    apart = max(limits) - min(limits)
    for digits in range(3, 16):
        names = [short(limit, digits) for limit in limits]
        off = [abs(float(name.replace(",", "")) - limit) for name, limit in zip(names, limits)]
        if apart == 0 or max(off) <= apart / 100:
            break
    return names


def _labels(places: list[float], names: list[str]) -> list[tuple[float, str]]:
    """Where each threshold's name stands, inside the picture; two that would run together are one.

    >>> _labels([20.0, 200.0], ["0.99", "1.01"])
    [(20.0, '0.99'), (200.0, '1.01')]
    >>> _labels([24.0, 26.0], ["0.99", "1.01"])
    [(45.5, '0.99 and 1.01')]
    """
    named = list(zip(places, names))
    if len(places) == 2 and abs(places[0] - places[1]) < LETTER * max(map(len, names)) + 4:
        named = [(sum(places) / 2, " and ".join(names))]
    half = [LETTER * len(name) / 2 for _, name in named]
    return [(min(max(x, h), WIDTH - h), name) for (x, name), h in zip(named, half)]


# Many claims --------------------------------------------------------------------------------------


def _caption(decisions: Iterable[Decision]) -> str:
    return f"{ledger.summary(decisions).capitalize()}."


def cards(decisions: list[Decision]) -> Html:
    """Many verdicts as one table, a row and an anchor each.

    The reason stands under its claim, and a column of printed numbers only where there are any.
    """
    rows = [(d, turned(d), worlds_sentence(d)) for d in decisions]
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
