"""The book on paper: what is gathered, what Chromium makes of it, and what the check refuses."""

import re
import shutil

import pikepdf
import pypdfium2
import pytest
from bs4 import BeautifulSoup

from ppdm.book.check.static import check_print
from ppdm.book.pdf import NAME, combine, press
from ppdm.places import find_root

ROOT = find_root()
TOC = """format: jb-book
root: book/intro
parts:
  - caption: Papers
    chapters:
      - file: notebooks/01_coins
      - file: notebooks/02_groups.ipynb
  - caption: Reference
    chapters:
      - file: book/api
"""
PAGE = """<!DOCTYPE html><html><head><link rel="stylesheet" href="../_static/own.css?v=1"></head><body>
<nav>not printed</nav><article class="bd-article"><section id="top"><h1>{title}<a class="headerlink" href="#top">#</a></h1>
{body}</section></article></body></html>"""
INTRO = """<p>Begin with <a href="../notebooks/01_coins.html#twice">coins</a>, the
<a href="api/coins.html">reference</a>, the <a href="../_static/data.csv" download>data</a> or
<a href="https://example.org/x">elsewhere</a>.</p>"""
COINS = """<section id="twice"><h2>Toss it twice, with <span class="math">\\(\\theta\\)</span></h2>
<p>See <a href="#twice">here</a>, <a href="../book/intro.html">there</a> and <a href="#twice">this</a>.</p>
<details class="hide above-input"><summary>Show code</summary><pre>secret = 1</pre></details>
<details><summary>More</summary><p>Unfolded.</p></details>
<details><summary>All verdicts of the page</summary><p>Said twice.</p></details>
<div id="game" class="try"></div><button>Press</button><div class="filters">filter</div>
<noscript>needs JavaScript</noscript><script>1</script>
<svg viewBox="0 0 9 9" width="90" height="90"><defs><clipPath id="c"><path d="M0 0h9v9z"/></clipPath></defs>
<g clip-path="url(#c)"><use xlink:href="#c"/></g></svg>
<figure><figcaption>It is seen. <span class="files"><a href="../_static/a.svg">SVG</a></span></figcaption></figure>
<style scoped>th { text-align: right; }</style>
<table><thead><tr><th>row</th></tr></thead><tbody>{rows}</tbody></table></section>
<section id="exercises"><h2>Exercises</h2><div class="exercise admonition" id="one"><p class="admonition-title">Exercise 1</p>
<p>How many?</p></div>
</section>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of a front page, two chapters and a page of the reference, with its staged source."""
    folder = tmp_path_factory.mktemp("site")
    rows = "".join(f"<tr><td>row number {n}</td></tr>" for n in range(90))
    pages = {
        "book/intro": ("A book of coins", INTRO),
        "notebooks/01_coins": ("Coins", COINS.replace("{rows}", rows)),
        "notebooks/02_groups": (
            "Groups",
            '<section id="twice"><h2>Twice again</h2><p>Much.</p></section>',
        ),
        "book/api": ("The package", "<p>What there is.</p>"),
        "book/solutions_01": (
            "Solved",
            '<div class="solution admonition" id="s"><p>Solution to Exercise 9</p></div>',
        ),
    }
    for name, (title, body) in pages.items():
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(title=title, body=body))
    (folder / "_static").mkdir()
    (folder / "_static" / "own.css").write_text("")
    shutil.copytree(ROOT / "book" / "_static" / "mathjax", folder / "_static" / "mathjax")
    source = folder / "src"
    (source / "book").mkdir(parents=True)
    (source / "book" / "solutions_01.md").write_text("")
    (source / "_toc.yml").write_text(TOC)
    (source / "_config.yml").write_text("title: A book of coins\nauthor: Ada\n")
    return folder


@pytest.fixture(scope="module")
def whole(site):
    """The combined page, parsed."""
    drawn = {"notebooks/01_coins": ["<svg class='faces'></svg>"]}
    text = combine.combine(site, site / "src" / "_toc.yml", press.imprint(site / "src"), drawn)
    return BeautifulSoup(text, "html.parser")


def test_pages_come_in_the_order_of_the_contents_and_without_the_reference(site, whole):
    pages = [page for _, page in combine.order(site / "src" / "_toc.yml")]
    assert pages == [
        "book/intro",
        "notebooks/01_coins",
        "notebooks/02_groups",
        "book/api",
        "book/solutions_01",
    ]
    titles = [h["data-words"] for h in whole.select("main h1")]
    assert titles == ["Contents", "A book of coins", "Coins", "Groups", "Solved"]
    sheet = whole.find("style").get_text()
    assert (
        '@top-left { content: "Appendix: solutions"; } @top-right { content: "Solved"; }' in sheet
    )
    assert '@top-left { content: "Papers"; } @top-right { content: "Coins"; }' in sheet


def test_every_name_is_unique_and_every_link_inside_leads_to_one(whole):
    names = [tag["id"] for tag in whole.find_all(id=True)]
    assert len(names) == len(set(names))
    inside = [a["href"][1:] for a in whole.find_all("a", href=True) if a["href"].startswith("#")]
    assert set(inside) <= set(names)
    assert {p["data-page"] for p in whole.select("[data-page]")} <= set(names)
    clip = whole.find("clippath")["id"]
    assert whole.find("g")["clip-path"] == f"url(#{clip})"
    assert whole.find("use")["xlink:href"] == f"#{clip}"


def test_what_moves_has_a_picture_and_what_one_page_says_of_its_own_table_does_not_hold_in_the_book(
    whole,
):
    main = whole.find("main")
    assert (
        len(main.select(".on-the-site .try svg.faces")) == 1
        and "This moves on the site." in main.get_text()
    )
    assert not main.select("style, script, noscript, #game")


def test_without_chromium_the_print_says_what_it_needs(site, monkeypatch, tmp_path):
    monkeypatch.setattr(press, "find_chromium", lambda: None)
    with pytest.raises(RuntimeError, match="the PDF needs Chromium .*apt-get install chromium"):
        press.press(site, site / "src", tmp_path / "b.pdf")


@pytest.fixture(scope="module")
def printed(chromium_path, site):
    """The site's PDF, opened."""
    press.press(site, site / "src", site / NAME)
    with pikepdf.open(site / NAME) as pdf:
        yield pdf


def page_texts(path) -> list[str]:
    pdf = pypdfium2.PdfDocument(path)
    texts = [page.get_textpage().get_text_bounded().replace("\r\n", "\n") for page in pdf]
    pdf.close()
    return texts


def test_the_print_is_whole(site, printed):
    assert check_print(site) == [] and printed.Root.Lang == "en"
    assert not list(site.glob("_book*"))
    pages = page_texts(site / NAME)
    (coins,) = [i for i, text in enumerate(pages, 1) if "Toss it twice" in text]
    assert any(line.split() == ["Coins", str(coins)] for line in pages[1].splitlines())
    goals = press.destinations(site / NAME)
    for page in printed.pages:  # every link inside leads to a place of the book
        for link in page.get("/Annots", []):
            goal = link.get("/Dest", link.get("/A", {}).get("/D"))
            assert goal is None or not isinstance(goal, pikepdf.Name) or str(goal)[1:] in goals
    assert re.findall(r"row\s*number\s*(\d+)", "\n".join(pages)) == [str(n) for n in range(90)]
    assert "Papers" in pages[coins - 1].replace("\n", "")
    for gone in (
        "secret",
        "Press",
        "needs JavaScript",
        "not printed",
        "SVG",
        "Said twice",
    ):
        assert gone not in "".join(pages)
    assert "Unfolded." in "".join(pages)
    titles = [str(mark.Title) for mark in press.bookmarks(printed.Root.Outlines)]
    assert titles == [
        "Contents", "A book of coins", "Coins", "Toss it twice, with θ", "Exercises", "Groups", "Twice again",
        "Solved",
    ]  # fmt: skip
