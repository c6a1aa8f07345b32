"""Does one level of a categorical column differ from all the others? One test a level."""

from __future__ import annotations

import numpy as np
from scipy import stats

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.fisher import fisher_exact
from vtreat_py.statistics.outcome_sums import weight_left

# R vtreat's rule: the exact test where a cell of the 2x2 table holds at most this many rows.
_SMALL_CELL = 10.0
# Sums of weights this close to a whole or half row are that.
_ROUNDING = 1e-9


def class_level_test(
    level_hits: FloatArray, level_weight: FloatArray, hits: FloatArray, weight: FloatArray
) -> FloatArray:
    """p-value of the 2x2 table "has the level" by "is the target".

    Parameters
    ----------
    level_hits, level_weight : ndarray of shape (m,)
        Weight of the target rows, and of all rows, of each level.
    hits, weight : ndarray of shape (m,)
        The same over all levels.

    Returns
    -------
    ndarray of shape (m,)
        Fisher's exact test on the table rounded to whole rows where a cell is at most 10, the
        chi-square test with Yates' correction elsewhere; 1 where level or target is constant.
    """
    rest = hits - level_hits
    cells = np.stack([level_hits, level_weight - level_hits, rest, weight - level_weight - rest])
    has_others = weight_left(weight, level_weight) > 0
    constant = (level_weight <= 0) | ~has_others | (hits <= 0) | (hits >= weight)
    p = np.ones(len(level_hits))
    exact = ~constant & (cells.min(axis=0) <= _SMALL_CELL + _ROUNDING)
    large = ~constant & ~exact
    p[exact] = fisher_exact(_whole_rows(cells[:, exact]))
    p[large] = chi_square_yates(cells[:, large])
    return p


def _whole_rows(cells: FloatArray) -> FloatArray:
    """Round to whole rows; half a row alike, whichever way its sum was rounded."""
    halves = np.floor(cells) + 0.5
    return np.rint(np.where(np.abs(cells - halves) < _ROUNDING, halves, cells))


def chi_square_yates(cells: FloatArray) -> FloatArray:
    """p-values of 2x2 tables, given as four rows of cells, with Yates' correction."""
    a, b, c, d = cells
    n = a + b + c + d
    deviation = np.abs(a * d - b * c) / n  # |observed - expected| is the same in all cells
    margins = np.stack([(a + b) * (a + c), (a + b) * (b + d), (c + d) * (a + c), (c + d) * (b + d)])
    statistic = (deviation - np.minimum(0.5, deviation)) ** 2 * (n / margins).sum(axis=0)
    return np.asarray(stats.chi2.sf(statistic, 1))


def numeric_level_test(
    level_weight: FloatArray,
    level_mean: FloatArray,
    weight: FloatArray,
    mean: FloatArray,
    squares: FloatArray,
    n_rows: FloatArray,
) -> FloatArray:
    """p-value of the F test of y on "has the level".

    Parameters
    ----------
    level_weight, level_mean : ndarray of shape (m,)
        Weight of each level and mean of y in it.
    weight, mean, squares : ndarray of shape (m,)
        Weight, mean and sum of squares about the mean over all levels.
    n_rows : ndarray of shape (m,)
        Number of rows, for the degrees of freedom.

    Returns
    -------
    ndarray of shape (m,)
        p-values; NaN where the test is undefined (the level covers all rows, or too few rows).
    """
    rest = weight_left(weight, level_weight)
    defined = (rest > 0) & (level_weight > 0) & (n_rows > 2)
    between = level_weight * (level_mean - mean) ** 2 * weight / np.where(defined, rest, 1.0)
    within = np.maximum(squares - between, 0.0)
    df = np.where(defined, n_rows - 2.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = between / (within / df)
    p = stats.f.sf(f, 1.0, df)
    return np.asarray(np.where(defined, p, np.nan))
