"""The multi-group chapter's experiments, against plain readings and known answers."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import plain
import pytest
from sklearn.tree import DecisionTreeClassifier

from ppdm import Domain, MultiGroup, Table, count, random_groups
from ppdm.learn import ID3, association_rules, frequent_itemsets, supports
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.papers import multi_group as mg
from ppdm.papers.common import OneClass, scores, tabled
from ppdm.papers.multi_group import attacks, experiment, pictures, rows
from ppdm.papers.multi_group.experiment import divided, respondents, trees
from ppdm.papers.multi_group.readings import PLANTS
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
    table = experiment.literal_class(reports, scheme)
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
    np.testing.assert_allclose(
        experiment.literal_class(one.apply(true), one).dense, true.dense, atol=1e-9
    )
    off = (
        experiment.literal_class(two.apply(true), two).marginal("Y").dense
        - true.marginal("Y").dense
    )
    assert abs(off[0]) > 0.1 * true.total


def test_a_copy_of_the_class_in_every_group_is_unbiased():
    """Means over 600 draws within 5.5 standard errors in 16 cells: a false alarm in 1e-6."""
    true, groups, draws = small_table(), [["A"], ["B", "C"]], rng(7)
    for theta in (0.0, 1.0):
        table = experiment.copied_class(true, groups, theta, draws)
        np.testing.assert_allclose(table.dense, true.dense, atol=1e-9)
    seen = np.array(
        [experiment.copied_class(true, groups, 0.75, draws).dense.ravel() for _ in range(600)]
    )
    error = seen.mean(axis=0) - true.dense.ravel()
    assert (np.abs(error) < 5.5 * seen.std(axis=0) / np.sqrt(600)).all()


# -- the experiment ------------------------------------------------------------------------------


@pytest.mark.parametrize("dataset", [CANCER, VOTING])
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_a_repetition_is_the_plain_way_by_hand(dataset, groups):
    got = trees(rng(11), 1, dataset, groups, 0.8)["accuracy"][0]
    draws = rng(11)
    train, test = divided(dataset)
    scheme = MultiGroup(0.8, random_groups(train.names, groups, draws))
    model = ID3(scheme).fit_table(scheme.disguise_table(train, draws))
    assert got == pytest.approx(model.score_table(test), abs=1e-12)


def test_the_ends_need_no_luck_and_the_middle_does():
    for theta in (0, 1):
        run = trees(rng(1), 5, CANCER, 3, theta)
        assert set(run["accuracy"]) == {experiment.benchmark(CANCER, 0)["ID3"]}
    assert trees(rng(1), 20, CANCER, 3, 0.6)["accuracy"].std() > 0.05


def test_the_benchmark_is_like_scikit_learns_tree():
    people, test = respondents(CANCER), divided(CANCER)[1]
    records, tested = (people.domain.digits(codes) for codes in people.coded(0))
    other = DecisionTreeClassifier(criterion="entropy", random_state=0)
    other.fit(records[:, :-1], records[:, -1])
    accuracy = (other.predict(tested[:, :-1]) == tested[:, -1]).mean()
    assert len(tested) == test.total
    assert experiment.benchmark(CANCER, 0)["ID3"] == pytest.approx(
        accuracy, abs=0.03
    )  # ties differ


def test_adult_is_cut_at_its_first_ten_thousand():
    table = respondents("adult").everyone
    assert table.total == 10_000
    assert divided("adult")[0].total == 8_000
    assert table.names[-1] == "income"


def test_every_reading_runs():
    for each in mg.READINGS.values():
        for dataset in set(each.datasets) - {"adult"}:
            run = trees(rng(), 2, dataset, 2, 0.8, **each.options)
            assert ((run["accuracy"] >= 0) & (run["accuracy"] <= 1)).all()


def test_repetitions_are_spread_on_divisions_and_planted_worlds_are_wrong():
    run = trees(rng(), 6, CANCER, 1, 1.0, divisions=3)
    assert run["accuracy"][::2].tolist() == run["accuracy"][1::2].tolist()
    assert len(set(run["accuracy"])) > 1  # other records are tested
    np.testing.assert_array_equal(run["accuracy"], run["undisguised"])
    train, test = divided(CANCER, 0)
    assert (train.total, test.total) == (559, 140)
    assert run["majority"][0] == scores(OneClass().fit_table(train).confusion(test)).accuracy
    plants = {
        p.name: trees(rng(), 6, CANCER, 1, 0.9, divisions=3, **p.options)
        for p in PLANTS
        if p.name != "undisguised"
    }
    np.testing.assert_array_equal(plants["one class"]["accuracy"], run["majority"])
    assert plants["labels shuffled"]["accuracy"].mean() < run["accuracy"].mean() - 0.2
    with pytest.raises(ValueError, match="5 repetitions cannot be spread evenly on 3 divisions"):
        trees(rng(), 5, CANCER, 1, 1.0, divisions=3)


def test_readings_are_different_experiments():
    base = trees(rng(3), 4, CANCER, 2, 0.8)["accuracy"]
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
        assert not np.array_equal(base, trees(rng(3), 4, CANCER, 2, 0.8, **keywords)["accuracy"])
    same = [trees(rng(seed), 1, CANCER, 2, 1.0, grouping=1)["accuracy"][0] for seed in (1, 2)]
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
        trees(rng(), 1, CANCER, 2, 0.8, **keywords)


# -- ID3 shown -----------------------------------------------------------------------------------


def test_nodes_show_the_tree_and_the_true_counts():
    ch = mg.chapter(seed=1)
    (estimated, true), nodes = ch.get(rows.small), ch.get(rows.node_by_node)
    tree = ID3().fit_table(estimated, "income").tree_
    assert len(nodes) == len(tree.attribute)
    assert nodes["|S| true"][0] == true.total == 10_000
    assert nodes["split"][0] == ch.get(rows.first_split).sort_values("gain")["attribute"].iloc[-1]
    first = nodes[nodes["E"] == "marital-status = 1"].iloc[0]
    married = {"marital-status": 1}
    assert first["|S| true"] == true.n(married)
    assert first["|S| estimated"] == pytest.approx(estimated.n(married))
    assert f"Married ({estimated.n(married):,.0f}): " in pictures.nodes(ch).alt


def test_gain_is_the_textbooks():
    """Quinlan's weather: outlook has a gain of 0.247 bits, wind (weak, strong) of 0.048."""
    wind = pd.DataFrame({"wind": [0] * 8 + [1] * 6, "play": [1] * 6 + [0] * 2 + [1] * 3 + [0] * 3})
    assert rows.gain(count(wind), "wind", "play") == pytest.approx(0.0481, abs=5e-5)


# -- testing, parties, rules -----------------------------------------------------------------------


def test_testing_on_disguised_records_is_unbiased_and_knows_its_error():
    """[Eq. 15] 400 repetitions: the mean within 5.5 standard errors, the spread within 40 %."""
    (train, test), draws, errors, stated = divided(CANCER), rng(4), [], []
    for _ in range(400):
        scheme = MultiGroup(0.8, random_groups(train.names, 2, draws))
        tree = ID3(scheme).fit_table(scheme.disguise_table(train, draws))
        guess = estimated_accuracy(tree, scheme.disguise_table(test, draws), scheme)
        errors.append(guess.estimate - tree.score_table(test))
        stated.append(guess.se)
    assert abs(np.mean(errors)) < 5.5 * np.std(errors) / 20
    assert np.std(errors) == pytest.approx(np.mean(stated), rel=0.4)


def test_pruning_by_disguised_records_is_pruning_by_true_ones_without_noise():
    """At θ = 1; the quarter that prunes is the first, the rest grows the tree."""
    people = respondents(CANCER)
    codes, test = people.coded(0)[0], divided(CANCER)[1]
    prune_by, grow_on = (tabled(c, people.domain) for c in np.split(codes, [len(codes) // 4]))
    tree = ID3().fit_table(grow_on)
    expected = tree.pruned(prune_by).score_table(test) - tree.score_table(test)
    run = experiment.testing(rng(4), 2, CANCER, 2, 1.0)
    assert run["gain"] == pytest.approx([expected] * 2, abs=1e-12)


def test_hiding_by_a_coin_that_never_turns_is_the_benchmark():
    run = experiment.partly_disguised(rng(), 2, CANCER, hidden=3, theta=1.0)
    assert set(run["accuracy"]) == {experiment.benchmark(CANCER, 0)["ID3"]}
    assert not run["loss"].any()


def test_two_parties_without_noise_are_one():
    run = experiment.two_parties(rng(), 3, CANCER, groups=2, theta=1.0, own=0.3)
    assert set(run["both"]) == set(run["discounted"]) == {experiment.benchmark(CANCER, 0)["ID3"]}


def test_all_supports_at_once_are_those_of_the_slow_search():
    table = respondents(VOTING).everyone.marginal(*respondents(VOTING).everyone.names[:6])
    support, names = supports(table), table.names
    code = {name: 1 << (5 - i) for i, name in enumerate(names)}
    for size in (1, 2, 3):
        for items in combinations(names, size):
            expected = table.p(dict.fromkeys(items, 1))
            assert support[sum(code[n] for n in items)] == pytest.approx(expected, abs=1e-12)
    assert len(association_rules(frequent_itemsets(table, 0.3, 3), 0.7)) > 3


def test_the_unrelated_question_estimates_shares_at_one_half():
    """300 repetitions, 10 attributes: means within 5.5 standard errors, a false alarm in 1e-6."""
    errors = np.array(list(experiment.unrelated(rng(6), 300, CANCER, q=0.5).values()))
    assert (np.abs(errors.mean(axis=1)) < 5.5 * errors.std(axis=1) / np.sqrt(300)).all()


# -- the attacker --------------------------------------------------------------------------------


def test_one_known_answer_gives_its_group_away_and_no_other():
    pairs = attacks.insider(rng(), CANCER, groups=3, theta=0.7)
    same, other = pairs[pairs["same"]], pairs[~pairs["same"]]
    np.testing.assert_allclose(same[["looks", "with"]], 1)
    np.testing.assert_allclose(other["looks"], 0.7)
    assert (pairs["with"] >= pairs["without"] - 1e-12).all()
    assert (pairs["with"] >= pairs["blind"] - 1e-12).all()


def test_guesses_are_those_of_a_simulated_attacker():
    """20,000 reports, read with the posterior written out; 5.5 standard errors (4e-8)."""
    prior = respondents(CANCER).everyone
    chance = attacks.record_guesses(rng(), CANCER, groups=2, theta=0.8, deals=1)["record"][0]
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
    rungs = attacks.ladder(rng(), CANCER, groups=2, theta=0.8, draws=5)
    np.testing.assert_allclose(rungs["scheme"], 0.64)  # nothing to go by but the likelier coins
    means = rungs[["scheme", "others", "list"]].mean()
    assert means.is_monotonic_increasing
    sees_all = attacks.ladder(rng(), CANCER, 2, 1.0, draws=2)
    np.testing.assert_allclose(sees_all[["others", *rows.GUESSERS]], 1)


def test_a_stranger_calls_the_coins_of_adult():
    run = attacks.outsider(rng(), 1, groups=2, theta=0.6)
    assert run["calls"][0] > 0.9
    assert run["better"][0] == run["calls"][0] - 0.6
    assert attacks.outsider(rng(), 1, groups=2, theta=1.0)["calls"][0] == 1


@pytest.mark.parametrize("knowledge", ["scheme", "shares", "others", "own list"])
def test_the_guesser_of_the_few_who_occur_is_the_one_of_the_ladder(knowledge):
    names = respondents(CANCER).everyone.names[:5]
    true = respondents(CANCER).everyone.marginal(*names)
    others, victims = true.split(500, rng(9))
    believed = ladder.belief(knowledge, others, victims)
    scheme = MultiGroup(0.8, [list(names[:2]), list(names[2:])])
    codes, numbers = victims.occupied()
    fast = attacks.guessed(scheme, true.domain, believed.densified().values.ravel(), codes, numbers)
    assert fast == pytest.approx(ladder.vulnerability(scheme, ladder.RECORD, believed, victims))
