"""The assignments and their checks, in this process; the grading itself is in test_course_grade."""

import re
import subprocess
import sys

import pytest

pytest.importorskip("nbgrader")

from course_answers import (
    ASSIGNMENTS,
    MISTAKES,
    SOURCES,
    grade_id,
    make_mistake,
    run_here,
    source,
    student_version,
)

from ppdm.course import begin, distortion, groups, primer, tell
from ppdm.course.build import tasks

ONE_A_TASK = list({(m.assignment, m.task): m for m in reversed(MISTAKES)}.values())
each_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS)


def rewritten(notebook, pattern, other):
    for cell in notebook.cells:
        cell.source = re.sub(pattern, other, cell.source, flags=re.DOTALL)
    return notebook


def with_other_hidden_seed(notebook, seed: int):
    """Visible tests as they are; one hidden seed instead of many."""
    return rewritten(notebook, r"seeds=range\((\d+), \d+\)", rf"seeds=[\1 * 1000 + {seed}]")


@each_assignment
def test_a_right_answer_passes_and_fails_by_chance_less_than_once_in_a_million(
    assignment, monkeypatch
):
    """Every test of chance fails a right answer with CHANCE at most: so count them."""
    calls, by_chance = [], tell.by_chance
    for module in (distortion, groups, primer):
        monkeypatch.setattr(module, "by_chance", lambda *a: calls.append(a) or by_chance(*a))
    said = run_here(source(assignment), "ada")
    assert said == dict.fromkeys(said) and len(said) >= 4
    assert len(calls) * tell.CHANCE < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.weekly) for n in (1, 2, 3))])  # fmt: skip
@each_assignment
def test_stored_solution_is_right_for_200_students(assignment, part):
    for number in range(50 * part, 50 * part + 50):
        said = run_here(with_other_hidden_seed(source(assignment), number), f"student-{number}")
        assert said == dict.fromkeys(said), number


@each_assignment
def test_student_version_passes_nothing_and_gives_nothing_away(assignment):
    blank, full = student_version(SOURCES / f"{assignment}.ipynb"), source(assignment)
    said = run_here(blank, "ada")
    assert len(said) >= 4 and all(said.values())
    text = "".join(cell.source for cell in blank.cells)
    assert "SOLUTION" not in text and "HIDDEN" not in text
    for cell in full.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "markdown":
            assert cell.source not in text


@pytest.mark.parametrize("mistake", ONE_A_TASK)
def test_mistake_is_named_by_the_visible_tests(mistake):
    notebook = make_mistake(source(mistake.assignment), mistake)
    said = run_here(rewritten(notebook, "### BEGIN HIDDEN.*?### END HIDDEN TESTS", ""), "ada")
    assert mistake.words in (said.pop(mistake.task) or "passed")
    assert not any(said.values())  # the other tasks do not suffer


@pytest.mark.parametrize("assignment", ["00_primer", "02_multi_group"])
def test_data_are_personal(assignment):
    first, again, other, later = (
        repr(begin(assignment, who, seed=seed))
        for who, seed in (("ada", 1), ("Ada", 1), ("bob", 1), ("ada", 2))
    )
    assert first == again and len({first, other, later}) == 3


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("trials", [12, 400, 80_000])
def test_a_right_answer_fails_a_binomial_test_as_rarely_as_promised(trials, p):
    """The numbers of successes that are refused have, by scipy, a probability of CHANCE together at most;
    and the test is sharp enough: what is refused begins within seven standard deviations and a bit."""
    from scipy.stats import binom

    expected, spread = trials * p, (trials * p * (1 - p)) ** 0.5
    near = int(9 * spread + 20)
    tried = range(max(0, int(expected) - near), min(trials, int(expected) + near) + 1)
    kept = [k for k in tried if tell.by_chance(k, trials, p)]
    refused = binom.cdf(kept[0] - 1, trials, p) + binom.sf(kept[-1], trials, p)
    assert refused <= tell.CHANCE and len(kept) == kept[-1] - kept[0] + 1
    assert max(expected - kept[0], kept[-1] - expected) <= 7 * spread + 12


def test_the_primers_checks_need_the_standard_library_only(tmp_path):
    """They run in a reader's browser, where there is no numpy and little of `ppdm`."""
    from ppdm.book.site import live

    for name, content in live.our_files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    cells = source("00_primer").cells
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
sys.modules |= dict.fromkeys(("numpy", "scipy", "pandas"))
"""
    code += "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    subprocess.run([sys.executable, "-I", "-c", code], env={"PPDM_STUDENT": "ada"}, check=True)


def test_begin_refuses_what_it_does_not_know():
    for assignment, who, words in (
        ("00_primer", "", "student id"),
        ("00_prime", "ada", "00_primer, 01_"),
    ):
        with pytest.raises(ValueError, match=words):
            begin(assignment, who, seed=1)


@each_assignment
def test_source_is_what_nbgrader_reads(assignment):
    from nbgrader.nbgraderformat import MetadataValidator

    notebook = source(assignment)
    MetadataValidator().validate_nb(notebook)
    names = [grade_id(cell) for cell in notebook.cells if grade_id(cell)]
    assert len(set(names)) == len(names)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
            graded = cell.metadata.get("nbgrader", {}).get("grade")
            assert not graded or "BEGIN HIDDEN TESTS" in cell.source
    graded = tasks(SOURCES / f"{assignment}.ipynb")
    assert sum(task["max"] for task in graded) == 20 and sum(task["human"] for task in graded) == 1


def test_guard_explains_and_lets_tools_through():
    closed = """import ppdm.estimate; from ppdm import MultiGroup; from ppdm.disguise import RRMatrix
        import ppdm; ppdm.random_groups; from ppdm.papers import multi_group; from ppdm.privacy.pse import pse
        from ppdm.optimise import best_scheme; from ppdm.distort import aibr; from ppdm import disguise"""
    opened = "from ppdm import count, Table; from ppdm import data; import ppdm.table; from ppdm.course import begin"
    code = f"""
import ppdm.estimate, ppdm.learn.accuracy
from ppdm.course import guard
guard.close()
def of(text): return [s.strip() for line in text.split("\\n") for s in line.split(";")]
for statement in of({opened!r}):
    exec(statement)
for statement in of({closed!r}):
    try: exec(statement)
    except ImportError as error: assert "would answer a task" in str(error)
    else: assert statement == "import ppdm", statement
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_checks_survive_answers_that_misbehave():
    def prints(reports, theta):
        print("x" * 10_000_000)
        return 0.0, 0.0

    def empties(reports, theta):
        reports *= 0
        return 0.0, 0.0

    for answer, words in (
        (prints, "should be"),
        (lambda r, t: sys.exit("bye"), "SystemExit"),
        (empties, "should be"),
        (3, "A function is asked for"),
        (lambda r, t: None, "pair"),
    ):
        with pytest.raises(AssertionError, match=words):
            primer.check_estimate(answer)
