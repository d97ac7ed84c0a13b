"""Every notebook runs from top to bottom at quick size, through papermill, as in the book."""

from pathlib import Path

import pytest

from ppdm import places
from ppdm.book.build import chapters, execute

ROOT = places.find_root(Path(__file__).parent)


@pytest.mark.parametrize("notebook", places.find_notebooks(ROOT), ids=lambda path: path.stem)
def test_runs_at_quick_size(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_CACHE", str(tmp_path / "cache"))  # what is kept would prove nothing
    output = tmp_path / "notebooks" / notebook.name
    parameters = chapters.chosen_parameters(notebook, "quick")
    execute.execute(notebook, output, parameters, tmp_path / "results", scratch=tmp_path / "work")
    assert output.is_file()
