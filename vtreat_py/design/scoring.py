"""Scores of derived variables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vtreat_py.base.arrays import FloatArray

# Values of variables, with the weight of all rows (None: 1 each) and of the target rows at each.
PointSums = tuple[FloatArray, FloatArray | None, FloatArray]


def combined_slopes(slopes: Sequence[FloatArray]) -> FloatArray:
    """One y-aware slope from those of each contrast.

    Several classes give the length of the vector of slopes: distances in a frame scaled so are
    those in the frame that has a copy of the variable for each class, each scaled for it.
    """
    if len(slopes) == 1:
        return slopes[0]
    return np.asarray(np.sqrt(np.sum(np.square(slopes), axis=0)))
