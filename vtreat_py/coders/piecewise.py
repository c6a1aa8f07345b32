"""piecewise: the outcome along a number, as straight lines that meet."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.shape_code import BinnedSets, Fitted, ShapeOfR, cross_validation
from vtreat_py.coders.shapes_of_r import piecewise_of_r

# Numbers of segments that are tried, and rows that each takes at least.
_SEGMENTS = (1, 2, 4, 8, 16, 32, 64)
_ROWS = 10.0
# So much less than a limit, as a share of it, is the limit but for rounding.
_ROUNDING = 1e-12
# Weight of flat joins, as a share of a segment's rows: knots without rows beside them get a value.
_FLAT = 1e-9


class Piecewise(ShapeOfR):
    """Straight lines between quantiles of the column: as many as generalize best."""

    name = "piecewise"

    def of_rows(self, x: FloatArray, y: FloatArray, weight: FloatArray) -> Fitted | None:
        """Fit rows as R vtreat does."""
        return piecewise_of_r(x, y, weight)

    def fitted(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Fit each number of segments, and keep what cross-validation says is best."""
        best, parts = np.full(len(sets.rows), np.inf), np.ones(len(sets.rows))
        fits: dict[int, tuple[IntArray, FloatArray]] = {}
        for segments in _SEGMENTS:
            knots = np.unique([0, *sets.cuts(segments), len(sets.edges) - 1])
            tried = len(knots) - 1
            if tried in fits:
                continue  # most rows have the same value, or values are too few for more
            at = _segments(sets.edges, knots, sets.x)
            at_knots = _fit(sets, tried, *at)
            score = cross_validation(sets.residual(_along(*at, at_knots)), sets.rows, tried + 1.0)
            are_few = sets.rows < (1.0 - _ROUNDING) * _ROWS * tried
            score = np.where(are_few & (tried > 1), np.inf, score)
            better = score < best
            best, parts = np.where(better, score, best), np.where(better, tried, parts)
            fits[tried] = knots, at_knots
        found = np.zeros_like(sets.mean)
        for tried, (knots, at_knots) in fits.items():
            own = np.flatnonzero((parts == tried) & np.isfinite(best))
            at = _segments(sets.edges, knots, sets.known_edges)
            found[own] = _along(*at, at_knots[own])
        return sets.level_beyond(found), (sets.rows / parts)[:, None]


def _segments(edges: FloatArray, knots: IntArray, at: FloatArray) -> tuple[IntArray, FloatArray]:
    """Segment of each number, and its place there, from 0 to 1."""
    ends = edges[knots]
    segment = np.clip(np.searchsorted(ends, at) - 1, 0, len(ends) - 2)
    return segment, (at - ends[segment]) / np.diff(ends)[segment]


def _along(segment: IntArray, place: FloatArray, at_knots: FloatArray) -> FloatArray:
    """Values of lines at places, given those at knots."""
    found = np.take(np.diff(at_knots, axis=1), segment, axis=1)
    found *= place
    found += np.take(at_knots, segment, axis=1)
    return found


def _fit(sets: BinnedSets, parts: int, segment: IntArray, place: FloatArray) -> FloatArray:
    """Least squares of each set: values at the knots."""
    starts = np.flatnonzero(np.diff(segment, prepend=-1))

    def sums(values: FloatArray) -> FloatArray:
        found = np.zeros((len(values), parts))
        found[:, segment[starts]] = np.add.reduceat(values, starts, axis=1)
        return found

    w, wy = sets.weight, sets.weight * sets.apart
    wt = w * place
    n, t, tt, y, ty = map(sums, (w, wt, wt * place, wy, wy * place))
    flat = _FLAT * sets.rows[:, None] / parts
    diagonal, right = np.zeros((2, len(w), parts + 1))
    diagonal[sets.rows == 0] = 1.0
    diagonal[:, :-1] += n - 2.0 * t + tt + flat
    diagonal[:, 1:] += tt + flat
    right[:, :-1] += y - ty
    right[:, 1:] += ty
    beside = np.zeros_like(diagonal)  # none between the last knot of a set and the next set
    beside[:, :-1] = t - tt - flat
    bands = np.stack([diagonal.ravel(), beside.ravel()])
    return np.asarray(solveh_banded(bands, right.ravel(), lower=True)).reshape(right.shape)
