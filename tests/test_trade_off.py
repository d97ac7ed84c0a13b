"""Chapter 5's planes, live: in a real browser, by mouse, touch and keyboard, against the frame that they are drawn from."""

import re

import numpy as np
import pandas as pd
import pytest
from browser import opened

from ppdm.book.site import trade_off
from ppdm.places import find_root

STATIC = find_root() / "book" / "_static"
SCHEMES = {
    "undisguised": ("", [0]),
    "three groups": ("θ", [0.6, 0.75, 0.9]),
    "fair coins": ("q", [0.1, 0.5]),
    "AIBR": ("k", [4]),
}
ATTACKS = [
    ("others", "the class"),
    ("shares", "the class"),
    ("others", "which report is hers"),
    ("own list", "the class"),
]


def plane() -> pd.DataFrame:
    """A frame as the chapter saves it, with random heights; AIBR grows no tree; one value lies outside all levels."""
    rng, rows = np.random.default_rng(5), []
    for name, where in (("pima", "fig-plane-pima"), ("breast-cancer-wisconsin", "fig-plane")):
        for scheme, (symbol, settings) in SCHEMES.items():
            for at in settings:
                nb, id3 = rng.uniform(0.3, 1, 2)
                rows += [
                    {"dataset": name, "scheme": scheme, "symbol": symbol, "parameter": at, "knowledge": knowledge, "goal": goal,
                     "guess": rng.uniform(0.05, 1), "blind": 0.3, "bound": scheme == "AIBR",
                     "nb": nb, "id3": np.nan if scheme == "AIBR" else id3, "evidence": where}
                    for knowledge, goal in ATTACKS
                ]  # fmt: skip
    return pd.DataFrame(rows)


PLANE = plane()
CANCER = PLANE[PLANE["dataset"] == "breast-cancer-wisconsin"]
SHOWN = CANCER[
    (CANCER["goal"] == "the class")
    & (CANCER["knowledge"] == "others")
    & (CANCER["scheme"] != "undisguised")
]


@pytest.fixture(scope="module", params=[1366, 390], ids=["wide", "narrow"])
def page(request, tmp_path_factory, chromium):
    """A chapter's page with its figure; the points come alive when asked, and what that takes is loaded then."""
    site = tmp_path_factory.mktemp("plane")
    results, static, notebooks = site / "results" / "05_which", site / "_static", site / "notebooks"
    for folder in (results, static, notebooks):
        folder.mkdir(parents=True)
    PLANE.to_csv(results / "plane.csv", index=False)
    trade_off.write(static, results.parent)
    for name in ("site.js", "widgets.js", "trade_off.js", "site.css"):
        (static / name).write_text((STATIC / name).read_text(encoding="utf-8"), encoding="utf-8")
    (notebooks / "05.html").write_text(
        '<!doctype html><html lang="en" data-content_root="../"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<title>T</title><link rel="stylesheet" href="../_static/site.css"><main><figure id="fig-plane">A figure.</figure></main>'
        '<script src="../_static/site.js"></script>'
    )
    size = {"viewport": {"width": request.param, "height": 800}, "has_touch": True}
    with opened(chromium, site, "notebooks/05.html", **size) as window:
        assert window.locator(".trade-off").count() == 0
        window.get_by_role("button", name="Take hold").click()
        window.wait_for_selector(".trade-off svg")
        folded = window.locator(".trade-off summary")
        assert folded.count() == (request.param == 390)  # on a phone the picture comes first
        if folded.count():
            folded.click()
        yield window


def choose(page, name: str) -> None:
    """By the keyboard: to the radio button by focus, then Space."""
    page.get_by_role("radio", name=name, exact=True).focus()
    page.keyboard.press("Space")


def readings(page) -> dict[str, str]:
    names = page.locator(".trade-off dt").all_inner_texts()
    return dict(zip(names, page.locator(".trade-off dd").all_inner_texts(), strict=True))


def asserts(page, row, learner: str = "nb") -> None:
    """The page says what the frame says, to the digits shown, and where it is from."""
    said = readings(page)
    level = CANCER[CANCER["scheme"] == "undisguised"][learner].iloc[0]
    least = "at least " if row["bound"] else ""
    assert (said["Balanced accuracy"], said["undisguised"]) == (
        f"{row[learner]:.3f}",
        f"{level:.3f}",
    )
    assert said[f"The attacker {trade_off.GOALS[row['goal']]}"] == f"{least}{row['guess']:.3f}"
    assert said["blind guess"] == "0.300" and said["majority class"] == "0.500"
    assert page.locator(".trade-off .said a").get_attribute("href") == "#fig-plane"
    label = page.locator(".trade-off svg").get_attribute("aria-label")
    assert f"{row[learner]:.3f}" in label and f"{row['guess']:.3f}" in label


def test_every_setting_by_keyboard_and_what_is_better_is_named(page):
    assert page.get_by_role("radio", name="Breast Cancer", exact=True).is_checked()
    for scheme, part in SHOWN.groupby("scheme"):
        choose(page, str(scheme))
        slider = page.get_by_role("slider")
        assert slider.count() == (len(part) > 1)  # of one setting there is nothing to move
        for place, row in enumerate(part.sort_values("parameter").to_dict("records")):
            if len(part) > 1:
                slider.focus()
                page.keyboard.press("ArrowRight" if place else "Home")
                assert slider.get_attribute("aria-valuetext") == f"{row['parameter']:g}"
            asserts(page, row)
            others = SHOWN[(SHOWN["guess"] < row["guess"]) & (SHOWN["nb"] > row["nb"])]
            words = page.locator(".trade-off .said").inner_text()
            assert ("Better on both axes" in words) == bool(len(others))
            if len(others):
                pair = re.search(r"accuracy ([\d.]+), attacker ([\d.]+)\)", words).groups()
                assert pair in {
                    (f"{a:.3f}", f"{b:.3f}") for a, b in zip(others["nb"], others["guess"])
                }


def test_without_a_plane_nothing_is_offered(tmp_path):
    trade_off.write(tmp_path, tmp_path / "no results")
    assert '"settings":[]' in (tmp_path / "trade_off_data.js").read_text(encoding="utf-8")
