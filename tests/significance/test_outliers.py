"""Level effects of outcomes that a few rows carry, beside permutations of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.outliers import has_outliers, p_value_with_outliers
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

Array = np.ndarray[Any, Any]
DRAWS = 4_000


def outcome(kind: str, n_rows: int, random: np.random.Generator) -> Array:
    draw = {
        "t(2)": lambda: random.standard_t(2, n_rows),
        "Cauchy": lambda: random.standard_cauchy(n_rows),
        "zeros": lambda: np.where(
            random.random(n_rows) < 0.97, 0.0, random.lognormal(0, 2, n_rows)
        ),
        "lognormal": lambda: random.lognormal(0, 2, n_rows),
    }
    return draw[kind]()


def p_of(level: Array, y: Array, weight: Array | None = None) -> float:
    sums = OutcomeSums.of_rows(level, int(level.max()) + 1, y, weight)
    return level_effects_test(sums, OutcomePowers.of_sample(Sample.of_values(y, weight)))


def statistic(coefficient: Array, level: Array, y: Array) -> float:
    total, squares = np.bincount(level, y), np.bincount(level, y * y)
    return float((coefficient * (total * total - squares)).sum())


@pytest.mark.parametrize("kind", ["t(2)", "Cauchy", "zeros", "lognormal"])
@pytest.mark.parametrize(("n_rows", "n_levels"), [(60, 20), (300, 2), (300, 40), (300, 300)])
def test_p_values_are_those_of_permutations(n_rows: int, n_levels: int, kind: str) -> None:
    random = np.random.default_rng([n_rows, n_levels, len(kind)])
    y = outcome(kind, n_rows, random)
    level = random.integers(0, n_levels, n_rows)
    _, level = np.unique(level, return_inverse=True)
    y = y + 0.5 * np.median(np.abs(y)) * (level == level[0])
    size = np.bincount(level).astype(float)
    coefficient = 1.0 / (size + 3.0)
    sample = Sample.of_values(y)
    assert has_outliers(sample)
    z = sample.values
    found = statistic(coefficient, level, z)
    drawn = np.array([statistic(coefficient, level, random.permutation(z)) for _ in range(DRAWS)])
    expected = float((drawn >= found - 1e-9 * abs(found)).mean())
    p = p_value_with_outliers(found, coefficient, size, sample)
    error = np.sqrt(max(expected * (1.0 - expected), 1e-4) * (1 / DRAWS + 1 / 1_000))
    assert p == pytest.approx(expected, abs=4.0 * error + 0.03 * min(expected, 1 - expected))


def test_one_value_that_carries_the_variance_is_no_evidence() -> None:
    random = np.random.default_rng(28)
    y = random.standard_t(2, 150)
    assert 0.05 < p_of(random.integers(0, 150, 150), y) < 0.12


def test_effects_are_found_beside_outliers() -> None:
    random = np.random.default_rng(3)
    level = random.integers(0, 10, 2_000)
    y = random.standard_cauchy(2_000).clip(-60, 60)
    y[:3] = [900.0, -700.0, 800.0]
    assert p_of(level, y) > 0.01
    assert p_of(level, y + 9.0 * (level < 5)) < 1e-5


def test_neither_names_of_levels_nor_weights_for_rows_matter() -> None:
    random = np.random.default_rng(5)
    level, y = random.integers(0, 30, 400), np.round(random.standard_cauchy(400), 1)
    y[:9] += 40.0
    weight = random.integers(1, 4, 400)
    repeated = p_of(np.repeat(level, weight), np.repeat(y, weight))
    assert repeated < 0.3
    assert p_of(level, y, weight.astype(float)) == pytest.approx(repeated, rel=1e-9)
    assert p_of(random.permutation(30)[level], y, weight.astype(float)) == pytest.approx(
        repeated, rel=1e-9
    )


def test_outliers_that_meet_in_a_small_level_are_a_matter_of_chance() -> None:
    random = np.random.default_rng(7)
    y = random.normal(size=20_000)
    y[:2] = 3e3
    level = np.append([0, 0, 0], random.integers(1, 2_000, 19_997))
    p = p_of(level, y)
    assert 1e-9 < p < 1e-3
    assert p >= 3 * 2 / (20_000 * 19_999)
