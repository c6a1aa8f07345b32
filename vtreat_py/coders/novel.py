"""What is believed of levels that were never seen."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.likelihood import Likelihood, Point
from vtreat_py.coders.unseen import MOST_ROWS, log_rows_of_one
from vtreat_py.statistics.outcome_sums import ROUNDING

# Variances by chance that the square of a slope, or of what is beyond the line, must exceed to be
# believed at all.
_CLEARLY = 4.0
# Fewer levels do not tell how they go with sizes.
_FEW = 20


def novel_mean(likelihood: Likelihood, alone: FloatArray | None) -> FloatArray:
    """Mean of levels never seen, less the mean of levels, in units.

    A row of a level that was never seen is as a row of a level that, but for it, would not have
    been seen (I. Good, "The Population Frequencies of Species and the Estimation of Population
    Parameters", Biometrika 40 (1953)). So it is the mean of the levels of one row, believed as far
    as there are rows of them, each of which varies as levels do, too, and as that is farther than
    by chance from where a line through the sizes of all levels puts it, if there is one: clearly
    farther then, also beside how far those rows are from one another (C. Morris, "Parametric
    Empirical Bayes Inference", JASA 78 (1983)).

    Parameters
    ----------
    likelihood : Likelihood
    alone : ndarray of shape (training sets,) or None
        How many levels of one row are as good as independent; None: all.

    Returns
    -------
    ndarray of shape (training sets,)
    """
    point = likelihood.point
    once = np.where(_whole_rows(likelihood.size) <= 1.0, likelihood.size, 0.0)
    if not once.any():
        return np.zeros_like(point.ratio)
    rows, total, square = (once[:, None] @ likelihood.powers)[:, 0].T
    known = np.where(rows > 0, rows, 1.0)
    between, more = point.ratio, np.ones_like(point.ratio)
    if alone is not None:  # what is inside levels does not average out with so many of them
        rows = np.minimum(rows, alone)
        more = (between + known / np.where(rows > 0, rows, 1.0)) / (1.0 + between)
    differ, by_size = (rows > 0) & (between > 0), np.zeros_like(between)
    told = differ & ~likelihood.exact & (likelihood.n_levels >= _FEW)
    told &= not likelihood.of_class  # a line might leave the range of rates
    by_chance = point.within * (1.0 + between)
    if told.any():
        by_size = np.where(told, _of_one_row(likelihood, point, more), 0.0)
        n_levels = ((once > 0) * likelihood.powers[:, :, 0]).sum(axis=1)
        apart = _variance(n_levels, square - total * total / known)
        by_chance = np.where(told, _CLEARLY * np.maximum(by_chance, apart), by_chance)
    off = np.where(differ, total / known - point.off - by_size, 0.0)
    by_chance = by_chance * more / known
    beyond = off * off > by_chance
    farther = np.where(beyond, off - by_chance / np.where(beyond, off, 1.0), 0.0)
    # Between levels is so much, inside so much of what a row varies.
    farther *= rows * between / ((rows + 1.0) * between + 1.0)
    return np.asarray(by_size + farther)


def _variance(n: FloatArray, squares: FloatArray) -> FloatArray:
    """Variance by squares about a mean of n; without end if they do not tell it."""
    return np.where(n > 1.0, squares / np.maximum(n - 1.0, 1.0), np.inf)


def _of_one_row(likelihood: Likelihood, point: Point, more: FloatArray) -> FloatArray:
    """How far levels of one row are from the mean of all, by a line through logarithms of sizes.

    Their sum varies ``more`` times as much as if they were independent.

    The slope is believed as far as it is larger than by chance, also if levels vary about the line
    as these do (F. Eicker, "Limit Theorems for Regressions with Unequal and Dependent Errors",
    1967). A level of which one row was seen has more on average (`log_rows_of_one`).
    """
    size, (count, total, squares) = likelihood.size, likelihood.powers.transpose(2, 0, 1)
    log, whole = np.log(np.where(size > 0, size, 1.0)), _whole_rows(size)
    precision = size / (1.0 + size * point.ratio[:, None])
    mean = (precision * count * log).sum(axis=1) / point.precision
    along = log - mean[:, None]
    spread = (precision * count * along * along).sum(axis=1)
    product = (precision * (total - point.off[:, None] * count) * along).sum(axis=1)
    line = along * (product / np.where(spread > 0, spread, 1.0))[:, None] + point.off[:, None]
    about_line = squares - line * (2.0 * total - line * count)
    tells = np.where(whole <= 1.0, more[:, None], 1.0) * precision * along * along
    by_model = point.within * (tells * count).sum(axis=1)
    by_chance = _CLEARLY * np.maximum(by_model, (tells * precision * about_line).sum(axis=1))
    beyond = product * product > by_chance
    slope = (product - by_chance / np.where(beyond, product, 1.0)) / np.where(beyond, spread, 1.0)
    n_levels = [(count * (whole == k)).sum(axis=1) for k in range(1, MOST_ROWS + 1)]
    rows = log_rows_of_one(np.stack(n_levels, axis=1))
    return np.asarray(np.where(beyond, slope * (rows - mean), 0.0))


def _whole_rows(size: FloatArray) -> FloatArray:
    """Rows of levels: sums of fractions may be a little more."""
    return np.ceil(size * (1.0 - ROUNDING))
