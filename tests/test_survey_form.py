"""The respondent's page in a real browser: it disguises as the package does, and it forgets."""

from io import BytesIO

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from fieldwork import CODES, SURVEY, report, running
from scipy.stats import chisquare

from ppdm import count
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.survey import Codes, estimate
from ppdm.survey.form import form
from ppdm.survey.report import write
from ppdm.survey.slides import slides

TRUE = [1, 2, 1, 0, 1, 1, 0, 0, 2]  # the level numbers that the tests answer


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
    "names", [["cheated"], ["dose"], ["a", "b"], ["c"], ["d"], ["m"], ["drunk"], ["year"]]
)
def test_the_browser_s_disguise_is_the_mechanism_s(drawn, names):
    """A chi-square test at 1e-6 for each of eight questions or groups."""
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
    code = page.locator("#code").inner_text()
    state = page.evaluate("""() => ({
        stored: {...localStorage}, session: {...sessionStorage}, cookies: document.cookie,
        inputs: document.querySelectorAll('input, form').length,
        globals: Object.keys(globalThis).filter(k => k.startsWith('ppdm')),
        hash: location.hash + location.search, state: history.state,
    })""")
    assert list(state["stored"].values()) == [code] and not state["session"]
    assert (state["cookies"], state["inputs"], state["hash"], state["state"]) == ("", 0, "", None)
    shown = page.locator("tbody strong").all_text_contents()
    assert tuple(shown) == CODES.read(code).levels
    assert not page.asked and not page.said
    assert page.evaluate("() => Object.values(ppdmSurvey).every(f => typeof f === 'function')")


def test_what_a_report_says_is_hidden_until_it_is_handed_in(page):
    """Once it was shown beside the button that sends it: 20 % who do not send a "yes" make .30 to .19."""
    answer(page)
    assert page.locator("#report").is_visible() and not page.locator("tbody").is_visible()
    page.get_by_text("look when you have handed it in").click()
    assert page.locator("tbody").is_visible()


def test_the_next_person_at_a_shared_computer_is_asked(page):
    """Once the second one in a pool room was told that she had answered."""
    answer(page)
    code = page.locator("#code").inner_text()
    page.get_by_text("Do several people use this device?").click()
    page.get_by_role("button", name="Another person answers now").click()
    page.locator("fieldset").first.wait_for()
    answer(page)
    assert page.locator("#code").inner_text() != code


def test_the_line_can_be_copied_without_https(page):
    """Where there is no clipboard the button did nothing; now the line is marked."""
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    answer(page)
    page.locator("summary").first.click()
    page.get_by_role("button", name="Copy the line").click()
    page.get_by_text("The line is marked").wait_for()
    line = page.evaluate("() => getSelection().toString()")
    assert line.split("\t") == [
        page.locator("#code").inner_text(),
        *page.locator("tbody strong").all_text_contents(),
    ]


def test_coins_are_never_tossed_twice(page):
    answer(page)
    code = page.locator("#code").inner_text()
    for _ in range(3):
        page.reload()
        assert page.locator("#code").inner_text() == code
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
    assert CODES.read(page.locator("#code").inner_text()).levels[-1] == "second"


def test_nothing_is_wider_than_the_window_and_axe_is_content(page):
    for _ in range(2):
        assert page.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
        found = Axe().run(page).response["violations"]
        assert not found, found
        if page.locator("fieldset").count():
            answer(page)


def test_the_qr_code_says_the_code(page):
    answer(page)
    assert qr_code(page) == page.locator("#code").inner_text()


def qr_code(window) -> str:
    picture = matplotlib.image.imread(BytesIO(window.locator("svg").first.screenshot()))
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
        assert qr_code(window) == there
        found = Axe().run(window).response["violations"]
        assert not found, found
        high = (
            "() => [...document.querySelectorAll('section')].map(s => s.scrollHeight - innerHeight)"
        )
        assert max(window.evaluate(high)) <= 0  # each fits on its screen
        assert window.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
        assert not said


def posts(window) -> list[str]:
    """What a window posts from now on."""
    bodies: list[str] = []
    window.on("request", lambda r: bodies.append(r.post_data) if r.method == "POST" else None)
    return bodies


def test_a_report_is_sent_as_the_coins_fall_and_again_the_same(tmp_path, chromium):
    """Once the respondent saw it first and then decided whether to send it: she picked her coin."""
    with running(tmp_path) as lecture:
        window = chromium.new_page()
        bodies = posts(window)
        window.goto(f"{lecture.address}/")
        answer(window)
        window.get_by_text("has been received").wait_for()
        code = window.locator("#code").inner_text()
        assert bodies == [code] and window.locator("#report").is_visible()
        window.reload()
        window.get_by_text("has been received").wait_for()
        assert bodies == [code, code]
        assert (tmp_path / "codes.txt").read_text().split() == [code]
        window.goto(f"{lecture.address}/invite")
        assert window.locator(".address").inner_text() == f"{lecture.address}/"
        assert qr_code(window) == f"{lecture.address}/"
        window.goto(f"{lecture.address}/live?key={lecture.key}")
        assert window.url.endswith("/live") and "Fewer than 30" in window.content()
        window.close()


def test_what_could_not_be_sent_is_not_shown(tmp_path, chromium):
    """And the seat's letters, which came with the address, can be mended."""
    seats = tmp_path / "seats.txt"
    seats.write_text("ABCD2345\n")
    with running(tmp_path, seats=seats) as lecture:
        window = chromium.new_page()
        window.goto(f"{lecture.address}/#WRONG234")
        answer(window)
        window.get_by_text("were not handed out").wait_for()
        assert not window.locator("#report").is_visible()
        window.locator("#seat input").fill("abcd 2345")
        window.get_by_role("button", name="Send it again").click()
        window.get_by_text("has been received").wait_for()
        assert window.locator("#report").is_visible() and window.locator("input").count() == 0
        window.close()


@pytest.mark.parametrize("mechanism", ["crosswise", "extended-crosswise"])
def test_crosswise_asks_for_both_or_neither(tmp_path, chromium, mechanism):
    """Nobody is asked to lie, and the page draws nothing but, in the extended model, which way it asks: the others
    leave it. A phone shows it whole."""
    spec = {"mechanism": mechanism, "p": 8 * 12 / 365.2425, "attributes": ["A"]}
    survey = Survey({"A": ["no", "yes"]}, [spec])
    (tmp_path / "index.html").write_text(form(survey), encoding="utf-8")
    with opened(chromium, tmp_path, "index.html", viewport={"width": 390, "height": 800}) as window:
        assert window.locator(".way").count() == 1
        assert window.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
        half = "" if mechanism == "crosswise" else "A: " if "day 1–8" in window.content() else "B: "
        window.get_by_label("both or neither").check()
        window.get_by_role("button", name="Go on").click()
        report = Codes(survey).read(window.locator("#code").inner_text())
        assert report.levels == (f"{half}both or neither",)
        assert window.locator("tbody strong").text_content().startswith("both or neither")
        assert window.locator("tbody td").last.text_content().startswith("exactly one")


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "dark"), pytest.param(1366, "light", marks=pytest.mark.slow)]
)
def test_the_live_page_and_the_report_are_for_every_reader(tmp_path, chromium, width, scheme):
    """Their figures have text alternatives; axe finds nothing, nor does the console; a phone shows them whole."""
    rng = np.random.default_rng(2)
    people = pd.DataFrame({n: rng.choice(levels, 60) for n, levels in SURVEY.attributes.items()})
    reports = scheme_of(SURVEY).disguise(people, rng)
    write(tmp_path / "result", SURVEY, estimate(reports, SURVEY), "inversion")
    with running(tmp_path) as lecture:
        for row in reports.itertuples(index=False):
            assert report(lecture, CODES.write(row)) == 200
        for address in (
            f"{lecture.address}/live?key={lecture.key}",
            (tmp_path / "result" / "report.html").as_uri(),
        ):
            window = chromium.new_page(
                viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            said: list[str] = []
            window.on("console", lambda message, said=said: said.append(message.text))
            window.goto(address)
            assert window.locator("svg[aria-label]").count() == 21  # one an answer
            assert window.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
            violations = Axe().run(window).response["violations"]
            assert not violations, (address, violations)
            assert not said
            window.close()
