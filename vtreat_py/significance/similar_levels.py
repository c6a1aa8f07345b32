"""Does the outcome differ between levels of different kinds? A permutation test by sums."""

from __future__ import annotations

import math

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.pearson import upper_tail
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Fewer rows do not have the moments that are asked for.
_FEWEST = 4.0
# Variance of the statistic below this share of the squares of its mean is rounding.
_ROUNDING = 1e-13


def similar_levels_test(levels: OutcomeSums, points: FloatArray, powers: OutcomePowers) -> float:
    """p-value of the hypothesis that the outcome does not go with what levels are like.

    Parameters
    ----------
    levels : OutcomeSums
        Sums of the outcome in each level.
    points : ndarray of shape (levels, rank)
        Levels that are near to each other are alike.
    powers : OutcomePowers
        Power sums of the same outcome over all rows.

    Notes
    -----
    The statistic is the sum of ``k_ab * y_a * y_b`` over pairs of different rows, with y centred
    and k_ab the product of the points of their levels, less the mean point: the score statistic of
    a regression on the points whose slopes are drawn at random. Leaving out the squares of single
    rows takes the outcome's tails out of it. Its mean and variance, when outcomes are permuted
    among the rows, are exact; skewness and kurtosis are those of a quadratic form of normal
    variables, but for what the outcome's own skewness adds in pairs of one level. All of them
    follow from sums over levels. The distribution is matched by a Pearson curve.

    M. Wu et al., "Rare-Variant Association Testing for Sequencing Data with the Sequence Kernel
    Association Test", American Journal of Human Genetics 89 (2011), for the statistic.
    """
    n, size = powers.weight, levels.weight
    if n < _FEWEST or not size.any():
        return 1.0
    points = points - (size @ points) / size.sum()
    total = (levels.total + size * (levels.centre - powers.mean)) / powers.spread
    squares = levels.squares / powers.spread**2 + total * total / np.where(size > 0, size, 1.0)
    own = (points * points).sum(axis=1)
    statistic = float(((total @ points) ** 2).sum() - (own * squares).sum())
    mean, variance, third, fourth = _shape(points, own, size, powers)
    if not variance > _ROUNDING * mean * mean or not np.isfinite(variance):
        return 1.0
    deviation = (statistic - mean) / math.sqrt(variance)
    return upper_tail(deviation, third / variance**1.5, fourth / variance**2)


def _shape(
    points: FloatArray, own: FloatArray, size: FloatArray, powers: OutcomePowers
) -> tuple[float, float, float, float]:
    """Mean, variance, and third and fourth cumulant of the statistic; n is some four or more."""
    n, fourth_power = powers.weight, powers.sums[4]

    def over_rows(values: FloatArray) -> float:
        return float((size * values).sum())

    products = (points * size[:, None]).T @ points
    weighted = (points * (size * own)[:, None]).T @ points
    squared = products @ products
    trace, diagonal = over_rows(own), over_rows(own * own)
    twice = ((points @ products) * points).sum(axis=1)
    thrice = ((points @ squared) * points).sum(axis=1)
    pairs = float((products * products).sum()) - diagonal
    shared = diagonal - pairs
    apart = trace * trace - 4.0 * shared - 2.0 * pairs
    of_pair = (n * n - fourth_power) / (n * (n - 1.0))
    of_shared = (2.0 * fourth_power - n * n) / (n * (n - 1.0) * (n - 2.0))
    of_apart = (3.0 * n * n - 6.0 * fourth_power) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0))
    mean = trace / (n - 1.0)
    square = 2.0 * pairs * of_pair + 4.0 * shared * of_shared + apart * of_apart
    third = float((squared * products).sum()) - 3.0 * over_rows(own * twice)
    third = 8.0 * (third + 2.0 * over_rows(own**3))
    third += 4.0 * (powers.sums[3] / n) ** 2 * over_rows((size - 1.0) * own**3)
    fourth = float((squared * squared).sum()) - 4.0 * over_rows(own * thrice)
    fourth += 4.0 * over_rows(own * own * twice) + 2.0 * float((weighted * weighted).sum())
    fourth = 48.0 * (fourth - 3.0 * over_rows(own**4))
    return mean, square - mean * mean, third, fourth
