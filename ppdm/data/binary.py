"""The papers' coding: every answer becomes 0 or 1.

Both papers that need binary data say only that each attribute is split at "the median point of the
range". Four questions stay open, and each is an option here: which point, where a value on the
point goes, what a nominal attribute's split is, and what a missing value becomes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from ppdm import marks

from .dataset import Dataset

OPTIONS = {
    "split": ("median", "midrange"),
    "ties": ("low", "high", "even"),
    "nominal": ("frequent", "documented", "alphabetical", "appearance"),
    "missing": ("zero", "majority", "drop", "third"),
}


def binarize(
    dataset: Dataset,
    split: str = "median",
    *,
    ties: str = "low",
    nominal: str = "frequent",
    missing: str = "zero",
    include_id: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """[Zhan & Matwin, 3.1; Zhan & Du, 5.2] Split every attribute in two.

    Returns the coded frame (integers; the attributes in their order, the class last) and a record
    with one row a column: the threshold, the rule that gives a 1, the share of ones, and whether
    the column ended up constant, which is also said in a warning.

    split
        where a number is cut: at the ``median`` of the values, or at ``midrange``, the middle
        between the smallest and the largest.
    ties
        a value on the point itself goes ``low`` (1 is "greater than"), ``high`` (1 is "at least"),
        or ``even``: to the side that brings the share of ones closer to one half.
    nominal
        an attribute of two values keeps them: the second one listed in the catalog is 1. With more,
        ``frequent``: 1 is the most frequent value, 0 is any other. ``documented``,
        ``alphabetical``, ``appearance``: the values are numbered 0, 1, 2, ... in the archive's
        order, by the alphabet, or as they first appear, and the numbers are split like any other.
    missing
        ``zero``: 1 means *known to be so*, and a missing value is not. ``majority``: the more
        frequent bit of its column. ``drop``: its record is left out. ``third``: the code 2; the
        column then has three values.
    include_id
        the record's number counts as an attribute.

    >>> from ppdm import data
    >>> bits, record = binarize(data.load("breast-cancer-wisconsin"))
    >>> bits.shape, int(bits["class"].sum())
    ((699, 10), 241)
    >>> record.loc[record.column == "mitoses", "rule"].item()
    '> 1'
    """
    choices = {"split": split, "ties": ties, "nominal": nominal, "missing": missing}
    for option, value in choices.items():
        if value not in OPTIONS[option]:
            allowed = ", ".join(OPTIONS[option])
            raise ValueError(f"{option} must be one of {allowed}, not {value!r}")
    if include_id and dataset.id is None:
        raise ValueError(f"include_id: {dataset.name} has no id column")

    number = [dataset.id] if include_id and dataset.id else []
    columns = [*number, *dataset.features, dataset.target]
    frame = dataset.frame[columns]
    if missing == "drop":
        frame = frame.dropna().reset_index(drop=True)
        if frame.empty:
            raise ValueError(f"missing='drop' leaves no record of {dataset.name}")

    coded: dict[str, np.ndarray] = {}
    rows: list[dict[str, Any]] = []
    for column in columns:
        values = frame[column]
        if column == dataset.target and values.cat.categories.size != 2:
            raise ValueError(f"the class {column!r} must have two values to be coded 0 and 1")
        ones, rule = _code(values, split, ties, nominal)
        unknown = values.isna().to_numpy()
        coded[column] = _fill(ones, unknown, missing)
        role = {dataset.target: "class", dataset.id: "id"}.get(column, "attribute")
        rows.append({"column": column, "role": role, **rule, "missing": int(unknown.sum())})

    bits = pd.DataFrame(coded, index=frame.index)
    record = pd.DataFrame(rows)
    record["ones"] = [float((bits[column] == 1).mean()) for column in columns]
    record["constant"] = [bits[column].nunique() == 1 for column in columns]
    if record["constant"].any():
        stuck = ", ".join(record.loc[record["constant"], "column"])
        warnings.warn(f"{dataset.name}: constant after the coding: {stuck}", stacklevel=2)
    return marks.answers(bits), record


def _code(
    values: pd.Series, split: str, ties: str, nominal: str
) -> tuple[np.ndarray, dict[str, Any]]:
    """Which values are coded 1 (missing ones are not), and the rule in words and numbers."""
    if not isinstance(values.dtype, pd.CategoricalDtype):
        numbers = values.to_numpy(dtype=float)
        ones, sign, point = _split(numbers, split, ties)
        return ones, {"kind": "number", "threshold": point, "rule": f"{sign} {point:.10g}"}
    levels, codes = values.cat.categories, values.cat.codes.to_numpy()
    if levels.size == 2 or nominal == "frequent":
        two = levels.size == 2
        one = 1 if two else int(np.bincount(codes[codes >= 0], minlength=levels.size).argmax())
        kind = "two values" if two else "nominal"
        return codes == one, {"kind": kind, "threshold": np.nan, "rule": f"is {levels[one]}"}
    order = _order(values, nominal)
    place = np.full(levels.size + 1, np.nan)  # the last entry is for missing values, coded -1
    place[levels.get_indexer(pd.Index(order))] = np.arange(len(order))
    ones, sign, point = _split(place[codes], split, ties)
    high = [str(order[i]) for i in np.flatnonzero(_compare(np.arange(len(order)), sign, point))]
    return ones, {"kind": "nominal", "threshold": point, "rule": f"is {' or '.join(high)}"}


def _split(numbers: np.ndarray, split: str, ties: str) -> tuple[np.ndarray, str, float]:
    present = numbers[~np.isnan(numbers)]
    point = float(np.median(present) if split == "median" else (present.min() + present.max()) / 2)
    if ties == "even":
        off_low, off_high = (abs((_compare(present, s, point)).mean() - 0.5) for s in (">", ">="))
        ties = "low" if off_low <= off_high else "high"
    sign = ">" if ties == "low" else ">="
    return _compare(numbers, sign, point), sign, point


def _compare(numbers: np.ndarray, sign: str, point: float) -> np.ndarray:
    return numbers > point if sign == ">" else numbers >= point


def _order(values: pd.Series, nominal: str) -> list[Any]:
    """The values that occur, in the order in which they are numbered."""
    distinct = values.dropna().unique()
    if nominal == "appearance":
        return list(distinct)
    if nominal == "alphabetical":
        return sorted(distinct, key=str)
    return [level for level in values.cat.categories if level in set(distinct)]


def _fill(ones: np.ndarray, unknown: np.ndarray, missing: str) -> np.ndarray:
    bits = ones.astype(np.int64)
    if missing == "majority" and unknown.any():
        bits[unknown] = int(bits[~unknown].mean() > 0.5)
    elif missing == "third":
        bits[unknown] = 2
    return bits
