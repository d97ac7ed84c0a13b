"""`ppdm book bench`: the parts that must be fast, each beside what a user could pick instead.

Only ratios mean anything: both sides of each are measured in turn, in this run, on this machine.
The shortest of several times counts, since everything else that runs can only add to it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np
import pandas as pd

from ppdm import MultiGroup, RRMatrix, count, random_groups
from ppdm.learn import ID3
from ppdm.papers import electronic_surveys

THETA, Q, EPSILON = 0.9, 0.5, np.log(9)


def main(args: argparse.Namespace | None = None) -> int:
    """Print every measurement as soon as it is made."""
    print("shortest times, alternating; the last column is theirs / ours", flush=True)
    for part in (trees, naive_bayes, records, growth_with_records, _optimise, _scale):
        for line in part():
            print(line, flush=True)
    return 0


def trees() -> list[str]:
    """One disguised tree on the first 10,000 of Adult against a plain one by scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier

    frame = _adult().iloc[:10_000]
    train, test = count(frame.iloc[:8_000]), count(frame.iloc[8_000:])
    X = frame.iloc[:, :-1].to_numpy(dtype=np.float32)
    y = frame.iloc[:, -1].to_numpy()

    def theirs():
        tree = DecisionTreeClassifier(criterion="entropy").fit(X[:8_000], y[:8_000])
        return tree.score(X[8_000:], y[8_000:])

    lines = []
    for number in (1, 2, 3):
        rng = np.random.default_rng(number)
        scheme = MultiGroup(THETA, random_groups(list(frame.columns), number, rng))

        def ours(scheme=scheme, rng=rng):
            return ID3(scheme).fit_table(scheme.disguise_table(train, rng)).score_table(test)

        seconds, other = _shortest(ours, theirs, rounds=60)
        lines.append(
            _row(
                f"disguise, undo, grow, score an ID3 tree: {number} group(s)",
                seconds,
                "scikit-learn: fit, score a plain tree",
                other,
            )
        )
    return lines


def naive_bayes(reps: int = 1_000, peer_reps: int = 8) -> list[str]:
    """Repetitions of the Zhan & Matwin experiment against records in numpy and BernoulliNB."""
    from sklearn.naive_bayes import BernoulliNB

    values = _adult().to_numpy()
    rng = np.random.default_rng(1)
    order = rng.permutation(len(values))
    train, test = np.split(values[order], [round(0.8 * len(values))])

    def theirs():
        private = rng.random(len(train)) < Q
        reports = np.where(private[:, None], train, rng.integers(0, 2, train.shape))
        return BernoulliNB().fit(reports[:, :-1], reports[:, -1]).score(test[:, :-1], test[:, -1])

    def many():
        electronic_surveys.classifiers(rng, reps, "adult", Q)

    def peers():
        for _ in range(peer_reps):
            theirs()

    ours, other = _shortest(many, peers, rounds=3)
    return [
        _row(
            f"{reps:,} times disguise, undo, naive Bayes, score",
            ours,
            "numpy records, BernoulliNB",
            other * reps / peer_reps,
        )
    ]


def records(size: int = 1_000_000) -> list[str]:
    """Disguise and count answers among ten categories, record by record."""
    answers = np.random.default_rng(1).integers(0, 10, size)
    scheme = RRMatrix.warner(10, np.exp(EPSILON) / (np.exp(EPSILON) + 9))
    rng = np.random.default_rng(2)
    lines = []
    for name, module, peer, share in (
        ("multi-freq-ldpy", "multi_freq_ldpy", _multi_freq, 0.05),
        ("multi-freq-ldpy in a compiled loop", "multi_freq_ldpy", _multi_freq_compiled, 0.1),
        ("pure-ldp", "pure_ldp", _pure_ldp, 0.05),
    ):
        if find_spec(module) is None:
            lines.append(f"{name}: not installed; `make bench` installs it")
            continue
        theirs = peer(answers[: round(share * size)])
        ours, other = _shortest(lambda: scheme.count_reports(answers, rng), theirs, rounds=5)
        lines.append(
            _row(
                f"disguise and count {size:,} records ({size / ours / 1e6:,.0f} million a second)",
                ours,
                name,
                other / share,
            )
        )
    frame = pd.DataFrame({"answer": answers})
    levels = {"answer": range(10)}
    tabled, single = _shortest(
        lambda: scheme.disguise_table(count(frame, levels), rng),
        lambda: scheme.count_reports(answers, rng),
        rounds=5,
    )
    return [*lines, _row("count, then disguise the table", tabled, "record by record", single)]


def growth_with_records() -> list[str]:
    """Multi-group: counting, and what a repetition costs once the table is counted."""
    frame = _adult().iloc[:10_000]
    rng = np.random.default_rng(1)
    scheme = MultiGroup(THETA, random_groups(list(frame.columns), 3, rng))
    lines = []
    for times in (10, 30, 100, 300):
        more = frame.loc[frame.index.repeat(times)]
        table = count(more)
        counting, repetition = _shortest(
            lambda more=more: count(more),
            lambda table=table: scheme.undo(scheme.disguise_table(table, rng)),
            rounds=5,
        )
        lines.append(
            f"{len(more):>9,} records: counting {counting * 1e9 / len(more):.0f} ns a "
            f"record, disguise and undo {repetition * 1e3:.2f} ms a repetition"
        )
    return lines


def _optimise() -> list[str]:
    from ppdm.book.bench.optimise import rows

    return rows()


def _scale() -> Iterator[str]:
    from ppdm.book.bench.scale import rows

    return rows()


# -- peers ---------------------------------------------------------------------------------


def _multi_freq(answers: np.ndarray) -> Callable:
    """As its documentation shows it: one call a respondent (the function is compiled)."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    listed = answers.tolist()
    return lambda: np.bincount([GRR_Client(a, 10, EPSILON) for a in listed], minlength=10)


def _multi_freq_compiled(answers: np.ndarray) -> Callable:
    """The same function inside a compiled loop, which nobody has to write for ours."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    from numba import njit

    @njit
    def loop(answers, epsilon):
        counts = np.zeros(10, dtype=np.int64)
        for answer in answers:
            counts[GRR_Client(answer, 10, epsilon)] += 1
        return counts

    return lambda: loop(answers, EPSILON)


def _pure_ldp(answers: np.ndarray) -> Callable:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client = DEClient(EPSILON, 10, index_mapper=lambda answer: answer)
    listed = answers.tolist()
    return lambda: np.bincount([client.privatise(answer) for answer in listed], minlength=10)


# -- measuring -----------------------------------------------------------------------------


def _adult():
    return electronic_surveys.binary_frame("adult")


def _shortest(ours: Callable, theirs: Callable, rounds: int) -> tuple[float, float]:
    """The shortest time of each, in seconds, taken in turn after one call to warm up."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds + 1):
        for side, function in zip(times, (ours, theirs), strict=True):
            start = time.perf_counter()
            function()
            if turn:
                side.append(time.perf_counter() - start)
    return min(times[0]), min(times[1])


def _row(what: str, ours: float, peer: str, theirs: float) -> str:
    return f"{what}: {_time(ours)}; {peer}: {_time(theirs)}; {theirs / ours:.1f} times"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.1f} s"


if __name__ == "__main__":
    sys.exit(main())
