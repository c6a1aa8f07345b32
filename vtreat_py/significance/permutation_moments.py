"""Moments of a sum over pairs of rows of one level, when outcomes are permuted among the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.pair_sharing import BLOCKS, MOMENTS, PairSharing, products
from vtreat_py.significance.sample import POWERS, Sample


@dataclass(frozen=True, eq=False)
class OutcomePowers:
    """Power sums of the outcome over all rows, about its mean and in units of its spread.

    Attributes
    ----------
    weight : float
        Number of rows, that is the sum of frequency weights.
    mean, spread : float
        What the outcome was centred and divided by.
    sums : tuple of float
        Sums of the powers 0 to 8; the first power sums to 0.
    sample : Sample
        The outcome itself.
    """

    weight: float
    mean: float
    spread: float
    sums: tuple[float, ...]
    sample: Sample

    @classmethod
    def of_sample(cls, y: Sample, centre: float = 0.0) -> OutcomePowers:
        """Sum the powers of an outcome, whose values are relative to ``centre``."""
        return cls(y.n_rows, y.mean + centre, y.spread, y.power_sums, y)

    @cached_property
    def expected_products(self) -> FloatArray:
        """Expected product of the outcomes of up to four pairs, for each way to share levels.

        Summed over the ways in which they may share rows.
        """
        sharing = PairSharing.found()
        left = np.maximum(self.weight - np.arange(POWERS), 0.0)
        choices = np.cumprod(np.append(1.0, left))[sharing.n_rows]
        totals = sharing.of_rows.values(np.array(self.sums))
        expected = np.where(choices > 0, totals / np.where(choices > 0, choices, 1.0), 0.0)
        return np.asarray((sharing.ways * expected).sum(axis=1))


@dataclass(frozen=True)
class Shape:
    """Mean, variance, skewness and excess kurtosis of a distribution."""

    mean: float
    variance: float
    skewness: float
    kurtosis: float


def shape_of_pairs(
    coefficient: FloatArray, size: FloatArray, count: FloatArray, powers: OutcomePowers
) -> Shape:
    """Shape of ``sum_j c_j * sum of y_a * y_b over pairs of different rows of level j``.

    Parameters
    ----------
    coefficient, size, count : ndarray of shape (m,)
        There are ``count`` levels of ``size`` rows, each with the coefficient c.
    powers : OutcomePowers
        Of the outcome, which is permuted among all rows.

    Returns
    -------
    Shape
        Exact; variance 0 where the sum is the same for all permutations.

    Notes
    -----
    The k-th power of the sum is a sum over k pairs of rows. Pairs belong to the same level or to
    different ones, and may share rows or not; for each way the number of choices of rows is a
    product of falling factorials of the sizes, and the expected product of their outcomes follows
    from the outcome's power sums.
    """
    falling = [np.ones_like(size)]
    for k in range(POWERS):
        falling.append(falling[-1] * (size - k))
    factors = [np.ones_like(size)]
    for _ in range(MOMENTS):
        factors.append(factors[-1] * coefficient)
    choices = np.array([factors[b] * falling[r] for b, r in BLOCKS])
    sharing = PairSharing.found()
    sums = (products(choices, sharing.joined) * count).sum(axis=1)
    expected = sharing.of_levels.values(sums) * powers.expected_products
    return _shape(np.bincount(sharing.n_pairs, expected, MOMENTS + 1).tolist())


def _shape(raw: Sequence[float]) -> Shape:
    """From moments about 0 to the shape."""
    _, m, second, third, fourth = raw
    variance = second - m * m
    if not variance > 0:
        return Shape(m, 0.0, 0.0, 0.0)
    skewness = (third - 3.0 * m * second + 2.0 * m**3) / variance**1.5
    about_mean = fourth - 4.0 * m * third + 6.0 * m * m * second - 3.0 * m**4
    return Shape(m, variance, skewness, about_mean / variance**2 - 3.0)
