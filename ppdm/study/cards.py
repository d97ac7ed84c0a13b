"""What a chapter shows: cards, verdict tables, figures, banner and provenance, as plain HTML.

Styles stand in `book/_static/ppdm.css` and `site.css`; without them the parts still read well.
Every part has the class `ppdm`. A claim's evidence has the anchor `claim-<id>`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from html import escape

from ppdm.data import in_words
from ppdm.study import history, ledger, strip

FOLD = 6  # a printed table with more numbers than this is one line in the verdict table


class Html:
    """A piece of a page, with a plain text for those who see no HTML."""

    def __init__(self, html: str, text: str):
        self.html, self.text = html, text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def inline(text: str) -> str:
    """A sentence of a claims file as HTML: code in backticks, mathematics in dollars.

    >>> inline("P < `q` and $x_1$")
    'P &lt; <code>q</code> and <span class="math notranslate nohighlight">\\\\(x_1\\\\)</span>'

    Two symbols of the papers are set where they stand bare: `W_a` and `W_y`.
    """
    text = re.sub(r"(?<![$\w`])W_([ay])(?![\w$`])", r"$W_\1$", text)
    text = escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>", text)
    return re.sub(
        r"\$([^$]+)\$", r'<span class="math notranslate nohighlight">\\(\1\\)</span>', text
    )


def verdict(text: str, count: int | None = None) -> str:
    """The coloured label of a verdict, with a number in front where many are counted."""
    style = ledger.STYLES.get(text, ("untested",))[0]
    label = text if count is None else f"{count} {text}"
    return f'<span class="verdict verdict-{style}">{escape(label)}</span>'


class Card(Html):
    """One decided claim, with the anchor `claim-<id>`."""

    def __init__(self, decision: ledger.Decision):
        super().__init__(card(decision), repr(decision))
        self.decision = decision


def card(decision: ledger.Decision) -> str:
    """One decided claim in plain words; its rule, tolerance, plants and history are folded."""
    claim, found = decision.claim, decision.finding
    facts = _listed([("Printed", escape(claim.printed)), ("Found", _ours(decision))])
    shown = [
        f'<p class="turned">{inline(first)}</p>' if (first := turned(decision)) else "",
        f"<p>{inline(claim.claim)}</p>",
        f"<dl>{facts}</dl>" if facts else "",
        strip.of(decision),
        f'<p class="worlds">{escape(told)}</p>'
        if (told := ledger.worlds_sentence(decision))
        else "",
        f"<p>{inline(decision.told)}</p>" if decision.told else "",
    ]
    refused = [p.name for p in decision.plants if p.name in claim.refuses and not p.met]
    accepted = [p.name for p in decision.plants if p.name in claim.accepts and p.met]
    folded = _listed([
        ("Rule", escape(claim.rule_text)), ("Decided by", inline(found.note) if found else ""),
        ("Refuses", escape(", ".join(refused))), ("Would accept", escape(", ".join(accepted))),
        ("History", rule_history(claim)),
    ])  # fmt: skip
    fold = f"<details><summary>Rule and history</summary><dl>{folded}</dl></details>"
    built = _construction(claim)
    return (
        f'<article class="ppdm claim-card" id="claim-{escape(claim.id)}" '
        f'aria-label="Claim {escape(claim.id)}">'
        f'<p class="claim-head">{ledger.link(claim.id)} <span class="where">{escape(claim.where)}'
        f"</span> {verdict(decision.verdict)}{built}</p>{''.join(shown)}{fold}</article>"
    )


def turned(decision: ledger.Decision) -> str:
    """The first line of a card that one other reading turns over; empty for all others.

    Pairs of readings are left to the sentence about worlds.
    """
    single = [name for name in decision.turned if " + " not in name]
    if not single or decision.verdict == ledger.NOT_DECIDED:
        return ""
    names = ledger._and([f"“{name}”" for name in single])
    return f"Depends on the reading: otherwise with {names}."


def rule_history(claim: ledger.Claim) -> str:
    """When the rule was written, with a link to how it came about."""
    if not claim.history:
        return ""
    words = history.STATUSES[claim.history]
    return f'<a href="../book/rules_history.html#rule-{escape(claim.id.lower())}">{words}</a>'


def _construction(claim: ledger.Claim) -> str:
    if not claim.by_construction:
        return ""
    title = escape(claim.by_construction, quote=True)
    return f' <span class="verdict verdict-untested" title="{title}">true by construction</span>'


def _listed(facts: list[tuple[str, str]]) -> str:
    return "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in facts if v)


def _ours(decision: ledger.Decision) -> str:
    if not decision.finding:
        return ""
    worst = decision.finding.worst
    return escape(ledger.interval(decision.finding, decision.claim.unit)) + (
        f', <span class="worst">{inline(in_words(worst))}</span>' if worst else ""
    )


def cards(decisions: list[ledger.Decision]) -> Html:
    """Many verdicts as one table, a row and an anchor each.

    The reason stands under its claim, and a column of printed numbers only where there are any.
    """
    printed = any(d.claim.printed for d in decisions)
    rows = [
        (
            f' id="claim-{escape(d.claim.id)}"',
            [
                ledger.link(d.claim.id),
                inline(d.claim.claim) + _beneath(d),
                *([escape(d.claim.printed)] if printed else []),
                _ours(d),
                verdict(d.verdict),
            ],
        )
        for d in decisions
    ]
    title = f"{ledger.summary(decisions).capitalize()}."
    head = ["Claim", "", *(["Printed"] if printed else []), "Ours (95 %)", "Verdict"]
    return Html(_table(head, rows, title), "\n".join(map(repr, decisions)))


def _beneath(decision: ledger.Decision) -> str:
    """What stands under a claim in a table: what turns it over, its reason, its worlds, its rule."""
    parts = [inline(turned(decision)), inline(decision.note)]
    parts += [escape(ledger.worlds_sentence(decision)), rule_history(decision.claim)]
    return "".join(f'<span class="note">{part}</span>' for part in parts if part)


def verdicts(decisions: list[ledger.Decision]) -> Html:
    """The table for the top of the page; a large printed table is one line of it."""
    families = defaultdict(list)
    for d in decisions:
        families[d.claim.family or d.claim.id].append(d)
    rows = []
    for members in families.values():
        first = members[0]
        if len(members) <= FOLD:
            rows += [
                (
                    "",
                    [
                        f"{ledger.link(d.claim.id)} {_where(d.claim)}",
                        inline(d.claim.claim),
                        verdict(d.verdict) + _shaky(d),
                    ],
                )
                for d in members
            ]
        else:
            counts = {
                v: sum(d.verdict == v for d in members)
                for v in (*ledger.VERDICTS, ledger.NOT_DECIDED)
            }
            words = " ".join(verdict(v, n) for v, n in counts.items() if n)
            what = f"{len(members)} printed numbers, {ledger.link(first.claim.id)} to "
            what += ledger.link(members[-1].claim.id)
            rows.append(("", [_where(first.claim), what, words]))
    title = f"{ledger.summary(decisions).capitalize()}."
    table = _table(["Claim", "What is claimed", "Verdict"], rows, title)
    return Html(table, "\n".join(f"{d.claim.id}: {d.verdict}" for d in decisions) or title)


def _shaky(decision: ledger.Decision) -> str:
    """Beside a verdict in a table of many: that another reading turns it over."""
    return '<span class="where">depends on the reading</span>' if turned(decision) else ""


def _where(claim: ledger.Claim) -> str:
    return f'<span class="where">{escape(claim.where)}</span>'


def _table(head: list[str], rows: list[tuple[str, list[str]]], caption: str) -> str:
    top = "".join(f'<th scope="col">{h}</th>' if h else "<td></td>" for h in head)
    body = "".join(
        f"<tr{attributes}>"
        + "".join(_data(label, cell) for label, cell in zip(head, cells))
        + "</tr>"
        for attributes, cells in rows
    )
    return (
        f'<div class="ppdm"><table class="claims"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _data(label: str, cell: str) -> str:
    kind = {"Claim": ' class="id"', "Printed": ' class="number"', "Ours (95 %)": ' class="number"'}
    named = f' data-label="{label}"' if label in ("Printed", "Ours (95 %)") else ""
    return f"<td{kind.get(label, '')}{named}>{cell}</td>"


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
    return Html(html, f"{said}\n" + "\n".join(sentences))


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


def elsewhere(claims: Iterable[ledger.Claim], stem: str) -> Html:
    """Claims that the page `stem` decides: a line each, with the anchor of a card.

    Whoever comes with the old address of a card is led on by `site.js`, or by the line itself.
    """
    lines = [
        f'<li id="claim-{escape(c.id)}" data-moved="{escape(stem)}.html#claim-{escape(c.id)}">'
        f'<a href="{escape(stem)}.html#claim-{escape(c.id)}">{escape(c.id)}</a> {inline(c.claim)}</li>'
        for c in claims
    ]
    html = f'<ul class="ppdm elsewhere">{"".join(lines)}</ul>'
    return Html(html, "\n".join(f"{c.id}: see {stem}" for c in claims))


def provenance(facts: dict[str, str]) -> Html:
    """The block at the end of a page: how it was made."""
    listed = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    start = '<section class="ppdm provenance" aria-label="Provenance"><p>How this page was made</p>'
    html = f"{start}<dl>{listed}</dl></section>"
    return Html(html, "\n".join(f"{k}: {v}" for k, v in facts.items()))
