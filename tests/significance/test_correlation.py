"""The permutation test of a correlation: exact where it can be, right where outliers are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.statistics.rows import law
from vtreat_py.significance.correlation import (
    _not_among,
    _others,
    _permuted_products,
    correlation_test,
)
from vtreat_py.significance.sample import Sample


def p_value(x: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    n = float(len(x) if weight is None else weight.sum())
    a, b = Sample.of_values(x, weight), Sample.of_values(y, weight)
    r = float(np.average(a.values * b.values, weights=weight))
    return correlation_test(r, n, lambda: a, b)


def by_all_permutations(x: np.ndarray, y: np.ndarray) -> float:
    products = np.array([x @ np.array(o) for o in itertools.permutations(y - y.mean())])
    return float(np.mean(np.abs(products) >= abs(x @ (y - y.mean())) * (1 - 1e-9)))


@pytest.mark.parametrize("seed", range(6))
def test_with_outliers_in_both_it_is_the_share_of_permutations(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.lognormal(sigma=1.5, size=8), random.lognormal(sigma=1.5, size=8)
    y[np.argmax(x)] = y.max() + 1.0
    exact = by_all_permutations(x - x.mean(), y)
    found = p_value(x, y)
    assert found == pytest.approx(exact, abs=0.01 if exact < 0.09 else 0.1)


def test_well_behaved_variables_have_the_p_value_of_regression() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=300)
    y = x * 0.2 + random.normal(size=300)
    assert p_value(x, y) == pytest.approx(stats.linregress(x, y).pvalue, rel=1e-9)


def test_two_variables_of_two_values_have_fishers_p_value() -> None:
    table = np.array([[3.0, 2.0], [4.0, 191.0]])
    x, y = Sample.of_values(np.array([0.0, 1.0]), np.array([195.0, 5.0])), None
    y = Sample.of_values(np.array([0.0, 1.0]), np.array([193.0, 7.0]))
    r = (table[0, 0] - 5 * 7 / 200) / np.sqrt(5 * 195 * 7 * 193) * 200
    expected = stats.fisher_exact(table)[1]
    assert correlation_test(r, 200.0, lambda: x, y) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [3, 20, 40, 70, 5_000])
def test_drawn_sums_have_the_moments_of_permuted_ones(n: int) -> None:
    random = np.random.default_rng(n)
    x, y = (Sample.of_values(random.exponential(size=n)) for _ in range(2))
    drawn = _permuted_products(20_000, x, y)
    spread = n / np.sqrt(n - 1)
    assert drawn.mean() == pytest.approx(0.0, abs=4 * spread / np.sqrt(20_000))
    assert drawn.std() == pytest.approx(spread, rel=0.1)


@law
@given(st.integers(0, 10**6))
def test_rows_that_others_leave_are_told_by_number(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 60))
    rows = random.permutation(n)[: random.integers(0, n)]
    left = np.delete(np.arange(n), rows)
    places = random.integers(0, len(left), (6, 4))
    np.testing.assert_array_equal(_others(np.sort(rows), places), left[places])
    drawn = np.array([random.permutation(n)[:5] for _ in range(6)])
    expected = np.array([~np.isin(rows, one) for one in drawn])
    np.testing.assert_array_equal(_not_among(drawn, rows), expected)


@law
@given(st.integers(0, 10**6))
def test_weights_are_repeated_rows_in_any_order(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.lognormal(size=40), random.lognormal(size=40)
    y[:4] += x[:4] * 2
    weight = random.integers(1, 4, 40).astype(float)
    rows = random.permutation(np.repeat(np.arange(40), weight.astype(int)))
    assert p_value(x, y, weight) == pytest.approx(p_value(x[rows], y[rows]), rel=1e-6)


@law
@given(st.integers(0, 10**6))
def test_neither_unit_nor_sign_nor_offset_matters(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.lognormal(size=60), random.normal(size=60)
    p = p_value(x, y)
    assert p_value(1e-5 * x + 3.0, 1e5 * y) == pytest.approx(p, rel=1e-6)
    assert p_value(-x, y) == pytest.approx(p, rel=0.3, abs=0.01)


@pytest.mark.parametrize("kind_of_x", ["lognormal", "Cauchy", "indicator"])
@pytest.mark.parametrize("n", [200, 2_000])
def test_outliers_in_both_make_no_noise_significant(kind_of_x: str, n: int) -> None:
    random = np.random.default_rng(3)
    found, classic = [], []
    for _ in range(400):
        x = {
            "lognormal": random.lognormal(size=n),
            "Cauchy": random.standard_cauchy(size=n),
            "indicator": (np.arange(n) < n // 50).astype(float),
        }[kind_of_x]
        y = random.lognormal(size=n)
        found.append(p_value(x, y))
        classic.append(stats.linregress(x, y).pvalue)
    for nominal in (0.05, 0.01):
        assert np.sum(np.array(found) <= nominal) <= stats.binom.ppf(1 - 1e-4, 400, nominal)
    assert np.mean(np.array(classic) <= 0.01) > 0.01


def test_nothing_can_be_told_of_constants_and_two_rows() -> None:
    x = np.arange(10.0)
    assert p_value(x, np.ones(10)) == 1.0
    assert p_value(np.ones(10), x) == 1.0
    assert p_value(np.array([1.0, 2.0]), np.array([1.0, 5.0])) == 1.0


def test_a_perfect_line_leaves_no_doubt() -> None:
    x = np.random.default_rng(0).normal(size=100)
    assert p_value(x, 3.0 * x + 1.0) < 1e-100


@pytest.mark.parametrize("seed", [16, 23, 28, 85, 91])
def test_sums_that_are_equal_are_so_in_all_units(seed: int) -> None:
    random = np.random.default_rng(seed)
    weight, hit = random.choice([0.37, 0.74, 1.11], 40), random.random(40) < 0.3
    on, hit[3] = np.arange(40) == 3, True
    x = weight * (on - np.average(on, weights=weight))
    y = Sample.of_values(np.array([0.0, 1.0]), np.array([(~hit).sum(), hit.sum()], dtype=float))

    def p(values: np.ndarray) -> float:
        r = float(np.corrcoef(values, hit)[0, 1])
        return correlation_test(r, 40.0, lambda: Sample.of_values(values), y)

    assert {p(unit * x) for unit in (1 / 3, 0.1, 0.7, 1e-5, 7e4)} == {p(x)}
    assert p(x) < 0.1
