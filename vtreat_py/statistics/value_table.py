"""The table everything about a numeric column is computed from: sums by (value, block of rows)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray, changes
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

# A table of more different values keeps fewer digits of them.
MOST_VALUES = 1 << 16
# Binary digits of the fraction of a float.
ALL_BITS = 52
# Of more (value, block) pairs a row, only those that occur are numbered.
_DENSE_KEYS_PER_ROW = 4


@dataclass(frozen=True, eq=False)
class ValueTable:
    """Sums of the occupied (value, block) cells of one numeric column.

    Tables of two parts of the data add, and a part can be subtracted. Up to 65,536 different
    values are held exactly. Of more, only so many leading binary digits are kept that no more
    than 65,536 are different: values that share them are one bin, whose sums know the mean of its
    values and their spread about it. How many digits that takes depends on the set of all values
    alone, not on the order of the rows, nor on how they were split into parts.

    Attributes
    ----------
    bits : int
        Binary digits of the fraction that are kept; 52: values are exact.
    value : ndarray of shape (cells,)
        The value of each cell, or the end of its bin that is nearer to 0.
    block : ndarray of int, shape (cells,)
        The block of rows of each cell. Cells are sorted by value, then block.
    cells : Moments
        Sums of each cell. ``x`` is relative to ``value``, in units of the power of 2 below it;
        0 where values are exact.

    Examples
    --------
    >>> import numpy as np
    >>> x, none = np.array([2.0, 1.0, 2.0]), np.zeros(3)
    >>> table = ValueTable.of_rows(x, np.array([0, 0, 1]), none)
    >>> table.value, table.block, table.cells.weight
    (array([1., 2., 2.]), array([0, 0, 1]), array([1., 1., 1.]))
    >>> (table + table - table).cells.weight
    array([1., 1., 1.])
    """

    bits: int
    value: FloatArray
    block: IntArray
    cells: Moments

    def __post_init__(self) -> None:
        for values in (self.value, self.block):
            values.setflags(write=False)

    @classmethod
    def of_rows(
        cls,
        values: NumberArray,
        block: IntArray,
        y: NumberArray,
        weight: FloatArray | None = None,
        centre: float = 0.0,
    ) -> ValueTable:
        """Sum up finite values; ``y`` is given relative to ``centre``, weights are positive."""
        values = np.asarray(values, dtype=np.float64) + 0.0  # -0.0 is 0.0
        bits = _bits_for(_different(np.sort(values)))
        binned = values if bits == ALL_BITS else truncated(values, bits)
        code, found = pd.factorize(binned)
        bins = np.sort(found)
        n_blocks = int(block.max(initial=0)) + 1
        key = np.searchsorted(bins, found)[code] * n_blocks + block
        keys = np.arange(len(bins) * n_blocks)
        if len(keys) > _DENSE_KEYS_PER_ROW * len(key):
            keys, key = np.unique(key, return_inverse=True)
        if bits == ALL_BITS:
            sums = OutcomeSums.of_rows(key, len(keys), y, weight, centre)
            cells = Moments.of_points(np.zeros(len(keys)), sums)
        else:
            apart = (values - binned) / _unit(found)[code]
            cells = Moments.of_rows(key, len(keys), apart, y, weight, centre_y=centre)
        some = np.flatnonzero(cells.weight > 0)
        at, of_block = np.divmod(keys[some], n_blocks)
        return cls(bits, bins[at], of_block, cells.take(some))

    @cached_property
    def place(self) -> IntArray:
        """For each cell, the place of its value among the different ones."""
        return np.cumsum(changes(self.value)) - 1

    @cached_property
    def values(self) -> FloatArray:
        """The different values, in increasing order; of bins the ends nearer to 0."""
        return _different(self.value)

    def coordinates(self) -> Coordinates:
        """Coordinates near the values."""
        near = Coordinates.near(self.values)
        mean = np.average(near.inner(self.value), weights=self.cells.weight)
        return Coordinates(float(near.outer(float(mean))), near.unit)

    def moments(self, near: Coordinates) -> Moments:
        """Sums of each cell, in coordinates."""
        unit, sums = _unit(self.value) / near.unit, self.cells
        return replace(
            sums,
            x=near.inner(self.value) + sums.x * unit,
            xx=sums.xx * unit * unit,
            xy=sums.xy * unit,
        )

    def points(self, cell_weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return different values, and the weight of each, when cells have other weights.

        Bins have the mean of their values; values without weight are left out.
        """
        weight = sum_by(self.place, cell_weight, len(self.values))
        apart = sum_by(self.place, cell_weight * self.cells.x, len(self.values))
        some = weight > 0
        values = self.values[some]
        return values + apart[some] / weight[some] * _unit(values), weight[some]

    def moved(self, places: IntArray) -> ValueTable:
        """Return the same table with other numbers for its blocks."""
        return _merged(self.bits, self.value, places[self.block], self.cells)

    def recentred(self, centre: float) -> ValueTable:
        """Return the same table with its outcome about another reference point."""
        return replace(self, cells=self.cells.recentred(0.0, centre))

    def coarsened(self, bits: int) -> ValueTable:
        """Return the same table with fewer digits of the values."""
        if bits >= self.bits:
            return self
        value = truncated(self.value, bits)
        unit, old = _unit(value), _unit(self.value)
        scale = old / unit
        cells = replace(
            self.cells,
            x=self.cells.x * scale + (self.value - value) / unit,
            xx=self.cells.xx * scale * scale,
            xy=self.cells.xy * scale,
        )
        return _merged(bits, value, self.block, cells)

    def __add__(self, other: ValueTable) -> ValueTable:
        bits = min(self.bits, other.bits)
        parts = [self.coarsened(bits), other.coarsened(bits)]
        both = _merged(
            bits,
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.block for part in parts]),
            Moments.joined([part.cells for part in parts]),
        )
        return both.coarsened(_bits_for(both.values))

    def __sub__(self, other: ValueTable) -> ValueTable:
        other = other.coarsened(self.bits)
        place = self.find(other.value, other.block)
        if other.bits < self.bits or (place < 0).any():
            raise ValueError("cannot subtract a table that has cells this one lacks")
        cells = self.cells.replaced(place, self.cells.take(place) - other.cells)
        left = np.flatnonzero(cells.weight > 0)
        return ValueTable(self.bits, self.value[left], self.block[left], cells.take(left))

    def find(self, values: NumberArray, block: IntArray) -> IntArray:
        """Return the cell of values in blocks; -1 where there is none."""
        bins = truncated(np.asarray(values, dtype=np.float64) + 0.0, self.bits)
        n_blocks = int(max(self.block.max(initial=0), block.max(initial=0))) + 1
        ours = self.place * n_blocks + self.block
        at = np.searchsorted(self.values, bins)
        known = at < len(self.values)
        known[known] = self.values[at[known]] == bins[known]
        key = at * n_blocks + block
        place = np.minimum(np.searchsorted(ours, key), max(len(ours) - 1, 0))
        known[known] = ours[place[known]] == key[known]
        return np.where(known, place, -1)


def _different(ordered: FloatArray) -> FloatArray:
    """Leave out repeats of values in increasing order."""
    return np.asarray(ordered[changes(ordered)])


def _merged(bits: int, value: FloatArray, block: IntArray, cells: Moments) -> ValueTable:
    """Sort cells, and merge those of one value and block."""
    order = np.lexsort((block, value))
    value, block = value[order], block[order]
    cells = cells.take(order)
    first = changes(value) | changes(block)
    if first.all():  # as they are: the mean of one is rounded
        return ValueTable(bits, value, block, cells)
    merged = cells.grouped(np.cumsum(first) - 1, int(first.sum()))
    return ValueTable(bits, value[first], block[first], merged)


def _bits_for(values: FloatArray) -> int:
    """Digits to keep of different values in increasing order, so that few enough differ."""
    if len(values) <= MOST_VALUES:
        return ALL_BITS
    pattern = np.sort(values.view(np.uint64))
    apart = pattern[1:] ^ pattern[:-1]  # neighbours without d digits differ if this is >= 2**d
    limit = int(np.partition(apart, -MOST_VALUES)[-MOST_VALUES])
    bits = ALL_BITS - limit.bit_length()
    if ((values < 0) & (values > -np.finfo(np.float64).tiny)).any():
        # Their digits may all be dropped: then they are 0, and one value less is different.
        while len(_different(truncated(values, bits + 1))) <= MOST_VALUES:
            bits += 1
    return bits


def truncated(values: FloatArray, bits: int) -> FloatArray:
    """Drop all but the leading digits of fractions: the values nearer to 0 that have no others."""
    pattern = values.view(np.uint64) >> np.uint64(ALL_BITS - bits)
    return (pattern << np.uint64(ALL_BITS - bits)).view(np.float64) + 0.0


def _unit(values: FloatArray) -> FloatArray:
    """The power of 2 at or below each value's size, or 1 for 0."""
    return np.asarray(np.where(values == 0, 1.0, np.ldexp(0.5, np.frexp(values)[1])))
