"""Tests over training samples, beside their formulas by hand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation import (
    compare_models,
    comparison_report,
    queries_needed,
    randomization_test,
    resampled_test,
)

A = np.array([0.81, 0.84, 0.79, 0.83, 0.82, 0.80, 0.85, 0.82, 0.81, 0.83])
B = np.array([0.78, 0.80, 0.79, 0.80, 0.78, 0.79, 0.81, 0.80, 0.78, 0.81])


def test_corrected_t_by_hand() -> None:
    found = resampled_test(A, B, n_train=900, n_test=100)
    d = A - B
    error = np.sqrt((1 / 10 + 100 / 900) * d.var(ddof=1))
    assert found.difference == pytest.approx(d.mean())
    assert found.standard_error == pytest.approx(error)
    assert found.statistic == pytest.approx(d.mean() / error)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(d.mean() / error, 9))
    low, high = found.interval(0.9)
    reach = stats.t.ppf(0.95, 9) * error
    assert (low, high) == pytest.approx((d.mean() - reach, d.mean() + reach))
    lower, equal, higher = found.probabilities(0.01)
    assert lower + equal + higher == pytest.approx(1)
    assert higher == pytest.approx(stats.t.sf((0.01 - d.mean()) / error, 9))
    assert lower == pytest.approx(stats.t.cdf((-0.01 - d.mean()) / error, 9))
    sizes = resampled_test(A, B, n_train=np.full(10, 900), n_test=np.full(10, 100))
    assert sizes.pvalue == pytest.approx(found.pvalue)
    swapped = resampled_test(B, A, n_train=900, n_test=100)
    assert (swapped.statistic, swapped.pvalue) == pytest.approx((-found.statistic, found.pvalue))


def test_without_overlap_it_is_nearly_the_paired_t_test() -> None:
    found = resampled_test(A, B, n_train=10**12, n_test=1)
    assert found.pvalue == pytest.approx(stats.ttest_rel(A, B).pvalue)


def test_five_times_two_folds_by_hand() -> None:
    a, b = A.reshape(5, 2), B.reshape(5, 2)
    found = resampled_test(a, b, method="5x2cv-f")
    d = a - b
    variances = sum(((row - row.mean()) ** 2).sum() for row in d)
    f = (d**2).sum() / (2 * variances)
    assert found.statistic == pytest.approx(f)
    assert found.pvalue == pytest.approx(stats.f.sf(f, 10, 5))
    for ask in (found.interval, found.probabilities):
        with pytest.raises(InvalidOptionError, match="an F test has none"):
            ask()


def test_differences_that_do_not_vary() -> None:
    apart = resampled_test(np.array([0.75, 0.5]), np.array([0.5, 0.25]), n_train=2, n_test=1)
    assert (apart.pvalue, apart.statistic) == (0.0, np.inf)
    assert apart.probabilities(0.1) == (0.0, 0.0, 1.0)
    same = resampled_test(A, A, n_train=2, n_test=1)
    assert same.pvalue == 1.0
    assert resampled_test(A.reshape(5, 2), A.reshape(5, 2), method="5x2cv-f").pvalue == 1.0


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (A, B[:9], {"n_train": 9, "n_test": 1}, "b has 9 values, for 10 rows"),
        (A[:1], B[:1], {"n_train": 9, "n_test": 1}, "at least two splits"),
        (A, B, {}, "n_test is missing"),
        (A, B, {"n_test": 3}, "n_train is missing"),
        (A, B, {"n_train": [9, 9], "n_test": 1}, "n_train has 2 values, for 10 rows"),
        (A, B, {"n_train": 0, "n_test": 1}, "n_train is 0"),
        (A, B, {"method": "t"}, "method='t'"),
        (A, B, {"method": "5x2cv-f"}, "a has shape (10,); five times two folds"),
        (A.reshape(5, 2), B.reshape(5, 2), {"method": "5x2cv-f", "n_test": 1}, "have no part"),
        ([[1, 2], [3]], B, {"method": "5x2cv-f"}, "a cannot be read as an array"),
        (pd.Series(A), pd.Series(B)[::-1], {"n_train": 9, "n_test": 1}, "in another order"),
    ],
)
def test_mistakes_are_named(a: Any, b: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOptionError, match=re.escape(message)):
        resampled_test(a, b, **options)


def test_how_many_are_needed_by_hand_where_they_are_many() -> None:
    s = (A - B).std(ddof=1)

    def is_enough(n: int, mean: float, z: float, z_power: float) -> bool:
        return n > z * z and np.sqrt(n) * mean / s >= z_power + z * np.sqrt(n / (n - z * z))

    z, z_power = stats.norm.isf(0.025), stats.norm.ppf(0.8)
    for mean in (0.02 * s, 0.01 * s):
        found = queries_needed(A, B, difference=mean)
        assert is_enough(found, mean, z, z_power)
        assert not is_enough(found - 1, mean, z, z_power)
    found = queries_needed(A, B, difference=0.02 * s, sig=0.01, power=0.9, alternative="greater")
    assert is_enough(found, 0.02 * s, stats.norm.isf(0.01), stats.norm.ppf(0.9))
    assert not is_enough(found - 1, 0.02 * s, stats.norm.isf(0.01), stats.norm.ppf(0.9))


@pytest.mark.parametrize("power", [0.8, 0.95])
@pytest.mark.parametrize("effect", [0.2, 0.5])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_lopsided_differences_have_the_power_asked_for(
    side: float, effect: float, power: float
) -> None:
    random = np.random.default_rng(4)
    first = side * random.exponential(size=50_000)
    n = queries_needed(
        first, np.zeros(50_000), difference=effect, power=power, alternative="greater", sig=0.025
    )
    drawn = side * (random.exponential(size=(20_000, n)) - 1.0) + effect
    found = drawn.sum(axis=1) > stats.norm.isf(0.025) * np.sqrt(np.square(drawn).sum(axis=1))
    assert found.mean() == pytest.approx(power, abs=0.035)
    by_normal_limit = ((stats.norm.isf(0.025) + stats.norm.ppf(power)) / effect) ** 2
    assert (n < by_normal_limit) == (side > 0)


def test_signs_units_and_orders_change_nothing() -> None:
    assert queries_needed(A, B) == queries_needed(B, A)
    assert queries_needed(8.0 * A, 8.0 * B) == queries_needed(A, B)
    assert queries_needed(A[::-1], B[::-1]) == queries_needed(A, B)


def test_groups_are_counted_as_groups() -> None:
    twice = queries_needed(
        np.repeat(A, 2), np.repeat(B, 2), difference=0.004, groups=np.repeat(np.arange(10), 2)
    )
    assert twice == queries_needed(A, B, difference=0.004)
    weighted = queries_needed(A, B, difference=0.004, sample_weight=np.full(10, 3.0))
    assert weighted == queries_needed(A, B, difference=0.004)


@pytest.mark.parametrize(("sig", "n"), [(0.05, 6), (0.0625, 5), (0.01, 8)])
def test_no_fewer_than_can_reach_the_level(sig: float, n: int) -> None:
    far = np.random.default_rng(0).normal(size=20)
    for mean in (1e3, 1e6):  # each difference is as good as its mean
        assert queries_needed(far + mean, np.zeros(20), sig=sig, power=0.05) == n
    assert randomization_test(np.arange(n) + 1e3, np.zeros(n)).pvalue <= sig
    assert randomization_test(np.arange(n - 1) + 1e3, np.zeros(n - 1)).pvalue > sig
    one_sided = queries_needed(far + mean, np.zeros(20), sig=sig / 2, alternative="greater")
    assert one_sided == n


@pytest.mark.halved
@pytest.mark.parametrize("unit", [1e-310, 1e-160, 1e155, 1e300])
@pytest.mark.parametrize("mass", [1e-288, 1e285])
def test_units_of_scores_and_weights_do_not_matter(unit: float, mass: float) -> None:
    weight = np.arange(1.0, 11.0)
    a, b, heavy = A * unit, B * unit, weight * mass
    for difference in (None, 0.01):
        found = queries_needed(
            a, b, sample_weight=heavy, difference=difference and difference * unit
        )
        assert found == queries_needed(A, B, sample_weight=weight, difference=difference)
    report = comparison_report(pd.DataFrame({"a": a, "b": b}), sample_weight=heavy)
    plain = comparison_report(pd.DataFrame({"a": A, "b": B}), sample_weight=weight)
    np.testing.assert_allclose(report.performance / unit, plain.performance, rtol=1e-12)
    same = ["p", "effect_size"]
    np.testing.assert_allclose(report.pairs[same], plain.pairs[same])
    ends = ["difference", "low", "high", "standard_error"]
    np.testing.assert_allclose(report.pairs[ends] / unit, plain.pairs[ends], rtol=1e-9)


def test_any_number_finds_a_difference_beyond_all_others() -> None:
    for difference in (1e14, 1e200, 1e308):
        assert queries_needed(A, B, difference=difference) == 6
    assert queries_needed(A * 1e-200, B * 1e-200, difference=1e308) == 6


def test_rows_that_weigh_nothing_do_not_count() -> None:
    a, b = np.append(A, [9.0, 8.0]), np.append(B, [1.0, 3.0])
    weight = np.append(np.ones(10), [0.0, 0.0])
    weighted, plain = randomization_test(a, b, sample_weight=weight), randomization_test(A, B)
    assert weighted.standard_error == pytest.approx(plain.standard_error)
    needed = queries_needed(a, b, difference=0.004, sample_weight=weight)
    assert needed == queries_needed(A, B, difference=0.004)
    effects = [
        compare_models(pd.DataFrame({"a": x, "b": y}), sample_weight=w)["effect_size"][0]
        for x, y, w in ((a, b, weight), (A, B, None))
    ]
    assert effects[0] == pytest.approx(effects[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0.0}, "the difference is 0"),
        ({"difference": -0.1, "alternative": "greater"}, "does not look for"),
        ({"power": 1.0}, "power=1.0"),
        ({"sig": 0}, "sig=0"),
        ({"sig": 0.5, "alternative": "greater"}, "sig=0.5"),
        ({"groups": np.zeros(10)}, "fewer than two pairs"),
        ({"b": A - 0.5, "difference": 0.5}, "all differences are the same"),
        ({"b": B[:3]}, "b has 3 values"),
        ({"difference": 1e-200}, "next to nothing; no number"),
        ({"alternative": "up"}, "alternative='up'"),
    ],
)
def test_numbers_that_cannot_be_found(options: dict[str, Any], message: str) -> None:
    given = {"a": A, "b": B} | options
    with pytest.raises(InvalidOptionError, match=message):
        queries_needed(given.pop("a"), given.pop("b"), **given)
