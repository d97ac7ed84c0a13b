"""Every notebook runs from top to bottom at quick size, through papermill, as in the book."""

import os
from pathlib import Path

import pytest

from ppdm import places
from ppdm.book.build import chapters, execute
from ppdm.papers import aibr, electronic_surveys, multi_group, optrr
from ppdm.study import ledger

ROOT = places.find_root(Path(__file__).parent)
READINGS = [
    *electronic_surveys.READINGS,
    *multi_group.READINGS.values(),
    *aibr.readings.READINGS.values(),
    *optrr.READINGS,
]
# Asked of the matrices that the search found; other worlds would be other searches, with as many estimates each.
ALONE = {"HD-30"}


def not_asked_elsewhere(claims: dict[str, ledger.Claim], rows: list[dict]) -> list[str]:
    """The claims that a reading can move and that were asked under none, without a word why not."""
    touched = {claim for reading in READINGS for claim in reading.touches} - ALONE
    others = {
        row["claim"]
        for row in rows
        if row["world"] != ledger.OURS
        and not row["world"].startswith(ledger.PLANT)
        and not row["world"].rpartition(" ")[2].isdigit()  # a draw of chance: "split 3"
    }
    return [id for id, claim in claims.items() if id in touched - others and not claim.one_world]


@pytest.fixture(scope="session")
def cells(tmp_path_factory) -> Path:
    """Where this run of the tests keeps cells: empty at first, as what older runs kept would prove
    nothing; the pages of a paper share cells, in whichever process their tests run."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cells"


QUICK = ("00_primer", "01_electronic_surveys")  # in `make test`; the others in `make check`


def pages() -> list:
    """The chapters, each with its second page."""
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem not in QUICK))
        for path in places.find_notebooks(ROOT)
    ]


@pytest.mark.parametrize("notebook", pages())
def test_runs_at_quick_size(notebook, cells, tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_CACHE", str(cells))
    monkeypatch.setenv("PPDM_WORKERS", "1")  # as many tests run at a time as there are cores
    output = tmp_path / "notebooks" / notebook.name
    parameters = chapters.chosen_parameters(notebook, "quick")
    execute.execute(notebook, output, parameters, tmp_path / "results", scratch=tmp_path / "work")
    assert output.is_file()
    claims = ROOT / "book" / "claims" / f"{notebook.stem}.yml"
    if claims.exists():
        rows = ledger.read_csv(tmp_path / "results" / notebook.stem / "worlds.csv")
        assert not_asked_elsewhere(ledger.read(claims), rows) == []


def test_a_claim_that_was_asked_in_our_world_alone_is_named():
    claims = ledger.read(ROOT / "book" / "claims" / "02_multi_group.yml")
    asked = [{"claim": id, "world": "one deal"} for id in claims if id != "ZD-38"]
    rows = [
        *asked,
        *({"claim": "ZD-38", "world": w} for w in ("ours", "division 2", "plant: one class")),
    ]
    assert not_asked_elsewhere(claims, rows) == ["ZD-38"]
