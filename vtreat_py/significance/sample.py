"""A variable as the permutation tests see it: standardised values, and rows to draw from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py._typing import FloatArray, IntArray, NumberArray

# Variation below this share of the size of the values is rounding.
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class Sample:
    """Values of a variable over all rows, standardised, and how many rows have each.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Mean 0 and variance 1; all 0 if they do not vary.
    weight : ndarray of shape (m,) or None
        Rows of each value; None: one.
    n_rows : float
        Number of rows, that is the sum of the weights.
    mean, spread : float
        What the values were centred and divided by.
    """

    values: FloatArray
    weight: FloatArray | None
    n_rows: float
    mean: float
    spread: float

    @classmethod
    def of_values(cls, values: NumberArray, weight: FloatArray | None = None) -> Sample:
        """Standardise values; those of weight 0 do not count."""
        if weight is not None and not weight.all():
            values, weight = values[weight > 0], weight[weight > 0]
        mean = float(np.average(values, weights=weight))
        apart = np.asarray(values - mean, dtype=np.float64)
        spread = float(np.sqrt(np.average(apart * apart, weights=weight)))
        spread = spread if spread > _ROUNDING * abs(mean) else np.inf
        n_rows = float(len(apart) if weight is None else weight.sum())
        return cls(apart / spread, weight, n_rows, mean, spread)

    @property
    def rows(self) -> FloatArray:
        """Number of rows of each value."""
        return np.ones(len(self.values)) if self.weight is None else self.weight

    def power_sums(self, highest: int) -> tuple[float, ...]:
        """Sums over all rows of the powers 0 to ``highest``; the first power sums to 0."""
        power = self.values if self.weight is None else self.weight * self.values
        sums = [self.n_rows, 0.0]
        for _ in range(2, highest + 1):
            power = power * self.values
            sums.append(float(power.sum()))
        return tuple(sums)

    @cached_property
    def skewness_and_kurtosis(self) -> tuple[float, float]:
        """Third moment, and fourth moment less 3, that of a normal distribution."""
        sums = self.power_sums(4)
        return sums[3] / self.n_rows, sums[4] / self.n_rows - 3.0

    @cached_property
    def _in_order(self) -> tuple[FloatArray, IntArray | None]:
        """Values in increasing order, and one past the last row of each (None: one row each).

        Rows have numbers in this order, so that draws depend neither on the order of the frame
        nor on whether rows are repeated or weighted.
        """
        order = np.argsort(self.values, kind="stable")
        if self.weight is None:
            return self.values[order], None
        return self.values[order], np.cumsum(self.weight[order]).astype(np.intp)

    @property
    def n_whole_rows(self) -> int:
        """Number of rows to draw from."""
        values, end = self._in_order
        return len(values) if end is None else int(end[-1])

    def take(self, rows: IntArray) -> FloatArray:
        """Values of rows, by their numbers."""
        values, end = self._in_order
        return values[rows if end is None else np.searchsorted(end, rows, side="right")]

    def extremes(self, most: int) -> IntArray:
        """Numbers of the rows farthest from the mean, the farthest first; ``most`` of them."""
        n = self.n_whole_rows
        ends = np.arange(n) if n <= 2 * most else np.append(np.arange(most), np.arange(n - most, n))
        return ends[np.argsort(-np.abs(self.take(ends)), kind="stable")[:most]]
