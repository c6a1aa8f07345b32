"""How far level means are pulled towards the grand mean."""

from __future__ import annotations

import numpy as np

from vtreat_py._typing import FloatArray
from vtreat_py.coders.pooling import PooledLevels

# Variance between levels below this share of the total is rounding, not signal.
_NOTHING = 1e-12


def prior_weight(levels: PooledLevels) -> FloatArray:
    """Weight of the prior, in rows, that empirical Bayes gives each training set.

    A level mean of weight n is believed at ``n / (n + prior_weight)``. The prior weight is
    ``within / between``: the variance of y inside levels over the variance of the true level
    means. The latter is the spread of the observed means *less what sampling noise alone
    would give*, floored at 0; without it levels of few rows keep most of their noise.

    Returns
    -------
    ndarray of shape (training sets,)
        Infinite where levels differ no more than by chance, or where that cannot be told
        (one row a level, a single level): all codes are then exactly the prior.

    Notes
    -----
    Bühlmann and Straub's credibility estimator, that is the analysis-of-variance moment
    estimator of a random effect with unequal group sizes: with L levels of weight n_l,
    W = sum n_l, within = SS_within / (W - L) and
    between = (SS_between - (L - 1) * within) / (W - sum n_l^2 / W).
    H. Bühlmann and E. Straub, "Glaubwürdigkeit für Schadensätze" (1970); S. Searle, G. Casella
    and C. McCulloch, *Variance Components* (1992), section 3.6.
    """
    whole = levels.view.whole
    n_levels = levels.sum_over_kept(lambda s: (s.weight > 0).astype(np.float64))
    weight = np.where(whole.weight > 0, whole.weight, 1.0)
    between_squares = levels.sum_over_kept(lambda s: s.total * s.mean) - whole.total**2 / weight
    inside = np.maximum(whole.squares - between_squares, 0.0)
    size_squares = levels.sum_over_kept(lambda s: s.weight * s.weight)
    free = weight - n_levels
    spread = weight - size_squares / weight
    estimable = (free > 0) & (spread > _NOTHING * weight)
    within = inside / np.where(estimable, free, 1.0)
    between = (between_squares - (n_levels - 1) * within) / np.where(estimable, spread, 1.0)
    real = estimable & (between > _NOTHING * whole.squares / weight)
    return np.asarray(np.where(real, within / np.where(real, between, 1.0), np.inf))
