"""piecewise: the outcome along a number, as straight lines that meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.banded import factored
from vtreat_py.coders.shape_code import BinnedSets, Fitted, ShapeOfR, cross_validation
from vtreat_py.coders.shapes_of_r import piecewise_of_r

# Numbers of segments that are tried, and rows that each takes at least.
_SEGMENTS = (1, 2, 4, 8, 16, 32, 64)
_ROWS = 10.0
# So much less than a limit, as a share of it, is the limit but for rounding.
_ROUNDING = 1e-12
# Weight of flat joins, as a share of a segment's rows: knots without rows beside them get a value.
_FLAT = 1e-9

Place = tuple[IntArray, FloatArray]


class Piecewise(ShapeOfR):
    """Straight lines between quantiles of the column: as many as generalize best."""

    name = "piecewise"

    def of_rows(self, x: FloatArray, y: FloatArray, weight: FloatArray) -> Fitted | None:
        """Fit rows as R vtreat does."""
        return piecewise_of_r(x, y, weight)

    def fitted(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Fit each number of segments, and keep what cross-validation says is best."""
        knots = _knots(sets)
        parts = np.array([len(one) - 1 for one in knots])
        places = [_place(one, sets.x) for one in knots]
        heights = _fit(sets, parts, places)
        fits = (_along(*one) for one in zip(heights, places, strict=True))
        left = [sets.residual(one) for one in fits]
        rows = sets.rows[:, None]
        score = cross_validation(np.column_stack(left), rows, parts + 1.0)
        score[(rows < (1.0 - _ROUNDING) * _ROWS * parts) & (parts > 1)] = np.inf
        best = score.argmin(axis=1)  # the fewest of those that are as good
        found = np.zeros_like(sets.mean)
        for k in np.unique(best):
            own = np.flatnonzero((best == k) & np.isfinite(score[:, k]))
            found[own] = _along(heights[k][own], _place(knots[k], sets.known_edges))
        return sets.level_beyond(found), rows / parts[best][:, None]


def _place(knots: FloatArray, x: FloatArray) -> Place:
    """Between which knots numbers are, and where there, from 0 to 1."""
    line = np.searchsorted(knots[1:-1], x)
    return line, (x - knots[line]) / np.diff(knots)[line]


def _along(heights: FloatArray, place: Place) -> FloatArray:
    """Values at places, for heights of knots of shape (sets, knots)."""
    line, share = place
    found = np.diff(heights, axis=1).take(line, axis=1)
    found *= share
    found += heights.take(line, axis=1)
    return found


def _knots(sets: BinnedSets) -> list[FloatArray]:
    """Edges where lines meet; where most rows have the same value, fewer lines than were asked."""
    ends, cuts, found = (0, len(sets.edges) - 1), sets.cuts(_SEGMENTS[-1]), [sets.edges[:0]]
    for segments in _SEGMENTS:
        every = _SEGMENTS[-1] // segments
        knots = sets.edges[np.unique([*ends, *cuts[every - 1 :: every]])]
        if len(knots) > len(found[-1]):
            found.append(knots)
    return found[1:]


def _fit(sets: BinnedSets, parts: IntArray, places: Sequence[Place]) -> list[FloatArray]:
    """Least squares of each set: heights of the knots, in one system for all numbers of parts."""
    start = np.append(0, np.cumsum(parts + 1))
    number, share = (np.column_stack(one) for one in zip(*places, strict=True))
    n, low, rest = int(start[-1]), number + start[:-1], 1.0 - share
    weight = _sums(sets.weight, (low, low + 1, low + n), (rest**2, share**2, rest * share), 2 * n)
    right = _sums(sets.weight * sets.apart, (low, low + 1), (rest, share), n)
    flat = np.repeat(_FLAT / parts, parts + 1)
    flat[start[1:] - 1] = 0.0  # nothing joins the last knot with those of the next lines
    flat = sets.rows[:, None] * flat
    diagonal, beside = weight[:, :n] + flat, weight[:, n:] - flat
    diagonal[:, 1:] += flat[:, :-1]
    diagonal[sets.rows == 0] = 1.0
    heights = factored(np.stack([diagonal, beside], axis=-1), right).solution()
    return np.split(heights, start[1:-1], axis=1)


def _sums(
    values: FloatArray, columns: Sequence[IntArray], shares: Sequence[FloatArray], n: int
) -> FloatArray:
    """Shares of values of shape (sets, bins), summed by column."""
    index, share = np.hstack(columns), np.hstack(shares)
    starts = np.arange(len(index) + 1) * index.shape[1]
    by_bin = csr_array((share.ravel(), index.ravel(), starts), shape=(len(index), n))
    return np.asarray(by_bin.T @ values.T).T
