"""Disguising in batches: the same reports for the same seed, whoever holds the records."""

import numpy as np
import pandas as pd
import pytest

from ppdm import MultiGroup, RRMatrix, count
from ppdm.disguise import batches
from ppdm.table import names_of

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")
duckdb = pytest.importorskip("duckdb")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(batches, "BATCH", 64)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "smokes": rng.integers(0, 2, 500),
            "Straße": rng.choice(["é", "ü", "ø"], 500),
            "wahr": rng.random(500) < 0.3,
        }
    )


SCHEME = RRMatrix({"smokes": RRMatrix.warner(2, 0.7).M, "Straße": RRMatrix.warner(3, 0.6).M})


def test_every_frame_is_disguised_alike(frame, tmp_path):
    frame.to_parquet(tmp_path / "answers.parquet", index=False)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    given = {
        "polars": pl.from_pandas(frame),
        "lazy": pl.from_pandas(frame).lazy(),
        "arrow": arrow,
        "arrow in pieces": pa.Table.from_batches(arrow.to_batches(max_chunksize=17)),
        "a path": str(tmp_path / "answers.parquet"),
    }
    found = {name: SCHEME.disguise(one, np.random.default_rng(7)) for name, one in given.items()}
    assert isinstance(found["polars"], pl.DataFrame)
    assert isinstance(found["lazy"], pl.LazyFrame) and isinstance(found["a path"], pl.LazyFrame)
    assert isinstance(found["arrow"], pa.Table)
    expected = by_hand(frame, SCHEME, seed=7)
    for one in found.values():
        one = one.collect() if isinstance(one, pl.LazyFrame) else one
        pd.testing.assert_frame_equal(one.to_pandas(), expected, check_dtype=False)


def by_hand(frame, scheme, seed):
    """Batch i of 64 with the generator that the seed and i give, and the levels of the whole."""
    entropy = np.random.default_rng(seed).integers(2**63, size=2).tolist()
    levels = count(frame).domain
    parts = []
    for number, start in enumerate(range(0, len(frame), 64)):
        stream = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(number,)))
        parts.append(scheme.disguise(frame.iloc[start : start + 64], stream, levels))
    return pd.concat(parts, ignore_index=True)


def test_lazy_reports_are_the_same_however_they_are_read(frame):
    reports = SCHEME.disguise(pl.from_pandas(frame).lazy(), np.random.default_rng(3))
    whole = reports.collect()
    assert reports.collect().equals(whole)
    assert reports.head(70).collect().equals(whole.head(70))
    assert reports.select("Straße").collect().equals(whole.select("Straße"))
    yes = reports.filter(pl.col("smokes") == 1).collect()
    assert yes.equals(whole.filter(pl.col("smokes") == 1))
    table = count(reports)
    np.testing.assert_array_equal(table.dense, count(whole.to_pandas()).dense)
    other = SCHEME.disguise(pl.from_pandas(frame).lazy(), np.random.default_rng(4))
    assert not other.collect().equals(whole)


def test_the_order_of_an_enumeration_survives(frame):
    """Once an Enum came back as words, and the matrix turned .30 to 1.306."""
    votes = np.random.default_rng(1).random(500) < 0.3
    answers = pl.DataFrame(
        {"v": np.where(votes, "yes", "no")}, schema={"v": pl.Enum(["yes", "no"])}
    )
    matrix = RRMatrix({"v": [[0.9, 0.5], [0.1, 0.5]]}, inputs={"v": ["yes", "no"]})
    expected = count(matrix.disguise(answers.to_pandas(), np.random.default_rng(1)))
    for records in (answers, answers.lazy()):
        reports = matrix.disguise(records, np.random.default_rng(1))
        assert reports.lazy().collect_schema() == answers.schema
        assert count(reports).levels == expected.levels == (("yes", "no"),)


def test_other_frames_are_refused_with_a_sentence():
    relation = duckdb.sql("select 1 as A union all select 0")
    with pytest.raises(ValueError, match="disguised one by one in pandas, Polars and Arrow frames"):
        MultiGroup(0.8).disguise(relation, np.random.default_rng(1))
    with pytest.raises(ValueError, match="records are a frame .*; got RecordBatchReader"):
        MultiGroup(0.8).disguise(pa.table({"A": [1, 0]}).to_reader(), np.random.default_rng(1))


def test_no_records_have_no_reports(frame, tmp_path):
    """But of no records, too, the columns are known."""
    nobody, levels = frame[:0], count(frame).domain
    path = tmp_path / "nobody.parquet"
    nobody.to_parquet(path, index=False)
    arrow = pa.Table.from_pandas(nobody, preserve_index=False)
    given = (
        pl.from_pandas(nobody),
        pl.from_pandas(nobody).lazy(),
        str(path),
        arrow,
        dataset.dataset(path),
        dataset.dataset(path).scanner(),
    )
    for one in given:
        reports = SCHEME.disguise(one, np.random.default_rng(1), levels)
        reports = reports.collect() if isinstance(reports, pl.LazyFrame) else reports
        assert len(reports) == 0 and names_of(reports) == list(frame.columns)
