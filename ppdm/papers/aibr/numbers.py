"""[Guo] The numbers in the chapter's sentences, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ppdm import distort
from ppdm.papers.aibr import beyond, rows
from ppdm.privacy.ranks import rank_metrics
from ppdm.study import rules
from ppdm.study.claims import NOT_REPRODUCED


def of_page(stem: str) -> Callable[[Any], dict[str, Any]]:
    """Those of the paper's page, or of the page beyond it."""
    return of_beyond if stem == "03_beyond" else of_paper


def of_paper(ch) -> dict[str, Any]:
    """Table 1, the losses at the paper's parameters, what the rule picks."""
    parts = ch.ledger.decided["GU-T1"].parts.values()
    off = sum(part.verdict == NOT_REPRODUCED for part in parts)
    ours = rows.table_1_means(ch)
    same = [
        rules.exact(ours[name], printed=part.claim.printed).met
        for name, part in ch.ledger.decided["GU-T1"].parts.items()
    ]
    loss = ch.get(rows.losses).query("scheme == 'AIBR' and reading == @ch.settings['test_rows']")
    loss = 100 * loss[loss["metric"] == "IBk"].set_index(["dataset", "k"])["mean"]
    picked = {
        f"guo-picked-{n}": sum(
            rows.our_pick(ch, *cell, n) == papers for cell, papers in rows.PAPERS.items()
        )
        for n in rows.TRIOS
    }
    X, _ = ch.get(rows.tables)["PID"]
    return {
        "guo-cells-met": len(parts) - off, "guo-cells-off": off, "same-digits": sum(same),
        "guo-loss-nn-cancer": loss.get(("WBC", 2)), "guo-loss-nn-pima": loss.get(("PID", 4)),
        "rp-of-nothing": rank_metrics(X, distort.bsvd(X, 8))["RP"], **picked,
    }  # fmt: skip


def of_beyond(ch) -> dict[str, Any]:
    """How a combination of readings fares that was chosen on the other data set."""
    pima, cancer = beyond.judged_elsewhere(ch.get(rows.combined)).to_dict("records")
    return {
        "theirs-on-pima": pima["agree there"], "theirs-median-pima": pima["median there"],
        "theirs-on-cancer": cancer["agree there"], "theirs-median-cancer": cancer["median there"],
    }  # fmt: skip
