"""Tests of rates: counts and exposures are permuted together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.significance.level_effects import deciding_prior, level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.row_tests import correlation_of, sample_of
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

# Of two numbers, that with little of the exposure has fewer events than its rows let one think.
_LITTLE = 1.1
# So many of them are many.
_MANY = 10.0
# Variances below this share of their parts are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class RateTests:
    """Tests of residuals: what was counted in a row, less what its exposure lets one expect.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Rates of the rows that count.
    exposure : ndarray of shape (n,)
        Of each.
    weight : ndarray of shape (n,) or None
        Their weights, above 0; None: 1 each.
    counts_rows : bool
        Whether weights are numbers of rows. If not, only their ratios count.
    overall : float or None
        Rate of all rows, where the rates given are what a trend, or parts of levels, leave of them.
    information : callable or None
        Of times to an event whose weights count rows: variance of the sum of products of residuals
        and numbers, by who is at risk when.

    Notes
    -----
    The residual of a row varies as its exposure does. Where exposures go with a column, a statistic
    varies more, or less, than under permutations of all rows. Counts whose variance is a multiple
    of their mean tell how much (P. McCullagh and J. Nelder, *Generalized Linear Models* (1989),
    chapter 6; for times to an event, of which an exposure is the cumulative hazard, the multiple
    is 1), and the statistic is divided by the root of that ratio. So this is a studentised
    permutation test (E. Chung and J. P. Romano, "Exact and asymptotically robust permutation
    tests", Annals of Statistics 41 (2013)): exact where exposures do not go with the column, but
    for chance, and right for many rows where they do.
    """

    y: NumberArray
    exposure: FloatArray
    weight: FloatArray | None = None
    counts_rows: bool = True
    overall: float | None = None
    information: Callable[[FloatArray], float] | None = None

    @cached_property
    def _rows(self) -> FloatArray | None:
        return self.weight if self.counts_rows else None

    @cached_property
    def _exposed(self) -> FloatArray:
        """Exposure, times weights that do not count rows: a mean of 1."""
        exposure = self.exposure
        if not self.counts_rows and self.weight is not None:
            exposure = exposure * self.weight
        return np.asarray(exposure / np.average(exposure, weights=self._rows))

    @cached_property
    def _varies(self) -> FloatArray:
        """What variances of residuals are proportional to: a mean of 1."""
        if self.counts_rows or self.weight is None:
            return self._exposed
        varies = self._exposed * self.weight
        return np.asarray(varies / varies.mean())

    @cached_property
    def rate(self) -> float:
        """Events over exposures, of all rows."""
        weight = self._exposed if self._rows is None else self._rows * self._exposed
        return float(np.average(self.y, weights=weight))

    @cached_property
    def residual(self) -> FloatArray:
        """Counted less expected, times weights that do not count rows."""
        return np.asarray(self._exposed * (self.y - self.rate))

    @cached_property
    def _sample(self) -> Sample:
        return sample_of(self.residual, self._rows)

    @cached_property
    def _powers(self) -> OutcomePowers:
        return OutcomePowers.of_sample(self._sample)

    def correlation(self, x: FloatArray) -> float:
        """p-value of the hypothesis that the rate does not go up or down with numbers."""
        rows = self._rows
        exposed = self._exposed if rows is None else rows * self._exposed
        varies = self._varies if rows is None else rows * self._varies
        apart = x - float(np.average(x, weights=exposed))
        left = self.residual if rows is None else rows * self.residual
        product, spread = float((left * apart).sum()), float((varies * apart * apart).sum())
        if self.information is not None and math.isfinite(self._sample.spread):
            spread = self.information(apart) / self._sample.spread**2
        rate = self.rate if self.overall is None else self.overall
        return rate_correlation(product, spread, sample_of(x, rows), self._sample, rate)

    def level_effects(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the rate does not depend on the level."""
        if self.information is not None and level.min() < level.max():
            is_last = level == level.max()
            if (is_last | (level == level.min())).all():
                return self.correlation(is_last.astype(np.float64))
        levels = OutcomeSums.of_rows(level, n_levels, self.residual, self._rows)
        varies = self._varies if self._rows is None else self._rows * self._varies
        total, squares = (sum_by(level, v, n_levels) for v in (varies, varies * self._varies))
        return rate_effects(levels, total, squares, self._powers)


def rate_correlation(
    product: float, spread: float, x: Sample, residual: Sample, rate: float
) -> float:
    """p-value of the hypothesis that residuals do not go up or down with numbers.

    Parameters
    ----------
    product : float
        Sum of products of residuals and numbers, which are apart from their mean by exposure.
    spread : float
        Sum of squares of those numbers, times what variances of residuals are proportional to.
    x, residual : Sample
        Of the rows.
    rate : float
        Of all rows, in the unit of the residuals.

    Notes
    -----
    Where rows of one of two numbers have little of the exposure, permutations of rows have tails
    that are too short: what few events they have are then counted as binomial, too, given all.
    """
    deviation = math.sqrt(spread / x.n_rows)
    ratio = x.spread / deviation if deviation > 0.0 and math.isfinite(x.spread) else 0.0
    p = correlation_of(ratio * product, x.spread, lambda: x, residual)
    if len(x.given) == 2 and ratio > _LITTLE and math.isfinite(residual.spread):
        p = max(p, _by_share(product, spread, x, residual, rate))
    return p


def _by_share(product: float, spread: float, x: Sample, residual: Sample, rate: float) -> float:
    """p-value of the share of events that the rows of one of two numbers have, if it is small.

    They have the smaller share of the exposure. Events that vary more than those of Poisson count
    as fewer, which vary like them. 0 where many are expected, for tails are then those of a normal
    distribution, but for the steps.
    """
    apart = abs(float(x.given[1] - x.given[0]))
    share = 0.5 - math.sqrt(max(0.25 - spread / (x.n_rows * apart * apart), 0.0))
    events = x.n_rows * (rate / residual.spread) ** 2
    expected, excess = share * events, abs(product) / (apart * x.n_rows * rate) * events
    if expected >= _MANY:
        return 0.0
    fewer = 1.0 - _reached(expected - excess + 1.0, events, share)
    return min(_reached(expected + excess, events, share) + fewer, 1.0)


def _reached(least: float, events: float, share: float) -> float:
    """Probability that so many of all events are in a share of the exposure."""
    if least <= 0.0:
        return 1.0
    return float(special.betainc(least, events - least + 1.0, share)) if least <= events else 0.0


def rate_effects(
    levels: OutcomeSums, varies: FloatArray, own: FloatArray, powers: OutcomePowers
) -> float:
    """p-value of the hypothesis that residuals do not depend on the level.

    Parameters
    ----------
    levels : OutcomeSums
        Of residuals, by level.
    varies, own : ndarray of shape (levels,)
        Sums of what variances of residuals are proportional to, and of its squares.
    powers : OutcomePowers
        Of the residuals.
    """
    some = np.flatnonzero(levels.weight)
    levels = levels.take(some)
    ratio = math.sqrt(_ratio(levels.weight, varies[some], own[some]))
    # The statistic is a sum of squares and products of outcomes.
    total, squares = levels.total / math.sqrt(ratio), levels.squares / ratio
    return level_effects_test(OutcomeSums(levels.weight, total, squares), powers)


def _ratio(n: FloatArray, varies: FloatArray, own: FloatArray) -> float:
    """Variance of the statistic, over that if all rows were of the mean exposure."""
    together, count = np.unique(n[n > 1.0], return_counts=True)
    if not len(together):
        return 1.0
    c = 1.0 / (n + deciding_prior(together, count))
    found, if_alike = _variance(c, varies, own), _variance(c, n, n)
    # Where one row has all but nothing of the exposure, rounding is left.
    are_numbers = found > _ROUNDING * ((c * varies) ** 2).sum() and if_alike > _ROUNDING
    return found / if_alike if are_numbers else 1.0


def _variance(c: FloatArray, v: FloatArray, own: FloatArray) -> float:
    """Half the variance of a sum of ``c * (square of the sum of residuals - sum of squares)``.

    Over levels in which residuals are independent and normal, of variances that sum to ``v`` and
    whose squares sum to ``own``, less what all have in common.
    """
    of_mean = c * v * v / v.sum()
    between = (c * v) ** 2 - c * c * own - 2.0 * c * v * of_mean
    return float(between.sum() + of_mean.sum() ** 2)
