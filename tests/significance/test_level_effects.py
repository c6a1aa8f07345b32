"""The calibrated test of level effects: exact moments, sizes that are kept, power."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.statistics.rows import law
from vtreat_py.significance.level_effects import deciding_prior, level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers, shape_of_pairs
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums


def p_value(level: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    n_levels = int(level.max()) + 1
    sums = OutcomeSums.of_rows(level, n_levels, y, weight)
    if y.dtype == np.int8:
        sums = OutcomeSums(sums.weight, sums.total)
    return level_effects_test(sums, OutcomePowers.of_sample(Sample.of_values(y, weight)))


def statistic(level: np.ndarray, y: np.ndarray, coefficient: np.ndarray) -> float:
    """Pairs of different rows of one level, one by one."""
    pairs = itertools.permutations(range(len(y)), 2)
    return sum(coefficient[level[a]] * y[a] * y[b] for a, b in pairs if level[a] == level[b])


@pytest.mark.parametrize("sizes", [[4, 4], [1, 2, 5], [1, 1, 6], [2, 2, 2, 2], [8, 0]])
def test_the_moments_are_those_of_all_permutations(sizes: list[int]) -> None:
    y = np.array([-2.0, 0.5, 1.0, 1.0, 3.0, 8.0, 0.0, 1.0])
    powers = OutcomePowers.of_sample(Sample.of_values(y))
    z = (y - powers.mean) / powers.spread
    level = np.repeat(np.arange(len(sizes)), sizes)
    size = np.array(sizes, dtype=float)
    coefficient = 1.0 / (size + 0.7)
    orders = np.array(list(itertools.permutations(range(8))))
    of_level = level[None, :] == np.arange(len(sizes))[:, None]
    totals = z[orders] @ of_level.T
    squares = (z[orders] ** 2) @ of_level.T
    found = (coefficient * (totals**2 - squares)).sum(axis=1)
    assert found[0] == pytest.approx(statistic(level, z, coefficient))
    shape = shape_of_pairs(coefficient, size, np.ones(len(sizes)), powers)
    np.testing.assert_allclose(
        (shape.mean, shape.variance), (found.mean(), found.var()), rtol=1e-9, atol=1e-9
    )
    if found.std() > 1e-9:
        expected = stats.skew(found), stats.kurtosis(found)
        np.testing.assert_allclose((shape.skewness, shape.kurtosis), expected, rtol=1e-8)


def test_power_sums_are_those_of_the_standardised_outcome() -> None:
    y, w = np.array([1.0, 5.0, -3.0, 10.0]), np.array([2.0, 1.0, 3.0, 1.0])
    powers = OutcomePowers.of_sample(Sample.of_values(y, w))
    z = stats.zscore(np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(powers.sums, [(z**k).sum() for k in range(9)], atol=1e-9)
    assert powers.weight == 7


@law
@given(st.integers(0, 10**6))
def test_the_outcome_may_be_shifted_and_stretched(seed: int) -> None:
    random = np.random.default_rng(seed)
    level, y = random.integers(0, 6, 60), random.exponential(size=60)
    p = p_value(level, y)
    assert p_value(level, 1e6 + 1e-3 * y) == pytest.approx(p, rel=1e-5)
    assert p_value(level, -y) == pytest.approx(p, rel=0.3, abs=0.01)  # other draws
    assert p_value(5 - level, y) == pytest.approx(p, rel=1e-9)


@law
@given(st.integers(0, 10**6))
def test_weights_are_repeated_rows(seed: int) -> None:
    random = np.random.default_rng(seed)
    level, y = random.integers(0, 5, 30), random.normal(size=30)
    weight = random.integers(0, 4, 30)
    rows = np.repeat(np.arange(30), weight)
    assert p_value(level, y, weight.astype(float)) == pytest.approx(
        p_value(level[rows], y[rows]), rel=1e-9
    )


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("sizes", [[30, 30], [5] * 20, [60, 20, 10, 5, 5, 1, 1, 1]])
def test_p_values_are_the_share_of_permutations_that_reach_as_far(
    sizes: list[int], skewed: bool
) -> None:
    random = np.random.default_rng(4)
    level = np.repeat(np.arange(len(sizes)), sizes)
    y = random.normal(size=len(level)) + 0.8 * random.normal(size=len(sizes))[level]
    y = np.exp(y) if skewed else y
    size = np.array(sizes, dtype=float)
    coefficient = 1.0 / (size + deciding_prior(size, np.ones(len(size), dtype=int)))
    z = y - y.mean()

    def q(values: np.ndarray) -> float:
        total = np.bincount(level, values)
        return float((coefficient * (total**2 - np.bincount(level, values**2))).sum())

    reached = np.mean([q(random.permutation(z)) >= q(z) for _ in range(20_000)])
    assert p_value(level, y) == pytest.approx(reached, abs=0.004, rel=0.25)


def outcome(kind: str, n: int, random: np.random.Generator) -> np.ndarray:
    if kind == "normal":
        return random.normal(size=n)
    if kind == "lognormal":
        return np.exp(random.normal(size=n))
    return (random.random(n) < float(kind)).astype(np.int8)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "lognormal", "0.1", "0.01"])
@pytest.mark.parametrize("n_levels", [2, 50, 500])
@pytest.mark.parametrize("zipf", [False, True])
def test_noise_is_rejected_as_often_as_is_said(kind: str, n_levels: int, zipf: bool) -> None:
    random = np.random.default_rng(11)
    share = 1.0 / np.arange(1, n_levels + 1) if zipf else np.ones(n_levels)
    level = random.choice(n_levels, 2000, p=share / share.sum())
    p = np.array([p_value(level, outcome(kind, 2000, random)) for _ in range(400)])
    for nominal in (0.05, 0.01):
        most = stats.binom.ppf(1 - 1e-4, 400, nominal)
        assert (p <= nominal).sum() <= most
    assert (p <= 0.05).sum() >= stats.binom.ppf(1e-4, 400, 0.05 / 3)


def power(make: Any, test: Any, n_runs: int = 200) -> float:
    random = np.random.default_rng(2)
    return float(np.mean([test(*make(random)) <= 0.01 for _ in range(n_runs)]))


def anova(level: np.ndarray, y: np.ndarray) -> float:
    size = np.bincount(level)
    total = np.bincount(level, y - y.mean())
    some = size > 0
    between = float((total[some] ** 2 / size[some]).sum())
    inside = float(((y - y.mean()) ** 2).sum()) - between
    free = int(some.sum()) - 1
    f = (between / free) / (inside / (len(y) - free - 1))
    return float(stats.f.sf(f, free, len(y) - free - 1))


def test_random_effects_are_found_more_often_than_by_the_analysis_of_variance() -> None:
    def make(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        share = 1.0 / np.arange(1, 301)
        level = random.choice(300, 2000, p=share / share.sum())
        return level, random.normal(size=2000) + 0.2 * random.normal(size=300)[level]

    assert power(make, p_value) > power(make, anova) + 0.1


def test_strong_effects_have_tiny_p_values_and_columns_without_pairs_none() -> None:
    random = np.random.default_rng(0)
    level = np.arange(400) % 20
    assert p_value(level, level + 0.1 * random.normal(size=400)) < 1e-60
    assert p_value(np.arange(40), random.normal(size=40)) == 1.0
    assert p_value(np.zeros(40, dtype=int), random.normal(size=40)) == 1.0
    assert p_value(np.arange(40) % 4, np.ones(40)) == 1.0
    assert p_value(np.arange(5) % 2, np.arange(5.0)) == 1.0


@pytest.mark.parametrize("kind", ["normal", "lognormal"])
def test_a_handful_of_rows_that_share_levels_is_tested_by_drawing_their_outcomes(
    kind: str,
) -> None:
    random = np.random.default_rng(12)
    p = []
    for _ in range(600):
        level = random.integers(0, 5_000, 200)
        p.append(p_value(level, outcome(kind, 200, random)))
    for nominal in (0.05, 0.01):
        assert np.sum(np.array(p) <= nominal) <= stats.binom.ppf(1 - 1e-4, 600, nominal)
    assert np.mean(np.array(p) <= 0.05) > 0.02


def test_few_rows_have_the_p_value_of_all_permutations() -> None:
    level = np.array([0, 0, 0, 1, 1, 2, 3, 4])
    y = np.array([9.0, 7.0, 4.0, 1.0, 0.0, 2.0, 3.0, 2.5])
    size = np.bincount(level).astype(float)
    z = y - y.mean()

    def q(values: np.ndarray) -> float:
        total, squares = np.bincount(level, values), np.bincount(level, values**2)
        return float(((total**2 - squares) / size).sum())

    found = np.array([q(z[list(o)]) for o in itertools.permutations(range(8))])
    assert p_value(level, y) == pytest.approx(np.mean(found >= q(z) - 1e-9), rel=0.3)
