"""The tally of the front page, the scoreboard, the errata and the ambiguities."""

from __future__ import annotations

import csv
import html
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from ppdm.book.site.records import UNDECIDED, Claim, Records, raw_html
from ppdm.data import in_words
from ppdm.study.cards import inline, verdict
from ppdm.study.history import STATUSES
from ppdm.study.ledger import PERCENT, STYLES, short

COLUMNS = ["id", "paper", "where", "claim", "printed", "ours", "low", "high", "rule", "verdict",
           "note", "worlds", "holds", "fails_in", "refuses", "firm", "history"]  # fmt: skip


def _counts(claims: list[Claim]) -> Counter:
    return Counter(c.verdict if c.verdict in STYLES else UNDECIDED for c in claims)


def tally(records: Records) -> str:
    """For each paper how many claims there are and what became of them; every number a link."""
    rows = []
    for paper in [*records.papers, None]:
        claims = [c for c in records.claims if paper is None or c.paper == paper["paper"]]
        if paper is None:
            name, query, anchor = "<strong>All together</strong>", "", ""
        else:
            chapter = paper["chapter"]
            name = f"<strong>{html.escape(paper['short'])}</strong>"
            if chapter in records.titles:
                name = f'<a href="../notebooks/{chapter}.html">{name}</a>'
                beyond = paper.get("beyond")
                if beyond in records.titles:
                    name += f' (<a href="../notebooks/{beyond}.html">and beyond</a>)'
            name += f", <em>{html.escape(paper['title'])}</em>"
            query, anchor = f"paper={paper['paper']}&amp;", "#claims-of-" + paper["paper"]
        counts = _counts(claims)
        chips = [
            f'<a class="verdict verdict-{STYLES.get(verdict, ("untested",))[0]}" '
            f'href="scoreboard.html?{query}verdict={quote(verdict)}{anchor}">'
            f"{counts[verdict]} {STYLES.get(verdict, ('', UNDECIDED))[1]}</a>"
            for verdict in [*STYLES, UNDECIDED]
            if counts[verdict]
        ]
        total = f"{len(claims)} claims" if len(claims) != 1 else "1 claim"
        rows.append(
            f'<li><span class="paper">{name}: {total}</span> '
            + (" ".join(chips) or "No claim has been decided yet.")
            + _firmness(claims)
            + "</li>"
        )
    return raw_html('<ul class="tally">\n' + "\n".join(rows) + "\n</ul>")


def _firmness(claims: list[Claim]) -> str:
    """How many verdicts no other reading turns over, nor more than a tenth of the draws."""
    asked = [c for c in claims if c.firm]
    if not asked:
        return ""
    firm = sum(c.firm == "yes" for c in asked)
    tried = sum(c.worlds not in ("", "0", "1") for c in asked)
    return (
        f' <span class="firm">{firm} of {len(asked)} stand firm ({tried} were asked in other worlds '
        "too)</span>"
    )


def _number(claim: Claim) -> str:
    if not claim.ours:
        return ""
    words = f" {html.escape(claim.unit)}" if claim.unit else ""
    worst = f"<span class='where'>{inline(in_words(claim.worst))}</span>" if claim.worst else ""
    ours = _rounded(claim.ours, claim.unit)
    if not (claim.low and claim.high) or claim.low == claim.high == claim.ours:
        return ours + words + worst
    interval = f"{_rounded(claim.low, claim.unit)} to {_rounded(claim.high, claim.unit)}"
    return f"{ours}{words} <span class='where'>{interval}</span>{worst}"


def _standing(claim: Claim) -> str:
    """Under a claim: in how many worlds its verdict holds, and when its rule was written."""
    parts = []
    if claim.worlds not in ("", "0", "1"):
        told = f"Holds in {claim.holds} of {claim.worlds} worlds"
        if claim.fails_in:
            names = claim.fails_in.split(";")
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            told += f"; not with {', '.join(names[:3])}{more}"
        parts.append(html.escape(f"{told}."))
    if claim.history in STATUSES:
        words = STATUSES[claim.history]
        parts.append(
            f'<a href="rules_history.html#rule-{html.escape(claim.id.lower())}">'
            f"{words[0].upper()}{words[1:]}</a>."
        )
    return f'<span class="note where">{" ".join(parts)}</span>' if parts else ""


def _rounded(text: str, unit: str = "") -> str:
    """A number to four digits, shares a hundredfold where the unit asks for it.

    The file to download has all digits, and no unit.

    >>> _rounded("-0.4978621957"), _rounded("1e-9"), _rounded("449"), _rounded("12 of 13")
    ('−0.4979', '1e−09', '449', '12 of 13')
    """
    try:
        scale, digits = (100, 3) if unit in PERCENT else (1, 4)
        return short(scale * float(text), digits).replace("-", "−")
    except ValueError:
        return html.escape(text)


def _row(claim: Claim) -> str:
    identity = html.escape(claim.id)
    link = f'<a href="{html.escape(claim.evidence)}">{identity}</a>' if claim.decided else identity
    note = f'<span class="note">{inline(claim.note)}</span>' if claim.note else ""
    kind = claim.verdict if claim.verdict in STYLES else UNDECIDED
    return (
        f'<tr role="row" id="{identity}" data-paper="{claim.paper}" data-verdict="{kind}">'
        f'<td role="cell" class="id">{link}<span class="where">{html.escape(claim.where)}</span>'
        f'</td><td role="cell">{inline(claim.claim)}{note}{_standing(claim)}</td>'
        f'<td role="cell" class="number" data-label="Printed">{html.escape(claim.printed)}</td>'
        f'<td role="cell" class="number" data-label="Ours">{_number(claim)}</td>'
        f'<td role="cell">{verdict(claim.verdict)}</td></tr>'
    )


def _table(claims: list[Claim], label: str) -> str:
    head = "".join(
        f'<th role="columnheader" scope="col">{name}</th>'
        for name in ("Claim", "What it says", "Printed", "Ours", "Verdict")
    )
    rows = "\n".join(_row(c) for c in claims)
    return raw_html(
        f'<table class="claims" role="table" aria-label="{html.escape(label)}">\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>'
    )


def scoreboard(records: Records) -> str:
    """All claims, a section a paper; the filters above them are the page's script."""
    parts = []
    for paper in records.papers:
        claims = [c for c in records.claims if c.paper == paper["paper"]]
        table = (
            _table(claims, f"Claims of {paper['short']}")
            if claims
            else ("No claim of this paper has been entered yet.\n")
        )
        parts.append(
            f"(claims-of-{paper['paper']})=\n\n## {paper['short']}\n\n*{paper['title']}*\n\n{table}"
        )
    return "\n".join(parts)


def errata(records: Records) -> str:
    """What the papers say and what can be shown to be otherwise, with the number that shows it."""
    parts = []
    for paper in records.papers:
        claims = [c for c in records.claims if c.paper == paper["paper"]]
        wrong = [c for c in claims if c.verdict == "wrong in the paper"]
        if wrong:
            parts.append(
                f"## {paper['short']}\n\n*{paper['title']}*\n\n"
                + _table(wrong, f"Errors in {paper['short']}").replace(' id="', ' id="e-')
            )
    return "\n".join(parts) or "No claim has been found wrong so far.\n"


def ambiguities(records: Records) -> str:
    """What the papers leave open, what we chose, and how much the other choices move a result.

    From the chapters' `readings.csv`: question, choice, alternatives, effect.
    """
    parts = []
    for paper in records.papers:
        pages = [paper["chapter"], paper.get("beyond")]
        readings = [row for page in pages for row in records.readings.get(page, [])]
        if not readings:
            continue
        rows = "\n".join(
            '<tr role="row">'
            f'<td role="cell">{inline(r["question"])}</td>'
            f'<td role="cell" data-label="Our choice">{inline(r["choice"])}</td>'
            f'<td role="cell" data-label="Instead of">{inline(r["alternatives"])}</td>'
            f'<td role="cell" data-label="Effect">{inline(r["effect"])}</td></tr>'
            for r in readings
        )
        head = "".join(
            f'<th role="columnheader" scope="col">{name}</th>'
            for name in ("What is left open", "Our choice", "Instead of", "Effect")
        )
        table = raw_html(
            f'<table class="claims" role="table" aria-label="Left open by {html.escape(paper["short"])}">'
            f'\n<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
            f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>'
        )
        link = f"The chapter: [{paper['short']}](../notebooks/{paper['chapter']}.ipynb)."
        parts.append(f"## {paper['short']}\n\n*{paper['title']}*. {link}\n\n{table}")
    return "\n".join(parts) or "No chapter has been run yet.\n"


def write_csv(records: Records, path: Path) -> None:
    """The scoreboard as a file to download."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([getattr(claim, name) for name in COLUMNS] for claim in records.claims)
