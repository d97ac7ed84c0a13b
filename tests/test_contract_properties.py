"""Nothing silently wrong: random surveys, frames of many kinds, and everything that can happen to them.

A case is a survey, some records, the kind of frame they come in, and one misfortune. Either the result
is that of the plain reading below, which knows of no frames and no types, or it is refused in one
sentence. `make test` tries a thousand cases, `make check` ten thousand.
"""

import warnings
from collections import Counter
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ppdm import Survey, count, reports, scheme_of
from ppdm.learn import ID3, NaiveBayes

NAMES = ("smokes", "alter", "q 3", "ü")
LEVELS = (
    (0, 1), (1, 0), (False, True), ("no", "yes"), ("0", "1"), ("a", "b", "c"), (1, 2, 3),
    (-1, 0.5), ("Ja", "Nein", "—"), ("True", "False"), (10, 20), ("1.5", "x"),
)  # fmt: skip
KINDS = {
    "object": object,
    "inferred": None,
    "int64": "int64",
    "int8": "int8",
    "uint8": "uint8",
    "float64": "float64",
    "Int64": "Int64",
    "bool": "bool",
    "boolean": "boolean",
    "str": "str",
    "category": "category",
    "int64[pyarrow]": "int64[pyarrow]",
    "string[pyarrow]": pd.ArrowDtype(pa.string()),
    "bool[pyarrow]": "bool[pyarrow]",
    "polars": None,
    "arrow": None,
}
FATAL = {
    "renamed": lambda f, n, rng: f.rename(columns={n: n + " "}),
    "dropped": lambda f, n, rng: f.drop(columns=n),
    "added": lambda f, n, rng: f.assign(more=1),
    "doubled": lambda f, n, rng: pd.concat([f, f[[n]]], axis=1),
    "missing": lambda f, n, rng: changed(f, n, None, rng),
    "misspelt": lambda f, n, rng: changed(f, n, "YES", rng),
    "unknown": lambda f, n, rng: changed(f, n, 77, rng),
    "padded": lambda f, n, rng: changed(f, n, f" {f[n].iloc[0]}", rng),
    "a list": lambda f, n, rng: changed(f, n, [1], rng),
}
HARMLESS = {
    "nothing": lambda f, n, rng: f,
    "another order": lambda f, n, rng: f[list(rng.permutation(f.columns))],
    "another index": lambda f, n, rng: f.set_axis(rng.permutation(len(f)) + 5, axis=0),
    "written": lambda f, n, rng: f.assign(**{n: [str(v) for v in f[n]]}),
    "as numbers": lambda f, n, rng: f.assign(**{n: [as_number(v) for v in f[n]]}),
}


class Case(NamedTuple):
    survey: Survey
    records: list[dict]
    kind: str
    misfortune: str
    victim: int
    seed: int


@st.composite
def cases(draw):
    size = draw(st.integers(2, 3))
    levels = [draw(st.sampled_from(LEVELS)) for _ in range(size)]
    attributes = dict(zip(NAMES, levels, strict=False))
    pairs = [name for name, given in attributes.items() if len(given) == 2]
    protection = []
    if pairs and draw(st.booleans()):
        protection.append({"mechanism": "multi-group", "theta": 0.8, "groups": [pairs]})
    elif draw(st.booleans()):
        personal = {NAMES[0]: [1 / len(levels[0])] * len(levels[0])}
        protection.append(
            {
                "mechanism": "unrelated-question",
                "q": 0.6,
                "personal": personal,
                "attributes": [NAMES[0]],
            }
        )
    rest = [name for name in attributes if not any(name in str(spec) for spec in protection)]
    if rest:
        protection.append({"mechanism": "k-rr", "p": 0.75, "attributes": rest[:1]})
    records = draw(
        st.lists(st.tuples(*(st.sampled_from(given) for given in levels)), min_size=1, max_size=6)
    )
    return Case(
        Survey(attributes, protection, NAMES[size - 1]),
        [dict(zip(attributes, record, strict=True)) for record in records],
        draw(st.sampled_from(sorted(KINDS))),
        draw(st.sampled_from([*FATAL, *HARMLESS, "nothing", "nothing"])),
        draw(st.integers(0, size - 1)),
        draw(st.integers(0, 2**16)),
    )


def as_number(value):
    """The number that a word writes, if the word is exactly how one writes it."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def changed(frame, name, value, rng):
    """One value of a column is another."""
    values = frame[name].tolist()
    values[rng.integers(len(values))] = value
    return frame.assign(**{name: pd.Series(values, dtype=object, index=frame.index)})


def frame_of(case):
    """The records as the respondents' software hands them over, after the misfortune."""
    rng = np.random.default_rng(case.seed)
    frame = pd.DataFrame(case.records, columns=list(case.survey.names), dtype=object)
    name = case.survey.names[case.victim]
    frame = {**FATAL, **HARMLESS}[case.misfortune](frame, name, rng)
    if not frame.columns.is_unique:
        return frame
    if case.kind in ("polars", "arrow"):
        columns = {n: frame[n].tolist() for n in frame.columns}
        try:
            return (
                pl.DataFrame(columns, strict=True) if case.kind == "polars" else pa.table(columns)
            )
        except (TypeError, pa.ArrowInvalid, pa.ArrowTypeError):
            return frame  # this engine has no column for such values
    if case.kind == "inferred":
        return frame.infer_objects()
    return frame.assign(**{n: as_kind(frame[n], KINDS[case.kind]) for n in frame.columns})


def as_kind(column, kind):
    """The column in another type, where that holds the same values."""
    if kind is object:
        return column
    values = column.tolist()
    if kind == "category":
        return column.astype(kind) if all(np.isscalar(v) for v in values) else column
    texts = kind == "str" or isinstance(kind, pd.ArrowDtype)
    bits = kind in ("bool", "boolean", "bool[pyarrow]")
    if texts != all(isinstance(v, str) for v in values) or (
        bits and not all(v in (0, 1) for v in values)
    ):
        return column
    try:
        turned = column.astype(kind)
        return turned if (turned.astype(object) == column).all() else column
    except (TypeError, ValueError, OverflowError, pa.ArrowInvalid):
        return column


# -- the plain reading ---------------------------------------------------------------------


def plain_counts(case):
    """How many records have each combination of levels, in the order of the survey."""
    found = Counter(tuple(record.values()) for record in case.records)
    return [found[cell] for cell in product(*case.survey.attributes.values())]


def pristine(case):
    """The records as pandas' objects: what every other kind must be read as."""
    return pd.DataFrame(case.records, columns=list(case.survey.names), dtype=object)


def counted(case, frame, scheme):
    return count(frame, case.survey).dense.ravel().tolist(), plain_counts(case)


def disguised(case, frame, scheme):
    """The same coins fall for the same answers, whatever frame they come in."""
    sent = scheme.disguise(frame, np.random.default_rng(case.seed))
    reports = rows_of(case, sent)
    for row in reports:
        assert all(v in levels for v, levels in zip(row, scheme.reports.levels, strict=True))
    same = pristine(case)
    if not isinstance(frame, pd.DataFrame):  # batches have coins of their own
        columns = {name: same[name].tolist() for name in same.columns}
        try:
            same = pl.DataFrame(columns) if isinstance(frame, pl.DataFrame) else pa.table(columns)
        except (TypeError, pa.ArrowInvalid, pa.ArrowTypeError):
            return reports, reports
    return reports, rows_of(case, scheme.disguise(same, np.random.default_rng(case.seed)))


def rows_of(case, sent):
    plain = sent if isinstance(sent, pd.DataFrame) else sent.to_pandas()
    return plain[list(case.survey.names)].astype(object).to_numpy().tolist()


def learned(case, frame, scheme):
    """Naive Bayes and ID3, fitted, asked and scored."""
    target, found = case.survey.target, []
    plain = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    same = pristine(case)
    if sorted(plain.columns) == sorted(same.columns):
        same = same[list(plain.columns)]  # of equal gains the first attribute wins
    if target not in plain:
        raise ValueError("there is no class to learn")
    for learner in (NaiveBayes(scheme), ID3(scheme)):
        for records, asked in ((plain, frame), (same, same)):
            sent = reports(records, scheme)
            X, y = sent.drop(columns=target), sent[target]
            model = learner.fit(X, y)
            asked = (
                asked.drop(target)
                if isinstance(asked, pl.DataFrame)
                else records.drop(columns=target)
            )
            found.append((model.predict(asked).tolist(), round(model.score(X, y), 9)))
    return found[::2], found[1::2]


def holds(case, doing):
    frame, scheme = frame_of(case), scheme_of(case.survey)
    fatal = case.misfortune in FATAL
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result, expected = doing(case, frame, scheme)
    except ValueError as error:
        refusal = str(error)
    else:
        assert not fatal, "taken without a word"
        assert result == expected
        return
    assert "\n" not in refusal
    assert 10 < len(refusal) < 500
    assert fatal or case.misfortune in ("written", "as numbers"), refusal


def settled(number):
    return settings(
        max_examples=number,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


#: What is done with a case, and how many cases are tried by `make test` and by `make check`.
DOINGS = {counted: (600, 6_000), disguised: (300, 3_000), learned: (100, 1_000)}


@pytest.mark.parametrize("doing", DOINGS)
def test_either_right_or_refused(doing):
    settled(DOINGS[doing][0])(given(cases())(lambda case: holds(case, doing)))()


@pytest.mark.slow
@pytest.mark.parametrize("doing", DOINGS)
def test_either_right_or_refused_ten_thousand_times(doing):
    settled(DOINGS[doing][1])(given(cases())(lambda case: holds(case, doing)))()
