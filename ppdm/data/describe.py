"""The numbers of a datasheet, counted from the data."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd

from ppdm.coins import Picture

from .binary import binarize
from .catalog import CATALOG
from .dataset import Dataset

# Pima's measurements that no living person has at zero.
IMPOSSIBLE_ZEROS = [
    "plasma-glucose",
    "blood-pressure",
    "skin-thickness",
    "serum-insulin",
    "body-mass-index",
]


def numeric(dataset: Dataset) -> list[str]:
    """The attributes that are numbers.

    >>> from ppdm import data
    >>> numeric(data.load("congressional-voting"))
    []
    """
    return [*dataset.frame[dataset.features].select_dtypes("number")]


def overview(dataset: Dataset) -> pd.Series:
    """What a reader wants to know of a data set at a glance.

    >>> from ppdm import data
    >>> sheet = overview(data.load("congressional-voting"))
    >>> int(sheet["records"]), int(sheet["missing cells"])
    (435, 392)
    """
    frame = dataset.frame
    attributes = frame[dataset.features]
    numbers = len(numeric(dataset))
    classes = frame[dataset.target].value_counts()
    sheet = pd.Series(
        {
            "records": len(frame),
            "attributes": len(dataset.features),
            "numeric": numbers,
            "nominal": len(dataset.features) - numbers,
            "missing cells": int(attributes.isna().to_numpy().sum()),
            "records with a missing value": int(attributes.isna().any(axis=1).sum()),
            "repeated records": int(attributes.join(frame[dataset.target]).duplicated().sum()),
            "classes": ", ".join(f"{label}: {count:,}" for label, count in classes.items()),
            "share of the larger class": float(classes.max() / classes.sum()),
        },
        name=dataset.name,
        dtype=object,
    )
    return sheet.rename_axis("count")


def columns(dataset: Dataset) -> pd.DataFrame:
    """One row a column: missing and distinct values, range and median or the commonest value.

    >>> from ppdm import data
    >>> float(columns(data.load("pima")).loc["age", "median"])
    29.0
    """
    frame = dataset.frame
    table = pd.DataFrame({"missing": frame.isna().sum(), "distinct": frame.nunique()})
    numbers = frame.select_dtypes("number").agg(["min", "median", "max"]).T
    table[["smallest", "median", "largest"]] = numbers
    for column, words in frame.select_dtypes("category").items():
        shares = words.value_counts(normalize=True, dropna=False)
        table.loc[column, "commonest"] = f"{shares.index[0]} ({shares.iloc[0]:.0%})"
    table["meaning"] = [column.means for column in CATALOG[dataset.name].columns]
    return table.dropna(axis=1, how="all").rename_axis("column")


def sources(datasets: list[Dataset]) -> pd.DataFrame:
    """How to cite each data set, its licence, and what its reader should know.

    >>> from ppdm import data
    >>> sources([data.load("pima")])["licence"].item()
    'no explicit grant by its owner was found'
    """
    origins = [dataset.provenance for dataset in datasets]
    return pd.DataFrame(
        {
            "data set": [origin.name for origin in origins],
            "cite": [origin.citation for origin in origins],
            "licence": [origin.licence for origin in origins],
            "note": [origin.note for origin in origins],
        }
    )


def ones(dataset: Dataset, codings: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """The share of ones of every column under several codings, one column a coding.

    `codings` maps a label to the options of `binarize`. A column that the coding makes constant
    shows as exactly 0 or 1.

    >>> from ppdm import data
    >>> table = ones(data.load("pima"), {"median": {}, "midrange": {"split": "midrange"}})
    >>> bool(table.loc["serum-insulin", "midrange"] < table.loc["serum-insulin", "median"])
    True
    """
    shares = {label: _coded(dataset, option)[1] for label, option in codings.items()}
    return pd.DataFrame({label: r.set_index("column")["ones"] for label, r in shares.items()})


def _coded(dataset: Dataset, options: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """`binarize` without its warning: constant columns are what these tables are there to show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return binarize(dataset, **options)


def information(bits: pd.DataFrame, target: str) -> pd.Series:
    """Bits of information that each coded attribute carries about the class, alone.

    >>> frame = pd.DataFrame({"same": [0, 1], "none": [1, 1], "class": [0, 1]})
    >>> information(frame, "class").tolist()
    [1.0, 0.0]
    """

    from scipy.stats import entropy

    def bits_of(*columns: str) -> float:
        return float(entropy(bits.groupby(list(columns)).size(), base=2))

    whole = bits_of(target)
    gains = {
        column: max(0.0, whole + bits_of(column) - bits_of(column, target))
        for column in bits.columns
        if column != target
    }
    return pd.Series(gains)


def codings(dataset: Dataset, options: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """What several codings leave of the attributes: a row a coding.

    An attribute is called lopsided if one of its two values has under 5 % of the records. The last
    column adds up `information` over the attributes; they overlap, so it is a yardstick, not an
    amount.

    >>> from ppdm import data
    >>> table = codings(data.load("breast-cancer-wisconsin"), {"low": {}, "high": {"ties": "high"}})
    >>> table["constant"].tolist()
    [0, 5]
    """
    rows = []
    for label, option in options.items():
        bits, record = _coded(dataset, option)
        shares = record.loc[record["role"] != "class", "ones"]
        rarer = np.minimum(shares, 1 - shares)
        rows.append(
            {
                "coding": label,
                "records": len(bits),
                "constant": int((rarer == 0).sum()),
                "lopsided": int(((rarer > 0) & (rarer < 0.05)).sum()),
                "balanced (30 % to 70 %)": int((rarer >= 0.3).sum()),
                "information about the class": information(bits, dataset.target).sum(),
            }
        )
    return pd.DataFrame(rows)


def show(table: pd.DataFrame, caption: str, digits: int = 3) -> Picture:
    """A table for a page: numbers in one format, empty where there is nothing.

    A named index becomes the first column; row numbers are left out.

    >>> html = show(pd.DataFrame({"share": [0.25, np.nan], "people": [1200, 3]}), "Two groups").html
    >>> [cell in html for cell in ("<td>0.250</td>", "<td></td>", "<td>1,200</td>", "Two groups")]
    [True, True, True, True]
    """
    if table.index.name is not None:
        table = table.reset_index()

    def cell(value: object) -> str:
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if isinstance(value, float | np.floating):
            return "" if np.isnan(value) else _number(float(value), digits)
        return f"{value:,}" if isinstance(value, int | np.integer) else _together(str(value))

    words = table.astype(object).map(cell)
    html = words.to_html(index=False, border=0, justify="left", classes=_room(words))
    opening, rest = html.split(">", 1)
    return Picture(f"{opening}><caption>{caption}</caption>{rest}", words.to_string(index=False))


COLUMN = 760  # pixels of the page's text on a laptop
USUAL, DENSE = (9.0, 20), (7.6, 11)  # pixels of a letter, and between two columns


def _room(words: pd.DataFrame) -> str | None:
    """What the site does with a table of so many words: its classes are in `site.css`.

    Long texts get room (sentences, phrases). Of others no cell is broken where all fit as they are
    (whole). Letters are smaller where that lets them fit, or keeps columns from being cut off (dense).

    >>> _room(pd.DataFrame({"data": ["Breast Cancer"], "share": ["0.5"]}))
    'whole'
    """

    def wide(letters: list[int], kind: tuple[float, int]) -> float:
        return kind[0] * sum(letters) + kind[1] * len(letters)

    longest = words.map(len).max()
    if longest.max() > 60:
        return "sentences"
    heads = [_piece(str(name)) for name in words.columns]
    pieces = [max(head, cells) for head, cells in zip(heads, words.map(_piece).max())]
    whole = [max(head, cells) for head, cells in zip(heads, longest)]
    if longest.iloc[-1] > 25:
        return "phrases" if wide(pieces, USUAL) <= COLUMN else "dense"
    if wide(whole, USUAL) <= COLUMN:
        return "whole"
    if wide(whole, DENSE) <= COLUMN:
        return "dense whole"
    return None if wide(pieces, USUAL) <= COLUMN else "dense"


def _piece(text: str) -> int:
    """Letters of the longest part that is not broken."""
    return max(map(len, re.split(r"[ \n]", text)))


def _together(words: str) -> str:
    """No line breaks within an equation, nor between a number and its groups.

    >>> _together("Breast Cancer, 2 groups, θ = 0.7").split(" ")
    ['Breast', 'Cancer,', '2\\xa0groups,', 'θ\\xa0=\\xa00.7']
    """
    return re.sub(r" (?==)|(?<==) |(?<=\d) (?=groups?\b)", "\xa0", words)


def _number(value: float, digits: int) -> str:
    """Whole numbers as such, others rounded.

    >>> _number(1490400.0, 3), _number(0.12345, 3)
    ('1,490,400', '0.123')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.{digits}f}"
