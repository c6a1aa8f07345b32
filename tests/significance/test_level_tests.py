import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.statistics.r_numbers import read_units
from tests.statistics.rows import law
from vtreat_py.significance.level_tests import (
    chi_square_yates,
    class_level_test,
    fisher_exact,
    numeric_level_test,
)

TABLES = read_units("level_sig_C")["unweighted_tables"]
WEIGHTED_TABLES = read_units("level_sig_C")["weighted"]
LEVELS = read_units("level_sig_N")

Table = tuple[int, int, int, int]


def as_columns(tables: list[Table]) -> np.ndarray:
    return np.array(tables, dtype=float).reshape(-1, 4).T


def class_test(a, b, c, d):
    """Test one level with a target rows and b others against c and d rows without the level."""
    sums = np.array([[a], [a + b], [a + c], [a + b + c + d]], dtype=float)
    return float(class_level_test(*sums)[0])


def cells_of(case) -> Table:
    """Rows in and out of the level, of the target first; R's names tell x-axis from y-axis."""
    return case["in_target"], case["in_other"], case["out_target"], case["out_other"]


@law
@given(st.lists(st.tuples(*[st.integers(0, 25)] * 4), max_size=8))
def test_fisher_exact_is_that_of_scipy(tables):
    expected = [stats.fisher_exact([[a, b], [c, d]])[1] for a, b, c, d in tables]
    np.testing.assert_allclose(fisher_exact(as_columns(tables)), expected, rtol=1e-7)


@pytest.mark.parametrize(
    "table", [(10, 3000, 40, 9000), (1, 100_000, 30, 20_000), (0, 50_000, 60, 40_000)]
)
def test_fisher_exact_of_many_rows_is_that_of_scipy(table):
    expected = stats.fisher_exact(np.reshape(table, (2, 2)))[1]
    np.testing.assert_allclose(fisher_exact(as_columns([table])), expected, rtol=1e-5)


@law
@given(st.lists(st.tuples(*[st.integers(1, 500)] * 4), max_size=8))
def test_chi_square_is_that_of_scipy_with_yates_correction(tables):
    expected = [
        stats.chi2_contingency([[a, b], [c, d]], correction=True).pvalue for a, b, c, d in tables
    ]
    np.testing.assert_allclose(chi_square_yates(as_columns(tables)), expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("table", "test"), [((10, 60, 50, 70), fisher_exact), ((11, 60, 50, 70), chi_square_yates)]
)
def test_cells_of_ten_rows_ask_for_the_exact_test(table, test):
    assert class_test(*table) == test(as_columns([table]))[0]


@pytest.mark.parametrize(
    "table", [(0, 0, 5, 6), (5, 6, 0, 0), (4, 0, 6, 0), (0, 4, 0, 6), (0, 0, 0, 0)]
)
def test_a_constant_level_or_target_is_no_effect(table):
    assert class_test(*table) == 1


def test_many_levels_are_tested_as_one_by_one():
    tables = [(3, 5, 9, 1), (30, 50, 90, 10), (0, 0, 12, 11), (3, 5, 9, 1), (20, 20, 30, 11)]
    a, b, c, d = as_columns(tables)
    together = class_level_test(a, a + b, a + c, a + b + c + d)
    np.testing.assert_allclose(together, [class_test(*table) for table in tables], rtol=1e-14)


def test_fractions_of_rows_are_rounded_for_the_exact_test():
    assert class_test(2.6, 7.4, 5.2, 0.8) == class_test(3, 7, 5, 1)


@pytest.mark.parametrize("case", TABLES, ids=lambda case: "-".join(map(str, cells_of(case))))
def test_p_values_of_class_levels_are_those_of_r(case):
    table = cells_of(case)
    np.testing.assert_allclose(class_test(*table), case["p"], rtol=1e-9)
    np.testing.assert_allclose(fisher_exact(as_columns([table])), case["fisher_p"], rtol=1e-7)
    chi_square = chi_square_yates(as_columns([table]))
    np.testing.assert_allclose(chi_square, case["chisq_yates_p"], rtol=1e-7)


@pytest.mark.parametrize("case", WEIGHTED_TABLES, ids=range(len(WEIGHTED_TABLES)))
def test_weighted_p_values_of_class_levels_are_those_of_r(case):
    on, hit = np.array(case["v"]) == "in", np.array(case["y"])
    weight = np.array(case["w"], dtype=float)
    table = [weight[mask].sum() for mask in (on & hit, on & ~hit, ~on & hit, ~on & ~hit)]
    np.testing.assert_allclose(class_test(*table), case["p"], rtol=1e-9)


def numeric_test(on, y, weight, n_rows=None):
    """Test one level, given which rows have it."""
    mean = np.average(y, weights=weight)
    squares = (weight * (y - mean) ** 2).sum()
    own = weight[on].sum()
    own_mean = np.average(y[on], weights=weight[on]) if own > 0 else 0.0
    n_rows = weight.sum() if n_rows is None else n_rows
    sums = [own, own_mean, weight.sum(), mean, squares, n_rows]
    return float(numeric_level_test(*np.array(sums, dtype=float)[:, None])[0])


@pytest.mark.parametrize("seed", range(8))
def test_the_numeric_test_is_the_f_test_of_two_groups(seed):
    random = np.random.default_rng(seed)
    n = 6 + 5 * seed
    on, y = np.arange(n) < random.integers(1, n - 1), random.normal(size=n)
    y[on] += seed / 4
    expected = stats.f_oneway(y[on], y[~on]).pvalue
    np.testing.assert_allclose(numeric_test(on, y, np.ones(n)), expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_the_numeric_test_stand_for_repeated_rows(seed):
    random = np.random.default_rng(seed)
    on, y, times = random.random(30) < 0.4, random.normal(size=30), random.integers(0, 4, 30)
    on, y, times = on[times > 0], y[times > 0], times[times > 0]
    fit = sm.OLS(np.repeat(y, times), sm.add_constant(np.repeat(on, times).astype(float))).fit()
    found = numeric_test(on, y, times.astype(float))
    np.testing.assert_allclose(found, fit.f_pvalue, rtol=1e-9)


def test_the_numeric_test_is_undefined_without_two_groups_or_three_rows():
    y = np.array([1.0, 2.0, 4.0])
    assert np.isnan(numeric_test(np.array([True, True, True]), y, np.ones(3)))
    assert np.isnan(numeric_test(np.array([False, False, False]), y, np.ones(3)))
    assert np.isnan(numeric_test(np.array([True, False]), y[:2], np.ones(2)))


def test_a_level_that_explains_all_is_certain():
    on = np.array([True, True, False, False])
    assert numeric_test(on, np.array([1.0, 1.0, 2.0, 2.0]), np.ones(4)) == 0


def test_an_outcome_that_does_not_vary_leaves_the_test_undefined():
    on = np.array([True, True, False, False])
    assert np.isnan(numeric_test(on, np.full(4, 2.0), np.ones(4)))


# R tests the weighted sums with as many degrees of freedom as there are rows, whatever their
# weight; the coders pass the weight, so that weights stand for repeated rows.
@pytest.mark.parametrize("case", LEVELS, ids=range(len(LEVELS)))
def test_p_values_of_numeric_levels_are_those_of_r(case):
    level, y = np.array(case["v"]), np.array(case["y"], dtype=float)
    weight = np.array(case["w"], dtype=float)
    found = [numeric_test(level == own, y, weight, len(y)) for own in case["levels"]]
    np.testing.assert_allclose(found, case["p"], rtol=1e-9)
