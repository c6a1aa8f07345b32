"""A mixed model of a class: log odds of levels drawn from a normal distribution."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.coders.climbing import climbed
from vtreat_py.coders.laplace import Laplace, modes
from vtreat_py.statistics.equal_rates import EqualRates
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

# Steps of the search for the mean at most, and the last one, relative to it.
_STEPS, _CLOSE = 60, 1e-9
# Log odds of the mean change by this much at most in a step, the variance by this power of e.
_FAR, _GROWTH = 2.0, 2.0
# The curve of the mean bends at least by this share of what it would if levels were known.
_LEAST_BEND = 0.1
# So little information stands for none.
_NOTHING = 1e-12
# Below this variance, for a level of one row, the curve is as it is at 0, but for its slope.
_STRAIGHT = 1e-3
# A variance that a search may start from where the likelihood falls at 0.
_ONE = 1.0
# A gain of likelihood below this one is rounding.
_SAME = 1e-9
# More rows of a level say no more: hits less those that are expected would be rounding.
_KNOWN = 1e12


class RandomIntercepts:
    """The model ``class ~ (1 | level)`` with a logistic link, for each training set.

    Log odds of levels are drawn from a normal distribution. Its mean and variance are those of the
    greatest likelihood, with the integral over the log odds of each level as Laplace has it (see
    `Laplace`).

    Parameters
    ----------
    equal : EqualRates
    whole : OutcomeSums
        Sums over all rows of each training set.

    Notes
    -----
    N. Breslow and D. Clayton, "Approximate Inference in Generalized Linear Mixed Models", JASA 88
    (1993); D. Bates, M. Mächler, B. Bolker and S. Walker, "Fitting Linear Mixed-Effects Models
    Using lme4", Journal of Statistical Software 67 (2015), whose ``glmer`` gives these numbers.
    Levels of one size and count come in by their number, so that a step costs next to nothing.
    """

    def __init__(self, equal: EqualRates, whole: OutcomeSums) -> None:
        share = _KNOWN / np.maximum(equal.weight, _KNOWN)
        self.equal = replace(equal, weight=equal.weight * share, hits=equal.hits * share)
        self._given, self.n_groups, self.rows = equal.weight, len(whole.weight), whole.weight
        self.n_levels = self.sum_of(np.ones(len(equal.group)))
        self.both = (whole.total > 0) & (whole.total < whole.weight)
        hits, others = (
            np.where(self.both, of, 1.0) for of in (whole.total, whole.weight - whole.total)
        )
        self.overall = np.log(hits / others)
        # One row a level tells nothing, nor do rows of one class.
        self.tells = (self.rows > self.n_levels) & (self.n_levels > 1) & self.both
        self.largest = np.ones(self.n_groups)
        np.maximum.at(self.largest, equal.group, self.equal.weight)

    def sum_of(self, values: FloatArray) -> FloatArray:
        """Sum values of cells over the levels of each training set."""
        return sum_by(self.equal.group, self.equal.count * values, self.n_groups)

    @property
    def variance(self) -> FloatArray:
        """The most likely variance: 0 where levels differ no more than chance makes them."""
        return self._found[0]

    @property
    def intercept(self) -> FloatArray:
        """Mean of the log odds of levels."""
        return self._found[1]

    @cached_property
    def centre(self) -> FloatArray:
        """Mean of the log odds of rows, less that of levels."""
        apart = self.sum_of(self._given * self._apart)
        return apart / np.where(self.rows > 0, self.rows, 1.0)

    def codes(self, place: IntArray) -> FloatArray:
        """Log odds of levels less those of levels without rows, by cell; 0 for -1."""
        return np.append(self._apart, 0.0)[place]

    @cached_property
    def _apart(self) -> FloatArray:
        return self._found[2] - self.intercept[self.equal.group]

    @cached_property
    def _found(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Variance, mean and log odds of the cells, of the greatest likelihood."""
        chance = point = RandomInterceptsPoint(self, np.zeros(self.n_groups))
        rises, flat = chance.slope > 0, _STRAIGHT / self.largest
        # Where it falls at 0, there may still be a maximum, but not next to 0.
        start = np.where(rises, np.maximum(chance.step(), flat), _ONE)
        least = np.where(rises, _SAME * flat, flat)

        def at(variance: FloatArray) -> RandomInterceptsPoint:
            nonlocal point
            point = RandomInterceptsPoint(self, variance, point)
            return point

        infinite = np.full(self.n_groups, np.inf)
        start = np.where(self.tells, start, 0.0)
        found = at(climbed(at, start, self.tells, least, infinite))
        better = found.likelihood() > chance.likelihood() + _SAME
        return (
            np.where(better, found.variance, 0.0),
            np.where(better, found.intercept, chance.intercept),
            np.where(better[self.equal.group], found.log_odds, chance.log_odds),
        )


class RandomInterceptsPoint:
    """The likelihood at one variance for each training set, the mean at its best for it.

    Attributes
    ----------
    intercept : ndarray of shape (training sets,)
        That mean.
    log_odds : ndarray of shape (cells,)
    slope : ndarray of shape (training sets,)
        Slope of the logarithm of the likelihood.
    """

    def __init__(
        self,
        of: RandomIntercepts,
        variance: FloatArray,
        near: RandomInterceptsPoint | None = None,
    ) -> None:
        self._of, self.variance = of, variance
        group = of.equal.group
        self.intercept: FloatArray = of.overall if near is None else near.intercept
        self.log_odds: FloatArray = self.intercept[group] if near is None else near.log_odds
        # What is known is left as it is, so that it does not rest on the steps of others.
        active = of.both if near is None else of.both & (variance != near.variance)
        steps, self._cells = 0, self._at_modes(active)
        while active.any() and steps < _STEPS:
            steps += 1
            cells = self._cells
            pull, bend = of.sum_of(cells.pull), of.sum_of(cells.pull_bends / cells.shrinks)
            known = _LEAST_BEND * of.sum_of(cells.known / cells.shrinks)
            safe = np.minimum(bend, -np.maximum(known, _NOTHING))
            step = np.clip(pull / np.where(active, -safe, 1.0), -_FAR, _FAR)
            step = np.where(active, step, 0.0)
            self.intercept = self.intercept + step
            self.log_odds = self.log_odds + (step[group] / cells.shrinks)
            active = active & (np.abs(step) > _CLOSE * (1.0 + np.abs(self.intercept)))
            self._cells = self._at_modes(active)
        bend = of.sum_of(self._cells.pull_bends / self._cells.shrinks)
        self._bend = np.where(of.both, np.minimum(bend, -_NOTHING), -1.0)
        self.slope = of.sum_of(self._cells.rise)

    def _at_modes(self, active: BoolArray) -> Laplace:
        """Move the cells of some training sets to their modes."""
        equal, variance = self._of.equal, self.variance[self._of.equal.group]
        self.log_odds = modes(
            equal.weight,
            equal.hits,
            self.intercept[equal.group],
            variance,
            self.log_odds,
            active[equal.group],
        )
        return Laplace(equal.weight, equal.hits, variance, self.log_odds)

    def likelihood(self) -> FloatArray:
        """Logarithm of the likelihood."""
        return self._of.sum_of(self._cells.likelihood())

    def uncertainty(self) -> FloatArray:
        """Variance of the mean."""
        return -1.0 / self._bend

    def step(self) -> FloatArray:
        """Newton's step, of the logarithm of the variance; that of the variance from 0.

        It goes as far as it may where the likelihood goes up ever faster.
        """
        own, mixed = self._cells.bends()
        bend = self._of.sum_of(own) - self._of.sum_of(mixed) ** 2 / self._bend
        at, slope = self.variance, self.slope
        plain = slope / np.where(bend < 0, -bend, np.inf)
        curve = at * (slope + at * bend)
        far = np.where(slope > 0, _GROWTH, -_GROWTH)
        power = at * slope / np.where(curve < 0, -curve, 1.0)
        power = np.where(curve < 0, np.clip(power, -_GROWTH, _GROWTH), far)
        return np.asarray(np.where(at > 0, at * np.expm1(power), plain))
