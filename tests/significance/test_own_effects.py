"""Variances of groups that react in their own ways, against models where they are known."""

import numpy as np
import pytest
from scipy import stats

from vtreat_py.significance.own_effects import CellSums, sig_of_levels, sig_of_line


def cells(random: np.random.Generator, own: float, n_groups: int = 400) -> CellSums:
    """Four levels in each group, 8 rows a cell on average, of outcomes of variance 1."""
    group, level = np.divmod(np.arange(4 * n_groups), 4)
    rows = random.integers(4, 13, len(group)).astype(float)
    effect = own * random.normal(size=len(group))
    return CellSums(
        group, level, rows, rows * effect + np.sqrt(rows) * random.normal(size=len(group))
    )


@pytest.mark.parametrize("own", [0.5, 2.0])
def test_a_line_is_judged_by_the_variance_that_own_slopes_give_it(own: float) -> None:
    random = np.random.default_rng(1)
    square = random.uniform(5.0, 15.0, 2_000)
    product = own * random.normal(size=2_000) * square + np.sqrt(square) * random.normal(size=2_000)
    product += 0.05 * square
    growth = 1.0 + own**2 * (square**2).sum() / square.sum()
    expected = 2.0 * stats.norm.sf(3.0 / np.sqrt(growth))
    found = sig_of_line(2.0 * stats.norm.sf(3.0), product, square, 1.0)
    assert stats.norm.isf(found / 2.0) == pytest.approx(stats.norm.isf(expected / 2.0), rel=0.05)


@pytest.mark.parametrize("own", [0.5, 2.0])
def test_levels_are_judged_by_the_variance_that_own_effects_give_them(own: float) -> None:
    drawn = cells(np.random.default_rng(2), own)
    growth = 1.0 + own**2 * (drawn.rows**2).sum() / drawn.rows.sum()
    found = sig_of_levels(float(stats.chi2.sf(30.0, 3)), drawn, 1.0)
    assert stats.chi2.isf(found, 3) == pytest.approx(30.0 / growth, rel=0.15)


def test_what_is_alike_in_all_groups_keeps_its_p_value() -> None:
    square = np.arange(1.0, 30.0)
    assert sig_of_line(1e-5, 2.0 * square, square, 1.0) == 1e-5
    group, level = np.divmod(np.arange(40), 4)
    rows = np.full(40, 5.0)
    assert sig_of_levels(1e-5, CellSums(group, level, rows, 3.0 * level - 4.5), 1.0) == 1e-5


def test_levels_of_one_group_each_tell_of_no_own_effects() -> None:
    at = np.arange(12)
    drawn = CellSums(at, at, np.full(12, 5.0), 9.0 * np.sin(at))
    assert sig_of_levels(0.01, drawn, 1.0) == 0.01


def test_p_values_too_small_for_floats_are_judged_by_their_sums() -> None:
    random = np.random.default_rng(3)
    square = np.full(200, 1e5)
    product = square * (0.5 + random.normal(size=200))
    found = sig_of_line(0.0, product, square, 1.0)
    expected = stats.ttest_1samp(product / square, 0.0).pvalue
    assert np.log(found) == pytest.approx(np.log(expected), rel=0.05)
    drawn = cells(random, 3.0)
    far = CellSums(drawn.group, drawn.level, 1e4 * drawn.rows, 1e4 * drawn.total)
    assert 0.0 < sig_of_levels(0.0, far, 1.0) <= 1.0


@pytest.mark.parametrize("unit", [2.0**-500, 2.0**-3, 2.0**400])
def test_units_do_not_matter(unit: float) -> None:
    random = np.random.default_rng(4)
    square = random.uniform(5.0, 15.0, 30)
    product = random.normal(size=30) * square
    found = sig_of_line(0.01, product, square, 1.0)
    assert sig_of_line(0.01, unit * product, unit * square, unit) == pytest.approx(found)
    drawn = cells(random, 1.0, 20)
    far = CellSums(drawn.group, drawn.level, drawn.rows, unit**0.5 * drawn.total)
    assert sig_of_levels(0.01, far, unit) == pytest.approx(sig_of_levels(0.01, drawn, 1.0))


@pytest.mark.parametrize("sig", [0.0, 1e-300, 0.3, 1.0])
def test_whatever_comes_has_a_p_value(sig: float) -> None:
    one = np.ones(1)
    none = np.zeros(1)
    for product, square in ((one, one), (none, none), (one, none), (np.ones(2), np.ones(2))):
        assert sig <= sig_of_line(sig, product, square, 1.0) <= 1.0
        assert sig_of_line(sig, product, square, 0.0) == sig
    place = np.zeros(1, dtype=np.intp)
    assert sig_of_levels(sig, CellSums(place, place, one, one), 1.0) == sig
    two = np.arange(2)
    for group in (two, np.zeros(2, dtype=np.intp)):
        found = sig_of_levels(sig, CellSums(group, two, np.ones(2), np.array([1.0, -1.0])), 1.0)
        assert sig <= found <= 1.0
