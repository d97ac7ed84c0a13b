"""The formulas of the primer's games, and the game of the respondent, in a real browser, against the package's own numbers."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from browser import opened

from ppdm import Domain, MultiGroup, RRMatrix, Table, UnrelatedQuestion, count
from ppdm.estimate import inversion_se
from ppdm.places import find_root
from ppdm.privacy.pse import pse, pse_given_record

STATIC = find_root() / "book" / "_static"
CHANCES = [0.0, 0.05, 0.3, 0.45, 0.55, 0.7, 0.95, 1.0]
SHARES = [0.1, 0.5, 0.8]
ONE = Domain(("A",), ((0, 1),))


@pytest.fixture(scope="module")
def formulas(tmp_path_factory, chromium):
    """A function that evaluates JavaScript with the page's formulas as `F`."""
    folder = tmp_path_factory.mktemp("formulas")
    script = (STATIC / "formulas.js").read_text(encoding="utf-8")
    (folder / "index.html").write_text(f"<!doctype html><title>F</title><script>{script}</script>")
    with opened(chromium, folder, "index.html") as page:

        def evaluate(expression: str, cases: list) -> list:
            """`expression` of the array `c`, for each case; infinities survive the way back."""
            return page.evaluate(
                f"cases => {{const F = ppdmFormulas; return cases.map(c => {expression});}}", cases
            )

        yield evaluate


def population(share: float) -> Table:
    """A table of 100 answers, a share of them one."""
    ones = round(100 * share)
    return count(pd.DataFrame({"A": [1] * ones + [0] * (100 - ones)}))


def schemes(chance):
    """Both channels at one chance: how JavaScript makes them, and the package's matrix M[y, x]."""
    unrelated = np.eye(2) * chance + (1 - chance) * np.array([[0.7, 0.7], [0.3, 0.3]])
    return [(0, RRMatrix.warner(2, chance).M), (1, unrelated)]


def cases():
    for chance, share in product(CHANCES, SHARES):
        for kind, M in schemes(chance):
            yield [kind, chance, share], M


CHANNEL = "(c[0] ? F.unrelated(c[1], 0.3) : F.warner(c[1]))"


def test_standard_errors_are_those_of_inversion(formulas):
    asked = [(c, M) for c, M in cases() if abs(np.linalg.det(M)) > 1e-9]
    got = formulas(f"F.standardError({CHANNEL}, c[2], 1000)", [c for c, _ in asked])
    expected = [inversion_se(1000 * M @ [1 - c[2], c[2]], M)[1] for c, M in asked]
    assert np.allclose(got, expected, rtol=0.002)  # n or n - 1 makes no difference here
    assert formulas("F.standardError(F.warner(0.5), 0.3, 10)", [0]) == [math.inf]


def test_pse_is_the_package_s(formulas):
    unrelated = [c for c, _ in cases() if c[0]]
    got = formulas(f"F.pse({CHANNEL}, c[2])", unrelated)
    assert np.allclose(got, [pse(q, share, 0.3) for _, q, share in unrelated])
    warner = [c for c, _ in cases() if not c[0]]
    got = formulas(f"F.pse({CHANNEL}, c[2])", warner)
    expected = [
        pse_given_record(MultiGroup(theta, [["A"]]), population(share), "A")
        for _, theta, share in warner
    ]
    assert np.allclose(got, expected)


def test_epsilon_of_an_answer(formulas):
    asked = [theta for theta in CHANCES if 0 < theta < 1]
    got = formulas("F.epsilon(F.warner(c))", asked)
    assert np.allclose(got, [MultiGroup(t, [["A"]]).epsilon("A") for t in asked])
    got = formulas("F.epsilon(F.unrelated(c, 0.5))", asked)
    assert np.allclose(got, [UnrelatedQuestion(q).epsilon("A", ONE) for q in asked])
    assert formulas("F.epsilon(F.unrelated(c, 0.5))", [0, 1]) == [0, math.inf]
    assert formulas("F.epsilon(F.warner(c))", [0, 0.5, 1]) == [math.inf, 0, math.inf]


@pytest.fixture
def page(tmp_path, chromium):
    """The game alone, without the book around it."""
    (tmp_path / "index.html").write_text(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>R</title>
        <div id="respondent"></div>
        <script>{(STATIC / "formulas.js").read_text(encoding="utf-8")}</script>
        <script>{(STATIC / "widgets.js").read_text(encoding="utf-8")}</script>
        <script>{(STATIC / "respondent.js").read_text(encoding="utf-8")}</script></html>"""
    )
    with opened(chromium, tmp_path, "index.html") as opened_page:
        yield opened_page


def test_the_respondent_is_told_what_the_collector_sees(page):
    page.get_by_role("radio", name="the unrelated question").check()
    page.locator("#chance").fill("1")
    page.get_by_role("button", name="Leave it to chance").click()
    said = page.locator("#respondent .said").inner_text()
    assert "answer truthfully" in said
    assert "“yes”" in said
    assert "probability of 100 %" in said


@pytest.mark.parametrize(("device", "chance"), [(0, 0.7), (0, 0.5), (0, 1), (1, 0.4), (1, 0.05)])
def test_the_device_promises_what_the_package_says(page, device, chance):
    if device:
        page.get_by_role("radio", name="the unrelated question").check()
    page.locator("#chance").focus()
    page.locator("#chance").fill(str(chance))
    told = page.locator("#respondent dd").all_inner_texts()
    scheme = UnrelatedQuestion(chance) if device else MultiGroup(chance, [["A"]])
    prior = population(0.3)
    assert told[0] == f"{round(100 * scheme.guess_answer(prior, 'A'))} %"
    assert told[1] == "70 %"
    expected = pse(chance, 0.3, 0.5) if device else pse_given_record(scheme, prior, "A")
    assert told[2] == f"{expected:.3f}"
    epsilon = scheme.epsilon("A", ONE) if device else scheme.epsilon("A")
    assert told[3] == ("infinite" if epsilon == math.inf else f"{epsilon:.2f}")
