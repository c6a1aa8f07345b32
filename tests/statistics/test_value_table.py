"""The value table: exact up to its limit, coarser above it, the same whatever the parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import law
from vtreat_py.statistics import value_table
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.value_table import ALL_BITS, ValueTable

LIMIT = 8


@pytest.fixture(autouse=True)
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_table, "MOST_VALUES", LIMIT)


def table_of(x: Any, block: Any, y: Any = None, weight: Any = None) -> ValueTable:
    y = np.zeros(len(x), dtype=np.int8) if y is None else y
    return ValueTable.of_rows(np.array(x, dtype=float), np.asarray(block), y, weight)


def cells(table: ValueTable) -> list[Any]:
    return [table.bits, table.value.tolist(), table.block.tolist(), table.cells.weight.tolist()]


def assert_same_sums(one: ValueTable, other: ValueTable) -> None:
    assert cells(one) == cells(other)
    for name in ("x", "y", "xx", "xy", "yy"):
        ours, theirs = getattr(one.cells, name), getattr(other.cells, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9, err_msg=name)


finite = st.floats(-1e6, 1e6).map(lambda x: x or 0.0)
awkward = st.sampled_from(
    [0.0, -0.0, 1e300, -1e300, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e9 + 0.5]
)
rows = st.lists(
    st.tuples(finite | awkward | st.integers(-9, 9).map(float), st.integers(0, 2), finite),
    min_size=1,
    max_size=40,
)


def of_rows(drawn: list[Any]) -> ValueTable:
    x, block, y = zip(*drawn, strict=True)
    return table_of(x, np.array(block), np.array(y, dtype=float))


def naive_cells(drawn: list[Any], bits: int) -> dict[tuple[float, int], list[float]]:
    """Values of each cell: a bin is named by its end nearer to 0."""
    found: dict[tuple[float, int], list[float]] = {}
    for x, block, _ in drawn:
        pattern = np.array(x + 0.0).view(np.uint64) >> np.uint64(ALL_BITS - bits)
        end = float((pattern << np.uint64(ALL_BITS - bits)).view(np.float64)) + 0.0
        found.setdefault((end, block), []).append(x)
    return found


@law
@given(rows)
def test_it_has_the_sums_of_each_value_in_each_block(drawn: list[Any]) -> None:
    table = of_rows(drawn)
    expected = naive_cells(drawn, table.bits)
    names = list(zip(table.value.tolist(), table.block.tolist(), strict=True))
    assert names == sorted(expected)
    assert table.cells.weight.tolist() == [len(expected[name]) for name in names]
    values, weight = table.points(table.cells.weight)
    assert weight.sum() == len(drawn)
    ends = {end for end, _ in names}
    means = [
        np.mean([x for (e, _), xs in expected.items() if e == end for x in xs]) for end in ends
    ]
    np.testing.assert_allclose(values, sorted(means), rtol=1e-12, atol=1e-300)


@law
@given(rows)
def test_as_many_digits_are_kept_as_fit_the_limit(drawn: list[Any]) -> None:
    table = of_rows(drawn)
    different = {x + 0.0 for x, _, _ in drawn}
    if len(different) <= LIMIT:
        assert table.bits == ALL_BITS
        assert set(table.values) == different
    elif table.bits >= 0:
        assert len({end for end, _ in naive_cells(drawn, table.bits)}) <= LIMIT
        assert len({end for end, _ in naive_cells(drawn, table.bits + 1)}) > LIMIT


moderate = st.lists(
    st.tuples(st.floats(-99, 99) | st.integers(-9, 9).map(float), st.integers(0, 2), finite),
    min_size=1,
    max_size=40,
)


def test_the_least_negative_values_are_0_when_their_digits_go() -> None:
    values = [1.5, 0.5, 0.25, -2.3e-309, 0.0, 1.0, 3.0, 4.0, 5.0, 2.0]
    whole, block = table_of(values, [0] * 10), [0] * 5
    parts = table_of(values[:5], block) + table_of(values[5:], block)
    assert whole.bits == 1
    assert_same_sums(parts, whole)


@law
@given(moderate, st.data())
def test_parts_add_up_to_the_table_of_all_rows(drawn: list[Any], data: st.DataObject) -> None:
    part = data.draw(st.lists(st.integers(0, 2), min_size=len(drawn), max_size=len(drawn)))
    parts = [[r for r, k in zip(drawn, part, strict=True) if k == p] for p in range(3)]
    tables = [of_rows(p) for p in parts if p]
    whole = of_rows(drawn)
    forwards = backwards = tables[0]
    for table in tables[1:]:
        forwards, backwards = forwards + table, table + backwards
    assert_same_sums(forwards, whole)
    assert_same_sums(backwards, whole)


@law
@given(moderate, moderate)
def test_what_was_added_can_be_taken_away(one: list[Any], other: list[Any]) -> None:
    first, second = of_rows(one), of_rows(other)
    left = first + second - second
    coarse = first.coarsened((first + second).bits)
    assert cells(left) == cells(coarse)
    np.testing.assert_allclose(left.cells.x, coarse.cells.x, atol=1e-9)
    np.testing.assert_allclose(left.cells.y, coarse.cells.y, atol=1e-6)


@law
@given(moderate)
def test_moments_are_those_of_the_rows(drawn: list[Any]) -> None:
    x, block, y = (np.array(column) for column in zip(*drawn, strict=True))
    table = of_rows(drawn)
    near = table.coordinates()
    n_blocks = 3
    found = table.moments(near).grouped(table.block, n_blocks)
    expected = Moments.of_rows(block, n_blocks, near.inner(x), y)
    np.testing.assert_array_equal(found.weight, expected.weight)
    for name in ("x", "y", "xx", "xy", "yy"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        size = np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * (1 + size), err_msg=name)


def test_class_counts_are_equal_in_every_bit_whatever_the_parts() -> None:
    random = np.random.default_rng(0)
    x, block = random.integers(0, LIMIT, 500) * 0.1, random.integers(0, 10, 500)
    whole, (a, b) = table_of(x, block), (slice(0, 123), slice(123, 500))
    merged = table_of(x[b], block[b]) + table_of(x[a], block[a])
    assert cells(merged) == cells(whole)
    assert not whole.cells.x.any()
    assert not merged.cells.xx.any()


def test_offsets_inside_a_bin_keep_their_digits() -> None:
    x = 1e9 + np.arange(100) / 128
    table = table_of(x, np.zeros(100, dtype=int))
    assert len(table.values) <= LIMIT
    whole = table.moments(Coordinates(1e9)).merged()
    assert whole.x[0] == pytest.approx(np.mean(x - 1e9), rel=1e-14)
    assert whole.xx[0] == pytest.approx(99 * np.var(x - 1e9, ddof=1), rel=1e-12)


def test_values_at_the_end_of_the_range_do_not_overflow() -> None:
    x = np.linspace(1.0, 1.79, 50) * 1e308
    table = table_of(x, np.zeros(50, dtype=int))
    near = table.coordinates()
    whole = table.moments(near).merged()
    assert np.isfinite(whole.xx).all()
    np.testing.assert_allclose(near.outer(whole.x)[0], np.mean(x / 64) * 64, rtol=1e-12)


def test_weights_count_rows() -> None:
    x, weight = np.array([1.0, 2.0, 2.0]), np.array([3.0, 1.0, 2.0])
    table = table_of(x, [0, 0, 1], weight=weight)
    repeated = np.repeat(np.arange(3), weight.astype(int))
    assert cells(table) == cells(table_of(x[repeated], np.array([0, 0, 1])[repeated]))


@pytest.mark.parametrize(
    ("x", "block"), [([3.0], [0]), ([1.0], [1]), ([0.5], [0])], ids=["value", "block", "smaller"]
)
def test_a_part_with_other_cells_cannot_be_subtracted(x: list[float], block: list[int]) -> None:
    with pytest.raises(ValueError, match="cells this one lacks"):
        table_of([1.0, 2.0], [0, 1]) - table_of(x, block)


def test_a_coarser_table_is_no_part() -> None:
    with pytest.raises(ValueError, match="cells this one lacks"):
        table_of([1.0], [0]) - table_of(np.arange(20.0), np.zeros(20, dtype=int))


def test_finding_cells() -> None:
    table = table_of([1.0, 2.0, 2.0], [0, 0, 2])
    found = table.find(np.array([2.0, 2.0, 1.0, -0.0, 9.0]), np.array([2, 1, 0, 0, 0]))
    assert found.tolist() == [2, -1, 0, -1, -1]
    empty = table - table
    assert empty.find(np.array([1.0]), np.array([0])).tolist() == [-1]
    assert cells(empty + table) == cells(table)


def test_the_outcome_can_be_seen_from_another_point() -> None:
    table = table_of([1.0, 1.0], [0, 0], np.array([2.0, 4.0]))
    assert table.recentred(1.0).cells.y.tolist() == [2.0]
    moved = replace(table, cells=table.cells.recentred(0.0, 3.0))
    both = table + moved
    assert both.cells.y.tolist() == [3.0]
    assert both.cells.yy.tolist() == [4.0]


@law
@given(st.integers(0, 2**20), st.integers(1, 60))
def test_few_of_many_possible_cells_are_numbered(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    x, block = random.integers(0, LIMIT, n).astype(float), random.integers(0, 10_000, n)
    table = table_of(x, block)
    pairs = sorted(zip(x, block, strict=True))
    assert list(zip(table.value, table.block, strict=True)) == sorted(set(pairs))
    assert table.cells.weight.tolist() == [pairs.count(pair) for pair in sorted(set(pairs))]


def test_adding_nothing_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_table, "MOST_VALUES", 30)
    random = np.random.default_rng(0)
    for _ in range(20):
        x, block = random.normal(size=200), random.integers(0, 5, 200)
        table = ValueTable.of_rows(x, block, random.normal(size=200))
        both = (table - table) + table
        for name in ("weight", "x", "y", "xx", "xy", "yy"):
            assert np.array_equal(getattr(both.cells, name), getattr(table.cells, name)), name


def test_blocks_can_have_other_numbers() -> None:
    table = table_of([1.0, 2.0, 2.0], [0, 0, 2])
    moved = table.moved(np.array([5, 9, 1]))
    assert cells(moved) == [table.bits, [1.0, 2.0, 2.0], [5, 1, 5], [1.0, 1.0, 1.0]]
    assert cells(table.moved(np.array([3, 3, 3])))[1:] == [[1.0, 2.0], [3, 3], [1.0, 2.0]]
