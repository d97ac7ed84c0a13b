"""Every notebook runs from top to bottom at quick size, through papermill, as in the book."""

import os
from pathlib import Path

import pytest

from ppdm import places
from ppdm.book.build import chapters, execute

ROOT = places.find_root(Path(__file__).parent)


@pytest.fixture(scope="session")
def cells(tmp_path_factory) -> Path:
    """Where this run of the tests keeps cells: empty at first, as what older runs kept would prove
    nothing; the pages of a paper share cells, in whichever process their tests run."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cells"


@pytest.mark.parametrize("notebook", places.find_notebooks(ROOT), ids=lambda path: path.stem)
def test_runs_at_quick_size(notebook, cells, tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_CACHE", str(cells))
    output = tmp_path / "notebooks" / notebook.name
    parameters = chapters.chosen_parameters(notebook, "quick")
    execute.execute(notebook, output, parameters, tmp_path / "results", scratch=tmp_path / "work")
    assert output.is_file()
