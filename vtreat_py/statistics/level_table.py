"""The table everything about a categorical column is computed from: sums by (level, fold)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, IntArray
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.scan import all_but_one, all_but_own

# With at most this many (level, fold) pairs to a cell, arrays of all pairs are the faster ones.
_DENSE = 2
# Levels at a time: those arrays then stay in the processor's cache.
_BLOCK = 1 << 13


@dataclass(frozen=True, eq=False)
class LevelTable:
    """Outcome sums of the occupied (level, fold) cells of one column.

    This is the answer to ``GROUP BY level, fold``: tables of two parts of the data add, a
    part can be subtracted, and what the other folds know of a level is ``held_out``.

    Attributes
    ----------
    n_levels, n_folds : int
        Range of ``level`` and ``fold``.
    level, fold : ndarray of shape (cells,)
        Coordinates of the cells, sorted by level, then fold.
    cells : OutcomeSums
        Sums of each cell.
    levels : OutcomeSums or None
        Sums of each level, where they are not those of its cells merged.

    Examples
    --------
    >>> import numpy as np
    >>> table = LevelTable.of_cells(
    ...     2, 2, np.array([0, 0, 1]), np.array([0, 1, 1]),
    ...     OutcomeSums(np.array([2.0, 1.0, 1.0]), np.array([4.0, 5.0, 1.0]), np.zeros(3)))
    >>> table.by_level().mean
    array([3., 1.])
    >>> table.held_out(1).by_level().mean
    array([2., 0.])
    """

    n_levels: int
    n_folds: int
    level: IntArray
    fold: IntArray
    cells: OutcomeSums
    levels: OutcomeSums | None = None

    def __post_init__(self) -> None:
        for values in (self.level, self.fold):
            values.setflags(write=False)

    @classmethod
    def of_cells(
        cls, n_levels: int, n_folds: int, level: IntArray, fold: IntArray, cells: OutcomeSums
    ) -> LevelTable:
        """Sort the cells, merge the ones with equal coordinates, leave out the empty ones."""
        key = level.astype(np.int64) * n_folds + fold
        keys, place = np.unique(key, return_inverse=True)
        merged = cells.grouped(place, len(keys))
        some = np.flatnonzero(merged.weight > 0)
        level, fold = np.divmod(keys[some], n_folds)
        return cls(n_levels, n_folds, level, fold, merged.take(some))

    def by_level(self) -> OutcomeSums:
        """Sums of each level over all folds; levels without rows have weight 0."""
        return self._by_level

    @cached_property
    def _by_level(self) -> OutcomeSums:
        if self.levels is not None:
            return self.levels
        return self.cells.grouped(self.level, self.n_levels)

    def by_fold(self) -> OutcomeSums:
        """Sums of each fold over all levels."""
        return self.cells.grouped(self.fold, self.n_folds)

    def cells_before(self, fold: int) -> IntArray | slice:
        """Where the cells of the folds before ``fold`` are; a slice spares copies of them all."""
        if fold >= self.n_folds:
            return slice(None)
        return np.flatnonzero(self.fold < fold)

    def held_out(self, fold: int) -> LevelTable:
        """Return what the folds other than ``fold`` know."""
        return self._some(self.fold != fold)

    def before(self, fold: int) -> LevelTable:
        """Return what the folds before ``fold`` know."""
        return self._some(self.fold < fold)

    def only(self, fold: int) -> LevelTable:
        """Return what ``fold`` alone knows."""
        return self._some(self.fold == fold)

    def _some(self, which: BoolArray) -> LevelTable:
        at = np.flatnonzero(which)
        return LevelTable(
            self.n_levels, self.n_folds, self.level[at], self.fold[at], self.cells.take(at)
        )

    def held_out_cells(self) -> OutcomeSums:
        """For each cell, the sums of its level over the other folds."""
        if self.cells.inner is None:
            # Counts subtract without rounding, so no trace of the own rows stays behind.
            return self.by_level().take(self.level) - self.cells
        if self.n_folds * self.n_levels <= _DENSE * len(self.level):
            return OutcomeSums.joined([part._held_out_dense() for part in self._by_levels()])
        start = np.flatnonzero(np.diff(self.level, prepend=-1))
        size = np.diff(start, append=len(self.level))
        rank = np.arange(len(self.level)) - np.repeat(start, size)
        return all_but_own(
            self.cells, rank, np.repeat(size, size), OutcomeSums.nothing(1, self.cells)
        )

    def _by_levels(self) -> Iterator[LevelTable]:
        """Cut it into tables of some levels each, which are numbered anew."""
        for some in blocks(self.n_levels, _BLOCK):
            ends = np.array([some.start, some.stop], dtype=self.level.dtype)
            at = slice(*np.searchsorted(self.level, ends))
            level, n_levels = self.level[at] - some.start, some.stop - some.start
            yield LevelTable(n_levels, self.n_folds, level, self.fold[at], self.cells.take(at))

    def _held_out_dense(self) -> OutcomeSums:
        """`held_out_cells` through arrays of all levels, one a fold: no gathering."""
        place = self.fold.astype(np.intp) * self.n_levels + self.level
        size = self.n_folds * self.n_levels
        full = OutcomeSums.nothing(size, self.cells).replaced(place, self.cells)
        starts = range(0, size, self.n_levels)
        folds = [full.take(slice(start, start + self.n_levels)) for start in starts]
        others = all_but_one(folds, OutcomeSums.nothing(self.n_levels, self.cells))
        return OutcomeSums.joined(others).take(place)

    def held_out_folds(self) -> OutcomeSums:
        """For each fold, the sums over all rows of the other folds."""
        rank = np.arange(self.n_folds)
        size = np.full(self.n_folds, self.n_folds)
        return all_but_own(self.by_fold(), rank, size, OutcomeSums.nothing(1, self.cells))

    def find(self, level: IntArray, fold: IntArray) -> IntArray:
        """Return the cells of levels in folds; -1 where there is none."""
        if not len(self.level):
            return np.full(len(level), -1)
        ours = self.level.astype(np.int64) * self.n_folds + self.fold
        theirs = level.astype(np.int64) * self.n_folds + fold
        place = np.minimum(np.searchsorted(ours, theirs), len(ours) - 1)
        return np.where(ours[place] == theirs, place, -1)

    def __add__(self, other: LevelTable) -> LevelTable:
        self._check_fits(other)
        both = OutcomeSums.joined([self.cells, other.cells])
        level = np.concatenate([self.level, other.level])
        fold = np.concatenate([self.fold, other.fold])
        return LevelTable.of_cells(self.n_levels, self.n_folds, level, fold, both)

    def __sub__(self, other: LevelTable) -> LevelTable:
        self._check_fits(other)
        place = self.find(other.level, other.fold)
        if (place < 0).any():
            raise ValueError("cannot subtract a table that has cells this one lacks")
        cells = self.cells.replaced(place, self.cells.take(place) - other.cells)
        return LevelTable.of_cells(self.n_levels, self.n_folds, self.level, self.fold, cells)

    def _check_fits(self, other: LevelTable) -> None:
        if (self.n_levels, self.n_folds) != (other.n_levels, other.n_folds):
            raise ValueError(
                f"tables of {self.n_levels} levels x {self.n_folds} folds and of "
                f"{other.n_levels} x {other.n_folds} do not fit together"
            )
