"""What a frame of pandas remembers of its columns, and only as long as it is still true.

A mark is a text about a column: what was done to it. It lies in ``frame.attrs``, which pandas hands on
to parts, copies and files. It hands it on to ``1 - frame`` and to sums by groups, too, where it is no
longer true. So beside the marks lie the values of some rows, chosen by their labels: as long as rows
that are still there have their values, the mark is read; else the column says nothing.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import lru_cache
from zlib import crc32

import numpy as np
import pandas as pd

_ODD = np.uint64(0x9E3779B97F4A7C15)
#: The entry of ``attrs``.
ENTRY = "ppdm"
#: The mark of what a source vouches for.
ANSWERS = "answers"
#: Rows that vouch for the marks: so many, or all if there are fewer.
ROWS = 512
#: Of a part with fewer of these rows nothing is known, unless it has no others.
ENOUGH = 16


def write(frame: pd.DataFrame, marks: Mapping[str, str]) -> pd.DataFrame:
    """The same frame, with these marks on its columns and no others.

    >>> frame = write(pd.DataFrame({"A": [0, 1], "B": [1, 1]}), {"A": "disguised"})
    >>> read(frame), read(frame[["B"]]), read(1 - frame)
    ({'A': 'disguised'}, {}, {})
    """
    marks = {name: text for name, text in marks.items() if name in frame.columns}
    labels = _labels(frame.index)
    share = min(ROWS / max(len(frame), 1), 1.0)
    rows = _chosen(labels, share)
    frame.attrs[ENTRY] = json.dumps(
        {
            "share": share,
            "rows": _packed(labels[rows]),
            "texts": (texts := sorted(set(marks.values()))),
            "columns": [
                [_plain(name), texts.index(text), _packed(_digests(frame[name], rows))]
                for name, text in marks.items()
            ],
        }
    )
    return frame


def answers(frame: pd.DataFrame) -> pd.DataFrame:
    """The same frame, whose columns a source vouches for as true answers.

    >>> read(answers(pd.DataFrame({"A": [0, 1]})))
    {'A': 'answers'}
    """
    return write(frame, dict.fromkeys(frame.columns, ANSWERS))


def read(frame: object) -> dict[str, str]:
    """The marks of the columns for which the frame can still vouch.

    >>> read(write(pd.DataFrame({"A": [0, 1]}), {"A": "answers"}).assign(B=1))
    {'A': 'answers'}
    """
    text = getattr(frame, "attrs", {}).get(ENTRY)
    if not isinstance(text, str) or not isinstance(frame, pd.DataFrame):
        return {}
    share, columns = _parsed(text)
    labels = _labels(frame.index)
    rows = _chosen(labels, share)
    if len(rows) < min(len(frame), ENOUGH):
        return {}
    return {
        name: mark
        for name, mark, own in columns
        if name in frame.columns
        and np.isin(_keys(labels[rows], _digests(frame[name], rows)), own).all()
    }


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[float, list[tuple[str, str, np.ndarray]]]:
    """Which share of the rows vouches, and for each column its mark and the keys of their values."""
    plain = json.loads(text)
    rows = np.frombuffer(base64.b64decode(plain["rows"]), np.uint64)
    columns = []
    for name, number, packed in plain["columns"]:
        digests = np.frombuffer(base64.b64decode(packed), np.uint16)
        columns.append((name, plain["texts"][number], _keys(rows, digests)))
    return plain["share"], columns


def _labels(index: pd.Index) -> np.ndarray:
    """A number for each row's label, the same wherever the row goes."""
    if isinstance(index, pd.MultiIndex) or index.dtype.kind not in "iu":
        return pd.util.hash_array(np.asarray(index.map(str), dtype=object))
    return index.to_numpy().astype(np.uint64)


def _chosen(labels: np.ndarray, share: float) -> np.ndarray:
    """The rows whose labels are drawn, by a hash that mixes neighbours."""
    if share >= 1:
        return np.arange(len(labels))
    hashes = (labels * _ODD) >> np.uint64(32)
    return np.flatnonzero(hashes < np.uint64(share * 2**32))


def _digests(column: pd.Series, rows: np.ndarray) -> np.ndarray:
    """Sixteen bits for each value; 1, 1.0 and True have the same, as they are the same answer."""
    numbers, values = pd.factorize(column.iloc[rows], use_na_sentinel=False)
    digests = [crc32(written(value).encode("utf-8", "surrogatepass")) & 0xFFFF for value in values]
    return np.array(digests, dtype=np.uint16)[numbers]


def written(value: object) -> str:
    """A value as text; 1, 1.0 and True are the same answer.

    >>> written(1.0), written(True), written("1")
    ('1', '1', '1')
    """
    if isinstance(value, (bool, np.bool_, float, np.floating)) and value == value // 1:
        return str(int(value))
    return str(value)


def _keys(labels: np.ndarray, digests: np.ndarray) -> np.ndarray:
    """A number for each label with its value; a label may stand there more than once."""
    return labels * _ODD + digests


def _packed(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()


def _plain(name: object) -> object:
    return name.item() if isinstance(name, np.generic) else name
