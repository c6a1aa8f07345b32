"""The maximum of the likelihood of one-variable logistic regressions, by Newton's method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.statistics.moments import Moments

_MAX_ITERATIONS = 25
_TOLERANCE = 1e-8
# Weight of the flipped copy of the data that gives separated data a finite answer.
REPAIR_WEIGHT = 1e-5
_REPAIR_ITERATIONS = 200
# The first step starts from fitted probabilities of 3/4 for hits and 1/4 for the others: the
# working response is then +-(log 3 + 4/3), so the step is a linear regression.
_FIRST_RESPONSE = np.log(3.0) + 4.0 / 3.0
# A Newton step that gains less deviance than this, and moves no linear predictor by more than
# that, is the last.
_LAST_GAIN = 1e-5
_LAST_SHIFT = 1e-4
# Linear predictors beyond this size stand for probabilities of machine epsilon and one less it.
MAX_ETA = 30.0
# Steps of rough fits that move none by more than this are of third order; one that cannot leave
# more than that share of the deviance, and leaves a tenth of it as a rule, is the last.
_NEAR = 0.1
_DEVIANCE_LEFT = 1e-8
# With this many points, some of them give the starting values.
MANY_POINTS = 1 << 16
# With less than this share of its deviance left, a fit starts too far out.
_NEARLY_SEPARATED = 1e-3
# Variation of x below this share of its size is rounding.
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class RegressionFit:
    """Maximum likelihood fits of one variable: ``link(E[y]) = intercept + slope * x``.

    Attributes
    ----------
    slope, deviance, null_deviance : ndarray of shape (p,)
        Slope in link units, and the deviances with and without x.
    """

    slope: FloatArray
    deviance: FloatArray
    null_deviance: FloatArray


def fits_may_be_rough(n_points: int, slopes_wanted: bool) -> bool:
    """Whether points are so many, and slopes so little wanted, that rough fits will do.

    Close to the maximum these take steps of third order, Chebyshev's, so that one look at all
    points is often enough. J. F. Traub, Iterative Methods for the Solution of Equations (1964).
    """
    return n_points >= MANY_POINTS and not slopes_wanted


def maximum_likelihood(problem: Regressions) -> RegressionFit:
    """Fit regressions, wherever their points are; see `logistic_fit`."""
    path = _newton(problem, problem.start(), _MAX_ITERATIONS)
    slope, deviance, null = path.slope, path.deviance, _null_deviance(problem)
    if not path.converged.all():
        lost = np.flatnonzero(~path.converged)
        repaired = problem.doubled(lost)
        again = _newton(repaired, repaired.first_step(), _REPAIR_ITERATIONS)
        slope[lost], deviance[lost] = again.slope, again.deviance
        null[lost] = _null_deviance(repaired)
    return RegressionFit(slope / problem.spread, deviance, null)


@dataclass(frozen=True, eq=False, kw_only=True)
class Regressions(ABC):
    """Several regressions, as far as the iteration looks at them.

    Each sees its variable as ``(x - middle) / spread``.

    Attributes
    ----------
    middle, spread : ndarray of shape (p,)
        Mean and standard deviation of x; the latter is infinite where x does not vary.
    weight, hit_weight : ndarray of shape (p,)
        Weight of all rows, and of the target rows.
    slope_start : ndarray of shape (p,)
        Twice the slope of the linear regression of the target.
    reach : ndarray of shape (p,)
        Largest size of the standardised x.
    rough : bool
        Whether the deviance is all that is wanted, to 1e-8 of it; slopes are then rough.
    flipped : float
        Weight of a copy of all points whose outcome is flipped.
    """

    middle: FloatArray
    spread: FloatArray
    weight: FloatArray
    hit_weight: FloatArray
    slope_start: FloatArray
    reach: FloatArray
    rough: bool = False
    flipped: float = 0.0

    @classmethod
    def known(cls, moments: Moments, reach: FloatArray, flipped: float = 0.0, **own: Any) -> Self:
        """Centre and scale the x of each regression, whose moments and extent are known.

        ``reach`` is the largest distance of x from its mean; moments are without the copy.
        """
        weight, rate = moments.weight, moments.y + moments.centre_y
        spread = spread_of(np.sqrt(moments.xx / weight), moments.x)
        slope = 2.0 * moments.xy / (weight * spread)
        return cls(
            middle=moments.x,
            spread=spread,
            weight=weight * (1.0 + flipped),
            hit_weight=weight * (rate + flipped * (1.0 - rate)),
            slope_start=slope * ((1.0 - flipped) / (1.0 + flipped)),
            reach=reach / spread,
            flipped=flipped,
            **own,
        )

    def start(self) -> tuple[FloatArray, FloatArray]:
        """Intercepts and slopes to start from: R's first step or, with many points, a fit to some.

        Where that part is separated, or of one class, the whole may not be: then begin as R does.
        """
        intercept, slope = self.first_step()
        part = self.part()
        if part is None:
            return intercept, slope
        fit, null = _newton(part, part.start(), _MAX_ITERATIONS), _null_deviance(part)
        usable = fit.converged & (null > 0) & (fit.deviance > _NEARLY_SEPARATED * null)
        return np.where(usable, fit.intercept, intercept), np.where(usable, fit.slope, slope)

    def first_step(self) -> tuple[FloatArray, FloatArray]:
        """Intercepts and slopes after the first step from R's starting values."""
        balance = 2.0 * self.hit_weight / self.weight - 1.0
        return _FIRST_RESPONSE * balance, _FIRST_RESPONSE * self.slope_start

    @abstractmethod
    def part(self) -> Regressions | None:
        """Return the regressions on some of the points, standardised alike; None: on few."""

    @abstractmethod
    def doubled(self, which: IntArray) -> Regressions:
        """Regressions ``which``, with the flipped, lightly weighted copy of their data."""

    @abstractmethod
    def evaluate(self, which: IntArray, intercept: FloatArray, slope: FloatArray) -> Derivatives:
        """Likelihood of regressions ``which`` at given coefficients, per ``spread`` of x."""


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Negative log likelihood of several regressions, and its first and second derivatives.

    Attributes
    ----------
    loss : ndarray of shape (p,)
    gradient : ndarray of shape (2, p)
        Of the log likelihood: sums of the residuals, and of residuals times x.
    curvature : ndarray of shape (3, p)
        Sums of w = rate * (1 - rate), of w * x and of w * x**2.
    third : ndarray of shape (4, p) or None
        Sums of v = w * (1 - 2 * rate), of v * x, of v * x**2 and of v * x**3; of rough fits.
    """

    loss: FloatArray
    gradient: FloatArray
    curvature: FloatArray
    third: FloatArray | None = None

    def newton_step(self) -> FloatArray:
        """Return the Newton step, of shape (2, p)."""
        return self._solve(self.gradient)

    def bent(self, step: FloatArray) -> FloatArray:
        """Correct a Newton step for the change of the curvature on its way."""
        return step - self._solve(0.5 * self._cubed(step))

    def gain(self, step: FloatArray) -> FloatArray:
        """Deviance that a step gains: a Newton step, or with ``third`` any step."""
        along = (step * self.gradient).sum(axis=0)
        if self.third is None:
            return np.asarray(along)
        (a, b), (c, d, e) = step, self.curvature
        squared = c * a * a + 2.0 * d * a * b + e * b * b
        return np.asarray(2.0 * along - squared - (step * self._cubed(step)).sum(axis=0) / 3.0)

    def _solve(self, right: FloatArray) -> FloatArray:
        """What the curvature turns into ``right``; 0 where it is singular."""
        c, d, e = self.curvature
        determinant = c * e - d**2
        solved = np.stack([e * right[0] - d * right[1], c * right[1] - d * right[0]])
        solved /= np.where(determinant > 0, determinant, np.inf)
        return solved

    def _cubed(self, step: FloatArray) -> FloatArray:
        """Second derivative of the gradient, along a step."""
        assert self.third is not None
        a, b = step
        along = self.third[:2] * a * a + 2.0 * self.third[1:3] * a * b + self.third[2:] * b * b
        return np.asarray(along)


def spread_of(deviation: FloatArray, middle: FloatArray) -> FloatArray:
    """Deviations; infinite for a constant, which lies off its own mean by rounding only."""
    return np.asarray(np.where(deviation > _ROUNDING * np.abs(middle), deviation, np.inf))


def _null_deviance(problem: Regressions) -> FloatArray:
    rate = problem.hit_weight / problem.weight
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = rate * np.log(rate) + (1.0 - rate) * np.log1p(-rate)
    return np.asarray(-2.0 * problem.weight * np.where((rate > 0) & (rate < 1), inside, 0.0))


@dataclass(frozen=True, eq=False)
class _Path:
    """Where an iteration ended; the slope is per ``spread`` of x."""

    intercept: FloatArray
    slope: FloatArray
    deviance: FloatArray
    converged: BoolArray


def _newton(problem: Regressions, start: tuple[FloatArray, FloatArray], iterations: int) -> _Path:
    """Iterate to the maximum of the likelihood."""
    p = len(problem.weight)
    intercept, slope = start
    before = np.zeros((2, p))
    deviance = -2.0 * problem.weight * np.log(0.75)
    converged = np.zeros(p, dtype=bool)
    active = np.arange(p)
    # Weights of less than one row in all are held against deviances of their size.
    unit = np.minimum(problem.weight, 1.0)
    for iteration in range(iterations):
        found = problem.evaluate(active, intercept[active], slope[active])
        fresh = 2.0 * found.loss
        step = found.newton_step()
        shift = _shift(step, problem.reach[active])
        near = problem.rough & (shift < _NEAR)
        if near.any():
            step = np.where(near, found.bent(step), step)
        gain = found.gain(step)
        # The starting deviance belongs to no coefficients, so the first step cannot be worse.
        worse = fresh > (deviance[active] * (1.0 + _TOLERANCE) if iteration else np.inf)
        change = np.abs(fresh - deviance[active]) / (np.abs(fresh) + 0.1 * unit[active])
        done = (change < _TOLERANCE) | ~np.isfinite(fresh)
        retry = active[worse & ~done]
        intercept[retry] = (intercept[retry] + before[0, retry]) / 2.0
        slope[retry] = (slope[retry] + before[1, retry]) / 2.0
        onward = ~worse | done
        deviance[active[onward]] = fresh[onward]
        converged[active[done]] = np.isfinite(fresh[done])
        go = ~worse & ~done
        moved = active[go]
        before[:, moved] = intercept[moved], slope[moved]
        intercept[moved] += step[0, go]
        slope[moved] += step[1, go]
        # Close to the maximum the gain of a step is known: the last needs no evaluation.
        small = (gain < _LAST_GAIN * unit[active]) & (shift < _LAST_SHIFT)
        # Points out of range have a loss that does not move with the line.
        near &= _shift(before[:, active], problem.reach[active]) < MAX_ETA
        last = go & (small | (near & (shift**2 * gain < 12.0 * _DEVIANCE_LEFT * fresh)))
        deviance[active[last]] -= gain[last]
        converged[active[last]] = True
        active = active[~(done | last)]
        if not len(active):
            break
    return _Path(intercept, slope, deviance, converged)


def _shift(step: FloatArray, reach: FloatArray) -> FloatArray:
    """How far a step moves the linear predictors, at most."""
    return np.asarray(np.abs(step[0]) + np.abs(step[1]) * reach)
