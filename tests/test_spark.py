"""Counting in a local Spark. `make check` installs it into _build/spark; else this is skipped."""

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from test_engines import categories, frames, same

from ppdm import count
from ppdm.table import count_marginals

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def spark(spark_folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(spark_folder))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2",
        }
        session = SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            session = session.config(name, value)
        session = session.getOrCreate()
        yield session
        session.stop()


def test_spark_counts_forty_answers_and_files(spark, tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 2, (500, 40)), columns=[f"q, {i}" for i in range(40)])
    frame["Größe"] = pd.Categorical(rng.choice(["klein", "groß"], 500))
    frame.to_parquet(tmp_path / "reports.parquet")
    there, levels = (
        spark.read.parquet(str(tmp_path / "reports.parquet")),
        {"Größe": ["groß", "klein"]},
    )
    same(count(there, levels), count(frame, levels))
    pairs = [[f"q, {i}", "q, 39"] for i in range(39)] + [["q, 3", "Größe"]]
    counted = count_marginals(there, pairs, levels)
    for one, other in zip(counted, count_marginals(frame, pairs, levels)):
        same(one, other)


@given(frames())
@settings(max_examples=8, deadline=None)
def test_spark_gives_the_table_of_pandas(spark, frame):
    rows = [tuple(row) for row in frame.astype(object).to_numpy().tolist()]
    there = spark.createDataFrame(rows, list(frame.columns))
    same(count(there, categories(frame)), count(frame))


def test_bad_input_in_spark_is_named(spark):
    gap = spark.createDataFrame([("x", 1), (None, 0), ("y", 1)], "A string, B int")
    assert count_marginals(gap, [["B"]], {"B": [0, 1]})[0].dense.tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"'A' has missing values .in 1 record."):
        count_marginals(gap, [["A"], ["B"]])
    dotted = spark.createDataFrame([(0, 1)], "`a.b` int, c int")
    for names in ([["a.b"]], [["a.b"], ["c"]]):
        with pytest.raises(ValueError, match="Spark reads the name of the column 'a.b' as a path"):
            count_marginals(dotted, names)
    word = spark.createDataFrame([("x",), ("z",), ("z",)], "A string")
    with pytest.raises(ValueError, match="value 'z' .in 2 records., which is not among its levels"):
        count(word, {"A": ["x", "y"]})
