"""Pairs of numbers that rows have, and the weight of each: a table that merges and forgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray, changes
from vtreat_py.statistics.outcome_sums import ROUNDING
from vtreat_py.statistics.value_table import ALL_BITS, truncated

# A table of more different pairs keeps fewer digits of them.
MOST_PAIRS = 1 << 16


@dataclass(frozen=True, eq=False)
class PairTable:
    """The different pairs of two numbers, 0 or more, with the weight of the rows that have them.

    Up to 65,536 different pairs are held exactly. Of more, only so many leading binary digits of
    both numbers are told apart that no more than that are different; such pairs stand for the means
    of the rows that share their digits.

    Attributes
    ----------
    bits : int
        Binary digits of the fractions that are told apart; 52: numbers are exact.
    first, second : ndarray of shape (pairs,)
        The numbers, without further digits, sorted.
    sums : ndarray of shape (3, pairs)
        Weight of each pair, and weighted sums of the two numbers.

    Examples
    --------
    >>> years, claims = np.array([1.0, 2.0, 1.0]), np.array([0.0, 1.0, 0.0])
    >>> table = PairTable.of_rows(years, claims, np.ones(3))
    >>> table.first, table.second, table.weight
    (array([1., 2.]), array([0., 1.]), array([2., 1.]))
    >>> (table + table - table).weight
    array([2., 1.])
    """

    bits: int
    first: FloatArray
    second: FloatArray
    sums: FloatArray

    @classmethod
    def of_rows(cls, first: FloatArray, second: FloatArray, weight: FloatArray) -> PairTable:
        """Table the rows."""
        sums = np.stack([weight, weight * first, weight * second])
        return _merged(ALL_BITS, first, second, sums).in_room()

    @property
    def weight(self) -> FloatArray:
        """Weight of each pair."""
        return np.asarray(self.sums[0])

    def points(self) -> tuple[FloatArray, FloatArray]:
        """The numbers that pairs stand for."""
        if self.bits == ALL_BITS:
            return self.first, self.second
        _, first, second = self.sums / self.sums[0]
        return first, second

    def weight_of(self, other: PairTable) -> FloatArray:
        """Weight that each pair of another table has in this one; 0 where there is none."""
        pairs, wanted = (one.first + 1j * one.second for one in (self, other))
        if not len(pairs):
            return np.zeros(len(wanted))
        place = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
        return np.where(pairs[place] == wanted, self.weight[place], 0.0)

    def coarsened(self, bits: int) -> PairTable:
        """Return the same table with fewer digits."""
        return self if bits >= self.bits else _merged(bits, self.first, self.second, self.sums)

    def in_room(self) -> PairTable:
        """Return the same table with as many digits as there is room for."""
        table = self
        while len(table.first) > MOST_PAIRS:
            table = table.coarsened(table.bits - 1)
        return table

    def __add__(self, other: PairTable) -> PairTable:
        return self._with(other, other.sums).in_room()

    def __sub__(self, other: PairTable) -> PairTable:
        both = self._with(other.coarsened(self.bits), -other.coarsened(self.bits).sums)
        left = np.flatnonzero(both.weight > ROUNDING * float(self.weight.sum()))
        return PairTable(both.bits, both.first[left], both.second[left], both.sums[:, left])

    def _with(self, other: PairTable, sums: FloatArray) -> PairTable:
        return _merged(
            min(self.bits, other.bits),
            np.concatenate([self.first, other.first]),
            np.concatenate([self.second, other.second]),
            np.concatenate([self.sums, sums], axis=1),
        )


def _merged(bits: int, first: FloatArray, second: FloatArray, sums: FloatArray) -> PairTable:
    """Drop digits, sort pairs, and merge those that are the same."""
    first, second = truncated(first + 0.0, bits), truncated(second + 0.0, bits)
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    start = np.flatnonzero(changes(first) | changes(second))
    merged = np.add.reduceat(sums[:, order], start, axis=1) if len(start) else sums
    return PairTable(bits, first[start], second[start], merged)
