"""The primer's pictures to take hold of, in a real browser, against the package's own numbers."""

import re

import numpy as np
import pandas as pd
import pytest
from browser import opened

from ppdm import RRMatrix, count
from ppdm.estimate import inversion, inversion_se
from ppdm.places import find_root

STATIC = find_root() / "book" / "_static"
SETTINGS = [(0.7, 0.3), (0.55, 0.3), (0.45, 0.9), (0.95, 0.05), (0.3, 0.5), (0, 0.2), (1, 0.2),
            (0.6, 0), (0.4, 1), (0.55, 0.95)]  # fmt: skip


@pytest.fixture(scope="module", params=[1366, 390], ids=["wide", "narrow"])
def page(request, tmp_path_factory, chromium):
    """The games alone, without the book around them."""
    folder = tmp_path_factory.mktemp("hundred")
    places = "".join(
        f'<div id="{name}"></div>' for name in ("hundred", "many-more", "collector-answers")
    )
    scripts = "".join(
        f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>"
        for name in ("formulas.js", "widgets.js", "hundred.js")
    )
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>H</title>{places}{scripts}'
    )
    size = {"viewport": {"width": request.param, "height": 800}, "has_touch": request.param < 400}
    with opened(chromium, folder, "index.html", **size) as opened_page:
        yield opened_page


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


@pytest.mark.parametrize(("theta", "share"), SETTINGS)
def test_what_a_hundred_answers_show_is_what_the_package_says(page, theta, share):
    page.locator("#hundred-theta").fill(str(theta))
    page.locator("#hundred-share").fill(str(share))
    page.locator("#hundred button").first.click()  # asks, and asks again with new coins
    said = page.locator("#hundred .said").inner_text().replace("−", "-")
    shape = r"(\d+) of 100 say yes; (\d+) have cheated. Undone: (\S+), .* from (\S+) to (\S+)\. ?"
    yes, have, undone, low, high = map(float, re.search(shape, said).groups())
    M = RRMatrix.warner(2, theta).M
    assert have == round(100 * share)
    expected = inversion([100 - yes, yes], M)[1]
    error = inversion_se([100 - yes + 1, yes + 1], M)[1] * np.sqrt(102 / 100)  # kept off 0
    assert undone == pytest.approx(expected, abs=0.0051)
    assert (low, high) == pytest.approx(
        (expected - 1.96 * error, expected + 1.96 * error), abs=0.0051
    )


def test_what_stands_behind_a_face_follows_what_is_set_and_asked(page):
    page.locator("#hundred-theta").fill("0")
    page.locator("#hundred button").first.click()
    page.locator("#hundred svg.faces").focus()
    page.keyboard.press("ArrowRight")
    assert "her coin said “opposite”" in page.locator("#hundred .one").inner_text()
    page.locator("#hundred-theta").fill("1")
    assert "her coin said “truth”" in page.locator("#hundred .one").inner_text()
    page.locator("#hundred button").first.click()
    says = page.locator("#hundred .looked-at").get_attribute("class")
    assert (
        f"so she says {'yes' if 'says-yes' in says else 'no'}"
        in page.locator("#hundred .one").inner_text()
    )


def test_the_line_keeps_its_ends(page):
    marks = "all => all.map((mark) => mark.textContent).join(' ')"
    seen = set()
    for theta in (0.95, 0.7, 0.55):
        page.locator("#hundred-theta").fill(str(theta))
        page.locator("#hundred button").first.click()
        seen.add(page.locator("#hundred .number-line text[y='132']").evaluate_all(marks))
    assert seen == {"−0.5 0 0.5 1 1.5"}


def test_the_collector_is_told_how_often_he_can_be_right(page):
    for turn in range(10):
        if turn:
            page.locator("#collector-answers").get_by_role("button", name="Next").click()
        before = page.locator("#collector-answers .report").inner_text()
        page.get_by_role("button", name="Her coin said “truth”").click()
        assert (
            page.locator("#collector-answers .report").inner_text() == before
        )  # its verdict stands below it
    said = page.locator("#collector-answers .said").inner_text()
    one = count(pd.DataFrame({"A": [1] * 30 + [0] * 70}))
    table = RRMatrix.warner(2, 0.7).M * one.proportions().dense  # [report, true]
    best = sum(max(table[r, r], table[r, 1 - r]) for r in (0, 1))
    assert f"is right in {round(100 * best)} % of all cases" in said
    assert re.search(r"You are right \d+ of 10 times", said)
