"""The test of spread where rows may not be permuted one by one: in groups, or in a series."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.significance.groups import GroupTests
from vtreat_py.significance.series import SeriesTests
from vtreat_py.significance.spread import blocks_of_levels, deviations, spread_test

_SEED = 1953


@dataclass(frozen=True, eq=False)
class SpreadInGroups:
    """Tests, of one column after another, whether the outcome's spread differs between levels.

    Blocks of rows, as `SpreadTest` has them, are of one level and one group, so that the group's
    own effect is in none of their deviations; and the deviations are compared between levels by
    `GroupTests`. Where hardly any group has several rows of one level, the rows of a block are of
    different groups.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcome of each row.
    group : ndarray of int, shape (n,)
        Group of each row.
    weight : ndarray of shape (n,) or None
        Weight of each row, of which only ratios count.
    """

    y: NumberArray
    group: IntArray
    weight: FloatArray | None = None

    @cached_property
    def _rows(self) -> IntArray:
        """Rows that count in random order, which rests on the outcome and not on the frame's."""
        rows = _counted(self.y, self.weight)
        rows = rows[np.lexsort((self.group[rows], self.y[rows]))]
        return np.asarray(np.random.default_rng(_SEED).permutation(rows))

    def p_value(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome varies as much inside each level."""
        rows = self._rows
        level, group, y = level[rows], self.group[rows], self.y[rows].astype(np.float64)
        weight = None if self.weight is None else self.weight[rows]
        cell, _ = pd.factorize(group.astype(np.int64) * n_levels + level)
        blocks = blocks_of_levels(cell, int(cell.max()) + 1)
        if 2 * blocks.size < len(rows):
            return spread_test(level, n_levels, y, weight)
        of_block = level[blocks[:, 0]]
        _, in_group = np.unique(group[blocks[:, 0]], return_inverse=True)
        share = None if weight is None else weight[blocks].mean(axis=1)
        if not (np.bincount(of_block) > 1).any():
            return 1.0
        tests = GroupTests(deviations(y, blocks), in_group, share, counts_rows=weight is None)
        return tests.level_effects(of_block, n_levels)


@dataclass(frozen=True, eq=False)
class SpreadInOrder:
    """Tests, of one column after another, whether the outcome's spread differs between levels.

    Blocks are of rows next to each other, so that all of them have as much in common; their
    deviations, in the order of the blocks, are compared between levels by `SeriesTests`.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcome of each row, in time order.
    weight : ndarray of shape (n,) or None
        Weight of each row, of which only ratios count.
    """

    y: NumberArray
    weight: FloatArray | None = None

    def p_value(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome varies as much inside each level."""
        rows = _counted(self.y, self.weight)
        run = np.cumsum(np.diff(level[rows], prepend=level[rows[:1]]) != 0)
        blocks = rows[blocks_of_levels(run, int(run[-1]) + 1)]
        share = None if self.weight is None else self.weight[blocks].mean(axis=1)
        deviation = deviations(self.y.astype(np.float64), blocks)
        return SeriesTests(deviation, share).level_effects(level[blocks[:, 0]], n_levels)


def _counted(y: NumberArray, weight: FloatArray | None) -> IntArray:
    """Rows that have a weight."""
    return np.arange(len(y)) if weight is None else np.flatnonzero(weight)
