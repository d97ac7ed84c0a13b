"""Cells that run in the reader's browser, against the same cells in CPython; in a real Chromium."""

import contextlib
import html
import io
import json
import os
import shutil
import time

import pytest
from browser import opened

from ppdm.book.site import live
from ppdm.places import find_root

STATIC = find_root() / "book" / "_static"


def live_cells() -> list[str]:
    text = (find_root() / "notebooks" / "00_primer.ipynb").read_text(encoding="utf-8")
    cells = json.loads(text)["cells"]
    return ["".join(c["source"]) for c in cells if "live" in c["metadata"].get("tags", [])]


def in_cpython(cells: list[str]) -> list[str]:
    """What each cell prints and shows, as HTML."""
    import ast

    space: dict = {"__name__": "__main__"}
    shown = []
    for source in cells:
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "cell", "exec"), space)  # noqa: S102 - the book's own cells
            value = last and eval(compile(ast.Expression(last.value), "cell", "eval"), space)
        shown.append(printed.getvalue() + (value._repr_html_() if value is not None else ""))
    return shown


def test_live_cells_import_what_the_browser_has():
    import ast

    for source in live_cells():
        for node in ast.walk(ast.parse(source)):
            names = [alias.name for alias in getattr(node, "names", [])]
            wanted = [node.module] if isinstance(node, ast.ImportFrom) else names
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert set(wanted) <= {"random", "statistics", "math", "ppdm.coins"}, source


def test_the_archive_leaves_the_runtime_out(tmp_path):
    import zipfile

    from ppdm.book.site.archive import make_archive

    site = tmp_path / "html"
    (site / "_static" / live.FOLDER).mkdir(parents=True)
    (site / "_static" / live.FOLDER / "pyodide.mjs").write_text("")
    (site / "index.html").write_text("")
    packed = make_archive(site, tmp_path / "book.zip")
    assert zipfile.ZipFile(packed).namelist() == ["book/index.html"]


def test_the_site_gets_all_that_the_page_asks_for(tmp_path, browsers_python):
    assert live.write(tmp_path)
    laid = {path.name for path in (tmp_path / live.FOLDER).iterdir()}
    assert laid == {*live.FILES, "modules.json", "runtime.json"}
    assert json.loads((tmp_path / live.FOLDER / "runtime.json").read_text())["python"] >= "3.12"


def write_page(folder, cells, runtime=None):
    (folder / "_static").mkdir()
    for name in ("live.js", "live_worker.js"):
        shutil.copy(STATIC / name, folder / "_static")
    if runtime:
        target = folder / "_static" / live.FOLDER
        target.mkdir()
        for name in live.FILES:
            shutil.copy(runtime / name, target)
        (target / "modules.json").write_text(json.dumps(live.modules()))
        (target / "runtime.json").write_text(json.dumps(live.about(target)))
    boxes = "".join(
        f'<div class="cell tag_live"><div class="cell_input"><pre>{html.escape(source)}</pre></div>'
        f'<div class="cell_output">as built</div></div>'
        for source in cells
    )
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>L</title>{boxes}'
        '<script src="_static/live.js" defer></script>'
    )
    return folder


def test_without_the_runtime_a_sentence_says_so(tmp_path, chromium):
    with opened(chromium, write_page(tmp_path, ["1 + 1"]), "index.html") as page:
        page.get_by_role("button", name="Change and run").click()
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("built without Python").wait_for()
        assert page.get_by_role("button", name="Run", exact=True).is_enabled()


def test_on_a_phone_code_with_long_lines_shows_whole(tmp_path, chromium):
    long = "x = 1  # " + "a word and another one, " * 6
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    page.goto(write_page(tmp_path, [long] * 3).joinpath("index.html").as_uri())
    page.get_by_role("button", name="Change and run").first.click()
    area = page.locator("textarea")
    assert area.evaluate("a => a.scrollHeight <= a.clientHeight")
    area.fill("\n".join([long] * 4))
    assert area.evaluate("a => a.scrollHeight <= a.clientHeight")
    page.close()


def test_from_a_disk_a_sentence_says_so(tmp_path, chromium):
    page = chromium.new_page()
    page.goto(write_page(tmp_path, ["1 + 1"]).joinpath("index.html").as_uri())
    page.get_by_role("button", name="Change and run").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("read from disk").wait_for()
    page.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory, chromium, browsers_python):
    folder = write_page(tmp_path_factory.mktemp("live"), live_cells(), browsers_python)
    with opened(chromium, folder, "index.html") as page:
        yield page


def cell(page, number: int):
    return page.locator(".cell.tag_live").nth(number)


def run(page, number: int, text: str | None = None) -> str:
    """Run a cell as a reader does; what it shows."""
    box = cell(page, number)
    if box.locator("textarea").count() == 0:
        box.get_by_role("button", name="Change and run").click()
    if text is not None:
        box.locator("textarea").fill(text)
    box.locator("textarea").press("Shift+Enter")
    box.get_by_text("Run in your browser").or_(box.locator(".live-error")).first.wait_for(
        timeout=60_000
    )
    return box.locator(".live-output").inner_text()


@pytest.mark.slow
class TestInTheBrowser:
    def test_the_first_result_is_there_within_ten_seconds(self, running):
        crowd = max(1, os.getloadavg()[0] / os.cpu_count())  # 10 s are meant for quiet cores
        began = time.perf_counter()
        run(running, 1)
        assert time.perf_counter() - began < 10 * crowd

    def test_every_cell_gives_what_cpython_gives(self, running):
        running.reload()
        for number, right in enumerate(in_cpython(live_cells())):
            text = run(running, number)
            if "<" not in right:
                assert text.strip() == right.strip()
                continue
            shown = cell(running, number).locator(".live-output > div").inner_html()
            assert shown == running.evaluate(
                "html => Object.assign(document.createElement('div'), {innerHTML: html}).innerHTML",
                right,
            )

    def test_a_changed_number_changes_what_follows(self, running):
        first = live_cells()[0]
        run(running, 0, first.replace("theta = 0.7", "theta = 0.9"))
        changed = [first.replace("theta = 0.7", "theta = 0.9"), *live_cells()[1:5]]
        run(running, 4)  # and all between, which stand below the change
        shown = cell(running, 4).locator("svg").get_attribute("aria-label")
        assert html.escape(shown) in in_cpython(changed)[4]

    def test_an_error_is_shown_and_the_next_run_goes_on(self, running):
        assert "ZeroDivisionError" in run(running, 1, "1 / 0")
        assert run(running, 1, "6 * 7") == "42"

    def test_a_loop_without_end_can_be_stopped(self, running):
        box = cell(running, 1)
        run(running, 1, "1 + 1")
        box.locator("textarea").fill("while True:\n    pass")
        box.get_by_role("button", name="Run", exact=True).click()
        box.get_by_text("Running").wait_for()
        box.get_by_role("button", name="Stop").click()
        box.get_by_text("Stopped.").wait_for()
        assert run(running, 1, "2 + 2") == "4"

    def test_assignment_0_runs_with_its_visible_tests(self, chromium, browsers_python, tmp_path):
        from course_answers import PRIMER, answered

        notebook = answered(PRIMER)
        cells = [c.source for c in notebook.cells if c.cell_type == "code"]
        cells[0] = 'student = "ada"'
        with opened(chromium, write_page(tmp_path, cells, browsers_python), "index.html") as page:
            run(page, len(cells) - 1)  # all tests before it, or an error above
            assert page.locator(".live-error").count() == 0
            first_task = next(i for i, c in enumerate(cells) if "def estimate" in c)
            run(page, first_task, "def estimate(reports, theta):\n    return 0.5, 0.1")
            assert "should be" in run(page, first_task + 1)
