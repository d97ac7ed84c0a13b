"""Tables: counting, marginals, slices, storage."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from ppdm import Domain, Table, count
from ppdm.domain import DENSE_LIMIT, encode, from_level_numbers
from ppdm.table import Pairs


@st.composite
def frames(draw):
    """Small frames of binary and categorical attributes."""
    rows = draw(st.integers(1, 30))
    columns = {}
    for axis in range(draw(st.integers(1, 4))):
        levels = draw(st.sampled_from([(0, 1), ("a", "b", "c"), ("no", "yes")]))
        values = draw(st.lists(st.sampled_from(levels), min_size=rows, max_size=rows))
        column = pd.Series(values)
        columns[f"x{axis}"] = (
            column if levels == (0, 1) else column.astype(pd.CategoricalDtype(levels))
        )
    return pd.DataFrame(columns)


@given(frames(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_counts_marginals_and_expressions_agree_with_pandas(frame, random):
    table = count(frame)
    some = random.sample(list(frame.columns), random.randint(1, frame.shape[1]))
    expected = frame.groupby(some, observed=False).size()
    for storage in (table.densified(), table.sparsified()):
        assert storage.total == len(frame)
        np.testing.assert_array_equal(
            storage.marginal(*some).dense.reshape(-1),
            expected.reindex(
                pd.MultiIndex.from_product([table.domain.only([n]).levels[0] for n in some])
                if len(some) > 1
                else list(table.domain.only(some).levels[0]),
                fill_value=0,
            ).to_numpy(),
        )
        record = frame.iloc[random.randrange(len(frame))]
        expression = {name: record[name] for name in some}
        hits = (frame[some] == record[some]).all(axis=1).sum()
        assert storage.n(expression) == hits
        assert storage.p(expression) == pytest.approx(hits / len(frame), abs=1e-15)
        assert storage.where(expression).total == hits


@given(frames())
@settings(max_examples=40, deadline=None)
def test_records_survive_coding_and_tables_survive_pandas(frame):
    codes, domain = encode(frame)
    again = from_level_numbers([*domain.digits(codes).T], domain, like=frame)
    pd.testing.assert_frame_equal(again, frame)
    table = count(frame)
    again = Table.from_frame(table.to_frame(), levels=dict(zip(domain.names, domain.levels)))
    np.testing.assert_array_equal(again.dense, table.dense)


def test_a_survey_of_forty_questions_is_counted_sparsely():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (500, 40)), columns=[f"q{i}" for i in range(40)])
    table = count(frame)
    assert table.is_sparse
    assert table.total == 500
    pair = frame.groupby(["q3", "q39"]).size().to_numpy().reshape(2, 2)
    np.testing.assert_array_equal(table.marginal("q3", "q39").dense, pair)
    with pytest.raises(ValueError, match="does not fit in memory"):
        table.dense  # noqa: B018


def test_storage_follows_the_number_of_records():
    few = pd.DataFrame(np.zeros((10, 14), dtype=int))
    few.columns = [f"a{i}" for i in range(14)]
    assert count(few).is_sparse
    assert not count(pd.concat([few] * 1000)).is_sparse
    assert DENSE_LIMIT >= 2**20


def test_adding_pools_counts_and_refuses_other_domains():
    one = count(pd.DataFrame({"A": [0, 1], "B": [0, 1]}))
    two = count(pd.DataFrame({"A": [1, 1], "B": [1, 0]}))
    for left in (one, one.sparsified()):
        for right in (two, two.sparsified()):
            np.testing.assert_array_equal((left + right).dense, [[1, 0], [1, 2]])
    with pytest.raises(ValueError, match="different domains"):
        one + count(pd.DataFrame({"A": [0]}))


@pytest.mark.parametrize(
    ("frame", "levels", "message"),
    [
        ({"A": [0, 1, None]}, None, "column 'A' has missing values .first in row 2."),
        (
            {"A": ["x", "z"]},
            {"A": ["x", "y"]},
            "value 'z' .row 1., which is not among its levels x, y",
        ),
        ({"A": [0]}, {"B": [0, 1]}, "levels name B; the frame has A"),
        ({"A": [1, "x"]}, None, "of different types, which have no order"),
    ],
)
def test_frames_that_cannot_be_coded_are_refused(frame, levels, message):
    with pytest.raises(ValueError, match=message):
        count(pd.DataFrame(frame), levels)


def test_unknown_names_and_levels_are_refused():
    table = count(pd.DataFrame({"A": [0, 1]}))
    with pytest.raises(ValueError, match="unknown attribute 'B'; the table has A"):
        table.p(B=1)
    with pytest.raises(ValueError, match="'A' has no level 7; its levels are 0, 1"):
        table.p(A=7)


# -- pairs, splits, entropy ----------------------------------------------------------------


@given(frames(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_pairs_are_the_marginals_with_the_target(frame, random):
    """For every target and storage, also of numbers that are no counts."""
    table = count(frame)
    values = np.random.default_rng(len(frame)).normal(size=len(table.values))
    for whole in (table, Table(table.domain, values, table.cells)):
        target = random.choice(whole.names)
        for storage in (whole.densified(), whole.sparsified()):
            pairs = storage.pairs(target)
            np.testing.assert_allclose(pairs.totals, whole.marginal(target).dense, atol=1e-12)
            for name in pairs.names:
                expected = whole.marginal(name, target)
                assert pairs.table(name).domain == expected.domain
                np.testing.assert_allclose(pairs.table(name).dense, expected.dense, atol=1e-12)
            assert not pairs.values[~np.broadcast_to(pairs.exists, pairs.values.shape)].any()
            if pairs.names:
                again = Pairs.of([pairs.table(name) for name in pairs.names], target)
                np.testing.assert_allclose(again.values, pairs.values)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=8), st.integers(0, 2**32 - 1))
@example([1, 2, 2, 2, 2, 2, 2, 2], 1)
@example([2, 2, 1, 2, 2, 3, 2, 1], 1)
@example([70, 2], 1)
@example([1, 1, 1, 200], 1)
@settings(max_examples=60, deadline=None)
def test_pairs_of_long_tables_are_sums_over_the_other_axes(sizes, seed):
    """Long enough to be folded in vectors; an attribute may have a single level."""
    domain = Domain(
        tuple(f"x{i}" for i in range(len(sizes))), tuple(tuple(range(n)) for n in sizes)
    )
    values = np.random.default_rng(seed).normal(size=sizes)
    pairs = Table(domain, values).pairs(f"x{len(sizes) - 1}")
    for axis, name in enumerate(pairs.names):
        others = tuple(i for i in range(len(sizes) - 1) if i != axis)
        np.testing.assert_allclose(pairs.table(name).dense, values.sum(axis=others), atol=1e-9)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_a_split_deals_every_record_once_and_all_hands_are_equally_likely(few, sparse):
    """Counts of one cell among 20,000 hands: hypergeometric, by chi-squared (false alarm 1e-6).

    With many records to a cell, counts are drawn instead of records.
    """
    numbers = np.array([3.0, 4.0, 0.0, 1.0]) if few else np.array([3.0, 400.0, 0.0, 1.0])
    table = Table(Domain(("A", "B"), ((0, 1), (0, 1))), numbers)
    table = table.sparsified() if sparse else table
    rng, size, hands = np.random.default_rng(1), round(table.total / 2), []
    for _ in range(20_000):
        first, rest = table.split(size, rng)
        hands.append(first.n(A=0, B=0))
    assert first.total == size and (first + rest).dense.tolist() == table.dense.tolist()
    law = stats.hypergeom(int(table.total), 3, size).pmf(range(4)) * len(hands)
    assert stats.chisquare(np.bincount(np.array(hands, dtype=int), minlength=4), law).pvalue > 1e-6


def test_only_counted_records_can_be_dealt():
    table = Table(Domain(("A",), ((0, 1),)), [2.5, 1])
    with pytest.raises(ValueError, match="only whole counts of records can be dealt; .* holds 2.5"):
        table.split(1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="3 records can be dealt; got size = 4"):
        count(pd.DataFrame({"A": [0, 1, 1]})).split(4, np.random.default_rng(0))


@given(frames())
@settings(max_examples=20, deadline=None)
def test_entropy_is_scipys(frame):
    table = count(frame)
    assert table.entropy() == pytest.approx(stats.entropy(table.densified().values, base=2))


# -- corners -------------------------------------------------------------------------------

FOUR = Domain(("A", "B"), ((0, 1), (0, 1)))


def test_zeros_that_a_sparse_table_stores_are_no_occupied_cells():
    table = Table(FOUR, [2, 0, 1], np.array([0, 1, 3]))
    cells, values = table.occupied()
    assert (cells.tolist(), values.tolist()) == ([0, 3], [2, 1])
    assert table.to_frame().equals(table.densified().to_frame())


def test_numbers_may_be_names():
    table = count(pd.DataFrame([[1, 0], [1, 1]]))
    assert table.marginal(0).dense.tolist() == [0, 2]
    assert table.marginal(1, 0).dense.tolist() == table.marginal([1, 0]).dense.tolist()


def test_a_class_of_many_levels_is_counted_whole():
    """More levels than a marginal is dense for: the numbers of all of them, not of those that occur."""
    many = tuple(range(5_000))
    domain = Domain(("A", "C"), ((0, 1), many))
    table = Table(domain, [1, 2], np.array([7, 5_000 + 4_999]))
    pairs = Pairs.of([table], "C")
    assert pairs.totals.shape == (5_000,) and pairs.totals[[7, 4_999]].tolist() == [1, 2]
    assert table.marginal("C").pairs("C").totals.tolist() == pairs.totals.tolist()


@pytest.mark.parametrize("target", ["A", "B", "C"])
def test_pairs_of_an_attribute_without_levels_are_refused(target):
    """Its fold would read and write beyond its end."""
    nobody = count(pd.DataFrame({n: [] for n in "ABC"}, dtype=object), dict.fromkeys("BC", (0, 1)))
    for table in (nobody, nobody.sparsified()):
        for count_pairs in (table.pairs, table.by_class):
            with pytest.raises(ValueError, match="'A' has no levels.*: declare them"):
                count_pairs(target)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: count(pd.DataFrame({"A": ["a"]}), {"A": ("a", "a", "b")}),
            "the levels of 'A' must differ .*: a, a, b",
        ),
        (lambda: Domain(("A",), ((0, 1, True),)), "the levels of 'A' must differ"),
        (lambda: FOUR.with_levels({"B": ("y", "y")}), "the levels of 'B' must differ"),
        (lambda: Domain(("A", "B"), ((0, 1),)), "2 attributes need as many .*; 1 given"),
        (lambda: Table(FOUR, np.zeros(4)).p(A=1), "a table with total 0 has no proportions"),
        (
            lambda: count(pd.DataFrame({"A": [1], "B": [0], "AB": [1]}), names="AB"),
            "names is a list of columns; got the bare name 'AB'",
        ),
    ],
)
def test_what_makes_no_table_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
