"""The calibrated tests of derived variables, against one outcome or one class of several."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from vtreat_py._outcome import Outcome
from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.significance.correlation import correlation_test
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.spread import shuffled_rows, spread_test
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums


class CalibratedTests:
    """p-values that mean what they say: tests by permutation of the outcome.

    What they need of the outcome is computed once, when it is first asked for.
    """

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def correlation(self, moments: Moments, sample: Callable[[int], Sample]) -> FloatArray:
        """Test whether the outcome goes up or down with each of several variables.

        Parameters
        ----------
        moments : Moments
            One entry a variable.
        sample : callable
            Gives a variable over all rows, by its place.
        """
        size = np.sqrt(moments.xx) * np.sqrt(moments.yy)
        r = np.where(size > 0, moments.xy / np.where(size > 0, size, 1.0), 0.0)
        y, n = self._sample, moments.weight
        return np.array(
            [
                correlation_test(float(r[k]), float(n[k]), lambda k=k: sample(k), y)  # type: ignore[misc]
                for k in range(len(r))
            ]
        )

    def levels(self, levels: OutcomeSums) -> float:
        """Test whether the outcome differs from level to level."""
        return level_effects_test(levels, self._powers)

    def spread(self, codes: IntArray, n_levels: int) -> float:
        """Test whether the outcome varies more in some levels than in others."""
        return spread_test(codes[self._shuffled], n_levels, self._shuffled_outcome)

    @cached_property
    def _sample(self) -> Sample:
        y, weight = self._outcome.y, self._outcome.weight
        if self._outcome.kind != "binomial":
            return Sample.of_values(y, weight)
        rows = float(len(y) if weight is None else weight.sum())
        hits = float(y.sum() if weight is None else weight[y > 0].sum())
        return Sample.of_values(np.array([0.0, 1.0]), np.array([rows - hits, hits]))

    @cached_property
    def _powers(self) -> OutcomePowers:
        return OutcomePowers.of_sample(self._sample, self._outcome.centre)

    @cached_property
    def _shuffled(self) -> IntArray:
        return shuffled_rows(len(self._outcome.y), self._outcome.weight)

    @cached_property
    def _shuffled_outcome(self) -> FloatArray:
        return self._outcome.y[self._shuffled].astype(np.float64)
