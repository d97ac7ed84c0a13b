"""The binary coding, read once more in plain Python."""

import itertools
import statistics
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ppdm import data
from ppdm.data import binary


def plain_cut(numbers, split, ties):
    """The rule that gives a 1, and who gets one."""
    known = [n for n in numbers if n is not None]
    point = statistics.median(known) if split == "median" else (min(known) + max(known)) / 2
    ones = {sign: [n is not None and (n > point or (sign == ">=" and n == point)) for n in numbers]
            for sign in (">", ">=")}  # fmt: skip
    off = {sign: abs(sum(bits) / len(known) - 0.5) for sign, bits in ones.items()}
    sign = {"low": ">", "high": ">=", "even": min(off, key=off.get)}[ties]
    return f"{sign} {point:.10g}", ones[sign]


def plain_coding(column, split, ties, nominal, missing):
    values = [None if pd.isna(value) else value for value in column]
    known = [value for value in values if value is not None]
    levels = list(column.cat.categories) if column.dtype == "category" else None
    if levels and (len(levels) == 2 or nominal == "frequent"):
        one = levels[1] if len(levels) == 2 else max(levels, key=known.count)
        rule, ones = f"is {one}", [value == one for value in values]
    elif levels:
        seen = list(dict.fromkeys(known))
        order = {"documented": [v for v in levels if v in seen], "appearance": seen,
                 "alphabetical": sorted(seen, key=str)}[nominal]  # fmt: skip
        places = [None if value is None else order.index(value) for value in values]
        _, ones = plain_cut(places, split, ties)
        high = {value for value, one in zip(values, ones) if one}
        rule = "is " + " or ".join(str(value) for value in order if value in high)
    else:
        rule, ones = plain_cut(values, split, ties)
    share = sum(ones) / len(known)
    other = {"zero": 0, "majority": int(share > 0.5), "drop": 0, "third": 2}[missing]
    return rule, [other if value is None else int(one) for value, one in zip(values, ones)]


@pytest.mark.parametrize("name", ["adult", "breast-cancer-wisconsin", "congressional-voting"])
def test_every_option_is_what_it_says(name):
    dataset = data.load(name)
    dataset = dataset.first(150)
    for options in itertools.product(*binary.OPTIONS.values()):
        split, ties, nominal, missing = options
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bits, record = data.binarize(
                dataset, split, ties=ties, nominal=nominal, missing=missing
            )
        frame = dataset.frame.dropna() if missing == "drop" else dataset.frame
        assert list(bits) == [*dataset.features, dataset.target] == list(record["column"])
        for row in record.itertuples():
            rule, expected = plain_coding(frame[row.column], *options)
            assert bits[row.column].tolist() == expected, (options, row.column)
            assert row.rule == rule and row.ones == expected.count(1) / len(expected)
            assert row.constant == (len(set(expected)) == 1)
            assert row.missing == frame[row.column].isna().sum()


def test_columns_that_become_constant_are_said():
    adult = data.load("adult")
    with pytest.warns(UserWarning, match="constant after the coding: capital-gain, capital-loss"):
        _, record = data.binarize(adult, ties="high")
    assert record.loc[record["constant"], "column"].tolist() == ["capital-gain", "capital-loss"]
    with pytest.warns(UserWarning, match="race"):
        data.binarize(adult, nominal="alphabetical")


def test_breast_cancer_with_and_without_its_id():
    cancer = data.load("breast-cancer-wisconsin")
    bits, _ = data.binarize(cancer)
    with_id, record = data.binarize(cancer, include_id=True)
    assert with_id.shape == (699, 11) and record["role"].tolist()[0] == "id"
    pd.testing.assert_frame_equal(with_id.drop(columns=cancer.id), bits)


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
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        data.binarize(data.load("congressional-voting"), **options)


def test_what_cannot_be_coded_is_refused():
    pima = data.load("pima")
    nothing = replace(pima, frame=pima.frame.assign(age=np.nan))
    with pytest.raises(ValueError, match="leaves no record of pima"):
        data.binarize(nothing, missing="drop")
    with pytest.raises(ValueError, match="the class 'class' must have two values"):
        classes = pima.frame["class"].cat.add_categories([2])
        data.binarize(replace(pima, frame=pima.frame.assign(**{"class": classes})))
