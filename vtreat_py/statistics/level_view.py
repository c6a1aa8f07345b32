"""Level sums as the rows of one or several training sets see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

LevelFunction = Callable[[OutcomeSums], FloatArray]


@dataclass(frozen=True, eq=False)
class LevelView:
    """What training sets know about the levels of a column.

    Coders are functions of a view, so that the plan (one training set: all rows) and the
    cross-frame (one training set a fold) are computed by the same lines.

    Attributes
    ----------
    level, group : ndarray of shape (entries,)
        The level of each entry, and the training set that looks at it.
    entries : OutcomeSums
        The level's sums inside that training set.
    whole : OutcomeSums
        Sums over all rows of each training set.

    Notes
    -----
    A view of held-out cells has entries only where a fold has rows of a level, because only
    those are ever looked up. ``sum`` and ``max`` still run over *all* levels of each training
    set: levels absent from a fold are seen there as in the whole data, so their part is the
    whole sum less the part of the levels that are present. The cost is that of the cells,
    whatever the number of folds.
    """

    level: IntArray
    group: IntArray
    entries: OutcomeSums
    whole: OutcomeSums
    levels: OutcomeSums | None = None

    @property
    def n_groups(self) -> int:
        """Number of training sets."""
        return len(self.whole.weight)

    def sum(self, function: LevelFunction) -> FloatArray:
        """Sum a function of the level sums over all levels of each training set."""
        seen = function(self.entries)
        if self.levels is None:
            return sum_by(self.group, seen, self.n_groups)
        everywhere = function(self.levels)
        seen = seen - everywhere[self.level]
        return np.asarray(everywhere.sum() + sum_by(self.group, seen, self.n_groups))

    def max(self, function: LevelFunction) -> FloatArray:
        """Maximum of a function of the level sums over all levels of each training set."""
        largest = np.full(self.n_groups, -np.inf)
        np.maximum.at(largest, self.group, function(self.entries))
        if self.levels is not None:
            np.maximum(largest, self._max_of_absent(function(self.levels)), out=largest)
        return largest

    def _max_of_absent(self, value: FloatArray) -> FloatArray:
        """For each training set, the largest value among levels that have no entry in it.

        Walk the levels from the largest value down: the first place that a training set's
        own levels leave out is the answer.
        """
        descending = np.argsort(-value, kind="stable")
        place = np.empty(len(value), dtype=np.intp)
        place[descending] = np.arange(len(value))
        order = np.lexsort((place[self.level], self.group))
        group, own = self.group[order], place[self.level][order]
        size = np.bincount(group, minlength=self.n_groups)
        start = np.cumsum(size) - size
        gap = own != np.arange(len(own)) - start[group]
        first_gap = size.copy()
        np.minimum.at(first_gap, group[gap], (np.arange(len(own)) - start[group])[gap])
        padded = np.append(value[descending], -np.inf)
        return np.asarray(padded[first_gap])


def whole_view(table: LevelTable) -> LevelView:
    """Return the view of one training set that holds all rows, with an entry for each level."""
    sums = table.by_level()
    level = np.arange(table.n_levels)
    return LevelView(level, np.zeros_like(level), sums, sums.merged())


def held_out_view(table: LevelTable, n_folds: int) -> LevelView:
    """Return the view of the occupied cells, each as the other folds see it.

    Folds from ``n_folds`` on hold rows that are never held out: they are training rows of
    every fold, and have no entries.
    """
    coded = np.flatnonzero(table.fold < n_folds)
    return LevelView(
        table.level[coded],
        table.fold[coded],
        table.held_out_cells().take(coded),
        table.held_out_folds().take(slice(n_folds)),
        table.by_level(),
    )


def training_view(parts: Sequence[OutcomeSums]) -> LevelView:
    """Return the view of training sets given by their level sums, with an entry for each pair.

    Entries stand training set by training set: entry ``k * n_levels + level``.
    """
    n_levels = len(parts[0].weight)
    entries = OutcomeSums.joined(parts)
    level = np.tile(np.arange(n_levels), len(parts))
    group = np.repeat(np.arange(len(parts)), n_levels)
    return LevelView(level, group, entries, entries.grouped(group, len(parts)))
