"""window: the outcome along a number, as a moving mean."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.shape_code import BinnedSets, Fitted, ShapeOfR
from vtreat_py.coders.shapes_of_r import window_of_r

# Rows of a window: so many, but no more than this share of all, and no less than that.
_ROWS, _MOST, _LEAST = 20.0, 1.0 / 3.0, 1e-4


class Window(ShapeOfR):
    """Mean outcome of the rows nearest in order; the window ends where the rows do."""

    name = "window"

    def of_rows(self, x: FloatArray, y: FloatArray, weight: FloatArray) -> Fitted | None:  # noqa: ARG002
        """Average rows as R vtreat does, of whatever weight."""
        values = window_of_r(x, y)
        if values is None:
            return None
        knots, first = np.unique(x, return_index=True)
        return Curve(knots, values[first])

    def fitted(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Average the rows around the middle of each bin."""
        half = np.maximum(np.minimum(_ROWS, sets.rows * _MOST), sets.rows * _LEAST) / 2.0
        upto, total = (
            np.cumsum(np.pad(one, ((0, 0), (1, 0))), axis=1)
            for one in (sets.weight, sets.weight * sets.apart)
        )
        middle = upto[:, 1:] - sets.weight / 2.0
        ends = middle[:, None] + np.multiply.outer(half, (-1.0, 1.0))[:, :, None]
        np.clip(ends, 0.0, upto[:, -1][:, None, None], out=ends)
        found = np.zeros_like(sets.mean)
        for k in np.flatnonzero(sets.rows > 0):
            low, high = np.interp(ends[k], upto[k], total[k])
            found[k] = (high - low) / (ends[k, 1] - ends[k, 0])
        return sets.at_edges(found), 2.0 * half[:, None]
