"""How far level means are pulled towards the grand mean."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.pooling import PooledLevels

# Variance between levels below this share of the mean square is rounding, not signal.
_NOTHING = 1e-12


def moments_weight(levels: PooledLevels) -> FloatArray:
    """Weight of the prior, in rows, that empirical Bayes gives each training set.

    A level mean of weight n is believed at ``n / (n + prior_weight)``. The prior weight is
    ``within / between``: the variance of y inside levels over the variance of the true level
    means. The latter is the spread of the observed means *less what sampling noise alone
    would give*, floored at 0; without it levels of few rows keep most of their noise.

    Each training set estimates its own, from its own rows. One prior weight for all folds
    would be more precise, but it would know every outcome: a row's outcome would then move
    its own out-of-fold code.

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
    and C. McCulloch, *Variance Components* (1992), section 3.6. Its codes come within a few per
    cent of those made with the true variances (benchmarks/shrinkage_study.txt).
    """
    whole = levels.view.whole
    n_levels, inside = _inside(levels)
    free = whole.weight - n_levels
    weight = np.where(whole.weight > 0, whole.weight, 1.0)
    between_squares = levels.sum_over_kept(lambda s: s.total * s.mean) - whole.total**2 / weight
    size_squares = levels.sum_over_kept(lambda s: s.weight * s.weight)
    spread = weight - size_squares / weight
    estimable = (free > 0) & (spread > _NOTHING * weight)
    within = inside / np.where(estimable, free, 1.0)
    between = (between_squares - (n_levels - 1) * within) / np.where(estimable, spread, 1.0)
    raw = whole.squares + whole.total * whole.mean
    real = estimable & (between > _NOTHING * raw / weight)
    return np.asarray(np.where(real, within / np.where(real, between, 1.0), np.inf))


def within_variance(levels: PooledLevels) -> FloatArray:
    """Variance of y inside the levels, pooled over them, for each training set.

    Where no level has two rows to tell it by, levels are taken to differ by chance only: it is
    the variance of all rows then, and infinite for less than two rows.
    """
    whole = levels.view.whole
    n_levels, inside = _inside(levels)
    estimable = whole.weight > n_levels
    squares = np.where(estimable, inside, whole.squares)
    free = whole.weight - np.where(estimable, n_levels, 1.0)
    return np.asarray(np.where(free > 0, squares / np.where(free > 0, free, 1.0), np.inf))


def _inside(levels: PooledLevels) -> tuple[FloatArray, FloatArray]:
    """Number of levels with rows, and the squares of y about their means."""
    n_levels = levels.sum_over_kept(lambda s: (s.weight > 0).astype(np.float64))
    return n_levels, levels.sum_over_kept(lambda s: s.squares)
