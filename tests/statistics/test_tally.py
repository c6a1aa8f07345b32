from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import (
    OUTCOMES,
    Example,
    assert_same_cells,
    assert_same_sums,
    cells_of,
    examples,
    law,
    naive_cells,
)
from vtreat_py.statistics.tally import Rows, blocks, tally, tally_classes

# With so many levels for a few rows, only the pairs that occur are numbered.
FAR = 60_000


def sparse(example, far=FAR):
    """Return the same rows with their codes far apart."""
    return replace(example, code=example.code * far, n_levels=example.n_levels * far)


@law
@given(examples())
def test_cells_are_those_of_a_loop(example):
    assert_same_cells(cells_of(example.table(), weightless=True), naive_cells(example))


@law
@given(examples())
def test_cells_among_many_levels_are_those_of_a_loop(example):
    example = sparse(example)
    assert_same_cells(cells_of(example.table(), weightless=True), naive_cells(example))


@pytest.mark.parametrize("many_levels", [False, True])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_rows_of_weight_zero_keep_their_cells(outcome, many_levels):
    y = np.array([1, 0, 1], dtype=np.int8 if outcome == "class" else float)
    weight, fold = np.array([0.0, 2.0, 1.0]), np.array([0, 1, 1])
    example = Example(np.array([0, 0, 1]), 2, y, weight, fold, 2)
    table = (sparse(example) if many_levels else example).table()
    np.testing.assert_array_equal(table.cells.weight, [0.0, 2.0, 1.0])
    np.testing.assert_array_equal(table.cells.total, [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(table.cells.squares, [0.0, 0.0, 0.0])


def large(outcome, weighted):
    """More rows than are summed at once."""
    random = np.random.default_rng(3)
    n = 150_000
    y = random.integers(2, size=n, dtype=np.int8) if outcome == "class" else random.normal(size=n)
    weight = random.integers(0, 4, n) / 2 if weighted else None
    code, fold = random.integers(5, size=n, dtype=np.int32), random.integers(3, size=n)
    return Example(code, 5, y, weight, fold.astype(np.uint8), 3)


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_blocks_are_those_of_a_loop(outcome, weighted):
    example = large(outcome, weighted)
    assert_same_cells(cells_of(example.table()), naive_cells(example), scale=1e3)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_sums_of_blocks_among_many_levels_are_those_among_few(outcome):
    few = large(outcome, weighted=True)
    found, expected = sparse(few, 500_000).table(), few.table()
    np.testing.assert_array_equal(found.level, expected.level * 500_000)
    np.testing.assert_array_equal(found.fold, expected.fold)
    np.testing.assert_allclose(found.cells.weight, expected.cells.weight)
    np.testing.assert_allclose(found.cells.total, expected.cells.total)
    np.testing.assert_allclose(found.cells.squares, expected.cells.squares)


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_levels_a_billion_apart_keep_their_inner_squares(weighted):
    example = large("number", weighted)
    far = example.y + 1e9 * (example.code == 2)
    apart = replace(example, y=far - far.mean(), centre=far.mean())
    squares = apart.table().by_level().squares
    np.testing.assert_allclose(squares, example.table().by_level().squares, rtol=1e-5)


def test_an_offset_of_a_billion_costs_no_digits():
    example = large("number", weighted=False)
    offset = replace(example, y=(example.y + 1e9) - 1e9, centre=1e9).table()
    np.testing.assert_allclose(offset.cells.squares, example.table().cells.squares, rtol=1e-6)


@law
@given(examples())
def test_the_index_finds_the_cell_of_each_row(example):
    for rows in (example, sparse(example)):
        table, index = tally(rows.code, rows.n_levels, rows.rows)
        place = np.full(len(rows), np.nan)
        index.spread(np.arange(len(table.level), dtype=float), place)
        cell = place.astype(int)
        np.testing.assert_array_equal(table.level[cell], rows.code)
        np.testing.assert_array_equal(table.fold[cell], rows.fold)


def test_the_index_finds_the_cell_of_each_row_of_several_blocks():
    example = large("class", weighted=False)
    table, index = tally(example.code, example.n_levels, example.rows)
    level = np.empty(len(example))
    index.spread(table.level.astype(float), level)
    np.testing.assert_array_equal(level, example.code)


def test_no_rows_make_no_cells():
    example = large("number", weighted=True).where(np.zeros(150_000, dtype=bool))
    for rows in (example, sparse(example)):
        assert len(rows.table().level) == 0


def test_inputs_are_left_alone():
    example = large("class", weighted=True)
    arrays = example.code, example.y, example.weight, example.fold
    before = [values.copy() for values in arrays]
    example.table()
    for values, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(values, copy)


def test_blocks_cover_the_rows():
    assert list(blocks(7, 3)) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert list(blocks(0, 3)) == []


@law
@given(examples(), st.data())
def test_several_classes_are_tallied_as_each_one_against_the_others(example, data):
    n = len(example)
    own = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.uint8)
    for rows in (example, sparse(example)):
        several = Rows(own, rows.weight, rows.fold, rows.n_folds, 0.0, 3)
        tables, index = tally_classes(rows.code, rows.n_levels, several)
        assert len(tables) == 3
        for k, table in enumerate(tables):
            y = (own == k).astype(np.int8)
            alone, other = tally(
                rows.code, rows.n_levels, Rows(y, rows.weight, rows.fold, rows.n_folds)
            )
            np.testing.assert_array_equal(table.level, alone.level)
            np.testing.assert_array_equal(table.fold, alone.fold)
            np.testing.assert_array_equal(index.cell_key, other.cell_key)
            assert_same_sums(table.cells, alone.cells)


@law
@given(examples("number", weighted=True), st.data())
def test_rows_are_counted_beside_what_they_weigh(example, data):
    """Squares are then the noise of the rows that weigh something, but for one."""
    n = len(example)
    count = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=n, max_size=n)))
    noise = np.linspace(0.5, 2.0, example.n_folds)
    for rows in (example, sparse(example)):
        counted = replace(rows.rows, weight=count * rows.w, count=count, noise=noise)
        cells = tally(rows.code, rows.n_levels, counted)[0]
        plain = tally(rows.code, rows.n_levels, replace(counted, count=None, noise=None))[0]
        np.testing.assert_array_equal(cells.level, plain.level)
        np.testing.assert_array_equal(cells.fold, plain.fold)
        np.testing.assert_array_equal(cells.cells.weight, plain.cells.weight)
        np.testing.assert_array_equal(cells.cells.total, plain.cells.total)
        for place, (level, fold) in enumerate(zip(cells.level, cells.fold, strict=True)):
            own = (rows.code == level) & (rows.fold == fold)
            weighing = count[own & (rows.w > 0)].sum()
            assert cells.cells.size[place] == count[own].sum()
            assert cells.cells.squares[place] == max(weighing - 1.0, 0.0) * noise[fold]
        of_one = tally(rows.code, rows.n_levels, replace(counted, noise=1.5))[0].by_level()
        for level in np.unique(rows.code):  # of one training set: whatever its folds are
            own = rows.code == level
            weighing = count[own & (rows.w > 0)].sum()
            assert of_one.squares[level] == max(weighing - 1.0, 0.0) * 1.5
            np.testing.assert_allclose(of_one.weight[level], counted.weight[own].sum())
