"""The test of drift: its size, its power, and what it does not depend on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from vtreat_py.significance.two_samples import _sum_of_logs, beyond_test, two_sample_test
from vtreat_py.statistics.number_profile import NumberProfile

DRAWS = 400
# What 400 draws at 5% stay within, but for one time in a thousand: 20 +- 3.3 * 4.4.
FEWEST, MOST = 6, 34


def zipf(n_levels: int) -> np.ndarray:
    weight = 1.0 / np.arange(1, n_levels + 1)
    return weight / weight.sum()


@pytest.mark.parametrize(
    ("n_then", "n_now", "n_levels"), [(200, 200, 4), (2_000, 100, 30), (300, 300, 1_000)]
)
def test_levels_that_have_not_drifted_are_called_so(n_then: int, n_now: int, n_levels: int) -> None:
    random, found = np.random.default_rng(3), 0
    for _ in range(DRAWS):
        then, now = (random.multinomial(n, zipf(n_levels)).astype(float) for n in (n_then, n_now))
        found += two_sample_test(then, now) < 0.05
    assert FEWEST <= found <= MOST


@pytest.mark.parametrize(("n_then", "n_now"), [(100, 1_000), (2_000, 100), (500, 500)])
def test_bins_that_one_of_the_samples_chose_do_not_matter(n_then: int, n_now: int) -> None:
    random, found = np.random.default_rng(4), 0
    for _ in range(DRAWS):
        then, now = random.exponential(size=n_then), random.exponential(size=n_now)
        profile = NumberProfile.of_values(then)
        counts = np.bincount(profile.bin_of(now), minlength=len(profile.counts)).astype(float)
        found += two_sample_test(profile.counts, counts) < 0.05
    assert FEWEST <= found <= MOST


def test_of_many_rows_it_is_the_chi_square_test() -> None:
    then, now = np.array([5_000.0, 3_000.0, 2_000.0]), np.array([2_440.0, 1_510.0, 1_050.0])
    expected = stats.chi2_contingency([then, now]).pvalue
    assert two_sample_test(then, now) == pytest.approx(expected, rel=0.01)


def test_a_move_of_many_rare_levels_is_seen() -> None:
    """No level has more than a few rows, but half of them are gone."""
    random = np.random.default_rng(5)
    then, now = random.poisson(3, 400).astype(float), random.poisson(3, 400).astype(float)
    assert two_sample_test(then, now) > 0.01
    now[::2] = 0
    assert two_sample_test(then, now) < 1e-6


@pytest.mark.parametrize(
    ("then", "now"), [([0, 0], [3, 4]), ([3, 4], [0, 0]), ([9, 0], [9, 0]), ([0.2, 0.1], [9, 9])]
)
def test_nothing_to_compare_is_no_drift(then: list[float], now: list[float]) -> None:
    assert two_sample_test(np.array(then), np.array(now)) == 1.0


def test_values_seen_nowhere_else_are_seen_together() -> None:
    """A tenth of the rows is junk, each a level of its own."""
    then = np.array([100.0, 100.0, 100.0, 100.0, *[0.0] * 40])
    now = np.array([90.0, 90.0, 90.0, 90.0, *[1.0] * 40])
    assert two_sample_test(then[:4], now[:4]) > 0.9
    assert two_sample_test(then, now) < 1e-6


def test_rows_beyond_the_range_by_enumeration() -> None:
    places = list(itertools.combinations(range(7), 4))  # of the second sample among the sorted rows
    for k in range(5):
        beyond = np.mean([set(range(7 - k, 7)) <= set(own) for own in places])
        assert beyond_test(k, 3, 4) == pytest.approx(beyond, rel=1e-12)


def test_a_million_rows_beyond_the_range() -> None:
    assert beyond_test(1e6, 1e6, 1e6) == 0.0
    assert beyond_test(0, 1e6, 1e6) == 1.0
    assert beyond_test(1, 1e6, 1e6) == pytest.approx(0.5)


def test_many_small_weights_are_seen() -> None:
    """Each of 1,000 new levels has four tenths of a row, which alone would round to none."""
    then = np.append(np.full(5, 200.0), np.zeros(1_000))
    now = np.append(np.zeros(5), np.full(1_000, 0.4))
    assert two_sample_test(then, now) < 1e-9


@pytest.mark.parametrize("beside", [0.0, 3.0, 1e6, 1e14])
def test_sums_of_very_many_logarithms_are_exact(beside: float) -> None:
    terms = np.arange(1.0, 1e6 + 1.0)
    for k in (1e6, 3e8, 1e14):
        expected = np.log1p(k / (beside + terms)).sum()
        assert _sum_of_logs(k, beside, 1_000_000) == pytest.approx(expected, rel=1e-10)


def test_rows_beyond_are_as_likely_whatever_the_unit_of_weights() -> None:
    """From 1e13 rows on, differences of logarithms of factorials had no digits left."""
    for rows in (1e3, 1e9, 1e13, 1e16):
        assert beyond_test(1, rows, rows) == pytest.approx(0.5, rel=1e-9)
        assert beyond_test(2, rows, rows) == pytest.approx(0.25, rel=1e-2 if rows < 1e4 else 1e-8)
        assert beyond_test(rows / 2, 1, rows - 1) == pytest.approx(0.5, rel=1e-2)
