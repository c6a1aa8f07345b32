"""Scores of derived variables: functions of moments and fits, the same wherever the rows are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.lev import indicator_moments, indicator_points
from vtreat_py.design.context import DesignContext
from vtreat_py.plan.variables import OutcomeScore
from vtreat_py.significance.linear import linear_score, linear_slope
from vtreat_py.significance.logistic import PointSums, logistic_fit, logistic_score
from vtreat_py.significance.logistic_bins import NumberBins
from vtreat_py.significance.newton import RegressionFit, fits_may_be_rough
from vtreat_py.significance.poisson import poisson_fit
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.outcome_sums import OutcomeSums


def score(
    context: DesignContext,
    moments: Moments,
    fit: RegressionFit | None,
    sample: Callable[[int], Sample],
    reach: float = math.inf,
    by_rows: Callable[[int], float | None] | None = None,
) -> Score:
    """Score variables on all rows, given their moments and, for a class, their regressions.

    ``sample`` gives one of them over all rows, ``reach`` is their largest standardised size;
    ``by_rows`` gives the p-value of one where that takes rows, None where they are not kept.
    """
    if not context.supervised:
        none = np.zeros(len(moments.weight))
        return Score(none, none, none + 1.0)
    result = by_regression(context, moments, fit)
    if context.is_binary and not context.link_slopes:
        result = replace(result, slope=linear_slope(moments))
    if context.calibrated is None:
        return result
    if context.tests_rows and by_rows is not None:
        found = [by_rows(k) for k in range(len(moments.weight))]
        if None not in found:
            return replace(result, sig=np.array(found))
    return replace(result, sig=context.calibrated.correlation(moments, sample, reach))


def by_regression(
    context: DesignContext, moments: Moments | None, fit: RegressionFit | None
) -> Score:
    """Score variables by the outcome's own regression; it asks for one of the two."""
    if context.has_link:
        assert fit is not None
        return logistic_score(fit, unit=context.outcome.mean_exposure)
    assert moments is not None
    return linear_score(moments)


def by_values(context: DesignContext, values: FloatArray, sums: OutcomeSums) -> Score:
    """Score a variable by regression, of which the sums of the rows of each value are known.

    Slopes are rough where values are many.
    """
    if not context.has_link:
        return by_regression(context, Moments.over_points(values, sums), None)
    fit = _binned_fit(context, values, sums)
    if fit is None:
        fit = regression(context, (values[None], sums.weight[None], sums.total[None]))
    return by_regression(context, None, fit)


def _binned_fit(
    context: DesignContext, values: FloatArray, sums: OutcomeSums
) -> RegressionFit | None:
    """Fit a class, or a rate, on many values by narrow bins of these; None if that will not do."""
    if not fits_may_be_rough(len(values), slopes_wanted=False):
        return None
    moments = Moments.over_points(values, sums)
    counted = values if sums.weight.all() else values[sums.weight > 0]
    low, high = float(counted.min()), float(counted.max())
    bins = NumberBins.of(values, None, sums.weight, moments, (low, high))
    if bins is None:
        return None
    if context.is_rate:
        null_deviance = _null_deviance(context, float(sums.weight.sum()))
        return bins.fit_rate(sums.mean, moments, None, null_deviance)
    reach = np.abs(np.array([low, high]) - moments.x[0]).max(keepdims=True)
    return bins.fit(sums.mean, moments, reach, None)


def regression(context: DesignContext, points: PointSums) -> RegressionFit | None:
    """Fit a class, or a rate, on variables by their values; None for numbers."""
    if context.is_binary:
        return logistic_fit(*points)
    return rate_regression(context, points) if context.is_rate else None


def rate_regression(context: DesignContext, points: PointSums) -> RegressionFit:
    """Fit a rate, given exposures and events."""
    x, exposure, events = points
    some = events.shape[1] if exposure is None else float(exposure[0].sum())
    return poisson_fit(x, exposure, events, _null_deviance(context, some))


def _null_deviance(context: DesignContext, weight: float) -> float:
    """What rows of a weight have as their share of what a rate deviates by without variables."""
    outcome = context.outcome
    every = len(outcome.y) if outcome.weight is None else float(outcome.weight.sum())
    return outcome.null_deviance * weight / every


def slopes(context: DesignContext, moments: Moments, points: PointSums | None) -> FloatArray:
    """y-aware slopes alone; points are looked at where they are in link units."""
    if not context.supervised:
        return np.zeros(len(moments.weight))
    if not context.link_slopes:
        return linear_slope(moments)
    assert points is not None
    x, total, hits = points
    fit = poisson_fit if context.is_rate else logistic_fit
    if total is None:
        return fit(x, None, hits).slope
    slope, known = np.zeros(len(total)), total.sum(axis=1) > 0  # some folds have no past
    if known.any():
        slope[known] = fit(x[known], total[known], hits[known]).slope
    return slope


def mark_moments(sums: NumericSums) -> Moments:
    """Moments of the mark of bad values."""
    return indicator_moments(sums.bad, sums.outcome())


def mark_fit(context: DesignContext, sums: NumericSums) -> RegressionFit | None:
    """Regression of a class, or a rate, on the mark of bad values."""
    return regression(context, _mark_points(sums))


def mark_slopes(context: DesignContext, sums: NumericSums) -> FloatArray:
    """y-aware slopes of the mark of bad values in several groups of rows."""
    return slopes(context, mark_moments(sums), _mark_points(sums))


def _mark_points(sums: NumericSums) -> PointSums:
    return indicator_points(sums.bad, sums.outcome())


def outcome_score(
    context: DesignContext, scores: Score | None = None, place: int = 0
) -> OutcomeScore:
    """Label one of several scores with the class it is for; without scores, the worst one."""
    target = None if context.class_number is None else context.outcome.target
    if scores is None:
        return OutcomeScore(target)
    return OutcomeScore(target, float(scores.rsq[place]), float(scores.sig[place]))


def combined_slopes(slopes: Sequence[FloatArray]) -> FloatArray:
    """One y-aware slope from those of each contrast.

    Several classes give the length of the vector of slopes: distances in a frame scaled so are
    those in the frame that has a copy of the variable for each class, each scaled for it.
    """
    if len(slopes) == 1:
        return slopes[0]
    return np.asarray(np.sqrt(np.sum(np.square(slopes), axis=0)))
