"""In how many ways a few pairs of rows may share levels and rows; the same for all data."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray

# So many pairs are looked at, one for each moment of a sum over pairs.
MOMENTS = 4

# How often each of several rows occurs.
Exponents = tuple[int, ...]
# For each of several levels, how many pairs are of it, and how many rows those have in all.
Blocks = tuple[tuple[int, int], ...]
BLOCKS = [(b, r) for b in range(1, MOMENTS + 1) for r in range(2, 2 * b + 1)]


@dataclass(frozen=True, eq=False)
class PairSharing:
    """The ways in which up to four pairs may share levels and rows, found once.

    Attributes
    ----------
    n_pairs : ndarray of int, shape (ways to share levels,)
        How many pairs there are.
    of_levels : Polynomials
        Sums over the choices of levels, of ``joined`` sums over all levels.
    joined : ndarray of int, shape (products, 4)
        Blocks whose product is summed over all levels; see `products`.
    ways : ndarray of shape (ways to share levels, ways to share rows)
        In how many ways the pairs that share levels may share rows.
    n_rows : ndarray of int, shape (ways to share rows,)
        How many rows there are.
    of_rows : Polynomials
        Sums over the choices of rows, of power sums.
    """

    n_pairs: IntArray
    of_levels: Polynomials
    joined: IntArray
    ways: FloatArray
    n_rows: IntArray
    of_rows: Polynomials

    @staticmethod
    @cache
    def found() -> PairSharing:
        """Look through one pair to four."""
        shared: dict[Blocks, Counter[Exponents]] = {}
        for times in range(1, MOMENTS + 1):
            for levels, ways in _shared(times, 1).items():
                for rows in itertools.product(*(_shared(b, 2).items() for b in levels)):
                    blocks = tuple((b, len(r)) for b, (r, _) in zip(levels, rows, strict=True))
                    exponents = tuple(sorted(sum((r for r, _ in rows), ())))
                    every_way = ways * math.prod(w for _, w in rows)
                    shared.setdefault(blocks, Counter())[exponents] += every_way
        of_levels = [_sum_over_different(tuple((block,) for block in blocks)) for blocks in shared]
        joined = sorted({product for terms in of_levels for term in terms for product in term})
        rows_shared = sorted({exponents for ways in shared.values() for exponents in ways})
        of_rows = [_sum_over_different(exponents) for exponents in rows_shared]
        return PairSharing(
            np.array([sum(pairs for pairs, _ in blocks) for blocks in shared]),
            Polynomials.of_terms(of_levels, {product: k for k, product in enumerate(joined)}),
            _padded([[BLOCKS.index(block) for block in product] for product in joined]),
            np.array([[float(ways[e]) for e in rows_shared] for ways in shared.values()]),
            np.array([len(exponents) for exponents in rows_shared]),
            Polynomials.of_terms(of_rows, {k: k for k in range(2 * MOMENTS + 1)}),
        )


@dataclass(frozen=True, eq=False)
class Polynomials:
    """Several polynomials of the same unknowns.

    Attributes
    ----------
    coefficient : ndarray of shape (polynomials, terms)
    term : ndarray of int, shape (terms, 4)
        The unknowns that each term is the product of; see `products`.

    Examples
    --------
    >>> twice = Polynomials.of_terms([{("x", "y"): 2, ("y",): -1}], {"x": 0, "y": 1})
    >>> twice.values(np.array([3.0, 5.0]))  # 2 x y - y
    array([25.])
    """

    coefficient: FloatArray
    term: IntArray

    @classmethod
    def of_terms(
        cls, polynomials: Collection[Mapping[tuple[Any, ...], int]], place: Mapping[Any, int]
    ) -> Polynomials:
        """Arrange polynomials, given their terms and the places of the unknowns."""
        terms = sorted({term for polynomial in polynomials for term in polynomial})
        return cls(
            np.array([[float(p.get(term, 0)) for term in terms] for p in polynomials]),
            _padded([[place[factor] for factor in term] for term in terms]),
        )

    def values(self, unknowns: FloatArray) -> FloatArray:
        """Values of the polynomials, given those of the unknowns."""
        return np.asarray((self.coefficient * products(unknowns, self.term)).sum(axis=1))


def products(factors: FloatArray, chosen: IntArray) -> FloatArray:
    """Products of some of the factors; -1 stands for none."""
    one = np.ones_like(factors[:1])
    return np.asarray(np.concatenate([factors, one])[chosen].prod(axis=1))


def _padded(chosen: Sequence[Sequence[int]]) -> IntArray:
    """Choices of up to four factors each, as `products` takes them."""
    return np.array([[*row, *[-1] * (MOMENTS - len(row))] for row in chosen])


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
def _shared(times: int, apart: int) -> dict[Exponents, int]:
    """In how many ways slots may share items, of which every ``apart`` next ones share none.

    Keys are the number of times that each item occurs: pairs, which are of the same levels or not,
    or the rows of pairs of one level, two of each pair.
    """
    return dict(Counter(tuple(sorted(map(len, p))) for p in _partitions(times * apart, apart)))


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
