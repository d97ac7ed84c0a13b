"""The multi-group chapter's experiments, against plain readings and known answers."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import plain
import pytest
from sklearn.tree import DecisionTreeClassifier

from ppdm import Domain, MultiGroup, Table, count, random_groups
from ppdm.learn import ID3, association_rules, frequent_among, frequent_itemsets, supports
from ppdm.papers import multi_group as mg
from ppdm.papers.multi_group import evidence, pictures
from ppdm.privacy import ladder

CANCER, VOTING = "breast-cancer-wisconsin", "congressional-voting"


def rng(seed=0):
    return np.random.default_rng(seed)


def small_table(size=400, seed=3):
    draws = rng(seed)
    frame = pd.DataFrame(
        (draws.random((size, 3)) < [0.3, 0.5, 0.6]).astype(int), columns=list("ABC")
    )
    return count(frame.assign(Y=frame["A"] ^ (draws.random(size) < 0.2)))


# -- an answer that was not given --------------------------------------------------------------


VOTES = Domain(("A", "B", "C"), ((0, 1, 2), (0, 1, 2), (0, 1)))


def test_an_absent_answer_survives_every_reversal():
    """Record by record: what a reversal does, and nothing else, may stand behind a report."""
    scheme = MultiGroup(0.8, [["A", "B"], ["C"]], absent=2)
    matrix = scheme.matrix(VOTES)
    turn = {0: 1, 1: 0, 2: 2}
    digits = [tuple(d) for d in VOTES.digits(np.arange(VOTES.size))]
    expected = np.zeros_like(matrix)
    for x, (a, b, c) in enumerate(digits):
        for first, second in product((False, True), repeat=2):
            report = (turn[a], turn[b]) if first else (a, b)
            report += (turn[c] if second else c,)
            weight = (0.2 if first else 0.8) * (0.2 if second else 0.8)
            expected[digits.index(report), x] += weight
    np.testing.assert_allclose(matrix, expected, atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_absent_answers_are_undone_and_disguised_as_the_map_says(sparse):
    """Means over 2,000 draws within 5.5 standard errors in 18 cells: a false alarm in 1e-6."""
    scheme = MultiGroup(0.7, [["A", "C"], ["B"]], absent=2)
    true = Table(VOTES, rng(1).integers(0, 30, VOTES.size))
    true = true.sparsified() if sparse else true
    undone = scheme.undo(scheme.apply(true))
    np.testing.assert_allclose(undone.dense, true.dense, atol=1e-9)
    draws = rng(2)
    seen = np.array([scheme.disguise_table(true, draws).dense.ravel() for _ in range(2_000)])
    error = seen.mean(axis=0) - scheme.apply(true).dense.ravel()
    assert (np.abs(error) < 5.5 * seen.std(axis=0) / np.sqrt(2_000) + 1e-9).all()


def test_more_than_two_answers_are_still_refused_without_absent():
    with pytest.raises(ValueError, match="only two-valued answers can be reversed"):
        MultiGroup(0.7, [["A"]]).apply(Table(VOTES, np.ones(VOTES.size)))
    with pytest.raises(ValueError, match="only two-valued answers can be reversed"):
        MultiGroup(0.7, [["C"]], absent=1).apply(Table(VOTES, np.ones(VOTES.size)))


# -- the class in every group --------------------------------------------------------------------


def solve_printed(reports, expressions, theta):
    """[Zhan & Du, Eqs. 7, 12] as printed: a contradiction is true of nobody."""
    seen = []
    for case in product((0, 1), repeat=len(expressions)):
        both, possible = {}, True
        for expression, turned in zip(expressions, case, strict=True):
            for name, value in expression[turned].items():
                possible &= both.setdefault(name, value) == value
        seen.append(reports.p(both) if possible else 0.0)
    return np.linalg.solve(plain.groups_matrix(theta, len(expressions)), seen)[0]


@pytest.mark.parametrize(
    "groups", [[["A", "B", "C", "Y"]], [["A", "Y"], ["B", "C"]], [["A"], ["B", "Y"], ["C"]]]
)
def test_eq_12_to_the_letter_is_the_printed_system(groups):
    scheme = MultiGroup(0.8, groups)
    reports = scheme.disguise_table(small_table(), rng(5))
    table = mg.literal_class(reports, scheme)
    node = {"A": 1, "B": 0, "C": 1}
    expressions = []
    for group in groups:
        here = {n: v for n, v in node.items() if n in group}
        turned = {n: 1 - v for n, v in here.items()}
        expressions.append((here | {"Y": 0}, turned | {"Y": 1}))
    expected = solve_printed(reports, expressions, 0.8) * reports.total
    assert table.n({**node, "Y": 0}) == pytest.approx(expected, abs=1e-9)
    both = scheme.undo(reports).n(node)  # |S| is estimated without the class
    assert table.n(node) == pytest.approx(both, abs=1e-9)


def test_eq_12_is_right_for_one_group_and_wrong_for_two():
    true = small_table()
    one, two = MultiGroup(0.8, [list("ABCY")]), MultiGroup(0.8, [list("AY"), list("BC")])
    np.testing.assert_allclose(mg.literal_class(one.apply(true), one).dense, true.dense, atol=1e-9)
    off = mg.literal_class(two.apply(true), two).marginal("Y").dense - true.marginal("Y").dense
    assert abs(off[0]) > 0.1 * true.total


def test_a_copy_of_the_class_in_every_group_is_unbiased():
    """Means over 600 draws within 5.5 standard errors in 16 cells: a false alarm in 1e-6."""
    true, groups, draws = small_table(), [["A"], ["B", "C"]], rng(7)
    for theta in (0.0, 1.0):
        table = mg.copied_class(true, groups, theta, draws)
        np.testing.assert_allclose(table.dense, true.dense, atol=1e-9)
    seen = np.array([mg.copied_class(true, groups, 0.75, draws).dense.ravel() for _ in range(600)])
    error = seen.mean(axis=0) - true.dense.ravel()
    assert (np.abs(error) < 5.5 * seen.std(axis=0) / np.sqrt(600)).all()


# -- the experiment ------------------------------------------------------------------------------


@pytest.mark.parametrize("dataset", [CANCER, VOTING])
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_a_repetition_is_the_plain_way_by_hand(dataset, groups):
    got = mg.trees(rng(11), 1, dataset, groups, 0.8)["accuracy"][0]
    draws = rng(11)
    part = mg.divided(dataset)
    scheme = MultiGroup(0.8, random_groups(part.train.names, groups, draws))
    model = ID3(scheme).fit_table(scheme.disguise_table(part.train, draws))
    assert got == pytest.approx(model.score_table(part.test), abs=1e-12)


def test_the_ends_need_no_luck_and_the_middle_does():
    for theta in (0, 1):
        run = mg.trees(rng(1), 5, CANCER, 3, theta)
        assert set(run["accuracy"]) == {mg.benchmark(CANCER)["ID3"]}
    assert mg.trees(rng(1), 20, CANCER, 3, 0.6)["accuracy"].std() > 0.05


def test_the_benchmark_is_like_scikit_learns_tree():
    part = mg.divided(CANCER)
    domain = part.train.domain
    records = domain.digits(part.codes)
    other = DecisionTreeClassifier(criterion="entropy", random_state=0)
    other.fit(records[:, :-1], records[:, -1])
    accuracy = (other.predict(part.digits) == part.truth) @ part.numbers / part.numbers.sum()
    assert mg.benchmark(CANCER)["ID3"] == pytest.approx(accuracy, abs=0.03)  # ties differ


def test_adult_is_cut_at_its_first_ten_thousand():
    table = mg.records("adult")
    assert table.total == 10_000
    assert mg.training("adult").total == 8_000
    assert table.names[-1] == "income"


def test_every_reading_runs_and_says_how_it_moves_the_result():
    """Each runs where it applies; what it says is made of every data set that it concerns."""
    rows = []
    for name, each in {"ours": None, **mg.READINGS}.items():
        for dataset in each.datasets if each else mg.DATASETS:
            if each and dataset != "adult":
                run = mg.trees(rng(), 2, dataset, 2, 0.8, **each.options)
                assert ((run["accuracy"] >= 0) & (run["accuracy"] <= 1)).all()
            rows += [{"reading": name, "dataset": dataset, "theta": theta, "metric": "accuracy",
                      "mean": 0.8} for theta in (0.6, 0.8)]  # fmt: skip
    ours = [{"dataset": d, "groups": 2, "theta": t, "mean": 0.9, "undisguised": 0.9}
            for d in mg.DATASETS for t in mg.THETAS]  # fmt: skip
    effects = evidence.reading_effects(pd.DataFrame(rows), pd.DataFrame(ours))
    assert len(effects) == len(mg.READINGS) + 2
    assert effects["effect"][: len(mg.READINGS)].str.contains("θ = 0.8").all()


def test_repetitions_are_spread_on_divisions_and_planted_worlds_are_wrong():
    run = mg.trees(rng(), 6, CANCER, 1, 1.0, divisions=3)
    assert run["accuracy"][::2].tolist() == run["accuracy"][1::2].tolist()
    assert len(set(run["accuracy"])) > 1  # other records are tested
    np.testing.assert_array_equal(run["accuracy"], run["undisguised"])
    first = mg.divided(CANCER, 0)

    assert (first.train.total, first.test.total) == (559, 140)
    plants = {
        p.name: mg.trees(rng(), 6, CANCER, 1, 0.9, divisions=3, **p.options)
        for p in mg.PLANTS
        if p.name != "undisguised"
    }
    np.testing.assert_array_equal(plants["one class"]["accuracy"], run["majority"])
    assert plants["labels shuffled"]["accuracy"].mean() < run["accuracy"].mean() - 0.2
    with pytest.raises(ValueError, match="5 repetitions cannot be spread evenly on 3 divisions"):
        mg.trees(rng(), 5, CANCER, 1, 1.0, divisions=3)


def test_readings_are_different_experiments():
    base = mg.trees(rng(3), 4, CANCER, 2, 0.8)["accuracy"]
    for keywords in (
        {"class_in": "none"},
        {"class_in": "literal"},
        {"split": "midrange"},
        {"undo": False},
        {"size": 200},
        {"ratio": 0.5},
        {"divisions": 2},
        {"sizes": "any"},
    ):
        assert not np.array_equal(base, mg.trees(rng(3), 4, CANCER, 2, 0.8, **keywords)["accuracy"])
    same = [mg.trees(rng(seed), 1, CANCER, 2, 1.0, grouping=1)["accuracy"][0] for seed in (1, 2)]
    assert same[0] == same[1]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"labels": "lost"}, "labels is one of true, shuffled; got 'lost'"),
        ({"class_in": "all"}, "class_in is one of one, none, copies, literal; got 'all'"),
        ({"learner": "C4.5"}, "learner is one of ID3, naive Bayes, one class; got 'C4.5'"),
    ],
)
def test_unknown_readings_are_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        mg.trees(rng(), 1, CANCER, 2, 0.8, **keywords)


# -- ID3 shown -----------------------------------------------------------------------------------


def test_nodes_show_the_tree_and_the_true_counts():
    true = small_table()
    scheme = MultiGroup(0.8, [["A", "Y"], ["B", "C"]])
    estimated = scheme.undo(scheme.disguise_table(true, rng(2)))
    nodes = evidence.node_by_node(estimated, true, "Y")
    tree = ID3().fit_table(estimated, "Y").tree_
    assert len(nodes) == len(tree.attribute)
    assert nodes["|S| true"][0] == true.total
    assert nodes["split"][0] == "A"
    first = nodes[nodes["E"] == "A = 1"].iloc[0]
    assert first["|S| true"] == true.n(A=1)
    assert first["|S| estimated"] == pytest.approx(estimated.n(A=1))
    figure = pictures.nodes(nodes, {"A = 1": "has A"})
    assert f"Has A ({estimated.n(A=1):,.0f}): " in figure.alt


def test_gain_is_the_textbooks():
    """Quinlan's weather: outlook has a gain of 0.247 bits, wind (weak, strong) of 0.048."""
    wind = pd.DataFrame({"wind": [0] * 8 + [1] * 6, "play": [1] * 6 + [0] * 2 + [1] * 3 + [0] * 3})
    assert evidence.gain(count(wind), "wind", "play") == pytest.approx(0.0481, abs=5e-5)


# -- testing, parties, rules -----------------------------------------------------------------------


def test_testing_on_disguised_records_is_unbiased_and_knows_its_error():
    """400 repetitions: the mean within 5.5 standard errors, the spread within 40 %."""
    run = mg.testing(rng(4), 400, CANCER, 2, 0.8)
    assert abs(run["error"].mean()) < 5.5 * run["error"].std() / 20
    assert run["error"].std() == pytest.approx(run["se"].mean(), rel=0.4)
    assert (run["leaves left"] <= run["leaves"]).all()
    exact = mg.testing(rng(4), 2, CANCER, 2, 1.0)
    np.testing.assert_allclose(exact["error"], 0, atol=1e-12)
    np.testing.assert_array_equal(exact["pruned"], exact["pruned by true records"])


@pytest.mark.parametrize(("theta", "groups"), [(0.7, 1), (0.6, 2), (0.8, 3)])
def test_the_variance_of_a_test_person_is_simulated(theta, groups):
    """A tree that is right on each version of a record by a coin of its own: 200,000 reports.

    The simulated variance lies within 5.5 of its standard errors: a false alarm in 4e-8.
    """
    draws, size, accuracy = rng(21), 200_000, 0.8
    versions = 2**groups
    right = draws.random((size, versions)) < accuracy  # on each record turned around in all ways
    coins = draws.random((size, groups)) > theta
    turned = coins @ (1 << np.arange(groups))  # which version is sent
    keep, turn = theta / (2 * theta - 1), -(1 - theta) / (2 * theta - 1)
    flips = np.arange(versions)
    weights = np.array(
        [keep ** (groups - f.bit_count()) * turn ** f.bit_count() for f in flips.tolist()]
    )
    z = (right[np.arange(size)[:, None], turned[:, None] ^ flips] * weights).sum(axis=1)
    squares = (z - z.mean()) ** 2
    expected, most = evidence.test_variance(theta, groups, accuracy)
    assert abs(z.mean() - accuracy) < 5.5 * z.std() / np.sqrt(size)
    assert abs(squares.mean() - expected) < 5.5 * squares.std() / np.sqrt(size)
    assert expected < most


def test_no_tree_exceeds_the_largest_variance_of_a_test_person():
    """Every pattern of right and wrong on the four versions, every θ: exactly."""
    for theta, pattern in product((0.55, 0.6, 0.8), product((0, 1), repeat=4)):
        keep, turn = theta / (2 * theta - 1), -(1 - theta) / (2 * theta - 1)
        weights = np.array([keep * keep, keep * turn, turn * keep, turn * turn])
        chances = np.outer([theta, 1 - theta], [theta, 1 - theta]).ravel()
        z = np.array([sum(weights[f] * pattern[f ^ sent] for f in range(4)) for sent in range(4)])
        mean = chances @ z
        assert mean == pytest.approx(pattern[0], abs=1e-9)  # right on the true record or not
        most = evidence.test_variance(theta, 2, mean)[1]
        assert chances @ (z - mean) ** 2 <= most * (1 + 1e-9)


def test_hiding_nothing_is_the_benchmark():
    run = mg.partly_disguised(rng(), 2, CANCER, hidden=0, theta=0.6)
    assert set(run["accuracy"]) == {mg.benchmark(CANCER)["ID3"]}


def test_two_parties_without_noise_are_one():
    run = mg.two_parties(rng(), 3, CANCER, groups=2, theta=1.0, own=0.3)
    assert set(run["both"]) == set(run["discounted"]) == {mg.benchmark(CANCER)["ID3"]}


def test_all_supports_at_once_are_those_of_the_slow_search():
    table = mg.records(VOTING).marginal(*mg.records(VOTING).names[:6])
    support, names = supports(table), table.names
    code = {name: 1 << (5 - i) for i, name in enumerate(names)}
    for size in (1, 2, 3):
        for items in combinations(names, size):
            expected = table.p(dict.fromkeys(items, 1))
            assert support[sum(code[n] for n in items)] == pytest.approx(expected, abs=1e-12)
    slow = frequent_itemsets(table, 0.3, 3)
    fast = frequent_among(names, support, 0.3)
    assert fast == pytest.approx(slow)
    assert len(association_rules(fast, 0.7)) > 3
    run = mg.association(rng(), 2, CANCER, groups=2, theta=1.0)
    assert set(run["lost"]) == set(run["invented"]) == {0}
    np.testing.assert_allclose(run["off"], 0, atol=1e-12)


def test_the_unrelated_question_estimates_shares_at_one_half():
    """300 repetitions, 10 attributes: means within 5.5 standard errors, a false alarm in 1e-6."""
    errors = np.array(list(mg.unrelated(rng(6), 300, CANCER, q=0.5).values()))
    assert (np.abs(errors.mean(axis=1)) < 5.5 * errors.std(axis=1) / np.sqrt(300)).all()


# -- the attacker --------------------------------------------------------------------------------


def test_one_known_answer_gives_its_group_away_and_no_other():
    pairs = mg.insider(rng(), CANCER, groups=3, theta=0.7)
    same, other = pairs[pairs["same"]], pairs[~pairs["same"]]
    np.testing.assert_allclose(same[["looks", "with"]], 1)
    np.testing.assert_allclose(other["looks"], 0.7)
    assert (pairs["with"] >= pairs["without"] - 1e-12).all()
    assert (pairs["with"] >= pairs["blind"] - 1e-12).all()


def test_guesses_are_those_of_a_simulated_attacker():
    """20,000 reports, read with the posterior written out; 5.5 standard errors (4e-8)."""
    prior = mg.records(CANCER)
    chance = mg.record_guesses(rng(), CANCER, groups=2, theta=0.8, deals=1)["record"][0]
    scheme = MultiGroup(0.8, random_groups(prior.names, 2, rng(0)))
    draws, p = rng(9), prior.proportions().densified().values
    records = draws.choice(len(p), 20_000, p=p)
    digits = prior.domain.digits(records)
    reports = prior.domain.codes(scheme.disguise_digits(digits, prior.domain, draws))
    masks = [sum(int(prior.domain.strides[prior.domain.axis(n)]) for n in g) for g in scheme.groups]
    behind = np.array([reports ^ (masks[0] * i) ^ (masks[1] * j) for i in (0, 1) for j in (0, 1)])
    weight = np.array([0.64, 0.16, 0.16, 0.04])[:, None] * p[behind]
    guess = behind[weight.argmax(axis=0), np.arange(20_000)]
    share = (guess == records).mean()
    assert abs(share - chance) < 5.5 * np.sqrt(chance * (1 - chance) / 20_000)


def test_each_rung_of_the_ladder_knows_more():
    rows = mg.ladder(rng(), CANCER, groups=2, theta=0.8, draws=5)
    np.testing.assert_allclose(rows["scheme"], 0.64)  # nothing to go by but the likelier coins
    means = rows[["scheme", "others", "list"]].mean()
    assert means.is_monotonic_increasing
    sees_all = mg.ladder(rng(), CANCER, 2, 1.0, draws=2)
    np.testing.assert_allclose(sees_all[["others", *evidence.GUESSERS]], 1)
    first, second = (mg.divided(CANCER, i).codes for i in (0, 1))
    assert not np.array_equal(first, second)


def test_a_stranger_calls_the_coins_of_adult():
    run = mg.outsider(rng(), 1, groups=2, theta=0.6)
    assert run["calls"][0] > 0.9 > run["coin"][0] == 0.6
    assert mg.outsider(rng(), 1, groups=2, theta=1.0)["calls"][0] == 1


# -- bias against variance --------------------------------------------------------------------------


@pytest.mark.parametrize(("groups", "theta"), [(1, 0.55), (1, 0.7), (2, 0.65)])
def test_the_accuracy_of_one_question_is_foretold(groups, theta):
    """20,000 surveys of 400: foretold within 4.5 errors of the simulation and half a point (the
    normal approximation); a false alarm in 1e-5."""
    run = mg.bias.one_question(rng(6), 20_000, "adult", "marital-status", theta, groups, 400)
    pair = mg.bias.shares_of("adult", "marital-status")
    for name, undo in (("undone", True), ("as reported", False)):
        foretold = mg.bias.expected_accuracy(pair, theta, groups, 400, undo)
        error = run[name].std() / np.sqrt(20_000)
        assert abs(run[name].mean() - foretold) < 0.005 + 4.5 * error


def test_the_crossing_comes_nearer_to_one_half_as_one_over_the_root_of_n():
    pair = mg.bias.shares_of("adult", "marital-status")
    few, many = (mg.bias.crossing(pair, 1, n) - 0.5 for n in (400, 40_000))
    assert few / many == pytest.approx(10, rel=0.25)
    assert mg.bias.expected_accuracy(pair, 0.5 + few, 1, 400, True) == pytest.approx(
        mg.bias.expected_accuracy(pair, 0.5 + few, 1, 400, False), abs=1e-9
    )
    assert np.isnan(mg.bias.crossing(Table(pair.domain, [0.4, 0.1, 0.1, 0.4]), 2, 100))  # no bias


@pytest.mark.parametrize("knowledge", ["scheme", "shares", "others", "own list"])
def test_the_guesser_of_the_few_who_occur_is_the_one_of_the_ladder(knowledge):
    names = mg.records(CANCER).names[:5]
    true = mg.records(CANCER).marginal(*names)
    others, victims = true.split(500, rng(9))
    believed = ladder.belief(knowledge, others, victims)
    scheme = MultiGroup(0.8, [list(names[:2]), list(names[2:])])
    codes, numbers = victims.occupied()
    fast = mg.beyond.guessed(
        scheme, true.domain, believed.densified().values.ravel(), codes, numbers
    )
    assert fast == pytest.approx(ladder.vulnerability(scheme, ladder.RECORD, believed, victims))
