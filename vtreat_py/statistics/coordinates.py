"""Coordinates in which sums of squares of a numeric column keep their digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, NumberArray

# Weighted squares of numbers outside of this range, summed over rows, could leave that of floats.
_SMALL, _LARGE = 1e-70, 1e70
# Inner coordinates of good values are smaller than this.
FAR = _LARGE
# Floats hold the reciprocal of this power of 2.
_LEAST_POWER = -1000
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Coordinates:
    """A point near the values, and a unit.

    Offsets of 1e9 cancel before anything is squared, and values such as 1.8e308, which stand
    for "missing" in some systems, do not overflow.

    Examples
    --------
    >>> import numpy as np
    >>> near = Coordinates.near(np.array([1e9, 1e9 + 2]))
    >>> near.inner(np.array([1e9, 1e9 + 2]))
    array([-1.,  1.])
    >>> float(near.outer(0.5))
    1000000001.5
    """

    centre: float = 0.0
    unit: float = 1.0

    @classmethod
    def near(
        cls,
        values: NumberArray,
        extent: tuple[float, float] | None = None,
        middle: Callable[[NumberArray], Any] = np.mean,
    ) -> Coordinates:
        """Choose coordinates for finite values, of which the extent may be known.

        ``middle`` is where they are: their mean, or, where few may be far from all others, another.
        """
        unit = _unit(*(extent or (float(values.min()), float(values.max()))))
        centre = float(middle(values)) if unit == 1.0 else float(middle(values / unit))
        return cls(min(max(centre * unit, -_LARGEST), _LARGEST), unit)

    @classmethod
    def around(cls, mean: float, low: float, high: float) -> Coordinates:
        """Choose coordinates for values of which mean and extent are known."""
        return cls(mean, _unit(low, high))

    def inner(self, values: NumberArray) -> FloatArray:
        """Coordinates of values."""
        if self.unit == 1.0:
            return np.subtract(values, self.centre, dtype=np.float64)
        with np.errstate(over="ignore"):  # far from the values that they are near to
            inner = values / np.float64(self.unit) - self.centre / self.unit
        return np.asarray(np.clip(inner, -_LARGEST, _LARGEST))

    def outer(self, inner: FloatArray | float) -> FloatArray:
        """Values at coordinates."""
        with np.errstate(over="ignore"):  # means of the largest floats may be rounded beyond them
            outer = inner * self.unit + self.centre
        return np.asarray(np.clip(outer, -_LARGEST, _LARGEST))


def power_of_two(largest: float) -> float:
    """A power of 2 just above a size: to divide by it rounds nothing."""
    return 2.0 ** max(math.frexp(largest)[1], _LEAST_POWER)


def _unit(low: float, high: float) -> float:
    largest = max(abs(low), abs(high))
    if _SMALL < largest < _LARGE or largest == 0.0:
        return 1.0
    return 2.0 ** max(math.frexp(largest)[1] - 1, _LEAST_POWER)
