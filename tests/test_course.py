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
)

from ppdm.course import begin, tell
from ppdm.course.build import student_version, tasks


def with_other_hidden_seed(notebook, seed: int):
    """Visible tests as they are; one hidden seed instead of many."""
    for cell in notebook.cells:
        cell.source = re.sub(
            r"seeds=range\((\d+), \d+\)", rf"seeds=[\1 * 1000 + {seed}]", cell.source
        )
    return notebook


def visible_tests_only(notebook):
    for cell in notebook.cells:
        cell.source = re.sub(
            r"### BEGIN HIDDEN.*?### END HIDDEN TESTS", "", cell.source, flags=re.DOTALL
        )
    return notebook


def short(mistake):
    return f"{mistake.assignment}-{mistake.task}-{mistake.words}"


ONE_A_TASK = list({(m.assignment, m.task): m for m in reversed(MISTAKES)}.values())


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_stored_solution_is_right(assignment):
    said = run_here(source(assignment), "ada")
    assert said == dict.fromkeys(said) and len(said) >= 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.weekly) for part in (1, 2, 3))]
)
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_stored_solution_is_right_for_200_students(assignment, part):
    for number in range(50 * part, 50 * part + 50):
        said = run_here(with_other_hidden_seed(source(assignment), number), f"student-{number}")
        assert said == dict.fromkeys(said), number


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_student_version_passes_nothing(assignment):
    said = run_here(student_version(SOURCES / f"{assignment}.ipynb"), "ada")
    assert len(said) >= 4 and all(said.values())


@pytest.mark.parametrize("mistake", ONE_A_TASK, ids=short)
def test_mistake_is_named_by_the_visible_tests(mistake):
    notebook = visible_tests_only(make_mistake(source(mistake.assignment), mistake))
    said = run_here(notebook, "ada")
    assert mistake.words in (said.pop(mistake.task) or "passed")
    assert not any(said.values())  # the other tasks do not suffer


@pytest.mark.weekly
@pytest.mark.parametrize("mistake", MISTAKES, ids=short)
def test_mistake_is_named_whatever_the_numbers(mistake):
    for number in range(3):
        notebook = with_other_hidden_seed(make_mistake(source(mistake.assignment), mistake), number)
        said = run_here(notebook, f"student-{number}")
        assert mistake.words in (said.pop(mistake.task) or "passed"), number
        assert not any(said.values())


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_right_answer_fails_by_chance_less_than_once_in_a_million(assignment, monkeypatch):
    """Every test of chance fails a right answer with CHANCE at most: so count them."""
    from ppdm.course import distortion, groups, primer

    calls = []
    for module in (distortion, groups, primer):
        monkeypatch.setattr(module, "by_chance", lambda *args: calls.append(args) or True)
    run_here(source(assignment), "ada")
    assert len(calls) * tell.CHANCE < 1e-6


def test_data_are_personal():
    first, again, other = (begin("00_primer", who, seed=1) for who in ("ada", "Ada", "bob"))
    assert first.theta == again.theta and first.reports == again.reports
    assert first.reports != other.reports
    assert begin("00_primer", "ada", seed=2).reports != first.reports
    first, again, other = (begin("02_multi_group", who, seed=1) for who in ("ada", "Ada", "bob"))
    assert repr(first) == repr(again) != repr(other)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("trials", [12, 400, 80_000])
def test_a_right_answer_fails_a_binomial_test_as_rarely_as_promised(trials, p):
    """The numbers of successes that are refused have, by scipy, a probability of CHANCE together at most;
    and the test is sharp enough: what is refused begins within seven standard deviations and a bit."""
    from scipy.stats import binom

    expected, spread = trials * p, (trials * p * (1 - p)) ** 0.5
    kept = [
        k
        for k in range(trials + 1)
        if abs(k - expected) < 9 * spread + 20 and tell.by_chance(k, trials, p)
    ]
    refused = binom.cdf(kept[0] - 1, trials, p) + binom.sf(kept[-1], trials, p)
    assert refused <= tell.CHANCE
    assert kept == list(range(kept[0], kept[-1] + 1))
    assert max(expected - kept[0], kept[-1] - expected) <= 7 * spread + 12


def test_the_primers_checks_need_the_standard_library_only(tmp_path):
    """They run in a reader's browser, where there is no numpy and little of `ppdm`."""
    from ppdm.book.site import live

    for name, content in live.our_files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
for name in ("numpy", "scipy", "pandas"):
    sys.modules[name] = None
{_code_of("00_primer")}
print("all right")
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        capture_output=True,
        text=True,
        env={"PPDM_STUDENT": "ada"},
        check=False,
    )
    assert done.stdout.strip() == "all right", done.stderr[-2000:]


def _code_of(assignment: str) -> str:
    return "\n".join(cell.source for cell in source(assignment).cells if cell.cell_type == "code")


def test_begin_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="student id"):
        begin("00_primer", "", seed=1)
    with pytest.raises(ValueError, match="00_primer, 01_"):
        begin("00_prime", "ada", seed=1)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_source_is_what_nbgrader_reads(assignment):
    from nbgrader.nbgraderformat import MetadataValidator

    notebook = source(assignment)
    MetadataValidator().validate_nb(notebook)
    names = [grade_id(cell) for cell in notebook.cells if grade_id(cell)]
    assert len(set(names)) == len(names)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
            assert "BEGIN HIDDEN TESTS" in cell.source
    graded = tasks(SOURCES / f"{assignment}.ipynb")
    assert sum(task["max"] for task in graded) == 20
    assert sum(task["human"] for task in graded) == 1


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_student_version_gives_nothing_away(assignment):
    text = "".join(cell.source for cell in student_version(SOURCES / f"{assignment}.ipynb").cells)
    assert "SOLUTION" not in text and "HIDDEN" not in text
    for cell in source(assignment).cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "markdown":
            assert cell.source not in text


@pytest.mark.parametrize(
    "statement",
    [
        "import ppdm.estimate",
        "from ppdm import MultiGroup",
        "from ppdm.disguise import RRMatrix",
        "import ppdm; ppdm.random_groups",
        "from ppdm.papers import multi_group",
        "from ppdm.privacy.pse import pse",
        "from ppdm.optimise import best_scheme",
        "from ppdm.distort import aibr",
        "from ppdm import disguise",
    ],
)
def test_guard_explains(statement, guarded):
    assert f"{statement}: ImportError" in guarded and "would answer a task" in guarded


@pytest.mark.parametrize(
    "statement",
    [
        "from ppdm import count, Table",
        "from ppdm import data",
        "import ppdm.table",
        "from ppdm.course import begin",
    ],
)
def test_guard_lets_tools_through(statement, guarded):
    assert f"{statement}: fine" in guarded


@pytest.fixture(scope="module")
def guarded():
    """What a fresh Python says of each import, behind the guard."""
    marks = [*test_guard_explains.pytestmark, *test_guard_lets_tools_through.pytestmark]
    statements = [s for mark in marks for s in mark.args[1]]
    code = f"""
import ppdm.estimate, ppdm.learn.accuracy
from ppdm.course import guard
guard.close()
for statement in {statements!r}:
    try:
        exec(statement)
        print(f"{{statement}}: fine")
    except ImportError as error:
        print(f"{{statement}}: ImportError {{error}}")
"""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_checks_survive_answers_that_misbehave():
    from ppdm.course import primer

    def prints(reports, theta):
        print("x" * 10_000_000)
        return 0.0, 0.0

    def leaves(reports, theta):
        sys.exit("bye")

    def empties(reports, theta):
        reports *= 0
        return 0.0, 0.0

    for answer, words in (
        (prints, "should be"),
        (leaves, "SystemExit"),
        (empties, "should be"),
        (3, "A function is asked for"),
        (lambda r, t: None, "pair"),
    ):
        with pytest.raises(AssertionError, match=words):
            primer.check_estimate(answer)
