"""[Huang & Du] The numbers in the chapter's sentences, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ppdm.optimise import objectives
from ppdm.papers.optrr import rows
from ppdm.papers.optrr.experiment import gamma_prior
from ppdm.papers.optrr.formulas import THREE, dominating


def of_page(stem: str) -> Callable[[Any], dict[str, Any]]:
    """Those of the paper's page, or of the page beyond it."""
    return of_beyond if stem == "04_beyond" else of_paper


def of_paper(ch) -> dict[str, Any]:
    """What dominates the blind matrix, and how many matrices there are."""
    better = dominating(THREE, ch.settings["respondents"])
    return {
        "hd-blind": 1 - float(THREE.max()), "hd-least": better.min(), "hd-better": len(better),
        "hd-count": float(objectives.number_of_matrices(10, 100)),
    }  # fmt: skip


def of_beyond(ch) -> dict[str, Any]:
    """How many are given away, and the highest privacy with unit bins."""
    return {
        "hd-named": 100 * rows.given_away(ch.get(rows.kinds_of_reports)),
        "hd-unit-bins": 1 - float(gamma_prior(width=1.0).max()),
    }
