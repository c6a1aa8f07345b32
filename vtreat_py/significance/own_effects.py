"""p-values where groups react each in its own way, beside being alike.

A test that takes the effect of a column for the same in all groups has more to explain by chance
than it reckons with where that differs from group to group. How much it differs is told by the sums
of the groups, less what noise makes of them (the estimate by moments of R. DerSimonian and
N. Laird, "Meta-Analysis in Clinical Trials", Controlled Clinical Trials 7 (1986)). The p-value is
then that of a statistic divided by how much larger its variance is, with the degrees of freedom
that the estimate leaves (F. E. Satterthwaite, "An Approximate Distribution of Estimates of Variance
Components", Biometrics Bulletin 2 (1946)). Where groups differ no more than by chance it stays as
it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.statistics.outcome_sums import sum_by

# Growth of a variance that is as good as none.
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class CellSums:
    """Rows of each level in each group, and sums of their outcomes about what groups are at.

    Attributes
    ----------
    group, level : ndarray of int, shape (cells,)
    rows, total : ndarray of shape (cells,)
    """

    group: IntArray
    level: IntArray
    rows: FloatArray
    total: FloatArray


def sig_of_line(sig: float, product: FloatArray, square: FloatArray, variance: float) -> float:
    """p-value of a line, where that of each group may be as steep as it is.

    Parameters
    ----------
    sig : float
        p-value where all groups have the same line.
    product, square : ndarray of shape (groups,)
        Sums of x * y and of x**2 over the rows of each group, both about 0.
    variance : float
        Variance of y.

    Examples
    --------
    >>> square = np.full(20, 10.0)
    >>> sig_of_line(0.01, np.full(20, 3.0), square, 1.0)  # the same in all groups
    0.01
    >>> apart = np.tile([-4.0, 10.0], 10)
    >>> round(sig_of_line(0.01, apart, square, 1.0), 2)
    0.27
    """
    whole = float(square.sum())
    if not (whole > 0 and variance > 0):
        return sig
    share = square / whole
    squares, cubes = share @ share, share @ share**2
    scale = np.sqrt(variance) * np.sqrt(whole)
    left = (product - share * product.sum()) / scale
    own, slack = left @ left - (1.0 - squares), squares - 2.0 * cubes + squares * squares
    if not (own > 0 and slack > 0):
        return sig
    differs = own / slack * squares
    degrees = _degrees(squares * squares / (share**4).sum() - 1.0, 1.0, differs)
    z = stats.norm.isf(sig / 2.0) if sig > 0 else abs(product.sum()) / scale
    return max(sig, float(2.0 * stats.t.sf(z / np.sqrt(1.0 + differs), degrees)))


def sig_of_levels(sig: float, cells: CellSums, variance: float) -> float:
    """p-value of effects of levels, where those may be others in each group.

    Parameters
    ----------
    sig : float
        p-value where levels have the same effects in all groups.
    cells : CellSums
    variance : float
        Variance of the outcome of a row.
    """
    if not variance > 0:
        return sig
    unit, level, group = float(cells.rows.max()), cells.level, cells.group
    rows, total = cells.rows / unit, cells.total / (np.sqrt(variance) * np.sqrt(unit))
    n_levels = int(level.max()) + 1
    of_level, totals, squares = (sum_by(level, one, n_levels) for one in (rows, total, rows * rows))
    free = np.count_nonzero(of_level) - 1
    if free < 1:
        return sig
    own = _between(rows, total, level, group)
    if not own > 0:
        return sig
    some = np.flatnonzero(of_level)
    size = of_level[some]
    differs = own * squares[some] / size
    each = totals[some] ** 2 / size
    statistic, deflated = each.sum(), (each / (1.0 + differs)).sum()
    if not deflated > 0:
        return sig
    effective = (rows @ rows) ** 2 / (rows**4).sum()
    known = effective / len(rows) * (len(rows) - free - len(np.unique(group)))
    degrees = _degrees(known, free + 1.0, float(differs.sum()))
    x = (stats.chi2.isf(sig, free) if sig > 0 else statistic) * deflated / statistic
    return max(sig, float(stats.f.sf(x / free, free, degrees)))


def _between(rows: FloatArray, total: FloatArray, level: IntArray, group: IntArray) -> float:
    """Variance of the effects that a level has in groups, over that of a row."""
    left, noise, slack = total, rows, rows * rows
    for place in (level, group):
        share = rows / _together(rows, place)
        left = left - share * _together(left, place)
        noise = noise * (1.0 - share)
        slack = slack * (1.0 - 2.0 * share + _together(share * share, place))
    own, of_one = left @ left - noise.sum(), slack.sum()
    return float(own / of_one) if of_one > 0 else 0.0


def _together(values: FloatArray, place: IntArray) -> FloatArray:
    """For each value, the sum of those at its place."""
    return np.asarray(sum_by(place, values, int(place.max()) + 1)[place])


def _degrees(known: float, noise: float, differs: float) -> float:
    """Degrees of freedom of a sum of variances, of which one is known and one estimated."""
    return max(known, 1.0) * (1.0 + noise / max(differs, _LEAST)) ** 2
