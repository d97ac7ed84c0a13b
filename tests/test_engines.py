"""Counting in Polars, DuckDB, Arrow, Dask and files gives the table that pandas gives."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm import MultiGroup, RRMatrix, count, engines, estimate
from ppdm.contract import Survey
from ppdm.learn import ID3, NaiveBayes
from ppdm.learn.rules import frequent_itemsets
from ppdm.table import count_marginals

pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

NAMES = ("smokes", "Straße", "naïve bayes", "年齢", "count", "number")

ENGINES = {
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "arrow in pieces": lambda frame: pa.Table.from_batches(
        pa.Table.from_pandas(frame, preserve_index=False).to_batches(max_chunksize=3)
    ),
    "duckdb": duckdb.from_df,
    "dask": lambda frame: dd.from_pandas(frame, npartitions=2),
}


@st.composite
def frames(draw):
    """Small frames: zeros and ones, truth values, numbers, words, categories; odd names."""
    rows = draw(st.integers(1, 30))
    kinds = {
        "binary": st.integers(0, 1),
        "truth": st.booleans(),
        "number": st.integers(-2, 40),
        "word": st.sampled_from(["ja", "nein", "weiß nicht", "いいえ"]),
        "category": st.sampled_from(["low", "high"]),
    }
    columns = {}
    for name in NAMES[: draw(st.integers(1, len(NAMES)))]:
        kind = draw(st.sampled_from(sorted(kinds)))
        values = draw(st.lists(kinds[kind], min_size=rows, max_size=rows))
        column = pd.Series(values)
        if kind == "category":
            column = column.astype(pd.CategoricalDtype(["low", "mid", "high"]))
        columns[name] = column
    return pd.DataFrame(columns)


def same(one, other):
    assert one.domain == other.domain
    assert one.is_sparse == other.is_sparse
    for ours, theirs in zip(one.occupied(), other.occupied()):
        np.testing.assert_array_equal(ours, theirs)


def categories(frame):
    return {n: tuple(c.cat.categories) for n, c in frame.items() if c.dtype == "category"}


@pytest.mark.parametrize("engine", ENGINES)
@given(frames())
@settings(max_examples=25, deadline=None)
def test_every_engine_gives_the_table_of_pandas(engine, frame):
    same(count(ENGINES[engine](frame), categories(frame)), count(frame))


@given(frames())
@settings(max_examples=10, deadline=None)
def test_dask_knows_the_categories_of_pandas(frame):
    same(count(ENGINES["dask"](frame)), count(frame))


@pytest.mark.parametrize("engine", ["arrow", "duckdb", "dask"])
def test_categories_that_never_occur_are_levels_where_the_type_says_them(engine):
    frame = pd.DataFrame({"size": pd.Categorical(["s", "l"], categories=["s", "m", "l"])})
    assert count(ENGINES[engine](frame)).levels == (("s", "m", "l"),)
    polars = pl.DataFrame({"size": ["s", "l"]}, schema={"size": pl.Enum(["s", "m", "l"])})
    same(count(polars.lazy()), count(frame))


@pytest.mark.parametrize("engine", ENGINES)
def test_forty_answers_are_counted_sparsely_and_by_marginals(engine):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (300, 40)), columns=[f"q{i}" for i in range(40)])
    elsewhere = ENGINES[engine](frame)
    same(count(elsewhere), count(frame))
    pairs = [(f"q{i}", "q39") for i in range(39)] + [("q39",), ("q3", "q1", "q2")]
    for one, other in zip(count_marginals(elsewhere, pairs), count_marginals(frame, pairs)):
        same(one, other)


@pytest.mark.parametrize("engine", ENGINES)
def test_marginals_keep_gaps_apart_from_columns_that_are_not_of_the_set(engine):
    """GROUPING SETS fill what is not of a set with nulls, and these are no missing values."""
    frame = pd.DataFrame({"a": ["x", "y", None], "b": [1, 0, 1], 'c, "d"': ["u", "u", "v"]})
    few = {"b": [0, 1]}
    counted = count_marginals(ENGINES[engine](frame), [["b"], ['c, "d"'], ["b", 'c, "d"']], few)
    assert [table.dense.tolist() for table in counted] == [[1, 2], [2, 1], [[1, 0], [1, 1]]]
    with pytest.raises(ValueError, match=r"'a' has missing values .in 1 record."):
        count_marginals(ENGINES[engine](frame), [["a"], ["b"]])


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb", "dask"])
def test_more_columns_than_one_pass_can_tell_apart(engine):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 9, (200, 150)), columns=[f"q{i}" for i in range(150)])
    sets = [(f"q{i}", f"q{i + 75}") for i in range(75)]
    for one, other in zip(
        count_marginals(ENGINES[engine](frame), sets), count_marginals(frame, sets)
    ):
        same(one, other)


def test_a_stream_is_read_once(reports):
    frame, _ = reports
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pairs = [(name, "e") for name in "abcd"]

    def stream():
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))

    for one, other in zip(count_marginals(stream(), pairs), count_marginals(frame, pairs)):
        same(one, other)
    learned = NaiveBayes(MultiGroup(0.8)).fit(stream(), "e")
    plain = NaiveBayes(MultiGroup(0.8)).fit(frame, "e")
    asked = pl.from_pandas(frame[list("abcd")])
    np.testing.assert_array_equal(learned.predict_proba(asked), plain.predict_proba(asked))
    wide = pa.table({f"q{i}": [0, 1] for i in range(61)})
    wide = pa.RecordBatchReader.from_batches(wide.schema, wide.to_batches())
    with pytest.raises(ValueError, match="a stream is read once, .* more than 60 columns"):
        count_marginals(wide, [(f"q{i}",) for i in range(61)])


def test_what_dask_s_workers_are_sent_does_not_need_this_package():
    """The steps are loaded and run in a Python that cannot import `ppdm`."""
    cloudpickle = pytest.importorskip("cloudpickle")
    part = pd.DataFrame({"A": [1, 0, 1], "B": ["x", None, "x"]})
    work = cloudpickle.dumps((*engines._dask_steps([["A", "B"], ["A"]], "n", 9), part))
    code = (
        "import pickle, sys\n"
        "sys.modules['ppdm'] = None\n"
        "count_part, add_up, part = pickle.load(sys.stdin.buffer)\n"
        "print([cells.sort_values('A')['n'].tolist() for cells in add_up([count_part(part)] * 9)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=work, capture_output=True, timeout=120
    )
    assert done.stdout.decode().strip() == "[[9, 18], [9, 18]]", done.stderr.decode()


def test_files_are_counted_where_they_lie(tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "smokes": rng.integers(0, 2, 200),
            "Straße": rng.choice(["é", "ü"], 200),
            "weight": rng.choice([0.5, 1.5], 200),
        }
    )
    for part in range(4):
        piece = frame.iloc[50 * part : 50 * part + 50]
        piece.to_parquet(tmp_path / f"part{part}.parquet")
        piece.to_csv(tmp_path / f"part{part}.csv", index=False)
    expected = count(frame)
    same(count(f"{tmp_path}/*.parquet"), expected)
    same(count(tmp_path), expected)
    same(count(f"{tmp_path}/*.csv"), expected)
    same(sum_of(count(tmp_path / f"part{i}.parquet") for i in range(4)), expected)
    dataset = pytest.importorskip("pyarrow.dataset").dataset(sorted(tmp_path.glob("*.parquet")))
    same(count(dataset), expected)
    same(count(dataset.scanner().to_reader()), expected)
    assert count(tmp_path, names=["Straße"]).total == 200


def sum_of(tables):
    tables = list(tables)
    whole = tables[0]
    for table in tables[1:]:
        whole = whole + table
    return whole


@given(frames(), st.data())
@settings(max_examples=25, deadline=None)
def test_counting_parts_and_adding_is_counting_all(frame, data):
    cut = data.draw(st.integers(0, len(frame)))
    whole = count(frame)
    levels = dict(zip(whole.names, whole.levels))
    parts = [count(pl.from_pandas(part), levels) for part in (frame[:cut], frame[cut:])]
    both = parts[0] + parts[1]
    for ours, theirs in zip(both.compact(len(frame)).occupied(), whole.occupied()):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("column", "levels", "message"),
    [
        ([0, 1, None, None], None, "column 'A' has missing values .in 2 records."),
        (
            ["x", "z", "z", "x"],
            {"A": ["x", "y"]},
            "value 'z' .in 2 records., which is not among its levels x, y",
        ),
        (
            [0, 1, 7, 0],
            {"A": [0, 1]},
            "value .*7.* .in 1 record., which is not among its levels 0, 1",
        ),
        ([0, 1, 0, 0], {"B": [0, 1]}, "levels name B; the frame has A"),
    ],
)
def test_bad_input_is_named_with_column_and_value(engine, column, levels, message):
    with pytest.raises(ValueError, match=message):
        count(ENGINES[engine](pd.DataFrame({"A": column})), levels)


@pytest.fixture(scope="module")
def hundred_million(tmp_path_factory):
    """Twenty names of one file of five million records: as much to read as twenty files."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(6)
    columns = {f"q{i}": rng.integers(0, 2, 5_000_000, dtype=np.int8) for i in range(10)}
    pl.DataFrame(columns).write_parquet(folder / "part.pq")
    for part in range(20):
        os.link(folder / "part.pq", folder / f"part{part:02d}.parquet")
    return folder


COUNTED = """
import resource, sys
from ppdm import count
import polars
polars.DataFrame({"A": [1]}).lazy().collect(engine="streaming")
def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime
start = used()
print(count(polars.scan_parquet(eval(sys.argv[1]))).total, used() - start)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc for its memory")
@pytest.mark.parametrize(
    ("times", "seconds"), [(1, 6), pytest.param(10, 60, marks=pytest.mark.weekly)]
)
def test_a_hundred_million_and_a_billion_records_in_one_gigabyte(hundred_million, times, seconds):
    """Three seconds on two quiet cores are six of processor; a machine that is not quiet has these, too."""
    paths = [str(path) for path in sorted(hundred_million.glob("*.parquet"))] * times
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, repr(paths)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    records, processor, memory = map(float, done.stdout.split())
    assert records == times * 1e8
    assert memory < 2**20  # in kilobytes
    assert processor < seconds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "column 'q7' has missing values .in 1 record."),
        (3, "column 'q7' has the value 3 .in 1 record., which is not among its levels 0, 1"),
    ],
)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_one_bad_value_among_a_hundred_million_is_named(hundred_million, engine, value, message):
    bad = pl.DataFrame({f"q{i}": [value if i == 7 else 1] for i in range(10)})
    bad.cast(pl.Int8).write_parquet(hundred_million / "part20.parquet")
    path = f"{hundred_million}/*.parquet"
    try:
        with pytest.raises(ValueError, match=message):
            count(
                path if engine == "polars" else duckdb.read_parquet(path),
                {f"q{i}": [0, 1] for i in range(10)},
            )
    finally:
        (hundred_million / "part20.parquet").unlink()


def test_a_word_far_down_in_a_csv_file_of_numbers_is_named(tmp_path):
    lines = ["A,B", *["0,1"] * 5_000, "1,oops", "1,0"]
    (tmp_path / "reports.csv").write_text("\n".join(lines))
    with pytest.raises(ValueError, match="'B' has the value 'oops' .in 1 record."):
        count(tmp_path / "reports.csv", {"A": [0, 1], "B": [0, 1]})
    (tmp_path / "gap.csv").write_text("A,B\n0,1\n1,\n")
    with pytest.raises(ValueError, match="'B' has missing values .in 1 record."):
        count(tmp_path / "gap.csv")


def test_words_of_a_csv_file_are_the_levels_that_are_given(tmp_path):
    (tmp_path / "reports.csv").write_text("A,B\n0,1.0\n1,2.0\n1,2.0\n")
    table = count(tmp_path / "reports.csv", {"A": ["0", "1"], "B": [1.0, 2.0, 3.0]})
    assert table.levels == (("0", "1"), (1.0, 2.0, 3.0))
    assert table.n(A="1", B=2.0) == 2


def test_a_contract_says_the_levels_of_all_columns():
    survey = Survey({"A": ["no", "yes"], "B": [0, 1]})
    frame = pl.DataFrame({"B": [1, 1], "A": ["yes", "yes"]})
    with pytest.warns(UserWarning, match="another order"):
        table = count(frame.lazy(), survey)
    assert table.names == ("A", "B") and table.n(A="yes", B=1) == 2
    with pytest.raises(ValueError, match="have C, which is not asked"):
        count(frame.with_columns(C=1), survey)
    part = count(frame, survey, names=["A"])
    assert part.levels == (("no", "yes"),) and part.domain.whole == ("B", "A")


def test_too_many_cells_are_not_brought_home(monkeypatch):
    monkeypatch.setattr(engines, "grouped", lambda *a, _=engines.grouped: _(*a, most=3))
    with pytest.raises(ValueError, match="more than 3 different records.*count marginals"):
        count(pl.DataFrame({"A": range(5)}))


def test_what_cannot_be_counted_is_refused(tmp_path):
    answers = pd.DataFrame({"A": [[1], [2]]})
    with (
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(ValueError, match=r"column 'A' holds values that are no answers.*\[1\]"),
    ):
        count(dd.from_pandas(answers, npartitions=1))
    for records, message in (
        ("nowhere/*.parquet", "no file is called"),
        ("reports.xlsx", "no file that can be counted"),
        (3, "records must be|records are a frame"),
    ):
        with pytest.raises(ValueError, match=message):
            count(records)
    with pytest.raises(ValueError, match="no column B; it has A"):
        count(pl.DataFrame({"A": [0]}), names=["B"])


def test_a_plain_install_counts_csv_files_and_says_what_parquet_needs(tmp_path):
    """The engines are hidden from a fresh interpreter; pandas reads what Polars would."""
    (tmp_path / "a.csv").write_text('A,"B, b",C\n1,x y,true\n0,"x, ""y""",FALSE\n1,NA,true\n')
    (tmp_path / "b.csv").write_text('A,"B, b",C\n0,x y,true\n')
    levels = {"A": [0, 1], "B, b": ["NA", 'x, "y"', "x y"], "C": [False, True]}
    code = (
        "import sys\n"
        "for name in ('polars', 'duckdb', 'pyarrow', 'dask'): sys.modules[name] = None\n"
        "from ppdm import count\n"
        f"print(count(sys.argv[1] + '/*.csv', {levels!r}).dense.tolist())\n"
        "try: count(sys.argv[1] + '/c.parquet')\n"
        "except ValueError as error: print(error)\n"
    )
    (tmp_path / "c.parquet").touch()
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert not done.stderr
    table, refusal = done.stdout.splitlines()
    assert table == str(count(f"{tmp_path}/*.csv", levels).dense.tolist())
    assert "Polars or DuckDB is needed: install ppdm with its extra `scale`" in refusal


def test_csv_files_without_engines_refuse_as_with_them(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "a.csv").write_text("A,B\n1,2\n")
    (tmp_path / "b.csv").write_text("A,C\n1,2\n")
    with pytest.raises(ValueError, match="has other columns than"):
        count(f"{tmp_path}/*.csv")
    for text, message in (
        ("A,B\n1,\n,0\n", "missing"),
        ("A\n1\n\n0\n", "missing"),  # a blank line is an answer not given
        ("A,B\nyes,no,no\nno,no,no\n", "Expected 2 fields in line 2, saw 3"),
        ("A,A\n1,0\n", "have no names, or not one each"),
        ("A,\n1,0\n", "have no names, or not one each"),
        ("A,B\nyes,no\nno,no,no\n", "3"),
    ):
        (tmp_path / "c.csv").write_text(text)
        with pytest.raises(ValueError, match=message):
            count(f"{tmp_path}/c.csv")
    with pytest.raises(ValueError, match="install ppdm with its extra `scale`"):
        count("https://example.org/a.csv")
    (tmp_path / "bom.csv").write_bytes("\ufeffA\n1\n0\n1\n".encode())
    assert count(f"{tmp_path}/bom.csv").n(A=1) == 2
    (tmp_path / "empty.csv").write_text("A\n")
    assert count(f"{tmp_path}/empty.csv", {"A": [0, 1]}).total == 0


def test_no_engine_is_imported_before_it_is_needed():
    code = (
        "import sys, ppdm, ppdm.table, ppdm.learn\n"
        "print([n for n in ('polars', 'duckdb', 'dask', 'distributed', 'pyspark', 'narwhals') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr


# -- whoever only counts ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Disguised answers of 2,000 people, here and as files."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 2, (2_000, 5)), columns=list("abcde"))
    frame["e"] = (frame["a"] | frame["b"]) ^ (rng.random(2_000) < 0.1)
    reports = MultiGroup(0.8).disguise(frame.astype(int), rng)
    reports.attrs.clear()  # other engines' frames and files do not remember the mechanism either
    folder = tmp_path_factory.mktemp("reports")
    reports.to_parquet(folder / "reports.parquet")
    return reports, str(folder / "*.parquet")


@pytest.mark.parametrize("learner", [NaiveBayes, ID3])
def test_learners_learn_from_files_what_they_learn_from_records(reports, learner):
    frame, path = reports
    plain = learner(MultiGroup(0.8)).fit(frame.drop(columns="e"), frame["e"])
    fitted = learner(MultiGroup(0.8)).fit(path, "e")
    np.testing.assert_array_equal(
        fitted.predict_proba(frame.drop(columns="e")), plain.predict_proba(frame.drop(columns="e"))
    )
    again = learner(MultiGroup(0.8)).fit(pl.scan_parquet(path), "e")
    np.testing.assert_array_equal(
        again.predict(pl.from_pandas(frame.drop(columns="e"))), plain.predict(frame[list("abcd")])
    )
    with pytest.raises(ValueError, match="class 'z' is no column; the records have a, b, c, d, e"):
        learner().fit(path, "z")


def test_rules_and_estimates_take_files_too(reports):
    frame, path = reports
    scheme = MultiGroup(0.8)
    assert frequent_itemsets(path, 0.2, mechanism=scheme) == frequent_itemsets(
        count(frame), 0.2, mechanism=scheme
    )
    M = RRMatrix.warner(2, 0.8).M
    one = pl.from_pandas(frame[["a"]])
    counts = np.bincount(frame["a"])
    for estimator in (estimate.inversion, estimate.inversion_se, estimate.em):
        given = (one, one.lazy(), frame[["a"]], count(frame).marginal("a"))
        for counted in given:
            np.testing.assert_array_equal(estimator(counted, M), estimator(counts, M))
    pooled = estimate.pool(path, frame, scheme)
    np.testing.assert_array_equal(
        pooled.dense, estimate.pool(count(frame), count(frame), scheme).dense
    )
