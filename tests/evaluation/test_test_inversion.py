"""Intervals and equivalence beside the test that they invert, all patterns listed."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vtreat_py.evaluation._test_inversion import SubsetMeans
from vtreat_py.evaluation.randomization import randomization_test

RANDOM = np.random.default_rng(0)
D = RANDOM.normal(0.4, 1, 9)
UNIT = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5])
WEIGHT = np.array([1, 2, 1, 3, 1, 0.5, 1, 1, 2])
CASES = [
    (D, np.ones(9), np.arange(9)),
    (D, WEIGHT, np.arange(9)),
    (D, WEIGHT, UNIT),
    (np.array([0.1, 0.2, 0.1, 0.0, -0.1, 0.3, 0.0, 0.2]), np.ones(8), np.arange(8)),
]


def subsets(case: Any, n_resamples: int = 10_000) -> SubsetMeans:
    return SubsetMeans.of(*case, n_resamples, np.random.default_rng(0))


def by_hand(case: Any, mean: float) -> tuple[float, float]:
    """One-sided p-values of a mean difference, by all exchanges of units."""
    difference, weight, unit = case
    sums = np.bincount(unit, weight * (difference - mean))
    totals = np.array([np.dot(s, sums) for s in product((1, -1), repeat=len(sums))])
    return (
        float(np.mean(totals >= sums.sum() - 1e-12)),
        float(np.mean(totals <= sums.sum() + 1e-12)),
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("mean", [0.0, -0.3, 0.25, 0.6, 5.0])
def test_p_values_are_those_of_shifted_differences(case: Any, mean: float) -> None:
    found = subsets(case)
    assert (found.greater(mean), found.less(mean)) == pytest.approx(by_hand(case, mean))


@pytest.mark.parametrize("case", CASES)
def test_those_of_no_difference_are_those_of_the_test(case: Any) -> None:
    difference, weight, unit = case
    alone = randomization_test(
        difference, np.zeros(len(difference)), groups=unit, sample_weight=weight
    )
    assert alone.exact
    assert subsets(case).greater(0.0) == pytest.approx(alone.pvalue_greater)
    assert subsets(case).less(0.0) == pytest.approx(alone.pvalue_less)


@pytest.mark.parametrize("case", CASES[:3])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_intervals_hold_what_is_not_rejected(case: Any, level: float) -> None:
    low, high = subsets(case).interval(level, "two-sided")
    tail, step = (1 - level) / 2, 1e-9
    for inside in (low + step, (low + high) / 2, high - step):
        assert min(by_hand(case, inside)) > tail
    assert by_hand(case, low - step)[0] <= tail
    assert by_hand(case, high + step)[1] <= tail
    one_sided = subsets(case).interval(1 - tail, "greater")
    assert one_sided == (low, np.inf)
    assert subsets(case).interval(1 - tail, "less") == (-np.inf, high)


def test_too_few_pairs_reject_nothing() -> None:
    few = subsets((np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), np.arange(4)))
    assert few.interval(0.95, "two-sided") == (-np.inf, np.inf)
    assert few.interval(0.5, "two-sided") == (2.0, 3.0)  # p is 4/16 at mean 2, with the 1 alone


def test_random_subsets_are_near_to_all() -> None:
    case = RANDOM.normal(size=14), np.ones(14), np.arange(14)
    every, some = subsets(case, 1 << 14), subsets(case, 9_999)
    assert len(every.means) == (1 << 14) - 1
    assert len(some.means) < 10_000
    for level in (0.9, 0.95):
        ends = every.interval(level, "two-sided"), some.interval(level, "two-sided")
        np.testing.assert_allclose(*ends, atol=0.03)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(-6, 6), min_size=2, max_size=8),
    st.floats(-2, 2).map(lambda x: round(x, 1)),
    st.sampled_from([0.5, 2.0, 1024.0]),
)
def test_laws(tenths: list[int], mean: float, unit: float) -> None:
    difference, n = np.array(tenths) / 10.0, len(tenths)
    found = subsets((difference, np.ones(n), np.arange(n)))
    mirrored = subsets((-difference, np.ones(n), np.arange(n)))
    assert found.greater(mean) == mirrored.less(-mean)
    scaled = subsets((unit * difference, np.ones(n), np.arange(n)))
    assert scaled.greater(unit * mean) == found.greater(mean)
    low, high = found.interval(0.75, "two-sided")
    assert low <= high
    assert mirrored.interval(0.75, "two-sided") == (-high, -low)
    assert found.equivalent(abs(mean) + 1) <= found.equivalent(abs(mean) + 0.5)
