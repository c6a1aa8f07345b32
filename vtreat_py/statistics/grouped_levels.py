"""How many rows of their own the rows of levels are worth, where rows of one group are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import LevelView
from vtreat_py.statistics.outcome_sums import ROUNDING, OutcomeSums, sum_by

# Squares below this share of all of them are what rounding leaves of none.
_CANCELLED = 1e-13
# Those of the sums of levels that say how rows are spread over groups.
_SPREAD = slice(1, 4)


@dataclass(frozen=True, eq=False)
class GroupCells:
    """The rows of a column by level and group.

    Attributes
    ----------
    table : LevelTable
        Their sums; groups are numbered in the place of folds.
    block : ndarray of shape (groups,)
        The block of rows that each group is in.
    spent : ndarray of shape (cells,) or None
        Rows that the mean of a cell takes from its rows: of weights that do not count rows the sum
        of their squares over theirs. None: 1.
    """

    table: LevelTable
    block: IntArray
    n_blocks: int
    spent: FloatArray | None = None

    @cached_property
    def of_group(self) -> FloatArray:
        """Weight of each group."""
        return sum_by(self.table.fold, self.table.cells.weight, self.table.n_folds)

    def by_block(self) -> FloatArray:
        """Sums by block and level, as `GroupedLevels` has them by training set."""
        table, weight = self.table, self.table.cells.weight
        spent = (weight > 0).astype(np.float64) if self.spent is None else self.spent
        each = table.cells.squares, weight, weight * weight, weight * self.of_group[table.fold]
        shape = self.n_blocks, table.n_levels
        place = self.block[table.fold].astype(np.intp) * table.n_levels + table.level
        sums = [sum_by(place, one, shape[0] * shape[1]) for one in (*each, spent, weight * spent)]
        return np.reshape(sums, (len(sums), *shape))

    def together(self, taken: BoolArray, known: BoolArray) -> FloatArray:
        """Weight, squares and shared weights of some levels, taken for one, in known blocks."""
        table = self.table
        some = np.flatnonzero(taken[table.level] & known[self.block][table.fold])
        weight = sum_by(table.fold[some], table.cells.weight[some], table.n_folds)
        return np.array([one.sum() for one in (weight, weight * weight, weight * self.of_group)])


@dataclass(frozen=True, eq=False)
class GroupedLevels:
    """How levels and groups go together, in several training sets.

    Attributes
    ----------
    sums : ndarray of shape (6, sets, levels)
        Squares of the outcome inside the (level, group) cells of each level; its weight; squared
        weights of its cells; weights of cells times those of their groups; rows that means of cells
        take from theirs, which is the number of cells, where weights count rows; and the rows that
        the mean of the level takes, times its weight.
    cells : GroupCells
    known : ndarray of bool, shape (sets, blocks)
        The blocks that each set holds.

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
    >>> grouped = GroupedLevels.of_cells(GroupCells(table, np.zeros(4, dtype=int), 1))
    >>> grouped.intraclass_correlation(table.by_level())  # rows of a group are the same
    array([1.])
    """

    sums: FloatArray
    cells: GroupCells
    known: BoolArray

    @classmethod
    def of_cells(cls, cells: GroupCells) -> GroupedLevels:
        """Take each block for a set."""
        return cls(cells.by_block(), cells, np.eye(cells.n_blocks, dtype=bool))

    def whole(self) -> GroupedLevels:
        """All blocks as one set."""
        everything = np.ones((1, self.cells.n_blocks), dtype=bool)
        return GroupedLevels(self.sums.sum(axis=1, keepdims=True), self.cells, everything)

    def known_to(self, n_folds: int, *, in_order: bool) -> GroupedLevels:
        """For each fold, all blocks but its own, or those before it."""
        fold, block = np.arange(n_folds)[:, None], np.arange(self.cells.n_blocks)
        known = block < fold if in_order else block != fold
        sums = np.empty((len(self.sums), n_folds, self.sums.shape[2]))
        for one, of_blocks in zip(sums, self.sums, strict=True):
            one[:] = _of_others(of_blocks, in_order)[:n_folds]
        return GroupedLevels(sums, self.cells, known)

    def of_set(self, number: int) -> GroupedLevels:
        """One of the training sets."""
        return replace(self, sums=self.sums[:, [number]], known=self.known[[number]])

    def intraclass_correlation(self, levels: OutcomeSums) -> FloatArray:
        """Share of the variance inside levels that is between groups, in each training set.

        ``levels`` has an entry for each training set and level. It is 1 where no level has rows of
        two groups: nothing tells these from levels then.
        """
        inside, weight, squares, _, spent, of_level = self.sums
        of_levels, mean = (one.reshape(weight.shape) for one in (levels.squares, levels.mean))
        all_squares = (of_levels + weight * mean * mean).sum(axis=1)
        between, rows = np.maximum(of_levels - inside, 0.0).sum(axis=1), weight.sum(axis=1)
        free = rows - spent.sum(axis=1)
        more = (spent - _over(of_level, weight)).sum(axis=1)
        spread = rows - _over(squares, weight).sum(axis=1)
        told, several = free > ROUNDING * rows, spread > ROUNDING * rows
        within = inside.sum(axis=1) / _some(np.where(told, free, 0.0))
        beyond = between - more * within
        varies = several & (beyond > _CANCELLED * all_squares)
        effects = np.where(varies, beyond / np.where(several, spread, 1.0), 0.0)
        share = effects / np.where(varies, within + effects, 1.0)
        return np.where(told, np.where(several, share, 1.0), 0.0)

    def worth(
        self, view: LevelView, pooled: BoolArray, pool: OutcomeSums
    ) -> tuple[LevelView, OutcomeSums, FloatArray]:
        """Levels, and the pool of some of them, with rows that are of groups of their own.

        What squares inside levels tell of the variance of a row stays, too.

        Parameters
        ----------
        view : LevelView
            With an entry for each training set and level.
        pooled : ndarray of bool, shape (entries,)
        pool : OutcomeSums
            Of each training set.

        Returns
        -------
        levels : LevelView
        pool : OutcomeSums
        alone : ndarray of shape (sets,)
            What levels that are worth one row, or less, are worth together.
        """
        share, spread = self.intraclass_correlation(view.entries), self.sums[_SPREAD]
        seen = spread[0] > 0
        rare = seen & pooled.reshape(seen.shape)
        spread = np.concatenate([spread, self._together(rare)], axis=2)
        effect = self._effect(share, spread)
        worth = spread[0] / effect
        apart = np.concatenate([seen & ~rare, rare.any(axis=1, keepdims=True)], axis=1)
        kept = _of_squares(share, spread[:2], worth, apart)
        of_all = np.where(apart, worth, 0.0).sum(axis=1)
        of_all = _over(of_all, np.where(apart, spread[0], 0.0).sum(axis=1))
        alone = self._together((apart & (worth <= 1.0 + ROUNDING))[:, :-1])
        return (
            replace(
                view,
                entries=_in_rows(view.entries, (1.0 / effect[:, :-1]).ravel(), kept[view.group]),
                whole=_in_rows(view.whole, of_all, of_all),
            ),
            _in_rows(pool, 1.0 / effect[:, -1], kept),
            (alone[0] / self._effect(share, alone))[:, 0],
        )

    def _together(self, taken: BoolArray) -> FloatArray:
        """The spread of levels that are taken for one, in arrays of shape (sets, 1)."""
        if not taken.any():
            return np.zeros((3, len(taken), 1))
        sets = zip(taken, self.known, strict=True)
        return np.stack([self.cells.together(*one) for one in sets], axis=1)[:, :, None]

    def _effect(self, share: FloatArray, spread: FloatArray) -> FloatArray:
        """Design effects; see Notes."""
        weight, squares, shared = spread
        rows = _some(self.sums[1].sum(axis=1, keepdims=True))
        alike = self.sums[3].sum(axis=1, keepdims=True) / rows
        others = 1.0 - weight / rows
        apart = _over(squares, weight) - (2.0 * shared - weight * alike) / rows
        times = np.where(others > ROUNDING, apart / _some(others), 1.0)
        return np.asarray(np.maximum(1.0 + share[:, None] * (times - 1.0), 1.0))


def _of_squares(
    share: FloatArray, spread: FloatArray, worth: FloatArray, apart: BoolArray
) -> FloatArray:
    """By what to multiply squares inside levels, for the variance of a row to stay as it is."""
    weight, squares = spread
    told = np.maximum(np.where(apart, worth - 1.0, 0.0).sum(axis=1), 0.0)
    over = _over(squares, weight) - 1.0
    free = np.where(apart, weight - 1.0 - share[:, None] * over, 0.0).sum(axis=1)
    some = free > ROUNDING * weight.sum(axis=1)
    return np.where(some, told / np.where(some, free, 1.0), 1.0)


def _some(weight: FloatArray) -> FloatArray:
    """Weights to divide by: 1 where there is none."""
    return np.where(weight > 0, weight, 1.0)


def _over(sums: FloatArray, weight: FloatArray) -> FloatArray:
    """Sums by weight."""
    return sums / _some(weight)


def _of_others(sums: FloatArray, in_order: bool) -> FloatArray:
    """For each block, the sums of all others, or of those before it.

    Nothing is subtracted, so that no trace of a fold's own rows is left.
    """
    none = np.zeros_like(sums[:1])
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
