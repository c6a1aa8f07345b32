"""Moments of a sum over pairs of rows of one level, when outcomes are permuted among the rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from vtreat_py._typing import FloatArray
from vtreat_py.significance.sample import Sample

# Moments of the sum over pairs that are wanted, and the powers of the outcome they ask for.
_MOMENTS = 4
POWERS = 2 * _MOMENTS

Exponents = tuple[int, ...]
# For each of several levels, how many pairs are of it, and how many rows those have in all.
Blocks = tuple[tuple[int, int], ...]
_BLOCKS = [(b, r) for b in range(1, _MOMENTS + 1) for r in range(2, 2 * b + 1)]


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
        return cls(y.n_rows, y.mean + centre, y.spread, y.power_sums(POWERS), y)

    @cached_property
    def expected_products(self) -> dict[Blocks, float]:
        """Expected product of the outcomes of up to four pairs, by how they share levels and rows.

        Summed over the ways in which they may do so.
        """
        expected = _ExpectedProducts(self.sums)
        found: dict[Blocks, float] = {}
        for times in range(1, _MOMENTS + 1):
            for levels, ways in _shared_levels(times).items():
                for shared in itertools.product(*(_shared_rows(b).items() for b in levels)):
                    blocks = tuple(
                        (b, len(rows)) for b, (rows, _) in zip(levels, shared, strict=True)
                    )
                    every_way = ways * math.prod(w for _, w in shared)
                    product = expected[sum((rows for rows, _ in shared), ())]
                    found[blocks] = found.get(blocks, 0.0) + every_way * product
        return found


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
    choices = {(b, r): coefficient**b * falling[r] for b, r in _BLOCKS}
    raw = [1.0] + [0.0] * _MOMENTS
    for blocks, expected in powers.expected_products.items():
        rows = _sum_over_different([choices[block] for block in blocks], count)
        raw[sum(pairs for pairs, _ in blocks)] += rows * expected
    return _shape(raw)


def _shape(raw: Sequence[float]) -> Shape:
    """From moments about 0 to the shape."""
    _, m, second, third, fourth = raw
    variance = second - m * m
    if not variance > 0:
        return Shape(m, 0.0, 0.0, 0.0)
    skewness = (third - 3.0 * m * second + 2.0 * m**3) / variance**1.5
    about_mean = fourth - 4.0 * m * third + 6.0 * m * m * second - 3.0 * m**4
    return Shape(m, variance, skewness, about_mean / variance**2 - 3.0)


def _sum_over_different(values: Sequence[FloatArray], count: FloatArray) -> float:
    """Sum of ``values[0][i] * values[1][j] * ...`` over all choices of different levels."""
    first, rest = values[0], values[1:]
    if not rest:
        return float((first * count).sum())
    total = float((first * count).sum()) * _sum_over_different(rest, count)
    for k, other in enumerate(rest):
        total -= _sum_over_different([*rest[:k], other * first, *rest[k + 1 :]], count)
    return total


class _ExpectedProducts(dict[Exponents, float]):
    """Expected products of powers of the outcomes of different rows, drawn at random.

    The sum over all choices of different rows follows from power sums: take the first row
    from all rows, less the times it is one of the others.
    """

    def __init__(self, sums: tuple[float, ...]) -> None:
        self._sums = sums
        self._totals: dict[Exponents, float] = {}

    def __missing__(self, exponents: Exponents) -> float:
        ways = math.prod(max(self._sums[0] - k, 0.0) for k in range(len(exponents)))
        self[exponents] = self._total(tuple(sorted(exponents))) / ways if ways else 0.0
        return self[exponents]

    def _total(self, exponents: Exponents) -> float:
        if exponents not in self._totals:
            first, rest = exponents[0], exponents[1:]
            total = self._sums[first]
            if rest:
                total = total * self._total(rest) if first > 1 else 0.0
                for k, other in enumerate(rest):
                    joined = (*rest[:k], other + first, *rest[k + 1 :])
                    total -= self._total(tuple(sorted(joined)))
            self._totals[exponents] = total
        return self._totals[exponents]


@cache
def _shared_levels(times: int) -> dict[Exponents, int]:
    """In how many ways pairs may be of the same levels: keys are the pairs of each level."""
    return dict(Counter(tuple(sorted(map(len, p))) for p in _partitions(times, 1)))


@cache
def _shared_rows(times: int) -> dict[Exponents, int]:
    """In how many ways pairs of different rows of one level may have rows in common.

    Keys are the number of times that each row occurs.
    """
    return dict(Counter(tuple(sorted(map(len, p))) for p in _partitions(2 * times, 2)))


def _partitions(slots: int, apart: int) -> Iterator[list[list[int]]]:
    """All ways to fill slots; slots k * apart to (k + 1) * apart - 1 are filled differently."""
    if not slots:
        yield []
        return
    slot = slots - 1
    for blocks in _partitions(slot, apart):
        for k, block in enumerate(blocks):
            if slot // apart not in {other // apart for other in block}:
                yield [*blocks[:k], [*block, slot], *blocks[k + 1 :]]
        yield [*blocks, [slot]]
