"""From arrays and data frames to the columns of numbers and codes that the kernel reads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from ppdm.learn._base import as_they_are


def is_nominal(column: pd.Series) -> bool:
    """Whether J48 reads the column as levels rather than as numbers.

    >>> is_nominal(pd.Series(["a", "b"])), is_nominal(pd.Series([1, 2]))
    (True, False)
    """
    return isinstance(column.dtype, pd.CategoricalDtype) or (
        types.is_object_dtype(column.dtype) or types.is_string_dtype(column.dtype)
    )


def levels_of(column: pd.Series) -> list[Any]:
    """The levels of a nominal column: its categories in their order, else its values sorted.

    >>> levels_of(pd.Series(["b", None, "a"]))
    ['a', 'b']
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.categories)
    return sorted(column.dropna().unique(), key=lambda level: (str(type(level)), level))


def codes_of(column: pd.Series, levels: list[Any]) -> np.ndarray:
    """Each value's place among ``levels`` as a float, NaN where the value is missing.

    >>> codes_of(pd.Series(["b", None, "a"]), ["a", "b"])
    array([ 1., nan,  0.])
    """
    index, values = (pd.Index(v, tupleize_cols=False) for v in (levels, column.astype(object)))
    codes = index.get_indexer(values).astype(float)
    codes[column.isna()] = np.nan
    if (codes < 0).any():
        unknown = column[codes < 0].iloc[0]
        raise ValueError(
            f"column {column.name!r} holds {unknown!r}, which is none of the levels seen in fit: "
            f"{levels}. Make it a categorical column that lists all levels before you split the data."
        )
    return codes


def to_numbers(frame: pd.DataFrame, levels: Sequence[list[Any] | None]) -> pd.DataFrame:
    """The frame in floats, with codes in the columns whose entry in ``levels`` is not None.

    >>> to_numbers(pd.DataFrame({"A": ["y", "n"], "B": [5, 6]}), [["n", "y"], None]).to_numpy()
    array([[1., 5.],
           [0., 6.]])
    """
    columns = [
        _numbers(column) if names is None else codes_of(column, names)
        for (_, column), names in zip(frame.items(), levels, strict=True)
    ]
    return pd.DataFrame(np.column_stack(columns), index=frame.index, columns=frame.columns)


def _numbers(column: pd.Series) -> np.ndarray:
    """A column as floats, NaN where a value is missing: a missing date would be the smallest."""
    return np.where(column.isna(), np.nan, column.to_numpy(dtype=float, na_value=np.nan))


def encode_classes(y: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Class labels in their order, and each row's code among them, -1 where the class is missing.

    >>> encode_classes(pd.Series(["no", "yes", None], dtype="category"))
    (array(['no', 'yes'], dtype=object), array([ 0,  1, -1]))
    """
    if not is_nominal(y):
        codes = np.full(len(y), -1, dtype=np.int64)
        present = y.notna().to_numpy()  # a missing date would be a class
        classes, codes[present] = np.unique(y.to_numpy()[present], return_inverse=True)
        return classes, codes
    levels = levels_of(y)
    codes, classes = codes_of(y, levels), as_they_are(levels)
    if classes.dtype.kind in "US":
        classes = classes.astype(object)
    return classes, np.where(np.isnan(codes), -1, codes).astype(np.int64)
