import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.r_numbers import read_units
from tests.statistics.rows import law
from vtreat_py.statistics.quantiles import weighted_quantiles

PROBABILITIES = [0.0, 0.01, 0.25, 1 / 3, 0.5, 0.9, 1.0]
VALUES = st.floats(-1e6, 1e6, allow_subnormal=False)


@law
@given(st.lists(st.tuples(VALUES, st.integers(0, 4)), min_size=1))
def test_whole_weights_give_the_quantiles_of_repeated_rows(pairs):
    values, times = (np.array(side) for side in zip(*pairs, strict=True))
    if not times.any():
        times[0] = 1
    found = weighted_quantiles(values, times.astype(float), PROBABILITIES)
    expected = np.quantile(np.repeat(values, times), PROBABILITIES)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)


@law
@given(st.lists(VALUES, min_size=1))
def test_no_weights_are_weights_of_one(values):
    values = np.array(values)
    found = weighted_quantiles(values, None, PROBABILITIES)
    weighted = weighted_quantiles(values, np.ones(len(values)), PROBABILITIES)
    np.testing.assert_allclose(found, weighted, rtol=1e-9, atol=1e-6)


@law
@given(st.lists(st.tuples(VALUES, st.floats(0.01, 3)), min_size=1))
def test_quantiles_rise_from_the_least_value_to_the_largest(pairs):
    values, weights = (np.array(side) for side in zip(*pairs, strict=True))
    found = weighted_quantiles(values, weights, PROBABILITIES)
    assert found[0] == values.min()
    assert found[-1] <= values.max()
    assert (np.diff(found) >= -1e-6).all()


def test_weights_below_one_row_in_all_give_the_least_value():
    found = weighted_quantiles(np.array([3.0, 2.0]), np.array([0.25, 0.25]), [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(found, [2.0, 2.0, 2.0])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("weights", [None, np.ones(2)])
def test_the_range_of_integers_is_no_limit(weights, dtype):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype=dtype)
    found = weighted_quantiles(ends, weights, [0.25, 0.5])
    expected = weighted_quantiles(ends.astype(float), weights, [0.25, 0.5])
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("weights", [None, np.ones(2)])
def test_the_range_of_floats_is_no_limit(weights):
    ends = np.array([-1.7e308, 1.7e308])
    np.testing.assert_array_equal(weighted_quantiles(ends, weights, [0.5]), [0.0])


@pytest.mark.parametrize("weighted", [False, True])
def test_quantiles_are_those_of_r(weighted):
    case = read_units("misc")
    values = np.array(case["values"])
    found = weighted_quantiles(values, np.ones(len(values)) if weighted else None, case["probs"])
    np.testing.assert_allclose(found, case["quantile_type7"], rtol=1e-12)
