"""The numbers of a datasheet, counted from the data."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from .binary import binarize
from .catalog import CATALOG
from .dataset import Dataset


def overview(dataset: Dataset) -> pd.Series:
    """What a reader wants to know of a data set at a glance.

    >>> from ppdm import data
    >>> sheet = overview(data.load("congressional-voting"))
    >>> int(sheet["records"]), int(sheet["missing cells"])
    (435, 392)
    """
    frame = dataset.frame
    attributes = frame[dataset.features]
    nominal = sum(isinstance(kind, pd.CategoricalDtype) for kind in attributes.dtypes)
    classes = frame[dataset.target].value_counts()
    return pd.Series(
        {
            "records": len(frame),
            "attributes": len(dataset.features),
            "numeric": len(dataset.features) - nominal,
            "nominal": nominal,
            "missing cells": int(attributes.isna().to_numpy().sum()),
            "records with a missing value": int(attributes.isna().any(axis=1).sum()),
            "repeated records": int(attributes.join(frame[dataset.target]).duplicated().sum()),
            "classes": ", ".join(f"{label}: {count:,}" for label, count in classes.items()),
            "share of the larger class": float(classes.max() / classes.sum()),
        },
        name=dataset.name,
        dtype=object,
    )


def columns(dataset: Dataset) -> pd.DataFrame:
    """One row a column: kind, missing and distinct values, range and median or commonest value.

    >>> from ppdm import data
    >>> float(columns(data.load("pima")).loc["age", "median"])
    29.0
    """
    meaning = {column.name: column.means for column in CATALOG[dataset.name].columns}
    rows = {}
    for column, values in dataset.frame.items():
        row = {"missing": int(values.isna().sum()), "distinct": int(values.nunique())}
        if isinstance(values.dtype, pd.CategoricalDtype):
            shares = values.value_counts(normalize=True, dropna=False)
            row |= {"kind": "nominal", "commonest": shares.index[0], "its share": shares.iloc[0]}
        else:
            row |= {"kind": "number", "min": values.min(), "median": values.median()}
            row |= {"middle of range": (values.min() + values.max()) / 2, "max": values.max()}
        rows[column] = row | {"meaning": meaning[column]}
    order = ["kind", "missing", "distinct", "min", "median", "middle of range", "max"]
    order += ["commonest", "its share", "meaning"]
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table[[name for name in order if name in table]]


def ones(dataset: Dataset, codings: dict[str, dict]) -> pd.DataFrame:
    """The share of ones of every column under several codings, one column a coding.

    `codings` maps a label to the options of `binarize`. A column that the coding makes constant
    shows as exactly 0 or 1.

    >>> from ppdm import data
    >>> table = ones(data.load("pima"), {"median": {}, "midrange": {"split": "midrange"}})
    >>> bool(table.loc["serum-insulin", "midrange"] < table.loc["serum-insulin", "median"])
    True
    """
    shares = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant columns are what the table is there to show
        for label, options in codings.items():
            _, record = binarize(dataset, **options)
            shares[label] = record.set_index("column")["ones"]
    return pd.DataFrame(shares)


def information(bits: pd.DataFrame, target: str) -> pd.Series:
    """Bits of information that each coded attribute carries about the class, alone.

    >>> frame = pd.DataFrame({"same": [0, 1], "none": [1, 1], "class": [0, 1]})
    >>> information(frame, "class").tolist()
    [1.0, 0.0]
    """

    def entropy(*keys) -> float:
        shares = bits.groupby(list(keys)).size().to_numpy() / len(bits)
        return float(-(shares * np.log2(shares)).sum())

    whole = entropy(target)
    gains = {
        column: max(0.0, whole + entropy(column) - entropy(column, target))
        for column in bits
        if column != target
    }
    return pd.Series(gains)
