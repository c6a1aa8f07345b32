"""Bins keep the order of scores, and hold what they should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._binning import DecimalBins, FloatBins

FLOATS = st.lists(st.floats(allow_nan=False), min_size=2, max_size=40)
CHANCES = st.lists(st.floats(0, 1), min_size=2, max_size=40)


@given(CHANCES, st.integers(1, 6))
def test_decimal_bins_never_fall_where_scores_rise(scores: list[float], decimals: int) -> None:
    bins = DecimalBins(decimals)
    found = bins.of(np.sort(scores))
    assert (np.diff(found) >= 0).all()
    assert found[0] >= 0
    assert found[-1] < bins.number


@given(FLOATS, st.integers(8, 24))
def test_float_bins_never_fall_where_scores_rise(scores: list[float], bits: int) -> None:
    bins = FloatBins(bits)
    found = bins.of(np.sort(scores))
    assert (np.diff(found) >= 0).all()
    assert found[0] >= 0
    assert found[-1] < bins.number


@pytest.mark.parametrize("decimals", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scores_of_so_many_decimals_have_bins_of_their_own(decimals: int, dtype: type) -> None:
    bins = DecimalBins(decimals)
    edges = np.round(np.linspace(0, 1, 10**decimals + 1), decimals)
    found = bins.of(edges.astype(dtype).astype(np.float64))
    np.testing.assert_array_equal(found, np.arange(bins.number))
    np.testing.assert_array_equal(bins.lower_edges(np.arange(bins.number)), edges)


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_mid_points_of_decimal_bins(decimals: int) -> None:
    number = 10**decimals
    middle = (np.arange(number) + 0.5) / number
    np.testing.assert_array_equal(DecimalBins(decimals).of(middle), np.arange(number))


def test_zero_has_one_bin_whatever_its_sign() -> None:
    below, zero, negative_zero, above = FloatBins(16).of(np.array([-1e-30, 0.0, -0.0, 1e-30]))
    assert below < zero == negative_zero <= above


def test_float_bins_take_any_number() -> None:
    huge = np.array([-np.inf, -1e300, -3e38, -1.0, 1.0, 3e38, 1e300, np.inf])
    found = FloatBins(24).of(huge)
    assert found[0] == found[1] < found[2] < found[3] < found[4] < found[5] < found[6] == found[7]


SOME = [-np.inf, -1e300, -2.5, -2.0, -1e-20, -1e-300, 0.0, 1e-300, 1e-20, 0.3, 0.5, 7e9, np.inf]


@pytest.mark.parametrize("bits", [8, 9, 16, 20])
def test_edges_of_float_bins_are_their_least_scores(bits: int) -> None:
    bins = FloatBins(bits)
    held = np.unique(bins.of(np.array(SOME)))
    edges = bins.lower_edges(held)
    assert (np.diff(edges) > 0).all()
    np.testing.assert_array_equal(bins.of(edges), held)
    below = np.nextafter(edges[1:], -np.inf)  # the first edge may be that of all that is less
    assert (bins.of(below) < held[1:]).all()


@given(FLOATS, st.integers(8, 24))
def test_scores_are_not_below_the_edges_of_their_bins(scores: list[float], bits: int) -> None:
    bins = FloatBins(bits)
    assert (bins.lower_edges(bins.of(np.array(scores))) <= np.array(scores)).all()


def test_default_bins_tell_three_decimals_apart() -> None:
    scores = np.round(np.arange(1001) / 1000, 3)
    assert (np.diff(FloatBins(19).of(scores)) > 0).all()


@pytest.mark.parametrize(
    ("make", "value", "error", "message"),
    [
        (DecimalBins, 0, InvalidOptionError, "decimals is 0; it must be from 1 to 6"),
        (DecimalBins, 7, InvalidOptionError, "decimals is 7; it must be from 1 to 6"),
        (DecimalBins, 2.0, OptionTypeError, "decimals is 2.0; it must be an integer"),
        (FloatBins, 7, InvalidOptionError, "bits is 7; it must be from 8 to 24"),
        (FloatBins, 25, InvalidOptionError, "bits is 25; it must be from 8 to 24"),
        (FloatBins, "16", OptionTypeError, "bits is '16'; it must be an integer"),
    ],
)
def test_bad_sizes_are_refused(make: type, value: object, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        make(value)
