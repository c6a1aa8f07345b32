"""Draws without replacement, and p-values by them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from vtreat_py.significance.draws import different_rows, p_value_by_draws


@pytest.mark.parametrize(("n_rows", "n_drawn"), [(1, 1), (5, 5), (40, 32), (300, 32), (10**9, 3)])
def test_rows_of_a_draw_are_different_and_in_range(n_rows: int, n_drawn: int) -> None:
    rows = different_rows(n_rows, n_drawn, 500)
    assert rows.shape == (500, n_drawn)
    assert rows.min() >= 0
    assert rows.max() < n_rows
    assert (np.diff(np.sort(rows, axis=1), axis=1) > 0).all()


@pytest.mark.parametrize(("n_rows", "n_drawn"), [(6, 3), (30, 5)])
def test_every_row_and_every_order_is_as_likely(n_rows: int, n_drawn: int) -> None:
    rows = different_rows(n_rows, n_drawn, 20_000)
    for k in range(n_drawn):
        counts = np.bincount(rows[:, k], minlength=n_rows)
        assert stats.chisquare(counts).pvalue > 1e-4
    assert np.corrcoef(rows[:, 0], rows[:, 1])[0, 1] == pytest.approx(-1 / (n_rows - 1), abs=0.03)


def normal_draws(n_draws: int) -> np.ndarray:
    return np.random.default_rng(n_draws).normal(size=n_draws)


@pytest.mark.parametrize("value", [0.0, 1.0, 2.0, 3.0])
def test_a_p_value_is_the_share_of_draws_that_reach_the_statistic(value: float) -> None:
    found = p_value_by_draws(normal_draws, value, stats.norm.sf)
    assert found == pytest.approx(stats.norm.sf(value), rel=0.4, abs=0.001)


@pytest.mark.parametrize("tail", [stats.norm.sf, lambda x: stats.norm.sf(x) / 5])
def test_beyond_the_draws_a_smooth_tail_goes_on_from_where_they_end(tail: object) -> None:
    far = [p_value_by_draws(normal_draws, x, tail) for x in (3.0, 4.0, 6.0, 9.0)]
    assert far[1] == pytest.approx(stats.norm.sf(4.0), rel=1.5)
    assert far[0] > far[1] > far[2] > far[3] > 0
    assert far[3] == pytest.approx(stats.norm.sf(9.0), rel=1.5)


def test_a_tail_that_ends_too_early_says_no_more_than_the_draws_do() -> None:
    found = p_value_by_draws(normal_draws, 9.0, lambda x: float(x < 2))
    assert found == pytest.approx(1 / 5_001)


def test_equal_but_for_rounding_is_reached() -> None:
    found = p_value_by_draws(lambda n: np.full(n, 0.1 + 0.2), 0.3, lambda _: 0.5)
    assert found == 1.0
