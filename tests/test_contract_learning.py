"""Learning, predicting and scoring: nothing taken for something else, nothing left undone."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.model_selection import GridSearchCV, cross_val_score

from ppdm import MultiGroup, RRMatrix, Survey, UnrelatedQuestion, count, reports, scheme_of
from ppdm.distort import aibr, kcg
from ppdm.estimate import clipped, em, inversion, inversion_se, pool, projected
from ppdm.learn import ID3, NaiveBayes
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.privacy.linkage import interval_share
from ppdm.privacy.pse import guessing_game

FALSE_ALARM = 1e-7  # of every single random test below
LEARNERS = [NaiveBayes, ID3]


def people(size, seed=5):
    """Two yes/no questions and a class that the first one tells, nine times in ten."""
    rng = np.random.default_rng(seed)
    a, b = rng.random(size) < 0.5, rng.random(size) < 0.3
    c = np.where(rng.random(size) < 0.9, a, ~a)
    return pd.DataFrame({"a": a, "b": b, "c": c}).astype(int)


SURVEY = Survey(dict.fromkeys("abc", (0, 1)), target="c")
MECHANISMS = {
    "one coin": MultiGroup(0.8),
    "two coins": MultiGroup(0.7, [["a", "b"], ["c"]]),
    "class open": MultiGroup(0.7, [["a"]]),
    "unrelated": UnrelatedQuestion(0.6),
    "skewed": UnrelatedQuestion(0.6, {"a": [0.2, 0.8], "c": [0.7, 0.3]}),
    "matrix": RRMatrix({"a": [[0.8, 0.3], [0.2, 0.7]], "c": [[0.9, 0.1], [0.1, 0.9]]}),
}


def refused(message, act, *cases):
    for case in cases:
        with pytest.raises(ValueError, match=message):
            act(*case)


# -- scores of disguised records ---------------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_scores_of_reports_are_unbiased(learner, name):
    """The mean over 40 draws against the true accuracy of the model, with the spread of the draws
    as its error (Student's t); false alarms: 1e-7 each, 1.2e-6 in all."""
    true, rng, mechanism = people(400), np.random.default_rng(7), MECHANISMS[name]
    model = learner().fit(true[["a", "b"]], true["c"])  # any model will do: this one
    known = model.score(true[["a", "b"]], true["c"])
    model.set_params(mechanism=mechanism)
    scores = []
    for _ in range(40):
        sent = mechanism.disguise(true, rng)
        scores.append(model.score(sent[["b", "a"]], sent["c"]))
    if np.ptp(scores) > 1e-12:
        assert stats.ttest_1samp(scores, known).pvalue > FALSE_ALARM
    else:  # whether the model is right does not depend on the coin
        assert scores[0] == pytest.approx(known)
    weights = rng.integers(0, 3, len(sent))
    repeated = sent.loc[np.repeat(sent.index, weights)]
    assert model.score(sent[["a", "b"]], sent["c"], weights) == pytest.approx(
        model.score(repeated[["a", "b"]], repeated["c"])
    )


@pytest.mark.parametrize("learner", LEARNERS)
def test_cross_validation_finds_the_truth_and_the_mechanism(learner):
    """Once cross_val_score said .601 where the truth was .754, and a grid search chose None. The
    estimate has a standard error below 0.012; false alarms: 1e-7."""
    true, mechanism = people(20_000), MECHANISMS["two coins"]
    sent = mechanism.disguise(true, np.random.default_rng(2))
    X, y = sent[["a", "b"]], sent["c"]
    found = cross_val_score(learner(mechanism), X, y, cv=5).mean()
    assert found == pytest.approx(0.9, abs=0.012 * stats.norm.isf(FALSE_ALARM / 2))
    wrong = MultiGroup(0.9, [["a", "b"], ["c"]])
    search = GridSearchCV(learner(), {"mechanism": [None, wrong, mechanism]}, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
    assert search.best_params_ == {"mechanism": mechanism}
    assert np.isnan(search.cv_results_["mean_test_score"][:2]).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_arrays_of_reports_have_to_be_said_to_be_reports(learner):
    """An array cannot say that it was disguised: where something would be undone it is refused, and
    taken for true elsewhere. The estimates' standard error is below 0.012; false alarms: 1e-7."""
    mechanism = MultiGroup(0.7)
    bare = pd.DataFrame(mechanism.disguise(people(20_000), np.random.default_rng(2)).to_numpy())
    bare = bare.set_axis(list("abc"), axis=1)
    X, y = bare[["a", "b"]], bare["c"]
    refused(
        "data that do not say what they are.*ppdm.reports",
        learner(mechanism).fit,
        (X.to_numpy(), y),
    )
    plain = learner().fit(X, y)
    assert plain.score(X, y) == (plain.predict(X) == y).mean()
    for said in (reports(pl.from_pandas(bare), mechanism), reports(bare, mechanism)):
        model = learner(mechanism).fit(said, "c")
    refused("data that do not say what they are", model.score, (X, y))
    within = pytest.approx(0.9, abs=0.012 * stats.norm.isf(FALSE_ALARM / 2))
    assert model.score(said[["a", "b"]], said["c"]) == within


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_is_learned_and_what_is_predicted_hold_to_what_the_records_say(learner):
    """Predicted classes against reported ones are neither right nor an estimate; nor is a model of
    reports one of people. A class may come from another frame than the rest."""
    mechanism, alone, true = MECHANISMS["two coins"], MultiGroup(0.7, [["c"]]), people(500)
    sent, asked = mechanism.disguise(true, np.random.default_rng(2)), true[["a", "b"]]
    X, y = sent[["a", "b"]], sent["c"]
    model = learner(mechanism).fit(X, y)
    refused("a, b were disguised, and predictions are made of true records", model.predict, (X,))
    with pytest.warns(UserWarning, match="Scoring failed"):
        assert np.isnan(cross_val_score(learner(mechanism), X, y, scoring="accuracy")).all()
    assert len(model.predict(X.set_axis(X.index + 9))) == 500  # of these rows nothing is known
    mixed = ((X, true["c"]), (asked, y))
    refused("learning takes answers or estimate, not reports", learner().fit, (X, y), *mixed)
    fair = learner().fit(asked, true["c"])
    refused("learning takes answers or estimate, not reports", fair.score, (X, y))
    other = learner(UnrelatedQuestion(0.5))
    refused("no reports of UnrelatedQuestion.*disguised in another", other.fit, (X, y))
    refused("do not say", learner(mechanism).fit, *mixed, (asked, true["c"]))
    y = alone.disguise(true, np.random.default_rng(3))["c"]
    assert learner(alone).fit(asked, y).score(asked, y) > 0


@pytest.mark.filterwarnings("ignore:.*taken for the level 1")
def test_accuracy_and_pooling_hold_the_frame_to_the_contract():
    coins = {"mechanism": "multi-group", "theta": 0.8, "groups": [["a"], ["b"], ["c"]]}
    scheme = scheme_of(Survey(SURVEY.attributes, [coins]))
    true, X = people(200), ["a", "b"]
    model = NaiveBayes().fit(true[X], true["c"]).set_params(mechanism=scheme)
    sent = scheme.disguise(true, np.random.default_rng(5))
    ones = true.assign(b=["1"] * 200)  # all alike, and as words: the levels are those of the survey
    for frame in (sent, reports(ones, scheme)):
        expected = model.score(frame[X], frame["c"])
        assert estimated_accuracy(model, frame, scheme).estimate == pytest.approx(expected)
    assert pool(true, true.assign(b=1), scheme).total == pytest.approx(400)
    for frame, message in (
        (true.rename(columns={"b": "B"}), "lack b and have B"),
        (true.assign(b=2), "value 2 .row 0., which is not among its levels"),
    ):
        refused(message, estimated_accuracy, (model, frame, scheme))
        refused(message, pool, (true, frame, scheme))


def test_a_mechanism_that_knows_no_estimate_refuses_to_score():
    class Nothing:
        def undo(self, table):
            return table

    true = people(50)
    model = NaiveBayes(Nothing()).fit(true[["a", "b"]], true["c"])
    with pytest.raises(ValueError, match="Nothing cannot estimate .* it has no method unbiased"):
        model.score(true[["a", "b"]], true["c"])
    with pytest.raises(ValueError, match="mechanism is None or something that can undo"):
        NaiveBayes(SURVEY).fit(true[["a", "b"]], true["c"])


# -- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", LEARNERS)
def test_undo_is_not_skipped_for_the_class(learner):
    """Once P(c=1 | a=1) = .9 was learned as .656 when the class came without its name.

    The class is the one attribute that a scheme names and that the records lack; of two, it is asked.
    """
    true, rng = people(3_000), np.random.default_rng(6)
    asked = true[["a", "b"]].head(20)
    for mechanism in (MECHANISMS["two coins"], MECHANISMS["matrix"], MECHANISMS["skewed"]):
        sent = mechanism.disguise(true, rng)
        X, y = sent[["a", "b"]], sent["c"]
        named = learner(mechanism).fit(X, y)
        for unnamed in (y.to_numpy(), y.tolist(), y.rename(None)):
            again = learner(mechanism).fit(X, unnamed)
            np.testing.assert_array_equal(again.predict_proba(asked), named.predict_proba(asked))
            message = "the class has no name, so it is not known how"
            refused(message, learner(mechanism).fit, (X[["b"]], unnamed))
        message = "names c, which the records lack, and does not name .*d, which"
        refused(message, learner(mechanism).fit, (X, y.rename("d")))
        refused("the class is called 'd'; learned was 'c'", named.score, (X, y.rename("d")))
    for mechanism in (MultiGroup(0.8), UnrelatedQuestion(0.6)):  # all that there is, whatever named
        sent = mechanism.disguise(true.rename(columns={"c": "y"}), rng)
        X, y = sent[["a", "b"]], sent["y"]
        models = [learner(mechanism).fit(X, given) for given in (y, y.to_numpy())]
        np.testing.assert_array_equal(*(model.predict_proba(asked) for model in models))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_bound_learner_takes_what_is_asked_and_nothing_else(learner):
    protection = {"mechanism": "multi-group", "theta": 0.8, "groups": [["a", "c"]]}
    scheme = scheme_of(Survey({**SURVEY.attributes, "b": (0, 1, 2)}, [protection], "c"))
    true = people(500)
    sent, asked = scheme.disguise(true, np.random.default_rng(7)), true[["a", "b"]]
    X, y = sent[["a", "b"]], sent["c"]
    model = learner(scheme).fit(X, y)
    assert learner(scheme).fit(X, y.to_numpy()).target_ == "c"  # the only question left
    assert (model.domain_.names, model.domain_.levels) == (("a", "b"), ((0, 1), (0, 1, 2)))
    assert len(model.predict(asked.assign(b=2))) == 500  # a level that nobody gave is known
    for X_, y_, message in (
        (X[["a"]], y, "the records lack b"),
        (X.assign(d=1), y, "the records have d, which was not asked for"),
        (X, y.rename("d"), "lack c and have d"),
        (X.assign(b=3), y, "value 3 .row 0., which is not among its levels 0, 1, 2"),
    ):
        refused(message, learner(scheme).fit, (X_, y_))
    turned = learner(scheme).fit(X[["b", "a"]], y)
    np.testing.assert_array_equal(turned.predict(asked), model.predict(asked))


# -- values never trained --------------------------------------------------------------------


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("dtype", [int, bool, float, "Int64", object])
def test_the_same_answer_in_another_type_is_the_same_answer(learner, dtype):
    """Once a model trained on truth values said .507 instead of 1.0 of the same ones as objects."""
    true = people(300)
    X, y = true[["a", "b"]], true["a"].rename("c")
    model = learner().fit(X.astype(dtype), y)
    for other in (int, bool, "boolean", "float64", "int64[pyarrow]"):
        assert model.score(X.astype(other), y) == 1
    assert model.score(X.astype(bool).astype(object), y) == 1
    assert model.score(pl.from_pandas(X)[["b", "a"]], y) == 1  # once .502: names were lost
    for asked in (X.astype(str), X.astype(str).astype("category")):
        with pytest.warns(UserWarning, match="the value '.' is taken for the level"):
            assert model.score(asked, y) == 1
    for unknown in ("YES", 2, -1, "true", 0.5):
        refused(
            f"has the value {unknown!r} .row 0., which is not",
            model.predict,
            (X.assign(b=unknown),),
        )
    refused("column 'b' has missing values", model.predict, (X.assign(b=np.nan),))
    refused("column 'c' has the value 2", model.score, (X, y.replace(1, 2)))


def test_columns_without_names_are_taken_in_order_and_this_is_said():
    true = people(300)
    X, array = true[["a", "b"]], true.to_numpy()
    model = NaiveBayes().fit(X, true["c"])
    with pytest.warns(UserWarning, match="no column names: .* in the order of training, a, b"):
        np.testing.assert_array_equal(model.predict(array[:, :2]), model.predict(X[["b", "a"]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NaiveBayes().fit(array[:, :2], array[:, 2]).predict(array[:, :2])


@pytest.mark.parametrize("learner", LEARNERS)
def test_weights_are_repetitions(learner):
    true, rng = people(200), np.random.default_rng(4)
    weights = rng.integers(0, 4, len(true))
    X, y, coin = ["a", "b"], "c", MECHANISMS["one coin"]
    for mechanism, sent in ((None, true), (coin, coin.disguise(true, rng))):
        repeated = sent.loc[np.repeat(true.index, weights)]
        weighted = learner(mechanism).fit(sent[X], sent[y], sample_weight=weights)
        plainly = learner(mechanism).fit(repeated[X], repeated[y])
        np.testing.assert_allclose(weighted.predict_proba(true[X]), plainly.predict_proba(true[X]))
    with pytest.raises(ValueError, match="200 records need 200 weights"):
        learner().fit(true[X], true[y], sample_weight=weights[1:])


# -- estimates and attackers -------------------------------------------------------------------


def test_a_transposed_matrix_is_refused():
    M = np.array([[0.9, 0.4], [0.1, 0.6]])
    assert inversion([1, 2], M).sum() == pytest.approx(1)
    for estimate in (inversion, inversion_se, em):
        with pytest.raises(
            ValueError, match="column 0 sums to 1.3 .M.y, x. = P.reported y . true x"
        ):
            estimate([1, 2], M.T)
        with pytest.raises(ValueError, match="probabilities, from 0 to 1"):
            estimate([1, 2], M * [[np.nan, 1], [1, 1]])


def test_what_has_nothing_positive_is_not_clipped():
    with pytest.raises(ValueError, match=r"no entry is positive.*\[-1, -2\]"):
        clipped([-1, -2])
    for repair in (clipped, projected):
        with pytest.raises(ValueError, match="a list of finite numbers"):
            repair([0.5, np.nan])


@pytest.mark.parametrize("k", [0, -1, 1.5, np.nan, True])
def test_intervals_are_a_whole_number(k):
    A = [[0.0], [1.0], [9.0]]
    with pytest.raises(ValueError, match="k must be a whole number of intervals, from 1"):
        interval_share(A, A, k=k)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: aibr([[1.0], [2.0]], 2, rng),
        lambda rng: kcg([[1.0], [2.0]], 2, rng),
        lambda rng: guessing_game(0.5, 0.5, 0.5, 10, rng),
        lambda rng: count(people(9)).split(3, rng),
    ],
)
def test_a_seed_is_no_generator(draw):
    with pytest.raises(ValueError, match=r"numpy.random.default_rng\(42\) for a study.*got 42"):
        draw(42)
