"""Moments of a sum over pairs of rows of one level, when outcomes are permuted among the rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from vtreat_py._typing import FloatArray, IntArray
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
        return cls(y.n_rows, y.mean + centre, y.spread, y.power_sums, y)

    @cached_property
    def expected_products(self) -> FloatArray:
        """Expected product of the outcomes of up to four pairs, for each way to share levels.

        Summed over the ways in which they may share rows.
        """
        sharing = _Sharing.of_pairs()
        rows = sharing.n_rows
        ways = np.cumprod(np.append(1.0, np.maximum(self.weight - np.arange(POWERS), 0.0)))[rows]
        totals = sharing.of_rows.totals(np.array(self.sums))
        expected = np.where(ways > 0, totals / np.where(ways > 0, ways, 1.0), 0.0)
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
    choices = np.array([coefficient**b * falling[r] for b, r in _BLOCKS])
    sharing = _Sharing.of_pairs()
    sums = (_products(choices, sharing.joined) * count).sum(axis=1)
    expected = sharing.of_levels.totals(sums) * powers.expected_products
    return _shape(np.bincount(sharing.n_pairs, expected, _MOMENTS + 1).tolist())


def _shape(raw: Sequence[float]) -> Shape:
    """From moments about 0 to the shape."""
    _, m, second, third, fourth = raw
    variance = second - m * m
    if not variance > 0:
        return Shape(m, 0.0, 0.0, 0.0)
    skewness = (third - 3.0 * m * second + 2.0 * m**3) / variance**1.5
    about_mean = fourth - 4.0 * m * third + 6.0 * m * m * second - 3.0 * m**4
    return Shape(m, variance, skewness, about_mean / variance**2 - 3.0)


@dataclass(frozen=True, eq=False)
class _Sharing:
    """The ways in which up to four pairs may share levels and rows, found once.

    Attributes
    ----------
    n_pairs : ndarray of int, shape (ways to share levels,)
        How many pairs there are.
    of_levels : _Polynomials
        Sums over the choices of levels, of ``joined`` sums over all levels.
    joined : ndarray of int, shape (products, 4)
        Blocks whose product is summed over all levels; see `_products`.
    ways : ndarray of shape (ways to share levels, ways to share rows)
        In how many ways the pairs that share levels may share rows.
    n_rows : ndarray of int, shape (ways to share rows,)
        How many rows there are.
    of_rows : _Polynomials
        Sums over the choices of rows, of power sums.
    """

    n_pairs: IntArray
    of_levels: _Polynomials
    joined: IntArray
    ways: FloatArray
    n_rows: IntArray
    of_rows: _Polynomials

    @staticmethod
    @cache
    def of_pairs() -> _Sharing:
        """Look at one pair to four."""
        shared: dict[Blocks, Counter[Exponents]] = {}
        for times in range(1, _MOMENTS + 1):
            for levels, ways in _shared_levels(times).items():
                for rows in itertools.product(*(_shared_rows(b).items() for b in levels)):
                    blocks = tuple((b, len(r)) for b, (r, _) in zip(levels, rows, strict=True))
                    exponents = tuple(sorted(sum((r for r, _ in rows), ())))
                    every_way = ways * math.prod(w for _, w in rows)
                    shared.setdefault(blocks, Counter())[exponents] += every_way
        of_levels = [_sum_over_different(tuple((block,) for block in blocks)) for blocks in shared]
        joined = sorted({product for terms in of_levels for term in terms for product in term})
        rows_shared = sorted({exponents for ways in shared.values() for exponents in ways})
        of_rows = [_sum_over_different(exponents) for exponents in rows_shared]
        return _Sharing(
            np.array([sum(pairs for pairs, _ in blocks) for blocks in shared]),
            _Polynomials.of_terms(of_levels, {product: k for k, product in enumerate(joined)}),
            _padded([[_BLOCKS.index(block) for block in product] for product in joined]),
            np.array([[float(ways[e]) for e in rows_shared] for ways in shared.values()]),
            np.array([len(exponents) for exponents in rows_shared]),
            _Polynomials.of_terms(of_rows, {k: k for k in range(POWERS + 1)}),
        )


@dataclass(frozen=True, eq=False)
class _Polynomials:
    """Several polynomials of the same unknowns.

    Attributes
    ----------
    coefficient : ndarray of shape (polynomials, terms)
    term : ndarray of int, shape (terms, 4)
        The unknowns that each term is the product of; see `_products`.
    """

    coefficient: FloatArray
    term: IntArray

    @classmethod
    def of_terms(
        cls, polynomials: Collection[Mapping[tuple[Any, ...], int]], place: Mapping[Any, int]
    ) -> _Polynomials:
        """Arrange polynomials, given their terms and the places of the unknowns."""
        terms = sorted({term for polynomial in polynomials for term in polynomial})
        return cls(
            np.array([[float(p.get(term, 0)) for term in terms] for p in polynomials]),
            _padded([[place[factor] for factor in term] for term in terms]),
        )

    def totals(self, unknowns: FloatArray) -> FloatArray:
        """Values of the polynomials."""
        return np.asarray((self.coefficient * _products(unknowns, self.term)).sum(axis=1))


def _products(factors: FloatArray, chosen: IntArray) -> FloatArray:
    """Products of some of the factors; -1 stands for none."""
    one = np.ones_like(factors[:1])
    return np.asarray(np.concatenate([factors, one])[chosen].prod(axis=1))


def _padded(chosen: Sequence[Sequence[int]]) -> IntArray:
    """Choices of up to four factors each, as `_products` takes them."""
    return np.array([[*row, *[-1] * (_MOMENTS - len(row))] for row in chosen])


@cache
def _sum_over_different(factors: tuple[Any, ...]) -> Mapping[tuple[Any, ...], int]:
    """Sum over all choices of different items, as a polynomial of sums over all items.

    Each factor belongs to one item; those of the same item join by ``+``. Take the first factor
    of any item, less the times it is of the same item as one of the others. The outcomes, which
    have exponents for factors, sum to 0.
    """
    first, rest = factors[0], factors[1:]
    if not rest:
        return {} if first == 1 else {(first,): 1}
    terms: Counter[tuple[Any, ...]] = Counter()
    if first != 1:
        for term, times in _sum_over_different(rest).items():
            terms[tuple(sorted((*term, first)))] += times
    for k, other in enumerate(rest):
        joined = tuple(sorted((*rest[:k], other + first, *rest[k + 1 :])))
        for term, times in _sum_over_different(joined).items():
            terms[term] -= times
    return {term: times for term, times in terms.items() if times}


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
