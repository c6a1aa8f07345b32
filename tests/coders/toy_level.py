"""A code of levels that the package does not have: the plain mean of the outcome."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.code import SUPERVISED, CodeOptions
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.table_code import TableCode


class LevelMean(TableCode):
    """Mean of y in the level, by the rows of the other folds; of unseen ones that of all rows."""

    name = "mean"
    outcomes = SUPERVISED
    y_aware = True

    def values(
        self,
        levels: PooledLevels,
        options: CodeOptions,
    ) -> tuple[FloatArray, FloatArray]:
        """Code the levels."""
        view = levels.view
        overall = view.whole.mean + view.whole.centre
        own = view.entries.mean + view.entries.centre
        known = view.entries.weight > 0
        pool = np.where(levels.pool_coded, levels.pool.mean + levels.pool.centre, overall)
        return levels.assign(np.where(known, own, overall[view.group]), pool, overall)
