"""`ppdm book bench`: the parts that must be fast, each beside what a user could pick instead.

Only ratios mean anything: both sides of each are measured in turn, in this run, on this machine.
The shortest of several times counts, since everything else that runs can only add to it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

from ppdm import MultiGroup, RRMatrix, count, random_groups
from ppdm.learn import ID3
from ppdm.papers import electronic_surveys

THETA, Q, EPSILON = 0.9, 0.5, np.log(9)


def main(args: argparse.Namespace | None = None) -> int:
    """Print every measurement as soon as it is made."""
    from ppdm.book.bench import optimise, scale

    print("shortest times, alternating; the last number is theirs / ours", flush=True)
    for part in (trees, naive_bayes, records, growth_with_records, optimise.rows, scale.rows):
        for line in part():
            print(line, flush=True)
    return 0


def trees() -> Iterator[str]:
    """One disguised tree on the first 10,000 of Adult against a plain one by scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier

    frame = _adult().iloc[:10_000]
    train, test = count(frame.iloc[:8_000]), count(frame.iloc[8_000:])
    X, y = frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy()
    plain = DecisionTreeClassifier(criterion="entropy")
    for number in (1, 2, 3):
        rng = np.random.default_rng(number)
        scheme = MultiGroup(THETA, random_groups(list(frame.columns), number, rng))

        def ours(scheme=scheme, rng=rng):
            return ID3(scheme).fit_table(scheme.disguise_table(train, rng)).score_table(test)

        yield _compare(
            f"disguise, undo, grow, score an ID3 tree: {number} group(s)", ours,
            "scikit-learn: fit, score a plain tree",
            lambda: plain.fit(X[:8_000], y[:8_000]).score(X[8_000:], y[8_000:]), rounds=60,
        )  # fmt: skip


def naive_bayes(reps: int = 1_000, peer_reps: int = 8) -> Iterator[str]:
    """Repetitions of the Zhan & Matwin experiment against records in numpy and BernoulliNB."""
    from sklearn.naive_bayes import BernoulliNB

    rng = np.random.default_rng(1)
    values = rng.permutation(_adult().to_numpy())
    train, test = np.split(values, [round(0.8 * len(values))])

    def theirs():
        for _ in range(peer_reps):
            private = rng.random(len(train)) < Q
            reports = np.where(private[:, None], train, rng.integers(0, 2, train.shape))
            BernoulliNB().fit(reports[:, :-1], reports[:, -1]).score(test[:, :-1], test[:, -1])

    ours = partial(electronic_surveys.classifiers, rng, reps, "adult", Q)
    what = f"{reps:,} times disguise, undo, naive Bayes, score"
    yield _compare(what, ours, "numpy records, BernoulliNB", theirs, peer_reps / reps, rounds=3)


def records(size: int = 1_000_000) -> Iterator[str]:
    """Disguise and count answers among ten categories, record by record."""
    answers = np.random.default_rng(1).integers(0, 10, size)
    scheme = RRMatrix.warner(10, np.exp(EPSILON) / (np.exp(EPSILON) + 9))
    singly = partial(scheme.count_reports, answers, np.random.default_rng(2))
    for peer, share in ((_multi_freq, 0.05), (_multi_freq_compiled, 0.1), (_pure_ldp, 0.05)):
        try:
            theirs = peer(answers[: round(share * size)])
        except ModuleNotFoundError as error:
            yield f"{error.name}: not installed; `make bench` installs it"
            continue
        yield _compare(
            f"disguise and count {size:,} records", singly, peer.__doc__ or "", theirs, share
        )
    frame, levels, rng = (
        pd.DataFrame({"answer": answers}),
        {"answer": range(10)},
        np.random.default_rng(2),
    )
    tabled = lambda: scheme.disguise_table(count(frame, levels), rng)  # noqa: E731
    yield _compare("count, then disguise the table", tabled, "record by record", singly)


def growth_with_records() -> Iterator[str]:
    """Multi-group: counting, and what a repetition costs once the table is counted."""
    frame, rng = _adult().iloc[:10_000], np.random.default_rng(1)
    scheme = MultiGroup(THETA, random_groups(list(frame.columns), 3, rng))
    for times in (10, 30, 100, 300):
        more = frame.loc[frame.index.repeat(times)]
        table = count(more)
        repeat = lambda table=table: scheme.undo(scheme.disguise_table(table, rng))  # noqa: E731
        counting, repetition = shortest(partial(count, more), repeat)
        yield (
            f"{len(more):>9,} records: counting {counting * 1e9 / len(more):.0f} ns a record, "
            f"disguise and undo {repetition * 1e3:.2f} ms a repetition"
        )


# -- peers ---------------------------------------------------------------------------------


def _multi_freq(answers: np.ndarray) -> Callable:
    """multi-freq-ldpy, one call a respondent"""  # as its documentation shows it; the function is compiled
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    listed = answers.tolist()
    return lambda: np.bincount([GRR_Client(a, 10, EPSILON) for a in listed], minlength=10)


def _multi_freq_compiled(answers: np.ndarray) -> Callable:
    """multi-freq-ldpy in a compiled loop"""  # which nobody has to write for ours
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    from ppdm.compiled import njit

    @njit
    def loop(answers, epsilon):
        counts = np.zeros(10, dtype=np.int64)
        for answer in answers:
            counts[GRR_Client(answer, 10, epsilon)] += 1
        return counts

    return lambda: loop(answers, EPSILON)


def _pure_ldp(answers: np.ndarray) -> Callable:
    """pure-ldp"""
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client = DEClient(EPSILON, 10, index_mapper=lambda answer: answer)
    listed = answers.tolist()
    return lambda: np.bincount([client.privatise(answer) for answer in listed], minlength=10)


# -- measuring -----------------------------------------------------------------------------


def _adult() -> pd.DataFrame:
    return electronic_surveys.binary_frame("adult")


def shortest(*works: Callable, rounds: int = 5) -> list[float]:
    """The shortest time of each, in seconds, taken in turn after one call to warm up."""
    times = np.empty((rounds + 1, len(works)))
    for turn in range(rounds + 1):
        for side, work in enumerate(works):
            start = time.perf_counter()
            work()
            times[turn, side] = time.perf_counter() - start
    return times[1:].min(axis=0).tolist() if rounds else times[0].tolist()


def _compare(
    what: str, ours: Callable, peer: str, theirs: Callable, share: float = 1.0, rounds: int = 5
) -> str:
    """A line on both; `theirs` does a `share` of the work."""
    own, other = shortest(ours, theirs, rounds=rounds)
    other /= share
    return f"{what}: {_time(own)}; {peer}: {_time(other)}; {other / own:.1f} times"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.1f} s"
