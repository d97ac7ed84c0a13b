"""[Zhan & Matwin 3] Naive Bayes from records disguised by the unrelated question.

`classifiers` is the experiment of the paper, in bits (see `ppdm.bits`). The plain reading, record
by record with `UnrelatedQuestion` and `NaiveBayes`, stands beside it in the tests.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd
from numba import njit

from ppdm import bits, data


def classifiers(
    rng: np.random.Generator,
    reps: int,
    dataset: str,
    q: float,
    splitting: str = "fixed",
    alpha: float = 1.0,
    personal: float = 0.5,
    assumed_pair: float | None = None,
    **coding,
) -> dict[str, np.ndarray]:
    """[Zhan & Matwin 3.1, Step III] Disguise, learn, test: `reps` times at one q.

    Parameters
    ----------
    splitting
        ``"fixed"``: one 80/20 split for all repetitions; ``"redrawn"``: a new one for each. The
        fixed split does not depend on q or `rng`.
    personal
        W_y, the probability of a one in every personal answer.
    assumed_pair
        What the estimator takes P(Y_i = a, Y_c = v) to be; ``None``: what it is. The paper's "each
        logical expression appears with the probability of 0.5", read to the letter, makes it 0.5.
    coding
        How the data are made binary, see :func:`ppdm.data.binarize`.

    Returns the metrics ``accuracy``, ``balanced`` (the mean of the two classes' accuracies) and
    ``outside`` (the share of estimated proportions below 0 or above 1).

    At q = 0 nothing can be undone (Eq. 1 divides by q); there the reports are taken as they are.
    """
    records, codes, truth = _coded(dataset, tuple(sorted(coding.items())))
    train_size = round(0.8 * records.size)
    fixed = bits.subset(records.size, train_size, np.random.default_rng(80_20))
    if splitting not in ("fixed", "redrawn"):
        raise ValueError(f"splitting is 'fixed' or 'redrawn'; got {splitting!r}")
    results = np.empty((reps, 3))
    attributes, both = _attribute_columns(dataset, tuple(sorted(coding.items())))
    for rep in range(reps):
        train = fixed if splitting == "fixed" else bits.subset(records.size, train_size, rng)
        private = train & bits.coins(records.size, q, rng)
        reported = _reported_pairs(private, train_size, records.columns[-1], attributes, both,
                                   personal, rng)
        estimated = _undone(reported, train_size, q, personal, assumed_pair)
        log_odds = _log_odds(estimated, alpha)
        right = _right_answers(codes, truth, train, log_odds, len(attributes))
        outside = ((estimated < 0) | (estimated > train_size)).mean()
        shares = right[:, 0] / np.maximum(right[:, 1], 1)
        results[rep] = right[:, 0].sum() / right[:, 1].sum(), shares.mean(), outside
    return dict(zip(("accuracy", "balanced", "outside"), results.T, strict=True))


def binary_frame(dataset: str, **coding) -> pd.DataFrame:
    """The binarized records of a data set, the class last."""
    return _binary(dataset, tuple(sorted(coding.items())))


@lru_cache(maxsize=16)
def _binary(dataset: str, coding: tuple) -> pd.DataFrame:
    loaded = data.load(dataset)
    frame, _ = data.binarize(loaded, **dict(coding))
    return frame[[*(name for name in frame.columns if name != loaded.target), loaded.target]]


@lru_cache(maxsize=16)
def _coded(dataset: str, coding: tuple) -> tuple[bits.BitRecords, np.ndarray, np.ndarray]:
    """Bits, one integer of attribute bits for each record (attribute j is bit j), and classes."""
    frame = _binary(dataset, coding)
    values = frame.to_numpy().astype(np.int64)
    codes = values[:, :-1] @ (1 << np.arange(values.shape[1] - 1))
    return bits.pack(frame), codes.astype(np.uint32), values[:, -1].astype(np.uint8)


@lru_cache(maxsize=16)
def _attribute_columns(dataset: str, coding: tuple) -> tuple[np.ndarray, np.ndarray]:
    records = _coded(dataset, coding)[0]
    return records.columns[:-1], records.columns[:-1] & records.columns[-1]


def _reported_pairs(private, size, classes, attributes, both, personal, rng) -> np.ndarray:
    """Reported counts [attribute, value, class] of the private records and of the strangers."""
    kept = bits.count_bits(private)
    ones = bits.count_masked(classes[None], private)[0]
    true = _pairs(bits.count_masked(attributes, private), bits.count_masked(both, private), ones,
                  kept)
    strangers = size - kept
    class_ones = rng.binomial(strangers, personal)
    with_one = rng.binomial(class_ones, personal, size=len(attributes))
    with_zero = rng.binomial(strangers - class_ones, personal, size=len(attributes))
    return true + _pairs(with_one + with_zero, with_one, class_ones, strangers)


def _pairs(ones, both, class_ones, size) -> np.ndarray:
    """Counts [attribute, value, class] from those of ones, of ones in class 1, and of class 1."""
    pairs = np.empty((len(ones), 2, 2))
    pairs[:, 1, 1] = both
    pairs[:, 1, 0] = ones - both
    pairs[:, 0, 1] = class_ones - both
    pairs[:, 0, 0] = size - class_ones - ones + both
    return pairs


def _undone(reported, size, q, personal, assumed_pair) -> np.ndarray:
    """[Zhan & Matwin, Eq. 1] for every pair (attribute, class) and, as entry -1, for the class."""
    answer = np.array([1 - personal, personal])
    pair = np.outer(answer, answer) if assumed_pair is None else np.full((2, 2), assumed_pair)
    totals = reported[0].sum(axis=0)
    estimated = np.empty((len(reported) + 1, 2, 2))
    estimated[:-1] = reported if q == 0 else (reported - (1 - q) * size * pair) / q
    estimated[-1] = totals if q == 0 else (totals - (1 - q) * size * answer) / q
    return estimated


@njit(cache=True)
def _log_odds(estimated, alpha):
    """log P(class 1, value) - log P(class 0, value) of every attribute; last, of the classes."""
    k = len(estimated) - 1
    odds = np.empty((k + 1, 2))
    for a in range(k):
        low = max(estimated[a, 0, 0], 0.0) + alpha, max(estimated[a, 1, 0], 0.0) + alpha
        high = max(estimated[a, 0, 1], 0.0) + alpha, max(estimated[a, 1, 1], 0.0) + alpha
        for value in range(2):
            odds[a, value] = np.log(high[value] / (high[0] + high[1])) - np.log(
                low[value] / (low[0] + low[1])
            )
    prior0, prior1 = max(estimated[k, 0, 0], 0.0), max(estimated[k, 0, 1], 0.0)
    odds[k, :] = np.log(prior1) - np.log(prior0)
    return odds


@njit(cache=True)
def _right_answers(codes, truth, train, odds, k):
    """For each class: right answers and records among those outside the training mask.

    The log odds of a record are a sum over attributes; two tables over half of the attributes each
    make it two look-ups.
    """
    half = k // 2
    first = _sums(odds[:half])
    second = _sums(odds[half:k])
    bias = odds[k, 0]
    low = np.uint32((1 << half) - 1)
    right = np.zeros((2, 2), dtype=np.int64)
    for i in range(len(codes)):
        if (train[i >> 6] >> np.uint64(i & 63)) & np.uint64(1):
            continue
        code = codes[i]
        guess = bias + (first[code & low] + second[code >> np.uint32(half)]) > 0
        right[truth[i], 1] += 1
        right[truth[i], 0] += guess == truth[i]
    return right


@njit(cache=True)
def _sums(odds):
    """The sum of log odds for every combination of values of a few attributes."""
    table = np.zeros(1 << len(odds))
    for code in range(len(table)):
        for a in range(len(odds)):
            table[code] += odds[a, (code >> a) & 1]
    return table
