"""Do the levels of a column differ in the outcome? One permutation test a column."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.significance.draws import (
    MOST_DRAWN_FROM,
    UNDECIDED,
    different_rows,
    p_value_by_draws,
)
from vtreat_py.significance.fisher import fisher_exact
from vtreat_py.significance.outliers import has_outliers, p_value_with_outliers
from vtreat_py.significance.pearson import upper_tail
from vtreat_py.significance.permutation_moments import OutcomePowers, shape_of_pairs
from vtreat_py.significance.sample import POWERS, Sample
from vtreat_py.statistics.outcome_sums import ROUNDING, OutcomeSums

# The test is most powerful where so many levels' worth of evidence decides.
_DECIDING_LEVELS = 8.0
# Variance of the statistic below this share of its square is rounding.
_ROUNDING = 1e-13
# So few rows of one of two classes, or in levels of more than one row, are drawn.
_FEW_ROWS = 64
# Two levels have an exact test up to so many of them.
_MANY_HITS = 10_000
# The last step towards where eight decide, relative to where that is.
_CLOSE = 1e-9

# Floats hold the eighth power of so many rows.
_MOST_ROWS = 1e30

# Gives so many independent draws of the statistic.
Draw = Callable[[int], FloatArray]


def level_effects_test(levels: OutcomeSums, powers: OutcomePowers) -> float:
    """p-value of the hypothesis that the outcome does not depend on the level.

    Parameters
    ----------
    levels : OutcomeSums
        Sums of the outcome in each level.
    powers : OutcomePowers
        Power sums of the same outcome over all rows.

    Returns
    -------
    float
        1 where there are fewer than two levels or eight rows, or no level has two rows.

    Notes
    -----
    The statistic is ``Q = sum_j c_j * sum of y_a * y_b over pairs of different rows of level j``,
    with y centred and ``c_j = 1 / (n_j + k)``. With k = 0 it orders columns as the between-level
    sum of squares does, with a large k as the score statistic of a variance component; in
    between it is the point-optimal statistic for level effects whose variance is 1/k of that
    inside levels. k is set where eight levels' worth of evidence decides, by the sizes of the
    levels alone. Leaving out the squares of single rows takes the outcome's tails out of the
    statistic.

    Its distribution, when outcomes are permuted among the rows, is matched by the Pearson curve
    with its exact mean, variance, skewness and kurtosis, closed forms in the level sizes and the
    outcome's power sums. With few rows of one of two classes it lies on points too far apart for
    a curve; then the levels of those rows are drawn, or with two levels it is Fisher's exact test.
    With few rows in levels of more than one row the outcomes of those rows are drawn. Where one row
    has more than a twentieth of the sum of squares, see `p_value_with_outliers`.

    M. L. King, "Towards a theory of point optimal testing", Econometric Reviews 6 (1987);
    P. W. Mielke, K. J. Berry and G. W. Brier, "Application of multi-response permutation
    procedures for examining seasonal changes in monthly mean sea-level pressure patterns",
    Monthly Weather Review 109 (1981), for matching permutation moments (three of them).

    Examples
    --------
    >>> import numpy as np
    >>> level = np.repeat([0, 1, 2], 40)
    >>> y = np.tile([0.0, 1.0, 2.0, 3.0], 30) + 0.5 * (level == 2)
    >>> powers = OutcomePowers.of_sample(Sample.of_values(y))
    >>> p = level_effects_test(OutcomeSums.of_rows(level, 3, y), powers)
    >>> round(p, 3)
    0.079
    """
    if not levels.weight.all():
        levels = levels.take(np.flatnonzero(levels.weight))
    if powers.weight > _MOST_ROWS:
        levels, powers = _of_fewer_rows(levels, powers)
    size = levels.weight
    if len(size) < 2 or not (size > 1).any() or powers.weight < POWERS:
        return 1.0
    sizes, count = np.unique(size, return_counts=True)
    together = sizes > 1
    prior = deciding_prior(sizes[together], count[together])
    shape = shape_of_pairs(1.0 / (sizes + prior), sizes, count.astype(np.float64), powers)
    if not shape.variance > _ROUNDING * shape.mean**2:
        return 1.0

    def tail(statistic: float) -> float:
        deviation = (statistic - shape.mean) / math.sqrt(shape.variance)
        return upper_tail(deviation, shape.skewness, shape.kurtosis)

    coefficient = 1.0 / (size + prior)
    total = levels.total + size * (levels.centre - powers.mean)
    pairs = (total * total * (1.0 - 1.0 / size) - levels.squares) / powers.spread**2
    statistic = float((coefficient * pairs).sum())
    many_rows = size[size > 1].sum() > _FEW_ROWS
    if many_rows and levels.inner is not None and has_outliers(powers.sample):
        p = p_value_with_outliers(statistic, coefficient, size, powers.sample)
        return max(p, _least(sizes, count))
    p = tail(statistic)
    if p < UNDECIDED:
        hits = levels.total if levels.inner is None else None
        exact = _exact(coefficient, size, hits, powers.sample)
        if isinstance(exact, float):
            return exact
        if exact is not None:
            p = p_value_by_draws(exact, statistic, tail)
    return max(p, _least(sizes, count))


def _of_fewer_rows(levels: OutcomeSums, powers: OutcomePowers) -> tuple[OutcomeSums, OutcomePowers]:
    """Scale sums of more rows than can be multiplied; p-values of both are 0, but for rounding."""
    unit = _MOST_ROWS / powers.weight
    inner = None if levels.inner is None else levels.inner * unit
    fewer = replace(levels, weight=levels.weight * unit, total=levels.total * unit, inner=inner)
    y = powers.sample
    sample = replace(y, weight=y.rows * unit, n_rows=y.n_rows * unit)
    sums = tuple(total * unit for total in powers.sums)
    return fewer, replace(powers, weight=powers.weight * unit, sums=sums, sample=sample)


def _exact(
    coefficient: FloatArray, size: FloatArray, hits: FloatArray | None, y: Sample
) -> float | Draw | None:
    """p-value, or what to draw, where the statistic lies on points too far apart for a curve."""
    if hits is not None:
        hits = _whole(hits, size)
        rarer = float(min(hits.sum(), (size - hits).sum()))  # few are lost beside many in a sum
        if len(size) == 2 and rarer <= _MANY_HITS:
            return float(fisher_exact(np.append(hits, size - hits)[:, None])[0])
        if 0 < rarer <= _FEW_ROWS:
            return _draws_of_hits(coefficient, size, rarer)
    paired = size > 1
    if size[paired].sum() <= _FEW_ROWS:
        return _draws_of_outcomes(coefficient[paired], size[paired].astype(np.intp), y.upright)
    return None


def _whole(hits: FloatArray, size: FloatArray) -> FloatArray:
    """Hits that are whole rows but for the rounding of shares: tests count no part of one."""
    whole = np.rint(hits)
    return np.where(np.abs(hits - whole) <= ROUNDING * size, whole, hits)


def _least(size: FloatArray, count: IntArray) -> float:
    """One over the number of ways to deal the rows to the levels: no p-value is smaller.

    Levels of one size may change places.
    """
    ways = special.gammaln((size * count).sum() + 1.0) - (count * special.gammaln(size + 1.0)).sum()
    return math.exp(-max(float(ways - special.gammaln(count + 1.0).sum()), 0.0))


def deciding_prior(size: FloatArray, count: IntArray) -> float:
    """The k at which ``sum (n / (n + k))**2`` is the number of deciding levels; 0 for few."""
    n_levels = float(count.sum())
    if n_levels <= _DECIDING_LEVELS:
        return 0.0

    # The root of the inverse is concave in k, and linear for levels of one size: Newton's steps
    # come from below, and are few.
    k, step = 0.0, np.inf
    while step > _CLOSE * k:
        share = size / (size + k)
        weight = count * share * share
        total = float(weight.sum())
        slope = float((weight / (size + k)).sum()) / total
        step = (math.sqrt(total / _DECIDING_LEVELS) - 1.0) / slope
        k += step
    return k


def _draws_of_hits(coefficient: FloatArray, size: FloatArray, hits: float) -> Draw:
    """The statistic as a function of the levels that the rows of the rarer class fall in.

    It is ``base + sum_j pair_j * h_j * (h_j - 1) + sum_j single_j * h_j`` with h_j of them in
    level j.
    """
    # Draws must not depend on the order of the levels; those of one size are alike.
    order = np.argsort(size, kind="stable")
    coefficient, size = coefficient[order], size[order]
    p = hits / float(size.sum())
    pair = coefficient / (p * (1.0 - p))
    base = float((pair * size * (size - 1.0)).sum()) * p * p
    single = 2.0 * p * pair * (1.0 - size)
    n_hits, n_rows = int(hits), int(min(size.sum(), MOST_DRAWN_FROM))
    last_row = np.cumsum(size)
    last_row *= n_rows / last_row[-1]

    def draw(n_draws: int) -> FloatArray:
        rows = different_rows(n_rows, n_hits, n_draws)
        level = np.sort(np.searchsorted(last_row, rows, side="right"), axis=1)
        place = np.arange(n_hits)
        first = np.zeros_like(level)
        first[:, 1:] = np.where(level[:, 1:] != level[:, :-1], place[1:], 0)
        before = place - np.maximum.accumulate(first, axis=1)  # rows of the same level before
        drawn = single[level] + 2.0 * before * pair[level]
        return np.asarray(base + drawn.sum(axis=1))

    return draw


def _draws_of_outcomes(coefficient: FloatArray, size: IntArray, y: Sample) -> Draw:
    """The statistic as a function of the outcomes of the rows that share a level."""
    order = np.argsort(size, kind="stable")  # draws must not depend on the levels' order
    coefficient, size = coefficient[order], size[order]
    first = np.cumsum(size) - size

    def draw(n_draws: int) -> FloatArray:
        drawn = y.take(different_rows(y.n_whole_rows, int(size.sum()), n_draws))
        squares = np.add.reduceat(drawn * drawn, first, axis=1)
        return np.asarray((np.add.reduceat(drawn, first, axis=1) ** 2 - squares) @ coefficient)

    return draw
