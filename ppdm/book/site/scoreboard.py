"""What became of the claims: the front page's rows, the scoreboard, what the papers leave open, how the rules came about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from ppdm.book.site.gallery import shown
from ppdm.book.site.records import UNDECIDED, Records, raw_html, sections
from ppdm.book.templating import PAGES, fill
from ppdm.data import in_words
from ppdm.study import cards
from ppdm.study.history import STATUSES
from ppdm.study.ledger import STYLES
from ppdm.study.rules import LOOKS, OPEN, said

SAID = {
    "before": "were fixed, in a change of their own, before the first result",
    "together": "entered the history together with their first result, so that nobody can tell "
    "which came first",
    "after": "were settled after the first result, or changed then",
}


def kind(claim: dict) -> str:
    """A claim's verdict, or that it has none."""
    return claim["verdict"] if claim["verdict"] in STYLES else UNDECIDED


def asked(claim: dict) -> tuple[int, int, int]:
    """In how many variations a verdict was asked again, in how many it came out the same, and in how many it cannot be told.

    >>> asked({"same": "45", "other": "1", "cannot_tell": "2"}), asked({"same": ""})
    ((48, 45, 2), (0, 0, 0))
    """
    same, other, unsure = (int(claim.get(key) or 0) for key in ("same", "other", "cannot_tell"))
    return same + other + unsure, same, unsure


def agreement(claims: Iterable[dict]) -> str:
    """How often the verdicts of some claims came out the same in the variations; empty if none was asked."""
    total, same, unsure = np.sum([(0, 0, 0), *map(asked, claims)], axis=0)
    tell = f", {unsure:,} cannot tell" if unsure else ""
    return f"same verdict in {same:,} of {total:,} variations{tell}" if total else ""


def number(claim: dict) -> Markup:
    """What we found: to four digits, with its unit, its interval and the case that it is from."""
    if not claim["ours"]:
        return Markup("")
    text = rounded(claim["ours"], claim["unit"])
    if claim["unit"]:
        text += f" {claim['unit']}"
    if claim["low"] and claim["high"] and not claim["low"] == claim["high"] == claim["ours"]:
        ends = (rounded(claim[end], claim["unit"]) for end in ("low", "high"))
        text += f" ({' to '.join(ends)})"
    worst = f", {cards.inline(in_words(claim['worst']))}" if claim["worst"] else ""
    return escape(text) + Markup(worst)


def rounded(text: str, unit: str = "") -> str:
    """A number to four digits, shares a hundredfold where the unit asks for it.

    The file to download has all digits, and no unit.

    >>> rounded("-0.4978621957"), rounded("8.7e-19"), rounded("449"), rounded("12 of 13")
    ('−0.4979', '0 up to rounding', '449', '12 of 13')
    """
    try:
        value = float(text)
    except ValueError:
        return text
    return said(value, unit).replace("-", "−")


PAGES.filters |= {
    "kind": kind,
    "number": number,
    "rounded": rounded,
    "agreement": lambda claim: agreement([claim]),
    "asked": asked,
    "inline": lambda text: Markup(cards.inline(text)),
    "errors": lambda claim: errors(claim),
    "pill": lambda verdict: Markup(cards.verdict(verdict)),
}
PAGES.globals |= {"STYLES": {**STYLES, UNDECIDED: "untested"}, "STATUSES": STATUSES}


def _papers(records: Records) -> list[dict[str, Any]]:
    """Each paper with its claims, its central ones and how many verdicts there are of each kind."""
    rows = []
    for paper in records.papers:
        claims = [claim for claim in records.claims if claim["paper"] == paper["paper"]]
        central = [claim for claim in claims if claim["central"]]
        met = sum(STYLES.get(kind(claim)) in ("reproduced", "caveat") for claim in central)
        rows.append(paper | {
            "all": claims, "main": central, "met": met, "counts": Counter(map(kind, central)),
            "firmness": agreement(central), "page": paper["chapter"] in records.titles,
        })  # fmt: skip
    return rows


def papers(records: Records) -> str:
    """A row for each paper: what it claims, what we found, how firmly."""
    return raw_html(fill("papers.html", papers=_papers(records)))


def tally(records: Records) -> str:
    """For each paper a sentence, and how many claims there are and what became of them; every number a link."""
    return raw_html(fill("tally.html", papers=_papers(records)))


def report(records: Records) -> str:
    """Each paper's finding, and its central claims with what came out and how often their rules err."""
    return sections("report.html", _papers(records))


def errors(claim: dict) -> str:
    """How many of a hundred true claims a rule accepts, and how many false ones.

    >>> errors({"accepts_true": "0.9785", "accepts_false": "0.004"}), errors({})
    ('97.9, 0.4', 'a count or a formula')
    """
    shares = [claim.get(name, "") for name in ("accepts_true", "accepts_false")]
    if not all(shares):
        return "a count or a formula"
    return ", ".join(f"{100 * float(share):.1f}" for share in shares)


def scoreboard(records: Records) -> str:
    """All claims in one table, the central ones first; its script sorts and filters it."""
    rows = _papers(records)
    main = [claim for paper in rows for claim in paper["main"]]
    rest = [claim for claim in records.claims if claim not in main]
    names = {paper["paper"]: paper["short"] for paper in rows}
    return raw_html(fill("scoreboard.html", claims=main + rest, main=main, names=names))


def ambiguities(records: Records) -> str:
    """What the papers leave open, what we chose, and how much the other choices move a result.

    From the chapters' `readings.csv`: question, choice, alternatives, effect.
    """
    rows = []
    for paper in records.papers:
        pages = [paper["chapter"], paper.get("beyond")]
        readings = [row for page in pages for row in records.readings.get(page, [])]
        rows += [paper | {"readings": readings}] if readings else []
    return sections("ambiguities.html", rows) or "No chapter has been run yet.\n"


def rule_counts(records: Records) -> str:
    """One sentence: how many rules of each kind."""
    known = Counter(claim["history"] for claim in records.claims if claim["history"])
    if not known:
        return "When the rules were written has not been recorded.\n"
    parts = [f"{known[status] or 'none'} {SAID[status]}" for status in STATUSES]
    return f"Of the rules of {known.total()} claims, {'; '.join(parts)}.\n"


def rules_history(records: Records) -> str:
    """Every change with what it did to the verdict; then each claim with its status."""
    rows = []
    for paper in records.papers:
        claims = [c for c in records.claims if c["paper"] == paper["paper"] and c["history"]]
        ids = {id for claim in claims for id in (claim["id"], *claim["was"])}
        changes = [change for change in records.changes if ids & set(change["claims"])]
        rows += [paper | {"all": claims, "changes": changes}] if claims else []
    return sections("rules_history.html", rows) or "No change has been recorded.\n"


def margins(records: Records) -> str:
    """The margins of indifference, one for each unit."""
    rows = [
        (f"{m['says']} ({m['margin']:g})", m["of"], m["reason"]) for m in records.margins.values()
    ]
    return _table(("Margin", "Of what", "Why"), rows)


def rates(records: Records) -> str:
    """How many claims carry rates of each kind, and the least and most that was measured."""
    rows = []
    for kind_of, told in groupby(
        sorted(records.rates, key=itemgetter("worlds")), itemgetter("worlds")
    ):
        group = [row for row in told if row["verdict"] != OPEN]
        if group:
            ends = [
                sorted(float(row[name]) for row in group)
                for name in ("accepts_true", "accepts_false")
            ]
            rows.append(
                (kind_of, len(group), *(f"{100 * x:.1f}" for x in (ends[0][0], ends[1][-1])))
            )
    head = (
        "The worlds are",
        "Claims",
        "Of 100 true, accepted at least",
        "Of 100 false, accepted at most",
    )
    return _table(head, rows)


def untold(records: Records) -> str:
    """What could not be told, and in how many worlds like ours more repetitions would tell."""
    rows = [
        (f'<a href="scoreboard.html#{row["claim"]}">{row["claim"]}</a>', row["comparisons"],
         *(f"{100 * float(row[f'told_{n}']):.0f} in 100" for n in LOOKS))
        for row in records.rates if row["verdict"] == OPEN and row["told_1"]
    ]  # fmt: skip
    return _table(("Claim", "Comparisons", "As many", "4 times as many", "16 times"), rows)


def seen_and_left(records: Records) -> str:
    """The sentences that could be claims and are not, by paper, and why."""
    names = {paper["paper"]: paper["short"] for paper in records.papers}
    rows = [
        (names[left["paper"]], left["where"], left["says"], left["why"]) for left in records.left
    ]
    return _table(("Paper", "Where", "What it says", "Why it is no claim here"), rows)


def rates_head(records: Records) -> str:
    """The rates in a sentence, and when the rules were written in another."""
    decided = [claim for claim in records.claims if claim["verdict"] in STYLES]
    told = [row for row in records.rates if row["verdict"] != OPEN]
    return (
        f"Of {len(decided)} claims, {len(records.rates)} are decided by a rule that weighs chance and carry measured "
        f"error rates; {len(records.rates) - len(told)} of these cannot be told. {rule_counts(records)}"
    )


def _table(head: tuple[str, ...], rows: list[tuple]) -> str:
    def line(cells: tuple) -> str:
        words = (" ".join(str(cell).split()).replace("|", r"\|") for cell in cells)
        return f"| {' | '.join(words)} |"

    text = "\n".join(map(line, [head, ("---",) * len(head), *rows]))
    return f"{text}\n" if rows else "None.\n"


def example(notebook: Path) -> str:
    """The shortest card of a chapter that was asked again in other variations, to be explained; its links lead to the chapter."""
    cards = re.findall(r'<article class="ppdm claim-card".*?</article>', shown(notebook), re.DOTALL)
    drawn = [card for card in cards if 'class="strip"' in card]
    card = min(
        drawn,
        key=lambda card: ('class="same"' not in card, len(card)),
        default="No chapter has been run yet.",
    )
    card = re.sub(r' id="[^"]*"', "", card).replace(
        'href="#', f'href="../notebooks/{notebook.stem}.html#'
    )
    return raw_html(card.replace('href="../book/', 'href="'))
