"""Bins of a number, and where numbers lie among edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vtreat_py.statistics import bins
from vtreat_py.statistics.bins import bin_edges
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.parts import PartedNumbers
from vtreat_py.statistics.places import places_among


def edges_of(values, weight=None):
    extent = float(values.min()), float(values.max())
    near = Coordinates.near(values)
    in_unit = values / near.unit
    return bin_edges(PartedNumbers(in_unit, weight).count, extent, len(values), near)


def weights_of(edges, values, weight=None):
    return np.bincount(np.searchsorted(edges, values), weight, len(edges))


@pytest.mark.parametrize("n", [1, 2, 700, 5_000, 40_000])
def test_few_different_values_have_a_bin_each(n):
    values = np.random.default_rng(n).integers(0, 900, n).astype(float)
    np.testing.assert_array_equal(edges_of(values), np.unique(values))


@pytest.mark.parametrize("n", [3_000, 16_384, 16_385, 60_000])
@pytest.mark.parametrize("kind", ["normal", "lognormal", "clusters", "spike"])
def test_many_are_cut_in_bins_of_one_weight(n, kind):
    rng = np.random.default_rng(n)
    values = {
        "normal": lambda: rng.normal(size=n),
        "lognormal": lambda: rng.lognormal(sigma=4.0, size=n),
        "clusters": lambda: rng.integers(0, 5, n) * 1e9 + rng.normal(size=n),
        "spike": lambda: np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n)),
    }[kind]()
    for weight in (None, rng.integers(1, 4, n).astype(float)):
        edges = edges_of(values, weight)
        assert np.all(np.diff(edges) > 0)
        assert edges[0] == values.min()
        assert edges[-1] == values.max()
        assert len(edges) <= bins.MOST_BINS
        assert np.isin(edges, values).all()
        held = weights_of(edges, values, weight)
        several = np.array(
            [
                len(np.unique(values[np.searchsorted(edges, values) == k])) > 1
                for k in np.argsort(held)[-20:]
            ]
        )
        largest = held[np.argsort(held)[-20:]][several]
        assert (largest <= 2 / 448 * held.sum() + 1).all()


def test_counting_by_parts_or_by_value_asks_for_the_same_rows_only(monkeypatch):
    values = np.random.default_rng(0).normal(size=20_000)
    by_parts = edges_of(values)
    np.testing.assert_array_equal(edges_of(values[::-1].copy()), by_parts)
    monkeypatch.setattr(bins, "FEW_ROWS", 1 << 20)
    by_value = edges_of(values)
    assert abs(len(by_value) - len(by_parts)) < 20
    assert weights_of(by_value, values).max() <= 46


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-3, 2.0**60, 2.0**1000])
def test_edges_go_with_the_unit(unit):
    values = np.random.default_rng(1).normal(size=20_000)
    np.testing.assert_array_equal(edges_of(values * unit), edges_of(values) * unit)


def test_extreme_values_are_the_ends():
    values = np.array([-1.7e308, 0.0, 1e-300, 1.7e308])
    edges = edges_of(values)
    assert (edges[0], edges[-1]) == (-1.7e308, 1.7e308)
    edges = edges_of(np.array([-7e305, -1e67, 1.7e-215]))
    assert edges[-1] == 1.7e-215


def test_values_too_near_to_be_cut_are_taken_one_by_one():
    values = np.repeat(np.nextafter(0.0, 1.0) * np.arange(3), 6_000)
    np.testing.assert_array_equal(edges_of(values), np.unique(values))


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.integers(0, 2**32 - 1),
    st.sampled_from([10, 5_000]),
)
def test_places_are_those_of_a_binary_search(edges, seed, n):
    edges = np.unique(edges)
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.choice(edges, n), rng.uniform(-2e6, 2e6, n), [-1e308, 1e308]])
    np.testing.assert_array_equal(places_among(edges, values), np.searchsorted(edges, values))


@pytest.mark.parametrize(
    "edges",
    [
        np.array([-1.7e308, 1.7e308]),
        np.array([0.0, 5e-324]),
        np.concatenate([np.linspace(0, 1e-9, 50), [1.0]]),
        np.array([1.0]),
    ],
)
def test_places_among_edges_that_a_table_does_not_suit(edges):
    values = np.concatenate([np.linspace(-1, 2, 5_000), edges])
    np.testing.assert_array_equal(places_among(edges, values), np.searchsorted(edges, values))


@pytest.mark.parametrize("kind", ["normal", "lognormal", "spike", "few"])
def test_places_by_parts_are_those_of_a_binary_search(kind):
    rng = np.random.default_rng(0)
    values = {
        "normal": lambda: rng.normal(size=40_000),
        "lognormal": lambda: rng.lognormal(sigma=4.0, size=40_000),
        "spike": lambda: np.where(rng.random(40_000) < 0.6, 0.0, rng.normal(size=40_000)),
        "few": lambda: rng.integers(0, 50, 300).astype(float),
    }[kind]()
    parted = PartedNumbers(values)
    extent = float(values.min()), float(values.max())
    edges = bin_edges(parted.count, extent, len(values), Coordinates.near(values))
    np.testing.assert_array_equal(parted.places(edges), np.searchsorted(edges, values))
    inside = np.linspace(*extent, 9)[1:]  # edges may be no values
    np.testing.assert_array_equal(parted.places(inside), np.searchsorted(inside, values))
