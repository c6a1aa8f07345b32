import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.coders import naive
from tests.coders.coding import (
    RARE_COUNTS,
    RARE_SIGS,
    assert_both,
    naive_rows,
    pooled_whole,
    rows_to_code,
)
from tests.statistics.rows import Example, law
from vtreat_py.coders.cat_d import cat_d, has_scorable_level


@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(example=rows_to_code("number"))
def test_codes_are_those_of_a_loop(assert_codes, example):
    assert_codes(example, cat_d, naive.cat_d)


@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(
    example=rows_to_code("number"),
    rare_count=st.sampled_from(RARE_COUNTS),
    rare_sig=st.sampled_from(RARE_SIGS),
)
def test_codes_of_pooled_and_suppressed_levels_are_those_of_a_loop(
    assert_codes, example, rare_count, rare_sig
):
    assert_codes(example, cat_d, naive.cat_d, rare_count, rare_sig)


def example_of(*levels):
    code = np.repeat(np.arange(len(levels)), [len(level) for level in levels])
    y = np.concatenate(levels).astype(float)
    return Example(code, len(levels), y, None, np.zeros(len(y), dtype=int), 1)


def test_a_lone_row_gets_the_largest_deviation():
    codes, novel = cat_d(pooled_whole(example_of([0, 2], [0, 6], [9])))
    np.testing.assert_allclose(codes, [2**0.5, 18**0.5, 18**0.5])
    np.testing.assert_allclose(novel, [18**0.5])


@pytest.mark.parametrize("rare_count", [0.0, 9.0])
def test_equal_outcomes_deviate_by_nothing_whatever_rounding_says(rare_count):
    y = np.full(30, 0.1) + 0.2
    w = np.random.default_rng(0).uniform(2.0, 5.0, 30)
    example = Example(np.arange(30) % 3, 3, y, w, np.zeros(30, dtype=int), 1)
    codes, novel = cat_d(pooled_whole(example, rare_count * w.sum()))
    assert not codes.any()
    assert not novel.any()


def test_lone_rows_only_get_the_deviation_of_all_rows():
    codes, novel = cat_d(pooled_whole(example_of([0], [2], [4])))
    np.testing.assert_allclose(codes, [2, 2, 2])
    np.testing.assert_allclose(novel, [2])


@law
@given(rows_to_code("number"), st.sampled_from(RARE_COUNTS), st.sampled_from(RARE_SIGS))
def test_a_level_is_scorable_if_kept_with_two_rows(example, rare_count, rare_sig):
    pooled = pooled_whole(example, rare_count, rare_sig)
    levels = naive.levels_of(naive_rows(example), rare_count, rare_sig)
    expected = any(
        naive.weight_of(own) >= 2 and group not in levels.suppressed
        for group, own in levels.groups.items()
    )
    assert has_scorable_level(pooled) == expected
