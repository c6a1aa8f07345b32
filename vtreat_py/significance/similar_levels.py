"""Does the outcome differ between levels of different kinds? A permutation test by sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.draws import (
    MOST_DRAWN_FROM,
    UNDECIDED,
    different_rows,
    p_value_by_draws,
)
from vtreat_py.significance.pearson import upper_tail
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import ROUNDING, OutcomeSums

# Fewer rows do not have the moments that are asked for.
_FEWEST = 4.0
# Variance of the statistic below this share of the squares of its mean is rounding.
_ROUNDING = 1e-13
# So few rows of one of two classes are drawn; from as many rows at most.
_FEW_HITS = 32
# Digits by which levels are put in order.
_DIGITS = 6
# One row of more than this share of the squares decides alone: kinds of levels tell nothing. It is
# that of the one hit of any number of rows, and of no other hits.
_DECIDES = 0.7

# Gives so many independent draws of the statistic.
Draw = Callable[[int], FloatArray]


def similar_levels_test(levels: OutcomeSums, points: FloatArray, powers: OutcomePowers) -> float:
    """p-value of the hypothesis that the outcome does not go with what levels are like.

    Parameters
    ----------
    levels : OutcomeSums
        Sums of the outcome in each level.
    points : ndarray of shape (levels, rank)
        Levels that are near to each other are alike.
    powers : OutcomePowers
        Power sums of the same outcome over all rows. Rows without a level have no part in the test.

    Notes
    -----
    The statistic is the sum of ``k_ab * y_a * y_b`` over pairs of different rows, with y centred
    and k_ab the product of the points of their levels, less the mean point: the score statistic of
    a regression on the points whose slopes are drawn at random. Leaving out the squares of single
    rows takes the outcome's tails out of it. Its mean and variance, when outcomes are permuted
    among the rows, are exact; skewness and kurtosis are those of a quadratic form of variables
    that are symmetric, but for what the outcome's own skewness adds in pairs of one level. All of
    them follow from sums over levels, and from the outcome's powers; where not all rows have a
    level, and there are more than two outcomes, the shape of its distribution is that in all rows.
    The distribution is matched by a Pearson curve; where there
    are few rows of one of two classes, the levels of those rows are drawn.

    M. Wu et al., "Rare-Variant Association Testing for Sequencing Data with the Sequence Kernel
    Association Test", American Journal of Human Genetics 89 (2011), for the statistic.
    """
    if not levels.weight.any():
        return 1.0
    powers, size = _of_these_rows(levels, powers), levels.weight
    if (
        powers.weight < _FEWEST
        or math.isinf(powers.spread)
        or powers.sample.largest_share > _DECIDES
    ):
        return 1.0
    points = points - (size @ points) / size.sum()
    total = (levels.total + size * (levels.centre - powers.mean)) / powers.spread
    squares = levels.squares / powers.spread**2 + total * total / np.where(size > 0, size, 1.0)
    own = (points * points).sum(axis=1)
    statistic = float(((total @ points) ** 2).sum() - (own * squares).sum())
    mean, variance, third, fourth = _shape(points, own, size, powers)
    if not variance > _ROUNDING * mean * mean or not np.isfinite(variance):
        return 1.0

    def tail(of: float) -> float:
        deviation = (of - mean) / math.sqrt(variance)
        return upper_tail(deviation, third / variance**1.5, fourth / variance**2)

    p = tail(statistic)
    if p < UNDECIDED and levels.inner is None:
        rarer = float(min(levels.total.sum(), (size - levels.total).sum()))
        if 0 < rarer <= _FEW_HITS:
            p = p_value_by_draws(_draws_of_hits(points, own, size, rarer), statistic, tail)
    return p


def _of_these_rows(levels: OutcomeSums, powers: OutcomePowers) -> OutcomePowers:
    """Power sums over the rows of the levels alone."""
    weight, total = float(levels.weight.sum()), float(levels.total.sum())
    if weight >= (1.0 - ROUNDING) * powers.weight:
        return powers
    if levels.inner is None:
        rows = np.array([weight - total, total])
        return OutcomePowers.of_sample(Sample.of_values(np.array([0.0, 1.0]), rows))
    mean = total / weight
    squares = float((levels.squares + levels.weight * (levels.mean - mean) ** 2).sum())
    sums = tuple(weight / powers.weight * one for one in powers.sums)
    spread = math.sqrt(squares / weight)
    spread = spread if spread > ROUNDING * powers.spread else math.inf
    return replace(powers, weight=weight, mean=levels.centre + mean, spread=spread, sums=sums)


def _draws_of_hits(points: FloatArray, own: FloatArray, size: FloatArray, hits: float) -> Draw:
    """The statistic as a function of the levels that the rows of the rarer class fall in."""
    # Draws must not depend on the order of the levels, nor on the axes of their points.
    whole = points @ points.sum(axis=0)
    order = np.lexsort((np.round(whole, _DIGITS), np.round(own, _DIGITS), size))
    points, own, size = points[order], own[order], size[order]
    p = hits / float(size.sum())
    n_hits, n_rows = int(hits), int(min(size.sum(), MOST_DRAWN_FROM))
    last_row = np.cumsum(size)
    last_row *= n_rows / last_row[-1]
    base = p * p * float((size * own).sum())

    def draw(n_draws: int) -> FloatArray:
        rows = different_rows(n_rows, n_hits, n_draws)
        level = np.searchsorted(last_row, rows, side="right")
        total = np.zeros((n_draws, points.shape[1]))
        for place in range(n_hits):
            total += points[level[:, place]]
        squares = base + (1.0 - 2.0 * p) * own[level].sum(axis=1)
        return np.asarray(((total * total).sum(axis=1) - squares) / (p * (1.0 - p)))

    return draw


def _shape(
    points: FloatArray, own: FloatArray, size: FloatArray, powers: OutcomePowers
) -> tuple[float, float, float, float]:
    """Mean, variance, and third and fourth cumulant of the statistic; n is some four or more."""
    n, fourth_power = powers.weight, powers.sums[4]

    def over_rows(values: FloatArray) -> float:
        return float((size * values).sum())

    def summed(weight: FloatArray) -> FloatArray:
        scaled = points * np.sqrt(weight)[:, None]
        return np.asarray(scaled.T @ scaled)

    def together(one: FloatArray, other: FloatArray) -> float:
        return float((one * other).sum())

    products, of_own, of_squares = (summed(size * own**power) for power in (0, 1, 2))
    squared = products @ products
    trace, diagonal = over_rows(own), over_rows(own * own)
    pairs = together(products, products) - diagonal
    shared = diagonal - pairs
    apart = trace * trace - 4.0 * shared - 2.0 * pairs
    of_pair = (n * n - fourth_power) / (n * (n - 1.0))
    of_shared = (2.0 * fourth_power - n * n) / (n * (n - 1.0) * (n - 2.0))
    of_apart = (3.0 * n * n - 6.0 * fourth_power) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0))
    of_three, of_four = _expected_squares(powers)
    of_cubes = max((powers.sums[3] ** 2 - powers.sums[6]) / (n * (n - 1.0)), 0.0)
    mean = trace / (n - 1.0)
    square = 2.0 * pairs * of_pair + 4.0 * shared * of_shared + apart * of_apart
    third = together(squared, products) - 3.0 * together(of_own, products)
    third = 8.0 * (third + 2.0 * over_rows(own**3)) * of_three
    third += 4.0 * of_cubes * over_rows((size - 1.0) * own**3)
    fourth = together(squared, squared) - 4.0 * together(of_own, squared)
    fourth += 4.0 * together(of_squares, products) + 2.0 * together(of_own, of_own)
    fourth = 48.0 * (fourth - 3.0 * over_rows(own**4)) * of_four
    return mean, square - mean * mean, third, fourth


def _expected_squares(powers: OutcomePowers) -> tuple[float, float]:
    """Expected product of the squared outcomes of three different rows, and of four."""
    n, (s2, s4, s6, s8) = powers.weight, powers.sums[2::2]
    three = (s2**3 - 3.0 * s2 * s4 + 2.0 * s6) / (n * (n - 1.0) * (n - 2.0))
    four = s2**4 - 6.0 * s2 * s2 * s4 + 3.0 * s4 * s4 + 8.0 * s2 * s6 - 6.0 * s8
    four /= n * (n - 1.0) * (n - 2.0) * (n - 3.0)
    return max(three, 0.0), max(four, 0.0)
