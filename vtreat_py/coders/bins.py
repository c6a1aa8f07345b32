"""bins: the mean outcome in quantile bins of a number, each shrunk to its neighbours."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.roughness import likeliest
from vtreat_py.coders.shape_code import BinnedSets, ShapeCode

_BINS = 128


class Bins(ShapeCode):
    """A step for each of 128 quantile bins, of as many rows as values allow.

    Steps follow a random walk whose variance is estimated: neighbours have more in common than bins
    at large, to whose mean few rows a bin would else be shrunk.
    """

    name = "bins"

    def fitted(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Shrink the means of bins."""
        n_bins = len(sets.edges)
        starts = np.unique(np.append(0, sets.cuts(_BINS) + 1))
        starts = starts[starts < n_bins]
        step = np.repeat(np.arange(len(starts)), np.diff(starts, append=n_bins))
        weight, total = (
            np.add.reduceat(values, starts, axis=1)
            for values in (sets.weight, sets.weight * sets.apart)
        )
        meets = np.full(len(starts), 2.0)
        meets[[0, -1]] = 1.0
        beside = np.append(np.full(len(starts) - 1, -1.0), 0.0)
        sums = np.stack([weight, np.zeros_like(weight)], axis=-1)
        roughness = np.column_stack([meets, beside])
        values = likeliest(sets, sums, total, roughness, 1)[:, step]
        return values, sets.rows[:, None] / len(starts)
