"""lev: indicators of the levels common enough to have one."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums


def tracked_levels(levels: PooledLevels, min_fraction: float) -> tuple[BoolArray, BoolArray]:
    """Say which levels, and which pools, get an indicator.

    Returns
    -------
    entries : ndarray of bool, shape (entries,)
        Kept levels with at least ``min_fraction`` of the weight.
    pools : ndarray of bool, shape (training sets,)
        The same for the pool of each training set.
    """
    view = levels.view
    weight = np.where(view.whole.weight > 0, view.whole.weight, 1.0)
    common = view.entries.weight / weight[view.group] >= min_fraction
    common &= ~levels.pooled & ~levels.suppressed
    pool_common = levels.pool.weight / weight >= min_fraction
    return common, levels.pool_coded & pool_common


def indicator_moments(on: OutcomeSums, whole: OutcomeSums) -> Moments:
    """Moments of indicators, from the sums of the rows where they are 1 and of all rows."""
    weight = np.broadcast_to(whole.weight, on.weight.shape).astype(np.float64)
    share = on.weight / np.where(weight > 0, weight, 1.0)
    return Moments(
        weight,
        share,
        np.broadcast_to(whole.mean, share.shape).copy(),
        on.weight * (1.0 - share),
        on.weight * (on.mean - whole.mean),
        np.broadcast_to(whole.squares, share.shape).copy(),
        0.0,
        on.centre,
    )


def indicator_points(
    on: OutcomeSums, whole: OutcomeSums
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points x = 0 and x = 1 of indicators, with all weight and target weight at each."""
    weight, hits = np.broadcast_arrays(whole.weight, whole.total)
    total = np.stack([weight - on.weight, on.weight], axis=1)
    target = np.stack([hits - on.total, on.total], axis=1)
    return np.tile([0.0, 1.0], (len(total), 1)), total, target


def indicator_sample(on: float, weight: float) -> Sample:
    """An indicator over all rows, from the weight of the rows where it is 1 and of all rows."""
    return Sample.of_values(np.array([0.0, 1.0]), np.array([weight - on, on]))
