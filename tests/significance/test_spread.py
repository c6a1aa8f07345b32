"""The test of spread: blind to means, awake to deviations, whatever the outcome's tails are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from vtreat_py.significance.spread import (
    MOST_ROWS,
    SpreadTest,
    _in_order_of_levels,
    _scattered,
    sampled_levels,
)


def p_value(level: np.ndarray, n_levels: int, y: np.ndarray) -> float:
    return SpreadTest(y).p_value(level, n_levels)


def outcome(kind: str, n: int, random: np.random.Generator) -> np.ndarray:
    return random.normal(size=n) if kind == "normal" else random.lognormal(size=n)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "lognormal"])
@pytest.mark.parametrize(("n_levels", "n_rows"), [(2, 100), (50, 500), (300, 900)])
def test_levels_that_differ_in_their_means_only_pass_as_seldom_as_is_said(
    kind: str, n_levels: int, n_rows: int
) -> None:
    random = np.random.default_rng(5)
    share = 1.0 / np.arange(1, n_levels + 1)
    p = []
    for _ in range(400):
        level = random.choice(n_levels, n_rows, p=share / share.sum())
        y = 5.0 * random.normal(size=n_levels)[level] + outcome(kind, n_rows, random)
        p.append(p_value(level, n_levels, y))
    for nominal in (0.05, 0.01):
        assert np.sum(np.array(p) <= nominal) <= stats.binom.ppf(1 - 1e-4, 400, nominal)
    assert np.mean(np.array(p) <= 0.05) > 0.01


@pytest.mark.parametrize("n_levels", [3, 40])
def test_levels_that_differ_in_spread_are_found(n_levels: int) -> None:
    random = np.random.default_rng(6)
    level = random.integers(0, n_levels, 2_000)
    y = random.normal(size=2_000) * np.exp(0.4 * (level % 3))
    assert p_value(level, n_levels, y) < 1e-6


def test_without_two_blocks_in_a_level_nothing_can_be_told() -> None:
    assert p_value(np.arange(30) // 3, 10, np.random.default_rng(0).normal(size=30)) == 1.0
    assert p_value(np.zeros(0, dtype=int), 3, np.zeros(0)) == 1.0


def test_a_constant_outcome_has_no_spread() -> None:
    assert p_value(np.arange(100) % 5, 5, np.ones(100)) == 1.0


def test_rows_are_grouped_by_level_in_their_order() -> None:
    level = np.array([2, 0, 2, 1, 0])
    np.testing.assert_array_equal(_in_order_of_levels(level, 4), [1, 4, 3, 0, 2])


def test_neither_the_order_nor_repetition_of_rows_matters() -> None:
    random = np.random.default_rng(8)
    level, y = random.integers(0, 6, 200), np.round(random.lognormal(size=200), 1)
    weight = random.integers(0, 4, 200).astype(float)
    weighted = SpreadTest(y, weight).p_value(5 - level, 6)
    repeated = random.permutation(np.repeat(np.arange(200), weight.astype(int)))
    assert weighted == p_value(level[repeated], 6, y[repeated])


def test_rows_occur_as_often_as_their_weights_say() -> None:
    weight = np.array([0.0, 1.0, 3.0, 7.0] * 500)
    y = np.arange(2_000.0)
    rows = SpreadTest(y, weight)._whole.rows
    times = np.bincount(rows, minlength=2_000)
    np.testing.assert_array_equal(times, weight)
    assert len(SpreadTest(y, 1000.0 * weight)._whole.rows) == pytest.approx(6_000, rel=0.02)
    np.testing.assert_array_equal(SpreadTest(-y)._whole.rows, np.arange(2_000)[::-1])


@pytest.mark.long
def test_weights_of_importance_find_no_spread_in_noise_whatever_their_unit() -> None:
    """Resampled by such weights, noise was found in .10 to .19 of columns at .05."""
    random = np.random.default_rng(21)
    p_values = []
    for _ in range(40):
        y, weight = random.normal(size=700), random.lognormal(0.0, 1.5, 700)
        test = SpreadTest(y, weight, counts_rows=False)
        p_values += [test.p_value(random.integers(0, 35, 700), 35) for _ in range(10)]
    level, of_unit = random.integers(0, 5, 700), SpreadTest(y, weight / 700, counts_rows=False)
    assert of_unit.p_value(level, 5) == pytest.approx(test.p_value(level, 5), rel=1e-9)
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.035)
    spread = SpreadTest(y * (1 + level), weight, counts_rows=False)
    assert spread.p_value(level, 5) < 1e-3


@pytest.mark.parametrize("weight", [None, np.tile([0.0, 1.0, 1.0], 200_000)])
def test_of_very_many_rows_a_random_part_is_looked_at(weight: np.ndarray | None) -> None:
    y = np.random.default_rng(9).normal(size=600_000)
    rows, part, _ = SpreadTest(y, weight)._part
    np.testing.assert_array_equal(y[rows], part)
    assert len(np.unique(rows)) == len(rows) == MOST_ROWS
    assert part.std() == pytest.approx(1.0, abs=0.01)
    assert abs(stats.spearmanr(rows, np.arange(len(rows))).statistic) < 0.03
    if weight is not None:
        assert (weight[rows] == 1.0).all()


@pytest.mark.parametrize("copies", [1.0, 3.0])
def test_of_very_many_levels_some_are_looked_at(copies: float) -> None:
    level = np.random.default_rng(11).permutation(np.arange(200_000) // 5)
    y = 10.0 * level + np.arange(200_000) % 7
    test = SpreadTest(y, np.full(200_000, copies))
    number, n_levels, part, _ = test._some_levels(level, 40_000)
    assert n_levels == pytest.approx(40_000 * 0.95 * MOST_ROWS / 200_000, rel=0.01)
    assert len(part) == pytest.approx((0.95 if copies == 1.0 else 1.0) * MOST_ROWS, rel=0.01)
    picked = np.floor(part / 10.0)
    assert set(number) <= set(range(n_levels))
    order = np.argsort(picked, kind="stable")
    assert ((np.diff(picked[order]) > 0) == (np.diff(number[order]) > 0)).all()
    if copies == 1.0:
        assert set(np.bincount(number)) == {5}
    assert abs(stats.spearmanr(number, np.arange(len(number))).statistic) < 0.03


@pytest.mark.parametrize("weight", [None, np.ones(3_000_000)])
def test_levels_of_very_many_rows_are_not_left_out(weight: np.ndarray | None) -> None:
    level = (np.arange(3_000_000) % 1100).astype(np.int16)
    test = SpreadTest(np.zeros(3_000_000), weight)
    number, n_levels, part, _ = test._some_levels(level, 1100)
    assert n_levels == pytest.approx(64, abs=2)
    assert len(part) == MOST_ROWS
    assert np.bincount(number, minlength=n_levels).min() > 300


def test_levels_without_weight_are_none() -> None:
    level = np.repeat([0, 39_999], 50_000)
    weight = np.repeat([0.0, 1.0], 50_000)
    assert SpreadTest(np.arange(100_000.0), weight).p_value(level, 40_000) == 1.0


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9])
def test_a_share_of_the_codes_is_picked_evenly(share: float) -> None:
    picked = _scattered(30_000, share)
    for part in picked.reshape(10, 3_000), picked.reshape(3_000, 10).T, picked.reshape(3, -1):
        np.testing.assert_allclose(part.mean(axis=1), share, atol=0.012)


def test_common_levels_are_picked_as_often_as_others() -> None:
    """Common levels have small codes: without a start of its own, 4 and 38 were always picked."""
    picked = [np.flatnonzero(sampled_levels(n, 1_000_000)) for n in range(1_100, 5_000, 13)]
    small = np.bincount(np.concatenate([p[p < 30] for p in picked]), minlength=30) / len(picked)
    assert 0.0 < small.min() < small.max() < 0.11
    assert 0.025 < small.mean() < 0.045


@pytest.mark.parametrize("weight", [None, np.ones(400_000)])
@pytest.mark.parametrize("n_levels", [10, 80_000])
def test_small_differences_are_found_in_a_part_of_the_rows(
    n_levels: int, weight: np.ndarray | None
) -> None:
    random = np.random.default_rng(10)
    level = random.integers(0, n_levels, 400_000)
    noise = random.normal(size=400_000)
    apart = 0.05 if n_levels == 10 else 0.4
    assert SpreadTest(noise, weight).p_value(level, n_levels) > 0.01
    y = noise * (1.0 + apart * (level % 2))
    assert SpreadTest(y, weight).p_value(level, n_levels) < 1e-3


@pytest.mark.parametrize("weighs", [False, True])
@pytest.mark.parametrize("has_far", [False, True])
def test_levels_of_equal_totals_are_told_apart_by_their_outcomes(
    weighs: bool, has_far: bool
) -> None:
    """By their places alone, names of levels and the order of rows moved p-values fivefold."""
    random = np.random.default_rng(4)
    level, y = random.integers(0, 40, 400), random.integers(0, 3, 400) * 1.0
    weight = random.random(400) if weighs else None
    if has_far:
        y = random.normal(size=400)
        y[0] = 1e8
        if weight is not None:
            weight[1] = 1e6
    found = set()
    for _ in range(5):
        rows, names = random.permutation(400), random.permutation(40)
        moved = y[rows] + random.choice([0.0, 0.0 if has_far else 1e-13])  # an engine's rounding
        of_rows = None if weight is None else weight[rows]
        test = SpreadTest(moved, of_rows, counts_rows=not weighs)
        found.add(round(test.p_value(names[level[rows]], 40), 8))
    assert len(found) == 1


@pytest.mark.filterwarnings("error")
def test_rows_as_far_out_as_floats_go_are_rounded_without_a_warning() -> None:
    y = 1e-309 * np.random.default_rng(2).normal(size=200)
    y[0] = 1.0
    assert 0.0 <= SpreadTest(y).p_value(np.arange(200) % 10, 10) <= 1.0
