"""The living trade-off, in a real browser, driven by mouse, touch and keyboard, against the package's own numbers."""

import re

import numpy as np
import pandas as pd
import pytest
from browser import opened

from ppdm import MultiGroup, UnrelatedQuestion
from ppdm.book.site import trade_off
from ppdm.learn import NaiveBayes
from ppdm.papers import electronic_surveys as es
from ppdm.papers.electronic_surveys.beyond import respondents
from ppdm.places import find_root
from ppdm.privacy import ladder

STATIC = find_root() / "book" / "_static"
CANCER = "breast-cancer-wisconsin"
COINS, ALIKE = "unrelated question, fair coins", "unrelated question, joint look-alikes"
ONE, THREE = "multi-group, one group", "multi-group, three groups"
SETTINGS = [(COINS, 0.05), (COINS, 0.1), (COINS, 0.5), (COINS, 0.9), (ALIKE, 0.3), (ALIKE, 0.9),
            (ONE, 0.55), (ONE, 0.8), (THREE, 0.6), (THREE, 0.9)]  # fmt: skip


def scheme_at(words, at, train):
    """The package's mechanism for a line of the picture."""
    if words in (COINS, ALIKE):
        return UnrelatedQuestion(at, es.personal_records(train, words.split(", ")[1]))
    names = list(train.names)
    groups = 1 if words == ONE else 3
    return MultiGroup(at, [names[i::groups] for i in range(groups)])


def one_setting(words, at) -> dict:
    """A row as a chapter would save it: one survey of patients, one attack on others."""
    train, test = respondents(CANCER).fixed
    scheme = scheme_at(words, at, train)
    model = NaiveBayes(scheme)
    learned = model.fit_table(scheme.disguise_table(train, np.random.default_rng(round(100 * at))))
    right = learned.confusion(test)
    known, target = ladder.belief("others", train, test), train.names[-1]
    line = (
        {"kind": words.split(", ")[1], "q": at}
        if "unrelated" in words
        else {"groups": 1 if words == ONE else 3, "theta": at}
    )
    return line | {
        "dataset": CANCER,
        "attacker": ladder.vulnerability(scheme, target, known, test),
        "blind": ladder.blind(scheme, target, known, test),
        "balanced": float(np.mean(np.diag(right) / right.sum(axis=1))),
        "undisguised": 0.95,
    }


@pytest.fixture(scope="module")
def rows():
    return [one_setting(*setting) for setting in SETTINGS]


#: Values beyond every level: below the majority class, above the undisguised, worse than blind.
OUTSIDE = [
    {"dataset": "pima", "groups": 2, "theta": t, "attacker": a, "blind": 0.65, "balanced": b,
     "undisguised": 0.7, "learner": "ID3", "goal": "the whole record"}
    for t, a, b in [(0.6, 0.02, 0.31), (0.7, 0.64, 0.5), (0.9, 1.0, 0.97)]
]  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory, rows):
    """Two chapters' results; the first has drawn its figure."""
    built = tmp_path_factory.mktemp("built")
    for page, frame in {
        "01_electronic_surveys": [r for r in rows if "q" in r],
        "02_multi_group": [r for r in rows if "theta" in r] + OUTSIDE,
    }.items():
        (built / "results" / page).mkdir(parents=True)
        pd.DataFrame(frame).to_csv(built / "results" / page / "trade_off.csv", index=False)
    (built / "figures" / "01_electronic_surveys").mkdir(parents=True)
    (built / "figures" / "01_electronic_surveys" / "trade-off.svg").write_text("<svg/>")
    return built / "results"


def picture(folder, results):
    """A page with the picture alone, without the book around it."""
    folder.mkdir(exist_ok=True)
    trade_off.write(folder, results)
    scripts = "".join(
        f"<script>{(STATIC / name).read_text(encoding='utf-8')}</script>"
        for name in ("widgets.js", "trade_off.js")
    )
    style = (STATIC / "site.css").read_text(encoding="utf-8")
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>T</title><style>{style}</style><h1>T</h1><div class="try trade-off"></div>'
        f'<script src="trade_off_data.js"></script>{scripts}'
    )
    return folder


@pytest.fixture(scope="module", params=[1366, 390], ids=["wide", "narrow"])
def page(request, tmp_path_factory, chromium, results):
    folder = picture(tmp_path_factory.mktemp("plane"), results)
    size = {"viewport": {"width": request.param, "height": 800}, "has_touch": True}
    with opened(chromium, folder, "index.html", **size) as opened_page:
        folded = opened_page.locator(".trade-off summary")
        assert folded.count() == (request.param == 390)  # on a phone the picture comes first
        if folded.count():
            folded.click()
        yield opened_page


def test_it_opens_on_the_data_where_schemes_differ_with_points_that_are_named(
    tmp_path, chromium, results
):
    with opened(chromium, picture(tmp_path / "site", results), "index.html") as page:
        assert page.get_by_role("radio", name="Breast Cancer", exact=True).is_checked()
        said = page.locator(".trade-off .said strong").inner_text()
        assert (
            page.locator(".trade-off svg .soft")
            .get_by_text(said.split("= ")[1].strip(" ."), exact=True)
            .count()
        )


def shown(page) -> dict[str, str]:
    names = page.locator(".trade-off dt").all_inner_texts()
    return dict(zip(names, page.locator(".trade-off dd").all_inner_texts(), strict=True))


def asserts(page, row) -> None:
    """The page says what the package said, to the digits shown, and where it is from."""
    told = shown(page)
    assert told["Balanced accuracy"] == f"{row['balanced']:.3f}"
    assert told["undisguised"] == f"{row['undisguised']:.3f}"
    assert told["majority class"] == "0.500"
    attacker = next(value for name, value in told.items() if name.startswith("The attacker"))
    assert attacker == f"{row['attacker']:.3f}"
    assert told["blind guess"] == f"{row['blind']:.3f}"
    stem = "01_electronic_surveys.html#fig-trade-off" if "q" in row else "02_multi_group.html"
    assert page.locator(".trade-off .said a").get_attribute("href") == f"../notebooks/{stem}"
    label = page.locator(".trade-off svg").get_attribute("aria-label")
    assert f"{row['balanced']:.3f}" in label and f"{row['attacker']:.3f}" in label


def choose(page, name: str) -> None:
    """By the keyboard: to the radio button by focus, then Space."""
    page.get_by_role("radio", name=name, exact=True).focus()
    page.keyboard.press("Space")


@pytest.mark.parametrize("i", range(len(SETTINGS)))
def test_ten_settings_by_keyboard(page, rows, i):
    words, at = SETTINGS[i]
    choose(page, "Breast Cancer")
    choose(page, words)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    for _ in [a for w, a in SETTINGS if w == words and a < at]:
        page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == f"{at:g}"
    asserts(page, rows[i])


def spots(page) -> dict[str, tuple[float, float]]:
    """Where the points of the picture are, in the window, by their names."""
    page.locator(".trade-off svg").scroll_into_view_if_needed()
    return page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('.trade-off .dot')].map((dot) => {"
        "const box = dot.getBoundingClientRect();"
        "return [dot.textContent, [box.x + box.width / 2, box.y + box.height / 2]]; }))"
    )


@pytest.mark.parametrize("hand", ["mouse", "touch"])
def test_every_point_can_be_taken_hold_of(page, rows, hand):
    choose(page, "Breast Cancer")
    taken = 0
    for (words, at), row in zip(SETTINGS, rows):
        known = spots(page)
        name = f"{words}, {'q' if 'q' in row else 'θ'} = {at:g}"
        x, y = known[name]
        if hand == "mouse":
            page.mouse.move(x + 60, y)
            page.mouse.down()
            page.mouse.move(x, y, steps=3)  # dragged there
            page.mouse.up()
        else:
            page.touchscreen.tap(x, y)
        told = page.locator(".trade-off .said strong").inner_text().strip()
        if min(np.hypot(x - a, y - b) for other, (a, b) in known.items() if other != name) < 3:
            continue  # two lie on each other: either may be meant
        assert told == f"Breast Cancer, {name}."
        asserts(page, row)
        taken += 1
    assert taken >= 8


def test_nothing_is_cut_at_the_frame(page):
    choose(page, "Pima")
    frame = page.locator(".trade-off svg").bounding_box()
    assert len(spots(page)) == len(OUTSIDE)
    for x, y in spots(page).values():
        assert frame["x"] + 5 < x < frame["x"] + frame["width"] - 5
        assert frame["y"] + 5 < y < frame["y"] + frame["height"] - 5
    slider = page.get_by_role("slider")
    for place, row in enumerate(OUTSIDE):
        slider.fill(str(place))
        asserts(page, row)
    # Whoever looks closer sees every point, too, and is told where the line has gone.
    slider.fill("2")
    page.get_by_role("checkbox").check()
    heights = [y for _, y in spots(page).values()]
    frame = page.locator(".trade-off svg").bounding_box()
    assert all(frame["y"] < y < frame["y"] + frame["height"] for y in heights)
    page.get_by_role("checkbox").uncheck()
    # One scheme, one attacker, one learner: nothing else is offered.
    assert page.get_by_role("radio").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_better_point_is_named(page, rows):
    choose(page, "Breast Cancer")
    for i, (words, _) in enumerate(SETTINGS):
        choose(page, words)
        slider = page.get_by_role("slider")
        slider.fill(str(sum(w == words for w, _ in SETTINGS[:i])))
        here = rows[i]
        better = [
            r
            for r in rows
            if r["attacker"] <= here["attacker"]
            and r["balanced"] >= here["balanced"]
            and (r["attacker"], r["balanced"]) != (here["attacker"], here["balanced"])
        ]
        said = page.locator(".trade-off .said").inner_text()
        assert ("Better on both axes" in said) == bool(better)
        if better:
            named = re.search(r"accuracy ([\d.]+), attacker ([\d.]+)\)", said).groups()
            assert named in {(f"{r['balanced']:.3f}", f"{r['attacker']:.3f}") for r in better}


def plane() -> pd.DataFrame:
    """A frame as chapter 5 saves it: three schemes, two attackers, two learners (one grows no tree)."""
    rows = []
    for scheme, at, symbol, nb, id3 in [
        ("undisguised", None, "", 0.9, 0.8),
        ("three groups", 0.6, "θ", 0.7, 0.75),
        ("three groups", 0.9, "θ", 0.8, 0.79),
        ("AIBR", 4, "k", 0.6, None),
    ]:
        for knowledge, goal, guess in [
            ("others", "the class", 0.81),
            ("shares", "the class", 0.71),
            ("others", "which report is hers", 0.3),
            ("own list", "the class", 1),
        ]:
            rows.append({"dataset": "pima", "scheme": scheme, "family": "x", "parameter": at, "symbol": symbol,
                         "epsilon": 3.0, "knowledge": knowledge, "goal": goal, "guess": guess, "guess_se": 0.01, "blind": 0.2,
                         "bound": scheme == "AIBR", "nb": nb, "id3": id3, "evidence": "fig-plane-pima"})  # fmt: skip
    return pd.DataFrame(rows)


def test_a_plane_of_all_schemes_stands_for_the_chapters(tmp_path):
    built = tmp_path / "results"
    for page, name, frame in (
        ("01_x", "trade_off", pd.DataFrame(OUTSIDE)),
        ("05_which", "plane", plane()),
        ("06_other", "trade-off", pd.DataFrame(OUTSIDE).drop(columns="blind")),
    ):
        (built / page).mkdir(parents=True)
        frame.to_csv(built / page / f"{name}.csv", index=False)
    told = trade_off.measured(built)
    assert told["plane"] == "05_which"
    assert {s["page"] for s in told["settings"]} == {
        "01_x",
        "05_which",
    }  # the last one lacks a level
    groups, _, distorted = [s for s in told["settings"] if s["page"] == "05_which"]
    assert groups["link"] == "../notebooks/05_which.html#fig-plane-pima"
    assert (groups["axis"], groups["at"], groups["scheme"]) == ("θ", 0.6, "three groups")
    # What is learned never moves the attacker, nor he the accuracy; the bound of the own list is left out.
    assert groups["x"] == {
        "the class": {"others": [0.81, 0.2, 0], "shares": [0.71, 0.2, 0]},
        "which report is hers": {"others": [0.3, 0.2, 0]},
    }
    assert groups["y"] == {"naive Bayes": [0.7, 0.9], "ID3": [0.75, 0.8]}
    assert (
        distorted["y"] == {"naive Bayes": [0.6, 0.9]}
        and distorted["x"]["the class"]["others"][2] == 1
    )
    assert trade_off.measured(tmp_path / "nothing")["settings"] == []


def test_a_chapter_that_does_not_say_the_undisguised_has_no_line_for_it(tmp_path, chromium):
    (tmp_path / "02_multi_group").mkdir()
    rows = pd.DataFrame(OUTSIDE).drop(columns=["undisguised", "learner"])
    rows.to_csv(tmp_path / "02_multi_group" / "trade_off.csv", index=False)
    assert [s["y"] for s in trade_off.measured(tmp_path)["settings"]] == [
        {trade_off.OWN: [row["balanced"]]} for row in OUTSIDE
    ]
    with opened(chromium, picture(tmp_path / "site", tmp_path), "index.html") as page:
        assert "undisguised" not in shown(page) and "majority class" in shown(page)
        assert "NaN" not in page.locator(".trade-off").inner_html()


def test_the_plane_is_chosen_from(tmp_path, chromium):
    (tmp_path / "05_which").mkdir()
    plane().to_csv(tmp_path / "05_which" / "plane.csv", index=False)
    with opened(chromium, picture(tmp_path / "site", tmp_path), "index.html") as page:
        names = page.locator(".trade-off dt").all_inner_texts()
        assert "The attacker guesses her class" in names
        choose(page, "AIBR")
        assert shown(page)["The attacker guesses her class"] == "at least 0.810"
        assert page.get_by_role("slider").count() == 0  # one setting: there is nothing to move
        choose(page, "ID3")  # it never grew from a distorted table: the other scheme is shown
        assert shown(page)["Balanced accuracy"] == "0.750"
        assert page.get_by_role("radio", name="AIBR").count() == 0
        choose(page, "how common each answer is")
        assert shown(page)["The attacker guesses her class"] == "0.710"
        choose(page, "tells which report is hers")
        assert shown(page)["The attacker tells which report is hers"] == "0.300"
        assert page.get_by_role("radio", name="how common each answer is").count() == 0


@pytest.mark.parametrize("page_name", ["01_electronic_surveys", "03_aibr"])
def test_a_chapter_s_plot_comes_alive_when_asked(tmp_path, chromium, results, page_name):
    """What it takes is loaded then, and not before; a chapter that measures otherwise says so."""
    static, notebooks = tmp_path / "_static", tmp_path / "notebooks"
    static.mkdir(), notebooks.mkdir()
    for name in ("site.js", "widgets.js", "trade_off.js"):
        (static / name).write_text((STATIC / name).read_text(encoding="utf-8"), encoding="utf-8")
    trade_off.write(static, results)
    (notebooks / f"{page_name}.html").write_text(
        '<!doctype html><html lang="en" data-content_root="../"><meta charset="utf-8"><title>C</title><main>'
        '<figure id="fig-trade-off"></figure><figure id="fig-trade-off-more"></figure></main>'
        '<script src="../_static/site.js"></script></html>'
    )
    with opened(chromium, tmp_path, f"notebooks/{page_name}.html") as page:
        assert page.evaluate("typeof ppdmTradeOff") == "undefined"
        assert page.get_by_role("button").count() == 1
        page.get_by_role("button", name="Take hold of the points").click()
        page.get_by_role("slider").wait_for()
        own = page_name == "01_electronic_surveys"
        assert page.get_by_role("radio", name="Pima").count() == (not own)  # of another chapter
        assert ("in its own way" in page.locator("main").inner_text()) == (not own)
        assert page.get_by_role("button").count() == 0
