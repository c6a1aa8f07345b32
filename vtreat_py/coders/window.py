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
        upto = np.cumsum(sets.weight, axis=1)
        total = np.cumsum(sets.weight * sets.apart, axis=1)
        found = np.zeros_like(sets.mean)
        for k in np.flatnonzero(sets.rows > 0):
            rows, sums = np.append(0.0, upto[k]), np.append(0.0, total[k])
            middle = upto[k] - sets.weight[k] / 2.0
            ends = np.clip([middle - half[k], middle + half[k]], 0.0, rows[-1])
            low, high = np.interp(ends, rows, sums)
            found[k] = (high - low) / (ends[1] - ends[0])
        return sets.at_edges(found), 2.0 * half[:, None]
