"""How much the levels of a column differ, by restricted maximum likelihood."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.coders.climbing import climbed
from vtreat_py.statistics.equal_levels import EqualLevels
from vtreat_py.statistics.outcome_sums import ROUNDING, OutcomeSums, sum_by

# Squares below this share of the raw squares are rounding.
_NOTHING = 1e-12
# Largest ratio of a class: no level is believed more than if half a row of prior was beside it.
MOST_OF_CLASS = 2.0
# Rates are kept this far from 0 and 1.
_EDGE = 1e-6
# A ratio that stands for an infinite one.
_GREAT = 1e15
# A gain of likelihood below this one is rounding.
_SAME = 1e-9
# Stands for 0 where there is a division by it.
_TINY = 1e-300
# Least variance inside levels: the square of its inverse is still a number.
_LEAST_WITHIN = 1e-150
# Below this ratio for a level of one row the curve is as it is at 0, but for its slope.
_STRAIGHT = 1e-2


class Likelihood:
    """The restricted likelihood of how much levels differ, for each training set.

    Level means m of weight n are drawn about one mean with the variance ``within * (ratio +
    1 / n)``: ``ratio`` is the variance between levels over that inside them. With both the mean
    and ``within`` at their best for it, minus twice the logarithm of the likelihood is

        (W - 1) log(S + Q) + sum log(1 + n * ratio) + log(sum v)

    where v = n / (1 + n * ratio) is the precision of a level's mean, Q the sum of v * (m - mean
    of m by v)^2, S the squares inside levels and W the rows.

    Of a class, ``within`` is not free: where rates of levels are drawn from a beta distribution,
    it is the variance of a row at their mean over 1 + ``ratio``. The squares inside levels, which
    large levels make up, say something else where rates go with sizes. With that, ``ratio`` is
    where the squares of the level means are what they are expected to be.

    Means and variances are in units of ``equal.unit`` and of its square: with weights, their third
    powers would be too large for floats otherwise.

    Parameters
    ----------
    equal : EqualLevels
    inside : ndarray of shape (training sets,)
        Squares inside levels.
    whole : OutcomeSums
        Sums over all rows of each training set.

    Notes
    -----
    H. Patterson and R. Thompson, "Recovery of Inter-Block Information when Block Sizes are
    Unequal", Biometrika 58 (1971); S. Searle, G. Casella and C. McCulloch, *Variance Components*
    (1992), section 3.8. Levels of one size come in by their number, their mean and the spread of
    their means, so that a step costs next to nothing.
    """

    def __init__(self, equal: EqualLevels, inside: FloatArray, whole: OutcomeSums) -> None:
        unit = equal.unit
        self.equal, self.inside, self.mean = equal, inside / unit / unit, whole.mean / unit
        self.n_groups, self.rows = len(whole.weight), whole.weight
        self.free = np.where(self.rows > 1.0, self.rows - 1.0, 1.0)
        self.n_levels = sum_by(equal.group, equal.sums[0], self.n_groups)
        rounding = _NOTHING * (whole.squares + whole.total * whole.mean)
        # One row a level tells nothing, nor do outcomes that are all the same.
        more = self.rows * (1.0 - ROUNDING) > self.n_levels  # rows may be sums of fractions
        self.tells = more & (self.n_levels > 1) & (whole.squares > rounding)
        self.of_class = whole.inner is None
        self.exact = self.tells & (inside <= rounding) & (not self.of_class)
        self.size, self.powers = equal.about(whole.mean)
        self.largest = np.maximum(self.size.max(axis=1, initial=0.0), 1.0)

    @cached_property
    def ratio(self) -> FloatArray:
        """The most likely ratio: 0 where levels differ no more than chance makes them.

        It is infinite where rows of a level do not differ.
        """
        return np.where(self.exact, np.inf, self._searched)

    @cached_property
    def point(self) -> Point:
        """The likelihood at that ratio, or at a great one."""
        return self._found if not self.exact.any() else Point(self, np.minimum(self.ratio, _GREAT))

    @cached_property
    def _searched(self) -> FloatArray:
        """Search the best ratio of the training sets that tell one."""
        none = np.zeros(self.n_groups)
        chance = Point(self, none)
        rises, start = chance.rises, chance.moments()
        active = self.tells & ~self.exact & (rises if self.of_class else rises | (start > 0))
        if not active.any():
            self._found = chance
            return none
        step = np.maximum(chance.step(), _STRAIGHT / self.largest)
        start = np.where(rises, np.maximum(start, step), start)
        # Where it falls at 0, there may still be a maximum, but not next to 0.
        least = np.where(rises, _NOTHING / np.maximum(self.rows, 1.0), _STRAIGHT / self.largest)
        most = np.full(self.n_groups, MOST_OF_CLASS if self.of_class else np.inf)
        start = np.minimum(start, 0.5 * most)
        if self.of_class:
            start = np.where(Point(self, most).slope > 0, most, start)
        start, climbs = np.where(active, start, 0.0), active & (start < most)
        ratio = climbed(lambda at: Point(self, at), start, climbs, least, most)
        self._found = Point(self, ratio)
        if self.of_class:
            return ratio
        worse = (ratio > 0) & (self._found.deviance() >= chance.deviance() - _SAME)
        if worse.any():
            ratio = np.where(worse, 0.0, ratio)
            self._found = Point(self, ratio)
        return ratio


class Point:
    """The likelihood at one ratio for each training set.

    With v the precision of a level's mean, sums over the levels are of v, its square and its cube,
    times powers of their means: all that there is to know.
    """

    def __init__(self, of: Likelihood, ratio: FloatArray) -> None:
        self._of, self.ratio = of, ratio
        # By training set, power of v, and then power of the mean.
        powers = np.empty((len(ratio), 3, of.size.shape[1]))
        v = np.divide(of.size, 1.0 + of.size * ratio[:, None], out=powers[:, 0])
        v2 = np.multiply(v, v, out=powers[:, 1])
        np.multiply(v2, v, out=powers[:, 2])
        # By power of the mean, power of v, and training set.
        self._sums = np.matmul(powers, of.powers).transpose(2, 1, 0)
        (v, v2, _), (m, m2, _), (s, s2, _) = self._sums
        self.precision = v = np.maximum(v, _TINY)
        self.off = c = m / v
        self._between_squares = np.maximum(s - c * m, 0.0)
        self._squares = s2 - 2.0 * c * m2 + c * c * v2
        if of.of_class:
            self.rate = rate = np.minimum(np.maximum(of.mean + c, _EDGE), 1.0 - _EDGE)
            self.within = rate * (1.0 - rate) / (1.0 + ratio)
        else:
            self.within = np.maximum((of.inside + self._between_squares) / of.free, _LEAST_WITHIN)
        self._pull, self._trace = self._squares / self.within, np.maximum(v - v2 / v, 0.0)
        self.slope = self._pull - self._trace

    @property
    def rises(self) -> BoolArray:
        """Whether larger ratios are more likely, and not only by rounding."""
        return np.asarray(self.slope > _NOTHING * self._trace)

    def deviance(self) -> FloatArray:
        """Minus twice the logarithm of the likelihood of numbers, but for a constant."""
        of = self._of
        log = (of.powers[:, :, 0] * np.log1p(of.size * self.ratio[:, None])).sum(axis=1)
        log += np.log(self.precision)
        return np.asarray(log + of.free * np.log(self.within))

    def moments(self) -> FloatArray:
        """Estimate the ratio as the analysis of variance does, where this one is 0."""
        of = self._of
        within = of.inside / np.where(of.tells, of.rows - of.n_levels, 1.0)
        between = self._between_squares - (of.n_levels - 1.0) * within
        spread = within * self._trace
        apart = (self._trace > _NOTHING * of.rows) & (spread > 0)
        return np.where(apart, between / np.where(apart, spread, 1.0), 0.0)

    def scoring(self) -> FloatArray:
        """The step of a curve that bends as the model expects."""
        of, squares = self._of, self._trace_of_squares()
        growth = self._growth() if of.of_class else -self._trace / of.free
        expected = squares + self._trace * growth
        bends = expected > _NOTHING * squares
        return np.where(bends, self.slope / np.where(bends, expected, 1.0), 0.0)

    def step(self) -> FloatArray:
        """Newton's step, on trace over pull; scoring's where that does not go up.

        Of levels of one size, this quotient is next to linear, so that one step will do wherever
        it starts from.
        """
        (_, _, v3), (_, _, m3), (_, _, s3) = self._sums
        c, trace = self.off, self._trace
        cubes = s3 - 2.0 * c * m3 + c * c * v3 - self._mixed() * (self._mixed() / self.precision)
        falls = 2.0 * cubes / self.within + self._pull * self._growth()
        pull = np.maximum(self._pull, _NOTHING * trace + _TINY)
        up = falls * (trace / pull) - self._trace_of_squares()
        goes_up = up > 0
        step = self.slope / np.where(goes_up, up, 1.0)
        if goes_up.all():
            return np.asarray(step)
        # Scoring's steps are short where the likelihood goes up ever faster.
        far = np.where(self.slope > 0, self.ratio, 0.0)
        return np.where(goes_up, step, self.scoring() + far)

    def _growth(self) -> FloatArray:
        """How fast the logarithm of the variance inside levels grows with the ratio."""
        if not self._of.of_class:
            return np.asarray(-self._squares / self.within / self._of.free)
        by_rate = (1.0 - 2.0 * self.rate) * self._mixed() / (self.precision * self.within)
        return np.asarray(-(1.0 + by_rate) / (1.0 + self.ratio))

    def _mixed(self) -> FloatArray:
        (_, v2, _), (_, m2, _), _ = self._sums
        return np.asarray(m2 - self.off * v2)

    def _trace_of_squares(self) -> FloatArray:
        _, v2, v3 = self._sums[0]
        each = v2 / self.precision
        return np.asarray(v2 - 2.0 * v3 / self.precision + each * each)
