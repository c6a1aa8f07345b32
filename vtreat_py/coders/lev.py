"""lev: indicators of the levels common enough to have one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.coders.code import (
    CodeOptions,
    ColumnLevels,
    LevelCode,
    LevelVariable,
    LevelVariables,
)
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.significance.logistic import PointSums
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums, reaches


class Lev(LevelCode):
    """Indicators of the common levels, in order of their names' keys."""

    name = "lev"
    of_class = True
    is_sparse = True
    is_crossed = False

    def made(self, column: ColumnLevels) -> LevelVariables | None:
        """Make an indicator of each tracked level, and of the pool, that marks some of the rows."""
        pooled = column.pooled
        tracked, pool_tracked = tracked_levels(pooled, column.options.min_fraction)
        slots = [int(s) for s in np.flatnonzero(np.append(tracked, pool_tracked[0]))]
        marks = sorted((_Mark.of(column, slot) for slot in slots), key=lambda mark: mark.order)
        whole = pooled.view.whole
        on = OutcomeSums.joined([pooled.view.entries, pooled.pool])
        in_order = np.array([mark.slot for mark in marks], dtype=np.intp)
        on, has_rows = on.take(in_order), pooled.view.entries.weight > 0
        marked = np.append(has_rows, (has_rows & pooled.pooled).sum())[in_order]
        # Weights add up to those of all rows but for rounding: levels are counted.
        moving = np.flatnonzero((on.weight > 0) & (marked < has_rows.sum()))
        if not len(moving):
            return None
        on, weight = on.take(moving), float(whole.weight[0])
        return LevelVariables(
            [marks[i].variable for i in moving],
            indicator_moments(on, whole),
            indicator_points(on, whole),
            lambda i: indicator_sample(float(on.weight[i]), weight),
        )

    def ruled_out(self, column: ColumnLevels, n_made: int) -> int:  # noqa: ARG002
        """Count the levels, and the pool, that were suppressed although common enough."""
        common, pool_common = _common(column.pooled, column.options.min_fraction)
        suppressed = common & column.pooled.suppressed & ~column.pooled.pooled
        return int(suppressed.sum() + (pool_common & column.pooled.pool_suppressed).sum())

    def tells_apart(self, levels: PooledLevels, options: CodeOptions) -> bool:
        """Whether a level has an indicator."""
        tracked, pool = tracked_levels(levels, options.min_fraction)
        return bool(tracked.any() or pool[0])


@dataclass(frozen=True, eq=False)
class _Mark:
    """An indicator, which is what it is (`FoldValues`) in every fold."""

    column: ColumnLevels
    slot: int
    level: Any
    key: str

    @classmethod
    def of(cls, column: ColumnLevels, slot: int) -> _Mark:
        """Mark a level, the missing one or the pool."""
        levels = column.levels
        if slot < len(levels):
            return cls(column, slot, levels[slot], f"x {levels[slot]}")
        return cls(column, slot, None, "NA" if slot == levels.missing else "rare")

    @property
    def variable(self) -> LevelVariable:
        """The variable."""
        label = f"{Lev.name}_{self.key}"
        return LevelVariable(label, lambda _: self, level=self.level, slot=self.slot)

    @property
    def order(self) -> tuple[int, str, str]:
        """Missing first, then the pool, then levels by code point."""
        if self.slot >= len(self.column.levels):
            return self.slot - self.column.levels.novel, "", ""
        return 1, str(self.level), type(self.level).__name__

    @property
    def _is_pool(self) -> bool:
        return self.slot == self.column.levels.novel

    def values(self, levels: PooledLevels) -> FloatArray:
        """Values of the entries of a view of the training sets."""
        view = levels.view
        if not self._is_pool:
            return np.asarray(view.level == self.slot, dtype=np.float64)
        # A fold that would not track its own pool marks the levels that all rows pool.
        _, tracked = tracked_levels(levels, self.column.options.min_fraction)
        in_plan = self.column.pooled.pooled[view.level]
        values = np.where(tracked[view.group], levels.pooled, in_plan)
        return np.asarray(values, dtype=np.float64)

    def lacking(self, levels: PooledLevels) -> BoolArray:
        """Training sets that would not track the level, or the pool."""
        view = levels.view
        tracked, pool_tracked = tracked_levels(levels, self.column.options.min_fraction)
        if self._is_pool:
            return ~pool_tracked
        of_level = view.group[(view.level == self.slot) & tracked]
        return np.asarray(np.bincount(of_level, minlength=view.n_groups) == 0)


def tracked_levels(levels: PooledLevels, min_fraction: float) -> tuple[BoolArray, BoolArray]:
    """Say which levels, and which pools, get an indicator.

    Returns
    -------
    entries : ndarray of bool, shape (entries,)
        Kept levels with at least ``min_fraction`` of the rows, as weights count them.
    pools : ndarray of bool, shape (training sets,)
        The same for the pool of each training set.
    """
    common, pool_common = _common(levels, min_fraction)
    return common & ~levels.pooled & ~levels.suppressed, levels.pool_coded & pool_common


def _common(levels: PooledLevels, min_fraction: float) -> tuple[BoolArray, BoolArray]:
    """Levels, and pools, that have at least ``min_fraction`` of the rows."""
    view = levels.view
    n_rows = np.where(view.whole.size > 0, view.whole.size, 1.0)
    common = reaches(view.entries.size / n_rows[view.group], min_fraction)
    return common, reaches(levels.pool.size / n_rows, min_fraction)


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


def indicator_points(on: OutcomeSums, whole: OutcomeSums) -> PointSums:
    """Points x = 0 and x = 1 of indicators, with all weight and target weight at each."""
    weight, hits = np.broadcast_arrays(whole.weight, whole.total)
    total = np.stack([weight - on.weight, on.weight], axis=1)
    target = np.stack([hits - on.total, on.total], axis=1)
    return np.tile([0.0, 1.0], (len(total), 1)), total, target


def indicator_sample(on: float, weight: float) -> Sample:
    """An indicator over all rows, from the weight of the rows where it is 1 and of all rows."""
    return Sample.of_values(np.array([0.0, 1.0]), np.array([max(weight - on, 0.0), on]))
