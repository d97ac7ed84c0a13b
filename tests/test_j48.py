"""J48, SMO and IBk against WEKA 3.6.14: its stored outputs always, WEKA itself where it is there."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from weka import reference as weka

from ppdm.learn import J48, weka_like
from ppdm.learn.nearest import NearestNeighbour

NAMED = [*weka.SMALL, *weka.PAPERS, weka.DISTINCT]
QUICK = [name for name in NAMED if name != "adult"]
RANDOM = [json.loads(line) for line in weka.stored("random.jsonl.xz").splitlines()]


@parametrize_with_checks([J48(), NearestNeighbour()])
def test_estimator_checks(estimator, check):
    check(estimator)


# --- J48, stored outputs ------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMED)
def test_tree_and_predictions_equal_weka(name):
    X, y = weka.load(name)
    tree = J48().fit(X, y)
    assert str(tree) == weka.tree_in(weka.stored(f"output/{name}.txt"))
    expected = tree.classes_[weka.stored_predictions(name, "J48", "train")]
    assert (tree.predict(X) == expected).all()


def test_there_are_random_sets_of_every_kind():
    trees = [case["tree"] for case in RANDOM]
    leaves = np.array([int(re.search(r"Leaves  : \t(\d+)", tree)[1]) for tree in trees])
    assert len(RANDOM) >= 100
    assert (leaves > 1).sum() > 50 and leaves.max() > 40
    assert {case["options"] for case in RANDOM} == set(weka.OPTIONS)


@pytest.mark.parametrize("number", range(len(RANDOM)))
def test_random_sets_equal_weka(number):
    case = RANDOM[number]
    X, y = weka.read_arff(case["train"])
    to_predict, _ = weka.read_arff(case["test"])
    tree = J48(**weka.OPTIONS[case["options"]]).fit(X, y)
    assert str(tree) == case["tree"]
    assert (tree.predict(to_predict) == tree.classes_[case["predicted"]]).all()


@pytest.mark.parametrize("name", QUICK)
def test_ten_folds_classify_as_many_rows_rightly_as_weka(name):
    assert right_in_folds(J48(), name) == weka.right_in_folds(weka.stored(f"output/{name}.txt"))


@pytest.mark.slow
def test_ten_folds_of_adult():
    assert right_in_folds(J48(), "adult") == weka.right_in_folds(weka.stored("output/adult.txt"))


def right_in_folds(classifier, name):
    X, y = weka.load(name)
    return (in_folds(classifier, X, y)[0] == in_folds(classifier, X, y)[1]).sum()


def in_folds(classifier, X, y):
    """Predicted and actual classes of WEKA's ten folds, in WEKA's order."""
    predicted, actual = [], []
    for train, test in weka.ten_folds(y.cat.codes.to_numpy()):
        model = clone(classifier).fit(X.iloc[train], y.iloc[train])
        predicted.extend(model.predict(X.iloc[test]))
        actual.extend(y.iloc[test])
    return np.array(predicted), np.array(actual)


# --- SMO and IBk --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pima", weka.DISTINCT])
@pytest.mark.parametrize("classifier", ["J48", "SMO", "IBk"])
def test_the_third_papers_classifiers_predict_as_weka_in_ten_folds(name, classifier):
    X, y = weka.load(name)
    ours = {"J48": weka_like.j48, "SMO": weka_like.smo, "IBk": weka_like.ibk}[classifier]()
    predicted, _ = in_folds(ours, X, y)
    expected = y.cat.categories[weka.stored_predictions(name, classifier, "folds")]
    assert (predicted == expected).all()


def test_all_neighbours_at_the_smallest_distance_vote():
    X = [[0.0], [0.0], [0.0], [1.0]]
    votes = NearestNeighbour().fit(X, ["a", "b", "b", "a"]).predict_proba([[0.1]])
    assert votes == pytest.approx(np.array([[1 / 3, 2 / 3]]))


def test_a_row_outside_the_ranges_widens_them_only_when_asked():
    X, y = [[0.0, 0.0], [1.0, 1.0]], ["a", "b"]
    rows = [[0.4, 0.55], [0.0, 10.0], [0.4, 0.55]]  # the second row makes attribute 2 weigh less
    assert NearestNeighbour().fit(X, y).predict(rows).tolist() == ["a", "b", "a"]
    rows[0] = rows[2] = [0.4, 0.65]
    assert NearestNeighbour().fit(X, y).predict(rows).tolist() == ["b", "b", "b"]
    assert NearestNeighbour(growing_ranges=True).fit(X, y).predict(rows).tolist()[::2] == ["b", "a"]


def test_a_range_beyond_the_largest_number_is_scaled_too():
    """It was infinite, and every row at distance 0."""
    X, y = [[-1.5e308], [0.5e308], [1.5e308]], ["a", "b", "c"]
    votes = NearestNeighbour().fit(X, y).predict_proba([[-1.2e308], [0.0], [1.3e308]])
    assert votes.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


# --- WEKA itself --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUICK)
def test_stored_output_is_what_weka_prints(name, tmp_path, run_weka):
    file = tmp_path / "train.arff"
    file.write_text(weka.write_arff(*weka.load(name)))
    assert run_weka("J48", "-t", str(file)) == weka.stored(f"output/{name}.txt")


def fresh_set_equals_weka(seed, folder, run_weka):
    """A set that is not among the stored ones: same tree, same confusion matrix on other rows."""
    rng = np.random.default_rng([seed, 1])
    X, y, to_predict = weka.random_set(rng)
    options = rng.choice(list(weka.OPTIONS))
    actual = y.sample(frac=1, random_state=seed).reset_index(drop=True)
    train, test = folder / "train.arff", folder / "test.arff"
    train.write_text(weka.write_arff(X, y))
    test.write_text(weka.write_arff(to_predict, actual))
    output = run_weka("J48", *options.split(), "-t", str(train), "-T", str(test))

    tree = J48(**weka.OPTIONS[options]).fit(X, y)
    # WEKA's table counts the largest probability without the tolerance that predictions have
    predicted = tree.predict_proba(to_predict).argmax(axis=1)
    known = actual.notna()
    n_classes = len(tree.classes_)
    confusion = np.zeros((n_classes, n_classes), int)
    np.add.at(confusion, (actual[known].cat.codes, predicted[known]), 1)
    assert str(tree) == weka.tree_in(output)
    assert (confusion == weka.confusion_in(output, n_classes)).all()


@pytest.mark.parametrize("seed", range(6))
def test_fresh_random_sets_equal_weka(seed, tmp_path, run_weka):
    fresh_set_equals_weka(seed, tmp_path, run_weka)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 106))
def test_many_fresh_random_sets_equal_weka(seed, tmp_path, run_weka):
    fresh_set_equals_weka(seed, tmp_path, run_weka)


# --- input and output ---------------------------------------------------------------------------


def test_order_of_levels_follows_the_categories():
    levels = ["low", "mid", "high"]
    X = pd.DataFrame({"size": pd.Categorical(levels * 4, categories=levels)})
    y = pd.Categorical(["no", "no", "yes"] * 4, categories=["yes", "no"])
    tree = J48().fit(pd.concat([X] * 2), list(y) * 2)
    assert re.findall(r"size = (\w+)", str(tree)) == levels
    assert J48().fit(X, y).classes_.tolist() == ["yes", "no"]
    assert tree.n_leaves_ == 3


def test_levels_are_matched_by_name_when_predicting():
    X = pd.DataFrame({"size": pd.Categorical(["low", "high"] * 6)})
    tree = J48().fit(X, ["no", "yes"] * 6)
    other_order = pd.DataFrame({"size": pd.Categorical(["low"], categories=["low", "mid", "high"])})
    assert tree.predict(other_order).tolist() == ["no"]


@pytest.mark.parametrize("kind", ["naive", "zoned", "span", "array"])
def test_a_missing_date_is_missing(kind):
    """Not the smallest date of all, as the number is by which numpy writes it."""
    days = pd.Series([1.0, 2, np.nan, 400, 401, 402])
    dates = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D"))
    X = {
        "naive": pd.DataFrame({"x0": dates}),
        "zoned": pd.DataFrame({"x0": dates.dt.tz_localize("UTC")}),
        "span": pd.DataFrame({"x0": dates - dates[0]}),
        "array": dates.to_numpy()[:, None],
    }[kind]
    tree, numbers = J48().fit(X, list("aaabbb")), days.to_frame("x0")
    expected = J48().fit(numbers, list("aaabbb")).predict_proba(numbers)
    np.testing.assert_allclose(tree.predict_proba(X), expected, atol=1e-12)
    assert 0 < expected[2, 0] < 1


def test_the_text_of_an_array_names_attributes_by_number():
    tree = J48().fit(np.repeat([[0.0, 1.0], [0.0, 2.0]], 5, axis=0), [0] * 5 + [1] * 5)
    assert "x1 <= 1: 0 (5.0)\nx1 > 1: 1 (5.0)" in str(tree)


def test_what_cannot_be_learned_or_predicted_is_refused():
    tree = J48().fit(pd.DataFrame({"size": ["low", "high"] * 6}), ["no", "yes"] * 6)
    for act, given, message in (
        (tree.predict, (pd.DataFrame({"size": ["huge"]}),), "'size' holds 'huge'"),
        (tree.predict, (np.zeros((1, 1)),), "X must be a data frame"),
        (J48(confidence=0.0).fit, ([[0.0], [1.0]], [0, 1]), "confidence must lie between 0 and 1"),
        (J48(min_leaf=0).fit, ([[0.0], [1.0]], [0, 1]), "min_leaf"),
        (J48().fit, ([[0.0], [1.0]], [None, None]), "at least one row"),
    ):
        with pytest.raises(ValueError, match=message):
            act(*given)


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([*"aaabbb", None]),
        pd.to_datetime(["2020-01-01"] * 3 + ["2021-01-01"] * 3 + [None]),
        pd.Series([True] * 3 + [False] * 3 + [None], dtype="boolean"),
    ],
    ids=["words", "dates", "boolean"],
)
def test_rows_without_a_class_are_left_out(y):
    X = np.array([[1.0], [2], [3], [7], [8], [9], [100]])
    tree = J48().fit(X, y)
    assert len(tree.classes_) == 2 and tree.tree_.weights[tree.tree_.start[0] + 2] == 6
    assert (tree.predict(X[:6]) == np.asarray(y[:6])).all()
