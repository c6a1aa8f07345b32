"""Do two samples come from one population? Permutation tests: of shares, and of the range."""

from __future__ import annotations

import math

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Terms of a sum that are added up one by one.
_SUMMED = 1 << 12


def two_sample_test(then: FloatArray, now: FloatArray) -> float:
    """p-value of the hypothesis that two samples were drawn from one population.

    Parameters
    ----------
    then, now : ndarray of shape (m,)
        Rows of each cell (a level, or a bin of numbers) in the two samples. Weights that are not
        whole are rounded, those of cells of one row or less after they have made one cell.

    Returns
    -------
    float
        1 where a sample is empty, or all rows are in one cell.

    Notes
    -----
    Which sample a row belongs to is taken for an outcome of 0 and 1, and `level_effects_test` asks
    whether it depends on the cell: its statistic is compared with those when the rows are dealt to
    the two samples at random. So both samples may be small, and no cell needs a certain number of
    rows. Cells of one row would say nothing by themselves; together they make one cell, which has
    too many rows of one sample where that is full of values seen nowhere else. With few cells it is
    the chi-square test of two samples, with a better distribution.

    Examples
    --------
    >>> import numpy as np
    >>> round(two_sample_test(np.array([50.0, 30.0, 20.0]), np.array([35.0, 35.0, 30.0])), 3)
    0.082
    """
    # Of the weights as they are: many small ones, each rounded to 0, would not be seen.
    single = then + now <= 1.0
    then = np.rint(np.append(then[~single], then[single].sum()))
    now = np.rint(np.append(now[~single], now[single].sum()))
    both = np.array([then.sum(), now.sum()])
    if not both.all():
        return 1.0
    cells = OutcomeSums(then + now, now)
    return level_effects_test(
        cells, OutcomePowers.of_sample(Sample.of_values(np.array([0.0, 1.0]), both))
    )


def beyond_test(beyond: float, rows_then: float, rows_now: float) -> float:
    """p-value of so many rows of one sample beyond the largest (or smallest) value of another.

    Parameters
    ----------
    beyond : float
        Rows of the second sample that are beyond all of the first.
    rows_then, rows_now : float
        Rows of the two samples.

    Returns
    -------
    float
        The probability of as many or more if the rows come from one population and no two values
        are equal; it is smaller if some are.

    Notes
    -----
    At least k rows of the second sample are beyond the first if the k largest of all rows are in
    the second: ``m / (n + m) * (m - 1) / (n + m - 1) * ...``, k times (the exceedances of
    E. J. Gumbel and H. von Schelling, "The distribution of the number of exceedances", Annals of
    Mathematical Statistics 21, 1950).

    Examples
    --------
    >>> round(beyond_test(2, 3, 3), 6)  # 3/6 * 2/5
    0.2
    """
    k, n = round(beyond), round(rows_then)
    # Two products are the same: of as many factors as there are rows beyond, or rows then.
    return math.exp(-_sum_of_logs(float(max(k, n)), float(round(rows_now) - k), min(k, n)))


def _sum_of_logs(k: float, beside: float, n: int) -> float:
    """Sum of ``log(1 + k / (beside + i))`` for i from 1 to n; of very many by an integral."""
    some = min(n, _SUMMED)
    total = float(np.log1p(k / (beside + np.arange(1.0, some + 1.0))).sum())
    if n == some:
        return total
    # Each piece is at most as wide as it is far from 0, where the logarithm has no end.
    low, high = beside + some + 0.5, beside + n + 0.5
    ends = np.geomspace(low, high, 2 + int(np.log2(high / low)))
    half, middle = np.diff(ends)[:, None] / 2.0, (ends[1:] + ends[:-1])[:, None] / 2.0
    places, weights = np.polynomial.legendre.leggauss(16)
    return total + float((half * weights * np.log1p(k / (middle + half * places))).sum())
