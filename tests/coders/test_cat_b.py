import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vtreat_py as vt
from tests.coders import naive
from tests.coders.coding import (
    RARE_COUNTS,
    RARE_SIGS,
    SMOOTHINGS,
    assert_both,
    naive_rows,
    pooled_whole,
    rows_to_code,
)
from tests.statistics.r_numbers import read_units
from tests.statistics.rows import Example, law
from vtreat_py.coders.cat_b import cat_b, cat_b_of_r


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(example=rows_to_code("class"))
def test_codes_are_those_of_a_loop(assert_codes, smoothing, example):
    assert_codes(example, lambda p: cat_b(p, smoothing), lambda n: naive.cat_b(n, smoothing))


@pytest.mark.parametrize("smoothing", [0.0, 3.0])
@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(example=rows_to_code("class"))
def test_codes_of_r_are_those_of_a_loop(assert_codes, smoothing, example):
    def loop(levels):
        return naive.cat_b(levels, smoothing, of_r=True)

    assert_codes(example, lambda p: cat_b_of_r(p, smoothing), loop)


@pytest.mark.parametrize("smoothing", ["auto", "moments", 1.0])
@pytest.mark.parametrize("assert_codes", assert_both)
@law
@given(
    example=rows_to_code("class"),
    rare_count=st.sampled_from(RARE_COUNTS),
    rare_sig=st.sampled_from(RARE_SIGS),
)
def test_codes_of_pooled_and_suppressed_levels_are_those_of_a_loop(
    assert_codes, smoothing, example, rare_count, rare_sig
):
    assert_codes(
        example,
        lambda p: cat_b(p, smoothing),
        lambda n: naive.cat_b(n, smoothing),
        rare_count,
        rare_sig,
    )


def coded(hits, smoothing):
    """Codes of levels given as lists of 0 and 1."""
    code = np.repeat(np.arange(len(hits)), [len(level) for level in hits])
    y = np.concatenate(hits).astype(np.int8)
    example = Example(code, len(hits), y, None, np.zeros(len(y), dtype=int), 1)
    return cat_b(pooled_whole(example), smoothing)[0]


def test_rows_beside_levels_are_at_the_rate_of_all_rows():
    levels = [[1] * n + [0] * (19 * n) for n in (1, 10, 200)]
    np.testing.assert_allclose(coded(levels, 10), 0.0, atol=1e-12)


def test_classic_designs_have_rows_of_each_class_beside_levels():
    levels = [[1] * 3 + [0] * 57, [1] * 4 + [0] * 16]
    frame = pd.DataFrame({"x": np.repeat(["a", "b"], [60, 20]), "y": np.concatenate(levels)})
    asked = {"outcome": "y", "outcome_type": "binomial", "coders": ["catB"], "random_state": 0}
    code = np.repeat([0, 1], [60, 20])
    y = frame["y"].to_numpy(np.int8)
    pooled = pooled_whole(Example(code, 2, y, None, np.zeros(80, dtype=int), 1))
    for significance, of in (("classic", cat_b_of_r), ("calibrated", cat_b)):
        plan = vt.design_treatments(frame, smoothing=5, significance=significance, **asked)
        effects = plan.level_effects("x").set_index("level")["effect"]
        np.testing.assert_allclose(effects[["a", "b"]], of(pooled, 5.0)[0])


def test_codes_are_log_odds_above_the_base_rate():
    codes = coded([[1, 1, 1, 0], [0, 0, 0, 1]], 0)
    np.testing.assert_allclose(codes, [np.log(3), -np.log(3)], rtol=1e-3)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_levels_of_one_class_get_finite_codes(smoothing):
    codes = coded([[1, 1, 1], [0, 0, 0], [1, 0]], smoothing)
    assert codes[0] > codes[2] > codes[1]
    assert np.abs(codes).max() < 14


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_chances_stay_a_millionth_from_0_and_1(smoothing):
    y, weight = np.array([1, 0], dtype=np.int8), np.array([1e8, 1e8])
    example = Example(np.array([0, 1]), 2, y, weight, np.zeros(2, dtype=int), 1)
    edge = np.log(999_999)
    np.testing.assert_allclose(cat_b(pooled_whole(example), smoothing)[0], [edge, -edge])


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_a_base_rate_below_a_millionth_is_taken_for_one(smoothing):
    y, weight = np.array([1, 0, 1, 0], dtype=np.int8), np.array([1e3, 1e3, 1.0, 1e10])
    example = Example(np.array([0, 0, 1, 1]), 2, y, weight, np.zeros(4, dtype=int), 1)
    code = naive.cat_b(naive.levels_of(naive_rows(example), is_class=True), smoothing)
    expected = [code(None), code(1)]
    np.testing.assert_allclose(cat_b(pooled_whole(example), smoothing)[0], expected, atol=1e-6)


def test_empirical_bayes_believes_no_level_more_than_half_a_row_of_prior_allows():
    # Levels of one class each: their means hold no noise, so the prior weight alone would be 0.
    codes = coded([[1] * 9, [0] * 9], "auto")
    belief = 9 / 9.5
    np.testing.assert_allclose(codes[0], naive.logit(0.5 + belief * 0.5))


def test_log_odds_of_the_reference_are_those_of_r():
    case = read_units("misc")
    found = [naive.logit(p) for p in case["logit_in"]]
    np.testing.assert_allclose(found, case["logit_out"], rtol=1e-12)
