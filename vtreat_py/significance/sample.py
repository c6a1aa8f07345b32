"""A variable as the permutation tests see it: standardised values, and rows to draw from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.significance.draws import MOST_DRAWN_FROM

# Variation below this share of the size of the values is rounding.
_ROUNDING = 1e-15
# Powers are summed up to this one: what four moments of a sum over pairs ask for.
POWERS = 8
# Values are looked at in pieces that fit into the processor's cache.
_PIECE = 1 << 15


@dataclass(frozen=True, eq=False)
class Sample:
    """Values of a variable over all rows, standardised, and how many rows have each.

    Attributes
    ----------
    given : ndarray of shape (m,)
        The values as they came.
    weight : ndarray of shape (m,) or None
        Rows of each value; None: one.
    n_rows : float
        Number of rows, that is the sum of the weights.
    mean, spread : float
        What the values are centred and divided by; the spread is infinite if they do not vary.
    """

    given: NumberArray
    weight: FloatArray | None
    n_rows: float
    mean: float
    spread: float

    @classmethod
    def of_values(cls, values: NumberArray, weight: FloatArray | None = None) -> Sample:
        """Take values as they are; those of weight 0 do not count."""
        if weight is not None and not weight.all():
            values, weight = values[weight > 0], weight[weight > 0]
        n_rows = float(len(values) if weight is None else weight.sum())
        mean = float(np.average(values, weights=weight))
        squares = 0.0
        for apart, rows in _pieces(values, weight, mean, 1.0):
            squares += float((apart * _weighted(apart, rows)).sum())
        spread = float(np.sqrt(squares / n_rows))
        spread = spread if spread > _ROUNDING * abs(mean) else np.inf
        return cls(values, weight, n_rows, mean, spread)

    @cached_property
    def values(self) -> FloatArray:
        """Values of mean 0 and variance 1; all 0 if they do not vary."""
        apart = np.subtract(self.given, self.mean, dtype=np.float64)
        return np.asarray(apart / self.spread)

    @property
    def rows(self) -> FloatArray:
        """Number of rows of each value."""
        return np.ones(len(self.given)) if self.weight is None else self.weight

    @cached_property
    def power_sums(self) -> tuple[float, ...]:
        """Sums over all rows of the powers 0 to 8; the first power sums to 0."""
        sums = np.zeros(POWERS + 1)
        for values, rows in _pieces(self.given, self.weight, self.mean, 1.0 / self.spread):
            power = values * _weighted(values, rows)
            sums[2] += power.sum()
            for k in range(3, POWERS + 1):
                power *= values
                sums[k] += power.sum()
        return (self.n_rows, 0.0, *sums[2:].tolist())

    @cached_property
    def largest_share(self) -> float:
        """Largest share of the sum of squares about the mean that one row has."""
        ends = np.array([self.given.min(), self.given.max()], dtype=np.float64)
        apart = (ends - self.mean) / self.spread
        return float((apart * apart).max() / self.n_rows)

    @cached_property
    def skewness_and_kurtosis(self) -> tuple[float, float]:
        """Third moment, and fourth moment less 3, that of a normal distribution."""
        sums = self.power_sums
        return sums[3] / self.n_rows, sums[4] / self.n_rows - 3.0

    @cached_property
    def upright(self) -> Sample:
        """The same, or of two values their mirror image, so that the rarer one is the greater.

        Draws then do not depend on which of two classes is the target.
        """
        if len(self.given) != 2 or self.skewness_and_kurtosis[0] >= 0.0:
            return self
        return Sample(-self.given, self.weight, self.n_rows, -self.mean, self.spread)

    @cached_property
    def _in_order(self) -> tuple[FloatArray, IntArray | None]:
        """Values in increasing order, and one past the last row of each (None: one row each).

        Rows have numbers in this order, so that draws depend neither on the order of the frame
        nor on whether rows are repeated or weighted.
        """
        if self.weight is None:
            return np.sort(self.values), None
        order = np.argsort(self.values, kind="stable")
        return self.values[order], np.cumsum(self.weight[order]).astype(np.intp)

    @property
    def can_be_drawn_from(self) -> bool:
        """Whether there are no more rows than floats can count."""
        return self.n_rows <= MOST_DRAWN_FROM

    @property
    def n_whole_rows(self) -> int:
        """Number of rows to draw from."""
        values, end = self._in_order
        return len(values) if end is None else int(end[-1])

    def take(self, rows: IntArray) -> FloatArray:
        """Values of rows, by their numbers."""
        values, end = self._in_order
        return values[rows if end is None else np.searchsorted(end, rows, side="right")]

    def moments_between(self, n_low: int, n_high: int) -> tuple[float, float, float]:
        """Mean, variance and third moment of all but the lowest and highest rows."""
        values, end = self._in_order
        first, last = int(n_low), self.n_whole_rows - int(n_high)
        if end is None:
            values, rows = values[first:last], None
        else:
            rows = np.diff(np.clip(end, first, last), prepend=first).astype(np.float64)
        if last <= first:
            return 0.0, 0.0, 0.0
        mean = float(np.average(values, weights=rows))
        apart = values - mean
        square, cube = (np.average(apart**k, weights=rows) for k in (2, 3))
        return mean, float(square), float(cube)

    def extremes(self, most: int) -> IntArray:
        """Numbers of the rows farthest from the mean, the farthest first; ``most`` of them."""
        n = self.n_whole_rows
        ends = np.arange(n) if n <= 2 * most else np.append(np.arange(most), np.arange(n - most, n))
        return ends[np.argsort(-np.abs(self.take(ends)), kind="stable")[:most]]


def _pieces(
    values: NumberArray, weight: FloatArray | None, centre: float, scale: float
) -> Iterator[tuple[FloatArray, FloatArray | None]]:
    """Values about a centre in units of their scale, with their weights, piece by piece."""
    for start in range(0, len(values), _PIECE):
        piece = slice(start, start + _PIECE)
        apart = np.subtract(values[piece], centre, dtype=np.float64)
        if scale != 1.0:
            apart *= scale
        yield apart, None if weight is None else weight[piece]


def _weighted(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    return values if weight is None else values * weight
