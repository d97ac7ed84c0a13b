"""What one takes along: the citation, the notebooks as one file, the changes, the slides, the words of the legend."""

import json
import zipfile

import pytest
import yaml
from browser import opened
from bs4 import BeautifulSoup

from ppdm.book.site import course, take_along, terms
from ppdm.course import build
from ppdm.places import find_root

ROOT = find_root()
LEGEND = terms.read_legend((ROOT / "book" / "symbols.md").read_text(encoding="utf-8"))


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


def test_each_chapter_with_figures_has_slides(tmp_path):
    def executed(name, *figures):
        html = "".join(f'<figure class="ppdm drawn">{figure}</figure>' for figure in figures)
        output = {"output_type": "display_data", "data": {"text/html": [html]}}
        cells = [
            {"cell_type": "markdown", "source": [f"# {name}\n"]},
            {"cell_type": "code", "source": [], "outputs": [output]},
        ]
        (tmp_path / f"{name}.ipynb").write_text(json.dumps({"cells": cells}))

    assert "no slides" in take_along.slides(tmp_path, tmp_path)
    executed("00_plain")
    executed("01_drawn", "<svg>one</svg>", "<svg>two</svg>")
    assert take_along.slides(tmp_path, tmp_path) == (
        '- <a href="../_static/course/slides-01_drawn.html">01_drawn</a>: 2 figures\n'
    )
    assert (tmp_path / "slides-01_drawn.html").read_text().count("<section>") == 2


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


# The words of the legend


def explained(page: str, paper: str = "") -> str:
    known = [term for term in LEGEND if not term.papers or paper in term.papers]
    return terms.explain(page, known, "../book/symbols.html")


def words(page: str) -> list[str]:
    """The words that are explained, in order."""
    return [link.get_text() for link in BeautifulSoup(page, "html.parser").select(".term > a")]


def test_a_word_is_explained_once_and_in_running_text_only():
    page = explained(
        "<h1>Naive Bayes</h1><p>ID3 and naive Bayes read counts.</p><table><td><p>OptRR</p></td></table>"
        "<p>Naive Bayes again. <code>kCG</code>, <a href='x'>SSVD</a> and kCG's groups, not PID3.</p>"
    )
    assert words(page) == ["ID3", "naive Bayes", "kCG"] and page.endswith(
        "'s groups, not PID3.</p>"
    )
    assert 'href="../book/symbols.html#term-ID3" aria-describedby="note-term-ID3"' in page
    assert 'role="tooltip" id="note-term-ID3"' in page


def test_a_letter_is_explained_in_the_chapter_of_its_paper():
    theta, more = (
        rf'<span class="math notranslate">\({tex}\)</span>' for tex in (r"\theta", r"\theta &gt; 0")
    )
    assert words(explained(f"<p>with {theta} and {more}</p>", "Zhan & Du")) == [r"\(\theta\)"]
    assert words(explained(f"<p>with {theta}</p>", "Guo")) == []


@pytest.mark.slow
def test_a_meaning_shows_for_mouse_keyboard_and_touch(tmp_path, chromium):
    for name in ("site.css", "site.js"):
        (tmp_path / name).write_text((ROOT / "book" / "_static" / name).read_text(encoding="utf-8"))
    prose = explained("<p>Trees as ID3 grows them, and kCG.</p>").replace("../book/", "")
    (tmp_path / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="stylesheet" href="site.css">'
        f'<article class="bd-article">{prose}</article><script src="site.js"></script>'
    )
    with opened(chromium, tmp_path, "index.html") as window:
        note, word = window.locator("#note-term-ID3"), window.get_by_role("link", name="ID3")
        assert not note.is_visible()
        word.hover()
        assert note.is_visible()
        window.keyboard.press("Escape")
        assert not note.is_visible()
        window.mouse.move(0, 400)
        word.focus()
        assert note.is_visible()
        assert "it needs only counts" in window.evaluate(
            "() => document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
        )
    with opened(chromium, tmp_path, "index.html", has_touch=True) as window:
        window.get_by_role("link", name="kCG").tap()
        assert window.locator("#note-term-kCG").is_visible() and window.url.endswith("index.html")
        window.get_by_role("link", name="kCG").tap()
        window.wait_for_url("**/symbols.html#term-kCG")
    with opened(chromium, tmp_path, "index.html", java_script_enabled=False) as window:
        window.keyboard.press("Tab")
        assert window.locator("#note-term-ID3").is_visible()
