"""The population stability index: closed forms, and how far chance alone gets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vtreat_py.statistics.stability_index import index_by_chance, stability_index

WEIGHTS = st.lists(st.integers(0, 1_000), min_size=1, max_size=9)


def test_two_bins_by_hand() -> None:
    found = stability_index(np.array([30.0, 70.0]), np.array([60.0, 40.0]))
    p, q = 30.5 / 101, 60.5 / 101
    assert found[0] == pytest.approx((q - p) * math.log(q / p), rel=1e-14)
    assert found[1] == pytest.approx((p - q) * math.log((1 - q) / (1 - p)), rel=1e-14)


def test_of_many_rows_it_is_the_textbooks() -> None:
    then, now = np.array([1e12, 3e12]), np.array([2e12, 2e12])
    textbook = 0.25 * math.log(2) + (0.5 - 0.75) * math.log(0.5 / 0.75)
    assert stability_index(then, now).sum() == pytest.approx(textbook, rel=1e-10)


def test_a_bin_that_is_empty_once_counts_and_one_that_is_empty_twice_does_not() -> None:
    then, now = np.array([100.0, 0.0, 0.0]), np.array([90.0, 10.0, 0.0])
    found = stability_index(then, now)
    p, q = 0.5 / 101, 10.5 / 101
    assert found[1] == pytest.approx((q - p) * math.log(q / p), rel=1e-14)
    assert found[2] == 0
    np.testing.assert_array_equal(found[:2], stability_index(then[:2], now[:2]))


@given(WEIGHTS, st.data())
def test_it_is_symmetric_and_0_only_without_a_difference(weights: list[int], data: Any) -> None:
    then = np.array(weights, dtype=float)
    then[0] += 1
    others = st.lists(st.integers(0, 1_000), min_size=len(then), max_size=len(then))
    now = np.array(data.draw(others), dtype=float)
    there, back = stability_index(then, now), stability_index(now, then)
    np.testing.assert_allclose(there, back, rtol=1e-12, atol=0)
    assert (there >= 0).all()
    assert (stability_index(then, then) == 0).all()


@pytest.mark.parametrize(("rows_then", "rows_now"), [(500, 500), (5_000, 300)])
def test_chance_gets_beyond_it_in_a_twentieth_of_samples(rows_then: int, rows_now: int) -> None:
    random, shares = np.random.default_rng(2), np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.1])
    limit, beyond = index_by_chance(6, rows_then, rows_now), 0
    for _ in range(2_000):
        then, now = (random.multinomial(n, shares).astype(float) for n in (rows_then, rows_now))
        beyond += stability_index(then, now).sum() > limit
    assert 70 <= beyond <= 130  # 100 expected, with a standard deviation of 10


def test_one_bin_has_nothing_to_move() -> None:
    assert index_by_chance(1, 10, 10) == 0.0
