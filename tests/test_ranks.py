"""The five metrics against their definitions, worked by hand and written as loops."""

import numpy as np
import pytest

from ppdm.privacy.ranks import METRICS, rank_metrics, value_difference


def ranks_by_sorting(x):
    """The place of each value after a stable sort: 1 for the smallest."""
    place = [0] * len(x)
    for rank, i in enumerate(sorted(range(len(x)), key=lambda i: x[i]), start=1):
        place[i] = rank
    return place


def metrics_as_written(A, B):
    n, m = A.shape
    moves = [
        abs(a - b)
        for j in range(m)
        for a, b in zip(ranks_by_sorting(A[:, j]), ranks_by_sorting(B[:, j]))
    ]
    mean_moves = [
        abs(a - b) for a, b in zip(ranks_by_sorting(A.mean(0)), ranks_by_sorting(B.mean(0)))
    ]
    return {
        "VD": np.sqrt(((A - B) ** 2).sum() / (A**2).sum()),
        "RP": sum(moves) / (n * m),
        "RK": moves.count(0) / (n * m),
        "CP": sum(mean_moves) / m,
        "CK": mean_moves.count(0) / m,
    }


def test_against_the_definitions_written_as_loops():
    rng = np.random.default_rng(1)
    for _ in range(20):
        A = rng.integers(1, 11, (40, 5)).astype(float)  # many ties
        B = A + rng.normal(0, 2, A.shape).round(rng.integers(3))
        ours = rank_metrics(A, B)
        assert tuple(ours) == METRICS
        assert ours == pytest.approx(metrics_as_written(A, B))


def test_no_change_and_growing_maps_keep_all_ranks():
    A = np.random.default_rng(2).normal(10, 3, (30, 4))
    assert rank_metrics(A, A) == {"VD": 0, "RP": 0, "RK": 1, "CP": 0, "CK": 1}
    moved = rank_metrics(A, A**3)
    assert (moved["RP"], moved["RK"]) == (0, 1) and moved["VD"] > 1


def test_ties_take_the_rank_that_was_asked_for():
    A = np.array([[1.0], [1.0], [2.0]])
    B = np.array([[2.0], [1.0], [3.0]])
    expected = {"ordinal": 2 / 3, "average": 1 / 3, "min": 1 / 3, "max": 1 / 3, "dense": 2 / 3}
    for ties, rp in expected.items():
        assert rank_metrics(A, B, ties=ties)["RP"] == pytest.approx(rp)


def test_refusals():
    A = np.ones((3, 2))
    with pytest.raises(ValueError, match=r"same shape, but they are \(3, 2\) and \(2, 2\)"):
        rank_metrics(A, A[:2])
    with pytest.raises(ValueError, match="missing"):
        value_difference(A, np.where(np.eye(3, 2), np.nan, A))
    with pytest.raises(ValueError, match="ties must be one of ordinal"):
        rank_metrics(A, A, ties="random")
    with pytest.raises(ValueError, match="all zero"):
        value_difference(0 * A, A)
