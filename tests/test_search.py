"""Search by sections: the index, the ranking in a real browser, and questions to the built book."""

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
    (tmp_path / "index.html").write_text("<title>S</title>")
    (tmp_path / "searchindex.js").write_text("")
    (tmp_path / "_static" / "search.js").write_text(
        (STATIC / "search.js").read_text("utf-8"), "utf-8"
    )
    return tmp_path


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


#: What readers ask, and the beginnings of the pages of which one should come first: 32 questions before the index at the
#: back of the book was written (18 were answered then, 8 by Sphinx's own search), and 32 after that.
BEFORE = {
    "what is a randomized response survey": "00_primer", "why flip a coin before answering": "00_primer",
    "can I trust one report at q = .1": "01_", "does OptRR beat Warner": "04_",
    "which scheme should I use for my class": "which_one your_survey first_lecture",
    "how many people do I have to ask": "which_one your_survey 00_primer",
    "how do I run chapter 2 with 20 repetitions": "run_it", "install the package": "run_it",
    "how well does an attacker guess my answer": "00_primer 01_ 02_ 05_",
    "decision tree from disguised answers": "02_", "naive bayes from disguised answers": "01_",
    "what does a verdict mean": "how_to", "which rules were written after the results": "rules_history how_to",
    "errors in the papers": "scoreboard", "what does the collector learn about me": "00_primer",
    "what is privacy of a single entry": "01_ symbols", "tracing people in a published table": "03_",
    "singular value decomposition": "03_", "genetic algorithm for matrices": "04_",
    "best possible matrix lower bound": "04_", "homework with automatic grading": "assignments lecturers",
    "slides for a lecture": "lecturers first_lecture", "where does the Adult data come from": "00_data",
    "missing values in the data": "00_data", "ethics board text for respondents": "your_survey",
    "survey on phones with a QR code": "your_survey first_lecture", "data larger than memory": "at_scale",
    "how do I cite this book": "references", "meaning of theta": "symbols",
    "differential privacy of a coin": "symbols 05_ 00_primer", "get the same numbers with a seed": "run_it",
    "athletes and drug tests": "00_primer",
}  # fmt: skip
AFTER = {
    "how can lying give honest statistics": "00_primer", "what happens if I always tell the truth": "00_primer",
    "how wide is the interval with a thousand respondents": "00_primer which_one your_survey",
    "is anybody's answer really hidden": "01_beyond 00_primer 02_beyond",
    "difference between accuracy and balanced accuracy": "01_electronic",
    "does the tree get worse with more groups": "02_", "how many groups are best": "02_ 05_which",
    "what is kCG": "03_ symbols", "can original values be guessed from the released data": "03_",
    "is AIBR the best method": "03_", "what is the frontier": "04_beyond",
    "how long does the search take": "04_optrr what_was_run",
    "expectation maximization estimate": "04_optrr 04_beyond", "compare all four papers": "05_which",
    "who should I be afraid of": "which_one", "example survey file": "your_survey",
    "can I do it on paper without computers": "first_lecture your_survey lecturers",
    "how are students graded": "lecturers assignments", "what do students learn": "lecturers",
    "where are the solutions of the exercises": "solutions assignments lecturers",
    "number of records in Adult": "00_data 02_beyond", "Pima diabetes data": "00_data",
    "what does the strip under a card show": "how_to", "why is a claim not reproduced": "how_to scoreboard",
    "which formula in the paper is wrong": "scoreboard 01_ 02_", "run the book offline without internet": "run_it",
    "use another seed": "run_it", "open in colab": "run_it", "use polars data frame": "at_scale",
    "what is epsilon": "symbols 05_ 04_beyond", "association rules from disguised data": "02_beyond",
    "clustering of disguised records": "01_beyond",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not (SITE / "search.html").is_file(), reason="the book is not built")
@pytest.mark.parametrize("questions", [BEFORE, AFTER], ids=["before", "after"])
def test_the_built_book_answers_28_of_32_questions(chromium, questions):
    with opened(chromium, SITE, "search.html") as page:
        first = page.evaluate(
            "asked => { const index = ppdmSearch.prepare(ppdmSearchIndex);"
            "return asked.map((query) => (ppdmSearch.find(index, query, 1)[0] || {page: ''}).page); }",
            list(questions),
        )
    lost = [
        (query, place)
        for (query, pages), place in zip(questions.items(), first, strict=True)
        if not place.partition("/")[2].startswith(tuple(pages.split()))
    ]
    assert len(questions) == 32 and len(lost) <= 4, lost
