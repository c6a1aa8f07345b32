import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.coders import naive
from tests.coders.coding import (
    RARE_COUNTS,
    RARE_SIGS,
    SMOOTHINGS,
    assert_both,
    pooled_whole,
    rows_to_code,
)
from tests.statistics.rows import Example, law
from vtreat_py.coders.cat_n import cat_n


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(example=rows_to_code("number"))
def test_codes_are_those_of_a_loop(assert_codes, smoothing, example):
    assert_codes(example, lambda p: cat_n(p, smoothing), lambda n: naive.cat_n(n, smoothing))


@pytest.mark.parametrize("smoothing", ["auto", "moments", 1.0])
@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(
    example=rows_to_code("number"),
    rare_count=st.sampled_from(RARE_COUNTS),
    rare_sig=st.sampled_from(RARE_SIGS),
)
def test_codes_of_pooled_and_suppressed_levels_are_those_of_a_loop(
    assert_codes, smoothing, example, rare_count, rare_sig
):
    assert_codes(
        example,
        lambda p: cat_n(p, smoothing),
        lambda n: naive.cat_n(n, smoothing),
        rare_count,
        rare_sig,
    )


@pytest.mark.parametrize("slope", [0.0, 0.4])
@pytest.mark.parametrize("assert_codes", assert_both)
def test_novel_levels_are_where_sizes_of_levels_put_them(assert_codes, slope):
    random, size = np.random.default_rng(2), np.repeat([1, 2, 4, 12, 30], 12)
    code = random.permutation(np.repeat(np.arange(60), size)).astype(np.int32)
    effect = 0.3 * random.normal(size=60) - slope * np.log(size)
    y = effect[code] + random.normal(size=len(code))
    example = Example(code, 60, y, None, random.integers(3, size=len(code)), 3)
    assert_codes(example, lambda p: cat_n(p, "auto"), lambda n: naive.cat_n(n, "auto"))
    _, novel = cat_n(pooled_whole(example), "auto")
    assert (novel[0] > 0.4) == (slope > 0)


def test_codes_without_smoothing_are_means_less_the_grand_mean():
    y = np.array([1.0, 3.0, 5.0, 7.0])
    example = Example(np.array([0, 0, 1, 1]), 2, y, None, np.zeros(4, dtype=int), 1)
    codes, novel = cat_n(pooled_whole(example), 0)
    np.testing.assert_array_equal(codes, [-2.0, 2.0])
    np.testing.assert_array_equal(novel, [0.0])


def test_the_centre_of_the_outcome_does_not_matter():
    random = np.random.default_rng(1)
    code, y = random.integers(4, size=50), random.normal(size=50)
    fold = np.zeros(50, dtype=int)
    near = Example(code, 4, y, None, fold, 1)
    far = Example(code, 4, (y + 1e9) - 1e9, None, fold, 1, centre=1e9)
    for smoothing in SMOOTHINGS:
        found, expected = (cat_n(pooled_whole(e), smoothing)[0] for e in (far, near))
        np.testing.assert_allclose(found, expected, rtol=1e-5)
