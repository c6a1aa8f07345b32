"""The table of pairs: exact up to its limit, coarser above it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import law
from vtreat_py.statistics import pair_table
from vtreat_py.statistics.pair_table import PairTable
from vtreat_py.statistics.value_table import ALL_BITS, truncated

LIMIT = 8


@pytest.fixture(autouse=True)
def few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_table, "MOST_PAIRS", LIMIT)


def table_of(rows: Any) -> PairTable:
    first, second, weight = np.array(rows, dtype=float).reshape(-1, 3).T
    return PairTable.of_rows(first, second, weight)


def assert_same(one: PairTable, other: PairTable) -> None:
    assert one.bits == other.bits
    np.testing.assert_array_equal(one.first, other.first)
    np.testing.assert_array_equal(one.second, other.second)
    np.testing.assert_allclose(one.sums, other.sums, rtol=1e-12)


ROWS = st.lists(
    st.tuples(st.sampled_from([0.1, 1.0, 2.5, 1e6]), st.integers(0, 4), st.integers(1, 3)),
    max_size=30,
)


@law
@given(ROWS, ROWS)
def test_tables_add_and_subtract(ours: Any, theirs: Any) -> None:
    one, two, both = table_of(ours), table_of(theirs), table_of([*ours, *theirs])
    assert_same(one + two, both)
    if both.bits == ALL_BITS:
        assert_same(both - two, one)


def test_of_many_pairs_some_digits_are_kept() -> None:
    random = np.random.default_rng(0)
    rows = np.column_stack([1.0 + random.random(50), random.integers(0, 2, 50), np.ones(50)])
    found = table_of(rows)
    assert found.bits < ALL_BITS
    assert LIMIT / 2 < len(found.first) <= LIMIT
    np.testing.assert_array_equal(truncated(found.first, found.bits), found.first)
    first, second = found.points()
    assert (first >= found.first).all()
    assert (found.weight * first).sum() == pytest.approx(rows[:, 0].sum())
    assert (found.weight * second).sum() == rows[:, 1].sum()
    part = table_of(rows[:5])  # which has all digits
    left = found - part
    assert left.bits == found.bits
    assert left.weight.sum() == 45.0
    assert_same(left + part, found)


def test_few_pairs_are_what_they_are() -> None:
    first, second = table_of([(2.5, 1.0, 2.0), (0.1, 0.0, 1.0)]).points()
    assert (first.tolist(), second.tolist()) == ([0.1, 2.5], [0.0, 1.0])


def test_no_rows() -> None:
    none, some = table_of([]), table_of([(1.0, 2.0, 3.0)])
    assert len(none.weight) == 0
    assert_same(none + some, some)
    assert_same(some - some, none)


def test_weights_of_pairs_of_another_table() -> None:
    first, second = np.array([1.0, 2.0, 1.0, 3.0]), np.array([0.0, 1.0, 0.0, 2.0])
    table = PairTable.of_rows(first, second, np.array([1.0, 2.0, 4.0, 8.0]))
    other = PairTable.of_rows(
        np.array([0.5, 1.0, 3.0, 4.0]), np.array([0.0, 0.0, 2.0, 2.0]), np.ones(4)
    )
    assert table.weight_of(other).tolist() == [0.0, 5.0, 8.0, 0.0]
    none = PairTable.of_rows(np.empty(0), np.empty(0), np.empty(0))
    assert none.weight_of(other).tolist() == [0.0] * 4
    assert table.weight_of(none).tolist() == []
