"""Privacy, error, the search and the descent: against plain readings and simulation."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime

from ppdm.disguise import matrix
from ppdm.optimise import best_scheme, cli, descent, objectives, spea2
from ppdm.optimise.cli import add_arguments, main, report
from ppdm.papers import optrr as chapters
from ppdm.papers.optrr import experiment, formulas, rows

PRIOR = np.array([0.1, 0.2, 0.25, 0.45])
DELTA = 0.8


def random_matrix(rng, outputs, inputs):
    return rng.dirichlet(np.ones(outputs), size=inputs).T


# Objectives ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ([1.0], "at least two probabilities"),
        ([0.5, 0.5, 0.0], r"prior\[2\] is 0"),
        ([0.5, -0.1, 0.6], r"prior\[1\] is -0.1"),
        ([0.5, 0.4], "sums to 0.9"),
        ([0.5, np.nan], "not a number"),
    ],
)
def test_bad_priors_are_refused_in_one_sentence(prior, words):
    with pytest.raises(ValueError, match=words) as caught:
        objectives.check_prior(prior)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"delta": 0.44}, "delta is"), ({"delta": 0.0}, "delta is"), ({"delta": 1.2}, "delta is"),
        ({"rng": 7}, "Generator"), ({"rng": None}, "Generator"),
        ({"rng": np.random.RandomState(1)}, "Generator"),
        ({"archive": 0}, "archive is 0: a whole number of at least"), ({"omega": 0}, "omega is 0"),
        ({"population": 0}, "population is 0"), ({"respondents": -1}, "respondents is -1"),
        ({"generations": -1}, "generations is -1"), ({"generations": 2.5}, "generations is 2.5"),
    ],
)  # fmt: skip
def test_a_search_refuses_what_it_cannot_have(wrong, words):
    """An archive or an Omega without a place was written past its end."""
    given = {"delta": DELTA, "rng": np.random.default_rng(0), "generations": 1, **wrong}
    with pytest.raises(ValueError, match=words):
        spea2.optrr(PRIOR, **given)


def test_whole_numbers_have_posteriors_and_nan_is_no_point():
    assert objectives.max_posterior([[1, 0], [0, 1]], [3, 1]) == 1
    assert objectives.max_posterior([[1, 1]], [3, 1]) == 0.75
    for privacy, mse in (([0.5, 0.4, 0.3], [1.0, np.nan, 0.5]), ([np.nan, 0.1], [1.0, 2.0])):
        with pytest.raises(ValueError, match="leave it out first"):
            objectives.pareto(privacy, mse)


def test_privacy_is_what_a_guesser_leaves():
    """500,000 guesses; |z| < 4.5 fails by chance less than once in 100,000 runs."""
    rng = np.random.default_rng(1)
    m = random_matrix(rng, 4, 4)
    size = 500_000
    truth = rng.choice(4, size, p=PRIOR)
    reported = (rng.random(size)[:, None] > m.T.cumsum(axis=1)[truth]).sum(axis=1)
    guess = (m * PRIOR).argmax(axis=1)[reported]
    right = (guess == truth).mean()
    expected = 1 - objectives.privacy(m, PRIOR)
    assert abs(right - expected) < 4.5 * np.sqrt(expected * (1 - expected) / size)
    # and no other guess of the same report does better
    posterior = m * PRIOR / (m @ PRIOR)[:, None]
    assert objectives.max_posterior(m, PRIOR) == pytest.approx(posterior.max())


@pytest.mark.parametrize("outputs", [4, 7])
def test_error_in_closed_form_is_the_simulated_one(outputs):
    """40,000 surveys; the mean squared error is within 4.5 standard errors (1 in 100,000 runs)."""
    from ppdm.channel import left_inverse

    rng = np.random.default_rng(2)
    m = random_matrix(rng, outputs, 4)
    counts = rng.multinomial(500, m @ PRIOR, size=40_000)
    estimates = counts / 500 @ left_inverse(m, PRIOR).T
    errors = ((estimates - PRIOR) ** 2).mean(axis=1)
    se = errors.std() / np.sqrt(len(errors))
    assert abs(errors.mean() - objectives.mse(m, PRIOR, 500)) < 4.5 * se


def test_error_agrees_with_theorem_6_and_knows_singular_matrices():
    rng = np.random.default_rng(3)
    stack = np.array([random_matrix(rng, 4, 4) for _ in range(5)])
    each = [objectives.mse_of_inversion(m, PRIOR, 100).mean() for m in stack]
    assert objectives.mse(stack, PRIOR, 100) == pytest.approx(each, rel=1e-9)
    assert objectives.mse(np.full((4, 4), 0.25), PRIOR) == np.inf
    assert objectives.mse(random_matrix(rng, 3, 4), PRIOR) == np.inf
    unused = np.vstack([stack[0], np.zeros(4)])  # an output that never occurs
    assert objectives.mse(unused, PRIOR) == pytest.approx(objectives.mse(stack[0], PRIOR))


def test_pareto_against_its_definition():
    rng = np.random.default_rng(4)
    privacy, mse = rng.integers(0, 6, 40) / 6, rng.integers(0, 6, 40) / 6
    points = list(zip(-privacy, mse))
    for i, keeps in enumerate(objectives.pareto(privacy, mse)):
        dominated = any(dominates(q, points[i]) for q in points)
        assert keeps == (not dominated and points.index(points[i]) == i)


# SPEA2, written plainly ---------------------------------------------------------------------------


def fitness(a, f):
    """Strength, raw fitness and fitness by the kernel, which takes sorted points."""
    a, f, values = np.array(a), np.array(f), np.empty((3, len(a)))
    order = spea2._sorted(a, f)
    spea2._fitness(a[order], f[order], *values)
    return values[:, np.argsort(order)]


def dominates(p, q):
    return p[0] <= q[0] and p[1] <= q[1] and p != q


def distance(p, q):
    return np.hypot(p[0] - q[0], p[1] - q[1]) if p != q else 0.0


def plain_fitness(points):
    strength = [sum(dominates(p, q) for q in points) for p in points]
    raw = [sum(s for q, s in zip(points, strength) if dominates(q, p)) for p in points]
    nearest = [
        min(distance(p, q) for j, q in enumerate(points) if j != i) for i, p in enumerate(points)
    ]
    return strength, raw, [r + 1 / (d + 2) for r, d in zip(raw, nearest)]


def plain_truncation(points, size):
    points = list(points)
    while len(points) > size:
        lists = [
            sorted(distance(p, q) for j, q in enumerate(points) if j != i)
            for i, p in enumerate(points)
        ]
        points.pop(lists.index(min(lists)))
    return sorted(points)


def random_points(rng, size, grid):
    return [tuple(p) for p in rng.integers(0, grid, (size, 2)) / grid]


def on_a_front(rng, size, grid):
    """Points of which none dominates another, many of them equal or equally spaced."""
    a = rng.integers(0, grid, size) / grid
    return [(x, 1 - x) for x in a]


@pytest.mark.parametrize("grid", [4, 16, 1 << 20])
def test_fitness_as_defined(grid):
    rng = np.random.default_rng(5)
    for _ in range(10):
        points = random_points(rng, 40, grid)
        a, f = np.array(points).T
        for ours, plain in zip(fitness(a, f), plain_fitness(points)):
            assert np.allclose(ours, plain, atol=1e-15)


def test_infinite_errors_have_a_fitness():
    strength, raw, fit = fitness([0.3, 0.2, 0.2], [1.0, np.inf, np.inf])
    assert list(strength) == [0, 0, 0]
    assert list(raw) == [0, 0, 0]
    assert np.isfinite(fit).all()
    assert fit[1] == fit[2] == 0.5  # two points that coincide
    assert fit[0] < 1e-100


@pytest.mark.parametrize("grid", [16, 64, 1 << 20])
def test_truncation_as_defined(grid):
    rng = np.random.default_rng(6)
    for size in (30, 12, 2):
        points = on_a_front(rng, 40, grid)
        a, f = np.array(points).T
        order = np.argsort(a, kind="stable")
        survivors = order[spea2._truncated(a[order], f[order], size)]
        assert sorted(points[i] for i in survivors) == plain_truncation(points, size)


def test_next_archive_is_truncated_or_filled_up():
    rng = np.random.default_rng(7)
    points = sorted(random_points(rng, 60, 1 << 20))
    a, f = np.array(points).T
    _, raw, fit = fitness(a, f)
    chosen = spea2._survivors(a, f, raw, fit, 20)  # more than are non-dominated
    assert (raw == 0).sum() < 20
    assert set(chosen) == set(np.argsort(plain_fitness(points)[2], kind="stable")[:20])
    chosen = spea2._survivors(a, f, raw, fit, 3)
    front = [p for p, r in zip(points, raw) if r == 0]
    assert sorted(points[i] for i in chosen) == plain_truncation(front, 3)


def test_survivors_are_pymoos():
    pymoo = pytest.importorskip(
        "pymoo", "0.6.1.3", reason="no pymoo here: `make bench` installs it"
    )
    from packaging.version import Version
    from pymoo.algorithms.moo.spea2 import SPEA2Survival
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem

    if Version(pymoo.__version__) < Version("0.6.2"):
        pytest.skip("pymoo before 0.6.2 truncates otherwise than SPEA2 says")
    rng = np.random.default_rng(8)
    for _ in range(5):
        above = np.array(random_points(rng, 40, 1 << 20)) + 1  # all dominated
        points = np.concatenate([on_a_front(rng, 60, 1 << 20), above])
        pop = Population.new("X", np.zeros((100, 1)), "F", points)
        kept = SPEA2Survival(normalize=False)._do(Problem(n_obj=2), pop, n_survive=25)
        order = np.lexsort(points.T[::-1])
        a, f = points[order].T
        _, raw, fit = fitness(a, f)
        assert np.array_equal(np.sort(raw), np.sort(pop.get("SPEA_R")))
        ours = spea2._survivors(a, f, raw, fit, 25)
        assert sorted(zip(a[ours], f[ours])) == sorted(map(tuple, kept.get("F")))


# The operators ------------------------------------------------------------------------------------


def test_mutation_moves_one_column_in_proportion():
    rng = np.random.default_rng(9)
    up = down = 0
    for _ in range(200):
        before = random_matrix(rng, 5, 5)
        after = before.copy()
        spea2._mutate(after, rng, 0.3)
        (x,) = np.flatnonzero(np.abs(after - before).max(axis=0) > 1e-13)
        change = after[:, x] - before[:, x]
        assert change.sum() == pytest.approx(0, abs=1e-12)
        assert after.min() >= 0
        y = np.abs(change).argmax()
        others = np.arange(5) != y
        if change[y] > 0:  # the others lose in proportion to what they have
            up += 1
            shares = change[others] / before[others, x]
        else:  # the others gain in proportion to what they lack
            down += 1
            shares = change[others] / (1 - before[others, x])
        assert shares == pytest.approx(shares.mean(), rel=1e-6)
    assert up > 50  # a fair coin: below 50 of 200 once in 10^13
    assert down > 50


def test_repair_meets_the_bound_and_leaves_good_matrices_alone():
    rng = np.random.default_rng(10)
    for delta in (0.46, 0.6, 0.9):
        for concentration in (0.05, 1.0):
            m = rng.dirichlet(np.full(4, concentration), size=4).T
            repaired = m.copy()
            spea2._repair(repaired, PRIOR, delta)
            assert objectives.max_posterior(repaired, PRIOR) <= delta * (1 + 1e-9)
            assert repaired.sum(axis=0) == pytest.approx(np.ones(4))
            assert repaired.min() >= 0
            if objectives.max_posterior(m, PRIOR) <= delta:
                assert np.array_equal(repaired, m)


def test_repair_gives_in_proportion_to_the_room():
    """Section V.G for one column of which one element is too large."""
    prior = np.array([0.3, 0.3, 0.4])
    m = np.array([[0.9, 0.05, 0.05], [0.05, 0.5, 0.45], [0.05, 0.45, 0.5]])
    weight = m @ prior
    before = m.copy()
    spea2._repair_column(m, 0, weight, prior, 0.75)
    rest = before[:, 1:] @ prior[1:]
    limit = np.minimum(0.75 * rest / (0.25 * prior[0]), 1)
    assert m[0, 0] == pytest.approx(limit[0])
    given = (m - before)[1:, 0]
    assert given.sum() == pytest.approx(before[0, 0] - limit[0])
    assert given / (limit - before[:, 0])[1:] == pytest.approx(
        given.sum() / (limit - before[:, 0])[1:].sum()
    )
    assert weight == pytest.approx(m @ prior)


def test_members_and_omega_give_each_other_the_better():
    members = np.arange(12.0).reshape(3, 2, 2)
    a, f = np.array([0.505, 0.502, 0.805]), np.array([2.0, 1.0, 5.0])
    best = spea2._members(10, 2)
    best.matrices[1], best.a[1], best.f[1] = 7.0, 0.81, 4.0
    spea2._exchange(members, a, f, best)
    assert best.f[4] == 1.0  # the first fills the slice, the second is better
    assert f[2] == 4.0  # the third takes Omega's matrix
    assert (members[2] == 7.0).all()


def test_the_kernel_evaluates_like_the_formula():
    rng = np.random.default_rng(11)
    members = np.array([random_matrix(rng, 4, 4) for _ in range(20)] + [np.full((4, 4), 0.25)])
    a, f = np.empty(21), np.empty(21)
    spea2._evaluate(members, PRIOR, 1000, a, f)
    assert a == pytest.approx(1 - objectives.privacy(members, PRIOR))
    assert f[:20] == pytest.approx(objectives.mse(members[:20], PRIOR, 1000), rel=1e-9)
    assert f[20] == np.inf


def test_a_search_is_valid_and_depends_on_the_seed_alone():
    runs = [spea2.optrr(PRIOR, DELTA, np.random.default_rng(12), generations=300) for _ in range(2)]
    assert np.array_equal(runs[0].matrices, runs[1].matrices)
    front = runs[0]
    assert objectives.max_posterior(front.matrices, PRIOR).max() <= DELTA + 1e-9
    assert np.abs(front.matrices.sum(axis=1) - 1).max() < 1e-9
    assert front.mse == pytest.approx(objectives.mse(front.matrices, PRIOR))
    assert objectives.pareto(front.privacy, front.mse).all()


@pytest.mark.slow
def test_six_times_pymoos_generations():
    pytest.importorskip("pymoo", "0.6.2", reason="no pymoo 0.6.2 here: `make bench` installs it")
    import time

    from ppdm.book.bench import pymoo_front

    prior = np.full(10, 0.1)
    spea2.optrr(prior, 0.75, np.random.default_rng(0), generations=2)
    start = time.process_time()
    spea2.optrr(prior, 0.75, np.random.default_rng(0), generations=1_000)
    ours = (time.process_time() - start) / 1_000
    start = time.process_time()
    pymoo_front(prior, 20)
    theirs = (time.process_time() - start) / 20
    assert theirs > 6 * ours


# Descent ------------------------------------------------------------------------------------------


def test_derivatives_against_differences():
    rng = np.random.default_rng(13)
    m, n = 5, 4
    j = random_matrix(rng, m, n) * PRIOR

    def derivatives(j):
        weight = j.sum(axis=1)
        p = j / weight[:, None]
        k = np.linalg.inv(j.T @ p)
        return descent._derivatives(p, weight, k, (k * PRIOR**2) @ k)

    gradient, convex, concave = derivatives(j)
    by_steps = approx_fprime(j.ravel(), lambda x: descent._error(x.reshape(m, n), PRIOR))
    assert by_steps == pytest.approx(gradient, rel=1e-4, abs=1e-4 * np.abs(gradient).max())
    rows = approx_fprime(j.ravel(), lambda x: derivatives(x.reshape(m, n))[0])
    assert np.abs(rows - (convex - concave)).max() < 1e-4 * np.abs(convex).max()
    assert np.linalg.eigvalsh(convex).min() > -1e-9 * np.abs(convex).max()


def test_descent_keeps_the_bounds_and_beats_the_search():
    for prior, delta in ((PRIOR, 0.8), (np.full(5, 0.2), 0.6)):
        search = spea2.optrr(prior, delta, np.random.default_rng(14), generations=3_000)
        highest = 1 - prior.max()
        levels = np.linspace(search.privacy[0], min(search.privacy[-1], highest - 0.01), 6)
        front = descent.square_front(prior, delta, levels, np.random.default_rng(15))
        assert (front.privacy >= levels - 1e-9).all()
        assert (objectives.max_posterior(front.matrices, prior) <= delta + 1e-9).all()
        assert np.abs(front.matrices.sum(axis=1) - 1).max() < 1e-12
        for level, error in zip(levels, front.mse):
            assert error <= search.mse[search.privacy >= level].min() * (1 + 1e-4)


def test_descent_keeps_the_bounds_next_to_the_highest_privacy():
    """Sparse starts are far outside there; each must be brought inside before the first step."""
    for prior in (PRIOR, np.full(6, 1 / 6)):
        low, high = 1 - DELTA, 1 - prior.max()
        levels = high - (high - low) * np.array([0.005, 0.0005])
        front = descent.square_front(prior, DELTA, levels, np.random.default_rng(18), starts=12)
        assert (front.privacy >= levels - 1e-9).all()
        for level, error in zip(levels, front.mse):
            assert error >= best_scheme(prior, DELTA, level).bound * (1 - 1e-9)


def test_descent_refuses_what_it_cannot_do():
    for delta, levels, options, words in (
        (0.8, [0.6], {}, r"privacy is 0\.6"),
        (0.45, [0.3], {}, "the largest prior itself"),
        (0.44, [0.3], {}, "delta is"),
        (0.8, [0.3], {"starts": -1}, "starts is -1"),
        (0.8, [], {}, "name at least one"),
        (0.8, [0.3], {"rng": 7}, "Generator"),
    ):
        given = {"rng": np.random.default_rng(17), **options}
        with pytest.raises(ValueError, match=words):
            descent.square_front(PRIOR, delta, levels, **given)


# The command --------------------------------------------------------------------------------------


def run(capsys, *argv):
    import argparse

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert main(parser.parse_args(argv)) == 0
    return capsys.readouterr().out


def test_the_command_hands_out_a_matrix(tmp_path, capsys):
    saved = tmp_path / "matrix.csv"
    argv = "--prior .5,.3,.2 --delta .9 --privacy .3 --outputs any --respondents 400 --save"
    out = run(capsys, *argv.split(), str(saved))
    matrix = pd.read_csv(saved, index_col=0).to_numpy()
    prior = np.array([0.5, 0.3, 0.2])
    assert matrix.sum(axis=0) == pytest.approx(np.ones(3))
    assert objectives.privacy(matrix, prior) >= 0.3 - 1e-6
    times = objectives.mse(matrix, prior, 1) / ((1 - (prior**2).sum()) / 3)
    assert f"{times:.2f} times as many respondents" in out
    assert "400 respondents" in out


def test_the_command_reads_a_column(tmp_path, capsys):
    file = tmp_path / "answers.csv"
    file.write_text("id,colour\n1,red\n2,blue\n3,red\n4,\n5,green\n")
    out = run(capsys, "--csv", str(file), "--column", "colour", "--delta", ".9", "--privacy", ".3")
    assert "1 of 5 rows have no answer" in out
    assert "green" in out
    limits = ("--delta", ".9", "--privacy", ".3")
    for argv, message in (
        (("--csv", str(file), "--column", "size"), "it has id, colour"),
        (("--csv", str(file)), "needs --column"),
        (("--prior", "a,b"), "numbers separated by commas"),
        (("--prior", ",".join(["1"] * 41)), "--prior has 41 shares, and at most 40"),
    ):
        with pytest.raises(ValueError, match=message):
            run(capsys, *argv, *limits)


def test_none_and_na_are_answers_and_odd_files_are_sentences(tmp_path, capsys):
    file = tmp_path / "answers.csv"
    options = ["--csv", str(file), "--column", "plan", "--delta", ".9", "--privacy", ".3"]
    file.write_text("id,plan\n1,None\n2,NA\n3,None\n4,gold\n5,\n")
    out = run(capsys, *options)
    assert "1 of 5 rows have no answer" in out
    assert all(f"\n{answer} " in out for answer in ("None", "NA", "gold"))
    many = b"".join(b"%d,%d\n" % (i, i) for i in range(500))
    for content, message in [
        (
            b"id,plan\n" + many,
            "column 'plan' has 500 different answers, and at most 40 are searched",
        ),
        (b"id;plan\n1;a\n2;b\n", "has no column .plan.; it has id;plan .commas separate"),
        (b"id;plan\n1,5;a\n2,5;b\n", "is no CSV file in UTF-8 with commas"),
        ("id,plan\n1,é\n".encode("cp1252"), "is no CSV file in UTF-8"),
        (b"a,b\n1,2\n1,2,3\n", "is no CSV file in UTF-8"),
        (b"", "No columns to parse"),
        (b"id,plan\n1,gold,\n2,tin,\n3,gold,\n", "Expected 2 fields in line 2, saw 3"),
        (b"plan,id\ngold,1,\ntin,2,\n", "a comma at the end of a line counts, too"),
        (b"plan,plan\ngold,tin\ntin,lead\n", "several columns 'plan'"),
    ]:
        file.write_bytes(content)
        with pytest.raises(ValueError, match=message) as error:
            run(capsys, *options)
        assert "\n" not in str(error.value)
    file.write_bytes(b'\xef\xbb\xbfplan,,\r\n"go\nld",,\r\n"tin, old",,\r\n\r\ntin,,2\r\n')
    assert list(cli._read(str(file))["plan"]) == ["go\nld", "tin, old", "tin"]


def test_a_long_search_can_be_stopped_and_its_refusal_is_heard(monkeypatch):
    """Whoever waits hears Ctrl-C and SIGTERM while compiled code hears nothing."""
    started, stopped = threading.Event(), threading.Event()

    def stone_deaf():
        started.set()
        stopped.wait(60)

    def interrupted(*_, **__):
        started.wait(60)
        raise KeyboardInterrupt  # as Ctrl-C does

    with monkeypatch.context() as patched:
        patched.setattr(cli, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cli._with_clock(stone_deaf)
    stopped.set()
    assert cli._with_clock(lambda: 2) == 2
    with pytest.raises(ValueError, match="invalid literal"):
        cli._with_clock(lambda: int("two"))


def test_a_blind_scheme_is_called_blind():
    lines = report(np.full((2, 2), 0.5), np.array([0.5, 0.5]), 100, None)
    assert "infinite" in lines[-1]


# The chapter's experiments ------------------------------------------------------------------------


def test_gain_compares_only_where_both_have_matrices():
    ours = pd.DataFrame({"privacy": [0.1, 0.3, 0.5], "mse": [1.0, 2.0, 4.0]})

    def other(private, error):
        return spea2.Front(np.array(private), np.array(error), None)

    wide = experiment.gain(ours, other([0.2, 0.6], [3.0, 9.0]), 3)
    assert wide["level"].tolist() == pytest.approx([0.2, 0.35, 0.5])
    assert wide["ratio"].tolist() == pytest.approx([3 / 2, 9 / 4, 9 / 4])
    assert experiment.gain(ours, other([0.4], [8.0]))["ratio"].tolist() == [2.0]  # one point
    assert experiment.gain(ours, other([0.6], [8.0]))["ratio"].tolist() == [2.0]  # beyond ours


def test_the_corrected_iteration_is_em_and_the_printed_one_stands_still():
    from ppdm.estimate import em

    m = matrix.warner(0.6, 4)[0]
    counts = np.array([10, 20, 30, 40])
    assert experiment.equation_3(counts / 100, m) == pytest.approx(em(counts, m), abs=1e-6)
    assert experiment.equation_3(counts / 100, m, printed=True) == pytest.approx(np.full(4, 0.25))


# Worlds of the chapter ----------------------------------------------------------------------------


def test_a_data_set_is_drawn_anew_and_random_matrices_are_no_search():
    """Draws differ, equal seeds do not; random matrices lose to Warner's somewhere."""
    priors = {"normal": experiment.normal_prior(), "age": PRIOR}

    def drawn(dataset, seed, **options):
        return experiment.drawn_cell(
            np.random.default_rng(seed),
            dataset,
            DELTA,
            1,
            priors=priors,
            respondents=1_000,
            generations=50,
            **options,
        )

    first, again, other = drawn("normal", 1), drawn("normal", 1), drawn("normal", 2)
    assert first.equals(again)
    assert first["warner lowest"][0] != other["warner lowest"][0]  # other records
    fixed = [drawn("age", seed, fixed=("age",))["warner lowest"][0] for seed in (1, 2)]
    assert fixed[0] == fixed[1]
    for prior in (priors["normal"], np.array([0.9, 0.05, 0.05])):  # a very common answer, too
        front = experiment.random_front(prior, 0.95, np.random.default_rng(0), 2_000)
        assert (objectives.max_posterior(front.matrices, prior) <= 0.95 + 1e-12).all()
    front = experiment.random_front(priors["normal"], DELTA, np.random.default_rng(0), 2_000)
    warner = experiment.warner_front(priors["normal"], DELTA)
    assert (experiment.beside_warner(front, warner)["ratio"] < 1).any()


def test_formulas_are_decided_by_their_entries(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path / "results"))
    given = {"data_source": "stored", "normal_sd": 1.7, "gamma_width": 0.55, "respondents": 1_000}
    ch = chapters.chapter(seed=1, reps=400, **given)
    prior = np.array([0.5, 0.3, 0.2])
    ch.computed[rows.priors] = dict.fromkeys(("normal", "gamma", "uniform", "age"), prior)
    ids = [f"HD-{i}" for i in range(1, 11)]
    for id in ids:
        ch.decide(id)
    assert all(ch.ledger.decided[id].refused for id in ids if ch.ledger.claims[id].refuses)
    assert ch.ledger.decided["HD-1"].verdict == "reproduced" and not ch.ledger.problems
    assert ch.ledger.decided["HD-8"].verdict == "reproduced under a condition"
    assert formulas.held_out()[3] == pytest.approx(0.22, abs=0.02)


@pytest.mark.parametrize("prior", [experiment.normal_prior(5.0, 1.8), np.array([0.45, 0.45, 0.1])])
def test_warners_limit_is_where_his_front_begins(prior):
    front = experiment.warner_front(prior, 0.7)
    assert experiment.warner_limits(prior, [0.7]) == pytest.approx([front.privacy[0]], abs=1e-12)
