"""Numbers by parts of their range: what bins are found by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.outcome_sums import sum_by
from vtreat_py.statistics.places import places_among

# Values of fewer have a bin each.
MOST_BINS = 1 << 10
# A range is cut in so many equal parts; one with a greater share of the weight than this is looked
# at closer.
PARTS, HEAVY = 1 << 13, 1.0 / 448.0


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a range of values that have rows, in increasing order.

    Attributes
    ----------
    low, high : ndarray of shape (parts,)
        Smallest and largest value of each. Where parts are many and none is heavy, the smallest
        say nothing, and may be NaN.
    rows, weight : ndarray of shape (parts,)
        Rows of each, and their weight.
    """

    low: FloatArray
    high: FloatArray
    rows: FloatArray
    weight: FloatArray

    @classmethod
    def of_values(cls, values: NumberArray, weight: FloatArray | None) -> Parts:
        """Each different value by itself."""
        some, place = np.unique(values.astype(np.float64), return_inverse=True)
        rows, total = (sum_by(place, one, len(some)) for one in (None, weight))
        return cls(some, some, rows, total)

    def replaced(self, place: int, parts: Parts) -> Parts:
        """Put parts in the place of one."""

        def put(ours: FloatArray, theirs: FloatArray) -> FloatArray:
            return np.concatenate([ours[:place], theirs, ours[place + 1 :]])

        return Parts(
            put(self.low, parts.low),
            put(self.high, parts.high),
            put(self.rows, parts.rows),
            put(self.weight, parts.weight),
        )


class PartedNumbers:
    """Numbers that are counted by parts of their range, and then placed among edges.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite; distances are in the range of floats.
    weight : ndarray of shape (n,) or None
    """

    def __init__(self, values: NumberArray, weight: FloatArray | None = None) -> None:
        self._values, self._weight = values, weight
        self._extent = values.min(), values.max()
        self._whole: tuple[IntArray, FloatArray] | None = None

    def count(self, low: float, high: float, by_value: bool) -> Parts:
        """Count the rows with a value from one to another: by value, or in equal parts."""
        values, weight, is_whole = self._values, self._weight, (low, high) == self._extent
        if not is_whole:
            inside = np.flatnonzero((values >= low) & (values <= high))
            values, weight = values[inside], None if weight is None else weight[inside]
        if by_value:
            return Parts.of_values(values, weight)
        part, ends, parts = _equal_parts(values, weight, low, high)
        if is_whole:
            self._whole = part, ends
        return parts

    def places(self, edges: FloatArray) -> IntArray:
        """Number of edges below each number, known from its part but where an edge is inside."""
        if self._whole is None:
            return places_among(edges, self._values)
        part, ends = self._whole
        below = np.append(0, np.searchsorted(edges, ends[:-1], side="right"))
        is_cut = below < np.searchsorted(edges, ends)
        known = np.where(is_cut, -1, below).astype(np.int16)
        place = np.empty(len(part), dtype=np.int16)
        for rows in blocks(len(part)):
            here = place[rows]
            np.take(known, part[rows], out=here, mode="clip")
            cut = np.flatnonzero(here < 0)
            here[cut] = np.searchsorted(edges, self._values[rows][cut])
        return place


def _equal_parts(
    values: NumberArray, weight: FloatArray | None, low: float, high: float
) -> tuple[IntArray, FloatArray, Parts]:
    """Part of each number of a range, the largest of each part, and parts that have rows."""
    scale = PARTS / (high - low)
    part = np.empty(len(values), dtype=np.int16)
    n_rows, total = np.zeros((2, PARTS))
    highs = np.full(PARTS, -np.inf)
    for rows in blocks(len(values)):
        some = values[rows]
        here = ((some - low) * scale).astype(np.intp)
        np.minimum(here, PARTS - 1, out=here)
        part[rows] = here
        n_rows += np.bincount(here, minlength=PARTS)
        np.maximum.at(highs, here, some)
        if weight is not None:
            total += np.bincount(here, weight[rows], PARTS)
    if weight is None:
        total = n_rows
    known = np.flatnonzero(n_rows)
    lows = np.full(PARTS, np.nan)
    if len(known) <= MOST_BINS or total.max() > HEAVY * total.sum():
        lows[known] = np.inf
        for rows in blocks(len(values)):
            np.minimum.at(lows, part[rows], values[rows])
    found = Parts(lows[known], highs[known], n_rows[known], total[known])
    return part, np.maximum.accumulate(highs), found
