"""The limits of a page, measured in a browser: each is met by a good page, and told of a bad one."""

import matplotlib.pyplot  # noqa: F401  (fonts are found once)
import pandas as pd
import pytest

from ppdm import plot
from ppdm.book.check import layout
from ppdm.book.check.browser import check_pages
from ppdm.book.check.server import serving

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>x</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>html {{background: {ground}; color: {ink}}} svg {{max-width: 100%; height: auto}}
@media (max-width: 700px) {{.wide {{display: none}} .narrow {{display: block}}}}</style></head>
<body><main>{body}</main></body></html>"""


def cell(lines, tag=""):
    code = "\n".join(f"x = {i}" for i in range(lines))
    return f'<div class="cell {"tag_" + tag if tag else ""}"><div class="cell_input"><pre>{code}</pre></div></div>'


def figure():
    frame = pd.DataFrame({"q": [0, 0.5, 1], "pse": [0.5, 0.3, 0]})
    drawn = plot.privacy_curves(frame, x="q", y="pse")
    return f'<figure class="drawn" id="fig-a">{plot.element(drawn, drawn.alt, "a")}</figure>'


VERDICT = '<span class="verdict">reproduced</span>'
BAD = [
    ("<div style='height: 1200px'></div>{figure}" + VERDICT, "the end of the first figure: "),
    ("{figure}<div style='height: 3000px'></div>" + VERDICT, "the end of the first verdict: "),
    ("{figure}", "the end of the first verdict: None"),
    ("{figure}" + VERDICT + "<div style='height: 25000px'></div>", "the height of the page"),
    ("{figure}" + VERDICT + cell(16), "lines in a visible cell, 'x = 0': 16"),
    ("{figure}" + VERDICT + cell(21, "whole-paper"), "lines in a visible cell, 'x = 0': 21"),
    (
        "{figure}" + VERDICT + "<p style='font-size: 9px'>small</p>",
        "lettering of 9.0 px on a phone: small",
    ),
]


def measured(tmp_path, body, ground="#fff", ink="#111"):
    folder = tmp_path / "notebooks"
    folder.mkdir(exist_ok=True)
    for name in ("01_x", "01_beyond"):
        (folder / f"{name}.html").write_text(PAGE.format(body=body, ground=ground, ink=ink))
    (tmp_path / "index.html").write_text("x")
    names = ["notebooks/01_x.html", "notebooks/01_beyond.html"]
    with serving(tmp_path) as address:
        tape = layout.Tape()
        assert check_pages(address, names[:1], axe=False, also=tape.measure) == []
    return [f.detail for f in layout.check_layout(tape, names)]


@pytest.mark.slow
def test_a_good_page_has_no_findings(chromium_path, tmp_path):
    good = figure() + VERDICT + cell(15) + cell(20, "whole-paper") + cell(45, "pseudocode")
    assert measured(tmp_path, good) == []


@pytest.mark.slow
@pytest.mark.parametrize(("body", "said"), BAD)
def test_each_limit_is_told(chromium_path, tmp_path, body, said):
    (found,) = measured(tmp_path, body.replace("{figure}", figure()))
    assert said in found


@pytest.mark.slow
def test_pale_lettering_in_a_drawing_is_told(chromium_path, tmp_path):
    assert "contrast" in measured(tmp_path, figure() + VERDICT, ink="#999")[0]


def test_the_first_screen_the_sidebar_and_the_scoreboard_have_limits():
    good = {"entries": 25, "the picture's top": 300, "the fourth row": 890, "height": 9_000, "cells": [],
            "smallest": {}, "contrast": {}}  # fmt: skip
    assert layout.judge("book/intro.html", good, good, paper=False) == []
    low = good | {"the fourth row": 1_000, "entries": 26}
    said = [finding.detail for finding in layout.judge("book/intro.html", low, low, paper=False)]
    assert said == ["entries in the sidebar: 26; allowed 25", "the fourth row: 1000; allowed 900"]
    long = good | {"height": 12_001}
    assert len(layout.judge("book/scoreboard.html", good, long, paper=False)) == 1
    assert layout.judge("book/intro.html", good | {"the picture's top": None}, good, paper=False)
