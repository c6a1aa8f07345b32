"""Tests where weights say how much a row stands for, and do not count rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.row_tests import correlation_by_rows, levels_by_rows, sample_of
from vtreat_py.significance.sample import Sample


@dataclass(frozen=True, eq=False)
class ImportanceTests:
    """Tests that do not rest on the unit of the weights.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcome of the rows that count.
    weight : ndarray of shape (n,)
        Their weights, above 0.
    side : float
        1, or -1 to look at the outcome from its other side; see `Outcome.side`.

    Notes
    -----
    Of level effects the weighted residuals ``w * (y - mean)``, which are what rows add to weighted
    sums, are permuted as they are. Correlations are those of the outcome with ``w * (x - mean)``:
    so a number may rest on the weights, as the prevalence of a level does, and which levels have
    an indicator.
    """

    y: NumberArray
    weight: FloatArray
    side: float = 1.0

    @cached_property
    def _share(self) -> FloatArray:
        return np.asarray(self.weight / self.weight.max())

    @cached_property
    def _residual(self) -> FloatArray:
        mean = float(np.average(self.y, weights=self.weight))
        return np.asarray(self.side * self._share * (self.y - mean), dtype=np.float64)

    @cached_property
    def _powers(self) -> OutcomePowers:
        return OutcomePowers.of_sample(sample_of(self._residual))

    @cached_property
    def _outcome(self) -> tuple[FloatArray, Sample]:
        return np.asarray(self.y - self.y.mean(), dtype=np.float64), sample_of(self.y)

    def correlation(self, x: FloatArray) -> float:
        """p-value of the hypothesis that the outcome does not go up or down with numbers."""
        weighted = self._share * (x - np.average(x, weights=self._share))
        return correlation_by_rows(weighted, *self._outcome)

    def level_effects(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome does not depend on the level."""
        return levels_by_rows(level, n_levels, self._residual, self._powers, None)
