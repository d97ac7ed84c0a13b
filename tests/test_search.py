"""Search by sections: the index, the ranking in a real browser, and the sixteen questions on the built book."""

import pytest
from browser import opened

from ppdm.book.site import search
from ppdm.places import find_root

ROOT = find_root()
SITE = ROOT / "_build" / "html"
STATIC = ROOT / "book" / "_static"

PAGE = """<html><body><article><section id="top"><h1>A chapter</h1><p>About coins.</p>
<section id="deep"><h2>The majority class</h2><p>With \\(\\theta = 0.7\\) it wins.</p>
<div class="cell_input"><pre>hidden_code()</pre></div></section></section></article></body></html>"""
API = """<html><body><article><section id="module-x"><h1>ppdm.x</h1>
<p>majority class majority class majority class</p></section></article></body></html>"""


@pytest.fixture
def site(tmp_path):
    """Two small pages and a results page as Sphinx writes it."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "book" / "api").mkdir(parents=True)
    (tmp_path / "book" / "a.html").write_text(PAGE)
    (tmp_path / "book" / "api" / "x.html").write_text(API)
    (tmp_path / "search.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>S</title>'
        '<script src="_static/searchtools.js"></script><script src="searchindex.js"></script></head>'
        '<form><input name="q"></form><div id="search-results"></div>'
    )
    (tmp_path / "searchindex.js").write_text("")
    (tmp_path / "_static" / "search.js").write_text(
        (STATIC / "search.js").read_text("utf-8"), "utf-8"
    )
    return tmp_path


def test_sections_are_told_in_words_without_code():
    found = search.sections("book/a.html", PAGE)
    assert [(s.anchor, s.heading, s.text) for s in found] == [
        ("top", "A chapter", "About coins."),
        ("deep", "The majority class", "With θ = 0.7 it wins."),
    ]


def test_a_place_that_is_gone_is_refused(site):
    words = site / "words.yml"
    words.write_text("book/a.html#gone: [x]\nbook/not_built.html#y: [z]\n")
    with pytest.raises(
        ValueError, match=r"words.yml names places that no page has: book/a.html#gone"
    ):
        search.write_index(site, words)


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from disk"])
def test_the_results_page_lists_sections_the_reference_last(site, chromium, disk):
    words = site / "words.yml"
    words.write_text("book/a.html#top: [how to toss]\n")
    assert search.write_index(site, words) == 3
    assert not (site / "searchindex.js").exists()
    with opened(chromium, site, "search.html") as page:
        start = site.as_uri() if disk else page.url.rsplit("/", 1)[0]
        page.goto(f"{start}/search.html?q=Majority+class")
        links = page.locator("ol.found a")
        assert links.all_inner_texts() == ["The majority class", "ppdm.x"]
        assert "book/a.html?highlight=Majority%20class#deep" in links.first.get_attribute("href")
        assert page.locator("h2").inner_text() == "2 sections"
        page.goto(f"{start}/search.html?q=how+to+toss")
        assert links.all_inner_texts()[0] == "A chapter"
        page.goto(f"{start}/search.html?q=%CE%B8+%3D+0.7")
        assert page.locator("mark").all_inner_texts() == ["θ", "0.7"]
        page.goto(f"{start}/search.html?q=zebra")
        assert page.locator("h2").inner_text() == "Nothing was found"


# What a reader asks, and the pages whose section should come first.
QUESTIONS = {
    "majority class": ["01_"], "Warner": ["00_primer"], "J48": ["03_"], "epsilon": ["symbols"],
    "how many groups": ["02_"], "SPEA2": ["04_"], "condensation": ["03_"], "PSE": ["01_"],
    "download the data": ["00_data"], "seed": ["how_to"], "exercise": ["assignments", "exercises"],
    "cite": ["references"], "five points": ["02_"], "who can be traced": ["03_"],
    "wrong in the paper": ["errata"], "θ = 0.7": ["02_", "00_primer"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not (SITE / "search.html").is_file(), reason="the book is not built")
@pytest.mark.parametrize("query", QUESTIONS)
def test_the_built_book_answers(chromium, query):
    from urllib.parse import quote

    with opened(chromium, SITE, f"search.html?q={quote(query)}") as page:
        first = page.locator("ol.found a").first.get_attribute("href")
        assert any(part in first for part in QUESTIONS[query]), first
