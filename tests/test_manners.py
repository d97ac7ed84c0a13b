"""scikit-learn's manners: its own checks, its tools around our learners, labels that match."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from ppdm import MultiGroup, Survey, count, reports, scheme_of
from ppdm.learn import ID3, NaiveBayes

pytestmark = pytest.mark.filterwarnings("ignore:X has no column names", "ignore:column 'y'")
SEES_NO_LEVEL = (
    "the check predicts from measurements that no record had: an answer that nobody gave"
)
#: Checks that our learners fail, and why.
FAILS = {
    "check_classifiers_one_label_sample_weights": SEES_NO_LEVEL,
    "check_sample_weight_equivalence_on_dense_data": f"{SEES_NO_LEVEL}; of ID3: 31 attributes of nine "
    "levels each make more cells than a number of 64 bits",
}


@parametrize_with_checks([NaiveBayes(), ID3()], expected_failed_checks=lambda _: FAILS)
def test_estimator_checks(estimator, check):
    check(estimator)


def people(size=4_000):
    rng = np.random.default_rng(3)
    s = (rng.random(size) < 0.3).astype(int)
    columns = {"f": rng.random(size) < 0.4, "c": rng.random(size) < 0.2 + 0.55 * s}
    return pd.DataFrame({name: bits.astype(int) for name, bits in columns.items()} | {"s": s})


SURVEY = Survey(
    {name: [0, 1] for name in "fcs"},
    [{"mechanism": "warner", "p": 0.8, "attributes": ["f", "c", "s"]}],
)
SCHEMES = {
    "together": MultiGroup(0.8),
    "each": MultiGroup(0.8, [["f"], ["c"], ["s"]]),
    "survey": scheme_of(SURVEY),
}
TOOLS = {
    "predict": lambda m, X, y: cross_val_predict(m, X, y, cv=3),
    "proba": lambda m, X, y: cross_val_predict(m, X, y, cv=3, method="predict_proba"),
    "auc": lambda m, X, y: cross_val_score(m, X, y, cv=3, scoring="roc_auc", error_score="raise"),
    "bagging": lambda m, X, y: BaggingClassifier(m, 5, random_state=1).fit(X, y),
    "voting": lambda m, X, y: VotingClassifier([("a", m), ("b", m)]).fit(X, y),
    "calibration": lambda m, X, y: CalibratedClassifierCV(m, cv=3).fit(X, y),
    "grid": lambda m, X, y: GridSearchCV(m, {"mechanism__theta": [0.7]}, error_score="raise").fit(X, y),
}  # fmt: skip


@pytest.mark.parametrize("learner", [NaiveBayes, ID3])
@pytest.mark.parametrize("tool", sorted(set(TOOLS) - {"grid"}))
def test_scikit_learns_tools_work_with_true_answers(learner, tool):
    """As good as a guesser who knows the chances: .8 * .7 + .75 * .3 = .785, 4 standard errors of 4,000."""
    frame = people()
    X, y = frame[["f", "c"]], frame["s"]
    outcome = TOOLS[tool](learner(), X, y)
    if hasattr(outcome, "score"):
        assert abs(outcome.score(X, y) - 0.785) < 0.026
    elif tool == "predict":
        assert abs((outcome == y).mean() - 0.785) < 0.026
    else:
        assert (outcome >= 0).all() and (outcome <= 1).all()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("tool", TOOLS)
def test_with_reports_they_are_right_or_refuse(scheme, tool):
    """What predicts cannot compare with reports; what only learns is right about true answers."""
    mechanism, frame = SCHEMES[scheme], people()
    sent = mechanism.disguise(frame, np.random.default_rng(4))
    try:
        outcome = TOOLS[tool](NaiveBayes(mechanism), sent[["f", "c"]], sent["s"])
    except ValueError as error:
        told = str(error).partition("\n")[0]
        expected = (
            "were disguised, and predictions|no reports of|the class has no name|not data that"
        )
        assert any(
            words in told
            for words in (*expected.split("|"), "has no parameter 'theta'", "Scheme has no")
        )
        return
    assert tool == "voting" and scheme != "together"
    assert abs(outcome.score(frame[["f", "c"]], frame["s"]) - 0.785) < 0.026


@pytest.mark.parametrize("learner", [NaiveBayes(), ID3()])
def test_classes_and_weights_are_matched_by_their_labels(learner):
    """They were taken in order, as arrays are, however the rows were called."""
    frame = people(500).set_axis([f"p{i}" for i in range(500)])
    X, y = frame[["f", "c"]], frame["s"]
    weights = pd.Series(np.arange(500.0), frame.index)
    shuffled = frame.sample(frac=1, random_state=1).index
    known = learner.fit(X, y, weights)
    expected = known.predict(X).tolist(), known.score(X, y, weights)
    again = learner.fit(X, y[shuffled], weights[shuffled])
    assert (again.predict(X).tolist(), again.score(X, y[shuffled], weights[shuffled])) == expected
    table = count(frame, weights=weights[shuffled])
    assert (table.dense == count(frame, weights=weights.to_numpy()).dense).all()
    for y_, w_ in ((y.reset_index(drop=True), None), (y, weights.reset_index(drop=True))):
        with pytest.raises(ValueError, match="have other row labels than the records"):
            learner.fit(X, y_, w_)
    learner.fit(X.to_numpy(), y.reset_index(drop=True))  # an array has no labels


@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        ([1, 0], [1, 0], None, "Reshape your data"),
        ([[1j], [0]], [1, 0], None, "Complex data not supported"),
        ([["1"], [1]], [1, 0], None, None),
        (pd.DataFrame({"A": ["1", 1, 1]}), [1, 0, 0], None, r"of different types.*'1' \(str\) and 1 \(int\)"),
        ([[1], [0]], [0.5, 0.25], None, "Unknown label type: .* continuous"),
        ([[1], [0]], [1, 0], [0, 0], "not all of the weights are zero"),
        ([[1], [0]], [1, 0], "w", "weights are numbers, one a record; got 'w'"),
        ([[1], [np.inf]], [1, 0], None, "column 'x0' holds inf"),
    ],
)  # fmt: skip
def test_what_cannot_be_learned_from_is_refused_in_a_sentence(X, y, weights, message):
    if message is None:
        NaiveBayes().fit(X, y, weights)
        return
    with pytest.raises(ValueError, match=message):
        NaiveBayes().fit(X, y, weights)


@pytest.mark.parametrize("dtype", ["float64", "float64[pyarrow]", object])
def test_a_class_that_the_frame_declares_may_have_fractions(dtype):
    """What a frame of reports counts are levels, whatever numbers they are."""
    frame = pd.DataFrame({"A": [0, 1, 0], "grade": pd.Series([-1, 0.5, 0.5], dtype=dtype)})
    scheme = scheme_of(
        Survey(
            {"A": (0, 1), "grade": (-1, 0.5)},
            ({"mechanism": "k-rr", "p": 0.75, "attributes": ("A",)},),
        )
    )
    sent = reports(frame, scheme)
    assert set(NaiveBayes(scheme).fit(sent[["A"]], sent["grade"]).classes_) == {-1, 0.5}
