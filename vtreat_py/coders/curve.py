"""Curves: what a number becomes, as knots and the values there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.base.checks import is_one_of
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.outcome.reading import GREATEST_NUMBER

Method = Literal["linear", "constant"]
METHODS: tuple[Method, ...] = get_args(Method)
LINEAR, CONSTANT = METHODS
MOST_KNOTS = 10_000
_FEWEST_INSIDE = 3
# Values on a straight line differ from it by so much of the largest, by rounding: one by one, and
# at the end of many of them.
_ROUNDING, _STRAIGHT = 4e-16, 1e-13
# Differences outside of this range have a unit of their own, a power of 2 that floats hold.
_SMALL, _LARGE = 1e-70, 1e70
_LEAST_POWER, _LARGEST_POWER = -1000, 1023


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve through knots; what the function of a `NumberCoder` may return.

    Parameters
    ----------
    x : array of shape (m,)
        Where the knots are: finite, ascending, all different.
    y : array of shape (m,)
        The values there: finite.
    method : {"linear", "constant"}, default="linear"
        Between two knots: along a straight line, or the value of the knot before. Beyond the ends
        the first and the last value hold.

    Raises
    ------
    InvalidOptionError
        If knots and values are not as said.

    Examples
    --------
    >>> from vtreat_py import Curve
    >>> curve = Curve([0.0, 1.0, 3.0], [1.0, 2.0, 0.0])
    >>> curve([-1.0, 0.5, 2.0, 9.0])
    array([1. , 1.5, 1. , 0. ])
    >>> Curve([0.0, 1.0], [1.0, 2.0], method="constant")([0.9, 1.0])
    array([1., 2.])
    """

    x: FloatArray
    y: FloatArray
    method: Method = LINEAR

    def __post_init__(self) -> None:
        if not is_one_of(self.method, METHODS):
            raise InvalidOptionError(f"method={self.method!r}; it must be one of {list(METHODS)}")
        for name in ("x", "y"):
            object.__setattr__(self, name, _numbers(name, getattr(self, name)))
        if len(self.x) != len(self.y) or not len(self.x):
            raise InvalidOptionError(
                f"a curve has {len(self.x)} x and {len(self.y)} y; give as many, one or more"
            )
        if (self.x[1:] <= self.x[:-1]).any():
            raise InvalidOptionError("x of a curve must be ascending, and all different")
        if np.abs(self.y).max() > GREATEST_NUMBER:
            raise InvalidOptionError(f"y of a curve has numbers beyond {GREATEST_NUMBER:g}")

    @cached_property
    def units(self) -> FloatArray:
        """Units of x from each knot to the next, in which slopes are in the range of floats."""
        return np.append(units_between(self.x[:-1], self.x[1:]), 1.0)

    @cached_property
    def slopes(self) -> FloatArray:
        """Slope from each knot to the next, by unit of x there; 0 at the last."""
        if self.method == CONSTANT:
            return np.zeros(len(self.x))
        run = apart(self.x[:-1], self.x[1:], self.units[:-1])
        return np.append(np.diff(self.y) / run, 0.0)

    def __call__(self, values: NumberArray | Any) -> FloatArray:
        """Values at some numbers."""
        at = np.clip(np.asarray(values, dtype=np.float64), self.x[0], self.x[-1])
        place = np.searchsorted(self.x, at, side="right") - 1
        unit = None if (self.units == 1.0).all() else self.units[place]
        return self.y[place] + self.slopes[place] * apart(self.x[place], at, unit)

    def within(self, low: float, high: float) -> Curve:
        """Return the curve between two numbers; beyond them its values are those there.

        Parameters
        ----------
        low, high : float
            Where the curve ends.

        Returns
        -------
        Curve

        Examples
        --------
        >>> from vtreat_py import Curve
        >>> Curve([0.0, 1.0, 3.0], [1.0, 2.0, 0.0]).within(0.5, 2.0)([0.0, 1.0, 9.0])
        array([1.5, 2. , 1. ])
        """
        inner = (self.x > low) & (self.x < high)
        x = np.unique([low, *self.x[inner], high])
        return Curve(x, self(x), self.method)

    def thinned(self) -> Curve:
        """Return the curve with as many knots as are needed, and kept.

        Those inside straight stretches say nothing; of too many, every so manieth stays.

        Returns
        -------
        Curve

        Examples
        --------
        >>> from vtreat_py import Curve
        >>> Curve([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 0.0]).thinned().x
        array([0., 2., 3.])
        """
        curve, bends = self, self._bends()
        if len(bends) < len(self.x):
            bent = self._at(bends)
            size = np.abs(self.y).max()
            curve = bent if (np.abs(bent(self.x) - self.y) <= _STRAIGHT * size).all() else self
        return curve if len(curve.x) <= MOST_KNOTS else curve._at(evenly(len(curve.x)))

    def _bends(self) -> IntArray:
        """Places of the ends, and of knots that the neighbours do not say."""
        if len(self.x) < _FEWEST_INSIDE:
            return np.arange(len(self.x))
        beside = self.y[:-2] if self.method == CONSTANT else self._between_neighbours()
        said = np.abs(self.y[1:-1] - beside) <= _ROUNDING * np.abs(self.y).max()
        return np.delete(np.arange(len(self.x)), np.flatnonzero(said) + 1)

    def _between_neighbours(self) -> FloatArray:
        """What the knots beside each inner one say of it."""
        x, y = self.x, self.y
        unit = units_between(x[:-2], x[2:])
        share = apart(x[:-2], x[1:-1], unit) / apart(x[:-2], x[2:], unit)
        return np.asarray(y[:-2] + share * (y[2:] - y[:-2]))

    def _at(self, places: IntArray) -> Curve:
        return Curve(self.x[places], self.y[places], self.method)


def constant(value: float) -> Curve:
    """The curve that is the same everywhere."""
    return Curve(np.zeros(1), np.array([value]), CONSTANT)


def units_between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Units in which differences are neither very small nor very large: powers of 2, mostly 1."""
    with np.errstate(over="ignore"):
        found = high - low
    is_usual = (found > _SMALL) & (found < _LARGE)
    if is_usual.all():
        return np.ones_like(found)
    power = np.clip(np.frexp(found)[1], _LEAST_POWER, _LARGEST_POWER)
    power = np.where(np.isfinite(found), power, _LARGEST_POWER)
    return np.ldexp(1.0, np.where(is_usual, 0, power))


def apart(low: FloatArray, high: FloatArray, unit: FloatArray | None) -> FloatArray:
    """Differences in units; None: all are 1."""
    return np.asarray(high - low if unit is None else high / unit - low / unit)


def evenly(n: int) -> IntArray:
    """Places of at most so many of n numbers in order, the first and the last among them."""
    return np.asarray(np.unique(np.rint(np.linspace(0, n - 1, min(n, MOST_KNOTS))).astype(np.intp)))


def _numbers(name: str, given: Any) -> FloatArray:
    try:
        numbers = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as reason:
        raise OptionTypeError(f"{name} of a curve must be numbers: {reason}") from reason
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InvalidOptionError(f"{name} of a curve must be finite numbers in one dimension")
    numbers += 0.0  # no -0.0
    numbers.setflags(write=False)
    return numbers
