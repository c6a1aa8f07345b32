"""catD: how much a numeric outcome varies inside a level."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.code import CodeOptions, LevelTests
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.table_code import TableCode
from vtreat_py.statistics.blocks import by_blocks
from vtreat_py.statistics.outcome_sums import OutcomeSums, reaches

# A standard deviation asks for two rows.
_LEAST_WEIGHT = 2.0
# A deviation below this share of the size of y is rounding: scaling would blow it up to a signal.
_ROUNDING = 1e-12


class CatD(TableCode):
    """How much a numeric outcome varies inside a level."""

    name = "catD"
    outcomes = ("numeric",)
    y_aware = True

    def values(
        self,
        levels: PooledLevels,
        options: CodeOptions,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray]:
        """Code the levels."""
        return cat_d(levels)

    def can_be_told(self, levels: PooledLevels) -> bool:
        """Whether some level has the two rows that a deviation asks for."""
        return has_scorable_level(levels)

    def significance(self, tests: LevelTests) -> float | None:
        """Test whether the outcome varies more in some levels than in others."""
        return tests.spread()


def cat_d(levels: PooledLevels) -> tuple[FloatArray, FloatArray]:
    """Code levels by the standard deviation of y inside the level.

    Levels of weight below 2, suppressed and unseen ones get the largest deviation of any
    level: nothing is known that would narrow y down. Where no level of a training set has two
    rows, that is the deviation of y over the whole training set.

    Returns
    -------
    codes : ndarray of shape (entries,)
    novel : ndarray of shape (training sets,)
        The code of unseen levels: the pool's, else the largest.
    """
    view = levels.view

    def scorable(sums: OutcomeSums) -> FloatArray:
        enough = reaches(sums.weight, _LEAST_WEIGHT) & (sums.weight > levels.rare_count)
        return np.where(enough, _deviation(sums), -np.inf)

    own = scorable(view.entries)
    if levels.suppressed.any():
        largest = np.full(view.n_groups, -np.inf)
        np.maximum.at(largest, view.group, np.where(levels.suppressed, -np.inf, own))
    else:
        largest = view.max(lambda sums: own if sums is view.entries else scorable(sums))
    pool = np.where(
        levels.pool_coded & reaches(levels.pool.weight, _LEAST_WEIGHT),
        _deviation(levels.pool),
        -np.inf,
    )
    largest = np.maximum(largest, pool)
    largest = np.where(np.isfinite(largest), largest, _deviation(view.whole))
    own = np.where(np.isfinite(own), own, largest[view.group])
    return levels.assign(own, np.where(np.isfinite(pool), pool, largest), largest)


def has_scorable_level(levels: PooledLevels) -> bool:
    """Whether some kept level of the first training set has the two rows a deviation asks for."""
    kept = ~levels.pooled & ~levels.suppressed & reaches(levels.view.entries.weight, _LEAST_WEIGHT)
    pool = levels.pool_coded & reaches(levels.pool.weight, _LEAST_WEIGHT)
    return bool(kept.any() or pool.any())


def _deviation(sums: OutcomeSums) -> FloatArray:
    def of(some: slice) -> FloatArray:
        weight, squares = sums.weight[some], sums.squares[some]
        varies = squares > weight * (_ROUNDING * sums.mean[some]) ** 2
        return np.sqrt(np.where(varies, squares, 0.0) / np.maximum(weight - 1.0, 1.0))

    return by_blocks(len(sums.weight), of)
