import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.rows import law
from vtreat_py.statistics.coordinates import Coordinates

LARGEST = np.finfo(np.float64).max
COLUMNS = {
    "small": np.array([-1.0, 0.5, 3.0]),
    "offset": 1e9 + np.array([0.0, 1.0, 2.5]),
    "just not large": np.array([0.0, 9.9e139]),
    "large": np.array([1.0, 1e140]),
    "half the range": np.array([0.0, 8.9e307]),
    "nearly all the range": np.array([1.0, 2.0, 1.7e308]),
    "all the range": np.array([-LARGEST, LARGEST, 0.0]),
    "one value": np.array([1.7e308]),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_squares_of_inner_values_stay_in_range(column):
    values = COLUMNS[column]
    inner = Coordinates.near(values).inner(values)
    assert np.isfinite(np.square(inner).sum() * 1e9)


@pytest.mark.parametrize("column", COLUMNS)
def test_outer_undoes_inner(column):
    values = COLUMNS[column]
    near = Coordinates.near(values)
    apart = near.outer(near.inner(values)) / 2 - values / 2
    assert np.abs(apart).max() <= 2e-16 * np.abs(values).max()


@law
@given(st.lists(st.floats(-1e300, 1e300, allow_subnormal=False), min_size=1))
def test_outer_undoes_inner_to_the_digits_of_the_largest_value(values):
    values = np.array(values)
    near = Coordinates.near(values)
    apart = near.outer(near.inner(values)) / 2 - values / 2
    assert np.abs(apart).max() <= 2e-16 * np.abs(values).max()


def test_offsets_cancel_before_squares():
    spread = np.arange(10.0)
    inner = Coordinates.near(1e9 + spread).inner(1e9 + spread)
    np.testing.assert_allclose(inner, spread - 4.5)


def test_ordinary_numbers_keep_their_unit():
    near = Coordinates.near(np.array([1.0, 2.0]))
    assert (near.centre, near.unit) == (1.5, 1.0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_integers_are_taken_as_numbers(dtype):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype=dtype)
    near = Coordinates.near(ends)
    inner = near.inner(ends)
    assert inner.dtype == np.float64
    half = float(np.iinfo(dtype).max) / 2 - float(np.iinfo(dtype).min) / 2
    np.testing.assert_allclose(inner, [-half, half])


def test_coordinates_of_known_mean_and_extent_are_those_of_the_values() -> None:
    for values in (np.array([1e9, 1e9 + 2]), np.array([-1e308, 1.5e308])):
        near = Coordinates.near(values)
        low, high = float(values.min()), float(values.max())
        assert Coordinates.around(near.centre, low, high) == near
