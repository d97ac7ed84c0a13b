"""The designer for a workload: against other solvers, brute force over corners, and known numbers."""

from __future__ import annotations

import json
import time
from itertools import product

import numpy as np
import pandas as pd
import pytest
from oracles import bound
from scipy.optimize import linprog

from ppdm import cli, count
from ppdm.channel import matrix_epsilon
from ppdm.contract import Survey
from ppdm.disguise import scheme_of
from ppdm.optimise import best_ldp_scheme, best_scheme, frontier, max_posterior, noise
from ppdm.optimise.design import best_design, factor
from ppdm.optimise.extremes import LDP, largest_forms
from ppdm.optimise.frontier import bounded_atoms
from ppdm.optimise.workloads import cells, check_workload, pairs, prefixes, workload_of

UNEVEN = np.arange(1, 9) / 36


def workloads(n):
    shape = (2,) * int(np.log2(n))
    return {"cells": cells(n), "prefixes": prefixes(n), "pairs": pairs(shape)}


def corners(prior):
    """All extreme posteriors at epsilon = 1."""
    every = np.array(list(product([0, 1], repeat=len(prior))))[1:-1]
    return LDP(prior, 1.0).points(every).posteriors


def random_ldp_scheme(rng, n, epsilon, outputs):
    """Rows of entries between 1 and e^epsilon; the last row makes the columns sum to one."""
    rows = np.exp(epsilon / 2 * rng.random((outputs, n)))
    rows *= rng.exponential(size=(outputs, 1))
    matrix = np.vstack([rows, np.zeros(n)])
    matrix[-1] = 2 * matrix.sum(axis=0).max() - matrix.sum(axis=0)
    matrix /= matrix.sum(axis=0)
    return matrix if matrix_epsilon(matrix) <= epsilon else None


def test_the_known_numbers():
    """A uniform prior of eight, epsilon = 1: what a trial by other hands had found."""
    uniform = np.full(8, 1 / 8)
    assert best_ldp_scheme(uniform, 1.0).noise == pytest.approx(21.736, abs=5e-4)
    prefix = best_ldp_scheme(uniform, 1.0, workload=prefixes(8))
    assert prefix.noise == pytest.approx(23.031, abs=5e-4)
    assert 0 <= prefix.noise_gap < 1e-7


@pytest.mark.parametrize("name", ["cells", "prefixes", "pairs"])
def test_the_same_from_cvxpy(name):
    """Another formulation, another solver: epsilon-LDP and a bound on each report's best guess."""
    import cvxpy as cp

    n, prior = 8, UNEVEN
    rows = workloads(n)[name]
    for points, ours in (
        (corners(prior), best_ldp_scheme(prior, 1.0, workload=rows)),
        (bounded_atoms(n, 0.4), best_scheme(prior, 0.4, workload=rows)),
    ):
        w = cp.Variable(len(points), nonneg=True)
        s = cp.sum([w[i] * np.outer(p, p) for i, p in enumerate(points)])
        objective = cp.matrix_frac((factor(rows) * prior).T, s)
        problem = cp.Problem(cp.Minimize(objective), [points.T @ w == prior])
        value = problem.solve(solver="CLARABEL") - np.einsum("ij,j,ij->", rows, prior, rows)
        assert 0 <= ours.noise_gap < 2e-5
        assert ours.noise_bound <= value * (1 + 1e-6)
        # pairs leave the best S singular, and a general solver then stops some way above
        assert ours.noise == pytest.approx(value, rel=2e-3 if name == "pairs" else 1e-5)


@pytest.mark.parametrize("name", ["cells", "prefixes", "pairs"])
def test_the_bound_by_a_linear_programme_of_highs(name):
    """Given G, the best nu is a linear programme over all corners: it lies between bound and value."""
    prior, rows = UNEVEN, workloads(8)[name]
    found = best_design(prior, LDP(prior, 1.0), rows)
    points = corners(prior)
    quad = np.einsum("ij,jk,ik->i", points, found.g, points)
    best = linprog(prior, A_ub=-points, b_ub=-quad, bounds=(None, None), method="highs")
    by_highs = bound(prior, points, 0, 0, found.g, best.x, 0, rows)
    assert found.lower <= by_highs * (1 + 1e-6)  # HiGHS keeps its inequalities to 1e-7
    assert by_highs <= found.value * (1 + 1e-9)
    listed = bound(prior, points, 0, 0, found.g, found.nu, 0, rows)
    assert found.lower == pytest.approx(listed, rel=1e-8)


def test_all_corners_are_looked_at():
    """By halves, the largest form is the largest of all 2^n."""
    rng = np.random.default_rng(1)
    for n in (2, 3, 7, 10):
        q = rng.normal(size=(n, n))
        q += q.T
        every = np.array(list(product([1.0, 2.5], repeat=n)))
        forms = np.einsum("ij,jk,ik->i", every, q, every)
        values, where = largest_forms(q, 2.5)
        assert values.max() == pytest.approx(forms.max(), rel=1e-12)
        best = np.where(where[values.argmax()] > 0, 2.5, 1.0)
        assert best == pytest.approx(every[forms.argmax()])


def test_no_scheme_lies_below_the_bound():
    """Random schemes that keep epsilon, random workloads; the theorem leaves no room for chance."""
    rng = np.random.default_rng(3)
    prior, tried = np.array([0.4, 0.3, 0.2, 0.1]), 0
    asked = [rng.normal(size=(k, 4)) for k in (1, 2, 4, 6)]
    least = [best_ldp_scheme(prior, 1.0, workload=w) for w in asked]
    assert max(best.noise_gap for best in least) < 1e-4
    for _ in range(200):
        matrix = random_ldp_scheme(rng, 4, 1.0, rng.integers(4, 9))
        if matrix is not None:
            tried += 1
            for rows, best in zip(asked, least):
                assert noise(matrix, prior, rows) >= best.noise_bound
    assert tried > 50


@pytest.mark.parametrize(
    "name", ["cells", "prefixes", pytest.param("pairs", marks=pytest.mark.slow)]
)
def test_sixteen_answers(name):
    """Beyond what was listed: a valid scheme, of few reports, at its bound."""
    n = 16
    prior = np.arange(1, n + 1) / (n * (n + 1) / 2)
    rows = workloads(n)[name]
    best, bounded = (
        best_ldp_scheme(prior, 1.0, workload=rows),
        best_scheme(prior, 0.5, workload=rows),
    )
    assert matrix_epsilon(best.matrix) <= 1 + 1e-9
    assert max_posterior(bounded.matrix, prior) <= 0.5 + 1e-9
    for scheme in (best, bounded):
        assert 0 <= scheme.noise_gap < 2e-5
        assert scheme.matrix.sum(axis=0) == pytest.approx(np.ones(n))
        assert len(scheme.matrix) <= n * (n + 1) // 2 + 1
        assert noise(scheme.matrix, prior, rows) == pytest.approx(scheme.noise)


def test_a_bound_on_average_and_a_workload():
    """Both bounds on the best guess at once, for prefixes: the list of atoms, priced whole."""
    prior = UNEVEN
    best = best_scheme(prior, 0.7, 0.5, workload=prefixes(8))
    assert 0 <= best.noise_gap < 1e-6
    assert best.privacy >= 0.5 - 1e-9
    free = best_scheme(prior, 0.7, workload=prefixes(8))
    assert free.noise < best.noise


def test_workloads():
    assert pairs((2, 2, 2)) @ np.arange(8) == pytest.approx([2, 4, 10, 12, 4, 6, 8, 10])
    assert workload_of("prefixes", [0.5, 0.5]).tolist() == [[1, 0], [1, 1]]
    for bad, words in (
        ([[1.0, 1.0]], "every row is constant"),
        ([[1.0, np.nan]], "finite numbers"),
        ([[1.0, 0.0, 0.0]], "3 columns"),
    ):
        with pytest.raises(ValueError, match=words):
            check_workload(bad, 2)
    for args, words in (
        (("cubes", [0.5, 0.5]), "is one of cells"),
        (("pairs", [0.25] * 4), "need the shape"),
        (("pairs", [0.25] * 4, (2, 3)), "6 cells"),
    ):
        with pytest.raises(ValueError, match=words):
            workload_of(*args)


def test_refusals():
    with pytest.raises(ValueError, match="33 categories"):
        best_ldp_scheme(np.full(33, 1 / 33), 1.0)
    with pytest.raises(ValueError, match="extreme posteriors"):
        best_scheme(np.full(32, 1 / 32), 0.1)
    with pytest.raises(ValueError, match="15 categories"):
        best_scheme(np.full(15, 1 / 15), 0.9, 0.3)


# The command --------------------------------------------------------------------------------------


def test_the_command_makes_a_survey_of_it(tmp_path, capsys):
    """The survey disguises, and what it undoes has the error that was promised.

    2,000 surveys of 500; the mean square lies within 4.5 standard errors (7 in a million).
    """
    file = tmp_path / "survey.json"
    argv = ["optimise", "--prior", ".5,.3,.2", "--epsilon", "1", "--workload", "prefixes"]
    assert cli.main([*argv, "--respondents", "500", "--save", str(file)]) == 0
    told = capsys.readouterr().out
    survey = Survey.load(file)
    scheme = scheme_of(survey)
    assert scheme.epsilon("answer") == pytest.approx(1.0)
    best = best_ldp_scheme([0.5, 0.3, 0.2], 1.0, 500, prefixes(3))
    assert f"{np.sqrt(best.mse):.4f} (" in told
    rng = np.random.default_rng(7)
    counts = rng.multinomial(500, best.matrix @ [0.5, 0.3, 0.2], size=2000)
    truth = prefixes(3) @ [0.5, 0.3, 0.2]
    levels = survey.attributes["answer"]
    reports = list(scheme.reports.levels[0])
    squares = []
    for row in counts:
        frame = pd.DataFrame({"answer": np.repeat(reports, row)})
        undone = scheme.undo(count(frame, scheme)).dense / 500
        squares.append(((prefixes(len(levels)) @ undone - truth) ** 2).mean())
    off = np.mean(squares) - best.mse
    assert abs(off) < 4.5 * np.std(squares) / np.sqrt(len(squares))


@pytest.mark.slow
@pytest.mark.parametrize("weights", [np.ones(20), np.arange(1.0, 21.0)], ids=["even", "uneven"])
def test_prefixes_of_twenty_answers_are_designed_in_seconds(weights):
    """It took minutes, most of them spent on posteriors that came together and were not needed."""
    begin = time.process_time()
    best = best_ldp_scheme(weights / weights.sum(), 1.0, workload=prefixes(20))
    assert best.gap <= 1e-6
    assert time.process_time() - begin < 60  # seconds of computing: a loaded machine has as many


def test_the_command_reads_a_table(tmp_path, capsys):
    rng = np.random.default_rng(8)
    file = tmp_path / "people.csv"
    frame = pd.DataFrame({"a": rng.choice(["x", "y", "z"], 300), "c": rng.choice(["n", "y"], 300)})
    frame.loc[frame["a"] == "z", "c"] = "n"
    frame.to_csv(file, index=False)
    argv = ["optimise", "--csv", str(file), "--column", "a", "--column", "c", "--epsilon", "1"]
    assert cli.main([*argv, "--workload", "pairs", "--save", str(tmp_path / "s.json")]) == 0
    out = capsys.readouterr().out
    assert "1 of 6 combinations do not occur" in out and "z, y" in out
    plain = json.loads((tmp_path / "s.json").read_text())
    assert plain["attributes"][0]["name"] == "a & c"


def test_the_command_tells_combinations_apart(tmp_path, capsys):
    """Two answers whose names run together were counted as one."""
    file = tmp_path / "people.csv"
    file.write_text('a,c\n"x, y",z\nx,"y, z"\nx,z\n')
    argv = ["optimise", "--csv", str(file), "--column", "a", "--column", "c", "--epsilon", "1"]
    assert cli.main(argv) == 1
    said = capsys.readouterr().err
    assert "2 combinations of the columns a, c would be called 'x, y, z'" in said


def test_the_command_refuses_in_a_sentence(tmp_path, capsys):
    file = tmp_path / "weights.csv"
    file.write_text("1,0,0\n0,1\n")
    base = ["optimise", "--prior", ".5,.3,.2"]
    for argv, words in (
        (["--epsilon", "1", "--delta", ".9"], "leave out --delta"),
        ([], "give --epsilon, or --delta"),
        (["--epsilon", "0"], "must be positive"),
        (["--epsilon", "1", "--workload", "cubes"], "or a CSV file"),
        (["--epsilon", "1", "--workload", str(file)], "finite numbers"),
        (["--epsilon", "1", "--workload", "pairs"], "needs to know the table"),
        (["--epsilon", "1", "--outputs", "square"], "leave out --outputs square"),
        (["--epsilon", "1", "--column", "x"], "goes with --csv"),
        (["--delta", ".4"], "below the largest prior"),
    ):
        assert cli.main([*base, *argv]) == 1, argv
        said = capsys.readouterr().err
        assert words in said and said.count("\n") == 1, said


def test_the_command_says_where_nothing_is_certified(capsys, monkeypatch):
    """Never by a number: neither by a bound that is none, nor by how near it is."""
    base = ["optimise", "--prior", ".5,.3,.2", "--epsilon"]
    assert cli.main([*base, "10"]) == 0
    assert "certified to lie within" in capsys.readouterr().out
    assert cli.main([*base, "25"]) == 0
    told = capsys.readouterr().out
    assert "less than 1.00 times as many" in told and "not certified: it is too small" in told
    bad = best_ldp_scheme([0.5, 0.3, 0.2], 1.0)._replace(bound=-100.0, noise_bound=-100.0)
    monkeypatch.setattr(frontier, "best_ldp_scheme", lambda *_: bad)
    assert cli.main([*base, "1"]) == 0
    told = capsys.readouterr().out
    assert "The matrix is not certified" in told and "-" not in told.split("Privacy")[1]
    assert "times as many" in told and "No scheme" not in told
