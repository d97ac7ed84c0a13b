"""Cells that run in the reader's browser, against the same cells in CPython; in a real Chromium."""

import ast
import builtins
import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from functools import cache

import pandas as pd
import pytest
from browser import opened

from ppdm.book.site import live
from ppdm.book.site.hidden_lines import hidden_lines
from ppdm.book.site.in_page import plot, study
from ppdm.book.site.in_page.run import Page, names
from ppdm.course.assignments import ASSIGNMENTS
from ppdm.course.build import student_version
from ppdm.places import find_root

STATIC = find_root() / "book" / "_static"
NOTEBOOKS = find_root() / "notebooks"
PAGES = [p.stem for p in sorted(NOTEBOOKS.glob("*.ipynb")) if live.live_cells(p)[0]]


def cells_of(stem: str) -> tuple[tuple[str, str], ...]:
    """The live cells of a page: their hidden lines and their own."""
    sources, hidden = live.live_cells(NOTEBOOKS / f"{stem}.ipynb")
    return tuple(zip(hidden, sources, strict=True))


@pytest.fixture(scope="module")
def in_cpython():
    """What cells show when CPython runs them as a page does, with its numpy, pandas and numba."""
    import ppdm.plot
    import ppdm.study

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "__path__", ppdm.study.__path__, raising=False)
        for name, module in (("plot", plot), ("study", study)):
            patch.setitem(sys.modules, f"ppdm.{name}", module)
            patch.setattr(ppdm, name, module, raising=False)
        for name, module in list(sys.modules.items()):  # those that other tests have loaded
            if name.startswith("ppdm.papers.") and hasattr(module, "study"):
                patch.setattr(module, "study", study)

        @cache
        def run(cells):
            page, shown = Page(), []
            patch.setattr(builtins, "display", page.display, raising=False)
            for i, cell in enumerate(cells):
                result = page.run(i, *cell)
                assert result["error"] is None, result["error"]
                shown.append(result["shown"])
            return shown

        yield run


class TestCells:
    def test_a_cell_that_runs_again_gives_the_same_numbers(self):
        page = Page()
        page.run(0, "import random", "rng, seen = random.Random(1), 0")
        first = page.run(1, "", "seen += 1\nseen, rng.random()")["shown"]
        page.run(2, "", "rng.random(); seen = 9")
        assert page.run(1, "", "seen += 1\nseen, rng.random()")["shown"] == first
        assert "NameError" in page.run(1, "", "later = 1; earlier")["error"]
        assert "NameError" in page.run(1, "", "later")["error"]

    def test_what_is_shown_comes_in_order_and_a_semicolon_hides_the_last(self):
        page = Page()
        shown = page.run(0, "", "print(1)\ndisplay(2)\nprint(3)\n4")["shown"]
        assert [content for _, content in shown] == ["1\n", "2", "3\n", "4"]
        assert page.run(0, "", "print(1)\n4;")["shown"] == [("text", "1\n")]

    @pytest.mark.parametrize(
        ("source", "line", "words"),
        [
            ("x = 1\ny = x / 0", 2, "ZeroDivisionError"),
            ("x = 1\n\nif x\n", 3, "SyntaxError"),
            ("import json\ndef f(x):\n    return json.loads(x)\n\nf('{')", 3, "JSONDecodeError"),
        ],
    )
    def test_an_error_names_the_line_of_the_cell_and_none_of_a_library(self, source, line, words):
        page = Page()
        result = page.run(0, "", source)
        assert result["line"] == line
        assert words in result["error"]
        assert "json/" not in result["error"]
        assert page.run(0, "", "6 * 7")["shown"] == [("text", "42")]


class TestHiddenLines:
    @pytest.mark.parametrize("stem", PAGES)
    def test_nothing_that_a_live_cell_uses_is_lacking(self, stem):
        there = {*dir(builtins), "display"}
        for cell in cells_of(stem):
            for part in cell:
                for statement in ast.parse(part).body:
                    sets, uses = names(ast.unparse(statement))
                    assert uses - sets <= there, part
                    there |= sets

    def test_a_line_that_changes_what_is_needed_is_kept_in_its_place(self):
        cells = [
            ("a = [1]\nb = a", False),
            ("a[0] = 5\nc = 7", False),
            ("b = 2", True),
            ("a", True),
        ]
        assert hidden_lines(cells) == ["a = [1]\na[0] = 5", ""]


def test_neighbour_and_tree_learn_where_there_is_neither_scikit_learn_nor_scipy_nor_numba():
    """As in the page: what `mend` puts in their place gives the same answers."""
    code = """
import sys
from ppdm.book.site.in_page import few
for library in ("sklearn", "scipy", "numba") if sys.argv[1] == "without" else ():
    sys.modules[library] = None
if sys.argv[1] == "without":
    for module in ("utils", "utils.validation", "utils.multiclass"):
        sys.modules[f"sklearn.{module}"] = few
    import ppdm.scientific
    for name in few.__all__:
        setattr(ppdm.scientific, name, getattr(few, name))
import numpy as np
from ppdm.learn import weka_like
rng = np.random.default_rng(1)
X = rng.random((150, 3)); y = (X[:, 0] + rng.normal(0, 0.3, 150) > 0.5).astype(int)
print([learner().fit(X[:100], y[:100]).predict(X[100:]).tolist() for learner in (weka_like.ibk, weka_like.j48)])
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, how], capture_output=True, text=True, check=True
        ).stdout
        for how in ("with", "without")
    ]
    assert outputs[0] == outputs[1] and "1" in outputs[0]


class TestWhatItIsMadeOf:
    def test_every_part_has_a_version_a_checksum_and_a_licence_and_no_address(self):
        text = (live.ROOM / "runtime.yml").read_text(encoding="utf-8")
        assert "://" not in text
        runtime = live.read_runtime()
        for shop, checksum in (("npm", "integrity"), ("pip", "sha256")):
            for name, part in runtime[shop].items():
                assert part["version"] and len(part[checksum]) >= 64 and part["licence"]
                assert f"`{name}` | {part['version']}" in live.made_of()

    def test_another_archive_than_the_one_named_is_refused(self, tmp_path, monkeypatch, capsys):
        def deliver(*command, cwd):
            (cwd / "pyodide-0.27.8.tgz").write_bytes(b"another")

        monkeypatch.setattr(live, "_call", deliver)
        monkeypatch.setattr(live, "archives", lambda: tmp_path / "fetched")
        monkeypatch.setattr(shutil, "which", lambda name: name)
        assert not live.write(tmp_path / "static")
        assert "is not the one in runtime.yml" in capsys.readouterr().err

    def test_without_npm_the_site_is_built_and_says_so(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(live, "archives", lambda: tmp_path / "fetched")
        assert not live.write(tmp_path / "static")
        assert "there is no npm" in capsys.readouterr().err

    def test_the_archive_leaves_the_runtime_out(self, tmp_path):
        import zipfile

        from ppdm.book.site.archive import make_archive

        site = tmp_path / "html"
        (site / "_static" / live.FOLDER).mkdir(parents=True)
        (site / "_static" / live.FOLDER / "pyodide.mjs").write_text("")
        (site / "index.html").write_text("")
        packed = make_archive(site, tmp_path / "book.zip")
        assert zipfile.ZipFile(packed).namelist() == ["book/index.html"]


def write_page(folder, cells, runtime=False):
    """A page with live cells, in the theme's markup."""
    static = folder / "_static"
    static.mkdir()
    for name in ("live.js", "live_worker.js", "ppdm.css"):
        shutil.copy(STATIC / name, static)
    if runtime:
        assert live.write(static)
    boxes = "".join(
        f'<div class="cell tag_live"><div class="cell_input"><pre>{html.escape(source)}</pre></div>'
        f'<div class="cell_output">as built</div></div>'
        for _, source in cells
    )
    hidden = json.dumps([lines for lines, _ in cells])
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>L</title>'
        f'<link rel="stylesheet" href="_static/ppdm.css">{boxes}'
        f'<script type="application/json" id="live-hidden">{hidden}</script>'
        '<script src="_static/live.js" defer></script>'
    )
    return folder


def test_without_the_runtime_a_sentence_says_so(tmp_path, chromium):
    with opened(chromium, write_page(tmp_path, [("", "1 + 1")]), "index.html") as page:
        page.get_by_role("button", name="Run and change").click()
        page.get_by_text("built without Python").wait_for()
        assert page.get_by_role("button", name="Run (Shift-Enter)").is_enabled()


def test_from_a_disk_a_sentence_says_so(tmp_path, chromium):
    page = chromium.new_page()
    page.goto(write_page(tmp_path, [("", "1 + 1")]).joinpath("index.html").as_uri())
    page.get_by_role("button", name="Run and change").click()
    page.get_by_text("read from disk").wait_for()
    page.close()


def test_on_a_phone_code_with_long_lines_shows_whole_and_in_colours(tmp_path, chromium):
    long = "x = 1  # " + "a word and another one, " * 6
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    page.goto(write_page(tmp_path, [("", long)] * 3).joinpath("index.html").as_uri())
    page.get_by_role("button", name="Run and change").first.click()
    area, drawn = page.locator("textarea"), page.locator(".live-editor > pre")
    for text in (long, "\n".join([long] * 4), 'def f(x):\n    return "a#b", None  # a "word"'):
        area.fill(text)
        assert area.evaluate("a => a.scrollHeight <= a.clientHeight")
        assert drawn.inner_text().rstrip("\n") == text.rstrip("\n")
    coloured = drawn.locator("span").evaluate_all(
        "all => all.map(s => [s.className, s.textContent])"
    )
    assert coloured == [["k", "def"], ["k", "return"], ["s2", '"a#b"'], ["k", "None"], ["c1", '# a "word"']]  # fmt: skip
    page.close()


def cell(page, number: int):
    return page.locator(".cell.tag_live").nth(number)


def run(page, number: int, text: str | None = None) -> str:
    """Run a cell as a reader does; what it shows."""
    box = cell(page, number)
    if box.locator("textarea").count() == 0:
        box.get_by_role("button", name="Run and change").click()
        settle(box)
        if text is None:
            return box.locator(".live-output").inner_text()
    if text is not None:
        box.locator("textarea").fill(text)
    box.locator("textarea").press("Shift+Enter")
    settle(box)
    return box.locator(".live-output").inner_text()


def settle(box) -> None:
    box.get_by_text("Run in your browser").or_(box.get_by_text("an error")).first.wait_for(
        timeout=400_000
    )


@pytest.fixture
def running(tmp_path, chromium, browsers_python):
    """A function of cells that opens a page with them."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda cells: stack.enter_context(
            opened(chromium, write_page(tmp_path, cells, runtime=True), "index.html")
        )


def seen(page, number: int) -> list[str]:
    """What a cell shows in the page: plain text as it is, HTML as a browser writes it."""
    return page.locator(".cell.tag_live").nth(number).locator(".live-output > *").evaluate_all(
        "all => all.map(part => part.tagName === 'PRE' ? part.textContent : part.innerHTML)"
    )  # fmt: skip


def as_seen(page, shown: list[tuple[str, str]]) -> list[str]:
    """The same of what CPython shows."""
    normal = "html => Object.assign(document.createElement('div'), {innerHTML: html}).innerHTML"
    return [c if kind == "text" else page.evaluate(normal, c) for kind, c in shown]


def crowd() -> float:
    """By how much a busy machine is slower than two quiet cores, for which times are meant."""
    return max(1, os.getloadavg()[0] / os.cpu_count())


@pytest.mark.slow
class TestInTheBrowser:
    @pytest.mark.parametrize("stem", PAGES)
    def test_every_cell_shows_what_it_shows_in_cpython(self, stem, running, in_cpython):
        cells = cells_of(stem)
        page = running(cells)
        run(page, len(cells) - 1)
        for number, shown in enumerate(in_cpython(cells)):
            assert seen(page, number) == as_seen(page, shown), cells[number]

    def test_chapter_1s_figure_is_there_in_time_and_follows_q(self, running, in_cpython):
        cells = cells_of("01_electronic_surveys")
        paper = next(i for i, (_, source) in enumerate(cells) if "points_of_q" in source)
        page = running(cells)
        began = time.perf_counter()
        run(page, paper)
        assert time.perf_counter() - began < 15 * crowd()
        changed = cells[paper][1].replace("[0.05,", "[0.3,")
        began = time.perf_counter()
        run(page, paper, changed)
        assert time.perf_counter() - began < 3 * crowd()
        cells = (*cells[:paper], (cells[paper][0], changed))
        assert seen(page, paper) == as_seen(page, in_cpython(cells)[paper])
        titles = cell(page, paper).locator("circle title").all_text_contents()
        assert any(title.startswith("q = 0.3: ") for title in titles)

    def test_names_that_change_are_told_where_they_are_used(self, running):
        page = running([("", "a = 1"), ("", "b = a + 1"), ("", "c = 5"), ("", "b + c")])
        assert run(page, 3) == "7"
        run(page, 0, "a = 2")
        assert "uses a, which changed" in cell(page, 1).inner_text()
        assert "changed" not in cell(page, 2).inner_text()
        assert "uses b, which changed" in cell(page, 3).inner_text()
        assert run(page, 3) == "8"
        assert "changed" not in page.locator("body").inner_text()

    def test_an_error_is_shown_in_its_line_and_the_next_run_goes_on(self, running):
        page = running([("", "x = 1"), ("", "x")])
        assert "ZeroDivisionError" in run(page, 1, "2\nx / 0\n3")
        assert page.locator("mark").inner_text().strip() == "x / 0"
        assert run(page, 1, "6 * 7") == "42"
        assert page.locator("mark").count() == 0

    def test_a_loop_without_end_can_be_stopped(self, running):
        page = running([("", "1 + 1")])
        run(page, 0)
        box = cell(page, 0)
        box.locator("textarea").fill("while True:\n    pass")
        box.get_by_role("button", name="Run (Shift-Enter)").click()
        box.get_by_text("Running ...").wait_for()
        box.get_by_role("button", name="Stop").click()
        box.get_by_text("Stopped.").wait_for()
        assert run(page, 0, "2 + 2") == "4"

    def test_all_above_run_anew_in_order(self, running):
        page = running([("", "a = [1]"), ("", "a.append(2); a"), ("", "a")])
        assert run(page, 2) == "[1, 2]"
        cell(page, 2).get_by_role("button", name="Run all above").click()
        settle(cell(page, 1))
        assert cell(page, 1).locator(".live-output").inner_text() == "[1, 2]"

    @pytest.mark.parametrize("name", ASSIGNMENTS)
    def test_an_assignments_visible_tests_pass_on_answers_and_fail_without(self, name, running):
        from course_answers import SOURCES, answered

        full, empty = answered(name).cells, student_version(SOURCES / f"{name}.ipynb").cells
        right, blank = (
            [("", c.source) for c in cells if c.cell_type == "code"] for cells in (full, empty)
        )
        right[0] = blank[0] = ("", 'student = "ada"')
        page = running(right)
        run(page, len(right) - 1)  # all tests before it, or an error above
        assert page.locator(".live-error").count() == 0
        task = next(i for i, pair in enumerate(zip(right, blank)) if pair[0] != pair[1])
        run(page, task, blank[task][1])
        run(page, len(right) - 1)
        assert page.locator(".live-error").count() == 1


BUILT = find_root() / "_build" / "src" / "notebooks"


@pytest.mark.parametrize("stem", PAGES)
def test_every_live_cell_shows_what_the_built_page_shows(stem, in_cpython):
    """Text to the digit, and the data of drawings; of a book that was built at the paper's size."""
    if not (BUILT / f"{stem}.ipynb").is_file():
        pytest.skip("no built book here: make book")
    text = (BUILT / f"{stem}.ipynb").read_text(encoding="utf-8")
    outputs = {"".join(c["source"]): c.get("outputs", []) for c in json.loads(text)["cells"]}
    cells = cells_of(stem)
    for (_, source), shown in zip(cells, in_cpython(cells), strict=True):
        built = " ".join(map(as_text, outputs.get(source, [])))
        content = " ".join(content for _, content in shown)
        name = re.search(r'name="([\w-]+)"', source)
        if "<circle" in content and name:
            drawn = pd.read_csv(BUILT.parents[1] / "figures" / stem / f"{name[1]}.csv")
            numbers = drawn.dropna(axis=1).select_dtypes("number").iloc[:, -2:]
            points = list(numbers.itertuples(index=False, name=None))
            told = re.findall(r"<title>.*? = ([\d.e-]+): ([\d.e-]+)</title>", content)
            assert sorted((float(a), float(b)) for a, b in told) == [
                pytest.approx(point, rel=1e-5) for point in sorted(points)
            ]
        elif source in outputs:  # else the book was built before the cell was changed
            assert digits(content) == digits(built), source


def as_text(output: dict) -> str:
    data = output.get("data", {})
    return "".join(output.get("text") or data.get("text/html") or data.get("text/plain", ""))


def digits(text: str) -> list[str]:
    """The numbers of what is shown, outside of the marks of HTML."""
    return re.findall(r"\d+\.?\d*", re.sub(r"<[^>]*>", " ", text))
