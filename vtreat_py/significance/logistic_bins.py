"""Regressions with a link on a number in many rows, from sums over narrow bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.significance.logistic import Points
from vtreat_py.significance.newton import MAX_ETA, RegressionFit, maximum_likelihood
from vtreat_py.significance.poisson import poisson_fit
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.moments import Moments

N_BINS = 1 << 13
# Bins reach so many deviations from the mean; what is beyond is few rows, by Chebyshev's inequality
# at most 1.6%.
_REACH = 8.0
# So that the largest value is in the last bin.
_WIDER = 1.0 + 1e-12
# Linear predictors that differ by less than this in a bin: what the likelihood loses by taking two
# points for its rows is a thousandth of the cube, and so less than 1e-9 a row.
_NARROW = 0.008
# Linear predictors in bins are this far at most from where they are cut off.
_MODERATE = MAX_ETA / 2.0


@dataclass(frozen=True)
class BinGrid:
    """Bins of one width that cover what lies near the mean."""

    low: float
    width: float

    @classmethod
    def of(cls, moments: Moments, extent: tuple[float, float]) -> BinGrid | None:
        """Lay bins over good values of given moments and ends; None if they hardly vary."""
        mean = float(moments.x[0])
        reach = _REACH * float(np.sqrt(moments.xx[0] / moments.weight[0]))
        low, high = max(extent[0], mean - reach), min(extent[1], mean + reach)
        width = (high - low) / N_BINS * _WIDER
        return cls(low, width) if width > 0.0 and np.isfinite(1.0 / width) else None


@dataclass(frozen=True, eq=False)
class NumberBins:
    """Two points for each of many bins of a number, and the rows beyond.

    Of the likelihood of a logistic regression, what depends on the outcome is linear in x, for
    which sums over all rows are enough. What is left is smooth, and depends on x alone: so the same
    points serve all classes.

    Attributes
    ----------
    x, weight : ndarray of shape (g,)
        Two for each bin, with its weight, mean and deviation.
    width : float
        Of a bin.
    beyond : ndarray of int, shape (m,)
        Rows that are in no bin.
    x_beyond, weight_beyond : ndarray of shape (m,)
    """

    x: FloatArray
    weight: FloatArray
    width: float
    beyond: IntArray
    x_beyond: FloatArray
    weight_beyond: FloatArray

    @classmethod
    def of(
        cls,
        x: FloatArray,
        bad: BoolArray | None,
        weight: FloatArray | None,
        moments: Moments,
        extent: tuple[float, float],
    ) -> NumberBins | None:
        """Sum the good values, which lie within an extent; None if they hardly vary.

        Parameters
        ----------
        x : ndarray of shape (n,)
        bad : ndarray of bool, shape (n,), or None
        weight : ndarray of shape (n,) or None
        moments : Moments
            Of the good values.
        extent : tuple of float
        """
        grid = BinGrid.of(moments, extent)
        if grid is None:
            return None
        counts = None if weight is None else weight > 0
        good = counts if bad is None else ~bad if counts is None else counts & ~bad
        sums, beyond = np.zeros((3, N_BINS)), []
        for rows in blocks(len(x)):
            with np.errstate(over="ignore"):  # rows of no weight may be anywhere
                place = (x[rows] - grid.low) / grid.width
            inside = (place >= 0.0) & (place < N_BINS)
            each = None if weight is None else weight[rows]
            if good is not None or not inside.all():
                outside = ~inside if good is None else good[rows] & ~inside
                beyond.append(rows.start + np.flatnonzero(outside))
                inside = inside if good is None else inside & good[rows]
                place, each = place[inside], None if each is None else each[inside]
            sums += _summed(place, each)
        alone = np.concatenate(beyond) if beyond else np.empty(0, dtype=np.intp)
        weight_alone = np.ones(len(alone)) if weight is None else weight[alone]
        return cls.of_sums(grid, sums, alone, x[alone], weight_alone)

    @classmethod
    def of_sums(
        cls,
        grid: BinGrid,
        sums: FloatArray,
        beyond: IntArray,
        x_beyond: FloatArray,
        weight_beyond: FloatArray,
    ) -> NumberBins:
        """Take sums by bin, of shape (3, bins): weights, places within the bin, their squares."""
        held = np.flatnonzero(sums[0])
        n, first, second = sums[:, held]
        mean_place = first / n
        deviation = np.sqrt(np.maximum(second / n - mean_place * mean_place, 0.0))
        places = np.concatenate([held + mean_place - deviation, held + mean_place + deviation])
        x, weight = grid.low + grid.width * places, np.concatenate([n, n]) / 2.0
        return cls(x, weight, grid.width, beyond, x_beyond, weight_beyond)

    def fit(
        self, y: NumberArray, moments: Moments, reach: FloatArray, imputed: float | None
    ) -> RegressionFit | None:
        """Fit one class; None if the fit is so steep that bins are too wide for it.

        Parameters
        ----------
        y : ndarray of shape (n,)
            1 for target rows, else 0.
        moments : Moments
            Of all rows, the bad ones imputed.
        reach : ndarray of shape (1,)
            Largest distance of a value from its mean.
        imputed : float or None
            Value of the bad rows; None if there are none.
        """
        x, total, hits = self._points(y, moments, imputed)
        points = Points.of_moments(x[None], total[None], hits[None], moments, reach)
        fit = maximum_likelihood(points)
        steep, in_bins = abs(float(fit.slope[0])), x[: len(x) - len(self.beyond)]
        far = steep * float(np.abs(in_bins - moments.x[0]).max()) > _MODERATE
        return None if far or steep * self.width > _NARROW else fit

    def fit_rate(
        self, y: NumberArray, moments: Moments, imputed: float | None, null_deviance: float
    ) -> RegressionFit | None:
        """Fit a rate, as `fit` does a class; weights are exposures."""
        x, exposure, events = self._points(y, moments, imputed)
        fit = poisson_fit(x[None], exposure[None], events[None], null_deviance)
        return None if abs(float(fit.slope[0])) * self.width > _NARROW else fit

    def _points(
        self, y: NumberArray, moments: Moments, imputed: float | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Values, their weights, and target rows among those; single rows are the last."""
        x, weight = self.x, self.weight
        if imputed is not None:
            bad_weight = moments.weight[0] - weight.sum() - self.weight_beyond.sum()
            x, weight = np.append(x, imputed), np.append(weight, max(bad_weight, 0.0))
        hits_beyond = self.weight_beyond * y[self.beyond]
        rate, middle = float(moments.y[0]) + moments.centre_y, float(moments.x[0])
        number = rate * float(moments.weight[0]) - hits_beyond.sum()
        product = float(moments.xy[0]) - (hits_beyond * (self.x_beyond - middle)).sum()
        hits = np.append(_hits(x - middle, weight, number, product), hits_beyond)
        return np.append(x, self.x_beyond), np.append(weight, self.weight_beyond), hits


def _summed(place: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Sums of weights, of distances from the start of the bin, and of their squares, by bin."""
    bins = place.astype(np.intp)
    place -= bins
    within = place if weight is None else weight * place
    return np.stack(
        [
            np.bincount(bins, weight, minlength=N_BINS),
            np.bincount(bins, within, minlength=N_BINS),
            np.bincount(bins, within * place, minlength=N_BINS),
        ]
    )


def _hits(x: FloatArray, weight: FloatArray, number: float, product: float) -> FloatArray:
    """Spread target rows over points, so that their number and their sum of x are as given."""
    total = weight.sum()
    middle = (weight * x).sum() / total
    square = (weight * (x - middle) ** 2).sum()
    slope = (product - number * middle) / square if square > 0.0 else 0.0
    return np.asarray(weight * (number / total + slope * (x - middle)))
