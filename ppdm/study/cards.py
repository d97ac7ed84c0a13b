"""What a chapter shows: cards, verdict tables, figures, banner and provenance, as plain HTML.

Styles stand in `book/_static/ppdm.css` and `site.css`; without them the parts still read well.
Every part has the class `ppdm`. A claim's evidence has the anchor `claim-<id>`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import zip_longest

from ppdm.data import in_words
from ppdm.study import claims, history, ledger
from ppdm.study.claims import NOT_DECIDED, PERCENT, UNTESTABLE, Claim, short
from ppdm.study.verdicts import Decision, World

FOLD = 6  # a printed table with more numbers than this is one line in the verdict table


class Html:
    """A piece of a page, with a plain text for those who see no HTML."""

    def __init__(self, html: str, text: str):
        self.html, self.text = html, text

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


def verdict(text: str, count: int | None = None) -> str:
    """The coloured label of a verdict, with a number in front where many are counted."""
    style = claims.STYLES.get(text, ("untested",))[0]
    label = text if count is None else f"{count} {text}"
    return f'<span class="verdict verdict-{style}">{escape(label)}</span>'


def link(id: str) -> str:
    """A link to the card of a claim on the same page."""
    return f'<a href="#claim-{escape(id)}">{escape(id)}</a>'


# One claim ----------------------------------------------------------------------------------------


class Card(Html):
    """One decided claim, with the anchor `claim-<id>`."""

    def __init__(self, decision: Decision):
        super().__init__(card(decision), repr(decision))
        self.decision = decision


def card(decision: Decision) -> str:
    """One decided claim in plain words; its rule, tolerance, plants and history are folded."""
    claim, found = decision.claim, decision.finding
    ours = _ours(decision)
    shown = [("turned", turned(decision)), ("", claim.claim)]
    facts = _listed({"Printed": escape(claim.printed), "Found": ours})
    said = [("worlds", worlds_sentence(decision)), ("", decision.told)]
    rule = {
        "Rule": escape(claim.rule_text), "Decided by": inline(found.note) if found else "",
        "Refuses": escape(", ".join(decision.refused)),
        "Would accept": escape(", ".join(decision.accepted)), "History": rule_history(claim),
    }  # fmt: skip
    title = escape(claim.by_construction, quote=True)
    built = f' <span class="verdict verdict-untested" title="{title}">true by construction</span>'
    return (
        f'<article class="ppdm claim-card" id="claim-{escape(claim.id)}" '
        f'aria-label="Claim {escape(claim.id)}">'
        f'<p class="claim-head">{link(claim.id)} <span class="where">{escape(claim.where)}'
        f"</span> {verdict(decision.verdict)}{built if title else ''}</p>{_paragraphs(shown)}{facts}"
        f"{strip_of(decision)}{_paragraphs(said)}"
        f"<details><summary>Rule and history</summary>{_listed(rule)}</details></article>"
    )


def _paragraphs(parts: list[tuple[str, str]]) -> str:
    kinds = {name: f' class="{name}"' if name else "" for name, _ in parts}
    return "".join(f"<p{kinds[name]}>{inline(text)}</p>" for name, text in parts if text)


def _listed(facts: dict[str, str]) -> str:
    lines = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items() if text)
    return f"<dl>{lines}</dl>" if lines else ""


def _ours(decision: Decision) -> str:
    if not decision.finding:
        return ""
    worst = inline(in_words(decision.finding.worst))
    number = escape(claims.interval(decision.finding, decision.claim.unit))
    return number + (f', <span class="worst">{worst}</span>' if worst else "")


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


def rule_history(claim: Claim) -> str:
    """When the rule was written, with a link to how it came about."""
    place = f"../book/rules_history.html#rule-{escape(claim.id.lower())}"
    return f'<a href="{place}">{history.STATUSES[claim.history]}</a>' if claim.history else ""


# A small picture of a verdict: our interval, the threshold, and the other worlds ------------------

WIDTH, HEIGHT, EDGE = 320, 46, 12
LETTER = 7  # of a threshold's name, across
REACH = 4.0  # worlds further away than this many times our own span stand at the edge


def strip_of(decision: Decision) -> str:
    """The strip of one decision; empty where there is no threshold on our number's scale."""
    found = decision.finding
    if found is None or found.ours is None or not found.limits:
        return ""
    if decision.claim.rule in ("exact", "identity"):
        return ""
    return strip(
        found[1:4], found.limits, decision.others, decision.plants, decision.verdict, decision.claim.unit
    )  # fmt: skip


def strip(
    numbers: Sequence[float | None],
    limits: Sequence[float],
    worlds: Sequence[World] = (),
    plants: Sequence[World] = (),
    verdict: str = "",
    unit: str = "",
) -> str:
    """An <svg>: thresholds as dashed lines, our number with its interval (ours, low, high), a dot a world.

    Filled dots are worlds in which the verdict is the same, rings those in which it is another,
    crosses wrong worlds (plants).

    >>> "<svg" in strip((0.08, 0.07, 0.09), (0.05,), unit="points")
    True
    """
    ours, low, high = (float(numbers[0] if x is None else x) for x in numbers)  # type: ignore[arg-type]
    asked = [(w, w.finding.ours, w in plants) for w in (*worlds, *plants) if w.finding]
    known = [(w, x, wrong) for w, x, wrong in asked if x is not None]
    at = _scale([ours, low, high, *limits], [x for _, x, _ in known], abs(ours))
    scale = 100 if unit in PERCENT else 1
    thresholds = _exact([scale * limit for limit in limits])
    line = '<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>'.format
    parts = [line("axis", EDGE, WIDTH - EDGE, 20, 20)]
    parts += [line("limit", at(limit), at(limit), 4, 32) for limit in limits]
    parts += [
        f'<text x="{x:.1f}" y="43" text-anchor="middle">{escape(name)}</text>'
        for x, name in _labels([at(limit) for limit in limits], thresholds)
    ]
    for w, x, wrong in known:
        kind = "same" if w.verdict == verdict else "other"
        title = f"<title>{escape(w.name)}: {escape(short(x))}</title>"
        parts.append(
            f'<path class="plant" d="M{at(x) - 3:.1f} 6l6 6m0-6l-6 6">{title}</path>'
            if wrong else f'<circle class="{kind}" cx="{at(x):.1f}" cy="28" r="2.6">{title}</circle>'
        )  # fmt: skip
    parts += [line("interval", at(low), at(high), 20, 20)]
    parts += [f'<circle class="ours" cx="{at(ours):.1f}" cy="20" r="4"/>']
    span = f" ({short(scale * low, 3)} to {short(scale * high, 3)})" if low != high else ""
    said = f"Ours {short(scale * ours, 3)}{span}; threshold {' and '.join(thresholds)}"
    ends = [scale * x for _, x, wrong in known if not wrong]
    if ends:
        said += f"; {len(ends)} other worlds, {short(min(ends), 3)} to {short(max(ends), 3)}"
    return (
        f'<svg class="strip" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" aria-label="{escape(said)}.">{"".join(parts)}</svg>'
    )


def _scale(own: list[float], others: list[float], size: float) -> Callable[[float], float]:
    """From a number to its place: all of our own is shown, of the others what is not far off."""
    reach = REACH * ((max(own) - min(own)) or size or 1.0)
    near = own + [x for x in others if min(own) - reach <= x <= max(own) + reach]
    pad = 0.06 * ((max(near) - min(near)) or 1.0)
    start, width = min(near) - pad, max(near) - min(near) + 2 * pad
    return lambda x: EDGE + min(max((x - start) / width, 0.0), 1.0) * (WIDTH - 2 * EDGE)


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


def cards(decisions: list[Decision]) -> Html:
    """Many verdicts as one table, a row and an anchor each.

    The reason stands under its claim, and a column of printed numbers only where there are any.
    """
    printed = any(d.claim.printed for d in decisions)
    rows = []
    for d in decisions:
        beneath = [
            inline(turned(d)),
            inline(d.note),
            escape(worlds_sentence(d)),
            rule_history(d.claim),
        ]
        notes = "".join(f'<span class="note">{part}</span>' for part in beneath if part)
        columns = [link(d.claim.id), inline(d.claim.claim) + notes, _ours(d), verdict(d.verdict)]
        columns[2:2] = [escape(d.claim.printed)] if printed else []
        rows.append((f' id="claim-{escape(d.claim.id)}"', columns))
    head = ["Claim", "", *(["Printed"] if printed else []), "Ours (95 %)", "Verdict"]
    return Html(_table(head, rows, decisions), "\n".join(map(repr, decisions)))


def verdicts(decisions: list[Decision]) -> Html:
    """The table for the top of the page; a large printed table is one line of it."""
    families = defaultdict(list)
    for d in decisions:
        families[d.claim.family or d.claim.id].append(d)
    rows = []
    for members in families.values():
        where = [f'<span class="where">{escape(d.claim.where)}</span>' for d in members]
        if len(members) > FOLD:
            counts = Counter(d.verdict for d in members)
            words = [verdict(v, counts[v]) for v in (*claims.VERDICTS, NOT_DECIDED) if counts[v]]
            first, last = (link(members[i].claim.id) for i in (0, -1))
            what = f"{len(members)} printed numbers, {first} to {last}"
            rows.append(("", [where[0], what, " ".join(words)]))
            continue
        for d, place in zip(members, where):
            shaky = '<span class="where">depends on the reading</span>' if turned(d) else ""
            named = f"{link(d.claim.id)} {place}"
            rows.append(("", [named, inline(d.claim.claim), verdict(d.verdict) + shaky]))
    table = _table(["Claim", "What is claimed", "Verdict"], rows, decisions)
    lines = [f"{d.claim.id}: {d.verdict}" for d in decisions]
    return Html(table, "\n".join(lines or [f"{ledger.summary(decisions).capitalize()}."]))


_KINDS = {"Claim": "id", "Printed": "number", "Ours (95 %)": "number"}


def _table(head: list[str], rows: list[tuple[str, list[str]]], decisions: list[Decision]) -> str:
    top = "".join(f'<th scope="col">{h}</th>' if h else "<td></td>" for h in head)
    body = ""
    for attributes, columns in rows:
        line = ""
        for label, text in zip_longest(head, columns):
            kind = f' class="{_KINDS[label]}"' if label in _KINDS else ""
            named = f' data-label="{label}"' if _KINDS.get(label) == "number" else ""
            line += f"<td{kind}{named}>{text}</td>"
        body += f"<tr{attributes}>{line}</tr>"
    caption = f"{ledger.summary(decisions).capitalize()}."
    return (
        f'<div class="ppdm"><table class="claims"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def elsewhere(known: Iterable[Claim], stem: str) -> Html:
    """Claims that the page `stem` decides: a line each, with the anchor of a card.

    Whoever comes with the old address of a card is led on by `site.js`, or by the line itself.
    """
    lines, names = "", []
    for claim in known:
        id, place = escape(claim.id), f"{escape(stem)}.html#claim-{escape(claim.id)}"
        lines += f'<li id="claim-{id}" data-moved="{place}"><a href="{place}">{id}</a> {inline(claim.claim)}</li>'
        names.append(f"{claim.id}: see {stem}")
    return Html(f'<ul class="ppdm elsewhere">{lines}</ul>', "\n".join(names))


# The rest of a page -------------------------------------------------------------------------------


def banner(below: str) -> Html:
    """What stands at the top of a page that was built below the paper's size."""
    text = f"Quick run: {below}. Numbers on this page are rougher than the paper's own size gives, "
    text += "and rules that need the full size decide nothing."
    return Html(f'<p class="ppdm quick-banner" role="note">{escape(text)}</p>', text)


def changed(sentences: list[str]) -> Html:
    """The verdicts that differ from the expected ones, a sentence each."""
    items = "".join(f"<li>{escape(s)}</li>" for s in sentences)
    said = "Verdicts that are not the expected ones:"
    html = f'<div class="ppdm changed-verdicts" role="note"><p>{said}</p><ul>{items}</ul></div>'
    return Html(html, "\n".join([said, *sentences]))


def figure(
    drawing: str, number: int, name: str, caption: str, files: dict[str, str] | None = None
) -> Html:
    """`drawing` is an element that carries the alternative text; `files` lead to it and its data."""
    links = " ".join(
        f'<a href="{escape(place)}" download>{kind}</a>' for kind, place in (files or {}).items()
    )
    kept = f' <span class="files">{links}</span>' if links else ""
    html = (
        f'<figure class="ppdm drawn" id="fig-{escape(name)}">{drawing}'
        f"<figcaption><span>Figure {number}.</span> {inline(caption)}{kept}</figcaption></figure>"
    )
    return Html(html, f"Figure {number}. {caption}")


def provenance(facts: dict[str, str]) -> Html:
    """The block at the end of a page: how it was made."""
    lines = _listed({escape(name): escape(text) for name, text in facts.items()})
    start = '<section class="ppdm provenance" aria-label="Provenance"><p>How this page was made</p>'
    return Html(f"{start}{lines}</section>", "\n".join(f"{k}: {v}" for k, v in facts.items()))
