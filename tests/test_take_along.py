"""What one takes along: the citation, the notebooks as one file, the changes."""

import zipfile

import pytest
import yaml

from ppdm.book.site import course, take_along
from ppdm.course import build
from ppdm.places import find_root

ROOT = find_root()


def test_the_citation_is_that_of_the_file():
    source = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    page = (ROOT / "book" / "references.md").read_text(encoding="utf-8")
    for words in (
        source["title"],
        source["authors"][0]["name"],
        source["version"],
        source["date-released"][:4],
    ):
        assert f"{{{words}}}" in page


def test_the_notebooks_are_packed_as_they_are_and_twice_alike(tmp_path):
    for name in ("one", "two"):
        take_along.pack_notebooks(ROOT / "notebooks", "T", tmp_path / name / "ppdm-notebooks.zip")
    one, two = (tmp_path / name / "ppdm-notebooks.zip" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    stored = {path.name: path.read_bytes() for path in (ROOT / "notebooks").glob("*.ipynb")}
    with zipfile.ZipFile(one) as archive:
        packed = {
            name.removeprefix("ppdm-notebooks/"): archive.read(name) for name in archive.namelist()
        }
    assert "jupyter" in packed.pop("README.txt").decode().lower()
    assert packed == stored


@pytest.mark.parametrize("name", ["00_primer", "04_optrr"])
def test_an_assignment_is_a_page_without_its_answers(name):
    pytest.importorskip("nbgrader")
    source = ROOT / "notebooks" / "assignments" / f"{name}.ipynb"
    assert "BEGIN SOLUTION" in source.read_text(encoding="utf-8")
    cells = course.as_page(build.student_version(source), name)["cells"]
    text = "\n".join(cell["source"] for cell in cells)
    assert text.startswith("# Assignment") and "BEGIN SOLUTION" not in text
    assert "BEGIN HIDDEN" not in text and "YOUR CODE HERE" in text
    assert f"../../_static/course/{name}.ipynb" in text
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    live = {"live" in cell["metadata"].get("tags", []) for cell in code}
    assert live == {True}
