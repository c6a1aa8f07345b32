"""A code of numbers that the package does not have: means of the outcome in four ranges."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.code import SUPERVISED, CodeOptions
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.step_code import StepCode


class QuarterMeans(StepCode):
    """Mean of y between quartiles, by the rows of the other folds, less that of all rows."""

    name = "quarters"
    outcomes = SUPERVISED
    y_aware = True
    probabilities = (0.25, 0.5, 0.75)

    def values(
        self,
        levels: PooledLevels,
        options: CodeOptions,
    ) -> tuple[FloatArray, FloatArray]:
        """Code the ranges."""
        view = levels.view
        own = view.entries.mean - view.whole.mean[view.group]
        nothing = np.zeros(view.n_groups)
        return np.where(view.entries.weight > 0, own, 0.0), nothing
