"""The multi-group chapter's experiments, against plain readings and known answers."""

from itertools import combinations, product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from ppdm import Domain, MultiGroup, Table, random_groups
from ppdm.learn import ID3, association_rules, frequent_itemsets, supports
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.papers import multi_group as mg
from ppdm.papers.common import OneClass, scores, tabled
from ppdm.papers.multi_group import attacks, experiment, rows
from ppdm.papers.multi_group.experiment import divided, respondents, trees
from ppdm.papers.multi_group.readings import PLANTS
from ppdm.privacy import ladder

CANCER, VOTING = "breast-cancer-wisconsin", "congressional-voting"


def rng(seed=0):
    return np.random.default_rng(seed)


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


# -- the class in every group --------------------------------------------------------------------


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
        ({"class_in": "all"}, "class_in is one of one, none; got 'all'"),
        ({"learner": "C4.5"}, "learner is one of ID3, naive Bayes, one class; got 'C4.5'"),
    ],
)
def test_unknown_readings_are_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        trees(rng(), 1, CANCER, 2, 0.8, **keywords)


# -- ID3 shown -----------------------------------------------------------------------------------


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
    assert set(run["both"]) == {experiment.benchmark(CANCER, 0)["ID3"]}


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


def test_one_known_answer_gives_its_group_away_and_helps_with_others():
    pairs = attacks.insider(rng(), CANCER, groups=3, theta=0.7, draws=2)
    same, other = pairs[pairs["same"]], pairs[~pairs["same"]]
    np.testing.assert_allclose(same[["looks", "with"]], 1)
    np.testing.assert_allclose(other["looks"], 0.7)
    believed, people = attacks.known(CANCER, 0)
    scheme = attacks.dealt(people, 3, 0.7, 0)
    name, known = people.names[0], people.names[-1]
    slow = ladder.vulnerability(scheme, name, believed, people, known=[known])
    assert attacks.with_help(scheme, believed, people, known)[0] == pytest.approx(slow)


def test_each_rung_of_the_ladder_knows_more():
    rungs = attacks.ladder(rng(), CANCER, groups=2, theta=0.8, draws=5)
    np.testing.assert_allclose(rungs["scheme"], 0.64)  # nothing to go by but the likelier coins
    assert rungs[["scheme", "others", "list"]].mean().is_monotonic_increasing
    for end in (0, 1):
        sees_all = attacks.ladder(rng(), CANCER, 2, end, draws=2)
        np.testing.assert_allclose(sees_all[["others", *rows.GUESSERS]], 1)


@pytest.mark.parametrize("knowledge", ["scheme", "shares", "others", "own list"])
@pytest.mark.parametrize("groups", [2, 5])
def test_the_guesser_coin_by_coin_is_the_one_of_the_ladder(knowledge, groups):
    names = respondents(CANCER).everyone.names[:5]
    others, victims = respondents(CANCER).everyone.marginal(*names).split(500, rng(9))
    believed = ladder.belief(knowledge, others, victims).densified()
    scheme = attacks.dealt(victims, groups, 0.8, 1)
    fast = attacks.guessed(scheme, believed, victims.densified())
    assert fast == pytest.approx(ladder.vulnerability(scheme, ladder.RECORD, believed, victims))


def test_the_method_is_what_it_says(monkeypatch):
    """Reports of two groups are as declared; of two groups that share their coin they are not."""
    monkeypatch.setattr(rows, "DATASETS", (CANCER,))
    off = rows.as_declared(mg.chapter(seed=1)).groupby("what")["off"].mean().abs()
    assert off.max() < 0.004
    monkeypatch.setattr(MultiGroup, "disguise_table", _one_coin)
    assert rows.as_declared(mg.chapter(seed=1)).groupby("what")["off"].mean().abs().max() > 0.02


def _one_coin(scheme, table, draws):
    return MultiGroup(scheme.theta, [list(table.names)]).apply(table)
