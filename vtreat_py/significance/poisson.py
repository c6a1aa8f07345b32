"""One-variable Poisson regressions with an offset, many at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.moments import Moments

_MAX_ITERATIONS = 60
# A step that gains less than this for each event is the last. Likelihoods that differ by less than
# that share are the same, but for rounding.
_LAST_GAIN, _SAME = 1e-12, 1e-14
# Where the likelihood rises and bends by no more for each event, it is flat but for rounding.
_FLAT = 1e-9
# Stands for 0 where something is divided by it.
_TINY = 1e-300
# Rates at the ends of x are at most so many powers of e apart: where all events are at one end, the
# likelihood goes up for ever, and next to nothing is left to gain.
_FARTHEST = 30.0
_BLOCK = 1 << 14
# Variation of x below this share of its size is rounding.
_ROUNDING = 1e-15


def poisson_fit(
    x: FloatArray, exposure: FloatArray | None, count: FloatArray, null_deviance: float = 0.0
) -> RegressionFit:
    """Fit ``log E[count] = intercept + slope * x + log(exposure)``, for each row of ``x``.

    Parameters
    ----------
    x : ndarray of shape (p, g)
        The value of p variables at g points (rows, or groups of rows that share the value).
    exposure, count : ndarray of shape (p, g) or (1, g)
        Exposure and events at each point, both times the weights; ``exposure=None``: 1 each.
    null_deviance : float
        Without x. It rests on how events are spread over the rows of a point.

    Returns
    -------
    RegressionFit
        Slope 0 where x or the counts do not vary.

    Notes
    -----
    The likelihood is at its largest over the intercept where fitted events sum to those counted.
    What is left of it, ``slope * sum(count * x) - sum(count) * log(sum(exposure * exp(slope *
    x)))``, is concave in the slope, and Newton's method finds its maximum: there the mean of x over
    events is its mean over fitted events (P. McCullagh and J. Nelder, *Generalized Linear Models*
    (1989), chapter 6).

    Examples
    --------
    Two points: the slope is the logarithm of the ratio of their rates.

    >>> import numpy as np
    >>> fit = poisson_fit(np.array([[0.0, 1.0]]), np.array([[2.0, 4.0]]), np.array([[3.0, 9.0]]))
    >>> round(float(fit.slope[0]), 6), round(float(np.log((9 / 4) / (3 / 2))), 6)
    (0.405465, 0.405465)
    """
    return maximum_of(PointProfiles.of(x, exposure, count), null_deviance)


def maximum_of(problem: Profiles, null_deviance: float) -> RegressionFit:
    """Find where likelihoods are at their largest; see `poisson_fit`."""
    n = len(problem.events)
    # The maximum lies in the direction of the first of Newton's steps from 0.
    start, first = problem.start(), problem.first_step
    slope, best = problem.within(np.where(start * first > 0.0, start, first)), np.zeros(n)
    gained, active = np.zeros(n), np.ones(n, dtype=bool)
    for _ in range(_MAX_ITERATIONS):
        likelihood, pull, bend = problem.at(slope)
        better = active & (likelihood >= gained - _SAME * np.abs(likelihood))
        best, gained = np.where(better, slope, best), np.where(better, likelihood, gained)
        steep = np.maximum(bend, np.abs(pull)) > _FLAT * problem.events
        step = problem.within(slope + np.where(steep, pull, 0.0) / np.maximum(bend, _TINY))
        gain = (step - slope) * pull
        last = better & (gain <= _LAST_GAIN * problem.events)
        best, gained = np.where(last, step, best), np.where(last, gained + 0.5 * gain, gained)
        active &= ~last
        if not active.any():
            break
        slope = np.where(better & active, step, (slope + best) / 2.0)
    null = np.full(n, null_deviance)
    return RegressionFit(best / problem.spread, null - 2.0 * gained, null)


class Profiles(ABC):
    """Likelihoods of slopes, less that of slope 0; x is standardised by exposure.

    Parameters
    ----------
    moments : Moments
        Of x and the rates, exposures being weights; one entry a variable.
    reach : ndarray of shape (p,)
        Largest distance of x from its mean.
    """

    def __init__(self, moments: Moments, reach: FloatArray) -> None:
        rate = moments.y + moments.centre_y
        self.events = moments.weight * rate
        self.total = np.where(moments.weight > 0.0, moments.weight, 1.0)
        self.middle = moments.x
        deviation = np.sqrt(moments.xx / self.total)
        varies = (deviation > _ROUNDING * np.abs(self.middle)) & (self.events > 0.0)
        self.spread = np.where(varies, deviation, np.inf)
        self._of_events = np.where(varies, moments.xy, 0.0) / np.where(varies, deviation, 1.0)
        self._most = np.where(varies, _FARTHEST * deviation / np.where(varies, reach, 1.0), 0.0)

    @abstractmethod
    def sums(self, slope: FloatArray) -> FloatArray:
        """Sums of ``exposure * exp(slope * x)``, times powers 0, 1 and 2 of standardised x.

        Returns
        -------
        ndarray of shape (3, p)
        """

    @property
    def first_step(self) -> FloatArray:
        """The first of Newton's steps from 0: the covariance with the rate."""
        return np.asarray(self._of_events / np.where(self.events > 0.0, self.events, 1.0))

    def start(self) -> FloatArray:
        """Slopes that may be near."""
        return self.first_step

    def within(self, slope: FloatArray) -> FloatArray:
        """Slopes that are looked at."""
        return np.clip(slope, -self._most, self._most)

    def at(self, slope: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Likelihood at slopes, and its first and minus its second derivative."""
        total, first, second = self.sums(slope)
        total = np.where(total > 0.0, total, 1.0)
        mean = first / total
        likelihood = slope * self._of_events - self.events * np.log(total / self.total)
        pull = self._of_events - self.events * mean
        return likelihood, pull, self.events * np.maximum(second / total - mean * mean, 0.0)


class PointProfiles(Profiles):
    """Those of points in memory; see `poisson_fit`."""

    def __init__(
        self, x: FloatArray, exposure: FloatArray | None, moments: Moments, reach: FloatArray
    ) -> None:
        super().__init__(moments, reach)
        self._x, self._exposure = x, exposure

    @classmethod
    def of(cls, x: FloatArray, exposure: FloatArray | None, count: FloatArray) -> PointProfiles:
        """Sum the points up, about the mean of x."""
        total = _sum(np.ones_like(count), exposure) + np.zeros(len(x))
        known = np.where(total > 0.0, total, 1.0)
        middle = _sum(x, exposure) / known
        variance, of_events, reach = np.zeros((3, len(x)))
        for piece in _pieces(x):
            apart = x[:, piece] - middle[:, None]
            part = None if exposure is None else exposure[:, piece]
            variance += _sum(apart * apart, part)
            of_events += _sum(apart, count[:, piece])
            there = apart if part is None else np.where(part > 0.0, apart, 0.0)
            np.maximum(reach, np.abs(there).max(axis=1), out=reach)
        rate = (count.sum(axis=1) + np.zeros(len(x))) / known
        none = np.zeros(len(x))
        return cls(x, exposure, Moments(total, middle, rate, variance, of_events, none), reach)

    def sums(self, slope: FloatArray) -> FloatArray:
        """Sum over the points."""
        sums = np.zeros((3, len(slope)))
        shrink = 1.0 / self.spread
        for piece in _pieces(self._x):
            x = (self._x[:, piece] - self.middle[:, None]) * shrink[:, None]
            # Points without exposure may lie farther off than slopes reach.
            fitted = np.exp(np.minimum(x * slope[:, None], 2.0 * _FARTHEST))
            if self._exposure is not None:
                fitted *= self._exposure[:, piece]
            for k in range(3):
                sums[k] += fitted.sum(axis=1)
                fitted *= x
        return sums


def _pieces(x: FloatArray) -> list[slice]:
    return list(blocks(x.shape[1], max(_BLOCK // len(x), 64)))


def _sum(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    return np.asarray((values if weight is None else values * weight).sum(axis=1))
