"""Shapes of a numeric column as R vtreat's coders find them, from the rows.

Functions take the rows that have a good value, in any order: their numbers, outcomes and weights,
which are positive. ``spline_of_r`` has a file of its own.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.shape_code import log_odds
from vtreat_py.statistics.outcome_sums import sum_by

# Of so few rows or different numbers R makes neither segments nor a spline.
_TOO_FEW = 2
# Up to so many rows have one segment; of more, there are as many rows to each, or more.
_FEW_ROWS, _ROWS_TO_A_SEGMENT = 20, 10
_SEGMENTS = (1, 2, 4, 8, 16, 32, 64)
# A window has so many rows, a third of few ones, or this share of many.
_NO_WINDOW, _WINDOW, _WINDOWS = 10, 20, 10_000
# Numbers that are so near to each other are one.
_SAME = 1e-6
# Errors are so large by rounding, relative to the spread of the outcome; two that differ by less
# than this share of theirs are the same.
_ROUNDING, _TIE = 1e-13, 1e-12


def segments_of_r(x: FloatArray, y: FloatArray, weight: FloatArray, k: int) -> Curve:
    """Weighted least squares of a line that bends at about k places.

    Knots are the numbers in the first of ``k`` equally spaced places of the sorted rows, rounded
    half to even, without the largest number; it is the last one. R's basis is an intercept and,
    for each knot, a step that rises to the next; ours is a hat on each knot, which spans the same
    lines, so that predictions are the same. There is a row at each knot: the hats are independent
    (R's rule for coefficients that are not defined has no case).

    Parameters
    ----------
    x, y, weight : ndarray of shape (n,)
    k : int
        At least 1.

    Returns
    -------
    Curve
        Through the least number, the inner knots and the largest number.

    Notes
    -----
    Section 12.2, "fit with k segments", of what R vtreat does.
    """
    ordered, n = np.sort(x), len(x)
    places = np.rint(np.linspace(1, n, k)).astype(np.intp)
    inner = ordered[np.append(1, places[places < n]) - 1]
    knots = np.unique(np.append(inner, ordered[-1]))
    return Curve(knots, _heights(x, y, weight, knots))


def piecewise_of_r(x: FloatArray, y: FloatArray, weight: FloatArray) -> Curve | None:
    """Segments, as many as generalized cross-validation likes best.

    Up to 20 rows have k = 2. More have the k among 1, 2, 4, ..., 64 of which there are ten rows
    each and as many different numbers, with the least ``n * RSS / (n - p)^2``: RSS is the weighted
    sum of squared errors, p the number of knots.

    R fits each k to one random half of the rows, and takes the one that predicts the other half
    best, so that its plans differ from run to run. Ours do not: all rows have a say, and always
    the same. For a given k, the numbers are R's.

    Parameters
    ----------
    x, y, weight : ndarray of shape (n,)

    Returns
    -------
    Curve or None
        None of two rows or fewer, or of two different numbers or fewer.

    Notes
    -----
    Section 12.2, solve_piecewise, of what R vtreat does; the score is that of Craven and Wahba
    (1979), "Smoothing noisy data with spline functions", Numerische Mathematik 31.
    """
    if is_too_small(x):
        return None
    n = len(x)
    if n <= _FEW_ROWS:
        return segments_of_r(x, y, weight, 2)
    order = np.argsort(x, kind="stable")
    x, y, weight = x[order], y[order], weight[order] / weight.mean()
    most = min(n / _ROWS_TO_A_SEGMENT, len(np.unique(x)))
    curves = [segments_of_r(x, y, weight, k) for k in _SEGMENTS if k <= most]
    rounding = n * (_ROUNDING * np.abs(y - y.mean()).max()) ** 2
    scores = [
        max(float((weight * (y - curve(x)) ** 2).sum()), rounding) / (n - len(curve.x)) ** 2
        for curve in curves
    ]
    return curves[int(np.argmin(scores))]


def window_of_r(x: FloatArray, y: FloatArray) -> FloatArray | None:
    """Mean outcome of the rows around each row, along x.

    Of the sorted rows, the k before position ``i + (k + 1) // 2`` are those around row i (the
    first being 0), or as many of them as there are; k is 20 or a third of the rows, whichever is
    less, and at least 1 in 10,000. Weights have no part, as in R.

    R sorts rows of equal x at random. Here each counts with the mean outcome of its equals, and
    gets the mean of what their positions get, so that the order of rows has no part.

    Parameters
    ----------
    x, y : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,) or None
        A value for each row, in the order given; None of ten rows or fewer.

    Notes
    -----
    Section 12.2, square_window, of what R vtreat does.
    """
    n = len(x)
    if n <= _NO_WINDOW:
        return None
    k = max(min(_WINDOW, n // 3), -(-n // _WINDOWS))
    _, place, equals = np.unique(x, return_inverse=True, return_counts=True)
    along = np.repeat(sum_by(place, y, len(equals)) / equals, equals)
    end = np.arange(n) + (k + 1) // 2
    start, end = np.maximum(end - k, 0), np.minimum(end, n)
    low = along.min()
    sums = np.append(0.0, np.cumsum(along - low))
    means = low + (sums[end] - sums[start]) / (end - start)
    by_number = np.add.reduceat(means, np.cumsum(equals) - equals) / equals
    return np.asarray(by_number[place])


def isotonic_of_r(x: FloatArray, y: FloatArray, weight: FloatArray) -> Curve:
    """Weighted isotonic regression, rising or falling, whichever has the smaller squared error.

    If both have the same, it rises; see `monotone_of_r`.

    Parameters
    ----------
    x, y, weight : ndarray of shape (n,)

    Returns
    -------
    Curve
        Through all different numbers.

    Notes
    -----
    Section 12.4, Isotone, of what R vtreat does.
    """
    rising, falling = (monotone_of_r(x, y, weight, increasing=up) for up in (True, False))
    w = weight / weight.max()
    risen, fallen = (float((w * (y - curve(x)) ** 2).sum()) for curve in (rising, falling))
    return falling if fallen < risen * (1.0 - _TIE) else rising


def monotone_of_r(x: FloatArray, y: FloatArray, weight: FloatArray, *, increasing: bool) -> Curve:
    """Weighted isotonic regression in one direction.

    Numbers within 1e-6 of each other have the same value, as in R. Two things keep what is equal
    small, where R could make one value of a whole column: those of a range below 1 are within 1e-6
    of the range, and no chain of near numbers is wider than two are apart.

    Parameters
    ----------
    x, y, weight : ndarray of shape (n,)
    increasing : bool

    Returns
    -------
    Curve
        Through all different numbers.

    Notes
    -----
    Section 12.4, solveNonDecreasing and solveNonIncreasing, of what R vtreat does.
    """
    knots, at_knot = np.unique(x, return_inverse=True)
    with np.errstate(over="ignore"):
        group = near_ones(knots, _SAME * min(float(knots[-1] - knots[0]), 1.0))
    place, centre = group[at_knot], np.average(y, weights=weight)
    total = sum_by(place, weight, group[-1] + 1)
    mean = sum_by(place, weight * (y - centre), len(total)) / total
    values = isotonic_regression(mean, weights=total, increasing=increasing).x
    return Curve(knots, centre + values[group])


def in_log_odds(values: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
    """Log odds of rates, less those of the weighted mean of y, which is 0 or 1.

    Rates are kept 1e-6 from 0 and 1 first.

    Parameters
    ----------
    values : ndarray
    y, weight : ndarray of shape (n,)

    Returns
    -------
    ndarray
        As ``values``.

    Notes
    -----
    Section 12.2, solve_piecewisec, square_windowc and spline_variablec, of what R vtreat does.
    """
    overall = np.average(y, weights=weight)
    return log_odds(values) - log_odds(np.asarray(overall))


def is_too_small(x: FloatArray) -> bool:
    """Whether there are two rows or fewer, or two different numbers or fewer."""
    return len(np.unique(x)) <= _TOO_FEW


def near_ones(ordered: FloatArray, same: float) -> IntArray:
    """Group of each of some ordered numbers, from 0: those as near as said, by the same multiple.

    Groups are at most that wide, where chains of near ones could be as long as the column.
    """
    with np.errstate(all="ignore"):  # of the largest numbers, and the smallest distances
        multiple = np.rint(ordered / same)
        is_apart = (np.diff(ordered) > same) | (multiple[1:] != multiple[:-1])
    return np.cumsum(np.append(0, is_apart))


def _heights(x: FloatArray, y: FloatArray, weight: FloatArray, knots: FloatArray) -> FloatArray:
    """Values at the knots of the line that bends there and fits best."""
    m = len(knots)
    left = np.searchsorted(knots, x, side="right") - 1
    right = np.minimum(left + 1, m - 1)
    with np.errstate(over="ignore", invalid="ignore"):
        rise = (x - knots[left]) / np.append(np.diff(knots), 1.0)[left]
    rise = np.nan_to_num(rise)  # 0 where floats do not hold the distance, as of a `Curve`
    w, centre = weight / weight.max(), np.average(y, weights=weight)
    fall, off = 1.0 - rise, y - centre
    size = np.sqrt(sum_by(left, w * fall**2, m) + sum_by(right, w * rise**2, m))
    beside = sum_by(left, w * fall * rise, m)[:-1] / (size[:-1] * size[1:])
    goal = sum_by(left, w * fall * off, m) + sum_by(right, w * rise * off, m)
    inner = np.eye(m) + np.diag(beside, 1) + np.diag(beside, -1)
    return np.asarray(centre + np.linalg.lstsq(inner, goal / size)[0] / size)
