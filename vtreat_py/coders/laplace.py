"""Laplace's approximation of the likelihood of a class in a level, its log odds being drawn."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray

# Steps to a mode at most, and the last one, relative to the log odds; it is the square of that
# from the mode.
_STEPS, _CLOSE = 60, 1e-9


class Laplace:
    """What a level adds to the logarithm of the likelihood, and its derivatives.

    A level has n rows, y of them of the class. Its log odds are drawn from a normal distribution
    of mean m and variance s. The mode e of what they may be solves ``e = m + s * r``, where r is
    ``y - n * p`` and p the rate at e. With the integral over the log odds as that of a normal
    density that is as high and bends as much at the mode, the level adds

        y * e - n * log(1 + exp(e)) - s * r^2 / 2 - log(1 + s * w) / 2

    where w is ``n * p * (1 - p)``. Derivatives are those of this expression, in which the mode
    moves with m and s: by ``1 / (1 + s * w)`` and ``r / (1 + s * w)``.

    Attributes
    ----------
    left, known : ndarray of shape (levels,)
        r and w.
    shrinks : ndarray of shape (levels,)
        ``1 + s * w``.
    pull, rise : ndarray of shape (levels,)
        Derivatives by m and by s.
    pull_bends : ndarray of shape (levels,)
        That of ``pull`` by the mode; by m it is less, by the factor ``shrinks``.
    """

    def __init__(
        self, weight: FloatArray, hits: FloatArray, variance: FloatArray, log_odds: FloatArray
    ) -> None:
        self._n, self._y, self._s, self._e = weight, hits, variance, log_odds
        p = 1.0 / (1.0 + np.exp(-log_odds))
        v = p * (1.0 - p)
        self.left, self.known = r, w = hits - weight * p, weight * v
        # Derivatives of w by the mode.
        self._w1, self._w2 = w1, w2 = w * (1.0 - 2.0 * p), w * (1.0 - 6.0 * v)
        self.shrinks = d = 1.0 + variance * w
        self.pull = r - 0.5 * variance * w1 / d**2
        self.rise = 0.5 * (r**2 - w / d - variance * w1 * r / d**2)
        self.pull_bends = -w - 0.5 * variance * (w2 - 2.0 * variance * w1**2 / d) / d**2

    def likelihood(self) -> FloatArray:
        """Logarithm of the likelihood."""
        height = self._y * self._e - self._n * np.logaddexp(0.0, self._e)
        return np.asarray(height - 0.5 * self._s * self.left**2 - 0.5 * np.log(self.shrinks))

    def bends(self) -> tuple[FloatArray, FloatArray]:
        """Second derivatives: by s, and by m and s."""
        s, r, w, w1, d = self._s, self.left, self.known, self._w1, self.shrinks
        d2, d3 = d**2, d**3
        mixed = -0.5 * w1 / d2 + s * w1 * w / d3 + self.pull_bends * r / d
        by_mode = -2.0 * r * w - w1 / d + s * w * w1 / d2
        by_mode += -s * (self._w2 * r - w1 * w) / d2 + 2.0 * s * s * w1**2 * r / d3
        own = w * w / d2 - w1 * r / d2 + 2.0 * s * w1 * r * w / d3
        return np.asarray(0.5 * (by_mode * r / d + own)), np.asarray(mixed)


def modes(
    weight: FloatArray,
    hits: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
    start: FloatArray,
    active: BoolArray,
) -> FloatArray:
    """Most likely log odds of levels; those that are not active stay where they start."""
    room = 1.0 + np.log1p(variance * weight)
    low, high = mean - np.maximum(mean, 0.0) - room, mean + np.maximum(-mean, 0.0) + room
    found, steps = np.where(active, np.clip(start, low, high), start), 0
    while active.any() and steps < _STEPS:
        steps += 1
        p = 1.0 / (1.0 + np.exp(-found))
        off = found - mean - variance * (hits - weight * p)
        low, high = np.where(off < 0, found, low), np.where(off > 0, found, high)
        new = found - off / (1.0 + variance * weight * p * (1.0 - p))
        new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
        moved = np.abs(new - found) > _CLOSE * (1.0 + np.abs(found))
        found = np.where(active, new, found)
        active = active & moved
    return found
