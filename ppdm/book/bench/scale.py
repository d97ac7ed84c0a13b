"""Counting where the data are: each engine against its own bare group-by, memory, growth.

Every measurement is a process of its own, so that its peak memory is its own, too: the shortest of
three calls counts, and the peak over all of them. The records are made for it and deleted after.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from ppdm.places import PACKAGE

SPARK = PACKAGE.parent / "_build" / "spark"
ANSWERS, FILES = 10, 20

START = """
import json, resource, sys, time
path, times, rounds = sys.argv[1], int(sys.argv[2]), 3
names = [f"q{i}" for i in range(10)]
from ppdm import count
from ppdm.table import count_marginals
"""
END = """
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
count_it()
seconds, processor = [], []
for _ in range(rounds):
    start, busy = time.perf_counter(), cpu()
    count_it()
    seconds.append(time.perf_counter() - start); processor.append(cpu() - busy)
try:  # Linux: what getrusage says begins with the memory of the process that started this one
    peak = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")) / 2**20
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
print(json.dumps([min(seconds), min(processor), peak]))
"""

#: For each engine: the frame, and its own group-by without a table.
ENGINES = {
    "polars": (
        "import glob, polars as pl; frame = pl.scan_parquet(sorted(glob.glob(path)) * times)",
        "frame.group_by(names).agg(pl.len()).collect(engine='streaming')",
    ),
    "duckdb": (
        "import glob, duckdb\nframe = duckdb.read_parquet(sorted(glob.glob(path)) * times)",
        "frame.aggregate(', '.join(names) + ', count(*)', ', '.join(names)).fetchall()",
    ),
    "dask": (
        "import dask.dataframe as dd\nframe = dd.read_parquet(path)",
        "frame.groupby(names, dropna=False).size().compute()",
    ),
    "pyarrow": (
        "import pyarrow.parquet as pq, glob\nframe = pq.read_table(sorted(glob.glob(path))[0])",
        "frame.group_by(names).aggregate([([], 'count_all')])",
    ),
    "pyspark": (
        ("import glob; from pyspark.sql import SparkSession; spark = SparkSession.builder.master('local[2]')"
        ".config('spark.ui.enabled', 'false').getOrCreate(); frame = spark.read.parquet(*sorted(glob.glob(path)))"),
        "frame.groupBy(names).count().collect()",
    ),
    "pandas": (
        "import glob, pandas as pd\nframe = pd.read_parquet(sorted(glob.glob(path))[0])",
        "frame.groupby(names).size()",
    ),
}  # fmt: skip


def rows(records: int = 100_000_000) -> Iterator[str]:
    """Engines, growth from a million to a billion, and forty answers."""
    missing = [name for name in ENGINES if name != "pyspark" and find_spec(name) is None]
    if missing:
        yield f"counting in engines: {', '.join(missing)} not installed (extra `scale`)"
        return
    with tempfile.TemporaryDirectory(prefix="ppdm-bench-") as folder:
        for part in range(FILES):
            _write(f"{folder}/part{part:02d}.parquet", records // FILES, ANSWERS, seed=part)
        for engine in ENGINES:
            if engine == "pyspark" and not (SPARK / "installed").is_file():
                yield "counting in Spark: `make check` installs it into _build/spark"
                continue
            ours = measured(engine, f"{folder}/part*")
            raw = measured(engine, f"{folder}/part*", call=ENGINES[engine][1])
            size = records // FILES if engine in ("pyarrow", "pandas") else records
            java = " (without those of its Java)" if engine == "pyspark" else ""
            yield (
                f"count {size:,} x {ANSWERS}, {engine}: {ours}; its own group-by {raw}; "
                f"{ours.seconds / raw.seconds:.2f} times ({ours.processor / raw.processor:.2f} by processor){java}"
            )
        _write(f"{folder}/small.parquet", records // 100, ANSWERS, seed=99)
        for share, files, times in (
            (0.01, "small*", 1),
            (0.05, "part00*", 1),
            (1, "part*", 1),
            (10, "part*", 10),
        ):
            size, cost = round(share * records), measured("polars", f"{folder}/{files}", times)
            again = " (the same files ten times)" if times > 1 else ""
            yield f"{size:>13,} records, polars: {cost.seconds * 1e9 / size:5.1f} ns a record, {cost}{again}"
        # What naive Bayes asks for: forty answers with a class, never the table of 2^40.
        _write(f"{folder}/forty.parquet", records // 10, 40, seed=7)
        call = "count_marginals(frame, [[f'q{i}', 'q39'] for i in range(39)])"
        for engine in ("polars", "duckdb", "dask"):
            cost = measured(engine, f"{folder}/forty*", call=call)
            yield f"{records // 10:,} x 40, every answer with the class, {engine}: {cost}"


def _write(path: str, records: int, answers: int, seed: int) -> None:
    """Fair coins in a Parquet file."""
    import polars as pl

    rng = np.random.default_rng(seed)
    columns = {f"q{i}": rng.integers(0, 2, records, dtype=np.int8) for i in range(answers)}
    pl.DataFrame(columns).write_parquet(path)


class Cost(NamedTuple):
    """The shortest time of a call, its processor time on all cores, and the peak memory in GiB."""

    seconds: float
    processor: float
    peak: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.processor:.2f} of processor), {self.peak:.2f} GiB"


def measured(engine: str, path: str, times: int = 1, call: str = "count(frame)") -> Cost:
    """What a call costs in a process of its own."""
    code = f"{START}{ENGINES[engine][0]}\ndef count_it(): {call}\n{END}"
    spark = [str(SPARK)] if engine == "pyspark" else []
    paths = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), *spark])
    done = subprocess.run(
        [sys.executable, "-c", code, path, str(times)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": paths},
    )
    if done.returncode:
        raise RuntimeError(f"{engine} failed: {done.stderr.strip().splitlines()[-1]}")
    return Cost(*json.loads(done.stdout.splitlines()[-1]))
