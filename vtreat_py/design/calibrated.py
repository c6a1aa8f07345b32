"""The calibrated tests of derived variables, against one outcome or one class of several."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.outcome.outcome import OutcomeValues
from vtreat_py.significance.correlation import correlation_test
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.similar_levels import similar_levels_test
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums

# So many rows nearly always show that an outcome has more than two values.
_FIRST_ROWS = 100


class CalibratedTests:
    """p-values that mean what they say: tests by permutation of the outcome.

    What they need of the outcome is computed once, when it is first asked for.

    These are the tests by sums, which are enough where rows may be permuted one by one; see
    `DesignContext.tests_rows`. Where they are not and rows are not kept, weights are scaled to sum
    to the effective number of rows.
    """

    def __init__(self, outcome: OutcomeValues) -> None:
        self._outcome, self._weighting = outcome.counted(), outcome.weighting

    def correlation(
        self, moments: Moments, sample: Callable[[int], Sample], reach: float = math.inf
    ) -> FloatArray:
        """Test whether the outcome goes up or down with each of several variables.

        Parameters
        ----------
        moments : Moments
            One entry a variable.
        sample : callable
            Gives a variable over all rows, by its place.
        reach : float
            Largest standardised size of the variables, if known.
        """
        size = np.sqrt(moments.xx) * np.sqrt(moments.yy)
        r = np.where(size > 0, moments.xy / np.where(size > 0, size, 1.0), 0.0)
        n_rows = moments.weight * self._weighting.unit

        def test(k: int) -> float:
            return correlation_test(
                float(r[k]),
                float(n_rows[k]),
                lambda: sample(k),
                self.sample,
                reach=reach,
                can_permute=self._weighting.counts_rows,
            )

        return np.array([test(k) for k in range(len(r))])

    def levels(self, levels: OutcomeSums) -> float:
        """Test whether the outcome differs from level to level, given the sums of each."""
        return level_effects_test(self._as_hits(levels), self._powers)

    def similar_levels(self, levels: OutcomeSums, points: FloatArray) -> float:
        """Test whether the outcome goes with what levels are like, given a point for each."""
        return similar_levels_test(self._as_hits(levels), points, self._powers)

    def _as_hits(self, levels: OutcomeSums) -> OutcomeSums:
        """Sums of a class, where the outcome is one in truth."""
        if self._low_and_high is None or levels.inner is None:
            return levels
        low, high = self._low_and_high
        hits = np.rint((levels.total - low * levels.weight) / (high - low))
        return OutcomeSums(levels.weight, hits)

    @cached_property
    def _weight(self) -> FloatArray | None:
        weight = self._outcome.weight
        return None if weight is None else weight * self._weighting.unit

    @cached_property
    def _low_and_high(self) -> tuple[float, float] | None:
        """The two values of a numeric outcome that is a class in truth; counts follow from sums."""
        y = self._outcome.y
        if self._outcome.kind != "numeric" or not self._weighting.counts_rows:
            return None
        if len(np.unique(y[:_FIRST_ROWS])) > 2:
            return None
        low, high = float(y.min()), float(y.max())
        return (low, high) if bool(((y == low) | (y == high)).all()) else None

    @cached_property
    def sample(self) -> Sample:
        """The outcome over all rows."""
        y, weight = self._outcome.y, self._weight
        values = self._low_and_high or (0.0, 1.0)
        if self._outcome.kind != "binomial" and self._low_and_high is None:
            return Sample.of_values(y, weight)
        is_hit = y == values[1]
        rows = float(len(y) if weight is None else weight.sum())
        hits = float(is_hit.sum() if weight is None else weight[is_hit].sum())
        return Sample.of_values(np.array(values), np.array([rows - hits, hits]))

    @cached_property
    def _powers(self) -> OutcomePowers:
        centre = self._outcome.centre
        if self._low_and_high is not None:
            two = Sample.of_values(np.array([0.0, 1.0]), self.sample.weight)
            return OutcomePowers.of_sample(two)
        return OutcomePowers.of_sample(self.sample, centre)
