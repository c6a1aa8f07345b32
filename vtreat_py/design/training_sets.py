"""What the training rows of each fold know about the levels of a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.pooling import PooledLevels, pool_levels
from vtreat_py.design.context import DesignContext
from vtreat_py.folds.plan import FoldScheme
from vtreat_py.statistics.grouped_levels import GroupedLevels
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import LevelView, held_out_view, training_view
from vtreat_py.statistics.outcome_sums import OutcomeSums


@dataclass(frozen=True, eq=False)
class FoldLevels:
    """A view of the folds' training sets, its levels pooled.

    Attributes
    ----------
    entry : ndarray of int or None
        The entry of the view that codes each coded cell; None: entries are the coded cells.
    alone : callable
        Gives the levels as the training set of one fold sees them.
    """

    pooled: PooledLevels
    entry: IntArray | None
    alone: Callable[[int], PooledLevels]

    @property
    def view(self) -> LevelView:
        """The levels as the training sets see them."""
        return self.pooled.view

    def at_cells(self, entries: FloatArray) -> FloatArray:
        """Pick the values of the coded cells."""
        return entries if self.entry is None else entries[self.entry]


class TrainingSets:
    """The training sets of the folds, for one column.

    Parameters
    ----------
    folds : FoldScheme
    table : LevelTable
        Sums of the column by (level, fold), over the rows that are coded.
    trained : LevelTable or None
        Sums by (level, training set), where training sets are not "all other folds".
    grouped : GroupedLevels or None
        How levels and groups of rows go together in each, where rows of a group may be alike.

    Attributes
    ----------
    coded : ndarray of int or slice
        The cells whose rows some fold applies to.
    """

    def __init__(
        self,
        folds: FoldScheme,
        table: LevelTable,
        trained: LevelTable | None,
        grouped: GroupedLevels | None = None,
    ) -> None:
        self.table = table
        self.coded = table.cells_before(folds.n_folds)
        self._folds = folds
        self._trained = trained
        self._grouped = grouped

    @cached_property
    def coded_cells(self) -> OutcomeSums:
        """Sums of those cells."""
        return self.table.cells.take(self.coded)

    def known_to(self, fold: int) -> OutcomeSums:
        """Level sums over the training rows of a fold."""
        if self._trained is not None:
            return self._trained.only(fold).by_level()
        if self._folds.in_order:
            return self.table.before(fold).by_level()
        return self.table.held_out(fold).by_level()

    def _pooled(
        self, context: DesignContext, view: LevelView, entry: IntArray | None
    ) -> FoldLevels:
        grouped = self._grouped

        def alone(fold: int) -> PooledLevels:
            of_fold = None if grouped is None else grouped.of_set(fold)
            return pool(context, training_view([self.known_to(fold)]), of_fold)

        return FoldLevels(pool(context, view, grouped), entry, alone)

    def for_codes(self, context: DesignContext) -> FoldLevels:
        """What codes are computed from: the coded cells only, where that is enough.

        With ``rare_sig`` it is not: whether a level is suppressed depends on its training set
        even where the fold has no row of it. What rows of a group are worth does, too.
        """
        rare_sig = context.options.rare_sig
        by_set = self._grouped is not None or (rare_sig is not None and rare_sig < 1)
        if by_set or self._folds.in_order or self._trained is not None:
            return self.for_slopes(context)
        return self._pooled(context, self._held_out_view, None)

    @cached_property
    def _held_out_view(self) -> LevelView:
        return held_out_view(self.table, self._folds.n_folds)

    def for_slopes(self, context: DesignContext) -> FoldLevels:
        """What slopes are computed from: every level of every training set."""
        fold = self.table.fold[self.coded].astype(np.intp)
        entry = fold * self.table.n_levels + self.table.level[self.coded]
        return self._pooled(context, self._training_view, entry)

    @cached_property
    def _training_view(self) -> LevelView:
        return training_view([self.known_to(k) for k in range(self._folds.n_folds)])


def pool(
    context: DesignContext, view: LevelView, grouped: GroupedLevels | None = None
) -> PooledLevels:
    """Pool the levels of a view by the design's options."""
    options = context.options
    return pool_levels(view, options.rare_weight, options.rare_sig, context.is_binary, grouped)
