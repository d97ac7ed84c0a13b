"""The binary coding, counted again from the frames with plain Python."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm import data
from ppdm.data import binary


@pytest.fixture(scope="module")
def adult():
    return data.load("adult", "stored")


@pytest.fixture(scope="module")
def voting():
    return data.load("congressional-voting", "stored")


@pytest.fixture(scope="module")
def cancer():
    return data.load("breast-cancer-wisconsin", "stored")


def rule_of(record, column):
    return record.set_index("column").loc[column, "rule"]


def small(**columns):
    """A data set of our own: the given columns and a class."""
    frame = pd.DataFrame(columns)
    frame["class"] = pd.Categorical((["no", "yes"] * len(frame))[: len(frame)], ["no", "yes"])
    template = data.load("pima", "stored")
    return replace(template, name="small", frame=frame, target="class", id=None)


def test_adult_by_default(adult):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing may be constant
        bits, record = data.binarize(adult)
    assert bits.shape == (48_842, 15) and list(bits)[-1] == "income"
    assert set(np.unique(bits)) == {0, 1} and (bits.dtypes == "int64").all()
    assert not record["constant"].any()
    frame = adult.frame
    assert bits["age"].tolist() == [int(age > 37) for age in frame["age"]]
    assert bits["capital-gain"].sum() == sum(gain > 0 for gain in frame["capital-gain"])
    assert bits["workclass"].tolist() == [int(work == "Private") for work in frame["workclass"]]
    assert bits["sex"].tolist() == [int(sex == "Male") for sex in frame["sex"]]
    assert bits["income"].sum() == 11_687
    assert record.set_index("column").loc["fnlwgt", "threshold"] == np.median(frame["fnlwgt"])
    assert record["ones"].tolist() == pytest.approx(bits.mean().tolist())


def test_the_middle_of_the_range_is_another_reading(adult):
    bits, record = data.binarize(adult, split="midrange")
    assert rule_of(record, "capital-gain") == "> 49999.5"
    assert bits["capital-gain"].mean() < 0.01 and bits["fnlwgt"].mean() < 0.01
    assert rule_of(record, "hours-per-week") == "> 50"


@pytest.mark.parametrize(("ties", "sign"), [("low", ">"), ("high", ">=")])
def test_a_value_on_the_median_goes_where_it_is_sent(adult, ties, sign):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bits, record = data.binarize(adult.first(500), ties=ties)
    hours = adult.frame["hours-per-week"].iloc[:500]
    median = float(np.median(hours))
    assert (hours == median).any()
    assert rule_of(record, "hours-per-week") == f"{sign} {median:g}"
    assert (
        bits["hours-per-week"].sum() == ((hours > median) if sign == ">" else hours >= median).sum()
    )


def test_at_least_the_median_makes_columns_constant_and_says_so(adult):
    with pytest.warns(UserWarning, match="constant after the coding: capital-gain, capital-loss"):
        _, record = data.binarize(adult, ties="high")
    assert record.loc[record["constant"], "column"].tolist() == ["capital-gain", "capital-loss"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=30))
def test_even_ties_leave_no_column_constant_that_was_not(values):
    bits, sign, point = binary._split(np.array(values, dtype=float), "median", "even")
    assert (len(set(values)) == 1) or 0 < bits.sum() < len(values)
    other = [v > point if sign == ">=" else v >= point for v in values]
    assert abs(bits.mean() - 0.5) <= abs(np.mean(other) - 0.5)


@pytest.mark.parametrize("nominal", ["documented", "alphabetical", "appearance"])
def test_numbered_values_are_split_like_numbers(adult, nominal):
    values = adult.frame["marital-status"]
    order = {
        "documented": list(values.cat.categories),
        "alphabetical": sorted(set(values)),
        "appearance": list(dict.fromkeys(values)),
    }[nominal]
    numbers = [order.index(value) for value in values]
    median = np.median(numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bits, record = data.binarize(adult, nominal=nominal)
    assert bits["marital-status"].tolist() == [int(n > median) for n in numbers]
    high = [value for value in order if order.index(value) > median]
    assert rule_of(record, "marital-status") == "is " + " or ".join(high)


def test_the_alphabet_makes_race_constant_at_the_median(adult):
    with pytest.warns(UserWarning, match="race"):
        data.binarize(adult, nominal="alphabetical")


def test_voting_and_what_a_missing_vote_may_become(voting):
    votes = voting.frame["handicapped-infants"]
    yeas, nays, neither = (votes == "y").sum(), (votes == "n").sum(), votes.isna().sum()

    bits, record = data.binarize(voting)
    assert list(bits)[-1] == "class" and bits["class"].sum() == 168
    assert bits["handicapped-infants"].sum() == yeas
    assert record.set_index("column").loc["handicapped-infants", "missing"] == neither

    bits, _ = data.binarize(voting, missing="majority")
    assert nays > yeas and bits["handicapped-infants"].sum() == yeas
    budget = voting.frame["adoption-of-the-budget-resolution"]
    assert bits["adoption-of-the-budget-resolution"].sum() == 435 - (budget == "n").sum()

    bits, _ = data.binarize(voting, missing="drop")
    assert len(bits) == 435 - 203 and set(np.unique(bits)) == {0, 1}

    bits, _ = data.binarize(voting, missing="third")
    assert bits["handicapped-infants"].value_counts().to_dict() == {0: nays, 1: yeas, 2: neither}
    assert set(bits["class"]) == {0, 1}


def test_dropped_rows_of_adult_are_the_incomplete_ones(adult):
    bits, record = data.binarize(adult, missing="drop")
    assert len(bits) == 48_842 - 3_620 and record["missing"].sum() == 0


def test_breast_cancer_with_and_without_its_id(cancer):
    bits, _ = data.binarize(cancer)
    assert bits.shape == (699, 10) and "sample-code-number" not in bits
    with_id, record = data.binarize(cancer, include_id=True)
    assert with_id.shape == (699, 11) and record["role"].tolist()[0] == "id"
    pd.testing.assert_frame_equal(with_id.drop(columns="sample-code-number"), bits)
    nuclei = cancer.frame["bare-nuclei"]
    assert bits["bare-nuclei"].sum() == (nuclei > nuclei.median()).sum()


def test_the_record_is_enough_to_code_the_data_again(adult, cancer):
    for dataset, split, ties in itertools.product(
        [adult, cancer], ["median", "midrange"], ["low", "high"]
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bits, record = data.binarize(dataset, split, ties=ties)
        for row in record.itertuples():
            values = dataset.frame[row.column]
            if row.kind == "number":
                point = float(row.rule.split()[1])
                again = values >= point if row.rule.startswith(">=") else values > point
            else:
                again = values.astype(str) == row.rule.removeprefix("is ")
            assert (again.astype(int) == bits[row.column]).all(), row.column


def test_a_column_of_one_value_is_reported():
    with pytest.warns(UserWarning, match="small: constant after the coding: stuck"):
        bits, record = data.binarize(small(stuck=[4, 4, 4, 4], free=[1, 2, 3, 4]))
    assert bits["stuck"].tolist() == [0, 0, 0, 0] and bits["free"].tolist() == [0, 0, 1, 1]
    assert record["constant"].tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "mean"}, "split must be one of median, midrange, not 'mean'"),
        ({"ties": "up"}, "ties must be one of low, high, even"),
        ({"nominal": "hash"}, "nominal must be one of frequent, documented"),
        ({"missing": "mean"}, "missing must be one of zero, majority, drop, third"),
        ({"include_id": True}, "congressional-voting has no id column"),
    ],
)
def test_wrong_options_are_named(voting, options, message):
    with pytest.raises(ValueError, match=message):
        data.binarize(voting, **options)


def test_nothing_left_after_dropping_is_an_error():
    with pytest.raises(ValueError, match="leaves no record of small"):
        data.binarize(small(a=[np.nan, np.nan]), missing="drop")
