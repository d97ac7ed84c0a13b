"""Shares with intervals from reports and a scheme."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm.cli import main
from ppdm.contract import Survey
from ppdm.disguise.scheme import scheme_of
from ppdm.estimate import difference, estimate
from ppdm.survey.relate import power, regression, two_samples

FORCED = {"mechanism": "forced-response", "truth": 2 / 3, "forced": [1 / 6, 1 / 6]}
WARNER = {"mechanism": "warner", "p": 0.7}


def reports(yes: int, of: int) -> pd.DataFrame:
    return pd.DataFrame({"A": ["yes"] * yes + ["no"] * (of - yes)})


@pytest.fixture(scope="module")
def survey():
    return Survey(
        {"A": ["no", "yes"], "B": ["x", "y", "z"], "age": ["young", "old"]},
        [
            {**WARNER, "attributes": ["A"]},
            {"mechanism": "k-rr", "p": 0.6, "attributes": ["B"]},
        ],
    )


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    n = 4_000
    frame = pd.DataFrame({"A": rng.choice(["no", "yes"], n, p=[0.7, 0.3])})
    frame["B"] = np.where(frame["A"] == "yes", rng.choice(["x", "y"], n), rng.choice(["y", "z"], n))
    frame["age"] = rng.choice(["young", "old"], n)
    return frame


@pytest.mark.parametrize("by", [None, "age", "A"])
def test_intervals_hold_what_they_promise(people, survey, by):
    """z-scores over 60 surveys have mean 0 and standard deviation 1: four standard errors each
    (0.52 and 0.37), for at most 10 rows: a false alarm in some 800 seeds."""
    truth = estimate(people, Survey(survey.attributes), by=by)["share"].to_numpy()
    scheme, rng, scores = scheme_of(survey), np.random.default_rng(2), []
    for _ in range(60):
        # respondents are drawn anew, since the standard error counts them as a sample
        sample = people.sample(1_500, replace=True, random_state=rng)
        found = estimate(scheme.disguise(sample, rng), survey, by=by)
        scores.append((found["share"] - truth) / found["se"])
    scores = np.array(scores)
    assert np.abs(scores.mean(axis=0)).max() < 0.52
    assert np.abs(scores.std(axis=0) - 1).max() < 0.37


@pytest.mark.parametrize("by", [None, "age", pytest.param("A", marks=pytest.mark.slow)])
def test_the_likeliest_shares_are_the_inverted_ones_where_these_are_shares(people, survey, by):
    """Inside the simplex both are the same; the resampled errors have a spread of 1/sqrt(2 * 1,000)
    = 2 % of their own, and five times that is allowed, for at most 10 rows."""
    sent = scheme_of(survey).disguise(pd.concat([people] * 20), np.random.default_rng(3))
    plain = estimate(sent, survey, by=by)
    likely = estimate(sent, survey, by=by, method="em", rng=np.random.default_rng(4))
    inside = (plain["low"] > 0).to_numpy() & (
        (by != "A") | (plain.groupby("question")["low"].transform("min") > 0)
    )
    assert inside.any()
    np.testing.assert_allclose(likely["share"][inside], plain["share"][inside], atol=1e-6)
    np.testing.assert_allclose(likely["se"][inside], plain["se"][inside], rtol=0.12)
    assert likely["share"].between(0, 1).all()


def test_what_does_not_fit_is_refused(people, survey, tmp_path):
    for records, by, message in (
        (people.drop(columns="B"), None, "the reports lack B; asked is A, B, age"),
        (people.assign(A="maybe"), None, "has the value 'maybe' .*not among its levels no, yes"),
        (people, "region", "no column 'region' to group by; there are A, B, age"),
    ):
        with pytest.raises(ValueError, match=message):
            estimate(records, survey, by=by)
    with pytest.raises(ValueError, match="'A' is the only question"):
        estimate(reports(1, 2), Survey({"A": ["no", "yes"]}), by="A")
    with pytest.raises(ValueError, match="method is one of inversion, em; got 'magic'"):
        estimate(people, survey, method="magic")
    with pytest.raises(ValueError, match="rng is a numpy.random.Generator"):
        estimate(people, survey, method="em")
    for alpha in (95, 0.95, 0, 1.0, np.nan, "5 %", True):
        for function in (
            partial(estimate, people, survey),
            partial(difference, people, survey, "A", "B"),
            partial(regression, people, survey, "A", ["age"]),
            partial(power, survey, "A", 0.05),
        ):
            with pytest.raises(ValueError, match="alpha is the chance that an interval misses"):
                function(alpha=alpha)


def test_the_command_prints_and_writes(people, survey, tmp_path, capsys, monkeypatch):
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    survey.save("scheme.json")
    people.to_csv("reports.csv", index=False)
    assert main(["estimate", "reports.csv", "--scheme", "scheme.json", "--by", "age"]) == 0
    assert "95 % interval" in capsys.readouterr().out
    written = pd.read_csv("shares.csv")
    pd.testing.assert_frame_equal(
        written, estimate(people, survey, by="age"), check_exact=False, check_dtype=False
    )
    scheme = json.loads(survey.to_json())
    (tmp_path / "scheme.json").write_text(json.dumps(scheme | {"version": 2}))
    assert main(["estimate", "reports.csv", "--scheme", "scheme.json"]) == 1
    assert "the version of a survey is 1 for this program; got 2" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["question", "answer", "reports", "share", "se", "low"])
def test_groups_are_not_overwritten_by_the_result(name):
    """Once the column of the groups held the shares, or what else had its name."""
    survey = Survey({"A": ["no", "yes"], name: ["u", "v"]}, [{**WARNER, "attributes": ["A"]}])
    frame = pd.DataFrame({"A": ["no", "yes"] * 9, name: ["u", "v", "v"] * 6})
    with pytest.raises(ValueError, match=f"has a column '{name}' of its own"):
        estimate(frame, survey, by=name)
    with pytest.raises(ValueError, match=f"has a column '{name}' of its own"):
        estimate(frame, survey, ["A", name])
    assert set(estimate(frame, survey)["question"]) == {"A", name}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("age", "Old", "'age' has the report 'Old', which is none of young, old"),
        ("age", None, "'age' has the report (nan|None), which is none of young, old"),
        ("times", 7, "'times' has the report 7.0, which is none of 0.0, 1.0, 2.0"),
        ("times", np.nan, "'times' has the report nan, which is none of"),
    ],
)
def test_a_regression_refuses_what_is_no_level(name, value, message):
    """Once a missing or misspelt word counted as the first level: half of them flattened the slope."""
    survey = Survey(
        {"A": ["no", "yes"], "age": ["young", "old"], "times": [0, 1, 2]},
        [{**WARNER, "attributes": ["A"]}],
    )
    frame = pd.DataFrame({"A": ["no", "yes"] * 30, "age": ["young", "old", "old"] * 20})
    frame["times"] = np.arange(60.0) % 3
    regression(frame, survey, "A", [name])
    frame.loc[7, name] = value
    with pytest.raises(ValueError, match=message):
        regression(frame, survey, "A", [name])


def test_too_few_reports_are_refused(survey, people, tmp_path, capsys, monkeypatch):
    none = people.iloc[:0]
    with pytest.raises(ValueError, match="there are no reports"):
        regression(none, survey, "A", ["age"])
    with pytest.raises(ValueError, match="needs two reports at least; there are 0"):
        difference(none, survey, "A", "age")
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    survey.save("scheme.json")
    none.to_csv("reports.csv", index=False)
    assert main(["estimate", "reports.csv", "--scheme", "scheme.json"]) == 1
    assert "reports.csv has no reports, only a header" in capsys.readouterr().err
    none.assign(G="x").to_csv("reports.csv", index=False)
    for more in ([], ["--method", "em"]):
        words = ["estimate", "reports.csv", "--scheme", "scheme.json", "--by", "G", *more]
        assert main(words) == 1
        assert "there are no reports, and so no groups by 'G'" in capsys.readouterr().err


def test_numbers_that_nobody_can_mean_are_refused(survey):
    for half_width in (0, -0.05, 5, np.nan):
        with pytest.raises(ValueError, match="half of an interval's width lies between 0 and 1"):
            power(survey, "A", half_width)
    for yes, asked in (((260, 170), (0, 500)), ((260, 501), (500, 500)), ((-1, 0), (9, 9))):
        with pytest.raises(ValueError, match="cannot have .* who say yes"):
            two_samples((0.8, 0.3), yes, asked)


def test_a_regression_says_yes_of_separated_groups():
    """Its coefficient was 19.8 ± 3,189, without a word. Where they are not, it stays as it is."""
    levels = {"A": ["no", "yes"], "age": ["young", "old"]}
    survey = Survey(levels, [{**WARNER, "attributes": ["A"]}])
    with pytest.raises(ValueError, match="the covariates separate the answers"):
        regression(pd.DataFrame(levels).loc[[0, 1] * 100], survey, "A", ["age"])
    for no in (50, 60, 65):
        frame = pd.DataFrame({"A": ["no"] * no + ["yes"] * (100 - no), "age": levels["age"] * 50})
        assert np.isfinite(regression(frame, survey, "A", ["age"]).table["se"]).all()


# -- against another program --------------------------------------------------------------------

RECORDED = Path(__file__).parent / "regression"
FIELDED = Survey(
    {"warner": ["no", "yes"], "forced": ["no", "yes"], "unrelated": ["no", "yes"],
     "age": [20, 30, 40, 50], "sex": ["f", "m"], "region": ["north", "south", "west"]},
    [
        {"mechanism": "warner", "p": 0.75, "attributes": ["warner"]},
        {**FORCED, "attributes": ["forced"]},
        {"mechanism": "unrelated-question", "q": 0.7, "personal": {"unrelated": [0.7, 0.3]},
         "attributes": ["unrelated"]},
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "covariates"),
    [("warner", ["age", "sex"]), ("forced", ["age", "region"]), ("unrelated", ["sex"])],
)
def test_regressions_are_those_of_r(answer, covariates):
    """1,500 respondents drawn and disguised by R; R's `optim` maximised the likelihoods that
    `regression/likelihood.R` writes out (R 4.2.2). All of its digits to six."""
    found = regression(pd.read_csv(RECORDED / "reports.csv"), FIELDED, answer, covariates)
    maxima = pd.read_csv(RECORDED / "maxima.csv")
    theirs = maxima[maxima["answer"] == answer]
    assert len(found.table) == len(theirs)
    for column in ("coefficient", "se"):
        np.testing.assert_allclose(found.table[column], theirs[column], rtol=1e-6)
    assert found.log_likelihood == pytest.approx(theirs["log_likelihood"].iloc[0], rel=1e-8)
