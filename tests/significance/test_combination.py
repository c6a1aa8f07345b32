"""The Cauchy combination, and the normal scores that stand beside the numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from vtreat_py.significance.combination import cauchy_combination
from vtreat_py.significance.normal_scores import (
    NormalScores,
    likeness_to_normal,
    scores_of_groups,
)


def test_it_is_the_tail_of_a_weighted_mean_of_cauchy_variables() -> None:
    p, weight = [0.003, 0.2, 0.7], [0.6, 0.3, 0.1]
    mean = np.dot(stats.cauchy.isf(p), weight)
    assert cauchy_combination(p, weight) == pytest.approx(1.05 * stats.cauchy.sf(mean), rel=1e-12)


@pytest.mark.parametrize("p", [1e-300, 1e-9, 0.04])
def test_tests_that_agree_say_what_each_says(p: float) -> None:
    assert cauchy_combination([p, p], [0.8, 0.2]) == pytest.approx(1.05 * p, rel=1e-12)


def test_the_smallest_p_value_decides_the_tail() -> None:
    assert cauchy_combination([1e-200, 1.0], [0.2, 0.8]) == pytest.approx(1.05 * 5e-200, rel=1e-9)
    assert cauchy_combination([5e-324, 1.0], [0.25, 0.75]) == pytest.approx(2e-323)
    assert cauchy_combination([1.01e-12, 0.1], [0.2, 0.8]) == pytest.approx(5.3025e-12, rel=1e-9)
    assert cauchy_combination([0.99e-12, 0.1], [0.2, 0.8]) == pytest.approx(5.1975e-12, rel=1e-9)
    assert cauchy_combination([0.0, 1.0], [0.2, 0.8]) == 0.0
    assert cauchy_combination([0.8, 0.9], [0.2, 0.8]) == pytest.approx(1.05 * 0.8)
    assert cauchy_combination([1.0, 1.0], [0.5, 0.5]) == 1.0


def test_one_test_stays_as_it_is() -> None:
    assert cauchy_combination([0.03, 0.5], [1.0, 0.0]) == 0.03
    assert cauchy_combination([0.5, 1.0], [0.0, 1.0]) == 1.0


@pytest.mark.parametrize("correlation", [0.0, 0.7, 0.95])
def test_dependent_tests_keep_the_size(correlation: float) -> None:
    random = np.random.default_rng(1)
    cells = random.normal(size=(2, 20_000, 10))
    cells[1] = correlation * cells[0] + math.sqrt(1 - correlation**2) * cells[1]
    p = stats.chi2.sf((cells**2).sum(axis=2), 10)
    found = np.array([cauchy_combination(pair, [0.65, 0.35]) for pair in p.T.tolist()])
    for size in (0.05, 0.01):
        assert stats.binomtest(int((found <= size).sum()), len(found), size).pvalue > 1e-3


def test_scores_are_normal_quantiles_of_mean_ranks() -> None:
    y = np.random.default_rng(2).standard_cauchy(20)
    scores = NormalScores.of_values(y)
    np.testing.assert_allclose(scores.of(y), special.ndtri((stats.rankdata(y) - 0.5) / 20))
    assert scores.untied == pytest.approx(1.0 - 20 / 20**3)
    np.testing.assert_allclose(
        scores_of_groups(np.array([2.0, 6.0])), special.ndtri([0.125, 0.625])
    )


def test_few_steps_are_nearly_all_there_is_to_know() -> None:
    y = np.random.default_rng(3).lognormal(size=5000)
    scores = NormalScores.of_values(y)
    assert len(scores.values) <= 33
    full = special.ndtri((stats.rankdata(y) - 0.5) / 5000)
    assert np.corrcoef(scores.of(y), full)[0, 1] > 0.99


def test_weights_repeat_rows_and_other_signs_turn_scores() -> None:
    random = np.random.default_rng(4)
    y, weight = np.rint(random.standard_cauchy(300) * 4), random.integers(0, 4, 300).astype(float)
    one = NormalScores.of_values(y, weight)
    two = NormalScores.of_values(np.repeat(y, weight.astype(int)))
    for name in ("edges", "values", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert (one.untied, one.deciles) == (two.untied, two.deciles)
    y = y[weight > 0]
    np.testing.assert_array_equal(
        NormalScores.of_values(-y).of(-y), -NormalScores.of_values(y).of(y)
    )


def test_two_scores_are_a_class() -> None:
    scores = NormalScores.of_values(np.array([0.0] * 2000 + [3.0, 4.0, 90.0]))
    assert scores.values.tolist() == [0.0, 1.0]
    assert scores.weight.tolist() == [2000.0, 3.0]


def test_likeness_to_normal_is_a_ratio_of_spreads() -> None:
    y = np.random.default_rng(5).normal(size=100_000)
    assert likeness_to_normal(*np.quantile(y, [0.1, 0.9]), y.std()) == pytest.approx(1.0, abs=0.02)
    skewed = np.exp(y)
    found = likeness_to_normal(*np.quantile(skewed, [0.1, 0.9]), skewed.std())
    assert found == pytest.approx(0.6, abs=0.05)
    assert likeness_to_normal(0.0, 0.0, 0.0) == 1.0


def test_few_rows_beside_very_many_have_scores() -> None:
    scores = scores_of_groups(np.array([35.0, 1e17, 5.0]))
    assert np.isfinite(scores).all()
    assert scores[0] < -8
    assert scores[2] > 8


def test_a_test_that_saw_nothing_does_not_outweigh_one_that_did() -> None:
    assert cauchy_combination([0.96, 0.0046], [0.8, 0.2]) < 0.05
    assert cauchy_combination([0.9999, 0.0046], [0.8, 0.2]) < 0.05
