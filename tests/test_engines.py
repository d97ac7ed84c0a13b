"""Counting in Polars, DuckDB, Arrow, Dask and files gives the table that pandas gives."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm import MultiGroup, RRMatrix, count, engines, estimate
from ppdm import reports as said
from ppdm.contract import Survey
from ppdm.learn import ID3, NaiveBayes
from ppdm.learn.rules import frequent_itemsets
from ppdm.table import count_marginals

pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")
dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

NAMES = ("smokes", "Straße", "naïve, bayes", '年"齢"', "count", "number")


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def written(frame, kind):
    """Two files of it, and the path of both."""
    folder = Path(mkdtemp(dir=os.environ["PPDM_TRIED"]))
    half = len(frame) // 2 + 1
    for name, part in (("a", frame[:half]), ("b", frame[half:])):
        if kind == "csv":
            part.to_csv(folder / f"{name}.csv", index=False)
        else:
            part.to_parquet(folder / f"{name}.parquet", index=False)
    return f"{folder}/*.{kind}"


ENGINES = {
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": arrow,
    "arrow in pieces": lambda frame: pa.Table.from_batches(
        arrow(frame).to_batches(max_chunksize=3)
    ),
    "arrow dataset": lambda frame: dataset.dataset(arrow(frame)),
    "arrow scanner": lambda frame: dataset.dataset(arrow(frame)).scanner(batch_size=2),
    "duckdb": duckdb.from_df,
    "dask": lambda frame: dd.from_pandas(frame, npartitions=2),
    "parquet": lambda frame: written(frame, "parquet"),
    "csv": lambda frame: written(frame, "csv"),
}


@pytest.fixture(autouse=True, scope="module")
def folder_for_files(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PPDM_TRIED", str(tmp_path_factory.mktemp("tried")))
        yield


COLUMNS = {  # zeros and ones, truth values, numbers, words, categories
    "int64": st.integers(0, 1),
    "bool": st.booleans(),
    "int8": st.integers(-2, 40),
    "object": st.sampled_from(["ja", "nein", "weiß nicht", "いいえ"]),
    pd.CategoricalDtype(["low", "mid", "high"]): st.sampled_from(["low", "high"]),
}


@st.composite
def frames(draw):
    """Small frames of columns of any kind, with odd names."""
    rows, columns = draw(st.integers(1, 30)), {}
    for name in NAMES[: draw(st.integers(1, len(NAMES)))]:
        kind = draw(st.sampled_from([*COLUMNS]))
        values = draw(st.lists(COLUMNS[kind], min_size=rows, max_size=rows))
        columns[name] = pd.Series(values, dtype=kind)
    return pd.DataFrame(columns)


def same(one, other):
    assert one.domain == other.domain
    assert one.is_sparse == other.is_sparse
    for ours, theirs in zip(one.occupied(), other.occupied()):
        np.testing.assert_array_equal(ours, theirs)


def categories(frame):
    return {n: tuple(c.cat.categories) for n, c in frame.items() if c.dtype == "category"}


@pytest.mark.parametrize("engine", ENGINES)
@given(frames(), st.data())
@settings(max_examples=25, deadline=None)
def test_every_engine_gives_the_tables_of_pandas(engine, frame, data):
    """Whole tables, marginals, and tables of parts that are added."""
    elsewhere, levels = ENGINES[engine], categories(frame)
    whole = count(frame)
    same(count(elsewhere(frame), levels), whole)
    sets = [[name] for name in frame] + [[frame.columns[0], name] for name in frame.columns[1:]]
    for one, other in zip(
        count_marginals(elsewhere(frame), sets, levels), count_marginals(frame, sets)
    ):
        same(one, other)
    cut = data.draw(st.integers(1, len(frame)))
    parts = [frame[:cut], frame[cut:]] if cut < len(frame) else [frame]
    known = dict(zip(whole.names, whole.levels))
    tables = [count(elsewhere(part), known) for part in parts]
    both = tables[0] + tables[1] if len(tables) > 1 else tables[0]
    same(both.compact(len(frame)), whole)


@pytest.mark.parametrize("engine", ENGINES)
def test_many_answers_are_counted_sparsely_and_by_marginals(engine):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (300, 61)), columns=[f"q{i}" for i in range(61)])
    forty = frame.iloc[:, :40]
    same(count(ENGINES[engine](forty)), count(forty))
    pairs = [(f"q{i}", "q60") for i in range(60)] + [("q60",), ("q3", "q1", "q2")]
    for one, other in zip(
        count_marginals(ENGINES[engine](frame), pairs), count_marginals(frame, pairs)
    ):
        same(one, other)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_levels_is_declared_and_never_the_engine_s(engine):
    """Once the same reports gave a share of .296 or 1.296, by who counted or who stood in row 1."""
    survey, votes = Survey({"v": ["yes", "no", "neither"]}), ["no", "yes", "yes"]
    frame = pd.DataFrame({"v": pd.Categorical(votes, ["yes", "no", "neither"])})
    assert count(ENGINES[engine](frame), survey).dense.tolist() == [2, 1, 0]
    for words in (votes, votes[::-1]):
        plain = ENGINES[engine](pd.DataFrame({"v": words}))
        assert count(plain).levels == (("no", "yes"),)
    if engine in ("arrow", "arrow in pieces", "duckdb", "dask"):
        assert count(ENGINES[engine](frame)).levels == (("yes", "no", "neither"),)


def test_what_declares_an_order_and_what_does_not():
    words = ["no", "yes", "yes"]
    enum = pl.DataFrame({"v": words}, schema={"v": pl.Enum(["yes", "no", "neither"])})
    assert count(enum.lazy()).levels == (("yes", "no", "neither"),)
    for given_words in (words, words[::-1]):  # by appearance: this declares nothing
        assert count(pa.table({"v": pa.array(given_words).dictionary_encode()})).levels == (
            ("no", "yes"),
        )
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    ordered = pa.DictionaryArray.from_arrays(
        pa.array([1, 0], pa.int8()), ["yes", "no"], ordered=True
    )
    assert ordered.type == kind and count(pa.table({"v": ordered})).levels == (("yes", "no"),)


def test_missing_answers_of_one_marginal_do_not_stop_another():
    frame = pd.DataFrame({"a": ["x", "y", None], "b": [1, 0, 1], 'c, "d"': ["u", "u", "v"]})
    for engine in ENGINES.values():
        tables = count_marginals(engine(frame), [["b"], ["b", 'c, "d"']], {"b": [0, 1]})
        assert [table.dense.tolist() for table in tables] == [[1, 2], [[1, 0], [1, 1]]]
        with pytest.raises(ValueError, match=r"'a' has missing values .in 1 record."):
            count_marginals(engine(frame), [["a"], ["b"]])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("column", "levels", "message"),
    [
        ([0, 1, None, None], None, "column 'A' has missing values .in 2 records."),
        (["x", "z", "z", "x"], {"A": ["x", "y"]}, "'z' .in 2 records., which is not among its levels x, y"),
        ([0, 1, 7, 0], {"A": [0, 1]}, "value .*7.* .in 1 record., which is not among its levels 0, 1"),
        ([0, 1, 0, 0], {"B": [0, 1]}, "levels name B; the frame has A"),
        ([0, 1, 0, 0], {"A": {0, 1}}, "the levels of 'A' stand in an order, .*; got a set"),
    ],
)  # fmt: skip
def test_bad_input_is_named_with_column_and_value(engine, column, levels, message):
    with pytest.raises(ValueError, match=message):
        count(ENGINES[engine](pd.DataFrame({"A": column, "a": 1})[["A"]]), levels)


def test_what_dask_s_workers_are_sent_does_not_need_this_package():
    """The steps are loaded and run in a Python that cannot import `ppdm`."""
    cloudpickle = pytest.importorskip("cloudpickle")
    part = pd.DataFrame({"A": [1, 0, 1], "B": ["x", None, "x"]})
    work = cloudpickle.dumps((*engines._dask_steps([["A", "B"], ["A"]], "n", 9), part))
    code = (
        "import pickle, sys\n"
        "sys.modules['ppdm'] = None\n"
        "count_part, add_up, part = pickle.load(sys.stdin.buffer)\n"
        "print([c.sort_by('A')['n'].to_pylist() for c in add_up([count_part(part)] * 9)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=work, capture_output=True, timeout=120
    )
    assert done.stdout.decode().strip() == "[[9, 18], [9, 18]]", done.stderr.decode()


# -- files -----------------------------------------------------------------------------------


@pytest.fixture(params=["polars", "pandas"])
def reader(request, monkeypatch):
    """CSV files are read by Polars, and by pandas where Polars is not installed."""
    if request.param == "pandas":
        monkeypatch.setitem(sys.modules, "polars", None)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["a,b\n1,0\n", "b,a\n0,1\n"], "has other columns than .* or in another order: b, a, and not a, b"),
        (["a,b\n1,0\n", "a,c\n0,1\n"], "has other columns than .*: a, c, and not a, b"),
        (["a,b\n1,0\n", "1,0\n" * 200], "has other columns than .*: 1, 0, and not a, b"),
        (["a,b\n1,0,1\n0,1\n"], "cannot be read: .*(more fields|Expected 2 fields in line 2, saw 3)"),
        (["a,b\n1,0\n1,0,1\n"], "cannot be read: .*(more fields|Expected 2 fields in line 3, saw 3)"),
        (["a,a\n1,0\n"], "must differ, also when written: 'a' and 'a' look alike"),
        (["a,a \n1,0\n"], "must differ, also when written: 'a' and 'a ' look alike"),
        (["a,\n1,0\n"], "the first line of .* names each column; got"),
        ([""], "cannot be read: "),
        (["a\nyes\nyes \nno\n"], "the values of column 'a' must differ, .* look alike"),
        (["a\ncafé\ncafe\u0301\n"], "the values of column 'a' must differ, .* look alike"),
        (["a\n" + "0\n" * 5_000 + "oops\n"], "'a' has the value 'oops' .in 1 record."),
        (["a\n1\n\n0\n"], "missing"),  # a blank line is an answer not given
        (["a,b\n1,\n,0\n"], "missing"),
        (['a,b\n1,""\n0,1\n'], "missing"),
        (["a,b\n1\n0,1\n"], "'b' has missing values"),
    ],
)  # fmt: skip
def test_csv_files_are_right_by_name_or_refused_in_a_sentence(reader, tmp_path, files, message):
    for number, text in enumerate(files):
        (tmp_path / f"r{number}.csv").write_text(text, encoding="utf-8")
    levels = {"a": [0, 1]} if "oops" in files[0] else None
    with pytest.raises(ValueError, match=message) as refusal:
        count(f"{tmp_path}/*.csv", levels)
    assert "\n" not in str(refusal.value).strip()


def test_csv_files_are_read_as_they_are_meant(reader, tmp_path):
    path = tmp_path / "r[1].csv"  # a file of that name, and no pattern
    path.write_bytes(
        '\ufeff"a""; drop","b, c",A,a\n1,x,0,1.0\n0,"x, ""y""",1,2.0\n1,NA,1,2.0\n'.encode()
    )
    table = count(path, {"A": ["0", "1"], "a": [1.0, 2.0, 3.0]})
    assert table.names == ('a"; drop', "b, c", "A", "a")
    assert table.levels == ((0, 1), ("NA", "x", 'x, "y"'), ("0", "1"), (1.0, 2.0, 3.0))
    assert table.n({'a"; drop': 0, "b, c": 'x, "y"'}) == 1
    (tmp_path / "empty.csv").write_text("A\n")
    assert count(tmp_path / "empty.csv", {"A": [0, 1]}).total == 0


@pytest.mark.parametrize(
    "path", ["https://a.org/r.csv", "s3://b/*.parquet", "http://127.0.0.1/r.csv"]
)
def test_paths_are_files_of_this_machine(reader, path, tmp_path):
    with pytest.raises(ValueError, match="is an address: files of this machine are read"):
        count(path)
    from ppdm.cli import main

    Survey({"A": ["no", "yes"]}).save(tmp_path / "s.json")
    assert main(["estimate", path, "--scheme", str(tmp_path / "s.json")]) == 1
    with pytest.raises(ValueError, match="there is no file 'nowhere/r.csv'"):
        count("nowhere/r.csv")


def test_what_cannot_be_counted_is_refused(monkeypatch):
    answers = pd.DataFrame({"A": [[1], [2]]})
    with (
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(ValueError, match=r"column 'A' holds values that are no answers.*\[1\]"),
    ):
        count(dd.from_pandas(answers, npartitions=1))
    for records, message in (
        ("reports.xlsx", "no file that can be counted"),
        (3, "records must be|records are a frame"),
        (pl.DataFrame({"A": [[1]]}), "column 'A' holds values that are no answers: they are List"),
    ):
        with pytest.raises(ValueError, match=message):
            count(records)
    with pytest.raises(ValueError, match="no column B; it has A"):
        count(pl.DataFrame({"A": [0]}), names=["B"])
    monkeypatch.setattr(engines, "grouped", lambda *a, _=engines.grouped: _(*a, most=3))
    for engine in ENGINES.values():
        with pytest.raises(ValueError, match="more than 3 different records.*count marginals"):
            count(engine(pd.DataFrame({"A": range(5)})))


def test_a_plain_install_counts_csv_files_and_says_what_parquet_needs(tmp_path):
    """The engines are hidden from a fresh interpreter; pandas reads what Polars would."""
    (tmp_path / "a.csv").write_text('A,"B, b",C\n1,x y,true\n0,"x, ""y""",FALSE\n1,NA,true\n')
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
    assert "Polars is needed: install ppdm with its extra `scale`" in refusal


def test_no_engine_is_imported_before_it_is_needed():
    code = (
        "import sys, ppdm, ppdm.table, ppdm.learn\n"
        "names = 'polars', 'duckdb', 'dask', 'distributed', 'pyspark', 'narwhals'\n"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr


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


# -- whoever only counts ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports():
    """Disguised answers of 2,000 people; other engines' frames do not remember the mechanism."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 2, (2_000, 5)), columns=list("abcde"))
    frame["e"] = (frame["a"] | frame["b"]) ^ (rng.random(2_000) < 0.1)
    reports = MultiGroup(0.8).disguise(frame.astype(int), rng)
    reports.attrs.clear()  # other engines' frames and files do not say what they are either
    return reports


@pytest.mark.parametrize("engine", ["parquet", "polars lazy", "arrow dataset", "duckdb", "dask"])
@pytest.mark.parametrize("learner", [NaiveBayes, ID3])
def test_learners_learn_from_files_what_they_learn_from_records(reports, learner, engine):
    asked, scheme = reports[list("abcd")], MultiGroup(0.8)
    marked = said(reports, scheme)
    plain = learner(scheme).fit(marked[list("abcd")], marked["e"])
    fitted = learner(scheme).fit(said(ENGINES[engine](reports), scheme), "e")
    np.testing.assert_array_equal(fitted.predict_proba(asked), plain.predict_proba(asked))
    np.testing.assert_array_equal(fitted.predict(pl.from_pandas(asked)), plain.predict(asked))
    with pytest.raises(ValueError, match="class 'z' is no column; the records have a, b, c, d, e"):
        learner().fit(ENGINES[engine](reports), "z")
    with pytest.raises(ValueError, match="data that do not say what they are"):
        learner(scheme).fit(ENGINES[engine](reports), "e")


def test_rules_and_estimates_take_files_too(reports):
    scheme, M, path = MultiGroup(0.8), RRMatrix.warner(2, 0.8).M, ENGINES["parquet"](reports)
    table = count(reports, scheme)
    rules = frequent_itemsets(said(path, scheme), 0.2, mechanism=scheme)
    assert rules == frequent_itemsets(table, 0.2, mechanism=scheme)
    with pytest.raises(ValueError, match="data that do not say what they are"):
        frequent_itemsets(path, 0.2, mechanism=scheme)
    one, counts = reports[["a"]], np.bincount(reports["a"])
    for estimator in (estimate.inversion, estimate.em):
        for counted in (pl.from_pandas(one).lazy(), one, count(one)):
            np.testing.assert_array_equal(estimator(counted, M), estimator(counts, M))
    both = estimate.pool(count(reports), table, scheme).dense
    np.testing.assert_array_equal(estimate.pool(path, reports, scheme).dense, both)
