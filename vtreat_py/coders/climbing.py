"""The search for the top of a likelihood, for many training sets at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray

# Steps of the search at most, and the relative size of the last one; a next one would be about
# the square of it.
_STEPS, _CLOSE = 60, 1e-5


class Slope(Protocol):
    """A likelihood at one place for each training set."""

    @property
    def slope(self) -> FloatArray:
        """Whether it goes up from there."""

    def step(self) -> FloatArray:
        """How far it is to the top, or nearly so."""


def climbed(
    at: Callable[[FloatArray], Slope],
    start: FloatArray,
    active: BoolArray,
    least: FloatArray,
    high: FloatArray,
) -> FloatArray:
    """Climb from a place above 0; 0 where that ends below the least one.

    Steps are halved where they leave the range that is left, which ends at ``high``. No training
    set has a part in the search of another one, not even in when it ends.
    """
    place, low, steps = start, np.zeros_like(start), 0
    while active.any() and steps < _STEPS:
        steps += 1
        point = at(place)
        rising = point.slope > 0
        low, high = np.where(rising, place, low), np.where(rising, high, place)
        new = place + point.step()
        new = np.where(new < high, new, 0.5 * (place + high))
        new = np.where(new > low, new, np.where(low > 0, 0.5 * (place + low), 0.1 * place))
        moved = np.abs(new - place) > _CLOSE * place
        place = np.where(active, new, place)
        active = active & moved & (place > least)
    return np.where(place > least, place, 0.0)
