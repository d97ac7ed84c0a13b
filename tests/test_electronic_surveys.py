"""The experiment on tables against the plain one, record by record.

Random tests seed their generators. Where many draws are compared with an exact probability, the
false-alarm rate of each comparison is below 1e-6 (five standard errors or more), stated there.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ppdm import UnrelatedQuestion, count, data, reports
from ppdm.domain import encode
from ppdm.learn import NaiveBayes
from ppdm.learn.accuracy import estimated_accuracy
from ppdm.papers import common
from ppdm.papers import electronic_surveys as es
from ppdm.papers.electronic_surveys import experiment, rows
from ppdm.papers.electronic_surveys.experiment import learned
from ppdm.privacy import ladder
from ppdm.privacy import pse as privacy

CANCER = "breast-cancer-wisconsin"
LEVEL = 1e-6  # of a false alarm, for every test against chance below


@pytest.fixture(scope="module")
def cancer():
    return es.binary_frame(CANCER)


# The experiment -------------------------------------------------------------------------------


def parts(frame):
    """The training and the test records of the fixed split."""
    return [frame.iloc[rows] for rows in common.fixed_split(len(frame))]


def plainly(frame, q, alpha, rng):
    """[Zhan & Matwin 3.1, Step III], one repetition, as the paper tells it."""
    training, test = parts(frame)
    scheme = UnrelatedQuestion(q)
    disguised = scheme.disguise(training, rng)
    model = NaiveBayes(scheme, alpha).fit(disguised.iloc[:, :-1], disguised.iloc[:, -1])
    return (model.predict(test.iloc[:, :-1]) == test.iloc[:, -1]).mean()


@pytest.mark.parametrize("alpha", [1.0, 0.0])
@pytest.mark.parametrize("q", [0.05, 0.3, 0.8])
def test_the_same_reports_give_the_same_classifier(cancer, q, alpha):
    """Exactly: a table of reports and the reports one by one, also where counts are negative and
    where (alpha = 0) a class is ruled out."""
    scheme, rng = UnrelatedQuestion(q), np.random.default_rng(6)
    train, test = parts(cancer)
    table = count(test)
    for _ in range(40):
        disguised = scheme.disguise(train, rng)
        plain = NaiveBayes(scheme, alpha).fit(disguised.iloc[:, :-1], disguised.iloc[:, -1])
        hit = plain.predict(test.iloc[:, :-1]) == test.iloc[:, -1]
        outcome = NaiveBayes(scheme, alpha).fit_table(count(disguised)).confusion(table)
        assert outcome.trace() == hit.sum()
        assert outcome.sum() == len(test)


@pytest.mark.parametrize("q", [0.1, pytest.param(0.5, marks=pytest.mark.slow)])
def test_the_fast_survey_has_the_distribution_of_the_plain_one(cancer, q):
    """Accuracies of 250 plain and 2,500 fast repetitions, by a two-sample test of Kolmogorov and
    Smirnov (false alarm 1e-6; ties make it cautious)."""
    rng = np.random.default_rng(7)
    plain = [plainly(cancer, q, 1.0, rng) for _ in range(250)]
    fast = learned(np.random.default_rng(8), 2_500, CANCER, q)["accuracy"]
    assert stats.ks_2samp(plain, fast).pvalue > LEVEL
    assert stats.ks_2samp(plain, fast - 0.05).pvalue < LEVEL  # and it can tell five points


def test_reported_pair_counts_have_the_mean_and_spread_of_disguised_records(cancer):
    """All 36 pair counts: means and variances of both ways, each within 6 standard errors."""
    scheme, draws, rng = UnrelatedQuestion(0.3), 600, np.random.default_rng(9)
    train, _ = parts(cancer)
    table = count(train)
    fast, plain = np.empty((2, draws, 9, 2, 2))
    for i in range(draws):
        fast[i] = scheme.disguise_table(table, rng).pairs("class").values
        reports = scheme.disguise(train, rng).to_numpy()
        for a in range(9):
            plain[i, a] = np.histogram2d(reports[:, a], reports[:, -1], bins=2)[0]
    gap = np.abs(fast.mean(axis=0) - plain.mean(axis=0))
    se = np.sqrt((fast.var(axis=0) + plain.var(axis=0)) / draws)
    assert (gap < 6 * se).all()
    ratio = np.log(fast.var(axis=0) / plain.var(axis=0))
    assert (np.abs(ratio) < 6 * np.sqrt(4 / draws)).all()


@pytest.mark.parametrize("dataset", es.SETS)
def test_at_q_one_it_is_scikit_learns_naive_bayes(dataset):
    run, known = learned(np.random.default_rng(0), 3, dataset, 1.0), experiment.benchmark(dataset)
    assert np.allclose(run["accuracy"], known["accuracy"], atol=1e-12)
    assert np.allclose(run["balanced"], known["balanced"], atol=1e-12)


def test_the_fixed_split_is_fixed_and_the_redrawn_is_not():
    rng = np.random.default_rng(0)
    assert np.ptp(learned(rng, 20, CANCER, 1.0, "fixed")["accuracy"]) == 0
    assert np.ptp(learned(rng, 20, CANCER, 1.0, "redrawn")["accuracy"]) > 0
    numbered = [learned(rng, 2, CANCER, 1.0, number)["accuracy"] for number in range(4)]
    assert numbered[0][0] == learned(rng, 1, CANCER, 1.0)["accuracy"][0]
    assert np.ptp(numbered, axis=1).max() == 0 < np.ptp(numbered, axis=0).min()
    with pytest.raises(ValueError, match="'fixed' or 'redrawn', or a number; got 'once'"):
        learned(rng, 1, CANCER, 1.0, "once")


# Testing on disguised records (2.4) -----------------------------------------------------------


@pytest.mark.slow
def test_testing_by_counts_is_testing_by_records(cancer):
    """[2.4] Person by person: a second survey of the test persons, each with her extra bit."""
    q, rng = 0.4, np.random.default_rng(10)
    (train, test), scheme, plain = parts(cancer), UnrelatedQuestion(q), []

    def right(model, values):
        frame = pd.DataFrame(values, columns=cancer.columns)
        return model.predict(frame.iloc[:, :-1]) == values[:, -1]

    for _ in range(200):
        learned = scheme.disguise(train, rng)
        model = NaiveBayes(scheme).fit(learned.iloc[:, :-1], learned.iloc[:, -1])
        A = test.to_numpy()
        Y = rng.integers(0, 2, size=A.shape)
        private = rng.random(len(A)) < q
        sent = np.where(private[:, None], A, Y)
        told, of_y, truth = right(model, sent), right(model, Y), right(model, A).mean()
        asked = (told.mean() - (1 - q) * of_y.mean()) / q
        received = reports(pd.DataFrame(sent, columns=cancer.columns), scheme)
        known = estimated_accuracy(model, received, scheme)
        exposed = told != of_y
        assert private[exposed].all()
        plain.append((asked - truth, known.estimate - truth, exposed.sum() / private.sum()))
    fast = experiment.disguised_test(np.random.default_rng(11), 3_000, CANCER, q)
    for name, values in zip(("asked", "computed", "exposed"), np.transpose(plain), strict=True):
        assert stats.ks_2samp(values, fast[name]).pvalue > LEVEL, name


# Eq. 1, the collector, and beyond ------------------------------------------------------------


def test_an_expression_is_the_cells_it_is_true_of(cancer):
    table = count(cancer)
    cells = experiment.expressions(table.domain)
    codes, _ = encode(cancer)
    first, third, diagnosis = (cancer.iloc[:, i] == 1 for i in (0, 2, -1))
    assert (cells["A1 and C"][codes] == (first & diagnosis)).all()
    assert (cells["A1 if and only if A3"][codes] == (first == third)).all()
    assert (cells["an odd number of ones"][codes] == (cancer.sum(axis=1) % 2 == 1)).all()


def test_errors_of_shares_fall_with_the_root_of_the_number():
    few, many = (
        experiment.share_errors(np.random.default_rng(14), 200, "adult", 0.3, n)["mse"].mean()
        for n in (1_000, 16_000)
    )
    assert 14 < few / many < 18


def test_truth_of_reports_is_what_a_simulation_finds(cancer):
    """Among simulated reports of the commonest record, the share of true ones."""
    q, table, rng = 0.2, count(cancer), np.random.default_rng(15)
    cells, private = table.proportions().occupied()
    code = cells[private.argmax()]
    truth = UnrelatedQuestion(q).truth_of_reports(table.proportions(), np.array([code]))
    codes = np.tile(encode(cancer)[0], 300)
    private = rng.random(len(codes)) < q
    report = np.where(private, codes, rng.integers(1024, size=len(codes)))
    hits = private[report == code]
    assert stats.binomtest(int(hits.sum()), len(hits), truth[0]).pvalue > LEVEL


def test_pse_given_the_record_is_what_the_game_gives(cancer):
    """The game of section 4 with the whole record in view, 200,000 rounds."""
    q, rng, rounds = 0.4, np.random.default_rng(16), 200_000
    prior = count(cancer)
    joint = UnrelatedQuestion(q).answer_and_report(prior, "class")
    codes = encode(cancer)[0][rng.integers(len(cancer), size=rounds)]
    report = np.where(rng.random(rounds) < q, codes, rng.integers(1024, size=rounds))
    guess = rng.random(rounds) < joint[1, report] / joint[:, report].sum(axis=0)
    wrong = int((guess != codes % 2).sum())
    expected = privacy.pse_given_record(UnrelatedQuestion(q), prior, "class")
    assert stats.binomtest(wrong, rounds, expected).pvalue > LEVEL


def test_the_whole_record_tells_the_guesser_more():
    table = count(es.binary_frame("adult"))
    known, nothing = (rows.of_answers(table, q) for q in (0.5, 0.0))
    assert (known["pse_record"] < known["pse"]).all()
    assert np.allclose(nothing["pse_record"], nothing["pse"])


def test_a_stranger_is_as_often_right_as_he_thinks():
    """Played, beside the reports gone through one by one; within six standard errors."""
    q, run = 0.5, experiment.stranger(np.random.default_rng(17), 50, CANCER, 0.5)
    others, victims = common.respondents(CANCER).numbered(0)
    sure = UnrelatedQuestion(q).truthful(ladder.belief("others", others, victims)).values >= 0.9
    true, coin = victims.proportions().densified().values[sure].sum(), sure.mean()
    right = q * true / (q * true + (1 - q) * coin)
    assert right > 0.9 and run["called"].mean() > 0.3
    for values, exact in ((run["excess"] + q, right), (run["found"], true)):
        assert abs(values.mean() - exact) < 6 * values.std() / np.sqrt(50)


@pytest.mark.parametrize("q", [0.1, 0.6])
def test_who_is_like_everybody_is_believed_with_q(cancer, q):
    """Personal records drawn like the private ones: whatever the collector holds, he believes q."""
    table = count(cancer).proportions()
    cells, _ = table.occupied()
    scheme = UnrelatedQuestion(q, table)
    assert scheme.truth_of_reports(table, cells) == pytest.approx(q)


def test_categories_are_learned_as_by_the_plain_classifier():
    """Breast Cancer with its ten grades; 60 plain repetitions against 1,500 fast ones."""
    frame, q = experiment.categorical_frame(CANCER), 0.5
    levels = {name: range(frame[name].max() + 1) for name in frame}
    typed = frame.apply(lambda c: pd.Categorical(c, categories=list(levels[c.name])))
    rng = np.random.default_rng(18)
    plain = [plainly(typed, q, 1.0, rng) for _ in range(60)]
    fast = learned(np.random.default_rng(19), 1_500, CANCER, q, learner="naive Bayes, categories")[
        "accuracy"
    ]
    assert stats.ks_2samp(plain, fast).pvalue > LEVEL


def test_undisguised_categories_are_scikit_learns():
    from sklearn.naive_bayes import CategoricalNB

    frame = experiment.categorical_frame("adult")
    levels = frame.iloc[:, :-1].max().to_numpy() + 1
    train, test = (part.to_numpy() for part in parts(frame))
    model = CategoricalNB(min_categories=levels).fit(train[:, :-1], train[:, -1])
    ours = learned(np.random.default_rng(0), 1, "adult", 1.0, learner="naive Bayes, categories")[
        "accuracy"
    ][0]
    assert ours == pytest.approx((model.predict(test[:, :-1]) == test[:, -1]).mean(), abs=1e-12)


def test_clusters_and_trees_are_those_of_the_true_table_without_disguise(cancer):
    same = experiment.clusters(np.random.default_rng(20), 1, CANCER, 1.0)
    assert same["same"][0] == 1 and same["error"][0] < 1e-12
    from ppdm.learn import ID3

    train, test = parts(cancer)
    tree = ID3().fit(train.iloc[:, :-1], train.iloc[:, -1])
    expected = (tree.predict(test.iloc[:, :-1]) == test.iloc[:, -1]).mean()
    assert (
        learned(np.random.default_rng(0), 1, CANCER, 1.0, learner="ID3")["accuracy"][0] == expected
    )


def test_the_data_source_goes_through(monkeypatch):
    asked = []
    monkeypatch.setattr(
        common.data,
        "load",
        lambda name, source=None: asked.append(source) or data.load_stored(name),
    )
    common._binary_frame.cache_clear()
    es.binary_frame(CANCER, source="auto")
    common._binary_frame.cache_clear()
    assert asked == ["auto"]


# The verdicts can say no ----------------------------------------------------------------------


def test_a_forgotten_inversion_changes_the_verdict(monkeypatch, tmp_path):
    """Reports taken as they are: the shares are biased (the rule of ZM-4 says no)."""
    monkeypatch.setenv("PPDM_RESULTS", str(tmp_path))

    def verdict():
        ch = es.chapter(seed=1)
        ch.decide("ZM-4")
        return ch.ledger.decided["ZM-4"].verdict, ch.ledger.problems

    assert verdict() == ("reproduced", [])
    monkeypatch.setattr(UnrelatedQuestion, "undo", lambda self, table: table)
    assert verdict()[0] == "not reproduced"


def test_without_undoing_the_reports_are_plain_records(cancer):
    """The classifier that skips Eq. 1 is naive Bayes of the reports, taken for true records."""
    rng = np.random.default_rng(21)
    (train, test), q, plain = parts(cancer), 0.3, []
    for _ in range(150):
        disguised = UnrelatedQuestion(q).disguise(train, rng)
        disguised.attrs.clear()  # taken for true records
        model = NaiveBayes().fit(disguised.iloc[:, :-1], disguised.iloc[:, -1])
        plain.append(model.score(test.iloc[:, :-1], test.iloc[:, -1]))
    fast = learned(np.random.default_rng(22), 2_000, CANCER, q, plant="no undoing")["accuracy"]
    assert stats.ks_2samp(plain, fast).pvalue > LEVEL


# Evidence -------------------------------------------------------------------------------------


def test_wrong_worlds_are_wrong():
    """Each plant, on Breast Cancer at q = 1/2 (and 0.7): far from what is true, all with room."""

    def balanced(plant, q=0.5):
        run = learned(np.random.default_rng(5), 20, CANCER, q, plant=plant)
        return run["balanced"].mean()

    assert balanced("") > 0.93
    assert balanced("one class") == 0.5
    assert balanced("labels shuffled") < 0.75
    assert balanced("coin turned", q=0.9) < 0.6


def test_one_known_answer_by_hand():
    """The other answers of a small table, guessed with one known, over the whole matrix."""
    from ppdm import Domain, Table

    table = Table(Domain(("A", "B"), ((0, 1),) * 2), [0.4, 0.1, 0.2, 0.3])
    M, chance = UnrelatedQuestion(0.5).matrix(table.domain), 0.0
    for r in range(4):
        for known in (0, 1):  # of B, the second answer
            chance += max(table.values[2 * a + known] * M[r, 2 * a + known] for a in (0, 1))
    assert rows.with_help(table, table, 0.5, "B") == pytest.approx({"A": chance})
    everybody = count(es.binary_frame(CANCER)).proportions()
    name = everybody.names[0]
    got = rows.with_help(everybody, everybody, 0.5, everybody.names[-1])[name]
    assert got == pytest.approx(
        UnrelatedQuestion(0.5).guess_answer(everybody, name, known=[everybody.names[-1]])
    )
    assert got >= ladder.vulnerability(UnrelatedQuestion(0.5), name, everybody)
