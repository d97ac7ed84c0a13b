"""How the rules came about: from `book/claims/changes.yml`."""

from __future__ import annotations

import html
from collections import Counter

from ppdm.book.site.records import Claim, Records, raw_html
from ppdm.study.cards import inline
from ppdm.study.history import STATUSES

SAID = {
    "before": "were fixed, in a change of their own, before the first result",
    "together": "entered the history together with their first result, so that nobody can tell "
    "which came first",
    "after": "were settled after the first result, or changed then",
}


def counts(records: Records) -> str:
    """One sentence for whoever reads how a claim is decided: how many rules of each kind."""
    found = Counter(c.history for c in records.claims if c.history)
    if not found:
        return "When the rules were written has not been recorded.\n"
    parts = [f"{found[status] or 'none'} {SAID[status]}" for status in STATUSES]
    total = sum(found.values())
    return f"Of the rules of {total} claims, {parts[0]}; {parts[1]}; {parts[2]}.\n"


def page(records: Records) -> str:
    """Every change with what it did to the verdict; then each claim with its status."""
    parts = []
    for paper in records.papers:
        claims = [c for c in records.claims if c.paper == paper["paper"] and c.history]
        if claims:
            parts.append(f"## {paper['short']}\n\n{_changes(claims, records)}\n\n{_claims(claims)}")
    return "\n\n".join(parts) or "No change has been recorded.\n"


def _changes(claims: list[Claim], records: Records) -> str:
    known = {c.id for c in claims}
    rows = [_row(change) for change in records.changes if known & set(change["claims"])]
    if not rows:
        return "No rule has changed.\n"
    head = _head("Claims", "What", "From", "To", "Verdict")
    return raw_html(
        '<table class="claims" role="table" aria-label="Changes of rules">\n'
        f'{head}\n<tbody role="rowgroup">\n' + "\n".join(rows) + "\n</tbody>\n</table>"
    )


def _row(change: dict) -> str:
    ids = change["claims"]
    named = ", ".join(ids) if len(ids) < 5 else f"{ids[0]} to {ids[-1]} ({len(ids)} claims)"
    dated = " ".join(str(change[key]) for key in ("when", "commit") if change.get(key))
    before, after = change.get("before", ""), change.get("after", "")
    verdict = before if before == after else f"{before} → {after}"
    if (before, after) == (
        "the same as after",
        "the same as before",
    ):  # several claims, each its own
        verdict = "the same before and after"
    cells = [
        f'<td role="cell" class="id">{html.escape(named)}<span class="where">{html.escape(dated)}</span></td>',
        f'<td role="cell">{html.escape(change["what"])}<span class="note">{inline(change["reason"])}</span></td>',
        f'<td role="cell" data-label="From">{html.escape(str(change["old"]))}</td>',
        f'<td role="cell" data-label="To">{html.escape(str(change["new"]))}</td>',
        f'<td role="cell" data-label="Verdict">{html.escape(verdict)}</td>',
    ]
    return f'<tr role="row">{"".join(cells)}</tr>'


def _claims(claims: list[Claim]) -> str:
    rows = "\n".join(
        f'<tr role="row" id="rule-{html.escape(c.id.lower())}"><td role="cell" class="id">{_link(c)}</td>'
        f'<td role="cell">{html.escape(c.rule)}</td>'
        f'<td role="cell" data-label="When">{STATUSES[c.history]}</td></tr>'
        for c in claims
    )
    table = (
        "<details><summary>Every rule and when it was written</summary>\n"
        '<table class="claims" role="table" aria-label="When each rule was written">\n'
        f'{_head("Claim", "Its rule", "When")}\n<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>\n</details>'
    )
    return raw_html(table)


def _link(claim: Claim) -> str:
    name = html.escape(claim.id)
    return f'<a href="{html.escape(claim.evidence)}">{name}</a>' if claim.decided else name


def _head(*names: str) -> str:
    cells = "".join(f'<th role="columnheader" scope="col">{name}</th>' for name in names)
    return f'<thead role="rowgroup"><tr role="row">{cells}</tr></thead>'
