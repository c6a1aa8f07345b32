"""How numbers were spread at design: bins that make sense, at next to no cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vtreat_py as vt
from vtreat_py.statistics.number_profile import MOST_ROWS, NumberProfile

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def profile_of(values: Any, **given: Any) -> NumberProfile:
    return NumberProfile.of_values(np.array(values, dtype=np.float64), **given)


def same(left: NumberProfile, right: NumberProfile) -> bool:
    return all(np.array_equal(getattr(left, n), getattr(right, n)) for n in vars(left))


def test_deciles_of_different_numbers() -> None:
    profile = profile_of(np.random.default_rng(0).permutation(1_000))
    np.testing.assert_array_equal(profile.edges, np.arange(99, 900, 100))
    np.testing.assert_array_equal(profile.counts, np.full(10, 100.0))
    assert (profile.low, profile.high, profile.bad_share) == (0.0, 999.0, 0.0)


def test_points_stand_for_rows() -> None:
    values, weight = np.array([3.0, 1.0, 2.0]), np.array([4.0, 2.0, 1.0])
    rows = profile_of(np.repeat(values, weight.astype(int)), bad_weight=3.0)
    assert same(NumberProfile.of_points(values, weight, 3.0), rows)


@pytest.mark.parametrize(
    ("values", "edges", "counts"),
    [
        ([0] * 50 + [1] * 50, [0], [50, 50]),
        ([0] * 99 + [1], [0], [99, 1]),
        ([0] + [1] * 99, [0], [1, 99]),
        ([7] * 5, [], [5]),
        ([-3, -2, *[0] * 95, 2, 3, 4], [-2, 0], [2, 95, 3]),  # a spike in the middle
        ([*[0] * 60, *range(1, 41)], [0, 10, 20, 30], [60, 10, 10, 10, 10]),  # and at an end
        ([-0.0, -0.0, 1.0], [0.0], [2, 1]),
        ([5], [], [1]),
    ],
)
def test_ties_have_bins_that_make_sense(
    values: list[float], edges: list[float], counts: list[float]
) -> None:
    profile = profile_of(values)
    np.testing.assert_array_equal(profile.edges, edges)
    np.testing.assert_array_equal(profile.counts, counts)
    assert not np.signbit(profile.edges[profile.edges == 0]).any()


@given(st.lists(FLOATS | st.sampled_from([0.0, 1.0]), min_size=1, max_size=60))
@settings(deadline=None)
def test_no_bin_is_empty_and_counts_are_those_of_the_bins(values: list[float]) -> None:
    profile = profile_of(values)
    ends = np.concatenate([[-np.inf], profile.edges, [profile.high]])
    assert (ends[1:] > ends[:-1]).all()
    assert (profile.counts > 0).all()
    counts = np.bincount(profile.bin_of(np.array(values)), minlength=len(profile.counts))
    np.testing.assert_array_equal(profile.counts, counts)
    spikes = [v for v in set(values) if values.count(v) > 0.2 * len(values) + 1]
    for spike in spikes:  # two deciles at least are this value
        own = counts[profile.bin_of(np.array([spike]))[0]]
        assert own == values.count(spike)


@given(st.lists(st.tuples(FLOATS, st.integers(1, 4)), min_size=1, max_size=30), st.randoms())
@settings(deadline=None)
def test_weights_are_repeated_rows_and_order_does_not_matter(
    pairs: list[tuple[float, int]], random: Any
) -> None:
    values, weights = map(list, zip(*pairs, strict=True))
    repeated = [value for value, weight in pairs for _ in range(weight)]
    random.shuffle(repeated)
    ours = profile_of(values, weight=np.array(weights, dtype=float), bad_weight=3.0)
    theirs = profile_of(repeated, bad_weight=3.0)
    assert same(ours, theirs)
    assert theirs.bad_share == 3 / (3 + len(repeated))


@pytest.mark.parametrize("n_rows", [MOST_ROWS, MOST_ROWS + 1, 2 * MOST_ROWS + 5, 1_000_003])
def test_long_columns_are_looked_at_here_and_there(n_rows: int) -> None:
    values = np.random.default_rng(1).normal(size=n_rows)
    values[[5, n_rows // 2]] = -50, 80  # the range is that of all rows
    profile = NumberProfile.of_values(values)
    assert (profile.low, profile.high) == (-50.0, 80.0)
    assert MOST_ROWS / 2 <= profile.counts.sum() <= MOST_ROWS
    np.testing.assert_allclose(profile.edges, np.quantile(values, np.arange(1, 10) / 10), atol=0.04)


@pytest.mark.parametrize("period", [2, 7, 16, 24, 31, 64, 365])
def test_rows_that_come_in_turn_are_all_seen(period: int) -> None:
    profile = NumberProfile.of_values(np.arange(500_000) % period == 0)
    assert profile.counts[-1] / profile.counts.sum() == pytest.approx(1 / period, rel=0.1)


def test_a_profile_does_not_change_the_callers_values() -> None:
    values = np.array([3.0, 1.0, 2.0])
    NumberProfile.of_values(values)
    assert values.tolist() == [3.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        profile_of([1, 2]).counts[0] = 9


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "bool", "float32", "Int64"])
def test_a_design_profiles_every_type_of_number(dtype: str) -> None:
    frame = pd.DataFrame({"x": pd.Series([0, 1, 1, 1] * 5).astype(dtype), "y": range(20)})
    profile = vt.design_treatments(frame, outcome="y", random_state=0).treatments[0].profile
    assert (profile.edges.tolist(), profile.counts.tolist()) == ([0.0], [5.0, 15.0])


def test_rows_of_weight_0_teach_nothing() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan, np.inf, 99.0], "y": range(6)})
    weight = np.array([1, 1, 2, 1, 3, 0])
    plan = vt.design_treatments(frame, outcome="y", sample_weight=weight, cv=2, random_state=0)
    profile = plan.treatments[0].profile
    assert (profile.low, profile.high, profile.bad_share) == (1.0, 3.0, 0.5)
    assert profile.counts.sum() == 4


def test_the_range_is_not_the_collar() -> None:
    frame = pd.DataFrame({"x": np.arange(100.0), "y": np.arange(100) % 7})
    given = {"outcome": "y", "collar_prob": 0.1, "random_state": 0}
    treatment = vt.design_treatments(frame, **given).treatments[0]
    assert (treatment.profile.low, treatment.profile.high) == (0.0, 99.0)
    assert treatment.lower > 0
    assert treatment.upper < 99


@pytest.mark.parametrize("unit", [0.1, 0.3, 0.37, 0.7])
def test_deciles_that_tie_with_tenths_of_fractional_weights_are_those_of_counts(
    unit: float,
) -> None:
    random = np.random.default_rng(0)
    values, count = np.repeat(np.arange(20.0), 4), np.tile([1.0, 2.0, 3.0, 4.0], 20)
    expected = profile_of(values, weight=count)
    for _ in range(50):
        order = random.permutation(len(values))
        found = profile_of(values[order], weight=unit * count[order])
        np.testing.assert_array_equal(found.edges, expected.edges)
