"""`ppdm book bench`: the parts that must be fast, each beside what a user could pick instead.

Only ratios mean anything: both sides of each are measured in turn, in this run, on this machine. The
shortest of several times counts, since everything else that runs can only add to it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ppdm import MultiGroup, RRMatrix, count, random_groups
from ppdm.learn import ID3
from ppdm.optimise import spea2
from ppdm.papers import electronic_surveys
from ppdm.papers.electronic_surveys.experiment import learned

EPSILON = np.log(9)
NAMES = [f"q{i}" for i in range(10)]


def main(args: argparse.Namespace | None = None) -> int:
    """Print every measurement as soon as it is made; what is not installed is left out, by name."""
    for part in (trees, naive_bayes, records, search, counting):
        try:
            for what, (ours, theirs), peer in part():
                print(
                    f"{what}: {_time(ours)}; {peer}: {_time(theirs)}, {theirs / ours:.1f} times",
                    flush=True,
                )
        except ModuleNotFoundError as error:
            print(f"{part.__name__}: {error.name} is not installed; `make bench` installs it")
    return 0


#: What was measured, our time and theirs, and who they are.
Row = tuple[str, list[float], str]


def trees() -> Iterator[Row]:
    """Disguise, undo, grow and score a tree on the first 10,000 of Adult; a plain tree by scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier

    frame, rng = electronic_surveys.binary_frame("adult").iloc[:10_000], np.random.default_rng(1)
    train, test = count(frame.iloc[:8_000]), count(frame.iloc[8_000:])
    X, y = frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy()
    plain = DecisionTreeClassifier(criterion="entropy")
    for number in (1, 2, 3):
        scheme = MultiGroup(0.9, random_groups(list(frame.columns), number, rng))

        def ours(scheme=scheme):
            return ID3(scheme).fit_table(scheme.disguise_table(train, rng)).score_table(test)

        theirs = lambda: plain.fit(X[:8_000], y[:8_000]).score(X[8_000:], y[8_000:])  # noqa: E731
        yield f"a tree, {number} group(s)", shortest(ours, theirs, rounds=60), "scikit-learn"


def naive_bayes(reps: int = 1_000, peer_reps: int = 8) -> Iterator[Row]:
    """Repetitions of chapter 1's experiment; records in numpy with scikit-learn's naive Bayes."""
    from sklearn.naive_bayes import BernoulliNB

    rng = np.random.default_rng(1)
    values = rng.permutation(electronic_surveys.binary_frame("adult").to_numpy())
    train, test = np.split(values, [round(0.8 * len(values))])

    def theirs():
        for _ in range(peer_reps):
            private = rng.random(len(train)) < 0.5
            reports = np.where(private[:, None], train, rng.integers(0, 2, train.shape))
            BernoulliNB().fit(reports[:, :-1], reports[:, -1]).score(test[:, :-1], test[:, -1])

    own, other = shortest(partial(learned, rng, reps, "adult", 0.5), theirs, rounds=3)
    yield (
        "disguise, undo, naive Bayes, score",
        [own / reps, other / peer_reps],
        "numpy, BernoulliNB",
    )


def records(size: int = 1_000_000, share: float = 0.05) -> Iterator[Row]:
    """Disguise and count answers among ten, record by record; multi-freq-ldpy, one call a respondent."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    answers = np.random.default_rng(1).integers(0, 10, size)
    scheme = RRMatrix.warner(10, np.exp(EPSILON) / (np.exp(EPSILON) + 9))
    listed = answers[: round(share * size)].tolist()
    theirs = lambda: np.bincount([GRR_Client(a, 10, EPSILON) for a in listed], minlength=10)  # noqa: E731
    own, other = shortest(partial(scheme.count_reports, answers, np.random.default_rng(2)), theirs)
    yield f"disguise and count {size:,} records", [own, other / share], "multi-freq-ldpy"


def search(generations: int = 2_000, peer_generations: int = 20) -> Iterator[Row]:
    """A generation of chapter 4's search; one of pymoo's SPEA2 on the same objectives, with its own operators."""
    prior, rng = np.full(10, 0.1), np.random.default_rng(1)
    ours = partial(spea2.optrr, prior, 0.75, rng)
    ours(generations=2)  # compiles
    own, other = shortest(
        lambda: ours(generations=generations),
        lambda: pymoo_front(prior, peer_generations),
        rounds=0,
    )
    yield (
        "a generation of the search, n = 10",
        [own / generations, other / peer_generations],
        "pymoo",
    )


def pymoo_front(prior: np.ndarray, generations: int, seed: int = 1) -> np.ndarray:
    """pymoo's SPEA2 on chapter 4's problem, bound and objectives by the functions that `optrr` uses."""
    from pymoo.algorithms.moo.spea2 import SPEA2
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize

    n = len(prior)

    class Matrices(Problem):
        def _evaluate(self, x, out, *args, **kwargs):
            a, f = np.empty(len(x)), np.empty(len(x))
            members = x.reshape(-1, n, n) / x.reshape(-1, n, n).sum(axis=1, keepdims=True)
            for member in members:
                spea2._repair(member, prior, 0.75)
            spea2._evaluate(np.ascontiguousarray(members), prior, 10_000, a, f)
            out["F"] = np.column_stack([a, np.minimum(f, 1e3)])

    problem = Matrices(n_var=n * n, n_obj=2, xl=1e-6, xu=1.0)
    return minimize(problem, SPEA2(pop_size=100), ("n_gen", generations), seed=seed).F


def counting(size: int = 20_000_000) -> Iterator[Row]:
    """A table of ten answers from files; each engine's own group-by."""
    import polars as pl

    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(prefix="ppdm-bench-") as folder:
        columns = {name: rng.integers(0, 2, size, dtype=np.int8) for name in NAMES}
        pl.DataFrame(columns).write_parquet(f"{folder}/records.parquet")
        for name, engine in ENGINES.items():
            frame, own = engine(f"{folder}/records.parquet")
            yield (
                f"count {size:,} records, {name}",
                shortest(partial(count, frame), own, rounds=3),
                "its own group-by",
            )


def _polars(path: str) -> tuple[Any, Callable]:
    import polars as pl

    frame = pl.scan_parquet(path)
    return frame, lambda: frame.group_by(NAMES).agg(pl.len()).collect(engine="streaming")


def _duckdb(path: str) -> tuple[Any, Callable]:
    import duckdb

    frame, names = duckdb.read_parquet(path), ", ".join(NAMES)
    return frame, lambda: frame.aggregate(f"{names}, count(*)", names).fetchall()


def _dask(path: str) -> tuple[Any, Callable]:
    import dask.dataframe as dd

    frame = dd.read_parquet(path)
    return frame, lambda: frame.groupby(NAMES, dropna=False).size().compute()


ENGINES = {"Polars": _polars, "DuckDB": _duckdb, "Dask": _dask}


def shortest(*works: Callable, rounds: int = 5) -> list[float]:
    """The shortest time of each, in seconds, taken in turn after one call to warm up (with no rounds: that call)."""
    times = np.empty((rounds + 1, len(works)))
    for turn in range(rounds + 1):
        for side, work in enumerate(works):
            start = time.perf_counter()
            work()
            times[turn, side] = time.perf_counter() - start
    return times[min(rounds, 1) :].min(axis=0).tolist()


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.1f} s"
