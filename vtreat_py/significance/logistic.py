"""One-variable logistic regressions, many at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.significance.newton import (
    MANY_POINTS,
    MAX_ETA,
    REPAIR_WEIGHT,
    Derivatives,
    RegressionFit,
    Regressions,
    maximum_likelihood,
    spread_of,
)
from vtreat_py.significance.score import Score
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.moments import Moments

# What linear predictors beyond `MAX_ETA` are taken for.
SATURATED_ETA = -np.log(np.finfo(np.float64).eps)
_BLOCK = 1 << 14
# Stands for weight 0 where something is divided by it.
_TINY = 1e-300
# With many points, every so manieth gives the starting values.
_THINNING = 4

# Values of variables, with the weight of all rows (None: 1 each) and of the target rows at each.
PointSums = tuple[FloatArray, FloatArray | None, FloatArray]


def logistic_fit(x: FloatArray, total: FloatArray | None, hits: FloatArray) -> RegressionFit:
    """Fit one logistic regression for each row of ``x``.

    Parameters
    ----------
    x : ndarray of shape (p, g)
        The value of p variables at g points (rows, or groups of rows that share the value).
    total, hits : ndarray of shape (p, g) or (1, g)
        Weight of all rows and of the target rows at each point; ``total=None`` if each point is
        one row of weight 1.

    Notes
    -----
    Iteratively reweighted least squares from R's starting values, stopped when the deviance
    changes by less than 1e-8 relative. Where 25 steps do not get there (separated data), the
    fit is repeated with all rows added once more, outcome flipped, at weight 1e-5: a finite
    answer that still shows a strong effect, and the deviances are those of the doubled data.

    Examples
    --------
    >>> import numpy as np
    >>> fit = logistic_fit(np.array([[0.0, 1.0]]), np.array([[4.0, 4.0]]), np.array([[1.0, 3.0]]))
    >>> round(float(fit.slope[0]), 6), round(float(2 * np.log(3)), 6)
    (2.197225, 2.197225)
    """
    return maximum_likelihood(Points.standardised(x, total, hits))


def logistic_score(fit: RegressionFit, extra_degrees: float = 0.0, unit: float = 1.0) -> Score:
    """Score variables by the likelihood ratio test of their regression with a link.

    ``extra_degrees`` are added to the test's one degree of freedom; ``unit`` is what deviances are
    in units of. rsq is the share of the null deviance explained.
    """
    gain = fit.null_deviance - fit.deviance
    better = (gain > 0) & (fit.null_deviance > 0)
    share = np.minimum(gain / np.where(better, fit.null_deviance, 1.0), 1.0)  # more is rounding
    rsq = np.where(better, share, 0.0)
    sig = np.where(better, stats.chi2.sf(np.maximum(gain, 0.0) * unit, 1.0 + extra_degrees), 1.0)
    return Score(fit.slope, rsq, sig)


@dataclass(frozen=True, eq=False, kw_only=True)
class Points(Regressions):
    """Regressions on points in memory."""

    x: FloatArray
    total: FloatArray | None
    hits: FloatArray

    @classmethod
    def of_moments(
        cls,
        x: FloatArray,
        total: FloatArray | None,
        hits: FloatArray,
        moments: Moments,
        reach: FloatArray,
        rough: bool = False,
    ) -> Points:
        """Centre and scale the x of each regression; see `Regressions.known`."""
        return cls.known(moments, reach, x=x, total=total, hits=hits, rough=rough)

    @classmethod
    def standardised(cls, x: FloatArray, total: FloatArray | None, hits: FloatArray) -> Points:
        """Centre and scale the x of each regression."""
        shape = np.zeros(len(x))
        weight, hit_weight = _sum(np.ones_like(hits), total) + shape, hits.sum(axis=1) + shape
        middle = _sum(x, total) / weight
        variance, covariance, low, high = np.zeros((4, len(x)))
        share = (hit_weight / weight)[:, None]
        for piece in blocks(x.shape[1], max(_BLOCK // len(x), 64)):
            apart = x[:, piece] - middle[:, None]
            part = None if total is None else total[:, piece]
            np.minimum(low, apart.min(axis=1), out=low)
            np.maximum(high, apart.max(axis=1), out=high)
            variance += _sum(apart * apart, part)
            covariance += _sum(apart, hits[:, piece] - (share if part is None else share * part))
        spread = spread_of(np.sqrt(variance / weight), middle)
        return cls(
            middle=middle,
            spread=spread,
            weight=weight,
            hit_weight=hit_weight,
            slope_start=2.0 * covariance / (weight * spread),
            reach=np.maximum(high, -low) / spread,
            x=x,
            total=total,
            hits=hits,
        )

    def part(self) -> Points | None:
        """Return the problems on every so manieth point; None where there are not many."""
        if self.x.shape[1] < MANY_POINTS:
            return None
        total = None if self.total is None else self.total[:, ::_THINNING]
        return self.on(self.x[:, ::_THINNING], total, self.hits[:, ::_THINNING])

    def on(self, x: FloatArray, total: FloatArray | None, hits: FloatArray) -> Points:
        """Return the problems on other points, standardised as they are."""
        shape = np.zeros(len(x))
        weight = np.maximum(_sum(np.ones_like(hits), total), _TINY) + shape
        hit_weight = hits.sum(axis=1) + shape
        return replace(self, x=x, total=total, hits=hits, weight=weight, hit_weight=hit_weight)

    def doubled(self, which: IntArray) -> Points:
        """Return problems ``which`` with the flipped, lightly weighted copy of their data."""

        def pick(values: FloatArray) -> FloatArray:
            return values if len(values) == 1 else values[which]

        hits = pick(self.hits)
        total = np.ones_like(hits) if self.total is None else pick(self.total)
        weight, hit_weight = self.weight[which], self.hit_weight[which]
        return Points(
            middle=self.middle[which],
            spread=self.spread[which],
            weight=weight * (1.0 + REPAIR_WEIGHT),
            hit_weight=hit_weight + REPAIR_WEIGHT * (weight - hit_weight),
            slope_start=self.slope_start[which] * (1.0 - REPAIR_WEIGHT) / (1.0 + REPAIR_WEIGHT),
            reach=self.reach[which],
            flipped=REPAIR_WEIGHT,
            x=self.x[which],
            total=total * (1.0 + REPAIR_WEIGHT),
            hits=hits + REPAIR_WEIGHT * (total - hits),
        )

    def evaluate(self, which: IntArray, intercept: FloatArray, slope: FloatArray) -> Derivatives:
        """Sum over the points, block by block."""
        loss, gradient = np.zeros(len(which)), np.zeros((2, len(which)))
        curvature = np.zeros((3, len(which)))
        third = np.zeros((4, len(which))) if self.rough else None
        everything = len(which) == len(self.x)
        shrink = 1.0 / self.spread
        for piece in blocks(self.x.shape[1], max(_BLOCK // len(which), 64)):
            x = self.x[:, piece] if everything else self.x[which, piece]
            hits = self.hits[:, piece]
            total = None if self.total is None else self.total[:, piece]
            if not everything:
                hits = hits[which] if len(hits) > 1 else hits
                total = total[which] if total is not None and len(total) > 1 else total
            x = x - self.middle[which, None]
            x *= shrink[which, None]
            eta = x * slope[:, None]
            eta += intercept[:, None]
            decay = np.abs(eta)
            if decay.max() > MAX_ETA:
                decay[decay > MAX_ETA] = SATURATED_ETA
                eta = np.copysign(decay, eta)
            np.negative(decay, out=decay)
            np.exp(decay, out=decay)
            larger = 1.0 / (1.0 + decay)  # probability of the likelier class
            decay *= larger  # probability of the other
            rate = larger - decay  # what follows is three times as fast as np.where
            rate *= eta > 0
            rate += decay
            loss += _sum(np.maximum(eta, 0.0) - np.log(larger), total) - _sum(eta, hits)
            decay *= larger
            if total is not None:
                decay *= total
            if third is not None:
                _add_moments(third, decay * (1.0 - 2.0 * rate), x)
            if total is not None:
                rate *= total
            _add_moments(curvature, decay, x)
            _add_moments(gradient, np.subtract(hits, rate, out=rate), x)
        return Derivatives(loss, gradient, curvature, third)


def _add_moments(sums: FloatArray, values: FloatArray, x: FloatArray) -> None:
    """Add the sums of each row of ``values``, of its product with x, with x**2, and so on."""
    sums[0] += values.sum(axis=1)
    for k in range(1, len(sums)):
        values *= x
        sums[k] += values.sum(axis=1)


def _sum(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Weighted sum of each row.

    Not an inner product: the threads of a BLAS cost more than they give on such short rows.
    """
    return np.asarray((values if weight is None else values * weight).sum(axis=1))
