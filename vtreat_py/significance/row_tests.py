"""Tests on rows that may not be permuted one by one, as sums by level would be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.significance.correlation import correlation_test
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Values that differ by less than this share of half the range are two only by rounding.
_ROUNDING = 1e-12


class RowTests(Protocol):
    """Tests of an outcome against columns of the rows that count, in their order."""

    def correlation(self, x: FloatArray) -> float:
        """p-value of the hypothesis that the outcome does not go up or down with numbers."""

    def level_effects(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome does not depend on the level."""


class PermutedRows:
    """The tests where rows may be permuted one by one.

    Parameters
    ----------
    y : ndarray of shape (n,)
    weight : ndarray of shape (n,) or None
        Rows that each row stands for; None: one.
    """

    def __init__(self, y: NumberArray, weight: FloatArray | None) -> None:
        self._weight, self._sample = weight, sample_of(y, weight)
        self._centred = y.astype(np.float64) - self._sample.mean

    def correlation(self, x: FloatArray) -> float:
        """p-value of the hypothesis that the outcome does not go up or down with numbers."""
        apart = x - np.average(x, weights=self._weight)
        return correlation_by_rows(apart, self._centred, self._sample, self._weight)

    def level_effects(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome does not depend on the level."""
        powers = OutcomePowers.of_sample(self._sample, -self._sample.mean)
        return levels_by_rows(level, n_levels, self._centred, powers, self._weight)


def sample_of(values: NumberArray, weight: FloatArray | None = None) -> Sample:
    """Values over all rows; two that differ, by more than rounding, with the rows of each."""
    found = Sample.of_values(values, weight)
    low, high = float(found.given.min()), float(found.given.max())
    rounding = _ROUNDING * (high / 2.0 - low / 2.0)
    is_high = found.given >= high - rounding
    if not bool((is_high | (found.given <= low + rounding)).all()) or low == high:
        return found
    rows = np.bincount(is_high, found.weight, 2).astype(np.float64)
    return Sample.of_values(np.array([low, high], dtype=np.float64), rows)


def correlation_by_rows(
    x: FloatArray, y: FloatArray, of_y: Sample, weight: FloatArray | None = None
) -> float:
    """`correlation_test` of centred numbers that are aligned row by row."""
    product = float((x * y if weight is None else weight * x * y).sum())
    of_x = sample_of(x, weight)
    return correlation_of(product, of_x.spread, lambda: of_x, of_y)


def correlation_of(product: float, spread: float, x: Callable[[], Sample], y: Sample) -> float:
    """`correlation_test` of two samples, given the sum of products of centred numbers.

    ``spread`` is the standard deviation of x, which is asked for where it may decide something.
    """
    size = spread * y.spread * y.n_rows
    if not size > 0 or math.isinf(size):
        return 1.0
    return correlation_test(min(max(product / size, -1.0), 1.0), y.n_rows, x, y)


def levels_by_rows(
    level: IntArray, n_levels: int, y: FloatArray, powers: OutcomePowers, weight: FloatArray | None
) -> float:
    """`level_effects_test` of an outcome row by row."""
    return level_effects_test(OutcomeSums.of_rows(level, n_levels, y, weight), powers)
