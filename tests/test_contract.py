"""The contract: what is asked and how it is protected, and nothing done that does not match it."""

import json
import pickle
import warnings
from copy import deepcopy
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ppdm import Domain, MultiGroup, RRMatrix, Survey, Table, UnrelatedQuestion, count
from ppdm.contract import read_yaml
from ppdm.disguise import scheme_of

FALSE_ALARM = 1e-7  # of every single random test below

YES_NO = ["no", "yes"]
QUESTIONS = {"A": YES_NO, "B": [0, 1], "C": ["x", "y", "z"]}
MORE_OUTPUTS = [[0.6, 0.1, 0.0], [0.2, 0.6, 0.2], [0.1, 0.1, 0.5], [0.1, 0.2, 0.3]]
PROTECTIONS = {
    "open": [],
    "warner": [{"mechanism": "warner", "p": 0.7, "attributes": ["A", "B"]}],
    "k-rr": [{"mechanism": "k-rr", "p": 0.6, "attributes": ["C", "A"]}],
    "forced response": [
        {"mechanism": "forced-response", "truth": 0.5, "forced": [0.2, 0.3], "attributes": ["B"]}
    ],
    "matrix": [
        {"mechanism": "matrix", "matrix": MORE_OUTPUTS, "outputs": ["p", "q", "r", "s"],
         "prior": [0.5, 0.3, 0.2], "attributes": ["C"]}
    ],
    "one coin": [{"mechanism": "multi-group", "theta": 0.8, "groups": [["A", "B"]]}],
    "two coins": [{"mechanism": "multi-group", "theta": 0.3, "groups": [["A"], ["B"]]}],
    "absent": [{"mechanism": "multi-group", "theta": 0.8, "absent": "y", "groups": [["C", "A"]]}],
    "unrelated": [
        {"mechanism": "unrelated-question", "q": 0.6, "personal": {"C": [0.2, 0.3, 0.5]},
         "groups": [["A", "C"], ["B"]]}
    ],
    "each unrelated": [{"mechanism": "unrelated-question", "q": 0.6, "attributes": ["A", "B"]}],
    "everything": [
        {"mechanism": "matrix", "matrix": MORE_OUTPUTS, "outputs": [0, 1, 2, 3], "attributes": ["C"]},
        {"mechanism": "unrelated-question", "q": 0.7, "groups": [["B"]]},
        {"mechanism": "multi-group", "theta": 0.8, "groups": [["A"]]},
    ],
}  # fmt: skip


def schemes():
    return {name: scheme_of(Survey(QUESTIONS, spec)) for name, spec in PROTECTIONS.items()}


def answers(size=60, seed=3):
    rng = np.random.default_rng(seed)
    levels = {name: np.array(levels, dtype=object) for name, levels in QUESTIONS.items()}
    return pd.DataFrame({n: lev[rng.integers(len(lev), size=size)] for n, lev in levels.items()})


# -- plain data ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROTECTIONS)
def test_a_survey_survives_its_files(name, tmp_path):
    survey = Survey(QUESTIONS, PROTECTIONS[name], "A", "Ein Versuch: ü", {"A": "Do you?"})
    assert Survey.from_json(survey.to_json()) == survey
    assert Survey.from_json(json.dumps(json.loads(survey.to_json()))) == survey
    assert Survey.from_yaml(survey.to_json()) == survey  # JSON is YAML
    for path in (tmp_path / "scheme.json", tmp_path / "scheme.yml"):
        survey.save(path)
        read = Survey.load(path)
        assert read == survey
        assert read.fingerprint == survey.fingerprint
        assert hash(read) == hash(survey)
    assert survey.domain == Domain(tuple("ABC"), (("no", "yes"), (0, 1), ("x", "y", "z")))


def test_the_form_is_the_first_version():
    """What was published must be readable for ever: this text never changes."""
    text = """{"format": "ppdm survey", "version": 1, "title": "t",
        "attributes": [{"name": "A", "levels": ["no", "yes"], "question": "?"},
                       {"name": "B", "levels": [0, 1, 2.5, true]}],
        "class": "A", "protection": [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}]}"""
    with pytest.raises(ValueError, match="levels of 'B' must differ"):
        Survey.from_json(text)
    survey = Survey.from_json(text.replace(", true", ""))
    assert survey.attributes == {"A": ("no", "yes"), "B": (0, 1, 2.5)}
    assert survey.target == "A"
    assert survey.protected == ("A",)
    assert survey.fingerprint == "c353ae05980ed98a"


def test_a_corrected_title_makes_no_other_survey():
    """Its fingerprint is in every code: once a typing error mended threw all reports away."""
    protection = [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}]
    survey = Survey({"A": ["no", "yes"]}, protection, None, "A tilte", {"A": "Do yuo?"})
    mended = Survey({"A": ["no", "yes"]}, protection, "A", "A title", {"A": "Do you?"})
    assert mended.fingerprint == survey.fingerprint
    for other in (
        Survey({"B": ["no", "yes"]}, [protection[0] | {"attributes": ["B"]}]),
        Survey({"A": ["yes", "no"]}, protection),
        Survey({"A": ["no", "yes"]}, [protection[0] | {"p": 0.8}]),
    ):
        assert other.fingerprint != survey.fingerprint


WARNER = {"mechanism": "warner", "p": 0.7, "attributes": ["A"]}


JUNK = [
    None,
    True,
    -1,
    1.5,
    0.3,
    "",
    "A",
    "x ",
    [],
    [0],
    ["A", "A"],
    [[1, 0], [0]],
    {},
    {"A": [1, 0]},
]


def places_in(plain, at=()):
    """Every place within plain data, as the keys that lead there."""
    keys = (
        plain if isinstance(plain, dict) else range(len(plain)) if isinstance(plain, list) else ()
    )
    for key in keys:
        yield (*at, key)
        yield from places_in(plain[key], (*at, key))


@pytest.mark.parametrize("name", PROTECTIONS)
def test_whatever_stands_in_a_file_is_a_survey_or_refused_in_one_sentence(name):
    """Every value, name and key of a survey in turn is something else, or gone."""
    whole, refusals = Survey(QUESTIONS, PROTECTIONS[name], "A", "t", {"A": "?"}).to_plain(), []
    for *path, last in places_in(whole):
        for junk in [..., *JUNK]:
            changed = deepcopy(whole)
            inner = reduce(lambda plain, key: plain[key], path, changed)
            if junk is ...:
                del inner[last]
            else:
                inner[last] = junk
            try:
                survey = Survey.from_plain(changed)
            except ValueError as error:
                refusals.append(str(error))
                continue
            assert Survey.from_json(survey.to_json()) == survey
            assert bool(survey.protected) == bool(survey.protection)
    assert len(refusals) > 100
    assert all("\n" not in refusal and 20 < len(refusal) < 300 for refusal in refusals)


def one(levels, name="A", **more):
    return json.dumps({"attributes": [{"name": name, "levels": levels}], **more})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no JSON"),
        ('{"attributes": [], "attributes": []}', "the key 'attributes' stands twice"),
        (one([0, float("nan")]), "a level of 'A' is a string, .*; got nan"),
        (one([0, 1], format="x"), "the format of a survey is 'ppdm survey'; got 'x'"),
        (one([0, 1], version=True), "got True"),
        (one([0, 1], level=[]), "a survey has no level; it has format"),
        (one([0, 1], **{"class": "a"}), "the class names 'a', which is not among A"),
        (one([0]), "the levels of 'A' are at least two; got .0,"),
        (one(["1", 1]), "must differ, also when written: '1' and 1 look alike"),
        (one(["yes", "yes "]), "'yes' and 'yes ' look alike"),
        (one(["caf\xe9", "cafe\u0301"]), "the levels of 'A' must differ, .* look alike"),
        (one([0, 1])[:-2] + ", " + one([0, 1], "A ")[16:], "'A' and 'A ' look alike"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_files_that_are_no_survey_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Survey.from_json(text)


GROUPS = {"mechanism": "multi-group", "theta": 0.8}
MATRIX = {"mechanism": "matrix", "attributes": ["C"]}
PERSONAL = {"mechanism": "unrelated-question", "q": 0.5, "attributes": ["A"]}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"mechanism": "coin"}, "a mechanism is one of warner, k-rr, .*; got 'coin'"),
        (WARNER | {"p": 1.5}, "p is a probability, from 0 to 1; got 1.5"),
        (WARNER | {"attributes": ["a"]}, "warner names 'a', which is not among A, B, C"),
        (WARNER | {"attributes": {"A"}}, "attributes stand in an order, .*; got a set"),
        (WARNER | {"attributes": ["A", "A"]}, "the attribute 'A' is protected twice"),
        (WARNER | {"attributes": ["C"]}, "warner is for two answers; 'C' has x, y, z"),
        (WARNER | {"groups": [["A"]]}, "the mechanism warner has no groups; it has mechanism, p,"),
        ({"mechanism": "warner", "p": 0.7, "attribute": ["A"]}, "has no attribute; it has"),
        (GROUPS | {"attributes": ["A"], "groups": [["B"]]}, "its attributes or its groups; got"),
        (GROUPS | {"groups": [["A"], []]}, "nothing would be disguised"),
        ({"mechanism": "forced-response", "truth": 0.5, "forced": [0.2, 0.2], "attributes": ["A"]},
         "truth and forced must sum to one; the sum is 0.9"),
        (MATRIX | {"matrix": [[0.7, 0.3], [0.4, 0.6]]}, "column 0 of the matrix .* the sum is 1.1"),
        (MATRIX | {"matrix": np.float32([[0.7, 0.2], [0.3, 0.8]])}, "column 1 .* is 1.00000001"),
        (MATRIX | {"matrix": MORE_OUTPUTS}, "4 rows and 3 columns has an output for each row; got N"),
        (PERSONAL | {"personal": {"B": [1, 0]}}, "personal names 'B', which is not among A"),
    ],
)  # fmt: skip
def test_protections_that_do_not_fit_are_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        Survey(QUESTIONS, [spec])


def test_levels_stand_in_an_order():
    """A set has none: with it, the answers of one survey changed places from run to run."""
    with pytest.raises(ValueError, match="the levels of 'v' stand in an order, .*; got a set"):
        Survey({"v": {"no", "yes"}})
    with pytest.raises(ValueError, match="the levels of 'v' stand in an order, .*; got a set"):
        count(pd.DataFrame({"v": ["no", "yes"]}), {"v": {"no", "yes"}})


def test_levels_in_yaml_are_as_typed():
    """Times, postcodes and thousands were once numbers: 9:30 was 570; yes and no are words."""
    typed = [
        "no",
        "yes",
        "off",
        "y",
        "2020-01-01",
        "9:30",
        "10:15",
        "010",
        "020",
        "1_000",
        "0x1F",
        "0b11",
        "1e3",
        "=",
        "<<",
        "0o17",
    ]
    text = f"attributes: [{{name: A, levels: [{', '.join(typed)}]}}]"
    assert Survey.from_yaml(text).attributes == {"A": tuple(typed)}
    numbers = "[12, -3, 0, 0.70, .5, 1e-05, true, False, null]"
    assert read_yaml(numbers) == [12, -3, 0, 0.7, 0.5, 1e-05, True, False, None]


def test_what_is_frozen_is_frozen():
    """Else the fingerprint would be that of one scheme, and the reports those of another."""
    survey = Survey(QUESTIONS, PROTECTIONS["everything"], questions={"A": "Do you?"})
    before, scheme = survey.to_json(), scheme_of(survey)
    for change in (
        lambda: survey.protection[0].update(attributes=["B"]),
        lambda: survey.protection[0].__setitem__("matrix", []),
        lambda: survey.protection[1]["groups"][0].append("A"),
        lambda: survey.protection[1].pop("q"),
        lambda: survey.attributes.__setitem__("D", (0, 1)),
        lambda: survey.questions.clear(),
    ):
        with pytest.raises((TypeError, AttributeError), match="cannot be changed|no attribute"):
            change()
    assert survey.to_json() == scheme.survey.to_json() == before
    for copy in (pickle.loads(pickle.dumps(survey)), deepcopy(survey)):
        assert copy == survey and copy.fingerprint == survey.fingerprint


@pytest.mark.parametrize(
    "spec",
    [
        {"mechanism": "warner", "p": 0.5, "attributes": ["A"]},
        {"mechanism": "k-rr", "p": 1 / 3, "attributes": ["C"]},
        {"mechanism": "forced-response", "truth": 0.0, "forced": [0.5, 0.5], "attributes": ["A"]},
        {"mechanism": "unrelated-question", "q": 0.0, "attributes": ["A"]},
        {"mechanism": "multi-group", "theta": 0.5, "groups": [["A"]]},
    ],
)
def test_protections_that_cannot_be_undone_bind_no_scheme(spec):
    with pytest.raises(ValueError, match="cannot be undone|nothing can be undone|no information"):
        scheme_of(Survey(QUESTIONS, [spec]))


# -- the mechanism that it binds -----------------------------------------------------------


@pytest.mark.parametrize("name", PROTECTIONS)
def test_a_scheme_is_one_linear_map(name):
    scheme, table = schemes()[name], count(answers(), Survey(QUESTIONS))
    matrix = scheme.matrix(scheme.answers)
    assert matrix.shape == (scheme.reports.size, scheme.answers.size)
    np.testing.assert_allclose(matrix.sum(axis=0), 1, atol=1e-12)
    reports = scheme.apply(table)
    assert reports.domain == scheme.reports
    np.testing.assert_allclose(scheme.undo(reports).values, table.values, atol=1e-9)
    assert scheme.undo(reports).domain == scheme.answers
    for names in (["A"], ["C", "B"], ["B"]):
        part = scheme.undo(reports.marginal(*names))
        np.testing.assert_allclose(part.values, table.marginal(*names).values, atol=1e-9)
    rng = np.random.default_rng(5)
    right = rng.random(scheme.answers.size)
    estimates = scheme.unbiased(
        lambda digits: right[scheme.answers.codes(digits)],
        np.arange(scheme.reports.size),
        scheme.reports,
    )
    np.testing.assert_allclose(estimates @ matrix, right, atol=1e-9)


def test_seventy_questions_are_disguised_without_a_code_of_all():
    names = [f"q{i}" for i in range(70)]
    rng = np.random.default_rng(8)
    true = pd.DataFrame(rng.random((4_000, 70)) < 0.3, columns=names).astype(int)
    groups = [names[i : i + 7] for i in range(0, 70, 7)]
    multi = {"mechanism": "multi-group", "theta": 0.8, "groups": groups}
    unrelated = {"mechanism": "unrelated-question", "q": 0.5, "groups": groups}
    warner = {"mechanism": "warner", "p": 0.8, "attributes": names}
    surveys = [Survey(dict.fromkeys(names, (0, 1)), [s]) for s in (multi, unrelated, warner)]
    light = [MultiGroup(0.8, groups), MultiGroup(0.8), UnrelatedQuestion(0.5)]
    for mechanism in [*map(scheme_of, surveys), *light]:
        sent = mechanism.disguise(true, rng)
        assert sent.shape == true.shape
        found = mechanism.undo(count(sent[["q3", "q69"]])).proportions().dense
        expected = count(true[["q3", "q69"]]).proportions().dense
        # a standard error is at most 0.025, and there are 24 numbers
        np.testing.assert_allclose(found, expected, atol=0.025 * stats.norm.isf(FALSE_ALARM / 24))


# -- what does not match ---------------------------------------------------------------------


def scheme_and_frame():
    return schemes()["everything"], answers(5)


def test_what_is_certain_is_mapped_and_said():
    survey = Survey({"A": YES_NO, "B": [0, 1], "C": ["1", "2"]})
    plain = pd.DataFrame({"A": ["yes", "no"], "B": [0, 1], "C": ["2", "1"]})
    expected = count(plain, survey).dense
    for same in ([False, True], [0.0, 1.0]):
        np.testing.assert_array_equal(count(plain.assign(B=same), survey).dense, expected)
    for change in ({"B": ["0", "1"]}, {"B": ["0.0", "1.0"]}, {"C": [2, 1]}, {"C": [2.0, 1.0]}):
        with pytest.warns(UserWarning, match=f"column '{next(iter(change))}': the value .* taken"):
            found = count(plain.assign(**change), survey)
        np.testing.assert_array_equal(found.dense, expected)
    with pytest.warns(UserWarning, match="another order: they are taken by name"):
        np.testing.assert_array_equal(count(plain[["C", "A", "B"]], survey).dense, expected)
    for change in ({"B": ["00", "1"]}, {"B": ["0 ", "1"]}, {"B": ["no", "yes"]}, {"C": [2, 1.5]}):
        with warnings.catch_warnings(), pytest.raises(ValueError, match="not among its levels"):
            warnings.simplefilter("ignore")
            count(plain.assign(**change), survey)


def test_tables_that_do_not_match_are_refused():
    scheme, frame = scheme_and_frame()
    answered = count(frame, scheme.answers)
    reports = Table(scheme.reports, scheme.apply(answered).values)
    for say in (answered.reported_by, answered.taken_as):
        with pytest.raises(ValueError, match="the reports of the survey are 0, 1, 2, 3, in this"):
            say(scheme)  # not disguised
    with pytest.raises(ValueError, match="the answers of the survey are x, y, z"):
        scheme.apply(reports)  # disguised already, and does not say so
    turned = Table(reports.domain.with_levels({"A": ("yes", "no")}), reports.values)
    with pytest.raises(ValueError, match="levels yes, no of 'A'"):
        turned.reported_by(scheme)
    with pytest.raises(ValueError, match="levels are those of the survey"):
        scheme.disguise(frame, np.random.default_rng(1), levels={"A": YES_NO})
    with pytest.raises(ValueError, match="a scheme is made from a survey"):
        scheme_of({"A": YES_NO})


# -- the light way -------------------------------------------------------------------------


TYPES = ["Int64", "boolean", "float", "object", "int64[pyarrow]", "bool[pyarrow]", "int8", "bool"]


@pytest.mark.parametrize("kind", TYPES)
def test_ones_alone_are_disguised_whatever_their_type(kind):
    """Once 1,000 answers "1" were reported 100 % true. Where the type does not say that the only other
    answer is 0, it has to be declared. False alarms: 1e-7 each."""
    ones, rng = pd.DataFrame({"A": np.ones(1_000, dtype=int)}), np.random.default_rng(3)
    frame, scheme = ones.astype(kind), UnrelatedQuestion(0.5)
    if not kind.startswith("bool"):
        with pytest.raises(ValueError, match="declare its levels"):
            scheme.disguise(frame, rng)
    sent = scheme.disguise(frame, rng, None if kind.startswith("bool") else {"A": (0, 1)})
    assert sent.dtypes.iloc[0] == frame.dtypes.iloc[0]
    changed = (sent["A"].astype(int) != 1).sum()
    assert stats.binomtest(int(changed), 1_000, 0.25).pvalue > FALSE_ALARM


def test_a_column_with_one_value_is_refused_or_declared():
    """Once 0 of 1,000 answers were changed when they came one by one. False alarms: 1e-7."""
    frame, rng = pd.DataFrame({"A": ["yes"]}), np.random.default_rng(3)
    for one in (frame, frame.astype("category"), frame.assign(A=7)):
        with pytest.raises(ValueError, match="column 'A' has the value.*declare its levels"):
            UnrelatedQuestion(0.5).disguise(one, rng)
    levels = {"A": YES_NO}
    sent = [UnrelatedQuestion(0.5).disguise(frame, rng, levels)["A"][0] for _ in range(1_000)]
    assert stats.binomtest(sent.count("no"), 1_000, 0.25).pvalue > FALSE_ALARM
    open_ = frame.assign(B=[1])
    sent = MultiGroup(0.0, [["B"]]).disguise(open_, rng, {"B": (0, 1)})  # of A nothing need be said
    assert sent.values.tolist() == [["yes", 0]]


@pytest.mark.parametrize(
    ("scheme", "lost", "stray"),
    [
        (MultiGroup(0.7, [["A", "c"]]), "c", "C"),
        (RRMatrix({"c": [[0.7, 0.3], [0.3, 0.7]]}), "c", "A, C"),
        (UnrelatedQuestion(0.7, {"c": [0.3, 0.7]}), "c", "A, C"),
    ],
    ids=str,
)
def test_undo_is_not_skipped_where_names_do_not_match(scheme, lost, stray):
    table = count(pd.DataFrame({"A": [0, 1, 1], "C": [0, 1, 1]}))
    for doing in (table.reported_by, table.taken_as):
        with pytest.raises(ValueError, match=f"names {lost}, .* does not name {stray}, which"):
            doing(scheme)
    for doing in (scheme.apply, scheme.guess_record):
        with pytest.raises(ValueError, match=f"names {lost}, .* does not name {stray}, which"):
            doing(table)
    rng = np.random.default_rng(1)
    for doing in (
        lambda: scheme.disguise_table(table, rng),
        lambda: scheme.disguise(pd.DataFrame({"A": [0], "C": [1]}), rng),
    ):
        with pytest.raises(ValueError, match=f"unknown attributes: {lost}"):
            doing()


def test_labels_of_a_matrix_have_to_be_the_levels():
    labelled = RRMatrix({"A": [[0.9, 0.2], [0.1, 0.8]]}, inputs={"A": ["yes", "no"]})
    with pytest.raises(
        ValueError, match="inputs of the matrix for 'A' are yes, no; .* have no, yes"
    ):
        labelled.apply(count(pd.DataFrame({"A": YES_NO})))
    with pytest.raises(ValueError, match="outputs name B; there are matrices for A"):
        RRMatrix({"A": np.eye(2)}, outputs={"B": YES_NO})
    with pytest.raises(ValueError, match="2 inputs; the prior has 3 probabilities"):
        RRMatrix(np.eye(2), prior=[0.2, 0.3, 0.5])
    joint = Table(Domain(("A",), (("yes", "no"),)), [9, 1])
    with pytest.raises(ValueError, match="different levels"):
        UnrelatedQuestion(0.5, joint).apply(count(pd.DataFrame({"A": YES_NO})))


@pytest.mark.parametrize("rng", [42, None, np.random, np.random.RandomState(1)])
def test_chance_is_a_generator(rng):
    frame = pd.DataFrame({"A": [0, 1]})
    for scheme in (MultiGroup(0.8), UnrelatedQuestion(0.8), RRMatrix.warner(2, 0.8)):
        for doing in (
            lambda s: s.disguise(frame, rng),
            lambda s: s.disguise_table(count(frame), rng),
        ):
            with pytest.raises(
                ValueError, match=r"chance.system\(\) for the answers of real people.*default_rng"
            ):
                doing(scheme)


def test_a_column_called_count_stays():
    table = count(pd.DataFrame({"count": [0, 1, 1]}))
    with pytest.raises(ValueError, match="an attribute is called 'count'.*value='counts'"):
        table.to_frame()
    frame = table.to_frame(value="counts")
    assert Table.from_frame(frame, "counts").dense.tolist() == [1, 2]


def test_a_report_that_the_column_s_type_cannot_hold_is_not_cut_down():
    survey = Survey({"A": [0, 0.5]}, [{"mechanism": "warner", "p": 0.0, "attributes": ["A"]}])
    scheme = scheme_of(survey)
    for kind in ("int64", "Int64", "bool"):
        asked = pd.DataFrame({"A": pd.Series([0, 0], dtype=kind)})
        assert scheme.disguise(asked, np.random.default_rng(1))["A"].tolist() == [0.5, 0.5]


def test_plain_data_is_handed_out_as_a_copy():
    survey = Survey({"A": [0, 1]}, [{"mechanism": "warner", "p": 0.7, "attributes": ["A"]}])
    before = survey.to_json()
    survey.to_plain()["protection"][0]["attributes"].append("B")
    assert survey.to_json() == before


# -- devices -------------------------------------------------------------------------------


DEVICES = {
    "warner": ({"p": 0.8}, [[0.8, 0.2], [0.2, 0.8]]),
    "k-rr": ({"p": 0.7}, [[0.7, 0.3], [0.3, 0.7]]),
    "forced-response": ({"truth": 0.5, "forced": [0.2, 0.3]}, [[0.7, 0.2], [0.3, 0.8]]),
    "triangular": ({"p": 0.25}, [[0.75, 0.0], [0.25, 1.0]]),
    "crosswise": ({"p": 0.3}, [[0.3, 0.7], [0.7, 0.3]]),
    "extended-crosswise": ({"p": 0.3}, [[0.15, 0.35], [0.35, 0.15], [0.35, 0.15], [0.15, 0.35]]),
    "cheating-detection": ({"halves": [0.2, 0.6]}, [[0.4, 0], [0.1, 0.5], [0.2, 0], [0.3, 0.5]]),
    "matrix": ({"matrix": [[0.9, 0.3], [0.1, 0.7]]}, [[0.9, 0.3], [0.1, 0.7]]),
    "unrelated-question": ({"q": 0.5, "personal": {"A": [0.9, 0.1]}}, [[0.95, 0.45], [0.05, 0.55]]),
    "multi-group": ({"theta": 0.8}, [[0.8, 0.2], [0.2, 0.8]]),
}


@pytest.mark.parametrize("name", DEVICES)
def test_a_device_is_its_formula_and_the_rest_follows(name):
    """The matrix by hand; undoing, ε and the best guess from it; the same scheme from its file."""
    keys, M = DEVICES[name]
    M = np.array(M)
    survey = Survey({"A": ["no", "yes"]}, [{"mechanism": name, **keys, "attributes": ["A"]}])
    scheme = scheme_of(Survey.from_json(survey.to_json()))
    assert scheme.matrix(survey.domain) == pytest.approx(M)
    people = Table(survey.domain, [700, 300])
    assert scheme.undo(scheme.apply(people)).values == pytest.approx(people.values)
    with np.errstate(divide="ignore"):
        assert scheme.epsilon("A") == pytest.approx(np.log(M.max(axis=1) / M.min(axis=1)).max())
    right = (M * [0.7, 0.3]).max(axis=1).sum()
    assert scheme.guess_answer(people, "A") == pytest.approx(right)
    generic = RRMatrix({"A": M}, {"A": scheme.reports.levels[0]}, {"A": ["no", "yes"]})
    assert scheme.on(survey.domain).kind == generic.on(survey.domain).kind
