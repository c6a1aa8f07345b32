import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.coders import naive
from tests.statistics.rows import examples, law
from tests.statistics.test_numeric_sums import draw_column, sums_by_fold
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.coders.clean import imputed_value
from vtreat_py.coders.forms import filled as clean
from vtreat_py.coders.forms import scale_in_place
from vtreat_py.coders.lev import indicator_moments, indicator_points
from vtreat_py.statistics.moments import Moments

VALUES = np.array([1.0, 2.0, 6.0, 11.0])
WEIGHTS = np.array([1.0, 0.0, 3.0, 1.0])


def impute(imputer, values=VALUES, weights=WEIGHTS):
    return imputed_value("x", imputer, values, weights)


def mean_of(values, weights):
    return float((values * weights).sum() / weights.sum())


@pytest.mark.parametrize("number", [0, -1, 2.5])
def test_a_number_is_imputed_as_it_is(number):
    assert impute(number) == number


def test_the_mean_is_weighted():
    assert impute("mean") == mean_of(VALUES, WEIGHTS) == 6
    assert impute("mean", weights=None) == 5


def test_the_median_is_that_of_repeated_rows():
    assert impute("median") == np.median([1, 6, 6, 6, 11]) == 6
    assert impute("median", weights=None) == 4


def test_a_function_gets_values_and_weights():
    assert impute(mean_of) == 6
    assert impute(mean_of, weights=None) == 5


def test_the_mean_keeps_its_digits_and_its_range():
    assert impute("mean", 1e9 + VALUES, None) == 1e9 + 5
    large = np.array([1.6e308, 1.7e308, 1.5e308])
    np.testing.assert_allclose(impute("mean", large, None), 1.6e308)


@pytest.mark.parametrize("given", [math.nan, math.inf, None, "a lot", [1.0, 2.0]])
def test_a_function_must_return_a_finite_number(given):
    with pytest.raises(InvalidOptionError, match=r"column 'x' returned .*one finite number"):
        impute(lambda values, weights: given)


def test_a_function_that_does_not_take_weights_is_refused():
    with pytest.raises(InvalidOptionError, match="'x' cannot be called with an array of values"):
        impute(lambda values: 1.0)


def test_only_bad_values_are_replaced():
    values, bad = np.array([1.0, np.nan, np.inf]), np.array([False, True, True])
    np.testing.assert_array_equal(clean(values, bad, 7.0), [1, 7, 7])
    np.testing.assert_array_equal(clean(values, bad, np.array([7.0, 8.0, 9.0])), [1, 8, 9])
    np.testing.assert_array_equal(values, [1, np.nan, np.inf])


def test_a_column_without_bad_values_is_not_copied():
    assert clean(VALUES, None, 7.0) is VALUES


@law
@given(st.data())
def test_cleaned_rows_are_those_of_a_loop(data):
    example, x, bad = draw_column(data, outcome="number", min_folds=2)
    if bad is None or not example.w[~bad].any():
        return
    value = imputed_value("x", "mean", x[~bad], example.w[~bad])
    marked = np.where(bad, np.nan, x).tolist()
    expected = naive.clean(marked, example.w.tolist(), [True] * len(x))
    np.testing.assert_allclose(clean(x, bad, value), expected, atol=1e-12)


@law
@given(st.data())
def test_out_of_fold_rows_are_cleaned_by_what_the_other_folds_hold(data):
    example, x, bad = draw_column(data, outcome="number", min_folds=2)
    bad = np.zeros(len(x), dtype=bool) if bad is None else bad
    others = sums_by_fold(example, x, bad).all_but_own().good
    found = clean(x, bad, others.x[example.fold])
    for fold in np.flatnonzero(others.weight > 0):
        rest, own = example.fold != fold, example.fold == fold
        marked = np.where(bad, np.nan, x).tolist()
        expected = naive.clean(marked, example.w.tolist(), rest.tolist())
        np.testing.assert_allclose(found[own], np.array(expected)[own], atol=1e-12)


@law
@given(st.data())
def test_the_mark_of_bad_values_is_a_column_of_zeros_and_ones(data):
    example, x, bad = draw_column(data, min_rows=1)
    if bad is None or not example.w.any():
        return
    sums = sums_by_fold(example, x, bad).merged()
    moments = indicator_moments(sums.bad, sums.outcome())
    marks, one = bad.astype(float), np.zeros(len(x), dtype=int)
    expected = Moments.of_rows(one, 1, marks, example.y, example.weight)
    for name in ("weight", "x", "y", "xx", "xy", "yy"):
        found = getattr(moments, name)
        np.testing.assert_allclose(found, getattr(expected, name), atol=1e-9)


@law
@given(examples("class", min_rows=1), st.data())
def test_the_mark_of_bad_values_splits_the_targets(example, data):
    bad = np.array(data.draw(st.lists(st.booleans(), min_size=len(example), max_size=len(example))))
    sums = sums_by_fold(example, np.zeros(len(example)), bad).merged()
    _, total, hits = indicator_points(sums.bad, sums.outcome())
    weight, target = example.w, example.w * example.y
    np.testing.assert_allclose(total, [[weight[~bad].sum(), weight[bad].sum()]], atol=1e-9)
    np.testing.assert_allclose(hits, [[target[~bad].sum(), target[bad].sum()]], atol=1e-9)


def test_scaling_is_a_slope_times_the_distance_from_the_mean():
    values = np.array([1.0, 2.0, 4.0])
    scale_in_place(values, 3.0, 2.0)
    np.testing.assert_array_equal(values, [-3, 0, 6])


def test_scaling_goes_row_by_row():
    values = np.array([1.0, 2.0])
    scale_in_place(values, np.array([2.0, -1.0]), np.array([0.0, 5.0]))
    np.testing.assert_array_equal(values, [2, 3])


def test_scaling_stays_in_the_range_of_floats():
    largest = np.finfo(np.float64).max
    values = np.array([1.7e308, -1.7e308, 1e308])
    scale_in_place(values, 5.0, np.array([-1e308, 1e308, 1e308]))
    np.testing.assert_array_equal(values, [largest, -largest, 0])
