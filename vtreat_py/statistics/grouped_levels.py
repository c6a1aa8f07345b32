"""How many rows of their own the rows of levels are worth, where rows of one group are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import LevelView
from vtreat_py.statistics.outcome_sums import ROUNDING, OutcomeSums, sum_by


@dataclass(frozen=True, eq=False)
class GroupedLevels:
    """Sums over the (level, group) cells of a column, by training set, or by block of rows.

    Attributes
    ----------
    inside : ndarray of shape (sets, levels)
        Squares of the outcome inside cells.
    n_cells : ndarray of shape (sets, levels)
        Number of groups that have rows of the level.
    squares, shared : ndarray of shape (sets, levels)
        Squared weights of cells; weights of cells times those of their groups.

    Notes
    -----
    A row is taken for a mean, the effects of its level and of its group, and what is left. The
    share of the variance inside levels that is between groups, their intraclass correlation,
    follows from the squares between and inside groups, by the analysis of variance (S. Searle,
    G. Casella and C. McCulloch, *Variance Components* (1992), section 3.6). About the mean of all
    rows, that of a level then varies by

        (1 - share) (1 / n - 1 / N) + share * sum (n_g / n - N_g / N)^2

    variances of a row, with n_g of its n rows, and N_g of all N, in a group; of rows in groups of
    their own, where the sum is 1 / n - 1 / N, by that. How many times as much it is, the design
    effect, is what counts and totals are divided by (L. Kish, *Survey Sampling* (1965), section
    5.4; J. Rao and A. Scott, "A Simple Method for the Analysis of Clustered Binary Data",
    Biometrics 48 (1992)): of m alike rows in each group it is m. It counts as 1 at least: groups
    may react to levels in their own ways.

    Examples
    --------
    >>> cells = OutcomeSums.of_rows(np.arange(4).repeat(2), 4, np.repeat([1.0, 3.0, 2.0, 6.0], 2))
    >>> table = LevelTable.of_cells(2, 4, np.array([0, 0, 1, 1]), np.arange(4), cells)
    >>> grouped = GroupedLevels.of_table(table, np.zeros(4, dtype=int), 1)
    >>> grouped.intraclass_correlation(table.by_level())  # rows of a group are the same
    array([1.])
    """

    inside: FloatArray
    n_cells: FloatArray
    squares: FloatArray
    shared: FloatArray

    @classmethod
    def of_table(cls, table: LevelTable, block: IntArray, n_blocks: int) -> GroupedLevels:
        """Sum a table by (level, group); ``block`` is that of each group's rows."""
        weight = table.cells.weight
        of_group = sum_by(table.fold, weight, table.n_folds)[table.fold]
        seen = (weight > 0).astype(np.float64)
        place = block[table.fold].astype(np.intp) * table.n_levels + table.level
        sums = (
            sum_by(place, of_cell, n_blocks * table.n_levels).reshape(n_blocks, table.n_levels)
            for of_cell in (table.cells.squares, seen, weight * weight, weight * of_group)
        )
        return cls(*sums)

    @property
    def _each(self) -> tuple[FloatArray, ...]:
        return self.inside, self.n_cells, self.squares, self.shared

    def whole(self) -> GroupedLevels:
        """All blocks as one set."""
        return GroupedLevels(*(one.sum(axis=0, keepdims=True) for one in self._each))

    def known_to(self, n_folds: int, *, in_order: bool) -> GroupedLevels:
        """For each fold, all blocks but its own, or those before it."""
        return GroupedLevels(*(_of_others(one, in_order)[:n_folds] for one in self._each))

    def of_set(self, number: int) -> GroupedLevels:
        """One of the training sets."""
        return GroupedLevels(*(one[[number]] for one in self._each))

    def intraclass_correlation(self, levels: OutcomeSums) -> FloatArray:
        """Share of the variance inside levels that is between groups, in each training set.

        ``levels`` has an entry for each training set and level. It is 1 where no level has rows of
        two groups: nothing tells these from levels then.
        """
        weight = levels.weight.reshape(self.inside.shape)
        between = np.maximum(levels.squares.reshape(weight.shape) - self.inside, 0.0).sum(axis=1)
        rows, n_cells = weight.sum(axis=1), self.n_cells.sum(axis=1)
        more = n_cells - (weight > 0).sum(axis=1)
        told = rows - n_cells > ROUNDING * rows
        inside = self.inside.sum(axis=1) / np.where(told, rows - n_cells, 1.0)
        spread = rows - self._over(weight).sum(axis=1)
        several = (more > 0) & (spread > ROUNDING * rows)
        effects = np.maximum(between - more * inside, 0.0) / np.where(several, spread, 1.0)
        varies = effects > 0
        share = np.where(varies, effects / np.where(varies, inside + effects, 1.0), 0.0)
        return np.where(told, np.where(several, share, 1.0), 0.0)

    def _over(self, weight: FloatArray) -> FloatArray:
        """Squared weights of cells over the weight of their level."""
        return self.squares / np.where(weight > 0, weight, 1.0)

    def worth(self, view: LevelView) -> LevelView:
        """Return a view, with an entry for each level, whose rows are of groups of their own.

        What squares inside levels tell of the variance of a row stays, too.
        """
        weight = view.entries.weight.reshape(self.inside.shape)
        share = self.intraclass_correlation(view.entries)[:, None]
        rows = weight.sum(axis=1, keepdims=True)
        rows = np.where(rows > 0, rows, 1.0)
        alike, over = self.shared.sum(axis=1, keepdims=True) / rows, self._over(weight)
        apart, others = over - (2.0 * self.shared - weight * alike) / rows, 1.0 - weight / rows
        some = others > ROUNDING
        apart = np.where(some, apart / np.where(some, others, 1.0), 1.0)
        effect = np.maximum(1.0 + share * (apart - 1.0), 1.0)
        worth, seen = weight / effect, weight > 0
        told = np.maximum(np.where(seen, worth - 1.0, 0.0).sum(axis=1), 0.0)
        free = np.where(seen, weight - 1.0 - share * (over - 1.0), 0.0).sum(axis=1)
        kept = np.where(free > ROUNDING * rows[:, 0], told / np.where(free > 0, free, 1.0), 1.0)
        return replace(
            view,
            entries=_in_rows(view.entries, (1.0 / effect).ravel(), kept[view.group]),
            whole=_in_rows(view.whole, of_all := worth.sum(axis=1) / rows[:, 0], of_all),
        )


def _of_others(sums: FloatArray, in_order: bool) -> FloatArray:
    """For each block, the sums of all others, or of those before it.

    Nothing is subtracted, so that no trace of a fold's own rows is left.
    """
    none = np.zeros((1, sums.shape[1]))
    before = np.cumsum(np.concatenate([none, sums[:-1]]), axis=0)
    if in_order:
        return before
    after = np.cumsum(np.concatenate([none, sums[:0:-1]]), axis=0)[::-1]
    return np.asarray(before + after)


def _in_rows(sums: OutcomeSums, share: FloatArray, of_squares: FloatArray) -> OutcomeSums:
    """Sums of fewer rows, which remember how many they are."""
    inner = None if sums.inner is None else of_squares * sums.inner
    weight, total = share * sums.weight, share * sums.total
    return replace(sums, weight=weight, total=total, inner=inner, rows=sums.size)
