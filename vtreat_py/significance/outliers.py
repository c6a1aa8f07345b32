"""Level effects where a few rows carry the outcome's variance: those are dealt to levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.significance.draws import different_rows
from vtreat_py.significance.pearson import gamma_tail
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import sum_by

# A row that has more than this share of the sum of squares is an outlier. Rows are dealt one by one
# until each of the others has a little of what is left only, or is near their mean (squared, in
# units of their variance), or there are so many.
_MUCH, _LITTLE, _NEAR, _MOST_DEALT = 0.05, 0.005, 4.0, 64
# Deals; more of them where the first say that the p-value may be small.
_FIRST_DEALS, _DEALS, _SMALL = 1_000, 5_000, 0.02
# A mean that rests on fewer deals than this is not below what a curve through these shares says.
_FEW_DEALS, _TOLD = 10.0, (0.02, 0.002)
# Where a share is looked for: so many standard deviations off at most, in so many halvings.
_FARTHEST, _HALVINGS = 40.0, 50
# Statistics closer than this, relative to their size, are equal but for rounding.
_EQUAL = 1e-9


def has_outliers(y: Sample) -> bool:
    """Whether one row has much of the outcome's variance."""
    return y.largest_share > _MUCH and y.can_be_drawn_from


def p_value_with_outliers(
    statistic: float, coefficient: FloatArray, size: FloatArray, y: Sample
) -> float:
    """p-value of the statistic of `level_effects_test`, whatever a few rows are.

    Parameters
    ----------
    statistic : float
    coefficient, size : ndarray of shape (m,)
        Factor and number of rows of each level; levels of one size have one factor.
    y : Sample
        The outcome.

    Returns
    -------
    float

    Notes
    -----
    The outcome is permuted in two steps. Outliers are dealt to levels at random, some thousand
    times. Given where they are, the statistic is a sum over the pairs of the other rows, and a
    sum of those rows with factors that depend on the outliers of their level; its mean, variance
    and skewness are known, and a gamma curve has the same. The p-value is the mean of those
    curves' tails: a permutation test whose draws are averaged where that can be done by a formula
    (B. Phipson and G. K. Smyth, "Permutation P-values should never be zero", Statistical
    Applications in Genetics and Molecular Biology 9 (2010), for counting one draw more). It is not
    smaller than the probability that outliers which alone make the statistic meet in a level. Where
    it would rest on a few deals, it is not smaller than an exponential tail from one in 500 on
    (T. Knijnenburg, L. Wessels, M. Reinders and I. Shmulevich, "Fewer permutations, more accurate
    P-values", Bioinformatics 25 (2009)).
    """
    order = np.argsort(size, kind="stable")  # the order of the levels must not matter
    deals = _Deals.of(coefficient[order], size[order], y)
    p = (float(deals.shapes(_FIRST_DEALS).tails(statistic).sum()) + 1.0) / (_FIRST_DEALS + 1.0)
    if p >= _SMALL:
        return p
    shapes = deals.shapes(_DEALS)
    tails = shapes.tails(statistic)
    p = max(float(tails.mean()), deals.chance_of_meeting(statistic))
    if tails.sum() ** 2 < _FEW_DEALS * (tails**2).sum() or not tails.any():
        p = max(p, shapes.continued(statistic))
    return p


@dataclass(frozen=True, eq=False)
class _Deals:
    """Outliers, and what is known of the other rows: mean, variance and third moment."""

    coefficient: FloatArray
    size: FloatArray
    far: FloatArray
    mean: float
    variance: float
    third: float

    @classmethod
    def of(cls, coefficient: FloatArray, size: FloatArray, y: Sample) -> _Deals:
        far = y.take(y.extremes(_MOST_DEALT))
        squares = far * far
        left = y.n_rows - np.cumsum(squares) + squares
        n_left = y.n_rows - np.arange(len(far))
        few_enough = np.flatnonzero(squares <= np.maximum(_LITTLE, _NEAR / n_left) * left)
        far = far[: few_enough[0]] if len(few_enough) else far
        return cls(coefficient, size, far, *y.moments_between((far < 0).sum(), (far > 0).sum()))

    @property
    def others(self) -> float:
        """Number of the other rows."""
        return float(self.size.sum()) - len(self.far)

    def shapes(self, n_deals: int) -> _Shapes:
        """The statistic's distribution given each of so many deals of the outliers."""
        rows = different_rows(int(self.size.sum()), len(self.far), n_deals)
        return self._shape_of_deals(np.searchsorted(np.cumsum(self.size), rows, side="right"))

    def chance_of_meeting(self, statistic: float) -> float:
        """Probability that outliers meet in a level which alone reach the statistic there."""
        chance, n_rows = 0.0, float(self.size.sum())
        size, count = np.unique(self.size, return_counts=True)
        coefficient = self.coefficient[np.searchsorted(self.size, size)]
        for far in (self.far[self.far > 0], -self.far[self.far < 0]):
            rank = np.arange(len(far))
            pairs = np.cumsum(far) ** 2 - np.cumsum(far * far)
            reach = coefficient[:, None] * pairs >= statistic
            left = np.maximum(size[:, None] - rank, 0.0) / np.maximum(n_rows - rank, 1.0)
            together = (np.cumprod(left, axis=1) * reach * count[:, None]).sum(axis=0)
            chance = max(chance, float(together.max(initial=0.0)))
        return chance

    def _shape_of_deals(self, level: IntArray) -> _Shapes:
        """Moments of the statistic given where the outliers are, one row a deal."""
        n_deals, n_far = level.shape
        order = np.argsort(level, axis=1, kind="stable")
        level = np.take_along_axis(level, order, axis=1)
        starts = np.ones(level.shape, dtype=bool)
        starts[:, 1:] = level[:, 1:] != level[:, :-1]
        group = np.cumsum(starts.ravel()) - 1
        place = np.flatnonzero(starts)
        deal, touched = place // max(n_far, 1), level.ravel()[place]
        far = self.far[order].ravel()
        c, n = self.coefficient[touched], self.size[touched]
        sums = [sum_by(group, values, len(place)) for values in (None, far, far * far)]
        change = self._terms(c, n, *sums) - self._terms(c, n)
        whole = self._terms(self.coefficient, self.size).sum(axis=1)
        terms = [w + sum_by(deal, one, n_deals) for w, one in zip(whole, change, strict=True)]
        return self._shapes(*terms)

    def _terms(
        self,
        c: FloatArray,
        n: FloatArray,
        n_far: FloatArray | float = 0.0,
        far: FloatArray | float = 0.0,
        squares: FloatArray | float = 0.0,
    ) -> FloatArray:
        """What levels add to the sums that moments are made of; see `_shapes`."""
        m = n - n_far
        pairs = m * (m - 1.0)
        mean = c * (far * far - squares + 2.0 * self.mean * far * m + self.mean**2 * pairs)
        factor = 2.0 * c * (far + self.mean * (m - 1.0))
        linear = factor * m, factor * factor * m, c * (factor * m) ** 2
        of_pairs = c * pairs, c * c * pairs, c * c * pairs * m, c**3 * pairs
        of_triples = c**3 * pairs * (m - 2.0), c**3 * pairs * (m - 2.0) * m
        return np.stack([mean, *linear, *of_pairs, *of_triples])

    def _shapes(
        self,
        mean: FloatArray,
        factor: FloatArray,
        factor_2: FloatArray,
        factor_2_pairs: FloatArray,
        pairs: FloatArray,
        pairs_2: FloatArray,
        pairs_2_rows: FloatArray,
        pairs_3: FloatArray,
        triples_3: FloatArray,
        triples_3_rows: FloatArray,
    ) -> _Shapes:
        """Moments of the sum over pairs of other rows and of the linear part.

        The other rows' sums by level are taken for normal, which vary together as they add up to
        what is known; of a normal vector with covariance S, ``x' C x`` has the cumulants
        ``2**(k-1) * (k-1)! * trace((C S)**k)``. Pairs of one row are left out.
        """
        v, rows = self.variance, max(self.others, 2.0)
        linear = v / (rows - 1.0) * np.maximum(rows * factor_2 - factor**2, 0.0)
        square = pairs_2 - 2.0 * pairs_2_rows / rows + (pairs / rows) ** 2
        cube = triples_3 - 3.0 * triples_3_rows / rows
        cube += 3.0 * pairs_2_rows * pairs / rows**2 - (pairs / rows) ** 3
        third = 8.0 * v**3 * cube + 4.0 * self.third**2 * pairs_3 + 6.0 * v * v * factor_2_pairs
        return _Shapes(
            mean - v / (rows - 1.0) * pairs, linear + 2.0 * v * v * np.maximum(square, 0.0), third
        )


@dataclass(frozen=True, eq=False)
class _Shapes:
    """Mean, variance and third moment about the mean of the statistic, for each deal."""

    mean: FloatArray
    variance: FloatArray
    third: FloatArray

    def tails(self, statistic: float) -> FloatArray:
        """Probability to reach the statistic, given each deal."""
        spread = np.sqrt(self.variance)
        equal = _EQUAL * abs(statistic)
        known = spread > equal
        apart, scale = statistic - self.mean, np.where(known, spread, 1.0)
        smooth = gamma_tail(apart / scale, self.third / scale**3)
        return np.where(known, smooth, apart <= equal)

    def continued(self, statistic: float) -> float:
        """Probability beyond what the deals tell: the tail goes on as it fell before."""
        near, far = (self._reached_by(share) for share in _TOLD)
        if statistic <= far or not far > near:
            return 0.0
        fall = np.log(_TOLD[0] / _TOLD[1]) / (far - near)
        return float(_TOLD[1] * np.exp(-fall * (statistic - far)))

    def _reached_by(self, share: float) -> float:
        """The statistic that is reached with a probability."""
        spread = np.sqrt(self.variance)
        low, high = float(self.mean.min()), float((self.mean + _FARTHEST * spread).max())
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            above = float(self.tails(middle).mean()) > share
            low, high = (middle, high) if above else (low, middle)
        return high
