import numpy as np
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
from tests.statistics.rows import Example, examples, law
from tests.statistics.test_moments import assert_same_moments
from vtreat_py.coders.lev import (
    indicator_moments,
    indicator_points,
    indicator_sample,
    tracked_levels,
)
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.statistics.level_view import training_view
from vtreat_py.statistics.moments import Moments

MIN_FRACTIONS = [0.0, 0.1, 0.25]


def assert_tracked(found, pool, example, rare_count, rare_sig, min_fraction):
    levels = naive.levels_of(naive_rows(example), rare_count, rare_sig, is_class(example))
    expected = naive.lev(levels, min_fraction)
    assert found.tolist() == [(code or None) in expected for code in range(example.n_levels)]
    assert pool == (naive.POOL in expected)


@law
@given(
    rows_to_code(None),
    st.sampled_from(RARE_COUNTS),
    st.sampled_from(RARE_SIGS),
    st.sampled_from(MIN_FRACTIONS),
)
def test_tracked_levels_are_those_of_a_loop(example, rare_count, rare_sig, min_fraction):
    pooled = pooled_whole(example, rare_count, rare_sig)
    levels, pools = tracked_levels(pooled, min_fraction)
    assert_tracked(levels, pools[0], example, rare_count, rare_sig, min_fraction)


@law
@given(
    rows_to_code(None),
    st.sampled_from(RARE_COUNTS),
    st.sampled_from(RARE_SIGS),
    st.sampled_from(MIN_FRACTIONS),
)
def test_a_fold_tracks_the_levels_of_the_rows_outside(example, rare_count, rare_sig, min_fraction):
    table, n = example.table(), example.n_levels
    view = training_view([table.held_out(k).by_level() for k in range(example.n_folds)])
    pooled = pool_levels(view, rare_count, rare_sig, is_class(example))
    levels, pools = tracked_levels(pooled, min_fraction)
    for fold in range(example.n_folds):
        rest = example.where(example.fold != fold)
        found = levels[fold * n : (fold + 1) * n]
        assert_tracked(found, pools[fold], rest, rare_count, rare_sig, min_fraction)


def test_a_level_of_exactly_the_least_share_is_tracked():
    code = np.repeat([0, 1], [1, 9])
    example = Example(code, 2, np.arange(10.0), None, np.zeros(10, dtype=int), 1)
    assert tracked_levels(pooled_whole(example), 0.1)[0].tolist() == [True, True]
    assert tracked_levels(pooled_whole(example), 0.11)[0].tolist() == [False, True]


@law
@given(examples().filter(lambda example: example.w.sum() > 0))
def test_indicator_moments_are_those_of_a_column_of_zeros_and_ones(example):
    sums, one = example.sums(), np.zeros(len(example), dtype=int)
    moments = indicator_moments(sums, sums.merged())
    for level in range(example.n_levels):
        x = (example.code == level).astype(float)
        expected = Moments.of_rows(one, 1, x, example.y, example.weight)
        assert_same_moments(moments.take(slice(level, level + 1)), expected)


@law
@given(examples("class").filter(lambda example: example.w.sum() > 0))
def test_indicator_points_hold_the_rows_without_and_with_the_level(example):
    sums = example.sums()
    x, total, hits = indicator_points(sums, sums.merged())
    for level in range(example.n_levels):
        on = example.code == level
        weight = example.w[~on].sum(), example.w[on].sum()
        target = (example.w * example.y)[~on].sum(), (example.w * example.y)[on].sum()
        np.testing.assert_array_equal(x[level], [0, 1])
        np.testing.assert_allclose(total[level], weight, atol=1e-12)
        np.testing.assert_allclose(hits[level], target, atol=1e-12)


def test_indicator_moments_of_several_training_sets_go_set_by_set():
    example = Example(np.array([0, 1, 1]), 2, np.arange(3.0), None, np.zeros(3, dtype=int), 1)
    sums = example.sums()
    apart = indicator_moments(sums, sums + sums)
    alone = indicator_moments(sums.take(slice(0, 1)), (sums + sums).take(slice(0, 1)))
    assert_same_moments(apart.take(slice(0, 1)), alone)


def test_an_indicator_over_all_rows_follows_from_two_weights() -> None:
    sample = indicator_sample(3.0, 12.0)
    np.testing.assert_allclose(sample.values, (np.array([0.0, 1.0]) - 0.25) / np.sqrt(0.1875))
    np.testing.assert_array_equal(sample.rows, [9.0, 3.0])
