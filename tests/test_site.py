"""The pages made from results: what they say, and that they cannot break a build."""

import csv
import json
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from browser import opened
from bs4 import BeautifulSoup

from ppdm.book.site import (
    api,
    gallery,
    generate,
    runs,
    scoreboard,
    theme,
)
from ppdm.book.site.records import read_records
from ppdm.places import find_root

ROOT = find_root()
VERDICTS = [
    "reproduced",
    "reproduced under a condition",
    "not reproduced",
    "wrong",
    "cannot be tested",
]
COLUMNS = ["id", "paper", "where", "printed", "ours", "low", "high", "rule", "verdict", "note"]
PICTURE = (
    '<figure class="ppdm drawn" id="fig-{0}"><svg role="img" aria-label="It falls from 1 to 0 &amp; stays"'
    ' xmlns="http://www.w3.org/2000/svg"><g/></svg><figcaption>It is seen. <span class="files">SVG</span></figcaption></figure>'
)


def write_csv(path, header, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture
def tree(tmp_path):
    """A staged tree with one decided chapter and one that has not run."""
    source, results = tmp_path / "src", tmp_path / "results"
    claims = source / "book" / "claims"
    claims.mkdir(parents=True)
    (source / "notebooks").mkdir()
    (source / "book" / "chapters.yml").write_text((ROOT / "book" / "chapters.yml").read_text())
    entry = {"paper": "zhan-matwin", "where": "Section 4", "rule": {"name": "identity"}}
    entries = [
        {
            "id": f"ZM-{i}",
            "claim": f"For *p* < `q` and $x$, claim {i}.",
            **entry,
            "central": i in (1, 2),
        }
        for i in range(5)
    ]
    (claims / "01_electronic_surveys.yml").write_text(yaml.safe_dump(entries))
    (claims / "changes.yml").write_text(
        "claims:\n  ZM-1: {rule: x, status: before}\n  ZM-2: {rule: y, status: together}\n"
        "changes:\n- {claims: [ZM-2], what: threshold, old: '.1', new: '<.2>', before: not reproduced,\n"
        "   after: reproduced, reason: It was a slip.}\n"
    )
    other = [
        {
            "id": "ZD-1",
            **entry,
            "paper": "zhan-du",
            "claim": "Not run.",
            "printed": "0.37",
            "central": True,
        }
    ]
    (claims / "02_multi_group.yml").write_text(yaml.safe_dump(other))
    chapter = results / "01_electronic_surveys"
    rows = [
        [f"ZM-{i}", "zhan-matwin", "Section 4", "", "0.25", "0.2", "0.3", "identity", verdict, ""]
        for i, verdict in enumerate(VERDICTS)
    ]
    rows[3][-1] = "0.2 is less than <0.3>"
    write_csv(chapter / "claims.csv", COLUMNS, *rows)
    write_csv(
        chapter / "readings.csv",
        ["question", "choice", "alternatives", "effect"],
        ["Which split?", "the median", "the middle", "accuracy 0.80 to 0.75"],
    )
    html = [PICTURE.format("first"), PICTURE.format("believed").replace("falls", "rises")]
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# Surveys\n"]}]
    cells += [
        {
            "cell_type": "code",
            "metadata": {},
            "source": [],
            "outputs": [{"data": {"text/html": [h]}}],
        }
        for h in html
    ]
    (source / "notebooks" / "01_electronic_surveys.ipynb").write_text(json.dumps({"cells": cells}))
    note = {
        "size": "the paper's size", "seed": 7, "sizes": {"reps": 1000}, "settings": {}, "seconds": 95.2,
        "data": {"adult": {"rows": 48842, "sha256": {}}}, "versions": {"numpy": "2.4.6"},
        "machine": {"processor": "P", "cores": 2, "memory_gib": 24, "system": "S"},
        "commit": "abc", "finished": "2026-01-01 00:00 UTC",
    }  # fmt: skip
    (tmp_path / "provenance").mkdir()
    (tmp_path / "provenance" / "01_electronic_surveys.json").write_text(json.dumps(note))
    return source, results


@pytest.fixture
def records(tree):
    return read_records(*tree)


def test_the_front_page_has_a_row_a_paper_with_how_firmly(tree):
    source, results = tree
    path = results / "01_electronic_surveys" / "claims.csv"
    rows = [
        row + ",same,other,cannot_tell" if n == 0 else row + ",3,0,1"
        for n, row in enumerate(path.read_text().splitlines())
    ]
    path.write_text("\n".join(rows))
    text = scoreboard.papers(read_records(source, results))
    first, *others = BeautifulSoup(text, "html.parser").find_all("li")
    assert len(others) == 4 and "Zhan & Matwin" in first.get_text()
    assert "2 of 2 claims met" not in first.get_text()
    assert "same verdict in 6 of 8 variations, 2 cannot tell" in first.get_text()


def test_claims_of_a_second_page_stand_with_their_paper_and_lead_there(tree):
    source, results = tree
    claims = source / "book" / "claims"
    known = yaml.safe_load((claims / "01_electronic_surveys.yml").read_text())
    (claims / "01_electronic_surveys.yml").write_text(
        yaml.safe_dump([c for c in known if c["id"] != "ZM-1"])
    )
    (claims / "01_beyond.yml").write_text(yaml.safe_dump([c for c in known if c["id"] == "ZM-1"]))
    history = claims / "changes.yml"
    ids = [*(c["id"] for c in known), "ZD-1"]
    rules = "".join(f"  {id}: {{rule: x, status: before}}\n" for id in ids)
    history.write_text(f"claims:\n{rules}changes: []\n")
    rows = (results / "01_electronic_surveys" / "claims.csv").read_text().splitlines(keepends=True)
    (results / "01_beyond").mkdir()
    (results / "01_beyond" / "claims.csv").write_text(
        rows[0] + "".join(r for r in rows if r.startswith("ZM-1,"))
    )
    records = read_records(source, results)
    assert [c["id"] for c in records.claims] == ids  # in the paper's order
    text = scoreboard.scoreboard(records)
    assert 'href="../notebooks/01_beyond.html#claim-ZM-1"' in text


def test_the_history_of_rules_is_told(records):
    text = scoreboard.rules_history(records)
    assert 'id="rule-zm-1"' in text
    assert "&lt;.2&gt;" in text
    assert "not reproduced → reproduced" in text
    assert scoreboard.rule_counts(records).startswith("Of the rules of 2 claims, 1 were fixed")
    assert 'rules_history.html#rule-zm-2">settled after the first result' in scoreboard.scoreboard(
        records
    )


def test_the_scoreboard_has_every_claim_with_its_evidence_the_main_ones_first(records):
    text = scoreboard.scoreboard(records)
    rows = BeautifulSoup(text, "html.parser").select("tbody tr")
    assert [row["id"] for row in rows] == ["ZM-1", "ZM-2", "ZD-1", "ZM-0", "ZM-3", "ZM-4"]
    assert ["data-main" in row.attrs for row in rows] == [True, True, True, False, False, False]
    assert 'href="../notebooks/01_electronic_surveys.html#claim-ZM-3"' in text
    assert "02_multi_group.html#" not in text  # what has not run has no evidence to lead to
    assert "For <em>p</em> &lt; <code>q</code>" in text
    assert "0.2 is less than &lt;0.3&gt;" in text
    assert "not decided: the chapter has not been run" in text
    assert not re.search(r"\b(holds|fails)\b", text, re.IGNORECASE)


def test_ambiguities_come_from_the_readings(records):
    text = scoreboard.ambiguities(records)
    assert "Which split?" in text
    assert "accuracy 0.80 to 0.75" in text
    empty = records._replace(readings={})
    assert scoreboard.ambiguities(empty) == "No chapter has been run yet.\n"


def test_runs_show_the_fingerprint_and_the_last_verification_of_this_very_run(tree):
    source, results = tree
    stem = "01_electronic_surveys"
    (results / stem / "manifest.json").write_text('{"fingerprint": "0123456789abcdef"}')
    text = runs.runs(read_records(source, results))
    link = f'<a href="../_static/manifests/{stem}.json.gz" download><code>0123456789ab</code></a>'
    assert link in text and "not yet since this run" in text
    note = {
        "fingerprint": "0123456789abcdef", "equal": 19, "close": 1, "different": 0, "wrong": 0,
        "when": "2026-01-02 00:00 UTC", "versions": {"python": "3.13.0", "numpy": "2.4.6"},
    }  # fmt: skip
    kept = results.parent / "verified.json"
    kept.write_text(json.dumps({stem: note}))
    found = "2026-01-02 00:00 UTC, Python 3.13.0, numpy 2.4.6: 19 points agree to the bit, 1 to the last digits"
    assert found in runs.runs(read_records(source, results))
    kept.write_text("")  # broken notes stop nothing
    (results / stem / "manifest.json").write_text("")
    assert "<code>" not in runs.runs(read_records(source, results))
    runs.publish_manifests(results, source / "manifests")
    assert (source / "manifests" / f"{stem}.json.gz").is_file()


def test_the_card_shows_the_figure_that_was_named(records):
    text = gallery.cards(records)
    assert ":img-top: _static/figures/01_electronic_surveys/believed.svg" in text
    assert ":img-alt: " in text
    assert text.count("{grid-item-card}") == 1


def test_everything_is_generated_even_where_nothing_has_run(tree, tmp_path):
    source, results = tree
    shutil.copy(ROOT / "book" / "paper_figures.yml", source / "book")
    generate(source, results)
    beside = (source / "book" / "_generated" / "paper_figures.md").read_text()
    assert "Figures 1 and 2" in beside and "a drawing: nothing to compute" in beside
    assert (source / "book" / "_static" / "trade_off_data.js").is_file()
    generated = {p.name for p in (source / "book" / "_generated").iterdir()}
    pages = "".join(p.read_text() for p in (ROOT / "book").glob("*.md"))
    for name in (
        "papers",
        "tally",
        "cards",
        "scoreboard",
        "ambiguities",
        "runs",
        "api",
    ):
        assert f"{name}.md" in generated
        assert f"_generated/{name}.md" in pages
    with open(source / "book" / "_static" / "claims.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["ZM-0", "ZM-1", "ZM-2", "ZM-3", "ZM-4", "ZD-1"]
    generate(source, tmp_path / "nothing")
    assert (
        "No chapter has been run yet"
        in (source / "book" / "_generated" / "ambiguities.md").read_text()
    )


def test_the_scoreboard_is_sorted_and_filtered(records, tmp_path, chromium):
    for claim, same in zip(records.claims, (1, 4, 2, 3, 0, ""), strict=True):
        claim |= {"same": str(same), "other": str(4 - same) if same != "" else ""}
    table = scoreboard.scoreboard(records).replace("````{raw} html", "").replace("````", "")
    script = (ROOT / "book" / "_static" / "scoreboard.js").read_text()
    (tmp_path / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>S</title><div id="filters"></div>{table}<script>{script}</script>'
    )

    def shown(page):
        return [row.get_attribute("id") for row in page.locator("tbody tr:visible").all()]

    with opened(chromium, tmp_path, "index.html?verdict=wrong") as page:
        assert shown(page) == ["ZM-3"]
        assert page.locator("output").inner_text() == "1 of 6 claims"
        page.get_by_role("button", name="Show all 6 claims").click()
        assert len(shown(page)) == 6 and page.get_by_role("button", name="Show all").is_disabled()
        page.get_by_role("button", name="Same verdict in").click()
        assert shown(page) == ["ZM-4", "ZM-0", "ZM-2", "ZM-3", "ZM-1", "ZD-1"]
        page.get_by_role("button", name="Same verdict in").click()
        assert shown(page)[0] == "ZD-1" and "sort=-same" in page.url
        assert page.locator("th[aria-sort=descending]").inner_text() == "Same verdict in"
        page.get_by_role("button", name="Verdict", exact=True).click()
        assert shown(page)[0] == "ZM-3"
        page.locator("select[name=paper]").select_option("Zhan & Du")
        assert shown(page) == ["ZD-1"] and "paper=zhan-du" in page.url
        page.locator("select[name=paper]").select_option("")
        page.locator("input[name=words]").fill("LESS than")
        assert shown(page) == ["ZM-3"]
    with opened(
        chromium, tmp_path, "index.html"
    ) as page:  # before anything is asked: the main claims
        assert shown(page) == ["ZM-1", "ZM-2", "ZD-1"]
        page.get_by_role("checkbox").uncheck()
        assert len(shown(page)) == 6
    with opened(chromium, tmp_path, "index.html#ZM-3") as page:
        assert page.locator("#ZM-3 details").get_attribute("open") is not None
    with opened(chromium, tmp_path, "index.html", java_script_enabled=False) as page:
        assert len(shown(page)) == 6


def test_a_table_too_wide_for_a_phone_becomes_cards_that_say_their_columns(tmp_path, chromium):
    static = find_root() / "book" / "_static"
    wide = "A sentence that needs room beside three other columns of words. "
    (tmp_path / "index.html").write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><title>T</title><meta name=viewport content='width=device-width'>"
        f"<style>{(static / 'site.css').read_text()} td {{white-space: nowrap}}</style>"
        "<article class=bd-article><div style='overflow-x: auto'>"
        "<table><thead><tr><th></th><th colspan=2>ours</th></tr><tr><th>set</th><th>low</th><th>high</th></tr></thead>"
        f"<tbody><tr><th rowspan=2>Adult</th><td>{wide}</td><td>2</td></tr><tr><td>3</td><td></td></tr></tbody></table></div>"
        "<div><table id=small><thead><tr><th>q</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table></div></article>"
        f"<script>{(static / 'site.js').read_text()}</script>"
    )
    for width, carded in ((1366, 0), (390, 1)):
        with opened(
            chromium, tmp_path, "index.html", viewport={"width": width, "height": 800}
        ) as page:
            assert page.locator("table.carded").count() == carded
            assert (
                page.evaluate(
                    "[...document.querySelectorAll('div')].every((d) => d.scrollWidth <= d.clientWidth)"
                )
                == bool(carded)
                or width > 390
            )
    with opened(chromium, tmp_path, "index.html", viewport={"width": 390, "height": 800}) as page:
        second = page.get_by_role("row").nth(3)  # the name of a group stands in each of its rows
        assert second.get_by_role("rowheader").inner_text() == "Adult"
        assert page.locator("[data-label]").evaluate_all(
            "(all) => all.map((c) => c.dataset.label)"
        ) == ["ours low", "ours high", "ours low"]


MODULE = '''"""A part. [Eq. 5] Uses <b>, *stars*, 2*3, x_ and `M[y, x]`.

a    one, [each] once
b.c  the *second*
"""
from typing import NamedTuple

def shown(x: int, *, y: float = 2.0) -> str:
    """Says it, see :class:`Pair`::

        x = 2 * y

    Parameters
    ----------
    theta : float
        The chance,
        not 1/2.

    Set in without a sign:
        a * b | c

    >>> 1 * 1
    1
    """

def _hidden():
    """No."""

class Pair(NamedTuple):
    """Two, as `shown` has them."""
    a: int
    b: int = 3

    @property
    def total(self):
        """Both."""
'''


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The page of a small package's room, as Sphinx makes it without a warning, and its front page."""
    folder = tmp_path_factory.mktemp("reference")
    room = folder / "pack" / "room"
    room.mkdir(parents=True)
    (folder / "pack" / "__init__.py").write_text('"""All."""')
    (room / "__init__.py").write_text('"""A room. It is small."""')
    (room / "part.py").write_text(MODULE)
    listed = api.write_pages(folder / "pack", folder / "src" / "book" / "api")
    (folder / "src" / "index.md").write_text(f"# All\n\n{listed}\n`shown()` and `nowhere`\n")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
    kept = {
        k: v
        for k, v in config.items()
        if k.startswith(("autodoc", "default_role", "nitpick", "add_mod", "python_"))
    }
    extensions = ["myst_parser", "ppdm.book.site.api", "ppdm.book.site.links"]
    lines = [f"{name} = {value!r}" for name, value in ({"extensions": extensions} | kept).items()]
    (folder / "src" / "conf.py").write_text(
        "\n".join(["import sys; sys.path.insert(0, '..')", *lines])
    )
    job = [sys.executable, "-m", "sphinx", "-W", "-n", "-q", "--keep-going", "src", "out"]
    done = subprocess.run(job, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [BeautifulSoup((folder / "out" / name).read_text(), "html.parser").select_one(".body")
            for name in ("book/api/room.html", "index.html")]  # fmt: skip


def test_the_reference_shows_docstrings_as_they_are_meant(reference):
    page, _ = reference
    text = " ".join(page.get_text().split())
    assert "[Eq. 5] Uses <b>, stars, 2*3, x_ and M[y, x]." in text
    assert [
        em.get_text() for em in page.find_all("em") if em.get_text() in ("stars", "second")
    ] == ["stars", "second"]
    assert [li.get_text() for li in page.select("section ul > li")] == [
        "a: one, [each] once",
        "b.c: the second",
    ]
    code = [pre.get_text() for pre in page.find_all("pre")]
    assert code == ["x = 2 * y\n", "a * b | c\n", ">>> 1 * 1\n1\n"]
    assert "The chance, not 1/2." in text


def test_the_reference_has_what_is_public_and_is_linked(reference):
    page, front = reference
    names = {dt["id"] for dt in page.select("dt.sig[id]")}
    assert names == {"pack.room.part.shown", "pack.room.part.Pair", "pack.room.part.Pair.total"}
    signature = "".join(page.find(id="pack.room.part.shown").get_text().split())
    assert "shown(x,*,y=2.0)" in signature
    assert page.select_one('dl.class a[href="#pack.room.part.shown"]')
    assert "A room." in front.get_text()
    assert (
        front.select_one('a[href="book/api/room.html#pack.room.part.shown"]').get_text()
        == "shown()"
    )
    assert "nowhere" not in "".join(a.get_text() for a in front.find_all("a"))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("<th></th>", "<td></td>"),
        ('<th class="blank level0" >&nbsp;</th>', '<td class="blank level0" ></td>'),
        ('<summary aria-label="Toggle hidden content">', "<summary>"),
        (
            '<i class="theme-switch fa" data-mode="light" title="Light"></i>',
            '<i class="theme-switch fa" data-mode="light" aria-hidden="true"></i>',
        ),
        ("<th>q</th>", "<th>q</th>"),
    ],
)
def test_the_theme_is_mended(wrong, right):
    assert theme.mend_page(wrong) == right
    assert theme.mend_page(right) == right


def test_a_formula_gets_the_room_that_a_browser_measured(tmp_path):
    path = tmp_path / "a.html"
    path.write_text(theme.mend_page(r'<p><span class="math notranslate">\(a &lt; b\)</span></p>'))
    theme.give_room(tmp_path, {("a < b", False): 3.25})
    assert path.read_text().count("--room") == path.read_text().count("--room:3.25em") == 1
