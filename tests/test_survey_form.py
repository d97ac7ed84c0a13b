"""The respondent's page in a real browser: it disguises as the package does, and it forgets."""

import json
import threading
from io import BytesIO

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from scipy.stats import chisquare

from ppdm import count
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.survey import Codes, estimate
from ppdm.survey.form import form
from ppdm.survey.report import write
from ppdm.survey.server import Lecture
from ppdm.survey.slides import slides

YESNO = ["no", "yes"]
SURVEY = Survey(
    {"cheated": YESNO, "dose": ["never", "once", "often"], "a": YESNO, "b": YESNO, "c": YESNO, "d": YESNO,
     "m": ["x", "y"], "year": ["first", "second", "later"]},
    [
        {"mechanism": "warner", "p": 0.75, "attributes": ["cheated"]},
        {"mechanism": "k-rr", "p": 0.6, "attributes": ["dose"]},
        {"mechanism": "multi-group", "theta": 0.8, "groups": [["a", "b"]]},
        {"mechanism": "unrelated-question", "q": 0.7, "groups": [["c"]], "personal": {"c": [0.3, 0.7]}},
        {"mechanism": "forced-response", "truth": 4 / 6, "forced": [1 / 6, 1 / 6], "attributes": ["d"]},
        {"mechanism": "matrix", "matrix": [[0.7, 0.1], [0.1, 0.6], [0.2, 0.3]], "outputs": ["x", "y", "?"],
         "attributes": ["m"]},
    ],
    title="A survey",
    questions={"cheated": "Have you ever cheated in an exam?"},
)  # fmt: skip
CODES = Codes(SURVEY)
TRUE = [1, 2, 1, 0, 1, 1, 0, 2]  # the level numbers that the tests answer


@pytest.fixture(params=[390, pytest.param(1366, marks=pytest.mark.slow)], ids=["narrow", "wide"])
def page(request, tmp_path, chromium):
    """The form in a window, with everything that it asks for written down."""
    (tmp_path / "index.html").write_text(form(SURVEY), encoding="utf-8")
    with opened(
        chromium, tmp_path, "index.html", viewport={"width": request.param, "height": 800}
    ) as window:
        window.asked, window.said = [], []
        window.on("request", lambda asked: window.asked.append(asked.url))
        window.on("console", lambda message: window.said.append(message.text))
        window.on("pageerror", lambda error: window.said.append(str(error)))
        yield window


def answer(page) -> None:
    for a, level in enumerate(TRUE):
        page.locator(f"#a{a}-{level}").check()
    page.get_by_role("button", name="Leave it to chance").click()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory, chromium):
    """200,000 reports of one person, drawn in the browser."""
    folder = tmp_path_factory.mktemp("form")
    (folder / "index.html").write_text(form(SURVEY), encoding="utf-8")
    with opened(chromium, folder, "index.html") as window:
        script = """([answers, number]) => {
            const plan = JSON.parse(document.getElementById('plan').textContent), seen = {};
            for (let i = 0; i < number; i++) {
                const key = ppdmSurvey.disguise(plan.steps, answers).join(',');
                seen[key] = (seen[key] || 0) + 1;
            }
            return seen;
        }"""
        seen = window.evaluate(script, [TRUE, 200_000])
    rows = [[*map(int, key.split(",")), number] for key, number in seen.items()]
    return pd.DataFrame(rows, columns=[*SURVEY.names, "n"])


@pytest.mark.parametrize(
    "names", [["cheated"], ["dose"], ["a", "b"], ["c"], ["d"], ["m"], ["year"]]
)
def test_the_browser_s_disguise_is_the_mechanism_s(drawn, names):
    """A chi-square test at 1e-6 for each of seven protections."""
    scheme = scheme_of(SURVEY)
    person = pd.DataFrame({n: [lv[i]] for (n, lv), i in zip(SURVEY.attributes.items(), TRUE)})
    expected = scheme.apply(count(person, SURVEY)).marginal(*names).dense * 200_000
    observed = np.zeros(expected.shape)
    np.add.at(observed, tuple(drawn[n] for n in names), drawn["n"])
    possible = expected > 0
    assert observed[~possible].sum() == 0
    if possible.sum() > 1:
        assert chisquare(observed[possible], expected[possible]).pvalue > 1e-6


def test_codes_of_the_browser_are_read_by_python(page):
    rng = np.random.default_rng(1)
    cases = [[int(rng.integers(len(levels))) for levels in CODES.levels] for _ in range(500)]
    script = """cases => {
        const plan = JSON.parse(document.getElementById('plan').textContent);
        return cases.map(c => { const code = ppdmSurvey.encode(plan, c);
                                return [code, ppdmSurvey.decode(plan, code)]; });
    }"""
    told = page.evaluate(script, cases)
    for case, (code, back) in zip(cases, told, strict=True):
        assert back == case
        assert CODES.read(code).levels == tuple(
            levels[i] for levels, i in zip(CODES.levels, case, strict=True)
        )
    assert len({code for code, _ in told}) == 500


def test_true_answers_are_nowhere_after_the_coins_have_fallen(page):
    answer(page)
    code = page.locator("p.code").inner_text()
    sent = CODES.read(code)
    state = page.evaluate("""() => ({
        stored: {...localStorage}, session: {...sessionStorage}, cookies: document.cookie,
        inputs: document.querySelectorAll('input, form').length,
        globals: Object.keys(globalThis).filter(k => k.startsWith('ppdm')),
        hash: location.hash + location.search, state: history.state,
    })""")
    assert list(state["stored"].values()) == [code] and not state["session"]
    assert (state["cookies"], state["inputs"], state["hash"], state["state"]) == ("", 0, "", None)
    shown = page.locator("tbody strong").all_inner_texts()
    assert tuple(shown) == sent.levels
    assert not page.asked and not page.said
    assert page.evaluate("() => Object.values(ppdmSurvey).every(f => typeof f === 'function')")


def test_coins_are_never_tossed_twice(page):
    answer(page)
    code = page.locator("p.code").inner_text()
    for _ in range(3):
        page.reload()
        assert page.locator("p.code").inner_text() == code
        assert page.locator("input").count() == 0


def test_a_damaged_memory_asks_anew(page):
    page.evaluate("key => localStorage.setItem(key, 'AAAA')", f"ppdm-survey-{SURVEY.fingerprint}")
    page.reload()
    assert page.locator("fieldset").count() == len(SURVEY.names)


def test_the_keyboard_is_enough(page):
    for _ in SURVEY.names:
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert CODES.read(page.locator("p.code").inner_text()).levels[-1] == "second"


def test_an_unanswered_question_is_named(page):
    page.get_by_role("button", name="Leave it to chance").click()
    assert page.locator("#told").inner_text() == "Please answer: Have you ever cheated in an exam?"
    assert page.locator("p.code").count() == 0


def test_nothing_is_wider_than_the_window_and_axe_is_content(page):
    for _ in range(2):
        assert page.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
        found = Axe().run(page).response["violations"]
        assert not found, found
        if page.locator("fieldset").count():
            answer(page)


def test_the_qr_code_says_the_code(page):
    answer(page)
    picture = matplotlib.image.imread(BytesIO(page.locator("svg.qr").screenshot()))
    grey = (255 * picture[..., :3].mean(axis=2)).astype("uint8")
    assert zxingcpp.read_barcodes(grey)[0].text == page.locator("p.code").inner_text()


def qr_code(window) -> str:
    picture = matplotlib.image.imread(BytesIO(window.locator("svg.qr").screenshot()))
    grey = (255 * picture[..., :3].mean(axis=2)).astype("uint8")
    return zxingcpp.read_barcodes(grey)[0].text


def test_slides_show_where_to_go_and_axe_is_content(tmp_path, chromium):
    there = "http://192.168.1.20:8000/"
    (tmp_path / "index.html").write_text(slides(SURVEY, there, notes=True), encoding="utf-8")
    with opened(
        chromium, tmp_path, "index.html", viewport={"width": 1280, "height": 720}
    ) as window:
        said = []
        window.on("console", lambda message: said.append(message.text))
        window.reload()
        assert qr_code(window) == there.upper()  # telephones do not mind
        found = Axe().run(window).response["violations"]
        assert not found, found
        high = (
            "() => [...document.querySelectorAll('section')].map(s => s.scrollHeight - innerHeight)"
        )
        assert max(window.evaluate(high)) <= 0  # each fits on its screen
        assert window.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
        assert not said


def test_a_report_is_posted_once_as_it_is_and_again_the_same(tmp_path, chromium):
    server = Lecture(SURVEY, tmp_path / "codes.txt", port=0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        window = chromium.new_page()
        bodies = []
        window.on("request", lambda r: bodies.append(r.post_data) if r.method == "POST" else None)
        window.goto(f"{server.address}/")
        answer(window)
        code = window.locator("p.code").inner_text()
        assert not bodies
        window.get_by_role("button", name="Send the report").click()
        window.get_by_text("has been received").wait_for()
        window.reload()
        window.get_by_role("button", name="Send the report").click()
        window.get_by_text("has been received").wait_for()
        assert bodies == [code, code]
        assert (tmp_path / "codes.txt").read_text().split() == [code]
        window.goto(f"{server.address}/invite")
        assert window.locator(".address").inner_text() == f"{server.address}/"
        assert qr_code(window) == f"{server.address}/".upper()
        live = json.loads(window.evaluate("() => fetch('/live.json').then(r => r.text())"))
        assert live["respondents"] == 0  # fewer than ten
        window.close()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_live_page_and_the_report_are_for_every_reader(tmp_path, chromium):
    """Their figures have text alternatives; axe finds nothing, nor does the console."""
    rng = np.random.default_rng(2)
    people = pd.DataFrame({n: rng.choice(levels, 60) for n, levels in SURVEY.attributes.items()})
    reports = scheme_of(SURVEY).disguise(people, rng)
    write(tmp_path / "result", SURVEY, estimate(reports, SURVEY))
    server = Lecture(SURVEY, tmp_path / "codes.txt", port=0)
    for row in reports.itertuples(index=False):
        assert server.store.accept(CODES.write(row)) is None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        for address in (f"{server.address}/live", (tmp_path / "result" / "report.html").as_uri()):
            window = chromium.new_page()
            said: list[str] = []
            window.on("console", lambda message, said=said: said.append(message.text))
            window.goto(address)
            window.locator("svg").nth(len(SURVEY.names) - 1).wait_for()
            assert window.locator("svg:not([aria-label])").count() == 0
            found = Axe().run(window).response["violations"]
            assert not found, (address, found)
            assert not said
            window.close()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
