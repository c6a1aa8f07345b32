import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.coders import naive
from tests.coders.coding import (
    RARE_COUNTS,
    RARE_SIGS,
    is_class,
    naive_rows,
    pooled_whole,
    rows_to_code,
)
from tests.statistics.rows import Example, assert_same_sums, law, naive_sums
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.statistics.level_view import held_out_view, training_view


@law
@given(rows_to_code(None), st.sampled_from(RARE_COUNTS), st.sampled_from(RARE_SIGS))
def test_levels_are_kept_pooled_and_suppressed_as_by_a_loop(example, rare_count, rare_sig):
    pooled = pooled_whole(example, rare_count, rare_sig)
    levels = naive.levels_of(naive_rows(example), rare_count, rare_sig, is_class(example))
    for code in range(example.n_levels):
        level = code or None
        assert pooled.pooled[code] == (level not in levels.groups)
        assert pooled.suppressed[code] == (level in levels.suppressed)
    assert pooled.pool_known[0] == (naive.POOL in levels.groups)
    assert pooled.pool_suppressed[0] == (naive.POOL in levels.suppressed)
    assert pooled.pool_coded[0] == (naive.POOL in levels.groups.keys() - levels.suppressed)


@law
@given(rows_to_code(None), st.sampled_from(RARE_COUNTS))
def test_the_pool_sums_the_rows_of_rare_levels(example, rare_count):
    view = held_out_view(example.table(), example.n_folds)
    pool = pool_levels(view, rare_count, None, is_class(example)).pool
    for fold in range(example.n_folds):
        rest = example.where(example.fold != fold)
        rare = np.bincount(rest.code, rest.w, example.n_levels) <= rare_count
        pooled = rare[rest.code]
        found = pool.weight[fold], pool.mean[fold], pool.squares[fold]
        expected = naive_sums(rest.y[pooled], rest.w[pooled])
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@law
@given(rows_to_code(None), st.sampled_from(RARE_COUNTS))
def test_sums_over_kept_levels_count_the_pool_as_one(example, rare_count):
    view = held_out_view(example.table(), example.n_folds)
    pooled = pool_levels(view, rare_count, None, is_class(example))
    count = pooled.sum_over_kept(lambda sums: (sums.weight > 0).astype(float))
    weights = pooled.sum_over_kept(lambda sums: sums.weight**2)
    for fold in range(example.n_folds):
        rest = naive_rows(example.where(example.fold != fold))
        groups = naive.levels_of(rest, rare_count).groups.values()
        assert count[fold] == len(groups)
        expected = float(sum(naive.weight_of(group) ** 2 for group in groups))
        np.testing.assert_allclose(weights[fold], expected)


@law
@given(rows_to_code(None), st.sampled_from(RARE_COUNTS))
def test_a_training_view_pools_as_the_held_out_view_does(example, rare_count):
    table = example.table()
    sets = [table.held_out(fold).by_level() for fold in range(example.n_folds)]
    views = training_view(sets), held_out_view(table, example.n_folds)
    trained, held_out = (pool_levels(v, rare_count, None, is_class(example)) for v in views)
    entry = table.fold.astype(int) * table.n_levels + table.level
    np.testing.assert_array_equal(trained.pooled[entry], held_out.pooled)
    np.testing.assert_array_equal(trained.pool_known, held_out.pool_known)
    assert_same_sums(trained.pool, held_out.pool)


@pytest.mark.parametrize("rare_sig", [None, 1.0])
def test_without_a_level_below_one_nothing_is_suppressed(rare_sig):
    y = np.array([1.0, 2.0, 1.0, 2.0])
    example = Example(np.array([0, 0, 1, 1]), 2, y, None, np.zeros(4, dtype=int), 1)
    assert not pooled_whole(example, 0, rare_sig).suppressed.any()
    assert pooled_whole(example, 0, 0.9).suppressed.all()


def test_codes_are_assigned_by_state():
    # Levels: kept, suppressed, rare, never seen; two rare rows make a pool.
    y = np.repeat([9.0, 1.0, 5.0, 1.0], [4, 8, 1, 8]) + np.tile([0.0, 0.5, 0.25], 7)
    code = np.repeat([0, 1, 2, 4], [4, 8, 1, 8])
    example = Example(code, 5, y, None, np.zeros(21, dtype=int), 1)
    pooled = pooled_whole(example, 1, 0.5)
    own, pool, otherwise = np.arange(10.0, 15.0), np.array([7.0]), np.array([-1.0])
    codes, novel = pooled.assign(own, pool, otherwise)
    assert pooled.pool_suppressed[0]
    assert codes[2] == codes[3] == novel[0] == -1
    assert codes[0] == 10
