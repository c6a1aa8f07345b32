from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import (
    Example,
    assert_same_cells,
    assert_same_sums,
    cells_of,
    examples,
    law,
    masks,
)
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums


def assert_same_tables(found, expected):
    assert (found.n_levels, found.n_folds) == (expected.n_levels, expected.n_folds)
    assert_same_cells(cells_of(found), cells_of(expected))


@law
@given(st.data())
def test_tables_of_two_parts_add_up_to_that_of_the_whole(data):
    example = data.draw(examples())
    part = data.draw(masks(len(example)))
    both = example.where(part).table() + example.where(~part).table()
    assert_same_tables(both, example.table())


@law
@given(st.data())
def test_the_whole_less_a_part_is_the_table_of_the_rest(data):
    example = data.draw(examples())
    part = data.draw(masks(len(example)))
    rest = example.table() - example.where(part).table()
    assert_same_tables(rest, example.where(~part).table())


@law
@given(st.data())
def test_the_order_of_rows_does_not_matter(data):
    example = data.draw(examples())
    order = np.array(data.draw(st.permutations(range(len(example)))), dtype=int)
    assert_same_tables(example.where(order).table(), example.table())


@law
@given(examples())
def test_a_table_less_one_fold_is_what_the_other_folds_hold(example):
    table = example.table()
    for fold in range(example.n_folds):
        assert_same_tables(table - table.only(fold), table.held_out(fold))


@law
@given(examples(weighted=True, whole_weights=True))
def test_a_whole_weight_stands_for_repeated_rows(example):
    assert_same_tables(example.table(), example.repeated().table())


@law
@given(examples())
def test_held_out_is_the_table_of_the_rows_outside_a_fold(example):
    for fold in range(example.n_folds):
        rest = example.where(example.fold != fold)
        assert_same_tables(example.table().held_out(fold), rest.table())


@law
@given(examples())
def test_only_is_the_table_of_the_rows_of_a_fold(example):
    for fold in range(example.n_folds):
        own = example.where(example.fold == fold)
        assert_same_tables(example.table().only(fold), own.table())


@law
@given(examples())
def test_before_is_the_table_of_the_rows_of_earlier_folds(example):
    for fold in range(example.n_folds):
        past = example.where(example.fold < fold)
        assert_same_tables(example.table().before(fold), past.table())


@law
@given(examples())
def test_by_level_and_by_fold_sum_the_rows(example):
    table = example.table()
    assert_same_sums(table.by_level(), example.sums())
    by_fold = OutcomeSums.of_rows(example.fold, example.n_folds, example.y, example.weight)
    assert_same_sums(table.by_fold(), by_fold)


@law
@given(examples())
def test_held_out_folds_are_the_sums_of_the_rows_outside(example):
    table = example.table()
    folds = table.held_out_folds()
    for fold in range(example.n_folds):
        merged = table.held_out(fold).by_level().merged()
        assert_same_sums(folds.take(slice(fold, fold + 1)), merged)


def assert_cells_are_held_out(table):
    """Compare `held_out_cells` with what `held_out` says, cell by cell."""
    cells = table.held_out_cells()
    known = [table.held_out(fold).by_level() for fold in range(table.n_folds)]
    for cell, (level, fold) in enumerate(zip(table.level, table.fold, strict=True)):
        expected = known[fold].take(slice(level, level + 1))
        assert_same_sums(cells.take(slice(cell, cell + 1)), expected)


@law
@given(examples())
def test_held_out_cells_are_what_held_out_says(example):
    assert_cells_are_held_out(example.table())


def example_of(cells, n_levels, n_folds, seed=0):
    """Three rows for each of the given (level, fold) cells."""
    code, fold = (np.repeat(np.array(side, dtype=np.int64), 3) for side in zip(*cells, strict=True))
    y = np.random.default_rng(seed).normal(size=len(code))
    return Example(code, n_levels, y, None, fold, n_folds)


ALL_CELLS = [(level, fold) for level in range(4) for fold in range(3)]
FEW_CELLS = [(0, 0), (0, 1), (0, 2), (2, 1), (5, 0), (5, 2), (9, 1), (9, 2)]


def test_held_out_cells_of_a_full_table_are_what_held_out_says():
    table = example_of(ALL_CELLS, 4, 3).table()
    assert table.n_folds * table.n_levels <= 2 * len(table.level)
    assert_cells_are_held_out(table)


def test_held_out_cells_of_a_sparse_table_are_what_held_out_says():
    table = example_of(FEW_CELLS, 12, 3).table()
    assert table.n_folds * table.n_levels > 2 * len(table.level)
    assert_cells_are_held_out(table)


def test_both_ways_to_held_out_cells_agree():
    full = example_of(ALL_CELLS, 4, 3).table()
    sparse = replace(full, n_levels=400)
    dense, scanned = full.held_out_cells(), sparse.held_out_cells()
    np.testing.assert_array_equal(dense.weight, scanned.weight)
    np.testing.assert_allclose(dense.total, scanned.total, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(dense.squares, scanned.squares, rtol=1e-13)


@pytest.mark.parametrize("n_levels", [4, 400])
def test_own_rows_leave_no_trace_in_held_out_cells(n_levels):
    example = example_of(ALL_CELLS, n_levels, 3)
    y = example.y.copy()
    y[0] += 1e12
    before, after = example.table(), replace(example, y=y).table()
    assert before.held_out_cells().total[0] == after.held_out_cells().total[0]
    assert before.held_out_cells().squares[0] == after.held_out_cells().squares[0]


@pytest.mark.parametrize("n_levels", [4, 400])
def test_levels_a_billion_apart_keep_their_held_out_squares(n_levels):
    example = example_of(ALL_CELLS, n_levels, 3)
    far = example.y + 1e9 * (example.code == 1)
    centre = far.mean()
    table = replace(example, y=far - centre, centre=centre).table()
    expected = example.table()
    squares = table.held_out_cells().squares
    np.testing.assert_allclose(squares, expected.held_out_cells().squares, rtol=1e-6)
    np.testing.assert_allclose(table.by_level().squares, expected.by_level().squares, rtol=1e-6)


def test_one_fold_holds_nothing_out():
    table = example_of([(0, 0), (1, 0)], 2, 1).table()
    assert not table.held_out_cells().weight.any()
    assert not table.held_out_folds().weight.any()


def test_an_empty_table_holds_nothing():
    empty = example_of(ALL_CELLS, 4, 3).table().only(7)
    assert len(empty.held_out_cells().weight) == 0
    np.testing.assert_array_equal(empty.by_level().weight, np.zeros(4))
    assert_same_tables(empty - empty, empty)


def test_of_cells_sorts_merges_and_drops_empty_cells():
    level, fold = np.array([1, 0, 1, 0]), np.array([0, 1, 0, 0])
    sums = OutcomeSums(np.array([1.0, 2.0, 3.0, 0.0]), np.array([4.0, 6.0, 0.0, 0.0]), np.zeros(4))
    table = LevelTable.of_cells(2, 2, level, fold, sums)
    assert cells_of(table, weightless=True) == {(0, 1): (2.0, 3.0, 0.0), (1, 0): (4.0, 1.0, 12.0)}


def test_a_table_lacking_a_cell_cannot_be_subtracted_from():
    table = example_of(ALL_CELLS, 4, 3).table()
    with pytest.raises(ValueError, match="has cells this one lacks"):
        table.held_out(1) - table.only(1)
    with pytest.raises(ValueError, match="has cells this one lacks"):
        table.only(7) - table


def test_tables_of_different_shape_do_not_fit():
    small, large = example_of(ALL_CELLS, 4, 3).table(), example_of(ALL_CELLS, 5, 3).table()
    with pytest.raises(ValueError, match="4 levels x 3 folds and of 5 x 3 do not fit"):
        small + large
    with pytest.raises(ValueError, match="do not fit"):
        large - small


def test_arrays_cannot_be_written_to():
    table = example_of(ALL_CELLS, 4, 3).table()
    with pytest.raises(ValueError, match="read-only"):
        table.level[0] = 1


def test_finding_cells():
    table = example_of(ALL_CELLS, 4, 3).table()
    np.testing.assert_array_equal(table.find(table.level, table.fold), np.arange(len(table.level)))
    only = table.only(1)
    assert only.find(np.array([0, 0, 9]), np.array([0, 1, 1])).tolist() == [-1, 0, -1]
    assert table.only(7).find(np.array([0]), np.array([0])).tolist() == [-1]
