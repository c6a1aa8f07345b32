"""catN: the impact code of a numeric outcome, in outcome units."""

from __future__ import annotations

import numpy as np

from vtreat_py._typing import FloatArray
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.shrinkage import prior_weight
from vtreat_py.statistics.outcome_sums import OutcomeSums


def cat_n(levels: PooledLevels, smoothing: float | str) -> tuple[FloatArray, FloatArray]:
    """Code levels by their mean of y less the grand mean, shrunk towards 0.

    Parameters
    ----------
    levels : PooledLevels
        The levels of one or several training sets.
    smoothing : float or "auto"
        Rows at the grand mean added to each level (R's ``smFactor``), or empirical Bayes.

    Returns
    -------
    codes : ndarray of shape (entries,)
    novel : ndarray of shape (training sets,)
        The code of unseen levels: the pool's, else 0.
    """
    view = levels.view
    prior = (
        prior_weight(levels) if smoothing == "auto" else np.full(view.n_groups, float(smoothing))
    )
    own = _shrunk(view.entries, view.whole.mean[view.group], prior[view.group])
    pool = _shrunk(levels.pool, view.whole.mean, prior)
    return levels.assign(own, pool, np.zeros(view.n_groups))


def _shrunk(level: OutcomeSums, mean: FloatArray, prior: FloatArray) -> FloatArray:
    known = level.weight > 0
    belief = np.where(known, level.weight / (np.where(known, level.weight, 1.0) + prior), 0.0)
    return np.asarray(belief * (level.mean - mean))
